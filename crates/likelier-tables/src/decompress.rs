//! A file as a stream of bytes, decompressed on the way, with an end to how much it may become.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read, Take};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;
use lzma_rust2::XzReader;

use crate::error::TableError;
use crate::passed::Counted;
use crate::problem::FormatProblem;

/// A file that is longer than this after decompression is refused: 2 GiB, ten times the largest
/// benchmark. A few kilobytes of gzip, xz or zstd can stand for terabytes.
pub const MAX_BYTES: u64 = 2 << 30;

/// A line of text longer than this is refused: 1 MiB, six hundred times the longest in the benchmarks.
pub const MAX_LINE_BYTES: u64 = 1 << 20;

/// The most memory an xz file may ask for: 128 MiB, twice what `xz -9` needs.
const XZ_MEMORY_KIB: u32 = 128 << 10;

const GZIP_MAGIC: &[u8] = b"\x1f\x8b";
const ZSTD_MAGIC: &[u8] = b"\x28\xb5\x2f\xfd";
/// The most memory a zstd file may ask for, as a power of two: 128 MiB, as xz.
const ZSTD_WINDOW: u32 = 27;
const XZ_MAGIC: &[u8] = b"\xfd7zXZ\0";

/// A compressed file that is read a part at a time may become so many times larger: gzip reaches 1,000 on
/// nothing but zeros, tables stay below 50.
pub(crate) const MAX_EXPANSION: u64 = 200;

/// An opened file. Every error it gives names the file.
pub struct ByteSource {
    path: PathBuf,
    compression: Option<&'static str>,
    reader: BufReader<Take<Box<dyn Read + Send>>>,
    max_bytes: u64,
}

impl ByteSource {
    /// Opens a file, plain or compressed, of which at most [`MAX_BYTES`] are read.
    pub fn open(path: &Path) -> Result<Self, TableError> {
        Self::open_at_most(path, |_| MAX_BYTES)
    }

    /// Opens a file to be read a part at a time: a plain one may be of any length, a compressed one may
    /// hold [`MAX_BYTES`] or, if that is more, `MAX_EXPANSION` times its own length.
    pub(crate) fn stream(path: &Path) -> Result<Self, TableError> {
        Self::open_at_most(path, |compressed| {
            compressed.map_or(u64::MAX, |length| MAX_BYTES.max(length.saturating_mul(MAX_EXPANSION)))
        })
    }

    /// `max_bytes` is told the length of the file if it is compressed.
    fn open_at_most(path: &Path, max_bytes: impl Fn(Option<u64>) -> u64) -> Result<Self, TableError> {
        let fail = |error| TableError::file(path, error);
        let file = File::open(path).map_err(fail)?;
        let stored = file.metadata().map_err(fail)?;
        if stored.is_dir() {
            return Err(fail(io::ErrorKind::IsADirectory.into()));
        }
        let (mut file, mut start) = (Counted(file), Vec::new());
        file.by_ref()
            .take(XZ_MAGIC.len() as u64)
            .read_to_end(&mut start)
            .map_err(fail)?;
        let is_gzip = start.starts_with(GZIP_MAGIC);
        let (is_xz, is_zstd) = (start.starts_with(XZ_MAGIC), start.starts_with(ZSTD_MAGIC));
        let file = BufReader::new(Cursor::new(start).chain(file));
        let (compression, reader): (_, Box<dyn Read + Send>) = if is_gzip {
            (Some("gzip"), Box::new(MultiGzDecoder::new(file)))
        } else if is_xz {
            (Some("xz"), Box::new(XzReader::new_mem_limit(file, true, XZ_MEMORY_KIB)))
        } else if is_zstd {
            let mut decoder = zstd::Decoder::with_buffer(file).map_err(fail)?;
            decoder.window_log_max(ZSTD_WINDOW).map_err(fail)?;
            (Some("zstd"), Box::new(decoder))
        } else {
            (None, Box::new(file))
        };
        let max_bytes = max_bytes(compression.map(|_| stored.len()));
        // One byte more than allowed shows that there is too much.
        let reader = BufReader::new(reader.take(max_bytes.saturating_add(1)));
        Ok(Self { path: path.to_owned(), compression, reader, max_bytes })
    }

