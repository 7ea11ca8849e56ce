//! Batches of decoded columns, one row group after the other.

use std::path::Path;
use std::sync::Arc;

use parquet::errors::ParquetError;
use parquet::file::metadata::ParquetMetaData;
use parquet::schema::types::SchemaDescriptor;
use rayon::prelude::*;

use super::column::{ColumnTrouble, Wanted};
use super::pages::guarded;
use crate::table::file_at::FileAt;
use likelier::data::Texts;

/// The wanted columns of a file, read from its start to its end.
pub(super) struct Decoder {
    file: Arc<FileAt>,
    metadata: ParquetMetaData,
    wanted: Vec<Wanted>,
    /// The row group to open next.
    next_group: usize,
    /// Rows left in the opened row group.
    left: usize,
    /// Rows decoded.
    done: usize,
}

/// Some rows of all wanted columns, in their order: numbers or texts of each.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) rows: usize,
    pub(super) numbers: Vec<Vec<f32>>,
    pub(super) texts: Vec<Texts>,
}

/// Why a batch cannot be had.
pub(super) enum DecodeTrouble {
    /// A row group cannot be opened.
    Group(ParquetError),
    /// A stored column, with the rows before the batch.
    Column { stored: usize, rows_before: usize, trouble: ColumnTrouble },
}

impl Decoder {
    /// Of a file of which nothing is wanted yet.
    pub(super) fn new(file: Arc<FileAt>, metadata: ParquetMetaData) -> Self {
        Self { file, metadata, wanted: Vec::new(), next_group: 0, left: 0, done: 0 }
    }

    pub(super) fn path(&self) -> &Path {
        self.file.path()
    }

    pub(super) fn schema(&self) -> &SchemaDescriptor {
        self.metadata.file_metadata().schema_descr()
    }

    /// Says which stored columns are wanted.
    pub(super) fn want(&mut self, wanted: Vec<Wanted>) {
        self.wanted = wanted;
    }

    /// Decodes the next rows, at most so many, in the memory of an earlier batch.
    pub(super) fn next(&mut self, most: usize, mut memory: Batch) -> Result<Option<Batch>, DecodeTrouble> {
        if !self.open_group().map_err(DecodeTrouble::Group)? {
            return Ok(None);
        }
        let rows = self.left.min(most);
        memory.rows = rows;
        memory.numbers.resize_with(self.wanted.len(), Vec::new);
        memory.texts.resize_with(self.wanted.len(), Texts::new);
        let decode = |((wanted, numbers), texts): ((&mut Wanted, &mut Vec<f32>), &mut Texts)| {
            std::mem::swap(&mut wanted.numbers, numbers);
            std::mem::swap(&mut wanted.texts, texts);
            let decoded = wanted.decode(rows);
            std::mem::swap(&mut wanted.numbers, numbers);
            std::mem::swap(&mut wanted.texts, texts);
            (wanted.column, decoded)
        };
        let decoded: Vec<_> = self
            .wanted
            .par_iter_mut()
            .zip(&mut memory.numbers)
            .zip(&mut memory.texts)
            .map(decode)
            .collect();
        for (stored, decoded) in decoded {
            decoded.map_err(|trouble| DecodeTrouble::Column { stored, rows_before: self.done, trouble })?;
        }
        self.left -= rows;
        self.done += rows;
        Ok(Some(memory))
    }

    /// Opens row groups until one has rows; `false` means there is none left.
    fn open_group(&mut self) -> Result<bool, ParquetError> {
        while self.left == 0 {
            let Some(group) = self.metadata.row_groups().get(self.next_group) else { return Ok(false) };
            self.left = group.num_rows() as usize;
            self.next_group += 1;
            for wanted in &mut self.wanted {
                guarded(|| wanted.open(&self.file, group))?;
            }
        }
        Ok(true)
    }
}
