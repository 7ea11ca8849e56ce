//! Knowing without labels: how good a classifier is, what share is positive, and whether the comparisons
//! fit the model the method assumes — each with its interval.

pub mod calibration;
mod interval;
pub mod metrics;
mod normal;
pub mod planning;

pub use interval::Interval;
