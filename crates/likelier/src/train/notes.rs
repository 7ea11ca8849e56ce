//! What the caller of a run wants kept with its state.

use std::sync::{Mutex, PoisonError};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A list of notes, usually one for each epoch. It is saved with the state of a run, and restored when the
/// run goes on: what was seen before an interruption is not lost.
#[derive(Debug, Default)]
pub struct Notes(Mutex<Vec<serde_json::Value>>);

impl Notes {
    /// Adds a note. Numbers in it must be finite: JSON has no others.
    pub fn add(&self, note: &impl Serialize) -> serde_json::Result<()> {
        let note = serde_json::to_value(note)?;
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(note);
        Ok(())
    }

    /// All notes, those of the time before an interruption first.
    pub fn all<T: DeserializeOwned>(&self) -> serde_json::Result<Vec<T>> {
        self.values().into_iter().map(serde_json::from_value).collect()
    }

    pub(super) fn values(&self) -> Vec<serde_json::Value> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn restore(&self, values: Vec<serde_json::Value>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = values;
    }
}
