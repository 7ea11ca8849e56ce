//! One trial: draw, train, measure.

use std::fmt::Write as _;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

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
use likelier::train::{Config, Control, Outcome as Ending, train_with};
use likelier::trial::{Design, Trial};
use likelier::{Classifier, Prior, Protocol};

use super::raw::Outcome;
use super::settings::PriorSource;
use super::spec::Job;
use crate::scoring::LEVEL;

/// A trial's result is the mean accuracy of this many last epochs.
const LAST: usize = 10;

/// Runs a trial; nothing if it was asked to stop.
pub(super) fn run(
    job: &Job,
    dataset: &Dataset,
    threads: usize,
    stop: &AtomicBool,
) -> Result<Option<Outcome>> {
    let settings = &job.settings;
    let seed = settings.seed + job.trial;
    let design = settings.design(dataset, job.prior)?;
    let trial = Trial::draw(dataset, &design, seed)?;
    let control = Control { threads: Some(threads), stop: Some(stop), ..Control::default() };
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

    let Some(trained) = train(&trial, &config, settings.evaluate_every, &control)? else {
        return Ok(None);
    };
    let seconds = start.elapsed().saturating_sub(trained.measuring).as_secs_f64();
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

/// A training run, and the accuracy along the way.
struct Trained {
    classifier: Box<Classifier>,
    /// Epoch and accuracy.
    course: Vec<(usize, f64)>,
    measuring: Duration,
}

impl Trained {
    /// The mean over the last epochs, the last and the best, `at_end` being the final classifier's.
    fn course(&self, at_end: f64) -> (f64, f64, f64) {
        let Some((end, last)) = self.course.last().copied() else { return (at_end, at_end, at_end) };
        let late = |(epoch, _): &&(usize, f64)| epoch + LAST > end;
        let last_ones: Vec<f64> = self.course.iter().filter(late).map(|(_, accuracy)| *accuracy).collect();
        let best = self.course.iter().map(|(_, accuracy)| *accuracy).fold(at_end, f64::max);
        (mean_and_deviation(&last_ones).0, last, best)
    }
}

fn train(
    trial: &Trial<'_>,
    config: &Config,
    every: usize,
    control: &Control<'_>,
) -> Result<Option<Trained>> {
    let (mut course, mut measuring) = (Vec::new(), Duration::ZERO);
    let ending = train_with(&trial.data(), config, control, |summary, progress| {
        if summary.epoch % every.max(1) == 0 || summary.epoch + LAST > config.epochs {
            let start = Instant::now();
            course.push((summary.epoch, trial.accuracy(&progress.classifier()?)?));
            measuring += start.elapsed();
        }
        Ok(())
    })?;
    Ok(match ending {
        Ending::Finished(classifier) => Some(Trained { classifier, course, measuring }),
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
