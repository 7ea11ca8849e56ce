//! One wanted column of a Parquet file, decoded a batch at a time.

use std::sync::Arc;

use parquet::basic::{ConvertedType, LogicalType, TimeUnit, Type};
use parquet::column::reader::ColumnReaderImpl;
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FixedLenByteArray, FixedLenByteArrayType,
    FloatType, Int32Type, Int64Type,
};
use parquet::errors::ParquetError;
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::serialized_reader::SerializedPageReader;
use parquet::schema::types::{ColumnDescPtr, ColumnDescriptor};

use super::lists::ListLevels;
use super::pages::{CheckedPages, guarded};
use super::shown::Shown;
use crate::problem::FormatProblem;
use crate::table::cell::CellProblem;
use crate::table::file_at::FileAt;
use likelier::data::Texts;
use likelier::data::moments::iso;
use likelier::words::count;

/// A wanted column and the last batch of it.
pub(super) struct Wanted {
    pub(super) column: usize,
    descriptor: ColumnDescPtr,
    form: Form,
    unsigned: bool,
    /// What it counts in, if it holds dates or moments.
    moments: Option<MomentUnit>,
    reader: ColumnCells,
    /// For each row whether its value is there, unless all must be.
    levels: Vec<i16>,
    /// For each entry of a list whether it goes on from the one before it.
    repeats: Vec<i16>,
    /// The numbers, if it is wanted as such.
    pub(super) numbers: Vec<f32>,
    /// The texts, if it is wanted as such.
    pub(super) texts: Texts,
}

/// What a column is wanted as.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Form {
    Text,
    /// Numbers, from which an offset is taken.
    Number(f64),
    /// Lists of so many numbers, column after column; of length 0, to see how long they are.
    List(usize),
}

/// A reader of the opened row group, and what it gives before it is converted.
enum ColumnCells {
    Closed,
    Bool(ColumnReaderImpl<BoolType>, Vec<bool>),
    Int32(ColumnReaderImpl<Int32Type>, Vec<i32>),
    Int64(ColumnReaderImpl<Int64Type>, Vec<i64>),
    Float(ColumnReaderImpl<FloatType>, Vec<f32>),
    Double(ColumnReaderImpl<DoubleType>, Vec<f64>),
    Half(ColumnReaderImpl<FixedLenByteArrayType>, Vec<FixedLenByteArray>),
    Bytes(ColumnReaderImpl<ByteArrayType>, Vec<ByteArray>),
}

/// Why a column cannot be used as what it is wanted as.
pub(super) enum ColumnMisfit {
    Lists,
    Text,
    Time,
    /// Of some other type.
    Kind(String),
}

impl ColumnMisfit {
    /// The problem of a column, from 1, of this name.
    pub(super) fn of(self, column: usize, name: String) -> FormatProblem {
        match self {
            Self::Lists => FormatProblem::ListColumn { column, name },
            Self::Text => FormatProblem::TextColumn { column, name },
            Self::Time => FormatProblem::TimeColumn { column, name },
            Self::Kind(kind) => FormatProblem::ColumnKind { column, name, kind },
        }
    }
}

/// Why a batch cannot be had.
pub(super) enum ColumnTrouble {
    Damaged(String),
    /// The row of the batch, from 0.
    Cell(usize, CellProblem),
}

impl From<ParquetError> for ColumnTrouble {
    fn from(error: ParquetError) -> Self {
        Self::Damaged(error.to_string())
    }
}

