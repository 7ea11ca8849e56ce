//! `likelier plan`: how many comparisons are enough, before any is made.

use std::fmt::Write as _;

use clap::Args;
use likelier::estimate::metrics::{Metric, Range};
use likelier::estimate::planning::{Assumed, LinearBound, Plan};
use likelier::risk::Loss;
use likelier::{Collection, ERROR_AT_MOST, LEVEL, Prior, Protocol};
use serde::Serialize;

use crate::terminal::{Result, print_json, print_text, wrapped};

/// Say how many comparisons are needed to know how good a classifier is.
///
/// The numbers are of held-out comparisons, which no model is trained on. `likelier train` holds out one in
/// five, so collect five times as many.
#[derive(Args)]
#[command(after_help = "Examples:
  How many comparisons give accuracy ± 0.03?
    likelier plan --prior 0.3 --protocol forced-choice --half-width 0.03
  How precise are 2000 comparisons if one in ten mixed pairs is judged wrongly?
    likelier plan --prior 0.3 --protocol forced-choice --labeller-error 0.1 --comparisons 2000
  What do 300 pairs that are asked twice add, if labellers get at most one in twenty mixed pairs wrong?
    likelier plan --prior 0.3 --protocol forced-choice --comparisons 2000 --asked-again 300 \\
        --labeller-error-at-most 0.05
  What is proved about a linear model with weights of norm up to 1 on rows of norm up to 4?
    likelier plan --prior 0.3 --protocol discard --comparisons 100000 --weight-norm 1 --row-norm 4")]
pub(crate) struct PlanVerb {
    /// The share of positives in the population.
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    prior: String,
    /// What will happen to the pairs that are shown: "discard" drops (negative, positive) pairs,
    /// "forced-choice" keeps every pair.
    #[arg(long, value_name = "discard|forced-choice")]
    protocol: String,
    /// How often the labeller will get a mixed pair wrong.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, allow_negative_numbers = true)]
    labeller_error: f64,
    /// How accurate you expect the classifier to be, in both classes.
    #[arg(long, value_name = "SHARE", default_value_t = 0.9, allow_negative_numbers = true)]
    accuracy: f64,
    /// The half-width that the 95 % intervals should have [default: 0.1, 0.05, 0.02 and 0.01].
    #[arg(long, value_name = "WIDTH", conflicts_with = "comparisons", allow_negative_numbers = true)]
    half_width: Option<f64>,
    /// The number of held-out comparisons there will be.
    #[arg(long, value_name = "N")]
    comparisons: Option<usize>,
    /// How many of the pairs will be asked a second time [default: a few numbers are shown].
    #[arg(long, value_name = "N")]
    asked_again: Option<usize>,
    /// If it is not known how labellers order two items of one class: the share of mixed pairs that they get wrong at the
    /// most [default: the labeller error if that is above 0, else 0.2].
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    labeller_error_at_most: Option<f64>,
    /// For the paper's bounds: the largest norm of the weights of a linear model …
    #[arg(long, value_name = "NORM", requires_all = ["row_norm", "comparisons"])]
    weight_norm: Option<f64>,
    /// … and the largest norm of a row, as scaled for training.
    #[arg(long, value_name = "NORM", requires = "weight_norm")]
    row_norm: Option<f64>,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

/// How often a bound may fail.
const FAILURE: f64 = 0.05;
/// What is shown where nothing is asked for.
const WIDTHS: [f64; 4] = [0.1, 0.05, 0.02, 0.01];

/// What is to be expected.
#[derive(Serialize)]
struct Expected {
    prior: Prior,
    #[serde(flatten)]
    protocol: Protocol,
    accuracy: f64,
    level: f64,
    /// Each metric with a number of held-out comparisons and the half-width they give.
    precision: Vec<PlanRow>,
    /// The range of the accuracy where equals may be ordered by degree.
    ranges: PlannedRanges,
    #[serde(skip_serializing_if = "Option::is_none")]
    bounds: Option<Bounds>,
}

#[derive(Serialize)]
struct PlanRow {
    metric: Metric,
    comparisons: usize,
    half_width: f64,
}

/// What asking pairs again does to the range of the accuracy.
#[derive(Serialize)]
struct PlannedRanges {
    error_at_most: f64,
    comparisons: usize,
    rows: Vec<PlannedRange>,
    /// The largest error at most at which the last row is narrower than the first; none where there is no such.
    helps_up_to: Option<f64>,
}

#[derive(Serialize)]
struct PlannedRange {
    asked_again: usize,
    accuracy: Range,
}

/// Pairs that a range is told for, where no number is given.
const PAIRS: usize = 1000;
/// Pairs that are asked again, where no number is given.
const AGAIN: [usize; 4] = [0, 50, 200, 500];
/// What counts as narrower.
const NARROWER: f64 = 0.01;

/// How much higher than the best linear model's the risk of the trained one can be.
#[derive(Serialize)]
struct Bounds {
    theorem_4: f64,
    theorem_7: f64,
    /// The largest loss that can occur: a bound above it (above twice it for Theorem 7) says nothing.
    largest_loss: f64,
    failure: f64,
}

impl PlanVerb {
    pub(crate) fn run(&self) -> Result<()> {
        let protocol = Protocol::new(self.protocol.parse()?, self.labeller_error)?;
        let prior: Prior = self.prior.parse()?;
        let plan = Plan { prior, protocol, assumed: Assumed::Accuracy(self.accuracy), level: LEVEL };
        let mut precision = Vec::new();
        for metric in Metric::ALL {
            if let Some(comparisons) = self.comparisons {
                let half_width = plan.half_width(metric, at_least_one(comparisons)?)?;
                precision.push(PlanRow { metric, comparisons, half_width });
                continue;
            }
            let widths = self.half_width.as_ref().map_or(&WIDTHS[..], std::slice::from_ref);
            for &half_width in widths {
                let comparisons = plan.comparisons(metric, half_width)?;
                precision.push(PlanRow { metric, comparisons, half_width });
            }
        }
        let ranges = self.ranges(&plan)?;
        let bounds = self.bounds(prior, protocol)?;
        let expected =
            Expected { prior, protocol, accuracy: self.accuracy, level: LEVEL, precision, ranges, bounds };
        if self.json { print_json("plan", &expected, &[]) } else { print_text(&expected.text(), &[]) }
    }

