//! Lists of numbers, such as embeddings: as many columns as a list has numbers, `name[0]`, `name[1]`, …
//!
//! Parquet does not store how long lists are, so the first that is not empty tells, and all must be as long. A list that
//! is not there is missing in all of its columns.

use std::sync::Arc;

use parquet::file::metadata::ParquetMetaData;
use parquet::schema::types::ColumnDescriptor;

use super::column::{ColumnTrouble, Form, Wanted};
use super::pages::guarded;
use crate::table::cell::CellProblem;
use crate::table::file_at::FileAt;

/// Rows that are looked at together for the length of a list.
const LOOK: usize = 256;

/// A column of the table: a stored column, or one place in the lists that it holds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct ColumnPlace {
    pub(super) stored: usize,
    /// The place in the lists, and their length.
    pub(super) list: Option<(usize, usize)>,
}

/// The columns of a file and their names; what is wrong with a damaged one.
pub(super) fn columns_of(
    file: &Arc<FileAt>,
    metadata: &ParquetMetaData,
) -> Result<Vec<(String, ColumnPlace)>, ColumnTrouble> {
    let stored = metadata.file_metadata().schema_descr().columns();
    let mut columns = Vec::new();
    for (at, column) in stored.iter().enumerate() {
        let name = column.path().string();
        let root = &column.path().parts()[0];
        // Looked up for lists alone: for each of many columns it would take the square of their number.
        let alone = || stored.iter().filter(|other| other.path().parts()[0] == *root).count() == 1;
        let length =
            if column.max_rep_level() == 1 && alone() { length(file, metadata, at, column)? } else { 0 };
        if length == 0 {
            columns.push((name, ColumnPlace { stored: at, list: None }));
        }
        for item in 0..length {
            let list = Some((item, length));
            columns.push((format!("{root}[{item}]"), ColumnPlace { stored: at, list }));
        }
    }
    Ok(columns)
}

/// The length of the first list that is not empty; 0 where there is none, or where it holds no numbers.
fn length(
    file: &Arc<FileAt>,
    metadata: &ParquetMetaData,
    at: usize,
    column: &Arc<ColumnDescriptor>,
) -> Result<usize, ColumnTrouble> {
    let Ok(mut wanted) = Wanted::new(at, column, Form::List(0)) else { return Ok(0) };
    for group in metadata.row_groups() {
        guarded(|| wanted.open(file, group))?;
        let mut left = usize::try_from(group.num_rows()).unwrap_or(0);
        while left > 0 {
            let rows = left.min(LOOK);
            wanted.decode(rows)?;
            if let Some(length) = wanted.first_length() {
                return Ok(length);
            }
            left -= rows;
        }
    }
    Ok(0)
}

/// Where the numbers of lists are: for each entry its level and whether it starts a row.
pub(super) struct ListLevels<'a> {
    pub(super) levels: &'a [i16],
    pub(super) repeats: &'a [i16],
    /// The level of a number that is there.
    pub(super) present: i16,
    /// The level from which there is an entry in a list, be it empty.
    pub(super) inside: i16,
}

impl ListLevels<'_> {
    /// The length of the first list that is not empty.
    pub(super) fn first_length(&self) -> Option<usize> {
        let first = self.levels.iter().position(|level| *level >= self.inside)?;
        let more = self.repeats[first + 1..].iter().take_while(|repeat| **repeat > 0).count();
        Some(1 + more)
    }

    /// Puts numbers, column after column, where their rows and places are; NaN where there is none. Of length 0 nothing
    /// is wanted.
    pub(super) fn place(
        &self,
        mut numbers: impl Iterator<Item = f32>,
        rows: usize,
        length: usize,
        into: &mut Vec<f32>,
    ) -> Result<(), ColumnTrouble> {
        into.clear();
        if length == 0 {
            return Ok(());
        }
        into.resize(rows * length, f32::NAN);
        let (mut next_row, mut item) = (0, 0);
        let wrong = |row: usize, found: usize| {
            Err(ColumnTrouble::Cell(row, CellProblem::ListLength { found, first: length }))
        };
        for (level, repeat) in self.levels.iter().zip(self.repeats) {
            if *repeat == 0 {
                if next_row > 0 && item != 0 && item != length {
                    return wrong(next_row - 1, item);
                }
                (next_row, item) = (next_row + 1, 0);
            }
            if *level < self.inside {
                continue;
            }
            let number = if *level == self.present { numbers.next() } else { None };
            if item < length && next_row > 0 && next_row <= rows {
                into[item * rows + next_row - 1] = number.unwrap_or(f32::NAN);
            }
            item += 1;
        }
        if next_row > 0 && item != 0 && item != length {
            return wrong(next_row - 1, item);
        }
        Ok(())
    }
}
