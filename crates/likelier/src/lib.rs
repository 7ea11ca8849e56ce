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
//! use likelier::{Answers, FitOptions, Method, Prior, Protocol, Rows, Supervision, fit};
//!
//! // Five items with one feature each, and four comparisons: item 4 is likelier than item 0, …
//! let rows = Rows::from_numbers(vec![0.1, 0.4, 0.5, 0.8, 0.9], 1)?;
//! let answers = Answers::from_iter([(4, 0), (3, 1), (3, 0), (4, 2)]);
//! let supervision = Supervision::new(answers).protocol(Protocol::FORCED_CHOICE).prior(Prior::new(0.5)?);
//!
//! // Four are too few to judge the classifier as well, so none is held out.
//! let fitted = fit(&rows, &supervision, &FitOptions::new().method(Method::PcompRelu).hold_out(0.0))?;
//! let scores = fitted.classifier.scores(&rows)?;
//! assert!(scores[4] > scores[0]);
//! # Ok::<(), likelier::Error>(())
//! ```
//!
//! A risk needs scores only, and gives back its derivative by each of them ([`risk::Objective`]), so it can drive
//! any model. Without the feature `engine` there are the algebra, the risks and the estimates from scores alone.

#![deny(clippy::print_stdout, clippy::print_stderr)]
#![cfg_attr(not(feature = "engine"), allow(dead_code, reason = "used by the engine"))]

pub mod data;
mod error;
pub mod estimate;
pub mod evaluate;
#[cfg(feature = "engine")]
mod executor;
#[cfg(feature = "engine")]
#[doc(hidden)]
pub mod files;
#[cfg(feature = "engine")]
mod fit;
pub mod generate;
#[cfg(feature = "engine")]
#[doc(hidden)]
pub mod lock;
#[cfg(feature = "engine")]
pub mod model;
pub mod next;
#[cfg(feature = "engine")]
#[doc(hidden)]
pub mod nn;
mod numerics;
mod prior;
mod protocol;
#[doc(hidden)]
pub mod random;
mod replies;
pub mod risk;
#[cfg(feature = "engine")]
pub mod shards;
mod split;
mod supervision;
#[cfg(feature = "engine")]
#[doc(hidden)]
pub mod train;
#[cfg(feature = "engine")]
pub mod trial;
#[cfg(feature = "engine")]
mod warning;
#[doc(hidden)]
pub mod words;

pub use data::{Answers, Comparisons, Label, Rows};
pub use error::Error;
#[cfg(feature = "engine")]
pub use executor::{Executor, Threads};
#[cfg(feature = "engine")]
pub use fit::{
    Assessment, AtPrior, BelievedPrior, Checkup, ClassRecall, Epoch, Event, FitOptions, Fitted,
    FittedQuestions, Grounds, Judged, JudgedBy, JudgedClasses, LEVEL, LabelAudit, Observer, ProtocolCheck,
    Question, ScorerOptions, check, check_with, estimate_prior, estimate_prior_with, fit, fit_questions,
    fit_questions_with, fit_with,
};
#[cfg(feature = "engine")]
pub use model::{Architecture, Classifier, Classifiers, ModelFile, ModelKind};
pub use prior::Prior;
#[doc(hidden)]
pub use protocol::Orientation;
pub use protocol::{Collection, Mixture, NoiseRates, Protocol};
pub use replies::{
    Acceptance, RateSource, Reply, ReplyEstimate, ReplyModel, ReplyRates, TieIntervals, TieRates,
};
pub use risk::Method;
pub use split::{Split, resample_to_prior};
pub use supervision::{ERROR_AT_MOST, Equals, Evidence, LabelsChosen, Supervision};
#[cfg(feature = "engine")]
pub use train::{Control, EpochSummary, Fallback, Phase};
#[cfg(feature = "engine")]
pub use warning::{Unjudged, Warning};

/// The examples of this crate's page are tests.
#[cfg(all(doctest, feature = "engine"))]
#[doc = include_str!("../README.md")]
struct Readme;
