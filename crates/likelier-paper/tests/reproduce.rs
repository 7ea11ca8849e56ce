//! `likelier-paper reproduce`: the same rows however a run is cut up, and what it refuses.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::io::BufRead as _;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use likelier::random::{Purpose, below, stream};
use serde_json::Value;
use tempfile::TempDir;

mod data_dir;

/// Two data sets, two methods and one that chooses its epoch: trials of some tens of milliseconds.
const EXPERIMENT: &str = r#"
title = "A small experiment"
paper = "table3"
datasets = ["optdigits", "pendigits"]
priors = [0.2, 0.5]
trials = 4

[settings]
epochs = 20
pairs_share = 0.4
warm_up_epochs = 5

[[variant]]
name = "plain"
about = "two methods"
methods = ["pcomp-relu", "rank-pruning"]

[[variant]]
name = "held-out"
about = "stops by held-out comparisons"
methods = ["likelihood"]
settings = { hold_out = 0.2, patience = 3 }
"#;

struct Place {
    folder: TempDir,
    data: std::path::PathBuf,
}

impl Place {
    fn new() -> Option<Self> {
        let place = Self { data: data_dir::data_dir()?, folder: TempDir::new().unwrap() };
        fs::write(place.folder.path().join("small.toml"), EXPERIMENT).unwrap();
        Some(place)
    }

    fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_likelier-paper"));
        command
            .arg("reproduce")
            .args(arguments.split_whitespace())
            .arg("--data-dir")
            .arg(&self.data);
        command.current_dir(self.folder.path());
        command
    }

    fn run(&self, arguments: &str) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// The rows of a run, sorted and without their seconds.
    fn rows(&self, out: &str) -> Vec<String> {
        let text = fs::read_to_string(self.folder.path().join(out).join("raw.csv")).unwrap();
        let without_seconds = |line: &str| {
            let fields: Vec<&str> = line.split(',').collect();
            [&fields[..12], &fields[13..]].concat().join(",")
        };
        let mut rows: Vec<String> = text.lines().skip(1).map(without_seconds).collect();
        rows.sort();
        rows
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.folder.path().join(path)).unwrap()
    }
}

