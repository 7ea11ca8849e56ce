//! Tables of numbers in text, one row a line: the UCI files (commas) and USPS (blanks).
//!
//! One field is the class, the others are features. Blanks around a number, carriage returns, a missing
//! last line feed and blank lines at the end are all found in the wild and mean nothing. Anything else
//! that is not a row of the right length is refused with line and column: a row skipped in silence would
//! shift every index after it.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use super::decompress::{MAX_LINE_BYTES, Source};
use super::{ClassedRows, Part, not_a_class, read_files};
use crate::data::Rows;
use crate::error::Error;

/// How a line of a text table is to be understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// What stands between the fields.
    pub separator: Separator,
    /// Which field is the class.
    pub class: ClassField,
    /// The number of fields besides the class.
    pub features: usize,
    /// The class ids that may occur.
    pub classes: RangeInclusive<u8>,
}

/// What stands between the fields of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Separator {
    /// One comma, with or without blanks around it.
    Comma,
    /// One or more blanks.
    Blanks,
}

/// Where the class of a row stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClassField {
    /// Before the features.
    First,
    /// After the features.
    Last,
}

/// Reads text tables of one layout, one after the other, into rows of numbers.
pub fn read(files: &[PathBuf], layout: &Layout) -> Result<ClassedRows, Error> {
    let read_one = |path: &PathBuf| read_table(path, layout);
    read_files(files, read_one, |cells| Rows::from_numbers(cells, layout.features))
}

fn read_table(path: &Path, layout: &Layout) -> Result<Part<f32>, Error> {
    let mut source = Source::open(path)?;
    let (mut cells, mut classes) = (Vec::new(), Vec::new());
    let (mut line, mut number, mut first_blank) = (Vec::new(), 0, None);
    while source.read_line(&mut line)? > 0 {
        number += 1;
        if line.len() as u64 > MAX_LINE_BYTES {
            let problem = format!("is longer than {MAX_LINE_BYTES} bytes");
            return Err(Error::format_at(path, number, None, problem));
        }
        let text = std::str::from_utf8(&line)
            .map_err(|_| Error::format_at(path, number, None, "is not UTF-8 text"))?
            .trim();
        if text.is_empty() {
            first_blank.get_or_insert(number);
        } else if let Some(blank) = first_blank {
            return Err(Error::format_at(path, blank, None, "is blank, but more rows follow"));
        } else {
            let at = Line { path, number, text };
            classes.push(at.read_row(layout, &mut cells)?);
        }
        line.clear();
    }
    Part::of(path, cells, classes)
}

/// One line that is not blank.
struct Line<'a> {
    path: &'a Path,
    number: usize,
    text: &'a str,
}

impl Line<'_> {
    /// Appends the features and returns the class.
    fn read_row(&self, layout: &Layout, cells: &mut Vec<f32>) -> Result<u8, Error> {
        match layout.separator {
            Separator::Comma => self.read_fields(self.text.split(',').map(str::trim), layout, cells),
            Separator::Blanks => self.read_fields(self.text.split_whitespace(), layout, cells),
        }
    }

    fn read_fields<'t>(
        &self,
        fields: impl Iterator<Item = &'t str> + Clone,
        layout: &Layout,
        cells: &mut Vec<f32>,
    ) -> Result<u8, Error> {
        let expected = layout.features + 1;
        let found = fields.clone().count();
        if found != expected {
            let problem = format!("has {found} fields; {expected} are expected");
            return Err(Error::format_at(self.path, self.number, None, problem));
        }
        let class_at = match layout.class {
            ClassField::First => 0,
            ClassField::Last => layout.features,
        };
        let mut class = 0;
        for (at, field) in fields.enumerate() {
            let problem = |problem| Error::format_at(self.path, self.number, Some(at + 1), problem);
            let value = number(field).map_err(problem)?;
            if at != class_at {
                cells.push(value);
            } else if let Some(known) =
                layout.classes.clone().find(|id| f32::from(*id).total_cmp(&value).is_eq())
            {
                // "6" or "6.0000": compared as numbers.
                class = known;
            } else {
                return Err(problem(not_a_class(quoted(field), &layout.classes)));
            }
        }
        Ok(class)
    }
}

/// A finite number, or what is wrong with it.
pub(in crate::data) fn number(field: &str) -> Result<f32, String> {
    match field.parse::<f32>() {
        Ok(value) if value.is_finite() => Ok(value),
        Ok(_) => Err(format!("{} is not a finite number", quoted(field))),
        Err(_) => Err(format!("{} is not a number", quoted(field))),
    }
}

