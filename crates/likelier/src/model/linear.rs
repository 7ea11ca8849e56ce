//! f(x) = ⟨w, x⟩ + b: the model of the paper's Table 3, on dense and on sparse rows.

use std::ops::Range;

use super::{Inputs, Model, Stored, Weights};
use crate::data::SparseRows;
use crate::error::Error;
use crate::nn::parallel::share_pieces;
use crate::nn::simd::{wide, with_scratch};
use crate::random::{Rng, unit};

/// A linear model. Its parameters are the weights and then the bias.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Linear {
    width: usize,
}

/// Rows that one piece of work scores.
const ROWS: usize = 64;
/// Columns that one piece of work sums over.
const COLUMNS: usize = 128;

impl Linear {
    /// A linear model of rows of `width` features.
    pub fn new(width: usize) -> Self {
        Self { width }
    }

    /// PyTorch's default initialisation: everything uniform in ±1/√width.
    pub fn initial_parameters(width: usize, rng: &mut impl Rng) -> Vec<f32> {
        let bound = 1.0 / (width.max(1) as f64).sqrt();
        (0..=width).map(|_| ((2.0 * unit(rng) - 1.0) * bound) as f32).collect()
    }

    fn check(self, weights: &Weights, inputs: Inputs<'_>, rows: usize) -> Result<(), Error> {
        let (found, needed) = match inputs {
            Inputs::Dense(values) => (values.len(), rows * self.width),
            Inputs::Sparse(values) => (values.len(), rows),
        };
        if found != needed {
            return Err(Error::mismatch("inputs", found, "that the scores need", needed));
        }
        self.check_parameters(weights)
    }

    fn check_parameters(self, weights: &Weights) -> Result<(), Error> {
        let found = weights.parameters.len();
        if found == self.width + 1 {
            return Ok(());
        }
        Err(Error::mismatch("parameters of a linear model", found, "features and a bias", self.width + 1))
    }
}

impl Model for Linear {
    fn forward(
        &mut self,
        weights: &mut Weights,
        inputs: Inputs<'_>,
        scores: &mut [f32],
    ) -> Result<(), Error> {
        self.score(weights, inputs, scores)
    }

    fn score(&mut self, weights: &Weights, inputs: Inputs<'_>, scores: &mut [f32]) -> Result<(), Error> {
        self.check(weights, inputs, scores.len())?;
        let (weights, bias) = weights.parameters.split_at(self.width);
        match inputs {
            Inputs::Dense(values) => {
                // Shared where the rows together are long enough to be worth it.
                let piece = if values.len() < 1 << 16 { scores.len().max(1) } else { ROWS };
                share_pieces(scores, piece, |piece_at, scores| {
                    let first = piece_at * piece * self.width;
                    let values = &values[first..first + scores.len() * self.width];
                    score_dense(weights, bias[0], values, scores);
                });
            }
            Inputs::Sparse(rows) => {
                for (at, score) in scores.iter_mut().enumerate() {
                    *score = sparse_dot(weights, rows.row(at)) + bias[0];
                }
            }
        }
        Ok(())
    }

    fn backward(
        &mut self,
        weights: &Weights,
        inputs: Inputs<'_>,
        score_gradients: &[f32],
        gradient: &mut [f32],
    ) -> Result<(), Error> {
        self.check(weights, inputs, score_gradients.len())?;
        let (of_weights, of_bias) = gradient.split_at_mut(self.width);
        of_bias[0] = score_gradients.iter().map(|&g| f64::from(g)).sum::<f64>() as f32;
        match inputs {
            Inputs::Dense(values) => {
                let piece = if values.len() < 1 << 16 { self.width } else { COLUMNS };
                share_pieces(of_weights, piece, |at, of_weights| {
                    let columns = at * piece..at * piece + of_weights.len();
                    sum_rows(values, self.width, columns, score_gradients, of_weights);
                });
            }
            Inputs::Sparse(rows) => add_sparse(rows, score_gradients, of_weights),
        }
        Ok(())
    }

