//! True labels, weighted to π: the oracle that every table needs.

use super::Definition;
use crate::risk::{Coefficients, Pointwise};

pub(super) const METHOD: Definition =
    Definition::new("supervised", "sees the true labels: the oracle", |setting| {
        let sample = match setting.sample_prior {
            Some(prior) => prior,
            None => setting.mixture()?.pooled_prior()?,
        };
        let coefficients = Coefficients::targets(sample, setting.prior);
        Ok(Box::new(Pointwise {
            loss: setting.loss,
            coefficients,
            ..Pointwise::of_table(setting.unbiased()?)
        }))
    });
