//! Rows, true labels, and what people said about them.
//!
//! The true label of a row ([`Label`]) and the pile in which it was observed ([`Pile`]) are different
//! things and different types. Training sees piles only.

mod answers;
mod comparisons;
mod features;
mod hashing;
#[cfg(feature = "engine")]
mod hold_out;
mod missing;
#[doc(hidden)]
pub mod moments;
mod questions;
mod repeats;
mod rows;
mod sparse;
mod texts;

use std::fmt;

use serde::Serialize;

use crate::error::Error;

pub use answers::{Annotators, Answers, PairGroups, ShownSide};
#[doc(hidden)]
pub use comparisons::Piles;
pub(crate) use comparisons::{AnswerGroups, Told, check_items};
pub use comparisons::{Comparisons, LoosePiles};
pub use features::{Column, Features, NumberRule};
pub use hashing::TextRule;
#[cfg(feature = "engine")]
pub(crate) use hold_out::{ItemRule, Reach, answered_pairs, hold_out_items, items_recur};
pub use missing::{MISSING_TEXTS, MissingCells, is_missing};
pub use questions::Questions;
pub(crate) use repeats::{AskedPairs, map_each, sort};
#[doc(hidden)]
pub use repeats::{RepeatCount, Repeats};
#[cfg(feature = "engine")]
pub(crate) use rows::Cells;
pub use rows::Rows;
#[doc(hidden)]
pub use rows::Values;
pub use sparse::SparseRows;
pub use texts::Texts;

/// The true class of a row: known to whoever judges a classifier, never to training.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Label {
    /// y = +1.
    Positive,
    /// y = −1.
    Negative,
}

impl Label {
    /// Positive when `positive` holds.
    pub fn positive_if(positive: bool) -> Self {
        if positive { Self::Positive } else { Self::Negative }
    }

    /// Whether this is the positive class.
    pub fn is_positive(self) -> bool {
        self == Self::Positive
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_positive() { "positive" } else { "negative" })
    }
}

/// The side of a comparison on which a row was observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pile {
    /// x of a comparison (x, x′): said to be at least as likely positive.
    Likelier,
    /// x′ of a comparison (x, x′).
    Other,
}

impl Pile {
    /// Both piles, in the order in which tables list them.
    pub const BOTH: [Self; 2] = [Self::Likelier, Self::Other];
}

impl fmt::Display for Pile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Likelier => "likelier",
            Self::Other => "other",
        })
    }
}

/// How many of the rows `among` are positive and how many negative.
pub fn class_counts(labels: &[Label], among: &[u32]) -> Result<[usize; 2], Error> {
    check_items("the list of rows", among, labels.len())?;
    let positives = among.iter().filter(|&&row| labels[row as usize].is_positive()).count();
    Ok([positives, among.len() - positives])
}
