//! How often `check` raises an alarm where nothing is wrong, how often it finds what is wrong, and how often `prior`
//! is right or withheld where labellers order equals by degree.
//!
//! ```text
//! cargo run --release -p likelier-paper --example check_rates -- 200 > raw.csv
//! ```
//!
//! Items are Gaussian in five dimensions, of which one tells the classes apart (2.5 standard deviations); scorers are
//! linear. Everything is simulated from its definition, from the seed that the row names. A second argument picks the
//! scenarios whose name contains it, or one of several parts between `|`; a third is the number of the first run, for runs
//! that nothing was tuned on. The table of rates goes to standard error.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example prints")]

use std::collections::HashMap;
use std::fmt::Write as _;

use likelier::data::{Annotators, PairGroups, Rows, ShownSide, Texts};
use likelier::estimate::diagnosis::Severity;
use likelier::model::ModelKind;
use likelier::random::{ChaCha8Rng, Purpose, below, chance, epoch_stream, shuffle, unit};
use likelier::{Answers, Checkup, Prior, Protocol, ScorerOptions, Supervision, check, estimate_prior};
use rayon::prelude::*;

type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// What is simulated.
#[derive(Clone, Copy)]
struct Scenario {
    name: &'static str,
    /// The code that must be found; none where nothing is wrong.
    wanted: Option<&'static str>,
    prior: f64,
    /// Items; as many as occur once each if 0.
    items: usize,
    answers: usize,
    /// Every pair is asked so often; 0 stands for one of ten pairs asked twice.
    times: usize,
    error: f64,
    /// How steeply equals are ordered by degree; 0 is a coin.
    grading: f64,
    discard: bool,
    people: bool,
    states_prior: bool,
    fault: Fault,
}

#[derive(Clone, Copy, PartialEq)]
enum Fault {
    None,
    Groups,
    NamedGroups,
    Coins,
    ShuffledIds,
    Copycat,
    Careless,
    CoinTosser,
    Contrarian,
    LeftClicker,
    Pasted,
    Hasty,
    OneKey,
    AskedOnce,
}

const PLAIN: Scenario = Scenario {
    name: "",
    wanted: None,
    prior: 0.5,
    items: 0,
    answers: 2000,
    times: 0,
    error: 0.05,
    grading: 0.0,
    discard: false,
    people: false,
    states_prior: false,
    fault: Fault::None,
};

