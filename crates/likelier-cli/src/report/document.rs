//! What a report consists of, whichever form it takes.

use crate::plot::Plot;

/// A report: its title, what it is about, and its sections.
pub(super) struct Document {
    pub(super) title: String,
    pub(super) subtitle: String,
    pub(super) sections: Vec<Section>,
}

/// A section opens with a sentence that says what it is for.
pub(super) struct Section {
    /// The name that links use.
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    pub(super) lead: String,
    pub(super) blocks: Vec<Block>,
}

pub(super) enum Block {
    Text(String),
    List(Vec<String>),
    /// Something to heed: what it is, and what to do.
    Remark {
        grave: bool,
        text: String,
        advice: String,
    },
    Table(Table),
    /// A few numbers that stand for the whole: name, value, what it means.
    Cards(Vec<[String; 3]>),
    /// A plot, and its numbers where no other table has them.
    Figure(Plot, Table),
    /// Items with their pictures, where they are pictures: one for each row of the table.
    Gallery {
        title: String,
        table: Table,
        pictures: Vec<Vec<u8>>,
    },
    Code(String),
}

/// Words in the first column, numbers in the others.
#[derive(Clone, Default)]
pub(super) struct Table {
    pub(super) head: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
}

impl Table {
    pub(super) fn new<const N: usize>(head: [&str; N]) -> Self {
        Self { head: head.map(str::to_owned).to_vec(), rows: Vec::new() }
    }

    pub(super) fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.rows.push(Vec::from(cells));
    }
}

/// A number with three decimals, never minus nothing.
pub(super) fn decimals(value: f64) -> String {
    let text = format!("{value:.3}");
    if text == "-0.000" { "0.000".into() } else { text }
}
