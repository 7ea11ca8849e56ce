//! How good a classifier is, in the words of every verb: a point with its interval where equals were ordered by a coin,
//! else a range.

use likelier::estimate::Interval;
use likelier::estimate::metrics::{Metric, MetricRanges, Range, ThresholdChoice, Wish};
use likelier::{Judged, JudgedBy};

use crate::plan::name;
use crate::terminal::range;

/// A number that is told: a metric at the threshold, or the AUC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    At(Metric),
    Auc,
}

/// What matters most.
pub(crate) const MAIN: [Told; 3] =
    [Told::At(Metric::Accuracy), Told::At(Metric::BalancedAccuracy), Told::Auc];

impl Told {
    /// Everything that is told.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        Metric::ALL.into_iter().map(Self::At).chain([Self::Auc])
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::At(metric) => name(metric),
            Self::Auc => "AUC",
        }
    }

    /// If equals were ordered by a coin.
    pub(crate) fn point(self, judged: &Judged) -> Option<Interval> {
        match self {
            Self::At(metric) => judged.metrics.of(metric),
            Self::Auc => Some(judged.metrics.auc),
        }
    }

    pub(crate) fn range(self, ranges: &MetricRanges) -> Range {
        match self {
            Self::At(metric) => ranges.of(metric),
            Self::Auc => ranges.auc,
        }
    }
}

/// A number with what it may be off by, cut to what a share can be.
pub(crate) fn shown(told: Told, judged: &Judged) -> String {
    if let Some(ranges) = &judged.ranges {
        return ends(&told.range(ranges), 1.0);
    }
    told.point(judged).map_or("not known".into(), |interval| {
        format!("{:.3} ({})", interval.clipped(0.0, 1.0).value, range(&interval))
    })
}

/// Both ends with their sampling error, cut to what is possible.
pub(crate) fn ends(Range { low_end, high_end }: &Range, most: f64) -> String {
    let cut = |value: f64| value.clamp(0.0, most);
    format!(
        "{:.3} to {:.3} ({:.3} to {:.3} with sampling error)",
        cut(low_end.value),
        cut(high_end.value),
        cut(low_end.low),
        cut(high_end.high)
    )
}

/// The threshold for a wish, and what it gives, a line each.
pub(crate) fn wished(wish: Wish, choice: Option<&ThresholdChoice>) -> Vec<String> {
    let wanted = match wish {
        Wish::Precision(wanted) => format!("a precision of {wanted} or more"),
        Wish::Recall(wanted) => format!("a recall of {wanted} or more"),
        Wish::Cost { false_positive, false_negative } => {
            format!(
                "a low cost, where a false positive costs {false_positive} and a false negative {false_negative}"
            )
        }
    };
    let Some(choice) = choice else {
        return vec![format!(
            "for {wanted}: no threshold can be judged; too few items are scored differently"
        )];
    };
    let at = choice.threshold;
    let told = |name: &str, range: &Range, most: f64| {
        let shown = if range.low_end == range.high_end {
            let point = range.low_end.clipped(0.0, most);
            format!("{:.3} ({:.3} to {:.3})", point.value, point.low, point.high)
        } else {
            ends(range, most)
        };
        format!("  {name:<18} {shown}")
    };
    let mut lines = vec![match wish {
        Wish::Cost { .. } => format!("for {wanted}: threshold {at}"),
        _ if choice.met => format!("for {wanted}: threshold {at}"),
        _ => format!("no threshold is sure to have {wanted}; the surest is {at}"),
    }];
    if let Some(constant) = choice.constant_cost {
        lines.push(told("cost of a row", &choice.value, f64::INFINITY));
        let than = if choice.met { "less than" } else { "not for sure less than" };
        lines.push(format!("  {than} the {constant:.3} of calling every row the same"));
    }
    match &choice.precision {
        Some(precision) => lines.push(told("precision", precision, 1.0)),
        None => lines.push(format!("  {:<18} not known", "precision")),
    }
    lines.push(told("recall", &choice.recall, 1.0));
    lines.push(told("called positive", &choice.called_positive, 1.0));
    lines.push(format!(
        "  these intervals hold for all {} thresholds that were tried together, so the choice does not flatter them",
        choice.tried
    ));
    lines
}

/// The same with its name, where no heading says what the brackets hold.
pub(crate) fn line(told: Told, judged: &Judged) -> String {
    let shown = shown(told, judged);
    let level = 100.0 * judged.metrics.accuracy.level;
    let said = if judged.ranges.is_none() {
        shown.replacen('(', &format!("({level:.0} % interval "), 1)
    } else {
        shown
    };
    format!("{:<18} {said}", told.name())
}

/// Of which items the numbers speak, and who scored them.
pub(crate) fn whose(judged: &Judged, by: JudgedBy) -> String {
    let items = judged.items;
    match by {
        JudgedBy::Folds(folds) => format!(
            "for new items, without labels, by {folds} models that each left out a part of these {items} items"
        ),
        JudgedBy::HeldOut => format!("for new items, without labels, by {items} items that were held out"),
        JudgedBy::Given => format!("without labels, by {items} items"),
    }
}

/// What the ends of a range mean, and what would bring them closer; nothing for a point.
pub(crate) fn explanation(judged: &Judged) -> Vec<String> {
    let Some(ranges) = &judged.ranges else { return Vec::new() };
    let error = 100.0 * ranges.error_at_most;
    let mut sentences = vec![format!(
        "The high end holds if labellers order two items of one class by a coin toss, the low end if they order them by \
         degree just as the classifier does. Either way they are taken to get at most {error:.0} % of mixed pairs wrong \
         (--labeller-error-at-most)."
    )];
    if ranges.more_errors {
        sentences.push(format!(
            "Answers about one item have less in common than labellers who get at most {error:.0} % of mixed pairs wrong would \
             give them. Either they err more often, or the share of positives is wrong. In both cases this range is too narrow."
        ));
    }
    if ranges.recurring_items > 0 {
        sentences.push(format!(
            "It uses what the answers about each of {} items have in common, which limits how strongly equals can have been \
             graded.",
            ranges.recurring_items
        ));
    }
    sentences.push(if ranges.asked_again == 0 {
        // With more errors these explain any agreement (`plan` tells).
        let again =
            if ranges.error_at_most <= 0.05 { " ask some 200 of the pairs a second time," } else { "" };
        format!(
            "To narrow it, have some random items labelled (--labels),{again} or state a smaller error if you know it. If \
             equals really were tossed, say --equals coin."
        )
    } else {
        format!(
            "It uses {} pairs that were asked again. To narrow it, have some random items labelled (--labels), or state a \
             smaller error if you know it.",
            ranges.asked_again
        )
    });
    sentences
}
