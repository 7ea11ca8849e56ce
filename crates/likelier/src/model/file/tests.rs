//! Round trips and damage.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::data::{Column, Features, NumberRule, Rows};
use crate::model::{
    Architecture, Mlp, MlpNorm, ProbabilityMap, ResNet, Scaling, ScalingKind, TrainingSummary,
};
use crate::random::{Purpose, stream, unit};
use crate::risk::{Loss, Method, Setting};
use crate::{Collection, Prior, Protocol};

/// A classifier that nobody trained, of any architecture.
fn classifier(architecture: Architecture, features: Features) -> Classifier {
    let width = features.width();
    let mut rng = stream(3, Purpose::Weights);
    let values = (0..3 * width).map(|_| unit(&mut rng) as f32).collect();
    let rows = Rows::from_numbers(values, width).unwrap();
    Classifier {
        weights: architecture.initial_weights(width, &mut rng).unwrap(),
        architecture,
        features,
        scaling: Scaling::fit(ScalingKind::Standardise, &rows, &[&[0, 1, 2]]),
        threshold: 0.25,
        method: Method::PcompRelu,
        setting: Setting::new(Prior::new(0.3).unwrap(), Protocol::DISCARD),
        probability: ProbabilityMap::plain(0.25),
        summary: TrainingSummary {
            comparisons: 10,
            held_out_comparisons: 2,
            epoch: 7,
            held_out: Some(0.5),
            seed: u64::MAX,
            fallback: None,
        },
        version: "0.1.0".into(),
    }
}

fn small() -> [Classifier; 3] {
    let mlp = Architecture::Mlp(Mlp { hidden: vec![3], norm: MlpNorm::EachLayer });
    let resnet = Architecture::ResNet(ResNet { image: [2, 2, 2], stem: 2, stages: vec![(1, 2), (1, 3)] });
    [
        classifier(Architecture::Linear, Features::numbered(2)),
        classifier(mlp, Features::numbered(3)),
        classifier(resnet, Features::numbered(8)),
    ]
}

fn fault(bytes: &[u8]) -> String {
    match Classifier::from_bytes(bytes) {
        Err(Error::Model { path: None, fault }) => fault.to_string(),
        other => panic!("{other:?}"),
    }
}

/// The file with its metadata changed, and a checksum that is right for it.
fn with_metadata(bytes: &[u8], change: impl FnOnce(&mut Value)) -> Vec<u8> {
    with_header(bytes, |header| {
        let text = header["__metadata__"][KEY].as_str().unwrap();
        let mut metadata: Value = serde_json::from_str(text).unwrap();
        change(&mut metadata);
        if metadata.get("checksum").is_some() {
            metadata["checksum"] = UNSIGNED.into();
            metadata["checksum"] = checksum(&metadata.to_string(), data_of(bytes)).into();
        }
        header["__metadata__"][KEY] = metadata.to_string().into();
    })
}

fn with_header(bytes: &[u8], change: impl FnOnce(&mut Value)) -> Vec<u8> {
    let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let mut header: Value = serde_json::from_slice(&bytes[8..8 + length]).unwrap();
    change(&mut header);
    let header = header.to_string();
    [&(header.len() as u64).to_le_bytes(), header.as_bytes(), &bytes[8 + length..]].concat()
}

fn columns() -> impl Strategy<Value = Vec<Column>> {
    let rule = (-1e12_f64..1e12, prop::option::of(-1e12_f64..1e12), any::<bool>());
    let number = (any::<String>(), rule).prop_map(|(name, (offset, median, missing))| Column::Number {
        name,
        rule: NumberRule { offset, median, missing: missing && median.is_some(), date: missing },
    });
    let values = prop::collection::btree_set(any::<String>(), 1..4);
    let category = (any::<String>(), values)
        .prop_map(|(name, values)| Column::Category { name, values: values.into_iter().collect() });
    prop::collection::vec(prop_oneof![number, category], 1..6)
}

