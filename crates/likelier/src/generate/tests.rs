//! What is drawn: counts, orders, and what is refused.

use super::*;
use crate::random::{Purpose, stream};

fn labels(positives: usize, negatives: usize) -> (Vec<Label>, Vec<u32>) {
    let labels: Vec<Label> = (0..positives + negatives)
        .map(|row| Label::positive_if(row < positives))
        .collect();
    let pool = (0..labels.len() as u32).collect();
    (labels, pool)
}

fn recipe(prior: f64, protocol: Protocol, pairs: usize, sampling: Sampling) -> Recipe<'static> {
    let prior = Prior::new(prior).unwrap();
    Recipe { prior, protocol, pairs, sampling, degrees: None }
}

fn recorded(generated: &Generated) -> &[(u32, u32)] {
    match &generated.evidence {
        Evidence::Answers(answers) => answers.pairs(),
        Evidence::Piles(_) => panic!("no pairs"),
    }
}

fn flipped(generated: Generated) -> LoosePiles {
    match generated.evidence {
        Evidence::Piles(piles) => piles,
        Evidence::Answers(_) => panic!("no piles"),
    }
}

fn cell_counts(labels: &[Label], pairs: &[(u32, u32)]) -> [[usize; 2]; 2] {
    let mut cells = [[0; 2]; 2];
    for &(row, other) in pairs {
        let [y, y_other] = [row, other].map(|r| usize::from(!labels[r as usize].is_positive()));
        cells[y][y_other] += 1;
    }
    cells
}

#[test]
fn exact_counts_are_the_benchmarks_and_use_no_row_twice() {
    let (labels, pool) = labels(2500, 2500);
    let recipe = recipe(0.5, Protocol::DISCARD, 1000, Sampling::ExactCounts);
    let mut rng = stream(1, Purpose::Comparisons);
    let generated = draw(&labels, &pool, &recipe, &mut rng).unwrap();
    assert_eq!(cell_counts(&labels, recorded(&generated)), [[333, 333], [0, 334]]);
    assert_eq!(generated.shown, None);
    let mut rows: Vec<u32> = recorded(&generated).iter().flat_map(|(a, b)| [*a, *b]).collect();
    rows.sort_unstable();
    rows.dedup();
    assert_eq!(rows.len(), 2000);
}

#[test]
fn exact_counts_follow_forced_choice_and_labeller_error() {
    let (labels, pool) = labels(2000, 2000);
    let protocol = Protocol::new(Collection::ForcedChoice, 0.1).unwrap();
    let recipe = recipe(0.5, protocol, 1000, Sampling::ExactCounts);
    let mut rng = stream(1, Purpose::Comparisons);
    let generated = draw(&labels, &pool, &recipe, &mut rng).unwrap();
    assert_eq!(cell_counts(&labels, recorded(&generated)), [[250, 450], [50, 250]]);
}

#[test]
fn too_few_rows_say_how_many_pairs_are_possible_and_that_many_work() {
    let (labels, pool) = labels(30, 500);
    let asked = recipe(0.5, Protocol::DISCARD, 200, Sampling::ExactCounts);
    let mut rng = stream(1, Purpose::Comparisons);
    let error = draw(&labels, &pool, &asked, &mut rng).unwrap_err();
    let Error::TooFewRows { class, available, needed, possible, .. } = error else { panic!("{error}") };
    assert_eq!((class, available, needed), (Label::Positive, 30, 198));
    let with = |pairs| Recipe { pairs, ..asked };
    assert!(draw(&labels, &pool, &with(possible), &mut rng).is_ok());
    assert!(draw(&labels, &pool, &with(possible + 1), &mut rng).is_err());
    assert_eq!(most_pairs(&labels, &pool, &asked).unwrap(), possible);
}

