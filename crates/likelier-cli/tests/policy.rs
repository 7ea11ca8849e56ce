//! One policy for ties and weights in every verb: a tie is half a comparison each way, and a weight counts wherever a
//! comparison does.
//!
//! Each verb is given the same answers in three forms, and must find the same: with a column `tie`; with each tie
//! written out as two comparisons of weight ½; and with everything doubled by weights of 2 instead of lines. Left
//! out or tossed by a coin, ties would give other numbers, which the test also shows.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use std::fmt::Write as _;

use likelier::random::{Purpose, below, stream, unit};
use serde_json::Value;

mod program;

use program::Folder;

const STATED: &str = "--prior 0.4 --protocol forced-choice";

/// Items of two classes, and answers of which every fourth is a tie between two items of one class.
struct Answered {
    folder: Folder,
}

impl Answered {
    fn new() -> Self {
        let folder = Folder::new();
        let mut rng = stream(5, Purpose::Comparisons);
        let mut items = String::from("id,size,weight\n");
        let positive: Vec<bool> = (0..600).map(|_| unit(&mut rng) < 0.4).collect();
        for (at, positive) in positive.iter().enumerate() {
            let size = unit(&mut rng) + if *positive { 0.6 } else { 0.0 };
            let _ = writeln!(items, "i{at},{size:.4},{:.4}", unit(&mut rng));
        }
        folder.write("items.csv", items);
        let [mut tied, mut halves, mut dropped, mut tossed] =
            ["likelier,other,tie\n", "likelier,other,weight\n", "likelier,other\n", "likelier,other\n"]
                .map(String::from);
        let [mut weighted, mut repeated] =
            ["likelier,other,weight\n", "likelier,other\n"].map(String::from);
        for _ in 0..900 {
            let (a, b) = (below(&mut rng, 600), below(&mut rng, 600));
            if a == b {
                continue;
            }
            let same = positive[a] == positive[b];
            let (first, second) = if same || positive[a] { (a, b) } else { (b, a) };
            if same && unit(&mut rng) < 0.5 {
                let _ = writeln!(tied, "i{first},i{second},1");
                let _ = writeln!(halves, "i{first},i{second},0.5\ni{second},i{first},0.5");
                let (one, two) = if unit(&mut rng) < 0.5 { (first, second) } else { (second, first) };
                let _ = writeln!(tossed, "i{one},i{two}");
                continue;
            }
            let (first, second) =
                if same && unit(&mut rng) < 0.5 { (second, first) } else { (first, second) };
            let _ = writeln!(tied, "i{first},i{second},0");
            let _ = writeln!(halves, "i{first},i{second},1");
            let _ = writeln!(dropped, "i{first},i{second}");
            let _ = writeln!(tossed, "i{first},i{second}");
            let twice = unit(&mut rng) < 0.3;
            let _ = writeln!(weighted, "i{first},i{second},{}", if twice { 2 } else { 1 });
            for _ in 0..if twice { 2 } else { 1 } {
                let _ = writeln!(repeated, "i{first},i{second}");
            }
        }
        for (name, text) in [
            ("tied", tied),
            ("halves", halves),
            ("dropped", dropped),
            ("tossed", tossed),
            ("weighted", weighted),
            ("repeated", repeated),
        ] {
            folder.write(&format!("{name}.csv"), text);
        }
        Self { folder }
    }

