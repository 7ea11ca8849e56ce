//! Advice for each error: what to do about it.

use std::io;

use likelier::Error;
use likelier::data::{CellProblem, Position};
use likelier::model::ModelFault;

use crate::data::{PartInUse, Unavailable};
use crate::input::{NoFile, NoPrior, NoProtocol};
use crate::judging::PriorNotKnown;
use crate::labels::{NeverPositive, NoPositive, OneClass};
use crate::output::{FolderInUse, OneOutput, OverInput};
use crate::prior::{NoIdsInPool, NotInPool};
use crate::report::NotAReport;
use crate::reproduce::{
    BadExperiment, NotAPart, NothingToRun, OtherExperiment, RunInProgress, SettingsChanged, TrialsFailed,
    TrialsLeft, UnknownExperiment,
};
use crate::scoring::{NoPairs, TooFew};
use crate::standard_input::ReadTwice;
use crate::train::{Interrupted, SavedState};

/// A mistake that one place only can see, with what to do about it.
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub(crate) struct Mistake {
    pub(crate) what: String,
    pub(crate) advice: &'static str,
}

/// What the user could do, where there is something to say.
pub(crate) fn for_error(error: &anyhow::Error) -> Option<String> {
    if let Some(Mistake { advice, .. }) = error.downcast_ref() {
        return Some((*advice).into());
    }
    macro_rules! advice {
        ($($kind:ty => $text:expr,)*) => {
            $(if error.downcast_ref::<$kind>().is_some() {
                return Some($text.into());
            })*
        };
    }
    advice! {
        FolderInUse => "name a folder that does not exist yet, or remove this one first",
        NotAReport => "say where to leave the report with --report FILE, or that none is wanted with --no-report",
        OverInput => "give --out a name of its own",
        OneOutput => "name a folder that does not exist yet",
        ReadTwice => "name the other one as a file",
        PartInUse => "another `likelier data fetch` is at work there: wait for it to end",
        Unavailable => "check the network, or name a copy elsewhere with --mirror; what has arrived is kept, and the same \
            command goes on from there",
        NoProtocol => "give --protocol forced-choice if every pair shown was kept, the likelier one first, or --protocol \
            discard if pairs were dropped when the second looked likelier",
        NoPrior => "give --prior, the share of positives in the population, such as 0.2",
        PriorNotKnown => "give --prior from other knowledge, or collect more comparisons; `likelier prior` shows what was tried",
        SavedState => "add --resume to go on from it, or remove the file to start anew",
        TooFew => "collect more: `likelier plan` says how many are enough",
        NoPairs => "give --comparisons, or --likelier and --other",
        NotInPool => "a pool is all items that pairs were drawn from, the compared ones among them",
        NoIdsInPool => "name the column that holds ids with --id, or give one file as --items and --pool",
        NoPositive => "name the label of positives with --positive; 1/0, true/false and yes/no need none",
        OneClass => "both classes are needed: say which labels are positive with --positive",
        NeverPositive => "give one of these as --positive, or another column as --label",
        Interrupted => "the state is saved: the same command with --resume goes on from there",
        UnknownExperiment => "a file of your own ends in .toml; reproduce/default.toml shows what can be set",
        BadExperiment => "correct the file: reproduce/default.toml shows every setting, its default and what it means",
        NotAPart => "leave the flag out for all of it, or write an experiment of your own as a .toml file",
        NothingToRun => "leave a flag out, or ask for a method that the variant has and for at least one trial",
        OtherExperiment => "name another folder with --out: each experiment has its own",
        SettingsChanged => "name another folder with --out: results with different settings must not be mixed",
        RunInProgress => "wait for it to end, or name another folder with --out",
        TrialsLeft => "finished trials are kept: the same command goes on with the rest",
        TrialsFailed => "finished trials are kept: the same command tries the failed ones again",
        NoFile => "check the path and its permissions",
    }
    match error.downcast_ref::<Error>() {
        Some(error) => for_library_error(error),
        None => error.downcast_ref::<io::Error>().and_then(for_system_error),
    }
}

