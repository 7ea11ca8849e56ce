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

#[doc(hidden)]
pub use candidates::{Candidate, Grid, draw, fit_each};
pub use yardstick::Yardstick;

use super::distribution::Confidence;
use super::metrics::{Affine, Assumptions, HeldOut, Spread};
use super::{Folds, HeldOutScores, Interval};
use crate::data::{Comparisons, Rows};
use crate::error::Error;
use crate::prior::Prior;
use crate::protocol::Protocol;
use crate::train::Control;
use candidates::{Breakdown, check, families, fit_family, in_pool};

/// How to choose.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SelectionRule {
    /// What candidates are compared by.
    pub yardstick: Yardstick,
    /// How many standard errors of the difference still count as a tie; 0 takes the best.
    pub tolerance: f64,
}

impl Default for SelectionRule {
    fn default() -> Self {
        Self { yardstick: Yardstick::default(), tolerance: 1.0 }
    }
}

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

/// A candidate as the held-out comparisons see it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Contender {
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
    /// By how many comparisons.
    pub comparisons: usize,
    /// In how many folds.
    pub folds: usize,
    /// The name of the candidate that is chosen.
    pub chosen: String,
    /// The name of the one with the smallest value.
    pub best: String,
    /// All candidates in their declared order.
    pub candidates: Vec<Contender>,
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
    /// None where training broke down.
    margins: Vec<Option<HeldOutScores>>,
}

/// The scores of some items, or why there are none.
type Margins = Result<Vec<f32>, Breakdown>;

/// Judges the candidates, which are listed with the simplest first, and chooses one.
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
    let work = |job: usize| -> Result<Vec<Margins>, Error> {
        let (family, fold) = (&families[job / folds.count()], job % folds.count());
        let others = folds.others(comparisons, fold);
        let items = folds.items(fold);
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
            let scores = classifier.scores_of(rows, &items)?;
            margins.push(Ok(scores.iter().map(|score| score - threshold).collect()));
        }
        observe(done.fetch_add(1, Ordering::Relaxed) + 1, jobs);
        Ok(margins)
    };
    let found = in_pool(control, || (0..jobs).into_par_iter().map(work).collect::<Vec<_>>())?;

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
    let setting = &candidates[0].config.setting;
    Ok(OutOfFold {
        comparisons,
        prior: setting.prior,
        protocol: setting.protocol,
        names: candidates.iter().map(|candidate| candidate.name.clone()).collect(),
        folds: folds.count(),
        margins: margins.collect::<Result<_, _>>()?,
    })
}

impl Selection {
    /// The chosen one of the candidates that were chosen from.
    #[doc(hidden)]
    pub fn of<'c>(&self, candidates: &'c [Candidate]) -> Option<&'c Candidate> {
        candidates.iter().find(|candidate| candidate.name == self.chosen)
    }
}

