//! The orientation likelihood, then the π-quantile as threshold.

use super::{Definition, ThresholdRule};
use crate::risk::OrientationLikelihood;

pub(super) const METHOD: Definition = Definition {
    needs_pairs: true,
    threshold: ThresholdRule::PriorQuantile,
    ..Definition::new("likelihood", "likelihood of each pick, then cuts at the prior", |setting| {
        Ok(Box::new(OrientationLikelihood { protocol: setting.protocol }))
    })
};
