//! The best epoch by a criterion that needs no label.

use super::config::{Criterion, EarlyStop};
use crate::error::Error;
use crate::model::Weights;
use crate::risk::{
    Batch, Correction, Gradients, Objective, OrientationLikelihood, Pointwise, RiskTable, Setting, Side,
};

/// The value of a criterion on scores of held-out comparisons.
pub(super) fn measure(
    criterion: Criterion,
    setting: &Setting,
    likelier: &[f32],
    other: &[f32],
    weights: Option<&[f32]>,
) -> Result<f64, Error> {
    let side = |scores| Side { weights, ..Side::of_scores(scores) };
    let batch = Batch { likelier: side(likelier), other: side(other) };
    let mut gradients = Gradients::default();
    let evaluation = match criterion {
        Criterion::Orientation => {
            OrientationLikelihood { protocol: setting.protocol }.evaluate(&batch, &mut gradients)
        }
        Criterion::Risk => {
            let table = RiskTable::unbiased(&setting.protocol.mixture(setting.prior)?, setting.prior);
            let risk = Pointwise { correction: Correction::Relu, ..Pointwise::of_table(table) };
            risk.evaluate(&batch, &mut gradients)
        }
    };
    Ok(evaluation?.value)
}

/// The best epoch so far.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Best {
    pub(super) epoch: usize,
    pub(super) value: f64,
    pub(super) weights: Weights,
}

impl Best {
    /// Takes an epoch's value in; whether training should stop.
    pub(super) fn consider(
        best: &mut Option<Self>,
        early_stop: &EarlyStop,
        epoch: usize,
        value: f64,
        weights: &Weights,
    ) -> bool {
        match best {
            // In this order NaN is never better.
            Some(best) if value.total_cmp(&best.value).is_ge() => {
                early_stop.patience.is_some_and(|patience| epoch >= best.epoch + patience)
            }
            _ => {
                *best = Some(Self { epoch, value, weights: weights.clone() });
                false
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_epoch_is_kept_and_patience_runs_out() {
        let weights = |k: f32| Weights { parameters: vec![k], buffers: Vec::new() };
        let early_stop = EarlyStop { share: 0.2, criterion: Criterion::Risk, patience: Some(2) };
        let mut best = None;
        let stops = [(1, 0.9), (2, 0.5), (3, 0.6), (4, 0.5)].map(|(epoch, value)| {
            Best::consider(&mut best, &early_stop, epoch, value, &weights(epoch as f32))
        });
        assert_eq!(stops, [false, false, false, true]);
        assert_eq!(best, Some(Best { epoch: 2, value: 0.5, weights: weights(2.0) }));
    }
}
