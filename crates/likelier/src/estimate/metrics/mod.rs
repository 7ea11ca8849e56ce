//! How good a classifier is, from held-out comparisons alone.
//!
//! With A₊ and A₋ the shares of the two piles called positive,
//!
//! TPR = (A₊(1−θ₋) − A₋(1−θ₊))/Δ and FPR = (A₋θ₊ − A₊θ₋)/Δ,
//!
//! which is Lemma 1 applied to "called positive". Accuracy and balanced accuracy are affine in these,
//! precision and F1 ratios; see [`Assumptions`] for their intervals, [`auc`](Metrics::auc) and [`roc`](fn@roc)
//! for all thresholds at once, [`risk`](fn@risk) for any loss.
//!
//! Estimates are unbiased and *not* clipped: at a skewed prior the contrast Δ is small, and an accuracy of
//! 1.03 ± 0.08 is an honest answer. Use [`Interval::clipped`](crate::estimate::Interval::clipped) for
//! display.

mod asked_again;
mod assumptions;
mod auc;
mod auc_range;
mod bracket;
mod difference;
mod difference_range;
mod ends;
mod held_out;
mod note;
mod ranges;
mod risk;
mod roc;
mod same_item;
mod spread;
mod wish;

use serde::Serialize;

pub use assumptions::Assumptions;
pub use difference::{CutScores, MetricDifference};
pub use difference_range::DifferenceRanges;
pub use held_out::HeldOut;
pub use note::Note;
#[cfg(feature = "engine")]
pub(crate) use ranges::check_error;
pub use ranges::{MetricRanges, Range, ranges};
#[doc(hidden)]
pub use risk::{RiskEstimate, risk};
pub use roc::{RocPoint, roc};
pub use wish::{ThresholdChoice, Wish};

pub(super) use assumptions::Affine;
pub(super) use ranges::{Expected, FEWEST_AGAIN};
pub(super) use spread::Spread;
#[cfg(feature = "engine")]
pub(crate) use wish::{pick, thresholds, together};

use super::Interval;
use super::distribution::Confidence;
use crate::error::Error;
use crate::prior::Prior;
use crate::protocol::Mixture;
use spread::PileMeans;

/// How to judge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MetricOptions {
    /// A score above this is called positive.
    pub threshold: f32,
    /// How often an interval should hold the truth.
    pub level: f64,
    /// Whether the comparisons were generated with exact class counts: then they vary less than
    /// independent ones, and intervals hold the truth more often than their level says.
    pub exact_counts: bool,
    /// How much wider intervals are than the standard errors of fixed scores say: 1 for the scores of one model by
    /// many items.
    pub stretch: f64,
}

impl Default for MetricOptions {
    fn default() -> Self {
        Self { threshold: 0.0, level: 0.95, exact_counts: false, stretch: 1.0 }
    }
}

impl MetricOptions {
    fn confidence(&self) -> Result<Confidence, Error> {
        let plain = Confidence::new(self.level)?;
        Ok(Confidence { errors: self.stretch * plain.errors, ..plain })
    }
}

/// A quality of a classifier at its threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// The share of right calls in the population.
    Accuracy,
    /// The mean of the shares of right calls in the two classes.
    BalancedAccuracy,
    /// The share of positives called positive: recall.
    TruePositiveRate,
    /// The share of negatives called positive.
    FalsePositiveRate,
    /// The share of positives among what is called positive.
    Precision,
    /// The harmonic mean of precision and recall.
    F1,
    /// The share of the population called positive.
    CalledPositive,
}

impl Metric {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Accuracy,
        Self::BalancedAccuracy,
        Self::TruePositiveRate,
        Self::FalsePositiveRate,
        Self::Precision,
        Self::F1,
        Self::CalledPositive,
    ];

    /// The metric as a ratio of functions that are affine in A₊ and A₋.
    pub(super) fn parts(self, mixture: &Mixture, prior: Prior) -> [Affine; 2] {
        let [positive, negative] = mixture.inverse().map(Affine::linear);
        let called = Affine::linear(mixture.population_weights(prior));
        let one = Affine { constant: 1.0, weights: [0.0; 2] };
        match self {
            Self::Accuracy => {
                let right = positive.times(prior.positive()).less(prior.negative(), &negative);
                [right.plus(prior.negative()), one]
            }
            Self::BalancedAccuracy => [positive.less(1.0, &negative).times(0.5).plus(0.5), one],
            Self::TruePositiveRate => [positive, one],
            Self::FalsePositiveRate => [negative, one],
            Self::Precision => [positive.times(prior.positive()), called],
            Self::F1 => [positive.times(2.0 * prior.positive()), called.plus(prior.positive())],
            Self::CalledPositive => [called, one],
        }
    }

    /// The metric from the shares of positives and negatives called positive.
    fn value(self, [t, f]: [f64; 2], prior: Prior) -> f64 {
        let (p, q) = (prior.positive(), prior.negative());
        let called = p * t + q * f;
        match self {
            Self::Accuracy => p * t + q * (1.0 - f),
            Self::BalancedAccuracy => 0.5 * (1.0 + t - f),
            Self::TruePositiveRate => t,
            Self::FalsePositiveRate => f,
            // Nothing called positive: as good as any random call would be.
            Self::Precision => {
                if called > 0.0 {
                    p * t / called
                } else {
                    p
                }
            }
            Self::F1 => 2.0 * p * t / (p + called),
            Self::CalledPositive => called,
        }
    }

    /// Whether [`Metric::parts`] divides by something that varies.
    fn is_ratio(self) -> bool {
        matches!(self, Self::Precision | Self::F1)
    }
}

