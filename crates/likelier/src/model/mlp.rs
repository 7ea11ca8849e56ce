//! The multi-layer perceptron of the paper's Table 2: three hidden layers of 300 units, batch
//! normalisation, ReLU.

use serde::{Deserialize, Serialize};

use crate::nn::Builder;

/// Fully connected layers with ReLU between them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mlp {
    /// Units of each hidden layer.
    pub hidden: Vec<usize>,
    /// Where batch normalisation stands.
    pub norm: MlpNorm,
}

/// Where batch normalisation stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MlpNorm {
    /// Between each hidden layer and its ReLU.
    #[default]
    EachLayer,
    /// On the features only.
    Input,
    /// Nowhere.
    None,
}

impl Mlp {
    /// The paper's.
    pub fn of_the_paper() -> Self {
        Self { hidden: vec![300; 3], norm: MlpNorm::EachLayer }
    }

    /// How many parameters the network has, or the largest number there is.
    pub(super) fn parameters(&self, width: usize) -> usize {
        let dense = |inputs: usize, outputs: usize| inputs.saturating_add(1).saturating_mul(outputs);
        let norm = |channels: usize| channels.saturating_mul(2);
        let mut total = if self.norm == MlpNorm::Input { norm(width) } else { 0 };
        let mut inputs = width;
        for &units in &self.hidden {
            total = total.saturating_add(dense(inputs, units));
            if self.norm == MlpNorm::EachLayer {
                total = total.saturating_add(norm(units));
            }
            inputs = units;
        }
        total.saturating_add(dense(inputs, 1))
    }

    pub(super) fn builder(&self, width: usize) -> Builder {
        let (mut builder, mut node) = Builder::for_vectors(width);
        if self.norm == MlpNorm::Input {
            node = builder.norm(node, None, false);
        }
        for &units in &self.hidden {
            node = builder.dense(node, units);
            node = match self.norm {
                MlpNorm::EachLayer => builder.norm(node, None, true),
                MlpNorm::Input | MlpNorm::None => builder.relu(node),
            };
        }
        builder.dense(node, 1);
        builder
    }
}
