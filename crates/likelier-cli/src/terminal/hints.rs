//! What to do about each kind of error of the system and of the library.

use std::io;

use likelier::Error;
use likelier::model::ModelFault;

use super::advice::Advice;
use super::failure::Hint;

/// Errors of the system that do not come from the library are about what is to be written.
impl Hint for io::Error {
    fn hint(&self) -> Advice {
        match self.kind() {
            io::ErrorKind::PermissionDenied
            | io::ErrorKind::NotFound
            | io::ErrorKind::ReadOnlyFilesystem => "choose a place you may write to",
            io::ErrorKind::IsADirectory => "that is a folder: name a file in it",
            io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => {
                "a file stands where a folder should be: name another folder"
            }
            kind => on_disk(kind),
        }
        .into()
    }

    fn system(&self) -> Option<io::ErrorKind> {
        Some(self.kind())
    }
}

/// What to do about a file that could not be read, or could not be written by the library.
pub(super) fn on_file(kind: io::ErrorKind) -> Advice {
    match kind {
        io::ErrorKind::NotFound => "check the path: its spelling, and the folder that it starts from",
        io::ErrorKind::PermissionDenied => "check the permissions of the file and of the folders above it",
        io::ErrorKind::IsADirectory => "that is a folder: name a file in it",
        io::ErrorKind::NotADirectory => "a part of the path is a file, not a folder: check the path",
        io::ErrorKind::ReadOnlyFilesystem => "choose a place you may write to",
        kind => on_disk(kind),
    }
    .into()
}

fn on_disk(kind: io::ErrorKind) -> &'static str {
    match kind {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "make room on the disk",
        io::ErrorKind::FileTooLarge => "the disk takes no file of this length: choose another place",
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidFilename => "give the file another name",
        io::ErrorKind::OutOfMemory => "free some memory, or use less data",
        _ => "try again; if it happens again, the disk or the connection to it may be at fault",
    }
}

/// JSON that is written, and so a matter of the system.
impl Hint for serde_json::Error {
    fn hint(&self) -> Advice {
        self.io_error_kind().map_or_else(
            || "this should not happen: please report it".into(),
            |kind| io::Error::from(kind).hint(),
        )
    }

    fn system(&self) -> Option<io::ErrorKind> {
        self.io_error_kind()
    }
}

/// What is said of errors that have no advice of their own. A test sees to it that there are none.
pub(super) const NONE: &str = "see the documentation";

