//! LIBSVM and SVMlight: `label index:value index:value …`, one row a line, indices ascending.
//!
//! The file is read twice: whether it counts its features from 0 or from 1, and how many there are, is
//! known only at its end. `# comments` and `qid:` are passed over.

use std::path::Path;

use super::cell::{self, CellProblem, Position};
use super::{Chunk, Columns, MAX_COLUMNS, Picked, TableReader, check_width};
use crate::decompress::{ByteSource, MAX_LINE_BYTES};
use crate::table::cell::quoted;
use likelier::data::SparseRows;
use likelier::data::Values;

use crate::error::TableError;
use crate::layout::FirstIndex;
use crate::problem::FormatProblem;

/// Rows read at a time.
const BATCH: usize = 1 << 14;

/// An opened sparse table.
pub(super) struct LibsvmTable {
    lines: Lines,
    columns: Columns,
    first_index: u64,
    entries: Vec<(u32, f32)>,
}

impl LibsvmTable {
    /// Opens a file and reads it once to see how it counts.
    pub(super) fn open(path: &Path, first_index: Option<FirstIndex>) -> Result<Self, TableError> {
        let mut lines = Lines::open(path)?;
        let (mut smallest, mut largest) = (u64::MAX, 0);
        while let Some(row) = lines.next_row()? {
            // Indices ascend, so the first and the last of a row tell.
            let mut indices = row.entries().filter_map(|entry| parse_index(entry.split_once(':')?.0));
            if let Some(first) = indices.next() {
                smallest = smallest.min(first);
                largest = largest.max(indices.last().unwrap_or(first));
            }
        }
        let first_index = match first_index {
            Some(FirstIndex::One) => 1,
            Some(FirstIndex::Zero) => 0,
            None => u64::from(smallest != 0),
        };
        let width = if smallest == u64::MAX { 0 } else { (largest + 1).saturating_sub(first_index) };
        check_width(path, usize::try_from(width).unwrap_or(usize::MAX))?;
        let columns = Columns::Sparse(width as usize);
        Ok(Self { lines: Lines::open(path)?, columns, first_index, entries: Vec::new() })
    }
}

impl TableReader for LibsvmTable {
    fn columns(&self) -> &Columns {
        &self.columns
    }

    fn select(&mut self, _: Picked) -> Result<(), TableError> {
        Ok(())
    }

    fn store(&self) -> Values {
        Values::Sparse(SparseRows::new())
    }

    fn read(&mut self, into: &mut Chunk) -> Result<bool, TableError> {
        let before = into.rows;
        while into.rows < before + BATCH {
            let Some(row) = self.lines.next_row()? else { break };
            self.entries.clear();
            row.read(self.first_index, &mut self.entries)?;
            if let Values::Sparse(rows) = &mut into.cells {
                rows.push(self.entries.iter().copied());
            }
            if let Some(labels) = into.texts.first_mut() {
                labels.push(row.label());
            }
            into.rows += 1;
        }
        Ok(into.rows > before)
    }
}

/// Whether the first row of a text file has the form of this format.
pub(super) fn looks_like_it(path: &Path) -> Result<bool, TableError> {
    let mut lines = Lines::open(path)?;
    let Ok(Some(row)) = lines.next_row() else { return Ok(false) };
    let is_entry = |entry: &str| {
        entry.split_once(':').is_some_and(|(index, value)| {
            parse_index(index).is_some() && cell::number(value.as_bytes()).is_ok()
        })
    };
    let mut entries = row.entries().peekable();
    Ok(entries.peek().is_some() && entries.all(is_entry))
}

/// An index in plain digits.
fn parse_index(text: &str) -> Option<u64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

/// The rows of a file, line by line.
struct Lines {
    source: ByteSource,
    line: Vec<u8>,
    number: usize,
}

impl Lines {
    fn open(path: &Path) -> Result<Self, TableError> {
        Ok(Self { source: ByteSource::stream(path)?, line: Vec::new(), number: 0 })
    }

    /// The next line that is neither blank nor a comment.
    fn next_row(&mut self) -> Result<Option<SparseLine<'_>>, TableError> {
        loop {
            self.line.clear();
            if self.source.read_line(&mut self.line)? == 0 {
                return Ok(None);
            }
            self.number += 1;
            let refused = |problem| TableError::format_at(self.source.path(), self.number, None, problem);
            if self.line.len() as u64 > MAX_LINE_BYTES {
                return Err(refused(FormatProblem::LongLine { most: MAX_LINE_BYTES }));
            }
            let text = std::str::from_utf8(&self.line).map_err(|_| refused(FormatProblem::NotUtf8))?;
            if !content(text).is_empty() {
                break;
            }
        }
        let text = std::str::from_utf8(&self.line).map_or("", content);
        Ok(Some(SparseLine { path: self.source.path(), number: self.number, text }))
    }
}

/// A line without its comment.
fn content(line: &str) -> &str {
    let line = line.strip_prefix('\u{feff}').unwrap_or(line);
    line.split_once('#').map_or(line, |(content, _)| content).trim()
}

/// One line that holds a row.
struct SparseLine<'a> {
    path: &'a Path,
    number: usize,
    text: &'a str,
}

impl<'a> SparseLine<'a> {
    fn label(&self) -> &'a str {
        self.text.split_ascii_whitespace().next().unwrap_or_default()
    }

    fn entries(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let fields = self.text.split_ascii_whitespace().skip(1);
        fields.filter(|field| !field.starts_with("qid:"))
    }

    /// Appends the columns, from 0, and their numbers.
    fn read(&self, first_index: u64, into: &mut Vec<(u32, f32)>) -> Result<(), TableError> {
        let mut next = first_index;
        for (at, entry) in self.entries().enumerate() {
            // The label is the first field.
            let refused = |problem: CellProblem| {
                problem.at(self.path, Position::Line(self.number), at + 1, String::new())
            };
            let not_allowed = |problem| refused(CellProblem::NotAllowed(problem));
            let (index, value) = entry
                .split_once(':')
                .and_then(|(index, value)| Some((parse_index(index)?, value)))
                .ok_or_else(|| not_allowed(format!("{} is not of the form index:value", quoted(entry))))?;
            if index < first_index {
                return Err(not_allowed(format!("the index {index} is below {first_index}, the first")));
            }
            if index < next {
                let problem = format!("the index {index} is not above the one before it; they must ascend");
                return Err(not_allowed(problem));
            }
            next = index.saturating_add(1);
            let value = cell::number(value.as_bytes()).map_err(refused)?;
            if index - first_index >= MAX_COLUMNS as u64 {
                return Err(not_allowed(format!("the index {index} is above {MAX_COLUMNS}, the most")));
            }
            if value != 0.0 {
                into.push(((index - first_index) as u32, value));
            }
        }
        Ok(())
    }
}
