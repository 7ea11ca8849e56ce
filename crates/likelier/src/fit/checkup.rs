//! Whether answers are what they are said to be, before a model is trained on them.

use serde::Serialize;

use super::belief::out_of_fold;
use super::{LEVEL, Observer, ScorerOptions};
use crate::data::{Answers, Comparisons, Rows};
use crate::error::Error;
use crate::estimate::diagnosis::family::{Suspicion, convicted, each_of};
use crate::estimate::diagnosis::remark::Remark;
use crate::estimate::diagnosis::scored::{Explained, errs_more, grading, reliability};
use crate::estimate::diagnosis::{BesideOthers, Diagnosis, Finding, Headline, Severity, findings};
use crate::estimate::labeller::{
    LabellerEstimate, error_from_asking_again, error_under_discard, error_under_forced_choice,
};
use crate::estimate::prior::best_bin;
use crate::estimate::{
    Additivity, FEWEST, HeldOutScores, Interval, LearnedFrom, ProtocolTest, REFUTED, Verdict,
};
use crate::prior::Prior;
use crate::protocol::{Collection, Protocol};
use crate::supervision::Supervision;
use crate::train::Control;

/// What was found in the answers.
#[derive(Clone, Debug, Serialize)]
pub struct Checkup {
    /// Whether nothing speaks against training on these answers as stated.
    pub sound: bool,
    /// What must be known first.
    pub headline: Headline,
    /// Whether the features explain the answers; absent where there are too few to tell.
    pub explained: Option<Explained>,
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
    answers.to_one_question()?;
    let stated = supervision.stated_protocol();
    let mut look = Look::default();
    let enough = answers.len() >= FEWEST;
    let comparisons = if enough { answers.comparisons() } else { Comparisons::default() };
    // Any protocol makes a scorer; without one, take the one that everybody uses.
    let assumed = stated.unwrap_or(Protocol::FORCED_CHOICE);
    let fit = || enough.then(|| out_of_fold(rows, &comparisons, assumed, scorer, control, observe));
    let (diagnosis, fit) = rayon::join(|| Diagnosis::new(answers, rows.len(), LEVEL), fit);
    let diagnosis = diagnosis?;
    let tested = if let Some(fit) = fit.transpose()? {
        look.sample = fit.sample;
        let scores = within_groups(fit.scores, &comparisons, &diagnosis)?;
        Some(look.at_scores(&scores, &comparisons, answers, supervision, &diagnosis)?)
    } else {
        None
    };
    look.suspicions.extend(diagnosis.suspicions(std::mem::take(&mut look.measured)));
    let mut remarks = convicted(&look.suspicions);
    let contradiction = remarks.iter().find_map(|remark| match remark {
        Remark::Contradicted { words } => Some(words.clone()),
        _ => None,
    });
    let protocol = match tested {
        None => ProtocolCheck::untested(stated, answers.len()),
        Some(test) => {
            // Where nothing is explained, nothing is known about the protocol, either.
            let refuted =
                if look.unexplained.is_some() { 0.0 } else { REFUTED.min(each_of(look.suspicions.len())) };
            ProtocolCheck::of(test.refuting(refuted), stated, contradiction.filter(|_| stated.is_some()))
        }
    };
    remarks.extend(look.unexplained);
    remarks.extend(diagnosis.notes(&remarks));
    remarks.extend(look.sample.map(Remark::Sampled));
    let findings = findings(&remarks);
    let sound = findings.iter().all(|finding| finding.severity != Severity::Serious);
    let headline = Headline::of(&remarks);
    Ok(Checkup {
        sound,
        headline,
        explained: look.explained,
        protocol,
        labeller: look.labeller,
        findings,
        diagnosis,
    })
}

/// Scores that know the groups that pairs come in.
pub(super) fn within_groups(
    scores: HeldOutScores,
    comparisons: &Comparisons,
    diagnosis: &Diagnosis,
) -> Result<HeldOutScores, Error> {
    let Some(groups) = diagnosis.found_groups() else { return Ok(scores) };
    let of = (0..comparisons.len())
        .map(|at| groups.of[comparisons.groups().of(at)])
        .collect();
    scores.grouped(of)
}

