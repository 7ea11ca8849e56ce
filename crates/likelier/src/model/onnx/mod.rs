//! A trained classifier as an ONNX file, for programs that know nothing of likelier.
//!
//! ```text
//! features (float, N × d)      ─┐   filled in,                          ┌─► score        (float, N)
//! one text input (string, N × 1)├─► one-hot ─► scaling ─► the network ──┼─► probability  (float, N)
//! for each category column     ─┘                                       └─► label        (int64, N)
//! ```
//!
//! `features` holds the number columns of [`Features`](crate::data::Features) in their order; it is absent
//! where there are none, and double where a column has an offset. NaN is a missing number. A text input has its column's name, unless that is empty or taken: then it is
//! preceded by underscores. A text that training never saw gives zeros, as everywhere. The probability is
//! σ(slope·score + offset), the label 1 where score > threshold. Scaling stays a subtraction and a
//! multiplication: taken into the weights, large offsets would cancel and take the digits with them.

mod body;
mod inputs;
mod proto;
#[cfg(test)]
mod tests;

use prost::Message;

use super::Classifier;
use crate::error::Error;
use proto::{Attribute, Entry, FLOAT, INT64, OnnxModel, OnnxNode, OnnxTensor, OperatorSet, ValueInfo};

/// What all runtimes of the last years read.
const IR_VERSION: i64 = 8;
const OPSET: i64 = 17;
/// The operators of classical machine learning, where one-hot encoding lives.
const ML: &str = "ai.onnx.ml";
const ML_OPSET: i64 = 3;
/// What the names of all inner values begin with, and no input's.
const INNER: &str = "likelier/";
const SCORE: &str = "score";
const PROBABILITY: &str = "probability";
const LABEL: &str = "label";

impl Classifier {
    /// The content of an ONNX file that does what this classifier does, preprocessing and threshold
    /// included.
    pub fn to_onnx(&self) -> Result<Vec<u8>, Error> {
        if let Some(text) = self.features.columns().iter().find(|column| column.is_text()) {
            return Err(Error::Setting {
                name: "a column of an ONNX model",
                value: format!("'{}', which is text", text.name()),
                allowed: "a number or a category, because ONNX cannot hash words as likelier does",
            });
        }
        let model = self.onnx_model()?;
        if i32::try_from(model.encoded_len()).is_err() {
            return Err(Error::Setting {
                name: "the size of an ONNX file",
                value: format!("{} bytes", model.encoded_len()),
                allowed: "below 2 GiB, as its format demands",
            });
        }
        Ok(model.encode_to_vec())
    }

    fn onnx_model(&self) -> Result<OnnxModel, Error> {
        let mut graph = Graph::default();
        let inputs = graph.inputs(&self.features);
        let scaled = graph.scaling(&self.scaling, inputs);
        let network = self.architecture.network(self.features.width())?;
        let last = graph.network(&network, &self.weights, scaled);
        graph.outputs(self, &last);
        let entry = |key: &str, value: String| Entry { key: key.into(), value };
        Ok(OnnxModel {
            ir_version: IR_VERSION,
            producer_name: "likelier".into(),
            producer_version: env!("CARGO_PKG_VERSION").into(),
            graph: Some(graph.finish()),
            opset_import: [("", OPSET), (ML, ML_OPSET)]
                .map(|(domain, version)| OperatorSet { domain: domain.into(), version })
                .into(),
            metadata_props: vec![entry("likelier", self.metadata_json()?)],
        })
    }
}

/// A graph being put together.
#[derive(Default)]
struct Graph {
    nodes: Vec<OnnxNode>,
    constants: Vec<OnnxTensor>,
    inputs: Vec<ValueInfo>,
}

impl Graph {
    /// Adds an operation, and gives the name of its output.
    fn add(&mut self, operation: &str, inputs: &[&str], attributes: Vec<Attribute>) -> String {
        let output = format!("{INNER}{}-{}", self.nodes.len(), operation.to_lowercase());
        self.add_as(&output, operation, inputs, attributes);
        output
    }

    fn add_as(&mut self, output: &str, operation: &str, inputs: &[&str], attribute: Vec<Attribute>) {
        let domain = if operation == "OneHotEncoder" { ML } else { "" };
        self.nodes.push(OnnxNode {
            input: inputs.iter().map(|&name| name.to_owned()).collect(),
            output: vec![output.to_owned()],
            op_type: operation.to_owned(),
            attribute,
            domain: domain.to_owned(),
        });
    }

    /// Adds numbers, and gives their name.
    fn floats(&mut self, name: &str, shape: &[usize], values: &[f32]) -> String {
        let name = format!("{INNER}{name}");
        self.constants.push(OnnxTensor::floats(&name, shape, values));
        name
    }

    /// The same for numbers of 64 bits.
    fn doubles(&mut self, name: &str, shape: &[usize], values: &[f64]) -> String {
        let name = format!("{INNER}{name}");
        self.constants.push(OnnxTensor::doubles(&name, shape, values));
        name
    }

    /// The same for whole numbers. What was added before is used again.
    fn ints(&mut self, name: &str, values: &[usize]) -> String {
        let name = format!("{INNER}{name}");
        if self.constants.iter().all(|constant| constant.name != name) {
            self.constants.push(OnnxTensor::ints(&name, values));
        }
        name
    }

    /// The second dimension, for operations that take it away.
    fn second_axis(&mut self) -> String {
        self.ints("axis", &[1])
    }

    /// From the network's last value, N × 1, to score, probability and label.
    fn outputs(&mut self, classifier: &Classifier, last: &str) {
        let axis = self.second_axis();
        self.add_as(SCORE, "Squeeze", &[last, &axis], Vec::new());
        let map = classifier.probability;
        let slope = self.floats("probability.slope", &[], &[map.slope]);
        let offset = self.floats("probability.offset", &[], &[map.offset]);
        let steep = self.add("Mul", &[SCORE, &slope], Vec::new());
        let log_odds = self.add("Add", &[&steep, &offset], Vec::new());
        self.add_as(PROBABILITY, "Sigmoid", &[&log_odds], Vec::new());
        let threshold = self.floats("threshold", &[], &[classifier.threshold]);
        let above = self.add("Greater", &[SCORE, &threshold], Vec::new());
        self.add_as(LABEL, "Cast", &[&above], vec![Attribute::int("to", i64::from(INT64))]);
    }

    fn finish(self) -> proto::OnnxGraph {
        proto::OnnxGraph {
            node: self.nodes,
            name: "likelier".into(),
            initializer: self.constants,
            input: self.inputs,
            output: [(SCORE, FLOAT), (PROBABILITY, FLOAT), (LABEL, INT64)]
                .map(|(name, kind)| ValueInfo::rows(name, kind, None))
                .into(),
        }
    }
}
