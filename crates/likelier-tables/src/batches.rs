//! Items a batch at a time: what scoring reads, in memory that does not grow with the file.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::Layout;
use super::hashed::Hashed;
use super::roles::Roles;
use super::table::{self, CellProblem, Chunk, Position, TableReader};
use crate::error::TableError;
use crate::missing::{Missing, MissingTally};
use crate::problem::FormatProblem;
use likelier::Rows;
use likelier::data::{Column, Features, NumberRule, Texts, Values, is_missing, moments};
use likelier::model::square_image;

/// A file of items, read from its start to its end in batches.
///
/// ```no_run
/// # use likelier::data::Features;
/// # use likelier_tables::{ItemBatch, ItemBatches, Layout};
/// # let features = Features::numbered(3);
/// let mut batches = ItemBatches::open("new.parquet".as_ref(), &features, &Layout::default())?;
/// let mut batch = ItemBatch::default();
/// while batches.read(&mut batch)? {
///     // score batch.rows, write beside batch.ids
/// }
/// # Ok::<(), likelier_tables::TableError>(())
/// ```
pub struct ItemBatches {
    reader: Reader,
    rows: usize,
}

/// Some of the items of a file, in its order. Its memory is used again for the next batch.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemBatch {
    /// The ids.
    pub ids: BatchIds,
    /// The features.
    pub rows: Rows<'static>,
    /// The labels, if the file was said to have them.
    pub labels: Option<Texts>,
    /// The groups, if the layout asks for them and the file has them.
    pub groups: Option<Texts>,
    /// How many cells hold a category that was not seen in training: all its features are 0 there.
    pub unseen_categories: usize,
}

/// The ids of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BatchIds {
    /// Row numbers.
    Numbered {
        /// That of the first row of the batch.
        first: usize,
    },
    /// Texts of the file.
    Named(Texts),
}

impl BatchIds {
    /// The id of a row of the batch.
    pub fn name(&self, row: usize) -> Cow<'_, str> {
        match self {
            Self::Numbered { first } => Cow::Owned((first + row).to_string()),
            Self::Named(names) => Cow::Borrowed(names.get(row)),
        }
    }
}

impl Default for ItemBatch {
    fn default() -> Self {
        Self {
            ids: BatchIds::Numbered { first: 0 },
            rows: Rows::of_checked(Values::Numbers(Vec::new()), 1),
            labels: None,
            groups: None,
            unseen_categories: 0,
        }
    }
}

impl ItemBatches {
    /// Opens a file for a model with these features.
    ///
    /// Columns are found by their names: their order does not matter, and more of them do no harm. In a
    /// file without names there must be exactly as many. Of the layout, `features` and `categories` are
    /// not used.
    pub fn open(path: &Path, features: &Features, layout: &Layout) -> Result<Self, TableError> {
        // How large the images of training were, the number of features tells.
        let layout = &Layout { image: square_image(features.width()), ..layout.clone() };
        let table = table::open(path, layout)?;
        let roles = Roles::of_features(path, table.columns(), features, layout)?;
        Ok(Self { reader: Reader::new(path, table, &roles, features)?, rows: 0 })
    }

    /// What was missing in the rows that were read so far.
    pub fn missing(&self) -> Missing {
        self.reader.missing.found()
    }

    /// Reads the next batch; `false` means that there is none, which it may be at once.
    pub fn read(&mut self, batch: &mut ItemBatch) -> Result<bool, TableError> {
        let mut cells = std::mem::take(batch).rows.into_values();
        cells.clear();
        if std::mem::discriminant(&cells) == std::mem::discriminant(&self.reader.chunk.cells) {
            self.reader.chunk.cells = cells;
        }
        self.reader.clear();
        let Some(rows) = self.reader.read()? else { return Ok(false) };
        if let Some((row, column)) = self.reader.no_median {
            return Err(self.reader.refused(row, column));
        }
        let first = self.rows;
        self.rows += rows.len();
        let (mut cells, hashed, [ids, labels, groups]) = self.reader.take();
        if let (Some(hashed), Values::Numbers(numbers)) = (hashed, &cells) {
            cells = Values::Sparse(hashed.beside(numbers, self.reader.features.dense_width()));
        }
        *batch = ItemBatch {
            ids: ids.map_or(BatchIds::Numbered { first }, BatchIds::Named),
            rows: Rows::of_checked(cells, self.reader.features.width()),
            labels,
            groups,
            unseen_categories: std::mem::take(&mut self.reader.unseen),
        };
        Ok(true)
    }
}

