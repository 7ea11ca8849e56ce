//! `docs/json.md` lists the fields that `--json` prints: all of them, and no others.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod documented;
mod program;

use std::fmt::Write as _;
use std::io::{BufRead, BufReader};
use std::process::{Command, Output, Stdio};

use program::Folder;

#[test]
fn every_printed_field_is_documented_and_every_documented_field_is_printed() {
    let folder = Folder::with_rows(3000);
    let with = "--items items.csv --comparisons pairs.csv --protocol forced-choice";
    // The same answers to two questions, the classes of one thing.
    let pairs = folder.text("pairs.csv");
    let mut asked = String::from("likelier,other,question\n");
    for line in pairs.lines().skip(1) {
        let (likelier, other) = line.split_once(',').unwrap();
        let _ = writeln!(asked, "{likelier},{other},yes\n{other},{likelier},no");
    }
    folder.write("asked.csv", asked);
    let commands = [
        "generate --items labelled.csv --label label --positive 1 --protocol discard --out made".to_owned(),
        format!("check {with}"),
        format!("prior {with}"),
        format!("train {with} --prior auto --select --sensitivity --epochs 20 --out model"),
        format!("evaluate model {with}"),
        "evaluate model --items labelled.csv --label label".into(),
        format!("train {with} --prior 0.4 --method pcomp-relu --epochs 5 --out second"),
        "evaluate model second --items labelled.csv --comparisons pairs.csv --protocol forced-choice --label label"
            .into(),
        format!("train {with} --prior 0.4 --threshold-for recall=0.7 --epochs 20 --out wished"),
        format!("evaluate model {with} --threshold-for cost=1:2"),
        "predict model items.csv --out scores.csv".into(),
        "next model --items items.csv --comparisons pairs.csv --count 50 --out next.csv".into(),
        "inspect model".into(),
        "train --items items.csv --comparisons asked.csv --protocol forced-choice --prior yes=0.4 --prior no=0.6 --classes \
         --epochs 20 --out classes"
            .into(),
        "predict classes items.csv --out of-classes.csv".into(),
        "inspect classes".into(),
        "export model --out model.onnx".into(),
        "plan --prior 0.3 --protocol discard --comparisons 1000 --weight-norm 1 --row-norm 4".into(),
        "demo".into(),
        "demo --out wine".into(),
        "label items.csv --port 0 --people ann".into(),
        "label import pairs.csv --into items.likelier-label".into(),
        "label export items.likelier-label --out answers.csv".into(),
        "label forget imported --file items.likelier-label".into(),
    ];
    documented::compare("json.md", &commands, |command| {
        if command.starts_with("label items") {
            opened_and_stopped(&folder, command)
        } else {
            folder.run(command)
        }
    });
}

/// A page is stopped when it has said where it is.
fn opened_and_stopped(folder: &Folder, command: &str) -> Output {
    assert!(command.ends_with(" --json"), "{command}");
    let mut page = folder
        .command(command)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = Vec::new();
    for line in BufReader::new(page.stdout.take().unwrap()).lines() {
        let line = line.unwrap();
        said.extend_from_slice(line.as_bytes());
        if line == "}" {
            break;
        }
    }
    let stopped = Command::new("kill").args(["-TERM", &page.id().to_string()]).status().unwrap();
    assert!(stopped.success());
    Output { stdout: said, ..page.wait_with_output().unwrap() }
}