proptest! {
    #[test]
    fn what_was_saved_is_loaded_to_the_bit(
        columns in columns(),
        parameters in prop::collection::vec(any::<u32>(), 32),
        threshold in -1e9_f32..1e9,
        (slope, offset) in (any::<f32>(), any::<f32>()),
        (prior, error, weight) in (1e-9_f64..1.0, 0.0_f64..0.4999, 0.0_f64..1e6),
        held_out in prop::option::of(-1e300_f64..1e300),
        (seed, epoch) in (any::<u64>(), any::<usize>()),
        method in prop::sample::select(&Method::ALL[..]),
        (collection, loss) in (prop::sample::select(&Collection::ALL[..]), prop::sample::select(&Loss::ALL[..])),
    ) {
        let Ok(features) = Features::new(columns) else { return Ok(()) };
        prop_assume!(slope.is_finite() && offset.is_finite());
        let mut saved = classifier(Architecture::Linear, features);
        for (to, bits) in saved.weights.parameters.iter_mut().zip(parameters) {
            *to = Some(f32::from_bits(bits)).filter(|number| number.is_finite()).unwrap_or(-0.0);
        }
        saved.threshold = threshold;
        saved.probability = ProbabilityMap { slope, offset };
        saved.method = method;
        saved.setting.prior = Prior::new(prior).unwrap();
        saved.setting.sample_prior = Some(saved.setting.prior).filter(|_| held_out.is_some());
        saved.setting.protocol = Protocol::new(collection, error).unwrap();
        saved.setting.loss = loss;
        saved.setting.consistency_weight = weight;
        saved.summary = TrainingSummary { epoch, held_out, seed, ..saved.summary };
        let bytes = saved.to_bytes().unwrap();
        let loaded = Classifier::from_bytes(&bytes).unwrap();
        prop_assert_eq!(&loaded, &saved);
        // Equality holds for 0 and −0, bytes tell them apart.
        prop_assert_eq!(loaded.to_bytes().unwrap(), bytes);
    }

    #[test]
    fn any_bytes_are_a_model_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(Classifier::from_bytes(&bytes).is_err());
    }
}

#[test]
fn every_kind_of_model_comes_back_and_scores_the_same() {
    for saved in small() {
        let loaded = Classifier::from_bytes(&saved.to_bytes().unwrap()).unwrap();
        assert_eq!(loaded, saved);
        let width = saved.features.width();
        let rows = Rows::from_numbers((0..4 * width).map(|k| k as f32 * 0.1).collect(), width).unwrap();
        let scores = |classifier: &Classifier| classifier.scores(&rows).unwrap();
        assert_eq!(scores(&loaded), scores(&saved));
    }
}

#[test]
fn a_cut_file_is_refused_at_every_length() {
    for saved in small() {
        let bytes = saved.to_bytes().unwrap();
        for length in 0..bytes.len() {
            assert!(Classifier::from_bytes(&bytes[..length]).is_err(), "{length} of {}", bytes.len());
        }
        assert!(fault(&bytes[..5]).contains("it has only 5 bytes"));
        assert!(fault(&bytes[..100]).contains("cut short, in its header"));
        assert!(fault(&bytes[..bytes.len() - 1]).ends_with("the file is cut short"));
        assert!(fault(&[&bytes[..], b"!"].concat()).contains("longer than its header says"));
    }
}

#[test]
fn a_flipped_bit_anywhere_is_refused_in_words() {
    for saved in small() {
        let bytes = saved.to_bytes().unwrap();
        for at in 0..8 * bytes.len() {
            let mut flipped = bytes.clone();
            flipped[at / 8] ^= 1 << (at % 8);
            match Classifier::from_bytes(&flipped) {
                Err(Error::Model { fault, .. }) => assert!(!fault.to_string().is_empty()),
                other => panic!("bit {} of byte {}: {other:?}", at % 8, at / 8),
            }
        }
    }
    let [linear, ..] = small();
    let mut bytes = linear.to_bytes().unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    assert!(fault(&bytes).contains("its checksum is "), "{}", fault(&bytes));
    let unsigned = with_metadata(&bytes, |all| drop(all.as_object_mut().unwrap().remove("checksum")));
    assert!(fault(&unsigned).ends_with("its metadata have no checksum"));
}

#[test]
fn a_file_without_a_checksum_loads_or_is_refused_and_never_panics() {
    let mut rng = stream(11, Purpose::Split);
    for saved in small() {
        let bytes = with_metadata(&saved.to_bytes().unwrap(), |all| {
            all["format"] = json!(1);
            all.as_object_mut().unwrap().remove("checksum");
        });
        assert_eq!(Classifier::from_bytes(&bytes).unwrap(), saved);
        let (mut refused, mut loaded) = (0, 0);
        for at in 0..bytes.len() {
            for _ in 0..8 {
                let mut flipped = bytes.clone();
                flipped[at] ^= 1 + (unit(&mut rng) * 255.0) as u8;
                match Classifier::from_bytes(&flipped) {
                    // What loads is whole: it can be written and scored with.
                    Ok(classifier) => {
                        loaded += 1;
                        classifier.to_bytes().unwrap();
                        let width = classifier.features.width();
                        let rows = Rows::from_numbers(vec![0.5; width], width).unwrap();
                        classifier.scores(&rows).unwrap();
                    }
                    Err(Error::Model { .. }) => refused += 1,
                    Err(other) => panic!("byte {at}: {other:?}"),
                }
            }
        }
        assert!(refused > loaded && loaded > 0, "{refused} refused, {loaded} loaded");
    }
}

