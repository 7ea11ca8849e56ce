//! Choosing a model without labels: candidates judged on comparisons that they did not learn from.
//!
//! Comparisons are dealt into K folds. Every candidate scores each fold after training on the others, and
//! a [`Yardstick`] turns the two scores of comparison i into one number v_i. A candidate c is behind the best
//! one b by d̄ = mean of (v_i^c − v_i^b), with
//!
//! s = the standard error of d̄, *paired over comparisons*.
//!
//! The choice is the first candidate in the declared order with d̄ ≤ s: the simplest that cannot be told
//! from the best (the one-standard-error rule). Usually that rule takes the standard error of the best
//! value itself. Candidates are judged on the same comparisons, most of whose noise they share, so this
//! would call nearly everything a tie; the error of the difference is the one that counts. Where items occur
//! in several comparisons it allows for that.
//!
//! What s leaves out: the folds' models share training comparisons, and the best of many is partly so by
//! luck. The value of the best is therefore a little too good; judge the final model on other comparisons.

mod candidates;
mod yardstick;

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use serde::Serialize;

pub use candidates::{Candidate, Grid, draw, fit_each};
pub use yardstick::Yardstick;

use super::distribution::Confidence;
use super::metrics::{Affine, Assumptions, HeldOut, Spread};
use super::{Folds, Grouping, HeldOutScores, Interval};
use crate::data::{Comparisons, Pile, Rows};
use crate::error::Error;
use crate::prior::Prior;
use crate::protocol::Protocol;
use crate::train::Control;
use candidates::{Breakdown, check, families, fit_family, in_pool};

/// How to choose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rule {
    /// What candidates are compared by.
    pub yardstick: Yardstick,
    /// How many standard errors of the difference still count as a tie; 0 takes the best.
    pub tolerance: f64,
}

impl Default for Rule {
    fn default() -> Self {
        Self { yardstick: Yardstick::default(), tolerance: 1.0 }
    }
}

/// How comparisons are dealt into folds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dealing {
    /// How many.
    pub folds: usize,
    /// What is never torn apart.
    pub grouping: Grouping,
    /// Of the dealing.
    pub seed: u64,
}

impl Default for Dealing {
    fn default() -> Self {
        Self { folds: 5, grouping: Grouping::Comparisons, seed: 0 }
    }
}

/// A candidate as the held-out comparisons see it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Judged {
    /// Its name.
    pub name: String,
    /// What they say; absent if its training broke down, so that it cannot be chosen.
    #[serde(flatten)]
    pub standing: Option<Standing>,
}

/// How good a candidate is beside the best.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Standing {
    /// The criterion with its interval; smaller is better.
    pub value: Interval,
    /// How far it is behind the best.
    pub behind: f64,
    /// The standard error of that difference.
    pub standard_error: f64,
}

/// A choice and what it rests on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Selection {
    /// What candidates were compared by.
    pub yardstick: Yardstick,
    /// Which candidate is chosen.
    pub chosen: usize,
    /// Which has the smallest value.
    pub best: usize,
    /// All candidates in their declared order.
    pub judged: Vec<Judged>,
}

/// The out-of-fold scores of every candidate, counted from the threshold.
#[derive(Clone, Debug, PartialEq)]
pub struct OutOfFold<'a> {
    comparisons: &'a Comparisons,
    prior: Prior,
    protocol: Protocol,
    names: Vec<String>,
    /// None where training broke down.
    margins: Vec<Option<HeldOutScores>>,
}

/// The scores of both sides of some comparisons, or why there are none.
type Margins = Result<[Vec<f32>; 2], Breakdown>;

/// Judges the candidates, which are listed with the simplest first, and chooses one.
///
/// `observe` is told how many of how many trainings are done. Train the chosen candidate on all
/// comparisons afterwards. A candidate whose training breaks down is not chosen; it is an error only if all do.
pub fn select(
    rows: &Rows,
    comparisons: &Comparisons,
    candidates: &[Candidate],
    dealing: &Dealing,
    rule: &Rule,
    control: &Control<'_>,
    observe: impl Fn(usize, usize) + Sync,
) -> Result<Selection, Error> {
    out_of_fold(rows, comparisons, candidates, dealing, control, observe)?.choose(rule)
}

