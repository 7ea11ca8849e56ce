//! Which pairs to ask next.
//!
//! A share ρ of the pairs is drawn uniformly, the rest is chosen: one item with probability proportional to p(1 − p), p being the
//! probability that a classifier gives it, and the other from the rest in the same way. Only the items are looked at, so
//! that under forced choice everything that takes a pair as a pair learns from a chosen pair as it does from any other. No
//! pair is asked that was asked before.
//!
//! Each pair comes with its propensity q, the probability that it was the one to be drawn when it was: over all pairs that
//! could have been, these sum to one. What is judged by weights 1/q is as if pairs had been drawn uniformly, and
//! no weight is more than 1/ρ times that of a uniform pair.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Serialize;

use crate::data::check_items;
use crate::error::Error;
use crate::random::{Rng, below, chance, unit};

/// A pair to ask, in the order in which to show it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NextPair {
    /// The row that is shown first, or on the left.
    pub first: u32,
    /// The other row.
    pub second: u32,
    /// The probability that this pair, in either order, was drawn.
    pub propensity: f64,
    /// How it came to be.
    pub how: DrawnHow,
}

/// How a pair came to be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DrawnHow {
    /// All pairs were equally likely.
    Uniform,
    /// Its items were preferred.
    Chosen,
}

impl DrawnHow {
    /// The name used in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Chosen => "chosen",
        }
    }
}

/// The share of pairs that are drawn uniformly where nothing else is said (`reproduce/runs/2026-11-18-next`).
pub const UNIFORM_SHARE: f64 = 0.25;

/// The least such share: judging weighs by its inverse.
const LEAST_SHARE: f64 = 0.01;

/// Draws pairs of the items that have these probabilities of being positive, none of those that were asked.
///
/// ```
/// use likelier::next::next_pairs;
/// use likelier::random::{Purpose, stream};
///
/// let probabilities = [0.02, 0.4, 0.55, 0.97, 0.01];
/// let asked = [(3, 0), (4, 1)];
/// let pairs = next_pairs(&probabilities, asked, 3, 0.5, &mut stream(0, Purpose::Next))?;
/// assert_eq!(pairs.len(), 3);
/// assert!(pairs.iter().all(|pair| pair.propensity >= 0.5 / 10.0));
/// # Ok::<(), likelier::Error>(())
/// ```
pub fn next_pairs(
    probabilities: &[f64],
    asked: impl IntoIterator<Item = (u32, u32)>,
    count: usize,
    uniform: f64,
    rng: &mut impl Rng,
) -> Result<Vec<NextPair>, Error> {
    let mut draws = PairDraws::new(PairChances::near(probabilities, uniform)?);
    draws.leave_out(asked)?;
    let left = draws.left();
    if left < count {
        return Err(Error::NoPairsLeft { left, wanted: count });
    }
    (0..count).map(|_| draws.next(rng)).collect()
}

/// How probable each pair is to be drawn: one item by the first list of weights and the other, of the rest, by the
/// second; or both uniformly.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct PairChances {
    items: usize,
    uniform: f64,
    /// Sums of the weights of all items before each, and at the end of all. The second list is absent where both are
    /// the same, and the first where all pairs are equally likely.
    sums: Option<(Vec<f64>, Option<Vec<f64>>)>,
}

/// No item is left out: it counts like one that is this near to certain.
const LEAST_WEIGHT: f64 = 1e-6;

impl PairChances {
    /// All pairs of so many items, equally likely.
    pub fn uniform(items: usize) -> Result<Self, Error> {
        if items < 2 {
            return Err(Error::Setting {
                name: "the number of items",
                value: items.to_string(),
                allowed: "at least 2, so that there is a pair",
            });
        }
        Ok(Self { items, uniform: 1.0, sums: None })
    }

    /// The policy of [`next_pairs`]: items by p(1 − p), and a share of uniform pairs.
    pub fn near(probabilities: &[f64], uniform: f64) -> Result<Self, Error> {
        let near: Vec<f64> = probabilities.iter().map(|p| p * (1.0 - p)).collect();
        let chances = Self::checked(&near, uniform)?;
        Ok(Self { sums: Some((sums_of(&near), None)), ..chances })
    }

