//! Judging predictions against true labels.

use crate::data::Label;
use crate::error::Error;

/// How often which class was predicted for which.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
    fn the_deviation_is_the_samples() {
        let (mean, deviation) = mean_and_deviation(&[1.0, 2.0, 3.0, 6.0]);
        assert!((mean - 3.0).abs() < 1e-12);
        assert!((deviation - (14.0_f64 / 3.0).sqrt()).abs() < 1e-12);
        assert_eq!(mean_and_deviation(&[0.5]), (0.5, 0.0));
    }
}