    /// Where features are at most multiplied, rows are scored as they are stored, with the factors taken
    /// into the weights; other rows are copied and scaled one at a time.
    fn score_rows(
        &mut self,
        weights: &Weights,
        stored: &Stored<'_>,
        scores: &mut [f32],
    ) -> Result<(), Error> {
        let &Stored { rows, scaling, which } = stored;
        self.check_parameters(weights)?;
        if rows.width() != self.width {
            let (model, features) = ("features of the model", "features of the rows");
            return Err(Error::mismatch(model, self.width, features, rows.width()));
        }
        let (weights, bias) = weights.parameters.split_at(self.width);
        let folded = scaling.fold(weights);
        share_pieces(scores, ROWS, |piece, scores| {
            with_scratch(self.width, |row| {
                for (at, score) in which[piece * ROWS..].iter().zip(scores) {
                    let at = *at as usize;
                    let dot = match (&folded, rows.as_sparse(), rows.stored_numbers(at)) {
                        (Some(folded), Some(sparse), _) => sparse_dot(folded, sparse.row(at)),
                        (Some(folded), _, Some(stored)) => wide_dot(folded, stored),
                        _ => {
                            scaling.copy_row(rows, at, row);
                            wide_dot(weights, row)
                        }
                    };
                    *score = dot + bias[0];
                }
            });
        });
        Ok(())
    }

    fn takes_sparse(&self) -> bool {
        true
    }
}

wide! {
    /// [`dot`] on its own.
    fn wide_dot(a: &'w [f32], b: &'w [f32]) -> f32 {
        dot(a, b)
    }
}

wide! {
    /// The scores of rows that lie one after the other.
    fn score_dense(weights: &'w [f32], bias: f32, values: &'w [f32], scores: &'w mut [f32]) {
        for (row, score) in values.chunks_exact(weights.len()).zip(scores) {
            *score = dot(weights, row) + bias;
        }
    }
}

wide! {
    /// The sum of some columns of the rows, each row times its score's gradient.
    fn sum_rows(
        values: &'w [f32],
        width: usize,
        columns: Range<usize>,
        score_gradients: &'w [f32],
        sums: &'w mut [f32],
    ) {
        sums.fill(0.0);
        for (row, of_score) in values.chunks_exact(width).zip(score_gradients) {
            for (sum, value) in sums.iter_mut().zip(&row[columns.clone()]) {
                *sum += of_score * value;
            }
        }
    }
}

fn sparse_dot(weights: &[f32], (columns, values): (&[u32], &[f32])) -> f32 {
    columns
        .iter()
        .zip(values)
        .map(|(column, value)| weights[*column as usize] * value)
        .sum()
}

fn add_sparse(rows: &SparseRows, score_gradients: &[f32], of_weights: &mut [f32]) {
    of_weights.fill(0.0);
    for (at, of_score) in score_gradients.iter().enumerate() {
        let (columns, values) = rows.row(at);
        for (column, value) in columns.iter().zip(values) {
            of_weights[*column as usize] += of_score * value;
        }
    }
}

