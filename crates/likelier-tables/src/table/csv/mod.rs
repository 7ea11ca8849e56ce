//! Text tables: CSV, TSV and their kin (RFC 4180).
//!
//! A file is read in blocks of whole records. A block is cut into pieces at the ends of records, and the
//! pieces are parsed by all cores. Meanwhile the rows of the block before it are handed over, and the next
//! block is read (and decompressed), so that no core waits for another. A row of the wrong length is
//! refused, never skipped: a row skipped in silence would shift every index after it.

mod dialect;
mod fields;
mod parser;
mod rows;

use std::path::Path;

use rayon::prelude::*;

use self::dialect::{Dialect, detect};
use self::fields::{Fields, piece_ends};
use self::parser::{Complaint, Parser, Problem};
use self::rows::RowsParsed;
use super::cell::{CellProblem, Position};
use super::{Chunk, Columns, Picked, TableReader, check_width};
use crate::Layout;
use crate::decompress::ByteSource;
use crate::error::TableError;
use crate::problem::FormatProblem;

/// Bytes read at a time.
const BLOCK: usize = 4 << 20;

/// Bytes of a piece of a block, which one core parses at a time.
const PIECE: usize = 256 << 10;

/// A record longer than this is refused: more likely a quote was left open.
const MAX_RECORD: usize = 64 << 20;

/// An opened text table.
pub(crate) struct CsvTable {
    source: ByteSource,
    dialect: Dialect,
    columns: Columns,
    parser: Parser,
    /// Bytes read and not yet parsed; they start with a record.
    block: Vec<u8>,
    /// Whether the block ends with the file.
    ended: bool,
    /// Memory for the block that comes after it.
    next: Vec<u8>,
    /// Lines before the block.
    lines: usize,
    /// What was parsed of the blocks before.
    parsed: RowsParsed,
}

impl CsvTable {
    /// Reads the start of a file and finds out how it is written.
    pub(crate) fn open(source: ByteSource, layout: &Layout) -> Result<Self, TableError> {
        if let Some(delimiter) = layout.delimiter.filter(|byte| b"\"\r\n".contains(byte)) {
            return Err(TableError::setting(
                "a delimiter",
                format!("{:?}", char::from(delimiter)),
                "neither a quote nor a line break",
            ));
        }
        let mut table = Self {
            source,
            dialect: Dialect { delimiter: b',', header: false },
            columns: Columns::Numbered(0),
            parser: Parser::default(),
            block: Vec::new(),
            next: Vec::new(),
            ended: false,
            lines: 0,
            parsed: RowsParsed::default(),
        };
        table.read_block()?;
        if table.block.starts_with(b"\xef\xbb\xbf") {
            table.block.drain(..3);
        }
        // A first record longer than a block: a table of very many columns.
        while !table.ended && table.block.len() < MAX_RECORD && !table.block.contains(&b'\n') {
            table.read_block()?;
        }
        table.dialect = detect(table.source.path(), &table.block, layout);
        table.read_header()?;
        table.parser = Parser::new(table.dialect.delimiter, table.columns.count());
        Ok(table)
    }

    fn read_block(&mut self) -> Result<(), TableError> {
        self.ended = self.source.read(BLOCK as u64, &mut self.block)? < BLOCK;
        Ok(())
    }

    /// The columns, from the header or else from the length of the first record.
    fn read_header(&mut self) -> Result<(), TableError> {
        let path = self.source.path();
        let mut fields = Fields::new(&self.block, self.dialect.delimiter);
        while fields.skip_blank_line() {}
        if fields.at_end() {
            return Err(TableError::format(path, FormatProblem::Empty));
        }
        let line = fields.line() + 1;
        let mut names = Vec::new();
        loop {
            let refused =
                |problem: CellProblem| problem.at(path, Position::Line(line), names.len(), String::new());
            let field = fields.next_field().map_err(|broken| refused(CellProblem::Quote(broken)))?;
            let (text, ends) = (field.trimmed(), field.ends_record);
            let name = if self.dialect.header {
                std::str::from_utf8(text).map_err(|_| refused(CellProblem::NotUtf8))?.to_owned()
            } else {
                String::new()
            };
            names.push(name);
            if ends {
                break;
            }
        }
        check_width(path, names.len())?;
        if !self.dialect.header {
            // Blank lines before the rows are complained of where they are met.
            self.columns = Columns::Numbered(names.len());
            return Ok(());
        }
        let (start, lines) = (fields.offset(), fields.line());
        self.columns = Columns::Named(names);
        self.columns.check_names(path, Some(line))?;
        self.block.drain(..start);
        self.lines = lines;
        self.parsed = RowsParsed::after(lines);
        Ok(())
    }

