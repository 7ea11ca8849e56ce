//! `likelier label`: the labelling page, and files of its answers.

mod given;
mod moving;
mod open;

use clap::{Args, Subcommand};
use likelier_label::LabelError;

pub(crate) use given::{given, items_of};

use crate::terminal::{Advice, Hint, Result};

/// Collect comparisons from people, on a page of this machine.
///
/// Serves a page on which one person or a small team answers with one key a pair, and prints its link. The answers are kept beside the items, in one file
/// that `likelier train --answers` reads. Nothing leaves the machine. What you state once is kept with the answers.
#[derive(Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "Examples:
  likelier label wine/items.csv --question \"Which wine is likelier to be good?\" --positive good
  likelier label photos --question \"Which photo is sharper?\" --people ann,bob
  likelier train --answers wine/items.likelier-label --prior 0.5 --out model.likelier
  likelier label export wine/items.likelier-label --out answers.csv"
)]
pub(crate) struct LabelVerb {
    #[command(subcommand)]
    verb: Option<LabelSubverb>,
    #[command(flatten)]
    open: open::OpenArguments,
}

#[derive(Subcommand)]
enum LabelSubverb {
    Export(moving::ExportAnswers),
    Import(moving::ImportAnswers),
    Forget(moving::ForgetPerson),
}

impl LabelVerb {
    pub(crate) fn run(&self) -> Result<()> {
        match &self.verb {
            None => self.open.run(),
            Some(LabelSubverb::Export(verb)) => verb.run(),
            Some(LabelSubverb::Import(verb)) => verb.run(),
            Some(LabelSubverb::Forget(verb)) => verb.run(),
        }
    }
}

impl Hint for LabelError {
    fn hint(&self) -> Advice {
        match self {
            Self::Table(error) => error.hint(),
            Self::Core(error) => error.hint(),
            other => other.hint().unwrap_or_default().into(),
        }
    }

    fn system(&self) -> Option<std::io::ErrorKind> {
        match self {
            Self::Table(error) => error.system(),
            Self::Core(error) => error.system(),
            Self::File { reason, .. } => Some(reason.kind()),
            _ => None,
        }
    }
}
