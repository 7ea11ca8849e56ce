//! What every verb has in common: standard input and output, `--quiet`, `--verbose`, colours, completions, pages.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;

use likelier::Classifier;

mod program;

use program::{Folder, printed, said};

const TRAIN: &str =
    "train --items items.csv --comparisons pairs.csv --prior 0.4 --protocol forced-choice --epochs 20";

#[test]
fn every_file_may_be_standard_input_and_every_output_standard_output() {
    let folder = Folder::with_rows(400);
    folder.succeeds(&format!("{TRAIN} --out model"));
    folder.succeeds("predict model items.csv --out scores.csv");
    let (model, scores) = (folder.read("model"), folder.read("scores.csv"));
    let (items, pairs) = (folder.read("items.csv"), folder.read("pairs.csv"));
    let names = folder.names();

    for (dash, input) in [("--items -", &items), ("--comparisons -", &pairs)] {
        let name =
            dash.replace(" -", if dash.starts_with("--items") { " items.csv" } else { " pairs.csv" });
        let command = TRAIN.replace(&name, dash);
        let output = folder.pipe(&format!("{command} --out -"), input);
        assert!(output.status.success(), "{}", said(&output));
        assert_eq!(output.stdout, model, "{dash}");
    }
    // No dataset.json lies beside standard input, whatever lies in the folder.
    folder.write("dataset.json", r#"{"protocol": "discard", "prior": 0.1}"#);
    let command = "train --items items.csv --comparisons - --prior 0.4 --out -";
    assert!(said(&folder.pipe(command, &pairs)).contains("no protocol was stated"));
    fs::remove_file(folder.file("dataset.json")).unwrap();

    assert_eq!(folder.pipe("predict model - --out -", &items).stdout, scores);
    assert_eq!(folder.pipe("predict - items.csv --out -", &model).stdout, scores);
    let evaluated = folder.succeeds("evaluate model --items labelled.csv --label label");
    let piped =
        printed(&folder.pipe("evaluate model --items - --label label", &folder.read("labelled.csv")));
    assert_eq!(piped, evaluated);
    let piped = printed(&folder.pipe("evaluate - --items labelled.csv --label label", &model));
    assert_eq!(piped.replacen("-,", "model,", 1), evaluated);
    let checked = printed(&folder.pipe("check --items - --comparisons pairs.csv", &items));
    assert_eq!(checked, folder.succeeds("check --items items.csv --comparisons pairs.csv"));
    let prior = "prior --items items.csv --comparisons pairs.csv --protocol forced-choice";
    assert_eq!(printed(&folder.pipe(&prior.replace("pairs.csv", "-"), &pairs)), folder.succeeds(prior));
    assert!(printed(&folder.pipe("inspect -", &model)).contains("pair-posterior"));
    let onnx = folder.pipe("export - --out -", &model).stdout;
    assert_eq!(onnx, Classifier::load(folder.file("model")).unwrap().to_onnx().unwrap());
    let made = folder.pipe(
        "generate --items - --label label --protocol discard --out made",
        &folder.read("labelled.csv"),
    );
    assert!(printed(&made).contains("items.csv"));
    fs::remove_dir_all(folder.file("made")).unwrap();

    // What is wrong with it is said of standard input, not of a temporary file; of which nothing is left.
    let temporary = Folder::new();
    let mut command = folder.command("predict model - --out never");
    let empty = command
        .env("TMPDIR", temporary.path())
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    assert!(said(&empty).starts_with("error: standard input: is empty\n"), "{}", said(&empty));
    assert_eq!(temporary.names(), [""; 0]);
    assert_eq!(folder.names(), names);
}

#[test]
fn quiet_says_errors_only_and_verbose_says_what_is_done() {
    let folder = Folder::with_rows(400);
    let model = "--out model --labeller-error 0.1";
    folder.write("dataset.json", r#"{"labeller_error": 0.2}"#);
    let normal = folder.run(&format!("{TRAIN} {model}"));
    assert_eq!(
        said(&normal),
        "warning: --labeller-error 0.1 is used, although dataset.json says 0.2\n  Make sure that dataset.json is \
         the one that is wrong.\n"
    );
    let quiet = folder.run(&format!("{TRAIN} {model} --quiet"));
    assert_eq!((said(&quiet), printed(&quiet)), (String::new(), printed(&normal)));
    let json = printed(&folder.run(&format!("{TRAIN} {model} -q --json")));
    assert!(json.contains("overrides-dataset"), "programs see warnings still");
    let error = said(&folder.run("-q predict model nowhere.csv --out scores"));
    assert!(error.starts_with("error: nowhere.csv: ") && error.contains("\nhint: "), "{error}");

    let verbose = folder.run(&format!("--verbose {TRAIN} {model}"));
    assert_eq!(printed(&verbose), printed(&normal));
    let lines = said(&verbose);
    for line in ["items.csv: 400 rows, 2 features\n", "pairs.csv: 200 comparisons\n", "\nepoch 1: risk 0."]
    {
        assert!(lines.contains(line), "{lines}");
    }
    assert_eq!(lines.matches("\nepoch ").count(), 20, "{lines}");
    assert!(lines.lines().last().unwrap().starts_with("took "), "{lines}");
    let lines = said(&folder.run("predict model items.csv --out scores.csv -v"));
    assert!(
        lines.starts_with("model: pair-posterior from 200 comparisons\nitems.csv: 400 rows\ntook "),
        "{lines}"
    );
}

#[test]
fn colours_are_for_terminals_and_never_where_no_color_is_set() {
    let folder = Folder::new();
    let escapes = |variables: &[&str]| {
        let mut command = folder.command("train --help");
        command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
        command.envs(variables.iter().map(|name| (name, "1")));
        command.output().unwrap().stdout.contains(&0x1b)
    };
    assert!(!escapes(&[]), "this is no terminal");
    assert!(escapes(&["CLICOLOR_FORCE"]), "and else the test would show nothing");
    assert!(!escapes(&["NO_COLOR"]) && !escapes(&["NO_COLOR", "CLICOLOR_FORCE"]));
}

#[test]
fn shells_and_man_know_every_verb() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = folder.succeeds(&format!("completions {shell}"));
        for word in ["evaluate", "learning-rate", "inspect"] {
            assert!(script.contains(word), "{shell} does not know {word}");
        }
    }
    assert_eq!(folder.succeeds("man --out pages/man1"), "");
    let page = folder.text("pages/man1/likelier-train.1");
    assert!(page.starts_with(".ie \\n(.g .ds Aq \\(aq\n") && page.contains("learning\\-rate"), "{page}");
    let verbs = folder
        .succeeds("--help")
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .count();
    let pages = fs::read_dir(folder.file("pages/man1")).unwrap().count();
    assert!(pages >= 13 && verbs >= pages, "{pages} pages for {verbs} verbs and examples");
    folder.succeeds("man --out pages/man1");
}

