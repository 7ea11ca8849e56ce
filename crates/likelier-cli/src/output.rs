//! What goes to standard output, to standard error, and into files.

mod place;

use std::io::{self, Write};

use anyhow::Result;
use likelier::estimate::Interval;
use serde::Serialize;

pub(crate) use place::{FolderInUse, NewFile, NewFolder, OneOutput, OverInput};

use crate::{standard_input, talk};

/// What a verb found, where it was asked a question. A verb that only does something says yes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Yes,
    No,
}

/// A remark that a result needs, with a code that scripts can test for.
#[derive(Debug, Serialize)]
pub(crate) struct Warning {
    pub(crate) code: &'static str,
    pub(crate) message: String,
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
pub(crate) fn print_json(command: &str, result: &impl Serialize, warnings: &[Warning]) -> Result<()> {
    write_json(&mut io::stdout().lock(), command, result, warnings)
}

/// Writes a verb's result for machines.
pub(crate) fn write_json(
    mut out: &mut dyn Write,
    command: &str,
    result: &impl Serialize,
    warnings: &[Warning],
) -> Result<()> {
    serde_json::to_writer_pretty(&mut out, &Envelope { schema: 1, command, result, warnings })
        .map_err(io::Error::from)?;
    writeln!(out)?;
    Ok(())
}

/// Prints a verb's result for people; its warnings go to standard error.
pub(crate) fn print_text(text: &str, warnings: &[Warning]) -> Result<()> {
    io::stdout().lock().write_all(text.as_bytes())?;
    for warning in warnings.iter().filter(|_| !talk::is_quiet()) {
        tell(&format!("warning: {}\n", warning.message));
    }
    Ok(())
}

/// An interval in words, cut to what a share can be.
pub(crate) fn range(interval: &Interval) -> String {
    let shown = interval.clipped(0.0, 1.0);
    format!("{:.3} to {:.3}", shown.low, shown.high)
}

/// Text broken into lines that fit a page, each behind the indent.
pub(crate) fn wrapped(text: &str, indent: &str) -> String {
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

/// Prints an error and, where there is one, what to do about it.
pub(crate) fn complain(error: &anyhow::Error, hint: Option<&str>) {
    tell(&format!("error: {}\n", standard_input::named(&format!("{error:#}"))));
    if let Some(hint) = hint {
        tell(&format!("hint: {hint}\n"));
    }
}

/// When standard error is gone there is nobody left to tell.
pub(crate) fn tell(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Whether the error is only that nobody reads the output any more, as in `likelier … | head`.
pub(crate) fn reader_is_gone(error: &anyhow::Error) -> bool {
    error
        .downcast_ref::<io::Error>()
        .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
