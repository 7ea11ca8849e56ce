//! Risks that look at each row on its own.
//!
//! R = g(column at +1) + g(column at −1) + λ·mean (f − f′)², where a column sums coefficient × loss:
//! Eqs. (6), (7), (8) and the regulariser Ω of the paper, PU, UU, Noisy-Unbiased, Binary-Biased,
//! the supervised risk, and the cross-entropy to label posteriors.

use super::{Batch, Correction, Evaluation, Gradients, Loss, LossAt, Objective, RiskTable, Side};
use crate::error::Error;
use crate::numerics::simd::wide;
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
    /// δ, added to each score before the loss: from log-odds in the population to log-odds in the rows at
    /// hand, whose share of positives may be another.
    pub shift: f64,
}

impl Pointwise {
    /// A table's plain risk with the logistic loss.
    pub fn of_table(table: RiskTable) -> Self {
        Self {
            loss: Loss::Logistic,
            coefficients: Coefficients::Table(table),
            correction: Correction::None,
            consistency_weight: 0.0,
            shift: 0.0,
        }
    }
}

impl Objective for Pointwise {
    fn evaluate(&self, batch: &Batch<'_>, gradients: &mut Gradients) -> Result<Evaluation, Error> {
        batch.check()?;
        gradients.reset(batch);
        let columns = self.columns(batch, gradients)?;

        let [positive, negative] = columns.map(|column| self.correction.slope(column) as f32);
        for (gradient, of_negative) in gradients.values.iter_mut().zip(&gradients.negative_column) {
            *gradient = positive * *gradient + negative * of_negative;
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
        let Gradients { values, negative_column, likelier, .. } = gradients;
        let (first, second) = values.split_at_mut(*likelier);
        let (first_negative, second_negative) = negative_column.split_at_mut(*likelier);
        let slots = [(first, first_negative), (second, second_negative)];
        let mut columns = [0.0; 2];
        for (pile, (side, (positive, negative))) in batch.sides().into_iter().zip(slots).enumerate() {
            let size = match self.coefficients {
                Coefficients::Table(_) if side.coefficients.is_some() => all_rows,
                Coefficients::Table(_) => side.size(),
                Coefficients::Targets { .. } if side.targets.is_none() && !side.scores.is_empty() => {
                    return Err(Error::NeedsTargets);
                }
                Coefficients::Targets { .. } => all_rows,
            };
            if size > 0.0 {
                let sums = side_columns(self, side, pile, size, positive, negative);
                columns.iter_mut().zip(sums).for_each(|(column, sum)| *column += sum);
            }
        }
        Ok(columns)
    }

    /// One pile's share of the columns, a block of rows at a time so that the loss runs on wide vectors.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "only inlined code is compiled for the wider vectors")]
    fn side(
        &self,
        side: &Side<'_>,
        pile: usize,
        size: f64,
        positive: &mut [f32],
        negative: &mut [f32],
        loss: impl Fn(f64) -> LossAt,
    ) -> [f64; 2] {
        // Several vectors wide: the series of one are evaluated while those of another are waited for.
        const BLOCK: usize = 32;
        let plain = side.weights.is_none()
            && side.selected.is_none()
            && side.targets.is_none()
            && side.coefficients.is_none();
        let mut sums = [[0.0; BLOCK]; 2];
        let slots = positive.chunks_mut(BLOCK).zip(negative.chunks_mut(BLOCK));
        for (block, ((positive, negative), rows)) in slots.zip(side.scores.chunks(BLOCK)).enumerate() {
            let mut scores = [0.0; BLOCK];
            for (lane, score) in scores.iter_mut().zip(rows) {
                *lane = f64::from(*score) + self.shift;
            }
            let mut coefficients = [[0.0; BLOCK]; 2];
            if plain && rows.len() == BLOCK {
                coefficients = self.coefficients_of(side, pile, size, 0).map(|same| [same; BLOCK]);
            } else {
                for lane in 0..rows.len() {
                    let of_row = self.coefficients_of(side, pile, size, block * BLOCK + lane);
                    coefficients[0][lane] = of_row[0];
                    coefficients[1][lane] = of_row[1];
                }
            }
            let mut slopes = [[0.0; BLOCK]; 2];
            for lane in 0..BLOCK {
                let at = loss(scores[lane]);
                for label in 0..2 {
                    sums[label][lane] += coefficients[label][lane] * at.value[label];
                    slopes[label][lane] = coefficients[label][lane] * at.slope[label];
                }
            }
            for (lane, (positive, negative)) in positive.iter_mut().zip(negative).enumerate() {
                *positive = slopes[0][lane] as f32;
                *negative = slopes[1][lane] as f32;
            }
        }
        sums.map(|lanes| lanes.iter().sum())
    }

    /// The coefficients of a row's two losses, its weight and selection included.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "only inlined code is compiled for the wider vectors")]
    fn coefficients_of(&self, side: &Side<'_>, pile: usize, size: f64, row: usize) -> [f64; 2] {
        if !side.is_selected(row) {
            return [0.0; 2];
        }
        let weight = side.weight(row) / size;
        match self.coefficients {
            Coefficients::Table(table) => match side.coefficients {
                Some(of_rows) => of_rows[row].map(|coefficient| f64::from(coefficient) * weight),
                None => table.0[pile].map(|coefficient| coefficient * weight),
            },
            Coefficients::Targets { positive, negative } => {
                let target = side.targets.map_or(0.0, |targets| f64::from(targets[row]));
                [target * positive * weight, (1.0 - target) * negative * weight]
            }
        }
    }

    /// λ·mean (f − f′)² over the rows of both piles, weighted where they are, added to the gradient.
    fn consistency(&self, batch: &Batch<'_>, gradients: &mut Gradients) -> f64 {
        let size: f64 = batch.sides().iter().map(|side| side.size()).sum();
        let scale = self.consistency_weight / size.max(f64::MIN_POSITIVE);
        let mut total = 0.0;
        let mut at = 0;
        for side in batch.sides() {
            if let Some(teacher) = side.teacher {
                let slots = &mut gradients.values[at..];
                let scores = side.scores.iter().zip(teacher).enumerate();
                for (gradient, (row, (score, teacher))) in slots.iter_mut().zip(scores) {
                    let apart = f64::from(*score) - f64::from(*teacher);
                    let scale = scale * side.weight(row);
                    total += scale * apart * apart;
                    *gradient += (2.0 * scale * apart) as f32;
                }
            }
            at += side.scores.len();
        }
        total
    }
}

wide! {
    /// [`Pointwise::side`], compiled for wide vectors and for each loss apart.
    fn side_columns(
        risk: &'w Pointwise,
        side: &'w Side<'w>,
        pile: usize,
        size: f64,
        positive: &'w mut [f32],
        negative: &'w mut [f32],
    ) -> [f64; 2] {
        match risk.loss {
            Loss::Logistic => risk.side(side, pile, size, positive, negative, |z| Loss::Logistic.at(z)),
            Loss::Squared => risk.side(side, pile, size, positive, negative, |z| Loss::Squared.at(z)),
            Loss::Sigmoid => risk.side(side, pile, size, positive, negative, |z| Loss::Sigmoid.at(z)),
        }
    }
}
