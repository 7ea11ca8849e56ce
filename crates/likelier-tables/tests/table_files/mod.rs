//! Files made for a test.
#![allow(dead_code, clippy::unwrap_used, reason = "each test file uses some of these; tests may panic")]

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use flate2::{Compression, write::GzEncoder};
use parquet::data_type::{ByteArray, ByteArrayType, FloatType};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use tempfile::TempDir;

/// A folder that is removed with the value.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

pub(crate) fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// The header of an NPY file in C order.
pub(crate) fn npy_header(kind: &str, rows: usize, width: usize) -> Vec<u8> {
    let text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({rows}, {width}), }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.into_bytes());
    bytes
}

/// A Parquet file of ids and three columns f0, f1, f2, in row groups of so many rows.
pub(crate) fn parquet_text(path: &Path, ids: &[String], cells: &[f32], group: usize) {
    write_parquet(path, Some(ids), &["f0", "f1", "f2"], cells, group);
}

/// A Parquet file of numbers alone.
pub(crate) fn parquet_numbers(path: &Path, names: &[&str], cells: &[f32], group: usize) {
    write_parquet(path, None, names, cells, group);
}

/// A Parquet file with one column, as a schema writes it, and no rows.
pub(crate) fn parquet_without_rows(path: &Path, column: &str) {
    let schema = Arc::new(parse_message_type(&format!("message table {{ required {column}; }}")).unwrap());
    let properties = Arc::new(WriterProperties::builder().build());
    let writer = SerializedFileWriter::new(File::create(path).unwrap(), schema, properties).unwrap();
    writer.close().unwrap();
}

fn write_parquet(path: &Path, ids: Option<&[String]>, names: &[&str], cells: &[f32], group: usize) {
    let id = if ids.is_some() { "required binary id (UTF8);" } else { "" };
    let columns: Vec<String> = names.iter().map(|name| format!("required float {name};")).collect();
    let schema = format!("message table {{ {id} {} }}", columns.concat());
    let schema = Arc::new(parse_message_type(&schema).unwrap());
    let properties = Arc::new(WriterProperties::builder().build());
    let mut writer = SerializedFileWriter::new(File::create(path).unwrap(), schema, properties).unwrap();
    let width = names.len();
    for (at, rows) in cells.chunks(group * width).enumerate() {
        let count = rows.len() / width;
        let mut group_writer = writer.next_row_group().unwrap();
        if let Some(ids) = ids {
            let ids: Vec<ByteArray> = ids[at * group..at * group + count]
                .iter()
                .map(|id| id.as_str().into())
                .collect();
            let mut column = group_writer.next_column().unwrap().unwrap();
            column.typed::<ByteArrayType>().write_batch(&ids, None, None).unwrap();
            column.close().unwrap();
        }
        for place in 0..width {
            let values: Vec<f32> = rows.iter().skip(place).step_by(width).copied().collect();
            let mut column = group_writer.next_column().unwrap().unwrap();
            column.typed::<FloatType>().write_batch(&values, None, None).unwrap();
            column.close().unwrap();
        }
        group_writer.close().unwrap();
    }
    writer.close().unwrap();
}
