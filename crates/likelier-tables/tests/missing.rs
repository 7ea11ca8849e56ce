//! Missing values: learned from a table, filled in wherever the features are used.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests may panic")]

mod table_files;

use std::path::Path;

use likelier::data::{Column, Features, MissingCells, NumberRule};
use likelier_tables::{
    ItemBatch, ItemBatches, Items, Layout, Missing, OnMissing, TableError, TableToWrite,
};
use table_files::{Folder, npy_header, parquet_numbers};

fn rows(items: &Items) -> Vec<Vec<f32>> {
    let mut row = vec![0.0; items.rows.width()];
    let each = (0..items.rows.len()).map(|at| {
        items.rows.copy_row(at, &mut row);
        row.clone()
    });
    each.collect()
}

/// All rows of a file as scoring reads them, and what was missing.
fn scored(path: &Path, features: &Features) -> Result<(Vec<Vec<f32>>, Missing, usize), TableError> {
    let mut batches = ItemBatches::open(path, features, &Layout::default())?;
    let (mut batch, mut found, mut unseen) = (ItemBatch::default(), Vec::new(), 0);
    let mut row = vec![0.0; features.width()];
    while batches.read(&mut batch)? {
        for at in 0..batch.rows.len() {
            batch.rows.copy_row(at, &mut row);
            found.push(row.clone());
        }
        unseen += batch.unseen_categories;
    }
    Ok((found, batches.missing(), unseen))
}

fn colours() -> Layout {
    Layout { categories: vec!["colour".into()], ..Layout::default() }
}

fn counts(missing: &Missing) -> Vec<(&str, usize)> {
    missing.columns.iter().map(|one| (one.column.as_str(), one.cells)).collect()
}

#[test]
fn every_way_to_write_nothing_is_learned_from_and_counted() {
    let folder = Folder::new();
    for nothing in ["", "  ", "NA", "na", "NaN", "nan", "null", "NULL", "None", "?", "N/A", "<NA>"] {
        let text =
            format!("id,size,colour,weight\na,1,red,5\nb,{nothing},blue,6\nc,4,{nothing},7\nd,3,red,8\n");
        let items = Items::read(&folder.file("t.csv", text.as_bytes()), &colours()).unwrap();
        let names: Vec<String> = items.features.names().collect();
        assert_eq!(
            names,
            ["size", "size is missing", "colour = ", "colour = blue", "colour = red", "weight"],
            "'{nothing}'"
        );
        assert_eq!(
            rows(&items),
            [
                [1.0, 0.0, 0.0, 0.0, 1.0, 5.0],
                [3.0, 1.0, 0.0, 1.0, 0.0, 6.0],
                [4.0, 0.0, 1.0, 0.0, 0.0, 7.0],
                [3.0, 0.0, 0.0, 0.0, 1.0, 8.0],
            ]
        );
        assert_eq!(counts(&items.missing), [("size", 1), ("colour", 1)]);
        assert_eq!(items.missing.empty_items, 0);
    }
}

#[test]
fn refusing_lists_all_columns_with_their_first_places() {
    let folder = Folder::new();
    let path = folder.file("t.csv", b"id,size,colour,weight\na,1,red,5\nb,NA,blue,6\nc,?,,7\nd,3,red,8\n");
    let layout = Layout { missing: OnMissing::Refuse, ..colours() };
    let told = Items::read(&path, &layout).unwrap_err().to_string();
    let expected =
        ": values are missing: 2 in column 'size' (first in line 3), 1 in column 'colour' (line 4)";
    assert_eq!(told.strip_prefix(&path.display().to_string()), Some(expected));
    let whole = folder.file("u.csv", b"id,size,colour,weight\na,1,red,5\n");
    assert!(Items::read(&whole, &layout).is_ok());
    // Of two aligned tables each is looked at.
    let told = Items::read_aligned(&whole, &path, &layout);
    assert!(matches!(told, Err(TableError::MissingCells { columns, .. }) if columns.len() == 2));
}

#[test]
fn nulls_of_parquet_and_nan_of_numpy_are_missing() {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/tables/null.parquet");
    let items = Items::read(&fixture, &Layout::default()).unwrap();
    assert_eq!(counts(&items.missing), [("f1", 1)]);
    assert_eq!((items.rows.width(), rows(&items)[4][2]), (4, 1.0));
    let folder = Folder::new();
    let parquet = folder.path("t.parquet");
    let cells = [1.0, 2.0, 3.0, 4.0, f32::NAN, 6.0];
    parquet_numbers(&parquet, &["f0", "f1"], &cells, 2);
    let mut npy = npy_header("<f4", 3, 2);
    npy.extend(cells.iter().flat_map(|cell| cell.to_le_bytes()));
    for path in [parquet, folder.file("t.npy", &npy)] {
        let items = Items::read(&path, &Layout::default()).unwrap();
        assert_eq!(rows(&items), [[1.0, 0.0, 2.0], [3.0, 0.0, 4.0], [2.0, 1.0, 6.0]]);
    }
}

