//! Scores that owe nothing to the comparison they are for: K folds of comparisons, each scored by a model
//! that was trained on the others.
//!
//! Every estimate without labels needs such scores. A model's scores of the comparisons it was trained on
//! look better than they are, and each identity of this module would be off by an unknown amount.

use std::iter::repeat_n;

use super::components::Components;
use crate::data::{Comparisons, Rows};
use crate::error::Error;
use crate::model::{Architecture, Classifier};
use crate::prior::Prior;
use crate::protocol::Protocol;
use crate::random::{Purpose, shuffle, stream};
use crate::risk::Method;
use crate::train::{Config, Control, Criterion, Data, EpochSummary, HoldOut, Outcome, train_with};

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
        if count < 2 || count > comparisons.len() {
            return Err(Error::Setting {
                name: "the number of folds",
                value: count.to_string(),
                allowed: "at least 2 and at most the number of comparisons",
            });
        }
        let mut rng = stream(seed, Purpose::Folds);
        let of = match grouping {
            Grouping::Comparisons => {
                let mut of: Vec<u32> = (0..comparisons.len()).map(|at| (at % count) as u32).collect();
                shuffle(&mut rng, &mut of);
                of
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
        comparisons
            .iter()
            .zip(&self.of)
            .filter(|(_, of)| keep(**of))
            .map(|(pair, _)| pair)
            .collect()
    }
}

/// The two scores of each comparison, by a model that did not see it.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldOutScores {
    likelier: Vec<f32>,
    other: Vec<f32>,
    fold: Vec<u32>,
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
        Ok(Self { likelier, other, fold })
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
}

/// Comparisons scored fold by fold.
#[derive(Clone, Debug)]
pub struct CrossFit<'a> {
    /// The items.
    pub rows: &'a Rows,
    /// The comparisons.
    pub comparisons: &'a Comparisons,
    /// The fold of each comparison.
    pub folds: Folds,
    /// The model of each fold, trained on the other folds.
    pub classifiers: Vec<Classifier>,
    /// The scores of each comparison by its fold's model.
    pub scores: HeldOutScores,
}

/// A way to train the scorer that estimates without labels stand on: the orientation likelihood, which
/// uses neither a prior nor a threshold, stopped early on comparisons held out of the training folds.
///
/// Where the protocol is the question, forced choice serves: its likelihood depends on differences alone,
/// and ranks discard comparisons well too.
pub fn scorer(architecture: Architecture, protocol: Protocol) -> Result<Config, Error> {
    let learning_rate = if architecture == Architecture::Linear { 1e-2 } else { 1e-3 };
    Ok(Config {
        architecture,
        learning_rate,
        hold_out: Some(HoldOut { share: 0.15, criterion: Criterion::Orientation, patience: Some(10) }),
        // The prior decides the threshold only, which no estimate here looks at.
        ..Config::new(Method::Likelihood, Prior::new(0.5)?, protocol)
    })
}

/// Trains one model for each fold on the comparisons of the others, and scores the fold with it.
///
/// `observe` is told the fold and what each epoch did. A checkpoint in `control` is not used: it could
/// hold the state of one fold only.
pub fn cross_fit<'a>(
    rows: &'a Rows,
    comparisons: &'a Comparisons,
    folds: Folds,
    config: &Config,
    control: &Control<'_>,
    mut observe: impl FnMut(usize, &EpochSummary) + Send,
) -> Result<CrossFit<'a>, Error> {
    if folds.of.len() != comparisons.len() {
        return Err(Error::mismatch("folds", folds.of.len(), "comparisons", comparisons.len()));
    }
    let control = Control { checkpoint: None, ..*control };
    let mut piles = [vec![0.0; comparisons.len()], vec![0.0; comparisons.len()]];
    let mut classifiers = Vec::with_capacity(folds.count);
    for fold in 0..folds.count {
        let others = folds.others(comparisons, fold);
        let data = Data { rows, piles: others.piles(), labels: None };
        let outcome = train_with(&data, config, &control, |summary, _| {
            observe(fold, summary);
            Ok(())
        })?;
        let classifier = match outcome {
            Outcome::Finished(classifier) => *classifier,
            Outcome::Stopped { epoch } => return Err(Error::Stopped { epoch }),
        };
        let held_out = folds.held_out(comparisons, fold);
        for (pile, scores) in crate::data::Pile::BOTH.into_iter().zip(&mut piles) {
            let fold_scores = classifier.scores(rows, held_out.piles().rows(pile))?;
            let places = (0..comparisons.len()).filter(|&at| folds.of[at] as usize == fold);
            for (at, score) in places.zip(fold_scores) {
                scores[at] = score;
            }
        }
        classifiers.push(classifier);
    }
    let [likelier, other] = piles;
    let scores = HeldOutScores::new(likelier, other, folds.of.clone())?;
    Ok(CrossFit { rows, comparisons, folds, classifiers, scores })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_are_equal_in_size_and_the_same_forever() {
        let comparisons: Comparisons = (0..11).map(|k| (k, k + 11)).collect();
        let folds = Folds::new(&comparisons, 22, 3, Grouping::Comparisons, 7).unwrap();
        let sizes = [0, 1, 2].map(|fold| folds.held_out(&comparisons, fold).len());
        assert_eq!(sizes, [4, 4, 3]);
        assert_eq!(folds.others(&comparisons, 0).len(), 7);
        assert_eq!(folds.of_comparisons(), [2, 1, 0, 0, 2, 0, 1, 0, 1, 1, 2]);
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
    fn a_fold_is_scored_by_a_model_that_never_saw_it() {
        // One feature; every comparison says that the larger number is likelier, but for fold 0, which
        // says the opposite: only a model that did not see fold 0 contradicts all of it.
        let values: Vec<f32> = (0..60_u8).map(f32::from).collect();
        let rows = Rows::from_numbers(values, 1).unwrap();
        let ordered: Comparisons = (0..30).map(|k| (k + 30, k)).collect();
        let folds = Folds::new(&ordered, 60, 3, Grouping::Comparisons, 3).unwrap();
        let turned: Comparisons = ordered
            .iter()
            .zip(folds.of_comparisons())
            .map(|((a, b), fold)| if *fold == 0 { (b, a) } else { (a, b) })
            .collect();
        let config = Config {
            epochs: 60,
            ..Config::new(Method::RankQuantile, Prior::new(0.5).unwrap(), Protocol::DISCARD)
        };
        let control = Control::default();
        let mut seen = [0; 3];
        let fit = cross_fit(&rows, &turned, folds, &config, &control, |fold, _| seen[fold] += 1).unwrap();
        assert_eq!(seen, [60; 3]);
        for at in 0..30 {
            let in_order = fit.scores.likelier()[at] > fit.scores.other()[at];
            assert!(fit.scores.folds()[at] != 0 || !in_order, "comparison {at} was seen");
        }
    }

    #[test]
    fn scores_that_do_not_belong_together_or_are_not_finite_are_refused() {
        assert!(HeldOutScores::of_one_model(vec![1.0], vec![]).is_err());
        assert!(HeldOutScores::new(vec![1.0], vec![2.0], vec![]).is_err());
        let error = HeldOutScores::of_one_model(vec![1.0, f32::NAN], vec![0.0, 0.0]).unwrap_err();
        assert!(matches!(error, Error::NotFinite { row: 1, column: 0, .. }));
    }
}
