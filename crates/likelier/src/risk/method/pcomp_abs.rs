//! Pcomp-ABS: the risk of Theorem 3 with its two columns made positive, Eq. (7).

use super::Definition;
use crate::risk::{Correction, Pointwise};

pub(super) const METHOD: Definition = Definition {
    from_the_paper: true,
    takes_piles: true,
    ..Definition::new("pcomp-abs", "the same, its two parts made positive", |setting| {
        let loss = setting.loss;
        let table = Pointwise::of_table(setting.unbiased()?);
        Ok(Box::new(Pointwise { loss, correction: Correction::Abs, ..table }))
    })
};
