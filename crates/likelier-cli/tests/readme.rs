//! The README says what is true: its tables come from the code, its commands do what it shows.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use likelier::Method;

fn page(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)).unwrap()
}

fn readme() -> String {
    page("README.md")
}

#[test]
fn the_example_of_the_library_is_one_that_runs() {
    let (page, example) = (readme(), page("crates/likelier/examples/quick_start.rs"));
    let shown = section(&page, "```rust", "```");
    assert_eq!(shown, example.split_once("\n\n").unwrap().1.trim());
}

#[test]
fn the_readme_is_short() {
    let words = readme().split_whitespace().count();
    assert!(words <= 1200, "{words} words");
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
    let page = page("docs/choosing.md");
    let written = section(&page, "<!-- methods:", "<!-- end of methods -->");
    assert_eq!(written, table.trim(), "docs/choosing.md should hold this table:\n{table}");
}

#[test]
fn the_tables_of_speeds_are_the_archived_runs() {
    let speeds = page("docs/speed.md");
    let written = section(&speeds, "<!-- speeds:", "<!-- end of speeds -->");
    let archived = page("bench/runs/2026-11-19-two-zen4-cores/summary.md");
    assert_eq!(written, archived.trim());
    // The README has four rows of it, and fewer columns.
    let cells = |line: &str| line.split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let on_two_threads: Vec<Vec<String>> = archived
        .lines()
        .map(cells)
        .filter(|row| row.len() > 6 && row[2] == "2")
        .collect();
    let readme = readme();
    let rows = section(&readme, "<!-- four speeds:", "<!-- end of four speeds -->")
        .lines()
        .skip(2)
        .map(cells);
    let rows: Vec<Vec<String>> = rows.collect();
    assert_eq!(rows.len(), 4);
    for row in rows {
        let found = on_two_threads.iter().find(|archived| archived[1] == row[1]).unwrap();
        assert_eq!([&found[3], &found[4], &found[6]], [&row[2], &row[3], &row[4]], "{row:?}");
    }
}

/// The numbers of a text, and the text with each of them replaced.
fn numbers(text: &str) -> (Vec<f64>, String) {
    let is_number = |c: char| c.is_ascii_digit() || c == '.';
    let words = text
        .split(|c: char| !is_number(c))
        .filter_map(|word| word.trim_matches('.').parse().ok());
    (words.collect(), text.trim().replace(|c: char| c.is_ascii_digit(), "0"))
}

#[test]
fn the_demo_ends_as_the_readme_shows() {
    let output = Command::new(env!("CARGO_BIN_EXE_likelier")).arg("demo").output().unwrap();
    assert!(output.status.success());
    let printed = String::from_utf8(output.stdout).unwrap();
    let page = readme();
    let (shown, shown_text) = numbers(section(&page, "```text", "```"));
    let (now, now_text) = numbers(&printed[printed.find("Without seeing").unwrap()..]);
    assert_eq!(shown_text, now_text, "{printed}");
    for (shown, now) in shown.iter().zip(&now) {
        assert!((shown - now).abs() <= 0.5, "the README says {shown}, the demonstration {now}");
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
fn printed(command: &str, folder: &Path) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_likelier"))
        .args(command.split(' ').skip(1))
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[test]
fn the_tour_prints_what_the_readme_shows() {
    let folder = tempfile::tempdir().unwrap();
    let page = readme();
    let tour = section(&page, "<!-- tour:", "<!-- end of tour -->");
    let mut commands = 0;
    for block in tour.split("```console\n$ ").skip(1) {
        let (command, shown) = block.split_once('\n').unwrap();
        let shown = &shown[..shown.find("```").unwrap()];
        assert_eq!(printed(command, folder.path()), shown.trim(), "{command}");
        commands += 1;
    }
    assert_eq!(commands, 5);
}
