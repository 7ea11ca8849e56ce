//! Which items to hold out, so that held-out comparisons owe nothing to those that were trained on.
//!
//! A comparison is held out in name only when its items occur in comparisons that were trained on: the model
//! has seen their answers. So comparisons are drawn at random, and *both their items* are held out, with every
//! comparison that touches one of them. Train on comparisons with neither item out. Where no item occurs
//! twice this holds out the drawn comparisons and nothing else.

use super::{Pile, Piles};
use crate::random::{Rng, shuffle};

/// The answers of the items of so many answers are listed at the least.
const FEWEST_LISTED: usize = 256;

/// How many items to hold out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ItemRule {
    /// The share of the answers that is wanted.
    pub(crate) share: f64,
    /// Which answers count towards it.
    pub(crate) counted: Reach,
    /// So many items are held out in any case, if `most_touched` allows.
    pub(crate) fewest_items: usize,
    /// At most this share of the answers is lost for training. A comparison that would take more is passed
    /// over.
    pub(crate) most_touched: f64,
}

/// How much of an answer is held out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Both items: what needs both scores of a pair.
    BothItems,
    /// At least one item: what looks at items one by one.
    AnyItem,
}

/// For each of `items` items whether it is held out; at least one answer stays to train on. The piles are
/// paired and know no item beyond these.
///
/// The answers are shuffled as if a share of them were to be dealt out, so that where no item occurs twice
/// the same ones are held out as there.
pub(crate) fn hold_out_items(
    piles: Piles<'_>,
    items: usize,
    rule: &ItemRule,
    rng: &mut impl Rng,
) -> Vec<bool> {
    let pairs = answered_pairs(piles);
    let count = pairs.len();
    let mut order: Vec<u32> = (0..count as u32).collect();
    shuffle(rng, &mut order);
    let most = ((rule.most_touched * count as f64).round() as usize).min(count.saturating_sub(1));
    let wanted = ((rule.share * count as f64).round() as usize).min(count.saturating_sub(1));

    let mut is_out = vec![false; items];
    let mut items_out = 0;
    // How many items of an answer are out; how many answers of an item are still untouched.
    let mut reached = vec![0_u8; count];
    let mut untouched = vec![0_u32; items];
    for item in pairs.iter().flatten() {
        untouched[*item as usize] += 1;
    }
    let (mut touched, mut both) = (0, 0);
    let (mut of_item, mut listed) = (AnswersOf::default(), 0);
    for (place, answer) in order.iter().copied().enumerate() {
        let enough = match rule.counted {
            Reach::BothItems => both,
            Reach::AnyItem => touched,
        };
        if enough >= wanted && items_out >= rule.fewest_items {
            break;
        }
        if place == listed {
            // Few are drawn of many: so many at first, and twice as many each time that these are not enough.
            let more = wanted.max(FEWEST_LISTED).max(listed);
            listed = (listed + more).min(count);
            of_item = AnswersOf::new(&pairs, items, &order[place..listed]);
        }
        let pair = pairs[answer as usize].map(|item| item as usize);
        let own = usize::from(reached[answer as usize] == 0);
        // Other answers on this very pair are counted twice: rather too few items out than too many.
        let reach: usize = pair.iter().map(|item| untouched[*item] as usize).sum();
        if touched + reach.saturating_sub(own) > most {
            continue;
        }
        for item in pair {
            if std::mem::replace(&mut is_out[item], true) {
                continue;
            }
            items_out += 1;
            for at in of_item.get(item) {
                let at = *at as usize;
                reached[at] += 1;
                if reached[at] == 1 {
                    touched += 1;
                    for end in pairs[at] {
                        untouched[end as usize] -= 1;
                    }
                }
                both += usize::from(reached[at] == 2);
            }
        }
    }
    is_out
}

/// Whether an item occurs in two answers.
pub(crate) fn items_recur(piles: Piles<'_>, items: usize) -> bool {
    let mut seen = vec![false; items];
    answered_pairs(piles)
        .into_iter()
        .flatten()
        .any(|item| std::mem::replace(&mut seen[item as usize], true))
}

