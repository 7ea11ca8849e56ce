//! Batch normalisation, with the addition of a residual and the ReLU that may follow it in one pass:
//! y = relu(γ·(x − μ)/√(σ² + ε) + β + residual).
//!
//! While training, μ and σ² are those of the whole batch, both piles together; running averages of them
//! (momentum 0.1, unbiased variance, as in PyTorch) are kept for use afterwards.

use crate::numerics::parallel::{for_pieces, for_pieces_of_two, share_pieces};
use crate::numerics::simd::{fast, kept_if, wide};

/// Keeps the deviation of a channel that never varies above 0.
pub(crate) const EPSILON: f64 = 1e-5;
const MOMENTUM: f64 = 0.1;

/// Parameters γ then β; buffers running mean then running variance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Norm {
    pub(crate) channels: usize,
    pub(crate) relu: bool,
}

/// Work space of one layer.
#[derive(Clone, Debug, Default)]
pub(super) struct NormWork {
    mean: Vec<f32>,
    inverse_deviation: Vec<f32>,
    scale: Vec<f32>,
    shift: Vec<f32>,
    /// Two numbers a channel for every piece of rows.
    partial: Vec<f32>,
}

impl Norm {
    /// Numbers in a piece: some ten thousand, whole rows.
    fn piece(&self) -> usize {
        (16_384 / self.channels).max(1) * self.channels
    }

    fn prepare(&self, work: &mut NormWork, numbers: usize) {
        for of_channels in [&mut work.mean, &mut work.inverse_deviation, &mut work.scale, &mut work.shift] {
            of_channels.resize(self.channels, 0.0);
        }
        work.partial.resize(2 * self.channels * numbers.div_ceil(self.piece()), 0.0);
    }

    /// Normalises by the batch's own statistics and updates the running ones.
    pub(super) fn forward_training(
        &self,
        parameters: &[f32],
        buffers: &mut [f32],
        work: &mut NormWork,
        x: &[f32],
        residual: Option<&[f32]>,
        y: &mut [f32],
    ) {
        self.prepare(work, x.len());
        let (channels, piece) = (self.channels, self.piece());
        share_pieces(&mut work.partial, 2 * channels, |at, partial| {
            let x = &x[at * piece..((at + 1) * piece).min(x.len())];
            let (mean, squares) = partial.split_at_mut(channels);
            piece_statistics(x, mean, squares);
        });
        let rows = (x.len() / channels) as f64;
        let (running_mean, running_variance) = buffers.split_at_mut(channels);
        for channel in 0..channels {
            let (mean, variance) = self.combine(&work.partial, x.len(), channel);
            work.mean[channel] = mean as f32;
            work.inverse_deviation[channel] = (1.0 / (variance + EPSILON).sqrt()) as f32;
            let unbiased = variance * rows / (rows - 1.0).max(1.0);
            let follow = |running: &mut f32, value: f64| {
                *running = ((1.0 - MOMENTUM) * f64::from(*running) + MOMENTUM * value) as f32;
            };
            follow(&mut running_mean[channel], mean);
            follow(&mut running_variance[channel], unbiased);
        }
        self.apply(parameters, work, x, residual, y);
    }

    /// Normalises by the running statistics.
    pub(super) fn forward_inference(
        &self,
        parameters: &[f32],
        buffers: &[f32],
        work: &mut NormWork,
        x: &[f32],
        residual: Option<&[f32]>,
        y: &mut [f32],
    ) {
        self.prepare(work, x.len());
        let (running_mean, running_variance) = buffers.split_at(self.channels);
        work.mean.copy_from_slice(running_mean);
        for (inverse, variance) in work.inverse_deviation.iter_mut().zip(running_variance) {
            *inverse = (1.0 / (f64::from(*variance) + EPSILON).sqrt()) as f32;
        }
        self.apply(parameters, work, x, residual, y);
    }

