//! The header of an NPY file: magic, version, length, and a Python dictionary such as
//! `{'descr': '<f4', 'fortran_order': False, 'shape': (150, 4), }`.

use std::path::Path;

use crate::error::TableError;
use crate::problem::FormatProblem;

/// The first bytes of a file.
pub(in crate::table) const MAGIC: &[u8] = b"\x93NUMPY";

/// A header longer than this is refused: those of arrays of numbers have some 100 bytes.
const MAX_HEADER: usize = 1 << 16;

/// What the header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NpyHeader {
    pub(super) kind: NumberKind,
    pub(super) big_endian: bool,
    pub(super) fortran: bool,
    pub(super) rows: usize,
    pub(super) width: usize,
}

/// The type of the numbers, with their size in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NumberKind {
    Bool,
    Unsigned(usize),
    Signed(usize),
    Float(usize),
}

impl NumberKind {
    pub(super) fn size(self) -> usize {
        match self {
            Self::Bool => 1,
            Self::Unsigned(size) | Self::Signed(size) | Self::Float(size) => size,
        }
    }

    /// The type of a description such as `<f4`, and whether its most significant byte comes first.
    fn parse(text: &str) -> Option<(Self, bool)> {
        let (order, kind) = text.split_at_checked(1)?;
        let big_endian = match order {
            "<" | "|" => false,
            ">" => true,
            "=" => cfg!(target_endian = "big"),
            _ => return None,
        };
        let kind = match kind {
            "b1" => Self::Bool,
            "u1" => Self::Unsigned(1),
            "u2" => Self::Unsigned(2),
            "u4" => Self::Unsigned(4),
            "u8" => Self::Unsigned(8),
            "i1" => Self::Signed(1),
            "i2" => Self::Signed(2),
            "i4" => Self::Signed(4),
            "i8" => Self::Signed(8),
            "f4" => Self::Float(4),
            "f8" => Self::Float(8),
            _ => return None,
        };
        Some((kind, big_endian))
    }
}

impl NpyHeader {
    /// Reads a header with a function that gives exactly as many bytes as it is asked for.
    pub(super) fn read(
        path: &Path,
        mut read: impl FnMut(usize, &mut Vec<u8>) -> Result<(), TableError>,
    ) -> Result<Self, TableError> {
        let mut start = Vec::new();
        read(8, &mut start)?;
        if !start.starts_with(MAGIC) {
            return Err(TableError::format(
                path,
                format!("is not an NPY file: it starts with {start:02x?}"),
            ));
        }
        let mut length = Vec::new();
        match start[6] {
            1 => read(2, &mut length)?,
            2 | 3 => read(4, &mut length)?,
            version => {
                return Err(TableError::format(path, FormatProblem::NpyVersion(version)));
            }
        }
        let length = length.iter().rev().fold(0, |sum, byte| sum << 8 | usize::from(*byte));
        if length > MAX_HEADER {
            let problem = format!("has a header of {length} bytes; at most {MAX_HEADER} are read");
            return Err(TableError::format(path, problem));
        }
        let mut text = Vec::new();
        read(length, &mut text)?;
        let text = String::from_utf8_lossy(&text);
        Self::parse(&text).map_err(|problem| TableError::format(path, problem))
    }

