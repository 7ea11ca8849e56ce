//! What the scores of a fitted classifier depend on.

use super::{Fitted, JudgedBy};
use crate::data::Rows;
use crate::error::Error;
use crate::estimate::importance::Importance;

/// Work that takes a fraction of a second is always done, however short the training was: so many products of a number
/// and a weight, …
const ALWAYS: u64 = 1 << 33;
/// … of which a row costs so many beside those with its weights, and more for each of its numbers, which are copied.
const OF_A_ROW: usize = 1 << 16;
const OF_A_NUMBER: usize = 1 << 5;

impl Fitted {
    /// How much the classifier depends on each column of the rows that it was fitted to, by the comparisons that it is
    /// judged by: held-out ones if it was judged itself. If it was judged in folds, it was trained on them, and they say
    /// what it looks at, but not quite how much that helps with new items.
    ///
    /// At most half as many rows are scored as were trained on in all epochs together, and training on a row takes longer
    /// than a score; or as many as take a fraction of a second, if these are more. None where nothing was judged, or where
    /// that is too little to say anything, as with thousands of columns. [`Importance::new`] says more.
    pub fn importance(&self, rows: &Rows) -> Result<Option<Importance>, Error> {
        let Some(assessment) = &self.assessment else { return Ok(None) };
        let classifier = &self.classifier;
        let epochs = self.epochs.last().map_or(0, |epoch| epoch.of.epoch);
        // Two rows in a comparison.
        let half = epochs.saturating_mul(classifier.summary().comparisons);
        let weights = classifier.architecture().parameters(rows.width());
        let of_a_row = weights.saturating_add(OF_A_NUMBER * rows.width() + OF_A_ROW);
        let work = half.max((ALWAYS / of_a_row as u64) as usize);
        let held_out = assessment.judged_by == JudgedBy::HeldOut;
        let comparisons = &assessment.scored.comparisons;
        Importance::new(classifier, rows, comparisons, held_out, (work, classifier.summary().seed))
    }
}
