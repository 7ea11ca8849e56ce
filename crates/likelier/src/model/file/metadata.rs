//! What a model file says besides its numbers, as canonical JSON.
//!
//! Canonical: keys sorted, no spaces, numbers in the shortest decimal form that gives the same f64 again
//! (an f32 is written as the f64 that equals it). There is no time, path or command in it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::super::{Architecture, Classifier, ProbabilityMap, ScalingKind, TrainingSummary};
use super::{FORMAT, FORMAT_OF_SEVERAL, ModelFault, UNSIGNED, checksum};
use crate::data::Features;
use crate::risk::{Method, Setting};

#[derive(Serialize, Deserialize)]
pub(super) struct Metadata {
    pub(super) format: u32,
    /// Of the likelier that trained the model.
    pub(super) version: String,
    pub(super) model: Architecture,
    pub(super) features: Features,
    pub(super) scaling: ScalingKind,
    pub(super) method: Method,
    pub(super) setting: Setting,
    pub(super) threshold: f32,
    pub(super) probability: ProbabilityMap,
    pub(super) training: TrainingSummary,
    /// Of the file: these metadata and the numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) checksum: Option<String>,
}

impl Metadata {
    pub(super) fn of(classifier: &Classifier) -> Result<Self, ModelFault> {
        // JSON has no infinity, and would silently write it as nothing.
        if let Some(value) = classifier.summary.held_out.filter(|value| !value.is_finite()) {
            return Err(ModelFault::Damaged(format!("the held-out criterion is {value}")));
        }
        Ok(Self {
            format: FORMAT,
            version: classifier.version.clone(),
            model: classifier.architecture.clone(),
            features: classifier.features.clone(),
            scaling: classifier.scaling.kind(),
            method: classifier.method,
            setting: classifier.setting,
            threshold: classifier.threshold,
            probability: classifier.probability,
            training: classifier.summary,
            checksum: None,
        })
    }

    pub(super) fn to_json(&self) -> Result<String, ModelFault> {
        let value = serde_json::to_value(self).map(sorted);
        value
            .map(|value| value.to_string())
            .map_err(|error| ModelFault::Damaged(format!("its metadata cannot be written ({error})")))
    }

    pub(super) fn from_json(text: &str) -> Result<Self, ModelFault> {
        let damaged = |error: serde_json::Error| ModelFault::Damaged(format!("in its metadata, {error}"));
        let value: Value = serde_json::from_str(text).map_err(damaged)?;
        match value.get("format").and_then(Value::as_u64) {
            Some(format) if (1..=u64::from(FORMAT)).contains(&format) => {}
            Some(format) if format > u64::from(FORMAT) => {
                return Err(ModelFault::Newer { format, known: FORMAT_OF_SEVERAL });
            }
            _ => return Err(ModelFault::Damaged("its metadata do not say which format they have".into())),
        }
        let metadata = Self::deserialize(&value).map_err(damaged)?;
        let known = serde_json::to_value(&metadata).map_err(damaged)?;
        match unknown_key(&value, &known) {
            Some(key) => Err(ModelFault::Damaged(format!("its metadata have the unknown key '{key}'"))),
            None => Ok(metadata),
        }
    }
}

impl Metadata {
    /// Refuses a file in which a bit has changed: `text` are these metadata as the file has them, `data` its numbers.
    pub(super) fn check_sum(&self, text: &str, data: &[u8]) -> Result<(), ModelFault> {
        match &self.checksum {
            None if self.format == 1 => Ok(()),
            stated => check_sum(stated.as_deref(), text, data),
        }
    }
}

/// Refuses content that does not have the stated checksum.
pub(super) fn check_sum(stated: Option<&str>, text: &str, data: &[u8]) -> Result<(), ModelFault> {
    let Some(stated) = stated else {
        return Err(ModelFault::Damaged("its metadata have no checksum".into()));
    };
    let place = |sum: &str| format!("\"checksum\":\"{sum}\"");
    let found = checksum(&text.replacen(&place(stated), &place(UNSIGNED), 1), data);
    if found == stated {
        return Ok(());
    }
    let problem =
        format!("its checksum is {stated}, but its content gives {found}: some of it has changed");
    Err(ModelFault::Damaged(problem))
}

/// The same value with the keys of every object sorted, whatever features `serde_json` was built with.
pub(super) fn sorted(value: Value) -> Value {
    match value {
        Value::Object(object) => {
            let mut entries: Vec<_> = object.into_iter().collect();
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Object(
                entries
                    .into_iter()
                    .map(|(key, value)| (key, sorted(value)))
                    .collect::<Map<_, _>>(),
            )
        }
        Value::Array(values) => Value::Array(values.into_iter().map(sorted).collect()),
        other => other,
    }
}

/// A key of an object in `value` that the same object in `known` does not have. A key that is not
/// understood may change what scores mean, so it is not passed over.
pub(super) fn unknown_key(value: &Value, known: &Value) -> Option<String> {
    match (value, known) {
        (Value::Object(value), Value::Object(known)) => value.iter().find_map(|(key, value)| {
            known
                .get(key)
                .map_or_else(|| Some(key.clone()), |known| unknown_key(value, known))
        }),
        (Value::Array(values), Value::Array(known)) => {
            values.iter().zip(known).find_map(|(value, known)| unknown_key(value, known))
        }
        _ => None,
    }
}
