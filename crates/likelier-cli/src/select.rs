//! `likelier train --select`: method, weight decay and learning rate by comparisons that a candidate has not seen.
//!
//! Each method comes in the configuration that is recommended for it, and with other weight decays and learning rates.
//! The first candidate is what would be trained without `--select`. What was held out to judge the model is not looked
//! at.

use std::fmt::Write as _;

use anyhow::{Context, Result, bail};
use likelier::Method;
use likelier::data::{Comparisons, Rows};
use likelier::estimate::FEWEST;
use likelier::estimate::selection::{Dealing, Grid, Judged as OfCandidate, Rule, Yardstick, draw, select};
use likelier::model::Architecture;
use likelier::train::{Config, Control};
use serde::Serialize;

use crate::input::Judged;
use crate::output::Warning;
use crate::scoring::{NoPairs, TooFew};
use crate::talk;

/// Methods that are tried beside the one that is the default.
pub(crate) const METHODS: [Method; 4] =
    [Method::PairPosterior, Method::Likelihood, Method::PcompRelu, Method::RankPruning];
/// Weight decays that are tried beside the default.
const WEIGHT_DECAYS: [f64; 2] = [1e-5, 1e-2];
/// Networks take long: only so many candidates are tried, drawn by the seed.
const MOST_NETWORKS: usize = 8;

/// What the command line left open, besides the method.
#[derive(Clone, Copy)]
pub(crate) struct Open {
    pub(crate) weight_decay: bool,
    pub(crate) learning_rate: bool,
}

/// What was chosen from, and how.
#[derive(Serialize)]
pub(crate) struct Selected {
    yardstick: Yardstick,
    comparisons: usize,
    folds: usize,
    chosen: String,
    best: String,
    /// The simplest first.
    candidates: Vec<OfCandidate>,
}

/// Chooses a configuration; the comparisons are those to train on, the bases are one for each method.
pub(crate) fn choose(
    bases: &[Config],
    open: Open,
    rows: &Rows,
    judged: &Judged,
    threads: Option<usize>,
    warnings: &mut Vec<Warning>,
) -> Result<(Config, Selected)> {
    let Judged::Pairs { judgements, .. } = judged else { bail!(NoPairs) };
    if judgements.weights.is_some() {
        warnings.push(Warning {
            code: "selection-without-weights",
            message: "--select counts every comparison the same; the weights are used in training only"
                .into(),
        });
    }
    // A tie says nothing about which of two candidates is better.
    let tie = |at: usize| judgements.ties.as_ref().is_some_and(|ties| ties[at]);
    let decided = judgements.comparisons.iter().enumerate().filter(|(at, _)| !tie(*at));
    let comparisons: Comparisons = decided.map(|(_, pair)| pair).collect();
    if comparisons.len() < FEWEST {
        bail!(TooFew { found: comparisons.len() });
    }

    let mut all = Vec::new();
    for base in bases {
        let mut grid = Grid::around(base.clone());
        if open.weight_decay {
            grid.weight_decays
                .extend(WEIGHT_DECAYS.into_iter().filter(|decay| *decay != base.weight_decay));
        }
        if open.learning_rate {
            grid.learning_rates
                .extend([base.learning_rate / 10.0, base.learning_rate * 10.0]);
        }
        all.extend(grid.candidates());
    }
    let base = bases.first().context("no candidate")?;
    let candidates = match base.architecture {
        Architecture::Linear => all,
        _ => draw(all, MOST_NETWORKS, base.seed),
    };
    let dealing = Dealing { seed: base.seed, ..Dealing::default() };
    let bar = talk::bar(0, "choosing: {pos} of {len} trainings, {eta} left");
    let control = Control { threads, ..Control::default() };
    let observe = |done: usize, all: usize| {
        bar.set_length(all as u64);
        bar.set_position(done as u64);
        talk::detail(|| format!("choosing: training {done} of {all}"));
    };
    let selection = select(rows, &comparisons, &candidates, &dealing, &Rule::default(), &control, observe)?;
    bar.finish_and_clear();
    let chosen = candidates.get(selection.chosen).context("no candidate")?;
    let best = candidates.get(selection.best).context("no candidate")?;
    let selected = Selected {
        yardstick: selection.yardstick,
        comparisons: comparisons.len(),
        folds: dealing.folds,
        chosen: chosen.name.clone(),
        best: best.name.clone(),
        candidates: selection.judged,
    };
    Ok((chosen.config.clone(), selected))
}

impl Selected {
    pub(crate) fn text(&self) -> String {
        let names = self.candidates.iter().map(|one| one.name.len());
        let width = names.chain(["candidate".len()]).max().unwrap_or(0);
        let mut text = format!(
            "  chosen from {}, by the {} of {} comparisons in {} folds (less is better):\n    {:<width$}  held out   \
             behind the best\n",
            self.candidates.len(),
            self.yardstick,
            self.comparisons,
            self.folds,
            "candidate"
        );
        for OfCandidate { name, standing } in &self.candidates {
            let mark = if *name == self.chosen { "→" } else { " " };
            let _ = match standing {
                Some(of) if *name == self.best => {
                    writeln!(text, "  {mark} {name:<width$}    {:.4}   the best", of.value.value)
                }
                Some(of) => writeln!(
                    text,
                    "  {mark} {name:<width$}    {:.4}   {:.4} ± {:.4}",
                    of.value.value, of.behind, of.standard_error
                ),
                None => writeln!(text, "  {mark} {name:<width$}         –   its training broke down"),
            };
        }
        text.push_str(if self.chosen == self.best {
            "  → is the best, and none before it comes within one standard error of it\n"
        } else {
            "  → is the first of the list that is at most one standard error (±) behind the best\n"
        });
        text
    }
}

#[cfg(test)]
mod tests {
    use likelier::estimate::Interval;
    use likelier::estimate::selection::Standing;

    use super::*;

    #[test]
    fn the_table_marks_the_chosen_one_and_says_whose_training_broke_down() {
        let standing = |value, behind| Standing {
            value: Interval { value, low: value, high: value, level: 0.95 },
            behind,
            standard_error: 0.02,
        };
        let one = |name: &str, standing| OfCandidate { name: name.into(), standing };
        let selected = Selected {
            yardstick: Yardstick::Orientation,
            comparisons: 100,
            folds: 5,
            chosen: "first".into(),
            best: "second".into(),
            candidates: vec![
                one("wild", None),
                one("first", Some(standing(0.51, 0.01))),
                one("second", Some(standing(0.5, 0.0))),
            ],
        };
        assert_eq!(
            selected.text(),
            "  chosen from 3, by the orientation of 100 comparisons in 5 folds (less is better):
    candidate  held out   behind the best
    wild              –   its training broke down
  → first        0.5100   0.0100 ± 0.0200
    second       0.5000   the best
  → is the first of the list that is at most one standard error (±) behind the best
"
        );
    }
}
