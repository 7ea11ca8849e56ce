//! Active mode: how new pairs are drawn.
//!
//! At first all pairs are equally likely. Once there is a live estimate, a stated share of the new pairs is chosen by the
//! policy of `likelier next`: items that the estimate is unsure of come up more often. The chances of all items are worked
//! out where the estimate is trained, and handed over as a whole, so that nobody who answers waits for it.

use std::sync::{Arc, Mutex, PoisonError};

use likelier::Error;
use likelier::next::PairChances;

/// The chances of all pairs, as they are now.
#[derive(Debug)]
pub(crate) struct Active {
    /// The share of new pairs that are chosen.
    share: f64,
    chances: Mutex<Arc<PairChances>>,
}

impl Active {
    /// All pairs of so many items are equally likely, until there is an estimate.
    pub(crate) fn new(items: usize, share: f64) -> Result<Self, Error> {
        Ok(Self { share, chances: Mutex::new(Arc::new(PairChances::uniform(items)?)) })
    }

    /// Whether pairs are ever chosen.
    pub(crate) fn is_on(&self) -> bool {
        self.share > 0.0
    }

    pub(crate) fn chances(&self) -> Arc<PairChances> {
        Arc::clone(&self.chances.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// There is a new estimate, which gives each item a probability.
    pub(crate) fn follow(&self, probabilities: &[f64]) -> Result<(), Error> {
        let chances = Arc::new(PairChances::near(probabilities, 1.0 - self.share)?);
        *self.chances.lock().unwrap_or_else(PoisonError::into_inner) = chances;
        Ok(())
    }
}
