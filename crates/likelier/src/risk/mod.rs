//! Empirical risks: what a model is trained to make small, from comparisons alone.
//!
//! A risk needs scores and nothing else, and gives back its derivative by each score. It never sees a
//! model, so any model that can follow such a gradient can be trained with it.
//!
//! - [`Pointwise`]: each row on its own, through a [`RiskTable`] (Theorems 3 and 6, Noisy-Unbiased,
//!   Binary-Biased, PU, UU) or through known targets, with a [`Correction`] and a consistency term;
//! - [`OrientationLikelihood`] and [`RankNet`]: each comparison as a pair;
//! - [`PairPosterior`]: what a comparison says of its two labels, as targets for a pointwise risk.
//!
//! [`Method`] lists the named compositions.

mod correction;
mod loss;
mod method;
mod pairwise;
mod piles;
mod pointwise;
mod posterior;
#[doc(hidden)]
pub mod progressive;
mod table;

pub use correction::Correction;
pub use loss::Loss;
#[doc(hidden)]
pub use loss::{LossAt, sigmoid};
pub use method::Method;
#[doc(hidden)]
pub use method::{Composition, Setting, ThresholdRule};
pub use pairwise::{OrientationLikelihood, RankNet};
pub use piles::{PileOf, least_variance};
#[doc(hidden)]
pub use pointwise::Coefficients;
pub use pointwise::Pointwise;
pub use posterior::PairPosterior;
pub use table::RiskTable;

use crate::data::Pile;
use crate::error::Error;

/// A risk as a function of scores.
pub trait Objective: Send + Sync {
    /// The risk of a batch; its derivative by each score goes to `gradients`.
    ///
    /// A pile without rows, or whose weights are all 0, contributes nothing.
    fn evaluate(&self, batch: &Batch<'_>, gradients: &mut Gradients) -> Result<Evaluation, Error>;
}

/// The scores of one pile, and what else is known of its rows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Side<'a> {
    /// The model's scores.
    pub scores: &'a [f32],
    /// How much each row counts; equally if absent. Means are weighted means.
    pub weights: Option<&'a [f32]>,
    /// Which rows rank pruning kept; all if absent. A dropped row still counts in the pile's size.
    pub selected: Option<&'a [bool]>,
    /// P(y = +1) of each row, for objectives that are given it.
    pub targets: Option<&'a [f32]>,
    /// The coefficients of each row's losses at +1 and at −1, where rows lie in more than the two piles; averaged over
    /// all rows, in the place of a table.
    pub coefficients: Option<&'a [[f32; 2]]>,
    /// The teacher's scores, for the consistency term.
    pub teacher: Option<&'a [f32]>,
}

impl<'a> Side<'a> {
    /// A pile of which only the scores are known.
    pub fn of_scores(scores: &'a [f32]) -> Self {
        Self { scores, ..Self::default() }
    }

    fn weight(&self, row: usize) -> f64 {
        self.weights.map_or(1.0, |weights| f64::from(weights[row]))
    }

    fn is_selected(&self, row: usize) -> bool {
        self.selected.is_none_or(|selected| selected[row])
    }

    /// The pile's size, counted in weights.
    fn size(&self) -> f64 {
        self.weights
            .map_or(self.scores.len() as f64, |weights| weights.iter().map(|w| f64::from(*w)).sum())
    }

    fn check(&self) -> Result<(), Error> {
        let lengths = [
            ("weights", self.weights.map(<[_]>::len)),
            ("selection marks", self.selected.map(<[_]>::len)),
            ("targets", self.targets.map(<[_]>::len)),
            ("coefficients", self.coefficients.map(<[_]>::len)),
            ("teacher scores", self.teacher.map(<[_]>::len)),
        ];
        for (right, length) in lengths {
            if let Some(right_count) = length.filter(|length| *length != self.scores.len()) {
                return Err(Error::mismatch("scores", self.scores.len(), right, right_count));
            }
        }
        Ok(())
    }
}

/// The scores of both piles, aligned where they are pairs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Batch<'a> {
    /// The likelier pile.
    pub likelier: Side<'a>,
    /// The other pile.
    pub other: Side<'a>,
}

impl<'a> Batch<'a> {
    /// A batch of which only the scores are known.
    pub fn of_scores(likelier: &'a [f32], other: &'a [f32]) -> Self {
        Self { likelier: Side::of_scores(likelier), other: Side::of_scores(other) }
    }

    fn sides(&self) -> [&Side<'a>; 2] {
        [&self.likelier, &self.other]
    }

    fn rows(&self) -> usize {
        self.likelier.scores.len() + self.other.scores.len()
    }

    fn check(&self) -> Result<(), Error> {
        self.likelier.check()?;
        self.other.check()
    }
}

/// The derivative of a risk by each score: likelier pile first, then the other. Reused between batches.
#[derive(Clone, Debug, Default)]
pub struct Gradients {
    values: Vec<f32>,
    likelier: usize,
    /// The share of the gradient that goes through the loss at −1, until its slope is known.
    negative_column: Vec<f32>,
    /// What each pair adds to the value.
    of_pairs: Vec<f64>,
}

impl Gradients {
    /// Both piles in one slice: the likelier pile, then the other.
    pub fn all(&self) -> &[f32] {
        &self.values
    }

    /// One pile's.
    pub fn of(&self, pile: Pile) -> &[f32] {
        let (likelier, other) = self.values.split_at(self.likelier);
        match pile {
            Pile::Likelier => likelier,
            Pile::Other => other,
        }
    }

    /// Makes room for a batch, filled with zeros.
    fn reset(&mut self, batch: &Batch<'_>) {
        self.likelier = batch.likelier.scores.len();
        self.values.clear();
        self.values.resize(batch.rows(), 0.0);
    }
}

/// A risk, and what it is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evaluation {
    /// The value that the gradient belongs to.
    pub value: f64,
    /// For pointwise risks, the columns of loss at +1 and at −1 before correction: a negative one is
    /// where a correction bites.
    pub columns: Option<[f64; 2]>,
    /// The weighted consistency term, contained in `value`.
    pub consistency: f64,
}
