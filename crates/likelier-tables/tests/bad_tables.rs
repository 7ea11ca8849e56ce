//! Tables that are refused, and the words for it.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests may panic")]

mod table_files;

use std::path::Path;

use likelier::data::Features;
use likelier_tables::{FirstIndex, ItemBatch, ItemBatches, Items, Layout, TableError};
use table_files::{Folder, gzipped, npy_header, parquet_numbers, parquet_without_rows};

/// The complaint about a file, without its path, which comes first.
fn refusal_with(path: &Path, layout: &Layout) -> String {
    let message = Items::read(path, layout).unwrap_err().to_string();
    message.strip_prefix(&path.display().to_string()).expect(&message).to_owned()
}

fn refusal(name: &str, bytes: &[u8]) -> String {
    let folder = Folder::new();
    refusal_with(&folder.file(name, bytes), &Layout::default())
}

#[test]
fn a_cell_that_is_no_number_is_told_with_line_column_name_and_value() {
    let told = refusal("t.csv", b"id,price\na,1\nb,abc\n");
    assert_eq!(told, ", line 3, column 2 ('price'): 'abc' is not a number");
    let told = refusal("t.csv", b"id,price\n\"two\nlines\",1\nb,inf\n");
    assert_eq!(told, ", line 4, column 2 ('price'): 'inf' is not a finite number");
    assert_eq!(refusal("t.csv", b"1,2\n3,\xff\n"), ", line 2, column 2 ('f1'): is not UTF-8 text");
    assert_eq!(refusal("t.csv", b"a,b\n1,\"2\n"), ", line 2, column 2 ('b'): the quote is not closed");
    // Far into the file, beyond many pieces.
    let mut text = b"a,b\n".to_vec();
    for _ in 0..600_000 {
        text.extend(b"1.25,2.5\n");
    }
    text.extend(b"1,x\n");
    assert_eq!(refusal("t.csv", &text), ", line 600002, column 2 ('b'): 'x' is not a number");
}

#[test]
fn of_faults_in_several_blocks_the_first_is_told() {
    // Rows of two lines each, some 13 MB: the faults lie in a second, third and fourth block.
    let row = |row: usize| format!("\"item\n{row}\",{}.25,{}\n", row % 100, 2 * row);
    let rows = || (0..500_000).map(row).collect::<Vec<String>>();
    let told = |faults: &[(usize, &str)]| {
        let mut rows = rows();
        for (row, text) in faults {
            rows[*row] = format!("{text}\n");
        }
        refusal("t.csv", format!("id,a,b\n{}", rows.concat()).as_bytes())
    };
    let blank_id = (200_000, "\"\",1,2");
    let cell = (400_000, "x,1,abc");
    let short = (499_999, "x,1");
    let line = |row: usize| 2 * row + 2;
    assert_eq!(
        told(&[blank_id, cell, short]),
        format!(", line {}, column 1 ('id'): the value is missing", line(200_000))
    );
    assert_eq!(
        told(&[cell, short]),
        format!(", line {}, column 3 ('b'): 'abc' is not a number", line(400_000))
    );
    assert_eq!(told(&[short]), format!(", line {}: has 2 fields; 3 are expected", line(499_999)));
    // A blank line counts where it stands, though rows follow only in a later block.
    let blank = (250_000, "\n".repeat(5 << 20));
    let blank = (blank.0, blank.1.as_str());
    assert_eq!(told(&[blank, short]), format!(", line {}: is blank, but more rows follow", line(250_000)));
}

#[test]
fn rows_of_another_length_and_blank_lines_inside_are_refused() {
    assert_eq!(refusal("t.csv", b"a,b\n1,2\n3\n"), ", line 3: has 1 field; 2 are expected");
    assert_eq!(refusal("t.csv", b"a,b\n1,2,3\n"), ", line 2: has 3 fields; 2 are expected");
    assert_eq!(refusal("t.csv", b"a,b\n1,2\n\n\n3,4\n"), ", line 3: is blank, but more rows follow");
}

