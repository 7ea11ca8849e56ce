//! Items to look at, and what the model looks at.

use super::super::example::Example;
use super::super::record::Record;
use crate::document::{Block, Section, Table, decimals};
use crate::plot::Plot;

pub(super) fn section(record: &Record<'_>) -> Section {
    let examples = &record.examples;
    let blocks = [
        ("Most likely positive", &examples.most_likely),
        ("Nearest to the threshold", &examples.nearest_to_the_threshold),
        ("Least likely positive", &examples.least_likely),
    ]
    .map(|(title, examples)| gallery(title, examples));
    Section {
        id: "items",
        title: "Items to look at",
        lead: "Look at these yourself: if the first ones are not what you mean by positive, or the last ones are, the \
               comparisons do not say what you think. Those in the middle could be either."
            .into(),
        blocks: blocks.into(),
    }
}

fn gallery(title: &str, examples: &[Example]) -> Block {
    let mut table = Table::new(["item", "score", "probability", "called"]);
    for example in examples {
        table.row([
            shortened(&example.id),
            decimals(f64::from(example.score)),
            format!("{:.3}", example.probability),
            if example.positive { "positive" } else { "negative" }.into(),
        ]);
    }
    let pictures = examples.iter().filter_map(|example| example.picture.clone()).collect();
    Block::Gallery { title: title.to_owned(), table, pictures }
}

/// A name of a length that can be shown; the JSON form has all of it.
fn shortened(name: &str) -> String {
    const LONGEST: usize = 48;
    match name.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

pub(super) fn weights(record: &Record<'_>) -> Option<Section> {
    if record.weights.is_empty() {
        return None;
    }
    let mut plot = Plot::new(
        "The largest weights",
        "weight (change of the score per scaled unit of the feature)",
        "",
        "A filled bar to the right speaks for positive, a hollow one to the left against it; longer bars move the score more. \
         Features that vary together share their weight, so a short bar does not prove that a feature is irrelevant.",
    );
    let mut table = Table::new(["feature", "weight"]);
    for weight in &record.weights {
        plot = plot.bar(&weight.feature, weight.weight);
        table.row([weight.feature.clone(), decimals(weight.weight)]);
    }
    Some(Section {
        id: "weights",
        title: "What it looks at",
        lead: "A linear model adds up features, each times its weight; features were brought to a common scale first, so \
               their weights can be compared."
            .into(),
        blocks: vec![Block::Figure(plot, table)],
    })
}
