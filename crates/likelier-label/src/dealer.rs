//! Which pair next.
//!
//! The theory needs pairs that are drawn uniformly, so that is the default: both items, and which stands on the left, by
//! chance, without looking at the items ([`Dealer::fresh`] takes the same time for two items as for a million). Nobody is
//! asked the same pair twice by accident. On purpose they are: a stated share is asked *again*, with the sides swapped, and
//! another share is *shared* with people who have not seen it. These two measure the labellers.

use std::collections::HashSet;

use likelier::random::{ChaCha8Rng, below, chance};

use crate::store::Origin;

/// A pair is asked again after at least so many others.
const LATER: usize = 5;
/// So often a drawn pair may be one that the person has seen, before all others are listed.
const TRIES: usize = 64;
/// Up to so many pairs are listed.
const LISTED: usize = 10_000;

/// A pair of rows, the first on the left.
pub(crate) type Rows = [u32; 2];

/// A pair that will be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dealt {
    pub(crate) rows: Rows,
    pub(crate) origin: Origin,
    /// The pair that it repeats.
    pub(crate) of: Option<i64>,
}

/// How pairs are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Shares {
    pub(crate) again: f64,
    pub(crate) shared: f64,
    pub(crate) balanced: bool,
}

/// What one person has seen.
#[derive(Clone, Debug, Default)]
pub(crate) struct SeenBy {
    pairs: HashSet<Rows>,
    /// Answered pairs that can be asked again, in the order of their answers.
    repeatable: Vec<(i64, Rows)>,
}

/// Draws pairs.
#[derive(Debug)]
pub(crate) struct Dealer {
    items: usize,
    shares: Shares,
    rng: ChaCha8Rng,
    /// Pairs that somebody drew and answered: number, person, rows.
    answered: Vec<(i64, i64, Rows)>,
    /// How often each item was drawn, and those that were drawn least; for balanced counts.
    counts: Vec<u32>,
    least: Vec<u32>,
}

fn unordered([left, right]: Rows) -> Rows {
    [left.min(right), left.max(right)]
}

impl SeenBy {
    /// The person was shown a pair.
    pub(crate) fn see(&mut self, rows: Rows) {
        self.pairs.insert(unordered(rows));
    }

    /// The person compared a pair that was new to them.
    pub(crate) fn can_repeat(&mut self, pair: i64, rows: Rows) {
        self.repeatable.push((pair, rows));
    }

    /// The pair is not to be asked again.
    pub(crate) fn cannot_repeat(&mut self, pair: i64) {
        self.repeatable.retain(|(known, _)| *known != pair);
    }
}

impl Dealer {
    pub(crate) fn new(items: usize, shares: Shares, rng: ChaCha8Rng) -> Self {
        let counts = if shares.balanced { vec![0; items] } else { Vec::new() };
        Self { items, shares, rng, answered: Vec::new(), counts, least: Vec::new() }
    }

    /// Somebody answered a pair that was drawn for them.
    pub(crate) fn can_share(&mut self, pair: i64, person: i64, rows: Rows) {
        self.answered.push((pair, person, rows));
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
        let dealt = if let Some(dealt) = dealt {
            dealt
        } else {
            let rows = self.fresh(seen)?;
            self.count(rows);
            let origin = if self.shares.balanced { Origin::Balanced } else { Origin::Uniform };
            Dealt { rows, origin, of: None }
        };
        seen.see(dealt.rows);
        Some(dealt)
    }

    fn again(&mut self, seen: &mut SeenBy) -> Option<Dealt> {
        let old = seen.repeatable.len().saturating_sub(LATER);
        if old == 0 {
            return None;
        }
        let (pair, [left, right]) = seen.repeatable.remove(below(&mut self.rng, old));
        Some(Dealt { rows: [right, left], origin: Origin::Again, of: Some(pair) })
    }

    fn shared(&mut self, person: i64, seen: &SeenBy) -> Option<Dealt> {
        for _ in 0..TRIES.min(4 * self.answered.len()) {
            let (pair, whose, rows) = self.answered[below(&mut self.rng, self.answered.len())];
            if whose != person && !seen.pairs.contains(&unordered(rows)) {
                let rows = if chance(&mut self.rng, 0.5) { rows } else { [rows[1], rows[0]] };
                return Some(Dealt { rows, origin: Origin::Shared, of: Some(pair) });
            }
        }
        None
    }

