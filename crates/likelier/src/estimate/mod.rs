//! Knowing without labels: how good a classifier is, what share is positive, and whether the comparisons
//! fit the model the method assumes — each with its interval.

mod components;
mod distribution;
mod folds;
mod interval;
pub mod prior;
mod ranked;
mod tails;

pub use folds::{CrossFit, Folds, Grouping, HeldOutScores, cross_fit, scorer};
pub use interval::Interval;
pub use tails::{TailRatio, Tails, containment, mixture_of};
