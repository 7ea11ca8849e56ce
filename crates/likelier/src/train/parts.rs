//! What is trained on and what is held out.
//!
//! Where no item is compared twice, a random share of the answers is held out. Where items recur, that would be
//! a leak: the model knows the items of a held-out comparison from their other answers. Then items are held out
//! ([`hold_out_items`]). A comparison is trained on if neither of its items is out, held out if both are, and
//! neither if one is.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::data::{
    AnswerGroups, ItemRule, Pile, Piles, Reach, Told, answered_pairs, hold_out_items, items_recur,
};
use crate::random::{Rng, shuffle};

/// At most this share of the answers is lost for training, or what is to be held out if that is more.
const MOST_TOUCHED: f64 = 0.4;
/// An epoch is not chosen by fewer held-out answers, unless no more are wanted.
const FEWEST_HELD_OUT: usize = 20;

/// The two piles of row indices that training uses, and those that are kept apart. Where none are, the piles are
/// used as they are.
#[derive(Clone, Debug)]
pub(super) struct Parts<'a> {
    pub(super) trained: [Cow<'a, [u32]>; 2],
    pub(super) held_out: [Vec<u32>; 2],
    /// How much each comparison counts, where that differs.
    pub(super) trained_weights: Option<Cow<'a, [f32]>>,
    pub(super) held_out_weights: Option<Vec<f32>>,
    /// How much each comparison that is trained on counts where the level is held, if that differs from its weight.
    pub(super) level_weights: Option<Cow<'a, [f32]>>,
    /// What else is known of each comparison that is trained on, where something is.
    pub(super) told: Option<Cow<'a, [Told]>>,
    /// Answers that are trained on, and answers kept apart; of loose piles, rows of the larger one.
    pub(super) answers: [usize; 2],
    paired: bool,
}

impl<'a> Parts<'a> {
    /// Takes a random share of the answers (or of each loose pile) out; at least one stays in. The piles know
    /// no item beyond the first `items`.
    pub(super) fn new(piles: Piles<'a>, items: usize, share: f64, rng: &mut impl Rng) -> Self {
        let mut parts = Self {
            trained: Pile::BOTH.map(|pile| Cow::Borrowed(piles.rows(pile))),
            held_out: Default::default(),
            trained_weights: piles.weights().map(Cow::Borrowed),
            held_out_weights: piles.weights().map(|_| Vec::new()),
            level_weights: piles.level_weights().map(Cow::Borrowed),
            told: piles.told().map(Cow::Borrowed),
            answers: [piles.answers(), 0],
            paired: piles.are_paired(),
        };
        if share <= 0.0 {
            return parts;
        }
        if piles.are_paired() {
            let [out, kept] = deal_paired(piles, items, share, rng);
            for (at, pile) in Pile::BOTH.into_iter().enumerate() {
                parts.held_out[at] = pick(piles.rows(pile), &out.places);
                parts.trained[at] = pick(piles.rows(pile), &kept.places).into();
            }
            if let Some(weights) = piles.weights() {
                parts.held_out_weights = Some(pick(weights, &out.places));
                parts.trained_weights = Some(pick(weights, &kept.places).into());
            }
            parts.level_weights = piles.level_weights().map(|weights| pick(weights, &kept.places).into());
            parts.told = piles.told().map(|told| pick(told, &kept.places).into());
            parts.answers = [kept.answers, out.answers];
            return parts;
        }
        let [out, kept] = deal_loose(piles, items, share, rng);
        for (at, pile) in Pile::BOTH.into_iter().enumerate() {
            parts.held_out[at] = pick(piles.rows(pile), &out[at].places);
            parts.trained[at] = pick(piles.rows(pile), &kept[at].places).into();
        }
        parts.answers = [kept, out].map(|[likelier, other]| likelier.answers.max(other.answers));
        parts
    }

    /// How much each comparison that is trained on counts for what is true of the population.
    pub(super) fn population_weights(&self) -> Option<&[f32]> {
        self.level_weights.as_deref().or(self.trained_weights.as_deref())
    }

    /// The piles that training uses.
    pub(super) fn piles(&self) -> Piles<'_> {
        Piles::of(&self.trained[0], &self.trained[1], self.paired)
    }
}

/// Places in a list, and how many answers they are.
struct Dealt {
    places: Vec<u32>,
    answers: usize,
}

impl Dealt {
    /// The places of the answers that are wanted.
    fn of(piles: Piles<'_>, is_wanted: impl Fn(usize) -> bool) -> Self {
        let groups = piles.groups();
        let all = piles.rows(Pile::Likelier).len();
        let places: Vec<u32> = (0..all as u32).filter(|at| is_wanted(groups.of(*at as usize))).collect();
        let answers = (0..groups.count(all)).filter(|answer| is_wanted(*answer)).count();
        Self { places, answers }
    }
}

