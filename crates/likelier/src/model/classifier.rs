//! A trained classifier: a different type from a model being trained.

use super::{Linear, Scaling};
use crate::data::{Label, Rows};
use crate::error::Error;
use crate::risk::{Method, Setting};

/// A trained model with everything needed to use it, and every choice that made it.
#[derive(Clone, Debug, PartialEq)]
pub struct Classifier {
    pub(crate) model: Linear,
    pub(crate) scaling: Scaling,
    pub(crate) threshold: f32,
    pub(crate) method: Method,
    pub(crate) setting: Setting,
}

impl Classifier {
    /// Scores of the rows `which`; a row is positive when its score is above the [threshold].
    ///
    /// [threshold]: Classifier::threshold
    pub fn scores(&self, rows: &Rows, which: &[u32]) -> Result<Vec<f32>, Error> {
        let (weights, _) = self.model.parts();
        if rows.width() != weights.len() {
            return Err(Error::Mismatch {
                left: "features of the model",
                left_count: weights.len(),
                right: "features of the rows",
                right_count: rows.width(),
            });
        }
        let mut row = vec![0.0; rows.width()];
        let mut scores = vec![0.0; which.len()];
        for (&at, score) in which.iter().zip(&mut scores) {
            self.scaling.gather(rows, &[at], &mut row);
            self.model.score(&row, std::slice::from_mut(score));
        }
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

    /// The linear model.
    pub fn model(&self) -> &Linear {
        &self.model
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
