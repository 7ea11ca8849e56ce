//! Text in a picture: escaped, measured, broken into lines.

/// Text as it is written in HTML, SVG and their attributes. What XML does not allow at all becomes U+FFFD.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\t' | '\n' | '\r' => escaped.push(' '),
            '\u{FFFE}' | '\u{FFFF}' => escaped.push('\u{FFFD}'),
            character if character.is_control() => escaped.push('\u{FFFD}'),
            character => escaped.push(character),
        }
    }
    escaped
}

/// About how wide a text is in a sans-serif font of this size; rather too wide than too narrow.
pub(super) fn width_of(text: &str, size: f64) -> f64 {
    let of = |character: char| match character {
        'i' | 'j' | 'l' | 't' | 'f' | 'r' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | ' ' => 0.36,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '\u{2212}' => 0.9,
        'A'..='Z' => 0.72,
        character if u32::from(character) >= 0x1100 => 1.05,
        _ => 0.6,
    };
    text.chars().map(of).sum::<f64>() * size
}

/// The text, cut with an ellipsis where it is wider.
pub(super) fn fitted(text: &str, size: f64, width: f64) -> String {
    if width_of(text, size) <= width {
        return text.to_owned();
    }
    let mut short = String::new();
    for character in text.chars() {
        short.push(character);
        if width_of(&short, size) > width - size {
            short.pop();
            break;
        }
    }
    short.push('…');
    short
}

/// The text in lines that are not wider, as far as its words allow.
pub(super) fn lines(text: &str, size: f64, width: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width_of(line, size) + width_of(word, size) + 0.4 * size <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_is_taken_for_markup() {
        assert_eq!(
            escape("<b a=\"1\" c='2'>&amp;\n\u{0}x\u{7f}"),
            "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;amp; \u{FFFD}x\u{FFFD}"
        );
        assert_eq!(escape("π ≥ ½ 東京 😀"), "π ≥ ½ 東京 😀");
    }

    #[test]
    fn a_long_text_is_cut_or_broken_to_its_width() {
        let long = "held-out comparisons tell without a label how good the classifier is";
        assert!(width_of(&fitted(long, 12.0, 100.0), 12.0) <= 100.0);
        assert_eq!(fitted("short", 12.0, 100.0), "short");
        let broken = lines(long, 12.0, 150.0);
        assert!(broken.iter().all(|line| width_of(line, 12.0) <= 150.0));
        assert_eq!(broken.join(" "), long);
        assert!(lines("", 12.0, 150.0).is_empty());
    }
}
