//! `likelier predict`: scores of new rows.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use likelier::words::count;
use likelier::{Classifier, Warning};
use likelier_tables::{BatchIds, ItemBatch, ItemBatches, Layout, write_field};
use rayon::prelude::*;
use serde::Serialize;

use crate::arguments::FormatArguments;
use crate::models;
use crate::terminal::{NewFile, Result, busy, detail, print_json, print_text, standard_input};

/// Score the rows of a file with a model.
///
/// Writes id, score, probability and label of every row. Files of any size are read and written a part at
/// a time. Columns are found by their names: their order does not matter, and extra ones are ignored.
#[derive(Args)]
#[command(after_help = "Examples:
  likelier predict model.likelier new.csv --out scores.csv
  likelier predict model.likelier big.parquet --out - | head
  likelier predict model.likelier new.csv --threshold 0.7 --out scores.csv
  likelier predict model.likelier new.csv --prior 0.05 --out scores.csv
  zcat rows.csv.gz | likelier predict model.likelier - --out scores.csv")]
pub(crate) struct PredictVerb {
    /// The model file; - for standard input.
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// The rows: CSV, TSV, JSON Lines, Parquet, NPY, NPZ or LIBSVM, also as .gz, .xz or
    /// .zst, or a folder of images; - for standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The table to write (CSV); - for standard output.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// The column that names the rows [default: `id` if there is one, else rows are numbered from 0].
    #[arg(long, value_name = "COLUMN")]
    id: Option<String>,
    /// Call rows positive whose score is above this, instead of the model's own threshold.
    #[arg(long, value_name = "SCORE", allow_negative_numbers = true, value_parser = finite)]
    threshold: Option<f32>,
    /// The share of positives among these rows, if it is not that of training: probabilities and threshold are moved
    /// to it. Positives and negatives must each look as they did in training.
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true, conflicts_with = "threshold")]
    prior: Option<String>,
    #[command(flatten)]
    format: FormatArguments,
    /// Print the counts as JSON.
    #[arg(long)]
    json: bool,
}

/// What was written.
#[derive(Default, Serialize)]
struct Predicted {
    #[serde(serialize_with = "crate::terminal::path_text")]
    scores: PathBuf,
    rows: usize,
    positives: usize,
    unseen_categories: usize,
    missing_cells: usize,
    /// The share of positives that probabilities are for.
    prior: f64,
    threshold: f32,
}

fn finite(text: &str) -> std::result::Result<f32, String> {
    let number = text.parse().ok().filter(|number: &f32| number.is_finite());
    number.ok_or_else(|| "give a number, such as 0.7".into())
}

/// Rows that one piece of work turns into text.
const ROWS: usize = 4096;

impl PredictVerb {
    pub(crate) fn run(&self) -> Result<()> {
        let out = NewFile::create(&self.out, [&self.model, &self.file])?;
        let alone = out.is_standard_output(self.json)?;
        standard_input::at_most_once([&self.model, &self.file])?;
        let mut classifier = models::load(&self.model)?;
        if let Some(threshold) = self.threshold {
            classifier = classifier.with_threshold(threshold);
        }
        let moved = match &self.prior {
            Some(prior) => {
                let (trained, before) = (classifier.prior(), classifier.threshold());
                classifier = classifier.for_prior(prior.parse()?)?;
                let (prior, after) = (classifier.prior(), classifier.threshold());
                format!(
                    "  for a share of positives of {prior} instead of {trained}: probabilities are moved, and the threshold from \
                     {before:.4} to {after:.4}\n"
                )
            }
            None => String::new(),
        };
        let layout = Layout { id: self.id.clone(), ..self.format.layout() };
        let file = standard_input::path_of(&self.file)?;
        let work = busy(|| format!("scoring {}", self.file.display()));
        let mut batches = ItemBatches::open(&file, classifier.features(), &layout)?;
        let (prior, threshold) = (classifier.prior().positive(), classifier.threshold());
        let mut predicted =
            Predicted { scores: self.out.clone(), prior, threshold, ..Predicted::default() };
        out.finish(|file| {
            file.write_all(b"id,score,probability,label\n")?;
            let mut batch = ItemBatch::default();
            while batches.read(&mut batch)? {
                predicted.unseen_categories += batch.unseen_categories;
                write_scores(&classifier, &batch, file, &mut predicted)?;
            }
            Ok(())
        })?;
        drop(work);
        detail(|| format!("{}: {}", self.file.display(), count(predicted.rows, "row")));
        let missing = batches.missing();
        predicted.missing_cells = missing.columns.iter().map(|column| column.cells).sum();
        let mut warnings = missing.in_scoring(classifier.features());
        warnings.extend(models::unseen_categories(predicted.unseen_categories));
        warnings.extend((predicted.rows == 0).then_some(Warning::NoRows));
        if alone {
            return print_text("", &warnings);
        }
        if self.json {
            return print_json("predict", &predicted, &warnings);
        }
        let text = format!(
            "{}\n  {} scored, {} of them positive\n{moved}",
            self.out.display(),
            count(predicted.rows, "row"),
            predicted.positives
        );
        print_text(&text, &warnings)
    }
}

/// Scores a batch and writes it, its pieces turned into text side by side.
fn write_scores(
    classifier: &Classifier,
    batch: &ItemBatch,
    out: &mut dyn Write,
    predicted: &mut Predicted,
) -> Result<()> {
    let scores = classifier.scores(&batch.rows)?;
    let pieces: Vec<(Vec<u8>, usize)> = scores
        .par_chunks(ROWS)
        .enumerate()
        .map(|(at, scores)| lines(classifier, &batch.ids, at * ROWS, scores))
        .collect();
    for (text, positives) in &pieces {
        out.write_all(text)?;
        predicted.positives += positives;
    }
    predicted.rows += scores.len();
    Ok(())
}

/// The lines of some rows, and how many of them are positive.
fn lines(classifier: &Classifier, ids: &BatchIds, first: usize, scores: &[f32]) -> (Vec<u8>, usize) {
    let (map, threshold) = (classifier.probability(), classifier.threshold());
    let mut text = Vec::with_capacity(scores.len() * 32);
    let mut positives = 0;
    let mut number = zmij::Buffer::new();
    for (at, &score) in scores.iter().enumerate() {
        write_id(ids, first + at, &mut text);
        let positive = score > threshold;
        positives += usize::from(positive);
        for value in [score, map.of(score)] {
            text.push(b',');
            text.extend_from_slice(number.format(value).as_bytes());
        }
        text.extend_from_slice(if positive { b",1\n" } else { b",0\n" });
    }
    (text, positives)
}

/// An id as a field of a CSV file.
fn write_id(ids: &BatchIds, row: usize, text: &mut Vec<u8>) {
    // Writing to memory cannot fail.
    let _ = match ids {
        BatchIds::Numbered { first } => write!(text, "{}", first + row),
        BatchIds::Named(names) => write_field(text, names.get(row)),
    };
}
