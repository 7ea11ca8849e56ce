//! Tables in text with a class in each row: the UCI files (commas) and USPS (blanks).
//!
//! [`Items`] reads them. That a table has the right columns, and no classes but the known ones, is checked here.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use likelier::Rows;
use likelier::data::Values;
use likelier_tables::{Items, Layout, TableError};

use super::{ClassedCells, ClassedRows, not_a_class, read_files};

/// What a table must be like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassTable {
    /// What stands between the fields.
    pub delimiter: u8,
    /// Which column is the class.
    pub class: ClassColumn,
    /// The number of columns besides the class.
    pub features: usize,
    /// The class ids that may occur.
    pub classes: RangeInclusive<u8>,
}

/// Where the class of a row stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClassColumn {
    /// Before the features.
    First,
    /// After the features.
    Last,
}

/// Reads tables, one after the other, into rows of numbers.
pub fn read(files: &[PathBuf], like: &ClassTable) -> Result<ClassedRows, TableError> {
    read_files(files, |path| like.read(path), |cells| Rows::from_numbers(cells, like.features))
}

impl ClassTable {
    fn read(&self, path: &Path) -> Result<ClassedCells<f32>, TableError> {
        let at = match self.class {
            ClassColumn::First => 0,
            ClassColumn::Last => self.features,
        };
        let layout = Layout {
            label: Some(format!("f{at}")),
            delimiter: Some(self.delimiter),
            header: Some(false),
            ..Layout::default()
        };
        let Items { rows, labels, .. } = Items::read(path, &layout)?;
        let (found, expected) = (rows.width() + 1, self.features + 1);
        let (Values::Numbers(cells), true) = (rows.into_values(), found == expected) else {
            let problem = format!("has {found} columns; {expected} are expected");
            return Err(TableError::format(path, problem));
        };
        let labels = labels.unwrap_or_default();
        let class = |row: usize| {
            let label = labels.get(row);
            self.class_of(label).ok_or_else(|| {
                // There is no header, and rows follow each other without a gap.
                let problem = not_a_class(format!("'{label}'"), &self.classes);
                TableError::format_at(path, row + 1, Some(at + 1), problem)
            })
        };
        let classes = (0..labels.len()).map(class).collect::<Result<_, _>>()?;
        ClassedCells::of(path, cells, classes)
    }

    /// The class that a label means: "6" or "6.0000", compared as numbers.
    fn class_of(&self, label: &str) -> Option<u8> {
        let value: f32 = label.parse().ok()?;
        self.classes.clone().find(|id| f32::from(*id).total_cmp(&value).is_eq())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fixture::{OneFile, complaint, gzipped};
    use crate::read::cut_off::refused_at_every_length;

    const COMMAS: ClassTable =
        ClassTable { delimiter: b',', class: ClassColumn::Last, features: 3, classes: 0..=9 };
    const BLANKS: ClassTable =
        ClassTable { delimiter: b' ', class: ClassColumn::First, features: 3, classes: 1..=9 };

    fn refusal(text: &str, like: &ClassTable) -> String {
        let file = OneFile::holding(text.as_bytes());
        complaint(like.read(&file.path()), &file.path())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn what_was_written_is_read_plain_and_gzipped(
            rows in prop::collection::vec((any::<[i16; 3]>(), 1..=9_u8), 1..20),
            end in prop::sample::select(vec!["", "\n", "\r\n", "\n\n \n"]),
            line_break in prop::sample::select(vec!["\n", "\r\n"]),
        ) {
            // Eighths are exact in binary and in decimal.
            let cells: Vec<f32> = rows.iter().flat_map(|row| row.0).map(|n| f32::from(n) / 8.0).collect();
            let classes: Vec<u8> = rows.iter().map(|row| row.1).collect();
            let features = |separator: &str, row: usize| {
                let row = &cells[3 * row..3 * row + 3];
                row.iter().map(ToString::to_string).collect::<Vec<_>>().join(separator)
            };
            let commas = (0..rows.len()).map(|row| format!(" {}, {}", features(",  ", row), classes[row]));
            let blanks = (0..rows.len()).map(|row| format!("{}.0000 {}", classes[row], features(" ", row)));
            let commas = commas.collect::<Vec<_>>().join(line_break) + end;
            let blanks = blanks.collect::<Vec<_>>().join(line_break) + end;
            for (text, like) in [(commas, COMMAS), (blanks, BLANKS)] {
                for stored in [text.clone().into_bytes(), gzipped(text.as_bytes())] {
                    let read = like.read(&OneFile::holding(&stored).path()).unwrap();
                    prop_assert_eq!(&read.cells, &cells);
                    prop_assert_eq!(&read.classes, &classes);
                }
            }
        }

        #[test]
        fn no_text_at_all_makes_the_reader_panic(text in "[-0-9.,eE+ \n\rinfé]{0,60}") {
            let file = OneFile::holding(text.as_bytes());
            let _ = (COMMAS.read(&file.path()), BLANKS.read(&file.path()));
        }
    }

    #[test]
    fn gzip_cut_off_anywhere_is_refused() {
        refused_at_every_length(&gzipped(b"1,2,3,0\n4,5,6,1\n"), |path| COMMAS.read(path));
    }

    #[test]
    fn a_class_must_be_a_known_whole_number_and_is_named_with_its_place() {
        for bad in ["10", "6.5", "-1", "256", "x"] {
            assert_eq!(
                refusal(&format!("1,2,3,0\n1,2,3,{bad}"), &COMMAS),
                format!(", line 2, column 4: '{bad}' is not a class; classes run from 0 to 9")
            );
        }
        assert_eq!(
            refusal("0 1 2 3", &BLANKS),
            ", line 1, column 1: '0' is not a class; classes run from 1 to 9"
        );
    }

    #[test]
    fn another_number_of_columns_is_refused() {
        assert_eq!(refusal("1,2,3,0,5\n", &COMMAS), ": has 5 columns; 4 are expected");
        assert_eq!(refusal("1 2 3\n", &BLANKS), ": has 3 columns; 4 are expected");
        assert!(refusal("1,2,3\n", &COMMAS).starts_with(": has no column 'f3'"));
        assert_eq!(refusal("1,2,3,0\n4,5,6\n", &COMMAS), ", line 2: has 3 fields; 4 are expected");
    }

    #[test]
    fn what_is_no_number_is_named_with_its_place() {
        assert_eq!(
            refusal("1,2,3,0\n4, x5,6,1\n", &COMMAS),
            ", line 2, column 2 ('f1'): 'x5' is not a number"
        );
        assert_eq!(refusal("1,2,3,0\n\n4,5,6,1\n", &COMMAS), ", line 2: is blank, but more rows follow");
    }
}