    /// Mean and variance of a channel, from those of the pieces, in their order.
    fn combine(&self, partial: &[f32], numbers: usize, channel: usize) -> (f64, f64) {
        let (mut rows, mut mean, mut squares) = (0.0, 0.0, 0.0);
        let whole = self.piece() / self.channels;
        let mut left = numbers / self.channels;
        for piece in partial.chunks_exact(2 * self.channels) {
            let count = left.min(whole) as f64;
            left -= left.min(whole);
            let apart = f64::from(piece[channel]) - mean;
            let total = rows + count;
            mean += apart * count / total;
            squares += f64::from(piece[self.channels + channel]) + apart * apart * rows * count / total;
            rows = total;
        }
        (mean, squares / rows.max(1.0))
    }

    fn apply(
        &self,
        parameters: &[f32],
        work: &mut NormWork,
        x: &[f32],
        residual: Option<&[f32]>,
        y: &mut [f32],
    ) {
        let (gamma, beta) = parameters.split_at(self.channels);
        for channel in 0..self.channels {
            work.scale[channel] = gamma[channel] * work.inverse_deviation[channel];
            work.shift[channel] = beta[channel] - work.mean[channel] * work.scale[channel];
        }
        let (scale, shift) = (&work.scale[..], &work.shift[..]);
        let (piece, floor) = (self.piece(), self.floor());
        for_pieces(y, piece, |at, y| {
            let range = at * piece..at * piece + y.len();
            let x = &x[range.clone()];
            let residual = residual.map(|residual| &residual[range]);
            match residual {
                None => apply_plain(x, y, (scale, shift), floor),
                Some(residual) => apply_residual(x, residual, y, (scale, shift), floor),
            }
        });
    }

    /// What outputs are kept above: 0 with a ReLU, anything without.
    fn floor(&self) -> f32 {
        if self.relu { 0.0 } else { f32::NEG_INFINITY }
    }

    /// Turns `dy` into the gradient by x, in place. The gradient by the residual, which is `dy` behind
    /// the ReLU, goes to `residual` (added to what is there if `accumulate`).
    pub(super) fn backward(
        &self,
        parameters: &[f32],
        work: &mut NormWork,
        (x, y): (&[f32], &[f32]),
        dy: &mut [f32],
        gradient: &mut [f32],
        residual: Option<(&mut [f32], bool)>,
    ) {
        let (channels, piece, floor) = (self.channels, self.piece(), self.floor());
        let numbers = x.len();
        let (mean, inverse) = (&work.mean[..], &work.inverse_deviation[..]);
        for_pieces_of_two((dy, piece), (&mut work.partial, 2 * channels), |at, dy, partial| {
            let range = at * piece..at * piece + dy.len();
            let (x, y) = (&x[range.clone()], &y[range]);
            let (sums, products) = partial.split_at_mut(channels);
            backward_sums(x, y, dy, (mean, inverse), floor, sums, products);
        });
        if let Some((residual, accumulate)) = residual {
            let dy = &*dy;
            for_pieces(residual, piece, |at, residual| {
                let dy = &dy[at * piece..at * piece + residual.len()];
                if accumulate {
                    fast(|| residual.iter_mut().zip(dy).for_each(|(to, from)| *to += from));
                } else {
                    residual.copy_from_slice(dy);
                }
            });
        }
        let rows = (numbers / channels) as f64;
        let (of_gamma, of_beta) = gradient.split_at_mut(channels);
        for channel in 0..channels {
            let pieces = work.partial.chunks_exact(2 * channels);
            let (mut sum, mut product) = (0.0, 0.0);
            for partial in pieces {
                sum += f64::from(partial[channel]);
                product += f64::from(partial[channels + channel]);
            }
            of_beta[channel] = sum as f32;
            of_gamma[channel] = product as f32;
            // dx = scale·(dy − mean dy − x̂·mean(dy·x̂)): `shift` and `mean` are free to hold the means.
            work.scale[channel] = parameters[channel] * work.inverse_deviation[channel];
            work.shift[channel] = (sum / rows) as f32;
            work.partial[channel] = (product / rows) as f32;
        }
        let (scale, shift) = (&work.scale[..], &work.shift[..]);
        let (mean, inverse, slope) =
            (&work.mean[..], &work.inverse_deviation[..], &work.partial[..channels]);
        for_pieces(dy, piece, |at, dy| {
            let x = &x[at * piece..at * piece + dy.len()];
            backward_apply(x, dy, (mean, inverse), (scale, shift, slope));
        });
    }
}

