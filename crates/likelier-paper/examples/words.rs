//! Few comparisons and many words: how features are scaled, on CNAE-9.
//!
//! ```text
//! LIKELIER_DATA=… cargo run --release -p likelier-paper --example words -- [SEEDS] [FIRST] > words.csv
//! ```
//!
//! Trials as in the paper's Table 3, and the same under forced choice: 200 comparisons, exact counts. `largest` divides each feature by its
//! largest value; `rare` weighs words by how rare they are; `train` is what `fit` chooses. `labels` sees the labels of the same rows.
//! The truth is the accuracy on the test rows. `low` to `high` is the interval that is told without labels.

#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::path::Path;

use likelier::data::{Label, Rows};
use likelier::evaluate::Confusion;
use likelier::generate::{Recipe, Sampling, draw};
use likelier::model::ScalingKind;
use likelier::random::{Purpose, stream};
use likelier::{
    Answers, Equals, Evidence, FitOptions, Method, Prior, Protocol, Supervision, fit, resample_to_prior,
};
use likelier_paper::benchmark::Benchmark;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let folder = std::env::var_os("LIKELIER_DATA").ok_or("set LIKELIER_DATA to the data directory")?;
    let mut numbers = std::env::args().skip(1).map(|text| text.parse::<u64>());
    let (seeds, first) =
        (numbers.next().transpose()?.unwrap_or(20), numbers.next().transpose()?.unwrap_or(100));
    let dataset = Benchmark::Cnae9.load(Path::new(&folder))?;
    println!("dataset,protocol,prior,seed,treatment,accuracy,low,high,scaling");
    for protocol in [Protocol::DISCARD, Protocol::FORCED_CHOICE] {
        for share in [0.2, 0.5, 0.8] {
            let prior = Prior::new(share)?;
            for seed in first..first + seeds {
                let split = dataset.split(&mut stream(seed, Purpose::Split));
                let recipe =
                    Recipe { prior, protocol, pairs: 200, sampling: Sampling::default(), degrees: None };
                let drawn =
                    draw(&dataset.labels, &split.train, &recipe, &mut stream(seed, Purpose::Comparisons))?;
                let Evidence::Answers(answers) = drawn.evidence else { return Err("piles".into()) };
                let test = resample_to_prior(
                    &dataset.labels,
                    &split.test,
                    prior,
                    &mut stream(seed, Purpose::Resample),
                )?;
                let (pairs, items) = renumbered(&answers);
                let one = Trial {
                    rows: &dataset.rows,
                    labels: &dataset.labels,
                    test: &test,
                    protocol,
                    prior,
                    seed,
                };
                let rare = ScalingKind::InverseFrequency;
                one.run("largest", &pairs, &items, Some(ScalingKind::LargestAbsolute), None)?;
                one.run("rare", &pairs, &items, Some(rare), None)?;
                one.run("train", &pairs, &items, None, None)?;
                one.run("labels", &pairs, &items, None, Some(Method::Supervised))?;
                one.run("labels rare", &pairs, &items, Some(rare), Some(Method::Supervised))?;
            }
        }
    }
    Ok(())
}

/// The same comparisons with the rows that occur numbered anew.
fn renumbered(answers: &Answers) -> (Answers, Vec<u32>) {
    let mut kept: Vec<u32> = answers.pairs().iter().flat_map(|(one, two)| [*one, *two]).collect();
    kept.sort_unstable();
    kept.dedup();
    let place = |row: u32| kept.partition_point(|kept| *kept < row) as u32;
    let pairs = answers.pairs().iter().map(|(one, two)| (place(*one), place(*two))).collect();
    (pairs, kept)
}

struct Trial<'a> {
    rows: &'a Rows<'a>,
    labels: &'a [Label],
    test: &'a [u32],
    protocol: Protocol,
    prior: Prior,
    seed: u64,
}

impl Trial<'_> {
    fn run(
        &self,
        treatment: &str,
        answers: &Answers,
        items: &[u32],
        scaling: Option<ScalingKind>,
        method: Option<Method>,
    ) -> Result<()> {
        let width = self.rows.width();
        let mut values = vec![0.0; items.len() * width];
        for (row, into) in items.iter().zip(values.chunks_exact_mut(width)) {
            self.rows.copy_row(*row as usize, into);
        }
        let rows = Rows::from_numbers(values, width)?.to_sparse();
        let labels = items.iter().map(|row| self.labels[*row as usize]).collect();
        let mut supervision = Supervision::new(answers.clone())
            .protocol(self.protocol)
            .prior(self.prior)
            .equals(Equals::Coin);
        if method.is_some() {
            supervision = supervision.labelled(labels);
        }
        let judged = treatment == "train";
        let options = FitOptions::new().method(method).scaling(scaling).seed(self.seed);
        let options = if judged { options } else { options.hold_out(0.0) };
        let fitted = fit(&rows, &supervision, &options)?;
        let threshold = fitted.classifier.threshold();
        let scores = fitted.classifier.scores_of(self.rows, self.test)?;
        let called: Vec<Label> =
            scores.iter().map(|score| Label::positive_if(*score > threshold)).collect();
        let truth = self.test.iter().map(|row| self.labels[*row as usize]);
        let accuracy = Confusion::of(&called, truth)?.accuracy();
        let interval = fitted
            .assessment
            .as_ref()
            .map(|assessment| assessment.new_items.metrics.accuracy);
        let ends = interval.map_or(",".into(), |found| format!("{:.4},{:.4}", found.low, found.high));
        let (protocol, prior, seed) = (self.protocol.collection().name(), self.prior.positive(), self.seed);
        let scaling = format!("{:?}", fitted.classifier.scaling().kind());
        println!("cnae9,{protocol},{prior},{seed},{treatment},{accuracy:.5},{ends},{scaling}");
        Ok(())
    }
}
