//! The moments that tell whether pairs were dropped, with their variances: pairs asked again are one observation, and
//! pairs that share an item, or a group, depend on each other.

use super::Interval;
use super::distribution::two_sided;
use super::ranked::{Contrasts, FoldMeans, PairSums};

/// The ratio r when every random pair is kept.
pub(super) const KEPT: f64 = 0.25;
/// From so many groups on, each is one observation: that allows for all that its comparisons have in common.
const ENOUGH_GROUPS: usize = 20;

/// Cov and (E − E)² of g, within folds, with their variances.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Moments {
    covariance: f64,
    /// The squared difference of the piles' means, without the part that is noise.
    square: f64,
    /// Of the covariance, of the square, and between them.
    variances: [f64; 3],
}

impl Moments {
    pub(super) fn new(contrasts: &Contrasts) -> Self {
        let folds = contrasts.means();
        let pairs = contrasts.by_pair(&folds);
        // A fold of one pair has neither a covariance nor a spread.
        let counts = |fold: usize| folds[fold].size > 1.0 + 1e-9;
        let total: f64 = (0..folds.len())
            .filter(|fold| counts(*fold))
            .map(|fold| folds[fold].weight)
            .sum();
        let total = total.max(f64::MIN_POSITIVE);
        // A fold's covariance is the sum of products by count − 1.
        let unbiased = |size: f64| size / (size - 1.0).max(1e-9);
        let apart = |pair: &PairSums| pair.centred[0] - pair.centred[1];
        let (mut covariances, mut noises) = (vec![0.0; folds.len()], vec![0.0; folds.len()]);
        let (mut covariance, mut square) = (0.0, 0.0);
        for pair in pairs.iter().filter(|pair| counts(pair.fold)) {
            let FoldMeans { means: [likelier, other], weight, size } = folds[pair.fold];
            let (weight, unbiased) = (weight.max(f64::MIN_POSITIVE), unbiased(size));
            covariances[pair.fold] += pair.product * unbiased / weight;
            covariance += pair.product * unbiased / total;
            let noise = apart(pair).powi(2) * unbiased / weight;
            noises[pair.fold] += noise / weight;
            square += (pair.weight * (likelier - other).powi(2) - noise) / total;
        }
        // Two different items of a small group have less in common than two of the population that it was drawn from.
        for (fold, lost) in contrasts
            .lost_to_few_items()
            .into_iter()
            .enumerate()
            .filter(|(fold, _)| counts(*fold))
        {
            covariances[fold] += lost;
            covariance += folds[fold].weight / total * lost;
        }
        let of_pair = |pair: &PairSums| {
            if !counts(pair.fold) {
                return [0.0; 2];
            }
            let [likelier, other] = folds[pair.fold].means;
            let of_covariance = pair.product - pair.weight * covariances[pair.fold];
            let of_square = 2.0 * (likelier - other) * apart(pair);
            [of_covariance / total, of_square / total]
        };
        let matrix = match &contrasts.dyads {
            _ if contrasts.in_groups
                && (0..folds.len()).filter(|fold| counts(*fold)).count() >= ENOUGH_GROUPS =>
            {
                let of_group = |group: usize| {
                    let [likelier, other] = folds[group].means;
                    let weight = folds[group].weight / total;
                    let noise = noises[group];
                    [
                        weight * (covariances[group] - covariance),
                        weight * ((likelier - other).powi(2) - noise - square),
                    ]
                };
                outer((0..folds.len()).filter(|group| counts(*group)).map(of_group))
            }
            Some(dyads) => {
                // The sums are those of pairs, and each counts once.
                let mut seen = vec![false; pairs.len()];
                let first: Vec<bool> = contrasts
                    .pair
                    .iter()
                    .map(|pair| !std::mem::replace(&mut seen[*pair], true))
                    .collect();
                let value = |at: usize| {
                    if first[at] { of_pair(&pairs[contrasts.pair[at]]) } else { [0.0; 2] }
                };
                dyads.covariance(value).matrix_along([1.0, -KEPT])
            }
            None => outer(pairs.iter().map(of_pair)),
        };
        Self { covariance, square, variances: [matrix[0][0], matrix[1][1], matrix[0][1]] }
    }

    /// Whether g is the same everywhere.
    pub(super) fn is_flat(&self) -> bool {
        self.variances[0] <= 0.0
    }

    /// How many standard errors r lies above a value. Well defined however small the contrast.
    pub(super) fn distance(&self, ratio: f64) -> f64 {
        let [of_covariance, of_square, between] = self.variances;
        let variance = of_covariance + ratio * ratio * of_square - 2.0 * ratio * between;
        if variance <= 0.0 { 0.0 } else { (self.covariance - ratio * self.square) / variance.sqrt() }
    }

