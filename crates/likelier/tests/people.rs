//! What is found about the people who answered: each fault is simulated from its definition, beside people who have
//! none.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use likelier::Answers;
use likelier::data::{Annotators, ShownSide, Texts};
use likelier::estimate::diagnosis::{Diagnosis, Finding, Severity};
use likelier::random::{ChaCha8Rng, Purpose, below, chance, epoch_stream, unit};

const PEOPLE: [&str; 5] = ["ann", "ben", "cem", "dia", "eva"];
const ITEMS: usize = 1000;

/// Answers of five people about random pairs of items, of which every other one is positive; equals are decided by a
/// coin. One of ten pairs is asked of two people.
struct Told {
    rng: ChaCha8Rng,
    pairs: Vec<(u32, u32)>,
    who: Vec<u32>,
    left: Vec<bool>,
    times: Vec<f64>,
}

impl Told {
    fn new(seed: u32) -> Self {
        let rng = epoch_stream(5, Purpose::Comparisons, seed);
        Self { rng, pairs: Vec::new(), who: Vec::new(), left: Vec::new(), times: Vec::new() }
    }

    fn pair(&mut self) -> (u32, u32) {
        loop {
            let (a, b) = (below(&mut self.rng, ITEMS) as u32, below(&mut self.rng, ITEMS) as u32);
            if a != b {
                return (a, b);
            }
        }
    }

    /// Whether the first of two is said to be likelier.
    fn honest(&mut self, (a, b): (u32, u32)) -> bool {
        if a % 2 == b % 2 { chance(&mut self.rng, 0.5) } else { a % 2 == 0 }
    }

    fn add(&mut self, (a, b): (u32, u32), who: u32, first: bool, a_left: bool, seconds: f64) {
        self.pairs.push(if first { (a, b) } else { (b, a) });
        self.left.push(first == a_left);
        let last = (0..self.who.len())
            .rev()
            .find(|at| self.who[*at] == who)
            .map_or(0.0, |at| self.times[at]);
        self.times.push(last + seconds * (0.5 + unit(&mut self.rng)));
        self.who.push(who);
    }

    /// 2,000 answers; `of` may replace what somebody says (first, whether the first stands left).
    fn answered(seed: u32, of: impl Fn(&mut Self, u32, bool, bool) -> bool) -> Self {
        let mut told = Self::new(seed);
        while told.pairs.len() < 2000 {
            let pair = told.pair();
            let start = below(&mut told.rng, 5);
            let times = 1 + usize::from(chance(&mut told.rng, 0.1));
            for time in 0..times {
                let who = ((start + time) % 5) as u32;
                let (first, a_left) = (told.honest(pair), chance(&mut told.rng, 0.5));
                let first = of(&mut told, who, first, a_left);
                told.add(pair, who, first, a_left, 4.0);
            }
        }
        told
    }

    fn answers(&self) -> Answers {
        let side = |left: &bool| Some(if *left { ShownSide::Left } else { ShownSide::Right });
        let times: Texts = self.times.iter().map(|time| format!("{time:.3}")).collect();
        self.pairs
            .iter()
            .copied()
            .collect::<Answers>()
            .by(Annotators { names: PEOPLE.iter().collect(), of: self.who.clone() })
            .unwrap()
            .shown(self.left.iter().map(side).collect())
            .unwrap()
            .at(times)
            .unwrap()
    }

    fn flagged(&self) -> Vec<Finding> {
        flagged(&self.answers())
    }
}

fn flagged(answers: &Answers) -> Vec<Finding> {
    let findings = Diagnosis::new(answers, ITEMS, 0.95).unwrap().findings();
    findings.into_iter().filter(|one| one.severity > Severity::Note).collect()
}

#[track_caller]
fn only(found: &[Finding], code: &str, words: &[&str]) {
    let codes: Vec<&str> = found.iter().map(|one| one.code).collect();
    assert_eq!(codes, [code], "{found:?}");
    for word in words {
        assert!(found[0].message.contains(word), "'{word}' is not in: {}", found[0].message);
    }
}

#[test]
fn honest_people_raise_no_alarm_beyond_one_in_twenty() {
    let alarms = (0..60)
        .filter(|seed| !Told::answered(*seed, |_, _, first, _| first).flagged().is_empty())
        .count();
    // 3 expected at most, ± 1.7.
    assert!(alarms <= 8, "{alarms} of 60");
}

#[test]
fn a_left_clicker_is_named() {
    let told = Told::answered(1, |_, who, first, a_left| if who == 2 { a_left } else { first });
    let found = told.flagged();
    assert!(
        found
            .iter()
            .any(|one| one.code == "leaning-annotator" && one.message.contains("by cem")),
        "{found:?}"
    );
    assert!(
        found
            .iter()
            .all(|one| one.code.starts_with("leaning") || one.message.contains("cem")),
        "{found:?}"
    );
    assert_eq!(found[0].severity, Severity::Serious);
    let report = Diagnosis::new(&told.answers(), ITEMS, 0.95).unwrap().annotators.unwrap();
    assert_eq!(report.annotators[2].picked_left.unwrap().value, 1.0);
    assert!(report.annotators[0].picked_left.unwrap().holds(0.5));
}

