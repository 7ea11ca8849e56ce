//! Finding out how a text table is written: its delimiter, and whether it has a header.

use std::path::Path;

use super::fields::Fields;
use super::is_tabbed;
use crate::Layout;
use crate::table::cell::{self, Decimal};

/// How a text table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dialect {
    pub(super) delimiter: u8,
    pub(super) header: bool,
}

/// The delimiters that are looked for, the likeliest first.
const DELIMITERS: [u8; 4] = [b',', b'\t', b';', b'|'];

/// Records at the start of a file that are looked at.
const SAMPLE: usize = 20;

/// Finds what the user has not said from the first records.
pub(super) fn detect(path: &Path, start: &[u8], layout: &Layout) -> Dialect {
    let delimiter = layout
        .delimiter
        .unwrap_or_else(|| if is_tabbed(path) { b'\t' } else { delimiter(start) });
    let header = layout.header.unwrap_or_else(|| {
        let sample = sample(start, delimiter, 2);
        sample
            .first()
            .is_some_and(|first| is_header(first, sample.get(1), Decimal::between(delimiter)))
    });
    Dialect { delimiter, header }
}

/// The delimiter that cuts every record into as many fields as the first; of several the one that gives
/// the most.
fn delimiter(start: &[u8]) -> u8 {
    let fields = |delimiter: &u8| {
        let lengths: Vec<usize> = sample(start, *delimiter, SAMPLE).iter().map(Vec::len).collect();
        let first = lengths.first().copied().unwrap_or(0);
        let alike = lengths.iter().all(|length| *length == first);
        // A ragged file shall still be read with its delimiter, to be told where it is ragged.
        (first > 1).then_some((alike, first))
    };
    let mut best = None;
    for delimiter in DELIMITERS {
        let found = fields(&delimiter);
        if found > best.map(|(found, _)| found).unwrap_or_default() {
            best = Some((found, delimiter));
        }
    }
    best.map_or(DELIMITERS[0], |(_, delimiter)| delimiter)
}

/// The first few whole records.
fn sample(start: &[u8], delimiter: u8, count: usize) -> Vec<Vec<Vec<u8>>> {
    let mut fields = Fields::new(start, delimiter);
    let mut records = Vec::new();
    while records.len() < count && !fields.at_end() {
        if fields.skip_blank_line() {
            continue;
        }
        let mut record = Vec::new();
        loop {
            let Ok(field) = fields.next_field() else { return records };
            record.push(field.trimmed().to_vec());
            if field.ends_record {
                break;
            }
        }
        records.push(record);
    }
    // The last may be cut off by the end of the block.
    if fields.at_end() && records.len() > 2 && !start.ends_with(b"\n") {
        records.pop();
    }
    records
}

/// Whether a first record is a header: it holds no number, or text above what is a number in the second.
fn is_header(first: &[Vec<u8>], second: Option<&Vec<Vec<u8>>>, decimal: Decimal) -> bool {
    let is_number = |field: &[u8]| cell::number(&decimal.plain(field)).is_ok();
    if !first.iter().any(|field| is_number(field)) {
        return true;
    }
    let mut pairs = first.iter().zip(second.into_iter().flatten());
    pairs.any(|(first, second)| !is_number(first) && is_number(second))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> (char, bool) {
        let dialect = detect(Path::new("file"), text.as_bytes(), &Layout::default());
        (char::from(dialect.delimiter), dialect.header)
    }

    #[test]
    fn the_delimiter_is_the_one_that_cuts_all_records_alike() {
        assert_eq!(of("a,b\n1,2\n"), (',', true));
        assert_eq!(of("a\tb\n1\t2\n"), ('\t', true));
        assert_eq!(of("a;b\n1,5;2,5\n"), (';', true));
        assert_eq!(of("a|b|c\n1|2|3\n"), ('|', true));
        assert_eq!(of("name;text\nx;\"a,b\"\ny;c\n"), (';', true));
        assert_eq!(of("a,b;c\n1,2;3\n4,5\n"), (',', true));
        assert_eq!(of("id,text\n1,a;b;c\n2,d\n"), (',', true));
        assert_eq!(of("a\n1\n"), (',', true));
    }

    #[test]
    fn a_header_has_text_where_the_rows_have_numbers() {
        assert_eq!(of("1,2\n3,4\n"), (',', false));
        assert_eq!(of("1,5;2,5\n3;4\n"), (';', false));
        assert_eq!(of("id,2019,2020\n7,1,2\n"), (',', true));
        assert_eq!(of(",0,1\n0,1.5,2\n"), (',', true));
        assert_eq!(of("wine-1,1.5,2\nwine-2,1,2\n"), (',', false));
        assert_eq!(of("likelier,other\na,b\n"), (',', true));
        assert_eq!(of("0\t1\n"), ('\t', false));
    }
}
