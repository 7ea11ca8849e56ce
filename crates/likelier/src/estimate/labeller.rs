//! How often does the labeller err on mixed pairs? Three statistics, each for what it can see.
//!
//! | statistic | protocol | equation |
//! |---|---|---|
//! | the ratio r | discard | r = (1−ε+ε²)/(1−2ε)², so ε = ½(1−√(3/(4r−1))) |
//! | the mixture | forced choice | 1−2ε = Δ/(2π(1−π)) = 2(1−κ₁κ₂)/((1+κ₁)(1+κ₂)) |
//! | pairs asked again | forced choice | they disagree at rate ½ − π(1−π)(1−2ε)² |
//!
//! The first stands on nothing but the protocol. The second takes classes that overlap for a labeller
//! that errs: without pure tails only its upper bound holds. The third needs π, and answers that do not
//! remember each other.

use serde::Serialize;

use super::distribution::{check_level, share_interval};
use super::protocol_test::ProtocolTest;
use super::ranked::Ranked;
use super::tails::Tails;
use super::{HeldOutScores, Interval};
use crate::error::Error;

/// Where an estimate of the labeller's error comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LabellerStatistic {
    /// The ratio that tells discard from forced choice.
    Ratio,
    /// The shares of positives in the piles.
    Mixture,
    /// Pairs that were asked more than once.
    AskedAgain,
}

/// The labeller's error ε on mixed pairs, as one statistic sees it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LabellerEstimate {
    /// Which statistic.
    pub statistic: LabellerStatistic,
    /// ε; absent where the statistic cannot tell.
    pub error: Option<Interval>,
    /// Whether an exact labeller is refuted, on the assumptions in the note.
    pub flagged: bool,
    /// What it means and what it assumes, in words.
    pub note: String,
}

impl LabellerEstimate {
    fn of(statistic: LabellerStatistic, error: Option<Interval>, note: impl Into<String>) -> Self {
        let flagged = error.is_some_and(|error| error.low > 0.0);
        Self { statistic, error, flagged, note: note.into() }
    }
}

/// r under discard for a labeller's error.
pub fn ratio_of_error(error: f64) -> f64 {
    (1.0 - error + error * error) / (1.0 - 2.0 * error).powi(2)
}

/// The labeller's error for r under discard; 0 for r up to 1.
pub fn error_of_ratio(ratio: f64) -> f64 {
    0.5 * (1.0 - (3.0 / (4.0 * ratio.max(1.0) - 1.0)).sqrt())
}

/// 1 − 2ε under forced choice, from κ₁ and κ₂.
fn reliability(containment: [f64; 2]) -> f64 {
    let [first, second] = containment;
    2.0 * (1.0 - first * second) / ((1.0 + first) * (1.0 + second))
}

/// ε from 1 − 2ε, kept possible.
fn error_of_reliability(reliability: f64) -> f64 {
    0.5 * (1.0 - reliability.clamp(0.0, 1.0))
}

/// Under discard: from the ratio of a [`ProtocolTest`].
pub fn error_under_discard(test: &ProtocolTest) -> LabellerEstimate {
    let statistic = LabellerStatistic::Ratio;
    let Some(ratio) = test.ratio else {
        let note = "the scores separate the two piles too little to bound the ratio, so the labeller's error is not known";
        return LabellerEstimate::of(statistic, None, note);
    };
    let [value, low, high] = [ratio.value, ratio.low, ratio.high].map(error_of_ratio);
    let error = Interval { value, low, high, level: ratio.level };
    let note = if error.low > 0.0 {
        "if pairs were dropped as discard says, the labeller errs: an exact one gives a ratio of 1"
    } else {
        "if pairs were dropped as discard says, an exact labeller is possible"
    };
    LabellerEstimate::of(statistic, Some(error), note)
}

/// Under forced choice: from the tails of held-out scores.
pub fn error_under_forced_choice(scores: &HeldOutScores, level: f64) -> Result<LabellerEstimate, Error> {
    check_level(level)?;
    let tails = Tails::new(&*Ranked::of(scores)?, level);
    let at = |pick: fn(&super::TailRatio) -> f64| {
        error_of_reliability(reliability(tails.containment.each_ref().map(pick)))
    };
    let (value, low, high) = (at(|side| side.value), at(|side| side.low), at(|side| side.high));
    let statistic = LabellerStatistic::Mixture;
    if high >= 0.5 - 1e-9 {
        let note = "the scores do not tell the two piles apart: any labeller, even one who tosses a coin, is possible";
        return Ok(LabellerEstimate::of(statistic, None, note));
    }
    let error = Interval { value, low: low.min(value), high: high.max(value), level };
    let note = if error.low > 0.0 {
        format!(
            "the labeller errs, or the scorer finds no scores that only positives or only negatives have: this statistic \
             cannot tell which. Either way the error is at most {high:.2}; ask some pairs twice to find out"
        )
    } else {
        format!("an exact labeller is possible, and the error is at most {high:.2}")
    };
    Ok(LabellerEstimate::of(statistic, Some(error), note))
}

/// Pairs that were asked more than once: how many, and how often the answers differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AskedAgain {
    /// Two answers to the same pair, each answer counted once.
    pub answers: usize,
    /// How many of these two differ.
    pub disagreements: usize,
}

