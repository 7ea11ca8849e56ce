//! How people reply, estimated from scores of items by models that were not trained on them.
//!
//! Scores that a model has learned from the same answers would make every rate look clearer than it is: it agrees
//! with its own answers. So the scores come from folds of items. They are stretched, levelled to the prior and held
//! fixed; expectation–maximisation then runs over the rates alone. What answers cannot tell stays as it is stated:
//!
//! - **ties** have a rate for pairs of one class and one for mixed pairs;
//! - **errors** are estimated where pairs were asked again, or where people differ and none is stated; each
//!   person's is drawn to what all have in common. Whether people differ is asked of pairs that were left aside;
//! - **κ**, how strongly equals are ordered by degree, is estimated where pairs were asked again, and is 0 unless
//!   that makes the answers clearly more probable.

use super::said::Said;
use super::{ReplyRates, TieRates, joint_posterior};
use crate::prior::Prior;
use crate::protocol::Protocol;
use crate::risk::sigmoid;

/// So many answers' worth of what all people have in common is added to each person's.
const SHRINK_PEOPLE: f64 = 20.0;
/// The same for ties.
const SHRINK_TIES: f64 = 10.0;
/// Where errors are estimated they start here, unless more is stated …
const START: f64 = 0.1;
/// … and stay within these: at 0 a contradiction would be proof, at ½ an answer would be none.
const ERRORS: [f64; 2] = [0.005, 0.45];
/// Strengths of grading that are tried, and factors of the scores.
const DEGREES: [f64; 5] = [0.25, 0.5, 1.0, 2.0, 4.0];
const SCALES: [f64; 9] = [0.2, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0];
/// How much more probable the answers must be by degree than by coins, in natural logarithms.
const CLEAR: f64 = 3.0;
/// So many pairs tell the rates; more would cost time.
const MOST_PAIRS: usize = 10_000;
/// So many that were asked once, and so many that were asked again, tell which factor and strength are best.
const MOST_TO_CHOOSE_BY: usize = 1_500;
/// Rounds of expectation–maximisation.
const ROUNDS: usize = 20;

/// The pairs that the rates are estimated from.
struct Sample<'a> {
    said: &'a Said,
    protocol: Protocol,
    /// The comparisons of each pair.
    pairs: Vec<&'a [u32]>,
    /// Scores of the likelier and of the other item of each comparison, what they are stretched by, and the level.
    scores: [&'a [f32]; 2],
    scale: f64,
    level: f64,
    /// Whether errors are estimated, too.
    free_errors: bool,
}

/// Estimates the rates from scores of the likelier and of the other item of each comparison, by models that were not
/// trained on them.
pub(crate) fn estimate(said: &Said, scores: [&[f32]; 2], prior: Prior, protocol: Protocol) -> ReplyRates {
    let stated = protocol.labeller_error();
    let again = said.asked_again();
    let pairs = spread(said.pairs().collect(), MOST_PAIRS);
    let (repeated, once) = pairs.iter().partition(|pair| said.is_decided_again(pair));
    let chosen_by = [spread(repeated, MOST_TO_CHOOSE_BY), spread(once, MOST_TO_CHOOSE_BY)].concat();
    let tied = tied_share(said);
    let start = ReplyRates {
        errors: vec![if again { stated.max(START) } else { stated }],
        ties: said.has_ties().then(|| TieRates::new(tied, tied).unwrap_or_default()),
        degree: 0.0,
    };
    let levels = SCALES.map(|scale| level(scores, &pairs, scale, prior));
    let sample = |at: usize, pairs: &[_]| Sample {
        said,
        protocol,
        pairs: pairs.to_vec(),
        scores,
        scale: SCALES[at],
        level: levels[at],
        free_errors: again,
    };
    // The best factor of the scores, and its value, at a strength.
    let at_degree = |degree: f64| {
        let start = ReplyRates { degree, ..start.clone() };
        let mut best: Option<(f64, ReplyRates, usize)> = None;
        for at in 0..SCALES.len() {
            let (rates, value) = sample(at, &chosen_by).maximise(&start);
            if best.as_ref().is_none_or(|best| value > best.0) {
                best = Some((value, rates, at));
            }
        }
        best
    };
    let mut best = at_degree(0.0);
    let by_coins = best.as_ref().map_or(f64::NEG_INFINITY, |best| best.0);
    for degree in DEGREES.into_iter().filter(|_| again) {
        let graded = at_degree(degree);
        let value = |best: &Option<(f64, ReplyRates, usize)>| {
            best.as_ref().map_or(f64::NEG_INFINITY, |best| best.0)
        };
        if value(&graded) > by_coins + CLEAR && value(&graded) > value(&best) {
            best = graded;
        }
    }
    let Some((_, rates, at)) = best else { return start };
    let all = sample(at, &pairs);
    let mut rates = all.maximise(&rates).0;
    let people = said.people();
    if people > 1 {
        let all = Sample { free_errors: true, ..all };
        let pooled = rates.error_of(0).max(START);
        if all.people_differ(&rates, people) {
            let each = ReplyRates { errors: vec![pooled; people], ..rates };
            let found = all.maximise(&each).0;
            let fixed = stated > 0.0 && !again;
            rates = if fixed { at_level(&found, &all, stated) } else { found };
        }
    }
    rates
}

