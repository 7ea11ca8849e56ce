//! Comparisons out of labels, and how many are enough.

use likelier::estimate::metrics::Metric;
use likelier::estimate::planning::{Assumed, Plan};
use likelier::generate::{Recipe, Sampling, draw};
use likelier::random::{Purpose, stream};
use likelier::{Error, Evidence, LEVEL, Label, Prior};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::arrays::slice;
use crate::belief::protocol;
use crate::running::quickly;
use crate::words::Trouble;

/// What to draw.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Wanted {
    pairs: usize,
    prior: f64,
    protocol: String,
    labeller_error: f64,
    no_item_twice: bool,
    seed: u64,
}

/// Draws comparisons between items whose labels are known: likelier and other items, and how many pairs were shown.
#[pyfunction]
pub(crate) fn generate<'py>(
    py: Python<'py>,
    labels: PyReadonlyArray1<'py, bool>,
    degrees: Option<PyReadonlyArray1<'py, f32>>,
    wanted: Wanted,
) -> PyResult<(Bound<'py, PyArray1<u32>>, Option<usize>)> {
    let labels = slice(labels.as_slice())?;
    let degrees = degrees.as_ref().map(|degrees| slice(degrees.as_slice())).transpose()?;
    let (pairs, shown) = quickly(py, || {
        let labels: Vec<Label> = labels.iter().map(|label| Label::positive_if(*label)).collect();
        let pool: Vec<u32> = (0..labels.len() as u32).collect();
        let recipe = Recipe {
            prior: Prior::new(wanted.prior)?,
            protocol: protocol(&wanted.protocol, wanted.labeller_error)?,
            pairs: wanted.pairs,
            sampling: if wanted.no_item_twice { Sampling::ExactCounts } else { Sampling::Independent },
            degrees,
        };
        let drawn = draw(&labels, &pool, &recipe, &mut stream(wanted.seed, Purpose::Comparisons))?;
        let Evidence::Answers(answers) = drawn.evidence else { return Err(Error::NeedsComparisons.into()) };
        let pairs: Vec<u32> = answers
            .pairs()
            .iter()
            .flat_map(|(likelier, other)| [*likelier, *other])
            .collect();
        Ok((pairs, drawn.shown))
    })?;
    Ok((PyArray1::from_vec(py, pairs), shown))
}

/// What each metric can be known to: its name, a number of comparisons, and the half-width of its interval.
#[pyfunction]
pub(crate) fn plan(
    prior: f64,
    protocol_name: &str,
    labeller_error: f64,
    accuracy: f64,
    half_width: Option<f64>,
    comparisons: Option<usize>,
) -> PyResult<Vec<(String, usize, f64)>> {
    let plan = Plan {
        prior: Prior::new(prior).map_err(Trouble::from)?,
        protocol: protocol(protocol_name, labeller_error)?,
        assumed: Assumed::Accuracy(accuracy),
        level: LEVEL,
    };
    let row = |metric: Metric| -> Result<(String, usize, f64), Trouble> {
        let name = serde_json::to_value(metric)?.as_str().unwrap_or_default().replace('-', "_");
        Ok(match (comparisons, half_width) {
            (Some(comparisons), _) => (name, comparisons, plan.half_width(metric, comparisons)?),
            (None, Some(half_width)) => (name, plan.comparisons(metric, half_width)?, half_width),
            (None, None) => {
                let value = "neither".into();
                let allowed = "a half-width or a number of comparisons";
                return Err(Error::Setting { name: "what is asked", value, allowed }.into());
            }
        })
    };
    Ok(Metric::ALL.into_iter().map(row).collect::<Result<_, _>>()?)
}
