//! Comparisons as people have them in files, with all that was noted beside them.
//!
//! | form | columns |
//! |---|---|
//! | with a header | `likelier,other`, then any of `annotator,weight,tie,time` |
//! | without one (CatBoost's pairs) | winner, loser and perhaps a weight; winner and loser are row numbers from 0 |
//!
//! Nothing is dropped in silence: an id that no item has is an error, and what is allowed but odd is
//! counted in [`Findings`].

mod findings;
mod piles;

use std::collections::HashMap;
use std::path::Path;

pub use self::findings::{Findings, Repeats};
pub use self::piles::read_piles;
use super::ids::row_number;
use super::roles::Finder;
use super::table::{self, CellProblem, Chunk, Columns, Selection, Table};
use super::{Comparisons, Ids, Layout, Texts};
use crate::error::Error;

/// What people said: comparisons, and what was noted with each of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judgements {
    /// The comparisons, in the order of the file. Of a tie, the order of its two items means nothing.
    pub comparisons: Comparisons,
    /// How much each counts: at least 0, and not all 0.
    pub weights: Option<Vec<f32>>,
    /// Whether the two items were said to be equally likely.
    pub ties: Option<Vec<bool>>,
    /// Who judged.
    pub annotators: Option<Annotators>,
    /// When each was judged, as the file writes it.
    pub times: Option<Texts>,
    /// What is allowed but odd.
    pub findings: Findings,
}

/// Who judged what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Annotators {
    /// The names, in the order in which they first occur. An empty one stands for nobody in particular.
    pub names: Texts,
    /// The place in `names` of the annotator of each comparison.
    pub of: Vec<u32>,
}

/// The columns beside the two items.
const NOTES: [&str; 4] = ["annotator", "weight", "tie", "time"];

impl Judgements {
    /// Reads comparisons between the items of these ids. Of the layout, `delimiter`, `header` and `array`
    /// are used.
    pub fn read(path: &Path, ids: &Ids, layout: &Layout) -> Result<Self, Error> {
        let mut table = table::open(path, layout)?;
        let shape = Shape::of(path, table.columns())?;
        let selection = shape.selection();
        table.select(selection.clone())?;
        let mut chunk = Chunk::of(&*table, &selection);
        let mut reading = Reading::new(path, ids, &shape);
        while table.read(&mut chunk)? {
            for row in 0..chunk.rows {
                reading.add(&chunk.texts, row, &*table)?;
            }
            chunk.texts.iter_mut().for_each(Texts::clear);
            chunk.rows = 0;
        }
        reading.finish(&*table)
    }

    /// The comparisons to train on, with their weights; `None` where every weight is 1.
    ///
    /// A tie says that either item may as well be the likelier one: it becomes half a comparison in each
    /// order.
    pub fn expanded(&self) -> (Comparisons, Option<Vec<f32>>) {
        let tie = |at: usize| self.ties.as_ref().is_some_and(|ties| ties[at]);
        let weight = |at: usize| self.weights.as_ref().map_or(1.0, |weights| weights[at]);
        let (mut pairs, mut weights) = (Vec::with_capacity(self.comparisons.len()), Vec::new());
        for (at, (likelier, other)) in self.comparisons.iter().enumerate() {
            pairs.push((likelier, other));
            if tie(at) {
                pairs.push((other, likelier));
                weights.extend([0.5 * weight(at); 2]);
            } else {
                weights.push(weight(at));
            }
        }
        let all_one = weights.iter().all(|weight| *weight == 1.0);
        (pairs.into_iter().collect(), (!all_one).then_some(weights))
    }
}

/// Which columns hold what.
struct Shape {
    items: [usize; 2],
    /// The columns of [`NOTES`], where there are any.
    notes: [Option<usize>; 4],
    /// Whether items are given by row numbers alone, as there is no header.
    by_row: bool,
    names: [String; 2],
}

impl Shape {
    fn of(path: &Path, columns: &Columns) -> Result<Self, Error> {
        if let Columns::Named(_) = columns {
            let names = ["likelier", "other"].map(String::from);
            let found = Finder { path, columns }.all(&names)?;
            let notes = NOTES.map(|name| columns.find(name));
            return Ok(Self { items: [found[0], found[1]], notes, by_row: false, names });
        }
        let weight = match (columns, columns.count()) {
            (Columns::Numbered(_), 2) => None,
            (Columns::Numbered(_), 3) => Some(2),
            (_, count) => {
                let problem = format!(
                    "has no header and {count} columns; without a header there are two row numbers and \
                     perhaps a weight"
                );
                return Err(Error::format(path, problem));
            }
        };
        let names = [columns.name(0), columns.name(1)];
        Ok(Self { items: [0, 1], notes: [None, weight, None, None], by_row: true, names })
    }

    fn selection(&self) -> Selection {
        let texts = self.items.into_iter().chain(self.notes.into_iter().flatten()).collect();
        Selection { texts, ..Selection::default() }
    }

    /// The place of a note among the texts that are read.
    fn note(&self, note: usize) -> Option<usize> {
        self.notes[note].map(|_| 2 + self.notes[..note].iter().flatten().count())
    }
}

/// Judgements in the making.
struct Reading<'a> {
    path: &'a Path,
    shape: &'a Shape,
    items: ItemFinder<'a>,
    likelier: Vec<u32>,
    other: Vec<u32>,
    notes: Notes,
    known: HashMap<String, u32>,
    rows: usize,
}

