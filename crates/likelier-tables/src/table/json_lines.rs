//! JSON Lines: one object a line. Keys are columns; a key that a line does not have is missing there. A list of numbers
//! is as many columns, `name[0]`, `name[1]`, …
//!
//! Which keys there are only the whole file tells, so it is read twice.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;

use rayon::prelude::*;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::{Number, Value};

use super::cell::{self, Decimal};
use super::{CellProblem, Chunk, Columns, Picked, Position, TableReader, batch_rows, check_width, quoted};
use crate::decompress::{ByteSource, MAX_LINE_BYTES};
use crate::error::TableError;
use crate::problem::FormatProblem;

/// An opened file.
pub(super) struct JsonLines {
    source: ByteSource,
    columns: Columns,
    places: JsonPlaces,
    /// Lines that were read.
    lines: usize,
}

/// Where the values of keys go.
struct JsonPlaces {
    keys: HashMap<String, Key>,
    selection: Picked,
    /// What is wanted of each column.
    wanted: Vec<Option<Use>>,
}

/// Where a key's columns begin, and how long its lists are, if it holds lists.
#[derive(Clone, Copy)]
struct Key {
    first: usize,
    list: Option<usize>,
}

/// What is wrong with a line.
enum LineProblem {
    /// All of it.
    Line(FormatProblem),
    /// A column.
    Cell(usize, CellProblem),
}

impl JsonLines {
    pub(super) fn open(path: &Path) -> Result<Self, TableError> {
        let mut source = ByteSource::stream(path)?;
        let mut order: Vec<(String, Option<usize>)> = Vec::new();
        let mut known: HashMap<String, usize> = HashMap::new();
        let mut lines = 0;
        loop {
            let read = read_lines(&mut source, lines, 4096)?;
            if read.is_empty() {
                break;
            }
            let keys = |(line, text): (usize, &Vec<u8>)| {
                let object = parse(text).map_err(|problem| at_line(path, lines + line, problem))?;
                let keys = object.0.into_iter().map(|(key, value)| (key, list_length(&value)));
                Ok::<Vec<_>, TableError>(keys.collect())
            };
            let found: Vec<_> =
                read.par_iter().enumerate().map(|(line, text)| keys((line, text))).collect();
            for keys in found {
                for (key, list) in keys? {
                    match known.get(&key) {
                        None => {
                            known.insert(key.clone(), order.len());
                            order.push((key, list));
                        }
                        // A list that is null or empty in the first lines shows its length later.
                        Some(at) => order[*at].1 = order[*at].1.or(list),
                    }
                }
            }
            lines += read.len();
        }
        let (mut names, mut keys) = (Vec::new(), HashMap::new());
        for (name, list) in order {
            keys.insert(name.clone(), Key { first: names.len(), list });
            check_width(path, names.len() + list.unwrap_or(1))?;
            match list {
                None => names.push(name),
                Some(length) => names.extend((0..length).map(|at| format!("{name}[{at}]"))),
            }
        }
        let columns = Columns::Named(names);
        columns.check_names(path, None)?;
        let source = ByteSource::stream(path)?;
        let wanted = vec![None; columns.count()];
        let places = JsonPlaces { keys, selection: Picked::default(), wanted };
        Ok(Self { source, columns, places, lines: 0 })
    }
}

impl JsonPlaces {
    /// The wanted numbers and texts of a line.
    fn row(&self, text: &[u8]) -> Result<JsonRow, LineProblem> {
        let object = parse(text).map_err(LineProblem::Line)?;
        let mut row = JsonRow {
            cells: vec![0.0; self.selection.width],
            texts: vec![String::new(); self.selection.texts.len()],
        };
        for number in &self.selection.numbers {
            row.cells[number.place] = f32::NAN;
        }
        for (name, value) in object.0 {
            let Some(key) = self.keys.get(&name) else { continue };
            match (value, key.list) {
                (Value::Null, _) => {}
                (Value::Array(values), Some(length)) if values.is_empty() || values.len() == length => {
                    for (at, value) in values.into_iter().enumerate() {
                        row.set(&self.wanted, key.first + at, value)?;
                    }
                }
                (Value::Array(values), Some(first)) => {
                    let problem = CellProblem::ListLength { found: values.len(), first };
                    return Err(LineProblem::Cell(key.first, problem));
                }
                (_, Some(length)) => {
                    return Err(LineProblem::Cell(key.first, CellProblem::NotAList(length)));
                }
                (value, None) => row.set(&self.wanted, key.first, value)?,
            }
        }
        Ok(row)
    }
}

#[derive(Clone, Copy)]
enum Use {
    /// At a place, without an offset.
    Number(usize, f64),
    Text(usize),
}

struct JsonRow {
    cells: Vec<f32>,
    texts: Vec<String>,
}

impl JsonRow {
    /// Puts a value where it is wanted, if it is.
    fn set(&mut self, wanted: &[Option<Use>], column: usize, value: Value) -> Result<(), LineProblem> {
        let refused = |problem| LineProblem::Cell(column, problem);
        match wanted[column] {
            None => {}
            Some(Use::Number(place, offset)) => {
                self.cells[place] = number(value, offset).map_err(refused)?;
            }
            Some(Use::Text(place)) => self.texts[place] = text(value).map_err(refused)?,
        }
        Ok(())
    }
}

impl TableReader for JsonLines {
    fn columns(&self) -> &Columns {
        &self.columns
    }

