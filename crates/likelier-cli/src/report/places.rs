//! Where a report goes, and in which form.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use clap::Args;
use likelier::{Error, Warning};

use super::{ReportSources, date, sections};
use crate::document::{self, GENERATOR};
use crate::terminal::{NewFile, Result, mistake, write_json};

/// What becomes of the report.
#[derive(Args)]
#[command(next_help_heading = "Report")]
pub(crate) struct ReportArguments {
    /// Where to write the report; the ending of the name decides its form: .html (one page that needs
    /// nothing else), .md or .json. May be given several times [default: .html beside the model].
    #[arg(long, value_name = "FILE")]
    report: Vec<PathBuf>,
    /// Write no report.
    #[arg(long, conflicts_with = "report")]
    no_report: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReportForm {
    Html,
    Markdown,
    Json,
}

/// One report that is to be written.
struct ReportPlace {
    path: PathBuf,
    form: ReportForm,
    file: NewFile,
}

/// All of them, and the day that they say.
pub(crate) struct ReportPlaces {
    places: Vec<ReportPlace>,
    date: String,
}

impl ReportArguments {
    /// Whether a report was asked for by name.
    pub(crate) fn is_asked_for(&self) -> bool {
        !self.report.is_empty()
    }

    /// Starts the reports, before the work they are about. Where nothing is said there is one beside the model,
    /// if that is a file.
    pub(crate) fn open(
        &self,
        model: &Path,
        model_is_a_file: bool,
        read: &[PathBuf],
    ) -> Result<ReportPlaces> {
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
                Some("html" | "htm") => ReportForm::Html,
                Some("md") => ReportForm::Markdown,
                Some("json") => ReportForm::Json,
                _ => return Err(setting(path, "a file that ends in .html, .md or .json").into()),
            };
            if path == model || paths[..at].contains(path) {
                return Err(setting(path, "a file of its own").into());
            }
            places.push(ReportPlace { path: path.clone(), form, file: NewFile::create(path, read)? });
        }
        let date = if places.is_empty() { String::new() } else { date::today()? };
        Ok(ReportPlaces { places, date })
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
    Err(mistake(
        format!("{} exists and is not a likelier report", path.display()),
        "name another place for the report with --report FILE, or write none with --no-report",
    ))
}

impl ReportPlaces {
    pub(crate) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        self.places.iter().map(|place| place.path.clone()).collect()
    }

    /// Writes the report in every form that was asked for.
    pub(crate) fn write(self, sources: &ReportSources<'_>, warnings: &[Warning]) -> Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        let record = sources.gather(self.date)?;
        let page = sections::document(&record, warnings);
        for ReportPlace { form, file, .. } in self.places {
            file.finish(|out| {
                match form {
                    ReportForm::Html => out.write_all(document::page(&page).as_bytes())?,
                    ReportForm::Markdown => out.write_all(document::text(&page).as_bytes())?,
                    ReportForm::Json => write_json(out, "train", &record, warnings)?,
                }
                Ok(())
            })?;
        }
        Ok(())
    }
}
