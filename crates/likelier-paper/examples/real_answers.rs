//! What ties, names, repetitions and labels add to comparisons, on real features with simulated people.
//!
//! ```text
//! LIKELIER_DATA=… cargo run --release -p likelier-paper --example real_answers -- ties|stated-ties|people|labels|degree|sides [SEEDS [FIRST]] > rows.csv
//! ```
//!
//! Items are drawn at a prior and compared at random: forced choice, a linear model, nothing held out. The truth is
//! the accuracy on rows that were not drawn, resampled to the prior. A row names what was done with the answers:
//! `modelled` is what `train` does. `found` has the rates that it took, with their intervals, and `truth` those of the people.

#![allow(clippy::print_stdout, reason = "an example prints")]

use std::collections::HashSet;
use std::error::Error;
use std::path::Path;

use likelier::data::{Annotators, ShownSide, Texts};
use likelier::estimate::Interval;
use likelier::evaluate::Confusion;
use likelier::random::{ChaCha8Rng, Purpose, below, chance, shuffle, stream};
use likelier::{
    Answers, Classifier, Collection, Equals, FitOptions, Label, LabelsChosen, Method, Prior, Protocol,
    ReplyEstimate, Supervision, TieRates, fit, resample_to_prior,
};
use likelier_paper::benchmark::{Benchmark, Dataset};

const SETS: [Benchmark; 4] =
    [Benchmark::Optdigits, Benchmark::Pendigits, Benchmark::Usps, Benchmark::Mnist];

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let folder = std::env::var_os("LIKELIER_DATA").ok_or("set LIKELIER_DATA to the data directory")?;
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, default: u64| arguments.get(at).map_or(Ok(default), |text| text.parse());
    let (seeds, first): (u64, u64) = (number(1, 20)?, number(2, 0)?);
    let experiment: fn(&World, u64) -> Result<()> = match arguments.first().map(String::as_str) {
        Some("ties") => ties,
        Some("stated-ties") => stated_ties,
        Some("people") => people,
        Some("labels") => labels,
        Some("degree") => degree,
        Some("sides") => sides,
        _ => return Err("say which: ties, stated-ties, people, labels, degree or sides".into()),
    };
    println!("dataset,prior,condition,answers,seed,treatment,accuracy,found,truth");
    for benchmark in SETS {
        let dataset = benchmark.load(Path::new(&folder))?;
        let degrees = degrees(&dataset)?;
        for prior in [0.2, 0.5] {
            let world =
                World { benchmark, dataset: &dataset, degrees: &degrees, prior: Prior::new(prior)? };
            for seed in first..first + seeds {
                experiment(&world, seed)?;
            }
        }
    }
    Ok(())
}

/// A data set at a prior.
struct World<'a> {
    benchmark: Benchmark,
    dataset: &'a Dataset,
    degrees: &'a [f64],
    prior: Prior,
}

/// The score of a linear classifier that knows all labels, in deviations: what people who see degrees see.
fn degrees(dataset: &Dataset) -> Result<Vec<f64>> {
    let all: Vec<u32> = (0..dataset.labels.len() as u32).collect();
    let half = all.len() as u32 / 2;
    let pairs: Answers = (0..half).map(|at| (at, at + half)).collect();
    let supervision = Supervision::new(pairs)
        .protocol(Protocol::FORCED_CHOICE)
        .prior(Prior::new(0.5)?)
        .labelled(dataset.labels.clone());
    let options = FitOptions::new().method(Method::Supervised).hold_out(0.0).epochs(30);
    let scores = fit(&dataset.rows, &supervision, &options)?.classifier.scores(&dataset.rows)?;
    let mean = scores.iter().map(|score| f64::from(*score)).sum::<f64>() / scores.len() as f64;
    let squares = scores.iter().map(|score| (f64::from(*score) - mean).powi(2)).sum::<f64>();
    let deviation = (squares / scores.len() as f64).sqrt();
    Ok(scores.iter().map(|score| (f64::from(*score) - mean) / deviation).collect())
}

/// Items that are compared, and items that are not.
struct Drawn {
    pool: Vec<u32>,
    rest: Vec<u32>,
    rng: ChaCha8Rng,
}

