//! `likelier inspect` and `likelier export`, on the committed model files and on files that are none.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use likelier::Classifier;

fn fixture(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../likelier/tests/fixtures/model-format-2");
    folder.join(format!("{name}.likelier"))
}

fn likelier(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_likelier"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
}

/// What went to standard error, of a run that must fail.
fn complaint(output: &Output) -> String {
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{output:?}");
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    names.map(|name| name.into_string().unwrap()).collect()
}

#[test]
fn inspect_tells_people_what_is_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(fixture("categorical"), folder.path().join("wine.likelier")).unwrap();
    let output = likelier(folder.path(), &["inspect", "wine.likelier"]);
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        "wine.likelier  1268 bytes
  model       linear; 9 parameters
  features    8 from 5 columns: weight, colour (3 values), height, size (2 values), age
  scaling     each feature to mean 0 and standard deviation 1
  method      rank-quantile
  prior       0.4
  protocol    forced-choice
  threshold   positive where the score is above 0.23878077
  probability σ(1.5·score − 0.35817116)
  training    300 comparisons, weights of epoch 20, seed 1
  trained by  likelier 0.1.0
"
    );
    for (name, line) in [
        ("mlp", "model       mlp, hidden layers of 8, 5 units, batch norm in each layer; 133 parameters"),
        ("resnet", "resnet for 3 × 4 × 4 images, stages of 1, 1 blocks with 3, 4 channels; 554 parameters"),
        ("resnet", "features    48: f0, f1, f2, f3, f4, f5, f6, f7, and 40 more"),
    ] {
        let output = likelier(folder.path(), &["inspect", fixture(name).to_str().unwrap()]);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains(line), "{text}");
    }
}

#[test]
fn inspect_tells_programs_everything_but_the_numbers() {
    let path = fixture("categorical");
    let output = likelier(Path::new("."), &["inspect", "--json", path.to_str().unwrap()]);
    let printed: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((printed["schema"].as_u64(), printed["command"].as_str()), (Some(1), Some("inspect")));
    assert_eq!(printed["warnings"], serde_json::json!([]));
    let mut result = printed["result"].as_object().unwrap().clone();
    assert_eq!(result.remove("file").unwrap(), path.to_str().unwrap());
    assert_eq!(result.remove("bytes").unwrap(), 1268);
    assert_eq!(result.remove("parameters").unwrap(), 9);
    let json = Classifier::load(&path).unwrap().metadata_json().unwrap();
    assert_eq!(serde_json::Value::from(result), serde_json::from_str::<serde_json::Value>(&json).unwrap());
}

#[test]
fn export_writes_the_onnx_file_the_library_makes() {
    let folder = tempfile::tempdir().unwrap();
    let model = fixture("resnet");
    let expected = Classifier::load(&model).unwrap().to_onnx().unwrap();
    let model = model.to_str().unwrap();
    let out = folder.path().join("model.onnx");
    fs::write(&out, "older").unwrap();
    let output = likelier(folder.path(), &["export", model, "--out", "model.onnx"]);
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.starts_with(&format!("model.onnx  {} bytes; outputs score,", expected.len())), "{said}");
    assert_eq!(fs::read(&out).unwrap(), expected);

    let output = likelier(folder.path(), &["export", model, "--out", "-"]);
    assert!(output.status.success() && output.stderr.is_empty());
    assert_eq!(output.stdout, expected);
    let output = likelier(folder.path(), &["export", model, "--out", "/dev/null", "--json"]);
    let printed: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(printed["result"]["bytes"].as_u64(), Some(expected.len() as u64));
    assert!(!fs::metadata("/dev/null").unwrap().is_file(), "a device stays one");
    let both = likelier(folder.path(), &["export", model, "--out", "-", "--json"]);
    assert!(complaint(&both).contains("would both write to standard output"));
    assert_eq!(names(folder.path()), ["model.onnx"]);
}