#[test]
fn independent_draws_need_two_rows_of_each_class() {
    let (labels, pool) = labels(1, 5);
    let recipe = recipe(0.5, Protocol::DISCARD, 10, Sampling::Independent);
    let error = draw(&labels, &pool, &recipe, &mut stream(1, Purpose::Comparisons));
    assert!(matches!(error, Err(Error::TooFewOfClass { class: Label::Positive, .. })));
}

#[test]
fn impossible_numbers_and_lists_are_refused() {
    let (labels, pool) = labels(5, 5);
    let mut rng = stream(1, Purpose::Comparisons);
    for sampling in [Sampling::Independent, Sampling::ExactCounts] {
        for pairs in [0, usize::MAX, 1_000_000_000_000] {
            let recipe = recipe(0.5, Protocol::DISCARD, pairs, sampling);
            assert!(matches!(draw(&labels, &pool, &recipe, &mut rng), Err(Error::Setting { .. })));
        }
    }
    let none = recipe(0.5, Protocol::DISCARD, 0, Sampling::Pointwise);
    assert!(draw(&labels, &pool, &none, &mut rng).is_err());
    let recipe = recipe(0.5, Protocol::DISCARD, 4, Sampling::Independent);
    let twice = draw(&labels, &[0, 0, 5, 6], &recipe, &mut rng);
    assert!(matches!(twice, Err(Error::TooFewOfClass { .. })), "one row, listed twice");
    assert!(matches!(draw(&labels, &[0, 99], &recipe, &mut rng), Err(Error::NoSuchItem { .. })));
    let short = Recipe { degrees: Some(&[0.5]), ..recipe };
    assert!(matches!(draw(&labels, &pool, &short, &mut rng), Err(Error::Mismatch { .. })));
}

#[test]
fn no_row_is_compared_with_itself() {
    let (labels, pool) = labels(2, 2);
    for protocol in [Protocol::DISCARD, Protocol::FORCED_CHOICE] {
        let recipe = recipe(0.5, protocol, 500, Sampling::Independent);
        let mut rng = stream(1, Purpose::Comparisons);
        let generated = draw(&labels, &pool, &recipe, &mut rng).unwrap();
        assert!(recorded(&generated).iter().all(|(row, other)| row != other));
    }
}

#[test]
fn a_labeller_who_sees_degrees_orders_same_class_pairs_by_them() {
    let (labels, pool) = labels(50, 50);
    let scores: Vec<f32> = (0..100_u8).map(|row| f32::from(row % 17)).collect();
    for sampling in [Sampling::Independent, Sampling::ExactCounts] {
        for protocol in [Protocol::DISCARD, Protocol::FORCED_CHOICE] {
            let recipe = Recipe { degrees: Some(&scores), ..recipe(0.5, protocol, 40, sampling) };
            let mut rng = stream(1, Purpose::Comparisons);
            let generated = draw(&labels, &pool, &recipe, &mut rng).unwrap();
            let mut same = 0;
            for &(row, other) in recorded(&generated) {
                if labels[row as usize] == labels[other as usize] {
                    same += 1;
                    assert!(scores[row as usize] >= scores[other as usize]);
                } else {
                    assert!(labels[row as usize].is_positive(), "no labeller error was asked for");
                }
            }
            assert!(same > 5, "{same} same-class pairs");
        }
    }
}

#[test]
fn a_seed_gives_the_same_comparisons_forever() {
    let (labels, pool) = labels(20, 20);
    let recipe = recipe(0.5, Protocol::FORCED_CHOICE, 6, Sampling::Independent);
    let mut rng = stream(11, Purpose::Comparisons);
    let generated = draw(&labels, &pool, &recipe, &mut rng).unwrap();
    assert_eq!(recorded(&generated), [(0, 31), (27, 30), (6, 5), (36, 28), (15, 31), (17, 5)]);
}

