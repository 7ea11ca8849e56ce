//! The paper's estimator: the share of shown pairs that was kept.
//!
//! Under discard T = 1 − π(1−π), whatever the labeller's error, so π = ½ ± √(T − ¾). The sign is not in
//! the data. The standard error is √(T(1−T)/N)/|1−2π|: good at 0.2, useless near ½, where T hardly
//! changes with π. T below ¾ happens by chance when π is near ½, and cannot be by more than chance.

use super::{PriorEstimate, PriorEstimator};
use crate::data::Label;
use crate::error::Error;
use crate::estimate::Interval;
use crate::estimate::distribution::{check_level, share_interval};
use crate::protocol::Collection;

/// The prior from how many of the pairs `shown` were `kept`; `rarer` is the class with the smaller
/// share, if that is known.
pub fn kept_share(
    collection: Collection,
    kept: usize,
    shown: usize,
    rarer: Option<Label>,
    level: f64,
) -> Result<PriorEstimate, Error> {
    check_level(level)?;
    if kept == 0 || kept > shown {
        return Err(Error::Setting {
            name: "the number of pairs kept",
            value: format!("{kept} of {shown} shown"),
            allowed: "at least 1 and at most the number shown",
        });
    }
    let says = |interval, note: String| PriorEstimate::of(PriorEstimator::KeptShare, interval, note);
    if collection == Collection::ForcedChoice {
        return Ok(says(None, "under forced choice every pair is kept, whatever the prior".into()));
    }
    if kept == shown {
        let note = "no pair was dropped, as if one class were missing; more likely the pairs were not collected by \
                    discard";
        return Ok(says(None, note.into()));
    }
    let share = share_interval(kept, shown, level);
    if share.high < 0.75 {
        let note = format!(
            "{kept} of {shown} pairs were kept, a share of {:.3}; under discard it cannot be below 0.75, so pairs were \
             dropped for other reasons too",
            share.value
        );
        return Ok(says(None, note));
    }
    let distance = |share: f64| (share - 0.75).max(0.0).sqrt();
    let [near, at, far] = [share.low, share.value, share.high].map(distance);
    let below = Interval { value: 0.5 - at, low: 0.5 - far, high: 0.5 - near, level };
    let above = Interval { value: 0.5 + at, low: 0.5 + near, high: 0.5 + far, level };
    let words = |side: &str| format!("a share of {:.3} of {shown} pairs was kept; {side}", share.value);
    // One interval where the two answers touch.
    if near == 0.0 && rarer.is_none() {
        let interval = Interval { value: 0.5, low: below.low, high: above.high, level };
        let close =
            if at == 0.0 { "it is what a prior of one half gives" } else { "the prior is near one half" };
        let note = words(&format!("{close}, where this estimator hardly sees the prior change"));
        return Ok(says(Some(interval), note));
    }
    Ok(match rarer {
        Some(Label::Positive) => says(Some(below), words("positives are said to be rarer")),
        Some(Label::Negative) => says(Some(above), words("negatives are said to be rarer")),
        None => PriorEstimate {
            candidates: vec![below, above],
            ..says(
                None,
                words(&format!(
                    "the prior is {:.3} if positives are rarer and {:.3} if negatives are, and this number \
                     cannot tell which",
                    below.value, above.value
                )),
            )
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prior::Prior;
    use crate::protocol::Protocol;
    use crate::random::{Purpose, chance, stream};

    fn of(kept: usize, shown: usize, rarer: Option<Label>) -> PriorEstimate {
        kept_share(Collection::Discard, kept, shown, rarer, 0.95).unwrap()
    }

    #[test]
    fn the_kept_share_gives_the_prior_back_on_either_side() {
        for p in [0.05, 0.2, 0.4, 0.6, 0.9] {
            let share = Protocol::DISCARD.kept_share(Prior::new(p).unwrap());
            let shown = 1_000_000_000;
            let kept = (share * f64::from(shown)).round() as usize;
            let rarer = Label::positive_if(p < 0.5);
            let found = of(kept, shown as usize, Some(rarer)).interval.unwrap();
            assert!((found.value - p).abs() < 1e-4 && found.holds(p), "{found:?}");
            let both = of(kept, shown as usize, None);
            assert!(both.interval.is_none());
            let values: Vec<f64> = both.candidates.iter().map(|one| one.value).collect();
            assert!((values[0] + values[1] - 1.0).abs() < 1e-12);
            assert!(values.iter().any(|value| (value - p).abs() < 1e-4));
            assert!(both.note.contains("cannot tell which"), "{}", both.note);
        }
    }

    #[test]
    fn the_interval_holds_the_prior_as_often_as_it_says() {
        let mut rng = stream(5, Purpose::Comparisons);
        for p in [0.2, 0.45, 0.5] {
            let share = Protocol::DISCARD.kept_share(Prior::new(p).unwrap());
            let rarer = (p < 0.4).then_some(Label::Positive);
            let mut held = 0;
            for _ in 0..400 {
                let kept = (0..2000).filter(|_| chance(&mut rng, share)).count();
                let said = of(kept, 2000, rarer);
                let candidates = said.candidates.iter().chain(&said.interval);
                held += usize::from(candidates.into_iter().any(|interval| interval.holds(p)));
            }
            // 380 expected, ± 4.4.
            assert!(held >= 365, "{held} of 400 at {p}");
        }
    }

    #[test]
    fn shares_that_no_prior_gives_are_answered_in_words() {
        let chance = of(745, 1000, None);
        let interval = chance.interval.unwrap();
        assert_eq!(interval.value, 0.5);
        assert!(interval.width() > 0.2 && chance.note.contains("one half"), "{}", chance.note);
        let refuted = of(600, 1000, None);
        assert!(refuted.interval.is_none() && refuted.note.contains("cannot be below 0.75"));
        let all = of(1000, 1000, Some(Label::Positive));
        assert!(all.interval.is_none() && all.note.contains("no pair was dropped"));
        let forced = kept_share(Collection::ForcedChoice, 10, 10, None, 0.95).unwrap();
        assert!(forced.interval.is_none() && forced.note.contains("every pair is kept"));
        assert!(kept_share(Collection::Discard, 11, 10, None, 0.95).is_err());
        assert!(kept_share(Collection::Discard, 0, 10, None, 0.95).is_err());
        assert!(kept_share(Collection::Discard, 8, 10, None, 1.0).is_err());
    }
}
