//! What is done to features before the model sees them. It is fitted on training rows and travels with
//! the model.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::{Moved, Stored};
use crate::data::Rows;
use crate::numerics::parallel::{for_pieces, share_pieces, threads};
use crate::numerics::simd::fast;

/// A kind of scaling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScalingKind {
    /// Features as they are.
    None,
    /// Bytes divided by 255.
    Byte,
    /// Each feature to [0, 1] over the training rows.
    UnitRange,
    /// Each feature divided by its largest absolute value over the training rows: zeros stay zeros.
    LargestAbsolute,
    /// Each feature to mean 0 and standard deviation 1 over the training rows.
    Standardise,
    /// For counts of words: each feature times the logarithm of how rare it is among the training rows, and then each row
    /// to one length.
    InverseFrequency,
}

impl ScalingKind {
    /// The default: bytes by 255; numbers that are stored sparsely, or nine in ten of which are zero, by the
    /// largest of each feature; other numbers standardised.
    ///
    /// Standardising a feature that is nearly always zero would blow its few other values up, and with them
    /// the noise that they carry: on word counts (CNAE-9) it costs seven hundredths of accuracy.
    pub fn default_for(rows: &Rows) -> Self {
        if rows.are_bytes() {
            Self::Byte
        } else if rows.as_sparse().is_some() || mostly_zero(rows) {
            Self::LargestAbsolute
        } else {
            Self::Standardise
        }
    }

    /// Whether zeros stay zeros.
    pub fn keeps_zeros(self) -> bool {
        matches!(self, Self::None | Self::Byte | Self::LargestAbsolute | Self::InverseFrequency)
    }

    /// Whether it is meant for these rows: counts, most of which are zero.
    pub(crate) fn counts_words(rows: &Rows) -> bool {
        Self::default_for(rows) == Self::LargestAbsolute
    }
}

/// Whether nine in ten values are zero, by a thousand rows spread evenly.
fn mostly_zero(rows: &Rows) -> bool {
    const LOOKED_AT: usize = 1000;
    let step = rows.len().div_ceil(LOOKED_AT).max(1);
    let mut row = vec![0.0; rows.width()];
    let (mut zeros, mut values) = (0, 0);
    for at in (0..rows.len()).step_by(step) {
        rows.copy_row(at, &mut row);
        zeros += row.iter().filter(|value| **value == 0.0).count();
        values += row.len();
    }
    10 * zeros >= 9 * values && values > 0
}

/// A fitted scaling: x ↦ (x − offset)·factor, feature by feature. By inverse frequency a row then has the length of the
/// largest factor: as if it had that feature once, and no other.
#[derive(Clone, Debug, PartialEq)]
pub struct Scaling {
    kind: ScalingKind,
    offset: Vec<f32>,
    factor: Vec<f32>,
    /// The largest factor.
    length: f32,
}

impl Scaling {
    /// Fits a scaling on the given lists of rows. A feature that does not vary there is only shifted.
    pub fn fit(kind: ScalingKind, rows: &Rows, on: &[&[u32]]) -> Self {
        let width = rows.width();
        let count = on.iter().map(|rows| rows.len()).sum::<usize>().max(1) as f64;
        let sparse = kind.keeps_zeros();
        let on = &Visits::of(rows, on);
        let (offset, spread): (Vec<f64>, Vec<f64>) = match kind {
            ScalingKind::None => (vec![0.0; width], vec![1.0; width]),
            ScalingKind::Byte => (vec![0.0; width], vec![255.0; width]),
            ScalingKind::UnitRange => {
                let mut ends = vec![[f64::INFINITY, f64::NEG_INFINITY]; width];
                for_columns(rows, on, sparse, &mut ends, |[low, high], value, _| {
                    *low = low.min(value);
                    *high = high.max(value);
                });
                ends.iter().map(|[low, high]| (*low, high - low)).unzip()
            }
            ScalingKind::LargestAbsolute => {
                let mut largest = vec![0.0_f64; width];
                for_columns(rows, on, sparse, &mut largest, |largest, value, _| {
                    *largest = largest.max(value.abs());
                });
                (vec![0.0; width], largest)
            }
            ScalingKind::Standardise => {
                let mut mean = vec![0.0; width];
                for_columns(rows, on, sparse, &mut mean, |sum, value, times| *sum += value * times);
                for sum in &mut mean {
                    *sum /= count;
                }
                let mut squares: Vec<[f64; 2]> = mean.iter().map(|mean| [*mean, 0.0]).collect();
                for_columns(rows, on, sparse, &mut squares, |[mean, sum], value, times| {
                    *sum += (value - *mean).powi(2) * times;
                });
                let deviation = squares.iter().map(|[_, sum]| (sum / count).sqrt()).collect();
                (mean, deviation)
            }
            ScalingKind::InverseFrequency => (vec![0.0; width], common(rows, on)),
        };
        Self::of_spread(kind, &offset, &spread)
    }

