//! RankNet, then the π-quantile as threshold: what a practitioner would do with a ranker.

use super::{Definition, ThresholdRule};
use crate::risk::RankNet;

pub(super) const METHOD: Definition = Definition {
    needs_pairs: true,
    threshold: ThresholdRule::PriorQuantile,
    ..Definition::new("rank-quantile", "learns to rank, then cuts at the prior", |_| Ok(Box::new(RankNet)))
};
