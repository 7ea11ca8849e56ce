//! The list of methods: the paper's seven by its names, then ours.
//!
//! Each is a composition of pieces of `risk/`, in a file of its own in `method/`; the command line, the harness
//! and any binding read this one list.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::progressive::PruningWeights;
use super::{Loss, Objective, RiskTable};
use crate::error::Error;
use crate::prior::Prior;
use crate::protocol::{Mixture, Protocol};

/// Declares the methods in the order in which tables list them: each is a line here, and a file that says what
/// it is.
macro_rules! methods {
    ($($(#[doc = $about:literal])+ $variant:ident => $file:ident,)+) => {
        $(mod $file;)+

        /// A way to learn from comparisons.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Method {
            $($(#[doc = $about])+ $variant,)+
        }

        impl Method {
            /// All methods, in the order in which tables list them.
            pub const ALL: [Self; [$(stringify!($variant)),+].len()] = [$(Self::$variant),+];

            fn definition(self) -> &'static Definition {
                match self {
                    $(Self::$variant => &$file::METHOD,)+
                }
            }
        }
    };
}

methods! {
    /// The unbiased risk of Theorem 3.
    PcompUnbiased => pcomp_unbiased,
    /// The same with columns cut at 0.
    PcompRelu => pcomp_relu,
    /// The same with columns made positive.
    PcompAbs => pcomp_abs,
    /// Rank pruning with a mean teacher.
    PcompTeacher => pcomp_teacher,
    /// Rank pruning (Theorem 6).
    RankPruning => rank_pruning,
    /// The noisy-label risk of Natarajan et al. with Theorem 5's rates.
    NoisyUnbiased => noisy_unbiased,
    /// The piles taken for the classes.
    BinaryBiased => binary_biased,
    /// RankNet, then the π-quantile as threshold.
    RankQuantile => rank_quantile,
    /// Orientation likelihood, then the π-quantile as threshold.
    Likelihood => likelihood,
    /// Expectation–maximisation over the two labels of each comparison, its level held by π.
    PairPosterior => pair_posterior,
    /// True labels, weighted to π: the oracle that every table needs.
    Supervised => supervised,
}

/// What a method is.
#[allow(clippy::struct_excessive_bools, reason = "they are independent of each other")]
struct Definition {
    /// In files and on the command line.
    name: &'static str,
    /// One line on what it does.
    summary: &'static str,
    /// Whether the paper reports it.
    from_the_paper: bool,
    /// Whether it needs to know which two items were compared.
    needs_pairs: bool,
    /// Whether its table is the unbiased one, so that ties and labels can be piles of their own.
    takes_piles: bool,
    /// Whether it selects rows by rank between epochs.
    prunes: bool,
    /// Whether a moving average of the model takes part, and so scores every batch too.
    has_teacher: bool,
    /// Where the threshold lies by default.
    threshold: ThresholdRule,
    /// What is made small.
    objective: fn(&Setting) -> Result<Box<dyn Objective>, Error>,
}

impl Definition {
    /// A method of ours that looks at rows and cuts at 0.
    const fn new(
        name: &'static str,
        summary: &'static str,
        objective: fn(&Setting) -> Result<Box<dyn Objective>, Error>,
    ) -> Self {
        Self {
            name,
            summary,
            from_the_paper: false,
            needs_pairs: false,
            takes_piles: false,
            prunes: false,
            has_teacher: false,
            threshold: ThresholdRule::Zero,
            objective,
        }
    }
}

impl Method {
    /// The name used in files and on the command line.
    pub fn name(self) -> &'static str {
        self.definition().name
    }

    /// One line on what it does.
    pub fn summary(self) -> &'static str {
        self.definition().summary
    }

    /// Whether the paper reports it.
    pub fn is_from_the_paper(self) -> bool {
        self.definition().from_the_paper
    }

    /// Whether it needs to know which two items were compared.
    pub fn needs_pairs(self) -> bool {
        self.definition().needs_pairs
    }

    /// Whether its risk can have ties and labels as piles of their own.
    pub fn takes_piles(self) -> bool {
        self.definition().takes_piles
    }

    /// Whether it selects rows by rank between epochs.
    pub fn prunes(self) -> bool {
        self.definition().prunes
    }

    /// Whether its risk needs the scores of a batch and nothing else: no selection, no teacher, no targets.
    pub fn needs_scores_alone(self) -> bool {
        let Definition { prunes, has_teacher, .. } = *self.definition();
        !prunes && !has_teacher && self != Self::Supervised
    }

    /// The risk that the method makes small, for a driver of your own; for the pair posterior, its M-step.
    pub fn objective(self, prior: Prior, protocol: Protocol) -> Result<Box<dyn Objective>, Error> {
        (self.definition().objective)(&Setting::new(prior, protocol))
    }

    /// What the method consists of; for the pair posterior, after its warm-up.
    #[doc(hidden)]
    pub fn compose(self, setting: &Setting) -> Result<Composition, Error> {
        let Definition { prunes, has_teacher, threshold, objective, .. } = *self.definition();
        Ok(Composition { objective: objective(setting)?, prunes, has_teacher, threshold })
    }
}

