use super::*;
use crate::data::{Answers, Column, Features, NumberRule};
use crate::model::{
    Architecture, ModelKind, ProbabilityMap, Scaling, ScalingKind, TrainingSummary, Weights,
};
use crate::random::unit;
use crate::risk::{Method, Setting};
use crate::{FitOptions, Prior, Protocol, Supervision, fit};

/// A linear classifier with these weights, of features that are taken as they are.
fn linear(weights: &[f32], features: Features) -> Classifier {
    let rows = Rows::from_numbers(vec![0.0; weights.len()], weights.len()).unwrap();
    Classifier {
        architecture: Architecture::Linear,
        weights: Weights { parameters: [weights, &[0.0]].concat(), buffers: Vec::new() },
        features,
        scaling: Scaling::fit(ScalingKind::None, &rows, &[]),
        threshold: 0.0,
        method: Method::PcompRelu,
        setting: Setting::new(Prior::new(0.5).unwrap(), Protocol::FORCED_CHOICE),
        probability: ProbabilityMap::plain(0.0),
        summary: TrainingSummary {
            comparisons: 1,
            held_out_comparisons: 0,
            epoch: 1,
            held_out: None,
            seed: 0,
            fallback: None,
        },
        version: "0.1.0".into(),
    }
}

fn random_rows(count: usize, width: usize) -> Rows<'static> {
    let mut rng = stream(5, Purpose::Comparisons);
    // Few different values, so that some scores are equal.
    let values = (0..count * width).map(|_| (4.0 * unit(&mut rng)).floor() as f32).collect();
    Rows::from_numbers(values, width).unwrap()
}

/// Each row with the next one: the one with the larger first feature is likelier.
fn ordered_by_the_first(rows: &Rows) -> Comparisons {
    let mut row = vec![0.0; rows.width()];
    let mut first = |at: usize| {
        rows.copy_row(at, &mut row);
        row[0]
    };
    (0..rows.len() - 1)
        .filter_map(|at| {
            let (one, two) = (first(at), first(at + 1));
            let pair = (at as u32, at as u32 + 1);
            (one != two).then_some(if one > two { pair } else { (pair.1, pair.0) })
        })
        .collect()
}

const ENOUGH: (usize, u64) = (usize::MAX, 3);

fn importance(classifier: &Classifier, rows: &Rows, comparisons: &Comparisons) -> Importance {
    Importance::new(classifier, rows, comparisons, true, ENOUGH).unwrap().unwrap()
}

#[test]
fn the_whole_signal_has_almost_all_and_a_column_that_is_ignored_exactly_nothing() {
    let rows = random_rows(400, 3);
    let comparisons = ordered_by_the_first(&rows);
    let found = importance(&linear(&[1.0, 0.0, 0.01], Features::numbered(3)), &rows, &comparisons);
    assert_eq!(found.ordered, 1.0);
    let [first, second, third] = &found.columns[..] else { panic!("{found:?}") };
    // A shuffled column orders half of them by chance.
    assert_eq!(first.column, "f0");
    assert!((first.importance - 0.5).abs() < 0.05 && first.standard_error < 0.04, "{first:?}");
    let nothing =
        |name: &str| ColumnImportance { column: name.into(), importance: 0.0, standard_error: 0.0 };
    assert_eq!([second, third], [&nothing("f1"), &nothing("f2")], "the third never decides");
    assert_eq!((found.all_columns, found.shuffles, found.comparisons), (3, 10, comparisons.len()));
    assert!(found.items < 400, "some were never compared");
}

