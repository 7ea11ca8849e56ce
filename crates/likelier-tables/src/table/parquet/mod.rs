//! Parquet: columns stored apart, in row groups, each cut into compressed pages.
//!
//! Only the wanted columns are read. A batch of rows is decoded column by column by all cores and then
//! turned into rows, a tile at a time, so that both sides of the turn stay in the cache; meanwhile the next
//! batch is decoded, so that no core waits for another. Of each column one page is in memory, whatever the
//! length of the file.

mod column;
mod decoder;
mod lists;
mod pages;
mod shown;

use std::collections::HashMap;
use std::io::BufReader;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::metadata::ParquetMetaDataReader;
use parquet::file::reader::{ChunkReader, Length};

use self::column::{ColumnTrouble, Form, Wanted};
use self::decoder::{Batch, DecodeTrouble, Decoder};
use self::lists::{ColumnPlace, columns_of};
use self::pages::guarded;
use super::cell::Position;
use super::file_at::{FileAt, ReaderAt};
use super::{Chunk, Columns, Picked, PickedNumber, TableReader, batch_rows, check_width};
use crate::error::TableError;
use crate::parallel::for_pieces;
use crate::problem::FormatProblem;

/// The first bytes of a file.
pub(super) const MAGIC: &[u8] = b"PAR1";

/// Numbers in a tile that is turned from columns into rows: half of a first-level cache.
const TILE: usize = 1 << 12;

/// An opened Parquet file.
pub(super) struct ParquetTable {
    columns: Columns,
    /// Where the columns are stored.
    places: Vec<ColumnPlace>,
    selection: Picked,
    /// For each column of numbers which of the decoded ones it is in.
    numbers: Vec<usize>,
    decoder: Decoder,
    /// What was decoded and not yet handed over; `None` before the first and after the last batch.
    decoded: Option<Result<Batch, DecodeTrouble>>,
    /// Memory for the next batch.
    spare: Batch,
}

impl ParquetTable {
    /// Opens a file and reads what it holds.
    pub(super) fn open(path: &Path) -> Result<Self, TableError> {
        let file = FileAt::open(path)?;
        let metadata = guarded(|| ParquetMetaDataReader::new().parse_and_finish(&file))
            .map_err(|error| damaged(path, &error))?;
        let stored = metadata.file_metadata().schema_descr().num_columns();
        for group in metadata.row_groups() {
            if group.columns().len() != stored || group.num_rows() < 0 {
                return Err(TableError::format(path, "has row groups that do not fit its columns"));
            }
            let unread = group.columns().iter().find_map(|column| match column.compression() {
                Compression::BROTLI(_) => Some("Brotli"),
                Compression::LZO => Some("LZO"),
                _ => None,
            });
            if let Some(compression) = unread {
                return Err(TableError::format(path, FormatProblem::ColumnCompression(compression)));
            }
        }
        let file = Arc::new(file);
        let columns = columns_of(&file, &metadata).map_err(|trouble| match trouble {
            ColumnTrouble::Damaged(error) => {
                TableError::format(path, format!("has a damaged list: {error}"))
            }
            ColumnTrouble::Cell(row, problem) => problem.at(path, Position::Row(row + 1), 0, String::new()),
        })?;
        check_width(path, columns.len())?;
        let (names, places) = columns.into_iter().unzip();
        let columns = Columns::Named(names);
        columns.check_names(path, None)?;
        Ok(Self {
            columns,
            places,
            numbers: Vec::new(),
            selection: Picked::default(),
            decoder: Decoder::new(file, metadata),
            decoded: None,
            spare: Batch::default(),
        })
    }

    fn error(&self, trouble: DecodeTrouble) -> TableError {
        let path = self.decoder.path();
        let (stored, rows_before, trouble) = match trouble {
            DecodeTrouble::Group(error) => return damaged(path, &error),
            DecodeTrouble::Column { stored, rows_before, trouble } => (stored, rows_before, trouble),
        };
        let column = self.places.iter().position(|place| place.stored == stored).unwrap_or_default();
        let name = self.columns.name(column);
        match trouble {
            ColumnTrouble::Damaged(error) => {
                TableError::format(path, format!("column {} ('{name}') is damaged: {error}", column + 1))
            }
            ColumnTrouble::Cell(row, problem) => {
                problem.at(path, Position::Row(rows_before + row + 1), column, name)
            }
        }
    }
}

impl TableReader for ParquetTable {
    fn columns(&self) -> &Columns {
        &self.columns
    }

