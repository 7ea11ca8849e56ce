//! Tables in every format: what was written is what is read.

mod table_files;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use likelier::Rows;
use likelier::data::{Column, Features, Texts};
use likelier_tables::{BatchIds, FirstIndex, ItemBatch, ItemBatches, Items, Layout, TableError};
use proptest::prelude::*;
use table_files::{Folder, gzipped, parquet_numbers, parquet_text};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/tables").join(name)
}

/// The matrix that `fixtures/tables/make.py` writes.
fn fixture_matrix() -> Vec<f32> {
    (0..36_u8).map(|at| (f32::from(at) * 7.0 % 23.0 - 11.0) / 4.0).collect()
}

/// All rows of a file as scoring reads them.
fn in_batches(
    path: &Path,
    features: &Features,
    layout: &Layout,
) -> Result<(Vec<f32>, Vec<String>, usize), TableError> {
    let mut batches = ItemBatches::open(path, features, layout)?;
    let (mut batch, mut cells, mut ids, mut unseen) = (ItemBatch::default(), Vec::new(), Vec::new(), 0);
    let mut row = vec![0.0; features.width()];
    while batches.read(&mut batch)? {
        for at in 0..batch.rows.len() {
            batch.rows.copy_row(at, &mut row);
            cells.extend_from_slice(&row);
            ids.push(batch.ids.name(at).into_owned());
        }
        unseen += batch.unseen_categories;
    }
    Ok((cells, ids, unseen))
}

#[test]
fn rows_of_many_blocks_come_in_their_order() {
    // Some 10 MB of CSV, which is more than two blocks, and many batches of Parquet.
    let count = 400_000;
    let number = |row: usize, column: usize| ((row * 7919 + column * 104_729) % 2_000_003) as f32 / 64.0;
    let mut text = String::from("id,a,b\n");
    for row in 0..count {
        writeln!(text, "{},{},{}", row * 3, number(row, 0), number(row, 1)).unwrap();
    }
    let expected: Vec<f32> = (0..count).flat_map(|row| [number(row, 0), number(row, 1)]).collect();
    let folder = Folder::new();
    let path = folder.file("large.csv", text.as_bytes());
    let items = Items::read(&path, &Layout::default()).unwrap();
    assert_eq!(items.rows, Rows::from_numbers(expected.clone(), 2).unwrap());
    assert!((0..count).all(|row| items.ids.name(row) == (row * 3).to_string()));
    let (cells, ids, _) = in_batches(&path, &items.features, &Layout::default()).unwrap();
    assert_eq!(cells, expected);
    assert!(ids.iter().enumerate().all(|(row, id)| *id == (row * 3).to_string()));
    let path = folder.path("large.parquet");
    parquet_numbers(&path, &["a", "b"], &expected, 90_000);
    assert_eq!(Items::read(&path, &Layout::default()).unwrap().rows, items.rows);
}

#[test]
fn the_same_table_from_other_software_is_the_same_in_every_format() {
    let expected = Items::read(&fixture("plain.csv"), &Layout::default()).unwrap();
    assert_eq!(expected.rows, Rows::from_numbers(fixture_matrix(), 3).unwrap());
    assert_eq!(expected.features, Features::numbered(3));
    for name in [
        "plain.tsv",
        "plain.csv.gz",
        "plain.csv.xz",
        "plain.csv.zst",
        "pandas.jsonl",
        "polars.ndjson",
        "pandas.parquet",
        "none.parquet",
        "snappy.parquet",
        "gzip.parquet",
        "zstd.parquet",
        "lz4.parquet",
        "v2.parquet",
        "f16.parquet",
        "decimal-comma.csv",
        "f8.npy",
        "f4-big-endian.npy",
        "f4-fortran.npy",
        "one.npz",
    ] {
        let items = Items::read(&fixture(name), &Layout::default()).unwrap();
        assert_eq!(items, expected, "{name}");
        let (cells, ids, _) = in_batches(&fixture(name), &expected.features, &Layout::default()).unwrap();
        assert_eq!(cells, fixture_matrix(), "{name}");
        assert_eq!(ids[11], "11");
    }
    for name in ["zero.libsvm", "one.libsvm"] {
        let items = Items::read(&fixture(name), &Layout::default()).unwrap();
        assert_eq!(items.rows, expected.rows.to_sparse(), "{name}");
        assert_eq!((&items.ids, &items.features), (&expected.ids, &expected.features));
        let labels = items.labels.unwrap();
        assert_eq!(labels.iter().take(3).collect::<Vec<_>>(), ["0", "1", "0"]);
    }
}