/// Scores every comparison with every candidate, trained on the other folds.
///
/// Trainings are independent and run in parallel; the result is the same for any number of threads.
pub fn out_of_fold<'a>(
    rows: &Rows,
    comparisons: &'a Comparisons,
    candidates: &[Candidate],
    dealing: &Dealing,
    control: &Control<'_>,
    observe: impl Fn(usize, usize) + Sync,
) -> Result<OutOfFold<'a>, Error> {
    check(candidates)?;
    let folds = Folds::new(comparisons, rows.len(), dealing.folds, dealing.grouping, dealing.seed)?;
    // Known to be too few before anything is trained.
    let placeholder = vec![0.0; comparisons.len()];
    HeldOut::pairs(&placeholder, &placeholder)?;

    let families = families(candidates);
    let (jobs, done) = (families.len() * folds.count(), AtomicUsize::new(0));
    let work = |job: usize| -> Result<Vec<Margins>, Error> {
        let (family, fold) = (&families[job / folds.count()], job % folds.count());
        let others = folds.others(comparisons, fold);
        let held_out = folds.held_out(comparisons, fold);
        let mut margins = Vec::with_capacity(family.len());
        for classifier in fit_family(rows, &others, candidates, family, control)? {
            let classifier = match classifier {
                Ok(classifier) => classifier,
                Err(breakdown) => {
                    margins.push(Err(breakdown));
                    continue;
                }
            };
            let threshold = classifier.threshold();
            let counted_from_threshold = |pile| -> Result<Vec<f32>, Error> {
                let scores = classifier.scores(rows, held_out.piles().rows(pile))?;
                Ok(scores.iter().map(|score| score - threshold).collect())
            };
            margins
                .push(Ok([counted_from_threshold(Pile::Likelier)?, counted_from_threshold(Pile::Other)?]));
        }
        observe(done.fetch_add(1, Ordering::Relaxed) + 1, jobs);
        Ok(margins)
    };
    let found = in_pool(control, || (0..jobs).into_par_iter().map(work).collect::<Vec<_>>())?;

    let empty = || [vec![0.0; comparisons.len()], vec![0.0; comparisons.len()]];
    let mut margins: Vec<Margins> = candidates.iter().map(|_| Ok(empty())).collect();
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
            for (all, of_fold) in all.iter_mut().zip(of_fold) {
                let places = folds.of_comparisons().iter().zip(all).filter(|(of, _)| **of as usize == fold);
                for ((_, place), margin) in places.zip(of_fold) {
                    *place = margin;
                }
            }
        }
    }
    // One that broke down is out; if all did, there is nothing to choose from.
    if let Some(Err(breakdown)) = margins.first()
        && margins.iter().all(Result::is_err)
    {
        return Err((*breakdown).into());
    }
    let of_folds = folds.of_comparisons();
    let margins = margins.into_iter().map(|margins| {
        let kept = margins.ok();
        kept.map(|[likelier, other]| HeldOutScores::new(likelier, other, of_folds.to_vec()))
            .transpose()
    });
    let setting = &candidates[0].config.setting;
    Ok(OutOfFold {
        comparisons,
        prior: setting.prior,
        protocol: setting.protocol,
        names: candidates.iter().map(|candidate| candidate.name.clone()).collect(),
        margins: margins.collect::<Result<_, _>>()?,
    })
}

impl OutOfFold<'_> {
    /// The scores of each candidate, counted from its threshold; none where training broke down.
    pub fn margins(&self) -> &[Option<HeldOutScores>] {
        &self.margins
    }

    /// Chooses the simplest candidate that cannot be told from the best.
    pub fn choose(&self, rule: &Rule) -> Result<Selection, Error> {
        if !(rule.tolerance.is_finite() && rule.tolerance >= 0.0) {
            return Err(Error::Setting {
                name: "the tolerance in standard errors",
                value: rule.tolerance.to_string(),
                allowed: "a number from 0 up",
            });
        }
        let assumptions = Assumptions::of_protocol(self.protocol, self.prior)?;
        let confidence = Confidence::new(0.95)?;
        // Only the items of the comparisons matter here, not the scores.
        let placeholder = vec![0.0; self.comparisons.len()];
        let held_out = HeldOut::pairs(&placeholder, &placeholder)?.of_items(self.comparisons)?;
        // A mean over comparisons as if it were one of the likelier pile, which knows of shared items.
        let mean_of = |values: &dyn Fn(usize) -> f64| {
            let means = Spread::of(&held_out, |pile, at, _| if pile == 0 { values(at) } else { 0.0 });
            assumptions.affine(&means, &means, |_, _| Affine::linear([1.0, 0.0]), confidence)
        };
        let values: Vec<Option<Vec<f64>>> = self
            .margins
            .iter()
            .map(|margins| Some(rule.yardstick.values(margins.as_ref()?, &assumptions, &self.protocol)))
            .collect();
        let criteria: Vec<Option<Interval>> = values
            .iter()
            .map(|values| values.as_ref().map(|values| mean_of(&|at| values[at])))
            .collect();
        // Of equals the first.
        let value = |at: usize| criteria[at].map_or(f64::INFINITY, |criterion| criterion.value);
        let best = (0..criteria.len()).min_by(|a, b| value(*a).total_cmp(&value(*b))).unwrap_or(0);
        let standing = |at: usize| {
            let (own, best) = (values[at].as_ref()?, values[best].as_ref()?);
            let difference = mean_of(&|at| own[at] - best[at]);
            Some(Standing {
                value: criteria[at]?,
                behind: difference.value,
                standard_error: difference.width() / (2.0 * confidence.errors),
            })
        };
        let judged: Vec<Judged> = self
            .names
            .iter()
            .enumerate()
            .map(|(at, name)| Judged { name: name.clone(), standing: standing(at) })
            .collect();
        let tied = |standing: Standing| standing.behind <= rule.tolerance * standing.standard_error;
        let chosen = judged
            .iter()
            .position(|judged| judged.standing.is_some_and(tied))
            .unwrap_or(best);
        Ok(Selection { yardstick: rule.yardstick, chosen, best, judged })
    }
}
