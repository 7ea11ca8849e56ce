//! The feature matrix.

use std::ops::Range;

use super::SparseRows;
use crate::error::Error;
use crate::nn::simd::{prefetch, wide};

/// Feature rows of equal width: numbers, the bytes of images, or mostly zeros.
///
/// Bytes stay bytes until a batch is made of them: a quarter of the memory. Sparse rows stay sparse in
/// a linear model, whose cost then follows the numbers that are not zero.
#[derive(Clone, Debug, PartialEq)]
pub struct Rows {
    values: Values,
    width: usize,
}

/// The numbers of [`Rows`] as they are stored: row after row, or sparse.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Values {
    Numbers(Vec<f32>),
    Bytes(Vec<u8>),
    Sparse(SparseRows),
}

impl Values {
    /// Removes all rows, keeping the memory.
    pub(super) fn clear(&mut self) {
        match self {
            Self::Numbers(values) => values.clear(),
            Self::Bytes(values) => values.clear(),
            Self::Sparse(rows) => rows.clear(),
        }
    }
}

impl Rows {
    /// Rows of finite numbers, row after row.
    pub fn from_numbers(values: Vec<f32>, width: usize) -> Result<Self, Error> {
        check_shape(values.len(), width)?;
        if let Some(at) = values.iter().position(|value| !value.is_finite()) {
            return Err(Error::NotFinite { row: at / width, column: at % width, value: values[at] });
        }
        Ok(Self { values: Values::Numbers(values), width })
    }

    /// Rows of image bytes, row after row.
    pub fn from_bytes(values: Vec<u8>, width: usize) -> Result<Self, Error> {
        check_shape(values.len(), width)?;
        Ok(Self { values: Values::Bytes(values), width })
    }

    /// Rows of finite numbers that are mostly zero.
    pub fn from_sparse(values: SparseRows, width: usize) -> Result<Self, Error> {
        check_shape(0, width)?;
        values.check(width)?;
        Ok(Self { values: Values::Sparse(values), width })
    }

    /// Rows whose reader has already refused what is not finite or has the wrong length.
    pub(super) fn of_checked(values: Values, width: usize) -> Self {
        Self { values, width: width.max(1) }
    }

    /// The cells, so that their memory can be used again.
    pub(super) fn into_values(self) -> Values {
        self.values
    }

