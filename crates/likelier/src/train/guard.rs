//! Whether the pair posterior can be trusted, decided without a label.
//!
//! Expectation–maximisation can end in one class, and it can only refine what its warm-up has learned. So its
//! classifier is held against the scorer that the warm-up left, which is the one to fall back on.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::config::Criterion;
use super::run::Run;
use crate::error::Error;
use crate::model::Classifier;
use crate::risk::{PairPosterior, ThresholdRule};

/// Why the pair posterior was given up for the scorer that its warm-up left, cut at the prior.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "reason")]
pub enum Fallback {
    /// It called far too few of the compared items positive, or far too many.
    OneClass {
        /// The share that it called positive.
        share: f64,
        /// What it should have been: the share of positives in both piles.
        expected: f64,
    },
    /// It explains held-out comparisons less well than a coin.
    Worse {
        /// −ln of its orientation likelihood; ln 2 is a coin's.
        held_out: f64,
    },
    /// The warm-up explains held-out comparisons no better than a coin, so there was nothing to start from.
    NothingLearned {
        /// −ln of its orientation likelihood; ln 2 is a coin's.
        held_out: f64,
    },
    /// The epochs were over before the warm-up was.
    StillWarmingUp,
}

impl fmt::Display for Fallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OneClass { share, expected } => write!(
                f,
                "it called {share:.3} of the compared items positive where {expected:.3} are: it slid to one class"
            ),
            Self::Worse { held_out } => write!(
                f,
                "held-out comparisons contradict it: it explains them with {held_out:.4}, a coin with 0.6931"
            ),
            Self::NothingLearned { held_out } => write!(
                f,
                "its warm-up learned nothing: held-out comparisons are explained with {held_out:.4}, by a coin with \
                 0.6931"
            ),
            Self::StillWarmingUp => f.write_str("the epochs were over before its warm-up was"),
        }
    }
}

impl Run<'_> {
    /// The classifier of the pair posterior, or that of its warm-up with the reason.
    pub(super) fn guarded_classifier(&mut self) -> Result<Classifier, Error> {
        let warmed_up = self.posterior.as_ref().and_then(|posterior| posterior.warmed_up.clone());
        let Some(warmed_up) = warmed_up else {
            let weights = self.predictor().clone();
            let mut classifier =
                self.classifier_with(weights, self.epochs_done, None, Some(ThresholdRule::PriorQuantile))?;
            classifier.summary.fallback = Some(Fallback::StillWarmingUp);
            return Ok(classifier);
        };
        let weights = self.predictor().clone();
        let held_out = match self.config.hold_out {
            Some(_) => Some(self.held_out_value(&weights, Criterion::Orientation)?),
            None => None,
        };
        let mut classifier =
            self.classifier_with(weights, self.epochs_done, held_out, self.config.threshold)?;
        let coin = std::f64::consts::LN_2;
        let fallback = match (warmed_up.held_out, held_out) {
            (Some(held_out), _) if held_out >= coin => Some(Fallback::NothingLearned { held_out }),
            _ => self.one_class(&classifier)?,
        };
        if fallback.is_some() {
            classifier = self.classifier_with(
                warmed_up.weights,
                warmed_up.epoch,
                warmed_up.held_out,
                Some(ThresholdRule::PriorQuantile),
            )?;
            classifier.summary.fallback = fallback;
        }
        Ok(classifier)
    }

    /// Whether far from the expected share of the compared items is called positive.
    fn one_class(&mut self, classifier: &Classifier) -> Result<Option<Fallback>, Error> {
        let scores = self.pile_scores(&classifier.weights, false)?.concat();
        let positive = scores.iter().filter(|score| **score > classifier.threshold).count();
        let share = positive as f64 / scores.len().max(1) as f64;
        let setting = &self.config.setting;
        let expected = PairPosterior::new(setting.prior, setting.protocol)?.pooled();
        let far = share < expected / 2.0 || 1.0 - share < (1.0 - expected) / 2.0;
        Ok(far.then_some(Fallback::OneClass { share, expected }))
    }
}
