//! Two classifiers on the same comparisons: how often the interval of their difference holds the truth.
//!
//! Scores are Gaussian given the class, N(±1, 1) and N(±0.7, 1) with correlated noise, so every true value is an
//! integral of the normal density. `cargo test --release --test differences -- --nocapture` prints the figures.

#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![allow(clippy::print_stdout, reason = "the figures are of interest")]

use likelier::data::{Comparisons, Label};
use likelier::estimate::Interval;
use likelier::estimate::metrics::{
    Assumptions, CutScores, HeldOut, MetricDifference, MetricOptions, metrics,
};
use likelier::generate::{Recipe, Sampling, draw};
use likelier::random::{ChaCha8Rng, Purpose, chance, stream, unit};
use likelier::{Prior, Protocol, Supervision};

const THRESHOLD: f64 = 0.25;
const CENTRES: [f64; 2] = [1.0, 0.7];

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

/// Two classifiers' scores of items with these labels; their noise has a correlation of 0.8.
fn scores(rng: &mut ChaCha8Rng, labels: &[Label]) -> [Vec<f32>; 2] {
    let both = labels.iter().map(|label| {
        let side = if label.is_positive() { 1.0 } else { -1.0 };
        let noise = normal(rng);
        let other = 0.8 * noise + 0.6 * normal(rng);
        ((CENTRES[0] * side + noise) as f32, (CENTRES[1] * side + other) as f32)
    });
    let (new, old) = both.unzip();
    [new, old]
}

fn cut(scores: &[Vec<f32>; 2]) -> [CutScores<'_>; 2] {
    [0, 1].map(|at| CutScores { scores: &scores[at], threshold: THRESHOLD as f32 })
}

/// Accuracy, balanced accuracy and AUC of the first minus those of the second.
fn truth(prior: f64) -> [f64; 3] {
    let of = CENTRES.map(|centre| {
        let hit = normal_cumulative(centre - THRESHOLD);
        let pass = normal_cumulative(centre + THRESHOLD);
        [
            prior * hit + (1.0 - prior) * pass,
            f64::midpoint(hit, pass),
            normal_cumulative(centre * 2.0_f64.sqrt()),
        ]
    });
    [0, 1, 2].map(|metric| of[0][metric] - of[1][metric])
}

fn listed(found: &MetricDifference) -> [Interval; 3] {
    [found.accuracy, found.balanced_accuracy, found.auc]
}

/// In how many of the data sets each interval holds the truth, and how wide they are on average.
fn coverage(what: &str, prior: f64, judge: impl Fn(&mut ChaCha8Rng) -> MetricDifference) -> [f64; 3] {
    const DATA_SETS: u64 = 1000;
    let truth = truth(prior);
    let (mut held, mut widths) = ([0.0; 3], [0.0; 3]);
    for seed in 0..DATA_SETS {
        let found = listed(&judge(&mut stream(2_000_000 + seed, Purpose::Comparisons)));
        for metric in 0..3 {
            held[metric] += f64::from(u8::from(found[metric].holds(truth[metric]))) / DATA_SETS as f64;
            widths[metric] += found[metric].width() / DATA_SETS as f64;
        }
    }
    println!("{what:30} prior {prior}: holds {held:.3?}, mean widths {widths:.3?}");
    held
}

fn drawn(
    rng: &mut ChaCha8Rng,
    items: usize,
    pairs: usize,
    prior: f64,
    protocol: Protocol,
) -> (Vec<Label>, Comparisons) {
    // Labels by chance, both classes at least twice, so that every kind of pair can be drawn.
    let mut labels: Vec<Label> = (0..items).map(|_| Label::positive_if(chance(rng, prior))).collect();
    for (at, positive) in [true, false, true, false].into_iter().enumerate() {
        labels[at] = Label::positive_if(positive);
    }
    let pool: Vec<u32> = (0..items as u32).collect();
    let prior = Prior::new(prior).unwrap();
    let recipe = Recipe { prior, protocol, pairs, sampling: Sampling::Independent, degrees: None };
    let evidence = draw(&labels, &pool, &recipe, rng).unwrap().evidence;
    (labels, Supervision::new(evidence).comparisons().unwrap())
}