    /// From where each feature lies and how far it spreads; one that does not vary is only shifted.
    pub(crate) fn of_spread(kind: ScalingKind, offset: &[f64], spread: &[f64]) -> Self {
        let usable = |spread: f64| spread.is_finite() && spread > 1e-12;
        let offset = offset.iter().map(|x| if x.is_finite() { *x as f32 } else { 0.0 }).collect();
        let factor = spread.iter().map(|s| if usable(*s) { (1.0 / s) as f32 } else { 1.0 }).collect();
        Self::new(kind, offset, factor)
    }

    fn new(kind: ScalingKind, offset: Vec<f32>, factor: Vec<f32>) -> Self {
        let length = factor.iter().fold(0.0_f32, |largest, factor| largest.max(*factor));
        Self { kind, offset, factor, length }
    }

    /// The sum of the variances of the scaled features over the given rows: how many features there are, where
    /// they are standardised, and less where most are mostly 0.
    pub fn total_variance(&self, rows: &Rows, on: &[&[u32]]) -> f64 {
        let count = on.iter().map(|rows| rows.len()).sum::<usize>().max(1) as f64;
        let scaled = self.offset.iter().zip(&self.factor);
        let mut sums: Vec<_> = scaled.map(|(x, f)| ([0.0; 2], f64::from(*x), f64::from(*f))).collect();
        let mut add = |on: &Visits<'_>, of_row: f64| {
            let sparse = self.kind.keeps_zeros();
            for_columns(rows, on, sparse, &mut sums, |([sum, squares], offset, factor), value, times| {
                let scaled = (value - *offset) * *factor * of_row;
                *sum += scaled * times;
                *squares += scaled * scaled * times;
            });
        };
        if self.kind == ScalingKind::InverseFrequency {
            for at in on.iter().copied().flatten() {
                add(&Visits::Listed(&[&[*at]]), f64::from(self.of_row(rows, *at as usize)));
            }
        } else {
            add(&Visits::of(rows, on), 1.0);
        }
        let variance = |[sum, squares]: [f64; 2]| (squares / count - (sum / count).powi(2)).max(0.0);
        sums.iter().map(|(sums, ..)| variance(*sums)).sum()
    }

    /// A scaling that was fitted before. What its kind says of offsets and factors must hold.
    pub(crate) fn from_parts(kind: ScalingKind, offset: Vec<f32>, factor: Vec<f32>) -> Option<Self> {
        let all = |factors: f32| factor.iter().all(|factor| *factor == factors);
        let as_the_kind_says = match kind {
            ScalingKind::None => all(1.0),
            ScalingKind::Byte => all((1.0_f64 / 255.0) as f32),
            _ => true,
        };
        let unmoved = !kind.keeps_zeros() || offset.iter().all(|offset| *offset == 0.0);
        let usable = as_the_kind_says && unmoved && offset.len() == factor.len();
        usable.then(|| Self::new(kind, offset, factor))
    }

    /// What is subtracted from each feature.
    pub fn offset(&self) -> &[f32] {
        &self.offset
    }

    /// What each feature is multiplied with then.
    pub fn factor(&self) -> &[f32] {
        &self.factor
    }

    /// What rows are brought to by inverse frequency: the largest factor.
    #[cfg(any(feature = "onnx", test))]
    pub(super) fn length(&self) -> f32 {
        self.length
    }

    /// The kind that was fitted.
    pub fn kind(&self) -> ScalingKind {
        self.kind
    }

    /// What is taken from each feature first, where anything is.
    pub(super) fn shift(&self) -> Option<&[f32]> {
        (!self.kind.keeps_zeros()).then_some(&self.offset[..])
    }

    /// What each of these rows is multiplied with at last, where that is not 1 for all.
    pub(super) fn of_rows(&self, rows: &Rows, which: &[u32]) -> Option<Vec<f32>> {
        let of_rows = || which.iter().map(|row| self.of_row(rows, *row as usize)).collect();
        (self.kind == ScalingKind::InverseFrequency).then(of_rows)
    }

    /// What brings a row to the length of the largest factor; a row of zeros stays one.
    fn of_row(&self, rows: &Rows, row: usize) -> f32 {
        let mut squares = 0.0;
        let mut add = |column: usize, value: f32| {
            squares += (f64::from(value) * f64::from(self.factor[column])).powi(2);
        };
        if let Some(sparse) = rows.as_sparse() {
            let (columns, values) = sparse.row(row);
            columns
                .iter()
                .zip(values)
                .for_each(|(column, value)| add(*column as usize, *value));
        } else {
            let mut values = vec![0.0; rows.width()];
            rows.copy_row(row, &mut values);
            values.iter().enumerate().for_each(|(column, value)| add(column, *value));
        }
        if squares > 0.0 { (f64::from(self.length) / squares.sqrt()) as f32 } else { 1.0 }
    }

    /// Scales what was copied of row `row`.
    fn scale(&self, rows: &Rows, row: usize, into: &mut [f32]) {
        if self.kind != ScalingKind::None {
            fast(|| {
                for ((value, offset), factor) in into.iter_mut().zip(&self.offset).zip(&self.factor) {
                    *value = (*value - offset) * factor;
                }
            });
        }
        if self.kind == ScalingKind::InverseFrequency {
            let of_row = self.of_row(rows, row);
            for value in into.iter_mut() {
                *value *= of_row;
            }
        }
    }
}

