//! What scores look like, and whether probabilities are right.

use super::super::record::{Record, estimate};
use crate::document::{Block, Section, Table};
use crate::plot::{Axis, Plot, Rule, Series};

pub(super) fn section(record: &Record<'_>) -> Option<Section> {
    let held_out = record.histogram.as_ref()?.held_out;
    let of = if held_out { "held-out comparisons" } else { "the comparisons that were trained on" };
    let mut lead = format!(
        "The classifier gives each item a score, and a probability that follows from it. Here are the scores of {of}: \
         those of items said to be likelier, and those of the other ones."
    );
    let figures: Vec<Block> = [histogram(record), probabilities(record)].into_iter().flatten().collect();
    if figures.len() > 1 {
        lead.push_str(if record.calibrated {
            " Probabilities were fitted to the same held-out comparisons, so the picture of them is a little too \
             optimistic."
        } else {
            " A score is taken as log-odds; --calibrate would fit the probabilities to the held-out comparisons."
        });
    }
    Some(Section { id: "scores", title: "Scores and probabilities", lead, blocks: figures })
}

fn histogram(record: &Record<'_>) -> Option<Block> {
    let histogram = record.histogram.as_ref()?;
    let plot = Plot::new(
        "Scores of the two sides of a comparison",
        "score (log-odds)",
        "share of the pile",
        "The two outlines overlap because many comparisons are between two items of one class; what matters is that the \
         filled one lies further right. Items right of the threshold are called positive. Scores beyond the ends are \
         counted at the ends.",
    );
    let [likelier, other] = &histogram.shares;
    let plot = plot
        .steps("said to be likelier", histogram.edges.clone(), likelier.clone())
        .steps("the other one", histogram.edges.clone(), other.clone())
        .rule(Rule::At(f64::from(record.trained.threshold)), "threshold");
    let mut table = Table::new(["score", "said to be likelier", "the other one"]);
    // Two bins in one row where there are many.
    let together = if likelier.len() > 15 { 2 } else { 1 };
    for at in (0..likelier.len()).step_by(together) {
        let to = (at + together).min(likelier.len());
        let sum = |shares: &[f64]| format!("{:.3}", shares[at..to].iter().sum::<f64>());
        table.row([
            format!("{:.2} to {:.2}", histogram.edges[at], histogram.edges[to]),
            sum(likelier),
            sum(other),
        ]);
    }
    Some(Block::Figure(plot, table))
}

fn probabilities(record: &Record<'_>) -> Option<Block> {
    let told: Vec<_> = record
        .calibration
        .iter()
        .filter_map(|bin| Some((bin, bin.predicted?, bin.positive?)))
        .collect();
    if record.calibration.is_empty() {
        return None;
    }
    let plot = Plot::new(
        "Are the probabilities right?",
        Axis::new("predicted probability (share)").within(0.0, 1.0),
        Axis::new("share really positive").within(0.0, 1.0),
        "Each dot is a group of items with about the same predicted probability; its bar is a 95 % interval of how many of \
         them are positive. On the straight line, what is predicted is what happens; below it, probabilities are too high. \
         Groups too small to tell are left out.",
    );
    let points = told
        .iter()
        .map(|(_, predicted, positive)| (*predicted, positive.value))
        .collect();
    let errors = told.iter().map(|(.., positive)| (positive.low, positive.high)).collect();
    let plot = plot
        .rule(Rule::Diagonal, "exactly right")
        .line(Series::new("groups", points).with_errors(errors).unjoined());
    let mut table =
        Table::new(["predicted", "mean prediction", "share positive (95 % interval)", "held-out items"]);
    for bin in &record.calibration {
        table.row([
            format!("{:.1} to {:.1}", bin.from, bin.to),
            bin.predicted.map_or("–".into(), |predicted| format!("{predicted:.3}")),
            bin.positive.as_ref().map_or_else(|| "not known".into(), estimate),
            bin.counts.iter().sum::<usize>().to_string(),
        ]);
    }
    Some(Block::Figure(plot, table))
}
