//! The folder that holds the data sets.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;

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
            .context("no data directory: give --data-dir, or set LIKELIER_DATA")
    }

    /// What to add to a command so that it uses the same folder.
    pub(crate) fn as_typed(&self) -> String {
        self.data_dir
            .as_ref()
            .map_or(String::new(), |dir| format!(" --data-dir {}", dir.display()))
    }
}
