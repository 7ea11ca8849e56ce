//! Scores that owe nothing to the comparison they are for: K folds of comparisons, each scored by a model
//! that was trained on the others.
//!
//! Every estimate without labels needs such scores. A model's scores of the comparisons it was trained on
//! look better than they are, and each identity of this module would be off by an unknown amount.

use std::iter::repeat_n;

use super::components::Components;
use crate::data::Comparisons;
use crate::error::Error;
use crate::random::{Purpose, shuffle, stream};

/// What is never torn apart between folds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Grouping {
    /// A comparison. Right for pairs drawn at random, even when items occur in several.
    #[default]
    Comparisons,
    /// All comparisons of an item, and with them all that hang together with it: for scores of items that
    /// the model has never seen.
    Items,
}

/// Which fold each comparison belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folds {
    of: Vec<u32>,
    count: usize,
}

impl Folds {
    /// Deals comparisons into `count` folds of nearly equal size, the same for a seed forever.
    pub fn new(
        comparisons: &Comparisons,
        items: usize,
        count: usize,
        grouping: Grouping,
        seed: u64,
    ) -> Result<Self, Error> {
        comparisons.piles().check(items)?;
        let answers = comparisons.answers();
        if count < 2 || count > answers {
            return Err(Error::Setting {
                name: "the number of folds",
                value: count.to_string(),
                allowed: "at least 2 and at most the number of comparisons",
            });
        }
        let mut rng = stream(seed, Purpose::Folds);
        let of = match grouping {
            Grouping::Comparisons => {
                let mut of: Vec<u32> = (0..answers).map(|at| (at % count) as u32).collect();
                shuffle(&mut rng, &mut of);
                let groups = comparisons.groups();
                (0..comparisons.len()).map(|at| of[groups.of(at)]).collect()
            }
            Grouping::Items => {
                let components = Components::of(comparisons, items);
                let mut sizes = vec![0_usize; items];
                for (likelier, _) in comparisons.iter() {
                    sizes[components.root(likelier) as usize] += 1;
                }
                let mut groups: Vec<u32> =
                    (0..items as u32).filter(|&item| sizes[item as usize] > 0).collect();
                shuffle(&mut rng, &mut groups);
                // Large groups first, each into the fold that is smallest so far.
                groups.sort_by_key(|&group| std::cmp::Reverse(sizes[group as usize]));
                let mut filled = vec![0_usize; count];
                let mut fold_of_group = vec![0_u32; items];
                for group in groups {
                    let smallest = (0..count).min_by_key(|&fold| filled[fold]).unwrap_or(0);
                    fold_of_group[group as usize] = smallest as u32;
                    filled[smallest] += sizes[group as usize];
                }
                let largest = filled.iter().max().copied().unwrap_or(0);
                if filled.contains(&0) || largest * 2 > comparisons.len().max(3) && count > 2 {
                    return Err(Error::Setting {
                        name: "the grouping of folds by items",
                        value: format!(
                            "{count} folds whose largest holds {largest} of {} comparisons",
                            comparisons.len()
                        ),
                        allowed: "used where comparisons fall into many groups without a common item",
                    });
                }
                comparisons
                    .iter()
                    .map(|(likelier, _)| fold_of_group[components.root(likelier) as usize])
                    .collect()
            }
        };
        Ok(Self { of, count })
    }

    /// The number of folds.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The fold of each comparison.
    pub fn of_comparisons(&self) -> &[u32] {
        &self.of
    }

    /// The comparisons outside a fold: those its model is trained on.
    pub fn others(&self, comparisons: &Comparisons, fold: usize) -> Comparisons {
        self.pick(comparisons, |of| of as usize != fold)
    }

    /// The comparisons of a fold.
    pub fn held_out(&self, comparisons: &Comparisons, fold: usize) -> Comparisons {
        self.pick(comparisons, |of| of as usize == fold)
    }

    fn pick(&self, comparisons: &Comparisons, keep: impl Fn(u32) -> bool) -> Comparisons {
        let groups = comparisons.groups();
        let mut wanted = vec![false; comparisons.answers()];
        for (at, of) in self.of.iter().enumerate() {
            wanted[groups.of(at)] = keep(*of);
        }
        comparisons.part(|answer| wanted[answer])
    }
}

