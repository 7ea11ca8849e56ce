//! A column `question`: one classifier for each question in one file, and what every verb does with it.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod program;

use std::fmt::Write as _;

use likelier::random::{Purpose, below, stream, unit};
use program::{Folder, said};
use serde_json::Value;

const TRAIN: &str =
    "train --items items.csv --comparisons asked.csv --protocol forced-choice --equals coin";
const PRIORS: &str = "--prior red=0.5 --prior green=0.3 --prior blue=0.2";

/// Items of three colours in `items.csv` and, with 1 for each of the colours, `labelled.csv`; 500 forced choices a question
/// in `asked.csv`, and those about green, without a name, in `green.csv`.
fn colours() -> Folder {
    const NAMES: [&str; 3] = ["red", "green", "blue"];
    let folder = Folder::new();
    let mut rng = stream(5, Purpose::Comparisons);
    let (mut items, mut labelled) =
        (String::from("id,x,y\n"), String::from("id,x,y,is_red,is_green,is_blue\n"));
    let mut colours = Vec::new();
    for item in 0..600 {
        let at = unit(&mut rng);
        let colour = usize::from(at > 0.5) + usize::from(at > 0.8);
        let [x, y] = [[0.0, 1.0], [1.0, 0.0], [-1.0, 0.0]][colour].map(|centre| centre + unit(&mut rng));
        let is = |one: usize| u8::from(one == colour);
        let _ = writeln!(items, "i{item},{x:.4},{y:.4}");
        let _ = writeln!(labelled, "i{item},{x:.4},{y:.4},{},{},{}", is(0), is(1), is(2));
        colours.push(colour);
    }
    let (mut asked, mut green) =
        (String::from("likelier,other,question\n"), String::from("likelier,other\n"));
    for (question, name) in NAMES.into_iter().enumerate() {
        for _ in 0..500 {
            let (a, b) = (below(&mut rng, 300), 300 + below(&mut rng, 300));
            let is = |item: usize| colours[item] == question;
            let first = if is(a) == is(b) { unit(&mut rng) < 0.5 } else { is(a) };
            let (a, b) = if first { (a, b) } else { (b, a) };
            let _ = writeln!(asked, "i{a},i{b},{name}");
            if name == "green" {
                let _ = writeln!(green, "i{a},i{b}");
            }
        }
    }
    folder.write("items.csv", items);
    folder.write("labelled.csv", labelled);
    folder.write("asked.csv", asked);
    folder.write("green.csv", green);
    folder
}

/// What is said of a command that must fail.
fn refused(folder: &Folder, arguments: &str) -> String {
    let output = folder.run(arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments}");
    said(&output)
}

fn columns(table: &str) -> Vec<Vec<&str>> {
    table.lines().map(|line| line.split(',').collect()).collect()
}

#[test]
fn each_question_gets_a_classifier_and_a_column_and_is_what_it_would_be_alone() {
    let folder = colours();
    let text = folder.succeeds(&format!("{TRAIN} {PRIORS} --out all.likelier"));
    for told in ["3 questions, each with", "red ", "green ", "blue ", "500", "AUC"] {
        assert!(text.contains(told), "{told}: {text}");
    }
    // No report is about several questions.
    assert!(!folder.names().contains(&"all.html".to_owned()));

    // A question that is picked, and answers without the column, give the very same file.
    let alone = "--no-report --out";
    folder.succeeds(&format!("{TRAIN} --question green --prior green=0.3 {alone} picked.likelier"));
    folder.succeeds(&format!(
        "train --items items.csv --comparisons green.csv --protocol forced-choice --equals coin --prior 0.3 {alone} \
         green.likelier"
    ));
    let name =
        |(at, line): (usize, &str)| format!("{line},{}\n", if at == 0 { "question" } else { "green" });
    let named: String = folder.text("green.csv").lines().enumerate().map(name).collect();
    folder.write("named.csv", named);
    folder.succeeds(&format!(
        "train --items items.csv --comparisons named.csv --protocol forced-choice --prior green=0.3 {alone} named.likelier"
    ));
    assert_eq!(folder.read("picked.likelier"), folder.read("green.likelier"));
    assert_eq!(folder.read("named.likelier"), folder.read("green.likelier"));

    folder.succeeds("predict all.likelier items.csv --out all.csv");
    folder.succeeds("predict all.likelier items.csv --question green --out green-of-all.csv");
    folder.succeeds("predict green.likelier items.csv --out green-alone.csv");
    assert_eq!(folder.text("green-of-all.csv"), folder.text("green-alone.csv"));
    let (all, green) = (folder.text("all.csv"), folder.text("green-alone.csv"));
    let (all, green) = (columns(&all), columns(&green));
    assert_eq!(
        all[0].join(","),
        "id,probability_red,label_red,probability_green,label_green,probability_blue,label_blue"
    );
    for (all, green) in all.iter().zip(&green).skip(1) {
        assert_eq!([all[0], all[4]], [green[0], green[3]]);
        assert!((all[3].parse::<f64>().unwrap() - green[2].parse::<f64>().unwrap()).abs() < 1e-6);
    }
}

