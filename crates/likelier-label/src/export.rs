//! Answers as tables: CSV, Parquet, and one JSON object a line.

use std::sync::Arc;

use likelier_tables::write_field;
use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;
use serde::Serialize;

use crate::collected::Collected;
use crate::error::LabelError;
use crate::store::{Choice, Store, iso};

/// How to write answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// With a header.
    Csv,
    /// Texts and whole numbers.
    Parquet,
    /// One object a line.
    Jsonl,
}

/// One answer, with everything that is known of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AnswerRow {
    /// The item that was said to be likelier; for a tie the left one; empty where nothing was compared.
    pub likelier: String,
    /// The other item.
    pub other: String,
    /// Who answered.
    pub annotator: String,
    /// 1 for "can't tell".
    pub tie: i64,
    /// Where the likelier item stood.
    pub side: String,
    /// When, in UTC.
    pub time: String,
    /// left, right, tie, skip or flag.
    pub choice: String,
    /// The item on the left.
    pub left: String,
    /// The item on the right.
    pub right: String,
    /// The number of the pair that was dealt.
    pub pair: i64,
    /// How it came about: uniform, balanced, chosen, again, shared or imported.
    pub origin: String,
    /// The pair that it repeats, or 0.
    pub repeats: i64,
    /// Milliseconds from showing to answering, or -1 where that is not known.
    pub took: i64,
    /// Why it was flagged.
    pub reason: String,
    /// 1 if it was undone.
    pub undone: i64,
    /// How probable the pair was to be drawn, where not all pairs were equally likely.
    pub propensity: Option<f64>,
}

const TEXTS: [&str; 10] =
    ["likelier", "other", "annotator", "side", "time", "choice", "left", "right", "origin", "reason"];
const NUMBERS: [&str; 5] = ["tie", "pair", "repeats", "took", "undone"];
const PROPENSITY: &str = "propensity";

impl AnswerRow {
    fn texts(&self) -> [&str; 10] {
        [
            &self.likelier,
            &self.other,
            &self.annotator,
            &self.side,
            &self.time,
            &self.choice,
            &self.left,
            &self.right,
            &self.origin,
            &self.reason,
        ]
    }

    fn numbers(&self) -> [i64; 5] {
        [self.tie, self.pair, self.repeats, self.took, self.undone]
    }
}

impl Collected {
    /// The answers that stand, as rows; with `all`, those that compare nothing and those that were undone too.
    pub fn rows(&self, all: bool) -> Result<Vec<AnswerRow>, LabelError> {
        let mut rows: Vec<(i64, AnswerRow)> = Vec::new();
        let every = Store::read(self.path())?.every_answer()?;
        let pairs: std::collections::HashMap<i64, &crate::store::Shown> =
            self.shown().iter().map(|shown| (shown.id, shown)).collect();
        for (given, pair, undone) in every {
            let Some(shown) = pairs.get(&pair) else { continue };
            let compares = given.choice.compares();
            if !all && (undone || !compares) {
                continue;
            }
            let [left, right] = shown.names.clone();
            let (likelier, other) = match given.choice {
                Choice::Right => (right.clone(), left.clone()),
                Choice::Left | Choice::Tie => (left.clone(), right.clone()),
                Choice::Skip | Choice::Flag => (String::new(), String::new()),
            };
            let side =
                if matches!(given.choice, Choice::Left | Choice::Right) { given.choice.name() } else { "" };
            let row = AnswerRow {
                likelier,
                other,
                annotator: self.name(shown.person).to_owned(),
                tie: i64::from(given.choice == Choice::Tie),
                side: side.to_owned(),
                time: iso(given.at),
                choice: given.choice.name().to_owned(),
                left,
                right,
                pair: shown.id,
                origin: shown.origin.name().to_owned(),
                repeats: shown.of.unwrap_or(0),
                took: given.took.unwrap_or(-1),
                reason: given.reason.unwrap_or_default(),
                undone: i64::from(undone),
                propensity: shown.propensity,
            };
            rows.push((given.id, row));
        }
        rows.sort_by_key(|(id, _)| *id);
        Ok(rows.into_iter().map(|(_, row)| row).collect())
    }
}