    fn select(&mut self, selection: Picked) -> Result<(), TableError> {
        let wanted = &mut self.places.wanted;
        for number in &selection.numbers {
            wanted[number.column] = Some(Use::Number(number.place, number.offset));
        }
        for (place, column) in selection.texts.iter().enumerate() {
            wanted[*column] = Some(Use::Text(place));
        }
        self.places.selection = selection;
        Ok(())
    }

    fn read(&mut self, into: &mut Chunk) -> Result<bool, TableError> {
        let (places, width) = (&self.places, self.places.selection.width);
        let count = batch_rows(width + places.selection.texts.len());
        let lines = read_lines(&mut self.source, self.lines, count)?;
        if lines.is_empty() {
            return Ok(false);
        }
        let rows: Vec<Result<JsonRow, LineProblem>> =
            lines.par_iter().map(|line| places.row(line)).collect();
        let mut cells = into.add_numbers(lines.len(), width);
        let mut texts = Vec::with_capacity(rows.len());
        for (line, row) in rows.into_iter().enumerate() {
            let row = row.map_err(|problem| self.error(self.lines + line, problem))?;
            let (own, rest) = cells.split_at_mut(width);
            own.copy_from_slice(&row.cells);
            cells = rest;
            texts.push(row.texts);
        }
        for row in texts {
            for (into, text) in into.texts.iter_mut().zip(row) {
                into.push(&text);
            }
        }
        into.rows += lines.len();
        self.lines += lines.len();
        Ok(true)
    }

    fn position(&self, row: usize) -> Position {
        Position::Line(row + 1)
    }
}

impl JsonLines {
    fn error(&self, line: usize, problem: LineProblem) -> TableError {
        match problem {
            LineProblem::Line(problem) => at_line(self.source.path(), line, problem),
            LineProblem::Cell(column, problem) => {
                let name = self.columns.name(column);
                problem.at(self.source.path(), Position::Line(line + 1), column, name)
            }
        }
    }
}

fn at_line(path: &Path, line: usize, problem: FormatProblem) -> TableError {
    TableError::format_at(path, line + 1, None, problem)
}

/// Some of the lines that follow, without those at the end that are blank.
fn read_lines(source: &mut ByteSource, before: usize, count: usize) -> Result<Vec<Vec<u8>>, TableError> {
    let mut lines: Vec<Vec<u8>> = Vec::new();
    let mut blank = None;
    while lines.len() < count {
        let mut line = Vec::new();
        let length = source.read_line(&mut line)?;
        if length == 0 {
            break;
        }
        let at = before + lines.len() + 1;
        if length as u64 > MAX_LINE_BYTES {
            let problem = FormatProblem::LongLine { most: MAX_LINE_BYTES };
            return Err(TableError::format_at(source.path(), at, None, problem));
        }
        if line.trim_ascii().is_empty() {
            blank.get_or_insert(at);
            continue;
        }
        if let Some(blank) = blank {
            let problem = FormatProblem::BlankLine;
            return Err(TableError::format_at(source.path(), blank, None, problem));
        }
        lines.push(line);
    }
    Ok(lines)
}

fn parse(line: &[u8]) -> Result<Object, FormatProblem> {
    // The mark that Windows puts at the start of a file.
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    serde_json::from_slice(line).map_err(|error| {
        let what = error.to_string();
        let what = what.split(" at line 1 column").next().unwrap_or(&what);
        FormatProblem::JsonLine(format!("{what}, at byte {}", error.column()))
    })
}

/// How many numbers a list holds, where a value is one that is not empty.
fn list_length(value: &Value) -> Option<usize> {
    match value {
        Value::Array(values) if !values.is_empty() => Some(values.len()),
        _ => None,
    }
}

fn number(value: Value, offset: f64) -> Result<f32, CellProblem> {
    let exact = |number: &Number| number.as_f64().unwrap_or(f64::INFINITY);
    match value {
        Value::Null => Ok(f32::NAN),
        Value::Bool(yes) => Ok((f64::from(u8::from(yes)) - offset) as f32),
        Value::Number(number) if (exact(&number) as f32).is_finite() => {
            Ok((exact(&number) - offset) as f32)
        }
        Value::Number(number) => Err(CellProblem::TooLarge(quoted(&number.to_string()))),
        Value::String(text) => cell::number_from(text.trim().as_bytes(), Decimal::Point, offset),
        Value::Array(_) | Value::Object(_) => Err(CellProblem::Nested),
    }
}

fn text(value: Value) -> Result<String, CellProblem> {
    match value {
        Value::Null => Ok(String::new()),
        Value::Bool(yes) => Ok(yes.to_string()),
        Value::Number(number) => Ok(number.to_string()),
        Value::String(text) => Ok(text),
        Value::Array(_) | Value::Object(_) => Err(CellProblem::Nested),
    }
}

/// An object with its keys in their order. No key occurs twice.
struct Object(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Object;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object such as {\"id\": \"a\", \"size\": 1.5}")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object, A::Error> {
                let mut entries: Vec<(String, Value)> = Vec::new();
                let mut known = std::collections::HashSet::new();
                while let Some((key, value)) = map.next_entry::<String, Value>()? {
                    if !known.insert(key.clone()) {
                        return Err(serde::de::Error::custom(format!("the key '{key}' occurs twice")));
                    }
                    entries.push((key, value));
                }
                Ok(Object(entries))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}
