//! One cell of the paper's Table 3, linear Optdigits at π = 0.5, over the settings the paper leaves open.
//!
//! ```text
//! LIKELIER_DATA=… cargo run --release -p likelier --example optdigits > raw.csv
//! ```
//!
//! 1,000 discard pairs with exact counts, a fresh 80/20 split each trial, the test set resampled to π,
//! batches of 256 rows, Adam with coupled decay 1e-5, 100 epochs, the mean accuracy of the last ten.
//! A table with the difference from the paper in standard errors goes to standard error.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example prints")]

use std::path::Path;
use std::time::Instant;

use likelier::data::benchmark::Benchmark;
use likelier::evaluate::mean_and_deviation;
use likelier::model::ScalingKind;
use likelier::train::Config;
use likelier::trial::Trial;
use likelier::{Method, Prior, Protocol};

const TRIALS: u64 = 5;

/// The paper's mean and standard deviation over five trials.
const PAPER: [(Method, f64, f64); 7] = [
    (Method::PcompUnbiased, 0.847, 0.014),
    (Method::PcompRelu, 0.846, 0.013),
    (Method::PcompAbs, 0.841, 0.013),
    (Method::PcompTeacher, 0.869, 0.021),
    (Method::RankPruning, 0.864, 0.027),
    (Method::NoisyUnbiased, 0.838, 0.011),
    (Method::BinaryBiased, 0.834, 0.013),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let data_dir = std::env::var_os("LIKELIER_DATA").ok_or("set LIKELIER_DATA to the data directory")?;
    let dataset = Benchmark::Optdigits.load(Path::new(&data_dir))?;
    let prior = Prior::new(0.5)?;
    println!("method,scaling,learning_rate,trial,accuracy_mean_last_10,seconds");
    eprintln!(
        "{:<16}{:<14}{:>8}{:>16}{:>16}{:>14}",
        "method", "scaling", "rate", "ours", "paper", "difference"
    );
    for scaling in [ScalingKind::None, ScalingKind::UnitRange, ScalingKind::Standardise] {
        for learning_rate in [1e-3, 1e-2] {
            for (method, paper, paper_deviation) in PAPER {
                let mut results = Vec::new();
                for trial in 0..TRIALS {
                    let config = Config {
                        scaling: Some(scaling),
                        learning_rate,
                        seed: trial,
                        ..Config::new(method, prior, Protocol::DISCARD)
                    };
                    let start = Instant::now();
                    let pairs = dataset.benchmark.spec().pairs;
                    let drawn = Trial::draw(&dataset, prior, Protocol::DISCARD, pairs, trial)?;
                    let (mean, _) = mean_and_deviation(&drawn.last_accuracies(&config, 10)?);
                    let seconds = start.elapsed().as_secs_f64();
                    println!("{method},{scaling:?},{learning_rate},{trial},{mean:.5},{seconds:.3}");
                    results.push(mean);
                }
                let (mean, deviation) = mean_and_deviation(&results);
                let error = ((deviation.powi(2) + paper_deviation.powi(2)) / TRIALS as f64).sqrt();
                eprintln!(
                    "{:<16}{:<14}{:>8}{:>16}{:>16}{:>11.1} se",
                    method,
                    format!("{scaling:?}"),
                    learning_rate,
                    format!("{mean:.3} ± {deviation:.3}"),
                    format!("{paper:.3} ± {paper_deviation:.3}"),
                    (mean - paper) / error
                );
            }
        }
    }
    Ok(())
}
