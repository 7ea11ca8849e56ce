//! A second model held against the first, on the same comparisons and rows.

use std::fmt::Write as _;
use std::path::Path;

use likelier::data::Label;
use likelier::estimate::Interval;
use likelier::estimate::metrics::{CutScores, DifferenceRanges, MetricDifference, Range};
use likelier::{Comparisons, Equals, Error, Grounds, LEVEL};
use serde::Serialize;

use crate::terminal::{Result, wrapped};

/// The second model minus the first.
#[derive(Serialize)]
pub(crate) struct Compared<'a> {
    /// The second.
    #[serde(serialize_with = "crate::terminal::path_text")]
    model: &'a Path,
    threshold: f32,
    /// How labellers are taken to have ordered two items of one class; none without comparisons.
    equals: Option<Equals>,
    label_free: Option<MetricDifference>,
    /// Unless equals were ordered by a coin.
    ranges: Option<DifferenceRanges>,
    /// None also where a class has too few rows for an interval.
    labelled: Option<MetricDifference>,
}

impl<'a> Compared<'a> {
    /// Scores of the items by the second model and by the first.
    pub(crate) fn new(
        model: &'a Path,
        [second, first]: [CutScores<'_>; 2],
        judged_by: Option<(&Comparisons, &Grounds)>,
        labels: Option<&[Label]>,
    ) -> Result<Self> {
        let label_free = judged_by.map(|(comparisons, grounds)| {
            MetricDifference::by_comparisons(second, first, comparisons, grounds.assumptions(), LEVEL)
        });
        let ranges = judged_by.and_then(|(comparisons, grounds)| {
            let open = grounds.open()?;
            let assumptions = grounds.assumptions();
            Some(DifferenceRanges::by_comparisons([second, first], comparisons, assumptions, open, LEVEL))
        });
        let labelled = labels.map(|labels| MetricDifference::by_labels(second, first, labels, LEVEL));
        let labelled = match labelled {
            Some(Err(Error::TooFewComparisons { .. })) => None,
            found => found.transpose()?,
        };
        Ok(Self {
            model,
            threshold: second.threshold,
            equals: judged_by.map(|(_, grounds)| grounds.stated_equals()),
            label_free: label_free.transpose()?,
            ranges: ranges.transpose()?,
            labelled,
        })
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
        if let Some(ranges) = &self.ranges {
            let error = 100.0 * ranges.error_at_most;
            text.push_str(&wrapped(
                &format!(
                    "The figures without labels hold if labellers order two items of one class by a coin toss. If they \
                     may have ordered them by degree, and get at most {error:.0} % of mixed pairs wrong \
                     (--labeller-error-at-most), the differences are only known to lie from"
                ),
                "",
            ));
            for (name, range) in
                [("accuracy", &ranges.accuracy), ("balanced accuracy", &ranges.balanced_accuracy)]
            {
                let _ = writeln!(text, "{name:<22}{}", open(range));
            }
            text.push_str("How far the AUCs differ is then not known.\n");
        } else if self.equals.is_some() {
            text.push_str(
                "Two items of one class are taken to have been ordered by a coin toss (--equals coin).\n",
            );
        }
        text
    }
}

/// A difference that is only known to lie between two.
fn open(Range { low_end, high_end }: &Range) -> String {
    let [low, high, least, most] =
        [low_end.value, high_end.value, low_end.low, high_end.high].map(|of| of + 0.0);
    format!("{low:+.3} to {high:+.3} ({least:+.3} to {most:+.3} with sampling error)")
}

/// A difference with its range.
fn signed(Interval { value, low, high, .. }: &Interval) -> String {
    // There is no negative nothing.
    let [value, low, high] = [value, low, high].map(|of| of + 0.0);
    format!("{value:+.3} ({low:+.3} to {high:+.3})")
}
