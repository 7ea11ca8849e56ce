//! How good the classifier is, as far as comparisons tell.

use likelier::estimate::metrics::Metric;

use super::super::gather::spread;
use super::super::record::{Record, estimate};
use crate::document::{Block, Section, Table};
use crate::plan::name;
use crate::plot::{Axis, Plot, Rule, Series};
use crate::terminal::range;

/// The answer in one or two sentences.
pub(super) fn verdict(record: &Record<'_>) -> String {
    let trained = record.trained;
    let prior = trained.prior.positive();
    let (usual, always) = if prior > 0.5 { (prior, "positive") } else { (1.0 - prior, "negative") };
    let Some(metrics) = &trained.label_free else {
        return "A classifier was trained, but its quality was not measured, because no comparisons could be used to \
                judge it."
            .into();
    };
    let accuracy = &metrics.accuracy;
    let found = format!(
        "Judged by {} held-out comparisons, it is right in {:.1} % of cases ({:.1} to {:.1} % with {:.0} % confidence).",
        trained.held_out_comparisons,
        100.0 * accuracy.value.clamp(0.0, 1.0),
        100.0 * accuracy.low.clamp(0.0, 1.0),
        100.0 * accuracy.high.clamp(0.0, 1.0),
        100.0 * accuracy.level
    );
    let compared = if accuracy.low > usual {
        format!("Always answering “{always}” would be right in {:.1} %.", 100.0 * usual)
    } else if accuracy.high < usual {
        format!("That is WORSE than always answering “{always}”, which is right in {:.1} %.", 100.0 * usual)
    } else {
        format!(
            "That cannot be distinguished from always answering “{always}”, which is right in {:.1} %.",
            100.0 * usual
        )
    };
    format!("{found} {compared}")
}

fn meaning(metric: Metric) -> &'static str {
    match metric {
        Metric::Accuracy => "of all items, the share called correctly",
        Metric::BalancedAccuracy => "the same, with both classes counting equally",
        Metric::TruePositiveRate => "of the positives, the share found (recall)",
        Metric::FalsePositiveRate => "of the negatives, the share called positive",
        Metric::Precision => "of those called positive, the share that really is",
        Metric::F1 => "precision and recall in one number",
        Metric::CalledPositive => "of all items, the share called positive",
    }
}

pub(super) fn section(record: &Record<'_>) -> Section {
    let mut blocks = Vec::new();
    let lead = match &record.trained.label_free {
        None => "Nothing is known about it: no comparisons were held out, or too few.".to_owned(),
        Some(metrics) => {
            let mut table = Table::new(["quality", "estimate (95 % interval)", "meaning"]);
            let mut forest = Plot::new(
                "How good it is, without labels",
                Axis::new("share").within(0.0, 1.0),
                "",
                "Each dot is an estimate; its bar holds the truth in 95 of 100 such cases. Further right is better, except \
                 for the false positive rate. Bars that reach the border continue beyond it.",
            );
            let all = Metric::ALL
                .into_iter()
                .map(|metric| (name(metric), metrics.of(metric), meaning(metric)));
            let area = (
                "AUC",
                Some(metrics.auc),
                "of a positive and a negative, how often the positive scores higher",
            );
            for (name, interval, meaning) in all.chain([area]) {
                let shown = interval.as_ref().map_or_else(|| "not known".into(), estimate);
                table.row([name.to_owned(), shown, meaning.to_owned()]);
                if let Some(interval) = interval {
                    forest = forest.interval(name, interval.value, interval.low, interval.high);
                }
            }
            blocks.push(Block::Figure(forest, Table::default()));
            blocks.push(roc(record));
            blocks.push(Block::Table(table));
            let mut remarks = String::new();
            if metrics.items_repeat {
                remarks.push_str("Some items occur in several comparisons; the intervals allow for that. ");
            }
            if record.trained.prior_interval.is_some() {
                remarks.push_str("The intervals allow for the share of positives being estimated. ");
            } else {
                remarks.push_str("The intervals assume that the share of positives is exactly right. ");
            }
            remarks
                .push_str("All of this depends on the protocol; see below whether the data agree with it.");
            blocks.push(Block::Text(remarks));
            "These numbers need no labels: they follow from how often the classifier calls each side of the held-out \
             comparisons positive, from the share of positives, and from how pairs were collected."
                .into()
        }
    };
    Section { id: "quality", title: "How good it is", lead, blocks }
}

fn roc(record: &Record<'_>) -> Block {
    let points: Vec<(f64, f64)> =
        record.roc.iter().map(|point| (point.monotone[0], point.monotone[1])).collect();
    let plot = Plot::new(
        "What other thresholds would give (ROC curve)",
        Axis::new("false positive rate (share of negatives)").within(0.0, 1.0),
        Axis::new("true positive rate (share of positives)").within(0.0, 1.0),
        "Each point of the curve is a threshold: further up, more positives are found; further right, more negatives \
         are called positive. The nearer the curve comes to the upper left corner, the better; the straight line is \
         guessing.",
    );
    let mut plot = plot.rule(Rule::Diagonal, "guessing").line(Series::new("thresholds", points));
    if let Some(metrics) = &record.trained.label_free {
        let here = (metrics.false_positive_rate, metrics.true_positive_rate);
        let point = (here.0.value.clamp(0.0, 1.0), here.1.value.clamp(0.0, 1.0));
        let chosen = Series::new("the threshold in use", vec![point]);
        plot = plot.line(chosen.with_errors(vec![(here.1.low, here.1.high)]).unjoined());
    }
    let mut table =
        Table::new(["positive from this score on", "true positive rate", "false positive rate"]);
    for at in spread(record.roc.len(), 11) {
        let point = &record.roc[at];
        table.row([
            point.lowest_positive.map_or("none".into(), |score| format!("{score:.3}")),
            format!("{:.3} ({})", point.monotone[1], range(&point.true_positive_rate)),
            format!("{:.3} ({})", point.monotone[0], range(&point.false_positive_rate)),
        ]);
    }
    Block::Figure(plot, table)
}
