//! Training by the pair posterior: a warm-up by the orientation likelihood, then expectation–maximisation.
//!
//! The warm-up ends when its held-out value has not improved for as long as patience lasts, or after
//! `warm_up_epochs`; the second phase starts from the best warm-up weights. [`PairPosterior`] has the
//! E-step, `run.rs` the loop around both.

use std::collections::VecDeque;

use super::parts::Parts;
use super::replies::Replies;
use super::run::Run;
use crate::error::Error;
use crate::model::Weights;
use crate::replies::ReplyRates;
use crate::risk::{PairPosterior, Setting};

/// Batches whose scores tell where the level is. Fewer are noisy; a whole epoch lags behind and oscillates.
const RECENT_BATCHES: usize = 8;

/// Where a run of the method stands.
pub(super) struct Posterior {
    step: PairPosterior,
    pub(super) recent: Recent,
    /// Where the warm-up ended; still in it if absent.
    pub(super) warmed_up: Option<WarmedUp>,
    /// Rows of both piles, counted in weights.
    rows: f64,
    /// What more is known than comparisons.
    replies: Option<Replies>,
}

/// The scorer that the warm-up left.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct WarmedUp {
    pub(super) epoch: usize,
    pub(super) held_out: Option<f64>,
    pub(super) weights: Weights,
}

/// The teacher's scores of the last few batches, with the weights of their rows where these differ.
#[derive(Default)]
pub(super) struct Recent {
    pub(super) lengths: VecDeque<usize>,
    pub(super) scores: Vec<f32>,
    pub(super) weights: Vec<f32>,
}

impl Posterior {
    pub(super) fn new(
        setting: &Setting,
        parts: &Parts,
        replies: Option<&ReplyRates>,
    ) -> Result<Self, Error> {
        Ok(Self {
            step: PairPosterior::new(setting.prior, setting.protocol)?,
            recent: Recent::default(),
            warmed_up: None,
            rows: 2.0 * size(parts.trained[0].len(), parts.population_weights()),
            replies: Replies::new(setting, parts, replies),
        })
    }

    pub(super) fn is_warming_up(&self) -> bool {
        self.warmed_up.is_none()
    }

    /// Whether any batch has been through the second phase.
    pub(super) fn has_inferred(&self) -> bool {
        !self.recent.lengths.is_empty()
    }

    /// The E-step: from the teacher's scores of a batch, likelier pile first, to the posterior of each label.
    /// Returns the level c, which the weights are for. `places` says which comparisons these are.
    pub(super) fn infer(
        &mut self,
        places: &[u32],
        scores: &[f32],
        weights: &[f32],
        targets: &mut Vec<f32>,
    ) -> f64 {
        self.recent.push(scores, weights);
        let Recent { scores: recent, weights, .. } = &self.recent;
        let weights = (!weights.is_empty()).then_some(&weights[..]);
        let size = size(recent.len(), weights).min(self.rows);
        let level = self.step.level(recent, weights, size);
        let (likelier, other) = scores.split_at(scores.len() / 2);
        match &self.replies {
            Some(replies) => replies.infer(places, likelier, other, level, targets),
            None => self.step.targets(likelier, other, level, targets),
        }
        level
    }
}

impl Run<'_> {
    /// Goes on from the best weights of the warm-up, or the last where none were held against each other.
    pub(super) fn end_warm_up(&mut self) -> Result<(), Error> {
        let warmed_up = match self.best.take() {
            Some(best) => WarmedUp { epoch: best.epoch, held_out: Some(best.value), weights: best.weights },
            None => WarmedUp { epoch: self.epochs_done, held_out: None, weights: self.settled_or_last() },
        };
        self.weights = warmed_up.weights.clone();
        if let Some(teacher) = &mut self.teacher {
            teacher.restore(teacher.steps(), warmed_up.weights.clone());
        }
        // The moments are those of another risk, at other weights.
        self.optimiser = self.config.fresh_optimiser(self.weights.parameters.len());
        self.warm_up_ended(warmed_up)
    }

    /// Turns to the method itself.
    pub(super) fn warm_up_ended(&mut self, warmed_up: WarmedUp) -> Result<(), Error> {
        self.method = self.config.method.compose(&self.config.setting)?;
        if let Some(posterior) = &mut self.posterior {
            posterior.warmed_up = Some(warmed_up);
        }
        Ok(())
    }
}

impl Recent {
    fn push(&mut self, scores: &[f32], weights: &[f32]) {
        if self.lengths.len() == RECENT_BATCHES {
            let oldest = self.lengths.pop_front().unwrap_or(0);
            self.scores.drain(..oldest);
            if !self.weights.is_empty() {
                self.weights.drain(..oldest);
            }
        }
        self.lengths.push_back(scores.len());
        self.scores.extend(scores);
        self.weights.extend(weights);
    }
}

/// How many rows there are, one of weight two counting as two of weight one.
fn size(rows: usize, weights: Option<&[f32]>) -> f64 {
    weights.map_or(rows as f64, |weights| weights.iter().map(|weight| f64::from(*weight)).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_eight_batches_are_remembered() {
        let mut recent = Recent::default();
        for batch in 0..10_u8 {
            recent.push(&[f32::from(batch); 2], &[1.0, 3.0]);
        }
        assert_eq!(recent.lengths, [2; 8]);
        assert_eq!((recent.scores[0], recent.scores[15]), (2.0, 9.0));
        assert_eq!(recent.weights.len(), 16);
        assert_eq!(size(16, Some(&recent.weights)), 32.0);
        assert_eq!(size(16, None), 16.0);
    }
}
