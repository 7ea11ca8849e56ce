//! `likelier next`, and what every verb makes of the propensities it writes.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod program;

use std::collections::HashSet;
use std::fmt::Write as _;

use program::{Folder, said};

const TRAIN: &str =
    "train --items items.csv --protocol forced-choice --prior 0.4 --equals coin --epochs 20";

/// With a model of the pairs that are there.
fn trained() -> Folder {
    let folder = Folder::with_rows(600);
    folder.succeeds(&format!("{TRAIN} --comparisons pairs.csv --out model"));
    folder
}

/// The fields of every line but the first.
fn fields(text: &str) -> Vec<Vec<&str>> {
    text.lines().skip(1).map(|line| line.split(',').collect()).collect()
}

#[test]
fn pairs_are_new_and_have_propensities_that_are_never_below_the_uniform_part() {
    let folder = trained();
    let next = "next model --items items.csv --comparisons pairs.csv --count 200";
    let found = folder.result(&format!("{next} --uniform 0.25 --seed 4 --out asked.csv"));
    let text = folder.text("asked.csv");
    assert!(text.starts_with("first,second,propensity,how\n"), "{text}");
    let asked = fields(&text);
    assert_eq!(asked.len(), 200);
    let unordered = |one: &str, two: &str| {
        if one < two { [one.to_owned(), two.to_owned()] } else { [two.to_owned(), one.to_owned()] }
    };
    let made = folder.text("pairs.csv");
    let mut seen: HashSet<[String; 2]> =
        fields(&made).iter().map(|pair| unordered(pair[0], pair[1])).collect();
    let mut chosen = 0;
    for pair in &asked {
        assert!(seen.insert(unordered(pair[0], pair[1])), "{pair:?} was asked before");
        let propensity: f64 = pair[2].parse().unwrap();
        assert!((0.25 * 2.0 / (600.0 * 599.0)..0.01).contains(&propensity), "{pair:?}");
        chosen += u64::from(pair[3] == "chosen");
    }
    assert_eq!((found["chosen"].as_u64(), found["uniform"].as_u64()), (Some(chosen), Some(200 - chosen)));
    assert_eq!((found["items"].as_u64(), found["asked"].as_u64()), (Some(600), Some(300)));
    assert!((120..180).contains(&chosen), "{chosen}");
    let same = folder.succeeds(&format!("{next} --uniform 0.25 --seed 4 --out -"));
    assert_eq!(same, text, "a seed gives the same pairs");
    assert_ne!(folder.succeeds(&format!("{next} --uniform 0.25 --seed 5 --out -")), text);
    let said = folder.succeeds(&format!("{next} --uniform 1 --out all.csv"));
    assert!(said.contains("200 pairs of 600 items: 200 drawn uniformly, 0 chosen"), "{said}");
}

#[test]
fn answers_with_propensities_are_trained_on_and_judged_by() {
    let folder = trained();
    folder.succeeds(
        "next model --items items.csv --comparisons pairs.csv --count 300 --uniform 0.2 --out asked.csv",
    );
    let labels: Vec<String> = fields(&folder.text("labelled.csv"))
        .iter()
        .map(|row| row[2].to_owned())
        .collect();
    let (mut all, mut without) = (String::from("likelier,other,propensity\n"), folder.text("pairs.csv"));
    for pair in fields(&without) {
        let _ = writeln!(all, "{},{},", pair[0], pair[1]);
    }
    for pair in fields(&folder.text("asked.csv")) {
        let label = |at: usize| labels[pair[at].parse::<usize>().unwrap()] == "1";
        let (likelier, other) = if label(1) && !label(0) { (pair[1], pair[0]) } else { (pair[0], pair[1]) };
        let _ = writeln!(all, "{likelier},{other},{}", pair[2]);
        let _ = writeln!(without, "{likelier},{other}");
    }
    folder.write("all.csv", all.replace("propensity", "asked_with"));
    folder.write("without.csv", without);
    let accuracy = |arguments: &str| {
        let found = folder.result(&format!("{TRAIN} {arguments}"));
        found["label_free"]["accuracy"]["value"].as_f64().unwrap()
    };
    let plain = accuracy("--comparisons without.csv --out plain");
    assert_eq!(accuracy("--comparisons all.csv --out ignored"), plain);
    let named = "--comparisons all.csv --columns propensity=asked_with";
    assert_ne!(accuracy(&format!("{named} --out weighted")), plain);
    let left = folder.result(&format!("next weighted --items items.csv {named} --count 5 --out more.csv"));
    assert_eq!(left["asked"], 600);
}

#[test]
fn one_of_several_questions_is_asked() {
    let folder = Folder::with_rows(600);
    let mut asked = String::from("likelier,other,question\n");
    for pair in fields(&folder.text("pairs.csv")) {
        let _ = writeln!(asked, "{},{},up\n{},{},down", pair[0], pair[1], pair[1], pair[0]);
    }
    folder.write("asked.csv", asked);
    folder.succeeds(&format!("{TRAIN} --comparisons asked.csv --out both"));
    let next = "next both --items items.csv --comparisons asked.csv --count 10 --out pairs-of-one.csv";
    assert_eq!(folder.result(&format!("{next} --question up"))["asked"], 300);
    let open = folder.run(next);
    assert_eq!(open.status.code(), Some(2));
    assert!(said(&open).contains("--question NAME"), "{}", said(&open));
}