/// ⟨a, b⟩ in interleaved sums, which the compiler turns into vector instructions; always in the same
/// order, so always the same bits.
#[inline(always)]
#[allow(clippy::inline_always, reason = "only inlined code is compiled for the wider vectors")]
fn dot(a: &[f32], b: &[f32]) -> f32 {
    const LANES: usize = 64;
    let mut sums = [0.0_f32; LANES];
    let (a_chunks, b_chunks) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest: f32 = a_chunks.remainder().iter().zip(b_chunks.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in a_chunks.zip(b_chunks) {
        for lane in 0..LANES {
            sums[lane] += x[lane] * y[lane];
        }
    }
    let mut width = LANES / 2;
    while width > 0 {
        for lane in 0..width {
            sums[lane] += sums[lane + width];
        }
        width /= 2;
    }
    sums[0] + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};

    #[test]
    fn the_gradient_is_the_central_difference() {
        let mut rng = stream(1, Purpose::Weights);
        let width = 19;
        let mut model = Linear::new(width);
        let mut weights =
            Weights { parameters: Linear::initial_parameters(width, &mut rng), buffers: Vec::new() };
        let inputs: Vec<f32> = (0..4 * width).map(|_| unit(&mut rng) as f32 - 0.5).collect();
        let score_gradients = [0.3, -1.0, 0.25, 2.0];
        let mut gradient = vec![0.0; width + 1];
        model
            .backward(&weights, Inputs::Dense(&inputs), &score_gradients, &mut gradient)
            .unwrap();
        let mut value = |weights: &Weights| {
            let mut scores = [0.0; 4];
            model.score(weights, Inputs::Dense(&inputs), &mut scores).unwrap();
            scores.iter().zip(score_gradients).map(|(s, g)| f64::from(s * g)).sum::<f64>()
        };
        for at in 0..=width {
            let kept = weights.parameters[at];
            // The score is linear in each parameter, so a large step is exact.
            weights.parameters[at] = kept + 1.0;
            let high = value(&weights);
            weights.parameters[at] = kept - 1.0;
            let low = value(&weights);
            weights.parameters[at] = kept;
            assert!((f64::from(gradient[at]) - (high - low) / 2.0).abs() < 1e-5, "parameter {at}");
        }
    }

    #[test]
    fn scores_are_the_written_formula() {
        // Weights 1..=100 and bias ½ on the rows 0..100 and 100..200: 333,300 and 505,000 more.
        let mut parameters: Vec<f32> = (1..=100_u8).map(f32::from).collect();
        parameters.push(0.5);
        let weights = Weights { parameters, buffers: Vec::new() };
        let inputs: Vec<f32> = (0..200_u8).map(f32::from).collect();
        let mut scores = [0.0; 2];
        Linear::new(100).score(&weights, Inputs::Dense(&inputs), &mut scores).unwrap();
        assert_eq!(scores, [333_300.5, 838_300.5]);
    }

    #[test]
    fn sparse_and_dense_rows_give_the_same_scores_and_gradients() {
        let mut rng = stream(3, Purpose::Weights);
        let (width, rows) = (300, 50);
        let weights =
            Weights { parameters: Linear::initial_parameters(width, &mut rng), buffers: Vec::new() };
        let dense: Vec<f32> = (0..width * rows)
            .map(|_| if unit(&mut rng) < 0.02 { unit(&mut rng) as f32 * 4.0 } else { 0.0 })
            .collect();
        let mut sparse = SparseRows::new();
        for row in dense.chunks_exact(width) {
            sparse.push_dense(row);
        }
        let score_gradients: Vec<f32> = (0..rows).map(|_| unit(&mut rng) as f32 - 0.5).collect();
        let both = [Inputs::Dense(&dense), Inputs::Sparse(&sparse)].map(|inputs| {
            let (mut scores, mut gradient) = (vec![0.0; rows], vec![0.0; width + 1]);
            Linear::new(width).score(&weights, inputs, &mut scores).unwrap();
            Linear::new(width)
                .backward(&weights, inputs, &score_gradients, &mut gradient)
                .unwrap();
            [scores, gradient].concat()
        });
        for (dense, sparse) in both[0].iter().zip(&both[1]) {
            assert!((dense - sparse).abs() < 1e-6, "{dense} is not {sparse}");
        }
    }

    #[test]
    fn initial_weights_fill_the_range_that_pytorch_uses() {
        let parameters = Linear::initial_parameters(10_000, &mut stream(2, Purpose::Weights));
        let (low, high) = parameters.iter().fold((0.0_f32, 0.0_f32), |(l, h), w| (l.min(*w), h.max(*w)));
        assert!(low > -0.01 && low < -0.0099 && high < 0.01 && high > 0.0099, "{low} {high}");
        assert_eq!(parameters.len(), 10_001);
        assert_ne!(parameters[10_000], 0.0, "the bias is drawn too");
    }

    #[test]
    fn inputs_that_do_not_fit_are_refused() {
        let weights = Weights { parameters: vec![0.0; 4], buffers: Vec::new() };
        let mut scores = [0.0; 2];
        assert!(Linear::new(3).score(&weights, Inputs::Dense(&[0.0; 5]), &mut scores).is_err());
        assert!(Linear::new(2).score(&weights, Inputs::Dense(&[0.0; 4]), &mut scores).is_err());
    }
}
