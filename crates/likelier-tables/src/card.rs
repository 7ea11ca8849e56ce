//! `dataset.json`: how comparisons came to be. It is written beside generated comparisons, and what it says is
//! the default wherever they are read.

use std::path::Path;
use std::{fs, io};

use likelier::Equals;
use likelier::generate::{Labeller, Sampling};
use serde::{Deserialize, Serialize};

use crate::error::TableError;
use crate::problem::FormatProblem;

/// How the comparisons beside it came to be. Whatever is not known is absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DatasetCard {
    /// The name of the protocol.
    pub protocol: Option<String>,
    /// How often the labeller gets a mixed pair wrong.
    pub labeller_error: Option<f64>,
    /// How labellers ordered two items of one class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub equals: Option<Equals>,
    /// How many pairs people were shown.
    pub pairs_shown: Option<usize>,
    /// How many of them were kept.
    pub pairs_kept: Option<usize>,
    /// The share of positives in the population.
    pub prior: Option<f64>,
    /// What decided everything random.
    pub seed: Option<u64>,
    /// Where generated comparisons came from.
    pub source: Option<CardSource>,
}

/// Where generated comparisons came from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CardSource {
    /// The data set, or the file with what was said about it.
    #[serde(flatten)]
    pub origin: serde_json::Map<String, serde_json::Value>,
    /// How rows were drawn.
    pub sampling: Option<Sampling>,
    /// Who ordered two items of one class.
    pub labeller: Option<Labeller>,
    /// What a result on these data must say.
    pub note: Option<String>,
}

impl DatasetCard {
    /// The card beside a file of comparisons; an empty one if there is none.
    pub fn beside(comparisons: &Path) -> Result<Self, TableError> {
        let path = comparisons.with_file_name("dataset.json");
        match fs::read(&path) {
            Ok(text) => serde_json::from_slice(&text)
                .map_err(|problem| TableError::format(&path, FormatProblem::Card(problem.to_string()))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(TableError::file(&path, error)),
        }
    }

    /// How labellers ordered two items of one class, as far as the card says.
    pub fn equals(&self) -> Option<Equals> {
        self.equals.or_else(|| match self.source.as_ref()?.labeller? {
            Labeller::Class => Some(Equals::Coin),
            Labeller::Confidence => Some(Equals::Degree),
        })
    }

    /// Whether class counts were fixed, so that intervals for independent pairs are too wide.
    pub fn has_exact_counts(&self) -> bool {
        self.source
            .as_ref()
            .is_some_and(|source| source.sampling == Some(Sampling::ExactCounts))
    }
}
