//! The trials of an experiment, several at a time.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use indicatif::ProgressBar;
use likelier::Error;
use likelier::model::ModelKind;
use likelier_cli::terminal::{Failure, Result, bar, detail};

use super::experiment::TrialJob;
use super::job::{self, Conditions};
use super::raw::{RawFile, TrialKey, TrialResult};
use super::sets::LoadedSets;

/// How trials are carried out. Nothing here changes a result.
pub(super) struct Labour<'a> {
    pub(super) sets: &'a LoadedSets,
    /// Where trials that take long keep their state.
    pub(super) folder: &'a Path,
    /// Trials at a time.
    pub(super) workers: usize,
    /// Threads of each.
    pub(super) threads: usize,
    /// Becomes true when the run should end.
    pub(super) stop: &'a AtomicBool,
}

/// How the trials went.
pub(super) struct Course {
    /// Trials that failed, in words.
    pub(super) failed: Vec<String>,
    /// Trials that were run to their end now.
    pub(super) finished: usize,
    /// Trials that were not begun or not finished.
    pub(super) left: usize,
    /// What results rest on, where data sets are not whole.
    pub(super) notes: Vec<String>,
}

/// Steps of the bar for each trial.
const STEPS: u64 = 1000;

/// Runs the trials of `jobs` that are `open`, and adds each to the file when it is finished.
pub(super) fn run(
    jobs: &[TrialJob],
    open: &[&TrialJob],
    raw: &mut RawFile,
    labour: &Labour<'_>,
) -> Result<Course> {
    let bar = bar(STEPS * jobs.len() as u64, "{bar:32} {eta} left, {msg}");
    let before = jobs.len() - open.len();
    bar.set_position(STEPS * before as u64);
    bar.reset_eta();
    // What is not there is said before the work, not after hours of it.
    labour.sets.load(open.iter().copied())?;
    let team = Team {
        labour,
        open,
        all: jobs.len(),
        bar,
        next: AtomicUsize::new(0),
        finished: AtomicUsize::new(0),
        raw: Mutex::new(raw),
        failed: Mutex::default(),
        broken: Mutex::default(),
    };
    std::thread::scope(|scope| {
        for _ in 0..labour.workers.max(1) {
            scope.spawn(|| team.work());
        }
    });
    team.bar.finish_and_clear();
    // Unless it holds the state of a trial.
    let _ = fs::remove_dir(labour.folder);
    if let Some(failure) = locked(&team.broken).take() {
        return Err(failure);
    }
    let failed = std::mem::take(&mut *locked(&team.failed));
    let finished = team.finished.into_inner();
    let left = open.len() - finished - failed.len();
    Ok(Course { failed, finished, left, notes: labour.sets.notes(jobs) })
}

/// What the workers share.
struct Team<'a> {
    labour: &'a Labour<'a>,
    open: &'a [&'a TrialJob],
    all: usize,
    bar: ProgressBar,
    next: AtomicUsize,
    finished: AtomicUsize,
    raw: Mutex<&'a mut RawFile>,
    failed: Mutex<Vec<String>>,
    /// A trial whose row cannot be written ends the run: the next ones would be lost as well.
    broken: Mutex<Option<Failure>>,
}

impl Team<'_> {
    /// Takes one trial after the other until there are no more.
    fn work(&self) {
        while let Some(job) = self.open.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            if self.labour.stop.load(Ordering::Relaxed) || locked(&self.broken).is_some() {
                return;
            }
            self.one(job);
        }
    }

    fn one(&self, job: &TrialJob) {
        let name = name(job);
        self.say(&name);
        let state = state(job, self.labour.folder);
        let shown = AtomicU64::new(0);
        let tell = |epoch: usize, epochs: usize| {
            let at = STEPS * epoch as u64 / epochs.max(1) as u64;
            self.bar.inc(at.saturating_sub(shown.swap(at, Ordering::Relaxed)));
            if state.is_some() {
                let epoch = format!("{name}, epoch {epoch} of {epochs}");
                self.say(&epoch);
                detail(|| epoch);
            }
        };
        let (threads, stop) = (self.labour.threads, self.labour.stop);
        let conditions = Conditions { threads, stop, state: state.as_deref(), tell: &tell };
        match self.attempt(job, &conditions) {
            Ok(Some(result)) => {
                if let Err(failure) = locked(&self.raw).add(&TrialKey::of(job), &result) {
                    *locked(&self.broken) = Some(failure);
                    return;
                }
                if let Some(state) = &state {
                    let _ = fs::remove_file(state);
                }
                detail(|| format!("done: {name}"));
                self.finished.fetch_add(1, Ordering::Relaxed);
            }
            Ok(None) => {}
            Err(failure) => locked(&self.failed).push(format!("{name}: {failure}")),
        }
        self.bar.inc(STEPS.saturating_sub(shown.into_inner()));
    }

    /// What a trial gives; nothing if it was stopped.
    fn attempt(&self, job: &TrialJob, conditions: &Conditions<'_>) -> Result<Option<TrialResult>> {
        let dataset = self.labour.sets.get(job.dataset)?;
        match (job::run(job, &dataset, conditions), conditions.state) {
            // Another version's state, or a damaged one, is of no use.
            (Err(Error::Checkpoint { .. }), Some(state)) => {
                fs::remove_file(state)?;
                Ok(job::run(job, &dataset, conditions)?)
            }
            (Err(Error::Stopped { .. }), _) => Ok(None),
            (result, _) => Ok(result?),
        }
    }

    fn say(&self, what: &str) {
        let done = self.all - self.open.len() + self.finished.load(Ordering::Relaxed);
        self.bar.set_message(format!("{done} of {} trials done, now {what}", self.all));
    }
}

/// The file for the state of a trial that takes long: a network's. A linear model's takes seconds.
fn state(job: &TrialJob, folder: &Path) -> Option<PathBuf> {
    if job.dataset.spec().model == ModelKind::Linear {
        return None;
    }
    let name = format!("{} {}", name(job), job.recorded.digest);
    let plain: String = name
        .chars()
        .map(|c| if c.is_alphanumeric() || c == '.' { c } else { '-' })
        .collect();
    fs::create_dir_all(folder).ok()?;
    Some(folder.join(plain + ".checkpoint"))
}

/// What a trial is called.
pub(super) fn name(job: &TrialJob) -> String {
    let TrialJob { dataset, prior, method, variant, trial, .. } = job;
    format!("{} at {prior}, {method} ({variant}), trial {}", dataset.name(), trial + 1)
}

/// What a lock guards; it is sound even if a thread that held it has panicked.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
