//! What labellers who order equals by degree leave open of the difference between two classifiers.
//!
//! Let c be 1 for an item that only the new classifier calls positive, −1 for one that only the old one does, and 0 for
//! the others; P₊ and P₋ are its distributions among positives and negatives, with means m₊ and m₋, and J = m₊ − m₋.
//! With m, N and b as in [`super::bracket`], the piles show
//!
//! N·(mean of c in the likelier pile − mean in the other) = mJ − 2e₁ + 2e₂ + S  and  (P_likelier + P_other)/2 = bP₊ + (1−b)P₋.
//!
//! - S is what the order of equals adds. It may speak for either classifier: |S| ≤ π²E₊|c − c′| + (1−π)²E₋|c − c′|, reached
//!   when labellers grade exactly as one of the two does.
//! - e₁ and e₂ are wrong answers to mixed pairs that speak against and for the new classifier, at most mε of all pairs,
//!   each counted with |c − c′|.
//! - Ties move either side by their share, counted with |c − c′|.
//!
//! At a J, one number is free: how often the two differ on positives. J is possible if it is for some such number.
//! The accuracies differ by πm₊ − (1−π)m₋, the balanced ones by J/2. The order of *all* scores has no such short
//! description, so there is no range for the AUC.

use serde::Serialize;

use super::asked_again::pairs_seen;
use super::bracket::{Design, first};
use super::difference::{CutScores, same_items};
use super::held_out::HeldOut;
use super::ranges::{Range, check_error};
use super::spread::{Spread, quadratic};
use super::{Assumptions, MetricOptions};
use crate::data::{Comparisons, Pile};
use crate::error::Error;
use crate::estimate::Interval;
use crate::prior::Prior;
use crate::protocol::Collection;

/// A classifier's metrics minus those of another, where labellers may have ordered equals by degree.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct DifferenceRanges {
    /// The labeller is taken to get at most this share of mixed pairs wrong.
    pub error_at_most: f64,
    /// Of the shares of right calls in the population.
    pub accuracy: Range,
    /// Of the means of the shares of right calls in the two classes.
    pub balanced_accuracy: Range,
}

impl DifferenceRanges {
    /// The classifier `new` minus the classifier `old`, by comparisons between the items that neither was trained on.
    pub fn by_comparisons(
        [new, old]: [CutScores<'_>; 2],
        comparisons: &Comparisons,
        assumptions: &Assumptions,
        (collection, error_at_most): (Collection, f64),
        level: f64,
    ) -> Result<Self, Error> {
        check_error(error_at_most)?;
        same_items(new, old)?;
        comparisons.piles().check(new.scores.len())?;
        let sign = |row: &u32| {
            let calls = [new, old].map(|of| of.scores[*row as usize] > of.threshold);
            f32::from(i8::from(calls[0]) - i8::from(calls[1]))
        };
        let [likelier, other] =
            Pile::BOTH.map(|pile| comparisons.piles().rows(pile).iter().map(sign).collect::<Vec<f32>>());
        let held_out = HeldOut::pairs(&likelier, &other)?.of(comparisons)?;
        let errors = MetricOptions { level, ..MetricOptions::default() }.confidence()?.errors;
        let seen = Sampled::new(&held_out, assumptions);
        let range = |of: fn(&Between, f64) -> f64| {
            let end = |high: bool| {
                let value = |[difference, more, fewer, prior]: Point| {
                    let prior = Prior::new(prior.clamp(1e-6, 1.0 - 1e-6)).unwrap_or(assumptions.prior());
                    let design = Design { prior, collection, error_at_most };
                    let between = Between::new(design, difference, [more, fewer], seen.tied);
                    of(&between, if high { between.highest() } else { between.lowest() })
                };
                seen.interval(value, errors, level)
            };
            Range::sorted(end(false), end(true))
        };
        Ok(Self {
            error_at_most,
            accuracy: range(Between::accuracy),
            balanced_accuracy: range(|_, gap| 0.5 * gap),
        })
    }
}

/// The difference of the piles, the shares of 1 and of −1 in both, and π.
type Point = [f64; 4];

/// What was seen, and how far it may be off.
struct Sampled {
    point: Point,
    covariance: [[f64; 4]; 4],
    tied: f64,
}

impl Sampled {
    fn new(held_out: &HeldOut<'_>, assumptions: &Assumptions) -> Self {
        let values = |pile: usize, call: f32| {
            let call = f64::from(call);
            let sign = if pile == 0 { 1.0 } else { -1.0 };
            [sign * call, 0.5 * f64::from(u8::from(call > 0.0)), 0.5 * f64::from(u8::from(call < 0.0))]
        };
        let of = |weights: [f64; 3]| {
            let value =
                |pile, call| -> f64 { values(pile, call).iter().zip(weights).map(|(v, w)| v * w).sum() };
            let spread = Spread::of(held_out, |pile, _, call| value(pile, call));
            let covariance = spread.covariance_along([1.0, 1.0]);
            (spread.means[0] + spread.means[1], quadratic(&covariance, [1.0, 1.0]).max(0.0), spread.sizes)
        };
        let unit = |at: usize| std::array::from_fn(|other| f64::from(u8::from(at == other)));
        let (prior, prior_error) = assumptions.believed_prior();
        let (mut point, mut covariance) = ([0.0, 0.0, 0.0, prior], [[0.0; 4]; 4]);
        covariance[3][3] = prior_error * prior_error;
        let mut sizes = [1.0; 2];
        for at in 0..3 {
            (point[at], covariance[at][at], sizes) = of(unit(at));
        }
        for at in 0..3 {
            for other in 0..at {
                let (_, both, _) = of(std::array::from_fn(|k| f64::from(u8::from(k == at || k == other))));
                let shared = 0.5 * (both - covariance[at][at] - covariance[other][other]);
                covariance[at][other] = shared;
                covariance[other][at] = shared;
            }
        }
        // One more call in favour of each classifier in two rows of each pile, as for the plain difference.
        let added: f64 = sizes.iter().map(|size| (size + 2.0).powi(-2)).sum();
        covariance[0][0] += added;
        covariance[1][1] += 0.25 * added;
        covariance[2][2] += 0.25 * added;
        let pairs = pairs_seen(held_out);
        let answers: f64 = pairs.iter().map(|pair| pair.weight * pair.answers as f64).sum();
        let ties: f64 = pairs
            .iter()
            .map(|pair| pair.weight * pair.ties as f64 * f64::from(pair.scores[1] - pair.scores[0]))
            .sum();
        Self { point, covariance, tied: if answers > 0.0 { ties / answers } else { 0.0 } }
    }

