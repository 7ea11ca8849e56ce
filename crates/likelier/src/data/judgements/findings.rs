//! What is allowed in comparisons but worth a word: pairs that occur more than once.

use rayon::prelude::*;

use crate::data::Comparisons;

/// What is allowed but odd.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// Comparisons that say again what an earlier one says.
    pub repeated: Repeats,
    /// Pairs of items that were judged both ways.
    pub both_orders: Repeats,
}

/// How often something occurs, with the first example.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repeats {
    /// How often.
    pub count: usize,
    /// The two comparisons, counted from 0, of which the second is the first to repeat or to contradict.
    pub example: Option<(usize, usize)>,
}

impl Repeats {
    fn add(&mut self, count: usize, first: usize, second: usize) {
        self.count += count;
        if self.example.is_none_or(|(_, known)| second < known) {
            self.example = Some((first, second));
        }
    }
}

impl Findings {
    /// Looks through all comparisons.
    pub fn of(comparisons: &Comparisons) -> Self {
        // By pair whatever its order, then by order, then by place.
        let key = |(at, (likelier, other)): (usize, (u32, u32))| {
            (likelier.min(other), likelier.max(other), likelier > other, at)
        };
        let mut keys: Vec<_> = comparisons.iter().enumerate().map(key).collect();
        keys.par_sort_unstable();
        let mut findings = Self::default();
        for pair in keys.chunk_by(|left, right| (left.0, left.1) == (right.0, right.1)) {
            for same in pair.chunk_by(|left, right| left.2 == right.2).filter(|same| same.len() > 1) {
                findings.repeated.add(same.len() - 1, same[0].3, same[1].3);
            }
            let start = pair.partition_point(|one| !one.2);
            if let (Some(forward), Some(backward)) = (pair[..start].first(), pair[start..].first()) {
                let (first, second) = (forward.3.min(backward.3), forward.3.max(backward.3));
                findings.both_orders.add(1, first, second);
            }
        }
        findings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_and_contradicting_pairs_are_counted_with_the_first_example() {
        let pairs = [(5, 6), (1, 2), (3, 4), (2, 1), (3, 4), (1, 2), (3, 4), (4, 3), (7, 8)];
        let findings = Findings::of(&pairs.into_iter().collect());
        assert_eq!(findings.repeated, Repeats { count: 3, example: Some((2, 4)) });
        assert_eq!(findings.both_orders, Repeats { count: 2, example: Some((1, 3)) });
        assert_eq!(Findings::of(&Comparisons::from_iter([(1, 2), (2, 3)])), Findings::default());
    }
}
