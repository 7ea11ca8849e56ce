//! How many comparisons are enough.
//!
//! [`Plan`]: for an interval of a wanted width. Given the labels, the two items of a comparison are called
//! independently, positive with probability TPR or FPR; with the joint of the labels P(y, y′ | recorded)
//! that gives the variances and the covariance that a single comparison adds to A₊ and A₋, and
//! n = (z/half-width)²·variance of the metric.
//!
//! [`Plan::range`]: what is left open where labellers may order equals by degree, and what pairs that are asked twice
//! take from it.
//!
//! [`LinearBound`]: the paper's Theorems 4 and 7, which bound how much worse than the best linear model the
//! trained one can be. They are always upper bounds, and large.

use super::distribution::Confidence;
use super::metrics::{Affine, Assumptions, Expected, FEWEST_AGAIN, Metric, Range};
use crate::error::Error;
use crate::prior::Prior;
use crate::protocol::{Collection, Protocol, softplus};
use crate::risk::{Loss, sigmoid};

/// How good the classifier is thought to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Assumed {
    /// Right with this probability in both classes.
    Accuracy(f64),
    /// Calls positives and negatives positive with these probabilities.
    Rates {
        /// P(called positive | positive).
        true_positive: f64,
        /// P(called positive | negative).
        false_positive: f64,
    },
}

/// What an interval is planned for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// The share of positives in the population.
    pub prior: Prior,
    /// How comparisons will be collected.
    pub protocol: Protocol,
    /// How good the classifier is thought to be.
    pub assumed: Assumed,
    /// How often the interval should hold the truth.
    pub level: f64,
}

impl Plan {
    /// The number of comparisons for which the interval of `metric` is the estimate ± `half_width`.
    pub fn comparisons(&self, metric: Metric, half_width: f64) -> Result<usize, Error> {
        if !(half_width > 0.0 && half_width.is_finite()) {
            return Err(Error::Setting {
                name: "the half-width of an interval",
                value: half_width.to_string(),
                allowed: "above 0",
            });
        }
        let errors = Confidence::new(self.level)?.errors;
        Ok(((errors / half_width).powi(2) * self.variance(metric)?).ceil() as usize)
    }

    /// The half-width to expect from a number of comparisons.
    pub fn half_width(&self, metric: Metric, comparisons: usize) -> Result<f64, Error> {
        let errors = Confidence::new(self.level)?.errors;
        Ok(errors * (self.variance(metric)? / comparisons.max(1) as f64).sqrt())
    }

    /// The range to expect for a metric where it is not known how labellers order equals, but they get at most a share
    /// of the mixed pairs wrong: from so many pairs, of which some are asked a second time. In truth equals are taken to
    /// be ordered by a coin, which is when asking again helps the most.
    ///
    /// A pair asked twice is one pair in both shares; its two answers have the mean product R.
    pub fn range(
        &self,
        metric: Metric,
        pairs: usize,
        asked_again: usize,
        error_at_most: f64,
    ) -> Result<Range, Error> {
        let stated = self.protocol.labeller_error();
        if error_at_most < stated {
            return Err(Error::Setting {
                name: "the largest labeller error",
                value: error_at_most.to_string(),
                allowed: "at least the labeller error itself",
            });
        }
        if asked_again > pairs {
            return Err(Error::Setting {
                name: "the number of pairs that are asked again",
                value: asked_again.to_string(),
                allowed: "at most the number of comparisons",
            });
        }
        let collection = self.protocol.collection();
        let ([t, f], Calls { shares, both }) = (self.rates()?, self.calls()?);
        let mixed = 2.0 * self.prior.positive() * self.prior.negative();
        let agreed = (1.0 - 2.0 * stated).powi(2) * mixed * (t * (1.0 - f) + f * (1.0 - t));
        let (once, twice) = ((pairs - asked_again) as f64, asked_again as f64);
        let answers = (once + twice + twice).max(1.0);
        let variances = shares.map(|share| share * (1.0 - share));
        let covariance = both - shares[0] * shares[1];
        // The difference of the calls varies from answer to answer, their mean only from pair to pair.
        let apart = shares[0] + shares[1] - 2.0 * both;
        let difference = shares[0] - shares[1];
        let single = apart - difference * difference;
        let of_both = 2.0 * (single + agreed - difference * difference);
        let of_difference = (once * single + twice * of_both) / (answers * answers);
        let by_pair = (once + 4.0 * twice) / (answers * answers);
        let of_mean = by_pair * 0.25 * (variances[0] + variances[1] + 2.0 * covariance);
        let crossed = by_pair * 0.5 * (variances[0] - variances[1]);
        let shared = of_mean - 0.25 * of_difference;
        let own = of_mean + 0.25 * of_difference;
        let counts = collection == Collection::ForcedChoice && asked_again >= FEWEST_AGAIN;
        let expected = Expected {
            shares,
            covariance: [[own + crossed, shared], [shared, own - crossed]],
            pairs: pairs as f64,
            agreed: counts.then(|| [agreed, ((apart - agreed * agreed) / twice.max(1.0)).sqrt()]),
        };
        // What follows from the labeller's own error is not known to whoever only has a bound on it.
        let assumptions = Assumptions::of_protocol(Protocol::new(collection, 0.0)?, self.prior)?;
        expected.range(metric, &assumptions, (collection, error_at_most), Confidence::new(self.level)?)
    }

