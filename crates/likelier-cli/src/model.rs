//! Model files that verbs are given.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::Result;
use likelier::{Classifier, Error};

use crate::output::Warning;

/// A model file that cannot be read at all.
#[derive(Debug, thiserror::Error)]
#[error("{}: {reason}", path.display())]
pub(crate) struct NoModel {
    path: PathBuf,
    reason: io::Error,
}

/// Reads a model file.
pub(crate) fn load(path: &Path) -> Result<Classifier> {
    Classifier::load(path).map_err(|error| match error {
        Error::File { path, reason } => NoModel { path, reason }.into(),
        other => other.into(),
    })
}

/// What to say of cells with a category that the model does not know.
pub(crate) fn unseen_categories(cells: usize) -> Option<Warning> {
    (cells > 0).then(|| Warning {
        code: "unseen-categories",
        message: format!(
            "{cells} cells hold a category that was not there in training; they count as none of the known ones"
        ),
    })
}