    /// The same rows with only their non-zero numbers kept.
    #[must_use]
    pub fn to_sparse(&self) -> Self {
        let mut row = vec![0.0; self.width];
        let mut sparse = SparseRows::new();
        for at in 0..self.len() {
            self.copy_row(at, &mut row);
            sparse.push_dense(&row);
        }
        Self { values: Values::Sparse(sparse), width: self.width }
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        match &self.values {
            Values::Numbers(values) => values.len() / self.width,
            Values::Bytes(values) => values.len() / self.width,
            Values::Sparse(values) => values.len(),
        }
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of features.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Whether the rows are image bytes.
    pub fn are_bytes(&self) -> bool {
        matches!(self.values, Values::Bytes(_))
    }

    /// The rows as they are stored, if sparse.
    pub fn as_sparse(&self) -> Option<&SparseRows> {
        match &self.values {
            Values::Sparse(values) => Some(values),
            _ => None,
        }
    }

    /// The numbers as they are stored.
    pub(crate) fn values(&self) -> &Values {
        &self.values
    }

    /// Writes row `row` as numbers into `into`, which is as long as the row is wide.
    pub fn copy_row(&self, row: usize, into: &mut [f32]) {
        let range = row * self.width..(row + 1) * self.width;
        match &self.values {
            Values::Numbers(values) => into.copy_from_slice(&values[range]),
            Values::Bytes(values) => widen(&values[range], into),
            Values::Sparse(values) => {
                into.fill(0.0);
                let (columns, values) = values.row(row);
                for (column, value) in columns.iter().zip(values) {
                    into[*column as usize] = *value;
                }
            }
        }
    }

    /// Asks the processor to fetch a row that will be copied soon.
    pub(crate) fn fetch_ahead(&self, row: usize) {
        fn lines<T>(values: &[T], range: Range<usize>) {
            // A line of the cache is 64 bytes.
            range.step_by(64 / size_of::<T>()).for_each(|at| prefetch(values, at));
        }
        let range = row * self.width..(row + 1) * self.width;
        match &self.values {
            Values::Numbers(values) => lines(values, range),
            Values::Bytes(values) => lines(values, range),
            Values::Sparse(_) => {}
        }
    }

    /// The columns that hold one and the same value in every row. Sparse rows are not searched.
    pub fn constant_columns(&self) -> Vec<usize> {
        fn constant<T: PartialEq>(values: &[T], width: usize) -> Vec<usize> {
            (0..width)
                .filter(|&column| {
                    let mut cells = values.iter().skip(column).step_by(width);
                    cells.next().is_some_and(|first| cells.all(|cell| cell == first))
                })
                .collect()
        }
        match &self.values {
            Values::Numbers(values) => constant(values, self.width),
            Values::Bytes(values) => constant(values, self.width),
            Values::Sparse(_) => Vec::new(),
        }
    }

    /// The same rows without the named columns.
    pub fn without_columns(&self, columns: &[usize]) -> Result<Self, Error> {
        fn keep<T: Copy>(values: &[T], width: usize, columns: &[usize]) -> Vec<T> {
            let kept = |(at, value): (usize, &T)| (!columns.contains(&(at % width))).then_some(*value);
            values.iter().enumerate().filter_map(kept).collect()
        }
        let width = (0..self.width).filter(|column| !columns.contains(column)).count();
        match &self.values {
            Values::Numbers(values) => Self::from_numbers(keep(values, self.width, columns), width),
            Values::Bytes(values) => Self::from_bytes(keep(values, self.width, columns), width),
            Values::Sparse(values) => {
                let mut kept = SparseRows::new();
                for row in 0..values.len() {
                    let (at, values) = values.row(row);
                    let entries =
                        at.iter().zip(values).filter(|(at, _)| !columns.contains(&(**at as usize)));
                    kept.push(entries.map(|(at, value)| {
                        let before = columns.iter().filter(|column| **column < *at as usize).count();
                        (*at - before as u32, *value)
                    }));
                }
                Self::from_sparse(kept, width)
            }
        }
    }
}

fn check_shape(values: usize, width: usize) -> Result<(), Error> {
    if width == 0 {
        return Err(Error::Setting {
            name: "the number of features",
            value: "0".into(),
            allowed: "at least 1",
        });
    }
    if !values.is_multiple_of(width) {
        return Err(Error::mismatch("values", values, "features in each row", width));
    }
    Ok(())
}

wide! {
    fn widen(bytes: &'w [u8], into: &'w mut [f32]) {
        for (into, byte) in into.iter_mut().zip(bytes) {
            *into = f32::from(*byte);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_feature_that_is_not_finite_is_refused_with_its_place() {
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let error = Rows::from_numbers(vec![1.0, 2.0, 3.0, 4.0, bad, 6.0], 3).unwrap_err();
            assert!(error.to_string().starts_with("row 1, column 1"), "{error}");
        }
    }

    #[test]
    fn a_ragged_or_featureless_matrix_is_refused() {
        assert!(Rows::from_numbers(vec![1.0, 2.0, 3.0], 2).is_err());
        assert!(Rows::from_bytes(vec![], 0).is_err());
    }

    #[test]
    fn constant_columns_are_found_and_dropped_in_numbers_and_bytes() {
        let numbers = Rows::from_numbers(vec![0.0, 1.0, 5.0, 0.0, 2.0, 5.0], 3).unwrap();
        let bytes = Rows::from_bytes(vec![0, 1, 5, 0, 2, 5], 3).unwrap();
        for rows in [numbers, bytes] {
            assert_eq!(rows.constant_columns(), [0, 2]);
            let kept = rows.without_columns(&[0, 2]).unwrap();
            assert_eq!((kept.len(), kept.width()), (2, 1));
            let mut row = [0.0];
            kept.copy_row(1, &mut row);
            assert_eq!(row, [2.0]);
        }
    }
}