    fn parse(text: &str) -> Result<Self, FormatProblem> {
        let unclear = |what: &str| {
            FormatProblem::Damaged(format!("the NPY header does not say {what}: {}", text.trim()))
        };
        let after = |key: &str| text.split_once(key).map(|(_, rest)| rest.trim_start());
        let kind = after("'descr':").ok_or_else(|| unclear("the type of the numbers"))?;
        let kind = kind
            .strip_prefix('\'')
            .and_then(|rest| rest.split_once('\''))
            .map(|(kind, _)| kind);
        let (kind, big_endian) = kind.and_then(NumberKind::parse).ok_or_else(|| {
            let kind = after("'descr':").and_then(|rest| rest.split(", '").next()).unwrap_or_default();
            FormatProblem::ArrayKind { kind: kind.to_owned() }
        })?;
        let fortran = match after("'fortran_order':") {
            Some(rest) if rest.starts_with("True") => true,
            Some(rest) if rest.starts_with("False") => false,
            _ => return Err(unclear("the order of the numbers")),
        };
        let shape = after("'shape':").and_then(|rest| rest.strip_prefix('(')?.split_once(')'));
        let sizes = shape
            .ok_or_else(|| unclear("the shape of the array"))?
            .0
            .split(',')
            .map(str::trim);
        let sizes: Result<Vec<usize>, _> = sizes.filter(|size| !size.is_empty()).map(str::parse).collect();
        let sizes = sizes.map_err(|_| unclear("the shape of the array"))?;
        let [rows, others @ ..] = &sizes[..] else {
            return Err(FormatProblem::ArrayShape(
                "holds a single number; a table has rows and columns".into(),
            ));
        };
        if fortran && others.len() > 1 {
            let problem = format!("has {} dimensions in Fortran order; at most two are read", sizes.len());
            return Err(FormatProblem::ArrayShape(problem));
        }
        // One dimension is one column.
        let width = others.iter().try_fold(1, |width: usize, size| width.checked_mul(*size));
        let bytes = width.and_then(|width| width.checked_mul(*rows)?.checked_mul(kind.size()));
        let (Some(width), Some(_)) = (width, bytes) else {
            let problem = format!("the header promises an array of {sizes:?} numbers");
            return Err(FormatProblem::ArrayShape(problem));
        };
        if width == 0 {
            return Err(FormatProblem::ArrayShape("has no columns".into()));
        }
        Ok(Self { kind, big_endian, fortran, rows: *rows, width })
    }

    /// Whether the cells of a row lie apart.
    pub(super) fn is_scattered(&self) -> bool {
        self.fortran && self.width > 1
    }

    /// Refuses an array whose bytes are not exactly those the header promises.
    pub(super) fn check_length(&self, path: &Path, found: u64) -> Result<(), TableError> {
        let promised = (self.rows * self.width * self.kind.size()) as u64;
        if found == promised {
            return Ok(());
        }
        Err(TableError::format(path, format!("the header promises {promised} bytes, but {found} follow")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dictionary_tells_type_order_and_shape() {
        let header =
            NpyHeader::parse("{'descr': '>f8', 'fortran_order': True, 'shape': (3, 4), }  \n").unwrap();
        let expected =
            NpyHeader { kind: NumberKind::Float(8), big_endian: true, fortran: true, rows: 3, width: 4 };
        assert_eq!(header, expected);
        let images =
            NpyHeader::parse("{'descr': '|u1', 'fortran_order': False, 'shape': (3, 28, 28)}").unwrap();
        assert_eq!((images.rows, images.width, images.kind), (3, 784, NumberKind::Unsigned(1)));
        let list = NpyHeader::parse("{'descr': '<i4', 'fortran_order': False, 'shape': (7,)}").unwrap();
        assert_eq!((list.rows, list.width), (7, 1));
    }

    #[test]
    fn what_is_not_a_table_of_numbers_is_refused() {
        for (text, problem) in [
            (
                "{'descr': '<U4', 'fortran_order': False, 'shape': (3, 4)}",
                "holds '<U4'; only bool, u1 to u8, i1 to i8, f4 and f8 are read",
            ),
            (
                "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3,)}",
                "holds [('a'; only bool, u1 to u8, i1 to i8, f4 and f8 are read",
            ),
            ("{'descr': '<f4', 'shape': (3, 4)}", "the NPY header does not say the order of the numbers"),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': ()}", "holds a single number"),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 0)}", "has no columns"),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': (-3, 4)}", "the NPY header does not say"),
            (
                "{'descr': '<f4', 'fortran_order': False, 'shape': (9999999999999, 9999999999999)}",
                "the header promises an array of",
            ),
            ("", "the NPY header does not say the type"),
        ] {
            let error = NpyHeader::parse(text).unwrap_err().to_string();
            assert!(error.starts_with(problem), "{error}");
        }
    }
}
