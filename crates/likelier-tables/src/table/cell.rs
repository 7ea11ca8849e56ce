//! One cell of a table: its number, or what is wrong with it and where.

use std::borrow::Cow;
use std::fmt;
use std::path::Path;

use crate::error::TableError;
use likelier::data::is_missing;
use likelier::words::count;

/// Where a row stands in its file, from 1: a line of text, or a row of a binary table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// A line of a text file.
    Line(usize),
    /// A row of a binary file.
    Row(usize),
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Row(row) => write!(f, "row {row}"),
        }
    }
}

/// Why a cell cannot be used. Values are shown in quotes and shortened if they are long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CellProblem {
    /// Empty, `NA`, `NaN` or `null`.
    Missing,
    /// Text where a number should be.
    NotANumber(String),
    /// Text where a date should be.
    NotADate(String),
    /// A list or an object where one value should be.
    Nested,
    /// One value where other lines have lists of so many numbers.
    NotAList(usize),
    /// An infinite number.
    NotFinite(String),
    /// A number too large for 32 bits.
    TooLarge(String),
    /// Bytes that are not text.
    NotUtf8,
    /// A quote that is not closed, or text behind it.
    Quote(&'static str),
    /// A weight below zero.
    NegativeWeight(String),
    /// Neither a tie nor none.
    NotATie(String),
    /// No probability above 0.
    NotAPropensity(String),
    /// Neither left nor right.
    NotASide(String),
    /// A blank question, where other rows have one.
    NoQuestion,
    /// Neither of the two piles.
    NotAPile(String),
    /// Neither of the two labels.
    NotALabel(String),
    /// The item of this id has the other label further up.
    OtherLabel(String),
    /// A number that is a row, but also the id of an item in another row.
    RowOrId(String),
    /// A list of another length than the first.
    ListLength {
        /// Numbers in it.
        found: usize,
        /// Numbers in the first.
        first: usize,
    },
    /// What is not `index:value` with ascending indices, in a sparse table.
    NotAllowed(String),
}

impl fmt::Display for CellProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("the value is missing"),
            Self::NotANumber(value) => write!(f, "{value} is not a number"),
            Self::NotADate(value) => {
                write!(f, "{value} is not a date; dates are written as 2026-11-17 or 2026-11-17T12:30:05")
            }
            Self::Nested => {
                f.write_str("is a list or an object; numbers, texts and lists of numbers are read")
            }
            Self::NotAList(length) => {
                write!(f, "is no list, but in other lines it is one of {}", count(*length, "number"))
            }
            Self::NotFinite(value) => write!(f, "{value} is not a finite number"),
            Self::TooLarge(value) => {
                write!(f, "{value} is too large for a number of 32 bits, which ends at 3.4e38")
            }
            Self::NotUtf8 => f.write_str("is not UTF-8 text"),
            Self::Quote(problem) => f.write_str(problem),
            Self::NegativeWeight(weight) => write!(f, "the weight {weight} is negative"),
            Self::NotATie(value) => {
                write!(f, "{value} is neither a tie (1, true, yes) nor no tie (0, false, no)")
            }
            Self::NotAPropensity(value) => {
                write!(f, "{value} is not a propensity: a probability above 0 and at most 1")
            }
            Self::NotASide(value) => write!(
                f,
                "{value} is not a side: give left or right, where the likelier item was shown, or nothing if not known"
            ),
            Self::NoQuestion => f.write_str("the row names no question, and other rows do"),
            Self::NotAPile(value) => write!(f, "{value} is neither 'likelier' nor 'other'"),
            Self::NotALabel(value) => write!(f, "{value} is no label: 1 or 0, true or false, yes or no"),
            Self::OtherLabel(id) => write!(f, "{id} has the other label further up"),
            Self::RowOrId(value) => write!(
                f,
                "without a header, {value} is a row number, but an item in another row has it as its id"
            ),
            Self::ListLength { found, first } => {
                write!(f, "the list holds {}, but the first one holds {first}", count(*found, "number"))
            }
            Self::NotAllowed(problem) => f.write_str(problem),
        }
    }
}

