//! `likelier-paper data verify`: are the data sets on the disk those that were published?

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;
use likelier::Warning;
use likelier_cli::terminal::{Answered, Result, print_json, print_text};
use likelier_paper::benchmark::{Benchmark, Condition};
use serde::Serialize;

use super::named;
use crate::data_dir::{DataDir, data_failure};

/// Compare data sets on the disk with the published checksums.
///
/// The exit code is 0 if all of them are whole, and 1 if a file is missing, damaged, or stands in only
/// partly for the published one.
#[derive(Args)]
#[command(after_help = "Examples:
  likelier-paper data verify
  likelier-paper data verify mnist cifar10 --data-dir /srv/data
  likelier-paper data verify optdigits --json")]
pub(super) struct VerifyVerb {
    /// The data sets [default: all that have a folder in the data directory].
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    #[command(flatten)]
    data_dir: DataDir,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct VerifyReport {
    data_dir: PathBuf,
    /// Whether there is something, and all of it is whole.
    whole: bool,
    data_sets: Vec<Verified>,
}

#[derive(Serialize)]
struct Verified {
    name: &'static str,
    condition: &'static str,
    files: Vec<VerifiedFile>,
}

#[derive(Serialize)]
struct VerifiedFile {
    name: &'static str,
    condition: &'static str,
    path: Option<String>,
    problem: Option<String>,
}

impl VerifyVerb {
    pub(super) fn run(&self) -> Result<Answered> {
        let data_dir = self.data_dir.path()?;
        let benchmarks = match self.names.as_slice() {
            [] => Benchmark::ALL
                .into_iter()
                .filter(|one| data_dir.join(one.name()).exists())
                .collect(),
            names => named(names)?,
        };
        let mut data_sets = Vec::new();
        for benchmark in benchmarks {
            let files = benchmark.inspect(&data_dir).map_err(data_failure)?;
            let condition = Condition::of_all(&files).name();
            let files = files.into_iter().map(|file| VerifiedFile {
                name: file.file.name,
                condition: file.condition.name(),
                path: file.path.map(|path| path.display().to_string()),
                problem: file.problem,
            });
            data_sets.push(Verified { name: benchmark.name(), condition, files: files.collect() });
        }
        let whole = !data_sets.is_empty() && data_sets.iter().all(Verified::is_whole);
        let report = VerifyReport { data_dir, whole, data_sets };
        let warnings = report.warnings();
        if self.json {
            print_json("data verify", &report, &warnings)?;
        } else {
            print_text(&report.text(&self.data_dir.as_typed()), &warnings)?;
        }
        Ok(if whole { Answered::Yes } else { Answered::No })
    }
}

impl Verified {
    fn is_whole(&self) -> bool {
        self.condition == Condition::Whole.name()
    }

    fn file_names(&self, condition: Condition) -> Vec<&str> {
        let files = self.files.iter().filter(|file| file.condition == condition.name());
        files.map(|file| file.name).collect()
    }
}

impl VerifyReport {
    fn text(&self, data_dir_option: &str) -> String {
        if self.data_sets.is_empty() {
            return format!(
                "there is no data set in {}; `likelier-paper data fetch NAME{data_dir_option}` gets one\n",
                self.data_dir.display()
            );
        }
        let mut text = String::new();
        for set in &self.data_sets {
            let _ = writeln!(text, "{:<17}{}", set.name, set.condition);
            for file in set.files.iter().filter(|_| !set.is_whole()) {
                let remark = match (&file.path, &file.problem) {
                    (Some(path), Some(problem)) => format!(": {path} {problem}"),
                    (Some(path), None) if file.condition == Condition::Partial.name() => {
                        format!(": {path} stands for it")
                    }
                    _ => String::new(),
                };
                let _ = writeln!(text, "  {:<27}{}{remark}", file.name, file.condition);
            }
        }
        let names: Vec<&str> = self
            .data_sets
            .iter()
            .filter(|set| !set.is_whole())
            .map(|set| set.name)
            .collect();
        if !names.is_empty() {
            let _ = writeln!(
                text,
                "\nto get what was published: likelier-paper data fetch {}{data_dir_option}",
                names.join(" ")
            );
        }
        text
    }

    fn warnings(&self) -> Vec<Warning> {
        let partly = self
            .data_sets
            .iter()
            .filter(|set| !set.file_names(Condition::Partial).is_empty());
        partly
            .map(|set| Warning::PartialData {
                note: format!("{} is a partial copy: results on it say so", set.name),
            })
            .collect()
    }
}
