//! `likelier prior`: what share is positive, from comparisons alone.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args;
use likelier::Protocol;
use likelier::data::{Comparisons, Ids, Items, Layout};
use likelier::estimate::prior::{PriorEstimate, PriorReport, best_bin, kept_share, pool_moment, recommend};
use likelier::estimate::{CrossFit, Interval};
use serde::Serialize;

use crate::input::{
    Card, ColumnArguments, ComparisonArguments, ProtocolArguments, Supervision, read_items,
};
use crate::output::{Warning, print_json, print_text, range, wrapped};
use crate::scoring::{LEVEL, ScorerArguments, pairs};

/// Estimate the share of positives from comparisons, without labels.
///
/// Every estimator that the data allow is asked, and the narrowest interval is recommended. Where the
/// estimators disagree or know too little, the answer is that the prior is not known.
#[derive(Args)]
#[command(after_help = "Examples:
  likelier prior --items items.csv --comparisons comparisons.csv --protocol forced-choice
  likelier prior --items items.csv --comparisons comparisons.csv --protocol discard --pool all.csv --json

Take the prior it recommends to the next step:
  likelier train --items items.csv --comparisons comparisons.csv --protocol forced-choice --prior 0.31 …")]
pub(crate) struct Prior {
    #[command(flatten)]
    input: ComparisonArguments,
    #[command(flatten)]
    collected: ProtocolArguments,
    #[command(flatten)]
    columns: ColumnArguments,
    /// All items that pairs were drawn from, compared or not, under the same ids; it may be the file of
    /// items itself. It helps under discard.
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

/// A compared item that is not in the pool.
#[derive(Debug, thiserror::Error)]
#[error("{}: lacks the item '{id}', although it was compared", pool.display())]
pub(crate) struct NotInPool {
    pool: PathBuf,
    id: String,
}

/// Rows that only their place names, in two files.
#[derive(Debug, thiserror::Error)]
#[error("the items or those of the pool have no ids, so it is not known which of them are the same")]
pub(crate) struct NoIdsInPool;

impl Prior {
    pub(crate) fn run(&self) -> Result<()> {
        let layout = self.columns.layout(None);
        let Supervision { items, judged, card, mut warnings } = self.input.read(&layout)?;
        let protocol = self.collected.protocol(&card, &mut warnings)?;
        let judgements = pairs(judged)?;
        let comparisons = self.scorer.decided(&judgements, &mut warnings);
        let compared = items.rows.len();
        let (items, comparisons) = match &self.pool {
            Some(pool) if Some(pool) != self.input.items.as_ref() => {
                inside_pool(pool, &layout, &items.ids, &comparisons)?
            }
            _ => (items, comparisons),
        };
        let estimates = self.estimates(&items, &comparisons, &protocol, &card)?;
        let report = recommend(estimates);
        if report.recommended.is_none() {
            warnings.push(Warning {
                code: "prior-not-known",
                message: "the prior is NOT known from these data: give --prior from other knowledge".into(),
            });
        }
        let found = Found { items: compared, comparisons: comparisons.len(), protocol, report };
        if self.json {
            print_json("prior", &found, &warnings)
        } else {
            print_text(&found.text(), &warnings)
        }
    }

    fn estimates(
        &self,
        items: &Items,
        comparisons: &Comparisons,
        protocol: &Protocol,
        card: &Card,
    ) -> Result<Vec<PriorEstimate>> {
        let fit = self.scorer.fit(&items.rows, comparisons, *protocol)?;
        let mut estimates = estimates(&fit, protocol, card)?;
        if self.pool.is_some() {
            let all: Vec<u32> = (0..items.rows.len() as u32).collect();
            estimates.push(pool_moment(&fit, &all, protocol, LEVEL)?);
        }
        Ok(estimates)
    }
}

/// What every estimator says that needs no pool.
pub(crate) fn estimates(
    fit: &CrossFit<'_>,
    protocol: &Protocol,
    card: &Card,
) -> Result<Vec<PriorEstimate>> {
    let mut estimates = Vec::new();
    if let (Some(shown), Some(kept)) = (card.pairs_shown, card.pairs_kept) {
        estimates.push(kept_share(protocol.collection(), kept, shown, None, LEVEL)?);
    }
    estimates.push(best_bin(&fit.scores, protocol, LEVEL)?);
    Ok(estimates)
}

/// The pool in place of the items, and the comparisons between its rows.
fn inside_pool(
    path: &Path,
    layout: &Layout,
    ids: &Ids,
    comparisons: &Comparisons,
) -> Result<(Items, Comparisons)> {
    let pool = read_items(path, layout)?;
    if ids.are_numbers() || pool.ids.are_numbers() {
        bail!(NoIdsInPool);
    }
    let place = |item: u32| -> Result<u32> {
        let id = ids.name(item as usize);
        let lacks = || NotInPool { pool: path.to_owned(), id: id.to_string() };
        Ok(pool.ids.find(&id).ok_or_else(lacks)?)
    };
    let moved: Result<Vec<(u32, u32)>> = comparisons
        .iter()
        .map(|(likelier, other)| Ok((place(likelier)?, place(other)?)))
        .collect();
    let moved = moved?.into_iter().collect();
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
            "\n{} comparisons of {} items, {}\n\n{:<12}{:>7}  95 % interval",
            self.comparisons, self.items, self.protocol, "estimator", "prior"
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
