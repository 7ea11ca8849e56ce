//! The E-step where more is known than comparisons: ties, who answered, which side was picked, pairs asked again, labels.
//!
//! Each comparison has an acceptance matrix of its own: the product over everything that was said about its two items,
//! at rates that were estimated before (`replies/estimate.rs`). A known label is what it is.

use super::parts::Parts;
use crate::data::Label;
use crate::protocol::Collection;
use crate::replies::said::{PairTable, Said};
use crate::replies::{ReplyRates, joint_posterior};
use crate::risk::Setting;

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
                (joint[0][0] + joint[1][1]) * self.degree * self.tables[at].order_slope(gap)
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::data::{ShownSide, Told};
    use crate::protocol::Protocol;
    use crate::replies::TieRates;
    use crate::risk::sigmoid;

    /// One comparison of two items, or half of a tie.
    fn one(tie: bool, known: [Option<Label>; 2], rates: &ReplyRates) -> Replies {
        told(Told { tie, known, ..Told::default() }, rates)
    }

    fn told(told: Told, rates: &ReplyRates) -> Replies {
        let told = [told];
        let said = Said::new(&[0], &[1], Some(&told), true);
        let tables = vec![said.table(0, Protocol::FORCED_CHOICE, rates)];
        Replies { said, degree: rates.degree, tables }
    }

    fn inferred(replies: &Replies, scores: [f32; 2]) -> [f64; 2] {
        let mut targets = Vec::new();
        replies.infer(&[0], &scores[..1], &scores[1..], 0.0, &mut targets);
        [f64::from(targets[0]), f64::from(targets[1])]
    }

    proptest! {
        /// A target minus the score's own probability is the slope of ln P(answer), grading and leaning included.
        #[test]
        fn targets_follow_the_likelihood_of_an_answer(
            first in -3.0..3.0_f32,
            second in -3.0..3.0_f32,
            degree in 0.0..3.0_f64,
            error in 0.0..0.4_f64,
            same_class in 0.0..0.9_f64,
            mixed in 0.0..0.9_f64,
            leaning in -0.9..0.9_f64,
            side in 0..2_usize,
        ) {
            let ties = Some(TieRates::new(same_class, mixed).unwrap());
            let side = ShownSide::ALL[side];
            let rates = ReplyRates { errors: vec![error], ties, degree, leanings: vec![leaning] };
            let blind = if (side == ShownSide::Left) == (leaning > 0.0) { leaning.abs() } else { 0.0 };
            let log_likelihood = |z: f64, z_other: f64| {
                let (p, q) = (sigmoid(z), sigmoid(z_other));
                let graded = sigmoid(degree * (z - z_other)) * (1.0 - same_class);
                let alike = (p * q + (1.0 - p) * (1.0 - q)) * graded;
                let differ = p * (1.0 - q) * (1.0 - error) + (1.0 - p) * q * error;
                (blind + (1.0 - leaning.abs()) * (alike + differ * (1.0 - mixed))).ln()
            };
            let replies = told(Told { side: Some(side), ..Told::default() }, &rates);
            let targets = inferred(&replies, [first, second]);
            let (z, z_other) = (f64::from(first), f64::from(second));
            let step = 1e-5;
            let slopes = [
                (log_likelihood(z + step, z_other) - log_likelihood(z - step, z_other)) / (2.0 * step),
                (log_likelihood(z, z_other + step) - log_likelihood(z, z_other - step)) / (2.0 * step),
            ];
            for ((target, slope), score) in targets.iter().zip(slopes).zip([z, z_other]) {
                prop_assert!((target - sigmoid(score) - slope).abs() < 1e-5, "{target}, {slope} at {score}");
            }
        }
    }

    #[test]
    fn a_tie_draws_two_items_to_one_class_and_a_label_decides_for_both() {
        let ties = Some(TieRates::new(0.6, 0.1).unwrap());
        let rates = ReplyRates { ties, ..ReplyRates::stated(0.1) };
        let [sure, unsure] = inferred(&one(true, [None; 2], &rates), [3.0, 0.0]);
        assert!(unsure > 0.6 && sure > 0.9, "{sure}, {unsure}");
        let known = [Some(Label::Negative), None];
        let [labelled, partner] = inferred(&one(true, known, &rates), [3.0, 0.0]);
        assert_eq!(labelled, 0.0);
        assert!(partner < 0.4, "{partner}");
        // The first of a decided pair is negative, so the second is hardly positive.
        let [_, partner] = inferred(&one(false, known, &rates), [3.0, 0.0]);
        assert!(partner < 0.4, "{partner}");
    }
}