    /// What a verb finds with answers in one of the forms.
    fn result(&self, verb: &str, form: &str) -> Value {
        self.folder
            .result(&format!("{verb} --items items.csv --comparisons {form}.csv"))
    }
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// Numbers of one kind, in several forms: the first two must agree, and differ from the others.
fn agree(what: &str, found: [f64; 2], others: &[f64]) {
    assert!((found[0] - found[1]).abs() < 1e-9, "{what}: {} and {}", found[0], found[1]);
    for other in others {
        assert!((found[0] - other).abs() > 1e-6, "{what} cannot see the policy: {found:?}, {other}");
    }
}

#[test]
fn evaluate_halves_ties_and_weighs_comparisons() {
    let answered = Answered::new();
    let train = "train --items items.csv --comparisons dropped.csv --no-report --epochs 30 --out model";
    answered.folder.succeeds(&format!("{train} {STATED}"));
    let accuracy = |form: &str| {
        let found = answered.result(&format!("evaluate model {STATED}"), form);
        number(&found["label_free"]["accuracy"]["value"])
    };
    agree("ties", [accuracy("tied"), accuracy("halves")], &[accuracy("dropped"), accuracy("tossed")]);
    agree("weights", [accuracy("weighted"), accuracy("repeated")], &[accuracy("dropped")]);
    // The interval of 900 answers, not of as many halves.
    let sizes = &answered.result(&format!("evaluate model {STATED}"), "tied")["label_free"]["sizes"];
    let answers = answered.folder.text("tied.csv").lines().count() as u64 - 1;
    assert_eq!((sizes[0].as_u64(), sizes[1].as_u64()), (Some(answers), Some(answers)));
}

#[test]
fn train_halves_ties_and_weighs_comparisons_in_training_and_in_judging() {
    let answered = Answered::new();
    let train = |form: &str, more: &str| {
        let verb = format!("train {STATED} --no-report --epochs 30 --hold-out 0 {more} --out {form}");
        answered.result(&verb, form)
    };
    // All answers trained on: a tie is the same model as its two halves, in whatever file they stand.
    let risk = |form: &str| number(&train(form, "--method pcomp-relu --weight-decay 0.001")["risk"]);
    agree("ties", [risk("tied"), risk("halves")], &[risk("dropped"), risk("tossed")]);
    // Some held out: answers are counted, not halves, and none is counted twice.
    let verb = format!("train {STATED} --no-report --epochs 30 --out held-out");
    let answers = answered.folder.text("tied.csv").lines().count() as u64 - 1;
    let counts = |found: &Value| {
        [&found["comparisons"], &found["held_out_comparisons"]].map(|count| count.as_u64().unwrap())
    };
    assert_eq!(counts(&answered.result(&verb, "tied")), [answers; 2], "trained on, and judged by in folds");
    let [trained, held_out] = counts(&answered.result(&format!("{verb} --hold-out 0.2"), "tied"));
    // Of an answer that touches a held-out item, one side or both count.
    assert!(
        trained + held_out <= answers && held_out > answers / 10,
        "{trained} and {held_out} of {answers}"
    );
    // Ties among the held-out answers count in the judgement: without them it would look better than it is.
    let accuracy = |form: &str| number(&answered.result(&verb, form)["label_free"]["accuracy"]["value"]);
    assert!(accuracy("tied") < accuracy("dropped") - 0.05, "{} {}", accuracy("tied"), accuracy("dropped"));
}

#[test]
fn prior_and_check_halve_ties_and_weigh_comparisons() {
    let answered = Answered::new();
    let interval = |form: &str| {
        let found = answered.result("prior --protocol forced-choice", form);
        let best_bin = found["estimates"]
            .as_array()
            .unwrap()
            .iter()
            .find(|one| one["estimator"] == "best-bin");
        let kappa = &best_bin.unwrap()["details"]["containment"][0];
        (number(&kappa["value"]), found["comparisons"].as_u64().unwrap())
    };
    let answers = answered.folder.text("tied.csv").lines().count() as u64 - 1;
    assert_eq!(interval("tied").1, answers, "a tie is one answer");
    // Folds are drawn by answer, so other forms of a tie have other folds: what is left out shows all the same.
    assert!((interval("tied").0 - interval("dropped").0).abs() > 0.02);

    let checked = answered.result("check --protocol forced-choice", "tied");
    assert_eq!(checked["diagnosis"]["comparisons"].as_u64(), Some(answers));
    assert!(checked["protocol"]["contradiction"].is_null(), "ties in half are forced choice: {checked}");
    let ratio = |form: &str| {
        number(&answered.result("check --protocol forced-choice", form)["protocol"]["ratio"]["value"])
    };
    // ¼ when every pair was kept; ties are mostly pairs of one class, and without them the ratio is far from it.
    assert!((ratio("tied") - 0.25).abs() < (ratio("dropped") - 0.25).abs(), "{}", ratio("tied"));
}

#[test]
fn comparisons_of_weight_zero_count_nowhere() {
    let answered = Answered::new();
    // Each comparison with its opposite: of weight 0 it says nothing, of weight 1 it takes everything back.
    let [mut silent, mut loud] =
        [String::from("likelier,other,weight\n"), String::from("likelier,other\n")];
    for line in answered.folder.text("dropped.csv").lines().skip(1) {
        let (likelier, other) = line.split_once(',').unwrap();
        let _ = writeln!(silent, "{line},1\n{other},{likelier},0");
        let _ = writeln!(loud, "{line}\n{other},{likelier}");
    }
    answered.folder.write("silent.csv", silent);
    answered.folder.write("loud.csv", loud);
    let auc = |form: &str| {
        let verb = format!("train {STATED} --no-report --epochs 30 --out {form}");
        number(&answered.result(&verb, form)["label_free"]["auc"]["value"])
    };
    assert!(auc("silent") > 0.8 && auc("loud") < 0.6, "{} {}", auc("silent"), auc("loud"));
    let chosen = |form: &str| {
        let verb = format!("train {STATED} --select --no-report --epochs 30 --out {form}");
        let candidates = answered.result(&verb, form)["selection"]["candidates"].clone();
        let values = candidates
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|one| one["value"]["value"].as_f64());
        values.fold(f64::INFINITY, f64::min)
    };
    // −ln of the orientation likelihood: ln 2 is a coin.
    assert!(chosen("silent") < 0.62 && chosen("loud") > 0.69, "{} {}", chosen("silent"), chosen("loud"));
    let kappa = |form: &str| {
        let found = answered.result("prior --protocol forced-choice", form);
        number(&found["estimates"][0]["details"]["containment"][0]["value"])
    };
    assert!(kappa("silent") < 0.5 && kappa("loud") > 0.9, "{} {}", kappa("silent"), kappa("loud"));
    let bounded = |form: &str| {
        answered.result("check --protocol forced-choice", form)["protocol"]["ratio"].is_object()
    };
    assert!(bounded("silent") && !bounded("loud"), "the scores part the piles, or they do not");
}
