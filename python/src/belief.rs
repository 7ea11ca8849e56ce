//! What is stated: the prior, the protocol, the labellers, and how to fit.

use likelier::data::{Column, Features};
use likelier::{Answers, FitOptions, Prior, Protocol, ScorerOptions, Supervision};
use pyo3::prelude::*;

use crate::words::Trouble;

/// What is believed about answers.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Belief {
    pub(crate) prior: Option<f64>,
    pub(crate) protocol: Option<String>,
    pub(crate) labeller_error: f64,
    pub(crate) equals: String,
    pub(crate) labeller_error_at_most: Option<f64>,
    /// Pairs kept, and pairs shown.
    pub(crate) kept_of_shown: Option<(usize, usize)>,
}

impl Belief {
    pub(crate) fn protocol(&self) -> Result<Option<Protocol>, Trouble> {
        let of_name = |name: &String| protocol(name, self.labeller_error);
        self.protocol.as_ref().map(of_name).transpose()
    }

    pub(crate) fn supervision(&self, answers: Answers) -> Result<Supervision, Trouble> {
        let supervision = Supervision::new(answers)
            .protocol(self.protocol()?)
            .prior(self.prior.map(Prior::new).transpose()?)
            .equals(self.equals.parse()?)
            .error_at_most(self.labeller_error_at_most);
        Ok(match self.kept_of_shown {
            Some((kept, shown)) => supervision.kept(kept, shown),
            None => supervision,
        })
    }
}

/// A protocol by its name.
pub(crate) fn protocol(name: &str, labeller_error: f64) -> Result<Protocol, Trouble> {
    Ok(Protocol::new(name.parse()?, labeller_error)?)
}

/// How to fit.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
#[allow(clippy::struct_excessive_bools, reason = "they are independent of each other")]
pub(crate) struct Options {
    method: Option<String>,
    model: String,
    hidden: Option<Vec<usize>>,
    pub(crate) image: Option<[usize; 3]>,
    move_images: Option<usize>,
    epochs: Option<usize>,
    batch: Option<usize>,
    learning_rate: Option<f64>,
    weight_decay: Option<f64>,
    select: bool,
    hold_out: Option<f64>,
    folds: Option<usize>,
    calibrate: bool,
    seed: u64,
    feature_names: Option<Vec<String>>,
    pub(crate) threads: Option<usize>,
}

impl Options {
    pub(crate) fn options(&self) -> Result<FitOptions, Trouble> {
        let method = self.method.as_deref().map(str::parse).transpose()?;
        let options = FitOptions::new()
            .method(method)
            .model(self.model.parse()?)
            .hidden(self.hidden.clone())
            .image(self.image)
            .move_images(self.move_images)
            .epochs(self.epochs)
            .batch_rows(self.batch)
            .learning_rate(self.learning_rate)
            .weight_decay(self.weight_decay)
            .select(self.select)
            .hold_out(self.hold_out)
            .folds(self.folds)
            .calibrate(self.calibrate)
            .diagnose(true)
            .watch(true)
            .seed(self.seed);
        let Some(names) = &self.feature_names else { return Ok(options) };
        let columns = names.iter().map(Column::number).collect();
        Ok(options.features(Features::new(columns)?))
    }
}

/// How items are scored to check answers, or to estimate a prior from them.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Scorer {
    model: String,
    seed: u64,
    pool: bool,
    pub(crate) threads: Option<usize>,
}

impl Scorer {
    pub(crate) fn options(&self) -> Result<ScorerOptions, Trouble> {
        Ok(ScorerOptions { pool: self.pool, ..ScorerOptions::new(self.model.parse()?, self.seed) })
    }
}
