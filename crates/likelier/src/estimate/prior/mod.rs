//! The class prior without labels: three estimators, each with its interval, and which of them to
//! believe.
//!
//! | estimator | needs | stands on |
//! |---|---|---|
//! | `kept_share`, the paper's | how many pairs were shown | discard: T = 1 − π(1−π) |
//! | `best_bin` | held-out scores | tails of the two piles: π ∈ [1−κ₁, κ₂] under discard |
//! | `pool_moment` | the pool the pairs were drawn from | discard: p = (1−b)·p̃₊ + b·p̃₋ |

mod best_bin;
mod kept_share;
#[cfg(feature = "engine")]
mod pool;

use std::fmt;

use serde::Serialize;

pub use best_bin::BestBin;
#[doc(hidden)]
pub use best_bin::best_bin;
#[doc(hidden)]
pub use kept_share::kept_share;
#[cfg(feature = "engine")]
#[doc(hidden)]
pub use pool::pool_moment;

use super::Interval;

/// A way to estimate the class prior.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PriorEstimator {
    /// The share of shown pairs that was kept.
    KeptShare,
    /// The tails of held-out scores.
    BestBin,
    /// The piles against the pool they were drawn from.
    Pool,
}

impl PriorEstimator {
    /// The name used in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::KeptShare => "kept-share",
            Self::BestBin => "best-bin",
            Self::Pool => "pool",
        }
    }
}

impl fmt::Display for PriorEstimator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What one estimator has to say.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PriorEstimate {
    /// Who says it.
    pub estimator: PriorEstimator,
    /// The prior; absent where the estimator cannot tell, or has two answers.
    pub interval: Option<Interval>,
    /// The two answers of an estimator that does not know which class is rarer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<Interval>,
    /// What it means, in words.
    pub note: String,
    /// What best-bin estimation found on the way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<BestBin>,
    /// Why its answer is not to be believed, where it is not given.
    #[serde(skip)]
    withheld: Option<String>,
}

impl PriorEstimate {
    fn of(estimator: PriorEstimator, interval: Option<Interval>, note: impl Into<String>) -> Self {
        Self {
            estimator,
            interval,
            candidates: Vec::new(),
            note: note.into(),
            details: None,
            withheld: None,
        }
    }

    /// The same without its answer, for a reason.
    #[must_use]
    pub(crate) fn withheld(self, reason: String) -> Self {
        let note = format!("withheld: {reason}. Without that it would be: {}", self.note);
        Self { interval: None, candidates: Vec::new(), note, withheld: Some(reason), ..self }
    }
}

/// All estimates, and which of them to believe.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PriorReport {
    /// The narrowest interval; from 0 to 1 if there is none.
    pub prior: Interval,
    /// Whose it is; absent when the data cannot tell the prior.
    pub recommended: Option<PriorEstimator>,
    /// Why.
    pub reasons: Vec<String>,
    /// All of them.
    pub estimates: Vec<PriorEstimate>,
    /// Why an answer was withheld, where one was.
    #[serde(skip)]
    pub withheld: Option<String>,
}

/// A wider interval is not called knowledge: ± 0.1.
pub const WIDEST: f64 = 0.2;

