//! How often the most likely of several classes is the right one, without a label.
//!
//! P(right) = Σ_k π_k P(called k | y = k), and P(called k | y = k) is the true positive rate of the yes/no classifier "called
//! k" for question k: the comparisons of that question tell it (`docs/trust.md`). Each item is called by models that were
//! not trained on it in any question.
//!
//! Answers to different questions are given apart, and an item is of one class only: an answer about an item of another class
//! adds to the rate of class k as often as it takes away. So the errors of the rates are not correlated, and their variances
//! add, also where the same items were asked about in every question.
//!
//! In the same way E[g(x) | y = k] follows for any g, and so does the log-loss Σ_k π_k E[−ln q_k(x) | y = k] of class
//! probabilities. It decides how sharp these are ([`Classifiers::sharpness`](crate::Classifiers::sharpness)).

use rayon::prelude::*;
use serde::Serialize;

use super::assessment::{Assessment, Judged, Scored};
use super::questions::Question;
use super::{Fitted, LEVEL};
use crate::data::{Answers, Rows};
use crate::error::Error;
use crate::estimate::Interval;
use crate::estimate::metrics::Range;
use crate::model::{class_probabilities, most_likely};
use crate::warning::Unjudged;

/// How often the most likely class is the right one, on new items.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JudgedClasses {
    /// The share of items whose most likely class is theirs, if labellers ordered two items of one side by a coin.
    pub accuracy: Interval,
    /// Whether or not they did; none where they are known to have.
    pub range: Option<Range>,
    /// What it is made from.
    pub recalls: Vec<ClassRecall>,
}

/// How many items of one class are called it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClassRecall {
    /// The class.
    pub class: String,
    /// Its share of all items.
    pub share: f64,
    /// The share of its items that are called it.
    pub recall: Interval,
    /// The share of all items that are called it.
    pub called: Interval,
}

/// A share that something counts with, how far the share itself may be off, and the something.
type Weighted = (f64, f64, Interval);

/// What the class of an item is told by.
struct Calls<'a> {
    fitted: Vec<(&'a str, &'a Fitted, &'a Assessment)>,
    /// The log-odds of each item, by question, by models that were not trained on it; none where one of them was.
    log_odds: Vec<Option<Vec<f64>>>,
    /// Its most likely class.
    called: Vec<Option<usize>>,
}

/// How good the most likely class is, and how sharp probabilities should be; by the answers that the classifiers were
/// trained on, in folds, or by held-out ones.
pub(super) fn judged_classes(
    rows: &Rows,
    questions: &[Question],
    fitted: &[(String, Fitted)],
) -> Result<(JudgedClasses, f64), Unjudged> {
    let calls = Calls::new(rows, questions, fitted)?;
    let judged = calls.judged()?;
    Ok((judged, calls.sharpness()?))
}

impl<'a> Calls<'a> {
    fn new(rows: &Rows, questions: &[Question], fitted: &'a [(String, Fitted)]) -> Result<Self, Unjudged> {
        let mut held = Vec::with_capacity(fitted.len());
        let mut by_question = Vec::with_capacity(fitted.len());
        for ((name, one), question) in fitted.iter().zip(questions) {
            let assessment = one.assessment.as_ref().ok_or(Unjudged::NothingHeldOut)?;
            let answers = question.supervision.answers().ok_or(Unjudged::Piles)?;
            by_question.push(unseen_log_odds(one, assessment, answers, rows)?);
            held.push((&name[..], one, assessment));
        }
        let of_item = |item: usize| by_question.iter().map(|of| of[item]).collect::<Option<Vec<f64>>>();
        let log_odds: Vec<Option<Vec<f64>>> = (0..rows.len()).map(of_item).collect();
        let called = log_odds.iter().map(|odds| odds.as_deref().map(most_likely)).collect();
        Ok(Self { fitted: held, log_odds, called })
    }

    /// The share of each class.
    fn shares(&self) -> Vec<f64> {
        let shares: Vec<f64> = self.fitted.iter().map(|(_, one, _)| one.prior.prior.positive()).collect();
        let whole: f64 = shares.iter().sum();
        shares.iter().map(|share| share / whole).collect()
    }

    fn judged(&self) -> Result<JudgedClasses, Error> {
        let mut recalls = Vec::with_capacity(self.fitted.len());
        let mut rates: Vec<Weighted> = Vec::new();
        let mut ends: [Vec<Weighted>; 2] = [Vec::new(), Vec::new()];
        for (class, ((name, one, assessment), share)) in self.fitted.iter().zip(self.shares()).enumerate() {
            let judged = judged_calls(class, &self.called, assessment)?;
            let off = one.prior.estimated.map_or(0.0, |interval| 0.5 * interval.width());
            let recall = judged.metrics.true_positive_rate;
            rates.push((share, off, recall));
            if let Some(ranges) = &judged.ranges {
                let Range { low_end, high_end } = ranges.true_positive_rate;
                ends[0].push((share, off, low_end));
                ends[1].push((share, off, high_end));
            }
            let called = judged.metrics.called_positive;
            recalls.push(ClassRecall { class: (*name).to_owned(), share, recall, called });
        }
        let [low, high] = &ends;
        let range =
            (low.len() == rates.len()).then(|| Range { low_end: summed(low), high_end: summed(high) });
        Ok(JudgedClasses { accuracy: summed(&rates), range, recalls })
    }

