//! One trial: draw, train, measure.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use anyhow::{Context, Result};
use likelier::data::Pile;
use likelier::data::benchmark::Dataset;
use likelier::data::generate::{Labeller, Recipe, Sampling, comparisons};
use likelier::estimate::metrics::{Assumptions, HeldOut, Judging, metrics};
use likelier::estimate::prior::{best_bin, recommend};
use likelier::estimate::selection::{Dealing, Rule, select};
use likelier::estimate::{Folds, Grouping, cross_fit, scorer};
use likelier::evaluate::mean_and_deviation;
use likelier::random::{Purpose, stream};
use likelier::train::{Config, Control, Notes, Outcome as Ending, train_with};
use likelier::trial::{Design, Trial};
use likelier::{Classifier, Prior, Protocol};
use serde::{Deserialize, Serialize};

use super::raw::Outcome;
use super::settings::PriorSource;
use super::spec::Job;
use crate::scoring::LEVEL;

/// A trial's result is the mean accuracy of this many last epochs.
const LAST: usize = 10;

/// How a trial is carried out. Nothing here changes its result.
pub(super) struct Conditions<'a> {
    pub(super) threads: usize,
    /// Becomes true when it should stop.
    pub(super) stop: &'a AtomicBool,
    /// A file to keep its state in, for a trial that takes long.
    pub(super) state: Option<&'a Path>,
    /// Is told how many of how many epochs are done.
    pub(super) tell: &'a (dyn Fn(usize, usize) + Sync),
}

/// Runs a trial, or goes on with it; nothing if it was asked to stop.
pub(super) fn run(job: &Job, dataset: &Dataset, conditions: &Conditions<'_>) -> Result<Option<Outcome>> {
    let settings = &job.settings;
    let seed = settings.seed + job.trial;
    let design = settings.design(dataset, job.prior)?;
    let trial = Trial::draw(dataset, &design, seed)?;
    let (threads, stop) = (Some(conditions.threads), Some(conditions.stop));
    let control = Control { threads, stop, ..Control::default() };
    let start = Instant::now();
    let mut decided = String::new();
    if dataset.note.is_some() {
        let _ = write!(decided, "partial pairs={} ", design.pairs);
    }

    let protocol = settings.believed_protocol()?;
    let prior = match settings.prior_source {
        PriorSource::Given => Prior::new((job.prior.positive() + settings.prior_shift).clamp(0.01, 0.99))?,
        PriorSource::Estimated => {
            let (prior, note) = estimated_prior(&trial, dataset, job, protocol, &control, seed)?;
            decided.push_str(&note);
            prior
        }
    };
    let model = dataset.benchmark.spec().model;
    let mut config = Config { seed, ..settings.config(job.method, model, prior, protocol, &trial.data()) };
    let mut candidates = settings.candidates(&config);
    if candidates.len() > 1 {
        let pairs = trial.comparisons().context("choosing needs comparisons, not loose piles")?;
        let dealing = Dealing { seed, ..Dealing::default() };
        let selection =
            select(&dataset.rows, pairs, &candidates, &dealing, &Rule::default(), &control, |_, _| ())?;
        config = candidates.swap_remove(selection.chosen).config;
        let (rate, decay) = (config.learning_rate, config.weight_decay);
        let _ = write!(decided, "learning-rate={rate} weight-decay={decay} ");
    }

    let control = Control { checkpoint: conditions.state, ..control };
    let prepared = start.elapsed().as_secs_f64();
    let Some(trained) = train(&trial, &config, settings.evaluate_every, &control, conditions.tell)? else {
        return Ok(None);
    };
    let seconds = prepared + trained.seconds();
    let accuracy = trial.accuracy(&trained.classifier)?;
    let (mean_last, last, best) = trained.course(accuracy);
    let summary = trained.classifier.summary();
    if config.hold_out.is_some() {
        let _ = write!(decided, "epoch={} ", summary.epoch);
    }
    if summary.fallback.is_some() {
        decided.push_str("fallback ");
    }
    Ok(Some(Outcome {
        seed,
        accuracy: if job.method.needs_pairs() || config.hold_out.is_some() { accuracy } else { mean_last },
        accuracy_last: last,
        accuracy_mean_last_10: mean_last,
        accuracy_best: best,
        label_free: label_free(&trial, dataset, &design, &config, &trained.classifier, seed),
        seconds,
        digest: settings.digest()?,
        decided: decided.trim_end().to_owned(),
        version: super::version(),
    }))
}

/// A training run, and what was seen along the way.
struct Trained {
    classifier: Box<Classifier>,
    looks: Vec<Look>,
}

