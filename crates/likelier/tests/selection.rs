//! Choosing a model without labels, on simulated comparisons where the best candidate is known.

#![cfg(feature = "engine")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use std::sync::atomic::{AtomicUsize, Ordering};

use likelier::data::{Comparisons, Rows};
use likelier::estimate::selection::{
    Candidate, Dealing, Grid, Selection, SelectionRule, Yardstick, fit_each, out_of_fold, select,
};
use likelier::random::{Purpose, chance, stream, unit};
use likelier::risk::ThresholdRule;
use likelier::train::{Config, Control, Criterion, Data, EarlyStop, OptimiserKind, train};
use likelier::{Error, Method, Prior, Protocol};

/// Discard pairs between items whose first feature tells the class and whose second is noise.
fn pairs(count: u32, prior: f64) -> (Rows<'static>, Comparisons) {
    let mut rng = stream(6, Purpose::Comparisons);
    let mut values = Vec::new();
    while values.len() < 4 * count as usize {
        let (first, second) = (chance(&mut rng, prior), chance(&mut rng, prior));
        if first || !second {
            for positive in [first, second] {
                let centre = if positive { 1.0 } else { -1.0 };
                values.push((centre + 2.0 * (unit(&mut rng) - 0.5)) as f32);
                values.push((unit(&mut rng) - 0.5) as f32);
            }
        }
    }
    let comparisons = (0..count).map(|at| (2 * at, 2 * at + 1)).collect();
    (Rows::from_numbers(values, 2).unwrap(), comparisons)
}

fn config(method: Method) -> Config {
    Config { epochs: 40, ..Config::new(method, Prior::new(0.4).unwrap(), Protocol::DISCARD) }
}

fn candidate(name: &str, config: Config) -> Candidate {
    Candidate { name: name.into(), config }
}