/// The two scores of each comparison, by a model that did not see it.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldOutScores {
    likelier: Vec<f32>,
    other: Vec<f32>,
    fold: Vec<u32>,
    /// How much each counts; 1 if absent.
    weights: Option<Vec<f32>>,
    /// The answer that each came from; its own if absent.
    answers: Option<Vec<u32>>,
}

impl HeldOutScores {
    /// Scores of comparisons and the fold, that is the model, each is from. Scores of different folds are
    /// never compared.
    pub fn new(likelier: Vec<f32>, other: Vec<f32>, fold: Vec<u32>) -> Result<Self, Error> {
        if likelier.len() != other.len() {
            return Err(Error::mismatch("likelier scores", likelier.len(), "other scores", other.len()));
        }
        if fold.len() != likelier.len() {
            return Err(Error::mismatch("folds", fold.len(), "comparisons", likelier.len()));
        }
        for (column, scores) in [&likelier, &other].into_iter().enumerate() {
            if let Some(row) = scores.iter().position(|score| !score.is_finite()) {
                return Err(Error::NotFinite { row, column, value: scores[row] });
            }
        }
        Ok(Self { likelier, other, fold, weights: None, answers: None })
    }

    /// The same scores, knowing how much each of the comparisons counts and which are halves of a tie.
    pub fn of(self, comparisons: &Comparisons) -> Result<Self, Error> {
        if comparisons.len() != self.len() {
            let (scored, listed) = (self.len(), comparisons.len());
            return Err(Error::mismatch("scored comparisons", scored, "listed comparisons", listed));
        }
        let weights = comparisons.weights().map(<[f32]>::to_vec);
        let answers = comparisons.groups().listed().map(<[u32]>::to_vec);
        Ok(Self { weights, answers, ..self })
    }

    /// Scores by one model that was trained on none of these comparisons.
    pub fn of_one_model(likelier: Vec<f32>, other: Vec<f32>) -> Result<Self, Error> {
        let fold = repeat_n(0, likelier.len()).collect();
        Self::new(likelier, other, fold)
    }

    /// The number of comparisons.
    pub fn len(&self) -> usize {
        self.likelier.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.likelier.is_empty()
    }

    /// The score of each comparison's likelier item.
    pub fn likelier(&self) -> &[f32] {
        &self.likelier
    }

    /// The score of each comparison's other item.
    pub fn other(&self) -> &[f32] {
        &self.other
    }

    /// The fold of each comparison.
    pub fn folds(&self) -> &[u32] {
        &self.fold
    }

