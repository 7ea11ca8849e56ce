//! Items that are texts, have dates, or are images: from files to a judged model.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod program;

use std::fmt::Write as _;

use likelier::random::{Purpose, below, stream, unit};
use program::{Folder, said};

const STATED: &str = "--prior 0.5 --protocol forced-choice --equals coin";

/// Forced choices among items with these labels, by id.
fn pairs(ids: &[String], labels: &[bool], count: usize) -> String {
    let mut rng = stream(3, Purpose::Comparisons);
    let mut pairs = String::from("winner,loser\n");
    for _ in 0..count {
        let (a, b) = (below(&mut rng, ids.len()), below(&mut rng, ids.len() - 1));
        let b = if b >= a { b + 1 } else { b };
        let first = if labels[a] == labels[b] { unit(&mut rng) < 0.5 } else { labels[a] };
        let (winner, loser) = if first { (a, b) } else { (b, a) };
        let _ = writeln!(pairs, "{},{}", ids[winner], ids[loser]);
    }
    pairs
}

/// How many rows of a table of predictions have the right label.
fn right(table: &str, labels: &[bool]) -> usize {
    let label = |line: &str| line.ends_with(",1");
    table
        .lines()
        .skip(1)
        .zip(labels)
        .filter(|(line, is)| label(line) == **is)
        .count()
}

#[test]
fn words_and_dates_teach_a_model_which_onnx_cannot_hold() {
    let folder = Folder::new();
    let mut rng = stream(5, Purpose::Split);
    let labels: Vec<bool> = (0..400).map(|_| unit(&mut rng) < 0.5).collect();
    let ids: Vec<String> = (0..400).map(|row| format!("r{row}")).collect();
    let mut items = String::from("id,seen,review,topic\n");
    for (id, good) in ids.iter().zip(&labels) {
        let word = |rng: &mut _| {
            let kind = if unit(rng) < 0.8 { *good } else { !*good };
            if kind { "splendid" } else { "dreadful" }
        };
        let words: Vec<&str> = (0..3).map(|_| word(&mut rng)).collect();
        let year = 2020 + below(&mut rng, 4) + usize::from(*good);
        let _ = writeln!(
            items,
            "{id},{year}-05-17,\"A wine, {}!\",{}",
            words.join(" and "),
            below(&mut rng, 9)
        );
    }
    folder.write("items.csv", &items);
    folder.write("pairs.csv", pairs(&ids, &labels, 1500));
    let train = format!("train --items items.csv --comparisons pairs.csv {STATED} --out model.likelier");
    // Words are named for what they are.
    let told = said(&folder.run(&train));
    assert!(
        told.contains("line 2, column 2 ('seen'): '2020") || told.contains("is not a number"),
        "{told}"
    );
    folder.succeeds(&format!("{train} --text review --dates seen --exclude topic"));
    folder.succeeds("predict model.likelier items.csv --out scores.csv");
    let right = right(&folder.text("scores.csv"), &labels);
    assert!(right >= 340, "{right} of 400");
    for verb in ["check --prior 0.5 --text review --dates seen", "prior --text review --dates seen"] {
        let stated = "--items items.csv --comparisons pairs.csv --protocol forced-choice --exclude topic";
        let output = folder.run(&format!("{verb} {stated}"));
        assert_ne!(output.status.code(), Some(2), "{}", said(&output));
    }
    let shown = folder.succeeds("inspect model.likelier");
    assert!(shown.contains("review (words, 32768 hashes)"), "{shown}");
    let told = said(&folder.run("export model.likelier --out model.onnx"));
    assert!(told.contains("a column of an ONNX model must be a number or a category"), "{told}");
    assert!(told.contains("got 'review', which is text"), "{told}");
    let told = said(
        &folder.run("generate --items items.csv --label topic --positive 1 --protocol discard --out new --text review --dates seen"),
    );
    assert!(told.contains("'review' cannot be written into a new data set"), "{told}");
    // A date that is none.
    folder.write("items.csv", items.replacen("-05-17", "-17-05", 1));
    let told = said(&folder.run(&format!("{train} --text review --dates seen")));
    assert!(told.contains("line 2, column 2 ('seen')") && told.contains("is not a date"), "{told}");
}

#[test]
fn a_folder_of_images_is_a_table() {
    let folder = Folder::new();
    std::fs::create_dir(folder.file("photos")).unwrap();
    let mut rng = stream(6, Purpose::Split);
    let labels: Vec<bool> = (0..120).map(|_| unit(&mut rng) < 0.5).collect();
    let ids: Vec<String> = (0..120)
        .map(|row| format!("{row:03}.{}", if row % 2 == 0 { "png" } else { "jpg" }))
        .collect();
    for (id, bright) in ids.iter().zip(&labels) {
        let base = if *bright { 140.0 } else { 90.0 };
        let image = image::RgbImage::from_fn(20, 30, |_, _| {
            let value = (base + 60.0 * unit(&mut rng)) as u8;
            image::Rgb([value, value / 2, 255 - value])
        });
        image.save(folder.file("photos").join(id)).unwrap();
    }
    folder.write("photos/notes.txt", "not an image");
    folder.write("pairs.csv", pairs(&ids, &labels, 600));
    let train =
        format!("train --items photos --comparisons pairs.csv {STATED} --epochs 5 --out model.likelier");
    folder.succeeds(&format!("{train} --model mlp --hidden 8 --image 3,8,8 --move-images 1"));
    folder.succeeds("predict model.likelier photos --out scores.csv");
    let scores = folder.text("scores.csv");
    assert!(scores.lines().nth(1).unwrap().starts_with("000.png,"), "{scores}");
    let right = right(&scores, &labels);
    assert!(right >= 110, "{right} of 120");
    let told = said(&folder.run(&format!("{train} --image 3,8,9")));
    assert!(told.contains("the size of images must be 1 or 3 channels and a square"), "{told}");
    // What is not an image, or not one that is read, is named.
    folder.write("photos/001.jpg", "torn");
    let told = said(&folder.run("predict model.likelier photos --out scores.csv"));
    assert!(told.contains("001.jpg: is called an image, but is neither PNG nor JPEG"), "{told}");
    folder.write("photos/a.webp", "RIFF");
    let told = said(&folder.run("predict model.likelier photos --out scores.csv"));
    assert!(told.contains("a.webp: is an image, but not one that is read: PNG and JPEG are"), "{told}");
    std::fs::create_dir(folder.file("empty")).unwrap();
    let told = said(&folder.run("predict model.likelier empty --out scores.csv"));
    assert!(told.contains("is a folder without images"), "{told}");
}