    /// What a decompression inside a file gives, of which at most `max_bytes` are read.
    pub(crate) fn inside(
        path: &Path,
        compression: &'static str,
        reader: Box<dyn Read + Send>,
        max_bytes: u64,
    ) -> Self {
        let reader = BufReader::new(reader.take(max_bytes.saturating_add(1)));
        Self { path: path.to_owned(), compression: Some(compression), reader, max_bytes }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How the file is compressed, if it is.
    pub(crate) fn compression(&self) -> Option<&'static str> {
        self.compression
    }

    /// Appends the next `count` bytes, or as many as there are, and says how many. The memory taken
    /// grows with what is there, not with `count`.
    pub fn read(&mut self, count: u64, into: &mut Vec<u8>) -> Result<usize, TableError> {
        let result = self.reader.by_ref().take(count).read_to_end(into);
        self.checked(result)
    }

    /// Appends the bytes up to and with the next line feed, or up to the end; 0 means there are none.
    pub(crate) fn read_line(&mut self, into: &mut Vec<u8>) -> Result<usize, TableError> {
        let result = self.reader.by_ref().take(MAX_LINE_BYTES + 1).read_until(b'\n', into);
        self.checked(result)
    }

    /// Appends exactly the rest of the file, which must be `count` bytes of `what`.
    pub fn read_rest(&mut self, count: u64, what: &str, into: &mut Vec<u8>) -> Result<(), TableError> {
        let found = self.read(count.saturating_add(1), into)? as u64;
        if found < count {
            let problem = format!("the header promises {count} bytes of {what}, but only {found} follow");
            return Err(TableError::format(&self.path, problem));
        }
        if found > count {
            let problem = format!("there are more than the {count} bytes of {what} the header promises");
            return Err(TableError::format(&self.path, problem));
        }
        Ok(())
    }

