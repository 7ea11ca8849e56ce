//! Text cut into records and fields.
//!
//! A field that starts with a quote ends with the next single one; two quotes in it stand for one, and it
//! may hold delimiters and line breaks. A quote further on in a field is an ordinary character.

use std::borrow::Cow;

use crate::table::cell::plain_number;

/// The fields of whole records, one after the other.
pub(super) struct Fields<'a> {
    bytes: &'a [u8],
    delimiter: u8,
    at: usize,
    line: usize,
}

/// One field.
pub(super) struct Field<'a> {
    text: Cow<'a, [u8]>,
    quoted: bool,
    /// Whether it is the last of its record.
    pub(super) ends_record: bool,
}

impl Field<'_> {
    /// What the field says: blanks around it mean nothing unless they are quoted.
    pub(super) fn text(&self) -> &[u8] {
        if self.quoted { &self.text } else { self.trimmed() }
    }

    /// The field without blanks around it.
    pub(super) fn trimmed(&self) -> &[u8] {
        self.text.trim_ascii()
    }
}

impl<'a> Fields<'a> {
    pub(super) fn new(bytes: &'a [u8], delimiter: u8) -> Self {
        Self { bytes, delimiter, at: 0, line: 0 }
    }

    /// Whether there are no more fields. To be asked between records.
    pub(super) fn at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// How many bytes were passed.
    pub(super) fn offset(&self) -> usize {
        self.at
    }

    /// How many line breaks were passed.
    pub(super) fn line(&self) -> usize {
        self.line
    }

    /// Passes a line of nothing but blanks, if one is next. To be asked between records.
    pub(super) fn skip_blank_line(&mut self) -> bool {
        let rest = &self.bytes[self.at..];
        let blank = |byte: &u8| matches!(byte, b' ' | b'\r') || *byte == b'\t' && self.delimiter != b'\t';
        let length = rest.iter().position(|byte| !blank(byte)).unwrap_or(rest.len());
        match rest.get(length) {
            Some(b'\n') => {
                self.at += length + 1;
                self.line += 1;
                true
            }
            None if length > 0 => {
                self.at += length;
                true
            }
            _ => false,
        }
    }

    /// The next field, or what is wrong with its quotes.
    pub(super) fn next_field(&mut self) -> Result<Field<'a>, &'static str> {
        let bytes = self.bytes;
        if bytes.get(self.at) == Some(&b'"') {
            return self.quoted();
        }
        let rest = &bytes[self.at..];
        let end = |byte: &u8| *byte == self.delimiter || *byte == b'\n';
        let length = rest.iter().position(end).unwrap_or(rest.len());
        let ends_record = rest.get(length) != Some(&self.delimiter);
        self.at += (length + 1).min(rest.len());
        self.line += usize::from(rest.get(length) == Some(&b'\n'));
        Ok(Field { text: Cow::Borrowed(&rest[..length]), quoted: false, ends_record })
    }

    /// The next field, if it is a number in plain digits, and whether it ends its record; else nothing is passed.
    pub(super) fn plain_number(&mut self) -> Option<(f32, bool)> {
        if self.delimiter.is_ascii_digit() || b"-.".contains(&self.delimiter) {
            return None;
        }
        let rest = &self.bytes[self.at..];
        let (value, length) = plain_number(rest)?;
        let (end, ends_record) = match rest.get(length)? {
            byte if *byte == self.delimiter => (length + 1, false),
            b'\n' => (length + 1, true),
            b'\r' if rest.get(length + 1) == Some(&b'\n') => (length + 2, true),
            _ => return None,
        };
        self.at += end;
        self.line += usize::from(ends_record);
        Some((value, ends_record))
    }

    fn quoted(&mut self) -> Result<Field<'a>, &'static str> {
        let bytes = self.bytes;
        let mut start = self.at + 1;
        let mut text = Cow::Borrowed(&bytes[start..start]);
        loop {
            let length = bytes[start..].iter().position(|byte| *byte == b'"');
            let end = start + length.ok_or("the quote is not closed")?;
            let part = &bytes[start..end];
            if text.is_empty() {
                text = Cow::Borrowed(part);
            } else {
                text.to_mut().extend_from_slice(part);
            }
            if bytes.get(end + 1) != Some(&b'"') {
                self.at = end + 1;
                break;
            }
            text.to_mut().push(b'"');
            start = end + 2;
        }
        self.line += count_lines(&text);
        let rest = &bytes[self.at..];
        let blanks = rest.iter().position(|byte| !matches!(byte, b'\r' | b' ')).unwrap_or(rest.len());
        let ends_record = match rest.get(blanks) {
            Some(byte) if *byte == self.delimiter => false,
            Some(b'\n') => {
                self.line += 1;
                true
            }
            None => true,
            Some(_) => return Err("there is text after the closing quote"),
        };
        self.at += (blanks + 1).min(rest.len());
        Ok(Field { text, quoted: true, ends_record })
    }
}

