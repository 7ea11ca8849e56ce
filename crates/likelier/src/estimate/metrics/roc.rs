//! True and false positive rate at every threshold.

use serde::Serialize;

use super::held_out::HeldOut;
use super::{Assumptions, Metric, Spread, at_threshold};
use crate::error::Error;
use crate::estimate::Interval;
use crate::estimate::distribution::Confidence;

/// One threshold of the ROC curve.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RocPoint {
    /// Scores above or *at* this are called positive; none for the first point, where nothing is.
    pub lowest_positive: Option<f32>,
    /// The share of positives called positive, as estimated: it may leave [0, 1] and need not rise.
    pub true_positive_rate: Interval,
    /// The share of negatives called positive, as estimated.
    pub false_positive_rate: Interval,
    /// (false, true) positive rate as a curve has to be: rising, and inside [0, 1].
    pub monotone: [f64; 2],
}

/// The ROC curve of held-out comparisons, from the highest threshold (nothing called positive) to the lowest
/// (everything): one point for each different score, and one above them all.
///
/// Both rates must rise as the threshold falls; their estimates wiggle. The monotone curve is the rising
/// one nearest to them (isotonic least squares), cut to [0, 1].
pub fn roc(held_out: &HeldOut<'_>, assumptions: &Assumptions, level: f64) -> Result<Vec<RocPoint>, Error> {
    let mut sorted: Vec<(f32, usize, usize)> =
        held_out.iter().map(|(pile, at, score)| (score, pile, at)).collect();
    sorted.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
    let mut spread = Spread::new(held_out);
    let confidence = Confidence::new(level)?;
    let point = |spread: &Spread<'_>, lowest_positive| {
        let shares = spread.means();
        let rate = |metric| at_threshold(metric, &shares, assumptions, confidence);
        RocPoint {
            lowest_positive,
            true_positive_rate: rate(Metric::TruePositiveRate),
            false_positive_rate: rate(Metric::FalsePositiveRate),
            monotone: [0.0; 2],
        }
    };
    let mut points = vec![point(&spread, None)];
    for tied in sorted.chunk_by(|a, b| a.0 == b.0) {
        for &(_, pile, at) in tied {
            spread.add(pile, at, 1.0);
        }
        points.push(point(&spread, Some(tied[0].0)));
    }
    let rates = [
        rising(points.iter().map(|point| point.false_positive_rate.value)),
        rising(points.iter().map(|point| point.true_positive_rate.value)),
    ];
    for (at, point) in points.iter_mut().enumerate() {
        point.monotone = [0, 1].map(|rate| rates[rate][at].clamp(0.0, 1.0));
    }
    Ok(points)
}

/// The rising sequence nearest in least squares: neighbours that fall are pooled until none does.
fn rising(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut pools: Vec<(f64, usize)> = Vec::new();
    for value in values {
        let mut pool = (value, 1);
        while let Some(last) = pools.pop_if(|last| last.0 > pool.0) {
            let count = last.1 + pool.1;
            pool = ((last.0 * last.1 as f64 + pool.0 * pool.1 as f64) / count as f64, count);
        }
        pools.push(pool);
    }
    pools
        .into_iter()
        .flat_map(|(value, count)| std::iter::repeat_n(value, count))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_that_fall_are_pooled() {
        assert_eq!(rising([1.0, 2.0, 3.0].into_iter()), [1.0, 2.0, 3.0]);
        assert_eq!(rising([3.0, 2.0, 1.0].into_iter()), [2.0; 3]);
        assert_eq!(rising([0.0, 4.0, 2.0, 3.0, 9.0].into_iter()), [0.0, 3.0, 3.0, 3.0, 9.0]);
        assert!(rising([].into_iter()).is_empty());
    }
}