#[test]
fn the_interval_of_a_difference_holds_the_truth_as_often_as_it_says() {
    for prior in [0.2, 0.5] {
        for protocol in [Protocol::DISCARD, Protocol::FORCED_CHOICE] {
            // The second has items that occur in six comparisons.
            for (items, pairs) in [(4_000, 300), (200, 600)] {
                let assumptions = Assumptions::of_protocol(protocol, Prior::new(prior).unwrap()).unwrap();
                let held = coverage(&format!("{protocol}, {items} items"), prior, |rng| {
                    let (labels, comparisons) = drawn(rng, items, pairs, prior, protocol);
                    let scores = scores(rng, &labels);
                    let [new, old] = cut(&scores);
                    MetricDifference::by_comparisons(new, old, &comparisons, &assumptions, 0.95).unwrap()
                });
                // 1,000 data sets: a standard error of 0.007.
                assert!(
                    held.iter().all(|held| (0.925..=0.98).contains(held)),
                    "{protocol} {prior}: {held:?}"
                );
            }
        }
    }
}

#[test]
fn with_labels_it_holds_the_truth_as_well() {
    for prior in [0.2, 0.5] {
        let held = coverage("labels", prior, |rng| {
            let labels: Vec<Label> =
                (0..300).map(|at| Label::positive_if(f64::from(at) < 300.0 * prior)).collect();
            let scores = scores(rng, &labels);
            let [new, old] = cut(&scores);
            MetricDifference::by_labels(new, old, &labels, 0.95).unwrap()
        });
        assert!(held.iter().all(|held| (0.925..=0.98).contains(held)), "{prior}: {held:?}");
    }
}

#[test]
fn a_difference_is_that_of_the_two_estimates_and_turns_its_sign() {
    let rng = &mut stream(5, Purpose::Comparisons);
    let (labels, comparisons) = drawn(rng, 100, 250, 0.4, Protocol::FORCED_CHOICE);
    let weights: Vec<f32> = (0..250).map(|at| (1 + at % 3) as f32).collect();
    let comparisons = comparisons.weighted(weights).unwrap();
    let scores = scores(rng, &labels);
    let assumptions = Assumptions::of_protocol(Protocol::FORCED_CHOICE, Prior::new(0.4).unwrap()).unwrap();
    let [new, old] = cut(&scores);
    let judge = |of: CutScores<'_>| {
        let side = |rows: Vec<u32>| rows.iter().map(|row| of.scores[*row as usize]).collect::<Vec<_>>();
        let (likelier, other): (Vec<u32>, Vec<u32>) = comparisons.iter().unzip();
        let (likelier, other) = (side(likelier), side(other));
        let held_out = HeldOut::pairs(&likelier, &other).unwrap().of(&comparisons).unwrap();
        let options = MetricOptions { threshold: of.threshold, ..MetricOptions::default() };
        let found = metrics(&held_out, &assumptions, &options).unwrap();
        [found.accuracy, found.balanced_accuracy, found.auc]
    };
    let found = MetricDifference::by_comparisons(new, old, &comparisons, &assumptions, 0.95).unwrap();
    let turned = MetricDifference::by_comparisons(old, new, &comparisons, &assumptions, 0.95).unwrap();
    for ((found, turned), (new, old)) in listed(&found)
        .iter()
        .zip(listed(&turned))
        .zip(judge(new).iter().zip(judge(old)))
    {
        assert!((found.value - (new.value - old.value)).abs() < 1e-12, "{found:?}");
        assert!((found.value + turned.value).abs() < 1e-12 && (found.low + turned.high).abs() < 1e-12);
        assert!(found.width() < new.width().hypot(old.width()), "what both share drops out: {found:?}");
    }
}

