//! Scores that owe nothing to the items they are for: K folds of *items*, each scored by a model that was
//! trained on comparisons of the others.
//!
//! Every estimate without labels needs such scores. A model's scores of comparisons that it was trained on
//! look better than they are; so do its scores of new comparisons between items whose other comparisons it
//! has seen. Where no item occurs twice, folds of items are folds of comparisons.

use std::iter::repeat_n;
use std::sync::Arc;

use super::dyads::Dyads;
use super::ranked::RankedOnce;
use crate::data::Comparisons;
use crate::error::Error;
use crate::random::{Purpose, Rng, shuffle, stream};

/// The fold of an item that was never compared.
const NEVER: u32 = u32::MAX;

/// Which fold each compared item belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folds {
    of: Vec<u32>,
    count: usize,
}

impl Folds {
    /// Deals the compared items into `count` folds of nearly equal size, the same for a seed forever. The two
    /// items of a comparison share a fold wherever that is possible.
    pub fn new(comparisons: &Comparisons, items: usize, count: usize, seed: u64) -> Result<Self, Error> {
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
        let folds = Self { of: deal(comparisons, items, count, &mut rng), count };
        let least = (0..count).map(|fold| folds.left_by(comparisons, fold)).min().unwrap_or(0);
        if least == 0 {
            return Err(Error::Setting {
                name: "the folds of items",
                value: format!("{count} folds, one of which has an item in every comparison"),
                allowed: "such that each leaves comparisons to train on",
            });
        }
        Ok(folds)
    }

    /// The number of folds.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The fold of an item; none if it was never compared.
    pub fn of_item(&self, item: u32) -> Option<usize> {
        self.of
            .get(item as usize)
            .filter(|fold| **fold != NEVER)
            .map(|fold| *fold as usize)
    }

    /// The items of a fold.
    pub fn items(&self, fold: usize) -> Vec<u32> {
        (0..self.of.len() as u32)
            .filter(|item| self.of[*item as usize] as usize == fold)
            .collect()
    }

    /// The folds of the likelier and of the other item of each comparison.
    pub fn of_sides(&self, comparisons: &Comparisons) -> [Vec<u32>; 2] {
        let (likelier, other) = comparisons
            .iter()
            .map(|(a, b)| (self.of[a as usize], self.of[b as usize]))
            .unzip();
        [likelier, other]
    }

    /// The comparisons between items outside a fold: those its model is trained on.
    pub fn others(&self, comparisons: &Comparisons, fold: usize) -> Comparisons {
        let groups = comparisons.groups();
        let mut wanted = vec![false; comparisons.answers()];
        for (at, pair) in comparisons.iter().enumerate() {
            wanted[groups.of(at)] = self.leaves(pair, fold);
        }
        comparisons.part(|answer| wanted[answer])
    }

    fn leaves(&self, (likelier, other): (u32, u32), fold: usize) -> bool {
        self.of[likelier as usize] as usize != fold && self.of[other as usize] as usize != fold
    }

    fn left_by(&self, comparisons: &Comparisons, fold: usize) -> usize {
        comparisons.iter().filter(|pair| self.leaves(*pair, fold)).count()
    }
}

/// The fold of each item.
///
/// Answers without a common item are dealt like cards. Otherwise answers are taken in random order, and an
/// item that has no fold yet joins its partner, unless the partner's fold is full: the more comparisons lie
/// within folds, the more are left to train on.
fn deal(comparisons: &Comparisons, items: usize, count: usize, rng: &mut impl Rng) -> Vec<u32> {
    let answers = comparisons.answers();
    let groups = comparisons.groups();
    let mut of = vec![NEVER; items];
    let mut compared = 0;
    for (a, b) in comparisons.iter() {
        for item in [a, b] {
            compared += usize::from(of[item as usize] == NEVER);
            of[item as usize] = 0;
        }
    }
    if compared == 2 * answers {
        let mut of_answers: Vec<u32> = (0..answers).map(|at| (at % count) as u32).collect();
        shuffle(rng, &mut of_answers);
        for (at, (a, b)) in comparisons.iter().enumerate() {
            of[a as usize] = of_answers[groups.of(at)];
            of[b as usize] = of_answers[groups.of(at)];
        }
        return of;
    }
    of.fill(NEVER);
    let full = compared.div_ceil(count);
    let mut sizes = vec![0_usize; count];
    let mut order: Vec<u32> = (0..comparisons.len() as u32).collect();
    shuffle(rng, &mut order);
    let pairs: Vec<(u32, u32)> = comparisons.iter().collect();
    for at in order {
        let (a, b) = pairs[at as usize];
        for (item, partner) in [(a, b), (b, a)] {
            if of[item as usize] != NEVER {
                continue;
            }
            let joined =
                Some(of[partner as usize]).filter(|fold| *fold != NEVER && sizes[*fold as usize] < full);
            let fold =
                joined.unwrap_or_else(|| (0..count).min_by_key(|fold| sizes[*fold]).unwrap_or(0) as u32);
            of[item as usize] = fold;
            sizes[fold as usize] += 1;
        }
    }
    of
}

