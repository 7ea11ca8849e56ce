//! Answers as people give them: ties, people who differ, pairs asked again, labels.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use likelier::data::{Annotators, ShownSide, Texts};
use likelier::random::{ChaCha8Rng, Purpose, below, chance, stream, unit};
use likelier::train::Control;
use likelier::{
    Answers, Collection, Equals, Error, FitOptions, Fitted, Label, LabelsChosen, Method, Prior, Protocol,
    RateSource, Rows, Supervision, TieRates, fit, fit_with,
};

const FEATURES: usize = 5;

/// Items of two classes that are apart along the first feature, and nothing along the others.
struct World {
    rows: Rows<'static>,
    labels: Vec<bool>,
    first: Vec<f64>,
    rng: ChaCha8Rng,
}

impl World {
    fn new(items: usize, prior: f64, apart: f64, seed: u64) -> Self {
        let mut rng = stream(seed, Purpose::Comparisons);
        let normal = |rng: &mut ChaCha8Rng| (0..12).map(|_| unit(rng)).sum::<f64>() - 6.0;
        let (mut values, mut labels, mut first) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..items {
            let positive = chance(&mut rng, prior);
            let lead = normal(&mut rng) + if positive { apart } else { 0.0 };
            values.push(lead as f32);
            values.extend((1..FEATURES).map(|_| normal(&mut rng) as f32));
            labels.push(positive);
            first.push(lead);
        }
        Self { rows: Rows::from_numbers(values, FEATURES).unwrap(), labels, first, rng }
    }

    /// Two different items.
    fn pair(&mut self) -> (u32, u32) {
        let a = below(&mut self.rng, self.labels.len());
        let b = (a + 1 + below(&mut self.rng, self.labels.len() - 1)) % self.labels.len();
        (a as u32, b as u32)
    }

    /// The pair with the item first that is put first.
    fn ordered(&mut self, (a, b): (u32, u32), error: f64, degree: f64) -> (u32, u32) {
        let (one, two) = (self.labels[a as usize], self.labels[b as usize]);
        let first = if one == two {
            let gap = degree * (self.first[a as usize] - self.first[b as usize]);
            chance(&mut self.rng, 1.0 / (1.0 + (-gap).exp()))
        } else {
            one != chance(&mut self.rng, error)
        };
        if first { (a, b) } else { (b, a) }
    }
}

fn supervision(answers: Answers, prior: f64) -> Supervision {
    Supervision::new(answers)
        .protocol(Protocol::FORCED_CHOICE)
        .prior(Prior::new(prior).unwrap())
        .equals(Equals::Coin)
}

fn fitted(world: &World, supervision: &Supervision) -> Fitted {
    fit(&world.rows, supervision, &FitOptions::new().hold_out(0.0)).unwrap()
}

/// Answers with ties.
fn tied(world: &mut World, count: usize, same: f64, mixed: f64) -> Answers {
    let (mut pairs, mut ties) = (Vec::new(), Vec::new());
    for _ in 0..count {
        let pair = world.pair();
        let alike = world.labels[pair.0 as usize] == world.labels[pair.1 as usize];
        ties.push(chance(&mut world.rng, if alike { same } else { mixed }));
        pairs.push(world.ordered(pair, 0.0, 0.0));
    }
    pairs.into_iter().collect::<Answers>().tied(ties).unwrap()
}

#[test]
fn the_rates_of_ties_are_found_and_ties_that_say_nothing_are_not_taken_to_say_something() {
    for (same, mixed) in [(0.5, 0.1), (0.3, 0.3)] {
        let mut world = World::new(4000, 0.4, 2.5, 1);
        let answers = tied(&mut world, 2500, same, mixed);
        let replies = fitted(&world, &supervision(answers, 0.4)).replies.unwrap();
        let ranges = replies.tie_intervals.unwrap();
        assert!(ranges.same_class.holds(same) && ranges.mixed.holds(mixed), "{same}/{mixed}: {ranges:?}");
        assert!(ranges.same_class.width() < 0.3 && ranges.mixed.width() < 0.3, "{ranges:?}");
        assert_eq!((replies.errors_from, replies.error_intervals), (RateSource::Stated, None));
        assert_eq!((replies.ties_from, replies.degree_known), (Some(RateSource::Estimated), false));
        let rates = replies.rates;
        let found = rates.ties.unwrap();
        assert!((found.same_class() - same).abs() < 0.06, "{same}/{mixed}: {found:?}");
        assert!((found.mixed() - mixed).abs() < 0.06, "{same}/{mixed}: {found:?}");
        assert_eq!((rates.errors, rates.degree), (vec![0.0], 0.0));
    }
}

