//! Items: what comparisons are about, read whole for training.

use std::path::Path;

use super::batches::{Reader, no_rows};
use super::hashed::Hashed;
use super::roles::Roles;
use super::table::{self, Chunk, Columns, CsvTable, Picked, TableReader};
use super::{Ids, Layout};
use crate::decompress::ByteSource;
use crate::error::TableError;
use crate::layout::OnMissing;
use crate::missing::Missing;
use crate::problem::FormatProblem;
use likelier::data::{Features, Texts, Values};
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
    /// What was missing, and is filled in.
    pub missing: Missing,
}

impl Items {
    /// Reads a table of any format. Numbers become 32-bit ones as they are read; there is no second copy.
    pub fn read(path: &Path, layout: &Layout) -> Result<Self, TableError> {
        Self::of(Source::File(path), layout)
    }

    /// Reads a text table that comes with the program.
    pub(crate) fn read_text(
        path: &Path,
        open: &dyn Fn() -> ByteSource,
        layout: &Layout,
    ) -> Result<Self, TableError> {
        Self::of(Source::Text(path, open), layout)
    }

    fn of(source: Source<'_>, layout: &Layout) -> Result<Self, TableError> {
        let path = source.path().to_owned();
        let read = ItemsRead::all(source, None, layout)?;
        let [ids, labels, groups] = read.names;
        let ids = match ids {
            Some(names) => Ids::index(names).map_err(|(names, same)| TableError::SameId {
                path,
                id: names.get(same.first).to_owned(),
                first: read.last.position(same.first),
                second: read.last.position(same.second),
            })?,
            None => Ids::numbered(read.counts[0]),
        };
        let rows = Rows::of_checked(read.values, read.features.width());
        Ok(Self { ids, rows, features: read.features, labels, groups, missing: read.missing })
    }

    /// Reads two tables of as many rows, in which each row of the first was said to be likelier than the
    /// row of the second at the same place. The items are the rows of the first, then those of the second,
    /// numbered from 0; ids and labels are not read.
    pub fn read_aligned(
        likelier: &Path,
        other: &Path,
        layout: &Layout,
    ) -> Result<(Self, Answers), TableError> {
        let read = ItemsRead::all(Source::File(likelier), Some(Source::File(other)), layout)?;
        let (count, others) = (read.counts[0], read.counts[1]);
        if others != count {
            let problem =
                FormatProblem::OtherLength { found: others, other: likelier.to_owned(), expected: count };
            return Err(TableError::format(other, problem));
        }
        let pairs = (0..count).map(|row| (row as u32, (count + row) as u32));
        let items = Self {
            ids: Ids::numbered(2 * count),
            rows: Rows::of_checked(read.values, read.features.width()),
            features: read.features,
            labels: None,
            groups: None,
            missing: read.missing,
        };
        Ok((items, pairs.collect()))
    }
}

/// A table that can be read more than once.
#[derive(Clone, Copy)]
enum Source<'a> {
    File(&'a Path),
    /// Text that comes with the program.
    Text(&'a Path, &'a dyn Fn() -> ByteSource),
}

impl Source<'_> {
    fn path(&self) -> &Path {
        match self {
            Self::File(path) | Self::Text(path, _) => path,
        }
    }

    fn open(&self, layout: &Layout) -> Result<Box<dyn TableReader>, TableError> {
        match self {
            Self::File(path) => table::open(path, layout),
            Self::Text(_, open) => Ok(Box::new(CsvTable::open(open(), layout)?)),
        }
    }
}

/// All rows of one table, or of two that hold the two items of each pair.
struct ItemsRead {
    features: Features,
    values: Values,
    /// The features of text, until they stand beside the others.
    hashed: Option<Hashed>,
    /// Ids, labels and groups.
    names: [Option<Texts>; 3],
    /// Rows of each table.
    counts: Vec<usize>,
    missing: Missing,
    /// The reader of the last table, which knows where its rows stand.
    last: Reader,
}