/// The two scores of each comparison, each by a model that did not see the item.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldOutScores {
    likelier: Vec<f32>,
    other: Vec<f32>,
    /// Of the likelier and of the other item.
    folds: [Vec<u32>; 2],
    /// How much each counts; 1 if absent.
    weights: Option<Vec<f32>>,
    /// The answer that each came from; its own if absent.
    answers: Option<Vec<u32>>,
    /// What depends on what; absent where each comparison is between items of its own.
    dyads: Option<Arc<Dyads>>,
    /// The group that each comparison was made within, where comparisons were made within groups.
    groups: Option<Vec<u32>>,
    ranked: RankedOnce,
}

impl HeldOutScores {
    /// Scores of comparisons and the fold, that is the model, that each item's score is from. Scores of
    /// different folds are never compared but by their ranks.
    pub fn new(likelier: Vec<f32>, other: Vec<f32>, folds: [Vec<u32>; 2]) -> Result<Self, Error> {
        if likelier.len() != other.len() {
            return Err(Error::mismatch("likelier scores", likelier.len(), "other scores", other.len()));
        }
        if let Some(folds) = folds.iter().find(|folds| folds.len() != likelier.len()) {
            return Err(Error::mismatch("folds", folds.len(), "comparisons", likelier.len()));
        }
        for (column, scores) in [&likelier, &other].into_iter().enumerate() {
            if let Some(row) = scores.iter().position(|score| !score.is_finite()) {
                return Err(Error::NotFinite { row, column, value: scores[row] });
            }
        }
        Ok(Self {
            likelier,
            other,
            folds,
            weights: None,
            answers: None,
            dyads: None,
            groups: None,
            ranked: RankedOnce::default(),
        })
    }

    /// The same scores, knowing how much each of the comparisons counts, which are halves of a tie, and which
    /// are of the same pair or share an item.
    pub fn of(self, comparisons: &Comparisons) -> Result<Self, Error> {
        if comparisons.len() != self.len() {
            let (scored, listed) = (self.len(), comparisons.len());
            return Err(Error::mismatch("scored comparisons", scored, "listed comparisons", listed));
        }
        let weights = comparisons.judging_weights().map(<[f32]>::to_vec);
        let answers = comparisons.groups().listed().map(<[u32]>::to_vec);
        Ok(Self {
            weights,
            answers,
            dyads: Some(Arc::new(Dyads::of(comparisons))),
            ranked: RankedOnce::default(),
            ..self
        })
    }

    /// The same scores, knowing within which group (a topic, a day, a batch) each comparison was made.
    pub(crate) fn grouped(self, groups: Vec<u32>) -> Result<Self, Error> {
        if groups.len() != self.len() {
            return Err(Error::mismatch("groups", groups.len(), "comparisons", self.len()));
        }
        Ok(Self { groups: Some(groups), ranked: RankedOnce::default(), ..self })
    }

    /// Scores by one model that was trained on none of these comparisons.
    pub fn of_one_model(likelier: Vec<f32>, other: Vec<f32>) -> Result<Self, Error> {
        let fold: Vec<u32> = repeat_n(0, likelier.len()).collect();
        Self::new(likelier, other, [fold.clone(), fold])
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

    /// The folds of the likelier and of the other item of each comparison.
    pub fn folds(&self) -> &[Vec<u32>; 2] {
        &self.folds
    }

    pub(super) fn ranked_once(&self) -> &RankedOnce {
        &self.ranked
    }

    /// How much a comparison counts.
    pub(crate) fn weight(&self, at: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| f64::from(weights[at]))
    }

