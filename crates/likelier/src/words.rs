//! Counts in sentences: one item, two items.

/// A count with what is counted: `1 item`, `2 items`. The plural has an s.
pub fn count(number: usize, one: &str) -> String {
    format!("{number} {one}{}", if number == 1 { "" } else { "s" })
}

/// The one word or the other, by the count that it goes with: `is` or `are`.
pub fn by_count<'a>(number: usize, one: &'a str, more: &'a str) -> &'a str {
    if number == 1 { one } else { more }
}

/// The count with the one text or the other: `1 item is`, `2 items are`.
pub fn by_count_with(number: usize, one: &str, more: &str) -> String {
    format!("{number} {}", by_count(number, one, more))
}

/// A list of one error of each kind, by their patterns. A kind without a pattern does not compile.
#[doc(hidden)]
#[macro_export]
macro_rules! one_of_each {
    ($kind:ty: $($pattern:pat => $sample:expr,)+) => {{
        let known = |error: &$kind| match error {
            $($pattern => stringify!($pattern),)+
        };
        vec![$({
            let sample: $kind = $sample;
            debug_assert_eq!(known(&sample), stringify!($pattern));
            sample
        }),+]
    }};
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_is_singular() {
        assert_eq!([0, 1, 2].map(|number| count(number, "row")), ["0 rows", "1 row", "2 rows"]);
        assert_eq!([0, 1, 2].map(|number| by_count(number, "is", "are")), ["are", "is", "are"]);
    }
}
