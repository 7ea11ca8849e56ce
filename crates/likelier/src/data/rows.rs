//! The feature matrix.

use crate::error::Error;

/// Feature rows of equal width: numbers, or the bytes of images.
///
/// Bytes stay bytes until a batch is made of them: a quarter of the memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Rows {
    values: Values,
    width: usize,
}

#[derive(Clone, Debug, PartialEq)]
enum Values {
    Numbers(Vec<f32>),
    Bytes(Vec<u8>),
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

    /// The number of rows.
    pub fn len(&self) -> usize {
        let values = match &self.values {
            Values::Numbers(values) => values.len(),
            Values::Bytes(values) => values.len(),
        };
        values / self.width
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

    /// Writes row `row` as numbers into `into`, which is as long as the row is wide.
    pub fn copy_row(&self, row: usize, into: &mut [f32]) {
        let range = row * self.width..(row + 1) * self.width;
        match &self.values {
            Values::Numbers(values) => into.copy_from_slice(&values[range]),
            Values::Bytes(values) => {
                for (into, byte) in into.iter_mut().zip(&values[range]) {
                    *into = f32::from(*byte);
                }
            }
        }
    }

    /// The columns that hold one and the same value in every row.
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
        return Err(Error::Mismatch {
            left: "values",
            left_count: values,
            right: "features in each row",
            right_count: width,
        });
    }
    Ok(())
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
