//! How often the intervals of label-free estimates hold the truth, over simulated data sets.
//!
//! Scores are Gaussian given the class, N(±1, 1), so every true value is an integral of the normal density.
//! `cargo test --release --test coverage -- --nocapture` prints the figures.

#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![allow(clippy::print_stdout, reason = "the figures are of interest")]

use likelier::data::Comparisons;
use likelier::data::Label;
use likelier::estimate::Interval;
use likelier::estimate::metrics::{Assumptions, HeldOut, MetricOptions, Metrics, metrics, risk};
use likelier::generate::{self, Recipe, Sampling};
use likelier::random::{ChaCha8Rng, Purpose, below, chance, stream, unit};
use likelier::risk::{Correction, Loss};
use likelier::{Collection, Mixture, Prior, Protocol, Supervision};
use rayon::prelude::*;

const DATA_SETS: u64 = 2000;
const PRIORS: [f64; 3] = [0.2, 0.5, 0.8];
const PROTOCOLS: [Protocol; 2] = [Protocol::DISCARD, Protocol::FORCED_CHOICE];
const THRESHOLD: f32 = 0.25;

/// Φ(x) by Simpson's rule from −10.
fn normal_cumulative(x: f64) -> f64 {
    let steps = 2000;
    let width = (x + 10.0) / f64::from(steps);
    let density = |k: i32| (-0.5 * (f64::from(k) * width - 10.0).powi(2)).exp();
    let inner: f64 = (1..steps).map(|k| f64::from(2 + 2 * (k % 2)) * density(k)).sum();
    (density(0) + inner + density(steps)) * width / 3.0 / (2.0 * std::f64::consts::PI).sqrt()
}

fn normal(rng: &mut ChaCha8Rng) -> f64 {
    let radius = (-2.0 * (1.0 - unit(rng)).ln()).sqrt();
    radius * (2.0 * std::f64::consts::PI * unit(rng)).cos()
}

fn score(rng: &mut ChaCha8Rng, positive: bool) -> f32 {
    (normal(rng) + if positive { 1.0 } else { -1.0 }) as f32
}

#[derive(Clone, Copy)]
struct Truth {
    accuracy: f64,
    true_positive_rate: f64,
    precision: f64,
    f1: f64,
    auc: f64,
}

impl Truth {
    fn at(prior: f64) -> Self {
        let threshold = f64::from(THRESHOLD);
        let (hit, alarm) = (normal_cumulative(1.0 - threshold), normal_cumulative(-1.0 - threshold));
        let called = prior * hit + (1.0 - prior) * alarm;
        Self {
            accuracy: prior * hit + (1.0 - prior) * (1.0 - alarm),
            true_positive_rate: hit,
            precision: prior * hit / called,
            f1: 2.0 * prior * hit / (prior + called),
            auc: normal_cumulative(2.0_f64.sqrt()),
        }
    }
}

/// In how many of the data sets each interval holds the truth.
struct Coverage {
    accuracy: f64,
    true_positive_rate: f64,
    precision: f64,
    f1: f64,
    auc: f64,
}

/// Judges the same scores in every data set that `draw` makes of its generator.
fn coverage(what: &str, prior: f64, judge: impl Fn(&mut ChaCha8Rng) -> Metrics + Sync) -> Coverage {
    let truth = Truth::at(prior);
    let all: Vec<Metrics> = (0..DATA_SETS)
        .into_par_iter()
        .map(|seed| judge(&mut stream(1_000_000 + seed, Purpose::Comparisons)))
        .collect();
    let share = |of: &dyn Fn(&Metrics) -> Option<Interval>, truth: f64| {
        let held = all
            .iter()
            .filter(|found| of(found).is_some_and(|interval| interval.holds(truth)));
        held.count() as f64 / DATA_SETS as f64
    };
    let found = Coverage {
        accuracy: share(&|m| Some(m.accuracy), truth.accuracy),
        true_positive_rate: share(&|m| Some(m.true_positive_rate), truth.true_positive_rate),
        precision: share(&|m| m.precision, truth.precision),
        f1: share(&|m| m.f1, truth.f1),
        auc: share(&|m| Some(m.auc), truth.auc),
    };
    let width = all.iter().map(|m| m.accuracy.width()).sum::<f64>() / DATA_SETS as f64;
    println!(
        "{what:44} prior {prior}: accuracy {:.4}, tpr {:.4}, precision {:.4}, f1 {:.4}, auc {:.4}; \
         mean width of accuracy {width:.3}",
        found.accuracy, found.true_positive_rate, found.precision, found.f1, found.auc
    );
    found
}

fn recorded(rng: &mut ChaCha8Rng, protocol: Protocol, labels: [bool; 2]) -> Option<bool> {
    let accept = protocol.acceptance()[usize::from(!labels[0])][usize::from(!labels[1])];
    let in_order = chance(rng, accept);
    (in_order || protocol.collection() == Collection::ForcedChoice).then_some(in_order)
}

