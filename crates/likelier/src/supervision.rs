//! What is learned from: answers or piles, and what is believed about how they came to be.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::data::{Answers, Comparisons, Label, LoosePiles};
use crate::error::Error;
use crate::prior::Prior;
use crate::protocol::Protocol;
use crate::replies::TieRates;

/// What people said, in one of two forms.
#[derive(Clone, Debug, PartialEq)]
pub enum Evidence {
    /// Which of two items is likelier.
    Answers(Answers),
    /// Two piles that do not say what was compared with what.
    Piles(LoosePiles),
}

impl From<Answers> for Evidence {
    fn from(answers: Answers) -> Self {
        Self::Answers(answers)
    }
}

impl From<LoosePiles> for Evidence {
    fn from(piles: LoosePiles) -> Self {
        Self::Piles(piles)
    }
}

/// How labellers ordered two items of one class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Equals {
    /// By a coin, as Theorem 1 has it: numbers without labels are then points with an interval.
    Coin,
    /// By degree: the better of two good ones first.
    Degree,
    /// That is not known. Numbers without labels are then ranges.
    #[default]
    Unknown,
}

impl Equals {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Coin, Self::Degree, Self::Unknown];

    /// The name used in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Coin => "coin",
            Self::Degree => "degree",
            Self::Unknown => "unknown",
        }
    }
}

impl FromStr for Equals {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        Error::find_by_name("order of equals", text, &Self::ALL, |equals| vec![equals.name()])
    }
}

/// How items that were labelled had been chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LabelsChosen {
    /// At random from the population: they can judge a classifier.
    Random,
    /// In another way, such as those that were easy to label: they cannot.
    Other,
}

impl LabelsChosen {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Random, Self::Other];

    /// The name used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Other => "other",
        }
    }
}

impl FromStr for LabelsChosen {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        Error::find_by_name("way of choosing labels", text, &Self::ALL, |chosen| vec![chosen.name()])
    }
}

/// The share of mixed pairs that labellers are taken to get wrong at the most, where nothing else is stated.
pub const ERROR_AT_MOST: f64 = 0.2;

/// Evidence, and what is believed about it.
///
/// ```
/// use likelier::{Answers, Prior, Protocol, Supervision};
///
/// // Row 4 is likelier than row 0, …
/// let answers = Answers::from_iter([(4, 0), (3, 1), (3, 0), (4, 2)]);
/// let supervision = Supervision::new(answers).protocol(Protocol::FORCED_CHOICE).prior(Prior::new(0.3)?);
/// assert_eq!(supervision.comparisons().map(|all| all.len()), Some(4));
/// # Ok::<(), likelier::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Supervision {
    evidence: Evidence,
    protocol: Option<Protocol>,
    prior: Option<Prior>,
    kept_of_shown: Option<[usize; 2]>,
    exact_counts: bool,
    equals: Equals,
    error_at_most: Option<f64>,
    tie_rates: Option<TieRates>,
    audit: Option<(Vec<Option<Label>>, LabelsChosen)>,
    labels_train: bool,
    labels: Option<Vec<Label>>,
}

impl Supervision {
    /// Evidence of which nothing else is known.
    pub fn new(evidence: impl Into<Evidence>) -> Self {
        Self {
            evidence: evidence.into(),
            protocol: None,
            prior: None,
            kept_of_shown: None,
            exact_counts: false,
            equals: Equals::Unknown,
            error_at_most: None,
            tie_rates: None,
            audit: None,
            labels_train: false,
            labels: None,
        }
    }

    /// States how the pairs were collected.
    #[must_use]
    pub fn protocol(self, protocol: impl Into<Option<Protocol>>) -> Self {
        Self { protocol: protocol.into(), ..self }
    }

    /// States the share of positives in the population; where it is not stated, it is estimated.
    #[must_use]
    pub fn prior(self, prior: impl Into<Option<Prior>>) -> Self {
        Self { prior: prior.into(), ..self }
    }

    /// States how many pairs were kept of how many that were shown.
    #[must_use]
    pub fn kept(self, kept: usize, shown: usize) -> Self {
        Self { kept_of_shown: Some([kept, shown]), ..self }
    }