impl Wanted {
    /// A column, or why it cannot be used as a number or text.
    pub(super) fn new(
        column: usize,
        descriptor: &Arc<ColumnDescriptor>,
        form: Form,
    ) -> Result<Self, ColumnMisfit> {
        let as_text = form == Form::Text;
        let converted = descriptor.converted_type();
        let is_list = matches!(form, Form::List(_));
        if descriptor.max_rep_level() > i16::from(is_list) {
            return Err(ColumnMisfit::Lists);
        }
        let unsigned = matches!(
            converted,
            ConvertedType::UINT_8
                | ConvertedType::UINT_16
                | ConvertedType::UINT_32
                | ConvertedType::UINT_64
        );
        let signed = matches!(
            converted,
            ConvertedType::INT_8 | ConvertedType::INT_16 | ConvertedType::INT_32 | ConvertedType::INT_64
        );
        let plain = converted == ConvertedType::NONE && descriptor.logical_type_ref().is_none();
        let kind = descriptor.physical_type();
        match kind {
            Type::BOOLEAN | Type::FLOAT | Type::DOUBLE => {}
            Type::FIXED_LEN_BYTE_ARRAY if is_half(descriptor) => {}
            Type::INT32 | Type::INT64 if unsigned || signed || plain => {}
            Type::INT32 | Type::INT64 if as_text && converted != ConvertedType::DECIMAL => {}
            Type::BYTE_ARRAY if as_text => {}
            Type::BYTE_ARRAY if converted == ConvertedType::UTF8 => {
                return Err(ColumnMisfit::Text);
            }
            Type::INT96 => return Err(ColumnMisfit::Time),
            Type::INT32 | Type::INT64 if is_time(descriptor) => return Err(ColumnMisfit::Time),
            _ => {
                let what = descriptor
                    .logical_type_ref()
                    .map_or_else(|| format!("{kind:?}"), |logical| format!("{logical:?}"));
                return Err(ColumnMisfit::Kind(what));
            }
        }
        Ok(Self {
            column,
            descriptor: descriptor.clone(),
            form,
            unsigned,
            moments: MomentUnit::of(descriptor),
            reader: ColumnCells::Closed,
            levels: Vec::new(),
            repeats: Vec::new(),
            numbers: Vec::new(),
            texts: Texts::new(),
        })
    }

    /// Opens the column in a row group.
    pub(super) fn open(
        &mut self,
        file: &Arc<FileAt>,
        group: &RowGroupMetaData,
    ) -> Result<(), ParquetError> {
        let chunk = group.column(self.column);
        let start = chunk.dictionary_page_offset().unwrap_or(chunk.data_page_offset());
        let end = start.checked_add(chunk.compressed_size());
        let inside = end.is_some_and(|end| end >= start && end.cast_unsigned() <= file.length());
        if start < 0 || !inside {
            return Err(ParquetError::General("a column is said to lie outside of the file".into()));
        }
        let pages = SerializedPageReader::new(file.clone(), chunk, group.num_rows() as usize, None)?;
        let (descriptor, pages) = (self.descriptor.clone(), Box::new(CheckedPages::new(pages)));
        self.reader = match self.descriptor.physical_type() {
            Type::BOOLEAN => ColumnCells::Bool(ColumnReaderImpl::new(descriptor, pages), Vec::new()),
            Type::INT32 => ColumnCells::Int32(ColumnReaderImpl::new(descriptor, pages), Vec::new()),
            Type::INT64 => ColumnCells::Int64(ColumnReaderImpl::new(descriptor, pages), Vec::new()),
            Type::FLOAT => ColumnCells::Float(ColumnReaderImpl::new(descriptor, pages), Vec::new()),
            Type::DOUBLE => ColumnCells::Double(ColumnReaderImpl::new(descriptor, pages), Vec::new()),
            Type::FIXED_LEN_BYTE_ARRAY => {
                ColumnCells::Half(ColumnReaderImpl::new(descriptor, pages), Vec::new())
            }
            _ => ColumnCells::Bytes(ColumnReaderImpl::new(descriptor, pages), Vec::new()),
        };
        Ok(())
    }

    /// The length of the first list of the batch that is not empty.
    pub(super) fn first_length(&self) -> Option<usize> {
        let levels = ListLevels {
            levels: &self.levels,
            repeats: &self.repeats,
            present: self.descriptor.max_def_level(),
            inside: inside(&self.descriptor),
        };
        levels.first_length()
    }

