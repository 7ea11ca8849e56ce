//! How many bytes of files have been read, for whoever shows how far reading is.

use std::io::{self, Read};
use std::sync::atomic::{AtomicU64, Ordering};

static PASSED: AtomicU64 = AtomicU64::new(0);

/// The bytes that all readers of this process have taken from files until now: of a compressed file its own bytes, of a
/// Parquet file those of the wanted columns. A file that is read twice counts twice.
pub fn bytes_read() -> u64 {
    PASSED.load(Ordering::Relaxed)
}

/// Counts bytes that were taken from a file.
pub(crate) fn count(bytes: usize) {
    PASSED.fetch_add(bytes as u64, Ordering::Relaxed);
}

/// A reader of which every byte is counted.
pub(crate) struct Counted<R>(pub(crate) R);

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let found = self.0.read(into)?;
        count(found);
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{OneFile, gzipped};
    use crate::{Items, Layout};

    #[test]
    fn every_byte_of_a_file_is_counted_as_it_is_stored() {
        let lines: Vec<String> = (0..30_000).map(|row| format!("{row},{}.5\n", row * 7 % 1000)).collect();
        let text = lines.concat();
        for stored in [text.clone().into_bytes(), gzipped(text.as_bytes())] {
            let file = OneFile::holding(&stored);
            let before = bytes_read();
            Items::read(&file.path(), &Layout::default()).unwrap();
            // Other tests read at the same time, so there may be more.
            assert!(bytes_read() - before >= stored.len() as u64);
        }
    }
}
