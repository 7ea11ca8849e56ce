//! Columns under their own names, columns that are no features, and another population.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod program;

use program::{Folder, said};

const TRAIN: &str = "train --items items.csv --prior 0.4 --protocol forced-choice --out model.likelier";

#[test]
fn comparisons_are_found_under_the_names_people_use() {
    let folder = Folder::with_rows(400);
    let plain = folder.text("pairs.csv");
    folder.succeeds(&format!("{TRAIN} --comparisons pairs.csv"));
    let expected = folder.read("model.likelier");
    for header in ["winner,loser", "Winner,Loser", "better,worse", "Likelier,Other", "LIKELIER,other"] {
        folder.write("named.csv", plain.replace("likelier,other", header));
        folder.succeeds(&format!("{TRAIN} --comparisons named.csv"));
        assert_eq!(folder.read("model.likelier"), expected, "{header}");
    }
    folder.write("named.csv", plain.replace("likelier,other", "chosen,rejected"));
    let columns = "--columns likelier=chosen,other=rejected";
    folder.succeeds(&format!("{TRAIN} --comparisons named.csv {columns}"));
    assert_eq!(folder.read("model.likelier"), expected);
    let stated = "--items items.csv --comparisons named.csv --protocol forced-choice";
    for verb in ["check --prior 0.4", "prior", "evaluate model.likelier --prior 0.4"] {
        let output = folder.run(&format!("{verb} {stated} {columns}"));
        assert_ne!(output.status.code(), Some(2), "{}", said(&output));
    }
    let output = folder.run(&format!("{TRAIN} --comparisons named.csv"));
    let told = said(&output);
    assert!(told.contains("has no columns 'likelier', 'other'; there are: 'chosen', 'rejected'"), "{told}");
    assert!(told.contains("--columns likelier=COLUMN,other=COLUMN"), "{told}");
}

#[test]
fn excluded_columns_are_no_features_and_numbers_of_rows_are_warned_of() {
    let folder = Folder::with_rows(400);
    for name in ["items.csv", "labelled.csv"] {
        let table = folder.text(name);
        let lines = table.lines().enumerate();
        let text: Vec<String> = lines
            .map(|(at, line)| match at {
                0 => format!("number,name,{line}\n"),
                _ => format!("{at},item {at},{line}\n"),
            })
            .collect();
        folder.write(name, text.concat());
    }
    let output = folder.run(&format!("{TRAIN} --comparisons pairs.csv --categories name"));
    let told = said(&output);
    assert!(output.status.success(), "{told}");
    assert!(
        told.contains("1 feature looks like row numbers, which say nothing about new items: 'number'"),
        "{told}"
    );
    assert!(told.contains("the category 'name' has 400 different values in 400 items"), "{told}");
    let output = folder.run(&format!("{TRAIN} --comparisons pairs.csv --exclude name,number"));
    assert!(output.status.success() && !said(&output).contains("look"), "{}", said(&output));
    assert!(
        folder
            .succeeds("inspect model.likelier")
            .contains("features    2: size, weight")
    );
    let stated = "--items items.csv --comparisons pairs.csv --protocol forced-choice --exclude name,number";
    for verb in ["check --prior 0.4", "prior"] {
        let output = folder.run(&format!("{verb} {stated}"));
        assert_ne!(output.status.code(), Some(2), "{}", said(&output));
    }
    folder.succeeds(
        "generate --items labelled.csv --label label --exclude name,number --protocol forced-choice --out made",
    );
    assert!(folder.text("made/items.csv").starts_with("id,size,weight\n"));
}

#[test]
fn another_share_of_positives_moves_labels_and_probabilities_but_not_scores() {
    let folder = Folder::with_rows(800);
    folder.succeeds(&format!("{TRAIN} --comparisons pairs.csv"));
    let scores = |out: &str| -> Vec<Vec<String>> {
        let text = folder.text(out);
        text.lines()
            .skip(1)
            .map(|line| line.split(',').map(str::to_owned).collect())
            .collect()
    };
    let same = folder.result("predict model.likelier items.csv --prior 0.4 --out same.csv");
    let plain = folder.result("predict model.likelier items.csv --out plain.csv");
    assert_eq!((&same["positives"], &same["prior"]), (&plain["positives"], &0.4.into()));
    let rare = folder.result("predict model.likelier items.csv --prior 0.05 --out rare.csv");
    assert!(rare["positives"].as_u64() < plain["positives"].as_u64());
    assert!(rare["threshold"].as_f64() > plain["threshold"].as_f64());
    for (one, two) in scores("plain.csv").iter().zip(scores("rare.csv")) {
        assert_eq!((&one[0], &one[1]), (&two[0], &two[1]));
        let odds = |row: &[String]| row[2].parse::<f64>().unwrap() / (1.0 - row[2].parse::<f64>().unwrap());
        // 0.05 to 0.95 instead of 0.4 to 0.6.
        let ratio = odds(&two) / odds(one) * (0.4 / 0.6) / (0.05 / 0.95);
        assert!((ratio - 1.0).abs() < 1e-2, "{one:?} {two:?}");
    }
    let text = folder.succeeds("predict model.likelier items.csv --prior 0.05 --out rare.csv");
    assert!(
        text.contains("for a share of positives of 0.05 instead of 0.4: probabilities are moved"),
        "{text}"
    );
    let output = folder.run("predict model.likelier items.csv --prior 5 --out rare.csv");
    assert!(said(&output).contains("for 5 % give 0.05"), "{}", said(&output));
}

#[test]
fn after_calibrating_it_is_said_where_label_and_probability_part() {
    let folder = Folder::with_rows(800);
    let output =
        folder.run(&format!("{TRAIN} --comparisons pairs.csv --calibrate --threshold-for recall=0.7"));
    assert!(output.status.success(), "{}", said(&output));
    folder.succeeds("predict model.likelier items.csv --out scores.csv");
    let text = folder.text("scores.csv");
    let part = text.lines().skip(1).filter(|line| {
        let cells: Vec<&str> = line.split(',').collect();
        let probability: f64 = cells[2].parse().unwrap();
        // Well apart from what rounding may do.
        (probability - 0.5).abs() > 0.01 && (probability > 0.5) != (cells[3] == "1")
    });
    let told = said(&output);
    let warned = told.contains("labels follow the threshold, where the calibrated probability is 0.");
    assert!(warned || part.count() == 0, "{told}");
}
