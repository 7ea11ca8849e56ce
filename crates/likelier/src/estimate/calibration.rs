//! From scores to probabilities, and whether these are right, without labels.
//!
//! The map σ(a·s + b) that minimises the unbiased logistic risk of held-out comparisons. Since
//! ℓ(z, −1) = ℓ(z, +1) + z, that risk is
//!
//! R(a, b) = Σ_pile mean of r_pile·ln(1 + e^z) − C(pile, +1)·z,  z = a·s + b,
//!
//! with C the table of [`RiskTable::unbiased`] and r its row sums, the weights that make the population
//! out of the piles: E_population ln(1 + e^z) minus a term that is linear in a and b. It is convex when
//! both weights are not negative, and its minimum matches two moments of the population: the mean
//! probability is π, and the mean of probability × score is π times the positives' mean score.

use std::fmt;

use serde::Serialize;

use super::Interval;
use super::distribution::Confidence;
use super::metrics::{Assumptions, HeldOut, Metric, Spread, at_threshold, ratio_at_threshold};
use crate::error::Error;
use crate::model::ProbabilityMap;
use crate::risk::{RiskTable, sigmoid};

/// A map from scores to probabilities, and how it was found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Calibration {
    /// The map.
    pub map: ProbabilityMap,
    /// Why only the offset was fitted, if so.
    pub shifted_only: Option<ShiftedOnly>,
}

/// Why the slope was left at 1, the score taken for log-odds but for a shift.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ShiftedOnly {
    /// All scores are equal.
    EqualScores,
    /// The fit wants a slope that is not positive.
    Flat,
    /// The fit wants an ever steeper slope.
    Steep,
    /// One population weight is negative and the risk has no minimum nearby.
    NotConvex,
}

impl fmt::Display for ShiftedOnly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::EqualScores => "all scores are equal, so no slope can be fitted",
            Self::Flat => "in these comparisons a higher score is no sign of a positive",
            Self::Steep => {
                "in these comparisons the scores seem to separate the classes completely, so no slope is steep \
                 enough"
            }
            Self::NotConvex => {
                "the labeller errs more often than the rarer class occurs, and the risk has no minimum to find"
            }
        })
    }
}

/// A slope, in standard deviations of the scores, that parts classes completely.
const STEEPEST: f64 = 50.0;

/// Fits σ(a·s + b) to held-out comparisons.
///
/// When that fails only b is fitted, with a = 1, so that the mean probability in the population is π.
pub fn calibrate(held_out: &HeldOut<'_>, assumptions: &Assumptions) -> Calibration {
    let terms = Terms::new(held_out, assumptions);
    let fitted = terms.fit();
    let (slope, offset) = match fitted {
        Ok([slope, offset]) => (slope / terms.deviation, offset - slope * terms.centre / terms.deviation),
        Err(_) => (1.0, terms.shift(assumptions.prior().positive())),
    };
    let map = ProbabilityMap { slope: slope as f32, offset: offset as f32 };
    Calibration { map, shifted_only: fitted.err() }
}

/// The risk, in scores of mean 0 and deviation 1.
struct Terms {
    /// (standardised score, weight in the population).
    points: Vec<(f64, f64)>,
    centre: f64,
    deviation: f64,
    /// What the derivatives by slope and offset must match: π times the positives' mean score, and π.
    targets: [f64; 2],
}

impl Terms {
    fn new(held_out: &HeldOut<'_>, assumptions: &Assumptions) -> Self {
        let count = held_out.iter().count() as f64;
        let centre = held_out.iter().map(|(_, _, score)| f64::from(score)).sum::<f64>() / count;
        let squares: f64 = held_out.iter().map(|(_, _, score)| (f64::from(score) - centre).powi(2)).sum();
        let deviation = (squares / count).sqrt();
        let table = RiskTable::unbiased(assumptions.mixture(), assumptions.prior()).0;
        let mut totals = [0.0; 2];
        for (pile, at, _) in held_out.iter() {
            totals[pile] += held_out.weight(at);
        }
        let mut targets = [0.0; 2];
        let points = held_out
            .iter()
            .map(|(pile, at, score)| {
                let standard = (f64::from(score) - centre) / if deviation > 0.0 { deviation } else { 1.0 };
                let share = held_out.weight(at) / totals[pile];
                targets[0] += table[pile][0] * share * standard;
                targets[1] += table[pile][0] * share;
                (standard, (table[pile][0] + table[pile][1]) * share)
            })
            .collect();
        Self { points, centre, deviation, targets }
    }

