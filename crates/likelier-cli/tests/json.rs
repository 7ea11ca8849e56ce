//! `docs/json.md` lists the fields that `--json` prints: all of them, and no others.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value;

#[path = "../../likelier/tests/data_dir/mod.rs"]
mod data_dir;
mod program;

use program::Folder;

/// Each verb's fields, as the page lists them.
fn documented() -> BTreeMap<String, BTreeSet<String>> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/json.md");
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

#[test]
fn every_printed_field_is_documented_and_every_documented_field_is_printed() {
    let folder = Folder::with_rows(3000);
    let with = "--items items.csv --comparisons pairs.csv --protocol forced-choice";
    let mut commands = vec![
        "generate --items labelled.csv --label label --positive 1 --protocol discard --out made".to_owned(),
        format!("check {with}"),
        format!("prior {with}"),
        format!("train {with} --prior auto --select --sensitivity --epochs 20 --out model"),
        format!("evaluate model {with}"),
        "evaluate model --items labelled.csv --label label".into(),
        "predict model items.csv --out scores.csv".into(),
        "inspect model".into(),
        "export model --out model.onnx".into(),
        "plan --prior 0.3 --protocol discard --comparisons 1000 --weight-norm 1 --row-norm 4".into(),
        "data list --data-dir .".into(),
        "data verify optdigits --data-dir .".into(),
        "demo".into(),
    ];
    let data = data_dir::data_dir();
    if let Some(data) = &data {
        let data = data.display();
        commands.push(format!(
            "generate --dataset optdigits --prior 0.5 --protocol discard --out bench --data-dir {data}"
        ));
        // All of it is there, so nothing is fetched.
        commands.push(format!("data fetch optdigits --data-dir {data}"));
    }
    let mut printed: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for command in &commands {
        let output = folder.run(&format!("{command} --json"));
        assert_ne!(output.status.code(), Some(2), "{command}: {}", program::said(&output));
        let all: Value = serde_json::from_slice(&output.stdout).unwrap();
        let names: Vec<&str> = all.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(BTreeSet::from_iter(names), BTreeSet::from(["command", "result", "schema", "warnings"]));
        let verb = all["command"].as_str().unwrap();
        assert!(command.starts_with(verb) && all["schema"] == 1, "{command}");
        for warning in all["warnings"].as_array().unwrap() {
            assert!(warning["code"].is_string() && warning["message"].is_string(), "{warning}");
        }
        paths(&all["result"], "", printed.entry(verb.to_owned()).or_default());
    }
    for (verb, fields) in documented() {
        let Some(printed) = printed.remove(&verb) else {
            assert!(data.is_none() && verb == "data fetch", "{verb} is documented and was not run");
            continue;
        };
        for path in &printed {
            let is_listed = fields.iter().any(|field| field == path);
            let known = fields
                .iter()
                .any(|field| stands_for(field, path, is_listed) || is_nothing(field, path));
            assert!(known, "{verb} prints {path}, which docs/json.md does not list");
        }
        for field in &fields {
            let is_printed = printed.iter().any(|path| stands_for(field, path, false));
            let needs_data = data.is_none() && field == "source.dataset";
            assert!(is_printed || needs_data, "docs/json.md lists {field} of {verb}, which is not printed");
        }
    }
    assert!(printed.is_empty(), "not documented: {printed:?}");
}
