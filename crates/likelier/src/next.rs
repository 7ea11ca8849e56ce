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

use std::collections::HashSet;

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
    let near: Vec<f64> = probabilities.iter().map(|p| p * (1.0 - p)).collect();
    let mut draws = PairDraws::new([&near, &near], uniform)?;
    draws.leave_out(asked)?;
    let left = draws.pairs() - draws.asked.len();
    if left < count {
        return Err(Error::NoPairsLeft { left, wanted: count });
    }
    (0..count).map(|_| draws.next(rng)).collect()
}

/// A source of pairs: one item by the first list of weights and the other, of the rest, by the second; or both
/// uniformly.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct PairDraws {
    /// Sums of the weights of all items before each, and at the end of all.
    sums: [Vec<f64>; 2],
    uniform: f64,
    asked: HashSet<(u32, u32)>,
    /// The probability of the pairs that were asked, if they could be drawn.
    asked_mass: f64,
}

/// No item is left out: it counts like one that is this near to certain.
const LEAST_WEIGHT: f64 = 1e-6;

impl PairDraws {
    /// Weights from 0 up, one for each item.
    pub fn new(weights: [&[f64]; 2], uniform: f64) -> Result<Self, Error> {
        if !(LEAST_SHARE..=1.0).contains(&uniform) {
            return Err(Error::Setting {
                name: "the share of uniform pairs",
                value: uniform.to_string(),
                allowed: "from 0.01 to 1",
            });
        }
        let items = weights[0].len();
        if items < 2 || weights[1].len() != items {
            return Err(Error::Setting {
                name: "the number of items",
                value: items.to_string(),
                allowed: "at least 2, so that there is a pair",
            });
        }
        if let Some(bad) = weights.iter().flat_map(|of| of.iter()).find(|w| !(w.is_finite() && **w >= 0.0))
        {
            return Err(Error::Setting {
                name: "the weight of an item",
                value: bad.to_string(),
                allowed: "a number from 0 up",
            });
        }
        let sums = weights.map(|weights| {
            let mut sum = 0.0;
            let before = weights.iter().map(|weight| {
                sum += weight.max(LEAST_WEIGHT);
                sum
            });
            std::iter::once(0.0).chain(before).collect()
        });
        Ok(Self { sums, uniform, asked: HashSet::new(), asked_mass: 0.0 })
    }

    /// Pairs that are not to be drawn.
    pub fn leave_out(&mut self, asked: impl IntoIterator<Item = (u32, u32)>) -> Result<(), Error> {
        for (first, second) in asked {
            check_items("a pair that was asked", &[first, second], self.items())?;
            if first != second {
                self.exclude((first, second));
            }
        }
        Ok(())
    }

    fn exclude(&mut self, pair: (u32, u32)) {
        let pair = (pair.0.min(pair.1), pair.0.max(pair.1));
        if self.asked.insert(pair) {
            self.asked_mass += self.mixture(pair);
        }
    }

    fn items(&self) -> usize {
        self.sums[0].len() - 1
    }

    /// How many pairs there are.
    fn pairs(&self) -> usize {
        self.items() * (self.items() - 1) / 2
    }

    fn weight(&self, list: usize, item: u32) -> f64 {
        self.sums[list][item as usize + 1] - self.sums[list][item as usize]
    }

    fn total(&self, list: usize) -> f64 {
        self.sums[list][self.items()]
    }

    /// The probability of a pair, in either order, if every pair could be drawn.
    fn mixture(&self, (one, two): (u32, u32)) -> f64 {
        let in_order = |first: u32, second: u32| {
            self.weight(0, first) / self.total(0) * self.weight(1, second)
                / (self.total(1) - self.weight(1, first))
        };
        let chosen = in_order(one, two) + in_order(two, one);
        self.uniform / self.pairs() as f64 + (1.0 - self.uniform) * chosen
    }

    /// The probability that a pair is drawn next; 0 if it was asked.
    pub fn propensity(&self, one: u32, two: u32) -> f64 {
        let pair = (one.min(two), one.max(two));
        if one == two || self.asked.contains(&pair) {
            return 0.0;
        }
        // The last pair is certain; rounding must not make it more so.
        (self.mixture(pair) / (1.0 - self.asked_mass).max(f64::MIN_POSITIVE)).min(1.0)
    }

    /// Draws a pair, which is not drawn again.
    pub fn next(&mut self, rng: &mut impl Rng) -> Result<NextPair, Error> {
        if self.asked.len() >= self.pairs() {
            return Err(Error::NoPairsLeft { left: 0, wanted: 1 });
        }
        loop {
            let how = if chance(rng, self.uniform) { DrawnHow::Uniform } else { DrawnHow::Chosen };
            let [one, two] = match how {
                DrawnHow::Uniform => {
                    let one = below(rng, self.items());
                    let two = below(rng, self.items() - 1);
                    [one as u32, (two + usize::from(two >= one)) as u32]
                }
                DrawnHow::Chosen => {
                    let one = self.by_weight(0, None, rng);
                    [one, self.by_weight(1, Some(one), rng)]
                }
            };
            let propensity = self.propensity(one, two);
            if one == two || propensity == 0.0 {
                continue;
            }
            self.exclude((one, two));
            let [first, second] = if chance(rng, 0.5) { [one, two] } else { [two, one] };
            return Ok(NextPair { first, second, propensity, how });
        }
    }

    /// An item by its weight, but for one.
    fn by_weight(&self, list: usize, not: Option<u32>, rng: &mut impl Rng) -> u32 {
        let sums = &self.sums[list];
        let left_out = not.map_or(0.0, |item| self.weight(list, item));
        let mut at = unit(rng) * (self.total(list) - left_out);
        if let Some(item) = not.filter(|item| at >= sums[*item as usize]) {
            at += self.weight(list, item);
        }
        let item = sums.partition_point(|sum| *sum <= at).saturating_sub(1);
        item.min(self.items() - 1) as u32
    }
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
        let mut draws = PairDraws::new([&NEAR, &[1.0, 2.0, 0.5, 1.0, 0.0]], uniform).unwrap();
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