    /// A pair that the person has not seen.
    fn fresh(&mut self, seen: &SeenBy) -> Option<Rows> {
        if self.items < 2 {
            return None;
        }
        let mut drawn = [0, 0];
        for _ in 0..TRIES {
            drawn = if self.shares.balanced { self.balanced() } else { self.uniform() };
            if !seen.pairs.contains(&unordered(drawn)) {
                return Some(drawn);
            }
        }
        let all = self.items * (self.items - 1) / 2;
        if all > LISTED {
            return Some(drawn);
        }
        let items = self.items as u32;
        let pairs = (0..items).flat_map(|one| (one + 1..items).map(move |two| [one, two]));
        let left: Vec<Rows> = pairs.filter(|pair| !seen.pairs.contains(pair)).collect();
        if left.is_empty() {
            return None;
        }
        let [one, two] = left[below(&mut self.rng, left.len())];
        Some(if chance(&mut self.rng, 0.5) { [one, two] } else { [two, one] })
    }

    fn uniform(&mut self) -> Rows {
        let one = below(&mut self.rng, self.items);
        let two = below(&mut self.rng, self.items - 1);
        [one as u32, (if two < one { two } else { two + 1 }) as u32]
    }

    /// Two of the items that were drawn least.
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
        Dealer::new(items, shares, stream(3, Purpose::Comparisons))
    }

    #[test]
    fn every_pair_and_both_sides_are_equally_likely() {
        let mut dealer = dealer(5, PLAIN);
        let mut counts = [[0_u32; 5]; 5];
        for _ in 0..20_000 {
            let [left, right] = dealer.uniform();
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
    fn a_person_sees_each_pair_once_and_then_no_more() {
        for balanced in [false, true] {
            let (mut dealer, mut seen) = (dealer(6, Shares { balanced, ..PLAIN }), SeenBy::default());
            let mut pairs = HashSet::new();
            while let Some(dealt) = dealer.next(1, &mut seen) {
                assert!(pairs.insert(unordered(dealt.rows)), "{dealt:?}");
            }
            assert_eq!(pairs.len(), 15);
        }
        assert_eq!(dealer(1, PLAIN).next(1, &mut SeenBy::default()), None);
        assert!(dealer(2, PLAIN).next(1, &mut SeenBy::default()).is_some());
    }

    #[test]
    fn the_stated_share_is_asked_again_with_the_sides_swapped() {
        let (mut dealer, mut seen) = (dealer(10_000, Shares { again: 0.2, ..PLAIN }), SeenBy::default());
        let mut shown: Vec<Dealt> = Vec::new();
        for number in 0_i64..5000 {
            let dealt = dealer.next(1, &mut seen).unwrap();
            match dealt.of {
                Some(of) => {
                    let first = &shown[of as usize];
                    assert_eq!((dealt.origin, dealt.rows), (Origin::Again, [first.rows[1], first.rows[0]]));
                    assert!((number - of) as usize > LATER);
                }
                None => seen.can_repeat(number, dealt.rows),
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
        let (mut ann, mut bob) = (SeenBy::default(), SeenBy::default());
        for pair in 0..2000 {
            let dealt = dealer.next(1, &mut ann).unwrap();
            assert_ne!(dealt.origin, Origin::Shared, "nobody else has answered");
            dealer.can_share(pair, 1, dealt.rows);
        }
        let dealt: Vec<Dealt> = (0..2000).map(|_| dealer.next(2, &mut bob).unwrap()).collect();
        let shared = dealt.iter().filter(|dealt| dealt.origin == Origin::Shared).count();
        // 600 expected, and 67 more where nothing could be asked again.
        assert!((560..780).contains(&shared), "{shared}");
    }

    #[test]
    fn balanced_counts_differ_by_one_at_most_also_after_a_restart() {
        let shares = Shares { balanced: true, ..PLAIN };
        let (mut first, mut seen, mut counts) = (dealer(101, shares), SeenBy::default(), vec![0; 101]);
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
