//! Comparisons set aside, to judge by.

use anyhow::Result;
use likelier::data::{Comparisons, Judgements};
use likelier::random::{Purpose, shuffle, stream};

use crate::input::Judged;

/// Sets a share of the comparisons aside. Loose piles are all trained on.
pub(super) fn hold_out(judged: Judged, share: f64, seed: u64) -> Result<(Judged, Option<Comparisons>)> {
    if !(0.0..1.0).contains(&share) {
        return Err(likelier::Error::Setting {
            name: "--hold-out",
            value: share.to_string(),
            allowed: "at least 0 and below 1",
        }
        .into());
    }
    let Judged::Pairs { judgements, .. } = judged else { return Ok((judged, None)) };
    let count = judgements.comparisons.len();
    let aside = (share * count as f64).round() as usize;
    if aside == 0 {
        return Ok((Judged::of(*judgements), None));
    }
    let mut order: Vec<u32> = (0..count as u32).collect();
    shuffle(&mut stream(seed, Purpose::HoldOut), &mut order);
    let (aside, kept) = order.split_at_mut(aside.min(count - 1));
    aside.sort_unstable();
    kept.sort_unstable();
    // A tie says nothing about which of two classifiers is better.
    let tie = |at: usize| judgements.ties.as_ref().is_some_and(|ties| ties[at]);
    let pairs: Vec<(u32, u32)> = judgements.comparisons.iter().collect();
    let held_out = aside.iter().map(|at| *at as usize).filter(|at| !tie(*at)).map(|at| pairs[at]);
    let of_kept = |values: &[f32]| kept.iter().map(|at| values[*at as usize]).collect();
    let trained = Judgements {
        comparisons: kept.iter().map(|at| pairs[*at as usize]).collect(),
        weights: judgements.weights.as_deref().map(of_kept),
        ties: judgements
            .ties
            .as_ref()
            .map(|ties| kept.iter().map(|at| ties[*at as usize]).collect()),
        ..Judgements::default()
    };
    let held_out: Comparisons = held_out.collect();
    Ok((Judged::of(trained), (!held_out.is_empty()).then_some(held_out)))
}