#[test]
fn classes_have_probabilities_that_sum_to_one_and_a_most_likely_one() {
    let folder = colours();
    let trained = folder.result(&format!("{TRAIN} {PRIORS} --classes --out classes.likelier"));
    let accuracy = trained["classes"]["accuracy"]["value"].as_f64().unwrap();
    assert!((0.6..1.1).contains(&accuracy), "{accuracy}");
    assert_eq!(trained["questions"][1]["question"], "green");
    assert!(trained["questions"][1]["label_free"]["accuracy"]["value"].as_f64().unwrap() > 0.6);
    let predicted = folder.result("predict classes.likelier labelled.csv --out classes.csv");
    assert_eq!(predicted["classes"], true);
    let called = predicted["questions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["positives"].as_u64().unwrap());
    assert_eq!(called.sum::<u64>(), 600);
    let (table, truth) = (folder.text("classes.csv"), folder.text("labelled.csv"));
    let (table, truth) = (columns(&table), columns(&truth));
    assert_eq!(table[0].join(","), "id,probability_red,probability_green,probability_blue,class");
    let mut right = 0;
    for (row, truth) in table.iter().zip(&truth).skip(1) {
        let shares: Vec<f64> = row[1..4].iter().map(|cell| cell.parse().unwrap()).collect();
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-5, "{row:?}");
        let class = ["red", "green", "blue"].iter().position(|name| *name == row[4]).unwrap();
        assert!(shares.iter().all(|share| *share <= shares[class]));
        right += usize::from(truth[3 + class] == "1");
    }
    assert!(right > 480, "{right} of 600");
    let text = folder.succeeds(&format!("{TRAIN} {PRIORS} --classes --out again.likelier"));
    assert!(text.contains("the most likely class is the right one"), "{text}");
    assert_eq!(folder.read("again.likelier"), folder.read("classes.likelier"));
    let streamed = folder.pipe("predict - items.csv --out -", &folder.read("classes.likelier"));
    assert_eq!(String::from_utf8(streamed.stdout).unwrap(), folder.text("classes.csv"));
}

#[test]
fn every_verb_takes_one_question_of_several_and_says_so_where_none_is_named() {
    let folder = colours();
    folder.succeeds(&format!("{TRAIN} {PRIORS} --hold-out 0 --out all.likelier --quiet"));
    let text = folder.succeeds("inspect all.likelier");
    assert!(text.contains("3 questions") && text.contains("green: linear"), "{text}");
    let all: Value = folder.result("inspect all.likelier");
    assert_eq!(
        [&all["classes"], &all["questions"][2]["question"]],
        [&Value::from(false), &Value::from("blue")]
    );
    let one = folder.result("inspect all.likelier --question blue");
    assert_eq!(one["setting"], all["questions"][2]["setting"]);

    let judged = folder.result(
        "evaluate all.likelier --question green --items labelled.csv --comparisons asked.csv --label is_green",
    );
    assert!(judged["label_free"]["prior"] == 0.3 && judged["label_free"]["sizes"][0] == 500, "{judged}");
    assert!(judged["labelled"]["accuracy"]["value"].as_f64().unwrap() > 0.8);
    folder.succeeds("evaluate all.likelier --question green --items items.csv --comparisons green.csv");
    folder.succeeds("export all.likelier --question green --out green.onnx");
    let found = folder.result(
        "check --items items.csv --comparisons asked.csv --question red --protocol forced-choice --prior red=0.5",
    );
    assert_eq!(found["diagnosis"]["comparisons"], 500);
    let found = folder
        .result("prior --items items.csv --comparisons asked.csv --question red --protocol forced-choice");
    assert_eq!(found["comparisons"], 500);

    let many = "there are 3 questions here ('red', 'green', 'blue'), and this takes one\nhint: pick one with --question NAME\n";
    for command in [
        "check --items items.csv --comparisons asked.csv",
        "prior --items items.csv --comparisons asked.csv --protocol forced-choice",
        "evaluate all.likelier --items items.csv --comparisons green.csv",
        "evaluate all.likelier --items labelled.csv --label is_red",
        "export all.likelier --out all.onnx",
        "predict all.likelier items.csv --threshold 0.5 --out scores.csv",
        "predict all.likelier items.csv --prior 0.5 --out scores.csv",
    ] {
        let told = refused(&folder, command);
        assert!(told.contains(many), "{command}: {told}");
    }
    folder.succeeds("export all.likelier --question red --out red.onnx");
    folder.succeeds(&format!(
        "{TRAIN} --question red --prior 0.5 --hold-out 0 --no-report --out red.likelier"
    ));
    let told = refused(&folder, "evaluate red.likelier --items items.csv --comparisons asked.csv");
    assert!(told.contains(many), "{told}");
    folder.succeeds("evaluate red.likelier --question red --items items.csv --comparisons asked.csv");
    for command in [
        "predict red.likelier items.csv --question red --out scores.csv",
        "inspect red.likelier --question red",
        "evaluate red.likelier --question red --items labelled.csv --label is_red",
        "train --items items.csv --comparisons green.csv --question red --protocol forced-choice --out model",
    ] {
        let told = refused(&folder, command);
        assert!(
            told.contains("no question 'red'; the answers are to one question without a name"),
            "{told}"
        );
    }
}

