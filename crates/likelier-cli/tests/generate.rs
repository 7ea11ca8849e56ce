//! `likelier generate`: any labelled table becomes comparisons.

#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![allow(clippy::format_push_string, reason = "small files, put together readably")]

use std::fs;
use std::path::Path;
use std::process::Command;

use likelier_tables::{Items, Layout};

fn lines(path: &Path) -> Vec<String> {
    fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect()
}

fn json(text: &[u8]) -> serde_json::Value {
    serde_json::from_slice(text).unwrap()
}

#[test]
fn any_labelled_table_makes_comparisons_that_can_be_learned_from() {
    let folder = tempfile::tempdir().unwrap();
    let likelier = |arguments: &str| {
        Command::new(env!("CARGO_BIN_EXE_likelier"))
            .args(arguments.split_whitespace())
            .current_dir(folder.path())
            .output()
            .unwrap()
    };
    let mut table = String::from("name,size,colour,kind\n");
    for at in 0..500 {
        let kind = ["a", "b", "c"][at % 3];
        let size = (at * 37 % 101) as f64 / 101.0 + if kind == "c" { 0.8 } else { 0.0 };
        let colour = ["red", "\"light, blue\""][at % 2];
        table.push_str(&format!("\"item {at}, new\",{size},{colour},{kind}\n"));
    }
    fs::write(folder.path().join("table.csv"), table).unwrap();
    let make = "generate --items table.csv --id name --label kind --positive c --categories colour --protocol \
                forced-choice --test-share 0.3 --json";
    let made = likelier(&format!("{make} --out made"));
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let result = &json(&made.stdout)["result"];
    // 166 of 500 are of kind c; 349 rows remain after three tenths of each class.
    assert_eq!((result["test_rows"].as_u64(), result["test_positives"].as_u64()), (Some(151), Some(50)));
    assert_eq!(result["prior"].as_f64(), Some(166.0 / 500.0));
    let pairs = result["pairs_kept"].as_u64().unwrap();
    assert!((172..=174).contains(&pairs), "{pairs}");
    let items = lines(&folder.path().join("made/items.csv"));
    assert_eq!((items[0].as_str(), items.len() as u64), ("id,size,colour", 2 * pairs + 1));
    assert!(items[1].starts_with("\"item ") && items.iter().any(|line| line.ends_with(",\"light, blue\"")));
    let train = likelier(
        "train --items made/items.csv --comparisons made/comparisons.csv --categories colour --out model --epochs 50",
    );
    assert!(train.status.success(), "{}", String::from_utf8_lossy(&train.stderr));
    let judged = likelier("evaluate model --items made/test.csv --label label --json");
    let accuracy = json(&judged.stdout)["result"]["labelled"]["accuracy"]["value"]
        .as_f64()
        .unwrap();
    assert!(accuracy > 0.8, "{accuracy}");

    // Two kinds positive, another prior, rows used again, Parquet; and piles, by default as many as there are rows.
    let make = make.replace("--positive c", "--positive b c");
    let other = likelier(&format!(
        "{make} --prior 0.25 --sampling independent --pairs 700 --labeller confidence --format parquet --out other"
    ));
    let result = &json(&other.stdout)["result"];
    assert_eq!((result["pairs_kept"].as_u64(), result["prior"].as_f64()), (Some(700), Some(0.25)));
    let [rows, positives] = ["test_rows", "test_positives"].map(|name| result[name].as_f64().unwrap());
    assert!((positives / rows - 0.25).abs() < 0.01, "{positives} of {rows}");
    let layout =
        Layout { categories: vec!["colour".into()], label: Some("label".into()), ..Default::default() };
    let test = Items::read(&folder.path().join("other/test.parquet"), &layout).unwrap();
    assert_eq!((test.rows.len() as f64, test.rows.width()), (rows, 3));
    let piles = likelier(&format!(
        "{make} --sampling pointwise --labeller-error 0.1 --features size,colour --out p"
    ));
    let result = &json(&piles.stdout)["result"];
    let items = result["items"].as_u64().unwrap();
    assert!((347..=349).contains(&items) && result["labeller_error"].as_f64() == Some(0.1), "{result}");
}
