//! Seeded simulations of what is found without labels: priors, protocols, labellers, each over many sets.

#![cfg(feature = "engine")]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use likelier::data::{Comparisons, Rows};
use likelier::estimate::labeller::{
    AskedAgain, error_from_asking_again, error_under_discard, error_under_forced_choice,
};
use likelier::estimate::prior::{PriorEstimator, best_bin, pool_moment, recommend};
use likelier::estimate::{
    CrossFit, Folds, HeldOutScores, ProtocolTest, Verdict, cross_fit, mixture_of, scorer,
};
use likelier::model::Architecture;
use likelier::random::{ChaCha8Rng, Purpose, chance, epoch_stream, unit};
use likelier::train::Control;
use likelier::{Collection, Protocol};

const SETS: u32 = 200;

fn normal(rng: &mut ChaCha8Rng) -> f64 {
    let radius = (-2.0 * (1.0 - unit(rng)).ln()).sqrt();
    radius * (2.0 * std::f64::consts::PI * unit(rng)).cos()
}

/// One drawn pair: its scores, its labels, and whether the first was said to be likelier.
struct Drawn {
    scores: [f32; 2],
    labels: [bool; 2],
    in_order: bool,
}

/// Scores N(0, 1) for negatives and N(separation, 1) for positives.
fn draw(rng: &mut ChaCha8Rng, protocol: Protocol, prior: f64, separation: f64) -> Drawn {
    let labels = [chance(rng, prior), chance(rng, prior)];
    let scores = labels.map(|positive| (normal(rng) + if positive { separation } else { 0.0 }) as f32);
    Drawn { scores, labels, in_order: answer(rng, protocol, labels) }
}

fn answer(rng: &mut ChaCha8Rng, protocol: Protocol, labels: [bool; 2]) -> bool {
    chance(rng, protocol.acceptance()[usize::from(!labels[0])][usize::from(!labels[1])])
}

/// Recorded comparisons' scores.
fn recorded(set: u32, protocol: Protocol, prior: f64, pairs: usize, separation: f64) -> HeldOutScores {
    let mut rng = epoch_stream(2, Purpose::Comparisons, set);
    let (mut likelier, mut other) = (Vec::new(), Vec::new());
    while likelier.len() < pairs {
        let Drawn { scores: [first, second], in_order, .. } = draw(&mut rng, protocol, prior, separation);
        if in_order || protocol.collection() == Collection::ForcedChoice {
            likelier.push(if in_order { first } else { second });
            other.push(if in_order { second } else { first });
        }
    }
    HeldOutScores::of_one_model(likelier, other).unwrap()
}

fn protocol(collection: Collection, error: f64) -> Protocol {
    Protocol::new(collection, error).unwrap()
}

fn named(collection: Collection) -> Verdict {
    match collection {
        Collection::Discard => Verdict::Discard,
        Collection::ForcedChoice => Verdict::ForcedChoice,
    }
}

#[test]
fn the_priors_interval_holds_it_as_often_as_it_says_and_the_estimate_beats_the_midpoint() {
    for collection in Collection::ALL {
        for (prior, pairs, separation, error) in [
            (0.2, 2000, 2.0, 0.0),
            (0.2, 2000, 3.0, 0.0),
            (0.5, 1000, 4.0, 0.0),
            (0.8, 2000, 3.0, 0.1),
            (0.35, 300, 4.0, 0.0),
        ] {
            let truth = protocol(collection, error);
            let (mut held, mut squares) = (0, [0.0; 2]);
            for set in 0..SETS {
                let scores = recorded(set, truth, prior, pairs, separation);
                let estimate = best_bin(&scores, &truth, 0.95).unwrap();
                let details = estimate.details.unwrap();
                held += u32::from(estimate.interval.is_some_and(|interval| interval.holds(prior)));
                squares[0] += (details.midpoint - prior).powi(2);
                squares[1] += (details.balanced - prior).powi(2);
            }
            let what = format!("{prior}, {pairs} pairs, {truth}, separation {separation}");
            assert!(held >= 190, "{what}: {held} of {SETS}");
            if prior < 0.3 {
                assert!(squares[1] < 0.5 * squares[0], "{what}: {squares:?}");
            }
        }
    }
}

