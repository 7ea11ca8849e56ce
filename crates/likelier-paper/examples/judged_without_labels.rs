//! Label-free accuracy beside the accuracy that labels tell, on real data.
//!
//! ```text
//! LIKELIER_DATA=… cargo run --release -p likelier-paper --example judged_without_labels > raw.csv
//! ```
//!
//! Pendigits (linear) and MNIST (the paper's MLP, 20 epochs), Pcomp-ReLU, π = 0.2, 0.5 and 0.8, both
//! protocols, three seeds. Pairs are drawn independently, as many as the paper has; a fifth of them is
//! held out and judges. The labels of the test rows, resampled to π, are used for the column `true` only.

#![allow(clippy::print_stdout, reason = "an example prints")]

use std::path::Path;

use likelier::evaluate::Confusion;
use likelier::generate::{Recipe, Sampling, draw};
use likelier::model::{Architecture, Mlp};
use likelier::random::{Purpose, stream};
use likelier::train::{Config, Data, train};
use likelier::{
    Assessment, BelievedPrior, Equals, Evidence, Grounds, Method, Prior, Protocol, resample_to_prior,
};
use likelier_paper::benchmark::Benchmark;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let data_dir = std::env::var_os("LIKELIER_DATA").ok_or("set LIKELIER_DATA to the data directory")?;
    println!("dataset,model,prior,protocol,seed,held_out,label_free,low,high,true,test_rows,apart,holds");
    for (benchmark, name, architecture, epochs, rate) in [
        (Benchmark::Pendigits, "linear", Architecture::Linear, 100, 1e-2),
        (Benchmark::Mnist, "mlp", Architecture::Mlp(Mlp::of_the_paper()), 20, 1e-3),
    ] {
        let dataset = benchmark.load(Path::new(&data_dir))?;
        for prior in [0.2, 0.5, 0.8] {
            let prior = Prior::new(prior)?;
            for protocol in [Protocol::DISCARD, Protocol::FORCED_CHOICE] {
                for seed in 0..3 {
                    let split = dataset.split(&mut stream(seed, Purpose::Split));
                    let pairs = dataset.benchmark.spec().pairs;
                    let sampling = Sampling::Independent;
                    let recipe = Recipe { prior, protocol, pairs, sampling, degrees: None };
                    let mut rng = stream(seed, Purpose::Comparisons);
                    let drawn = draw(&dataset.labels, &split.train, &recipe, &mut rng)?;
                    let Evidence::Answers(answers) = drawn.evidence else { continue };
                    let aside = answers.comparisons_of(|at| at < answers.len() / 5);
                    let kept = answers.comparisons_of(|at| at >= answers.len() / 5);

                    let config = Config {
                        architecture: architecture.clone(),
                        epochs,
                        learning_rate: rate,
                        seed,
                        ..Config::new(Method::PcompRelu, prior, protocol)
                    };
                    let data = Data { rows: &dataset.rows, piles: kept.piles(), labels: None };
                    let classifier = train(&data, &config)?;
                    let (held_out, believed) = (aside.len(), BelievedPrior::known(prior));
                    let grounds = Grounds::new(protocol, &believed)?.equals(Equals::Coin);
                    let judged = Assessment::new(&classifier, &dataset.rows, aside, grounds)?;
                    let found = judged.new_items.metrics.accuracy;

                    let mut rng = stream(seed, Purpose::Resample);
                    let test = resample_to_prior(&dataset.labels, &split.test, prior, &mut rng)?;
                    let predicted = classifier.predict_of(&dataset.rows, &test)?;
                    let truth = test.iter().map(|row| dataset.labels[*row as usize]);
                    let truth = Confusion::of(&predicted, truth)?.accuracy();
                    println!(
                        "{},{name},{prior},{protocol},{seed},{},{:.4},{:.4},{:.4},{truth:.4},{},{:.4},{}",
                        benchmark.name(),
                        held_out,
                        found.value,
                        found.low,
                        found.high,
                        test.len(),
                        (found.value - truth).abs(),
                        found.holds(truth)
                    );
                }
            }
        }
    }
    Ok(())
}
