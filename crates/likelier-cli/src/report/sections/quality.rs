//! How good the classifier is, as far as comparisons tell.

use std::fmt::Write as _;

use likelier::JudgedBy;
use likelier::estimate::metrics::{Metric, Range};

use super::super::gather::spread;
use super::super::record::Record;
use crate::document::{Block, Section, Table};
use crate::judged::{Told, explanation, shown, wished};
use crate::plot::{Axis, Plot, Rule, Series};
use crate::terminal::range;

/// The answer in one or two sentences.
pub(super) fn verdict(record: &Record<'_>) -> String {
    let trained = record.trained;
    let prior = trained.prior.positive();
    let (usual, always) = if prior > 0.5 { (prior, "positive") } else { (1.0 - prior, "negative") };
    let (Some(judged), Some(by)) = (trained.label_free, trained.judged_by) else {
        return "A classifier was trained, but its quality was not measured, because no comparisons could be used to \
                judge it."
            .into();
    };
    let percent = |share: f64| format!("{:.1}", 100.0 * share.clamp(0.0, 1.0));
    let accuracy = &judged.metrics.accuracy;
    let (found, [low, high]) = match &judged.ranges {
        None => (
            format!(
                "On new items it is right in {} % of cases ({} to {} % with {:.0} % confidence).",
                percent(accuracy.value),
                percent(accuracy.low),
                percent(accuracy.high),
                100.0 * accuracy.level
            ),
            [accuracy.low, accuracy.high],
        ),
        Some(ranges) => {
            let Range { low_end, high_end } = ranges.accuracy;
            (
                format!(
                    "On new items it is right in at least {} % of cases ({} % with sampling error), and in at most {} % \
                     ({} %). Where in between depends on how labellers order two items of one class.",
                    percent(low_end.value),
                    percent(low_end.low),
                    percent(high_end.value),
                    percent(high_end.high)
                ),
                [low_end.low, high_end.high],
            )
        }
    };
    let compared = if low > usual {
        format!("Always answering “{always}” would be right in {} %.", percent(usual))
    } else if high < usual {
        format!("That is WORSE than always answering “{always}”, which is right in {} %.", percent(usual))
    } else {
        format!(
            "That cannot be distinguished from always answering “{always}”, which is right in {} %.",
            percent(usual)
        )
    };
    // What is compared with depends on the share of positives as well.
    let compared = match trained.prior_interval {
        Some(_) => {
            format!("{compared} Both depend on the share of positives, which is itself an estimate.")
        }
        None => compared,
    };
    let mut found = format!("{found} {compared} This is known without labels: {}.", who(by, judged.items));
    if let Some(audit) = trained.audit {
        let _ = write!(
            found,
            " By {} random labels it is right in {} % ({} to {} %), and {}.",
            audit.labels,
            percent(audit.accuracy.value),
            percent(audit.accuracy.low),
            percent(audit.accuracy.high),
            match audit.combined {
                Some([low, high]) => format!("both together allow {} to {} %", percent(low), percent(high)),
                None => "that contradicts the comparisons".into(),
            }
        );
    }
    if let Some(these) = trained.these_items {
        let accuracy = shown(Told::At(Metric::Accuracy), these);
        let _ =
            write!(found, " On the items at hand, which it was trained on, its accuracy is {accuracy}.");
    }
    found
}

/// Who scored the items that it is judged by.
fn who(by: JudgedBy, items: usize) -> String {
    match by {
        JudgedBy::Folds(folds) => {
            format!(
                "{folds} models each left out a part of the {items} items, and were judged by that part"
            )
        }
        JudgedBy::HeldOut | JudgedBy::Given => {
            format!("it was judged by {items} items that it was not trained on")
        }
    }
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

fn meaning_of(told: Told) -> &'static str {
    match told {
        Told::At(metric) => meaning(metric),
        Told::Auc => "of a positive and a negative, how often the positive scores higher",
    }
}

pub(super) fn section(record: &Record<'_>) -> Section {
    let mut blocks = Vec::new();
    let lead = match record.trained.label_free {
        None => "Nothing is known about it: no comparisons were held out, or too few.".to_owned(),
        Some(judged) => {
            let heading = if judged.ranges.is_some() { "range" } else { "estimate (95 % interval)" };
            let mut table = Table::new(["quality on new items", heading, "meaning"]);
            let mut forest = Plot::new(
                "How good it is on new items, without labels",
                Axis::new("share").within(0.0, 1.0),
                "",
                if judged.ranges.is_some() {
                    "Each bar reaches from one end of a range to the other, and its whiskers as far as sampling error \
                     may take them. Further right is better, except for the false positive rate."
                } else {
                    "Each dot is an estimate; its bar holds the truth in 95 of 100 such cases. Further right is better, \
                     except for the false positive rate. Bars that reach the border continue beyond it."
                },
            );
            for told in Told::all() {
                table.row([told.name().to_owned(), shown(told, judged), meaning_of(told).to_owned()]);
                forest = match (&judged.ranges, told.point(judged)) {
                    (Some(ranges), _) => {
                        let Range { low_end, high_end } = told.range(ranges);
                        let cut = |ends: [f64; 2]| ends.map(|end| end.clamp(0.0, 1.0));
                        let ends = cut([low_end.value, high_end.value]);
                        forest.range(told.name(), ends, cut([low_end.low, high_end.high]))
                    }
                    (None, Some(point)) => forest.interval(told.name(), point.value, point.low, point.high),
                    (None, None) => forest,
                };
            }
            blocks.push(Block::Figure(forest, Table::default()));
            blocks.push(roc(record));
            blocks.push(Block::Table(table));
            blocks.extend(explanation(judged).into_iter().map(Block::Text));
            if let Some(choice) = &record.trained.threshold_for {
                blocks.push(Block::Heading("The threshold, chosen for a wish".into()));
                let lines = wished(choice.wish, Some(choice));
                let plain = |line: &String| line.split_whitespace().collect::<Vec<_>>().join(" ");
                blocks.push(Block::List(lines.iter().map(plain).collect()));
            }
            let mut remarks = String::new();
            if judged.metrics.items_repeat {
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
            "These numbers need no labels: they follow from how often items that a model has not seen are called positive on \
             each side of the comparisons, from the share of positives, and from how pairs were collected."
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
         guessing. The curve takes equals to be ordered by a coin toss.",
    );
    let mut plot = plot.rule(Rule::Diagonal, "guessing").line(Series::new("thresholds", points));
    if let Some(metrics) = record.trained.label_free.map(|judged| &judged.metrics) {
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
