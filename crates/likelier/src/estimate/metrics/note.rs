//! What stands in the way of taking estimates at face value, in words.

use std::fmt;

use serde::Serialize;

use super::{HeldOut, MetricOptions};
use crate::data::Pile;

/// A reason to read estimates with care.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum Note {
    /// Every score is the same.
    EqualScores {
        /// It.
        score: f32,
    },
    /// In a pile nearly everything is called alike.
    FewCalls {
        /// The pile.
        pile: Pile,
        /// How many are called positive.
        positive: usize,
        /// How many are called negative.
        negative: usize,
    },
    /// The share called positive cannot be told from 0.
    NoPrecision,
    /// The comparisons were generated with exact class counts.
    ExactCounts,
}

/// With fewer calls of a kind in a pile, the normal approximation is rough.
const FEW: usize = 5;

impl Note {
    /// Its name in machine-readable output.
    pub fn code(&self) -> &'static str {
        match self {
            Self::EqualScores { .. } => "equal-scores",
            Self::FewCalls { .. } => "few-calls",
            Self::NoPrecision => "no-precision",
            Self::ExactCounts => "exact-counts",
        }
    }
}

impl Note {
    /// What to do about it, in whole sentences.
    pub fn advice(&self) -> &'static str {
        match self {
            Self::ExactCounts => {
                "Nothing to do: the true intervals are a little narrower than those shown."
            }
            _ => {
                "Hold out more comparisons (`hold-out`), or collect more; `plan` says how many are enough."
            }
        }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EqualScores { score } => write!(
                f,
                "all scores are {score}: every item is called the same, and the ranking says nothing"
            ),
            Self::FewCalls { pile, positive, negative } => write!(
                f,
                "in the {pile} pile {positive} are called positive and {negative} negative; with fewer than \
                 {FEW} of a kind, intervals are rough"
            ),
            Self::NoPrecision => f.write_str(
                "the share of the population called positive cannot be distinguished from 0, so precision cannot \
                 be estimated",
            ),
            Self::ExactCounts => f.write_str(
                "the comparisons were generated with exact class counts, so intervals hold the truth \
                 more often than their level says",
            ),
        }
    }
}

/// What there is to say about held-out scores.
pub(super) fn notes(held_out: &HeldOut<'_>, judging: &MetricOptions, has_precision: bool) -> Vec<Note> {
    let mut notes = Vec::new();
    let first = held_out.iter().next().map_or(0.0, |(_, _, score)| score);
    if held_out.iter().all(|(_, _, score)| score == first) {
        notes.push(Note::EqualScores { score: first });
    } else {
        for (at, pile) in Pile::BOTH.into_iter().enumerate() {
            let called = |positive: bool| {
                let of_pile = held_out.iter().filter(|(pile, _, _)| *pile == at);
                of_pile.filter(|(_, _, score)| (*score > judging.threshold) == positive).count()
            };
            let (positive, negative) = (called(true), called(false));
            if positive.min(negative) < FEW {
                notes.push(Note::FewCalls { pile, positive, negative });
            }
        }
    }
    if !has_precision {
        notes.push(Note::NoPrecision);
    }
    if judging.exact_counts {
        notes.push(Note::ExactCounts);
    }
    notes
}
