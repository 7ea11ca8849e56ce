//! `likelier-paper reproduce`: the paper's tables and figure, ours beside the paper's.

mod beyond;
mod claims;
mod elsewhere;
mod experiment;
mod figures;
mod job;
mod means;
mod pages;
mod paper;
mod parts;
mod raw;
mod run;
mod sets;
mod settings;
mod summary;
mod word_for_none;

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use likelier::words::count;
use likelier_cli::document;
use likelier_cli::terminal::{
    Failure, NewFile, Result, ask_to_stop, end_at_once, mistake, print_json, print_text,
};

use crate::data_dir::DataDir;
use elsewhere::ElsewhereArguments;
use experiment::{Experiment, TrialJob};
use pages::hours;
use parts::PartArguments;
use raw::{RawFile, TrialKey};
use run::{Course, Labour};
use sets::LoadedSets;
use summary::{RunSummary, summarise};

/// Run an experiment of the paper, and show our numbers beside the paper's.
///
/// Each finished trial is added to raw.csv at once; the same command continues where it was stopped, however that
/// was, with networks even within a trial. The folder also gets settings.toml (every choice behind the rows),
/// summary.md and report.html.
#[derive(Args)]
#[command(after_help = "Examples:
  likelier-paper reproduce table3 --out table3
  likelier-paper reproduce table2 --datasets mnist --priors 0.5 --methods pcomp-relu,pcomp-teacher \\
      --trials 1 --out mnist
  likelier-paper reproduce my-experiment.toml --out mine")]
pub(crate) struct ReproduceVerb {
    /// table2, table3 or figure2; or a file like those in crates/likelier-paper/experiments, ending in .toml.
    #[arg(value_name = "EXPERIMENT")]
    experiment: String,
    /// Trials at a time [default: one for each core]. Results are the same for any number.
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// Threads of each trial. Results are the same for any number.
    #[arg(long, value_name = "N", default_value = "1")]
    threads: NonZeroUsize,
    /// The folder for the results; an existing run is continued.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    data_dir: DataDir,
    /// Print the summary as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    parts: PartArguments,
    #[command(flatten)]
    elsewhere: ElsewhereArguments,
}

/// The key of settings.toml that says what was run; the others are digests.
const EXPERIMENT: &str = "experiment";

impl ReproduceVerb {
    pub(crate) fn run(&self) -> Result<()> {
        let experiment = Experiment::find(&self.experiment)?;
        let jobs = experiment.jobs(&self.parts)?;
        if jobs.is_empty() {
            return Err(mistake(
                "there is nothing to run: no trial is in all the parts that were asked for",
                "leave a flag out, or ask for a method that the variant has and for at least one trial",
            ));
        }
        if self.elsewhere.plan {
            return self.print_plan(&jobs);
        }
        let jobs = self.elsewhere.only_of(jobs)?;
        let sets = LoadedSets::within(self.data_dir.path()?);
        if self.elsewhere.take {
            return self.take(&experiment, &jobs, &sets);
        }
        // A run is not begun for data that are not there.
        if !RawFile::is_begun(&self.out) {
            sets.load(&jobs)?;
        }
        let mut raw = RawFile::open(&self.out)?;
        let open = raw.missing(&jobs)?;
        self.keep_settings(&experiment.title, &jobs)?;
        let start = Instant::now();
        let course = self.work(&jobs, &open, &mut raw, &sets)?;
        self.conclude(&experiment, &jobs, &raw, &course, start)
    }

    /// Writes the pages, and says what was done.
    fn conclude(
        &self,
        experiment: &Experiment,
        jobs: &[TrialJob],
        raw: &RawFile,
        course: &Course,
        start: Instant,
    ) -> Result<()> {
        let summary = summarise(experiment, raw.rows(), self.as_typed(), course.notes.clone())?;
        let text = self.write_pages(&summary)?;
        complain(course, jobs.len())?;
        if self.json {
            return print_json("reproduce", &summary, &[]);
        }
        let wall = hours(start.elapsed().as_secs_f64());
        let ran = match course.finished {
            1 => "1 trial was".to_owned(),
            count => format!("{count} trials were"),
        };
        print_text(&format!("{text}\n{ran} run now, in {wall}.\n"), &[])
    }

    /// The trials that are not done yet: the number of each, and its name.
    fn print_plan(&self, jobs: &[TrialJob]) -> Result<()> {
        let open = if RawFile::is_begun(&self.out) {
            RawFile::open(&self.out)?.missing(jobs)?
        } else {
            jobs.iter().collect()
        };
        let open: Vec<TrialKey> = open.into_iter().map(TrialKey::of).collect();
        let lines = jobs.iter().enumerate().filter(|(_, job)| open.contains(&TrialKey::of(job)));
        let lines: Vec<String> = lines.map(|(at, job)| format!("{at}\t{}\n", run::name(job))).collect();
        print_text(&lines.concat(), &[])
    }

