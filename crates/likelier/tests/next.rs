//! Answers about pairs that were chosen: what is said without labels holds if they come with their propensities.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use likelier::next::next_pairs;
use likelier::random::{Purpose, chance, epoch_stream, stream, unit};
use likelier::{
    Answers, Assessment, BelievedPrior, Comparisons, Equals, FitOptions, Grounds, Prior, Protocol, Rows,
    Supervision, fit,
};

const ITEMS: usize = 600;
const PAIRS: usize = 500;

/// Items with log-odds from one feature, and whether each is positive.
struct Pool {
    scores: Vec<f32>,
    positive: Vec<bool>,
}

impl Pool {
    fn new(shift: f64, seed: u64) -> Self {
        let mut rng = stream(seed, Purpose::Split);
        let scores: Vec<f32> = (0..ITEMS).map(|_| (8.0 * (unit(&mut rng) - 0.5) + shift) as f32).collect();
        let positive = scores.iter().map(|score| chance(&mut rng, probability(*score))).collect();
        Self { scores, positive }
    }

    fn prior(&self) -> Prior {
        let positives = self.positive.iter().filter(|positive| **positive).count();
        Prior::new(positives as f64 / ITEMS as f64).unwrap()
    }

    /// Answers about chosen pairs: mixed ones right, equals by a coin.
    fn answers(&self, uniform: f64, seed: u64) -> (Answers, Vec<f64>) {
        let mut rng = epoch_stream(seed, Purpose::Next, 1);
        let probabilities: Vec<f64> = self.scores.iter().map(|score| probability(*score)).collect();
        let pairs = next_pairs(&probabilities, [], PAIRS, uniform, &mut rng).unwrap();
        let answer = |pair: &likelier::next::NextPair| {
            let [one, two] = [pair.first, pair.second].map(|item| self.positive[item as usize]);
            let first = if one == two { chance(&mut rng, 0.5) } else { one };
            if first { (pair.first, pair.second) } else { (pair.second, pair.first) }
        };
        let propensities = pairs.iter().map(|pair| pair.propensity).collect();
        (pairs.iter().map(answer).collect(), propensities)
    }
}

fn probability(score: f32) -> f64 {
    1.0 / (1.0 + (-f64::from(score)).exp())
}

#[test]
fn judged_with_propensities_intervals_hold_and_without_them_they_do_not() {
    const REPEATS: u64 = 150;
    let mut held = [0; 2];
    let mut error = [0.0; 2];
    for seed in 0..REPEATS {
        let pool = Pool::new(-1.5, seed);
        let (answers, propensities) = pool.answers(0.25, seed);
        let right = pool
            .scores
            .iter()
            .zip(&pool.positive)
            .filter(|(score, positive)| (**score > 0.0) == **positive);
        let truth = right.count() as f64 / ITEMS as f64;
        let grounds = Grounds::new(Protocol::FORCED_CHOICE, &BelievedPrior::known(pool.prior()))
            .unwrap()
            .equals(Equals::Coin);
        let judge = |comparisons: Comparisons| {
            Assessment::of_scores(&pool.scores, 0.0, comparisons, grounds)
                .unwrap()
                .new_items
                .metrics
                .accuracy
        };
        let weighted = answers.clone().chosen(propensities).unwrap();
        for (at, answers) in [weighted, answers].into_iter().enumerate() {
            let found = judge(answers.comparisons());
            held[at] += u64::from((found.low..=found.high).contains(&truth));
            error[at] += (found.value - truth) / REPEATS as f64;
        }
    }
    // 95 % of 150 with a standard deviation of 2.7; the mean of so many estimates has an error of about 0.004.
    assert!(held[0] >= 132, "{held:?} {error:?}");
    assert!(held[1] < 110, "{held:?} {error:?}");
    assert!(error[0].abs() < 0.015 && error[1].abs() > 0.04, "{error:?}");
}

#[test]
fn the_boundary_is_that_of_the_pool_and_not_of_the_pairs_that_were_chosen() {
    const REPEATS: u64 = 20;
    let mut off = [0.0; 2];
    for seed in 0..REPEATS {
        let pool = Pool::new(-2.5, seed);
        let (answers, propensities) = pool.answers(0.25, seed);
        let rows = Rows::from_numbers(pool.scores.clone(), 1).unwrap();
        let weighted = answers.clone().chosen(propensities).unwrap();
        for (off, answers) in off.iter_mut().zip([weighted, answers]) {
            let supervision =
                Supervision::new(answers).protocol(Protocol::FORCED_CHOICE).prior(pool.prior());
            let fitted = fit(&rows, &supervision, &FitOptions::new().hold_out(0.0)).unwrap();
            let called = fitted.classifier.predict(&rows).unwrap();
            let positive = called.iter().filter(|label| label.is_positive()).count() as f64;
            let above = pool.scores.iter().filter(|score| **score > 0.0).count() as f64;
            *off += (positive - above) / ITEMS as f64 / REPEATS as f64;
        }
    }
    assert!(off[0].abs() < 0.03, "{off:?}");
    assert!(off[1] < off[0] - 0.03, "{off:?}");
}

#[test]
fn propensities_that_are_all_alike_change_nothing() {
    let pool = Pool::new(-1.0, 3);
    let (answers, _) = pool.answers(1.0, 3);
    let rows = Rows::from_numbers(pool.scores.clone(), 1).unwrap();
    let trained = |answers: Answers| {
        let supervision = Supervision::new(answers).protocol(Protocol::FORCED_CHOICE).prior(pool.prior());
        fit(&rows, &supervision, &FitOptions::new()).unwrap()
    };
    let (one, two) = (trained(answers.clone()), trained(answers.chosen(vec![0.001; PAIRS]).unwrap()));
    assert_eq!(one.classifier.weights(), two.classifier.weights());
    assert_eq!(one.assessment.unwrap().new_items, two.assessment.unwrap().new_items);
}