    /// Any weights from 0 up, one for each item.
    pub fn by_weights(weights: [&[f64]; 2], uniform: f64) -> Result<Self, Error> {
        let [first, second] = weights;
        if first.len() != second.len() {
            return Err(Error::mismatch("weights", second.len(), "weights", first.len()));
        }
        let chances = Self::checked(first, uniform)?;
        Self::checked(second, uniform)?;
        Ok(Self { sums: Some((sums_of(first), Some(sums_of(second)))), ..chances })
    }

    fn checked(weights: &[f64], uniform: f64) -> Result<Self, Error> {
        if !(LEAST_SHARE..=1.0).contains(&uniform) {
            return Err(Error::Setting {
                name: "the share of uniform pairs",
                value: uniform.to_string(),
                allowed: "from 0.01 to 1",
            });
        }
        let chances = Self::uniform(weights.len())?;
        match weights.iter().find(|weight| !(weight.is_finite() && **weight >= 0.0)) {
            Some(bad) => Err(Error::Setting {
                name: "the weight of an item",
                value: bad.to_string(),
                allowed: "a number from 0 up",
            }),
            None => Ok(Self { uniform, ..chances }),
        }
    }

    /// Whether all pairs are equally likely.
    pub fn are_uniform(&self) -> bool {
        self.sums.is_none()
    }

    /// How many pairs there are.
    fn pairs(&self) -> usize {
        self.items * (self.items - 1) / 2
    }

    /// The sums of both lists, where items are preferred.
    fn lists(&self) -> Option<[&[f64]; 2]> {
        self.sums
            .as_ref()
            .map(|(first, second)| [&first[..], second.as_ref().unwrap_or(first)])
    }

    /// The probability of a pair, in either order, if every pair could be drawn.
    fn of(&self, (one, two): (u32, u32)) -> f64 {
        let uniform = self.uniform / self.pairs() as f64;
        let Some([first, second]) = self.lists() else { return uniform };
        let in_order = |one: u32, two: u32| {
            weight(first, one) / total(first) * weight(second, two) / (total(second) - weight(second, one))
        };
        uniform + (1.0 - self.uniform) * (in_order(one, two) + in_order(two, one))
    }

    fn draw(&self, rng: &mut impl Rng) -> ([u32; 2], DrawnHow) {
        match self.lists() {
            Some([first, second]) if !chance(rng, self.uniform) => {
                let one = by_weight(first, None, rng);
                ([one, by_weight(second, Some(one), rng)], DrawnHow::Chosen)
            }
            _ => {
                let one = below(rng, self.items);
                let two = below(rng, self.items - 1);
                ([one as u32, (two + usize::from(two >= one)) as u32], DrawnHow::Uniform)
            }
        }
    }
}

fn sums_of(weights: &[f64]) -> Vec<f64> {
    let mut sum = 0.0;
    let before = weights.iter().map(|weight| {
        sum += weight.max(LEAST_WEIGHT);
        sum
    });
    std::iter::once(0.0).chain(before).collect()
}

fn weight(sums: &[f64], item: u32) -> f64 {
    sums[item as usize + 1] - sums[item as usize]
}

fn total(sums: &[f64]) -> f64 {
    sums[sums.len() - 1]
}

/// An item by its weight, but for one.
fn by_weight(sums: &[f64], not: Option<u32>, rng: &mut impl Rng) -> u32 {
    let left_out = not.map_or(0.0, |item| weight(sums, item));
    let mut at = unit(rng) * (total(sums) - left_out);
    if let Some(item) = not.filter(|item| at >= sums[*item as usize]) {
        at += weight(sums, item);
    }
    let item = sums.partition_point(|sum| *sum <= at).saturating_sub(1);
    item.min(sums.len() - 2) as u32
}

/// A source of pairs, none of which comes twice.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct PairDraws {
    chances: Arc<PairChances>,
    asked: BTreeSet<(u32, u32)>,
    /// The probability of the pairs that were asked, if they could be drawn.
    asked_mass: f64,
}

impl PairDraws {
    /// Nothing was asked yet.
    pub fn new(chances: impl Into<Arc<PairChances>>) -> Self {
        Self { chances: chances.into(), asked: BTreeSet::new(), asked_mass: 0.0 }
    }

    /// From now on pairs are drawn with other chances, of the same items. What was asked is still not drawn again.
    pub fn draw_by(&mut self, chances: &Arc<PairChances>) {
        if !Arc::ptr_eq(&self.chances, chances) {
            self.chances = Arc::clone(chances);
            self.asked_mass = self.asked.iter().map(|pair| self.chances.of(*pair)).sum();
        }
    }

