//! NPZ: NPY files in a zip archive, as NumPy's `savez` and `savez_compressed` write them.

use std::io::{BufReader, Read};
use std::path::Path;

use flate2::bufread::DeflateDecoder;
use zip::{CompressionMethod, ZipArchive};

use super::file_at::FileAt;
use super::npy::{NpyData, NpyTable};
use super::unread;
use crate::decompress::MAX_BYTES;
use crate::decompress::{ByteSource, MAX_EXPANSION};
use crate::error::TableError;
use crate::problem::FormatProblem;

/// The first bytes of a file.
pub(super) const MAGIC: &[u8] = b"PK\x03\x04";

/// Opens the array of a name, or the only one.
pub(super) fn open(path: &Path, name: Option<&str>) -> Result<NpyTable, TableError> {
    let damaged =
        |error: &dyn std::fmt::Display| TableError::format(path, format!("is not an NPZ file: {error}"));
    let file = std::fs::File::open(path).map_err(|error| TableError::file(path, error))?;
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(|error| damaged(&error))?;
    let arrays: Vec<String> = archive
        .file_names()
        .filter_map(|name| Some(name.ok()?.strip_suffix(".npy")?.to_owned()))
        .collect();
    let wanted = match (name, &arrays[..]) {
        (Some(name), _) if arrays.iter().any(|known| known == name) => name,
        (None, [only]) => only,
        (_, []) => {
            let format = unread::archive(archive.file_names().filter_map(Result::ok));
            return Err(TableError::format(path, format));
        }
        (Some(name), _) => {
            let problem = FormatProblem::NoSuchArray { name: name.to_owned(), known: arrays };
            return Err(TableError::format(path, problem));
        }
        (None, _) => return Err(TableError::format(path, FormatProblem::SeveralArrays { known: arrays })),
    };
    let entry = archive.by_name(&format!("{wanted}.npy")).map_err(|error| damaged(&error))?;
    let start = entry.data_start().ok_or_else(|| damaged(&"the array has no place"))?;
    let (method, stored, length) = (entry.compression(), entry.compressed_size(), entry.size());
    let file = FileAt::open(path)?;
    if entry.encrypted() || start.saturating_add(stored) > file.length() {
        return Err(damaged(&"the array is encrypted or cut off"));
    }
    match method {
        CompressionMethod::Stored => NpyTable::of(path, NpyData::File(file, start), Some(stored)),
        CompressionMethod::Deflated => {
            let compressed = BufReader::new(file.reader(start).take(stored));
            let reader = Box::new(DeflateDecoder::new(compressed));
            let most = MAX_BYTES.max(stored.saturating_mul(MAX_EXPANSION));
            NpyTable::of(path, NpyData::Stream(ByteSource::inside(path, "zip", reader, most)), Some(length))
        }
        method => Err(damaged(&format!("{method} is not a compression of NumPy's"))),
    }
}
