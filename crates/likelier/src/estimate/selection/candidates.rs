//! What is chosen from: a declared list of candidates, the default first.

use std::collections::BTreeSet;

use rayon::prelude::*;

use crate::data::{Comparisons, Rows};
use crate::error::Error;
use crate::model::Classifier;
use crate::random::{Purpose, shuffle, stream};
use crate::risk::{Method, ThresholdRule};
use crate::train::{Config, Control, Data, Outcome, train_with};

/// A way to train, and what it is called in reports.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Its name; no two candidates have the same.
    pub name: String,
    /// What it does.
    pub config: Config,
}

/// Values to combine, each list with its default first.
///
/// The candidates come in the order in which one counts: the last list changes fastest. The first
/// candidate should be what you would use if nothing could be told apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// Everything that is not varied.
    pub base: Config,
    /// How to learn.
    pub methods: Vec<Method>,
    /// The optimiser's weight decay.
    pub weight_decays: Vec<f64>,
    /// The optimiser's learning rate.
    pub learning_rates: Vec<f64>,
    /// Passes over the comparisons. All of them are taken from one run.
    pub epochs: Vec<usize>,
    /// Where the threshold lies; absent for the method's default. All of them are taken from one run.
    pub thresholds: Vec<Option<ThresholdRule>>,
}

impl Grid {
    /// The grid that holds the base alone, to be widened.
    pub fn around(base: Config) -> Self {
        Self {
            methods: vec![base.method],
            weight_decays: vec![base.weight_decay],
            learning_rates: vec![base.learning_rate],
            epochs: vec![base.epochs],
            thresholds: vec![base.threshold],
            base,
        }
    }

    /// Every combination, the default first, named by what is varied.
    pub fn candidates(&self) -> Vec<Candidate> {
        let mut all = Vec::new();
        for &method in &self.methods {
            for &weight_decay in &self.weight_decays {
                for &learning_rate in &self.learning_rates {
                    for &epochs in &self.epochs {
                        for &threshold in &self.thresholds {
                            let cut = match threshold {
                                None => "",
                                Some(ThresholdRule::Zero) => " cut=zero",
                                Some(ThresholdRule::PriorQuantile) => " cut=prior",
                            };
                            let name = format!(
                                "{method} decay={weight_decay} rate={learning_rate} epochs={epochs}{cut}"
                            );
                            let base = self.base.clone();
                            let config =
                                Config { method, epochs, learning_rate, weight_decay, threshold, ..base };
                            all.push(Candidate { name, config });
                        }
                    }
                }
            }
        }
        all
    }
}

/// A random part of a space that is too large to try: `count` candidates (all, if there are no more), the
/// same for a seed forever, still in the declared order. The first always stays: it is the one to fall
/// back on.
pub fn draw(mut candidates: Vec<Candidate>, count: usize, seed: u64) -> Vec<Candidate> {
    let mut order: Vec<usize> = (1..candidates.len()).collect();
    shuffle(&mut stream(seed, Purpose::Candidates), &mut order);
    let kept: BTreeSet<usize> = order.into_iter().take(count.saturating_sub(1)).collect();
    let mut at = 0;
    candidates.retain(|_| {
        at += 1;
        at == 1 || kept.contains(&(at - 1))
    });
    candidates
}

/// Trains every candidate on all the comparisons.
pub fn fit_each(
    rows: &Rows,
    comparisons: &Comparisons,
    candidates: &[Candidate],
    control: &Control<'_>,
) -> Result<Vec<Classifier>, Error> {
    check(candidates)?;
    let families = families(candidates);
    let fits = control.in_pool(|| {
        let configs =
            |family: &[usize]| family.iter().map(|at| &candidates[*at].config).collect::<Vec<_>>();
        let fit = |family: &Vec<usize>| fit_family(rows, comparisons, &configs(family), control);
        families.par_iter().map(fit).collect::<Vec<_>>()
    })?;
    let mut found: Vec<Option<Classifier>> = vec![None; candidates.len()];
    for (family, fit) in families.iter().zip(fits) {
        for (at, classifier) in family.iter().zip(fit?) {
            found[*at] = Some(classifier.map_err(Error::from)?);
        }
    }
    Ok(found.into_iter().flatten().collect())
}

/// Refuses a list that nothing could be chosen from.
pub(super) fn check(candidates: &[Candidate]) -> Result<(), Error> {
    let refused = |name, value: String, allowed| Err(Error::Setting { name, value, allowed });
    let Some(first) = candidates.first() else {
        return refused("the number of candidates", "0".into(), "at least 1");
    };
    let mut names = BTreeSet::new();
    for Candidate { name, config } in candidates {
        config.check()?;
        if !names.insert(name) {
            return refused("a candidate's name", format!("'{name}' twice"), "its own");
        }
        let (one, other) = (&first.config.setting, &config.setting);
        if (one.prior, one.protocol) != (other.prior, other.protocol) {
            let value = format!("{} and {}", one.prior, other.prior);
            let allowed = "the same for all, or they could not be compared";
            return refused("the prior and the protocol of candidates", value, allowed);
        }
        if config.method == Method::Supervised {
            return Err(Error::NeedsLabels);
        }
    }
    Ok(())
}

