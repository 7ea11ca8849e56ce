//! Method, weight decay and learning rate by comparisons that a candidate has not seen.
//!
//! Each method comes in the configuration that is recommended for it, and with other weight decays and learning
//! rates. The first candidate is what would be trained without choosing. What was held out to judge the model is
//! not looked at.

use super::{Event, FitOptions, Observer};
use crate::data::{Comparisons, Rows};
use crate::error::Error;
use crate::estimate::FEWEST;
use crate::estimate::selection::{Dealing, Grid, Selection, SelectionRule, draw, select};
use crate::model::Architecture;
use crate::risk::Method;
use crate::train::{Config, Control};

/// Methods that are tried, the default first.
pub(super) const METHODS: [Method; 4] =
    [Method::PairPosterior, Method::Likelihood, Method::PcompRelu, Method::RankPruning];
/// Weight decays that are tried beside the default.
const WEIGHT_DECAYS: [f64; 2] = [1e-5, 1e-2];
/// Networks take long: only so many candidates are tried, drawn by the seed.
const MOST_NETWORKS: usize = 8;

/// What was left open, besides the method.
#[derive(Clone, Copy)]
pub(super) struct Open {
    pub(super) weight_decay: bool,
    pub(super) learning_rate: bool,
}

impl Open {
    pub(super) fn of(options: &FitOptions) -> Self {
        Self {
            weight_decay: options.weight_decay.is_none(),
            learning_rate: options.learning_rate.is_none(),
        }
    }
}

/// Chooses a configuration; the comparisons are those to train on, the bases are one for each method.
pub(super) fn choose(
    bases: &[Config],
    open: Open,
    rows: &Rows,
    comparisons: &Comparisons,
    control: &Control<'_>,
    observe: &mut Observer<'_>,
) -> Result<(Config, Selection), Error> {
    let found = comparisons.answers();
    if found < FEWEST {
        return Err(Error::TooFewToEstimate { found, needed: FEWEST });
    }
    let mut all = Vec::new();
    for base in bases {
        let mut grid = Grid::around(base.clone());
        if open.weight_decay {
            grid.weight_decays
                .extend(WEIGHT_DECAYS.into_iter().filter(|decay| *decay != base.weight_decay));
        }
        if open.learning_rate {
            grid.learning_rates
                .extend([base.learning_rate / 10.0, base.learning_rate * 10.0]);
        }
        all.extend(grid.candidates());
    }
    let (architecture, seed) = bases
        .first()
        .map_or((&Architecture::Linear, 0), |base| (&base.architecture, base.seed));
    let candidates = match architecture {
        Architecture::Linear => all,
        _ => draw(all, MOST_NETWORKS, seed),
    };
    let dealing = Dealing { seed, ..Dealing::default() };
    let tell = std::sync::Mutex::new(observe);
    let news = |done: usize, of: usize| {
        if let Ok(mut observe) = tell.lock() {
            observe(Event::Choosing { done, of });
        }
    };
    let selection =
        select(rows, comparisons, &candidates, &dealing, &SelectionRule::default(), control, news)?;
    let chosen = selection.of(&candidates).or(candidates.first());
    let config = chosen.map(|candidate| candidate.config.clone()).ok_or(Error::Setting {
        name: "the number of candidates",
        value: "0".into(),
        allowed: "at least 1",
    })?;
    Ok((config, selection))
}
