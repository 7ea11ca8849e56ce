//! Whether answers are what they are said to be, before a model is trained on them.

use serde::Serialize;

use super::belief::out_of_fold;
use super::{LEVEL, Observer, ScorerOptions};
use crate::data::Rows;
use crate::error::Error;
use crate::estimate::diagnosis::{Diagnosis, Finding, Severity};
use crate::estimate::labeller::{
    LabellerEstimate, error_from_asking_again, error_under_discard, error_under_forced_choice,
};
use crate::estimate::prior::best_bin;
use crate::estimate::{Additivity, CrossFit, FEWEST, Interval, ProtocolTest, Verdict};
use crate::prior::Prior;
use crate::protocol::{Collection, Protocol};
use crate::supervision::Supervision;
use crate::train::Control;

/// What was found in the answers.
#[derive(Clone, Debug, Serialize)]
pub struct Checkup {
    /// Whether nothing speaks against training on these answers as stated.
    pub sound: bool,
    /// How the pairs were collected.
    pub protocol: ProtocolCheck,
    /// The labeller's error by each statistic that applies.
    pub labeller: Vec<LabellerEstimate>,
    /// What follows, the gravest first.
    pub findings: Vec<Finding>,
    /// What the answers look like.
    pub diagnosis: Diagnosis,
}

/// How the pairs were collected, as stated and as tested.
#[derive(Clone, Debug, Serialize)]
pub struct ProtocolCheck {
    /// As stated.
    pub stated: Option<Protocol>,
    /// As tested.
    pub verdict: Verdict,
    /// What in the data contradicts the stated protocol.
    pub contradiction: Option<String>,
    /// What the test means.
    pub note: String,
    /// r of the test.
    pub ratio: Option<Interval>,
    /// How probable such a ratio is under discard.
    pub discard_probability: Option<f64>,
    /// How probable it is where every pair was kept.
    pub forced_choice_probability: Option<f64>,
    /// Whether orders are additive.
    pub additivity: Option<Additivity>,
}

/// Looks for what is wrong with answers about the rows.
pub fn check(rows: &Rows, supervision: &Supervision, scorer: &ScorerOptions) -> Result<Checkup, Error> {
    check_with(rows, supervision, scorer, &Control::default(), &mut |_| ())
}

/// The same with control over threads, and news of how it goes.
pub fn check_with(
    rows: &Rows,
    supervision: &Supervision,
    scorer: &ScorerOptions,
    control: &Control<'_>,
    observe: &mut Observer<'_>,
) -> Result<Checkup, Error> {
    let answers = supervision.answers().ok_or(Error::NeedsComparisons)?;
    let diagnosis = Diagnosis::new(answers, rows.len(), LEVEL)?;
    let stated = supervision.stated_protocol();
    let (protocol, labeller) = if answers.len() < FEWEST {
        (ProtocolCheck::untested(stated, answers.len()), Vec::new())
    } else {
        let comparisons = answers.comparisons();
        // Any protocol makes a scorer; without one, take the one that everybody uses.
        let assumed = stated.unwrap_or(Protocol::FORCED_CHOICE);
        let fit = out_of_fold(rows, &comparisons, assumed, scorer, control, observe)?;
        test(&fit, stated, supervision.stated_prior(), &diagnosis)?
    };
    let findings = diagnosis.findings();
    let serious = findings.iter().any(|finding| finding.severity == Severity::Serious);
    let fits = protocol.contradiction.is_none() && protocol.verdict != Verdict::Neither;
    Ok(Checkup { sound: fits && !serious, protocol, labeller, findings, diagnosis })
}

/// The protocol, and the labeller under it.
fn test(
    fit: &CrossFit<'_>,
    stated: Option<Protocol>,
    prior: Option<Prior>,
    diagnosis: &Diagnosis,
) -> Result<(ProtocolCheck, Vec<LabellerEstimate>), Error> {
    let test = ProtocolTest::new(&fit.scores, LEVEL)?;
    let contradiction = stated.and_then(|stated| test.contradiction(&stated));
    // A protocol that the data refute says nothing about the labeller.
    let believed = stated.filter(|_| contradiction.is_none()).map(|protocol| protocol.collection());
    let collection = believed.or(match test.verdict {
        Verdict::Discard => Some(Collection::Discard),
        Verdict::ForcedChoice => Some(Collection::ForcedChoice),
        Verdict::Neither | Verdict::Unknown => None,
    });
    let mut labeller = Vec::new();
    match collection {
        Some(Collection::Discard) => labeller.push(error_under_discard(&test)),
        Some(Collection::ForcedChoice) => {
            labeller.push(error_under_forced_choice(&fit.scores, LEVEL)?);
            let known = |prior: Prior| {
                let value = prior.positive();
                Interval { value, low: value, high: value, level: LEVEL }
            };
            let prior = match prior {
                Some(prior) => Some(known(prior)),
                None => best_bin(&fit.scores, &Protocol::FORCED_CHOICE, LEVEL)?.interval,
            };
            if let Some(prior) = prior.filter(|_| diagnosis.asked_again.answers > 0) {
                labeller.push(error_from_asking_again(&diagnosis.asked_again, &prior, LEVEL)?);
            }
        }
        None => {}
    }
    let check = ProtocolCheck {
        stated,
        verdict: test.verdict,
        contradiction,
        ratio: test.ratio,
        discard_probability: Some(test.discard_probability),
        forced_choice_probability: Some(test.forced_choice_probability),
        additivity: test.additivity,
        note: test.note,
    };
    Ok((check, labeller))
}

impl ProtocolCheck {
    fn untested(stated: Option<Protocol>, answers: usize) -> Self {
        Self {
            stated,
            verdict: Verdict::Unknown,
            contradiction: None,
            note: format!("{answers} comparisons are too few to test; at least {FEWEST} are needed"),
            ratio: None,
            discard_probability: None,
            forced_choice_probability: None,
            additivity: None,
        }
    }
}
