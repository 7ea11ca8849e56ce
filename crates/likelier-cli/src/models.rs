//! Model files that verbs are given.

use std::path::Path;

use likelier::{Classifier, Warning};

use crate::terminal::{Result, detail, standard_input};

/// Reads a model file.
pub(crate) fn load(path: &Path) -> Result<Classifier> {
    let classifier = Classifier::load(standard_input::path_of(path)?)?;
    detail(|| {
        let (method, summary) = (classifier.method(), classifier.summary());
        format!("{}: {method} from {} comparisons", path.display(), summary.comparisons)
    });
    Ok(classifier)
}

/// What to say of cells with a category that the model does not know.
pub(crate) fn unseen_categories(cells: usize) -> Option<Warning> {
    (cells > 0).then_some(Warning::UnseenCategories { cells })
}
