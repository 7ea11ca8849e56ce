//! Weights and ties mean the same to every estimate: an answer of weight 2 is that answer given twice, and a tie
//! is half an answer each way.

use serde_json::{Value, json};

use super::metrics::{Assumptions, HeldOut, MetricOptions, metrics, roc};
use super::prior::best_bin;
use super::{HeldOutScores, ProtocolTest};
use crate::data::{Answers, Comparisons};
use crate::prior::Prior;
use crate::protocol::{Collection, Protocol};
use crate::random::{ChaCha8Rng, Purpose, chance, stream, unit};

/// Answers with the scores of their items. Every other one comes from a protocol that drops pairs, the rest
/// from one that keeps all: what is found depends on how much each of them counts.
struct ScoredAnswers {
    scores: Vec<f32>,
    answers: Answers,
}

fn pair(rng: &mut ChaCha8Rng, protocol: Protocol) -> [f32; 2] {
    loop {
        let labels = [chance(rng, 0.4), chance(rng, 0.4)];
        let scores = labels.map(|positive| (unit(rng) + unit(rng) + f64::from(u8::from(positive))) as f32);
        let [first, second] = labels.map(|positive| usize::from(!positive));
        match (chance(rng, protocol.acceptance()[first][second]), protocol.collection()) {
            (true, _) => return scores,
            (false, Collection::ForcedChoice) => return [scores[1], scores[0]],
            (false, Collection::Discard) => {}
        }
    }
}

fn drawn(count: u32) -> ScoredAnswers {
    let mut rng = stream(12, Purpose::Comparisons);
    let pairs: Vec<[f32; 2]> = (0..count)
        .map(|k| pair(&mut rng, if k % 2 == 0 { Protocol::DISCARD } else { Protocol::FORCED_CHOICE }))
        .collect();
    ScoredAnswers { scores: pairs.concat(), answers: (0..count).map(|k| (2 * k, 2 * k + 1)).collect() }
}

impl ScoredAnswers {
    /// The scores of both sides.
    fn piles(&self, comparisons: &Comparisons) -> [Vec<f32>; 2] {
        let (likelier, other) = comparisons
            .iter()
            .map(|(a, b)| (self.scores[a as usize], self.scores[b as usize]))
            .unzip();
        [likelier, other]
    }

    /// As the models of so many folds gave them; an answer is in one fold.
    fn held_out(&self, comparisons: &Comparisons, folds: u32) -> HeldOutScores {
        let [likelier, other] = self.piles(comparisons);
        let fold: Vec<u32> = comparisons.iter().map(|(a, b)| a.min(b) / 2 % folds).collect();
        HeldOutScores::new(likelier, other, [fold.clone(), fold])
            .unwrap()
            .of(comparisons)
            .unwrap()
    }

    /// Everything that is estimated from these scores.
    fn estimates(&self, comparisons: &Comparisons, folds: u32) -> Value {
        let held_out = self.held_out(comparisons, folds);
        let prior = best_bin(&held_out, &Protocol::FORCED_CHOICE, 0.95).unwrap();
        let test = ProtocolTest::new(&held_out, 0.95).unwrap();
        assert!(test.additivity.is_some() && test.ratio.is_some());
        let [likelier, other] = self.piles(comparisons);
        let judged = HeldOut::pairs(&likelier, &other).unwrap().of(comparisons).unwrap();
        let known = Prior::new(0.4).unwrap();
        let assumptions = Assumptions::of_protocol(Protocol::FORCED_CHOICE, known).unwrap();
        let options = MetricOptions { threshold: 1.2, ..MetricOptions::default() };
        let metrics = metrics(&judged, &assumptions, &options).unwrap();
        let roc = roc(&judged, &assumptions, 0.95).unwrap();
        json!({"prior": prior, "protocol": test, "metrics": metrics, "roc": roc})
    }
}

