//! Training: every method learns, repeats itself, and refuses what it cannot use.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use likelier::data::generate::{Labeller, Recipe, Sampling, comparisons, pointwise};
use likelier::data::{Comparisons, Label, Piles, Rows};
use likelier::evaluate::Confusion;
use likelier::model::ScalingKind;
use likelier::random::{Purpose, stream, unit};
use likelier::risk::ThresholdRule;
use likelier::train::{Config, Data, train};
use likelier::{Classifier, Error, Method, Prior, Protocol};

const WIDTH: usize = 6;

/// Two overlapping clouds around ±(0.8, …), a third of the rows positive.
fn clouds(rows: usize) -> (Rows, Vec<Label>, Vec<u32>) {
    let mut rng = stream(5, Purpose::Split);
    let labels: Vec<Label> = (0..rows).map(|row| Label::positive_if(row % 3 == 0)).collect();
    let mut values = Vec::new();
    for label in &labels {
        let centre = if label.is_positive() { 0.8 } else { -0.8 };
        for _ in 0..WIDTH {
            // The sum of twelve uniform numbers is close to normal.
            let noise: f64 = (0..12).map(|_| unit(&mut rng)).sum::<f64>() - 6.0;
            values.push((3.0 * (centre + noise) + 10.0) as f32);
        }
    }
    (Rows::from_numbers(values, WIDTH).unwrap(), labels, (0..rows as u32).collect())
}

fn drawn(labels: &[Label], pool: &[u32], prior: Prior, protocol: Protocol) -> Comparisons {
    let recipe =
        Recipe { prior, protocol, pairs: 1500, sampling: Sampling::Independent, labeller: Labeller::Class };
    comparisons(labels, pool, &recipe, &mut stream(6, Purpose::Comparisons))
        .unwrap()
        .comparisons
}

fn accuracy(classifier: &Classifier, rows: &Rows, labels: &[Label], which: &[u32]) -> f64 {
    let predicted = classifier.predict(rows, which).unwrap();
    Confusion::of(&predicted, which.iter().map(|row| labels[*row as usize]))
        .unwrap()
        .accuracy()
}

fn quiet(data: &Data<'_>, config: &Config) -> Result<Classifier, Error> {
    train(data, config, |_, _| Ok(()))
}

