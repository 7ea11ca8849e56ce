//! How many questions are saved by choosing pairs, on real features with simulated people.
//!
//! ```text
//! LIKELIER_DATA=… cargo run --release -p likelier-paper --example next_pairs -- rules|shares|kept [SEEDS] [FIRST-SEED] > rows.csv
//! ```
//!
//! 1,500 items are drawn at a prior: forced choice, equals by a coin, a linear model. The first 200 pairs are uniform; then a
//! hundred at a time come from the classifier of the answers so far, up to 1,000. The truth is the accuracy on rows that were
//! not drawn, resampled to the prior. `rules` compares ways to choose at one share of uniform pairs, `shares` shares with the
//! way that is kept, `kept` the two best shares with uniform pairs. Where an answer count has an interval, it is that of `train` for new items, with propensities
//! (`weighted`) or without them (`plain`).

#![allow(clippy::print_stdout, reason = "an example prints")]

use std::collections::HashSet;
use std::error::Error;
use std::path::Path;

use likelier::evaluate::Confusion;
use likelier::next::{PairChances, PairDraws, UNIFORM_SHARE};
use likelier::random::{Purpose, chance, epoch_stream, shuffle, stream};
use likelier::{
    Answers, Equals, FitOptions, Fitted, Label, Prior, Protocol, Supervision, fit, resample_to_prior,
};
use likelier_paper::benchmark::{Benchmark, Dataset};

const SETS: [Benchmark; 3] = [Benchmark::Optdigits, Benchmark::Pendigits, Benchmark::Usps];
const ITEMS: usize = 1500;
const FIRST: usize = 200;
const EACH: usize = 100;
const LAST: usize = 1000;
/// Where it is judged without labels too.
const JUDGED: [usize; 2] = [500, 1000];

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// How the items of a chosen pair are preferred, by their probabilities.
#[derive(Clone, Copy)]
struct Rule {
    name: &'static str,
    weights: [fn(f64) -> f64; 2],
    uniform: f64,
}

fn near(p: f64) -> f64 {
    p * (1.0 - p)
}

fn softly(p: f64) -> f64 {
    near(p).sqrt()
}

fn any(_: f64) -> f64 {
    1.0
}

const UNIFORM: Rule = Rule { name: "uniform", weights: [any, any], uniform: 1.0 };
const BOTH: Rule = Rule { name: "both near", weights: [near, near], uniform: 0.5 };
const ONE: Rule = Rule { name: "one near", weights: [near, any], uniform: 0.5 };
const SOFT: Rule = Rule { name: "both softly", weights: [softly, softly], uniform: 0.5 };

fn main() -> Result<()> {
    let folder = std::env::var_os("LIKELIER_DATA").ok_or("set LIKELIER_DATA to the data directory")?;
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let rules = match arguments.first().map(String::as_str) {
        Some("rules") => vec![UNIFORM, BOTH, ONE, SOFT],
        Some("shares") => [0.1, 0.25, 0.75].map(|uniform| Rule { uniform, ..BOTH }).to_vec(),
        Some("kept") => vec![UNIFORM, BOTH, Rule { uniform: UNIFORM_SHARE, ..BOTH }],
        _ => return Err("say which: rules, shares or kept".into()),
    };
    let seeds: u64 = arguments.get(1).map_or(Ok(10), |text| text.parse())?;
    let first: u64 = arguments.get(2).map_or(Ok(0), |text| text.parse())?;
    println!("dataset,prior,seed,rule,uniform,answers,treatment,accuracy,estimate,low,high");
    for benchmark in SETS {
        let dataset = benchmark.load(Path::new(&folder))?;
        for prior in [0.2, 0.5] {
            let world = World { benchmark, dataset: &dataset, prior: Prior::new(prior)? };
            for seed in first..first + seeds {
                for rule in &rules {
                    world.ask(*rule, seed)?;
                }
            }
        }
    }
    Ok(())
}

/// A data set at a prior.
struct World<'a> {
    benchmark: Benchmark,
    dataset: &'a Dataset,
    prior: Prior,
}

/// What was asked and answered: pairs of rows, the likelier one first, and how probable each was.
#[derive(Default)]
struct Asked {
    answers: Vec<(u32, u32)>,
    propensities: Vec<f64>,
}

