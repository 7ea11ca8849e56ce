//! `likelier-paper data verify` and `list`: what they answer, and with which exit code.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

mod data_dir;

fn data(data_dir: &Path, arguments: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_likelier-paper"))
        .arg("data")
        .args(arguments.split_whitespace())
        .arg("--data-dir")
        .arg(data_dir)
        .output()
        .unwrap()
}

fn result(output: &Output, command: &str) -> Value {
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((printed["schema"].as_u64(), &printed["command"]), (Some(1), &command.into()));
    printed["result"].clone()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn whole_data_sets_are_said_to_be_whole() {
    let Some(real) = data_dir::data_dir() else { return };
    let output = data(&real, "verify pendigits OptDigits pendigits");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(text(&output.stdout), "pendigits        whole\noptdigits        whole\n");
    let output = data(&real, "verify usps --json");
    assert_eq!(output.status.code(), Some(0));
    let result = result(&output, "data verify");
    assert_eq!(result["whole"], true);
    assert_eq!(result["data_sets"][0]["files"][0]["condition"], "whole");
}

#[test]
fn a_damaged_file_is_named_with_what_to_do() {
    let Some(real) = data_dir::data_dir() else { return };
    let folder = tempfile::tempdir().unwrap();
    let pendigits = folder.path().join("pendigits");
    fs::create_dir(&pendigits).unwrap();
    fs::copy(real.join("pendigits/pendigits.tes"), pendigits.join("pendigits.tes")).unwrap();
    let mut bytes = fs::read(real.join("pendigits/pendigits.tra")).unwrap();
    bytes[7] ^= 1;
    fs::write(pendigits.join("pendigits.tra"), bytes).unwrap();
    // Only what has a folder is looked at when nothing is named.
    let output = data(folder.path(), "verify");
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stdout);
    assert!(said.starts_with("pendigits        damaged\n  pendigits.tra              damaged: "), "{said}");
    assert!(said.contains("is not what was published: its SHA-256 is "), "{said}");
    assert!(said.contains("  pendigits.tes              whole\n"), "{said}");
    let advice = format!("likelier-paper data fetch pendigits --data-dir {}\n", folder.path().display());
    assert!(said.ends_with(&advice), "{said}");
    let result = result(&data(folder.path(), "verify --json"), "data verify");
    assert_eq!(
        (&result["whole"], &result["data_sets"][0]["condition"]),
        (&json!(false), &json!("damaged"))
    );
}

#[test]
fn the_partial_kuzushiji_file_is_said_to_be_partial() {
    let Some(real) = data_dir::data_dir() else { return };
    if real.join("kuzushiji-mnist/train-images-idx3-ubyte.gz").exists() {
        return;
    }
    let output = data(&real, "verify kuzushiji");
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stdout);
    assert!(said.starts_with("kuzushiji-mnist  partial\n  train-images-idx3-ubyte    partial: "), "{said}");
    assert!(said.contains("train-images-first7011-idx3-ubyte.gz stands for it"), "{said}");
    let warning = "warning: kuzushiji-mnist is a partial copy: results on it say so\n";
    assert_eq!(text(&output.stderr), warning);
    let printed: Value = serde_json::from_slice(&data(&real, "verify kuzushiji --json").stdout).unwrap();
    assert_eq!(printed["warnings"][0]["code"], "partial-data");
}

#[test]
fn what_is_not_there_is_missing_and_not_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let output = data(folder.path(), "verify mnist");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).starts_with("mnist            missing\n"));
    let output = data(folder.path(), "verify");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).starts_with("there is no data set in "));
    assert_eq!(result(&data(folder.path(), "verify --json"), "data verify")["whole"], false);
}

#[test]
fn the_list_is_honest_about_addresses() {
    let folder = tempfile::tempdir().unwrap();
    let output = data(folder.path(), "list");
    assert!(output.status.success());
    let said = text(&output.stdout);
    let (tried, untried): (Vec<&str>, Vec<&str>) = said
        .lines()
        .filter(|line| line.contains("http"))
        .partition(|line| !line.ends_with(" (untried)"));
    assert!(tried.is_empty() && untried.len() >= 8, "{said}");
    let result = result(&data(folder.path(), "list --json"), "data list");
    let sets = result["data_sets"].as_array().unwrap();
    assert_eq!(sets.len(), 8);
    assert_eq!(sets[2]["files"][0]["sha256_of"], "gzip");
    assert!(
        sets.iter()
            .all(|set| set["sources"].as_array().unwrap().iter().all(|one| one["tried"] == false))
    );
}
