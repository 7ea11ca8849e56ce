//! One cell of a table: its number, or what is wrong with it and where.

use std::fmt;
use std::path::Path;

use crate::error::TableError;
use likelier::data::is_missing;

/// Where a row stands in its file, from 1: a line of text, or a row of a binary table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// A line of a text file.
    Line(usize),
    /// A row of a binary file.
    Row(usize),
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Row(row) => write!(f, "row {row}"),
        }
    }
}

/// Why a cell cannot be used. Values are shown in quotes and shortened if they are long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CellProblem {
    /// Empty, `NA`, `NaN` or `null`.
    Missing,
    /// Text where a number should be.
    NotANumber(String),
    /// An infinite number, or one too large for 32 bits.
    NotFinite(String),
    /// Bytes that are not text.
    NotUtf8,
    /// Something else that is not allowed there.
    NotAllowed(String),
}

impl fmt::Display for CellProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("the value is missing"),
            Self::NotANumber(value) => write!(f, "{value} is not a number"),
            Self::NotFinite(value) => write!(f, "{value} is not a finite number"),
            Self::NotUtf8 => f.write_str("is not UTF-8 text"),
            Self::NotAllowed(problem) => f.write_str(problem),
        }
    }
}

impl CellProblem {
    /// The error of this problem in a file; the column is counted from 0.
    pub(crate) fn at(self, path: &Path, position: Position, column: usize, name: String) -> TableError {
        TableError::Cell { path: path.to_owned(), position, column: column + 1, name, problem: self }
    }

    /// Why a number of a binary table is refused.
    pub(super) fn of_number(value: impl fmt::Display) -> Self {
        Self::NotFinite(quoted(&value.to_string()))
    }
}

/// The finite number that a field holds.
pub(crate) fn number(field: &[u8]) -> Result<f32, CellProblem> {
    let text = std::str::from_utf8(field).map_err(|_| CellProblem::NotUtf8)?;
    match text.parse::<f32>() {
        Ok(value) if value.is_finite() => Ok(value),
        Ok(value) if value.is_nan() => Err(CellProblem::Missing),
        Ok(_) => Err(CellProblem::NotFinite(quoted(text))),
        Err(_) if is_missing(text) => Err(CellProblem::Missing),
        Err(_) => Err(CellProblem::NotANumber(quoted(text))),
    }
}

/// The number that a field holds without an offset, NaN if it is missing.
pub(super) fn number_from(field: &[u8], offset: f64) -> Result<f32, CellProblem> {
    match number(field) {
        Ok(near) if offset == 0.0 => Ok(near),
        Ok(near) => {
            // What is a number in 32 bits is one in 64, with more digits.
            let exact = std::str::from_utf8(field).ok().and_then(|text| text.parse::<f64>().ok());
            Ok((exact.unwrap_or(near.into()) - offset) as f32)
        }
        Err(CellProblem::Missing) => Ok(f32::NAN),
        Err(problem) => Err(problem),
    }
}

/// A field as a message shows it: its start, if it is long.
pub(crate) fn quoted(field: &str) -> String {
    const SHOWN: usize = 30;
    match field.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("'{}…'", &field[..end]),
        None => format!("'{field}'"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_a_number_or_the_reason_why_not() {
        assert_eq!(number(b"-1.5e3"), Ok(-1500.0));
        assert_eq!(number(b"7"), Ok(7.0));
        assert_eq!(number_from(b"1000000000.25", 1e9), Ok(0.25));
        assert_eq!(number_from(b"7", 0.0), Ok(7.0));
        for missing in ["", "NA", "NaN", "nan", "-nan", "null", "NULL", "None", "?", "<NA>"] {
            assert!(number_from(missing.as_bytes(), 0.0).is_ok_and(f32::is_nan));
            assert_eq!(number(missing.as_bytes()), Err(CellProblem::Missing), "{missing}");
        }
        assert_eq!(number(b"1e99"), Err(CellProblem::NotFinite("'1e99'".into())));
        assert_eq!(number(b"-inf"), Err(CellProblem::NotFinite("'-inf'".into())));
        assert_eq!(number(b"abc"), Err(CellProblem::NotANumber("'abc'".into())));
        assert_eq!(number(b"1,5"), Err(CellProblem::NotANumber("'1,5'".into())));
        assert_eq!(number(b"\xff"), Err(CellProblem::NotUtf8));
    }
}
