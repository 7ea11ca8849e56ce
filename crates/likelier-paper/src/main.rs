//! `likelier-paper`: the data sets and the experiments of the paper.

mod data;
mod data_dir;
mod generate;
mod reproduce;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use likelier_cli::terminal::{Answered, TalkArguments, parse, run};

/// Repeat the experiments of the paper, and show our numbers beside the paper's.
#[derive(Parser)]
#[command(
    name = "likelier-paper",
    version,
    max_term_width = 100,
    after_help = "Examples:
  likelier-paper data fetch optdigits pendigits usps cnae9
  likelier-paper reproduce table3 --out table3
  likelier-paper generate --dataset optdigits --prior 0.5 --protocol discard --out optdigits-half"
)]
struct PaperProgram {
    #[command(flatten)]
    talk: TalkArguments,
    #[command(subcommand)]
    verb: PaperVerb,
}

#[derive(Subcommand)]
enum PaperVerb {
    Reproduce(reproduce::ReproduceVerb),
    Data(data::DataVerb),
    Generate(generate::GenerateDatasetVerb),
}

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    let PaperProgram { talk, verb } = parse(&arguments);
    run(&talk, || match verb {
        PaperVerb::Reproduce(verb) => verb.run().map(|()| Answered::Yes),
        PaperVerb::Data(verb) => verb.run(),
        PaperVerb::Generate(verb) => verb.run().map(|()| Answered::Yes),
    })
}
