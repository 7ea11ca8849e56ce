//! What training says when it is done.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use likelier::estimate::Interval;
use likelier::estimate::metrics::ThresholdChoice;
use likelier::estimate::selection::{Contender, Selection};
use likelier::model::{Architecture, ScalingKind};
use likelier::train::ImageMoves;
use likelier::words::count;
use likelier::{
    AtPrior, Fitted, Judged, JudgedBy, LabelAudit, Method, Prior, Protocol, RateSource, ReplyEstimate, Rows,
};
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
    pub(crate) scaling: ScalingKind,
    /// How images were moved while it learned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) moves: Option<ImageMoves>,
    /// What was chosen from.
    pub(crate) selection: Option<&'a Selection>,
    pub(crate) architecture: &'a Architecture,
    pub(crate) prior: Prior,
    /// Where the prior was estimated.
    pub(crate) prior_interval: Option<Interval>,
    /// How people replied, where ties, names, repetitions or sides could tell.
    pub(crate) replies: Option<&'a ReplyEstimate>,
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
            scaling: classifier.scaling().kind(),
            moves: fitted.config.moves,
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
        if self.scaling == ScalingKind::InverseFrequency {
            text.push_str(
                "  features count by how rare they are: held-out comparisons are more probable that way\n",
            );
        }
        if let Some(replies) = self.replies {
            text.push_str(&wrapped(&replies_text(replies), "  "));
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

/// How people replied, as training took it, and what answers do not tell of it.
fn replies_text(replies: &ReplyEstimate) -> String {
    let mut parts = Vec::new();
    let percent = |rate: f64, range: Option<&Interval>| {
        let share = |rate: f64| format!("{:.0}", 100.0 * rate);
        let range = range
            .map_or(String::new(), |range| format!(" ({} to {})", share(range.low), share(range.high)));
        format!("{} %{range}", share(rate))
    };
    if let Some(ties) = replies.rates.ties {
        let ranges = replies.tie_intervals.as_ref();
        let same = percent(ties.same_class(), ranges.map(|ranges| &ranges.same_class));
        let mixed = percent(ties.mixed(), ranges.map(|ranges| &ranges.mixed));
        let stated = if replies.ties_from == Some(RateSource::Stated) { ", as stated" } else { "" };
        parts.push(format!("ties on {same} of same-class pairs and {mixed} of mixed pairs{stated}"));
    }
    let errors = &replies.rates.errors;
    let range = replies.error_intervals.as_ref().and_then(|ranges| ranges.first());
    let [lowest, highest] = [f64::min as fn(f64, f64) -> f64, f64::max]
        .map(|pick| 100.0 * errors.iter().copied().reduce(pick).unwrap_or(0.0));
    let each = format!("people differ, wrong on {lowest:.0} to {highest:.0} % of mixed pairs");
    let same = |rate| format!("people wrong on {} of mixed pairs", percent(rate, range));
    parts.push(match (replies.errors_from, &errors[..]) {
        (RateSource::Stated, [one]) if replies.rates.leanings.is_empty() => {
            format!("{}, as stated", same(*one))
        }
        (RateSource::Stated, [one]) => format!("{} that they look at, from what is stated", same(*one)),
        (_, [one]) => same(*one),
        (RateSource::AroundStated, _) => format!("{each}, the mean as stated"),
        (RateSource::UpToALevel, _) => {
            format!("{each}; only how they differ is known, not how good they are together")
        }
        _ => each,
    });
    if replies.people_differ == Some(false) {
        parts.push("no sign that people differ in their errors".into());
    }
    parts.push(match (replies.degree_known, replies.rates.degree > 0.0) {
        (true, true) => "equals ordered by degree, not by a coin".into(),
        (true, false) => "equals ordered by a coin".into(),
        (false, _) => "whether equals are ordered by a coin is not known without pairs asked again".into(),
    });
    parts.extend(replies.by_side.map(|by_side| leaning_text(replies, by_side)));
    format!("how people answered: {}", parts.join("; "))
}

/// Who picks by the side.
fn leaning_text(replies: &ReplyEstimate, by_side: f64) -> String {
    let side = |leaning: f64| if leaning < 0.0 { "right" } else { "left" };
    match &replies.rates.leanings[..] {
        [] => "no sign that people lean to a side".into(),
        [one] => {
            let ranges = replies.leaning_intervals.as_ref();
            let range = ranges.and_then(|ranges| ranges.first()).map_or(String::new(), |range| {
                let [one, two] = [range.low, range.high].map(|end| 100.0 * end * one.signum());
                format!(" ({:.0} to {:.0})", one.min(two).max(0.0), one.max(two))
            });
            format!(
                "{:.0} %{range} of answers picked the {} item, whatever it was",
                100.0 * by_side,
                side(*one)
            )
        }
        each => {
            let stronger = |most: f64, one: f64| if one.abs() > most.abs() { one } else { most };
            let most = each.iter().copied().fold(0.0, stronger);
            format!(
                "{:.0} % of answers picked a side, whatever stood there; one person the {} in {:.0} %",
                100.0 * by_side,
                side(most),
                100.0 * most.abs()
            )
        }
    }
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
    use likelier::{ReplyRates, TieIntervals, TieRates};

    use super::*;

    #[test]
    fn what_answers_do_not_tell_of_people_is_said() {
        let interval = |value, low, high| Interval { value, low, high, level: 0.95 };
        let mut replies = ReplyEstimate {
            rates: ReplyRates {
                errors: vec![0.05],
                ties: Some(TieRates::new(0.36, 0.1).unwrap()),
                degree: 0.0,
                leanings: Vec::new(),
            },
            errors_from: RateSource::Stated,
            people_differ: Some(false),
            error_intervals: None,
            ties_from: Some(RateSource::Estimated),
            tie_intervals: Some(TieIntervals {
                same_class: interval(0.36, 0.3, 0.42),
                mixed: interval(0.1, 0.05, 0.16),
            }),
            degree_known: false,
            leaning_intervals: None,
            by_side: None,
        };
        assert_eq!(
            replies_text(&replies),
            "how people answered: ties on 36 % (30 to 42) of same-class pairs and 10 % (5 to 16) of mixed pairs; people wrong on \
             5 % of mixed pairs, as stated; no sign that people differ in their errors; whether equals are ordered by a coin is not \
             known without pairs asked again"
        );
        replies.ties_from = Some(RateSource::Stated);
        replies.tie_intervals = None;
        replies.rates.errors = vec![0.02, 0.3];
        replies.people_differ = Some(true);
        replies.errors_from = RateSource::UpToALevel;
        assert_eq!(
            replies_text(&replies),
            "how people answered: ties on 36 % of same-class pairs and 10 % of mixed pairs, as stated; people differ, wrong on 2 to \
             30 % of mixed pairs; only how they differ is known, not how good they are together; whether equals are \
             ordered by a coin is not known without pairs asked again"
        );
        replies.errors_from = RateSource::AroundStated;
        assert!(replies_text(&replies).contains("2 to 30 % of mixed pairs, the mean as stated"));
        replies.rates.errors = vec![0.1];
        replies.errors_from = RateSource::Estimated;
        replies.error_intervals = Some(vec![interval(0.1, 0.04, 0.21)]);
        replies.degree_known = true;
        let text = replies_text(&replies);
        assert!(text.contains("people wrong on 10 % (4 to 21) of mixed pairs"), "{text}");
        assert!(text.ends_with("equals ordered by a coin"), "{text}");
        replies.by_side = Some(0.0);
        let ends = |replies: &ReplyEstimate, with: &str| {
            let text = replies_text(replies);
            assert!(text.ends_with(with), "{text}");
        };
        ends(&replies, "equals ordered by a coin; no sign that people lean to a side");
        (replies.rates.leanings, replies.by_side) = (vec![-0.2], Some(0.2));
        replies.leaning_intervals = Some(vec![interval(-0.2, -0.3, -0.1)]);
        ends(&replies, "20 % (10 to 30) of answers picked the right item, whatever it was");
        replies.errors_from = RateSource::Stated;
        let text = replies_text(&replies);
        let looking =
            "people wrong on 10 % (4 to 21) of mixed pairs that they look at, from what is stated";
        assert!(text.contains(looking), "{text}");
        (replies.rates.leanings, replies.by_side) = (vec![0.02, -0.4, 0.6], Some(0.35));
        ends(&replies, "35 % of answers picked a side, whatever stood there; one person the left in 60 %");
    }

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
