//! Errors and warnings in Python's terms, with the library's own words.

use std::io;

use likelier::{Error, Warning};
use likelier_cli::terminal::Failure;
use likelier_tables::TableError;
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use serde::Serialize;

/// Anything that can go wrong below.
pub(crate) enum Trouble {
    Library(Error),
    Report(Failure),
    Python(PyErr),
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Self::Library(error)
    }
}

impl From<TableError> for Trouble {
    fn from(error: TableError) -> Self {
        Self::Report(error.into())
    }
}

impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Self {
        Self::Report(failure)
    }
}

impl From<PyErr> for Trouble {
    fn from(error: PyErr) -> Self {
        Self::Python(error)
    }
}

impl From<serde_json::Error> for Trouble {
    fn from(error: serde_json::Error) -> Self {
        Self::Python(PyRuntimeError::new_err(error.to_string()))
    }
}

impl From<Trouble> for PyErr {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Library(error) => {
                let words = error.to_string();
                match error {
                    // Becomes FileNotFoundError, PermissionError, …
                    Error::File { reason, .. } => io::Error::new(reason.kind(), words).into(),
                    Error::Memory { .. } => PyMemoryError::new_err(words),
                    _ => PyValueError::new_err(words),
                }
            }
            Trouble::Report(failure) => PyValueError::new_err(failure.to_string()),
            Trouble::Python(error) => error,
        }
    }
}

/// Code, message and advice of each warning.
pub(crate) type Warned = Vec<(&'static str, String, String)>;

/// Warnings for Python: options in backticks are spelled as Python spells them.
pub(crate) fn warned(warnings: &[Warning]) -> Warned {
    let spelled = |advice: &str| {
        let parts = advice.split('`').enumerate();
        let spelled =
            parts.map(|(at, part)| if at % 2 == 1 { part.replace('-', "_") } else { part.into() });
        spelled.collect::<Vec<_>>().join("`")
    };
    let told = |warning: &Warning| (warning.code(), warning.to_string(), spelled(warning.advice()));
    warnings.iter().map(told).collect()
}

/// A result with many numbers.
pub(crate) fn json(value: &impl Serialize) -> Result<String, Trouble> {
    Ok(serde_json::to_string(value)?)
}
