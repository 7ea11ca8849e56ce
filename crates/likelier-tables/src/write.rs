//! Rows as a file: `id`, the columns under their names and, where wanted, `label` (1 or 0). Categories are
//! written as the texts they were read from.

use std::io::{self, Write};
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, FloatType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;

use likelier::Rows;
use likelier::data::{Column, Features, Label, NumberRule};

use crate::Ids;

/// Rows of a row group.
const GROUP: usize = 1 << 16;

/// Rows to write, with what they are called.
#[derive(Clone, Copy, Debug)]
pub struct TableToWrite<'a> {
    /// The names of all rows.
    pub ids: &'a Ids,
    /// What the columns of the rows mean.
    pub features: &'a Features,
    /// All rows.
    pub rows: &'a Rows<'a>,
    /// The true labels of all rows, if they are to be written.
    pub labels: Option<&'a [Label]>,
}

impl TableToWrite<'_> {
    /// Writes the rows `which`, in this order, as CSV.
    pub fn csv(&self, out: &mut impl Write, which: &[u32]) -> io::Result<()> {
        write!(out, "id")?;
        for column in self.features.columns() {
            write!(out, ",")?;
            write_field(out, column.name())?;
        }
        writeln!(out, "{}", if self.labels.is_some() { ",label" } else { "" })?;
        let mut row = vec![0.0; self.rows.width()];
        for &at in which {
            write_field(out, &self.ids.name(at as usize))?;
            self.rows.copy_row(at as usize, &mut row);
            let mut cells = &row[..];
            for column in self.features.columns() {
                let (own, rest) = cells.split_at(column.width());
                cells = rest;
                write!(out, ",")?;
                match column {
                    Column::Number { rule, .. } if is_gone(rule, own) => {}
                    Column::Number { rule, .. } if rule.offset != 0.0 => {
                        write!(out, "{}", f64::from(own[0]) + rule.offset)?;
                    }
                    Column::Number { .. } => write!(out, "{}", own[0])?,
                    Column::Category { values, .. } => write_field(out, category(values, own))?,
                    // Words cannot be had back from their hashes.
                    Column::Text { .. } => {}
                }
            }
            if let Some(labels) = self.labels {
                write!(out, ",{}", u8::from(labels[at as usize].is_positive()))?;
            }
            writeln!(out)?;
        }
        Ok(())
    }

    /// Writes the rows `which`, in this order, as Parquet. Row numbers for ids are integers.
    pub fn parquet(&self, out: impl Write + Send, which: &[u32]) -> io::Result<()> {
        self.write_groups(out, which).map_err(io::Error::other)
    }

    fn write_groups(&self, out: impl Write + Send, which: &[u32]) -> Result<(), ParquetError> {
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let mut file = SerializedFileWriter::new(out, Arc::new(self.schema()?), Arc::new(properties))?;
        let mut row = vec![0.0; self.rows.width()];
        for which in which.chunks(GROUP) {
            // Columns are written one after the other, so a group of rows is turned first.
            let mut cells = vec![Vec::with_capacity(which.len()); self.rows.width()];
            for &at in which {
                self.rows.copy_row(at as usize, &mut row);
                for (column, value) in cells.iter_mut().zip(&row) {
                    column.push(*value);
                }
            }
            let mut group = file.next_row_group()?;
            if self.ids.are_numbers() {
                let ids: Vec<i64> = which.iter().map(|row| i64::from(*row)).collect();
                write_column::<Int64Type, _>(&mut group, &ids)?;
            } else {
                let ids: Vec<ByteArray> =
                    which.iter().map(|row| text(&self.ids.name(*row as usize))).collect();
                write_column::<ByteArrayType, _>(&mut group, &ids)?;
            }
            let mut first = 0;
            for column in self.features.columns() {
                let own = &cells[first..first + column.width()];
                first += column.width();
                match column {
                    Column::Number { rule, .. } => {
                        let number = |at: usize| {
                            let cells: Vec<f32> = own.iter().map(|cells| cells[at]).collect();
                            if is_gone(rule, &cells) { f64::NAN } else { f64::from(cells[0]) + rule.offset }
                        };
                        let numbers = (0..which.len()).map(number);
                        if rule.offset == 0.0 {
                            let numbers: Vec<f32> = numbers.map(|number| number as f32).collect();
                            write_column::<FloatType, _>(&mut group, &numbers)?;
                        } else {
                            write_column::<DoubleType, _>(&mut group, &numbers.collect::<Vec<f64>>())?;
                        }
                    }
                    Column::Category { values, .. } => {
                        let of_row = |at: usize| own.iter().map(|cells| cells[at]).collect::<Vec<f32>>();
                        let texts: Vec<ByteArray> =
                            (0..which.len()).map(|at| text(category(values, &of_row(at)))).collect();
                        write_column::<ByteArrayType, _>(&mut group, &texts)?;
                    }
                    Column::Text { .. } => {
                        write_column::<ByteArrayType, _>(&mut group, &vec![text(""); which.len()])?;
                    }
                }
            }
            if let Some(labels) = self.labels {
                let labels: Vec<i32> =
                    which.iter().map(|row| i32::from(labels[*row as usize].is_positive())).collect();
                write_column::<Int32Type, _>(&mut group, &labels)?;
            }
            group.close()?;
        }
        file.close()?;
        Ok(())
    }

    fn schema(&self) -> Result<Type, ParquetError> {
        let column = |name: &str, physical: Physical| {
            let logical = (physical == Physical::BYTE_ARRAY).then_some(LogicalType::String);
            let column = Type::primitive_type_builder(name, physical)
                .with_repetition(Repetition::REQUIRED)
                .with_logical_type(logical);
            column.build().map(Arc::new)
        };
        let id = if self.ids.are_numbers() { Physical::INT64 } else { Physical::BYTE_ARRAY };
        let mut columns = vec![column("id", id)?];
        for feature in self.features.columns() {
            columns.push(match feature {
                Column::Number { name, rule } if rule.offset != 0.0 => column(name, Physical::DOUBLE)?,
                Column::Number { name, .. } => column(name, Physical::FLOAT)?,
                Column::Category { name, .. } | Column::Text { name, .. } => {
                    column(name, Physical::BYTE_ARRAY)?
                }
            });
        }
        if self.labels.is_some() {
            columns.push(column("label", Physical::INT32)?);
        }
        Type::group_type_builder("items").with_fields(columns).build()
    }
}