    /// States that the pairs were generated with fixed class counts: they vary less than independent ones,
    /// and intervals hold the truth more often than their level says.
    #[must_use]
    pub fn exact_counts(self, exact_counts: bool) -> Self {
        Self { exact_counts, ..self }
    }

    /// States how labellers ordered two items of one class.
    #[must_use]
    pub fn equals(self, equals: Equals) -> Self {
        Self { equals, ..self }
    }

    /// States the largest share of mixed pairs that labellers may have got wrong; by default the labeller error
    /// that the protocol states, or [`ERROR_AT_MOST`] if it states none.
    #[must_use]
    pub fn error_at_most(self, error_at_most: impl Into<Option<f64>>) -> Self {
        Self { error_at_most: error_at_most.into(), ..self }
    }

    /// States how often people say that they can't tell, of pairs of one class and of mixed pairs. Where it is not stated it
    /// is estimated for the pair posterior; other methods take a tie as half a comparison each way.
    #[must_use]
    pub fn tie_rates(self, tie_rates: impl Into<Option<TieRates>>) -> Self {
        Self { tie_rates: tie_rates.into(), ..self }
    }

    /// Gives the true labels of some items, to judge the classifier by; nothing is trained on them unless
    /// [`Supervision::labels_train`] says so.
    #[must_use]
    pub fn audited(self, labels: Vec<Option<Label>>, chosen: LabelsChosen) -> Self {
        Self { audit: Some((labels, chosen)), ..self }
    }

    /// Has a linear model by the pair posterior learn from the labels of some items as well; each then judges a model that
    /// does not know it. Labels that answer another question than the comparisons mislead such a model, and contradict
    /// it less clearly than one that never saw a label.
    #[must_use]
    pub fn labels_train(self, labels_train: bool) -> Self {
        Self { labels_train, ..self }
    }

    /// Gives the true label of every item: only the `supervised` oracle sees them.
    #[must_use]
    pub fn labelled(self, labels: Vec<Label>) -> Self {
        Self { labels: Some(labels), ..self }
    }

    /// How often people say that they can't tell, where that is stated.
    pub fn stated_tie_rates(&self) -> Option<TieRates> {
        self.tie_rates
    }

    /// The true labels, where they are given.
    pub fn labels(&self) -> Option<&[Label]> {
        self.labels.as_deref()
    }

    /// The true labels of some items, and how these were chosen.
    pub fn audit(&self) -> Option<(&[Option<Label>], LabelsChosen)> {
        self.audit.as_ref().map(|(labels, chosen)| (labels.as_slice(), *chosen))
    }

    /// The true labels of some items, where they are to be learned from.
    pub(crate) fn training_labels(&self) -> Option<&[Option<Label>]> {
        self.audit().filter(|_| self.labels_train).map(|(labels, _)| labels)
    }

    /// What people said, where it was which of two items is likelier.
    pub fn answers(&self) -> Option<&Answers> {
        match &self.evidence {
            Evidence::Answers(answers) => Some(answers),
            Evidence::Piles(_) => None,
        }
    }

    /// What people said.
    pub fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    /// The comparisons that the answers are; none for piles.
    pub fn comparisons(&self) -> Option<Comparisons> {
        self.answers().map(Answers::comparisons)
    }

    /// How the pairs were collected, where that is stated.
    pub fn stated_protocol(&self) -> Option<Protocol> {
        self.protocol
    }

    /// The share of positives, where that is stated.
    pub fn stated_prior(&self) -> Option<Prior> {
        self.prior
    }

    /// How many pairs were kept, and how many shown, where that is stated.
    pub fn kept_of_shown(&self) -> Option<[usize; 2]> {
        self.kept_of_shown
    }

    /// Whether the pairs were generated with fixed class counts.
    pub fn has_exact_counts(&self) -> bool {
        self.exact_counts
    }

    /// How labellers ordered two items of one class, as far as that is stated.
    pub fn stated_equals(&self) -> Equals {
        self.equals
    }

    /// The largest share of mixed pairs that labellers may have got wrong, where that is stated.
    pub fn stated_error_at_most(&self) -> Option<f64> {
        self.error_at_most
    }
}