#[test]
fn comparisons_alone_and_the_other_protocol_have_no_rates() {
    let mut world = World::new(1000, 0.4, 2.0, 2);
    let answers = tied(&mut world, 400, 0.5, 0.1);
    let plain: Answers = answers.pairs().iter().copied().collect();
    assert!(fitted(&world, &supervision(plain, 0.4)).replies.is_none());
    let discard = supervision(answers.clone(), 0.4).protocol(Protocol::DISCARD);
    assert!(fitted(&world, &discard).replies.is_none());
    let options = FitOptions::new().hold_out(0.0).plain_comparisons(true);
    assert!(
        fit(&world.rows, &supervision(answers, 0.4), &options)
            .unwrap()
            .replies
            .is_none()
    );
}

/// So many people, each with an error, and a share of the pairs asked again.
fn by_people(
    world: &mut World,
    count: usize,
    people: usize,
    error: impl Fn(usize) -> f64,
    again: f64,
) -> Answers {
    let (mut pairs, mut of) = (Vec::new(), Vec::new());
    while pairs.len() < count {
        let pair = world.pair();
        for _ in 0..if chance(&mut world.rng, again) { 2 } else { 1 } {
            let person = below(&mut world.rng, people);
            pairs.push(world.ordered(pair, error(person), 0.0));
            of.push(person as u32);
        }
    }
    let names: Vec<String> = (0..people).map(|person| format!("p{person}")).collect();
    let names: Texts = names.iter().map(String::as_str).collect();
    pairs.into_iter().collect::<Answers>().by(Annotators { names, of }).unwrap()
}

#[test]
fn people_who_differ_get_an_error_each_and_people_who_do_not_share_one() {
    let mut world = World::new(1500, 0.5, 2.5, 3);
    let errors = |person: usize| [0.02, 0.1, 0.2, 0.4][person % 4];
    let answers = by_people(&mut world, 4000, 8, errors, 0.1);
    let replies = fitted(&world, &supervision(answers, 0.5)).replies.unwrap();
    let ranges = replies.error_intervals.unwrap();
    assert_eq!((replies.rates.errors.len(), ranges.len()), (8, 8));
    for (person, (found, range)) in replies.rates.errors.iter().zip(&ranges).enumerate() {
        assert!((found - errors(person)).abs() < 0.1, "person {person}: {found}");
        assert!(range.holds(*found) && range.width() < 0.4, "person {person}: {range:?}");
    }
    assert_eq!((replies.errors_from, replies.degree_known), (RateSource::Estimated, true));
    let mut shared = 0;
    for seed in 0..5 {
        let mut world = World::new(1500, 0.5, 2.5, 10 + seed);
        let answers = by_people(&mut world, 1500, 8, |_| 0.1, 0.1);
        let replies = fitted(&world, &supervision(answers, 0.5)).replies.unwrap();
        let alike = replies.rates.errors.len() == 1;
        assert_eq!(replies.people_differ, Some(!alike));
        assert_eq!(replies.error_intervals.map(|ranges| ranges.len()), Some(replies.rates.errors.len()));
        shared += usize::from(alike);
    }
    assert!(shared >= 4, "{shared} of 5 shared one error");
}

#[test]
fn without_repetitions_only_differences_between_people_are_told() {
    let mut world = World::new(1500, 0.5, 2.5, 3);
    let answers = by_people(&mut world, 4000, 8, |person| [0.02, 0.4][person % 2], 0.0);
    let found = |stated: f64| {
        let protocol = Protocol::new(Collection::ForcedChoice, stated).unwrap();
        fitted(&world, &supervision(answers.clone(), 0.5).protocol(protocol))
            .replies
            .unwrap()
    };
    let free = found(0.0);
    assert_eq!((free.errors_from, free.error_intervals), (RateSource::UpToALevel, None));
    let held = found(0.21);
    assert_eq!(held.errors_from, RateSource::AroundStated);
    assert_eq!(held.error_intervals.unwrap().len(), 8);
    for errors in [free.rates.errors, held.rates.errors] {
        assert!((0..8).step_by(2).all(|person| errors[person] < errors[person + 1]), "{errors:?}");
    }
}

