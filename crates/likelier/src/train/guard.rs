//! Whether the pair posterior can be trusted, decided without a label.
//!
//! Expectation–maximisation can end in one class, and it can only refine what its warm-up has learned. So its
//! classifier is held against the scorer that the warm-up left, which is the one to fall back on.
//!
//! Held-out comparisons, whose items the model has not seen in others (`parts.rs`), are looked at by rank alone: Ã, the share of cross-pile pairs of scores that are in order. Their likelihood would blame a network for being too sure of itself, which does not change what it
//! predicts.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::run::Run;
use crate::error::Error;
use crate::model::{Classifier, Weights};
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
    /// It lost more than half of what its warm-up knew about the order of held-out scores.
    Worse {
        /// The share in order.
        in_order: f64,
        /// The same for the warm-up.
        warm_up: f64,
    },
    /// It orders held-out comparisons no better than a coin.
    NothingLearned {
        /// The share in order.
        in_order: f64,
    },
}

impl Fallback {
    /// If the share that is called positive is three times too large or too small, or its complement is.
    pub(crate) fn if_one_class(share: f64, expected: f64) -> Option<Self> {
        let apart = |is: f64, should: f64| is < should / 3.0 || is > should * 3.0;
        let far = apart(share, expected) || apart(1.0 - share, 1.0 - expected);
        far.then_some(Self::OneClass { share, expected })
    }
}

impl fmt::Display for Fallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OneClass { share, expected } => write!(
                f,
                "it called {share:.3} of the compared items positive, although about {expected:.3} are"
            ),
            Self::Worse { in_order, warm_up } => write!(
                f,
                "it put {in_order:.3} of held-out scores in order; the scorer it started from put {warm_up:.3}"
            ),
            Self::NothingLearned { in_order } => {
                write!(f, "it put {in_order:.3} of held-out scores in order, no more than a coin would")
            }
        }
    }
}

impl Run<'_> {
    /// The classifier of the pair posterior, or that of its warm-up with the reason.
    pub(super) fn guarded_classifier(&mut self) -> Result<Classifier, Error> {
        let weights = self.settled_or_last();
        let held_out = self
            .config
            .early_stop
            .map(|early_stop| self.held_out_value(&weights, early_stop.criterion))
            .transpose()?;
        let classifier =
            self.classifier_with(weights, self.epochs_done, held_out, self.config.threshold)?;
        let Some(warmed_up) = self.posterior.as_ref().and_then(|posterior| posterior.warmed_up.clone())
        else {
            return Ok(classifier);
        };
        let fallback = match self.one_class(&classifier)? {
            None => self.out_of_order(&classifier.weights, &warmed_up.weights)?,
            found => found,
        };
        if fallback.is_none() {
            return Ok(classifier);
        }
        let rule = Some(ThresholdRule::PriorQuantile);
        let mut safe =
            self.classifier_with(warmed_up.weights, warmed_up.epoch, warmed_up.held_out, rule)?;
        safe.summary.fallback = fallback;
        Ok(safe)
    }

    /// Whether the share of the compared items that is called positive is far from what it should be.
    fn one_class(&mut self, classifier: &Classifier) -> Result<Option<Fallback>, Error> {
        let piles = self.pile_scores(&classifier.weights, false)?;
        let weights = self.parts.population_weights();
        let (mut positive, mut all) = (0.0, 0.0);
        for (at, score) in piles.iter().flat_map(|pile| pile.iter().enumerate()) {
            let weight = weights.map_or(1.0, |weights| f64::from(weights[at]));
            all += weight;
            positive += if *score > classifier.threshold { weight } else { 0.0 };
        }
        let share = positive / all.max(f64::MIN_POSITIVE);
        let setting = &self.config.setting;
        let expected = PairPosterior::new(setting.prior, setting.protocol)?.pooled();
        Ok(Fallback::if_one_class(share, expected))
    }

    /// Whether held-out comparisons speak against the weights.
    fn out_of_order(&mut self, weights: &Weights, warm_up: &Weights) -> Result<Option<Fallback>, Error> {
        if self.config.early_stop.is_none() {
            return Ok(None);
        }
        let mut in_order = |weights| {
            let [likelier, other] = self.pile_scores(weights, true)?;
            let of_pairs = self.parts.held_out_weights.as_deref();
            Ok::<_, Error>(share_in_order(&likelier, &other, of_pairs))
        };
        let (in_order, warm_up) = (in_order(weights)?, in_order(warm_up)?);
        Ok(if in_order <= 0.5 {
            Some(Fallback::NothingLearned { in_order })
        } else {
            (in_order - 0.5 < (warm_up - 0.5) / 2.0).then_some(Fallback::Worse { in_order, warm_up })
        })
    }
}

/// Ã, the share of pairs of one score of each pile that are in order; equal scores count half. A comparison
/// counts as much as its weight says.
fn share_in_order(likelier: &[f32], other: &[f32], weights: Option<&[f32]>) -> f64 {
    let weight = |at: usize| weights.map_or(1.0, |weights| f64::from(weights[at]));
    let mut sorted: Vec<(f32, f64)> =
        other.iter().enumerate().map(|(at, score)| (*score, weight(at))).collect();
    sorted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let mut up_to = vec![0.0; sorted.len() + 1];
    for (at, (_, weight)) in sorted.iter().enumerate() {
        up_to[at + 1] = up_to[at] + weight;
    }
    let below = |score: f32| {
        up_to[sorted.partition_point(|other| other.0 < score)]
            + up_to[sorted.partition_point(|other| other.0 <= score)]
    };
    let twice: f64 = likelier.iter().enumerate().map(|(at, score)| weight(at) * below(*score)).sum();
    let all: f64 = (0..likelier.len()).map(weight).sum::<f64>() * up_to[sorted.len()];
    twice / (2.0 * all).max(f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_in_order_is_counted_over_all_pairs_of_the_piles() {
        let (likelier, other) = ([3.0, 1.0, 2.0, 2.0], [2.0, 0.0, 5.0]);
        let mut in_order = 0.0;
        for x in likelier {
            for y in other {
                in_order += if x > y { 1.0 } else { 0.0 } + if x == y { 0.5 } else { 0.0 };
            }
        }
        assert!((share_in_order(&likelier, &other, None) - in_order / 12.0).abs() < 1e-12);
        assert_eq!(share_in_order(&[1.0; 5], &[1.0; 5], None), 0.5);
        let twice = share_in_order(&[3.0, 1.0, 1.0], &[2.0, 0.0, 0.0], None);
        let weighted = share_in_order(&[3.0, 1.0], &[2.0, 0.0], Some(&[1.0, 2.0]));
        assert!((twice - weighted).abs() < 1e-12, "a weight of two is the same comparison twice");
    }
}