#[test]
fn shapes_that_the_file_has_no_room_for_are_refused_before_they_are_built() {
    let [linear, ..] = small();
    let bytes = linear.to_bytes().unwrap();
    // No machine could build these: that there is an answer shows that nothing was built.
    for model in [
        json!({"kind": "mlp", "hidden": [1_000_000_000_000_u64], "norm": "none"}),
        json!({"kind": "mlp", "hidden": [u64::MAX, u64::MAX], "norm": "each-layer"}),
        json!({"kind": "resnet", "image": [2, 1, 1], "stem": 1, "stages": [[u64::MAX, 1]]}),
        json!({"kind": "resnet", "image": [u64::MAX, u64::MAX, u64::MAX], "stem": 1, "stages": [[1, 1]]}),
        json!({"kind": "resnet", "image": [2, 1, 1], "stem": u64::MAX, "stages": [[1, u64::MAX]]}),
    ] {
        let said = fault(&with_metadata(&bytes, |metadata| metadata["model"] = model));
        assert!(said.contains("parameters, but the file holds 7 numbers"), "{said}");
    }
    // Small enough for the file, and still no network.
    for model in [
        json!({"kind": "mlp", "hidden": [0], "norm": "none"}),
        json!({"kind": "resnet", "image": [0, 1, 2], "stem": 0, "stages": []}),
    ] {
        let said = fault(&with_metadata(&bytes, |metadata| metadata["model"] = model));
        assert!(said.contains("must be at least 1") || said.contains("square images"), "{said}");
    }
}

#[test]
fn a_newer_format_an_unknown_key_and_other_peoples_files_get_clear_answers() {
    let [linear, ..] = small();
    let bytes = linear.to_bytes().unwrap();
    let changed = |key: &str, value: Value| fault(&with_metadata(&bytes, |all| all[key] = value));
    assert_eq!(
        changed("format", json!(4)),
        "format 4 was written by a newer likelier; this one reads up to 3"
    );
    assert!(changed("format", json!(3)).contains("missing field `classes`"));
    assert!(changed("format", json!(0)).contains("do not say which format"));
    assert!(changed("shift", json!(1)).contains("unknown key 'shift'"));
    let inner = with_metadata(&bytes, |all| all["setting"]["extra"] = json!(1));
    assert!(fault(&inner).contains("unknown key 'extra'"));
    let feature = with_metadata(&bytes, |all| all["features"][1]["unit"] = json!("cm"));
    assert!(fault(&feature).contains("unknown key 'unit'"));

    let plain = with_header(&bytes, |header| header["__metadata__"] = json!({"format": "pt"}));
    assert_eq!(
        fault(&plain),
        "this is not a likelier model: it is a safetensors file, but without the metadata key 'likelier'"
    );
    assert!(fault(b"id,score\n1,0.5\n2,0.25\n").contains("not a likelier model"));
    assert!(fault(b"").contains("it has only 0 bytes"));
    // A key of somebody else's beside ours does no harm.
    let beside = with_header(&bytes, |header| header["__metadata__"]["format"] = json!("pt"));
    assert_eq!(Classifier::from_bytes(&beside).unwrap(), linear);
}

