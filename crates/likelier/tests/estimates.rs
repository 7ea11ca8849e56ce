//! Laws of the label-free estimates, and values from an independent implementation (`golden/estimates.py`).

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use likelier::data::{Comparisons, Label, Pile};
use likelier::estimate::Interval;
use likelier::estimate::metrics::{
    Assumptions, HeldOut, Metric, MetricOptions, Metrics, Note, metrics, risk, roc,
};
use likelier::evaluate::Confusion;
use likelier::risk::{Batch, Correction, Gradients, Loss, Objective, Pointwise, RiskTable};
use likelier::{Collection, Mixture, Prior, Protocol};
use proptest::prelude::*;
use serde_json::Value;

fn prior() -> impl Strategy<Value = Prior> {
    (0.05..0.95_f64).prop_map(|value| Prior::new(value).unwrap())
}

fn mixture() -> impl Strategy<Value = Mixture> {
    (0.0..=1.0_f64, 0.0..=1.0_f64)
        .prop_filter("contrast", |(likelier, other)| (likelier - other).abs() > 0.05)
        .prop_map(|(likelier, other)| Mixture::new(likelier, other).unwrap())
}

/// Scores on a coarse grid, so that some are equal.
fn scores(count: impl Into<prop::collection::SizeRange>) -> impl Strategy<Value = Vec<f32>> {
    prop::collection::vec((-12..12_i8).prop_map(|k| f32::from(k) / 4.0), count)
}

fn judge(held_out: &HeldOut<'_>, assumptions: &Assumptions) -> Metrics {
    metrics(held_out, assumptions, &MetricOptions::default()).unwrap()
}

#[track_caller]
fn close(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance * b.abs().max(1.0), "{a} is not {b}");
}

