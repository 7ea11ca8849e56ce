//! How training went, epoch by epoch.

use super::super::gather::spread;
use super::super::record::{Record, estimate};
use crate::document::{Block, Section, Table};
use crate::plot::{Axis, Plot, Rule, Series};
use likelier::Epoch;

pub(super) fn section(record: &Record<'_>) -> Section {
    let epochs = record.learning;
    let mut blocks = vec![risk(epochs)];
    blocks.extend(accuracy(record));
    blocks.extend(parts(epochs));
    blocks.extend(shares(epochs));
    Section {
        id: "learning",
        title: "How learning went",
        lead: "Training goes through the comparisons again and again, and each pass (an epoch) should lower the risk: the \
               cost of wrong and unsure answers."
            .into(),
        blocks,
    }
}

/// One number of each epoch.
fn series(name: &str, epochs: &[Epoch], of: impl Fn(&Epoch) -> Option<f64>) -> Series {
    let points = epochs.iter().filter_map(|epoch| Some((epoch.of.epoch as f64, of(epoch)?)));
    Series::new(name, points.collect())
}

/// Numbers of some epochs.
fn table(epochs: &[Epoch], head: &[&str], of: impl Fn(&Epoch) -> Vec<f64>) -> Table {
    let mut table = Table { head: vec!["epoch".into()], rows: Vec::new() };
    table.head.extend(head.iter().map(|&name| name.to_owned()));
    for at in spread(epochs.len(), 11) {
        let mut row = vec![epochs[at].of.epoch.to_string()];
        let number = |value: &f64| if value.is_nan() { "–".into() } else { format!("{value:.4}") };
        row.extend(of(&epochs[at]).iter().map(number));
        table.row(row);
    }
    table
}

fn risk(epochs: &[Epoch]) -> Block {
    let held_out = epochs.iter().any(|epoch| epoch.of.held_out.is_some());
    let turn = turn(epochs);
    let mut caption =
        "If the curve falls and then levels off, the model has learned what there is; if it still falls \
         steeply at the end, more epochs would help."
            .to_owned();
    if turn.is_some() {
        caption.push_str(
            " The warm-up ends at the vertical line: from there the risk is a different one, and only its own course \
             matters.",
        );
    }
    let mut plot = Plot::new(
        "Risk by epoch",
        "epoch (passes over the comparisons)",
        "risk (nats; lower is better)",
        caption,
    )
    .line(series("training comparisons", epochs, |epoch| Some(epoch.of.risk)));
    if held_out {
        plot = plot.line(series("held-out criterion", epochs, |epoch| epoch.of.held_out));
    }
    if let Some(at) = turn {
        plot = plot.rule(Rule::At(at), "warm-up ends");
    }
    Block::Figure(plot, table(epochs, &["risk"], |epoch| vec![epoch.of.risk]))
}

/// Where the first phase of a method with two of them ended.
fn turn(epochs: &[Epoch]) -> Option<f64> {
    let pair = epochs.windows(2).find(|pair| pair[0].of.phase != pair[1].of.phase)?;
    Some(f64::midpoint(pair[0].of.epoch as f64, pair[1].of.epoch as f64))
}

fn accuracy(record: &Record<'_>) -> Option<Block> {
    let known: Vec<(&Epoch, _)> = record
        .learning
        .iter()
        .filter_map(|epoch| Some((epoch, epoch.accuracy?.clipped(0.0, 1.0))))
        .collect();
    if known.len() < 2 {
        return None;
    }
    let points = known
        .iter()
        .map(|(epoch, accuracy)| (epoch.of.epoch as f64, accuracy.value))
        .collect();
    let errors = known.iter().map(|(_, accuracy)| (accuracy.low, accuracy.high)).collect();
    let prior = record.trained.prior.positive();
    let (usual, always) = if prior > 0.5 { (prior, "positive") } else { (1.0 - prior, "negative") };
    let plot = Plot::new(
        "Accuracy by epoch, without labels",
        "epoch (passes over the comparisons)",
        Axis::new("accuracy (share of right calls)"),
        "Estimated from the held-out comparisons as training went on; bars are 95 % intervals. A curve that falls towards the \
         end means that training went on for too long.",
    );
    let plot = plot
        .line(Series::new("accuracy", points).with_errors(errors))
        .rule(Rule::Level(usual), format!("always “{always}”"));
    let mut table = Table::new(["epoch", "accuracy (95 % interval)"]);
    for at in spread(known.len(), 11) {
        table.row([known[at].0.of.epoch.to_string(), estimate(&known[at].1)]);
    }
    Some(Block::Figure(plot, table))
}

fn parts(epochs: &[Epoch]) -> Option<Block> {
    let columns = |epoch: &Epoch| epoch.of.columns.unwrap_or([f64::NAN; 2]);
    epochs.iter().find(|epoch| epoch.of.columns.is_some())?;
    let plot = Plot::new(
        "The two parts of the risk",
        "epoch (passes over the comparisons)",
        "part of the risk (nats)",
        "One part is the cost of missed positives, the other that of false alarms. Neither can truly be negative: where a curve \
         dips below 0, the model has begun to fit noise, which the methods with a correction hold back. A warm-up on \
         pairs has no such parts.",
    );
    let part = |name: &str, which: usize| {
        series(name, epochs, move |epoch| epoch.of.columns.map(|columns| columns[which]))
    };
    let plot = plot
        .line(part("missed positives", 0))
        .line(part("false alarms", 1))
        .rule(Rule::Level(0.0), "");
    let table = table(epochs, &["missed positives", "false alarms"], |epoch| columns(epoch).to_vec());
    Some(Block::Figure(plot, table))
}

/// When the correction bit, what rank pruning kept, and how far student and teacher were apart.
fn shares(epochs: &[Epoch]) -> Option<Block> {
    let bites = epochs.iter().any(|epoch| epoch.of.negative_share > 0.0);
    let prunes = epochs.iter().any(|epoch| epoch.of.selected_share < 1.0);
    let taught = epochs.iter().any(|epoch| epoch.of.consistency > 0.0);
    if !(bites || prunes) {
        return None;
    }
    let title = if bites { "When the correction acted" } else { "What rank pruning kept" };
    let caption = match (bites, prunes) {
        (true, false) => {
            "The share of mini-batches in which a part of the risk was negative, and was corrected if the method does that. \
             If it is near 1 from early on, the model is too flexible for so few comparisons."
        }
        (true, true) => {
            "The share of mini-batches in which a part of the risk was negative; and the share of rows that rank pruning \
             kept, those whose score agrees with what was said."
        }
        _ => {
            "The share of rows that rank pruning kept: those whose score agrees with what was said about them."
        }
    };
    let mut plot = Plot::new(
        title,
        "epoch (passes over the comparisons)",
        Axis::new(if prunes { "share of batches or rows" } else { "share of mini-batches" })
            .within(0.0, 1.0),
        caption,
    );
    let mut head = Vec::new();
    if bites {
        head.push("batches with a negative part");
        plot = plot.line(series(head[0], epochs, |epoch| Some(epoch.of.negative_share)));
    }
    if prunes {
        head.push("rows kept");
        plot = plot.line(series("rows kept", epochs, |epoch| Some(epoch.of.selected_share)));
    }
    if taught {
        head.push("consistency term");
    }
    let table = table(epochs, &head, |epoch| {
        let mut row = Vec::new();
        row.extend(bites.then_some(epoch.of.negative_share));
        row.extend(prunes.then_some(epoch.of.selected_share));
        row.extend(taught.then_some(epoch.of.consistency));
        row
    });
    Some(Block::Figure(plot, table))
}