#[test]
fn ids_and_names_occur_once_and_are_there() {
    let told = refusal("t.csv", b"id,a\nx,1\n\"y\nz\",2\nx,3\n");
    assert_eq!(told, ": the id 'x' occurs twice, first at line 2 and again at line 5");
    assert_eq!(refusal("t.csv", b"id,a\nx,1\n,2\n"), ", line 3, column 1 ('id'): the value is missing");
    let told = refusal("t.csv", b"a,b,a\n1,2,3\n");
    assert_eq!(told, ", line 1: the columns 1 and 3 are both called 'a'");
    let folder = Folder::new();
    let path = folder.file("t.csv", b"a,b\n1,2\n");
    let layout = Layout { features: Some(vec!["a".into(), "c".into()]), ..Layout::default() };
    assert_eq!(refusal_with(&path, &layout), ": has no column 'c'; there are: 'a', 'b'");
    let layout = Layout { delimiter: Some(b'"'), ..Layout::default() };
    let refused = Items::read(&path, &layout);
    assert!(matches!(refused, Err(TableError::Unusable(likelier::Error::Setting { .. }))), "{refused:?}");
    let layout = Layout { id: Some("key".into()), ..Layout::default() };
    assert_eq!(refusal_with(&path, &layout), ": has no column 'key'; there are: 'a', 'b'");
}

#[test]
fn files_that_hold_nothing_are_refused() {
    for (bytes, problem) in [
        (&b""[..], ": is empty"),
        (b"\n\n", ": is empty"),
        (b"a,b\n", ": holds no rows"),
        (b"a,b", ": holds no rows"),
        (b"\xff\xfea\0", ": is UTF-16 text, which is not read"),
        (b"id\nx\n", ": has no columns that could be features"),
    ] {
        assert_eq!(refusal("t.csv", bytes), problem);
    }
    assert_eq!(refusal("t.libsvm", b"# nothing\n"), ": holds no rows");
    assert_eq!(refusal("t.npy", &npy_header("<f4", 0, 3)), ": holds no rows");
    assert_eq!(refusal("t.csv.gz", &gzipped(b"")), ": is empty");
    let folder = Folder::new();
    let path = folder.file("t.csv", b"a,b\n");
    let mut batches = ItemBatches::open(
        &path,
        &Items::read(&folder.file("u.csv", b"a,b\n1,2\n"), &Layout::default())
            .unwrap()
            .features,
        &Layout::default(),
    )
    .unwrap();
    // To score no rows is to have no scores.
    assert!(!batches.read(&mut ItemBatch::default()).unwrap());
}

#[test]
fn no_rows_are_read_as_such_in_every_format() {
    let folder = Folder::new();
    let parquet = folder.path("none.parquet");
    parquet_numbers(&parquet, &["f0", "f1"], &[], 1);
    let features = Features::numbered(2);
    for path in [
        folder.file("none.csv", b"f0,f1\n"),
        folder.file("none.csv.gz", &gzipped(b"f0,f1\n")),
        folder.file("none.tsv", b"f0\tf1\n"),
        folder.file("none.npy", &npy_header("<f4", 0, 2)),
        folder.file("none.libsvm", b"# nothing\n"),
        parquet,
    ] {
        let mut batches = ItemBatches::open(&path, &features, &Layout::default()).unwrap();
        assert!(!batches.read(&mut ItemBatch::default()).unwrap(), "{}", path.display());
        assert!(refusal_with(&path, &Layout::default()).ends_with(": holds no rows"), "{}", path.display());
    }
}

#[test]
fn what_is_not_read_is_called_by_its_name() {
    for (name, bytes, problem) in [
        ("t.feather", &b"ARROW1\0\0"[..], ": is a Feather or Arrow IPC file, which is not read"),
        ("t.parquet", b"ARROW1\0\0", ": is a Feather or Arrow IPC file, which is not read"),
        ("t.csv", b"i\0d\0,\0a\0\n\0", ": is UTF-16 text, which is not read"),
        ("t.csv.br", b"\x0b\x02\x80", ": is compressed with Brotli, which is not read"),
        ("t.csv", b"<html><body>404", ": is a web page (HTML), which is not read"),
        ("t.parquet", b"PARE\0\0", ": is an encrypted Parquet file, which is not read"),
        ("t.parquet", b"", ": is empty"),
    ] {
        assert_eq!(refusal(name, bytes), problem);
    }
    assert_eq!(refusal("t.csv.gz", &gzipped(b"RDX3\nX\n")), ": is an R data file, which is not read");
}

