//! Which comparisons were made within which group: as noted, or as the islands of comparisons show.

use super::Diagnosis;
use crate::data::{Answers, sort};
use crate::estimate::components::Components;

/// The groups that pairs come in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FoundGroups {
    /// The group of each answer.
    pub(crate) of: Vec<u32>,
    /// How many there are.
    pub(crate) count: usize,
    /// Whether nobody said so, but no comparison joins them.
    pub(crate) by_islands: bool,
}

/// Islands of fewer pairs than this are no topics: where items hardly recur, every comparison is an island.
const FEWEST_PAIRS: usize = 6;

impl FoundGroups {
    /// The groups of the column, else islands if there are several and each is small beside the whole.
    pub(crate) fn find(answers: &Answers, items: usize) -> Option<Self> {
        if let Some(groups) = answers.groups() {
            let named = groups.of.iter().any(|group| !groups.names.get(*group as usize).is_empty());
            let count = groups.names.len();
            return (named && count > 1).then(|| Self { of: groups.of.clone(), count, by_islands: false });
        }
        Self::islands(answers, &Components::of(answers.pairs().iter().copied(), items))
    }

    /// Islands, if there are several and each is small beside the whole.
    fn islands(answers: &Answers, components: &Components) -> Option<Self> {
        let all = answers.pairs();
        // Items that hang together are joined by one pair less at the least: most often one island has most pairs.
        if 2 * components.largest().saturating_sub(1) > all.len() {
            return None;
        }
        let mut pairs: Vec<(u32, u32, u32)> =
            all.iter().map(|(a, b)| (components.root(*a), *a.min(b), *a.max(b))).collect();
        sort(&mut pairs);
        pairs.dedup();
        let sizes: Vec<usize> = pairs.chunk_by(|a, b| a.0 == b.0).map(<[_]>::len).collect();
        let large: usize = sizes.iter().filter(|size| **size >= FEWEST_PAIRS).sum();
        let largest = sizes.iter().copied().max().unwrap_or(0);
        if sizes.len() < 2 || 2 * largest > pairs.len() || 4 * large < 3 * pairs.len() {
            return None;
        }
        let mut roots: Vec<u32> = pairs.iter().map(|pair| pair.0).collect();
        roots.dedup();
        let number = |item: u32| roots.partition_point(|root| *root < components.root(item)) as u32;
        let of = all.iter().map(|(a, _)| number(*a)).collect();
        Some(Self { of, count: roots.len(), by_islands: true })
    }
}

impl Diagnosis {
    /// The groups that the pairs come in, where they do.
    pub(crate) fn found_groups(&self) -> Option<&FoundGroups> {
        self.found_groups.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{PairGroups, Texts};

    /// `count` islands of ten items, each compared with the next three.
    fn islands(count: u32) -> Answers {
        let pairs = |island: u32| {
            (0..10_u32)
                .flat_map(move |a| (1..4).map(move |step| (10 * island + a, 10 * island + (a + step) % 10)))
        };
        (0..count).flat_map(pairs).collect()
    }

    #[test]
    fn islands_are_groups_where_they_are_several_and_not_mere_pairs() {
        let found = FoundGroups::find(&islands(5), 50).unwrap();
        assert_eq!((found.count, found.by_islands, found.of.len()), (5, true, 150));
        assert!(found.of[..30].iter().all(|group| *group == found.of[0]));
        assert_eq!(FoundGroups::find(&islands(1), 10), None);
        let apart: Answers = (0..100).map(|k| (2 * k, 2 * k + 1)).collect();
        assert_eq!(FoundGroups::find(&apart, 200), None, "every comparison an island");
        let with_giant: Answers = islands(2)
            .pairs()
            .iter()
            .copied()
            .chain((20..300).map(|k| (k, k + 1)))
            .collect();
        assert_eq!(FoundGroups::find(&with_giant, 301), None);
    }

    #[test]
    fn the_largest_island_counts_its_items() {
        for (count, items) in [(5, 10), (1, 10)] {
            let answers = islands(count);
            let components = Components::of(answers.pairs().iter().copied(), 60);
            assert_eq!(components.largest(), items);
        }
        assert_eq!(Components::of([(0, 1), (1, 2), (3, 4), (2, 0)].into_iter(), 6).largest(), 3);
    }

    #[test]
    fn what_is_noted_goes_before_islands_and_blanks_alone_are_no_groups() {
        let noted = |names: &[&str], of: Vec<u32>| {
            let names: Texts = names.iter().collect();
            FoundGroups::find(&islands(2).grouped(PairGroups { names, of }).unwrap(), 20)
        };
        let found = noted(&["wine", ""], [vec![0; 30], vec![1; 30]].concat()).unwrap();
        assert_eq!((found.count, found.by_islands), (2, false));
        assert_eq!(noted(&[""], vec![0; 60]), None);
        assert_eq!(noted(&["wine"], vec![0; 60]), None, "one group is no groups");
    }
}
