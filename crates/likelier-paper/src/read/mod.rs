//! Readers for the native formats of the benchmark data: [`idx`], [`cifar`], and [`table`]s in text.
//!
//! Files come from the network, so nothing in them is believed: what a header promises is compared with
//! what the file holds before memory is taken for it, and every complaint names the file and, in text,
//! line and column. Gzip and xz are recognised by their first bytes and undone on the way, so a file may
//! be kept in any of these forms; [`MAX_BYTES`](likelier_tables::MAX_BYTES) is the most that is read of one.

pub mod cifar;
#[cfg(test)]
mod cut_off;
pub(crate) mod digest;
pub mod idx;
pub mod table;

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::Path;
use std::thread;

use likelier::{Error, Rows};
use likelier_tables::TableError;

/// The rows of one or several files, one file after the other, each row with the class id it has there.
///
/// What is positive is not the files' business: see [`Benchmark`](crate::benchmark::Benchmark).
#[derive(Clone, Debug, PartialEq)]
pub struct ClassedRows {
    /// The features.
    pub rows: Rows<'static>,
    /// The class id of each row.
    pub classes: Vec<u8>,
    /// How many rows came from each file.
    pub file_rows: Vec<usize>,
}

/// What one file holds: cells row after row, and the class of each row.
#[derive(Debug, PartialEq)]
struct ClassedCells<T> {
    cells: Vec<T>,
    classes: Vec<u8>,
}

impl<T> ClassedCells<T> {
    /// What a file holds, which must be something.
    fn of(path: &Path, cells: Vec<T>, classes: Vec<u8>) -> Result<Self, TableError> {
        if classes.is_empty() {
            return Err(TableError::format(path, "holds no rows"));
        }
        Ok(Self { cells, classes })
    }
}

/// Files that are read at the same time: CIFAR-10 has six.
const AT_ONCE: usize = 6;

/// Reads files side by side (xz keeps a processor busy) and joins them in their given order.
fn read_files<F: Sync, T: Send>(
    files: &[F],
    read: impl Fn(&F) -> Result<ClassedCells<T>, TableError> + Sync,
    into_rows: impl FnOnce(Vec<T>) -> Result<Rows<'static>, Error>,
) -> Result<ClassedRows, TableError> {
    let mut parts = Vec::new();
    for files in files.chunks(AT_ONCE) {
        let read_one = &read;
        thread::scope(|scope| -> Result<(), TableError> {
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
fn check_class(path: &Path, row: usize, class: u8, allowed: &RangeInclusive<u8>) -> Result<(), TableError> {
    if allowed.contains(&class) {
        return Ok(());
    }
    Err(TableError::format(path, format!("row {}: {}", row + 1, not_a_class(class, allowed))))
}

/// What to say of a class id outside the allowed ones.
fn not_a_class(given: impl Display, allowed: &RangeInclusive<u8>) -> String {
    format!("{given} is not a class; classes run from {} to {}", allowed.start(), allowed.end())
}
