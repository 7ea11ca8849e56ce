//! A page lists the fields that `--json` prints: all of them, and no others.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::Value;

/// Each verb's fields, as the page lists them.
fn documented(page: &str) -> BTreeMap<String, BTreeSet<String>> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(page);
    let page = fs::read_to_string(page).unwrap();
    let field =
        |line: &str| line.strip_prefix("| `").map(|rest| rest[..rest.find('`').unwrap()].to_owned());
    let sections = page.split("\n## ").skip(1);
    sections
        .map(|section| {
            let verb = section.lines().next().unwrap().to_owned();
            (verb, section.lines().filter_map(field).collect())
        })
        .collect()
}

/// The paths of everything in a value that is no object or list; an interval counts as one thing.
fn paths(value: &Value, path: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            let names: BTreeSet<&str> = fields.keys().map(String::as_str).collect();
            if !path.is_empty() && names == BTreeSet::from(["high", "level", "low", "value"]) {
                found.insert(path.to_owned());
                return;
            }
            for (name, value) in fields {
                let dot = if path.is_empty() { "" } else { "." };
                paths(value, &format!("{path}{dot}{name}"), found);
            }
        }
        Value::Array(entries) if entries.is_empty() => {
            found.insert(format!("{path}[]"));
        }
        Value::Array(entries) => {
            for entry in entries {
                paths(entry, &format!("{path}[]"), found);
            }
        }
        _ => {
            found.insert(path.to_owned());
        }
    }
}

/// Whether a documented field stands for a printed one.
fn stands_for(field: &str, printed: &str, is_listed: bool) -> bool {
    match field.strip_suffix('…') {
        // "…" alone is for what nothing else stands for.
        Some("") => !is_listed,
        Some(start) => printed.starts_with(start),
        // Where there is nothing, what would be below it is not there.
        None => field == printed,
    }
}

fn is_nothing(field: &str, printed: &str) -> bool {
    field.strip_prefix(printed).is_some_and(|rest| rest.starts_with(['.', '[']))
}

/// Runs commands with `--json` and compares what they print with a page of docs/. The verb of a command is the
/// one that it prints.
pub(crate) fn compare(page: &str, commands: &[String], run: impl Fn(&str) -> Output) {
    let mut printed: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for command in commands {
        let output = run(&format!("{command} --json"));
        let said = String::from_utf8_lossy(&output.stderr);
        assert_ne!(output.status.code(), Some(2), "{command}: {said}");
        let all: Value = serde_json::from_slice(&output.stdout).unwrap();
        let names: Vec<&str> = all.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(BTreeSet::from_iter(names), BTreeSet::from(["command", "result", "schema", "warnings"]));
        let verb = all["command"].as_str().unwrap();
        // The demonstration's files are generated.
        assert!(command.starts_with(verb) || command.starts_with("demo --out"), "{command}: {verb}");
        assert_eq!(all["schema"], 1);
        for warning in all["warnings"].as_array().unwrap() {
            assert!(warning["code"].is_string() && warning["message"].is_string(), "{warning}");
        }
        paths(&all["result"], "", printed.entry(verb.to_owned()).or_default());
    }
    for (verb, fields) in documented(page) {
        let printed = printed.remove(&verb).unwrap_or_default();
        assert!(!printed.is_empty(), "{verb} is documented and was not run");
        for path in &printed {
            let is_listed = fields.iter().any(|field| field == path);
            let known = fields
                .iter()
                .any(|field| stands_for(field, path, is_listed) || is_nothing(field, path));
            assert!(known, "{verb} prints {path}, which docs/{page} does not list");
        }
        for field in &fields {
            let is_printed = printed.iter().any(|path| stands_for(field, path, false));
            assert!(is_printed, "docs/{page} lists {field} of {verb}, which is not printed");
        }
    }
    assert!(printed.is_empty(), "not documented: {printed:?}");
}
