//! Scores of comparisons that a classifier was not trained on, and how good they say it is.

use super::LEVEL;
use crate::data::{Comparisons, Pile, Rows};
use crate::error::Error;
use crate::estimate::calibration::{Calibration, CalibrationBin, calibrate, calibration_curve};
use crate::estimate::metrics::{Assumptions, HeldOut, MetricOptions, Metrics, RocPoint, metrics, roc};
use crate::estimate::{FEWEST, HeldOutScores, ProtocolTest};
use crate::model::{Classifier, ProbabilityMap};
use crate::protocol::Protocol;
use crate::warning::Warning;

/// What comparisons that a classifier was not trained on say about it, without a label.
#[derive(Clone, Debug)]
pub struct Assessment {
    comparisons: Comparisons,
    scores: [Vec<f32>; 2],
    assumptions: Assumptions,
    /// How good the classifier is, each number with its interval.
    pub metrics: Metrics,
    /// Were pairs dropped? None where there are too few to tell.
    pub protocol_test: Option<ProtocolTest>,
}

/// The scores of comparisons between the rows, and how good they say the classifier is.
pub(super) fn judge(
    classifier: &Classifier,
    rows: &Rows,
    comparisons: &Comparisons,
    assumptions: &Assumptions,
    exact_counts: bool,
) -> Result<([Vec<f32>; 2], Metrics), Error> {
    let score = |pile| classifier.scores_of(rows, comparisons.piles().rows(pile));
    let scores = [score(Pile::Likelier)?, score(Pile::Other)?];
    let metrics = measure(&scores, classifier.threshold(), comparisons, assumptions, exact_counts)?;
    Ok((scores, metrics))
}

fn measure(
    scores: &[Vec<f32>; 2],
    threshold: f32,
    comparisons: &Comparisons,
    assumptions: &Assumptions,
    exact_counts: bool,
) -> Result<Metrics, Error> {
    let held_out = HeldOut::pairs(&scores[0], &scores[1])?.of(comparisons)?;
    metrics(&held_out, assumptions, &MetricOptions { threshold, level: LEVEL, exact_counts })
}

impl Assessment {
    /// Judges a classifier by comparisons between these rows.
    pub fn new(
        classifier: &Classifier,
        rows: &Rows,
        comparisons: Comparisons,
        assumptions: Assumptions,
        exact_counts: bool,
    ) -> Result<Self, Error> {
        let (scores, metrics) = judge(classifier, rows, &comparisons, &assumptions, exact_counts)?;
        Self::with(comparisons, scores, assumptions, metrics)
    }

    /// Judges scores of all items, of which those above the threshold are called positive, by comparisons
    /// between the items.
    pub fn of_scores(
        scores: &[f32],
        threshold: f32,
        comparisons: Comparisons,
        assumptions: Assumptions,
        exact_counts: bool,
    ) -> Result<Self, Error> {
        comparisons.piles().check(scores.len())?;
        let of_pile =
            |pile| comparisons.piles().rows(pile).iter().map(|row| scores[*row as usize]).collect();
        let scores = Pile::BOTH.map(of_pile);
        let metrics = measure(&scores, threshold, &comparisons, &assumptions, exact_counts)?;
        Self::with(comparisons, scores, assumptions, metrics)
    }

    fn with(
        comparisons: Comparisons,
        scores: [Vec<f32>; 2],
        assumptions: Assumptions,
        metrics: Metrics,
    ) -> Result<Self, Error> {
        let protocol_test = if comparisons.answers() < FEWEST {
            None
        } else {
            let [likelier, other] = scores.clone();
            let held_out = HeldOutScores::of_one_model(likelier, other)?.of(&comparisons)?;
            Some(ProtocolTest::new(&held_out, LEVEL)?)
        };
        Ok(Self { comparisons, scores, assumptions, metrics, protocol_test })
    }

    fn held_out(&self) -> Result<HeldOut<'_>, Error> {
        HeldOut::pairs(&self.scores[0], &self.scores[1])?.of(&self.comparisons)
    }

    /// The scores of the likelier and of the other items.
    pub fn scores(&self) -> &[Vec<f32>; 2] {
        &self.scores
    }

    /// True and false positive rate at every threshold.
    pub fn roc(&self) -> Result<Vec<RocPoint>, Error> {
        roc(&self.held_out()?, &self.assumptions, LEVEL)
    }

    /// A map from scores to probabilities.
    pub fn calibration(&self) -> Result<Calibration, Error> {
        Ok(calibrate(&self.held_out()?, &self.assumptions))
    }

    /// Whether the probabilities of a map are right.
    pub fn calibration_curve(
        &self,
        map: &ProbabilityMap,
        bins: usize,
    ) -> Result<Vec<CalibrationBin>, Error> {
        calibration_curve(&self.held_out()?, &self.assumptions, map, bins, LEVEL)
    }

    /// What speaks against taking the numbers at face value: a protocol that the comparisons contradict;
    /// estimates that cannot be true, say that the classifier is worse than none, or leave open whether it
    /// has learnt anything.
    pub fn warnings(&self, stated: &Protocol) -> Vec<Warning> {
        let contradiction = self.protocol_test.as_ref().and_then(|test| test.contradiction(stated));
        let contradicted =
            contradiction.map(|contradiction| Warning::ProtocolContradicted { contradiction });
        contradicted.into_iter().chain(self.doubt()).collect()
    }

    fn doubt(&self) -> Option<Warning> {
        let (metrics, prior) = (&self.metrics, self.assumptions.prior());
        let impossible = [
            ("accuracy", metrics.accuracy),
            ("balanced accuracy", metrics.balanced_accuracy),
            ("AUC", metrics.auc),
        ]
        .into_iter()
        .find(|(_, interval)| interval.low > 1.0 || interval.high < 0.0);
        if let Some((metric, estimate)) = impossible {
            return Some(Warning::ImpossibleEstimate { metric, estimate });
        }
        if metrics.accuracy.high < prior.positive().max(prior.negative()) {
            return Some(Warning::WorseThanConstant { accuracy: metrics.accuracy, prior });
        }
        (metrics.auc.low <= 0.5).then_some(Warning::NoBetterThanChance { auc: metrics.auc })
    }
}
