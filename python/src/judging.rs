//! Judgements without labels, and whether the answers are what they are said to be.

use likelier::estimate::{Folds, ProtocolTest};
use likelier::{
    Assessment, BelievedPrior, Control, Error, Grounds, Judged, JudgedBy, LabelAudit, Observer, Prior,
    Protocol, Rows, ScorerOptions, Supervision, check_with, estimate_prior_with,
};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use serde::Serialize;

use crate::arrays::{Given, Items, slice};
use crate::belief::{Belief, Scorer};
use crate::running::{self, quickly};
use crate::words::{Warned, json, warned};

/// What a judgement says.
#[derive(Serialize)]
pub(crate) struct Judgement<'a> {
    prior: Prior,
    #[serde(flatten)]
    protocol: Protocol,
    judged_by: JudgedBy,
    new_items: &'a Judged,
    these_items: Option<&'a Judged>,
    protocol_test: Option<&'a ProtocolTest>,
    /// What labels say, where some were given.
    audit: Option<&'a LabelAudit>,
}

impl<'a> Judgement<'a> {
    pub(crate) fn of(assessment: &'a Assessment, audit: Option<&'a LabelAudit>) -> Self {
        let grounds = assessment.grounds();
        Self {
            prior: grounds.assumptions().prior(),
            protocol: grounds.protocol(),
            judged_by: assessment.judged_by,
            new_items: &assessment.new_items,
            these_items: assessment.these_items.as_ref(),
            protocol_test: assessment.protocol_test.as_ref(),
            audit,
        }
    }
}

/// Judges scores of all items by comparisons between them: JSON, and warnings.
#[pyfunction]
pub(crate) fn assess(
    py: Python<'_>,
    scores: PyReadonlyArray1<'_, f32>,
    threshold: f32,
    given: Given<'_>,
    belief: Belief,
) -> PyResult<(String, Warned)> {
    let scores = slice(scores.as_slice())?;
    let answers = given.answers()?;
    quickly(py, || {
        if let Some(position) = scores.iter().position(|score| !score.is_finite()) {
            let value = format!("{} at place {position}", scores[position]);
            return Err(Error::Setting { name: "a score", value, allowed: "finite" }.into());
        }
        let protocol = belief.protocol()?.ok_or(Error::NoProtocol)?;
        let prior = Prior::new(belief.prior.ok_or(Error::NoPrior)?)?;
        let grounds = Grounds::new(protocol, &BelievedPrior::known(prior))?
            .equals(belief.equals.parse()?)
            .error_at_most(belief.labeller_error_at_most)?;
        let assessment = Assessment::of_scores(scores, threshold, answers.comparisons(), grounds)?
            .within_groups(&answers, scores.len())?;
        Ok((json(&Judgement::of(&assessment, None))?, warned(&assessment.warnings())))
    })
}

/// Looks for what is wrong with answers: JSON.
#[pyfunction]
pub(crate) fn check(
    py: Python<'_>,
    items: Items<'_>,
    given: Given<'_>,
    belief: Belief,
    scorer: Scorer,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<String> {
    by_scores(py, &items, &given, belief, scorer, progress.as_ref(), check_with)
}

/// Estimates the share of positives: JSON.
#[pyfunction]
pub(crate) fn estimate_prior(
    py: Python<'_>,
    items: Items<'_>,
    given: Given<'_>,
    belief: Belief,
    scorer: Scorer,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<String> {
    by_scores(py, &items, &given, belief, scorer, progress.as_ref(), estimate_prior_with)
}

/// What scores of the items say about the answers, as JSON.
fn by_scores<T: Serialize>(
    py: Python<'_>,
    items: &Items<'_>,
    given: &Given<'_>,
    belief: Belief,
    scorer: Scorer,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(
        &Rows<'_>,
        &Supervision,
        &ScorerOptions,
        &Control<'_>,
        &mut Observer<'_>,
    ) -> Result<T, Error>
    + Send,
) -> PyResult<String> {
    let (matrix, answers) = (items.matrix()?, given.answers()?);
    let threads = scorer.threads;
    running::run(py, progress, threads, move |control, observe| {
        let rows = matrix.rows()?;
        let supervision = belief.supervision(answers)?;
        json(&work(&rows, &supervision, &scorer.options()?, control, observe)?)
    })
}

/// The fold of each of so many items; the number of folds for an item that was never compared.
#[pyfunction]
pub(crate) fn folds<'py>(
    py: Python<'py>,
    given: Given<'py>,
    items: usize,
    count: usize,
    seed: u64,
) -> PyResult<Bound<'py, PyArray1<u32>>> {
    let answers = given.answers()?;
    let of = quickly(py, || {
        let folds = Folds::new(&answers.comparisons(), items, count, seed)?;
        let of = |item| folds.of_item(item).unwrap_or(count) as u32;
        Ok((0..items as u32).map(of).collect())
    })?;
    Ok(PyArray1::from_vec(py, of))
}
