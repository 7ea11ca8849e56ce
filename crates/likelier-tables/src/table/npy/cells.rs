//! The numbers of an NPY file as cells of rows.

use std::fmt;

use super::header::{NpyHeader, NumberKind};
use crate::parallel::for_pieces;

/// Rows that one core converts at a time.
const PIECE_ROWS: usize = 512;

/// Where the wanted columns lie in a buffer: column k of row r starts at `starts[k] + r * step`.
pub(super) struct ArrayGrid {
    pub(super) starts: Vec<usize>,
    pub(super) step: usize,
}

/// The rows to fill: cells of so many to a row, column k at `places[k]`.
pub(super) struct CellTarget<'a, T> {
    pub(super) cells: &'a mut [T],
    pub(super) width: usize,
    pub(super) places: &'a [usize],
}

impl ArrayGrid {
    /// Converts the wanted columns, of which `convert` is told the number, into their places.
    pub(super) fn fill<T: Send, const SIZE: usize>(
        &self,
        bytes: &[u8],
        target: CellTarget<'_, T>,
        convert: impl Fn(usize, [u8; SIZE]) -> T + Sync,
    ) {
        let CellTarget { cells, width, places } = target;
        if width == 0 {
            return;
        }
        for_pieces(cells, width * PIECE_ROWS, |piece, cells| {
            for (row, cells) in cells.chunks_mut(width).enumerate() {
                let at = (piece * PIECE_ROWS + row) * self.step;
                for (column, (start, place)) in self.starts.iter().zip(places).enumerate() {
                    if let Some(stored) = bytes[start + at..].first_chunk() {
                        cells[*place] = convert(column, *stored);
                    }
                }
            }
        });
    }

    /// The same for numbers of any type, with the offset of its column taken from each.
    pub(super) fn fill_numbers(
        &self,
        bytes: &[u8],
        target: CellTarget<'_, f32>,
        header: NpyHeader,
        offsets: &[f64],
    ) {
        let big = header.big_endian;
        // In 64 bits, all of which count if the offset is large.
        let near = |column: usize, number: f64| (number - offsets[column]) as f32;
        match header.kind {
            NumberKind::Bool => {
                self.fill(bytes, target, |at, [byte]| near(at, f64::from(u8::from(byte != 0))));
            }
            NumberKind::Unsigned(1) => self.fill(bytes, target, |at, [byte]| near(at, f64::from(byte))),
            NumberKind::Unsigned(2) => {
                self.fill(bytes, target, |at, b| near(at, f64::from(u16::from_le_bytes(little(b, big)))));
            }
            NumberKind::Unsigned(4) => {
                self.fill(bytes, target, |at, b| near(at, f64::from(u32::from_le_bytes(little(b, big)))));
            }
            NumberKind::Unsigned(_) => {
                self.fill(bytes, target, |at, b| near(at, u64::from_le_bytes(little(b, big)) as f64));
            }
            NumberKind::Signed(1) => {
                self.fill(bytes, target, |at, b| near(at, f64::from(i8::from_le_bytes(b))));
            }
            NumberKind::Signed(2) => {
                self.fill(bytes, target, |at, b| near(at, f64::from(i16::from_le_bytes(little(b, big)))));
            }
            NumberKind::Signed(4) => {
                self.fill(bytes, target, |at, b| near(at, f64::from(i32::from_le_bytes(little(b, big)))));
            }
            NumberKind::Signed(_) => {
                self.fill(bytes, target, |at, b| near(at, i64::from_le_bytes(little(b, big)) as f64));
            }
            NumberKind::Float(4) => {
                self.fill(bytes, target, |at, b| near(at, f64::from(f32::from_le_bytes(little(b, big)))));
            }
            NumberKind::Float(_) => {
                self.fill(bytes, target, |at, b| near(at, f64::from_le_bytes(little(b, big))));
            }
        }
    }

    /// One number of wanted column `at`, as it is stored.
    pub(super) fn cell(&self, bytes: &[u8], row: usize, at: usize, header: NpyHeader) -> StoredNumber {
        let size = header.kind.size();
        let start = self.starts[at] + row * self.step;
        let mut cell = bytes[start..start + size].to_vec();
        if !header.big_endian {
            cell.reverse();
        }
        // Now with the most significant byte first.
        let unsigned = cell.iter().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
        match header.kind {
            NumberKind::Bool => StoredNumber::Whole(i128::from(unsigned != 0)),
            NumberKind::Unsigned(_) => StoredNumber::Whole(unsigned.into()),
            NumberKind::Signed(size) => {
                let unused = 64 - 8 * size;
                StoredNumber::Whole(((unsigned << unused).cast_signed() >> unused).into())
            }
            NumberKind::Float(4) => StoredNumber::Single(f32::from_bits(unsigned as u32)),
            NumberKind::Float(_) => StoredNumber::Double(f64::from_bits(unsigned)),
        }
    }
}

/// The bytes of a number with the least significant first.
fn little<const SIZE: usize>(mut bytes: [u8; SIZE], big_endian: bool) -> [u8; SIZE] {
    if big_endian {
        bytes.reverse();
    }
    bytes
}

/// One number as it is stored, to be shown: as text of an id or label, or in a complaint.
#[derive(Clone, Copy)]
pub(super) enum StoredNumber {
    Whole(i128),
    Single(f32),
    Double(f64),
}

impl fmt::Display for StoredNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(number) => number.fmt(f),
            Self::Single(number) => number.fmt(f),
            Self::Double(number) => number.fmt(f),
        }
    }
}
