//! f(x) = ⟨w, x⟩ + b: the model of the paper's Table 3.

use super::Model;
use crate::random::{Rng, unit};

/// A linear model. The last parameter is the bias.
#[derive(Clone, Debug, PartialEq)]
pub struct Linear {
    parameters: Vec<f32>,
}

impl Linear {
    /// PyTorch's default initialisation: everything uniform in ±1/√width.
    pub fn new(width: usize, rng: &mut impl Rng) -> Self {
        let bound = 1.0 / (width.max(1) as f64).sqrt();
        let parameters = (0..=width).map(|_| ((2.0 * unit(rng) - 1.0) * bound) as f32).collect();
        Self { parameters }
    }

    /// A model with given weights and bias.
    pub fn from_parts(mut weights: Vec<f32>, bias: f32) -> Self {
        weights.push(bias);
        Self { parameters: weights }
    }

    /// The weights and the bias.
    pub fn parts(&self) -> (&[f32], f32) {
        match self.parameters.split_last() {
            Some((bias, weights)) => (weights, *bias),
            None => (&[], 0.0),
        }
    }

    /// The score of each row of `inputs`.
    pub fn score(&self, inputs: &[f32], scores: &mut [f32]) {
        let (weights, bias) = self.parts();
        for (row, score) in inputs.chunks_exact(weights.len()).zip(scores) {
            *score = dot(weights, row) + bias;
        }
    }
}

impl Model for Linear {
    fn width(&self) -> usize {
        self.parameters.len() - 1
    }

    fn parameters(&self) -> &[f32] {
        &self.parameters
    }

    fn parameters_mut(&mut self) -> &mut [f32] {
        &mut self.parameters
    }

    fn forward(&mut self, inputs: &[f32], scores: &mut [f32]) {
        self.score(inputs, scores);
    }

    fn backward(&mut self, inputs: &[f32], score_gradients: &[f32], gradient: &mut [f32]) {
        gradient.fill(0.0);
        if let Some((of_bias, of_weights)) = gradient.split_last_mut() {
            for (row, &of_score) in inputs.chunks_exact(of_weights.len()).zip(score_gradients) {
                for (of_weight, &value) in of_weights.iter_mut().zip(row) {
                    *of_weight += of_score * value;
                }
            }
            *of_bias = score_gradients.iter().map(|&g| f64::from(g)).sum::<f64>() as f32;
        }
    }
}

/// ⟨a, b⟩ in sixteen interleaved sums, which the compiler turns into vector instructions; always in the
/// same order, so always the same bits.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    const LANES: usize = 16;
    let mut sums = [0.0_f32; LANES];
    let (a_chunks, b_chunks) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest: f32 = a_chunks.remainder().iter().zip(b_chunks.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in a_chunks.zip(b_chunks) {
        for lane in 0..LANES {
            sums[lane] += x[lane] * y[lane];
        }
    }
    sums.iter().sum::<f32>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};

    #[test]
    fn the_gradient_is_the_central_difference() {
        let mut rng = stream(1, Purpose::Weights);
        let width = 19;
        let mut model = Linear::new(width, &mut rng);
        let inputs: Vec<f32> = (0..4 * width).map(|_| unit(&mut rng) as f32 - 0.5).collect();
        let score_gradients = [0.3, -1.0, 0.25, 2.0];
        let mut gradient = vec![0.0; width + 1];
        model.backward(&inputs, &score_gradients, &mut gradient);
        let value = |model: &mut Linear| {
            let mut scores = [0.0; 4];
            model.forward(&inputs, &mut scores);
            scores.iter().zip(score_gradients).map(|(s, g)| f64::from(s * g)).sum::<f64>()
        };
        for at in 0..=width {
            let kept = model.parameters[at];
            // The score is linear in each parameter, so a large step is exact.
            model.parameters[at] = kept + 1.0;
            let high = value(&mut model);
            model.parameters[at] = kept - 1.0;
            let low = value(&mut model);
            model.parameters[at] = kept;
            assert!((f64::from(gradient[at]) - (high - low) / 2.0).abs() < 1e-5, "parameter {at}");
        }
    }

    #[test]
    fn scores_are_the_written_formula() {
        let model = Linear::from_parts((1..=20_u8).map(f32::from).collect(), 0.5);
        let inputs: Vec<f32> = (0..40_u8).map(f32::from).collect();
        let mut scores = [0.0; 2];
        model.score(&inputs, &mut scores);
        // Σ k(k−1) for k = 1..20, and 20·Σ k more for the second row.
        assert_eq!(scores, [2660.5, 2660.5 + 4200.0]);
    }

    #[test]
    fn initial_weights_fill_the_range_that_pytorch_uses() {
        let model = Linear::new(10_000, &mut stream(2, Purpose::Weights));
        let (weights, _) = model.parts();
        let (low, high) = weights.iter().fold((0.0_f32, 0.0_f32), |(l, h), w| (l.min(*w), h.max(*w)));
        assert!(low > -0.01 && low < -0.0099 && high < 0.01 && high > 0.0099, "{low} {high}");
    }
}
