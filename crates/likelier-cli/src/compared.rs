//! A second model held against the first, on the same comparisons and rows.

use std::fmt::Write as _;
use std::path::Path;

use likelier::data::Label;
use likelier::estimate::Interval;
use likelier::estimate::metrics::{Assumptions, CutScores, MetricDifference};
use likelier::{Comparisons, Error, LEVEL};
use serde::Serialize;

use crate::terminal::Result;

/// The second model minus the first.
#[derive(Serialize)]
pub(crate) struct Compared<'a> {
    /// The second.
    model: &'a Path,
    threshold: f32,
    label_free: Option<MetricDifference>,
    /// None also where a class has too few rows for an interval.
    labelled: Option<MetricDifference>,
}

impl<'a> Compared<'a> {
    /// Scores of the items by the second model and by the first.
    pub(crate) fn new(
        model: &'a Path,
        [second, first]: [CutScores<'_>; 2],
        judged_by: Option<(&Comparisons, &Assumptions)>,
        labels: Option<&[Label]>,
    ) -> Result<Self> {
        let label_free = judged_by.map(|(comparisons, assumptions)| {
            MetricDifference::by_comparisons(second, first, comparisons, assumptions, LEVEL)
        });
        let labelled = labels.map(|labels| MetricDifference::by_labels(second, first, labels, LEVEL));
        let labelled = match labelled {
            Some(Err(Error::TooFewComparisons { .. })) => None,
            found => found.transpose()?,
        };
        Ok(Self { model, threshold: second.threshold, label_free: label_free.transpose()?, labelled })
    }

    /// For people: a table like that of the first model.
    pub(crate) fn text(&self, first: &Path, columns: [bool; 2]) -> String {
        let mut text = format!(
            "\n{} minus {}, on the same {}\n{:<22}",
            self.model.display(),
            first.display(),
            if columns[0] { "comparisons (valid if neither model was trained on them)" } else { "rows" },
            "95 % intervals"
        );
        let both =
            [(columns[0], "without labels", &self.label_free), (columns[1], "with labels", &self.labelled)];
        let shown = || both.iter().filter(|(there, ..)| *there);
        for (_, heading, _) in shown() {
            let _ = write!(text, "{heading:<28}");
        }
        for (at, name) in ["accuracy", "balanced accuracy", "AUC"].into_iter().enumerate() {
            text.truncate(text.trim_end().len());
            let _ = write!(text, "\n{name:<22}");
            for (_, _, found) in shown() {
                let cell = found.as_ref().map_or("too few rows of a class".into(), |found| {
                    signed(&[found.accuracy, found.balanced_accuracy, found.auc][at])
                });
                let _ = write!(text, "{cell:<28}");
            }
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
        text
    }
}

/// A difference with its range.
fn signed(Interval { value, low, high, .. }: &Interval) -> String {
    // There is no negative nothing.
    let [value, low, high] = [value, low, high].map(|of| of + 0.0);
    format!("{value:+.3} ({low:+.3} to {high:+.3})")
}