/// Each answer so many times, in both orders where it is a tie, as one answer or each on its own.
fn given(answers: &Answers, times: impl Fn(usize) -> usize, one_answer: bool) -> Comparisons {
    let (mut likelier, mut other, mut groups) = (Vec::new(), Vec::new(), Vec::new());
    for (at, &(first, second)) in answers.pairs().iter().enumerate() {
        for time in 0..times(at) {
            let turned = answers.is_tie(at) && time % 2 == 1;
            let (a, b) = if turned { (second, first) } else { (first, second) };
            likelier.push(a);
            other.push(b);
            groups.push(at as u32);
        }
    }
    Comparisons::of_answers(likelier, other, None, one_answer.then_some(groups))
}

#[track_caller]
fn same(one: &Value, two: &Value, at: &str) {
    match (one, two) {
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            assert!((a - b).abs() <= 1e-9 * b.abs().max(1.0), "{at}: {a} is not {b}");
        }
        (Value::Array(a), Value::Array(b)) => {
            assert_eq!(a.len(), b.len(), "{at}");
            a.iter()
                .zip(b)
                .enumerate()
                .for_each(|(place, (a, b))| same(a, b, &format!("{at}[{place}]")));
        }
        (Value::Object(a), Value::Object(b)) => {
            assert!(a.keys().eq(b.keys()), "{at}");
            a.iter()
                .for_each(|(name, value)| same(value, &b[name], &format!("{at}.{name}")));
        }
        _ => assert_eq!(one, two, "{at}"),
    }
}

fn number(estimates: &Value, place: &str) -> f64 {
    estimates.pointer(place).unwrap().as_f64().unwrap()
}

const PLACES: [&str; 4] = [
    "/protocol/ratio/value",
    "/protocol/additivity/chi_square",
    "/prior/details/containment/0/value",
    "/metrics/accuracy/value",
];

#[test]
fn an_answer_of_weight_2_is_that_answer_given_twice() {
    let drawn = drawn(1200);
    let times = |at: usize| 2 - at % 2;
    let weights: Vec<f32> = (0..1200).map(|at| times(at) as f32).collect();
    let weighted = drawn.answers.clone().weighted(weights).unwrap().comparisons();
    let twice = given(&drawn.answers, times, true);
    assert_eq!((weighted.len(), twice.len()), (1200, 1800));
    for folds in [1, 3] {
        let [weighted, twice] = [&weighted, &twice].map(|all| drawn.estimates(all, folds));
        same(&weighted, &twice, "");
        let plain = drawn.estimates(&drawn.answers.comparisons(), folds);
        for place in PLACES {
            let (weighted, plain) = (number(&weighted, place), number(&plain, place));
            assert!((weighted - plain).abs() > 0.01 * plain.abs(), "{place}: weights change something");
        }
    }
}

#[test]
fn a_tie_is_half_an_answer_each_way() {
    let drawn = drawn(1200);
    let tied = drawn.answers.clone().tied((0..1200).map(|at| at % 3 == 0).collect()).unwrap();
    // Of weight 2, so that the halves are whole numbers.
    let halves = tied.clone().weighted(vec![2.0; 1200]).unwrap().comparisons();
    let both_ways = given(&tied, |_| 2, true);
    assert_eq!((halves.len(), both_ways.len()), (1600, 2400));
    for folds in [1, 3] {
        let [halves, both_ways] = [&halves, &both_ways].map(|all| drawn.estimates(all, folds));
        same(&halves, &both_ways, "");
        let left_out = drawn.answers.comparisons_of(|at| at % 3 != 0);
        let (halves, left_out) = (halves, drawn.estimates(&left_out, folds));
        for place in PLACES {
            let (halves, left_out) = (number(&halves, place), number(&left_out, place));
            assert!((halves - left_out).abs() > 0.01 * left_out.abs(), "{place}: ties are not left out");
        }
    }
}

