//! The run itself: a bar on a terminal, the state kept in a file, Ctrl-C.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use likelier::Classifier;
use likelier::train::{Config, Control, Data, EpochSummary, Outcome, train_with};

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
        Self { path: name.into(), kept: out != Path::new("-") }
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

/// Trains, with a bar on a terminal; Ctrl-C saves the state. Also says what each epoch did.
pub(super) fn run(
    data: &Data<'_>,
    config: &Config,
    state: &State,
    threads: Option<usize>,
) -> Result<(Classifier, Vec<EpochSummary>)> {
    static STOP: AtomicBool = AtomicBool::new(false);
    // Without a handler Ctrl-C ends the program as it always does, and the last checkpoint stays.
    let _ = ctrlc::set_handler(|| STOP.store(true, Ordering::Relaxed));
    let control =
        Control { threads, checkpoint: state.kept.then_some(state.path.as_path()), stop: Some(&STOP) };
    let bar = ProgressBar::new(config.epochs as u64).with_style(
        ProgressStyle::with_template("{bar:32} epoch {pos} of {len}, {eta} left, risk {msg}")
            .context("the progress bar")?,
    );
    let mut epochs = Vec::new();
    let outcome = train_with(data, config, &control, |summary, _| {
        epochs.push(*summary);
        bar.set_message(format!("{:.4}", summary.risk));
        bar.set_position(summary.epoch as u64);
        Ok(())
    })?;
    bar.finish_and_clear();
    match outcome {
        Outcome::Finished(classifier) => Ok((*classifier, epochs)),
        Outcome::Stopped { epoch } => Err(Interrupted { epoch, epochs: config.epochs }.into()),
    }
}
