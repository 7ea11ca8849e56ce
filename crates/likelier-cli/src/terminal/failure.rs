//! Errors as people see them: what happened, and on a line of its own what to do about it.
//!
//! Every kind of error that can reach a user says its own advice ([`Hint`]). Mistakes that one place only can see are
//! made with [`mistake`], the words and the advice together.

use std::fmt;
use std::io;

use likelier::Error;
use likelier::model::ModelFault;
use likelier_tables::{CellProblem, Position, TableError};

/// What a verb returns.
pub type Result<T> = std::result::Result<T, Failure>;

/// What happened, and what to do about it.
#[derive(Debug)]
pub struct Failure {
    message: String,
    hint: Option<String>,
    /// What the system said, where it did.
    system: Option<io::ErrorKind>,
}

/// Advice on an error.
pub trait Hint: std::error::Error {
    /// What the user could do, where there is something to say.
    fn hint(&self) -> Option<String>;

    /// What the system said, if the error is the system's.
    fn system(&self) -> Option<io::ErrorKind> {
        None
    }
}

/// A mistake that one place only can see, with what to do about it.
pub fn mistake(message: impl Into<String>, hint: impl Into<String>) -> Failure {
    Failure { message: message.into(), hint: Some(hint.into()), system: None }
}

impl Failure {
    /// The advice.
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// Whether the error is only that nobody reads the output any more, as in `likelier … | head`.
    pub fn reader_is_gone(&self) -> bool {
        self.system == Some(io::ErrorKind::BrokenPipe)
    }

    /// Whether it was the system that failed, and not the data.
    pub fn is_of_the_system(&self) -> bool {
        self.system.is_some()
    }

    /// The same, saying first what it is about.
    #[must_use]
    pub fn about(self, what: impl fmt::Display) -> Self {
        Self { message: format!("{what}: {}", self.message), ..self }
    }

    /// The same with other advice.
    #[must_use]
    pub fn advising(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl<E: Hint> From<E> for Failure {
    fn from(error: E) -> Self {
        Self { message: error.to_string(), hint: error.hint(), system: error.system() }
    }
}

/// Says what a result is about, should it be an error.
pub trait About<T> {
    /// The same result; an error begins with what it is about.
    fn about(self, what: impl FnOnce() -> String) -> Result<T>;
}

impl<T, E: Into<Failure>> About<T> for std::result::Result<T, E> {
    fn about(self, what: impl FnOnce() -> String) -> Result<T> {
        self.map_err(|error| error.into().about(what()))
    }
}

/// Errors of the system that do not come from the library are about what is to be written.
impl Hint for io::Error {
    fn hint(&self) -> Option<String> {
        let hint = match self.kind() {
            io::ErrorKind::PermissionDenied
            | io::ErrorKind::NotFound
            | io::ErrorKind::ReadOnlyFilesystem => "choose a place you may write to",
            io::ErrorKind::IsADirectory => "that is a folder: name a file in it",
            io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => {
                "a file stands where a folder should be: name another folder"
            }
            io::ErrorKind::StorageFull => "make room on the disk",
            _ => return None,
        };
        Some(hint.into())
    }

    fn system(&self) -> Option<io::ErrorKind> {
        Some(self.kind())
    }
}

impl Hint for serde_json::Error {
    fn hint(&self) -> Option<String> {
        None
    }

    fn system(&self) -> Option<io::ErrorKind> {
        self.io_error_kind()
    }
}

const NO_FILE: &str = "check the path and its permissions";

impl Hint for Error {
    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Prior { value } => match value.trim_matches(['\'', '%', ' ']).parse::<f64>() {
                Ok(percent) if (2.0..100.0).contains(&percent) => {
                    return Some(format!(
                        "a prior is a share, not a percentage: for {percent} % give {}",
                        percent / 100.0
                    ));
                }
                _ if value.trim_matches('\'') == "auto" => {
                    "only `train` estimates the prior itself; `likelier prior` shows an estimate with its interval"
                }
                _ => "give the share of positives in the population, such as 0.2 for one in five",
            },
            Self::LabellerError { .. } => {
                "give the share of mixed pairs that the labeller gets wrong, such as 0.1"
            }
            Self::ZeroContrast { .. } => {
                "check the prior and the shares: a comparison must say something about the classes"
            }
            Self::TooFewRows { possible: 0, .. } => {
                "there is no room for even one pair: use more data, or --sampling independent"
            }
            Self::TooFewRows { possible, .. } => {
                return Some(format!(
                    "ask for at most {possible} pairs (--pairs {possible}), or let rows be used again with --sampling \
                     independent"
                ));
            }
            Self::TooFewOfClass { .. } => {
                "ask for fewer pairs, use more data, or choose a prior nearer to the share in the data"
            }
            Self::UnknownName { kind: "data set", .. } => "`likelier-paper data list` shows the data sets",
            Self::UnknownName { kind: "protocol", .. } => {
                "see `likelier generate --help` for what each protocol means"
            }
            Self::UnknownName { kind: "method", .. } => {
                "docs/choosing.md says what each method does; without --method the default is used"
            }
            Self::UnknownName { .. } => "give one of the known names",
            Self::Setting { .. } => "give a value in that range; --help shows what is usual",
            Self::NeedsLabels => "choose a method that learns from comparisons, or leave out --method",
            Self::EmptyPile { .. } => "give at least one comparison",
            Self::TooFewItems { .. } => {
                "compare more items, each less often: a hundred items compared ten times tell less than a thousand compared \
                 once"
            }
            Self::TooFewComparisons { .. } | Self::TooFewToEstimate { .. } => {
                "collect more: `likelier plan` says how many are enough"
            }
            Self::NoProtocol => {
                "give --protocol forced-choice if every pair shown was kept, the likelier one first, or --protocol discard \
                 if pairs were dropped when the second looked likelier"
            }
            Self::NoPrior => "give --prior, the share of positives in the population, such as 0.2",
            Self::PriorNotKnown { .. } => {
                "give --prior if you know it from elsewhere, or collect more comparisons; `likelier prior` shows what was \
                 tried"
            }
            Self::Diverged { .. } => "lower the learning rate, or scale the features",
            Self::NotFinite { .. } => "remove or fill in missing values before training",
            Self::File { .. } => NO_FILE,
            Self::Model { fault: ModelFault::NotAModel(_), .. } => {
                "give a model file that likelier wrote; they are usually named *.likelier"
            }
            Self::Model { fault: ModelFault::Newer { .. }, .. } => "install a newer likelier",
            Self::Model { .. } => "copy the file again from where it came from, or train the model again",
            Self::NotPaired { .. } => {
                "choose a method that takes piles, such as pcomp-relu, or give comparisons"
            }
            Self::NeedsComparisons => "give --comparisons, or --likelier and --other",
            Self::ImageShape { .. } => "give the shape of the images: --image CHANNELS,HEIGHT,WIDTH",
            Self::Checkpoint { .. } => {
                "give the settings and data that the run started with, or remove the file to start again"
            }
            Self::Memory { .. } => "use a smaller --batch or a smaller model, or free some memory",
            Self::Threads { .. } => "ask for fewer --threads",
            Self::Stopped { .. } => "run the same command again",
            _ => return None,
        };
        Some(hint.into())
    }

