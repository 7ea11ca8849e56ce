//! One error type for the whole library.
//!
//! Each message says what is wrong, which value it was, and what is allowed. Advice on what to *do* depends on
//! how the library is used, so each face gives its own.

use std::fmt;
use std::io;
#[cfg(feature = "engine")]
use std::path::Path;
use std::path::PathBuf;

use crate::data::{Label, Pile};
#[cfg(feature = "engine")]
use crate::model::ModelFault;
use crate::words::{by_count, by_count_with, count};

/// Everything that can go wrong in the library.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A class prior outside (0, 1).
    #[error("class prior must lie strictly between 0 and 1, got {value}")]
    Prior {
        /// What was given.
        value: String,
    },

    /// A labeller error outside [0, ½).
    #[error(
        "labeller error must be at least 0 and below 0.5, where comparisons become coin tosses (zero \
         contrast), got {value}"
    )]
    LabellerError {
        /// What was given.
        value: f64,
    },

    /// A share of positives in a pile outside [0, 1].
    #[error("the share of positives in the {pile} pile must lie between 0 and 1, got {value}")]
    PileShare {
        /// Which pile.
        pile: Pile,
        /// What was given.
        value: f64,
    },

    /// θ₊ = θ₋: the piles are alike.
    #[error(
        "zero contrast: both piles hold the same share of positives ({share}), so the comparisons say \
         nothing about the classes"
    )]
    ZeroContrast {
        /// θ₊ = θ₋.
        share: f64,
    },

    /// A name that is not in a fixed list.
    #[error("unknown {kind} '{given}'; known: {}{}", known.join(", "), NearestName(nearest.as_deref()))]
    UnknownName {
        /// What the name should have been a name of.
        kind: &'static str,
        /// What was given.
        given: String,
        /// The most similar known name, if any is similar.
        nearest: Option<String>,
        /// All known names.
        known: Vec<&'static str>,
    },

    /// A setting outside its range.
    #[error("{name} must be {allowed}, got {value}")]
    Setting {
        /// The setting.
        name: &'static str,
        /// What was given.
        value: String,
        /// What is allowed.
        allowed: &'static str,
    },

    /// Exact-count generation asks for more rows of a class than there are.
    #[error(
        "{} without using a row twice {} {needed} {class} {}, but there {} {available}; at most {} possible here",
        count(*pairs, "pair"), by_count(*pairs, "needs", "need"), by_count(*needed, "row", "rows"),
        by_count(*available, "is", "are"), by_count_with(*possible, "pair is", "pairs are")
    )]
    TooFewRows {
        /// Pairs asked for.
        pairs: usize,
        /// The class that runs out.
        class: Label,
        /// Rows needed of it.
        needed: usize,
        /// Rows there are of it.
        available: usize,
        /// The largest number of pairs that both classes allow.
        possible: usize,
    },

    /// Too few rows of a class to draw from.
    #[error(
        "{needed} {class} {} needed to draw from, but there {} {available}",
        by_count(*needed, "row is", "rows are"), by_count(*available, "is", "are")
    )]
    TooFewOfClass {
        /// The class.
        class: Label,
        /// Rows needed of it.
        needed: usize,
        /// Rows there are of it.
        available: usize,
    },

    /// A pile without rows.
    #[error("the {pile} pile is empty: there is nothing to learn from")]
    EmptyPile {
        /// Which pile.
        pile: Pile,
    },

    /// Too few held-out comparisons to judge anything by.
    #[error(
        "{} too few to judge a classifier; at least {needed} are needed",
        by_count_with(*found, "held-out comparison is", "held-out comparisons are")
    )]
    TooFewComparisons {
        /// Comparisons there are; those of weight 0 do not count.
        found: usize,
        /// The fewest that will do.
        needed: usize,
    },

    /// Too few items carry the comparisons to judge anything by.
    #[error(
        "{} compared; at least {needed} are needed",
        by_count_with(
            *found,
            "item is too few to judge a classifier by, however often it was",
            "items are too few to judge a classifier by, however often they were"
        )
    )]
    TooFewItems {
        /// Items that a model can be judged by.
        found: usize,
        /// The fewest that will do.
        needed: usize,
    },

    /// Nearly every pair of the items was asked already.
    #[error("{} wanted, and {left} of all pairs were not asked yet", by_count_with(*wanted, "pair is", "pairs are"))]
    NoPairsLeft {
        /// Pairs that were not asked.
        left: usize,
        /// Pairs that are to be asked.
        wanted: usize,
    },

    /// Too few comparisons for an estimate without labels.
    #[error(
        "{} too few to estimate anything from; at least {needed} are needed",
        by_count_with(*found, "comparison is", "comparisons are")
    )]
    TooFewToEstimate {
        /// Comparisons there are.
        found: usize,
        /// The fewest that will do.
        needed: usize,
    },

    /// Nothing says how the comparisons were collected.
    #[error("it is not known how the comparisons were collected: no protocol was stated")]
    NoProtocol,

    /// Nothing says what share is positive, and piles cannot tell.
    #[error("the share of positives is not known: none was stated, and piles alone do not reveal it")]
    NoPrior,

    /// The comparisons do not tell what share is positive, and nobody else does.
    #[error(
        "these comparisons do not reveal the share of positives: it lies between {low:.2} and {high:.2}{}",
        Because(cause.as_deref())
    )]
    PriorNotKnown {
        /// The least that it may be.
        low: f64,
        /// The most.
        high: f64,
        /// Why the estimate that there is was withheld, where it was.
        cause: Option<String>,
    },

    /// Answers or a model of several questions, where one is needed.
    #[error("there are {} here ({}), and this takes one", count(questions.len(), "question"), listed(questions))]
    SeveralQuestions {
        /// Their names.
        questions: Vec<String>,
    },

    /// A question that nobody answered.
    #[error("there is no question '{given}'; {}", known_questions(known))]
    UnknownQuestion {
        /// What was given.
        given: String,
        /// All that there are.
        known: Vec<String>,
    },

    /// A question with too few answers to learn from.
    #[error(
        "question '{question}' has {}; at least {needed} are needed",
        by_count_with(*found, "answer", "answers")
    )]
    TooFewAnswers {
        /// The question.
        question: String,
        /// Answers there are.
        found: usize,
        /// The fewest that will do.
        needed: usize,
    },

    /// Classes need a question each.
    #[error("classes are the answers to two questions or more, and there {} {found}", by_count(*found, "is", "are"))]
    NoClasses {
        /// Questions there are.
        found: usize,
    },

    /// Shares of classes that do not make a whole.
    #[error(
        "an item is exactly one of the classes, so their shares must sum to 1, but they sum to {sum:.3}"
    )]
    ClassShares {
        /// Their sum.
        sum: f64,
    },

    /// An error in the work on one of several questions.
    #[error("question '{question}': {error}")]
    InQuestion {
        /// The question.
        question: String,
        /// What is wrong.
        error: Box<Error>,
    },

    /// A NaN or infinite score.
    #[error("score {position} (counted from 0) of the {pile} pile is {value}; scores must be finite")]
    Score {
        /// Which pile.
        pile: Pile,
        /// Which of its scores, from 0.
        position: usize,
        /// The value.
        value: f32,
    },

    /// Two lists that belong together differ in length.
    #[error("{left_count} {left} do not match {right_count} {right}")]
    Mismatch {
        /// What the first list holds.
        left: &'static str,
        /// Its length.
        left_count: usize,
        /// What the second list holds.
        right: &'static str,
        /// Its length.
        right_count: usize,
    },

    /// A method that needs the two items of each comparison was given loose piles.
    #[error("{method} uses each comparison as a pair, but the two piles are not paired")]
    NotPaired {
        /// The method.
        method: &'static str,
    },

    /// Piles were given where it must be known what was compared with what.
    #[error("piles do not say what was compared with what, and this needs comparisons")]
    NeedsComparisons,

    /// Rates of ties were stated, and there are no ties.
    #[error("rates of ties are stated, but no answer is a tie")]
    NoTies,

    /// Rates of ties were stated where nothing uses them.
    #[error("rates of ties are stated, but {by} has no use for them")]
    TieRatesUnused {
        /// The protocol, or the method.
        by: &'static str,
    },

    /// An objective that is defined through targets was given none.
    #[error("this objective needs the target P(y = +1) of every row, and none was given")]
    NeedsTargets,

    /// Supervised training was asked for without labels.
    #[error("method 'supervised' is the oracle that sees the true labels, and none were given")]
    NeedsLabels,

    /// An index into the items that points past their end.
    #[error("{what} refers to item {index}, but there {} only {} (counted from 0)", by_count(*items, "is", "are"),
        count(*items, "item"))]
    NoSuchItem {
        /// Whose index it is.
        what: &'static str,
        /// The index.
        index: u32,
        /// The number of items.
        items: usize,
    },

    /// Rows that are not the images a model is made for.
    #[error(
        "the model takes square images, here {} × {} × {} (channels, height, width) = {} numbers, but rows have \
         {features}",
        image[0], image[1], image[2], image[0].saturating_mul(image[1]).saturating_mul(image[2])
    )]
    ImageShape {
        /// Channels, height and width.
        image: [usize; 3],
        /// Numbers in a row.
        features: usize,
    },

    /// Rows that are to be moved as images, and are none.
    #[error("images are to be moved, but rows of {features} numbers are not {}", images(*image))]
    NotImages {
        /// Channels, height and width that are stated; else any square would do.
        image: Option<[usize; 3]>,
        /// Numbers in a row.
        features: usize,
    },

    /// A NaN or infinite feature.
    #[error("row {row}, column {column} (both counted from 0) holds {value}; features must be finite")]
    NotFinite {
        /// Row, from 0.
        row: usize,
        /// Column, from 0.
        column: usize,
        /// The value.
        value: f32,
    },

    /// Scores or risk left the range of finite numbers while training.
    #[error("training broke down in epoch {epoch}, batch {batch}: the {what} is not finite")]
    Diverged {
        /// Epoch, from 1.
        epoch: usize,
        /// Batch within the epoch, from 1.
        batch: usize,
        /// What was not finite.
        what: &'static str,
    },

    /// A run was asked to stop before its end.
    #[error("training was stopped after epoch {epoch}")]
    Stopped {
        /// Epochs done.
        epoch: usize,
    },

    /// A run that cannot fit into memory.
    #[error(
        "training would need {:.1} GiB of memory, and {:.1} GiB are free",
        *needed as f64 / f64::from(1 << 30), *available as f64 / f64::from(1 << 30)
    )]
    Memory {
        /// Bytes needed.
        needed: usize,
        /// Bytes free.
        available: usize,
    },

    /// Threads that could not be started.
    #[error("cannot use {}: {problem}", count(*threads, "thread"))]
    Threads {
        /// How many were asked for.
        threads: usize,
        /// What the system said.
        problem: String,
    },

    /// A file that could not be read or written. Its reason is part of the message, not a further cause.
    #[error("{}: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: io::Error,
    },

    /// A model file that cannot be used.
    #[cfg(feature = "engine")]
    #[error("{}{fault}", Named(path.as_deref()))]
    Model {
        /// The file, if it came from one.
        path: Option<PathBuf>,
        /// What is wrong with it.
        fault: ModelFault,
    },

    /// The state of an earlier run that this one cannot go on from.
    #[error("{}: {problem}", path.display())]
    Checkpoint {
        /// The file.
        path: PathBuf,
        /// Why not.
        problem: &'static str,
    },
}