impl ExportFormat {
    /// The rows as a file.
    pub fn bytes(self, rows: &[AnswerRow]) -> Result<Vec<u8>, LabelError> {
        let refused = |reason| LabelError::file("the table", reason);
        let mut out = Vec::new();
        match self {
            Self::Csv => csv(&mut out, rows).map_err(refused)?,
            Self::Jsonl => {
                for row in rows {
                    serde_json::to_writer(&mut out, row).map_err(|error| refused(error.into()))?;
                    out.push(b'\n');
                }
            }
            Self::Parquet => {
                parquet(&mut out, rows)
                    .map_err(|error| refused(std::io::Error::other(error.to_string())))?;
            }
        }
        Ok(out)
    }
}

fn csv(out: &mut Vec<u8>, rows: &[AnswerRow]) -> std::io::Result<()> {
    let header = TEXTS
        .iter()
        .chain(&NUMBERS)
        .chain([&PROPENSITY])
        .copied()
        .collect::<Vec<_>>()
        .join(",");
    out.extend_from_slice(header.as_bytes());
    out.push(b'\n');
    for row in rows {
        for text in row.texts() {
            write_field(out, text)?;
            out.push(b',');
        }
        let numbers: Vec<String> = row.numbers().iter().map(ToString::to_string).collect();
        out.extend_from_slice(numbers.join(",").as_bytes());
        out.push(b',');
        out.extend(row.propensity.map(|number| format!("{number:e}")).unwrap_or_default().bytes());
        out.push(b'\n');
    }
    Ok(())
}

fn parquet(out: &mut Vec<u8>, rows: &[AnswerRow]) -> Result<(), ParquetError> {
    let column = |name: &str, physical: Physical| {
        let logical = (physical == Physical::BYTE_ARRAY).then_some(LogicalType::String);
        let empty = if name == PROPENSITY { Repetition::OPTIONAL } else { Repetition::REQUIRED };
        let built = Type::primitive_type_builder(name, physical)
            .with_repetition(empty)
            .with_logical_type(logical)
            .build();
        built.map(Arc::new)
    };
    let texts = TEXTS.iter().map(|name| column(name, Physical::BYTE_ARRAY));
    let columns = texts.chain(NUMBERS.iter().map(|name| column(name, Physical::INT64)));
    let columns = columns.chain([column(PROPENSITY, Physical::DOUBLE)]);
    let columns = columns.collect::<Result<Vec<_>, _>>()?;
    let schema = Arc::new(Type::group_type_builder("answers").with_fields(columns).build()?);
    let mut file = SerializedFileWriter::new(out, schema, Arc::default())?;
    let mut group = file.next_row_group()?;
    for at in 0..TEXTS.len() {
        let texts: Vec<ByteArray> = rows
            .iter()
            .map(|row| ByteArray::from(row.texts()[at].as_bytes().to_vec()))
            .collect();
        write_column::<ByteArrayType>(&mut group, &texts, None)?;
    }
    for at in 0..NUMBERS.len() {
        let numbers: Vec<i64> = rows.iter().map(|row| row.numbers()[at]).collect();
        write_column::<Int64Type>(&mut group, &numbers, None)?;
    }
    let known: Vec<f64> = rows.iter().filter_map(|row| row.propensity).collect();
    let is_known: Vec<i16> = rows.iter().map(|row| i16::from(row.propensity.is_some())).collect();
    write_column::<DoubleType>(&mut group, &known, Some(&is_known))?;
    group.close()?;
    file.close()?;
    Ok(())
}

fn write_column<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, &mut Vec<u8>>,
    values: &[T::T],
    is_known: Option<&[i16]>,
) -> Result<(), ParquetError> {
    if let Some(mut column) = group.next_column()? {
        column.typed::<T>().write_batch(values, is_known, None)?;
        column.close()?;
    }
    Ok(())
}
