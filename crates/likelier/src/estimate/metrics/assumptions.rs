//! What is taken as known about the piles, and what follows for an estimate.
//!
//! An estimate is affine in the two means of the piles, m = c + w·(ū, v̄), or a ratio of two such, with c
//! and w given by the [`Mixture`] and the [`Prior`].
//!
//! - Affine: m ± z·√(wᵀΣw).
//! - Ratio N/D: all r for which N − r·D cannot be told from 0, (N − rD)² ≤ z²·Var(N − rD) (Fieller). It
//!   needs no small relative error in D, and has no end when D itself cannot be told from 0.
//! - With an estimated prior, θ₊, θ₋ and π move together. Var(π) = ((high − low)/2z)² is taken from the
//!   prior's interval, dm/dπ is a central difference, and Var(π)·(dm/dπ)² is added. The prior is
//!   thereby taken to be independent of the held-out comparisons: true when it comes from others (or from the
//!   share kept), nearly so otherwise.

use super::spread::{PileMeans, bilinear, quadratic};
use crate::error::Error;
use crate::estimate::Interval;
use crate::estimate::distribution::Confidence;
use crate::prior::Prior;
use crate::protocol::{Mixture, Protocol};

/// The shares of positives in the piles and in the population, known or estimated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Assumptions {
    here: Point,
    estimated: Option<Estimated>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Point {
    mixture: Mixture,
    prior: Prior,
}

/// How far the prior may be off, and what the piles would be a little below and above it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Estimated {
    standard_error: f64,
    below: Point,
    above: Point,
}

impl Assumptions {
    /// Any mixture (discard, forced choice, UU, PU, …) and a prior that are known.
    pub fn known(mixture: Mixture, prior: Prior) -> Self {
        Self { here: Point { mixture, prior }, estimated: None }
    }

    /// A protocol and a prior that are known.
    pub fn of_protocol(protocol: Protocol, prior: Prior) -> Result<Self, Error> {
        Ok(Self::known(protocol.mixture(prior)?, prior))
    }

    /// A prior that was estimated, and how the piles follow from it, such as `|π| protocol.mixture(π)`.
    pub fn estimated(
        prior: &Interval,
        mixture: impl Fn(Prior) -> Result<Mixture, Error>,
    ) -> Result<Self, Error> {
        let point = |value: f64| -> Result<Point, Error> {
            let prior = Prior::new(value)?;
            Ok(Point { mixture: mixture(prior)?, prior })
        };
        let here = point(prior.value)?;
        let standard_error = prior.width() / (2.0 * Confidence::new(prior.level)?.errors);
        if !(standard_error.is_finite() && standard_error >= 0.0) {
            return Err(Error::Setting {
                name: "the width of the prior's interval",
                value: prior.width().to_string(),
                allowed: "finite and not negative",
            });
        }
        let step = 1e-5 * here.prior.positive().min(here.prior.negative());
        let (below, above) = (point(prior.value - step)?, point(prior.value + step)?);
        Ok(Self { here, estimated: Some(Estimated { standard_error, below, above }) })
    }

    /// The shares of positives in the piles.
    pub fn mixture(&self) -> &Mixture {
        &self.here.mixture
    }

    /// The share of positives in the population.
    pub fn prior(&self) -> Prior {
        self.here.prior
    }

    /// The share of positives in the population, and its standard error: 0 where it is known.
    pub(super) fn believed_prior(&self) -> (f64, f64) {
        (self.here.prior.positive(), self.estimated.map_or(0.0, |near| near.standard_error))
    }

    /// A quantity, and how far one standard error of the prior moves it.
    pub(in crate::estimate) fn with_shift(&self, of: impl Fn(&Mixture, Prior) -> f64) -> (f64, f64) {
        let at = |point: &Point| of(&point.mixture, point.prior);
        let shift = self.estimated.map_or(0.0, |near| {
            let apart = near.above.prior.positive() - near.below.prior.positive();
            near.standard_error * (at(&near.above) - at(&near.below)) / apart
        });
        (at(&self.here), shift)
    }

