//! What a user must be told beside a result. Each warning is a variant with its data; its code, its words and
//! its advice are here and nowhere else.

use std::fmt;

use serde::{Serialize, Serializer, ser::SerializeStruct};

use crate::data::{Label, MissingCells};
use crate::estimate::Interval;
use crate::estimate::calibration::ShiftedOnly;
use crate::estimate::metrics::Wish;
use crate::estimate::prior::PriorEstimator;
use crate::prior::Prior;
use crate::risk::Method;
use crate::train::Fallback;
use crate::words::{by_count, count};

/// A remark that a result needs. As text it is its message; as JSON, its code and its message.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Warning {
    /// Pairs were answered both ways.
    BothOrders {
        /// How many.
        pairs: usize,
        /// The two items of one of them.
        example: [String; 2],
    },
    /// Answers repeat earlier ones.
    RepeatedPairs {
        /// How many.
        answers: usize,
        /// The two items of one of them.
        example: [String; 2],
    },
    /// The data are not all that was published.
    PartialData {
        /// What is missing.
        note: String,
    },
    /// What was stated differs from what the data set says of itself.
    OverridesDataset {
        /// What it is.
        what: &'static str,
        /// What is used.
        used: String,
        /// What the data set says.
        stated: String,
    },
    /// A model is judged under other assumptions than it was trained with.
    DiffersFromModel {
        /// Which assumption.
        what: &'static str,
        /// What it is here.
        here: String,
        /// What it was in training.
        trained: String,
    },
    /// There are no rows to score.
    NoRows,
    /// Rows hold categories that the model has not seen.
    UnseenCategories {
        /// In so many cells.
        cells: usize,
    },
    /// Cells of the items to learn from are missing, and were filled in.
    MissingValues {
        /// How many, by column.
        columns: Vec<MissingCells>,
    },
    /// Cells are missing in columns in which none was when the model was trained.
    MissingUnseen {
        /// How many, by column.
        columns: Vec<MissingCells>,
    },
    /// Features that are numbers of rows.
    NumbersItems {
        /// The columns.
        columns: Vec<String>,
    },
    /// A category that has a value of its own for about every item.
    NamesItems {
        /// The column.
        column: String,
        /// How many values it has.
        values: usize,
        /// How many items there are.
        items: usize,
    },
    /// Items in which every cell is missing.
    EmptyItems {
        /// How many.
        items: usize,
        /// The first of them.
        first: Vec<String>,
    },
    /// The share of positives was not stated, and was estimated.
    PriorEstimated {
        /// The estimate.
        prior: Interval,
        /// Who made it.
        estimator: PriorEstimator,
    },
    /// The share of positives cannot be estimated.
    PriorNotKnown,
    /// The comparisons do not look as the protocol says.
    ProtocolContradicted {
        /// What speaks against it.
        contradiction: String,
    },
    /// An estimate that no classifier can have.
    ImpossibleEstimate {
        /// Of what.
        metric: &'static str,
        /// The estimate.
        estimate: Interval,
    },
    /// The classifier is worse than always giving the same answer.
    WorseThanConstant {
        /// How often it is right.
        accuracy: Interval,
        /// The share of positives.
        prior: Prior,
    },
    /// Nothing shows that the classifier has learnt anything.
    NoBetterThanChance {
        /// Its AUC.
        auc: Interval,
    },
    /// Labels and comparisons cannot both be right about the accuracy.
    LabelsContradict {
        /// What the labels say.
        labels: Interval,
        /// What the comparisons allow.
        without_labels: [f64; 2],
    },
    /// No threshold is sure to give what was wanted.
    WishNotMet {
        /// What was wanted.
        wish: Wish,
    },
    /// More is wrong by leanings to a side alone than was stated.
    PicksBySide {
        /// The share of answers that were given by the side.
        by_side: f64,
        /// The stated error.
        stated: f64,
    },
    /// A column of labels is not used, since it is not known how its items were chosen.
    LabelsSetAside {
        /// The column.
        column: String,
    },
    /// All labels are alike.
    LabelsOfOneClass {
        /// How many there are.
        labels: usize,
        /// What they are.
        class: Label,
    },
    /// Labels were given that cannot judge the classifier.
    LabelsNotUsed,
    /// Nothing is known about the accuracy.
    NotJudged(Unjudged),
    /// Calibration was asked for, and there is nothing to calibrate by.
    NotCalibrated,
    /// Calibration could only shift the scores.
    ShiftedOnly(ShiftedOnly),
    /// Labels do not change where the calibrated probability is ½.
    NotAtHalf {
        /// The probability at the threshold.
        probability: f32,
        /// The score at which it is ½.
        half: f32,
    },
    /// The pair posterior was given up for its warm-up.
    FellBack {
        /// The method that was asked for.
        method: Method,
        /// Why it was given up.
        reason: Fallback,
    },
    /// Two questions are spelled nearly alike.
    QuestionsAlike {
        /// Their names.
        questions: [String; 2],
    },
    /// The shares of classes were estimated, and did not sum to one.
    ClassSharesScaled {
        /// What they and those that were stated summed to.
        sum: f64,
    },
    /// It is not known how often the most likely class is the right one.
    ClassesNotJudged {
        /// Why not.
        reason: String,
    },
    /// A remark on one of several questions.
    OfQuestion {
        /// The question.
        question: String,
        /// The remark.
        warning: Box<Warning>,
    },
}

