//! Knowing without labels: how good a classifier is, what share is positive, and whether the comparisons
//! fit the model the method assumes — each with its interval.

mod additivity;
pub mod calibration;
mod components;
pub mod diagnosis;
pub(crate) mod distribution;
mod folds;
mod interval;
pub mod labeller;
pub mod metrics;
pub mod planning;
pub mod prior;
mod protocol_test;
mod ranked;
pub mod selection;
mod tails;

pub use additivity::Additivity;
pub use folds::{CrossFit, Folds, Grouping, HeldOutScores, cross_fit, scorer};
pub use interval::Interval;
pub use protocol_test::{ProtocolTest, Verdict};
pub use ranked::FEWEST;
pub use tails::{TailRatio, Tails, containment, mixture_of};
