//! Comparisons, and the two piles they fall into.

use super::Pile;
use crate::error::Error;

/// Comparisons (x, x′) between rows: in each, `likelier[i]` was said to be at least as likely positive
/// as `other[i]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparisons {
    likelier: Vec<u32>,
    other: Vec<u32>,
}

impl Comparisons {
    /// Pairs up two lists of row indices.
    pub fn new(likelier: Vec<u32>, other: Vec<u32>) -> Result<Self, Error> {
        if likelier.len() != other.len() {
            return Err(Error::mismatch("likelier items", likelier.len(), "other items", other.len()));
        }
        Ok(Self { likelier, other })
    }

    /// The number of comparisons.
    pub fn len(&self) -> usize {
        self.likelier.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.likelier.is_empty()
    }

    /// Each comparison as (likelier, other).
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (u32, u32)> + '_ {
        self.likelier.iter().copied().zip(self.other.iter().copied())
    }

    /// The two piles, still paired.
    pub fn piles(&self) -> Piles<'_> {
        Piles::of(&self.likelier, &self.other, true)
    }
}

impl FromIterator<(u32, u32)> for Comparisons {
    fn from_iter<I: IntoIterator<Item = (u32, u32)>>(pairs: I) -> Self {
        let (likelier, other) = pairs.into_iter().unzip();
        Self { likelier, other }
    }
}

/// What training sees: two piles of row indices, paired or loose.
#[derive(Clone, Copy, Debug)]
pub struct Piles<'a> {
    likelier: &'a [u32],
    other: &'a [u32],
    paired: bool,
    weights: Option<&'a [f32]>,
}

impl<'a> Piles<'a> {
    /// Two piles whose rows do not belong together one by one; they may differ in size.
    pub fn loose(likelier: &'a [u32], other: &'a [u32]) -> Self {
        Self::of(likelier, other, false)
    }

    /// Two piles, paired or not.
    pub(crate) fn of(likelier: &'a [u32], other: &'a [u32], paired: bool) -> Self {
        Self { likelier, other, paired, weights: None }
    }

    /// The same comparisons, each counting as much as its weight says.
    pub fn weighted(self, weights: &'a [f32]) -> Result<Self, Error> {
        if !self.paired {
            return Err(Error::NotPaired { method: "weighing" });
        }
        if weights.len() != self.likelier.len() {
            return Err(Error::mismatch("weights", weights.len(), "comparisons", self.likelier.len()));
        }
        let refused =
            |value: String, allowed| Error::Setting { name: "the weight of a comparison", value, allowed };
        if let Some(weight) = weights.iter().find(|weight| !(weight.is_finite() && **weight >= 0.0)) {
            return Err(refused(weight.to_string(), "a number from 0 up"));
        }
        if weights.iter().all(|weight| *weight == 0.0) {
            return Err(refused("0 everywhere".into(), "above 0 for at least one"));
        }
        Ok(Self { weights: Some(weights), ..self })
    }

    /// How much each comparison counts, where that differs.
    pub fn weights(&self) -> Option<&'a [f32]> {
        self.weights
    }

    /// The rows of one pile.
    pub fn rows(&self, pile: Pile) -> &'a [u32] {
        match pile {
            Pile::Likelier => self.likelier,
            Pile::Other => self.other,
        }
    }

    /// Whether row i of one pile was compared with row i of the other.
    pub fn are_paired(&self) -> bool {
        self.paired
    }

    /// Refuses empty piles and indices past the last of `items` rows.
    pub fn check(&self, items: usize) -> Result<(), Error> {
        for pile in Pile::BOTH {
            let rows = self.rows(pile);
            if rows.is_empty() {
                return Err(Error::EmptyPile { pile });
            }
            let what = if pile == Pile::Likelier { "the likelier pile" } else { "the other pile" };
            check_items(what, rows, items)?;
        }
        Ok(())
    }
}

/// Refuses indices past the last of `items` items.
pub(crate) fn check_items(what: &'static str, indices: &[u32], items: usize) -> Result<(), Error> {
    match indices.iter().find(|&&index| index as usize >= items) {
        Some(&index) => Err(Error::NoSuchItem { what, index, items }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn piles_of_unequal_size_are_not_comparisons() {
        let error = Comparisons::new(vec![1, 2], vec![3]).unwrap_err();
        assert_eq!(error.to_string(), "2 likelier items do not match 1 other items");
    }

    #[test]
    fn weights_are_one_number_from_0_up_for_each_comparison() {
        let two = Comparisons::from_iter([(0, 1), (1, 2)]);
        assert_eq!(two.piles().weighted(&[0.5, 0.0]).unwrap().weights(), Some(&[0.5, 0.0][..]));
        for bad in [&[1.0][..], &[1.0, -1.0], &[f32::NAN, 1.0], &[0.0, 0.0]] {
            assert!(two.piles().weighted(bad).is_err(), "{bad:?}");
        }
        assert!(Piles::loose(&[0], &[1]).weighted(&[1.0]).is_err());
    }

    #[test]
    fn empty_piles_and_unknown_items_are_refused() {
        let none = Comparisons::default();
        assert!(matches!(none.piles().check(5), Err(Error::EmptyPile { pile: Pile::Likelier })));
        let past = Comparisons::from_iter([(0, 1), (1, 5)]);
        assert!(matches!(
            past.piles().check(5),
            Err(Error::NoSuchItem { what: "the other pile", index: 5, items: 5 })
        ));
        assert!(past.piles().check(6).is_ok());
    }
}
