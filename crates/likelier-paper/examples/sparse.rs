//! Sparse against dense rows: the same linear model on CNAE-9, of which 0.8 % is not zero.
//!
//! ```text
//! LIKELIER_DATA=… cargo run --release -p likelier-paper --example sparse
//! ```

#![allow(clippy::print_stdout, reason = "an example prints")]

use std::path::Path;
use std::time::Instant;

use likelier::data::Rows;
use likelier::model::ScalingKind;
use likelier::train::{Config, Data, train};
use likelier::{Error, Method, Prior, Protocol};
use likelier_paper::benchmark::Benchmark;
use likelier_paper::trial::{Design, DrawnTrial};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let data_dir = std::env::var_os("LIKELIER_DATA").ok_or("set LIKELIER_DATA to the data directory")?;
    let dataset = Benchmark::Cnae9.load(Path::new(&data_dir))?;
    let prior = Prior::new(0.5)?;
    let trial = DrawnTrial::draw(
        &dataset,
        &Design::new(prior, Protocol::DISCARD, dataset.benchmark.spec().pairs),
        0,
    )?;
    let config = Config {
        scaling: Some(ScalingKind::LargestAbsolute),
        epochs: 2000,
        ..Config::new(Method::PcompAbs, prior, Protocol::DISCARD)
    };
    let sparse = dataset.rows.to_sparse();
    let run = |rows: &Rows| -> Result<(Vec<f32>, f64), Error> {
        let data = Data { rows, ..trial.data() };
        let start = Instant::now();
        let classifier = train(&data, &config)?;
        let seconds = start.elapsed().as_secs_f64();
        Ok((classifier.scores(rows)?, seconds))
    };
    let short = |rows: &Rows| -> Result<Vec<f32>, Error> {
        let data = Data { rows, ..trial.data() };
        let few = Config { epochs: 10, ..config.clone() };
        train(&data, &few)?.scores(rows)
    };
    let apart = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    println!(
        "largest difference of scores after 10 epochs: {:.1e}",
        apart(&short(&dataset.rows)?, &short(&sparse)?)
    );
    for repeat in 1..=3 {
        let (dense_scores, dense) = run(&dataset.rows)?;
        let (sparse_scores, sparse) = run(&sparse)?;
        println!(
            "repeat {repeat}: dense {:.1} µs an epoch, sparse {:.1} µs, {:.1} times as fast; after 2,000 epochs \
             scores differ by at most {:.1e}",
            dense / 2000.0 * 1e6,
            sparse / 2000.0 * 1e6,
            dense / sparse,
            apart(&dense_scores, &sparse_scores)
        );
    }
    Ok(())
}
