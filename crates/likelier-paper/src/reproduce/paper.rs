//! The paper's printed numbers (Tables 2 and 3), and how ours compare with them.

use std::collections::HashMap;

use likelier::Method;
use likelier_cli::terminal::{Result, mistake};
use likelier_paper::benchmark::Benchmark;
use serde::Serialize;

const TABLES: &str = include_str!("../../experiments/paper.csv");

/// The paper repeats each trial this often.
const TRIALS: f64 = 5.0;

/// A mean accuracy with its standard deviation over trials.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct MeanAccuracy {
    pub(super) mean: f64,
    /// Absent for a single trial.
    pub(super) deviation: Option<f64>,
    pub(super) trials: usize,
}

/// The numbers of one table: by data set, prior as written, and method.
pub(super) struct PaperTable(HashMap<(Benchmark, String, Method), MeanAccuracy>);

impl PaperTable {
    /// The table of that name; none where an experiment has no table in the paper.
    pub(super) fn named(name: Option<&str>) -> Result<Self> {
        let rows = TABLES.lines().skip(1).filter(|line| line.split(',').next() == name);
        let read = |line: &str| {
            let fields: Vec<&str> = line.split(',').collect();
            let [_, dataset, prior, method, mean, deviation] = fields[..] else { return None };
            let key = (dataset.parse().ok()?, prior.to_owned(), method.parse().ok()?);
            let deviation = Some(deviation.parse().ok()?);
            Some((key, MeanAccuracy { mean: mean.parse().ok()?, deviation, trials: TRIALS as usize }))
        };
        let refuse =
            |line| mistake(format!("the paper's numbers: {line}"), "correct experiments/paper.csv");
        rows.map(|line| read(line).ok_or_else(|| refuse(line)))
            .collect::<Result<_>>()
            .map(Self)
    }

    pub(super) fn get(&self, dataset: Benchmark, prior: &str, method: Method) -> Option<MeanAccuracy> {
        self.0.get(&(dataset, prior.to_owned(), method)).copied()
    }

    /// The best printed mean of a cell, and whose it is.
    pub(super) fn best(&self, dataset: Benchmark, prior: &str) -> Option<(Method, MeanAccuracy)> {
        let of_cell = Method::ALL
            .iter()
            .filter_map(|method| Some((*method, self.get(dataset, prior, *method)?)));
        of_cell.max_by(|one, other| one.1.mean.total_cmp(&other.1.mean))
    }
}

/// How far one mean is above another, in standard errors of the difference.
///
/// A single trial has no deviation of its own; it is lent the other's. Printed numbers are rounded to a
/// thousandth, and nothing is known more exactly than that.
pub(super) fn standard_errors(ours: &MeanAccuracy, theirs: &MeanAccuracy) -> Option<f64> {
    const ROUNDING: f64 = 1e-3;
    let deviation = |one: &MeanAccuracy, other: &MeanAccuracy| one.deviation.or(other.deviation);
    let squared = |one: &MeanAccuracy, other: &MeanAccuracy| {
        Some(deviation(one, other)?.powi(2) / one.trials as f64 + ROUNDING * ROUNDING / 12.0)
    };
    Some((ours.mean - theirs.mean) / (squared(ours, theirs)? + squared(theirs, ours)?).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_tables_are_complete_and_their_best_is_found() {
        for (table, sets) in [("table2", 4), ("table3", 4)] {
            assert_eq!(PaperTable::named(Some(table)).unwrap().0.len(), sets * 3 * 7);
        }
        let paper = PaperTable::named(Some("table3")).unwrap();
        // RankPruning is above the number in bold (THEORY, section 8).
        let (method, best) = paper.best(Benchmark::Usps, "0.2").unwrap();
        assert_eq!((method, best.mean), (Method::RankPruning, 0.931));
        assert!(PaperTable::named(None).unwrap().0.is_empty());
    }

    #[test]
    fn a_difference_is_counted_in_its_standard_errors() {
        let mean = |mean, deviation, trials| MeanAccuracy { mean, deviation, trials };
        // Variances 0.0004/4 and 0.0005/5: their sum is 0.0002.
        let (ours, theirs) = (mean(0.9, Some(0.02), 4), mean(0.87, Some(0.0005_f64.sqrt()), 5));
        let z = standard_errors(&ours, &theirs).unwrap();
        assert!((z - 0.03 / 0.0002_f64.sqrt()).abs() < 1e-2, "{z}");
        // A single trial is lent the paper's deviation.
        let single = standard_errors(&mean(0.9, None, 1), &theirs).unwrap();
        assert!((single - 0.03 / 0.0006_f64.sqrt()).abs() < 1e-2, "{single}");
        assert_eq!(standard_errors(&mean(0.9, None, 1), &mean(0.9, None, 1)), None);
    }
}
