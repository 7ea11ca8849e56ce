//! What can be wrong with a file as a whole, by kinds, so that each has advice of its own.

use std::fmt;
use std::path::PathBuf;

use likelier::words::count;

/// What is wrong with a file, and what was expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FormatProblem {
    /// Not a byte, or nothing but blank lines.
    #[error("is empty")]
    Empty,
    /// Columns, but no rows.
    #[error("holds no rows")]
    NoRows,
    /// Columns, but no comparisons.
    #[error("holds no comparisons")]
    NoComparisons,
    /// Nothing but blank labels.
    #[error("holds no label")]
    NoLabel,
    /// Only columns that are something else.
    #[error("has no columns that could be features")]
    NoFeatures,
    /// Weights that leave nothing.
    #[error("every weight is 0, so no comparison would count")]
    NoWeight,
    /// Comparisons without a header that are no pairs of row numbers.
    #[error(
        "has no header and {}; without a header it must hold two row numbers and perhaps a weight",
        count(*columns, "column")
    )]
    NoHeader {
        /// How many columns there are.
        columns: usize,
    },
    /// Two columns of one name.
    #[error("the columns {first} and {second} are both called '{name}'")]
    SameName {
        /// The first, from 1.
        first: usize,
        /// The second, from 1.
        second: usize,
        /// The name.
        name: String,
    },
    /// More columns than are read.
    #[error("has {found} columns; at most {most} are read")]
    TooWide {
        /// How many there are.
        found: usize,
        /// The most.
        most: usize,
    },
    /// More rows than are read at once.
    #[error("holds more than {most} rows, the most that are read at once")]
    TooManyRows {
        /// The most.
        most: u32,
    },
    /// A category of too many values.
    #[error("the category '{name}' has more than {most} values")]
    TooManyValues {
        /// The column.
        name: String,
        /// The most.
        most: usize,
    },
    /// More bytes than are read.
    #[error("holds more than {most} bytes, the most that is read")]
    TooLong {
        /// The most.
        most: u64,
    },
    /// A line of too many bytes.
    #[error("is longer than {most} bytes")]
    LongLine {
        /// The most.
        most: u64,
    },
    /// A record of too many bytes.
    #[error("is longer than {most} bytes: is a quote left open?")]
    LongRecord {
        /// The most.
        most: usize,
    },
    /// A record that is longer or shorter than the others.
    #[error("has {}; {expected} are expected", count(*found, "field"))]
    Fields {
        /// Fields of the record.
        found: usize,
        /// Fields of the others.
        expected: usize,
    },
    /// A blank line between rows.
    #[error("is blank, but more rows follow")]
    BlankLine,
    /// A line of bytes that are not text.
    #[error("is not UTF-8 text")]
    NotUtf8,
    /// A table that is read at places, compressed as a whole.
    #[error("is compressed with {0} as a whole, and can only be read at places")]
    CompressedWhole(&'static str),
    /// Compressed bytes that cannot be right.
    #[error("the {compression} data are damaged or cut off: {reason}")]
    Compression {
        /// How they are compressed.
        compression: &'static str,
        /// What the decompression said.
        reason: String,
    },
    /// A file that is not what its name says.
    #[error("is not {format} file, as its name says: it starts with {found:02x?}, not {expected:02x?}")]
    NotAsNamed {
        /// What the name says, with its article.
        format: &'static str,
        /// The first bytes.
        found: Vec<u8>,
        /// What they should be.
        expected: &'static [u8],
    },
    /// A format that is known, but not read.
    #[error("is {0}, which is not read")]
    Unread(UnreadFormat),
    /// An NPZ file without the array that was asked for.
    #[error("has no array '{name}'; there are: {}", known.join(", "))]
    NoSuchArray {
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// An NPZ file with several arrays.
    #[error("holds {} arrays, and it is not said which: {}", known.len(), known.join(", "))]
    SeveralArrays {
        /// Their names.
        known: Vec<String>,
    },
    /// An array of something that is not read.
    #[error("holds {kind}; only bool, u1 to u8, i1 to i8, f4 and f8 are read")]
    ArrayKind {
        /// What the header says.
        kind: String,
    },
    /// An array that is no table.
    #[error("{0}")]
    ArrayShape(String),
    /// A newer NPY file.
    #[error("is of NPY version {0}; only 1 to 3 are read")]
    NpyVersion(u8),
    /// A column of text where numbers are wanted.
    #[error("column {column} ('{name}') holds text; numbers are wanted there")]
    TextColumn {
        /// The column, from 1.
        column: usize,
        /// Its name.
        name: String,
    },
    /// A column of lists of something else than numbers.
    #[error(
        "column {column} ('{name}') holds lists; only lists of numbers, as features, and single values are read"
    )]
    ListColumn {
        /// The column, from 1.
        column: usize,
        /// Its name.
        name: String,
    },
    /// A column of dates or times where numbers are wanted.
    #[error("column {column} ('{name}') holds dates or times; numbers are wanted there")]
    TimeColumn {
        /// The column, from 1.
        column: usize,
        /// Its name.
        name: String,
    },
    /// A column of some other type.
    #[error("column {column} ('{name}') is of the type {kind}, which is not read")]
    ColumnKind {
        /// The column, from 1.
        column: usize,
        /// Its name.
        name: String,
        /// Its type.
        kind: String,
    },
    /// A column that is compressed in a way that is not read.
    #[error("is compressed inside with {0}; only Snappy, Gzip, LZ4 and Zstandard are read")]
    ColumnCompression(&'static str),
    /// Two tables, row by row, of which one is longer.
    #[error("has {}, but {} has {expected}", count(*found, "row"), other.display())]
    OtherLength {
        /// Rows of this one.
        found: usize,
        /// The other one.
        other: PathBuf,
        /// Rows of the other one.
        expected: usize,
    },
    /// Two tables of different forms.
    #[error(
        "holds numbers of another form than {}: bytes, sparse and other numbers do not mix",
        other.display()
    )]
    OtherForm {
        /// The other one.
        other: PathBuf,
    },
    /// A sparse table that a model cannot take.
    #[error("has {}; the model has {expected}, all of them numbers", count(*found, "feature"))]
    OtherFeatures {
        /// Features of the file.
        found: usize,
        /// Features of the model.
        expected: usize,
    },
    /// Columns without names that are not as many as a model takes.
    #[error("has {} without names; the model takes {expected}", count(*found, "column"))]
    OtherWidth {
        /// Columns of the file.
        found: usize,
        /// Columns of the model.
        expected: usize,
    },
    /// Objects in a list, not one a line.
    #[error("is one JSON array; one object a line is read (JSON Lines)")]
    JsonArray,
    /// A line that should be an object.
    #[error("is not a JSON object: {0}")]
    JsonLine(String),
    /// A folder that holds no images that are read.
    #[error("is a folder without images (.png, .jpg, .jpeg)")]
    NoImages,
    /// An image of another format.
    #[error("is an image, but not one that is read: PNG and JPEG are")]
    OtherImage,
    /// A file that is called an image and is none.
    #[error("is called an image, but is neither PNG nor JPEG")]
    NotAnImage,
    /// An image that cannot be decoded.
    #[error("is an image that cannot be read: {0}")]
    DamagedImage(String),
    /// An image whose name cannot be an id.
    #[error("holds an image whose name is not UTF-8, which cannot be an id")]
    ImageName,
    /// A sparse table where people are to read it.
    #[error("is a LIBSVM file, which nobody can read on a screen")]
    NotToBeSeen,
    /// A dataset.json that is not one.
    #[error("is not a description of comparisons: {0}")]
    Card(String),
    /// Content that cannot be right: a file cut short or damaged.
    #[error("{0}")]
    Damaged(String),
}

