//! What is allowed in answers but worth a word: pairs that were asked more than once.

use super::Answers;

/// Pairs that were asked more than once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repeats {
    /// Answers that say again what an earlier one says.
    pub repeated: RepeatCount,
    /// Pairs of items that were answered both ways, ties apart.
    pub both_orders: RepeatCount,
}

/// How often something occurs, with the first example.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RepeatCount {
    /// How often.
    pub count: usize,
    /// The two answers, counted from 0, of which the second is the first to repeat or to contradict.
    pub example: Option<(usize, usize)>,
}

impl RepeatCount {
    fn add(&mut self, count: usize, first: usize, second: usize) {
        self.count += count;
        if self.example.is_none_or(|(_, known)| second < known) {
            self.example = Some((first, second));
        }
    }
}

impl Repeats {
    /// Looks through all answers.
    pub(super) fn of(answers: &Answers) -> Self {
        let asked = AskedPairs::of(answers.pairs().iter().copied());
        if asked.again.is_empty() {
            return Self::default();
        }
        // By pair whatever its order, then by what was said (a tie has no order), then by place.
        let key = |(at, (likelier, other)): (usize, &(u32, u32))| {
            let said = if answers.is_tie(at) { 2 } else { u8::from(likelier > other) };
            (*likelier.min(other), *likelier.max(other), said, at)
        };
        let again =
            |(_, pair): &(usize, &(u32, u32))| asked.again.binary_search(&unordered(**pair)).is_ok();
        let mut keys: Vec<_> = answers.pairs().iter().enumerate().filter(again).map(key).collect();
        sort(&mut keys);
        let mut found = Self::default();
        for pair in keys.chunk_by(|left, right| (left.0, left.1) == (right.0, right.1)) {
            for same in pair.chunk_by(|left, right| left.2 == right.2).filter(|same| same.len() > 1) {
                found.repeated.add(same.len() - 1, same[0].3, same[1].3);
            }
            let first = |said: u8| pair.iter().find(|one| one.2 == said).map(|one| one.3);
            if let (Some(forward), Some(backward)) = (first(0), first(1)) {
                found.both_orders.add(1, forward.min(backward), forward.max(backward));
            }
        }
        found
    }
}

/// The pairs of items that were asked, whatever their order.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct AskedPairs {
    /// How many different ones there are.
    pub(crate) count: usize,
    /// Those that were asked more than once, ascending.
    pub(crate) again: Vec<u64>,
}

impl AskedPairs {
    pub(crate) fn of(pairs: impl Iterator<Item = (u32, u32)>) -> Self {
        let mut all: Vec<u64> = pairs.map(unordered).collect();
        sort(&mut all);
        let (mut count, mut again) = (0, Vec::new());
        for same in all.chunk_by(|one, two| one == two) {
            count += 1;
            again.extend((same.len() > 1).then_some(same[0]));
        }
        Self { count, again }
    }
}

/// A pair as one number, whatever its order.
fn unordered((one, two): (u32, u32)) -> u64 {
    u64::from(one.min(two)) << 32 | u64::from(one.max(two))
}

#[cfg(feature = "engine")]
pub(crate) fn sort<T: Ord + Send>(keys: &mut [T]) {
    use rayon::prelude::*;
    keys.par_sort_unstable();
}

/// What becomes of each item, in their order.
#[cfg(feature = "engine")]
pub(crate) fn map_each<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
    use rayon::prelude::*;
    items.par_iter().map(work).collect()
}

#[cfg(not(feature = "engine"))]
pub(crate) fn map_each<T, R>(items: &[T], work: impl Fn(&T) -> R) -> Vec<R> {
    items.iter().map(work).collect()
}

#[cfg(not(feature = "engine"))]
pub(crate) fn sort<T: Ord>(keys: &mut [T]) {
    keys.sort_unstable();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_and_contradicting_pairs_are_counted_with_the_first_example() {
        let pairs = [(5, 6), (1, 2), (3, 4), (2, 1), (3, 4), (1, 2), (3, 4), (4, 3), (7, 8)];
        let found = Answers::from_iter(pairs).repeats();
        assert_eq!(found.repeated, RepeatCount { count: 3, example: Some((2, 4)) });
        assert_eq!(found.both_orders, RepeatCount { count: 2, example: Some((1, 3)) });
        assert_eq!(Answers::from_iter([(1, 2), (2, 3)]).repeats(), Repeats::default());
    }

    #[test]
    fn pairs_are_the_same_in_either_order() {
        let found = AskedPairs::of([(5, 6), (1, 2), (6, 5), (7, 7), (5, 6), (7, 7)].into_iter());
        assert_eq!(found, AskedPairs { count: 3, again: vec![5 << 32 | 6, 7 << 32 | 7] });
    }

    #[test]
    fn a_tie_contradicts_nothing_and_repeats_another_tie_in_either_order() {
        let pairs = Answers::from_iter([(1, 2), (2, 1), (1, 2)]);
        let found = pairs.tied(vec![false, true, true]).unwrap().repeats();
        assert_eq!(found.both_orders.count, 0);
        assert_eq!(found.repeated, RepeatCount { count: 1, example: Some((1, 2)) });
    }
}
