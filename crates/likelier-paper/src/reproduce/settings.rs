//! The settings of a trial: every key of `experiments/default.toml`, and what it means to the library.

use likelier::estimate::selection::{Candidate, Grid};
use likelier::generate::{Labeller, Sampling};
use likelier::model::{Architecture, ModelKind, ScalingKind, square_image};
use likelier::risk::Setting;
use likelier::risk::progressive::PruningWeights;
use likelier::train::{Config, Criterion, Data, EarlyStop, ImageMoves, Passes, Predictor, PruningSchedule};
use likelier::{Collection, Error, Method, Prior, Protocol};
use likelier_paper::benchmark::Dataset;
use likelier_paper::trial::{Design, TestSet};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::word_for_none::{or_default, or_paper, or_true};

/// Every choice of a trial. The meaning of each is told in `experiments/default.toml`.
///
/// Rows of finished trials name their settings by a digest of this as text, so no key may change its name or its
/// place, and a new one must be left out of the text at its default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Settings {
    protocol: Collection,
    labeller_error: f64,
    #[serde(rename = "judge")]
    labeller: Labeller,
    #[serde(rename = "drawing")]
    sampling: Sampling,
    pairs_share: f64,
    prior_shift: f64,
    pub(super) prior_source: PriorSource,
    #[serde(with = "or_true")]
    believed_protocol: Option<Collection>,
    believed_error: f64,
    #[serde(default, skip_serializing_if = "is_default")]
    configuration: Configuration,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    recommended_epochs: Option<usize>,
    /// Which model; none for the data set's own.
    #[serde(default, with = "or_paper")]
    model: Option<ModelKind>,
    epochs: usize,
    batch_rows: usize,
    #[serde(default, skip_serializing_if = "is_default")]
    passes: Passes,
    #[serde(default, skip_serializing_if = "is_default")]
    move_images: usize,
    learning_rate: f64,
    weight_decay: f64,
    #[serde(with = "or_default")]
    scaling: Option<ScalingKind>,
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

/// Settings, with the text and the digest that they are recorded by.
#[derive(Debug)]
pub(super) struct RecordedSettings {
    pub(super) settings: Settings,
    pub(super) text: toml::Table,
    /// A name for these settings: no two that differ share it.
    pub(super) digest: String,
}

impl RecordedSettings {
    pub(super) fn of(settings: Settings) -> Result<Self, toml::ser::Error> {
        let digest = Sha256::digest(toml::to_string(&settings)?);
        let start = digest.first_chunk().copied().unwrap_or_default();
        let digest = format!("{:08x}", u32::from_be_bytes(start));
        Ok(Self { text: toml::Table::try_from(&settings)?, settings, digest })
    }
}

impl Settings {
    /// What a trial of a data set draws. Where the copy is partial, pairs are fewer in proportion.
    pub(super) fn design(&self, dataset: &Dataset, prior: Prior) -> Result<Design, Error> {
        let spec = dataset.benchmark.spec();
        let mut share = self.pairs_share;
        if dataset.note.is_some() {
            share *= dataset.first_part as f64 / spec.rows[0] as f64;
        }
        let protocol = Protocol::new(self.protocol, self.labeller_error)?;
        let pairs = (spec.pairs as f64 * share).round() as usize;
        Ok(Design {
            sampling: self.sampling,
            labeller: self.labeller,
            test: self.test,
            ..Design::new(prior, protocol, pairs)
        })
    }

    /// The protocol as the methods believe it to be.
    pub(super) fn believed_protocol(&self) -> Result<Protocol, Error> {
        let collection = self.believed_protocol.unwrap_or(self.protocol);
        let error = if self.believed_error < 0.0 { self.labeller_error } else { self.believed_error };
        Protocol::new(collection, error)
    }

    /// The prior that the methods are told.
    pub(super) fn stated_prior(&self, prior: Prior) -> Result<Prior, Error> {
        Prior::new((prior.positive() + self.prior_shift).clamp(0.01, 0.99))
    }

    /// The model, which is that of the paper if nothing else is asked for.
    pub(super) fn architecture(&self, dataset: &Dataset) -> Architecture {
        let model = self.model.unwrap_or(dataset.benchmark.spec().model);
        model.architecture(dataset.rows.width(), None, None)
    }

    /// How a method is trained.
    pub(super) fn config(
        &self,
        method: Method,
        architecture: Architecture,
        prior: Prior,
        protocol: Protocol,
        data: &Data<'_>,
    ) -> Config {
        let config = if self.configuration == Configuration::Stated {
            self.stated(method, architecture, prior, protocol)
        } else {
            let config = Config::recommended(method, architecture, prior, protocol, data);
            match self.recommended_epochs {
                Some(epochs) => config.with_epochs(epochs),
                None => config,
            }
        };
        let image = square_image(data.rows.width()).filter(|_| self.move_images > 0);
        Config { moves: image.map(|image| ImageMoves { image, pixels: self.move_images }), ..config }
    }

    fn stated(
        &self,
        method: Method,
        architecture: Architecture,
        prior: Prior,
        protocol: Protocol,
    ) -> Config {
        let early_stop = (self.hold_out > 0.0).then_some(EarlyStop {
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
            architecture,
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
            early_stop,
            scaling: self.scaling,
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