/// What is held out and what is trained on.
fn deal_paired(piles: Piles<'_>, items: usize, share: f64, rng: &mut impl Rng) -> [Dealt; 2] {
    let by_answer = |rng: &mut _| deal(piles.groups(), piles.rows(Pile::Likelier).len(), share, rng);
    if !items_recur(piles, items) {
        return by_answer(rng);
    }
    deal_items(piles, items, share, rng)
        .or_else(|| deal_pairs(piles, share, rng))
        .unwrap_or_else(|| by_answer(rng))
}

/// By items; none if too few answers have both items held out, as with few items that are all compared with
/// each other.
fn deal_items(piles: Piles<'_>, items: usize, share: f64, rng: &mut impl Rng) -> Option<[Dealt; 2]> {
    let most_touched = share.max(MOST_TOUCHED);
    let rule = ItemRule { share, counted: Reach::BothItems, fewest_items: 0, most_touched };
    let is_out = hold_out_items(piles, items, &rule, rng);
    let pairs = answered_pairs(piles);
    let both = |answer: usize, out: bool| pairs[answer].iter().all(|item| is_out[*item as usize] == out);
    let dealt = [true, false].map(|out| Dealt::of(piles, |answer| both(answer, out)));
    (dealt[0].answers >= FEWEST_HELD_OUT.min(wanted(pairs.len(), share)) && dealt[0].answers > 0)
        .then_some(dealt)
}

/// By pairs, all answers on two items together; none if each pair has too many.
fn deal_pairs(piles: Piles<'_>, share: f64, rng: &mut impl Rng) -> Option<[Dealt; 2]> {
    let mut of_pair: BTreeMap<[u32; 2], Vec<usize>> = BTreeMap::new();
    let pairs = answered_pairs(piles);
    for (answer, [a, b]) in pairs.iter().enumerate() {
        of_pair.entry([*a.min(b), *a.max(b)]).or_default().push(answer);
    }
    let mut order: Vec<&Vec<usize>> = of_pair.values().collect();
    shuffle(rng, &mut order);
    let (wanted, most) = (wanted(pairs.len(), share), wanted(pairs.len(), share.max(MOST_TOUCHED)));
    let mut is_out = vec![false; pairs.len()];
    let mut out = 0;
    for answers in order {
        if out < wanted && out + answers.len() <= most {
            out += answers.len();
            for answer in answers {
                is_out[*answer] = true;
            }
        }
    }
    (out > 0).then(|| [true, false].map(|out| Dealt::of(piles, |answer| is_out[answer] == out)))
}

/// The same for each loose pile. A row that occurs twice is held out, or trained on, in all its places.
fn deal_loose(piles: Piles<'_>, items: usize, share: f64, rng: &mut impl Rng) -> [[Dealt; 2]; 2] {
    let rows = Pile::BOTH.map(|pile| piles.rows(pile));
    let mut distinct: Vec<u32> = Vec::new();
    let mut seen = vec![false; items];
    for row in rows.into_iter().flatten() {
        if !std::mem::replace(&mut seen[*row as usize], true) {
            distinct.push(*row);
        }
    }
    if distinct.len() < rows[0].len() + rows[1].len() {
        shuffle(rng, &mut distinct);
        for row in &distinct[wanted(distinct.len(), share)..] {
            seen[*row as usize] = false;
        }
        let places = |rows: &[u32], out: bool| {
            let places: Vec<u32> = (0..rows.len() as u32)
                .filter(|at| seen[rows[*at as usize] as usize] == out)
                .collect();
            Dealt { answers: places.len(), places }
        };
        let dealt = [true, false].map(|out| rows.map(|rows| places(rows, out)));
        if dealt.iter().flatten().all(|part| part.answers > 0) {
            return dealt;
        }
    }
    let [[likelier_out, likelier], [other_out, other]] =
        rows.map(|rows| deal(AnswerGroups::default(), rows.len(), share, rng));
    [[likelier_out, other_out], [likelier, other]]
}

/// A share of the answers, but never all.
fn wanted(answers: usize, share: f64) -> usize {
    ((share * answers as f64).round() as usize).min(answers.saturating_sub(1))
}

