//! Were pairs dropped? A test that needs no label and no prior.
//!
//! For any function g of an item, r = Cov(g(x), g(x′))/(E g(x) − E g(x′))² over recorded comparisons is
//! (1−ε+ε²)/(1−2ε)² under discard, which is 1 for an exact labeller and more for an erring one, and
//! exactly ¼ whenever every random pair was kept, *whoever* ordered it. So r tells discard from forced
//! choice; under forced choice it tells nothing about the labeller. That shows in another place: there
//! P(order | x, x′) − ½ = ½(1−2ε)(p − p′) is additive in the two items, which is tested on binned scores.

use serde::Serialize;

use super::additivity::Additivity;
use super::distribution::{check_level, normal_tail, two_sided};
use super::labeller::ratio_of_error;
use super::ranked::{Contrasts, FoldMeans, PairSums, Ranked};
use super::{HeldOutScores, Interval};
use crate::error::Error;
use crate::protocol::{Collection, Protocol};

/// What became of the pairs, as far as the comparisons tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Pairs were dropped as the paper's protocol says.
    Discard,
    /// Every pair was kept.
    ForcedChoice,
    /// Something else: pairs were not drawn at random, or some were dropped in another way.
    Neither,
    /// The comparisons do not tell.
    Unknown,
}

/// The ratio r when every random pair is kept.
const KEPT: f64 = 0.25;
/// The ratio r under discard with an exact labeller.
const DROPPED: f64 = 1.0;
/// From so many groups on, each is one observation: that allows for all that its comparisons have in common.
const ENOUGH_GROUPS: usize = 20;
/// What is less probable than this is refuted: the data are called `neither`, or contradict what was said.
pub(crate) const REFUTED: f64 = 0.01;
/// One protocol is named when the other is less probable than this.
const DOUBTED: f64 = 0.025;

/// The evidence, and the verdict.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProtocolTest {
    /// What became of the pairs.
    pub verdict: Verdict,
    /// r; absent where the scores part the piles too little to bound it.
    pub ratio: Option<Interval>,
    /// How probable a ratio so far below 1 or more is under discard, with or without labeller error.
    pub discard_probability: f64,
    /// How probable a ratio so far from ¼ or more is when every pair was kept.
    pub forced_choice_probability: f64,
    /// Whether orders are additive, as they must be under forced choice; absent where bins are too thin.
    pub additivity: Option<Additivity>,
    /// What it means, in words.
    pub note: String,
    #[serde(skip)]
    moments: Moments,
}

impl ProtocolTest {
    /// Tests held-out scores of the comparisons.
    pub fn new(scores: &HeldOutScores, level: f64) -> Result<Self, Error> {
        check_level(level)?;
        let ranked = Ranked::new(scores)?;
        let moments = Moments::new(&ranked.contrasts());
        let discard_probability = 1.0 - normal_tail(moments.distance(DROPPED));
        let forced_choice_probability = 2.0 * normal_tail(moments.distance(KEPT).abs());
        let ratio = moments.interval(level);
        let additivity = Additivity::new(&ranked);
        let test = Self {
            verdict: Verdict::Unknown,
            ratio,
            discard_probability,
            forced_choice_probability,
            additivity,
            note: String::new(),
            moments,
        };
        Ok(test.refuting(REFUTED))
    }

    /// The same evidence with another verdict: where many things are tested at once, less is refuted.
    #[must_use]
    pub(crate) fn refuting(self, refuted: f64) -> Self {
        let doubted = DOUBTED / REFUTED * refuted;
        let (discard, forced_choice) = (self.discard_probability, self.forced_choice_probability);
        let verdict = if discard < refuted && forced_choice < refuted {
            Verdict::Neither
        } else if forced_choice < doubted && discard >= refuted {
            Verdict::Discard
        } else if discard < doubted && forced_choice >= refuted {
            Verdict::ForcedChoice
        } else {
            Verdict::Unknown
        };
        let test = Self { verdict, ..self };
        Self { note: test.words(), ..test }
    }

