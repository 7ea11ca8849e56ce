//! What a few labels add to what is known without any.
//!
//! Labels of items that were chosen at random give a plain estimate with a binomial error. What is known without
//! labels has another error, which the labels do not share: averaging the two would trust whichever is more sure of
//! itself, even where it is wrong. So the two ranges are *intersected*, each at half the error; where nothing is
//! left, one of the assumptions behind the numbers without labels does not hold.

use serde::Serialize;

use super::LEVEL;
use super::assessment::{Grounds, Scored};
use crate::data::{Answers, Label};
use crate::error::Error;
use crate::estimate::Interval;
use crate::estimate::distribution::share_interval;
use crate::model::Classifier;
use crate::supervision::LabelsChosen;
use crate::warning::Warning;

/// Fewer labels than this are no estimate.
pub(super) const FEWEST_LABELS: usize = 10;

/// What labels say about a classifier, and about what was believed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LabelAudit {
    /// How many labelled items the classifier could be judged by: those that a model has not seen.
    pub labels: usize,
    /// How they were chosen.
    pub chosen: LabelsChosen,
    /// The share of right calls among them.
    pub accuracy: Interval,
    /// What both the labels and the comparisons allow; none if nothing is left.
    pub combined: Option<[f64; 2]>,
    /// What the comparisons alone allow, at the same level.
    pub without_labels: [f64; 2],
    /// The share of positives among the labels.
    pub prior: Interval,
    /// How often labellers got a pair wrong whose items have different labels; none where there are few such pairs.
    pub labeller_error: Option<Interval>,
}

/// Fewer mixed pairs than this say too little about the labeller.
const FEWEST_PAIRS: usize = 10;

impl LabelAudit {
    /// Judges by labels of items; each margin is by a model that has not seen the item, where there is one.
    pub(super) fn new(
        (labels, chosen): (&[Option<Label>], LabelsChosen),
        margins: &[Option<f32>],
        scored: &Scored,
        classifier: &Classifier,
        grounds: &Grounds,
        answers: Option<&Answers>,
    ) -> Result<Option<Self>, Error> {
        let called: Vec<(bool, Label)> = margins
            .iter()
            .zip(labels)
            .filter_map(|(margin, label)| Some(((*margin)? > 0.0, (*label)?)))
            .collect();
        if called.len() < FEWEST_LABELS || chosen == LabelsChosen::Other {
            return Ok(None);
        }
        let right = called.iter().filter(|(call, label)| *call == label.is_positive()).count();
        let positives = labels.iter().flatten().filter(|label| label.is_positive()).count();
        // Half the error to each of the two.
        let level = 0.5 * (1.0 + LEVEL);
        let free = scored.judged(classifier.threshold(), grounds, level)?;
        let without_labels = match &free.ranges {
            Some(ranges) => [ranges.accuracy.low_end.low, ranges.accuracy.high_end.high],
            None => [free.metrics.accuracy.low, free.metrics.accuracy.high],
        };
        let by_labels = share_interval(right, called.len(), level);
        let both = [without_labels[0].max(by_labels.low), without_labels[1].min(by_labels.high)];
        Ok(Some(Self {
            labels: called.len(),
            chosen,
            accuracy: share_interval(right, called.len(), LEVEL),
            combined: (both[0] <= both[1]).then_some(both),
            without_labels,
            prior: share_interval(positives, labels.iter().flatten().count(), LEVEL),
            labeller_error: answers.and_then(|answers| labeller_error(answers, labels)),
        }))
    }

    /// What the labels contradict.
    pub(super) fn warning(&self) -> Option<Warning> {
        let contradicted =
            Warning::LabelsContradict { labels: self.accuracy, without_labels: self.without_labels };
        self.combined.is_none().then_some(contradicted)
    }
}

/// How often an answer puts a labelled negative before a labelled positive; ties count half.
fn labeller_error(answers: &Answers, labels: &[Option<Label>]) -> Option<Interval> {
    let label = |item: u32| labels.get(item as usize).copied().flatten();
    let (mut halves, mut pairs) = (0, 0);
    for (at, (likelier, other)) in answers.pairs().iter().enumerate() {
        let (Some(first), Some(second)) = (label(*likelier), label(*other)) else { continue };
        if first == second {
            continue;
        }
        pairs += 1;
        halves += if answers.is_tie(at) { 1 } else { 2 * usize::from(second.is_positive()) };
    }
    (pairs >= FEWEST_PAIRS).then(|| share_interval(halves.div_ceil(2), pairs, LEVEL))
}
