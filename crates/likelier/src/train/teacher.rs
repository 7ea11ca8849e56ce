//! The mean teacher: Θ′_t = αΘ′_{t−1} + (1−α)Θ_t, a moving average of the model's weights.
//!
//! A teacher that takes part in training scores every batch, which moves its batch-norm statistics. One that
//! only predicts averages the model's statistics along with its weights, and costs no pass.

use crate::model::Weights;
use crate::numerics::parallel::for_pieces;
use crate::numerics::simd::fast;

/// Weights that one piece of work takes.
const PIECE: usize = 16_384;

/// The moving average.
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

    /// Takes in the model's parameters after a step, with α_t = min(1 − 1/(t+1), α): a plain average at
    /// first, so that the random start is soon forgotten. The buffers are left to its own passes.
    pub fn update(&mut self, parameters: &[f32]) {
        let keep = self.count();
        average(&mut self.weights.parameters, parameters, keep);
    }

    /// The same, averaging the buffers too: for a teacher that makes no pass of its own.
    pub fn update_all(&mut self, weights: &Weights) {
        let keep = self.count();
        average(&mut self.weights.parameters, &weights.parameters, keep);
        average(&mut self.weights.buffers, &weights.buffers, keep);
    }

    /// Counts a step, and says how much of itself the average keeps.
    fn count(&mut self) -> f32 {
        self.steps = self.steps.saturating_add(1);
        (1.0 - 1.0 / (f64::from(self.steps) + 1.0)).min(self.smoothing) as f32
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

fn average(own: &mut [f32], new: &[f32], keep: f32) {
    for_pieces(own, PIECE, |piece, own| {
        let new = &new[piece * PIECE..piece * PIECE + own.len()];
        fast(|| {
            for (own, new) in own.iter_mut().zip(new) {
                *own = keep * *own + (1.0 - keep) * new;
            }
        });
    });
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

    #[test]
    fn buffers_are_averaged_when_asked() {
        let weights = |value: f32| Weights { parameters: vec![value], buffers: vec![-value] };
        let mut teacher = Teacher::new(&weights(0.0), 0.97);
        teacher.update(&[1.0]);
        assert_eq!(teacher.weights, Weights { parameters: vec![0.5], buffers: vec![0.0] });
        teacher.update_all(&weights(3.5));
        let close = |value: f32, expected: f32| (value - expected).abs() < 1e-6;
        assert!(close(teacher.weights.parameters[0], 1.5), "{:?}", teacher.weights);
        assert!(close(teacher.weights.buffers[0], -3.5 / 3.0), "{:?}", teacher.weights);
    }
}