#[test]
fn a_key_held_down_is_named() {
    let told = Told::answered(2, |told, who, first, a_left| {
        let mine = told.who.iter().filter(|one| **one == 1).count();
        if who == 1 && (100..130).contains(&mine) { a_left } else { first }
    });
    only(&told.flagged(), "one-key", &["ben picked the same side 3", "in a row"]);
}

#[test]
fn a_copycat_is_named_with_the_one_who_was_copied() {
    let mut told = Told::answered(3, |_, _, first, _| first);
    for at in 0..told.pairs.len() {
        if told.who[at] == 0 {
            let (a, b) = told.pairs[at];
            let a_left = chance(&mut told.rng, 0.5);
            told.add((a, b), 4, true, a_left, 4.0);
        }
    }
    only(&told.flagged(), "copied-annotator", &["ann and eva gave the same answer to 99 %", "copied"]);
}

#[test]
fn pasted_rows_are_found_by_their_times_or_as_a_block() {
    let mut told = Told::answered(4, |_, _, first, _| first);
    for at in 200..400 {
        told.pairs.push(told.pairs[at]);
        told.who.push(told.who[at]);
        told.left.push(told.left[at]);
        told.times.push(told.times[at]);
    }
    only(&told.flagged(), "pasted-rows", &["200 rows occur twice", "such as answers 201 and"]);
    // Without anything but the two items.
    let bare: Answers = told.pairs.iter().copied().collect();
    only(&flagged(&bare), "pasted-rows", &["200 rows occur twice"]);
    // Asked again in the same order, and answered anew: no copy.
    let mut again = Told::answered(5, |_, _, first, _| first);
    for at in 200..400 {
        let pair = again.pairs[at];
        let first = again.honest(pair);
        let (who, a_left) = (again.who[at], chance(&mut again.rng, 0.5));
        again.add(pair, who, first, a_left, 4.0);
    }
    let bare: Answers = again.pairs.iter().copied().collect();
    assert_eq!(flagged(&bare), []);
}

#[test]
fn haste_is_named_and_times_that_cannot_be_read_are_said() {
    let mut told = Told::answered(6, |_, _, first, _| first);
    for at in 0..told.times.len() {
        told.times[at] *= if told.who[at] == 3 { 0.1 } else { 1.0 };
    }
    only(&told.flagged(), "too-fast", &["dia takes 0.", "the others 4"]);
    let spoken: Texts = told.times.iter().map(|_| "noon").collect();
    let answers = told.answers().at(spoken).unwrap();
    let findings = Diagnosis::new(&answers, ITEMS, 0.95).unwrap().findings();
    let said = findings.iter().find(|one| one.code == "times-unreadable").unwrap();
    assert!(said.message.contains("such as 'noon'") && said.severity == Severity::Note, "{said:?}");
}

#[test]
fn a_leaning_that_comes_with_time_is_drift() {
    let told = Told::answered(7, |told, _, first, a_left| {
        if told.pairs.len() > 1000 && chance(&mut told.rng, 0.4) { a_left } else { first }
    });
    let found = told.flagged();
    assert!(found.iter().any(|one| one.code == "drift" && one.message.contains("left item")), "{found:?}");
}

#[test]
fn people_with_one_answer_each_are_said_to_tell_nothing() {
    let answers: Answers = (0..100).map(|k| (2 * k, 2 * k + 1)).collect();
    let names: Texts = (0..100).map(|k| format!("p{k}")).collect();
    let answers = answers.by(Annotators { names, of: (0..100).collect() }).unwrap();
    let findings = Diagnosis::new(&answers, ITEMS, 0.95).unwrap().findings();
    assert!(findings.iter().any(|one| one.code == "one-answer-each"), "{findings:?}");
    assert!(
        findings
            .iter()
            .all(|one| one.severity == Severity::Note || one.code == "few-comparisons")
    );
}

#[test]
fn a_small_difference_is_not_serious_however_significant() {
    // Everybody answers every pair; one errs in 15 %, the others never.
    let mut told = Told::new(8);
    for _ in 0..4000 {
        let pair = told.pair();
        for who in 0..5 {
            let wrong = who == 4 && chance(&mut told.rng, 0.15);
            let first = told.honest(pair) != (wrong && pair.0 % 2 != pair.1 % 2);
            let a_left = chance(&mut told.rng, 0.5);
            told.add(pair, who, first, a_left, 4.0);
        }
    }
    only(&told.flagged(), "annotator-stands-out", &["eva agrees with the others on 6", "errs more often"]);
    assert_eq!(told.flagged()[0].severity, Severity::Warning);
}
