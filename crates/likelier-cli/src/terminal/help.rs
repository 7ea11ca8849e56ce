//! Help whose examples can be pasted, however narrow the terminal is.
//!
//! The help is broken into lines that fit the terminal. A command that is broken so would run as two, so examples are set
//! without a place to break them, and the terminal does it, which copies as one line.

use std::io::Write;
use std::process;

use clap::Command;

/// Stands for a space at which no line is broken.
const NO_BREAK: &str = "\u{a0}";

/// The command with examples, here and below, that stay whole.
pub(super) fn with_whole_examples(command: Command) -> Command {
    let command = command.mut_subcommands(with_whole_examples);
    let Some(examples) = command.get_after_help().map(ToString::to_string) else { return command };
    let lines = examples
        .lines()
        .map(|line| if line.starts_with("  ") { line.replace(' ', NO_BREAK) } else { line.to_owned() });
    let whole = lines.collect::<Vec<_>>().join("\n");
    command.after_help(whole)
}

/// Prints the help that was asked for, or what is wrong with the arguments, and ends the program.
pub(super) fn end(error: &clap::Error) -> ! {
    let text = error.render().ansi().to_string().replace(NO_BREAK, " ");
    // As the program ends, there is nobody to tell that nobody reads.
    let _ = if error.use_stderr() {
        anstream::stderr().write_all(text.as_bytes())
    } else {
        anstream::stdout().write_all(text.as_bytes())
    };
    process::exit(error.exit_code())
}