#[test]
fn people_who_are_all_alike_or_answered_once_train_as_if_nobody_were_named() {
    for people in [8, 600] {
        let mut world = World::new(1500, 0.5, 2.5, 12);
        let named = if people == 8 {
            by_people(&mut world, 600, people, |_| 0.1, 0.0)
        } else {
            // Each of them once.
            let pairs: Vec<(u32, u32)> = (0..people)
                .map(|_| {
                    let pair = world.pair();
                    world.ordered(pair, 0.1, 0.0)
                })
                .collect();
            let names: Vec<String> = (0..people).map(|person| format!("p{person}")).collect();
            let names: Texts = names.iter().map(String::as_str).collect();
            let of = (0..people as u32).collect();
            pairs.into_iter().collect::<Answers>().by(Annotators { names, of }).unwrap()
        };
        let unnamed: Answers = named.pairs().iter().copied().collect();
        let with = fitted(&world, &supervision(named, 0.5));
        let replies = with.replies.unwrap();
        assert_eq!(replies.people_differ, Some(false), "{people}: {:?}", replies.rates);
        assert_eq!((replies.errors_from, &replies.rates.errors[..]), (RateSource::Stated, &[0.0][..]));
        let without = fitted(&world, &supervision(unnamed, 0.5));
        assert!(without.replies.is_none());
        assert_eq!(with.classifier.to_bytes().unwrap(), without.classifier.to_bytes().unwrap());
    }
}

#[test]
fn a_grading_is_seen_in_pairs_that_were_asked_again() {
    let degrees = [0.0, 4.0].map(|degree| {
        let mut world = World::new(3000, 0.4, 2.0, 4);
        let mut pairs = Vec::new();
        for _ in 0..1500 {
            let pair = world.pair();
            for _ in 0..if chance(&mut world.rng, 0.3) { 2 } else { 1 } {
                pairs.push(world.ordered(pair, 0.0, degree));
            }
        }
        fitted(&world, &supervision(pairs.into_iter().collect(), 0.4))
            .replies
            .unwrap()
            .rates
            .degree
    });
    assert_eq!(degrees[0], 0.0);
    assert!(degrees[1] > 0.0, "{degrees:?}");
}

/// Where the picked items stand.
type Sides = Vec<Option<ShownSide>>;

/// Answers of people of whom each picks what stands on the left in a share of them, below 0 on the right, whatever it is.
/// The item with more of the first feature, the only one that tells the classes apart, is on the left, or sides are drawn.
fn leaning(
    world: &mut World,
    count: usize,
    by: &[f64],
    error: f64,
    drawn: bool,
) -> (Vec<(u32, u32)>, Sides, Vec<u32>) {
    let (mut pairs, mut sides, mut of) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..count {
        let (a, b) = world.pair();
        let a_left = if drawn {
            chance(&mut world.rng, 0.5)
        } else {
            world.first[a as usize] > world.first[b as usize]
        };
        let person = below(&mut world.rng, by.len());
        let blind = chance(&mut world.rng, by[person].abs());
        let by_side = if a_left == (by[person] > 0.0) { (a, b) } else { (b, a) };
        let (one, two) = if blind { by_side } else { world.ordered((a, b), error, 0.0) };
        sides.push(Some(if (one == a) == a_left { ShownSide::Left } else { ShownSide::Right }));
        pairs.push((one, two));
        of.push(person as u32);
    }
    (pairs, sides, of)
}

fn accuracy(classifier: &likelier::Classifier, fresh: &World) -> f64 {
    let called = classifier.predict(&fresh.rows).unwrap();
    let right = called.iter().zip(&fresh.labels).filter(|(call, is)| call.is_positive() == **is);
    right.count() as f64 / fresh.labels.len() as f64
}

