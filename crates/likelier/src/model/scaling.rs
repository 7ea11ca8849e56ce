//! What is done to features before the model sees them. It is fitted on training rows and travels with
//! the model.

use serde::{Deserialize, Serialize};

use super::Stored;
use crate::data::Rows;
use crate::numerics::parallel::for_pieces;
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
        let each = |visit: &mut dyn FnMut(usize, f64)| visit_cells(rows, on, kind.keeps_zeros(), visit);
        let (offset, spread): (Vec<f64>, Vec<f64>) = match kind {
            ScalingKind::None => (vec![0.0; width], vec![1.0; width]),
            ScalingKind::Byte => (vec![0.0; width], vec![255.0; width]),
            ScalingKind::UnitRange => {
                let mut low = vec![f64::INFINITY; width];
                let mut high = vec![f64::NEG_INFINITY; width];
                each(&mut |column, value| {
                    low[column] = low[column].min(value);
                    high[column] = high[column].max(value);
                });
                let spread = high.iter().zip(&low).map(|(high, low)| high - low).collect();
                (low, spread)
            }
            ScalingKind::LargestAbsolute => {
                let mut largest = vec![0.0_f64; width];
                each(&mut |column, value| largest[column] = largest[column].max(value.abs()));
                (vec![0.0; width], largest)
            }
            ScalingKind::Standardise => {
                let mut mean = vec![0.0; width];
                each(&mut |column, value| mean[column] += value);
                for sum in &mut mean {
                    *sum /= count;
                }
                let mut squares = vec![0.0; width];
                each(&mut |column, value| squares[column] += (value - mean[column]).powi(2));
                let deviation = squares.iter().map(|sum| (sum / count).sqrt()).collect();
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
        let mut sums = vec![[0.0; 2]; rows.width()];
        let mut add = |column: usize, value: f64, of_row: f64| {
            let scaled = (value - f64::from(self.offset[column])) * f64::from(self.factor[column]) * of_row;
            sums[column][0] += scaled;
            sums[column][1] += scaled * scaled;
        };
        if self.kind == ScalingKind::InverseFrequency {
            for at in on.iter().copied().flatten() {
                let of_row = f64::from(self.of_row(rows, *at as usize));
                visit_cells(rows, &[&[*at]], true, &mut |column, value| add(column, value, of_row));
            }
        } else {
            visit_cells(rows, on, self.kind.keeps_zeros(), &mut |column, value| add(column, value, 1.0));
        }
        let variance = |[sum, squares]: &[f64; 2]| (squares / count - (sum / count).powi(2)).max(0.0);
        sums.iter().map(variance).sum()
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
        visit_cells(rows, &[&[row as u32]], true, &mut |column, value| {
            squares += (value * f64::from(self.factor[column])).powi(2);
        });
        if squares > 0.0 { (f64::from(self.length) / squares.sqrt()) as f32 } else { 1.0 }
    }

    /// Writes row `row`, scaled.
    fn copy_row(&self, rows: &Rows, row: usize, into: &mut [f32]) {
        rows.copy_row(row, into);
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
fn common(rows: &Rows, on: &[&[u32]]) -> Vec<f64> {
    let mut having = vec![0.0; rows.width()];
    visit_cells(rows, on, true, &mut |column, value| having[column] += f64::from(u8::from(value != 0.0)));
    let count = on.iter().map(|rows| rows.len()).sum::<usize>() as f64;
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

/// Copies rows together, scaled, one after the other. `into` is reused between batches.
pub(super) fn gather(stored: &Stored<'_>, into: &mut Vec<f32>) {
    let &Stored { rows, scaling, which } = stored;
    let width = rows.width();
    into.resize(which.len() * width, 0.0);
    for_pieces(into, ROWS * width, |piece, into| {
        let which = &which[piece * ROWS..];
        for (at, (into, row)) in into.chunks_exact_mut(width).zip(which).enumerate() {
            // Rows of a batch lie anywhere: the processor cannot guess the next.
            if let Some(next) = which.get(at + AHEAD) {
                rows.fetch_ahead(*next as usize);
            }
            scaling.copy_row(rows, *row as usize, into);
        }
    });
}

/// Shows every cell of the rows, or only those that are stored where zeros do not matter.
fn visit_cells(rows: &Rows, on: &[&[u32]], zeros_do_not_matter: bool, visit: &mut dyn FnMut(usize, f64)) {
    let sparse = rows.as_sparse().filter(|_| zeros_do_not_matter);
    let mut row = if sparse.is_some() { Vec::new() } else { vec![0.0; rows.width()] };
    for list in on {
        for (place, &at) in list.iter().enumerate() {
            // The rows lie anywhere: the processor cannot guess the next.
            if let Some(next) = list.get(place + FAR_AHEAD) {
                rows.fetch_ahead(*next as usize);
            }
            if let Some(sparse) = sparse {
                let (columns, values) = sparse.row(at as usize);
                for (column, value) in columns.iter().zip(values) {
                    visit(*column as usize, f64::from(*value));
                }
                continue;
            }
            rows.copy_row(at as usize, &mut row);
            for (column, value) in row.iter().enumerate() {
                visit(column, f64::from(*value));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scaled(kind: ScalingKind, values: Vec<f32>, fitted_on: &[u32]) -> Vec<f32> {
        let rows = Rows::from_numbers(values, 2).unwrap();
        let scaling = Scaling::fit(kind, &rows, &[fitted_on]);
        gathered(&rows, &scaling)
    }

    fn gathered(rows: &Rows, scaling: &Scaling) -> Vec<f32> {
        let all: Vec<u32> = (0..rows.len() as u32).collect();
        let mut into = Vec::new();
        gather(&Stored { rows, scaling, which: &all }, &mut into);
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
