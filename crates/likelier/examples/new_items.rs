//! How often printed intervals hold the truth for *new* items, when items occur in many comparisons and labellers
//! may order equals by degree.
//!
//! ```text
//! cargo run --release -p likelier --example new_items -- coverage --repeats 1000 --first 1000 > coverage.csv
//! cargo run --release -p likelier --example new_items -- networks --repeats 200 > networks.csv
//! cargo run --release -p likelier --example new_items -- graded --repeats 200 > graded.csv
//! cargo run --release -p likelier --example new_items -- labels --repeats 200 > labels.csv
//! ```
//!
//! Items are Gaussian, the classes apart by `signal` deviations along the first feature. Pairs are drawn at random
//! and every pair is kept. The truth is the accuracy and the AUC of the very classifier that `fit` returns, on
//! 20,000 new items.

#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;

use likelier::estimate::metrics::{Metrics, Range};
use likelier::random::{ChaCha8Rng, Purpose, below, chance, epoch_stream, unit};
use likelier::train::Control;
use likelier::{
    Answers, Collection, Equals, FitOptions, Judged, Label, LabelsChosen, ModelKind, Prior, Protocol, Rows,
    Supervision, fit_with,
};

/// One condition.
#[derive(Clone, Copy, Debug)]
struct Cell {
    items: usize,
    /// Comparisons an item takes part in.
    each: f64,
    features: usize,
    signal: f64,
    prior: f64,
    /// How strongly equals are ordered by degree; 0 is a coin.
    grading: f64,
    /// The share of mixed pairs that labellers get wrong.
    error: f64,
    /// Whether those are the pairs that are close by degree.
    error_by_degree: bool,
    /// The share of the pairs that is asked again.
    again: f64,
    /// Random items of which the label is known.
    labels: usize,
    /// Whether the classifier learns from them.
    labels_train: bool,
    /// What is wrong with the labels.
    fault: Fault,
    /// The largest share of mixed pairs that labellers are said to get wrong.
    error_at_most: f64,
    model: ModelKind,
    folds: Option<usize>,
}

#[derive(Clone, Copy, Debug)]
enum Fault {
    Nothing,
    /// They answer another question than the comparisons.
    OtherQuestion,
    /// Yes and no are swapped.
    Swapped,
}

const PLAIN: Cell = Cell {
    items: 1000,
    each: 1.0,
    features: 20,
    signal: 1.7,
    prior: 0.4,
    grading: 0.0,
    error: 0.0,
    error_by_degree: false,
    again: 0.0,
    labels: 0,
    labels_train: false,
    fault: Fault::Nothing,
    error_at_most: 0.2,
    model: ModelKind::Linear,
    folds: None,
};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |name: &str, otherwise: usize| -> Result<usize, Box<dyn Error>> {
        match arguments.iter().position(|argument| argument == name) {
            Some(at) => Ok(arguments.get(at + 1).ok_or("a number is missing")?.parse()?),
            None => Ok(otherwise),
        }
    };
    let repeats = number("--repeats", 100)?;
    // What was tuned on some repetitions is shown on others.
    let first = number("--first", 0)?;
    // A run that was cut goes on after so many cells.
    let skipped = number("--skip", 0)?;
    let cells = match arguments.first().map(String::as_str) {
        Some("coverage") => coverage(),
        Some("networks") => networks(),
        Some("graded") => graded(),
        Some("labels") => labels(),
        Some("labels-train") => {
            labels().into_iter().map(|cell| Cell { labels_train: true, ..cell }).collect()
        }
        _ => return Err("give coverage, networks, graded, labels or labels-train".into()),
    };
    println!("{HEADER}");
    for cell in cells.into_iter().skip(skipped) {
        println!("{}", cell.row(first, repeats)?);
    }
    Ok(())
}

/// Linear models at a growing number of comparisons an item; some 1,000 comparisons in all.
fn coverage() -> Vec<Cell> {
    let mut cells = Vec::new();
    for signal in [1.7, 0.0] {
        for (items, each) in
            [(2000, 1.0), (1000, 2.0), (400, 5.0), (200, 10.0), (100, 20.0), (50, 40.0), (100, 40.0)]
        {
            cells.push(Cell { items, each, signal, ..PLAIN });
        }
    }
    cells
}

fn networks() -> Vec<Cell> {
    let mut cells = Vec::new();
    for signal in [1.7, 0.0] {
        for (items, each) in [(2000, 1.0), (600, 5.0), (600, 20.0)] {
            cells.push(Cell { items, each, signal, model: ModelKind::Mlp, ..PLAIN });
        }
    }
    cells
}