#[test]
fn an_answer_of_weight_2_estimates_what_two_answers_do() {
    let drawn = drawn(3000);
    let times = |at: usize| 2 - at % 2;
    let weights: Vec<f32> = (0..3000).map(|at| times(at) as f32).collect();
    let weighted = drawn.answers.clone().weighted(weights).unwrap().comparisons();
    // In folds, so that the two are judged by the same model.
    let [weighted, repeated, plain] =
        [&weighted, &given(&drawn.answers, times, false), &drawn.answers.comparisons()]
            .map(|all| drawn.estimates(all, 3));
    for name in ["accuracy", "balanced_accuracy", "true_positive_rate", "precision", "f1", "auc"] {
        let [one, two] = [&weighted, &repeated].map(|of| number(of, &format!("/metrics/{name}/value")));
        assert!((one - two).abs() < 1e-12, "{name}: {one} is not {two}");
    }
    // These correct for the number of observations, and agree as far as 2,700 and 4,500 do.
    for (place, near, far) in [
        ("/protocol/ratio/value", 0.005, 0.05),
        ("/prior/details/containment/0/value", 1e-12, 0.02),
        ("/prior/details/containment/1/value", 1e-12, 0.02),
    ] {
        let [weighted, repeated, plain] = [&weighted, &repeated, &plain].map(|of| number(of, place));
        assert!((weighted - repeated).abs() < near, "{place}: {weighted} is not {repeated}");
        assert!((plain - repeated).abs() > far, "{place}: {plain} is {repeated}");
    }
}

#[cfg(feature = "engine")]
#[test]
fn weights_and_ties_count_in_calibration() {
    use super::calibration::{calibrate, calibration_curve};
    let drawn = drawn(1200);
    let known = Prior::new(0.4).unwrap();
    let assumptions = Assumptions::of_protocol(Protocol::FORCED_CHOICE, known).unwrap();
    let map = |comparisons: &Comparisons| {
        let [likelier, other] = drawn.piles(comparisons);
        let judged = HeldOut::pairs(&likelier, &other).unwrap().of(comparisons).unwrap();
        let found = calibrate(&judged, &assumptions);
        assert_eq!(found.shifted_only, None);
        let curve = calibration_curve(&judged, &assumptions, &found.map, 3, 0.95).unwrap();
        (f64::from(found.map.slope), f64::from(found.map.offset), curve.len())
    };
    let close = |one: (f64, f64, usize), two: (f64, f64, usize)| {
        let apart = (one.0 - two.0).abs().max((one.1 - two.1).abs());
        assert!(apart < 1e-5 && one.2 == two.2, "{one:?} is not {two:?}");
    };
    let weights = (0..1200).map(|at| (2 - at % 2) as f32).collect();
    let weighted = map(&drawn.answers.clone().weighted(weights).unwrap().comparisons());
    close(weighted, map(&given(&drawn.answers, |at| 2 - at % 2, false)));
    let plain = map(&drawn.answers.comparisons());
    assert!((weighted.0 - plain.0).abs() > 0.1, "{weighted:?} is {plain:?}");
    let tied = drawn.answers.clone().tied((0..1200).map(|at| at % 3 == 0).collect()).unwrap();
    let ties = map(&tied.comparisons());
    close(ties, map(&given(&tied, |_| 2, false)));
    assert!((ties.0 - plain.0).abs() > 0.1, "{ties:?} is {plain:?}");
}

