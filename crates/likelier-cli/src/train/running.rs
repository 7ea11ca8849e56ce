//! The run itself: a bar on a terminal, the state kept in a file, Ctrl-C.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use likelier::Classifier;
use likelier::data::{Comparisons, Rows};
use likelier::estimate::Interval;
use likelier::estimate::metrics::Assumptions;
use likelier::train::{Config, Control, Data, EpochSummary, Notes, Outcome, Progress, train_with};
use serde::{Deserialize, Serialize};

use crate::judging::Scored;
use crate::output::range;
use crate::{interrupt, talk};

/// An earlier run left its state, and nobody said what to do with it.
#[derive(Debug, thiserror::Error)]
#[error("{} holds the state of a run that was stopped", .0.display())]
pub(crate) struct SavedState(PathBuf);

/// It was asked to stop.
#[derive(Debug, thiserror::Error)]
#[error("stopped after epoch {epoch} of {epochs}")]
pub(crate) struct Interrupted {
    epoch: usize,
    epochs: usize,
}

/// Where a run keeps its state: beside the model that it makes.
pub(super) struct State {
    path: PathBuf,
    kept: bool,
}

impl State {
    pub(super) fn beside(out: &Path) -> Self {
        let mut name = out.to_owned().into_os_string();
        name.push(".checkpoint");
        // Beside a pipe or a device there is no place to keep anything.
        let kept = out != Path::new("-") && fs::metadata(out).map_or(true, |out| out.is_file());
        Self { path: name.into(), kept }
    }

    /// Refuses to start anew where an earlier run can go on.
    pub(super) fn check_unused(&self) -> Result<()> {
        if self.path.exists() { Err(SavedState(self.path.clone()).into()) } else { Ok(()) }
    }

    /// The run is done.
    pub(super) fn remove(&self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// What one epoch did, and how good the classifier was after it.
#[derive(Serialize, Deserialize)]
pub(crate) struct Epoch {
    #[serde(flatten)]
    pub(crate) of: EpochSummary,
    /// By the held-out comparisons, after some of the epochs.
    pub(crate) accuracy: Option<Interval>,
}

/// Looks now and then how good the classifier is by comparisons that it is not trained on.
pub(super) struct Watch<'a> {
    pub(super) pairs: &'a Comparisons,
    pub(super) assumptions: Assumptions,
    pub(super) exact_counts: bool,
    /// Whether to look even when nobody watches the bar.
    pub(super) recorded: bool,
}

impl Watch<'_> {
    /// None where that cannot be told.
    fn look(&self, rows: &Rows, progress: &mut Progress<'_, '_>) -> Option<Interval> {
        let classifier = progress.classifier().ok()?;
        let scored = Scored::new(&classifier, rows, self.pairs).ok()?;
        let metrics = scored.judge(&classifier, &self.assumptions, self.exact_counts).ok()?;
        Some(metrics.accuracy)
    }
}

/// Looks in a run, at the most.
const LOOKS: usize = 20;

/// Trains, with a bar on a terminal; Ctrl-C saves the state. Also says what each epoch did, those before an
/// interruption included.
pub(super) fn run(
    data: &Data<'_>,
    config: &Config,
    state: &State,
    threads: Option<usize>,
    watch: Option<&Watch<'_>>,
) -> Result<(Classifier, Vec<Epoch>)> {
    let notes = Notes::default();
    let control = Control {
        threads,
        checkpoint: state.kept.then_some(state.path.as_path()),
        notes: Some(&notes),
        stop: state.kept.then(interrupt::ask_to_stop),
    };
    let bar = talk::bar(config.epochs as u64, "{bar:32} epoch {pos} of {len}, {eta} left, {msg}");
    let watch = watch.filter(|watch| watch.recorded || !bar.is_hidden());
    let every = config.epochs.div_ceil(LOOKS).max(1);
    let mut seen = String::new();
    let outcome = train_with(data, config, &control, |summary, progress| {
        // Counted from the end, so that the last epoch is among them.
        let looks = (config.epochs - summary.epoch.min(config.epochs)).is_multiple_of(every);
        let accuracy = watch.filter(|_| looks).and_then(|watch| watch.look(data.rows, progress));
        let fresh = accuracy.map(|accuracy| {
            format!(", accuracy {:.3} ({})", accuracy.value.clamp(0.0, 1.0), range(&accuracy))
        });
        talk::detail(|| {
            let fresh = fresh.as_deref().unwrap_or_default();
            format!("epoch {}: risk {:.4}{fresh}", summary.epoch, summary.risk)
        });
        // The bar keeps the last one in sight.
        if let Some(fresh) = fresh {
            seen = fresh;
        }
        // Its numbers are finite, so it can always be noted.
        let _ = notes.add(&Epoch { of: *summary, accuracy });
        bar.set_message(format!("risk {:.4}{seen}", summary.risk));
        bar.set_position(summary.epoch as u64);
        Ok(())
    })?;
    bar.finish_and_clear();
    interrupt::end_at_once();
    match outcome {
        Outcome::Finished(classifier) => Ok((*classifier, notes.all()?)),
        Outcome::Stopped { epoch } => Err(Interrupted { epoch, epochs: config.epochs }.into()),
    }
}
