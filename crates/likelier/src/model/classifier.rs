//! A trained classifier: a different type from a model being trained.

use super::{Architecture, BatchRows, Model, Scaling, Weights};
use crate::data::{Label, Rows};
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
            return Err(Error::Mismatch {
                left: "features of the model",
                left_count: self.width,
                right: "features of the rows",
                right_count: rows.width(),
            });
        }
        let mut model = self.architecture.build(self.width, which.len().min(ROWS))?;
        let mut scores = vec![0.0; which.len()];
        score_rows(model.as_mut(), &self.weights, &self.scaling, rows, which, &mut scores)?;
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

/// Scores rows in batches that fit a model's work space.
pub(crate) fn score_rows(
    model: &mut dyn Model,
    weights: &Weights,
    scaling: &Scaling,
    rows: &Rows,
    which: &[u32],
    scores: &mut [f32],
) -> Result<(), Error> {
    let mut batch = BatchRows::new(rows, scaling, model.takes_sparse());
    let at_a_time = model.capacity().unwrap_or(ROWS);
    for (which, scores) in which.chunks(at_a_time).zip(scores.chunks_mut(at_a_time)) {
        batch.gather(rows, scaling, which);
        model.score(weights, batch.inputs(), scores)?;
    }
    Ok(())
}
