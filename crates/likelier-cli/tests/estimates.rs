//! `likelier plan`, `prior`, `check` and `evaluate`: answers without labels, and what mistakes are told.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]
#![allow(clippy::format_collect, reason = "small files, put together readably")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use likelier::random::{ChaCha8Rng, Purpose, below, stream, unit};
use serde_json::Value;

fn likelier(folder: &Path, arguments: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_likelier"))
        .args(arguments.split_whitespace())
        .current_dir(folder)
        .output()
        .unwrap()
}

/// The result of a run with `--json`, and the codes of its warnings.
fn result(output: &Output) -> (Value, Vec<String>) {
    assert_ne!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(printed["schema"], 1);
    let warnings = printed["warnings"].as_array().unwrap().iter();
    let codes = warnings.map(|warning| warning["code"].as_str().unwrap().to_owned()).collect();
    (printed["result"].clone(), codes)
}

/// What went to standard error, of a run that must fail.
fn complaint(output: &Output) -> String {
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{output:?}");
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn assert_interval(interval: &Value) {
    let [value, low, high, level] = ["value", "low", "high", "level"].map(|name| number(&interval[name]));
    assert!(low <= value && value <= high && level > 0.0, "{interval}");
}

/// Items with one feature, of which the larger half is positive, and comparisons of neighbours at a
/// distance, forced choice: `rows` of each.
fn made_up(folder: &Path, rows: usize, notes: impl Fn(usize) -> String, header: &str) {
    let (mut items, mut comparisons) =
        (String::from("id,size,label\n"), format!("likelier,other{header}\n"));
    // A fixed scramble in place of randomness.
    let scramble = |at: usize| (at * 7919 + at * at * 31 + 13) % rows;
    for at in 0..rows {
        let label = if 2 * at >= rows { "good" } else { "bad" };
        let _ = writeln!(items, "i{at},{},{label}", at as f64 / rows as f64);
        let (a, b) = (at, scramble(at));
        if a != b {
            let classes = [a, b].map(|item| 2 * item >= rows);
            let first = if classes[0] == classes[1] { at % 2 == 0 } else { classes[0] };
            let (likelier, other) = if first { (a, b) } else { (b, a) };
            let _ = writeln!(comparisons, "i{likelier},i{other}{}", notes(at));
        }
    }
    fs::write(folder.join("items.csv"), items).unwrap();
    fs::write(folder.join("comparisons.csv"), comparisons).unwrap();
}

const FILES: &str = "--items items.csv --comparisons comparisons.csv";

#[test]
fn plans_agree_with_themselves() {
    let here = Path::new(".");
    let (wanted, _) =
        result(&likelier(here, "plan --prior 0.3 --protocol forced-choice --half-width 0.05 --json"));
    let rows = wanted["precision"].as_array().unwrap();
    assert_eq!((rows.len(), &rows[0]["metric"]), (7, &Value::from("accuracy")));
    let comparisons = rows[0]["comparisons"].as_u64().unwrap();
    assert!((100..10_000).contains(&comparisons), "{comparisons}");
    let back = format!("plan --prior 0.3 --protocol forced-choice --comparisons {comparisons} --json");
    let (given, _) = result(&likelier(here, &back));
    assert!((number(&given["precision"][0]["half_width"]) - 0.05).abs() < 1e-3, "{given}");
    assert!(given.get("bounds").is_none());

    let noisy = format!("{} --labeller-error 0.2", back.replace(" --json", ""));
    let (noisy, _) = result(&likelier(here, &format!("{noisy} --json")));
    assert!(number(&noisy["precision"][0]["half_width"]) > 0.06, "who errs tells less: {noisy}");

    let bounds = "plan --prior 0.3 --protocol discard --comparisons 1000000 --weight-norm 1 --row-norm 2";
    let (proved, _) = result(&likelier(here, &format!("{bounds} --json")));
    let [four, seven] = ["theorem_4", "theorem_7"].map(|name| number(&proved["bounds"][name]));
    assert!(four > 0.0 && four < 0.1 && seven > 0.0 && seven < 0.1, "{four} {seven}");
    let text = String::from_utf8(likelier(here, bounds).stdout).unwrap();
    assert!(text.contains("Theorem 4, pcomp-unbiased") && text.contains("Theorem 7"), "{text}");
}

#[test]
fn impossible_plans_are_refused() {
    let here = Path::new(".");
    for (arguments, said) in [
        ("--prior 30 --protocol discard", "hint: a prior is a share, not a percentage: for 30 % give 0.3"),
        ("--prior 0.3 --protocol discard --half-width 0", "the half-width of an interval must be above 0"),
        ("--prior 0.3 --protocol discard --accuracy 90", "an assumed rate or accuracy"),
        ("--prior 0.3 --protocol discard --comparisons 0", "--comparisons must be at least 1"),
        ("--prior 0.3", "--protocol <discard|forced-choice>"),
        (
            "--prior 0.3 --protocol forced-choice --comparisons 9 --weight-norm 1 --row-norm 2",
            "discard without labeller error, for which it is proved",
        ),
    ] {
        let said_instead = complaint(&likelier(here, &format!("plan {arguments}")));
        assert!(said_instead.contains(said), "{said_instead}");
    }
}

#[test]
fn few_comparisons_and_no_protocol_get_clear_answers() {
    let folder = tempfile::tempdir().unwrap();
    made_up(folder.path(), 8, |_| String::new(), "");
    let said = complaint(&likelier(folder.path(), &format!("prior {FILES} --features size")));
    assert!(said.contains("it is not known how the comparisons were collected"), "{said}");
    assert!(said.contains("hint: give --protocol forced-choice"), "{said}");
    let few = format!("prior {FILES} --features size --protocol discard");
    let said = complaint(&likelier(folder.path(), &few));
    assert!(said.contains("comparisons are too few to estimate anything from; at least 20"), "{said}");
    assert!(said.contains("hint: collect more: `likelier plan`"), "{said}");

    // A check of few comparisons is an answer, too.
    let output = likelier(folder.path(), &format!("check {FILES} --features size --json"));
    let (found, _) = result(&output);
    assert_eq!((output.status.code(), &found["protocol"]["verdict"]), (Some(0), &Value::from("unknown")));
    let codes: Vec<&str> = found["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["code"].as_str().unwrap())
        .collect();
    assert!(codes.contains(&"few-comparisons") && codes.contains(&"no-annotators"), "{codes:?}");
}

#[test]
fn equal_scores_tell_neither_prior_nor_protocol() {
    let folder = tempfile::tempdir().unwrap();
    made_up(folder.path(), 400, |_| String::new(), "");
    let items: String = (0..400).map(|at| format!("i{at},1\n")).collect();
    fs::write(folder.path().join("items.csv"), format!("id,size\n{items}")).unwrap();
    let output = likelier(folder.path(), &format!("prior {FILES} --protocol forced-choice --json"));
    let (found, codes) = result(&output);
    assert!(found["recommended"].is_null() && codes.contains(&"prior-not-known".into()), "{found}");
    assert_interval(&found["prior"]);
    let text = likelier(folder.path(), &format!("prior {FILES} --protocol forced-choice"));
    assert!(String::from_utf8(text.stdout).unwrap().contains("NOT KNOWN"));
    let (found, _) = result(&likelier(folder.path(), &format!("check {FILES} --json")));
    assert_eq!(found["protocol"]["verdict"], "unknown");
}

#[test]
fn annotators_are_told_apart_by_check() {
    let folder = tempfile::tempdir().unwrap();
    made_up(folder.path(), 300, |_| ",ann".into(), ",annotator");
    let arguments = format!("check {FILES} --features size --json");
    let (found, _) = result(&likelier(folder.path(), &arguments));
    let has = |found: &Value, code: &str| {
        found["findings"]
            .as_array()
            .unwrap()
            .iter()
            .any(|finding| finding["code"] == code)
    };
    assert!(has(&found, "one-annotator"), "{found}");

    // Everybody answers every pair; one answers the other way round.
    let pairs = fs::read_to_string(folder.path().join("comparisons.csv")).unwrap();
    let mut all = String::from("likelier,other,annotator\n");
    for line in pairs.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        for name in ["ann", "bob", "cyd"] {
            let _ = writeln!(all, "{},{},{name}", fields[0], fields[1]);
        }
        let _ = writeln!(all, "{},{},dan", fields[1], fields[0]);
    }
    fs::write(folder.path().join("comparisons.csv"), all).unwrap();
    let output = likelier(folder.path(), &arguments);
    let (found, _) = result(&output);
    assert!(has(&found, "annotator-stands-out"), "{found}");
    assert_eq!((output.status.code(), &found["sound"]), (Some(1), &Value::from(false)));
}

#[test]
fn labels_are_understood_or_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    made_up(folder.path(), 400, |_| String::new(), "");
    let train = format!(
        "train {FILES} --features size --prior 0.5 --protocol forced-choice --epochs 50 --out m.likelier"
    );
    let trained = likelier(folder.path(), &train);
    assert!(trained.status.success(), "{}", String::from_utf8_lossy(&trained.stderr));
    let evaluate = |rest: &str| likelier(folder.path(), &format!("evaluate m.likelier {rest}"));
    let said = complaint(&evaluate("--items items.csv --label label"));
    assert!(
        said.contains("column 'label' holds 'bad', 'good', and it is not known which of them is positive"),
        "{said}"
    );
    assert!(said.contains("hint: name the label of positives with --positive"), "{said}");
    let said = complaint(&evaluate("--items items.csv --label label --positive great"));
    assert!(said.contains("no row has 'great' in column 'label', which holds 'bad', 'good'"), "{said}");
    let said = complaint(&evaluate("--items items.csv --label lable"));
    assert!(said.contains("has no column 'lable'; there are: 'id', 'size', 'label'"), "{said}");
    let said = complaint(&evaluate("--items comparisons.csv --label other"));
    assert!(said.contains("has no column 'size'"), "{said}");
    complaint(&evaluate("--items items.csv"));

    // Both ways at once; prior and protocol are the model's.
    let both = format!("{FILES} --label label --positive good");
    let (found, codes) = result(&evaluate(&format!("{both} --json")));
    assert!(codes.iter().all(|code| code != "differs-from-model"), "{codes:?}");
    assert_interval(&found["label_free"]["accuracy"]);
    assert_interval(&found["labelled"]["accuracy"]);
    assert!(number(&found["labelled"]["accuracy"]["value"]) > 0.9, "{found}");
    let (_, codes) = result(&evaluate(&format!("{both} --prior 0.4 --json")));
    assert_eq!(codes.iter().filter(|code| *code == "differs-from-model").count(), 1);
    let text = String::from_utf8(evaluate(&both).stdout).unwrap();
    let is_head = |line: &str| line.starts_with("95 % intervals        without labels  ");
    assert!(text.lines().any(|line| is_head(line) && line.ends_with("   with labels")), "{text}");

    let items = fs::read_to_string(folder.path().join("items.csv")).unwrap();
    let words = items.replace("good", "Yes").replace("bad", "no");
    fs::write(folder.path().join("words.csv"), words).unwrap();
    let (words, _) = result(&evaluate("--items words.csv --label label --json"));
    assert_eq!(words["labelled"], found["labelled"]);
    assert!(words["label_free"].is_null());

    fs::write(folder.path().join("five.csv"), "likelier,other\ni9,i1\ni9,i2\ni9,i3\ni8,i1\ni8,i2\n")
        .unwrap();
    let said = complaint(&evaluate("--items items.csv --comparisons five.csv"));
    assert!(said.contains("5 held-out comparisons are too few"), "{said}");
    assert!(said.contains("hint: collect more"), "{said}");
}