/// What a method needs to know to be composed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Setting {
    /// π.
    pub prior: Prior,
    /// How the comparisons were collected.
    #[serde(flatten)]
    pub protocol: Protocol,
    /// ℓ, for the pointwise methods.
    pub loss: Loss,
    /// How rank pruning weighs what it keeps.
    pub pruning_weights: PruningWeights,
    /// λ of the teacher's consistency term.
    pub consistency_weight: f64,
    /// The share of positives among the rows of a supervised sample; that of the piles of the protocol
    /// if absent.
    pub sample_prior: Option<Prior>,
}

impl Setting {
    /// The paper's choices for a prior and a protocol: logistic loss and its pruning weights. It prints
    /// no consistency weight. Descendants of the authors' code use 10, on networks that take tens of
    /// thousands of steps; 1 lets a linear model of a thousand steps learn as well.
    pub fn new(prior: Prior, protocol: Protocol) -> Self {
        Self {
            prior,
            protocol,
            loss: Loss::Logistic,
            pruning_weights: PruningWeights::Paper,
            consistency_weight: 1.0,
            sample_prior: None,
        }
    }

    /// θ₊ and θ₋ (Theorem 2).
    pub fn mixture(&self) -> Result<Mixture, Error> {
        self.protocol.mixture(self.prior)
    }

    /// The table of the unbiased risk (Theorem 3).
    pub fn unbiased(&self) -> Result<RiskTable, Error> {
        Ok(RiskTable::unbiased(&self.mixture()?, self.prior))
    }

    /// The table of rank pruning (Theorem 6).
    pub fn pruned(&self) -> Result<RiskTable, Error> {
        RiskTable::pruned(&self.mixture()?, self.prior, self.pruning_weights)
    }
}

/// A method taken apart.
pub struct Composition {
    /// What is made small.
    pub objective: Box<dyn Objective>,
    /// Whether rows are selected by rank between epochs.
    pub prunes: bool,
    /// Whether a moving average of the model takes part, and so scores every batch too.
    pub has_teacher: bool,
    /// Where the threshold lies by default.
    pub threshold: ThresholdRule,
}

/// Where a score turns positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ThresholdRule {
    /// At 0.
    Zero,
    /// Where the population's share above it is π, estimated from the two piles.
    PriorQuantile,
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Serialize for Method {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Method {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        name.parse().map_err(serde::de::Error::custom)
    }
}

impl FromStr for Method {
    type Err = Error;

    /// Any case, with or without hyphens: `pcomp-relu`, `Pcomp-ReLU`, `RankPruning`, `rank_pruning`.
    fn from_str(text: &str) -> Result<Self, Error> {
        Error::find_by_name("method", text, &Self::ALL, |method| vec![method.name()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_is_read_back_from_its_name_and_from_the_papers_spelling() {
        for method in Method::ALL {
            assert_eq!(method.name().parse::<Method>().unwrap(), method);
        }
        for (text, method) in [
            ("Pcomp-ReLU", Method::PcompRelu),
            ("Pcomp-ABS", Method::PcompAbs),
            ("RankPruning", Method::RankPruning),
            ("Noisy_Unbiased", Method::NoisyUnbiased),
            ("PCOMP TEACHER", Method::PcompTeacher),
        ] {
            assert_eq!(text.parse::<Method>().unwrap(), method);
        }
    }

    #[test]
    fn an_unknown_method_lists_all_names_and_the_nearest() {
        let message = "pcomp-rule".parse::<Method>().unwrap_err().to_string();
        assert!(message.contains("did you mean 'pcomp-relu'"), "{message}");
        for method in Method::ALL {
            assert!(message.contains(method.name()), "{message}");
        }
    }

    #[test]
    fn a_method_that_needs_scores_alone_evaluates_them_and_the_others_have_state() {
        use crate::risk::{Batch, Gradients};
        let (prior, protocol) = (Prior::new(0.3).unwrap(), Protocol::FORCED_CHOICE);
        let batch = Batch::of_scores(&[1.0, -0.5], &[0.25, 0.0]);
        let alone = Method::ALL.into_iter().filter(|method| method.needs_scores_alone());
        let alone: Vec<&str> = alone
            .map(|method| {
                let objective = method.objective(prior, protocol).unwrap();
                objective.evaluate(&batch, &mut Gradients::default()).unwrap();
                method.name()
            })
            .collect();
        let known = [
            "pcomp-unbiased",
            "pcomp-relu",
            "pcomp-abs",
            "noisy-unbiased",
            "binary-biased",
            "rank-quantile",
            "likelihood",
        ];
        assert_eq!(alone, known);
    }

    #[test]
    fn every_method_composes_for_every_protocol() {
        for protocol in [Protocol::DISCARD, Protocol::FORCED_CHOICE] {
            for method in Method::ALL {
                let setting = Setting::new(Prior::new(0.3).unwrap(), protocol);
                let composition = method.compose(&setting).unwrap();
                let has_teacher = matches!(method, Method::PcompTeacher | Method::PairPosterior);
                assert_eq!(composition.has_teacher, has_teacher);
            }
        }
    }
}
