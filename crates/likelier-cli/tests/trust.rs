//! Numbers that hold for real answers: new items, ranges, and a few labels, from the built program.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod program;

use std::fmt::Write as _;

use likelier::random::{Purpose, below, stream, unit};
use program::Folder;
use serde_json::Value;

const TRAIN: &str = "train --items items.csv --comparisons comparisons.csv --prior 0.5 --protocol forced-choice --no-report";

/// 300 items of one telling feature, compared 1,500 times; equals by a coin. Every third item is labelled.
fn files() -> Folder {
    let folder = Folder::new();
    let mut rng = stream(8, Purpose::Comparisons);
    let positive: Vec<bool> = (0..300).map(|_| unit(&mut rng) < 0.5).collect();
    let (mut items, mut labels) = (String::from("id,size,noise\n"), String::from("id,label\n"));
    for (at, positive) in positive.iter().enumerate() {
        let size = unit(&mut rng) + unit(&mut rng) + if *positive { 1.0 } else { 0.0 };
        let _ = writeln!(items, "i{at},{size:.4},{:.4}", unit(&mut rng));
        let _ = writeln!(
            labels,
            "i{at},{}",
            if at % 3 > 0 {
                ""
            } else if *positive {
                "yes"
            } else {
                "no"
            }
        );
    }
    let mut comparisons = String::from("likelier,other\n");
    for _ in 0..1500 {
        let a = below(&mut rng, 300);
        let b = (a + 1 + below(&mut rng, 299)) % 300;
        let first = if positive[a] == positive[b] { unit(&mut rng) < 0.5 } else { positive[a] };
        let (likelier, other) = if first { (a, b) } else { (b, a) };
        let _ = writeln!(comparisons, "i{likelier},i{other}");
    }
    folder.write("items.csv", &items);
    folder.write("comparisons.csv", &comparisons);
    folder.write("labels.csv", &labels);
    folder
}

fn accuracy(found: &Value) -> f64 {
    found["label_free"]["accuracy"]["value"].as_f64().unwrap()
}

#[test]
fn new_items_come_first_and_the_items_at_hand_are_named() {
    let files = files();
    let text = files.succeeds(&format!("{TRAIN} --equals coin --out m"));
    let new = text.find("for new items, without labels, by 5 models").unwrap();
    let known = text.find("for the items at hand, which it was trained on").unwrap();
    assert!(new < known, "{text}");
    let folds = files.result(&format!("{TRAIN} --equals coin --folds 8 --out m"));
    assert_eq!((&folds["judged_by"]["folds"], &folds["comparisons"]), (&8.into(), &1500.into()));
    let split = files.result(&format!("{TRAIN} --equals coin --hold-out 0.2 --out m"));
    assert_eq!(split["judged_by"], "held-out");
    assert!(
        split["comparisons"].as_u64().unwrap() < 1300
            && split["label_free"]["items"].as_u64().unwrap() >= 60
    );
    assert!((accuracy(&folds) - accuracy(&split)).abs() < 0.2);
    for wrong in ["--folds 1", "--folds 5 --hold-out 0.2", "--folds 5 --select"] {
        assert!(!files.run(&format!("{TRAIN} {wrong} --out m")).status.success(), "{wrong}");
    }
}