    /// The pair of items that a comparison is of, whichever way it was answered: one observation.
    pub(crate) fn pair(&self, at: usize) -> usize {
        self.dyads.as_ref().map_or(at, |dyads| dyads.pair(at))
    }

    /// What depends on what, where that is known.
    pub(crate) fn dyads(&self) -> Option<&Arc<Dyads>> {
        self.dyads.as_ref()
    }

    /// The group that each comparison was made within, where that is known.
    pub(crate) fn groups(&self) -> Option<&[u32]> {
        self.groups.as_deref()
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
        let folds = Folds::new(&comparisons, 22, 3, 7).unwrap();
        assert_eq!([0, 1, 2].map(|fold| folds.items(fold).len()), [8, 8, 6]);
        assert_eq!(folds.others(&comparisons, 0).len(), 7);
        assert_eq!(folds.of_sides(&comparisons)[0], [2, 1, 0, 0, 2, 0, 1, 0, 1, 1, 2]);
        assert_eq!(folds.of_sides(&comparisons)[1], folds.of_sides(&comparisons)[0]);
    }

    proptest! {
        #[test]
        fn a_folds_model_never_sees_its_items_and_the_halves_of_a_tie_stay_together(
            pairs in prop::collection::vec((0..40_u32, 1..40_u32), 30..80), count in 2..6_usize, seed: u64,
        ) {
            let answers: Answers = pairs.iter().map(|(a, step)| (*a, (a + step) % 40)).collect();
            let ties = (0..pairs.len()).map(|at| at % 3 == 0).collect();
            let all = answers.tied(ties).unwrap().comparisons();
            let folds = Folds::new(&all, 40, count, seed).unwrap();
            let compared: Vec<u32> = (0..40).filter(|item| all.iter().any(|(a, b)| a == *item || b == *item)).collect();
            let mut seen = Vec::new();
            for fold in 0..count {
                let items = folds.items(fold);
                prop_assert!(items.len() <= compared.len().div_ceil(count) + 1, "folds are alike in size");
                let others = folds.others(&all, fold);
                prop_assert!(others.iter().all(|(a, b)| !items.contains(&a) && !items.contains(&b)));
                let touched = all.iter().filter(|(a, b)| items.contains(a) || items.contains(b)).count();
                prop_assert_eq!(touched + others.len(), all.len(), "everything else is trained on");
                seen.extend(items);
            }
            seen.sort_unstable();
            prop_assert_eq!(seen, compared, "each compared item has one fold");
        }
    }

    #[test]
    fn comparisons_lie_within_folds_where_they_can() {
        // Forty triangles.
        let triangle = |k: u32| [(3 * k, 3 * k + 1), (3 * k + 1, 3 * k + 2), (3 * k, 3 * k + 2)];
        let comparisons: Comparisons = (0..40).flat_map(triangle).collect();
        let folds = Folds::new(&comparisons, 120, 5, 1).unwrap();
        let [likelier, other] = folds.of_sides(&comparisons);
        let within = likelier.iter().zip(&other).filter(|(a, b)| a == b).count();
        assert!(within >= 100, "{within} of 120");
        assert!((0..5).all(|fold| folds.items(fold).len() == 24));
    }

    #[test]
    fn there_are_no_more_folds_than_answers_and_none_without_comparisons_to_train_on() {
        let three = Answers::from_iter([(0, 1), (2, 3), (4, 5)])
            .tied(vec![true; 3])
            .unwrap()
            .comparisons();
        assert_eq!(three.len(), 6);
        assert!(Folds::new(&three, 6, 3, 1).is_ok());
        assert!(Folds::new(&three, 6, 4, 1).is_err());
        assert!(Folds::new(&three, 5, 3, 1).is_err(), "an item that is not there");
        let star: Comparisons = (1..30).map(|k| (0, k)).collect();
        let error = Folds::new(&star, 30, 3, 1).unwrap_err();
        assert!(error.to_string().contains("an item in every comparison"), "{error}");
    }

    #[test]
    fn scores_that_do_not_belong_together_or_are_not_finite_are_refused() {
        assert!(HeldOutScores::of_one_model(vec![1.0], vec![]).is_err());
        assert!(HeldOutScores::new(vec![1.0], vec![2.0], [vec![], vec![0]]).is_err());
        let error = HeldOutScores::of_one_model(vec![1.0, f32::NAN], vec![0.0, 0.0]).unwrap_err();
        assert!(matches!(error, Error::NotFinite { row: 1, column: 0, .. }));
    }
}
