//! MetricOptions predictions against true labels.

use serde::Serialize;

use crate::data::Label;
use crate::error::Error;
use crate::estimate::Interval;
use crate::estimate::distribution::{check_level, share_interval};

/// How often which class was predicted for which.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Confusion {
    /// Positives called positive.
    pub true_positives: usize,
    /// Negatives called positive.
    pub false_positives: usize,
    /// Negatives called negative.
    pub true_negatives: usize,
    /// Positives called negative.
    pub false_negatives: usize,
}

impl Confusion {
    /// Counts predictions against the truth.
    pub fn of(predicted: &[Label], truth: impl ExactSizeIterator<Item = Label>) -> Result<Self, Error> {
        if predicted.len() != truth.len() {
            return Err(Error::mismatch("predictions", predicted.len(), "labels", truth.len()));
        }
        if predicted.is_empty() {
            return Err(Error::Setting {
                name: "the number of labelled rows",
                value: "0".into(),
                allowed: "at least 1",
            });
        }
        let mut confusion = Self::default();
        for (predicted, truth) in predicted.iter().zip(truth) {
            let count = match (predicted, truth) {
                (Label::Positive, Label::Positive) => &mut confusion.true_positives,
                (Label::Positive, Label::Negative) => &mut confusion.false_positives,
                (Label::Negative, Label::Negative) => &mut confusion.true_negatives,
                (Label::Negative, Label::Positive) => &mut confusion.false_negatives,
            };
            *count += 1;
        }
        Ok(confusion)
    }

    /// The share of right predictions.
    pub fn accuracy(&self) -> f64 {
        let right = self.true_positives + self.true_negatives;
        let wrong = self.false_positives + self.false_negatives;
        right as f64 / (right + wrong) as f64
    }
}

/// A classifier judged with labels. Shares have Wilson's interval; what has no rows to be judged by is
/// absent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LabelledMetrics {
    /// The number of rows.
    pub rows: usize,
    /// A score above this was called positive.
    pub threshold: f32,
    /// Who was called what.
    pub confusion: Confusion,
    /// The share of positives.
    pub prior: Interval,
    /// The share of right calls.
    pub accuracy: Interval,
    /// The mean of the shares of right calls in the two classes.
    pub balanced_accuracy: Option<f64>,
    /// The share of positives called positive: also called recall.
    pub true_positive_rate: Option<Interval>,
    /// The share of negatives called positive.
    pub false_positive_rate: Option<Interval>,
    /// The share of positives among what is called positive.
    pub precision: Option<Interval>,
    /// The harmonic mean of precision and recall.
    pub f1: Option<f64>,
    /// The share called positive.
    pub called_positive: Interval,
    /// The probability that a random positive scores higher than a random negative; ties count ½.
    pub auc: Option<f64>,
}

impl LabelledMetrics {
    /// Judges scores by the labels of their rows; `level` is that of the intervals.
    pub fn new(scores: &[f32], labels: &[Label], threshold: f32, level: f64) -> Result<Self, Error> {
        check_level(level)?;
        let called: Vec<Label> =
            scores.iter().map(|score| Label::positive_if(*score > threshold)).collect();
        let confusion = Confusion::of(&called, labels.iter().copied())?;
        let Confusion {
            true_positives: tp,
            false_positives: fp,
            true_negatives: tn,
            false_negatives: fneg,
        } = confusion;
        let share = |hits: usize, of: usize| share_interval(hits, of, level);
        let some_share = |hits: usize, of: usize| (of > 0).then(|| share(hits, of));
        let rows = labels.len();
        let true_positive_rate = some_share(tp, tp + fneg);
        let false_positive_rate = some_share(fp, fp + tn);
        let balanced = |(tpr, fpr): (Interval, Interval)| 0.5 * (tpr.value + 1.0 - fpr.value);
        Ok(Self {
            rows,
            threshold,
            confusion,
            prior: share(tp + fneg, rows),
            accuracy: share(tp + tn, rows),
            balanced_accuracy: true_positive_rate.zip(false_positive_rate).map(balanced),
            true_positive_rate,
            false_positive_rate,
            precision: some_share(tp, tp + fp),
            f1: (tp + fp + fneg > 0).then(|| 2.0 * tp as f64 / (2 * tp + fp + fneg) as f64),
            called_positive: share(tp + fp, rows),
            auc: auc(scores, labels),
        })
    }
}

