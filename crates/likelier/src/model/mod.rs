//! Models: from features to a score.

mod architecture;
mod classifier;
mod file;
mod linear;
mod mlp;
mod onnx;
mod resnet;
mod scaling;
mod tensors;

pub use architecture::Architecture;
pub use classifier::{Classifier, ProbabilityMap, TrainingSummary};
pub use file::ModelFault;
pub use linear::Linear;
pub use mlp::{Mlp, MlpNorm};
pub use resnet::ResNet;
pub use scaling::{BatchRows, Scaling, ScalingKind};

use crate::data::{Rows, SparseRows};
use crate::error::Error;
use crate::nn::{Mode, Network};

/// Everything a model learns.
///
/// Parameters are one flat slice, so that the optimiser, the teacher, checkpoints and gradient checks
/// work for every model alike. Buffers are the running statistics of batch normalisation: they are not
/// learned by gradient.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// What the gradient changes.
    pub parameters: Vec<f32>,
    /// What passing batches through changes.
    pub buffers: Vec<f32>,
}

/// A batch of rows as a model sees it: scaled, dense or sparse.
#[derive(Clone, Copy, Debug)]
pub enum Inputs<'a> {
    /// Row after row.
    Dense(&'a [f32]),
    /// Only what is not zero.
    Sparse(&'a SparseRows),
}

/// Some of the rows of a matrix, and how they are scaled.
#[derive(Clone, Copy, Debug)]
pub struct Stored<'a> {
    /// The matrix.
    pub rows: &'a Rows,
    /// What is done to its features.
    pub scaling: &'a Scaling,
    /// Which rows.
    pub which: &'a [u32],
}

/// A model's way from rows to scores and back. It holds work space; the weights are given.
pub trait Model: Send {
    /// The scores of a batch as training sees them: batch statistics are used, and move the buffers.
    fn forward(
        &mut self,
        weights: &mut Weights,
        inputs: Inputs<'_>,
        scores: &mut [f32],
    ) -> Result<(), Error>;

    /// The derivative by each parameter, from that by each score of the last [`Model::forward`].
    fn backward(
        &mut self,
        weights: &Weights,
        inputs: Inputs<'_>,
        score_gradients: &[f32],
        gradient: &mut [f32],
    ) -> Result<(), Error>;

    /// The scores of a batch as users see them.
    fn score(&mut self, weights: &Weights, inputs: Inputs<'_>, scores: &mut [f32]) -> Result<(), Error>;

    /// The scores of rows as they are stored, scaled on the way.
    fn score_rows(
        &mut self,
        weights: &Weights,
        stored: &Stored<'_>,
        scores: &mut [f32],
    ) -> Result<(), Error>;

    /// Whether sparse batches are taken as they are.
    fn takes_sparse(&self) -> bool {
        false
    }
}

impl Model for Network {
    fn forward(
        &mut self,
        weights: &mut Weights,
        inputs: Inputs<'_>,
        scores: &mut [f32],
    ) -> Result<(), Error> {
        let mode = Mode::Training(&mut weights.buffers);
        Network::forward(self, &weights.parameters, mode, dense(inputs)?, scores)
    }

    fn backward(
        &mut self,
        weights: &Weights,
        inputs: Inputs<'_>,
        score_gradients: &[f32],
        gradient: &mut [f32],
    ) -> Result<(), Error> {
        Network::backward(self, &weights.parameters, dense(inputs)?, score_gradients, gradient)
    }

    fn score_rows(
        &mut self,
        weights: &Weights,
        stored: &Stored<'_>,
        scores: &mut [f32],
    ) -> Result<(), Error> {
        let mut batch = BatchRows::new(stored.rows, stored.scaling, false);
        let at_a_time = self.capacity();
        for (which, scores) in stored.which.chunks(at_a_time).zip(scores.chunks_mut(at_a_time)) {
            batch.gather(stored.rows, stored.scaling, which);
            self.score(weights, batch.inputs(), scores)?;
        }
        Ok(())
    }

    fn score(&mut self, weights: &Weights, inputs: Inputs<'_>, scores: &mut [f32]) -> Result<(), Error> {
        let mode = Mode::Inference(&weights.buffers);
        Network::forward(self, &weights.parameters, mode, dense(inputs)?, scores)
    }
}

fn dense(inputs: Inputs<'_>) -> Result<&[f32], Error> {
    match inputs {
        Inputs::Dense(values) => Ok(values),
        Inputs::Sparse(rows) => {
            Err(Error::mismatch("sparse rows", rows.len(), "dense rows that a network takes", 0))
        }
    }
}
