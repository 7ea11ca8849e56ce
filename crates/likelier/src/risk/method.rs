//! The list of methods: the paper's seven by its names, then ours.
//!
//! Each is a composition of pieces from this module; the command line, the harness and any binding read
//! this one list.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::progressive::PruningWeights;
use super::{
    Coefficients, Correction, Loss, Objective, OrientationLikelihood, PairPosterior, Pointwise, RankNet,
    RiskTable,
};
use crate::error::Error;
use crate::prior::Prior;
use crate::protocol::Protocol;

/// A way to learn from comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// The unbiased risk of Theorem 3.
    PcompUnbiased,
    /// The same with columns cut at 0.
    PcompRelu,
    /// The same with columns made positive.
    PcompAbs,
    /// Rank pruning with a mean teacher.
    PcompTeacher,
    /// Rank pruning (Theorem 6).
    RankPruning,
    /// The noisy-label risk of Natarajan et al. with Theorem 5's rates.
    NoisyUnbiased,
    /// The piles taken for the classes.
    BinaryBiased,
    /// RankNet, then the π-quantile as threshold.
    RankQuantile,
    /// Orientation likelihood, then the π-quantile as threshold.
    Likelihood,
    /// Expectation–maximisation over the two labels of each comparison, its level held by π.
    PairPosterior,
    /// True labels, weighted to π: the oracle that every table needs.
    Supervised,
}

impl Method {
    /// All methods, in the order in which tables list them.
    pub const ALL: [Self; 11] = [
        Self::PcompUnbiased,
        Self::PcompRelu,
        Self::PcompAbs,
        Self::PcompTeacher,
        Self::RankPruning,
        Self::NoisyUnbiased,
        Self::BinaryBiased,
        Self::RankQuantile,
        Self::Likelihood,
        Self::PairPosterior,
        Self::Supervised,
    ];

    /// The name used in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::PcompUnbiased => "pcomp-unbiased",
            Self::PcompRelu => "pcomp-relu",
            Self::PcompAbs => "pcomp-abs",
            Self::PcompTeacher => "pcomp-teacher",
            Self::RankPruning => "rank-pruning",
            Self::NoisyUnbiased => "noisy-unbiased",
            Self::BinaryBiased => "binary-biased",
            Self::RankQuantile => "rank-quantile",
            Self::Likelihood => "likelihood",
            Self::PairPosterior => "pair-posterior",
            Self::Supervised => "supervised",
        }
    }

    /// One line on what it does.
    pub fn summary(self) -> &'static str {
        match self {
            Self::PcompUnbiased => "unbiased risk of the comparisons (Theorem 3)",
            Self::PcompRelu => "the same, its two parts cut at zero",
            Self::PcompAbs => "the same, its two parts made positive",
            Self::PcompTeacher => "rank pruning, held to a moving average of itself",
            Self::RankPruning => "keeps rows whose pile agrees with their score",
            Self::NoisyUnbiased => "noisy-label risk with the rates of Theorem 5",
            Self::BinaryBiased => "takes the piles for the classes (baseline)",
            Self::RankQuantile => "learns to rank, then cuts at the prior",
            Self::Likelihood => "likelihood of each pick, then cuts at the prior",
            Self::PairPosterior => "infers both labels of each pair, again and again",
            Self::Supervised => "sees the true labels: the oracle",
        }
    }

    /// Whether the paper reports it.
    pub fn is_from_the_paper(self) -> bool {
        !matches!(self, Self::RankQuantile | Self::Likelihood | Self::PairPosterior | Self::Supervised)
    }

    /// Whether it needs to know which two items were compared.
    pub fn needs_pairs(self) -> bool {
        matches!(self, Self::RankQuantile | Self::Likelihood | Self::PairPosterior)
    }

    /// Whether it selects rows by rank between epochs.
    pub fn prunes(self) -> bool {
        matches!(self, Self::RankPruning | Self::PcompTeacher)
    }

    /// What the method consists of; for the pair posterior, after its warm-up.
    pub fn compose(self, setting: &Setting) -> Result<Composition, Error> {
        let mixture = setting.protocol.mixture(setting.prior)?;
        let table = |table, correction| Pointwise {
            loss: setting.loss,
            coefficients: Coefficients::Table(table),
            correction,
            consistency_weight: 0.0,
            shift: 0.0,
        };
        let unbiased = RiskTable::unbiased(&mixture, setting.prior);
        let pruned = RiskTable::pruned(&mixture, setting.prior, setting.pruning_weights)?;
        let objective: Box<dyn Objective> = match self {
            Self::PcompUnbiased => Box::new(table(unbiased, Correction::None)),
            Self::PcompRelu => Box::new(table(unbiased, Correction::Relu)),
            Self::PcompAbs => Box::new(table(unbiased, Correction::Abs)),
            Self::PcompTeacher => Box::new(Pointwise {
                consistency_weight: setting.consistency_weight,
                ..table(pruned, Correction::None)
            }),
            Self::RankPruning => Box::new(table(pruned, Correction::None)),
            Self::NoisyUnbiased => Box::new(table(RiskTable::noisy_unbiased(&mixture)?, Correction::None)),
            Self::BinaryBiased => Box::new(table(RiskTable::binary_biased(), Correction::None)),
            Self::RankQuantile => Box::new(RankNet),
            Self::Likelihood => Box::new(OrientationLikelihood { protocol: setting.protocol }),
            Self::PairPosterior => Box::new(Pointwise {
                loss: Loss::Logistic,
                coefficients: Coefficients::Targets { positive: 1.0, negative: 1.0 },
                shift: PairPosterior::new(setting.prior, setting.protocol)?.shift(),
                ..table(unbiased, Correction::None)
            }),
            Self::Supervised => Box::new(Pointwise {
                coefficients: Coefficients::targets(
                    setting.sample_prior.map_or_else(|| mixture.pooled_prior(), Ok)?,
                    setting.prior,
                ),
                ..table(unbiased, Correction::None)
            }),
        };
        Ok(Composition {
            objective,
            prunes: self.prunes(),
            has_teacher: matches!(self, Self::PcompTeacher | Self::PairPosterior),
            threshold: match self {
                Self::RankQuantile | Self::Likelihood => ThresholdRule::PriorQuantile,
                _ => ThresholdRule::Zero,
            },
        })
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
