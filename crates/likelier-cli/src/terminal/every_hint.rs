//! Every kind of error has advice that was written for it, and that can be followed where the error is met.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use clap::{Command, CommandFactory};
use likelier::Error;
#[cfg(feature = "label")]
use likelier_label::LabelError;
use likelier_tables::TableError;

use super::advice::{Advice, options_of, options_of_verb};
use super::failure::{Failure, Hint};
use super::hints::NONE;

/// The messages of all kinds, and the advice on each.
fn told<E: Hint>(errors: &[E]) -> BTreeMap<String, Advice> {
    errors.iter().map(|error| (error.to_string(), error.hint())).collect()
}

/// All verbs with their options, those below another by both names.
fn verbs() -> BTreeMap<String, BTreeSet<String>> {
    fn below(command: &Command, name: &str, all: &mut BTreeMap<String, BTreeSet<String>>) {
        for verb in command.get_subcommands() {
            let name = format!("{name} {}", verb.get_name()).trim().to_owned();
            all.insert(name.clone(), options_of_verb(verb));
            below(verb, &name, all);
        }
    }
    let mut command = crate::Cli::command();
    command.build();
    let mut all = BTreeMap::new();
    below(&command, "", &mut all);
    all
}

fn are_written_for_each<E: Hint>(errors: &[E], kinds: usize) {
    let told = told(errors);
    assert!(told.len() >= kinds, "{} kinds", told.len());
    let mut known: BTreeMap<String, &String> = BTreeMap::new();
    for (message, advice) in &told {
        let hint = advice.to_string();
        assert!(hint.len() > 10 && hint != NONE, "no advice on: {message}");
        assert!(!hint.ends_with('.') && !hint.contains('\n'), "{hint}");
        if let Some(other) = known.insert(hint.clone(), message) {
            panic!("two errors share the advice '{hint}':\n  {other}\n  {message}");
        }
    }
}

#[test]
fn every_error_has_advice_of_its_own() {
    are_written_for_each(&Error::one_of_each(), 33);
    are_written_for_each(&TableError::one_of_each(), 80);
    #[cfg(feature = "label")]
    are_written_for_each(&LabelError::one_of_each(), 15);
}

#[test]
fn advice_on_a_file_names_only_options_of_the_verb_that_reads_it() {
    let verbs = verbs();
    for (message, advice) in told(&TableError::one_of_each()) {
        for verb in ["train", "check", "prior", "evaluate", "predict", "generate", "label"] {
            let Some(options) = verbs.get(verb) else { continue };
            let told = advice.where_there_are(options).to_string();
            for option in options_of(&told) {
                assert!(options.contains(option), "{verb} has no {option}: {message}: {told}");
            }
        }
    }
}

#[test]
fn no_advice_names_an_option_that_no_verb_has() {
    let verbs = verbs();
    let mut all: Vec<Advice> = told(&Error::one_of_each()).into_values().collect();
    all.extend(told(&TableError::one_of_each()).into_values());
    #[cfg(feature = "label")]
    all.extend(told(&LabelError::one_of_each()).into_values());
    for advice in all {
        let hint = advice.to_string();
        let possible =
            |options: &BTreeSet<String>| options_of(&hint).all(|option| options.contains(option));
        assert!(verbs.values().any(possible), "{hint}");
        // Nor does a command in backticks name a verb that there is not.
        for command in hint
            .split('`')
            .skip(1)
            .step_by(2)
            .filter_map(|text| text.strip_prefix("likelier "))
        {
            let verb = command.split(' ').next().unwrap_or_default();
            assert!(verbs.contains_key(verb), "{command}");
        }
    }
}

#[test]
fn a_full_disk_is_told_as_such_whatever_was_written() {
    let full = || io::Error::from(io::ErrorKind::StorageFull);
    let path = std::path::Path::new("model");
    let failures = [
        Failure::from(full()),
        Failure::from(Error::File { path: path.into(), reason: full() }),
        Failure::from(TableError::file(path, full())),
        #[cfg(feature = "label")]
        Failure::from(LabelError::File { path: path.into(), reason: full() }),
    ];
    for failure in failures {
        assert_eq!(failure.hint().to_string(), "make room on the disk");
    }
}