/// Candidates that one run serves: they differ in when to stop and where to cut, which training itself does
/// not look at. One that picks its own epoch is a family of its own.
pub(super) fn families(candidates: &[Candidate]) -> Vec<Vec<usize>> {
    let mut families: Vec<(Config, Vec<usize>)> = Vec::new();
    for (at, Candidate { config, .. }) in candidates.iter().enumerate() {
        let run = Config { epochs: 1, threshold: None, ..config.clone() };
        match families
            .iter_mut()
            .find(|(known, _)| !config.picks_its_epoch() && *known == run)
        {
            Some((_, members)) => members.push(at),
            None => families.push((run, vec![at])),
        }
    }
    families.into_iter().map(|(_, members)| members).collect()
}

/// A training that left the range of finite numbers.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Breakdown {
    /// The epoch, from 1.
    pub epoch: usize,
    /// The batch, from 1.
    pub batch: usize,
    /// What was no longer finite.
    pub what: &'static str,
}

impl From<Breakdown> for Error {
    fn from(Breakdown { epoch, batch, what }: Breakdown) -> Self {
        Self::Diverged { epoch, batch, what }
    }
}

/// The classifiers of a family, in the order of its members, from one run. Those that were to stop before the
/// run broke down are there.
pub(crate) fn fit_family(
    rows: &Rows,
    comparisons: &Comparisons,
    family: &[&Config],
    control: &Control<'_>,
) -> Result<Vec<Result<Classifier, Breakdown>>, Error> {
    let Some(longest) = family.iter().copied().max_by_key(|config| config.epochs) else {
        return Ok(Vec::new());
    };
    let data = Data { rows, piles: comparisons.piles(), labels: None };
    let mut found: Vec<Option<Classifier>> = vec![None; family.len()];
    // Already in the pool; a checkpoint could hold the state of one run only.
    let control = Control { threads: None, checkpoint: None, ..*control };
    let outcome = train_with(&data, longest, &control, |summary, progress| {
        if !longest.picks_its_epoch() {
            for (config, found) in family.iter().zip(&mut found) {
                if config.epochs == summary.epoch {
                    *found = Some(progress.classifier_cut_at(config.threshold)?);
                }
            }
        }
        Ok(())
    });
    match outcome {
        Ok(Outcome::Stopped { epoch }) => Err(Error::Stopped { epoch }),
        Ok(Outcome::Finished(last)) if longest.picks_its_epoch() => Ok(vec![Ok(*last)]),
        Ok(Outcome::Finished(_)) => Ok(found.into_iter().flatten().map(Ok).collect()),
        Err(Error::Diverged { epoch, batch, what }) => {
            let breakdown = Breakdown { epoch, batch, what };
            Ok(found.into_iter().map(|found| found.ok_or(breakdown)).collect())
        }
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prior::Prior;
    use crate::protocol::Protocol;

    fn grid() -> Grid {
        let base = Config::new(Method::PcompRelu, Prior::new(0.4).unwrap(), Protocol::DISCARD);
        Grid {
            methods: vec![Method::PcompRelu, Method::Likelihood],
            epochs: vec![20, 100],
            thresholds: vec![None, Some(ThresholdRule::PriorQuantile)],
            weight_decays: vec![1e-5, 1e-2],
            ..Grid::around(base)
        }
    }

    #[test]
    fn a_grid_counts_through_its_values_and_trains_each_setting_once() {
        let candidates = grid().candidates();
        assert_eq!(candidates.len(), 16);
        assert_eq!(candidates[0].name, "pcomp-relu decay=0.00001 rate=0.01 epochs=20");
        assert_eq!(candidates[15].name, "likelihood decay=0.01 rate=0.01 epochs=100 cut=prior");
        assert!(check(&candidates).is_ok());
        let families = families(&candidates);
        assert_eq!(families, [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11], [12, 13, 14, 15]]);
        assert_eq!(Grid::around(grid().base).candidates().len(), 1);
    }

    #[test]
    fn a_draw_keeps_the_first_and_the_order_and_is_the_same_for_a_seed() {
        let all = grid().candidates();
        let drawn = draw(all.clone(), 5, 3);
        assert_eq!(drawn, draw(all.clone(), 5, 3));
        assert_ne!(drawn, draw(all.clone(), 5, 4));
        assert_eq!((drawn.len(), &drawn[0]), (5, &all[0]));
        let places = drawn.iter().map(|one| all.iter().position(|other| one == other).unwrap());
        assert!(places.collect::<Vec<_>>().is_sorted());
        assert_eq!(draw(all.clone(), 99, 3), all);
    }

    #[test]
    fn lists_that_nothing_can_be_chosen_from_are_refused() {
        assert!(check(&[]).unwrap_err().to_string().contains("at least 1"));
        let mut two = grid().candidates()[..2].to_vec();
        two[1].name = two[0].name.clone();
        assert!(check(&two).unwrap_err().to_string().contains("epochs=20' twice"));
        let mut two = grid().candidates()[..2].to_vec();
        two[1].config.setting.prior = Prior::new(0.3).unwrap();
        assert!(check(&two).unwrap_err().to_string().contains("0.4 and 0.3"));
        two[1] = Candidate {
            config: Config { method: Method::Supervised, ..two[0].config.clone() },
            ..two[1].clone()
        };
        assert!(matches!(check(&two), Err(Error::NeedsLabels)));
    }
}
