//! The names of rows, and the way back from a name to its row.

use std::borrow::Cow;
use std::fmt;
use std::hash::{BuildHasher, RandomState};

use rayon::prelude::*;

use crate::error::TableError;
use likelier::data::Texts;

/// A slot of the hash table that holds no row.
const FREE: u32 = u32::MAX;

/// The ids of items: texts of their own, each once, or simply the row numbers from 0.
///
/// Row numbers cost nothing. Texts lie in one buffer beside a hash table of row numbers, or none where they count up.
#[derive(Clone)]
pub struct Ids(IdKind);

#[derive(Clone)]
enum IdKind {
    Numbered(usize),
    Named(NameIndex),
}

#[derive(Clone)]
struct NameIndex {
    names: Texts,
    /// Rows by the hash of their names; a name is in the first free slot from its hash on.
    slots: Vec<u32>,
    hasher: RandomState,
    /// The number of the first row, where each is called by the next number: then nothing is looked up.
    counted_from: Option<u64>,
}

/// Two rows of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SameName {
    pub(super) first: usize,
    pub(super) second: usize,
}

impl Ids {
    /// The row numbers 0, 1, … for `count` rows.
    pub fn numbered(count: usize) -> Self {
        Self(IdKind::Numbered(count))
    }

    /// Texts that differ from each other.
    pub fn named(names: Texts) -> Result<Self, TableError> {
        Self::index(names).map_err(|(names, SameName { first, second })| {
            TableError::setting(
                "the ids of items",
                format!("'{}' for the rows {first} and {second}", names.get(first)),
                "different from each other",
            )
        })
    }

    /// Builds the hash table, or gives the names back with the first two that are equal.
    pub(super) fn index(names: Texts) -> Result<Self, (Texts, SameName)> {
        let counted_from = counted(&names);
        let slots = if counted_from.is_some() { 0 } else { (names.len() * 2).next_power_of_two() };
        let mut index =
            NameIndex { names, slots: vec![FREE; slots], hasher: RandomState::new(), counted_from };
        if counted_from.is_some() {
            return Ok(Self(IdKind::Named(index)));
        }
        let (names, hasher) = (&index.names, &index.hasher);
        let hashes: Vec<u64> = (0..names.len())
            .into_par_iter()
            .map(|row| hasher.hash_one(names.get(row)))
            .collect();
        for (row, hash) in hashes.into_iter().enumerate() {
            let (slot, found) = index.slot(index.names.get(row), hash);
            if let Some(first) = found {
                return Err((index.names, SameName { first: first as usize, second: row }));
            }
            index.slots[slot] = row as u32;
        }
        Ok(Self(IdKind::Named(index)))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match &self.0 {
            IdKind::Numbered(count) => *count,
            IdKind::Named(index) => index.names.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the ids are simply the row numbers.
    pub fn are_numbers(&self) -> bool {
        matches!(self.0, IdKind::Numbered(_))
    }

    /// The row an id belongs to.
    pub fn find(&self, id: &str) -> Option<u32> {
        match &self.0 {
            IdKind::Numbered(count) => row_number(id, *count),
            IdKind::Named(index) => index.find(id),
        }
    }

    /// The id of a row, which must be below [`len`](Self::len).
    pub fn name(&self, row: usize) -> Cow<'_, str> {
        match &self.0 {
            IdKind::Numbered(_) => Cow::Owned(row.to_string()),
            IdKind::Named(index) => Cow::Borrowed(index.names.get(row)),
        }
    }

    /// The ids in the order of the rows.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Cow<'_, str>> + '_ {
        (0..self.len()).map(|row| self.name(row))
    }
}

/// A row number written in digits, if there is such a row.
pub(super) fn row_number(text: &str, rows: usize) -> Option<u32> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|row| digits && (*row as usize) < rows)
}

/// A number as it is usually written: digits without a zero in front.
fn written_number(text: &str) -> Option<u64> {
    let plain = text.len() <= 18 && (text == "0" || !text.starts_with('0'));
    (plain && !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| text.parse().ok())
        .flatten()
}

