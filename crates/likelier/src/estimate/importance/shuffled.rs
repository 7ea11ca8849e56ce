//! Items of which one column is shuffled, and their scores.

use std::borrow::Cow;
use std::ops::Range;

use crate::data::{Cells, Column, Comparisons, Rows, SparseRows, Values};
use crate::error::Error;
use crate::model::Classifier;

/// No more numbers than this are packed together.
const PACKED: usize = 1 << 24;
/// So many numbers are copied at once.
const AT_ONCE: usize = 1 << 20;

/// The different items of comparisons.
pub(super) struct ShuffledItems<'a> {
    classifier: &'a Classifier,
    rows: Cow<'a, Rows<'a>>,
    /// Their rows, in order.
    items: Vec<u32>,
    /// The same as places in `rows`.
    stored: Vec<u32>,
    /// Where the features of each column begin, and where the last one ends.
    starts: Vec<usize>,
}

impl<'a> ShuffledItems<'a> {
    pub(super) fn new(classifier: &'a Classifier, rows: &'a Rows<'a>, comparisons: &Comparisons) -> Self {
        let widths = classifier.features().columns().iter().map(Column::width);
        let mut starts = vec![0];
        starts.extend(widths.scan(0, |end, width| {
            *end += width;
            Some(*end)
        }));
        let items = different(comparisons);
        if items.len() * rows.width() > PACKED || items.len() == rows.len() {
            return Self { classifier, rows: Cow::Borrowed(rows), stored: items.clone(), items, starts };
        }
        // Side by side they stay near the processor, however many others there are.
        let each = items.iter().map(|row| (*row as usize, *row as usize));
        let rows = Cow::Owned(exchanged(rows, &(0..0), each));
        Self { classifier, rows, stored: (0..items.len() as u32).collect(), items, starts }
    }

    /// How many different items comparisons are about.
    pub(super) fn count(comparisons: &Comparisons) -> usize {
        different(comparisons).len()
    }

    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    /// The place of a row among the items.
    pub(super) fn place(&self, row: u32) -> usize {
        self.items.partition_point(|item| *item < row)
    }

    /// The order in which nothing moves.
    pub(super) fn in_place(&self) -> Vec<u32> {
        self.stored.clone()
    }

    /// The features of a column.
    pub(super) fn features(&self, column: usize) -> Range<usize> {
        self.starts[column]..self.starts[column + 1]
    }

    /// The scores of the items, each with these features of another row.
    pub(super) fn scores(&self, features: Range<usize>, order: &[u32]) -> Result<Vec<f32>, Error> {
        let mut scores = Vec::with_capacity(self.items.len());
        let piece = (AT_ONCE / self.rows.width()).max(512);
        for (items, others) in self.stored.chunks(piece).zip(order.chunks(piece)) {
            let pairs = items
                .iter()
                .map(|item| *item as usize)
                .zip(others.iter().map(|row| *row as usize));
            scores.extend(self.classifier.scores(&exchanged(&self.rows, &features, pairs))?);
        }
        Ok(scores)
    }
}

/// Rows, each with these features of another one.
fn exchanged(
    rows: &Rows<'_>,
    features: &Range<usize>,
    pairs: impl ExactSizeIterator<Item = (usize, usize)>,
) -> Rows<'static> {
    let width = rows.width();
    let at = |row: usize, features: &Range<usize>| row * width + features.start..row * width + features.end;
    let values = match rows.cells() {
        Cells::Sparse(sparse) => Values::Sparse(exchanged_sparse(sparse, features, pairs)),
        Cells::Numbers(numbers) => {
            let mut values = Vec::with_capacity(pairs.len() * width);
            for (item, other) in pairs {
                let start = values.len();
                values.extend_from_slice(&numbers[at(item, &(0..width))]);
                values[start + features.start..start + features.end]
                    .copy_from_slice(&numbers[at(other, features)]);
            }
            Values::Numbers(values)
        }
        Cells::Bytes(bytes) => {
            let mut values = Vec::with_capacity(pairs.len() * width);
            for (item, other) in pairs {
                let start = values.len();
                values.extend_from_slice(&bytes[at(item, &(0..width))]);
                values[start + features.start..start + features.end]
                    .copy_from_slice(&bytes[at(other, features)]);
            }
            Values::Bytes(values)
        }
    };
    Rows::of_checked(values, width)
}

fn exchanged_sparse(
    sparse: &SparseRows,
    features: &Range<usize>,
    pairs: impl Iterator<Item = (usize, usize)>,
) -> SparseRows {
    let mut exchanged = SparseRows::new();
    let entries = |row: usize| {
        let (columns, values) = sparse.row(row);
        columns.iter().copied().zip(values.iter().copied())
    };
    let within = |column: u32| features.contains(&(column as usize));
    for (item, other) in pairs {
        // In the order of the features, as they are.
        let own = || entries(item).filter(|(column, _)| !within(*column));
        let before = own().filter(|(column, _)| (*column as usize) < features.start);
        let moved = entries(other).filter(|(column, _)| within(*column));
        let after = own().filter(|(column, _)| *column as usize >= features.end);
        exchanged.push(before.chain(moved).chain(after));
    }
    exchanged
}

fn different(comparisons: &Comparisons) -> Vec<u32> {
    let mut items: Vec<u32> = comparisons.iter().flat_map(|(a, b)| [a, b]).collect();
    items.sort_unstable();
    items.dedup();
    items
}