fn choose(pairs: &(Rows<'_>, Comparisons), candidates: &[Candidate], rule: &SelectionRule) -> Selection {
    let (dealing, control) = (Dealing::default(), Control::default());
    select(&pairs.0, &pairs.1, candidates, &dealing, rule, &control, |_, _| ()).unwrap()
}

#[test]
fn a_clearly_best_candidate_is_found_wherever_it_stands() {
    let data = pairs(1_500, 0.4);
    // The others hardly leave their random start.
    let idle = |seed| Config { learning_rate: 1e-7, seed, ..config(Method::PcompRelu) };
    let good = candidate("good", config(Method::PcompRelu));
    for place in 0..3 {
        let mut candidates = vec![candidate("idle", idle(1)), candidate("idle too", idle(2))];
        candidates.insert(place, good.clone());
        for yardstick in Yardstick::ALL {
            let found =
                choose(&data, &candidates, &SelectionRule { yardstick, ..SelectionRule::default() });
            assert_eq!((&*found.chosen, &*found.best), ("good", "good"), "{found:?}");
            assert_eq!(found.of(&candidates), Some(&good));
            let standings = found.candidates.iter().map(|one| one.standing.unwrap());
            let [default, chosen] = [0, place].map(|at| standings.clone().nth(at).unwrap());
            assert_eq!((default.ahead, default.standard_error), (0.0, 0.0));
            assert!(place == 0 || chosen.ahead > found.needed_errors * chosen.standard_error);
            for standing in standings {
                let apart = default.value.value - standing.value.value;
                assert!((apart - standing.ahead).abs() < 1e-9, "ahead is the difference of the values");
            }
            assert!(
                (found.needed_errors - 1.959_964).abs() < 1e-5,
                "two challengers share a level of 0.05"
            );
        }
    }
}

#[test]
fn what_is_not_clearly_better_leaves_the_default_in_place() {
    let data = pairs(600, 0.4);
    let rate = |learning_rate| Config { learning_rate, ..config(Method::PcompRelu) };
    let same = [candidate("first", rate(0.01)), candidate("second", rate(0.01))];
    let found = choose(&data, &same, &SelectionRule::default());
    assert_eq!((&*found.chosen, &*found.default, &*found.best), ("first", "first", "first"));
    // The better of two is chosen where it is clearly better, whichever is the default, and only then.
    let some = [candidate("slow", rate(0.000_3)), candidate("good", rate(0.01))];
    let turned = [some[1].clone(), some[0].clone()];
    let at = |level| SelectionRule { level, ..SelectionRule::default() };
    for candidates in [&some, &turned] {
        let found = choose(&data, candidates, &at(0.05));
        assert_eq!((&*found.chosen, &*found.best), ("good", "good"), "{found:?}");
        assert_eq!(choose(&data, candidates, &at(1e-300)).chosen, candidates[0].name);
    }
}

#[test]
fn the_standard_error_allows_for_models_that_share_training_comparisons() {
    // Paired differences by hand: no item occurs twice, so each comparison is a group of its own.
    let (rows, comparisons) = pairs(400, 0.4);
    let rate = |learning_rate| Config { learning_rate, ..config(Method::PcompRelu) };
    let candidates = [candidate("slow", rate(0.001)), candidate("good", rate(0.01))];
    let (dealing, control) = (Dealing::default(), Control::default());
    let judged = out_of_fold(&rows, &comparisons, &candidates, &dealing, &control, |_, _| ()).unwrap();
    let found = judged.choose(&SelectionRule::default()).unwrap();
    let values: Vec<Vec<f64>> = judged
        .margins()
        .iter()
        .map(|margins| {
            let margins = margins.as_ref().unwrap();
            let pairs = margins.likelier().iter().zip(margins.other());
            // −ln of (1 − p′ + pp′)/((1 − p′ + pp′) + (1 − p + pp′)).
            let p = |score: f32| 1.0 / (1.0 + (-f64::from(score)).exp());
            let kept = |a: f64, b: f64| 1.0 - b + a * b;
            pairs
                .map(|(a, b)| [p(*a), p(*b)])
                .map(|[a, b]| -(kept(a, b) / (kept(a, b) + kept(b, a))).ln())
                .collect()
        })
        .collect();
    let differences: Vec<f64> = values[0].iter().zip(&values[1]).map(|(a, b)| a - b).collect();
    let mean = differences.iter().sum::<f64>() / 400.0;
    let variance = differences.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / 399.0 / 400.0;
    let standing = found.candidates[1].standing.unwrap();
    assert!((standing.ahead - mean).abs() < 1e-6, "{} is not {mean}", standing.ahead);
    // 400 answers in all, 320 of which a model is trained on.
    let expected = (variance * (1.0 + 400.0 / 320.0)).sqrt();
    assert!((standing.standard_error / expected - 1.0).abs() < 1e-4, "{standing:?} is not {expected}");
}

#[test]
fn the_result_is_the_same_for_any_number_of_threads() {
    let (rows, comparisons) = pairs(300, 0.4);
    let candidates = Grid {
        methods: vec![Method::PcompRelu, Method::RankPruning, Method::Likelihood],
        epochs: vec![15, 40],
        ..Grid::around(config(Method::PcompRelu))
    }
    .candidates();
    let run = |threads| {
        let (control, seen) =
            (Control { threads: Some(threads), ..Control::default() }, AtomicUsize::new(0));
        let observe = |done: usize, all: usize| {
            assert!(all == 15 && (1..=all).contains(&done));
            seen.fetch_add(done, Ordering::Relaxed);
        };
        let found =
            out_of_fold(&rows, &comparisons, &candidates, &Dealing::default(), &control, observe).unwrap();
        assert_eq!(seen.into_inner(), 15 * 16 / 2, "each of 15 trainings is told once");
        found
    };
    let (one, two) = (run(1), run(2));
    assert_eq!(one, two);
    assert_eq!(
        one.choose(&SelectionRule::default()).unwrap(),
        two.choose(&SelectionRule::default()).unwrap()
    );
}

#[test]
fn one_run_for_many_epochs_and_thresholds_gives_what_each_alone_would() {
    let (rows, comparisons) = pairs(200, 0.4);
    let base = config(Method::PcompRelu);
    let mut candidates = Grid {
        epochs: vec![12, 30],
        thresholds: vec![None, Some(ThresholdRule::PriorQuantile)],
        ..Grid::around(base.clone())
    }
    .candidates();
    let early_stop = Some(EarlyStop { share: 0.2, criterion: Criterion::Risk, patience: Some(3) });
    candidates.push(candidate("stops early", Config { early_stop, ..base }));
    let together = fit_each(&rows, &comparisons, &candidates, &Control::default()).unwrap();
    let data = Data { rows: &rows, piles: comparisons.piles(), labels: None };
    for (candidate, classifier) in candidates.iter().zip(&together) {
        assert_eq!(*classifier, train(&data, &candidate.config).unwrap());
    }
    assert_eq!(together.len(), 5);
}

#[test]
fn a_candidate_that_breaks_down_is_not_chosen_and_does_no_harm() {
    let data = pairs(300, 0.4);
    // With a plain gradient step of this length the scores leave all bounds.
    let wild = Config {
        optimiser: OptimiserKind::Sgd { momentum: 0.9 },
        learning_rate: 1e30,
        ..config(Method::PcompUnbiased)
    };
    let candidates = [candidate("wild", wild.clone()), candidate("good", config(Method::PcompRelu))];
    let found = choose(&data, &candidates, &SelectionRule::default());
    assert_eq!((&*found.chosen, &*found.best, found.candidates[0].standing), ("good", "good", None));
    assert_eq!(found.default, "good", "the first that can be trained");
    let alone = choose(&data, &candidates[1..], &SelectionRule::default());
    assert_eq!(found.candidates[1], alone.candidates[0]);
    let (dealing, control) = (Dealing::default(), Control::default());
    let error = select(
        &data.0,
        &data.1,
        &[candidate("wild", wild)],
        &dealing,
        &SelectionRule::default(),
        &control,
        |_, _| (),
    );
    assert!(matches!(error, Err(Error::Diverged { .. })), "{error:?}");
}

#[test]
fn too_few_comparisons_are_refused_before_anything_is_trained() {
    let candidates = [candidate("only", config(Method::PcompRelu))];
    let error = |count, dealing: Dealing| {
        let (rows, comparisons) = pairs(count, 0.4);
        let untrained = |_, _| panic!("something was trained");
        select(
            &rows,
            &comparisons,
            &candidates,
            &dealing,
            &SelectionRule::default(),
            &Control::default(),
            untrained,
        )
        .unwrap_err()
    };
    let message = error(4, Dealing::default()).to_string();
    assert_eq!(
        message,
        "the number of folds must be at least 2 and at most the number of comparisons, got 5"
    );
    assert!(matches!(error(9, Dealing::default()), Error::TooFewComparisons { found: 9, needed: 10 }));
    let too_many = Dealing { folds: 11, ..Dealing::default() };
    assert!(matches!(error(10, too_many), Error::Setting { name: "the number of folds", .. }));
}

#[test]
fn a_level_that_is_none_is_refused() {
    let (rows, comparisons) = pairs(20, 0.4);
    let candidates = [candidate("only", config(Method::PcompRelu))];
    let (dealing, control) = (Dealing::default(), Control::default());
    let found = out_of_fold(&rows, &comparisons, &candidates, &dealing, &control, |_, _| ()).unwrap();
    for level in [-1.0, 0.0, 1.0, f64::NAN, f64::INFINITY] {
        assert!(found.choose(&SelectionRule { level, ..SelectionRule::default() }).is_err());
    }
}
