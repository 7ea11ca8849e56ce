//! A classifier is judged by items that it has not seen, and by ranges where labellers may have graded.

#![cfg(feature = "engine")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use likelier::random::{ChaCha8Rng, Purpose, below, chance, epoch_stream, unit};
use likelier::{
    Answers, Collection, Equals, FitOptions, Fitted, JudgedBy, ModelKind, Prior, Protocol, Rows,
    Supervision, Unjudged, Warning, fit,
};

const PRIOR: f64 = 0.4;

fn normal(rng: &mut ChaCha8Rng) -> f64 {
    (-2.0 * (1.0 - unit(rng)).ln()).sqrt() * (std::f64::consts::TAU * unit(rng)).cos()
}

/// Items with 50 features, the classes apart along the first, and forced choices between them.
struct World {
    rows: Rows<'static>,
    positive: Vec<bool>,
    pairs: Vec<(u32, u32)>,
}

impl World {
    fn new(items: usize, answers: usize, signal: f64, grading: f64, seed: u64) -> Self {
        let rng = &mut epoch_stream(seed, Purpose::Comparisons, 3);
        let positive: Vec<bool> = (0..items).map(|_| chance(rng, PRIOR)).collect();
        let mut values: Vec<f32> = (0..50 * items).map(|_| normal(rng) as f32).collect();
        for (item, positive) in positive.iter().enumerate() {
            values[50 * item] += if *positive { signal as f32 } else { 0.0 };
        }
        let pairs = (0..answers)
            .map(|_| {
                let a = below(rng, items);
                let b = (a + 1 + below(rng, items - 1)) % items;
                let first = if positive[a] == positive[b] {
                    let gap = f64::from(values[50 * a] - values[50 * b]);
                    chance(rng, 1.0 / (1.0 + (-grading * gap).exp()))
                } else {
                    positive[a]
                };
                if first { (a as u32, b as u32) } else { (b as u32, a as u32) }
            })
            .collect();
        Self { rows: Rows::from_numbers(values, 50).unwrap(), positive, pairs }
    }

    fn fit(&self, options: &FitOptions, equals: Equals) -> Fitted {
        self.fit_with_error(options, equals, None)
    }

    fn fit_with_error(&self, options: &FitOptions, equals: Equals, error_at_most: Option<f64>) -> Fitted {
        let supervision = Supervision::new(Answers::from_iter(self.pairs.clone()))
            .protocol(Protocol::new(Collection::ForcedChoice, 0.0).unwrap())
            .prior(Prior::new(PRIOR).unwrap())
            .equals(equals)
            .error_at_most(error_at_most);
        fit(&self.rows, &supervision, options).unwrap()
    }

    fn accuracy(&self, fitted: &Fitted) -> f64 {
        let called = fitted.classifier.predict(&self.rows).unwrap();
        let right = called
            .iter()
            .zip(&self.positive)
            .filter(|(label, positive)| label.is_positive() == **positive);
        right.count() as f64 / self.positive.len() as f64
    }
}

#[test]
fn pure_noise_is_not_called_good_on_new_items_however_well_these_items_are_known() {
    let noise = World::new(300, 6000, 0.0, 0.0, 1);
    let fresh = World::new(4000, 1, 0.0, 0.0, 2);
    for options in [FitOptions::new(), FitOptions::new().model(ModelKind::Mlp).hidden(vec![50]).epochs(20)]
    {
        let fitted = noise.fit(&options, Equals::Coin);
        let called = fitted.classifier.predict(&fresh.rows).unwrap();
        let right = called
            .iter()
            .zip(&fresh.positive)
            .filter(|(label, positive)| label.is_positive() == **positive);
        let truth = right.count() as f64 / 4000.0;
        let assessment = fitted.assessment.unwrap();
        let found = assessment.new_items.metrics.accuracy;
        assert!(found.holds(truth) && found.value < 0.65, "{found:?} where {truth} is true");
        // The items at hand were seen, and so seem better known.
        let these = assessment.these_items.unwrap().metrics.accuracy;
        assert!(these.value > found.value + 0.05, "{these:?} and {found:?}");
    }
}

