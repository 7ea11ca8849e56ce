//! Text as features: words and pieces of words, hashed to a fixed number of features (the hashing trick).
//!
//! Nothing is learned from the texts, so that nothing of them stays in the model, and a word that training never saw does
//! not need a place of its own. A text becomes
//!
//! - its words and its pairs of neighbouring words, in lower case; signs such as `!?` count as words;
//! - its pieces of words: 2, 3 and 4 letters in a row, the word's ends included.
//!
//! Each of these is hashed to a feature and a sign. A feature that counts n becomes ±(1 + ln n). Words and pieces are each
//! scaled to length 1, so that long texts count no more than short ones; how long a text is gets a feature of its own,
//! ln(1 + words) − 4, which is near 0 for some fifty words. An empty text is all zeros.

use serde::{Deserialize, Serialize};

use crate::error::Error;

/// How a column of text becomes features.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextRule {
    /// The number of features for words and pieces: a power of two. The length is one more.
    pub features: u32,
}

impl Default for TextRule {
    fn default() -> Self {
        Self { features: 1 << 15 }
    }
}

/// What is taken from the logarithm of a length.
const USUAL_LENGTH: f64 = 4.0;

/// Letters in a piece of a word.
const PIECES: std::ops::RangeInclusive<usize> = 2..=4;

impl TextRule {
    /// Refuses numbers of features that the hash does not reach.
    pub(super) fn check(self) -> Result<(), Error> {
        if self.features.is_power_of_two() && (1 << 4..=1 << 22).contains(&self.features) {
            return Ok(());
        }
        Err(Error::Setting {
            name: "the number of features of a text",
            value: self.features.to_string(),
            allowed: "a power of two from 16 to 4194304",
        })
    }

    /// How many features a text becomes.
    pub fn width(self) -> usize {
        self.features as usize + 1
    }

    /// The features of a text that are not zero, in their order.
    pub fn entries(self, text: &str) -> Vec<(u32, f32)> {
        let (mut words, mut pieces) = (Vec::new(), Vec::new());
        let lower = text.to_lowercase();
        let mut before: Option<&str> = None;
        let mut count = 0_u32;
        for word in split(&lower) {
            count += 1;
            words.push(self.place(&[b"w", word.as_bytes()]));
            if let Some(before) = before {
                words.push(self.place(&[b"w", before.as_bytes(), b" ", word.as_bytes()]));
            }
            before = Some(word);
            let letters: Vec<usize> = word.char_indices().map(|(at, _)| at).chain([word.len()]).collect();
            let places = letters.len() + 1;
            for length in PIECES.filter(|length| *length <= places) {
                for start in 0..=places - length {
                    // The first place and the last are the ends of the word.
                    let (from, to) = (start.max(1) - 1, (start + length).min(places - 1) - 1);
                    let ends = [u8::from(start == 0), u8::from(start + length == places)];
                    pieces.push(self.place(&[b"p", &ends, &word.as_bytes()[letters[from]..letters[to]]]));
                }
            }
        }
        let mut all = of_length_one(words);
        all.extend(of_length_one(pieces));
        let mut all = merged(all);
        if count > 0 {
            all.push((self.features, (f64::from(count).ln_1p() - USUAL_LENGTH) as f32));
        }
        all
    }

    /// The feature and the sign that parts of text go to.
    fn place(self, parts: &[&[u8]]) -> (u32, f32) {
        let hash = hash(parts);
        let feature = (hash as u32) & (self.features - 1);
        (feature, if hash >> 63 == 0 { 1.0 } else { -1.0 })
    }
}

/// Words, and runs of other signs between them; white space is neither.
fn split(text: &str) -> impl Iterator<Item = &str> {
    let kind = |sign: char| if sign.is_whitespace() { 0 } else { 1 + u8::from(sign.is_alphanumeric()) };
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let first = kind(rest.chars().next()?);
        let end = rest.find(|sign| kind(sign) != first).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        rest = after;
        Some(word)
    })
}

/// Sums what goes to one feature, in the order of features.
fn merged(mut entries: Vec<(u32, f32)>) -> Vec<(u32, f32)> {
    entries.sort_by_key(|(feature, _)| *feature);
    let mut sums: Vec<(u32, f32)> = Vec::new();
    for (feature, value) in entries {
        match sums.last_mut() {
            Some((last, sum)) if *last == feature => *sum += value,
            _ => sums.push((feature, value)),
        }
    }
    sums.retain(|(_, sum)| *sum != 0.0);
    sums
}

