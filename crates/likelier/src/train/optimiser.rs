//! Adam and its kin, step for step as PyTorch takes them.

use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::numerics::parallel::for_pieces_of_three;
use crate::numerics::simd::fast;

/// A way to follow a gradient.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OptimiserKind {
    /// Adam with weight decay as an L2 term of the gradient: PyTorch's `Adam`, and the paper's choice.
    #[default]
    Adam,
    /// Adam with weight decay apart from the gradient: PyTorch's `AdamW`.
    AdamW,
    /// Gradient descent with momentum, weight decay as an L2 term: PyTorch's `SGD`.
    Sgd {
        /// The share of the last step that is taken again.
        momentum: f64,
    },
}

/// An optimiser at work. Adam has β = (0.9, 0.999) and ε = 1e-8.
#[derive(Clone, Debug, PartialEq)]
pub struct Optimiser {
    kind: OptimiserKind,
    learning_rate: f64,
    weight_decay: f64,
    steps: u32,
    /// Moving averages of the gradient and of its square. Plain descent uses only the first.
    mean: Vec<f32>,
    square: Vec<f32>,
}

const BETA_MEAN: f64 = 0.9;
const BETA_SQUARE: f64 = 0.999;
const EPSILON: f32 = 1e-8;
/// Parameters that one piece of work takes.
const PIECE: usize = 16_384;

impl Optimiser {
    /// A fresh state for so many parameters.
    pub fn new(kind: OptimiserKind, parameters: usize, learning_rate: f64, weight_decay: f64) -> Self {
        let zeros = vec![0.0; parameters];
        Self { kind, learning_rate, weight_decay, steps: 0, mean: zeros.clone(), square: zeros }
    }

    /// One step along the gradient. Says whether every parameter is still a finite number.
    pub fn step(&mut self, parameters: &mut [f32], gradient: &[f32]) -> bool {
        self.steps = self.steps.saturating_add(1);
        match self.kind {
            OptimiserKind::Adam => self.adam_step(parameters, gradient, self.weight_decay as f32, 1.0),
            OptimiserKind::AdamW => {
                let shrink = (1.0 - self.learning_rate * self.weight_decay) as f32;
                self.adam_step(parameters, gradient, 0.0, shrink)
            }
            OptimiserKind::Sgd { momentum } => self.plain_step(parameters, gradient, momentum as f32),
        }
    }

    fn adam_step(&mut self, parameters: &mut [f32], gradient: &[f32], decay: f32, shrink: f32) -> bool {
        let mean_correction = 1.0 - power(BETA_MEAN, self.steps);
        let square_correction = (1.0 / (1.0 - power(BETA_SQUARE, self.steps)).sqrt()) as f32;
        let step_size = (self.learning_rate / mean_correction) as f32;
        let (take_mean, keep_square) = ((1.0 - BETA_MEAN) as f32, BETA_SQUARE as f32);
        let take_square = (1.0 - BETA_SQUARE) as f32;
        let moments = (&mut self.mean[..], &mut self.square[..]);
        let finite = AtomicBool::new(true);
        for_pieces_of_three(parameters, moments, PIECE, |at, parameters, means, squares| {
            let gradient = &gradient[at * PIECE..at * PIECE + parameters.len()];
            fast(|| {
                let moments = means.iter_mut().zip(squares.iter_mut());
                for ((parameter, gradient), (mean, square)) in
                    parameters.iter_mut().zip(gradient).zip(moments)
                {
                    let kept = *parameter * shrink;
                    let gradient = without_tiny(gradient + decay * kept, TINY);
                    *mean = without_tiny(*mean + (gradient - *mean) * take_mean, TINY);
                    *square = without_tiny(
                        *square * keep_square + take_square * gradient * gradient,
                        TINY_SQUARE,
                    );
                    let moved = kept - step_size * *mean / (square.sqrt() * square_correction + EPSILON);
                    *parameter = without_tiny(moved, if *mean == 0.0 { LEFT_BEHIND } else { 0.0 });
                }
            });
            look_for_faults(parameters, &finite);
        });
        finite.into_inner()
    }

    fn plain_step(&mut self, parameters: &mut [f32], gradient: &[f32], momentum: f32) -> bool {
        let (rate, decay, first) = (self.learning_rate as f32, self.weight_decay as f32, self.steps == 1);
        let moments = (&mut self.mean[..], &mut self.square[..]);
        let finite = AtomicBool::new(true);
        for_pieces_of_three(parameters, moments, PIECE, |at, parameters, means, _| {
            let gradient = &gradient[at * PIECE..at * PIECE + parameters.len()];
            fast(|| {
                for ((parameter, gradient), mean) in parameters.iter_mut().zip(gradient).zip(means) {
                    let gradient = gradient + decay * *parameter;
                    *mean = if first { gradient } else { momentum * *mean + gradient };
                    *parameter -= rate * *mean;
                }
            });
            look_for_faults(parameters, &finite);
        });
        finite.into_inner()
    }

    /// What a checkpoint keeps: the number of steps and the two moving averages.
    pub(super) fn state(&self) -> (u32, [&[f32]; 2]) {
        (self.steps, [&self.mean, &self.square])
    }

    /// Puts a kept state back.
    pub(super) fn restore(&mut self, steps: u32, moments: [Vec<f32>; 2]) -> Result<(), Error> {
        let [mean, square] = moments;
        if mean.len() != self.mean.len() || square.len() != self.square.len() {
            return Err(Error::mismatch(
                "moments of a checkpoint",
                mean.len(),
                "parameters",
                self.mean.len(),
            ));
        }
        (self.steps, self.mean, self.square) = (steps, mean, square);
        Ok(())
    }
}