fn scenarios() -> Vec<Scenario> {
    let mut all = Vec::new();
    for (name, times) in [("asked 1×", 1), ("asked 2×", 2), ("asked 3×", 3), ("asked 5×", 5)] {
        all.push(Scenario { name, times, ..PLAIN });
    }
    let people = Scenario { people: true, ..PLAIN };
    all.extend([
        Scenario { name: "exact labeller, prior stated", error: 0.0, states_prior: true, ..PLAIN },
        Scenario { name: "prior 0.2", prior: 0.2, ..PLAIN },
        Scenario { name: "prior 0.8", prior: 0.8, ..PLAIN },
        Scenario { name: "dense: 300 items, 6,000 answers", items: 300, answers: 6000, times: 1, ..PLAIN },
        Scenario { name: "dense, prior 0.2", items: 300, answers: 6000, times: 1, prior: 0.2, ..PLAIN },
        Scenario { name: "1,000 items", items: 1000, ..PLAIN },
        Scenario { name: "1,000 items, prior 0.2", items: 1000, prior: 0.2, ..PLAIN },
        Scenario { name: "groups, not named", items: 400, times: 1, fault: Fault::Groups, ..PLAIN },
        Scenario { name: "groups, named", items: 400, times: 1, fault: Fault::NamedGroups, ..PLAIN },
        Scenario { name: "people", ..people },
        Scenario { name: "people, prior 0.2", prior: 0.2, ..people },
        Scenario { name: "people, asked 3×", times: 3, ..people },
        Scenario { name: "people, dense", items: 300, answers: 6000, ..people },
        Scenario { name: "discard", discard: true, error: 0.0, prior: 0.3, ..PLAIN },
        Scenario {
            name: "discard, 1,000 items",
            discard: true,
            error: 0.0,
            prior: 0.3,
            items: 1000,
            ..PLAIN
        },
    ]);
    let wanted = |name, wanted, fault| Scenario { name, wanted: Some(wanted), fault, ..people };
    all.extend([
        Scenario { people: false, ..wanted("coins", "coin-tosses", Fault::Coins) },
        Scenario { people: false, ..wanted("shuffled ids", "unexplained", Fault::ShuffledIds) },
        Scenario {
            people: false,
            items: 300,
            answers: 6000,
            ..wanted("shuffled ids, dense", "unexplained", Fault::ShuffledIds)
        },
        wanted("a copycat", "copied-annotator", Fault::Copycat),
        wanted("one of five errs in 20 %", "annotator-stands-out", Fault::Careless),
        wanted("a coin-tosser", "annotator-stands-out", Fault::CoinTosser),
        wanted("a contrarian", "annotator-stands-out", Fault::Contrarian),
        wanted("a left-clicker", "leaning-annotator", Fault::LeftClicker),
        wanted("rows pasted twice", "pasted-rows", Fault::Pasted),
        Scenario { people: false, ..wanted("rows pasted twice, no times", "pasted-rows", Fault::Pasted) },
        wanted("a hasty one", "too-fast", Fault::Hasty),
        wanted("one key 30 times", "one-key", Fault::OneKey),
        Scenario {
            error: 0.2,
            states_prior: true,
            people: false,
            ..wanted("20 % error stated as 0", "labeller-error", Fault::None)
        },
        Scenario {
            people: false,
            times: 1,
            ..wanted("asked once: said so", "asked-once", Fault::AskedOnce)
        },
    ]);
    let graded = |name, grading, prior| Scenario { name, grading, prior, wanted: Some("graded"), ..PLAIN };
    all.extend([
        graded("graded, steepness 1", 1.0, 0.5),
        graded("graded, steepness 2", 2.0, 0.5),
        graded("graded, steepness 4", 4.0, 0.5),
        graded("graded, steepness 1, prior 0.3", 1.0, 0.3),
        graded("graded, steepness 2, prior 0.3", 2.0, 0.3),
        Scenario { items: 300, answers: 6000, times: 1, ..graded("graded, steepness 1, dense", 1.0, 0.5) },
        Scenario { times: 1, ..graded("graded, steepness 1, asked once", 1.0, 0.5) },
        Scenario { times: 1, ..graded("graded, steepness 2, asked once", 2.0, 0.5) },
    ]);
    all
}

/// A standard normal number, by the sum of twelve uniform ones.
fn normal(rng: &mut ChaCha8Rng) -> f64 {
    (0..12).map(|_| unit(rng)).sum::<f64>() - 6.0
}

const FEATURES: usize = 5;
const APART: f64 = 2.5;
/// The spread of degrees within a class.
const DEGREES: f64 = 1.5;
const NAMES: [&str; 5] = ["ann", "ben", "cem", "dia", "eva"];

struct World {
    numbers: Vec<f32>,
    positive: Vec<bool>,
    /// What items of one class are ordered by: the feature that tells the classes apart.
    degree: Vec<f64>,
}

impl World {
    fn add(&mut self, rng: &mut ChaCha8Rng, prior: f64) -> u32 {
        let positive = chance(rng, prior);
        let telling = normal(rng);
        self.degree.push(DEGREES * telling);
        self.numbers.push((telling + if positive { APART } else { 0.0 }) as f32);
        for _ in 1..FEATURES {
            self.numbers.push(normal(rng) as f32);
        }
        self.positive.push(positive);
        (self.positive.len() - 1) as u32
    }
}