#[test]
fn an_archive_of_several_arrays_wants_one_named() {
    let layout = Layout { array: Some("train".into()), ..Layout::default() };
    let items = Items::read(&fixture("two.npz"), &layout).unwrap();
    assert_eq!(items.rows, Rows::from_numbers(fixture_matrix(), 3).unwrap());
    let message = Items::read(&fixture("two.npz"), &Layout::default()).unwrap_err().to_string();
    assert!(message.ends_with(": holds 2 arrays, and it is not said which: train, other"), "{message}");
    let layout = Layout { array: Some("test".into()), ..Layout::default() };
    let message = Items::read(&fixture("two.npz"), &layout).unwrap_err().to_string();
    assert!(message.ends_with(": has no array 'test'; there are: train, other"), "{message}");
}

#[test]
fn a_list_of_numbers_is_as_many_columns_and_one_that_is_not_there_is_missing() {
    let matrix = fixture_matrix();
    for name in ["list.parquet", "fixed-list.parquet", "half-list.parquet"] {
        let items = Items::read(&fixture(name), &Layout::default()).unwrap();
        let names: Vec<String> = items.features.names().collect();
        assert_eq!(names[..2], ["embedding[0]", "embedding[0] is missing"], "{name}");
        assert_eq!((names.len(), &names[6][..]), (7, "size"));
        let mut row = [0.0; 7];
        for at in 0..12 {
            items.rows.copy_row(at, &mut row);
            let gone = f32::from(u8::from(at == 4));
            assert_eq!((row[1], row[3], row[5], row[6]), (gone, gone, gone, at as f32), "{name}");
            if at != 4 {
                assert_eq!([row[0], row[2], row[4]], matrix[3 * at..3 * at + 3], "{name}");
            }
        }
        assert_eq!(items.missing.columns.len(), 3);
        let layout = Layout { features: Some(vec!["embedding[2]".into()]), ..Layout::default() };
        let last = Items::read(&fixture(name), &layout).unwrap();
        last.rows.copy_row(11, &mut row[..2]);
        assert_eq!(row[..2], [matrix[35], 0.0]);
        let (cells, ids, _) = in_batches(&fixture(name), &items.features, &Layout::default()).unwrap();
        assert_eq!((cells.len(), &ids[11][..]), (7 * 12, "i11"));
    }
    let told = Items::read(&fixture("ragged-list.parquet"), &Layout::default())
        .unwrap_err()
        .to_string();
    let expected = "row 3, column 1 ('embedding[0]'): the list holds 1 number, but the first one holds 2";
    assert!(told.ends_with(expected), "{told}");
}

#[test]
fn a_label_is_no_feature_in_any_case_unless_it_is_named_as_one() {
    let folder = Folder::new();
    for name in ["label", "Label", "LABEL"] {
        let path = folder.file("t.csv", format!("size,{name}\n1,0\n2,1\n").as_bytes());
        let items = Items::read(&path, &Layout::default()).unwrap();
        assert_eq!(items.features.names().collect::<Vec<_>>(), ["size"], "{name}");
        assert_eq!(items.labels, Some(Texts::from_iter(["0", "1"])));
        let layout = Layout { features: Some(vec!["size".into(), name.into()]), ..Layout::default() };
        let items = Items::read(&path, &layout).unwrap();
        assert_eq!((items.rows.width(), items.labels), (2, None));
        let layout = Layout { exclude: vec!["size".into()], features: None, ..Layout::default() };
        assert!(Items::read(&path, &layout).is_err(), "nothing is left");
    }
}

