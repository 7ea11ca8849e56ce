//! Simulated people who compare Optdigits ("is it even?"), through the page or directly.

#![allow(dead_code, reason = "not every user uses all of it")]
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test may panic")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use likelier::random::{ChaCha8Rng, Purpose, below, chance, epoch_stream};
use serde_json::Value;

use crate::page::Page;

/// What somebody does with a pair.
#[derive(Clone, Copy)]
pub(crate) enum Habit {
    /// Gets this share of the mixed pairs wrong, and tosses a coin for equals.
    Errs(f64),
    /// Always clicks the left one.
    Left,
}

pub(crate) const PEOPLE: [(&str, Habit); 5] = [
    ("ann", Habit::Errs(0.05)),
    ("bob", Habit::Errs(0.05)),
    ("cat", Habit::Errs(0.05)),
    ("careless", Habit::Errs(0.3)),
    ("lefty", Habit::Left),
];

/// How much is asked.
#[derive(Clone, Copy)]
pub(crate) struct Asked {
    pub(crate) pairs: usize,
    /// The share of pairs that somebody else has answered.
    pub(crate) shared: f64,
    pub(crate) seed: u64,
}

/// Items that are compared.
const ITEMS: usize = 1500;

/// Digits, and which are even.
pub(crate) struct Digits {
    rows: Vec<String>,
    even: Vec<bool>,
}

impl Digits {
    fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).unwrap();
        let (mut rows, mut even) = (Vec::new(), Vec::new());
        for line in text.lines() {
            let (pixels, digit) = line.rsplit_once(',').unwrap();
            rows.push(pixels.to_owned());
            even.push(digit.trim().parse::<u32>().unwrap() % 2 == 0);
        }
        Self { rows, even }
    }

    /// Writes items.csv and test.csv, and gives the labels of the items.
    pub(crate) fn write(data: &Path, folder: &Path) -> Vec<bool> {
        let names: Vec<String> = (0..64).map(|at| format!("p{at}")).collect();
        let train = Self::read(&data.join("optdigits/optdigits.tra"));
        let test = Self::read(&data.join("optdigits/optdigits.tes"));
        let mut items = format!("id,{}\n", names.join(","));
        for (row, pixels) in train.rows.iter().take(ITEMS).enumerate() {
            let _ = writeln!(items, "{row},{pixels}");
        }
        let mut labelled = format!("{},label\n", names.join(","));
        for (pixels, even) in test.rows.iter().zip(&test.even) {
            let _ = writeln!(labelled, "{pixels},{}", u8::from(*even));
        }
        fs::write(folder.join("items.csv"), items).unwrap();
        fs::write(folder.join("test.csv"), labelled).unwrap();
        train.even[..ITEMS].to_vec()
    }
}

/// Whether the left one is chosen.
fn left(habit: Habit, [left, right]: [bool; 2], rng: &mut ChaCha8Rng) -> bool {
    match habit {
        Habit::Left => true,
        Habit::Errs(_) if left == right => chance(rng, 0.5),
        Habit::Errs(error) => left != chance(rng, error),
    }
}

/// The share of even digits among the items.
pub(crate) fn prior(even: &[bool]) -> f64 {
    even.iter().filter(|even| **even).count() as f64 / even.len() as f64
}

/// Everybody answers their part of the pairs on the page.
pub(crate) fn through_the_page(program: &Path, folder: &Path, even: &[bool], asked: Asked) {
    let Asked { pairs, shared, seed } = asked;
    let names: Vec<&str> = PEOPLE.iter().map(|(name, _)| *name).collect();
    let mut command = Command::new(program);
    command.current_dir(folder).args([
        "label",
        "items.csv",
        "--port",
        "0",
        "--show",
        "id",
        "--shared",
        &shared.to_string(),
    ]);
    command.args(["--people", &names.join(","), "--seed", &seed.to_string()]);
    command.args(["--prior", &prior(even).to_string()]);
    let page = Page::start(command);
    // In turns, so that a seed decides everything.
    let mut everybody: Vec<_> = (1..)
        .zip(PEOPLE)
        .map(|(number, (name, habit))| {
            let mut client = page.client(name);
            let hand = client.hand();
            (client, habit, epoch_stream(seed, Purpose::Candidates, number), hand)
        })
        .collect();
    for _ in 0..pairs / PEOPLE.len() {
        for (client, habit, rng, hand) in &mut everybody {
            let even = ["left", "right"].map(|side| {
                let id = hand["pairs"][0][side]["cells"][0].as_str().unwrap();
                even[id.parse::<usize>().unwrap()]
            });
            *hand = client.answer(hand, if left(*habit, even, rng) { "left" } else { "right" });
        }
    }
    page.interrupt();
}

/// As many answers of the same people to independent pairs, as a table.
pub(crate) fn directly(folder: &Path, even: &[bool], asked: Asked) {
    let Asked { pairs, seed, .. } = asked;
    let mut text = String::from("likelier,other,annotator,side\n");
    for (number, (name, habit)) in (11..).zip(PEOPLE) {
        let mut rng = epoch_stream(seed, Purpose::Candidates, number);
        for _ in 0..pairs / PEOPLE.len() {
            let one = below(&mut rng, even.len());
            let two = (one + 1 + below(&mut rng, even.len() - 1)) % even.len();
            let [likelier, other, side] = if left(habit, [even[one], even[two]], &mut rng) {
                [one.to_string(), two.to_string(), "left".into()]
            } else {
                [two.to_string(), one.to_string(), "right".into()]
            };
            let _ = writeln!(text, "{likelier},{other},{name},{side}");
        }
    }
    fs::write(folder.join("direct.csv"), text).unwrap();
}

/// The result of a command with `--json`.
pub(crate) fn result(program: &Path, folder: &Path, arguments: &str) -> Value {
    let Output { stdout, stderr, .. } = Command::new(program)
        .args(arguments.split_whitespace())
        .arg("--json")
        .current_dir(folder)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&stderr).into_owned();
    let read: Value = serde_json::from_slice(&stdout).unwrap_or_else(|_| panic!("{arguments}: {said}"));
    read["result"].clone()
}

/// What came of it.
pub(crate) struct Outcome {
    /// The true accuracy of the model from the page, and of that from direct answers.
    pub(crate) accuracy: [f64; 2],
    /// What was printed of the first, sampling error included.
    pub(crate) printed: [f64; 2],
    pub(crate) check: Value,
}

/// Pairs through the page, and as many directly; both trained and evaluated with labels.
pub(crate) fn run(program: &Path, data: &Path, folder: &Path, asked: Asked) -> Outcome {
    let even = Digits::write(data, folder);
    through_the_page(program, folder, &even, asked);
    directly(folder, &even, asked);
    let trained =
        result(program, folder, "train --answers items.likelier-label --out page.model --no-report");
    let direct = format!(
        "train --items items.csv --comparisons direct.csv --protocol forced-choice --prior {} --out direct.model --no-report",
        prior(&even)
    );
    result(program, folder, &direct);
    let accuracy = ["page.model", "direct.model"].map(|model| {
        let evaluated =
            result(program, folder, &format!("evaluate {model} --items test.csv --label label"));
        evaluated["labelled"]["accuracy"]["value"].as_f64().unwrap()
    });
    let range = &trained["label_free"]["ranges"]["accuracy"];
    let printed = [&range["low_end"]["low"], &range["high_end"]["high"]].map(|end| end.as_f64().unwrap());
    let check = result(program, folder, "check --answers items.likelier-label");
    Outcome { accuracy, printed, check }
}
