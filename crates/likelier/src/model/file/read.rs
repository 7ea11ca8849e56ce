//! Reading a model file, and believing nothing.
//!
//! A safetensors file is the length of its header (8 bytes, little-endian), the header (JSON: for each
//! tensor its type, shape and place) and the tensors' bytes, without gaps.

use std::io::{self, Read};

use safetensors::Dtype;
use safetensors::tensor::Metadata as Header;

use super::super::tensors::{Part, layers};
use super::super::{Classifier, Scaling, Weights};
use super::metadata::Metadata;
use super::{FACTOR, KEY, ModelFault, ModelFile, OFFSET, several};

/// What stands in the way of a model.
pub(super) enum ReadTrouble {
    Io(io::Error),
    Fault(ModelFault),
}

/// As in the safetensors format itself.
const LONGEST_HEADER: u64 = 100_000_000;

/// Reads a model. No more is read, and so no more memory taken, than the header accounts for: a large
/// file of another kind is refused after its first bytes.
pub(super) fn read(mut from: impl Read) -> Result<ModelFile, ReadTrouble> {
    let header = read_header(&mut from)?;
    let text = metadata_of(&header)?;
    if let Some(metadata) = several::Metadata::from_json(text)? {
        let data = read_data(from, header.data_len())?;
        return several::read(&header, text, &data, &metadata).map(ModelFile::Several);
    }
    read_one(&header, from).map(ModelFile::One)
}

/// Reads one of several models: a file of one classifier.
pub(super) fn read_member(mut from: impl Read) -> Result<Classifier, ReadTrouble> {
    let header = read_header(&mut from)?;
    read_one(&header, from)
}

/// Our metadata in a file.
fn metadata_of(header: &Header) -> Result<&String, ReadTrouble> {
    let text = header.metadata().as_ref().and_then(|metadata| metadata.get(KEY));
    text.ok_or_else(|| {
        not_a_model(format!("it is a safetensors file, but without the metadata key '{KEY}'"))
    })
}

fn read_one(header: &Header, from: impl Read) -> Result<Classifier, ReadTrouble> {
    let text = metadata_of(header)?;
    let metadata = Metadata::from_json(text)?;
    let length = header.data_len();
    // Before anything is read or built: a shape is believed only if the file has room for it.
    let needed = metadata.model.parameters(metadata.features.width());
    if needed > length / size_of::<f32>() {
        return Err(damaged(format!(
            "a {} has {needed} parameters, but the file holds {} numbers",
            metadata.model,
            length / size_of::<f32>()
        )));
    }
    let data = read_data(from, length)?;
    metadata.check_sum(text, &data)?;
    classifier(header, &data, metadata)
}

/// What follows the header: so much and no more.
fn read_data(from: impl Read, length: usize) -> Result<Vec<u8>, ReadTrouble> {
    let mut data = Vec::new();
    from.take((length as u64).saturating_add(1)).read_to_end(&mut data)?;
    if data.len() != length {
        let what = if data.len() < length { "cut short" } else { "longer than its header says" };
        return Err(damaged(format!("the file is {what}")));
    }
    Ok(data)
}

fn read_header(from: &mut impl Read) -> Result<Header, ReadTrouble> {
    let mut length = Vec::new();
    from.take(8).read_to_end(&mut length)?;
    let Ok(length) = <[u8; 8]>::try_from(length.as_slice()).map(u64::from_le_bytes) else {
        return Err(not_a_model(format!("it has only {} bytes", length.len())));
    };
    if length > LONGEST_HEADER {
        return Err(not_a_model("it does not start like a safetensors file".into()));
    }
    let mut header = Vec::new();
    from.take(length).read_to_end(&mut header)?;
    if !header.starts_with(b"{") {
        return Err(not_a_model("it does not start like a safetensors file".into()));
    }
    if (header.len() as u64) < length {
        return Err(damaged("the file is cut short, in its header".into()));
    }
    serde_json::from_slice(&header).map_err(|error| damaged(format!("in its header, {error}")))
}

fn classifier(header: &Header, data: &[u8], metadata: Metadata) -> Result<Classifier, ReadTrouble> {
    let width = metadata.features.width();
    let network = metadata.model.network(width).map_err(|error| damaged(error.to_string()))?;
    let tensors: Vec<_> = layers(&network).into_iter().flat_map(|(_, tensors)| tensors).collect();
    let (found, expected) = (header.tensors().len(), tensors.len() + 2);
    if found != expected {
        return Err(damaged(format!("it holds {found} tensors instead of {expected}")));
    }
    let numbers = |name: &str, shape: &[usize]| {
        let Some(info) = header.info(name) else {
            return Err(damaged(format!("it has no tensor '{name}'")));
        };
        if info.dtype != Dtype::F32 || info.shape != shape {
            return Err(damaged(format!(
                "tensor '{name}' is {} {:?}, but should be F32 {shape:?}",
                info.dtype, info.shape
            )));
        }
        let bytes = data.get(info.data_offsets.0..info.data_offsets.1).unwrap_or_default();
        let number = |bytes: &[u8]| bytes.try_into().map_or(f32::NAN, f32::from_le_bytes);
        Ok(bytes.chunks_exact(size_of::<f32>()).map(number).collect::<Vec<f32>>())
    };
    let scaling =
        Scaling::from_parts(metadata.scaling, numbers(OFFSET, &[width])?, numbers(FACTOR, &[width])?)
            .ok_or_else(|| damaged("its scaling does not match its kind".into()))?;
    let mut weights = Weights { parameters: Vec::new(), buffers: Vec::new() };
    for tensor in &tensors {
        let numbers = numbers(&tensor.name, &tensor.shape)?;
        match tensor.part {
            Part::Parameters(_) => weights.parameters.extend(numbers),
            Part::Buffers(_) => {
                if tensor.name.ends_with("variance") && numbers.iter().any(|number| *number < 0.0) {
                    return Err(damaged(format!("tensor '{}' holds a variance below 0", tensor.name)));
                }
                weights.buffers.extend(numbers);
            }
        }
    }
    let classifier = Classifier {
        architecture: metadata.model,
        weights,
        features: metadata.features,
        scaling,
        threshold: metadata.threshold,
        method: metadata.method,
        setting: metadata.setting,
        probability: metadata.probability,
        summary: metadata.training,
        version: metadata.version,
    };
    classifier.check_numbers()?;
    Ok(classifier)
}

fn not_a_model(why: String) -> ReadTrouble {
    ReadTrouble::Fault(ModelFault::NotAModel(why))
}

pub(super) fn damaged(why: String) -> ReadTrouble {
    ReadTrouble::Fault(ModelFault::Damaged(why))
}
