//! How a comparison came to be, and everything that follows from it in closed form.
//!
//! Random pairs (x, x′) are drawn from the population, and a labeller decides what becomes of them. All
//! of that is one 2×2 **acceptance matrix** w(y, y′): the probability that an ordered draw with true
//! labels y, y′ is recorded as "x is likelier than x′".
//!
//! | protocol | w(+,+) | w(+,−) | w(−,+) | w(−,−) |
//! |---|---|---|---|---|
//! | discard (Theorem 1 of the paper) | 1 | 1−ε | ε | 1 |
//! | forced choice | ½ | 1−ε | ε | ½ |
//!
//! With the class prior π it gives T = Σ π_y π_y′ w(y, y′), the joint of the labels in a recorded
//! comparison π_y π_y′ w(y, y′)/T, and its margins: the shares of positives θ₊ and θ₋ in the two piles
//! (Theorem 2), called [`Mixture`] here. A mixture in turn gives its inverse (Lemma 1), the weights that
//! make the population out of the piles, and the [`NoiseRates`] of Theorem 5.
//!
//! Matrices are indexed `[first][second]` with 0 for the likelier pile or the positive class and 1 for
//! the other pile or the negative class.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::data::Pile;
use crate::error::Error;
use crate::numerics::math::{exp_of_negative, ln_1p_of_unit};
use crate::prior::Prior;

/// What happens to a pair that was drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Collection {
    /// The paper's: an ordered pair is dropped when its labels are (−, +), kept in its order otherwise.
    Discard,
    /// Any "click the likelier one" page: every pair is kept; same-class pairs land in random order.
    ForcedChoice,
}

impl Collection {
    /// Both ways to collect.
    pub const ALL: [Self; 2] = [Self::Discard, Self::ForcedChoice];

    /// The name used in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Discard => "discard",
            Self::ForcedChoice => "forced-choice",
        }
    }
}

impl fmt::Display for Collection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Collection {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        Error::find_by_name("protocol", text, &Self::ALL, |collection| vec![collection.name()])
    }
}

/// A collection protocol: what happens to a drawn pair, and how often the labeller errs on mixed pairs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Protocol {
    #[serde(rename = "protocol")]
    collection: Collection,
    labeller_error: f64,
}

/// A protocol as a file has it.
#[derive(Deserialize)]
struct Unchecked {
    protocol: Collection,
    labeller_error: f64,
}

impl TryFrom<Unchecked> for Protocol {
    type Error = Error;

    fn try_from(read: Unchecked) -> Result<Self, Error> {
        Self::new(read.protocol, read.labeller_error)
    }
}

impl Protocol {
    /// A protocol whose labeller gets a mixed pair wrong with probability ε in [0, ½).
    pub fn new(collection: Collection, labeller_error: f64) -> Result<Self, Error> {
        if (0.0..0.5).contains(&labeller_error) {
            Ok(Self { collection, labeller_error })
        } else {
            Err(Error::LabellerError { value: labeller_error })
        }
    }

    /// The paper's protocol, without labeller error.
    pub const DISCARD: Self = Self { collection: Collection::Discard, labeller_error: 0.0 };

    /// Forced choice, without labeller error.
    pub const FORCED_CHOICE: Self = Self { collection: Collection::ForcedChoice, labeller_error: 0.0 };

    /// What happens to a pair that was drawn.
    pub fn collection(&self) -> Collection {
        self.collection
    }

    /// ε, the labeller's error on mixed pairs.
    pub fn labeller_error(&self) -> f64 {
        self.labeller_error
    }

    /// w(y, y′), the probability that an ordered draw with these labels is recorded in this order.
    pub fn acceptance(&self) -> [[f64; 2]; 2] {
        let same = match self.collection {
            Collection::Discard => 1.0,
            Collection::ForcedChoice => 0.5,
        };
        [[same, 1.0 - self.labeller_error], [self.labeller_error, same]]
    }

    /// T, the probability that an ordered draw is recorded in its order.
    pub fn recorded_in_order(&self, prior: Prior) -> f64 {
        self.weighted_labels(prior).as_flattened().iter().sum()
    }

    /// The share of drawn pairs that end up as a comparison, in whichever order.
    pub fn kept_share(&self, prior: Prior) -> f64 {
        match self.collection {
            Collection::Discard => self.recorded_in_order(prior),
            Collection::ForcedChoice => 1.0,
        }
    }

    /// P(y, y′ | recorded): the joint of the true labels in a recorded comparison.
    pub fn label_joint(&self, prior: Prior) -> [[f64; 2]; 2] {
        let total = self.recorded_in_order(prior);
        self.weighted_labels(prior).map(|row| row.map(|cell| cell / total))
    }