/// A classifier judged without labels: every field an estimate with its interval, none clipped.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Metrics {
    /// The number of scores in the likelier and in the other pile.
    pub sizes: [usize; 2],
    /// A score above this was called positive.
    pub threshold: f32,
    /// The shares A₊ and A₋ of the two piles called positive.
    pub pile_shares: [f64; 2],
    /// The share of right calls in the population.
    pub accuracy: Interval,
    /// The mean of the shares of right calls in the two classes.
    pub balanced_accuracy: Interval,
    /// The share of positives called positive: also called recall.
    pub true_positive_rate: Interval,
    /// The share of negatives called positive.
    pub false_positive_rate: Interval,
    /// The share of positives among what is called positive; none when it cannot be told that anything is.
    pub precision: Option<Interval>,
    /// The harmonic mean of precision and recall; none when it cannot be told.
    pub f1: Option<Interval>,
    /// The share of the population called positive: to be compared with the prior.
    pub called_positive: Interval,
    /// The probability that a random positive scores higher than a random negative; ties count ½.
    pub auc: Interval,
    /// Whether intervals allow for items that occur in several comparisons.
    pub items_repeat: bool,
    /// Whether intervals are wider than they need to be, as after exact-count generation.
    pub conservative: bool,
    /// What stands in the way of taking the numbers at face value.
    pub notes: Vec<Note>,
}

impl Metrics {
    /// One of the metrics at the threshold.
    pub fn of(&self, metric: Metric) -> Option<Interval> {
        match metric {
            Metric::Accuracy => Some(self.accuracy),
            Metric::BalancedAccuracy => Some(self.balanced_accuracy),
            Metric::TruePositiveRate => Some(self.true_positive_rate),
            Metric::FalsePositiveRate => Some(self.false_positive_rate),
            Metric::Precision => self.precision,
            Metric::F1 => self.f1,
            Metric::CalledPositive => Some(self.called_positive),
        }
    }
}

/// Judges a classifier on held-out comparisons.
///
/// ```
/// use likelier::estimate::metrics::{Assumptions, HeldOut, MetricOptions, metrics};
/// use likelier::{Prior, Protocol};
///
/// // 40 comparisons; in 30 the likelier item was called positive and the other one was not.
/// let likelier: Vec<f32> = (0..40).map(|i| if i < 32 { 1.0 } else { -1.0 }).collect();
/// let other: Vec<f32> = (0..40).map(|i| if i < 2 || i > 37 { 1.0 } else { -1.0 }).collect();
/// let held_out = HeldOut::pairs(&likelier, &other)?;
/// let assumptions = Assumptions::of_protocol(Protocol::FORCED_CHOICE, Prior::new(0.5)?)?;
/// let found = metrics(&held_out, &assumptions, &MetricOptions::default())?;
/// // ½ + (0.8 − 0.1)/2Δ = 1.2 with Δ = ½: unclipped, and the interval tells how little 40 say.
/// assert!((found.accuracy.value - 1.2).abs() < 1e-12);
/// assert!(found.accuracy.width() > 0.3);
/// assert_eq!(found.accuracy.clipped(0.0, 1.0).value, 1.0);
/// # Ok::<(), likelier::Error>(())
/// ```
pub fn metrics(
    held_out: &HeldOut<'_>,
    assumptions: &Assumptions,
    judging: &MetricOptions,
) -> Result<Metrics, Error> {
    let called = |_, _, score: f32| f64::from(u8::from(score > judging.threshold));
    let shares = Spread::of(held_out, called);
    let confidence = judging.confidence()?;
    let affine = |metric| at_threshold(metric, &shares, assumptions, confidence);
    let ratio = |metric| ratio_at_threshold(metric, &shares, assumptions, confidence);
    let precision = ratio(Metric::Precision);
    Ok(Metrics {
        sizes: held_out.sizes(),
        threshold: judging.threshold,
        pile_shares: shares.means,
        accuracy: affine(Metric::Accuracy),
        balanced_accuracy: affine(Metric::BalancedAccuracy),
        true_positive_rate: affine(Metric::TruePositiveRate),
        false_positive_rate: affine(Metric::FalsePositiveRate),
        precision,
        f1: ratio(Metric::F1),
        called_positive: affine(Metric::CalledPositive),
        auc: auc::auc(held_out, assumptions, confidence),
        items_repeat: held_out.items_repeat(),
        conservative: judging.exact_counts,
        notes: note::notes(held_out, judging, precision.is_some()),
    })
}

/// A metric that is affine in the shares called positive.
pub(super) fn at_threshold(
    metric: Metric,
    shares: &PileMeans,
    assumptions: &Assumptions,
    confidence: Confidence,
) -> Interval {
    debug_assert!(!metric.is_ratio());
    assumptions.affine(
        shares,
        &shares.smoothed(),
        |mixture, prior| metric.parts(mixture, prior)[0],
        confidence,
    )
}

/// A metric that is a ratio.
pub(super) fn ratio_at_threshold(
    metric: Metric,
    shares: &PileMeans,
    assumptions: &Assumptions,
    confidence: Confidence,
) -> Option<Interval> {
    assumptions.ratio(shares, &shares.smoothed(), |mixture, prior| metric.parts(mixture, prior), confidence)
}
