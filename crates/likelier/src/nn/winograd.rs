//! 3×3 convolution with stride 1 by Winograd's F(2×2, 3×3): 16 products where windows would take 36.
//!
//! The input is cut into overlapping 4×4 tiles d, each of which gives a 2×2 tile of the output y. With the
//! kernel g,
//!
//! ```text
//! y = Aᵀ [ (G g Gᵀ) ⊙ (Bᵀ d B) ] A
//! ```
//!
//! where ⊙ goes over the 16 places of a tile. At each place the sum over input channels is a matrix product
//! of all tiles: (tiles × inputs) · (inputs × outputs). The backward pass is the same chain transposed:
//! A dy Aᵀ on the way in, then products for the kernel's and for the input's gradient, Gᵀ · G and B · Bᵀ
//! on the way out. The transforms only add, subtract and halve, so nothing is lost in precision.

use rayon::prelude::*;

use super::conv::Conv;
use super::matmul::{Matrix, matmul};
use super::network::Shape;
use crate::numerics::simd::{wide, with_scratch};

/// Places in a tile.
pub(super) const PLACES: usize = 16;
/// Numbers that are transformed together.
const LANES: usize = 16;

impl Conv {
    /// Tiles in an image: across, and in all.
    fn tiles(&self) -> (usize, usize) {
        let (across, down) = (self.output.width.div_ceil(2), self.output.height.div_ceil(2));
        (across, across * down)
    }

    /// Tiles transformed at a time: as many as the cache holds, or enough to make up for packing a large
    /// matrix of weights.
    fn tiles_at_once(&self) -> usize {
        (20_480 / (self.input.channels + self.output.channels)).clamp(128, 512)
    }

    /// The pieces of `tiles_at_once` that `images` images make.
    fn for_tiles(&self, images: usize, mut work: impl FnMut(usize, usize)) {
        let (all, at_once) = (images * self.tiles().1, self.tiles_at_once());
        for first in (0..all).step_by(at_once) {
            work(first, at_once.min(all - first));
        }
    }

    /// y from x, with the kernels already transformed.
    pub(super) fn winograd_forward(&self, kernels: &[f32], x: &[f32], y: &mut [f32], images: usize) {
        let (inputs, outputs) = (self.input.channels, self.output.channels);
        y.par_chunks_mut(images * self.output.size())
            .zip(x.par_chunks(images * self.input.size()))
            .for_each(|(y, x)| {
                with_scratch(self.tiles_at_once() * PLACES * (inputs + outputs), |scratch| {
                    self.for_tiles(y.len() / self.output.size(), |first, tiles| {
                        let (d, m) = scratch.split_at_mut(PLACES * tiles * inputs);
                        let m = &mut m[..PLACES * tiles * outputs];
                        transform_inputs(self, x, first, d);
                        for (place, m) in m.chunks_exact_mut(tiles * outputs).enumerate() {
                            matmul(m, plane(d, place, inputs), plane(kernels, place, outputs), false);
                        }
                        transform_outputs(self, m, first, y);
                    });
                });
            });
    }

    /// The gradient of some images by the transformed kernels and, where it is wanted, by the input, to
    /// which it is added.
    pub(super) fn winograd_backward(
        &self,
        kernels: &[f32],
        x: &[f32],
        dy: &[f32],
        of_kernels: &mut [f32],
        mut dx: Option<&mut [f32]>,
    ) {
        let (inputs, outputs) = (self.input.channels, self.output.channels);
        with_scratch(self.tiles_at_once() * PLACES * (inputs + outputs), |scratch| {
            self.for_tiles(dy.len() / self.output.size(), |first, tiles| {
                let (d, m) = scratch.split_at_mut(PLACES * tiles * inputs);
                let m = &mut m[..PLACES * tiles * outputs];
                transform_inputs(self, x, first, d);
                spread_outputs(self, dy, first, m);
                for (place, of_kernel) in of_kernels.chunks_exact_mut(inputs * outputs).enumerate() {
                    let d = plane(d, place, inputs).transposed();
                    matmul(of_kernel, d, plane(m, place, outputs), first > 0);
                }
                if let Some(dx) = dx.as_deref_mut() {
                    for (place, d) in d.chunks_exact_mut(tiles * inputs).enumerate() {
                        let kernel = plane(kernels, place, outputs).transposed();
                        matmul(d, plane(m, place, outputs), kernel, false);
                    }
                    add_inputs(self, d, first, dx);
                }
            });
        });
    }
}