/// A field as a message shows it: its start, if it is long.
pub(in crate::data) fn quoted(field: &str) -> String {
    const SHOWN: usize = 30;
    match field.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("'{}…'", &field[..end]),
        None => format!("'{field}'"),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::fixture::{OneFile, complaint, gzipped, refused_at_every_length};
    use super::*;

    const COMMAS: Layout =
        Layout { separator: Separator::Comma, class: ClassField::Last, features: 3, classes: 0..=9 };
    const BLANKS: Layout =
        Layout { separator: Separator::Blanks, class: ClassField::First, features: 3, classes: 1..=9 };

    fn read_text(text: &str, layout: &Layout) -> Result<Part<f32>, Error> {
        read_table(&OneFile::holding(text.as_bytes()).path(), layout)
    }

    fn refusal(bytes: &[u8], layout: &Layout) -> String {
        let file = OneFile::holding(bytes);
        complaint(read_table(&file.path(), layout), &file.path())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn what_was_written_is_read_plain_and_gzipped(
            rows in prop::collection::vec((any::<[i16; 3]>(), 1..=9_u8), 1..20),
            end in prop::sample::select(vec!["", "\n", "\r\n", "\n\n \n"]),
            line_break in prop::sample::select(vec!["\n", "\r\n", "  \n"]),
        ) {
            // Eighths are exact in binary and in decimal.
            let cells: Vec<f32> = rows.iter().flat_map(|row| row.0).map(|n| f32::from(n) / 8.0).collect();
            let classes: Vec<u8> = rows.iter().map(|row| row.1).collect();
            let features = |separator: &str, row: usize| {
                let row = &cells[3 * row..3 * row + 3];
                row.iter().map(ToString::to_string).collect::<Vec<_>>().join(separator)
            };
            let commas = (0..rows.len()).map(|row| format!(" {}, {}", features(",  ", row), classes[row]));
            let blanks = (0..rows.len()).map(|row| format!("{}.0000 {}", classes[row], features("\t", row)));
            let commas = commas.collect::<Vec<_>>().join(line_break) + end;
            let blanks = blanks.collect::<Vec<_>>().join(line_break) + end;
            for (text, layout) in [(commas, COMMAS), (blanks, BLANKS)] {
                for stored in [text.clone().into_bytes(), gzipped(text.as_bytes())] {
                    let part = read_table(&OneFile::holding(&stored).path(), &layout).unwrap();
                    prop_assert_eq!(&part.cells, &cells);
                    prop_assert_eq!(&part.classes, &classes);
                }
            }
        }

        #[test]
        fn no_text_at_all_makes_the_reader_panic(text in "[-0-9.,eE+ \n\rinfé]{0,60}") {
            let _ = (read_text(&text, &COMMAS), read_text(&text, &BLANKS));
        }
    }

    #[test]
    fn gzip_cut_off_anywhere_is_refused() {
        refused_at_every_length(&gzipped(b"1,2,3,0\n4,5,6,1\n"), |path| read_table(path, &COMMAS));
    }

    #[test]
    fn text_in_a_number_is_refused_with_its_place() {
        assert_eq!(refusal(b"1,2,3,0\n4, x5,6,1\n", &COMMAS), ", line 2, column 2: 'x5' is not a number");
        assert_eq!(refusal(b"1,2,,0", &COMMAS), ", line 1, column 3: '' is not a number");
        assert_eq!(refusal(b"6 1 2 3\n7 1 2 3,5", &BLANKS), ", line 2, column 4: '3,5' is not a number");
        let long = format!("1,2,{},0", "é".repeat(500));
        assert_eq!(
            refusal(long.as_bytes(), &COMMAS),
            format!(", line 1, column 3: '{}…' is not a number", "é".repeat(30))
        );
    }

    #[test]
    fn a_number_that_is_not_finite_is_refused_with_its_place() {
        for bad in ["nan", "NaN", "inf", "-inf", "infinity", "1e99"] {
            let message = refusal(format!("1,2,3,0\n\r{bad},5,6,1").as_bytes(), &COMMAS);
            assert_eq!(message, format!(", line 2, column 1: '{bad}' is not a finite number"));
        }
    }

    #[test]
    fn a_ragged_row_is_refused_with_its_line() {
        assert_eq!(refusal(b"1,2,3,0\n4,5,6\n", &COMMAS), ", line 2: has 3 fields; 4 are expected");
        assert_eq!(refusal(b"1,2,3,0,\n", &COMMAS), ", line 1: has 5 fields; 4 are expected");
        assert_eq!(refusal(b"1 2 3\n", &BLANKS), ", line 1: has 3 fields; 4 are expected");
    }

    #[test]
    fn a_class_must_be_a_whole_number_in_range() {
        for bad in ["10", "6.5", "-1", "256"] {
            let message = refusal(format!("1,2,3,{bad}").as_bytes(), &COMMAS);
            assert_eq!(
                message,
                format!(", line 1, column 4: '{bad}' is not a class; classes run from 0 to 9")
            );
        }
        assert_eq!(
            refusal(b"0 1 2 3", &BLANKS),
            ", line 1, column 1: '0' is not a class; classes run from 1 to 9"
        );
    }

    #[test]
    fn blank_lines_are_allowed_at_the_end_only() {
        assert_eq!(read_text("1,2,3,0\n\n\n", &COMMAS).unwrap().classes, [0]);
        assert_eq!(refusal(b"1,2,3,0\n\n\n4,5,6,1\n", &COMMAS), ", line 2: is blank, but more rows follow");
    }

    #[test]
    fn a_file_without_rows_or_that_is_no_text_is_refused() {
        for empty in [&b""[..], b"\n", b" \r\n\n"] {
            assert_eq!(refusal(empty, &COMMAS), ": holds no rows");
        }
        assert_eq!(refusal(b"1,2,3,0\n\xff\n", &COMMAS), ", line 2: is not UTF-8 text");
        let endless = vec![b'1'; MAX_LINE_BYTES as usize + 1];
        assert_eq!(refusal(&endless, &COMMAS), ", line 1: is longer than 1048576 bytes");
    }
}