#[test]
fn two_models_are_compared_on_the_same_comparisons_and_rows() {
    let folder = tempfile::tempdir().unwrap();
    made_up(folder.path(), 400, |_| String::new(), "");
    for (out, method) in [("a", "pair-posterior"), ("b", "pcomp-relu --learning-rate 0.00001")] {
        let train = format!(
            "train {FILES} --features size --prior 0.5 --protocol forced-choice --epochs 50 --method {method} --out {out}"
        );
        let trained = likelier(folder.path(), &train);
        assert!(trained.status.success(), "{}", String::from_utf8_lossy(&trained.stderr));
    }
    let with = format!("{FILES} --label label --positive good");
    let run = |models: &str| likelier(folder.path(), &format!("evaluate {models} {with}"));
    let (found, _) = result(&likelier(folder.path(), &format!("evaluate a b {with} --json")));
    let (first, _) = result(&likelier(folder.path(), &format!("evaluate a {with} --json")));
    let (second, _) = result(&likelier(folder.path(), &format!("evaluate b {with} --json")));
    assert!(first["difference"].is_null());
    assert_eq!(found["label_free"], first["label_free"]);
    for by in ["label_free", "labelled"] {
        for metric in ["accuracy", "balanced_accuracy", "auc"] {
            let difference = &found["difference"][by][metric];
            assert_interval(difference);
            // With labels some of them are plain numbers.
            let of = |one: &Value| {
                let one = &one[by][metric];
                number(one.get("value").unwrap_or(one))
            };
            let expected = of(&second) - of(&first);
            assert!((number(&difference["value"]) - expected).abs() < 1e-9, "{by} {metric}: {found}");
        }
    }
    let text = String::from_utf8(run("a b").stdout).unwrap();
    assert!(
        text.contains(
            "\nb minus a, on the same comparisons (valid if neither model was trained on them)\n"
        ),
        "{text}"
    );
    let own = String::from_utf8(run("a a").stdout).unwrap();
    let zero = "+0.000 (+0.000 to +0.000)";
    assert!(own.contains(&format!("accuracy              {zero}   {zero}\n")), "{own}");
    assert!(complaint(&run("a missing")).contains("missing"));
}

