//! Whether the comparisons are what they are said to be, and what share is positive.

use likelier::estimate::Verdict;
use likelier::estimate::diagnosis::Severity;
use likelier::estimate::prior::PriorEstimator;
use likelier::{Collection, Protocol};

use super::super::record::{Record, estimate};
use super::advice::sentence;
use crate::document::{Block, Section, Table};
use crate::plot::{Axis, Plot, Series};

/// What a protocol means.
pub(super) fn meaning(protocol: &Protocol) -> &'static str {
    match protocol.collection() {
        Collection::Discard => {
            "a pair was dropped when the first item was negative and the second positive"
        }
        Collection::ForcedChoice => "every pair was kept, in the order that was chosen",
    }
}

pub(super) fn section(record: &Record<'_>) -> Section {
    let mut blocks = vec![Block::Text(verdict(record))];
    if let Some(diagnosis) = record.diagnosis {
        let mut table = Table::new(["what", "count"]);
        for (what, count) in [
            ("comparisons, including ties", diagnosis.comparisons),
            ("different pairs of items", diagnosis.pairs),
            ("pairs compared more than once", diagnosis.repeated_pairs),
            ("pairs recorded in both orders", diagnosis.contradicted_pairs),
            ("groups of items likelier than each other in a circle", diagnosis.knots),
            ("items never compared", diagnosis.never_compared),
            ("groups of items that no comparison joins", diagnosis.islands),
        ] {
            table.row([what.to_owned(), count.to_string()]);
        }
        if let Some(ties) = &diagnosis.ties {
            table.row(["share of ties (95 % interval)".into(), estimate(ties)]);
        }
        if let Some(annotators) = &diagnosis.annotators {
            table.row(["annotators".into(), annotators.annotators.len().to_string()]);
        }
        blocks.push(Block::Table(table));
    }
    // The graver ones stand at the top of the report.
    let notes = record.findings.iter().filter(|finding| finding.severity == Severity::Note);
    let notes: Vec<String> = notes.map(|finding| sentence(&finding.message)).collect();
    if !notes.is_empty() {
        blocks.push(Block::List(notes));
    }
    Section {
        id: "comparisons",
        title: "The comparisons",
        lead: "Everything above rests on how the comparisons were collected, so that was checked as far as possible."
            .into(),
        blocks,
    }
}

/// What the data say about the protocol.
fn verdict(record: &Record<'_>) -> String {
    let stated = record.trained.protocol;
    let stated = format!("The stated protocol is {stated}: {}.", meaning(&stated));
    let Some(test) = record.protocol_test else {
        if !record.paired {
            return format!(
                "{stated} Two loose piles do not show whether that is true: they do not say what was compared with what."
            );
        }
        return format!(
            "{stated} It was not tested whether the data agree: that takes at least {} held-out comparisons.",
            likelier::estimate::FEWEST
        );
    };
    let found = match (test.contradiction(&record.trained.protocol), test.verdict) {
        (Some(_), _) => "The held-out comparisons contradict that",
        (None, Verdict::Unknown) => "The held-out comparisons do not show whether that is true",
        (None, _) => "The held-out comparisons agree",
    };
    format!(
        "{stated} {found}. The test asks how the two sides of a comparison vary together: a ratio of 1 or more points to \
         discard, one of ¼ to forced choice. Here {}.",
        test.note
    )
}

/// The share of positives as what it is: stated, or estimated, with its interval and from what.
pub(super) fn believed(record: &Record<'_>) -> String {
    match &record.trained.prior_interval {
        Some(interval) => format!("estimated as {} from {}", estimate(interval), from(record)),
        None => format!("stated as {}", record.trained.shown_prior()),
    }
}

/// What the share of positives was estimated from.
pub(super) fn from(record: &Record<'_>) -> &'static str {
    match record.prior_estimator {
        Some(PriorEstimator::KeptShare) => "the share of shown pairs that was kept",
        Some(PriorEstimator::BestBin) | None => "the comparisons, by the tails of their scores",
        Some(PriorEstimator::Pool) => "the comparisons, held against all items",
        Some(PriorEstimator::Labels) => "labels of items that were chosen at random",
    }
}

pub(super) fn prior(record: &Record<'_>) -> Section {
    let trained = record.trained;
    let known = match trained.prior_interval {
        Some(_) => {
            format!("It was {}. If you know it better, state it with --prior.", believed(record))
        }
        None => format!("It was {}; nothing here checks it.", believed(record)),
    };
    let mut blocks = vec![Block::Text(known)];
    match &trained.sensitivity {
        None => blocks.push(Block::Text(
            "This run did not try how much depends on it: train with --sensitivity to see what five other values would \
             give."
                .into(),
        )),
        Some(sweep) => {
            let mut table =
                Table::new(["share of positives", "accuracy (95 % interval)", "called positive", "changed"]);
            for at in *sweep {
                table.row([
                    format!("{:.3}", at.prior.positive()),
                    at.accuracy.as_ref().map_or_else(|| "–".into(), estimate),
                    format!("{:.3}", at.called_positive),
                    format!("{:.3}", at.changed),
                ]);
            }
            let points = |of: fn(&likelier::AtPrior) -> f64| {
                sweep.iter().map(|at| (at.prior.positive(), of(at))).collect::<Vec<_>>()
            };
            let plot = Plot::new(
                "If the share of positives were different",
                "assumed share of positives",
                Axis::new("share of the items").within(0.0, 1.0),
                "The model was trained again at each of these values. If the curve of items called differently stays near 0, \
                 the answer does not depend much on knowing the share of positives exactly.",
            )
            .line(Series::new("called positive", points(|at| at.called_positive)))
            .line(Series::new("called differently than now", points(|at| at.changed)));
            blocks.push(Block::Figure(plot, Table::default()));
            blocks.push(Block::Table(table));
        }
    }
    Section {
        id: "prior",
        title: "The share of positives",
        lead: "The share of positives in the population decides where the line between the classes lies; comparisons \
               alone say little about it."
            .into(),
        blocks,
    }
}