    /// What to multiply log-odds by: what has the least log-loss by these comparisons, if it is clearly less than with 1.
    fn sharpness(&self) -> Result<f64, Error> {
        let plain = self.losses(1.0);
        let mut best = (0.0, 1.0);
        for sharpness in TRIED {
            let [gain, error] = self.gain(&plain, &self.losses(sharpness))?;
            if gain > CLEARLY * error && gain > best.0 {
                best = (gain, sharpness);
            }
        }
        Ok(best.1)
    }

    /// −ln q_k of each item and class; none of items that were trained on.
    fn losses(&self, sharpness: f64) -> Vec<Option<Vec<f64>>> {
        let losses = |odds: &Vec<f64>| {
            let scaled: Vec<f64> = odds.iter().map(|odds| sharpness * odds).collect();
            class_probabilities(&scaled)
                .iter()
                .map(|share| -share.max(LEAST_SHARE).ln())
                .collect()
        };
        self.log_odds.par_iter().map(|odds| odds.as_ref().map(losses)).collect()
    }

    /// By how much the log-loss of `new` is less than that of `old`, and the standard error of that.
    fn gain(&self, old: &[Option<Vec<f64>>], new: &[Option<Vec<f64>>]) -> Result<[f64; 2], Error> {
        let (mut gain, mut variance) = (0.0, 0.0);
        for (class, ((_, one, assessment), share)) in self.fitted.iter().zip(self.shares()).enumerate() {
            let mixture = assessment.grounds().protocol().mixture(one.prior.prior)?;
            let weights = mixture.inverse()[0];
            let of_item = |item: u32| {
                let item = item as usize;
                Some(old[item].as_ref()?[class] - new[item].as_ref()?[class])
            };
            let (mut sum, mut squares, mut count) = (0.0, 0.0, 0.0);
            for (at, (likelier, other)) in assessment.scored.comparisons.iter().enumerate() {
                let [Some(one), Some(two)] = [of_item(likelier), of_item(other)] else { continue };
                let weight = assessment
                    .scored
                    .comparisons
                    .judging_weights()
                    .map_or(1.0, |all| f64::from(all[at]));
                let value = weights[0] * one + weights[1] * two;
                sum += weight * value;
                squares += weight * value * value;
                count += weight;
            }
            if count == 0.0 {
                continue;
            }
            let mean: f64 = sum / count;
            gain += share * mean;
            variance += share * share * (squares / count - mean * mean).max(0.0) / count;
        }
        Ok([gain, variance.sqrt()])
    }
}

/// What log-odds of classes may be multiplied by.
const TRIED: [f64; 8] = [0.5, 0.7, 0.85, 1.2, 1.4, 1.7, 2.0, 2.8];
/// By so many standard errors.
const CLEARLY: f64 = 1.645;
/// One surprise must not outweigh all else.
const LEAST_SHARE: f64 = 1e-6;

/// Log-odds of each item by a model that was not trained on it; none of an item that was trained on.
fn unseen_log_odds(
    one: &Fitted,
    assessment: &Assessment,
    answers: &Answers,
    rows: &Rows,
) -> Result<Vec<Option<f64>>, Error> {
    let map = one.classifier.probability();
    let of = |score: f32| f64::from(map.slope) * f64::from(score) + f64::from(map.offset);
    let mut found: Vec<Option<f64>> = vec![None; rows.len()];
    let mut compared = vec![false; rows.len()];
    for (a, b) in answers.pairs() {
        compared[*a as usize] = true;
        compared[*b as usize] = true;
    }
    let never: Vec<u32> = (0..rows.len() as u32).filter(|row| !compared[*row as usize]).collect();
    for (item, score) in never.iter().zip(one.classifier.scores_of(rows, &never)?) {
        found[*item as usize] = Some(of(score));
    }
    let Scored { comparisons, scores, counted, .. } = &assessment.scored;
    for (at, (a, b)) in comparisons.iter().enumerate() {
        for (pile, item) in [a, b].into_iter().enumerate() {
            if counted.as_ref().is_none_or(|counted| counted[pile][at]) {
                found[item as usize] = Some(of(scores[pile][at]));
            }
        }
    }
    Ok(found)
}

/// "Called this class" as a yes/no classifier, by the comparisons of the class.
fn judged_calls(class: usize, called: &[Option<usize>], assessment: &Assessment) -> Result<Judged, Error> {
    let scored = &assessment.scored;
    let (mut scores, mut counted) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
    for (at, (a, b)) in scored.comparisons.iter().enumerate() {
        for (pile, item) in [a, b].into_iter().enumerate() {
            let call = called[item as usize];
            let counts = scored.counted.as_ref().is_none_or(|counted| counted[pile][at]);
            scores[pile].push(if call == Some(class) { 1.0 } else { 0.0 });
            counted[pile].push(counts && call.is_some());
        }
    }
    let all = counted.iter().flatten().all(|counts| *counts);
    let calls = Scored { scores, counted: (!all).then_some(counted), ..scored.clone() };
    calls.judged(0.5, &assessment.grounds().picked_from(1), LEVEL)
}

/// The sum of uncorrelated rates, each times its share.
fn summed(rates: &[Weighted]) -> Interval {
    let value = rates.iter().map(|(share, _, rate)| share * rate.value).sum::<f64>();
    let squares = |off: fn(&Interval) -> f64| -> f64 {
        let parts = rates
            .iter()
            .map(|(share, of_share, rate)| (share * off(rate)).powi(2) + (of_share * rate.value).powi(2));
        parts.sum::<f64>().sqrt()
    };
    Interval {
        value,
        low: value - squares(|rate| rate.value - rate.low),
        high: value + squares(|rate| rate.high - rate.value),
        level: LEVEL,
    }
}
