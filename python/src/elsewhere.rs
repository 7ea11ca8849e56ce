//! Work that is done on other machines: shards that are asked, and trials that are run.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use likelier::estimate::selection::Breakdown;
use likelier::shards::{self, Ask, ShardOptions, Sums};
use likelier::trial::{Stage, Trained, Trial};
use likelier::{Comparisons, Error, Executor, Prior};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use crate::arrays::{Given, Items, Labels, owned, slice};
use crate::belief::{Belief, Options};
use crate::classifier::Classifier;
use crate::running::{self, quickly};
use crate::training::fit_by;
use crate::words::{Trouble, Warned, warned};

/// How many shards so many comparisons fall into.
#[pyfunction]
pub(crate) fn shards_for(comparisons: usize) -> usize {
    shards::shards_for(comparisons)
}

/// Some of the comparisons, and the rows that they are between.
#[pyclass(frozen, module = "likelier._native")]
pub(crate) struct Shard(shards::Shard<'static>);

#[pymethods]
impl Shard {
    #[new]
    fn new(py: Python<'_>, items: Items<'_>, given: Given<'_>) -> PyResult<Self> {
        let (matrix, answers) = (items.matrix()?, given.answers()?);
        quickly(py, || Ok(Self(shards::Shard::new(owned(matrix)?, answers.comparisons())?)))
    }

    /// The answer to an ask, as it is sent.
    fn partial<'py>(&self, py: Python<'py>, ask: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
        let ask: Ask = serde_json::from_slice(ask).map_err(Trouble::from)?;
        let sums = quickly(py, || Ok(self.0.partial(&ask)?))?;
        let bytes: Vec<u8> = sums.iter().flat_map(|sum| sum.to_le_bytes()).collect();
        Ok(PyBytes::new(py, &bytes))
    }
}

/// Asks shards by calling Python. What it raises is kept: the library knows no such error.
struct Called<'a> {
    ask: &'a Py<PyAny>,
    raised: Mutex<Option<PyErr>>,
}

impl Executor<Ask> for Called<'_> {
    type Done = Sums;

    fn run(&self, ask: &Ask) -> Result<Vec<Sums>, Error> {
        let stopped = Error::Stopped { epoch: 0 };
        let told = |error: PyErr| {
            *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        };
        let answers = Python::attach(|py| -> PyResult<Vec<Vec<u8>>> {
            let sent = serde_json::to_vec(ask).map_err(Trouble::from)?;
            self.ask.call1(py, (PyBytes::new(py, &sent),))?.extract(py)
        });
        let answers = match answers {
            Ok(answers) => answers,
            Err(error) => {
                told(error);
                return Err(stopped);
            }
        };
        let number = |bytes: &[u8]| bytes.try_into().map_or(f64::NAN, f64::from_le_bytes);
        Ok(answers.iter().map(|answer| answer.chunks(8).map(number).collect()).collect())
    }
}

/// Fits a linear model to shards. `ask` sends an ask to all of them, and gives their answers in their order.
#[pyfunction]
pub(crate) fn fit_shards(
    py: Python<'_>,
    ask: Py<PyAny>,
    belief: Belief,
    weight_decay: Option<f64>,
    feature_names: Option<Vec<String>>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<(Classifier, Warned)> {
    let protocol = belief.protocol()?.ok_or(Error::NoProtocol).map_err(Trouble::from)?;
    let prior = belief.prior.ok_or(Error::NoPrior).map_err(Trouble::from)?;
    let prior = Prior::new(prior).map_err(Trouble::from)?;
    let options = ShardOptions { weight_decay, ..ShardOptions::new(prior, protocol) };
    let called = Called { ask: &ask, raised: Mutex::new(None) };
    let shown = RefCell::new(None);
    let mut observe = |done: usize, of: usize| {
        if let Some(progress) = &progress
            && let Err(error) = progress.call1(("training", done, of, ""))
        {
            shown.borrow_mut().get_or_insert(error);
        }
    };
    let found = shards::fit_shards_with(&called, &options, &mut observe);
    let raised = called.raised.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(error) = raised.or(shown.into_inner()) {
        return Err(error);
    }
    let mut classifier = found.map_err(Trouble::from)?;
    if let Some(names) = feature_names {
        let columns = names.iter().map(likelier::data::Column::number).collect();
        let features = likelier::data::Features::new(columns).map_err(Trouble::from)?;
        classifier = classifier.with_features(features).map_err(Trouble::from)?;
    }
    let fallback = classifier.summary().fallback;
    let method = classifier.method();
    let warnings = fallback.map(|reason| likelier::Warning::FellBack { method, reason });
    let _ = py;
    Ok((Classifier(classifier), warned(&warnings.into_iter().collect::<Vec<_>>())))
}

/// Comparisons as four lists: likelier items, others, weights, answers.
type Lists<'py> = (
    PyReadonlyArray1<'py, u32>,
    PyReadonlyArray1<'py, u32>,
    Option<PyReadonlyArray1<'py, f32>>,
    Option<PyReadonlyArray1<'py, u32>>,
);

/// A model file, or the epoch and the batch in which a training broke down, and what did.
type Found = (Option<Vec<u8>>, Option<(usize, usize, String)>);

