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
    let said = files.run(&format!("{TRAIN} --labeller-error-at-most 0.6 --out m"));
    assert!(String::from_utf8_lossy(&said.stderr).contains("0.6"), "{said:?}");
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
