//! Adam, step for step as PyTorch takes it.

use serde::Serialize;

/// How weight decay enters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum WeightDecay {
    /// As an L2 term of the gradient (PyTorch's `Adam`, the paper's choice).
    #[default]
    Coupled,
    /// Apart from the gradient (PyTorch's `AdamW`).
    Decoupled,
}

/// The state of Adam with β = (0.9, 0.999) and ε = 1e-8.
#[derive(Clone, Debug)]
pub struct Adam {
    learning_rate: f64,
    weight_decay: f64,
    kind: WeightDecay,
    step: i32,
    mean: Vec<f32>,
    square: Vec<f32>,
}

const BETA_MEAN: f64 = 0.9;
const BETA_SQUARE: f64 = 0.999;
const EPSILON: f32 = 1e-8;

impl Adam {
    /// A fresh state for so many parameters.
    pub fn new(parameters: usize, learning_rate: f64, weight_decay: f64, kind: WeightDecay) -> Self {
        let zeros = vec![0.0; parameters];
        Self { learning_rate, weight_decay, kind, step: 0, mean: zeros.clone(), square: zeros }
    }

    /// One step along the gradient.
    pub fn step(&mut self, parameters: &mut [f32], gradient: &[f32]) {
        self.step = self.step.saturating_add(1);
        let mean_correction = 1.0 - BETA_MEAN.powi(self.step);
        let square_correction = (1.0 - BETA_SQUARE.powi(self.step)).sqrt() as f32;
        let step_size = (self.learning_rate / mean_correction) as f32;
        let (coupled, shrink) = match self.kind {
            WeightDecay::Coupled => (self.weight_decay as f32, 1.0),
            WeightDecay::Decoupled => (0.0, (1.0 - self.learning_rate * self.weight_decay) as f32),
        };
        let (take_mean, keep_square) = ((1.0 - BETA_MEAN) as f32, BETA_SQUARE as f32);
        let take_square = (1.0 - BETA_SQUARE) as f32;
        let moments = self.mean.iter_mut().zip(&mut self.square);
        for ((parameter, gradient), (mean, square)) in parameters.iter_mut().zip(gradient).zip(moments) {
            *parameter *= shrink;
            let gradient = gradient + coupled * *parameter;
            *mean += (gradient - *mean) * take_mean;
            *square = *square * keep_square + take_square * gradient * gradient;
            *parameter -= step_size * *mean / (square.sqrt() / square_correction + EPSILON);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_step_has_the_learning_rates_size_whatever_the_gradient() {
        for gradient in [1e-3_f32, 1.0, 250.0] {
            let mut parameters = [1.0_f32];
            Adam::new(1, 0.01, 0.0, WeightDecay::Coupled).step(&mut parameters, &[gradient]);
            assert!((parameters[0] - 0.99).abs() < 1e-5, "{parameters:?}");
        }
    }

    #[test]
    fn coupled_decay_is_a_gradient_and_decoupled_decay_a_shrinking() {
        let mut coupled = [2.0_f32];
        Adam::new(1, 0.1, 0.5, WeightDecay::Coupled).step(&mut coupled, &[0.0]);
        assert!((coupled[0] - 1.9).abs() < 1e-6, "{coupled:?}");
        let mut decoupled = [2.0_f32];
        Adam::new(1, 0.1, 0.5, WeightDecay::Decoupled).step(&mut decoupled, &[0.0]);
        assert!((decoupled[0] - 1.9).abs() < 1e-6, "{decoupled:?}");
        let mut far = [20.0_f32];
        Adam::new(1, 0.1, 0.5, WeightDecay::Decoupled).step(&mut far, &[0.0]);
        assert!((far[0] - 19.0).abs() < 1e-5, "shrinks with the weight: {far:?}");
    }

    #[test]
    fn a_quadratic_is_minimised() {
        let (mut parameters, goal) = ([3.0_f32, -2.0], [1.0_f32, 4.0]);
        let mut adam = Adam::new(2, 0.05, 0.0, WeightDecay::Coupled);
        for _ in 0..2000 {
            let gradient = [parameters[0] - goal[0], parameters[1] - goal[1]];
            adam.step(&mut parameters, &gradient);
        }
        assert!((parameters[0] - 1.0).abs() < 1e-3 && (parameters[1] - 4.0).abs() < 1e-3);
    }
}