/// The two items of each answer; the halves of a tie are one.
pub(crate) fn answered_pairs(piles: Piles<'_>) -> Vec<[u32; 2]> {
    let groups = piles.groups();
    let mut pairs: Vec<[u32; 2]> = Vec::new();
    let sides = piles.rows(Pile::Likelier).iter().zip(piles.rows(Pile::Other));
    for (at, (likelier, other)) in sides.enumerate() {
        if groups.of(at) == pairs.len() {
            pairs.push([*likelier, *other]);
        }
    }
    pairs
}

/// The answers of some items, one list behind the other.
#[derive(Default)]
struct AnswersOf {
    starts: Vec<usize>,
    answers: Vec<u32>,
}

impl AnswersOf {
    /// All answers about the items of these answers.
    fn new(pairs: &[[u32; 2]], items: usize, of: &[u32]) -> Self {
        let mut is_one = vec![false; items];
        for item in of.iter().flat_map(|answer| pairs[*answer as usize]) {
            is_one[item as usize] = true;
        }
        let mut starts = vec![0; items + 1];
        for item in pairs.iter().flatten().filter(|item| is_one[**item as usize]) {
            starts[*item as usize + 1] += 1;
        }
        for item in 0..items {
            starts[item + 1] += starts[item];
        }
        let mut next = starts.clone();
        let mut answers = vec![0; starts[items]];
        for (answer, pair) in pairs.iter().enumerate() {
            for item in pair.iter().filter(|item| is_one[**item as usize]) {
                answers[next[*item as usize]] = answer as u32;
                next[*item as usize] += 1;
            }
        }
        Self { starts, answers }
    }

