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
mod tests;
