//! What is done to features before the model sees them. It is fitted on training rows and travels with
//! the model.

use serde::Serialize;

use crate::data::Rows;

/// A kind of scaling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScalingKind {
    /// Features as they are.
    None,
    /// Bytes divided by 255.
    Byte,
    /// Each feature to [0, 1] over the training rows.
    UnitRange,
    /// Each feature to mean 0 and standard deviation 1 over the training rows.
    Standardise,
}

impl ScalingKind {
    /// The default: bytes by 255, numbers standardised.
    pub fn default_for(rows: &Rows) -> Self {
        if rows.are_bytes() { Self::Byte } else { Self::Standardise }
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

    /// The kind that was fitted.
    pub fn kind(&self) -> ScalingKind {
        self.kind
    }

    /// Scales one row in place.
    pub fn apply(&self, row: &mut [f32]) {
        if self.kind == ScalingKind::None {
            return;
        }
        for ((value, offset), factor) in row.iter_mut().zip(&self.offset).zip(&self.factor) {
            *value = (*value - offset) * factor;
        }
    }

    /// Copies rows, scaled, one after the other into `into`.
    pub fn gather(&self, rows: &Rows, which: &[u32], into: &mut [f32]) {
        for (&at, into) in which.iter().zip(into.chunks_exact_mut(rows.width())) {
            rows.copy_row(at as usize, into);
            self.apply(into);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scaled(kind: ScalingKind, values: Vec<f32>, fitted_on: &[u32]) -> Vec<f32> {
        let rows = Rows::from_numbers(values, 2).unwrap();
        let scaling = Scaling::fit(kind, &rows, &[fitted_on]);
        let all: Vec<u32> = (0..rows.len() as u32).collect();
        let mut into = vec![0.0; rows.len() * 2];
        scaling.gather(&rows, &all, &mut into);
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
        let mut into = [0.0; 4];
        scaling.gather(&rows, &[0, 1], &mut into);
        for (value, expected) in into.iter().zip([0.0, 1.0, 0.2, 0.4]) {
            assert!((value - expected).abs() < 1e-6);
        }
        assert_eq!(scaled(ScalingKind::None, vec![3.0, 4.0], &[0]), [3.0, 4.0]);
    }
}
