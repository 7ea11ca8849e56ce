//! Every metric as a range where labellers may have ordered equals by degree, each end with its sampling error.
//!
//! What the ends are at one threshold, and how far they may be off, is in [`super::ends`]; the AUC has a file of its own
//! ([`super::auc_range`]).

use serde::Serialize;

use super::asked_again::{PairSeen, pairs_seen};
use super::auc_range::auc;
use super::bracket::{Design, SameItemSeen};
use super::ends::{AtThreshold, SeenAt};
use super::held_out::HeldOut;
use super::same_item::SameItem;
use super::spread::PileMeans;
use super::{Assumptions, Metric, MetricOptions};
use crate::error::Error;
use crate::estimate::Interval;
use crate::estimate::distribution::Confidence;
use crate::prior::Prior;
use crate::protocol::Collection;

/// A number that is only known to lie between two, each with its own sampling error.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Range {
    /// The lower one.
    pub low_end: Interval,
    /// The higher one.
    pub high_end: Interval,
}

impl Range {
    /// Whether the range, with its sampling error, holds a value.
    pub fn holds(&self, value: f64) -> bool {
        (self.low_end.low..=self.high_end.high).contains(&value)
    }

    /// How wide it is, sampling error included.
    pub fn width(&self) -> f64 {
        self.high_end.high - self.low_end.low
    }

    /// A number that is known but for its sampling error.
    pub(super) fn point(known: Interval) -> Self {
        Self { low_end: known, high_end: known }
    }

    /// Two ends in either order. Where they meet, either may be the lower one; so the range reaches as far as both do.
    pub(super) fn sorted(one: Interval, two: Interval) -> Self {
        let (low_end, high_end) = if one.value <= two.value { (one, two) } else { (two, one) };
        let (low, high) = (one.low.min(two.low), one.high.max(two.high));
        Self { low_end: Interval { low, ..low_end }, high_end: Interval { high, ..high_end } }
    }
}

/// A classifier judged without labels, and without the assumption that equals are ordered by a coin.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MetricRanges {
    /// The labeller is taken to get at most this share of mixed pairs wrong.
    pub error_at_most: f64,
    /// How many pairs that were asked again narrow the lower end; 0 if there are too few to count on.
    pub asked_again: usize,
    /// How many items with two partners or more narrow both ends; 0 if there are too few, or where pairs could be dropped.
    pub recurring_items: usize,
    /// Whether answers about one item have less in common than labellers with so few errors would give them. Then items that
    /// recur narrow nothing: what they would follow from is wrong.
    pub more_errors: bool,
    /// The share of right calls in the population.
    pub accuracy: Range,
    /// The mean of the shares of right calls in the two classes.
    pub balanced_accuracy: Range,
    /// The share of positives called positive: also called recall.
    pub true_positive_rate: Range,
    /// The share of negatives called positive.
    pub false_positive_rate: Range,
    /// The share of positives among what is called positive.
    pub precision: Range,
    /// The harmonic mean of precision and recall.
    pub f1: Range,
    /// The share of the population called positive.
    pub called_positive: Range,
    /// The probability that a random positive scores higher than a random negative.
    pub auc: Range,
}

impl MetricRanges {
    /// One of the metrics at the threshold.
    pub fn of(&self, metric: Metric) -> Range {
        match metric {
            Metric::Accuracy => self.accuracy,
            Metric::BalancedAccuracy => self.balanced_accuracy,
            Metric::TruePositiveRate => self.true_positive_rate,
            Metric::FalsePositiveRate => self.false_positive_rate,
            Metric::Precision => self.precision,
            Metric::F1 => self.f1,
            Metric::CalledPositive => self.called_positive,
        }
    }
}

/// Fewer pairs asked again than this say too little to narrow anything.
pub(in crate::estimate) const FEWEST_AGAIN: usize = 30;

