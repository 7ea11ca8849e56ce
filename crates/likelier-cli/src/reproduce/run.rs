//! The trials of an experiment, several at a time.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use likelier::data::benchmark::{Benchmark, Dataset};

use super::job;
use super::raw::{Key, Raw};
use super::spec::Job;
use crate::talk;

/// How trials are carried out. Nothing here changes a result.
pub(super) struct Labour<'a> {
    pub(super) sets: &'a Sets,
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

/// Runs the trials of `jobs` that are `open`, and adds each to the file when it is finished.
pub(super) fn run(jobs: &[Job], open: &[&Job], raw: &mut Raw, labour: &Labour<'_>) -> Result<Course> {
    let bar = talk::bar(jobs.len() as u64, "{bar:32} trial {pos} of {len}, {eta} left, {msg}");
    bar.set_position((jobs.len() - open.len()) as u64);
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
            bar.set_message(name.clone());
            let outcome = sets
                .get(job.dataset)
                .and_then(|dataset| job::run(job, &dataset, labour.threads, labour.stop));
            match outcome {
                Ok(Some(outcome)) => {
                    if let Err(error) = locked(&raw).add(&Key::of(job), &outcome) {
                        *locked(&broken) = Some(error);
                        return;
                    }
                    talk::detail(|| format!("done: {name}"));
                    finished.fetch_add(1, Ordering::Relaxed);
                }
                Ok(None) => {}
                Err(error) => locked(&failed).push(format!("{name}: {error:#}")),
            }
            bar.inc(1);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..labour.workers.max(1) {
            scope.spawn(work);
        }
    });
    bar.finish_and_clear();
    if let Some(error) = locked(&broken).take() {
        return Err(error);
    }
    let failed = std::mem::take(&mut *locked(&failed));
    let finished = finished.into_inner();
    let left = open.len() - finished - failed.len();
    Ok(Course { failed, finished, left, notes: sets.notes(jobs) })
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
