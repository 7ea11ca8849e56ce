//! Where a report goes, and in which form.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use likelier::Error;

use super::html::GENERATOR;
use super::{Sources, html, markdown, sections};
use crate::output::{NewFile, Warning, write_json};

/// What becomes of the report.
#[derive(Args)]
#[command(next_help_heading = "Report")]
pub(crate) struct ReportArguments {
    /// Where to leave the report; its form follows from the end of the name: .html (one page that needs
    /// nothing else), .md or .json. May be given several times [default: .html beside the model].
    #[arg(long, value_name = "FILE")]
    report: Vec<PathBuf>,
    /// Leave no report.
    #[arg(long, conflicts_with = "report")]
    no_report: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Html,
    Markdown,
    Json,
}

/// One report that is to be written.
struct Place {
    path: PathBuf,
    form: Form,
    file: NewFile,
}

/// All of them.
pub(crate) struct Places(Vec<Place>);

/// A page stands beside the model that is not a report, and nobody said that it may go.
#[derive(Debug, thiserror::Error)]
#[error("{} is there and is not a report of likelier", .0.display())]
pub(crate) struct NotAReport(PathBuf);

impl ReportArguments {
    /// Starts the reports, before the work they are about. Where nothing is said there is one beside the model,
    /// if that is a file.
    pub(crate) fn open(&self, model: &Path, model_is_a_file: bool, read: &[PathBuf]) -> Result<Places> {
        let setting = |path: &Path, allowed| {
            let value = path.display().to_string();
            Error::Setting { name: "--report", value, allowed }
        };
        let beside = model.with_extension("html");
        let paths = if !self.report.is_empty() {
            self.report.clone()
        } else if self.no_report || !model_is_a_file || beside == model {
            Vec::new()
        } else {
            check_own(&beside)?;
            vec![beside]
        };
        let mut places = Vec::new();
        for (at, path) in paths.iter().enumerate() {
            let form = match path.extension().and_then(|end| end.to_str()) {
                Some("html" | "htm") => Form::Html,
                Some("md") => Form::Markdown,
                Some("json") => Form::Json,
                _ => return Err(setting(path, "a file that ends in .html, .md or .json").into()),
            };
            if path == model || paths[..at].contains(path) {
                return Err(setting(path, "a file of its own").into());
            }
            places.push(Place { path: path.clone(), form, file: NewFile::create(path, read)? });
        }
        Ok(Places(places))
    }
}

/// Refuses to replace a page that somebody else made.
fn check_own(path: &Path) -> Result<()> {
    let mut head = Vec::new();
    let Ok(file) = File::open(path) else { return Ok(()) };
    file.take(2048).read_to_end(&mut head)?;
    if head.is_empty() || String::from_utf8_lossy(&head).contains(GENERATOR) {
        return Ok(());
    }
    Err(NotAReport(path.to_owned()).into())
}

impl Places {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        self.0.iter().map(|place| place.path.clone()).collect()
    }

    /// Writes the report in every form that was asked for.
    pub(crate) fn write(self, sources: &Sources<'_>, warnings: &[Warning]) -> Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        let record = sources.gather()?;
        let document = sections::document(&record, warnings);
        for Place { form, file, .. } in self.0 {
            file.finish(|out| {
                match form {
                    Form::Html => out.write_all(html::page(&document).as_bytes())?,
                    Form::Markdown => out.write_all(markdown::text(&document).as_bytes())?,
                    Form::Json => write_json(out, "train", &record, warnings)?,
                }
                Ok(())
            })?;
        }
        Ok(())
    }
}