/// A random share of the answers, and the rest, both in random order.
fn deal(groups: AnswerGroups<'_>, places: usize, share: f64, rng: &mut impl Rng) -> [Dealt; 2] {
    let answers = groups.count(places);
    let mut order: Vec<u32> = (0..answers as u32).collect();
    shuffle(rng, &mut order);
    let mut starts: Vec<u32> = Vec::with_capacity(answers + 1);
    for place in 0..places {
        if groups.of(place) == starts.len() {
            starts.push(place as u32);
        }
    }
    starts.push(places as u32);
    let (out, kept) = order.split_at(wanted(answers, share));
    [out, kept].map(|order| Dealt {
        places: order
            .iter()
            .flat_map(|answer| starts[*answer as usize]..starts[*answer as usize + 1])
            .collect(),
        answers: order.len(),
    })
}

fn pick<T: Copy>(values: &[T], places: &[u32]) -> Vec<T> {
    places.iter().map(|place| values[*place as usize]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Answers, Comparisons};
    use crate::random::{Purpose, stream};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn held_out_pairs_stay_pairs_and_nothing_is_lost() {
        let comparisons: Comparisons = (0..50).map(|k| (k, k + 100)).collect();
        let parts = Parts::new(comparisons.piles(), 200, 0.2, &mut stream(1, Purpose::HoldOut));
        assert_eq!((parts.trained[0].len(), parts.held_out[0].len()), (40, 10));
        let mut all = Vec::new();
        let held_out = parts.held_out.map(Cow::Owned);
        for part in [&parts.trained, &held_out] {
            for (likelier, other) in part[0].iter().zip(part[1].iter()) {
                assert_eq!(likelier + 100, *other);
                all.push(*likelier);
            }
        }
        all.sort_unstable();
        assert_eq!(all, (0..50).collect::<Vec<_>>());
    }

    #[test]
    fn without_a_share_the_piles_are_left_as_they_are() {
        let comparisons: Comparisons = (0..5).map(|k| (k, k + 100)).collect();
        let parts = Parts::new(comparisons.piles(), 200, 0.0, &mut stream(1, Purpose::HoldOut));
        assert_eq!(
            parts.trained.each_ref().map(|pile| pile.to_vec()),
            [vec![0, 1, 2, 3, 4], vec![100, 101, 102, 103, 104]]
        );
        assert!(matches!(parts.trained[0], Cow::Borrowed(_)), "nothing is copied");
    }

    #[test]
    fn the_halves_of_a_tie_are_held_out_together() {
        let answers: Answers = (0..40).map(|k| (k, k + 100)).collect();
        let comparisons = answers.tied((0..40).map(|k| k % 2 == 0).collect()).unwrap().comparisons();
        let parts = Parts::new(comparisons.piles(), 200, 0.25, &mut stream(1, Purpose::HoldOut));
        assert_eq!(parts.answers, [30, 10]);
        let pairs: Vec<(u32, u32)> = parts.held_out[0]
            .iter()
            .copied()
            .zip(parts.held_out[1].iter().copied())
            .collect();
        let weights = parts.held_out_weights.unwrap();
        assert_eq!(weights.iter().sum::<f32>(), 10.0);
        for (at, (likelier, other)) in pairs.iter().enumerate() {
            assert_eq!(weights[at] == 0.5, pairs.contains(&(*other, *likelier)));
        }
    }

    #[test]
    fn one_comparison_is_never_held_out() {
        let one = Comparisons::from_iter([(1, 2)]);
        let parts = Parts::new(one.piles(), 3, 0.9, &mut stream(1, Purpose::HoldOut));
        assert_eq!((parts.trained[0].len(), parts.held_out[0].len()), (1, 0));
    }

    #[test]
    fn where_no_item_recurs_the_dealing_is_the_one_that_archived_runs_rest_on() {
        let comparisons: Comparisons = (0..12).map(|k| (k, k + 12)).collect();
        let parts = Parts::new(comparisons.piles(), 24, 0.3, &mut stream(7, Purpose::HoldOut));
        assert_eq!(parts.held_out[0], [2, 11, 10, 8]);
        assert_eq!(parts.trained[0].to_vec(), [3, 0, 5, 9, 1, 6, 7, 4]);
        let piles = Piles::loose(&[0, 1, 2, 3, 4, 5], &[6, 7, 8, 9, 10, 11]);
        let parts = Parts::new(piles, 12, 0.3, &mut stream(7, Purpose::HoldOut));
        assert_eq!(parts.held_out, [[4, 1], [7, 9]]);
        assert_eq!(parts.trained.map(|pile| pile.to_vec()), [[0, 5, 3, 2], [11, 8, 6, 10]]);
    }

    /// Each comparison as (likelier, other), with its weight.
    type Listed = Vec<(u32, u32, u32)>;

    fn listed(rows: [&[u32]; 2], weights: Option<&[f32]>) -> Listed {
        let pairs = rows[0].iter().zip(rows[1]).enumerate();
        let weight = |at: usize| weights.map_or(1.0, |weights| weights[at]).to_bits();
        pairs.map(|(at, (likelier, other))| (*likelier, *other, weight(at))).collect()
    }

    proptest! {
        #[test]
        fn items_that_recur_are_held_out_with_all_their_comparisons(
            pairs in prop::collection::vec((0..400_u32, 1..400_u32), 200..500), share in 0.05..0.3_f64, seed: u64,
        ) {
            let answers: Answers = pairs.iter().map(|(a, step)| (*a, (a + step) % 400)).collect();
            let ties: Vec<bool> = (0..pairs.len()).map(|at| at % 4 == 0).collect();
            let all = answers.tied(ties).unwrap().comparisons();
            let parts = Parts::new(all.piles(), 400, share, &mut stream(seed, Purpose::HoldOut));
            let held_out = listed(parts.held_out.each_ref().map(|rows| &rows[..]), parts.held_out_weights.as_deref());
            let trained = listed(parts.trained.each_ref().map(|rows| &rows[..]), parts.trained_weights.as_deref());
            let mut is_out = [false; 400];
            for (likelier, other, _) in &held_out {
                is_out[*likelier as usize] = true;
                is_out[*other as usize] = true;
            }
            let neither = |(a, b): (u32, u32)| !is_out[a as usize] && !is_out[b as usize];
            prop_assert!(trained.iter().all(|(a, b, _)| neither((*a, *b))), "an item that is held out is trained on");
            prop_assert!(parts.answers[1] >= 20.min((share * pairs.len() as f64).round() as usize));
            prop_assert!(parts.answers[0] >= pairs.len() * 3 / 5);
            // The halves of a tie go together, and everything is where it belongs, once, with its weight.
            let expected = |wanted: &dyn Fn((u32, u32)) -> bool| -> Listed {
                let weights = all.weights().unwrap();
                let each = all.iter().zip(weights).filter(|(pair, _)| wanted(*pair));
                each.map(|((a, b), weight)| (a, b, weight.to_bits())).collect()
            };
            prop_assert_eq!(&held_out, &expected(&|(a, b)| is_out[a as usize] && is_out[b as usize]));
            prop_assert!(trained.len() <= expected(&neither).len());
            let sums = [&parts.trained_weights.as_ref().unwrap()[..], &parts.held_out_weights.as_ref().unwrap()[..]]
                .map(|weights| weights.iter().sum::<f32>() as usize);
            prop_assert_eq!(parts.answers, sums, "each answer weighs one");
        }

        #[test]
        fn among_few_items_the_answers_on_a_pair_stay_together(
            pairs in prop::collection::vec((0..8_u32, 1..8_u32), 20..150), seed: u64,
        ) {
            let all: Comparisons = pairs.iter().map(|(a, step)| (*a, (a + step) % 8)).collect();
            let parts = Parts::new(all.piles(), 8, 0.2, &mut stream(seed, Purpose::HoldOut));
            let unordered = |rows: [&[u32]; 2]| -> BTreeSet<[u32; 2]> {
                rows[0].iter().zip(rows[1]).map(|(a, b)| [*a.min(b), *a.max(b)]).collect()
            };
            let held_out = unordered(parts.held_out.each_ref().map(|rows| &rows[..]));
            let trained = unordered(parts.trained.each_ref().map(|rows| &rows[..]));
            prop_assert!(held_out.is_disjoint(&trained));
            prop_assert!(!held_out.is_empty() && parts.answers[0] >= pairs.len() * 3 / 5);
        }

        #[test]
        fn a_row_of_loose_piles_is_held_out_in_all_its_places(
            rows in prop::array::uniform2(prop::collection::vec(0..60_u32, 40..80)), seed: u64,
        ) {
            let piles = Piles::loose(&rows[0], &rows[1]);
            let parts = Parts::new(piles, 60, 0.2, &mut stream(seed, Purpose::HoldOut));
            let held_out: BTreeSet<u32> = parts.held_out.iter().flatten().copied().collect();
            prop_assert!(parts.trained.iter().flat_map(|rows| rows.iter()).all(|row| !held_out.contains(row)));
            for at in 0..2 {
                prop_assert!(!parts.held_out[at].is_empty());
                prop_assert_eq!(parts.held_out[at].len() + parts.trained[at].len(), rows[at].len());
            }
        }
    }

    #[test]
    fn a_single_pair_that_is_asked_often_is_dealt_by_answer() {
        let comparisons: Comparisons = std::iter::repeat_n((0, 1), 50).collect();
        let parts = Parts::new(comparisons.piles(), 2, 0.1, &mut stream(1, Purpose::HoldOut));
        assert_eq!(parts.answers, [45, 5]);
    }
}
