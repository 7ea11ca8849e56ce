//! Training over shards beside training in one piece: the same comparisons of the paper's data sets, and the accuracy of
//! both on the same test rows.
//!
//! `cargo run --release --package likelier-paper --example shards -- DATA_DIR [TRIALS [SHARDS]]` prints CSV.

use std::path::Path;
use std::time::Instant;

use likelier::data::Pile;
use likelier::model::Architecture;
use likelier::shards::{Shard, ShardOptions, fit_shards};
use likelier::train::{Config, train};
use likelier::{Comparisons, Method, Prior, Protocol, Rows, Threads};
use likelier_paper::benchmark::Benchmark;
use likelier_paper::trial::{Design, DrawnTrial};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let data_dir = arguments.next().ok_or("name the folder of the data sets")?;
    let trials: u64 = arguments.next().map_or(Ok(5), |given| given.parse())?;
    let shards: usize = arguments.next().map_or(Ok(3), |given| given.parse())?;
    println!(
        "dataset,protocol,prior,seed,pairs,shards,train,fit_shards,test_rows,train_seconds,fit_shards_seconds"
    );
    for name in ["usps", "pendigits", "optdigits"] {
        let benchmark: Benchmark = name.parse()?;
        let dataset = benchmark.load(Path::new(&data_dir))?;
        for (protocol, called) in
            [(Protocol::DISCARD, "discard"), (Protocol::FORCED_CHOICE, "forced-choice")]
        {
            for prior in [0.2, 0.5, 0.8] {
                for seed in 100..100 + trials {
                    let prior = Prior::new(prior)?;
                    let design = Design::new(prior, protocol, benchmark.spec().pairs);
                    let trial = DrawnTrial::draw(&dataset, &design, seed)?;
                    let comparisons = trial.comparisons().ok_or("pairs were drawn")?;
                    let data = trial.data();
                    let config = Config::recommended(
                        Method::PairPosterior,
                        Architecture::Linear,
                        prior,
                        protocol,
                        &data,
                    );
                    let start = Instant::now();
                    let whole = train(&data, &Config { seed, ..config })?;
                    let whole_seconds = start.elapsed().as_secs_f64();
                    let parts = cut(&dataset.rows, comparisons, shards)?;
                    let start = Instant::now();
                    let sharded = fit_shards(&Threads(&parts[..]), &ShardOptions::new(prior, protocol))?;
                    let seconds = start.elapsed().as_secs_f64();
                    println!(
                        "{name},{called},{prior},{seed},{},{shards},{:.6},{:.6},{},{whole_seconds:.2},{seconds:.2}",
                        comparisons.len(),
                        trial.accuracy(&whole)?,
                        trial.accuracy(&sharded)?,
                        trial.test.len(),
                    );
                }
            }
        }
    }
    Ok(())
}

/// The comparisons in runs of equal length, each with the rows that it needs.
fn cut(
    rows: &Rows<'_>,
    comparisons: &Comparisons,
    shards: usize,
) -> Result<Vec<Shard<'static>>, likelier::Error> {
    let each = comparisons.len().div_ceil(shards);
    let piles = Pile::BOTH.map(|pile| comparisons.piles().rows(pile));
    (0..shards)
        .map(|shard| {
            let range = shard * each..((shard + 1) * each).min(comparisons.len());
            let mut values = vec![0.0; 2 * range.len() * rows.width()];
            let items = piles.iter().flat_map(|pile| &pile[range.clone()]);
            for (into, item) in values.chunks_exact_mut(rows.width()).zip(items) {
                rows.copy_row(*item as usize, into);
            }
            let count = range.len() as u32;
            let pairs = (0..count).map(|at| (at, count + at)).collect();
            Shard::new(Rows::from_numbers(values, rows.width())?, pairs)
        })
        .collect()
}
