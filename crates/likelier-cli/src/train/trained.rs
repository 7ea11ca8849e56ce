//! What training says when it is done.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use likelier::estimate::Interval;
use likelier::estimate::metrics::Metrics;
use likelier::model::Architecture;
use likelier::{Method, Prior, Protocol};
use serde::Serialize;

use crate::judging::AtPrior;
use crate::output::range;
use crate::select::Selected;

/// What came out.
#[derive(Serialize)]
pub(crate) struct Trained<'a> {
    pub(crate) model: &'a Path,
    pub(crate) method: Method,
    pub(crate) learning_rate: f64,
    pub(crate) weight_decay: f64,
    /// What was chosen from.
    pub(crate) selection: Option<Selected>,
    pub(crate) architecture: &'a Architecture,
    pub(crate) prior: Prior,
    /// Where the prior was estimated.
    pub(crate) prior_interval: Option<Interval>,
    #[serde(flatten)]
    pub(crate) protocol: Protocol,
    pub(crate) items: usize,
    pub(crate) features: usize,
    pub(crate) comparisons: usize,
    pub(crate) held_out_comparisons: usize,
    pub(crate) epochs: usize,
    pub(crate) risk: f64,
    pub(crate) threshold: f32,
    pub(crate) seed: u64,
    /// How good the classifier is by the held-out comparisons.
    pub(crate) label_free: Option<Metrics>,
    /// Where the reports are.
    pub(crate) reports: Vec<PathBuf>,
    /// What other priors would have given.
    pub(crate) sensitivity: Option<Vec<AtPrior>>,
}

impl Trained<'_> {
    /// As it was stated; an estimate is rounded.
    fn shown_prior(&self) -> String {
        match self.prior_interval {
            Some(_) => format!("{:.3}", self.prior),
            None => self.prior.to_string(),
        }
    }

    /// For people.
    pub(super) fn text(&self) -> String {
        let mut text = format!(
            "{}\n  {} {} from {} comparisons of {} items with {} features\n  prior {}, {}, seed {}; {} epochs, risk \
             {:.4}\n",
            self.model.display(),
            self.method,
            self.architecture,
            self.comparisons,
            self.items,
            self.features,
            self.shown_prior(),
            self.protocol,
            self.seed,
            self.epochs,
            self.risk
        );
        if let Some(selection) = &self.selection {
            text.push_str(&selection.text());
        }
        if let Some(metrics) = &self.label_free {
            let _ =
                writeln!(text, "  without labels, by {} held-out comparisons:", self.held_out_comparisons);
            for (name, interval) in [
                ("accuracy", metrics.accuracy),
                ("balanced accuracy", metrics.balanced_accuracy),
                ("AUC", metrics.auc),
            ] {
                let shown = interval.clipped(0.0, 1.0);
                let _ = writeln!(
                    text,
                    "    {name:<18} {:.3} ({:.0} % interval {:.3} to {:.3})",
                    shown.value,
                    100.0 * shown.level,
                    shown.low,
                    shown.high
                );
            }
            if metrics.conservative {
                text.push_str(
                    "    intervals are wider than needed: the pairs were made with fixed class counts\n",
                );
            }
            for note in &metrics.notes {
                let _ = writeln!(text, "    note: {note}");
            }
        }
        if let Some(sweep) = &self.sensitivity {
            text.push_str("  were the prior another:\n    prior   accuracy (95 % interval)   called positive   changed\n");
            for at in sweep {
                let accuracy = at.accuracy.map_or("–".into(), |accuracy| {
                    format!("{:.3} ({})", accuracy.clipped(0.0, 1.0).value, range(&accuracy))
                });
                let _ = writeln!(
                    text,
                    "    {:<7} {accuracy:<26} {:>15.3} {:>9.3}",
                    format!("{:.3}", at.prior.positive()),
                    at.called_positive,
                    at.changed
                );
            }
        }
        for report in &self.reports {
            let _ = writeln!(text, "  report: {}", report.display());
        }
        text
    }
}