impl FormatProblem {
    /// One of each kind.
    pub(crate) fn one_of_each() -> Vec<Self> {
        let name = || "size".to_owned();
        let other = || PathBuf::from("other");
        let mut all = likelier::one_of_each!(Self:
            Self::Empty => Self::Empty,
            Self::NoRows => Self::NoRows,
            Self::NoComparisons => Self::NoComparisons,
            Self::NoLabel => Self::NoLabel,
            Self::NoFeatures => Self::NoFeatures,
            Self::NoWeight => Self::NoWeight,
            Self::NoHeader { .. } => Self::NoHeader { columns: 1 },
            Self::SameName { .. } => Self::SameName { first: 1, second: 2, name: name() },
            Self::TooWide { .. } => Self::TooWide { found: 9, most: 8 },
            Self::TooManyRows { .. } => Self::TooManyRows { most: 8 },
            Self::TooManyValues { .. } => Self::TooManyValues { name: name(), most: 8 },
            Self::TooLong { .. } => Self::TooLong { most: 8 },
            Self::LongLine { .. } => Self::LongLine { most: 8 },
            Self::LongRecord { .. } => Self::LongRecord { most: 8 },
            Self::Fields { .. } => Self::Fields { found: 1, expected: 2 },
            Self::BlankLine => Self::BlankLine,
            Self::NotUtf8 => Self::NotUtf8,
            Self::CompressedWhole(_) => Self::CompressedWhole("gzip"),
            Self::Compression { .. } => Self::Compression { compression: "gzip", reason: "cut off".into() },
            Self::NotAsNamed { .. } => {
                Self::NotAsNamed { format: "an NPY", found: vec![1], expected: b"NUMPY" }
            },
            Self::Unread(_) => Self::Unread(UnreadFormat::Excel),
            Self::NoSuchArray { .. } => Self::NoSuchArray { name: name(), known: vec!["a".into()] },
            Self::SeveralArrays { .. } => Self::SeveralArrays { known: vec!["a".into(), "b".into()] },
            Self::ArrayKind { .. } => Self::ArrayKind { kind: "'<U4'".into() },
            Self::ArrayShape(_) => Self::ArrayShape("has no columns".into()),
            Self::NpyVersion(_) => Self::NpyVersion(9),
            Self::TextColumn { .. } => Self::TextColumn { column: 1, name: name() },
            Self::ListColumn { .. } => Self::ListColumn { column: 1, name: name() },
            Self::TimeColumn { .. } => Self::TimeColumn { column: 1, name: name() },
            Self::ColumnKind { .. } => Self::ColumnKind { column: 1, name: name(), kind: "Decimal".into() },
            Self::ColumnCompression(_) => Self::ColumnCompression("Brotli"),
            Self::OtherLength { .. } => Self::OtherLength { found: 1, other: other(), expected: 2 },
            Self::OtherForm { .. } => Self::OtherForm { other: other() },
            Self::OtherFeatures { .. } => Self::OtherFeatures { found: 1, expected: 2 },
            Self::OtherWidth { .. } => Self::OtherWidth { found: 1, expected: 2 },
            Self::JsonArray => Self::JsonArray,
            Self::JsonLine(_) => Self::JsonLine("expected a value, at byte 7".into()),
            Self::NoImages => Self::NoImages,
            Self::OtherImage => Self::OtherImage,
            Self::NotAnImage => Self::NotAnImage,
            Self::DamagedImage(_) => Self::DamagedImage("it ends too early".into()),
            Self::ImageName => Self::ImageName,
            Self::NotToBeSeen => Self::NotToBeSeen,
            Self::Card(_) => Self::Card("expected a value".into()),
            Self::Damaged(_) => Self::Damaged("ends too early".into()),
        );
        all.extend(UnreadFormat::one_of_each().into_iter().map(Self::Unread));
        all
    }
}

