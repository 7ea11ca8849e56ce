//! The E-step where more is known than comparisons: ties, who answered, pairs asked again, labels.
//!
//! Each comparison has an acceptance matrix of its own: the product over everything that was said about its two items,
//! at rates that were estimated before (`replies/estimate.rs`). A known label is what it is.

use super::parts::Parts;
use crate::data::Label;
use crate::protocol::Collection;
use crate::replies::said::{PairTable, Said};
use crate::replies::{ReplyRates, joint_posterior};
use crate::risk::{Setting, sigmoid};

/// What was said, and how that is read.
pub(super) struct Replies {
    said: Said,
    /// κ.
    degree: f64,
    /// For each comparison.
    tables: Vec<PairTable>,
}

impl Replies {
    /// None where comparisons are all that is known.
    pub(super) fn new(setting: &Setting, parts: &Parts<'_>, rates: Option<&ReplyRates>) -> Option<Self> {
        let [likelier, other] = &parts.trained;
        let rates = rates.filter(|_| setting.protocol.collection() == Collection::ForcedChoice);
        let known = parts.told.iter().any(|told| told.iter().any(|told| told.known != [None; 2]));
        if rates.is_none() && !known {
            return None;
        }
        let said = Said::new(likelier, other, parts.told.as_deref(), rates.is_some());
        let stated = ReplyRates::stated(setting.protocol.labeller_error());
        let rates = rates.unwrap_or(&stated);
        let tables = (0..said.len()).map(|at| said.table(at, setting.protocol, rates)).collect();
        Some(Self { said, degree: rates.degree, tables })
    }

    /// The E-step of a batch: the posterior of each label, the likelier items first.
    ///
    /// Where equals are ordered by degree, the order of a pair says something about its scores even if both items
    /// are of one class. That part of the likelihood, P(one class)·ln σ(κ(f − f′)), has its slope added to the targets:
    /// the gradient of a cross-entropy is the score's probability minus its target.
    pub(super) fn infer(
        &self,
        places: &[u32],
        likelier: &[f32],
        other: &[f32],
        level: f64,
        targets: &mut Vec<f32>,
    ) {
        targets.clear();
        targets.resize(likelier.len() + other.len(), 0.0);
        let (of_likelier, of_other) = targets.split_at_mut(likelier.len());
        for (row, place) in places.iter().enumerate() {
            let at = *place as usize;
            let known = self.said.told[at].known;
            let scores = [likelier[row], other[row]].map(|score| f64::from(score) + level);
            let gap = self.degree * (scores[0] - scores[1]);
            let table = self.tables[at].graded(gap);
            let joint = joint_posterior(&table, clamped(scores[0], known[0]), clamped(scores[1], known[1]));
            let order = if self.said.told[at].tie || self.said.is_label[at] {
                0.0
            } else {
                (joint[0][0] + joint[1][1]) * self.degree * sigmoid(-gap)
            };
            of_likelier[row] = (target(known[0], joint[0][0] + joint[0][1]) + order) as f32;
            of_other[row] = (target(known[1], joint[0][0] + joint[1][0]) - order) as f32;
        }
    }
}

/// A known label is as sure as a score can say.
fn clamped(score: f64, known: Option<Label>) -> f64 {
    match known {
        Some(Label::Positive) => f64::INFINITY,
        Some(Label::Negative) => f64::NEG_INFINITY,
        None => score,
    }
}

fn target(known: Option<Label>, posterior: f64) -> f64 {
    known.map_or(posterior, |label| f64::from(u8::from(label.is_positive())))
}