impl Hint for Error {
    fn hint(&self) -> Advice {
        match self {
            Self::Prior { value } => return prior(value),
            Self::LabellerError { .. } => {
                "give the share of mixed pairs that the labeller gets wrong, such as 0.1"
            }
            Self::PileShare { .. } => "give a share, such as 0.8, and not a percentage or a count",
            Self::ZeroContrast { .. } => {
                "check the prior and the shares: a comparison must say something about the classes"
            }
            Self::TooFewRows { possible: 0, .. } => {
                "there is no room for even one pair: use more data, or --sampling independent"
            }
            Self::TooFewRows { possible, .. } => {
                return Advice::from(format!(
                    "ask for at most {possible} pairs (--pairs {possible}), or let rows be used again with --sampling \
                     independent"
                ));
            }
            Self::TooFewOfClass { .. } => {
                "ask for fewer pairs, use more data, or choose a prior nearer to the share in the data"
            }
            Self::UnknownName { kind, .. } => name(kind),
            Self::Setting { name: "a column of an ONNX model", .. } => {
                "train without --text for ONNX, or score with `likelier predict`, which reads text"
            }
            Self::Setting { .. } => "give a value in that range; --help shows what is usual",
            Self::NeedsLabels => "choose a method that learns from comparisons, or leave out --method",
            Self::EmptyPile { .. } => "give at least one comparison, or one row for each pile",
            Self::NoPairsLeft { .. } => "ask for fewer pairs, or add items",
            Self::TooFewItems { .. } => {
                "compare more items, each less often: a hundred items compared ten times tell less than a thousand compared \
                 once"
            }
            Self::TooFewComparisons { .. } => {
                "collect more, so that some can be held out: `likelier plan` says how many are enough"
            }
            Self::TooFewToEstimate { .. } => "collect more: `likelier plan` says how many are enough",
            Self::NoProtocol => {
                "give --protocol forced-choice if every pair shown was kept, the likelier one first, or --protocol discard \
                 if pairs were dropped when the second looked likelier"
            }
            Self::NoPrior => "give --prior, the share of positives in the population, such as 0.2",
            Self::PriorNotKnown { .. } => {
                "give --prior if you know it from elsewhere, or collect more comparisons; `likelier prior` shows what was \
                 tried"
            }
            Self::SeveralQuestions { .. } => {
                return Advice::any_of(["pick one with --question NAME"])
                    .otherwise("give the answers to one question alone");
            }
            Self::UnknownQuestion { .. } => {
                "questions are named as in the column `question` of the comparisons, capitals included"
            }
            Self::TooFewAnswers { .. } => {
                "collect more answers to it, correct the name if it is misspelt, or leave these rows out"
            }
            Self::NoClasses { .. } => {
                "say in a column `question` of the comparisons which class each asks about, or leave out --classes"
            }
            Self::ClassShares { .. } => {
                "give --prior NAME=SHARE for each class, or for none to have the shares estimated; without --classes they \
                 need not sum to 1"
            }
            Self::InQuestion { error, .. } => return error.hint(),
            Self::Score { .. } => {
                "the model gives no finite score for some item: look for features that are far out of range, and train again"
            }
            Self::Mismatch { .. } => "what belongs together must be equally many: check that both are whole",
            Self::Diverged { .. } => "lower the learning rate, or scale the features",
            Self::NotFinite { .. } => "remove or fill in missing values before training",
            Self::File { reason, .. } => return on_file(reason.kind()),
            Self::Model { fault: ModelFault::NotAModel(_), .. } => {
                "give a model file that likelier wrote; they are usually named *.likelier"
            }
            Self::Model { fault: ModelFault::Several { .. }, .. } => {
                "name one of them: --question NAME"
            }
            Self::Model { fault: ModelFault::Newer { .. }, .. } => "install a newer likelier",
            Self::Model { .. } => "copy the file again from where it came from, or train the model again",
            Self::NotPaired { .. } => {
                "choose a method that takes piles, such as pcomp-relu, or give comparisons"
            }
            Self::NoTies => "leave --tie-rates out, or mark the ties in a column `tie` of the comparisons",
            Self::TieRatesUnused { .. } => {
                "leave --tie-rates out; pair-posterior, pcomp-unbiased, pcomp-relu and pcomp-abs use them, under forced-choice"
            }
            Self::NeedsComparisons => "give --comparisons, or --likelier and --other",
            Self::NeedsTargets => "choose another method: this one learns from probabilities alone",
            Self::NoSuchItem { .. } => "count the items from 0, and check that they are those that were compared",
            Self::ImageShape { .. } => "give the shape of the images: --image CHANNELS,HEIGHT,WIDTH",
            Self::NotImages { .. } => "give their shape, --image CHANNELS,HEIGHT,WIDTH, or leave out --move-images",
            Self::Checkpoint { .. } => {
                "give the settings and data that the run started with, or remove the file to start again"
            }
            Self::Memory { .. } => "use a smaller --batch or a smaller model, or free some memory",
            Self::Threads { .. } => "ask for fewer --threads",
            Self::Stopped { .. } => "run the same command again",
            _ => NONE,
        }
        .into()
    }

    fn system(&self) -> Option<io::ErrorKind> {
        match self {
            Self::File { reason, .. } => Some(reason.kind()),
            Self::InQuestion { error, .. } => error.system(),
            _ => None,
        }
    }
}

/// On a prior that is none.
fn prior(value: &str) -> Advice {
    match value.trim_matches(['\'', '%', ' ']).parse::<f64>() {
        Ok(percent) if (2.0..100.0).contains(&percent) => {
            format!("a prior is a share, not a percentage: for {percent} % give {}", percent / 100.0).into()
        }
        _ if value.trim_matches('\'') == "auto" => {
            "only `train` estimates the prior itself; `likelier prior` shows an estimate with its interval"
                .into()
        }
        _ => "give the share of positives in the population, such as 0.2 for one in five".into(),
    }
}

/// On a name that is not known, by what it should be the name of.
fn name(kind: &str) -> &'static str {
    match kind {
        "data set" => "`likelier-paper data list` shows the data sets",
        "protocol" => "see `likelier generate --help` for what each protocol means",
        "method" => "docs/choosing.md says what each method does; without --method the default is used",
        _ => "give one of the known names",
    }
}
