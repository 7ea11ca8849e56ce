//! Expectation–maximisation over the two labels of each comparison. This is its M-step; training starts with a
//! warm-up by the orientation likelihood and works the targets out before each step.

use super::Definition;
use crate::risk::{Coefficients, PairPosterior, Pointwise};

pub(super) const METHOD: Definition = Definition {
    needs_pairs: true,
    has_teacher: true,
    ..Definition::new("pair-posterior", "infers both labels of each pair, again and again", |setting| {
        Ok(Box::new(Pointwise {
            coefficients: Coefficients::Targets { positive: 1.0, negative: 1.0 },
            shift: PairPosterior::new(setting.prior, setting.protocol)?.shift(),
            ..Pointwise::of_table(setting.unbiased()?)
        }))
    })
};
