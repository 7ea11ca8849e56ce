//! Were pairs dropped? A test that needs no label and no prior.
//!
//! For any function g of an item, r = Cov(g(x), g(x′))/(E g(x) − E g(x′))² over recorded comparisons is
//! (1−ε+ε²)/(1−2ε)² under discard, which is 1 for an exact labeller and more for an erring one, and
//! exactly ¼ whenever every random pair was kept, *whoever* ordered it. So r tells discard from forced
//! choice; under forced choice it tells nothing about the labeller. That shows in another place: there
//! P(order | x, x′) − ½ = ½(1−2ε)(p − p′) is additive in the two items, which is tested on binned scores.

use serde::Serialize;

use super::additivity::Additivity;
use super::distribution::{check_level, normal_tail};
use super::labeller::ratio_of_error;
use super::moments::{KEPT, Moments};
use super::ranked::Ranked;
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

/// The ratio r under discard with an exact labeller.
const DROPPED: f64 = 1.0;
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
        let ranked = Ranked::of(scores)?;
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