fn graded() -> Vec<Cell> {
    let mut cells = Vec::new();
    for (items, each) in [(1200, 1.0), (240, 10.0)] {
        for prior in [0.2, 0.5, 0.8] {
            for (error, error_by_degree) in [(0.0, false), (0.1, false), (0.1, true)] {
                for grading in [0.0, 0.5, 1.0, 2.0, 8.0] {
                    cells.push(Cell { items, each, prior, grading, error, error_by_degree, ..PLAIN });
                }
            }
        }
    }
    for grading in [0.0, 0.5, 1.0, 2.0, 8.0] {
        for again in [0.05, 0.1, 0.2] {
            cells.push(Cell { items: 1200, each: 1.0, prior: 0.5, grading, error: 0.1, again, ..PLAIN });
        }
    }
    // What asking again is worth where labellers hardly err.
    for grading in [0.0, 1.0, 8.0] {
        for again in [0.0, 0.05, 0.1, 0.2] {
            let error_at_most = 0.05;
            cells.push(Cell {
                items: 1200,
                prior: 0.5,
                grading,
                error: 0.02,
                error_at_most,
                again,
                ..PLAIN
            });
        }
    }
    // And what items that recur are worth there.
    for grading in [0.0, 1.0, 8.0] {
        for (items, each) in [(600, 2.0), (600, 5.0), (600, 20.0)] {
            let error_at_most = 0.05;
            cells.push(Cell { items, each, prior: 0.5, grading, error: 0.02, error_at_most, ..PLAIN });
        }
    }
    cells
}

fn labels() -> Vec<Cell> {
    let mut cells = Vec::new();
    for grading in [0.0, 0.5, 2.0] {
        for labels in [20, 50, 200] {
            cells.push(Cell { items: 1200, each: 2.0, prior: 0.5, grading, labels, ..PLAIN });
        }
    }
    // Where labels and comparisons contradict each other.
    for labels in [20, 50, 200] {
        for error_at_most in [0.05, 0.2] {
            for signal in [1.7, 4.0] {
                let items = 1200;
                let plain = Cell { items, each: 2.0, prior: 0.5, signal, labels, error_at_most, ..PLAIN };
                cells.push(Cell { fault: Fault::Swapped, ..plain });
                cells.push(Cell { fault: Fault::OtherQuestion, ..plain });
                cells.push(Cell { error: 0.4, ..plain });
            }
        }
    }
    cells
}

const HEADER: &str = "items,each,features,signal,prior,grading,error,error_by_degree,again,model,repeats,judged,\
    accuracy,accuracy_held,accuracy_estimate,accuracy_width,auc,auc_held,auc_estimate,auc_width,\
    range_held,range_width,range_low,range_high,auc_range_held,auc_range_width,these_items,these_width,\
    labels,combined_held,combined_width,contradicted,fault,error_at_most";

/// What one repetition shows.
#[derive(Clone, Copy, Default)]
struct Shown {
    judged: bool,
    truth: [f64; 2],
    point: [Option<[f64; 3]>; 2],
    range: [Option<[f64; 4]>; 2],
    these: Option<[f64; 2]>,
    /// What labels and comparisons allow together; empty where they contradict each other.
    combined: Option<[f64; 2]>,
}

