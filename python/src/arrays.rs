//! From NumPy's arrays to rows and answers.

use likelier::data::{Annotators, PairGroups, ShownSide, SparseRows, Texts};
use likelier::{Answers, Error, Label, LabelsChosen, Rows};
use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::words::Trouble;

/// An array of items as Python holds it: numbers, bytes, or the parts of a sparse matrix.
#[derive(FromPyObject)]
pub(crate) enum Items<'py> {
    Numbers(PyReadonlyArray2<'py, f32>),
    Bytes(PyReadonlyArray2<'py, u8>),
    Sparse(SparseParts<'py>),
}

/// Data, columns, starts of rows, and the number of columns.
type SparseParts<'py> =
    (PyReadonlyArray1<'py, f32>, PyReadonlyArray1<'py, u32>, PyReadonlyArray1<'py, i64>, usize);

/// The same without Python, so that work on it needs no lock.
#[derive(Clone, Copy)]
pub(crate) enum Matrix<'a> {
    Numbers(&'a [f32], usize),
    Bytes(&'a [u8], usize),
    Sparse { values: &'a [f32], columns: &'a [u32], starts: &'a [i64], width: usize },
}

impl Items<'_> {
    /// Where the numbers lie. Nothing is copied.
    pub(crate) fn matrix(&self) -> PyResult<Matrix<'_>> {
        let in_order = |_| PyValueError::new_err("X must lie row after row in memory");
        match self {
            Self::Numbers(array) => {
                Ok(Matrix::Numbers(array.as_slice().map_err(in_order)?, array.shape()[1]))
            }
            Self::Bytes(array) => Ok(Matrix::Bytes(array.as_slice().map_err(in_order)?, array.shape()[1])),
            Self::Sparse((values, columns, starts, width)) => Ok(Matrix::Sparse {
                values: values.as_slice().map_err(in_order)?,
                columns: columns.as_slice().map_err(in_order)?,
                starts: starts.as_slice().map_err(in_order)?,
                width: *width,
            }),
        }
    }
}

impl<'a> Matrix<'a> {
    /// The rows; dense ones are read where they lie.
    pub(crate) fn rows(self) -> Result<Rows<'a>, Trouble> {
        match self {
            Self::Numbers(values, width) => Ok(Rows::borrowed(values, width)?),
            Self::Bytes(values, width) => Ok(Rows::from_bytes(values, width)?),
            Self::Sparse { values, columns, starts, width } => {
                let bad = || PyValueError::new_err("the parts of the sparse matrix do not fit together");
                let mut rows = SparseRows::new();
                for ends in starts.windows(2) {
                    let range = usize::try_from(ends[0]).map_err(|_| bad())?
                        ..usize::try_from(ends[1]).map_err(|_| bad())?;
                    let (Some(columns), Some(values)) = (columns.get(range.clone()), values.get(range))
                    else {
                        return Err(bad().into());
                    };
                    rows.push(columns.iter().copied().zip(values.iter().copied()));
                }
                Ok(Rows::from_sparse(rows, width)?)
            }
        }
    }
}

/// The same rows with memory of their own.
pub(crate) fn owned(matrix: Matrix<'_>) -> Result<Rows<'static>, Trouble> {
    match matrix {
        Matrix::Numbers(values, width) => Ok(Rows::from_numbers(values.to_vec(), width)?),
        Matrix::Bytes(values, width) => Ok(Rows::from_bytes(values.to_vec(), width)?),
        sparse @ Matrix::Sparse { .. } => Ok(sparse.rows()?.to_sparse()),
    }
}

/// Answers as Python holds them.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Given<'py> {
    pairs: PyReadonlyArray2<'py, u32>,
    tie: Option<PyReadonlyArray1<'py, bool>>,
    weight: Option<PyReadonlyArray1<'py, f32>>,
    annotator: Option<Named<'py>>,
    side: Option<Named<'py>>,
    time: Option<Vec<String>>,
    group: Option<Named<'py>>,
    propensity: Option<PyReadonlyArray1<'py, f64>>,
}

/// Names, and the place of each answer's in them.
type Named<'py> = (Vec<String>, PyReadonlyArray1<'py, u32>);

impl Given<'_> {
    /// What people said.
    pub(crate) fn answers(&self) -> Result<Answers, Trouble> {
        let pairs = slice(self.pairs.as_slice())?;
        if self.pairs.shape()[1] != 2 {
            return Err(PyTypeError::new_err("pairs must have two columns").into());
        }
        let mut answers: Answers = pairs.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
        if let Some(weights) = &self.weight {
            answers = answers.weighted(slice(weights.as_slice())?.to_vec())?;
        }
        if let Some(ties) = &self.tie {
            answers = answers.tied(slice(ties.as_slice())?.to_vec())?;
        }
        if let Some(who) = &self.annotator {
            let (names, of) = named(who)?;
            answers = answers.by(Annotators { names, of })?;
        }
        if let Some((names, of)) = &self.side {
            let side = |name: &String| name.parse().map(Some);
            let sides = names.iter().map(|name| if name.is_empty() { Ok(None) } else { side(name) });
            let sides: Vec<Option<ShownSide>> = sides.collect::<Result<_, Error>>()?;
            let of = slice(of.as_slice())?;
            answers =
                answers.shown(of.iter().map(|at| sides.get(*at as usize).copied().flatten()).collect())?;
        }
        if let Some(times) = &self.time {
            answers = answers.at(texts(times))?;
        }
        if let Some(group) = &self.group {
            let (names, of) = named(group)?;
            answers = answers.grouped(PairGroups { names, of })?;
        }
        if let Some(propensities) = &self.propensity {
            answers = answers.chosen(slice(propensities.as_slice())?.to_vec())?;
        }
        Ok(answers)
    }
}

/// The numbers of an array that lies in one piece.
pub(crate) fn slice<T, E: std::fmt::Display>(of: Result<&[T], E>) -> Result<&[T], Trouble> {
    of.map_err(|error| PyValueError::new_err(error.to_string()).into())
}

fn named((names, of): &Named<'_>) -> Result<(Texts, Vec<u32>), Trouble> {
    Ok((texts(names), slice(of.as_slice())?.to_vec()))
}

pub(crate) fn texts(of: &[String]) -> Texts {
    of.iter().map(String::as_str).collect()
}

/// Labels of some items: 1, 0, or something else where it is not known; how the items were chosen; and whether to train
/// on them.
pub(crate) type Labels<'py> = (PyReadonlyArray1<'py, i8>, String, bool);

/// The labels as the library has them.
pub(crate) fn labels(
    (labels, chosen, train): &Labels<'_>,
) -> Result<(Vec<Option<Label>>, LabelsChosen, bool), Trouble> {
    let label = |label: &i8| matches!(label, 0 | 1).then(|| Label::positive_if(*label == 1));
    Ok((slice(labels.as_slice())?.iter().map(label).collect(), chosen.parse()?, *train))
}
