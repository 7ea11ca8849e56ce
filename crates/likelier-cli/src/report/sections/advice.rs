//! What to look at first: everything that stands in the way of using the classifier, and what to do about it.

use likelier::estimate::diagnosis::Severity;

use super::super::record::Record;
use crate::document::{Block, Section};
use likelier::Warning;

pub(super) fn section(record: &Record<'_>, warnings: &[Warning]) -> Option<Section> {
    let remark = |grave: bool, text: &str, advice: &str| Block::Remark {
        grave,
        text: sentence(text),
        advice: advice.to_owned(),
    };
    let mut blocks: Vec<Block> = warnings
        .iter()
        .map(|warning| remark(warning.is_grave(), &warning.to_string(), warning.advice()))
        .collect();
    for finding in &record.findings {
        // What reading the files found is among the warnings already.
        let grave = finding.severity == Severity::Serious;
        if grave || finding.severity == Severity::Warning {
            blocks.push(remark(grave, &finding.message, ""));
        }
    }
    if let Some(metrics) = record.trained.label_free.map(|judged| &judged.metrics) {
        for note in &metrics.notes {
            blocks.push(remark(false, &note.to_string(), note.advice()));
        }
        if metrics.called_positive.low > record.trained.prior.positive()
            || metrics.called_positive.high < record.trained.prior.positive()
        {
            blocks.push(remark(
                false,
                &format!(
                    "the classifier calls {:.3} of the population positive, although the share of positives is {}",
                    metrics.called_positive.value.clamp(0.0, 1.0),
                    super::comparisons::believed(record)
                ),
                "If finding every positive matters more, or avoiding every false alarm does, choose another threshold \
                 with the ROC curve; the scores stay the same.",
            ));
        }
    }
    if bites_at_the_end(record) {
        blocks.push(remark(
            false,
            "in the last epochs a part of the risk was negative in most mini-batches, which no true risk is: the model \
             fits these comparisons more closely than it should",
            "Nothing to do unless the accuracy by epoch falls. If it does, try fewer epochs, more --weight-decay, or more \
             comparisons.",
        ));
    }
    (!blocks.is_empty()).then(|| Section {
        id: "warnings",
        title: "What to watch out for",
        lead: "Each of these limits how far the numbers below can be trusted, and says what would help."
            .into(),
        blocks,
    })
}

/// Whether the correction acted in most batches of the last tenth of the epochs.
fn bites_at_the_end(record: &Record<'_>) -> bool {
    let last = &record.learning[record.learning.len() - record.learning.len().div_ceil(10)..];
    let share = last.iter().map(|epoch| epoch.of.negative_share).sum::<f64>() / last.len().max(1) as f64;
    share > 0.5
}

/// With a capital letter and a full stop.
pub(super) fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first: String = letters.next().map(|letter| letter.to_uppercase().collect()).unwrap_or_default();
    let stop = if text.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{first}{}{stop}", letters.as_str())
}