impl CellProblem {
    /// One of each kind.
    pub(crate) fn one_of_each() -> Vec<Self> {
        let value = || "'abc'".to_owned();
        likelier::one_of_each!(Self:
            Self::Missing => Self::Missing,
            Self::NotANumber(_) => Self::NotANumber(value()),
            Self::NotADate(_) => Self::NotADate(value()),
            Self::Nested => Self::Nested,
            Self::NotAList(_) => Self::NotAList(3),
            Self::NotFinite(_) => Self::NotFinite("'inf'".into()),
            Self::TooLarge(_) => Self::TooLarge("'1e39'".into()),
            Self::NotUtf8 => Self::NotUtf8,
            Self::Quote(_) => Self::Quote("the quote is not closed"),
            Self::NegativeWeight(_) => Self::NegativeWeight("-1".into()),
            Self::NotAPropensity(_) => Self::NotAPropensity(value()),
            Self::NotATie(_) => Self::NotATie(value()),
            Self::NotASide(_) => Self::NotASide(value()),
            Self::NoQuestion => Self::NoQuestion,
            Self::NotAPile(_) => Self::NotAPile(value()),
            Self::NotALabel(_) => Self::NotALabel(value()),
            Self::OtherLabel(_) => Self::OtherLabel(value()),
            Self::RowOrId(_) => Self::RowOrId("'3'".into()),
            Self::ListLength { .. } => Self::ListLength { found: 1, first: 2 },
            Self::NotAllowed(_) => Self::NotAllowed("'x' is not of the form index:value".into()),
        )
    }

    /// The error of this problem in a file; the column is counted from 0.
    pub(crate) fn at(self, path: &Path, position: Position, column: usize, name: String) -> TableError {
        TableError::Cell { path: path.to_owned(), position, column: column + 1, name, problem: self }
    }

    /// Why a number of a binary table is refused.
    pub(super) fn of_number(value: impl fmt::Display) -> Self {
        Self::too_much(&value.to_string())
    }

    /// Why a number that is infinite in 32 bits is refused.
    fn too_much(text: &str) -> Self {
        // Infinity has a name and no digits.
        let is_number = text.bytes().any(|byte| byte.is_ascii_digit());
        if is_number { Self::TooLarge(quoted(text)) } else { Self::NotFinite(quoted(text)) }
    }
}

/// The finite number that a field holds.
pub(crate) fn number(field: &[u8]) -> Result<f32, CellProblem> {
    let text = std::str::from_utf8(field).map_err(|_| CellProblem::NotUtf8)?;
    match text.parse::<f32>() {
        Ok(value) if value.is_finite() => Ok(value),
        Ok(value) if value.is_nan() => Err(CellProblem::Missing),
        Ok(_) => Err(CellProblem::too_much(text)),
        Err(_) if is_missing(text) => Err(CellProblem::Missing),
        Err(_) => Err(CellProblem::NotANumber(quoted(text))),
    }
}

/// The most digits of a number that is exact in 64 bits, and so are the powers of ten up to there.
const MOST_DIGITS: usize = 15;

/// Powers of ten.
const POWERS: [u64; MOST_DIGITS + 1] = {
    let mut powers = [1; MOST_DIGITS + 1];
    let mut at = 1;
    while at < powers.len() {
        powers[at] = 10 * powers[at - 1];
        at += 1;
    }
    powers
};

/// A number of at most [`MOST_DIGITS`] digits, perhaps with a sign and a point, at the start of a text, and how long it is. It is
/// the nearest of 32 bits, as `parse` finds it, in less time.
pub(super) fn plain_number(text: &[u8]) -> Option<(f32, usize)> {
    /// The bits beyond 32, half-way.
    const HALF_WAY: u64 = 1 << 28;
    let negative = text.first() == Some(&b'-');
    let (mut whole, mut at) = (0_u64, usize::from(negative));
    let start = at;
    while let Some(digit) = text.get(at).map(|byte| byte.wrapping_sub(b'0')).filter(|digit| *digit < 10) {
        if at - start == MOST_DIGITS {
            return None;
        }
        whole = 10 * whole + u64::from(digit);
        at += 1;
    }
    let (mut digits, mut decimals) = (at - start, 0);
    if text.get(at) == Some(&b'.') {
        let fraction;
        (fraction, decimals) = leading_digits(&text[at + 1..]);
        digits += decimals;
        at += 1 + decimals;
        if digits > MOST_DIGITS {
            return None;
        }
        whole = whole * POWERS[decimals] + fraction;
    }
    if digits == 0 {
        return None;
    }
    // One division of exact numbers is rounded to 64 bits once. Rounding that again to 32 is right unless it lies half-way
    // between two of those.
    let value = whole as f64 / POWERS[decimals] as f64;
    if value.to_bits() & (2 * HALF_WAY - 1) == HALF_WAY {
        return None;
    }
    Some((if negative { -value } else { value } as f32, at))
}