    fn words(&self) -> String {
        let found = self.ratio.map_or_else(
            || "the ratio cannot be bounded".to_owned(),
            |ratio| format!("the ratio is {:.2} ({:.2} to {:.2})", ratio.value, ratio.low, ratio.high),
        );
        let meaning = match self.verdict {
            Verdict::Discard => {
                "pairs were dropped: 1 means discard with an exact labeller, more than 1 a labeller who errs"
            }
            Verdict::ForcedChoice => "every pair was kept, which gives ¼ whoever ordered them",
            Verdict::Neither => {
                "neither ¼ (every pair kept) nor 1 or more (discard): pairs were not drawn at random, or were dropped \
                 in another way, and no method here is made for that"
            }
            Verdict::Unknown if self.moments.is_flat() => {
                "all scores are equal: the scorer learned nothing, so nothing can be tested"
            }
            Verdict::Unknown => {
                "both discard and forced choice are possible; more comparisons or a better scorer would decide it"
            }
        };
        format!("{found}: {meaning}")
    }

    /// What in the comparisons contradicts a protocol that was stated, in words; `None` if nothing does.
    pub fn contradiction(&self, stated: &Protocol) -> Option<String> {
        let (probability, words) = self.against(stated);
        (probability < REFUTED).then_some(words)
    }

    /// How probable such comparisons are under a protocol, and what speaks against it most.
    pub(crate) fn against(&self, stated: &Protocol) -> (f64, String) {
        let found = self.ratio.map_or(String::new(), |ratio| {
            format!(" (ratio {:.2}, {:.2} to {:.2})", ratio.value, ratio.low, ratio.high)
        });
        match stated.collection() {
            Collection::ForcedChoice => {
                let cause = match self.ratio {
                    Some(ratio) if ratio.value < 0.25 => {
                        "the two items of a comparison have less in common than random pairs that were ordered, as if \
                         the columns did not belong together"
                    }
                    _ => "some of the drawn pairs seem to be missing",
                };
                let words = format!("the comparisons do not look like forced choice{found}: {cause}");
                (self.forced_choice_probability, words)
            }
            Collection::Discard => {
                let expected = ratio_of_error(stated.labeller_error());
                let apart = self.moments.distance(expected);
                let errs = 2.0 * normal_tail(apart.abs());
                if self.discard_probability < REFUTED {
                    let words = format!(
                        "the comparisons do not look like discard{found}: pairs that discard would drop seem to be present"
                    );
                    return (errs, words);
                }
                let compared = if apart > 0.0 { "more" } else { "less" };
                let words = format!(
                    "the labeller errs {compared} often than the stated {}{found}, where {expected:.2} was expected",
                    stated.labeller_error()
                );
                (errs, words)
            }
        }
    }
}

/// Cov and (E − E)² of g, within folds, with their variances.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Moments {
    covariance: f64,
    /// The squared difference of the piles' means, without the part that is noise.
    square: f64,
    /// Of the covariance, of the square, and between them.
    variances: [f64; 3],
}