    /// An end with its sampling error: looked up anew at the points that lie so many standard errors along Σg.
    fn interval(&self, of: impl Fn(Point) -> f64, errors: f64, level: f64) -> Interval {
        let value = of(self.point);
        let gradient: Point = std::array::from_fn(|at| {
            let step = (0.5 * self.covariance[at][at].sqrt()).max(1e-6);
            let moved = |by: f64| {
                let mut point = self.point;
                point[at] += by;
                of(point)
            };
            if self.covariance[at][at] > 0.0 { (moved(step) - moved(-step)) / (2.0 * step) } else { 0.0 }
        });
        let direction: Point = std::array::from_fn(|row| {
            (0..4).map(|column| self.covariance[row][column] * gradient[column]).sum()
        });
        let variance: f64 = (0..4).map(|at| gradient[at] * direction[at]).sum();
        if variance <= 0.0 {
            return Interval { value, low: value, high: value, level };
        }
        let stride = errors / variance.sqrt();
        let at = |sign: f64| of(std::array::from_fn(|at| self.point[at] + sign * stride * direction[at]));
        let (one, two) = (at(-1.0), at(1.0));
        Interval { value, low: one.min(two).min(value), high: one.max(two).max(value), level }
    }
}

/// Shares of 1 and of −1.
type Signs = [f64; 2];

struct Between {
    design: Design,
    /// N times the difference of the piles.
    difference: f64,
    pooled: Signs,
    tied: f64,
}

const FREE: u32 = 48;

impl Between {
    fn new(design: Design, difference: f64, pooled: Signs, tied: f64) -> Self {
        let [_, all] = design.weights();
        let pooled = pooled.map(|share| share.clamp(0.0, 1.0));
        let most = (pooled[0] + pooled[1]).max(1.0);
        Self {
            design,
            difference: all * difference,
            pooled: pooled.map(|share| share / most),
            tied: all * tied,
        }
    }

    fn accuracy(&self, gap: f64) -> f64 {
        let [positive, negative] = self.means(gap);
        self.design.prior.positive() * positive - self.design.prior.negative() * negative
    }

    /// m₊ and m₋: they move apart from the pooled mean.
    fn means(&self, gap: f64) -> [f64; 2] {
        let (pooled, share) = (self.pooled[0] - self.pooled[1], self.design.share_of_positives());
        [pooled + (1.0 - share) * gap, pooled - share * gap]
    }

