//! What a list of comparisons looks like before anything is trained: contradictions, repetitions, cycles,
//! coverage, annotators, ties and sides. No scores, no prior; linear time.

mod annotators;
mod cycles;
mod findings;

use serde::Serialize;

pub use annotators::{Annotator, AnnotatorReport};
pub use findings::{Finding, Severity};

use super::Interval;
use super::components::Components;
use super::distribution::{check_level, share_interval};
use super::labeller::AskedAgain;
use crate::data::{Answers, Comparisons, ShownSide};
use crate::error::Error;
use cycles::knots;

/// What the comparisons look like.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Diagnosis {
    /// Items, compared or not.
    pub items: usize,
    /// Comparisons, ties included.
    pub comparisons: usize,
    /// Comparisons of an item with itself.
    pub with_itself: usize,
    /// Different pairs of items.
    pub pairs: usize,
    /// Pairs that were compared more than once.
    pub repeated_pairs: usize,
    /// Pairs that were recorded in both orders, ties apart.
    pub contradicted_pairs: usize,
    /// Answers to the same pair against each other, ties apart.
    pub asked_again: AskedAgain,
    /// Groups of items that are likelier than each other in a circle, ties apart.
    pub knots: usize,
    /// Items in the largest of them; 0 if there is none.
    pub largest_knot: usize,
    /// Items that were never compared.
    pub never_compared: usize,
    /// Groups of compared items that no comparison joins.
    pub islands: usize,
    /// Items in the largest of these.
    pub largest_island: usize,
    /// The share of ties, where ties were recorded.
    pub ties: Option<Interval>,
    /// How often the item on the left was picked, where sides were recorded; ties apart.
    pub picked_left: Option<Interval>,
    /// Each annotator, where annotators were recorded.
    pub annotators: Option<AnnotatorReport>,
}

impl Diagnosis {
    /// Looks through the answers about `items` items; `level` is that of the intervals.
    pub fn new(answers: &Answers, items: usize, level: f64) -> Result<Self, Error> {
        check_level(level)?;
        let all: Comparisons = answers.pairs().iter().copied().collect();
        all.piles().check(items)?;
        let is_tie = |at: usize| answers.is_tie(at);
        let decided = || (0..answers.len()).filter(|at| !is_tie(*at));

        let pairs = Pairs::new(answers.pairs(), items);
        let (mut asked_again, mut contradicted, mut repeated) = (AskedAgain::default(), 0, 0);
        for given in pairs.iter() {
            repeated += usize::from(given.len() > 1);
            // Two by two, so that no answer counts twice.
            let orders: Vec<bool> =
                given.iter().filter(|answer| !is_tie(answer.at)).map(|a| a.forward).collect();
            contradicted += usize::from(orders.contains(&true) && orders.contains(&false));
            for two in orders.chunks_exact(2) {
                asked_again.answers += 1;
                asked_again.disagreements += usize::from(two[0] != two[1]);
            }
        }

        let edges: Vec<(u32, u32)> = decided().map(|at| answers.pairs()[at]).collect();
        let knots = knots(items, &edges);
        let islands = Islands::new(&all, items);
        let ties =
            |ties: &[bool]| share_interval(ties.iter().filter(|tie| **tie).count(), ties.len(), level);
        let picked_left = |sides: &[Option<ShownSide>]| {
            let seen: Vec<ShownSide> = decided().filter_map(|at| sides[at]).collect();
            let left = seen.iter().filter(|side| **side == ShownSide::Left).count();
            (!seen.is_empty()).then(|| share_interval(left, seen.len(), level))
        };
        Ok(Self {
            items,
            comparisons: answers.len(),
            with_itself: answers.pairs().iter().filter(|(a, b)| a == b).count(),
            pairs: pairs.count(),
            repeated_pairs: repeated,
            contradicted_pairs: contradicted,
            asked_again,
            knots: knots.len(),
            largest_knot: knots.iter().copied().max().unwrap_or(0),
            never_compared: islands.never_compared,
            islands: islands.count,
            largest_island: islands.largest,
            ties: answers.ties().map(ties),
            picked_left: answers.sides().and_then(picked_left),
            annotators: answers
                .annotators()
                .map(|annotators| AnnotatorReport::new(annotators, &pairs, answers.len(), &is_tie, level)),
        })
    }
}

/// One answer to a pair: the two items, the smaller index first; which comparison; and whether the first
/// was said to be likelier.
#[derive(Clone, Copy, Debug)]
struct PairAnswer {
    pair: [u32; 2],
    at: usize,
    forward: bool,
}

/// All answers, those to the same pair together, in the order in which they were given.
struct Pairs(Vec<PairAnswer>);

impl Pairs {
    fn new(pairs: &[(u32, u32)], items: usize) -> Self {
        let answers = pairs
            .iter()
            .enumerate()
            .filter(|(_, (a, b))| a != b)
            .map(|(at, &(a, b))| PairAnswer { pair: [a.min(b), a.max(b)], at, forward: a < b });
        let by_second = counting_sort(&answers.collect::<Vec<_>>(), items, |answer| answer.pair[1]);
        Self(counting_sort(&by_second, items, |answer| answer.pair[0]))
    }

    fn iter(&self) -> impl Iterator<Item = &[PairAnswer]> {
        self.0.chunk_by(|a, b| a.pair == b.pair)
    }

    fn count(&self) -> usize {
        self.iter().count()
    }
}

/// Answers by an item, in linear time; equal ones stay in their order.
fn counting_sort(
    answers: &[PairAnswer],
    items: usize,
    key: impl Fn(&PairAnswer) -> u32,
) -> Vec<PairAnswer> {
    let mut next = vec![0; items + 1];
    for answer in answers {
        next[key(answer) as usize + 1] += 1;
    }
    for item in 0..items {
        next[item + 1] += next[item];
    }
    let mut sorted = answers.to_vec();
    for answer in answers {
        let place = &mut next[key(answer) as usize];
        sorted[*place] = *answer;
        *place += 1;
    }
    sorted
}

/// Items that hang together by comparisons.
struct Islands {
    count: usize,
    largest: usize,
    never_compared: usize,
}

impl Islands {
    fn new(comparisons: &Comparisons, items: usize) -> Self {
        let components = Components::of(comparisons, items);
        let mut compared = vec![false; items];
        for (a, b) in comparisons.iter() {
            compared[a as usize] = true;
            compared[b as usize] = true;
        }
        let mut sizes = vec![0_usize; items];
        for item in (0..items as u32).filter(|item| compared[*item as usize]) {
            sizes[components.root(item) as usize] += 1;
        }
        Self {
            count: sizes.iter().filter(|size| **size > 0).count(),
            largest: sizes.iter().copied().max().unwrap_or(0),
            never_compared: compared.iter().filter(|compared| !**compared).count(),
        }
    }
}
