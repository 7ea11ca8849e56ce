//! Help whose examples can be pasted, however narrow the terminal is.
//!
//! The help is broken into lines that fit the terminal. A command that is broken so would run as two, so examples are set
//! without a place to break them, and the terminal does it, which copies as one line.

use std::io::Write;
use std::process;

use clap::Command;
use clap::error::{ContextKind, ContextValue};

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
pub(super) fn end(mut error: clap::Error) -> ! {
    tell_what_has_no_option(&mut error);
    let text = error.render().ansi().to_string().replace(NO_BREAK, " ");
    // As the program ends, there is nobody to tell that nobody reads.
    let _ = if error.use_stderr() {
        anstream::stderr().write_all(text.as_bytes())
    } else {
        anstream::stdout().write_all(text.as_bytes())
    };
    process::exit(error.exit_code())
}

/// Says that what an unknown option seems to mean is given without one. The parser would say how to pass the option as a value.
fn tell_what_has_no_option(error: &mut clap::Error) {
    let (Some(ContextValue::String(option)), Some(ContextValue::StyledStr(usage))) =
        (error.get(ContextKind::InvalidArg), error.get(ContextKind::Usage))
    else {
        return;
    };
    let tip = without_option(option, &usage.to_string());
    let Some(ContextValue::StyledStrs(tips)) = error.get(ContextKind::Suggested) else { return };
    if tips.iter().any(|tip| tip.to_string().contains("as a value")) {
        match tip {
            Some(tip) => error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()])),
            None => error.remove(ContextKind::Suggested),
        };
    }
}

fn without_option(option: &str, usage: &str) -> Option<String> {
    let name = option.trim_start_matches('-').to_uppercase();
    let words: Vec<&str> = usage.split_whitespace().collect();
    let (_, found) = (1..words.len()).map(|at| (words[at - 1], words[at])).find(|(before, word)| {
        let means = word.trim_matches(['<', '>', '[', ']', '.']);
        let rows = means == "FILE" && ["ITEMS", "ROWS", "INPUT", "DATA"].contains(&name.as_str());
        !before.starts_with('-') && word.starts_with(['<', '[']) && (means == name || rows)
    })?;
    Some(format!("{found} is given without an option before it"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_unknown_option_seems_to_mean_is_named_if_it_is_given_without_one() {
        let usage = "Usage: likelier predict [OPTIONS] --out <FILE> <MODEL> <FILE>";
        let tip = |option| without_option(option, usage);
        assert_eq!(tip("--model").as_deref(), Some("<MODEL> is given without an option before it"));
        assert_eq!(tip("--items").as_deref(), Some("<FILE> is given without an option before it"));
        assert_eq!(tip("--colour"), None);
        assert_eq!(without_option("--items", "Usage: likelier export --out <FILE> <MODEL>"), None);
    }
}