    fn get(&self, item: usize) -> &[u32] {
        &self.answers[self.starts[item]..self.starts[item + 1]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Answers, Comparisons};
    use crate::random::{Purpose, Rng, below, stream};
    use proptest::prelude::*;

    fn rule(share: f64, counted: Reach) -> ItemRule {
        ItemRule { share, counted, fewest_items: 0, most_touched: 0.4 }
    }

    /// How many answers have so many items out: none, one, both.
    fn reach(comparisons: &Comparisons, is_out: &[bool]) -> [usize; 3] {
        let mut found = [0; 3];
        for pair in answered_pairs(comparisons.piles()) {
            found[pair.iter().filter(|item| is_out[**item as usize]).count()] += 1;
        }
        found
    }

    proptest! {
        #[test]
        fn the_wanted_share_is_reached_unless_too_much_would_be_lost(
            pairs in prop::collection::btree_set((0..40_u32, 40..80_u32), 1..150), share in 0.0..0.4_f64,
            fewest_items in 0..20_usize, ties: bool, seed: u64,
        ) {
            let answers: Answers = pairs.iter().copied().collect();
            let count = answers.len();
            let ties = (0..count).map(|at| ties && at % 3 == 0).collect();
            let comparisons = answers.tied(ties).unwrap().comparisons();
            let share_of = |share: f64| ((share * count as f64).round() as usize).min(count - 1);
            let (wanted, most) = (share_of(share), share_of(0.4));
            for counted in [Reach::BothItems, Reach::AnyItem] {
                let rule = ItemRule { fewest_items, ..rule(share, counted) };
                let rng = &mut stream(seed, Purpose::HoldOut);
                let is_out = hold_out_items(comparisons.piles(), 80, &rule, rng);
                let [none, one, both] = reach(&comparisons, &is_out);
                prop_assert!(one + both <= most && none > 0);
                let items = is_out.iter().filter(|out| **out).count();
                let found = if counted == Reach::BothItems { both } else { one + both };
                if found >= wanted && items >= fewest_items {
                    continue;
                }
                for (a, b) in pairs.iter().filter(|(a, b)| !is_out[*a as usize] || !is_out[*b as usize]) {
                    let mut with_these = is_out.clone();
                    with_these[*a as usize] = true;
                    with_these[*b as usize] = true;
                    let [_, one, both] = reach(&comparisons, &with_these);
                    prop_assert!(one + both > most, "{a} and {b} could be held out as well");
                }
            }
        }

        #[test]
        fn pairs_that_are_asked_again_and_items_compared_with_themselves_do_no_harm(
            pairs in prop::collection::vec((0..6_u32, 0..6_u32), 1..60), share in 0.0..1.0_f64, seed: u64,
        ) {
            let comparisons: Comparisons = pairs.iter().copied().collect();
            for counted in [Reach::BothItems, Reach::AnyItem] {
                let rule = ItemRule { most_touched: share, ..rule(share, counted) };
                let is_out = hold_out_items(comparisons.piles(), 6, &rule, &mut stream(seed, Purpose::HoldOut));
                prop_assert!(reach(&comparisons, &is_out)[0] > 0, "something is left to train on");
            }
        }
    }

    /// As it was written before it listed no more answers than it needs.
    #[test]
    fn the_same_items_are_held_out_as_with_all_answers_listed() {
        let mut rng = stream(8, Purpose::Comparisons);
        let items = 500;
        let pairs = (0..700).map(|_| (below(&mut rng, items) as u32, below(&mut rng, items) as u32));
        let comparisons: Comparisons = pairs.collect();
        for (share, most_touched, fewest_items) in
            [(0.02, 0.4, 0), (0.2, 0.25, 0), (0.3, 0.31, 60), (0.001, 0.9, 120), (0.5, 0.5, 0)]
        {
            for counted in [Reach::BothItems, Reach::AnyItem] {
                let rule = ItemRule { share, counted, fewest_items, most_touched };
                let piles = comparisons.piles();
                let found = hold_out_items(piles, items, &rule, &mut stream(9, Purpose::HoldOut));
                assert_eq!(
                    found,
                    by_all(piles, items, &rule, &mut stream(9, Purpose::HoldOut)),
                    "{rule:?}"
                );
            }
        }
    }

    fn by_all(piles: Piles<'_>, items: usize, rule: &ItemRule, rng: &mut impl Rng) -> Vec<bool> {
        let pairs = answered_pairs(piles);
        let mut order: Vec<usize> = (0..pairs.len()).collect();
        shuffle(rng, &mut order);
        let of = |share: f64| ((share * pairs.len() as f64).round() as usize).min(pairs.len() - 1);
        let mut is_out = vec![false; items];
        let ends_out =
            |is_out: &[bool], at: usize| pairs[at].iter().filter(|end| is_out[**end as usize]).count();
        for answer in order {
            let ends: Vec<usize> = (0..pairs.len()).map(|at| ends_out(&is_out, at)).collect();
            let touched = ends.iter().filter(|ends| **ends > 0).count();
            let both = ends.iter().filter(|ends| **ends == 2).count();
            let enough = if rule.counted == Reach::BothItems { both } else { touched };
            if enough >= of(rule.share) && is_out.iter().filter(|out| **out).count() >= rule.fewest_items {
                break;
            }
            let untouched = |item: u32| -> usize {
                let about = |at: usize| pairs[at].iter().filter(|end| **end == item).count();
                (0..pairs.len()).filter(|at| ends[*at] == 0).map(about).sum()
            };
            let reach: usize = pairs[answer].iter().map(|item| untouched(*item)).sum();
            if touched + reach.saturating_sub(usize::from(ends[answer] == 0)) <= of(rule.most_touched) {
                pairs[answer].iter().for_each(|item| is_out[*item as usize] = true);
            }
        }
        is_out
    }

    #[test]
    fn where_no_item_occurs_twice_it_is_a_share_of_the_answers_forever() {
        let comparisons: Comparisons = (0..10).map(|k| (k, k + 10)).collect();
        assert!(!items_recur(comparisons.piles(), 20));
        for counted in [Reach::BothItems, Reach::AnyItem] {
            let rng = &mut stream(3, Purpose::HoldOut);
            let is_out = hold_out_items(comparisons.piles(), 20, &rule(0.3, counted), rng);
            let out: Vec<usize> = (0..20).filter(|item| is_out[*item]).collect();
            // The shuffle begins 5, 7, 1.
            assert_eq!(out, [1, 5, 7, 11, 15, 17]);
        }
    }

    #[test]
    fn an_item_of_every_comparison_is_never_held_out() {
        let star: Comparisons = (1..30).map(|k| (0, k)).collect();
        assert!(items_recur(star.piles(), 30));
        let rng = &mut stream(1, Purpose::HoldOut);
        let is_out = hold_out_items(star.piles(), 30, &rule(0.1, Reach::BothItems), rng);
        assert_eq!(reach(&star, &is_out), [29, 0, 0]);
    }
}
