//! Average and max pooling over square windows without padding, channels last.

use super::network::Shape;
use crate::numerics::parallel::{for_pieces, for_pieces_of_two};

/// Which pooling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PoolKind {
    Average,
    Max,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Pool {
    pub(crate) kind: PoolKind,
    pub(crate) input: Shape,
    pub(crate) output: Shape,
    pub(crate) kernel: usize,
    pub(crate) stride: usize,
}

impl Pool {
    /// `winners` remembers, for max pooling, which input each output came from.
    pub(super) fn forward(&self, x: &[f32], y: &mut [f32], winners: &mut [u32]) {
        let size = self.output.size();
        match self.kind {
            PoolKind::Average => {
                let share = 1.0 / (self.kernel * self.kernel) as f32;
                for_pieces(y, size, |image, y| {
                    let x = &x[image * self.input.size()..(image + 1) * self.input.size()];
                    y.fill(0.0);
                    self.for_windows(|to, from| {
                        let channels = self.output.channels;
                        for (y, x) in y[to..to + channels].iter_mut().zip(&x[from..from + channels]) {
                            *y += x * share;
                        }
                    });
                });
            }
            PoolKind::Max => for_pieces_of_two((y, size), (winners, size), |image, y, winners| {
                let x = &x[image * self.input.size()..(image + 1) * self.input.size()];
                y.fill(f32::NEG_INFINITY);
                self.for_windows(|to, from| {
                    for channel in 0..self.output.channels {
                        if x[from + channel] > y[to + channel] {
                            y[to + channel] = x[from + channel];
                            winners[to + channel] = (from + channel) as u32;
                        }
                    }
                });
            }),
        }
    }

    pub(super) fn backward(&self, dy: &[f32], winners: &[u32], dx: &mut [f32], accumulate: bool) {
        let size = self.output.size();
        for_pieces(dx, self.input.size(), |image, dx| {
            if !accumulate {
                dx.fill(0.0);
            }
            let range = image * size..(image + 1) * size;
            let dy = &dy[range.clone()];
            match self.kind {
                PoolKind::Average => {
                    let share = 1.0 / (self.kernel * self.kernel) as f32;
                    self.for_windows(|to, from| {
                        let channels = self.output.channels;
                        for (dx, dy) in dx[from..from + channels].iter_mut().zip(&dy[to..to + channels]) {
                            *dx += dy * share;
                        }
                    });
                }
                PoolKind::Max => {
                    for (dy, winner) in dy.iter().zip(&winners[range]) {
                        dx[*winner as usize] += dy;
                    }
                }
            }
        });
    }

    /// Visits each (output pixel, input pixel) of one image as places of their first channel.
    fn for_windows(&self, mut visit: impl FnMut(usize, usize)) {
        let channels = self.output.channels;
        for row in 0..self.output.height {
            for column in 0..self.output.width {
                let to = (row * self.output.width + column) * channels;
                for line in 0..self.kernel {
                    for across in 0..self.kernel {
                        let pixel =
                            (row * self.stride + line) * self.input.width + column * self.stride + across;
                        visit(to, pixel * channels);
                    }
                }
            }
        }
    }
}
