//! The settings of a trial: every key of `reproduce/default.toml`, and what it means to the library.

use anyhow::Result;
use likelier::data::benchmark::{Dataset, PaperModel};
use likelier::estimate::selection::{Candidate, Grid};
use likelier::model::{Architecture, Mlp, MlpNorm, ResNet, ScalingKind};
use likelier::risk::Setting;
use likelier::risk::progressive::PruningWeights;
use likelier::train::{Config, Criterion, Data, HoldOut, Passes, Predictor, PruningSchedule};
use likelier::trial::{Design, Drawing, Judge, TestSet};
use likelier::{Collection, Method, Prior, Protocol};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Every choice of a trial. The meaning of each is told in `reproduce/default.toml`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Settings {
    protocol: Collection,
    labeller_error: f64,
    judge: Judge,
    drawing: Drawing,
    pairs_share: f64,
    pub(super) prior_shift: f64,
    pub(super) prior_source: PriorSource,
    believed_protocol: Belief,
    believed_error: f64,
    // This and `passes` are younger than the first runs: left out of the text at their defaults, so that the
    // digests of those stay.
    #[serde(skip_serializing_if = "is_default")]
    configuration: Configuration,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) recommended_epochs: Option<usize>,
    pub(super) model: Model,
    pub(super) epochs: usize,
    batch_rows: usize,
    #[serde(skip_serializing_if = "is_default")]
    passes: Passes,
    pub(super) learning_rate: f64,
    pub(super) weight_decay: f64,
    scaling: Scaled,
    warm_up_epochs: usize,
    pruning: PruningSchedule,
    pruning_weights: PruningWeights,
    teacher_smoothing: f64,
    consistency_weight: f64,
    consistency_ramp_epochs: usize,
    predictor: Predictor,
    hold_out: f64,
    criterion: Criterion,
    patience: usize,
    grid_learning_rate: Vec<f64>,
    grid_weight_decay: Vec<f64>,
    test: TestSet,
    pub(super) evaluate_every: usize,
    pub(super) seed: u64,
}

/// Where the methods have the prior from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum PriorSource {
    Given,
    Estimated,
}

/// Where the training settings come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Configuration {
    #[default]
    Stated,
    Recommended,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// The protocol that the methods believe in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Belief {
    True,
    Discard,
    ForcedChoice,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Model {
    Paper,
    Linear,
    Mlp,
    MlpInputNorm,
    MlpNoNorm,
    Resnet34,
    Resnet32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Scaled {
    Default,
    None,
    Byte,
    UnitRange,
    LargestAbsolute,
    Standardise,
}

impl Settings {
    /// All settings as one text.
    pub(super) fn text(&self) -> Result<String> {
        Ok(toml::to_string(self)?)
    }

    /// A name for these settings: no two that differ share it.
    pub(super) fn digest(&self) -> Result<String> {
        let digest = Sha256::digest(self.text()?);
        let [a, b, c, d, ..] = digest[..] else { return Ok(String::new()) };
        Ok(format!("{:08x}", u32::from_be_bytes([a, b, c, d])))
    }

    /// What a trial of a data set draws. Where the copy is partial, pairs are fewer in proportion.
    pub(super) fn design(&self, dataset: &Dataset, prior: Prior) -> Result<Design> {
        let spec = dataset.benchmark.spec();
        let mut share = self.pairs_share;
        if dataset.note.is_some() {
            share *= dataset.first_part as f64 / spec.rows[0] as f64;
        }
        let protocol = Protocol::new(self.protocol, self.labeller_error)?;
        let pairs = (spec.pairs as f64 * share).round() as usize;
        Ok(Design {
            drawing: self.drawing,
            judge: self.judge,
            test: self.test,
            ..Design::new(prior, protocol, pairs)
        })
    }

    /// The protocol as the methods believe it to be.
    pub(super) fn believed_protocol(&self) -> Result<Protocol> {
        let collection = match self.believed_protocol {
            Belief::True => self.protocol,
            Belief::Discard => Collection::Discard,
            Belief::ForcedChoice => Collection::ForcedChoice,
        };
        let error = if self.believed_error < 0.0 { self.labeller_error } else { self.believed_error };
        Ok(Protocol::new(collection, error)?)
    }

    /// The model of the data set, where the paper's is asked for.
    pub(super) fn architecture(&self, model: PaperModel) -> Architecture {
        let mlp = |norm| Architecture::Mlp(Mlp { norm, ..Mlp::of_the_paper() });
        match (self.model, model) {
            (Model::Linear, _) | (Model::Paper, PaperModel::Linear) => Architecture::Linear,
            (Model::Mlp, _) | (Model::Paper, PaperModel::Mlp) => mlp(MlpNorm::EachLayer),
            (Model::MlpInputNorm, _) => mlp(MlpNorm::Input),
            (Model::MlpNoNorm, _) => mlp(MlpNorm::None),
            (Model::Resnet32, _) => Architecture::ResNet(ResNet::resnet32([3, 32, 32])),
            (Model::Resnet34, _) | (Model::Paper, PaperModel::ResNet34) => {
                Architecture::ResNet(ResNet::resnet34([3, 32, 32]))
            }
        }
    }

    /// How a method is trained.
    pub(super) fn config(
        &self,
        method: Method,
        model: PaperModel,
        prior: Prior,
        protocol: Protocol,
        data: &Data<'_>,
    ) -> Config {
        if self.configuration == Configuration::Recommended {
            let config = Config::recommended(method, self.architecture(model), prior, protocol, data);
            return match self.recommended_epochs {
                Some(epochs) => config.with_epochs(epochs),
                None => config,
            };
        }
        let scaling = match self.scaling {
            Scaled::Default => None,
            Scaled::None => Some(ScalingKind::None),
            Scaled::Byte => Some(ScalingKind::Byte),
            Scaled::UnitRange => Some(ScalingKind::UnitRange),
            Scaled::LargestAbsolute => Some(ScalingKind::LargestAbsolute),
            Scaled::Standardise => Some(ScalingKind::Standardise),
        };
        let hold_out = (self.hold_out > 0.0).then_some(HoldOut {
            share: self.hold_out,
            criterion: self.criterion,
            patience: (self.patience > 0).then_some(self.patience),
        });
        Config {
            setting: Setting {
                pruning_weights: self.pruning_weights,
                consistency_weight: self.consistency_weight,
                ..Setting::new(prior, protocol)
            },
            architecture: self.architecture(model),
            epochs: self.epochs,
            batch_rows: self.batch_rows,
            passes: self.passes,
            learning_rate: self.grid_learning_rate.first().copied().unwrap_or(self.learning_rate),
            weight_decay: self.grid_weight_decay.first().copied().unwrap_or(self.weight_decay),
            warm_up_epochs: self.warm_up_epochs.min(self.epochs.saturating_sub(1)),
            pruning: self.pruning,
            teacher_smoothing: self.teacher_smoothing,
            consistency_ramp_epochs: self.consistency_ramp_epochs,
            predictor: self.predictor,
            hold_out,
            scaling,
            ..Config::new(method, prior, protocol)
        }
    }

    /// What is to be chosen from, the first first; only the one where there is no grid.
    pub(super) fn candidates(&self, base: &Config) -> Vec<Candidate> {
        let or = |values: &[f64], one: f64| if values.is_empty() { vec![one] } else { values.to_vec() };
        Grid {
            learning_rates: or(&self.grid_learning_rate, base.learning_rate),
            weight_decays: or(&self.grid_weight_decay, base.weight_decay),
            ..Grid::around(base.clone())
        }
        .candidates()
    }
}
