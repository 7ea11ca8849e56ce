//! `likelier prior`: what share is positive, from comparisons alone.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use likelier::estimate::Interval;
use likelier::estimate::prior::PriorReport;
use likelier::train::Control;
use likelier::words::count;
use likelier::{Answers, Evidence, Protocol, Warning, estimate_prior_with};
use likelier_tables::{Ids, Items, Layout};
use serde::Serialize;

use crate::arguments::{
    ColumnArguments, ComparisonArguments, ProtocolArguments, ScorerArguments, read_items,
};
use crate::progress::ProgressBars;
use crate::terminal::{Result, mistake, print_json, print_text, range, wrapped};

/// Estimate the share of positives from comparisons, without labels.
///
/// Asks every estimator that the data allow, and recommends the narrowest interval. If the estimators
/// disagree or know too little, the answer is that the prior is not known.
#[derive(Args)]
#[command(after_help = "Examples:
  likelier prior --items items.csv --comparisons comparisons.csv --protocol forced-choice
  likelier prior --items items.csv --comparisons comparisons.csv --protocol discard --pool all.csv --json

Use the prior it recommends in the next step:
  likelier train --items items.csv --comparisons comparisons.csv --protocol forced-choice --prior 0.31 \\
      --out model.likelier")]
pub(crate) struct PriorVerb {
    #[command(flatten)]
    input: ComparisonArguments,
    #[command(flatten)]
    collected: ProtocolArguments,
    #[command(flatten)]
    columns: ColumnArguments,
    /// All items that pairs were drawn from, compared or not, under the same ids; it may be the same file
    /// as --items. It helps under discard.
    #[arg(long, value_name = "FILE", requires = "comparisons", help_heading = "Input")]
    pool: Option<PathBuf>,
    #[command(flatten)]
    scorer: ScorerArguments,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

/// What was found.
#[derive(Serialize)]
struct Found {
    items: usize,
    comparisons: usize,
    #[serde(flatten)]
    protocol: Protocol,
    #[serde(flatten)]
    report: PriorReport,
}

impl PriorVerb {
    pub(crate) fn run(&self) -> Result<()> {
        let layout = self.columns.layout(None);
        let mut given = self.input.read_one_question(&layout)?;
        let mut warnings = given.warnings();
        let protocol = self.collected.stated(&given.card, None, &mut warnings)?;
        let items = given.items.rows.len();
        if let (Some(pool), Evidence::Answers(answers)) = (&self.pool, &given.evidence)
            && Some(pool) != self.input.items.as_ref()
        {
            let (pool, answers) = inside_pool(pool, &layout, &given.items.ids, answers)?;
            (given.items, given.evidence) = (pool, answers.into());
        }
        let (rows, supervision) = given.supervised(protocol, None);
        let comparisons = supervision.answers().map_or(0, Answers::len);
        let options = likelier::ScorerOptions { pool: self.pool.is_some(), ..self.scorer.options() };
        let mut progress = ProgressBars::new();
        let report =
            estimate_prior_with(&rows.rows, &supervision, &options, &Control::default(), &mut |event| {
                progress.show(&event);
            })?;
        progress.end();
        if report.recommended.is_none() {
            warnings.push(Warning::PriorNotKnown);
        }
        let protocol = protocol.ok_or(likelier::Error::NoProtocol)?;
        let found = Found { items, comparisons, protocol, report };
        if self.json {
            print_json("prior", &found, &warnings)
        } else {
            print_text(&found.text(), &warnings)
        }
    }
}

/// The pool in place of the items, and the answers about its rows.
fn inside_pool(path: &Path, layout: &Layout, ids: &Ids, answers: &Answers) -> Result<(Items, Answers)> {
    let pool = read_items(path, layout)?;
    if ids.are_numbers() || pool.ids.are_numbers() {
        return Err(mistake(
            "the items or the pool have no ids, so it is not known which of their rows are the same",
            "name the column that holds ids with --id, or give the same file as --items and --pool",
        ));
    }
    let moved = answers.moved(|item| {
        let id = ids.name(item as usize);
        pool.ids.find(&id).ok_or_else(|| {
            mistake(
                format!("{}: the item '{id}' was compared, but is not here", path.display()),
                "a pool must hold all items that pairs were drawn from, including the compared ones",
            )
        })
    })?;
    Ok((pool, moved))
}

impl Found {
    fn text(&self) -> String {
        let report = &self.report;
        let mut text = match report.recommended {
            Some(estimator) => format!(
                "The share of positives is {:.3} ({} with 95 % confidence), by {estimator}.\n",
                report.prior.value,
                range(&report.prior)
            ),
            None => "The share of positives is NOT KNOWN from these data.\n".into(),
        };
        for reason in &report.reasons {
            text.push_str(&wrapped(reason, "  "));
        }
        let _ = writeln!(
            text,
            "\n{} of {}, {}\n\n{:<12}{:>7}  95 % interval",
            count(self.comparisons, "comparison"),
            count(self.items, "item"),
            self.protocol,
            "estimator",
            "prior"
        );
        for estimate in &report.estimates {
            let mut line = |interval: Option<&Interval>| {
                let (value, interval) = match interval {
                    Some(interval) => (format!("{:.3}", interval.value), range(interval)),
                    None => ("–".into(), "no answer".into()),
                };
                let _ = writeln!(text, "{:<12}{value:>7}  {interval}", estimate.estimator);
            };
            match &estimate.candidates[..] {
                [] => line(estimate.interval.as_ref()),
                candidates => candidates.iter().for_each(|candidate| line(Some(candidate))),
            }
            text.push_str(&wrapped(&estimate.note, "    "));
        }
        text
    }
}