impl Moments {
    fn new(contrasts: &Contrasts) -> Self {
        let folds = contrasts.means();
        let pairs = contrasts.by_pair(&folds);
        // A fold of one pair has neither a covariance nor a spread.
        let counts = |fold: usize| folds[fold].size > 1.0 + 1e-9;
        let total: f64 = (0..folds.len())
            .filter(|fold| counts(*fold))
            .map(|fold| folds[fold].weight)
            .sum();
        let total = total.max(f64::MIN_POSITIVE);
        // A fold's covariance is the sum of products by count − 1.
        let unbiased = |size: f64| size / (size - 1.0).max(1e-9);
        let apart = |pair: &PairSums| pair.centred[0] - pair.centred[1];
        let (mut covariances, mut noises) = (vec![0.0; folds.len()], vec![0.0; folds.len()]);
        let (mut covariance, mut square) = (0.0, 0.0);
        for pair in pairs.iter().filter(|pair| counts(pair.fold)) {
            let FoldMeans { means: [likelier, other], weight, size } = folds[pair.fold];
            let (weight, unbiased) = (weight.max(f64::MIN_POSITIVE), unbiased(size));
            covariances[pair.fold] += pair.product * unbiased / weight;
            covariance += pair.product * unbiased / total;
            let noise = apart(pair).powi(2) * unbiased / weight;
            noises[pair.fold] += noise / weight;
            square += (pair.weight * (likelier - other).powi(2) - noise) / total;
        }
        // Two different items of a small group have less in common than two of the population that it was drawn from.
        for (fold, lost) in contrasts
            .lost_to_few_items()
            .into_iter()
            .enumerate()
            .filter(|(fold, _)| counts(*fold))
        {
            covariances[fold] += lost;
            covariance += folds[fold].weight / total * lost;
        }
        let of_pair = |pair: &PairSums| {
            if !counts(pair.fold) {
                return [0.0; 2];
            }
            let [likelier, other] = folds[pair.fold].means;
            let of_covariance = pair.product - pair.weight * covariances[pair.fold];
            let of_square = 2.0 * (likelier - other) * apart(pair);
            [of_covariance / total, of_square / total]
        };
        let matrix = match &contrasts.dyads {
            _ if contrasts.in_groups
                && (0..folds.len()).filter(|fold| counts(*fold)).count() >= ENOUGH_GROUPS =>
            {
                let of_group = |group: usize| {
                    let [likelier, other] = folds[group].means;
                    let weight = folds[group].weight / total;
                    let noise = noises[group];
                    [
                        weight * (covariances[group] - covariance),
                        weight * ((likelier - other).powi(2) - noise - square),
                    ]
                };
                outer((0..folds.len()).filter(|group| counts(*group)).map(of_group))
            }
            Some(dyads) => {
                // The sums are those of pairs, and each counts once.
                let mut seen = vec![false; pairs.len()];
                let first: Vec<bool> = contrasts
                    .pair
                    .iter()
                    .map(|pair| !std::mem::replace(&mut seen[*pair], true))
                    .collect();
                let value = |at: usize| {
                    if first[at] { of_pair(&pairs[contrasts.pair[at]]) } else { [0.0; 2] }
                };
                dyads.covariance(value).matrix_along([1.0, -KEPT])
            }
            None => outer(pairs.iter().map(of_pair)),
        };
        Self { covariance, square, variances: [matrix[0][0], matrix[1][1], matrix[0][1]] }
    }

    /// Whether g is the same everywhere.
    fn is_flat(&self) -> bool {
        self.variances[0] <= 0.0
    }

    /// How many standard errors r lies above a value. Well defined however small the contrast.
    pub(super) fn distance(&self, ratio: f64) -> f64 {
        let [of_covariance, of_square, between] = self.variances;
        let variance = of_covariance + ratio * ratio * of_square - 2.0 * ratio * between;
        if variance <= 0.0 { 0.0 } else { (self.covariance - ratio * self.square) / variance.sqrt() }
    }

    /// All r that are not refuted (Fieller), if they are bounded.
    fn interval(&self, level: f64) -> Option<Interval> {
        let scale = two_sided(level).powi(2);
        let [of_covariance, of_square, between] = self.variances;
        let leading = self.square * self.square - scale * of_square;
        if leading <= 0.0 || self.square <= 0.0 {
            return None;
        }
        let half = self.covariance * self.square - scale * between;
        let rest = self.covariance * self.covariance - scale * of_covariance;
        let root = (half * half - leading * rest).max(0.0).sqrt();
        let value = self.covariance / self.square;
        let (low, high) = ((half - root) / leading, (half + root) / leading);
        Some(Interval { value, low: low.min(value), high: high.max(value), level })
    }
}

