//! The pair posterior (beyond the paper): what a comparison says of its two labels.
//!
//! With log-odds z, z′ of the two items, r = P(y = + | recorded, x, x′) and r′ alike follow from Bayes over
//! the four pairs of labels ([`Protocol::label_posterior`]). Expectation–maximisation fits the scores f to
//! them: the E-step works out r, r′ from the scores of a slowly moving teacher, the M-step lowers the
//! cross-entropy of σ(f + δ) to r and r′, δ = logit q − logit π, q = (θ₊ + θ₋)/2 being the share of
//! positives in both piles together.
//!
//! The true posterior is a fixed point, but its *level* is not a stable one: under discard with overlapping
//! classes every score slides to one side, under forced choice there is a whole line of fixed points. So
//! the level is held: before the E-step the teacher's scores are shifted by the smallest c that brings the
//! mean of σ(z + δ + c) within two standard errors of q.

use std::convert::Infallible;

use super::sigmoid;
use crate::error::Error;
use crate::numerics::parallel::share;
use crate::numerics::simd::wide;
use crate::prior::Prior;
use crate::protocol::Protocol;

/// The E-step for a prior and a protocol.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairPosterior {
    protocol: Protocol,
    shift: f64,
    pooled: f64,
}

impl PairPosterior {
    /// Works δ and q out.
    pub fn new(prior: Prior, protocol: Protocol) -> Result<Self, Error> {
        let pooled = protocol.mixture(prior)?.pooled_prior()?;
        let log_odds = |prior: Prior| (prior.positive() / prior.negative()).ln();
        Ok(Self { protocol, shift: log_odds(pooled) - log_odds(prior), pooled: pooled.positive() })
    }

    /// δ: what turns log-odds in the population into log-odds in the piles.
    pub fn shift(&self) -> f64 {
        self.shift
    }

    /// q: the share of positives in both piles together.
    pub fn pooled(&self) -> f64 {
        self.pooled
    }

    /// How far the mean of σ(z + δ + c) may stay from q: two standard errors of a share among so many rows,
    /// and never so far that a single class would pass.
    pub fn tolerance(&self, rows: f64) -> [f64; 2] {
        let two_errors = 2.0 * (self.pooled * (1.0 - self.pooled) / rows.max(1.0)).sqrt();
        [two_errors.min(self.pooled / 2.0), two_errors.min((1.0 - self.pooled) / 2.0)]
    }

    /// c: the smallest shift of these scores that puts their mean probability within its tolerance of q.
    ///
    /// `rows` is how many different rows the scores stand for; `weights` say how much each counts.
    pub fn level(&self, scores: &[f32], weights: Option<&[f32]>, rows: f64) -> f64 {
        let farthest = scores.iter().fold(0.0_f64, |far, score| far.max(f64::from(score.abs())));
        let at = |level: f64| Ok::<_, Infallible>(mean_probability(scores, weights, self.shift + level));
        match self.level_by(rows, farthest, at) {
            Ok(level) => level,
            Err(never) => match never {},
        }
    }

    /// The same for scores that lie elsewhere: `at` gives the mean of σ(z + δ + c) and its derivative by c, and
    /// no score is farther from 0 than `farthest`.
    pub(crate) fn level_by<E>(
        &self,
        rows: f64,
        farthest: f64,
        mut at: impl FnMut(f64) -> Result<(f64, f64), E>,
    ) -> Result<f64, E> {
        let [below, above] = self.tolerance(rows);
        let (low, high) = (self.pooled - below, self.pooled + above);
        let (start, slope) = at(0.0)?;
        // No scores, or all of weight 0: NaN, and nothing to hold.
        if !(start < low || start > high) {
            return Ok(0.0);
        }
        let goal = if start < low { low } else { high };
        let reach = farthest + self.shift.abs() + 40.0;
        let mut bracket = if start < low { [0.0, reach] } else { [-reach, 0.0] };
        // Newton's steps, halving the bracket where one would leave it.
        let mut level = (goal - start) / slope;
        for _ in 0..200 {
            if !(level > bracket[0] && level < bracket[1]) {
                level = f64::midpoint(bracket[0], bracket[1]);
            }
            let (mean, slope) = at(level)?;
            if (mean - goal).abs() < 1e-9 {
                break;
            }
            bracket[usize::from(mean > goal)] = level;
            level += (goal - mean) / slope;
        }
        Ok(level)
    }

