//! Answers out of their file, for training.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use likelier::Answers;
use likelier::data::{Annotators, ShownSide, Texts};
use likelier_tables::Ids;

use crate::error::LabelError;
use crate::store::{Choice, Settings, Shown, Store, iso};

/// What a file of answers holds.
#[derive(Debug)]
pub struct Collected {
    /// What was asked.
    pub settings: Settings,
    path: PathBuf,
    names: HashMap<i64, String>,
    shown: Vec<Shown>,
}

impl Collected {
    /// Reads a file of answers, also while a server writes to it.
    pub fn read(path: &Path) -> Result<Self, LabelError> {
        let store = Store::read(path)?;
        let settings = store.settings()?.ok_or_else(|| LabelError::NotAnswers(path.to_owned()))?;
        let names = store.people()?.into_iter().map(|person| (person.id, person.name)).collect();
        let mut shown = Vec::new();
        store.shown(|one| shown.push(one))?;
        shown.sort_by_key(|one| one.answer.as_ref().map_or(i64::MAX, |given| given.id));
        Ok(Self { settings, path: path.to_owned(), names, shown })
    }

    /// The items that it is about: where they were, or beside the answers if both were moved.
    pub fn items(&self) -> PathBuf {
        let items = &self.settings.items;
        let beside = items.file_name().map(|name| self.path.with_file_name(name));
        beside
            .filter(|beside| !items.exists() && beside.exists())
            .unwrap_or_else(|| items.clone())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether a file of items is still what the answers were begun with.
    pub fn is_about(&self, items: &Path) -> Result<bool, LabelError> {
        let sum = likelier_tables::checksum(items).map_err(|reason| LabelError::file(items, reason))?;
        Ok(sum == self.settings.checksum)
    }

    pub(crate) fn shown(&self) -> &[Shown] {
        &self.shown
    }

    pub(crate) fn name(&self, person: i64) -> &str {
        self.names.get(&person).map_or("", |name| name)
    }

    /// The comparisons about items of these ids. Pairs that were skipped or flagged are none.
    pub fn answers(&self, ids: &Ids) -> Result<Answers, LabelError> {
        let (mut pairs, mut ties, mut sides, mut times) =
            (Vec::new(), Vec::new(), Vec::new(), Texts::new());
        let mut annotators = Annotators::default();
        let mut numbers: HashMap<i64, u32> = HashMap::new();
        let mut propensities = Vec::new();
        let (mut gone, mut example) = (0, String::new());
        for one in &self.shown {
            let Some(given) = one.answer.as_ref().filter(|given| given.choice.compares()) else { continue };
            let mut find = |name: &String| {
                let row = ids.find(name);
                if row.is_none() {
                    gone += 1;
                    example.clone_from(name);
                }
                row.unwrap_or(0)
            };
            let [left, right] = one.names.each_ref().map(&mut find);
            let (pair, side) = match given.choice {
                Choice::Right => ((right, left), Some(ShownSide::Right)),
                Choice::Left => ((left, right), Some(ShownSide::Left)),
                _ => ((left, right), None),
            };
            pairs.push(pair);
            sides.push(side);
            ties.push(given.choice == Choice::Tie);
            times.push(&iso(given.at));
            let next = annotators.names.len() as u32;
            let number = *numbers.entry(one.person).or_insert_with(|| {
                annotators.names.push(self.name(one.person));
                next
            });
            annotators.of.push(number);
            propensities.push(one.propensity);
        }
        if gone > 0 {
            return Err(LabelError::ItemsChanged { items: self.items(), gone, example });
        }
        let answers: Answers = pairs.into_iter().collect();
        let answers = answers.tied(ties)?.shown(sides)?.at(times)?.by(annotators)?;
        if propensities.iter().all(Option::is_none) {
            return Ok(answers);
        }
        let uniform = 2.0 / (ids.len() as f64 * (ids.len() as f64 - 1.0));
        Ok(answers.chosen(propensities.into_iter().map(|known| known.unwrap_or(uniform)).collect())?)
    }
}
