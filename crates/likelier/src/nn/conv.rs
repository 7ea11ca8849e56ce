//! 2-D convolution as matrix products over unrolled windows, channels last.
//!
//! A window of the input, `kernel × kernel × channels` numbers, becomes a row of a matrix that is
//! multiplied with the weights (`kernel·kernel·inputs × outputs`). Windows are unrolled a block at a
//! time, so that the block stays in the cache between being written and being multiplied. 3×3 kernels of
//! stride 1 go by Winograd's shorter way (see `winograd`).

use rayon::prelude::*;

use super::matmul::{Matrix, matmul};
use super::network::Shape;
use super::winograd::{PLACES, gather_kernels, transform_kernels};
use crate::numerics::simd::{fast, wide, with_scratch};

/// Partial sums of the weights' gradient, whatever the number of threads.
pub(super) const GROUPS: usize = 4;

/// A square kernel with stride and zero padding, without bias.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Conv {
    pub(crate) input: Shape,
    pub(crate) output: Shape,
    pub(crate) kernel: usize,
    pub(crate) stride: usize,
    pub(crate) padding: usize,
}

impl Conv {
    /// Numbers in a window.
    pub(super) fn window(&self) -> usize {
        self.kernel * self.kernel * self.input.channels
    }

    pub(super) fn parameters(&self) -> usize {
        self.window() * self.output.channels
    }

    /// Whether Winograd's way is open, and shorter: few channels would not fill the vectors.
    fn is_winograd(&self) -> bool {
        self.kernel == 3 && self.stride == 1 && self.input.channels >= 16 && self.output.channels >= 16
    }

    /// Numbers in a gradient of the weights as the backward pass sums it.
    fn summed(&self) -> usize {
        if self.is_winograd() {
            PLACES * self.input.channels * self.output.channels
        } else {
            self.parameters()
        }
    }

    /// Work space: partial sums of the gradient, and the transformed weights.
    pub(super) fn work(&self) -> usize {
        let transformed = if self.is_winograd() { self.summed() } else { 0 };
        GROUPS * self.summed() + transformed
    }

    /// Windows unrolled at a time: as many as the cache holds, or enough to make up for packing a large
    /// matrix of weights.
    fn block(&self) -> usize {
        if self.window() >= 2048 { 512 } else { (147_456 / self.window()).clamp(128, 1024) }
    }

    /// Images that one piece of work takes in the forward pass.
    fn images(&self) -> usize {
        (2048 / self.output.pixels()).clamp(8, 32)
    }

    /// `work` holds at least [`Conv::work`] numbers.
    pub(super) fn forward(&self, weights: &[f32], x: &[f32], y: &mut [f32], work: &mut [f32]) {
        if self.is_winograd() {
            let kernels = &mut work[..self.summed()];
            transform_kernels(weights, kernels);
            self.winograd_forward(kernels, x, y, self.images());
        } else {
            self.unrolled_forward(weights, x, y);
        }
    }

    pub(super) fn unrolled_forward(&self, weights: &[f32], x: &[f32], y: &mut [f32]) {
        let (outputs, images) = (self.output.channels, self.images());
        y.par_chunks_mut(images * self.output.size())
            .enumerate()
            .for_each(|(piece, y)| {
                let x = &x[piece * images * self.input.size()..];
                let block = self.block();
                with_scratch(block * self.window(), |windows| {
                    for (at, y) in y.chunks_mut(block * outputs).enumerate() {
                        let windows = &mut windows[..y.len() / outputs * self.window()];
                        self.unroll(x, at * block, windows);
                        matmul(
                            y,
                            Matrix::new(windows, self.window()),
                            Matrix::new(weights, outputs),
                            false,
                        );
                    }
                });
            });
    }

    /// The gradient by weights and, where it is wanted, by the input. `work` as in the forward pass.
    pub(super) fn backward(
        &self,
        weights: &[f32],
        x: &[f32],
        dy: &[f32],
        gradient: &mut [f32],
        work: &mut [f32],
        dx: Option<(&mut [f32], bool)>,
    ) {
        let images = (dy.len() / self.output.size()).div_ceil(GROUPS);
        let (partial, kernels) = work.split_at_mut(GROUPS * self.summed());
        let kernels = if self.is_winograd() {
            let kernels = &mut kernels[..self.summed()];
            transform_kernels(weights, kernels);
            &*kernels
        } else {
            weights
        };
        let used = dy.chunks(images * self.output.size()).len();
        let partial = &mut partial[..used * self.summed()];
        let work = dy
            .par_chunks(images * self.output.size())
            .zip(x.par_chunks(images * self.input.size()))
            .zip(partial.par_chunks_mut(self.summed()));
        let group = |((dy, x), partial): ((&[f32], &[f32]), &mut [f32]), dx: Option<&mut [f32]>| {
            if self.is_winograd() {
                self.winograd_backward(kernels, x, dy, partial, dx);
            } else {
                self.unrolled_backward(kernels, x, dy, partial, dx);
            }
        };
        match dx {
            Some((dx, accumulate)) => {
                work.zip(dx.par_chunks_mut(images * self.input.size())).for_each(|(work, dx)| {
                    if !accumulate {
                        dx.fill(0.0);
                    }
                    group(work, Some(dx));
                });
            }
            None => work.for_each(|work| group(work, None)),
        }
        if self.is_winograd() {
            let (sum, others) = partial.split_at_mut(self.summed());
            add_all(sum, others);
            gather_kernels(sum, gradient);
        } else {
            gradient.copy_from_slice(&partial[..gradient.len()]);
            add_all(gradient, &partial[gradient.len()..]);
        }
    }

