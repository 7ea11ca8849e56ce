//! One model for each fold of items, trained on comparisons between items of the others.

use super::folds::{Folds, HeldOutScores};
use crate::data::{Comparisons, Pile, Rows};
use crate::error::Error;
use crate::model::{Architecture, Classifier};
use crate::prior::Prior;
use crate::protocol::Protocol;
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
    mut observe: impl FnMut(usize, &EpochSummary) + Send,
) -> Result<CrossFit<'a>, Error> {
    let control = Control { checkpoint: None, ..*control };
    let mut of_items = vec![0.0; rows.len()];
    let mut classifiers = Vec::with_capacity(folds.count());
    let configs = vec![config.clone(); folds.count()];
    let elsewhere = models_of_folds("scoring", comparisons, (&folds, config.seed), configs, &control)?;
    for fold in 0..folds.count() {
        let classifier = if let Some(models) = &elsewhere {
            models[fold].clone()
        } else {
            let others = folds.others(comparisons, fold);
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
    Ok(CrossFit { rows, comparisons, folds, classifiers, scores })
}

#[cfg(test)]
mod tests {
    use super::*;

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
