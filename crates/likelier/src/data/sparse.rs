//! Rows that are mostly zero: only the other numbers are kept (compressed sparse rows).

use crate::error::Error;

/// Rows of which only the non-zero numbers are stored, with their columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SparseRows {
    /// Row r holds the entries `starts[r]..starts[r + 1]`.
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f32>,
}

impl SparseRows {
    /// No rows yet.
    pub fn new() -> Self {
        Self { starts: vec![0], columns: Vec::new(), values: Vec::new() }
    }

    /// Adds a row.
    pub fn push(&mut self, entries: impl IntoIterator<Item = (u32, f32)>) {
        for (column, value) in entries {
            self.columns.push(column);
            self.values.push(value);
        }
        self.starts.push(self.values.len());
    }

    /// Adds the non-zero numbers of a dense row.
    pub fn push_dense(&mut self, row: &[f32]) {
        let entries = row.iter().enumerate().filter(|(_, value)| **value != 0.0);
        self.push(entries.map(|(column, value)| (column as u32, *value)));
    }

    /// Removes all rows, keeping the memory.
    pub fn clear(&mut self) {
        self.starts.truncate(1);
        self.columns.clear();
        self.values.clear();
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many numbers are stored.
    pub(crate) fn entries(&self) -> usize {
        self.values.len()
    }

    /// The columns and the numbers of a row.
    pub fn row(&self, row: usize) -> (&[u32], &[f32]) {
        let range = self.starts[row]..self.starts[row + 1];
        (&self.columns[range.clone()], &self.values[range])
    }

    /// Refuses numbers that are not finite and columns outside `width`.
    pub(super) fn check(&self, width: usize) -> Result<(), Error> {
        for row in 0..self.len() {
            let (columns, values) = self.row(row);
            for (&column, &value) in columns.iter().zip(values) {
                if !value.is_finite() {
                    return Err(Error::NotFinite { row, column: column as usize, value });
                }
                if column as usize >= width {
                    return Err(Error::mismatch(
                        "as the largest column",
                        column as usize,
                        "features",
                        width,
                    ));
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_that_are_not_zero_are_kept() {
        let mut rows = SparseRows::new();
        for row in [[0.0, 2.0, 0.0], [0.0; 3], [3.0, 0.0, -1.0]] {
            rows.push_dense(&row);
        }
        assert_eq!(rows.len(), 3);
        assert_eq!(rows.row(0), (&[1][..], &[2.0][..]));
        assert_eq!(rows.row(1), (&[][..], &[][..]));
        assert_eq!(rows.row(2), (&[0, 2][..], &[3.0, -1.0][..]));
        assert!(rows.check(3).is_ok() && rows.check(2).is_err());
    }

    #[test]
    fn a_cleared_matrix_is_empty_and_can_be_filled_again() {
        let mut rows = SparseRows::new();
        rows.push_dense(&[1.0, 2.0]);
        rows.clear();
        assert!(rows.is_empty());
        rows.push([(1, 5.0)]);
        assert_eq!((rows.len(), rows.row(0)), (1, (&[1][..], &[5.0][..])));
    }
}