    /// Theorem 2: the shares of positives in the two piles.
    pub fn mixture(&self, prior: Prior) -> Result<Mixture, Error> {
        let [[both, first], [second, _]] = self.label_joint(prior);
        Mixture::new(both + first, both + second)
    }

    /// π_y π_y′ w(y, y′).
    fn weighted_labels(&self, prior: Prior) -> [[f64; 2]; 2] {
        let class = [prior.positive(), prior.negative()];
        let accept = self.acceptance();
        [0, 1].map(|y| [0, 1].map(|y_other| class[y] * class[y_other] * accept[y][y_other]))
    }

    /// P(y = + | recorded, x, x′) for the two items of a comparison, from their log-odds.
    ///
    /// With ε = 0 under discard and p = σ(score) this is p/Z and pp′/Z, Z = 1 − (1−p)p′.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "only inlined code is compiled for the wider vectors")]
    pub fn label_posterior(&self, likelier: f64, other: f64) -> [f64; 2] {
        // Beyond this a probability and its complement would multiply to 0.
        const FARTHEST: f64 = 300.0;
        let accept = self.acceptance();
        let [first, second] = [likelier, other].map(|score| {
            let score = score.clamp(-FARTHEST, FARTHEST);
            let small = exp_of_negative(-score.abs());
            let (near, far) = (1.0 / (1.0 + small), small / (1.0 + small));
            if score < 0.0 { [far, near] } else { [near, far] }
        });
        let cell = |y: usize, y_other: usize| first[y] * second[y_other] * accept[y][y_other];
        let (both, only, swapped, neither) = (cell(0, 0), cell(0, 1), cell(1, 0), cell(1, 1));
        let total = both + only + swapped + neither;
        [(both + only) / total, (both + swapped) / total]
    }

    /// The orientation likelihood L(p, p′)/(L(p, p′) + L(p′, p)): how probable it is that a pair known to
    /// be recorded was recorded in this order, from the log-odds of its two items.
    #[doc(hidden)]
    pub fn orientation(&self, likelier: f64, other: f64) -> Orientation {
        let recorded = self.evidence(likelier, other);
        let reversed = self.evidence(other, likelier);
        let [surprise, of_reversed] = softplus_both_ways(reversed.log_likelihood - recorded.log_likelihood);
        let reversed_share = exp_of_negative(-of_reversed);
        // d ln L / d score is the label posterior, so the gradient is a difference of two posteriors.
        let gradient = [
            reversed_share * (recorded.posterior[0] - reversed.posterior[1]),
            reversed_share * (recorded.posterior[1] - reversed.posterior[0]),
        ];
        Orientation { log_probability: -surprise, gradient }
    }

    /// ln L(p, p′) up to a term that both orders share, and the posterior of the two labels.
    ///
    /// Written in log-odds: P(y)P(y′) is proportional to e^{score·[y=+] + score′·[y′=+]}, which stays
    /// exact where probabilities have long become 0 or 1.
    fn evidence(&self, likelier: f64, other: f64) -> OrderOdds {
        let exponents = [[likelier + other, likelier], [other, 0.0]];
        let accept = self.acceptance();
        // The largest exponent of a cell that can occur; with ε = 0 one cannot.
        let mut largest = f64::NEG_INFINITY;
        for (exponent, accept) in exponents.as_flattened().iter().zip(accept.as_flattened()) {
            if *accept > 0.0 {
                largest = largest.max(*exponent);
            }
        }
        let cell = |y: usize, y_other: usize| match accept[y][y_other] {
            0.0 => 0.0,
            accept => accept * exp_of_negative(exponents[y][y_other] - largest),
        };
        let (both, first, second, neither) = (cell(0, 0), cell(0, 1), cell(1, 0), cell(1, 1));
        let total = both + first + second + neither;
        OrderOdds {
            log_likelihood: largest + total.ln(),
            posterior: [(both + first) / total, (both + second) / total],
        }
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.collection.fmt(f)?;
        if self.labeller_error > 0.0 {
            write!(f, " with {} labeller error", self.labeller_error)?;
        }
        Ok(())
    }
}

struct OrderOdds {
    log_likelihood: f64,
    posterior: [f64; 2],
}

/// The orientation likelihood of one comparison.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Orientation {
    /// Its logarithm; ln ½ for two equal scores.
    pub log_probability: f64,
    /// The derivative of the logarithm by the likelier and by the other item's score.
    pub gradient: [f64; 2],
}

/// ln(1 + e^z) without overflow.
pub(crate) fn softplus(z: f64) -> f64 {
    softplus_both_ways(z)[0]
}

/// ln(1 + e^z) and ln(1 + e^−z).
#[inline]
fn softplus_both_ways(z: f64) -> [f64; 2] {
    let rest = ln_1p_of_unit(exp_of_negative(-z.abs()));
    [z.max(0.0) + rest, (-z).max(0.0) + rest]
}