#[test]
fn files_that_are_no_usable_model_get_clear_answers() {
    let folder = tempfile::tempdir().unwrap();
    let good = fs::read(fixture("linear")).unwrap();
    let newer = String::from_utf8_lossy(&good).find(r#"\"format\":2"#).unwrap();
    let mut newer_bytes = good.clone();
    newer_bytes[newer + r#"\"format\":"#.len()] = b'4';
    let mut flipped = good.clone();
    *flipped.last_mut().unwrap() ^= 4;
    let plain = br#"{"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}"#;
    let plain = [&(plain.len() as u64).to_le_bytes()[..], plain, &[0; 4]].concat();
    for (content, said, hint) in [
        (
            b"id,score\n1,0.5\n".to_vec(),
            "this is not a likelier model: it does not start like a saf",
            "give a",
        ),
        (plain, "it is a safetensors file, but without the metadata key 'likelier'", "give a model file"),
        (good[..500].to_vec(), "the model is damaged: the file is cut short", "copy the file again"),
        (
            good[..good.len() - 1].to_vec(),
            "the model is damaged: the file is cut short",
            "copy the file again",
        ),
        (flipped, "the model is damaged: its checksum is ", "copy the file again"),
        (
            newer_bytes,
            "format 4 was written by a newer likelier; this one reads up to 3",
            "install a newer",
        ),
    ] {
        fs::write(folder.path().join("given"), content).unwrap();
        for arguments in [&["inspect", "given"][..], &["export", "given", "--out", "out.onnx"]] {
            let complaint = complaint(&likelier(folder.path(), arguments));
            let mut lines = complaint.lines();
            let error = lines.next().unwrap();
            assert!(error.starts_with("error: given: ") && error.contains(said), "{complaint}");
            let advice = lines.next().unwrap();
            assert!(advice.starts_with(&format!("hint: {hint}")), "{complaint}");
            assert_eq!(lines.next(), None);
            assert_eq!(names(folder.path()), ["given"], "nothing is left behind");
        }
    }
}

#[test]
fn a_missing_model_and_an_unwritable_place_are_errors_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let said = complaint(&likelier(folder.path(), &["inspect", "nowhere.likelier"]));
    assert_eq!(
        said,
        "error: nowhere.likelier: No such file or directory (os error 2)\n\
         hint: check the path: its spelling, and the folder that it starts from\n"
    );
    fs::write(folder.path().join("old.onnx"), "old").unwrap();
    let said = complaint(&likelier(folder.path(), &["export", "nowhere", "--out", "old.onnx"]));
    assert!(said.starts_with("error: nowhere: No such file"), "{said}");
    assert_eq!(fs::read(folder.path().join("old.onnx")).unwrap(), b"old", "what was there stays");

    // The place is looked at first, so that no work is done in vain.
    for (out, error, hint) in [
        ("no/folder/x.onnx", "cannot write no/folder/x.onnx: No such file", "choose a place"),
        (".", "cannot write .: is a directory", "that is a folder"),
        ("old.onnx/x.onnx", "cannot write old.onnx/x.onnx: Not a directory", "a file stands where"),
    ] {
        let said = complaint(&likelier(folder.path(), &["export", "nowhere", "--out", out]));
        assert!(said.starts_with(&format!("error: {error}")), "{said}");
        assert!(said.contains(&format!("\nhint: {hint}")), "{said}");
    }
    assert_eq!(names(folder.path()), ["old.onnx"]);
}

#[test]
fn names_in_a_file_cannot_command_the_terminal() {
    use likelier::data::{Column, Features};
    let folder = tempfile::tempdir().unwrap();
    let mut columns: Vec<Column> = (0..6).map(|at| Column::number(format!("größe {at}"))).collect();
    columns.push(Column::number("\u{1b}[2Jgone\n"));
    let classifier = Classifier::load(fixture("linear")).unwrap();
    let classifier = classifier.with_features(Features::new(columns).unwrap()).unwrap();
    classifier.save(folder.path().join("odd")).unwrap();
    let output = likelier(folder.path(), &["inspect", "odd"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains(r"größe 5, \u{1b}[2Jgone\n"), "{text}");
}
