//! Model files: old ones stay readable, and equal training gives equal bytes.

#![cfg(feature = "engine")]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::{Path, PathBuf};

use likelier::data::{Column, Comparisons, Rows};
use likelier::model::{Architecture, Mlp};
use likelier::train::{Config, Control, Data, EarlyStop, Outcome, train_with};
use likelier::{Classifier, Method, Prior, Protocol};
use serde_json::Value;

fn fixture(format: u32, name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join(format!("tests/fixtures/model-format-{format}"))
        .join(name)
}

fn floats(value: &Value) -> Vec<f32> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap() as f32).collect()
}

#[test]
fn files_of_every_format_still_load_and_score_the_same() {
    let old = ["linear", "categorical", "mlp", "resnet"].map(|name| (1, name));
    let new = ["linear", "categorical", "missing", "mlp", "resnet"].map(|name| (2, name));
    for (format, name) in old.into_iter().chain(new) {
        let path = fixture(format, &format!("{name}.likelier"));
        let classifier = Classifier::load(&path).unwrap();
        let text = fs::read_to_string(fixture(format, &format!("{name}.json"))).unwrap();
        let expected: Value = serde_json::from_str(&text).unwrap();
        let values: Vec<f32> = expected["rows"].as_array().unwrap().iter().flat_map(floats).collect();
        let rows = Rows::from_numbers(values, classifier.features().width()).unwrap();
        assert_eq!(rows.len(), 24);
        let scores = classifier.scores(&rows).unwrap();
        for (score, expected) in scores.iter().zip(floats(&expected["scores"])) {
            // Another machine may add in another order.
            let allowed = 1e-5 * expected.abs().max(1.0);
            assert!((score - expected).abs() < allowed, "{name}: {score} is not {expected}");
        }
        for (score, probability) in scores.iter().zip(floats(&expected["probabilities"])) {
            assert!((classifier.probability().of(*score) - probability).abs() < 1e-5, "{name}");
        }
        let labels: Vec<u8> = classifier
            .predict(&rows)
            .unwrap()
            .iter()
            .map(|label| u8::from(label.is_positive()))
            .collect();
        assert_eq!(serde_json::json!(labels), expected["labels"], "{name}");
        if format == 2 {
            // What is written now is what was written then.
            assert_eq!(classifier.to_bytes().unwrap(), fs::read(&path).unwrap(), "{name}");
        }
        // What is written now is the newest format of the same.
        let again = Classifier::from_bytes(&classifier.to_bytes().unwrap()).unwrap();
        assert_eq!(again, classifier, "{name}");
        assert!(again.metadata_json().unwrap().contains("\"format\":2"), "{name}");
    }
}

#[test]
fn an_old_file_tells_what_its_model_is() {
    let classifier = Classifier::load(fixture(1, "categorical.likelier")).unwrap();
    assert_eq!((classifier.method(), classifier.version()), (Method::RankQuantile, "0.1.0"));
    assert_eq!(classifier.setting().prior, Prior::new(0.4).unwrap());
    assert_eq!(classifier.setting().protocol, Protocol::FORCED_CHOICE);
    assert_eq!((classifier.summary().comparisons, classifier.summary().seed), (300, 1));
    let names: Vec<&str> = classifier.features().columns().iter().map(Column::name).collect();
    assert_eq!(names, ["weight", "colour", "height", "size", "age"]);
    assert_eq!(classifier.features().width(), 8);
}

#[test]
fn equal_training_gives_equal_bytes_and_other_training_others() {
    let width = 5;
    let value = |k: usize| ((k * 7919) % 1009) as f32 / 100.0;
    let rows = Rows::from_numbers((0..60 * width).map(value).collect(), width).unwrap();
    let comparisons: Comparisons = (0..200_u32).map(|k| (k * 13 % 60, (k * 29 + 7) % 60)).collect();
    let bytes = |architecture: &Architecture, threads: usize, seed: u64| {
        let prior = Prior::new(0.3).unwrap();
        let config = Config {
            architecture: architecture.clone(),
            epochs: 3,
            seed,
            early_stop: Some(EarlyStop {
                share: 0.2,
                criterion: likelier::train::Criterion::Orientation,
                patience: None,
            }),
            ..Config::new(Method::Likelihood, prior, Protocol::FORCED_CHOICE)
        };
        let data = Data { rows: &rows, piles: comparisons.piles(), labels: None };
        let control = Control { threads: Some(threads), ..Control::default() };
        match train_with(&data, &config, &control, |_, _| Ok(())).unwrap() {
            Outcome::Finished(classifier) => classifier.to_bytes().unwrap(),
            stopped @ Outcome::Stopped { .. } => panic!("{stopped:?}"),
        }
    };
    for architecture in [Architecture::Linear, Architecture::Mlp(Mlp::of_the_paper())] {
        let first = bytes(&architecture, 1, 5);
        assert_eq!(first, bytes(&architecture, 1, 5));
        assert_eq!(first, bytes(&architecture, 2, 5));
        assert_ne!(first, bytes(&architecture, 2, 6));
    }
}
