//! The two ends of a metric's range at one threshold, each with its sampling error.
//!
//! The ends are functions of A₊, A₋, R and π ([`super::bracket`]). Their sampling error: with g the gradient and Σ
//! the covariance, an end is looked up anew at the point that lies z standard errors along Σg, which follows its
//! curvature where a straight line would not. Where two bounds meet, an end bends, and no one direction is the worst: so
//! it is looked up all around the ellipse of A₊ and A₋ as well, which adds nothing where it is straight. W enters under a
//! root, which no straight line follows; so it is taken at its upper limit from the start.

use super::asked_again::PairSeen;
use super::bracket::{ENDS, FindEnd, Rates, Seen};
use super::held_out::HeldOut;
use super::ranges::{Range, Setting, agreement, tied};
use super::spread::{PileMeans, Spread, quadratic};
use crate::estimate::Interval;
use crate::estimate::distribution::Confidence;
use crate::prior::Prior;

/// What moves an end: A₊, A₋, R and π.
type Point = [f64; 4];

/// Everything that is seen at one threshold.
pub(super) struct SeenAt<'a> {
    pub(super) setting: &'a Setting<'a>,
    pub(super) tied_apart: f64,
    pub(super) again: bool,
    /// As it is, and with one success and one failure more.
    pub(super) raw: Point,
    pub(super) smooth: Point,
    pub(super) shares: PileMeans,
    /// Standard errors of R and π.
    pub(super) errors: [f64; 2],
}

impl<'a> SeenAt<'a> {
    pub(super) fn new(
        held_out: &HeldOut<'_>,
        pairs: &[PairSeen],
        threshold: f32,
        again: bool,
        setting: &'a Setting<'a>,
    ) -> Self {
        let means = Spread::of(held_out, |_, _, score| f64::from(u8::from(score > threshold)));
        let shares = means.smoothed();
        let apart = |pair: &PairSeen| pair.scores[0] <= threshold && pair.scores[1] > threshold;
        let (agreed, error) = agreement(pairs, |pair| f64::from(u8::from(apart(pair))));
        let (prior, prior_error) = setting.assumptions.believed_prior();
        let point = |shares: [f64; 2]| [shares[0], shares[1], agreed, prior];
        Self {
            setting,
            tied_apart: tied(pairs, apart),
            again,
            raw: point(means.means),
            smooth: point(shares.means),
            shares,
            errors: [error, prior_error],
        }
    }

    fn found(&self, end: FindEnd, [first, second, agreed, prior]: Point) -> Found {
        let design = self.setting.design(prior);
        let seen = Seen {
            shares: [first, second].map(|share| share.clamp(0.0, 1.0)),
            tied_apart: self.tied_apart,
            agreed: self.again.then_some(agreed),
            same_item: self.setting.same_item(),
        };
        (end(&design, &seen), design.prior)
    }
}

/// The rates at an end, and the prior for which they were found.
type Found = (Rates, Prior);

/// The two ends at one threshold, looked up where every metric needs them.
pub(super) struct AtThreshold<'a> {
    seen: SeenAt<'a>,
    ends: [End; 2],
}

/// One end at every point that is the same for all metrics.
struct End {
    find: FindEnd,
    raw: Found,
    /// One step up and one down along each of A₊, A₋, R and π, and the step; none where nothing is uncertain.
    moved: [Option<(Found, Found, f64)>; 4],
    /// Around the ellipse of A₊ and A₋.
    around: Vec<Found>,
}

impl<'a> AtThreshold<'a> {
    pub(super) fn new(seen: SeenAt<'a>) -> Self {
        let ends = ENDS.map(|find| End::new(find, &seen));
        Self { seen, ends }
    }

    pub(super) fn range(&self, metric: impl Fn(Rates, Prior) -> f64) -> Range {
        let [lowest, highest] = &self.ends;
        let interval = |end: &End| end.interval(&self.seen, |&(rates, prior)| metric(rates, prior));
        Range::sorted(interval(lowest), interval(highest))
    }
}

impl End {
    fn new(find: FindEnd, seen: &SeenAt<'_>) -> Self {
        let variances = seen.shares.covariance_along([1.0, -1.0]);
        let spreads = [variances[0][0].sqrt(), variances[1][1].sqrt(), seen.errors[0], seen.errors[1]];
        let moved = std::array::from_fn(|at| {
            // Half a standard error to either side: a bend closer by is felt, rounding is not.
            let step = (0.5 * spreads[at]).max(1e-6);
            let moved = |by: f64| {
                let mut point = seen.smooth;
                point[at] += by;
                seen.found(find, point)
            };
            (spreads[at] > 0.0).then(|| (moved(step), moved(-step), step))
        });
        // The ellipse, by the root of the covariance.
        let first = variances[0][0].max(0.0).sqrt();
        let slant = if first > 0.0 { variances[1][0] / first } else { 0.0 };
        let second = (variances[1][1] - slant * slant).max(0.0).sqrt();
        let around = |step: u32| {
            let (sine, cosine) = (std::f64::consts::TAU * f64::from(step) / f64::from(AROUND)).sin_cos();
            let errors = seen.setting.confidence.errors;
            let [one, two, agreed, prior] = seen.smooth;
            let point = [
                one + errors * first * cosine,
                two + errors * (slant * cosine + second * sine),
                agreed,
                prior,
            ];
            seen.found(find, point)
        };
        Self { find, raw: seen.found(find, seen.raw), moved, around: (0..AROUND).map(around).collect() }
    }

    /// A metric at this end, with its sampling error.
    fn interval(&self, seen: &SeenAt<'_>, of: impl Fn(&Found) -> f64) -> Interval {
        let value = of(&self.raw);
        let gradient: [f64; 4] = std::array::from_fn(|at| {
            self.moved[at]
                .as_ref()
                .map_or(0.0, |(up, down, step)| (of(up) - of(down)) / (2.0 * step))
        });
        let along = [gradient[0], gradient[1]];
        let covariance = seen.shares.covariance_along(along);
        let rest = [gradient[2] * seen.errors[0].powi(2), gradient[3] * seen.errors[1].powi(2)];
        let variance = quadratic(&covariance, along) + gradient[2] * rest[0] + gradient[3] * rest[1];
        let Confidence { level, errors, .. } = seen.setting.confidence;
        let stride = if variance > 0.0 { errors / variance.sqrt() } else { 0.0 };
        let column = |row: usize| covariance[row][0] * along[0] + covariance[row][1] * along[1];
        let direction = [column(0), column(1), rest[0], rest[1]];
        let at = |sign: f64| {
            let point = std::array::from_fn(|at| seen.smooth[at] + sign * stride * direction[at]);
            of(&seen.found(self.find, point))
        };
        let looked = [at(-1.0), at(1.0)].into_iter().chain(self.around.iter().map(&of));
        let (low, high) = looked.fold((value, value), |(low, high), end| (end.min(low), end.max(high)));
        Interval { value, low, high, level }
    }
}

/// Directions in which an end is looked up.
const AROUND: u32 = 16;
