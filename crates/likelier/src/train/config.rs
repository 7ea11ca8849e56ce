//! What a training run is asked to do.

use serde::{Deserialize, Serialize};

use super::moves::ImageMoves;
use super::optimiser::{Optimiser, OptimiserKind};
use super::passes::Passes;
use crate::error::Error;
use crate::model::{Architecture, ScalingKind};
use crate::prior::Prior;
use crate::protocol::Protocol;
use crate::replies::ReplyRates;
use crate::risk::{Method, Setting, ThresholdRule};

/// Everything that decides a training run, besides the data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Config {
    /// How to learn.
    pub method: Method,
    /// What the method is told: prior, protocol, loss and weights.
    pub setting: Setting,
    /// Which model.
    pub architecture: Architecture,
    /// Passes over the comparisons, at the most.
    pub epochs: usize,
    /// Rows of both piles in a mini-batch: 256 means 128 comparisons. The last batch may be shorter.
    pub batch_rows: usize,
    /// What of it passes through the model together.
    pub passes: Passes,
    /// Whether images are moved while a network learns from them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moves: Option<ImageMoves>,
    /// How the gradient is followed.
    pub optimiser: OptimiserKind,
    /// The optimiser's.
    pub learning_rate: f64,
    /// The optimiser's.
    pub weight_decay: f64,
    /// Epochs on all rows before rank pruning selects; at most so many of the orientation likelihood before
    /// the pair posterior.
    pub warm_up_epochs: usize,
    /// When rank pruning selects.
    pub pruning: PruningSchedule,
    /// α of the teacher.
    pub teacher_smoothing: f64,
    /// Epochs over which the consistency weight rises to its full value; none if 0.
    pub consistency_ramp_epochs: usize,
    /// Who predicts.
    pub predictor: Predictor,
    /// Comparisons kept apart to choose the best epoch by; none if absent.
    pub early_stop: Option<EarlyStop>,
    /// Whether to stop when the weights have settled, and to take their mean then; for linear models.
    pub settles: bool,
    /// How features are scaled; the rows' default if absent.
    pub scaling: Option<ScalingKind>,
    /// Where the threshold lies; the method's default if absent.
    pub threshold: Option<ThresholdRule>,
    /// How people reply, for the pair posterior and, ties alone, for tables; as the protocol says, each answer by itself, if absent.
    pub replies: Option<ReplyRates>,
    /// Of the initial weights, of the order of batches and of what is held out.
    pub seed: u64,
}

/// When rank pruning selects anew.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PruningSchedule {
    /// Before each epoch, over the whole piles.
    #[default]
    EachEpoch,
    /// In each batch, over its rows.
    EachBatch,
}

/// Who predicts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Predictor {
    /// The model itself.
    #[default]
    Student,
    /// The moving average of its weights.
    Teacher,
}

/// Comparisons that are not trained on, to choose the best epoch without a label. Where items occur in several
/// comparisons, items are held out: then both items of a held-out comparison are new to the model, and
/// comparisons with one such item are left aside.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EarlyStop {
    /// The share of the comparisons that is wanted. It may be less where items are compared with many others:
    /// at most 40 % of the comparisons are kept from training, unless the share itself is larger.
    pub share: f64,
    /// What is best.
    pub criterion: Criterion,
    /// Epochs without improvement after which to stop; never if absent.
    pub patience: Option<usize>,
}

/// What is measured on held-out comparisons; smaller is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Criterion {
    /// The unbiased risk (Theorem 3) with the logistic loss, its columns cut at 0.
    Risk,
    /// −ln of the orientation likelihood.
    Orientation,
}

