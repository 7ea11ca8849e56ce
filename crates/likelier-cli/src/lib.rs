//! The program `likelier`, and what other programs of the project share with it: how to speak to a terminal
//! (`terminal`), pages and plots (`document`, `plot`), and folders of generated comparisons (`dataset`).
//!
//! A verb's file is its arguments, one call of the library, and what it prints.

mod arguments;
mod check;
mod compared;
mod completions;
#[doc(hidden)]
pub mod dataset;
mod demo;
#[doc(hidden)]
pub mod document;
mod evaluate;
mod export;
mod generate;
mod inspect;
mod judged;
#[cfg(feature = "label")]
mod label;
mod labels;
mod models;
mod next;
mod plan;
#[doc(hidden)]
pub mod plot;
mod predict;
mod prior;
mod progress;
mod report;
mod scored;
#[doc(hidden)]
pub mod terminal;
mod train;
mod trained;
mod trained_questions;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use terminal::{Answered, TalkArguments};

/// Train a yes/no classifier from "this one is likelier" comparisons, without a single label.
#[derive(Parser)]
#[command(
    name = "likelier",
    version,
    max_term_width = 100,
    after_help = "Examples:
  likelier demo
  likelier train --items items.csv --comparisons comparisons.csv --prior 0.3 --protocol forced-choice \\
      --out model.likelier
  likelier predict model.likelier new.csv --out scores.csv"
)]
struct Cli {
    #[command(flatten)]
    talk: TalkArguments,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    Demo(demo::DemoVerb),
    Generate(generate::GenerateVerb),
    Plan(plan::PlanVerb),
    Check(check::CheckVerb),
    Prior(prior::PriorVerb),
    #[cfg(feature = "label")]
    Label(Box<label::LabelVerb>),
    Train(Box<train::TrainVerb>),
    Evaluate(evaluate::EvaluateVerb),
    Predict(predict::PredictVerb),
    Next(next::NextVerb),
    Inspect(inspect::InspectVerb),
    Export(export::ExportVerb),
    Completions(completions::CompletionsVerb),
    Man(completions::ManVerb),
}

#[doc(hidden)]
pub use report::ReportPages;

/// Runs the program with the arguments it was given.
pub fn main() -> ExitCode {
    run(std::env::args_os()).into()
}

/// Runs the program with these arguments, of which the first is its name. Gives back its exit code.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    terminal::remember(&arguments);
    let Cli { talk, verb } = terminal::parse(&arguments);
    terminal::outcome(&talk, || {
        let done = match verb {
            Verb::Check(verb) => return verb.run(),
            Verb::Demo(verb) => verb.run(),
            Verb::Generate(verb) => verb.run(),
            Verb::Plan(verb) => verb.run(),
            Verb::Prior(verb) => verb.run(),
            #[cfg(feature = "label")]
            Verb::Label(verb) => verb.run(),
            Verb::Train(verb) => verb.run(),
            Verb::Evaluate(verb) => verb.run(),
            Verb::Predict(verb) => verb.run(),
            Verb::Next(verb) => verb.run(),
            Verb::Inspect(verb) => verb.run(),
            Verb::Export(verb) => verb.run(),
            Verb::Completions(verb) => verb.run(),
            Verb::Man(verb) => verb.run(),
        };
        done.map(|()| Answered::Yes)
    })
}
