//! What training knows without labels: the prior it uses, how good its model is, and how much depends on
//! the prior.

use anyhow::{Result, bail};
use likelier::data::{Comparisons, Judgements, Rows};
use likelier::estimate::metrics::{Assumptions, HeldOut, Judging, Metrics, metrics};
use likelier::estimate::prior::recommend;
use likelier::estimate::{FEWEST, HeldOutScores, Interval, ProtocolTest};
use likelier::risk::Setting;
use likelier::train::{Config, Data, train};
use likelier::{Classifier, Prior, Protocol};
use serde::Serialize;

use crate::input::Card;
use crate::output::{Warning, range};
use crate::prior::estimates;
use crate::scoring::{LEVEL, ScorerArguments};

/// The prior that is used, and what is known of it.
pub(crate) struct Believed {
    pub(crate) prior: Prior,
    pub(crate) estimated: Option<Interval>,
}

/// The data do not tell what share is positive, and nobody else does.
#[derive(Debug, thiserror::Error)]
#[error(
    "the share of positives cannot be told from these comparisons: it lies between {:.2} and {:.2}", .0.low, .0.high
)]
pub(crate) struct PriorNotKnown(Interval);

/// What a prior would have given.
#[derive(Serialize)]
pub(crate) struct AtPrior {
    pub(crate) prior: Prior,
    /// By the held-out comparisons, taking this prior for true.
    pub(crate) accuracy: Option<Interval>,
    /// The share of the items that is called positive.
    pub(crate) called_positive: f64,
    /// The share of the items that is called otherwise than by the trained model.
    pub(crate) changed: f64,
}

impl Believed {
    /// An estimate from the comparisons, said loudly.
    pub(crate) fn estimate(
        scorer: &ScorerArguments,
        rows: &Rows,
        judgements: &Judgements,
        card: &Card,
        protocol: Protocol,
        warnings: &mut Vec<Warning>,
    ) -> Result<Self> {
        let comparisons = scorer.decided(judgements, &mut Vec::new());
        let fit = scorer.fit(rows, &comparisons, protocol)?;
        let report = recommend(estimates(&fit, &protocol, card)?);
        let Some(estimator) = report.recommended else { bail!(PriorNotKnown(report.prior)) };
        warnings.push(Warning {
            code: "prior-estimated",
            message: format!(
                "THE SHARE OF POSITIVES IS ESTIMATED: {:.3} ({} with 95 % confidence), by {estimator}; give --prior if \
                 it is known",
                report.prior.value,
                range(&report.prior)
            ),
        });
        Ok(Self { prior: Prior::new(report.prior.value)?, estimated: Some(report.prior) })
    }

    pub(crate) fn assumptions(&self, protocol: Protocol) -> Result<Assumptions> {
        Ok(match &self.estimated {
            Some(interval) => Assumptions::estimated(interval, |prior| protocol.mixture(prior))?,
            None => Assumptions::of_protocol(protocol, self.prior)?,
        })
    }

    /// Trains again at five priors, for `--sensitivity`.
    pub(crate) fn sweep(
        &self,
        trained: &Classifier,
        data: &Data<'_>,
        config: &Config,
        held_out: Option<&Comparisons>,
        exact_counts: bool,
    ) -> Result<Vec<AtPrior>> {
        let around = self.prior.positive();
        let (low, high) = self
            .estimated
            .map_or((around - 0.1, around + 0.1), |interval| (interval.low, interval.high));
        let all: Vec<u32> = (0..data.rows.len() as u32).collect();
        let labels = trained.predict(data.rows, &all)?;
        let share = |count: usize| count as f64 / all.len().max(1) as f64;
        (0..5_u8)
            .map(|step| {
                let prior = low + (high - low) * f64::from(step) / 4.0;
                let prior = Prior::new(prior.clamp(0.01, 0.99))?;
                let setting = Setting { prior, ..config.setting };
                let there = train(data, &Config { setting, ..config.clone() }, |_, _| Ok(()))?;
                let assumptions = Assumptions::of_protocol(setting.protocol, prior)?;
                let accuracy = held_out
                    .map(|pairs| {
                        Scored::new(&there, data.rows, pairs)?.judge(&there, &assumptions, exact_counts)
                    })
                    .transpose()?
                    .map(|metrics| metrics.accuracy);
                let called = there.predict(data.rows, &all)?;
                Ok(AtPrior {
                    prior,
                    accuracy,
                    called_positive: share(called.iter().filter(|label| label.is_positive()).count()),
                    changed: share(
                        called.iter().zip(&labels).filter(|(now, before)| now != before).count(),
                    ),
                })
            })
            .collect()
    }
}