impl Config {
    /// The default for a linear model on standardised features. The paper leaves its settings for linear
    /// models open.
    pub fn new(method: Method, prior: Prior, protocol: Protocol) -> Self {
        let infers = method == Method::PairPosterior;
        Self {
            method,
            setting: Setting::new(prior, protocol),
            architecture: Architecture::Linear,
            epochs: 100,
            batch_rows: 256,
            passes: Passes::Together,
            moves: None,
            optimiser: OptimiserKind::Adam,
            learning_rate: 1e-2,
            weight_decay: 1e-5,
            warm_up_epochs: 10,
            pruning: PruningSchedule::EachEpoch,
            teacher_smoothing: 0.97,
            consistency_ramp_epochs: 0,
            predictor: if infers { Predictor::Teacher } else { Predictor::Student },
            early_stop: None,
            settles: false,
            scaling: None,
            threshold: None,
            replies: None,
            seed: 0,
        }
    }

    /// Whether it may stop before the last epoch, or choose another.
    pub(crate) fn picks_its_epoch(&self) -> bool {
        self.early_stop.is_some() || self.settles
    }

    /// An optimiser that has not stepped yet.
    pub(super) fn fresh_optimiser(&self, parameters: usize) -> Optimiser {
        Optimiser::new(self.optimiser, parameters, self.learning_rate, self.weight_decay)
    }

    /// The consistency weight in an epoch, as a share of its full value: e^{−5(1−t)²}, t rising to 1.
    pub(super) fn consistency_share(&self, epoch: usize) -> f64 {
        let progress = if epoch >= self.consistency_ramp_epochs {
            1.0
        } else {
            epoch as f64 / self.consistency_ramp_epochs as f64
        };
        (-5.0 * (1.0 - progress).powi(2)).exp()
    }

    /// Refuses settings outside their range.
    pub fn check(&self) -> Result<(), Error> {
        let not =
            |name, value: f64, allowed| Err(Error::Setting { name, value: value.to_string(), allowed });
        let finite_from_zero = |value: f64| value.is_finite() && value >= 0.0;
        if self.epochs == 0 || u32::try_from(self.epochs).is_err() {
            return not("the number of epochs", self.epochs as f64, "from 1 to 4 thousand million");
        }
        if self.method == Method::PairPosterior && self.epochs < 2 {
            return not(
                "the number of epochs",
                self.epochs as f64,
                "at least 2 for pair-posterior: one to warm up, one to infer",
            );
        }
        if (self.method.prunes() || self.method == Method::PairPosterior)
            && self.warm_up_epochs >= self.epochs
        {
            return not(
                "the number of warm-up epochs",
                self.warm_up_epochs as f64,
                "below the number of epochs",
            );
        }
        if self.method == Method::PairPosterior && self.warm_up_epochs == 0 {
            return not(
                "the number of warm-up epochs",
                0.0,
                "at least 1: the pair posterior starts from them",
            );
        }
        if self.batch_rows < 2 {
            return not("the batch size", self.batch_rows as f64, "at least 2 rows, one of each pile");
        }
        if !(self.learning_rate.is_finite() && self.learning_rate > 0.0) {
            return not("the learning rate", self.learning_rate, "a number above 0");
        }
        if !finite_from_zero(self.weight_decay) {
            return not("the weight decay", self.weight_decay, "a number from 0 up");
        }
        if !finite_from_zero(self.setting.consistency_weight) {
            return not("the consistency weight", self.setting.consistency_weight, "a number from 0 up");
        }
        if !(0.0..1.0).contains(&self.teacher_smoothing) {
            return not("the teacher's smoothing", self.teacher_smoothing, "at least 0 and below 1");
        }
        if let OptimiserKind::Sgd { momentum } = self.optimiser
            && !(0.0..1.0).contains(&momentum)
        {
            return not("the momentum", momentum, "at least 0 and below 1");
        }
        if self.settles && self.architecture != Architecture::Linear {
            return Err(Error::Setting {
                name: "stopping when the weights have settled",
                value: "true for a network".into(),
                allowed: "for linear models only",
            });
        }
        if self.moves.is_some() && self.architecture == Architecture::Linear {
            return Err(Error::Setting {
                name: "moving images",
                value: "asked of a linear model".into(),
                allowed: "for networks only",
            });
        }
        if let Some(early_stop) = self.early_stop
            && !(early_stop.share > 0.0 && early_stop.share < 1.0)
        {
            return not("the held-out share", early_stop.share, "above 0 and below 1");
        }
        Ok(())
    }
}
