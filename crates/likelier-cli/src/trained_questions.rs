//! What training says when it is done with several questions.

use std::fmt::Write as _;
use std::path::Path;

use likelier::estimate::metrics::Metric;
use likelier::words::count;
use likelier::{FittedQuestions, JudgedClasses, Rows};
use serde::Serialize;

use crate::judged::{Told, ends, explanation, shown};
use crate::terminal::{range, wrapped};
use crate::trained::Trained;

/// What came out.
#[derive(Serialize)]
pub(crate) struct TrainedQuestions<'a> {
    #[serde(serialize_with = "crate::terminal::path_text")]
    model: &'a Path,
    questions: Vec<TrainedQuestion<'a>>,
    /// How often the most likely class is the right one.
    classes: Option<&'a JudgedClasses>,
    #[serde(skip)]
    are_classes: bool,
}

/// What came out for one of them.
#[derive(Serialize)]
struct TrainedQuestion<'a> {
    question: &'a str,
    #[serde(flatten)]
    trained: Trained<'a>,
}

impl<'a> TrainedQuestions<'a> {
    /// What came out of a fit that was written to this file.
    pub(crate) fn new(model: &'a Path, fitted: &'a FittedQuestions, rows: &Rows, seed: u64) -> Self {
        let questions = fitted.questions.iter().map(|(name, one)| TrainedQuestion {
            question: name,
            trained: Trained::new(model, one, rows, seed, Vec::new()),
        });
        Self {
            model,
            questions: questions.collect(),
            classes: fitted.classes.as_ref(),
            are_classes: fitted.classifiers.are_classes(),
        }
    }

    /// For people: a line for each question.
    pub(crate) fn text(&self) -> String {
        let mut text = format!(
            "{}\n  {}, {}\n",
            self.model.display(),
            count(self.questions.len(), "question"),
            if self.are_classes { "the classes of one thing" } else { "each with a classifier of its own" }
        );
        if let Some(TrainedQuestion { trained, .. }) = self.questions.first() {
            let _ = writeln!(
                text,
                "  {} {} from {} with {}; {}, seed {}",
                trained.method,
                trained.architecture,
                count(trained.items, "item"),
                count(trained.features, "feature"),
                trained.protocol,
                trained.seed
            );
        }
        let mut rows = vec![
            ["question", "comparisons", "prior", "accuracy, new items (95 % interval)", "AUC"]
                .map(str::to_owned),
        ];
        for TrainedQuestion { question, trained } in &self.questions {
            let told = |what| trained.label_free.map_or("not known".into(), |judged| shown(what, judged));
            rows.push([
                (*question).to_owned(),
                trained.comparisons.to_string(),
                trained.shown_prior(),
                told(Told::At(Metric::Accuracy)),
                told(Told::Auc),
            ]);
        }
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..5).map(width).collect();
        for row in &rows {
            text.push_str("  ");
            for (cell, width) in row.iter().zip(&widths) {
                let _ = write!(text, "{cell:<0$}", width + 3);
            }
            text.truncate(text.trim_end_matches(' ').len());
            text.push('\n');
        }
        if let Some(judged) = self.questions.iter().find_map(|one| one.trained.label_free) {
            for sentence in explanation(judged) {
                text.push_str(&wrapped(&sentence, "    "));
            }
        }
        if let Some(judged) = self.classes {
            let point = judged.accuracy;
            let plain = || format!("{:.3} ({})", point.clipped(0.0, 1.0).value, range(&point));
            let accuracy = judged.range.as_ref().map_or_else(plain, |range| ends(range, 1.0));
            let _ = writeln!(
                text,
                "  the most likely class is the right one, for new items and without labels: {accuracy}"
            );
        }
        text
    }
}