impl Error {
    /// One error of each kind, for tests of what is said about each. A kind that is not here does not compile.
    #[doc(hidden)]
    #[cfg(feature = "engine")]
    pub fn one_of_each() -> Vec<Self> {
        let path = || PathBuf::from("file");
        crate::one_of_each!(Self:
            Self::Prior { .. } => Self::Prior { value: "1.2".into() },
            Self::LabellerError { .. } => Self::LabellerError { value: 0.6 },
            Self::PileShare { .. } => Self::PileShare { pile: Pile::Other, value: 1.2 },
            Self::ZeroContrast { .. } => Self::ZeroContrast { share: 0.5 },
            Self::UnknownName { .. } => Self::unknown_name("protocol", "coin", vec!["discard"]),
            Self::Setting { .. } => Self::Setting { name: "the seed", value: "-1".into(), allowed: "0 or more" },
            Self::TooFewRows { .. } => {
                Self::TooFewRows { pairs: 9, class: Label::Positive, needed: 9, available: 2, possible: 2 }
            },
            Self::TooFewOfClass { .. } => {
                Self::TooFewOfClass { class: Label::Negative, needed: 2, available: 1 }
            },
            Self::EmptyPile { .. } => Self::EmptyPile { pile: Pile::Likelier },
            Self::TooFewComparisons { .. } => Self::TooFewComparisons { found: 1, needed: 20 },
            Self::TooFewItems { .. } => Self::TooFewItems { found: 1, needed: 20 },
            Self::NoPairsLeft { .. } => Self::NoPairsLeft { left: 1, wanted: 3 },
            Self::TooFewToEstimate { .. } => Self::TooFewToEstimate { found: 1, needed: 20 },
            Self::NoProtocol => Self::NoProtocol,
            Self::NoPrior => Self::NoPrior,
            Self::PriorNotKnown { .. } => Self::PriorNotKnown { low: 0.1, high: 0.9, cause: None },
            Self::SeveralQuestions { .. } => Self::SeveralQuestions { questions: vec!["a".into(), "b".into()] },
            Self::UnknownQuestion { .. } => {
                Self::UnknownQuestion { given: "c".into(), known: vec!["a".into(), "b".into()] }
            },
            Self::TooFewAnswers { .. } => Self::TooFewAnswers { question: "a".into(), found: 1, needed: 20 },
            Self::NoClasses { .. } => Self::NoClasses { found: 0 },
            Self::ClassShares { .. } => Self::ClassShares { sum: 1.3 },
            Self::InQuestion { .. } => Self::InQuestion {
                question: "a".into(),
                error: Box::new(Self::Setting { name: "a column of an ONNX model", value: "b".into(), allowed: "a number" }),
            },
            Self::Score { .. } => Self::Score { pile: Pile::Other, position: 0, value: f32::NAN },
            Self::Mismatch { .. } => Self::mismatch("weights", 1, "comparisons", 2),
            Self::NotPaired { .. } => Self::NotPaired { method: "likelihood" },
            Self::NeedsComparisons => Self::NeedsComparisons,
            Self::NoTies => Self::NoTies,
            Self::TieRatesUnused { .. } => Self::TieRatesUnused { by: "discard" },
            Self::NeedsTargets => Self::NeedsTargets,
            Self::NeedsLabels => Self::NeedsLabels,
            Self::NoSuchItem { .. } => Self::NoSuchItem { what: "a comparison", index: 9, items: 1 },
            Self::ImageShape { .. } => Self::ImageShape { image: [3, 4, 4], features: 1 },
            Self::NotImages { .. } => Self::NotImages { image: None, features: 11 },
            Self::NotFinite { .. } => Self::NotFinite { row: 0, column: 0, value: f32::INFINITY },
            Self::Diverged { .. } => Self::Diverged { epoch: 1, batch: 1, what: "risk" },
            Self::Stopped { .. } => Self::Stopped { epoch: 1 },
            Self::Memory { .. } => Self::Memory { needed: 1 << 40, available: 1 << 30 },
            Self::Threads { .. } => Self::Threads { threads: 1 << 20, problem: "too many".into() },
            Self::File { .. } => Self::file(&path(), io::ErrorKind::NotFound.into()),
            Self::Model { fault: ModelFault::NotAModel(_), .. } => {
                Self::Model { path: Some(path()), fault: ModelFault::NotAModel("it is text".into()) }
            },
            Self::Model { fault: ModelFault::Damaged(_), .. } => {
                Self::Model { path: Some(path()), fault: ModelFault::Damaged("it is cut short".into()) }
            },
            Self::Model { fault: ModelFault::Newer { .. }, .. } => {
                Self::Model { path: Some(path()), fault: ModelFault::Newer { format: 9, known: 2 } }
            },
            Self::Model { fault: ModelFault::Several { .. }, .. } => Self::Model {
                path: Some(path()),
                fault: ModelFault::Several { questions: vec!["a".into(), "b".into()] },
            },
            Self::Checkpoint { .. } => Self::Checkpoint { path: path(), problem: "it is of another run" },
        )
    }

