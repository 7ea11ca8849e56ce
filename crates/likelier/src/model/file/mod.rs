//! A trained classifier as one file, format 2.
//!
//! The file is a safetensors file, which many programs can open: the numbers are its tensors, and
//! everything else is canonical JSON under the one metadata key `likelier`. `docs/model-file.md` in the
//! repository specifies it to the byte. Equal training gives equal bytes. A checksum over metadata and numbers tells
//! when a bit has changed on the way; files of format 1 have none, and are read without.
//!
//! Reading believes nothing. What the metadata claim is held against what the file holds before anything
//! is built from it.

mod metadata;
mod read;
mod several;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use safetensors::{Dtype, View, serialize};

use super::tensors::layers;
use super::{Classifier, Classifiers, Weights};
use crate::error::Error;
use crate::files::replace;
use metadata::Metadata;
use read::{ReadTrouble, read};

/// The newest format of one classifier, and the one that is written. Format 1 had no checksum and no rules for missing
/// numbers.
const FORMAT: u32 = 2;
/// The format of a file that holds files of several classifiers, and the newest that is read.
const FORMAT_OF_SEVERAL: u32 = 3;
/// The key of our metadata in the file.
const KEY: &str = "likelier";
const OFFSET: &str = "scaling.offset";
const FACTOR: &str = "scaling.factor";

/// Why a model file cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelFault {
    /// Some other file.
    #[error("this is not a likelier model: {0}")]
    NotAModel(String),
    /// A file of ours whose content cannot be right.
    #[error("the model is damaged: {0}")]
    Damaged(String),
    /// A file of several classifiers, where one is needed.
    #[error("the model answers several questions, and this takes one: {}", questions.join(", "))]
    Several {
        /// The questions.
        questions: Vec<String>,
    },
    /// A file of ours from the future.
    #[error("format {format} was written by a newer likelier; this one reads up to {known}")]
    Newer {
        /// The file's format.
        format: u64,
        /// The newest format this version reads.
        known: u32,
    },
}

/// What a model file holds.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "there is one of them")]
pub enum ModelFile {
    /// One classifier.
    One(Classifier),
    /// One for each of several questions.
    Several(Classifiers),
}

impl ModelFile {
    /// Reads a model file.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let from_file = |reason| Error::file(path, reason);
        let file = File::open(path).map_err(from_file)?;
        read(file).map_err(|trouble| match trouble {
            ReadTrouble::Io(reason) => from_file(reason),
            ReadTrouble::Fault(fault) => Error::Model { path: Some(path.to_owned()), fault },
        })
    }

    /// What the content of a model file holds. Any bytes may be given.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        read(bytes).map_err(|trouble| match trouble {
            ReadTrouble::Io(reason) => Error::file(Path::new("the bytes of a model"), reason),
            ReadTrouble::Fault(fault) => Error::Model { path: None, fault },
        })
    }

    /// The one classifier, or that of one of several questions. Where there are several, one must be named.
    pub fn of_question(self, question: Option<&str>) -> Result<Classifier, Error> {
        match (self, question) {
            (Self::One(classifier), None) => Ok(classifier),
            (Self::One(_), Some(given)) => {
                Err(Error::UnknownQuestion { given: given.to_owned(), known: Vec::new() })
            }
            (Self::Several(all), Some(name)) => Ok(all.of_question(name)?.clone()),
            (Self::Several(all), None) => Err(Error::SeveralQuestions { questions: all.names() }),
        }
    }

    /// The one classifier.
    fn one(self, path: Option<&Path>) -> Result<Classifier, Error> {
        match self {
            Self::One(classifier) => Ok(classifier),
            Self::Several(all) => {
                let fault = ModelFault::Several { questions: all.names() };
                Err(Error::Model { path: path.map(Path::to_owned), fault })
            }
        }
    }
}

impl Classifiers {
    /// Writes the model file. What stood there before is replaced as a whole, or not at all.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        let bytes = self.to_bytes()?;
        replace(path, |file| file.write_all(&bytes)).map_err(|reason| Error::file(path, reason))
    }

    /// The content of the model file.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        several::write(self)
    }
}

