//! Model selection without labels on the paper's four linear data sets.
//!
//! ```text
//! LIKELIER_DATA=… cargo run --release -p likelier-paper --example selection > raw.csv
//! ```
//!
//! A row for each candidate of each trial: its out-of-fold criteria, whether each yardstick chose it (by
//! the rule of the library, and as the best alone), and its test accuracy after training on all pairs. The
//! first candidate is the default configuration.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example prints")]

use std::path::Path;

use likelier::estimate::selection::{Dealing, Grid, SelectionRule, Yardstick, fit_each, out_of_fold};
use likelier::risk::ThresholdRule;
use likelier::train::{Config, Control};
use likelier::{Method, Prior, Protocol};
use likelier_paper::benchmark::Benchmark;
use likelier_paper::trial::{Design, DrawnTrial};

const TRIALS: u64 = 3;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let data_dir = std::env::var_os("LIKELIER_DATA").ok_or("set LIKELIER_DATA to the data directory")?;
    print!("dataset,prior,seed,place,candidate,accuracy");
    for yardstick in Yardstick::ALL {
        print!(",{yardstick},{yardstick}_ahead,{yardstick}_error,{yardstick}_chosen,{yardstick}_best");
    }
    println!();
    let sets = [Benchmark::Optdigits, Benchmark::Cnae9, Benchmark::Pendigits, Benchmark::Usps];
    for benchmark in sets {
        let dataset = benchmark.load(Path::new(&data_dir))?;
        let spec = benchmark.spec();
        for prior in [0.2, 0.5, 0.8] {
            for seed in 0..TRIALS {
                let prior = Prior::new(prior)?;
                let trial =
                    DrawnTrial::draw(&dataset, &Design::new(prior, Protocol::DISCARD, spec.pairs), seed)?;
                let pairs = trial.comparisons().ok_or("pairs were drawn")?;
                let base = Config { seed, ..Config::new(Method::PcompRelu, prior, Protocol::DISCARD) };
                let candidates = Grid {
                    methods: vec![Method::PcompRelu, Method::RankPruning, Method::Likelihood],
                    weight_decays: vec![1e-5, 1e-2],
                    epochs: vec![100, 25],
                    thresholds: vec![None, Some(ThresholdRule::PriorQuantile)],
                    ..Grid::around(base)
                }
                .candidates();
                let (control, dealing) = (Control::default(), Dealing { seed, ..Dealing::default() });
                let judged = out_of_fold(&dataset.rows, pairs, &candidates, &dealing, &control, |_, _| ())?;
                let fitted = fit_each(&dataset.rows, pairs, &candidates, &control)?;
                let choices = Yardstick::ALL.map(|yardstick| {
                    judged.choose(&SelectionRule { yardstick, ..SelectionRule::default() })
                });
                for (place, (candidate, classifier)) in candidates.iter().zip(&fitted).enumerate() {
                    let accuracy = trial.accuracy(classifier)?;
                    print!("{},{prior},{seed},{place},{},{accuracy:.5}", spec.short_name, candidate.name);
                    for choice in &choices {
                        let choice = choice.as_ref().map_err(ToString::to_string)?;
                        let of = choice.candidates[place].standing.ok_or("training broke down")?;
                        let [chosen, best] =
                            [&choice.chosen, &choice.best].map(|name| u8::from(*name == candidate.name));
                        let (value, ahead, error) = (of.value.value, of.ahead, of.standard_error);
                        print!(",{value:.5},{ahead:.5},{error:.5},{chosen},{best}");
                    }
                    println!();
                }
                eprintln!("{} {prior} {seed}", spec.short_name);
            }
        }
    }
    Ok(())
}
