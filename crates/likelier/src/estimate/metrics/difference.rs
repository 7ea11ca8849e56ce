//! How much better one classifier is than another, judged on the same comparisons.
//!
//! A metric that is affine in the shares called positive, m = c + w·(A₊, A₋), differs between two classifiers
//! by w·(means of the differences of their calls): the piles' means of values that are −1, 0 or 1. Most of the
//! noise of the two is the same and drops out, so this interval is far narrower than the two intervals
//! suggest. AUC differs by the difference of the projections of `auc.rs`, over Δ.
//!
//! With labels the positives are one pile and the negatives the other, θ₊ = 1 and θ₋ = 0. Then the same
//! formulas are the paired comparisons known with labels (`DeLong`'s for AUC).
//!
//! Calls that seldom differ make an interval that is too short, and none that differs one of length 0. So one
//! more call in favour of each classifier is added for two of the rows of each pile, as Agresti and Min (2005) do for paired
//! shares, unless the two give the same scores and cut them alike.

use serde::Serialize;

use super::assumptions::{Affine, Assumptions};
use super::auc::projections;
use super::held_out::HeldOut;
use super::spread::{PileMeans, Spread, quadratic};
use super::{Metric, Mixture};
use crate::data::{Comparisons, Label, Pile};
use crate::error::Error;
use crate::estimate::Interval;
use crate::estimate::distribution::Confidence;
use crate::prior::Prior;

/// A classifier's metrics minus those of another, each with its interval, none clipped.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MetricDifference {
    /// Of the shares of right calls in the population.
    pub accuracy: Interval,
    /// Of the means of the shares of right calls in the two classes.
    pub balanced_accuracy: Interval,
    /// Of the probabilities that a random positive scores higher than a random negative.
    pub auc: Interval,
}

/// A classifier's scores of all items. Those above the threshold are called positive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CutScores<'a> {
    /// One for each item.
    pub scores: &'a [f32],
    /// Where they are cut.
    pub threshold: f32,
}

impl MetricDifference {
    /// The classifier `new` minus the classifier `old`, by comparisons between the items that neither was
    /// trained on.
    ///
    /// ```
    /// use likelier::Comparisons;
    /// use likelier::estimate::metrics::{Assumptions, CutScores, MetricDifference};
    /// use likelier::{Prior, Protocol};
    ///
    /// // Item k is likelier than item k + 50. The old classifier knows half of the items, the new one all.
    /// let comparisons: Comparisons = (0..50).map(|k| (k, k + 50)).collect();
    /// let old: Vec<f32> = (0..100).map(|k| if k < 25 { 1.0 } else { -1.0 }).collect();
    /// let new: Vec<f32> = (0..100).map(|k| if k < 50 { 1.0 } else { -1.0 }).collect();
    /// let assumptions = Assumptions::of_protocol(Protocol::FORCED_CHOICE, Prior::new(0.5)?)?;
    /// let [old, new] = [&old, &new].map(|scores| CutScores { scores, threshold: 0.0 });
    /// let found = MetricDifference::by_comparisons(new, old, &comparisons, &assumptions, 0.95)?;
    /// // Half of the likelier pile is called positive in addition, over 2Δ = 1.
    /// assert!((found.accuracy.value - 0.5).abs() < 1e-12);
    /// assert!(found.accuracy.low > 0.3 && found.accuracy.high < 0.7);
    /// # Ok::<(), likelier::Error>(())
    /// ```
    pub fn by_comparisons(
        new: CutScores<'_>,
        old: CutScores<'_>,
        comparisons: &Comparisons,
        assumptions: &Assumptions,
        level: f64,
    ) -> Result<Self, Error> {
        same_items(new, old)?;
        let piles = comparisons.piles();
        piles.check(new.scores.len())?;
        let of_piles = |all: &[f32]| {
            Pile::BOTH.map(|pile| piles.rows(pile).iter().map(|row| all[*row as usize]).collect::<Vec<_>>())
        };
        let scores = [new, old].map(|of| of_piles(of.scores));
        let [new_pairs, old_pairs] =
            [0, 1].map(|at| HeldOut::pairs(&scores[at][0], &scores[at][1])?.of(comparisons));
        between([&new_pairs?, &old_pairs?], [new.threshold, old.threshold], assumptions, level)
    }