    /// Decodes the next `rows` rows.
    pub(super) fn decode(&mut self, rows: usize) -> Result<(), ColumnTrouble> {
        let (unsigned, moments) = (self.unsigned, self.moments);
        let mut batch = ColumnBatch {
            rows,
            present: self.descriptor.max_def_level(),
            form: self.form,
            levels: &mut self.levels,
            repeats: &mut self.repeats,
            inside: inside(&self.descriptor),
            numbers: &mut self.numbers,
            texts: &mut self.texts,
        };
        batch.texts.clear();
        match &mut self.reader {
            ColumnCells::Closed => Err(ColumnTrouble::Damaged("it is not opened".into())),
            ColumnCells::Bool(reader, values) => {
                batch.read(reader, values)?;
                batch.convert(values, |value| u8::from(*value), f64::from)
            }
            ColumnCells::Int32(reader, values) => {
                batch.read(reader, values)?;
                if let Some(unit) = moments {
                    batch.convert(values, |value| unit.iso((*value).into()), |_| f64::NAN)
                } else if unsigned {
                    batch.convert(values, |value| value.cast_unsigned(), f64::from)
                } else {
                    batch.convert(values, |value| *value, f64::from)
                }
            }
            ColumnCells::Int64(reader, values) => {
                batch.read(reader, values)?;
                if let Some(unit) = moments {
                    batch.convert(values, |value| unit.iso(*value), |_| f64::NAN)
                } else if unsigned {
                    batch.convert(values, |value| value.cast_unsigned(), |whole| whole as f64)
                } else {
                    batch.convert(values, |value| *value, |whole| whole as f64)
                }
            }
            ColumnCells::Float(reader, values) => {
                batch.read(reader, values)?;
                if batch.form == Form::Number(0.0) {
                    // They are what is wanted.
                    std::mem::swap(batch.numbers, values);
                    return batch.finish(|_, number| CellProblem::of_number(number));
                }
                batch.convert(values, |value| *value, f64::from)
            }
            ColumnCells::Double(reader, values) => {
                batch.read(reader, values)?;
                batch.convert(values, |value| *value, |value| value)
            }
            ColumnCells::Half(reader, values) => {
                batch.read(reader, values)?;
                batch.convert(values, half, f64::from)
            }
            ColumnCells::Bytes(reader, values) => {
                batch.read(reader, values)?;
                batch.for_rows(values, |row, value, texts| {
                    let text = value.map_or(Ok(""), |value| std::str::from_utf8(value.data()));
                    texts.push(text.map_err(|_| ColumnTrouble::Cell(row, CellProblem::NotUtf8))?);
                    Ok(())
                })
            }
        }
    }
}

/// The level from which there is an entry in a list, be it empty.
fn inside(descriptor: &ColumnDescriptor) -> i16 {
    descriptor.max_def_level() - i16::from(descriptor.self_type().is_optional())
}

/// Whether a column holds dates, times or timestamps.
fn is_time(descriptor: &ColumnDescriptor) -> bool {
    let of_a_day =
        matches!(descriptor.converted_type(), ConvertedType::TIME_MILLIS | ConvertedType::TIME_MICROS)
            || matches!(descriptor.logical_type_ref(), Some(LogicalType::Time { .. }));
    of_a_day || MomentUnit::of(descriptor).is_some()
}

/// Whether a column holds numbers of 16 bits.
fn is_half(descriptor: &ColumnDescriptor) -> bool {
    descriptor.logical_type_ref() == Some(&LogicalType::Float16)
}

/// What a column of moments counts in.
#[derive(Clone, Copy)]
enum MomentUnit {
    Day,
    Millisecond,
    Microsecond,
    Nanosecond,
}

impl MomentUnit {
    fn of(descriptor: &ColumnDescriptor) -> Option<Self> {
        match descriptor.logical_type_ref() {
            Some(LogicalType::Date) => Some(Self::Day),
            Some(LogicalType::Timestamp(stamp)) => Some(match stamp.unit {
                TimeUnit::MILLIS => Self::Millisecond,
                TimeUnit::MICROS => Self::Microsecond,
                TimeUnit::NANOS => Self::Nanosecond,
            }),
            _ => match descriptor.converted_type() {
                ConvertedType::DATE => Some(Self::Day),
                ConvertedType::TIMESTAMP_MILLIS => Some(Self::Millisecond),
                ConvertedType::TIMESTAMP_MICROS => Some(Self::Microsecond),
                _ => None,
            },
        }
    }

    fn iso(self, count: i64) -> String {
        iso(match self {
            Self::Day => count.saturating_mul(86_400_000),
            Self::Millisecond => count,
            Self::Microsecond => count.div_euclid(1000),
            Self::Nanosecond => count.div_euclid(1_000_000),
        })
    }
}

/// A number of 16 bits: a sign, five bits of exponent and ten of fraction.
fn half(value: &FixedLenByteArray) -> f32 {
    let bits = value.data().first_chunk().map_or(0, |bytes| u16::from_le_bytes(*bytes));
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f32::from(bits & 0x3ff));
    let size = match (exponent, bits & 0x3ff) {
        (0x1f, 0) => f32::INFINITY,
        (0x1f, _) => f32::NAN,
        (0, _) => fraction * 2.0_f32.powi(-24),
        _ => (1024.0 + fraction) * 2.0_f32.powi(exponent - 25),
    };
    if bits >> 15 == 1 { -size } else { size }
}

