//! Rows that are parsed and not yet handed over.

use super::parser::{Complaint, Piece};
use crate::table::Chunk;
use likelier::data::Values;

/// The pieces of a block, in order.
#[derive(Default)]
pub(super) struct RowsParsed {
    pieces: Vec<Result<Piece, Complaint>>,
    /// Lines before the first of them.
    lines: usize,
    /// The first of the blank lines that have come last.
    blank: Option<usize>,
    /// Lines of the rows just handed over, where the parser notes them.
    pub(super) row_lines: Vec<usize>,
    /// Pieces that were handed over, for their memory.
    spent: Vec<Piece>,
}

impl RowsParsed {
    /// None yet, after so many lines.
    pub(super) fn after(lines: usize) -> Self {
        Self { lines, ..Self::default() }
    }

    /// Memory for so many pieces.
    pub(super) fn spare(&mut self, count: usize) -> Vec<Piece> {
        let mut spare = std::mem::take(&mut self.spent);
        spare.resize_with(count, Piece::default);
        spare
    }

    /// Adds the pieces of the next block and says how many lines there are before the one after it.
    pub(super) fn add(&mut self, pieces: Vec<Result<Piece, Complaint>>) -> usize {
        self.pieces.extend(pieces);
        let lines = self.pieces.iter().flatten().map(|piece| piece.lines);
        self.lines + lines.sum::<usize>()
    }

    /// Appends the rows to a chunk. The error comes with the lines before its piece.
    pub(super) fn hand_over(&mut self, into: &mut Chunk) -> Result<(), (usize, Complaint)> {
        for piece in std::mem::take(&mut self.pieces) {
            // Whatever follows a blank line, be it wrong itself, the blank line comes first.
            let has_rows = piece.as_ref().map_or(true, |piece| piece.rows > 0);
            if let Some(line) = self.blank.filter(|_| has_rows) {
                return Err((line, Complaint::blank(0)));
            }
            let piece = piece.map_err(|complaint| (self.lines, complaint))?;
            self.blank = self.blank.or(piece.blank.map(|blank| self.lines + blank));
            if let Values::Numbers(cells) = &mut into.cells {
                cells.extend_from_slice(&piece.cells);
            }
            for (into, texts) in into.texts.iter_mut().zip(&piece.texts) {
                into.append(texts);
            }
            into.rows += piece.rows;
            self.row_lines.extend(piece.row_lines.iter().map(|line| self.lines + line + 1));
            self.lines += piece.lines;
            self.spent.push(piece);
        }
        Ok(())
    }
}