    /// Reads on until the block holds a whole record, and says where its pieces end.
    fn fill(&mut self) -> Result<Vec<usize>, TableError> {
        loop {
            let ends = piece_ends(&self.block, self.dialect.delimiter, PIECE, self.ended);
            if !ends.is_empty() || self.ended {
                return Ok(ends);
            }
            if self.block.len() >= MAX_RECORD {
                let problem = FormatProblem::LongRecord { most: MAX_RECORD };
                return Err(TableError::format_at(self.source.path(), self.lines + 1, None, problem));
            }
            self.read_block()?;
        }
    }

    /// The error of a complaint about a piece that has `lines` lines before it.
    fn error(&self, lines: usize, complaint: Complaint) -> TableError {
        let (path, line) = (self.source.path(), lines + complaint.line + 1);
        match complaint.problem {
            Problem::Record(problem) => TableError::format_at(path, line, None, problem),
            Problem::Cell(column, problem) => {
                problem.at(path, Position::Line(line), column, self.columns.name(column))
            }
        }
    }

    /// Hands over the rows that are parsed.
    fn hand_over(&mut self, into: &mut Chunk) -> Result<(), TableError> {
        let handed_over = self.parsed.hand_over(into);
        handed_over.map_err(|(lines, complaint)| self.error(lines, complaint))
    }

    /// The line of a row, found by reading the file again.
    fn line_of(&self, row: usize) -> Result<Option<usize>, TableError> {
        let layout = Layout {
            delimiter: Some(self.dialect.delimiter),
            header: Some(self.dialect.header),
            ..Layout::default()
        };
        let mut again = Self::open(ByteSource::stream(self.source.path())?, &layout)?;
        again.parser.note_lines = true;
        let mut chunk = Chunk::of(&again, &Picked::default());
        let mut before = 0;
        while again.read(&mut chunk)? {
            if row < chunk.rows {
                return Ok(again.parsed.row_lines.get(row - before).copied());
            }
            before = chunk.rows;
            again.parsed.row_lines.clear();
        }
        Ok(None)
    }
}

impl TableReader for CsvTable {
    fn columns(&self) -> &Columns {
        &self.columns
    }

    fn select(&mut self, selection: Picked) -> Result<(), TableError> {
        self.parser.select(&selection);
        Ok(())
    }

    fn read(&mut self, into: &mut Chunk) -> Result<bool, TableError> {
        let before = into.rows;
        while into.rows == before {
            let ends = match self.fill() {
                // What was parsed before it comes first, be it a complaint.
                Err(error) => {
                    self.hand_over(into)?;
                    return Err(error);
                }
                Ok(ends) => ends,
            };
            let Some(&end) = ends.last() else {
                self.hand_over(into)?;
                return Ok(into.rows > before);
            };
            let starts = [0].into_iter().chain(ends.iter().copied());
            let pieces: Vec<&[u8]> =
                starts.zip(&ends).map(|(start, end)| &self.block[start..*end]).collect();
            let spare = self.parsed.spare(pieces.len());
            self.next.clear();
            self.next.extend_from_slice(&self.block[end..]);
            let wanted = if self.ended { 0 } else { BLOCK };
            let (source, parser) = (&mut self.source, &self.parser);
            let (parsed, next) = (&mut self.parsed, &mut self.next);
            let parse = |(text, piece): (&&[u8], _)| parser.parse(text, piece);
            let (pieces, (handed_over, found)) = rayon::join(
                || pieces.par_iter().zip(spare).map(parse).collect::<Vec<_>>(),
                || (parsed.hand_over(into), source.read(wanted as u64, next)),
            );
            handed_over.map_err(|(lines, complaint)| self.error(lines, complaint))?;
            self.lines = self.parsed.add(pieces);
            std::mem::swap(&mut self.block, &mut self.next);
            self.ended |= found? < BLOCK;
        }
        Ok(true)
    }

    fn position(&self, row: usize) -> Position {
        // The header and one line for each row, if the file cannot be read a second time.
        let usual = row + 1 + usize::from(self.dialect.header);
        Position::Line(self.line_of(row).ok().flatten().unwrap_or(usual))
    }
}

/// Whether a path is that of a table separated by tabs.
fn is_tabbed(path: &Path) -> bool {
    ["tsv", "tab"].contains(&super::extension(path).as_str())
}