#[derive(Default)]
struct Notes {
    weights: Option<Vec<f32>>,
    ties: Option<Vec<bool>>,
    annotators: Option<Annotators>,
    times: Option<Texts>,
}

impl<'a> Reading<'a> {
    fn new(path: &'a Path, ids: &'a Ids, shape: &'a Shape) -> Self {
        let notes = Notes {
            annotators: shape.note(0).map(|_| Annotators::default()),
            weights: shape.note(1).map(|_| Vec::new()),
            ties: shape.note(2).map(|_| Vec::new()),
            times: shape.note(3).map(|_| Texts::new()),
        };
        Self {
            path,
            shape,
            items: ItemFinder::new(path, ids, shape.by_row),
            likelier: Vec::new(),
            other: Vec::new(),
            notes,
            known: HashMap::new(),
            rows: 0,
        }
    }

    /// Adds row `at` of what was read, which is row `self.rows` of the file.
    fn add(&mut self, texts: &[Texts], at: usize, table: &dyn Table) -> Result<(), Error> {
        let row = self.rows;
        self.rows += 1;
        let mut items = [None; 2];
        for side in 0..2 {
            let refused = |problem: CellProblem| {
                let (column, name) = (self.shape.items[side], self.shape.names[side].clone());
                problem.at(self.path, table.position(row), column, name)
            };
            items[side] = self.items.find(texts[side].get(at), row).map_err(refused)?;
        }
        if let [Some(likelier), Some(other)] = items {
            if likelier == other {
                return Err(Error::ComparedWithItself {
                    path: self.path.to_owned(),
                    position: table.position(row),
                    id: texts[0].get(at).to_owned(),
                });
            }
            self.likelier.push(likelier);
            self.other.push(other);
        }
        for note in 0..NOTES.len() {
            if let Some(place) = self.shape.note(note) {
                self.add_note(note, texts[place].get(at)).map_err(|problem| {
                    let column = self.shape.notes[note].unwrap_or_default();
                    problem.at(self.path, table.position(row), column, NOTES[note].into())
                })?;
            }
        }
        Ok(())
    }

    fn add_note(&mut self, note: usize, text: &str) -> Result<(), CellProblem> {
        let notes = &mut self.notes;
        if let (0, Some(annotators)) = (note, &mut notes.annotators) {
            let next = annotators.names.len() as u32;
            let known = self.known.get(text).copied();
            let annotator = known.unwrap_or(next);
            if known.is_none() {
                annotators.names.push(text);
                self.known.insert(text.to_owned(), next);
            }
            annotators.of.push(annotator);
        } else if let (1, Some(weights)) = (note, &mut notes.weights) {
            let weight = table::number(text.as_bytes())?;
            if weight < 0.0 {
                return Err(CellProblem::NotAllowed(format!("the weight {weight} is negative")));
            }
            weights.push(weight);
        } else if let (2, Some(ties)) = (note, &mut notes.ties) {
            ties.push(parse_tie(text)?);
        } else if let (3, Some(times)) = (note, &mut notes.times) {
            times.push(text);
        }
        Ok(())
    }

    fn finish(self, table: &dyn Table) -> Result<Judgements, Error> {
        self.items.finish(table)?;
        if self.rows == 0 {
            return Err(Error::format(self.path, "holds no comparisons"));
        }
        if self
            .notes
            .weights
            .as_ref()
            .is_some_and(|weights| weights.iter().all(|weight| *weight == 0.0))
        {
            return Err(Error::format(self.path, "every weight is 0, so no comparison would count"));
        }
        let comparisons = Comparisons::new(self.likelier, self.other)?;
        let findings = Findings::of(&comparisons);
        let Notes { weights, ties, annotators, times } = self.notes;
        Ok(Judgements { comparisons, weights, ties, annotators, times, findings })
    }
}

fn parse_tie(text: &str) -> Result<bool, CellProblem> {
    let is = |words: [&str; 3]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
    if is(["1", "true", "yes"]) {
        Ok(true)
    } else if text.is_empty() || is(["0", "false", "no"]) {
        Ok(false)
    } else {
        Err(CellProblem::NotAllowed(format!(
            "'{text}' says neither tie (1, true, yes) nor none (0, false, no)"
        )))
    }
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

    /// The item of an id; what is not found is told at the end.
    fn find(&mut self, text: &str, row: usize) -> Result<Option<u32>, CellProblem> {
        if text.is_empty() {
            return Err(CellProblem::Missing);
        }
        let mut item = self.ids.find(text);
        if self.by_row && !self.ids.are_numbers() {
            // Without a header these are row numbers. Items with ids that are numbers of other rows make
            // it a guess, and a wrong guess would go unnoticed.
            let numbered = row_number(text, self.ids.len());
            if item.is_some() && item != numbered {
                let problem = format!(
                    "without a header, '{text}' is a row number, but an item in another row has it as its \
                     id; a header 'likelier,other' says that ids are meant"
                );
                return Err(CellProblem::NotAllowed(problem));
            }
            item = numbered;
        }
        if item.is_none() {
            self.unknown_count += 1;
            self.unknown.get_or_insert_with(|| (row, text.to_owned()));
        }
        Ok(item)
    }

    fn finish(&self, table: &dyn Table) -> Result<(), Error> {
        match &self.unknown {
            Some((row, id)) => Err(Error::UnknownId {
                path: self.path.to_owned(),
                position: table.position(*row),
                id: id.clone(),
                count: self.unknown_count,
            }),
            None => Ok(()),
        }
    }
}
