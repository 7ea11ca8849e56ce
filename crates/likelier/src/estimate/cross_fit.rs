//! One model for each fold of items, trained on comparisons between items of the others.

use std::fmt;

use super::folds::{Folds, HeldOutScores};
use crate::data::{Comparisons, Pile, Rows};
use crate::error::Error;
use crate::model::{Architecture, Classifier};
use crate::prior::Prior;
use crate::protocol::Protocol;
use crate::random::{Purpose, chance, epoch_stream};
use crate::risk::Method;
use crate::train::{Config, Control, Criterion, Data, EarlyStop, EpochSummary, train_with};
use crate::trial::models_of_folds;

/// Comparisons scored fold by fold.
#[derive(Clone, Debug)]
pub struct CrossFit<'a> {
    /// The items.
    pub rows: &'a Rows<'a>,
    /// The comparisons.
    pub comparisons: &'a Comparisons,
    /// The fold of each compared item.
    pub folds: Folds,
    /// The model of each fold, trained on comparisons between items of the others.
    pub classifiers: Vec<Classifier>,
    /// The scores of each comparison's items, each by its fold's model.
    pub scores: HeldOutScores,
    /// What the models learned from, where that is not all they could; every comparison is scored.
    pub sample: Option<LearnedFrom>,
}

/// A random part of the comparisons, which a scorer learned from because more would hardly change it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LearnedFrom {
    /// Comparisons that the model of a fold learned from, on average.
    pub comparisons: usize,
    /// Comparisons that it could have learned from.
    pub of: usize,
    /// By how much more of them would raise the log-likelihood of a comparison, about: half a parameter for each
    /// comparison learned from.
    pub worth: f64,
}

impl fmt::Display for LearnedFrom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { comparisons, of, worth } = self;
        write!(
            f,
            "each scorer learned from {comparisons} comparisons, drawn at random from {of}; all were scored. More would \
             raise the log-likelihood of a comparison by about {worth:.1e}"
        )
    }
}

/// A linear scorer learns from no more comparisons than this, or than [`ENOUGH_FOR_A_FEATURE`] for each feature.
const ENOUGH: usize = 200_000;
const ENOUGH_FOR_A_FEATURE: usize = 1_000;

/// How many comparisons are enough for a scorer.
pub(crate) fn enough(architecture: &Architecture, features: usize) -> Option<usize> {
    (*architecture == Architecture::Linear)
        .then(|| ENOUGH.max(ENOUGH_FOR_A_FEATURE.saturating_mul(features)))
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
        early_stop: Some(EarlyStop { share: 0.15, criterion: Criterion::Orientation, patience: Some(10) }),
        // The prior decides the threshold only, which no estimate here looks at.
        ..Config::new(Method::Likelihood, Prior::new(0.5)?, protocol)
    })
}

/// Trains one model for each fold on the comparisons between items of the others, and scores the fold's items
/// with it.
///
/// `observe` is told the fold and what each epoch did. A checkpoint in `control` is not used: it could
/// hold the state of one fold only.
pub fn cross_fit<'a>(
    rows: &'a Rows<'_>,
    comparisons: &'a Comparisons,
    folds: Folds,
    config: &Config,
    control: &Control<'_>,
    observe: impl FnMut(usize, &EpochSummary) + Send,
) -> Result<CrossFit<'a>, Error> {
    cross_fit_from(rows, comparisons, folds, config, None, control, observe)
}

