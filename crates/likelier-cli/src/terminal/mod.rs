//! What goes to standard output, to standard error, and into files; how errors are told; Ctrl-C.

mod advice;
mod clean;
#[cfg(test)]
mod every_hint;
mod failure;
mod help;
mod hints;
mod interrupt;
mod place;
pub mod standard_input;
mod table_hints;
mod talk;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::OnceLock;
use std::time::Instant;

use likelier::Warning;
use likelier::estimate::Interval;
use serde::{Serialize, Serializer};

pub use advice::{Advice, parse};
pub use failure::{About, Failure, Hint, Result, mistake};
pub use interrupt::{ask_to_stop, end_at_once};
pub use place::{NewFile, NewFolder};
pub use talk::{Busy, TalkArguments, bar, busy, detail, reading};

/// What a verb answers, where it was asked a question. A verb that only does something says yes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answered {
    Yes,
    No,
}

/// The one JSON object that `--json` prints.
#[derive(Serialize)]
struct Envelope<'a, T> {
    schema: u32,
    command: &'a str,
    result: &'a T,
    warnings: &'a [Warning],
}

/// Prints a verb's result for machines.
pub fn print_json(command: &str, result: &impl Serialize, warnings: &[Warning]) -> Result<()> {
    write_json(&mut io::stdout().lock(), command, result, warnings)
}

/// Writes a verb's result for machines.
pub fn write_json(
    mut out: &mut dyn Write,
    command: &str,
    result: &impl Serialize,
    warnings: &[Warning],
) -> Result<()> {
    serde_json::to_writer_pretty(&mut out, &Envelope { schema: 1, command, result, warnings })?;
    writeln!(out)?;
    Ok(())
}

/// A path in JSON. What is not Unicode in it is shown as on the screen: by a mark.
pub fn path_text<S: Serializer>(path: impl AsRef<Path>, to: S) -> std::result::Result<S::Ok, S::Error> {
    to.collect_str(&path.as_ref().display())
}

/// Paths in JSON.
pub fn path_texts<S: Serializer>(paths: &[PathBuf], to: S) -> std::result::Result<S::Ok, S::Error> {
    to.collect_seq(paths.iter().map(|path| path.display().to_string()))
}

/// Prints a verb's result for people; its warnings go to standard error.
pub fn print_text(text: &str, warnings: &[Warning]) -> Result<()> {
    io::stdout().lock().write_all(clean::clean(text).as_bytes())?;
    for warning in warnings.iter().filter(|_| !talk::is_quiet()) {
        tell(&format!("warning: {}\n", clean::one_line(&warning.to_string())));
        if !warning.advice().is_empty() {
            tell(&wrapped(warning.advice(), "  "));
        }
    }
    Ok(())
}

/// An interval in words, cut to what a share can be.
pub fn range(interval: &Interval) -> String {
    let shown = interval.clipped(0.0, 1.0);
    format!("{:.3} to {:.3}", shown.low, shown.high)
}

/// Text broken into lines that fit a page, each behind the indent.
pub fn wrapped(text: &str, indent: &str) -> String {
    const WIDTH: usize = 100;
    let (mut lines, mut length) = (String::new(), WIDTH);
    for word in text.split_whitespace() {
        let word_length = word.chars().count();
        if length + 1 + word_length > WIDTH {
            if !lines.is_empty() {
                lines.push('\n');
            }
            lines.push_str(indent);
            length = indent.chars().count();
        } else {
            lines.push(' ');
            length += 1;
        }
        lines.push_str(word);
        length += word_length;
    }
    lines.push('\n');
    lines
}

static ARGUMENTS: OnceLock<Vec<String>> = OnceLock::new();

/// Keeps what the program was called with, for reports.
pub(crate) fn remember(arguments: &[OsString]) {
    let texts = arguments.iter().map(|argument| argument.to_string_lossy().into_owned());
    let _ = ARGUMENTS.set(texts.collect());
}

/// What the program was called with.
pub(crate) fn arguments() -> impl Iterator<Item = String> {
    ARGUMENTS.get().cloned().unwrap_or_default().into_iter()
}

/// Runs a program: takes over Ctrl-C, tells an error with its hint, and turns the answer into an exit code.
pub fn run(talk: &TalkArguments, verb: impl FnOnce() -> Result<Answered>) -> ExitCode {
    outcome(talk, verb).into()
}

/// The same, with the exit code as a number.
pub(crate) fn outcome(talk: &TalkArguments, verb: impl FnOnce() -> Result<Answered>) -> u8 {
    talk.apply();
    interrupt::install();
    let start = Instant::now();
    let code = match verb() {
        Ok(Answered::Yes) => 0,
        Ok(Answered::No) => 1,
        Err(failure) if failure.reader_is_gone() => 0,
        Err(failure) => {
            tell(&format!("error: {}\n", standard_input::named(&failure.to_string())));
            tell(&format!("hint: {}\n", clean::one_line(&failure.hint().here().to_string())));
            2
        }
    };
    detail(|| format!("took {:.2} s", start.elapsed().as_secs_f64()));
    standard_input::forget();
    code
}

/// When standard error is gone there is nobody left to tell.
pub fn tell(text: &str) {
    let _ = io::stderr().write_all(clean::clean(text).as_bytes());
}