    fn select(&mut self, selection: Picked) -> Result<(), TableError> {
        let schema = self.decoder.schema();
        let want = |column: usize, form: Form| {
            let stored = self.places[column].stored;
            Wanted::new(stored, &schema.column(stored), form).map_err(|misfit| {
                TableError::format(self.decoder.path(), misfit.of(column + 1, self.columns.name(column)))
            })
        };
        let mut wanted: Vec<Wanted> = Vec::new();
        let mut numbers = Vec::new();
        let mut lists = HashMap::new();
        for number in &selection.numbers {
            let place = self.places[number.column];
            let known = lists.get(&place.stored).copied();
            numbers.push(known.unwrap_or(wanted.len()));
            if known.is_none() {
                let form = place.list.map_or(Form::Number(number.offset), |(_, length)| Form::List(length));
                lists.insert(place.stored, wanted.len());
                wanted.push(want(number.column, form)?);
            }
        }
        for column in &selection.texts {
            wanted.push(want(*column, Form::Text)?);
        }
        (self.numbers, self.selection) = (numbers, selection);
        self.decoder.want(wanted);
        Ok(())
    }

    fn read(&mut self, into: &mut Chunk) -> Result<bool, TableError> {
        let most = batch_rows(self.selection.numbers.len() + self.selection.texts.len());
        if self.decoded.is_none() {
            self.decoded = self.decoder.next(most, std::mem::take(&mut self.spare)).transpose();
        }
        let batch = match self.decoded.take() {
            None => return Ok(false),
            Some(batch) => batch.map_err(|trouble| self.error(trouble))?,
        };
        let rows = Turning { places: &self.places, numbers: &self.numbers, selection: &self.selection };
        let (decoder, spare) = (&mut self.decoder, std::mem::take(&mut self.spare));
        let (decoded, ()) =
            rayon::join(|| decoder.next(most, spare).transpose(), || rows.hand_over(&batch, into));
        (self.decoded, self.spare) = (decoded, batch);
        Ok(true)
    }
}

/// How batches of columns become rows.
struct Turning<'a> {
    places: &'a [ColumnPlace],
    numbers: &'a [usize],
    selection: &'a Picked,
}

impl Turning<'_> {
    fn hand_over(&self, batch: &Batch, into: &mut Chunk) {
        let (count, width) = (batch.rows, self.selection.width);
        let column = |(at, number): (&usize, &PickedNumber)| {
            let (cells, place) = (&batch.numbers[*at][..], number.place);
            match self.places[number.column].list {
                None => Turned { cells, place, offset: 0.0 },
                Some((item, _)) => {
                    Turned { cells: &cells[item * count..(item + 1) * count], place, offset: number.offset }
                }
            }
        };
        let columns: Vec<Turned<'_>> =
            self.numbers.iter().zip(&self.selection.numbers).map(column).collect();
        if width > 0 {
            turn(&columns, into.add_numbers(count, width), width);
        }
        // The texts come after the numbers.
        let texts = &batch.texts[batch.texts.len() - self.selection.texts.len()..];
        for (into, texts) in into.texts.iter_mut().zip(texts) {
            into.append(texts);
        }
        into.rows += count;
    }
}

/// A column on its way into rows.
struct Turned<'a> {
    cells: &'a [f32],
    place: usize,
    /// What is still to be taken from its numbers.
    offset: f64,
}

/// Writes columns, each at its place, into rows.
fn turn(columns: &[Turned<'_>], rows: &mut [f32], width: usize) {
    let tile = (TILE / width).max(16);
    for_pieces(rows, tile * width, |piece, rows| {
        let start = piece * tile;
        for column in columns {
            let cells = rows.iter_mut().skip(column.place).step_by(width);
            for (cell, value) in cells.zip(&column.cells[start..]) {
                *cell =
                    if column.offset == 0.0 { *value } else { (f64::from(*value) - column.offset) as f32 };
            }
        }
    });
}

fn damaged(path: &Path, error: &ParquetError) -> TableError {
    TableError::format(path, format!("is not a Parquet file that can be read: {error}"))
}

impl Length for FileAt {
    fn len(&self) -> u64 {
        self.length()
    }
}

impl ChunkReader for FileAt {
    type T = BufReader<ReaderAt>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        Ok(BufReader::with_capacity(1 << 10, self.reader(start)))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        let mut bytes = Vec::new();
        self.read(start, length, &mut bytes)?;
        Ok(bytes.into())
    }
}