/// Gradients below it are taken for 0: they move a parameter by less than 10⁻⁹ of the learning rate, but
/// their squares would leave the range of normal numbers, where arithmetic is a hundred times slower. That
/// happens to weights of features that no row has, which decay alone moves.
const TINY: f32 = 1e-17;
/// The same for averages of their squares.
const TINY_SQUARE: f32 = 1e-36;
/// A parameter below it that no gradient moves any more has been decayed away (weight decay 0.01 or more) and
/// becomes 0. Left where it stands, its products with others like it in the next layers would again leave the
/// normal range. Weaker decay leaves larger parameters behind, and those do no harm.
const LEFT_BEHIND: f32 = 1e-15;

/// Notes where a parameter is no finite number. Without an early end, so that it runs on wide vectors: the usual answer
/// is that all are. The piece is still in the cache.
fn look_for_faults(parameters: &[f32], finite: &AtomicBool) {
    if !fast(|| parameters.iter().fold(true, |all, value| all & value.is_finite())) {
        finite.store(false, Ordering::Relaxed);
    }
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "only inlined code is compiled for the wider vectors")]
fn without_tiny(value: f32, tiny: f32) -> f32 {
    if value.abs() < tiny { 0.0 } else { value }
}

/// base^exponent by squaring: the same bits everywhere, which `powi` does not promise.
fn power(mut base: f64, mut exponent: u32) -> f64 {
    let mut result = 1.0;
    while exponent > 0 {
        if exponent % 2 == 1 {
            result *= base;
        }
        base *= base;
        exponent /= 2;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_step_has_the_learning_rates_size_whatever_the_gradient() {
        for gradient in [1e-3_f32, 1.0, 250.0] {
            let mut parameters = [1.0_f32];
            Optimiser::new(OptimiserKind::Adam, 1, 0.01, 0.0).step(&mut parameters, &[gradient]);
            assert!((parameters[0] - 0.99).abs() < 1e-5, "{parameters:?}");
        }
    }

    #[test]
    fn coupled_decay_is_a_gradient_and_decoupled_decay_a_shrinking() {
        let mut coupled = [2.0_f32];
        Optimiser::new(OptimiserKind::Adam, 1, 0.1, 0.5).step(&mut coupled, &[0.0]);
        assert!((coupled[0] - 1.9).abs() < 1e-6, "{coupled:?}");
        let mut decoupled = [2.0_f32];
        Optimiser::new(OptimiserKind::AdamW, 1, 0.1, 0.5).step(&mut decoupled, &[0.0]);
        assert!((decoupled[0] - 1.9).abs() < 1e-6, "{decoupled:?}");
        let mut far = [20.0_f32];
        Optimiser::new(OptimiserKind::AdamW, 1, 0.1, 0.5).step(&mut far, &[0.0]);
        assert!((far[0] - 19.0).abs() < 1e-5, "shrinks with the weight: {far:?}");
    }

    #[test]
    fn what_decay_alone_moves_ends_at_zero_and_what_a_gradient_moves_does_not() {
        for kind in [OptimiserKind::Adam, OptimiserKind::AdamW] {
            // The first has no gradient of its own, the second one that holds it near zero.
            let mut parameters = [0.5_f32, 1e-3];
            let mut optimiser = Optimiser::new(kind, 2, 1e-3, 20.0);
            let mut zeros = 0;
            for _ in 0..20_000 {
                let pull = parameters[1].signum();
                optimiser.step(&mut parameters, &[0.0, pull]);
                zeros += usize::from(parameters[1] == 0.0);
            }
            assert_eq!((parameters[0], zeros), (0.0, 0), "{kind:?}");
        }
    }

    #[test]
    fn epsilon_stands_beside_the_corrected_root() {
        // A gradient of the size of ε: the step is the learning rate times g/(g + ε).
        let mut parameters = [0.0_f32];
        Optimiser::new(OptimiserKind::Adam, 1, 0.01, 0.0).step(&mut parameters, &[1e-8]);
        assert!((parameters[0] + 0.005).abs() < 1e-5, "{parameters:?}");
    }

    #[test]
    fn a_parameter_that_is_no_number_is_seen_in_any_piece() {
        for kind in [OptimiserKind::Adam, OptimiserKind::AdamW, OptimiserKind::Sgd { momentum: 0.9 }] {
            for bad in [None, Some(0), Some(PIECE), Some(3 * PIECE + 4)] {
                let mut gradient = vec![0.5; 3 * PIECE + 5];
                if let Some(bad) = bad {
                    gradient[bad] = f32::NAN;
                }
                let mut parameters = vec![1.0; gradient.len()];
                let finite =
                    Optimiser::new(kind, gradient.len(), 1e-3, 0.0).step(&mut parameters, &gradient);
                assert_eq!(finite, bad.is_none(), "{kind:?}, {bad:?}");
            }
        }
    }

    #[test]
    fn a_quadratic_is_minimised() {
        let (mut parameters, goal) = ([3.0_f32, -2.0], [1.0_f32, 4.0]);
        let mut adam = Optimiser::new(OptimiserKind::Adam, 2, 0.05, 0.0);
        for _ in 0..2000 {
            let gradient = [parameters[0] - goal[0], parameters[1] - goal[1]];
            adam.step(&mut parameters, &gradient);
        }
        assert!((parameters[0] - 1.0).abs() < 1e-3 && (parameters[1] - 4.0).abs() < 1e-3);
    }
}
