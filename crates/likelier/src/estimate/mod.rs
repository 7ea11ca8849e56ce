//! Knowing without labels: how good a classifier is, what share is positive, and whether the comparisons
//! fit the model the method assumes — each with its interval.

mod interval;
pub mod metrics;
mod normal;

pub use interval::Interval;