    fn checked(&self, result: io::Result<usize>) -> Result<usize, TableError> {
        let count = result.map_err(|error| match self.compression {
            // What the system reports is the disk's fault, the rest is in the compressed bytes.
            Some(kind) if error.raw_os_error().is_none() => {
                let reason = error.to_string();
                TableError::format(&self.path, FormatProblem::Compression { compression: kind, reason })
            }
            _ => TableError::file(&self.path, error),
        })?;
        if self.reader.get_ref().limit() == 0 {
            let problem = FormatProblem::TooLong { most: self.max_bytes };
            return Err(TableError::format(&self.path, problem));
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{OneFile, complaint, gzipped};

    /// `seq 1 40 | xz -9 --check=crc64`: the encoder is not among the features this crate uses.
    const XZ_OF_SEQ_40: &[u8] = &[
        0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00, 0x04, 0xe6, 0xd6, 0xb4, 0x46, 0x02, 0x00, 0x21, 0x01,
        0x1c, 0x00, 0x00, 0x00, 0x10, 0xcf, 0x58, 0xcc, 0xe0, 0x00, 0x6e, 0x00, 0x4e, 0x5d, 0x00, 0x18,
        0x82, 0x82, 0x8f, 0x22, 0x4e, 0xf8, 0xa6, 0x55, 0xf7, 0xf0, 0x99, 0xa5, 0x25, 0x0d, 0x90, 0x45,
        0x91, 0x5a, 0x51, 0xb4, 0x9b, 0xca, 0xac, 0xdc, 0x05, 0x32, 0xec, 0x85, 0x52, 0x9f, 0xb1, 0x48,
        0x6d, 0xef, 0xdc, 0xe8, 0x4b, 0xb9, 0x61, 0xba, 0xe0, 0x9c, 0x53, 0x7f, 0x98, 0xc8, 0xa9, 0x54,
        0x0e, 0xfc, 0x3d, 0x2a, 0xd3, 0x06, 0xd7, 0x66, 0x44, 0x3d, 0x56, 0x64, 0xa6, 0xcd, 0x3d, 0xd7,
        0xc7, 0x1f, 0x44, 0xf4, 0x18, 0xe0, 0x0f, 0xbf, 0xbe, 0x05, 0xfa, 0xc5, 0x00, 0x00, 0x00, 0x00,
        0x3f, 0x96, 0x7c, 0xd4, 0xfa, 0xfe, 0xe1, 0xcb, 0x00, 0x01, 0x6a, 0x6f, 0xcf, 0x4a, 0x99, 0x62,
        0x1f, 0xb6, 0xf3, 0x7d, 0x01, 0x00, 0x00, 0x00, 0x00, 0x04, 0x59, 0x5a,
    ];

    fn read_all(path: &Path, max_bytes: u64) -> Result<Vec<u8>, TableError> {
        let mut bytes = Vec::new();
        ByteSource::open_at_most(path, |_| max_bytes)?.read(u64::MAX, &mut bytes)?;
        Ok(bytes)
    }

    fn seq_40() -> Vec<u8> {
        (1..=40).flat_map(|number| format!("{number}\n").into_bytes()).collect()
    }

    #[test]
    fn plain_gzip_and_xz_are_told_apart_by_their_bytes() {
        let text = seq_40();
        let twice = [gzipped(&text[..50]), gzipped(&text[50..])].concat();
        for stored in [text.clone(), gzipped(&text), twice, XZ_OF_SEQ_40.to_vec()] {
            let file = OneFile::holding(&stored);
            assert_eq!(read_all(&file.path(), MAX_BYTES).unwrap(), text);
        }
    }

    #[test]
    fn damaged_xz_is_refused_at_every_length_and_every_flipped_byte_is_noticed_or_harmless() {
        let text = seq_40();
        let file = OneFile::holding(XZ_OF_SEQ_40);
        for length in XZ_MAGIC.len()..XZ_OF_SEQ_40.len() {
            file.rewrite(&XZ_OF_SEQ_40[..length]);
            let message = complaint(read_all(&file.path(), MAX_BYTES), &file.path());
            assert!(message.contains("the xz data are damaged or cut off"), "{message}");
        }
        for at in XZ_MAGIC.len()..XZ_OF_SEQ_40.len() {
            for flip in [0x01, 0x80, 0xff] {
                let mut bytes = XZ_OF_SEQ_40.to_vec();
                bytes[at] ^= flip;
                file.rewrite(&bytes);
                if let Ok(read) = read_all(&file.path(), MAX_BYTES) {
                    assert_eq!(read, text, "byte {at} flipped by {flip:#x}");
                }
            }
        }
    }

    #[test]
    fn bytes_after_compressed_data_are_refused() {
        for stored in [gzipped(b"1,2\n"), XZ_OF_SEQ_40.to_vec()] {
            let file = OneFile::holding(&[stored, b"more".to_vec()].concat());
            let message = complaint(read_all(&file.path(), MAX_BYTES), &file.path());
            assert!(message.contains("damaged or cut off"), "{message}");
        }
    }

    #[test]
    fn decompression_stops_at_the_limit() {
        let file = OneFile::holding(&gzipped(&vec![0; 1_000_000]));
        assert_eq!(read_all(&file.path(), 1_000_000).unwrap().len(), 1_000_000);
        let message = complaint(read_all(&file.path(), 999_999), &file.path());
        assert_eq!(message, ": holds more than 999999 bytes, the most that is read");
    }

    #[test]
    fn a_missing_file_is_named() {
        let file = OneFile::holding(b"");
        let missing = file.path().join("nothing");
        assert!(
            matches!(read_all(&missing, MAX_BYTES), Err(TableError::File { path, .. }) if path == missing)
        );
    }
}
