//! What the scores of a fitted classifier depend on.

use super::{Fitted, JudgedBy};
use crate::data::Rows;
use crate::error::Error;
use crate::estimate::importance::Importance;

/// Work that takes less than a second is always done: so many products of a number and a weight.
const ALWAYS: usize = 1 << 29;
/// A row costs as much as so many of them at the least.
const OF_A_ROW: usize = 1 << 12;

impl Fitted {
    /// How much the classifier depends on each column of the rows that it was fitted to, by the comparisons that it is
    /// judged by: held-out ones if it was judged itself. If it was judged in folds, it was trained on them, and they say
    /// what it looks at, but not quite how much that helps with new items.
    ///
    /// At most half as many rows are scored as were trained on in all epochs together, and training on a row takes longer
    /// than a score; or as many as take less than a second, if these are more. None where nothing was judged, or where
    /// that is too little to say anything, as with thousands of columns. [`Importance::new`] says more.
    pub fn importance(&self, rows: &Rows) -> Result<Option<Importance>, Error> {
        let Some(assessment) = &self.assessment else { return Ok(None) };
        let classifier = &self.classifier;
        let epochs = self.epochs.last().map_or(0, |epoch| epoch.of.epoch);
        // Two rows in a comparison.
        let half = epochs.saturating_mul(classifier.summary().comparisons);
        let of_a_row = classifier.architecture().parameters(rows.width()).max(OF_A_ROW);
        let work = half.max(ALWAYS / of_a_row);
        let held_out = assessment.judged_by == JudgedBy::HeldOut;
        let comparisons = &assessment.scored.comparisons;
        Importance::new(classifier, rows, comparisons, held_out, (work, classifier.summary().seed))
    }
}
