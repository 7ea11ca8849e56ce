//! Ten digits as ten questions, "which of these two is likelier a 7?": the class that is called, beside labels.
//!
//! ```text
//! LIKELIER_DATA=… cargo run --release -p likelier-paper --example ten_questions -- ROWS_FOLDER [SEEDS] > rows.csv
//! ```
//!
//! Eight of ten rows are items, drawn anew for each seed, and the others tell the truth. For each digit random pairs of items
//! are put in order by forced choice, equals by a coin; the share of each digit is that among the items. Linear models, as
//! `train --classes` has them. `labelled` is one linear model a digit with the labels of the same rows; a softmax with the
//! labels of all compared items is fitted by reproduce/answers/softmax.py, for which the rows are written to ROWS_FOLDER.

#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::Instant;

use likelier::model::ProbabilityMap;
use likelier::random::{ChaCha8Rng, Purpose, below, chance, shuffle, stream};
use likelier::{
    Answers, Classifier, Classifiers, Equals, FitOptions, FittedQuestions, Label, Method, Prior, Protocol,
    Question, Supervision, fit, fit_questions,
};
use likelier_paper::benchmark::{Benchmark, Dataset};

const SETS: [(Benchmark, usize); 2] = [(Benchmark::Optdigits, 2000), (Benchmark::Mnist, 5000)];

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let folder = std::env::var_os("LIKELIER_DATA").ok_or("set LIKELIER_DATA to the data directory")?;
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let rows = Path::new(arguments.first().ok_or("say where to write which rows are items")?);
    let seeds: u64 = arguments.get(1).map_or(Ok(5), |text| text.parse())?;
    fs::create_dir_all(rows)?;
    println!(
        "dataset,comparisons,seed,accuracy,label_free,low,high,uncalibrated,labelled,sharpness,log_loss,\
         log_loss_plain,log_loss_divided,log_loss_softmax,seconds"
    );
    for (benchmark, pairs) in SETS {
        let dataset = benchmark.load(Path::new(&folder))?;
        for seed in 0..seeds {
            one(benchmark, &dataset, pairs, seed, rows)?;
        }
    }
    Ok(())
}

fn one(benchmark: Benchmark, dataset: &Dataset, pairs: usize, seed: u64, folder: &Path) -> Result<()> {
    let mut rng = stream(seed, Purpose::Comparisons);
    let mut all: Vec<u32> = (0..dataset.classes.len() as u32).collect();
    shuffle(&mut rng, &mut all);
    let (items, test) = all.split_at(all.len() * 8 / 10);
    let questions: Vec<Question> = (0..10)
        .map(|digit| ask(dataset, items, digit, pairs, &mut rng))
        .collect::<Result<_>>()?;
    note_rows(&folder.join(format!("{benchmark}-{seed}.csv")), &questions, test)?;

    let began = Instant::now();
    let options = FitOptions::new().classes(true).seed(seed);
    let fitted = fit_questions(&dataset.rows, &questions, &options)?;
    let seconds = began.elapsed().as_secs_f64();
    let [accuracy, ours, plain, divided, softmax] = truth(&fitted.classifiers, dataset, test)?;
    let uncalibrated = with_each(&fitted, |_, one| {
        let map = ProbabilityMap::plain(one.threshold());
        Ok(one.clone().with_probability(map)?)
    })?;
    let labelled = with_each(&fitted, |digit, _| {
        let labels = dataset
            .classes
            .iter()
            .map(|class| Label::positive_if(usize::from(*class) == digit));
        let supervision = questions[digit].supervision.clone().labelled(labels.collect());
        let options = FitOptions::new().method(Method::Supervised).hold_out(0.0).seed(seed);
        Ok(fit(&dataset.rows, &supervision, &options)?.classifier)
    })?;
    let free = fitted.classes.map_or(String::from(",,"), |judged| {
        let free = judged.accuracy;
        format!("{:.4},{:.4},{:.4}", free.value, free.low, free.high)
    });
    println!(
        "{benchmark},{pairs},{seed},{accuracy:.4},{free},{:.4},{:.4},{},{ours:.4},{plain:.4},{divided:.4},{softmax:.4},{seconds:.1}",
        truth(&uncalibrated, dataset, test)?[0],
        truth(&labelled, dataset, test)?[0],
        fitted.classifiers.sharpness(),
    );
    Ok(())
}

