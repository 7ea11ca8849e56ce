//! The share of positives: as it is stated, or as the comparisons tell it.

use serde::Serialize;

use super::{Event, LEVEL, Observer, ScorerOptions};
use crate::data::{Answers, Comparisons, Rows};
use crate::error::Error;
use crate::estimate::diagnosis::Diagnosis;
use crate::estimate::diagnosis::scored::grading;
use crate::estimate::distribution::share_interval;
use crate::estimate::metrics::Assumptions;
use crate::estimate::prior::{PriorEstimator, PriorReport, best_bin, kept_share, pool_moment, recommend};
use crate::estimate::{CrossFit, FEWEST, Folds, Interval, ProtocolTest, cross_fit_from, enough, scorer};
use crate::model::Architecture;
use crate::prior::Prior;
use crate::protocol::{Collection, Protocol};
use crate::supervision::{LabelsChosen, Supervision};
use crate::train::{Config, Control};
use crate::warning::Warning;

const FOLDS: usize = 5;

/// The prior is withheld where coins on equals are less probable than this.
const COINS_REFUTED: f64 = 0.01;

/// The prior that is used, and how far it may be off where it was estimated.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct BelievedPrior {
    /// What is used.
    pub prior: Prior,
    /// Where it was estimated.
    pub estimated: Option<Interval>,
}

impl BelievedPrior {
    /// A prior that is known.
    pub fn known(prior: Prior) -> Self {
        Self { prior, estimated: None }
    }

    /// What follows from it about the piles.
    pub fn assumptions(&self, protocol: Protocol) -> Result<Assumptions, Error> {
        match &self.estimated {
            Some(interval) => Assumptions::estimated(interval, |prior| protocol.mixture(prior)),
            None => Assumptions::of_protocol(protocol, self.prior),
        }
    }

    /// The stated prior, else an estimate, said loudly.
    pub(super) fn of(
        rows: &Rows,
        supervision: &Supervision,
        scorer: &ScorerOptions,
        control: &Control<'_>,
        observe: &mut Observer<'_>,
        warnings: &mut Vec<Warning>,
    ) -> Result<Self, Error> {
        if let Some(prior) = supervision.stated_prior() {
            return Ok(Self::known(prior));
        }
        if supervision.answers().is_none() {
            return Err(Error::NoPrior);
        }
        if let Some(prior) = by_labels(supervision) {
            let value = Prior::new(prior.value)?;
            warnings.push(Warning::PriorEstimated { prior, estimator: PriorEstimator::Labels });
            return Ok(Self { prior: value, estimated: Some(prior) });
        }
        let report = estimate_prior_with(rows, supervision, scorer, control, observe)?;
        let Interval { value, low, high, .. } = report.prior;
        let Some(estimator) = report.recommended else {
            return Err(Error::PriorNotKnown { low, high, cause: report.withheld });
        };
        warnings.push(Warning::PriorEstimated { prior: report.prior, estimator });
        Ok(Self { prior: Prior::new(value)?, estimated: Some(report.prior) })
    }
}

/// The share of positives among labels of items that were chosen at random; none where there are few, or of one class.
fn by_labels(supervision: &Supervision) -> Option<Interval> {
    let (labels, chosen) = supervision.audit()?;
    let known: Vec<bool> = labels.iter().flatten().map(|label| label.is_positive()).collect();
    let positives = known.iter().filter(|positive| **positive).count();
    let enough = known.len() >= FEWEST && positives > 0 && positives < known.len();
    (enough && chosen == LabelsChosen::Random).then(|| share_interval(positives, known.len(), LEVEL))
}

/// Estimates the share of positives from comparisons between the rows: every estimator that the data allow is
/// asked, and the narrowest interval is recommended, if any is worth it.
pub fn estimate_prior(
    rows: &Rows,
    supervision: &Supervision,
    scorer: &ScorerOptions,
) -> Result<PriorReport, Error> {
    estimate_prior_with(rows, supervision, scorer, &Control::default(), &mut |_| ())
}

/// The same with control over threads, and news of how it goes.
pub fn estimate_prior_with(
    rows: &Rows,
    supervision: &Supervision,
    scorer: &ScorerOptions,
    control: &Control<'_>,
    observe: &mut Observer<'_>,
) -> Result<PriorReport, Error> {
    let protocol = supervision.stated_protocol().ok_or(Error::NoProtocol)?;
    supervision.answers().map_or(Ok(()), Answers::to_one_question)?;
    let comparisons = supervision.comparisons().ok_or(Error::NeedsComparisons)?;
    let fit = out_of_fold(rows, &comparisons, protocol, scorer, control, observe)?;
    let mut estimates = Vec::new();
    if let Some([kept, shown]) = supervision.kept_of_shown() {
        estimates.push(kept_share(protocol.collection(), kept, shown, None, LEVEL)?);
    }
    let mut by_tails = best_bin(&fit.scores, &protocol, LEVEL)?;
    if let Some(reason) = no_coins(&fit, supervision, protocol)? {
        by_tails = by_tails.withheld(reason);
    }
    estimates.push(by_tails);
    if scorer.pool {
        let all: Vec<u32> = (0..rows.len() as u32).collect();
        estimates.push(pool_moment(&fit, &all, &protocol, LEVEL)?);
    }
    let mut report = recommend(estimates);
    report.reasons.extend(fit.sample.map(|sample| sample.to_string()));
    Ok(report)
}

/// Why the tails of the scores say nothing about the prior: items of one class were not ordered by a coin.
fn no_coins(
    fit: &CrossFit<'_>,
    supervision: &Supervision,
    protocol: Protocol,
) -> Result<Option<String>, Error> {
    let Some(answers) = supervision
        .answers()
        .filter(|_| protocol.collection() == Collection::ForcedChoice)
    else {
        return Ok(None);
    };
    let diagnosis = Diagnosis::new(answers, fit.rows.len(), LEVEL)?;
    let test = ProtocolTest::new(&fit.scores, LEVEL)?;
    let graded = grading(&diagnosis, test.additivity.as_ref(), None);
    Ok(graded
        .filter(|graded| graded.probability < COINS_REFUTED)
        .and_then(|graded| graded.remark)
        .map(|remark| remark.to_string()))
}

/// Scores each compared item by a model that was not trained on it.
pub(super) fn out_of_fold<'a>(
    rows: &'a Rows<'_>,
    comparisons: &'a Comparisons,
    protocol: Protocol,
    options: &ScorerOptions,
    control: &Control<'_>,
    observe: &mut Observer<'_>,
) -> Result<CrossFit<'a>, Error> {
    let found = comparisons.answers();
    if found < FEWEST {
        return Err(Error::TooFewToEstimate { found, needed: FEWEST });
    }
    let config = Config { seed: options.seed, ..scorer(options.architecture.clone(), protocol)? };
    let config = Config { settles: config.architecture == Architecture::Linear, ..config };
    scored(rows, comparisons, &config, control, observe)
}

/// Scores each compared item by a model trained in this way, but not on the item.
pub(super) fn scored<'a>(
    rows: &'a Rows<'_>,
    comparisons: &'a Comparisons,
    config: &Config,
    control: &Control<'_>,
    observe: &mut Observer<'_>,
) -> Result<CrossFit<'a>, Error> {
    let folds = Folds::new(comparisons, rows.len(), FOLDS, config.seed)?;
    let enough = enough(&config.architecture, rows.width());
    cross_fit_from(rows, comparisons, folds, config, enough, control, |fold, summary| {
        observe(Event::Scoring { fold: fold + 1, folds: FOLDS, epoch: summary.epoch });
    })
}