#[test]
fn image_bytes_stay_bytes() {
    let items = Items::read(&fixture("u1-images.npy"), &Layout::default()).unwrap();
    assert_eq!(items.rows, Rows::from_bytes((0..48).collect::<Vec<u8>>(), 4).unwrap());
    let layout = Layout { features: Some(vec!["f3".into(), "f0".into()]), ..Layout::default() };
    let two = Items::read(&fixture("u1-images.npy"), &layout).unwrap();
    assert!(two.rows.are_bytes());
    let mut row = [0.0; 2];
    two.rows.copy_row(1, &mut row);
    assert_eq!(row, [7.0, 4.0]);
}

fn mixed_layout() -> Layout {
    Layout { label: Some("y".into()), categories: vec!["colour".into()], ..Layout::default() }
}

#[test]
fn types_names_and_categories_are_the_same_in_parquet_and_csv() {
    let parquet = Items::read(&fixture("mixed.parquet"), &mixed_layout()).unwrap();
    let csv = Items::read(&fixture("mixed.csv"), &mixed_layout()).unwrap();
    assert_eq!(parquet, csv);
    let ids: Vec<_> = csv.ids.iter().collect();
    let expected = ["plain", "comma, here", "quote \"here\"", "line\nbreak", "grüße 你好", " blanks "];
    assert_eq!(ids, expected);
    assert_eq!(csv.labels, Some(Texts::from_iter(["a", "b", "a", "b", "a", "b"])));
    assert_eq!(
        csv.features.columns()[4],
        Column::Category {
            name: "colour".into(),
            values: ["Grün", "blue", "red"].map(String::from).to_vec(),
        }
    );
    let mut row = [0.0; 7];
    csv.rows.copy_row(0, &mut row);
    assert_eq!(row, [-128.0, 4e9, -5.0, 1.0, 0.0, 0.0, 1.0]);
    csv.rows.copy_row(3, &mut row);
    assert_eq!(row, [1.0, 2.0, 2.0, 0.0, 1.0, 0.0, 0.0]);
}