/// Words alone say how a file is damaged.
impl From<String> for FormatProblem {
    fn from(problem: String) -> Self {
        Self::Damaged(problem)
    }
}

impl From<&str> for FormatProblem {
    fn from(problem: &str) -> Self {
        Self::Damaged(problem.to_owned())
    }
}

impl From<UnreadFormat> for FormatProblem {
    fn from(format: UnreadFormat) -> Self {
        Self::Unread(format)
    }
}

/// A format that is recognised, so that it can be called by its name, but not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnreadFormat {
    /// `.xlsx`.
    Excel,
    /// `.xls`, or another document of old Office programs.
    OldExcel,
    /// `.ods`.
    OpenDocument,
    /// An archive without NumPy arrays.
    Zip,
    /// Another archive: 7z, RAR or tar.
    Archive,
    /// Feather, or an Arrow IPC file.
    Arrow,
    /// Apache ORC.
    Orc,
    /// Apache Avro.
    Avro,
    /// Encrypted Parquet.
    EncryptedParquet,
    /// An SQLite database, and so also the answers of `likelier label`.
    Sqlite,
    /// HDF5.
    Hdf5,
    /// Python's pickle.
    Pickle,
    /// R's `.rds` and `.RData`.
    R,
    /// MATLAB.
    Matlab,
    /// Stata.
    Stata,
    /// SPSS.
    Spss,
    /// Text of two bytes a character.
    Utf16,
    /// Brotli, which only the name tells.
    Brotli,
    /// Bzip2.
    Bzip2,
    /// A web page, as failed downloads leave it.
    WebPage,
    /// A PDF.
    Pdf,
    /// A picture.
    Picture,
    /// A model of ours, or another safetensors file.
    Model,
}

