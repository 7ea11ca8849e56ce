//! Items that nobody compared: the threshold cut on the whole table instead of on what was compared.
//!
//! ```text
//! LIKELIER_DATA=… cargo run --release -p likelier-paper --example pool -- drawn|chosen|thinned|table [SEEDS] [FIRST-SEED] > rows.csv
//! ```
//!
//! A table of up to 1,500 items is drawn at a prior, then pairs of them. A linear model is trained once, and its threshold set in several ways:
//! `today` as `train` does; `quantile` at the prior's quantile of the whole table; `mean` where the mean probability over the table is the
//! prior; `checked` is `quantile` unless the mean scores of compared and other items lie `apart` by two standard errors, then `today`. Two need the test rows: `test`
//! is their quantile, `best` where most of them are called right, by their labels. The truth is the accuracy on rows that are not in the
//! table, resampled to the prior.
//!
//! `drawn` draws pairs at random, under both protocols; `chosen` draws 200 at random and the rest by the policy of `next`, with propensities
//! (`weighted`) or without (`plain`). In two the table is not what pairs were drawn from: `thinned` lacks a third of the positives that were
//! not compared, and `table` is the paper's Table 3 with all training rows, which do not have the prior.

#![allow(clippy::print_stdout, reason = "an example prints")]

use std::collections::HashSet;
use std::error::Error;
use std::path::Path;

use likelier::generate::{Recipe, Sampling, draw};
use likelier::next::{PairChances, PairDraws, UNIFORM_SHARE};
use likelier::random::{Purpose, chance, epoch_stream, shuffle, stream};
use likelier::{
    Answers, Classifier, Equals, Evidence, FitOptions, Label, Method, Prior, Protocol, Supervision, fit,
    resample_to_prior,
};
use likelier_paper::benchmark::{Benchmark, Dataset};

const SETS: [Benchmark; 4] =
    [Benchmark::Cnae9, Benchmark::Optdigits, Benchmark::Pendigits, Benchmark::Usps];
const METHODS: [Method; 3] = [Method::PairPosterior, Method::Likelihood, Method::RankQuantile];
const ITEMS: usize = 1500;
/// Mean scores of compared and other items that lie so many standard errors apart are too far apart.
const LIMIT: f64 = 1.96;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let folder = std::env::var_os("LIKELIER_DATA").ok_or("set LIKELIER_DATA to the data directory")?;
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let which = arguments.first().map_or("", String::as_str);
    let seeds: u64 = arguments.get(1).map_or(Ok(20), |text| text.parse())?;
    let first: u64 = arguments.get(2).map_or(Ok(0), |text| text.parse())?;
    println!(
        "dataset,protocol,prior,pairs,comparisons,seed,method,apart,today,quantile,mean,checked,test,best"
    );
    for seed in first..first + seeds {
        for benchmark in SETS {
            let dataset = benchmark.load(Path::new(&folder))?;
            for prior in [0.2, 0.5, 0.8] {
                let world = World::new(benchmark, &dataset, Prior::new(prior)?, seed, which == "table")?;
                match which {
                    "drawn" | "thinned" => world.drawn(Sampling::Independent, which)?,
                    "table" => world.drawn(Sampling::ExactCounts, which)?,
                    "chosen" if benchmark != Benchmark::Cnae9 => world.chosen()?,
                    "chosen" => {}
                    _ => return Err("say which: drawn, chosen, thinned or table".into()),
                }
            }
        }
    }
    Ok(())
}

/// A data set at a prior: the table, and what is tested on.
struct World<'a> {
    benchmark: Benchmark,
    dataset: &'a Dataset,
    prior: Prior,
    seed: u64,
    table: Vec<u32>,
    test: Vec<u32>,
}

/// How answers came to be.
struct Way<'a> {
    protocol: Protocol,
    pairs: &'a str,
}

