//! Which candidate is chosen: the first, which is the default, unless another is clearly better.
//!
//! A yardstick gives each comparison one number, smaller is better. A candidate c is ahead of the default by
//! d = mean of (v_i of the default − v_i of c), with a standard error s that is *paired over comparisons* and
//! allows for shared items and for pairs asked again. It is clearly better if d > z·s′, where
//!
//! - s′² = s²·(1 + n/n₁). The comparisons are independent, but the K models that score them are not: their
//!   training comparisons overlap, and a lucky draw of these favours a candidate in all folds. With n answers
//!   in all, n₁ of which a model is trained on, this is the correction of Nadeau and Bengio (2003): 1.5 times
//!   the standard error with five folds.
//! - z leaves a tail of level/m, with m challengers: the best of many is partly so by luck (Bonferroni).
//!
//! So the default is left by mistake in at most a share `level` of choices, however many candidates there are.
//! Of several that are clearly better, the one with the largest d − z·s′ is chosen: the gain that is sure.
//!
//! Why not take the best, or the first that cannot be told from it: with few comparisons differences are noise,
//! the default is what served best on many data sets, and leaving it for noise costs accuracy
//! (`reproduce/runs/2026-11-17-select`).

use serde::Serialize;

use super::{Candidate, OutOfFold, Yardstick};
use crate::error::Error;
use crate::estimate::Interval;
use crate::estimate::distribution::{Confidence, check_level, normal_above};
use crate::estimate::metrics::{Affine, Assumptions, HeldOut, Spread};

/// How to choose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SelectionRule {
    /// What candidates are compared by.
    pub yardstick: Yardstick,
    /// How often the default may be left for a candidate that is no better.
    pub level: f64,
}

impl Default for SelectionRule {
    fn default() -> Self {
        Self { yardstick: Yardstick::default(), level: 0.05 }
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

/// How good a candidate is beside the default.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Standing {
    /// The criterion with its interval; smaller is better.
    pub value: Interval,
    /// How far it is ahead of the default; below 0 it is behind.
    pub ahead: f64,
    /// The standard error of that difference, folds that share training comparisons allowed for.
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
    /// The name of the default: the first whose training did not break down.
    pub default: String,
    /// The name of the one with the smallest value.
    pub best: String,
    /// By how many standard errors a candidate must be ahead of the default to be clearly better.
    pub needed_errors: f64,
    /// All candidates in their declared order.
    pub candidates: Vec<Contender>,
}

impl Selection {
    /// The chosen one of the candidates that were chosen from.
    #[doc(hidden)]
    pub fn of<'c>(&self, candidates: &'c [Candidate]) -> Option<&'c Candidate> {
        candidates.iter().find(|candidate| candidate.name == self.chosen)
    }
}

impl OutOfFold<'_> {
    /// Chooses the default, or what is clearly better.
    pub fn choose(&self, rule: &SelectionRule) -> Result<Selection, Error> {
        check_level(rule.level)?;
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
        let default = values.iter().position(Option::is_some).unwrap_or(0);
        let overlap = (1.0 + self.comparisons.answers() as f64 / self.trained).sqrt();
        let standing = |own: &Vec<f64>| {
            let of_default = values[default].as_ref()?;
            let difference = mean_of(&|at| of_default[at] - own[at]);
            Some(Standing {
                value: mean_of(&|at| own[at]),
                ahead: difference.value,
                standard_error: overlap * difference.width() / (2.0 * confidence.errors),
            })
        };
        let standings: Vec<Option<Standing>> =
            values.iter().map(|own| own.as_ref().and_then(standing)).collect();
        let challengers = standings.iter().flatten().count().saturating_sub(1).max(1);
        let needed_errors = normal_above(rule.level / challengers as f64);
        // Of equals the first.
        let least = |of: &dyn Fn(&Standing) -> f64| {
            let at = |at: usize| standings[at].as_ref().map_or(f64::INFINITY, of);
            (0..standings.len()).min_by(|a, b| at(*a).total_cmp(&at(*b))).unwrap_or(default)
        };
        let sure = |of: &Standing| of.ahead - needed_errors * of.standard_error;
        let surest = least(&|of| -sure(of));
        let is_clear = standings[surest].as_ref().is_some_and(|of| sure(of) > 0.0);
        let chosen = if is_clear { surest } else { default };
        let best = least(&|of| of.value.value);
        let name = |at: usize| self.names[at].clone();
        Ok(Selection {
            yardstick: rule.yardstick,
            comparisons: self.comparisons.answers(),
            folds: self.folds,
            chosen: name(chosen),
            default: name(default),
            best: name(best),
            needed_errors,
            candidates: (0..standings.len())
                .map(|at| Contender { name: name(at), standing: standings[at] })
                .collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Answers, Comparisons};
    use crate::estimate::HeldOutScores;
    use crate::prior::Prior;
    use crate::protocol::Protocol;
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
        let judged = OutOfFold {
            comparisons,
            prior,
            protocol,
            names,
            folds: 1,
            trained: 300.0,
            margins: margins.to_vec(),
        };
        judged.choose(&SelectionRule { yardstick, ..SelectionRule::default() }).unwrap()
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
            assert!((one.ahead - two.ahead).abs() < 1e-12, "{one:?} is not {two:?}");
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

    /// In how many of 400 choices the default is left for one of 20 candidates that are no better.
    fn left_by_mistake(trained: f64) -> f64 {
        let comparisons: Comparisons = (0..200).map(|k| (2 * k, 2 * k + 1)).collect();
        let names: Vec<String> = (0..21).map(|candidate| candidate.to_string()).collect();
        let left = |seed: u64| {
            let mut rng = stream(seed, Purpose::Comparisons);
            let mut score = |up: f32| 2.0 * unit(&mut rng) as f32 - 1.0 + up;
            let margins = names.iter().map(|_| {
                let (likelier, other) = (0..200).map(|_| (score(0.2), score(-0.2))).unzip();
                Some(HeldOutScores::of_one_model(likelier, other).unwrap())
            });
            let judged = OutOfFold {
                comparisons: &comparisons,
                prior: Prior::new(0.4).unwrap(),
                protocol: Protocol::FORCED_CHOICE,
                names: names.clone(),
                folds: 5,
                trained,
                margins: margins.collect(),
            };
            let found = judged.choose(&SelectionRule::default()).unwrap();
            assert!((found.needed_errors - 2.807_034).abs() < 1e-5, "20 challengers share a level of 0.05");
            found.chosen != found.default
        };
        (0..400).filter(|seed| left(*seed)).count() as f64 / 400.0
    }

    #[test]
    fn the_default_is_left_by_mistake_no_more_often_than_the_level_says() {
        // Scores that no training connects: the level alone decides. Challengers share the default's noise, so
        // that it is less than 0.05.
        let apart = left_by_mistake(f64::INFINITY);
        assert!((0.01..=0.06).contains(&apart), "{apart}");
        let overlapping = left_by_mistake(160.0);
        assert!(overlapping < 0.5 * apart, "{overlapping} is not well below {apart}");
    }
}
