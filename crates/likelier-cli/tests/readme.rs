//! The README says what is true: its tables come from the code, its commands do what it shows.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use likelier::Method;

#[path = "../../likelier/tests/data_dir/mod.rs"]
mod data_dir;

fn readme() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md")).unwrap()
}

/// The text between the two marker lines.
fn section<'a>(page: &'a str, start: &str, end: &str) -> &'a str {
    let from = page.find(start).map(|at| at + page[at..].find('\n').unwrap()).unwrap();
    page[from..page[from..].find(end).unwrap() + from].trim()
}

#[test]
fn the_table_of_methods_is_made_from_the_code() {
    let mut table = String::from("| method | | what it does |\n|---|---|---|\n");
    for method in Method::ALL {
        let origin = if method.is_from_the_paper() { "paper" } else { "ours" };
        let _ = writeln!(table, "| `{method}` | {origin} | {} |", method.summary());
    }
    let page = readme();
    let written = section(&page, "<!-- methods:", "<!-- end of methods -->");
    assert_eq!(written, table.trim(), "README.md should hold this table:\n{table}");
}

#[test]
fn the_table_of_speeds_is_the_archived_runs() {
    let page = readme();
    let written = section(&page, "<!-- speeds:", "<!-- end of speeds -->");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/runs/2026-11-16-two-xeon-cores");
    let archived = fs::read_to_string(folder.join("summary.md")).unwrap();
    assert_eq!(written, archived.trim());
}

/// The console block that runs `command`: what it shows after the prompt.
fn shown(page: &str, command: &str) -> String {
    section(page, &format!("$ {command}\n"), "```").to_owned()
}

/// The numbers of a text, and the text with each of them replaced.
fn numbers(text: &str) -> (Vec<f64>, String) {
    let is_number = |c: char| c.is_ascii_digit() || c == '.';
    let words = text
        .split(|c: char| !is_number(c))
        .filter_map(|word| word.trim_matches('.').parse().ok());
    (words.collect(), text.trim().replace(|c: char| c.is_ascii_digit(), "0"))
}

/// The table of the demonstration without the seconds that each method took.
fn without_seconds(text: &str) -> String {
    let line = |line: &str| {
        let mut words: Vec<&str> = line.split_whitespace().collect();
        if words.first().is_some_and(|word| word.parse::<Method>().is_ok()) {
            words.remove(3);
        }
        words.join(" ")
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_demo_prints_what_the_readme_shows() {
    let output = Command::new(env!("CARGO_BIN_EXE_likelier")).arg("demo").output().unwrap();
    assert!(output.status.success());
    let printed = String::from_utf8(output.stdout).unwrap();
    let (shown, shown_text) = numbers(&without_seconds(&shown(&readme(), "cargo run --release -- demo")));
    let (now, now_text) = numbers(&without_seconds(&printed));
    assert_eq!(shown_text, now_text, "{printed}");
    for (shown, now) in shown.iter().zip(&now) {
        // Accuracies, as shares and in percent; other numbers are the same.
        let allowed = if *shown > 1.0 { 0.5 } else { 0.005 };
        assert!((shown - now).abs() <= allowed, "the README says {shown}, the demonstration {now}");
    }
}

#[test]
fn every_method_of_the_demo_beats_a_constant_answer_and_none_beats_the_labels_clearly() {
    let output = Command::new(env!("CARGO_BIN_EXE_likelier"))
        .args(["demo", "--json"])
        .output()
        .unwrap();
    let printed: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((printed["schema"].as_u64(), printed["command"].as_str()), (Some(1), Some("demo")));
    let result = &printed["result"];
    let constant = result["constant_accuracy"].as_f64().unwrap();
    let methods = result["methods"].as_array().unwrap();
    let accuracy = |method: &serde_json::Value| method["accuracy"].as_f64().unwrap();
    let labelled = methods
        .iter()
        .find(|method| method["method"] == "supervised")
        .map(accuracy)
        .unwrap();
    assert!((0.73..0.78).contains(&labelled), "{labelled}");
    for method in methods {
        let accuracy = accuracy(method);
        assert!(accuracy > constant + 0.18 && accuracy < labelled + 0.02, "{method}");
    }
}

/// What a command prints in a folder.
fn printed(command: &str, folder: &Path, data: &Path) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_likelier"))
        .args(command.split(' ').skip(1))
        .current_dir(folder)
        .env("LIKELIER_DATA", data.canonicalize().unwrap())
        .output()
        .unwrap();
    assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[test]
fn generate_prints_what_the_readme_shows() {
    let Some(data) = data_dir::data_dir() else { return };
    let folder = tempfile::tempdir().unwrap();
    let command =
        "likelier generate --dataset optdigits --prior 0.5 --protocol discard --out optdigits-half";
    assert_eq!(printed(command, folder.path(), &data), shown(&readme(), command));
}

#[test]
fn the_tour_prints_what_the_readme_shows() {
    let Some(data) = data_dir::data_dir() else { return };
    let folder = tempfile::tempdir().unwrap();
    let page = readme();
    let tour = section(&page, "<!-- tour:", "<!-- end of tour -->");
    let mut commands = 0;
    for block in tour.split("```console\n$ ").skip(1) {
        let (command, shown) = block.split_once('\n').unwrap();
        let shown = &shown[..shown.find("```").unwrap()];
        assert_eq!(printed(command, folder.path(), &data), shown.trim(), "{command}");
        commands += 1;
    }
    assert_eq!(commands, 7);
}