    fn system(&self) -> Option<io::ErrorKind> {
        match self {
            Self::File { reason, .. } => Some(reason.kind()),
            _ => None,
        }
    }
}

/// The column that was probably meant.
fn closest(missing: &[String], present: &[String]) -> Option<String> {
    let near = |name: &String| {
        let scored = present.iter().map(|other| {
            let (name, other_name) = (name.to_lowercase(), other.to_lowercase());
            (strsim::jaro_winkler(&name, &other_name), other)
        });
        scored
            .filter(|(alike, _)| *alike > 0.85)
            .max_by(|one, two| one.0.total_cmp(&two.0))
    };
    missing
        .iter()
        .find_map(near)
        .map(|(_, other)| format!("did you mean '{other}'?"))
}

impl Hint for TableError {
    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Unusable(Error::Setting { name: "a column", .. }) => {
                "name each column once: as the id, as the label, as a feature, or among those to --exclude"
            }
            Self::Unusable(Error::Setting { name: "what a column of comparisons holds", .. }) => {
                "say what it holds first, then what it is called: --columns likelier=winner,other=loser"
            }
            Self::Unusable(error) => return error.hint(),
            Self::File { .. } => NO_FILE,
            Self::Cell { name, .. } if name == "likelier" => {
                "this looks like a file of comparisons: are --items and --comparisons the wrong way round?"
            }
            Self::Cell { problem: CellProblem::NotUtf8, .. } => "save the file as UTF-8 text",
            Self::Cell { position: Position::Line(1), problem: CellProblem::NotAllowed(_), .. } => {
                "save the table as UTF-8 text, with a name of its own for each column"
            }
            Self::Cell { problem: CellProblem::NotAllowed(_), .. } => {
                "correct the cell, or remove the line"
            }
            Self::Cell { problem: CellProblem::Missing, .. } => "fill in the value, or leave out the row",
            Self::MissingCells { .. } => {
                "leave out --missing refuse to fill them in: numbers by the median, categories by one of their own"
            }
            Self::Cell { .. } => {
                "name columns of words with --text and those of a few values with --categories, leave them out with --exclude, or correct the cell"
            }
            Self::NoSuchColumn { missing, .. }
                if missing.iter().any(|name| name == "likelier" || name == "other") =>
            {
                "comparisons have the columns likelier and other, which hold ids of items; if yours have other names, say \
                 --columns likelier=COLUMN,other=COLUMN"
            }
            Self::NoSuchColumn { missing, present, .. } if closest(missing, present).is_some() => {
                return closest(missing, present);
            }
            Self::NoSuchColumn { .. } => {
                "check the spelling, and that this is the right file; `likelier inspect` lists what a model takes"
            }
            Self::SameId { .. } => "give every item an id of its own, or name another column with --id",
            Self::ComparedWithItself { .. } => "remove the line: a comparison is between two items",
            Self::UnknownId { .. } => {
                "check that items and comparisons belong together, and which column names the items (--id)"
            }
            Self::Format { .. } => "the file may be cut short or damaged: compare it with its source",
            _ => return None,
        };
        Some(hint.into())
    }

    fn system(&self) -> Option<io::ErrorKind> {
        match self {
            Self::File { reason, .. } => Some(reason.kind()),
            _ => None,
        }
    }
}
