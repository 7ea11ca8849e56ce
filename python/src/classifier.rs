//! A trained model.

use std::path::PathBuf;

use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::arrays::Items;
use crate::running::quickly;
use crate::words::Trouble;

/// A trained model: the command line's model file in memory.
#[pyclass(frozen, module = "likelier._native")]
pub(crate) struct Classifier(pub(crate) likelier::Classifier);

#[pymethods]
impl Classifier {
    /// From the bytes of a model file.
    #[new]
    fn new(content: &[u8]) -> PyResult<Self> {
        Ok(Self(likelier::Classifier::from_bytes(content).map_err(Trouble::from)?))
    }

    /// Reads a model file.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        Ok(Self(py.detach(|| likelier::Classifier::load(path)).map_err(Trouble::from)?))
    }

    /// Writes a model file.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        Ok(py.detach(|| self.0.save(path)).map_err(Trouble::from)?)
    }

    /// The bytes of a model file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.0.to_bytes().map_err(Trouble::from)?))
    }

    /// The bytes of an ONNX file.
    fn to_onnx<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.0.to_onnx().map_err(Trouble::from)?))
    }

    /// A score for each row.
    fn scores<'py>(&self, py: Python<'py>, items: Items<'py>) -> PyResult<Bound<'py, PyArray1<f32>>> {
        let matrix = items.matrix()?;
        let scores = quickly(py, || Ok(self.0.scores(&matrix.rows()?)?))?;
        Ok(PyArray1::from_vec(py, scores))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((slf.get_type().into_any(), (slf.get().to_bytes(slf.py())?,)))
    }

    /// A higher score is called positive.
    #[getter]
    fn threshold(&self) -> f32 {
        self.0.threshold()
    }

    /// The slope and the offset of log-odds as a function of scores.
    #[getter]
    fn probability(&self) -> (f32, f32) {
        let map = self.0.probability();
        (map.slope, map.offset)
    }

    #[getter]
    fn method(&self) -> &'static str {
        self.0.method().name()
    }

    #[getter]
    fn prior(&self) -> f64 {
        self.0.prior().positive()
    }

    #[getter]
    fn protocol(&self) -> &'static str {
        self.0.protocol().collection().name()
    }

    #[getter]
    fn labeller_error(&self) -> f64 {
        self.0.protocol().labeller_error()
    }

    /// The number of features.
    #[getter]
    fn width(&self) -> usize {
        self.0.features().width()
    }

    /// The name of each feature; none where they are only numbered.
    #[getter]
    fn feature_names(&self) -> Option<Vec<String>> {
        let features = self.0.features();
        let names: Vec<String> = features.names().collect();
        let numbered = likelier::data::Features::numbered(features.width());
        (!numbered.names().eq(names.iter().cloned())).then_some(names)
    }

    /// Everything that the model file says of itself, as JSON.
    #[getter]
    fn metadata(&self) -> PyResult<String> {
        Ok(self.0.metadata_json().map_err(Trouble::from)?)
    }
}
