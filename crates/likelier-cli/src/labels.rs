//! True labels, as people write them.

use std::collections::BTreeSet;

use likelier::Label;
use likelier::data::Texts;
use likelier::words::count;

use crate::terminal::{Result, mistake};

/// What is positive and what negative, where nobody says.
const UNDERSTOOD: [[&str; 2]; 4] = [["1", "0"], ["1", "-1"], ["true", "false"], ["yes", "no"]];
/// Values that a message lists.
const LISTED: usize = 10;

fn listed(values: &BTreeSet<String>) -> String {
    let first: Vec<String> = values.iter().take(LISTED).map(|value| format!("'{value}'")).collect();
    let more = values.len().saturating_sub(LISTED);
    let rest = if more > 0 { format!(" and {}", count(more, "other value")) } else { String::new() };
    format!("{}{rest}", first.join(", "))
}

/// A label without what does not matter: case, and how a number is written.
fn plain(text: &str) -> String {
    let text = text.trim();
    text.parse::<f64>()
        .map_or_else(|_| text.to_lowercase(), |number| number.to_string())
}

fn different(texts: &Texts) -> BTreeSet<String> {
    texts.iter().map(str::to_owned).collect()
}

/// The labels of a column, of which there must be both.
pub(crate) fn parse_two_classes(texts: &Texts, column: &str, positive: &[String]) -> Result<Vec<Label>> {
    let labels = parse_labels(texts, column, positive)?;
    match labels.first() {
        Some(&class) if labels.iter().all(|label| *label == class) => {
            let found = listed(&different(texts));
            Err(mistake(
                format!("every row is {class}: column '{column}' holds {found}"),
                "both classes are needed: say which labels are positive with --positive",
            ))
        }
        _ => Ok(labels),
    }
}

/// The labels of a column: those of `positive`, else by the words that are understood.
pub(crate) fn parse_labels(texts: &Texts, column: &str, positive: &[String]) -> Result<Vec<Label>> {
    let values: BTreeSet<String> = texts.iter().map(plain).collect();
    if !positive.is_empty() {
        if let Some(unknown) = positive.iter().find(|value| !values.contains(&plain(value))) {
            return Err(mistake(
                format!(
                    "no row has '{unknown}' in column '{column}', which holds {}",
                    listed(&different(texts))
                ),
                "give one of these as --positive, or another column as --label",
            ));
        }
        let positive: BTreeSet<String> = positive.iter().map(|value| plain(value)).collect();
        return Ok(texts
            .iter()
            .map(|text| Label::positive_if(positive.contains(&plain(text))))
            .collect());
    }
    let fits = |words: &&[&str; 2]| values.iter().all(|value| words.contains(&value.as_str()));
    let Some([positive, _]) = UNDERSTOOD.iter().find(fits) else {
        let found = listed(&different(texts));
        return Err(mistake(
            format!("column '{column}' holds {found}, and it is not known which of them is positive"),
            "name the label of positives with --positive; 1/0, true/false and yes/no are understood without it",
        ));
    };
    Ok(texts.iter().map(|text| Label::positive_if(plain(text) == *positive)).collect())
}