struct Draw {
    rng: ChaCha8Rng,
    world: World,
    scenario: Scenario,
    pairs: Vec<(u32, u32)>,
    who: Vec<u32>,
    sides: Vec<Option<ShownSide>>,
    times: Vec<f64>,
    groups: Vec<u32>,
    /// Who answered a pair.
    known: HashMap<(u32, u32), [bool; 5]>,
}

impl Draw {
    fn new(scenario: Scenario, seed: u32) -> Self {
        let rng = epoch_stream(20_261_117, Purpose::Comparisons, seed);
        let world = World { numbers: Vec::new(), positive: Vec::new(), degree: Vec::new() };
        let mut draw = Self {
            rng,
            world,
            scenario,
            pairs: Vec::new(),
            who: Vec::new(),
            sides: Vec::new(),
            times: Vec::new(),
            groups: Vec::new(),
            known: HashMap::new(),
        };
        for at in 0..scenario.items {
            // Topics of forty items, of which some have few positives and some many.
            let prior = if draw.in_groups() { 0.2 + 0.6 * (at / 40) as f64 / 9.0 } else { scenario.prior };
            draw.world.add(&mut draw.rng, prior);
        }
        draw
    }

    fn in_groups(&self) -> bool {
        matches!(self.scenario.fault, Fault::Groups | Fault::NamedGroups)
    }

    /// Two items that were shown together, and their group.
    fn shown(&mut self) -> (u32, u32, u32) {
        if self.scenario.items == 0 {
            let prior = self.scenario.prior;
            return (self.world.add(&mut self.rng, prior), self.world.add(&mut self.rng, prior), 0);
        }
        loop {
            let a = below(&mut self.rng, self.scenario.items) as u32;
            let b = if self.in_groups() {
                a / 40 * 40 + below(&mut self.rng, 40) as u32
            } else {
                below(&mut self.rng, self.scenario.items) as u32
            };
            if a != b {
                return (a, b, a / 40);
            }
        }
    }

    /// Whether the first is said to be likelier, by somebody who errs so often.
    fn first(&mut self, a: u32, b: u32, error: f64) -> bool {
        let [one, two] = [a, b].map(|item| self.world.positive[item as usize]);
        if one != two {
            return one != chance(&mut self.rng, error);
        }
        let apart = self.world.degree[a as usize] - self.world.degree[b as usize];
        chance(&mut self.rng, 1.0 / (1.0 + (-self.scenario.grading * apart).exp()))
    }

    fn answer(&mut self, a: u32, b: u32, group: u32, who: u32) {
        let fault = self.scenario.fault;
        let guilty = who == 4;
        let error = if fault == Fault::Careless && guilty { 0.2 } else { self.scenario.error };
        let a_left = chance(&mut self.rng, 0.5);
        let recent = self.who.iter().filter(|one| **one == 4).count();
        let first = match fault {
            Fault::Coins => chance(&mut self.rng, 0.5),
            Fault::CoinTosser if guilty => chance(&mut self.rng, 0.5),
            Fault::Contrarian if guilty => !self.first(a, b, error),
            Fault::LeftClicker if guilty && chance(&mut self.rng, 0.8) => a_left,
            Fault::OneKey if guilty && (100..130).contains(&recent) => a_left,
            _ => self.first(a, b, error),
        };
        self.pairs.push(if first { (a, b) } else { (b, a) });
        self.sides
            .push(Some(if first == a_left { ShownSide::Left } else { ShownSide::Right }));
        let took = 4.0
            * (0.5 * normal(&mut self.rng)).exp()
            * if fault == Fault::Hasty && guilty { 0.1 } else { 1.0 };
        let last = (0..self.who.len())
            .rev()
            .find(|at| self.who[*at] == who)
            .map_or(0.0, |at| self.times[at]);
        self.times.push(last + took);
        self.who.push(who);
        self.groups.push(group);
        self.known.entry((a.min(b), a.max(b))).or_default()[who as usize] = true;
    }

