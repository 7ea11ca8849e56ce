//! `likelier label export`, `import` and `forget`.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use likelier::words::{by_count, count};
use likelier_label::{Collected, ExportFormat, ImportFormat, Store, import};
use serde::Serialize;

use crate::terminal::{NewFile, Result, mistake, print_json, print_text};

/// Write answers as a table.
///
/// The answers that stand, in the columns that `--comparisons` takes, and what else is known of each. With --all also what
/// was skipped, flagged or undone.
#[derive(Args)]
#[command(after_help = "Example:
  likelier label export items.likelier-label --out answers.parquet")]
pub(super) struct ExportAnswers {
    /// The file of answers.
    answers: PathBuf,
    /// The file to write; - for standard output.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// The format [default: by the ending: .csv, .parquet or .jsonl].
    #[arg(long, value_enum)]
    format: Option<FormatName>,
    /// Also what was skipped, flagged or undone: a log, not for training.
    #[arg(long)]
    all: bool,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

/// What was written.
#[derive(Serialize)]
struct Exported<'a> {
    #[serde(serialize_with = "crate::terminal::path_text")]
    file: &'a Path,
    answers: usize,
}

#[derive(Clone, Copy, ValueEnum)]
enum FormatName {
    Csv,
    Parquet,
    Jsonl,
}

impl ExportAnswers {
    pub(super) fn run(&self) -> Result<()> {
        let end = self.out.extension().and_then(|end| end.to_str());
        let format = match (self.format, end) {
            (Some(FormatName::Csv), _) | (None, Some("csv")) => ExportFormat::Csv,
            (Some(FormatName::Parquet), _) | (None, Some("parquet")) => ExportFormat::Parquet,
            (Some(FormatName::Jsonl), _) | (None, Some("jsonl")) => ExportFormat::Jsonl,
            (None, _) => {
                return Err(mistake(
                    format!("{}: it is not clear which format is wanted", self.out.display()),
                    "let the name end in .csv, .parquet or .jsonl, or add --format",
                ));
            }
        };
        let out = NewFile::create(&self.out, std::slice::from_ref(&self.answers))?;
        let alone = out.is_standard_output(self.json)?;
        let rows = Collected::read(&self.answers)?.rows(self.all)?;
        let bytes = format.bytes(&rows)?;
        out.finish(|file| Ok(file.write_all(&bytes)?))?;
        if alone {
            return Ok(());
        }
        if self.json {
            let exported = Exported { file: &self.out, answers: rows.len() };
            return print_json("label export", &exported, &[]);
        }
        print_text(&format!("{}\n  {}\n", self.out.display(), count(rows.len(), "answer")), &[])
    }
}

/// Take over answers that were collected elsewhere.
///
/// Importing the same file a second time adds nothing.
#[derive(Args)]
#[command(after_help = "Examples:
  likelier label import comparisons.csv --into items.likelier-label
  likelier label import project-3.json --from label-studio --fields id1,id2 --into items.likelier-label
  likelier label import pairs.tsv --from catboost --into items.likelier-label")]
pub(super) struct ImportAnswers {
    /// What was collected.
    from_file: PathBuf,
    /// The file of answers; `likelier label` makes it.
    #[arg(long, value_name = "FILE")]
    into: PathBuf,
    /// What it is.
    #[arg(long, value_enum, default_value_t = ImportName::Csv)]
    from: ImportName,
    /// The fields of a Label Studio task that hold the ids of the left and the right item.
    #[arg(long, value_name = "LEFT,RIGHT", value_delimiter = ',', num_args = 1)]
    fields: Option<Vec<String>>,
    /// Who answered, where the file does not say.
    #[arg(long, value_name = "NAME", default_value = "imported")]
    name: String,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

/// What was taken over.
#[derive(Serialize)]
struct Imported<'a> {
    #[serde(serialize_with = "crate::terminal::path_text")]
    file: &'a Path,
    added: usize,
    known: usize,
}

#[derive(Clone, Copy, ValueEnum)]
enum ImportName {
    /// A table as `--comparisons` takes it.
    Csv,
    /// CatBoost's pairs: row numbers of winner and loser.
    Catboost,
    /// The JSON of Label Studio's pairwise template.
    LabelStudio,
}

impl ImportAnswers {
    pub(super) fn run(&self) -> Result<()> {
        let format = match (self.from, self.fields.as_deref()) {
            (ImportName::Csv | ImportName::Catboost, None) => ImportFormat::Comparisons,
            (ImportName::LabelStudio, None) => {
                ImportFormat::LabelStudio { fields: ["left_id".into(), "right_id".into()] }
            }
            (ImportName::LabelStudio, Some([left, right])) => {
                ImportFormat::LabelStudio { fields: [left.clone(), right.clone()] }
            }
            (ImportName::LabelStudio, Some(_)) => {
                return Err(mistake("--fields takes two names", "give them as LEFT,RIGHT"));
            }
            (_, Some(_)) => return Err(mistake("--fields is for Label Studio", "add --from label-studio")),
        };
        let (added, known) = import(&self.from_file, &self.into, &format, &self.name)?;
        if self.json {
            return print_json("label import", &Imported { file: &self.into, added, known }, &[]);
        }
        let again = if known > 0 {
            format!("; {known} {} there already", by_count(known, "was", "were"))
        } else {
            String::new()
        };
        print_text(&format!("{}\n  {} added{again}\n", self.into.display(), count(added, "answer")), &[])
    }
}

/// Remove a person and all their answers for good.
#[derive(Args)]
#[command(after_help = "Example:
  likelier label forget ann --file items.likelier-label")]
pub(super) struct ForgetPerson {
    /// The name.
    name: String,
    /// The file of answers.
    #[arg(long, value_name = "FILE")]
    file: PathBuf,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

/// Who is gone.
#[derive(Serialize)]
struct Forgotten<'a> {
    #[serde(serialize_with = "crate::terminal::path_text")]
    file: &'a Path,
    name: &'a str,
    answers: usize,
}

impl ForgetPerson {
    pub(super) fn run(&self) -> Result<()> {
        // Looks first, so that a wrong path does not make a file.
        Store::read(&self.file)?;
        let mut store = Store::open(&self.file)?;
        let answers = store.forget(&self.name)?;
        store.close()?;
        if self.json {
            let forgotten = Forgotten { file: &self.file, name: &self.name, answers };
            return print_json("label forget", &forgotten, &[]);
        }
        print_text(
            &format!(
                "{}\n  '{}' is forgotten, with {}\n",
                self.file.display(),
                self.name,
                count(answers, "answer")
            ),
            &[],
        )
    }
}
