//! The mini-batches of an epoch.

use std::ops::Range;

use crate::data::{Pile, Piles};
use crate::random::{Rng, shuffle};

/// An order of the rows of both piles, cut into batches.
#[derive(Clone, Debug)]
pub(super) struct Batches {
    /// Positions in each pile, in the order in which they are visited.
    order: [Vec<u32>; 2],
    paired: bool,
    rows: usize,
    count: usize,
}

impl Batches {
    /// `rows` counts rows of both piles.
    pub(super) fn new(piles: Piles<'_>, rows: usize) -> Self {
        let order = Pile::BOTH.map(|pile| (0..piles.rows(pile).len() as u32).collect::<Vec<_>>());
        let count = if piles.are_paired() {
            order[0].len().div_ceil(rows / 2)
        } else {
            (order[0].len() + order[1].len()).div_ceil(rows)
        };
        Self { order, paired: piles.are_paired(), rows, count }
    }

    /// A new random order, which depends on nothing but `rng`; pairs stay together.
    pub(super) fn reorder(&mut self, rng: &mut impl Rng) {
        let [likelier, other] = &mut self.order;
        for order in [&mut *likelier, &mut *other] {
            order.iter_mut().zip(0..).for_each(|(slot, at)| *slot = at);
        }
        shuffle(rng, likelier);
        if self.paired {
            other.copy_from_slice(likelier);
        } else {
            shuffle(rng, other);
        }
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The most rows that a batch has.
    pub(super) fn largest(&self) -> usize {
        let rows = |batch: usize| self.positions(batch).iter().map(|pile| pile.len()).sum();
        (0..self.count).map(rows).max().unwrap_or(0)
    }

    /// The positions of batch `batch` in each pile.
    pub(super) fn positions(&self, batch: usize) -> [&[u32]; 2] {
        self.order.each_ref().map(|order| &order[self.range(batch, order.len())])
    }

    /// Pairs are taken half a batch at a time, the last batch short; loose piles are dealt out evenly,
    /// so that each batch has its share of both.
    fn range(&self, batch: usize, pile: usize) -> Range<usize> {
        if self.paired {
            let each = self.rows / 2;
            batch * each..((batch + 1) * each).min(pile)
        } else {
            batch * pile / self.count..(batch + 1) * pile / self.count
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Comparisons;
    use crate::random::{Purpose, stream};

    fn visited(batches: &Batches) -> [Vec<u32>; 2] {
        [0, 1].map(|pile| {
            let mut all: Vec<u32> =
                (0..batches.count()).flat_map(|b| batches.positions(b)[pile].to_vec()).collect();
            all.sort_unstable();
            all
        })
    }

    #[test]
    fn pairs_stay_together_and_the_last_batch_is_short() {
        let comparisons: Comparisons = (0..10).map(|i| (i, 100 + i)).collect();
        let mut batches = Batches::new(comparisons.piles(), 8);
        batches.reorder(&mut stream(1, Purpose::Batches));
        let sizes: Vec<usize> = (0..batches.count()).map(|b| batches.positions(b)[0].len()).collect();
        assert_eq!(sizes, [4, 4, 2]);
        for batch in 0..batches.count() {
            let [likelier, other] = batches.positions(batch);
            assert_eq!(likelier, other);
        }
        let all: Vec<u32> = (0..10).collect();
        assert_eq!(visited(&batches), [all.clone(), all]);
    }

    #[test]
    fn loose_piles_are_dealt_out_evenly() {
        let (likelier, other): (Vec<u32>, Vec<u32>) = ((0..30).collect(), (0..70).collect());
        let mut batches = Batches::new(Piles::loose(&likelier, &other), 25);
        batches.reorder(&mut stream(1, Purpose::Batches));
        assert_eq!(batches.count(), 4);
        for batch in 0..4 {
            let [likelier, other] = batches.positions(batch).map(<[u32]>::len);
            assert!((7..=8).contains(&likelier) && (17..=18).contains(&other));
        }
        assert_eq!(visited(&batches), [likelier, other]);
    }

    #[test]
    fn a_batch_larger_than_the_data_takes_all_of_it() {
        let one = Comparisons::from_iter([(0, 1)]);
        let batches = Batches::new(one.piles(), 256);
        assert_eq!((batches.count(), batches.positions(0)), (1, [&[0_u32][..], &[0_u32][..]]));
    }
}