/// Items of one telling feature, and 1,500 answers as `first` gives them for two (feature, class); every tenth pair
/// is asked twice.
fn simulated(folder: &Path, topics: usize, first: impl Fn(&mut ChaCha8Rng, [(f64, bool); 2]) -> bool) {
    let mut rng = stream(3, Purpose::Comparisons);
    let mut items = String::from("id,size\n");
    let all: Vec<(f64, bool)> = (0..1200)
        .map(|at| {
            // Topics have different shares of positives.
            let positive = unit(&mut rng) < 0.2 + 0.6 * ((at % topics) as f64 + 0.5) / topics as f64;
            (unit(&mut rng) + unit(&mut rng) + if positive { 1.2 } else { 0.0 }, positive)
        })
        .collect();
    for (at, (size, _)) in all.iter().enumerate() {
        let _ = writeln!(items, "i{at},{size:.4}");
    }
    let mut comparisons = String::from("likelier,other,group\n");
    let mut made = 0;
    while made < 1500 {
        let a = below(&mut rng, 1200);
        let b = a % topics + topics * below(&mut rng, 1200 / topics);
        for _ in 0..if a == b { 0 } else { 1 + usize::from(made % 10 == 0) } {
            let (likelier, other) = if first(&mut rng, [all[a], all[b]]) { (a, b) } else { (b, a) };
            let _ = writeln!(comparisons, "i{likelier},i{other},topic {}", a % topics);
            made += 1;
        }
    }
    fs::write(folder.join("items.csv"), items).unwrap();
    fs::write(folder.join("comparisons.csv"), comparisons).unwrap();
}