    /// Newton's method on slope and offset, each step halved until the risk falls.
    fn fit(&self) -> Result<[f64; 2], ShiftedOnly> {
        // Closer together than this, they would need a slope that a model file cannot hold.
        if self.deviation < 1e-30 {
            return Err(ShiftedOnly::EqualScores);
        }
        let mut at = [1.0, 0.0];
        let mut here = self.risk(at);
        for _ in 0..100 {
            let Some(step) = here.newton_step() else {
                // A convex risk loses its curvature only where all probabilities are 0 or 1.
                let convex = self.points.iter().all(|(_, weight)| *weight >= 0.0);
                return Err(if convex { ShiftedOnly::Steep } else { ShiftedOnly::NotConvex });
            };
            // Where the logistic curve is nearly straight a full step may be far too long.
            let longest = step[0].abs().max(step[1].abs());
            let mut length = (4.0 / longest.max(1.0)).min(1.0);
            let mut next = at;
            let mut found = here;
            while length > 1e-10 {
                next = [at[0] - length * step[0], at[1] - length * step[1]];
                found = self.risk(next);
                // Near the minimum, rounding of a long sum decides which is lower.
                if found.value <= here.value + 1e-11 {
                    break;
                }
                length *= 0.5;
            }
            let moved = (next[0] - at[0]).abs().max((next[1] - at[1]).abs());
            (at, here) = (next, found);
            if at[0].abs().max(at[1].abs()) > STEEPEST {
                return Err(if at[0] > 0.0 { ShiftedOnly::Steep } else { ShiftedOnly::Flat });
            }
            if moved < 1e-9 || length <= 1e-10 {
                break;
            }
        }
        if at[0] > 1e-3 { Ok(at) } else { Err(ShiftedOnly::Flat) }
    }

    fn risk(&self, [slope, offset]: [f64; 2]) -> Risk {
        let mut risk = Risk {
            value: -slope * self.targets[0] - offset * self.targets[1],
            gradient: self.targets.map(|target| -target),
            hessian: [0.0; 3],
        };
        for &(score, weight) in &self.points {
            let z = slope * score + offset;
            let probability = sigmoid(z);
            let curvature = weight * probability * (1.0 - probability);
            risk.value += weight * crate::protocol::softplus(z);
            risk.gradient[0] += weight * probability * score;
            risk.gradient[1] += weight * probability;
            risk.hessian[0] += curvature * score * score;
            risk.hessian[1] += curvature * score;
            risk.hessian[2] += curvature;
        }
        risk
    }

    /// The offset at which the mean of σ(score + offset) in the population is π, by bisection: the mean
    /// runs from 0 to 1, so it is π somewhere.
    fn shift(&self, prior: f64) -> f64 {
        let spread = if self.deviation > 0.0 { self.deviation } else { 1.0 };
        let mean = |offset: f64| -> f64 {
            let probability = |score: f64| sigmoid(score * spread + self.centre + offset);
            self.points.iter().map(|(score, weight)| weight * probability(*score)).sum()
        };
        let largest = self.points.iter().fold(0.0_f64, |most, (score, _)| most.max(score.abs()));
        let reach = largest * spread + self.centre.abs() + 40.0;
        let (mut low, mut high) = (-reach, reach);
        for _ in 0..100 {
            let middle = f64::midpoint(low, high);
            if mean(middle) < prior { low = middle } else { high = middle }
        }
        f64::midpoint(low, high)
    }
}

#[derive(Clone, Copy)]
struct Risk {
    value: f64,
    gradient: [f64; 2],
    /// Second derivatives: slope twice, slope and offset, offset twice.
    hessian: [f64; 3],
}

impl Risk {
    /// H⁻¹g, if H is positive definite.
    fn newton_step(&self) -> Option<[f64; 2]> {
        let [slopes, mixed, offsets] = self.hessian;
        let determinant = slopes * offsets - mixed * mixed;
        // Relative to its parts, or a steep fit's small curvature would count as none.
        if !(slopes > 0.0 && offsets > 0.0 && determinant > 1e-12 * slopes * offsets) {
            return None;
        }
        let [by_slope, by_offset] = self.gradient;
        Some([
            (offsets * by_slope - mixed * by_offset) / determinant,
            (slopes * by_offset - mixed * by_slope) / determinant,
        ])
    }
}