    /// All distributions among positives and negatives that there can be at some J.
    fn classes(&self, gap: f64) -> impl Iterator<Item = [Signs; 2]> + '_ {
        let share = self.design.share_of_positives();
        let mean = self.means(gap)[0];
        let [up, down] = self.pooled;
        // The share of 1 among positives; that of −1 follows from the mean, and the rest from what is pooled.
        let least = 0.5 * (mean + (up + down - 1.0 + share) / share);
        let least = least.max(mean).max(0.0);
        let most = (0.5 * (1.0 + mean)).min(up / share).min(mean + down / share);
        let steps = if least <= most + 1e-9 { FREE + 1 } else { 0 };
        (0..steps).map(move |step| {
            let of_positives = least + (most - least) * f64::from(step) / f64::from(FREE);
            let positives = [of_positives, of_positives - mean].map(|of| of.clamp(0.0, 1.0));
            let left = |sign: usize| (self.pooled[sign] - share * positives[sign]) / (1.0 - share);
            [positives, [left(0), left(1)].map(|of| of.clamp(0.0, 1.0))]
        })
    }

    /// How much equals, wrong answers that speak for the new classifier, and ties can add at the most.
    fn slack(&self, [positives, negatives]: [Signs; 2], speaks_for: bool) -> f64 {
        let apart = |[up, down]: Signs| {
            let none = (1.0 - up - down).max(0.0);
            2.0 * (up * none + down * none + 2.0 * up * down)
        };
        let (p, q) = (self.design.prior.positive(), self.design.prior.negative());
        let equals = p * p * apart(positives) + q * q * apart(negatives);
        let none = |[up, down]: Signs| (1.0 - up - down).max(0.0);
        // A wrong answer speaks for the new classifier where this would rather call the negative positive.
        let (one, two) = if speaks_for { (1, 0) } else { (0, 1) };
        let [mixed, _] = self.design.weights();
        let by_two = mixed * positives[one] * negatives[two];
        let by_one = mixed * (positives[one] * none(negatives) + none(positives) * negatives[two]);
        let errors = mixed * self.design.error_at_most;
        let wrong = 2.0 * errors.min(by_two) + (errors - by_two).max(0.0).min(by_one);
        equals + 2.0 * wrong + self.tied
    }

    /// Whether the piles can look as they do.
    fn is_possible(&self, gap: f64) -> bool {
        let [mixed, _] = self.design.weights();
        let left = self.difference - mixed * gap;
        self.classes(gap).any(|classes| {
            left <= self.slack(classes, true) + 1e-12 && -left <= self.slack(classes, false) + 1e-12
        })
    }

    /// The smallest and the largest J at which both distributions are some.
    fn reach(&self) -> [f64; 2] {
        let share = self.design.share_of_positives();
        let far = |up: f64, down: f64| {
            // As many 1 as can be among positives, as many −1 among negatives.
            let (up_there, down_there) = ((up / share).min(1.0), (down / (1.0 - share)).min(1.0));
            let (up_here, down_here) =
                ((up - share * up_there) / (1.0 - share), (down - (1.0 - share) * down_there) / share);
            up_there - down_here - (up_here - down_there)
        };
        [-far(self.pooled[1], self.pooled[0]), far(self.pooled[0], self.pooled[1])]
    }

    fn lowest(&self) -> f64 {
        let [low, high] = self.reach();
        first(low, high, |gap| self.is_possible(gap)).unwrap_or(high)
    }

    fn highest(&self) -> f64 {
        let [low, high] = self.reach();
        first(high, low, |gap| self.is_possible(gap)).unwrap_or(low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, Rng, stream, unit};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_true_difference_is_always_inside(
            prior in 0.1..0.9_f64, discard: bool, error in 0.0..0.3_f64, shares in prop::array::uniform4(0.0..1.0_f64),
            graded in -1.0..1.0_f64, errors in (0.0..1.0_f64, any::<bool>()), tie in 0.0..0.05_f64,
        ) {
            let collection = if discard { Collection::Discard } else { Collection::ForcedChoice };
            let design = Design { prior: Prior::new(prior).unwrap(), collection, error_at_most: error };
            let class = |up: f64, down: f64| [up, down * (1.0 - up)];
            let classes = [class(shares[0], shares[1]), class(shares[2], shares[3])];
            let share = design.share_of_positives();
            let pooled = [0, 1].map(|sign| share * classes[0][sign] + (1.0 - share) * classes[1][sign]);
            let gap = classes[0][0] - classes[0][1] - classes[1][0] + classes[1][1];
            let [mixed, all] = design.weights();
            let without = |error_at_most| Between::new(Design { error_at_most, ..design }, 0.0, pooled, 0.0);
            let equals = without(0.0).slack(classes, true);
            let wrong = without(error).slack(classes, errors.1) - equals;
            let signed = if errors.1 { errors.0 * wrong } else { -errors.0 * wrong };
            let difference = (mixed * gap + signed + graded * equals) / all;
            let between = Between::new(design, difference + tie, pooled, tie);
            let (low, high) = (between.lowest(), between.highest());
            prop_assert!(low <= gap + 1e-3 && high >= gap - 1e-3, "{gap} is not in {low} to {high}");
            let of_truth = prior * (classes[0][0] - classes[0][1]) - (1.0 - prior) * (classes[1][0] - classes[1][1]);
            prop_assert!((between.accuracy(gap) - of_truth).abs() < 1e-9);
        }
    }

