//! What is done to features before the model sees them. It is fitted on training rows and travels with
//! the model.

use serde::{Deserialize, Serialize};

use super::Inputs;
use crate::data::{Rows, SparseRows};
use crate::nn::parallel::for_pieces;
use crate::nn::simd::fast;

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
}

impl ScalingKind {
    /// The default: bytes by 255, sparse numbers by their largest, other numbers standardised.
    pub fn default_for(rows: &Rows) -> Self {
        if rows.are_bytes() {
            Self::Byte
        } else if rows.as_sparse().is_some() {
            Self::LargestAbsolute
        } else {
            Self::Standardise
        }
    }

    /// Whether zeros stay zeros.
    pub fn keeps_zeros(self) -> bool {
        matches!(self, Self::None | Self::Byte | Self::LargestAbsolute)
    }
}

/// A fitted scaling: x ↦ (x − offset)·factor, feature by feature.
#[derive(Clone, Debug, PartialEq)]
pub struct Scaling {
    kind: ScalingKind,
    offset: Vec<f32>,
    factor: Vec<f32>,
}

impl Scaling {
    /// Fits a scaling on the given lists of rows. A feature that does not vary there is only shifted.
    pub fn fit(kind: ScalingKind, rows: &Rows, on: &[&[u32]]) -> Self {
        let width = rows.width();
        let mut row = vec![0.0; width];
        let count = on.iter().map(|rows| rows.len()).sum::<usize>().max(1) as f64;
        let mut each = |visit: &mut dyn FnMut(usize, f64)| {
            for &at in on.iter().copied().flatten() {
                rows.copy_row(at as usize, &mut row);
                for (column, value) in row.iter().enumerate() {
                    visit(column, f64::from(*value));
                }
            }
        };
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
        };
        let usable = |spread: f64| spread.is_finite() && spread > 1e-12;
        Self {
            kind,
            offset: offset.iter().map(|x| if x.is_finite() { *x as f32 } else { 0.0 }).collect(),
            factor: spread.iter().map(|s| if usable(*s) { (1.0 / s) as f32 } else { 1.0 }).collect(),
        }
    }

    /// A scaling that was fitted before. What its kind says of offsets and factors must hold.
    pub(super) fn from_parts(kind: ScalingKind, offset: Vec<f32>, factor: Vec<f32>) -> Option<Self> {
        let all = |factors: f32| factor.iter().all(|factor| *factor == factors);
        let as_the_kind_says = match kind {
            ScalingKind::None => all(1.0),
            ScalingKind::Byte => all((1.0_f64 / 255.0) as f32),
            _ => true,
        };
        let unmoved = !kind.keeps_zeros() || offset.iter().all(|offset| *offset == 0.0);
        let usable = as_the_kind_says && unmoved && offset.len() == factor.len();
        usable.then_some(Self { kind, offset, factor })
    }

    /// What is subtracted from each feature.
    pub fn offset(&self) -> &[f32] {
        &self.offset
    }

    /// What each feature is multiplied with then.
    pub fn factor(&self) -> &[f32] {
        &self.factor
    }

    /// The kind that was fitted.
    pub fn kind(&self) -> ScalingKind {
        self.kind
    }

    /// The weights that do to features as they are what the given ones do to scaled features. Not where
    /// features are shifted: large offsets would cancel and take the digits with them.
    pub(super) fn fold(&self, weights: &[f32]) -> Option<Vec<f32>> {
        let scaled = || {
            weights
                .iter()
                .zip(&self.factor)
                .map(|(weight, factor)| weight * factor)
                .collect()
        };
        self.kind.keeps_zeros().then(scaled)
    }

    /// Writes row `row`, scaled.
    pub(super) fn copy_row(&self, rows: &Rows, row: usize, into: &mut [f32]) {
        rows.copy_row(row, into);
        if self.kind != ScalingKind::None {
            fast(|| {
                for ((value, offset), factor) in into.iter_mut().zip(&self.offset).zip(&self.factor) {
                    *value = (*value - offset) * factor;
                }
            });
        }
    }
}

/// Rows that one piece of work copies.
const ROWS: usize = 32;

/// The rows of a batch, scaled, as a model takes them. Reused between batches.
#[derive(Clone, Debug)]
pub struct BatchRows {
    dense: Vec<f32>,
    sparse: SparseRows,
    is_sparse: bool,
}

impl BatchRows {
    /// For batches of rows such as `rows`, kept sparse where they are, the scaling allows it and the
    /// model `takes_sparse`.
    pub fn new(rows: &Rows, scaling: &Scaling, takes_sparse: bool) -> Self {
        let is_sparse = takes_sparse && scaling.kind.keeps_zeros() && rows.as_sparse().is_some();
        Self { dense: Vec::new(), sparse: SparseRows::new(), is_sparse }
    }

    /// Brings the rows `which` together.
    pub fn gather(&mut self, rows: &Rows, scaling: &Scaling, which: &[u32]) {
        if let Some(sparse) = rows.as_sparse().filter(|_| self.is_sparse) {
            self.sparse.clear();
            for &row in which {
                self.sparse.push_scaled(sparse.row(row as usize), &scaling.factor);
            }
            return;
        }
        let width = rows.width();
        self.dense.resize(which.len() * width, 0.0);
        for_pieces(&mut self.dense, ROWS * width, |piece, into| {
            for (into, row) in into.chunks_exact_mut(width).zip(&which[piece * ROWS..]) {
                scaling.copy_row(rows, *row as usize, into);
            }
        });
    }

    /// What was gathered last.
    pub fn inputs(&self) -> Inputs<'_> {
        if self.is_sparse { Inputs::Sparse(&self.sparse) } else { Inputs::Dense(&self.dense) }
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
        let mut batch = BatchRows::new(rows, scaling, false);
        batch.gather(rows, scaling, &all);
        batch.dense
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
    fn sparse_rows_stay_sparse_and_scale_as_dense_ones_do() {
        let dense = Rows::from_numbers(vec![0.0, -4.0, 2.0, 0.0, 0.0, 3.0], 2).unwrap();
        let sparse = dense.to_sparse();
        assert_eq!(ScalingKind::default_for(&sparse), ScalingKind::LargestAbsolute);
        let scaling = Scaling::fit(ScalingKind::LargestAbsolute, &sparse, &[&[0, 1, 2]]);
        let mut batch = BatchRows::new(&sparse, &scaling, true);
        batch.gather(&sparse, &scaling, &[2, 0]);
        let Inputs::Sparse(rows) = batch.inputs() else { panic!("not sparse") };
        assert_eq!((rows.row(0), rows.row(1)), ((&[1][..], &[0.75][..]), (&[1][..], &[-1.0][..])));
        assert_eq!(gathered(&dense, &scaling), [0.0, -1.0, 1.0, 0.0, 0.0, 0.75]);
        // Standardising would fill the zeros, so the rows become dense.
        let scaling = Scaling::fit(ScalingKind::Standardise, &sparse, &[&[0, 1, 2]]);
        assert!(matches!(BatchRows::new(&sparse, &scaling, true).inputs(), Inputs::Dense(_)));
    }
}