#[test]
fn unless_equals_were_tossed_there_is_a_range_and_its_assumption() {
    let files = files();
    let range = |more: &str| {
        let found = files.result(&format!("{TRAIN} {more} --out m"));
        let of =
            |end: &str, part: &str| found["label_free"]["ranges"]["accuracy"][end][part].as_f64().unwrap();
        assert_eq!(found["label_free"]["ranges"]["asked_again"], 0, "too few to count on: {found}");
        [of("low_end", "low"), of("low_end", "value"), of("high_end", "value"), of("high_end", "high")]
    };
    let (wide, narrow) = (range(""), range("--labeller-error-at-most 0.02"));
    assert!(wide.is_sorted() && narrow.is_sorted(), "{wide:?} {narrow:?}");
    assert!(narrow[1] > wide[1] && narrow[2] < wide[2], "{wide:?} {narrow:?}");
    let text = files.succeeds(&format!("{TRAIN} --equals degree --out m"));
    assert!(text.contains("at most 20 % of mixed pairs wrong") || text.contains("at most 20 %"), "{text}");
    let found = files.result(&format!("{TRAIN} --equals coin --out m"));
    assert!(found["label_free"]["ranges"].is_null());
    let judged = "evaluate m --items items.csv --comparisons comparisons.csv";
    assert!(files.succeeds(&format!("{judged} --equals coin")).contains("95 % interval"));
    let range = files.succeeds(&format!("{judged} --labeller-error-at-most 0.1"));
    assert!(range.contains("with sampling error") && range.contains("at most 10 %"), "{range}");
    let said = files.run(&format!("{TRAIN} --equals dice --out m"));
    assert!(String::from_utf8_lossy(&said.stderr).contains("coin"), "{said:?}");
    for equals in ["unknown", "coin"] {
        for verb in [format!("{TRAIN} --out never"), judged.into()] {
            let said = files.run(&format!("{verb} --equals {equals} --labeller-error-at-most 0.6"));
            assert_eq!(said.status.code(), Some(2), "{said:?}");
            let words = "the largest labeller error must be at least 0 and below 0.5, got 0.6";
            assert!(String::from_utf8_lossy(&said.stderr).contains(words), "{said:?}");
        }
    }
}

#[test]
fn random_labels_judge_and_others_do_not() {
    let files = files();
    let labelled = format!("{TRAIN} --labels labels.csv --labels-chosen");
    let found = files.result(&format!("{labelled} random --out m"));
    let audit = &found["audit"];
    assert_eq!(audit["labels"], 100);
    let both: Vec<f64> = audit["combined"]
        .as_array()
        .unwrap()
        .iter()
        .map(|end| end.as_f64().unwrap())
        .collect();
    let free: Vec<f64> = audit["without_labels"]
        .as_array()
        .unwrap()
        .iter()
        .map(|end| end.as_f64().unwrap())
        .collect();
    assert!(both[0] >= free[0] && both[1] <= free[1] && both[0] < both[1], "{audit}");
    assert!(audit["labeller_error"]["high"].as_f64().unwrap() < 0.1, "nobody errs: {audit}");
    let text = files.succeeds(&format!("{labelled} random --out m"));
    assert!(text.contains("by 100 random labels:") && text.contains("what both allow"), "{text}");
    // Learning from them gives another model, which they still judge.
    let plain = files.read("m");
    let trained = files.result(&format!("{labelled} random --labels-train --out m"));
    assert_eq!(trained["audit"]["labels"], 100);
    assert_ne!(files.read("m"), plain);
    // Rates of ties are for answers with ties.
    let refused = files.run(&format!("{TRAIN} --tie-rates 0.5,0.1 --out m2"));
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("no answer is a tie"), "{refused:?}");
    let other = files.run(&format!("{labelled} other --out m"));
    assert!(String::from_utf8_lossy(&other.stderr).contains("the labels were not used"), "{other:?}");

    // The wrong way round they contradict the comparisons, where these allow little.
    let turned = files
        .text("labels.csv")
        .replace("yes", "oui")
        .replace("no\n", "yes\n")
        .replace("oui", "no");
    files.write("turned.csv", &turned);
    let run =
        files.run(&format!("{TRAIN} --equals coin --labels turned.csv --labels-chosen random --out m"));
    assert!(
        String::from_utf8_lossy(&run.stderr).contains("THE LABELS CONTRADICT THE COMPARISONS"),
        "{run:?}"
    );

    for (name, text, said) in [
        ("unknown.csv", "id,label\ni1,1\nnobody,0\n", "nobody"),
        ("both.csv", "id,label\ni1,1\ni2,0\ni1,0\n", "'i1' has the other label further up"),
        ("words.csv", "id,label\ni1,maybe\n", "'maybe' is no label"),
        ("blank.csv", "id,label\ni1,\n", "holds no label"),
    ] {
        files.write(name, text);
        let run = files.run(&format!("{TRAIN} --labels {name} --labels-chosen random --out m"));
        let error = String::from_utf8_lossy(&run.stderr).into_owned();
        assert!(!run.status.success() && error.contains(said) && error.contains(name), "{error}");
    }
    assert!(
        !files.run(&format!("{TRAIN} --labels labels.csv --out m")).status.success(),
        "say how they were chosen"
    );
}

