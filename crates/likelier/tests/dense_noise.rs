//! Many comparisons among few items whose features say nothing: nothing may look learned.

#![cfg(feature = "engine")]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::f64::consts::LN_2;

use likelier::data::{Comparisons, Label, Rows};
use likelier::generate::{Recipe, Sampling, draw};
use likelier::model::{Architecture, Mlp};
use likelier::random::{Purpose, stream, unit};
use likelier::train::{Config, Control, Criterion, Data, EarlyStop, train_with};
use likelier::{Method, Prior, Protocol, Supervision};

/// Items with features and labels that know nothing of each other, and forced choices between them.
fn noise(items: u32, pairs: usize, width: usize, seed: u64) -> (Rows<'static>, Comparisons) {
    let mut rng = stream(seed, Purpose::Split);
    let values = (0..items as usize * width).map(|_| unit(&mut rng) as f32).collect();
    let labels: Vec<Label> = (0..items).map(|_| Label::positive_if(unit(&mut rng) < 0.4)).collect();
    let pool: Vec<u32> = (0..items).collect();
    let prior = Prior::new(0.4).unwrap();
    let recipe = Recipe {
        prior,
        protocol: Protocol::FORCED_CHOICE,
        pairs,
        sampling: Sampling::Independent,
        degrees: None,
    };
    let drawn = draw(&labels, &pool, &recipe, &mut stream(seed, Purpose::Comparisons)).unwrap();
    (Rows::from_numbers(values, width).unwrap(), Supervision::new(drawn.evidence).comparisons().unwrap())
}

/// The mean over epochs of what early stop measures.
fn mean_held_out(architecture: Architecture, learning_rate: f64, seed: u64) -> f64 {
    let (rows, comparisons) = noise(200, 2000, 30, seed);
    let data = Data { rows: &rows, piles: comparisons.piles(), labels: None };
    let prior = Prior::new(0.4).unwrap();
    let config = Config {
        architecture,
        learning_rate,
        epochs: 8,
        early_stop: Some(EarlyStop { share: 0.1, criterion: Criterion::Orientation, patience: None }),
        seed,
        ..Config::new(Method::Likelihood, prior, Protocol::FORCED_CHOICE)
    };
    let mut sum = 0.0;
    train_with(&data, &config, &Control::default(), |summary, _| {
        sum += summary.held_out.unwrap();
        Ok(())
    })
    .unwrap()
    .finished()
    .unwrap();
    sum / config.epochs as f64
}

#[test]
fn early_stop_sees_no_better_than_a_coin_where_there_is_nothing_to_learn() {
    let network = Architecture::Mlp(Mlp { hidden: vec![60], ..Mlp::of_the_paper() });
    for (architecture, learning_rate) in [(Architecture::Linear, 1e-2), (network, 1e-3)] {
        let values: Vec<f64> = (0..12)
            .map(|seed| mean_held_out(architecture.clone(), learning_rate, seed))
            .collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        // Holding out answers in place of items, it was 0.67 and 0.66.
        assert!(mean > LN_2, "{architecture:?}: {mean} is better than a coin's {LN_2}");
    }
}