#[test]
fn values_that_cannot_be_are_refused() {
    let [linear, mlp, _] = small();
    let bytes = linear.to_bytes().unwrap();
    let changed = |change: &dyn Fn(&mut Value)| fault(&with_metadata(&bytes, change));
    assert!(changed(&|all| all["setting"]["prior"] = json!(1.2)).contains("strictly between 0 and 1"));
    assert!(changed(&|all| all["setting"]["labeller_error"] = json!(0.5)).contains("below 0.5"));
    assert!(
        changed(&|all| all["threshold"] = json!(1e300))
            .contains("threshold and probability map must be finite, but hold inf")
    );
    assert!(changed(&|all| all["method"] = json!("magic")).contains("unknown method 'magic'"));
    assert!(changed(&|all| all["scaling"] = json!("none")).contains("does not match its kind"));
    assert!(changed(&|all| all["scaling"] = json!("largest-absolute")).contains("does not match its kind"));
    let twice = |all: &mut Value| all["features"][1] = all["features"][0].clone();
    assert!(changed(&twice).contains("'f0' twice"));
    assert!(changed(&|all| all["features"] = json!([])).contains("the number of features"));
    let narrower = |all: &mut Value| all["features"] = json!([{"kind": "number", "name": "x"}]);
    assert!(changed(&narrower).contains("'scaling.offset' is F32 [2], but should be F32 [1]"));

    let other_type = with_header(&bytes, |header| header["layers.0.dense.bias"]["dtype"] = json!("I32"));
    assert!(fault(&other_type).contains("'layers.0.dense.bias' is I32 [1], but should be F32 [1]"));
    let renamed = with_header(&bytes, |header| {
        let tensor = header["layers.0.dense.bias"].take();
        header.as_object_mut().unwrap().remove("layers.0.dense.bias");
        header["bias"] = tensor;
    });
    assert!(fault(&renamed).contains("it has no tensor 'layers.0.dense.bias'"));

    let broken = |change: &dyn Fn(&mut Classifier)| {
        let mut classifier = mlp.clone();
        change(&mut classifier);
        classifier.to_bytes()
    };
    let said = broken(&|mlp| mlp.weights.parameters[3] = f32::NAN).unwrap_err().to_string();
    assert_eq!(said, "the model is damaged: the parameters must be finite, but hold NaN");
    assert!(broken(&|mlp| mlp.summary.held_out = Some(f64::INFINITY)).is_err());
    let negative = broken(&|mlp| mlp.weights.buffers[5] = -1.0).unwrap();
    assert!(fault(&negative).contains("'layers.1.norm.running_variance' holds a variance below 0"));
}

#[test]
fn offsets_that_overflow_are_refused() {
    let [linear, ..] = small();
    let header = json!({
        "a": {"dtype": "F64", "shape": [1_u64 << 57], "data_offsets": [0, 1_u64 << 60]},
        "b": {"dtype": "U8", "shape": [u64::MAX / 8 - 8], "data_offsets": [1_u64 << 60, (1_u64 << 60) + u64::MAX / 8 - 8]},
        "__metadata__": {KEY: linear.metadata_json().unwrap()},
    })
    .to_string();
    let bytes = [&(header.len() as u64).to_le_bytes(), header.as_bytes()].concat();
    assert!(fault(&bytes).contains("cut short"));
}

#[test]
fn metadata_are_canonical_and_hold_nothing_of_the_moment() {
    let [linear, ..] = small();
    assert_eq!(
        linear.metadata_json().unwrap(),
        r#"{"features":[{"kind":"number","name":"f0"},{"kind":"number","name":"f1"}],"format":2,"method":"pcomp-relu","model":{"kind":"linear"},"probability":{"offset":-0.25,"slope":1.0},"scaling":"standardise","setting":{"consistency_weight":1.0,"labeller_error":0.0,"loss":"logistic","prior":0.3,"protocol":"discard","pruning_weights":"paper","sample_prior":null},"threshold":0.25,"training":{"comparisons":10,"epoch":7,"held_out":0.5,"held_out_comparisons":2,"seed":18446744073709551615},"version":"0.1.0"}"#
    );
}

#[test]
fn saving_names_the_path_and_replaces_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let [linear, mlp, _] = small();
    let path = folder.path().join("model.likelier");
    linear.save(&path).unwrap();
    mlp.save(&path).unwrap();
    assert_eq!(Classifier::load(&path).unwrap(), mlp);
    let nowhere = folder.path().join("no/folder/model.likelier");
    let error = linear.save(&nowhere).unwrap_err();
    assert!(matches!(&error, Error::File { path, .. } if *path == nowhere), "{error}");
    let error = Classifier::load(&nowhere).unwrap_err();
    assert!(matches!(&error, Error::File { path, .. } if *path == nowhere), "{error}");
    assert!(matches!(Classifier::load(folder.path()), Err(Error::File { .. })));
    std::fs::write(&path, "text").unwrap();
    let said = Classifier::load(&path).unwrap_err().to_string();
    assert!(said.ends_with("model.likelier: this is not a likelier model: it has only 4 bytes"), "{said}");
}
