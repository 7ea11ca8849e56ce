//! What a classifier is judged on: the scores it gave to comparisons it did not learn from.

use crate::data::{AnswerGroups, Comparisons, Pile};
use crate::error::Error;

/// Fewer comparisons than this say nothing worth an interval.
const FEWEST: usize = 10;

/// Scores of held-out comparisons, checked once.
#[derive(Clone, Debug)]
pub struct HeldOut<'a> {
    scores: [&'a [f32]; 2],
    weights: Option<&'a [f32]>,
    answers: AnswerGroups<'a>,
    comparisons: Option<&'a Comparisons>,
    /// Which likelier and which other items count; all if absent.
    counted: Option<&'a [Vec<bool>; 2]>,
    dependence: Dependence,
}

/// Which observations depend on each other.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Dependence {
    /// The two items of a comparison, and nothing else.
    Comparisons,
    /// Also comparisons that share an item.
    Items(SharedItems),
    /// Nothing: two loose piles.
    Loose,
}

/// Who takes part in which comparison, numbered without gaps.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SharedItems {
    /// The two items of each comparison.
    pub(super) ends: Vec<[u32; 2]>,
    /// How many items there are.
    pub(super) items: usize,
    /// Which pair of items each comparison is between, in whichever order.
    pub(super) dyads: Vec<u32>,
    /// How many such pairs there are.
    pub(super) dyad_count: usize,
}

impl<'a> HeldOut<'a> {
    /// Scores of comparisons: `likelier[i]` was compared with `other[i]`.
    ///
    /// Comparisons are taken to be independent; see [`HeldOut::of`] where items occur again.
    pub fn pairs(likelier: &'a [f32], other: &'a [f32]) -> Result<Self, Error> {
        if likelier.len() != other.len() {
            return Err(Error::mismatch("likelier scores", likelier.len(), "other scores", other.len()));
        }
        Self::checked(likelier, other, Dependence::Comparisons)
    }

    /// Scores of two piles that are not paired, and may differ in size.
    pub fn loose(likelier: &'a [f32], other: &'a [f32]) -> Result<Self, Error> {
        Self::checked(likelier, other, Dependence::Loose)
    }

    fn checked(likelier: &'a [f32], other: &'a [f32], dependence: Dependence) -> Result<Self, Error> {
        let scores = [likelier, other];
        for (pile, scores) in Pile::BOTH.into_iter().zip(scores) {
            if let Some(at) = scores.iter().position(|score| !score.is_finite()) {
                return Err(Error::Score { pile, position: at, value: scores[at] });
            }
        }
        enough(likelier.len().min(other.len()))?;
        Ok(Self {
            scores,
            weights: None,
            answers: AnswerGroups::default(),
            comparisons: None,
            counted: None,
            dependence,
        })
    }

    /// The same, knowing which items were compared and how much each comparison counts. Where an item occurs
    /// in several comparisons these depend on each other, and every interval allows for it; the two halves of
    /// a tie are one observation.
    pub fn of(self, comparisons: &'a Comparisons) -> Result<Self, Error> {
        if self.dependence == Dependence::Loose {
            return Err(Error::NotPaired { method: "the list of compared items" });
        }
        if comparisons.len() != self.scores[0].len() {
            let (scored, listed) = (self.scores[0].len(), comparisons.len());
            return Err(Error::mismatch("scored comparisons", scored, "listed comparisons", listed));
        }
        let (answers, weights) = (comparisons.groups(), comparisons.judging_weights());
        let counts = |at: &usize| weights.is_none_or(|weights| weights[*at] > 0.0);
        let first = |at: &usize| *at == 0 || answers.of(*at) != answers.of(at - 1);
        enough((0..comparisons.len()).filter(first).filter(counts).count())?;
        Ok(Self {
            dependence: SharedItems::find(comparisons).map_or(Dependence::Comparisons, Dependence::Items),
            weights,
            answers,
            comparisons: Some(comparisons),
            ..self
        })
    }