/// Why nothing is known about the accuracy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unjudged {
    /// No comparisons were set aside.
    NothingHeldOut,
    /// Piles have no pairs to judge by.
    Piles,
    /// Judging failed, for this reason.
    Failed(String),
}

impl From<crate::Error> for Unjudged {
    fn from(error: crate::Error) -> Self {
        Self::Failed(error.to_string())
    }
}

impl Warning {
    /// What to say where label and calibrated probability disagree by more than a hundredth.
    #[cfg(feature = "engine")]
    pub(crate) fn not_at_half(classifier: &crate::model::Classifier) -> Option<Self> {
        let map = classifier.probability();
        let probability = map.of(classifier.threshold());
        ((probability - 0.5).abs() > 0.01)
            .then_some(Self::NotAtHalf { probability, half: -map.offset / map.slope })
    }

    /// A short fixed name that scripts can test for.
    pub fn code(&self) -> &'static str {
        match self {
            Self::BothOrders { .. } => "both-orders",
            Self::RepeatedPairs { .. } => "repeated-pairs",
            Self::PartialData { .. } => "partial-data",
            Self::OverridesDataset { .. } => "overrides-dataset",
            Self::DiffersFromModel { .. } => "differs-from-model",
            Self::NoRows => "no-rows",
            Self::UnseenCategories { .. } => "unseen-categories",
            Self::MissingValues { .. } => "missing-values",
            Self::MissingUnseen { .. } => "missing-unseen",
            Self::NumbersItems { .. } => "numbers-items",
            Self::NamesItems { .. } => "names-items",
            Self::EmptyItems { .. } => "empty-items",
            Self::PriorEstimated { .. } => "prior-estimated",
            Self::PriorNotKnown => "prior-not-known",
            Self::ProtocolContradicted { .. } => "protocol-contradicted",
            Self::ImpossibleEstimate { .. } => "impossible-estimate",
            Self::WorseThanConstant { .. } => "worse-than-constant",
            Self::NoBetterThanChance { .. } => "no-better-than-chance",
            Self::LabelsContradict { .. } => "labels-contradict",
            Self::WishNotMet { .. } => "wish-not-met",
            Self::PicksBySide { .. } => "picks-by-side",
            Self::LabelsSetAside { .. } => "labels-set-aside",
            Self::LabelsOfOneClass { .. } => "labels-of-one-class",
            Self::LabelsNotUsed => "labels-not-used",
            Self::NotJudged(_) => "not-judged",
            Self::NotCalibrated => "not-calibrated",
            Self::ShiftedOnly(_) => "shifted-only",
            Self::NotAtHalf { .. } => "not-at-half",
            Self::FellBack { .. } => "fell-back",
            Self::QuestionsAlike { .. } => "questions-alike",
            Self::ClassSharesScaled { .. } => "class-shares-scaled",
            Self::ClassesNotJudged { .. } => "classes-not-judged",
            Self::OfQuestion { warning, .. } => warning.code(),
        }
    }

    /// Whether the result should not be used before this is settled.
    pub fn is_grave(&self) -> bool {
        if let Self::OfQuestion { warning, .. } = self {
            return warning.is_grave();
        }
        matches!(
            self,
            Self::NotJudged(_)
                | Self::ProtocolContradicted { .. }
                | Self::ImpossibleEstimate { .. }
                | Self::WorseThanConstant { .. }
                | Self::NoBetterThanChance { .. }
                | Self::LabelsContradict { .. }
        )
    }

    /// What to do about it, in whole sentences; empty where there is nothing to do. Options stand in backticks.
    pub fn advice(&self) -> &'static str {
        match self {
            Self::BothOrders { .. } | Self::RepeatedPairs { .. } => {
                "Nothing to do if several people judged the same pairs. Otherwise look for the mistake in the file."
            }
            Self::PartialData { .. } => "",
            Self::OverridesDataset { .. } => "Make sure that dataset.json is the one that is wrong.",
            Self::DiffersFromModel { .. } => {
                "Make sure that these comparisons really come from another population."
            }
            Self::NoRows => "If there should be rows, check that all of the file was exported.",
            Self::UnseenCategories { .. } => "Train again with rows that hold these categories.",
            Self::MissingValues { .. } => {
                "Nothing to do if they are missing in new rows, too. `missing` refuse lists where they are; `exclude` leaves \
                 columns out."
            }
            Self::MissingUnseen { .. } => {
                "Find out why they are missing now. If that is how it will be, train again with such rows."
            }
            Self::NumbersItems { .. } | Self::NamesItems { .. } => {
                "Leave such columns out (`exclude`), or say which of them names the items (`id`)."
            }
            Self::EmptyItems { .. } => "Nothing is known about these items: leave them out.",
            Self::PriorEstimated { .. } => "`sensitivity` shows how much depends on it.",
            Self::PriorNotKnown => "If you know the share of positives from elsewhere, state it (`prior`).",
            Self::ProtocolContradicted { .. } => {
                "Find out which of the pairs that people saw were left out, and state the `protocol` accordingly. `check` \
                 says more. With the wrong protocol every estimate is wrong, too."
            }
            Self::ImpossibleEstimate { .. } => {
                "Check the `prior`, the `protocol` and the labeller's error, and that each comparison names the two items \
                 that were shown together; `check` helps. Do not use these numbers."
            }
            Self::WorseThanConstant { .. } => {
                "Training went wrong: try a smaller `learning-rate`, or `select`."
            }
            Self::NoBetterThanChance { .. } => {
                "Make sure that the first item of each comparison is the likelier one and that ids name the right rows. \
                 Hold out more comparisons (`plan` says how many are enough), or try `model` mlp or other features."
            }
            Self::LabelsContradict { .. } => {
                "Trust the labels if they were drawn at random. Then labellers err more than assumed \
                 (`labeller-error-at-most`), equals were not tossed (`equals`), or the `prior` or the `protocol` is wrong; \
                 `check` helps."
            }
            Self::WishNotMet { .. } => {
                "Ask for less, collect more comparisons (`plan` says how many are enough), or narrow the range: state a \
                 smaller `labeller-error-at-most`, or `equals` coin, if you know that."
            }
            Self::PicksBySide { .. } => {
                "State what is wrong of all answers to mixed pairs (`labeller-error`). Where the side followed what was shown,                  that does not mend the numbers: draw the sides, and ask again."
            }
            Self::LabelsSetAside { .. } => {
                "To judge by it, say how the labelled items were chosen (`labels-chosen`). To make it a feature, name it in \
                 `features`."
            }
            Self::LabelsOfOneClass { .. } => {
                "Make sure that the labels mean what you think. If one class is rare, label more items."
            }
            Self::LabelsNotUsed => {
                "Draw at least ten items at random, label them, and say so (`labels-chosen` random)."
            }
            Self::NotJudged(_) => {
                "Hold out comparisons (`hold-out`), or judge the model by others with `evaluate`; `plan` says how many are \
                 enough."
            }
            Self::NotCalibrated => "Hold out comparisons (`hold-out`) to calibrate with.",
            Self::ShiftedOnly(_) => "Use the probabilities as a ranking, not as frequencies.",
            Self::NotAtHalf { .. } => "`predict` `threshold` cuts where you want it.",
            Self::FellBack { .. } => {
                "More comparisons, `method` likelihood or rank-pruning, or another `learning-rate` may help."
            }
            Self::QuestionsAlike { .. } => {
                "If they are one question, write it in one way in the whole file."
            }
            Self::ClassSharesScaled { .. } => "State the share of each class (`prior`) if you know it.",
            Self::ClassesNotJudged { .. } => {
                "A linear model is judged in folds, which tell it; labels of some items tell it for any model."
            }
            Self::OfQuestion { warning, .. } => warning.advice(),
        }
    }
}

