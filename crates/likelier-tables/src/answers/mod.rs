//! Answers as people have them in files, with all that was noted beside them.
//!
//! | form | columns |
//! |---|---|
//! | with a header | `likelier,other` or `winner,loser` or `better,worse`, then any of `annotator,weight,tie,side,time,group,propensity,question`; names in any case, or under names that the layout gives |
//! | without one (CatBoost's pairs) | winner, loser and perhaps a weight; winner and loser are row numbers from 0 |
//!
//! Nothing is dropped in silence: an id that no item has is an error.

mod labels;
mod piles;

use std::collections::HashMap;
use std::path::Path;

use likelier::Answers;
use likelier::data::{Annotators, PairGroups, Questions, ShownSide, Texts};
use rayon::prelude::*;

use crate::error::TableError;
use crate::ids::{Ids, row_number};
use crate::layout::Layout;
use crate::problem::FormatProblem;
use crate::roles::Finder;
use crate::table::{self, CellProblem, Chunk, Columns, Picked, TableReader, quoted};
pub use labels::{parse_label, read_labels};
pub use piles::read_piles;

/// What the columns of the likelier and the other item are called, the usual names first.
const ITEMS: [[&str; 2]; 3] = [["likelier", "other"], ["winner", "loser"], ["better", "worse"]];

/// The columns beside the two items.
const NOTES: [&str; 8] = ["annotator", "weight", "tie", "side", "time", "group", "propensity", "question"];

/// Reads answers about the items of these ids. Of the layout, `answers`, `delimiter`, `header` and `array` are used.
pub fn read_answers(path: &Path, ids: &Ids, layout: &Layout) -> Result<Answers, TableError> {
    let mut table = table::open(path, layout)?;
    let form = Form::of(path, table.columns(), layout)?;
    let picked = form.picked();
    table.select(picked.clone())?;
    let mut chunk = Chunk::of(&*table, &picked);
    let mut reading = Reading::new(path, ids, &form);
    let mut found = Vec::new();
    while table.read(&mut chunk)? {
        // Most of the work is to wait for memory, so all cores look ids up.
        let find = |side: usize, row: usize| ids.find(chunk.texts[side].get(row));
        (0..chunk.rows)
            .into_par_iter()
            .with_min_len(1 << 10)
            .map(|row| [find(0, row), find(1, row)])
            .collect_into_vec(&mut found);
        if !reading.add_plain(&found) {
            for (row, found) in found.iter().enumerate() {
                reading.add(&chunk.texts, row, *found, &*table)?;
            }
        }
        chunk.texts.iter_mut().for_each(Texts::clear);
        chunk.rows = 0;
    }
    reading.finish(&*table)
}

/// Which columns hold what.
struct Form {
    items: [usize; 2],
    /// The columns of [`NOTES`], where there are any.
    notes: [Option<usize>; NOTES.len()],
    /// Whether items are given by row numbers alone, as there is no header.
    by_row: bool,
    names: [String; 2],
}

