//! Model files that verbs are given.

use std::path::Path;

use likelier::words::count;
use likelier::{Classifier, ModelFile, Warning};

use crate::terminal::{Result, busy, detail, standard_input};

/// Reads the one model of a file, or that of one of its questions.
pub(crate) fn load(path: &Path, question: Option<&str>) -> Result<Classifier> {
    Ok(read(path)?.of_question(question)?)
}

/// Reads a model file.
pub(crate) fn read(path: &Path) -> Result<ModelFile> {
    let file = standard_input::path_of(path)?;
    let reading = busy(|| format!("reading {}", path.display()));
    let model = ModelFile::load(file)?;
    drop(reading);
    detail(|| {
        let (classifier, questions) = match &model {
            ModelFile::One(classifier) => (Some(classifier), String::new()),
            ModelFile::Several(all) => {
                (all.iter().next().map(|(_, first)| first), format!("{} of ", count(all.len(), "question")))
            }
        };
        let from = classifier.map_or(0, |one| one.summary().comparisons);
        let method = classifier.map_or_else(String::new, |one| one.method().to_string());
        format!("{}: {questions}{method} from {}", path.display(), count(from, "comparison"))
    });
    Ok(model)
}

/// What to say of cells with a category that the model does not know.
pub(crate) fn unseen_categories(cells: usize) -> Option<Warning> {
    (cells > 0).then_some(Warning::UnseenCategories { cells })
}