/// The inverse of how much each feature counts: ln((1 + n)/(1 + m)) for one that m of the n rows have, times what makes
/// the largest √k, with k features to a row. So the numbers of a row that are not 0 are about 1.
fn common(rows: &Rows, on: &Visits<'_>) -> Vec<f64> {
    let mut having = vec![0.0; rows.width()];
    for_columns(rows, on, true, &mut having, |having, value, times| {
        *having += f64::from(u8::from(value != 0.0)) * times;
    });
    let count = on.count() as f64;
    let rarity: Vec<f64> = having.iter().map(|having| ((1.0 + count) / (1.0 + having)).ln()).collect();
    let largest = rarity.iter().copied().fold(0.0, f64::max);
    let length = (having.iter().sum::<f64>() / count.max(1.0)).sqrt();
    // A feature that all rows have counts next to nothing.
    rarity.iter().map(|rarity| largest / (length * rarity.max(1e-6))).collect()
}

/// Rows that are on their way from memory while one is copied.
const AHEAD: usize = 2;

/// The same where little is done with each.
const FAR_AHEAD: usize = 16;

/// Rows that one piece of work copies.
const ROWS: usize = 32;

/// So many cells are worth a second thread.
const WORTH_SHARING: usize = 1 << 18;

/// So many rows are many, …
const MANY: usize = 1 << 20;
/// … unless a table has that many more.
const COUNTED: usize = 8;

/// Copies rows together, scaled, one after the other. `into` is reused between batches.
pub(super) fn gather(stored: &Stored<'_>, into: &mut Vec<f32>) {
    let &Stored { rows, scaling, which, moved } = stored;
    let width = rows.width();
    into.resize(which.len() * width, 0.0);
    for_pieces(into, ROWS * width, |piece, into| {
        let which = &which[piece * ROWS..];
        let mut still = moved.map(|_| vec![0.0; width]);
        for (at, (into, row)) in into.chunks_exact_mut(width).zip(which).enumerate() {
            // Rows of a batch lie anywhere: the processor cannot guess the next.
            if let Some(next) = which.get(at + AHEAD) {
                rows.fetch_ahead(*next as usize);
            }
            let row = *row as usize;
            match (moved, &mut still) {
                (Some(Moved { image, by }), Some(still)) => {
                    rows.copy_row(row, still);
                    copy_moved(still, image, by[piece * ROWS + at], into);
                }
                _ => rows.copy_row(row, into),
            }
            scaling.scale(rows, row, into);
        }
    });
}