#[test]
fn what_cannot_be_is_refused_with_what_to_do() {
    let folder = colours();
    let asked = folder.text("asked.csv");
    for (arguments, error, hint) in [
        (format!("{TRAIN} --prior Red=0.5 --out model"), "there is no question 'Red'; there are 'red', 'green', 'blue'", "capitals included"),
        (format!("{TRAIN} --prior red=0.5 --prior red=0.4 --out model"), "the prior of question 'red' is given twice", "once for each question"),
        (format!("{TRAIN} --prior red=50 --out model"), "class prior must lie strictly between 0 and 1, got 50", "for 50 % give 0.5"),
        (format!("{TRAIN} --prior 0.5 --classes --out model"), "their shares must sum to 1, but they sum to 1.500", "--prior NAME=SHARE for each class"),
        (format!("{TRAIN} {PRIORS} --question Green --out model"), "there is no question 'Green'", "capitals included"),
        (format!("{TRAIN} {PRIORS} --resume --out model"), "keeps no state", "leave out --resume"),
        (format!("{TRAIN} {PRIORS} --report model.md --out model"), "a report is about one question", "--question NAME"),
        (format!("{TRAIN} {PRIORS} --labels labelled.csv --labels-chosen random --out model"), "labels answer one question", "leave out --labels-chosen"),
        ("train --items items.csv --comparisons green.csv --protocol forced-choice --prior 0.3 --classes --out model".into(), "classes are the answers to two questions or more, and there are 0", "leave out --classes"),
    ] {
        let told = refused(&folder, &arguments);
        assert!(told.contains(error) && told.contains(hint), "{arguments}: {told}");
    }
    folder.write("asked.csv", asked.replacen(",red\n", ", \n", 2));
    let told = refused(&folder, &format!("{TRAIN} {PRIORS} --out model"));
    assert!(told.contains("line 2") && told.contains("the row names no question"), "{told}");
    assert!(told.contains("hint: name the question of every row"), "{told}");
    folder.write("asked.csv", asked.replacen(",red\n", ",rde\n", 2));
    let told = refused(&folder, &format!("{TRAIN} {PRIORS} --out model"));
    assert!(told.contains("question 'rde' has 2 answers; at least 20 are needed"), "{told}");
    assert!(told.contains("correct the name if it is misspelt"), "{told}");
    folder.write("asked.csv", asked.replacen(",red\n", ",Red\n", 60));
    let output = folder.run(&format!("{TRAIN} --prior 0.3 --hold-out 0 --epochs 2 --out model.likelier"));
    assert!(output.status.success(), "{}", said(&output));
    assert!(
        said(&output).contains("questions 'Red' and 'red' differ in capitals or spaces alone"),
        "{}",
        said(&output)
    );
    // Nothing is left over from what was refused.
    assert!(!folder.names().iter().any(|name| name == "model" || name == "model.md"));
    folder.write(
        "asked.csv",
        asked
            .replace(",red\n", ",\n")
            .replace(",green\n", ",\n")
            .replace(",blue\n", ",\n"),
    );
    // A column that is empty everywhere is none.
    folder
        .succeeds(&format!("{TRAIN} --prior 0.3 --hold-out 0 --epochs 2 --no-report --out empty.likelier"));
}
