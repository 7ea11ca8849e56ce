//! A file of several classifiers: a safetensors file whose tensors are the bytes of one model file for each question.

use std::borrow::Cow;

use safetensors::tensor::Metadata as Header;
use safetensors::{Dtype, View, serialize};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::Classifiers;
use super::metadata::{check_sum, sorted, unknown_key};
use super::read::{ReadTrouble, damaged, read_member};
use super::{FORMAT_OF_SEVERAL, KEY, ModelFault, UNSIGNED, checksum, data_of};
use crate::error::Error;

/// What the file says besides its classifiers.
#[derive(Serialize, Deserialize)]
pub(super) struct Metadata {
    format: u32,
    /// Of the likelier that wrote the file.
    version: String,
    /// Whether an item is exactly one of the questions.
    classes: bool,
    /// What log-odds of classes are multiplied by.
    sharpness: f64,
    /// Their names, in order.
    questions: Vec<String>,
    checksum: Option<String>,
}

impl Metadata {
    /// None if it is a file of one classifier, or of none that is known.
    pub(super) fn from_json(text: &str) -> Result<Option<Self>, ModelFault> {
        let Ok(value) = serde_json::from_str::<Value>(text) else { return Ok(None) };
        if value.get("format").and_then(Value::as_u64) != Some(u64::from(FORMAT_OF_SEVERAL)) {
            return Ok(None);
        }
        let wrong = |error: serde_json::Error| ModelFault::Damaged(format!("in its metadata, {error}"));
        let metadata = Self::deserialize(&value).map_err(wrong)?;
        let known = serde_json::to_value(&metadata).map_err(wrong)?;
        match unknown_key(&value, &known) {
            Some(key) => Err(ModelFault::Damaged(format!("its metadata have the unknown key '{key}'"))),
            None => Ok(Some(metadata)),
        }
    }

    fn to_json(&self) -> Result<String, ModelFault> {
        let value = serde_json::to_value(self).map(sorted);
        value
            .map(|value| value.to_string())
            .map_err(|error| ModelFault::Damaged(format!("its metadata cannot be written ({error})")))
    }
}

/// The name of the tensor that holds the model file of a question.
fn tensor_of(number: usize) -> String {
    format!("question.{number}")
}

/// The bytes of one model file.
struct Member {
    shape: [usize; 1],
    bytes: Vec<u8>,
}

impl View for &Member {
    fn dtype(&self) -> Dtype {
        Dtype::U8
    }

    fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn data(&self) -> Cow<'_, [u8]> {
        (&self.bytes[..]).into()
    }

    fn data_len(&self) -> usize {
        self.bytes.len()
    }
}

pub(super) fn write(all: &Classifiers) -> Result<Vec<u8>, Error> {
    let fault = |fault| Error::Model { path: None, fault };
    let mut members = Vec::with_capacity(all.len());
    for (number, (_, classifier)) in all.iter().enumerate() {
        let bytes = classifier.to_bytes()?;
        members.push((tensor_of(number), Member { shape: [bytes.len()], bytes }));
    }
    let sign = |checksum: String| {
        let metadata = Metadata {
            format: FORMAT_OF_SEVERAL,
            version: env!("CARGO_PKG_VERSION").into(),
            classes: all.are_classes(),
            sharpness: all.sharpness(),
            questions: all.names(),
            checksum: Some(checksum),
        };
        let text = metadata.to_json()?;
        let tensors = members.iter().map(|(name, member)| (name, member));
        let bytes = serialize(tensors, Some([(KEY.to_owned(), text.clone())].into()))
            .map_err(|error| ModelFault::Damaged(format!("it cannot be written ({error})")))?;
        Ok((text, bytes))
    };
    let (text, bytes) = sign(UNSIGNED.into()).map_err(fault)?;
    let (_, bytes) = sign(checksum(&text, data_of(&bytes))).map_err(fault)?;
    Ok(bytes)
}

pub(super) fn read(
    header: &Header,
    text: &str,
    data: &[u8],
    metadata: &Metadata,
) -> Result<Classifiers, ReadTrouble> {
    check_sum(metadata.checksum.as_deref(), text, data)?;
    let (found, expected) = (header.tensors().len(), metadata.questions.len());
    if found != expected {
        return Err(damaged(format!("it holds {found} models for {expected} questions")));
    }
    let mut questions = Vec::with_capacity(expected);
    for (number, name) in metadata.questions.iter().enumerate() {
        let tensor = tensor_of(number);
        let Some(info) = header.info(&tensor).filter(|info| info.dtype == Dtype::U8) else {
            return Err(damaged(format!("it has no model for question '{name}'")));
        };
        let bytes = data.get(info.data_offsets.0..info.data_offsets.1).unwrap_or_default();
        let classifier = read_member(bytes).map_err(|trouble| match trouble {
            ReadTrouble::Fault(fault) => damaged(format!("in the model of question '{name}', {fault}")),
            ReadTrouble::Io(reason) => ReadTrouble::Io(reason),
        })?;
        questions.push((name.clone(), classifier));
    }
    Classifiers::new(questions, metadata.classes)
        .and_then(|all| all.with_sharpness(metadata.sharpness))
        .map_err(|error| damaged(error.to_string()))
}