    /// P(x called positive), P(x′ called positive), P(both).
    fn calls(&self) -> Result<Calls, Error> {
        let rates = self.rates()?;
        let joint = self.protocol.label_joint(self.prior);
        let expect = |of: &dyn Fn(usize, usize) -> f64| -> f64 {
            (0..2)
                .flat_map(|y| (0..2).map(move |z| (y, z)))
                .map(|(y, z)| joint[y][z] * of(y, z))
                .sum()
        };
        Ok(Calls {
            shares: [expect(&|y, _| rates[y]), expect(&|_, z| rates[z])],
            both: expect(&|y, z| rates[y] * rates[z]),
        })
    }

    /// The variance of the metric, times the number of comparisons.
    fn variance(&self, metric: Metric) -> Result<f64, Error> {
        let rates = self.rates()?;
        let Calls { shares, both } = self.calls()?;
        let covariance = both - shares[0] * shares[1];
        // d(N/D) = (dN − (N/D)·dD)/D.
        let [above, below] = metric.parts(&self.protocol.mixture(self.prior)?, self.prior);
        let divisor = below.at(shares);
        if divisor <= 0.0 {
            let allowed = "such that something is called positive";
            return Err(Error::Setting { name: "the assumed rates", value: format!("{rates:?}"), allowed });
        }
        let Affine { weights: [first, second], .. } =
            above.less(above.at(shares) / divisor, &below).times(1.0 / divisor);
        let variances = shares.map(|share| share * (1.0 - share));
        Ok(first * first * variances[0]
            + second * second * variances[1]
            + 2.0 * first * second * covariance)
    }

    /// [TPR, FPR].
    fn rates(&self) -> Result<[f64; 2], Error> {
        let rates = match self.assumed {
            Assumed::Accuracy(accuracy) => [accuracy, 1.0 - accuracy],
            Assumed::Rates { true_positive, false_positive } => [true_positive, false_positive],
        };
        match rates.into_iter().find(|rate| !(0.0..=1.0).contains(rate)) {
            Some(rate) => Err(Error::Setting {
                name: "an assumed rate or accuracy",
                value: rate.to_string(),
                allowed: "from 0 to 1",
            }),
            None => Ok(rates),
        }
    }
}

/// How often the items of a comparison are called positive.
struct Calls {
    shares: [f64; 2],
    both: f64,
}

/// Linear models w·x with ‖w‖ ≤ B on rows with ‖x‖ ≤ X, trained with a bounded loss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinearBound {
    /// n, the number of comparisons.
    pub comparisons: usize,
    /// B, the largest norm of the weights.
    pub weight_norm: f64,
    /// X, the largest norm of a row.
    pub row_norm: f64,
    /// λ: how fast the loss can change with the score.
    pub lipschitz: f64,
    /// C_ℓ, the largest loss that can occur.
    pub largest_loss: f64,
    /// δ, how often the bound may fail.
    pub failure: f64,
}