#[test]
fn a_column_of_labels_judges_like_a_file_of_them_and_is_never_a_feature() {
    let files = files();
    let labels = files.text("labels.csv");
    let beside = |name: &str, labels: &str| {
        let items = files.text("items.csv");
        let lines = items.lines().zip(labels.lines());
        let joined: Vec<String> = lines
            .map(|(item, label)| format!("{item},{}\n", label.split_once(',').unwrap().1))
            .collect();
        files.write(name, joined.concat());
    };
    beside("labelled.csv", &labels);
    let train = TRAIN.replace("items.csv", "labelled.csv");
    let by_file = files.result(&format!("{TRAIN} --labels labels.csv --labels-chosen random --out m"));
    let by_column = files.result(&format!("{train} --labels-chosen random --out m"));
    assert_eq!((&by_column["audit"], &by_column["features"]), (&by_file["audit"], &2.into()));
    let named = files.text("labelled.csv").replacen(",label", ",truth", 1);
    files.write("named.csv", &named);
    let train_named = TRAIN.replace("items.csv", "named.csv");
    let by_name = files.result(&format!("{train_named} --label truth --labels-chosen random --out m"));
    assert_eq!(by_name["audit"], by_file["audit"]);

    // Nobody says how they were chosen: set aside, and said so.
    let run = files.run(&format!("{train} --json --out m"));
    let found: Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!((&found["result"]["features"], &found["result"]["audit"]), (&2.into(), &Value::Null));
    assert!(found["warnings"].to_string().contains("labels-set-aside"), "{}", found["warnings"]);
    let other = files.run(&format!("{train} --labels-chosen other --out m"));
    assert!(String::from_utf8_lossy(&other.stderr).contains("the labels were not used"), "{other:?}");

    let numbers = labels.replace("yes", "1").replace("no\n", "0\n");
    for (labels, said) in [
        (numbers.replacen(",1\n", ",maybe\n", 1), "'maybe' is no label"),
        (labels.replace("yes", "").replace("no\n", "\n"), "holds no label"),
    ] {
        beside("bad.csv", &labels);
        let run =
            files.run(&format!("{} --labels-chosen random --out m", TRAIN.replace("items.csv", "bad.csv")));
        let error = String::from_utf8_lossy(&run.stderr).into_owned();
        assert!(!run.status.success() && error.contains(said) && error.contains("hint: "), "{error}");
    }
    beside("one.csv", &labels.replace("no\n", "\n"));
    let run =
        files.run(&format!("{} --labels-chosen random --out m", TRAIN.replace("items.csv", "one.csv")));
    let error = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(run.status.success() && error.contains("labels are positive: they say nothing"), "{error}");

    // In a file and in a column, one the other way round.
    let turned = labels.replace("yes", "oui").replace("no\n", "yes\n").replace("oui", "no");
    files.write("turned.csv", &turned);
    let run = files.run(&format!("{train} --labels turned.csv --labels-chosen random --out m"));
    let error = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(!run.status.success() && error.contains("'i0' has one label in turned.csv"), "{error}");
    let run = files.run(&format!("{TRAIN} --labels-chosen random --out m"));
    let error = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(!run.status.success() && error.contains("no labels are"), "{error}");
    // A feature of that name is one if it is said to be.
    beside("whole.csv", &numbers.replace(",\n", ",0.5\n"));
    let found = files.result(&format!(
        "{} --features size,noise,label --out m",
        TRAIN.replace("items.csv", "whole.csv")
    ));
    assert_eq!(found["features"], 3);
}

