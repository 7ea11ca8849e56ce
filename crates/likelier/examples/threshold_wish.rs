//! How often what is said of a threshold that was picked for a wish holds for *new* items.
//!
//! ```text
//! cargo run --release -p likelier --example threshold_wish -- 200 > thresholds.csv
//! ```
//!
//! Items are Gaussian, the classes 1.7 deviations apart along the first of ten features. Pairs are drawn at random and
//! every pair is kept. The truth is that of the very classifier that `fit` returns, at the threshold that was picked, on
//! 20,000 new items: `held` counts where the range of the wished number holds it, `all_held` where those of
//! precision and of recall do as well, `kept` where a wish that was said to be met truly is.

#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;

use likelier::estimate::metrics::Wish;
use likelier::random::{ChaCha8Rng, Purpose, below, epoch_stream, unit};
use likelier::{Answers, Classifier, Equals, FitOptions, Prior, Protocol, Rows, Supervision, fit};

const FEATURES: usize = 10;
const SIGNAL: f64 = 1.7;
const PRIOR: f64 = 0.4;

fn main() -> Result<(), Box<dyn Error>> {
    let repeats: u32 = std::env::args().nth(1).ok_or("give the number of repetitions")?.parse()?;
    println!("items,comparisons,judged,equals,wish,repeats,picked,held,all_held,met,kept");
    for (items, comparisons) in [(2000, 1000), (300, 3000)] {
        for hold_out in [None, Some(0.3)] {
            for (equals, grading) in [(Equals::Coin, 0.0), (Equals::Unknown, 0.0), (Equals::Unknown, 2.0)] {
                for wish in ["precision=0.75", "recall=0.75", "cost=1:3"] {
                    let cell = Cell { items, comparisons, hold_out, equals, grading, wish: wish.parse()? };
                    println!("{}", cell.row(repeats)?);
                }
            }
        }
    }
    Ok(())
}

struct Cell {
    items: usize,
    comparisons: usize,
    hold_out: Option<f64>,
    equals: Equals,
    grading: f64,
    wish: Wish,
}

impl Cell {
    fn row(&self, repeats: u32) -> Result<String, Box<dyn Error>> {
        let [mut picked, mut held, mut all_held, mut met, mut kept] = [0; 5];
        for repeat in 0..repeats {
            let rng = &mut epoch_stream(17, Purpose::Comparisons, repeat);
            let (rows, labels) = drawn(self.items, rng)?;
            let pairs = (0..self.comparisons).map(|_| {
                let one = below(rng, self.items);
                let two = (one + 1 + below(rng, self.items - 1)) % self.items;
                let degree = |item: usize| f64::from(rows.1[item * FEATURES]);
                let ahead = if labels[one] == labels[two] {
                    1.0 / (1.0 + (self.grading * (degree(two) - degree(one))).exp())
                } else {
                    f64::from(u8::from(labels[one]))
                };
                let (one, two) = (one as u32, two as u32);
                if unit(rng) < ahead { (one, two) } else { (two, one) }
            });
            let answers: Answers = pairs.collect::<Vec<_>>().into_iter().collect();
            let prior = Prior::new(PRIOR)?;
            let supervision = Supervision::new(answers)
                .protocol(Protocol::FORCED_CHOICE)
                .prior(prior)
                .equals(self.equals)
                .error_at_most(0.02);
            let options = FitOptions::new()
                .threshold_for(self.wish)
                .hold_out(self.hold_out)
                .seed(repeat.into());
            let fitted = fit(&rows.0, &supervision, &options)?;
            let Some(choice) = fitted.threshold_for else { continue };
            picked += 1;
            let [t, f] = truth(&fitted.classifier.with_threshold(choice.threshold), rng)?;
            let precision = PRIOR * t / (PRIOR * t + (1.0 - PRIOR) * f).max(1e-9);
            let value = match self.wish {
                Wish::Precision(_) => precision,
                Wish::Recall(_) => t,
                Wish::Cost { false_positive, false_negative } => {
                    false_positive * (1.0 - PRIOR) * f + false_negative * PRIOR * (1.0 - t)
                }
            };
            let all = choice.value.holds(value)
                && choice.recall.holds(t)
                && choice.precision.is_none_or(|range| range.holds(precision));
            held += u32::from(choice.value.holds(value));
            all_held += u32::from(all);
            met += u32::from(choice.met);
            kept += u32::from(
                choice.met
                    && match self.wish {
                        Wish::Precision(wanted) | Wish::Recall(wanted) => value >= wanted,
                        Wish::Cost { .. } => choice.constant_cost.is_some_and(|constant| value < constant),
                    },
            );
        }
        let judged = if self.hold_out.is_some() { "held-out" } else { "folds" };
        let equals = format!("{} ({})", self.equals.name(), self.grading);
        let (items, comparisons, wish) = (self.items, self.comparisons, self.wish);
        Ok(format!(
            "{items},{comparisons},{judged},{equals},{wish},{repeats},{picked},{held},{all_held},{met},{kept}"
        ))
    }
}

/// Rows, also as numbers, and their labels.
type Drawn = ((Rows<'static>, Vec<f32>), Vec<bool>);

fn drawn(count: usize, rng: &mut ChaCha8Rng) -> Result<Drawn, likelier::Error> {
    let labels: Vec<bool> = (0..count).map(|_| unit(rng) < PRIOR).collect();
    let mut numbers = Vec::with_capacity(count * FEATURES);
    for label in &labels {
        for feature in 0..FEATURES {
            let shift = if *label && feature == 0 { SIGNAL } else { 0.0 };
            let normal =
                (-2.0 * unit(rng).max(1e-12).ln()).sqrt() * (std::f64::consts::TAU * unit(rng)).cos();
            numbers.push((normal + shift) as f32);
        }
    }
    Ok(((Rows::from_numbers(numbers.clone(), FEATURES)?, numbers), labels))
}

/// The shares of new positives and negatives that are called positive.
fn truth(classifier: &Classifier, rng: &mut ChaCha8Rng) -> Result<[f64; 2], likelier::Error> {
    let ((rows, _), labels) = drawn(20_000, rng)?;
    let called = classifier.predict(&rows)?;
    Ok([true, false].map(|class| {
        let of_class = labels.iter().zip(&called).filter(|(label, _)| **label == class);
        let positive = of_class.clone().filter(|(_, call)| call.is_positive()).count();
        positive as f64 / of_class.count().max(1) as f64
    }))
}