/// Copies an image, moved by so many pixels down and to the right. What comes in from outside is like the edge.
fn copy_moved(still: &[f32], [_, height, width]: [usize; 3], [down, right]: [i32; 2], into: &mut [f32]) {
    let from = |at: usize, by: i32, end: usize| at.saturating_add_signed(-(by as isize)).min(end - 1);
    for (into, still) in into.chunks_exact_mut(height * width).zip(still.chunks_exact(height * width)) {
        for (y, line) in into.chunks_exact_mut(width).enumerate() {
            let source = &still[from(y, down, height) * width..][..width];
            for (x, pixel) in line.iter_mut().enumerate() {
                *pixel = source[from(x, right, width)];
            }
        }
    }
}

/// Rows that a scaling is fitted on, some of them several times.
enum Visits<'a> {
    /// One after the other.
    Listed(&'a [&'a [u32]]),
    /// How often each row of the table is one of them, and how many they are in all.
    Counted(Vec<u32>, usize),
}

impl<'a> Visits<'a> {
    /// Few rows are visited in the order of the lists. Many are visited in that of the table, which goes through memory
    /// from its start to its end: sums then differ by rounding in 64 bits, of which next to nothing is left in the 32
    /// bits of a scaling.
    fn of(rows: &Rows, on: &'a [&'a [u32]]) -> Self {
        let count = on.iter().map(|rows| rows.len()).sum();
        if count < MANY || rows.len() / COUNTED > count {
            return Self::Listed(on);
        }
        let mut times = vec![0; rows.len()];
        for row in on.iter().copied().flatten() {
            times[*row as usize] += 1;
        }
        Self::Counted(times, count)
    }

    fn count(&self) -> usize {
        match self {
            Self::Listed(on) => on.iter().map(|rows| rows.len()).sum(),
            Self::Counted(_, count) => *count,
        }
    }

    /// Shows each row, and how often it counts.
    fn for_each(&self, rows: &Rows, columns: &Range<usize>, mut show: impl FnMut(usize, f64)) {
        match self {
            Self::Listed(on) => {
                for list in *on {
                    for (place, &at) in list.iter().enumerate() {
                        // The rows lie anywhere: the processor cannot guess the next.
                        if let Some(next) = list.get(place + FAR_AHEAD) {
                            rows.fetch_cells(*next as usize, columns.clone());
                        }
                        show(at as usize, 1.0);
                    }
                }
            }
            Self::Counted(times, _) => {
                for (at, times) in times.iter().enumerate().filter(|(_, times)| **times > 0) {
                    show(at, f64::from(*times));
                }
            }
        }
    }
}