impl World<'_> {
    fn label(&self, row: u32) -> Label {
        self.dataset.labels[row as usize]
    }

    fn draw(&self, items: usize, seed: u64) -> Result<Drawn> {
        let mut rng = stream(seed, Purpose::Comparisons);
        let all: Vec<u32> = (0..self.dataset.labels.len() as u32).collect();
        let mut pool = resample_to_prior(&self.dataset.labels, &all, self.prior, &mut rng)?;
        shuffle(&mut rng, &mut pool);
        pool.truncate(items);
        let drawn: HashSet<u32> = pool.iter().copied().collect();
        let rest: Vec<u32> = all.into_iter().filter(|row| !drawn.contains(row)).collect();
        let rest = resample_to_prior(&self.dataset.labels, &rest, self.prior, &mut rng)?;
        Ok(Drawn { pool, rest, rng })
    }

    fn accuracy(&self, classifier: &Classifier, rest: &[u32]) -> Result<f64> {
        let scores = classifier.scores_of(&self.dataset.rows, rest)?;
        let threshold = classifier.threshold();
        let called: Vec<Label> =
            scores.iter().map(|score| Label::positive_if(*score > threshold)).collect();
        Ok(Confusion::of(&called, rest.iter().map(|row| self.label(*row)))?.accuracy())
    }

    /// The sum of each row's features.
    fn sums(&self, rows: &[u32]) -> Vec<f32> {
        let mut values = vec![0.0; self.dataset.rows.width()];
        let mut sum = |row: &u32| {
            self.dataset.rows.copy_row(*row as usize, &mut values);
            values.iter().sum()
        };
        rows.iter().map(&mut sum).collect()
    }

    fn supervision(&self, answers: Answers, error: f64) -> Result<Supervision> {
        Ok(Supervision::new(answers)
            .protocol(Protocol::new(Collection::ForcedChoice, error)?)
            .prior(self.prior)
            .equals(Equals::Coin))
    }

    /// Trains and prints.
    fn row(
        &self,
        (condition, seed, treatment): (&str, u64, &str),
        supervision: &Supervision,
        options: FitOptions,
        rest: &[u32],
        truth: &str,
    ) -> Result<()> {
        let fitted = fit(&self.dataset.rows, supervision, &options.hold_out(0.0).seed(seed))?;
        let accuracy = self.accuracy(&fitted.classifier, rest)?;
        let found = match &fitted.replies {
            Some(found) => in_words(found),
            None => String::new(),
        };
        println!(
            "{},{},{condition},{},{seed},{treatment},{accuracy:.4},{found},{truth}",
            self.benchmark,
            self.prior.positive(),
            supervision.answers().map_or(0, Answers::len),
        );
        Ok(())
    }

    /// Who of two is put first: a mixed pair wrongly at `error`; equals by a coin, or by degree.
    fn first(&self, rng: &mut ChaCha8Rng, (a, b): (u32, u32), error: f64, degree: f64) -> bool {
        if self.label(a) == self.label(b) {
            let gap = degree * (self.degrees[a as usize] - self.degrees[b as usize]);
            chance(rng, 1.0 / (1.0 + (-gap).exp()))
        } else {
            self.label(a).is_positive() != chance(rng, error)
        }
    }
}

/// Labellers err in this share of mixed pairs where ties are looked at.
const TIED_ERROR: f64 = 0.05;

/// 500 pairs that share no item, in the order that was chosen, and which of them people would rather call a tie.
struct AskedOnce {
    pairs: Vec<(u32, u32)>,
    tied: Vec<bool>,
    rest: Vec<u32>,
    rng: ChaCha8Rng,
}

impl AskedOnce {
    fn ask(world: &World<'_>, seed: u64, (same, mixed): (f64, f64)) -> Result<Self> {
        let Drawn { pool, rest, mut rng } = world.draw(1000, seed)?;
        let (mut pairs, mut tied) = (Vec::new(), Vec::new());
        for pair in pool.chunks_exact(2) {
            let (a, b) = (pair[0], pair[1]);
            let alike = world.label(a) == world.label(b);
            tied.push(chance(&mut rng, if alike { same } else { mixed }));
            pairs.push(if world.first(&mut rng, (a, b), TIED_ERROR, 0.0) { (a, b) } else { (b, a) });
        }
        Ok(Self { pairs, tied, rest, rng })
    }

    fn decided(&self) -> Answers {
        self.pairs.iter().copied().collect()
    }

    fn with_ties(&self, world: &World<'_>) -> Result<Supervision> {
        world.supervision(self.decided().tied(self.tied.clone())?, TIED_ERROR)
    }
}

/// What is printed beside the rates that were found.
fn true_rates((same, mixed): (f64, f64)) -> String {
    format!("same={same} mixed={mixed} error={TIED_ERROR}")
}

