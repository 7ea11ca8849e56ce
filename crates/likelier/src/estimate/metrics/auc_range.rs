//! The range of the AUC.
//!
//! AUC − ½ = ∫J(s)ds over the share s of both piles that is called positive, so the ends of J at every s give
//! those of the AUC. What varies there is D(s) = A₊ − A₋ at the threshold with that share; one more likelier item
//! above it moves D by 1 − λ, one more other item by −(1 + λ), λ = D′(s)/2.

use super::asked_again::PairSeen;
use super::bracket::{ENDS, Seen};
use super::held_out::HeldOut;
use super::ranges::{Range, Setting, agreement};
use super::spread::{Spread, quadratic};
use crate::estimate::Interval;

/// Thresholds at which J is looked up for the AUC.
const CUTS: usize = 40;

pub(super) fn auc(held_out: &HeldOut<'_>, pairs: &[PairSeen], again: bool, setting: &Setting<'_>) -> Range {
    let cuts = Cuts::new(held_out);
    let curve: Vec<[f64; 2]> = cuts.thresholds.iter().map(|cut| cuts.shares(*cut)).collect();
    let answers = cuts.answers(pairs);
    let [one, two] = ENDS.map(|end| {
        let (prior, prior_error) = setting.assumptions.believed_prior();
        let at = |cut: usize, shift: [f64; 2], prior: f64| {
            let [agreed, tied_apart] = answers[cut];
            // A shift of D leaves the pooled share as it is.
            let shares = [curve[cut][0] + 0.5 * shift[0], curve[cut][1] - 0.5 * shift[0]];
            let seen = Seen {
                shares: shares.map(|share| share.clamp(0.0, 1.0)),
                tied_apart,
                agreed: again.then_some(agreed + shift[1]),
                same_item: setting.same_item(),
            };
            let [t, f] = end(&setting.design(prior), &seen);
            t - f
        };
        let area = |prior: f64| 0.5 + mean((0..CUTS).map(|cut| at(cut, [0.0; 2], prior)));
        let slopes: Vec<[f64; 2]> = (0..CUTS)
            .map(|cut| {
                [[0.01, 0.0], [0.0, 0.01]].map(|step| {
                    let back = step.map(|by: f64| -by);
                    let moves = step[0] > 0.0 || again;
                    if moves { (at(cut, step, prior) - at(cut, back, prior)) / 0.02 } else { 0.0 }
                })
            })
            .collect();
        let slant = |cut: usize| {
            let (from, to) = (cut.saturating_sub(CUTS / 8), (cut + CUTS / 8).min(CUTS - 1));
            let rise = (curve[to][0] - curve[to][1]) - (curve[from][0] - curve[from][1]);
            (0.5 * rise * CUTS as f64 / (to - from).max(1) as f64).clamp(-1.0, 1.0)
        };
        // What an item of each pile weighs, by the first threshold that its score reaches.
        let weighed: [Vec<f64>; 2] = [1.0, -1.0].map(|sign| {
            (0..=CUTS)
                .map(|first| mean((first..CUTS).map(|cut| slopes[cut][0] * (1.0 - sign * slant(cut)))))
                .collect()
        });
        let means = Spread::of(held_out, |pile, _, score| weighed[pile][cuts.first_reached(score)]);
        let of_shares = quadratic(&means.covariance_along([1.0, -1.0]), [1.0, -1.0]);
        let (_, of_agreement) = agreement(pairs, |pair| mean(cuts.parting(pair).map(|cut| slopes[cut][1])));
        let step = (0.5 * prior_error).max(1e-6);
        let of_prior = if prior_error > 0.0 {
            (area(prior + step) - area(prior - step)) / (2.0 * step) * prior_error
        } else {
            0.0
        };
        let value = area(prior);
        let variance = of_shares.max(0.0) + of_agreement.powi(2) + of_prior.powi(2);
        let half = setting.confidence.errors * variance.sqrt();
        Interval { value, low: value - half, high: value + half, level: setting.confidence.level }
    });
    Range::sorted(one, two)
}

/// The mean over all thresholds of a number that is 0 at those that are not given.
fn mean(of: impl Iterator<Item = f64>) -> f64 {
    of.sum::<f64>() / CUTS as f64
}

/// Thresholds with equal shares of the two piles between them.
struct Cuts {
    /// All scores with their share of the two piles together, highest first, and the shares of each pile above.
    sorted: Vec<(f32, [f64; 2])>,
    thresholds: Vec<usize>,
}

