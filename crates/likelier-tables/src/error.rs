//! One error type for everything that files can have wrong.
//!
//! Each message names the file and, where there is one, the place in it; then what is wrong, and what is allowed.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use likelier::words::by_count;

use crate::problem::FormatProblem;
use crate::table::{CellProblem, Position};

/// Everything that can go wrong with a file of items or answers.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// What was read cannot be used.
    #[error(transparent)]
    Unusable(#[from] likelier::Error),

    /// A file that could not be read or written. Its reason is part of the message, not a further cause.
    #[error("{}: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: io::Error,
    },

    /// A file whose content is not what its format says.
    #[error("{}{}: {problem}", path.display(), Place(*line, *column))]
    Format {
        /// The file.
        path: PathBuf,
        /// Line, from 1, in text files.
        line: Option<usize>,
        /// Column (field), from 1, in text files.
        column: Option<usize>,
        /// What is wrong, and what was expected.
        problem: FormatProblem,
    },

    /// A cell of a table that cannot be used.
    #[error("{}, {position}, column {column}{}: {problem}", path.display(), InQuotes(name))]
    Cell {
        /// The file.
        path: PathBuf,
        /// The line or row.
        position: Position,
        /// Column (field), from 1.
        column: usize,
        /// Its name, which may be empty.
        name: String,
        /// What is wrong.
        problem: CellProblem,
    },

    /// Cells that are missing although none may be.
    #[error("{}: values are missing: {}", path.display(), places(columns))]
    MissingCells {
        /// The file.
        path: PathBuf,
        /// All columns in which any are.
        columns: Vec<FirstMissing>,
    },

    /// Columns that a table should have and has not.
    #[error("{}: has no {} {}; there are: {}", path.display(), by_count(missing.len(), "column", "columns"),
        listed(missing, usize::MAX), listed(present, 20))]
    NoSuchColumn {
        /// The file.
        path: PathBuf,
        /// The columns that are not there.
        missing: Vec<String>,
        /// The columns that are.
        present: Vec<String>,
    },

    /// Two rows with the same id.
    #[error("{}: the id '{id}' occurs twice, first at {first} and again at {second}", path.display())]
    SameId {
        /// The file.
        path: PathBuf,
        /// The id.
        id: String,
        /// Where it was first.
        first: Position,
        /// Where it was again.
        second: Position,
    },

    /// An item compared with itself.
    #[error("{}, {position}: '{id}' is compared with itself", path.display())]
    ComparedWithItself {
        /// The file.
        path: PathBuf,
        /// Where it stands.
        position: Position,
        /// The item.
        id: String,
    },

    /// A comparison of something that is not an item.
    #[error("{}, {position}: no item has the id '{id}' ({count} {})", path.display(),
        by_count(*count, "cell in all holds an id of no item", "cells in all hold ids of no item"))]
    UnknownId {
        /// The file.
        path: PathBuf,
        /// Where the first of them stands.
        position: Position,
        /// The first of them.
        id: String,
        /// How many cells hold the id of no item.
        count: usize,
    },
}

impl TableError {
    /// One error of each kind, for tests of what is said about each. A kind that is not here does not compile.
    #[doc(hidden)]
    pub fn one_of_each() -> Vec<Self> {
        let path = || PathBuf::from("file");
        let position = Position::Line(2);
        let mut all = likelier::one_of_each!(Self:
            Self::Unusable(_) => Self::setting("a column", "'size' twice".into(), "used once"),
            Self::File { .. } => Self::file(&path(), io::ErrorKind::NotFound.into()),
            Self::Format { .. } => Self::format(&path(), FormatProblem::Empty),
            Self::Cell { .. } => CellProblem::Missing.at(&path(), position, 0, "size".into()),
            Self::MissingCells { .. } => Self::MissingCells {
                path: path(),
                columns: vec![FirstMissing { column: "size".into(), cells: 1, first: position }],
            },
            Self::NoSuchColumn { .. } => Self::NoSuchColumn {
                path: path(),
                missing: vec!["size".into()],
                present: vec!["colour".into()],
            },
            Self::SameId { .. } => {
                Self::SameId { path: path(), id: "a".into(), first: position, second: Position::Line(3) }
            },
            Self::ComparedWithItself { .. } => {
                Self::ComparedWithItself { path: path(), position, id: "a".into() }
            },
            Self::UnknownId { .. } => Self::UnknownId { path: path(), position, id: "a".into(), count: 1 },
        );
        all.extend(
            FormatProblem::one_of_each()
                .into_iter()
                .map(|problem| Self::format(&path(), problem)),
        );
        let cells = CellProblem::one_of_each().into_iter();
        all.extend(cells.map(|problem| problem.at(&path(), position, 0, "size".into())));
        all
    }

    /// Something that was said about a file and cannot be.
    pub(crate) fn setting(name: &'static str, value: String, allowed: &'static str) -> Self {
        Self::Unusable(likelier::Error::Setting { name, value, allowed })
    }

    /// A system error on a file.
    #[doc(hidden)]
    pub fn file(path: &Path, reason: io::Error) -> Self {
        Self::File { path: path.to_owned(), reason }
    }

    /// A content error that has no line, as in binary files.
    #[doc(hidden)]
    pub fn format(path: &Path, problem: impl Into<FormatProblem>) -> Self {
        Self::Format { path: path.to_owned(), line: None, column: None, problem: problem.into() }
    }

    /// A content error at a line and, where it is known, a field of a text file.
    #[doc(hidden)]
    pub fn format_at(
        path: &Path,
        line: usize,
        column: Option<usize>,
        problem: impl Into<FormatProblem>,
    ) -> Self {
        Self::Format { path: path.to_owned(), line: Some(line), column, problem: problem.into() }
    }
}

/// The missing cells of one column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstMissing {
    /// The column.
    pub column: String,
    /// How many.
    pub cells: usize,
    /// Where the first is.
    pub first: Position,
}

fn places(columns: &[FirstMissing]) -> String {
    let place = |FirstMissing { column, cells, first }: &FirstMissing| match cells {
        1 => format!("1 in column '{column}' ({first})"),
        _ => format!("{cells} in column '{column}' (first in {first})"),
    };
    columns.iter().map(place).collect::<Vec<_>>().join(", ")
}

/// Names in quotes, the first few of them.
fn listed(names: &[String], most: usize) -> String {
    let more = names.len().saturating_sub(most);
    let mut shown: Vec<String> = names.iter().take(most).map(|name| format!("'{name}'")).collect();
    if more > 0 {
        shown.push(format!("and {more} more"));
    }
    shown.join(", ")
}

struct InQuotes<'a>(&'a str);

impl fmt::Display for InQuotes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, " ('{}')", self.0) }
    }
}

struct Place(Option<usize>, Option<usize>);

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.0 {
            write!(f, ", line {line}")?;
        }
        if let Some(column) = self.1 {
            write!(f, ", column {column}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_content_error_names_file_line_and_column() {
        let path = Path::new("wines.csv");
        assert_eq!(
            TableError::format_at(path, 7, Some(3), "'abc' is not a number").to_string(),
            "wines.csv, line 7, column 3: 'abc' is not a number"
        );
        assert_eq!(TableError::format(path, "too short").to_string(), "wines.csv: too short");
    }
}
