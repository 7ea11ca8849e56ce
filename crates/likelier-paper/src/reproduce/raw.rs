//! `raw.csv`: a row for each finished trial, written as soon as it is finished.
//!
//! A row is one write, so a killed run leaves at most one broken line, at the end; it is cut off when the run
//! is continued. The file is locked during a run.

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use likelier::Method;
use likelier_cli::terminal::{About, Failure, Result, mistake};
use likelier_paper::benchmark::Benchmark;

use super::experiment::TrialJob;

/// What the file is called.
const NAME: &str = "raw.csv";

const COLUMNS: &str = "dataset,prior,method,trial,seed,accuracy,accuracy_last,accuracy_mean_last_10,accuracy_best,\
                       label_free,label_free_low,label_free_high,seconds,settings,version";

/// What identifies a trial: data set, prior, method, variant, number.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct TrialKey {
    pub(super) dataset: Benchmark,
    /// As written.
    pub(super) prior: String,
    pub(super) method: Method,
    pub(super) variant: String,
    trial: u64,
}

impl TrialKey {
    pub(super) fn of(job: &TrialJob) -> Self {
        Self {
            dataset: job.dataset,
            prior: job.prior.to_string(),
            method: job.method,
            variant: job.variant.clone(),
            trial: job.trial,
        }
    }
}

/// What a trial gave.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TrialResult {
    pub(super) seed: u64,
    /// The headline: the mean of the last ten epochs, or the selected model's for methods that select.
    pub(super) accuracy: f64,
    pub(super) accuracy_last: f64,
    pub(super) accuracy_mean_last_10: f64,
    pub(super) accuracy_best: f64,
    /// By comparisons between test rows: value, low and high.
    pub(super) label_free: Option<[f64; 3]>,
    pub(super) seconds: f64,
    /// Of the settings.
    pub(super) digest: String,
    /// What was decided in the trial: chosen values, the epoch stopped at.
    pub(super) decided: String,
    pub(super) version: String,
}

/// The file of finished trials.
pub(super) struct RawFile {
    path: PathBuf,
    file: File,
    rows: BTreeMap<TrialKey, TrialResult>,
}

impl RawFile {
    /// Whether a folder has trials, or room for them.
    pub(super) fn is_begun(folder: &Path) -> bool {
        folder.join(NAME).exists()
    }

    /// Opens the file of a folder, or starts one.
    pub(super) fn open(folder: &Path) -> Result<Self> {
        let path = folder.join(NAME);
        let (mut file, text) = Self::lock(folder, &path)?;
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        if whole < text.len() {
            file.set_len(whole as u64)?;
        }
        let mut lines = text[..whole].lines();
        let mut rows = BTreeMap::new();
        match lines.next() {
            None => {
                file.seek(SeekFrom::Start(0))?;
                file.write_all(format!("{COLUMNS}\n").as_bytes())?;
            }
            Some(COLUMNS) => {
                for (at, line) in lines.enumerate() {
                    let (key, result) = read(line).ok_or_else(|| {
                        not_ours(&path, &format!(", line {}: is not the row of a trial", at + 2))
                    })?;
                    rows.insert(key, result);
                }
            }
            Some(_) => return Err(not_ours(&path, ": its first line is not that of finished trials")),
        }
        file.seek(SeekFrom::End(0))?;
        Ok(Self { path, file, rows })
    }