impl Cuts {
    fn new(held_out: &HeldOut<'_>) -> Self {
        let mut scores: Vec<(f32, usize, f64)> = held_out
            .iter()
            .map(|(pile, at, score)| (score, pile, held_out.weight(at)))
            .collect();
        scores.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        let mut totals = [0.0; 2];
        for (_, pile, weight) in &scores {
            totals[*pile] += weight;
        }
        let mut above = [0.0; 2];
        let sorted: Vec<(f32, [f64; 2])> = scores
            .chunk_by(|a, b| a.0 == b.0)
            .map(|equal| {
                for (_, pile, weight) in equal {
                    above[*pile] += weight / totals[*pile];
                }
                (equal[0].0, above)
            })
            .collect();
        let share = |at: &(f32, [f64; 2])| 0.5 * (at.1[0] + at.1[1]);
        let thresholds = (0..CUTS)
            .map(|cut| {
                let wanted = (cut as f64 + 0.5) / CUTS as f64;
                sorted.partition_point(|at| share(at) < wanted).min(sorted.len() - 1)
            })
            .collect();
        Self { sorted, thresholds }
    }

    /// The shares of the piles at and above a place.
    fn shares(&self, place: usize) -> [f64; 2] {
        self.sorted[place].1
    }

    /// The first of the thresholds, which fall, that a score reaches.
    fn first_reached(&self, score: f32) -> usize {
        self.thresholds.partition_point(|place| score < self.sorted[*place].0)
    }

    /// The thresholds between the two scores of a pair.
    fn parting(&self, pair: &PairSeen) -> std::ops::Range<usize> {
        let [low, high] = pair.scores.map(|score| self.first_reached(score));
        high..low
    }

    /// At each threshold, what [`agreement`] and [`tied`](super::ranges::tied) say of the pairs that it parts.
    fn answers(&self, pairs: &[PairSeen]) -> Vec<[f64; 2]> {
        let mut sums = vec![[0.0; 2]; CUTS];
        for pair in pairs.iter().filter(|pair| pair.agreement.is_some() || pair.ties > 0) {
            for cut in self.parting(pair) {
                sums[cut][0] += pair.weight * pair.agreement.unwrap_or(0.0);
                sums[cut][1] += pair.weight * pair.ties as f64;
            }
        }
        let asked_again = pairs.iter().filter(|pair| pair.agreement.is_some());
        let asked_again: f64 = asked_again.map(|pair| pair.weight).sum();
        let answers: f64 = pairs.iter().map(|pair| pair.weight * pair.answers as f64).sum();
        let share = |of: f64, all: f64| if all > 0.0 { of / all } else { 0.0 };
        sums.into_iter()
            .map(|[agreed, ties]| [share(agreed, asked_again), share(ties, answers)])
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::asked_again::pairs_seen;
    use super::super::ranges::tied;
    use super::*;
    use crate::data::Answers;
    use crate::random::{Purpose, below, epoch_stream};

    #[test]
    fn one_pass_over_the_pairs_finds_what_a_pass_for_each_threshold_does() {
        let mut rng = epoch_stream(4, Purpose::Comparisons, 0);
        let pairs: Vec<(u32, u32)> = (0..600)
            .map(|_| {
                let one = below(&mut rng, 30);
                (one as u32, ((one + 1 + below(&mut rng, 3)) % 30) as u32)
            })
            .collect();
        let ties = (0..pairs.len()).map(|at| at % 7 == 0).collect();
        let comparisons = Answers::from_iter(pairs).tied(ties).unwrap().comparisons();
        // Some items have equal scores.
        let score = |item: u32| (item / 2) as f32;
        let (likelier, other): (Vec<f32>, Vec<f32>) =
            comparisons.iter().map(|(one, two)| (score(one), score(two))).unzip();
        let held_out = HeldOut::pairs(&likelier, &other).unwrap().of(&comparisons).unwrap();
        let (cuts, seen) = (Cuts::new(&held_out), pairs_seen(&held_out));
        let mut apart = 0;
        for (cut, found) in cuts.answers(&seen).into_iter().enumerate() {
            let threshold = cuts.sorted[cuts.thresholds[cut]].0;
            let parts = |pair: &PairSeen| pair.scores[0] < threshold && pair.scores[1] >= threshold;
            let (agreed, _) = agreement(&seen, |pair| f64::from(u8::from(parts(pair))));
            assert_eq!(found, [agreed, tied(&seen, parts)], "{cut}");
            apart += usize::from(found[0] != 0.0 && found[1] != 0.0);
        }
        assert!(apart > CUTS / 2, "{apart}");
    }
}
