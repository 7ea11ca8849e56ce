//! Rows as a Parquet file: `id`, `f0`, `f1`, … and, where wanted, `label` (1 or 0).

use std::fmt::Write as _;
use std::io::{self, Write};
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::data_type::{DataType, FloatType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use super::{Label, Rows};

/// Rows of a row group.
const GROUP: usize = 1 << 16;

/// Writes the rows `which`, called by their numbers, in this order; labels are those of all rows.
pub fn write_parquet(
    out: impl Write + Send,
    rows: &Rows,
    which: &[u32],
    labels: Option<&[Label]>,
) -> io::Result<()> {
    write(out, rows, which, labels).map_err(io::Error::other)
}

fn write(
    out: impl Write + Send,
    rows: &Rows,
    which: &[u32],
    labels: Option<&[Label]>,
) -> Result<(), ParquetError> {
    let mut schema = String::from("message items { required int64 id; ");
    for column in 0..rows.width() {
        let _ = write!(schema, "required float f{column}; ");
    }
    schema += if labels.is_some() { "required int32 label; }" } else { "}" };
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut file =
        SerializedFileWriter::new(out, Arc::new(parse_message_type(&schema)?), Arc::new(properties))?;
    let mut row = vec![0.0; rows.width()];
    for which in which.chunks(GROUP) {
        // Columns are written one after the other, so a group of rows is turned first.
        let mut columns = vec![Vec::with_capacity(which.len()); rows.width()];
        for &at in which {
            rows.copy_row(at as usize, &mut row);
            for (column, value) in columns.iter_mut().zip(&row) {
                column.push(*value);
            }
        }
        let mut group = file.next_row_group()?;
        let ids: Vec<i64> = which.iter().map(|row| i64::from(*row)).collect();
        write_column::<Int64Type, _>(&mut group, &ids)?;
        for column in &columns {
            write_column::<FloatType, _>(&mut group, column)?;
        }
        if let Some(labels) = labels {
            let labels: Vec<i32> =
                which.iter().map(|row| i32::from(labels[*row as usize].is_positive())).collect();
            write_column::<Int32Type, _>(&mut group, &labels)?;
        }
        group.close()?;
    }
    file.close()?;
    Ok(())
}

fn write_column<T: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: &[T::T],
) -> Result<(), ParquetError> {
    if let Some(mut column) = group.next_column()? {
        column.typed::<T>().write_batch(values, None, None)?;
        column.close()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Items, Layout};

    #[test]
    fn what_is_written_is_read_back() {
        let rows = Rows::from_numbers(vec![0.5, -1.0, 2.25, 3.0, 1e-7, 6e7], 2).unwrap();
        let labels = [Label::Negative, Label::Positive, Label::Positive];
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("items.parquet");
        write_parquet(std::fs::File::create(&path).unwrap(), &rows, &[2, 0], Some(&labels)).unwrap();
        let layout = Layout { label: Some("label".into()), ..Layout::default() };
        let items = Items::read(&path, &layout).unwrap();
        assert_eq!(items.rows, Rows::from_numbers(vec![1e-7, 6e7, 0.5, -1.0], 2).unwrap());
        assert_eq!(items.ids.iter().collect::<Vec<_>>(), ["2", "0"]);
        assert_eq!(items.labels.unwrap().iter().collect::<Vec<_>>(), ["1", "0"]);
    }
}