/// One of the 16 matrices that lie one after the other.
fn plane(all: &[f32], place: usize, columns: usize) -> Matrix<'_> {
    let size = all.len() / PLACES;
    Matrix::new(&all[place * size..(place + 1) * size], columns)
}

/// G, row after row.
const G: [[f32; 3]; 4] = [[1.0, 0.0, 0.0], [0.5, 0.5, 0.5], [0.5, -0.5, 0.5], [0.0, 0.0, 1.0]];

/// G g Gᵀ of every kernel: 16 matrices of inputs × outputs from 9.
pub(super) fn transform_kernels(kernels: &[f32], transformed: &mut [f32]) {
    let size = kernels.len() / 9;
    transformed
        .par_chunks_exact_mut(size)
        .enumerate()
        .for_each(|(place, transformed)| {
            let factors: [f32; 9] = std::array::from_fn(|at| G[place / 4][at / 3] * G[place % 4][at % 3]);
            combine(kernels, &factors, transformed);
        });
}

/// Gᵀ u G: the gradient by the kernels from that by the transformed ones.
pub(super) fn gather_kernels(transformed: &[f32], gradient: &mut [f32]) {
    let size = gradient.len() / 9;
    gradient.par_chunks_exact_mut(size).enumerate().for_each(|(at, gradient)| {
        let factors: [f32; PLACES] =
            std::array::from_fn(|place| G[place / 4][at / 3] * G[place % 4][at % 3]);
        combine(transformed, &factors, gradient);
    });
}

wide! {
    /// The sum of the matrices that lie one after the other, each times its factor.
    fn combine(matrices: &'w [f32], factors: &'w [f32], sum: &'w mut [f32]) {
        const BLOCK: usize = 4096;
        let size = sum.len();
        for (at, sum) in sum.chunks_mut(BLOCK).enumerate() {
            sum.fill(0.0);
            for (place, factor) in factors.iter().enumerate().filter(|(_, factor)| **factor != 0.0) {
                let from = &matrices[place * size + at * BLOCK..];
                for (sum, from) in sum.iter_mut().zip(from) {
                    *sum += factor * from;
                }
            }
        }
    }
}

/// A few channels of one pixel or place.
type Lanes<const L: usize> = [f32; L];

#[inline(always)]
#[allow(clippy::inline_always, reason = "only inlined code is compiled for the wider vectors")]
fn add<const L: usize>(a: Lanes<L>, b: Lanes<L>) -> Lanes<L> {
    std::array::from_fn(|lane| a[lane] + b[lane])
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "only inlined code is compiled for the wider vectors")]
fn subtract<const L: usize>(a: Lanes<L>, b: Lanes<L>) -> Lanes<L> {
    std::array::from_fn(|lane| a[lane] - b[lane])
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "only inlined code is compiled for the wider vectors")]
fn load<const L: usize>(from: &[f32], at: usize) -> Lanes<L> {
    let mut lanes = [0.0; L];
    lanes.copy_from_slice(&from[at..at + L]);
    lanes
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "only inlined code is compiled for the wider vectors")]
fn store<const L: usize>(to: &mut [f32], at: usize, lanes: Lanes<L>) {
    to[at..at + L].copy_from_slice(&lanes);
}

/// Runs `work` over the channels, many at a time and then one by one.
macro_rules! for_channels {
    ($channels:expr, $at:ident, $lanes:ident, $work:block) => {
        let whole = $channels / LANES * LANES;
        for $at in (0..whole).step_by(LANES) {
            const $lanes: usize = LANES;
            $work
        }
        for $at in whole..$channels {
            const $lanes: usize = 1;
            $work
        }
    };
}

/// Where a tile lies: its image, and the row and column of its first output pixel.
#[inline(always)]
#[allow(clippy::inline_always, reason = "only inlined code is compiled for the wider vectors")]
fn tile_at(conv: &Conv, tile: usize) -> (usize, usize, usize) {
    let (across, all) = conv.tiles();
    let within = tile % all;
    (tile / all, within / across * 2, within % across * 2)
}

/// Where the pixel of a tile starts, if it lies inside the image.
#[inline(always)]
#[allow(clippy::inline_always, reason = "only inlined code is compiled for the wider vectors")]
fn pixel(shape: Shape, image: usize, row: usize, column: usize, padding: usize) -> Option<usize> {
    let (row, column) = (row.checked_sub(padding)?, column.checked_sub(padding)?);
    (row < shape.height && column < shape.width)
        .then(|| ((image * shape.height + row) * shape.width + column) * shape.channels)
}

