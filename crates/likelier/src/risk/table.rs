//! One 2×2 table for every pointwise estimator of the paper.
//!
//! R = Σ_pile E_pile[C(pile, +1)·ℓ(f, +1) + C(pile, −1)·ℓ(f, −1)]. With M = `Mixture::matrix`, the
//! table is unbiased for the risk with class prior q, for every loss and every density, exactly when
//! MᵀC = diag(q, 1−q); a non-zero contrast makes it unique:
//!
//! C = 1/Δ · [[q(1−θ₋), −(1−q)θ₋], [−q(1−θ₊), (1−q)θ₊]].
//!
//! Theorem 3 (Pcomp-Unbiased), the PU and UU risks and Noisy-Unbiased are this one formula; their
//! printed forms are its tests.

use serde::{Deserialize, Serialize};

use crate::data::Pile;
use crate::error::Error;
use crate::prior::Prior;
use crate::protocol::Mixture;

/// Coefficients `[pile][loss sign]`: rows are the likelier and the other pile, columns the loss at +1
/// and at −1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RiskTable(pub [[f64; 2]; 2]);

impl RiskTable {
    /// The only table that is unbiased for the risk with class prior `target`, whatever the densities.
    pub fn unbiased(mixture: &Mixture, target: Prior) -> Self {
        let [[positive_likelier, positive_other], [negative_likelier, negative_other]] = mixture.inverse();
        let (q, rest) = (target.positive(), target.negative());
        Self([
            [q * positive_likelier, rest * negative_likelier],
            [q * positive_other, rest * negative_other],
        ])
    }

    /// Noisy-Unbiased (Natarajan et al.) with the rates of Theorem 5, averaged over all 2n points: it
    /// is unbiased for the *pooled* prior, which is π only at π = ½ or under forced choice.
    pub fn noisy_unbiased(mixture: &Mixture) -> Result<Self, Error> {
        Ok(Self::unbiased(mixture, mixture.pooled_prior()?))
    }

    /// Binary-Biased: the piles taken for the classes. It minimises the balanced error.
    pub fn binary_biased() -> Self {
        Self([[0.5, 0.0], [0.0, 0.5]])
    }

    /// Theorem 6: the weights of the rows that rank pruning keeps.
    pub fn pruned(mixture: &Mixture, prior: Prior, weights: PruningWeights) -> Result<Self, Error> {
        let [likelier, other] = match weights {
            PruningWeights::Paper => {
                let rates = mixture.noise_rates();
                [1.0 / (1.0 - rates.flip_positive), 1.0 / (1.0 - rates.flip_negative)]
            }
            PruningWeights::Exact => {
                let [likelier, other] = mixture.shares();
                [prior.positive() / likelier, prior.negative() / (1.0 - other)]
            }
        };
        // A pile without any row of its class has nothing to keep.
        for (pile, weight) in Pile::BOTH.into_iter().zip([likelier, other]) {
            if !weight.is_finite() {
                return Err(Error::PileShare { pile, value: mixture.share(pile) });
            }
        }
        Ok(Self([[likelier, 0.0], [0.0, other]]))
    }
}

/// How rank pruning weighs the rows it keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PruningWeights {
    /// The paper's 1/(1−ρ₊) and 1/(1−ρ₋). With perfect separation they give *twice* the risk for the
    /// *pooled* prior.
    #[default]
    Paper,
    /// π/θ₊ and π₋/(1−θ₋): with perfect separation exactly the risk for π.
    Exact,
}
