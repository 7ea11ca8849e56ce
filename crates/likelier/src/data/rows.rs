//! The feature matrix.

use std::borrow::Cow;
#[cfg(feature = "engine")]
use std::ops::Range;

use super::SparseRows;
use crate::error::Error;
#[cfg(feature = "engine")]
use crate::numerics::simd::prefetch;
use crate::numerics::simd::wide;

/// Feature rows of equal width: numbers, the bytes of images, or mostly zeros; owned or borrowed.
///
/// Bytes stay bytes until a batch is made of them: a quarter of the memory. Sparse rows stay sparse in
/// a linear model, whose cost then follows the numbers that are not zero.
///
/// ```
/// use likelier::Rows;
///
/// let matrix = [0.5, 1.0, 1.5, 2.0]; // two rows of two features
/// let rows = Rows::borrowed(&matrix, 2)?; // nothing is copied
/// assert_eq!((rows.len(), rows.width()), (2, 2));
/// # Ok::<(), likelier::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Rows<'a> {
    cells: Cells<'a>,
    width: usize,
}

/// The numbers of [`Rows`] as they are stored: row after row, or sparse.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cells<'a> {
    Numbers(Cow<'a, [f32]>),
    Bytes(Cow<'a, [u8]>),
    Sparse(SparseRows),
}

/// Cells that a reader fills, to become [`Rows`] when they are whole.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Row after row.
    Numbers(Vec<f32>),
    /// Row after row.
    Bytes(Vec<u8>),
    /// Without their zeros.
    Sparse(SparseRows),
}

impl Values {
    /// Removes all rows, keeping the memory.
    pub fn clear(&mut self) {
        match self {
            Self::Numbers(values) => values.clear(),
            Self::Bytes(values) => values.clear(),
            Self::Sparse(rows) => rows.clear(),
        }
    }
}

impl<'a> Rows<'a> {
    /// Rows of finite numbers, row after row.
    pub fn from_numbers(values: Vec<f32>, width: usize) -> Result<Self, Error> {
        Self::of_numbers(Cow::Owned(values), width)
    }

    /// Rows of finite numbers that lie elsewhere, row after row.
    pub fn borrowed(values: &'a [f32], width: usize) -> Result<Self, Error> {
        Self::of_numbers(Cow::Borrowed(values), width)
    }

    fn of_numbers(values: Cow<'a, [f32]>, width: usize) -> Result<Self, Error> {
        check_shape(values.len(), width)?;
        if let Some(at) = values.iter().position(|value| !value.is_finite()) {
            return Err(Error::NotFinite { row: at / width, column: at % width, value: values[at] });
        }
        Ok(Self { cells: Cells::Numbers(values), width })
    }

    /// Rows of image bytes, row after row.
    pub fn from_bytes(values: impl Into<Cow<'a, [u8]>>, width: usize) -> Result<Self, Error> {
        let values = values.into();
        check_shape(values.len(), width)?;
        Ok(Self { cells: Cells::Bytes(values), width })
    }

    /// Rows of finite numbers that are mostly zero.
    pub fn from_sparse(values: SparseRows, width: usize) -> Result<Self, Error> {
        check_shape(0, width)?;
        values.check(width)?;
        Ok(Self { cells: Cells::Sparse(values), width })
    }

    /// Rows whose reader has already refused what is not finite or has the wrong length.
    #[doc(hidden)]
    pub fn of_checked(values: Values, width: usize) -> Self {
        let cells = match values {
            Values::Numbers(values) => Cells::Numbers(values.into()),
            Values::Bytes(values) => Cells::Bytes(values.into()),
            Values::Sparse(values) => Cells::Sparse(values),
        };
        Self { cells, width: width.max(1) }
    }

    /// The cells, so that their memory can be used again.
    #[doc(hidden)]
    pub fn into_values(self) -> Values {
        match self.cells {
            Cells::Numbers(values) => Values::Numbers(values.into_owned()),
            Cells::Bytes(values) => Values::Bytes(values.into_owned()),
            Cells::Sparse(values) => Values::Sparse(values),
        }
    }

