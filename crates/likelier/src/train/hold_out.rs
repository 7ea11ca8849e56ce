//! The best epoch by a criterion that needs no label.

use super::config::{Criterion, HoldOut};
use crate::data::{Pile, Piles};
use crate::error::Error;
use crate::model::Weights;
use crate::random::{Rng, shuffle};
use crate::risk::{
    Batch, Correction, Gradients, Objective, OrientationLikelihood, Pointwise, RiskTable, Setting, Side,
};

/// The two piles of row indices that training uses, and those that are kept apart.
#[derive(Clone, Debug)]
pub(super) struct Parts {
    pub(super) trained: [Vec<u32>; 2],
    pub(super) held_out: [Vec<u32>; 2],
    /// How much each comparison counts, where that differs.
    pub(super) trained_weights: Option<Vec<f32>>,
    pub(super) held_out_weights: Option<Vec<f32>>,
    paired: bool,
}

impl Parts {
    /// Takes a random share of the comparisons (or of each loose pile) out; at least one stays in.
    pub(super) fn new(piles: Piles<'_>, share: f64, rng: &mut impl Rng) -> Self {
        let mut parts = Self {
            trained: Default::default(),
            held_out: Default::default(),
            trained_weights: None,
            held_out_weights: None,
            paired: piles.are_paired(),
        };
        let mut order: Vec<u32> = Vec::new();
        for (at, pile) in Pile::BOTH.into_iter().enumerate() {
            let rows = piles.rows(pile);
            if at == 0 || !piles.are_paired() {
                order = (0..rows.len() as u32).collect();
                if share > 0.0 {
                    shuffle(rng, &mut order);
                }
            }
            let held_out = ((share * rows.len() as f64).round() as usize).min(rows.len().saturating_sub(1));
            let rows = |positions: &[u32]| positions.iter().map(|at| rows[*at as usize]).collect();
            parts.held_out[at] = rows(&order[..held_out]);
            parts.trained[at] = rows(&order[held_out..]);
            if let Some(weights) = piles.weights() {
                let weights =
                    |positions: &[u32]| positions.iter().map(|at| weights[*at as usize]).collect();
                parts.held_out_weights = Some(weights(&order[..held_out]));
                parts.trained_weights = Some(weights(&order[held_out..]));
            }
        }
        parts
    }

    /// The piles that training uses.
    pub(super) fn piles(&self) -> Piles<'_> {
        Piles::of(&self.trained[0], &self.trained[1], self.paired)
    }
}

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
        hold_out: &HoldOut,
        epoch: usize,
        value: f64,
        weights: &Weights,
    ) -> bool {
        match best {
            // In this order NaN is never better.
            Some(best) if value.total_cmp(&best.value).is_ge() => {
                hold_out.patience.is_some_and(|patience| epoch >= best.epoch + patience)
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
    use crate::data::Comparisons;
    use crate::random::{Purpose, stream};

    #[test]
    fn held_out_pairs_stay_pairs_and_nothing_is_lost() {
        let comparisons: Comparisons = (0..50).map(|k| (k, k + 100)).collect();
        let parts = Parts::new(comparisons.piles(), 0.2, &mut stream(1, Purpose::HoldOut));
        assert_eq!((parts.trained[0].len(), parts.held_out[0].len()), (40, 10));
        let mut all = Vec::new();
        for part in [&parts.trained, &parts.held_out] {
            for (likelier, other) in part[0].iter().zip(&part[1]) {
                assert_eq!(likelier + 100, *other);
                all.push(*likelier);
            }
        }
        all.sort_unstable();
        assert_eq!(all, (0..50).collect::<Vec<_>>());
    }

    #[test]
    fn without_a_share_the_piles_are_left_as_they_are() {
        let comparisons: Comparisons = (0..5).map(|k| (k, k + 100)).collect();
        let parts = Parts::new(comparisons.piles(), 0.0, &mut stream(1, Purpose::HoldOut));
        assert_eq!(parts.trained, [vec![0, 1, 2, 3, 4], vec![100, 101, 102, 103, 104]]);
    }

    #[test]
    fn one_comparison_is_never_held_out() {
        let one = Comparisons::from_iter([(1, 2)]);
        let parts = Parts::new(one.piles(), 0.9, &mut stream(1, Purpose::HoldOut));
        assert_eq!((parts.trained[0].len(), parts.held_out[0].len()), (1, 0));
    }

    #[test]
    fn the_best_epoch_is_kept_and_patience_runs_out() {
        let weights = |k: f32| Weights { parameters: vec![k], buffers: Vec::new() };
        let hold_out = HoldOut { share: 0.2, criterion: Criterion::Risk, patience: Some(2) };
        let mut best = None;
        let stops = [(1, 0.9), (2, 0.5), (3, 0.6), (4, 0.5)].map(|(epoch, value)| {
            Best::consider(&mut best, &hold_out, epoch, value, &weights(epoch as f32))
        });
        assert_eq!(stops, [false, false, false, true]);
        assert_eq!(best, Some(Best { epoch: 2, value: 0.5, weights: weights(2.0) }));
    }
}
