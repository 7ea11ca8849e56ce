//! Reading a file at places, from several threads, without a shared position.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::TableError;
use crate::passed::count;

/// A plain file, opened to be read anywhere. Clones share the opened file.
#[derive(Clone)]
pub(super) struct FileAt {
    path: PathBuf,
    file: Arc<File>,
    length: u64,
}

impl FileAt {
    pub(super) fn open(path: &Path) -> Result<Self, TableError> {
        let open = || {
            let file = File::open(path)?;
            let length = file.metadata()?.len();
            Ok(Self { path: path.to_owned(), file: Arc::new(file), length })
        };
        open().map_err(|error| TableError::file(path, error))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// Some of the bytes at a place; none at the end of the file.
    fn read_some(&self, into: &mut [u8], offset: u64) -> io::Result<usize> {
        #[cfg(unix)]
        let found = std::os::unix::fs::FileExt::read_at(&*self.file, into, offset)?;
        #[cfg(windows)]
        let found = std::os::windows::fs::FileExt::seek_read(&*self.file, into, offset)?;
        count(found);
        Ok(found)
    }

    /// A reader from a place on.
    pub(super) fn reader(&self, offset: u64) -> ReaderAt {
        ReaderAt { file: self.clone(), offset }
    }

    /// Appends the `count` bytes at a place, all of which must be there.
    pub(super) fn read(&self, offset: u64, count: usize, into: &mut Vec<u8>) -> io::Result<()> {
        // Never more room than the file has bytes, whatever was asked for.
        into.reserve((count as u64).min(self.length.saturating_sub(offset)) as usize);
        let found = self.reader(offset).take(count as u64).read_to_end(into)?;
        if found < count {
            let problem = format!("the file ends after {found} of {count} bytes at {offset}");
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, problem));
        }
        Ok(())
    }
}

/// A reader with a position of its own.
pub(super) struct ReaderAt {
    file: FileAt,
    offset: u64,
}

impl Read for ReaderAt {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read_some(into, self.offset)?;
        self.offset += count as u64;
        Ok(count)
    }
}