wide! {
    /// Bᵀ d B of the tiles from `first` on, place after place.
    fn transform_inputs(conv: &'w Conv, x: &'w [f32], first: usize, d: &'w mut [f32]) {
        let channels = conv.input.channels;
        let size = d.len() / PLACES;
        for tile in 0..size / channels {
            let (image, top, left) = tile_at(conv, first + tile);
            let from: [Option<usize>; PLACES] = std::array::from_fn(|place| {
                pixel(conv.input, image, top + place / 4, left + place % 4, conv.padding)
            });
            for_channels!(channels, at, L, {
                let d_in: [Lanes<L>; PLACES] = std::array::from_fn(|place| {
                    from[place].map_or([0.0; L], |from| load::<L>(x, from + at))
                });
                let mut half = [[0.0; L]; PLACES];
                for column in 0..4 {
                    let row = |row: usize| d_in[4 * row + column];
                    half[column] = subtract(row(0), row(2));
                    half[4 + column] = add(row(1), row(2));
                    half[8 + column] = subtract(row(2), row(1));
                    half[12 + column] = subtract(row(1), row(3));
                }
                for row in 0..4 {
                    let column = |column: usize| half[4 * row + column];
                    let places = [
                        subtract(column(0), column(2)),
                        add(column(1), column(2)),
                        subtract(column(2), column(1)),
                        subtract(column(1), column(3)),
                    ];
                    for (column, values) in places.iter().enumerate() {
                        let to = (4 * row + column) * size + tile * channels + at;
                        store(d, to, *values);
                    }
                }
            });
        }
    }
}

wide! {
    /// Aᵀ m A of the tiles from `first` on, into the output.
    fn transform_outputs(conv: &'w Conv, m: &'w [f32], first: usize, y: &'w mut [f32]) {
        let channels = conv.output.channels;
        let size = m.len() / PLACES;
        for tile in 0..size / channels {
            let (image, top, left) = tile_at(conv, first + tile);
            let to: [Option<usize>; 4] = std::array::from_fn(|place| {
                pixel(conv.output, image, top + place / 2, left + place % 2, 0)
            });
            for_channels!(channels, at, L, {
                let m_in = |place: usize| load::<L>(m, place * size + tile * channels + at);
                let mut half = [[0.0; L]; 8];
                for column in 0..4 {
                    let middle = (m_in(4 + column), m_in(8 + column));
                    half[column] = add(m_in(column), add(middle.0, middle.1));
                    half[4 + column] = subtract(subtract(middle.0, middle.1), m_in(12 + column));
                }
                for row in 0..2 {
                    let column = |column: usize| half[4 * row + column];
                    let pixels = [
                        add(column(0), add(column(1), column(2))),
                        subtract(subtract(column(1), column(2)), column(3)),
                    ];
                    for (column, values) in pixels.iter().enumerate() {
                        if let Some(to) = to[2 * row + column] {
                            store(y, to + at, *values);
                        }
                    }
                }
            });
        }
    }
}

wide! {
    /// A dy Aᵀ of the tiles from `first` on, place after place: [`transform_outputs`] transposed.
    fn spread_outputs(conv: &'w Conv, dy: &'w [f32], first: usize, m: &'w mut [f32]) {
        let channels = conv.output.channels;
        let size = m.len() / PLACES;
        for tile in 0..size / channels {
            let (image, top, left) = tile_at(conv, first + tile);
            let from: [Option<usize>; 4] = std::array::from_fn(|place| {
                pixel(conv.output, image, top + place / 2, left + place % 2, 0)
            });
            for_channels!(channels, at, L, {
                let dy_in: [Lanes<L>; 4] = std::array::from_fn(|place| {
                    from[place].map_or([0.0; L], |from| load::<L>(dy, from + at))
                });
                let mut half = [[0.0; L]; 8];
                for column in 0..2 {
                    let (upper, lower) = (dy_in[column], dy_in[2 + column]);
                    half[column] = upper;
                    half[2 + column] = add(upper, lower);
                    half[4 + column] = subtract(upper, lower);
                    half[6 + column] = subtract([0.0; L], lower);
                }
                for row in 0..4 {
                    let (left, right) = (half[2 * row], half[2 * row + 1]);
                    let places =
                        [left, add(left, right), subtract(left, right), subtract([0.0; L], right)];
                    for (column, values) in places.iter().enumerate() {
                        let to = (4 * row + column) * size + tile * channels + at;
                        store(m, to, *values);
                    }
                }
            });
        }
    }
}