    /// How much a comparison counts.
    pub(crate) fn weight(&self, at: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| f64::from(weights[at]))
    }

    /// The answer that a comparison came from.
    pub(crate) fn answer(&self, at: usize) -> usize {
        self.answers.as_ref().map_or(at, |answers| answers[at] as usize)
    }

    /// The number of answers.
    pub(crate) fn answers(&self) -> usize {
        match &self.answers {
            Some(answers) => answers.last().map_or(0, |last| *last as usize + 1),
            None => self.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Answers;
    use proptest::prelude::*;

    #[test]
    fn folds_are_equal_in_size_and_the_same_forever() {
        let comparisons: Comparisons = (0..11).map(|k| (k, k + 11)).collect();
        let folds = Folds::new(&comparisons, 22, 3, Grouping::Comparisons, 7).unwrap();
        let sizes = [0, 1, 2].map(|fold| folds.held_out(&comparisons, fold).len());
        assert_eq!(sizes, [4, 4, 3]);
        assert_eq!(folds.others(&comparisons, 0).len(), 7);
        assert_eq!(folds.of_comparisons(), [2, 1, 0, 0, 2, 0, 1, 0, 1, 1, 2]);
    }

    proptest! {
        #[test]
        fn the_halves_of_a_tie_are_never_parted(
            ties in prop::collection::vec(any::<bool>(), 12..40), count in 2..6_usize, seed: u64, by_items: bool,
        ) {
            let answers: Answers = (0..ties.len() as u32).map(|k| (2 * k, 2 * k + 1)).collect();
            let all = answers.clone().tied(ties.clone()).unwrap().comparisons();
            let grouping = if by_items { Grouping::Items } else { Grouping::Comparisons };
            let folds = Folds::new(&all, 2 * ties.len(), count, grouping, seed).unwrap();
            let mut fold_of = vec![None; ties.len()];
            for ((likelier, _), fold) in all.iter().zip(folds.of_comparisons()) {
                prop_assert_eq!(*fold_of[likelier as usize / 2].get_or_insert(*fold), *fold);
            }
            let mut answered = 0;
            for fold in 0..count {
                let (inside, outside) = (folds.held_out(&all, fold), folds.others(&all, fold));
                prop_assert_eq!(inside.len() + outside.len(), all.len());
                prop_assert_eq!(inside.answers() + outside.answers(), ties.len());
                // Whole answers: half weights come in twos, and each half has its other half.
                let pairs: Vec<_> = inside.iter().collect();
                for (at, (likelier, other)) in inside.iter().enumerate() {
                    let half = inside.weights().is_some_and(|weights| weights[at] == 0.5);
                    prop_assert_eq!(half, pairs.contains(&(other, likelier)));
                    prop_assert_eq!(half, ties[likelier as usize / 2]);
                }
                answered += inside.answers();
            }
            prop_assert_eq!(answered, ties.len());
            if !by_items {
                // Dealt by answers: as without ties.
                let plain = Folds::new(&answers.comparisons(), 2 * ties.len(), count, grouping, seed).unwrap();
                prop_assert_eq!(fold_of.into_iter().map(Option::unwrap).collect::<Vec<_>>(), plain.of_comparisons());
            }
        }
    }

    #[test]
    fn there_are_no_more_folds_than_answers() {
        let three = Answers::from_iter([(0, 1), (2, 3), (4, 5)])
            .tied(vec![true; 3])
            .unwrap()
            .comparisons();
        assert_eq!(three.len(), 6);
        assert!(Folds::new(&three, 6, 3, Grouping::Comparisons, 1).is_ok());
        assert!(Folds::new(&three, 6, 4, Grouping::Comparisons, 1).is_err());
    }

    #[test]
    fn no_item_straddles_folds_when_asked() {
        // Forty triangles.
        let triangle = |k: u32| [(3 * k, 3 * k + 1), (3 * k + 1, 3 * k + 2), (3 * k, 3 * k + 2)];
        let comparisons: Comparisons = (0..40).flat_map(triangle).collect();
        let folds = Folds::new(&comparisons, 120, 5, Grouping::Items, 1).unwrap();
        let mut fold_of = vec![None; 120];
        for ((likelier, other), fold) in comparisons.iter().zip(folds.of_comparisons()) {
            for item in [likelier, other] {
                assert_eq!(*fold_of[item as usize].get_or_insert(*fold), *fold);
            }
        }
        for fold in 0..5 {
            assert_eq!(folds.held_out(&comparisons, fold).len(), 24);
        }
    }

    #[test]
    fn comparisons_that_all_hang_together_cannot_be_parted_by_items() {
        let chain: Comparisons = (0..30).map(|k| (k, k + 1)).collect();
        let error = Folds::new(&chain, 31, 3, Grouping::Items, 1).unwrap_err();
        assert!(error.to_string().contains("30 of 30 comparisons"), "{error}");
        for count in [0, 1, 31] {
            assert!(Folds::new(&chain, 31, count, Grouping::Comparisons, 1).is_err());
        }
        assert!(Folds::new(&chain, 30, 3, Grouping::Comparisons, 1).is_err(), "an item that is not there");
    }

    #[test]
    fn scores_that_do_not_belong_together_or_are_not_finite_are_refused() {
        assert!(HeldOutScores::of_one_model(vec![1.0], vec![]).is_err());
        assert!(HeldOutScores::new(vec![1.0], vec![2.0], vec![]).is_err());
        let error = HeldOutScores::of_one_model(vec![1.0, f32::NAN], vec![0.0, 0.0]).unwrap_err();
        assert!(matches!(error, Error::NotFinite { row: 1, column: 0, .. }));
    }
}
