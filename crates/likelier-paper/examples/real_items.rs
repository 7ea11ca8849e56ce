//! What is printed without labels beside what labels say, on real features with items that recur.
//!
//! ```text
//! LIKELIER_DATA=… cargo run --release -p likelier-paper --example real_items -- [SEEDS [FIRST]] > real.csv
//! ```
//!
//! 20 seeds, from 0 on, unless told otherwise.
//!
//! Of each data set 400 training items (or as many as give 1,000 comparisons, where each occurs once) are drawn at
//! prior 0.4 and compared at random 1 to 20 times each: forced choice, equals by a coin. The classifier is linear. The
//! truth is its accuracy on training rows that were not drawn, resampled to the prior: new items of the same kind. Beside it
//! is that on the data set's own test rows, which in Pendigits and Optdigits are by other writers.

#![allow(clippy::print_stdout, reason = "an example prints")]

use std::collections::HashSet;
use std::path::Path;

use likelier::evaluate::Confusion;
use likelier::random::{Purpose, below, chance, shuffle, stream};
use likelier::train::Control;
use likelier::{
    Answers, Equals, FitOptions, Label, Prior, Protocol, Supervision, fit_with, resample_to_prior,
};
use likelier_paper::benchmark::Benchmark;

const PRIOR: f64 = 0.4;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::var_os("LIKELIER_DATA").ok_or("set LIKELIER_DATA to the data directory")?;
    let mut arguments = std::env::args().skip(1).map(|word| word.parse::<u64>());
    let seeds = arguments.next().transpose()?.unwrap_or(20);
    let first = arguments.next().transpose()?.unwrap_or(0);
    println!("dataset,items,each,seed,truth,estimate,low,high,held,these_items,on_test,held_on_test");
    for benchmark in [Benchmark::Pendigits, Benchmark::Optdigits, Benchmark::Usps, Benchmark::Mnist] {
        let dataset = benchmark.load(Path::new(&folder))?;
        for (count, each) in [(2000, 1), (800, 2), (400, 5), (400, 10), (400, 20)] {
            for seed in first..first + seeds {
                let prior = Prior::new(PRIOR)?;
                let split = dataset.split(&mut stream(seed, Purpose::Split));
                let mut rng = stream(seed, Purpose::Comparisons);
                let pool = resample_to_prior(&dataset.labels, &split.train, prior, &mut rng)?;
                let mut pool = pool;
                shuffle(&mut rng, &mut pool);
                pool.truncate(count);
                let label = |row: u32| dataset.labels[row as usize];
                let answers: Answers = (0..pool.len() * each / 2)
                    .map(|pair| {
                        let (a, b) = if each == 1 {
                            (2 * pair, 2 * pair + 1)
                        } else {
                            let a = below(&mut rng, pool.len());
                            (a, (a + 1 + below(&mut rng, pool.len() - 1)) % pool.len())
                        };
                        let (a, b) = (pool[a], pool[b]);
                        let first = if label(a) == label(b) {
                            chance(&mut rng, 0.5)
                        } else {
                            label(a).is_positive()
                        };
                        if first { (a, b) } else { (b, a) }
                    })
                    .collect();
                let supervision = Supervision::new(answers)
                    .protocol(Protocol::FORCED_CHOICE)
                    .prior(prior)
                    .equals(Equals::Coin);
                let options = FitOptions::new().seed(seed);
                let fitted =
                    fit_with(&dataset.rows, &supervision, &options, &Control::default(), &mut |_| ())?;
                let drawn: HashSet<u32> = pool.iter().copied().collect();
                let rest: Vec<u32> =
                    split.train.iter().copied().filter(|row| !drawn.contains(row)).collect();
                let accuracy = |rows: &[u32]| -> Result<f64, Box<dyn std::error::Error>> {
                    let rng = &mut stream(seed, Purpose::Resample);
                    let rows = resample_to_prior(&dataset.labels, rows, prior, rng)?;
                    let threshold = fitted.classifier.threshold();
                    let scores = fitted.classifier.scores_of(&dataset.rows, &rows)?;
                    let called: Vec<Label> =
                        scores.iter().map(|score| Label::positive_if(*score > threshold)).collect();
                    Ok(Confusion::of(&called, rows.iter().map(|row| label(*row)))?.accuracy())
                };
                let (truth, on_test) = (accuracy(&rest)?, accuracy(&split.test)?);
                let assessment = fitted.assessment.as_ref().ok_or("not judged")?;
                let found = assessment.new_items.metrics.accuracy;
                let these = assessment
                    .these_items
                    .as_ref()
                    .map_or(f64::NAN, |these| these.metrics.accuracy.value);
                println!(
                    "{benchmark},{},{each},{seed},{truth:.4},{:.4},{:.4},{:.4},{},{these:.4},{on_test:.4},{}",
                    pool.len(),
                    found.value,
                    found.low,
                    found.high,
                    u8::from(found.holds(truth)),
                    u8::from(found.holds(on_test))
                );
            }
        }
    }
    Ok(())
}
