//! Ways out of an error. Of these only those are told that the verb at hand offers.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fmt;
use std::sync::OnceLock;

use clap::{ArgMatches, Command, Parser};

use super::help;

/// What the user could do: one thing, or one of several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    ways: Vec<String>,
    /// What to do where none of these is possible.
    otherwise: Option<String>,
}

impl Advice {
    /// Several ways out, the best first. One that names an option is told only where there is this option.
    pub fn any_of<const N: usize>(ways: [&str; N]) -> Self {
        Self { ways: ways.map(str::to_owned).into(), otherwise: None }
    }

    /// The same, and what to do where none of it is possible.
    #[must_use]
    pub fn otherwise(self, way: &str) -> Self {
        Self { otherwise: Some(way.to_owned()), ..self }
    }

    /// The advice as it is told by a verb with these options.
    #[must_use]
    pub fn where_there_are(&self, options: &BTreeSet<String>) -> Self {
        let open = |way: &&String| options_of(way).all(|option| options.contains(option));
        let ways: Vec<String> = self.ways.iter().filter(open).cloned().collect();
        match &self.otherwise {
            _ if !ways.is_empty() => Self { ways, otherwise: None },
            Some(way) => way.clone().into(),
            // Advice on what another verb offers is better than none.
            None => self.clone(),
        }
    }

    /// The same as the verb that runs tells it.
    #[must_use]
    pub(super) fn here(&self) -> Self {
        OFFERED
            .get()
            .map_or_else(|| self.clone(), |options| self.where_there_are(options))
    }
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.ways[..] {
            [] => Ok(()),
            [way] => f.write_str(way),
            [ways @ .., last] => write!(f, "{}, or {last}", ways.join(", ")),
        }
    }
}

impl From<&str> for Advice {
    fn from(way: &str) -> Self {
        way.to_owned().into()
    }
}

impl From<String> for Advice {
    fn from(way: String) -> Self {
        Self { ways: vec![way], otherwise: None }
    }
}

/// The options that a text names. A command in backticks is one of its own.
pub(super) fn options_of(text: &str) -> impl Iterator<Item = &str> {
    let outside = text.split('`').step_by(2);
    let words = outside.flat_map(|part| part.split(|c: char| !(c.is_ascii_lowercase() || c == '-')));
    words.filter(|word| word.len() > 2 && word.starts_with("--") && *word != "--help")
}

static OFFERED: OnceLock<BTreeSet<String>> = OnceLock::new();

/// Parses the arguments, and keeps in mind which options the verb has.
pub fn parse<C: Parser>(arguments: &[OsString]) -> C {
    let mut command = help::with_whole_examples(C::command());
    let matches = command
        .try_get_matches_from_mut(arguments)
        .unwrap_or_else(|error| help::end(error));
    let _ = OFFERED.set(offered(&command, &matches));
    C::from_arg_matches(&matches).unwrap_or_else(|error| help::end(error))
}

/// The options of the verb that is called.
fn offered(command: &Command, matches: &ArgMatches) -> BTreeSet<String> {
    let below = matches.subcommand().and_then(|(name, matches)| {
        let verb = command.find_subcommand(name)?;
        Some(offered(verb, matches))
    });
    below.unwrap_or_else(|| options_of_verb(command))
}

/// The long options of a verb.
pub(super) fn options_of_verb(command: &Command) -> BTreeSet<String> {
    command
        .get_arguments()
        .filter_map(|argument| Some(format!("--{}", argument.get_long()?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_that_a_verb_does_not_offer_are_not_told() {
        let advice = Advice::any_of([
            "name it with --categories",
            "leave it out with --exclude",
            "correct the cell",
        ]);
        let told = |options: &[&str]| {
            let options = options.iter().map(|option| (*option).to_owned()).collect();
            advice.where_there_are(&options).to_string()
        };
        assert_eq!(told(&[]), "correct the cell");
        assert_eq!(told(&["--exclude"]), "leave it out with --exclude, or correct the cell");
        assert_eq!(
            told(&["--exclude", "--categories"]),
            "name it with --categories, leave it out with --exclude, or correct the cell"
        );
        let advice = Advice::any_of(["say which with --array"]).otherwise("take another file");
        assert_eq!(advice.to_string(), "say which with --array");
        assert_eq!(advice.where_there_are(&BTreeSet::new()).to_string(), "take another file");
    }

    #[test]
    fn options_are_found_in_words() {
        let options = |text| options_of(text).collect::<Vec<_>>();
        assert_eq!(options("a (--id), --pairs 3; see --help, `x --y` - --"), ["--id", "--pairs"]);
        assert_eq!(options("--columns likelier=COLUMN"), ["--columns"]);
    }
}
