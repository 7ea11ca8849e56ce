//! The prior from the pool that the pairs were drawn from.
//!
//! Under discard the population is (1−b)·p̃₊ + b·p̃₋ with π = ε + (1−2ε)b, so for any function g of an
//! item b = (E₊g − E_pool g)/(E₊g − E₋g). Here g is the contrast of a held-out score. Under forced
//! choice b is ½ for every prior, and the pool tells nothing.

use super::{PriorEstimate, PriorEstimator};
use crate::data::check_items;
use crate::error::Error;
use crate::estimate::distribution::{check_level, two_sided};
use crate::estimate::ranked::Ranked;
use crate::estimate::{CrossFit, Interval};
use crate::evaluate::mean_and_deviation;
use crate::protocol::{Collection, Protocol};

/// The prior from the piles and the `pool` of rows that pairs were drawn from: those that were compared,
/// those of dropped pairs, and those never shown.
pub fn pool_moment(
    fit: &CrossFit<'_>,
    pool: &[u32],
    protocol: &Protocol,
    level: f64,
) -> Result<PriorEstimate, Error> {
    check_level(level)?;
    check_items("the pool", pool, fit.rows.len())?;
    let says = |interval, note: &str| Ok(PriorEstimate::of(PriorEstimator::Pool, interval, note));
    if protocol.collection() == Collection::ForcedChoice {
        return says(
            None,
            "under forced choice the two piles together are the population, so a pool adds nothing",
        );
    }
    let ranked = Ranked::of(&fit.scores)?;
    let Some(means) = PoolMeans::new(fit, &ranked, pool)? else {
        return says(
            None,
            "the pool holds no row that a fold's model has not been trained on; add rows that were never compared, or \
             use folds by items",
        );
    };
    if means.uncompared == 0 && means.compared_once {
        return says(
            None,
            "the pool is nothing but the compared rows. It must also hold the rows of dropped pairs; otherwise it is \
             one half of each pile, whatever the prior",
        );
    }

    // A = E₊g − E_pool g and D = E₊g − E₋g over folds; b solves A − bD = 0.
    let contrasts = ranked.contrasts();
    let (mut a, mut d) = (0.0, 0.0);
    let folds = contrasts.means();
    let total: f64 = folds.iter().map(|fold| fold.weight).sum();
    for (fold, pool) in folds.iter().zip(&means.of_fold) {
        let [likelier, other] = fold.means;
        a += fold.weight / total * (likelier - pool);
        d += fold.weight / total * (likelier - other);
    }
    // Centred g of a pair's two items.
    let (mut same, mut cross, mut apart) = (0.0, 0.0, 0.0);
    for pair in contrasts.by_pair(&folds) {
        let [likelier, other] = pair.centred;
        same += likelier * likelier / (total * total);
        cross += likelier * (likelier - other) / (total * total);
        apart += (likelier - other).powi(2) / (total * total);
    }
    // Fieller: (A − bD)² ≤ z²(var A − 2b cov + b² var D).
    let scale = two_sided(level).powi(2);
    let square = d * d - scale * apart;
    if square <= 0.0 || d == 0.0 {
        return says(
            None,
            "the scores do not tell the two piles apart, so the pool cannot be placed between them",
        );
    }
    let half = a * d - scale * cross;
    let rest = a * a - scale * (same + means.variance);
    let root = (half * half - square * rest).max(0.0).sqrt();
    let error = protocol.labeller_error();
    let [value, low, high] =
        [a / d, (half - root) / square, (half + root) / square].map(|b| error + (1.0 - 2.0 * error) * b);
    let interval = Interval { value, low, high, level };
    if high <= 0.0 || low >= 1.0 {
        return says(
            None,
            &format!(
                "the pool lies outside the two piles (prior {low:.3} to {high:.3}): it is not the one that these pairs \
                 were drawn from, or they were not collected by {protocol}"
            ),
        );
    }
    says(Some(interval.clipped(0.0, 1.0)), "the pool lies between the two piles, where this prior puts it")
}

/// The mean of g over the pool by each fold's model, from rows that the model was not trained on.
struct PoolMeans {
    of_fold: Vec<f64>,
    /// Of their mean over folds.
    variance: f64,
    uncompared: usize,
    /// Whether no row occurs in two comparisons.
    compared_once: bool,
}

impl PoolMeans {
    /// `None` if a fold has no such rows among the compared ones, or there is no pool.
    fn new(fit: &CrossFit<'_>, ranked: &Ranked, pool: &[u32]) -> Result<Option<Self>, Error> {
        let fold_of = |row: u32| fit.folds.of_item(row);
        let compared: std::collections::HashSet<u32> =
            fit.comparisons.iter().flat_map(|(a, b)| [a, b]).collect();
        let compared_once = compared.len() == 2 * fit.comparisons.answers();
        let mut pool = pool.to_vec();
        pool.sort_unstable();
        pool.dedup();
        let (uncompared, compared): (Vec<u32>, Vec<u32>) =
            pool.iter().partition(|&&row| fold_of(row).is_none());
        if pool.is_empty() {
            return Ok(None);
        }

        let maps = ranked.contrast_maps();
        let share = compared.len() as f64 / pool.len() as f64;
        let (mut of_fold, mut of_compared, mut of_uncompared) = (Vec::new(), 0.0, 0.0_f64);
        for (fold, (classifier, map)) in fit.classifiers.iter().zip(&maps).enumerate() {
            let contrast = |rows: &[u32]| -> Result<(f64, f64, f64), Error> {
                let scores = classifier.scores_of(fit.rows, rows)?;
                let values: Vec<f64> =
                    scores.iter().map(|score| map.at(ranked.rank(fold, *score))).collect();
                let (mean, deviation) = mean_and_deviation(&values);
                Ok((mean, deviation, values.len() as f64))
            };
            let clean: Vec<u32> =
                compared.iter().copied().filter(|row| fold_of(*row) == Some(fold)).collect();
            if clean.is_empty() && !compared.is_empty() {
                return Ok(None);
            }
            let mut mean = 0.0;
            if !compared.is_empty() {
                let (of_rows, deviation, count) = contrast(&clean)?;
                mean += share * of_rows;
                of_compared += (share * deviation).powi(2) / count;
            }
            if !uncompared.is_empty() {
                let (of_rows, deviation, count) = contrast(&uncompared)?;
                mean += (1.0 - share) * of_rows;
                of_uncompared = of_uncompared.max(((1.0 - share) * deviation).powi(2) / count);
            }
            of_fold.push(mean);
        }
        // Folds share the rows that were never compared, but not the compared ones.
        let variance = of_compared / (of_fold.len() as f64).powi(2) + of_uncompared;
        Ok(Some(Self { of_fold, variance, uncompared: uncompared.len(), compared_once }))
    }
}
