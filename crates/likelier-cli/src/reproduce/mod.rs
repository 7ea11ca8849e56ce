//! `likelier reproduce`: the paper's tables and figure, ours beside the paper's.

mod beyond;
mod claims;
mod document;
mod job;
mod markdown;
mod page;
mod paper;
mod raw;
mod run;
mod settings;
mod spec;
mod summary;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::data_dir::DataDir;
use crate::input::at_least_one;
use crate::interrupt;
use crate::output::{NewFile, print_json, print_text};
use document::{document, hours};
use raw::Raw;
pub(crate) use raw::{RunInProgress, SettingsChanged};
use run::{Labour, Sets, run};
pub(crate) use spec::{BadExperiment, UnknownExperiment};
use spec::{Job, Spec};
use summary::summarise;

/// Run an experiment of the paper, and show our numbers beside the paper's.
///
/// Each finished trial is added to raw.csv at once; the same command goes on where it was stopped, however that
/// was, with networks even within a trial. The folder also gets settings.toml (every choice behind the rows),
/// summary.md and report.html.
#[derive(Args)]
#[command(after_help = "Examples:
  likelier reproduce table3 --out table3
  likelier reproduce table2 --datasets mnist --priors 0.5 --methods pcomp-relu,pcomp-teacher --trials 1 --out mnist
  likelier reproduce my-experiment.toml --out mine")]
pub(crate) struct Reproduce {
    /// table2, table3 or figure2; or a file like those in reproduce/, ending in .toml.
    #[arg(value_name = "EXPERIMENT")]
    experiment: String,
    #[command(flatten)]
    parts: Parts,
    /// Trials at a time [default: one for each core]. Results are the same for any number.
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    jobs: Option<usize>,
    /// Threads of each trial. Results are the same for any number.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = at_least_one)]
    threads: usize,
    /// The folder for the results; a run that is there already is gone on with.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    data_dir: DataDir,
    /// Print the summary as JSON.
    #[arg(long)]
    json: bool,
}

/// Which parts of an experiment.
#[derive(Args, Default)]
#[command(next_help_heading = "Parts")]
pub(crate) struct Parts {
    /// Only these data sets.
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    datasets: Vec<String>,
    /// Only these priors.
    #[arg(long, value_name = "SHARE,…", value_delimiter = ',')]
    priors: Vec<String>,
    /// Only these methods.
    #[arg(long, value_name = "METHOD,…", value_delimiter = ',')]
    methods: Vec<String>,
    /// Only these variants.
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    variants: Vec<String>,
    /// So many trials of each.
    #[arg(long, value_name = "N")]
    trials: Option<u64>,
    /// So many epochs, which makes it another experiment.
    #[arg(long, value_name = "N")]
    epochs: Option<u64>,
}

/// Those of `all` that are asked for; all, if nothing is said.
fn those<T: PartialEq>(
    all: &[String],
    asked: &[String],
    what: &str,
    read: impl Fn(&str) -> Result<T>,
) -> Result<Vec<T>> {
    let known = all.iter().map(|name| read(name)).collect::<Result<Vec<T>>>()?;
    if asked.is_empty() {
        return Ok(known);
    }
    let wanted = asked.iter().map(|name| read(name)).collect::<Result<Vec<T>>>()?;
    for (name, one) in asked.iter().zip(&wanted) {
        if !known.contains(one) {
            bail!(NotAPart { what: what.into(), name: name.clone(), all: all.join(", ") });
        }
    }
    Ok(known.into_iter().filter(|one| wanted.contains(one)).collect())
}

/// A part was asked for that the experiment does not have.
#[derive(Debug, thiserror::Error)]
#[error("the {what} {name} is not part of this experiment, which has {all}")]
pub(crate) struct NotAPart {
    what: String,
    name: String,
    all: String,
}

/// The parts that were asked for have no trial in common.
#[derive(Debug, thiserror::Error)]
#[error("there is nothing to run: no trial is in all the parts that were asked for")]
pub(crate) struct NothingToRun;

/// It was asked to stop.
#[derive(Debug, thiserror::Error)]
#[error("stopped with {left} of {all} trials left")]
pub(crate) struct TrialsLeft {
    left: usize,
    all: usize,
}

/// The folder holds the trials of another experiment.
#[derive(Debug, thiserror::Error)]
#[error("{} holds the trials of another experiment", .0.display())]
pub(crate) struct OtherExperiment(PathBuf);

