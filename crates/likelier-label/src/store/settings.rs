//! What is asked, and how pairs are drawn: stored with the answers, as one JSON text.

use std::path::PathBuf;

use rusqlite::OptionalExtension;
use serde::{Deserialize, Serialize};

use super::Store;
use crate::error::LabelError;

/// What is asked about which items, and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// The items, as an absolute path.
    pub items: PathBuf,
    /// Their SHA-256, or for a folder that of its list of names.
    pub checksum: String,
    /// The question.
    pub question: String,
    /// What the positive class is called.
    pub positive: String,
    /// What people are told before they begin.
    pub instructions: String,
    /// The share of positives, if it is known.
    pub prior: Option<f64>,
    /// The column of ids, if one is named.
    pub id: Option<String>,
    /// The columns that are shown, if some are named.
    pub show: Option<Vec<String>>,
    /// The column with the paths of images.
    pub image: Option<String>,
    /// The folder that the images are in.
    pub images: Option<PathBuf>,
    /// The columns that the live estimate is trained on, if some are named.
    pub features: Option<Vec<String>>,
    /// Columns that are categories there.
    pub categories: Vec<String>,
    /// Columns that are text in words there.
    pub text: Vec<String>,
    /// Columns that are not used there.
    pub exclude: Vec<String>,
    /// The share of pairs that the same person is asked again, with the sides swapped.
    pub again: f64,
    /// The share of pairs that somebody else has answered.
    pub shared: f64,
    /// Whether the items that were shown least come first.
    pub balanced: bool,
    /// The share of new pairs that are chosen near the boundary of the live estimate.
    pub active: f64,
    /// The number of answers that each person is asked for.
    pub goal: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            items: PathBuf::new(),
            checksum: String::new(),
            question: "Which one is likelier?".into(),
            positive: "positive".into(),
            instructions: String::new(),
            prior: None,
            id: None,
            show: None,
            image: None,
            images: None,
            features: None,
            categories: Vec::new(),
            text: Vec::new(),
            exclude: Vec::new(),
            again: 0.1,
            shared: 0.1,
            balanced: false,
            active: 0.0,
            goal: 500,
        }
    }
}

impl Store {
    /// What was stored; none in a new file.
    pub fn settings(&self) -> Result<Option<Settings>, LabelError> {
        let text: Option<String> = self
            .connection
            .query_row("SELECT value FROM setting WHERE name = 'settings'", [], |row| row.get(0))
            .optional()
            .map_err(|reason| self.refused(reason))?;
        let Some(text) = text else { return Ok(None) };
        serde_json::from_str(&text)
            .map(Some)
            .map_err(|_| LabelError::NotAnswers(self.path.clone()))
    }

    /// Stores them.
    pub fn set(&self, settings: &Settings) -> Result<(), LabelError> {
        let text =
            serde_json::to_string(settings).map_err(|_| LabelError::NotAnswers(self.path.clone()))?;
        self.connection
            .execute("INSERT OR REPLACE INTO setting VALUES ('settings', ?1)", [text])
            .map_err(|reason| self.refused(reason))?;
        Ok(())
    }

    /// How many answers there are, undone ones included.
    pub fn count(&self) -> Result<usize, LabelError> {
        let count = "SELECT count(*) FROM answer";
        let count = self.connection.query_row(count, [], |row| row.get::<_, i64>(0));
        Ok(count.map_err(|reason| self.refused(reason))? as usize)
    }

    /// The names of all items that were shown.
    pub fn shown_items(&self) -> Result<Vec<(i64, String)>, LabelError> {
        let read = || -> rusqlite::Result<Vec<(i64, String)>> {
            let mut rows = self.connection.prepare("SELECT id, name FROM item ORDER BY id")?;
            rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        };
        read().map_err(|reason| self.refused(reason))
    }
}
