//! Items: what comparisons are about, read whole for training.

use std::path::Path;

use super::batches::{Reader, no_rows};
use super::roles::Roles;
use super::table::{self, Columns, CsvTable, TableReader};
use super::{Ids, Layout};
use crate::decompress::ByteSource;
use crate::error::TableError;
use likelier::data::{Features, Texts};
use likelier::{Answers, Rows};

/// Rows of features with their names and, where known, their labels.
#[derive(Clone, Debug, PartialEq)]
pub struct Items {
    /// What each row is called.
    pub ids: Ids,
    /// The features.
    pub rows: Rows<'static>,
    /// What the features mean.
    pub features: Features,
    /// The true labels as the file writes them, if it has any.
    pub labels: Option<Texts>,
    /// The group of each item, where a column `group` says with which others it was compared; may be blank.
    pub groups: Option<Texts>,
}

impl Items {
    /// Reads a table of any format. Numbers become 32-bit ones as they are read; there is no second copy.
    pub fn read(path: &Path, layout: &Layout) -> Result<Self, TableError> {
        Self::of(path, Opened::new(&[path], layout)?)
    }

    /// Reads a text table that comes with the program.
    pub(crate) fn read_text(source: ByteSource, layout: &Layout) -> Result<Self, TableError> {
        let path = source.path().to_owned();
        let table = Box::new(CsvTable::open(source, layout)?);
        Self::of(&path, Opened::of(table, &[&path], layout)?)
    }

    fn of(path: &Path, opened: Opened) -> Result<Self, TableError> {
        let mut reader = Reader::new(path, opened.table, &opened.roles, &opened.features)?;
        let count = read_to_end(path, &mut reader, 0)?;
        let (values, [ids, labels, groups]) = reader.take();
        let ids = match ids {
            Some(names) => Ids::index(names).map_err(|(names, same)| TableError::SameId {
                path: path.to_owned(),
                id: names.get(same.first).to_owned(),
                first: reader.position(same.first),
                second: reader.position(same.second),
            })?,
            None => Ids::numbered(count),
        };
        let rows = Rows::of_checked(values, opened.features.width());
        Ok(Self { ids, rows, features: opened.features, labels, groups })
    }

    /// Reads two tables of as many rows, in which each row of the first was said to be likelier than the
    /// row of the second at the same place. The items are the rows of the first, then those of the second,
    /// numbered from 0; ids and labels are not read.
    pub fn read_aligned(
        likelier: &Path,
        other: &Path,
        layout: &Layout,
    ) -> Result<(Self, Answers), TableError> {
        let mut opened = Opened::new(&[likelier, other], layout)?;
        opened.roles.forget_names();
        let mut first = Reader::new(likelier, opened.table, &opened.roles, &opened.features)?;
        let count = read_to_end(likelier, &mut first, 0)?;

        let table = table::open(other, layout)?;
        let mut roles = Roles::of_features(other, table.columns(), &opened.features, layout)?;
        roles.forget_names();
        let mut second = Reader::new(other, table, &roles, &opened.features)?.after(first)?;
        let others = read_to_end(other, &mut second, count)?;
        if others != count {
            let problem = format!("has {others} rows, but {} has {count}", likelier.display());
            return Err(TableError::format(other, problem));
        }
        let (values, _) = second.take();
        let rows = Rows::of_checked(values, opened.features.width());
        let pairs = (0..count).map(|row| (row as u32, (count + row) as u32));
        let items = Self {
            ids: Ids::numbered(2 * count),
            rows,
            features: opened.features,
            labels: None,
            groups: None,
        };
        Ok((items, pairs.collect()))
    }
}

/// What the columns of a file are, and the features fitted to it.
struct Opened {
    table: Box<dyn TableReader>,
    roles: Roles,
    features: Features,
}

impl Opened {
    /// The roles in the first of the files and the features of all.
    fn new(files: &[&Path], layout: &Layout) -> Result<Self, TableError> {
        Self::of(table::open(files[0], layout)?, files, layout)
    }

    fn of(table: Box<dyn TableReader>, files: &[&Path], layout: &Layout) -> Result<Self, TableError> {
        let path = files[0];
        let columns = table.columns();
        let (roles, is_category) = Roles::of_layout(path, columns, layout)?;
        if is_category.is_empty() {
            return Err(TableError::format(path, "has no columns that could be features"));
        }
        let features = if let Columns::Sparse(count) = columns {
            // The last features may not occur in every file.
            let counts = files[1..].iter().map(|path| Ok(table::open(path, layout)?.columns().count()));
            let counts: Vec<usize> = counts.collect::<Result<_, TableError>>()?;
            Features::numbered(counts.into_iter().fold(*count, usize::max))
        } else {
            roles.fit(files, columns, layout, &is_category)?
        };
        Ok(Self { table, roles, features })
    }
}

/// Reads all rows of a file, `before` those of an earlier one, and says how many there are.
fn read_to_end(path: &Path, reader: &mut Reader, before: usize) -> Result<usize, TableError> {
    let mut end = before;
    while let Some(rows) = reader.read()? {
        end = rows.end;
        if end > u32::MAX as usize / 2 {
            let problem = format!("holds more than {} rows, the most that are read at once", u32::MAX / 2);
            return Err(TableError::format(path, problem));
        }
    }
    if end == before {
        return Err(no_rows(path));
    }
    Ok(end - before)
}
