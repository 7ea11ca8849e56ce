//! The built binary from two files to scores: `train`, `predict`, and what they refuse.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]
#![allow(clippy::format_push_string, clippy::format_collect, reason = "small files, put together readably")]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use likelier::random::{Purpose, Rng, stream, unit};
use serde_json::Value;
use tempfile::TempDir;

/// A folder with items.csv and comparisons.csv: 200 things of which the large red ones are positive.
struct Files {
    folder: TempDir,
}

impl Files {
    fn new() -> Self {
        let files = Self { folder: TempDir::new().unwrap() };
        let mut rng = stream(5, Purpose::Comparisons);
        let mut items = String::from("id,size,colour,weight\n");
        let mut scores = Vec::new();
        for at in 0..200 {
            let (size, weight) = (unit(&mut rng), unit(&mut rng));
            let colour = ["red", "light blue", "\"gr\"\"een, dark\""][(rng.next_u64() % 3) as usize];
            items += &format!("thing {at},{size:.4},{colour},{weight:.4}\n");
            scores.push(size + 0.5 * f64::from(u8::from(colour == "red")));
        }
        let mut comparisons = String::from("likelier,other\n");
        for at in (0..200).step_by(2) {
            let (first, second) = if scores[at] > scores[at + 1] { (at, at + 1) } else { (at + 1, at) };
            comparisons += &format!("thing {first},thing {second}\n");
        }
        files.write("items.csv", &items);
        files.write("comparisons.csv", &comparisons);
        files
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, content: &str) -> PathBuf {
        fs::write(self.path(name), content).unwrap();
        self.path(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Runs `likelier` in the folder.
    fn likelier(&self, arguments: &str) -> Output {
        self.command(arguments).output().unwrap()
    }

    fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_likelier"));
        command.args(arguments.split_whitespace()).current_dir(self.folder.path());
        command
    }

    fn succeeds(&self, arguments: &str) -> String {
        let output = self.likelier(arguments);
        assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// The complaint of a run that must fail with exit code 2 and leave nothing behind.
    fn fails(&self, arguments: &str) -> String {
        let before = self.names();
        let output = self.likelier(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments}");
        assert_eq!(self.names(), before, "{arguments} leaves files behind");
        String::from_utf8(output.stderr).unwrap()
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort_unstable();
        names
    }
}

const TRAIN: &str = "train --items items.csv --comparisons comparisons.csv --prior 0.5 --protocol forced-choice \
                     --categories colour";

fn scores(table: &str) -> Vec<(String, f64)> {
    let mut lines = table.lines();
    assert_eq!(lines.next(), Some("id,score,probability,label"));
    // Probabilities are one half at the threshold, which is the same for all.
    let mut threshold = None;
    lines
        .map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            let [id, score, probability, label] = fields[..] else { panic!("{line}") };
            let (score, probability): (f64, f64) = (score.parse().unwrap(), probability.parse().unwrap());
            assert_eq!(label == "1", probability > 0.5, "{line}");
            let threshold = *threshold.get_or_insert(score - (probability / (1.0 - probability)).ln());
            assert!((probability - 1.0 / (1.0 + (threshold - score).exp())).abs() < 1e-4, "{line}");
            (id.to_owned(), score)
        })
        .collect()
}

#[test]
fn a_model_is_trained_from_two_files_and_scores_a_third() {
    let files = Files::new();
    let result: Value =
        serde_json::from_str(&files.succeeds(&format!("{TRAIN} --out model.likelier --json"))).unwrap();
    assert_eq!((&result["schema"], &result["command"]), (&Value::from(1), &Value::from("train")));
    let result = &result["result"];
    assert_eq!(
        (result["comparisons"].as_u64(), result["held_out_comparisons"].as_u64()),
        (Some(100), Some(100)),
        "trained on all, and judged by all in folds"
    );
    assert_eq!(result["judged_by"]["folds"], 5);
    assert_eq!(result["features"], 5, "two numbers and three colours");
    for end in ["value", "low", "high", "level"] {
        assert!(result["label_free"]["accuracy"][end].is_number());
    }
    files.succeeds("predict model.likelier items.csv --out scores.csv");
    let all = scores(&files.read("scores.csv"));
    assert_eq!(all.len(), 200);
    let mean = |red: bool| {
        let items = files.read("items.csv");
        let chosen = items
            .lines()
            .skip(1)
            .zip(&all)
            .filter(|(line, _)| line.contains(",red,") == red);
        let values: Vec<f64> = chosen.map(|(_, (_, score))| *score).collect();
        values.iter().sum::<f64>() / values.len() as f64
    };
    assert!(mean(true) > mean(false) + 0.5, "red ones are likelier: {} and {}", mean(true), mean(false));
    assert!(
        !files
            .names()
            .iter()
            .any(|name| name.contains("checkpoint") || name.starts_with('.'))
    );
}