proptest! {
    #[test]
    fn exact_pile_shares_give_back_the_exact_rates(
        mixture in mixture(), prior in prior(), tpr in 0.0..=1.0_f64, fpr in 0.0..=1.0_f64,
    ) {
        // Two kinds of scores, weighted so that both piles have exactly the shares of a classifier with
        // these rates: what the estimator is fed is its own expectation.
        let share = |pile| {
            let positive = mixture.share(pile);
            positive * tpr + (1.0 - positive) * fpr
        };
        let [likelier_share, other_share] = Pile::BOTH.map(share);
        prop_assume!(likelier_share > 0.01 && likelier_share < 0.99);
        // Weights belong to comparisons, so the four outcomes are given the product's probabilities.
        let mut likelier = Vec::new();
        let mut other = Vec::new();
        let mut weights = Vec::new();
        for (x, of_x) in [(1.0_f32, likelier_share), (-1.0, 1.0 - likelier_share)] {
            for (y, of_y) in [(1.0_f32, other_share), (-1.0, 1.0 - other_share)] {
                for _ in 0..20 {
                    likelier.push(x);
                    other.push(y);
                    weights.push((of_x * of_y) as f32);
                }
            }
        }
        let apart: Comparisons = (0..80).map(|k| (2 * k, 2 * k + 1)).collect();
        let weighted = apart.weighted(weights).unwrap();
        let held_out = HeldOut::pairs(&likelier, &other).unwrap().of(&weighted).unwrap();
        let found = judge(&held_out, &Assumptions::known(mixture, prior));
        // Weights are single precision, and 1/Δ makes more of it.
        let tolerance = 1e-6 / mixture.contrast().abs();
        close(found.true_positive_rate.value, tpr, tolerance);
        close(found.false_positive_rate.value, fpr, tolerance);
        let (p, n) = (prior.positive(), prior.negative());
        close(found.accuracy.value, p * tpr + n * (1.0 - fpr), tolerance);
        close(found.balanced_accuracy.value, f64::midpoint(tpr, 1.0 - fpr), tolerance);
        let called = p * tpr + n * fpr;
        close(found.called_positive.value, called, tolerance);
        if let (Some(precision), true) = (found.precision, called > 0.05) {
            close(precision.value, p * tpr / called, 40.0 * tolerance);
        }
        // With two kinds of scores the curve has one corner, so the area is known too.
        close(found.auc.value, 0.5 + (tpr - fpr) / 2.0, tolerance);
    }

    #[test]
    fn alike_piles_rank_by_chance(
        mut values in scores(10..40), mixture in mixture(), prior in prior(),
    ) {
        let likelier = values.clone();
        values.reverse();
        let held_out = HeldOut::loose(&likelier, &values).unwrap();
        close(judge(&held_out, &Assumptions::known(mixture, prior)).auc.value, 0.5, 1e-9);
    }

    #[test]
    fn a_rising_transform_of_scores_changes_nothing(
        piles in prop::collection::vec(((-12..12_i8), (-12..12_i8)), 10..40), prior in prior(),
    ) {
        let assumptions = Assumptions::of_protocol(Protocol::FORCED_CHOICE, prior).unwrap();
        let judged = |transform: fn(f32) -> f32| {
            let (likelier, other): (Vec<f32>, Vec<f32>) = piles
                .iter()
                .map(|(a, b)| (transform(f32::from(*a) / 4.0), transform(f32::from(*b) / 4.0)))
                .unzip();
            let held_out = HeldOut::pairs(&likelier, &other).unwrap();
            let judging = MetricOptions { threshold: transform(0.1), ..MetricOptions::default() };
            let metrics = metrics(&held_out, &assumptions, &judging).unwrap();
            let curve = roc(&held_out, &assumptions, 0.95).unwrap();
            let rates: Vec<_> =
                curve.iter().map(|p| (p.true_positive_rate, p.false_positive_rate, p.monotone)).collect();
            (metrics, rates)
        };
        let (plain, plain_curve) = judged(|score| score);
        let (bent, bent_curve) = judged(|score| (2.0 * score).exp() - 7.0);
        prop_assert_eq!(plain.auc, bent.auc);
        for metric in Metric::ALL {
            prop_assert_eq!(plain.of(metric), bent.of(metric));
        }
        prop_assert_eq!(plain_curve, bent_curve);
    }

    #[test]
    fn with_pure_piles_metrics_are_those_of_the_labels(
        likelier in scores(10..40), other in scores(10..40),
    ) {
        // θ = 1, 0: the piles are the classes, and a sample's prior is its share of positives.
        let pure = Mixture::new(1.0, 0.0).unwrap();
        let (positives, negatives) = (likelier.len() as f64, other.len() as f64);
        let prior = Prior::new(positives / (positives + negatives)).unwrap();
        let held_out = HeldOut::loose(&likelier, &other).unwrap();
        let found = judge(&held_out, &Assumptions::known(pure, prior));
        let call = |scores: &[f32]| scores.iter().map(|s| Label::positive_if(*s > 0.0)).collect::<Vec<_>>();
        let predicted = [call(&likelier), call(&other)].concat();
        let truth = (0..predicted.len()).map(|row| Label::positive_if(row < likelier.len()));
        let confusion = Confusion::of(&predicted, truth).unwrap();
        close(found.accuracy.value, confusion.accuracy(), 1e-12);
        let hits = confusion.true_positives as f64;
        close(found.true_positive_rate.value, hits / positives, 1e-12);
        close(found.false_positive_rate.value, confusion.false_positives as f64 / negatives, 1e-12);
        let called = hits + confusion.false_positives as f64;
        if let Some(precision) = found.precision {
            close(precision.value, hits / called, 1e-12);
        }
        close(found.f1.unwrap().value, 2.0 * hits / (positives + called), 1e-12);
        let mut ordered = 0.0;
        for x in &likelier {
            for y in &other {
                ordered += if x > y { 1.0 } else if x == y { 0.5 } else { 0.0 };
            }
        }
        close(found.auc.value, ordered / (positives * negatives), 1e-12);
    }

    #[test]
    fn every_interval_holds_its_estimate_and_widens_with_the_priors_uncertainty(
        likelier in scores(30), other in scores(30), p in 0.1..0.9_f64,
        protocol in prop_oneof![Just(Protocol::DISCARD), Just(Protocol::FORCED_CHOICE)],
    ) {
        let held_out = HeldOut::pairs(&likelier, &other).unwrap();
        let uncertain = |half: f64| {
            let interval = Interval { value: p, low: p - half, high: p + half, level: 0.95 };
            judge(&held_out, &Assumptions::estimated(&interval, |prior| protocol.mixture(prior)).unwrap())
        };
        let known = judge(&held_out, &Assumptions::of_protocol(protocol, Prior::new(p).unwrap()).unwrap());
        let (sure, unsure) = (uncertain(0.0), uncertain(0.05));
        for (known, sure, unsure) in Metric::ALL
            .map(|metric| (known.of(metric), sure.of(metric), unsure.of(metric)))
            .into_iter()
            .chain([(Some(known.auc), Some(sure.auc), Some(unsure.auc))])
        {
            prop_assert_eq!(known, sure);
            if let (Some(known), Some(unsure)) = (known, unsure) {
                prop_assert!(known.holds(known.value) && unsure.holds(unsure.value));
                prop_assert!(unsure.width() >= known.width() - 1e-9);
            }
        }
    }

    #[test]
    fn the_roc_runs_from_nothing_to_everything_and_holds_the_metrics_of_each_threshold(
        likelier in scores(20), other in scores(20), prior in prior(),
        shared in prop::option::of(prop::collection::vec((0..9_u32, 9..15_u32), 20)),
    ) {
        let assumptions = Assumptions::of_protocol(Protocol::DISCARD, prior).unwrap();
        let shared: Option<Comparisons> = shared.map(|shared| shared.into_iter().collect());
        let mut held_out = HeldOut::pairs(&likelier, &other).unwrap();
        if let Some(shared) = &shared {
            held_out = held_out.of(shared).unwrap();
        }
        let points = roc(&held_out, &assumptions, 0.95).unwrap();
        prop_assert_eq!(points[0].true_positive_rate.value, 0.0);
        close(points.last().unwrap().true_positive_rate.value, 1.0, 1e-9);
        close(points.last().unwrap().false_positive_rate.value, 1.0, 1e-9);
        for pair in points.windows(2) {
            prop_assert!(pair[0].monotone.iter().zip(pair[1].monotone).all(|(a, b)| *a <= b));
            prop_assert!(pair[1].monotone.iter().all(|rate| (0.0..=1.0).contains(rate)));
            // The walk over thresholds keeps the sums of each; a fresh start must agree.
            let threshold = pair[1].lowest_positive.unwrap().next_down();
            let fresh = metrics(&held_out, &assumptions, &MetricOptions { threshold, ..MetricOptions::default() }).unwrap();
            for (walked, fresh) in [
                (pair[1].true_positive_rate, fresh.true_positive_rate),
                (pair[1].false_positive_rate, fresh.false_positive_rate),
            ] {
                close(walked.value, fresh.value, 1e-9);
                close(walked.low, fresh.low, 1e-7);
                close(walked.high, fresh.high, 1e-7);
            }
        }
    }

    #[test]
    fn the_held_out_risk_is_the_one_of_training(
        likelier in scores(25), other in scores(25), mixture in mixture(), prior in prior(),
    ) {
        let held_out = HeldOut::pairs(&likelier, &other).unwrap();
        let assumptions = Assumptions::known(mixture, prior);
        for loss in Loss::ALL {
            for correction in [Correction::None, Correction::Relu, Correction::Abs] {
                let found = risk(&held_out, &assumptions, loss, correction, 0.95).unwrap();
                let objective = Pointwise {
                    loss, correction, ..Pointwise::of_table(RiskTable::unbiased(&mixture, prior))
                };
                let batch = Batch::of_scores(&likelier, &other);
                let trained = objective.evaluate(&batch, &mut Gradients::default()).unwrap();
                close(found.corrected, trained.value, 1e-9);
                close(found.unbiased.value, found.columns[0] + found.columns[1], 1e-9);
                prop_assert!(found.unbiased.width() > 0.0 || likelier.iter().chain(&other).all(|s| *s == likelier[0]));
            }
        }
    }
}

