//! A table as people see it: every cell a text.

use std::path::Path;

use likelier::data::Texts;

use crate::batches::no_rows;
use crate::error::TableError;
use crate::ids::Ids;
use crate::layout::Layout;
use crate::problem::FormatProblem;
use crate::roles::Finder;
use crate::table::{self, Chunk, Columns, Picked};

/// All cells of a table as texts, column by column, and what its rows are called.
#[derive(Clone, Debug)]
pub struct TextTable {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The cells of each column.
    pub cells: Vec<Texts>,
    /// What each row is called.
    pub ids: Ids,
    /// The column that holds the ids, where one does.
    pub id_column: Option<usize>,
}

impl TextTable {
    /// Reads a table of any format but LIBSVM, which holds numbers that nobody could tell apart.
    pub fn read(path: &Path, layout: &Layout) -> Result<Self, TableError> {
        let mut table = table::open(path, layout)?;
        if matches!(table.columns(), Columns::Sparse(_)) {
            return Err(TableError::format(path, FormatProblem::NotToBeSeen));
        }
        let count = table.columns().count();
        let columns: Vec<String> = (0..count).map(|column| table.columns().name(column)).collect();
        let id_column = Finder { path, columns: table.columns() }.id(layout)?;
        let selection = Picked { texts: (0..count).collect(), ..Picked::default() };
        table.select(selection.clone())?;
        let mut chunk = Chunk::of(&*table, &selection);
        while table.read(&mut chunk)? {}
        if chunk.rows == 0 {
            return Err(no_rows(path));
        }
        let ids = match id_column {
            Some(column) => Ids::index(chunk.texts[column].clone()).map_err(|(names, same)| {
                let [first, second] = [same.first, same.second].map(|row| table.position(row));
                let id = names.get(same.first).to_owned();
                TableError::SameId { path: path.to_owned(), id, first, second }
            })?,
            None => Ids::numbered(chunk.rows),
        };
        Ok(Self { columns, cells: chunk.texts, ids, id_column })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn cells_are_texts_as_the_file_has_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("items.csv");
        fs::write(&path, "name,id,price\n\"a <b>, c\",x,1.50\n,y,2\n").unwrap();
        let table = TextTable::read(&path, &Layout::default()).unwrap();
        assert_eq!(table.columns, ["name", "id", "price"]);
        assert_eq!(table.cells[0].iter().collect::<Vec<_>>(), ["a <b>, c", ""]);
        assert_eq!(table.cells[2].iter().collect::<Vec<_>>(), ["1.50", "2"]);
        assert_eq!((table.id_column, table.ids.find("y")), (Some(1), Some(1)));
        fs::write(&path, "id,price\nx,1\nx,2\n").unwrap();
        let refused = TextTable::read(&path, &Layout::default()).unwrap_err().to_string();
        assert!(refused.contains("the id 'x' occurs twice"), "{refused}");
        fs::write(&path, "id,price\n").unwrap();
        assert!(TextTable::read(&path, &Layout::default()).is_err());
    }
}
