//! Answers by pair, and how often two answers to one pair agree.

use super::super::dyads::Dyads;
use super::super::labeller::AskedAgain;
use super::Interval;
use crate::data::Answers;
use crate::estimate::distribution::{normal_tail, two_sided};

/// One answer to a pair: the two items, the smaller index first; which answer; and whether the first was said to be
/// likelier.
#[derive(Clone, Copy, Debug)]
pub(super) struct PairAnswer {
    pub(super) pair: [u32; 2],
    pub(super) at: usize,
    pub(super) forward: bool,
}

/// All answers, those to the same pair together, in the order in which they were given.
pub(super) struct Pairs(Vec<PairAnswer>);

impl Pairs {
    pub(super) fn new(pairs: &[(u32, u32)], items: usize) -> Self {
        let answers = pairs
            .iter()
            .enumerate()
            .filter(|(_, (a, b))| a != b)
            .map(|(at, &(a, b))| PairAnswer { pair: [a.min(b), a.max(b)], at, forward: a < b });
        let by_second = counting_sort(&answers.collect::<Vec<_>>(), items, |answer| answer.pair[1]);
        Self(counting_sort(&by_second, items, |answer| answer.pair[0]))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &[PairAnswer]> {
        self.0.chunk_by(|a, b| a.pair == b.pair)
    }

    pub(super) fn count(&self) -> usize {
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

/// The first two answers to each pair that was asked again; ties and answers that are not wanted apart.
pub(super) fn asked_again(pairs: &Pairs, answers: &Answers, wanted: &dyn Fn(usize) -> bool) -> AskedAgain {
    let mut asked = AskedAgain::default();
    for given in pairs.iter() {
        let mut orders = given
            .iter()
            .filter(|one| !answers.is_tie(one.at) && wanted(one.at))
            .map(|one| one.forward);
        if let (Some(first), Some(second)) = (orders.next(), orders.next()) {
            asked.answers += 1;
            asked.disagreements += usize::from(first != second);
        }
    }
    asked
}

/// The same as if all pairs had been equally likely to be asked: where they were not, each counts as many as it stands
/// for, and all together as many as they are worth, (Σw)²/Σw².
pub(super) fn asked_again_as_if_drawn(
    pairs: &Pairs,
    answers: &Answers,
    wanted: &dyn Fn(usize) -> bool,
) -> AskedAgain {
    let Some(propensities) = answers.propensities() else { return asked_again(pairs, answers, wanted) };
    let (mut sum, mut squares, mut differ) = (0.0, 0.0, 0.0);
    for given in pairs.iter() {
        let mut decided = given.iter().filter(|one| !answers.is_tie(one.at) && wanted(one.at));
        if let (Some(first), Some(second)) = (decided.next(), decided.next()) {
            let weight = propensities[first.at].recip();
            sum += weight;
            squares += weight * weight;
            differ += if first.forward == second.forward { 0.0 } else { weight };
        }
    }
    if sum == 0.0 {
        return AskedAgain::default();
    }
    let worth = (sum * sum / squares).round();
    AskedAgain { answers: worth as usize, disagreements: (worth * differ / sum).round() as usize }
}

/// A mean over pairs of items, each of which is one observation.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct PairMean {
    pairs: Vec<(u32, u32)>,
    values: Vec<f64>,
}

impl PairMean {
    pub(super) fn add(&mut self, [a, b]: [u32; 2], value: f64) {
        self.pairs.push((a, b));
        self.values.push(value);
    }

    pub(super) fn count(&self) -> usize {
        self.values.len()
    }

    pub(super) fn mean(&self) -> f64 {
        self.values.iter().sum::<f64>() / self.values.len().max(1) as f64
    }

    /// The variance of the mean when each value has this expectation at most: never below that of single answers
    /// that are as uncertain as the mean says, so that a few equal values are no certainty.
    pub(super) fn variance(&self, smallest: f64) -> f64 {
        let (mean, count) = (self.mean(), self.values.len().max(1) as f64);
        let dyads = Dyads::of(&self.pairs.iter().copied().collect());
        let found = dyads.variance(|at| self.values[at] - mean) / (count * count);
        found.max(smallest / count)
    }

    /// Its interval; none without pairs.
    pub(super) fn interval(&self, level: f64) -> Option<Interval> {
        let (value, count) = (self.mean(), self.values.len());
        if count == 0 {
            return None;
        }
        // One more of each, as Wilson's interval has it in effect.
        let cautious = (value * count as f64 + 2.0) / (count as f64 + 4.0);
        let spread = two_sided(level) * self.variance(cautious * (1.0 - cautious) * 0.5).sqrt();
        Some(Interval { value, low: value - spread, high: value + spread, level }.clipped(0.0, 1.0))
    }

    /// How probable a mean so large or larger is when it should be `at_most`.
    pub(super) fn above(&self, at_most: f64) -> f64 {
        if self.values.len() < 10 {
            return 1.0;
        }
        normal_tail(self.distance(at_most))
    }

    /// How probable a mean so small or smaller is when it should be `at_least`.
    pub(super) fn below(&self, at_least: f64) -> f64 {
        if self.values.len() < 10 {
            return 1.0;
        }
        normal_tail(-self.distance(at_least))
    }

    /// How many standard errors the mean lies above a share.
    fn distance(&self, share: f64) -> f64 {
        let several = self.values.iter().any(|value| *value > 0.0 && *value < 1.0);
        // Shares of several answers vary less than single ones.
        let smallest = if several { 0.25 } else { 1.0 } * share * (1.0 - share);
        (self.mean() - share) / self.variance(smallest).max(f64::MIN_POSITIVE).sqrt()
    }
}

/// How often two answers to one pair agree, pair by pair: the share among all two that were given. Where people are
/// known, only answers of different people count, who cannot remember each other's.
pub(super) fn agreement(
    pairs: &Pairs,
    answers: &Answers,
    wanted: &dyn Fn(usize) -> bool,
) -> (PairMean, bool) {
    let of = |apart: bool| {
        let mut mean = PairMean::default();
        for given in pairs.iter().filter(|given| given.len() > 1) {
            let decided = || given.iter().filter(|one| !answers.is_tie(one.at) && wanted(one.at));
            // By person, so that a pair asked a thousand times costs no more than that.
            let mut people: Vec<(u32, [f64; 2])> = Vec::new();
            for one in decided() {
                let who = answers
                    .annotators()
                    .filter(|_| apart)
                    .map_or(one.at as u32, |all| all.of[one.at]);
                let place = people.iter().position(|(known, _)| *known == who).unwrap_or_else(|| {
                    people.push((who, [0.0; 2]));
                    people.len() - 1
                });
                people[place].1[usize::from(one.forward)] += 1.0;
                if people.len() >= 64 {
                    break;
                }
            }
            let (mut agree, mut all) = (0.0, 0.0);
            for (at, (_, one)) in people.iter().enumerate() {
                for (_, two) in &people[..at] {
                    agree += one[0] * two[0] + one[1] * two[1];
                    all += (one[0] + one[1]) * (two[0] + two[1]);
                }
            }
            if all > 0.0 {
                mean.add(given[0].pair, agree / all);
            }
        }
        mean
    };
    let by_different_people = of(true);
    if answers.annotators().is_some() && by_different_people.count() >= 30 {
        return (by_different_people, true);
    }
    (of(false), false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_asked_again_count_as_many_as_they_stand_for() {
        let said = [(0, 1), (1, 0), (2, 3), (2, 3), (4, 5), (4, 5), (6, 7)];
        let plain = Answers::from_iter(said);
        let pairs = Pairs::new(plain.pairs(), 8);
        let asked = |answers: &Answers| {
            let found = asked_again_as_if_drawn(&pairs, answers, &|_| true);
            (found.answers, found.disagreements)
        };
        assert_eq!(asked(&plain), (3, 1));
        let alike = plain.clone().chosen(vec![0.1; 7]).unwrap();
        assert_eq!(asked(&alike), (3, 1));
        // The pair that was answered both ways stands for eight of the others: all are worth (8 + 1 + 1)²/66 answers.
        let rare = [0.01, 0.01, 0.08, 0.08, 0.08, 0.08, 0.5];
        assert_eq!(asked(&plain.chosen(rare.to_vec()).unwrap()), (2, 2));
    }
}