/// The key of settings.toml that says what was run; the others are digests.
const EXPERIMENT: &str = "experiment";

/// Some trials failed.
#[derive(Debug, thiserror::Error)]
#[error("{} trials failed, the first of them:\n  {}", .0.len(), .0[..self.0.len().min(3)].join("\n  "))]
pub(crate) struct TrialsFailed(Vec<String>);

impl Reproduce {
    pub(crate) fn run(&self) -> Result<()> {
        let spec = Spec::find(&self.experiment)?;
        let jobs = spec.jobs(&self.parts)?;
        if jobs.is_empty() {
            bail!(NothingToRun);
        }
        let sets = Sets::within(self.data_dir.path()?);
        // A run is not begun for data that are not there.
        if !Raw::is_begun(&self.out) {
            sets.load(&jobs)?;
        }
        let mut raw = Raw::open(&self.out)?;
        let open = raw.missing(&jobs)?;
        self.keep_settings(&spec.title, &jobs)?;
        let labour = Labour {
            sets: &sets,
            folder: &self.out.join("begun"),
            workers: self
                .jobs
                .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, Into::into)),
            threads: self.threads,
            stop: interrupt::ask_to_stop(),
        };
        let start = Instant::now();
        let course = run(&jobs, &open, &mut raw, &labour)?;
        interrupt::end_at_once();
        let summary = summarise(&spec, raw.rows(), self.as_typed(), course.notes)?;
        let write = |name: &str, text: &str| {
            NewFile::create(&self.out.join(name), [])?.finish(|file| Ok(file.write_all(text.as_bytes())?))
        };
        let document = document(&summary);
        let text = markdown::text(&document);
        write("summary.md", &text)?;
        write("report.html", &page::page(&document))?;
        if let Some(panels) = document.panels() {
            write("figure.svg", &panels.to_svg())?;
        }
        if !course.failed.is_empty() {
            bail!(TrialsFailed(course.failed));
        }
        if course.left > 0 {
            bail!(TrialsLeft { left: course.left, all: jobs.len() });
        }
        if self.json {
            print_json("reproduce", &summary, &[])
        } else {
            let ran = course.finished;
            let wall = hours(start.elapsed().as_secs_f64());
            print_text(&format!("{text}\n{ran} trials were run now, in {wall}.\n"), &[])
        }
    }

    /// The command, as it decides the result.
    fn as_typed(&self) -> String {
        let mut command = format!("likelier reproduce {}", self.experiment);
        let Parts { datasets, priors, methods, variants, trials, epochs } = &self.parts;
        for (flag, values) in
            [("datasets", datasets), ("priors", priors), ("methods", methods), ("variants", variants)]
        {
            if !values.is_empty() {
                let _ = write!(command, " --{flag} {}", values.join(","));
            }
        }
        for (flag, value) in [("trials", trials), ("epochs", epochs)] {
            if let Some(value) = value {
                let _ = write!(command, " --{flag} {value}");
            }
        }
        command + " --out " + &self.out.display().to_string()
    }

    /// Adds the settings behind the rows to settings.toml, by their digest.
    fn keep_settings(&self, title: &str, jobs: &[Job]) -> Result<()> {
        let path = self.out.join("settings.toml");
        let mut all: BTreeMap<String, toml::Table> = match std::fs::read_to_string(&path) {
            Ok(text) => toml::from_str(&text).with_context(|| path.display().to_string())?,
            Err(_) => BTreeMap::new(),
        };
        let title = toml::Table::from_iter([("title".to_owned(), title.into())]);
        if let Some(known) = all.insert(EXPERIMENT.into(), title.clone())
            && known != title
        {
            bail!(OtherExperiment(self.out.clone()));
        }
        for job in jobs {
            all.insert(job.settings.digest()?, toml::from_str(&job.settings.text()?)?);
        }
        let text = toml::to_string(&all)?;
        NewFile::create(&path, [])?.finish(|file| {
            file.write_all(
                b"# Every choice behind the rows of raw.csv, which name these by their digest.\n\n",
            )?;
            Ok(file.write_all(text.as_bytes())?)
        })
    }
}

/// The version of the program, with the commit it was built from where that is known.
fn version() -> String {
    match option_env!("LIKELIER_COMMIT") {
        Some(commit) => format!("{}+{commit}", env!("CARGO_PKG_VERSION")),
        None => env!("CARGO_PKG_VERSION").to_owned(),
    }
}
