//! Everything that may be said about answers: its code, how much it matters, and its place in the headline. Its words
//! are in `words.rs`, and all of it is nowhere else.

use super::findings::Severity;
use crate::estimate::Interval;
#[cfg(feature = "engine")]
use crate::estimate::LearnedFrom;

/// Fewer comparisons than this rarely tell the prior or the protocol.
pub(super) const FEW: usize = 1000;

/// One thing to say, with its data.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Remark {
    FewComparisons {
        comparisons: usize,
    },
    WithItself {
        comparisons: usize,
    },
    Pasted {
        rows: usize,
        first: usize,
        again: usize,
    },
    AskedOnce,
    RepeatedPairs {
        repeated: usize,
        pairs: usize,
    },
    Contradictions {
        contradicted: usize,
        asked: usize,
        differ: usize,
    },
    NoCycles,
    Cycles {
        knots: usize,
        largest: usize,
        share: f64,
    },
    NeverCompared {
        never: usize,
        items: usize,
    },
    Islands {
        islands: usize,
        largest: usize,
    },
    Grouped {
        groups: usize,
        by_islands: bool,
    },
    NoAnnotators,
    OneAnnotator,
    OneAnswerEach,
    NothingShared,
    Agreement(Interval),
    StandsOut {
        name: String,
        how: Unlike,
        share: f64,
        others: f64,
        of: usize,
        by_features: bool,
    },
    Copied {
        names: [String; 2],
        agree: f64,
        of: usize,
        others: Option<f64>,
    },
    NoTies,
    NoTieSeen,
    Ties {
        share: f64,
    },
    NoSides,
    NoLeaning,
    Leaning {
        left: Interval,
        who: Option<String>,
    },
    OneKey {
        name: Option<String>,
        times: usize,
    },
    NoTimes,
    TimesUnreadable {
        example: String,
    },
    TooFast {
        name: String,
        seconds: f64,
        others: f64,
    },
    Drift {
        what: &'static str,
        early: f64,
        late: f64,
    },
    Coins {
        ordered: Interval,
        agreement: Interval,
    },
    Unexplained {
        ordered: Interval,
        consistent: bool,
    },
    NotShown {
        ordered: Interval,
    },
    Graded {
        evidence: Vec<GradingEvidence>,
    },
    Contradicted {
        words: String,
    },
    ErrsMore {
        stated: f64,
        found: Interval,
    },
    #[cfg(feature = "engine")]
    Sampled(LearnedFrom),
}

/// How somebody differs from the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unlike {
    /// Errs more often.
    Careless,
    /// Answers hardly depend on the items.
    Coin,
    /// Answers the other way round.
    Contrary,
}

/// What shows that items of one class were not ordered by a coin.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum GradingEvidence {
    /// Orders are not additive.
    Additivity { probability: f64 },
    /// Answers to one pair agree more often than they could.
    Agreement { found: Interval, most: f64, pairs: usize },
    /// Triples run in a circle less often than they must.
    Triples { found: Interval, least: f64 },
}

impl Remark {
    /// A short fixed name.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::FewComparisons { .. } => "few-comparisons",
            Self::WithItself { .. } => "item-with-itself",
            Self::Pasted { .. } => "pasted-rows",
            Self::AskedOnce => "asked-once",
            Self::RepeatedPairs { .. } => "repeated-pairs",
            Self::Contradictions { .. } => "contradictions",
            Self::NoCycles => "no-cycles",
            Self::Cycles { .. } => "cycles",
            Self::NeverCompared { .. } => "never-compared",
            Self::Islands { .. } => "islands",
            Self::Grouped { .. } => "grouped",
            Self::NoAnnotators => "no-annotators",
            Self::OneAnnotator => "one-annotator",
            Self::OneAnswerEach => "one-answer-each",
            Self::NothingShared => "nothing-shared",
            Self::Agreement(_) => "agreement",
            Self::StandsOut { .. } => "annotator-stands-out",
            Self::Copied { .. } => "copied-annotator",
            Self::NoTies => "no-ties",
            Self::NoTieSeen => "no-tie-seen",
            Self::Ties { .. } => "ties",
            Self::NoSides => "no-sides",
            Self::NoLeaning => "no-leaning",
            Self::Leaning { who: None, .. } => "leaning",
            Self::Leaning { who: Some(_), .. } => "leaning-annotator",
            Self::OneKey { .. } => "one-key",
            Self::NoTimes => "no-times",
            Self::TimesUnreadable { .. } => "times-unreadable",
            Self::TooFast { .. } => "too-fast",
            Self::Drift { .. } => "drift",
            Self::Coins { .. } => "coin-tosses",
            Self::Unexplained { .. } => "unexplained",
            Self::NotShown { .. } => "not-shown",
            Self::Graded { .. } => "graded",
            Self::Contradicted { .. } => "protocol-contradicted",
            Self::ErrsMore { .. } => "labeller-error",
            #[cfg(feature = "engine")]
            Self::Sampled(_) => "scorers-sampled",
        }
    }

    /// How much it matters.
    pub(crate) fn severity(&self) -> Severity {
        match self {
            Self::WithItself { .. }
            | Self::Coins { .. }
            | Self::Unexplained { .. }
            | Self::Contradicted { .. }
            | Self::StandsOut { how: Unlike::Coin | Unlike::Contrary, .. } => Severity::Serious,
            // Two of three to one side: every third answer is not about the items.
            Self::Leaning { left, .. } if (left.value - 0.5).abs() >= 0.15 => Severity::Serious,
            Self::FewComparisons { .. }
            | Self::Pasted { .. }
            | Self::StandsOut { .. }
            | Self::Copied { .. }
            | Self::Leaning { .. }
            | Self::OneKey { .. }
            | Self::TooFast { .. }
            | Self::Drift { .. }
            | Self::NotShown { .. }
            | Self::Graded { .. }
            | Self::ErrsMore { .. } => Severity::Warning,
            _ => Severity::Note,
        }
    }

    /// Its place among what a user must know first, from 0; none if it is nothing for a headline.
    pub(crate) fn place(&self) -> Option<usize> {
        let order = [
            "coin-tosses",
            "unexplained",
            "pasted-rows",
            "copied-annotator",
            "graded",
            "leaning-annotator",
            "annotator-stands-out",
            "one-key",
            "too-fast",
            "leaning",
            "drift",
            "labeller-error",
            "protocol-contradicted",
            "item-with-itself",
            "not-shown",
            "grouped",
        ];
        order.iter().position(|code| *code == self.code())
    }
}
