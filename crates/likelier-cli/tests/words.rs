//! What is said, whatever the files hold and however wide the terminal is.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

mod program;

use program::{Folder, printed, said};

const TRAIN: &str =
    "train --items items.csv --comparisons pairs.csv --prior 0.4 --protocol forced-choice --epochs 5";

/// Whether a text would act on a terminal, but for line breaks.
fn acts(text: &str) -> bool {
    text.chars().any(|c| c.is_control() && c != '\n' && c != '\t')
}

#[test]
fn control_characters_of_files_are_written_out() {
    let folder = Folder::with_rows(40);
    folder.write("escape.csv", "likelier,other\n0,\u{1b}[31mred\n");
    let output = folder.run(&format!("{} --out model", TRAIN.replace("pairs.csv", "escape.csv")));
    assert_eq!(
        said(&output),
        "error: escape.csv, line 2: no item has the id '\\u{1b}[31mred' (1 cell in all holds an id of no item)\n\
         hint: check that items and comparisons belong together, or say which column names the items with --id\n"
    );

    // In cells, in the names of columns, in hints, in warnings and in results.
    folder.write("cell.csv", "size,weight\n1,\u{1b}]0;title\u{7}\n");
    folder.write("names.csv", "si\u{9b}ze,weight\r\n1,2\r\n");
    folder.succeeds(&format!("{TRAIN} --out model"));
    for command in [
        "predict model cell.csv --out scores",
        "predict model names.csv --out scores",
        "inspect escape.csv",
    ] {
        let output = folder.run(command);
        assert_eq!(output.status.code(), Some(2));
        assert!(!acts(&said(&output)), "{:?}", said(&output));
    }
    let mut ids = String::from("id,size,weight\n");
    for (row, line) in folder.text("items.csv").lines().skip(1).enumerate() {
        let _ = writeln!(ids, "\u{1b}[{row}m,{line}");
    }
    folder.write("ids.csv", ids);
    folder.write("pairs-of-ids.csv", "likelier,other\n\u{1b}[1m,\u{1b}[0m\n\u{1b}[0m,\u{1b}[1m\n");
    let command = TRAIN.replace("items.csv", "ids.csv").replace("pairs.csv", "pairs-of-ids.csv");
    let output = folder.run(&format!("{command} --hold-out 0 --out other -v"));
    let (told, printed) = (said(&output), printed(&output));
    assert!(told.contains("such as '\\u{1b}[") && !acts(&told) && !acts(&printed), "{told:?}\n{printed:?}");
}

#[cfg(unix)]
#[test]
fn a_path_with_a_line_break_is_told_in_one_line() {
    let folder = Folder::with_rows(40);
    let path = "two\nlines \u{1b}[31m.csv";
    let output = folder
        .command("check --comparisons pairs.csv")
        .args(["--items", path])
        .output()
        .unwrap();
    let told = said(&output);
    assert!(told.starts_with("error: two\\nlines \\u{1b}[31m.csv: No such file"), "{told:?}");
    assert_eq!((told.lines().count(), acts(&told)), (2, false), "{told:?}");

    folder.succeeds(&format!("{TRAIN} --out model"));
    std::fs::copy(folder.file("items.csv"), folder.file(path)).unwrap();
    let output = folder
        .command("predict model -v")
        .args([path, "--out", "two\nscores \u{7}"])
        .output()
        .unwrap();
    assert!(!acts(&printed(&output)) && !acts(&said(&output)), "{:?}", said(&output));
    assert!(said(&output).contains("two\\nlines \\u{1b}[31m.csv: 40 rows\n"), "{}", said(&output));
}

#[test]
fn to_score_no_rows_is_a_result() {
    let folder = Folder::with_rows(40);
    folder.succeeds(&format!("{TRAIN} --out model"));
    folder.write("none.csv", "size,weight\n");
    let mut npy = b"\x93NUMPY\x01\x00\x46\x00".to_vec();
    npy.extend(format!("{:<69}\n", "{'descr': '<f4', 'fortran_order': False, 'shape': (0, 2), }").bytes());
    folder.write("none.npy", npy);
    for file in ["none.csv", "none.npy"] {
        let output = folder.run(&format!("predict model {file} --out scores.csv"));
        assert_eq!(printed(&output), "scores.csv\n  0 rows scored, 0 of them positive\n");
        let told = said(&output);
        assert!(told.starts_with("warning: the file holds no rows, so there are no scores\n"), "{told}");
        assert_eq!(folder.text("scores.csv"), "id,score,probability,label\n");
    }
    let piped = folder.pipe("predict model - --out - --quiet", b"size,weight\n");
    assert_eq!((printed(&piped), said(&piped)), ("id,score,probability,label\n".into(), String::new()));
    assert_eq!(folder.result("predict model none.csv --out scores.csv")["rows"], 0);
    // To judge by nothing is none.
    folder.write("none-labelled.csv", "size,weight,label\n");
    let output = folder.run("evaluate model --items none-labelled.csv --label label");
    assert!(said(&output).starts_with("error: none-labelled.csv: holds no rows\n"), "{}", said(&output));
    // One row is not several.
    folder.write("one.csv", "size,weight\n1,2\n");
    assert!(
        folder
            .succeeds("predict model one.csv --out scores.csv")
            .contains("\n  1 row scored, ")
    );
}

