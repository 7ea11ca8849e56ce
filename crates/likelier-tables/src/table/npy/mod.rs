//! NPY, the format of NumPy's `save`: a header, then the numbers.
//!
//! Rows are the first dimension; the others, if there are several, make one long row (images). Bytes stay
//! bytes. In Fortran order, where the columns lie one after the other, a batch of rows is gathered from a
//! place in each column.

mod cells;
mod header;

use std::path::{Path, PathBuf};

use self::cells::{ArrayGrid, CellTarget};
pub(super) use self::header::MAGIC;
use self::header::{NpyHeader, NumberKind};
use super::cell::{CellProblem, Position};
use super::file_at::FileAt;
use super::{Chunk, Columns, Picked, TableReader, batch_rows, check_width};
use crate::decompress::ByteSource;
use crate::error::TableError;
use likelier::data::Values;

/// An opened array.
pub(super) struct NpyTable {
    path: PathBuf,
    data: NpyData,
    header: NpyHeader,
    columns: Columns,
    selection: Picked,
    /// The columns that are wanted, as numbers or as text.
    wanted: Vec<usize>,
    /// The next row.
    next: usize,
    buffer: Vec<u8>,
}

/// Where the bytes of the array are.
pub(super) enum NpyData {
    /// In a plain file, from a place on.
    File(FileAt, u64),
    /// Behind a decompression.
    Stream(ByteSource),
    /// In memory: a compressed array in Fortran order.
    Memory(Vec<u8>),
}

impl NpyTable {
    /// Opens an NPY file, plain or compressed.
    pub(super) fn open(source: ByteSource) -> Result<Self, TableError> {
        let path = source.path().to_owned();
        if source.compression().is_some() {
            return Self::of(&path, NpyData::Stream(source), None);
        }
        let file = FileAt::open(&path)?;
        let length = file.length();
        Self::of(&path, NpyData::File(file, 0), Some(length))
    }

    /// Reads the header of an array of `length` bytes, if that is known.
    pub(super) fn of(path: &Path, mut data: NpyData, length: Option<u64>) -> Result<Self, TableError> {
        let mut taken = 0;
        let header = NpyHeader::read(path, |count, into| {
            data.read(path, taken, count, into)?;
            taken += count as u64;
            Ok(())
        })?;
        check_width(path, header.width)?;
        if let Some(length) = length {
            header.check_length(path, length.saturating_sub(taken))?;
        }
        let data = match data {
            NpyData::File(file, start) => NpyData::File(file, start + taken),
            NpyData::Stream(mut source) if header.is_scattered() => {
                let mut cells = Vec::new();
                let found = source.read(u64::MAX, &mut cells)?;
                header.check_length(path, found as u64)?;
                NpyData::Memory(cells)
            }
            data => data,
        };
        Ok(Self {
            path: path.to_owned(),
            data,
            header,
            columns: Columns::Numbered(header.width),
            selection: Picked::default(),
            wanted: Vec::new(),
            next: 0,
            buffer: Vec::new(),
        })
    }

    /// Fills the buffer with what is wanted of the next `count` rows and says where it is.
    fn fetch(&mut self, count: usize) -> Result<ArrayGrid, TableError> {
        let (size, rows, width) = (self.header.kind.size(), self.header.rows, self.header.width);
        self.buffer.clear();
        if self.header.is_scattered() {
            for column in &self.wanted {
                let at = ((column * rows + self.next) * size) as u64;
                self.data.read(&self.path, at, count * size, &mut self.buffer)?;
            }
            let starts = (0..self.wanted.len()).map(|at| at * count * size).collect();
            return Ok(ArrayGrid { starts, step: size });
        }
        let at = (self.next * width * size) as u64;
        self.data.read(&self.path, at, count * width * size, &mut self.buffer)?;
        Ok(ArrayGrid {
            starts: self.wanted.iter().map(|column| column * size).collect(),
            step: width * size,
        })
    }