impl Cell {
    fn row(&self, first: usize, repeats: usize) -> Result<String, Box<dyn Error>> {
        // Plain threads: a training has its own pool, and pools within pools wait for each other.
        let threads = std::thread::available_parallelism()?.get();
        let part = |thread: usize| -> Result<Vec<Shown>, likelier::Error> {
            (thread..repeats)
                .step_by(threads)
                .map(|repeat| self.run((first + repeat) as u64))
                .collect()
        };
        let shown: Vec<Shown> = std::thread::scope(|scope| {
            let running: Vec<_> = (0..threads).map(|thread| scope.spawn(move || part(thread))).collect();
            let all: Result<Vec<Vec<Shown>>, likelier::Error> = running
                .into_iter()
                .map(|thread| thread.join().unwrap_or(Ok(Vec::new())))
                .collect();
            all.map(|parts| parts.concat())
        })?;
        let judged: Vec<&Shown> = shown.iter().filter(|one| one.judged).collect();
        let mean = |of: &dyn Fn(&Shown) -> f64| {
            judged.iter().map(|one| of(one)).sum::<f64>() / judged.len().max(1) as f64
        };
        let point = |which: usize, of: &dyn Fn([f64; 3], f64) -> f64| {
            mean(&|one| one.point[which].map_or(0.0, |point| of(point, one.truth[which])))
        };
        let range = |which: usize, of: &dyn Fn([f64; 4], f64) -> f64| {
            mean(&|one| one.range[which].map_or(0.0, |range| of(range, one.truth[which])))
        };
        let holds = |low: f64, high: f64, truth: f64| f64::from(u8::from((low..=high).contains(&truth)));
        let mut cells = vec![
            self.items.to_string(),
            self.each.to_string(),
            self.features.to_string(),
            self.signal.to_string(),
            self.prior.to_string(),
            self.grading.to_string(),
            self.error.to_string(),
            self.error_by_degree.to_string(),
            self.again.to_string(),
            self.model.to_string(),
            repeats.to_string(),
            judged.len().to_string(),
        ];
        let mut numbers = Vec::new();
        for which in 0..2 {
            numbers.push(mean(&|one| one.truth[which]));
            numbers.push(point(which, &|[_, low, high], truth| holds(low, high, truth)));
            numbers.push(point(which, &|[value, _, _], _| value));
            numbers.push(point(which, &|[_, low, high], _| high.min(1.0) - low.max(0.0)));
        }
        numbers.push(range(0, &|[low, _, _, high], truth| holds(low, high, truth)));
        numbers.push(range(0, &|[low, _, _, high], _| high - low));
        numbers.push(range(0, &|[_, low, _, _], _| low));
        numbers.push(range(0, &|[_, _, high, _], _| high));
        numbers.push(range(1, &|[low, _, _, high], truth| holds(low, high, truth)));
        numbers.push(range(1, &|[low, _, _, high], _| high.min(1.0) - low.max(0.0)));
        numbers.push(mean(&|one| one.these.map_or(f64::NAN, |these| these[0])));
        numbers.push(mean(&|one| one.these.map_or(f64::NAN, |these| these[1])));
        numbers.push(self.labels as f64);
        let combined = |of: &dyn Fn([f64; 2], f64) -> f64| {
            mean(&|one| one.combined.map_or(0.0, |combined| of(combined, one.truth[0])))
        };
        numbers.push(combined(&|[low, high], truth| holds(low, high, truth)));
        numbers.push(combined(&|[low, high], _| high - low));
        let contradicted = |one: &Shown| f64::from(u8::from(self.labels > 0 && one.combined.is_none()));
        numbers.push(mean(&contradicted));
        cells.extend(numbers.into_iter().map(|number| format!("{number:.4}")));
        cells.extend([format!("{:?}", self.fault), self.error_at_most.to_string()]);
        Ok(cells.join(","))
    }

    fn run(&self, repeat: u64) -> Result<Shown, likelier::Error> {
        let mut rng = epoch_stream(repeat, Purpose::Comparisons, 7);
        let population = self.draw_items(self.items, &mut rng);
        let pairs = self.pairs(&population, &mut rng);
        let mut chosen: Vec<u32> = (0..self.items as u32).collect();
        likelier::random::shuffle(&mut rng, &mut chosen);
        let mut known = vec![None; self.items];
        for item in &chosen[..self.labels] {
            let positive = population.positive[*item as usize];
            let positive = match self.fault {
                Fault::Nothing => positive,
                Fault::OtherQuestion => chance(&mut rng, self.prior),
                Fault::Swapped => !positive,
            };
            known[*item as usize] = Some(Label::positive_if(positive));
        }
        let rows = Rows::from_numbers(population.values, self.features)?;
        let protocol = Protocol::new(Collection::ForcedChoice, self.error)?;
        // What is not stated is not known: the range must hold without it, if labellers err no more than they are said to.
        let unstated = self.error_by_degree || self.error > self.error_at_most;
        let supervision = Supervision::new(Answers::from_iter(pairs))
            .protocol(if unstated { Protocol::FORCED_CHOICE } else { protocol })
            .prior(Prior::new(self.prior)?)
            .equals(Equals::Unknown)
            .error_at_most(self.error_at_most);
        let supervision =
            if self.labels > 0 { supervision.audited(known, LabelsChosen::Random) } else { supervision };
        let supervision = supervision.labels_train(self.labels_train);
        let options = FitOptions::new().model(self.model).folds(self.folds).seed(repeat);
        let control = Control { threads: Some(1), ..Control::default() };
        let fitted = fit_with(&rows, &supervision, &options, &control, &mut |_| ())?;
        let Some(assessment) = &fitted.assessment else { return Ok(Shown::default()) };

        let fresh = self.draw_items(20_000, &mut epoch_stream(repeat, Purpose::Resample, 7));
        let scores = fitted.classifier.scores(&Rows::from_numbers(fresh.values, self.features)?)?;
        let threshold = fitted.classifier.threshold();
        let right = scores
            .iter()
            .zip(&fresh.positive)
            .filter(|(score, positive)| (**score > threshold) == **positive);
        let truth = [right.count() as f64 / scores.len() as f64, auc(&scores, &fresh.positive)];
        let Judged { metrics, ranges, .. } = &assessment.new_items;
        Ok(Shown {
            judged: true,
            truth,
            point: points(metrics).map(Some),
            range: [
                ranges.as_ref().map(|ranges| ends(&ranges.accuracy)),
                ranges.as_ref().map(|ranges| ends(&ranges.auc)),
            ],
            combined: fitted.audit.as_ref().and_then(|audit| audit.combined),
            these: assessment
                .these_items
                .as_ref()
                .map(|these| [these.metrics.accuracy.value, these.metrics.accuracy.width()]),
        })
    }

