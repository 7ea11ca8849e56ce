//! What can go wrong before a page is shown, or with a file of answers. The terminal tells it.

use std::io;
use std::path::PathBuf;

use likelier_tables::TableError;

/// Everything that can go wrong with a file of answers or a server.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LabelError {
    /// Items that could not be read.
    #[error(transparent)]
    Table(#[from] TableError),

    /// Something that the library refuses.
    #[error(transparent)]
    Core(#[from] likelier::Error),

    /// A file that could not be read or written.
    #[error("{}: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: io::Error,
    },

    /// SQLite refused.
    #[error("{}: {reason}", path.display())]
    Sqlite {
        /// The file of answers.
        path: PathBuf,
        /// What SQLite said.
        reason: rusqlite::Error,
    },

    /// The file is in use.
    #[error("{} is in use by another likelier label", .0.display())]
    InUse(PathBuf),

    /// The file is not one of ours.
    #[error("{} is not a file of answers that likelier label wrote", .0.display())]
    NotAnswers(PathBuf),

    /// There is no such file.
    #[error("{}: there is no such file of answers", .0.display())]
    NoSuchAnswers(PathBuf),

    /// A newer program wrote it.
    #[error("{} was written by a newer likelier (version {found} of the file format; this one knows {known})", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// Ours.
        known: i64,
    },

    /// The items are not those that the answers are about.
    #[error("{} has changed since these answers were begun{}", items.display(), if *gone == 0 { String::new() } else {
        format!(": {gone} of the items that were compared {} not in it, such as '{example}'",
            likelier::words::by_count(*gone, "is", "are")) })]
    ItemsChanged {
        /// The items.
        items: PathBuf,
        /// How many of the compared ones are gone.
        gone: usize,
        /// One of them.
        example: String,
    },

    /// Another question than before.
    #[error("the answers in {} are to another question: {asked}", path.display())]
    OtherQuestion {
        /// The file.
        path: PathBuf,
        /// The question so far.
        asked: String,
    },

    /// Too few items.
    #[error("{}: {}, but a comparison is between two", path.display(), likelier::words::count(*count, "item"))]
    TooFewItems {
        /// The items.
        path: PathBuf,
        /// How many there are.
        count: usize,
    },

    /// A person that is not there.
    #[error("nobody called '{name}' has answered; there are: {known}")]
    NoSuchPerson {
        /// The name.
        name: String,
        /// Those that are there.
        known: String,
    },

    /// Something given that cannot be.
    #[error("{what} must be {allowed}, got {value}")]
    Setting {
        /// What it is.
        what: &'static str,
        /// What was given.
        value: String,
        /// What may be given.
        allowed: &'static str,
    },

    /// An address that others can reach.
    #[error("{address} can be reached by others, and the page has no encryption")]
    OpenToOthers {
        /// The address.
        address: String,
    },

    /// A file to import that is not what it should be.
    #[error("{}: {problem}", path.display())]
    Import {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
}

impl LabelError {
    /// One error of each kind, for tests of what is said about each. A kind that is not here does not compile.
    #[doc(hidden)]
    pub fn one_of_each() -> Vec<Self> {
        let path = || PathBuf::from("file");
        let mut all = likelier::one_of_each!(Self:
            Self::Table(_) => TableError::file(&path(), io::ErrorKind::NotFound.into()).into(),
            Self::Core(_) => likelier::Error::NoPrior.into(),
            Self::File { .. } => Self::file(path(), io::ErrorKind::Other.into()),
            Self::Sqlite { .. } => Self::Sqlite { path: path(), reason: rusqlite::Error::InvalidQuery },
            Self::InUse(_) => Self::InUse(path()),
            Self::NotAnswers(_) => Self::NotAnswers(path()),
            Self::NoSuchAnswers(_) => Self::NoSuchAnswers(path()),
            Self::Newer { .. } => Self::Newer { path: path(), found: 9, known: 1 },
            Self::ItemsChanged { .. } => Self::ItemsChanged { items: path(), gone: 0, example: String::new() },
            Self::OtherQuestion { .. } => Self::OtherQuestion { path: path(), asked: "Which?".into() },
            Self::TooFewItems { .. } => Self::TooFewItems { path: path(), count: 1 },
            Self::NoSuchPerson { .. } => Self::NoSuchPerson { name: "ann".into(), known: "bob".into() },
            Self::Setting { .. } => Self::Setting { what: "a share", value: "2".into(), allowed: "below 1" },
            Self::OpenToOthers { .. } => Self::OpenToOthers { address: "0.0.0.0".into() },
            Self::Import { .. } => Self::Import { path: path(), problem: "is empty".into() },
        );
        all.push(Self::ItemsChanged { items: path(), gone: 1, example: "a".into() });
        all
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::InUse(_) => {
                "stop the other one first (Ctrl-C), or open its page; one program at a time writes answers"
            }
            Self::NotAnswers(_) => "name a new file with --file, or give the items and not the answers",
            Self::NoSuchAnswers(_) => {
                "check the path; `likelier label items.csv` makes items.likelier-label beside the items"
            }
            Self::Newer { .. } => "install a newer likelier",
            Self::ItemsChanged { gone: 0, .. } => {
                "if the same ids still mean the same items, add --items-changed; else begin a new file with --file"
            }
            Self::ItemsChanged { .. } => {
                "put the old file back, or begin a new file of answers with --file"
            }
            Self::OtherQuestion { .. } => {
                "leave out --question, or begin a new file of answers with --file"
            }
            Self::TooFewItems { .. } => "give at least two items, one in each row",
            Self::NoSuchPerson { .. } => "check the spelling",
            Self::OpenToOthers { .. } => {
                "reach the page through an SSH tunnel or a TLS proxy (docs/label.md), or add --open-to-network"
            }
            Self::Import { .. } => "docs/label.md shows what can be imported",
            Self::Setting { .. } => "give a value in that range",
            Self::File { reason, .. } if reason.kind() == io::ErrorKind::StorageFull => {
                "make room on the disk"
            }
            Self::File { .. } => "check the path and its permissions",
            Self::Sqlite { .. } => "check that the disk has room and that you may write there",
            Self::Table(_) | Self::Core(_) => return None,
        })
    }

    pub(crate) fn file(path: impl Into<PathBuf>, reason: io::Error) -> Self {
        Self::File { path: path.into(), reason }
    }
}