    /// The same by the true labels of the items, of which each class has at least ten. Accuracy is that at the
    /// share of positives among them.
    pub fn by_labels(
        new: CutScores<'_>,
        old: CutScores<'_>,
        labels: &[Label],
        level: f64,
    ) -> Result<Self, Error> {
        same_items(new, old)?;
        if labels.len() != new.scores.len() {
            return Err(Error::mismatch("labels", labels.len(), "items", new.scores.len()));
        }
        let of_class = |all: &[f32], class: Label| -> Vec<f32> {
            all.iter()
                .zip(labels)
                .filter(|(_, label)| **label == class)
                .map(|(score, _)| *score)
                .collect()
        };
        let scores =
            [new, old].map(|of| [Label::Positive, Label::Negative].map(|class| of_class(of.scores, class)));
        let [new_piles, old_piles] = [0, 1].map(|at| HeldOut::loose(&scores[at][0], &scores[at][1]));
        let (new_piles, old_piles) = (new_piles?, old_piles?);
        let prior = Prior::new(scores[0][0].len() as f64 / labels.len() as f64)?;
        let assumptions = Assumptions::known(Mixture::new(1.0, 0.0)?, prior);
        between([&new_piles, &old_piles], [new.threshold, old.threshold], &assumptions, level)
    }
}

pub(super) fn same_items(new: CutScores<'_>, old: CutScores<'_>) -> Result<(), Error> {
    if new.scores.len() == old.scores.len() {
        return Ok(());
    }
    Err(Error::mismatch("scores of one classifier", new.scores.len(), "of the other", old.scores.len()))
}

/// The first minus the second; both are scores of the same comparisons or piles.
fn between(
    scored: [&HeldOut<'_>; 2],
    thresholds: [f32; 2],
    assumptions: &Assumptions,
    level: f64,
) -> Result<MetricDifference, Error> {
    let confidence = Confidence::new(level)?;
    let both = scored.map(|scored| Pile::BOTH.map(|pile| scored.scores(pile)));
    let called = |which: usize, pile: usize, at: usize| {
        f64::from(u8::from(both[which][pile][at] > thresholds[which]))
    };
    let calls = Spread::of(scored[0], |pile, at, _| called(0, pile, at) - called(1, pile, at));
    let same = both[0] == both[1] && thresholds[0] == thresholds[1];
    let wider = if same { calls } else { smoothed(&calls) };
    let at_threshold = |metric: Metric| {
        let change = |mixture: &Mixture, prior| Affine { constant: 0.0, ..metric.parts(mixture, prior)[0] };
        assumptions.affine(&calls, &wider, change, confidence)
    };
    let placed = scored.map(projections);
    let ranks = Spread::of(scored[0], |pile, at, _| placed[0][pile][at] - placed[1][pile][at]);
    // Both projections have the same mean; what varies is their sum. The second pile is used up.
    let scalar = |matrix| [[quadratic(&matrix, [1.0, 1.0]), 0.0], [0.0, 0.0]];
    let exceeds = PileMeans {
        means: [ranks.means[0], 0.0],
        independent: scalar(ranks.independent),
        shared: ranks.shared.map(scalar),
        ..ranks
    };
    let area = |mixture: &Mixture, _| Affine::linear([1.0 / mixture.contrast(), 0.0]);
    Ok(MetricDifference {
        accuracy: at_threshold(Metric::Accuracy),
        balanced_accuracy: at_threshold(Metric::BalancedAccuracy),
        auc: assumptions.affine(&exceeds, &exceeds, area, confidence),
    })
}

/// The means of −1, 0 and 1 with two more observations in each pile, half a 1 and half a −1 among them.
fn smoothed(calls: &PileMeans) -> PileMeans {
    let means = [0, 1].map(|pile| calls.means[pile] * calls.sizes[pile] / (calls.sizes[pile] + 2.0));
    let shift = [0, 1].map(|pile| calls.means[pile] - means[pile]);
    let smooth = |from: &[[f64; 2]; 2]| {
        [0, 1].map(|row| {
            [0, 1].map(|column| {
                let size = (calls.sizes[row] * calls.sizes[column]).sqrt();
                let own = size * size * from[row][column];
                // Loose piles have nothing in common off the diagonal.
                let moved =
                    if row == column || calls.paired { size * shift[row] * shift[column] } else { 0.0 };
                let added = if row == column { 1.0 } else { 0.0 };
                (own + moved + added) / (size + 2.0).powi(2)
            })
        })
    };
    PileMeans {
        means,
        independent: smooth(&calls.independent),
        shared: calls.shared.as_ref().map(smooth),
        ..*calls
    }
}