#[test]
fn an_unknown_labeller_error_leaves_the_interval_honest() {
    for collection in Collection::ALL {
        let exact = protocol(collection, 0.0);
        let held = (0..SETS)
            .filter(|set| {
                let scores = recorded(*set, protocol(collection, 0.2), 0.3, 2000, 3.0);
                best_bin(&scores, &exact, 0.95)
                    .unwrap()
                    .interval
                    .is_some_and(|interval| interval.holds(0.3))
            })
            .count();
        assert!(held >= 190, "{collection}: {held} of {SETS}");
    }
}

#[test]
fn three_hundred_pairs_do_not_tell_the_prior() {
    for collection in Collection::ALL {
        for prior in [0.2, 0.5, 0.8] {
            let told = (0..SETS)
                .filter(|set| {
                    let scores = recorded(*set, protocol(collection, 0.0), prior, 300, 3.0);
                    let estimate = best_bin(&scores, &protocol(collection, 0.0), 0.95).unwrap();
                    recommend(vec![estimate]).recommended.is_some()
                })
                .count();
            assert!(told <= 20, "{collection} at {prior}: {told} of {SETS}");
            let enough = recorded(0, protocol(collection, 0.0), prior, 2500, 3.0);
            let report = recommend(vec![best_bin(&enough, &protocol(collection, 0.0), 0.95).unwrap()]);
            assert_eq!(report.recommended, Some(PriorEstimator::BestBin), "{:?}", report.reasons);
        }
    }
}

#[test]
fn dropped_or_not_is_named_right_in_nineteen_of_twenty_sets() {
    for collection in Collection::ALL {
        for (prior, error) in [(0.2, 0.0), (0.5, 0.0), (0.8, 0.0), (0.5, 0.2)] {
            let truth = protocol(collection, error);
            let (mut right, mut contradicted, mut believed) = (0, 0, 0);
            for set in 0..SETS {
                let test = ProtocolTest::new(&recorded(set, truth, prior, 2000, 3.0), 0.95).unwrap();
                right += u32::from(test.verdict == named(collection));
                contradicted += u32::from(test.contradiction(&truth).is_some());
                let other = Collection::ALL.into_iter().find(|one| *one != collection).unwrap();
                believed += u32::from(test.contradiction(&protocol(other, 0.0)).is_none());
            }
            let what = format!("{truth} at {prior}");
            assert!(right >= 190, "{what}: {right} of {SETS}");
            assert!(contradicted <= 6, "{what}: contradicted {contradicted} times, 2 expected");
            assert!(believed <= 10, "{what}: the other protocol was believed {believed} times");
        }
    }
}

#[test]
fn a_labeller_who_errs_is_flagged_and_an_exact_one_hardly_ever() {
    for collection in Collection::ALL {
        let flags = |error: f64| {
            let mut errors: Vec<f64> = Vec::new();
            let mut flagged = 0;
            for set in 0..SETS {
                let scores = recorded(set, protocol(collection, error), 0.5, 2000, 3.0);
                let found = match collection {
                    Collection::Discard => error_under_discard(&ProtocolTest::new(&scores, 0.95).unwrap()),
                    Collection::ForcedChoice => error_under_forced_choice(&scores, 0.95).unwrap(),
                };
                flagged += u32::from(found.flagged);
                errors.extend(found.error.map(|error| error.value));
            }
            errors.sort_unstable_by(f64::total_cmp);
            (flagged, errors[errors.len() / 2])
        };
        let (flagged, median) = flags(0.2);
        assert!(flagged >= 190, "{collection}: {flagged} of {SETS}");
        assert!((median - 0.2).abs() < 0.03, "{collection}: {median}");
        let (flagged, _) = flags(0.0);
        assert!(flagged <= 14, "{collection}: {flagged} false alarms, 5 expected");
    }
}

