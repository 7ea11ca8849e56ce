//! Model files that verbs are given.

use std::path::Path;

use likelier::words::count;
use likelier::{Classifier, Warning};

use crate::terminal::{Result, busy, detail, standard_input};

/// Reads a model file.
pub(crate) fn load(path: &Path) -> Result<Classifier> {
    let file = standard_input::path_of(path)?;
    let reading = busy(|| format!("reading {}", path.display()));
    let classifier = Classifier::load(file)?;
    drop(reading);
    detail(|| {
        let (method, summary) = (classifier.method(), classifier.summary());
        format!("{}: {method} from {}", path.display(), count(summary.comparisons, "comparison"))
    });
    Ok(classifier)
}

/// What to say of cells with a category that the model does not know.
pub(crate) fn unseen_categories(cells: usize) -> Option<Warning> {
    (cells > 0).then_some(Warning::UnseenCategories { cells })
}