#[test]
fn estimates_and_intervals_agree_with_brute_force() {
    let golden: Value = serde_json::from_str(include_str!("golden/estimates.json")).unwrap();
    let cases = golden["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 18);
    let number = |value: &Value| value.as_f64().unwrap();
    let numbers =
        |value: &Value| value.as_array().unwrap().iter().map(|x| number(x) as f32).collect::<Vec<_>>();
    for case in cases {
        let collection: Collection = case["protocol"].as_str().unwrap().parse().unwrap();
        let protocol = Protocol::new(collection, number(&case["labeller_error"])).unwrap();
        let prior = Prior::new(number(&case["prior"])).unwrap();
        let (likelier, other) = (numbers(&case["likelier"]), numbers(&case["other"]));
        let weights = numbers(&case["weights"]);
        let items: Vec<[u32; 2]> = serde_json::from_value(case["items"].clone()).unwrap();
        let comparisons: Comparisons = items.iter().map(|[a, b]| (*a, *b)).collect();
        let comparisons = comparisons.weighted(weights).unwrap();
        let held_out = HeldOut::pairs(&likelier, &other).unwrap().of(&comparisons).unwrap();
        let judging =
            MetricOptions { threshold: number(&case["threshold"]) as f32, ..MetricOptions::default() };
        let assumptions = Assumptions::of_protocol(protocol, prior).unwrap();
        let found = metrics(&held_out, &assumptions, &judging).unwrap();
        for (name, ours) in [
            ("accuracy", Some(found.accuracy)),
            ("balanced_accuracy", Some(found.balanced_accuracy)),
            ("true_positive_rate", Some(found.true_positive_rate)),
            ("false_positive_rate", Some(found.false_positive_rate)),
            ("called_positive", Some(found.called_positive)),
            ("precision", found.precision),
            ("f1", found.f1),
            ("auc", Some(found.auc)),
        ] {
            let theirs = &case["estimates"][name];
            assert_eq!(theirs.is_null(), ours.is_none(), "{name}: {theirs} and {ours:?}");
            if let Some(ours) = ours {
                for (ours, theirs) in [ours.value, ours.low, ours.high].iter().zip([0, 1, 2]) {
                    let theirs = number(&case["estimates"][name][theirs]);
                    assert!((ours - theirs).abs() < 1e-8, "{name}: {ours} is not {theirs}, {case}");
                }
            }
        }
    }
}

#[test]
fn what_cannot_be_known_is_said() {
    let half = Prior::new(0.5).unwrap();
    let assumptions = Assumptions::of_protocol(Protocol::DISCARD, half).unwrap();
    let same = [-1.5_f32; 30];
    let found = judge(&HeldOut::pairs(&same, &same).unwrap(), &assumptions);
    assert_eq!(found.notes, [Note::EqualScores { score: -1.5 }, Note::NoPrecision]);
    assert!((found.auc.value - 0.5).abs() < 1e-12 && found.auc.width() > 0.0);
    assert!((found.accuracy.value - 0.5).abs() < 1e-12, "calling all negative is right half the time");
    assert_eq!((found.precision, found.f1.map(|f1| f1.value)), (None, Some(0.0)));
    let mut few = same;
    few[..3].fill(1.0);
    let judging = MetricOptions { exact_counts: true, ..MetricOptions::default() };
    let found = metrics(&HeldOut::pairs(&few, &same).unwrap(), &assumptions, &judging).unwrap();
    assert!(found.conservative);
    let codes: Vec<&str> = found.notes.iter().map(Note::code).collect();
    assert_eq!(codes, ["few-calls", "few-calls", "exact-counts"]);
    let first = found.notes[0].to_string();
    assert!(first.contains("likelier pile 3 are called positive and 27 negative"), "{first}");
    assert_eq!(serde_json::to_value(found.notes[0]).unwrap()["code"], "few-calls");
}

#[test]
fn an_interval_for_an_impossible_prior_is_refused() {
    let estimated = |value: f64, low: f64, high: f64| {
        let interval = Interval { value, low, high, level: 0.95 };
        Assumptions::estimated(&interval, |prior| Protocol::DISCARD.mixture(prior))
    };
    assert!(estimated(0.3, 0.2, 0.4).is_ok());
    assert!(estimated(1.2, 1.0, 1.4).is_err());
    assert!(estimated(0.3, 0.4, 0.2).is_err());
    assert!(estimated(0.3, f64::NAN, 0.2).is_err());
}
