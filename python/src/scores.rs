//! Risks of scores.

use likelier::data::Pile;
use likelier::risk::{Batch, Gradients, Setting, Side};
use likelier::{Error, Method, Prior};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::arrays::slice;
use crate::belief::protocol;
use crate::words::Trouble;

/// A risk, and its derivative by each score.
type Evaluated<'py> = (f64, Bound<'py, PyArray1<f32>>, Bound<'py, PyArray1<f32>>);

/// The risk of the scores of two piles.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "they are those of the Python function")]
pub(crate) fn risk<'py>(
    py: Python<'py>,
    likelier: PyReadonlyArray1<'py, f32>,
    other: PyReadonlyArray1<'py, f32>,
    prior: f64,
    protocol_name: &str,
    labeller_error: f64,
    method: &str,
    weights: Option<[PyReadonlyArray1<'py, f32>; 2]>,
) -> PyResult<Evaluated<'py>> {
    let method: Method = method.parse().map_err(Trouble::from)?;
    let prior = Prior::new(prior).map_err(Trouble::from)?;
    let setting = Setting::new(prior, protocol(protocol_name, labeller_error)?);
    let scores = [slice(likelier.as_slice())?, slice(other.as_slice())?];
    let weights = match &weights {
        Some([likelier, other]) => [Some(slice(likelier.as_slice())?), Some(slice(other.as_slice())?)],
        None => [None, None],
    };
    let (value, gradients) = py.detach(|| evaluate(method, &setting, scores, weights))?;
    let of = |pile| PyArray1::from_slice(py, gradients.of(pile));
    Ok((value, of(Pile::Likelier), of(Pile::Other)))
}

fn evaluate(
    method: Method,
    setting: &Setting,
    scores: [&[f32]; 2],
    weights: [Option<&[f32]>; 2],
) -> Result<(f64, Gradients), Trouble> {
    if !method.needs_scores_alone() {
        let value = method.name().to_owned();
        let allowed = "one whose risk needs scores alone, such as pcomp-relu";
        return Err(Error::Setting { name: "the method", value, allowed }.into());
    }
    for (pile, scores) in Pile::BOTH.into_iter().zip(scores) {
        if let Some(position) = scores.iter().position(|score| !score.is_finite()) {
            return Err(Error::Score { pile, position, value: scores[position] }.into());
        }
        if scores.is_empty() {
            return Err(Error::EmptyPile { pile }.into());
        }
    }
    for weights in weights.into_iter().flatten() {
        if let Some(weight) = weights.iter().find(|weight| !(**weight >= 0.0 && weight.is_finite())) {
            let value = weight.to_string();
            return Err(Error::Setting { name: "a weight", value, allowed: "at least 0" }.into());
        }
    }
    let side = |pile: usize| Side { weights: weights[pile], ..Side::of_scores(scores[pile]) };
    let batch = Batch { likelier: side(0), other: side(1) };
    let mut gradients = Gradients::default();
    let evaluation = method.compose(setting)?.objective.evaluate(&batch, &mut gradients)?;
    Ok((evaluation.value, gradients))
}

/// The methods whose risk needs scores alone.
#[pyfunction]
pub(crate) fn stateless_methods() -> Vec<&'static str> {
    Method::ALL
        .into_iter()
        .filter(|method| method.needs_scores_alone())
        .map(Method::name)
        .collect()
}
