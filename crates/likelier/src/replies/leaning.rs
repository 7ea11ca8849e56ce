//! Leanings to a side: in a share |λ| of the answers, what stands on that side is picked, whatever it is.
//!
//! In the E-step an answer has a probability of having been given so. The M-step of |λ| is their mean, that of each person
//! drawn to 0. The side is looked for first, and stays. One leaning for all is taken if it makes the answers clearly more
//! probable than none, a leaning for each if pairs that were left aside say so.
//!
//! A stated error is that of all answers. Of those who look it is less: (ε − |λ|/2)/(1 − |λ|), or 0.

use super::ReplyRates;
use super::certainty::{PersonRate, interval_of_leaning, of_each_person};
use super::estimate::{CLEAR, LAST_ROUNDS, Sample, Search, Tried, differ};
use crate::estimate::Interval;

/// A leaning is estimated from each of these: it goes with the factor of the scores, and the rounds at one factor move
/// it slowly.
const STARTS: [f64; 3] = [0.1, 0.3, 0.6];
/// More would leave nothing to learn from.
const MOST: f64 = 0.95;
/// How far from 0 the slope of a person's is taken.
const STEP: f64 = 1e-3;

impl<'a> Search<'a> {
    /// With the one leaning of all people that makes the answers clearly more probable, if there is one.
    pub(super) fn with_leaning(&self, without: Tried, start: &ReplyRates) -> Tried {
        if !self.chosen_by.said.may_lean() {
            return without;
        }
        let leaning = |leaning: f64| ReplyRates { leanings: vec![leaning], ..start.clone() };
        let [left, right] =
            [1.0, -1.0].map(|side| self.tried(without.at, 0.0, &leaning(side * STARTS[0])).value);
        if left.max(right) <= without.value + CLEAR {
            return without;
        }
        let side = if left > right { 1.0 } else { -1.0 };
        let starts = STARTS.iter().map(|strength| self.over_factors(&leaning(side * strength)));
        starts.fold(without, |best, leant| if leant.value > best.value { leant } else { best })
    }

    /// With a leaning for each person, if people differ in it.
    pub(super) fn lean_apart(
        &self,
        all: &Sample<'a>,
        rates: &ReplyRates,
        people: usize,
    ) -> Option<(Sample<'a>, ReplyRates)> {
        if !self.chosen_by.said.may_lean() {
            return None;
        }
        let sides = all.sides_of_people(rates, people);
        let from = |strength: f64| ReplyRates {
            leanings: sides.iter().map(|side| side * strength).collect(),
            ..rates.clone()
        };
        let shrink = differ(rates, &from(STARTS[1]), |shrink| all.with_leanings_shrunk(shrink))?;
        // The factor was chosen without these.
        let again = self.over_factors(&from(STARTS[1]));
        let sample = self.sample(again.at, all.lapse, all.pairs.clone()).with_leanings_shrunk(shrink);
        let rates = sample.rounds(&again.rates, LAST_ROUNDS, |_| true);
        Some((sample, rates))
    }
}

impl Sample<'_> {
    /// To which side each person leans: the one that makes what the person said more probable, all others as they are.
    fn sides_of_people(&self, rates: &ReplyRates, people: usize) -> Vec<f64> {
        let common = rates.leaning_of(0);
        let mut rates = ReplyRates { leanings: vec![common; people], ..rates.clone() };
        let mut to_left = vec![0.0; people];
        for (at, pair) in self.pairs.iter().enumerate() {
            let mut seen: Vec<usize> = Vec::new();
            for person in pair.iter().map(|answer| self.said.told[*answer as usize].by as usize) {
                if seen.contains(&person) {
                    continue;
                }
                seen.push(person);
                let [left, right] = [STEP, -STEP].map(|step| {
                    rates.leanings[person] = step;
                    self.log_likelihood(at, &rates)
                });
                rates.leanings[person] = common;
                to_left[person] += left - right;
            }
        }
        to_left.iter().map(|gain: &f64| gain.signum()).collect()
    }

    /// The M-step of leanings: `blind` of so many answers were given by the side.
    pub(super) fn leanings(&self, blind: &[f64], given: &[f64], before: &ReplyRates) -> Vec<f64> {
        let shrink = if blind.len() > 1 { self.shrink_leanings } else { 0.0 };
        let share = |(blind, given): (&f64, &f64)| (blind / (given + shrink).max(1.0)).min(MOST);
        let shares = blind.iter().zip(given).map(share);
        shares
            .zip(&before.leanings)
            .map(|(share, before)| share.copysign(*before))
            .collect()
    }

    /// The error on mixed pairs of those who look, if the stated one is that of all answers and such a share of these was
    /// given by the side.
    pub(super) fn error_of_looking(&self, by_side: f64) -> f64 {
        ((self.protocol.labeller_error() - 0.5 * by_side) / (1.0 - by_side)).max(0.0)
    }

    /// The share of all answers that are given by the side.
    pub(super) fn by_side(&self, rates: &ReplyRates) -> f64 {
        if let [one] = rates.leanings[..] {
            return one.abs();
        }
        let answers = self.pairs.iter().copied().flatten();
        let (sum, count) = answers.fold((0.0, 0.0), |(sum, count), at| {
            let told = self.said.told[*at as usize];
            let half = if told.tie { 0.5 } else { 1.0 };
            (sum + half * rates.leaning_of(told.by).abs(), count + half)
        });
        if count > 0.0 { sum / count } else { 0.0 }
    }

    /// How far leanings may be off: one by the standard error that it has with all other rates, or each person's.
    pub(super) fn leaning_intervals(
        &self,
        rates: &ReplyRates,
        of_one: Option<f64>,
        level: f64,
    ) -> Option<Vec<Interval>> {
        let errors = match rates.leanings.len() {
            1 => vec![of_one?],
            _ => of_each_person(self, rates, PersonRate::Leaning),
        };
        let intervals = rates.leanings.iter().zip(errors);
        Some(
            intervals
                .map(|(leaning, error)| interval_of_leaning(*leaning, error, level))
                .collect(),
        )
    }
}
