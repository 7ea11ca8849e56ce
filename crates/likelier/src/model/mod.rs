//! Models: from features to a score.

mod classifier;
mod linear;
mod scaling;

pub use classifier::Classifier;
pub use linear::Linear;
pub use scaling::{Scaling, ScalingKind};

/// A model being trained.
///
/// Its parameters are one flat slice, so that the optimiser, the teacher and gradient checks work for
/// every model alike. Inputs are rows of `width()` numbers, one after the other.
pub trait Model {
    /// The number of features of a row.
    fn width(&self) -> usize;

    /// All parameters.
    fn parameters(&self) -> &[f32];

    /// All parameters, to change.
    fn parameters_mut(&mut self) -> &mut [f32];

    /// The score of each row of `inputs`.
    fn forward(&mut self, inputs: &[f32], scores: &mut [f32]);

    /// The derivative by each parameter, from the derivative by each score of the last forward pass.
    fn backward(&mut self, inputs: &[f32], score_gradients: &[f32], gradient: &mut [f32]);
}
