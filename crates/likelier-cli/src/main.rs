//! `likelier`: a yes/no classifier from "this one is likelier" comparisons.

mod demo;
mod export;
mod generate;
mod hint;
mod inspect;
mod model;
mod output;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Train a yes/no classifier from "this one is likelier" comparisons, without a single label.
#[derive(Parser)]
#[command(name = "likelier", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    Demo(demo::Demo),
    Generate(generate::Generate),
    Inspect(inspect::Inspect),
    Export(export::Export),
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().verb {
        Verb::Demo(verb) => verb.run(),
        Verb::Generate(verb) => verb.run(),
        Verb::Inspect(verb) => verb.run(),
        Verb::Export(verb) => verb.run(),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if output::reader_is_gone(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::complain(&error, hint::for_error(&error).as_deref());
            ExitCode::from(2)
        }
    }
}
