//! What a page consists of, whichever form it takes: HTML that needs nothing else, or Markdown.
//!
//! In words, `code` stands between backticks.

mod html;
mod markdown;
mod names;

pub use html::{GENERATOR, page};
pub use markdown::text;
pub use names::told_apart;

use crate::plot::{Panels, Plot};

/// A report: its title, what it is about, and its sections.
pub struct Document {
    pub title: String,
    pub subtitle: String,
    pub sections: Vec<Section>,
}

/// A section opens with a sentence that says what it is for.
pub struct Section {
    /// The name that links use.
    pub id: &'static str,
    pub title: &'static str,
    pub lead: String,
    pub blocks: Vec<Block>,
}

/// A part of a section.
pub enum Block {
    /// What the next blocks are about.
    Heading(String),
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
    /// Several plots of one kind, and the file beside a Markdown page that shows them.
    Panels(Panels, &'static str),
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
pub struct Table {
    pub head: Vec<String>,
    pub rows: Vec<Vec<TableCell>>,
}

impl Table {
    pub fn new<const N: usize>(head: [&str; N]) -> Self {
        Self::with_head(head.map(str::to_owned).to_vec())
    }

    pub fn with_head(head: Vec<String>) -> Self {
        Self { head, rows: Vec::new() }
    }

    pub fn row(&mut self, cells: impl IntoIterator<Item = impl Into<TableCell>>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }
}

/// One cell of a table: its text and, where it is compared with something, with what and how it compares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableCell {
    pub text: String,
    pub strong: bool,
    /// The whole, where the text is only a part of it; nothing if empty.
    pub title: String,
    /// What it is compared with; nothing if empty.
    pub beside: String,
    pub sign: Option<Sign>,
}

impl From<String> for TableCell {
    fn from(text: String) -> Self {
        Self { text, ..Self::default() }
    }
}

impl TableCell {
    /// Its text and what it is compared with, the sign behind the last of them.
    fn parts(&self) -> (String, String) {
        let sign = self.sign.map(|sign| format!(" {}", sign.symbol())).unwrap_or_default();
        if self.beside.is_empty() {
            (self.text.clone() + &sign, String::new())
        } else {
            (self.text.clone(), self.beside.clone() + &sign)
        }
    }
}

/// How a number compares with another, in a form that needs no colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    Above,
    Below,
    Agrees,
    Unknown,
}

impl Sign {
    fn symbol(self) -> char {
        match self {
            Self::Above => '▲',
            Self::Below => '▼',
            Self::Agrees => '=',
            Self::Unknown => '?',
        }
    }

    /// As the style sheet calls it.
    fn class(self) -> &'static str {
        match self {
            Self::Above => "above",
            Self::Below => "below",
            Self::Agrees => "agrees",
            Self::Unknown => "unknown",
        }
    }
}

/// A number with three decimals, never minus nothing.
pub fn decimals(value: f64) -> String {
    let text = format!("{value:.3}");
    if text == "-0.000" { "0.000".into() } else { text }
}