impl LinearBound {
    /// With λ and C_ℓ of a loss on the scores that can occur, |z| ≤ BX.
    pub fn of_loss(loss: Loss, comparisons: usize, weight_norm: f64, row_norm: f64, failure: f64) -> Self {
        let reach = weight_norm * row_norm;
        let (lipschitz, largest_loss) = match loss {
            Loss::Logistic => (1.0, softplus(reach)),
            Loss::Squared => (0.5 * (1.0 + reach), 0.25 * (1.0 + reach).powi(2)),
            Loss::Sigmoid => (0.25, sigmoid(reach)),
        };
        Self { comparisons, weight_norm, row_norm, lipschitz, largest_loss, failure }
    }

    /// Theorem 4, for Pcomp-Unbiased: with probability 1 − δ the trained model's risk exceeds the best
    /// one's by at most (1+π)4λR + (1+π₋)4λR + 6C_ℓ√(ln(8/δ)/2n), R = BX/√n.
    pub fn theorem_4(&self, prior: Prior, protocol: Protocol) -> Result<f64, Error> {
        self.check("the protocol of Theorem 4", protocol)?;
        let complexity = 4.0 * self.lipschitz * self.complexity();
        let classes = (1.0 + prior.positive()) + (1.0 + prior.negative());
        Ok(classes * complexity + 6.0 * self.deviation(8.0))
    }

    /// Theorem 7, for rank pruning, which needs classes that can be parted: Σ over the two sides of
    /// 2/(1−ρ)·(2λR + C_ℓ√(ln(4/δ)/2n)), for the risk that the paper's weights aim at (twice the one for
    /// the pooled prior).
    pub fn theorem_7(&self, prior: Prior, protocol: Protocol) -> Result<f64, Error> {
        self.check("the protocol of Theorem 7", protocol)?;
        let rates = protocol.mixture(prior)?.noise_rates();
        let side = |flip: f64| {
            2.0 / (1.0 - flip) * (2.0 * self.lipschitz * self.complexity() + self.deviation(4.0))
        };
        Ok(side(rates.flip_positive) + side(rates.flip_negative))
    }

    /// R ≤ BX/√n, the Rademacher complexity.
    fn complexity(&self) -> f64 {
        self.weight_norm * self.row_norm / (self.comparisons as f64).sqrt()
    }

    /// C_ℓ√(ln(k/δ)/2n).
    fn deviation(&self, events: f64) -> f64 {
        self.largest_loss * ((events / self.failure).ln() / (2.0 * self.comparisons as f64)).sqrt()
    }

