//! y = xW + b, with W stored input by input (`inputs × outputs`).

use super::matmul::{Matrix, matmul};
use crate::numerics::parallel::for_pieces;
use crate::numerics::simd::fast;

/// Rows of a batch that one matrix product takes: large enough for full speed, small enough to share.
fn rows_of_a_piece(rows: usize) -> usize {
    if rows >= 512 { 256 } else { 128 }
}

/// Weights `inputs × outputs`, then `outputs` biases.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dense {
    pub(crate) inputs: usize,
    pub(crate) outputs: usize,
}

impl Dense {
    pub(super) fn parameters(&self) -> usize {
        (self.inputs + 1) * self.outputs
    }

    pub(super) fn forward(&self, parameters: &[f32], x: &[f32], y: &mut [f32]) {
        let (weights, bias) = parameters.split_at(self.inputs * self.outputs);
        let rows = rows_of_a_piece(y.len() / self.outputs);
        for_pieces(y, rows * self.outputs, |piece, y| {
            for row in y.chunks_exact_mut(self.outputs) {
                row.copy_from_slice(bias);
            }
            let first = piece * rows * self.inputs;
            let x = &x[first..first + y.len() / self.outputs * self.inputs];
            matmul(y, Matrix::new(x, self.inputs), Matrix::new(weights, self.outputs), true);
        });
    }

    /// The gradient by parameters, and by the input where it is wanted.
    pub(super) fn backward(
        &self,
        parameters: &[f32],
        x: &[f32],
        dy: &[f32],
        gradient: &mut [f32],
        dx: Option<(&mut [f32], bool)>,
    ) {
        let (of_weights, of_bias) = gradient.split_at_mut(self.inputs * self.outputs);
        let block = self.inputs.div_ceil(4).next_multiple_of(8);
        for_pieces(of_weights, block * self.outputs, |piece, of_weights| {
            let columns = of_weights.len() / self.outputs;
            let x = Matrix::new(x, self.inputs).columns(piece * block, columns).transposed();
            matmul(of_weights, x, Matrix::new(dy, self.outputs), false);
        });
        fast(|| {
            of_bias.fill(0.0);
            for row in dy.chunks_exact(self.outputs) {
                for (sum, value) in of_bias.iter_mut().zip(row) {
                    *sum += value;
                }
            }
        });
        if let Some((dx, accumulate)) = dx {
            let weights = Matrix::new(&parameters[..self.inputs * self.outputs], self.outputs).transposed();
            let rows = rows_of_a_piece(dx.len() / self.inputs);
            for_pieces(dx, rows * self.inputs, |piece, dx| {
                let first = piece * rows * self.outputs;
                let dy = &dy[first..first + dx.len() / self.inputs * self.outputs];
                matmul(dx, Matrix::new(dy, self.outputs), weights, accumulate);
            });
        }
    }
}

/// A product of two square matrices, shared by rows as layers share theirs: what the machine can do at
/// best, for benchmarks to be measured against.
#[derive(Clone, Debug)]
pub struct SquareProduct {
    layer: Dense,
    weights: Vec<f32>,
    input: Vec<f32>,
    output: Vec<f32>,
}

impl SquareProduct {
    /// Matrices of `side × side` numbers.
    pub fn new(side: usize) -> Self {
        let layer = Dense { inputs: side, outputs: side };
        let weights = vec![0.5; layer.parameters()];
        Self { layer, weights, input: vec![0.25; side * side], output: vec![0.0; side * side] }
    }

    /// Multiplies once.
    pub fn run(&mut self) {
        self.layer.forward(&self.weights, &self.input, &mut self.output);
    }
}
