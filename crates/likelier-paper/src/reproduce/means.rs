//! The mean over the trials of each cell.

use std::collections::BTreeMap;

use likelier::Method;
use likelier::evaluate::mean_and_deviation;
use likelier_paper::benchmark::Benchmark;

use super::paper::MeanAccuracy;
use super::raw::{TrialKey, TrialResult};

/// A method in a variant, on a data set at a prior.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CellKey {
    pub(super) dataset: Benchmark,
    /// As written.
    pub(super) prior: String,
    pub(super) method: Method,
    pub(super) variant: String,
}

/// What the trials of a cell gave.
#[derive(Clone, Copy)]
pub(super) struct CellMean {
    pub(super) accuracy: MeanAccuracy,
    /// The mean seconds of a trial.
    pub(super) seconds: f64,
}

/// The means of all cells.
pub(super) struct CellMeans(BTreeMap<CellKey, CellMean>);

impl CellMeans {
    pub(super) fn of(rows: &BTreeMap<TrialKey, TrialResult>) -> Self {
        let mut all: BTreeMap<CellKey, Vec<&TrialResult>> = BTreeMap::new();
        for (TrialKey { dataset, prior, method, variant, .. }, result) in rows {
            let (prior, variant) = (prior.clone(), variant.clone());
            let cell = CellKey { dataset: *dataset, prior, method: *method, variant };
            all.entry(cell).or_default().push(result);
        }
        Self(all.into_iter().map(|(cell, results)| (cell, CellMean::of(&results))).collect())
    }

    pub(super) fn get(&self, cell: &CellKey) -> Option<CellMean> {
        self.0.get(cell).copied()
    }

    /// The data sets that there are, in the order of the paper.
    pub(super) fn datasets(&self) -> Vec<Benchmark> {
        let mut datasets: Vec<Benchmark> = self.0.keys().map(|cell| cell.dataset).collect();
        datasets.dedup();
        datasets
    }

    /// The priors that there are, the smallest first.
    pub(super) fn priors(&self) -> Vec<String> {
        let mut priors: Vec<String> = self.0.keys().map(|cell| cell.prior.clone()).collect();
        priors.sort();
        priors.dedup();
        priors
    }
}

impl CellMean {
    fn of(results: &[&TrialResult]) -> Self {
        let accuracies: Vec<f64> = results.iter().map(|result| result.accuracy).collect();
        let (mean, deviation) = mean_and_deviation(&accuracies);
        let trials = accuracies.len();
        let seconds = results.iter().map(|result| result.seconds).sum::<f64>() / trials as f64;
        let deviation = (trials > 1).then_some(deviation);
        Self { accuracy: MeanAccuracy { mean, deviation, trials }, seconds }
    }
}