/// How many line breaks there are.
pub(super) fn count_lines(text: &[u8]) -> usize {
    text.iter().map(|byte| usize::from(*byte == b'\n')).sum()
}

/// Where to cut text into pieces of about `size` bytes: ends of records, the last of them the last there
/// is. With the file at its end, that is the end of the text.
pub(super) fn piece_ends(text: &[u8], delimiter: u8, size: usize, at_end: bool) -> Vec<usize> {
    let mut ends = Vec::new();
    if text.contains(&b'"') {
        let (mut last, mut cut) = (0, 0);
        for_record_ends(text, delimiter, |end| {
            last = end;
            if end - cut >= size {
                ends.push(end);
                cut = end;
            }
        });
        if last > cut {
            ends.push(last);
        }
    } else {
        let after =
            |from: usize| text[from..].iter().position(|byte| *byte == b'\n').map(|at| from + at + 1);
        let last = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let mut cut = 0;
        while let Some(end) = after((cut + size).min(text.len())).filter(|end| *end < last) {
            ends.push(end);
            cut = end;
        }
        if last > cut {
            ends.push(last);
        }
    }
    if at_end && ends.last().copied().unwrap_or(0) < text.len() {
        ends.push(text.len());
    }
    ends
}

/// Calls `visit` with the end of each record that ends in a line break.
fn for_record_ends(text: &[u8], delimiter: u8, mut visit: impl FnMut(usize)) {
    // A field that was quoted and closed goes on as an ordinary one: whatever follows is refused later.
    let (mut at_start, mut quoted) = (true, false);
    for (at, &byte) in text.iter().enumerate() {
        if quoted {
            quoted = byte != b'"';
            // The second of two quotes opens the field again.
            at_start = byte == b'"';
        } else if byte == b'\n' {
            visit(at + 1);
            at_start = true;
        } else if byte == b'"' && at_start {
            quoted = true;
        } else {
            at_start = byte == delimiter;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn records(text: &[u8]) -> Result<Vec<Vec<Vec<u8>>>, &'static str> {
        let mut fields = Fields::new(text, b',');
        let mut records = Vec::new();
        while !fields.at_end() {
            if fields.skip_blank_line() {
                continue;
            }
            let mut record = Vec::new();
            loop {
                let field = fields.next_field()?;
                record.push(field.text().to_vec());
                if field.ends_record {
                    break;
                }
            }
            records.push(record);
        }
        Ok(records)
    }

    #[test]
    fn quotes_hold_delimiters_line_breaks_and_quotes() {
        let text = b"a, b ,\"c,\"\"d\"\"\ne\"\r\n5\" pipe,\"\",\" x \"\n\"\"\"\",1,\"\"\"a\"\"\"";
        let expected: Vec<Vec<&[u8]>> = vec![
            vec![b"a", b"b", b"c,\"d\"\ne"],
            vec![b"5\" pipe", b"", b" x "],
            vec![b"\"", b"1", b"\"a\""],
        ];
        assert_eq!(records(text).unwrap(), expected);
        assert_eq!(records(b"a,\"b").unwrap_err(), "the quote is not closed");
        assert_eq!(records(b"\"b\"c,1").unwrap_err(), "there is text after the closing quote");
    }

    proptest! {
        #[test]
        fn pieces_read_one_by_one_are_the_whole(text in "[ab,\"\"\n\n\r ]{0,60}", size in 1_usize..20) {
            let text = text.as_bytes();
            let ends = piece_ends(text, b',', size, true);
            let starts = [0].into_iter().chain(ends.iter().copied());
            let pieces: Result<Vec<_>, _> = starts.zip(&ends).map(|(s, e)| records(&text[s..*e])).collect();
            // Text that is refused as a whole is refused in some piece.
            prop_assert_eq!(pieces.map(|pieces| pieces.concat()).ok(), records(text).ok());
            prop_assert_eq!(ends.last().copied().unwrap_or(0), text.len());
        }
    }
}