    /// Makes sure that nobody else writes to the file, and reads it.
    fn lock(folder: &Path, path: &Path) -> Result<(File, String)> {
        let cannot_use = || format!("cannot use {}", path.display());
        let open = || {
            fs::create_dir_all(folder)?;
            File::options().read(true).write(true).create(true).truncate(false).open(path)
        };
        let mut file = open().about(cannot_use)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                return Err(mistake(
                    format!("{}: another run writes to it", path.display()),
                    "wait for it to end, or name another folder with --out",
                ));
            }
            Err(TryLockError::Error(error)) => return Err(error).about(cannot_use),
            Ok(()) => {}
        }
        let mut text = String::new();
        file.read_to_string(&mut text).about(cannot_use)?;
        Ok((file, text))
    }

    /// The trials that are not done yet. Refuses one that was done with other settings.
    pub(super) fn missing<'a>(&self, jobs: &'a [TrialJob]) -> Result<Vec<&'a TrialJob>> {
        let mut missing = Vec::new();
        for job in jobs {
            let Some(done) = self.rows.get(&TrialKey::of(job)) else {
                missing.push(job);
                continue;
            };
            let (was, now) = (&done.digest, &job.recorded.digest);
            if was != now {
                let TrialJob { variant, method, prior, .. } = job;
                return Err(mistake(
                    format!(
                        "{}: {variant} of {method} at {prior} was run with other settings ({was}, now {now})",
                        self.path.display()
                    ),
                    "name another folder with --out: results with different settings must not be mixed",
                ));
            }
        }
        Ok(missing)
    }

    /// Adds a finished trial. It is kept as the file has it, so that a summary follows from the file alone.
    pub(super) fn add(&mut self, key: &TrialKey, result: &TrialResult) -> Result<()> {
        let row = line(key, result);
        let mut write = || {
            self.file.write_all(row.as_bytes())?;
            self.file.sync_data()
        };
        write().about(|| format!("cannot write {}", self.path.display()))?;
        self.rows.extend(read(row.trim_end()));
        Ok(())
    }

    /// Adds the row of a trial that was run elsewhere, unless it is there already. Refuses what is no row of these
    /// trials, or was run by another version of the program or with other settings.
    pub(super) fn take(&mut self, row: &str, jobs: &[TrialJob]) -> Result<bool> {
        let refused = |problem: String| {
            Err(mistake(
                format!("a row that was run elsewhere {problem}: {row}"),
                "run the trials with the same program and the same experiment on every machine",
            ))
        };
        let Some((key, result)) = read(row.trim_end()) else {
            return refused("is not the row of a trial".into());
        };
        let Some(job) = jobs.iter().find(|job| TrialKey::of(job) == key) else {
            return refused("is not part of this experiment".into());
        };
        if result.digest != job.recorded.digest {
            return refused(format!("has other settings than {}", job.recorded.digest));
        }
        if result.version != super::version() {
            return refused(format!("is of another version than {}", super::version()));
        }
        if self.rows.contains_key(&key) {
            return Ok(false);
        }
        self.add(&key, &result)?;
        Ok(true)
    }

    /// All finished trials.
    pub(super) fn rows(&self) -> &BTreeMap<TrialKey, TrialResult> {
        &self.rows
    }
}

/// A file that is no record of trials.
fn not_ours(path: &Path, problem: &str) -> Failure {
    mistake(
        format!("{}{problem}", path.display()),
        "name another folder with --out, or remove the file to start anew",
    )
}

fn line(key: &TrialKey, outcome: &TrialResult) -> String {
    let TrialResult { seed, accuracy, accuracy_last, accuracy_mean_last_10, accuracy_best, .. } = outcome;
    let label_free = outcome
        .label_free
        .map_or(",,".into(), |[value, low, high]| format!("{value:.6},{low:.6},{high:.6}"));
    let mut settings = format!("{} {}", key.variant, outcome.digest);
    if !outcome.decided.is_empty() {
        settings = format!("{settings} {}", outcome.decided);
    }
    format!(
        "{},{},{},{},{seed},{accuracy:.6},{accuracy_last:.6},{accuracy_mean_last_10:.6},{accuracy_best:.6},\
         {label_free},{:.2},{settings},{}\n",
        key.dataset.spec().short_name,
        key.prior,
        key.method,
        key.trial,
        outcome.seconds,
        outcome.version
    )
}