#[test]
fn columns_of_times_and_other_types_are_told_apart() {
    let folder = Folder::new();
    for (kind, problem) in [
        ("int64 t (TIMESTAMP(MICROS,true))", "holds dates or times; numbers are wanted there"),
        ("int32 t (DATE)", "holds dates or times; numbers are wanted there"),
        ("int96 t", "holds dates or times; numbers are wanted there"),
        ("binary t (UTF8)", "holds text; numbers are wanted there"),
        ("int32 t (DECIMAL(5,2))", "is of the type Decimal"),
    ] {
        let path = folder.path("t.parquet");
        parquet_without_rows(&path, kind);
        let told = refusal_with(&path, &Layout::default());
        assert!(told.starts_with(&format!(": column 1 ('t') {problem}")), "{kind}: {told}");
    }
}

#[test]
fn a_file_that_is_not_what_its_name_says_is_refused() {
    let told = refusal("t.parquet", b"a,b\n1,2\n");
    assert_eq!(
        told,
        ": is not a Parquet file, as its name says: it starts with [61, 2c, 62, 0a], not [50, 41, 52, 31]"
    );
    assert!(refusal("t.npy", b"a,b\n1,2\n").starts_with(": is not an NPY file"));
    assert!(refusal("t.npz", b"a,b\n1,2\n").starts_with(": is not an NPZ file"));
    assert!(refusal("t.npz", b"PK\x03\x04 and nothing more").starts_with(": is not an NPZ file"));
    assert!(refusal("t.parquet", b"PAR1 and nothing more").starts_with(": is not a Parquet file"));
    let folder = Folder::new();
    let parquet = folder.path("t.parquet");
    parquet_numbers(&parquet, &["a"], &[1.0, 2.0], 10);
    let bytes = gzipped(&std::fs::read(&parquet).unwrap());
    let told = refusal("t.parquet.gz", &bytes);
    assert_eq!(told, ": is compressed with gzip as a whole, and can only be read at places");
}

#[test]
fn a_file_cut_off_anywhere_is_refused() {
    let folder = Folder::new();
    let parquet = folder.path("t.parquet");
    parquet_numbers(&parquet, &["a", "b"], &[1.0, 2.0, 3.0, 4.0], 1);
    let mut npy = npy_header("<f4", 2, 2);
    npy.extend([0; 16]);
    let zipped = gzipped(b"a,b\n1,2\n3,4\n");
    let npz =
        std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/tables/one.npz")).unwrap();
    for (name, whole) in [
        ("cut.parquet", std::fs::read(&parquet).unwrap()),
        ("cut.npy", npy.clone()),
        ("cut.npy.gz", gzipped(&npy)),
        ("cut.csv.gz", zipped),
        ("cut.npz", npz),
    ] {
        assert!(Items::read(&folder.file(name, &whole), &Layout::default()).is_ok(), "{name}");
        for length in 0..whole.len() {
            let cut = folder.file(name, &whole[..length]);
            assert!(Items::read(&cut, &Layout::default()).is_err(), "{name} cut to {length} bytes");
        }
    }
    npy.push(0);
    assert_eq!(refusal("more.npy", &npy), ": the header promises 16 bytes, but 17 follow");
    let told = refusal("more.npy.gz", &gzipped(&npy));
    assert_eq!(told, ": there are more bytes than the header promises");
}

