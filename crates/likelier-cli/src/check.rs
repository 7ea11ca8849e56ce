//! `likelier check`: whether comparisons are what they are said to be.

use std::fmt::Write as _;

use anyhow::Result;
use clap::Args;
use likelier::data::Judgements;
use likelier::estimate::diagnosis::{Annotators, Diagnosis, Finding, Records, Severity};
use likelier::estimate::labeller::{
    LabellerEstimate, error_from_asking_again, error_under_discard, error_under_forced_choice,
};
use likelier::estimate::prior::best_bin;
use likelier::estimate::{Additivity, CrossFit, FEWEST, Interval, ProtocolTest, Verdict};
use likelier::{Collection, Prior, Protocol};
use serde::Serialize;

use crate::input::{BeliefArguments, ColumnArguments, ComparisonArguments, Supervision};
use crate::output::{Answer, print_json, print_text, range, wrapped};
use crate::scoring::{LEVEL, ScorerArguments, pairs};

/// Look for what is wrong with comparisons before a model is trained on them.
///
/// Tests, without labels, how the pairs were collected and how often the labeller errs, and looks for
/// contradictions, circles and annotators who stand out. The exit code is 1 if the data contradict the
/// protocol that --protocol or dataset.json states, or have a serious flaw.
#[derive(Args)]
#[command(after_help = "Examples:
  likelier check --items items.csv --comparisons comparisons.csv
  likelier check --items items.csv --comparisons comparisons.csv --protocol forced-choice --prior 0.3")]
pub(crate) struct Check {
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

/// What was found.
#[derive(Serialize)]
struct Found {
    /// Whether nothing speaks against training on these comparisons as stated.
    sound: bool,
    protocol: Collected,
    /// The labeller's error by each statistic that applies.
    labeller: Vec<LabellerEstimate>,
    findings: Vec<Finding>,
    diagnosis: Diagnosis,
}

/// How the pairs were collected, as stated and as tested.
#[derive(Serialize)]
struct Collected {
    stated: Option<Protocol>,
    verdict: Verdict,
    /// What in the data contradicts the stated protocol.
    contradiction: Option<String>,
    note: String,
    ratio: Option<Interval>,
    discard_probability: Option<f64>,
    forced_choice_probability: Option<f64>,
    additivity: Option<Additivity>,
}

impl Check {
    pub(crate) fn run(&self) -> Result<Answer> {
        let layout = self.columns.layout(None);
        let Supervision { items, judged, card, mut warnings } = self.input.read(&layout)?;
        // What reading found is among the findings.
        warnings.retain(|warning| !matches!(warning.code, "both-orders" | "repeated-pairs"));
        let stated = self.belief.collected.stated(&card, None, &mut warnings)?;
        let prior = self.belief.stated_prior(&card, &mut warnings)?;
        let judgements = pairs(judged)?;
        let diagnosis = diagnose(&judgements, items.rows.len())?;
        let comparisons = self.scorer.decided(&judgements, &mut warnings);

        let (protocol, labeller) = if comparisons.len() < FEWEST {
            (Collected::untested(stated, comparisons.len()), Vec::new())
        } else {
            // Any protocol makes a scorer; without one, take the one that everybody uses.
            let assumed = stated.unwrap_or(Protocol::FORCED_CHOICE);
            let fit = self.scorer.fit(&items.rows, &comparisons, assumed)?;
            judge(&fit, stated, prior, &diagnosis)?
        };
        let findings = diagnosis.findings();
        let serious = findings.iter().any(|finding| finding.severity == Severity::Serious);
        let fits = protocol.contradiction.is_none() && protocol.verdict != Verdict::Neither;
        let found = Found { sound: fits && !serious, protocol, labeller, findings, diagnosis };
        if self.json {
            print_json("check", &found, &warnings)?;
        } else {
            print_text(&found.text(), &warnings)?;
        }
        Ok(if found.sound { Answer::Yes } else { Answer::No })
    }
}

/// What comparisons look like before anything is trained.
pub(crate) fn diagnose(judgements: &Judgements, items: usize) -> Result<Diagnosis> {
    let names: Option<Vec<String>> = judgements.annotators.as_ref().map(|annotators| {
        let named = |name: &str| if name.is_empty() { "(nobody)".into() } else { name.to_owned() };
        annotators.names.iter().map(named).collect()
    });
    let annotators = judgements.annotators.as_ref().zip(names.as_ref());
    let records = Records {
        annotators: annotators.map(|(annotators, names)| Annotators { of: &annotators.of, names }),
        ties: judgements.ties.as_deref(),
        ..Records::new(items, &judgements.comparisons)
    };
    Ok(Diagnosis::new(&records, LEVEL)?)
}

/// The protocol, and the labeller under it.
fn judge(
    fit: &CrossFit<'_>,
    stated: Option<Protocol>,
    prior: Option<Prior>,
    diagnosis: &Diagnosis,
) -> Result<(Collected, Vec<LabellerEstimate>)> {
    let test = ProtocolTest::new(&fit.scores, LEVEL)?;
    let contradiction = stated.and_then(|stated| test.contradiction(&stated));
    // A protocol that the data refute says nothing about the labeller.
    let believed = stated.filter(|_| contradiction.is_none()).map(|protocol| protocol.collection());
    let collection = believed.or(match test.verdict {
        Verdict::Discard => Some(Collection::Discard),
        Verdict::ForcedChoice => Some(Collection::ForcedChoice),
        Verdict::Neither | Verdict::Unknown => None,
    });
    let mut labeller = Vec::new();
    match collection {
        Some(Collection::Discard) => labeller.push(error_under_discard(&test)),
        Some(Collection::ForcedChoice) => {
            labeller.push(error_under_forced_choice(&fit.scores, LEVEL)?);
            let known = |prior: Prior| {
                let value = prior.positive();
                Interval { value, low: value, high: value, level: LEVEL }
            };
            let prior = match prior {
                Some(prior) => Some(known(prior)),
                None => best_bin(&fit.scores, &Protocol::FORCED_CHOICE, LEVEL)?.interval,
            };
            if let Some(prior) = prior.filter(|_| diagnosis.asked_again.answers > 0) {
                labeller.push(error_from_asking_again(&diagnosis.asked_again, &prior, LEVEL)?);
            }
        }
        None => {}
    }
    let collected = Collected {
        stated,
        verdict: test.verdict,
        contradiction,
        ratio: test.ratio,
        discard_probability: Some(test.discard_probability),
        forced_choice_probability: Some(test.forced_choice_probability),
        additivity: test.additivity,
        note: test.note,
    };
    Ok((collected, labeller))
}

impl Collected {
    fn untested(stated: Option<Protocol>, comparisons: usize) -> Self {
        Self {
            stated,
            verdict: Verdict::Unknown,
            contradiction: None,
            note: format!("{comparisons} comparisons are too few to test; at least {FEWEST} are needed"),
            ratio: None,
            discard_probability: None,
            forced_choice_probability: None,
            additivity: None,
        }
    }

