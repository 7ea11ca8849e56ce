//! `likelier data`: list, fetch and verify the paper's data sets.
//!
//! What was published, and how to tell a whole copy, is the library's knowledge
//! ([`Publication`](likelier::data::benchmark::Publication)); here is how it gets onto the disk:
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

use anyhow::Result;
use clap::{Args, Subcommand};
use likelier::data::benchmark::Benchmark;

pub(crate) use fetch::Unavailable;
pub(crate) use part::PartInUse;

use crate::output::Answer;

/// List, fetch and verify the paper's data sets.
#[derive(Args)]
#[command(after_help = "Examples:
  likelier data list
  likelier data fetch optdigits
  likelier data verify")]
pub(crate) struct Data {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    List(list::List),
    Fetch(fetch::Fetch),
    Verify(verify::Verify),
}

impl Data {
    pub(crate) fn run(&self) -> Result<Answer> {
        match &self.verb {
            Verb::List(verb) => verb.run().map(|()| Answer::Yes),
            Verb::Fetch(verb) => verb.run().map(|()| Answer::Yes),
            Verb::Verify(verb) => verb.run(),
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