#[test]
fn bash_takes_the_completions() {
    let folder = Folder::new();
    folder.write("likelier.bash", folder.succeeds("completions bash"));
    let script = "source likelier.bash && COMP_WORDS=(likelier train --lear) COMP_CWORD=2 && \
                  _likelier likelier --lear train && echo ${COMPREPLY[@]}";
    let Ok(output) = std::process::Command::new("bash")
        .args(["-c", script])
        .current_dir(folder.path())
        .output()
    else {
        return;
    };
    assert_eq!(printed(&output).trim(), "--learning-rate");
}

#[test]
fn a_network_takes_images_of_a_given_shape_and_batches_of_a_given_size() {
    let folder = Folder::with_rows(40);
    let mut rows = String::new();
    for row in 0..40 {
        let cells: Vec<String> = (0..48).map(|cell| format!("{}", (row * 7 + cell * 3) % 11)).collect();
        rows.push_str(&cells.join(","));
        rows.push('\n');
    }
    folder.write("images.csv", rows);
    let train = "train --items images.csv --comparisons pairs.csv --prior 0.4 --protocol forced-choice --epochs 2 \
                 --model resnet32 --image 3,4,4";
    let result = folder.result(&format!("{train} --batch 8 --out small"));
    assert_eq!(result["architecture"]["image"], serde_json::json!([3, 4, 4]));
    folder.succeeds(&format!("{train} --batch 32 --out large"));
    assert!(folder.read("small") != folder.read("large"), "the size of batches matters");
}

#[test]
fn a_choice_is_shown_limited_to_what_is_open_and_the_same_for_a_seed() {
    let folder = Folder::with_rows(600);
    let train = format!("{TRAIN} --select");
    let all = folder.result(&format!("{train} --out all"));
    let selection = &all["selection"];
    let candidates = selection["candidates"].as_array().unwrap();
    assert_eq!((candidates.len(), &selection["folds"]), (30, &5.into()));
    let first = candidates[0]["name"].as_str().unwrap();
    assert!(
        first.starts_with("pair-posterior decay=") && first.contains(" rate=0.01 epochs=20"),
        "{first}"
    );
    // The chosen one is the default, or what is surest to be better, and it is what was trained.
    let number = |value: &serde_json::Value| value.as_f64().unwrap();
    assert_eq!(selection["default"], candidates[0]["name"]);
    let sure = |one: &serde_json::Value| {
        number(&one["ahead"]) - number(&selection["needed_errors"]) * number(&one["standard_error"])
    };
    let surest = candidates.iter().max_by(|a, b| sure(a).total_cmp(&sure(b))).unwrap();
    let chosen = if sure(surest) > 0.0 { surest } else { &candidates[0] };
    assert_eq!(selection["chosen"], chosen["name"]);
    let least = candidates
        .iter()
        .map(|one| number(&one["value"]["value"]))
        .fold(f64::INFINITY, f64::min);
    let best = candidates.iter().find(|one| one["name"] == selection["best"]).unwrap();
    assert_eq!(number(&best["value"]["value"]), least);
    let name = format!(
        "{} decay={} rate={} epochs=20",
        all["method"].as_str().unwrap(),
        number(&all["weight_decay"]),
        number(&all["learning_rate"])
    );
    assert!(selection["chosen"].as_str().unwrap().starts_with(&name), "{name}");

    let limited = folder.result(&format!("{train} --method rank-pruning --learning-rate 0.02 --out some"));
    let names: Vec<&str> = limited["selection"]["candidates"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        ["rank-pruning decay=0.00001 rate=0.02 epochs=20", "rank-pruning decay=0.01 rate=0.02 epochs=20"]
    );
    let one = folder.result(&format!(
        "{train} --method likelihood --learning-rate 0.02 --weight-decay 0.1 --threads 1 --out one"
    ));
    assert_eq!((one["method"].as_str(), one["weight_decay"].as_f64()), (Some("likelihood"), Some(0.1)));
    folder.succeeds(&format!("{train} --threads 1 --out again"));
    assert!(folder.read("again") == folder.read("all"), "the same for any number of threads");
    let text = folder.succeeds(&format!("{train} --out all"));
    assert!(
        text.contains("\n  chosen from 30, by the orientation of 240 comparisons in 5 folds"),
        "{text}"
    );
    assert_eq!(text.matches("\n  → ").count(), 2, "the chosen one, and why: {text}");
}
