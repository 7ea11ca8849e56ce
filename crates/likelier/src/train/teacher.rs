//! The mean teacher: Θ′_t = αΘ′_{t−1} + (1−α)Θ_t, a moving average of the model's weights.

/// The moving average.
#[derive(Clone, Debug)]
pub struct Teacher {
    parameters: Vec<f32>,
    step: u32,
    smoothing: f64,
}

impl Teacher {
    /// Starts at the model's initial weights.
    pub fn new(parameters: &[f32], smoothing: f64) -> Self {
        Self { parameters: parameters.to_vec(), step: 0, smoothing }
    }

    /// Takes in the model's weights after a step, with α_t = min(1 − 1/(t+1), α): a plain average at
    /// first, so that the random start is soon forgotten.
    pub fn update(&mut self, parameters: &[f32]) {
        self.step = self.step.saturating_add(1);
        let keep = (1.0 - 1.0 / (f64::from(self.step) + 1.0)).min(self.smoothing) as f32;
        for (own, new) in self.parameters.iter_mut().zip(parameters) {
            *own = keep * *own + (1.0 - keep) * new;
        }
    }

    /// Exchanges its weights with the model's: call it twice around a forward pass of the teacher.
    pub fn exchange(&mut self, parameters: &mut [f32]) {
        self.parameters.swap_with_slice(parameters);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_average_is_plain_at_first_and_moving_later() {
        let mut teacher = Teacher::new(&[0.0], 0.75);
        // α = 1/2, 2/3, 3/4, then held at 3/4.
        for (new, expected) in [(1.0, 0.5), (2.0, 1.0), (3.0, 1.5), (1.5, 1.5), (5.5, 2.5)] {
            teacher.update(&[new]);
            assert!((teacher.parameters[0] - expected).abs() < 1e-6, "{:?}", teacher.parameters);
        }
        let mut model = [9.0];
        teacher.exchange(&mut model);
        assert!((model[0] - 2.5).abs() < 1e-6 && (teacher.parameters[0] - 9.0).abs() < 1e-6);
    }
}