wide! {
    /// Zeroes the gradient where the ReLU was shut, and sums it and its product with x̂.
    fn backward_sums(
        x: &'w [f32],
        y: &'w [f32],
        dy: &'w mut [f32],
        of_batch: (&'w [f32], &'w [f32]),
        floor: f32,
        sums: &'w mut [f32],
        products: &'w mut [f32],
    ) {
        let (mean, inverse) = of_batch;
        let channels = sums.len();
        sums.fill(0.0);
        products.fill(0.0);
        let rows = dy.chunks_exact_mut(channels).zip(x.chunks_exact(channels));
        for ((dy, x), y) in rows.zip(y.chunks_exact(channels)) {
            let of_input = x.iter().zip(mean).zip(inverse).zip(y);
            let of_sums = sums.iter_mut().zip(products.iter_mut());
            for ((dy, (((x, mean), inverse), y)), (sum, product)) in dy.iter_mut().zip(of_input).zip(of_sums) {
                *dy = kept_if(*y > floor, *dy);
                *sum += *dy;
                *product += *dy * ((x - mean) * inverse);
            }
        }
    }
}

wide! {
    /// dx = scale·(dy − shift − x̂·slope), in place.
    fn backward_apply(
        x: &'w [f32],
        dy: &'w mut [f32],
        of_batch: (&'w [f32], &'w [f32]),
        of_gradient: (&'w [f32], &'w [f32], &'w [f32]),
    ) {
        let ((mean, inverse), (scale, shift, slope)) = (of_batch, of_gradient);
        let channels = mean.len();
        for (dy, x) in dy.chunks_exact_mut(channels).zip(x.chunks_exact(channels)) {
            let of_batch = x.iter().zip(mean).zip(inverse);
            let of_channel = scale.iter().zip(shift).zip(slope);
            for ((dy, ((x, mean), inverse)), ((scale, shift), slope)) in
                dy.iter_mut().zip(of_batch).zip(of_channel)
            {
                *dy = scale * (*dy - shift - (x - mean) * inverse * slope);
            }
        }
    }
}

wide! {
    /// y = max(x·scale + shift, floor).
    fn apply_plain(x: &'w [f32], y: &'w mut [f32], of_channels: (&'w [f32], &'w [f32]), floor: f32) {
        let (scale, shift) = of_channels;
        let channels = scale.len();
        for (y, x) in y.chunks_exact_mut(channels).zip(x.chunks_exact(channels)) {
            for (((y, x), scale), shift) in y.iter_mut().zip(x).zip(scale).zip(shift) {
                *y = (x * scale + shift).max(floor);
            }
        }
    }
}

wide! {
    /// y = max(x·scale + shift + residual, floor).
    fn apply_residual(
        x: &'w [f32],
        residual: &'w [f32],
        y: &'w mut [f32],
        of_channels: (&'w [f32], &'w [f32]),
        floor: f32,
    ) {
        let (scale, shift) = of_channels;
        let channels = scale.len();
        let rows = y.chunks_exact_mut(channels).zip(x.chunks_exact(channels));
        for ((y, x), residual) in rows.zip(residual.chunks_exact(channels)) {
            let of_row = y.iter_mut().zip(x).zip(scale).zip(shift).zip(residual);
            for ((((y, x), scale), shift), residual) in of_row {
                *y = (x * scale + shift + residual).max(floor);
            }
        }
    }
}

wide! {
    /// The mean of each channel of some rows, and the sum of its squared deviations from it.
    fn piece_statistics(x: &'w [f32], mean: &'w mut [f32], squares: &'w mut [f32]) {
    let channels = mean.len();
    mean.fill(0.0);
    squares.fill(0.0);
    for row in x.chunks_exact(channels) {
        for (mean, x) in mean.iter_mut().zip(row) {
            *mean += x;
        }
    }
    let rows = (x.len() / channels).max(1) as f32;
    for mean in mean.iter_mut() {
        *mean /= rows;
    }
    for row in x.chunks_exact(channels) {
        for ((squares, mean), x) in squares.iter_mut().zip(mean.iter()).zip(row) {
            let apart = x - mean;
            *squares += apart * apart;
        }
    }
}
}
