//! Training: mini-batches of comparisons through scores, risk, gradient and optimiser.
//!
//! The loop is `run.rs`; `posterior.rs` and `guard.rs` are what the pair posterior adds to it.

mod batches;
mod checkpoint;
mod config;
mod early_stop;
mod guard;
mod memory;
mod moves;
mod notes;
mod optimiser;
mod parts;
mod passes;
mod piles;
mod posterior;
mod recommended;
mod replies;
mod run;
mod settling;
mod teacher;
mod threshold;
mod work;

use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

pub use config::{Config, Criterion, EarlyStop, Predictor, PruningSchedule};
pub use guard::Fallback;
pub use moves::ImageMoves;
pub use notes::Notes;
pub use optimiser::{Optimiser, OptimiserKind};
pub use passes::Passes;
pub use run::Progress;
pub use teacher::Teacher;
pub use threshold::prior_quantile;

use serde::{Deserialize, Serialize};

use checkpoint::Checkpoint;
use run::Run;

use crate::data::{Label, Piles, Rows};
use crate::error::Error;
use crate::model::Classifier;
use crate::trial::TrialExecutor;

/// What is learned from.
#[derive(Clone, Copy, Debug)]
pub struct Data<'a> {
    /// The items.
    pub rows: &'a Rows<'a>,
    /// Which items were said to be likelier, and than which.
    pub piles: Piles<'a>,
    /// The true label of every item: only for the `supervised` oracle, which no other method sees.
    pub labels: Option<&'a [Label]>,
}

/// How a run is carried out. Nothing here changes its result.
#[derive(Clone, Copy, Default)]
pub struct Control<'a> {
    /// Threads to use; those of the current pool if absent.
    pub threads: Option<usize>,
    /// A file to keep the state in. A run that finds one there goes on from it.
    pub checkpoint: Option<&'a Path>,
    /// What the caller wants kept in that file as well.
    pub notes: Option<&'a Notes>,
    /// Becomes true when the run should stop (Ctrl-C): after the epoch, with its state saved, if it has a
    /// checkpoint; else after the mini-batch.
    pub stop: Option<&'a AtomicBool>,
    /// Who runs trainings that do not look at each other; this machine if absent.
    pub executor: Option<&'a TrialExecutor<'a>>,
}

impl Control<'_> {
    /// Does work with as many threads as it says. Inside the pool handing over work is cheap; from outside, every piece
    /// would cost a wait.
    pub(crate) fn in_pool<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T, Error> {
        let Some(threads) = self.threads else { return Ok(rayon::scope(|_| work())) };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| Error::Threads { threads, problem: error.to_string() })?;
        Ok(pool.install(work))
    }
}

impl fmt::Debug for Control<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Control")
            .field("threads", &self.threads)
            .field("checkpoint", &self.checkpoint)
            .finish_non_exhaustive()
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// All epochs are done, or nothing more was learned.
    Finished(Box<Classifier>),
    /// It was asked to stop; the checkpoint, if there is one, has the state.
    Stopped {
        /// Epochs done.
        epoch: usize,
    },
}

/// What one epoch did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EpochSummary {
    /// Epochs done, from 1.
    pub epoch: usize,
    /// Which part of the training it belongs to.
    pub phase: Phase,
    /// The mean risk of its batches.
    pub risk: f64,
    /// The mean of their columns before correction, for pointwise methods.
    pub columns: Option<[f64; 2]>,
    /// The share of batches with a negative column: how often a correction would bite.
    pub negative_share: f64,
    /// The share of rows that rank pruning kept.
    pub selected_share: f64,
    /// The mean of the consistency term, contained in the risk.
    pub consistency: f64,
    /// The mean level c that held the pair posterior to the prior.
    pub level: Option<f64>,
    /// The criterion on held-out comparisons.
    pub held_out: Option<f64>,
}

/// A part of a training run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// What comes first: all rows before rank pruning selects, the orientation likelihood before the pair
    /// posterior.
    WarmUp,
    /// The method itself.
    #[default]
    Main,
}

impl Outcome {
    /// The classifier; an error if the run was stopped before it had one.
    pub fn finished(self) -> Result<Classifier, Error> {
        match self {
            Self::Finished(classifier) => Ok(*classifier),
            Self::Stopped { epoch } => Err(Error::Stopped { epoch }),
        }
    }
}

/// Trains a classifier.
pub fn train(data: &Data<'_>, config: &Config) -> Result<Classifier, Error> {
    train_with(data, config, &Control::default(), |_, _| Ok(()))?.finished()
}

/// Trains a classifier with control over threads, checkpoints and stopping. After each epoch `observe` is told
/// what it did, and may ask for the classifier as it stands.
pub fn train_with(
    data: &Data<'_>,
    config: &Config,
    control: &Control<'_>,
    observe: impl FnMut(&EpochSummary, &mut Progress<'_, '_>) -> Result<(), Error> + Send,
) -> Result<Outcome, Error> {
    control.in_pool(|| train_here(data, config, control, observe))?
}

fn train_here(
    data: &Data<'_>,
    config: &Config,
    control: &Control<'_>,
    mut observe: impl FnMut(&EpochSummary, &mut Progress<'_, '_>) -> Result<(), Error>,
) -> Result<Outcome, Error> {
    config.check()?;
    let mut run = Run::start(data, config)?;
    let mut checkpoint = control.checkpoint.map(|path| Checkpoint::new(path, &run)).transpose()?;
    if let Some(checkpoint) = &checkpoint {
        checkpoint.load(&mut run, control.notes)?;
    }
    let at_once = control.stop.filter(|_| checkpoint.is_none());
    while !run.is_done() {
        let summary = match run.epoch(at_once) {
            Err(Error::Stopped { epoch }) => return Ok(Outcome::Stopped { epoch }),
            other => other?,
        };
        observe(&summary, &mut Progress(&mut run))?;
        let stopping = control.stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
        if let Some(checkpoint) = &mut checkpoint {
            checkpoint.save(&run, control.notes, stopping || run.is_done())?;
        }
        if stopping && !run.is_done() {
            return Ok(Outcome::Stopped { epoch: summary.epoch });
        }
    }
    Ok(Outcome::Finished(Box::new(run.classifier()?)))
}