fn ties(world: &World<'_>, seed: u64) -> Result<()> {
    for rates in [(0.2, 0.05), (0.5, 0.1), (0.8, 0.2), (0.5, 0.0), (0.3, 0.3)] {
        let mut asked = AskedOnce::ask(world, seed, rates)?;
        let condition = format!("{}/{}", rates.0, rates.1);
        let (modelled, truth, rest) = (asked.with_ties(world)?, true_rates(rates), asked.rest.clone());
        let run = |treatment, supervision: &Supervision, options| {
            world.row((&condition, seed, treatment), supervision, options, &rest, &truth)
        };
        run("modelled", &modelled, FitOptions::new())?;
        run("halved", &modelled, FitOptions::new().plain_comparisons(true))?;
        // A tie's order is a coin here only between equals, so it is tossed anew.
        let tossed = asked
            .pairs
            .iter()
            .zip(&asked.tied)
            .map(|(&(a, b), tied)| if *tied && chance(&mut asked.rng, 0.5) { (b, a) } else { (a, b) });
        let tossed: Answers = tossed.collect();
        run("tossed", &world.supervision(tossed, TIED_ERROR)?, FitOptions::new())?;
        let dropped = asked.pairs.iter().zip(&asked.tied).filter(|(_, tied)| !**tied);
        let dropped = dropped.map(|(pair, _)| *pair).collect();
        run("dropped", &world.supervision(dropped, TIED_ERROR)?, FitOptions::new())?;
        run("none tied", &world.supervision(asked.decided(), TIED_ERROR)?, FitOptions::new())?;
    }
    Ok(())
}

/// Rates of ties that are stated, rightly or not, beside those that training finds.
fn stated_ties(world: &World<'_>, seed: u64) -> Result<()> {
    for rates in [(0.2, 0.05), (0.5, 0.1), (0.8, 0.2), (0.5, 0.0), (0.3, 0.3)] {
        let asked = AskedOnce::ask(world, seed, rates)?;
        let condition = format!("{}/{}", rates.0, rates.1);
        let (truth, (same, mixed)) = (true_rates(rates), rates);
        let middle = f64::midpoint(same, mixed);
        for (treatment, stated) in [
            ("found", None),
            ("stated rightly", Some((same, mixed))),
            ("stated half", Some((same / 2.0, mixed / 2.0))),
            ("stated equal", Some((middle, middle))),
            ("stated mixed 0", Some((same, 0.0))),
            ("stated swapped", Some((mixed, same))),
        ] {
            let stated = stated.map(|(same, mixed)| TieRates::new(same, mixed)).transpose()?;
            let supervision = asked.with_ties(world)?.tie_rates(stated);
            let what = (&condition[..], seed, treatment);
            world.row(what, &supervision, FitOptions::new(), &asked.rest, &truth)?;
        }
        let halved = FitOptions::new().plain_comparisons(true);
        world.row((&condition, seed, "halved"), &asked.with_ties(world)?, halved, &asked.rest, &truth)?;
    }
    Ok(())
}