/// A range of predicted probabilities, and the share of positives really found there.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CalibrationBin {
    /// The bin holds predictions from here,
    pub from: f64,
    /// to below here (the last bin includes 1).
    pub to: f64,
    /// How many scores of the likelier and of the other pile fall into it.
    pub counts: [usize; 2],
    /// The mean of what was predicted there; none for an empty bin.
    pub predicted: Option<f64>,
    /// The share of positives there, unclipped; none when it cannot be told that anything is there.
    pub positive: Option<Interval>,
    /// The share of the population that falls into the bin, unclipped.
    pub population: Interval,
}

/// The calibration curve: bins of equal width over the predicted probability.
///
/// In each bin, the share of positives is what [`Metric::Precision`] is above a threshold: the same
/// algebra on "falls into the bin" in place of "called positive".
pub fn calibration_curve(
    held_out: &HeldOut<'_>,
    assumptions: &Assumptions,
    map: &ProbabilityMap,
    bins: usize,
    level: f64,
) -> Result<Vec<CalibrationBin>, Error> {
    if !(1..=1000).contains(&bins) {
        return Err(Error::Setting {
            name: "the number of bins",
            value: bins.to_string(),
            allowed: "from 1 to 1000",
        });
    }
    let confidence = Confidence::new(level)?;
    let predicted: Vec<(usize, usize, f64)> = held_out
        .iter()
        .map(|(pile, at, score)| (pile, at, f64::from(map.of(score))))
        .collect();
    let bin_of = |probability: f64| ((probability * bins as f64) as usize).min(bins - 1);
    let mut members: Vec<Vec<(usize, usize, f64)>> = vec![Vec::new(); bins];
    for one in predicted {
        members[bin_of(one.2)].push(one);
    }
    let bin = |(bin, members): (usize, &Vec<(usize, usize, f64)>)| {
        let mut spread = Spread::new(held_out);
        let mut counts = [0; 2];
        for &(pile, at, _) in members {
            spread.add(pile, at, 1.0);
            counts[pile] += 1;
        }
        let inside = spread.means();
        let mean = members.iter().map(|one| one.2).sum::<f64>() / members.len() as f64;
        CalibrationBin {
            from: bin as f64 / bins as f64,
            to: (bin + 1) as f64 / bins as f64,
            counts,
            predicted: (!members.is_empty()).then_some(mean),
            positive: (!members.is_empty())
                .then(|| ratio_at_threshold(Metric::Precision, &inside, assumptions, confidence))
                .flatten(),
            population: at_threshold(Metric::CalledPositive, &inside, assumptions, confidence),
        }
    };
    Ok(members.iter().enumerate().map(bin).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{ChaCha8Rng, Purpose, chance, stream, unit};
    use crate::{Collection, Mixture, Prior, Protocol};

    fn normal(rng: &mut ChaCha8Rng) -> f64 {
        (-2.0 * (1.0 - unit(rng)).ln()).sqrt() * (2.0 * std::f64::consts::PI * unit(rng)).cos()
    }

    /// Two loose piles of scores that are `scale`·N(±1, 1): true log-odds are 2·score/scale + logit π.
    fn piles(mixture: &Mixture, size: usize, scale: f64) -> [Vec<f32>; 2] {
        let mut rng = stream(11, Purpose::Comparisons);
        mixture.shares().map(|share| {
            (0..size)
                .map(|_| {
                    let centre = if chance(&mut rng, share) { 1.0 } else { -1.0 };
                    (scale * (centre + normal(&mut rng))) as f32
                })
                .collect()
        })
    }

    #[test]
    fn the_map_finds_the_true_log_odds() {
        for (prior, protocol) in [
            (0.2, Protocol::DISCARD),
            (0.5, Protocol::FORCED_CHOICE),
            (0.8, Protocol::new(Collection::ForcedChoice, 0.1).unwrap()),
            (0.3, Protocol::new(Collection::Discard, 0.1).unwrap()),
        ] {
            let prior = Prior::new(prior).unwrap();
            let mixture = protocol.mixture(prior).unwrap();
            for scale in [0.01, 1.0, 30.0] {
                let [likelier, other] = piles(&mixture, 60_000, scale);
                let held_out = HeldOut::loose(&likelier, &other).unwrap();
                let found = calibrate(&held_out, &Assumptions::known(mixture, prior));
                assert_eq!(found.shifted_only, None);
                let offset = (prior.positive() / prior.negative()).ln();
                let slope = f64::from(found.map.slope) * scale;
                assert!((slope - 2.0).abs() < 0.25, "{slope} at {prior} under {protocol}");
                assert!((f64::from(found.map.offset) - offset).abs() < 0.2, "{:?}", found.map);
            }
        }
    }

    #[test]
    fn a_fit_without_minimum_only_shifts_and_says_why() {
        let prior = Prior::new(0.3).unwrap();
        let known = |mixture| Assumptions::known(mixture, prior);
        let mean_is_prior = |found: &Calibration, scores: [&[f32]; 2], mixture: &Mixture| {
            let mean = |scores: &[f32]| {
                scores.iter().map(|score| f64::from(found.map.of(*score))).sum::<f64>()
                    / scores.len() as f64
            };
            let [a, b] = mixture.population_weights(prior);
            assert!((a * mean(scores[0]) + b * mean(scores[1]) - 0.3).abs() < 1e-4, "{found:?}");
        };
        // Pure piles, parted completely.
        let pure = Mixture::new(1.0, 0.0).unwrap();
        let (high, low) = ([2.0_f32, 3.0, 2.5, 4.0, 5.0, 2.0, 3.0, 2.5, 4.0, 5.0], [-1.0_f32; 10]);
        let found = calibrate(&HeldOut::pairs(&high, &low).unwrap(), &known(pure));
        assert_eq!(found.shifted_only, Some(ShiftedOnly::Steep));
        mean_is_prior(&found, [&high, &low], &pure);
        // The same the wrong way round.
        let found = calibrate(&HeldOut::pairs(&low, &high).unwrap(), &known(pure));
        assert_eq!(found.shifted_only, Some(ShiftedOnly::Flat));
        mean_is_prior(&found, [&low, &high], &pure);
        let found = calibrate(&HeldOut::pairs(&low, &low).unwrap(), &known(pure));
        assert_eq!(found.shifted_only, Some(ShiftedOnly::EqualScores));
        assert!((found.map.of(-1.0) - 0.3).abs() < 1e-6);
        assert_eq!(found.map.slope, 1.0);
    }

    #[test]
    fn a_calibration_curve_holds_the_truth_and_its_shares_sum_to_one() {
        let prior = Prior::new(0.4).unwrap();
        let mixture = Protocol::FORCED_CHOICE.mixture(prior).unwrap();
        let [likelier, other] = piles(&mixture, 20_000, 1.0);
        let held_out = HeldOut::loose(&likelier, &other).unwrap();
        let offset = (prior.positive() / prior.negative()).ln() as f32;
        let right = ProbabilityMap { slope: 2.0, offset };
        let known = Assumptions::known(mixture, prior);
        let curve = calibration_curve(&held_out, &known, &right, 10, 0.999).unwrap();
        assert_eq!(curve.iter().map(|bin| bin.counts[0]).sum::<usize>(), 20_000);
        assert!((curve.iter().map(|bin| bin.population.value).sum::<f64>() - 1.0).abs() < 1e-9);
        let weighted = |bin: &CalibrationBin| bin.population.value * bin.positive.unwrap().value;
        assert!((curve.iter().map(weighted).sum::<f64>() - 0.4).abs() < 1e-9, "the bins' positives are π");
        for bin in &curve {
            let (predicted, found) = (bin.predicted.unwrap(), bin.positive.unwrap());
            assert!(bin.from <= predicted && predicted <= bin.to);
            assert!(found.holds(predicted), "{bin:?}");
        }
        // Too sure of itself by twice: the curve shows it at both ends.
        let steep = ProbabilityMap { slope: 6.0, offset: 3.0 * offset };
        let curve = calibration_curve(&held_out, &known, &steep, 10, 0.95).unwrap();
        assert!(curve[1].positive.unwrap().low > curve[1].predicted.unwrap());
        assert!(curve[8].positive.unwrap().high < curve[8].predicted.unwrap());
        assert!(calibration_curve(&held_out, &known, &right, 0, 0.95).is_err());
    }

    #[test]
    fn an_empty_bin_has_no_positives_to_speak_of() {
        let scores = [5.0_f32; 10];
        let held_out = HeldOut::pairs(&scores, &scores).unwrap();
        let prior = Prior::new(0.5).unwrap();
        let known = Assumptions::of_protocol(Protocol::DISCARD, prior).unwrap();
        let curve = calibration_curve(&held_out, &known, &ProbabilityMap::plain(0.0), 4, 0.95).unwrap();
        assert_eq!((curve[0].predicted, curve[0].positive, curve[0].counts), (None, None, [0, 0]));
        assert_eq!(curve[3].counts, [10, 10]);
    }
}
