//! The folder that holds the data sets.

use std::io;
use std::path::PathBuf;

use clap::Args;
use likelier_cli::terminal::{Failure, Result, mistake};
use likelier_tables::TableError;

/// The option that names it; every verb that reads or writes data sets has it.
#[derive(Args)]
pub(crate) struct DataDir {
    /// Where the data sets are [default: $LIKELIER_DATA, else ~/.local/share/likelier].
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
}

impl DataDir {
    /// `--data-dir`, else `LIKELIER_DATA`, else the user's data directory.
    pub(crate) fn path(&self) -> Result<PathBuf> {
        let from = |variable: &str| {
            std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
        };
        self.data_dir
            .clone()
            .or_else(|| from("LIKELIER_DATA"))
            .or_else(|| from("XDG_DATA_HOME").map(|dir| dir.join("likelier")))
            .or_else(|| from("HOME").map(|home| home.join(".local/share/likelier")))
            .ok_or_else(|| mistake("no data directory is known", "give --data-dir, or set LIKELIER_DATA"))
    }

    /// What to add to a command so that it uses the same folder.
    pub(crate) fn as_typed(&self) -> String {
        self.data_dir
            .as_ref()
            .map_or(String::new(), |dir| format!(" --data-dir {}", dir.display()))
    }
}

/// An error on the files of a data set, with where those are looked for.
pub(crate) fn data_failure(error: TableError) -> Failure {
    let advice = match &error {
        TableError::File { reason, .. } if reason.kind() == io::ErrorKind::NotFound => {
            "data sets are looked for in --data-dir, else in $LIKELIER_DATA; `likelier-paper data fetch NAME` gets one"
        }
        // What the system refuses has advice of its own: a full disk, a file that may not be read.
        TableError::File { .. } | TableError::Unusable(_) => return error.into(),
        // The files are published ones, and their columns not the user's.
        _ => "the file may be cut short or damaged: compare it with its source",
    };
    Failure::from(error).advising(advice)
}
