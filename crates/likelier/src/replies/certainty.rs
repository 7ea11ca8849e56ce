//! How far estimated rates may be off, and which of them the answers tell at all.
//!
//! The rates make what was said as probable as possible. Their errors are those of an M-estimator: H⁻¹MH⁻¹, with H the
//! curvature of Σ ln P(what was said about a pair), and M what the slopes of pairs have in common that share an item: two
//! pairs of an item whose score is wrong are wrong together. The factor of the scores and the share that they say nothing
//! about are parameters, too; the scores themselves, the prior and whatever is stated are held fixed.
//!
//! Scores that were learned from few answers are wrong in more ways than these two, and draw the rates to each other. So
//! intervals of rates that all people share are wider than the formula has them, by a factor that was found in
//! simulations (`reproduce/runs/2026-11-18-answers`).

use std::collections::BTreeMap;

use serde::Serialize;

use super::estimate::Sample;
use super::{ReplyRates, TieRates};
use crate::estimate::Interval;
use crate::estimate::distribution::two_sided;

/// How a rate is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RateSource {
    /// As it was stated, or by default.
    Stated,
    /// From the answers.
    Estimated,
    /// How people differ is estimated, their mean stated.
    AroundStated,
    /// How people differ is estimated; how good they are together the answers do not tell.
    UpToALevel,
}

/// How often people do what, and how well that is known.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReplyEstimate {
    /// The rates that training takes.
    #[serde(flatten)]
    pub rates: ReplyRates,
    /// How the errors are known.
    pub errors_from: RateSource,
    /// Whether people differ, by pairs that were left aside; none where one person answered, or nobody is named.
    pub people_differ: Option<bool>,
    /// How far each error may be off; none where answers do not tell them.
    pub error_intervals: Option<Vec<Interval>>,
    /// How the rates of ties are known; none where there are none.
    pub ties_from: Option<RateSource>,
    /// How far they may be off.
    pub tie_intervals: Option<TieIntervals>,
    /// Whether pairs asked again tell κ; else it is 0 because nothing tells it.
    pub degree_known: bool,
    /// How far each leaning may be off; none where nobody leans, or the answers do not tell.
    pub leaning_intervals: Option<Vec<Interval>>,
    /// The share of all answers that were given by the side; none where sides are not known.
    pub by_side: Option<f64>,
}

/// How far the rates of ties may be off.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TieIntervals {
    /// τₛ.
    pub same_class: Interval,
    /// τₘ.
    pub mixed: Interval,
}

impl ReplyEstimate {
    /// Rates that nothing was estimated of.
    pub(crate) fn stated(rates: ReplyRates) -> Self {
        Self {
            ties_from: rates.ties.map(|_| RateSource::Stated),
            rates,
            errors_from: RateSource::Stated,
            people_differ: None,
            error_intervals: None,
            tie_intervals: None,
            degree_known: false,
            leaning_intervals: None,
            by_side: None,
        }
    }

    /// The rates, where they are more than the stated error.
    pub(crate) fn taught(&self) -> Option<&ReplyRates> {
        let more = self.rates.ties.is_some()
            || self.errors_from != RateSource::Stated
            || !self.rates.leanings.is_empty();
        more.then_some(&self.rates)
    }
}

/// What is estimated together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Parameter {
    SameTies,
    MixedTies,
    Error,
    Leaning,
    Factor,
    Lapse,
}

/// Steps of numerical slopes and curvatures.
const STEP: f64 = 1e-3;

/// How much wider than by the formula intervals of rates are that all people share.
const WIDER: f64 = 1.4;

/// What a person's leaning is known by beside the answers is no more than it would be at this.
const LEAST_LEANING: f64 = 0.05;

/// A rate that people may have each.
#[derive(Clone, Copy)]
pub(super) enum PersonRate {
    Error,
    Leaning,
}

impl PersonRate {
    fn of(self, rates: &mut ReplyRates) -> &mut [f64] {
        match self {
            Self::Error => &mut rates.errors,
            Self::Leaning => &mut rates.leanings,
        }
    }
}

/// Standard errors of τₛ, of τₘ, of the one error and of the one leaning, where these are estimated.
#[derive(Clone, Copy, Default)]
pub(super) struct StandardErrors {
    pub(super) ties: Option<[f64; 2]>,
    pub(super) error: Option<f64>,
    pub(super) leaning: Option<f64>,
}

