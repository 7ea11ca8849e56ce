//! What to look at first: everything that stands in the way of using the classifier, and what to do about it.

use likelier::estimate::diagnosis::Severity;

use super::super::document::{Block, Section};
use super::super::record::Record;
use crate::output::Warning;

pub(super) fn section(record: &Record<'_>, warnings: &[Warning]) -> Option<Section> {
    let remark = |grave: bool, text: &str, advice: &str| Block::Remark {
        grave,
        text: sentence(text),
        advice: advice.to_owned(),
    };
    let mut blocks: Vec<Block> = warnings
        .iter()
        .map(|warning| remark(is_grave(warning.code), &warning.message, advice(warning.code)))
        .collect();
    for finding in &record.findings {
        // What reading the files found is among the warnings already.
        let grave = finding.severity == Severity::Serious;
        if grave || finding.severity == Severity::Warning {
            blocks.push(remark(grave, &finding.message, ""));
        }
    }
    if let Some(metrics) = &record.trained.label_free {
        for note in &metrics.notes {
            let advice = match note.code() {
                "exact-counts" => {
                    "Nothing to do: the true intervals are a little narrower than those shown."
                }
                _ => {
                    "Hold out more comparisons (--hold-out), or collect more; `likelier plan` says how many are enough."
                }
            };
            blocks.push(remark(false, &note.to_string(), advice));
        }
        if metrics.called_positive.low > record.trained.prior.positive()
            || metrics.called_positive.high < record.trained.prior.positive()
        {
            blocks.push(remark(
                false,
                &format!(
                    "the classifier calls {:.3} of the population positive, although {:.3} of it is",
                    metrics.called_positive.value.clamp(0.0, 1.0),
                    record.trained.prior.positive()
                ),
                "If every positive found matters, or every false alarm does, choose another threshold with the ROC \
                 curve; the scores are the same.",
            ));
        }
    }
    if bites_at_the_end(record) {
        blocks.push(remark(
            false,
            "in the last epochs a part of the risk was negative in most mini-batches, which no true risk is: the model \
             fits these comparisons more closely than they can tell",
            "Nothing to do while the accuracy by epoch does not fall. If it does: fewer epochs, more --weight-decay, or more \
             comparisons.",
        ));
    }
    (!blocks.is_empty()).then(|| Section {
        id: "warnings",
        title: "What to heed",
        lead: "Each of these limits what the numbers below can be trusted for, and says what would help."
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

fn is_grave(code: &str) -> bool {
    matches!(
        code,
        "not-judged"
            | "protocol-contradicted"
            | "impossible-estimate"
            | "worse-than-constant"
            | "no-better-than-chance"
    )
}

fn advice(code: &str) -> &'static str {
    match code {
        "prior-estimated" => "--sensitivity shows how much depends on it.",
        "protocol-contradicted" => {
            "Find out which of the pairs that people saw were left out, and give --protocol accordingly. \
             `likelier check` tells more. With the wrong protocol every estimate here is wrong, too."
        }
        "not-judged" => {
            "Hold out comparisons (--hold-out), or judge the model by others with `likelier evaluate`; `likelier plan` says how \
             many are enough."
        }
        "impossible-estimate" => {
            "Check --prior, --protocol and --labeller-error, and that each comparison names the two items that were shown \
             together; `likelier check` helps. Do not use the numbers below."
        }
        "worse-than-constant" => "Training went wrong: try a smaller --learning-rate, or --select.",
        "no-better-than-chance" => {
            "Make sure that the first item of each comparison is the likelier one and that ids name the right rows; hold out \
             more comparisons (`likelier plan` says how many are enough), or try --model mlp or other features."
        }
        "fell-back" => "Collect more comparisons; the classifier is that of --method likelihood.",
        "not-calibrated" => "Hold out comparisons (--hold-out) to calibrate by.",
        "shifted-only" => "Take the probabilities for an order, not for frequencies.",
        "both-orders" | "repeated-pairs" => {
            "Nothing to do if several people judged the same pairs; else look for the mistake in the file."
        }
        "overrides-dataset" => "Make sure that it is dataset.json which is wrong.",
        _ => "",
    }
}

/// With a capital letter and a full stop.
pub(super) fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first: String = letters.next().map(|letter| letter.to_uppercase().collect()).unwrap_or_default();
    let stop = if text.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{first}{}{stop}", letters.as_str())
}
