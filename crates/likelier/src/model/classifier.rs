//! A trained classifier: a different type from a model being trained.

use super::{Architecture, Scaling, Stored, Weights};
use crate::data::{Label, Rows, check_items};
use crate::error::Error;
use crate::risk::{Method, Setting};

/// A trained model with everything needed to use it, and every choice that made it.
#[derive(Clone, Debug, PartialEq)]
pub struct Classifier {
    pub(crate) architecture: Architecture,
    pub(crate) weights: Weights,
    pub(crate) width: usize,
    pub(crate) scaling: Scaling,
    pub(crate) threshold: f32,
    pub(crate) method: Method,
    pub(crate) setting: Setting,
}

/// Rows scored at a time.
const ROWS: usize = 512;

impl Classifier {
    /// Scores of the rows `which`; a row is positive when its score is above the [threshold].
    ///
    /// [threshold]: Classifier::threshold
    pub fn scores(&self, rows: &Rows, which: &[u32]) -> Result<Vec<f32>, Error> {
        if rows.width() != self.width {
            return Err(Error::mismatch(
                "features of the model",
                self.width,
                "features of the rows",
                rows.width(),
            ));
        }
        check_items("the list of rows to score", which, rows.len())?;
        let mut model = self.architecture.build(self.width, which.len().min(ROWS))?;
        let mut scores = vec![0.0; which.len()];
        let stored = Stored { rows, scaling: &self.scaling, which };
        model.score_rows(&self.weights, &stored, &mut scores)?;
        Ok(scores)
    }

    /// The predicted class of the rows `which`.
    pub fn predict(&self, rows: &Rows, which: &[u32]) -> Result<Vec<Label>, Error> {
        let scores = self.scores(rows, which)?;
        Ok(scores.iter().map(|score| Label::positive_if(*score > self.threshold)).collect())
    }

    /// Where a score turns positive.
    pub fn threshold(&self) -> f32 {
        self.threshold
    }

    /// Which model.
    pub fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// What it learned.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// What is done to features first.
    pub fn scaling(&self) -> &Scaling {
        &self.scaling
    }

    /// How it was trained.
    pub fn method(&self) -> Method {
        self.method
    }

    /// The prior, the protocol and the rest that the method was given.
    pub fn setting(&self) -> &Setting {
        &self.setting
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ScalingKind;
    use crate::{Prior, Protocol};

    #[test]
    fn a_score_at_the_threshold_is_negative_and_one_above_it_positive() {
        let rows = Rows::from_numbers(vec![0.5, 0.75, 0.25], 1).unwrap();
        let classifier = Classifier {
            architecture: Architecture::Linear,
            weights: Weights { parameters: vec![1.0, 0.0], buffers: Vec::new() },
            width: 1,
            scaling: Scaling::fit(ScalingKind::None, &rows, &[]),
            threshold: 0.5,
            method: Method::PcompRelu,
            setting: Setting::new(Prior::new(0.5).unwrap(), Protocol::DISCARD),
        };
        let predicted = classifier.predict(&rows, &[0, 1, 2]).unwrap();
        assert_eq!(predicted, [Label::Negative, Label::Positive, Label::Negative]);
        assert!(matches!(classifier.scores(&rows, &[3]), Err(Error::NoSuchItem { index: 3, .. })));
    }
}
