//! Risks that use a comparison as a pair (beyond the paper).
//!
//! Both say how probable the order of a pair is, which fixes its items' probabilities only up to a level;
//! the level comes from the class prior, through the threshold.

use super::{Batch, Evaluation, Gradients, Objective};
use crate::error::Error;
use crate::numerics::parallel::share;
use crate::protocol::{Protocol, softplus};
use crate::risk::sigmoid;

/// The mean of −ln of the [orientation likelihood](Protocol::orientation), for any protocol.
///
/// Constant scores give ln 2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OrientationLikelihood {
    /// How the comparisons were collected.
    pub protocol: Protocol,
}

impl Objective for OrientationLikelihood {
    fn evaluate(&self, batch: &Batch<'_>, gradients: &mut Gradients) -> Result<Evaluation, Error> {
        mean_over_pairs(batch, gradients, |likelier, other| {
            let orientation = self.protocol.orientation(likelier, other);
            (-orientation.log_probability, orientation.gradient.map(|slope| -slope))
        })
    }
}

/// RankNet: the logistic loss of the difference f(x) − f(x′).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RankNet;

impl Objective for RankNet {
    fn evaluate(&self, batch: &Batch<'_>, gradients: &mut Gradients) -> Result<Evaluation, Error> {
        mean_over_pairs(batch, gradients, |likelier, other| {
            let slope = -sigmoid(other - likelier);
            (softplus(other - likelier), [slope, -slope])
        })
    }
}

/// Pairs that one thread takes at a time: each is worth a tenth of a microsecond.
const PAIRS: usize = 1 << 10;

/// The weighted mean over pairs of a loss of two scores. A pair's weight is that of its likelier side,
/// where weights are given; selection and teacher play no part.
fn mean_over_pairs(
    batch: &Batch<'_>,
    gradients: &mut Gradients,
    loss: impl Fn(f64, f64) -> (f64, [f64; 2]) + Sync,
) -> Result<Evaluation, Error> {
    batch.check()?;
    let (likelier, other) = (batch.likelier, batch.other);
    if likelier.scores.len() != other.scores.len() {
        return Err(Error::mismatch(
            "likelier items",
            likelier.scores.len(),
            "other items",
            other.scores.len(),
        ));
    }
    gradients.reset(batch);
    let size = likelier.size();
    let mut value = 0.0;
    if size > 0.0 {
        let Gradients { values, of_pairs, .. } = gradients;
        of_pairs.clear();
        of_pairs.resize(likelier.scores.len(), 0.0);
        let (of_likelier, of_other) = values.split_at_mut(likelier.scores.len());
        let slots = of_likelier.chunks_mut(PAIRS).zip(of_other.chunks_mut(PAIRS));
        share(
            slots.zip(of_pairs.chunks_mut(PAIRS)).enumerate(),
            |(piece, ((of_likelier, of_other), values))| {
                let slots = of_likelier.iter_mut().zip(of_other).zip(values);
                for (row, ((slot, other_slot), value)) in (piece * PAIRS..).zip(slots) {
                    let weight = likelier.weight(row) / size;
                    let (pair_value, [slope, other_slope]) =
                        loss(f64::from(likelier.scores[row]), f64::from(other.scores[row]));
                    *value = weight * pair_value;
                    *slot = (weight * slope) as f32;
                    *other_slot = (weight * other_slope) as f32;
                }
            },
        );
        // In their order, whoever worked them out.
        value = of_pairs.iter().fold(value, |sum, value| sum + value);
    }
    Ok(Evaluation { value, columns: None, consistency: 0.0 })
}
