//! One trial of the paper's experiments: a split, comparisons, a test set, and the accuracy on it.
//!
//! The paper says little of its protocol; exact counts, the resampled test set and the mean over the last
//! ten epochs are those of descendants of the authors' code. What else its words allow is a [`Design`]
//! away.

use serde::{Deserialize, Serialize};

use crate::data::benchmark::Dataset;
use crate::data::generate::{Labeller, LoosePiles, Recipe, Sampling, comparisons, pointwise};
use crate::data::split::resample_to_prior;
use crate::data::{Comparisons, Label, Piles, Rows};
use crate::error::Error;
use crate::evaluate::Confusion;
use crate::model::Classifier;
use crate::prior::Prior;
use crate::protocol::Protocol;
use crate::random::{Purpose, stream};
use crate::risk::Method;
use crate::train::{Config, Data, train};

/// How rows become what is learned from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Drawing {
    /// Pairs with each combination of labels in its expected number, no row twice.
    #[default]
    ExactCounts,
    /// Pairs drawn independently, with replacement, as Theorem 1 describes.
    Independent,
    /// No pairs: labels flipped by the rates of Theorem 5, as the paper's words have it.
    Pointwise,
}

/// Who orders the pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Judge {
    /// Knows the classes; same-class pairs land in random order, as every method assumes.
    #[default]
    Class,
    /// Orders same-class pairs by the score of a model trained on the labels: breaks that assumption.
    Confidence,
}

/// What accuracy is measured on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TestSet {
    /// The test part, resampled to the prior.
    #[default]
    Resampled,
    /// The whole test part, whatever its share of positives.
    Whole,
}

/// What a trial draws.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Design {
    /// The share of positives in the population.
    pub prior: Prior,
    /// How pairs are collected.
    pub protocol: Protocol,
    /// How many comparisons; pointwise drawing makes twice as many rows.
    pub pairs: usize,
    /// How rows are drawn.
    pub drawing: Drawing,
    /// Who orders the pairs.
    pub judge: Judge,
    /// What accuracy is measured on.
    pub test: TestSet,
}

impl Design {
    /// The benchmark's: exact counts, a labeller who knows the classes, a test set with the same prior.
    pub fn new(prior: Prior, protocol: Protocol, pairs: usize) -> Self {
        Self {
            prior,
            protocol,
            pairs,
            drawing: Drawing::default(),
            judge: Judge::default(),
            test: TestSet::default(),
        }
    }
}

/// What one trial trains on and is judged by.
#[derive(Clone, Debug)]
pub struct Trial<'a> {
    dataset: &'a Dataset,
    drawn: Drawn,
    /// The rows that accuracy is measured on.
    pub test: Vec<u32>,
}

#[derive(Clone, Debug)]
enum Drawn {
    Pairs(Comparisons),
    Piles(LoosePiles),
}

impl<'a> Trial<'a> {
    /// Draws the trial of a seed: a fresh split where the data set is pooled, then what is learned from
    /// out of the training part.
    pub fn draw(dataset: &'a Dataset, design: &Design, seed: u64) -> Result<Self, Error> {
        let Design { prior, protocol, pairs, .. } = *design;
        let (rows, labels) = (&dataset.rows, &dataset.labels[..]);
        let split = dataset.split(&mut stream(seed, Purpose::Split));
        let confidence = match design.judge {
            Judge::Class => None,
            Judge::Confidence => Some(confidence(rows, labels, &split.train, seed)?),
        };
        let mut rng = stream(seed, Purpose::Comparisons);
        let sampling = match design.drawing {
            Drawing::ExactCounts => Some(Sampling::ExactCounts),
            Drawing::Independent => Some(Sampling::Independent),
            Drawing::Pointwise => None,
        };
        let drawn = if let Some(sampling) = sampling {
            let labeller = confidence.as_deref().map_or(Labeller::Class, Labeller::Confidence);
            let recipe = Recipe { prior, protocol, pairs, sampling, labeller };
            Drawn::Pairs(comparisons(labels, &split.train, &recipe, &mut rng)?.comparisons)
        } else {
            Drawn::Piles(pointwise(labels, &split.train, prior, protocol, 2 * pairs, &mut rng)?)
        };
        let test = match design.test {
            TestSet::Whole => split.test,
            TestSet::Resampled => {
                resample_to_prior(labels, &split.test, prior, &mut stream(seed, Purpose::Resample))?
            }
        };
        Ok(Self { dataset, drawn, test })
    }

    /// What is learned from; only the oracle looks at the labels.
    pub fn data(&self) -> Data<'_> {
        let piles = match &self.drawn {
            Drawn::Pairs(pairs) => pairs.piles(),
            Drawn::Piles(piles) => piles.piles(),
        };
        Data { rows: &self.dataset.rows, piles, labels: Some(&self.dataset.labels) }
    }

    /// The comparisons, between rows of the training part; none where loose piles were drawn.
    pub fn comparisons(&self) -> Option<&Comparisons> {
        match &self.drawn {
            Drawn::Pairs(pairs) => Some(pairs),
            Drawn::Piles(_) => None,
        }
    }

    /// Trains, and returns the test accuracy after each of the last `epochs` epochs. A trial's result is
    /// their mean over ten.
    pub fn last_accuracies(&self, config: &Config, epochs: usize) -> Result<Vec<f64>, Error> {
        let mut accuracies = Vec::with_capacity(epochs);
        train(&self.data(), config, |summary, progress| {
            if summary.epoch + epochs > config.epochs {
                accuracies.push(self.accuracy(&progress.classifier()?)?);
            }
            Ok(())
        })?;
        Ok(accuracies)
    }

    /// A classifier's accuracy on the test rows.
    pub fn accuracy(&self, classifier: &Classifier) -> Result<f64, Error> {
        let predicted = classifier.predict(&self.dataset.rows, &self.test)?;
        let truth = self.test.iter().map(|row| self.dataset.labels[*row as usize]);
        Ok(Confusion::of(&predicted, truth)?.accuracy())
    }
}

/// A score of every row, from a linear model trained on the true labels of the rows `pool`: what a
/// [`Judge::Confidence`] orders by.
pub fn confidence(rows: &Rows, labels: &[Label], pool: &[u32], seed: u64) -> Result<Vec<f32>, Error> {
    let (positive, negative): (Vec<u32>, Vec<u32>) =
        pool.iter().partition(|row| labels[**row as usize].is_positive());
    // With the true classes for piles, Binary-Biased is supervised training on balanced classes.
    let config = Config {
        epochs: 20,
        seed,
        ..Config::new(Method::BinaryBiased, Prior::new(0.5)?, Protocol::DISCARD)
    };
    let data = Data { rows, piles: Piles::loose(&positive, &negative), labels: None };
    let classifier = train(&data, &config, |_, _| Ok(()))?;
    let all: Vec<u32> = (0..rows.len() as u32).collect();
    classifier.scores(rows, &all)
}