#[test]
fn where_nothing_can_be_learnt_intervals_of_folds_hold_one_half() {
    // Errors of fixed scores alone would make 83 % of it: models of folds share what they learnt by heart.
    let holds = |seed: &u64| {
        let noise = World::new(200, 600, 0.0, 0.0, 1000 + seed);
        let assessment = noise.fit(&FitOptions::new().epochs(20), Equals::Coin).assessment.unwrap();
        assert_eq!(assessment.judged_by, JudgedBy::Folds(5));
        assessment.new_items.metrics.auc.holds(0.5)
    };
    let held = (0..100).filter(holds).count();
    assert!(held >= 91, "{held} of 100");
}

#[test]
fn where_labellers_grade_the_coin_misleads_and_the_range_does_not() {
    let (mut coin, mut range) = (0, 0);
    for seed in 0..12 {
        let graded = World::new(1500, 750, 1.5, 4.0, seed);
        let fresh = World::new(4000, 1, 1.5, 4.0, 100 + seed);
        let fitted = graded.fit(&FitOptions::new(), Equals::Unknown);
        let called = fitted.classifier.predict(&fresh.rows).unwrap();
        let right = called
            .iter()
            .zip(&fresh.positive)
            .filter(|(label, positive)| label.is_positive() == **positive);
        let truth = right.count() as f64 / 4000.0;
        let judged = fitted.assessment.unwrap().new_items;
        let ranges = judged.ranges.unwrap();
        assert!(ranges.accuracy.low_end.value <= ranges.accuracy.high_end.value);
        assert!((ranges.error_at_most - 0.2).abs() < 1e-12 && ranges.asked_again == 0);
        coin += usize::from(judged.metrics.accuracy.holds(truth));
        range += usize::from(ranges.accuracy.holds(truth));
    }
    assert!(range == 12 && coin <= 6, "the range held {range} of 12, the coin {coin}");
}

#[test]
fn asking_again_raises_the_low_end() {
    let mut world = World::new(1200, 1200, 2.0, 0.0, 5);
    let careful = |world: &World| world.fit_with_error(&FitOptions::new(), Equals::Unknown, Some(0.02));
    let once = careful(&world);
    let truth = world.accuracy(&once);
    // Answers of the same people to a third of the pairs: a coin again where there was one.
    let rng = &mut epoch_stream(9, Purpose::Comparisons, 3);
    for at in 0..400 {
        let (a, b) = world.pairs[at];
        let turned = world.positive[a as usize] == world.positive[b as usize] && chance(rng, 0.5);
        world.pairs.push(if turned { (b, a) } else { (a, b) });
    }
    let again = careful(&world);
    let low = |fitted: &Fitted| {
        let ranges = fitted.assessment.as_ref().unwrap().new_items.ranges.clone().unwrap();
        (ranges.accuracy.low_end, ranges.asked_again)
    };
    let ((before, none), (after, asked)) = (low(&once), low(&again));
    assert!(none == 0 && asked >= 400);
    assert!(after.value > before.value + 0.03 && after.low < truth, "{before:?}, then {after:?}; {truth}");
}

#[test]
fn too_few_items_are_not_judged_and_that_is_said() {
    let few = World::new(30, 900, 2.0, 0.0, 1);
    let fitted = few.fit(&FitOptions::new(), Equals::Coin);
    assert!(fitted.assessment.is_none());
    let [Warning::NotJudged(Unjudged::Failed(why))] = &fitted.warnings[..] else {
        panic!("{:?}", fitted.warnings)
    };
    assert!(why.contains("30 items are too few"), "{why}");
}

#[test]
fn one_split_holds_out_items_with_all_that_touches_them() {
    let world = World::new(400, 2000, 2.0, 0.0, 1);
    let fitted = world.fit(&FitOptions::new().hold_out(0.2), Equals::Coin);
    let assessment = fitted.assessment.unwrap();
    assert_eq!(assessment.judged_by, JudgedBy::HeldOut);
    let judged = &assessment.new_items;
    let trained = fitted.classifier.summary().comparisons;
    assert!((1200..1700).contains(&trained), "{trained} are left to train on");
    assert!((60..120).contains(&judged.items), "{} items are judged by", judged.items);
    // Each touched comparison counts for one pile at least.
    let touched = 2000 - trained;
    assert!(
        judged.metrics.sizes.iter().sum::<usize>() >= touched,
        "{:?} of {touched}",
        judged.metrics.sizes
    );
    let these = assessment.these_items.unwrap();
    assert_eq!(
        these.metrics.sizes.iter().sum::<usize>() + judged.metrics.sizes.iter().sum::<usize>(),
        2 * touched
    );
}