/// Independent comparisons of fresh items.
fn independent(rng: &mut ChaCha8Rng, prior: f64, protocol: Protocol, pairs: usize) -> [Vec<f32>; 2] {
    let mut piles = [Vec::new(), Vec::new()];
    while piles[0].len() < pairs {
        let labels = [chance(rng, prior), chance(rng, prior)];
        if let Some(in_order) = recorded(rng, protocol, labels) {
            let drawn = labels.map(|label| score(rng, label));
            piles[0].push(drawn[usize::from(!in_order)]);
            piles[1].push(drawn[usize::from(in_order)]);
        }
    }
    piles
}

fn judging() -> MetricOptions {
    MetricOptions { threshold: THRESHOLD, ..MetricOptions::default() }
}

fn assumptions(prior: f64, protocol: Protocol) -> Assumptions {
    Assumptions::of_protocol(protocol, Prior::new(prior).unwrap()).unwrap()
}

#[track_caller]
fn assert_nominal(share: f64, what: &str) {
    assert!((0.935..=0.965).contains(&share), "{what}: {share} of the intervals hold the truth");
}

#[test]
fn intervals_of_independent_comparisons_hold_the_truth_as_often_as_they_say() {
    for prior in PRIORS {
        for protocol in PROTOCOLS {
            for pairs in [100, 400] {
                let what = format!("independent {protocol}, {pairs} pairs");
                let found = coverage(&what, prior, |rng| {
                    let [likelier, other] = independent(rng, prior, protocol, pairs);
                    let held_out = HeldOut::pairs(&likelier, &other).unwrap();
                    metrics(&held_out, &assumptions(prior, protocol), &judging()).unwrap()
                });
                for share in
                    [found.accuracy, found.true_positive_rate, found.precision, found.f1, found.auc]
                {
                    assert_nominal(share, &what);
                }
            }
        }
    }
}

#[test]
fn intervals_are_sound_where_one_class_is_rare() {
    // A share called positive of a few percent, and a contrast of 0.05 and 0.1.
    let prior = 0.05;
    for protocol in PROTOCOLS {
        let what = format!("rare class, {protocol}, 200 pairs");
        let found = coverage(&what, prior, |rng| {
            let [likelier, other] = independent(rng, prior, protocol, 200);
            let held_out = HeldOut::pairs(&likelier, &other).unwrap();
            metrics(&held_out, &assumptions(prior, protocol), &judging()).unwrap()
        });
        for share in [found.accuracy, found.true_positive_rate, found.precision, found.f1, found.auc] {
            assert_nominal(share, &what);
        }
    }
}

#[test]
fn intervals_of_loose_piles_hold_the_truth_as_often_as_they_say() {
    let prior = 0.3;
    let mixture = Mixture::new(0.8, 0.2).unwrap();
    let found = coverage("loose piles of 150 and 400", prior, |rng| {
        let mut pile = |share: f64, size: usize| -> Vec<f32> {
            (0..size)
                .map(|_| {
                    let positive = chance(rng, share);
                    score(rng, positive)
                })
                .collect()
        };
        let (likelier, other) = (pile(0.8, 150), pile(0.2, 400));
        let held_out = HeldOut::loose(&likelier, &other).unwrap();
        metrics(&held_out, &Assumptions::known(mixture, Prior::new(prior).unwrap()), &judging()).unwrap()
    });
    for share in [found.accuracy, found.true_positive_rate, found.precision, found.f1, found.auc] {
        assert_nominal(share, "loose piles");
    }
}

#[test]
fn intervals_allow_for_an_estimated_prior() {
    // The prior's standard error, about as large as what the comparisons themselves leave open.
    let standard_error = 0.02;
    for prior in PRIORS {
        for protocol in PROTOCOLS {
            let what = format!("estimated prior, {protocol}");
            let judge = |rng: &mut ChaCha8Rng, told: bool| {
                let [likelier, other] = independent(rng, prior, protocol, 800);
                let held_out = HeldOut::pairs(&likelier, &other).unwrap();
                let value = prior + standard_error * normal(rng);
                let half = if told { 1.959_964 * standard_error } else { 0.0 };
                let interval = Interval { value, low: value - half, high: value + half, level: 0.95 };
                let known = Assumptions::estimated(&interval, |prior| protocol.mixture(prior)).unwrap();
                metrics(&held_out, &known, &judging()).unwrap()
            };
            let found = coverage(&what, prior, |rng| judge(rng, true));
            let blind = coverage(&format!("{what}, taken for known"), prior, |rng| judge(rng, false));
            assert_nominal(found.accuracy, &what);
            assert_nominal(found.auc, &what);
            assert!(blind.true_positive_rate < found.true_positive_rate, "{what}: it must matter");
        }
    }
}

