//! Options that say how a table is written: whatever its form, every verb reads the same from it.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;

use serde_json::Value;
use zip::write::SimpleFileOptions;

mod program;

use program::Folder;

const PROTOCOL: &str = "--protocol forced-choice";

/// The rows of a CSV file with a header, as texts.
fn cells(folder: &Folder, name: &str) -> Vec<Vec<String>> {
    let table = folder.text(name);
    table
        .lines()
        .skip(1)
        .map(|line| line.split(',').map(str::to_owned).collect())
        .collect()
}

/// An NPY file of 32-bit numbers.
fn npy(rows: &[Vec<String>]) -> Vec<u8> {
    let shape = format!("({}, {})", rows.len(), rows[0].len());
    let mut header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}");
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
    bytes.extend(header.as_bytes());
    for cell in rows.iter().flatten() {
        bytes.extend(cell.parse::<f32>().unwrap().to_le_bytes());
    }
    bytes
}

/// The rows of a CSV file as others write them: with names and semicolons, without a header, as NPZ, as LIBSVM.
fn rewrite(folder: &Folder) {
    let (rows, labelled) = (cells(folder, "items.csv"), cells(folder, "labelled.csv"));
    let (mut named, mut bare) = (String::from("name;size;weight;kind\n"), String::new());
    let mut sparse = [String::new(), String::new()];
    for (at, row) in labelled.iter().enumerate() {
        let kind = if row[2] == "1" { "good" } else { "bad" };
        let _ = writeln!(named, "{at};{};{};{kind}", row[0], row[1]);
        let _ = writeln!(bare, "{}\t{}", row[0], row[1]);
        for first in [0, 1] {
            let _ = writeln!(sparse[first], "{} {}:{} {}:{}", row[2], first, row[0], first + 1, row[1]);
        }
    }
    folder.write("named.txt", named);
    folder.write("bare.txt", bare);
    folder.write("zero.libsvm", &sparse[0]);
    folder.write("one.libsvm", &sparse[1]);
    let mut zip = zip::ZipWriter::new(File::create(folder.file("arrays.npz")).unwrap());
    for (name, rows) in [("labelled.npy", &labelled), ("rows.npy", &rows)] {
        let stored = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
        zip.start_file(name, stored).unwrap();
        zip.write_all(&npy(rows)).unwrap();
    }
    zip.finish().unwrap();
}

/// A result without what names files or columns.
fn numbers(mut result: Value) -> Value {
    for name in ["model", "scores", "pairs", "folder", "source"] {
        result.as_object_mut().unwrap().remove(name);
    }
    result
}

/// What every verb says about items that are given so.
fn everything(folder: &Folder, items: &str, format: &str, features: &str) -> (Vec<Value>, String) {
    let with = format!("--items {items} --comparisons pairs.csv {PROTOCOL} {format}");
    let results = [
        format!("check {with} {features}"),
        format!("prior {with} {features}"),
        format!("train {with} {features} --prior 0.4 --epochs 20 --out model"),
        format!("evaluate model {with} --prior 0.4"),
        format!("predict model {items} --out scores.csv {format}"),
        format!("next model --items {items} --count 50 --out next.csv {format}"),
    ];
    let results = results.iter().map(|command| numbers(folder.result(command))).collect();
    (results, folder.text("scores.csv") + &folder.text("next.csv"))
}

#[test]
fn every_form_of_a_table_says_the_same_to_every_verb() {
    let folder = Folder::with_rows(600);
    rewrite(&folder);
    let plain = everything(&folder, "items.csv", "", "");
    assert_eq!(plain.0[2]["items"], 600);
    for (items, format, features) in [
        ("named.txt", "--id name --delimiter ; --header true", "--features size,weight"),
        ("bare.txt", "--delimiter tab --header false", ""),
        ("arrays.npz", "--array rows", ""),
    ] {
        assert_eq!(everything(&folder, items, format, features), plain, "{items}");
    }
    let one = everything(&folder, "one.libsvm", "--first-index 1", "");
    assert_eq!(everything(&folder, "zero.libsvm", "--first-index 0", ""), one);
}