impl Classifier {
    /// Writes the model file. What stood there before is replaced as a whole, or not at all.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        let bytes = self.to_bytes()?;
        replace(path, |file| file.write_all(&bytes)).map_err(|reason| Error::file(path, reason))
    }

    /// Reads a model file.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        ModelFile::load(path)?.one(Some(path))
    }

    /// The content of the model file.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        let damaged = |fault| Error::Model { path: None, fault };
        self.check_numbers().map_err(damaged)?;
        let network = self.architecture.network(self.features.width())?;
        let tensors: Vec<_> = layers(&network).into_iter().flat_map(|(_, tensors)| tensors).collect();
        let width = [self.features.width()];
        let mut named = vec![
            (OFFSET, Numbers { shape: &width, numbers: self.scaling.offset() }),
            (FACTOR, Numbers { shape: &width, numbers: self.scaling.factor() }),
        ];
        named.extend(tensors.iter().map(|tensor| {
            (&tensor.name[..], Numbers { shape: &tensor.shape, numbers: tensor.of(&self.weights) })
        }));
        let write = |metadata: &Metadata| {
            let text = metadata.to_json()?;
            serialize(named.iter().copied(), Some([(KEY.to_owned(), text)].into()))
                .map_err(|error| ModelFault::Damaged(format!("it cannot be written ({error})")))
        };
        let unsigned = Metadata { checksum: Some(UNSIGNED.into()), ..Metadata::of(self).map_err(damaged)? };
        let text = unsigned.to_json().map_err(damaged)?;
        let bytes = write(&unsigned).map_err(damaged)?;
        let checksum = Some(checksum(&text, data_of(&bytes)));
        write(&Metadata { checksum, ..unsigned }).map_err(damaged)
    }

    /// A model from the content of a model file. Any bytes may be given.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        ModelFile::from_bytes(bytes)?.one(None)
    }

    /// Everything about the model but its numbers, as the canonical JSON that its file holds.
    pub fn metadata_json(&self) -> Result<String, Error> {
        let json = Metadata::of(self).and_then(|metadata| metadata.to_json());
        json.map_err(|fault| Error::Model { path: None, fault })
    }

    /// Refuses numbers that no training gives.
    fn check_numbers(&self) -> Result<(), ModelFault> {
        let Weights { parameters, buffers } = &self.weights;
        let cut = [self.threshold, self.probability.slope, self.probability.offset];
        for (what, numbers) in [
            ("the parameters", &parameters[..]),
            ("the running statistics", buffers),
            ("the scaling", self.scaling.offset()),
            ("the scaling", self.scaling.factor()),
            ("threshold and probability map", &cut),
        ] {
            if let Some(number) = numbers.iter().find(|number| !number.is_finite()) {
                return Err(ModelFault::Damaged(format!("{what} must be finite, but hold {number}")));
            }
        }
        Ok(())
    }
}

/// What stands in the place of the checksum while it is computed.
const UNSIGNED: &str = "00000000";

/// CRC-32 of the metadata, with [`UNSIGNED`] in the place of the checksum, and then of the numbers.
fn checksum(metadata: &str, data: &[u8]) -> String {
    let mut sum = crc32fast::Hasher::new();
    sum.update(metadata.as_bytes());
    sum.update(data);
    format!("{:08x}", sum.finalize())
}

/// The numbers of a file that was just written: what follows the header.
fn data_of(bytes: &[u8]) -> &[u8] {
    let length = bytes.first_chunk().map_or(0, |length| u64::from_le_bytes(*length) as usize);
    bytes.get(8 + length..).unwrap_or_default()
}

/// A tensor as it is written.
#[derive(Clone, Copy)]
struct Numbers<'a> {
    shape: &'a [usize],
    numbers: &'a [f32],
}

impl View for Numbers<'_> {
    fn dtype(&self) -> Dtype {
        Dtype::F32
    }

    fn shape(&self) -> &[usize] {
        self.shape
    }

    fn data(&self) -> Cow<'_, [u8]> {
        little_endian(self.numbers).into()
    }

    fn data_len(&self) -> usize {
        size_of_val(self.numbers)
    }
}

/// The bytes of f32 numbers, on any machine.
pub(super) fn little_endian(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

impl From<ModelFault> for ReadTrouble {
    fn from(fault: ModelFault) -> Self {
        Self::Fault(fault)
    }
}

impl From<io::Error> for ReadTrouble {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}
