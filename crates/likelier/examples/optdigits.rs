//! One cell of the paper's Table 3, linear Optdigits at π = 0.5, over the settings the paper leaves open.
//!
//! ```text
//! LIKELIER_DATA=… cargo run --release -p likelier --example optdigits > raw.csv
//! ```
//!
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
    let spec = dataset.benchmark.spec();
    let prior = Prior::new(0.5)?;
    println!(
        "dataset,prior,method,trial,seed,accuracy,accuracy_last,accuracy_mean_last_10,accuracy_best,\
         label_free,label_free_low,label_free_high,seconds,settings,version"
    );
    for scaling in [ScalingKind::None, ScalingKind::UnitRange, ScalingKind::Standardise] {
        for learning_rate in [1e-3, 1e-2] {
            for (method, paper, paper_deviation) in PAPER {
                // The teacher's consistency weight is open too: descendants' 10 beside our 1.
                let weights: &[f64] = if method == Method::PcompTeacher { &[1.0, 10.0] } else { &[1.0] };
                for &weight in weights {
                    let teacher = if method == Method::PcompTeacher {
                        format!(";consistency_weight={weight}")
                    } else {
                        String::new()
                    };
                    let settings = format!("scaling={scaling:?};learning_rate={learning_rate}{teacher}");
                    let mut results = Vec::new();
                    for seed in 0..TRIALS {
                        let mut config = Config::new(method, prior, Protocol::DISCARD);
                        config.setting.consistency_weight = weight;
                        let config = Config { scaling: Some(scaling), learning_rate, seed, ..config };
                        let start = Instant::now();
                        let trial = Trial::draw(&dataset, prior, Protocol::DISCARD, spec.pairs, seed)?;
                        let accuracies = trial.last_accuracies(&config, config.epochs)?;
                        let seconds = start.elapsed().as_secs_f64();
                        let last = accuracies.last().copied().unwrap_or_default();
                        let (mean, _) = mean_and_deviation(&accuracies[accuracies.len() - 10..]);
                        let best = accuracies.iter().copied().fold(0.0, f64::max);
                        println!(
                            "{},{prior},{method},{seed},{seed},{mean:.5},{last:.5},{mean:.5},{best:.5},,,,\
                             {seconds:.3},{settings},{}",
                            spec.short_name,
                            env!("CARGO_PKG_VERSION")
                        );
                        results.push(mean);
                    }
                    let (mean, deviation) = mean_and_deviation(&results);
                    let error = ((deviation.powi(2) + paper_deviation.powi(2)) / TRIALS as f64).sqrt();
                    eprintln!(
                        "{method:<15} {settings:<58} {mean:.3} ± {deviation:.3}, the paper {paper:.3} ± \
                         {paper_deviation:.3}: {:+.1} standard errors",
                        (mean - paper) / error
                    );
                }
            }
        }
    }
    Ok(())
}