impl StandardErrors {
    /// At rates with one error for all; `items` are the likelier and the other item of each comparison.
    pub(super) fn new(sample: &Sample<'_>, rates: &ReplyRates, items: [&[u32]; 2]) -> Self {
        let mut free = vec![Parameter::Factor];
        if sample.lapse > 0.0 {
            free.push(Parameter::Lapse);
        }
        if sample.free_ties && rates.ties.is_some() {
            free.extend([Parameter::SameTies, Parameter::MixedTies]);
        }
        if sample.free_errors {
            free.push(Parameter::Error);
        }
        if !rates.leanings.is_empty() {
            free.push(Parameter::Leaning);
        }
        let Some(variances) = variances(sample, rates, &free, items) else { return Self::default() };
        let of = |wanted: Parameter| {
            let at = free.iter().position(|one| *one == wanted)?;
            Some(WIDER * variances[at].sqrt()).filter(|error| error.is_finite())
        };
        let ties = of(Parameter::SameTies).zip(of(Parameter::MixedTies));
        Self {
            ties: ties.map(|(same, mixed)| [same, mixed]),
            error: of(Parameter::Error),
            leaning: of(Parameter::Leaning),
        }
    }
}

/// The variances of the parameters; none where the answers are no more probable here than nearby.
fn variances(
    sample: &Sample<'_>,
    rates: &ReplyRates,
    free: &[Parameter],
    items: [&[u32]; 2],
) -> Option<Vec<f64>> {
    let stretched = [-STEP, STEP].map(|step| sample.stretched(step.exp()));
    // ln P of each pair, with these steps made.
    let values = |steps: &[(Parameter, f64)]| -> Vec<f64> {
        let mut rates = rates.clone();
        let mut lapse = sample.lapse;
        let mut at = sample;
        for (parameter, step) in steps {
            match parameter {
                Parameter::Factor => at = &stretched[usize::from(*step > 0.0)],
                Parameter::Lapse => lapse += step,
                Parameter::Error => rates.errors[0] += step,
                Parameter::Leaning => rates.leanings[0] += step,
                Parameter::SameTies | Parameter::MixedTies => {
                    let ties = rates.ties.unwrap_or_default();
                    let [same, mixed] = if *parameter == Parameter::SameTies {
                        [ties.same_class() + step, ties.mixed()]
                    } else {
                        [ties.same_class(), ties.mixed() + step]
                    };
                    rates.ties = TieRates::new(same, mixed).ok();
                }
            }
        }
        let mut at = at.clone();
        at.lapse = lapse;
        (0..at.pairs.len()).map(|pair| at.log_likelihood(pair, &rates)).collect()
    };
    let total = |steps: &[(Parameter, f64)]| values(steps).iter().sum::<f64>();
    let count = free.len();
    let mut slopes = vec![vec![0.0; count]; sample.pairs.len()];
    let mut curvature = vec![vec![0.0; count]; count];
    let here = total(&[]);
    for (one, parameter) in free.iter().enumerate() {
        let [below, above] = [-STEP, STEP].map(|step| values(&[(*parameter, step)]));
        for (slope, (below, above)) in slopes.iter_mut().zip(below.iter().zip(&above)) {
            slope[one] = (above - below) / (2.0 * STEP);
        }
        let ends = below.iter().sum::<f64>() + above.iter().sum::<f64>();
        curvature[one][one] = (2.0 * here - ends) / (STEP * STEP);
        for other in 0..one {
            let mut mixed = 0.0;
            for (sign, sign_other) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
                let steps = [(*parameter, sign * STEP), (free[other], sign_other * STEP)];
                mixed -= sign * sign_other * total(&steps) / (4.0 * STEP * STEP);
            }
            curvature[one][other] = mixed;
            curvature[other][one] = mixed;
        }
    }
    let inverse = inverse_of_positive(curvature)?;
    // What a pair moves each parameter by.
    let influence: Vec<Vec<f64>> = slopes.iter().map(|slope| times(&inverse, slope)).collect();
    let mut by_item: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for (pair, influence) in sample.pairs.iter().zip(&influence) {
        for items in items {
            let sum = by_item.entry(items[pair[0] as usize]).or_insert_with(|| vec![0.0; count]);
            sum.iter_mut().zip(influence).for_each(|(sum, one)| *sum += one);
        }
    }
    let squares = |values: &mut dyn Iterator<Item = &Vec<f64>>| {
        values.fold(vec![0.0; count], |mut sum, value| {
            sum.iter_mut().zip(value).for_each(|(sum, one)| *sum += one * one);
            sum
        })
    };
    let pairs = squares(&mut influence.iter());
    let items = squares(&mut by_item.values());
    // A pair is counted with both of its items, so once too often.
    Some(
        pairs
            .iter()
            .zip(items)
            .map(|(pairs, items)| (items - pairs).max(*pairs))
            .collect(),
    )
}