/// The area under the ROC curve; `None` when a class is missing.
fn auc(scores: &[f32], labels: &[Label]) -> Option<f64> {
    let mut sorted: Vec<(f32, bool)> = scores
        .iter()
        .zip(labels)
        .map(|(score, label)| (*score, label.is_positive()))
        .collect();
    sorted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let (mut won, mut positives, mut negatives) = (0.0, 0.0, 0.0);
    for tied in sorted.chunk_by(|a, b| a.0 == b.0) {
        let positive = tied.iter().filter(|(_, positive)| *positive).count() as f64;
        let negative = tied.len() as f64 - positive;
        won += positive * (negatives + 0.5 * negative);
        positives += positive;
        negatives += negative;
    }
    (positives > 0.0 && negatives > 0.0).then(|| won / (positives * negatives))
}

/// The mean and the sample standard deviation of repeated results; the latter is 0 for fewer than two.
pub fn mean_and_deviation(results: &[f64]) -> (f64, f64) {
    let count = results.len() as f64;
    let mean = results.iter().sum::<f64>() / count;
    if results.len() < 2 {
        return (mean, 0.0);
    }
    let squares: f64 = results.iter().map(|result| (result - mean).powi(2)).sum();
    (mean, (squares / (count - 1.0)).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn predictions_are_counted_by_kind() {
        use Label::{Negative, Positive};
        let truth = [Positive, Positive, Negative, Negative, Negative];
        let confusion =
            Confusion::of(&[Positive, Negative, Positive, Negative, Negative], truth.into_iter()).unwrap();
        assert_eq!(
            confusion,
            Confusion { true_positives: 1, false_negatives: 1, false_positives: 1, true_negatives: 2 }
        );
        assert!((confusion.accuracy() - 0.6).abs() < 1e-12);
        assert!(Confusion::of(&[Positive], truth.into_iter()).is_err());
        assert!(Confusion::of(&[], [].into_iter()).is_err());
    }

    #[test]
    fn scores_are_judged_by_labels() {
        use Label::{Negative, Positive};
        let labels = [Positive, Negative, Positive, Negative, Negative];
        // Of six pairs of a positive and a negative, 0.5 wins three, -1 ties one and loses two.
        let judged = LabelledMetrics::new(&[0.5, -1.0, -1.0, 0.0, -0.5], &labels, -0.2, 0.95).unwrap();
        assert_eq!(judged.auc, Some(3.5 / 6.0));
        let Confusion { true_positives, false_positives, true_negatives, false_negatives } =
            judged.confusion;
        assert_eq!((true_positives, false_positives, true_negatives, false_negatives), (1, 1, 2, 1));
        assert_eq!((judged.accuracy.value, judged.f1), (0.6, Some(0.5)));
        let value = |interval: Option<Interval>| interval.unwrap().value;
        assert_eq!(value(judged.true_positive_rate), 0.5);
        assert_eq!(value(judged.false_positive_rate), 1.0 / 3.0);
        assert_eq!(value(judged.precision), 0.5);
        assert!((judged.balanced_accuracy.unwrap() - 7.0 / 12.0).abs() < 1e-12);
        assert_eq!((judged.prior.value, judged.called_positive.value), (0.4, 0.4));
        // Wilson's interval for 3 of 5, from tables.
        assert!(
            (judged.accuracy.low - 0.2307).abs() < 1e-4 && (judged.accuracy.high - 0.8824).abs() < 1e-4
        );
    }

    #[test]
    fn what_has_no_rows_to_be_judged_by_is_absent() {
        let judged = LabelledMetrics::new(&[-1.0, -2.0], &[Label::Negative; 2], 0.0, 0.95).unwrap();
        assert_eq!((judged.auc, judged.f1, judged.balanced_accuracy), (None, None, None));
        assert_eq!((judged.true_positive_rate, judged.precision), (None, None));
        assert_eq!(judged.accuracy.value, 1.0);
        assert!(LabelledMetrics::new(&[1.0], &[Label::Negative; 2], 0.0, 0.95).is_err());
    }

    #[test]
    fn the_deviation_is_the_samples() {
        let (mean, deviation) = mean_and_deviation(&[1.0, 2.0, 3.0, 6.0]);
        assert!((mean - 3.0).abs() < 1e-12);
        assert!((deviation - (14.0_f64 / 3.0).sqrt()).abs() < 1e-12);
        assert_eq!(mean_and_deviation(&[0.5]), (0.5, 0.0));
    }
}
