//! Model files that verbs are given.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::Result;
use likelier::{Classifier, Error};

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
