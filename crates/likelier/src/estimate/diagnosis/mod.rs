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
use crate::data::Comparisons;
use crate::error::Error;
use cycles::knots;

/// What was recorded.
#[derive(Clone, Copy, Debug)]
pub struct Records<'a> {
    /// How many items there are, compared or not.
    pub items: usize,
    /// The comparisons, ties among them in either order.
    pub comparisons: &'a Comparisons,
    /// Who made each comparison.
    pub annotators: Option<Annotators<'a>>,
    /// Whether each comparison was called a tie.
    pub ties: Option<&'a [bool]>,
    /// Whether the item said to be likelier was shown on the left.
    pub picked_left: Option<&'a [bool]>,
}

/// Who made each comparison.
#[derive(Clone, Copy, Debug)]
pub struct Annotators<'a> {
    /// An index into `names` for each comparison.
    pub of: &'a [u32],
    /// What they are called.
    pub names: &'a [String],
}

impl<'a> Records<'a> {
    /// Comparisons of which nothing else is known.
    pub fn new(items: usize, comparisons: &'a Comparisons) -> Self {
        Self { items, comparisons, annotators: None, ties: None, picked_left: None }
    }
}

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
    /// Looks through the records; `level` is that of the intervals.
    pub fn new(records: &Records<'_>, level: f64) -> Result<Self, Error> {
        check_level(level)?;
        check(records)?;
        let (items, comparisons) = (records.items, records.comparisons);
        let is_tie = |at: usize| records.ties.is_some_and(|ties| ties[at]);
        let decided = || (0..comparisons.len()).filter(|at| !is_tie(*at));

        let pairs = Pairs::new(comparisons, items);
        let (mut asked_again, mut contradicted, mut repeated) = (AskedAgain::default(), 0, 0);
        for answers in pairs.iter() {
            repeated += usize::from(answers.len() > 1);
            // Two by two, so that no answer counts twice.
            let orders: Vec<bool> =
                answers.iter().filter(|answer| !is_tie(answer.at)).map(|a| a.forward).collect();
            contradicted += usize::from(orders.contains(&true) && orders.contains(&false));
            for two in orders.chunks_exact(2) {
                asked_again.answers += 1;
                asked_again.disagreements += usize::from(two[0] != two[1]);
            }
        }

        let edges: Vec<(u32, u32)> = {
            let all: Vec<(u32, u32)> = comparisons.iter().collect();
            decided().map(|at| all[at]).collect()
        };
        let knots = knots(items, &edges);
        let islands = Islands::new(comparisons, items);
        let count = |flags: &[bool], among: &mut dyn Iterator<Item = usize>| {
            let (mut hits, mut of) = (0, 0);
            for at in among {
                hits += usize::from(flags[at]);
                of += 1;
            }
            share_interval(hits, of, level)
        };
        Ok(Self {
            items,
            comparisons: comparisons.len(),
            with_itself: comparisons.iter().filter(|(a, b)| a == b).count(),
            pairs: pairs.count(),
            repeated_pairs: repeated,
            contradicted_pairs: contradicted,
            asked_again,
            knots: knots.len(),
            largest_knot: knots.iter().copied().max().unwrap_or(0),
            never_compared: islands.never_compared,
            islands: islands.count,
            largest_island: islands.largest,
            ties: records.ties.map(|ties| count(ties, &mut (0..ties.len()))),
            picked_left: records.picked_left.map(|left| count(left, &mut decided())),
            annotators: records.annotators.map(|annotators| {
                AnnotatorReport::new(&annotators, &pairs, comparisons.len(), &is_tie, level)
            }),
        })
    }
}

/// Refuses lists that do not belong together and indices of nothing.
fn check(records: &Records<'_>) -> Result<(), Error> {
    let count = records.comparisons.len();
    records.comparisons.piles().check(records.items)?;
    let lengths = [
        ("annotators", records.annotators.map(|annotators| annotators.of.len())),
        ("ties", records.ties.map(<[bool]>::len)),
        ("sides", records.picked_left.map(<[bool]>::len)),
    ];
    for (what, length) in lengths {
        if let Some(length) = length.filter(|length| *length != count) {
            return Err(Error::mismatch(what, length, "comparisons", count));
        }
    }
    if let Some(annotators) = records.annotators
        && let Some(index) = annotators.of.iter().find(|index| **index as usize >= annotators.names.len())
    {
        return Err(Error::Setting {
            name: "the annotator of a comparison",
            value: index.to_string(),
            allowed: "an index into the list of annotators' names",
        });
    }
    Ok(())
}

/// One answer to a pair: the two items, the smaller index first; which comparison; and whether the first
/// was said to be likelier.
#[derive(Clone, Copy, Debug)]
struct Answer {
    pair: [u32; 2],
    at: usize,
    forward: bool,
}

/// All answers, those to the same pair together, in the order in which they were given.
struct Pairs(Vec<Answer>);

impl Pairs {
    fn new(comparisons: &Comparisons, items: usize) -> Self {
        let answers = comparisons
            .iter()
            .enumerate()
            .filter(|(_, (a, b))| a != b)
            .map(|(at, (a, b))| Answer { pair: [a.min(b), a.max(b)], at, forward: a < b });
        let by_second = counting_sort(&answers.collect::<Vec<_>>(), items, |answer| answer.pair[1]);
        Self(counting_sort(&by_second, items, |answer| answer.pair[0]))
    }

    fn iter(&self) -> impl Iterator<Item = &[Answer]> {
        self.0.chunk_by(|a, b| a.pair == b.pair)
    }

    fn count(&self) -> usize {
        self.iter().count()
    }
}

/// Answers by an item, in linear time; equal ones stay in their order.
fn counting_sort(answers: &[Answer], items: usize, key: impl Fn(&Answer) -> u32) -> Vec<Answer> {
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
