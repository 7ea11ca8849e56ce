//! The data sets that a run needs, each loaded once.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use likelier_cli::terminal::Result;
use likelier_paper::benchmark::{Benchmark, Dataset};

use super::experiment::TrialJob;
use super::run::locked;
use crate::data_dir::data_failure;

/// The data sets that were needed so far.
pub(super) struct LoadedSets {
    data_dir: PathBuf,
    loaded: Mutex<HashMap<Benchmark, Arc<Dataset>>>,
}

impl LoadedSets {
    pub(super) fn within(data_dir: PathBuf) -> Self {
        Self { data_dir, loaded: Mutex::default() }
    }

    /// Loads what these trials need.
    pub(super) fn load<'a>(&self, jobs: impl IntoIterator<Item = &'a TrialJob>) -> Result<()> {
        jobs.into_iter().try_for_each(|job| self.get(job.dataset).map(drop))
    }

    pub(super) fn get(&self, benchmark: Benchmark) -> Result<Arc<Dataset>> {
        let mut loaded = locked(&self.loaded);
        if let Some(dataset) = loaded.get(&benchmark) {
            return Ok(dataset.clone());
        }
        let dataset = Arc::new(benchmark.load(&self.data_dir).map_err(data_failure)?);
        loaded.insert(benchmark, dataset.clone());
        Ok(dataset)
    }

    /// What the data sets of these trials lack. One that all trials are done of is loaded for it, unless it is
    /// no longer there.
    pub(super) fn notes(&self, jobs: &[TrialJob]) -> Vec<String> {
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
