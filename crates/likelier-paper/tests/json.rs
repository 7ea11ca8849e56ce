//! `docs/json-paper.md` lists the fields that `--json` prints: all of them, and no others.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use std::process::Command;

mod data_dir;
#[path = "../../likelier-cli/tests/documented/mod.rs"]
mod documented;

#[test]
fn every_printed_field_is_documented_and_every_documented_field_is_printed() {
    let Some(data) = data_dir::data_dir() else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut commands = vec![
        "data list --data-dir .".to_owned(),
        "data verify optdigits --data-dir .".to_owned(),
        // All of it is there, so nothing is fetched.
        format!("data fetch optdigits --data-dir {}", data.display()),
    ];
    for (experiment, part) in [("table3", "--variants plain,oracle"), ("figure2", "")] {
        commands.push(format!(
            "reproduce {experiment} --datasets optdigits --priors 0.5 {part} --epochs 2 --trials 1 --out {experiment} \
             --data-dir {}",
            data.display()
        ));
    }
    documented::compare("json-paper.md", &commands, |command| {
        Command::new(env!("CARGO_BIN_EXE_likelier-paper"))
            .args(command.split_whitespace())
            .current_dir(folder.path())
            .output()
            .unwrap()
    });
}