fn times(matrix: &[Vec<f64>], vector: &[f64]) -> Vec<f64> {
    matrix
        .iter()
        .map(|row| row.iter().zip(vector).map(|(a, b)| a * b).sum())
        .collect()
}

/// By elimination; none unless every pivot is positive.
fn inverse_of_positive(mut matrix: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let count = matrix.len();
    let mut inverse: Vec<Vec<f64>> = (0..count)
        .map(|row| (0..count).map(|column| f64::from(u8::from(row == column))).collect())
        .collect();
    for at in 0..count {
        let pivot = matrix[at][at];
        if pivot.is_nan() || pivot <= 1e-9 {
            return None;
        }
        for table in [&mut matrix, &mut inverse] {
            table[at].iter_mut().for_each(|cell| *cell /= pivot);
        }
        for row in (0..count).filter(|row| *row != at) {
            let factor = matrix[row][at];
            for table in [&mut matrix, &mut inverse] {
                let own = table[at].clone();
                table[row].iter_mut().zip(own).for_each(|(cell, own)| *cell -= factor * own);
            }
        }
    }
    Some(inverse)
}

/// The range of a rate with this standard error, cut to what is possible.
pub(super) fn interval(rate: f64, error: f64, level: f64) -> Interval {
    around(rate, error, level).clipped(0.0, 1.0)
}

/// The same for a leaning, which is below 0 to the right.
pub(super) fn interval_of_leaning(leaning: f64, error: f64, level: f64) -> Interval {
    around(leaning, error, level).clipped(-1.0, 1.0)
}

fn around(rate: f64, error: f64, level: f64) -> Interval {
    let reach = two_sided(level) * error;
    Interval { value: rate, low: rate - reach, high: rate + reach, level }
}

/// Standard errors of each person's rate, the others' and all else given: by the squares of the slopes of what they
/// said, and by what all people have in common.
pub(super) fn of_each_person(sample: &Sample<'_>, rates: &ReplyRates, which: PersonRate) -> Vec<f64> {
    let mut rates = rates.clone();
    let prior = |rate: &f64| match which {
        PersonRate::Error => sample.shrink / (rate * (1.0 - rate)),
        // One near 0 would seem to be known exactly.
        PersonRate::Leaning => {
            let share = rate.abs().max(LEAST_LEANING);
            sample.shrink_leanings / (share * (1.0 - share))
        }
    };
    let mut information: Vec<f64> = which.of(&mut rates).iter().map(prior).collect();
    for (at, pair) in sample.pairs.iter().enumerate() {
        for (place, answer) in pair.iter().enumerate() {
            let by = |answer: &u32| sample.said.told[*answer as usize].by as usize;
            let person = by(answer);
            if pair[..place].iter().any(|before| by(before) == person) {
                continue;
            }
            let here = which.of(&mut rates)[person];
            let [below, above] = [-STEP, STEP].map(|step| {
                which.of(&mut rates)[person] = here + step;
                sample.log_likelihood(at, &rates)
            });
            which.of(&mut rates)[person] = here;
            information[person] += ((above - below) / (2.0 * STEP)).powi(2);
        }
    }
    information.iter().map(|information| information.sqrt().recip()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inverse_of_a_positive_matrix_is_found_and_no_other() {
        let matrix = vec![vec![4.0, 1.0], vec![1.0, 3.0]];
        let inverse = inverse_of_positive(matrix.clone()).unwrap();
        for (row, of) in matrix.iter().enumerate() {
            for (column, product) in times(&inverse, of).iter().enumerate() {
                assert!((product - f64::from(u8::from(row == column))).abs() < 1e-12);
            }
        }
        assert!(inverse_of_positive(vec![vec![1.0, 2.0], vec![2.0, 1.0]]).is_none());
        assert!(inverse_of_positive(vec![vec![f64::NAN]]).is_none());
    }
}
