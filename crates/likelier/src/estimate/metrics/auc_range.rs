//! The range of the AUC.
//!
//! AUC − ½ = ∫J(s)ds over the share s of both piles that is called positive, so the ends of J at every s give
//! those of the AUC. What varies there is D(s) = A₊ − A₋ at the threshold with that share; one more likelier item
//! above it moves D by 1 − λ, one more other item by −(1 + λ), λ = D′(s)/2.

use super::asked_again::PairSeen;
use super::bracket::{Design, Rates, Seen};
use super::held_out::HeldOut;
use super::ranges::{Range, Setting, agreement, tied};
use super::spread::{Spread, quadratic};
use crate::estimate::Interval;

/// Thresholds at which J is looked up for the AUC.
const CUTS: usize = 40;

pub(super) fn auc(held_out: &HeldOut<'_>, pairs: &[PairSeen], again: bool, setting: &Setting<'_>) -> Range {
    let cuts = Cuts::new(held_out);
    let curve: Vec<[f64; 2]> = cuts.thresholds.iter().map(|cut| cuts.shares(*cut)).collect();
    let ends = [Design::lowest as fn(&Design, &Seen) -> Rates, Design::highest];
    let [one, two] = ends.map(|end| {
        let (prior, prior_error) = setting.assumptions.believed_prior();
        let at = |cut: usize, shift: [f64; 2], prior: f64| {
            let apart = |pair: &PairSeen| cuts.parts(cut, pair);
            let (agreed, _) = agreement(pairs, |pair| f64::from(u8::from(apart(pair))));
            // A shift of D leaves the pooled share as it is.
            let shares = [curve[cut][0] + 0.5 * shift[0], curve[cut][1] - 0.5 * shift[0]];
            let seen = Seen {
                shares: shares.map(|share| share.clamp(0.0, 1.0)),
                tied_apart: tied(pairs, apart),
                agreed: again.then_some(agreed + shift[1]),
                same_item: setting.same_item(),
            };
            let [t, f] = end(&setting.design(prior), &seen);
            t - f
        };
        let mean = |of: &dyn Fn(usize) -> f64| (0..CUTS).map(of).sum::<f64>() / CUTS as f64;
        let area = |prior: f64| 0.5 + mean(&|cut| at(cut, [0.0; 2], prior));
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
        let weighed = |pile: usize, score: f32| {
            let sign = if pile == 0 { 1.0 } else { -1.0 };
            mean(&|cut| {
                if cuts.is_above(cut, score) { slopes[cut][0] * (1.0 - sign * slant(cut)) } else { 0.0 }
            })
        };
        let table = ScoreTable::new(held_out, weighed);
        let means = Spread::of(held_out, |pile, _, score| table.at(pile, score));
        let of_shares = quadratic(&means.covariance_along([1.0, -1.0]), [1.0, -1.0]);
        let (_, of_agreement) =
            agreement(pairs, |pair| mean(&|cut| if cuts.parts(cut, pair) { slopes[cut][1] } else { 0.0 }));
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

    fn is_above(&self, cut: usize, score: f32) -> bool {
        score >= self.sorted[self.thresholds[cut]].0
    }

    fn parts(&self, cut: usize, pair: &PairSeen) -> bool {
        !self.is_above(cut, pair.scores[0]) && self.is_above(cut, pair.scores[1])
    }
}

/// A function of pile and score, looked up once for each different score.
struct ScoreTable([Vec<(f32, f64)>; 2]);

impl ScoreTable {
    fn new(held_out: &HeldOut<'_>, of: impl Fn(usize, f32) -> f64) -> Self {
        Self([0, 1].map(|wanted| {
            let mut scores: Vec<f32> = held_out
                .iter()
                .filter(|(pile, _, _)| *pile == wanted)
                .map(|(_, _, score)| score)
                .collect();
            scores.sort_unstable_by(f32::total_cmp);
            scores.dedup();
            scores.into_iter().map(|score| (score, of(wanted, score))).collect()
        }))
    }

    fn at(&self, pile: usize, score: f32) -> f64 {
        let table = &self.0[pile];
        let place = table.partition_point(|(other, _)| *other < score);
        table.get(place).map_or(0.0, |(_, value)| *value)
    }
}