    fn check(&self, name: &'static str, protocol: Protocol) -> Result<(), Error> {
        if protocol.collection() != Collection::Discard || protocol.labeller_error() > 0.0 {
            let allowed = "discard without labeller error, for which it is proved";
            return Err(Error::Setting { name, value: protocol.to_string(), allowed });
        }
        let (positive, unit) = ("above 0 and finite", "strictly between 0 and 1");
        for (name, value) in [
            ("the number of comparisons", self.comparisons as f64),
            ("the norm of the weights", self.weight_norm),
            ("the norm of the rows", self.row_norm),
            ("the Lipschitz constant", self.lipschitz),
            ("the largest loss", self.largest_loss),
        ] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(Error::Setting { name, value: value.to_string(), allowed: positive });
            }
        }
        if !(self.failure > 0.0 && self.failure < 1.0) {
            let value = self.failure.to_string();
            return Err(Error::Setting { name: "the probability of failure", value, allowed: unit });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Comparisons, Pile};
    use crate::estimate::metrics::{HeldOut, MetricOptions, metrics, ranges};
    use crate::random::{Purpose, chance, stream};

    const HALF: f64 = 0.04;

    #[test]
    fn the_planned_number_gives_the_planned_width() {
        for (prior, protocol) in [
            (0.2, Protocol::DISCARD),
            (0.5, Protocol::FORCED_CHOICE),
            (0.8, Protocol::new(Collection::ForcedChoice, 0.1).unwrap()),
            (0.3, Protocol::new(Collection::Discard, 0.05).unwrap()),
        ] {
            let prior = Prior::new(prior).unwrap();
            let (true_positive, false_positive) = (0.85, 0.1);
            let assumed = Assumed::Rates { true_positive, false_positive };
            let plan = Plan { prior, protocol, assumed, level: 0.95 };
            for metric in Metric::ALL {
                let pairs = plan.comparisons(metric, HALF).unwrap();
                assert!((plan.half_width(metric, pairs).unwrap() - HALF).abs() < 1e-3);
                let mut rng = stream(5, Purpose::Comparisons);
                let joint = protocol.label_joint(prior);
                let called = |rng: &mut _, positive: bool| {
                    let rate = if positive { true_positive } else { false_positive };
                    if chance(rng, rate) { 1.0_f32 } else { -1.0 }
                };
                let (likelier, other): (Vec<f32>, Vec<f32>) = (0..pairs)
                    .map(|_| {
                        let first = chance(&mut rng, joint[0][0] + joint[0][1]);
                        let row = joint[usize::from(!first)];
                        let second = chance(&mut rng, row[0] / (row[0] + row[1]));
                        (called(&mut rng, first), called(&mut rng, second))
                    })
                    .unzip();
                let held_out = HeldOut::pairs(&likelier, &other).unwrap();
                let known = Assumptions::of_protocol(protocol, prior).unwrap();
                let found = metrics(&held_out, &known, &MetricOptions::default()).unwrap();
                let interval = found.of(metric).unwrap();
                let width = interval.width() / 2.0;
                assert!((width / HALF - 1.0).abs() < 0.12, "{metric:?} at {prior} {protocol}: {width}");
            }
        }
    }

    #[test]
    fn a_lower_contrast_needs_more_comparisons() {
        let plan = |prior, protocol| Plan {
            prior: Prior::new(prior).unwrap(),
            protocol,
            assumed: Assumed::Accuracy(0.9),
            level: 0.95,
        };
        let pairs = |plan: Plan| plan.comparisons(Metric::BalancedAccuracy, 0.05).unwrap();
        let noisy = Protocol::new(Collection::ForcedChoice, 0.2).unwrap();
        assert!(pairs(plan(0.5, Protocol::FORCED_CHOICE)) < pairs(plan(0.5, Protocol::DISCARD)));
        assert!(pairs(plan(0.5, Protocol::FORCED_CHOICE)) < pairs(plan(0.5, noisy)));
        assert!(pairs(plan(0.5, Protocol::FORCED_CHOICE)) < pairs(plan(0.1, Protocol::FORCED_CHOICE)));
        // A half as wide interval takes four times as many.
        let (wide, narrow) = (
            plan(0.3, Protocol::DISCARD).comparisons(Metric::Accuracy, 0.1).unwrap(),
            plan(0.3, Protocol::DISCARD).comparisons(Metric::Accuracy, 0.05).unwrap(),
        );
        assert!((narrow as f64 / wide as f64 - 4.0).abs() < 0.05);
    }

    #[test]
    fn impossible_plans_are_refused() {
        let plan = Plan {
            prior: Prior::new(0.5).unwrap(),
            protocol: Protocol::DISCARD,
            assumed: Assumed::Accuracy(1.2),
            level: 0.95,
        };
        assert!(
            plan.comparisons(Metric::Accuracy, 0.1)
                .unwrap_err()
                .to_string()
                .contains("got 1.2")
        );
        let nothing = Plan { assumed: Assumed::Rates { true_positive: 0.0, false_positive: 0.0 }, ..plan };
        assert!(nothing.comparisons(Metric::Precision, 0.1).is_err());
        let good = Plan { assumed: Assumed::Accuracy(0.9), ..plan };
        for bad in [0.0, -0.1, f64::NAN] {
            assert!(good.comparisons(Metric::Accuracy, bad).is_err());
        }
        assert!(Plan { level: 1.0, ..good }.comparisons(Metric::Accuracy, 0.1).is_err());
    }

    /// The mean ends of the accuracy's range over simulated comparisons.
    fn simulated(
        plan: &Plan,
        [t, f]: [f64; 2],
        pairs: usize,
        again: usize,
        error_at_most: f64,
    ) -> [f64; 2] {
        let known = Assumptions::of_protocol(Protocol::FORCED_CHOICE, plan.prior).unwrap();
        let times = 30;
        let mut ends = [0.0; 2];
        for seed in 0..times {
            let mut rng = stream(seed, Purpose::Comparisons);
            let (mut asked, mut calls) = (Vec::new(), Vec::new());
            for pair in 0..pairs as u32 {
                let labels = [0, 1].map(|_| chance(&mut rng, plan.prior.positive()));
                calls.extend(labels.map(|positive| {
                    if chance(&mut rng, if positive { t } else { f }) { 1.0_f32 } else { -1.0 }
                }));
                for _ in 0..if (pair as usize) < again { 2 } else { 1 } {
                    let ahead = match labels {
                        [true, false] => 1.0 - plan.protocol.labeller_error(),
                        [false, true] => plan.protocol.labeller_error(),
                        _ => 0.5,
                    };
                    let (one, two) = (2 * pair, 2 * pair + 1);
                    asked.push(if chance(&mut rng, ahead) { (one, two) } else { (two, one) });
                }
            }
            let comparisons: Comparisons = asked.into_iter().collect();
            let scores = Pile::BOTH.map(|pile| {
                comparisons
                    .piles()
                    .rows(pile)
                    .iter()
                    .map(|row| calls[*row as usize])
                    .collect::<Vec<f32>>()
            });
            let held_out = HeldOut::pairs(&scores[0], &scores[1]).unwrap().of(&comparisons).unwrap();
            let collection = Collection::ForcedChoice;
            let found =
                ranges(&held_out, &known, collection, error_at_most, &MetricOptions::default()).unwrap();
            ends[0] += found.accuracy.low_end.low / times as f64;
            ends[1] += found.accuracy.high_end.high / times as f64;
        }
        ends
    }

    #[test]
    fn asking_again_narrows_the_range_as_planned() {
        let (t, f) = (0.85, 0.2);
        for (prior, error, most, pairs, again) in [
            (0.5, 0.0, 0.02, 1000, 0),
            (0.5, 0.0, 0.02, 1000, 300),
            (0.3, 0.03, 0.05, 2000, 200),
            (0.5, 0.1, 0.2, 1000, 300),
            (0.4, 0.0, 0.0, 600, 600),
        ] {
            let protocol = Protocol::new(Collection::ForcedChoice, error).unwrap();
            let assumed = Assumed::Rates { true_positive: t, false_positive: f };
            let plan = Plan { prior: Prior::new(prior).unwrap(), protocol, assumed, level: 0.95 };
            let found = plan.range(Metric::Accuracy, pairs, again, most).unwrap();
            let planned = [found.low_end.low, found.high_end.high];
            let seen = simulated(&plan, [t, f], pairs, again, most);
            for end in 0..2 {
                assert!((planned[end] - seen[end]).abs() < 0.02, "{planned:?} is not {seen:?}");
            }
        }
    }

    #[test]
    fn asking_again_helps_under_a_small_bound_and_not_under_a_large_one() {
        let plan = Plan {
            prior: Prior::new(0.5).unwrap(),
            protocol: Protocol::FORCED_CHOICE,
            assumed: Assumed::Accuracy(0.85),
            level: 0.95,
        };
        let gained = |most: f64| {
            let low = |again| plan.range(Metric::Accuracy, 2000, again, most).unwrap().low_end.low;
            low(500) - low(0)
        };
        assert!(gained(0.02) > 0.03, "{}", gained(0.02));
        assert!(gained(0.2).abs() < 0.01, "{}", gained(0.2));
        let few = plan.range(Metric::Accuracy, 2000, 29, 0.02).unwrap();
        assert!(few.low_end.low <= plan.range(Metric::Accuracy, 2000, 0, 0.02).unwrap().low_end.low + 1e-3);
        let discard = Plan { protocol: Protocol::DISCARD, ..plan };
        assert!(discard.range(Metric::Accuracy, 2000, 0, 0.05).unwrap().width() > 0.0);
        for (pairs, again, most) in [(100, 101, 0.1), (100, 10, 0.5), (100, 10, -0.1)] {
            assert!(plan.range(Metric::Accuracy, pairs, again, most).is_err());
        }
        let erring = Plan { protocol: Protocol::new(Collection::ForcedChoice, 0.1).unwrap(), ..plan };
        assert!(erring.range(Metric::Accuracy, 100, 0, 0.05).is_err());
    }

    fn bound() -> LinearBound {
        LinearBound::of_loss(Loss::Logistic, 10_000, 2.0, 1.5, 0.05)
    }

    #[test]
    fn theorems_4_and_7_as_printed() {
        let prior = Prior::new(0.2).unwrap();
        let complexity = 2.0 * 1.5 / 100.0;
        let largest = (1.0 + 3.0_f64.exp()).ln();
        let first = 1.2 * 4.0 * complexity
            + 1.8 * 4.0 * complexity
            + 6.0 * largest * (160.0_f64.ln() / 20_000.0).sqrt();
        assert!((bound().theorem_4(prior, Protocol::DISCARD).unwrap() - first).abs() < 1e-12);
        let (flip, flip_negative) = (0.2 / 1.2, 0.8 / 1.8);
        let inner = 2.0 * complexity + largest * (80.0_f64.ln() / 20_000.0).sqrt();
        let second = 2.0 / (1.0 - flip) * inner + 2.0 / (1.0 - flip_negative) * inner;
        assert!((bound().theorem_7(prior, Protocol::DISCARD).unwrap() - second).abs() < 1e-12);
    }

    #[test]
    fn bounds_shrink_with_the_root_of_the_number_of_comparisons() {
        let prior = Prior::new(0.7).unwrap();
        let four = LinearBound { comparisons: 40_000, ..bound() };
        for theorem in [LinearBound::theorem_4, LinearBound::theorem_7] {
            let value = |bound: &LinearBound| theorem(bound, prior, Protocol::DISCARD).unwrap();
            assert!((value(&bound()) / value(&four) - 2.0).abs() < 1e-12);
        }
    }

    #[test]
    fn a_bound_is_refused_where_it_is_not_proved() {
        let prior = Prior::new(0.5).unwrap();
        let noisy = Protocol::new(Collection::Discard, 0.1).unwrap();
        for theorem in [LinearBound::theorem_4, LinearBound::theorem_7] {
            let message = theorem(&bound(), prior, Protocol::FORCED_CHOICE).unwrap_err().to_string();
            assert!(message.contains("got forced-choice") && message.contains("discard without"));
            assert!(theorem(&bound(), prior, noisy).is_err());
            for bad in [
                LinearBound { comparisons: 0, ..bound() },
                LinearBound { row_norm: f64::NAN, ..bound() },
                LinearBound { failure: 1.0, ..bound() },
                LinearBound { largest_loss: f64::INFINITY, ..bound() },
            ] {
                assert!(theorem(&bad, prior, Protocol::DISCARD).is_err(), "{bad:?}");
            }
        }
    }

    #[test]
    fn the_constants_of_every_loss_hold_on_its_scores() {
        let reach = 3.0;
        for loss in Loss::ALL {
            let bound = LinearBound::of_loss(loss, 100, 2.0, 1.5, 0.1);
            let grid = (-300..=300).map(|k| loss.at(f64::from(k) / 300.0 * reach));
            let (mut steepest, mut largest) = (0.0_f64, 0.0_f64);
            for at in grid {
                steepest = at.slope.iter().fold(steepest, |most, slope| most.max(slope.abs()));
                largest = at.value.iter().fold(largest, |most, value| most.max(*value));
            }
            assert!(steepest <= bound.lipschitz + 1e-12 && steepest > 0.9 * bound.lipschitz, "{loss:?}");
            assert!((largest - bound.largest_loss).abs() < 1e-12, "{loss:?}");
        }
    }
}
