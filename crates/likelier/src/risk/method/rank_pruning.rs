//! RankPruning: rows whose pile agrees with their score, weighted, Theorem 6 and Eq. (8).

use super::Definition;
use crate::risk::Pointwise;

pub(super) const METHOD: Definition = Definition {
    from_the_paper: true,
    prunes: true,
    ..Definition::new("rank-pruning", "keeps rows whose pile agrees with their score", |setting| {
        Ok(Box::new(Pointwise { loss: setting.loss, ..Pointwise::of_table(setting.pruned()?) }))
    })
};
