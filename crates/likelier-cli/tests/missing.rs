//! Missing values and numbers far from zero, from files to judged models.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod program;

use std::fmt::Write as _;

use likelier::random::{Purpose, stream, unit};
use program::{Folder, said};
use serde_json::Value;

const TRAIN: &str =
    "train --comparisons pairs.csv --prior 0.4 --protocol forced-choice --seed 3 --out model.likelier";

/// The table with one cell in `one_in` of each row's numbers taken away, and a category that is missing as often.
fn with_holes(table: &str, one_in: f64) -> String {
    let mut rng = stream(5, Purpose::Split);
    let nothing = ["", "NA", "?", "null", "NaN"];
    let mut lines = table.lines();
    let mut text = format!("colour,{}\n", lines.next().unwrap());
    for (row, line) in lines.enumerate() {
        let mut hole = |cell: &str| {
            let gone = unit(&mut rng) < one_in;
            if gone { nothing[row % nothing.len()].to_owned() } else { cell.to_owned() }
        };
        let cells: Vec<&str> = line.split(',').collect();
        let colour = hole(if row % 3 == 0 { "red" } else { "blue" });
        let numbers: Vec<String> = cells[..2].iter().map(|cell| hole(cell)).collect();
        let label = cells.get(2).map(|label| format!(",{label}")).unwrap_or_default();
        let _ = writeln!(text, "{colour},{}{label}", numbers.join(","));
    }
    text
}

fn accuracy(result: &Value) -> f64 {
    result["labelled"]["accuracy"]["value"].as_f64().unwrap()
}

#[test]
fn missing_values_are_learned_from_told_and_filled_in_when_scoring() {
    let folder = Folder::with_rows(1200);
    for (name, from) in [("holes.csv", "items.csv"), ("holes-labelled.csv", "labelled.csv")] {
        folder.write(name, with_holes(&folder.text(from), 0.1));
    }
    let output = folder.run(&format!("{TRAIN} --items holes.csv --categories colour"));
    let told = said(&output);
    assert!(output.status.success(), "{told}");
    for part in ["cells are missing (", " in 'size'", " in 'weight'", " in 'colour'"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let inspected = folder.succeeds("inspect model.likelier");
    assert!(
        inspected.contains("size (or missing)") && inspected.contains("colour (3 values)"),
        "{inspected}"
    );
    let held = folder.result("evaluate model.likelier --items holes-labelled.csv --label label");
    folder.succeeds(
        &format!("{TRAIN} --items items.csv --out whole.likelier").replace("--out model.likelier ", ""),
    );
    let whole = folder.result("evaluate whole.likelier --items labelled.csv --label label");
    // A tenth of the one feature that tells is gone.
    assert!(accuracy(&whole) > 0.8 && accuracy(&held) > accuracy(&whole) - 0.07, "{held} {whole}");

    folder.write("new.csv", "id,weight,colour,size\na,NA,red,0.9\nb,0.5,?,NaN\nc,,,\n");
    let scored = folder.result("predict model.likelier new.csv --out scores.csv");
    assert_eq!((&scored["missing_cells"], &scored["rows"]), (&6.into(), &3.into()));
    assert!(!folder.text("scores.csv").contains("NaN"));
    let told = said(&folder.run("predict model.likelier new.csv --out scores.csv"));
    assert!(told.contains("1 item has nothing but missing values: 'c'"), "{told}");
    // In a model that met none: told, and filled in by the median.
    folder.write("new.csv", "id,weight,size\na,NA,0.9\nb,0.5,0.9\n");
    let output = folder.run("predict whole.likelier new.csv --out scores.csv");
    let told = said(&output);
    assert!(
        output.status.success() && told.contains("1 cell is missing (1 in 'weight'), where none was"),
        "{told}"
    );
}

#[test]
fn refusing_names_every_column_in_every_verb() {
    let folder = Folder::with_rows(200);
    folder.write("holes.csv", with_holes(&folder.text("labelled.csv"), 0.1));
    for verb in ["train --out never --prior 0.4", "check --prior 0.4", "prior"] {
        let files =
            "--items holes.csv --comparisons pairs.csv --protocol forced-choice --categories colour";
        let output = folder.run(&format!("{verb} {files} --missing refuse"));
        let told = said(&output);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(
            told.contains("holes.csv: values are missing: ") && told.contains("hint: leave out --missing"),
            "{told}"
        );
        for part in
            ["in column 'colour' (first in line ", "in column 'size' (first", "in column 'weight' (first"]
        {
            assert!(told.contains(part), "{part}: {told}");
        }
    }
    let generate =
        "generate --items holes.csv --label label --categories colour --protocol forced-choice --out made";
    assert!(said(&folder.run(&format!("{generate} --missing refuse"))).contains("values are missing"));
    folder.succeeds(&format!("{generate} --missing impute"));
    // What was missing stays missing in what is written.
    assert!(folder.text("made/items.csv").contains(",,"));
}

#[test]
fn a_number_near_a_thousand_million_tells_as_much_as_one_near_zero() {
    let folder = Folder::with_rows(800);
    for name in ["items.csv", "labelled.csv"] {
        let table = folder.text(name);
        let mut lines = table.lines();
        let mut far = format!("{}\n", lines.next().unwrap());
        for line in lines {
            let (size, rest) = line.split_once(',').unwrap();
            let _ = writeln!(far, "{:.4},{rest}", 1e9 + size.parse::<f64>().unwrap());
        }
        folder.write(&format!("far-{name}"), far);
    }
    let judged = |items: &str, labelled: &str| {
        folder.succeeds(&format!("{TRAIN} --items {items}"));
        accuracy(&folder.result(&format!("evaluate model.likelier --items {labelled} --label label")))
    };
    let near = judged("items.csv", "labelled.csv");
    assert!(near > 0.8, "{near}");
    assert!((judged("far-items.csv", "far-labelled.csv") - near).abs() < 0.005);
    let exported = folder.succeeds("export model.likelier --out model.onnx");
    assert!(exported.contains("takes features as double"), "{exported}");
}