    /// A system error on a file.
    #[cfg(feature = "engine")]
    pub(crate) fn file(path: &Path, reason: io::Error) -> Self {
        Self::File { path: path.to_owned(), reason }
    }

    /// Two lists that belong together differ in length.
    #[doc(hidden)]
    pub fn mismatch(
        left: &'static str,
        left_count: usize,
        right: &'static str,
        right_count: usize,
    ) -> Self {
        Self::Mismatch { left, left_count, right, right_count }
    }

    /// The one of `known` that `given` names, in any case and with or without hyphens; else an error
    /// that lists all names.
    #[doc(hidden)]
    pub fn find_by_name<T: Copy>(
        kind: &'static str,
        given: &str,
        known: &[T],
        names: impl Fn(T) -> Vec<&'static str>,
    ) -> Result<T, Self> {
        fn plain(name: &str) -> String {
            name.chars()
                .filter(|c| c.is_alphanumeric())
                .flat_map(char::to_lowercase)
                .collect()
        }
        let wanted = plain(given);
        let named = |one: &&T| names(**one).iter().any(|name| plain(name) == wanted);
        known.iter().find(named).copied().ok_or_else(|| {
            let first = known.iter().filter_map(|one| names(*one).first().copied()).collect();
            Self::unknown_name(kind, given, first)
        })
    }

