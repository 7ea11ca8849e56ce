//! Items to look at.

use super::super::example::Example;
use super::super::record::Record;
use crate::document::{Block, Section, Table, TableCell, decimals};

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
            TableCell::name(&example.id),
            decimals(f64::from(example.score)).into(),
            format!("{:.3}", example.probability).into(),
            if example.positive { "positive" } else { "negative" }.to_owned().into(),
        ]);
    }
    let pictures = examples.iter().filter_map(|example| example.picture.clone()).collect();
    Block::Gallery { title: title.to_owned(), table, pictures }
}
