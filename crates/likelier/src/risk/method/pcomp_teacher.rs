//! Pcomp-Teacher: rank pruning that is held to a mean teacher, Eq. (8) and Ω.

use super::Definition;
use crate::risk::Pointwise;

pub(super) const METHOD: Definition = Definition {
    from_the_paper: true,
    prunes: true,
    has_teacher: true,
    ..Definition::new("pcomp-teacher", "rank pruning, held to a moving average of itself", |setting| {
        let (loss, consistency_weight) = (setting.loss, setting.consistency_weight);
        Ok(Box::new(Pointwise { loss, consistency_weight, ..Pointwise::of_table(setting.pruned()?) }))
    })
};