    /// All r that are not refuted (Fieller), if they are bounded.
    pub(super) fn interval(&self, level: f64) -> Option<Interval> {
        let scale = two_sided(level).powi(2);
        let [of_covariance, of_square, between] = self.variances;
        let leading = self.square * self.square - scale * of_square;
        if leading <= 0.0 || self.square <= 0.0 {
            return None;
        }
        let half = self.covariance * self.square - scale * between;
        let rest = self.covariance * self.covariance - scale * of_covariance;
        let root = (half * half - leading * rest).max(0.0).sqrt();
        let value = self.covariance / self.square;
        let (low, high) = ((half - root) / leading, (half + root) / leading);
        Some(Interval { value, low: low.min(value), high: high.max(value), level })
    }
}

/// Σ v vᵀ.
fn outer(values: impl Iterator<Item = [f64; 2]>) -> [[f64; 2]; 2] {
    values.fold([[0.0; 2]; 2], |[[a, b], [_, d]], [one, two]| {
        [[a + one * one, b + one * two], [b + one * two, d + two * two]]
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Comparisons;
    use crate::estimate::dyads::Dyads;
    use crate::random::{Purpose, chance, stream};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_ends_of_the_interval_are_as_far_away_as_its_level_says(
            covariance in 0.1..1.0_f64, square in 0.2..1.0_f64, spread in 0.001..0.003_f64, tie in -0.9..0.9_f64,
        ) {
            let variances = [spread, 0.5 * spread, tie * spread * 0.5_f64.sqrt()];
            let moments = Moments { covariance, square, variances };
            let interval = moments.interval(0.95).unwrap();
            for end in [interval.low, interval.high] {
                prop_assert!((moments.distance(end).abs() - two_sided(0.95)).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn every_pair_of_small_groups_is_every_pair_kept() {
        // 40 groups of twenty items, each compared with each other; equals by a coin.
        let mut rng = stream(5, Purpose::Comparisons);
        let (mut pairs, mut group, mut positive) = (Vec::new(), Vec::new(), Vec::new());
        for of in 0..40_u32 {
            positive.extend((0..20).map(|_| chance(&mut rng, 0.4)));
            for a in 0..20 {
                for b in 0..a {
                    let (a, b) = (20 * of + a, 20 * of + b);
                    let [first, second] = [a, b].map(|item| positive[item as usize]);
                    let kept = if first == second { chance(&mut rng, 0.5) } else { first };
                    pairs.push(if kept { (a, b) } else { (b, a) });
                    group.push(of as usize);
                }
            }
        }
        let comparisons: Comparisons = pairs.iter().copied().collect();
        let g = |item: u32| if positive[item as usize] { 0.7 } else { 0.3 };
        let contrasts = Contrasts {
            likelier: pairs.iter().map(|(a, _)| g(*a)).collect(),
            other: pairs.iter().map(|(_, b)| g(*b)).collect(),
            weights: vec![1.0; pairs.len()],
            pair: (0..pairs.len()).collect(),
            pairs: pairs.len(),
            fold: group,
            folds: 40,
            in_groups: true,
            dyads: Some(Dyads::of(&comparisons).into()),
        };
        let moments = Moments::new(&contrasts);
        let ratio = moments.covariance / moments.square;
        assert!((ratio - 0.25).abs() < 0.01, "{ratio}");
        // Without what few items take away, the pairs would seem to have been chosen.
        let lost = contrasts.lost_to_few_items().iter().sum::<f64>() / 40.0;
        let plain = (moments.covariance - lost) / moments.square;
        assert!(plain < 0.22, "{plain}");
    }

    #[test]
    fn moments_do_not_depend_on_the_unit_that_weights_are_given_in() {
        let moments = |unit: f64| {
            Moments::new(&Contrasts {
                likelier: (0..90).map(|k| f64::from(k * 37 % 90) / 90.0).collect(),
                other: (0..90).map(|k| f64::from(k * 53 % 90) / 120.0).collect(),
                weights: (0..90).map(|k| unit * f64::from(1 + k % 3)).collect(),
                // Some pairs were asked twice.
                pair: (0..90).map(|k| k - usize::from(k % 4 == 1)).collect(),
                pairs: 90,
                fold: (0..90).map(|k| k / 30).collect(),
                folds: 3,
                in_groups: false,
                dyads: None,
            })
        };
        let (one, four) = (moments(1.0), moments(4.0));
        for (one, four) in [one.covariance, one.square]
            .iter()
            .chain(&one.variances)
            .zip([four.covariance, four.square].iter().chain(&four.variances))
        {
            assert!((one - four).abs() < 1e-12 && *one != 0.0, "{one} is not {four}");
        }
    }
}
