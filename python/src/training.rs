//! Fits.

use likelier::fit_with;
use likelier::trial::TrialExecutor;
use likelier_cli::ReportPages;
use likelier_tables::{Ids, odd_answers};
use pyo3::prelude::*;

use crate::arrays::{self, Given, Items, Labels, texts};
use crate::belief::{Belief, Options};
use crate::classifier::Classifier;
use crate::judging::Judgement;
use crate::running;
use crate::words::{Warned, json, warned};

/// A classifier, and everything that is known about it.
#[pyclass(frozen, get_all, module = "likelier._native")]
pub(crate) struct Fitted {
    classifier: Py<Classifier>,
    /// How good it is without labels, as JSON; none where it could not be judged.
    assessment: Option<String>,
    /// How people replied, as training took it, as JSON; none where nothing is told of it.
    replies: Option<String>,
    /// Code, message and advice of each warning.
    warnings: Warned,
    /// The report as a page, as plain text, and as JSON.
    report: (String, String, String),
    /// Epochs that were trained.
    epochs: usize,
}

/// Fits a classifier to answers about the items.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "they are those of the Python function")]
pub(crate) fn fit(
    py: Python<'_>,
    items: Items<'_>,
    given: Given<'_>,
    belief: Belief,
    labels: Option<Labels<'_>>,
    options: Options,
    ids: Option<Vec<String>>,
    title: (String, String),
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Fitted> {
    fit_by(py, items, given, belief, labels, options, ids, title, progress, None)
}

/// Fits a classifier whose trials are run by `trials`, if that is given.
#[allow(clippy::too_many_arguments, reason = "they are those of the Python function")]
pub(crate) fn fit_by(
    py: Python<'_>,
    items: Items<'_>,
    given: Given<'_>,
    belief: Belief,
    labels: Option<Labels<'_>>,
    options: Options,
    ids: Option<Vec<String>>,
    title: (String, String),
    progress: Option<Bound<'_, PyAny>>,
    trials: Option<&TrialExecutor<'_>>,
) -> PyResult<Fitted> {
    let matrix = items.matrix()?;
    let answers = given.answers()?;
    let labels = labels.as_ref().map(arrays::labels).transpose()?;
    let (model, again) = title;
    let threads = options.threads;
    let work = move |control: &likelier::Control<'_>, observe: &mut likelier::Observer<'_>| {
        let rows = matrix.rows()?;
        let ids = match ids {
            Some(ids) => Ids::named(texts(&ids))?,
            None => Ids::numbered(rows.len()),
        };
        let mut warnings = odd_answers(&answers, &ids);
        let mut supervision = belief.supervision(answers)?;
        if let Some((labels, chosen, train)) = labels {
            supervision = supervision.audited(labels, chosen).labels_train(train);
        }
        let control = &likelier::Control { executor: trials, ..*control };
        let fitted = fit_with(&rows, &supervision, &options.options()?, control, observe)?;
        warnings.extend(fitted.warnings.iter().cloned());
        let pages = ReportPages::new((&model, &again), &fitted, &rows, &ids, options.image, &warnings)?;
        let assessment = fitted.assessment.as_ref();
        let judged = |assessment| json(&Judgement::of(assessment, fitted.audit.as_ref()));
        let assessment = assessment.map(judged).transpose()?;
        let replies = fitted.replies.as_ref().map(json).transpose()?;
        let epochs = fitted.epochs.len();
        Ok((fitted.classifier, assessment, replies, warned(&warnings), pages, epochs))
    };
    let (classifier, assessment, replies, warnings, pages, epochs) =
        running::run(py, progress.as_ref(), threads, work)?;
    Ok(Fitted {
        classifier: Py::new(py, Classifier(classifier))?,
        assessment,
        replies,
        warnings,
        report: (pages.html, pages.markdown, pages.json),
        epochs,
    })
}