/// Weighs estimates against each other: the narrowest interval, unless it is too wide to be of use or
/// another one contradicts it.
pub fn recommend(estimates: Vec<PriorEstimate>) -> PriorReport {
    let withheld = estimates.iter().find_map(|estimate| estimate.withheld.clone());
    let mut reasons = Vec::new();
    for estimate in &estimates {
        if let Some(reason) = &estimate.withheld {
            reasons.push(format!("the answer of {} is withheld: {reason}", estimate.estimator));
        }
    }
    let mut known: Vec<(PriorEstimator, Interval)> = estimates
        .iter()
        .filter_map(|estimate| estimate.interval.map(|interval| (estimate.estimator, interval)))
        .collect();
    // An estimator with two answers is settled by one with a single answer that meets only one of them.
    for undecided in estimates.iter().filter(|estimate| !estimate.candidates.is_empty()) {
        for (judge, interval) in known.clone() {
            let met: Vec<&Interval> = undecided
                .candidates
                .iter()
                .filter(|candidate| overlap(candidate, &interval))
                .collect();
            if let [only] = met[..] {
                reasons.push(format!(
                    "{judge} ({}) settles which of the two answers of {} holds: {}",
                    range(&interval),
                    undecided.estimator,
                    range(only)
                ));
                known.push((undecided.estimator, *only));
                break;
            }
        }
    }
    let nothing = Interval { value: 0.5, low: 0.0, high: 1.0, level: 1.0 };
    let Some(&(best, prior)) = known.iter().min_by(|a, b| a.1.width().total_cmp(&b.1.width())) else {
        reasons.push("no estimator has an answer, so the prior is not known".into());
        return PriorReport { prior: nothing, recommended: None, reasons, estimates, withheld };
    };
    let mut recommended = Some(best);
    for (contrary, interval) in &known {
        if !overlap(interval, &prior) {
            reasons.push(format!(
                "{contrary} ({}) contradicts {best} ({}): the protocol or the labeller error may not be what was \
                 stated, so the prior is not known",
                range(interval),
                range(&prior)
            ));
            recommended = None;
        }
    }
    if prior.width() > WIDEST {
        reasons.push(format!(
            "the narrowest interval, {} by {best}, is wider than {WIDEST}: these comparisons do not reveal the prior",
            range(&prior)
        ));
        recommended = None;
    } else if recommended.is_some() {
        let others = if known.len() > 1 { "; the others agree with it" } else { "" };
        reasons.push(format!("{best} has the narrowest interval, {}{others}", range(&prior)));
    }
    PriorReport { prior, recommended, reasons, estimates, withheld }
}

fn overlap(a: &Interval, b: &Interval) -> bool {
    a.low <= b.high && b.low <= a.high
}

fn range(interval: &Interval) -> String {
    format!("{:.3} to {:.3}", interval.low, interval.high)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(low: f64, high: f64) -> Interval {
        Interval { value: f64::midpoint(low, high), low, high, level: 0.95 }
    }

    fn says(estimator: PriorEstimator, low: f64, high: f64) -> PriorEstimate {
        PriorEstimate::of(estimator, Some(interval(low, high)), "")
    }

    #[test]
    fn the_narrowest_of_agreeing_estimates_is_recommended() {
        let report = recommend(vec![
            says(PriorEstimator::BestBin, 0.1, 0.3),
            says(PriorEstimator::Pool, 0.18, 0.26),
        ]);
        assert_eq!(report.recommended, Some(PriorEstimator::Pool));
        assert_eq!(report.prior, interval(0.18, 0.26));
        assert!(report.reasons[0].contains("narrowest") && report.reasons[0].contains("agree"));
    }

    #[test]
    fn wide_contradicting_or_missing_estimates_are_not_knowledge() {
        let wide = recommend(vec![says(PriorEstimator::BestBin, 0.1, 0.6)]);
        assert_eq!((wide.recommended, wide.prior), (None, interval(0.1, 0.6)));
        assert!(wide.reasons[0].contains("do not reveal"), "{:?}", wide.reasons);
        let at_odds = recommend(vec![
            says(PriorEstimator::BestBin, 0.1, 0.2),
            says(PriorEstimator::KeptShare, 0.3, 0.45),
        ]);
        assert_eq!(at_odds.recommended, None);
        assert!(at_odds.reasons[0].contains("kept-share (0.300 to 0.450) contradicts best-bin"));
        let none = recommend(vec![PriorEstimate::of(PriorEstimator::Pool, None, "")]);
        assert_eq!((none.recommended, none.prior.width()), (None, 1.0));
    }

    #[test]
    fn two_answers_are_settled_by_an_estimate_that_meets_one_of_them() {
        let both = PriorEstimate {
            candidates: vec![interval(0.18, 0.22), interval(0.78, 0.82)],
            ..PriorEstimate::of(PriorEstimator::KeptShare, None, "")
        };
        let report = recommend(vec![both.clone(), says(PriorEstimator::BestBin, 0.15, 0.4)]);
        assert_eq!(report.recommended, Some(PriorEstimator::KeptShare));
        assert_eq!(report.prior, interval(0.18, 0.22));
        let open = recommend(vec![both, says(PriorEstimator::BestBin, 0.1, 0.9)]);
        assert_eq!(open.recommended, None);
    }

    #[test]
    fn the_report_is_the_json_that_was_promised() {
        let json = serde_json::to_value(recommend(vec![says(PriorEstimator::BestBin, 0.1, 0.25)])).unwrap();
        assert_eq!(json["recommended"], "best-bin");
        assert_eq!(json["prior"]["level"], 0.95);
        assert_eq!(json["estimates"][0]["estimator"], "best-bin");
        assert!(json["estimates"][0].get("candidates").is_none());
    }
}