impl<'a> World<'a> {
    fn new(
        benchmark: Benchmark,
        dataset: &'a Dataset,
        prior: Prior,
        seed: u64,
        of_the_paper: bool,
    ) -> Result<Self> {
        let labels = &dataset.labels;
        let mut rng = stream(seed, Purpose::Resample);
        let (table, rest) = if of_the_paper {
            let split = dataset.split(&mut stream(seed, Purpose::Split));
            (split.train, split.test)
        } else {
            let all: Vec<u32> = (0..labels.len() as u32).collect();
            let mut table = resample_to_prior(labels, &all, prior, &mut rng)?;
            shuffle(&mut rng, &mut table);
            table.truncate(ITEMS.min(table.len() * 7 / 10));
            let drawn: HashSet<u32> = table.iter().copied().collect();
            (table, all.into_iter().filter(|row| !drawn.contains(row)).collect())
        };
        let test = resample_to_prior(labels, &rest, prior, &mut rng)?;
        Ok(Self { benchmark, dataset, prior, seed, table, test })
    }

    fn label(&self, row: u32) -> Label {
        self.dataset.labels[row as usize]
    }

    /// Pairs drawn at random.
    fn drawn(&self, sampling: Sampling, pairs_are: &str) -> Result<()> {
        let counts: &[usize] = if self.benchmark == Benchmark::Cnae9 { &[200] } else { &[100, 300, 1000] };
        for protocol in [Protocol::DISCARD, Protocol::FORCED_CHOICE] {
            for pairs in counts {
                let recipe = Recipe { prior: self.prior, protocol, pairs: *pairs, sampling, degrees: None };
                let mut rng = epoch_stream(self.seed, Purpose::Comparisons, *pairs as u32);
                let drawn = draw(&self.dataset.labels, &self.table, &recipe, &mut rng)?;
                let Evidence::Answers(answers) = drawn.evidence else { return Err("piles".into()) };
                for method in METHODS {
                    self.rows(&answers, method, &Way { protocol, pairs: pairs_are })?;
                }
            }
        }
        Ok(())
    }

    /// Pairs by the policy of `next`, a hundred at a time.
    fn chosen(&self) -> Result<()> {
        let place = |row: u32| self.table.iter().position(|of| *of == row).unwrap_or(0) as u32;
        let mut asked: Vec<(u32, u32)> = Vec::new();
        let mut propensities = Vec::new();
        let mut weights = vec![1.0; self.table.len()];
        let way = |pairs| Way { protocol: Protocol::FORCED_CHOICE, pairs };
        while asked.len() < 600 {
            let (count, uniform) = if asked.is_empty() { (200, 1.0) } else { (100, UNIFORM_SHARE) };
            let mut draws = PairDraws::new(PairChances::by_weights([&weights, &weights], uniform)?);
            draws.leave_out(asked.iter().map(|(a, b)| (place(*a), place(*b))))?;
            let mut rng = epoch_stream(self.seed, Purpose::Next, asked.len() as u32);
            for _ in 0..count {
                let pair = draws.next(&mut rng)?;
                let (a, b) = (self.table[pair.first as usize], self.table[pair.second as usize]);
                let first = match (self.label(a).is_positive(), self.label(b).is_positive()) {
                    (one, two) if one == two => chance(&mut rng, 0.5),
                    (one, _) => one,
                };
                asked.push(if first { (a, b) } else { (b, a) });
                propensities.push(pair.propensity);
            }
            let plain: Answers = asked.iter().copied().collect();
            let weighted = plain.clone().chosen(propensities.clone())?;
            let method = Method::PairPosterior;
            let fitted = if [400, 600].contains(&asked.len()) {
                self.rows(&plain, method, &way("plain"))?;
                self.rows(&weighted, method, &way("weighted"))?
            } else {
                self.fitted(&weighted, method, &way("weighted"))?
            };
            let scores = fitted.scores_of(&self.dataset.rows, &self.table)?;
            let near = |p: f64| p * (1.0 - p);
            weights = scores
                .iter()
                .map(|score| near(f64::from(fitted.probability().of(*score))))
                .collect();
        }
        Ok(())
    }

