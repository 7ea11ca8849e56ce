//! The configuration we would defend, for a method, a model and some data.
//!
//! What stands behind the numbers is in `reproduce/runs/2026-11-16-pair-methods`.

use super::Data;
use super::config::{Config, Criterion, EarlyStop, Predictor};
use super::settling::FEWEST_STEPS;
use crate::data::Pile;
use crate::model::{Architecture, Scaling, ScalingKind};
use crate::prior::Prior;
use crate::protocol::Protocol;
use crate::risk::{Method, ThresholdRule};

/// More rows in a batch would not make steps better.
const MOST_ROWS: usize = 1 << 13;
/// Numbers of a batch, which is gone over twice.
const CACHED_NUMBERS: usize = 1 << 18;
/// From fewer comparisons a tenth is none.
const FEWEST_TO_STOP_BY: usize = 10;
/// Batches after which a network that infers labels has learnt what it will. Beyond, at skewed priors, it loses
/// accuracy again (`reproduce/runs/2026-11-16-posterior-epochs`).
const ENOUGH_BATCHES: usize = 2_400;
/// Steps after which weights of words have settled.
const STEPS_FOR_WORDS: usize = 2_000;
/// With fewer, the level that fits the training rows does not fit others, and the prior's quantile does better.
const FEWEST_TO_TRUST_THE_LEVEL: usize = 500;

impl Config {
    /// The configuration we would defend; for the paper's methods and the oracle, the plain one.
    ///
    /// The methods that use the pair predict with averaged weights. Networks hold a tenth of the comparisons
    /// out to stop by; where they infer labels, they have the fewer epochs the more comparisons there are.
    /// Linear models use all comparisons and are shrunk instead, in proportion to how much their features vary
    /// and to how few comparisons there are.
    pub fn recommended(
        method: Method,
        architecture: Architecture,
        prior: Prior,
        protocol: Protocol,
        data: &Data<'_>,
    ) -> Self {
        let linear = architecture == Architecture::Linear;
        let plain = Self {
            architecture,
            learning_rate: if linear { 1e-2 } else { 1e-3 },
            ..Self::new(method, prior, protocol)
        };
        if !method.needs_pairs() {
            return plain;
        }
        let comparisons = data.piles.answers();
        let stops_early = !linear && comparisons >= FEWEST_TO_STOP_BY;
        let early_stop = EarlyStop { share: 0.1, criterion: Criterion::Orientation, patience: Some(5) };
        let cuts_at_the_prior = Self::cuts_at_the_prior(method, comparisons);
        let scaling = ScalingKind::default_for(data.rows);
        let config = Self {
            early_stop: stops_early.then_some(early_stop),
            predictor: Predictor::Teacher,
            warm_up_epochs: 20,
            weight_decay: if linear { shrinkage(method, scaling, data) } else { plain.weight_decay },
            threshold: cuts_at_the_prior.then_some(ThresholdRule::PriorQuantile),
            ..plain
        };
        if linear || method != Method::PairPosterior {
            return config;
        }
        let batches = (2 * comparisons).div_ceil(config.batch_rows).max(1);
        let epochs = (ENOUGH_BATCHES / batches).clamp(20, config.epochs.max(20));
        config.with_epochs(epochs)
    }

    /// The same with another scaling, and shrunk accordingly. Where words count by how rare they are, epochs are so many
    /// that weights can settle (`reproduce/runs/2026-11-18-words`).
    #[must_use]
    pub fn scaled(self, kind: ScalingKind, data: &Data<'_>) -> Self {
        let shrunk = self.architecture == Architecture::Linear && self.method.needs_pairs();
        let weight_decay = if shrunk { shrinkage(self.method, kind, data) } else { self.weight_decay };
        let batches = (2 * data.piles.answers()).div_ceil(self.batch_rows).max(1);
        let enough = if kind == ScalingKind::InverseFrequency { STEPS_FOR_WORDS / batches } else { 0 };
        Self { scaling: Some(kind), weight_decay, epochs: self.epochs.max(enough), ..self }
    }

    /// The same for who need not train for a fixed number of epochs: a linear model stops when its weights have settled,
    /// and its batches grow with the comparisons, so that there are always enough steps in an epoch and never many more.
    /// Batches that are stated stay as they are.
    #[must_use]
    pub fn until_settled(self, data: &Data<'_>, batch_rows: Option<usize>) -> Self {
        let linear = self.architecture == Architecture::Linear;
        let grown = if linear { grown_batch(data).max(self.batch_rows) } else { self.batch_rows };
        Self { settles: linear, batch_rows: batch_rows.unwrap_or(grown), ..self }
    }

    /// Whether the threshold is the prior's quantile, because so few comparisons do not tell the level.
    pub(crate) fn cuts_at_the_prior(method: Method, comparisons: usize) -> bool {
        method == Method::PairPosterior && comparisons < FEWEST_TO_TRUST_THE_LEVEL
    }

    /// The weight decay of a linear model whose features have this variance together.
    pub(crate) fn shrinkage(method: Method, variance: f64, comparisons: f64) -> f64 {
        let strength = if method == Method::RankQuantile { 0.2 } else { 0.1 };
        two_digits(strength * variance / comparisons.max(1.0))
    }

    /// The same for another number of epochs, of which at most half are warm-up.
    #[must_use]
    pub fn with_epochs(self, epochs: usize) -> Self {
        Self { epochs, warm_up_epochs: self.warm_up_epochs.min((epochs / 2).max(1)), ..self }
    }
}

/// Rows of a batch of which an epoch has about a thousand, or more where it would not stay in the processor's cache.
fn grown_batch(data: &Data<'_>) -> usize {
    let rows = Pile::BOTH.iter().map(|pile| data.piles.rows(*pile).len()).sum::<usize>();
    let numbers = match data.rows.as_sparse() {
        Some(sparse) => sparse.entries() / sparse.len().max(1),
        None => data.rows.width(),
    };
    let most = (CACHED_NUMBERS / numbers.max(1)).min(MOST_ROWS);
    let wanted = (rows / FEWEST_STEPS).min(most);
    // A power of two, as a number that is easily told.
    wanted.checked_ilog2().map_or(0, |power| 1 << power)
}

/// The weight decay for a linear model: the variance of all its features for each comparison, times a number
/// that served four data sets. `RankNet`, which never saturates, wants more.
fn shrinkage(method: Method, scaling: ScalingKind, data: &Data<'_>) -> f64 {
    let piles = Pile::BOTH.map(|pile| data.piles.rows(pile));
    // Rows that are not there are refused when training starts, with a better message.
    if data.piles.check(data.rows.len()).is_err() {
        return 0.0;
    }
    let variance = Scaling::fit(scaling, data.rows, &piles).total_variance(data.rows, &piles);
    Config::shrinkage(method, variance, data.piles.answers() as f64)
}

/// A number that is easily told to others; nothing hangs on the rest of its digits.
fn two_digits(value: f64) -> f64 {
    // By way of text, which has no digits but those written.
    format!("{value:.1e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::two_digits;

    #[test]
    fn two_digits_are_kept() {
        for (value, kept) in
            [(0.000_833_3, 0.000_83), (0.003, 0.003), (12.6, 13.0), (0.0999, 0.1), (0.0, 0.0)]
        {
            assert_eq!(two_digits(value), kept);
        }
    }
}