fn text(text: &str) -> ByteArray {
    ByteArray::from(text.as_bytes().to_vec())
}

/// Whether a number was missing where it was read: then it is missing where it is written.
fn is_gone(rule: &NumberRule, own: &[f32]) -> bool {
    rule.missing && own[1] != 0.0
}

/// The value whose feature is set.
fn category<'a>(values: &'a [String], cells: &[f32]) -> &'a str {
    values
        .iter()
        .zip(cells)
        .find(|(_, cell)| **cell != 0.0)
        .map_or("", |(value, _)| value)
}

/// Writes a text as a field of a CSV file: in quotes where it holds what would end a field, or white space that
/// would get lost.
pub fn write_field(out: &mut impl Write, text: &str) -> io::Result<()> {
    if text.contains(['"', ',', '\n', '\r']) || text.trim() != text {
        write!(out, "\"{}\"", text.replace('"', "\"\""))
    } else {
        out.write_all(text.as_bytes())
    }
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
    use std::fs::{self, File};

    use super::*;
    use crate::{Items, Layout};

    #[test]
    fn what_is_written_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let original = folder.path().join("original.csv");
        let table = "id,weight,\"colour, mostly\",size\n\
                     7,0.5,red,-1\n\"a,b\",2.25,\"light \"\"blue\"\"\",3\n\" last\",1e-7,red,6e7\n";
        fs::write(&original, table).unwrap();
        let layout = Layout { categories: vec!["colour, mostly".into()], ..Layout::default() };
        let items = Items::read(&original, &layout).unwrap();
        let labels = [Label::Negative, Label::Positive, Label::Positive];
        let table = TableToWrite {
            ids: &items.ids,
            features: &items.features,
            rows: &items.rows,
            labels: Some(&labels),
        };
        let [csv, parquet] = ["table.csv", "table.parquet"].map(|name| folder.path().join(name));
        table.csv(&mut File::create(&csv).unwrap(), &[2, 0, 1]).unwrap();
        table.parquet(File::create(&parquet).unwrap(), &[2, 0, 1]).unwrap();
        let layout = Layout { label: Some("label".into()), ..layout };
        for path in [csv, parquet] {
            let back = Items::read(&path, &layout).unwrap();
            assert_eq!(back.ids.iter().collect::<Vec<_>>(), [" last", "7", "a,b"]);
            assert_eq!(back.labels.unwrap().iter().collect::<Vec<_>>(), ["1", "0", "1"]);
            assert_eq!(back.features, items.features);
            let mut row = [[0.0; 4]; 2];
            for (place, at) in [2, 0, 1].into_iter().enumerate() {
                items.rows.copy_row(at, &mut row[0]);
                back.rows.copy_row(place, &mut row[1]);
                assert_eq!(row[0], row[1]);
            }
        }
    }

    #[test]
    fn rows_without_names_are_numbered() {
        let rows = Rows::from_numbers(vec![0.5, -1.0, 2.25, 3.0], 2).unwrap();
        let (ids, features) = (Ids::numbered(2), Features::numbered(2));
        let table = TableToWrite { ids: &ids, features: &features, rows: &rows, labels: None };
        let mut out = Vec::new();
        table.csv(&mut out, &[1, 0]).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "id,f0,f1\n1,2.25,3\n0,0.5,-1\n");
    }
}
