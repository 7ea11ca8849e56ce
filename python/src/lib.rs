//! The native half of the Python package: glue between NumPy's arrays and the library, and no policy.
//!
//! ```text
//! arrays.rs      NumPy → rows, answers
//! belief.rs      what is stated: prior, protocol, labellers, how to fit
//! running.rs     long work in a thread of its own: signals, progress, threads
//! words.rs       errors and warnings in Python's terms
//! classifier.rs  a trained model
//! training.rs    fit
//! elsewhere.rs   shards and trials, for a cluster
//! judging.rs     assess, check, estimate_prior, folds
//! scores.rs      risk
//! planning.rs    generate, plan
//! ```
//!
//! Results with many numbers cross over as JSON, the same that the command line prints; `likelier/*.py` makes
//! dataclasses of it.

#![allow(clippy::needless_pass_by_value, reason = "PyO3 hands over what it takes from Python")]

mod arrays;
mod belief;
mod classifier;
mod elsewhere;
mod judging;
mod planning;
mod running;
mod scores;
mod training;
mod words;

use pyo3::prelude::*;

/// What `import likelier` builds on.
#[pymodule]
mod _native {
    use std::ffi::OsString;

    use pyo3::prelude::*;

    #[pymodule_export]
    use super::classifier::Classifier;
    #[pymodule_export]
    use super::elsewhere::{Open, Shard, fit_shards, fit_stage, run_trial, shards_for};
    #[pymodule_export]
    use super::judging::{assess, check, estimate_prior, folds};
    #[pymodule_export]
    use super::planning::{generate, plan};
    #[pymodule_export]
    use super::scores::{risk, stateless_methods};
    #[pymodule_export]
    use super::training::{Fitted, fit};

    /// Runs the command `likelier` with these arguments, of which the first is its name.
    #[pyfunction]
    fn command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
        py.detach(|| likelier_cli::run(arguments))
    }

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
