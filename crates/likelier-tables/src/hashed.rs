//! The features of text, kept apart from those of numbers and categories while rows are read.

use likelier::data::{Column, Features, SparseRows, TextRule, Texts};
use rayon::prelude::*;

/// The hashed words of rows.
pub(super) struct Hashed {
    columns: Vec<TextColumn>,
    rows: SparseRows,
}

/// A column of text: its number among the columns, the place of its first feature, and its rule.
#[derive(Clone, Copy)]
struct TextColumn {
    column: usize,
    place: usize,
    rule: TextRule,
}

impl Hashed {
    /// No rows of the columns of text among these features. Their places count from the first of them.
    pub(super) fn of(features: &Features) -> Self {
        let mut place = 0;
        let mut columns = Vec::new();
        for (column, feature) in features.columns().iter().enumerate() {
            if let Column::Text { rule, .. } = feature {
                columns.push(TextColumn { column, place, rule: *rule });
                place += feature.width();
            }
        }
        Self { columns, rows: SparseRows::new() }
    }

    /// Adds rows of texts, and shows row and column of each that is empty.
    pub(super) fn read(&mut self, texts: &[Texts], count: usize, mut empty: impl FnMut(usize, usize)) {
        let columns = &self.columns;
        let entries = |row: usize| -> Vec<(u32, f32)> {
            let of_column = |(text, texts): (&TextColumn, &Texts)| {
                let place = text.place as u32;
                let entries = text.rule.entries(texts.get(row));
                entries.into_iter().map(move |(feature, value)| (place + feature, value))
            };
            columns.iter().zip(texts).flat_map(of_column).collect()
        };
        let read: Vec<Vec<(u32, f32)>> = (0..count).into_par_iter().map(entries).collect();
        for (row, entries) in read.into_iter().enumerate() {
            for (text, texts) in columns.iter().zip(texts) {
                if texts.get(row).trim().is_empty() {
                    empty(row, text.column);
                }
            }
            self.rows.push(entries);
        }
    }

    /// Forgets the rows, keeping the memory.
    pub(super) fn clear(&mut self) {
        self.rows.clear();
    }

    /// The same rows with `width` other features in front.
    pub(super) fn beside(self, cells: &[f32], width: usize) -> SparseRows {
        if width == 0 {
            return self.rows;
        }
        let mut together = SparseRows::new();
        for (row, cells) in cells.chunks_exact(width).enumerate() {
            let own = (0_u32..).zip(cells).filter(|(_, cell)| **cell != 0.0);
            let (places, values) = self.rows.row(row);
            let words = places.iter().zip(values).map(|(place, value)| (width as u32 + place, *value));
            together.push(own.map(|(place, cell)| (place, *cell)).chain(words));
        }
        together
    }
}
