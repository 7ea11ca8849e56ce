//! How people reply, estimated from scores of items by models that were not trained on them.
//!
//! Scores that a model has learned from the same answers would make every rate look clearer than it is: it agrees
//! with its own answers. So the scores come from folds of items. They are stretched, levelled to the prior and, where
//! that makes the answers more probable, taken to say nothing at all about a share of the items: a scorer that has
//! seen little is surely wrong now and then. Then they are held fixed, and expectation–maximisation runs over the
//! rates alone. What answers cannot tell stays as it is stated:
//!
//! - **ties** have a rate for pairs of one class and one for mixed pairs;
//! - **errors** are estimated where pairs were asked again, or where people differ and none is stated; each
//!   person's is drawn to what all have in common. Whether people differ is asked of pairs that were left aside;
//! - **κ**, how strongly equals are ordered by degree, is estimated where pairs were asked again, and is 0 unless
//!   that makes the answers clearly more probable;
//! - **leanings** to a side are looked for where sides are known (`leaning.rs`).

use super::certainty::{
    PersonRate, RateSource, ReplyEstimate, StandardErrors, TieIntervals, interval, of_each_person,
};
use super::said::Said;
use super::{ReplyRates, TieRates, joint_posterior};
use crate::prior::Prior;
use crate::protocol::Protocol;
use crate::risk::sigmoid;

/// So many answers' worth of what all people have in common is added to each person's: the one of these that suits
/// pairs that were left aside best.
const SHRINK_PEOPLE: [f64; 4] = [10.0, 20.0, 40.0, 80.0];
/// The same for ties.
const SHRINK_TIES: f64 = 10.0;
/// Where errors are estimated they start here, unless more is stated …
const START: f64 = 0.1;
/// … and stay within these: at 0 a contradiction would be proof, at ½ an answer would be none.
const ERRORS: [f64; 2] = [0.005, 0.45];
const FACTORS: usize = 9;
/// Strengths of grading that are tried, and factors of the scores.
const DEGREES: [f64; 5] = [0.25, 0.5, 1.0, 2.0, 4.0];
const SCALES: [f64; FACTORS] = [0.2, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0];
/// Shares of items that scores may say nothing about, and how many larger factors may go with one.
const LAPSES: [f64; 4] = [0.02, 0.05, 0.1, 0.2];
const LARGER: usize = 3;
/// How much more probable the answers must be by degree than by coins, or with a leaning than without, in natural
/// logarithms.
pub(super) const CLEAR: f64 = 3.0;
/// So many pairs tell the rates; more would cost time.
const MOST_PAIRS: usize = 10_000;
/// So many that were asked once, and so many that were asked again, tell which factor and strength are best.
const MOST_TO_CHOOSE_BY: usize = 1_500;
/// Rounds of expectation–maximisation where much is compared …
pub(super) const ROUNDS: usize = 20;
/// … and in the end, unless no rate moves any more.
pub(super) const LAST_ROUNDS: usize = 200;
const SETTLED: f64 = 1e-5;

/// The pairs that the rates are estimated from.
#[derive(Clone)]
pub(super) struct Sample<'a> {
    pub(super) said: &'a Said,
    pub(super) protocol: Protocol,
    prior: Prior,
    /// The comparisons of each pair.
    pub(super) pairs: Vec<&'a [u32]>,
    /// Scores of the likelier and of the other item of each comparison, what they are stretched by, and the level.
    scores: [&'a [f32]; 2],
    scale: f64,
    level: f64,
    /// The share of items that scores say nothing about.
    pub(super) lapse: f64,
    /// Whether errors are estimated, too.
    pub(super) free_errors: bool,
    /// Whether rates of ties are.
    pub(super) free_ties: bool,
    /// How many answers' worth each person's error has of what all have in common, and each leaning of none.
    pub(super) shrink: f64,
    pub(super) shrink_leanings: f64,
}

/// How probable what was said about some pairs is, at a factor of the scores and a lapse.
pub(super) struct Tried {
    pub(super) value: f64,
    pub(super) rates: ReplyRates,
    pub(super) at: usize,
    pub(super) lapse: f64,
}

/// Some of the pairs, by which factor, strength and leaning are chosen.
pub(super) struct Search<'a> {
    /// At the first factor.
    pub(super) chosen_by: Sample<'a>,
    levels: [f64; FACTORS],
}

