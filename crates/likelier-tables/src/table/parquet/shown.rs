//! Values as text.

use std::fmt::Display;

use likelier::data::Texts;

/// A value that can be shown.
pub(super) trait Shown: Display + Sized {
    /// Adds its text.
    fn push_to(self, texts: &mut Texts) {
        texts.push_shown(self);
    }
}

impl Shown for u8 {}
impl Shown for f32 {}
impl Shown for f64 {}
impl Shown for String {}

// Whole numbers are most often ids, and there are many of them.

impl Shown for u32 {
    fn push_to(self, texts: &mut Texts) {
        push_digits(self.into(), false, texts);
    }
}

impl Shown for u64 {
    fn push_to(self, texts: &mut Texts) {
        push_digits(self, false, texts);
    }
}

impl Shown for i32 {
    fn push_to(self, texts: &mut Texts) {
        push_digits(self.unsigned_abs().into(), self < 0, texts);
    }
}

impl Shown for i64 {
    fn push_to(self, texts: &mut Texts) {
        push_digits(self.unsigned_abs(), self < 0, texts);
    }
}

/// Adds a whole number in digits, from the last one on.
fn push_digits(mut size: u64, negative: bool, texts: &mut Texts) {
    // A sign and the digits of 2⁶⁴ − 1.
    let mut text = [b'-'; 21];
    let mut start = text.len();
    loop {
        start -= 1;
        text[start] = b'0' + (size % 10) as u8;
        size /= 10;
        if size == 0 {
            break;
        }
    }
    start -= usize::from(negative);
    // Digits are text.
    texts.push(std::str::from_utf8(&text[start..]).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text(value: impl Shown) -> String {
        let mut texts = Texts::new();
        value.push_to(&mut texts);
        texts.get(0).to_owned()
    }

    proptest! {
        #[test]
        fn whole_numbers_are_written_as_ever(short: i32, long: i64, digits in 0_u32..64) {
            prop_assert_eq!(text(short), short.to_string());
            prop_assert_eq!(text(long), long.to_string());
            prop_assert_eq!(text(long >> digits), (long >> digits).to_string());
            prop_assert_eq!(text(short.cast_unsigned()), short.cast_unsigned().to_string());
            prop_assert_eq!(text(long.cast_unsigned()), long.cast_unsigned().to_string());
        }
    }

    #[test]
    fn so_are_the_smallest_and_the_largest() {
        assert_eq!(
            [text(0_i64), text(i64::MIN), text(u64::MAX)],
            ["0", "-9223372036854775808", "18446744073709551615"]
        );
        assert_eq!([text(i32::MIN), text(0_u32), text(1.5_f32)], ["-2147483648", "0", "1.5"]);
    }
}
