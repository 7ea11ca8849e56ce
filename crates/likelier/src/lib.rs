//! A yes/no classifier from "this one is likelier" comparisons, without a single label.
//!
//! The method is that of *Pointwise Binary Classification with Pairwise Confidence Comparisons* (Feng
//! et al., ICML 2021). Each theorem of the paper is a small piece of this library; `PAPER.md` in the
//! repository says which.
//!
//! ```text
//!  prior π ─┐
//!           ├─► Protocol ──► Mixture ──► RiskTable ─┐
//!  how the  │   acceptance   θ₊, θ₋      unbiased    │
//!  pairs    │   matrix       Theorem 2   Theorem 3   ├─► Objective ──► train ──► Classifier
//!  came to  ┘                   └──────► NoiseRates ─┘   scores ↦       Adam      scores, labels
//!  be                                    Theorem 5, 6    risk, d/d score
//! ```
//!
//! # Glossary
//!
//! | word | meaning |
//! |---|---|
//! | comparison (x, x′) | x was said to be at least as likely positive as x′ |
//! | piles | all the x ("likelier") and all the x′ ("other") |
//! | [`Prior`] | π = P(y = +1), the share of positives in the population |
//! | [`Protocol`] | what became of the pairs that were shown: which were kept, and in which order |
//! | [`Mixture`] | θ₊ and θ₋, the shares of positives inside the two piles |
//! | contrast | θ₊ − θ₋, how much a comparison tells |
//! | score | the model's output; positive above the threshold |
//!
//! # Quick start
//!
//! ```
//! use likelier::data::{Comparisons, Rows};
//! use likelier::train::{Config, Data, train};
//! use likelier::{Method, Prior, Protocol};
//!
//! let rows = Rows::from_numbers(vec![0.1, 0.4, 0.5, 0.8, 0.9], 1)?;
//! let comparisons = Comparisons::from_iter([(4, 0), (3, 1), (3, 0), (4, 2)]);
//! let config = Config::new(Method::PcompRelu, Prior::new(0.5)?, Protocol::FORCED_CHOICE);
//! let data = Data { rows: &rows, piles: comparisons.piles(), labels: None };
//! let classifier = train(&data, &config, |_, _| Ok(()))?;
//! assert!(classifier.scores(&rows, &[4])? > classifier.scores(&rows, &[0])?);
//! # Ok::<(), likelier::Error>(())
//! ```

#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod data;
mod error;
pub mod estimate;
pub mod evaluate;
pub mod files;
pub mod model;
pub mod nn;
mod prior;
mod protocol;
pub mod random;
pub mod risk;
pub mod train;
pub mod trial;

pub use error::Error;
pub use model::Classifier;
pub use prior::Prior;
pub use protocol::{Collection, Mixture, NoiseRates, Orientation, Protocol};
pub use risk::Method;

/// The README's examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
