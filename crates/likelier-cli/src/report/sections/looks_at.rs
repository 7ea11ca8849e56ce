//! What the model looks at: the weights of a linear one, and what is lost without a column.

use std::fmt::Write as _;

use likelier::estimate::importance::Importance;

use super::super::record::Record;
use crate::document::{Block, Section, Table, TableCell, decimals, told_apart};
use crate::plot::Plot;

/// The most columns that are shown.
const SHOWN: usize = 20;

pub(super) fn section(record: &Record<'_>) -> Option<Section> {
    if record.images {
        return None;
    }
    let mut blocks = Vec::new();
    if !record.weights.is_empty() {
        blocks.push(weights(record));
    }
    match &record.importance {
        Some(importance) => {
            blocks.push(columns(importance));
            blocks.push(Block::Text(known_from(importance)));
        }
        None => blocks.push(Block::Text(unknown(record).into())),
    }
    let linear = "A linear model adds up features, each times its weight; features were brought to a common scale first, so \
                  their weights can be compared.";
    Some(Section {
        id: "weights",
        title: "What it looks at",
        lead: if record.weights.is_empty() {
            "What a score depends on: how much worse the classifier becomes without each column.".into()
        } else if record.importance.is_some() {
            format!("{linear} Beside that, how much worse the classifier becomes without each column.")
        } else {
            linear.into()
        },
        blocks,
    })
}

fn weights(record: &Record<'_>) -> Block {
    let mut plot = Plot::new(
        "The largest weights",
        "weight (change of the score per scaled unit of the feature)",
        "",
        "A filled bar to the right speaks for positive, a hollow one to the left against it; longer bars move the score more. \
         Features that vary together share their weight, so a short bar does not prove that a feature is irrelevant.",
    );
    let mut table = Table::new(["feature", "weight"]);
    let names: Vec<&str> = record.weights.iter().map(|weight| weight.feature.as_str()).collect();
    let shown = told_apart(&names).into_iter().zip(TableCell::names(&names));
    for (weight, (name, cell)) in record.weights.iter().zip(shown) {
        plot = plot.bar(name, weight.weight);
        table.row([cell, decimals(weight.weight).into()]);
    }
    Block::Figure(plot, table)
}

fn columns(importance: &Importance) -> Block {
    let mut plot = Plot::new(
        "What is lost without a column",
        "fall of the share of comparisons ordered as people did",
        "",
        "The cells of one column are shuffled among the items, so that they say nothing any more: the longer the bar, the \
         more comparisons the classifier then orders wrongly. Whiskers are two standard errors. Of columns that say the same, \
         each can stand in for the other, so a short bar does not prove that a column is irrelevant.",
    );
    let mut table = Table::new(["column", "importance", "standard error"]);
    let largest = &importance.columns[..importance.columns.len().min(SHOWN)];
    let names: Vec<&str> = largest.iter().map(|one| one.column.as_str()).collect();
    let shown = told_apart(&names).into_iter().zip(TableCell::names(&names));
    for (one, (name, cell)) in largest.iter().zip(shown) {
        let (value, spread) = (one.importance, 2.0 * one.standard_error);
        plot = plot.range(name, [0.0, value], [value - spread, value + spread]);
        table.row([cell, decimals(value).into(), decimals(one.standard_error).into()]);
    }
    Block::Figure(plot, table)
}

/// By which comparisons, and what is not shown.
fn known_from(importance: &Importance) -> String {
    let Importance { ordered, comparisons, items, shuffles, all_columns, columns, .. } = importance;
    let which = if importance.held_out {
        format!("{comparisons} comparisons that it was not trained on, about {items} items")
    } else {
        format!(
            "{comparisons} of the comparisons that it was trained on, about {items} items, since it was trained on all: they \
             say what it looks at, but not quite how much that helps with new items"
        )
    };
    let mut text = format!(
        "What is lost is measured by {which}. The classifier orders {ordered:.3} of them as people did (equal scores count \
         half). Each column was shuffled {shuffles} times, all its features together."
    );
    let measured = columns.len();
    if let Some(next) = columns.get(SHOWN) {
        let most = if next.importance > 0.0 {
            format!("none of which loses more than {}", decimals(next.importance))
        } else {
            "without which nothing is lost".to_owned()
        };
        let _ = write!(text, " And {}, {most}.", more(measured - SHOWN));
    }
    if all_columns > &measured {
        let _ = write!(
            text,
            " And {}: to look at all of the {all_columns} closely would have taken longer than the training. One shuffle \
             of each, with a part of the items, told which {measured} to look at; the others lost less in it.",
            more(all_columns - measured)
        );
    }
    text
}

fn more(columns: usize) -> String {
    format!("{columns} more column{}", if columns == 1 { "" } else { "s" })
}

/// Why nothing is known.
fn unknown(record: &Record<'_>) -> &'static str {
    if record.trained.label_free.is_none() {
        "What is lost without a column is not known, because no comparisons could be used to judge the classifier."
    } else {
        "What is lost without a column is not known: to shuffle each of so many columns would have taken longer than the \
         training."
    }
}