/// Judges a classifier on held-out comparisons whose labellers may have ordered equals by degree, and got at most
/// a share `error_at_most` of the mixed pairs wrong.
pub fn ranges(
    held_out: &HeldOut<'_>,
    assumptions: &Assumptions,
    collection: Collection,
    error_at_most: f64,
    judging: &MetricOptions,
) -> Result<MetricRanges, Error> {
    let ranges = RangesAt::new(held_out, assumptions, collection, error_at_most, judging)?;
    let at = ranges.at(judging.threshold);
    let metric = |metric: Metric| at.range(|rates, prior| metric.value(rates, prior));
    Ok(MetricRanges {
        error_at_most,
        asked_again: ranges.asked_again,
        recurring_items: ranges.setting.same_item.map_or(0, |same| same.items),
        more_errors: ranges.more_errors,
        accuracy: metric(Metric::Accuracy),
        balanced_accuracy: metric(Metric::BalancedAccuracy),
        true_positive_rate: metric(Metric::TruePositiveRate),
        false_positive_rate: metric(Metric::FalsePositiveRate),
        precision: metric(Metric::Precision),
        f1: metric(Metric::F1),
        called_positive: metric(Metric::CalledPositive),
        auc: auc(held_out, &ranges.pairs, ranges.asked_again > 0, &ranges.setting),
    })
}

/// What ranges at any threshold rest on.
pub(super) struct RangesAt<'a> {
    held_out: &'a HeldOut<'a>,
    pairs: Vec<PairSeen>,
    asked_again: usize,
    more_errors: bool,
    setting: Setting<'a>,
}

impl<'a> RangesAt<'a> {
    pub(super) fn new(
        held_out: &'a HeldOut<'a>,
        assumptions: &'a Assumptions,
        collection: Collection,
        error_at_most: f64,
        judging: &MetricOptions,
    ) -> Result<Self, Error> {
        check_error(error_at_most)?;
        let confidence = judging.confidence()?;
        let pairs = pairs_seen(held_out);
        let again = pairs.iter().filter(|pair| pair.agreement.is_some()).count();
        // Under discard an answer to a pair asked again may have been dropped, so two answers are no random two.
        let asked_again =
            if collection == Collection::ForcedChoice && again >= FEWEST_AGAIN { again } else { 0 };
        // Partners that were chosen are no random ones.
        let same_item = held_out
            .comparisons()
            .filter(|comparisons| collection == Collection::ForcedChoice && !comparisons.were_chosen())
            .and_then(SameItem::of);
        let tied = tied(&pairs, |_| true);
        let mut setting = Setting { assumptions, collection, error_at_most, confidence, same_item, tied };
        let (prior, _) = assumptions.believed_prior();
        let more_errors = setting.same_item().is_some_and(|seen| !setting.design(prior).allows(&seen));
        if more_errors {
            setting.same_item = None;
        }
        Ok(Self { held_out, pairs, asked_again, more_errors, setting })
    }

    pub(super) fn at(&self, threshold: f32) -> AtThreshold<'_> {
        let again = self.asked_again > 0;
        AtThreshold::new(SeenAt::new(self.held_out, &self.pairs, threshold, again, &self.setting))
    }
}

/// What is expected to be seen at a threshold, before anything is.
#[derive(Clone, Copy, Debug)]
pub(in crate::estimate) struct Expected {
    /// A₊ and A₋.
    pub(in crate::estimate) shares: [f64; 2],
    /// Their covariance.
    pub(in crate::estimate) covariance: [[f64; 2]; 2],
    /// How many pairs there are.
    pub(in crate::estimate) pairs: f64,
    /// R and its standard error, where enough pairs are asked again.
    pub(in crate::estimate) agreed: Option<[f64; 2]>,
}

