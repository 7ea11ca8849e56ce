//! Tables of named columns, in the formats people have them, read a batch of rows at a time.
//!
//! | format | recognised by | names |
//! |---|---|---|
//! | CSV, TSV ([`csv`]) | being text | the first line, if it is a header |
//! | JSON Lines ([`json_lines`]) | text that begins with `{` | the keys |
//! | Parquet ([`parquet`]) | `PAR1` | always |
//! | folders of images ([`images`]) | being a folder | `id`, `pixel[0]`, … |
//! | NPY, NPZ ([`npy`]) | `\x93NUMPY`, `PK\x03\x04` | none |
//! | LIBSVM ([`libsvm`]) | text of `label index:value …` | none |
//!
//! Text and NPY may be compressed with gzip, xz or zstd. Columns without names are called f0, f1, …
//!
//! A [`Table`] is told once which columns are wanted and what for ([`Picked`]): as numbers at a place
//! of the feature row, or as text (ids, labels, categories). It then appends rows to a [`Chunk`], as many
//! at a time as suit it, so that a file of any length passes through a bounded amount of memory.

mod cell;
mod csv;
mod file_at;
mod images;
mod json_lines;
mod libsvm;
mod npy;
mod npz;
mod parquet;
mod unread;

use std::path::Path;

pub use cell::{CellProblem, Position};
pub(super) use cell::{number, quoted};
pub(super) use csv::CsvTable;

use super::Layout;
use crate::decompress::ByteSource;
use crate::error::TableError;
use crate::problem::FormatProblem;
use likelier::data::Texts;
use likelier::data::Values;

/// More columns than this are refused, so that a few bytes that promise many do not take all memory.
const MAX_COLUMNS: usize = 1 << 22;

/// An opened table.
pub(super) trait TableReader: Send {
    /// The columns of the file.
    fn columns(&self) -> &Columns;

    /// Says what is wanted of the file. To be called once, before the first rows are read.
    fn select(&mut self, selection: Picked) -> Result<(), TableError>;

    /// An empty store of the kind that this table fills: numbers unless it has reason for another.
    fn store(&self) -> Values {
        Values::Numbers(Vec::new())
    }

    /// Appends some of the rows that follow; `false` means there are none.
    ///
    /// Numbers are finite, or NaN where one is missing. The cells of a row that belong to no number are zero.
    fn read(&mut self, into: &mut Chunk) -> Result<bool, TableError>;

    /// Where a row, counted from 0, stands in the file. Called only for a complaint, so it may take long.
    fn position(&self, row: usize) -> Position {
        Position::Row(row + 1)
    }
}

/// The columns of a table, from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Columns {
    /// Columns with the names of the file.
    Named(Vec<String>),
    /// So many columns without names.
    Numbered(usize),
    /// So many columns without names, mostly zero, and behind them one that holds the label.
    Sparse(usize),
}

impl Columns {
    /// How many columns there are to choose from.
    pub(super) fn count(&self) -> usize {
        match self {
            Self::Named(names) => names.len(),
            Self::Numbered(count) | Self::Sparse(count) => *count,
        }
    }

    /// The name of a column.
    pub(super) fn name(&self, column: usize) -> String {
        match self {
            Self::Named(names) => names.get(column).cloned().unwrap_or_default(),
            Self::Sparse(count) if column == *count => "label".into(),
            Self::Numbered(_) | Self::Sparse(_) => format!("f{column}"),
        }
    }

    /// The column of a name.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        match self {
            Self::Named(names) => names.iter().position(|known| known == name),
            Self::Numbered(count) | Self::Sparse(count) => {
                let column = name.strip_prefix('f')?.parse().ok()?;
                (column < *count && self.name(column) == name).then_some(column)
            }
        }
    }

    /// Refuses two columns of one name. Columns without a name may be many.
    fn check_names(&self, path: &Path, line: Option<usize>) -> Result<(), TableError> {
        let Self::Named(names) = self else { return Ok(()) };
        let mut order: Vec<usize> = (0..names.len()).filter(|at| !names[*at].is_empty()).collect();
        order.sort_by_key(|at| &names[*at]);
        match order.windows(2).find(|pair| names[pair[0]] == names[pair[1]]) {
            Some(pair) => {
                let problem = FormatProblem::SameName {
                    first: pair[0] + 1,
                    second: pair[1] + 1,
                    name: names[pair[0]].clone(),
                };
                Err(TableError::Format { path: path.to_owned(), line, column: None, problem })
            }
            None => Ok(()),
        }
    }
}

/// What is wanted of a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Picked {
    /// How many cells a row of features has.
    pub(super) width: usize,
    /// Columns wanted as numbers.
    pub(super) numbers: Vec<PickedNumber>,
    /// Columns wanted as text. A missing cell is an empty text.
    pub(super) texts: Vec<usize>,
}

