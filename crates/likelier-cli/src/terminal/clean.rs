//! Text from files on its way to a terminal: what would move the cursor or change colours is written out.

use std::borrow::Cow;

/// Text of our own layout with values in it: line breaks and tabs stay.
pub(super) fn clean(text: &str) -> Cow<'_, str> {
    written_out(text, |c| c == '\n' || c == '\t')
}

/// A message of one line.
pub(super) fn one_line(text: &str) -> Cow<'_, str> {
    written_out(text, |_| false)
}

fn written_out(text: &str, stays: impl Fn(char) -> bool) -> Cow<'_, str> {
    let acts = |c: char| acts_on_a_terminal(c) && !stays(c);
    if !text.contains(acts) {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if acts(c) {
            clean.extend(c.escape_default());
        } else {
            clean.push(c);
        }
    }
    Cow::Owned(clean)
}

/// Control characters, and those that turn the direction of writing.
fn acts_on_a_terminal(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_on_a_terminal_is_written_out() {
        assert_eq!(clean("a\n\tb"), "a\n\tb");
        assert_eq!(clean("\u{1b}[31mred\u{9b}0m\r\u{7f}"), "\\u{1b}[31mred\\u{9b}0m\\r\\u{7f}");
        assert_eq!(one_line("a\nb"), "a\\nb");
        assert_eq!(one_line("größe → 日本 e\u{301}"), "größe → 日本 e\u{301}");
        assert_eq!(one_line("abc\u{202e}def"), "abc\\u{202e}def");
    }
}