/// Twenty people; `named` knows who answered, `pooled` does not.
fn people(world: &World<'_>, seed: u64) -> Result<()> {
    const PEOPLE: usize = 20;
    let spread = |from: f64, to: f64, at: usize| from + (to - from) * at as f64 / (PEOPLE - 1) as f64;
    let names: Vec<String> = (0..PEOPLE).map(|person| format!("p{person}")).collect();
    let names: Texts = names.iter().map(String::as_str).collect();
    for (differ, most) in [(true, 50.0), (true, 500.0), (false, 500.0)] {
        for again in [0.0, 0.1] {
            let Drawn { pool, rest, mut rng } = world.draw(1000, seed)?;
            let errors: Vec<f64> = (0..PEOPLE)
                .map(|person| if differ { spread(0.02, 0.4, person) } else { 0.2 })
                .collect();
            // From 50 answers to the most, whoever errs how often; one entry for each answer.
            let mut order: Vec<usize> = (0..PEOPLE).collect();
            shuffle(&mut rng, &mut order);
            let count = |at: usize| spread(50_f64.ln(), f64::ln(most), at).exp().round() as usize;
            let mut turns: Vec<usize> = order
                .iter()
                .enumerate()
                .flat_map(|(at, person)| vec![*person; count(at)])
                .collect();
            shuffle(&mut rng, &mut turns);
            let (mut pairs, mut by) = (Vec::new(), Vec::new());
            while let Some(person) = turns.pop() {
                let (a, b) = (pool[below(&mut rng, pool.len())], pool[below(&mut rng, pool.len())]);
                let other = turns.last().copied().filter(|other| *other != person);
                let asked = [Some(person), other.filter(|_| chance(&mut rng, again))];
                if a == b {
                    turns.insert(0, person);
                    continue;
                }
                if asked[1].is_some() {
                    turns.pop();
                }
                for person in asked.into_iter().flatten() {
                    let first = world.first(&mut rng, (a, b), errors[person], 0.0);
                    pairs.push(if first { (a, b) } else { (b, a) });
                    by.push(person as u32);
                }
            }
            let mean = by.iter().map(|person| errors[*person as usize]).sum::<f64>() / by.len() as f64;
            let all = || pairs.iter().copied().collect::<Answers>();
            let named = all().by(Annotators { names: names.clone(), of: by.clone() })?;
            for stated in [0.0, mean] {
                if stated > 0.0 && again > 0.0 {
                    continue;
                }
                let known = match (stated > 0.0, again > 0.0) {
                    (true, _) => "mean stated",
                    (false, true) => "a tenth again",
                    (false, false) => "nothing else",
                };
                let who = if differ { "differ" } else { "alike" };
                let condition = format!("{who}; 50 to {most} answers; {known}");
                let each: Vec<String> = errors.iter().map(|error| format!("error={error:.3}")).collect();
                for (treatment, answers, truth) in [
                    ("named", named.clone(), each.join(" ")),
                    ("pooled", all(), format!("error={mean:.4}")),
                ] {
                    let supervision = world.supervision(answers, stated)?;
                    let what = (&condition[..], seed, treatment);
                    world.row(what, &supervision, FitOptions::new(), &rest, &truth)?;
                }
            }
        }
    }
    Ok(())
}

fn labels(world: &World<'_>, seed: u64) -> Result<()> {
    for protocol in [Protocol::FORCED_CHOICE, Protocol::DISCARD] {
        let Drawn { pool, rest, mut rng } = world.draw(1200, seed)?;
        let (compared, others) = pool.split_at(800);
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        for pair in compared.chunks_exact(2) {
            let (a, b) = (pair[0], pair[1]);
            let first = world.first(&mut rng, (a, b), 0.0, 0.0);
            match protocol.collection() {
                Collection::ForcedChoice => pairs.push(if first { (a, b) } else { (b, a) }),
                Collection::Discard if world.label(a) == world.label(b) || first => pairs.push((a, b)),
                Collection::Discard => {}
            }
        }
        let answers: Answers = pairs.into_iter().collect();
        let base = || {
            Supervision::new(answers.clone())
                .protocol(protocol)
                .prior(world.prior)
                .equals(Equals::Coin)
        };
        // Half of the labelled items were compared, half never.
        let mut order: Vec<u32> = compared
            .iter()
            .zip(others.iter().cycle())
            .flat_map(|(a, b)| [*a, *b])
            .take(400)
            .collect();
        shuffle(&mut rng, &mut order);
        for count in [0, 10, 20, 50, 200] {
            let condition = format!("{protocol} {count} labels");
            let run = |treatment, supervision: &Supervision, options| {
                world.row((&condition, seed, treatment), supervision, options, &rest, "")
            };
            if count == 0 {
                run("comparisons alone", &base(), FitOptions::new())?;
                continue;
            }
            let mut known: Vec<Option<Label>> = vec![None; world.dataset.labels.len()];
            for row in &order[..count] {
                known[*row as usize] = Some(world.label(*row));
            }
            let both = base().audited(known, LabelsChosen::Random).labels_train(true);
            run("modelled", &both, FitOptions::new())?;
            // Pairs of labelled rows as a supervised sample.
            let labelled: Answers = order[..count].chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
            let alone = Supervision::new(labelled)
                .protocol(Protocol::FORCED_CHOICE)
                .prior(world.prior)
                .labelled(world.dataset.labels.clone());
            let options = FitOptions::new().method(Method::Supervised).weight_decay(0.01);
            if let Err(problem) = run("labels alone", &alone, options) {
                eprintln!("{condition}: {problem}");
            }
        }
    }
    Ok(())
}