/// A column that is wanted as numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PickedNumber {
    pub(super) column: usize,
    /// Its place in the row.
    pub(super) place: usize,
    /// What is taken from each number before it is cut to 32 bits.
    pub(super) offset: f64,
}

/// Rows that were read.
pub(super) struct Chunk {
    /// The feature rows.
    pub(super) cells: Values,
    /// The text columns, in the order of the selection.
    pub(super) texts: Vec<Texts>,
    /// How many rows there are.
    pub(super) rows: usize,
}

impl Chunk {
    /// No rows of what a table was asked for.
    pub(super) fn of(table: &dyn TableReader, selection: &Picked) -> Self {
        Self { cells: table.store(), texts: vec![Texts::new(); selection.texts.len()], rows: 0 }
    }

    /// Room for `count` more rows of `width` numbers, all zero.
    fn add_numbers(&mut self, count: usize, width: usize) -> &mut [f32] {
        // A table fills the kind of store that it has made.
        let Values::Numbers(cells) = &mut self.cells else { return &mut [] };
        let start = cells.len();
        cells.resize(start + count * width, 0.0);
        &mut cells[start..]
    }
}

/// Opens a table of any format.
pub(super) fn open(path: &Path, layout: &Layout) -> Result<Box<dyn TableReader>, TableError> {
    if path.is_dir() {
        return Ok(Box::new(images::ImageFolder::open(path, layout.image)?));
    }
    let (mut source, mut start) = (ByteSource::stream(path)?, Vec::new());
    source.read(unread::LOOK, &mut start)?;
    // From the start again.
    let source = ByteSource::stream(path)?;
    let is = |magic: &[u8]| start.starts_with(magic);
    if let Some(compression) = source.compression()
        && (is(parquet::MAGIC) || is(npz::MAGIC))
    {
        return Err(TableError::format(path, FormatProblem::CompressedWhole(compression)));
    }
    if is(parquet::MAGIC) {
        return Ok(Box::new(parquet::ParquetTable::open(path)?));
    }
    if is(npy::MAGIC) {
        return Ok(Box::new(npy::NpyTable::open(source)?));
    }
    if is(npz::MAGIC) {
        return Ok(Box::new(npz::open(path, layout.array.as_deref())?));
    }
    let extension = extension(path);
    if start.is_empty() {
        return Err(TableError::format(path, FormatProblem::Empty));
    }
    if let Some(format) = unread::recognised(&start, &extension) {
        return Err(TableError::format(path, format));
    }
    for (name, format, magic) in [
        ("parquet", "a Parquet", parquet::MAGIC),
        ("npy", "an NPY", npy::MAGIC),
        ("npz", "an NPZ", npz::MAGIC),
    ] {
        if extension == name {
            let found = start[..start.len().min(magic.len())].to_vec();
            let problem = FormatProblem::NotAsNamed { format, found, expected: magic };
            return Err(TableError::format(path, problem));
        }
    }
    if start.trim_ascii_start().starts_with(b"{") || ["jsonl", "ndjson"].contains(&extension.as_str()) {
        return Ok(Box::new(json_lines::JsonLines::open(path)?));
    }
    if extension == "json" && start.trim_ascii_start().starts_with(b"[") {
        return Err(TableError::format(path, FormatProblem::JsonArray));
    }
    let sparse = ["libsvm", "svmlight", "svm", "light"].contains(&extension.as_str());
    if sparse || (!["csv", "tsv", "tab"].contains(&extension.as_str()) && libsvm::looks_like_it(path)?) {
        return Ok(Box::new(libsvm::LibsvmTable::open(path, layout.first_index)?));
    }
    Ok(Box::new(csv::CsvTable::open(source, layout)?))
}

/// The extension in lower case, before that of a compression.
fn extension(path: &Path) -> String {
    let lower = |path: &Path| path.extension().map(|end| end.to_string_lossy().to_lowercase());
    match lower(path) {
        Some(end) if ["gz", "xz", "zst", "zstd"].contains(&end.as_str()) => {
            path.file_stem().and_then(|stem| lower(Path::new(stem))).unwrap_or_default()
        }
        end => end.unwrap_or_default(),
    }
}

/// Refuses more columns than [`MAX_COLUMNS`].
fn check_width(path: &Path, width: usize) -> Result<(), TableError> {
    if width <= MAX_COLUMNS {
        return Ok(());
    }
    Err(TableError::format(path, FormatProblem::TooWide { found: width, most: MAX_COLUMNS }))
}

/// How many rows to read at a time, so that a batch of them stays in the caches.
fn batch_rows(width: usize) -> usize {
    ((1 << 19) / width.max(1)).clamp(256, 1 << 15)
}
