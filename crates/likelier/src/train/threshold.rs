//! Where a score turns positive.

use crate::prior::Prior;
use crate::protocol::Mixture;

/// The threshold above which the population's share is closest to π.
///
/// The population is a·p̃₊ + b·p̃₋, so its share above a cut is estimated by giving each score of the
/// likelier pile the weight a/n₊ and each of the other pile b/n₋, or its share of them where comparisons
/// have weights. The cut lies half-way between two neighbouring scores.
pub fn prior_quantile(
    mixture: &Mixture,
    prior: Prior,
    likelier: &[f32],
    other: &[f32],
    weights: Option<&[f32]>,
) -> f32 {
    let [a, b] = mixture.population_weights(prior);
    let of_pair = |at: usize| weights.map_or(1.0, |weights| f64::from(weights[at]));
    let weigh = |scores: &[f32], weight: f64| {
        let each = weight / (0..scores.len()).map(of_pair).sum::<f64>().max(f64::MIN_POSITIVE);
        let scores = scores.iter().enumerate();
        scores.map(|(at, score)| (*score, each * of_pair(at))).collect::<Vec<_>>()
    };
    let mut weighted = weigh(likelier, a);
    weighted.extend(weigh(other, b));
    weighted.sort_unstable_by(|x, y| y.0.total_cmp(&x.0));

    let Some(&(highest, _)) = weighted.first() else { return 0.0 };
    let mut best = (prior.positive(), highest);
    let mut above = 0.0;
    for (at, &(score, weight)) in weighted.iter().enumerate() {
        above += weight;
        let below = weighted.get(at + 1).map_or(score.next_down(), |next| next.0);
        let distance = (above - prior.positive()).abs();
        if below < score && distance < best.0 {
            let middle = below + (score - below) / 2.0;
            best = (distance, if middle < score { middle } else { below });
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Protocol;
    use crate::random::{Purpose, stream, unit};

    #[test]
    fn the_population_share_above_the_threshold_is_the_prior() {
        let mut rng = stream(1, Purpose::Comparisons);
        for (prior, protocol) in [
            (0.2, Protocol::DISCARD),
            (0.8, Protocol::DISCARD),
            (0.3, Protocol::FORCED_CHOICE),
            (0.7, Protocol::new(crate::Collection::Discard, 0.1).unwrap()),
        ] {
            let prior = Prior::new(prior).unwrap();
            let mixture = protocol.mixture(prior).unwrap();
            // Positives score in [1, 2), negatives in [0, 1): the prior's quantile is 1.
            let mut draw = |share: f64| {
                let mut one = || {
                    let positive = unit(&mut rng) < share;
                    (unit(&mut rng) + f64::from(u8::from(positive))) as f32
                };
                (0..20_000).map(|_| one()).collect::<Vec<_>>()
            };
            let [likelier, other] = mixture.shares().map(&mut draw);
            let threshold = prior_quantile(&mixture, prior, &likelier, &other, None);
            // Near the cut the density is at least 0.2 and the share's error below 0.012.
            assert!((threshold - 1.0).abs() < 0.06, "{threshold} at {prior} under {protocol}");
        }
    }

    #[test]
    fn a_threshold_parts_neighbouring_scores_and_survives_ties() {
        let mixture = Mixture::new(0.75, 0.25).unwrap();
        let prior = Prior::new(0.5).unwrap();
        assert_eq!(prior_quantile(&mixture, prior, &[4.0, 3.0], &[1.0, 2.0], None), 2.5);
        let tied = prior_quantile(&mixture, prior, &[1.0, 1.0], &[1.0, 1.0], None);
        assert!(tied <= 1.0 && tied.is_finite());
        let neighbour = 1.0_f32.next_down();
        let between = prior_quantile(&mixture, prior, &[1.0], &[neighbour], None);
        assert_eq!(between, neighbour, "the lower of two neighbours parts them");
        assert_eq!(prior_quantile(&mixture, prior, &[], &[], None), 0.0);
    }
    #[test]
    fn a_pair_of_weight_two_counts_as_the_same_pair_twice() {
        let mixture = Mixture::new(0.75, 0.25).unwrap();
        let prior = Prior::new(0.4).unwrap();
        let (likelier, other) = ([4.0, 3.0, 0.5], [1.0, 2.0, -1.0]);
        let weighed = prior_quantile(&mixture, prior, &likelier, &other, Some(&[1.0, 2.0, 0.0]));
        let repeated = prior_quantile(&mixture, prior, &[4.0, 3.0, 3.0], &[1.0, 2.0, 2.0], None);
        // A pair of weight 0 still parts scores, so the cuts need not be equal, only part them equally.
        let above = |cut: f32, scores: &[f32]| scores.iter().filter(|score| **score > cut).count();
        assert_eq!(above(weighed, &likelier[..2]), above(repeated, &likelier[..2]));
        assert_eq!(above(weighed, &other[..2]), above(repeated, &other[..2]));
    }
}