/// A batch in the making.
struct ColumnBatch<'a> {
    rows: usize,
    /// The level of a value that is there.
    present: i16,
    form: Form,
    levels: &'a mut Vec<i16>,
    repeats: &'a mut Vec<i16>,
    /// The level from which there is an entry in a list.
    inside: i16,
    numbers: &'a mut Vec<f32>,
    texts: &'a mut Texts,
}

impl ColumnBatch<'_> {
    /// Reads the values of all rows that have one.
    fn read<T: DataType>(
        &mut self,
        reader: &mut ColumnReaderImpl<T>,
        values: &mut Vec<T::T>,
    ) -> Result<(), ColumnTrouble> {
        self.levels.clear();
        self.repeats.clear();
        values.clear();
        let repeats = matches!(self.form, Form::List(_)).then_some(&mut *self.repeats);
        let (found, ..) = guarded(|| reader.read_records(self.rows, Some(self.levels), repeats, values))?;
        if found < self.rows {
            let problem = format!("it ends {} before the others", count(self.rows - found, "row"));
            return Err(ColumnTrouble::Damaged(problem));
        }
        Ok(())
    }

    /// Turns values into numbers, NaN where there is none, or texts.
    fn convert<T, S: Shown>(
        &mut self,
        values: &[T],
        shown: impl Fn(&T) -> S,
        number: impl Fn(S) -> f64,
    ) -> Result<(), ColumnTrouble> {
        let offset = match self.form {
            Form::Number(offset) => offset,
            Form::Text => {
                return self.for_rows(values, |_, value, texts| {
                    match value {
                        Some(value) => shown(value).push_to(texts),
                        None => texts.push(""),
                    }
                    Ok(())
                });
            }
            Form::List(length) => {
                let numbers = values.iter().map(|value| number(shown(value)) as f32);
                let levels = ListLevels {
                    levels: self.levels,
                    repeats: self.repeats,
                    present: self.present,
                    inside: self.inside,
                };
                levels.place(numbers, self.rows, length, self.numbers)?;
                return match self.numbers.iter().position(|number| number.is_infinite()) {
                    Some(at) => {
                        let problem = CellProblem::of_number(self.numbers[at]);
                        Err(ColumnTrouble::Cell(at % self.rows, problem))
                    }
                    None => Ok(()),
                };
            }
        };
        self.numbers.clear();
        let near = |value: &T| (number(shown(value)) - offset) as f32;
        self.numbers.extend(values.iter().map(near));
        self.finish(|at, _| CellProblem::of_number(shown(&values[at])))
    }

    /// Refuses what is infinite among the numbers, and puts NaN where there is none.
    fn finish(&mut self, problem: impl Fn(usize, f32) -> CellProblem) -> Result<(), ColumnTrouble> {
        // All of them first: without an early end the loop is done many at a time.
        if self.numbers.iter().fold(false, |any, number| any | number.is_infinite()) {
            let at = self.numbers.iter().position(|number| number.is_infinite()).unwrap_or_default();
            let there = (0..self.rows).filter(|row| self.is_there(*row)).nth(at);
            return Err(ColumnTrouble::Cell(there.unwrap_or_default(), problem(at, self.numbers[at])));
        }
        if self.numbers.len() < self.rows {
            let mut numbers = std::mem::take(self.numbers).into_iter();
            let row = |row| if self.is_there(row) { numbers.next() } else { None };
            *self.numbers = (0..self.rows).map(row).map(|number| number.unwrap_or(f32::NAN)).collect();
        }
        Ok(())
    }

    /// Whether a row has a value.
    fn is_there(&self, row: usize) -> bool {
        self.levels.get(row).is_none_or(|level| *level == self.present)
    }

    /// Calls `visit` for each row with its value, if it has one.
    fn for_rows<T>(
        &mut self,
        values: &[T],
        visit: impl Fn(usize, Option<&T>, &mut Texts) -> Result<(), ColumnTrouble>,
    ) -> Result<(), ColumnTrouble> {
        let mut values = values.iter();
        for row in 0..self.rows {
            let value = if self.is_there(row) { values.next() } else { None };
            visit(row, value, self.texts)?;
        }
        Ok(())
    }
}
