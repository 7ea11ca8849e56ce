//! The risk of a classifier on held-out comparisons, for any loss.
//!
//! R = Σ_pile mean of C(pile, +1)·ℓ(f, +1) + C(pile, −1)·ℓ(f, −1) with the unbiased table of
//! [`RiskTable::unbiased`]: the sum of two pile means, with the interval of such.

use serde::Serialize;

use super::held_out::HeldOut;
use super::{Affine, Assumptions, Spread};
use crate::error::Error;
use crate::estimate::Interval;
use crate::estimate::distribution::Confidence;
use crate::risk::{Correction, Loss, RiskTable};

/// A risk estimated without labels.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RiskEstimate {
    /// The unbiased estimate; with few comparisons it can be negative.
    pub unbiased: Interval,
    /// The estimates of π·E₊[ℓ(f, +1)] and π₋·E₋[ℓ(f, −1)], whose sum it is.
    pub columns: [f64; 2],
    /// The sum after the correction of each column, as in training: never negative, a little too large
    /// on average.
    pub corrected: f64,
}

/// The held-out risk of scores.
pub fn risk(
    held_out: &HeldOut<'_>,
    assumptions: &Assumptions,
    loss: Loss,
    correction: Correction,
    level: f64,
) -> Result<RiskEstimate, Error> {
    let table = RiskTable::unbiased(assumptions.mixture(), assumptions.prior()).0;
    let at = |score: f32| loss.at(f64::from(score)).value;
    // One pass for what varies, two more for the parts that an estimated prior weighs anew.
    let of_label = |label: usize| Spread::of(held_out, |_, _, score| at(score)[label]).means;
    let means = [of_label(0), of_label(1)];
    let column = |table: &[[f64; 2]; 2], label: usize| {
        (0..2).map(|pile| table[pile][label] * means[label][pile]).sum::<f64>()
    };
    let total = Spread::of(held_out, |pile, _, score| {
        let [positive, negative] = at(score);
        table[pile][0] * positive + table[pile][1] * negative
    });
    let columns = [column(&table, 0), column(&table, 1)];
    let interval = assumptions.affine(
        &total,
        &total,
        |mixture, prior| {
            let moved = RiskTable::unbiased(mixture, prior).0;
            let shift = column(&moved, 0) + column(&moved, 1) - columns[0] - columns[1];
            Affine { constant: shift, weights: [1.0; 2] }
        },
        Confidence::new(level)?,
    );
    let corrected = columns.iter().map(|column| correction.value(*column)).sum();
    Ok(RiskEstimate { unbiased: interval, columns, corrected })
}
