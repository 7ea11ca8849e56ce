//! The graph that is written. That ONNX Runtime scores with it as we do is checked by
//! `cargo xtask peers`, on files that include the ones compared here.

use std::fs;
use std::path::Path;

use super::*;

fn fixture(name: &str) -> (Classifier, Vec<u8>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/model-format-2");
    let classifier = Classifier::load(folder.join(format!("{name}.likelier"))).unwrap();
    (classifier, fs::read(folder.join(format!("{name}.onnx"))).unwrap())
}

fn graph(classifier: &Classifier) -> proto::OnnxGraph {
    OnnxModel::decode(&classifier.to_onnx().unwrap()[..]).unwrap().graph.unwrap()
}

#[test]
fn the_exported_files_are_those_that_onnx_runtime_was_checked_with() {
    for name in ["linear", "categorical", "missing", "mlp", "resnet"] {
        let (classifier, committed) = fixture(name);
        let mut committed = OnnxModel::decode(&committed[..]).unwrap();
        // Whoever exports tells its own version.
        committed.producer_version = env!("CARGO_PKG_VERSION").into();
        assert_eq!(classifier.onnx_model().unwrap(), committed, "{name}");
        assert_eq!(classifier.to_onnx().unwrap(), committed.encode_to_vec(), "{name}");
    }
}

#[test]
fn every_value_is_made_once_and_before_it_is_used() {
    for name in ["linear", "categorical", "missing", "mlp", "resnet"] {
        let graph = graph(&fixture(name).0);
        let mut made: Vec<&str> = graph.input.iter().map(|input| &input.name[..]).collect();
        made.extend(graph.initializer.iter().map(|constant| &constant.name[..]));
        for node in &graph.node {
            assert!(node.input.iter().all(|input| made.contains(&&input[..])), "{name}: {node:?}");
            made.extend(node.output.iter().map(String::as_str));
        }
        let count = made.len();
        made.sort_unstable();
        made.dedup();
        assert_eq!(made.len(), count, "{name}");
        assert!(graph.output.iter().all(|output| made.contains(&&output.name[..])), "{name}");
    }
}

#[test]
fn text_columns_with_odd_names_become_inputs_of_their_own() {
    use crate::data::{Column, Features};
    let (classifier, _) = fixture("linear");
    let width = classifier.features().width();
    let mut columns: Vec<Column> = ["", "_", "score", "features", "likelier/axis", "größe 🍇"]
        .map(|name| Column::Category { name: name.into(), values: vec!["x".into()] })
        .into();
    assert!(columns.len() <= width);
    columns.extend((columns.len()..width).map(|at| Column::number(at.to_string())));
    let graph = graph(&classifier.with_features(Features::new(columns).unwrap()).unwrap());
    let names: Vec<&str> = graph.input.iter().map(|input| &input.name[..]).collect();
    let texts = ["_", "__", "_score", "_features", "_likelier/axis", "größe 🍇"];
    assert_eq!(names.iter().filter(|name| **name != "features").copied().collect::<Vec<_>>(), texts);
}

#[test]
fn weights_of_a_convolution_are_turned() {
    // 1×2 kernel positions, 2 inputs, 3 outputs: the number says kernel, input, output.
    let weights: Vec<f32> =
        [0.0, 1.0, 2.0, 10.0, 11.0, 12.0, 100.0, 101.0, 102.0, 110.0, 111.0, 112.0].into();
    let turned = super::body::outputs_first(&weights, 2, 2, 3);
    assert_eq!(turned, [0.0, 100.0, 10.0, 110.0, 1.0, 101.0, 11.0, 111.0, 2.0, 102.0, 12.0, 112.0]);
}