#[test]
fn a_network_does_not_depend_on_a_column_that_never_varies() {
    let mut values = Vec::new();
    let mut rng = stream(8, Purpose::Comparisons);
    for _ in 0..300 {
        values.extend([unit(&mut rng) as f32, 7.0, unit(&mut rng) as f32]);
    }
    let rows = Rows::from_numbers(values, 3).unwrap();
    let answers: Answers = ordered_by_the_first(&rows).iter().collect();
    let supervision = Supervision::new(answers)
        .protocol(Protocol::FORCED_CHOICE)
        .prior(Prior::new(0.5).unwrap());
    let options = FitOptions::new()
        .model(ModelKind::Mlp)
        .hidden(vec![8])
        .epochs(100)
        .learning_rate(0.01);
    let fitted = fit(&rows, &supervision, &options).unwrap();
    let found = fitted.importance(&rows).unwrap().unwrap();
    assert!(found.held_out && found.items < 300);
    assert_eq!(found.columns[0].column, "f0");
    let constant = found.columns.iter().find(|one| one.column == "f1").unwrap();
    assert_eq!((constant.importance, constant.standard_error), (0.0, 0.0));
    let rest: f64 = found.columns[1..].iter().map(|one| one.importance.abs()).sum();
    assert!(found.columns[0].importance > 0.2 && rest < 0.1, "{found:?}");
    // In folds, it is the classifier itself that is looked at, by what it was trained on.
    let in_folds = fit(&rows, &supervision, &FitOptions::new())
        .unwrap()
        .importance(&rows)
        .unwrap()
        .unwrap();
    assert!(!in_folds.held_out && in_folds.items == 300);
    let unjudged = fit(&rows, &supervision, &FitOptions::new().hold_out(0.0)).unwrap();
    assert!(unjudged.importance(&rows).unwrap().is_none());
}

/// A number, a category of two values, and a number with where it is missing.
fn mixed() -> Features {
    let category = Column::Category { name: "kind".into(), values: vec!["a".into(), "b".into()] };
    let rule = NumberRule { median: Some(1.0), missing: true, ..NumberRule::default() };
    let missing = Column::Number { name: "age".into(), rule };
    Features::new(vec![Column::number("size"), category, missing]).unwrap()
}

#[test]
fn columns_move_as_a_whole_and_the_numbers_are_those_of_a_plain_computation() {
    const WEIGHTS: [f32; 5] = [1.0, -2.0, 0.5, 0.25, 3.0];
    let rows = random_rows(60, 5);
    let comparisons = ordered_by_the_first(&rows);
    let weights: Vec<f32> = (0..comparisons.len()).map(|at| [0.5, 1.0, 2.0][at % 3]).collect();
    let comparisons = comparisons.weighted(weights.clone()).unwrap();
    let classifier = linear(&WEIGHTS, mixed());
    let found = importance(&classifier, &rows, &comparisons);

    let cells: Vec<Vec<f64>> = (0..60)
        .map(|at| {
            let mut row = [0.0; 5];
            rows.copy_row(at, &mut row);
            row.map(f64::from).to_vec()
        })
        .collect();
    let mut compared: Vec<u32> = comparisons.iter().flat_map(|(a, b)| [a, b]).collect();
    compared.sort_unstable();
    compared.dedup();
    let mut rng = stream(3, Purpose::Shuffles);
    let orders: Vec<Vec<u32>> = (0..10)
        .map(|_| {
            let mut order = compared.clone();
            shuffle(&mut rng, &mut order);
            order
        })
        .collect();
    let share = |score: &dyn Fn(u32) -> f64| {
        let (mut hits, mut total) = (0.0, 0.0);
        for ((a, b), weight) in comparisons.iter().zip(&weights) {
            let (a, b) = (score(a), score(b));
            hits += f64::from(*weight)
                * if a > b {
                    1.0
                } else if a == b {
                    0.5
                } else {
                    0.0
                };
            total += f64::from(*weight);
        }
        hits / total
    };
    let sum = |row: &[f64]| {
        row.iter()
            .zip(WEIGHTS)
            .map(|(cell, weight)| cell * f64::from(weight))
            .sum::<f64>()
    };
    let plain = share(&|row| sum(&cells[row as usize]));
    assert!((found.ordered - plain).abs() < 1e-12);
    let mut last = f64::INFINITY;
    for one in &found.columns {
        let features = match one.column.as_str() {
            "size" => 0..1,
            "kind" => 1..3,
            "age" => 3..5,
            other => panic!("{other}"),
        };
        let mut lost = 0.0;
        for order in &orders {
            lost += plain
                - share(&|row| {
                    let place = compared.iter().position(|item| *item == row).unwrap();
                    let mut moved = cells[row as usize].clone();
                    moved[features.clone()]
                        .copy_from_slice(&cells[order[place] as usize][features.clone()]);
                    sum(&moved)
                });
        }
        assert!((one.importance - lost / 10.0).abs() < 1e-12, "{one:?}: {}", lost / 10.0);
        assert!(one.importance <= last, "sorted");
        last = one.importance;
    }

    // Bytes and sparse rows say the same.
    let bytes: Vec<u8> = cells.concat().iter().map(|cell| *cell as u8).collect();
    for rows in [rows.to_sparse(), Rows::from_bytes(bytes, 5).unwrap()] {
        assert_eq!(importance(&classifier, &rows, &comparisons), found);
    }
}

