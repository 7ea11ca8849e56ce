//! One trial of the paper's experiments: a split, comparisons, a test set, and the accuracy on it.
//!
//! The paper says little of its protocol; exact counts, the resampled test set and the mean over the last
//! ten epochs are those of descendants of the authors' code.

use crate::data::Comparisons;
use crate::data::benchmark::Dataset;
use crate::data::generate::{Labeller, Recipe, Sampling, comparisons};
use crate::data::split::resample_to_prior;
use crate::error::Error;
use crate::evaluate::Confusion;
use crate::model::Classifier;
use crate::prior::Prior;
use crate::protocol::Protocol;
use crate::random::{Purpose, stream};
use crate::train::{Config, Data, train};

/// What one trial trains on and is judged by.
#[derive(Clone, Debug)]
pub struct Trial<'a> {
    dataset: &'a Dataset,
    /// The comparisons, between rows of the training part.
    pub comparisons: Comparisons,
    /// The rows of the test part, resampled to the prior.
    pub test: Vec<u32>,
}

impl<'a> Trial<'a> {
    /// The benchmark's protocol: a fresh split where the data set is pooled, exact counts without using
    /// a row twice, a test set with the same prior.
    pub fn draw(
        dataset: &'a Dataset,
        prior: Prior,
        protocol: Protocol,
        pairs: usize,
        seed: u64,
    ) -> Result<Self, Error> {
        let split = dataset.split(&mut stream(seed, Purpose::Split));
        let recipe =
            Recipe { prior, protocol, pairs, sampling: Sampling::ExactCounts, labeller: Labeller::Class };
        let mut rng = stream(seed, Purpose::Comparisons);
        let drawn = comparisons(&dataset.labels, &split.train, &recipe, &mut rng)?;
        let mut rng = stream(seed, Purpose::Resample);
        let test = resample_to_prior(&dataset.labels, &split.test, prior, &mut rng)?;
        Ok(Self { dataset, comparisons: drawn.comparisons, test })
    }

    /// Trains, and returns the test accuracy after each of the last `epochs` epochs. A trial's result is
    /// their mean over ten.
    pub fn last_accuracies(&self, config: &Config, epochs: usize) -> Result<Vec<f64>, Error> {
        let mut accuracies = Vec::with_capacity(epochs);
        let labels = Some(&self.dataset.labels[..]);
        let data = Data { rows: &self.dataset.rows, piles: self.comparisons.piles(), labels };
        train(&data, config, |summary, progress| {
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
