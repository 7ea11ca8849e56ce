//! A list of texts in one piece of memory.

use std::fmt::{self, Display, Write};

/// Texts one after the other in one buffer: ids, labels or names, without an allocation for each.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Texts {
    text: String,
    /// Text i ends at `ends[i]` and starts where the one before it ends.
    ends: Vec<usize>,
}

impl Texts {
    /// No texts yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a text.
    pub fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.ends.push(self.text.len());
    }

    /// Adds the text of a value.
    pub fn push_shown(&mut self, value: impl Display) {
        // Writing to a String cannot fail.
        let _ = write!(self.text, "{value}");
        self.ends.push(self.text.len());
    }

    /// Adds the texts of another list.
    pub fn append(&mut self, more: &Self) {
        let start = self.text.len();
        self.text.push_str(&more.text);
        self.ends.extend(more.ends.iter().map(|end| start + end));
    }

    /// Removes all texts, keeping the memory.
    pub fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
    }

    /// The text at a place, which must be below [`len`](Self::len).
    pub fn get(&self, at: usize) -> &str {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.text[start..self.ends[at]]
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The texts in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> + '_ {
        (0..self.len()).map(|at| self.get(at))
    }
}

impl<T: AsRef<str>> FromIterator<T> for Texts {
    fn from_iter<I: IntoIterator<Item = T>>(texts: I) -> Self {
        let mut list = Self::new();
        for text in texts {
            list.push(text.as_ref());
        }
        list
    }
}

impl fmt::Debug for Texts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_given_back_as_they_were_put_in() {
        let mut texts = Texts::from_iter(["a", "", "Grüße", ""]);
        texts.push_shown(-7);
        let mut twice = texts.clone();
        twice.append(&texts);
        assert_eq!(
            twice.iter().collect::<Vec<_>>(),
            ["a", "", "Grüße", "", "-7", "a", "", "Grüße", "", "-7"]
        );
        twice.clear();
        assert!(twice.is_empty());
    }
}
