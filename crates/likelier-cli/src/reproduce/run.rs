//! The trials of an experiment, several at a time.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use likelier::Error;
use likelier::data::benchmark::{Benchmark, Dataset, PaperModel};

use super::job::{self, Conditions};
use super::raw::{Key, Raw};
use super::spec::Job;
use crate::talk;

/// How trials are carried out. Nothing here changes a result.
pub(super) struct Labour<'a> {
    pub(super) sets: &'a Sets,
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
pub(super) fn run(jobs: &[Job], open: &[&Job], raw: &mut Raw, labour: &Labour<'_>) -> Result<Course> {
    let bar = talk::bar(STEPS * jobs.len() as u64, "{bar:32} {eta} left, {msg}");
    let before = jobs.len() - open.len();
    bar.set_position(STEPS * before as u64);
    bar.reset_eta();
    let sets = labour.sets;
    // What is not there is said before the work, not after hours of it.
    sets.load(open.iter().copied())?;
    let (next, finished) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let (raw, failed) = (Mutex::new(raw), Mutex::new(Vec::new()));
    // A trial whose row cannot be written ends the run: the next ones would be lost as well.
    let broken: Mutex<Option<anyhow::Error>> = Mutex::new(None);
    let work = || {
        while let Some(job) = open.get(next.fetch_add(1, Ordering::Relaxed)) {
            if labour.stop.load(Ordering::Relaxed) || locked(&broken).is_some() {
                return;
            }
            let name = name(job);
            let say = |what: &str| {
                let done = before + finished.load(Ordering::Relaxed);
                bar.set_message(format!("{done} of {} trials done, now {what}", jobs.len()));
            };
            say(&name);
            let state = state(job, labour.folder);
            let shown = AtomicU64::new(0);
            let tell = |epoch: usize, epochs: usize| {
                let at = STEPS * epoch as u64 / epochs.max(1) as u64;
                bar.inc(at.saturating_sub(shown.swap(at, Ordering::Relaxed)));
                if state.is_some() {
                    let epoch = format!("{name}, epoch {epoch} of {epochs}");
                    say(&epoch);
                    talk::detail(|| epoch);
                }
            };
            let (threads, stop) = (labour.threads, labour.stop);
            let conditions = Conditions { threads, stop, state: state.as_deref(), tell: &tell };
            let attempt = || job::run(job, &*sets.get(job.dataset)?, &conditions);
            let outcome = attempt().or_else(|error| match (&state, error.downcast_ref()) {
                // Another version's state, or a damaged one, is of no use.
                (Some(state), Some(Error::Checkpoint { .. })) => {
                    fs::remove_file(state)?;
                    attempt()
                }
                _ => Err(error),
            });
            match outcome {
                Ok(Some(outcome)) => {
                    if let Err(error) = locked(&raw).add(&Key::of(job), &outcome) {
                        *locked(&broken) = Some(error);
                        return;
                    }
                    if let Some(state) = state {
                        let _ = fs::remove_file(state);
                    }
                    talk::detail(|| format!("done: {name}"));
                    finished.fetch_add(1, Ordering::Relaxed);
                }
                Ok(None) => {}
                Err(error) => locked(&failed).push(format!("{name}: {error:#}")),
            }
            bar.inc(STEPS.saturating_sub(shown.into_inner()));
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..labour.workers.max(1) {
            scope.spawn(work);
        }
    });
    bar.finish_and_clear();
    // Unless it holds the state of a trial.
    let _ = fs::remove_dir(labour.folder);
    if let Some(error) = locked(&broken).take() {
        return Err(error);
    }
    let failed = std::mem::take(&mut *locked(&failed));
    let finished = finished.into_inner();
    let left = open.len() - finished - failed.len();
    Ok(Course { failed, finished, left, notes: sets.notes(jobs) })
}

/// The file for the state of a trial that takes long: a network's. A linear model's takes seconds.
fn state(job: &Job, folder: &Path) -> Option<PathBuf> {
    if job.dataset.spec().model == PaperModel::Linear {
        return None;
    }
    let name = format!("{} {}", name(job), job.settings.digest().ok()?);
    let plain: String = name
        .chars()
        .map(|c| if c.is_alphanumeric() || c == '.' { c } else { '-' })
        .collect();
    fs::create_dir_all(folder).ok()?;
    Some(folder.join(plain + ".checkpoint"))
}

fn name(job: &Job) -> String {
    let Job { dataset, prior, method, variant, trial, .. } = job;
    format!("{} at {prior}, {method} ({variant}), trial {}", dataset.name(), trial + 1)
}

/// The data sets that were needed so far.
pub(super) struct Sets {
    data_dir: PathBuf,
    loaded: Mutex<HashMap<Benchmark, Arc<Dataset>>>,
}

impl Sets {
    pub(super) fn within(data_dir: PathBuf) -> Self {
        Self { data_dir, loaded: Mutex::default() }
    }

    /// Loads what these trials need.
    pub(super) fn load<'a>(&self, jobs: impl IntoIterator<Item = &'a Job>) -> Result<()> {
        jobs.into_iter().try_for_each(|job| self.get(job.dataset).map(drop))
    }

    fn get(&self, benchmark: Benchmark) -> Result<Arc<Dataset>> {
        let mut loaded = locked(&self.loaded);
        if let Some(dataset) = loaded.get(&benchmark) {
            return Ok(dataset.clone());
        }
        let dataset = Arc::new(benchmark.load(&self.data_dir)?);
        loaded.insert(benchmark, dataset.clone());
        Ok(dataset)
    }

    /// What the data sets of these trials lack. One that all trials are done of is loaded for it, unless it is
    /// no longer there.
    fn notes(&self, jobs: &[Job]) -> Vec<String> {
        let mut notes = Vec::new();
        for job in jobs {
            if let Ok(Some(note)) = self.get(job.dataset).map(|dataset| dataset.note.clone())
                && !notes.contains(&note)
            {
                notes.push(note);
            }
        }
        notes
    }
}

/// What a lock guards; it is sound even if a thread that held it has panicked.
fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
