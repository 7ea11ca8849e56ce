//! Pcomp-Unbiased: the risk of Theorem 3, Eq. (6).

use super::Definition;
use crate::risk::Pointwise;

pub(super) const METHOD: Definition = Definition {
    from_the_paper: true,
    takes_piles: true,
    ..Definition::new("pcomp-unbiased", "unbiased risk of the comparisons (Theorem 3)", |setting| {
        Ok(Box::new(Pointwise { loss: setting.loss, ..Pointwise::of_table(setting.unbiased()?) }))
    })
};
