use super::*;
use crate::data::{Comparisons, Pile};
use crate::estimate::metrics::{HeldOut, MetricOptions, metrics, ranges};
use crate::random::{Purpose, chance, stream};

const HALF: f64 = 0.04;

#[test]
fn the_planned_number_gives_the_planned_width() {
    for (prior, protocol) in [
        (0.2, Protocol::DISCARD),
        (0.5, Protocol::FORCED_CHOICE),
        (0.8, Protocol::new(Collection::ForcedChoice, 0.1).unwrap()),
        (0.3, Protocol::new(Collection::Discard, 0.05).unwrap()),
    ] {
        let prior = Prior::new(prior).unwrap();
        let (true_positive, false_positive) = (0.85, 0.1);
        let assumed = Assumed::Rates { true_positive, false_positive };
        let plan = Plan { prior, protocol, assumed, level: 0.95 };
        for metric in Metric::ALL {
            let pairs = plan.comparisons(metric, HALF).unwrap();
            assert!((plan.half_width(metric, pairs).unwrap() - HALF).abs() < 1e-3);
            let mut rng = stream(5, Purpose::Comparisons);
            let joint = protocol.label_joint(prior);
            let called = |rng: &mut _, positive: bool| {
                let rate = if positive { true_positive } else { false_positive };
                if chance(rng, rate) { 1.0_f32 } else { -1.0 }
            };
            let (likelier, other): (Vec<f32>, Vec<f32>) = (0..pairs)
                .map(|_| {
                    let first = chance(&mut rng, joint[0][0] + joint[0][1]);
                    let row = joint[usize::from(!first)];
                    let second = chance(&mut rng, row[0] / (row[0] + row[1]));
                    (called(&mut rng, first), called(&mut rng, second))
                })
                .unzip();
            let held_out = HeldOut::pairs(&likelier, &other).unwrap();
            let known = Assumptions::of_protocol(protocol, prior).unwrap();
            let found = metrics(&held_out, &known, &MetricOptions::default()).unwrap();
            let interval = found.of(metric).unwrap();
            let width = interval.width() / 2.0;
            assert!((width / HALF - 1.0).abs() < 0.12, "{metric:?} at {prior} {protocol}: {width}");
        }
    }
}

#[test]
fn a_lower_contrast_needs_more_comparisons() {
    let plan = |prior, protocol| Plan {
        prior: Prior::new(prior).unwrap(),
        protocol,
        assumed: Assumed::Accuracy(0.9),
        level: 0.95,
    };
    let pairs = |plan: Plan| plan.comparisons(Metric::BalancedAccuracy, 0.05).unwrap();
    let noisy = Protocol::new(Collection::ForcedChoice, 0.2).unwrap();
    assert!(pairs(plan(0.5, Protocol::FORCED_CHOICE)) < pairs(plan(0.5, Protocol::DISCARD)));
    assert!(pairs(plan(0.5, Protocol::FORCED_CHOICE)) < pairs(plan(0.5, noisy)));
    assert!(pairs(plan(0.5, Protocol::FORCED_CHOICE)) < pairs(plan(0.1, Protocol::FORCED_CHOICE)));
    // A half as wide interval takes four times as many.
    let (wide, narrow) = (
        plan(0.3, Protocol::DISCARD).comparisons(Metric::Accuracy, 0.1).unwrap(),
        plan(0.3, Protocol::DISCARD).comparisons(Metric::Accuracy, 0.05).unwrap(),
    );
    assert!((narrow as f64 / wide as f64 - 4.0).abs() < 0.05);
}

#[test]
fn impossible_plans_are_refused() {
    let plan = Plan {
        prior: Prior::new(0.5).unwrap(),
        protocol: Protocol::DISCARD,
        assumed: Assumed::Accuracy(1.2),
        level: 0.95,
    };
    assert!(
        plan.comparisons(Metric::Accuracy, 0.1)
            .unwrap_err()
            .to_string()
            .contains("got 1.2")
    );
    let nothing = Plan { assumed: Assumed::Rates { true_positive: 0.0, false_positive: 0.0 }, ..plan };
    assert!(nothing.comparisons(Metric::Precision, 0.1).is_err());
    let good = Plan { assumed: Assumed::Accuracy(0.9), ..plan };
    for bad in [0.0, -0.1, f64::NAN] {
        assert!(good.comparisons(Metric::Accuracy, bad).is_err());
    }
    assert!(Plan { level: 1.0, ..good }.comparisons(Metric::Accuracy, 0.1).is_err());
}