#[test]
fn a_classifier_differs_from_itself_by_nothing_and_one_that_merely_agrees_may_differ() {
    let rng = &mut stream(6, Purpose::Comparisons);
    let (labels, comparisons) = drawn(rng, 100, 250, 0.4, Protocol::DISCARD);
    let [mut scores, _] = scores(rng, &labels);
    let assumptions = Assumptions::of_protocol(Protocol::DISCARD, Prior::new(0.4).unwrap()).unwrap();
    let original = scores.clone();
    let one = CutScores { scores: &original, threshold: 0.0 };
    let itself = [
        MetricDifference::by_comparisons(one, one, &comparisons, &assumptions, 0.95).unwrap(),
        MetricDifference::by_labels(one, one, &labels, 0.95).unwrap(),
    ];
    for interval in itself.iter().flat_map(listed) {
        assert_eq!((interval.value, interval.low, interval.high), (0.0, 0.0, 0.0));
    }
    for score in &mut scores {
        *score *= 2.0;
    }
    let doubled = CutScores { scores: &scores, threshold: 0.0 };
    let found = MetricDifference::by_comparisons(doubled, one, &comparisons, &assumptions, 0.95).unwrap();
    assert_eq!(found.accuracy.value, 0.0);
    assert!(found.accuracy.low < 0.0 && found.accuracy.high > 0.0, "250 comparisons are not all");
    assert_eq!((found.auc.low, found.auc.high), (0.0, 0.0), "the same order");
}

#[test]
fn with_labels_values_are_counts_and_the_error_of_auc_is_the_known_one() {
    let rng = &mut stream(7, Purpose::Comparisons);
    let labels: Vec<Label> = (0..90).map(|at| Label::positive_if(at % 3 == 0)).collect();
    let scores = scores(rng, &labels);
    let [new, old] = cut(&scores);
    let found = MetricDifference::by_labels(new, old, &labels, 0.95).unwrap();
    let right = |of: CutScores<'_>, at: usize| (of.scores[at] > of.threshold) == labels[at].is_positive();
    let count = |of: CutScores<'_>| (0..90).filter(|at| right(of, *at)).count() as f64;
    assert!((found.accuracy.value - (count(new) - count(old)) / 90.0).abs() < 1e-12);
    // DeLong, DeLong and Clarke-Pearson (1988), by counting all pairs.
    let of_class =
        |positive: bool| (0..90).filter(move |at| (at % 3 == 0) == positive).collect::<Vec<usize>>();
    let (positives, negatives) = (of_class(true), of_class(false));
    let wins = |of: CutScores<'_>, x: usize, y: usize| f64::from(u8::from(of.scores[x] > of.scores[y]));
    let gain = |x: usize, y: usize| wins(new, x, y) - wins(old, x, y);
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let of_positives: Vec<f64> = positives
        .iter()
        .map(|x| mean(&negatives.iter().map(|y| gain(*x, *y)).collect::<Vec<_>>()))
        .collect();
    let of_negatives: Vec<f64> = negatives
        .iter()
        .map(|y| mean(&positives.iter().map(|x| gain(*x, *y)).collect::<Vec<_>>()))
        .collect();
    let variance = |values: &[f64]| {
        let centre = mean(values);
        let count = values.len() as f64;
        values.iter().map(|value| (value - centre).powi(2)).sum::<f64>() / (count - 1.0) / count
    };
    assert!((found.auc.value - mean(&of_positives)).abs() < 1e-12);
    let half = 1.959_963_984_540_054 * (variance(&of_positives) + variance(&of_negatives)).sqrt();
    assert!((found.auc.width() / 2.0 - half).abs() < 1e-9, "{} is not {half}", found.auc.width() / 2.0);
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let comparisons: Comparisons = (0..20).map(|k| (k, k + 20)).collect();
    let assumptions = Assumptions::of_protocol(Protocol::DISCARD, Prior::new(0.4).unwrap()).unwrap();
    let of = |scores| CutScores { scores, threshold: 0.0 };
    let judge =
        |new, old| MetricDifference::by_comparisons(of(new), of(old), &comparisons, &assumptions, 0.95);
    assert!(judge(&[0.0; 40], &[0.0; 40]).is_ok());
    assert!(judge(&[0.0; 40], &[0.0; 41]).is_err());
    assert!(judge(&[0.0; 39], &[0.0; 39]).is_err(), "an item without a score");
    assert!(judge(&[f32::NAN; 40], &[0.0; 40]).is_err());
    let labels = vec![Label::Positive; 40];
    assert!(
        MetricDifference::by_labels(of(&[0.0; 40]), of(&[0.0; 40]), &labels, 0.95).is_err(),
        "one class"
    );
    assert!(MetricDifference::by_labels(of(&[0.0; 40]), of(&[0.0; 40]), &labels[..39], 0.95).is_err());
}