/// The complaint about a file that is there but holds nothing.
pub(super) fn no_rows(path: &Path) -> TableError {
    TableError::format(path, FormatProblem::NoRows)
}

/// Rows of features out of a table, with categories made one-hot, text hashed, and missing numbers filled in, where it is
/// known with what. Rows collect in `chunk`, features of text in `hashed`.
pub(super) struct Reader {
    path: PathBuf,
    table: Box<dyn TableReader>,
    features: Features,
    /// The columns of the table that hold the features.
    columns: Vec<usize>,
    /// The columns of the table that are text: id, label, group, categories, text in words.
    texts: Vec<usize>,
    has_id: bool,
    has_label: bool,
    has_group: bool,
    /// Which of the texts may be blank.
    may_be_blank: Vec<usize>,
    spelled: Vec<Spelled>,
    hashed: Option<Hashed>,
    chunk: Chunk,
    /// Rows read from the table.
    done: usize,
    unseen: usize,
    missing: MissingTally,
    /// The first missing number that nothing is known to stand for: its row and column.
    no_median: Option<(usize, usize)>,
}

/// A column of texts that stand for something else: its number, and the place of its first feature.
struct Spelled {
    column: usize,
    place: usize,
    meaning: Meaning,
}

enum Meaning {
    /// A category: the values in order.
    Category(HashMap<String, usize>),
    /// A date, as days since 1970, from which an offset is taken.
    Date(f64),
}

impl Reader {
    pub(super) fn new(
        path: &Path,
        mut table: Box<dyn TableReader>,
        roles: &Roles,
        features: &Features,
    ) -> Result<Self, TableError> {
        let selection = roles.selection(features);
        table.select(selection.clone())?;
        let mut place = 0;
        let mut spelled = Vec::new();
        for (at, column) in features.columns().iter().enumerate() {
            let meaning = match column {
                Column::Category { values, .. } => {
                    let values = values.iter().enumerate().map(|(at, value)| (value.clone(), at));
                    Some(Meaning::Category(values.collect()))
                }
                Column::Number { rule, .. } if rule.date => Some(Meaning::Date(rule.offset)),
                Column::Number { .. } | Column::Text { .. } => None,
            };
            spelled.extend(meaning.map(|meaning| Spelled { column: at, place, meaning }));
            place += column.width();
        }
        Ok(Self {
            path: path.to_owned(),
            columns: roles.features().to_vec(),
            missing: MissingTally::new(features),
            no_median: None,
            features: features.clone(),
            has_id: roles.id.is_some(),
            has_label: roles.label.is_some(),
            has_group: roles.group.is_some(),
            may_be_blank: roles
                .label
                .filter(|_| roles.blank_labels)
                .into_iter()
                .chain(roles.group)
                .collect(),
            spelled,
            hashed: features.have_text().then(|| Hashed::of(features)),
            chunk: Chunk::of(&*table, &selection),
            texts: selection.texts,
            table,
            done: 0,
            unseen: 0,
        })
    }

    /// Appends rows to what was read before and says which they are; `None` at the end of the file.
    pub(super) fn read(&mut self) -> Result<Option<Range<usize>>, TableError> {
        let start = self.chunk.rows;
        if !self.table.read(&mut self.chunk)? {
            return Ok(None);
        }
        let rows = start..self.chunk.rows;
        // Only the texts of categories are new ones alone.
        let kept = [self.has_id, self.has_label, self.has_group]
            .into_iter()
            .map(usize::from)
            .sum::<usize>();
        for (at, texts) in self.chunk.texts[..kept].iter().enumerate() {
            if self.may_be_blank.contains(&self.texts[at]) {
                continue;
            }
            let new = texts.len() - rows.len();
            if let Some(row) = (0..rows.len()).find(|row| texts.get(new + row).is_empty()) {
                return Err(self.refused(self.done + row, self.texts[at]));
            }
        }
        if let Values::Numbers(_) = &self.chunk.cells {
            self.fill(rows.clone(), kept)
                .map_err(|(row, column, problem)| self.at(row, column, problem))?;
        }
        self.done += rows.len();
        Ok(Some(rows))
    }