/// Adds every cell of the rows to what is known of its column, or only those that are stored where zeros do not matter,
/// with how often it counts. Threads share the columns, so that each column's cells are added in one order.
fn for_columns<S: Send>(
    rows: &Rows,
    on: &Visits<'_>,
    zeros_do_not_matter: bool,
    columns: &mut [S],
    add: impl Fn(&mut S, f64, f64) + Sync,
) {
    if let Some(sparse) = rows.as_sparse().filter(|_| zeros_do_not_matter) {
        on.for_each(rows, &(0..0), |row, times| {
            let (stored, values) = sparse.row(row);
            for (column, value) in stored.iter().zip(values) {
                add(&mut columns[*column as usize], f64::from(*value), times);
            }
        });
        return;
    }
    let parts = if on.count() * columns.len() < WORTH_SHARING { 1 } else { threads() };
    let width = columns.len().div_ceil(parts).max(1);
    share_pieces(columns, width, |part, columns| {
        let first = part * width;
        let mut cells = vec![0.0; columns.len()];
        on.for_each(rows, &(first..first + columns.len()), |row, times| {
            rows.copy_from(row, first, &mut cells);
            for (column, value) in columns.iter_mut().zip(&cells) {
                add(column, f64::from(*value), times);
            }
        });
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream, unit};

    fn scaled(kind: ScalingKind, values: Vec<f32>, fitted_on: &[u32]) -> Vec<f32> {
        let rows = Rows::from_numbers(values, 2).unwrap();
        let scaling = Scaling::fit(kind, &rows, &[fitted_on]);
        gathered(&rows, &scaling)
    }

    fn gathered(rows: &Rows, scaling: &Scaling) -> Vec<f32> {
        let all: Vec<u32> = (0..rows.len() as u32).collect();
        let mut into = Vec::new();
        gather(&Stored::new(rows, scaling, &all), &mut into);
        into
    }

    #[test]
    fn standardised_training_rows_have_mean_zero_and_deviation_one() {
        let into = scaled(ScalingKind::Standardise, vec![1.0, 7.0, 3.0, 7.0, 100.0, 8.0], &[0, 1]);
        assert_eq!(into, [-1.0, 0.0, 1.0, 0.0, 98.0, 1.0]);
    }

    #[test]
    fn the_unit_range_is_that_of_the_training_rows() {
        let into = scaled(ScalingKind::UnitRange, vec![1.0, 7.0, 3.0, 7.0, 5.0, 8.0], &[0, 1]);
        assert_eq!(into, [0.0, 0.0, 1.0, 0.0, 2.0, 1.0]);
    }

    #[test]
    fn bytes_are_divided_by_255_and_none_leaves_features_alone() {
        let rows = Rows::from_bytes(vec![0, 255, 51, 102], 2).unwrap();
        assert_eq!(ScalingKind::default_for(&rows), ScalingKind::Byte);
        let scaling = Scaling::fit(ScalingKind::Byte, &rows, &[&[0, 1]]);
        for (value, expected) in gathered(&rows, &scaling).iter().zip([0.0, 1.0, 0.2, 0.4]) {
            assert!((value - expected).abs() < 1e-6);
        }
        assert_eq!(scaled(ScalingKind::None, vec![3.0, 4.0], &[0]), [3.0, 4.0]);
    }

    #[test]
    fn a_scaling_is_the_same_for_any_number_of_threads() {
        let mut rng = stream(4, Purpose::Weights);
        let (width, count) = (7, 20_000);
        let values = (0..width * count).map(|_| (unit(&mut rng) * 8.0 - 3.0) as f32).collect();
        let dense = Rows::from_numbers(values, width).unwrap();
        let bytes =
            Rows::from_bytes((0..width * count).map(|at| (at * at % 251) as u8).collect::<Vec<_>>(), width);
        let on: Vec<u32> = (0..3 * count as u32).map(|at| at * 7919 % count as u32).collect();
        for rows in [&dense, &dense.to_sparse(), &bytes.unwrap()] {
            for kind in [ScalingKind::Standardise, ScalingKind::UnitRange, ScalingKind::LargestAbsolute] {
                let with = |threads: usize| {
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                    pool.install(|| {
                        let scaling = Scaling::fit(kind, rows, &[&on, &on[..count]]);
                        let variance = scaling.total_variance(rows, &[&on, &on[..count]]);
                        (scaling, variance.to_bits())
                    })
                };
                let one = with(1);
                assert!((2..=9).all(|threads| with(threads) == one), "{kind:?}");
            }
        }
    }

    #[test]
    fn many_rows_are_scaled_as_the_same_rows_in_their_order() {
        let mut rng = stream(5, Purpose::Weights);
        let (width, count) = (3, 5000);
        let values = (0..width * count).map(|_| (unit(&mut rng) * 8.0 - 3.0) as f32).collect();
        let rows = Rows::from_numbers(values, width).unwrap();
        let on: Vec<u32> = (0..MANY as u32).map(|_| (unit(&mut rng) * count as f64) as u32).collect();
        let (fewer, rest) = on.split_at(MANY - 1);
        assert!(matches!(Visits::of(&rows, &[&on]), Visits::Counted(_, MANY)));
        assert!(matches!(Visits::of(&rows, &[fewer]), Visits::Listed(_)));
        let mut listed = vec![[0.0; 2]; width];
        for_columns(&rows, &Visits::Listed(&[fewer, rest]), false, &mut listed, |[sum, squares], x, _| {
            *sum += x;
            *squares += x * x;
        });
        let scaling = Scaling::fit(ScalingKind::Standardise, &rows, &[fewer, rest]);
        for ([sum, squares], (offset, factor)) in
            listed.into_iter().zip(scaling.offset().iter().zip(scaling.factor()))
        {
            let mean = sum / MANY as f64;
            let spread = (squares / MANY as f64 - mean * mean).sqrt();
            assert!((mean as f32 - offset).abs() <= offset.abs() * 2e-7, "{mean} {offset}");
            assert!(((1.0 / spread) as f32 - factor).abs() <= factor * 2e-7, "{spread} {factor}");
        }
        assert!((scaling.total_variance(&rows, &[&on]) - width as f64).abs() < 1e-6);
        assert_eq!(
            Scaling::fit(ScalingKind::UnitRange, &rows, &[&on]).offset(),
            Scaling::fit(ScalingKind::UnitRange, &rows, &[fewer]).offset()
        );
    }

    #[test]
    fn a_dense_table_of_mostly_zeros_is_scaled_as_a_sparse_one() {
        let rows = |ones: usize| {
            let values = (0..20).map(|at| if at < ones { 2.5 } else { 0.0 }).collect();
            Rows::from_numbers(values, 2).unwrap()
        };
        assert_eq!(ScalingKind::default_for(&rows(2)), ScalingKind::LargestAbsolute);
        assert_eq!(ScalingKind::default_for(&rows(3)), ScalingKind::Standardise);
    }

    #[test]
    fn sparse_rows_scale_as_dense_ones_do() {
        let dense = Rows::from_numbers(vec![0.0, -4.0, 2.0, 0.0, 0.0, 3.0], 2).unwrap();
        let sparse = dense.to_sparse();
        assert_eq!(ScalingKind::default_for(&sparse), ScalingKind::LargestAbsolute);
        for kind in [ScalingKind::LargestAbsolute, ScalingKind::Standardise, ScalingKind::UnitRange] {
            let scaling = Scaling::fit(kind, &sparse, &[&[0, 1, 2]]);
            assert_eq!(scaling, Scaling::fit(kind, &dense, &[&[0, 1, 2]]));
            assert_eq!(gathered(&sparse, &scaling), gathered(&dense, &scaling));
        }
        let scaling = Scaling::fit(ScalingKind::LargestAbsolute, &sparse, &[&[0, 1, 2]]);
        assert_eq!(gathered(&sparse, &scaling), [0.0, -1.0, 1.0, 0.0, 0.0, 0.75]);
    }

    /// As scikit-learn's `TfidfTransformer(smooth_idf=True)` without its added 1 has it, up to one length for all.
    #[test]
    fn rare_words_count_more_and_every_row_is_as_long() {
        // The first word is in all three rows, the second in two, the third in one.
        let values = vec![1.0, 2.0, 0.0, 1.0, 1.0, 3.0, 4.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        let dense = Rows::from_numbers(values, 3).unwrap();
        let scaling = Scaling::fit(ScalingKind::InverseFrequency, &dense, &[&[0, 1, 2]]);
        let sparse = dense.to_sparse();
        assert_eq!(scaling, Scaling::fit(ScalingKind::InverseFrequency, &sparse, &[&[0, 1, 2]]));
        let into = gathered(&dense, &scaling);
        assert_eq!(into, gathered(&sparse, &scaling));
        // Six words in three rows: √2.
        let length = 2.0_f32.sqrt();
        assert!((scaling.length() - length).abs() < 1e-6);
        for row in into.chunks_exact(3).take(3) {
            assert!((row.iter().map(|x| x * x).sum::<f32>().sqrt() - length).abs() < 1e-5, "{row:?}");
        }
        assert_eq!(into[9..], [0.0; 3]);
        let (once, twice) = (2.0_f32.ln(), (4.0_f32 / 3.0).ln());
        assert!((into[5] / into[4] - 3.0 * once / twice).abs() < 1e-4, "{into:?}");
        assert!(into[0].abs() < 1e-4, "a word of all rows says nothing: {into:?}");
        let variance = |rows: &Rows| scaling.total_variance(rows, &[&[0, 1, 2]]);
        assert!((variance(&dense) - variance(&sparse)).abs() < 1e-9);
    }

    #[test]
    fn the_total_variance_counts_standardised_features_and_weighs_others() {
        let values = vec![0.0, 1.0, 7.0, 4.0, 3.0, 7.0, 0.0, 5.0, 7.0];
        let rows = Rows::from_numbers(values, 3).unwrap();
        let all: &[u32] = &[0, 1, 2];
        let of = |kind| Scaling::fit(kind, &rows, &[all]).total_variance(&rows, &[all]);
        // The third feature does not vary.
        assert!((of(ScalingKind::Standardise) - 2.0).abs() < 1e-6);
        // 0, 4, 0 and 1, 3, 5 have variances 32/9 and 8/3; by their largest, 2/9 and 8/75.
        assert!((of(ScalingKind::None) - 32.0 / 9.0 - 8.0 / 3.0).abs() < 1e-6);
        assert!((of(ScalingKind::LargestAbsolute) - 2.0 / 9.0 - 8.0 / 75.0).abs() < 1e-6);
    }
}
