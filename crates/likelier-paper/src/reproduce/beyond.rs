//! Methods that the paper does not have, against the best number that it prints for each cell.

use likelier::Method;
use likelier::evaluate::mean_and_deviation;
use likelier_paper::benchmark::Benchmark;
use serde::Serialize;

use super::paper::MeanAccuracy;
use super::summary::{BesidePaper, Story};

/// A method is called better or worse than the paper's best from this many standard errors on.
pub(super) const CLEAR: f64 = 2.0;

/// One cell.
#[derive(Serialize)]
pub(super) struct Beyond {
    pub(super) dataset: &'static str,
    pub(super) prior: String,
    /// The paper's best method and its printed mean.
    pub(super) papers: Option<(Method, MeanAccuracy)>,
    /// The best of our run of the paper's methods, over all variants.
    pub(super) run: Option<(String, MeanAccuracy)>,
    /// The others, by name.
    pub(super) others: Vec<(String, BesidePaper)>,
    /// That with all labels.
    #[serde(skip)]
    oracle: Option<BesidePaper>,
}

impl Beyond {
    fn of(&self, name: &str) -> Option<&BesidePaper> {
        self.others.iter().find(|(other, _)| other == name).map(|(_, beside)| beside)
    }

    /// How far the oracle is above the paper's best, where that is clear.
    fn distance(&self) -> Option<f64> {
        let oracle = self.oracle.as_ref().filter(|oracle| oracle.standard_errors > Some(CLEAR))?;
        Some(oracle.ours.mean - oracle.paper?.mean)
    }
}

/// How a method does over all cells that it was run in.
#[derive(Serialize)]
pub(super) struct MethodStanding {
    pub(super) name: String,
    pub(super) cells: usize,
    /// Clearly above the paper's best.
    pub(super) above: usize,
    /// Clearly below it.
    pub(super) below: usize,
    /// How much of the way from the paper's best to the oracle it goes on average, where that way is clear.
    pub(super) closed: Option<f64>,
    /// In how many cells it is.
    pub(super) of_cells: usize,
}

impl MethodStanding {
    pub(super) fn of_all(cells: &[Beyond]) -> Vec<Self> {
        let mut names: Vec<&str> = Vec::new();
        for (name, _) in cells.iter().flat_map(|cell| &cell.others) {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        names.into_iter().map(|name| Self::of(name, cells)).collect()
    }

    fn of(name: &str, cells: &[Beyond]) -> Self {
        let here: Vec<(&Beyond, &BesidePaper)> =
            cells.iter().filter_map(|cell| Some((cell, cell.of(name)?))).collect();
        let count = |test: fn(f64) -> bool| {
            here.iter()
                .filter(|(_, beside)| beside.standard_errors.is_some_and(test))
                .count()
        };
        let closed: Vec<f64> = here
            .iter()
            .filter_map(|(cell, beside)| Some((beside.ours.mean - beside.paper?.mean) / cell.distance()?))
            .collect();
        Self {
            name: name.to_owned(),
            cells: here.len(),
            above: count(|apart| apart > CLEAR),
            below: count(|apart| apart < -CLEAR),
            closed: (!closed.is_empty()).then(|| mean_and_deviation(&closed).0),
            of_cells: closed.len(),
        }
    }
}

impl Story<'_> {
    /// The cells in which a method beyond the paper was run.
    pub(super) fn beyond(&self) -> Vec<Beyond> {
        if self.experiment.sweep.is_some() {
            return Vec::new();
        }
        let cells = self
            .datasets
            .iter()
            .flat_map(|dataset| self.priors.iter().map(|prior| self.beyond_in(*dataset, prior)));
        cells.filter(|cell| !cell.others.is_empty()).collect()
    }

    fn beyond_in(&self, dataset: Benchmark, prior: &str) -> Beyond {
        let mut run: Option<(String, MeanAccuracy)> = None;
        let (mut others, mut oracle) = (Vec::new(), None);
        for variant in &self.experiment.variants {
            for method in Method::ALL {
                let Some(cell) = self.beside(dataset, prior, method, &variant.name) else { continue };
                let name = format!("{method} ({})", variant.name);
                if method.is_from_the_paper() {
                    let is_best = run.as_ref().is_none_or(|(_, best)| cell.ours.mean >= best.mean);
                    run = if is_best { Some((name, cell.ours)) } else { run };
                    continue;
                }
                if method == Method::Supervised && oracle.is_none() {
                    oracle = Some(cell.clone());
                }
                others.push((name, cell));
            }
        }
        Beyond {
            dataset: dataset.short_name(),
            prior: prior.to_owned(),
            papers: self.paper.best(dataset, prior),
            run,
            others,
            oracle,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beside(mean: f64, standard_errors: f64) -> BesidePaper {
        let accuracy = |mean| MeanAccuracy { mean, deviation: Some(0.01), trials: 5 };
        BesidePaper {
            ours: accuracy(mean),
            paper: Some(accuracy(0.8)),
            against_best: true,
            standard_errors: Some(standard_errors),
            best: false,
            seconds: 1.0,
        }
    }

    fn cell(ours: BesidePaper, oracle: Option<BesidePaper>) -> Beyond {
        Beyond {
            dataset: "usps",
            prior: "0.5".into(),
            papers: None,
            run: None,
            others: vec![("mine".into(), ours)],
            oracle,
        }
    }

    #[test]
    fn a_method_stands_by_its_clear_cells_and_by_the_way_to_the_oracle_where_that_is_clear() {
        let cells = [
            cell(beside(0.85, 2.1), Some(beside(0.9, 4.0))),
            cell(beside(0.79, -2.1), Some(beside(0.9, 4.0))),
            // The oracle is not clearly above: there is no way to go.
            cell(beside(0.81, 1.9), Some(beside(0.82, 1.9))),
            cell(beside(0.81, 0.5), None),
        ];
        let [MethodStanding { cells, above, below, closed, of_cells, .. }] =
            &MethodStanding::of_all(&cells)[..]
        else {
            panic!("one method, one standing")
        };
        assert_eq!((*cells, *above, *below, *of_cells), (4, 1, 1, 2));
        // (0.5 - 0.1) / 2
        assert!((closed.unwrap() - 0.2).abs() < 1e-9, "{closed:?}");
    }
}
