//! Trials on other machines: which there are, one of them alone, and the rows that came of them.
//!
//! A cluster asks for the plan, runs each trial alone in a folder of its own, and hands the rows back:
//!
//! ```text
//! reproduce table3 --out DIR --plan             0<TAB>USPS at 0.2, …
//! reproduce table3 --out elsewhere --only 0     on some machine, in any order
//! reproduce table3 --out DIR --take < rows      the rows of raw.csv
//! ```

use clap::Args;
use likelier_cli::terminal::{Result, mistake};

use super::experiment::TrialJob;

#[derive(Args, Default)]
#[command(next_help_heading = "Other machines")]
pub(super) struct ElsewhereArguments {
    /// List the trials that are not done yet, with their numbers, and run none.
    #[arg(long)]
    pub(super) plan: bool,
    /// Run the trial of this number alone, as --plan lists it with the same other flags.
    #[arg(long, value_name = "NUMBER", conflicts_with = "plan")]
    only: Option<usize>,
    /// Run none: add rows of raw.csv that were run elsewhere, one a line on standard input.
    #[arg(long, conflicts_with_all = ["plan", "only"])]
    pub(super) take: bool,
}

impl ElsewhereArguments {
    /// The trials to run.
    pub(super) fn only_of(&self, mut jobs: Vec<TrialJob>) -> Result<Vec<TrialJob>> {
        let Some(only) = self.only else { return Ok(jobs) };
        if only >= jobs.len() {
            return Err(mistake(
                format!("there is no trial {only}: there are {}, counted from 0", jobs.len()),
                "ask with --plan and the same other flags",
            ));
        }
        Ok(vec![jobs.swap_remove(only)])
    }
}
