//! What a training run is asked to do.

use serde::Serialize;

use super::adam::WeightDecay;
use crate::error::Error;
use crate::model::ScalingKind;
use crate::prior::Prior;
use crate::protocol::Protocol;
use crate::risk::{Method, Setting, ThresholdRule};

/// Everything that decides a training run, besides the data.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Config {
    /// How to learn.
    pub method: Method,
    /// What the method is told: prior, protocol, loss and weights.
    pub setting: Setting,
    /// Passes over the comparisons.
    pub epochs: usize,
    /// Rows of both piles in a mini-batch: 256 means 128 comparisons. The last batch may be shorter.
    pub batch_rows: usize,
    /// Adam's.
    pub learning_rate: f64,
    /// Adam's.
    pub weight_decay: f64,
    /// Adam's.
    pub weight_decay_kind: WeightDecay,
    /// Epochs on all rows before rank pruning selects.
    pub warm_up_epochs: usize,
    /// α of the teacher.
    pub teacher_smoothing: f64,
    /// How features are scaled; the rows' default if absent.
    pub scaling: Option<ScalingKind>,
    /// Where the threshold lies; the method's default if absent.
    pub threshold: Option<ThresholdRule>,
    /// Of the initial weights and of the order of batches.
    pub seed: u64,
}

impl Config {
    /// The default for a linear model. The paper leaves its settings for linear models open; these
    /// train to convergence on standardised features.
    pub fn new(method: Method, prior: Prior, protocol: Protocol) -> Self {
        Self {
            method,
            setting: Setting::new(prior, protocol),
            epochs: 100,
            batch_rows: 256,
            learning_rate: 1e-2,
            weight_decay: 1e-5,
            weight_decay_kind: WeightDecay::Coupled,
            warm_up_epochs: 10,
            teacher_smoothing: 0.97,
            scaling: None,
            threshold: None,
            seed: 0,
        }
    }

    /// Refuses settings outside their range.
    pub fn check(&self) -> Result<(), Error> {
        let not = |name, value: String, allowed| Err(Error::Setting { name, value, allowed });
        let finite_from_zero = |value: f64| value.is_finite() && value >= 0.0;
        if self.epochs == 0 {
            return not("the number of epochs", "0".into(), "at least 1");
        }
        if self.batch_rows < 2 {
            return not("the batch size", self.batch_rows.to_string(), "at least 2 rows, one of each pile");
        }
        if !(self.learning_rate.is_finite() && self.learning_rate > 0.0) {
            return not("the learning rate", self.learning_rate.to_string(), "a number above 0");
        }
        if !finite_from_zero(self.weight_decay) {
            return not("the weight decay", self.weight_decay.to_string(), "a number from 0 up");
        }
        if !finite_from_zero(self.setting.consistency_weight) {
            let value = self.setting.consistency_weight.to_string();
            return not("the consistency weight", value, "a number from 0 up");
        }
        if !(0.0..1.0).contains(&self.teacher_smoothing) {
            let value = self.teacher_smoothing.to_string();
            return not("the teacher's smoothing", value, "at least 0 and below 1");
        }
        Ok(())
    }
}