#[test]
fn columns_may_be_moved_and_added_but_not_taken_away() {
    let files = Files::new();
    files.succeeds(&format!("{TRAIN} --out model.likelier"));
    files.write("moved.csv", "weight;more;colour;id;size\n0.5;x;red;a,b;0.25\n0.5;y;purple;c;0.25\n");
    files.write("plain.csv", "id,size,colour,weight\n\"a,b\",0.25,red,0.5\nc,0.25,purple,0.5\n");
    let output = files.likelier("predict model.likelier moved.csv --out moved-scores.csv");
    let warning = String::from_utf8(output.stderr).unwrap();
    assert!(warning.starts_with("warning: 1 cell holds a category that training did not see"), "{warning}");
    files.succeeds("predict model.likelier plain.csv --out plain-scores.csv");
    assert_eq!(files.read("moved-scores.csv"), files.read("plain-scores.csv"));
    assert!(files.read("moved-scores.csv").contains("\n\"a,b\","), "an id with a comma is in quotes");
    files.write("less.csv", "id,size\na,0.25\n");
    let message = files.fails("predict model.likelier less.csv --out no.csv");
    assert!(
        message.contains("'colour'") && message.contains("'weight'") && message.contains("hint:"),
        "{message}"
    );
}

#[test]
fn every_form_of_the_same_comparisons_gives_the_same_model() {
    let files = Files::new();
    files.succeeds(&format!("{TRAIN} --out model.likelier"));
    let tabs = files.read("comparisons.csv").replace(',', "\t");
    files.write("comparisons.tsv", &tabs);
    let pairs: String = tabs.lines().skip(1).map(|line| line.replace("thing ", "") + "\n").collect();
    files.write("pairs", &pairs);
    let weights: String = files
        .read("comparisons.csv")
        .lines()
        .skip(1)
        .map(|line| format!("{line},2\n"))
        .collect();
    files.write("weights.csv", &format!("likelier,other,weight\n{weights}"));
    for (at, form) in ["comparisons.tsv", "pairs", "weights.csv"].into_iter().enumerate() {
        let train = TRAIN.replace("comparisons.csv", form);
        files.succeeds(&format!("{train} --out model-{at}.likelier --threads {}", at % 2 + 1));
        let same = fs::read(files.path(&format!("model-{at}.likelier"))).unwrap()
            == fs::read(files.path("model.likelier")).unwrap();
        assert!(same, "{form}");
    }
}

#[test]
fn piles_and_two_aligned_tables_are_learned_from_too() {
    let files = Files::new();
    let comparisons = files.read("comparisons.csv");
    let mut piles = String::from("id,pile\n");
    let items = files.read("items.csv");
    let rows: Vec<&str> = items.lines().skip(1).collect();
    let mut tables = [String::from("size,weight\n"), String::from("size,weight\n")];
    for line in comparisons.lines().skip(1) {
        for (side, name) in line.split(',').enumerate() {
            piles += &format!("{name},{}\n", ["likelier", "other"][side]);
            let row = rows[name.replace("thing ", "").parse::<usize>().unwrap()];
            let (size, weight) = (row.split(',').nth(1).unwrap(), row.rsplit(',').next().unwrap());
            tables[side] += &format!("{size},{weight}\n");
        }
    }
    files.write("piles.csv", &piles);
    files.write("left.csv", &tables[0]);
    files.write("right.csv", &tables[1]);
    let text = files.succeeds(
        "train --items items.csv --piles piles.csv --categories colour --prior 0.5 --protocol forced-choice --out a",
    );
    assert!(text.contains("from 100 comparisons") && !text.contains("without labels"), "{text}");
    files.succeeds(
        "train --likelier left.csv --other right.csv --prior 0.5 --protocol forced-choice --out b",
    );
    let message = files.fails(
        "train --items items.csv --piles piles.csv --categories colour --prior 0.5 --protocol forced-choice \
         --method likelihood --out c",
    );
    assert!(message.contains("the two piles are not paired"), "{message}");
}