    /// The end of a stream must be where the header says.
    fn check_end(&mut self) -> Result<(), TableError> {
        if let NpyData::Stream(source) = &mut self.data
            && source.read(1, &mut Vec::new())? > 0
        {
            return Err(TableError::format(&self.path, "there are more bytes than the header promises"));
        }
        Ok(())
    }
}

impl TableReader for NpyTable {
    fn columns(&self) -> &Columns {
        &self.columns
    }

    fn select(&mut self, selection: Picked) -> Result<(), TableError> {
        let numbers = selection.numbers.iter().map(|number| number.column);
        self.wanted = numbers.chain(selection.texts.iter().copied()).collect();
        self.selection = selection;
        Ok(())
    }

    fn store(&self) -> Values {
        // One-hot categories would be bytes too, but not image bytes, which are scaled as such.
        let all_numbers = self.selection.numbers.len() == self.selection.width;
        if self.header.kind == NumberKind::Unsigned(1) && all_numbers {
            Values::Bytes(Vec::new())
        } else {
            Values::Numbers(Vec::new())
        }
    }

    fn read(&mut self, into: &mut Chunk) -> Result<bool, TableError> {
        let count = (self.header.rows - self.next).min(batch_rows(self.header.width));
        if count == 0 {
            self.check_end()?;
            return Ok(false);
        }
        let grid = self.fetch(count)?;
        let (header, selection) = (self.header, &self.selection);
        let places: Vec<usize> = selection.numbers.iter().map(|number| number.place).collect();
        if let Values::Bytes(cells) = &mut into.cells {
            let start = cells.len();
            cells.resize(start + count * selection.width, 0);
            let target = CellTarget { cells: &mut cells[start..], width: selection.width, places: &places };
            grid.fill(&self.buffer, target, |_, [byte]| byte);
        } else {
            let cells = into.add_numbers(count, selection.width);
            let target = CellTarget { cells: &mut *cells, width: selection.width, places: &places };
            let offsets: Vec<f64> = selection.numbers.iter().map(|number| number.offset).collect();
            grid.fill_numbers(&self.buffer, target, header, &offsets);
            if let Some(at) = cells.iter().position(|value| value.is_infinite()) {
                let (row, place) = (at / selection.width, at % selection.width);
                let number = places.iter().position(|known| *known == place).unwrap_or_default();
                let column = self.wanted[number];
                let stored = grid.cell(&self.buffer, row, number, header);
                let problem = CellProblem::of_number(stored);
                let position = Position::Row(self.next + row + 1);
                return Err(problem.at(&self.path, position, column, self.columns.name(column)));
            }
        }
        for (at, texts) in into.texts.iter_mut().enumerate() {
            for row in 0..count {
                texts.push_shown(grid.cell(&self.buffer, row, places.len() + at, header));
            }
        }
        into.rows += count;
        self.next += count;
        Ok(true)
    }
}

impl NpyData {
    /// Appends the `count` bytes at a place, which is where a stream stands.
    fn read(&mut self, path: &Path, at: u64, count: usize, into: &mut Vec<u8>) -> Result<(), TableError> {
        let found = match self {
            Self::File(file, start) => {
                return file.read(*start + at, count, into).map_err(|error| {
                    if error.raw_os_error().is_some() {
                        TableError::file(path, error)
                    } else {
                        TableError::format(path, error.to_string())
                    }
                });
            }
            Self::Stream(source) => source.read(count as u64, into)?,
            Self::Memory(bytes) => {
                let rest = bytes.get(at as usize..).unwrap_or_default();
                let part = &rest[..count.min(rest.len())];
                into.extend_from_slice(part);
                part.len()
            }
        };
        if found < count {
            let problem = format!("ends after {found} of {count} bytes that were to follow");
            return Err(TableError::format(path, problem));
        }
        Ok(())
    }
}