    /// r of each likelier item, then r′ of each other item, from the log-odds of both and the level.
    pub fn targets(&self, likelier: &[f32], other: &[f32], level: f64, targets: &mut Vec<f32>) {
        targets.clear();
        targets.resize(likelier.len() + other.len(), 0.0);
        let (of_likelier, of_other) = targets.split_at_mut(likelier.len());
        let scores = likelier.chunks(PAIRS).zip(other.chunks(PAIRS));
        let slots = of_likelier.chunks_mut(PAIRS).zip(of_other.chunks_mut(PAIRS));
        share(scores.zip(slots), |((likelier, other), (of_likelier, of_other))| {
            posteriors(self.protocol, level, likelier, other, of_likelier, of_other);
        });
    }
}

wide! {
    /// The label posteriors of aligned pairs.
    fn posteriors(
        protocol: Protocol,
        level: f64,
        likelier: &'w [f32],
        other: &'w [f32],
        of_likelier: &'w mut [f32],
        of_other: &'w mut [f32],
    ) {
        let scores = likelier.iter().zip(other);
        for ((score, other_score), (slot, other_slot)) in scores.zip(of_likelier.iter_mut().zip(of_other)) {
            let [r, r_other] =
                protocol.label_posterior(f64::from(*score) + level, f64::from(*other_score) + level);
            *slot = r as f32;
            *other_slot = r_other as f32;
        }
    }
}

/// Scores that are added up side by side, …
const BLOCK: usize = 32;
/// … of which one thread takes so many places, so that each sum is in the order of the scores.
const LANES: usize = 16;
/// So many scores are worth more than one thread.
const WORTH_SHARING: usize = 1 << 13;
/// Pairs that one thread takes at a time.
const PAIRS: usize = 1 << 11;

/// The weighted mean of σ(score + shift), and its derivative by the shift.
fn mean_probability(scores: &[f32], weights: Option<&[f32]>, shift: f64) -> (f64, f64) {
    let mut sums = [[[0.0; LANES]; 3]; BLOCK / LANES];
    let parts = sums.iter_mut().enumerate();
    let add = |(part, sums): (usize, &mut [[f64; LANES]; 3])| {
        *sums = probability_sums(scores, weights, shift, part * LANES);
    };
    if scores.len() < WORTH_SHARING {
        parts.for_each(add);
    } else {
        share(parts, add);
    }
    let [mean, slope, total] = [0, 1, 2].map(|of| sums.iter().flat_map(|sums| sums[of]).sum::<f64>());
    (mean / total, slope / total)
}

