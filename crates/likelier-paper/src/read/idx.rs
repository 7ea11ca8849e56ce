//! IDX, the format of the MNIST family: images in one file, labels in another.
//!
//! All integers are big-endian. A file starts with two zero bytes, the type of its cells (8: unsigned
//! byte) and the number of dimensions; then comes the size of each dimension (4 bytes each), then the
//! cells, the last dimension running fastest. Images have three dimensions (count, height, width), labels
//! have one.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use likelier::Rows;
use likelier_tables::{ByteSource, MAX_BYTES, TableError};

use super::{ClassedCells, ClassedRows, check_class, read_files};

/// A file of images and the file of their labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdxPair {
    /// The images.
    pub images: PathBuf,
    /// Their labels.
    pub labels: PathBuf,
    /// Whether the images are known to be only the first of those the labels are for. Otherwise there
    /// must be as many of the ones as of the others.
    pub partial: bool,
}

/// Reads pairs of IDX files, one after the other, into rows of bytes.
///
/// Each image must have `features` pixels, each label must be one of `classes`.
pub fn read(
    pairs: &[IdxPair],
    features: usize,
    classes: &RangeInclusive<u8>,
) -> Result<ClassedRows, TableError> {
    let read_one = |pair: &IdxPair| read_pair(pair, features, classes);
    read_files(pairs, read_one, |cells| Rows::from_bytes(cells, features))
}

fn read_pair(
    pair: &IdxPair,
    features: usize,
    classes: &RangeInclusive<u8>,
) -> Result<ClassedCells<u8>, TableError> {
    let mut labels = read_labels(&pair.labels)?;
    let pixels = read_images(&pair.images, features)?;
    let images = pixels.len() / features.max(1);
    if pair.partial {
        labels.truncate(images);
    }
    if images != labels.len() {
        let problem = format!(
            "holds {} labels, but there are {images} images in {}",
            labels.len(),
            pair.images.display()
        );
        return Err(TableError::format(&pair.labels, problem));
    }
    for (row, label) in labels.iter().enumerate() {
        check_class(&pair.labels, row, *label, classes)?;
    }
    ClassedCells::of(&pair.images, pixels, labels)
}

fn read_images(path: &Path, features: usize) -> Result<Vec<u8>, TableError> {
    let mut source = ByteSource::open(path)?;
    let [count, height, width] = read_header(&mut source)?;
    // Below 2⁶⁴: each factor is below 2³².
    let pixels = u64::from(height) * u64::from(width);
    if pixels != features as u64 {
        let problem =
            format!("holds images of {height} by {width} = {pixels} pixels; {features} are expected");
        return Err(TableError::format(path, problem));
    }
    read_cells(source, u64::from(count).saturating_mul(pixels), "images")
}

fn read_labels(path: &Path) -> Result<Vec<u8>, TableError> {
    let mut source = ByteSource::open(path)?;
    let [count] = read_header(&mut source)?;
    read_cells(source, u64::from(count), "labels")
}

/// The sizes of the dimensions, of which there must be `DIMENSIONS`.
fn read_header<const DIMENSIONS: usize>(source: &mut ByteSource) -> Result<[u32; DIMENSIONS], TableError> {
    let length = 4 + 4 * DIMENSIONS;
    let mut header = Vec::new();
    source.read(length as u64, &mut header)?;
    let magic = [0, 0, 8, DIMENSIONS as u8];
    let start = &header[..header.len().min(4)];
    if start != magic {
        let problem = format!(
            "is not an IDX file of bytes in {DIMENSIONS} dimension(s): it starts with {start:02x?}, not {magic:02x?}"
        );
        return Err(TableError::format(source.path(), problem));
    }
    if header.len() < length {
        let problem = format!("ends within the header, after {} of {length} bytes", header.len());
        return Err(TableError::format(source.path(), problem));
    }
    let mut sizes = [0; DIMENSIONS];
    for (size, bytes) in sizes.iter_mut().zip(header[4..].chunks_exact(4)) {
        *size = bytes.iter().fold(0, |value, byte| value << 8 | u32::from(*byte));
    }
    Ok(sizes)
}