    /// The same rows with only their non-zero numbers kept.
    #[must_use]
    pub fn to_sparse(&self) -> Rows<'static> {
        let mut row = vec![0.0; self.width];
        let mut sparse = SparseRows::new();
        for at in 0..self.len() {
            self.copy_row(at, &mut row);
            sparse.push_dense(&row);
        }
        Rows { cells: Cells::Sparse(sparse), width: self.width }
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        match &self.cells {
            Cells::Numbers(values) => values.len() / self.width,
            Cells::Bytes(values) => values.len() / self.width,
            Cells::Sparse(values) => values.len(),
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
        matches!(self.cells, Cells::Bytes(_))
    }

    /// The numbers row after row, if that is how they are stored.
    pub(crate) fn as_numbers(&self) -> Option<&[f32]> {
        match &self.cells {
            Cells::Numbers(values) => Some(values),
            _ => None,
        }
    }

    /// The rows as they are stored, if sparse.
    pub fn as_sparse(&self) -> Option<&SparseRows> {
        match &self.cells {
            Cells::Sparse(values) => Some(values),
            _ => None,
        }
    }

    /// The numbers as they are stored.
    #[cfg(feature = "engine")]
    pub(crate) fn cells(&self) -> &Cells<'a> {
        &self.cells
    }

    /// Writes row `row` as numbers into `into`, which is as long as the row is wide.
    pub fn copy_row(&self, row: usize, into: &mut [f32]) {
        self.copy_from(row, 0, into);
    }

    /// Writes as many cells of row `row` as `into` has, from a column on.
    pub(crate) fn copy_from(&self, row: usize, column: usize, into: &mut [f32]) {
        let start = row * self.width + column;
        let range = start..start + into.len();
        match &self.cells {
            Cells::Numbers(values) => into.copy_from_slice(&values[range]),
            Cells::Bytes(values) => widen(&values[range], into),
            Cells::Sparse(values) => {
                into.fill(0.0);
                let (columns, values) = values.row(row);
                for (at, value) in columns.iter().zip(values) {
                    if let Some(cell) = into.get_mut((*at as usize).wrapping_sub(column)) {
                        *cell = *value;
                    }
                }
            }
        }
    }

    /// Asks the processor to fetch a row that will be copied soon.
    #[cfg(feature = "engine")]
    pub(crate) fn fetch_ahead(&self, row: usize) {
        self.fetch_cells(row, 0..self.width);
    }

    /// The same for some of its columns.
    #[cfg(feature = "engine")]
    pub(crate) fn fetch_cells(&self, row: usize, columns: Range<usize>) {
        fn lines<T>(values: &[T], range: Range<usize>) {
            // A line of the cache is 64 bytes.
            range.step_by(64 / size_of::<T>()).for_each(|at| prefetch(values, at));
        }
        let start = row * self.width;
        let range = start + columns.start..start + columns.end;
        match &self.cells {
            Cells::Numbers(values) => lines(values, range),
            Cells::Bytes(values) => lines(values, range),
            Cells::Sparse(_) => {}
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
        match &self.cells {
            Cells::Numbers(values) => constant(values, self.width),
            Cells::Bytes(values) => constant(values, self.width),
            Cells::Sparse(_) => Vec::new(),
        }
    }

    /// The same rows without the named columns.
    pub fn without_columns(&self, columns: &[usize]) -> Result<Rows<'static>, Error> {
        fn keep<T: Copy>(values: &[T], width: usize, columns: &[usize]) -> Vec<T> {
            let kept = |(at, value): (usize, &T)| (!columns.contains(&(at % width))).then_some(*value);
            values.iter().enumerate().filter_map(kept).collect()
        }
        let width = (0..self.width).filter(|column| !columns.contains(column)).count();
        match &self.cells {
            Cells::Numbers(values) => Rows::from_numbers(keep(values, self.width, columns), width),
            Cells::Bytes(values) => Rows::from_bytes(keep(values, self.width, columns), width),
            Cells::Sparse(values) => {
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
                Rows::from_sparse(kept, width)
            }
        }
    }
}

