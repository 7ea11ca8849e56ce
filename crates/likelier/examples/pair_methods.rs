//! The methods that use the pair, as recommended, and the supervised oracle on the paper's data sets.
//!
//! ```text
//! LIKELIER_DATA=… cargo run --release -p likelier --example pair_methods -- optdigits,usps 5 > raw.csv
//! ```
//!
//! Arguments: data sets, trials, and epochs if not those recommended. One line for each trial: the accuracy on
//! the test rows of the classifier that `train` returns. Seeds start at 100: the settings that are recommended were
//! chosen on smaller ones.

#![allow(clippy::print_stdout, reason = "an example prints")]

use std::path::Path;
use std::time::Instant;

use likelier::data::benchmark::{Benchmark, PaperModel};
use likelier::model::{Architecture, Mlp, ResNet};
use likelier::train::{Config, Data, train};
use likelier::trial::Trial;
use likelier::{Method, Prior, Protocol};

const FIRST_SEED: u64 = 100;
const METHODS: [Method; 4] =
    [Method::RankQuantile, Method::Likelihood, Method::PairPosterior, Method::Supervised];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [datasets, trials, epochs @ ..] = &arguments[..] else {
        return Err("give data sets, separated by commas, and a number of trials".into());
    };
    let trials: u64 = trials.parse()?;
    let data_dir = std::env::var_os("LIKELIER_DATA").ok_or("set LIKELIER_DATA to the data directory")?;
    println!("dataset,prior,method,trial,accuracy,epoch,fallback,seconds");
    for dataset in datasets.split(',') {
        let dataset = dataset.parse::<Benchmark>()?.load(Path::new(&data_dir))?;
        let spec = dataset.benchmark.spec();
        let architecture = match spec.model {
            PaperModel::Linear => Architecture::Linear,
            PaperModel::Mlp => Architecture::Mlp(Mlp::of_the_paper()),
            PaperModel::ResNet34 => Architecture::ResNet(ResNet::resnet32([3, 32, 32])),
        };
        for prior in [0.2, 0.5, 0.8] {
            let prior = Prior::new(prior)?;
            for seed in FIRST_SEED..FIRST_SEED + trials {
                let trial = Trial::draw(&dataset, prior, Protocol::DISCARD, spec.pairs, seed)?;
                let piles = trial.comparisons.piles();
                let data = Data { rows: &dataset.rows, piles, labels: Some(&dataset.labels) };
                for method in METHODS {
                    let model = architecture.clone();
                    let mut config = Config::recommended(method, model, prior, Protocol::DISCARD, &data);
                    config.seed = seed;
                    if let [epochs] = epochs {
                        config = config.with_epochs(epochs.parse()?);
                    }
                    let start = Instant::now();
                    let classifier = train(&data, &config, |_, _| Ok(()))?;
                    let seconds = start.elapsed().as_secs_f64();
                    let summary = classifier.summary();
                    let fallback = summary.fallback.map_or(String::new(), |why| why.to_string());
                    println!(
                        "{},{prior},{method},{seed},{:.5},{},\"{fallback}\",{seconds:.2}",
                        spec.short_name,
                        trial.accuracy(&classifier)?,
                        summary.epoch,
                    );
                }
            }
        }
    }
    Ok(())
}