/// What an epoch took, and the accuracy after it where that was measured.
#[derive(Serialize, Deserialize)]
struct Look {
    epoch: usize,
    seconds: f64,
    accuracy: Option<f64>,
}

impl Trained {
    /// The mean over the last epochs, the last and the best, `at_end` being the final classifier's.
    fn course(&self, at_end: f64) -> (f64, f64, f64) {
        let course = || self.looks.iter().filter_map(|look| Some((look.epoch, look.accuracy?)));
        let Some((end, last)) = course().next_back() else { return (at_end, at_end, at_end) };
        let late = course().filter(|(epoch, _)| epoch + LAST > end);
        let last_ones: Vec<f64> = late.map(|(_, accuracy)| accuracy).collect();
        let best = course().map(|(_, accuracy)| accuracy).fold(at_end, f64::max);
        (mean_and_deviation(&last_ones).0, last, best)
    }

    /// Without the measuring.
    fn seconds(&self) -> f64 {
        self.looks.iter().map(|look| look.seconds).sum()
    }
}

fn train(
    trial: &Trial<'_>,
    config: &Config,
    every: usize,
    control: &Control<'_>,
    tell: &(dyn Fn(usize, usize) + Sync),
) -> Result<Option<Trained>> {
    let notes = Notes::default();
    let control = Control { notes: Some(&notes), ..*control };
    let mut start = Instant::now();
    let ending = train_with(&trial.data(), config, &control, |summary, progress| {
        let (epoch, seconds) = (summary.epoch, start.elapsed().as_secs_f64());
        let looks = epoch % every.max(1) == 0 || epoch + LAST > config.epochs;
        let accuracy = looks.then(|| trial.accuracy(&progress.classifier()?)).transpose()?;
        // Its numbers are finite, so it can always be noted.
        let _ = notes.add(&Look { epoch, seconds, accuracy });
        tell(epoch, config.epochs);
        start = Instant::now();
        Ok(())
    })?;
    Ok(match ending {
        Ending::Finished(classifier) => Some(Trained { classifier, looks: notes.all()? }),
        Ending::Stopped { .. } => None,
    })
}

/// An estimate from the comparisons alone, and what to note of it. Where they do not tell, the middle of what
/// is possible.
fn estimated_prior(
    trial: &Trial<'_>,
    dataset: &Dataset,
    job: &Job,
    protocol: Protocol,
    control: &Control<'_>,
    seed: u64,
) -> Result<(Prior, String)> {
    let pairs = trial
        .comparisons()
        .context("estimating the prior needs comparisons, not loose piles")?;
    let architecture = job.settings.architecture(dataset.benchmark.spec().model);
    let config = Config { seed, ..scorer(architecture, protocol)? };
    let folds = Folds::new(pairs, dataset.rows.len(), 5, Grouping::Comparisons, seed)?;
    let fit = cross_fit(&dataset.rows, pairs, folds, &config, control, |_, _| ())?;
    let report = recommend(vec![best_bin(&fit.scores, &protocol, LEVEL)?]);
    let known = if report.recommended.is_some() { "" } else { "unsure " };
    let prior = Prior::new(report.prior.value.clamp(0.01, 0.99))?;
    Ok((prior, format!("{known}prior={:.4} ", prior.positive())))
}

/// The accuracy as comparisons between test rows tell it, by what the method believes.
///
/// It is not the paper's; it shows what a user without labels would see. Absent where such comparisons cannot
/// be drawn or judged.
fn label_free(
    trial: &Trial<'_>,
    dataset: &Dataset,
    design: &Design,
    config: &Config,
    classifier: &Classifier,
    seed: u64,
) -> Option<[f64; 3]> {
    let recipe = Recipe {
        prior: design.prior,
        protocol: design.protocol,
        pairs: trial.test.len() / 2,
        sampling: Sampling::Independent,
        labeller: Labeller::Class,
    };
    let mut rng = stream(seed, Purpose::HoldOut);
    let drawn = comparisons(&dataset.labels, &trial.test, &recipe, &mut rng).ok()?.comparisons;
    let [likelier, other] =
        Pile::BOTH.map(|pile| classifier.scores(&dataset.rows, drawn.piles().rows(pile)));
    let (likelier, other) = (likelier.ok()?, other.ok()?);
    let held_out = HeldOut::pairs(&likelier, &other).ok()?.of_items(&drawn).ok()?;
    let assumptions = Assumptions::of_protocol(config.setting.protocol, config.setting.prior).ok()?;
    let judging = Judging { threshold: classifier.threshold(), level: LEVEL, ..Judging::default() };
    let accuracy = metrics(&held_out, &assumptions, &judging).ok()?.accuracy;
    Some([accuracy.value, accuracy.low, accuracy.high])
}