    /// Pairs that are not to be drawn.
    pub fn leave_out(&mut self, asked: impl IntoIterator<Item = (u32, u32)>) -> Result<(), Error> {
        for (first, second) in asked {
            check_items("a pair that was asked", &[first, second], self.chances.items)?;
            if first != second {
                self.exclude((first, second));
            }
        }
        Ok(())
    }

    fn exclude(&mut self, pair: (u32, u32)) {
        let pair = in_order(pair);
        if self.asked.insert(pair) {
            self.asked_mass += self.chances.of(pair);
        }
    }

    /// Whether a pair was asked, in either order.
    pub fn was_asked(&self, one: u32, two: u32) -> bool {
        self.asked.contains(&in_order((one, two)))
    }

    /// How many pairs were not asked yet.
    pub fn left(&self) -> usize {
        self.chances.pairs() - self.asked.len()
    }

    /// The probability that a pair is drawn next; 0 if it was asked.
    pub fn propensity(&self, one: u32, two: u32) -> f64 {
        if one == two || self.was_asked(one, two) {
            return 0.0;
        }
        // The last pair is certain; rounding must not make it more so.
        (self.chances.of((one, two)) / (1.0 - self.asked_mass).max(f64::MIN_POSITIVE)).min(1.0)
    }

    /// Draws a pair, which is not drawn again.
    pub fn next(&mut self, rng: &mut impl Rng) -> Result<NextPair, Error> {
        if self.left() == 0 {
            return Err(Error::NoPairsLeft { left: 0, wanted: 1 });
        }
        loop {
            let ([one, two], how) = self.chances.draw(rng);
            let propensity = self.propensity(one, two);
            if propensity == 0.0 {
                continue;
            }
            self.exclude((one, two));
            let [first, second] = if chance(rng, 0.5) { [one, two] } else { [two, one] };
            return Ok(NextPair { first, second, propensity, how });
        }
    }
}

