//! `likelier demo`: the whole idea on real data, in seconds.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use likelier::data::class_counts;
use likelier::evaluate::{Confusion, mean_and_deviation};
use likelier::generate::{Recipe, Sampling, draw};
use likelier::random::{Purpose, stream};
use likelier::{FitOptions, Label, Method, Prior, Protocol, Split, Supervision, fit};
use likelier_tables::{Ids, Wines};
use serde::Serialize;

use crate::dataset::{DrawArguments, Population};
use crate::terminal::{Result, print_json, print_text};

/// Show the whole idea on real wines, in seconds: no file or flag needed.
///
/// 1,599 red wines with eleven laboratory measurements and the tasters' grade come with the program.
/// Simulated tasters are shown two wines at a time and pick the likelier good one; a classifier is
/// trained on their picks and judged on wines it never saw.
#[derive(Args)]
#[command(after_help = "Examples:
  likelier demo
  likelier demo --out wine && likelier train --items wine/items.csv --comparisons wine/comparisons.csv \\
      --out wine.likelier")]
pub(crate) struct DemoVerb {
    /// Instead of training, write the wines and 2,000 picks as files for the other verbs: items.csv,
    /// comparisons.csv, test.csv (with grades) and dataset.json.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

const GOOD_GRADE: u8 = 6;
const PICKS: usize = 2000;
const REPEATS: u64 = 10;
const METHODS: [Method; 7] = [
    Method::PcompUnbiased,
    Method::PcompRelu,
    Method::RankPruning,
    Method::RankQuantile,
    Method::Likelihood,
    Method::PairPosterior,
    Method::Supervised,
];

#[derive(Serialize)]
struct Tasted {
    wines: usize,
    good_wines: usize,
    held_out_wines: usize,
    comparisons: usize,
    #[serde(flatten)]
    protocol: Protocol,
    repeats: u64,
    /// What calling every wine good would score.
    constant_accuracy: f64,
    methods: Vec<MethodOutcome>,
}

#[derive(Serialize)]
struct MethodOutcome {
    method: Method,
    accuracy: f64,
    standard_deviation: f64,
    seconds: f64,
}

impl DemoVerb {
    pub(crate) fn run(&self) -> Result<()> {
        if let Some(out) = &self.out {
            return write(&DrawArguments::forced_choices(PICKS, out.clone(), self.json));
        }
        let outcome = taste()?;
        if self.json { print_json("demo", &outcome, &[]) } else { print_text(&outcome.text(), &[]) }
    }
}

/// Writes the wines and what tasters picked among them.
fn write(draw: &DrawArguments) -> Result<()> {
    let folder = draw.open()?;
    let wines = Wines::load()?;
    let labels = wines.labels(GOOD_GRADE);
    let split = Split::pooled(&labels, &mut stream(draw.seed, Purpose::Split));
    let mut origin = serde_json::Map::new();
    origin.insert("dataset".into(), "winequality-red".into());
    let population = Population {
        ids: Ids::numbered(wines.rows.len()),
        features: wines.features,
        rows: wines.rows,
        labels,
        split,
        usual_pairs: None,
        note: None,
        origin,
    };
    draw.write(folder, population)
}

/// One repeat: which wines are for training, what the tasters picked among them, what is held out.
struct Tasting {
    picks: Supervision,
    held_out: Vec<u32>,
    seed: u64,
}

fn taste() -> Result<Tasted> {
    let wines = Wines::load()?;
    let labels = wines.labels(GOOD_GRADE);
    let protocol = Protocol::FORCED_CHOICE;
    let tastings = (0..REPEATS)
        .map(|seed| tasting(&labels, protocol, seed))
        .collect::<Result<Vec<_>>>()?;

    let mut methods = Vec::new();
    for method in METHODS {
        let start = Instant::now();
        let mut accuracies = Vec::new();
        for tasting in &tastings {
            // All picks are trained on: the held-out wines are the judge here.
            let options = FitOptions::new().method(method).hold_out(0.0).seed(tasting.seed);
            let classifier = fit(&wines.rows, &tasting.picks, &options)?.classifier;
            let predicted = classifier.predict_of(&wines.rows, &tasting.held_out)?;
            let truth = tasting.held_out.iter().map(|wine| labels[*wine as usize]);
            accuracies.push(Confusion::of(&predicted, truth)?.accuracy());
        }
        let (accuracy, standard_deviation) = mean_and_deviation(&accuracies);
        let seconds = start.elapsed().as_secs_f64() / REPEATS as f64;
        methods.push(MethodOutcome { method, accuracy, standard_deviation, seconds });
    }

    let all: Vec<u32> = (0..labels.len() as u32).collect();
    let [good_wines, _] = class_counts(&labels, &all)?;
    let held_out = tastings.first().map_or(&[][..], |tasting| &tasting.held_out);
    let [good_held_out, _] = class_counts(&labels, held_out)?;
    Ok(Tasted {
        wines: labels.len(),
        good_wines,
        held_out_wines: held_out.len(),
        comparisons: PICKS,
        protocol,
        repeats: REPEATS,
        constant_accuracy: good_held_out as f64 / held_out.len() as f64,
        methods,
    })
}

fn tasting(labels: &[Label], protocol: Protocol, seed: u64) -> Result<Tasting> {
    let split = Split::pooled(labels, &mut stream(seed, Purpose::Split));
    let [good, _] = class_counts(labels, &split.train)?;
    let prior = Prior::new(good as f64 / split.train.len() as f64)?;
    let recipe = Recipe { prior, protocol, pairs: PICKS, sampling: Sampling::Independent, degrees: None };
    let drawn = draw(labels, &split.train, &recipe, &mut stream(seed, Purpose::Comparisons))?;
    let picks = Supervision::new(drawn.evidence)
        .protocol(protocol)
        .prior(prior)
        .labelled(labels.to_vec());
    Ok(Tasting { picks, held_out: split.test, seed })
}

impl Tasted {
    fn text(&self) -> String {
        let mut text = format!(
            "Good wine without grades\n\n\
             {} red wines were graded by tasters; {} of them are good (grade {GOOD_GRADE} or more).\n\
             We hide the grades. Simulated tasters are shown {} pairs of wines and pick the one that is\n\
             likelier to be good: a good wine beats a bad one, and two of a kind are decided by a coin.\n\
             From these picks, and the share of good wines, each method below learns to tell good from\n\
             bad by eleven laboratory measurements.\n\n",
            self.wines, self.good_wines, self.comparisons
        );
        let _ =
            writeln!(text, "{:<16}{:>10}{:>8}{:>10}   what it does", "method", "accuracy", "±", "seconds");
        for row in &self.methods {
            let _ = writeln!(
                text,
                "{:<16}{:>10.3}{:>8.3}{:>10.3}   {}",
                row.method,
                row.accuracy,
                row.standard_deviation,
                row.seconds,
                row.method.summary()
            );
        }
        let _ = writeln!(
            text,
            "\naccuracy: share of right answers on {} held-out wines, mean of {} repeats; ±: their standard\n\
             deviation; seconds: to train once. Calling every wine good would score {:.3}.",
            self.held_out_wines, self.repeats, self.constant_accuracy
        );
        text.push_str(&self.verdict());
        text
    }

    /// What happened, in words that follow the numbers.
    fn verdict(&self) -> String {
        let (oracle, from_picks): (Vec<_>, Vec<_>) =
            self.methods.iter().partition(|row| row.method == Method::Supervised);
        let percent = |row: &MethodOutcome| 100.0 * row.accuracy;
        let lowest = from_picks.iter().map(|row| percent(row)).fold(f64::INFINITY, f64::min);
        let highest = from_picks.iter().map(|row| percent(row)).fold(0.0, f64::max);
        let labelled = oracle.iter().map(|row| percent(row)).fold(0.0, f64::max);
        format!(
            "\nWithout seeing a single grade, the {} methods get {lowest:.1} to {highest:.1} % of unseen wines right.\n\
             The same model trained on the true grades of the same wines gets {labelled:.1} %.\n",
            from_picks.len()
        )
    }
}
