//! Training over shards on real data: the accuracy of training in one piece.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use likelier::model::Architecture;
use likelier::shards::{Shard, ShardOptions, fit_shards};
use likelier::train::{Config, train};
use likelier::{Method, Prior, Protocol, Threads};
use likelier_paper::benchmark::Benchmark;
use likelier_paper::trial::{Design, DrawnTrial};

mod data_dir;

#[test]
fn shards_are_as_accurate_as_one_piece_on_usps_and_pendigits() {
    let Some(data) = data_dir::data_dir() else { return };
    for name in ["usps", "pendigits"] {
        let benchmark: Benchmark = name.parse().unwrap();
        let dataset = benchmark.load(&data).unwrap();
        for (prior, protocol) in [(0.2, Protocol::DISCARD), (0.5, Protocol::FORCED_CHOICE)] {
            let prior = Prior::new(prior).unwrap();
            let design = Design::new(prior, protocol, benchmark.spec().pairs);
            let trial = DrawnTrial::draw(&dataset, &design, 100).unwrap();
            let data = trial.data();
            let config =
                Config::recommended(Method::PairPosterior, Architecture::Linear, prior, protocol, &data);
            let whole = trial.accuracy(&train(&data, &config).unwrap()).unwrap();
            let comparisons = trial.comparisons().unwrap();
            let part = |at| comparisons.part(|answer| answer * 3 / comparisons.answers() == at);
            let shards: Vec<Shard<'_>> =
                (0..3).map(|at| Shard::new(dataset.rows.clone(), part(at)).unwrap()).collect();
            let classifier =
                fit_shards(&Threads(&shards[..]), &ShardOptions::new(prior, protocol)).unwrap();
            let sharded = trial.accuracy(&classifier).unwrap();
            let error = (whole * (1.0 - whole) / trial.test.len() as f64).sqrt();
            assert!((whole - sharded).abs() < 2.0 * error, "{name} at {prior}: {whole} and {sharded}");
        }
    }
}