/// Counts by feature as ±(1 + ln n), scaled to length 1.
fn of_length_one(entries: Vec<(u32, f32)>) -> Vec<(u32, f32)> {
    let mut counts = merged(entries);
    let mut squares = 0.0_f64;
    for (_, count) in &mut counts {
        *count = count.signum() * (1.0 + count.abs().ln());
        squares += f64::from(*count).powi(2);
    }
    let length = squares.sqrt();
    for (_, count) in &mut counts {
        *count = (f64::from(*count) / length) as f32;
    }
    counts
}

/// FNV-1a of 64 bits, stirred once more, because its low bits alone are weak. The same on every machine.
fn hash(parts: &[&[u8]]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in parts.iter().copied().flatten() {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    hash ^= hash >> 33;
    hash = hash.wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash ^ (hash >> 33)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn length(entries: &[(u32, f32)]) -> f64 {
        let words = &entries[..entries.len() - 1];
        words.iter().map(|(_, value)| f64::from(*value).powi(2)).sum::<f64>().sqrt()
    }

    #[test]
    fn words_are_words_and_signs_are_words_too() {
        let words: Vec<&str> = split("  Isn't it 3.5 good?! Ω日本").collect();
        assert_eq!(words, ["Isn", "'", "t", "it", "3", ".", "5", "good", "?!", "Ω日本"]);
        assert_eq!(split("").count() + split(" \n").count(), 0);
    }

    #[test]
    fn the_hash_is_that_of_fnv_1a_stirred() {
        // FNV-1a of "a" is af63dc4c8601ec8c; the rest was computed in Python.
        assert_eq!(hash(&[b"a"]), 0xed81_70de_1919_a24d);
        assert_eq!(hash(&[b"ab", b"c"]), hash(&[b"abc"]));
    }

    #[test]
    fn an_empty_text_has_no_features_and_others_have_length_root_two_but_for_clashes() {
        let rule = TextRule { features: 1 << 22 };
        assert!(rule.entries(" \t").is_empty());
        for text in ["a", "good", "Is it good? It is good.", "日本語"] {
            let entries = rule.entries(text);
            assert!((length(&entries) - 2.0_f64.sqrt()).abs() < 1e-3, "{text}: {}", length(&entries));
            assert!(entries.is_sorted_by(|one, next| one.0 < next.0));
        }
    }

    #[test]
    fn case_does_not_matter_and_words_do() {
        let rule = TextRule::default();
        assert_eq!(rule.entries("Good WINE"), rule.entries("good wine"));
        let alike = |one: &str, other: &str| -> f32 {
            let (one, other) = (rule.entries(one), rule.entries(other));
            one.iter()
                .filter(|(at, _)| *at < rule.features)
                .filter_map(|(at, value)| {
                    let found = other.binary_search_by_key(at, |(at, _)| *at).ok()?;
                    Some(value * other[found].1)
                })
                .sum()
        };
        // A typing error leaves most pieces the same.
        assert!(
            alike("a wonderful wine", "a wonderfull wine") > 2.0 * alike("a wonderful wine", "a red car")
        );
        assert!(alike("good wine", "good wine") > 1.9);
    }

    #[test]
    fn two_letters_have_six_pieces() {
        // With its ends marked, "ab" is four places: three pieces of two, two of three, one of four.
        let rule = TextRule { features: 1 << 22 };
        // Beside them there are the word and the length.
        assert_eq!(rule.entries("ab").len() - 2, 6);
        // A single sign: ends and letter are three places.
        assert_eq!(rule.entries("a").len() - 2, 3);
        let (place, length) = *rule.entries("a b  c").last().unwrap();
        assert!(place == 1 << 22 && (length - (4.0_f32.ln() - 4.0)).abs() < 1e-6);
    }

    #[test]
    fn numbers_of_features_are_powers_of_two() {
        assert!(TextRule::default().check().is_ok());
        for features in [0, 8, 1000, 1 << 23] {
            assert!(TextRule { features }.check().is_err());
        }
    }
}
