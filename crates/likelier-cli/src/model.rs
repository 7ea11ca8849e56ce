//! Model files that verbs are given.

use std::path::Path;

use anyhow::Result;
use likelier::Classifier;

use crate::input::given;
use crate::output::Warning;

/// Reads a model file.
pub(crate) fn load(path: &Path) -> Result<Classifier> {
    given(Classifier::load(path))
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
