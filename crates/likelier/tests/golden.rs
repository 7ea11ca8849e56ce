//! Values from independent implementations: `golden/make.py`, PyTorch's autograd and optimisers, and
//! `golden/replies.py`, NumPy.

#![cfg(feature = "engine")]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use likelier::data::{Pile, Rows, ShownSide};
use likelier::model::{Linear, Model, Scaling, ScalingKind, Stored, Weights};
use likelier::risk::{Batch, Gradients, PairPosterior, PileOf, Setting, Side, least_variance};
use likelier::train::{Optimiser, OptimiserKind};
use likelier::{Collection, Method, Prior, Protocol, Reply, ReplyModel, TieRates};
use serde_json::Value;

fn golden() -> Value {
    serde_json::from_str(include_str!("golden/values.json")).unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

fn numbers(value: &Value) -> Vec<f32> {
    value.as_array().unwrap().iter().map(|x| number(x) as f32).collect()
}

fn marks(value: &Value) -> Vec<bool> {
    value.as_array().unwrap().iter().map(|x| number(x) > 0.5).collect()
}

fn method(case: &Value) -> Method {
    case["method"].as_str().unwrap().parse().unwrap()
}

fn prior(case: &Value) -> Prior {
    Prior::new(number(&case["prior"])).unwrap()
}

#[test]
fn risks_and_gradients_agree_with_autograd() {
    let golden = golden();
    let cases = golden["risks"].as_array().unwrap();
    let mut seen = Vec::new();
    for case in cases {
        let collection: Collection = case["protocol"].as_str().unwrap().parse().unwrap();
        let protocol = Protocol::new(collection, number(&case["labeller_error"])).unwrap();
        let method = method(case);
        let setting = Setting { consistency_weight: 10.0, ..Setting::new(prior(case), protocol) };
        let composition = method.compose(&setting).unwrap();
        let scores = ["likelier", "other"].map(|pile| numbers(&case[pile]));
        let [selected, other_selected] = [0, 1].map(|pile| marks(&case["selected"][pile]));
        let [targets, other_targets] = [0, 1].map(|pile| numbers(&case["targets"][pile]));
        let [teacher, other_teacher] = [0, 1].map(|pile| numbers(&case["teacher"][pile]));
        if method == Method::PairPosterior {
            let mut ours = Vec::new();
            let step = PairPosterior::new(prior(case), protocol).unwrap();
            step.targets(&teacher, &other_teacher, 0.0, &mut ours);
            for (ours, theirs) in ours.iter().zip(targets.iter().chain(&other_targets)) {
                assert!((ours - theirs).abs() < 1e-6, "{protocol}: {ours} is not {theirs}");
            }
        }
        let side = |pile: usize, selected, targets, teacher| Side {
            selected: composition.prunes.then_some(selected),
            targets: Some(targets),
            teacher: composition.has_teacher.then_some(teacher),
            ..Side::of_scores(&scores[pile])
        };
        let batch = Batch {
            likelier: side(0, &selected, &targets, &teacher),
            other: side(1, &other_selected, &other_targets, &other_teacher),
        };
        let mut gradients = Gradients::default();
        let value = composition.objective.evaluate(&batch, &mut gradients).unwrap().value;
        let expected = number(&case["value"]);
        assert!(
            (value - expected).abs() < 1e-6,
            "{method} at {}: {value} is not {expected}",
            case["prior"]
        );
        for (at, pile) in Pile::BOTH.into_iter().enumerate() {
            for (ours, theirs) in gradients.of(pile).iter().zip(numbers(&case["gradient"][at])) {
                assert!((ours - theirs).abs() < 1e-6, "{method}, {pile}: {ours} is not {theirs}");
            }
        }
        seen.push(method);
    }
    assert!(Method::ALL.iter().all(|method| seen.contains(method)), "every method is covered");
}

#[test]
fn ten_optimiser_steps_agree_with_pytorch() {
    let golden = golden();
    let cases = golden["steps"].as_array().unwrap();
    assert_eq!(cases.len(), 15);
    for case in cases {
        let method = method(case);
        let composition = method.compose(&Setting::new(prior(case), Protocol::DISCARD)).unwrap();
        let rows = |pile: &str| case[pile].as_array().unwrap().iter().flat_map(numbers).collect::<Vec<_>>();
        let inputs = [rows("likelier"), rows("other")].concat();
        let mut parameters = numbers(&case["weights"]);
        let width = parameters.len();
        parameters.push(number(&case["bias"]) as f32);
        let mut weights = Weights { parameters, buffers: Vec::new() };
        let mut model = Linear::new(width);
        let kind = match case["optimiser"].as_str().unwrap() {
            "adam" => OptimiserKind::Adam,
            "adamw" => OptimiserKind::AdamW,
            _ => OptimiserKind::Sgd { momentum: 0.9 },
        };
        let (rate, decay) = (number(&case["learning_rate"]), number(&case["weight_decay"]));
        let mut optimiser = Optimiser::new(kind, width + 1, rate, decay);
        let rows = Rows::from_numbers(inputs, width).unwrap();
        let scaling = Scaling::fit(ScalingKind::None, &rows, &[]);
        let all: Vec<u32> = (0..rows.len() as u32).collect();
        let batch_rows = Stored::new(&rows, &scaling, &all);
        let mut scores = vec![0.0; all.len()];
        let mut gradients = Gradients::default();
        let mut gradient = vec![0.0; width + 1];
        for expected in case["values"].as_array().unwrap().iter().map(number) {
            model.forward(&mut weights, &batch_rows, &mut scores).unwrap();
            let (likelier, other) = scores.split_at(scores.len() / 2);
            let batch = Batch::of_scores(likelier, other);
            let value = composition.objective.evaluate(&batch, &mut gradients).unwrap().value;
            assert!((value - expected).abs() < 1e-5, "{method}: {value} is not {expected}");
            model.backward(&weights, &batch_rows, gradients.all(), &mut gradient).unwrap();
            optimiser.step(&mut weights.parameters, &gradient);
        }
        let mut expected = numbers(&case["final_weights"]);
        expected.push(number(&case["final_bias"]) as f32);
        for (ours, theirs) in weights.parameters.iter().zip(&expected) {
            assert!((ours - theirs).abs() < 1e-5, "{method}: {ours} is not {theirs}");
        }
    }
}

fn replies() -> Value {
    serde_json::from_str(include_str!("golden/replies.json")).unwrap()
}

fn matrix(value: &Value) -> [[f64; 2]; 2] {
    [0, 1].map(|row| [0, 1].map(|column| number(&value[row][column])))
}

#[test]
fn replies_have_the_probabilities_that_numpy_counts() {
    let golden = replies();
    let cases = golden["models"].as_array().unwrap();
    for case in cases {
        let collection: Collection = case["protocol"].as_str().unwrap().parse().unwrap();
        let protocol = Protocol::new(collection, number(&case["error"])).unwrap();
        let ties = TieRates::new(number(&case["same"]), number(&case["mixed"])).unwrap();
        let model = ReplyModel { protocol, ties, leaning: 0.0 };
        let names = ["first", "second", "tie", "dropped"];
        for (reply, name) in Reply::ALL.into_iter().zip(names) {
            let wanted = matrix(&case["joint"][name]);
            let share: f64 = wanted.as_flattened().iter().sum();
            assert!((model.share(reply, prior(case)) - share).abs() < 1e-12, "{name} of {case}");
            let joint = model.label_joint(reply, prior(case));
            assert_eq!(joint.is_some(), share > 0.0, "{name} of {case}");
            for (found, wanted) in
                joint.unwrap_or_default().as_flattened().iter().zip(wanted.as_flattened())
            {
                assert!((found * share - wanted).abs() < 1e-12, "{name} of {case}");
            }
        }
    }
    assert_eq!(cases.len(), 32);
}

#[test]
fn replies_of_people_who_lean_have_the_probabilities_that_are_counted() {
    let golden = replies();
    let cases = golden["leanings"].as_array().unwrap();
    for case in cases {
        let protocol = Protocol::new(Collection::ForcedChoice, number(&case["error"])).unwrap();
        let ties = TieRates::new(number(&case["same"]), number(&case["mixed"])).unwrap();
        let model = ReplyModel { protocol, ties, leaning: number(&case["leaning"]) };
        let side = if case["first"] == "left" { ShownSide::Left } else { ShownSide::Right };
        for (reply, name) in [(Reply::First, "first"), (Reply::Second, "second"), (Reply::Tie, "tie")] {
            let wanted = matrix(&case["acceptance"][name]);
            let found = model.acceptance_at(reply, side);
            for (found, wanted) in found.as_flattened().iter().zip(wanted.as_flattened()) {
                assert!((found - wanted).abs() < 1e-12, "{name} of {case}");
            }
        }
    }
    assert_eq!(cases.len(), 24);
}

#[test]
fn tables_of_several_piles_are_those_of_numpy() {
    let golden = replies();
    let cases = golden["tables"].as_array().unwrap();
    for case in cases {
        let list = |name: &str| case[name].as_array().unwrap().iter().map(number).collect::<Vec<_>>();
        let piles: Vec<PileOf> = list("shares")
            .into_iter()
            .zip(list("sizes"))
            .map(|(positive, size)| PileOf { positive, size })
            .collect();
        let table = least_variance(&piles, prior(case)).unwrap();
        for (row, wanted) in table.iter().zip(case["table"].as_array().unwrap()) {
            for (column, found) in row.iter().enumerate() {
                let wanted = number(&wanted[column]);
                assert!(
                    (found - wanted).abs() < 1e-8 * (1.0 + wanted.abs()),
                    "{found}, {wanted} in {case}"
                );
            }
        }
    }
    assert_eq!(cases.len(), 12);
}

#[test]
fn a_risk_with_coefficients_of_each_row_is_that_of_numpy() {
    let golden = replies();
    let cases = golden["risks"].as_array().unwrap();
    for case in cases {
        let scores = numbers(&case["scores"]);
        let coefficients: Vec<[f32; 2]> = case["coefficients"]
            .as_array()
            .unwrap()
            .iter()
            .map(|pair| [number(&pair[0]) as f32, number(&pair[1]) as f32])
            .collect();
        let risk = Method::PcompRelu
            .objective(Prior::new(0.3).unwrap(), Protocol::FORCED_CHOICE)
            .unwrap();
        // In which of the two piles a row is given makes no difference.
        for cut in [0, 3, scores.len()] {
            let side = |range: std::ops::Range<usize>| Side {
                coefficients: Some(&coefficients[range.clone()]),
                ..Side::of_scores(&scores[range])
            };
            let batch = Batch { likelier: side(0..cut), other: side(cut..scores.len()) };
            let mut gradients = Gradients::default();
            let found = risk.evaluate(&batch, &mut gradients).unwrap();
            assert!((found.value - number(&case["risk"])).abs() < 1e-6, "{} in {case}", found.value);
            for (found, wanted) in gradients.all().iter().zip(case["slopes"].as_array().unwrap()) {
                assert!((f64::from(*found) - number(wanted)).abs() < 1e-5, "{found}, {wanted}");
            }
        }
    }
    assert_eq!(cases.len(), 12);
}