#[test]
fn it_is_the_same_for_a_seed_and_any_number_of_threads() {
    let rows = random_rows(3000, 5);
    let comparisons = ordered_by_the_first(&rows);
    let classifier = linear(&[1.0, -2.0, 0.5, 0.25, 3.0], mixed());
    let with = |threads: usize, seed: u64| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            Importance::new(&classifier, &rows, &comparisons, true, (20_000, seed))
                .unwrap()
                .unwrap()
        })
    };
    let one = with(1, 7);
    assert_eq!(one, with(2, 7));
    assert_ne!(one, with(2, 8));
    assert!(one.items > 500 && one.items <= 20_000 / 31, "{}", one.items);
}

#[test]
fn the_standard_error_is_how_much_other_comparisons_and_shuffles_would_give() {
    // Of pairs between items that do not recur, about 62 % are ordered by the first feature.
    let classifier = linear(&[1.0, 0.0], Features::numbered(2));
    let found: Vec<(f64, f64)> = (0..60)
        .map(|run| {
            let mut rng = stream(run, Purpose::Comparisons);
            let rows = Rows::from_numbers((0..800).map(|_| unit(&mut rng) as f32).collect(), 2).unwrap();
            let ordered = ordered_by_the_first(&rows);
            let pairs = ordered.iter().filter(|(a, b)| a.min(b) % 2 == 0);
            let comparisons: Comparisons =
                pairs.map(|(a, b)| if unit(&mut rng) < 0.8 { (a, b) } else { (b, a) }).collect();
            let found = Importance::new(&classifier, &rows, &comparisons, true, (usize::MAX, run));
            let found = found.unwrap().unwrap();
            (found.columns[0].importance, found.columns[0].standard_error)
        })
        .collect();
    let count = found.len() as f64;
    let mean = found.iter().map(|(value, _)| value).sum::<f64>() / count;
    let spread =
        (found.iter().map(|(value, _)| (value - mean).powi(2)).sum::<f64>() / (count - 1.0)).sqrt();
    let error = found.iter().map(|(_, error)| error).sum::<f64>() / count;
    assert!((mean - 0.3).abs() < 0.02, "{mean}");
    // The standard deviation of 60 numbers is known to about 9 %.
    assert!((0.7..1.7).contains(&(error / spread)), "{error} said, {spread} found");
}

#[test]
fn wide_rows_are_looked_at_within_the_work_that_is_allowed() {
    let rows = random_rows(600, 300);
    let comparisons = ordered_by_the_first(&rows);
    let mut weights = vec![0.001; 300];
    weights[0] = 1.0;
    let classifier = linear(&weights, Features::numbered(300));
    let with = |work| Importance::new(&classifier, &rows, &comparisons, true, (work, 0)).unwrap();
    let found = with(90_000).unwrap();
    assert_eq!((found.columns.len(), found.all_columns), (LEFT, 300));
    assert_eq!(found.columns[0].column, "f0");
    assert!(found.columns[0].importance > 0.4 && found.columns[1].importance < 0.01);
    assert!(found.items >= 200 && found.items <= 45_000 / 201 && found.shuffles == 10);
    assert_eq!(with(65_000).unwrap().shuffles, 5);
    assert!(with(10_000).is_none(), "too little");
    assert_eq!(with(usize::MAX).unwrap().columns.len(), 300);

    for items in [2, 50, 300, 10_000] {
        for columns in [1, 3, 60, 1000, 1 << 40] {
            for work in [0, 100, 10_000, 1 << 20, 1 << 30, usize::MAX] {
                let Some(plan) = Plan::of(items, columns, work) else { continue };
                let needed = match plan.first {
                    None => plan.items as u128 * (columns as u128 * plan.shuffles as u128 + 1),
                    Some(first) => {
                        first as u128 * (columns as u128 + 1)
                            + plan.items as u128 * (LEFT * plan.shuffles + 1) as u128
                    }
                };
                assert!(needed <= work as u128, "{items} items, {columns} columns, {work}: {plan:?}");
                assert!(plan.items >= items.min(FEWEST_ITEMS) && plan.items <= items);
            }
        }
    }
}
