//! The loops of a linear model over rows as they are stored: numbers, bytes, or sparse.

use crate::data::SparseRows;
use crate::model::Stored;
use crate::numerics::simd::{prefetch, wide, with_scratch};

/// Defines the two loops over dense rows for one way of storing their numbers.
macro_rules! dense_rows {
    ($number:ty, $score:ident, $sum:ident) => {
        wide! {
            pub(super) fn $score(
                values: &'w [$number],
                which: &'w [u32],
                offset: Option<&'w [f32]>,
                weights: &'w [f32],
                bias: f32,
                scores: &'w mut [f32],
            ) {
                match offset {
                    None => score_dense::<_, false>(values, which, &[], weights, bias, scores),
                    Some(offset) => score_dense::<_, true>(values, which, offset, weights, bias, scores),
                }
            }
        }

        wide! {
            pub(super) fn $sum(
                values: &'w [$number],
                which: &'w [u32],
                offset: Option<&'w [f32]>,
                score_gradients: &'w [f32],
                sums: &'w mut [f32],
            ) {
                match offset {
                    None => sum_dense::<_, false>(values, which, &[], score_gradients, sums),
                    Some(offset) => sum_dense::<_, true>(values, which, offset, score_gradients, sums),
                }
            }
        }
    };
}
dense_rows!(f32, score_numbers, sum_numbers);
dense_rows!(u8, score_bytes, sum_bytes);

/// Some of a row's numbers, less their offsets where they have any.
#[inline(always)]
#[allow(clippy::inline_always, reason = "only inlined code is compiled for the wider vectors")]
fn lanes<T: Copy, const SHIFTED: bool, const L: usize>(row: &[T], offset: &[f32], at: usize) -> [f32; L]
where
    f32: From<T>,
{
    let row = &row[at..at + L];
    let mut lanes = [0.0; L];
    for lane in 0..L {
        lanes[lane] = f32::from(row[lane]);
    }
    if SHIFTED {
        let offset = &offset[at..at + L];
        for lane in 0..L {
            lanes[lane] -= offset[lane];
        }
    }
    lanes
}

/// Bytes of a line of the cache.
const LINE: usize = 64;
/// Rows of no more bytes are fetched so many groups ahead.
const NARROW: usize = 4 * LINE;
const AHEAD: usize = 4;

/// ⟨w, x⟩ + b of some rows, four at a time so that their memory is waited for together. Sums are always
/// in the same order, so always the same bits.
#[inline(always)]
#[allow(clippy::inline_always, reason = "only inlined code is compiled for the wider vectors")]
fn score_dense<T: Copy, const SHIFTED: bool>(
    values: &[T],
    which: &[u32],
    offset: &[f32],
    weights: &[f32],
    bias: f32,
    scores: &mut [f32],
) where
    f32: From<T>,
{
    const LANES: usize = 16;
    const ROWS: usize = 4;
    let width = weights.len();
    let whole = width / LANES * LANES;
    // Narrow rows are summed sooner than the next few arrive.
    let narrow = width * size_of::<T>() <= NARROW;
    for (group, (which_now, scores)) in which.chunks(ROWS).zip(scores.chunks_mut(ROWS)).enumerate() {
        // The rows of the next group are fetched while those of this one are summed.
        let next: [usize; ROWS] = std::array::from_fn(|at| {
            which.get((group + 1) * ROWS + at).map_or(0, |row| *row as usize * width)
        });
        if narrow {
            for row in which.iter().skip((group + AHEAD) * ROWS).take(ROWS) {
                let start = *row as usize * width;
                (0..width)
                    .step_by(LINE / size_of::<T>())
                    .for_each(|at| prefetch(values, start + at));
                prefetch(values, start + width - 1);
            }
        }
        let which = which_now;
        // A short group takes its last row again.
        let rows: [&[T]; ROWS] = std::array::from_fn(|at| {
            let row = which[at.min(which.len() - 1)] as usize;
            &values[row * width..(row + 1) * width]
        });
        let mut sums = [[0.0; LANES]; ROWS];
        for at in (0..whole).step_by(LANES) {
            let weights = &weights[at..at + LANES];
            for ((row, sums), next) in rows.iter().zip(&mut sums).zip(next) {
                prefetch(values, next + at);
                let x = lanes::<T, SHIFTED, LANES>(row, offset, at);
                for lane in 0..LANES {
                    sums[lane] += weights[lane] * x[lane];
                }
            }
        }
        for ((score, row), mut sums) in scores.iter_mut().zip(rows).zip(sums) {
            let mut half = LANES / 2;
            while half > 0 {
                for lane in 0..half {
                    sums[lane] += sums[lane + half];
                }
                half /= 2;
            }
            let mut rest = 0.0;
            for at in whole..width {
                rest += weights[at] * lanes::<T, SHIFTED, 1>(row, offset, at)[0];
            }
            *score = sums[0] + rest + bias;
        }
    }
}

