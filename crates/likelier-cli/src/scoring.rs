//! Scores that owe nothing to the comparison they are for: what `prior` and `check` stand on.

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use likelier::Protocol;
use likelier::data::{Comparisons, Judgements, Rows};
use likelier::estimate::{CrossFit, FEWEST, Folds, Grouping, cross_fit, scorer};
use likelier::model::{Architecture, Mlp};
use likelier::random::{Purpose, chance, stream};
use likelier::train::{Config, Control};

use crate::input::Judged;
use crate::output::Warning;
use crate::talk;

/// How often an interval should hold the truth.
pub(crate) const LEVEL: f64 = 0.95;
const FOLDS: usize = 5;

/// How items are scored.
#[derive(Args)]
#[command(next_help_heading = "Scorer")]
pub(crate) struct ScorerArguments {
    /// The model that scores the items; it is trained on comparisons, five times.
    #[arg(long, value_enum, default_value_t = Scorer::Linear)]
    model: Scorer,
    /// Decides everything random.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Scorer {
    Linear,
    Mlp,
}

/// Too few comparisons for any estimate.
#[derive(Debug, thiserror::Error)]
#[error("{found} comparisons are too few to estimate anything from; at least {FEWEST} are needed")]
pub(crate) struct TooFew {
    pub(crate) found: usize,
}

/// Loose piles, where comparisons are needed.
#[derive(Debug, thiserror::Error)]
#[error("piles do not say what was compared with what, and this needs comparisons")]
pub(crate) struct NoPairs;

/// What people said, where it was comparisons.
pub(crate) fn pairs(judged: Judged) -> Result<Judgements> {
    match judged {
        Judged::Pairs { judgements, .. } => Ok(*judgements),
        Judged::Piles(_) => bail!(NoPairs),
    }
}

impl ScorerArguments {
    /// What `train` uses to estimate a prior: a model of the kind that it trains.
    pub(crate) fn new(mlp: bool, seed: u64) -> Self {
        Self { model: if mlp { Scorer::Mlp } else { Scorer::Linear }, seed }
    }

    /// The comparisons with a tie's order tossed by a coin: under forced choice that is what becomes of
    /// two items of one class, while leaving ties out would leave out pairs of some classes only.
    pub(crate) fn decided(&self, judgements: &Judgements, warnings: &mut Vec<Warning>) -> Comparisons {
        if judgements.weights.is_some() {
            warnings.push(Warning {
                code: "weights-not-used",
                message: "the weights of the comparisons are not used here: each counts the same".into(),
            });
        }
        let mut coin = stream(self.seed, Purpose::Comparisons);
        let tie = |at: usize| judgements.ties.as_ref().is_some_and(|ties| ties[at]);
        let decide = |(at, (likelier, other))| {
            if tie(at) && chance(&mut coin, 0.5) { (other, likelier) } else { (likelier, other) }
        };
        judgements.comparisons.iter().enumerate().map(decide).collect()
    }

    /// Scores each comparison by a model that was not trained on it.
    pub(crate) fn fit<'a>(
        &self,
        rows: &'a Rows,
        comparisons: &'a Comparisons,
        protocol: Protocol,
    ) -> Result<CrossFit<'a>> {
        if comparisons.len() < FEWEST {
            bail!(TooFew { found: comparisons.len() });
        }
        let architecture = match self.model {
            Scorer::Linear => Architecture::Linear,
            Scorer::Mlp => Architecture::Mlp(Mlp::of_the_paper()),
        };
        let config = Config { seed: self.seed, ..scorer(architecture, protocol)? };
        let folds = Folds::new(comparisons, rows.len(), FOLDS, Grouping::Comparisons, self.seed)?;
        let bar = talk::bar(FOLDS as u64, "scoring: fold {msg}, {elapsed}");
        let fit = cross_fit(rows, comparisons, folds, &config, &Control::default(), |fold, summary| {
            bar.set_message(format!("{} of {FOLDS}, epoch {}", fold + 1, summary.epoch));
        })?;
        bar.finish_and_clear();
        Ok(fit)
    }
}
