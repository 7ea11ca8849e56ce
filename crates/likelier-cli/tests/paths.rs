//! Names of files that are not Unicode, in every verb; and two runs that write to one place.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod program;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use program::{Folder, said};

/// Where `@` stands in an argument, a name that is no Unicode begins.
fn run(folder: &Path, arguments: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_likelier"));
    for argument in arguments.split_whitespace() {
        let bytes: Vec<u8> = argument
            .bytes()
            .flat_map(|byte| if byte == b'@' { b"caf\xe9/".to_vec() } else { vec![byte] })
            .collect();
        command.arg(OsStr::from_bytes(&bytes));
    }
    command.current_dir(folder).output().unwrap()
}

#[test]
fn names_that_are_not_unicode_work_in_every_verb() {
    let folder = Folder::with_rows(300);
    let odd = folder.path().join(OsStr::from_bytes(b"caf\xe9"));
    fs::create_dir(&odd).unwrap();
    for name in ["items.csv", "labelled.csv", "pairs.csv"] {
        fs::copy(folder.file(name), odd.join(name)).unwrap();
    }
    let with = "--items @items.csv --comparisons @pairs.csv --protocol forced-choice";
    for command in [
        "generate --items @labelled.csv --label label --positive 1 --protocol discard --out @made"
            .to_owned(),
        format!("check {with}"),
        format!("prior {with}"),
        format!("train {with} --prior 0.4 --epochs 5 --out @model --report @report.md"),
        format!("evaluate @model {with}"),
        format!("evaluate @model @model {with}"),
        "predict @model @items.csv --out @scores.csv".into(),
        "inspect @model".into(),
        "export @model --out @model.onnx".into(),
        "demo --out @wine".into(),
        "man --out @man".into(),
    ] {
        for json in ["", " --json"] {
            if !json.is_empty() && command.starts_with("man") {
                continue;
            }
            let output = run(folder.path(), &format!("{command}{json}"));
            // `check` ends with 1 where it finds something.
            assert!(matches!(output.status.code(), Some(0 | 1)), "{command}{json}: {}", said(&output));
            if !json.is_empty() {
                let all: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
                assert_eq!(all["schema"], 1, "{command}");
            }
            for made in ["made", "wine"] {
                let _ = fs::remove_dir_all(odd.join(made));
            }
        }
    }
    let model: serde_json::Value =
        serde_json::from_slice(&run(folder.path(), "inspect @model --json").stdout).unwrap();
    assert_eq!(model["result"]["file"], "caf\u{fffd}/model");
    for command in [
        "train --items @none.csv --comparisons @pairs.csv --protocol discard --prior 0.4 --out @model",
        "predict @none @items.csv --out @scores",
    ] {
        let output = run(folder.path(), command);
        assert_eq!(output.status.code(), Some(2));
        assert!(said(&output).contains("caf\u{fffd}/none"), "{}", said(&output));
    }
}

#[test]
#[cfg(feature = "label")]
fn the_page_says_that_it_cannot_remember_such_a_name() {
    let folder = Folder::new();
    let odd = folder.path().join(OsStr::from_bytes(b"caf\xe9"));
    fs::create_dir(&odd).unwrap();
    fs::write(odd.join("items.csv"), "id,size\na,1\nb,2\n").unwrap();
    let output = run(folder.path(), "label @items.csv --port 0");
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("is not Unicode"), "{}", said(&output));
    assert!(said(&output).contains("hint: rename the items"), "{}", said(&output));
    assert_eq!(fs::read_dir(&odd).unwrap().count(), 1, "nothing is left behind");
}

#[test]
fn a_second_run_on_the_same_out_is_refused_while_the_first_is_alive() {
    let folder = Folder::with_rows(3000);
    let train = "train --items items.csv --comparisons pairs.csv --prior 0.4 --protocol forced-choice --model mlp --out model";
    let mut first = folder
        .command(&format!("{train} --epochs 100000"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while !folder.file(".likelier-lock-model").exists() {
        assert!(first.try_wait().unwrap().is_none(), "the first run has ended");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    // The number is written after the lock is taken.
    while folder.text(".likelier-lock-model").is_empty() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    for command in [&format!("{train} --epochs 2"), "predict model items.csv --out model"] {
        let output = folder.run(command);
        assert_eq!(output.status.code(), Some(2), "{command}: {}", said(&output));
        let expected = if command.starts_with("train") {
            format!("is being written by another run (process {})", first.id())
        } else {
            "model".into()
        };
        assert!(said(&output).contains(&expected), "{}", said(&output));
    }
    // What a dead run has left is no obstacle, and goes away.
    first.kill().unwrap();
    first.wait().unwrap();
    folder.succeeds(&format!("{train} --epochs 2"));
    assert!(folder.names().iter().all(|name| !name.starts_with(".likelier")), "{:?}", folder.names());
}
