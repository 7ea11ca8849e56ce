//! The mean teacher: Θ′_t = αΘ′_{t−1} + (1−α)Θ_t, a moving average of the model's weights.

use crate::model::Weights;
use crate::nn::parallel::for_pieces;
use crate::nn::simd::fast;

/// Weights that one piece of work takes.
const PIECE: usize = 16_384;

/// The moving average. Its batch-norm buffers are its own, moved by its own passes.
#[derive(Clone, Debug, PartialEq)]
pub struct Teacher {
    /// What it predicts with.
    pub weights: Weights,
    steps: u32,
    smoothing: f64,
}

impl Teacher {
    /// Starts at the model's initial weights.
    pub fn new(weights: &Weights, smoothing: f64) -> Self {
        Self { weights: weights.clone(), steps: 0, smoothing }
    }

    /// Takes in the model's weights after a step, with α_t = min(1 − 1/(t+1), α): a plain average at
    /// first, so that the random start is soon forgotten.
    pub fn update(&mut self, parameters: &[f32]) {
        self.steps = self.steps.saturating_add(1);
        let keep = (1.0 - 1.0 / (f64::from(self.steps) + 1.0)).min(self.smoothing) as f32;
        for_pieces(&mut self.weights.parameters, PIECE, |piece, own| {
            let new = &parameters[piece * PIECE..piece * PIECE + own.len()];
            fast(|| {
                for (own, new) in own.iter_mut().zip(new) {
                    *own = keep * *own + (1.0 - keep) * new;
                }
            });
        });
    }

    /// Steps taken.
    pub(super) fn steps(&self) -> u32 {
        self.steps
    }

    /// Puts a kept state back.
    pub(super) fn restore(&mut self, steps: u32, weights: Weights) {
        (self.steps, self.weights) = (steps, weights);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_average_is_plain_at_first_and_moving_later() {
        let start = Weights { parameters: vec![0.0], buffers: Vec::new() };
        let mut teacher = Teacher::new(&start, 0.75);
        // α = 1/2, 2/3, 3/4, then held at 3/4.
        for (new, expected) in [(1.0, 0.5), (2.0, 1.0), (3.0, 1.5), (1.5, 1.5), (5.5, 2.5)] {
            teacher.update(&[new]);
            assert!((teacher.weights.parameters[0] - expected).abs() < 1e-6, "{:?}", teacher.weights);
        }
    }
}