    /// The gradient of some images by the weights and, where it is wanted, by the input, to which it is
    /// added.
    pub(super) fn unrolled_backward(
        &self,
        weights: &[f32],
        x: &[f32],
        dy: &[f32],
        partial: &mut [f32],
        mut dx: Option<&mut [f32]>,
    ) {
        let (outputs, window, block) = (self.output.channels, self.window(), self.block());
        with_scratch(block * window, |windows| {
            for (at, dy) in dy.chunks(block * outputs).enumerate() {
                let windows = &mut windows[..dy.len() / outputs * window];
                let dy = Matrix::new(dy, outputs);
                self.unroll(x, at * block, windows);
                matmul(partial, Matrix::new(windows, window).transposed(), dy, at > 0);
                if let Some(dx) = dx.as_deref_mut() {
                    matmul(windows, dy, Matrix::new(weights, outputs).transposed(), false);
                    roll_back(self, windows, at * block, dx);
                }
            }
        });
    }

    /// Writes the windows of the output pixels from `first` on, counted over all images of `x`.
    fn unroll(&self, x: &[f32], first: usize, windows: &mut [f32]) {
        let channels = self.input.channels;
        for (pixel, window) in windows.chunks_exact_mut(self.window()).enumerate() {
            self.for_lines(first + pixel, |line, at, count, source| {
                let line = &mut window[line * self.kernel * channels..(line + 1) * self.kernel * channels];
                if count < self.kernel {
                    line.fill(0.0);
                }
                let (to, from) = (at * channels, count * channels);
                line[to..to + from].copy_from_slice(&x[source..source + from]);
            });
        }
    }

    /// Visits the lines of an output pixel's window: line number, the first kernel column inside the
    /// image, how many columns are inside, and where they start in the input.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "only inlined code is compiled for the wider vectors")]
    fn for_lines(&self, pixel: usize, mut visit: impl FnMut(usize, usize, usize, usize)) {
        let Shape { height, width, channels } = self.input;
        let (image, within) = (pixel / self.output.pixels(), pixel % self.output.pixels());
        let (top, left) =
            (within / self.output.width * self.stride, within % self.output.width * self.stride);
        let start = self.padding.saturating_sub(left).min(self.kernel);
        let end = (width + self.padding).saturating_sub(left).min(self.kernel).max(start);
        for line in 0..self.kernel {
            let row = top + line;
            let inside = row >= self.padding && row < height + self.padding;
            let (count, source) = if inside && end > start {
                let pixel = (row - self.padding) * width + left + start - self.padding;
                (end - start, image * self.input.size() + pixel * channels)
            } else {
                (0, 0)
            };
            visit(line, start.min(self.kernel - count), count, source);
        }
    }
}

/// Adds slices that lie one after the other, each as long as `sum`, in their order.
fn add_all(sum: &mut [f32], slices: &[f32]) {
    const PIECE: usize = 16_384;
    let length = sum.len();
    sum.par_chunks_mut(PIECE).enumerate().for_each(|(at, sum)| {
        for slice in slices.chunks_exact(length) {
            let from = &slice[at * PIECE..];
            fast(|| sum.iter_mut().zip(from).for_each(|(to, from)| *to += from));
        }
    });
}

wide! {
    /// Adds each window's gradient to the input pixels that it was unrolled from.
    fn roll_back(conv: &'w Conv, windows: &'w [f32], first: usize, dx: &'w mut [f32]) {
        let channels = conv.input.channels;
        for (pixel, window) in windows.chunks_exact(conv.window()).enumerate() {
            conv.for_lines(first + pixel, |line, at, count, target| {
                let from = (line * conv.kernel + at) * channels;
                let from = &window[from..from + count * channels];
                let to = &mut dx[target..target + count * channels];
                for (to, from) in to.iter_mut().zip(from) {
                    *to += from;
                }
            });
        }
    }
}
