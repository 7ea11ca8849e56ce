//! A first cell of the paper's Table 3 on real data: linear Optdigits at π = 0.5.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod data_dir;

use data_dir::data_dir;
use likelier::evaluate::mean_and_deviation;
use likelier::model::ScalingKind;
use likelier::train::Config;
use likelier::{Method, Prior, Protocol};
use likelier_paper::benchmark::Benchmark;
use likelier_paper::trial::{Design, DrawnTrial};

const TRIALS: u64 = 5;

/// The mean and deviation over five trials of the last ten epochs' mean accuracy.
fn cell(
    dataset: &likelier_paper::benchmark::Dataset,
    change: impl Fn(Config) -> Config,
    method: Method,
) -> (f64, f64) {
    let half = Prior::new(0.5).unwrap();
    let trial = |seed| {
        let trial = DrawnTrial::draw(dataset, &Design::new(half, Protocol::DISCARD, 1000), seed).unwrap();
        let config = change(Config { seed, ..Config::new(method, half, Protocol::DISCARD) });
        mean_and_deviation(&trial.last_accuracies(&config, 10).unwrap()).0
    };
    mean_and_deviation(&(0..TRIALS).map(trial).collect::<Vec<_>>())
}

#[test]
fn optdigits_at_one_half_agrees_with_the_papers_cell() {
    let Some(folder) = data_dir() else { return };
    let dataset = Benchmark::Optdigits.load(&folder).unwrap();
    for (method, paper, paper_deviation) in [
        (Method::PcompUnbiased, 0.847, 0.014),
        (Method::PcompRelu, 0.846, 0.013),
        (Method::PcompAbs, 0.841, 0.013),
    ] {
        let (mean, deviation) = cell(&dataset, |config| config, method);
        let error = ((deviation * deviation + paper_deviation * paper_deviation) / TRIALS as f64).sqrt();
        let apart = (mean - paper) / error;
        assert!(
            apart.abs() < 3.0,
            "{method}: {mean:.3} ± {deviation:.3} is {apart:.1} standard errors off"
        );
    }
}

#[test]
fn settings_the_paper_leaves_open_move_the_cell_by_more_than_its_deviation() {
    let Some(folder) = data_dir() else { return };
    let dataset = Benchmark::Optdigits.load(&folder).unwrap();
    let with =
        |scaling| cell(&dataset, |config| Config { scaling: Some(scaling), ..config }, Method::PcompAbs).0;
    let (raw, unit) = (with(ScalingKind::None), with(ScalingKind::UnitRange));
    assert!(unit - raw > 0.03, "scaling alone moves Pcomp-ABS from {raw:.3} to {unit:.3}");
}

#[test]
fn a_trial_is_what_its_seed_says_and_is_tested_at_its_prior() {
    let Some(folder) = data_dir() else { return };
    let dataset = Benchmark::Optdigits.load(&folder).unwrap();
    let prior = Prior::new(0.2).unwrap();
    let draw =
        |seed| DrawnTrial::draw(&dataset, &Design::new(prior, Protocol::DISCARD, 500), seed).unwrap();
    let trial = draw(1);
    assert_eq!(trial.comparisons(), draw(1).comparisons());
    assert_ne!(trial.comparisons(), draw(2).comparisons());
    let positives = trial
        .test
        .iter()
        .filter(|row| dataset.labels[**row as usize].is_positive())
        .count();
    let share = positives as f64 / trial.test.len() as f64;
    assert!((share - 0.2).abs() < 0.002, "{share}");

    let config = Config { epochs: 6, ..Config::new(Method::PcompAbs, prior, Protocol::DISCARD) };
    let accuracies = trial.last_accuracies(&config, 4).unwrap();
    let shorter = Config { epochs: 5, ..config };
    assert_eq!(accuracies.len(), 4);
    assert_eq!(accuracies[..3], trial.last_accuracies(&shorter, 3).unwrap(), "epoch by epoch");
}