impl Form {
    fn of(path: &Path, columns: &Columns, layout: &Layout) -> Result<Self, TableError> {
        if let Columns::Named(known) = columns {
            check_roles(&layout.answers)?;
            let finder = Finder { path, columns };
            let stated =
                |role: &str| layout.answers.iter().find(|(of, _)| of == role).map(|(_, name)| name);
            // As it is written, else in any case, if that is one column only.
            let find = |name: &str| {
                let alike = |other: &&String| other.eq_ignore_ascii_case(name);
                let one =
                    || Some(known.iter().find(alike)?).filter(|_| known.iter().filter(alike).count() == 1);
                columns.find(name).or_else(|| columns.find(one()?))
            };
            let usual = ITEMS.iter().find(|names| names.iter().all(|name| find(name).is_some()));
            let usual = usual.unwrap_or(&ITEMS[0]);
            let mut items = [0; 2];
            let mut missing = Vec::new();
            for side in 0..2 {
                match stated(ITEMS[0][side]) {
                    Some(name) => items[side] = finder.all(std::slice::from_ref(name))?[0],
                    None => match find(usual[side]) {
                        Some(column) => items[side] = column,
                        None => missing.push(usual[side].to_owned()),
                    },
                }
            }
            if !missing.is_empty() {
                finder.all(&missing)?;
            }
            let mut notes = [None; NOTES.len()];
            for (note, role) in notes.iter_mut().zip(NOTES) {
                *note = match stated(role) {
                    Some(name) => finder.all(std::slice::from_ref(name))?.first().copied(),
                    None => find(role).filter(|column| !items.contains(column)),
                };
            }
            let names = items.map(|column| columns.name(column));
            return Ok(Self { items, notes, by_row: false, names });
        }
        let weight = match (columns, columns.count()) {
            (Columns::Numbered(_), 2) => None,
            (Columns::Numbered(_), 3) => Some(2),
            (_, count) => {
                return Err(TableError::format(path, FormatProblem::NoHeader { columns: count }));
            }
        };
        let names = [columns.name(0), columns.name(1)];
        let mut notes = [None; NOTES.len()];
        notes[1] = weight;
        Ok(Self { items: [0, 1], notes, by_row: true, names })
    }

    fn picked(&self) -> Picked {
        let texts = self.items.into_iter().chain(self.notes.into_iter().flatten()).collect();
        Picked { texts, ..Picked::default() }
    }

    /// The notes that there are, in the order in which their texts follow the two items.
    fn noted(&self) -> Vec<usize> {
        (0..NOTES.len()).filter(|note| self.notes[*note].is_some()).collect()
    }
}

/// Refuses a name for what no column of answers holds.
fn check_roles(stated: &[(String, String)]) -> Result<(), TableError> {
    let is_known = |role: &str| ITEMS[0].iter().chain(&NOTES).any(|known| *known == role);
    match stated.iter().find(|(role, _)| !is_known(role)) {
        Some((role, _)) => Err(TableError::setting(
            "what a column of comparisons holds",
            format!("'{role}'"),
            "likelier, other, annotator, weight, tie, side, time, group, propensity or question",
        )),
        None => Ok(()),
    }
}

/// Answers in the making.
struct Reading<'a> {
    path: &'a Path,
    form: &'a Form,
    /// Which of the notes the texts after the two items are.
    places: Vec<usize>,
    items: ItemFinder<'a>,
    pairs: Vec<(u32, u32)>,
    weights: Vec<f32>,
    ties: Vec<bool>,
    sides: Vec<Option<ShownSide>>,
    annotators: Numbered,
    groups: Numbered,
    questions: Numbered,
    /// The first row without a question.
    unasked: Option<usize>,
    times: Texts,
    propensities: Vec<f64>,
    /// Whether any pair has a propensity of its own.
    chosen: bool,
    rows: usize,
}

impl<'a> Reading<'a> {
    fn new(path: &'a Path, ids: &'a Ids, form: &'a Form) -> Self {
        Self {
            path,
            form,
            places: form.noted(),
            items: ItemFinder::new(path, ids, form.by_row),
            pairs: Vec::new(),
            weights: Vec::new(),
            ties: Vec::new(),
            sides: Vec::new(),
            annotators: Numbered::default(),
            groups: Numbered::default(),
            questions: Numbered::default(),
            unasked: None,
            times: Texts::new(),
            propensities: Vec::new(),
            chosen: false,
            rows: 0,
        }
    }

    /// Adds rows of two known items each, with nothing noted beside them. Where there is more to it, it adds none and says
    /// `false`.
    fn add_plain(&mut self, found: &[[Option<u32>; 2]]) -> bool {
        let plain = !self.items.must_look() && self.places.is_empty();
        let differ = |found: &[Option<u32>; 2]| matches!(found, [Some(one), Some(two)] if one != two);
        // Without an early end the loop is done many at a time.
        if !plain || !found.iter().fold(true, |all, found| all & differ(found)) {
            return false;
        }
        let known = found.iter().map(|found| found.map(Option::unwrap_or_default));
        self.pairs.extend(known.map(<(u32, u32)>::from));
        self.rows += found.len();
        true
    }