#[test]
fn items_may_say_their_group_and_pairs_within_groups_are_not_taken_for_dropped_ones() {
    let folder = Folder::new();
    let mut rng = stream(3, Purpose::Comparisons);
    let mut items = String::from("id,size,noise,group\n");
    // Six topics of 60 items with very different shares of positives.
    let positive: Vec<bool> =
        (0..360).map(|at| unit(&mut rng) < 0.05 + 0.18 * f64::from(at / 60)).collect();
    for (at, positive) in positive.iter().enumerate() {
        let size = unit(&mut rng) + unit(&mut rng) + if *positive { 1.5 } else { 0.0 };
        let _ = writeln!(items, "i{at},{size:.4},{:.4},topic {}", unit(&mut rng), at / 60);
    }
    let mut comparisons = String::from("likelier,other\n");
    let mut noted = String::from("likelier,other,group\n");
    for _ in 0..3000 {
        let topic = below(&mut rng, 6);
        let a = below(&mut rng, 60);
        let b = (a + 1 + below(&mut rng, 59)) % 60;
        let (a, b) = (60 * topic + a, 60 * topic + b);
        let first = if positive[a] == positive[b] { unit(&mut rng) < 0.5 } else { positive[a] };
        let (likelier, other) = if first { (a, b) } else { (b, a) };
        let _ = writeln!(comparisons, "i{likelier},i{other}");
        let _ = writeln!(noted, "i{likelier},i{other},topic {topic}");
    }
    // One pair across topics, so that they are no islands.
    for topic in 0..5 {
        let _ = writeln!(comparisons, "i{},i{}", 60 * topic + 60, 60 * topic);
    }
    folder.write("items.csv", &items);
    folder.write("comparisons.csv", &comparisons);
    folder.write("noted.csv", &noted);
    let warnings = |command: &str| {
        let run = folder.run(&format!("{command} --json"));
        let found: Value = serde_json::from_slice(&run.stdout).unwrap();
        (found["result"].clone(), found["warnings"].to_string())
    };
    let (found, said) = warnings(&format!("{TRAIN} --out m"));
    assert_eq!(found["features"], 2, "a group is no feature");
    assert!(!said.contains("protocol-contradicted"), "{said}");
    let (found, _) =
        warnings("check --items items.csv --comparisons comparisons.csv --protocol forced-choice");
    assert_eq!(found["protocol"]["contradiction"], Value::Null, "{found}");
    assert!(found["findings"].to_string().contains("grouped"), "{found}");
    // The same of comparisons that say it, of islands, and when a model is judged.
    for file in ["comparisons.csv", "noted.csv"] {
        let (_, said) =
            warnings(&format!("evaluate m --items items.csv --comparisons {file} --equals coin"));
        assert!(!said.contains("protocol-contradicted"), "{file}: {said}");
    }
    let without = items.lines().map(|line| format!("{}\n", line.rsplit_once(',').unwrap().0));
    folder.write("plain.csv", without.collect::<String>());
    let (_, said) = warnings(&format!("{} --out m", TRAIN.replace("items.csv", "plain.csv")));
    assert!(said.contains("protocol-contradicted"), "nobody says that there are groups: {said}");
    let (_, said) = warnings("evaluate m --items plain.csv --comparisons comparisons.csv --equals coin");
    assert!(said.contains("protocol-contradicted"), "{said}");
    let (_, said) = warnings("evaluate m --items plain.csv --comparisons noted.csv --equals coin");
    assert!(!said.contains("protocol-contradicted"), "{said}");
}

#[test]
fn a_check_says_that_too_few_pairs_were_asked_again() {
    let files = files();
    let text = files.run("check --items items.csv --comparisons comparisons.csv --protocol forced-choice");
    let text = String::from_utf8(text.stdout).unwrap();
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("pairs were asked more than once, too few to show the labeller's error"),
        "{text}"
    );
    assert!(words.contains("ask 200 pairs twice to see both"), "{text}");
}
