//! The words of a report, for someone who knows their data and has not read the paper.

mod advice;
mod comparisons;
mod items;
mod learning;
mod looks_at;
mod quality;
mod scores;

use likelier::{JudgedBy, Method};

use super::record::Record;
use crate::document::{Block, Document, Section, Table, TableCell, decimals};
use likelier::Warning;

/// The report in the order in which it is read: what to believe first, how it came about last.
pub(super) fn document(record: &Record<'_>, warnings: &[Warning]) -> Document {
    let trained = record.trained;
    let name = trained
        .model
        .file_name()
        .map_or_else(|| trained.model.display().to_string(), |name| name.to_string_lossy().into_owned());
    let sections = [
        Some(summary(record)),
        advice::section(record, warnings),
        Some(quality::section(record)),
        scores::section(record),
        Some(items::section(record)),
        looks_at::section(record),
        Some(learning::section(record)),
        Some(comparisons::section(record)),
        Some(comparisons::prior(record)),
        Some(repeat(record)),
    ];
    Document {
        title: format!("What {name} learned"),
        subtitle: if record.paired {
            format!(
                "A yes/no classifier trained on {} comparisons of “this one is likelier”, without a single label.",
                trained.comparisons
            )
        } else {
            "A yes/no classifier trained on two piles of items, a likelier one and another, without a single label.".into()
        },
        sections: sections.into_iter().flatten().collect(),
    }
}

/// What was trained, on what, and the few numbers that matter.
fn summary(record: &Record<'_>) -> Section {
    let trained = record.trained;
    let mut cards = Vec::new();
    if let Some(judged) = trained.label_free {
        let meaning = "share of right calls on new items, without labels";
        let accuracy = &judged.metrics.accuracy;
        let (value, spread) = match &judged.ranges {
            None => (
                format!("{:.3}", accuracy.value.clamp(0.0, 1.0)),
                format!("{} — ", crate::terminal::range(accuracy)),
            ),
            Some(ranges) => {
                let [low, high] = [ranges.accuracy.low_end.value, ranges.accuracy.high_end.value];
                (format!("{:.2}–{:.2}", low.clamp(0.0, 1.0), high.clamp(0.0, 1.0)), String::new())
            }
        };
        cards.push(["accuracy".into(), value, format!("{spread}{meaning}")]);
    }
    let how = match &trained.prior_interval {
        Some(interval) => {
            format!("{} — estimated from {}", crate::terminal::range(interval), comparisons::from(record))
        }
        None => "stated, not learned".into(),
    };
    cards.push(["share of positives".into(), format!("{:.3}", trained.prior.positive()), how]);
    let called = record.examples.called_positive as f64 / trained.items.max(1) as f64;
    cards.push([
        "called positive".into(),
        format!("{called:.3}"),
        format!("{} of the {} items", record.examples.called_positive, trained.items),
    ]);
    let mut table = Table::new(["what", "value"]);
    let held_out = match trained.held_out_comparisons {
        0 => "none".to_owned(),
        count if trained.judged_by == Some(JudgedBy::HeldOut) => {
            format!("{count}, used only to judge the classifier")
        }
        _ => "none: other models were judged in its place".to_owned(),
    };
    for (what, value) in [
        ("items", trained.items.to_string()),
        ("features of an item", trained.features.to_string()),
        (
            if record.paired { "comparisons trained on" } else { "items in the larger pile" },
            trained.comparisons.to_string(),
        ),
        ("comparisons held out", held_out),
        ("method", format!("{}: {}", trained.method, method(trained.method))),
        ("model", trained.architecture.to_string()),
        ("protocol", format!("{}: {}", trained.protocol, comparisons::meaning(&trained.protocol))),
        ("share of positives", comparisons::believed(record)),
        ("threshold", format!("{}: a higher score is called positive", decimals(trained.threshold.into()))),
        ("epochs", format!("{}, final risk {:.4}", trained.epochs, trained.risk)),
    ] {
        table.row([what.to_owned(), value]);
    }
    Section {
        id: "summary",
        title: "Summary",
        lead: quality::verdict(record),
        blocks: vec![Block::Cards(cards), Block::Table(table)],
    }
}

/// What a method does; in the list of methods some refer to the first.
fn method(method: Method) -> String {
    method
        .summary()
        .replace("the same,", &format!("{},", Method::PcompUnbiased.summary()))
}

fn repeat(record: &Record<'_>) -> Section {
    let mut blocks = vec![
        Block::Code(record.command_line.clone()),
        Block::Text(format!(
            "likelier {}, seed {}, on {} (UTC).",
            record.version, record.trained.seed, record.date
        )),
    ];
    if !record.inputs.is_empty() {
        let mut table = Table::new(["what was read", "bytes", "SHA-256"]);
        for input in record.inputs {
            let none = || "none: not a file".to_owned();
            table.row([
                TableCell { beside: input.file.clone(), ..input.what.to_owned().into() },
                input.bytes.map_or_else(|| "–".into(), |bytes| bytes.to_string()).into(),
                input.sha256.clone().unwrap_or_else(none).into(),
            ]);
        }
        blocks.push(Block::Table(table));
    }
    Section {
        id: "repeat",
        title: "How to repeat it",
        lead: "The same settings on the same data give the same model, byte for byte, on this machine."
            .into(),
        blocks,
    }
}