#[test]
fn a_seed_gives_the_same_exact_counts_and_flips_forever() {
    let (labels, pool) = labels(20, 20);
    let recipe = recipe(0.5, Protocol::DISCARD, 6, Sampling::ExactCounts);
    let mut rng = stream(11, Purpose::Comparisons);
    let generated = draw(&labels, &pool, &recipe, &mut rng).unwrap();
    assert_eq!(recorded(&generated), [(26, 39), (11, 38), (20, 37), (3, 7), (15, 14), (8, 22)]);
    let flip = Recipe { sampling: Sampling::Pointwise, pairs: 5, ..recipe };
    let piles = flipped(draw(&labels, &pool, &flip, &mut rng).unwrap());
    assert_eq!((piles.likelier, piles.other), (vec![6, 39, 29], vec![13, 34, 12, 22, 19, 9, 33]));
}

#[test]
fn whole_expected_counts_are_not_lost_to_rounding() {
    let (labels, pool) = labels(5000, 5000);
    // At 0.8 and 21 pairs the product for (+, −) comes out as 3.999…9.
    for (prior, pairs) in [(0.8, 21), (0.5, 300), (0.2, 2100)] {
        let recipe = recipe(prior, Protocol::DISCARD, pairs, Sampling::ExactCounts);
        let mut rng = stream(1, Purpose::Comparisons);
        let generated = draw(&labels, &pool, &recipe, &mut rng).unwrap();
        let cells = cell_counts(&labels, recorded(&generated));
        let joint = recipe.protocol.label_joint(recipe.prior);
        for (count, share) in cells.as_flattened().iter().zip(joint.as_flattened()) {
            let expected = share * pairs as f64;
            if (expected - expected.round()).abs() < 1e-9 {
                assert_eq!(*count as f64, expected.round(), "{pairs} pairs at {prior}");
            }
        }
    }
}

#[test]
fn the_scarcer_class_limits_the_pairs_whichever_it_is() {
    for (positives, negatives) in [(40, 4000), (4000, 40)] {
        let (labels, pool) = labels(positives, negatives);
        let asked = recipe(0.5, Protocol::FORCED_CHOICE, 500, Sampling::ExactCounts);
        let mut rng = stream(1, Purpose::Comparisons);
        let Err(Error::TooFewRows { possible, available, .. }) = draw(&labels, &pool, &asked, &mut rng)
        else {
            panic!("there are too few rows")
        };
        // Each pair takes one row of each class on average.
        assert_eq!(available, 40);
        assert!((38..=42).contains(&possible), "{possible}");
    }
}

#[test]
fn flipped_labels_make_other_piles_than_pairs_do() {
    let (labels, pool) = labels(20_000, 80_000);
    let recipe = recipe(0.2, Protocol::DISCARD, 50_000, Sampling::Pointwise);
    let mut rng = stream(1, Purpose::Comparisons);
    let piles = flipped(draw(&labels, &pool, &recipe, &mut rng).unwrap());
    let positives = piles.likelier.iter().filter(|&&row| labels[row as usize].is_positive()).count();
    let share = positives as f64 / piles.likelier.len() as f64;
    // ρ₊ = 1/6, ρ₋ = 4/9: 0.2·5/6 / (0.2·5/6 + 0.8·4/9) = 0.319; drawing pairs gives 0.238.
    assert!((share - 0.319).abs() < 0.01, "{share}");
    assert_eq!(piles.likelier.len() + piles.other.len(), 100_000);
    let sampled = piles.likelier.iter().chain(&piles.other);
    let positives = sampled.filter(|row| labels[**row as usize].is_positive()).count();
    assert_eq!(positives, 20_000, "the sample has the prior");
}

#[test]
fn flipping_more_rows_than_there_are_is_refused() {
    let (labels, pool) = labels(10, 100);
    let recipe = recipe(0.5, Protocol::DISCARD, 25, Sampling::Pointwise);
    let mut rng = stream(1, Purpose::Comparisons);
    assert_eq!(most_pairs(&labels, &pool, &recipe).unwrap(), 10);
    let error = draw(&labels, &pool, &recipe, &mut rng).unwrap_err();
    assert_eq!(error.to_string(), "25 positive rows are needed to draw from, but there are 10");
}