fn in_order((one, two): (u32, u32)) -> (u32, u32) {
    (one.min(two), one.max(two))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};

    const NEAR: [f64; 5] = [0.25, 0.01, 0.1, 0.0, 0.2];

    fn all_pairs(items: u32) -> impl Iterator<Item = (u32, u32)> {
        (0..items).flat_map(move |one| (one + 1..items).map(move |two| (one, two)))
    }

    fn draws(uniform: f64, asked: &[(u32, u32)]) -> PairDraws {
        let weights: [&[f64]; 2] = [&NEAR, &[1.0, 2.0, 0.5, 1.0, 0.0]];
        let mut draws = PairDraws::new(PairChances::by_weights(weights, uniform).unwrap());
        draws.leave_out(asked.iter().copied()).unwrap();
        draws
    }

    #[test]
    fn propensities_of_all_pairs_sum_to_one_and_none_is_below_the_uniform_part() {
        for asked in [&[][..], &[(0, 1)], &[(3, 2), (2, 3), (0, 4), (1, 1)]] {
            for uniform in [0.01, 0.5, 1.0] {
                let draws = draws(uniform, asked);
                let sum: f64 = all_pairs(5).map(|(one, two)| draws.propensity(one, two)).sum();
                assert!((sum - 1.0).abs() < 1e-12, "{sum}");
                let possible: Vec<f64> = all_pairs(5)
                    .map(|(one, two)| draws.propensity(two, one))
                    .filter(|q| *q > 0.0)
                    .collect();
                assert!(possible.iter().all(|q| *q > uniform / 10.0 - 1e-12));
                assert_eq!(possible.len(), [10, 9, 8][asked.len().min(2)]);
            }
        }
    }

    #[test]
    fn pairs_are_drawn_as_often_as_their_propensities_say_and_either_way_round() {
        const DRAWS: u32 = 40_000;
        let start = draws(0.3, &[(1, 4)]);
        let mut rng = stream(5, Purpose::Next);
        let mut counts = [[0_u32; 5]; 5];
        let mut uniform = 0;
        for _ in 0..DRAWS {
            let pair = start.clone().next(&mut rng).unwrap();
            assert_eq!(pair.propensity, start.propensity(pair.first, pair.second));
            counts[pair.first as usize][pair.second as usize] += 1;
            uniform += u32::from(pair.how == DrawnHow::Uniform);
        }
        for (one, two) in all_pairs(5) {
            let half = 0.5 * f64::from(DRAWS) * start.propensity(one, two);
            for count in [counts[one as usize][two as usize], counts[two as usize][one as usize]] {
                assert!((f64::from(count) - half).abs() < 5.0 * half.sqrt() + 1e-9, "{count} for {half}");
            }
        }
        // Of the pair that was asked, each part loses what it has of it.
        assert!((0.25..0.35).contains(&(f64::from(uniform) / f64::from(DRAWS))), "{uniform}");
    }

    #[test]
    fn with_new_chances_propensities_are_those_of_a_fresh_start_and_what_was_asked_stays_so() {
        let asked = [(3, 2), (0, 4)];
        let mut draws = PairDraws::new(PairChances::uniform(5).unwrap());
        draws.leave_out(asked).unwrap();
        assert!((draws.propensity(0, 1) - 1.0 / 8.0).abs() < 1e-12, "all that are left are equally likely");
        let chances = Arc::new(PairChances::near(&NEAR, 0.2).unwrap());
        draws.draw_by(&chances);
        let mut fresh = PairDraws::new(chances);
        fresh.leave_out(asked).unwrap();
        for (one, two) in all_pairs(5) {
            assert!((draws.propensity(one, two) - fresh.propensity(one, two)).abs() < 1e-12);
        }
        assert_eq!((draws.left(), draws.was_asked(2, 3), draws.was_asked(2, 4)), (8, true, false));
        let drawn = draws.next(&mut stream(0, Purpose::Next)).unwrap();
        assert_eq!((draws.left(), draws.propensity(drawn.second, drawn.first)), (7, 0.0));
    }

    #[test]
    fn no_pair_is_asked_twice_and_then_there_are_none() {
        let mut rng = stream(1, Purpose::Next);
        let pairs = next_pairs(&NEAR, [(0, 1)], 9, 0.5, &mut rng).unwrap();
        let mut seen: Vec<(u32, u32)> = pairs
            .iter()
            .map(|pair| (pair.first.min(pair.second), pair.first.max(pair.second)))
            .collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!((seen.len(), seen.contains(&(0, 1))), (9, false));
        assert!((pairs[8].propensity - 1.0).abs() < 1e-9, "the last one is certain");
        let again = next_pairs(&NEAR, [(0, 1)], 9, 0.5, &mut stream(1, Purpose::Next)).unwrap();
        assert_eq!(again, pairs, "a seed always gives the same pairs");
        let more = next_pairs(&NEAR, [(0, 1)], 10, 0.5, &mut rng).unwrap_err();
        assert_eq!(more.to_string(), "10 pairs are wanted, and 9 of all pairs were not asked yet");
        let mut none = draws(0.5, &all_pairs(5).collect::<Vec<_>>());
        assert!(matches!(none.next(&mut rng), Err(Error::NoPairsLeft { left: 0, .. })));
    }

    #[test]
    fn items_near_the_boundary_are_chosen_and_certain_ones_are_not_forgotten() {
        let mut probabilities = vec![0.0; 100];
        probabilities[..10].fill(0.5);
        let pairs = next_pairs(&probabilities, [], 40, 0.5, &mut stream(2, Purpose::Next)).unwrap();
        for pair in pairs {
            let near = pair.first < 10 && pair.second < 10;
            assert!(near || pair.how == DrawnHow::Uniform, "{pair:?}");
        }
        let certain = next_pairs(&[0.0, 1.0, 1.0], [], 3, 0.01, &mut stream(2, Purpose::Next)).unwrap();
        assert_eq!(certain.len(), 3);
    }

    #[test]
    fn what_cannot_be_drawn_from_is_refused() {
        let refused = |probabilities: &[f64], asked: &[(u32, u32)], uniform| {
            let mut rng = stream(0, Purpose::Next);
            next_pairs(probabilities, asked.iter().copied(), 1, uniform, &mut rng)
                .unwrap_err()
                .to_string()
        };
        assert!(refused(&[0.5], &[], 0.5).contains("at least 2"));
        assert!(refused(&[], &[], 0.5).contains("at least 2"));
        assert!(refused(&[0.5, f64::NAN], &[], 0.5).contains("a number from 0 up"));
        assert!(refused(&[0.5, 1.5], &[], 0.5).contains("a number from 0 up"));
        assert!(refused(&[0.5, 0.5], &[(0, 2)], 0.5).contains("a pair that was asked"));
        for share in [0.0, -1.0, 1.1, f64::NAN] {
            assert!(refused(&[0.5, 0.5], &[], share).contains("from 0.01 to 1"), "{share}");
        }
    }
}
