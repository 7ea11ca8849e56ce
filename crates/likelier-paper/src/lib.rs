//! The experiments of *Pointwise Binary Classification with Pairwise Confidence Comparisons* (Feng et al., ICML
//! 2021) with [`likelier`]: the data sets of the paper ([`benchmark`]) and one trial on one of them ([`trial`]).
//!
//! The program `likelier-paper` fetches the data sets, and runs all trials of a table or a figure.

#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod benchmark;
pub mod read;
pub mod trial;

#[cfg(test)]
use likelier_tables::TableError;

/// Shared with the tests of the other readers.
#[cfg(test)]
#[path = "../../likelier-tables/src/fixture.rs"]
mod fixture;