#[test]
fn numbers_of_binary_tables_must_be_finite() {
    let mut npy = npy_header("<f8", 2, 2);
    npy.extend([1.0_f64, 2.0, 3.0, 1e99].iter().flat_map(|number| number.to_le_bytes()));
    let told = refusal("t.npy", &npy);
    assert!(
        told.starts_with(", row 2, column 2 ('f1'): '1000000")
            && told.ends_with("is too large for a number of 32 bits, which ends at 3.4e38")
    );
    let told = refusal("t.csv", b"id,price\na,1\nb,1e39\n");
    assert_eq!(
        told,
        ", line 3, column 2 ('price'): '1e39' is too large for a number of 32 bits, which ends at 3.4e38"
    );
    let folder = Folder::new();
    let parquet = folder.path("t.parquet");
    parquet_numbers(&parquet, &["a", "b"], &[1.0, 2.0, 3.0, 4.0, f32::INFINITY, 6.0], 2);
    let told = refusal_with(&parquet, &Layout::default());
    assert_eq!(told, ", row 3, column 1 ('a'): 'inf' is not a finite number");
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/tables");
    let told = refusal_with(&fixtures.join("mixed.parquet"), &Layout::default());
    assert_eq!(told, ": column 6 ('colour') holds text; numbers are wanted there");
}

#[test]
fn sparse_rows_have_ascending_indices_and_numbers() {
    let told = refusal("t.libsvm", b"1 1:1\n0 3:1 2:5\n");
    assert_eq!(told, ", line 2, column 3: the index 2 is not above the one before it; they must ascend");
    assert_eq!(refusal("t.libsvm", b"1 1:1 x\n"), ", line 1, column 3: 'x' is not of the form index:value");
    assert_eq!(refusal("t.libsvm", b"1 1:nan\n"), ", line 1, column 2: the value is missing");
    assert_eq!(refusal("t.libsvm", b"1\n0\n"), ": has no columns that could be features");
    let told = refusal("t.libsvm", b"1 99999999:1\n");
    assert_eq!(told, ": has 99999999 columns; at most 4194304 are read");
    let folder = Folder::new();
    let path = folder.file("t.libsvm", b"1 0:1 1:1\n");
    let layout = Layout { first_index: Some(FirstIndex::One), ..Layout::default() };
    assert_eq!(refusal_with(&path, &layout), ", line 1, column 2: the index 0 is below 1, the first");
    let layout = Layout { id: Some("id".into()), ..Layout::default() };
    assert!(Items::read(&path, &layout).is_err());
    assert!(ItemBatches::open(&path, &Features::numbered(1), &layout).is_err());
}

#[test]
fn a_header_that_promises_too_much_takes_no_memory() {
    let told = refusal("t.npy", &npy_header("<f4", 1 << 40, 1 << 10));
    assert!(told.starts_with(": the header promises 4503599627370496 bytes, but 0 follow"), "{told}");
    // Compressed, the length is not known before the end.
    let told = refusal("t.npy.gz", &gzipped(&npy_header("<f4", 1 << 40, 1 << 10)));
    assert!(told.contains("ends after 0 of"), "{told}");
    let told = refusal("t.npy.gz", &gzipped(&npy_header("<f4", 1, 1 << 40)));
    assert_eq!(told, ": has 1099511627776 columns; at most 4194304 are read");
}

#[test]
fn a_damaged_parquet_file_is_refused_or_harmless() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    // Found by the fuzzer: the decoder would panic.
    let layout = |name: &str| Layout { features: Some(vec![name.into()]), ..Layout::default() };
    let told = ["f0", "f1", "f2"]
        .map(|name| refusal_with(&fixtures.join("damaged/no-dictionary.parquet"), &layout(name)));
    let reason = "is damaged: Parquet error: a page without its dictionary";
    assert!(told.iter().any(|told| told.ends_with(reason)), "{told:?}");
    let whole = std::fs::read(fixtures.join("tables/gzip.parquet")).unwrap();
    let folder = Folder::new();
    for at in 4..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x11;
        // What is read, if anything, is a table of finite numbers.
        if let Ok(items) = Items::read(&folder.file("t.parquet", &bytes), &Layout::default()) {
            let mut row = vec![f32::NAN; items.rows.width()];
            items.rows.copy_row(items.rows.len() - 1, &mut row);
            assert!(row.iter().all(|value| value.is_finite()), "byte {at}");
        }
    }
}
