//! Which pair next.
//!
//! The theory needs pairs that are drawn uniformly, so that is the default: both items, and which stands on the left, by
//! chance, without looking at the items ([`Dealer::fresh`] takes the same time for two items as for a million). In
//! [active mode](crate::active) pairs are drawn by what an estimate is unsure of, each with its propensity. Nobody is
//! asked the same pair twice by accident. On purpose they are: a stated share is asked *again*, with the sides swapped, and
//! another share is *shared* with people who have not seen it. These two measure the labellers. A pair that is asked once
//! more has the propensity with which it was first drawn.

use std::sync::Arc;

use likelier::next::{DrawnHow, PairDraws};
use likelier::random::{ChaCha8Rng, below, chance};

use crate::active::Active;
use crate::store::Origin;

/// A pair is asked again after at least so many others.
const LATER: usize = 5;
/// So often a drawn pair may be one that the person has seen, before it is drawn otherwise.
const TRIES: usize = 64;

/// A pair of rows, the first on the left.
pub(crate) type Rows = [u32; 2];

/// A pair that will be shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Dealt {
    pub(crate) rows: Rows,
    pub(crate) origin: Origin,
    /// The pair that it repeats.
    pub(crate) of: Option<i64>,
    /// How probable it was to be drawn, where not all pairs were equally likely.
    pub(crate) propensity: Option<f64>,
}

/// A pair that was answered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Known {
    pub(crate) id: i64,
    pub(crate) rows: Rows,
    pub(crate) propensity: Option<f64>,
}

/// How pairs are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Shares {
    pub(crate) again: f64,
    pub(crate) shared: f64,
    pub(crate) balanced: bool,
}

/// What one person has seen.
#[derive(Clone, Debug)]
pub(crate) struct SeenBy {
    draws: PairDraws,
    /// Answered pairs that can be asked again, in the order of their answers.
    repeatable: Vec<Known>,
}

/// Draws pairs.
#[derive(Debug)]
pub(crate) struct Dealer {
    shares: Shares,
    active: Arc<Active>,
    rng: ChaCha8Rng,
    /// Pairs that somebody drew and answered, with the person.
    answered: Vec<(Known, i64)>,
    /// How often each item was drawn, and those that were drawn least; for balanced counts.
    counts: Vec<u32>,
    least: Vec<u32>,
}

impl SeenBy {
    /// The person was shown a pair.
    pub(crate) fn see(&mut self, [left, right]: Rows) {
        // A row that is no item's was refused before.
        let _ = self.draws.leave_out([(left, right)]);
    }

    fn has_seen(&self, [left, right]: Rows) -> bool {
        self.draws.was_asked(left, right)
    }

    /// The person compared a pair that was new to them.
    pub(crate) fn can_repeat(&mut self, pair: Known) {
        self.repeatable.push(pair);
    }

    /// The pair is not to be asked again.
    pub(crate) fn cannot_repeat(&mut self, pair: i64) {
        self.repeatable.retain(|known| known.id != pair);
    }
}

impl Dealer {
    pub(crate) fn new(items: usize, shares: Shares, active: Arc<Active>, rng: ChaCha8Rng) -> Self {
        let counts = if shares.balanced { vec![0; items] } else { Vec::new() };
        Self { shares, active, rng, answered: Vec::new(), counts, least: Vec::new() }
    }

    /// Somebody who has seen nothing.
    pub(crate) fn newcomer(&self) -> SeenBy {
        SeenBy { draws: PairDraws::new(self.active.chances()), repeatable: Vec::new() }
    }

    /// Somebody answered a pair that was drawn for them.
    pub(crate) fn can_share(&mut self, pair: Known, person: i64) {
        self.answered.push((pair, person));
    }

    /// A pair was drawn; what was stored before is told in the same way.
    pub(crate) fn count(&mut self, rows: Rows) {
        for row in rows {
            if let Some(count) = self.counts.get_mut(row as usize) {
                *count += 1;
            }
        }
    }