/// A coin between equals.
fn by_class(rng: &mut ChaCha8Rng, [a, b]: [(f64, bool); 2]) -> bool {
    if a.1 == b.1 { unit(rng) < 0.5 } else { a.1 }
}

const CHECK: &str = "check --items items.csv --comparisons comparisons.csv --protocol forced-choice";

#[test]
fn garbage_does_not_pass_and_the_first_line_says_so() {
    let folder = tempfile::tempdir().unwrap();
    simulated(folder.path(), 1, |rng, _| unit(rng) < 0.5);
    let output = likelier(folder.path(), &format!("{CHECK} --json"));
    let (found, _) = result(&output);
    assert_eq!(
        (output.status.code(), &found["headline"]["code"]),
        (Some(1), &Value::from("coin-tosses")),
        "{found}"
    );
    assert!(
        found["findings"]
            .as_array()
            .unwrap()
            .iter()
            .any(|one| one["code"] == "coin-tosses")
    );
    let text = String::from_utf8(likelier(folder.path(), CHECK).stdout).unwrap();
    assert!(text.starts_with("the answers look like coin tosses"), "{text}");
    assert!(text.contains("DO NOT TRAIN"), "{text}");
}

#[test]
fn pairs_made_within_topics_are_forced_choice_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    simulated(folder.path(), 6, by_class);
    let output = likelier(folder.path(), &format!("{CHECK} --json"));
    let (found, _) = result(&output);
    assert_eq!(
        (output.status.code(), &found["headline"]["code"]),
        (Some(0), &Value::from("grouped")),
        "{found}"
    );
    assert!(found["protocol"]["contradiction"].is_null(), "{found}");
    assert_eq!(found["diagnosis"]["groups"], 6);
    // Blanks are a group of their own, and nothing but blanks are no groups.
    let named = fs::read_to_string(folder.path().join("comparisons.csv")).unwrap();
    let one_blank = named.replace("topic 3", "");
    fs::write(folder.path().join("comparisons.csv"), one_blank).unwrap();
    let (found, _) = result(&likelier(folder.path(), &format!("{CHECK} --json")));
    assert_eq!(
        (&found["diagnosis"]["groups"], &found["sound"]),
        (&Value::from(6), &Value::from(true)),
        "{found}"
    );
}

#[test]
fn the_prior_is_withheld_where_equals_are_ordered_by_degree() {
    let folder = tempfile::tempdir().unwrap();
    // Whoever is larger is likelier, whatever the class.
    simulated(
        folder.path(),
        1,
        |rng, [a, b]| if a.1 == b.1 { a.0 > b.0 } else { a.1 != (unit(rng) < 0.02) },
    );
    let (found, _) = result(&likelier(folder.path(), &format!("{CHECK} --json")));
    assert_eq!(found["headline"]["code"], "graded", "{found}");
    assert_eq!(found["sound"], true, "grading is no fault of the data");
    let prior = "prior --items items.csv --comparisons comparisons.csv --protocol forced-choice";
    let (found, codes) = result(&likelier(folder.path(), &format!("{prior} --json")));
    assert!(found["recommended"].is_null() && codes.contains(&"prior-not-known".into()), "{found}");
    assert!(
        found["reasons"][0]
            .as_str()
            .unwrap()
            .contains("is withheld: items of one class"),
        "{found}"
    );
    let train = "train --items items.csv --comparisons comparisons.csv --protocol forced-choice --prior auto --out m";
    let said = complaint(&likelier(folder.path(), train));
    assert!(said.contains("because items of one class were ordered by degree"), "{said}");
}