#[test]
fn examples_can_be_pasted_at_any_width() {
    let folder = Folder::new();
    let help = |verb: &str, columns: &str| {
        let output = folder
            .command(&format!("{verb} --help"))
            .env("COLUMNS", columns)
            .output()
            .unwrap();
        printed(&output)
    };
    let examples = |text: &str| -> Vec<String> {
        let lines = text[text.find("\nExample").unwrap()..].lines();
        lines.filter(|line| line.starts_with("  ")).map(str::to_owned).collect()
    };
    let verbs = [
        "",
        "demo",
        "generate",
        "plan",
        "check",
        "prior",
        "label",
        "label export",
        "label import",
        "label forget",
        "train",
        "evaluate",
        "predict",
        "inspect",
        "export",
        "completions",
        "man",
    ];
    for verb in verbs {
        let wide = examples(&help(verb, "200"));
        for columns in ["80", "40"] {
            assert_eq!(examples(&help(verb, columns)), wide, "{verb} at {columns} columns");
        }
        assert!(!wide.is_empty() && !wide.concat().contains(['\u{a0}', '…']), "{wide:?}");
        // Each example is one command: what it goes on with is marked by a backslash.
        let mut whole = true;
        for line in wide.iter().filter(|line| line.contains("--") || line.contains("likelier ")) {
            let starts = line.contains("likelier ") && !line.trim_start().starts_with('-');
            assert!(starts == whole, "{verb}: {line}");
            whole = !line.ends_with('\\');
        }
    }
    // What is described does fit.
    let narrow = help("predict", "40");
    let described = &narrow[..narrow.find("\nExample").unwrap()];
    assert!(
        described
            .lines()
            .filter(|line| !line.starts_with("Usage: "))
            .all(|line| line.chars().count() <= 60)
    );
}

#[test]
fn help_and_completion_list_the_methods() {
    let folder = Folder::new();
    let help = folder.succeeds("train --help");
    let (bash, zsh) = (folder.succeeds("completions bash"), folder.succeeds("completions zsh"));
    for method in likelier::Method::ALL {
        // The oracle has no labels to learn from here.
        let listed = method != likelier::Method::Supervised;
        assert_eq!(help.contains(method.name()), listed, "{method}");
        assert!(!listed || bash.contains(method.name()) && zsh.contains(method.name()), "{method}");
    }
}

#[test]
fn work_that_takes_long_is_told_within_a_second() {
    let folder = Folder::with_rows(40);
    folder.succeeds(&format!("{TRAIN} --out model"));
    let start = Instant::now();
    let mut run = folder
        .command("predict model - --out scores --verbose")
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let (tell, told) = mpsc::channel();
    let lines = BufReader::new(run.stderr.take().unwrap()).lines();
    std::thread::spawn(move || lines.map_while(Result::ok).for_each(|line| drop(tell.send(line))));
    let mut input = run.stdin.take().unwrap();
    input.write_all(b"size,weight\n").unwrap();
    loop {
        // Longer than a second only because the machine may have other things to do.
        let line = told.recv_timeout(Duration::from_secs(10)).unwrap();
        if line == "reading standard input …" {
            break;
        }
    }
    assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
    input.write_all(b"1,2\n").unwrap();
    drop(input);
    assert!(run.wait().unwrap().success());
}

/// Needs `script`, which gives a program a terminal of its own.
#[cfg(target_os = "linux")]
#[test]
fn a_terminal_shows_what_is_going_on() {
    let folder = Folder::with_rows(40);
    folder.succeeds(&format!("{TRAIN} --out model"));
    let command = format!(
        "(sleep 1.5; cat items.csv) | {} predict model - --out scores",
        env!("CARGO_BIN_EXE_likelier")
    );
    let run = Command::new("script")
        .args(["-qec", &command, "/dev/null"])
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut run) = run else {
        println!("skipped: there is no `script`");
        return;
    };
    let mut shown = String::new();
    run.stdout.take().unwrap().read_to_string(&mut shown).unwrap();
    assert!(run.wait().unwrap().success(), "{shown}");
    assert!(shown.contains("reading standard input, 0") && shown.contains("40 rows scored"), "{shown:?}");
}