/// The number that the digits at the start of a text make, and how many they are. Of more than 19 the number means nothing.
fn leading_digits(text: &[u8]) -> (u64, usize) {
    let (mut number, mut count) = (0_u64, 0);
    // Eight at a time, the first of them in the lowest byte.
    while let Some(bytes) = text[count..].first_chunk() {
        let word = u64::from_le_bytes(*bytes);
        let found = digits_in(word);
        if found > 0 {
            // What is no digit is pushed out, and zeros come in front.
            let digits = (word & (EACH * 0x0f)) << (64 - 8 * found);
            number = number.wrapping_mul(POWERS[found]).wrapping_add(eight_digits(digits));
        }
        count += found;
        if found < 8 {
            return (number, count);
        }
    }
    for digit in text[count..]
        .iter()
        .map(|byte| byte.wrapping_sub(b'0'))
        .take_while(|digit| *digit < 10)
    {
        number = number.wrapping_mul(10).wrapping_add(digit.into());
        count += 1;
    }
    (number, count)
}

/// A one in each byte of a word.
const EACH: u64 = 0x0101_0101_0101_0101;

/// How many bytes of a word are digits, from the lowest up to the first that is none.
fn digits_in(word: u64) -> usize {
    // The upper half of a digit is 3, and stays so if 6 is added. What is carried goes to bytes after one that is no digit.
    let high = EACH * 0xf0;
    let others = (word & high | (word.wrapping_add(EACH * 6) & high) >> 4) ^ (EACH * 0x33);
    others.trailing_zeros() as usize / 8
}

/// The number of eight digits from 0 to 9, the first in the lowest byte: pairs of them, then fours, then all.
fn eight_digits(digits: u64) -> u64 {
    let pairs = (digits.wrapping_mul(10) + (digits >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(100) + (pairs >> 16)) & 0x0000_ffff_0000_ffff;
    (fours.wrapping_mul(10_000) + (fours >> 32)) & 0xffff_ffff
}

/// How a text table writes numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Decimal {
    #[default]
    Point,
    /// 1,5 is one and a half, and so is 1.5: where `;` separates, a comma can be nothing else.
    Comma,
}

impl Decimal {
    /// How numbers may be written between these delimiters.
    pub(super) fn between(delimiter: u8) -> Self {
        if delimiter == b';' { Self::Comma } else { Self::Point }
    }

    /// The field as it is read: with a point, if it is a number with one comma.
    pub(super) fn plain(self, field: &[u8]) -> Cow<'_, [u8]> {
        let is_comma = |byte: &u8| *byte == b',';
        if self == Self::Point || field.contains(&b'.') {
            return Cow::Borrowed(field);
        }
        let comma = field.iter().position(is_comma);
        let Some(at) = comma.filter(|at| !field[at + 1..].iter().any(is_comma)) else {
            return Cow::Borrowed(field);
        };
        let mut plain = field.to_vec();
        plain[at] = b'.';
        Cow::Owned(plain)
    }
}

/// The number that a field holds without an offset; NaN if it is missing, 1 or 0 if it says yes or no.
pub(super) fn number_from(field: &[u8], decimal: Decimal, offset: f64) -> Result<f32, CellProblem> {
    let plain = decimal.plain(field);
    match number(&plain) {
        Ok(near) if offset == 0.0 => Ok(near),
        Ok(near) => {
            // What is a number in 32 bits is one in 64, with more digits.
            let exact = std::str::from_utf8(&plain).ok().and_then(|text| text.parse::<f64>().ok());
            Ok((exact.unwrap_or(near.into()) - offset) as f32)
        }
        Err(CellProblem::Missing) => Ok(f32::NAN),
        Err(CellProblem::NotANumber(_)) if is_one_of(field, ["true", "yes"]) => Ok((1.0 - offset) as f32),
        Err(CellProblem::NotANumber(_)) if is_one_of(field, ["false", "no"]) => Ok((0.0 - offset) as f32),
        Err(CellProblem::NotANumber(_)) => {
            Err(CellProblem::NotANumber(quoted(&String::from_utf8_lossy(field))))
        }
        Err(problem) => Err(problem),
    }
}

fn is_one_of(field: &[u8], words: [&str; 2]) -> bool {
    words.iter().any(|word| field.eq_ignore_ascii_case(word.as_bytes()))
}