#[test]
fn every_method_learns_from_either_protocol() {
    let (rows, labels, all) = clouds(3000);
    let (pool, test) = all.split_at(2000);
    let prior = Prior::new(1.0 / 3.0).unwrap();
    for protocol in [Protocol::DISCARD, Protocol::FORCED_CHOICE] {
        let comparisons = drawn(&labels, pool, prior, protocol);
        let data = Data { rows: &rows, piles: comparisons.piles(), labels: Some(&labels) };
        for method in Method::ALL {
            let mut config = Config { epochs: 30, ..Config::new(method, prior, protocol) };
            // Held to its teacher with weight 10, a model moves by some 0.0015 of its gradient a step:
            // right for tens of thousands of steps, too slow for the 360 of this test.
            config.setting.consistency_weight = 0.5;
            let accuracy = accuracy(&quiet(&data, &config).unwrap(), &rows, &labels, test);
            // Φ(0.8·√6) = 0.975 is the best any classifier can do here; 0.667 is saying no to all.
            // Binary-Biased aims at the balanced error, so its threshold is off by design.
            let least = if method == Method::BinaryBiased { 0.85 } else { 0.94 };
            assert!(accuracy > least, "{method} under {protocol}: {accuracy}");
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_weights_and_another_seed_others() {
    let (rows, labels, all) = clouds(600);
    let prior = Prior::new(0.4).unwrap();
    let comparisons = drawn(&labels, &all, prior, Protocol::DISCARD);
    let data = Data { rows: &rows, piles: comparisons.piles(), labels: None };
    for method in [Method::PcompAbs, Method::PcompTeacher, Method::Likelihood] {
        let config =
            Config { epochs: 5, warm_up_epochs: 2, ..Config::new(method, prior, Protocol::DISCARD) };
        let first = quiet(&data, &config).unwrap();
        assert_eq!(first, quiet(&data, &config).unwrap());
        let other = quiet(&data, &Config { seed: 1, ..config.clone() }).unwrap();
        assert_ne!(first.weights(), other.weights());
    }
}

#[test]
fn loose_piles_of_different_size_train_pointwise_methods_only() {
    let (rows, labels, all) = clouds(3000);
    let prior = Prior::new(0.3).unwrap();
    let mut rng = stream(6, Purpose::Comparisons);
    let piles = pointwise(&labels, &all, prior, Protocol::DISCARD, 2500, &mut rng).unwrap();
    assert_ne!(piles.likelier.len(), piles.other.len());
    let data = Data { rows: &rows, piles: piles.piles(), labels: None };
    let config = Config { epochs: 20, ..Config::new(Method::PcompRelu, prior, Protocol::DISCARD) };
    let classifier = quiet(&data, &config).unwrap();
    assert!(accuracy(&classifier, &rows, &labels, &all) > 0.9);
    for method in [Method::Likelihood, Method::RankQuantile] {
        let error = quiet(&data, &Config { method, ..config.clone() }).unwrap_err();
        assert!(matches!(error, Error::NotPaired { .. }), "{error}");
    }
}

#[test]
fn the_observer_sees_risk_parts_and_selection() {
    let (rows, labels, all) = clouds(900);
    let prior = Prior::new(0.5).unwrap();
    let comparisons = drawn(&labels, &all, prior, Protocol::DISCARD);
    let data = Data { rows: &rows, piles: comparisons.piles(), labels: None };
    let config = Config {
        epochs: 4,
        warm_up_epochs: 2,
        ..Config::new(Method::RankPruning, prior, Protocol::DISCARD)
    };
    let mut seen = Vec::new();
    let last = train(&data, &config, |summary, progress| {
        assert!(summary.risk.is_finite() && summary.columns.is_some());
        seen.push((summary.epoch, summary.selected_share, progress.classifier()?));
        Ok(())
    })
    .unwrap();
    let epochs: Vec<usize> = seen.iter().map(|epoch| epoch.0).collect();
    assert_eq!(epochs, [1, 2, 3, 4]);
    // At π = ½ the mixture is ⅔, ⅓: two thirds of each pile are kept, after the warm-up.
    for (epoch, share, _) in &seen {
        let expected = if *epoch > 2 { 2.0 / 3.0 } else { 1.0 };
        assert!((share - expected).abs() < 1e-3, "epoch {epoch}: {share}");
    }
    assert_eq!(seen.last().map(|epoch| &epoch.2), Some(&last));
    assert_ne!(seen[2].2, last);
}

#[test]
fn an_observer_can_stop_the_run_with_an_error() {
    let (rows, labels, all) = clouds(300);
    let prior = Prior::new(0.5).unwrap();
    let comparisons = drawn(&labels, &all, prior, Protocol::DISCARD);
    let data = Data { rows: &rows, piles: comparisons.piles(), labels: None };
    let config = Config::new(Method::PcompAbs, prior, Protocol::DISCARD);
    let mut epochs = 0;
    let stopped = train(&data, &config, |_, _| {
        epochs += 1;
        Err(Error::NeedsTargets)
    });
    assert!(stopped.is_err() && epochs == 1);
}

#[test]
fn the_prior_quantile_can_replace_the_zero_threshold() {
    let (rows, labels, all) = clouds(2000);
    let prior = Prior::new(0.25).unwrap();
    let comparisons = drawn(&labels, &all, prior, Protocol::FORCED_CHOICE);
    let data = Data { rows: &rows, piles: comparisons.piles(), labels: None };
    let config = Config {
        epochs: 10,
        threshold: Some(ThresholdRule::PriorQuantile),
        ..Config::new(Method::BinaryBiased, prior, Protocol::FORCED_CHOICE)
    };
    let classifier = quiet(&data, &config).unwrap();
    assert_ne!(classifier.threshold(), 0.0);
    // Under forced choice the piles together are the population.
    let pooled: Vec<u32> = comparisons.iter().flat_map(|(a, b)| [a, b]).collect();
    let positive = classifier.predict(&rows, &pooled).unwrap();
    let share = positive.iter().filter(|label| label.is_positive()).count() as f64 / pooled.len() as f64;
    assert!((share - 0.25).abs() < 0.01, "{share}");
}

#[test]
fn bad_data_and_settings_are_refused_with_their_reason() {
    let (rows, labels, all) = clouds(90);
    let prior = Prior::new(0.5).unwrap();
    let comparisons = drawn(&labels, &all, prior, Protocol::DISCARD);
    let config = Config { epochs: 2, ..Config::new(Method::PcompRelu, prior, Protocol::DISCARD) };
    let data = Data { rows: &rows, piles: comparisons.piles(), labels: None };
    let refusal = |data: &Data<'_>, config: &Config| quiet(data, config).unwrap_err().to_string();

    let none = Comparisons::default();
    let empty = Data { piles: none.piles(), ..data };
    assert!(refusal(&empty, &config).contains("pile is empty"));
    let half_empty = Data { piles: Piles::loose(&[1], &[]), ..data };
    assert!(refusal(&half_empty, &config).contains("other pile is empty"));
    let far = Comparisons::from_iter([(0, 90)]);
    let outside = Data { piles: far.piles(), ..data };
    assert!(refusal(&outside, &config).contains("item 90"));

    let supervised = Config { method: Method::Supervised, ..config.clone() };
    assert!(refusal(&data, &supervised).contains("true labels"));
    let short = Data { labels: Some(&labels[1..]), ..data };
    assert!(refusal(&short, &supervised).contains("89 labels do not match 90 items"));

    for (config, word) in [
        (Config { epochs: 0, ..config.clone() }, "epochs"),
        (Config { batch_rows: 1, ..config.clone() }, "batch size"),
        (Config { learning_rate: 0.0, ..config.clone() }, "learning rate"),
        (Config { learning_rate: f64::NAN, ..config.clone() }, "learning rate"),
        (Config { weight_decay: -1.0, ..config.clone() }, "weight decay"),
        (Config { teacher_smoothing: 1.0, ..config.clone() }, "smoothing"),
    ] {
        let message = refusal(&data, &config);
        assert!(message.contains(word), "{message}");
    }
}

#[test]
fn a_run_that_explodes_says_where() {
    let (rows, labels, all) = clouds(600);
    let prior = Prior::new(0.5).unwrap();
    let comparisons = drawn(&labels, &all, prior, Protocol::DISCARD);
    let data = Data { rows: &rows, piles: comparisons.piles(), labels: None };
    let config = Config {
        learning_rate: 1e38,
        scaling: Some(ScalingKind::None),
        ..Config::new(Method::PcompUnbiased, prior, Protocol::DISCARD)
    };
    let error = quiet(&data, &config).unwrap_err();
    assert!(matches!(error, Error::Diverged { epoch: 1, .. }), "{error}");
}

#[test]
fn a_single_comparison_and_a_batch_larger_than_the_data_work() {
    let rows = Rows::from_numbers(vec![0.0, 1.0], 1).unwrap();
    let one = Comparisons::from_iter([(1, 0)]);
    let data = Data { rows: &rows, piles: one.piles(), labels: None };
    let prior = Prior::new(0.5).unwrap();
    for method in [Method::PcompRelu, Method::PcompTeacher, Method::RankQuantile, Method::Likelihood] {
        let config = Config::new(method, prior, Protocol::FORCED_CHOICE);
        let scores = quiet(&data, &config).unwrap().scores(&rows, &[0, 1]).unwrap();
        assert!(scores[1] > scores[0], "{method}: {scores:?}");
    }
}

#[test]
fn rows_of_another_width_are_refused_at_scoring() {
    let rows = Rows::from_numbers(vec![0.0, 1.0], 1).unwrap();
    let one = Comparisons::from_iter([(1, 0)]);
    let data = Data { rows: &rows, piles: one.piles(), labels: None };
    let config = Config::new(Method::PcompRelu, Prior::new(0.5).unwrap(), Protocol::DISCARD);
    let classifier = quiet(&data, &config).unwrap();
    let wider = Rows::from_numbers(vec![0.0, 1.0], 2).unwrap();
    assert!(matches!(classifier.scores(&wider, &[0]), Err(Error::Mismatch { .. })));
}