    /// The next pair for a person; none if there is no pair that they have not seen.
    pub(crate) fn next(&mut self, person: i64, seen: &mut SeenBy) -> Option<Dealt> {
        let dealt = if chance(&mut self.rng, self.shares.again) { self.again(seen) } else { None };
        let share = self.shares.shared / (1.0 - self.shares.again).max(f64::MIN_POSITIVE);
        let dealt = match dealt {
            None if chance(&mut self.rng, share) => self.shared(person, seen),
            dealt => dealt,
        };
        let dealt = match dealt {
            Some(dealt) => dealt,
            None => self.fresh(seen)?,
        };
        seen.see(dealt.rows);
        Some(dealt)
    }

    fn again(&mut self, seen: &mut SeenBy) -> Option<Dealt> {
        let old = seen.repeatable.len().saturating_sub(LATER);
        if old == 0 {
            return None;
        }
        let Known { id, rows: [left, right], propensity } =
            seen.repeatable.remove(below(&mut self.rng, old));
        Some(Dealt { rows: [right, left], origin: Origin::Again, of: Some(id), propensity })
    }

    fn shared(&mut self, person: i64, seen: &SeenBy) -> Option<Dealt> {
        for _ in 0..TRIES.min(4 * self.answered.len()) {
            let (Known { id, rows, propensity }, whose) =
                self.answered[below(&mut self.rng, self.answered.len())];
            if whose != person && !seen.has_seen(rows) {
                let rows = if chance(&mut self.rng, 0.5) { rows } else { [rows[1], rows[0]] };
                return Some(Dealt { rows, origin: Origin::Shared, of: Some(id), propensity });
            }
        }
        None
    }

    /// A pair that the person has not seen.
    fn fresh(&mut self, seen: &mut SeenBy) -> Option<Dealt> {
        let balanced = if self.shares.balanced { self.balanced_for(seen) } else { None };
        let (rows, origin, propensity) = if let Some(rows) = balanced {
            (rows, Origin::Balanced, None)
        } else {
            let chances = self.active.chances();
            seen.draws.draw_by(&chances);
            let drawn = seen.draws.next(&mut self.rng).ok()?;
            let origin = match drawn.how {
                DrawnHow::Chosen => Origin::Chosen,
                DrawnHow::Uniform if self.shares.balanced => Origin::Balanced,
                DrawnHow::Uniform => Origin::Uniform,
            };
            let propensity = (!chances.are_uniform()).then_some(drawn.propensity);
            ([drawn.first, drawn.second], origin, propensity)
        };
        self.count(rows);
        Some(Dealt { rows, origin, of: None, propensity })
    }

    /// Two of the items that were drawn least, and that the person has not seen together. If these few have all met, one
    /// of them meets anybody.
    fn balanced_for(&mut self, seen: &SeenBy) -> Option<Rows> {
        let unseen = |rows: &Rows| rows[0] != rows[1] && !seen.has_seen(*rows);
        if let Some(rows) = (0..TRIES).map(|_| self.balanced()).find(unseen) {
            return Some(rows);
        }
        let (one, items) = (self.least_drawn(None), self.counts.len());
        let [left, right] = (0..TRIES).map(|_| [one, below(&mut self.rng, items) as u32]).find(unseen)?;
        Some(if chance(&mut self.rng, 0.5) { [left, right] } else { [right, left] })
    }

    fn balanced(&mut self) -> Rows {
        let one = self.least_drawn(None);
        [one, self.least_drawn(Some(one))]
    }