fn failure(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn a_run_that_is_killed_again_and_again_ends_with_the_rows_of_an_uninterrupted_one() {
    let Some(place) = Place::new() else { return };
    let run = "small.toml --trials 20 --jobs 2 --verbose --out";
    assert!(place.run(&format!("{run} whole")).status.success());
    let whole = place.rows("whole");
    assert_eq!(whole.len(), 240);

    let mut rng = stream(8, Purpose::Comparisons);
    let mut rows_seen = vec![0];
    loop {
        let mut command = place.command(&format!("{run} cut"));
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = std::io::BufReader::new(child.stderr.take().unwrap()).lines();
        // Some trials are done, and it is somewhere within the next.
        let done = 1 + below(&mut rng, 12);
        let is_at_work = lines.by_ref().filter(is_done).take(done).count() == done;
        std::thread::sleep(Duration::from_millis(below(&mut rng, 20) as u64));
        child.kill().unwrap();
        let has_ended = child.wait().unwrap().success();
        rows_seen.push(place.rows("cut").len());
        if has_ended || !is_at_work {
            break;
        }
    }
    assert!(rows_seen.is_sorted(), "{rows_seen:?}");
    assert!(rows_seen.len() > 2, "no kill hit a run at work: {rows_seen:?}");
    assert!(place.run(&format!("{run} cut")).status.success());
    assert_eq!(place.rows("cut"), whole);
}

/// Whether a line of --verbose says that a trial is done.
fn is_done(line: &std::io::Result<String>) -> bool {
    line.as_ref().is_ok_and(|line| line.starts_with("done: "))
}

/// The epochs that a run with --verbose says it has done.
fn epochs(said: &str) -> Vec<usize> {
    let epoch = |line: &str| line.split(", epoch ").nth(1)?.split(' ').next()?.parse().ok();
    said.lines().filter_map(epoch).collect()
}

#[cfg(unix)]
#[test]
fn a_network_that_is_stopped_goes_on_from_its_last_epoch() {
    let Some(place) = Place::new() else { return };
    let network = EXPERIMENT
        .replace("\"table3\"", "\"table2\"")
        .replace("[\"optdigits\", \"pendigits\"]", "[\"mnist\"]")
        .replace("pairs_share = 0.4", "pairs_share = 0.05");
    fs::write(place.folder.path().join("network.toml"), network).unwrap();
    let run = "network.toml --priors 0.5 --methods pcomp-relu --trials 1 --verbose --out";
    assert!(place.run(&format!("{run} whole")).status.success());
    let start = || {
        let mut command = place.command(&format!("{run} cut"));
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let lines = std::io::BufReader::new(child.stderr.take().unwrap()).lines();
        (child, lines)
    };
    let states = || fs::read_dir(place.folder.path().join("cut/begun")).map(Iterator::collect::<Vec<_>>);

    let mut seen = Vec::new();
    loop {
        let (mut child, mut lines) = start();
        let first = lines.find_map(|line| epochs(&line.unwrap()).pop());
        let interrupt = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        let rest = lines.map(Result::unwrap).collect::<Vec<_>>().join("\n");
        seen.extend(first);
        seen.extend(epochs(&rest));
        if child.wait().unwrap().success() {
            break;
        }
        assert!(interrupt.unwrap().success() && rest.contains("1 of 1 trials left"), "{rest}");
        assert_eq!(states().unwrap().len(), 1);
    }
    assert_eq!(seen, (1..=20).collect::<Vec<_>>(), "no epoch is repeated or left out");
    assert_eq!(place.rows("cut"), place.rows("whole"));
    assert!(states().is_err(), "states that nobody needs are left");

    // A state that cannot be used is not in the way.
    fs::remove_file(place.folder.path().join("cut/raw.csv")).unwrap();
    let (mut child, mut lines) = start();
    assert!(lines.any(|line| epochs(&line.unwrap()) == [2]));
    child.kill().unwrap();
    child.wait().unwrap();
    let state = states().unwrap().pop().unwrap().unwrap().path();
    fs::write(state, "nonsense\n").unwrap();
    let again = place.run(&format!("{run} cut"));
    assert_eq!(epochs(&String::from_utf8(again.stderr).unwrap()), (1..=20).collect::<Vec<_>>());
    assert_eq!(place.rows("cut"), place.rows("whole"));
}

#[test]
fn parts_threads_and_jobs_change_no_row() {
    let Some(place) = Place::new() else { return };
    assert!(
        place
            .run("small.toml --jobs 1 --threads 2 --trials 2 --out one")
            .status
            .success()
    );
    for part in ["--datasets optdigits", "--priors 0.5", "--methods likelihood", "--variants plain", ""] {
        assert!(
            place
                .run(&format!("small.toml --jobs 3 --trials 2 {part} --out two"))
                .status
                .success()
        );
    }
    assert_eq!(place.rows("one").len(), 24);
    assert_eq!(place.rows("one"), place.rows("two"));
    // More trials are added to those that are there.
    assert!(place.run("small.toml --trials 3 --out two").status.success());
    let rows = place.rows("two");
    assert_eq!(rows.len(), 36);
    assert!(place.rows("one").iter().all(|row| rows.contains(row)));
}

#[test]
fn the_folder_holds_what_is_needed_to_check_the_run() {
    let Some(place) = Place::new() else { return };
    let output = place.run("small.toml --trials 2 --json --out run");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((printed["schema"].as_u64(), &printed["command"]), (Some(1), &"reproduce".into()));
    assert_eq!(printed["result"]["provenance"]["trials"], 24);

    let summary = place.read("run/summary.md");
    assert!(summary.contains("likelier-paper reproduce small.toml --trials 2 --out run"), "{summary}");
    // The mean of the rows stands in the table, beside the paper's number for the cell.
    let accuracies: Vec<f64> = place
        .rows("run")
        .iter()
        .filter(|row| row.starts_with("pendigits,0.2,pcomp-relu,"))
        .map(|row| row.split(',').nth(5).unwrap().parse().unwrap())
        .collect();
    assert_eq!(accuracies.len(), 2);
    let mean = f64::midpoint(accuracies[0], accuracies[1]);
    let line = summary.lines().find(|line| line.starts_with("| pcomp-relu |")).unwrap();
    assert!(line.contains(&format!("{mean:.3} ±")) && line.contains("0.868 ± 0.012"), "{line}");

    let page = place.read("run/report.html");
    assert!(page.contains(&format!("{mean:.3} ±")) && !page.contains("http"), "{page}");
    // Every row's settings are written down.
    let settings = place.read("run/settings.toml");
    for row in place.rows("run") {
        let digest = row.split(',').nth(12).unwrap().split(' ').nth(1).unwrap();
        assert!(settings.contains(&format!("[{digest}]")), "{digest}");
    }
    assert!(settings.contains("epochs = 20"), "{settings}");
}

#[test]
fn other_settings_in_the_same_folder_are_refused_and_the_rows_are_kept() {
    let Some(place) = Place::new() else { return };
    let small = "small.toml --datasets optdigits --priors 0.5 --methods pcomp-relu --trials 1 --out run";
    assert!(place.run(small).status.success());
    let rows = place.rows("run");
    let said = failure(&place.run(&format!("{small} --epochs 7")));
    assert!(said.contains("pcomp-relu at 0.5 was run with other settings"), "{said}");
    assert!(said.contains("hint: name another folder with --out"), "{said}");
    assert_eq!(place.rows("run"), rows);

    // Nor may another experiment put its summary over this one's.
    let summary = place.read("run/summary.md");
    fs::write(place.folder.path().join("other.toml"), EXPERIMENT.replace("A small", "Another")).unwrap();
    let said = failure(&place.run("other.toml --trials 1 --out run"));
    assert!(said.contains("run holds the trials of another experiment"), "{said}");
    assert_eq!((place.rows("run"), place.read("run/summary.md")), (rows, summary));
}

#[test]
fn mistakes_are_told_before_the_work_begins() {
    let Some(place) = Place::new() else { return };
    let said = failure(&place.run("table4 --out never"));
    assert!(
        said.contains("there is no experiment 'table4'; there are table2, table3 and figure2"),
        "{said}"
    );
    assert!(said.contains("hint: a file of your own ends in .toml"), "{said}");
    let said = failure(&place.run("small.toml --methods pcomp-teacher --out never"));
    assert!(said.contains("the method pcomp-teacher is not part of this experiment"), "{said}");
    for nothing in ["--trials 0", "--variants held-out --methods pcomp-relu"] {
        let said = failure(&place.run(&format!("small.toml {nothing} --out never")));
        assert!(said.contains("there is nothing to run") && said.contains("hint: "), "{said}");
    }
    let said = failure(&place.run("absent.toml --out never"));
    assert!(said.contains("absent.toml"), "{said}");
    assert!(!place.folder.path().join("never").exists());
    let misspelt = EXPERIMENT.replace("epochs = 20", "epocs = 20");
    fs::write(place.folder.path().join("misspelt.toml"), misspelt).unwrap();
    let said = failure(&place.run("misspelt.toml --out never"));
    assert!(said.contains("misspelt.toml, settings of the variant plain for"), "{said}");
    assert!(said.contains("unknown field `epocs`"), "{said}");
    assert!(
        said.contains(
            "hint: correct the file: crates/likelier-paper/experiments/default.toml shows every setting"
        ),
        "{said}"
    );

    // A data set that is not there is an error at once, not one for each trial.
    let output = Command::new(env!("CARGO_BIN_EXE_likelier-paper"))
        .args(["reproduce", "small.toml", "--data-dir", "nowhere", "--out", "run"])
        .current_dir(place.folder.path())
        .output()
        .unwrap();
    let said = failure(&output);
    assert!(
        said.contains("there is no such folder") && said.contains("likelier-paper data fetch"),
        "{said}"
    );
    assert_eq!(said.matches("there is no such folder").count(), 1, "{said}");
    assert!(!place.folder.path().join("run").exists(), "a run was begun");
}

#[test]
fn trials_that_are_run_one_by_one_elsewhere_give_the_rows_of_one_run() {
    let Some(place) = Place::new() else { return };
    let parts = "small.toml --datasets optdigits --trials 1";
    assert!(place.run(&format!("{parts} --out whole")).status.success());

    let plan = place.run(&format!("{parts} --plan --out taken"));
    let plan = String::from_utf8(plan.stdout).unwrap();
    assert_eq!(plan.lines().next(), Some("0\toptdigits at 0.2, pcomp-relu (plain), trial 1"));
    assert_eq!(plan.lines().count(), 6);
    assert!(!place.folder.path().join("taken").exists(), "a plan writes nothing");
    let mut rows = Vec::new();
    for (at, line) in plan.lines().enumerate().collect::<Vec<_>>().into_iter().rev() {
        assert!(line.starts_with(&format!("{at}\t")), "{line}");
        let out = format!("trial-{at}");
        assert!(place.run(&format!("{parts} --only {at} --out {out}")).status.success());
        let raw = place.read(&format!("{out}/raw.csv"));
        rows.push(raw.lines().nth(1).unwrap().to_owned());
        assert_eq!(raw.lines().count(), 2);
    }

    // All but the last; the first of them twice.
    let taken = place.take(parts, &[&rows[..5], &rows[..1]].concat());
    assert!(failure(&taken).contains("stopped with 1 of 6 trials left"), "{}", failure(&taken));
    let plan = place.run(&format!("{parts} --plan --out taken"));
    assert!(String::from_utf8(plan.stdout).unwrap().starts_with("0\t"));
    assert!(place.take(parts, &rows[5..]).status.success());
    assert_eq!(place.rows("taken"), place.rows("whole"));
    assert!(place.read("taken/summary.md").contains("A small experiment"));
    assert!(place.run(&format!("{parts} --plan --out taken")).stdout.is_empty());

    for (row, words) in [
        (rows[0].replace("0.1.0", "0.0.1"), "is of another version than"),
        (rows[0].replace("optdigits", "pendigits"), "is not part of this experiment"),
        ("nonsense".to_owned(), "is not the row of a trial: nonsense"),
    ] {
        let said = failure(&place.take(parts, &[row]));
        assert!(
            said.contains(words) && said.contains("hint: run the trials with the same program"),
            "{said}"
        );
    }
    let said = failure(&place.run(&format!("{parts} --only 6 --out never")));
    assert!(said.contains("there is no trial 6: there are 6, counted from 0"), "{said}");
}

impl Place {
    /// Hands rows to the run in `taken`.
    fn take(&self, parts: &str, rows: &[String]) -> Output {
        let rows_file = self.folder.path().join("rows");
        fs::write(&rows_file, rows.join("\n") + "\n").unwrap();
        let mut command = self.command(&format!("{parts} --take --out taken"));
        command.stdin(fs::File::open(rows_file).unwrap()).output().unwrap()
    }
}