/// Under forced choice: from pairs asked again, given the prior.
///
/// The range takes in that of the prior.
pub fn error_from_asking_again(
    asked: &AskedAgain,
    prior: &Interval,
    level: f64,
) -> Result<LabellerEstimate, Error> {
    check_level(level)?;
    let statistic = LabellerStatistic::AskedAgain;
    if asked.disagreements > asked.answers {
        return Err(Error::mismatch("disagreements", asked.disagreements, "answers", asked.answers));
    }
    if asked.answers == 0 {
        let note = "no pair was asked twice, so disagreement cannot show the labeller's error";
        return Ok(LabellerEstimate::of(statistic, None, note));
    }
    let disagree = share_interval(asked.disagreements, asked.answers, level);
    let mixed = |prior: f64| prior * (1.0 - prior);
    let inside = prior.clipped(0.01, 0.99);
    let most = if inside.holds(0.5) { 0.25 } else { mixed(inside.low).max(mixed(inside.high)) };
    let least = mixed(inside.low).min(mixed(inside.high));
    let squared = |disagree: f64, mixed: f64| (0.5 - disagree) / mixed;
    if squared(disagree.high, most) > 1.0 {
        let note = format!(
            "answers to the same pair differ in {:.0} %, less than for any labeller who sees only classes: pairs of one \
             class should be a coin toss. Something orders items of one class, or answers were remembered",
            100.0 * disagree.value
        );
        return Ok(LabellerEstimate::of(statistic, None, note));
    }
    let error = |squared: f64| error_of_reliability(squared.clamp(0.0, 1.0).sqrt());
    let value = error(squared(disagree.value, mixed(inside.value)));
    let low = error(squared(disagree.low, least)).min(value);
    let high = error(squared(disagree.high, most)).max(value);
    let note = format!(
        "answers to the same pair differ in {:.0} % of {} cases; pairs of one class account for a part that follows \
         from the prior, and the labeller for the rest",
        100.0 * disagree.value,
        asked.answers
    );
    Ok(LabellerEstimate::of(statistic, Some(Interval { value, low, high, level }), note))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::tails::containment;
    use crate::prior::Prior;
    use crate::protocol::{Collection, Protocol};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn error_and_ratio_determine_each_other(e in 0.0..0.49_f64) {
            prop_assert!((error_of_ratio(ratio_of_error(e)) - e).abs() < 1e-7);
            prop_assert!(ratio_of_error(e) >= 1.0);
        }

        #[test]
        fn containments_under_forced_choice_give_the_error_back(p in 0.02..0.98_f64, e in 0.0..0.45_f64) {
            let protocol = Protocol::new(Collection::ForcedChoice, e).unwrap();
            let mixture = protocol.mixture(Prior::new(p).unwrap()).unwrap();
            let kappa = containment(&mixture);
            prop_assert!((error_of_reliability(reliability(kappa)) - e).abs() < 1e-9);
            // As THEORY writes it.
            let pooled = mixture.pooled_prior().unwrap();
            let error = 0.5 * (1.0 - mixture.contrast() / (2.0 * pooled.positive() * pooled.negative()));
            prop_assert!((error - e).abs() < 1e-9);
            // Purer tails than there are make the labeller look better, never worse.
            prop_assert!(reliability([kappa[0] * 0.99, kappa[1]]) >= reliability(kappa));
            prop_assert!(reliability([kappa[0], kappa[1] * 0.99]) >= reliability(kappa));
        }

        #[test]
        fn the_rate_of_disagreement_gives_the_error_back(p in 0.1..0.9_f64, e in 0.0..0.45_f64) {
            let q = 1.0 - p;
            let rate = 0.5 * (p * p + q * q) + 4.0 * p * q * e * (1.0 - e);
            prop_assert!((rate - (0.5 - p * q * (1.0 - 2.0 * e).powi(2))).abs() < 1e-12);
            let answers = 1_000_000_000;
            let disagreements = (rate * answers as f64).round() as usize;
            let prior = Interval { value: p, low: p, high: p, level: 0.95 };
            let asked = AskedAgain { answers, disagreements };
            let found = error_from_asking_again(&asked, &prior, 0.95).unwrap();
            // Near ε = 0 or ½ the root makes a small error of the rate a large one.
            prop_assert!((found.error.unwrap().value - e).abs() < 1e-2);
        }
    }

    #[test]
    fn no_answers_and_too_much_agreement_are_answered_in_words() {
        let prior = Interval { value: 0.5, low: 0.45, high: 0.55, level: 0.95 };
        let none = error_from_asking_again(&AskedAgain::default(), &prior, 0.95).unwrap();
        assert!(none.error.is_none() && none.note.contains("no pair was asked twice"));
        let asked = AskedAgain { answers: 1000, disagreements: 20 };
        let remembered = error_from_asking_again(&asked, &prior, 0.95).unwrap();
        assert!(
            remembered.error.is_none() && remembered.note.contains("remembered"),
            "{}",
            remembered.note
        );
        let impossible = AskedAgain { answers: 1, disagreements: 2 };
        assert!(error_from_asking_again(&impossible, &prior, 0.95).is_err());
    }

    #[test]
    fn scores_that_are_all_equal_allow_any_labeller() {
        let scores = HeldOutScores::of_one_model(vec![0.5; 100], vec![0.5; 100]).unwrap();
        let mixture = error_under_forced_choice(&scores, 0.95).unwrap();
        assert!(mixture.error.is_none() && mixture.note.contains("any labeller"), "{mixture:?}");
        let test = ProtocolTest::new(&scores, 0.95).unwrap();
        assert!(error_under_discard(&test).error.is_none());
    }
}