    fn ranges(&self, plan: &Plan) -> Result<PlannedRanges> {
        let error = plan.protocol.labeller_error();
        let stated = if error > 0.0 { error } else { ERROR_AT_MOST };
        let error_at_most = self.labeller_error_at_most.unwrap_or(stated);
        let comparisons = self.comparisons.unwrap_or(PAIRS);
        // Under discard nothing follows from pairs that are asked again.
        let useful = plan.protocol.collection() == Collection::ForcedChoice;
        let asked: Vec<usize> = match self.asked_again {
            Some(again) if again > 0 => vec![0, again],
            None if useful => AGAIN.into_iter().filter(|again| *again <= comparisons).collect(),
            _ => vec![0],
        };
        let width = |again, error| {
            Ok::<_, likelier::Error>(plan.range(Metric::Accuracy, comparisons, again, error)?.width())
        };
        let most = asked.last().copied().unwrap_or(0);
        let mut helps_up_to = None;
        for step in 0..30 {
            let bound = f64::from(step) / 100.0;
            if bound >= error && width(most, bound)? < width(0, bound)? - NARROWER {
                helps_up_to = Some(bound);
            }
        }
        let rows = asked
            .into_iter()
            .map(|asked_again| {
                let accuracy = plan.range(Metric::Accuracy, comparisons, asked_again, error_at_most)?;
                Ok(PlannedRange { asked_again, accuracy })
            })
            .collect::<Result<_>>()?;
        Ok(PlannedRanges { error_at_most, comparisons, rows, helps_up_to })
    }

