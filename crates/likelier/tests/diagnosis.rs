//! Diagnoses of made-up comparisons whose faults are known.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use likelier::Answers;
use likelier::data::{Annotators, ShownSide, Texts};
use likelier::estimate::diagnosis::{Diagnosis, Finding, Severity};
use likelier::random::{Purpose, below, chance, stream};
use proptest::prelude::*;

fn diagnose(items: usize, pairs: &[(u32, u32)]) -> Diagnosis {
    Diagnosis::new(&pairs.iter().copied().collect(), items, 0.95).unwrap()
}

fn side(left: bool) -> ShownSide {
    if left { ShownSide::Left } else { ShownSide::Right }
}

#[track_caller]
fn finding<'a>(findings: &'a [Finding], code: &str) -> &'a Finding {
    let found = findings.iter().find(|finding| finding.code == code);
    assert!(found.is_some(), "no {code} in {findings:?}");
    found.unwrap()
}

#[test]
fn contradictions_repetitions_circles_and_islands_are_counted() {
    // 0 > 1 > 2 > 0 is a circle, 3 and 4 contradict each other, 5 > 6 twice, 7 with itself, 8 and 9 alone.
    let pairs = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 3), (5, 6), (5, 6), (7, 7)];
    let found = diagnose(10, &pairs);
    assert_eq!((found.items, found.comparisons, found.with_itself, found.pairs), (10, 8, 1, 5));
    assert_eq!((found.repeated_pairs, found.contradicted_pairs), (2, 1));
    assert_eq!((found.asked_again.answers, found.asked_again.disagreements), (2, 1));
    assert_eq!((found.knots, found.largest_knot), (2, 3));
    assert_eq!((found.never_compared, found.islands, found.largest_island), (2, 4, 3));
    let findings = found.findings();
    assert!(findings.is_sorted_by_key(|finding| std::cmp::Reverse(finding.severity)));
    assert!(finding(&findings, "cycles").message.contains("the largest of 3 items (38 %"));
    assert!(
        finding(&findings, "contradictions")
            .message
            .contains("of 2 repeated answers 1 differ")
    );
    assert_eq!(finding(&findings, "few-comparisons").severity, Severity::Warning);
    for code in ["item-with-itself", "never-compared", "islands", "no-annotators", "no-ties", "no-sides"] {
        finding(&findings, code);
    }
}

#[test]
fn a_tie_is_neither_a_contradiction_nor_part_of_a_circle() {
    let answers = Answers::from_iter([(0, 1), (1, 0), (1, 2), (2, 0)])
        .tied(vec![false, true, true, false])
        .unwrap()
        .shown([true, false, true, true].map(|left| Some(side(left))).to_vec())
        .unwrap();
    let found = Diagnosis::new(&answers, 3, 0.95).unwrap();
    assert_eq!((found.contradicted_pairs, found.knots, found.repeated_pairs), (0, 0, 1));
    assert_eq!(found.asked_again.answers, 0);
    assert_eq!(found.ties.unwrap().value, 0.5);
    assert_eq!(found.picked_left.unwrap().value, 1.0);
    assert!(finding(&found.findings(), "ties").message.starts_with("50 % were called ties"));
    finding(&found.findings(), "no-cycles");
}

#[test]
fn an_annotator_who_answers_the_other_way_round_stands_out() {
    let mut rng = stream(1, Purpose::Comparisons);
    let (mut pairs, mut of, mut left) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..600 {
        let (a, b) = (below(&mut rng, 100) as u32, 100 + below(&mut rng, 100) as u32);
        for who in 0..3 {
            // Cem has read the question the other way round.
            let right = chance(&mut rng, 0.8) != (who == 2);
            pairs.push(if right { (a, b) } else { (b, a) });
            of.push(who);
            left.push(Some(side(chance(&mut rng, 0.7))));
        }
    }
    let annotators = Annotators { of, names: Texts::from_iter(["ann", "ben", "cem"]) };
    let answers = Answers::from_iter(pairs).by(annotators).unwrap().shown(left).unwrap();
    let found = Diagnosis::new(&answers, 200, 0.95).unwrap();
    let report = found.annotators.as_ref().unwrap();
    let out: Vec<&str> = report
        .annotators
        .iter()
        .filter(|one| one.stands_out)
        .map(|one| &*one.name)
        .collect();
    assert_eq!(out, ["cem"]);
    assert!(report.annotators.iter().all(|one| one.comparisons == 600 && one.shared > 500));
    assert!(report.annotators.iter().all(|one| one.leans), "70 % on the left, of everybody");
    let findings = found.findings();
    let message = &finding(&findings, "annotator-stands-out").message;
    assert!(message.starts_with("cem agrees") && message.contains("other way round"), "{message}");
    assert_eq!(finding(&findings, "leaning").severity, Severity::Serious);
    let json = serde_json::to_value(&found).unwrap();
    assert_eq!(json["annotators"]["annotators"][2]["name"], "cem");
    assert_eq!(json["picked_left"]["level"], 0.95);
}

