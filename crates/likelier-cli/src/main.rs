//! `likelier`: a yes/no classifier from "this one is likelier" comparisons.

mod check;
mod completions;
mod data;
mod data_dir;
mod demo;
mod evaluate;
mod export;
mod generate;
mod hint;
mod input;
mod inspect;
mod interrupt;
mod judging;
mod labels;
mod model;
mod output;
mod plan;
mod plot;
mod predict;
mod prior;
mod report;
mod reproduce;
mod scoring;
mod select;
mod standard_input;
mod talk;
mod train;

use std::process::ExitCode;
use std::time::Instant;

use clap::{Parser, Subcommand};
use output::Answer;

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
    talk: talk::TalkArguments,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    Data(data::Data),
    Demo(demo::Demo),
    Generate(generate::Generate),
    Plan(plan::Plan),
    Check(check::Check),
    Prior(prior::Prior),
    Train(Box<train::Train>),
    Evaluate(evaluate::Evaluate),
    Predict(predict::Predict),
    Inspect(inspect::Inspect),
    Export(export::Export),
    Reproduce(reproduce::Reproduce),
    Completions(completions::Completions),
    Man(completions::Man),
}

fn main() -> ExitCode {
    let Cli { talk, verb } = Cli::parse();
    talk.apply();
    interrupt::install();
    let start = Instant::now();
    let outcome = match verb {
        Verb::Data(verb) => verb.run(),
        Verb::Demo(verb) => verb.run().map(|()| Answer::Yes),
        Verb::Generate(verb) => verb.run().map(|()| Answer::Yes),
        Verb::Plan(verb) => verb.run().map(|()| Answer::Yes),
        Verb::Check(verb) => verb.run(),
        Verb::Prior(verb) => verb.run().map(|()| Answer::Yes),
        Verb::Train(verb) => verb.run().map(|()| Answer::Yes),
        Verb::Evaluate(verb) => verb.run().map(|()| Answer::Yes),
        Verb::Predict(verb) => verb.run().map(|()| Answer::Yes),
        Verb::Inspect(verb) => verb.run().map(|()| Answer::Yes),
        Verb::Export(verb) => verb.run().map(|()| Answer::Yes),
        Verb::Reproduce(verb) => verb.run().map(|()| Answer::Yes),
        Verb::Completions(verb) => verb.run().map(|()| Answer::Yes),
        Verb::Man(verb) => verb.run().map(|()| Answer::Yes),
    };
    let code = match outcome {
        Ok(Answer::Yes) => ExitCode::SUCCESS,
        Ok(Answer::No) => ExitCode::from(1),
        Err(error) if output::reader_is_gone(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::complain(&error, hint::for_error(&error).as_deref());
            ExitCode::from(2)
        }
    };
    talk::detail(|| format!("took {:.2} s", start.elapsed().as_secs_f64()));
    standard_input::forget();
    code
}