#[test]
fn what_dataset_json_says_is_the_default_and_a_flag_overrides_it_with_a_warning() {
    let files = Files::new();
    let train =
        "train --items items.csv --comparisons comparisons.csv --categories colour --out model.likelier";
    let message = files.fails(train);
    assert!(
        message.contains("no protocol was stated") && message.contains("hint: give --protocol"),
        "{message}"
    );
    files.write("dataset.json", r#"{"protocol": "forced-choice", "labeller_error": 0.1, "prior": 0.4}"#);
    let text = files.succeeds(train);
    assert!(text.contains("prior 0.4, forced-choice with 0.1 labeller error"), "{text}");
    let output = files.likelier(&format!("{train} --prior 0.5"));
    let warning = String::from_utf8(output.stderr).unwrap();
    assert!(
        warning.starts_with("warning: --prior 0.5 is used, although dataset.json says 0.4\n"),
        "{warning}"
    );
}

#[test]
fn a_handful_of_comparisons_gives_a_model_about_which_nothing_is_known() {
    let files = Files::new();
    let few: Vec<String> = files.read("comparisons.csv").lines().take(9).map(str::to_owned).collect();
    files.write("few.csv", &few.join("\n"));
    let output =
        files.likelier(&format!("{} --out model.likelier", TRAIN.replace("comparisons.csv", "few.csv")));
    assert!(output.status.success());
    let warning = String::from_utf8(output.stderr).unwrap();
    assert!(warning.starts_with("warning: nothing is known about the accuracy: 8 held-out"), "{warning}");
    files.succeeds("predict model.likelier items.csv --out scores.csv");
}

#[test]
fn an_unknown_prior_is_estimated_and_said_loudly_or_not_known() {
    let files = Files::new();
    let train = "train --items items.csv --comparisons comparisons.csv --categories colour --protocol forced-choice";
    // A hundred comparisons do not tell.
    let message = files.fails(&format!("{train} --out no.likelier"));
    assert!(message.contains("these comparisons do not reveal the share of positives"), "{message}");
    assert!(message.contains("hint: give --prior"), "{message}");

    // Four thousand do: two classes far apart, three in ten positive.
    let mut rng = stream(9, Purpose::Comparisons);
    let mut items = String::from("id,x,y\n");
    let positive: Vec<bool> = (0..8000).map(|_| unit(&mut rng) < 0.3).collect();
    for (at, positive) in positive.iter().enumerate() {
        let mut near = |centre: f64| centre + (0..4).map(|_| unit(&mut rng) - 0.5).sum::<f64>();
        let (x, y) = (near(if *positive { 2.0 } else { 0.0 }), near(0.0));
        items += &format!("{at},{x:.4},{y:.4}\n");
    }
    let mut comparisons = String::from("likelier,other\n");
    for at in (0..8000).step_by(2) {
        let turn = if positive[at] == positive[at + 1] { unit(&mut rng) < 0.5 } else { positive[at + 1] };
        comparisons += &if turn { format!("{},{at}\n", at + 1) } else { format!("{at},{}\n", at + 1) };
    }
    files.write("items.csv", &items);
    files.write("comparisons.csv", &comparisons);
    files.write("dataset.json", r#"{"protocol": "forced-choice", "prior": 0.6}"#);
    let train = "train --items items.csv --comparisons comparisons.csv --prior auto --sensitivity --out model --json";
    let result: Value = serde_json::from_str(&files.succeeds(train)).unwrap();
    assert_eq!(result["warnings"][0]["code"], "prior-estimated");
    let result = &result["result"];
    let number = |value: &Value| value.as_f64().unwrap();
    let interval = &result["prior_interval"];
    assert!(number(&interval["low"]) < 0.3 && 0.3 < number(&interval["high"]), "{interval}");
    assert!((number(&result["prior"]) - 0.3).abs() < 0.05, "{}", result["prior"]);
    // Forced choice is not discard, and training with the wrong one warns.
    let wrong = files
        .likelier("train --items items.csv --comparisons comparisons.csv --protocol discard --out wrong");
    let warning = String::from_utf8(wrong.stderr).unwrap();
    assert!(warning.contains("warning: the comparisons do not look like discard"), "{warning}");
    // Calibrated probabilities have the mean that the prior asks for.
    files.succeeds(
        "train --items items.csv --comparisons comparisons.csv --prior 0.3 --calibrate --out calibrated",
    );
    files.succeeds("predict calibrated items.csv --out calibrated.csv");
    let table = files.read("calibrated.csv");
    let probabilities: Vec<f64> = table
        .lines()
        .skip(1)
        .map(|line| line.split(',').nth(2).unwrap().parse().unwrap())
        .collect();
    let mean = probabilities.iter().sum::<f64>() / probabilities.len() as f64;
    assert!((mean - 0.3).abs() < 0.03, "{mean}");
    let sweep = result["sensitivity"].as_array().unwrap();
    assert_eq!(sweep.len(), 5);
    let called: Vec<f64> = sweep.iter().map(|at| number(&at["called_positive"])).collect();
    assert!(called.first() < called.last(), "a higher prior calls more positive: {called:?}");
    assert!(sweep.iter().all(|at| number(&at["accuracy"]["value"]) > 0.8), "{sweep:?}");
}

#[test]
fn mistakes_in_the_files_are_named_with_their_place() {
    let files = Files::new();
    let comparisons = files.read("comparisons.csv");
    let complain = |content: &str| {
        files.write("bad.csv", content);
        files.fails(&format!("{} --out no.likelier", TRAIN.replace("comparisons.csv", "bad.csv")))
    };
    let unknown = complain(&format!("{comparisons}thing 7,thing 999\nthing x,thing 8\n"));
    assert!(unknown.contains("bad.csv, line 102") && unknown.contains("'thing 999'"), "{unknown}");
    let same = complain(&format!("{comparisons}thing 7,thing 7\n"));
    assert!(same.contains("line 102") && same.contains("itself"), "{same}");
    let empty = complain("likelier,other\n");
    assert!(empty.contains("bad.csv"), "{empty}");
    let swapped = files.fails(
        "train --items comparisons.csv --comparisons items.csv --prior 0.5 --protocol discard --out no.likelier",
    );
    assert!(swapped.contains("error:"), "{swapped}");
    let text = files.fails(&format!("{} --out no.likelier", TRAIN.replace("--categories colour", "")));
    assert!(text.contains("items.csv, line 2") && text.contains("colour"), "{text}");
    let nowhere = files.fails(&format!("{TRAIN} --out missing/folder/model.likelier"));
    assert!(nowhere.contains("cannot write missing/folder/model.likelier"), "{nowhere}");
    let percent = files.fails(&format!("{} --out no.likelier", TRAIN.replace("--prior 0.5", "--prior 50")));
    assert!(percent.contains("hint: a prior is a share"), "{percent}");
    let method = files.fails(&format!("{TRAIN} --method pcomp-rule --out no.likelier"));
    assert!(method.contains("did you mean 'pcomp-relu'"), "{method}");
}

#[test]
fn the_state_of_a_stopped_run_is_not_lost_by_accident_and_not_taken_for_another() {
    let files = Files::new();
    files.write("stopped.likelier.checkpoint", "");
    let message = files.fails(&format!("{TRAIN} --out stopped.likelier"));
    assert!(message.contains("holds the state of a run that was stopped\nhint: add --resume"), "{message}");
    let message = files.fails(&format!("{TRAIN} --out stopped.likelier --resume"));
    assert!(message.contains("this is not a checkpoint\nhint: give the settings and data"), "{message}");
}

#[test]
fn a_pair_posterior_that_had_to_be_given_up_is_said_so() {
    let files = Files::new();
    // Every item has the same features: nothing can be told apart.
    let items: String = (0..200).map(|at| format!("thing {at},1.0\n")).collect();
    files.write("same.csv", &format!("id,size\n{items}"));
    let train = "train --items same.csv --comparisons comparisons.csv --prior 0.4 --protocol forced-choice --method \
                 pair-posterior --out same.likelier --json";
    let output = files.likelier(train);
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
    let warnings = printed["warnings"].as_array().unwrap();
    let found = warnings.iter().find(|warning| warning["code"] == "fell-back").unwrap();
    let message = found["message"].as_str().unwrap();
    assert!(message.contains("of the compared items positive"), "{message}");
    let said = String::from_utf8(files.likelier(&train.replace("--json", "")).stderr).unwrap();
    assert!(said.contains("may help"), "{said}");
    let shown = String::from_utf8(files.likelier("inspect same.likelier").stdout).unwrap();
    assert!(shown.contains("was replaced"), "{shown}");

    files.succeeds(&format!("{TRAIN} --method pair-posterior --out fine.likelier"));
    let shown = String::from_utf8(files.likelier("inspect fine.likelier").stdout).unwrap();
    assert!(shown.contains("pair-posterior") && !shown.contains("was replaced"), "{shown}");
}

#[test]
fn estimates_that_cannot_be_true_are_called_so() {
    let files = Files::new();
    files.succeeds(&format!("{TRAIN} --out model.likelier"));
    let evaluate = "evaluate model.likelier --items items.csv --comparisons comparisons.csv --protocol forced-choice \
                    --prior 0.5 --equals coin --labeller-error";
    let said = String::from_utf8(files.likelier(&format!("{evaluate} 0.45")).stderr).unwrap();
    assert!(said.contains("THE ESTIMATES CANNOT BE TRUE: "), "{said}");
    // Training that went wrong is called so as well, in the report, too.
    let output =
        files.likelier(&format!("{TRAIN} --method pcomp-relu --learning-rate 1e9 --out wrong.likelier"));
    let said = String::from_utf8(output.stderr).unwrap();
    let report = files.read("wrong.html");
    assert_eq!(
        said.contains("worse than always answering"),
        report.contains("That is WORSE than"),
        "{said}"
    );
}

#[test]
fn comparisons_ordered_by_a_coin_are_said_to_teach_nothing() {
    const SAID: &str = "nothing shows that the classifier has learnt to tell the classes apart";
    let files = Files::new();
    let output = files.likelier(&format!("{TRAIN} --hold-out 0.5 --out model.likelier"));
    assert!(!String::from_utf8(output.stderr).unwrap().contains(SAID));
    let mut rng = stream(6, Purpose::Comparisons);
    let by_a_coin: String = files
        .read("comparisons.csv")
        .lines()
        .map(|line| match line.split_once(',') {
            Some((likelier, other)) if likelier != "likelier" && unit(&mut rng) < 0.5 => {
                format!("{other},{likelier}\n")
            }
            _ => format!("{line}\n"),
        })
        .collect();
    files.write("comparisons.csv", &by_a_coin);
    let output = files.likelier(&format!("{TRAIN} --hold-out 0.5 --out coin.likelier"));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains(SAID), "{said}");
    assert!(
        files.read("coin.html").contains("othing shows that the classifier has learnt"),
        "not in the report"
    );
}

#[test]
fn what_is_read_is_not_written_over_dataset_json_included() {
    let files = Files::new();
    let card = "{\"protocol\": \"forced-choice\", \"prior\": 0.5}";
    files.write("dataset.json", card);
    for arguments in ["--out dataset.json --no-report", "--out model.likelier --report dataset.json"] {
        let output = files.likelier(&format!("{TRAIN} {arguments}"));
        assert_eq!(output.status.code(), Some(2));
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("would replace a file that this command reads"), "{said}");
        assert_eq!(files.read("dataset.json"), card);
    }
}

#[test]
fn a_model_that_nothing_is_known_about_is_said_to_be_one() {
    let files = Files::new();
    let output = files.likelier(&format!("{TRAIN} --hold-out 0 --calibrate --out model.likelier"));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("nothing is known about the accuracy: no comparisons were held out"), "{said}");
    assert!(said.contains("there is nothing to calibrate with"), "{said}");
    let report = files.read("model.html");
    assert!(report.contains("Nothing is known about the accuracy") && !report.contains("NaN"), "{report}");
}

#[test]
fn a_bad_row_to_score_is_the_inputs_fault_not_the_outputs() {
    let files = Files::new();
    files.succeeds(&format!("{TRAIN} --out model.likelier"));
    files.write("bad.csv", "id,size,colour,weight\na,1,red,2\nb,1,red,heavy\n");
    let output = files.likelier("predict model.likelier bad.csv --out scores.csv");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with("error: bad.csv, line 3"), "{said}");
    assert!(!files.path("scores.csv").exists());
}