impl<'a> Search<'a> {
    /// The same or other pairs, at a factor.
    pub(super) fn sample(&self, at: usize, lapse: f64, pairs: Vec<&'a [u32]>) -> Sample<'a> {
        Sample { pairs, scale: SCALES[at], level: self.levels[at], lapse, ..self.chosen_by.clone() }
    }

    /// What some of the pairs say for a factor of the scores.
    pub(super) fn tried(&self, at: usize, lapse: f64, start: &ReplyRates) -> Tried {
        let sample = self.sample(at, lapse, self.chosen_by.pairs.clone());
        let rates = sample.rounds(start, ROUNDS, |_| true);
        Tried { value: sample.value(&rates), rates, at, lapse }
    }

    /// The best factor.
    pub(super) fn over_factors(&self, start: &ReplyRates) -> Tried {
        let first = self.tried(0, 0.0, start);
        (1..FACTORS)
            .map(|at| self.tried(at, 0.0, start))
            .fold(first, |best, tried| if tried.value >= best.value { tried } else { best })
    }

    /// Gives each person a leaning and an error, where people differ; `common` is how far the error of all may be off.
    fn tell_apart(
        &self,
        all: &mut Sample<'a>,
        found: &mut ReplyEstimate,
        people: usize,
        (common, level): (Option<f64>, f64),
    ) {
        let again = all.free_errors;
        if let Some((sample, rates)) = self.lean_apart(all, &found.rates, people) {
            (*all, found.rates) = (sample, rates);
        }
        all.free_errors = true;
        let pooled = found.rates.error_of(0).max(START);
        let with = |people: usize| ReplyRates { errors: vec![pooled; people], ..found.rates.clone() };
        let each = with(people);
        let shrink = differ(&with(1), &each, |shrink| Sample { shrink, ..all.clone() });
        found.people_differ = Some(shrink.is_some());
        let Some(shrink) = shrink else { return };
        all.shrink = shrink;
        let each = all.rounds(&each, LAST_ROUNDS, |_| true);
        let stated = all.error_of_looking(all.by_side(&each));
        let around = stated > 0.0 && !again;
        found.rates = if around { at_level(&each, all, stated) } else { each };
        // What the mean is known by, if it is.
        let common = if around { Some(0.0) } else { common };
        found.errors_from = match (again, around) {
            (true, _) => RateSource::Estimated,
            (false, true) => RateSource::AroundStated,
            (false, false) => RateSource::UpToALevel,
        };
        found.error_intervals = common.map(|common| {
            let own = of_each_person(all, &found.rates, PersonRate::Error);
            let of = found.rates.errors.iter().zip(own);
            of.map(|(error, own)| interval(*error, own.hypot(common), level)).collect()
        });
    }
}

/// Estimates the rates from scores of the likelier and of the other item of each comparison, by models that were not
/// trained on them, and says how far they may be off. Rates of ties that are stated stay as they are.
pub(crate) fn estimate(
    said: &Said,
    items: [&[u32]; 2],
    scores: [&[f32]; 2],
    (prior, protocol): (Prior, Protocol),
    stated_ties: Option<TieRates>,
    level: f64,
) -> ReplyEstimate {
    let stated = protocol.labeller_error();
    let again = said.asked_again();
    let pairs = spread(said.pairs().collect(), MOST_PAIRS);
    let (repeated, once) = pairs.iter().partition(|pair| said.is_decided_again(pair));
    let chosen_by = [spread(repeated, MOST_TO_CHOOSE_BY), spread(once, MOST_TO_CHOOSE_BY)].concat();
    let tied = tied_share(said);
    let start = ReplyRates {
        errors: vec![if again { stated.max(START) } else { stated }],
        ties: stated_ties
            .or_else(|| said.has_ties().then(|| TieRates::new(tied, tied).unwrap_or_default())),
        degree: 0.0,
        leanings: Vec::new(),
    };
    let levels = SCALES.map(|scale| level_at(scores, &pairs, scale, prior));
    let chosen_by = Sample {
        said,
        protocol,
        prior,
        pairs: chosen_by,
        scores,
        scale: SCALES[0],
        level: levels[0],
        lapse: 0.0,
        free_errors: again,
        free_ties: stated_ties.is_none(),
        shrink: SHRINK_PEOPLE[0],
        shrink_leanings: SHRINK_PEOPLE[0],
    };
    let search = Search { chosen_by, levels };
    let by_coins = search.with_leaning(search.over_factors(&start), &start);
    let start = ReplyRates { leanings: by_coins.rates.leanings.clone(), ..start };
    let at_degree = |degree: f64| search.over_factors(&ReplyRates { degree, ..start.clone() });
    let needed = by_coins.value + CLEAR;
    let graded = DEGREES.into_iter().filter(|_| again).map(at_degree);
    let mut best = graded
        .filter(|graded| graded.value > needed)
        .fold(by_coins, |best, graded| if graded.value > best.value { graded } else { best });
    let (from, start) = (best.at, best.rates.clone());
    for lapse in LAPSES {
        for at in from..SCALES.len().min(from + 1 + LARGER) {
            let lapsed = search.tried(at, lapse, &start);
            if lapsed.value > best.value {
                best = lapsed;
            }
        }
    }
    let mut all = search.sample(best.at, best.lapse, pairs);
    let rates = all.rounds(&best.rates, LAST_ROUNDS, |_| true);
    let off = StandardErrors::new(&all, &rates, items);
    let mut found = ReplyEstimate {
        errors_from: if again { RateSource::Estimated } else { RateSource::Stated },
        error_intervals: off.error.map(|error| vec![interval(rates.errors[0], error, level)]),
        ties_from: rates.ties.map(|_| RateSource::Estimated),
        degree_known: again,
        by_side: said.has_sides().then_some(0.0),
        ..ReplyEstimate::stated(rates)
    };
    if stated_ties.is_some() {
        found.ties_from = Some(RateSource::Stated);
    }
    let mut ties_off = off.ties;
    let people = said.people();
    if people > 1 {
        search.tell_apart(&mut all, &mut found, people, (off.error, level));
        if found.errors_from == RateSource::UpToALevel {
            // They move with the errors, whose level is not known.
            ties_off = None;
        }
    }
    if !found.rates.leanings.is_empty() {
        found.by_side = Some(all.by_side(&found.rates));
        found.leaning_intervals = all.leaning_intervals(&found.rates, off.leaning, level);
    }
    found.tie_intervals = found.rates.ties.zip(ties_off).map(|(ties, [same, mixed])| TieIntervals {
        same_class: interval(ties.same_class(), same, level),
        mixed: interval(ties.mixed(), mixed, level),
    });
    found
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
fn level_at(scores: [&[f32]; 2], pairs: &[&[u32]], scale: f64, prior: Prior) -> f64 {
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
    /// With scores stretched once more, and levelled again.
    pub(super) fn stretched(&self, factor: f64) -> Self {
        let scale = self.scale * factor;
        Self { scale, level: level_at(self.scores, &self.pairs, scale, self.prior), ..self.clone() }
    }

    /// With each leaning drawn to none by so many answers.
    pub(super) fn with_leanings_shrunk(&self, by: f64) -> Self {
        Self { shrink_leanings: by, ..self.clone() }
    }

    /// Levelled log-odds of a comparison's two items.
    fn odds(&self, at: usize) -> [f64; 2] {
        self.scores.map(|scores| {
            let odds = self.scale * f64::from(scores[at]) + self.level;
            if self.lapse == 0.0 {
                return odds;
            }
            let of = |share: f64, odds: f64| (1.0 - self.lapse) * sigmoid(odds) + self.lapse * share;
            (of(self.prior.positive(), odds) / of(self.prior.negative(), -odds)).ln()
        })
    }

    /// Expectation–maximisation over the rates that are free, on some of the pairs.
    pub(super) fn rounds(
        &self,
        start: &ReplyRates,
        most: usize,
        wanted: impl Fn(usize) -> bool,
    ) -> ReplyRates {
        let mut rates = start.clone();
        for _ in 0..most {
            let next = self.round(&rates, &wanted);
            let moved = next.distance(&rates);
            rates = next;
            if moved < SETTLED {
                break;
            }
        }
        rates
    }

    /// One round over some of the pairs.
    fn round(&self, rates: &ReplyRates, wanted: impl Fn(usize) -> bool) -> ReplyRates {
        let people = rates.errors.len();
        let (mut reversed, mut mixed) = (vec![0.0; people], vec![0.0; people]);
        let leaners = rates.leanings.len();
        let (mut blind, mut given) = (vec![0.0; leaners], vec![0.0; leaners]);
        let (mut all, mut tied) = ([0.0; 2], [0.0; 2]);
        for (_, pair) in self.pairs.iter().enumerate().filter(|(at, _)| wanted(*at)) {
            for at in pair.iter().map(|at| *at as usize) {
                let [first, second] = self.odds(at);
                let gap = rates.degree * (first - second);
                let table = self.said.table(at, self.protocol, rates).graded(gap);
                let mut joint = joint_posterior(&table, first, second);
                let told = self.said.told[at];
                let half = if told.tie { 0.5 } else { 1.0 };
                if leaners > 0 {
                    // An answer that was given by the side tells nothing of errors and ties.
                    let looked = self.said.looked(at, self.protocol, rates, gap);
                    for (cell, looked) in joint.as_flattened_mut().iter_mut().zip(looked.as_flattened()) {
                        *cell *= looked;
                    }
                    let person = if leaners == 1 { 0 } else { told.by as usize };
                    blind[person] += half * (1.0 - joint.as_flattened().iter().sum::<f64>());
                    given[person] += half;
                }
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
            errors: if self.free_errors {
                shrunk(&reversed, &mixed, self.shrink)
            } else if leaners > 0 {
                let share = blind.iter().sum::<f64>() / given.iter().sum::<f64>();
                vec![self.error_of_looking(share)]
            } else {
                rates.errors.clone()
            },
            ties: match rates.ties {
                Some(before) if self.free_ties => Some(TieRates::new(rate(0), rate(1)).unwrap_or(before)),
                stated => stated,
            },
            degree: rates.degree,
            leanings: self.leanings(&blind, &given, rates),
        }
    }

    /// Σ ln P(what was said about a pair).
    fn value(&self, rates: &ReplyRates) -> f64 {
        (0..self.pairs.len()).map(|pair| self.log_likelihood(pair, rates)).sum()
    }

    /// ln P(what was said about a pair).
    pub(super) fn log_likelihood(&self, pair: usize, rates: &ReplyRates) -> f64 {
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
}

/// Whether rates of each person, learned from half of the pairs, make the other half clearly more probable than those of
/// all together; and if so, how far each is best drawn to what all have in common: `with` has the pairs so.
pub(super) fn differ<'a>(
    one: &ReplyRates,
    each: &ReplyRates,
    with: impl Fn(f64) -> Sample<'a>,
) -> Option<f64> {
    // ln P of each pair, by what the pairs of the other half tell.
    let values = |start: &ReplyRates, shrink: f64| {
        let sample = with(shrink);
        let halves = [0, 1].map(|half| sample.rounds(start, ROUNDS, |pair| pair % 2 != half));
        let value = |pair: usize| sample.log_likelihood(pair, &halves[pair % 2]);
        (0..sample.pairs.len()).map(value).collect::<Vec<f64>>()
    };
    let one = values(one, 0.0);
    let gains = SHRINK_PEOPLE.map(|shrink| {
        let each = values(each, shrink);
        each.iter().zip(&one).map(|(each, one)| each - one).collect::<Vec<f64>>()
    });
    let total = |gains: &[f64]| gains.iter().sum::<f64>();
    let (shrink, gains) = SHRINK_PEOPLE
        .iter()
        .zip(&gains)
        .max_by(|one, two| total(one.1).total_cmp(&total(two.1)))?;
    clearly_positive(gains).then_some(*shrink)
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
fn shrunk(reversed: &[f64], mixed: &[f64], shrink: f64) -> Vec<f64> {
    let pooled = (reversed.iter().sum::<f64>() + START) / (mixed.iter().sum::<f64>() + 1.0);
    if reversed.len() == 1 {
        return vec![pooled.clamp(ERRORS[0], ERRORS[1])];
    }
    let one = |(reversed, mixed): (&f64, &f64)| {
        ((reversed + shrink * pooled) / (mixed + shrink)).clamp(ERRORS[0], ERRORS[1])
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
