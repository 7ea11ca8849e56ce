//! All numbers of a report, in one record: its JSON form, and what the other forms are made from.

use likelier::Epoch;
use likelier::estimate::calibration::CalibrationBin;
use likelier::estimate::diagnosis::{Diagnosis, Finding};
use likelier::estimate::importance::Importance;
use likelier::estimate::metrics::RocPoint;
use likelier::estimate::prior::PriorEstimator;
use likelier::estimate::{Interval, ProtocolTest};
use likelier::model::ProbabilityMap;
use serde::Serialize;

use super::example::Examples;
use super::inputs::InputFile;
use crate::trained::Trained;

/// Everything that a report says. Its first fields are those of `train --json`.
#[derive(Serialize)]
pub(super) struct Record<'a> {
    #[serde(flatten)]
    pub(super) trained: &'a Trained<'a>,
    pub(super) version: &'static str,
    pub(super) command_line: String,
    /// The day of the run.
    pub(super) date: String,
    /// The files that were read.
    pub(super) inputs: &'a [InputFile],
    /// How the prior was estimated, if it was.
    pub(super) prior_estimator: Option<PriorEstimator>,
    /// Whether it is known what was compared with what; else there were two loose piles.
    pub(super) paired: bool,
    /// What each epoch did.
    pub(super) learning: &'a [Epoch],
    /// What the comparisons look like, and what follows; none for loose piles.
    pub(super) diagnosis: Option<&'a Diagnosis>,
    pub(super) findings: Vec<Finding>,
    /// Were pairs dropped, by the held-out scores.
    pub(super) protocol_test: Option<&'a ProtocolTest>,
    /// The ROC curve, thinned out.
    pub(super) roc: Vec<RocPoint>,
    /// Whether probabilities are right, by the held-out comparisons.
    pub(super) calibration: Vec<CalibrationBin>,
    pub(super) probability: ProbabilityMap,
    /// Whether the map to probabilities was fitted.
    pub(super) calibrated: bool,
    pub(super) histogram: Option<Histogram>,
    /// The largest weights of a linear model, the largest first.
    pub(super) weights: Vec<FeatureWeight>,
    /// What a score depends on; none of images, and where that could not be told.
    pub(super) importance: Option<Importance>,
    /// Whether items are images, whose features have no names worth reading.
    #[serde(skip)]
    pub(super) images: bool,
    pub(super) examples: Examples,
}

/// Scores of the two piles.
#[derive(Serialize)]
pub(super) struct Histogram {
    /// Whether the comparisons are held-out ones.
    pub(super) held_out: bool,
    /// One more than there are bins. What lies beyond the ends is counted in the last bins.
    pub(super) edges: Vec<f64>,
    /// The share of each pile in each bin: likelier, other.
    pub(super) shares: [Vec<f64>; 2],
}

/// What a linear model adds to the score for one standard deviation (or unit) of a feature.
#[derive(Serialize)]
pub(super) struct FeatureWeight {
    pub(super) feature: String,
    pub(super) weight: f64,
}

/// An interval in words, cut to what a share can be.
pub(super) fn estimate(interval: &Interval) -> String {
    let shown = interval.clipped(0.0, 1.0);
    format!("{:.3} ({})", shown.value, crate::terminal::range(interval))
}
