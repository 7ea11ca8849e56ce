//! `likelier export`: a model for programs that know nothing of likelier.

use std::path::PathBuf;

use clap::Args;
use likelier::data::Column;
use serde::Serialize;

use crate::models;
use crate::terminal::{NewFile, Result, print_json, print_text};

/// Turn a model file into an ONNX file, preprocessing and threshold included.
///
/// Its inputs are `features` (the number columns, in the model's order) and one text input for each
/// category column; its outputs are `score`, `probability` and `label`.
#[derive(Args)]
#[command(after_help = "Examples:
  likelier export wine.likelier --out wine.onnx
  likelier export digits.likelier --question seven --out seven.onnx")]
pub(crate) struct ExportVerb {
    /// The model file; - for standard input.
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// The file to write; - for standard output.
    #[arg(long, value_name = "FILE.onnx")]
    out: PathBuf,
    /// The question whose model to turn, where the file answers several.
    #[arg(long, value_name = "NAME")]
    question: Option<String>,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Exported<'a> {
    #[serde(serialize_with = "crate::terminal::path_text")]
    file: &'a PathBuf,
    bytes: usize,
}

impl ExportVerb {
    pub(crate) fn run(&self) -> Result<()> {
        let out = NewFile::create(&self.out, [&self.model])?;
        let alone = out.is_standard_output(self.json)?;
        let classifier = models::load(&self.model, self.question.as_deref())?;
        let bytes = classifier.to_onnx()?;
        out.finish(|file| Ok(file.write_all(&bytes)?))?;
        let written = Exported { file: &self.out, bytes: bytes.len() };
        if self.json {
            print_json("export", &written, &[])
        } else if alone {
            Ok(())
        } else {
            // Where numbers lie far from zero.
            let is_far =
                |column: &Column| matches!(column, Column::Number { rule, .. } if rule.offset != 0.0);
            let far = classifier.features().columns().iter().any(is_far);
            let text = format!(
                "{}  {} bytes; outputs score, probability and label (1 or 0){}\n",
                written.file.display(),
                written.bytes,
                if far { "; takes features as double, not float" } else { "" }
            );
            print_text(&text, &[])
        }
    }
}
