//! How much is said on standard error besides errors: `--quiet` and `--verbose`.

use std::sync::atomic::{AtomicU8, Ordering};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use super::tell;

/// Options that every verb has.
#[derive(Args)]
#[command(next_help_heading = "Everywhere")]
pub struct TalkArguments {
    /// Print only errors on standard error: no progress, no warnings. (--json still has the warnings.)
    #[arg(long, short, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Print on standard error what is read, what each epoch did, and how long it took.
    #[arg(long, short, global = true)]
    verbose: bool,
}

const QUIET: u8 = 0;
const NORMAL: u8 = 1;
const VERBOSE: u8 = 2;
static LEVEL: AtomicU8 = AtomicU8::new(NORMAL);

impl TalkArguments {
    /// To be called once, before anything is said.
    pub(super) fn apply(&self) {
        let level = match (self.quiet, self.verbose) {
            (true, _) => QUIET,
            (_, true) => VERBOSE,
            _ => NORMAL,
        };
        LEVEL.store(level, Ordering::Relaxed);
    }
}

pub(super) fn is_quiet() -> bool {
    LEVEL.load(Ordering::Relaxed) == QUIET
}

/// A line that only `--verbose` shows.
pub fn detail(line: impl FnOnce() -> String) {
    if LEVEL.load(Ordering::Relaxed) == VERBOSE {
        tell(&format!("{}\n", line()));
    }
}

/// A progress bar on standard error, if that is a terminal and lines do not take its place. It has no colours.
pub fn bar(length: u64, template: &str) -> ProgressBar {
    if LEVEL.load(Ordering::Relaxed) != NORMAL {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(length);
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