    fn bounds(&self, prior: Prior, protocol: Protocol) -> Result<Option<Bounds>> {
        let (Some(weights), Some(rows), Some(comparisons)) =
            (self.weight_norm, self.row_norm, self.comparisons)
        else {
            return Ok(None);
        };
        let bound = LinearBound::of_loss(Loss::Logistic, comparisons, weights, rows, FAILURE);
        Ok(Some(Bounds {
            theorem_4: bound.theorem_4(prior, protocol)?,
            theorem_7: bound.theorem_7(prior, protocol)?,
            largest_loss: bound.largest_loss,
            failure: FAILURE,
        }))
    }
}

fn at_least_one(comparisons: usize) -> Result<usize> {
    if comparisons > 0 {
        return Ok(comparisons);
    }
    Err(likelier::Error::Setting { name: "--comparisons", value: "0".into(), allowed: "at least 1" }.into())
}

impl Expected {
    fn text(&self) -> String {
        let mut text = format!(
            "For a classifier that is right on {} of each class, at prior {} under {}:\n\n",
            self.accuracy, self.prior, self.protocol
        );
        let _ = writeln!(text, "{:<22}{:>13}{:>22}", "metric", "95 % interval", "held-out comparisons");
        for row in &self.precision {
            let width = if row.half_width < 0.001 {
                format!("± {:.1e}", row.half_width)
            } else {
                format!("± {:.3}", row.half_width)
            };
            let _ = writeln!(text, "{:<22}{width:>13}{:>22}", name(row.metric), row.comparisons);
        }
        text.push_str("\n`likelier train` holds out one comparison in five: collect five times as many.\n");
        text.push_str(&self.ranges.text());
        if let Some(bounds) = &self.bounds {
            text.push_str(&bounds.text());
        }
        text
    }
}

impl PlannedRanges {
    fn text(&self) -> String {
        let mut text = format!(
            "\nIf it is not known how labellers order two items of one class (--equals unknown), and they get at most {:.0} % \
             of\nmixed pairs wrong, {} held-out comparisons give a range:\n\n{:<22}{:>20}{:>24}{:>9}\n",
            100.0 * self.error_at_most,
            self.comparisons,
            "pairs asked twice",
            "accuracy",
            "with sampling error",
            "width"
        );
        let cut = |value: f64| value.clamp(0.0, 1.0);
        for PlannedRange { asked_again, accuracy: Range { low_end, high_end } } in &self.rows {
            let ends = |low: f64, high: f64| format!("{:.3} to {:.3}", cut(low), cut(high));
            let _ = writeln!(
                text,
                "{asked_again:<22}{:>20}{:>24}{:>9.3}",
                ends(low_end.value, high_end.value),
                ends(low_end.low, high_end.high),
                cut(high_end.high) - cut(low_end.low)
            );
        }
        let Some(most) = self.rows.last().map(|row| row.asked_again).filter(|most| *most > 0) else {
            return text;
        };
        let last = match self.helps_up_to {
            Some(bound) if bound >= self.error_at_most => format!(
                "This is if equals are in truth tossed; the more they are graded, the less asking again narrows. \
                 {most} pairs asked twice help while labellers get at most {:.0} % of mixed pairs wrong.",
                100.0 * bound
            ),
            Some(bound) => format!(
                "With at most {:.0} % wrong, asking again narrows nothing: so many errors can explain any agreement. \
                 {most} pairs asked twice help up to {:.0} %. Random labels help always (docs/trust.md).",
                100.0 * self.error_at_most,
                100.0 * bound
            ),
            None => format!(
                "{most} pairs asked twice narrow nothing, whatever the bound. Random labels help always (docs/trust.md)."
            ),
        };
        text.push_str(&wrapped(&last, ""));
        text
    }
}

impl Bounds {
    fn text(&self) -> String {
        // The risk of Theorem 7 is twice a mean loss.
        let line = |theorem: &str, bound: f64, most: f64| {
            let says = if bound < most { "" } else { ", more than any model can lose: it says nothing" };
            format!("  {theorem}: {bound:.3}{says}\n")
        };
        format!(
            "\nProved for a linear model trained on that many comparisons: except in {:.0} % of cases, its risk (mean \
             logistic loss)\nexceeds that of the best linear model by at most\n{}{}\
             These are bounds for the worst case; in practice it is usually far better.\n",
            100.0 * self.failure,
            line("Theorem 4, pcomp-unbiased", self.theorem_4, self.largest_loss),
            line(
                "Theorem 7, rank-pruning where classes do not overlap",
                self.theorem_7,
                2.0 * self.largest_loss
            )
        )
    }
}

/// What a metric is called in tables.
pub(crate) fn name(metric: Metric) -> &'static str {
    match metric {
        Metric::Accuracy => "accuracy",
        Metric::BalancedAccuracy => "balanced accuracy",
        Metric::TruePositiveRate => "true positive rate",
        Metric::FalsePositiveRate => "false positive rate",
        Metric::Precision => "precision",
        Metric::F1 => "F1",
        Metric::CalledPositive => "called positive",
    }
}
