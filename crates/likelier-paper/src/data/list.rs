//! `likelier-paper data list`: the data sets, and where they come from.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use likelier_cli::terminal::{Result, print_json, print_text};
use likelier_paper::benchmark::{Benchmark, Checksum, Packing};
use serde::Serialize;

use super::megabytes;
use crate::data_dir::{DataDir, data_failure};

/// Show the paper's data sets: their size, whether they are here, and where they come from.
///
/// Only looks for the files; `likelier-paper data verify` reads them. With --json it shows every file with its
/// length and checksum too.
#[derive(Args)]
#[command(after_help = "Examples:
  likelier-paper data list
  likelier-paper data list --json")]
pub(super) struct ListVerb {
    #[command(flatten)]
    data_dir: DataDir,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct ListReport {
    data_dir: PathBuf,
    data_sets: Vec<Listed>,
}

#[derive(Serialize)]
struct Listed {
    name: &'static str,
    training_rows: usize,
    test_rows: usize,
    /// Not compressed.
    bytes: u64,
    files: Vec<ListedFile>,
    sources: Vec<ListedSource>,
}

#[derive(Serialize)]
struct ListedFile {
    name: &'static str,
    bytes: u64,
    sha256: &'static str,
    /// What the checksum is of: "content", or "gzip" for the compressed file as it was published.
    sha256_of: &'static str,
    path: Option<String>,
}

#[derive(Serialize)]
struct ListedSource {
    address: &'static str,
    packing: &'static str,
    tried: bool,
}

impl ListVerb {
    pub(super) fn run(&self) -> Result<()> {
        let data_dir = self.data_dir.path()?;
        let data_sets = Benchmark::ALL.into_iter().map(|one| Listed::of(one, &data_dir));
        let data_sets = data_sets.collect::<Result<_>>()?;
        let report = ListReport { data_dir, data_sets };
        if self.json { print_json("data list", &report, &[]) } else { print_text(&report.text(), &[]) }
    }
}

impl Listed {
    fn of(benchmark: Benchmark, data_dir: &Path) -> Result<Self> {
        let (spec, publication) = (benchmark.spec(), benchmark.publication());
        let folder = data_dir.join(spec.name);
        let mut files = Vec::new();
        for file in publication.files {
            let sha256_of = match file.checksum {
                Checksum::Content(_) => "content",
                Checksum::Gzip(_) => "gzip",
            };
            files.push(ListedFile {
                name: file.name,
                bytes: file.bytes,
                sha256: file.checksum.sha256(),
                sha256_of,
                path: file.find(&folder).map_err(data_failure)?.map(|path| path.display().to_string()),
            });
        }
        let sources = publication.sources.iter().map(|source| ListedSource {
            address: source.address,
            packing: match source.packing {
                Packing::Loose(_) => "files",
                Packing::TarGz => "tar.gz",
                Packing::Zip => "zip",
            },
            tried: source.tried,
        });
        Ok(Self {
            name: spec.name,
            training_rows: spec.rows[0],
            test_rows: spec.rows[1],
            bytes: files.iter().map(|file| file.bytes).sum(),
            files,
            sources: sources.collect(),
        })
    }

    /// How many of its files are here, in a word.
    fn here(&self) -> String {
        match self.files.iter().filter(|file| file.path.is_some()).count() {
            0 => "no".into(),
            count if count == self.files.len() => "yes".into(),
            count => format!("{count} of {}", self.files.len()),
        }
    }
}

impl ListReport {
    fn text(&self) -> String {
        let mut text =
            format!("{:<17}{:>16}{:>11}   {:<7}  from\n", "name", "rows, test rows", "size", "here");
        for set in &self.data_sets {
            let rows = format!("{}, {}", set.training_rows, set.test_rows);
            let start =
                format!("{:<17}{rows:>16}{:>11}   {:<7}", set.name, megabytes(set.bytes), set.here());
            let indent = " ".repeat(start.chars().count());
            for (at, source) in set.sources.iter().enumerate() {
                let start = if at == 0 { &start } else { &indent };
                let tried = if source.tried { "" } else { " (untried)" };
                let _ = writeln!(text, "{start}  {}{tried}", source.address);
            }
        }
        let _ = write!(
            text,
            "\nhere: which files are in {}; `likelier-paper data verify` compares them with what was published.\n\
             untried: an address that is known, but that nobody has downloaded from with this program yet.\n\
             Whatever an address gives, `likelier-paper data fetch` puts nothing in place but the published files.\n",
            self.data_dir.display()
        );
        text
    }
}