    fn draw_items(&self, count: usize, rng: &mut ChaCha8Rng) -> Population {
        let mut population = Population { values: Vec::new(), positive: Vec::new(), degree: Vec::new() };
        for _ in 0..count {
            let positive = chance(rng, self.prior);
            let start = population.values.len();
            population.values.extend((0..self.features).map(|_| normal(rng) as f32));
            if positive {
                population.values[start] += self.signal as f32;
            }
            // People see more of the degree than the features say.
            population.degree.push(f64::from(population.values[start]) + 0.5 * normal(rng));
            population.positive.push(positive);
        }
        population
    }

    fn pairs(&self, population: &Population, rng: &mut ChaCha8Rng) -> Vec<(u32, u32)> {
        let count = (0.5 * self.each * self.items as f64).round() as usize;
        let mut order: Vec<u32> = (0..self.items as u32).collect();
        likelier::random::shuffle(rng, &mut order);
        let mut shown: Vec<(u32, u32)> = (0..count)
            .map(|pair| {
                if self.each <= 1.0 {
                    return (order[2 * pair], order[2 * pair + 1]);
                }
                let one = below(rng, self.items);
                let other = (one + 1 + below(rng, self.items - 1)) % self.items;
                (one as u32, other as u32)
            })
            .collect();
        let again = (self.again * count as f64).round() as usize;
        shown.extend_from_within(..again);
        shown.into_iter().map(|pair| self.answer(population, pair, rng)).collect()
    }

    /// The likelier one first, as a person says.
    fn answer(&self, population: &Population, (a, b): (u32, u32), rng: &mut ChaCha8Rng) -> (u32, u32) {
        let (first, second) = (a as usize, b as usize);
        let gap = population.degree[first] - population.degree[second];
        let first_is_likelier = if population.positive[first] == population.positive[second] {
            chance(rng, sigmoid(self.grading * gap))
        } else {
            let right = if self.error_by_degree {
                // Wrong only where the negative is of the higher degree.
                let against = (gap > 0.0) != population.positive[first];
                !(against && chance(rng, self.error / self.against()))
            } else {
                !chance(rng, self.error)
            };
            population.positive[first] == right
        };
        if first_is_likelier { (a, b) } else { (b, a) }
    }
}

impl Cell {
    /// How often the negative of a mixed pair is of the higher degree.
    fn against(&self) -> f64 {
        // A logistic curve is near enough to the normal one.
        1.0 - sigmoid(1.702 * self.signal / (2.0_f64 * 1.25).sqrt())
    }
}

struct Population {
    values: Vec<f32>,
    positive: Vec<bool>,
    degree: Vec<f64>,
}

fn points(metrics: &Metrics) -> [[f64; 3]; 2] {
    [metrics.accuracy, metrics.auc].map(|interval| [interval.value, interval.low, interval.high])
}

fn ends(range: &Range) -> [f64; 4] {
    [range.low_end.low, range.low_end.value, range.high_end.value, range.high_end.high]
}

fn sigmoid(z: f64) -> f64 {
    1.0 / (1.0 + (-z).exp())
}

fn normal(rng: &mut ChaCha8Rng) -> f64 {
    let (radius, angle) = (1.0 - unit(rng), unit(rng));
    (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
}

fn auc(scores: &[f32], positive: &[bool]) -> f64 {
    let mut sorted: Vec<(f32, bool)> = scores.iter().copied().zip(positive.iter().copied()).collect();
    sorted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let (mut below, mut sum, mut positives) = (0.0, 0.0, 0.0);
    for (_, positive) in sorted {
        if positive {
            positives += 1.0;
            sum += below;
        } else {
            below += 1.0;
        }
    }
    sum / (positives * below)
}
