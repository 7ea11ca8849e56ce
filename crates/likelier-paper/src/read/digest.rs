//! The length and the SHA-256 of a file, as it is stored or as what it decompresses to.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use likelier_tables::{ByteSource, TableError};
use sha2::{Digest, Sha256};

/// The bytes that are read at a time.
const CHUNK: u64 = 1 << 20;

/// What was found in a file.
#[derive(Debug)]
pub(crate) struct Digested {
    /// How many bytes were read.
    pub(crate) bytes: u64,
    /// Their SHA-256 in hexadecimal digits.
    pub(crate) sha256: String,
}

/// Of the content of a file. Reading ends soon after `expected` bytes: a few kilobytes of gzip or xz can
/// stand for terabytes, and a file that is too long is the wrong one anyway.
pub(crate) fn of_content(path: &Path, expected: u64) -> Result<Digested, TableError> {
    let mut source = ByteSource::open(path)?;
    digest(expected, |chunk| source.read(CHUNK, chunk))
}

/// Of the bytes of a file as they are, likewise.
pub(crate) fn of_stored(path: &Path, expected: u64) -> Result<Digested, TableError> {
    let fail = |error| TableError::file(path, error);
    let mut file = File::open(path).map_err(fail)?;
    digest(expected, |chunk| file.by_ref().take(CHUNK).read_to_end(chunk).map_err(fail))
}

fn digest(
    expected: u64,
    mut read: impl FnMut(&mut Vec<u8>) -> Result<usize, TableError>,
) -> Result<Digested, TableError> {
    let (mut hasher, mut bytes, mut chunk) = (Sha256::new(), 0, Vec::new());
    while bytes <= expected && read(&mut chunk)? > 0 {
        bytes += chunk.len() as u64;
        hasher.update(&chunk);
        chunk.clear();
    }
    let mut sha256 = String::new();
    for byte in hasher.finalize() {
        let _ = write!(sha256, "{byte:02x}");
    }
    Ok(Digested { bytes, sha256 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{OneFile, gzipped};

    #[test]
    fn digests_are_those_of_the_standard() {
        // The two examples of FIPS 180-4 in NIST's own collection: "abc", and a million times "a".
        let abc = OneFile::holding(&gzipped(b"abc"));
        let found = of_content(&abc.path(), 3).unwrap();
        assert_eq!(found.bytes, 3);
        assert_eq!(found.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        let million = OneFile::holding(&vec![b'a'; 1_000_000]);
        for found in [of_content(&million.path(), 1_000_000), of_stored(&million.path(), 1_000_000)] {
            let found = found.unwrap();
            assert_eq!(found.bytes, 1_000_000);
            assert_eq!(found.sha256, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
        }
    }

    #[test]
    fn reading_ends_soon_after_what_is_expected() {
        let long = OneFile::holding(&gzipped(&vec![0; 20 << 20]));
        let found = of_content(&long.path(), 10).unwrap().bytes;
        assert!((11..=2 * CHUNK).contains(&found), "{found}");
    }
}