/// A field as a message shows it: its start, if it is long.
pub(crate) fn quoted(field: &str) -> String {
    const SHOWN: usize = 30;
    match field.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("'{}…'", &field[..end]),
        None => format!("'{field}'"),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn plain_numbers_are_the_same_as_any(text in "-?[0-9]{0,9}\\.?[0-9]{0,9}", bits: u32) {
            let near = f32::from_bits(bits);
            // Half-way between two numbers of 32 bits is where rounding twice would go wrong.
            let between = f64::midpoint(f64::from(near), f64::from(near.next_up()));
            for text in [text, near.to_string(), between.to_string()] {
                if let Some((value, length)) = plain_number(text.as_bytes()) {
                    prop_assert_eq!(value.to_bits(), text[..length].parse::<f32>().unwrap().to_bits(), "{}", text);
                }
            }
        }
    }

    proptest! {
        #[test]
        fn digits_are_counted_up_to_the_first_that_is_none(text in "[0-9]{0,19}", rest: Vec<u8>) {
            let bytes = [text.as_bytes(), b"/", &rest].concat();
            let expected = (text.parse().unwrap_or(0), text.len());
            prop_assert_eq!(leading_digits(&bytes), expected);
            prop_assert_eq!(leading_digits(text.as_bytes()), expected);
        }
    }

    #[test]
    fn every_byte_is_a_digit_or_not() {
        for byte in 0..=u8::MAX {
            let word = u64::from_le_bytes([b'0', b'9', byte, b'5', 0xff, b'1', b':', b'/']);
            assert_eq!(digits_in(word), if byte.is_ascii_digit() { 4 } else { 2 }, "{byte}");
        }
        assert_eq!(digits_in(u64::from_le_bytes(*b"90123456")), 8);
    }

    #[test]
    fn plain_numbers_end_where_something_else_begins() {
        assert_eq!(plain_number(b"-1.41449,7"), Some((-1.41449, 8)));
        assert_eq!([plain_number(b"5.;"), plain_number(b".5")], [Some((5.0, 2)), Some((0.5, 2))]);
        assert_eq!(plain_number(b"1.5.5"), Some((1.5, 3)), "the rest is not a delimiter");
        assert_eq!(plain_number(b"-0").map(|(zero, _)| zero.to_bits()), Some((-0.0_f32).to_bits()));
        // 2²⁴ + 1 lies half-way between two numbers of 32 bits.
        for other in ["", "-", ".", "x", "+1", "nan", "1234567890123456", "16777217"] {
            assert_eq!(plain_number(other.as_bytes()), None, "{other}");
        }
    }

    #[test]
    fn a_field_is_a_number_or_the_reason_why_not() {
        assert_eq!(number(b"-1.5e3"), Ok(-1500.0));
        assert_eq!(number(b"7"), Ok(7.0));
        let from = |field: &[u8], offset| number_from(field, Decimal::Comma, offset);
        assert_eq!(from(b"1000000000.25", 1e9), Ok(0.25));
        assert_eq!(from(b"1000000000,25", 1e9), Ok(0.25));
        assert_eq!(from(b"7", 0.0), Ok(7.0));
        assert_eq!(from(b"-1,5", 0.0), Ok(-1.5));
        assert_eq!(from(b"1,5,5", 0.0), Err(CellProblem::NotANumber("'1,5,5'".into())));
        assert_eq!(from(b"1.000,5", 0.0), Err(CellProblem::NotANumber("'1.000,5'".into())));
        for (yes, no) in [("True", "False"), ("yes", "no"), ("TRUE", "FALSE"), ("Yes", "No")] {
            assert_eq!((from(yes.as_bytes(), 0.0), from(no.as_bytes(), 0.0)), (Ok(1.0), Ok(0.0)));
        }
        for missing in ["", "NA", "NaN", "nan", "-nan", "null", "NULL", "None", "?", "<NA>"] {
            assert!(number_from(missing.as_bytes(), Decimal::Point, 0.0).is_ok_and(f32::is_nan));
            assert_eq!(number(missing.as_bytes()), Err(CellProblem::Missing), "{missing}");
        }
        assert_eq!(number(b"1e39"), Err(CellProblem::TooLarge("'1e39'".into())));
        assert_eq!(
            CellProblem::TooLarge("'1e39'".into()).to_string(),
            "'1e39' is too large for a number of 32 bits, which ends at 3.4e38"
        );
        assert_eq!(number(b"-inf"), Err(CellProblem::NotFinite("'-inf'".into())));
        assert_eq!(number(b"abc"), Err(CellProblem::NotANumber("'abc'".into())));
        assert_eq!(number(b"1,5"), Err(CellProblem::NotANumber("'1,5'".into())));
        assert_eq!(number(b"\xff"), Err(CellProblem::NotUtf8));
    }
}
