//! Each annotator against the others, on pairs that several of them answered.
//!
//! What an annotator is compared by is how often they agree with the others, pair by pair; and the others by how
//! often they agree among themselves. An estimate from few answers is drawn to that of all (by the spread between
//! annotators that is more than chance), so that a few unlucky answers make nobody stand out.

use serde::Serialize;

use super::Interval;
use super::family::Suspicion;
use super::pairs::{PairMean, Pairs};
use super::remark::{Remark, Unlike};
use crate::data::{Annotators, Answers};
use crate::estimate::distribution::normal_tail;

/// One annotator.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Annotator {
    /// The name.
    pub name: String,
    /// Comparisons made, ties included.
    pub comparisons: usize,
    /// Pairs that another annotator answered, too.
    pub shared: usize,
    /// How often the two agree; absent where nothing is shared.
    pub agreement: Option<Interval>,
    /// How often an own answer, given again to the same pair, agrees; absent where nothing was repeated.
    pub own_agreement: Option<Interval>,
    /// How often the item on the left was picked, where sides were recorded.
    pub picked_left: Option<Interval>,
    /// Whether the agreement is lower than the others' by more than chance, and by so much that it matters.
    pub stands_out: bool,
    /// Whether one side is picked more often, by more than chance, and by so much that it matters.
    pub leans: bool,
}

/// All annotators.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AnnotatorReport {
    /// Each of them, in the order of the names given.
    pub annotators: Vec<Annotator>,
    /// How often two of them agree on the same pair; absent where no pair was shared.
    pub agreement: Option<Interval>,
}

/// Fewer pairs or answers than this say nothing about a person.
pub(super) const FEWEST_OF_ONE: usize = 20;
/// Whoever is less reliable than this share of the others' reliability matters; below the second, the answers are
/// nearer to coins than to the others'.
const MATTERS: f64 = 0.85;
const LIKE_COINS: f64 = 0.35;

/// What a reliability beside the others', 1 for the same and 0 for coins, means; none if it is near enough.
pub(super) fn unlike(beside_others: f64) -> Option<Unlike> {
    if beside_others < -0.2 {
        Some(Unlike::Contrary)
    } else if beside_others < LIKE_COINS {
        Some(Unlike::Coin)
    } else {
        (beside_others < MATTERS).then_some(Unlike::Careless)
    }
}

/// Estimates with their variances, drawn to their common mean by as much as chance explains their spread
/// (DerSimonian and Laird).
pub(super) fn shrunk(estimates: &[(f64, f64)]) -> Vec<f64> {
    let weight = |variance: f64| 1.0 / variance.max(1e-12);
    let total: f64 = estimates.iter().map(|(_, variance)| weight(*variance)).sum();
    let squares: f64 = estimates.iter().map(|(_, variance)| weight(*variance).powi(2)).sum();
    let mean = estimates.iter().map(|(value, variance)| weight(*variance) * value).sum::<f64>() / total;
    let spread: f64 = estimates
        .iter()
        .map(|(value, variance)| weight(*variance) * (value - mean).powi(2))
        .sum();
    let between =
        ((spread - (estimates.len() as f64 - 1.0)) / (total - squares / total).max(1e-12)).max(0.0);
    let draw =
        |(value, variance): &(f64, f64)| mean + between / (between + variance.max(1e-12)) * (value - mean);
    estimates.iter().map(draw).collect()
}

/// The name of an annotator, for people.
pub(super) fn shown(annotators: &Annotators, who: usize) -> String {
    match annotators.names.get(who) {
        "" => "(nobody)".into(),
        name => name.into(),
    }
}

/// What was counted on the way: answers of each, pairs of each.
pub(super) struct Shared {
    own: Vec<PairMean>,
    again: Vec<PairMean>,
    /// All two of them.
    all: PairMean,
    /// The sum over pairs, and the number of pairs, without each of them.
    rest: Vec<(f64, f64)>,
}

