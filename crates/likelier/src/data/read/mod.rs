//! Readers for the native formats of the benchmark data: [`idx`], [`cifar`], and [`text`] tables.
//!
//! Files come from the network, so nothing in them is believed: what a header promises is compared with
//! what the file holds before memory is taken for it, and every complaint names the file and, in text,
//! line and column. Gzip and xz are recognised by their first bytes and undone on the way, so a file may
//! be kept in whichever form it was had; [`MAX_BYTES`] is the most that is read of one.

pub mod cifar;
pub(super) mod decompress;
pub(super) mod digest;
pub mod idx;
pub mod text;

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::Path;
use std::thread;

pub use decompress::{MAX_BYTES, MAX_LINE_BYTES};

use super::Rows;
use crate::error::Error;

/// The rows of one or several files, one file after the other, each row with the class id it has there.
///
/// What is positive is not the files' business: see [`Benchmark`](super::benchmark::Benchmark).
#[derive(Clone, Debug, PartialEq)]
pub struct ClassedRows {
    /// The features.
    pub rows: Rows,
    /// The class id of each row.
    pub classes: Vec<u8>,
    /// How many rows came from each file.
    pub file_rows: Vec<usize>,
}

/// What one file holds: cells row after row, and the class of each row.
#[derive(Debug, PartialEq)]
struct Part<T> {
    cells: Vec<T>,
    classes: Vec<u8>,
}

impl<T> Part<T> {
    /// The part of a file, which must hold something.
    fn of(path: &Path, cells: Vec<T>, classes: Vec<u8>) -> Result<Self, Error> {
        if classes.is_empty() {
            return Err(Error::format(path, "holds no rows"));
        }
        Ok(Self { cells, classes })
    }
}

/// Files that are read at the same time: CIFAR-10 has six.
const AT_ONCE: usize = 6;

/// Reads files side by side (xz keeps a processor busy) and joins them in their given order.
fn read_files<F: Sync, T: Send>(
    files: &[F],
    read: impl Fn(&F) -> Result<Part<T>, Error> + Sync,
    into_rows: impl FnOnce(Vec<T>) -> Result<Rows, Error>,
) -> Result<ClassedRows, Error> {
    let mut parts = Vec::new();
    for files in files.chunks(AT_ONCE) {
        let read_one = &read;
        thread::scope(|scope| -> Result<(), Error> {
            let readers: Vec<_> = files.iter().map(|file| scope.spawn(move || read_one(file))).collect();
            for reader in readers {
                parts.push(reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
            }
            Ok(())
        })?;
    }

    let (mut cells, mut classes, mut file_rows) = (Vec::new(), Vec::new(), Vec::new());
    cells.reserve_exact(parts.iter().map(|part| part.cells.len()).sum());
    for part in parts {
        file_rows.push(part.classes.len());
        cells.extend(part.cells);
        classes.extend(part.classes);
    }
    Ok(ClassedRows { rows: into_rows(cells)?, classes, file_rows })
}

/// Refuses a class id that is not allowed; `row` of a binary file is counted from 0.
fn check_class(path: &Path, row: usize, class: u8, allowed: &RangeInclusive<u8>) -> Result<(), Error> {
    if allowed.contains(&class) {
        return Ok(());
    }
    Err(Error::format(path, format!("row {}: {}", row + 1, not_a_class(class, allowed))))
}

/// What to say of a class id outside the allowed ones.
fn not_a_class(given: impl Display, allowed: &RangeInclusive<u8>) -> String {
    format!("{given} is not a class; classes run from {} to {}", allowed.start(), allowed.end())
}

#[cfg(test)]
pub(super) mod fixture {
    //! Files made for a test, and what must hold of every reader.

    use std::io::Write;
    use std::path::{Path, PathBuf};

    use flate2::{Compression, write::GzEncoder};
    use tempfile::TempDir;

    use crate::error::Error;

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
    pub(crate) fn complaint<T>(result: Result<T, Error>, path: &Path) -> String {
        let message = result.err().expect("the file should be refused").to_string();
        message
            .strip_prefix(&path.display().to_string())
            .expect("the file is named")
            .to_owned()
    }

    /// Asserts that a reader accepts a file and refuses it when it is cut off, at whatever length.
    pub(crate) fn refused_at_every_length<T>(whole: &[u8], read: impl Fn(&Path) -> Result<T, Error>) {
        let file = OneFile::holding(whole);
        assert!(read(&file.path()).is_ok());
        for length in 0..whole.len() {
            file.rewrite(&whole[..length]);
            assert!(!complaint(read(&file.path()), &file.path()).is_empty(), "cut to {length} bytes");
        }
    }
}
