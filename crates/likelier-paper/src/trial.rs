//! One trial of the paper's experiments: a split, comparisons, a test set, and the accuracy on it.
//!
//! The paper says little of its protocol; exact counts, the resampled test set and the mean over the last
//! ten epochs are those of descendants of the authors' code. What else its words allow is a [`Design`]
//! away.

use likelier::data::Comparisons;
use likelier::evaluate::Confusion;
use likelier::generate::{Labeller, Recipe, Sampling, draw};
use likelier::random::{Purpose, stream};
use likelier::train::{Config, Control, Data, train_with};
use likelier::{Classifier, Error, Evidence, Prior, Protocol, resample_to_prior};
use serde::{Deserialize, Serialize};

use crate::benchmark::Dataset;

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
    /// How many comparisons; pointwise sampling makes twice as many rows.
    pub pairs: usize,
    /// How rows are drawn.
    pub sampling: Sampling,
    /// Who orders the pairs.
    pub labeller: Labeller,
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
            sampling: Sampling::default(),
            labeller: Labeller::default(),
            test: TestSet::default(),
        }
    }
}

/// What one trial trains on and is judged by.
#[derive(Clone, Debug)]
pub struct DrawnTrial<'a> {
    dataset: &'a Dataset,
    evidence: Evidence,
    /// What the answers are as comparisons; nothing for piles.
    comparisons: Comparisons,
    /// The rows that accuracy is measured on.
    pub test: Vec<u32>,
}

impl<'a> DrawnTrial<'a> {
    /// Draws the trial of a seed: a fresh split where the data set is pooled, then what is learned from
    /// out of the training part.
    pub fn draw(dataset: &'a Dataset, design: &Design, seed: u64) -> Result<Self, Error> {
        let Design { prior, protocol, pairs, sampling, labeller, test } = *design;
        let labels = &dataset.labels[..];
        let split = dataset.split(&mut stream(seed, Purpose::Split));
        let degrees = labeller.degrees(&dataset.rows, labels, &split.train, seed)?;
        let recipe = Recipe { prior, protocol, pairs, sampling, degrees: degrees.as_deref() };
        let mut rng = stream(seed, Purpose::Comparisons);
        let evidence = draw(labels, &split.train, &recipe, &mut rng)?.evidence;
        let test = match test {
            TestSet::Whole => split.test,
            TestSet::Resampled => {
                resample_to_prior(labels, &split.test, prior, &mut stream(seed, Purpose::Resample))?
            }
        };
        let comparisons = match &evidence {
            Evidence::Answers(answers) => answers.comparisons(),
            Evidence::Piles(_) => Comparisons::from_iter([]),
        };
        Ok(Self { dataset, evidence, comparisons, test })
    }

    /// What is learned from; only the oracle looks at the labels.
    pub fn data(&self) -> Data<'_> {
        let piles = match &self.evidence {
            Evidence::Answers(_) => self.comparisons.piles(),
            Evidence::Piles(piles) => piles.piles(),
        };
        Data { rows: &self.dataset.rows, piles, labels: Some(&self.dataset.labels) }
    }

    /// What was drawn, between rows of the training part.
    pub fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    /// The comparisons; none where loose piles were drawn.
    pub fn comparisons(&self) -> Option<&Comparisons> {
        matches!(self.evidence, Evidence::Answers(_)).then_some(&self.comparisons)
    }

    /// Trains, and returns the test accuracy after each of the last `epochs` epochs. A trial's result is
    /// their mean over ten.
    pub fn last_accuracies(&self, config: &Config, epochs: usize) -> Result<Vec<f64>, Error> {
        let mut accuracies = Vec::with_capacity(epochs);
        train_with(&self.data(), config, &Control::default(), |summary, progress| {
            if summary.epoch + epochs > config.epochs {
                accuracies.push(self.accuracy(&progress.classifier()?)?);
            }
            Ok(())
        })?;
        Ok(accuracies)
    }

    /// A classifier's accuracy on the test rows.
    pub fn accuracy(&self, classifier: &Classifier) -> Result<f64, Error> {
        let predicted = classifier.predict_of(&self.dataset.rows, &self.test)?;
        let truth = self.test.iter().map(|row| self.dataset.labels[*row as usize]);
        Ok(Confusion::of(&predicted, truth)?.accuracy())
    }
}