impl World<'_> {
    fn label(&self, row: u32) -> Label {
        self.dataset.labels[row as usize]
    }

    /// Asks round by round, and prints what comes of it.
    fn ask(&self, rule: Rule, seed: u64) -> Result<()> {
        let mut rng = stream(seed, Purpose::Comparisons);
        let labels = &self.dataset.labels;
        let all: Vec<u32> = (0..labels.len() as u32).collect();
        let mut pool = resample_to_prior(labels, &all, self.prior, &mut rng)?;
        shuffle(&mut rng, &mut pool);
        pool.truncate(ITEMS);
        let drawn: HashSet<u32> = pool.iter().copied().collect();
        let rest: Vec<u32> = all.into_iter().filter(|row| !drawn.contains(row)).collect();
        let rest = resample_to_prior(labels, &rest, self.prior, &mut rng)?;
        let place = |row: u32| pool.iter().position(|of| *of == row).unwrap_or(0) as u32;

        let mut asked = Asked::default();
        let mut weights = [vec![1.0; pool.len()], vec![1.0; pool.len()]];
        while asked.answers.len() < LAST {
            let so_far = asked.answers.len();
            let (count, uniform) = if so_far == 0 { (FIRST, 1.0) } else { (EACH, rule.uniform) };
            let mut draws = PairDraws::new(PairChances::by_weights([&weights[0], &weights[1]], uniform)?);
            draws.leave_out(asked.answers.iter().map(|(a, b)| (place(*a), place(*b))))?;
            let mut rng = epoch_stream(seed, Purpose::Next, so_far as u32);
            for _ in 0..count {
                let pair = draws.next(&mut rng)?;
                let (a, b) = (pool[pair.first as usize], pool[pair.second as usize]);
                let first = match (self.label(a).is_positive(), self.label(b).is_positive()) {
                    (one, two) if one == two => chance(&mut rng, 0.5),
                    (one, _) => one,
                };
                asked.answers.push(if first { (a, b) } else { (b, a) });
                asked.propensities.push(pair.propensity);
            }
            let fitted = self.row(rule, seed, &asked, true, &rest)?;
            if rule.uniform < 1.0 && JUDGED.contains(&asked.answers.len()) {
                self.row(rule, seed, &asked, false, &rest)?;
            }
            let scores = fitted.classifier.scores_of(&self.dataset.rows, &pool)?;
            let probability = fitted.classifier.probability();
            weights = rule.weights.map(|weight| {
                scores.iter().map(|score| weight(f64::from(probability.of(*score)))).collect()
            });
        }
        Ok(())
    }

    /// Trains and prints.
    fn row(&self, rule: Rule, seed: u64, asked: &Asked, weighted: bool, rest: &[u32]) -> Result<Fitted> {
        let mut answers: Answers = asked.answers.iter().copied().collect();
        if weighted {
            answers = answers.chosen(asked.propensities.clone())?;
        }
        let supervision = Supervision::new(answers)
            .protocol(Protocol::FORCED_CHOICE)
            .prior(self.prior)
            .equals(Equals::Coin);
        let judged = JUDGED.contains(&asked.answers.len());
        let options = FitOptions::new().seed(seed);
        let options = if judged { options } else { options.hold_out(0.0) };
        let fitted = fit(&self.dataset.rows, &supervision, &options)?;
        let called = fitted.classifier.predict_of(&self.dataset.rows, rest)?;
        let accuracy = Confusion::of(&called, rest.iter().map(|row| self.label(*row)))?.accuracy();
        let interval = fitted.assessment.as_ref().map(|found| found.new_items.metrics.accuracy);
        let interval = interval.map_or_else(
            || ",,".to_owned(),
            |found| format!("{:.4},{:.4},{:.4}", found.value, found.low, found.high),
        );
        println!(
            "{},{},{seed},{},{},{},{},{accuracy:.4},{interval}",
            self.benchmark,
            self.prior.positive(),
            rule.name,
            rule.uniform,
            asked.answers.len(),
            if weighted { "weighted" } else { "plain" },
        );
        Ok(fitted)
    }
}