    /// Adds row `at` of what was read, which is row `self.rows` of the file.
    fn add(
        &mut self,
        texts: &[Texts],
        at: usize,
        found: [Option<u32>; 2],
        table: &dyn TableReader,
    ) -> Result<(), TableError> {
        let row = self.rows;
        self.rows += 1;
        let mut items = [None; 2];
        for side in 0..2 {
            let refused = |problem: CellProblem| {
                let (column, name) = (self.form.items[side], self.form.names[side].clone());
                problem.at(self.path, table.position(row), column, name)
            };
            items[side] = self.items.of(texts[side].get(at), found[side], row).map_err(refused)?;
        }
        if let [Some(likelier), Some(other)] = items {
            if likelier == other {
                return Err(TableError::ComparedWithItself {
                    path: self.path.to_owned(),
                    position: table.position(row),
                    id: texts[0].get(at).to_owned(),
                });
            }
            self.pairs.push((likelier, other));
        }
        for place in 0..self.places.len() {
            let note = self.places[place];
            self.add_note(note, texts[2 + place].get(at)).map_err(|problem| {
                let column = self.form.notes[note].unwrap_or_default();
                problem.at(self.path, table.position(row), column, NOTES[note].into())
            })?;
        }
        Ok(())
    }

    fn add_note(&mut self, note: usize, text: &str) -> Result<(), CellProblem> {
        match NOTES[note] {
            "annotator" => self.annotators.push(text),
            "group" => self.groups.push(text.trim()),
            "question" => {
                let question = text.trim();
                if question.is_empty() {
                    self.unasked.get_or_insert(self.rows - 1);
                }
                self.questions.push(question);
            }
            "weight" => {
                let weight = table::number(text.as_bytes())?;
                if weight < 0.0 {
                    return Err(CellProblem::NegativeWeight(text.to_owned()));
                }
                self.weights.push(weight);
            }
            "propensity" => {
                let items = self.items.ids.len() as f64;
                self.chosen |= !text.is_empty();
                self.propensities.push(parse_propensity(text, 2.0 / (items * (items - 1.0)))?);
            }
            "tie" => self.ties.push(parse_tie(text)?),
            "side" => self.sides.push(parse_side(text)?),
            _ => self.times.push(text),
        }
        Ok(())
    }

    /// The question of each row; none where the column is empty. A row without one among others is refused.
    fn asked(&mut self, table: &dyn TableReader) -> Result<Option<Questions>, TableError> {
        let Numbered { names, of, .. } = std::mem::take(&mut self.questions);
        let column = self.form.notes.last().copied().flatten();
        match (column, self.unasked) {
            (None, _) => Ok(None),
            (Some(_), None) => Ok(Some(Questions { names, of })),
            (Some(_), Some(_)) if names.len() == 1 => Ok(None),
            (Some(column), Some(row)) => {
                Err(CellProblem::NoQuestion.at(self.path, table.position(row), column, "question".into()))
            }
        }
    }

    fn finish(mut self, table: &dyn TableReader) -> Result<Answers, TableError> {
        self.items.finish(table)?;
        if self.rows == 0 {
            return Err(TableError::format(self.path, FormatProblem::NoComparisons));
        }
        let questions = self.asked(table)?;
        let [annotator, weight, tie, side, time, group, propensity, _] =
            self.form.notes.map(|note| note.is_some());
        if weight && self.weights.iter().all(|weight| *weight == 0.0) {
            return Err(TableError::format(self.path, FormatProblem::NoWeight));
        }
        let mut answers = Answers::from_iter(self.pairs);
        if annotator {
            let Numbered { names, of, .. } = self.annotators;
            answers = answers.by(Annotators { names, of })?;
        }
        if group {
            let Numbered { names, of, .. } = self.groups;
            answers = answers.grouped(PairGroups { names, of })?;
        }
        if let Some(questions) = questions {
            answers = answers.asked(questions)?;
        }
        if weight {
            answers = answers.weighted(self.weights)?;
        }
        if tie {
            answers = answers.tied(self.ties)?;
        }
        if side {
            answers = answers.shown(self.sides)?;
        }
        if time {
            answers = answers.at(self.times)?;
        }
        if propensity && self.chosen {
            answers = answers.chosen(self.propensities)?;
        }
        Ok(answers)
    }
}