/// Σ v vᵀ.
fn outer(values: impl Iterator<Item = [f64; 2]>) -> [[f64; 2]; 2] {
    values.fold([[0.0; 2]; 2], |[[a, b], [_, d]], [one, two]| {
        [[a + one * one, b + one * two], [b + one * two, d + two * two]]
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prior::Prior;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_ratio_is_what_the_algebra_says_for_every_score(
            p in 0.02..0.98_f64, e in 0.0..0.45_f64, means in (-3.0..3.0_f64, -3.0..3.0_f64),
        ) {
            prop_assume!((means.0 - means.1).abs() > 0.1);
            // g has mean `means` in the classes and is independent inside a pair given the labels.
            let mean = [means.0, means.1];
            let ratio = |collection| {
                let joint = Protocol::new(collection, e).unwrap().label_joint(Prior::new(p).unwrap());
                let sum = |of: &dyn Fn(usize, usize) -> f64| -> f64 {
                    [(0, 0), (0, 1), (1, 0), (1, 1)].iter().map(|(y, z)| joint[*y][*z] * of(*y, *z)).sum()
                };
                let (first, second) = (sum(&|y, _| mean[y]), sum(&|_, z| mean[z]));
                (sum(&|y, z| mean[y] * mean[z]) - first * second) / (first - second).powi(2)
            };
            let expected = ratio_of_error(e);
            prop_assert!((ratio(Collection::Discard) - expected).abs() < 1e-6 * expected);
            prop_assert!((ratio(Collection::ForcedChoice) - KEPT).abs() < 1e-6 / (1.0 - 2.0 * e).powi(2));
        }

        #[test]
        fn the_ends_of_the_interval_are_as_far_away_as_its_level_says(
            covariance in 0.1..1.0_f64, square in 0.2..1.0_f64, spread in 0.001..0.003_f64, tie in -0.9..0.9_f64,
        ) {
            let variances = [spread, 0.5 * spread, tie * spread * 0.5_f64.sqrt()];
            let moments = Moments { covariance, square, variances };
            let interval = moments.interval(0.95).unwrap();
            for end in [interval.low, interval.high] {
                prop_assert!((moments.distance(end).abs() - two_sided(0.95)).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn moments_do_not_depend_on_the_unit_that_weights_are_given_in() {
        let moments = |unit: f64| {
            Moments::new(&Contrasts {
                likelier: (0..90).map(|k| f64::from(k * 37 % 90) / 90.0).collect(),
                other: (0..90).map(|k| f64::from(k * 53 % 90) / 120.0).collect(),
                weights: (0..90).map(|k| unit * f64::from(1 + k % 3)).collect(),
                // Some pairs were asked twice.
                pair: (0..90).map(|k| k - usize::from(k % 4 == 1)).collect(),
                pairs: 90,
                fold: (0..90).map(|k| k / 30).collect(),
                folds: 3,
                in_groups: false,
                dyads: None,
            })
        };
        let (one, four) = (moments(1.0), moments(4.0));
        for (one, four) in [one.covariance, one.square]
            .iter()
            .chain(&one.variances)
            .zip([four.covariance, four.square].iter().chain(&four.variances))
        {
            assert!((one - four).abs() < 1e-12 && *one != 0.0, "{one} is not {four}");
        }
    }

    #[test]
    fn scores_that_are_all_equal_test_nothing() {
        let scores = HeldOutScores::of_one_model(vec![0.5; 100], vec![0.5; 100]).unwrap();
        let test = ProtocolTest::new(&scores, 0.95).unwrap();
        assert_eq!((test.verdict, test.ratio), (Verdict::Unknown, None));
        assert!(test.note.contains("all scores are equal"), "{}", test.note);
        assert!(test.additivity.is_none());
        assert!(test.contradiction(&Protocol::DISCARD).is_none());
        assert!(test.contradiction(&Protocol::FORCED_CHOICE).is_none());
    }

    #[test]
    fn the_verdict_has_the_names_that_were_promised() {
        let names = [Verdict::Discard, Verdict::ForcedChoice, Verdict::Neither, Verdict::Unknown]
            .map(|verdict| serde_json::to_value(verdict).unwrap());
        assert_eq!(names, ["discard", "forced-choice", "neither", "unknown"]);
    }
}