/// Comparisons that a classifier was not trained on, with its scores.
pub(crate) struct Scored<'a> {
    pairs: &'a Comparisons,
    scores: [Vec<f32>; 2],
}

impl<'a> Scored<'a> {
    pub(crate) fn new(classifier: &Classifier, rows: &Rows, pairs: &'a Comparisons) -> Result<Self> {
        let (likelier, other): (Vec<u32>, Vec<u32>) = pairs.iter().unzip();
        let scores = [classifier.scores(rows, &likelier)?, classifier.scores(rows, &other)?];
        Ok(Self { pairs, scores })
    }

    pub(crate) fn held_out(&self) -> Result<HeldOut<'_>> {
        Ok(HeldOut::pairs(&self.scores[0], &self.scores[1])?.of_items(self.pairs)?)
    }

    /// How good the classifier is.
    pub(crate) fn judge(
        &self,
        classifier: &Classifier,
        assumptions: &Assumptions,
        exact_counts: bool,
    ) -> Result<Metrics> {
        let judging = Judging { threshold: classifier.threshold(), exact_counts, ..Judging::default() };
        Ok(metrics(&self.held_out()?, assumptions, &judging)?)
    }

    /// Were pairs dropped? None where there are too few to tell.
    fn protocol_test(&self) -> Result<Option<ProtocolTest>> {
        if self.pairs.len() < FEWEST {
            return Ok(None);
        }
        let [likelier, other] = self.scores.clone();
        Ok(Some(ProtocolTest::new(&HeldOutScores::of_one_model(likelier, other)?, LEVEL)?))
    }

    /// The scores of the likelier and of the other items.
    pub(crate) fn scores(&self) -> &[Vec<f32>; 2] {
        &self.scores
    }
}

/// What is wrong if the estimates cannot be true, say that the classifier is worse than no classifier, or leave
/// open whether it has learnt anything.
pub(crate) fn doubts(metrics: &Metrics, prior: Prior) -> Option<Warning> {
    let impossible = [
        ("accuracy", metrics.accuracy),
        ("balanced accuracy", metrics.balanced_accuracy),
        ("AUC", metrics.auc),
    ]
    .into_iter()
    .find(|(_, interval)| interval.low > 1.0 || interval.high < 0.0);
    if let Some((name, interval)) = impossible {
        let message = format!(
            "THE ESTIMATES CANNOT BE TRUE: {name} would be {:.2} ({:.2} to {:.2}), so the prior, the protocol or the \
             labeller's error is not what was stated, labellers ordered items of one class by degree, or items and comparisons \
             do not belong together",
            interval.value, interval.low, interval.high
        );
        return Some(Warning { code: "impossible-estimate", message });
    }
    let usual = prior.positive().max(prior.negative());
    if metrics.accuracy.high < usual {
        let always = if prior.positive() > 0.5 { "positive" } else { "negative" };
        let message = format!(
            "the classifier is worse than always answering {always}: right in {:.3} ({}), not {usual:.3}",
            metrics.accuracy.value.clamp(0.0, 1.0),
            range(&metrics.accuracy)
        );
        return Some(Warning { code: "worse-than-constant", message });
    }
    (metrics.auc.low <= 0.5).then(|| {
        let message = format!(
            "nothing shows that the classifier has learnt to tell the classes apart: its AUC may be that of a coin, 0.5 ({})",
            range(&metrics.auc)
        );
        Warning { code: "no-better-than-chance", message }
    })
}

/// What comparisons that were held out say about a classifier.
pub(crate) struct Judgement<'a> {
    pub(crate) scored: Scored<'a>,
    pub(crate) assumptions: Assumptions,
    pub(crate) metrics: Metrics,
    pub(crate) protocol_test: Option<ProtocolTest>,
}

impl<'a> Judgement<'a> {
    pub(crate) fn new(
        classifier: &Classifier,
        rows: &Rows,
        pairs: &'a Comparisons,
        believed: &Believed,
        exact_counts: bool,
    ) -> Result<Self> {
        let assumptions = believed.assumptions(classifier.setting().protocol)?;
        let scored = Scored::new(classifier, rows, pairs)?;
        let metrics = scored.judge(classifier, &assumptions, exact_counts)?;
        let protocol_test = scored.protocol_test()?;
        Ok(Self { scored, assumptions, metrics, protocol_test })
    }

    /// What speaks against the protocol.
    pub(crate) fn contradiction(&self, stated: &Protocol) -> Option<Warning> {
        let message = self.protocol_test.as_ref()?.contradiction(stated)?;
        Some(Warning { code: "protocol-contradicted", message })
    }
}
