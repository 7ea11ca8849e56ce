//! `train` and `predict` interrupted and killed at random moments: what is there is whole, and a stopped training
//! goes on to the same bytes.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fmt::Write as _;
use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use likelier::random::{ChaCha8Rng, Purpose, stream, unit};

mod program;

use program::Folder;

/// Starts a command, sends it a signal after a while, and says whether it was still at work.
fn struck(folder: &Folder, command: &str, signal: &str, wait: Duration) -> bool {
    let mut run = folder
        .command(command)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(wait);
    let _ = Command::new("kill")
        .args([signal, &run.id().to_string()])
        .stderr(Stdio::null())
        .status();
    !run.wait().unwrap().success()
}

/// How long to wait before striking: found by trying, so that it does not matter how fast the machine is.
struct Aim {
    reach: Duration,
    rng: ChaCha8Rng,
}

impl Aim {
    /// Runs a command once, to see how long it takes when it is left alone.
    fn at(folder: &Folder, command: &str, seed: u64) -> Self {
        let start = Instant::now();
        folder.succeeds(command);
        Self { reach: start.elapsed(), rng: stream(seed, Purpose::Batches) }
    }

    fn wait(&mut self) -> Duration {
        self.reach.mul_f64(unit(&mut self.rng))
    }

    /// What was struck too late was done already; what was struck too early had not begun.
    fn learn(&mut self, too_late: bool, too_early: bool) {
        let factor = if too_late { 0.8 } else { 1.25 };
        if too_late || too_early {
            self.reach = self.reach.mul_f64(factor);
        }
    }
}

/// More strikes than this are never needed.
const MOST: usize = 400;

fn whole_or_none(folder: &Folder, name: &str, whole: &[u8]) -> bool {
    !folder.file(name).exists() || folder.read(name) == whole
}

fn unfinished(folder: &Folder) -> Vec<String> {
    folder
        .names()
        .into_iter()
        .filter(|name| name.starts_with(".likelier-"))
        .collect()
}

#[test]
fn a_training_that_is_struck_leaves_its_state_only_and_goes_on_to_the_same_bytes() {
    let folder = Folder::with_rows(400);
    let train = "train --items items.csv --comparisons pairs.csv --prior 0.4 --protocol forced-choice --model mlp \
                 --hidden 40,40 --epochs 120";
    let before = folder.names();
    let command = format!("{train} --out model --resume");
    let mut aim = Aim::at(&folder, &command, 1);
    let (whole, report) = (folder.read("model"), folder.read("model.html"));
    for made in ["model", "model.html"] {
        fs::remove_file(folder.file(made)).unwrap();
    }
    let names = folder.names();
    assert_eq!(names, before);
    let (mut at_work, mut saved) = (0, 0);
    for at in 0..MOST {
        if at_work >= 12 && saved >= 6 {
            break;
        }
        let signal = ["-INT", "-KILL", "-TERM"][at % 3];
        let was_at_work = struck(&folder, &command, signal, aim.wait());
        aim.learn(!was_at_work, was_at_work && !folder.file("model.checkpoint").exists());
        if was_at_work {
            at_work += 1;
            // It may have been struck when all was done but the end.
            assert!(whole_or_none(&folder, "model", &whole), "a model that is not whole");
            let [model, report] = ["model", "model.html"].map(|name| folder.file(name).exists());
            assert!(model || !report, "a report on a model that is not there");
            saved += usize::from(folder.file("model.checkpoint").exists());
            assert!(signal == "-KILL" || unfinished(&folder).is_empty(), "{:?}", folder.names());
            folder.succeeds(&command);
        }
        assert_eq!(folder.read("model"), whole);
        assert!(folder.read("model.html") == report, "the report tells another story");
        fs::remove_file(folder.file("model")).unwrap();
        fs::remove_file(folder.file("model.html")).unwrap();
        assert_eq!(folder.names(), names, "nothing is left behind");
    }
    assert!(at_work >= 12 && saved >= 6, "{at_work} were struck at work, {saved} had saved their state");
}

#[test]
fn a_prediction_that_is_struck_leaves_no_scores_or_all_of_them() {
    let folder = Folder::with_rows(400);
    folder.succeeds(
        "train --items items.csv --comparisons pairs.csv --prior 0.4 --protocol forced-choice --epochs 5 --out model",
    );
    let mut rows = String::from("size,weight\n");
    for at in 0..400_000 {
        let _ = writeln!(rows, "0.{at},0.5");
    }
    folder.write("rows.csv", rows);
    let mut aim = Aim::at(&folder, "predict model rows.csv --out whole", 2);
    let (whole, names) = (folder.read("whole"), folder.names());
    let predict = "predict model rows.csv --out scores";
    let mut at_work = 0;
    for at in 0..MOST {
        if at_work >= 12 {
            break;
        }
        let signal = ["-INT", "-KILL", "-TERM"][at % 3];
        let older = at % 2 == 0;
        if older {
            folder.write("scores", "older");
        }
        let was_at_work = struck(&folder, predict, signal, aim.wait());
        aim.learn(!was_at_work, false);
        if was_at_work {
            at_work += 1;
            let is_older = older && folder.read("scores") == b"older";
            assert!(is_older || whole_or_none(&folder, "scores", &whole), "scores that are not whole");
            assert!(!older || folder.file("scores").exists(), "what was there is gone");
            assert!(signal == "-KILL" || unfinished(&folder).is_empty(), "{:?}", folder.names());
            // Whoever writes here next clears up.
            folder.succeeds(predict);
        }
        assert!(folder.read("scores") == whole, "scores that are not whole");
        fs::remove_file(folder.file("scores")).unwrap();
        assert_eq!(folder.names(), names, "nothing is left behind");
    }
    assert!(at_work >= 12, "{at_work} were struck at work");
}
