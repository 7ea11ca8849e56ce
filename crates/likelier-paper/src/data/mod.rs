//! `likelier-paper data`: list, fetch and verify the paper's data sets.
//!
//! What was published, and how to tell a whole copy, is the library's knowledge
//! ([`Publication`](likelier_paper::benchmark::Publication)); here is how it gets onto the disk:
//! an address is *downloaded* into a `.part` file, which can be resumed; what arrived is compared with the
//! published checksum, after it was taken out of its archive where there is one; and only then it is
//! renamed into place.

mod archive;
mod download;
mod fetch;
mod list;
mod part;
mod places;
mod verify;

use clap::{Args, Subcommand};
use likelier_cli::terminal::{Answered, Result};
use likelier_paper::benchmark::Benchmark;

/// List, fetch and verify the paper's data sets.
#[derive(Args)]
#[command(after_help = "Examples:
  likelier-paper data list
  likelier-paper data fetch optdigits
  likelier-paper data verify")]
pub(crate) struct DataVerb {
    #[command(subcommand)]
    action: DataAction,
}

#[derive(Subcommand)]
enum DataAction {
    List(list::ListVerb),
    Fetch(fetch::FetchVerb),
    Verify(verify::VerifyVerb),
}

impl DataVerb {
    pub(crate) fn run(&self) -> Result<Answered> {
        match &self.action {
            DataAction::List(verb) => verb.run().map(|()| Answered::Yes),
            DataAction::Fetch(verb) => verb.run().map(|()| Answered::Yes),
            DataAction::Verify(verb) => verb.run(),
        }
    }
}

/// The data sets of these names, each once, in the order given.
fn named(names: &[String]) -> Result<Vec<Benchmark>> {
    let mut benchmarks: Vec<Benchmark> = Vec::new();
    for name in names {
        let benchmark = name.parse()?;
        if !benchmarks.contains(&benchmark) {
            benchmarks.push(benchmark);
        }
    }
    Ok(benchmarks)
}

/// A number of bytes for people.
fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
