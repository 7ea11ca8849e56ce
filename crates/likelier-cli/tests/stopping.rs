//! `train` and `predict` interrupted and killed at random moments: what is there is whole, and a stopped training
//! goes on to the same bytes.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fmt::Write as _;
use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use likelier::random::{Purpose, stream, unit};

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

/// How long a command takes when it is left alone.
fn usual(folder: &Folder, command: &str) -> Duration {
    let start = Instant::now();
    folder.succeeds(command);
    start.elapsed()
}

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
    let time = usual(&folder, &command);
    let (whole, report) = (folder.read("model"), folder.read("model.html"));
    for made in ["model", "model.html"] {
        fs::remove_file(folder.file(made)).unwrap();
    }
    let names = folder.names();
    assert_eq!(names, before);
    let mut rng = stream(1, Purpose::Batches);
    let (mut at_work, mut saved) = (0, 0);
    for at in 0..26 {
        let signal = ["-INT", "-KILL"][at % 2];
        let wait = time.mul_f64(unit(&mut rng));
        if struck(&folder, &command, signal, wait) {
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
    assert!(at_work >= 10 && saved >= 5, "{at_work} were struck at work, {saved} had saved their state");
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
    let time = usual(&folder, "predict model rows.csv --out whole");
    let (whole, names) = (folder.read("whole"), folder.names());
    let predict = "predict model rows.csv --out scores";
    let mut rng = stream(2, Purpose::Batches);
    let mut at_work = 0;
    for at in 0..24 {
        let signal = ["-INT", "-KILL"][at % 2];
        let older = at % 3 == 0;
        if older {
            folder.write("scores", "older");
        }
        if struck(&folder, predict, signal, time.mul_f64(unit(&mut rng))) {
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
    assert!(at_work >= 8, "{at_work} were struck at work");
}
