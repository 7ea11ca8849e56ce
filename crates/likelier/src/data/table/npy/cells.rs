//! The numbers of an NPY file as cells of rows.

use std::fmt;

use super::header::{Header, Kind};
use crate::nn::parallel::for_pieces;

/// Rows that one core converts at a time.
const PIECE_ROWS: usize = 512;

/// Where the wanted columns lie in a buffer: column k of row r starts at `starts[k] + r * step`.
pub(super) struct Grid {
    pub(super) starts: Vec<usize>,
    pub(super) step: usize,
}

/// The rows to fill: cells of so many to a row, column k at `places[k]`.
pub(super) struct Target<'a, T> {
    pub(super) cells: &'a mut [T],
    pub(super) width: usize,
    pub(super) places: &'a [usize],
}

impl Grid {
    /// Converts the wanted columns into their places.
    pub(super) fn fill<T: Send, const SIZE: usize>(
        &self,
        bytes: &[u8],
        target: Target<'_, T>,
        convert: impl Fn([u8; SIZE]) -> T + Sync,
    ) {
        let Target { cells, width, places } = target;
        if width == 0 {
            return;
        }
        for_pieces(cells, width * PIECE_ROWS, |piece, cells| {
            for (row, cells) in cells.chunks_mut(width).enumerate() {
                let at = (piece * PIECE_ROWS + row) * self.step;
                for (start, place) in self.starts.iter().zip(places) {
                    if let Some(stored) = bytes[start + at..].first_chunk() {
                        cells[*place] = convert(*stored);
                    }
                }
            }
        });
    }

    /// The same for numbers of any type.
    pub(super) fn fill_numbers(&self, bytes: &[u8], target: Target<'_, f32>, header: Header) {
        let big = header.big_endian;
        match header.kind {
            Kind::Bool => self.fill(bytes, target, |[byte]| f32::from(u8::from(byte != 0))),
            Kind::Unsigned(1) => self.fill(bytes, target, |[byte]| f32::from(byte)),
            Kind::Unsigned(2) => {
                self.fill(bytes, target, |b| f32::from(u16::from_le_bytes(little(b, big))));
            }
            Kind::Unsigned(4) => self.fill(bytes, target, |b| u32::from_le_bytes(little(b, big)) as f32),
            Kind::Unsigned(_) => self.fill(bytes, target, |b| u64::from_le_bytes(little(b, big)) as f32),
            Kind::Signed(1) => self.fill(bytes, target, |b| f32::from(i8::from_le_bytes(b))),
            Kind::Signed(2) => self.fill(bytes, target, |b| f32::from(i16::from_le_bytes(little(b, big)))),
            Kind::Signed(4) => self.fill(bytes, target, |b| i32::from_le_bytes(little(b, big)) as f32),
            Kind::Signed(_) => self.fill(bytes, target, |b| i64::from_le_bytes(little(b, big)) as f32),
            Kind::Float(4) => self.fill(bytes, target, |b| f32::from_le_bytes(little(b, big))),
            Kind::Float(_) => self.fill(bytes, target, |b| f64::from_le_bytes(little(b, big)) as f32),
        }
    }

    /// One number of wanted column `at`, as it is stored.
    pub(super) fn cell(&self, bytes: &[u8], row: usize, at: usize, header: Header) -> Stored {
        let size = header.kind.size();
        let start = self.starts[at] + row * self.step;
        let mut cell = bytes[start..start + size].to_vec();
        if !header.big_endian {
            cell.reverse();
        }
        // Now with the most significant byte first.
        let unsigned = cell.iter().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
        match header.kind {
            Kind::Bool => Stored::Whole(i128::from(unsigned != 0)),
            Kind::Unsigned(_) => Stored::Whole(unsigned.into()),
            Kind::Signed(size) => {
                let unused = 64 - 8 * size;
                Stored::Whole(((unsigned << unused).cast_signed() >> unused).into())
            }
            Kind::Float(4) => Stored::Single(f32::from_bits(unsigned as u32)),
            Kind::Float(_) => Stored::Double(f64::from_bits(unsigned)),
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
pub(super) enum Stored {
    Whole(i128),
    Single(f32),
    Double(f64),
}

impl fmt::Display for Stored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(number) => number.fmt(f),
            Self::Single(number) => number.fmt(f),
            Self::Double(number) => number.fmt(f),
        }
    }
}

impl From<Stored> for f64 {
    fn from(stored: Stored) -> Self {
        match stored {
            Stored::Whole(number) => number as Self,
            Stored::Single(number) => number.into(),
            Stored::Double(number) => number,
        }
    }
}