    fn fitted(&self, answers: &Answers, method: Method, way: &Way<'_>) -> Result<Classifier> {
        let supervision = Supervision::new(answers.clone())
            .protocol(way.protocol)
            .prior(self.prior)
            .equals(Equals::Coin);
        let options = FitOptions::new().method(method).seed(self.seed).hold_out(0.0);
        Ok(fit(&self.dataset.rows, &supervision, &options)?.classifier)
    }

    /// Trains, and prints how good each threshold is.
    fn rows(&self, answers: &Answers, method: Method, way: &Way<'_>) -> Result<Classifier> {
        let fitted = self.fitted(answers, method, way)?;
        let rows = &self.dataset.rows;
        let pi = self.prior.positive();
        let compared: HashSet<u32> = answers.pairs().iter().flat_map(|(a, b)| [*a, *b]).collect();
        let mut never: Vec<u32> =
            self.table.iter().copied().filter(|row| !compared.contains(row)).collect();
        if way.pairs == "thinned" {
            let mut positives = 0;
            never.retain(|row| {
                positives += usize::from(self.label(*row).is_positive());
                !self.label(*row).is_positive() || positives % 3 != 0
            });
        }
        let of_never = fitted.scores_of(rows, &never)?;
        let known: Vec<u32> = compared.into_iter().collect();
        let of_known = fitted.scores_of(rows, &known)?;
        let apart = apart(&of_known, &of_never);
        let of_table = [of_known, of_never].concat();
        let test = fitted.scores_of(rows, &self.test)?;
        let mut positives: Vec<f32> = Vec::new();
        let mut negatives: Vec<f32> = Vec::new();
        for (row, score) in self.test.iter().zip(&test) {
            if self.label(*row).is_positive() { positives.push(*score) } else { negatives.push(*score) }
        }
        let right = |cut: f32| {
            positives.iter().filter(|score| **score > cut).count()
                + negatives.iter().filter(|score| **score <= cut).count()
        };
        let best = test.iter().copied().max_by_key(|cut| right(*cut)).unwrap_or(0.0);
        let accuracy = |cut: f32| right(cut) as f64 / test.len() as f64;
        let of_today = fitted.threshold();
        let of_quantile = quantile(&of_table, pi);
        let checked = if apart < LIMIT { of_quantile } else { of_today };
        let cuts = [of_today, of_quantile, mean_cut(&of_table, pi), checked, quantile(&test, pi), best];
        let columns = cuts.map(|cut| format!("{:.4}", accuracy(cut))).join(",");
        println!(
            "{},{},{pi},{},{},{},{method},{apart:.2},{columns}",
            self.benchmark,
            way.protocol.collection().name(),
            way.pairs,
            answers.pairs().len(),
            self.seed,
        );
        Ok(fitted)
    }
}

/// How many standard errors the mean scores lie apart.
fn apart(one: &[f32], two: &[f32]) -> f64 {
    let moments = |scores: &[f32]| {
        let mean = scores.iter().map(|score| f64::from(*score)).sum::<f64>() / scores.len() as f64;
        let squares = scores.iter().map(|score| (f64::from(*score) - mean).powi(2)).sum::<f64>();
        (mean, squares / (scores.len() as f64 * (scores.len() - 1) as f64))
    };
    let ((a, va), (b, vb)) = (moments(one), moments(two));
    (a - b).abs() / (va + vb).sqrt()
}

/// Where a share of the scores lies above.
fn quantile(scores: &[f32], share: f64) -> f32 {
    let mut sorted = scores.to_vec();
    sorted.sort_unstable_by(|a, b| b.total_cmp(a));
    let at = ((share * sorted.len() as f64).round() as usize).clamp(1, sorted.len() - 1);
    f32::midpoint(sorted[at - 1], sorted[at])
}

/// −c, where the mean of σ(score + c) is the share.
fn mean_cut(scores: &[f32], share: f64) -> f32 {
    let mean = |cut: f64| {
        scores
            .iter()
            .map(|score| 1.0 / (1.0 + (cut - f64::from(*score)).exp()))
            .sum::<f64>()
            / scores.len() as f64
    };
    let (mut low, mut high) = (-1e3, 1e3);
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if mean(middle) > share { low = middle } else { high = middle }
    }
    low as f32
}