#[test]
fn a_leaning_to_a_side_is_found_however_items_were_placed() {
    let fresh = World::new(4000, 0.4, 2.0, 90);
    for (seed, (true_leaning, drawn)) in
        (30..).zip([(0.4, true), (-0.4, true), (0.4, false), (-0.4, false)])
    {
        let mut world = World::new(3000, 0.4, 2.0, seed);
        let (pairs, sides, _) = leaning(&mut world, 2000, &[true_leaning], 0.0, drawn);
        let answers = || pairs.iter().copied().collect::<Answers>();
        let known = fitted(&world, &supervision(answers().shown(sides).unwrap(), 0.4));
        let warned = known.warnings.iter().map(likelier::Warning::code).collect::<Vec<_>>();
        assert!(warned.contains(&"picks-by-side"), "{warned:?}");
        let unknown = fitted(&world, &supervision(answers(), 0.4));
        assert!(unknown.replies.is_none());
        let replies = known.replies.unwrap();
        let [range] = &replies.leaning_intervals.unwrap()[..] else { panic!("one leaning") };
        assert!(range.holds(true_leaning) && range.width() < 0.3, "{true_leaning}, {drawn}: {range:?}");
        assert_eq!(replies.by_side, Some(replies.rates.leanings[0].abs()));
        assert_eq!(replies.errors_from, RateSource::Stated);
        let [with, without] =
            [known.classifier, unknown.classifier].map(|classifier| accuracy(&classifier, &fresh));
        // Where what is likelier stands on the left, people who lean to the left are right more often.
        let gain = if !drawn && true_leaning < 0.0 { 0.02 } else { -0.005 };
        assert!(with > without + gain, "{true_leaning}, {drawn}: {with}, {without}");
    }
}

#[test]
fn people_who_lean_apart_get_a_leaning_each() {
    let mut world = World::new(2000, 0.5, 2.5, 40);
    let own = [0.0, 0.6, 0.0, -0.5];
    let (pairs, sides, of) = leaning(&mut world, 3000, &own, 0.05, true);
    let names: Texts = ["a", "b", "c", "d"].into_iter().collect();
    let answers: Answers = pairs.into_iter().collect();
    let answers = answers.shown(sides).unwrap().by(Annotators { names, of }).unwrap();
    let protocol = Protocol::new(Collection::ForcedChoice, 0.05).unwrap();
    let replies = fitted(&world, &supervision(answers, 0.5).protocol(protocol)).replies.unwrap();
    let ranges = replies.leaning_intervals.unwrap();
    for (person, (found, own)) in replies.rates.leanings.iter().zip(own).enumerate() {
        assert!((found - own).abs() < 0.15, "{person}: {found}");
    }
    assert_eq!(ranges.len(), 4);
    assert!(ranges[1].holds(0.6) && ranges[3].holds(-0.5), "{ranges:?}");
}

#[test]
fn a_leaning_is_found_beside_ties_and_the_ties_beside_it() {
    let mut held = [0; 3];
    for seed in 0..10 {
        let mut world = World::new(3000, 0.4, 2.5, 50 + seed);
        let (mut pairs, mut sides, mut ties) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..1500 {
            // The first stands on the left.
            let pair = world.pair();
            let alike = world.labels[pair.0 as usize] == world.labels[pair.1 as usize];
            let blind = chance(&mut world.rng, 0.3);
            let tied = !blind && chance(&mut world.rng, if alike { 0.5 } else { 0.1 });
            let picked = if blind { pair } else { world.ordered(pair, 0.0, 0.0) };
            let side = if picked == pair { ShownSide::Left } else { ShownSide::Right };
            sides.push(Some(side).filter(|_| !tied));
            pairs.push(picked);
            ties.push(tied);
        }
        let answers: Answers = pairs.into_iter().collect();
        let answers = answers.tied(ties).unwrap().shown(sides).unwrap();
        let protocol = Protocol::new(Collection::ForcedChoice, 0.15).unwrap();
        let replies = fitted(&world, &supervision(answers, 0.4).protocol(protocol)).replies.unwrap();
        let ranges = replies.leaning_intervals.unwrap();
        let tied = replies.tie_intervals.unwrap();
        let found = [(&ranges[0], 0.3), (&tied.same_class, 0.5), (&tied.mixed, 0.1)];
        for (held, (range, truth)) in held.iter_mut().zip(found) {
            assert!((range.value - truth).abs() < 0.12, "seed {seed}: {truth}, {range:?}");
            *held += usize::from(range.holds(truth));
        }
    }
    assert!(held.iter().all(|held| *held >= 8), "{held:?} of 10");
}