#[test]
fn new_rows_are_filled_in_as_was_learned_and_what_is_new_is_told() {
    let folder = Folder::new();
    let train = folder.file("t.csv", b"id,size,colour,weight\na,1,red,5\nb,,blue,6\nc,4,red,7\n");
    let items = Items::read(&train, &colours()).unwrap();
    let features = items.features.with_medians(&items.rows);
    let new = folder.file("n.csv", b"weight,colour,size,id\n?,NA,NaN,x\n9,mauve,2,y\n,red,,z\n");
    let (found, missing, unseen) = scored(&new, &features).unwrap();
    // Size, where it is missing, blue, red, weight: no colour was missing in training, so it is none.
    assert_eq!(found, [[2.5, 1.0, 0.0, 0.0, 6.0], [2.0, 0.0, 0.0, 0.0, 9.0], [2.5, 1.0, 0.0, 1.0, 6.0]]);
    assert_eq!((counts(&missing), unseen), (vec![("size", 2), ("colour", 1), ("weight", 2)], 1));
    assert_eq!((missing.empty_items, &missing.first_empty[..]), (1, &["x".to_owned()][..]));
    let told: Vec<String> = missing.in_scoring(&features).iter().map(ToString::to_string).collect();
    assert!(
        told[0].starts_with("3 cells are missing (2 in 'weight', 1 in 'colour'), where none was"),
        "{told:?}"
    );
    assert_eq!(told[1], "1 item has nothing but missing values: 'x'");
    // A model of format 1 knows no medians.
    let old = Features::new(vec![Column::number("size"), Column::number("weight")]).unwrap();
    let told = scored(&new, &old).unwrap_err().to_string();
    assert!(told.ends_with("n.csv, line 2, column 3 ('size'): the value is missing"), "{told}");
}

#[test]
fn a_text_that_was_a_value_in_training_stays_one() {
    let folder = Folder::new();
    // Models of format 1 took every text as it was.
    let values = vec!["NA".into(), "red".into()];
    let features = Features::new(vec![Column::Category { name: "colour".into(), values }]).unwrap();
    let (found, missing, unseen) =
        scored(&folder.file("n.csv", b"colour\nNA\nred\nnull\n"), &features).unwrap();
    assert_eq!(found, [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]);
    assert_eq!((missing.columns.len(), missing.columns[0].cells, unseen), (1, 1, 0));
}

#[test]
fn what_was_missing_is_missing_in_what_is_written() {
    let folder = Folder::new();
    let text = "id,size,colour,stamp\na,1,red,1000000000.125\nb,,,1000000000.5\nc,4,blue,\n";
    let items = Items::read(&folder.file("t.csv", text.as_bytes()), &colours()).unwrap();
    let table =
        TableToWrite { ids: &items.ids, features: &items.features, rows: &items.rows, labels: None };
    let mut csv = Vec::new();
    table.csv(&mut csv, &[0, 1, 2]).unwrap();
    assert_eq!(String::from_utf8(csv).unwrap(), text);
    let parquet = folder.path("t.parquet");
    table.parquet(std::fs::File::create(&parquet).unwrap(), &[0, 1, 2]).unwrap();
    assert_eq!(Items::read(&parquet, &colours()).unwrap(), items);
}

#[test]
fn numbers_far_from_zero_keep_what_tells_them_apart() {
    let folder = Folder::new();
    let expected = [-0.25_f32, 0.5, 0.0, -0.5];
    let text: Vec<String> = expected.iter().map(|x| format!("{}\n", 1e9 + f64::from(*x))).collect();
    let doubles: Vec<u8> = expected.iter().flat_map(|x| (1e9 + f64::from(*x)).to_le_bytes()).collect();
    let npy = [npy_header("<f8", 4, 1), doubles].concat();
    for path in [folder.file("t.csv", text.concat().as_bytes()), folder.file("t.npy", &npy)] {
        let items = Items::read(&path, &Layout::default()).unwrap();
        assert_eq!(items.rows.width(), 1);
        let offset = match &items.features.columns()[0] {
            Column::Number { rule: NumberRule { offset, .. }, .. } => *offset,
            other => panic!("{other:?}"),
        };
        assert_eq!(offset, 1e9);
        assert_eq!(rows(&items).concat(), expected);
        assert_eq!(scored(&path, &items.features).unwrap().0.concat(), expected);
    }
    // A number that never changes is left as it is.
    let same = Items::read(&folder.file("s.csv", b"a,b\n5,1\n5,2\n"), &Layout::default()).unwrap();
    assert_eq!(same.features, Features::new(vec![Column::number("a"), Column::number("b")]).unwrap());
    assert_eq!(rows(&same), [[5.0, 1.0], [5.0, 2.0]]);
    assert_eq!(same.missing.columns, Vec::<MissingCells>::new());
}