    /// The same, where of some comparisons only one item was held out: the scores of the others do not count.
    /// Each estimate needs no more than what the two piles look like one by one.
    pub fn counting(self, counted: &'a [Vec<bool>; 2]) -> Result<Self, Error> {
        for counted in counted {
            if counted.len() != self.scores[0].len() {
                let scored = self.scores[0].len();
                return Err(Error::mismatch(
                    "sides that count",
                    counted.len(),
                    "scored comparisons",
                    scored,
                ));
            }
        }
        let counting = Self { counted: Some(counted), ..self };
        enough(counting.sizes().into_iter().min().unwrap_or(0))?;
        Ok(counting)
    }

    /// The scores of one pile.
    pub fn scores(&self, pile: Pile) -> &'a [f32] {
        self.scores[usize::from(pile == Pile::Other)]
    }

    /// The number of scores in each pile.
    pub(in crate::estimate) fn lengths(&self) -> [usize; 2] {
        self.scores.map(<[f32]>::len)
    }

    /// The number of answers behind the comparisons; of loose piles, the rows of each.
    pub(super) fn answered(&self) -> [usize; 2] {
        self.lengths().map(|length| self.answers.count(length))
    }

    /// The number of observations in each pile: answers whose item counts, or rows of loose piles.
    pub fn sizes(&self) -> [usize; 2] {
        if self.counted.is_none() {
            return self.answered();
        }
        [0, 1].map(|pile| {
            let mut answers: Vec<usize> = (0..self.scores[pile].len())
                .filter(|at| self.counts(pile, *at))
                .map(|at| self.answer(at))
                .collect();
            answers.dedup();
            answers.len()
        })
    }

    /// The number of different items that count; none where it is not known which items were compared.
    pub fn items(&self) -> Option<usize> {
        let comparisons = self.comparisons?;
        let mut items: Vec<u32> = comparisons
            .iter()
            .enumerate()
            .flat_map(|(at, (likelier, other))| [(0, at, likelier), (1, at, other)])
            .filter(|(pile, at, _)| self.counts(*pile, *at))
            .map(|(_, _, item)| item)
            .collect();
        items.sort_unstable();
        items.dedup();
        Some(items.len())
    }

    /// The comparisons, where it is known what was compared.
    pub(super) fn comparisons(&self) -> Option<&'a Comparisons> {
        self.comparisons
    }

    /// Whether the likelier (0) or the other (1) item of a comparison counts.
    pub(super) fn counts(&self, pile: usize, at: usize) -> bool {
        self.counted.is_none_or(|counted| counted[pile][at])
    }

    /// The answer that a comparison came from.
    pub(super) fn answer(&self, at: usize) -> usize {
        self.answers.of(at)
    }

    /// Whether some item occurs in several comparisons.
    pub fn items_repeat(&self) -> bool {
        matches!(self.dependence, Dependence::Items(_))
    }

    pub(super) fn dependence(&self) -> &Dependence {
        &self.dependence
    }

    /// How much an observation counts.
    pub(in crate::estimate) fn weight(&self, at: usize) -> f64 {
        self.weights.map_or(1.0, |weights| f64::from(weights[at]))
    }

    /// Every observation that counts, as (pile, position, score).
    pub(in crate::estimate) fn iter(&self) -> impl Iterator<Item = (usize, usize, f32)> + '_ {
        let of_pile = |pile: usize| self.scores[pile].iter().enumerate();
        (0..2)
            .flat_map(move |pile| of_pile(pile).map(move |(at, score)| (pile, at, *score)))
            .filter(|(pile, at, _)| self.counts(*pile, *at))
    }
}

fn enough(found: usize) -> Result<(), Error> {
    if found < FEWEST { Err(Error::TooFewComparisons { found, needed: FEWEST }) } else { Ok(()) }
}

impl SharedItems {
    /// None when no item occurs in two answers.
    fn find(comparisons: &Comparisons) -> Option<Self> {
        let pairs: Vec<[u32; 2]> = comparisons.iter().map(|(likelier, other)| [likelier, other]).collect();
        let (ends, items) = numbered(pairs.as_flattened());
        let (ends, _) = ends.as_chunks::<2>();
        // The halves of a tie share their items, but are one answer.
        if items == 2 * comparisons.answers() {
            return None;
        }
        let unordered: Vec<[u32; 2]> = ends.iter().map(|[a, b]| [*a.min(b), *a.max(b)]).collect();
        let (dyads, dyad_count) = numbered(&unordered);
        Some(Self { ends: ends.to_vec(), items, dyads, dyad_count })
    }
}