/// The first of names that count up by one from row to row.
fn counted(names: &Texts) -> Option<u64> {
    let first = written_number(names.iter().next()?)?;
    let counts = |row: usize| written_number(names.get(row)) == Some(first + row as u64);
    (0..names.len()).into_par_iter().all(counts).then_some(first)
}

impl NameIndex {
    fn find(&self, name: &str) -> Option<u32> {
        let Some(first) = self.counted_from else {
            return self.slot(name, self.hasher.hash_one(name)).1;
        };
        let row = written_number(name)?.checked_sub(first)?;
        u32::try_from(row).ok().filter(|row| (*row as usize) < self.names.len())
    }

    /// The slot in which a name of this hash is or would be, and the row that is there.
    fn slot(&self, name: &str, hash: u64) -> (usize, Option<u32>) {
        let last = self.slots.len() - 1;
        let mut slot = hash as usize & last;
        loop {
            match self.slots[slot] {
                FREE => return (slot, None),
                row if self.names.get(row as usize) == name => return (slot, Some(row)),
                _ => slot = (slot + 1) & last,
            }
        }
    }
}

impl PartialEq for Ids {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (IdKind::Numbered(left), IdKind::Numbered(right)) => left == right,
            (IdKind::Named(left), IdKind::Named(right)) => left.names == right.names,
            _ => false,
        }
    }
}

impl fmt::Debug for Ids {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            IdKind::Numbered(count) => write!(f, "Ids(0..{count})"),
            IdKind::Named(index) => write!(f, "Ids({:?})", index.names),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_name_leads_back_to_its_row(names in prop::collection::hash_set(".{0,6}", 0..200)) {
            let names: Vec<String> = names.into_iter().collect();
            let ids = Ids::named(names.iter().collect()).unwrap();
            prop_assert_eq!(ids.len(), names.len());
            for (row, name) in names.iter().enumerate() {
                prop_assert_eq!(ids.find(name), Some(row as u32));
                prop_assert_eq!(ids.name(row), name.as_str());
            }
            prop_assert_eq!(ids.find("longer than any of them"), None);
        }
    }

    #[test]
    fn names_that_count_up_are_found_as_they_are_written_and_no_other_way() {
        let ids = Ids::named((7..300).map(|number| number.to_string()).collect()).unwrap();
        assert!(!ids.are_numbers(), "they are names all the same");
        assert_eq!([ids.find("7"), ids.find("10"), ids.find("299")], [Some(0), Some(3), Some(292)]);
        assert_eq!((ids.len(), ids.name(3)), (293, Cow::Borrowed("10")));
        for unknown in ["6", "300", "", "007", "+7", "-7", "7.0", " 7", "7a", "99999999999999999999999"] {
            assert_eq!(ids.find(unknown), None, "{unknown}");
        }
        // A gap, another order, a zero in front: all are looked up.
        for names in [["7", "9"], ["8", "7"], ["07", "8"], ["0", "x"]] {
            let ids = Ids::named(Texts::from_iter(names)).unwrap();
            assert_eq!(names.map(|name| ids.find(name)), [Some(0), Some(1)]);
            assert_eq!([ids.find("10"), ids.find("08")], [None, None]);
        }
        assert_eq!(Ids::named(Texts::from_iter(["0", "1"])).unwrap().find("00"), None);
    }

    #[test]
    fn row_numbers_are_digits_below_the_count() {
        let ids = Ids::numbered(11);
        assert_eq!((ids.find("0"), ids.find("10"), ids.find("007")), (Some(0), Some(10), Some(7)));
        for unknown in ["11", "", "+1", "-1", "1.0", " 1", "99999999999999999999"] {
            assert_eq!(ids.find(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn an_id_may_occur_once_only() {
        let error = Ids::named(Texts::from_iter(["a", "b", "a"])).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the ids of items must be different from each other, got 'a' for the rows 0 and 2"
        );
    }
}