    fn collect(&mut self) {
        let scenario = self.scenario;
        let mut asked = Vec::new();
        while asked.len() < scenario.answers {
            let (a, b, group) = self.shown();
            if scenario.discard {
                let [one, two] = [a, b].map(|item| self.world.positive[item as usize]);
                if !one && two {
                    continue;
                }
                self.pairs.push((a, b));
                asked.push((a, b, group));
                continue;
            }
            let times = match scenario.times {
                0 => 1 + usize::from(chance(&mut self.rng, 1.0 / 11.0)),
                times => times,
            };
            asked.extend(std::iter::repeat_n((a, b, group), times));
        }
        if scenario.discard {
            return;
        }
        shuffle(&mut self.rng, &mut asked);
        for (a, b, group) in asked {
            let mut who = below(&mut self.rng, 5) as u32;
            // Nobody is asked the same pair again.
            while scenario.people && self.asked(a, b, who) {
                who = below(&mut self.rng, 5) as u32;
            }
            if scenario.fault == Fault::Copycat && who == 4 {
                who = below(&mut self.rng, 4) as u32;
            }
            self.answer(a, b, group, who);
        }
        self.spoil();
    }

    /// Whether somebody answered this pair already, and somebody else did not.
    fn asked(&self, a: u32, b: u32, who: u32) -> bool {
        let known = self.known.get(&(a.min(b), a.max(b))).copied().unwrap_or_default();
        self.scenario.times != 1 && known[who as usize] && known.contains(&false)
    }

    fn spoil(&mut self) {
        match self.scenario.fault {
            Fault::ShuffledIds => {
                let mut names: Vec<u32> = (0..self.world.positive.len() as u32).collect();
                shuffle(&mut self.rng, &mut names);
                for (a, b) in &mut self.pairs {
                    (*a, *b) = (names[*a as usize], names[*b as usize]);
                }
            }
            Fault::Copycat => {
                for at in 0..self.pairs.len() {
                    if self.who[at] == 3 {
                        self.pairs.push(self.pairs[at]);
                        self.sides.push(self.sides[at]);
                        self.times.push(self.times[at] + 1.0 + unit(&mut self.rng));
                        self.groups.push(self.groups[at]);
                        self.who.push(4);
                    }
                }
            }
            Fault::Pasted => {
                for at in 300..500 {
                    self.pairs.push(self.pairs[at]);
                    self.sides.push(self.sides[at]);
                    self.times.push(self.times[at]);
                    self.groups.push(self.groups[at]);
                    self.who.push(self.who[at]);
                }
            }
            _ => {}
        }
    }

    fn supervision(&self) -> Outcome<Supervision> {
        let mut answers: Answers = self.pairs.iter().copied().collect();
        if self.scenario.people {
            let annotators = Annotators { names: NAMES.iter().collect(), of: self.who.clone() };
            let times: Texts = self.times.iter().map(|time| format!("{time:.2}")).collect();
            answers = answers.by(annotators)?.shown(self.sides.clone())?.at(times)?;
        }
        if self.scenario.fault == Fault::NamedGroups {
            let names: Texts = (0..10).map(|topic| format!("topic {topic}")).collect();
            answers = answers.grouped(PairGroups { names, of: self.groups.clone() })?;
        }
        let protocol = if self.scenario.discard { Protocol::DISCARD } else { Protocol::FORCED_CHOICE };
        let prior = if self.scenario.states_prior { Some(Prior::new(self.scenario.prior)?) } else { None };
        Ok(Supervision::new(answers).protocol(protocol).prior(prior))
    }
}

/// What one run gave.
struct Found {
    headline: &'static str,
    flags: Vec<&'static str>,
    codes: Vec<&'static str>,
    sound: bool,
    additivity: Option<f64>,
    /// How probable the ratio is under the true protocol.
    ratio: Option<f64>,
    /// Whether a prior was recommended, and whether its interval holds the truth.
    prior: Option<(bool, bool)>,
}