/// Random pairs of items, in the order that somebody gives who knows the digit.
fn ask(
    dataset: &Dataset,
    items: &[u32],
    digit: u8,
    pairs: usize,
    rng: &mut ChaCha8Rng,
) -> Result<Question> {
    let is = |row: u32| dataset.classes[row as usize] == digit;
    let share = items.iter().filter(|row| is(**row)).count() as f64 / items.len() as f64;
    let mut answers = Vec::with_capacity(pairs);
    while answers.len() < pairs {
        let (a, b) = (items[below(rng, items.len())], items[below(rng, items.len())]);
        if a == b {
            continue;
        }
        let first = if is(a) == is(b) { chance(rng, 0.5) } else { is(a) };
        answers.push(if first { (a, b) } else { (b, a) });
    }
    let supervision = Supervision::new(Answers::from_iter(answers))
        .protocol(Protocol::FORCED_CHOICE)
        .prior(Prior::new(share)?)
        .equals(Equals::Coin);
    Ok(Question { name: digit.to_string(), supervision })
}

/// Which rows were compared, and which tell the truth: for whoever trains with their labels.
fn note_rows(path: &Path, questions: &[Question], test: &[u32]) -> Result<()> {
    let pairs = questions.iter().filter_map(|question| question.supervision.answers());
    let mut items: Vec<u32> =
        pairs.flat_map(likelier::Answers::pairs).flat_map(|(a, b)| [*a, *b]).collect();
    items.sort_unstable();
    items.dedup();
    let mut text = String::from("part,row\n");
    for (part, rows) in [("items", &items[..]), ("test", test)] {
        for row in rows {
            writeln!(text, "{part},{row}")?;
        }
    }
    Ok(fs::write(path, text)?)
}

/// The same questions with other classifiers.
fn with_each(
    fitted: &FittedQuestions,
    change: impl Fn(usize, &Classifier) -> Result<Classifier>,
) -> Result<Classifiers> {
    let changed = fitted
        .questions
        .iter()
        .enumerate()
        .map(|(digit, (name, one))| Ok((name.clone(), change(digit, &one.classifier)?)));
    Ok(Classifiers::new(changed.collect::<Result<_>>()?, true)?)
}

/// The share of right calls, and the mean log-loss of the probabilities, of those without sharpness, of p_k divided by
/// their sum, and of a softmax of their log-odds.
fn truth(classifiers: &Classifiers, dataset: &Dataset, test: &[u32]) -> Result<[f64; 5]> {
    let scores: Vec<Vec<f32>> = classifiers
        .iter()
        .map(|(_, one)| one.scores_of(&dataset.rows, test))
        .collect::<std::result::Result<_, _>>()?;
    let maps: Vec<ProbabilityMap> = classifiers.iter().map(|(_, one)| one.probability()).collect();
    let plainly = classifiers.clone().with_sharpness(1.0)?;
    let mut sums = [0.0; 5];
    for (at, row) in test.iter().enumerate() {
        let class = usize::from(dataset.classes[*row as usize]);
        let ours = classifiers.probabilities(scores.iter().map(|of| of[at]));
        let single: Vec<f64> =
            maps.iter().zip(&scores).map(|(map, of)| f64::from(map.of(of[at]))).collect();
        let odds: Vec<f64> = single.iter().map(|p| p / (1.0 - p).max(1e-12)).collect();
        let loss = |share: f64| -share.max(1e-12).ln();
        let right = ours.iter().all(|other| *other <= ours[class]);
        let losses = [
            f64::from(u8::from(right)),
            loss(ours[class]),
            loss(plainly.probabilities(scores.iter().map(|of| of[at]))[class]),
            loss(single[class] / single.iter().sum::<f64>()),
            loss(odds[class] / odds.iter().sum::<f64>()),
        ];
        sums.iter_mut().zip(losses).for_each(|(sum, loss)| *sum += loss);
    }
    Ok(sums.map(|sum| sum / test.len() as f64))
}
