//! The area under the ROC curve, from all cross-pile pairs.
//!
//! With Ã the probability that a random likelier-pile score exceeds a random other-pile score, ties
//! counting ½, AUC = ½ + (Ã − ½)/Δ for any mixture. Ã is estimated by the U-statistic over all pairs of one
//! score from each pile; its variance is that of its Hájek projection mean h₊(x) + mean h₋(x′), where
//! h₊(x) is the share of the other pile below x and h₋(x′) the share of the likelier pile above x′. The
//! two are means over the piles like any others, so pairing, shared items and loose piles are allowed for
//! in the same way.

use super::assumptions::{Affine, Assumptions};
use super::held_out::HeldOut;
use super::spread::{PileMeans, Spread, quadratic};
use crate::estimate::Interval;
use crate::estimate::distribution::Confidence;

pub(super) fn auc(held_out: &HeldOut<'_>, assumptions: &Assumptions, confidence: Confidence) -> Interval {
    let projections = projections(held_out);
    let ranks = Spread::of(held_out, |pile, at, _| projections[pile][at]);
    // Both projections have the mean Ã; what varies is their sum. The second pile is used up.
    let scalar = |matrix| [[quadratic(&matrix, [1.0, 1.0]), 0.0], [0.0, 0.0]];
    let exceeds = PileMeans {
        means: [ranks.means[0], 0.5],
        independent: scalar(ranks.independent),
        shared: ranks.shared.map(scalar),
        sizes: [ranks.sizes[0].min(ranks.sizes[1]); 2],
        paired: false,
    };
    let area = |contrast: f64| Affine { constant: 0.5 - 0.5 / contrast, weights: [1.0 / contrast, 0.0] };
    assumptions.affine(&exceeds, &exceeds.smoothed(), |mixture, _| area(mixture.contrast()), confidence)
}

/// For each score of the likelier pile the share of the other pile below it, and for each score of the
/// other pile the share of the likelier pile above it; equal scores count half.
pub(super) fn projections(held_out: &HeldOut<'_>) -> [Vec<f64>; 2] {
    let mut sorted: Vec<(f32, usize, usize)> =
        held_out.iter().map(|(pile, at, score)| (score, pile, at)).collect();
    sorted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let mut totals = [0.0; 2];
    for &(_, pile, at) in &sorted {
        totals[pile] += held_out.weight(at);
    }
    let mut projections = held_out.lengths().map(|length| vec![0.0; length]);
    let mut below = [0.0; 2];
    for tied in sorted.chunk_by(|a, b| a.0 == b.0) {
        let mut equal = [0.0; 2];
        for &(_, pile, at) in tied {
            equal[pile] += held_out.weight(at);
        }
        for &(_, pile, at) in tied {
            let rival = 1 - pile;
            let lower = (below[rival] + 0.5 * equal[rival]) / totals[rival];
            projections[pile][at] = if pile == 0 { lower } else { 1.0 - lower };
        }
        for pile in 0..2 {
            below[pile] += equal[pile];
        }
    }
    projections
}