/// The mean ends of the accuracy's range over simulated comparisons.
fn simulated(plan: &Plan, [t, f]: [f64; 2], pairs: usize, again: usize, error_at_most: f64) -> [f64; 2] {
    let known = Assumptions::of_protocol(Protocol::FORCED_CHOICE, plan.prior).unwrap();
    let times = 30;
    let mut ends = [0.0; 2];
    for seed in 0..times {
        let mut rng = stream(seed, Purpose::Comparisons);
        let (mut asked, mut calls) = (Vec::new(), Vec::new());
        for pair in 0..pairs as u32 {
            let labels = [0, 1].map(|_| chance(&mut rng, plan.prior.positive()));
            calls.extend(labels.map(|positive| {
                if chance(&mut rng, if positive { t } else { f }) { 1.0_f32 } else { -1.0 }
            }));
            for _ in 0..if (pair as usize) < again { 2 } else { 1 } {
                let ahead = match labels {
                    [true, false] => 1.0 - plan.protocol.labeller_error(),
                    [false, true] => plan.protocol.labeller_error(),
                    _ => 0.5,
                };
                let (one, two) = (2 * pair, 2 * pair + 1);
                asked.push(if chance(&mut rng, ahead) { (one, two) } else { (two, one) });
            }
        }
        let comparisons: Comparisons = asked.into_iter().collect();
        let scores = Pile::BOTH.map(|pile| {
            comparisons
                .piles()
                .rows(pile)
                .iter()
                .map(|row| calls[*row as usize])
                .collect::<Vec<f32>>()
        });
        let held_out = HeldOut::pairs(&scores[0], &scores[1]).unwrap().of(&comparisons).unwrap();
        let collection = Collection::ForcedChoice;
        let found =
            ranges(&held_out, &known, collection, error_at_most, &MetricOptions::default()).unwrap();
        ends[0] += found.accuracy.low_end.low / times as f64;
        ends[1] += found.accuracy.high_end.high / times as f64;
    }
    ends
}

#[test]
fn asking_again_narrows_the_range_as_planned() {
    let (t, f) = (0.85, 0.2);
    for (prior, error, most, pairs, again) in [
        (0.5, 0.0, 0.02, 1000, 0),
        (0.5, 0.0, 0.02, 1000, 300),
        (0.3, 0.03, 0.05, 2000, 200),
        (0.5, 0.1, 0.2, 1000, 300),
        (0.4, 0.0, 0.0, 600, 600),
    ] {
        let protocol = Protocol::new(Collection::ForcedChoice, error).unwrap();
        let assumed = Assumed::Rates { true_positive: t, false_positive: f };
        let plan = Plan { prior: Prior::new(prior).unwrap(), protocol, assumed, level: 0.95 };
        let found = plan.range(Metric::Accuracy, pairs, again, most).unwrap();
        let planned = [found.low_end.low, found.high_end.high];
        let seen = simulated(&plan, [t, f], pairs, again, most);
        for end in 0..2 {
            assert!((planned[end] - seen[end]).abs() < 0.02, "{planned:?} is not {seen:?}");
        }
    }
}