wide! {
    /// Adds B d Bᵀ of the tiles from `first` on to the input's gradient: [`transform_inputs`] transposed.
    fn add_inputs(conv: &'w Conv, d: &'w [f32], first: usize, dx: &'w mut [f32]) {
        let channels = conv.input.channels;
        let size = d.len() / PLACES;
        for tile in 0..size / channels {
            let (image, top, left) = tile_at(conv, first + tile);
            let to: [Option<usize>; PLACES] = std::array::from_fn(|place| {
                pixel(conv.input, image, top + place / 4, left + place % 4, conv.padding)
            });
            for_channels!(channels, at, L, {
                let d_in = |place: usize| load::<L>(d, place * size + tile * channels + at);
                let mut half = [[0.0; L]; PLACES];
                for column in 0..4 {
                    let (first, last) = (d_in(column), d_in(12 + column));
                    let middle = (d_in(4 + column), d_in(8 + column));
                    half[column] = first;
                    half[4 + column] = add(subtract(middle.0, middle.1), last);
                    half[8 + column] = subtract(add(middle.0, middle.1), first);
                    half[12 + column] = subtract([0.0; L], last);
                }
                for row in 0..4 {
                    let column = |column: usize| half[4 * row + column];
                    let pixels = [
                        column(0),
                        add(subtract(column(1), column(2)), column(3)),
                        subtract(add(column(1), column(2)), column(0)),
                        subtract([0.0; L], column(3)),
                    ];
                    for (column, values) in pixels.iter().enumerate() {
                        if let Some(to) = to[4 * row + column] {
                            let sum = add(load(dx, to + at), *values);
                            store(dx, to + at, sum);
                        }
                    }
                }
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::random::{Purpose, stream, unit};

    fn apart(left: &[f32], right: &[f32]) -> f32 {
        left.iter()
            .zip(right)
            .fold(0.0, |most, (left, right)| most.max((left - right).abs()))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn winograds_way_leads_where_unrolled_windows_lead(
            (height, width) in (3..9_usize, 3..9_usize),
            (inputs, outputs) in (1..36_usize, 1..36_usize),
            padding in 0..3_usize,
            images in 1..40_usize,
            seed in any::<u64>(),
        ) {
            let input = Shape { height, width, channels: inputs };
            let side = |length: usize| length + 2 * padding - 2;
            let output = Shape { height: side(height), width: side(width), channels: outputs };
            let conv = Conv { input, output, kernel: 3, stride: 1, padding };
            let mut rng = stream(seed, Purpose::Weights);
            let mut draw = |count: usize| {
                (0..count).map(|_| unit(&mut rng) as f32 - 0.5).collect::<Vec<_>>()
            };
            let (x, dy) = (draw(images * input.size()), draw(images * output.size()));
            let weights = draw(conv.parameters());

            let mut kernels = vec![0.0; PLACES * inputs * outputs];
            transform_kernels(&weights, &mut kernels);
            let (mut y, mut expected) = (vec![1.0; dy.len()], vec![2.0; dy.len()]);
            conv.winograd_forward(&kernels, &x, &mut y, 8);
            conv.unrolled_forward(&weights, &x, &mut expected);
            prop_assert!(apart(&y, &expected) < 2e-5, "{}", apart(&y, &expected));

            let (mut dx, mut expected) = (vec![1.0; x.len()], vec![1.0; x.len()]);
            let (mut transformed, mut of_weights) = (vec![3.0; kernels.len()], vec![4.0; weights.len()]);
            let mut expected_weights = vec![5.0; weights.len()];
            conv.winograd_backward(&kernels, &x, &dy, &mut transformed, Some(&mut dx));
            gather_kernels(&transformed, &mut of_weights);
            conv.unrolled_backward(&weights, &x, &dy, &mut expected_weights, Some(&mut expected));
            prop_assert!(apart(&dx, &expected) < 2e-5, "{}", apart(&dx, &expected));
            // Sums over up to 3,200 windows of products of up to a quarter.
            prop_assert!(apart(&of_weights, &expected_weights) < 2e-4, "{}", apart(&of_weights, &expected_weights));
        }
    }
}