impl Expected {
    /// The range of a metric.
    pub(in crate::estimate) fn range(
        &self,
        metric: Metric,
        assumptions: &Assumptions,
        (collection, error_at_most): (Collection, f64),
        confidence: Confidence,
    ) -> Result<Range, Error> {
        check_error(error_at_most)?;
        let means = PileMeans {
            means: self.shares,
            independent: self.covariance,
            shared: None,
            sizes: [self.pairs; 2],
            paired: true,
        };
        let setting =
            Setting { assumptions, collection, error_at_most, confidence, same_item: None, tied: 0.0 };
        let shares = means.smoothed();
        let [agreed, error] = self.agreed.unwrap_or_default();
        let (prior, prior_error) = assumptions.believed_prior();
        let point = |shares: [f64; 2]| [shares[0], shares[1], agreed, prior];
        let seen = SeenAt {
            setting: &setting,
            tied_apart: 0.0,
            again: self.agreed.is_some(),
            raw: point(means.means),
            smooth: point(shares.means),
            shares,
            errors: [error, prior_error],
        };
        Ok(AtThreshold::new(seen).range(|rates, prior| metric.value(rates, prior)))
    }
}

/// Refuses an error with which answers would say nothing.
pub(crate) fn check_error(error_at_most: f64) -> Result<(), Error> {
    if (0.0..0.5).contains(&error_at_most) {
        return Ok(());
    }
    Err(Error::Setting {
        name: "the largest labeller error",
        value: error_at_most.to_string(),
        allowed: "at least 0 and below 0.5",
    })
}

pub(super) struct Setting<'a> {
    pub(super) assumptions: &'a Assumptions,
    collection: Collection,
    error_at_most: f64,
    pub(super) confidence: Confidence,
    same_item: Option<SameItem>,
    /// The share of ties among all answers.
    tied: f64,
}

impl Setting<'_> {
    /// W as large as sampling error may make it.
    pub(super) fn same_item(&self) -> Option<SameItemSeen> {
        let SameItem { value, error, .. } = self.same_item?;
        Some(SameItemSeen { product: value + self.confidence.errors * error, tied: self.tied })
    }

    pub(super) fn design(&self, prior: f64) -> Design {
        let prior = Prior::new(prior.clamp(1e-6, 1.0 - 1e-6)).unwrap_or(self.assumptions.prior());
        Design { prior, collection: self.collection, error_at_most: self.error_at_most }
    }
}

/// The mean of `share`·agreement over the pairs that were asked again, and its standard error.
pub(super) fn agreement(pairs: &[PairSeen], share: impl Fn(&PairSeen) -> f64) -> (f64, f64) {
    let values = || {
        pairs
            .iter()
            .filter_map(|pair| Some((pair.weight, pair.agreement? * share(pair))))
    };
    let (count, weights) =
        values().fold((0.0, 0.0), |(count, sum), (weight, _)| (count + 1.0, sum + weight));
    if count < 2.0 {
        return (0.0, 0.0);
    }
    let mean = values().map(|(weight, value)| weight * value).sum::<f64>() / weights;
    let squares: f64 = values().map(|(weight, value)| (weight * (value - mean)).powi(2)).sum();
    (mean, (squares * count / (count - 1.0)).sqrt() / weights)
}