#[test]
fn opposite_leanings_are_told_apart_where_people_answer_the_same_pairs() {
    let mut world = World::new(1500, 0.5, 2.5, 45);
    let (mut pairs, mut sides, mut of) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..900 {
        let pair = world.pair();
        for (person, leaning) in [(0, 0.5), (1, -0.5)] {
            let left_first = chance(&mut world.rng, 0.5);
            let shown = if left_first { pair } else { (pair.1, pair.0) };
            let picked = if chance(&mut world.rng, 0.5) {
                if leaning > 0.0 { shown } else { (shown.1, shown.0) }
            } else {
                world.ordered(shown, 0.0, 0.0)
            };
            sides.push(Some(if picked == shown { ShownSide::Left } else { ShownSide::Right }));
            pairs.push(picked);
            of.push(person);
        }
    }
    let names: Texts = ["left", "right"].into_iter().collect();
    let answers: Answers = pairs.into_iter().collect();
    let answers = answers.shown(sides).unwrap().by(Annotators { names, of }).unwrap();
    let replies = fitted(&world, &supervision(answers, 0.5)).replies.unwrap();
    let [left, right] = replies.rates.leanings[..] else { panic!("{:?}", replies.rates) };
    assert!((left - 0.5).abs() < 0.12 && (right + 0.5).abs() < 0.12, "{left}, {right}");
    for (range, own) in replies.leaning_intervals.unwrap().iter().zip(&replies.rates.leanings) {
        assert_eq!(range.value, *own);
    }
}

#[test]
fn sides_without_a_leaning_change_nothing() {
    let mut alike = 0;
    for seed in 0..5 {
        let mut world = World::new(1500, 0.4, 2.0, 60 + seed);
        let (pairs, sides, _) = leaning(&mut world, 800, &[0.0], 0.1, true);
        let answers = || pairs.iter().copied().collect::<Answers>();
        let protocol = Protocol::new(Collection::ForcedChoice, 0.1).unwrap();
        let told = |answers| fitted(&world, &supervision(answers, 0.4).protocol(protocol));
        let with = told(answers().shown(sides).unwrap());
        let replies = with.replies.unwrap();
        if replies.rates.leanings.is_empty() {
            let without = told(answers());
            assert_eq!(with.classifier.to_bytes().unwrap(), without.classifier.to_bytes().unwrap());
            assert_eq!((replies.by_side, replies.leaning_intervals), (Some(0.0), None));
            alike += 1;
        }
    }
    assert!(alike >= 4, "{alike} of 5 found no leaning");
}

#[test]
fn the_same_bytes_at_any_number_of_threads() {
    let mut world = World::new(800, 0.4, 2.0, 5);
    let answers = tied(&mut world, 400, 0.5, 0.1);
    let supervision = supervision(answers, 0.4);
    let bytes = [1, 2].map(|threads| {
        let control = Control { threads: Some(threads), ..Control::default() };
        let options = FitOptions::new();
        let fitted = fit_with(&world.rows, &supervision, &options, &control, &mut |_| ()).unwrap();
        fitted.classifier.to_bytes().unwrap()
    });
    assert_eq!(bytes[0], bytes[1]);
}

/// Labels of some of the items, compared ones and others.
fn known(world: &World, count: usize) -> Vec<Option<Label>> {
    let every = world.labels.len() / count;
    let label =
        |(item, positive): (usize, &bool)| (item % every == 0).then(|| Label::positive_if(*positive));
    world.labels.iter().enumerate().map(label).collect()
}

#[test]
fn labels_improve_a_classifier_that_has_few_comparisons() {
    let mut gained = 0.0;
    for seed in 0..5 {
        let mut world = World::new(1200, 0.4, 1.5, 20 + seed);
        let pairs: Answers = (0..60)
            .map(|_| {
                let pair = world.pair();
                world.ordered(pair, 0.0, 0.0)
            })
            .collect();
        let plain = supervision(pairs, 0.4);
        let labelled = plain
            .clone()
            .audited(known(&world, 200), LabelsChosen::Other)
            .labels_train(true);
        let fresh = World::new(4000, 0.4, 1.5, 50 + seed);
        let accuracy = |fitted: &Fitted| {
            let called = fitted.classifier.predict(&fresh.rows).unwrap();
            let right = called.iter().zip(&fresh.labels).filter(|(call, is)| call.is_positive() == **is);
            right.count() as f64 / fresh.labels.len() as f64
        };
        gained += (accuracy(&fitted(&world, &labelled)) - accuracy(&fitted(&world, &plain))) / 5.0;
    }
    assert!(gained > 0.01, "{gained}");
}