    fn least_drawn(&mut self, not: Option<u32>) -> u32 {
        loop {
            while !self.least.is_empty() {
                let at = below(&mut self.rng, self.least.len());
                let item = self.least.swap_remove(at);
                if Some(item) != not {
                    return item;
                }
            }
            let others = || (0..).zip(&self.counts).filter(|(item, _)| Some(*item) != not);
            let lowest = others().map(|(_, count)| *count).min().unwrap_or(0);
            self.least = others().filter(|(_, count)| **count == lowest).map(|(item, _)| item).collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use likelier::random::{Purpose, stream};

    use super::*;

    const PLAIN: Shares = Shares { again: 0.0, shared: 0.0, balanced: false };

    fn dealer(items: usize, shares: Shares) -> Dealer {
        active_dealer(items, shares, 0.0)
    }

    fn active_dealer(items: usize, shares: Shares, active: f64) -> Dealer {
        let active = Arc::new(Active::new(items, active).unwrap());
        Dealer::new(items, shares, active, stream(3, Purpose::Comparisons))
    }

    fn unordered([left, right]: Rows) -> Rows {
        [left.min(right), left.max(right)]
    }

    #[test]
    fn every_pair_and_both_sides_are_equally_likely() {
        let mut dealer = dealer(5, PLAIN);
        let mut counts = [[0_u32; 5]; 5];
        for person in 0..20_000 {
            let dealt = dealer.next(person, &mut dealer.newcomer()).unwrap();
            assert_eq!((dealt.origin, dealt.propensity), (Origin::Uniform, None));
            let [left, right] = dealt.rows;
            counts[left as usize][right as usize] += 1;
        }
        for (left, row) in counts.iter().enumerate() {
            for (right, count) in row.iter().enumerate() {
                // 1,000 expected, with a standard deviation of 31.
                assert!(
                    if left == right { *count == 0 } else { (840..1160).contains(count) },
                    "{counts:?}"
                );
            }
        }
    }

    #[test]
    fn pairs_are_dealt_as_often_as_their_stored_propensities_say_to_new_people_and_to_old_ones() {
        const PEOPLE: i64 = 40_000;
        let mut dealer = active_dealer(5, PLAIN, 0.7);
        let before = [[0, 4], [2, 1]];
        // Some people have seen two pairs while all were equally likely.
        let old = {
            let mut old = dealer.newcomer();
            for rows in before {
                old.see(rows);
            }
            old
        };
        dealer.active.follow(&[0.5, 0.1, 0.9, 0.4, 0.001]).unwrap();
        for start in [dealer.newcomer(), old] {
            let (mut counts, mut said) = ([[0_u32; 5]; 5], [[None; 5]; 5]);
            let mut chosen = 0;
            for person in 0..PEOPLE {
                let Dealt { rows, origin, of, propensity } =
                    dealer.next(person, &mut start.clone()).unwrap();
                assert_eq!(of, None);
                chosen += u32::from(origin == Origin::Chosen);
                let [left, right] = rows.map(|row| row as usize);
                counts[left][right] += 1;
                assert!(
                    said[left][right].is_none_or(|known| Some(known) == propensity),
                    "it does not change"
                );
                said[left][right] = propensity;
            }
            let mut all = 0.0;
            for (left, row) in said.iter().enumerate() {
                for (right, propensity) in row.iter().enumerate() {
                    let Some(propensity) = propensity else { continue };
                    // Each way round is as likely.
                    let expected = 0.5 * PEOPLE as f64 * propensity;
                    let count = f64::from(counts[left][right]);
                    assert!((count - expected).abs() < 5.0 * expected.sqrt(), "{count} for {expected}");
                    all += 0.5 * propensity;
                }
            }
            assert!((all - 1.0).abs() < 1e-9, "{all}");
            let share = f64::from(chosen) / PEOPLE as f64;
            assert!((0.6..0.75).contains(&share), "{share}");
        }
    }

    #[test]
    fn a_pair_that_is_asked_once_more_keeps_its_propensity() {
        let mut dealer = active_dealer(300, Shares { again: 0.2, shared: 0.3, balanced: false }, 0.8);
        let (mut ann, mut bob) = (dealer.newcomer(), dealer.newcomer());
        let mut first: Vec<Dealt> = Vec::new();
        let (mut next, mut more) = (0, [0; 2]);
        for round in 0..6_u32 {
            // Chances change under way; what was drawn before stays as probable as it was.
            let unsure = |item: u32| if item % 6 == round { 0.5 } else { 0.02 };
            if round > 0 {
                dealer.active.follow(&(0..300).map(unsure).collect::<Vec<_>>()).unwrap();
            }
            for turn in 0..400_i64 {
                let (person, seen) = if turn % 2 == 0 { (1, &mut ann) } else { (2, &mut bob) };
                let dealt = dealer.next(person, seen).unwrap();
                if let Some(of) = dealt.of {
                    let known = &first[of as usize];
                    assert_eq!(
                        (dealt.propensity, unordered(dealt.rows)),
                        (known.propensity, unordered(known.rows))
                    );
                    more[usize::from(dealt.origin == Origin::Shared)] += 1;
                    continue;
                }
                assert_eq!(dealt.propensity.is_some(), round > 0);
                let known = Known { id: next, rows: dealt.rows, propensity: dealt.propensity };
                seen.can_repeat(known);
                dealer.can_share(known, person);
                first.push(dealt);
                next += 1;
            }
        }
        assert!(more.iter().all(|count| *count > 300), "{more:?}");
    }

    #[test]
    fn a_person_sees_each_pair_once_and_then_no_more() {
        for (balanced, active) in [(false, 0.0), (true, 0.0), (false, 0.9)] {
            let mut dealer = active_dealer(6, Shares { balanced, ..PLAIN }, active);
            if active > 0.0 {
                dealer.active.follow(&[0.5, 0.5, 0.0, 1.0, 0.0, 0.0]).unwrap();
            }
            let mut seen = dealer.newcomer();
            let mut pairs = std::collections::HashSet::new();
            while let Some(dealt) = dealer.next(1, &mut seen) {
                assert!(pairs.insert(unordered(dealt.rows)), "{dealt:?}");
            }
            assert_eq!(pairs.len(), 15);
        }
        let mut two = dealer(2, PLAIN);
        let mut seen = two.newcomer();
        assert!(two.next(1, &mut seen).is_some() && two.next(1, &mut seen).is_none());
    }

    #[test]
    fn the_stated_share_is_asked_again_with_the_sides_swapped() {
        let mut dealer = dealer(10_000, Shares { again: 0.2, ..PLAIN });
        let mut seen = dealer.newcomer();
        let mut shown: Vec<Dealt> = Vec::new();
        for number in 0_i64..5000 {
            let dealt = dealer.next(1, &mut seen).unwrap();
            match dealt.of {
                Some(of) => {
                    let first = &shown[of as usize];
                    assert_eq!((dealt.origin, dealt.rows), (Origin::Again, [first.rows[1], first.rows[0]]));
                    assert!((number - of) as usize > LATER);
                }
                None => seen.can_repeat(Known { id: number, rows: dealt.rows, propensity: None }),
            }
            shown.push(dealt);
        }
        let again = shown.iter().filter(|dealt| dealt.origin == Origin::Again).count();
        // 1,000 expected, with a standard deviation of 28.
        assert!((850..1150).contains(&again), "{again}");
        let mut repeated: Vec<i64> = shown.iter().filter_map(|dealt| dealt.of).collect();
        repeated.sort_unstable();
        repeated.dedup();
        assert_eq!(repeated.len(), again, "no pair is asked a third time");
    }

    #[test]
    fn shared_pairs_are_those_of_others() {
        let mut dealer = dealer(1000, Shares { again: 0.1, shared: 0.3, balanced: false });
        let (mut ann, mut bob) = (dealer.newcomer(), dealer.newcomer());
        for pair in 0..2000 {
            let dealt = dealer.next(1, &mut ann).unwrap();
            assert_ne!(dealt.origin, Origin::Shared, "nobody else has answered");
            dealer.can_share(Known { id: pair, rows: dealt.rows, propensity: None }, 1);
        }
        let dealt: Vec<Dealt> = (0..2000).map(|_| dealer.next(2, &mut bob).unwrap()).collect();
        let shared = dealt.iter().filter(|dealt| dealt.origin == Origin::Shared).count();
        // 600 expected, and 67 more where nothing could be asked again.
        assert!((560..780).contains(&shared), "{shared}");
    }

    #[test]
    fn balanced_counts_differ_by_one_at_most_also_after_a_restart() {
        let shares = Shares { balanced: true, ..PLAIN };
        let (mut first, mut counts) = (dealer(101, shares), vec![0; 101]);
        let mut seen = first.newcomer();
        let mut drawn = Vec::new();
        for _ in 0..400 {
            let dealt = first.next(1, &mut seen).unwrap();
            assert_eq!(dealt.origin, Origin::Balanced);
            drawn.push(dealt.rows);
        }
        let mut second = dealer(101, shares);
        for rows in &drawn {
            second.count(*rows);
        }
        drawn.extend((0..400).map(|_| second.next(1, &mut seen).unwrap().rows));
        drawn.iter().flatten().for_each(|row| counts[*row as usize] += 1);
        let (low, high) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
        assert!(high - low <= 2, "{counts:?}");
    }
}