/// The share of all answers that are ties on such pairs.
pub(super) fn tied(pairs: &[PairSeen], apart: impl Fn(&PairSeen) -> bool) -> f64 {
    let answers: f64 = pairs.iter().map(|pair| pair.weight * pair.answers as f64).sum();
    let apart = pairs.iter().filter(|pair| apart(pair));
    let ties: f64 = apart.map(|pair| pair.weight * pair.ties as f64).sum();
    if answers > 0.0 { ties / answers } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Comparisons;
    use crate::protocol::Protocol;
    use crate::random::{Purpose, below, chance, epoch_stream};

    #[test]
    fn pairs_asked_again_and_ties_count_as_many_pairs_as_they_stand_for() {
        let seen = |ties, agreement, weight| PairSeen {
            scores: [0.0, 1.0],
            answers: 2,
            ties,
            agreement: Some(agreement),
            weight,
        };
        // One that stands for three is three of the same, in the mean; but it is one observation.
        let chosen = [seen(0, 1.0, 1.0), seen(0, -1.0, 1.0), seen(1, 0.0, 3.0)];
        let (mean, error) = agreement(&chosen, |_| 1.0);
        assert_eq!(mean, 0.0);
        assert!((error - (2.0_f64 * 1.5).sqrt() / 5.0).abs() < 1e-12, "{error}");
        assert!((tied(&chosen, |_| true) - 0.3).abs() < 1e-12);
        let three = [seen(0, 1.0, 3.0), seen(0, -1.0, 1.0), seen(0, 0.0, 1.0)];
        assert!((agreement(&three, |_| 1.0).0 - 0.4).abs() < 1e-12);
        let plain = [1.0, -1.0, 0.0].map(|value| seen(0, value, 1.0));
        let (mean, deviation) = crate::evaluate::mean_and_deviation(&[1.0, -1.0, 0.0]);
        let (found, error) = agreement(&plain, |_| 1.0);
        assert!((found - mean).abs() + (error - deviation / 3.0_f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn a_range_reaches_as_far_as_both_its_ends_also_where_they_meet() {
        let interval = |value: f64, low: f64, high: f64| Interval { value, low, high, level: 0.95 };
        let (one, two) = (interval(0.6, 0.3, 0.6), interval(0.6, 0.6, 0.9));
        for range in [Range::sorted(one, two), Range::sorted(two, one)] {
            assert_eq!((range.low_end.low, range.high_end.high), (0.3, 0.9));
        }
        let apart = Range::sorted(interval(0.8, 0.7, 0.9), interval(0.4, 0.3, 0.5));
        assert_eq!((apart.low_end, apart.high_end), (interval(0.4, 0.3, 0.5), interval(0.8, 0.7, 0.9)));
    }

    /// Forced choices of labellers who err in a share of mixed pairs and toss coins on equals, and a good classifier.
    fn judged(error: f64, at_most: f64) -> MetricRanges {
        let mut rng = epoch_stream(9, Purpose::Comparisons, 0);
        let labels: Vec<bool> = (0..400).map(|at| at % 2 == 0).collect();
        let draw = |_| {
            let one = below(&mut rng, labels.len());
            let two = (one + 1 + below(&mut rng, labels.len() - 1)) % labels.len();
            let first = if labels[one] == labels[two] { 0.5 } else { 1.0 - error };
            let (one, two) = if labels[one] { (one, two) } else { (two, one) };
            let (one, two) = (one as u32, two as u32);
            if chance(&mut rng, first) { (one, two) } else { (two, one) }
        };
        let comparisons: Comparisons = (0..2000).map(draw).collect();
        let score = |item: u32| {
            let noise = f32::from(u8::from(item % 10 < 2));
            if labels[item as usize] == (noise == 0.0) {
                1.0 + item as f32 * 1e-3
            } else {
                -1.0 - item as f32 * 1e-3
            }
        };
        let [likelier, other]: [Vec<f32>; 2] = [0, 1]
            .map(|side| comparisons.iter().map(|(a, b)| score(if side == 0 { a } else { b })).collect());
        let held_out = HeldOut::pairs(&likelier, &other).unwrap().of(&comparisons).unwrap();
        let assumptions =
            Assumptions::of_protocol(Protocol::FORCED_CHOICE, Prior::new(0.5).unwrap()).unwrap();
        ranges(&held_out, &assumptions, Collection::ForcedChoice, at_most, &MetricOptions::default())
            .unwrap()
    }

    #[test]
    fn more_errors_than_are_said_to_be_possible_are_seen_and_then_items_that_recur_narrow_nothing() {
        let fine = judged(0.1, 0.2);
        assert!(!fine.more_errors && fine.recurring_items > 300, "{fine:?}");
        let worse = judged(0.4, 0.2);
        assert!(worse.more_errors && worse.recurring_items == 0, "{worse:?}");
        // With the right bound nothing is contradicted.
        assert!(!judged(0.4, 0.45).more_errors);
    }
}
