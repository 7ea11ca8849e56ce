//! Answers that were collected elsewhere.

use std::collections::HashMap;
use std::path::Path;

use likelier::data::ShownSide;
use likelier_tables::{Layout, hex, read_answers};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::catalogue::Catalogue;
use crate::collected::Collected;
use crate::error::LabelError;
use crate::store::{Choice, NewPair, Origin, Store, now, parse_time};

/// What is imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportFormat {
    /// A table of comparisons as `--comparisons` takes it, CatBoost's pairs of row numbers included.
    Comparisons,
    /// The JSON that Label Studio writes for its pairwise template.
    LabelStudio {
        /// The fields of a task that hold the ids of the left and the right item.
        fields: [String; 2],
    },
}

struct Imported {
    names: [String; 2],
    choice: Choice,
    person: String,
    at: Option<i64>,
    took: Option<i64>,
    propensity: Option<f64>,
}

/// Adds answers to a file that is there, and says how many were added, and how many were there already.
pub fn import(
    from: &Path,
    into: &Path,
    format: &ImportFormat,
    name: &str,
) -> Result<(usize, usize), LabelError> {
    let settings = Collected::read(into)?.settings;
    let items = Catalogue::read(&settings)?;
    let bytes = std::fs::read(from).map_err(|reason| LabelError::file(from, reason))?;
    let found = match format {
        ImportFormat::Comparisons => comparisons(from, &items, name)?,
        ImportFormat::LabelStudio { fields } => label_studio(from, &bytes, &items, fields, name)?,
    };
    // The same line of the same file has the same key, so it is added once.
    let sum = hex(&Sha256::digest(&bytes)[..12]);
    let store = Store::open(into)?;
    store.run("BEGIN IMMEDIATE")?;
    let (mut people, mut added) = (HashMap::new(), 0);
    for (number, one) in found.iter().enumerate() {
        let key = format!("{sum}-{number}");
        if store.keyed(&key)?.is_some() {
            continue;
        }
        let known = people.get(&one.person).copied();
        let person = known.map_or_else(|| store.person(&one.person, false).map(|person| person.id), Ok)?;
        people.insert(one.person.clone(), person);
        let pair = store.deal(&NewPair {
            person,
            names: [&one.names[0], &one.names[1]],
            origin: Origin::Imported,
            of: None,
            propensity: one.propensity,
        })?;
        store.add(pair, one.choice, None, &key, one.at.unwrap_or_else(now), one.took)?;
        added += 1;
    }
    store.run("COMMIT")?;
    store.close()?;
    Ok((added, found.len() - added))
}

fn comparisons(path: &Path, items: &Catalogue, name: &str) -> Result<Vec<Imported>, LabelError> {
    let answers = read_answers(path, items.ids(), &Layout::default())?;
    answers.to_one_question()?;
    let mut found = Vec::new();
    for (at, (likelier, other)) in answers.pairs().iter().enumerate() {
        let [likelier, other] = [likelier, other].map(|row| items.ids().name(*row as usize).into_owned());
        // Where the side is not known, the likelier item counts as the left one; the origin says that it was imported.
        let right = answers.sides().is_some_and(|sides| sides[at] == Some(ShownSide::Right));
        let (names, choice) = match (answers.is_tie(at), right) {
            (true, _) => ([likelier, other], Choice::Tie),
            (false, true) => ([other, likelier], Choice::Right),
            (false, false) => ([likelier, other], Choice::Left),
        };
        let person = answers.annotators().map(|people| people.names.get(people.of[at] as usize));
        let person = person.filter(|person| !person.is_empty()).unwrap_or(name).to_owned();
        let time = answers.times().and_then(|times| parse_time(times.get(at)));
        let propensity = answers.propensities().map(|propensities| propensities[at]);
        found.push(Imported { names, choice, person, at: time, took: None, propensity });
    }
    Ok(found)
}

fn label_studio(
    path: &Path,
    bytes: &[u8],
    items: &Catalogue,
    fields: &[String; 2],
    name: &str,
) -> Result<Vec<Imported>, LabelError> {
    let wrong = |problem: String| LabelError::Import { path: path.to_owned(), problem };
    let tasks: Value =
        serde_json::from_slice(bytes).map_err(|error| wrong(format!("is not JSON: {error}")))?;
    let tasks = tasks.as_array().ok_or_else(|| wrong("is not a list of tasks".into()))?;
    let mut found = Vec::new();
    for (number, task) in tasks.iter().enumerate() {
        let number = number + 1;
        let mut names = [String::new(), String::new()];
        for (field, place) in fields.iter().zip(&mut names) {
            let value = &task["data"][field];
            *place = match value {
                Value::String(text) => text.clone(),
                Value::Number(number) => number.to_string(),
                _ => {
                    return Err(wrong(format!(
                        "task {number} has no field '{field}' in its data: name the fields with --fields"
                    )));
                }
            };
            if items.ids().find(place).is_none() {
                return Err(wrong(format!("task {number}: '{place}' is the id of no item")));
            }
        }
        if names[0] == names[1] {
            return Err(wrong(format!("task {number} compares '{}' with itself", names[0])));
        }
        let annotations = task["annotations"].as_array().map(Vec::as_slice).unwrap_or_default();
        for annotation in annotations.iter().filter(|one| one["was_cancelled"] != true) {
            let results = annotation["result"].as_array().map(Vec::as_slice).unwrap_or_default();
            let pairwise = results.iter().find(|result| result["type"] == "pairwise");
            let choice = match pairwise.and_then(|result| result["value"]["selected"].as_str()) {
                Some("left") => Choice::Left,
                Some("right") => Choice::Right,
                _ => {
                    return Err(wrong(format!(
                        "task {number} has an annotation that chose neither left nor right"
                    )));
                }
            };
            let who = &annotation["completed_by"];
            let person = match (&who["email"], who) {
                (Value::String(email), _) => email.clone(),
                (_, Value::Number(id)) => format!("{name} {id}"),
                _ => name.to_owned(),
            };
            let at = annotation["created_at"].as_str().and_then(parse_time);
            let took = annotation["lead_time"].as_f64().map(|seconds| (1000.0 * seconds) as i64);
            found.push(Imported { names: names.clone(), choice, person, at, took, propensity: None });
        }
    }
    Ok(found)
}