impl Shared {
    pub(super) fn of(
        pairs: &Pairs,
        answers: &Answers,
        annotators: &Annotators,
        wanted: &dyn Fn(usize) -> bool,
    ) -> Self {
        let count = annotators.names.len();
        let mut shared = Self {
            own: vec![PairMean::default(); count],
            again: vec![PairMean::default(); count],
            all: PairMean::default(),
            rest: vec![(0.0, 0.0); count],
        };
        for given in pairs.iter().filter(|given| given.len() > 1) {
            shared.add(given[0].pair, &people(given, answers, annotators, wanted));
        }
        let (sum, number) = (shared.all.mean() * shared.all.count() as f64, shared.all.count());
        for (of_rest, pairs) in &mut shared.rest {
            *of_rest += sum;
            *pairs += number as f64;
        }
        shared
    }

    fn add(&mut self, pair: [u32; 2], people: &[(u32, [f64; 2])]) {
        let couple = |one: &[f64; 2], two: &[f64; 2]| {
            [one[0] * two[0] + one[1] * two[1], (one[0] + one[1]) * (two[0] + two[1])]
        };
        let with = |at: usize| {
            let others = people.iter().enumerate().filter(|(other, _)| *other != at);
            others.fold([0.0; 2], |sum, (_, (_, two))| {
                let [agree, all] = couple(&people[at].1, two);
                [sum[0] + agree, sum[1] + all]
            })
        };
        let each: Vec<[f64; 2]> = (0..people.len()).map(with).collect();
        // Every couple counts from both its ends.
        let total = each
            .iter()
            .fold([0.0; 2], |sum, of| [sum[0] + 0.5 * of[0], sum[1] + 0.5 * of[1]]);
        if total[1] > 0.0 {
            self.all.add(pair, total[0] / total[1]);
        }
        for ((who, orders), [agree, all]) in people.iter().zip(&each) {
            let who = *who as usize;
            let made = orders[0] + orders[1];
            if made > 1.0 {
                let same = orders[0] * (orders[0] - 1.0) + orders[1] * (orders[1] - 1.0);
                self.again[who].add(pair, same / (made * (made - 1.0)));
            }
            if *all > 0.0 {
                self.own[who].add(pair, agree / all);
                let without = [total[0] - agree, total[1] - all];
                let (sum, pairs) = &mut self.rest[who];
                *sum -= total[0] / total[1];
                if without[1] > 0.5 {
                    *sum += without[0] / without[1];
                } else {
                    *pairs -= 1.0;
                }
            }
        }
    }

    pub(super) fn report(&self, annotators: &Annotators, level: f64) -> AnnotatorReport {
        let mut made = vec![0; annotators.names.len()];
        for who in &annotators.of {
            made[*who as usize] += 1;
        }
        let each = (0..made.len()).map(|who| Annotator {
            name: shown(annotators, who),
            comparisons: made[who],
            shared: self.own[who].count(),
            agreement: self.own[who].interval(level),
            own_agreement: self.again[who].interval(level),
            picked_left: None,
            stands_out: false,
            leans: false,
        });
        AnnotatorReport { annotators: each.collect(), agreement: self.all.interval(level) }
    }

    /// How reliable each is beside the others: how often they agree with the others beyond a coin, by how often
    /// these do among themselves.
    pub(super) fn beside(&self, annotators: &Annotators) -> Vec<BesideOthers> {
        let of_all = self.all.variance(0.0);
        let tested = (0..self.own.len()).filter(|who| {
            self.own[*who].count() >= FEWEST_OF_ONE && self.rest[*who].1 >= FEWEST_OF_ONE as f64
        });
        let beside = |who: usize| {
            let (sum, number) = self.rest[who];
            let (share, others) = (self.own[who].mean(), sum / number);
            let of_rest = of_all * self.all.count() as f64 / number;
            let beyond = others - 0.5;
            // Others who agree like coins have no reliability to be beside.
            (beyond > 0.02).then(|| BesideOthers {
                who,
                name: shown(annotators, who),
                ratio: (share - 0.5) / beyond,
                variance: (self.own[who].variance(0.05) + of_rest) / (beyond * beyond),
                share,
                others,
                of: self.own[who].count(),
                by_features: false,
            })
        };
        tested.filter_map(beside).collect()
    }
}

