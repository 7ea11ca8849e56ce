//! Choosing a model without labels: candidates judged on comparisons that they did not learn from.
//!
//! Comparisons are dealt into K folds. Every candidate scores each fold after training on the others, and
//! a [`Yardstick`] turns the two scores of comparison i into one number v_i. What is chosen is the rule of
//! `rule.rs`: the default, unless another candidate is clearly better.
//!
//! The value of the best is a little too good, because it is partly the best by luck; judge the final model on
//! other comparisons.

mod candidates;
mod rule;
mod yardstick;

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

#[doc(hidden)]
pub use candidates::{Candidate, Grid, draw, fit_each};
#[doc(hidden)]
pub use rule::SelectionRule;
pub use rule::{Contender, Selection, Standing};
pub use yardstick::Yardstick;

use super::metrics::HeldOut;
use super::{Folds, HeldOutScores};
use crate::data::{Comparisons, Rows};
use crate::error::Error;
use crate::prior::Prior;
use crate::protocol::Protocol;
use crate::train::Control;
use crate::trial::{LeftOut, Stage, Trial, sent_to};
#[doc(hidden)]
pub use candidates::Breakdown;
pub(crate) use candidates::fit_family;
use candidates::{check, families};

/// How comparisons are dealt into folds.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dealing {
    /// How many.
    pub folds: usize,
    /// Of the dealing.
    pub seed: u64,
}

impl Default for Dealing {
    fn default() -> Self {
        Self { folds: 5, seed: 0 }
    }
}

/// The out-of-fold scores of every candidate, counted from the threshold.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq)]
pub struct OutOfFold<'a> {
    comparisons: &'a Comparisons,
    prior: Prior,
    protocol: Protocol,
    names: Vec<String>,
    folds: usize,
    /// How many answers a fold's models are trained on, on average.
    trained: f64,
    /// None where training broke down.
    margins: Vec<Option<HeldOutScores>>,
}

/// The scores of some items, or why there are none.
type Margins = Result<Vec<f32>, Breakdown>;

/// Judges the candidates, of which the first is the default, and chooses one.
///
/// `observe` is told how many of how many trainings are done. Train the chosen candidate on all
/// comparisons afterwards ([`Selection::of`]). A candidate whose training breaks down is not chosen; it is an error only if all do.
#[doc(hidden)]
pub fn select(
    rows: &Rows,
    comparisons: &Comparisons,
    candidates: &[Candidate],
    dealing: &Dealing,
    rule: &SelectionRule,
    control: &Control<'_>,
    observe: impl Fn(usize, usize) + Sync,
) -> Result<Selection, Error> {
    out_of_fold(rows, comparisons, candidates, dealing, control, observe)?.choose(rule)
}

/// Scores every comparison with every candidate, trained on the other folds.
///
/// Trainings are independent and run in parallel; the result is the same for any number of threads.
#[doc(hidden)]
pub fn out_of_fold<'a>(
    rows: &Rows,
    comparisons: &'a Comparisons,
    candidates: &[Candidate],
    dealing: &Dealing,
    control: &Control<'_>,
    observe: impl Fn(usize, usize) + Sync,
) -> Result<OutOfFold<'a>, Error> {
    check(candidates)?;
    let folds = Folds::new(comparisons, rows.len(), dealing.folds, dealing.seed)?;
    // Known to be too few before anything is trained.
    let placeholder = vec![0.0; comparisons.len()];
    HeldOut::pairs(&placeholder, &placeholder)?.of(comparisons)?;

    let families = families(candidates);
    let (jobs, done) = (families.len() * folds.count(), AtomicUsize::new(0));
    let configs_of = |family: &[usize]| family.iter().map(|at| &candidates[*at].config).collect::<Vec<_>>();
    let elsewhere = sent_to(control, comparisons).map(|executor| {
        let trial = |job: usize| {
            let (family, fold) = (&families[job / folds.count()], job % folds.count());
            let name = family
                .iter()
                .map(|at| candidates[*at].name.clone())
                .collect::<Vec<_>>()
                .join(" and ");
            Trial {
                name: format!("choosing: {name}, fold {} of {}", fold + 1, folds.count()),
                configs: configs_of(family).into_iter().cloned().collect(),
                fold: LeftOut { fold, folds: folds.count(), seed: dealing.seed },
            }
        };
        executor.run(&Stage { comparisons, trials: (0..jobs).map(trial).collect() })
    });
    let elsewhere = elsewhere.transpose()?;
    let work = |job: usize| -> Result<Vec<Margins>, Error> {
        let (family, fold) = (&families[job / folds.count()], job % folds.count());
        let items = folds.items(fold);
        let mut margins = Vec::with_capacity(family.len());
        let trained = match &elsewhere {
            Some(trained) => trained[job].clone(),
            None => fit_family(rows, &folds.others(comparisons, fold), &configs_of(family), control)?,
        };
        for classifier in trained {
            let classifier = match classifier {
                Ok(classifier) => classifier,
                Err(breakdown) => {
                    margins.push(Err(breakdown));
                    continue;
                }
            };
            let threshold = classifier.threshold();
            let scores = classifier.scores_of(rows, &items)?;
            margins.push(Ok(scores.iter().map(|score| score - threshold).collect()));
        }
        observe(done.fetch_add(1, Ordering::Relaxed) + 1, jobs);
        Ok(margins)
    };
    let found = control.in_pool(|| (0..jobs).into_par_iter().map(work).collect::<Vec<_>>())?;

    let mut margins: Vec<Margins> = candidates.iter().map(|_| Ok(vec![0.0; rows.len()])).collect();
    for (job, found) in found.into_iter().enumerate() {
        let (family, fold) = (&families[job / folds.count()], job % folds.count());
        for (candidate, of_fold) in family.iter().zip(found?) {
            let of_fold = match of_fold {
                Ok(of_fold) => of_fold,
                Err(breakdown) => {
                    margins[*candidate] = Err(breakdown);
                    continue;
                }
            };
            let Ok(all) = &mut margins[*candidate] else { continue };
            for (item, margin) in folds.items(fold).into_iter().zip(of_fold) {
                all[item as usize] = margin;
            }
        }
    }
    // One that broke down is out; if all did, there is nothing to choose from.
    if let Some(Err(breakdown)) = margins.first()
        && margins.iter().all(Result::is_err)
    {
        return Err((*breakdown).into());
    }
    let margins = margins.into_iter().map(|margins| {
        let kept = margins.ok();
        kept.map(|of_items| {
            let (likelier, other) = comparisons
                .iter()
                .map(|(a, b)| (of_items[a as usize], of_items[b as usize]))
                .unzip();
            HeldOutScores::new(likelier, other, folds.of_sides(comparisons))?.of(comparisons)
        })
        .transpose()
    });
    let trained: usize = (0..folds.count()).map(|fold| folds.others(comparisons, fold).answers()).sum();
    let setting = &candidates[0].config.setting;
    Ok(OutOfFold {
        comparisons,
        prior: setting.prior,
        protocol: setting.protocol,
        names: candidates.iter().map(|candidate| candidate.name.clone()).collect(),
        folds: folds.count(),
        trained: trained as f64 / folds.count() as f64,
        margins: margins.collect::<Result<_, _>>()?,
    })
}

impl OutOfFold<'_> {
    /// The scores of each candidate, counted from its threshold; none where training broke down.
    pub fn margins(&self) -> &[Option<HeldOutScores>] {
        &self.margins
    }
}
