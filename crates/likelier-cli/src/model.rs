//! Model files that verbs are given.

use std::path::Path;

use anyhow::Result;
use likelier::Classifier;

use crate::input::given;

/// Reads a model file.
pub(crate) fn load(path: &Path) -> Result<Classifier> {
    given(Classifier::load(path))
}