fn read(line: &str) -> Option<(TrialKey, TrialResult)> {
    let fields: Vec<&str> = line.split(',').collect();
    let [
        dataset,
        prior,
        method,
        trial,
        seed,
        accuracy,
        last,
        mean,
        best,
        value,
        low,
        high,
        seconds,
        settings,
        version,
    ] = fields[..]
    else {
        return None;
    };
    let number = |text: &str| text.parse::<f64>().ok();
    let mut words = settings.splitn(3, ' ');
    let (variant, digest) = (words.next()?.to_owned(), words.next()?.to_owned());
    let label_free = match (number(value), number(low), number(high)) {
        (Some(value), Some(low), Some(high)) => Some([value, low, high]),
        _ => None,
    };
    let key = TrialKey {
        dataset: dataset.parse().ok()?,
        prior: prior.into(),
        method: method.parse().ok()?,
        variant,
        trial: trial.parse().ok()?,
    };
    let outcome = TrialResult {
        seed: seed.parse().ok()?,
        accuracy: number(accuracy)?,
        accuracy_last: number(last)?,
        accuracy_mean_last_10: number(mean)?,
        accuracy_best: number(best)?,
        label_free,
        seconds: number(seconds)?,
        digest,
        decided: words.next().unwrap_or_default().to_owned(),
        version: version.to_owned(),
    };
    Some((key, outcome))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(accuracy: f64) -> TrialResult {
        TrialResult {
            seed: 3,
            accuracy,
            accuracy_last: 0.5,
            accuracy_mean_last_10: 0.25,
            accuracy_best: 0.75,
            label_free: Some([0.9, 0.8, 1.1]),
            seconds: 1.5,
            digest: "01234567".into(),
            decided: "learning-rate=0.01 epoch=7".into(),
            version: "0.1.0".into(),
        }
    }

    fn key(trial: u64) -> TrialKey {
        TrialKey {
            dataset: Benchmark::Usps,
            prior: "0.2".into(),
            method: Method::PcompRelu,
            variant: "plain@0.5".into(),
            trial,
        }
    }

    #[test]
    fn a_row_is_read_back_as_it_was() {
        for outcome in
            [outcome(0.125), TrialResult { label_free: None, decided: String::new(), ..outcome(1.0) }]
        {
            let (read_key, read) = read(line(&key(4), &outcome).trim_end()).unwrap();
            assert_eq!((read_key, read), (key(4), outcome));
        }
        assert_eq!(line(&key(0), &outcome(0.5)).split(',').count(), COLUMNS.split(',').count());
        assert_eq!(read("usps,0.2"), None);
    }

    #[test]
    fn a_broken_last_line_is_cut_off_and_the_rest_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("raw.csv");
        let mut raw = RawFile::open(folder.path()).unwrap();
        raw.add(&key(0), &outcome(1.0 / 3.0)).unwrap();
        let kept = raw.rows().clone();
        drop(raw);
        let whole = fs::read_to_string(&path).unwrap();
        fs::write(&path, format!("{whole}usps,0.2,pcomp-re")).unwrap();
        let mut raw = RawFile::open(folder.path()).unwrap();
        assert_eq!((raw.rows().len(), raw.rows()), (1, &kept));
        raw.add(&key(1), &outcome(0.5)).unwrap();
        drop(raw);
        let lines = fs::read_to_string(&path).unwrap();
        assert_eq!(lines, whole.clone() + &line(&key(1), &outcome(0.5)));
        // A broken line elsewhere is no accident of a kill.
        fs::write(&path, whole.replace("pcomp-relu", "pcomp")).unwrap();
        let Err(error) = RawFile::open(folder.path()) else { panic!("a broken line was taken") };
        assert!(error.to_string().contains("line 2"), "{error}");
    }

    #[test]
    fn two_runs_cannot_write_to_one_folder() {
        let folder = tempfile::tempdir().unwrap();
        let _raw = RawFile::open(folder.path()).unwrap();
        let Err(error) = RawFile::open(folder.path()) else { panic!("it was opened twice") };
        assert!(error.to_string().ends_with("raw.csv: another run writes to it"), "{error}");
    }
}
