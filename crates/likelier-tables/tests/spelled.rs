//! Texts, dates and JSON Lines: what they become, and what is said where they cannot be read.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests may panic")]

mod table_files;

use std::path::{Path, PathBuf};

use likelier::data::{Column, Features, SparseRows, TextRule};
use likelier_tables::{Ids, ItemBatch, ItemBatches, Items, Layout, read_answers};
use table_files::{Folder, gzipped};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/tables").join(name)
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn refused(path: &Path, layout: &Layout) -> String {
    Items::read(path, layout)
        .unwrap_err()
        .to_string()
        .replace(&path.display().to_string(), "FILE")
}

/// The rows of a file as a model with these features reads them.
fn scored(path: &Path, features: &Features) -> Vec<Vec<f32>> {
    let mut batches = ItemBatches::open(path, features, &Layout::default()).unwrap();
    let (mut batch, mut all) = (ItemBatch::default(), Vec::new());
    while batches.read(&mut batch).unwrap() {
        all.extend(cells(&batch.rows));
    }
    all
}

fn cells(rows: &likelier::Rows<'_>) -> Vec<Vec<f32>> {
    let row = |at| {
        let mut row = vec![0.0; rows.width()];
        rows.copy_row(at, &mut row);
        row
    };
    (0..rows.len()).map(row).collect()
}

#[test]
fn text_is_hashed_behind_numbers_around_their_means_and_the_same_when_scored() {
    let folder = Folder::new();
    let path = folder.file(
        "t.csv",
        b"id,review,size,colour\na,\"Good, really good!\",3,red\nb,,5,blue\nc,bad wine,NA,red\n",
    );
    let layout = Layout { texts: names(&["review"]), categories: names(&["colour"]), ..Layout::default() };
    let items = Items::read(&path, &layout).unwrap();
    let rule = TextRule::default();
    let columns = items.features.columns();
    assert_eq!(columns.iter().map(Column::name).collect::<Vec<_>>(), ["size", "colour", "review"]);
    // The number and whether it is missing, two colours, the words.
    assert_eq!((items.features.dense_width(), items.features.width()), (4, 4 + rule.width()));
    let sparse: &SparseRows = items.rows.as_sparse().unwrap();
    // 3, 5 and the median 4 for the missing one have the mean 4; "blue" comes before "red".
    let text = |text: &str| rule.entries(text).into_iter().map(|(at, value)| (at + 4, value));
    for (row, own, words) in
        [(0, vec![(0, -1.0), (3, 1.0)], "Good, really good!"), (1, vec![(0, 1.0), (2, 1.0)], "")]
    {
        let expected: Vec<(u32, f32)> = own.into_iter().chain(text(words)).collect();
        let (at, values) = sparse.row(row);
        assert_eq!(at.iter().copied().zip(values.iter().copied()).collect::<Vec<_>>(), expected, "{row}");
    }
    assert_eq!(sparse.row(2).0[..3], [1, 3, rule.entries("bad wine")[0].0 + 4]);
    assert_eq!(scored(&path, &items.features), cells(&items.rows));
    // The empty review counts as missing.
    let missing: Vec<_> = items.missing.columns.iter().map(|m| (&m.column[..], m.cells)).collect();
    assert_eq!(missing, [("size", 1), ("review", 1)]);
    // Without a header the columns have numbers, and keep them.
    let plain = folder.file("p.csv", b"good,1\nbad,2\n");
    let layout = Layout { texts: names(&["f0"]), header: Some(false), ..Layout::default() };
    let items = Items::read(&plain, &layout).unwrap();
    assert_eq!(items.features.columns()[1].name(), "f0");
    let mut batches =
        ItemBatches::open(&plain, &items.features, &Layout { header: Some(false), ..Layout::default() })
            .unwrap();
    let mut batch = ItemBatch::default();
    assert!(batches.read(&mut batch).unwrap());
    assert_eq!(cells(&batch.rows), cells(&items.rows));
}

#[test]
fn text_alone_suffices_and_is_no_category_at_the_same_time() {
    let folder = Folder::new();
    let path = folder.file("t.csv", b"id,review\na,good\nb,bad\n");
    let layout = Layout { texts: names(&["review"]), ..Layout::default() };
    let items = Items::read(&path, &layout).unwrap();
    assert_eq!(items.features.width(), TextRule::default().width());
    assert_eq!(items.rows.len(), 2);
    let both = Layout { categories: names(&["review"]), ..layout.clone() };
    assert_eq!(
        refused(&path, &both),
        "a column must be a category, a date or text, got 'review' as more than one of them"
    );
    let id = Layout { texts: names(&["id"]), id: Some("id".into()), ..Layout::default() };
    assert!(refused(&path, &id).starts_with("a text must be one of the features"));
    let unknown = Layout { texts: names(&["words"]), ..Layout::default() };
    assert!(refused(&path, &unknown).contains("has no column 'words'"));
    let libsvm = folder.file("t.libsvm", b"1 1:2\n");
    assert!(refused(&libsvm, &layout).contains("'review'"));
}

