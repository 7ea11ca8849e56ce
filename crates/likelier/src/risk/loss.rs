//! Losses ℓ(z, ±1) of a score z, with their derivatives.

use serde::{Deserialize, Serialize};

use crate::numerics::math::{exp_of_negative, ln_1p_of_unit};

/// A binary loss. All three are finite, with finite derivatives, for any score up to 10⁴ in size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Loss {
    /// ln(1 + e^{−yz}): the paper's, and the default.
    #[default]
    Logistic,
    /// ¼(1 − yz)².
    Squared,
    /// 1/(1 + e^{yz}).
    Sigmoid,
}

/// A loss at one score, for both labels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LossAt {
    /// [ℓ(z, +1), ℓ(z, −1)].
    pub value: [f64; 2],
    /// [dℓ(z, +1)/dz, dℓ(z, −1)/dz].
    pub slope: [f64; 2],
}

impl Loss {
    /// All losses.
    pub const ALL: [Self; 3] = [Self::Logistic, Self::Squared, Self::Sigmoid];

    /// The loss and its derivative at a score, for both labels at once: they share the exponential.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "only inlined code is compiled for the wider vectors")]
    pub fn at(self, score: f64) -> LossAt {
        match self {
            Self::Logistic => {
                let small = exp_of_negative(-score.abs());
                let tail = ln_1p_of_unit(small);
                let positive_probability = if score < 0.0 { small } else { 1.0 } / (1.0 + small);
                LossAt {
                    value: [tail - score.min(0.0), tail + score.max(0.0)],
                    slope: [positive_probability - 1.0, positive_probability],
                }
            }
            Self::Squared => {
                let (short, over) = (1.0 - score, 1.0 + score);
                LossAt {
                    value: [0.25 * short * short, 0.25 * over * over],
                    slope: [-0.5 * short, 0.5 * over],
                }
            }
            Self::Sigmoid => {
                let (rising, falling) = (sigmoid(score), sigmoid(-score));
                let steepness = rising * falling;
                LossAt { value: [falling, rising], slope: [-steepness, steepness] }
            }
        }
    }
}

/// σ(z) = 1/(1 + e^{−z}).
#[inline(always)]
#[allow(clippy::inline_always, reason = "only inlined code is compiled for the wider vectors")]
pub fn sigmoid(z: f64) -> f64 {
    let small = exp_of_negative(-z.abs());
    let top = if z < 0.0 { small } else { 1.0 };
    top / (1.0 + small)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn slopes_are_central_differences(score in -30.0..30.0) {
            let step = 1e-5;
            for loss in Loss::ALL {
                let (low, at, high) = (loss.at(score - step), loss.at(score), loss.at(score + step));
                for label in 0..2 {
                    let difference = (high.value[label] - low.value[label]) / (2.0 * step);
                    prop_assert!((at.slope[label] - difference).abs() < 1e-8, "{loss:?} at {score}");
                }
            }
        }

        #[test]
        fn exchanging_the_label_is_turning_the_score(score in -1e4..1e4) {
            for loss in Loss::ALL {
                let (at, turned) = (loss.at(score), loss.at(-score));
                prop_assert!((at.value[0] - turned.value[1]).abs() <= 1e-12 * at.value[0].max(1.0));
                prop_assert!((at.slope[0] + turned.slope[1]).abs() <= 1e-12 * at.slope[0].abs().max(1.0));
            }
        }

        #[test]
        fn the_convex_losses_differ_by_the_score(score in -1e4..1e4) {
            for loss in [Loss::Logistic, Loss::Squared] {
                let at = loss.at(score);
                let size = at.value[0].max(at.value[1]).max(1.0);
                prop_assert!((at.value[1] - at.value[0] - score).abs() <= 1e-12 * size, "{loss:?}");
            }
        }
    }

    #[test]
    fn every_loss_is_finite_and_not_negative_far_out() {
        for loss in Loss::ALL {
            for score in [-1e4, -745.2, -709.8, -37.0, 0.0, 37.0, 709.8, 745.2, 1e4] {
                let at = loss.at(score);
                assert!(at.value.iter().chain(&at.slope).all(|x| x.is_finite()), "{loss:?} at {score}");
                assert!(at.value.iter().all(|x| *x >= 0.0), "{loss:?} at {score}: {:?}", at.value);
            }
        }
    }

    #[test]
    fn losses_have_their_known_values() {
        let at = Loss::Logistic.at(0.0);
        assert!((at.value[0] - std::f64::consts::LN_2).abs() < 1e-15);
        assert_eq!(at.slope, [-0.5, 0.5]);
        assert_eq!(Loss::Squared.at(1.0).value, [0.0, 1.0]);
        assert_eq!(Loss::Sigmoid.at(0.0).value, [0.5, 0.5]);
        // ln(1 + e^{−40}), where 1 + e^{−40} itself rounds to 1.
        assert!((Loss::Logistic.at(40.0).value[0] / (-40_f64).exp() - 1.0).abs() < 1e-12);
    }
}
