//! Columns that look as if they were no features: they number the items, or name them.

use likelier::data::{Column, Features};
use likelier::{Rows, Warning};

/// With fewer rows than this a column may look like anything.
const FEWEST: usize = 20;

/// What to say of features that are numbers of rows, or categories with about one value a row.
pub(crate) fn odd_columns(rows: &Rows<'_>, features: &Features) -> Vec<Warning> {
    let count = rows.len();
    if count < FEWEST || rows.are_bytes() || rows.as_sparse().is_some() {
        return Vec::new();
    }
    let mut numbering = Vec::new();
    let mut columns = vec![Numbering::default(); rows.width()];
    let mut row = vec![0.0; rows.width()];
    for at in 0..count {
        rows.copy_row(at, &mut row);
        for (column, value) in columns.iter_mut().zip(&row) {
            column.add(*value);
        }
        // Most columns are soon seen to number nothing.
        if !columns.iter().any(Numbering::may_number_rows) {
            break;
        }
    }
    let (mut place, mut names) = (0, Vec::new());
    for column in features.columns() {
        match column {
            Column::Number { name, rule } if !rule.missing && columns[place].numbers_rows(count) => {
                numbering.push(name.clone());
            }
            Column::Category { name, values } if 10 * values.len() >= 9 * count => {
                names.push(Warning::NamesItems {
                    column: name.clone(),
                    values: values.len(),
                    items: count,
                });
            }
            _ => {}
        }
        place += column.width();
    }
    if !numbering.is_empty() {
        names.insert(0, Warning::NumbersItems { columns: numbering });
    }
    names
}

/// What is seen of a number while its rows go by.
#[derive(Clone)]
struct Numbering {
    whole: bool,
    rising: bool,
    falling: bool,
    first: Option<f32>,
    last: f32,
}

impl Default for Numbering {
    fn default() -> Self {
        Self { whole: true, rising: true, falling: true, first: None, last: 0.0 }
    }
}

impl Numbering {
    fn add(&mut self, value: f32) {
        self.whole &= value.fract() == 0.0;
        if self.first.is_some() {
            self.rising &= value > self.last;
            self.falling &= value < self.last;
        }
        self.first.get_or_insert(value);
        self.last = value;
    }

    /// Whether all numbers so far are whole, and only rise or only fall.
    fn may_number_rows(&self) -> bool {
        self.whole && (self.rising || self.falling)
    }

    /// Whole numbers that only rise or only fall, with few left out.
    fn numbers_rows(&self, count: usize) -> bool {
        let range = f64::from((self.last - self.first.unwrap_or(self.last)).abs());
        self.may_number_rows() && range < 2.0 * count as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(columns: Vec<Column>, cells: impl Fn(usize) -> Vec<f32>) -> Vec<&'static str> {
        let features = Features::new(columns).unwrap();
        let values: Vec<f32> = (0..40).flat_map(cells).collect();
        let rows = Rows::from_numbers(values, features.width()).unwrap();
        odd_columns(&rows, &features).iter().map(Warning::code).collect()
    }

    #[test]
    fn numbers_of_rows_and_names_are_told_and_features_are_not() {
        let number = || vec![Column::number("n")];
        assert_eq!(told(number(), |row| vec![row as f32 + 1.0]), ["numbers-items"]);
        assert_eq!(told(number(), |row| vec![900.0 - row as f32]), ["numbers-items"]);
        assert!(told(number(), |row| vec![row as f32 + 0.5]).is_empty());
        assert!(told(number(), |row| vec![(row * 7 % 40) as f32]).is_empty());
        assert!(told(number(), |row| vec![(row * row) as f32]).is_empty());
        let two = || vec![Column::number("n"), Column::number("m")];
        assert_eq!(told(two(), |row| vec![0.5, row as f32]), ["numbers-items"]);
        let late = |row: usize| vec![if row == 39 { 0.5 } else { row as f32 }];
        assert!(told(number(), late).is_empty(), "the last row tells");
        let values = |count: usize| (0..count).map(|value| value.to_string()).collect();
        let category = |count| vec![Column::Category { name: "c".into(), values: values(count) }];
        let one_hot =
            |row: usize, of: usize| (0..of).map(|at| f32::from(u8::from(at == row % of))).collect();
        assert_eq!(told(category(38), |row| one_hot(row, 38)), ["names-items"]);
        assert!(told(category(20), |row| one_hot(row, 20)).is_empty());
    }
}