    /// Items with a label and the calls of two classifiers, and comparisons between them. Equals are ordered as the new
    /// classifier calls them with probability `graded`, else by a coin.
    fn drawn(count: u32, graded: f64, rng: &mut impl Rng) -> (Comparisons, [Vec<f32>; 2], f64) {
        let (right_new, right_old) = (0.85, 0.7);
        let mut calls = [Vec::new(), Vec::new()];
        let (mut labels, mut right) = (Vec::new(), [0.0; 2]);
        for _ in 0..2 * count {
            let label = unit(rng) < 0.4;
            labels.push(label);
            for (of, share) in [right_new, right_old].into_iter().enumerate() {
                let is_right = unit(rng) < share;
                right[of] += f64::from(u8::from(is_right));
                calls[of].push(if label == is_right { 1.0 } else { -1.0 });
            }
        }
        let comparisons = (0..count)
            .map(|pair| {
                let (one, two) = (2 * pair, 2 * pair + 1);
                let [first, second] = [one, two].map(|item| labels[item as usize]);
                let ahead = if first != second {
                    first
                } else if unit(rng) < graded && calls[0][one as usize] != calls[0][two as usize] {
                    calls[0][one as usize] > 0.0
                } else {
                    unit(rng) < 0.5
                };
                if ahead { (one, two) } else { (two, one) }
            })
            .collect();
        (comparisons, calls, right_new - right_old)
    }

    #[test]
    fn the_range_holds_where_the_coin_misleads() {
        use crate::estimate::metrics::MetricDifference;
        use crate::protocol::Protocol;

        let assumptions =
            Assumptions::of_protocol(Protocol::FORCED_CHOICE, Prior::new(0.4).unwrap()).unwrap();
        let (mut coin, mut open) = (0, 0);
        for seed in 0..100 {
            let (comparisons, calls, truth) = drawn(800, 0.8, &mut stream(seed, Purpose::Comparisons));
            let [new, old] = calls.each_ref().map(|scores| CutScores { scores, threshold: 0.0 });
            let plain =
                MetricDifference::by_comparisons(new, old, &comparisons, &assumptions, 0.95).unwrap();
            coin += u32::from((plain.accuracy.low..=plain.accuracy.high).contains(&truth));
            let collected = (Collection::ForcedChoice, 0.02);
            let found =
                DifferenceRanges::by_comparisons([new, old], &comparisons, &assumptions, collected, 0.95)
                    .unwrap();
            open += u32::from(found.accuracy.holds(truth) && found.balanced_accuracy.holds(truth));
            // What the two call differently is all that they can differ by.
            assert!(found.accuracy.width() < 1.0, "{found:?}");
        }
        assert!(coin < 50, "graded as the new one calls, a coin flatters it: {coin} of 100");
        assert!(open >= 93, "{open} of 100");
    }

    #[test]
    fn two_that_call_everything_alike_differ_by_nothing() {
        use crate::protocol::Protocol;

        let assumptions =
            Assumptions::of_protocol(Protocol::FORCED_CHOICE, Prior::new(0.4).unwrap()).unwrap();
        let (comparisons, calls, _) = drawn(800, 0.0, &mut stream(1, Purpose::Comparisons));
        let one = CutScores { scores: &calls[0], threshold: 0.0 };
        let collected = (Collection::ForcedChoice, 0.2);
        let found =
            DifferenceRanges::by_comparisons([one, one], &comparisons, &assumptions, collected, 0.95)
                .unwrap();
        assert!(found.accuracy.holds(0.0) && found.accuracy.width() < 0.02, "{found:?}");
        let wrong = (Collection::ForcedChoice, 0.5);
        assert!(
            DifferenceRanges::by_comparisons([one, one], &comparisons, &assumptions, wrong, 0.95).is_err()
        );
    }
}
