//! What training says when it is done.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use likelier::estimate::Interval;
use likelier::estimate::metrics::ThresholdChoice;
use likelier::estimate::selection::{Contender, Selection};
use likelier::model::Architecture;
use likelier::words::count;
use likelier::{AtPrior, Fitted, Judged, JudgedBy, LabelAudit, Method, Prior, Protocol, ReplyRates, Rows};
use serde::Serialize;

use crate::judged::{MAIN, explanation, line, whose, wished};
use crate::terminal::{range, wrapped};

/// What came out.
#[derive(Serialize)]
pub(crate) struct Trained<'a> {
    #[serde(serialize_with = "crate::terminal::path_text")]
    pub(crate) model: &'a Path,
    pub(crate) method: Method,
    pub(crate) learning_rate: f64,
    pub(crate) weight_decay: f64,
    /// What was chosen from.
    pub(crate) selection: Option<&'a Selection>,
    pub(crate) architecture: &'a Architecture,
    pub(crate) prior: Prior,
    /// Where the prior was estimated.
    pub(crate) prior_interval: Option<Interval>,
    /// How people replied, where ties, names or repetitions could tell.
    pub(crate) replies: Option<&'a ReplyRates>,
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
    /// How good the classifier is on new items.
    pub(crate) label_free: Option<&'a Judged>,
    /// How good it is on the items that it was trained on.
    pub(crate) these_items: Option<&'a Judged>,
    /// What labels say, where some were given.
    pub(crate) audit: Option<&'a LabelAudit>,
    /// The threshold for a wish.
    pub(crate) threshold_for: Option<ThresholdChoice>,
    /// Who scored the items that it is judged by.
    pub(crate) judged_by: Option<JudgedBy>,
    /// Where the reports are.
    #[serde(serialize_with = "crate::terminal::path_texts")]
    pub(crate) reports: Vec<PathBuf>,
    /// What other priors would have given.
    pub(crate) sensitivity: Option<&'a [AtPrior]>,
}

impl<'a> Trained<'a> {
    /// What came out of a fit that was written to this file.
    pub(crate) fn new(
        model: &'a Path,
        fitted: &'a Fitted,
        rows: &Rows,
        seed: u64,
        reports: Vec<PathBuf>,
    ) -> Self {
        let classifier = &fitted.classifier;
        let assessment = fitted.assessment.as_ref();
        let label_free = assessment.map(|assessment| &assessment.new_items);
        let last = fitted.epochs.last().map(|epoch| epoch.of).unwrap_or_default();
        Self {
            model,
            method: fitted.config.method,
            learning_rate: fitted.config.learning_rate,
            weight_decay: fitted.config.weight_decay,
            selection: fitted.selection.as_ref(),
            architecture: classifier.architecture(),
            prior: fitted.prior.prior,
            prior_interval: fitted.prior.estimated,
            replies: fitted.replies.as_ref(),
            protocol: classifier.setting().protocol,
            items: rows.len(),
            features: rows.width(),
            comparisons: classifier.summary().comparisons,
            held_out_comparisons: label_free
                .map_or(0, |judged| judged.metrics.sizes[0].max(judged.metrics.sizes[1])),
            epochs: last.epoch,
            risk: last.risk,
            threshold: classifier.threshold(),
            seed,
            label_free,
            these_items: assessment.and_then(|assessment| assessment.these_items.as_ref()),
            audit: fitted.audit.as_ref(),
            threshold_for: fitted.threshold_for,
            judged_by: assessment.map(|assessment| assessment.judged_by),
            reports,
            sensitivity: fitted.sensitivity.as_deref(),
        }
    }

    /// As it was stated; an estimate is rounded.
    pub(crate) fn shown_prior(&self) -> String {
        match self.prior_interval {
            Some(_) => format!("{:.3}", self.prior),
            None => ((1e4 * self.prior.positive()).round() / 1e4).to_string(),
        }
    }