/// How reliable somebody is beside the others, as one measure sees it: 1 is the same, 0 a coin.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BesideOthers {
    pub(super) who: usize,
    pub(super) name: String,
    pub(super) ratio: f64,
    pub(super) variance: f64,
    /// What was measured, of them and of the others.
    pub(super) share: f64,
    pub(super) others: f64,
    pub(super) of: usize,
    pub(super) by_features: bool,
}

/// Whoever is less reliable than the others, by all measures together.
pub(crate) fn less_reliable(mut measured: Vec<BesideOthers>) -> Vec<Suspicion> {
    measured.sort_by(|a, b| a.who.cmp(&b.who).then(a.variance.total_cmp(&b.variance)));
    let people: Vec<&[BesideOthers]> = measured.chunk_by(|a, b| a.who == b.who).collect();
    let together = |measures: &&[BesideOthers]| {
        let weight: f64 = measures.iter().map(|one| 1.0 / one.variance.max(1e-9)).sum();
        let sum: f64 = measures.iter().map(|one| one.ratio / one.variance.max(1e-9)).sum();
        (sum / weight, 1.0 / weight)
    };
    let estimates: Vec<(f64, f64)> = people.iter().map(together).collect();
    let suspicion = |((measures, (ratio, variance)), drawn): ((&&[BesideOthers], &(f64, f64)), f64)| {
        let how = unlike(drawn);
        let most_precise = &measures[0];
        let remark = Remark::StandsOut {
            name: most_precise.name.clone(),
            how: how.unwrap_or(Unlike::Careless),
            share: most_precise.share,
            others: most_precise.others,
            of: most_precise.of,
            by_features: most_precise.by_features,
        };
        Suspicion::new(normal_tail((1.0 - ratio) / variance.sqrt()), how.is_some(), remark)
    };
    people.iter().zip(&estimates).zip(shrunk(&estimates)).map(suspicion).collect()
}

/// How often each person answered a pair in either order.
pub(super) fn people(
    given: &[super::pairs::PairAnswer],
    answers: &Answers,
    annotators: &Annotators,
    wanted: &dyn Fn(usize) -> bool,
) -> Vec<(u32, [f64; 2])> {
    let mut people: Vec<(u32, [f64; 2])> = Vec::new();
    for one in given.iter().filter(|one| !answers.is_tie(one.at) && wanted(one.at)) {
        let who = annotators.of[one.at];
        let place = people.iter().position(|(known, _)| *known == who).unwrap_or_else(|| {
            people.push((who, [0.0; 2]));
            people.len() - 1
        });
        people[place].1[usize::from(one.forward)] += 1.0;
        // Nobody asks a pair of more people, and the couples among them grow fast.
        if people.len() >= 64 {
            break;
        }
    }
    people
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_are_drawn_to_the_mean_as_far_as_chance_explains_them() {
        // Spread by no more than chance: all are the mean.
        let same = shrunk(&[(0.7, 0.01), (0.72, 0.01), (0.68, 0.01)]);
        assert!(same.iter().all(|value| (value - 0.7).abs() < 1e-9), "{same:?}");
        // Spread far beyond chance: hardly drawn.
        let apart = shrunk(&[(0.7, 0.0001), (0.72, 0.0001), (0.2, 0.0001)]);
        assert!(apart[2] < 0.21 && apart[0] > 0.69, "{apart:?}");
        assert_eq!(unlike(1.0), None);
        assert_eq!(
            [0.7, 0.2, -0.5].map(unlike),
            [Some(Unlike::Careless), Some(Unlike::Coin), Some(Unlike::Contrary)]
        );
    }
}
