//! One trial on one of the paper's data sets with the paper's model, epoch by epoch.
//!
//! ```text
//! LIKELIER_DATA=… cargo run --release -p likelier --example benchmark -- mnist 0.5 pcomp-relu 200 > curve.csv
//! ```
//!
//! Arguments: data set, prior, method, epochs and, for Pcomp-Teacher, the consistency weight. Pairs,
//! split, test set, learning rate and decay are as `Benchmark` lists them; CIFAR-10 gets the small
//! ResNet-32.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example prints")]

use std::path::Path;
use std::time::Instant;

use likelier::data::benchmark::{Benchmark, PaperModel};
use likelier::evaluate::mean_and_deviation;
use likelier::model::{Architecture, Mlp, ResNet};
use likelier::train::{Config, Data, train};
use likelier::trial::Trial;
use likelier::{Method, Prior, Protocol};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [dataset, prior, method, epochs, weight @ ..] = &arguments[..] else {
        return Err("give a data set, a prior, a method and a number of epochs".into());
    };
    let data_dir = std::env::var_os("LIKELIER_DATA").ok_or("set LIKELIER_DATA to the data directory")?;
    let dataset = dataset.parse::<Benchmark>()?.load(Path::new(&data_dir))?;
    let (spec, prior): (_, Prior) = (dataset.benchmark.spec(), prior.parse()?);
    let trial = Trial::draw(&dataset, prior, Protocol::DISCARD, spec.pairs, 0)?;
    let mut config = Config {
        architecture: match spec.model {
            PaperModel::Linear => Architecture::Linear,
            PaperModel::Mlp => Architecture::Mlp(Mlp::of_the_paper()),
            PaperModel::ResNet34 => Architecture::ResNet(ResNet::resnet32([3, 32, 32])),
        },
        epochs: epochs.parse()?,
        ..Config::new(method.parse::<Method>()?, prior, Protocol::DISCARD)
    };
    if let [weight] = weight {
        config.setting.consistency_weight = weight.parse()?;
    }
    config.learning_rate = spec.learning_rate.unwrap_or(config.learning_rate);
    config.weight_decay = spec.weight_decay.unwrap_or(config.weight_decay);

    let data =
        Data { rows: &dataset.rows, piles: trial.comparisons.piles(), labels: Some(&dataset.labels) };
    let mut accuracies = Vec::new();
    let start = Instant::now();
    println!(
        "epoch,risk,column_positive,column_negative,negative_share,selected_share,consistency,accuracy,seconds"
    );
    train(&data, &config, |epoch, progress| {
        let accuracy = trial.accuracy(&progress.classifier()?)?;
        let [positive, negative] = epoch.columns.unwrap_or_default();
        println!(
            "{},{:.5},{positive:.5},{negative:.5},{:.4},{:.4},{:.5},{accuracy:.5},{:.2}",
            epoch.epoch,
            epoch.risk,
            epoch.negative_share,
            epoch.selected_share,
            epoch.consistency,
            start.elapsed().as_secs_f64()
        );
        accuracies.push(accuracy);
        Ok(())
    })?;
    let last_ten = &accuracies[accuracies.len().saturating_sub(10)..];
    eprintln!(
        "{} at {prior}, {}, {} epochs: accuracy {:.4} over the last {} epochs, {:.0} s",
        spec.name,
        config.method,
        config.epochs,
        mean_and_deviation(last_ten).0,
        last_ten.len(),
        start.elapsed().as_secs_f64()
    );
    if let Some(note) = &dataset.note {
        eprintln!("note: {note}");
    }
    Ok(())
}