/// At most so many, spread over all.
fn spread<T: Copy>(all: Vec<T>, most: usize) -> Vec<T> {
    let every = all.len().div_ceil(most).max(1);
    all.into_iter().step_by(every).collect()
}

/// By answers.
fn tied_share(said: &Said) -> f64 {
    let halves = said.told.iter().filter(|told| told.tie).count() as f64 / 2.0;
    let answers = said.is_label.iter().filter(|label| !**label).count() as f64 - halves;
    (halves / answers).clamp(0.001, 0.999)
}

/// What stretched scores are shifted by, so that the mean probability of the items of these pairs is the prior.
fn level(scores: [&[f32]; 2], pairs: &[&[u32]], scale: f64, prior: Prior) -> f64 {
    let places = pairs.iter().copied().flatten().map(|at| *at as usize);
    let stretched: Vec<f64> = places
        .flat_map(|at| scores.map(|scores| scale * f64::from(scores[at])))
        .collect();
    let mean = |level: f64| {
        stretched.iter().map(|score| sigmoid(score + level)).sum::<f64>() / stretched.len().max(1) as f64
    };
    let farthest = stretched.iter().fold(0.0_f64, |far, score| far.max(score.abs()));
    let mut bracket = [-farthest - 40.0, farthest + 40.0];
    for _ in 0..60 {
        let middle = f64::midpoint(bracket[0], bracket[1]);
        bracket[usize::from(mean(middle) > prior.positive())] = middle;
    }
    f64::midpoint(bracket[0], bracket[1])
}

