//! The binary batches of CIFAR-10.
//!
//! A batch is records without a header: one byte for the class, then 1,024 bytes each of red, green and
//! blue, every plane row after row of the 32 × 32 image. Rows keep that order (channel, then height, then
//! width).

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use likelier::Rows;
use likelier_tables::{ByteSource, TableError};

use super::{ClassedCells, ClassedRows, check_class, read_files};

/// The bytes of one image: three planes of 32 × 32.
pub const FEATURES: usize = 3 * 32 * 32;

/// The class ids.
pub const CLASSES: RangeInclusive<u8> = 0..=9;

/// Reads batches, one after the other, into rows of bytes.
pub fn read(batches: &[PathBuf]) -> Result<ClassedRows, TableError> {
    read_files(batches, |path| read_batch(path), |cells| Rows::from_bytes(cells, FEATURES))
}

fn read_batch(path: &Path) -> Result<ClassedCells<u8>, TableError> {
    let mut source = ByteSource::open(path)?;
    let (mut cells, mut classes) = (Vec::new(), Vec::new());
    while source.read(1, &mut classes)? == 1 {
        let row = classes.len() - 1;
        // At once: another kind of file shows here, not after it was read to the end as images.
        check_class(path, row, classes[row], &CLASSES)?;
        let found = source.read(FEATURES as u64, &mut cells)?;
        if found < FEATURES {
            let problem = format!("row {}: ends after {found} of {FEATURES} bytes of the image", row + 1);
            return Err(TableError::format(path, problem));
        }
    }
    ClassedCells::of(path, cells, classes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{OneFile, complaint, gzipped};
    use crate::read::cut_off::refused_at_every_length;

    /// A batch in which image i is filled with byte i.
    fn batch(classes: &[u8]) -> Vec<u8> {
        let record = |(at, class): (usize, &u8)| [vec![*class], vec![at as u8; FEATURES]].concat();
        classes.iter().enumerate().flat_map(record).collect()
    }

    #[test]
    fn batches_are_read_in_order_plain_and_gzipped() {
        let (first, second) = (OneFile::holding(&batch(&[3, 9])), OneFile::holding(&gzipped(&batch(&[0]))));
        let read = read(&[first.path(), second.path()]).unwrap();
        assert_eq!(read.classes, [3, 9, 0]);
        assert_eq!(read.file_rows, [2, 1]);
        let expected = [vec![0; FEATURES], vec![1; FEATURES], vec![0; FEATURES]].concat();
        assert_eq!(read.rows, Rows::from_bytes(expected, FEATURES).unwrap());
    }

    #[test]
    fn a_batch_that_ends_within_a_record_is_refused() {
        let stored = OneFile::holding(b"");
        assert_eq!(complaint(read_batch(&stored.path()), &stored.path()), ": holds no rows");
        let whole = batch(&[3, 9]);
        for length in [1, 2, FEATURES, FEATURES + 2, 2 * FEATURES, 2 * FEATURES + 1] {
            stored.rewrite(&whole[..length]);
            let message = complaint(read_batch(&stored.path()), &stored.path());
            assert!(message.ends_with("of 3072 bytes of the image"), "{message}");
        }
        stored.rewrite(&[whole.clone(), vec![1]].concat());
        assert_eq!(
            complaint(read_batch(&stored.path()), &stored.path()),
            ": row 3: ends after 0 of 3072 bytes of the image"
        );
        refused_at_every_length(&gzipped(&whole), read_batch);
    }

    #[test]
    fn another_kind_of_file_is_refused_at_the_first_class_out_of_range() {
        let stored = OneFile::holding(&batch(&[3, 10, 2]));
        assert_eq!(
            complaint(read_batch(&stored.path()), &stored.path()),
            ": row 2: 10 is not a class; classes run from 0 to 9"
        );
    }
}