impl fmt::Display for Warning {
    #[allow(clippy::too_many_lines, reason = "one arm for each warning")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let range = |interval: &Interval| {
            let shown = interval.clipped(0.0, 1.0);
            format!("{:.3} to {:.3}", shown.low, shown.high)
        };
        match self {
            Self::BothOrders { pairs, example: [one, two] } => {
                let were = by_count(*pairs, "pair was", "pairs were");
                write!(
                    f,
                    "{pairs} {were} answered both ways, such as '{one}' and '{two}'; all answers are used"
                )
            }
            Self::RepeatedPairs { answers, example: [one, two] } => {
                let repeat = by_count(*answers, "comparison repeats", "comparisons repeat");
                write!(f, "{answers} {repeat} an earlier one, such as '{one}' and '{two}'; all are used")
            }
            Self::PartialData { note } => f.write_str(note),
            Self::OverridesDataset { what, used, stated } => {
                write!(f, "{what} {used} is used, although dataset.json says {stated}")
            }
            Self::DiffersFromModel { what, here, trained } => {
                write!(f, "{what} here is {here}, but the model was trained with {trained}")
            }
            Self::NoRows => f.write_str("the file holds no rows, so there are no scores"),
            Self::UnseenCategories { cells } => {
                let hold = by_count(*cells, "cell holds", "cells hold");
                write!(
                    f,
                    "{cells} {hold} a category that training did not see; it counts as none of the known ones"
                )
            }
            Self::MissingValues { columns } => write!(
                f,
                "{}; numbers become the median, with a feature that says where, and categories one of their own",
                counted(columns)
            ),
            Self::MissingUnseen { columns } => write!(
                f,
                "{}, where none was in training; numbers become the median of training, categories none of the \
                 known ones",
                counted(columns)
            ),
            Self::NumbersItems { columns } => {
                let named = columns.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ");
                let looks = by_count(columns.len(), "feature looks", "features look");
                write!(f, "{} {looks} like row numbers, which say nothing about new items: {named}", columns.len())
            }
            Self::NamesItems { column, values, items } => write!(
                f,
                "the category '{column}' has {values} different values in {items} items: it names them, and says nothing about \
                 new ones"
            ),
            Self::EmptyItems { items, first } => {
                let have = by_count(*items, "item has", "items have");
                let named = first.iter().map(|id| format!("'{id}'")).collect::<Vec<_>>().join(", ");
                let more = if *items > first.len() { ", …" } else { "" };
                write!(f, "{items} {have} nothing but missing values: {named}{more}")
            }
            Self::PriorEstimated { prior, estimator } => write!(
                f,
                "THE SHARE OF POSITIVES IS ESTIMATED: {:.3} ({} with {:.0} % confidence), by {estimator}; state it if you \
                 know it",
                prior.value,
                range(prior),
                100.0 * prior.level
            ),
            Self::PriorNotKnown => f.write_str("the share of positives is NOT known from these data"),
            Self::ProtocolContradicted { contradiction } => f.write_str(contradiction),
            Self::ImpossibleEstimate { metric, estimate } => write!(
                f,
                "THE ESTIMATES CANNOT BE TRUE: {metric} would be {:.2} ({:.2} to {:.2}), so the prior, the protocol or the \
                 labeller's error is not what was stated, labellers ordered items of one class by degree, or items and \
                 comparisons do not belong together",
                estimate.value, estimate.low, estimate.high
            ),
            Self::WorseThanConstant { accuracy, prior } => write!(
                f,
                "the classifier is worse than always answering {}: it is right in {:.3} of cases ({}), \
                 the constant answer in {:.3}",
                if prior.positive() > 0.5 { "positive" } else { "negative" },
                accuracy.value.clamp(0.0, 1.0),
                range(accuracy),
                prior.positive().max(prior.negative())
            ),
            Self::NoBetterThanChance { auc } => write!(
                f,
                "nothing shows that the classifier has learnt to tell the classes apart: its AUC may be 0.5, that of a \
                 coin ({})",
                range(auc)
            ),
            Self::LabelsContradict { labels, without_labels: [low, high] } => write!(
                f,
                "THE LABELS CONTRADICT THE COMPARISONS: by the labels it is right in {:.3} of cases ({}), which the \
                 comparisons do not allow ({:.3} to {:.3})",
                labels.value,
                range(labels),
                low.clamp(0.0, 1.0),
                high.clamp(0.0, 1.0)
            ),
            Self::WishNotMet { wish: Wish::Precision(wanted) } => write!(
                f,
                "no threshold is sure to have a precision of {wanted} or more, so the threshold stays as it was"
            ),
            Self::WishNotMet { wish: Wish::Recall(wanted) } => write!(
                f,
                "no threshold is sure to have a recall of {wanted} or more, so the threshold stays as it was"
            ),
            Self::WishNotMet { wish: Wish::Cost { .. } } => {
                f.write_str("no threshold is sure to cost less than calling every row the same")
            }
            Self::LabelsSetAside { column } => write!(
                f,
                "column '{column}' of the items is taken for true labels: it is no feature, and nothing is judged by it"
            ),
            Self::PicksBySide { by_side, stated } => write!(
                f,
                "{:.0} % of answers were given by the side, so at least {:.0} % of mixed pairs are answered wrongly, not \
                 {:.0} % as stated: numbers without labels come out too low",
                100.0 * by_side,
                50.0 * by_side,
                100.0 * stated
            ),
            Self::LabelsOfOneClass { labels, class } => write!(
                f,
                "{} {class}: {} nothing about the other class, nor about the labellers' error",
                if *labels == 1 { "the one label is".into() } else { format!("all {labels} labels are") },
                by_count(*labels, "it says", "they say")
            ),
            Self::LabelsNotUsed => f.write_str(
                "the labels were not used: they are too few, or were not chosen at random, or their items were trained on",
            ),
            Self::NotJudged(why) => write!(f, "nothing is known about the accuracy: {why}"),
            Self::NotCalibrated => f.write_str(
                "there is nothing to calibrate with: probabilities are those of the plain score",
            ),
            Self::ShiftedOnly(reason) => {
                write!(f, "probabilities were only shifted, not stretched: {reason}")
            }
            Self::NotAtHalf { probability, half } => write!(
                f,
                "labels follow the threshold, where the calibrated probability is {probability:.3}, not 0.5; it is 0.5 at the \
                 score {half:.4}"
            ),
            Self::FellBack { method, reason } => {
                write!(f, "{method} was replaced by the scorer it started from, cut at the prior: {reason}")
            }
            Self::QuestionsAlike { questions: [one, two] } => {
                write!(f, "questions '{one}' and '{two}' differ in capitals or spaces alone; each gets a classifier of its own")
            }
            Self::ClassSharesScaled { sum } => write!(
                f,
                "the shares of the classes summed to {sum:.3}, so those that were estimated were scaled for a sum of 1"
            ),
            Self::ClassesNotJudged { reason } => {
                write!(f, "it is not known how often the most likely class is the right one: {reason}")
            }
            Self::OfQuestion { question, warning } => write!(f, "question '{question}': {warning}"),
        }
    }
}

/// How many cells are missing, in all and in the columns with the most.
fn counted(columns: &[MissingCells]) -> String {
    const SHOWN: usize = 8;
    let cells: usize = columns.iter().map(|column| column.cells).sum();
    let mut most: Vec<&MissingCells> = columns.iter().collect();
    most.sort_by_key(|column| std::cmp::Reverse(column.cells));
    let mut named: Vec<String> = most
        .iter()
        .take(SHOWN)
        .map(|missing| format!("{} in '{}'", missing.cells, missing.column))
        .collect();
    if most.len() > SHOWN {
        named.push(format!("and more in {}", count(most.len() - SHOWN, "other column")));
    }
    format!("{cells} {} missing ({})", by_count(cells, "cell is", "cells are"), named.join(", "))
}

impl fmt::Display for Unjudged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NothingHeldOut => "no comparisons were held out",
            Self::Piles => "piles do not say what was compared with what",
            Self::Failed(reason) => reason,
        })
    }
}

impl Serialize for Warning {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut warning = serializer.serialize_struct("Warning", 2)?;
        warning.serialize_field("code", self.code())?;
        warning.serialize_field("message", &self.to_string())?;
        warning.end()
    }
}
