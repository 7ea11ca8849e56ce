//! What must hold of every reader.

use std::path::Path;

use likelier_tables::TableError;

use crate::fixture::{OneFile, complaint};

/// Asserts that a reader accepts a file and refuses it when it is cut off, at whatever length.
pub(super) fn refused_at_every_length<T>(whole: &[u8], read: impl Fn(&Path) -> Result<T, TableError>) {
    let file = OneFile::holding(whole);
    assert!(read(&file.path()).is_ok());
    for length in 0..whole.len() {
        file.rewrite(&whole[..length]);
        assert!(!complaint(read(&file.path()), &file.path()).is_empty(), "cut to {length} bytes");
    }
}
