//! Corrections g of the two columns of a risk, Eq. (7) of the paper.
//!
//! A column estimates π·E₊[ℓ(f, +1)] or π₋·E₋[ℓ(f, −1)], which cannot be negative; its estimate can.

use serde::{Deserialize, Serialize};

/// What is done to a column of the risk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Correction {
    /// g(z) = z.
    #[default]
    None,
    /// g(z) = max(0, z).
    Relu,
    /// g(z) = |z|.
    Abs,
}

impl Correction {
    /// g(z).
    pub fn value(self, column: f64) -> f64 {
        match self {
            Self::None => column,
            Self::Relu => column.max(0.0),
            Self::Abs => column.abs(),
        }
    }

    /// g′(z), with g′(0) = 0 at the kinks, as in PyTorch: comparable runs need the same choice.
    pub fn slope(self, column: f64) -> f64 {
        match self {
            Self::None => 1.0,
            Self::Relu => f64::from(u8::from(column > 0.0)),
            Self::Abs if column > 0.0 => 1.0,
            Self::Abs if column < 0.0 => -1.0,
            Self::Abs => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_are_fixed_on_both_sides_and_at_the_kink() {
        let slopes = |correction: Correction| [-2.0, -0.0, 0.0, 2.0].map(|z| correction.slope(z));
        assert_eq!(slopes(Correction::None), [1.0, 1.0, 1.0, 1.0]);
        assert_eq!(slopes(Correction::Relu), [0.0, 0.0, 0.0, 1.0]);
        assert_eq!(slopes(Correction::Abs), [-1.0, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn values_are_never_negative_once_corrected() {
        for z in [-3.0, -1e-300, 0.0, 1e-300, 3.0] {
            assert_eq!(Correction::None.value(z), z);
            assert_eq!(Correction::Relu.value(z), if z > 0.0 { z } else { 0.0 });
            assert_eq!(Correction::Abs.value(z), z.abs());
        }
    }
}