impl ItemsRead {
    /// Reads the tables, again if there are numbers that lie too far from zero, and learns what stands for missing ones.
    fn all(first: Source<'_>, second: Option<Source<'_>>, layout: &Layout) -> Result<Self, TableError> {
        let (roles, features) = opened(first, second, layout)?;
        let read = |features| Self::with(first, second, layout, &roles, features);
        let mut found = read(features)?;
        if let Some(centred) = found.features.centred(&found.values) {
            drop(found);
            found = read(centred)?;
            found.features = found.features.without_idle_offsets(&mut found.values);
        }
        if let Values::Numbers(cells) = &mut found.values {
            found.features = found.features.learn_missing(cells);
            if let Some(hashed) = found.hashed.take() {
                found.features = found.features.with_medians_of(cells).around_means(cells);
                found.values = Values::Sparse(hashed.beside(cells, found.features.dense_width()));
            }
        }
        Ok(found)
    }

    fn with(
        first: Source<'_>,
        second: Option<Source<'_>>,
        layout: &Layout,
        roles: &Roles,
        features: Features,
    ) -> Result<Self, TableError> {
        let mut last = Reader::new(first.path(), first.open(layout)?, roles, &features)?;
        let mut counts = vec![read_to_end(first.path(), &mut last, 0, layout)?];
        if let Some(second) = second {
            let (path, table) = (second.path(), second.open(layout)?);
            let mut roles = Roles::of_features(path, table.columns(), &features, layout)?;
            roles.forget_names();
            last = Reader::new(path, table, &roles, &features)?.after(last)?;
            counts.push(read_to_end(path, &mut last, counts[0], layout)?);
        }
        let (values, hashed, names) = last.take();
        Ok(Self { features, values, hashed, names, counts, missing: last.missing().found(), last })
    }
}

/// The roles of the columns in the first table, and the features of both.
fn opened(
    first: Source<'_>,
    second: Option<Source<'_>>,
    layout: &Layout,
) -> Result<(Roles, Features), TableError> {
    let (path, mut table) = (first.path(), first.open(layout)?);
    if table.columns().count() == 0 {
        let picked = Picked::default();
        table.select(picked.clone())?;
        if !table.read(&mut Chunk::of(&*table, &picked))? {
            return Err(no_rows(path));
        }
    }
    let columns = table.columns();
    let (mut roles, kinds) = Roles::of_layout(path, columns, layout)?;
    if kinds.is_empty() {
        return Err(TableError::format(path, FormatProblem::NoFeatures));
    }
    let features = if let Columns::Sparse(count) = columns {
        // The last features may not occur in both.
        let other = second.map(|source| Ok::<_, TableError>(source.open(layout)?.columns().count()));
        Features::numbered(other.transpose()?.unwrap_or(0).max(*count))
    } else {
        let files: Vec<&Path> = [Some(&first), second.as_ref()]
            .into_iter()
            .flatten()
            .map(Source::path)
            .collect();
        roles.fit(&files, columns, layout, &kinds)?
    };
    if second.is_some() {
        roles.forget_names();
    }
    Ok((roles, features))
}

/// Reads all rows of a file, `before` those of an earlier one, and says how many there are.
fn read_to_end(
    path: &Path,
    reader: &mut Reader,
    before: usize,
    layout: &Layout,
) -> Result<usize, TableError> {
    let mut end = before;
    while let Some(rows) = reader.read()? {
        end = rows.end;
        if end > u32::MAX as usize / 2 {
            let problem = FormatProblem::TooManyRows { most: u32::MAX / 2 };
            return Err(TableError::format(path, problem));
        }
    }
    if end == before {
        return Err(no_rows(path));
    }
    if layout.missing == OnMissing::Refuse {
        reader.missing().refuse(path, |row| reader.position(row))?;
    }
    Ok(end - before)
}