/// Names by their numbers, in the order in which they first occur.
#[derive(Default)]
pub(crate) struct Numbered {
    pub(crate) names: Texts,
    pub(crate) of: Vec<u32>,
    known: HashMap<String, u32>,
}

impl Numbered {
    pub(crate) fn push(&mut self, name: &str) {
        let next = self.names.len() as u32;
        let known = self.known.get(name).copied();
        if known.is_none() {
            self.names.push(name);
            self.known.insert(name.to_owned(), next);
        }
        self.of.push(known.unwrap_or(next));
    }
}

fn parse_tie(text: &str) -> Result<bool, CellProblem> {
    let is = |words: [&str; 3]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
    if is(["1", "true", "yes"]) {
        Ok(true)
    } else if text.is_empty() || is(["0", "false", "no"]) {
        Ok(false)
    } else {
        Err(CellProblem::NotATie(quoted(text)))
    }
}

/// How probable it was to ask a pair; an empty cell is of a uniform one.
fn parse_propensity(text: &str, uniform: f64) -> Result<f64, CellProblem> {
    if text.is_empty() {
        return Ok(uniform);
    }
    let number = text.trim().parse().ok().filter(|number: &f64| *number > 0.0 && *number <= 1.0);
    number.ok_or_else(|| CellProblem::NotAPropensity(quoted(text)))
}

fn parse_side(text: &str) -> Result<Option<ShownSide>, CellProblem> {
    if text.is_empty() {
        return Ok(None);
    }
    text.parse().map(Some).map_err(|_| CellProblem::NotASide(quoted(text)))
}

/// Finds items by their ids and counts what is not found.
struct ItemFinder<'a> {
    path: &'a Path,
    ids: &'a Ids,
    by_row: bool,
    /// The first id of no item, with its row.
    unknown: Option<(usize, String)>,
    unknown_count: usize,
}

impl<'a> ItemFinder<'a> {
    fn new(path: &'a Path, ids: &'a Ids, by_row: bool) -> Self {
        Self { path, ids, by_row, unknown: None, unknown_count: 0 }
    }

    /// Whether what an id says is not all: rows are meant, and ids are names.
    fn must_look(&self) -> bool {
        self.by_row && !self.ids.are_numbers()
    }

    /// The item of an id; what is not found is told at the end.
    fn find(&mut self, text: &str, row: usize) -> Result<Option<u32>, CellProblem> {
        self.of(text, self.ids.find(text), row)
    }

    /// The same where the id was looked up before.
    fn of(&mut self, text: &str, mut item: Option<u32>, row: usize) -> Result<Option<u32>, CellProblem> {
        if text.is_empty() {
            return Err(CellProblem::Missing);
        }
        if self.must_look() {
            // Without a header these are row numbers. Items with ids that are numbers of other rows make
            // it a guess, and a wrong guess would go unnoticed.
            let numbered = row_number(text, self.ids.len());
            if item.is_some() && item != numbered {
                return Err(CellProblem::RowOrId(quoted(text)));
            }
            item = numbered;
        }
        if item.is_none() {
            self.unknown_count += 1;
            self.unknown.get_or_insert_with(|| (row, text.to_owned()));
        }
        Ok(item)
    }

    fn finish(&self, table: &dyn TableReader) -> Result<(), TableError> {
        match &self.unknown {
            Some((row, id)) => Err(TableError::UnknownId {
                path: self.path.to_owned(),
                position: table.position(*row),
                id: id.clone(),
                count: self.unknown_count,
            }),
            None => Ok(()),
        }
    }
}