/// Runs a trial: for each of its configurations, what came of it.
#[pyfunction]
pub(crate) fn run_trial(
    py: Python<'_>,
    items: Items<'_>,
    comparisons: Lists<'_>,
    trial: &str,
    threads: Option<usize>,
) -> PyResult<Vec<Found>> {
    let matrix = items.matrix()?;
    let (likelier, other, weights, answers) = &comparisons;
    let numbers = |list: &PyReadonlyArray1<'_, u32>| Ok::<_, Trouble>(slice(list.as_slice())?.to_vec());
    let weights = weights.as_ref().map(|list| Ok::<_, Trouble>(slice(list.as_slice())?.to_vec()));
    let comparisons = Comparisons::from_parts(
        numbers(likelier)?,
        numbers(other)?,
        weights.transpose()?,
        answers.as_ref().map(numbers).transpose()?,
    );
    let comparisons = comparisons.map_err(Trouble::from)?;
    let trial: Trial = serde_json::from_str(trial).map_err(Trouble::from)?;
    running::run(py, None, threads, move |control, _| {
        let trained = trial.run(&matrix.rows()?, &comparisons, control)?;
        let found = |model: Result<likelier::Classifier, Breakdown>| match model {
            Ok(model) => Ok((Some(model.to_bytes()?), None)),
            Err(Breakdown { epoch, batch, what }) => Ok((None, Some((epoch, batch, what.to_owned())))),
        };
        trained.into_iter().map(found).collect()
    })
}

/// Trials that must be run before a fit can go on.
#[pyclass(frozen, module = "likelier._native")]
pub(crate) struct Open {
    trials: Vec<(String, String)>,
    comparisons: Comparisons,
}

#[pymethods]
impl Open {
    /// The name of each, and what is sent.
    #[getter]
    fn trials(&self) -> Vec<(String, String)> {
        self.trials.clone()
    }

    /// The comparisons that they share, as four lists.
    #[getter]
    fn comparisons<'py>(&self, py: Python<'py>) -> ListsOut<'py> {
        let (likelier, other, weights, answers) = self.comparisons.parts();
        (
            PyArray1::from_slice(py, likelier),
            PyArray1::from_slice(py, other),
            weights.map(|list| PyArray1::from_slice(py, list)),
            answers.map(|list| PyArray1::from_slice(py, list)),
        )
    }
}

type ListsOut<'py> = (
    Bound<'py, PyArray1<u32>>,
    Bound<'py, PyArray1<u32>>,
    Option<Bound<'py, PyArray1<f32>>>,
    Option<Bound<'py, PyArray1<u32>>>,
);

/// Gives what came of trials before, and gives up where one is not there yet.
struct Replay {
    done: HashMap<String, Trained>,
    open: Mutex<Option<Open>>,
}

impl<'s> Executor<Stage<'s>> for Replay {
    type Done = Trained;

    fn run(&self, stage: &Stage<'s>) -> Result<Vec<Trained>, Error> {
        let mut found = Vec::new();
        let mut open = Vec::new();
        for trial in &stage.trials {
            // A configuration holds finite numbers and names, so it can always be written.
            let sent = serde_json::to_string(trial).unwrap_or_default();
            match self.done.get(&sent) {
                Some(trained) => found.push(trained.clone()),
                None => open.push((trial.name.clone(), sent)),
            }
        }
        if open.is_empty() {
            return Ok(found);
        }
        let open = Open { trials: open, comparisons: stage.comparisons.clone() };
        *self.open.lock().unwrap_or_else(PoisonError::into_inner) = Some(open);
        Err(Error::Stopped { epoch: 0 })
    }
}

/// Fits as far as the trials that are done allow: the classifier, or the trials that are needed next.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "they are those of the Python function")]
pub(crate) fn fit_stage<'py>(
    py: Python<'py>,
    items: Items<'_>,
    given: Given<'_>,
    belief: Belief,
    labels: Option<Labels<'_>>,
    options: Options,
    ids: Option<Vec<String>>,
    title: (String, String),
    done: HashMap<String, Bound<'py, PyList>>,
) -> PyResult<Bound<'py, PyAny>> {
    let done = done
        .into_iter()
        .map(|(sent, found)| {
            Ok((sent, found.iter().map(|found| trained(&found)).collect::<PyResult<_>>()?))
        })
        .collect::<PyResult<_>>()?;
    let replay = Replay { done, open: Mutex::new(None) };
    let fitted = fit_by(py, items, given, belief, labels, options, ids, title, None, Some(&replay));
    let open = replay.open.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(match open {
        Some(open) => Bound::new(py, open)?.into_any(),
        None => Bound::new(py, fitted?)?.into_any(),
    })
}

fn trained(found: &Bound<'_, PyAny>) -> PyResult<Result<likelier::Classifier, Breakdown>> {
    let found: Found = found.extract()?;
    match found {
        (Some(model), _) => Ok(Ok(likelier::Classifier::from_bytes(&model).map_err(Trouble::from)?)),
        (None, Some((epoch, batch, what))) => {
            let what = if what == "risk" { "risk" } else { "model" };
            Ok(Err(Breakdown { epoch, batch, what }))
        }
        (None, None) => Err(PyValueError::new_err("a trial gave neither a model nor why there is none")),
    }
}