    fn text(&self) -> String {
        let verdict = match self.verdict {
            Verdict::Discard => "discard",
            Verdict::ForcedChoice => "forced-choice",
            Verdict::Neither => "NEITHER discard nor forced-choice",
            Verdict::Unknown => "not known",
        };
        let stated = self.stated.map_or("not stated".into(), |stated| format!("stated as {stated}"));
        let mut text = format!("\nprotocol by the data: {verdict} ({stated})\n");
        text.push_str(&wrapped(&self.note, "  "));
        if let Some(contradiction) = &self.contradiction {
            text.push_str(&wrapped(&format!("CONTRADICTED: {contradiction}"), "  "));
        }
        text
    }
}

impl Found {
    fn text(&self) -> String {
        let mut text = format!(
            "{}: {} comparisons of {} items\n",
            if self.sound { "nothing speaks against these data" } else { "DO NOT TRAIN on this yet" },
            self.diagnosis.comparisons,
            self.diagnosis.items
        );
        text.push_str(&self.protocol.text());
        for estimate in &self.labeller {
            let error = estimate.error.map_or("not known".into(), |error| {
                format!("{:.3} ({} with 95 % confidence)", error.value, range(&error))
            });
            let statistic = serde_name(&estimate.statistic);
            let _ = writeln!(text, "\nlabeller error by {statistic}: {error}");
            text.push_str(&wrapped(&estimate.note, "  "));
        }
        text.push_str("\nfindings\n");
        for finding in &self.findings {
            let severity = serde_name(&finding.severity);
            let lines = wrapped(&format!("{severity}: {}", finding.message), "    ");
            let _ = write!(text, "  {}", lines.trim_start());
        }
        text
    }
}

/// The name that a value has in JSON.
fn serde_name(value: &impl Serialize) -> String {
    let name = serde_json::to_value(value).unwrap_or_default();
    name.as_str().unwrap_or_default().to_owned()
}