    /// Sets categories and dates, fills in what is missing, and counts it. The error is row, column and what is wrong.
    fn fill(&mut self, rows: Range<usize>, kept: usize) -> Result<(), (usize, usize, CellProblem)> {
        let (width, done, missing) = (self.features.dense_width(), self.done, &mut self.missing);
        let Values::Numbers(cells) = &mut self.chunk.cells else { return Ok(()) };
        let cells = &mut cells[rows.start * width..];
        let mut gone = vec![0; rows.len()];
        for (spelled, texts) in self.spelled.iter().zip(&mut self.chunk.texts[kept..]) {
            let Spelled { column, place, meaning } = spelled;
            for (row, text) in texts.iter().enumerate() {
                let values = match meaning {
                    Meaning::Category(values) => values,
                    Meaning::Date(offset) => {
                        let days =
                            days(text).map_err(|problem| (done + row, self.columns[*column], problem))?;
                        cells[row * width + place] = (days - offset) as f32;
                        continue;
                    }
                };
                // A text that was a value in training is one here.
                let known = values.get(text);
                let nothing = is_missing(text) && (text.is_empty() || known.is_none());
                if nothing {
                    missing.add(done + row, *column);
                    gone[row] += 1;
                }
                match if nothing { values.get("") } else { known } {
                    Some(at) => cells[row * width + place + at] = 1.0,
                    None => self.unseen += usize::from(!nothing),
                }
            }
            texts.clear();
        }
        if let Some(hashed) = &mut self.hashed {
            let texts = &mut self.chunk.texts[kept + self.spelled.len()..];
            hashed.read(texts, rows.len(), |row, column| {
                missing.add(done + row, column);
                gone[row] += 1;
            });
            texts.iter_mut().for_each(Texts::clear);
        }
        let features = &self.features;
        features.fill_in(cells, |row, column| {
            missing.add(done + row, column);
            gone[row] += 1;
            if let Column::Number { rule: NumberRule { median: None, .. }, .. } = features.columns()[column]
            {
                self.no_median.get_or_insert((done + row, self.columns[column]));
            }
        });
        let ids = self.chunk.texts.first().filter(|_| self.has_id);
        for row in (0..gone.len()).filter(|row| gone[*row] == features.columns().len()) {
            missing.add_empty(|| match ids {
                Some(ids) => ids.get(rows.start + row).to_owned(),
                None => (done + row).to_string(),
            });
        }
        Ok(())
    }

    fn refused(&self, row: usize, column: usize) -> TableError {
        self.at(row, column, CellProblem::Missing)
    }

    /// The error of a problem in a row and column of the file.
    fn at(&self, row: usize, column: usize, problem: CellProblem) -> TableError {
        problem.at(&self.path, self.table.position(row), column, self.table.columns().name(column))
    }

    /// Forgets the rows, keeping the memory.
    fn clear(&mut self) {
        self.chunk.cells.clear();
        self.hashed.iter_mut().for_each(Hashed::clear);
        self.chunk.texts.iter_mut().for_each(Texts::clear);
        self.chunk.rows = 0;
    }

    /// Hands over the cells, the features of text, and the ids, labels and groups that were read.
    pub(super) fn take(&mut self) -> (Values, Option<Hashed>, [Option<Texts>; 3]) {
        let cells = std::mem::replace(&mut self.chunk.cells, self.table.store());
        let mut texts = self.chunk.texts.iter_mut();
        let kept = [self.has_id, self.has_label, self.has_group]
            .map(|has| if has { texts.next().map(std::mem::take) } else { None });
        self.chunk.rows = 0;
        let hashed = self
            .hashed
            .as_mut()
            .map(|hashed| std::mem::replace(hashed, Hashed::of(&self.features)));
        (cells, hashed, kept)
    }

    /// Goes on collecting where a reader of another file with the same features has ended.
    pub(super) fn after(mut self, before: Self) -> Result<Self, TableError> {
        let forms = [&self, &before].map(|reader| std::mem::discriminant(&reader.chunk.cells));
        if forms[0] != forms[1] {
            return Err(TableError::format(&self.path, FormatProblem::OtherForm { other: before.path }));
        }
        self.missing.count(&before.missing);
        (self.chunk, self.hashed) = (before.chunk, before.hashed);
        Ok(self)
    }

    /// What was missing.
    pub(super) fn missing(&self) -> &MissingTally {
        &self.missing
    }

    /// Where a row of the file stands in it.
    pub(super) fn position(&self, row: usize) -> Position {
        self.table.position(row)
    }
}

/// The days from 1970 to a date; NaN where there is none.
fn days(text: &str) -> Result<f64, CellProblem> {
    let text = text.trim();
    if is_missing(text) {
        return Ok(f64::NAN);
    }
    moments::date(text)
        .map(|seconds| seconds / moments::DAY)
        .ok_or_else(|| CellProblem::NotADate(table::quoted(text)))
}