fn degree(world: &World<'_>, seed: u64) -> Result<()> {
    for strength in [0.0, 0.5, 1.0, 2.0, 4.0, 8.0] {
        let Drawn { pool, rest, mut rng } = world.draw(1000, seed)?;
        let mut pairs = Vec::new();
        for pair in pool.chunks_exact(2) {
            let (a, b) = (pair[0], pair[1]);
            let times = if chance(&mut rng, 0.1) { 2 } else { 1 };
            for _ in 0..times {
                pairs.push(if world.first(&mut rng, (a, b), 0.05, strength) { (a, b) } else { (b, a) });
            }
        }
        let condition = format!("degree {strength}");
        let supervision = world.supervision(pairs.into_iter().collect(), 0.05)?;
        let run = |treatment, options| {
            world.row((&condition, seed, treatment), &supervision, options, &rest, "error=0.05")
        };
        run("modelled", FitOptions::new())?;
        run("plain", FitOptions::new().plain_comparisons(true))?;
        run("rank-quantile", FitOptions::new().method(Method::RankQuantile))?;
    }
    Ok(())
}

/// People who pick what stands on the left in a share of their answers, whatever it is, or in that share of pairs of
/// one class alone. Sides are drawn, or what has the larger sum of features is on the left.
fn sides(world: &World<'_>, seed: u64) -> Result<()> {
    const ERROR: f64 = 0.05;
    for (leaning, drawn, equals_alone) in [
        (0.0, true, false),
        (0.2, true, false),
        (0.4, true, false),
        (0.6, true, false),
        (0.0, false, false),
        (0.2, false, false),
        (0.4, false, false),
        (0.6, false, false),
        (0.4, true, true),
    ] {
        let Drawn { pool, rest, mut rng } = world.draw(1000, seed)?;
        let sums = world.sums(&pool);
        let (mut pairs, mut picked) = (Vec::new(), Vec::new());
        for (pair, sums) in pool.chunks_exact(2).zip(sums.chunks_exact(2)) {
            let (a, b) = (pair[0], pair[1]);
            let a_left = if drawn { chance(&mut rng, 0.5) } else { sums[0] > sums[1] };
            let leans = !equals_alone || world.label(a) == world.label(b);
            let a_first = if chance(&mut rng, if leans { leaning } else { 0.0 }) {
                a_left
            } else {
                world.first(&mut rng, (a, b), ERROR, 0.0)
            };
            pairs.push(if a_first { (a, b) } else { (b, a) });
            picked.push(Some(if a_first == a_left { ShownSide::Left } else { ShownSide::Right }));
        }
        let placed = if drawn { "drawn" } else { "by the sum" };
        let of = if equals_alone { "pairs of one class" } else { "any pair" };
        let condition = format!("{leaning} of {of}; sides {placed}");
        let all = || pairs.iter().copied().collect::<Answers>();
        let truth = format!("error={ERROR} leaning={leaning}");
        let run = |treatment, answers, error| {
            let supervision = world.supervision(answers, error)?;
            world.row((&condition, seed, treatment), &supervision, FitOptions::new(), &rest, &truth)
        };
        // What is wrong of all answers about mixed pairs, where sides are drawn.
        let wrong = if equals_alone { ERROR } else { (1.0 - leaning) * ERROR + 0.5 * leaning };
        let shown = all().shown(picked.clone())?;
        run("modelled", shown.clone(), wrong)?;
        run("not known", all(), wrong)?;
        run("modelled; 0.05 stated", shown, ERROR)?;
        run("not known; 0.05 stated", all(), ERROR)?;
    }
    Ok(())
}

/// `name=value:low:high`, or without a range where none is known.
fn in_words(found: &ReplyEstimate) -> String {
    let one = |name: &str, value: f64, range: Option<&Interval>| {
        let range = range.map_or(String::new(), |range| format!(":{:.4}:{:.4}", range.low, range.high));
        format!("{name}={value:.4}{range}")
    };
    let mut words = Vec::new();
    if let Some(ties) = found.rates.ties {
        let ranges = found.tie_intervals.as_ref();
        words.push(one("same", ties.same_class(), ranges.map(|ranges| &ranges.same_class)));
        words.push(one("mixed", ties.mixed(), ranges.map(|ranges| &ranges.mixed)));
    }
    for (person, error) in found.rates.errors.iter().enumerate() {
        let ranges = found.error_intervals.as_ref();
        words.push(one("error", *error, ranges.and_then(|ranges| ranges.get(person))));
    }
    for (person, leaning) in found.rates.leanings.iter().enumerate() {
        let ranges = found.leaning_intervals.as_ref();
        words.push(one("leaning", *leaning, ranges.and_then(|ranges| ranges.get(person))));
    }
    words.push(format!("degree={}", found.rates.degree));
    words.join(" ")
}