fn read_cells(mut source: ByteSource, count: u64, what: &str) -> Result<Vec<u8>, TableError> {
    if count > MAX_BYTES {
        let problem = format!("the header promises {count} bytes of {what}; at most {MAX_BYTES} are read");
        return Err(TableError::format(source.path(), problem));
    }
    let mut cells = Vec::new();
    source.read_rest(count, what, &mut cells)?;
    Ok(cells)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fixture::{OneFile, complaint, gzipped};
    use crate::read::cut_off::refused_at_every_length;

    fn file(sizes: &[u32], cells: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0, 0, 8, sizes.len() as u8];
        bytes.extend(sizes.iter().flat_map(|size| size.to_be_bytes()));
        bytes.extend(cells);
        bytes
    }

    fn read_two(images: &[u8], labels: &[u8], partial: bool) -> Result<ClassedRows, TableError> {
        let (images, labels) = (OneFile::holding(images), OneFile::holding(labels));
        read(&[IdxPair { images: images.path(), labels: labels.path(), partial }], 6, &(0..=9))
    }

    fn images_of_6(path: &Path) -> Result<Vec<u8>, TableError> {
        read_images(path, 6)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn what_was_written_is_read_plain_and_gzipped(
            cells in prop::collection::vec((any::<[u8; 6]>(), 0..=9_u8), 1..30),
        ) {
            let (images, labels): (Vec<[u8; 6]>, Vec<u8>) = cells.into_iter().unzip();
            let count = labels.len() as u32;
            let stored_images = file(&[count, 2, 3], images.as_flattened());
            let stored_labels = file(&[count], &labels);
            let plain = read_two(&stored_images, &stored_labels, false).unwrap();
            prop_assert_eq!(&plain.rows, &Rows::from_bytes(images.concat(), 6).unwrap());
            prop_assert_eq!(&plain.file_rows, &[labels.len()]);
            prop_assert_eq!(&plain.classes, &labels);
            let zipped = read_two(&gzipped(&stored_images), &gzipped(&stored_labels), false);
            prop_assert_eq!(zipped.unwrap(), plain);
        }

        #[test]
        fn no_bytes_at_all_make_a_reader_panic(
            start in prop::collection::vec(0..=9_u8, 0..20),
            rest in prop::collection::vec(any::<u8>(), 0..20),
        ) {
            let file = OneFile::holding(&[start, rest].concat());
            let _ = (images_of_6(&file.path()), read_labels(&file.path()));
        }
    }

    #[test]
    fn a_file_cut_off_anywhere_is_refused() {
        let images = file(&[3, 2, 3], &[7; 18]);
        let labels = file(&[3], &[1, 2, 3]);
        for whole in [images.clone(), gzipped(&images)] {
            refused_at_every_length(&whole, images_of_6);
        }
        for whole in [labels.clone(), gzipped(&labels)] {
            refused_at_every_length(&whole, read_labels);
        }
    }

    #[test]
    fn a_header_that_promises_too_much_is_refused_without_taking_the_memory() {
        // Two thousand million labels in a file that has two; then images past the limit of a file.
        let stored = OneFile::holding(&file(&[2_000_000_000], &[1, 2]));
        assert_eq!(
            complaint(read_labels(&stored.path()), &stored.path()),
            ": the header promises 2000000000 bytes of labels, but only 2 follow"
        );
        stored.rewrite(&file(&[u32::MAX, 2, 3], &[1, 2]));
        assert_eq!(
            complaint(images_of_6(&stored.path()), &stored.path()),
            ": the header promises 25769803770 bytes of images; at most 2147483648 are read"
        );
        stored.rewrite(&file(&[u32::MAX; 3], &[]));
        let message = complaint(images_of_6(&stored.path()), &stored.path());
        assert!(message.ends_with("18446744065119617025 pixels; 6 are expected"), "{message}");
    }

    #[test]
    fn bytes_after_the_last_cell_are_refused() {
        let stored = OneFile::holding(&file(&[2], &[1, 2, 3]));
        assert_eq!(
            complaint(read_labels(&stored.path()), &stored.path()),
            ": there are more than the 2 bytes of labels the header promises"
        );
    }

    #[test]
    fn another_kind_of_file_is_refused_by_its_first_bytes() {
        let labels = OneFile::holding(&file(&[2], &[1, 2]));
        assert_eq!(
            complaint(images_of_6(&labels.path()), &labels.path()),
            ": is not an IDX file of bytes in 3 dimension(s): it starts with [00, 00, 08, 01], \
             not [00, 00, 08, 03]"
        );
        labels.rewrite(b"");
        assert!(complaint(read_labels(&labels.path()), &labels.path()).contains("starts with [],"));
    }

    #[test]
    fn counts_must_agree_unless_the_images_are_known_to_be_the_first_ones() {
        let images = file(&[2, 2, 3], &[5; 12]);
        let labels = file(&[3], &[1, 2, 3]);
        let message = read_two(&images, &labels, false).unwrap_err().to_string();
        assert!(message.contains("holds 3 labels, but there are 2 images in "), "{message}");
        assert_eq!(read_two(&images, &labels, true).unwrap().classes, [1, 2]);
        // More images than labels is wrong in either case.
        assert!(read_two(&images, &file(&[1], &[1]), true).is_err());
    }

    #[test]
    fn a_class_out_of_range_and_a_file_without_rows_are_refused() {
        let images = file(&[2, 2, 3], &[5; 12]);
        let message = read_two(&images, &file(&[2], &[9, 10]), false).unwrap_err().to_string();
        assert!(message.ends_with(": row 2: 10 is not a class; classes run from 0 to 9"), "{message}");
        let message = read_two(&file(&[0, 2, 3], &[]), &file(&[0], &[]), false)
            .unwrap_err()
            .to_string();
        assert!(message.ends_with(": holds no rows"), "{message}");
    }
}
