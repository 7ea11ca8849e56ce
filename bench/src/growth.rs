//! How the cost of training grows with rows, features and epochs.

use std::io::{self, Write};
use std::time::Instant;

use anyhow::Result;
use likelier::data::{Comparisons, Rows};
use likelier::model::{Architecture, Mlp};
use likelier::random::{Purpose, stream, unit};
use likelier::train::{Config, Data, train};
use likelier::{Method, Prior, Protocol};

/// Prints `model,axis,value,seconds`: the best of three runs of each size.
pub(crate) fn growth() -> Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "model,axis,value,seconds")?;
    let models = [("linear", Architecture::Linear, 20), ("mlp", Architecture::Mlp(Mlp::of_the_paper()), 1)];
    for (name, architecture, times) in models {
        let (rows, features, epochs) = (20_000, 400, 2 * times);
        let mut measure = |axis: &str, value: usize, rows, features, epochs| -> Result<()> {
            let mut best = f64::INFINITY;
            for _ in 0..3 {
                best = best.min(seconds(&architecture, rows, features, epochs)?);
            }
            Ok(writeln!(out, "{name},{axis},{value},{best:.6}")?)
        };
        for rows in [5_000, 10_000, 20_000, 40_000] {
            measure("rows", rows, rows, features, epochs)?;
        }
        for features in [100, 200, 400, 800] {
            measure("features", features, rows, features, epochs)?;
        }
        for epochs in [times, 2 * times, 4 * times, 8 * times] {
            measure("epochs", epochs, rows, features, epochs)?;
        }
    }
    Ok(())
}

fn seconds(architecture: &Architecture, rows: usize, features: usize, epochs: usize) -> Result<f64> {
    let mut rng = stream(1, Purpose::Split);
    let values = (0..rows * features).map(|_| unit(&mut rng) as f32).collect();
    let matrix = Rows::from_numbers(values, features)?;
    let half = rows as u32 / 2;
    let comparisons: Comparisons = (0..half).map(|at| (at, half + at)).collect();
    let config = Config {
        architecture: architecture.clone(),
        epochs,
        ..Config::new(Method::PcompRelu, Prior::new(0.5)?, Protocol::DISCARD)
    };
    let data = Data { rows: &matrix, piles: comparisons.piles(), labels: None };
    let start = Instant::now();
    train(&data, &config)?;
    Ok(start.elapsed().as_secs_f64())
}