#[test]
fn dates_are_days_in_every_format() {
    let layout = Layout { dates: names(&["seen"]), ..Layout::default() };
    // 2026-11-17 is day 20774, 1999-12-31 day 10956, 2028-02-29 day 21243; the median stands for the missing one.
    let expected = [20_774.25, 10_956.999_994, 20_774.25, 21_243.5];
    for name in [
        "dates.csv",
        "dates.jsonl",
        "dates-ms.parquet",
        "dates-us.parquet",
        "dates-ns.parquet",
        "dates-polars.parquet",
        "days.parquet",
    ] {
        let path = fixture(name);
        let items = Items::read(&path, &layout).unwrap();
        let Column::Number { rule, .. } = &items.features.columns()[0] else { panic!("{name}") };
        assert!(rule.date && rule.missing, "{name}");
        assert_eq!(items.features.width(), 3, "{name}");
        let cells = cells(&items.rows);
        for (row, expected) in cells.iter().zip(expected) {
            let expected = if name == "days.parquet" { f64::floor(expected) } else { expected };
            let days = f64::from(row[0]) + rule.offset;
            assert!((days - expected).abs() < 2e-3, "{name}: {days}, not {expected}");
        }
        assert_eq!([0, 1, 2, 3].map(|row| cells[row][1]), [0.0, 0.0, 1.0, 0.0], "{name}");
        assert_eq!(scored(&path, &items.features), cells, "{name}");
    }
    let unsaid = refused(&fixture("dates-us.parquet"), &Layout::default());
    assert!(
        unsaid.contains("column 2 ('seen') holds dates or times; numbers are wanted there"),
        "{unsaid}"
    );
    let folder = Folder::new();
    let path = folder.file("t.csv", b"id,seen\na,2026-11-17\nb,17.11.2026\n");
    assert_eq!(
        refused(&path, &layout),
        "FILE, line 3, column 2 ('seen'): '17.11.2026' is not a date; dates are written as 2026-11-17 or \
         2026-11-17T12:30:05"
    );
}

#[test]
fn json_lines_are_tables() {
    let folder = Folder::new();
    let text = concat!(
        "{\"id\": 7, \"size\": 1.5, \"good\": true, \"colour\": \"red\", \"vector\": [1, 2]}\n",
        "{\"colour\": \"blue\", \"id\": \"b, \\\"c\\\"\", \"vector\": null, \"size\": \"2\"}\n",
        "{\"id\": \"c\", \"good\": false, \"vector\": [3, null], \"colour\": null, \"size\": 4}\n\n",
    );
    let layout = Layout { categories: names(&["colour"]), ..Layout::default() };
    for path in [
        folder.file("t.jsonl", text.as_bytes()),
        folder.file("named-otherwise", text.as_bytes()),
        folder.file("t.jsonl.gz", &gzipped(text.as_bytes())),
        folder.file("t.ndjson", [b"\xef\xbb\xbf", text.as_bytes()].concat().as_slice()),
    ] {
        let items = Items::read(&path, &layout).unwrap();
        let columns: Vec<&str> = items.features.columns().iter().map(Column::name).collect();
        assert_eq!(columns, ["size", "good", "colour", "vector[0]", "vector[1]"]);
        assert_eq!(
            (0..3).map(|row| items.ids.name(row).into_owned()).collect::<Vec<_>>(),
            ["7", "b, \"c\"", "c"]
        );
        let rows = cells(&items.rows);
        // size; good and whether it is missing; none, blue, red; the vector with its gaps.
        assert_eq!(rows[0], [1.5, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 2.0, 0.0]);
        assert_eq!(rows[1], [2.0, 0.5, 1.0, 0.0, 1.0, 0.0, 2.0, 1.0, 2.0, 1.0]);
        assert_eq!(rows[2], [4.0, 0.0, 0.0, 1.0, 0.0, 0.0, 3.0, 0.0, 2.0, 1.0]);
        assert_eq!(scored(&path, &items.features), rows);
    }
    let ids = Ids::numbered(3);
    let answers = folder
        .file("a.jsonl", b"{\"winner\": 0, \"loser\": 2, \"tie\": false}\n{\"loser\": 1, \"winner\": 2}\n");
    assert_eq!(read_answers(&answers, &ids, &Layout::default()).unwrap().pairs(), [(0, 2), (2, 1)]);
}

#[test]
fn json_lines_are_refused_with_their_place() {
    let folder = Folder::new();
    for (text, expected) in [
        ("{\"a\": 1}\n{\"a\": }\n", "FILE, line 2: is not a JSON object: expected value, at byte 7"),
        (
            "{\"a\": 1}\n[1]\n",
            "FILE, line 2: is not a JSON object: invalid type: sequence, expected an object such as {\"id\": \"a\", \"size\": 1.5}, at byte 0",
        ),
        (
            "{\"a\": 1, \"a\": 2}\n",
            "FILE, line 1: is not a JSON object: the key 'a' occurs twice, at byte 16",
        ),
        ("{\"a\": 1}\n{\"a\": \"x\"}\n", "FILE, line 2, column 1 ('a'): 'x' is not a number"),
        (
            "{\"a\": 1}\n{\"a\": {\"b\": 1}}\n",
            "FILE, line 2, column 1 ('a'): is a list or an object; numbers, texts and lists of numbers are read",
        ),
        (
            "{\"a\": [1, 2]}\n{\"a\": [1]}\n",
            "FILE, line 2, column 1 ('a[0]'): the list holds 1 number, but the first one holds 2",
        ),
        (
            "{\"a\": [1, 2]}\n{\"a\": 1}\n",
            "FILE, line 2, column 1 ('a[0]'): is no list, but in other lines it is one of 2 numbers",
        ),
        ("{\"a\": 1}\n\n{\"a\": 2}\n", "FILE, line 2: is blank, but more rows follow"),
        (
            "{\"a\": 1e39}\n",
            "FILE, line 1, column 1 ('a'): '1e39' is too large for a number of 32 bits, which ends at 3.4e38",
        ),
    ] {
        let path = folder.file("t.jsonl", text.as_bytes());
        let message = refused(&path, &Layout::default());
        // The parser says 1e39 its own way.
        assert_eq!(message.replace("'1e+39'", "'1e39'"), expected);
    }
    let array = folder.file("t.json", b"[{\"a\": 1}]");
    assert_eq!(
        refused(&array, &Layout::default()),
        "FILE: is one JSON array; one object a line is read (JSON Lines)"
    );
}