    /// An affine estimate with its interval. `spread` is what the interval is drawn from: the means
    /// themselves, or [smoothed](PileMeans::smoothed).
    pub(in crate::estimate) fn affine(
        &self,
        means: &PileMeans,
        spread: &PileMeans,
        of: impl Fn(&Mixture, Prior) -> Affine,
        confidence: Confidence,
    ) -> Interval {
        let (value, shift) = self.with_shift(|mixture, prior| of(mixture, prior).at(means.means));
        let here = of(&self.here.mixture, self.here.prior);
        let variance = quadratic(&spread.covariance_along(here.weights), here.weights) + shift * shift;
        let (centre, half) = (here.at(spread.means), confidence.errors * variance.max(0.0).sqrt());
        around(value, centre - half, centre + half, confidence.level)
    }

    /// A ratio of two affine estimates, which should be positive below; none if that cannot be told.
    pub(in crate::estimate) fn ratio(
        &self,
        means: &PileMeans,
        spread: &PileMeans,
        of: impl Fn(&Mixture, Prior) -> [Affine; 2],
        confidence: Confidence,
    ) -> Option<Interval> {
        let part =
            |which: usize| self.with_shift(|mixture, prior| of(mixture, prior)[which].at(means.means));
        let [(above, shift_above), (below, shift_below)] = [part(0), part(1)];
        let [numerator, denominator] = of(&self.here.mixture, self.here.prior);
        let value = above / below;
        let along = numerator.less(value, &denominator).weights;
        let covariance = spread.covariance_along(along);
        let variances = [
            quadratic(&covariance, numerator.weights) + shift_above.powi(2),
            bilinear(&covariance, numerator.weights, denominator.weights) + shift_above * shift_below,
            quadratic(&covariance, denominator.weights) + shift_below.powi(2),
        ];
        let centre = [numerator.at(spread.means), denominator.at(spread.means)];
        let range = (below > 0.0 && centre[1] > 0.0)
            .then(|| fieller(centre, variances, confidence.errors))
            .flatten();
        range.map(|[low, high]| around(value, low, high, confidence.level))
    }
}

/// A range with its estimate, which it always holds.
fn around(value: f64, low: f64, high: f64, level: f64) -> Interval {
    Interval { value, low: low.min(value), high: high.max(value), level }
}

/// All r with (N − rD)² ≤ z²·Var(N − rD), from Var N, Cov(N, D) and Var D; none if that has no end.
fn fieller([above, below]: [f64; 2], variances: [f64; 3], errors: f64) -> Option<[f64; 2]> {
    let square = errors * errors;
    let [first, middle, last] = [
        below * below - square * variances[2],
        above * below - square * variances[1],
        above * above - square * variances[0],
    ];
    // Rounding alone can take the root below 0, at a variance of 0.
    let root = (middle * middle - first * last).max(0.0).sqrt();
    (first > 0.0).then(|| [(middle - root) / first, (middle + root) / first])
}

/// c + w·(ū, v̄).
#[derive(Clone, Copy, Debug)]
pub(in crate::estimate) struct Affine {
    pub(in crate::estimate) constant: f64,
    pub(in crate::estimate) weights: [f64; 2],
}

impl Affine {
    pub(in crate::estimate) fn at(&self, means: [f64; 2]) -> f64 {
        self.constant + self.weights[0] * means[0] + self.weights[1] * means[1]
    }

    pub(in crate::estimate) fn linear(weights: [f64; 2]) -> Self {
        Self { constant: 0.0, weights }
    }

    /// This plus a constant.
    pub(in crate::estimate) fn plus(self, constant: f64) -> Self {
        Self { constant: self.constant + constant, ..self }
    }

    pub(in crate::estimate) fn times(self, factor: f64) -> Self {
        Self { constant: factor * self.constant, weights: self.weights.map(|weight| factor * weight) }
    }

    /// This − `factor`·`other`.
    pub(in crate::estimate) fn less(self, factor: f64, other: &Self) -> Self {
        let weight = |pile: usize| self.weights[pile] - factor * other.weights[pile];
        Self { constant: self.constant - factor * other.constant, weights: [weight(0), weight(1)] }
    }
}
