//! `likelier check`: whether comparisons are what they are said to be.

use std::fmt::Write as _;

use clap::Args;
use likelier::estimate::Verdict;
use likelier::train::Control;
use likelier::words::count;
use likelier::{Checkup, ProtocolCheck, Warning, check_with};
use serde::Serialize;

use crate::arguments::{BeliefArguments, ColumnArguments, ComparisonArguments, ScorerArguments};
use crate::progress::ProgressBars;
use crate::terminal::{Answered, Result, print_json, print_text, range, wrapped};

/// Look for problems in comparisons before you train on them.
///
/// Tests, without labels, whether the features explain the answers, how the pairs were collected, how often the
/// labeller errs and whether equals were ordered by degree, and looks at the people who answered: who errs, copies,
/// leans to one side or answers too fast. The first line says what you must know first. The exit code is 1 if
/// the features do not explain the answers, if the data contradict the protocol that --protocol or dataset.json
/// states, or have another serious flaw. docs/check.md lists the findings.
#[derive(Args)]
#[command(after_help = "Examples:
  likelier check --items items.csv --comparisons comparisons.csv
  likelier check --items items.csv --comparisons comparisons.csv --protocol forced-choice --prior 0.3")]
pub(crate) struct CheckVerb {
    #[command(flatten)]
    input: ComparisonArguments,
    #[command(flatten)]
    belief: BeliefArguments,
    #[command(flatten)]
    columns: ColumnArguments,
    #[command(flatten)]
    scorer: ScorerArguments,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

impl CheckVerb {
    pub(crate) fn run(&self) -> Result<Answered> {
        let given = self.input.read_one_question(&self.columns.layout(None))?;
        let mut warnings = given.warnings();
        // What reading found is among the findings.
        warnings.retain(|warning| {
            !matches!(warning, Warning::BothOrders { .. } | Warning::RepeatedPairs { .. })
        });
        let stated = self.belief.collected.stated(&given.card, None, &mut warnings)?;
        let prior = self
            .belief
            .stated_prior(given.question().as_deref(), &given.card, &mut warnings)?;
        let (items, supervision) = given.supervised(stated, prior);
        let mut progress = ProgressBars::new();
        let found = check_with(
            &items.rows,
            &supervision,
            &self.scorer.options(),
            &Control::default(),
            &mut |event| {
                progress.show(&event);
            },
        )?;
        progress.end();
        if self.json {
            print_json("check", &found, &warnings)?;
        } else {
            print_text(&text(&found), &warnings)?;
        }
        Ok(if found.sound { Answered::Yes } else { Answered::No })
    }
}

fn protocol_text(check: &ProtocolCheck) -> String {
    let verdict = match check.verdict {
        Verdict::Discard => "discard",
        Verdict::ForcedChoice => "forced-choice",
        Verdict::Neither => "NEITHER discard nor forced-choice",
        Verdict::Unknown => "not known",
    };
    let stated = check.stated.map_or("not stated".into(), |stated| format!("stated as {stated}"));
    let mut text = format!("\nprotocol according to the data: {verdict} ({stated})\n");
    text.push_str(&wrapped(&check.note, "  "));
    if let Some(contradiction) = &check.contradiction {
        text.push_str(&wrapped(&format!("CONTRADICTED: {contradiction}"), "  "));
    }
    text
}

fn text(found: &Checkup) -> String {
    let mut text = wrapped(&found.headline.message, "");
    let _ = writeln!(
        text,
        "{}: {} of {}",
        if found.sound { "You may train on these data" } else { "DO NOT TRAIN on this yet" },
        count(found.diagnosis.comparisons, "comparison"),
        count(found.diagnosis.items, "item")
    );
    if let Some(explained) = &found.explained {
        let _ = writeln!(
            text,
            "\nexplained by the features: {:.3} of the pairs are ordered as people did ({} with 95 % confidence)",
            explained.ordered.value,
            range(&explained.ordered)
        );
    }
    text.push_str(&protocol_text(&found.protocol));
    for estimate in &found.labeller {
        let error = estimate.error.map_or("not known".into(), |error| {
            format!("{:.3} ({} with 95 % confidence)", error.value, range(&error))
        });
        let statistic = serde_name(&estimate.statistic);
        let _ = writeln!(text, "\nlabeller error by {statistic}: {error}");
        text.push_str(&wrapped(&estimate.note, "  "));
    }
    text.push_str("\nfindings\n");
    for finding in &found.findings {
        let severity = serde_name(&finding.severity);
        let lines = wrapped(&format!("{severity}: {}", finding.message), "    ");
        let _ = write!(text, "  {}", lines.trim_start());
    }
    text
}

/// The name that a value has in JSON.
fn serde_name(value: &impl Serialize) -> String {
    let name = serde_json::to_value(value).unwrap_or_default();
    name.as_str().unwrap_or_default().to_owned()
}
