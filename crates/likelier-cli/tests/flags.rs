//! Every option of every verb occurs in a test of the built program, and every verb's help has examples.
//!
//! Options are read off `--help`. An option counts as tested where a test function (with the constants it
//! names), or a command in `cmd/*.md` or in the README, has both the verb and the option in its texts.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

/// What `likelier VERB --help` prints.
fn help(verb: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_likelier"))
        .args(verb.split_whitespace())
        .arg("--help")
        .output()
        .unwrap();
    assert!(output.status.success(), "{verb}");
    String::from_utf8(output.stdout).unwrap()
}

/// All verbs, those with a verb below them by both words.
fn verbs() -> Vec<String> {
    let below = |verb: &str| -> Vec<String> {
        let help = help(verb);
        let Some(at) = help.find("\nCommands:\n") else { return Vec::new() };
        let list = help[at + 11..].lines().take_while(|line| line.starts_with("  "));
        let names = list
            .filter(|line| !line.starts_with("   "))
            .map(|line| line.split_whitespace().next().unwrap());
        names
            .filter(|name| *name != "help")
            .map(|name| format!("{verb} {name}").trim().to_owned())
            .collect()
    };
    let mut all = Vec::new();
    for verb in below("") {
        let inner = below(&verb);
        // `label` does something by itself, and has verbs below it.
        if inner.is_empty() || help(&verb).contains("\nArguments:\n") {
            all.push(verb);
        }
        all.extend(inner);
    }
    assert!(all.len() >= 12 && all.contains(&"evaluate".to_owned()), "{all:?}");
    all
}

/// The long options that a help text describes.
fn options(help: &str) -> BTreeSet<String> {
    let described = &help[..help.find("\nExample").unwrap_or(help.len())];
    let line = |line: &str| {
        let line = line.trim_start();
        let long =
            if line.starts_with("--") { line } else { line.get(4..).filter(|_| line.starts_with('-'))? };
        let name: String = long.chars().take_while(|c| *c == '-' || c.is_ascii_lowercase()).collect();
        name.starts_with("--").then_some(name)
    };
    let mut found: BTreeSet<String> = described.lines().filter_map(line).collect();
    for of_clap in ["--help", "--version"] {
        found.remove(of_clap);
    }
    found
}

/// The texts between quotation marks, one after the other.
fn literals(source: &str) -> String {
    let (mut texts, mut inside, mut escaped) = (String::new(), false, false);
    for c in source.chars() {
        match c {
            '"' if !escaped => {
                inside = !inside;
                texts.push(' ');
            }
            _ if inside => texts.push(if escaped && c == '\n' { ' ' } else { c }),
            _ => {}
        }
        escaped = c == '\\' && !escaped;
    }
    texts
}

/// The words of every piece that stands for one test.
fn tested() -> Vec<BTreeSet<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pieces: Vec<String> = Vec::new();
    for entry in fs::read_dir(root.join("tests")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|end| end != "rs") || path.ends_with("flags.rs") {
            continue;
        }
        let source = fs::read_to_string(path).unwrap();
        let mut parts = source.split("#[test]");
        let preamble = parts.next().unwrap_or_default();
        // The verb may be named where a helper runs it; a constant counts where it is used.
        let constants: Vec<(&str, String)> = source
            .split("\nconst ")
            .skip(1)
            .map(|rest| (rest.split(':').next().unwrap(), literals(rest.split(';').next().unwrap())))
            .collect();
        let without_constants = preamble.split("\nconst ").enumerate().map(|(at, part)| {
            if at == 0 { part } else { part.split_once(';').map_or("", |(_, rest)| rest) }
        });
        let helpers = literals(&without_constants.collect::<String>());
        for part in parts {
            let mut piece = format!("{helpers} {}", literals(part));
            for (_, text) in constants.iter().filter(|(name, _)| part.contains(name)) {
                piece = format!("{piece} {text}");
            }
            pieces.push(piece);
        }
    }
    for page in [root.join("tests/cmd/mistakes.md"), root.join("../../README.md")] {
        let page = fs::read_to_string(page).unwrap();
        pieces.extend(
            page.lines()
                .filter_map(|line| line.strip_prefix("$ likelier ").map(str::to_owned)),
        );
    }
    let words = |piece: &String| piece.split_whitespace().map(|word| word.replace("\\n", "")).collect();
    pieces.iter().map(words).collect()
}

#[test]
fn every_option_of_every_verb_is_tested() {
    let tested = tested();
    let everywhere = options(&help(""));
    let mut untested = Vec::new();
    for option in &everywhere {
        let short = option[1..3].to_owned();
        if !tested.iter().any(|words| words.contains(option) || words.contains(&short)) {
            untested.push(option.clone());
        }
    }
    for verb in verbs() {
        for option in options(&help(&verb)).difference(&everywhere) {
            let has_both = |words: &BTreeSet<String>| {
                words.contains(option) && verb.split(' ').all(|word| words.contains(word))
            };
            if !tested.iter().any(has_both) {
                untested.push(format!("{verb} {option}"));
            }
        }
    }
    assert!(untested.is_empty(), "no test of the built program uses:\n{}", untested.join("\n"));
}

#[test]
fn every_help_has_examples_of_its_own_verb() {
    assert!(help("").contains("\nExamples:\n"));
    for verb in verbs() {
        let help = help(&verb);
        let examples = help.find("\nExample").map(|at| &help[at..]).unwrap_or_default();
        assert!(examples.contains(&format!("likelier {verb}")), "{verb}: {help}");
    }
}