fn for_library_error(error: &Error) -> Option<String> {
    let hint = match error {
        Error::Prior { value } => match value.trim_matches(['\'', '%', ' ']).parse::<f64>() {
            Ok(percent) if (2.0..100.0).contains(&percent) => {
                format!("a prior is a share, not a percentage: for {percent} % give {}", percent / 100.0)
            }
            _ if value.trim_matches('\'') == "auto" => {
                "only `train` estimates as it goes; `likelier prior` shows an estimate with its interval".into()
            }
            _ => "give the share of positives in the population, such as 0.2 for one in five".into(),
        },
        Error::LabellerError { .. } => {
            "give the share of mixed pairs that the labeller gets wrong, such as 0.1".into()
        }
        Error::ZeroContrast { .. } => {
            "check the prior and the shares: a comparison must tell something about the classes".into()
        }
        Error::TooFewRows { possible: 0, .. } => {
            "there is no room for even one pair: use more data, or --sampling independent".into()
        }
        Error::TooFewRows { possible, .. } => format!(
            "ask for at most {possible} pairs (--pairs {possible}), or let rows be used again with \
             --sampling independent"
        ),
        Error::TooFewOfClass { .. } => {
            "ask for fewer pairs, use more data, or a prior nearer to what the data hold".into()
        }
        Error::UnknownName { kind: "data set", .. } => {
            "`likelier data list` shows the data sets".into()
        }
        Error::UnknownName { kind: "protocol", .. } => {
            "see `likelier generate --help` for what each protocol means".into()
        }
        Error::UnknownName { kind: "method", .. } => {
            "the README says what each method does; without --method the default is used".into()
        }
        Error::Setting { .. } => "give a value in that range; --help shows what is usual".into(),
        Error::NeedsLabels => "choose a method that learns from comparisons, or leave out --method".into(),
        Error::EmptyPile { .. } => "collect comparisons that are not ties".into(),
        Error::TooFewComparisons { .. } => "collect more: `likelier plan` says how many are enough".into(),
        Error::Diverged { .. } => "lower the learning rate, or scale the features".into(),
        Error::NotFinite { .. } => "remove or fill in missing values before training".into(),
        Error::File { reason, .. } if reason.kind() == io::ErrorKind::NotFound => {
            "data sets are looked for in --data-dir, else in $LIKELIER_DATA; `likelier data fetch NAME` gets one"
                .into()
        }
        Error::File { .. } => {
            "check the path and its permissions; data sets are looked for in --data-dir, else in $LIKELIER_DATA"
                .into()
        }
        Error::Model { fault: ModelFault::NotAModel(_), .. } => {
            "give a model file that likelier wrote; they are usually named *.likelier".into()
        }
        Error::Model { fault: ModelFault::Newer { .. }, .. } => "install a newer likelier".into(),
        Error::Model { .. } => "copy the file again from where it came from, or train the model again".into(),
        Error::Cell { name, .. } if name == "likelier" => {
            "this looks like a file of comparisons: are --items and --comparisons the wrong way round?".into()
        }
        Error::Cell { problem: CellProblem::NotUtf8, .. } => "save the file as UTF-8 text".into(),
        Error::Cell { position: Position::Line(1), problem: CellProblem::NotAllowed(_), .. } => {
            "save the table as UTF-8 text, with a name of its own for each column".into()
        }
        Error::Cell { problem: CellProblem::NotAllowed(_), .. } => "correct the cell, or remove the line".into(),
        Error::Cell { problem: CellProblem::Missing, .. } => {
            "fill in missing values, or leave such rows or columns out: --features names those to use".into()
        }
        Error::Cell { .. } => {
            "name columns of text with --categories, leave them out with --features, or correct the cell".into()
        }
        Error::NoSuchColumn { missing, .. } if missing.iter().any(|name| name == "likelier") => {
            "comparisons have the columns likelier and other, which hold ids of items: is this the right file?"
                .into()
        }
        Error::NoSuchColumn { .. } => {
            "check the spelling, and that this is the right file; `likelier inspect` lists what a model takes".into()
        }
        Error::SameId { .. } => "give every item an id of its own, or name another column with --id".into(),
        Error::ComparedWithItself { .. } => "remove the line: a comparison is between two items".into(),
        Error::UnknownId { .. } => {
            "check that items and comparisons belong together, and which column names the items (--id)".into()
        }
        Error::NotPaired { .. } => "choose a method that takes piles, such as pcomp-relu, or give comparisons".into(),
        Error::ImageShape { .. } => "say what the images are: --image CHANNELS,HEIGHT,WIDTH".into(),
        Error::Checkpoint { .. } => {
            "give the settings and data that the run was begun with, or remove the file to start anew".into()
        }
        Error::Format { .. } => "the file may be cut short or damaged: compare it with its source".into(),
        _ => return None,
    };
    Some(hint)
}

/// Errors of the system that do not come from the library are about what is to be written.
fn for_system_error(error: &io::Error) -> Option<String> {
    match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::NotFound | io::ErrorKind::ReadOnlyFilesystem => {
            Some("choose a place you may write to".into())
        }
        io::ErrorKind::IsADirectory => Some("a folder stands there: name a file in it".into()),
        io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => {
            Some("a file stands where a folder should be: name another folder".into())
        }
        io::ErrorKind::StorageFull => {
            Some("make room on the disk; what has arrived of a download is kept".into())
        }
        _ => None,
    }
}
