//! `likelier predict`: scores of new rows.

use std::fmt::Write as _;
use std::io::Write;
use std::ops::Range;
use std::path::PathBuf;

use clap::Args;
use likelier::model::most_likely;
use likelier::words::count;
use likelier::{Classifier, Classifiers, Error, ModelFile, Warning};
use likelier_tables::{BatchIds, ItemBatch, ItemBatches, Layout, write_field};
use rayon::prelude::*;
use serde::Serialize;

use crate::arguments::FormatArguments;
use crate::models;
use crate::terminal::{NewFile, Result, detail, print_json, print_text, reading, standard_input};

/// Score the rows of a file with a model.
///
/// Writes id, score, probability and label of every row. Files of any size are read and written a part at
/// a time. Columns are found by their names: their order does not matter, and extra ones are ignored. A model of several
/// questions writes `probability_NAME` and `label_NAME` of each instead, or `probability_NAME` of each class, then the most
/// likely class, and these probabilities sum to 1.
#[derive(Args)]
#[command(after_help = "Examples:
  likelier predict model.likelier new.csv --out scores.csv
  likelier predict model.likelier big.parquet --out - | head
  likelier predict model.likelier new.csv --threshold 0.7 --out scores.csv
  likelier predict model.likelier new.csv --prior 0.05 --out scores.csv
  likelier predict digits.likelier new.csv --question seven --out sevens.csv
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
    /// The question to answer, where the model answers several [default: all of them].
    #[arg(long, value_name = "NAME")]
    question: Option<String>,
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
        let mut classifier = match (models::read(&self.model)?, &self.question) {
            (ModelFile::Several(all), None) => return self.answer(&all, out, alone),
            (model, question) => model.of_question(question.as_deref())?,
        };
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
        let work = reading(|| format!("scoring {}", self.file.display()), &[&file]);
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

impl PredictVerb {
    /// The probabilities of every question.
    fn answer(&self, all: &Classifiers, out: NewFile, alone: bool) -> Result<()> {
        if self.threshold.is_some() || self.prior.is_some() {
            return Err(Error::SeveralQuestions { questions: all.names() }.into());
        }
        let layout = Layout { id: self.id.clone(), ..self.format.layout() };
        let file = standard_input::path_of(&self.file)?;
        let work = reading(|| format!("scoring {}", self.file.display()), &[&file]);
        let mut batches = ItemBatches::open(&file, all.features(), &layout)?;
        let mut answered = Answered::new(&self.out, all);
        out.finish(|file| {
            let mut batch = ItemBatch::default();
            file.write_all(&header(all))?;
            while batches.read(&mut batch)? {
                answered.unseen_categories += batch.unseen_categories;
                let scores = all.scores(&batch.rows)?;
                let rows = scores.first().map_or(0, Vec::len);
                let firsts: Vec<usize> = (0..rows).step_by(ROWS).collect();
                let pieces: Vec<(Vec<u8>, Vec<usize>)> = firsts
                    .par_iter()
                    .map(|first| answers(all, &batch.ids, *first..rows.min(first + ROWS), &scores))
                    .collect();
                for (text, positives) in pieces {
                    file.write_all(&text)?;
                    answered.count(&positives);
                }
                answered.rows += rows;
            }
            Ok(())
        })?;
        drop(work);
        detail(|| format!("{}: {}", self.file.display(), count(answered.rows, "row")));
        let missing = batches.missing();
        answered.missing_cells = missing.columns.iter().map(|column| column.cells).sum();
        let mut warnings = missing.in_scoring(all.features());
        warnings.extend(models::unseen_categories(answered.unseen_categories));
        warnings.extend((answered.rows == 0).then_some(Warning::NoRows));
        match (alone, self.json) {
            (true, _) => print_text("", &warnings),
            (false, true) => print_json("predict", &answered, &warnings),
            (false, false) => print_text(&answered.text(), &warnings),
        }
    }
}

/// What was written for several questions.
#[derive(Serialize)]
struct Answered<'a> {
    #[serde(serialize_with = "crate::terminal::path_text")]
    scores: &'a PathBuf,
    rows: usize,
    unseen_categories: usize,
    missing_cells: usize,
    classes: bool,
    questions: Vec<Positives<'a>>,
}

/// How many rows are positive by a question, or of a class.
#[derive(Serialize)]
struct Positives<'a> {
    question: &'a str,
    positives: usize,
}

impl<'a> Answered<'a> {
    fn new(scores: &'a PathBuf, all: &'a Classifiers) -> Self {
        let questions = all.iter().map(|(question, _)| Positives { question, positives: 0 }).collect();
        let classes = all.are_classes();
        Self { scores, rows: 0, unseen_categories: 0, missing_cells: 0, classes, questions }
    }

    fn count(&mut self, positives: &[usize]) {
        self.questions
            .iter_mut()
            .zip(positives)
            .for_each(|(one, more)| one.positives += more);
    }

    fn text(&self) -> String {
        let mut text = format!("{}\n  {} scored\n", self.scores.display(), count(self.rows, "row"));
        let what = if self.classes { "" } else { " positive" };
        for Positives { question, positives } in &self.questions {
            let _ = writeln!(text, "  {question}: {positives}{what}");
        }
        text
    }
}

/// The names of the columns.
fn header(all: &Classifiers) -> Vec<u8> {
    let mut line = b"id".to_vec();
    let mut add = |name: &str| {
        line.push(b',');
        // Writing to memory cannot fail.
        let _ = write_field(&mut line, name);
    };
    for (name, _) in all.iter() {
        add(&format!("probability_{name}"));
        if !all.are_classes() {
            add(&format!("label_{name}"));
        }
    }
    if all.are_classes() {
        add("class");
    }
    line.push(b'\n');
    line
}

/// The lines of some rows, and how many of them are positive by each question.
fn answers(
    all: &Classifiers,
    ids: &BatchIds,
    rows: Range<usize>,
    scores: &[Vec<f32>],
) -> (Vec<u8>, Vec<usize>) {
    let mut text = Vec::with_capacity(rows.len() * 12 * (all.len() + 1));
    let mut positives = vec![0; all.len()];
    let mut number = zmij::Buffer::new();
    for row in rows {
        write_id(ids, row, &mut text);
        let of_row = scores.iter().map(|of| of[row]);
        let probabilities = all.probabilities(of_row.clone());
        for (at, ((_, classifier), score)) in all.iter().zip(of_row).enumerate() {
            text.push(b',');
            text.extend_from_slice(number.format(probabilities[at] as f32).as_bytes());
            if !all.are_classes() {
                let positive = score > classifier.threshold();
                positives[at] += usize::from(positive);
                text.extend_from_slice(if positive { b",1" } else { b",0" });
            }
        }
        if all.are_classes() {
            let class = most_likely(&probabilities);
            positives[class] += 1;
            text.push(b',');
            // Writing to memory cannot fail.
            let _ = write_field(&mut text, all.iter().nth(class).map_or("", |(name, _)| name));
        }
        text.push(b'\n');
    }
    (text, positives)
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