/// The shares of positives in the two piles: θ₊ in the likelier one, θ₋ in the other.
///
/// ```
/// use likelier::{Prior, Protocol};
///
/// let prior = Prior::new(0.5)?;
/// let mixture = Protocol::FORCED_CHOICE.mixture(prior)?;
/// assert_eq!(mixture.shares(), [0.75, 0.25]);
/// assert_eq!(mixture.contrast(), 0.5);
/// # Ok::<(), likelier::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Mixture {
    likelier: f64,
    other: f64,
}

impl Mixture {
    /// Any two different shares in [0, 1] (unlabelled–unlabelled learning, "UU").
    pub fn new(likelier: f64, other: f64) -> Result<Self, Error> {
        for (pile, value) in [(Pile::Likelier, likelier), (Pile::Other, other)] {
            if !(0.0..=1.0).contains(&value) {
                return Err(Error::PileShare { pile, value });
            }
        }
        // Closer than this, rounding is all that parts them.
        if (likelier - other).abs() < 1e-12 {
            return Err(Error::ZeroContrast { share: likelier });
        }
        Ok(Self { likelier, other })
    }

    /// Positive–unlabelled learning: one pile of positives, one drawn from the population.
    pub fn positive_unlabelled(prior: Prior) -> Result<Self, Error> {
        Self::new(1.0, prior.positive())
    }

    /// Similar–unlabelled learning: one pile of rows from same-class pairs, one from the population.
    ///
    /// At π = ½ the two are alike and nothing can be learned.
    pub fn similar_unlabelled(prior: Prior) -> Result<Self, Error> {
        let (positive, negative) = (prior.positive().powi(2), prior.negative().powi(2));
        Self::new(positive / (positive + negative), prior.positive())
    }

    /// The mixture behind two equally large piles with given flip rates: the inverse of
    /// [`Mixture::noise_rates`].
    pub fn from_flip_rates(positive: f64, negative: f64) -> Result<Self, Error> {
        let pooled = (0.5 - negative) / (1.0 - positive - negative);
        Self::new(2.0 * pooled * (1.0 - positive), 2.0 * pooled * positive)
    }

    /// θ of one pile.
    pub fn share(&self, pile: Pile) -> f64 {
        match pile {
            Pile::Likelier => self.likelier,
            Pile::Other => self.other,
        }
    }

    /// [θ₊, θ₋].
    pub fn shares(&self) -> [f64; 2] {
        [self.likelier, self.other]
    }

    /// Δ = θ₊ − θ₋: how much the piles tell; never 0.
    pub fn contrast(&self) -> f64 {
        self.likelier - self.other
    }

    /// (θ₊ + θ₋)/2: the share of positives when equally large piles are thrown together.
    pub fn pooled_prior(&self) -> Result<Prior, Error> {
        Prior::new(f64::midpoint(self.likelier, self.other))
    }

    /// M: what the piles are made of, `[pile][class]`.
    pub fn matrix(&self) -> [[f64; 2]; 2] {
        [[self.likelier, 1.0 - self.likelier], [self.other, 1.0 - self.other]]
    }

    /// Lemma 1 for any mixture: M⁻¹, what the classes are made of, `[class][pile]`.
    pub fn inverse(&self) -> [[f64; 2]; 2] {
        let contrast = self.contrast();
        [
            [(1.0 - self.other) / contrast, -(1.0 - self.likelier) / contrast],
            [-self.other / contrast, self.likelier / contrast],
        ]
    }

    /// [a, b] with p = a·p̃₊ + b·p̃₋: the population as a combination of the piles.
    ///
    /// Under discard one of them is negative when the labeller errs more often than the rarer class occurs.
    pub fn population_weights(&self, prior: Prior) -> [f64; 2] {
        let contrast = self.contrast();
        [(prior.positive() - self.other) / contrast, (self.likelier - prior.positive()) / contrast]
    }

    /// Theorem 5 for any mixture: the piles seen as noisy labels.
    pub fn noise_rates(&self) -> NoiseRates {
        let pooled = self.likelier + self.other;
        NoiseRates {
            flip_positive: self.other / pooled,
            flip_negative: (1.0 - self.likelier) / (2.0 - pooled),
            wrong_likelier: 1.0 - self.likelier,
            wrong_other: self.other,
        }
    }
}

/// The piles seen as noisy labels (Theorem 5), for piles of equal size.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct NoiseRates {
    /// ρ₊ = P(other pile | y = +1).
    pub flip_positive: f64,
    /// ρ₋ = P(likelier pile | y = −1).
    pub flip_negative: f64,
    /// φ₊ = P(y = −1 | likelier pile).
    pub wrong_likelier: f64,
    /// φ₋ = P(y = +1 | other pile).
    pub wrong_other: f64,
}
