//! What held-out scores say about the answers: whether the features explain them at all, whose answers they explain
//! less, and whether equals were ordered by degree.

use serde::Serialize;

use super::annotators::{BesideOthers, FEWEST_OF_ONE, shown};
use super::family::Suspicion;
use super::remark::{GradingEvidence, Remark};
use super::times::Times;
use super::triples::least_circles;
use super::{Diagnosis, Interval};
use crate::data::{Answers, Comparisons};
use crate::error::Error;
use crate::estimate::distribution::{normal_tail, two_sided};
use crate::estimate::dyads::Dyads;
use crate::estimate::ranked::Ranked;
use crate::estimate::{Additivity, HeldOutScores};

/// Features explain answers if a coin would do as well less often than this.
const EXPLAINED: f64 = 0.01;
/// If at most so many pairs are ordered as people did, features explain nothing worth having.
const HARDLY: f64 = 0.58;

/// How well features explain the answers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explained {
    /// The share of pairs that held-out scores order as people did, ties apart.
    pub ordered: Interval,
    /// How probable so large a share or a larger one is if the features say nothing.
    pub probability: f64,
}

impl Explained {
    /// Held-out scores of the comparisons.
    pub(crate) fn new(
        scores: &HeldOutScores,
        comparisons: &Comparisons,
        level: f64,
    ) -> Result<Self, Error> {
        let ranked = Ranked::of(scores)?;
        let right = |at: usize| {
            let (likelier, other) = (ranked.likelier[at], ranked.other[at]);
            if likelier == other { 0.5 } else { f64::from(u8::from(likelier > other)) }
        };
        let total: f64 = ranked.weights.iter().sum();
        let value = (0..ranked.len()).map(|at| ranked.weights[at] * right(at)).sum::<f64>() / total;
        let dyads = Dyads::of(comparisons);
        let variance = dyads.variance(|at| ranked.weights[at] * (right(at) - value)) / (total * total);
        let error = variance.max(f64::MIN_POSITIVE).sqrt();
        let spread = two_sided(level) * error;
        let ordered =
            Interval { value, low: value - spread, high: value + spread, level }.clipped(0.0, 1.0);
        let probability = if variance > 0.0 { normal_tail((value - 0.5) / error) } else { 1.0 };
        Ok(Self { ordered, probability })
    }

    /// What must be said if the features do not explain the answers.
    pub(crate) fn remark(&self, diagnosis: &Diagnosis) -> Option<Remark> {
        if self.probability < EXPLAINED {
            return None;
        }
        let ordered = self.ordered;
        if ordered.high > HARDLY {
            return Some(Remark::NotShown { ordered });
        }
        let consistent = diagnosis.agreeing.above(0.5) < EXPLAINED;
        match diagnosis.agreement {
            Some(agreement) if !consistent && agreement.high < 0.65 => {
                Some(Remark::Coins { ordered, agreement })
            }
            _ => Some(Remark::Unexplained { ordered, consistent }),
        }
    }
}

/// Whose answers held-out scores explain less than the others', and whether they explain late ones less.
///
/// Of a pair, d is the difference of its items' contrasts and s the answer, 1, −1 or 0 for a tie. If equals are
/// decided by coins, E[s | pair] is proportional to (1−2ε)·d, so that Σ s·d/Σ d² measures 1−2ε of whoever gave
/// the answers, up to a factor that is the same for all, whichever pairs they got. Those who pick by the side are
/// named for that, and nobody is held against them.
pub(crate) fn reliability(
    diagnosis: &Diagnosis,
    scores: &HeldOutScores,
    comparisons: &Comparisons,
    answers: &Answers,
) -> Result<(Vec<BesideOthers>, Option<Suspicion>), Error> {
    let ranked = Ranked::of(scores)?;
    let contrasts = ranked.contrasts();
    let margins: Vec<Margin> = {
        let mut margins = vec![Margin::default(); answers.len()];
        let groups = comparisons.groups();
        for at in 0..ranked.len() {
            let apart = contrasts.likelier[at] - contrasts.other[at];
            let margin = &mut margins[groups.of(at)];
            margin.weight += ranked.weights[at];
            margin.signed += ranked.weights[at] * apart;
            margin.square = apart * apart;
        }
        margins
    };
    let (mut people, mut drift) = (Vec::new(), None);
    if let Some(annotators) = answers.annotators() {
        let leans = |who: usize| diagnosis.leaning.get(who) == Some(&true);
        let all = Slope::of(answers, &margins, |at| !leans(annotators.of[at] as usize));
        let mut of_each = vec![Vec::new(); annotators.names.len()];
        for (at, who) in annotators.of.iter().enumerate() {
            of_each[*who as usize].push(at);
        }
        for who in (0..of_each.len()).filter(|who| of_each[*who].len() >= FEWEST_OF_ONE && !leans(*who)) {
            let own = Slope::over(answers, &margins, &of_each[who]);
            let rest = all.without(&own);
            if rest.weight > 0.1 * all.weight && rest.value > 0.0 && own.weight > 0.0 {
                people.push(BesideOthers {
                    who,
                    name: shown(annotators, who),
                    ratio: own.value / rest.value,
                    variance: (own.variance + rest.variance) / (rest.value * rest.value),
                    share: own.value,
                    others: rest.value,
                    of: of_each[who].len(),
                    by_features: true,
                });
            }
        }
    }
    if let Some(Ok(times)) = answers.times().map(Times::read) {
        let late = times.late();
        let [early, late] =
            [false, true].map(|wanted| Slope::of(answers, &margins, |at| late[at] == Some(wanted)));
        if early.weight > 0.0 && late.weight > 0.0 && early.value > 0.0 {
            let variance = early.variance + late.variance;
            let probability = 2.0 * normal_tail((early.value - late.value).abs() / variance.sqrt());
            let most = early.value.max(late.value);
            let matters = (early.value - late.value).abs() > 0.2 * most;
            let what = "how closely the answers follow the features, beside its best,";
            let remark = Remark::Drift { what, early: early.value / most, late: late.value / most };
            drift = Some(Suspicion::new(probability, matters, remark));
        }
    }
    Ok((people, drift))
}

