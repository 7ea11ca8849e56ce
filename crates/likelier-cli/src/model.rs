//! Model files that verbs are given.

use std::path::Path;

use anyhow::Result;
use likelier::Classifier;

use crate::input::given;
use crate::output::Warning;
use crate::{standard_input, talk};

/// Reads a model file.
pub(crate) fn load(path: &Path) -> Result<Classifier> {
    let classifier = given(Classifier::load(standard_input::path_of(path)?))?;
    talk::detail(|| {
        let (method, summary) = (classifier.method(), classifier.summary());
        format!("{}: {method} from {} comparisons", path.display(), summary.comparisons)
    });
    Ok(classifier)
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