#[test]
fn every_form_of_a_labelled_table_generates_the_same_comparisons() {
    let folder = Folder::with_rows(200);
    rewrite(&folder);
    let mut results = Vec::new();
    for (at, from) in [
        "--items labelled.csv --label label",
        "--items named.txt --id name --delimiter ; --header true --label kind --positive good",
        "--items arrays.npz --array labelled --label f2",
        "--items one.libsvm --first-index 1 --label label",
        "--items zero.libsvm --first-index 0 --label label",
    ]
    .iter()
    .enumerate()
    {
        let result = folder.result(&format!("generate {from} {PROTOCOL} --seed 5 --out made-{at}"));
        results.push((numbers(result), folder.text(&format!("made-{at}/comparisons.csv"))));
    }
    // One row in five is for the test, and none is used twice.
    let pairs = results[0].0["pairs_kept"].as_u64().unwrap();
    assert!((76..=80).contains(&pairs), "{pairs}");
    for other in &results[1..] {
        assert_eq!(*other, results[0]);
    }
}

#[test]
fn check_and_prior_take_tables_side_by_side_categories_and_other_scorers() {
    let folder = Folder::with_rows(600);
    let (rows, pairs) = (cells(&folder, "items.csv"), cells(&folder, "pairs.csv"));
    let mut sides = [String::from("size,weight\n"), String::from("size,weight\n")];
    let mut coloured = String::from("size,colour\n");
    for pair in &pairs {
        for (side, row) in sides.iter_mut().zip(pair) {
            let _ = writeln!(side, "{}", rows[row.parse::<usize>().unwrap()].join(","));
        }
    }
    for row in &rows {
        let _ = writeln!(coloured, "{},{}", row[0], if row[1].as_str() < "0.5" { "red" } else { "blue" });
    }
    folder.write("left.csv", &sides[0]);
    folder.write("right.csv", &sides[1]);
    folder.write("coloured.csv", coloured);
    let plain = format!("--items items.csv --comparisons pairs.csv {PROTOCOL}");
    for verb in ["check", "prior"] {
        let first = folder.result(&format!("{verb} {plain} --seed 3"));
        let aligned =
            folder.result(&format!("{verb} --likelier left.csv --other right.csv {PROTOCOL} --seed 3"));
        // The same comparisons, and so the same answer.
        for field in ["protocol", "prior"] {
            assert_eq!(aligned[field], first[field], "{verb}");
        }
        let other_seed = folder.result(&format!("{verb} {plain} --seed 4"));
        let mlp = folder.result(&format!("{verb} {plain} --seed 3 --model mlp"));
        assert!(other_seed != first && mlp != first && mlp != other_seed, "{verb}");
        let colours = format!("--items coloured.csv --comparisons pairs.csv {PROTOCOL}");
        let message = program::said(&folder.run(&format!("{verb} {colours}")));
        assert!(message.contains("is not a number"), "{message}");
        folder.result(&format!("{verb} {colours} --categories colour"));
        let error = folder.result(&format!("{verb} {plain} --labeller-error 0.2"));
        let stated = if verb == "check" { &error["protocol"]["stated"] } else { &error };
        assert_eq!(stated["labeller_error"], 0.2, "{error}");
        // Piles say too little.
        folder.write("piles.csv", "id,pile\n1,likelier\n2,other\n");
        let message =
            program::said(&folder.run(&format!("{verb} --items items.csv --piles piles.csv {PROTOCOL}")));
        assert!(message.contains("piles do not say what was compared with what"), "{message}");
    }
    let pool = folder.result(&format!("prior {plain} --pool items.csv"));
    assert!(
        pool["estimates"]
            .as_array()
            .unwrap()
            .iter()
            .any(|one| one["estimator"] == "pool"),
        "{pool}"
    );
}
