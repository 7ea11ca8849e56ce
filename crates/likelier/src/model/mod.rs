//! Models: from features to a score.

mod architecture;
mod classifier;
mod linear;
mod mlp;
mod resnet;
mod scaling;

pub use architecture::Architecture;
pub use classifier::Classifier;
pub(crate) use classifier::score_rows;
pub use linear::Linear;
pub use mlp::{Mlp, MlpNorm};
pub use resnet::ResNet;
pub use scaling::{BatchRows, Scaling, ScalingKind};

use crate::data::SparseRows;
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

    /// The largest batch that the work space holds; any if absent.
    fn capacity(&self) -> Option<usize> {
        None
    }

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

    fn capacity(&self) -> Option<usize> {
        Some(Network::capacity(self))
    }

    fn score(&mut self, weights: &Weights, inputs: Inputs<'_>, scores: &mut [f32]) -> Result<(), Error> {
        let mode = Mode::Inference(&weights.buffers);
        Network::forward(self, &weights.parameters, mode, dense(inputs)?, scores)
    }
}

fn dense(inputs: Inputs<'_>) -> Result<&[f32], Error> {
    match inputs {
        Inputs::Dense(values) => Ok(values),
        Inputs::Sparse(rows) => Err(Error::Mismatch {
            left: "sparse rows",
            left_count: rows.len(),
            right: "dense rows that a network takes",
            right_count: 0,
        }),
    }
}