/// The same, each model learning from about so many comparisons if there are more.
pub(crate) fn cross_fit_from<'a>(
    rows: &'a Rows<'_>,
    comparisons: &'a Comparisons,
    folds: Folds,
    config: &Config,
    enough: Option<usize>,
    control: &Control<'_>,
    mut observe: impl FnMut(usize, &EpochSummary) + Send,
) -> Result<CrossFit<'a>, Error> {
    let control = Control { checkpoint: None, ..*control };
    let mut of_items = vec![0.0; rows.len()];
    let mut classifiers = Vec::with_capacity(folds.count());
    let (mut learned, mut could) = (0, 0);
    let configs = vec![config.clone(); folds.count()];
    let drawn_from = |others: &Comparisons| enough.filter(|enough| *enough < others.answers());
    // What is drawn from is drawn here.
    let elsewhere = if enough.is_some_and(|enough| enough < comparisons.answers()) {
        None
    } else {
        models_of_folds("scoring", comparisons, (&folds, config.seed), configs, &control)?
    };
    for fold in 0..folds.count() {
        let mut others = folds.others(comparisons, fold);
        could += others.answers();
        if let Some(enough) = drawn_from(&others) {
            others = drawn(&others, enough, config.seed, fold);
        }
        learned += others.answers();
        let classifier = if let Some(models) = &elsewhere {
            models[fold].clone()
        } else {
            let data = Data { rows, piles: others.piles(), labels: None };
            let outcome = train_with(&data, config, &control, |summary, _| {
                observe(fold, summary);
                Ok(())
            })?;
            outcome.finished()?
        };
        let items = folds.items(fold);
        for (item, score) in items.iter().zip(classifier.scores_of(rows, &items)?) {
            of_items[*item as usize] = score;
        }
        classifiers.push(classifier);
    }
    let of_pile = |pile| {
        comparisons
            .piles()
            .rows(pile)
            .iter()
            .map(|item| of_items[*item as usize])
            .collect()
    };
    let [likelier, other] = Pile::BOTH.map(of_pile);
    let scores = HeldOutScores::new(likelier, other, folds.of_sides(comparisons))?.of(comparisons)?;
    let sample = (learned < could).then(|| LearnedFrom {
        comparisons: learned / folds.count(),
        of: could / folds.count(),
        worth: (rows.width() + 1) as f64 / 2.0 * folds.count() as f64 / learned.max(1) as f64,
    });
    Ok(CrossFit { rows, comparisons, folds, classifiers, scores, sample })
}

/// About so many answers, drawn at random.
fn drawn(comparisons: &Comparisons, wanted: usize, seed: u64, fold: usize) -> Comparisons {
    let mut rng = epoch_stream(seed, Purpose::Folds, fold as u32 + 1);
    let share = wanted as f64 / comparisons.answers().max(1) as f64;
    let chosen: Vec<bool> = (0..comparisons.answers()).map(|_| chance(&mut rng, share)).collect();
    comparisons.part(|answer| chosen[answer])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scorer_that_learned_from_a_part_says_so_and_scores_everything() {
        let values: Vec<f32> = (0..4000_u16).map(f32::from).collect();
        let rows = Rows::from_numbers(values, 1).unwrap();
        let pairs: Comparisons = (0..2000).map(|k| (k + 2000, k)).collect();
        let config = Config {
            epochs: 3,
            ..Config::new(Method::RankQuantile, Prior::new(0.5).unwrap(), Protocol::DISCARD)
        };
        let fit = |enough| {
            let folds = Folds::new(&pairs, 4000, 4, 3).unwrap();
            cross_fit_from(&rows, &pairs, folds, &config, enough, &Control::default(), |_, _| ()).unwrap()
        };
        assert_eq!((fit(None).sample, fit(Some(1500)).sample), (None, None));
        let part = fit(Some(300));
        let sample = part.sample.unwrap();
        assert_eq!((part.scores.len(), sample.of), (2000, 1500));
        assert!(sample.comparisons.abs_diff(300) < 40, "{sample:?}");
        assert!(part.classifiers.iter().all(|one| one.summary().comparisons.abs_diff(300) < 80));
        assert!(
            (sample.worth - 1.0 / sample.comparisons as f64).abs() < 1e-4,
            "two parameters: {sample:?}"
        );
        assert_eq!(part.scores, fit(Some(300)).scores, "the same draw");
        assert_eq!(enough(&Architecture::Linear, 20), Some(200_000));
        assert_eq!(enough(&Architecture::Linear, 784), Some(784_000));
    }

    #[test]
    fn a_fold_is_scored_by_a_model_that_never_saw_it() {
        // One feature; every comparison says that the larger number is likelier, but for fold 0, which
        // says the opposite: only a model that did not see fold 0 contradicts all of it.
        let values: Vec<f32> = (0..60_u8).map(f32::from).collect();
        let rows = Rows::from_numbers(values, 1).unwrap();
        let ordered: Comparisons = (0..30).map(|k| (k + 30, k)).collect();
        let folds = Folds::new(&ordered, 60, 3, 3).unwrap();
        let turned: Comparisons = ordered
            .iter()
            .map(|(a, b)| if folds.of_item(a) == Some(0) { (b, a) } else { (a, b) })
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
            assert!(fit.scores.folds()[0][at] != 0 || !in_order, "comparison {at} was seen");
        }
    }
}