#[test]
fn labels_that_were_trained_on_do_not_flatter_the_classifier_that_they_judge() {
    // Nothing can be learned: a label that the judged model knew would look right more often than a coin.
    let mut truth = 0.0;
    let mut judged = 0.0;
    for seed in 0..6 {
        let mut rng = stream(seed, Purpose::Split);
        let width = 40;
        let values: Vec<f32> = (0..400 * width).map(|_| unit(&mut rng) as f32).collect();
        let rows = Rows::from_numbers(values, width).unwrap();
        let labels: Vec<Option<Label>> = (0..400)
            .map(|item| (item % 2 == 0).then(|| Label::positive_if(chance(&mut rng, 0.5))))
            .collect();
        // Half of the labelled items were compared.
        let answers: Answers = (0..100).map(|pair| (2 * pair, 2 * pair + 1)).collect();
        let supervision = supervision(answers, 0.5)
            .audited(labels.clone(), LabelsChosen::Random)
            .labels_train(true);
        let fitted = fit(&rows, &supervision, &FitOptions::new()).unwrap();
        judged += fitted.audit.unwrap().accuracy.value / 6.0;
        let called = fitted.classifier.predict(&rows).unwrap();
        let known = called.iter().zip(&labels).filter_map(|(call, label)| Some((*call, (*label)?)));
        let right = known.clone().filter(|(call, label)| call == label).count() as f64;
        truth += right / known.count() as f64 / 6.0;
    }
    assert!(truth > 0.6, "the labels were not trained on: {truth}");
    assert!((judged - 0.5).abs() < 0.05, "{judged}");
}

#[test]
fn labels_that_contradict_comparisons_are_told_and_nothing_breaks_where_they_train() {
    let mut world = World::new(300, 0.5, 2.0, 9);
    let pairs: Answers = (0..150)
        .map(|_| {
            let pair = world.pair();
            world.ordered(pair, 0.0, 0.0)
        })
        .collect();
    let swapped = world
        .labels
        .iter()
        .map(|positive| Some(Label::positive_if(!positive)))
        .collect();
    let protocol = Protocol::new(Collection::ForcedChoice, 0.0).unwrap();
    let supervision = supervision(pairs, 0.5)
        .protocol(protocol)
        .audited(swapped, LabelsChosen::Random);
    let judged = fit(&world.rows, &supervision, &FitOptions::new()).unwrap();
    let told =
        |fitted: &Fitted| fitted.warnings.iter().any(|warning| warning.code() == "labels-contradict");
    assert!(told(&judged), "{:?}", judged.warnings);
    let trained = fit(&world.rows, &supervision.labels_train(true), &FitOptions::new()).unwrap();
    assert_ne!(trained.classifier, judged.classifier);
    let scores = trained.classifier.scores(&world.rows).unwrap();
    assert!(scores.iter().all(|score| score.is_finite()));
}

#[test]
fn stated_rates_of_ties_are_used_as_they_are_or_refused() {
    let mut world = World::new(400, 0.3, 2.0, 9);
    let answers = tied(&mut world, 300, 0.5, 0.1);
    let stated = TieRates::new(0.9, 0.3).unwrap();
    let with_ties = supervision(answers, 0.3).tie_rates(stated);
    let found = fitted(&world, &with_ties).replies.unwrap().rates;
    assert_eq!(found.ties, Some(stated));
    let refused = |supervision: &Supervision, options: &FitOptions| {
        fit(&world.rows, supervision, &options.clone().hold_out(0.0)).unwrap_err()
    };
    let options = FitOptions::new();
    let discard = with_ties.clone().protocol(Protocol::DISCARD);
    assert!(matches!(refused(&discard, &options), Error::TieRatesUnused { by: "discard" }));
    let ranked = options.clone().method(Method::RankQuantile);
    assert!(matches!(refused(&with_ties, &ranked), Error::TieRatesUnused { by: "rank-quantile" }));
    let decided: Answers = (0..100).map(|k| (k, k + 100)).collect();
    let without = supervision(decided, 0.3).tie_rates(stated);
    assert!(matches!(refused(&without, &options), Error::NoTies));
}