#[test]
fn nothing_but_ties_tells_nothing() {
    let drawn = drawn(600);
    let ties = drawn.answers.clone().tied(vec![true; 600]).unwrap().comparisons();
    let held_out = drawn.held_out(&ties, 3);
    let test = ProtocolTest::new(&held_out, 0.95).unwrap();
    assert_eq!(test.ratio, None);
    let additivity = test.additivity.unwrap();
    assert!(additivity.chi_square < 1e-12 && additivity.probability > 0.999_999, "{additivity:?}");
    let prior = best_bin(&held_out, &Protocol::FORCED_CHOICE, 0.95).unwrap();
    assert!(prior.details.unwrap().containment.iter().all(|side| side.value == 1.0), "{prior:?}");
    let [likelier, other] = drawn.piles(&ties);
    let judged = HeldOut::pairs(&likelier, &other).unwrap().of(&ties).unwrap();
    let known = Prior::new(0.4).unwrap();
    let assumptions = Assumptions::of_protocol(Protocol::FORCED_CHOICE, known).unwrap();
    let found = metrics(&judged, &assumptions, &MetricOptions::default()).unwrap();
    assert!((found.auc.value - 0.5).abs() < 1e-12, "{:?}", found.auc);
    assert_eq!(found.true_positive_rate.value, found.false_positive_rate.value);
}

/// Forced choices with a coin between equals: `times` answers to each of `pairs` pairs, within `topics` of which each
/// has another share of positives, or of items that recur.
fn chosen(set: u64, pairs: u32, times: usize, topics: u32) -> (HeldOutScores, HeldOutScores) {
    let mut rng = stream(100 + set, Purpose::Comparisons);
    let (mut scores, mut listed, mut groups) = (Vec::new(), Vec::new(), Vec::new());
    for pair in 0..pairs {
        let topic = pair % topics;
        let prior = if topics == 1 { 0.4 } else { 0.1 + 0.8 * f64::from(topic) / f64::from(topics - 1) };
        let labels = [chance(&mut rng, prior), chance(&mut rng, prior)];
        for positive in labels {
            scores.push((unit(&mut rng) + unit(&mut rng) + if positive { 1.0 } else { 0.0 }) as f32);
        }
        for _ in 0..times {
            let first = if labels[0] == labels[1] { chance(&mut rng, 0.5) } else { labels[0] };
            let (a, b) = (2 * pair, 2 * pair + 1);
            listed.push(if first { (a, b) } else { (b, a) });
            groups.push(topic);
        }
    }
    let comparisons: Comparisons = listed.into_iter().collect();
    let fold: Vec<u32> = comparisons.iter().map(|(a, b)| a.min(b) / 2 % 5).collect();
    let (likelier, other) = comparisons
        .iter()
        .map(|(a, b)| (scores[a as usize], scores[b as usize]))
        .unzip();
    let plain = HeldOutScores::new(likelier, other, [fold.clone(), fold])
        .unwrap()
        .of(&comparisons)
        .unwrap();
    let grouped = plain.clone().grouped(groups).unwrap();
    (plain, grouped)
}

#[test]
fn pairs_asked_again_are_one_observation_to_every_test() {
    for times in [1, 2, 5] {
        let mut refuted = [0; 2];
        for set in 0..100 {
            let test = ProtocolTest::new(&chosen(set, 600, times, 1).0, 0.95).unwrap();
            refuted[0] += usize::from(test.forced_choice_probability < 0.05);
            refuted[1] += usize::from(test.additivity.unwrap().probability < 0.05);
        }
        // 5 expected, ± 2.2; asked again, additivity is tested with less than its level.
        assert!(refuted.iter().all(|count| *count <= 12), "{times}: {refuted:?} of 100");
    }
}

#[test]
fn pairs_made_within_topics_are_tested_within_topics() {
    for topics in [8, 40] {
        let mut refuted = [0; 2];
        for set in 0..60 {
            let (plain, grouped) = chosen(set, 2000, 1, topics);
            let of = |scores| ProtocolTest::new(scores, 0.95).unwrap().forced_choice_probability < 0.01;
            refuted[0] += usize::from(of(&plain));
            refuted[1] += usize::from(of(&grouped));
        }
        // Topics make random pairs look alike, as if others had been dropped. 0.6 expected within them.
        assert!(refuted[0] > 50 && refuted[1] <= 4, "{topics}: {refuted:?} of 60");
    }
    let (plain, _) = chosen(0, 20, 1, 1);
    assert!(plain.grouped(vec![0; 3]).is_err());
}
