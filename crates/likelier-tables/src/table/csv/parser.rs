//! Records into rows of numbers and texts.

use super::fields::Fields;
use crate::problem::FormatProblem;
use crate::table::Picked;
use crate::table::cell::{self, CellProblem, Decimal};
use likelier::data::Texts;

/// What to make of the fields of a record.
#[derive(Default)]
pub(super) struct Parser {
    delimiter: u8,
    decimal: Decimal,
    /// How many numbers a row has.
    width: usize,
    texts: usize,
    uses: Vec<Use>,
    /// Whether to note the line of each row.
    pub(super) note_lines: bool,
}

#[derive(Clone, Copy)]
enum Use {
    Skip,
    /// At a place, without an offset.
    Number(usize, f64),
    Text(usize),
}

/// What a piece of text holds. Lines are counted from its start.
#[derive(Default)]
pub(super) struct Piece {
    pub(super) cells: Vec<f32>,
    pub(super) texts: Vec<Texts>,
    pub(super) rows: usize,
    /// Line breaks in it.
    pub(super) lines: usize,
    /// The first of the blank lines at its end.
    pub(super) blank: Option<usize>,
    /// The line of each row, if noted.
    pub(super) row_lines: Vec<usize>,
}

impl Piece {
    /// Forgets what it holds, keeping the memory.
    fn clear(&mut self) {
        self.cells.clear();
        self.texts.iter_mut().for_each(Texts::clear);
        self.row_lines.clear();
        (self.rows, self.lines, self.blank) = (0, 0, None);
    }
}

/// Why a piece cannot be read, and the line of it.
pub(super) struct Complaint {
    pub(super) line: usize,
    pub(super) problem: Problem,
}

pub(super) enum Problem {
    Record(FormatProblem),
    /// Of the field of this number, from 0.
    Cell(usize, CellProblem),
}

impl Complaint {
    /// Rows follow a blank line.
    pub(super) fn blank(line: usize) -> Self {
        Self { line, problem: Problem::Record(FormatProblem::BlankLine) }
    }
}

impl Parser {
    /// Of records with so many fields, none of which is wanted yet.
    pub(super) fn new(delimiter: u8, fields: usize) -> Self {
        let decimal = Decimal::between(delimiter);
        Self { delimiter, decimal, uses: vec![Use::Skip; fields], ..Self::default() }
    }

    pub(super) fn select(&mut self, selection: &Picked) {
        for number in &selection.numbers {
            self.uses[number.column] = Use::Number(number.place, number.offset);
        }
        for (place, column) in selection.texts.iter().enumerate() {
            self.uses[*column] = Use::Text(place);
        }
        self.width = selection.width;
        self.texts = selection.texts.len();
    }

    /// Parses a piece of text, in the memory of an earlier one.
    pub(super) fn parse(&self, text: &[u8], mut piece: Piece) -> Result<Piece, Complaint> {
        piece.clear();
        piece.texts.resize(self.texts, Texts::new());
        let mut fields = Fields::new(text, self.delimiter);
        while !fields.at_end() {
            let line = fields.line();
            if fields.skip_blank_line() {
                piece.blank.get_or_insert(line);
                continue;
            }
            if let Some(blank) = piece.blank {
                return Err(Complaint::blank(blank));
            }
            self.parse_record(&mut fields, &mut piece)
                .map_err(|problem| Complaint { line, problem })?;
            piece.rows += 1;
            if self.note_lines {
                piece.row_lines.push(line);
            }
        }
        piece.lines = fields.line();
        Ok(piece)
    }

    fn parse_record(&self, fields: &mut Fields<'_>, into: &mut Piece) -> Result<(), Problem> {
        let start = into.cells.len();
        into.cells.resize(start + self.width, 0.0);
        let row = &mut into.cells[start..];
        let mut count = 0;
        loop {
            if let Some(Use::Number(place, 0.0)) = self.uses.get(count)
                && let Some((value, ends_record)) = fields.plain_number()
            {
                row[*place] = value;
                count += 1;
                if ends_record {
                    break;
                }
                continue;
            }
            let field = fields
                .next_field()
                .map_err(|broken| Problem::Cell(count, CellProblem::Quote(broken)))?;
            let refused = |problem| Problem::Cell(count, problem);
            match self.uses.get(count) {
                // A record that is too short is told as such, not as one with a missing number.
                Some(Use::Number(..)) if field.ends_record && count + 1 < self.uses.len() => {}
                Some(Use::Number(place, offset)) => {
                    row[*place] =
                        cell::number_from(field.trimmed(), self.decimal, *offset).map_err(refused)?;
                }
                Some(Use::Text(place)) => {
                    let text =
                        std::str::from_utf8(field.text()).map_err(|_| refused(CellProblem::NotUtf8))?;
                    into.texts[*place].push(text);
                }
                Some(Use::Skip) | None => {}
            }
            count += 1;
            if field.ends_record {
                break;
            }
        }
        if count == self.uses.len() {
            return Ok(());
        }
        Err(Problem::Record(FormatProblem::Fields { found: count, expected: self.uses.len() }))
    }
}