fn run(scenario: Scenario, seed: u32) -> Outcome<Found> {
    let mut draw = Draw::new(scenario, seed);
    draw.collect();
    let supervision = draw.supervision()?;
    let rows = Rows::from_numbers(draw.world.numbers.clone(), FEATURES)?;
    let scorer = ScorerOptions::new(ModelKind::Linear, 0);
    let Checkup { headline, findings, sound, protocol, .. } = check(&rows, &supervision, &scorer)?;
    let flagged = findings
        .iter()
        .filter(|one| one.severity > Severity::Note && one.code != "few-comparisons");
    let prior = if scenario.grading > 0.0 || scenario.times == 1 && !scenario.people {
        let report = estimate_prior(&rows, &supervision, &scorer)?;
        Some((report.recommended.is_some(), report.prior.holds(scenario.prior)))
    } else {
        None
    };
    Ok(Found {
        headline: headline.code,
        flags: flagged.map(|one| one.code).collect(),
        codes: findings.iter().map(|one| one.code).collect(),
        sound,
        ratio: if scenario.discard {
            protocol.discard_probability
        } else {
            protocol.forced_choice_probability
        },
        additivity: protocol.additivity.map(|additivity| additivity.probability),
        prior,
    })
}

fn main() -> Outcome<()> {
    let mut arguments = std::env::args().skip(1);
    let runs: u32 = arguments.next().map_or(Ok(200), |runs| runs.parse())?;
    let picked = arguments.next().unwrap_or_default();
    let start: u32 = arguments.next().map_or(Ok(0), |start| start.parse())?;
    println!("scenario,run,headline,sound,flags,additivity,ratio,prior_recommended,prior_holds");
    eprintln!(
        "| scenario | wanted | rate | in the headline | exit code 1 | other alarms | prior given | prior withheld or right |"
    );
    eprintln!("|---|---|---|---|---|---|---|---|");
    for scenario in scenarios()
        .into_iter()
        .filter(|one| picked.split('|').any(|part| one.name.contains(part)))
    {
        let found: Vec<Found> = (start..start + runs)
            .into_par_iter()
            .map(|seed| run(scenario, seed))
            .collect::<Outcome<_>>()?;
        let mut lines = String::new();
        for (seed, one) in (start..).zip(&found) {
            let p = [one.additivity, one.ratio]
                .map(|p| p.map_or(String::new(), |p| format!("{p:.5}")))
                .join(",");
            let prior = one.prior.map_or(",".into(), |(given, holds)| format!("{given},{holds}"));
            let name = scenario.name;
            writeln!(
                lines,
                "\"{name}\",{seed},{},{},{},{p},{prior}",
                one.headline,
                one.sound,
                one.flags.join(" ")
            )?;
        }
        print!("{lines}");
        let share = |of: &dyn Fn(&Found) -> bool| {
            format!("{:.3}", found.iter().filter(|one| of(one)).count() as f64 / found.len() as f64)
        };
        let priors = |of: &dyn Fn((bool, bool)) -> bool| {
            if found.iter().all(|one| one.prior.is_none()) {
                "–".into()
            } else {
                share(&|one| one.prior.is_some_and(of))
            }
        };
        let rate = match scenario.wanted {
            Some(code) => share(&|one| one.codes.contains(&code)),
            None => share(&|one| !one.flags.is_empty()),
        };
        let first = scenario.wanted.map_or("–".into(), |code| share(&|one| one.headline == code));
        let others = scenario
            .wanted
            .map_or("–".into(), |code| share(&|one| one.flags.iter().any(|flag| *flag != code)));
        eprintln!(
            "| {} | {} | {rate} | {first} | {} | {others} | {} | {} |",
            scenario.name,
            scenario.wanted.unwrap_or("no alarm"),
            share(&|one| !one.sound),
            priors(&|(given, _)| given),
            priors(&|(given, holds)| !given || holds),
        );
    }
    Ok(())
}
