//! Models: from features to a score.

mod architecture;
mod classifier;
mod classifiers;
mod file;
mod kind;
mod linear;
mod mlp;
#[cfg(feature = "onnx")]
mod onnx;
mod resnet;
mod scaling;
mod tensors;

pub use architecture::Architecture;
pub use classifier::{Classifier, ProbabilityMap, TrainingSummary};
pub use classifiers::{Classifiers, class_probabilities, most_likely};
pub use file::{ModelFault, ModelFile};
pub use kind::ModelKind;
#[doc(hidden)]
pub use kind::square_image;
#[doc(hidden)]
pub use linear::Linear;
pub use mlp::{Mlp, MlpNorm};
pub use resnet::ResNet;
#[doc(hidden)]
pub use scaling::{Scaling, ScalingKind};

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::data::Rows;
use crate::error::Error;
use crate::nn::{Mode, Network};
use crate::numerics::parallel::{alone, share, threads};
use scaling::gather;

/// Everything a model learns.
///
/// Parameters are one flat slice, so that the optimiser, the teacher, checkpoints and gradient checks
/// work for every model alike. Buffers are the running statistics of batch normalisation: they are not
/// learned by gradient.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// What the gradient changes.
    pub parameters: Vec<f32>,
    /// What passing batches through changes.
    pub buffers: Vec<f32>,
}

/// Some of the rows of a matrix, and how they are scaled.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Stored<'a> {
    /// The matrix.
    pub rows: &'a Rows<'a>,
    /// What is done to its features.
    pub scaling: &'a Scaling,
    /// Which rows.
    pub which: &'a [u32],
    /// How the images in them are moved, if they are; for networks.
    pub moved: Option<Moved<'a>>,
}

/// Images that are moved while their rows are copied.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Moved<'a> {
    /// Channels, height and width.
    pub image: [usize; 3],
    /// For each row the pixels down and to the right.
    pub by: &'a [[i32; 2]],
}

impl<'a> Stored<'a> {
    /// Rows as they are.
    pub fn new(rows: &'a Rows<'a>, scaling: &'a Scaling, which: &'a [u32]) -> Self {
        Self { rows, scaling, which, moved: None }
    }

    /// Some of them.
    pub(crate) fn part(&self, range: Range<usize>) -> Self {
        let moved = self.moved.map(|moved| Moved { by: &moved.by[range.clone()], ..moved });
        Self { which: &self.which[range], moved, ..*self }
    }
}

/// A model's way from rows to scores and back. It holds work space; the weights are given.
#[doc(hidden)]
pub trait Model: Send {
    /// The scores of a batch as training sees them: batch statistics are used, and move the buffers.
    fn forward(
        &mut self,
        weights: &mut Weights,
        batch: &Stored<'_>,
        scores: &mut [f32],
    ) -> Result<(), Error>;

    /// The derivative by each parameter, from that by each score of the last [`Model::forward`], whose
    /// batch is given again.
    fn backward(
        &mut self,
        weights: &Weights,
        batch: &Stored<'_>,
        score_gradients: &[f32],
        gradient: &mut [f32],
    ) -> Result<(), Error>;

    /// The scores of any number of rows as users see them.
    fn score(&mut self, weights: &Weights, stored: &Stored<'_>, scores: &mut [f32]) -> Result<(), Error>;
}

/// A network as a model: rows are copied together, scaled and dense.
#[derive(Clone, Debug)]
#[doc(hidden)]
pub struct NetworkModel {
    network: Network,
    batch: Vec<f32>,
    /// For other threads to score with.
    copies: Vec<Self>,
}

impl From<Network> for NetworkModel {
    fn from(network: Network) -> Self {
        Self { network, batch: Vec::new(), copies: Vec::new() }
    }
}

impl NetworkModel {
    /// The scores of as many rows as there is work space for.
    fn score_chunk(
        &mut self,
        weights: &Weights,
        stored: &Stored<'_>,
        scores: &mut [f32],
    ) -> Result<(), Error> {
        gather(stored, &mut self.batch);
        let mode = Mode::Inference(&weights.buffers);
        self.network.forward(&weights.parameters, mode, &self.batch, scores)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Model for NetworkModel {
    fn forward(
        &mut self,
        weights: &mut Weights,
        batch: &Stored<'_>,
        scores: &mut [f32],
    ) -> Result<(), Error> {
        gather(batch, &mut self.batch);
        let mode = Mode::Training(&mut weights.buffers);
        self.network.forward(&weights.parameters, mode, &self.batch, scores)
    }

    fn backward(
        &mut self,
        weights: &Weights,
        _: &Stored<'_>,
        score_gradients: &[f32],
        gradient: &mut [f32],
    ) -> Result<(), Error> {
        self.network
            .backward(&weights.parameters, &self.batch, score_gradients, gradient)
    }

    fn score(&mut self, weights: &Weights, stored: &Stored<'_>, scores: &mut [f32]) -> Result<(), Error> {
        let at_a_time = self.network.capacity();
        let mut chunks = stored.which.chunks(at_a_time).zip(scores.chunks_mut(at_a_time));
        if threads().min(chunks.len()) <= 1 || !self.network.is_small() {
            return chunks.try_for_each(|(which, scores)| {
                self.score_chunk(weights, &Stored { which, ..*stored }, scores)
            });
        }
        // Each thread takes whole chunks: their numbers stay in its cache from layer to layer, and nobody waits.
        let (spare, outcome) = (Mutex::new(std::mem::take(&mut self.copies)), Mutex::new(Ok(())));
        let this = &*self;
        share(chunks, |(which, scores)| {
            let mut model = locked(&spare).pop().unwrap_or_else(|| this.clone());
            let result = alone(|| model.score_chunk(weights, &Stored { which, ..*stored }, scores));
            if result.is_err() {
                *locked(&outcome) = result;
            }
            locked(&spare).push(model);
        });
        self.copies = spare.into_inner().unwrap_or_else(PoisonError::into_inner);
        outcome.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}