impl UnreadFormat {
    /// One of each.
    pub(crate) fn one_of_each() -> Vec<Self> {
        likelier::one_of_each!(Self:
            Self::Excel => Self::Excel,
            Self::OldExcel => Self::OldExcel,
            Self::OpenDocument => Self::OpenDocument,
            Self::Zip => Self::Zip,
            Self::Archive => Self::Archive,
            Self::Arrow => Self::Arrow,
            Self::Orc => Self::Orc,
            Self::Avro => Self::Avro,
            Self::EncryptedParquet => Self::EncryptedParquet,
            Self::Sqlite => Self::Sqlite,
            Self::Hdf5 => Self::Hdf5,
            Self::Pickle => Self::Pickle,
            Self::R => Self::R,
            Self::Matlab => Self::Matlab,
            Self::Stata => Self::Stata,
            Self::Spss => Self::Spss,
            Self::Utf16 => Self::Utf16,
            Self::Brotli => Self::Brotli,
            Self::Bzip2 => Self::Bzip2,
            Self::WebPage => Self::WebPage,
            Self::Pdf => Self::Pdf,
            Self::Picture => Self::Picture,
            Self::Model => Self::Model,
        )
    }
}

impl fmt::Display for UnreadFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Excel => "an Excel workbook",
            Self::OldExcel => "an old Excel workbook, or another Office document",
            Self::OpenDocument => "an OpenDocument spreadsheet",
            Self::Zip => "a ZIP archive without NumPy arrays",
            Self::Archive => "an archive",
            Self::Arrow => "a Feather or Arrow IPC file",
            Self::Orc => "an ORC file",
            Self::Avro => "an Avro file",
            Self::EncryptedParquet => "an encrypted Parquet file",
            Self::Sqlite => "an SQLite database",
            Self::Hdf5 => "an HDF5 file",
            Self::Pickle => "a Python pickle",
            Self::R => "an R data file",
            Self::Matlab => "a MATLAB file",
            Self::Stata => "a Stata file",
            Self::Spss => "an SPSS file",
            Self::Utf16 => "UTF-16 text",
            Self::Brotli => "compressed with Brotli",
            Self::Bzip2 => "compressed with bzip2",
            Self::WebPage => "a web page (HTML)",
            Self::Pdf => "a PDF document",
            Self::Picture => "a picture",
            Self::Model => "a model file",
        })
    }
}