impl Sample<'_> {
    /// Levelled log-odds of a comparison's two items.
    fn odds(&self, at: usize) -> [f64; 2] {
        self.scores.map(|scores| self.scale * f64::from(scores[at]) + self.level)
    }

    /// Expectation–maximisation over the rates that are free; the log-likelihood of everything that was said.
    fn maximise(&self, start: &ReplyRates) -> (ReplyRates, f64) {
        let mut rates = start.clone();
        for _ in 0..ROUNDS {
            rates = self.round(&rates, |_| true);
        }
        let value = (0..self.pairs.len()).map(|pair| self.log_likelihood(pair, &rates)).sum();
        (rates, value)
    }

    /// One round over some of the pairs.
    fn round(&self, rates: &ReplyRates, wanted: impl Fn(usize) -> bool) -> ReplyRates {
        let people = rates.errors.len();
        let (mut reversed, mut mixed) = (vec![0.0; people], vec![0.0; people]);
        let (mut all, mut tied) = ([0.0; 2], [0.0; 2]);
        for (_, pair) in self.pairs.iter().enumerate().filter(|(at, _)| wanted(*at)) {
            for at in pair.iter().map(|at| *at as usize) {
                let [first, second] = self.odds(at);
                let table = self
                    .said
                    .table(at, self.protocol, rates)
                    .graded(rates.degree * (first - second));
                let joint = joint_posterior(&table, first, second);
                let told = self.said.told[at];
                let half = if told.tie { 0.5 } else { 1.0 };
                let masses = [joint[0][0] + joint[1][1], joint[0][1] + joint[1][0]];
                for class in 0..2 {
                    all[class] += half * masses[class];
                    tied[class] += if told.tie { half * masses[class] } else { 0.0 };
                }
                if !told.tie {
                    let person = if people == 1 { 0 } else { told.by as usize };
                    mixed[person] += masses[1];
                    reversed[person] += joint[1][0];
                }
            }
        }
        let overall = (tied[0] + tied[1]) / (all[0] + all[1]).max(1.0);
        let rate = |class: usize| {
            ((tied[class] + SHRINK_TIES * overall) / (all[class] + SHRINK_TIES)).clamp(0.001, 0.999)
        };
        ReplyRates {
            errors: if self.free_errors { shrunk(&reversed, &mixed) } else { rates.errors.clone() },
            ties: rates.ties.map(|before| TieRates::new(rate(0), rate(1)).unwrap_or(before)),
            degree: rates.degree,
        }
    }

    /// ln P(what was said about a pair).
    fn log_likelihood(&self, pair: usize, rates: &ReplyRates) -> f64 {
        let at = self.pairs[pair][0] as usize;
        let [first, second] = self.odds(at);
        let table = self.said.table(at, self.protocol, rates);
        let classes = [first, second].map(|score| [sigmoid(score), sigmoid(-score)]);
        let mut sum = 0.0;
        for (y, row) in table.graded(rates.degree * (first - second)).iter().enumerate() {
            for (y_other, accepted) in row.iter().enumerate() {
                sum += classes[0][y] * classes[1][y_other] * accepted;
            }
        }
        table.log_factor + sum.max(f64::MIN_POSITIVE).ln()
    }

    /// Whether one error each, learned from half of the pairs, makes the other half clearly more probable than one
    /// for all.
    fn people_differ(&self, rates: &ReplyRates, people: usize) -> bool {
        let start = rates.error_of(0).max(START);
        let mut gains = Vec::with_capacity(self.pairs.len());
        for learned in 0..2 {
            let fit = |people: usize| {
                let mut rates = ReplyRates { errors: vec![start; people], ..rates.clone() };
                for _ in 0..ROUNDS {
                    rates = self.round(&rates, |pair| pair % 2 == learned);
                }
                rates
            };
            let (one, each) = (fit(1), fit(people));
            for pair in (0..self.pairs.len()).filter(|pair| pair % 2 != learned) {
                gains.push(self.log_likelihood(pair, &each) - self.log_likelihood(pair, &one));
            }
        }
        clearly_positive(&gains)
    }
}

/// Comparisons tell how people differ, not how good they are: the mean of 1 − 2ε over answers is held to a stated ε.
fn at_level(rates: &ReplyRates, sample: &Sample<'_>, stated: f64) -> ReplyRates {
    let answers = sample.pairs.iter().copied().flatten();
    let (sum, count) = answers.fold((0.0, 0.0), |(sum, count), at| {
        (sum + 1.0 - 2.0 * rates.error_of(sample.said.told[*at as usize].by), count + 1.0)
    });
    let factor = (1.0 - 2.0 * stated) * count / sum;
    let moved = |error: &f64| (0.5 * (1.0 - factor * (1.0 - 2.0 * error))).clamp(ERRORS[0], ERRORS[1]);
    ReplyRates { errors: rates.errors.iter().map(moved).collect(), ..rates.clone() }
}

/// Errors from posterior masses, drawn to what all have in common.
fn shrunk(reversed: &[f64], mixed: &[f64]) -> Vec<f64> {
    let pooled = (reversed.iter().sum::<f64>() + START) / (mixed.iter().sum::<f64>() + 1.0);
    if reversed.len() == 1 {
        return vec![pooled.clamp(ERRORS[0], ERRORS[1])];
    }
    let one = |(reversed, mixed): (&f64, &f64)| {
        ((reversed + SHRINK_PEOPLE * pooled) / (mixed + SHRINK_PEOPLE)).clamp(ERRORS[0], ERRORS[1])
    };
    reversed.iter().zip(mixed).map(one).collect()
}

/// Whether a mean is above 0 by more than its standard error.
fn clearly_positive(values: &[f64]) -> bool {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
    count > 1.0 && mean > (variance / count).sqrt()
}