#[test]
fn of_many_people_without_a_leaning_somebody_is_said_to_lean_in_one_of_twenty_data_sets() {
    let mut rng = stream(2, Purpose::Comparisons);
    let (people, each, repeats) = (10, 150, 200);
    let mut flagged = 0;
    for _ in 0..repeats {
        let pairs: Vec<_> = (0..people * each).map(|at| (2 * at, 2 * at + 1)).collect();
        let left = pairs.iter().map(|_| Some(side(chance(&mut rng, 0.5)))).collect();
        let of = (0..people * each).map(|at| at % people).collect();
        let names = (0..people).map(|who| format!("person {who}"));
        let annotators = Annotators { of, names: names.collect() };
        let answers = Answers::from_iter(pairs).by(annotators).unwrap().shown(left).unwrap();
        let found = Diagnosis::new(&answers, 2 * (people * each) as usize, 0.95).unwrap();
        flagged += usize::from(found.annotators.unwrap().annotators.iter().any(|one| one.leans));
    }
    // At most 10 expected, ± 3.1.
    assert!(flagged <= 20, "{flagged} of {repeats}");
}

#[test]
fn one_annotator_and_nothing_shared_are_said() {
    let codes = |of: &[u32]| {
        let annotators = Annotators { of: of.to_vec(), names: Texts::from_iter(["ann", "ben"]) };
        let answers = Answers::from_iter([(0, 1), (2, 3)]).by(annotators).unwrap();
        let findings = Diagnosis::new(&answers, 4, 0.95).unwrap().findings();
        findings.into_iter().map(|finding| finding.code).collect::<Vec<_>>()
    };
    assert!(codes(&[0, 0]).contains(&"one-annotator"));
    assert!(codes(&[0, 1]).contains(&"nothing-shared"));
}

#[test]
fn answers_without_a_name_are_somebodys_too() {
    let annotators = Annotators { of: vec![0, 1, 1], names: Texts::from_iter(["ann", ""]) };
    let answers = Answers::from_iter([(0, 1), (0, 1), (2, 3)]).by(annotators).unwrap();
    let report = Diagnosis::new(&answers, 4, 0.95).unwrap().annotators.unwrap();
    let each: Vec<_> = report
        .annotators
        .iter()
        .map(|one| (&*one.name, one.comparisons, one.shared))
        .collect();
    assert_eq!(each, [("ann", 1, 1), ("(nobody)", 2, 1)]);
    assert_eq!(report.agreement.unwrap().value, 1.0);
}

#[test]
fn what_was_not_seen_is_not_counted_as_a_side() {
    let answers = Answers::from_iter([(0, 1), (1, 2), (2, 3), (0, 3)]);
    let sides = vec![Some(side(true)), None, Some(side(false)), Some(side(true))];
    let tied = answers.clone().tied(vec![false, false, false, true]).unwrap();
    let picked = |answers: Answers| Diagnosis::new(&answers, 4, 0.95).unwrap().picked_left;
    assert!(
        (picked(answers.clone().shown(sides.clone()).unwrap()).unwrap().value - 2.0 / 3.0).abs() < 1e-12
    );
    assert_eq!(picked(tied.shown(sides).unwrap()).unwrap().value, 0.5, "of a tie neither is picked");
    assert_eq!(picked(answers.shown(vec![None; 4]).unwrap()), None);
}

#[test]
fn lists_that_do_not_fit_are_refused() {
    let answers = Answers::from_iter([(0, 1), (2, 3)]);
    let message = |answers: &Answers| Diagnosis::new(answers, 3, 0.95).unwrap_err().to_string();
    assert!(message(&answers).contains("item 3"));
    assert!(message(&Answers::default()).contains("empty"));
    let tied = answers.clone().tied(vec![true]).unwrap_err().to_string();
    assert_eq!(tied, "1 ties do not match 2 answers");
    let annotators = Annotators { of: vec![0, 1], names: Texts::from_iter(["ann"]) };
    let unknown = answers.clone().by(annotators).unwrap_err().to_string();
    assert!(unknown.contains("the number of an annotator"), "{unknown}");
    assert!(Diagnosis::new(&answers, 4, 0.0).is_err());
}

proptest! {
    #[test]
    fn islands_and_contradictions_are_those_of_the_definition(
        pairs in prop::collection::vec((0..8_u32, 0..8_u32), 1..15),
    ) {
        let found = diagnose(8, &pairs);
        // Islands by spreading labels until nothing changes.
        let mut label: Vec<u32> = (0..8).collect();
        for _ in 0..8 {
            for (a, b) in &pairs {
                let lowest = label[*a as usize].min(label[*b as usize]);
                label[*a as usize] = lowest;
                label[*b as usize] = lowest;
            }
        }
        let compared = |item: u32| pairs.iter().any(|(a, b)| *a == item || *b == item);
        let mut islands: Vec<u32> = (0..8).filter(|item| compared(*item)).map(|item| label[item as usize]).collect();
        let never = 8 - islands.len();
        islands.sort_unstable();
        let largest = islands.chunk_by(|a, b| a == b).map(<[u32]>::len).max().unwrap();
        islands.dedup();
        prop_assert_eq!((found.never_compared, found.islands, found.largest_island), (never, islands.len(), largest));
        let contradicted = (0..8_u32)
            .flat_map(|a| (0..a).map(move |b| (a, b)))
            .filter(|(a, b)| pairs.contains(&(*a, *b)) && pairs.contains(&(*b, *a)))
            .count();
        prop_assert_eq!(found.contradicted_pairs, contradicted);
        // Whoever contradicts himself runs in a circle.
        prop_assert!(contradicted == 0 || found.knots > 0);
    }
}