#[cfg(feature = "ndarray")]
impl<'a> TryFrom<ndarray::ArrayView2<'a, f32>> for Rows<'a> {
    type Error = Error;

    /// Borrows a matrix that lies row after row in memory; any other order is copied.
    fn try_from(matrix: ndarray::ArrayView2<'a, f32>) -> Result<Self, Error> {
        let width = matrix.ncols();
        match matrix.to_slice() {
            Some(values) => Self::borrowed(values, width),
            None => Self::from_numbers(matrix.iter().copied().collect(), width),
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
        assert!(Rows::from_bytes(Vec::new(), 0).is_err());
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

    #[test]
    fn borrowed_rows_are_read_where_they_lie() {
        let (numbers, bytes) = ([1.0, 2.0, 3.0, 4.0], [1, 2, 3, 4]);
        let borrowed = Rows::borrowed(&numbers, 2).unwrap();
        assert!(
            matches!(&borrowed.cells, Cells::Numbers(Cow::Borrowed(cells)) if cells.as_ptr() == numbers.as_ptr())
        );
        assert_eq!(borrowed, Rows::from_numbers(numbers.to_vec(), 2).unwrap());
        let images = Rows::from_bytes(&bytes[..], 2).unwrap();
        assert!(
            matches!(&images.cells, Cells::Bytes(Cow::Borrowed(cells)) if cells.as_ptr() == bytes.as_ptr())
        );
        // What is made of them owns its numbers.
        let kept = { Rows::borrowed(&[1.0, 2.0, 3.0, 4.0], 2).unwrap().without_columns(&[0]).unwrap() };
        assert_eq!(kept, Rows::from_numbers(vec![2.0, 4.0], 1).unwrap());
        assert!(matches!(
            Rows::borrowed(&[1.0, 2.0, f32::NAN, 4.0], 2),
            Err(Error::NotFinite { row: 1, column: 0, .. })
        ));
        assert!(Rows::borrowed(&numbers, 3).is_err());
    }

    #[cfg(feature = "ndarray")]
    #[test]
    fn a_matrix_of_ndarray_is_borrowed_if_it_lies_row_after_row_and_copied_if_not() {
        use ndarray::{Array2, ArrayView2, s};
        let matrix = Array2::from_shape_vec((3, 2), vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
        let rows = |view: ArrayView2<'_, f32>| {
            let rows = Rows::try_from(view).unwrap();
            let borrowed = matches!(&rows.cells, Cells::Numbers(Cow::Borrowed(_)));
            let mut row = vec![0.0; rows.width()];
            let cells: Vec<f32> = (0..rows.len())
                .flat_map(|at| {
                    rows.copy_row(at, &mut row);
                    row.clone()
                })
                .collect();
            (borrowed, rows.width(), cells)
        };
        assert_eq!(rows(matrix.view()), (true, 2, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
        assert_eq!(rows(matrix.slice(s![1.., ..])), (true, 2, vec![3.0, 4.0, 5.0, 6.0]));
        assert_eq!(rows(matrix.t()), (false, 3, vec![1.0, 3.0, 5.0, 2.0, 4.0, 6.0]));
        assert_eq!(rows(matrix.slice(s![.., 1..])), (false, 1, vec![2.0, 4.0, 6.0]));
        assert_eq!(rows(matrix.slice(s![..;-1, ..])), (false, 2, vec![5.0, 6.0, 3.0, 4.0, 1.0, 2.0]));
        let broken = Array2::from_elem((2, 2), f32::INFINITY);
        assert!(matches!(Rows::try_from(broken.view()), Err(Error::NotFinite { row: 0, column: 0, .. })));
    }
}