#[test]
fn asking_two_thousand_pairs_twice_finds_the_error_within_five_hundredths() {
    for prior in [0.35, 0.5] {
        for error in [0.1, 0.2] {
            let truth = protocol(Collection::ForcedChoice, error);
            let (mut near, mut held) = (0, 0);
            for set in 0..SETS {
                let mut rng = epoch_stream(3, Purpose::Comparisons, set);
                let (mut piles, mut asked) = ([Vec::new(), Vec::new()], AskedAgain::default());
                for _ in 0..2000 {
                    let pair = draw(&mut rng, truth, prior, 3.0);
                    let [first, second] = pair.scores;
                    piles[0].push(if pair.in_order { first } else { second });
                    piles[1].push(if pair.in_order { second } else { first });
                    asked.answers += 1;
                    asked.disagreements +=
                        usize::from(pair.in_order != answer(&mut rng, truth, pair.labels));
                }
                let [likelier, other] = piles;
                let scores = HeldOutScores::of_one_model(likelier, other).unwrap();
                // Neither the prior nor the error is known: the mixture gives the one, answers the other.
                let estimate = best_bin(&scores, &Protocol::FORCED_CHOICE, 0.95).unwrap();
                let kappa = estimate.details.unwrap().containment.map(|side| side.value);
                let pooled = mixture_of(kappa).unwrap().pooled_prior().unwrap();
                let known =
                    likelier::estimate::Interval { value: pooled.positive(), ..estimate.interval.unwrap() };
                let found = error_from_asking_again(&asked, &known, 0.95).unwrap().error.unwrap();
                near += u32::from((found.value - error).abs() <= 0.05);
                held += u32::from(found.holds(error));
            }
            assert!(near >= 190, "{error} at {prior}: {near} of {SETS}");
            assert!(held >= 190, "{error} at {prior}: held {held} of {SETS}");
        }
    }
}

/// Pairs by discard out of items that are each shown once: 0 with 1, 2 with 3 and so on.
fn kept_pairs(set: u32, labels: &[bool]) -> Comparisons {
    let mut rng = epoch_stream(4, Purpose::Comparisons, set);
    let mut kept = |at: usize| answer(&mut rng, Protocol::DISCARD, [labels[at], labels[at + 1]]);
    (0..labels.len())
        .step_by(2)
        .filter(|at| kept(*at))
        .map(|at| (at as u32, at as u32 + 1))
        .collect()
}

/// Items of two features, of which the first tells the classes apart.
fn items(set: u32, prior: f64, count: usize) -> (Rows<'static>, Vec<bool>) {
    let mut rng = epoch_stream(5, Purpose::Comparisons, set);
    let labels: Vec<bool> = (0..count).map(|_| chance(&mut rng, prior)).collect();
    let values = labels
        .iter()
        .flat_map(|positive| {
            let first = normal(&mut rng) + if *positive { 2.5 } else { 0.0 };
            [first as f32, normal(&mut rng) as f32]
        })
        .collect();
    (Rows::from_numbers(values, 2).unwrap(), labels)
}

fn fit<'a>(rows: &'a Rows<'_>, comparisons: &'a Comparisons) -> CrossFit<'a> {
    let folds = Folds::new(comparisons, rows.len(), 4, 1).unwrap();
    let config = scorer(Architecture::Linear, Protocol::DISCARD).unwrap();
    cross_fit(rows, comparisons, folds, &config, &Control::default(), |_, _| ()).unwrap()
}

#[test]
fn the_pool_gives_the_prior_under_discard_and_says_when_it_cannot() {
    for prior in [0.3, 0.7] {
        let (mut held, mut off) = (0, 0.0);
        for set in 0..15 {
            let (rows, labels) = items(set, prior, 2400);
            let comparisons = kept_pairs(set, &labels);
            let pool: Vec<u32> = (0..2400).collect();
            let fit = fit(&rows, &comparisons);
            let found = pool_moment(&fit, &pool, &Protocol::DISCARD, 0.95).unwrap();
            let interval = found.interval.unwrap();
            held += u32::from(interval.holds(prior));
            off += (interval.value - prior) / 15.0;
            if set == 0 {
                let compared: Vec<u32> = comparisons.iter().flat_map(|(a, b)| [a, b]).collect();
                let kept = pool_moment(&fit, &compared, &Protocol::DISCARD, 0.95).unwrap();
                assert!(
                    kept.interval.is_none() && kept.note.contains("nothing but the compared"),
                    "{}",
                    kept.note
                );
                let forced = pool_moment(&fit, &pool, &Protocol::FORCED_CHOICE, 0.95).unwrap();
                assert!(forced.interval.is_none() && forced.note.contains("adds nothing"));
                assert!(pool_moment(&fit, &[2400], &Protocol::DISCARD, 0.95).is_err());
                let none = pool_moment(&fit, &[], &Protocol::DISCARD, 0.95).unwrap();
                assert!(none.interval.is_none());
            }
        }
        assert!(held >= 13, "{held} of 15 at {prior}");
        assert!(off.abs() < 0.04, "off by {off} at {prior}");
    }
}