    /// A name missing from a list, with the nearest of `known`.
    fn unknown_name(kind: &'static str, given: &str, known: Vec<&'static str>) -> Self {
        let lowered = given.to_lowercase();
        let nearest = known
            .iter()
            .map(|name| (strsim::jaro_winkler(&lowered, name), *name))
            .max_by(|a, b| a.0.total_cmp(&b.0))
            .filter(|(similarity, _)| *similarity > 0.7)
            .map(|(_, name)| name.to_owned());
        Self::UnknownName { kind, given: given.to_owned(), nearest, known }
    }
}

/// What rows should be.
fn images(image: Option<[usize; 3]>) -> String {
    match image {
        Some([channels, height, width]) => {
            format!("images of {channels} × {height} × {width} (channels, height, width)")
        }
        None => "square images of 1 or 3 channels".into(),
    }
}

/// Names in a sentence; the first of very many.
fn listed(names: &[String]) -> String {
    const SHOWN: usize = 12;
    let mut shown: Vec<String> = names.iter().take(SHOWN).map(|name| format!("'{name}'")).collect();
    if names.len() > SHOWN {
        shown.push(format!("and {} more", names.len() - SHOWN));
    }
    shown.join(", ")
}

fn known_questions(known: &[String]) -> String {
    if known.is_empty() {
        "the answers are to one question without a name".into()
    } else {
        format!("there are {}", listed(known))
    }
}

struct NearestName<'a>(Option<&'a str>);

impl fmt::Display for NearestName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |name| write!(f, " (did you mean '{name}'?)"))
    }
}

struct Because<'a>(Option<&'a str>);

impl fmt::Display for Because<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |cause| write!(f, ", because {cause}"))
    }
}

#[cfg(feature = "engine")]
struct Named<'a>(Option<&'a Path>);

#[cfg(feature = "engine")]
impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |path| write!(f, "{}: ", path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_name_lists_the_known_ones_and_the_nearest() {
        let error = Error::unknown_name("protocol", "discrad", vec!["discard", "forced-choice"]);
        assert_eq!(
            error.to_string(),
            "unknown protocol 'discrad'; known: discard, forced-choice (did you mean 'discard'?)"
        );
        let error = Error::unknown_name("protocol", "xyz", vec!["discard", "forced-choice"]);
        assert_eq!(error.to_string(), "unknown protocol 'xyz'; known: discard, forced-choice");
    }
}
