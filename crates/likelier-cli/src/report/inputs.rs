//! The files that a model was made from, so that anyone can check that theirs are the same.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use likelier_tables::checksum;
use serde::Serialize;

use crate::terminal::{About as _, Result, standard_input};

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct InputFile {
    /// What is in it.
    pub(super) what: &'static str,
    /// Its name, as it was given.
    pub(super) file: String,
    /// Its length; like the checksum, none of what is no file, such as a folder.
    pub(super) bytes: Option<u64>,
    pub(super) sha256: Option<String>,
}

impl InputFile {
    /// Reads a file once more, piece by piece.
    pub(crate) fn new(what: &'static str, path: &Path) -> Result<Self> {
        let (file, path) = match standard_input::kept_in() {
            Some(kept) if standard_input::is_meant_by(path) => ("standard input".to_owned(), kept),
            _ => (path.display().to_string(), path.to_owned()),
        };
        let about = || format!("cannot read {file} again for its checksum");
        let there = fs::metadata(&path).about(about)?;
        if !there.is_file() {
            return Ok(Self { what, file, bytes: None, sha256: None });
        }
        let sha256 = checksum(&path).about(about)?;
        Ok(Self { what, file, bytes: Some(there.len()), sha256: Some(sha256) })
    }
}

/// Files that are being looked at by a thread of their own: a checksum takes long, and nothing else waits for it.
pub(crate) struct InputFiles(JoinHandle<Result<Vec<InputFile>>>);

impl InputFiles {
    /// Begins to look at files, each with what is in it.
    pub(crate) fn look(contents: Vec<(&'static str, PathBuf)>) -> Self {
        let look = move || contents.iter().map(|(what, path)| InputFile::new(what, path)).collect();
        Self(std::thread::spawn(look))
    }

    /// What was found, as soon as it is.
    pub(crate) fn found(self) -> Result<Vec<InputFile>> {
        self.0.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_the_checksum_of_the_standard_and_a_folder_has_none() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("abc");
        fs::write(&path, "abc").unwrap();
        let found = InputFile::new("items", &path).unwrap();
        // FIPS 180-2, B.1.
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!((found.bytes, found.sha256.as_deref()), (Some(3), Some(expected)));
        // More than one piece: "a" a million times (B.3).
        fs::write(&path, "a".repeat(1_000_000)).unwrap();
        let expected = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";
        assert_eq!(InputFile::new("items", &path).unwrap().sha256.as_deref(), Some(expected));
        let of_folder = InputFile::new("items", folder.path()).unwrap();
        assert_eq!((of_folder.bytes, of_folder.sha256), (None, None));
        let gone = folder.path().join("gone");
        assert!(InputFile::new("items", &gone).is_err());
        let found = InputFiles::look(vec![("items", path), ("comparisons", folder.path().into())]).found();
        let found: Vec<_> = found.unwrap().iter().map(|file| (file.what, file.sha256.is_some())).collect();
        assert_eq!(found, [("items", true), ("comparisons", false)]);
        assert!(InputFiles::look(vec![("items", gone)]).found().is_err());
    }
}