/// The sum of some rows, each times its score's gradient.
#[inline(always)]
#[allow(clippy::inline_always, reason = "only inlined code is compiled for the wider vectors")]
fn sum_dense<T: Copy, const SHIFTED: bool>(
    values: &[T],
    which: &[u32],
    offset: &[f32],
    score_gradients: &[f32],
    sums: &mut [f32],
) where
    f32: From<T>,
{
    let width = sums.len();
    let mut first = 0;
    while first + 64 <= width {
        let block = sum_block::<T, SHIFTED, 64>(values, which, offset, score_gradients, (width, first));
        sums[first..first + 64].copy_from_slice(&block);
        first += 64;
    }
    while first + 16 <= width {
        let block = sum_block::<T, SHIFTED, 16>(values, which, offset, score_gradients, (width, first));
        sums[first..first + 16].copy_from_slice(&block);
        first += 16;
    }
    for (at, sum) in sums.iter_mut().enumerate().skip(first) {
        *sum = sum_block::<T, SHIFTED, 1>(values, which, offset, score_gradients, (width, at))[0];
    }
}

/// The same for a few columns, whose sums stay in registers; two rows at a time.
#[inline(always)]
#[allow(clippy::inline_always, reason = "only inlined code is compiled for the wider vectors")]
fn sum_block<T: Copy, const SHIFTED: bool, const L: usize>(
    values: &[T],
    which: &[u32],
    offset: &[f32],
    score_gradients: &[f32],
    (width, first): (usize, usize),
) -> [f32; L]
where
    f32: From<T>,
{
    let row = |row: u32| {
        let start = row as usize * width;
        lanes::<T, SHIFTED, L>(&values[start..start + width], offset, first)
    };
    let mut sums = [0.0; L];
    let (pairs, of_pairs) = (which.chunks_exact(2), score_gradients.chunks_exact(2));
    let last = pairs.remainder().iter().zip(of_pairs.remainder());
    for (pair, of_scores) in pairs.zip(of_pairs) {
        let (x, y) = (row(pair[0]), row(pair[1]));
        for lane in 0..L {
            sums[lane] += of_scores[0] * x[lane] + of_scores[1] * y[lane];
        }
    }
    for (&at, of_score) in last {
        let x = row(at);
        for lane in 0..L {
            sums[lane] += of_score * x[lane];
        }
    }
    sums
}

pub(super) fn score_sparse(
    rows: &SparseRows,
    which: &[u32],
    weights: &[f32],
    bias: f32,
    scores: &mut [f32],
) {
    for (row, score) in which.iter().zip(scores) {
        let (columns, values) = rows.row(*row as usize);
        let entries = columns.iter().zip(values);
        *score = bias + entries.map(|(column, value)| weights[*column as usize] * value).sum::<f32>();
    }
}

pub(super) fn sum_sparse(rows: &SparseRows, which: &[u32], score_gradients: &[f32], sums: &mut [f32]) {
    sums.fill(0.0);
    for (row, of_score) in which.iter().zip(score_gradients) {
        let (columns, values) = rows.row(*row as usize);
        for (column, value) in columns.iter().zip(values) {
            sums[*column as usize] += of_score * value;
        }
    }
}

/// Subtracting offsets fills the zeros, so each sparse row is written out first.
pub(super) fn score_filled(
    stored: &Stored<'_>,
    offset: &[f32],
    weights: &[f32],
    bias: f32,
    scores: &mut [f32],
) {
    with_scratch(weights.len(), |row| {
        for (at, score) in stored.which.iter().zip(scores) {
            stored.rows.copy_row(*at as usize, row);
            score_numbers(row, &[0], Some(offset), weights, bias, std::slice::from_mut(score));
        }
    });
}

pub(super) fn sum_filled(stored: &Stored<'_>, offset: &[f32], score_gradients: &[f32], sums: &mut [f32]) {
    sums.fill(0.0);
    with_scratch(2 * sums.len(), |scratch| {
        let (row, summand) = scratch.split_at_mut(sums.len());
        for (at, of_score) in stored.which.iter().zip(score_gradients) {
            stored.rows.copy_row(*at as usize, row);
            sum_numbers(row, &[0], Some(offset), std::slice::from_ref(of_score), summand);
            sums.iter_mut().zip(&*summand).for_each(|(sum, summand)| *sum += summand);
        }
    });
}