    /// Adds rows of trials that were run elsewhere, each as soon as it comes.
    fn take(&self, experiment: &Experiment, jobs: &[TrialJob], sets: &LoadedSets) -> Result<()> {
        let start = Instant::now();
        let mut raw = RawFile::open(&self.out)?;
        raw.missing(jobs)?;
        self.keep_settings(&experiment.title, jobs)?;
        let mut finished = 0;
        for line in std::io::stdin().lines() {
            finished += usize::from(raw.take(&line?, jobs)?);
        }
        let left = raw.missing(jobs)?.len();
        let course = Course { failed: Vec::new(), finished, left, notes: sets.notes(jobs) };
        self.conclude(experiment, jobs, &raw, &course, start)
    }

    fn work(
        &self,
        jobs: &[TrialJob],
        open: &[&TrialJob],
        raw: &mut RawFile,
        sets: &LoadedSets,
    ) -> Result<Course> {
        let cores = || std::thread::available_parallelism().map_or(1, Into::into);
        let labour = Labour {
            sets,
            folder: &self.out.join("begun"),
            workers: self.jobs.map_or_else(cores, Into::into),
            threads: self.threads.into(),
            stop: ask_to_stop(),
        };
        let course = run::run(jobs, open, raw, &labour);
        end_at_once();
        course
    }

    /// The summary in every form; says it in Markdown.
    fn write_pages(&self, summary: &RunSummary) -> Result<String> {
        let write = |name: &str, text: &str| {
            NewFile::create(&self.out.join(name), [])?.finish(|file| Ok(file.write_all(text.as_bytes())?))
        };
        let page = pages::document(summary);
        let text = document::text(&page);
        write("summary.md", &text)?;
        write("report.html", &document::page(&page))?;
        if let Some(panels) = pages::panels(summary) {
            write(pages::FIGURE, &panels.to_svg())?;
        }
        Ok(text)
    }

    /// The command, as it decides the result.
    fn as_typed(&self) -> String {
        let (parts, out) = (self.parts.as_typed(), self.out.display());
        format!("likelier-paper reproduce {}{parts} --out {out}", self.experiment)
    }

    /// Adds the settings behind the rows to settings.toml, by their digest.
    fn keep_settings(&self, title: &str, jobs: &[TrialJob]) -> Result<()> {
        let path = self.out.join("settings.toml");
        let bad = |error: String| -> Failure {
            mistake(
                format!("{}: {}", path.display(), error.trim_end()),
                "name another folder with --out, or remove the file: it is written again",
            )
        };
        let mut all: BTreeMap<String, toml::Table> = match std::fs::read_to_string(&path) {
            Ok(text) => toml::from_str(&text).map_err(|error| bad(error.to_string()))?,
            Err(_) => BTreeMap::new(),
        };
        let title = toml::Table::from_iter([("title".to_owned(), title.into())]);
        if let Some(known) = all.insert(EXPERIMENT.into(), title.clone())
            && known != title
        {
            return Err(mistake(
                format!("{} holds the trials of another experiment", self.out.display()),
                "name another folder with --out: each experiment has its own",
            ));
        }
        for job in jobs {
            all.insert(job.recorded.digest.clone(), job.recorded.text.clone());
        }
        let text = toml::to_string(&all).map_err(|error| bad(error.to_string()))?;
        NewFile::create(&path, [])?.finish(|file| {
            file.write_all(
                b"# Every choice behind the rows of raw.csv, which name these by their digest.\n\n",
            )?;
            Ok(file.write_all(text.as_bytes())?)
        })
    }
}

/// An error if trials failed or are left.
fn complain(course: &Course, all: usize) -> Result<()> {
    let Course { failed, left, .. } = course;
    if !failed.is_empty() {
        return Err(mistake(
            format!("{} failed, the first of them:", count(failed.len(), "trial")),
            "finished trials are kept: the same command tries the failed ones again",
        )
        .listing(failed.iter().take(3).cloned()));
    }
    if *left > 0 {
        return Err(mistake(
            format!("stopped with {left} of {all} trials left"),
            "finished trials are kept: the same command continues with the rest",
        ));
    }
    Ok(())
}

/// The version of the program, with the commit it was built from where that is known.
fn version() -> String {
    match option_env!("LIKELIER_COMMIT") {
        Some(commit) => format!("{}+{commit}", env!("CARGO_PKG_VERSION")),
        None => env!("CARGO_PKG_VERSION").to_owned(),
    }
}
