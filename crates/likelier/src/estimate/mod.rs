//! Knowing without labels: how good a classifier is, what share is positive, and whether the comparisons
//! fit the model the method assumes — each with its interval.

mod additivity;
#[cfg(feature = "engine")]
pub mod calibration;
mod components;
#[cfg(feature = "engine")]
mod cross_fit;
pub mod diagnosis;
pub(crate) mod distribution;
pub(crate) mod dyads;
mod folds;
#[cfg(feature = "engine")]
pub mod importance;
mod interval;
pub mod labeller;
pub mod metrics;
mod moments;
pub mod planning;
pub mod prior;
mod protocol_test;
mod ranked;
#[cfg(feature = "engine")]
pub mod selection;
mod tails;
#[cfg(test)]
mod tests;

pub use additivity::Additivity;
#[cfg(feature = "engine")]
#[doc(hidden)]
pub use cross_fit::{CrossFit, LearnedFrom, cross_fit, scorer};
#[cfg(feature = "engine")]
pub(crate) use cross_fit::{cross_fit_from, enough};
#[doc(hidden)]
pub use folds::{Folds, HeldOutScores};
pub use interval::Interval;
#[cfg(feature = "engine")]
pub(crate) use protocol_test::REFUTED;
pub use protocol_test::{ProtocolTest, Verdict};
pub use ranked::FEWEST;
#[doc(hidden)]
pub use tails::{TailRatio, Tails, containment, mixture_of};