impl OutOfFold<'_> {
    /// The scores of each candidate, counted from its threshold; none where training broke down.
    pub fn margins(&self) -> &[Option<HeldOutScores>] {
        &self.margins
    }

    /// Chooses the simplest candidate that cannot be told from the best.
    pub fn choose(&self, rule: &SelectionRule) -> Result<Selection, Error> {
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
        let held_out = HeldOut::pairs(&placeholder, &placeholder)?.of(self.comparisons)?;
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
        let contenders: Vec<Contender> = self
            .names
            .iter()
            .enumerate()
            .map(|(at, name)| Contender { name: name.clone(), standing: standing(at) })
            .collect();
        let tied = |standing: Standing| standing.behind <= rule.tolerance * standing.standard_error;
        let chosen = contenders
            .iter()
            .position(|contender| contender.standing.is_some_and(tied))
            .unwrap_or(best);
        Ok(Selection {
            yardstick: rule.yardstick,
            comparisons: self.comparisons.answers(),
            folds: self.folds,
            chosen: contenders[chosen].name.clone(),
            best: contenders[best].name.clone(),
            candidates: contenders,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Answers;
    use crate::random::{Purpose, stream, unit};

    /// What two candidates make of the answers: the one that is good at the even ones and the other.
    fn chosen(comparisons: &Comparisons, yardstick: Yardstick) -> Selection {
        let mut rng = stream(4, Purpose::Comparisons);
        let items: Vec<[f32; 2]> =
            (0..800).map(|_| [(); 2].map(|()| 2.0 * unit(&mut rng) as f32 - 1.0)).collect();
        let margins = [0, 1].map(|candidate| {
            // The likelier of the two first items, and so on, is higher by so much.
            let score = |item: u32, up: f32| {
                items[item as usize][candidate] + if item.is_multiple_of(2) { up } else { -up }
            };
            let lift = |item: u32| if (item / 2) % 2 == candidate as u32 { 0.8 } else { 0.1 };
            let (likelier, other) =
                comparisons.iter().map(|(a, b)| (score(a, lift(a)), score(b, lift(b)))).unzip();
            Some(HeldOutScores::of_one_model(likelier, other).unwrap().of(comparisons).unwrap())
        });
        let (prior, protocol) = (Prior::new(0.4).unwrap(), Protocol::FORCED_CHOICE);
        let names = vec!["even".into(), "odd".into()];
        let judged = OutOfFold { comparisons, prior, protocol, names, folds: 1, margins: margins.to_vec() };
        judged.choose(&SelectionRule { yardstick, tolerance: 0.0 }).unwrap()
    }

    fn answers() -> Answers {
        (0..400).map(|k| (2 * k, 2 * k + 1)).collect()
    }

    #[track_caller]
    fn same_values(one: &Selection, two: &Selection) {
        assert_eq!((&one.chosen, &one.best), (&two.chosen, &two.best));
        for (one, two) in one.candidates.iter().zip(&two.candidates) {
            let (one, two) = (one.standing.unwrap(), two.standing.unwrap());
            assert!((one.value.value - two.value.value).abs() < 1e-12, "{one:?} is not {two:?}");
            assert!((one.behind - two.behind).abs() < 1e-12, "{one:?} is not {two:?}");
        }
    }

    #[test]
    fn a_candidate_is_judged_by_weights_as_by_repeated_answers() {
        for heavy in [0, 1] {
            let times = |at: usize| if at % 2 == heavy { 2 } else { 1 };
            let weights = (0..400).map(|at| times(at) as f32).collect();
            let weighted = answers().weighted(weights).unwrap().comparisons();
            let repeated: Comparisons = weighted
                .iter()
                .enumerate()
                .flat_map(|(at, pair)| std::iter::repeat_n(pair, times(at)))
                .collect();
            for yardstick in Yardstick::ALL {
                let found = chosen(&weighted, yardstick);
                same_values(&found, &chosen(&repeated, yardstick));
                assert_eq!(found.comparisons, 400);
                let expected = if heavy == 0 { "even" } else { "odd" };
                assert_eq!(found.best, expected, "{yardstick}: who is good where it counts");
            }
        }
    }

    #[test]
    fn a_candidate_is_judged_by_a_tie_as_by_half_an_answer_each_way() {
        let tied = answers().tied((0..400).map(|at| at % 4 < 2).collect()).unwrap();
        let halves = tied.comparisons();
        let apart: Comparisons = halves.iter().collect();
        let apart = apart.weighted(halves.weights().unwrap().to_vec()).unwrap();
        let both_ways: Comparisons = answers()
            .pairs()
            .iter()
            .enumerate()
            .flat_map(|(at, &(a, b))| if at % 4 < 2 { [(a, b), (b, a)] } else { [(a, b), (a, b)] })
            .collect();
        for yardstick in Yardstick::ALL {
            let found = chosen(&halves, yardstick);
            same_values(&found, &chosen(&apart, yardstick));
            same_values(&found, &chosen(&both_ways, yardstick));
            assert_eq!((found.comparisons, halves.len()), (400, 600));
            let plain = chosen(&answers().comparisons(), yardstick);
            let value = |of: &Selection| of.candidates[0].standing.unwrap().value.value;
            assert!(
                value(&found) > value(&plain) + 0.01,
                "{yardstick}: ties speak against a sure candidate"
            );
        }
    }
}
