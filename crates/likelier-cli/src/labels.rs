//! True labels, as people write them.

use std::collections::BTreeSet;

use anyhow::{Result, bail};
use likelier::data::{Label, Texts};

/// What is positive and what negative, where nobody says.
const UNDERSTOOD: [[&str; 2]; 4] = [["1", "0"], ["1", "-1"], ["true", "false"], ["yes", "no"]];
/// Values that a message lists.
const LISTED: usize = 10;

/// Labels that do not say which of them is positive.
#[derive(Debug, thiserror::Error)]
#[error("column '{column}' holds {}, and which of them is positive is not known", listed(.found))]
pub(crate) struct NoPositive {
    column: String,
    found: BTreeSet<String>,
}

/// Labels that are all of one class.
#[derive(Debug, thiserror::Error)]
#[error("every row is {class}: column '{column}' holds {}", listed(.found))]
pub(crate) struct OneClass {
    column: String,
    class: Label,
    found: BTreeSet<String>,
}

/// A positive label that no row has.
#[derive(Debug, thiserror::Error)]
#[error("no row has '{positive}' in column '{column}', which holds {}", listed(.found))]
pub(crate) struct NeverPositive {
    column: String,
    positive: String,
    found: BTreeSet<String>,
}

fn listed(values: &BTreeSet<String>) -> String {
    let first: Vec<String> = values.iter().take(LISTED).map(|value| format!("'{value}'")).collect();
    let more = values.len().saturating_sub(LISTED);
    let rest = if more > 0 { format!(" and {more} other values") } else { String::new() };
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
            bail!(OneClass { column: column.into(), class, found: different(texts) })
        }
        _ => Ok(labels),
    }
}

/// The labels of a column: those of `positive`, else by the words that are understood.
pub(crate) fn parse_labels(texts: &Texts, column: &str, positive: &[String]) -> Result<Vec<Label>> {
    let found = || different(texts);
    let values: BTreeSet<String> = texts.iter().map(plain).collect();
    if !positive.is_empty() {
        if let Some(unknown) = positive.iter().find(|value| !values.contains(&plain(value))) {
            bail!(NeverPositive { column: column.into(), positive: unknown.into(), found: found() });
        }
        let positive: BTreeSet<String> = positive.iter().map(|value| plain(value)).collect();
        return Ok(texts
            .iter()
            .map(|text| Label::positive_if(positive.contains(&plain(text))))
            .collect());
    }
    let fits = |words: &&[&str; 2]| values.iter().all(|value| words.contains(&value.as_str()));
    let Some([positive, _]) = UNDERSTOOD.iter().find(fits) else {
        bail!(NoPositive { column: column.into(), found: found() });
    };
    Ok(texts.iter().map(|text| Label::positive_if(plain(text) == *positive)).collect())
}