wide! {
    /// The sums of σ, of its derivative and of the weights, for some places of every block.
    fn probability_sums(
        scores: &'w [f32],
        weights: Option<&'w [f32]>,
        shift: f64,
        first: usize,
    ) -> [[f64; LANES]; 3] {
        let mut sums = [[0.0; LANES]; 3];
        for at in (first..scores.len()).step_by(BLOCK) {
            let mut values = [[0.0; LANES]; 2];
            let scores = &scores[at..scores.len().min(at + LANES)];
            for (lane, score) in scores.iter().enumerate() {
                values[0][lane] = f64::from(*score) + shift;
                values[1][lane] = weights.map_or(1.0, |weights| f64::from(weights[at + lane]));
            }
            for lane in 0..LANES {
                let (probability, weight) = (sigmoid(values[0][lane]), values[1][lane]);
                sums[0][lane] += weight * probability;
                sums[1][lane] += weight * probability * (1.0 - probability);
                sums[2][lane] += weight;
            }
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::protocol::Collection;

    fn protocol() -> impl Strategy<Value = Protocol> {
        (any::<bool>(), 0.0..0.45_f64).prop_map(|(discard, error)| {
            let collection = if discard { Collection::Discard } else { Collection::ForcedChoice };
            Protocol::new(collection, error).unwrap()
        })
    }

    proptest! {
        #[test]
        fn the_level_is_the_smallest_shift_that_holds_the_mean(
            scores in prop::collection::vec(-30.0..30.0_f32, 1..300),
            prior in 0.02..0.98_f64,
            protocol in protocol(),
            away in -20.0..20.0_f32,
            weighted in any::<bool>(),
        ) {
            let scores: Vec<f32> = scores.iter().map(|score| score + away).collect();
            let weights: Vec<f32> = (0..scores.len()).map(|at| 0.5 + (at % 3) as f32).collect();
            let weights = weighted.then_some(&weights[..]);
            let step = PairPosterior::new(Prior::new(prior).unwrap(), protocol).unwrap();
            let rows = scores.len() as f64;
            let level = step.level(&scores, weights, rows);
            let mean = |level: f64| {
                let mut sums = (0.0, 0.0);
                for (at, score) in scores.iter().enumerate() {
                    let weight = weights.map_or(1.0, |weights| f64::from(weights[at]));
                    sums.0 += weight / (1.0 + (-(f64::from(*score) + step.shift() + level)).exp());
                    sums.1 += weight;
                }
                sums.0 / sums.1
            };
            let [below, above] = step.tolerance(rows);
            let (low, high) = (step.pooled() - below, step.pooled() + above);
            let inside = |mean: f64| mean > low - 1e-8 && mean < high + 1e-8;
            prop_assert!(inside(mean(level)), "{} is not within {low} and {high}", mean(level));
            // Any smaller shift in the same direction leaves the mean outside.
            prop_assert!(level == 0.0 || !(low..=high).contains(&mean(level * 0.99 - level.signum() * 1e-4)));
        }

        #[test]
        fn targets_are_bayes_rule_over_the_four_pairs_of_labels(
            pairs in prop::collection::vec((-12.0..12.0_f32, -12.0..12.0_f32), 0..70),
            protocol in protocol(),
            level in -3.0..3.0_f64,
        ) {
            let (likelier, other): (Vec<f32>, Vec<f32>) = pairs.iter().copied().unzip();
            let step = PairPosterior::new(Prior::new(0.4).unwrap(), protocol).unwrap();
            let mut targets = Vec::new();
            step.targets(&likelier, &other, level, &mut targets);
            prop_assert_eq!(targets.len(), 2 * pairs.len());
            for (at, (score, other_score)) in pairs.iter().enumerate() {
                let [p, q] = [score, other_score].map(|z| 1.0 / (1.0 + (-(f64::from(*z) + level)).exp()));
                let mut joint = [[0.0; 2]; 2];
                for y in 0..2 {
                    for y_other in 0..2 {
                        joint[y][y_other] = [p, 1.0 - p][y] * [q, 1.0 - q][y_other]
                            * protocol.acceptance()[y][y_other];
                    }
                }
                let total: f64 = joint.as_flattened().iter().sum();
                let r = (joint[0][0] + joint[0][1]) / total;
                let r_other = (joint[0][0] + joint[1][0]) / total;
                prop_assert!((f64::from(targets[at]) - r).abs() < 1e-6);
                prop_assert!((f64::from(targets[pairs.len() + at]) - r_other).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn scores_far_out_or_none_at_all_have_a_level() {
        let step = PairPosterior::new(Prior::new(0.05).unwrap(), Protocol::DISCARD).unwrap();
        assert_eq!(step.level(&[], None, 0.0), 0.0);
        assert_eq!(step.level(&[1.0], Some(&[0.0]), 1.0), 0.0);
        for score in [-1e4_f32, 1e4, -1e30] {
            let level = step.level(&[score; 40], None, 40.0);
            assert!(level.is_finite() && (level * f64::from(score)) < 0.0, "{level} at {score}");
        }
    }
}
