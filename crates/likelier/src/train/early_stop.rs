//! The best epoch by a criterion that needs no label.

use std::borrow::Cow;

use super::config::{Criterion, EarlyStop};
use crate::data::{AnswerGroups, Pile, Piles};
use crate::error::Error;
use crate::model::Weights;
use crate::random::{Rng, shuffle};
use crate::risk::{
    Batch, Correction, Gradients, Objective, OrientationLikelihood, Pointwise, RiskTable, Setting, Side,
};

/// The two piles of row indices that training uses, and those that are kept apart. Where none are, the piles are
/// used as they are.
#[derive(Clone, Debug)]
pub(super) struct Parts<'a> {
    pub(super) trained: [Cow<'a, [u32]>; 2],
    pub(super) held_out: [Vec<u32>; 2],
    /// How much each comparison counts, where that differs.
    pub(super) trained_weights: Option<Cow<'a, [f32]>>,
    pub(super) held_out_weights: Option<Vec<f32>>,
    /// Answers that are trained on, and answers kept apart; of loose piles, rows of the larger one.
    pub(super) answers: [usize; 2],
    paired: bool,
}

impl<'a> Parts<'a> {
    /// Takes a random share of the answers (or of each loose pile) out; at least one stays in.
    pub(super) fn new(piles: Piles<'a>, share: f64, rng: &mut impl Rng) -> Self {
        let mut parts = Self {
            trained: Pile::BOTH.map(|pile| Cow::Borrowed(piles.rows(pile))),
            held_out: Default::default(),
            trained_weights: piles.weights().map(Cow::Borrowed),
            held_out_weights: piles.weights().map(|_| Vec::new()),
            answers: [piles.answers(), 0],
            paired: piles.are_paired(),
        };
        if share <= 0.0 {
            return parts;
        }
        if piles.are_paired() {
            let [out, kept] = deal(piles.groups(), piles.rows(Pile::Likelier).len(), share, rng);
            for (at, pile) in Pile::BOTH.into_iter().enumerate() {
                parts.held_out[at] = pick(piles.rows(pile), &out.places);
                parts.trained[at] = pick(piles.rows(pile), &kept.places).into();
            }
            if let Some(weights) = piles.weights() {
                parts.held_out_weights = Some(pick(weights, &out.places));
                parts.trained_weights = Some(pick(weights, &kept.places).into());
            }
            parts.answers = [kept.answers, out.answers];
            return parts;
        }
        parts.answers = [0, 0];
        for (at, pile) in Pile::BOTH.into_iter().enumerate() {
            let rows = piles.rows(pile);
            let [out, kept] = deal(AnswerGroups::default(), rows.len(), share, rng);
            parts.held_out[at] = pick(rows, &out.places);
            parts.trained[at] = pick(rows, &kept.places).into();
            parts.answers[0] = parts.answers[0].max(kept.answers);
            parts.answers[1] = parts.answers[1].max(out.answers);
        }
        parts
    }

    /// The piles that training uses.
    pub(super) fn piles(&self) -> Piles<'_> {
        Piles::of(&self.trained[0], &self.trained[1], self.paired)
    }
}

/// Places in a list, and how many answers they are.
struct Dealt {
    places: Vec<u32>,
    answers: usize,
}

/// A random share of the answers, and the rest, both in random order.
fn deal(groups: AnswerGroups<'_>, places: usize, share: f64, rng: &mut impl Rng) -> [Dealt; 2] {
    let answers = groups.count(places);
    let mut order: Vec<u32> = (0..answers as u32).collect();
    shuffle(rng, &mut order);
    let mut starts: Vec<u32> = Vec::with_capacity(answers + 1);
    for place in 0..places {
        if groups.of(place) == starts.len() {
            starts.push(place as u32);
        }
    }
    starts.push(places as u32);
    let out = ((share * answers as f64).round() as usize).min(answers.saturating_sub(1));
    let (out, kept) = order.split_at(out);
    [out, kept].map(|order| Dealt {
        places: order
            .iter()
            .flat_map(|answer| starts[*answer as usize]..starts[*answer as usize + 1])
            .collect(),
        answers: order.len(),
    })
}

fn pick<T: Copy>(values: &[T], places: &[u32]) -> Vec<T> {
    places.iter().map(|place| values[*place as usize]).collect()
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
    use crate::data::{Answers, Comparisons};
    use crate::random::{Purpose, stream};

    #[test]
    fn held_out_pairs_stay_pairs_and_nothing_is_lost() {
        let comparisons: Comparisons = (0..50).map(|k| (k, k + 100)).collect();
        let parts = Parts::new(comparisons.piles(), 0.2, &mut stream(1, Purpose::HoldOut));
        assert_eq!((parts.trained[0].len(), parts.held_out[0].len()), (40, 10));
        let mut all = Vec::new();
        let held_out = parts.held_out.map(Cow::Owned);
        for part in [&parts.trained, &held_out] {
            for (likelier, other) in part[0].iter().zip(part[1].iter()) {
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
        assert_eq!(
            parts.trained.each_ref().map(|pile| pile.to_vec()),
            [vec![0, 1, 2, 3, 4], vec![100, 101, 102, 103, 104]]
        );
        assert!(matches!(parts.trained[0], Cow::Borrowed(_)), "nothing is copied");
    }

    #[test]
    fn the_halves_of_a_tie_are_held_out_together() {
        let answers: Answers = (0..40).map(|k| (k, k + 100)).collect();
        let comparisons = answers.tied((0..40).map(|k| k % 2 == 0).collect()).unwrap().comparisons();
        let parts = Parts::new(comparisons.piles(), 0.25, &mut stream(1, Purpose::HoldOut));
        assert_eq!(parts.answers, [30, 10]);
        let pairs: Vec<(u32, u32)> = parts.held_out[0]
            .iter()
            .copied()
            .zip(parts.held_out[1].iter().copied())
            .collect();
        let weights = parts.held_out_weights.unwrap();
        assert_eq!(weights.iter().sum::<f32>(), 10.0);
        for (at, (likelier, other)) in pairs.iter().enumerate() {
            assert_eq!(weights[at] == 0.5, pairs.contains(&(*other, *likelier)));
        }
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
        let early_stop = EarlyStop { share: 0.2, criterion: Criterion::Risk, patience: Some(2) };
        let mut best = None;
        let stops = [(1, 0.9), (2, 0.5), (3, 0.6), (4, 0.5)].map(|(epoch, value)| {
            Best::consider(&mut best, &early_stop, epoch, value, &weights(epoch as f32))
        });
        assert_eq!(stops, [false, false, false, true]);
        assert_eq!(best, Some(Best { epoch: 2, value: 0.5, weights: weights(2.0) }));
    }
}