#[test]
fn scoring_finds_columns_by_name_and_counts_categories_it_has_not_seen() {
    let features = Items::read(&fixture("mixed.csv"), &mixed_layout()).unwrap().features;
    let folder = Folder::new();
    let path =
        folder.file("new.csv", b"colour,extra,yes,i64,id,u32,i8\nred,x,1,2,a,3,4\nmauve,y,0,5,b,6,7\n");
    let (cells, ids, unseen) = in_batches(&path, &features, &Layout::default()).unwrap();
    assert_eq!(cells, [4.0, 3.0, 2.0, 1.0, 0.0, 0.0, 1.0, 7.0, 6.0, 5.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!((ids, unseen), (vec!["a".to_owned(), "b".into()], 1));
    let path = folder.file("less.csv", b"colour,id,u32,i8\nred,a,3,4\n");
    let message = in_batches(&path, &features, &Layout::default()).unwrap_err().to_string();
    assert!(
        message.ends_with(": has no columns 'i64', 'yes'; there are: 'colour', 'id', 'u32', 'i8'"),
        "{message}"
    );
    let numbers = Features::numbered(4);
    let message = in_batches(&fixture("f8.npy"), &numbers, &Layout::default())
        .unwrap_err()
        .to_string();
    assert!(message.ends_with(": has 3 columns without names; the model takes 4"), "{message}");
    let message = in_batches(&fixture("one.libsvm"), &Features::numbered(2), &Layout::default());
    assert!(message.unwrap_err().to_string().contains("has 3 features; the model has 2"));
    // Features that do not occur are zero.
    let (cells, ..) = in_batches(&fixture("one.libsvm"), &numbers, &Layout::default()).unwrap();
    assert_eq!(cells[..8], [-2.75, -1.0, 0.75, 0.0, 2.5, -1.5, 0.25, 0.0]);
}

#[test]
fn a_column_may_be_id_label_feature_or_left_out() {
    let folder = Folder::new();
    let path = folder.file("t.csv", b"name,a,b,c,class\nx,1,2,3,yes\ny,4,5,6,no\n");
    let layout = Layout {
        id: Some("name".into()),
        label: Some("class".into()),
        features: Some(vec!["c".into(), "a".into()]),
        ..Layout::default()
    };
    let items = Items::read(&path, &layout).unwrap();
    assert_eq!(items.rows, Rows::from_numbers(vec![3.0, 1.0, 6.0, 4.0], 2).unwrap());
    assert_eq!(items.ids.find("y"), Some(1));
    assert_eq!(items.labels, Some(Texts::from_iter(["yes", "no"])));
    let twice = Layout { features: Some(vec!["a".into(), "class".into()]), ..layout };
    let message = Items::read(&path, &twice).unwrap_err().to_string();
    assert!(message.contains("'class' twice"), "{message}");
    // The row names that R and pandas write are not a feature.
    let path = folder.file("r.csv", b"\"\",\"a\"\n\"1\",2\n\"2\",3\n");
    let items = Items::read(&path, &Layout::default()).unwrap();
    assert_eq!(items.rows, Rows::from_numbers(vec![2.0, 3.0], 1).unwrap());
}

#[test]
fn labels_and_groups_are_no_features_unless_somebody_says_so() {
    let folder = Folder::new();
    let path = folder.file("t.csv", b"id,a,label,group\nx,1,,red\ny,2,1,\nz,3,0,red\n");
    let items = Items::read(&path, &Layout::default()).unwrap();
    assert_eq!(items.rows, Rows::from_numbers(vec![1.0, 2.0, 3.0], 1).unwrap());
    assert_eq!(items.labels, Some(Texts::from_iter(["", "1", "0"])));
    assert_eq!(items.groups, Some(Texts::from_iter(["red", "", "red"])));
    // Named by the user a label must be there, unless blanks are allowed.
    let named = Layout { label: Some("label".into()), ..Layout::default() };
    assert!(Items::read(&path, &named).is_err());
    let items = Items::read(&path, &Layout { blank_labels: true, ..named }).unwrap();
    assert_eq!(items.labels, Some(Texts::from_iter(["", "1", "0"])));
    let path = folder.file("f.csv", b"id,a,label,group\nx,1,5,0\ny,2,6,0\n");
    let features = Some(["a", "label", "group"].map(String::from).to_vec());
    let items = Items::read(&path, &Layout { features, ..Layout::default() }).unwrap();
    assert_eq!((items.rows.width(), items.labels, items.groups), (3, None, None));
}

#[test]
fn comparisons_take_the_groups_of_their_items_unless_they_have_their_own() {
    let answers = likelier::Answers::from_iter([(0, 1), (1, 2), (2, 0)]);
    let groups = Texts::from_iter(["red", "red", "blue"]);
    let found = likelier_tables::grouped_answers(answers.clone(), Some(&groups)).unwrap();
    let names: Vec<&str> = found
        .groups()
        .unwrap()
        .of
        .iter()
        .map(|group| found.groups().unwrap().names.get(*group as usize))
        .collect();
    assert_eq!(names, ["red", "", ""], "a pair across groups is in none");
    let again =
        likelier_tables::grouped_answers(found.clone(), Some(&Texts::from_iter(["a", "b", "c"]))).unwrap();
    assert_eq!(again, found);
    assert_eq!(likelier_tables::grouped_answers(answers.clone(), None).unwrap(), answers);
}

#[test]
fn a_sparse_file_counts_from_one_unless_zero_occurs_or_the_user_says_so() {
    let folder = Folder::new();
    let path = folder.file("s.libsvm", b"+1 2:0.5 qid:7 4:1 # note\n\n# comment\n-1 qid:3 1:2\n");
    let first = |first_index| {
        let items = Items::read(&path, &Layout { first_index, ..Layout::default() }).unwrap();
        (items.rows.width(), items.rows.as_sparse().unwrap().row(0).0.to_vec())
    };
    assert_eq!(first(None), (4, vec![1, 3]));
    assert_eq!(first(Some(FirstIndex::One)), (4, vec![1, 3]));
    assert_eq!(first(Some(FirstIndex::Zero)), (5, vec![2, 4]));
    // Recognised by its content as well.
    let path = folder.file("rows.txt", b"1 0:3 2:1\n0 1:2\n");
    assert_eq!(Items::read(&path, &Layout::default()).unwrap().rows.width(), 3);
}

#[test]
fn aligned_matrices_are_items_and_comparisons() {
    let folder = Folder::new();
    let likelier = folder.file("likelier.csv", b"id,a,colour\n7,1,red\n8,2,blue\n");
    let other = folder.file("other.tsv", b"colour\ta\ngreen\t3\nred\t4\n");
    let layout = Layout { categories: vec!["colour".into()], ..Layout::default() };
    let (items, answers) = Items::read_aligned(&likelier, &other, &layout).unwrap();
    let expected = vec![1.0, 0.0, 0.0, 1.0, 2.0, 1.0, 0.0, 0.0, 3.0, 0.0, 1.0, 0.0, 4.0, 0.0, 0.0, 1.0];
    assert_eq!(items.rows, Rows::from_numbers(expected, 4).unwrap());
    assert_eq!(answers.pairs(), [(0, 2), (1, 3)]);
    let sparse = [folder.file("a.libsvm", b"1 1:1\n"), folder.file("b.libsvm", b"0 5:2\n")];
    let (items, _) = Items::read_aligned(&sparse[0], &sparse[1], &Layout::default()).unwrap();
    assert_eq!((items.rows.width(), items.rows.len()), (5, 2));
    let short = folder.file("short.csv", b"a,colour\n3,red\n");
    let message = Items::read_aligned(&likelier, &short, &layout).unwrap_err().to_string();
    assert!(message.contains("has 1 row, but") && message.ends_with("has 2"), "{message}");
    let mixed = Items::read_aligned(&fixture("u1-images.npy"), &fixture("f8.npy"), &Layout::default());
    assert!(mixed.is_err());
}

/// A field as a careful writer writes it: quoted where it must be.
fn field(text: &str, delimiter: char, always: bool) -> String {
    let special = |c: char| c == delimiter || matches!(c, '"' | '\n' | '\r');
    if always || text.is_empty() || text.contains(special) || text.trim_ascii() != text {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn what_was_written_is_read_in_every_format(
        ids in prop::collection::hash_set("[a-zé\",;\t\r\n '0-9你😀#:]{1,8}", 1..30),
        numbers in prop::collection::vec(any::<[i16; 3]>(), 30),
        delimiter in prop::sample::select(vec![',', '\t', ';', '|']),
        line_break in prop::sample::select(vec!["\n", "\r\n"]),
        last_break in any::<bool>(),
        mark in any::<bool>(),
        always in any::<bool>(),
    ) {
        let ids: Vec<String> = ids.into_iter().collect();
        let count = ids.len();
        // Eighths are exact in binary and in decimal.
        let cells: Vec<f32> = numbers[..count].iter().flatten().map(|n| f32::from(*n) / 8.0).collect();
        let mut text = if mark { "\u{feff}".to_owned() } else { String::new() };
        write!(text, "id{delimiter}f0{delimiter}f1{delimiter}f2").unwrap();
        for (id, row) in ids.iter().zip(cells.chunks(3)) {
            text += line_break;
            text += &field(id, delimiter, always);
            for value in row {
                write!(text, "{delimiter}{}", field(&value.to_string(), delimiter, always)).unwrap();
            }
        }
        if last_break {
            text += line_break;
        }
        let folder = Folder::new();
        let plain = folder.file("t.csv", text.as_bytes());
        let zipped = folder.file("z.csv.gz", &gzipped(text.as_bytes()));
        let parquet = folder.path("t.parquet");
        parquet_text(&parquet, &ids, &cells, 7);
        for (path, delimiter) in [(plain, Some(delimiter as u8)), (zipped, Some(delimiter as u8)), (parquet, None)] {
            let items = Items::read(&path, &Layout { delimiter, ..Layout::default() }).unwrap();
            prop_assert_eq!(items.ids.iter().collect::<Vec<_>>(), ids.clone());
            prop_assert_eq!(&items.rows, &Rows::from_numbers(cells.clone(), 3).unwrap());
            let (read, names, _) = in_batches(&path, &items.features, &Layout { delimiter, ..Layout::default() }).unwrap();
            prop_assert_eq!(&read, &cells);
            prop_assert_eq!(&names, &ids);
        }
        let mut npy = table_files::npy_header("<f4", count, 3);
        npy.extend(cells.iter().flat_map(|cell| cell.to_le_bytes()));
        let mut sparse = String::new();
        for row in cells.chunks(3) {
            writeln!(sparse, "1 0:{} 1:{} 2:{}", row[0], row[1], row[2]).unwrap();
        }
        let npy = Items::read(&folder.file("t.npy", &npy), &Layout::default()).unwrap();
        prop_assert_eq!(&npy.rows, &Rows::from_numbers(cells.clone(), 3).unwrap());
        let sparse = Items::read(&folder.file("t.libsvm", sparse.as_bytes()), &Layout::default()).unwrap();
        prop_assert_eq!(&sparse.rows, &npy.rows.to_sparse());
    }

    #[test]
    fn no_bytes_at_all_make_a_reader_panic(
        start in prop::sample::select(vec![
            &b""[..], b"PAR1", b"\x93NUMPY\x01\x00\x76\x00{'descr': '<f4', ", b"PK\x03\x04", b"1 1:1 ", b"a,b\n",
        ]),
        rest in prop::collection::vec(any::<u8>(), 0..80),
    ) {
        let folder = Folder::new();
        let path = folder.file("file", &[start, &rest].concat());
        if let Ok(items) = Items::read(&path, &Layout::default()) {
            let _ = in_batches(&path, &items.features, &Layout::default());
        }
    }
}

#[test]
fn a_million_rows_are_the_same_whole_and_in_batches() {
    const ROWS: usize = 1_000_000;
    let folder = Folder::new();
    let cells: Vec<f32> = (0..ROWS * 4).map(|at| (at % 1_000) as f32 / 8.0).collect();
    let mut text = String::from("id,a,b,c,d\n");
    for (row, values) in cells.chunks(4).enumerate() {
        writeln!(text, "item-{row},{},{},{},{}", values[0], values[1], values[2], values[3]).unwrap();
    }
    let csv = folder.file("million.csv", text.as_bytes());
    let parquet = folder.path("million.parquet");
    parquet_numbers(&parquet, &["a", "b", "c", "d"], &cells, 300_000);
    let items = Items::read(&csv, &Layout::default()).unwrap();
    assert_eq!(items.rows, Rows::from_numbers(cells, 4).unwrap());
    assert_eq!(items.ids.find("item-999999"), Some(999_999));
    let without_ids = Items::read(&parquet, &Layout::default()).unwrap();
    assert_eq!(items.rows, without_ids.rows);
    let mut batches = ItemBatches::open(&parquet, &items.features, &Layout::default()).unwrap();
    let (mut batch, mut rows) = (ItemBatch::default(), 0);
    while batches.read(&mut batch).unwrap() {
        assert_eq!(batch.ids, BatchIds::Numbered { first: rows });
        rows += batch.rows.len();
    }
    assert_eq!(rows, ROWS);
}
