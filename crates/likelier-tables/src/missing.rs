//! What is missing in a table: counted column by column while it is read.

use std::path::Path;

use likelier::Warning;
use likelier::data::{Column, Features, MissingCells};

use crate::error::{FirstMissing, TableError};
use crate::table::Position;

/// How many ids of items with nothing in them are kept.
const SHOWN: usize = 3;

/// Cells in which nothing is, and items with nothing in any cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Missing {
    /// The columns with missing cells.
    pub columns: Vec<MissingCells>,
    /// How many items have nothing but missing cells.
    pub empty_items: usize,
    /// The first of those.
    pub first_empty: Vec<String>,
}

/// The same while rows are read.
#[derive(Clone, Debug)]
pub(crate) struct MissingTally {
    names: Vec<String>,
    /// For each column how many, and the first row.
    columns: Vec<(usize, usize)>,
    empty_items: usize,
    first_empty: Vec<String>,
}

impl MissingTally {
    pub(crate) fn new(features: &Features) -> Self {
        let names: Vec<String> = features.columns().iter().map(|column| column.name().to_owned()).collect();
        Self { columns: vec![(0, 0); names.len()], names, empty_items: 0, first_empty: Vec::new() }
    }

    /// Counts a cell of a row of the file.
    pub(crate) fn add(&mut self, row: usize, column: usize) {
        let (cells, first) = &mut self.columns[column];
        if *cells == 0 {
            *first = row;
        }
        *cells += 1;
    }

    /// Counts an item in which every cell is missing.
    pub(crate) fn add_empty(&mut self, id: impl FnOnce() -> String) {
        self.empty_items += 1;
        if self.first_empty.len() < SHOWN {
            self.first_empty.push(id());
        }
    }

    /// Counts what is missing in a file before this one, too.
    pub(crate) fn count(&mut self, before: &Self) {
        for ((cells, _), (more, _)) in self.columns.iter_mut().zip(&before.columns) {
            *cells += more;
        }
        self.empty_items += before.empty_items;
        let own = std::mem::replace(&mut self.first_empty, before.first_empty.clone());
        self.first_empty.extend(own);
        self.first_empty.truncate(SHOWN);
    }

    /// Refuses a file in which anything is missing, and says all that is.
    pub(crate) fn refuse(
        &self,
        path: &Path,
        position: impl Fn(usize) -> Position,
    ) -> Result<(), TableError> {
        let missing = self.names.iter().zip(&self.columns).filter(|(_, (cells, _))| *cells > 0);
        let columns: Vec<FirstMissing> = missing
            .map(|(name, (cells, first))| FirstMissing {
                column: name.clone(),
                cells: *cells,
                first: position(*first),
            })
            .collect();
        if columns.is_empty() {
            return Ok(());
        }
        Err(TableError::MissingCells { path: path.to_owned(), columns })
    }

    pub(crate) fn found(&self) -> Missing {
        let columns = self.names.iter().zip(&self.columns).filter(|(_, (cells, _))| *cells > 0);
        Missing {
            columns: columns
                .map(|(column, (cells, _))| MissingCells { column: column.clone(), cells: *cells })
                .collect(),
            empty_items: self.empty_items,
            first_empty: self.first_empty.clone(),
        }
    }
}

impl Missing {
    /// What to say of it where the table is learned from.
    pub fn in_training(&self) -> Vec<Warning> {
        let values = Warning::MissingValues { columns: self.columns.clone() };
        let values = Some(values).filter(|_| !self.columns.is_empty());
        values.into_iter().chain(self.empty()).collect()
    }

    /// What to say of it where rows are scored by a model with these features.
    pub fn in_scoring(&self, features: &Features) -> Vec<Warning> {
        let columns = self.unexpected(features);
        let values =
            Some(Warning::MissingUnseen { columns: columns.clone() }).filter(|_| !columns.is_empty());
        values.into_iter().chain(self.empty()).collect()
    }

    fn empty(&self) -> Option<Warning> {
        let empty = Warning::EmptyItems { items: self.empty_items, first: self.first_empty.clone() };
        Some(empty).filter(|_| self.empty_items > 0)
    }

    /// Only the columns in which nothing was missing when these features were learned.
    fn unexpected(&self, features: &Features) -> Vec<MissingCells> {
        let expected = |name: &str| {
            features.columns().iter().any(|column| match column {
                Column::Number { rule, .. } => column.name() == name && rule.missing,
                Column::Category { values, .. } => {
                    column.name() == name && values.iter().any(String::is_empty)
                }
                // A text may be empty.
                Column::Text { .. } => column.name() == name,
            })
        };
        self.columns
            .iter()
            .filter(|missing| !expected(&missing.column))
            .cloned()
            .collect()
    }
}