#[test]
fn asking_again_helps_under_a_small_bound_and_not_under_a_large_one() {
    let plan = Plan {
        prior: Prior::new(0.5).unwrap(),
        protocol: Protocol::FORCED_CHOICE,
        assumed: Assumed::Accuracy(0.85),
        level: 0.95,
    };
    let gained = |most: f64| {
        let low = |again| plan.range(Metric::Accuracy, 2000, again, most).unwrap().low_end.low;
        low(500) - low(0)
    };
    assert!(gained(0.02) > 0.03, "{}", gained(0.02));
    assert!(gained(0.2).abs() < 0.01, "{}", gained(0.2));
    let few = plan.range(Metric::Accuracy, 2000, 29, 0.02).unwrap();
    assert!(few.low_end.low <= plan.range(Metric::Accuracy, 2000, 0, 0.02).unwrap().low_end.low + 1e-3);
    let discard = Plan { protocol: Protocol::DISCARD, ..plan };
    assert!(discard.range(Metric::Accuracy, 2000, 0, 0.05).unwrap().width() > 0.0);
    for (pairs, again, most) in [(100, 101, 0.1), (100, 10, 0.5), (100, 10, -0.1)] {
        assert!(plan.range(Metric::Accuracy, pairs, again, most).is_err());
    }
    let erring = Plan { protocol: Protocol::new(Collection::ForcedChoice, 0.1).unwrap(), ..plan };
    assert!(erring.range(Metric::Accuracy, 100, 0, 0.05).is_err());
}

fn bound() -> LinearBound {
    LinearBound::of_loss(Loss::Logistic, 10_000, 2.0, 1.5, 0.05)
}

#[test]
fn theorems_4_and_7_as_printed() {
    let prior = Prior::new(0.2).unwrap();
    let complexity = 2.0 * 1.5 / 100.0;
    let largest = (1.0 + 3.0_f64.exp()).ln();
    let first = 1.2 * 4.0 * complexity
        + 1.8 * 4.0 * complexity
        + 6.0 * largest * (160.0_f64.ln() / 20_000.0).sqrt();
    assert!((bound().theorem_4(prior, Protocol::DISCARD).unwrap() - first).abs() < 1e-12);
    let (flip, flip_negative) = (0.2 / 1.2, 0.8 / 1.8);
    let inner = 2.0 * complexity + largest * (80.0_f64.ln() / 20_000.0).sqrt();
    let second = 2.0 / (1.0 - flip) * inner + 2.0 / (1.0 - flip_negative) * inner;
    assert!((bound().theorem_7(prior, Protocol::DISCARD).unwrap() - second).abs() < 1e-12);
}

#[test]
fn bounds_shrink_with_the_root_of_the_number_of_comparisons() {
    let prior = Prior::new(0.7).unwrap();
    let four = LinearBound { comparisons: 40_000, ..bound() };
    for theorem in [LinearBound::theorem_4, LinearBound::theorem_7] {
        let value = |bound: &LinearBound| theorem(bound, prior, Protocol::DISCARD).unwrap();
        assert!((value(&bound()) / value(&four) - 2.0).abs() < 1e-12);
    }
}

#[test]
fn a_bound_is_refused_where_it_is_not_proved() {
    let prior = Prior::new(0.5).unwrap();
    let noisy = Protocol::new(Collection::Discard, 0.1).unwrap();
    for theorem in [LinearBound::theorem_4, LinearBound::theorem_7] {
        let message = theorem(&bound(), prior, Protocol::FORCED_CHOICE).unwrap_err().to_string();
        assert!(message.contains("got forced-choice") && message.contains("discard without"));
        assert!(theorem(&bound(), prior, noisy).is_err());
        for bad in [
            LinearBound { comparisons: 0, ..bound() },
            LinearBound { row_norm: f64::NAN, ..bound() },
            LinearBound { failure: 1.0, ..bound() },
            LinearBound { largest_loss: f64::INFINITY, ..bound() },
        ] {
            assert!(theorem(&bad, prior, Protocol::DISCARD).is_err(), "{bad:?}");
        }
    }
}

#[test]
fn the_constants_of_every_loss_hold_on_its_scores() {
    let reach = 3.0;
    for loss in Loss::ALL {
        let bound = LinearBound::of_loss(loss, 100, 2.0, 1.5, 0.1);
        let grid = (-300..=300).map(|k| loss.at(f64::from(k) / 300.0 * reach));
        let (mut steepest, mut largest) = (0.0_f64, 0.0_f64);
        for at in grid {
            steepest = at.slope.iter().fold(steepest, |most, slope| most.max(slope.abs()));
            largest = at.value.iter().fold(largest, |most, value| most.max(*value));
        }
        assert!(steepest <= bound.lipschitz + 1e-12 && steepest > 0.9 * bound.lipschitz, "{loss:?}");
        assert!((largest - bound.largest_loss).abs() < 1e-12, "{loss:?}");
    }
}
