//! Files made for a test, and what is said about them.

use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::{Compression, write::GzEncoder};
use tempfile::TempDir;

use crate::TableError;

/// A folder with one file, removed with the value.
pub(crate) struct OneFile {
    folder: TempDir,
}

impl OneFile {
    pub(crate) fn holding(bytes: &[u8]) -> Self {
        let file = Self { folder: TempDir::new().unwrap() };
        file.rewrite(bytes);
        file
    }

    pub(crate) fn rewrite(&self, bytes: &[u8]) {
        std::fs::write(self.path(), bytes).unwrap();
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("file")
    }
}

pub(crate) fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// The message of a reader's error, without the path it starts with.
pub(crate) fn complaint<T>(result: Result<T, TableError>, path: &Path) -> String {
    let message = result.err().expect("the file should be refused").to_string();
    message
        .strip_prefix(&path.display().to_string())
        .expect("the file is named")
        .to_owned()
}