/// s·d and d² of an answer.
#[derive(Clone, Copy, Debug, Default)]
struct Margin {
    weight: f64,
    signed: f64,
    square: f64,
}

/// Σ s·d/Σ d² of some answers.
#[derive(Clone, Copy, Debug)]
struct Slope {
    value: f64,
    variance: f64,
    /// Σ d².
    weight: f64,
}

impl Slope {
    fn of(answers: &Answers, margins: &[Margin], wanted: impl Fn(usize) -> bool) -> Self {
        Self::over(answers, margins, &(0..answers.len()).filter(|at| wanted(*at)).collect::<Vec<_>>())
    }

    fn over(answers: &Answers, margins: &[Margin], places: &[usize]) -> Self {
        let sum = |of: fn(&Margin) -> f64| places.iter().map(|at| of(&margins[*at])).sum::<f64>();
        let weight = sum(|margin| margin.weight * margin.square);
        if weight <= 0.0 {
            return Self { value: 0.0, variance: f64::INFINITY, weight: 0.0 };
        }
        let value = sum(|margin| margin.signed) / weight;
        let dyads = Dyads::of(&places.iter().map(|at| answers.pairs()[*at]).collect());
        let residual = |at: usize| {
            let margin = &margins[places[at]];
            margin.signed - value * margin.weight * margin.square
        };
        Self { value, variance: dyads.variance(residual) / (weight * weight), weight }
    }

    /// All but these; the variance is that of all, of so much less.
    fn without(&self, part: &Self) -> Self {
        let weight = (self.weight - part.weight).max(0.0);
        let value = (self.weight * self.value - part.weight * part.value) / weight.max(f64::MIN_POSITIVE);
        Self { value, variance: self.variance * self.weight / weight.max(f64::MIN_POSITIVE), weight }
    }
}

/// Whether items of one class were ordered by degree, under forced choice: all that can show it, as one test.
pub(crate) fn grading(
    diagnosis: &Diagnosis,
    additivity: Option<&Additivity>,
    prior: Option<f64>,
) -> Option<Suspicion> {
    let mut evidence: Vec<(f64, GradingEvidence)> = Vec::new();
    // Items that were compared within their topic share what it adds to their chances, which is not additive.
    if let Some(Additivity { probability, .. }) = additivity.filter(|_| diagnosis.groups == 0) {
        evidence.push((*probability, GradingEvidence::Additivity { probability: *probability }));
    }
    // What follows is about pairs that were drawn uniformly.
    let drawn = !diagnosis.were_chosen();
    let agreeing = &diagnosis.agreeing;
    if let Some(found) = diagnosis.agreement.filter(|_| drawn && agreeing.count() >= FEWEST_OF_ONE) {
        let most = most_agreement(prior);
        let pairs = agreeing.count();
        evidence.push((agreeing.above(most), GradingEvidence::Agreement { found, most, pairs }));
    }
    if let (true, Some(triples), Some(found)) = (drawn, &diagnosis.triples, diagnosis.cyclic_triples) {
        let least = least_circles(prior);
        evidence.push((triples.below(least), GradingEvidence::Triples { found, least }));
    }
    let tests = evidence.len() as f64;
    let least = evidence.iter().map(|(probability, _)| *probability).reduce(f64::min)?;
    let telling = evidence.into_iter().filter(|(probability, _)| tests * probability < 0.05);
    let remark = Remark::Graded { evidence: telling.map(|(_, evidence)| evidence).collect() };
    Some(Suspicion { probability: (tests * least).min(1.0), remark: Some(remark) })
}

/// The most that two answers to one pair can agree if coins decide between equals: ½ + π(1−π), which is never more
/// than ¾.
pub(crate) fn most_agreement(prior: Option<f64>) -> f64 {
    0.5 + prior.map_or(0.25, |prior| prior * (1.0 - prior))
}

/// Whether the labeller errs more often than stated: under forced choice with a known prior, two answers to one
/// pair agree with probability ½ + π(1−π)(1−2ε)².
pub(crate) fn errs_more(
    diagnosis: &Diagnosis,
    prior: f64,
    stated: f64,
    found: Interval,
) -> Option<Suspicion> {
    if diagnosis.were_chosen() || diagnosis.agreeing.count() < FEWEST_OF_ONE {
        return None;
    }
    let expected = 0.5 + prior * (1.0 - prior) * (1.0 - 2.0 * stated).powi(2);
    let probability = diagnosis.agreeing.below(expected);
    Some(Suspicion::new(probability, found.value > stated + 0.02, Remark::ErrsMore { stated, found }))
}