    /// For people.
    pub(crate) fn text(&self) -> String {
        let mut text = format!(
            "{}\n  {} {} from {} of {} with {}\n  prior {}, {}, seed {}; {}, risk \
             {:.4}\n",
            self.model.display(),
            self.method,
            self.architecture,
            count(self.comparisons, "comparison"),
            count(self.items, "item"),
            count(self.features, "feature"),
            self.shown_prior(),
            self.protocol,
            self.seed,
            count(self.epochs, "epoch"),
            self.risk
        );
        if let Some(rates) = self.replies {
            text.push_str(&wrapped(&replies_text(rates), "  "));
        }
        if let Some(selection) = self.selection {
            text.push_str(&selection_text(selection));
        }
        if let (Some(judged), Some(by)) = (self.label_free, self.judged_by) {
            let _ = writeln!(text, "  {}:", whose(judged, by));
            for metric in MAIN {
                let _ = writeln!(text, "    {}", line(metric, judged));
            }
            for sentence in explanation(judged) {
                text.push_str(&wrapped(&sentence, "    "));
            }
            if let Some(choice) = &self.threshold_for {
                for line in wished(choice.wish, Some(choice)) {
                    let _ = writeln!(text, "  {line}");
                }
            }
            if let Some(audit) = self.audit {
                text.push_str(&audit_text(audit));
            }
            if let Some(these) = self.these_items {
                let _ = writeln!(
                    text,
                    "  for the items at hand, which it was trained on:\n    {}",
                    line(MAIN[0], these)
                );
            }
            if judged.metrics.conservative {
                text.push_str(
                    "    intervals are wider than needed: the pairs were made with fixed class counts\n",
                );
            }
            for note in &judged.metrics.notes {
                let _ = writeln!(text, "    note: {note}");
            }
        }
        if let Some(sweep) = &self.sensitivity {
            text.push_str(
                "  with other priors:\n    prior   accuracy (95 % interval)   called positive   changed\n",
            );
            for at in *sweep {
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

/// How people replied, as training took it.
fn replies_text(rates: &ReplyRates) -> String {
    let mut parts = Vec::new();
    if let Some(ties) = rates.ties {
        parts.push(format!(
            "ties on {:.0} % of same-class pairs and {:.0} % of mixed pairs",
            100.0 * ties.same_class(),
            100.0 * ties.mixed()
        ));
    }
    let [lowest, highest] = [f64::min as fn(f64, f64) -> f64, f64::max]
        .map(|pick| rates.errors.iter().copied().reduce(pick).unwrap_or(0.0));
    parts.push(if rates.errors.len() > 1 {
        format!("each person wrong on {:.0} to {:.0} % of mixed pairs", 100.0 * lowest, 100.0 * highest)
    } else {
        format!("people wrong on {:.0} % of mixed pairs", 100.0 * lowest)
    });
    if rates.degree > 0.0 {
        parts.push("equals ordered by degree, not by a coin".into());
    }
    format!("how people answered, by training's estimate or as stated: {}", parts.join("; "))
}

/// What labels say.
fn audit_text(audit: &LabelAudit) -> String {
    let mut text = format!(
        "  by {}:\n    accuracy           {:.3} ({})\n",
        count(audit.labels, "random label"),
        audit.accuracy.value,
        range(&audit.accuracy)
    );
    let _ = match audit.combined {
        Some([low, high]) => writeln!(
            text,
            "    together           {:.3} to {:.3}: what both allow",
            low.clamp(0.0, 1.0),
            high.clamp(0.0, 1.0)
        ),
        None => writeln!(text, "    together           nothing: they contradict each other"),
    };
    let _ = writeln!(text, "    share of positives {:.3} ({})", audit.prior.value, range(&audit.prior));
    if let Some(error) = audit.labeller_error {
        let _ = writeln!(text, "    labeller error     {:.3} ({})", error.value, range(&error));
    }
    text
}

/// What was chosen from, and how.
fn selection_text(selection: &Selection) -> String {
    let names = selection.candidates.iter().map(|one| one.name.len());
    let width = names.chain(["candidate".len()]).max().unwrap_or(0);
    let mut text = format!(
        "  chosen from {}, by the {} of {} comparisons in {} folds (lower is better):\n    {:<width$}  held out   \
             ahead of the default\n",
        selection.candidates.len(),
        selection.yardstick,
        selection.comparisons,
        selection.folds,
        "candidate"
    );
    for Contender { name, standing } in &selection.candidates {
        let mark = if *name == selection.chosen { "→" } else { " " };
        let _ = match standing {
            Some(of) if *name == selection.default => {
                writeln!(text, "  {mark} {name:<width$}    {:.4}   the default", of.value.value)
            }
            Some(of) => writeln!(
                text,
                "  {mark} {name:<width$}    {:.4}   {:.4} ± {:.4}",
                of.value.value, of.ahead, of.standard_error
            ),
            None => writeln!(text, "  {mark} {name:<width$}         –   its training broke down"),
        };
    }
    let needed = selection.needed_errors;
    let chosen = selection.candidates.iter().find(|one| one.name == selection.chosen);
    let _ = match chosen.and_then(|one| one.standing) {
        Some(of) if selection.chosen != selection.default => writeln!(
            text,
            "  → is clearly better than the default (difference {:.4} ± {:.4}, more than {needed:.1} standard errors)",
            of.ahead, of.standard_error
        ),
        _ => writeln!(
            text,
            "  → is the default; no candidate is clearly better (ahead by more than {needed:.1} standard errors, ±)"
        ),
    };
    text
}

#[cfg(test)]
mod tests {
    use likelier::estimate::selection::{Standing, Yardstick};

    use super::*;

    #[test]
    fn the_table_marks_the_chosen_one_and_says_whose_training_broke_down() {
        let standing = |value, ahead, standard_error| Standing {
            value: Interval { value, low: value, high: value, level: 0.95 },
            ahead,
            standard_error,
        };
        let one = |name: &str, standing| Contender { name: name.into(), standing };
        let selection = |chosen: &str, error| Selection {
            yardstick: Yardstick::Orientation,
            comparisons: 100,
            folds: 5,
            chosen: chosen.into(),
            default: "first".into(),
            best: "second".into(),
            needed_errors: 1.645,
            candidates: vec![
                one("wild", None),
                one("first", Some(standing(0.51, 0.0, 0.0))),
                one("second", Some(standing(0.5, 0.01, error))),
            ],
        };
        assert_eq!(
            selection_text(&selection("first", 0.02)),
            "  chosen from 3, by the orientation of 100 comparisons in 5 folds (lower is better):
    candidate  held out   ahead of the default
    wild              –   its training broke down
  → first        0.5100   the default
    second       0.5000   0.0100 ± 0.0200
  → is the default; no candidate is clearly better (ahead by more than 1.6 standard errors, ±)
"
        );
        assert_eq!(
            selection_text(&selection("second", 0.002)).lines().last(),
            Some(
                "  → is clearly better than the default (difference 0.0100 ± 0.0020, more than 1.6 standard errors)"
            )
        );
    }
}
