//! Noisy-Unbiased: the noisy-label risk of Natarajan et al. with the rates of Theorem 5.

use super::Definition;
use crate::risk::{Pointwise, RiskTable};

pub(super) const METHOD: Definition = Definition {
    from_the_paper: true,
    ..Definition::new("noisy-unbiased", "noisy-label risk with the rates of Theorem 5", |setting| {
        let table = RiskTable::noisy_unbiased(&setting.mixture()?)?;
        Ok(Box::new(Pointwise { loss: setting.loss, ..Pointwise::of_table(table) }))
    })
};
