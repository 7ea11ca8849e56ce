//! What is learned from, out of a file of answers: they know their items, and how they were collected.

use std::path::{Path, PathBuf};

use likelier::{Collection, Evidence};
use likelier_label::{Collected, LabelError};
use likelier_tables::{DatasetCard, Given, Items, Layout};

use crate::terminal::{Result, mistake};

/// The items that a file of answers is about.
pub(crate) fn items_of(answers: &Path) -> Result<PathBuf> {
    Ok(Collected::read(answers)?.items())
}

/// The answers of a file, about the items that it names or others of the same ids.
pub(crate) fn given(answers: &Path, items: Option<&Path>, layout: &Layout) -> Result<Given> {
    let collected = Collected::read(answers)?;
    let settings = &collected.settings;
    let own = collected.items();
    let layout = Layout {
        id: layout.id.clone().or_else(|| settings.id.clone()),
        features: layout.features.clone().or_else(|| settings.features.clone()),
        categories: stated(&layout.categories, &settings.categories),
        texts: stated(&layout.texts, &settings.text),
        exclude: stated(&layout.exclude, &settings.exclude),
        ..layout.clone()
    };
    let path = items.unwrap_or(&own);
    let read = Items::read(path, &layout)?;
    // Row numbers mean something else as soon as a row is added or moved.
    if items.is_none() && read.ids.are_numbers() && !collected.is_about(path)? {
        return Err(LabelError::ItemsChanged { items: own, gone: 0, example: String::new() }.into());
    }
    let found = collected.answers(&read.ids)?;
    if found.is_empty() {
        return Err(mistake(
            format!("{} holds no comparisons yet", answers.display()),
            "answer some pairs first: `likelier label` opens the page",
        ));
    }
    let card = DatasetCard {
        protocol: Some(Collection::ForcedChoice.name().to_owned()),
        prior: settings.prior,
        ..DatasetCard::default()
    };
    Ok(Given { items: read, evidence: Evidence::Answers(found), card })
}

/// What is stated now, else what was stated when the page was opened.
fn stated(now: &[String], then: &[String]) -> Vec<String> {
    if now.is_empty() { then.to_vec() } else { now.to_vec() }
}
