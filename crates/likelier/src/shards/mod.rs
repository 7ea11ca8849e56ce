//! Training on more comparisons than one machine holds: a linear model by the pair posterior, shard by shard.
//!
//! A [`Shard`] holds some of the comparisons and the rows that they are between. It answers an [`Ask`] with sums over
//! its comparisons, and remembers nothing between two of them. [`fit_shards`] asks all shards, adds their answers in
//! the order of the shards, and takes a step:
//!
//! ```text
//!            ┌─ ask ─► shard 0 ─┐
//!  weights ──┼─ ask ─► shard 1 ─┼─► sums in the order of the shards ─► step ─► weights
//!            └─ ask ─► shard 2 ─┘
//! ```
//!
//! Every step sees all comparisons, so nothing is drawn at random. The same shards give the same bits, whoever answers
//! for them and in whatever order. Another number of shards adds the same numbers in another order, and gives other last
//! digits.
//!
//! The objective is that of `train` by default: first the orientation likelihood, then expectation–maximisation over the
//! two labels of each comparison ([`PairPosterior`](crate::risk::PairPosterior)), both with the recommended
//! weight decay. There, mini-batches and a moving average find its minimum; here, L-BFGS on the full sum does.

mod ask;
mod course;
mod minimise;

pub use ask::{Ask, At, Sums};
pub use course::{ShardOptions, fit_shards, fit_shards_with};

use rayon::prelude::*;

use crate::data::{Comparisons, Pile, Rows};
use crate::error::Error;
use crate::executor::{Executor, Threads};

/// Comparisons that are scored and summed at a time. Sums inside are of 32 bits, sums of them of 64.
const AT_ONCE: usize = 1024;

/// So many comparisons are worth a shard of their own.
pub const COMPARISONS_IN_A_SHARD: usize = 250_000;

/// How many shards so many comparisons fall into: the data decide, not the machines.
pub fn shards_for(comparisons: usize) -> usize {
    comparisons.div_ceil(COMPARISONS_IN_A_SHARD).max(1)
}

/// Some of the comparisons, and the rows that they are between.
#[derive(Clone, Debug)]
pub struct Shard<'a> {
    rows: Rows<'a>,
    comparisons: Comparisons,
}

impl<'a> Shard<'a> {
    /// Refuses comparisons of rows that are not there, and a shard without any.
    pub fn new(rows: Rows<'a>, comparisons: Comparisons) -> Result<Self, Error> {
        comparisons.piles().check(rows.len())?;
        Ok(Self { rows, comparisons })
    }

    /// The answer to an ask: sums, and where weights are given the gradient by them.
    pub fn partial(&self, ask: &Ask) -> Result<Sums, Error> {
        ask.of(self)
    }

    fn pile(&self, pile: Pile) -> &[u32] {
        self.comparisons.piles().rows(pile)
    }

    /// The answer from pieces of the comparisons: they are answered for in parallel, and put together in order.
    fn in_pieces(
        &self,
        ask: &Ask,
        piece: impl Fn(std::ops::Range<usize>) -> Result<Sums, Error> + Sync,
    ) -> Result<Sums, Error> {
        let all = self.comparisons.len();
        let starts: Vec<usize> = (0..all).step_by(AT_ONCE).collect();
        let answer = |start: &usize| piece(*start..(start + AT_ONCE).min(all));
        let pieces = starts.par_iter().map(answer).collect::<Result<Vec<Sums>, Error>>()?;
        Ok(ask.combine(&pieces))
    }
}

impl Executor<Ask> for Threads<'_, [Shard<'_>]> {
    type Done = Sums;

    fn run(&self, ask: &Ask) -> Result<Vec<Sums>, Error> {
        self.0.par_iter().map(|shard| shard.partial(ask)).collect()
    }
}

#[cfg(test)]
mod tests;