#[test]
fn intervals_of_the_risk_hold_the_truth_as_often_as_they_say() {
    for prior in PRIORS {
        for protocol in PROTOCOLS {
            let known = assumptions(prior, protocol);
            // E[ln(1 + e^∓z)] over N(±1, 1) is the same for both classes.
            let (steps, width) = (4000, 0.005);
            let integrand = |k: i32| {
                let z = f64::from(k) * width - 9.0;
                (-0.5 * (z - 1.0).powi(2)).exp() * Loss::Logistic.at(z).value[0]
            };
            let sum: f64 = (0..steps).map(integrand).sum();
            let truth = sum * width / (2.0 * std::f64::consts::PI).sqrt();
            let held = (0..DATA_SETS)
                .into_par_iter()
                .filter(|seed| {
                    let mut rng = stream(2_000_000 + seed, Purpose::Comparisons);
                    let [likelier, other] = independent(&mut rng, prior, protocol, 200);
                    let held_out = HeldOut::pairs(&likelier, &other).unwrap();
                    risk(&held_out, &known, Loss::Logistic, Correction::None, 0.95)
                        .unwrap()
                        .unbiased
                        .holds(truth)
                })
                .count();
            let share = held as f64 / DATA_SETS as f64;
            println!("risk, {protocol}, prior {prior}, 200 pairs: {share:.4}");
            assert_nominal(share, "the logistic risk");
        }
    }
}

#[test]
fn intervals_allow_for_items_that_occur_again() {
    for prior in PRIORS {
        for protocol in PROTOCOLS {
            let (items, pairs) = (200, 600);
            let draw = |rng: &mut ChaCha8Rng, of_items: bool| {
                let pool: Vec<(bool, f32)> = (0..items)
                    .map(|_| {
                        let positive = chance(rng, prior);
                        (positive, score(rng, positive))
                    })
                    .collect();
                let mut drawn = Vec::new();
                while drawn.len() < pairs {
                    let [first, second] = [below(rng, items), below(rng, items)];
                    if first != second
                        && let Some(in_order) = recorded(rng, protocol, [pool[first].0, pool[second].0])
                    {
                        let pair = (first as u32, second as u32);
                        drawn.push(if in_order { pair } else { (pair.1, pair.0) });
                    }
                }
                let likelier: Vec<f32> = drawn.iter().map(|pair| pool[pair.0 as usize].1).collect();
                let other: Vec<f32> = drawn.iter().map(|pair| pool[pair.1 as usize].1).collect();
                let comparisons: Comparisons = drawn.into_iter().collect();
                let mut held_out = HeldOut::pairs(&likelier, &other).unwrap();
                if of_items {
                    held_out = held_out.of(&comparisons).unwrap();
                }
                metrics(&held_out, &assumptions(prior, protocol), &judging()).unwrap()
            };
            let what = format!("{pairs} pairs of {items} items, {protocol}");
            let found = coverage(&what, prior, |rng| draw(rng, true));
            let blind = coverage(&format!("{what}, not told"), prior, |rng| draw(rng, false));
            assert_nominal(found.accuracy, &what);
            assert_nominal(found.auc, &what);
            assert!(blind.auc < found.auc, "{what}: knowing the items must matter");
        }
    }
}

#[test]
fn intervals_after_exact_count_generation_hold_the_truth_at_least_as_often_as_they_say() {
    for prior in PRIORS {
        for protocol in PROTOCOLS {
            let what = format!("exact counts, {protocol}");
            let recipe = Recipe {
                prior: Prior::new(prior).unwrap(),
                protocol,
                pairs: 400,
                sampling: Sampling::ExactCounts,
                degrees: None,
            };
            let found = coverage(&what, prior, |rng| {
                let labels: Vec<Label> = (0..1600).map(|row| Label::positive_if(row % 2 == 0)).collect();
                let pool: Vec<u32> = (0..1600).collect();
                let drawn = generate::draw(&labels, &pool, &recipe, rng).unwrap();
                let drawn = Supervision::new(drawn.evidence).comparisons().unwrap();
                let scores: Vec<f32> = labels.iter().map(|label| score(rng, label.is_positive())).collect();
                let (likelier, other): (Vec<f32>, Vec<f32>) =
                    drawn.iter().map(|(a, b)| (scores[a as usize], scores[b as usize])).unzip();
                let held_out = HeldOut::pairs(&likelier, &other).unwrap().of(&drawn).unwrap();
                let judging = MetricOptions { exact_counts: true, ..judging() };
                metrics(&held_out, &assumptions(prior, protocol), &judging).unwrap()
            });
            assert!(found.accuracy >= 0.95 && found.auc >= 0.95, "{what} at {prior}");
        }
    }
}