/// What is found on the way.
#[derive(Default)]
struct Look {
    suspicions: Vec<Suspicion>,
    measured: Vec<BesideOthers>,
    unexplained: Option<Remark>,
    sample: Option<LearnedFrom>,
    explained: Option<Explained>,
    labeller: Vec<LabellerEstimate>,
}

impl Look {
    /// What held-out scores show: the protocol, and the labeller under it.
    fn at_scores(
        &mut self,
        scores: &HeldOutScores,
        comparisons: &Comparisons,
        answers: &Answers,
        supervision: &Supervision,
        diagnosis: &Diagnosis,
    ) -> Result<ProtocolTest, Error> {
        let explained = Explained::new(scores, comparisons, LEVEL)?;
        self.unexplained = explained.remark(diagnosis);
        self.explained = Some(explained);
        let test = ProtocolTest::new(scores, LEVEL)?;
        if self.unexplained.is_some() {
            return Ok(test);
        }
        let stated = supervision.stated_protocol();
        let (probability, words) = match stated {
            Some(stated) => test.against(&stated),
            None => (test.discard_probability.max(test.forced_choice_probability), test.note.clone()),
        };
        self.suspicions.push(Suspicion::new(
            probability,
            probability < REFUTED,
            Remark::Contradicted { words },
        ));
        let (measured, drift) = reliability(diagnosis, scores, comparisons, answers)?;
        self.measured = measured;
        self.suspicions.extend(drift);
        // A protocol that the data refute says nothing about the labeller.
        let believed = stated.filter(|_| probability >= REFUTED).map(|protocol| protocol.collection());
        let collection = believed.or(match test.verdict {
            Verdict::Discard => Some(Collection::Discard),
            Verdict::ForcedChoice => Some(Collection::ForcedChoice),
            Verdict::Neither | Verdict::Unknown => None,
        });
        match collection {
            Some(Collection::Discard) => self.labeller.push(error_under_discard(&test)),
            Some(Collection::ForcedChoice) => self.forced_choice(scores, &test, supervision, diagnosis)?,
            None => {}
        }
        Ok(test)
    }

    fn forced_choice(
        &mut self,
        scores: &HeldOutScores,
        test: &ProtocolTest,
        supervision: &Supervision,
        diagnosis: &Diagnosis,
    ) -> Result<(), Error> {
        let stated = supervision.stated_prior().map(Prior::positive);
        let graded = grading(diagnosis, test.additivity.as_ref(), stated);
        let doubted = graded.as_ref().is_some_and(|graded| graded.probability < each_of(5));
        self.suspicions.extend(graded);
        self.labeller.push(error_under_forced_choice(scores, LEVEL)?);
        let prior = match stated {
            Some(value) => Some(Interval { value, low: value, high: value, level: LEVEL }),
            // Where equals are ordered by degree, the prior is not known, either.
            None if doubted => None,
            None => best_bin(scores, &Protocol::FORCED_CHOICE, LEVEL)?.interval,
        };
        if let Some(prior) = prior.filter(|_| diagnosis.asked_again.answers > 0) {
            let estimate = error_from_asking_again(diagnosis.asked_again_as_if_drawn(), &prior, LEVEL)?;
            if let (Some(prior), Some(found), Some(protocol)) =
                (stated, estimate.error, supervision.stated_protocol())
            {
                self.suspicions
                    .extend(errs_more(diagnosis, prior, protocol.labeller_error(), found));
            }
            self.labeller.push(estimate);
        }
        Ok(())
    }
}

impl ProtocolCheck {
    fn of(test: ProtocolTest, stated: Option<Protocol>, contradiction: Option<String>) -> Self {
        Self {
            stated,
            verdict: test.verdict,
            contradiction,
            ratio: test.ratio,
            discard_probability: Some(test.discard_probability),
            forced_choice_probability: Some(test.forced_choice_probability),
            additivity: test.additivity,
            note: test.note,
        }
    }

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