/// Numbers without gaps for values with any, in their order, and how many there are.
fn numbered<T: Ord + Copy>(values: &[T]) -> (Vec<u32>, usize) {
    let mut places: Vec<(T, u32)> = values.iter().copied().zip(0..).collect();
    places.sort_unstable();
    let mut numbers = vec![0; values.len()];
    let mut distinct = 0;
    for equal in places.chunk_by(|one, two| one.0 == two.0) {
        for (_, place) in equal {
            numbers[*place as usize] = distinct;
        }
        distinct += 1;
    }
    (numbers, distinct as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Answers;

    const TEN: [f32; 10] = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];

    #[test]
    fn what_cannot_be_judged_is_refused_in_words() {
        let message = |result: Result<HeldOut<'_>, Error>| result.unwrap_err().to_string();
        assert_eq!(
            message(HeldOut::pairs(&TEN[..7], &TEN[..7])),
            "7 held-out comparisons are too few to judge a classifier; at least 10 are needed"
        );
        let mut broken = TEN;
        broken[3] = f32::NAN;
        assert_eq!(
            message(HeldOut::pairs(&TEN, &broken)),
            "score 3 (counted from 0) of the other pile is NaN; scores must be finite"
        );
        assert!(message(HeldOut::pairs(&TEN, &TEN[1..])).contains("10 likelier scores"));
        let pairs = HeldOut::pairs(&TEN, &TEN).unwrap();
        let apart: Comparisons = (0..10).map(|k| (2 * k, 2 * k + 1)).collect();
        let weighted = apart.clone().weighted(TEN.to_vec()).unwrap();
        assert!(message(pairs.clone().of(&weighted)).starts_with("9 held-out"), "one weighs nothing");
        assert!(message(pairs.of(&Comparisons::default())).contains("0 listed"));
        let loose = HeldOut::loose(&TEN, &[0.0; 12]).unwrap();
        assert!(matches!(loose.clone().of(&weighted), Err(Error::NotPaired { .. })));
        assert!(matches!(loose.of(&Comparisons::default()), Err(Error::NotPaired { .. })));
    }

    #[test]
    fn a_tie_alone_does_not_make_its_items_repeat() {
        let answers: Answers = (0..10).map(|k| (2 * k, 2 * k + 1)).collect();
        let scores = [TEN, TEN].concat();
        let of = |answers: &Answers| {
            let comparisons = answers.comparisons();
            let held_out = HeldOut::pairs(&scores, &scores).unwrap().of(&comparisons).unwrap();
            (held_out.items_repeat(), held_out.sizes())
        };
        assert_eq!(of(&answers.clone().tied(vec![true; 10]).unwrap()), (false, [10, 10]));
        let shared: Answers = (0..10).map(|k| (2 * k, if k == 3 { 1 } else { 2 * k + 1 })).collect();
        assert_eq!(of(&shared.tied(vec![true; 10]).unwrap()), (true, [10, 10]));
    }

    #[test]
    fn repeated_items_are_found_and_numbered_without_gaps() {
        let pairs = HeldOut::pairs(&TEN, &TEN).unwrap();
        let apart: Comparisons = (0..10).map(|k| (7 * k, 7 * k + 1)).collect();
        assert!(!pairs.clone().of(&apart).unwrap().items_repeat());
        let shared: Comparisons = (0..10).map(|k| (4_000_000_000, if k == 4 { 5 } else { k })).collect();
        let held_out = pairs.of(&shared).unwrap();
        let Dependence::Items(shared) = held_out.dependence() else { panic!("items repeat") };
        assert_eq!((shared.items, shared.dyad_count), (10, 9));
        assert_eq!((shared.ends[0], shared.ends[4], shared.ends[5]), ([9, 0], [9, 4], [9, 4]));
        assert_eq!(shared.dyads[4], shared.dyads[5]);
    }
}
