//! Binary-Biased: the piles taken for the classes, which minimises the balanced error.

use super::Definition;
use crate::risk::{Pointwise, RiskTable};

pub(super) const METHOD: Definition = Definition {
    from_the_paper: true,
    ..Definition::new("binary-biased", "takes the piles for the classes (baseline)", |setting| {
        let table = RiskTable::binary_biased();
        Ok(Box::new(Pointwise { loss: setting.loss, ..Pointwise::of_table(table) }))
    })
};
