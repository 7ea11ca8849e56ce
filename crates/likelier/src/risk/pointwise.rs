//! Risks that look at each row on its own.
//!
//! R = g(column at +1) + g(column at −1) + λ·mean (f − f′)², where a column sums coefficient × loss:
//! Eqs. (PC), (cPC), (pPC) and the regulariser Ω of the paper, PU, UU, Noisy-Unbiased, Binary-Biased,
//! and the supervised risk.

use super::{Batch, Correction, Evaluation, Gradients, Loss, Objective, RiskTable};
use crate::error::Error;
use crate::prior::Prior;

/// Where a row's coefficients come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Coefficients {
    /// From the pile it lies in, averaged over that pile.
    Table(RiskTable),
    /// From its target P(y = +1): [t·positive, (1 − t)·negative], averaged over all rows.
    Targets {
        /// Weight of the loss at +1.
        positive: f64,
        /// Weight of the loss at −1.
        negative: f64,
    },
}

impl Coefficients {
    /// Targets weighted from a sample with one share of positives to a population with another.
    pub fn targets(sample: Prior, population: Prior) -> Self {
        Self::Targets {
            positive: population.positive() / sample.positive(),
            negative: population.negative() / sample.negative(),
        }
    }
}

/// A pointwise risk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pointwise {
    /// ℓ.
    pub loss: Loss,
    /// The coefficient of each loss.
    pub coefficients: Coefficients,
    /// g, on the two columns of the batch.
    pub correction: Correction,
    /// λ, the weight of the consistency term; used where teacher scores are given.
    pub consistency_weight: f64,
}

impl Pointwise {
    /// A table's plain risk with the logistic loss.
    pub fn of_table(table: RiskTable) -> Self {
        Self {
            loss: Loss::Logistic,
            coefficients: Coefficients::Table(table),
            correction: Correction::None,
            consistency_weight: 0.0,
        }
    }
}

impl Objective for Pointwise {
    fn evaluate(&self, batch: &Batch<'_>, gradients: &mut Gradients) -> Result<Evaluation, Error> {
        batch.check()?;
        gradients.reset(batch);
        let columns = self.columns(batch, gradients)?;

        let slopes = columns.map(|column| self.correction.slope(column));
        if slopes.iter().any(|slope| slope.total_cmp(&1.0).is_ne()) {
            let [positive, negative] = slopes.map(|slope| slope as f32);
            for (gradient, of_negative) in gradients.values.iter_mut().zip(&gradients.negative_column) {
                *gradient = positive * *gradient + negative * of_negative;
            }
        } else {
            for (gradient, of_negative) in gradients.values.iter_mut().zip(&gradients.negative_column) {
                *gradient += of_negative;
            }
        }

        let consistency = self.consistency(batch, gradients);
        let corrected: f64 = columns.iter().map(|column| self.correction.value(*column)).sum();
        Ok(Evaluation { value: corrected + consistency, columns: Some(columns), consistency })
    }
}

impl Pointwise {
    /// The two columns before correction. The gradient of the first is left in `gradients.values`, that
    /// of the second in `gradients.negative_column`, since their slopes depend on both sums.
    fn columns(&self, batch: &Batch<'_>, gradients: &mut Gradients) -> Result<[f64; 2], Error> {
        gradients.negative_column.clear();
        gradients.negative_column.resize(batch.rows(), 0.0);
        let all_rows: f64 = batch.sides().iter().map(|side| side.size()).sum();
        let mut columns = [0.0; 2];
        let mut at = 0;
        for (pile, side) in batch.sides().into_iter().enumerate() {
            let size = match self.coefficients {
                Coefficients::Table(_) => side.size(),
                Coefficients::Targets { .. } => all_rows,
            };
            if size <= 0.0 {
                at += side.scores.len();
                continue;
            }
            for (row, &score) in side.scores.iter().enumerate() {
                if side.is_selected(row) {
                    let weight = side.weight(row) / size;
                    let [positive, negative] = match self.coefficients {
                        Coefficients::Table(table) => table.0[pile],
                        Coefficients::Targets { positive, negative } => {
                            let target = f64::from(side.targets.ok_or(Error::NeedsTargets)?[row]);
                            [target * positive, (1.0 - target) * negative]
                        }
                    };
                    let loss = self.loss.at(f64::from(score));
                    columns[0] += positive * weight * loss.value[0];
                    columns[1] += negative * weight * loss.value[1];
                    gradients.values[at] = (positive * weight * loss.slope[0]) as f32;
                    gradients.negative_column[at] = (negative * weight * loss.slope[1]) as f32;
                }
                at += 1;
            }
        }
        Ok(columns)
    }

    /// λ·mean (f − f′)² over the rows of both piles, added to the gradient.
    fn consistency(&self, batch: &Batch<'_>, gradients: &mut Gradients) -> f64 {
        let scale = self.consistency_weight / batch.rows().max(1) as f64;
        let mut total = 0.0;
        let mut at = 0;
        for side in batch.sides() {
            if let Some(teacher) = side.teacher {
                let slots = &mut gradients.values[at..];
                for ((gradient, score), teacher) in slots.iter_mut().zip(side.scores).zip(teacher) {
                    let apart = f64::from(*score) - f64::from(*teacher);
                    total += scale * apart * apart;
                    *gradient += (2.0 * scale * apart) as f32;
                }
            }
            at += side.scores.len();
        }
        total
    }
}
