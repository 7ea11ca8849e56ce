//! One trial: draw, train, measure.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use likelier::estimate::selection::{Dealing, SelectionRule, select};
use likelier::evaluate::mean_and_deviation;
use likelier::generate::{Recipe, Sampling, draw};
use likelier::random::{Purpose, stream};
use likelier::train::{Config, Control, Notes, Outcome, train_with};
use likelier::{
    Assessment, BelievedPrior, Classifier, Equals, Error, Evidence, Grounds, Prior, Protocol,
    ScorerOptions, Supervision, estimate_prior_with,
};
use likelier_paper::benchmark::Dataset;
use likelier_paper::trial::{Design, DrawnTrial};
use serde::{Deserialize, Serialize};

use super::experiment::TrialJob;
use super::raw::TrialResult;
use super::settings::{PriorSource, Settings};

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

/// Runs a trial, or continues it; nothing if it was asked to stop.
pub(super) fn run(
    job: &TrialJob,
    dataset: &Dataset,
    conditions: &Conditions<'_>,
) -> Result<Option<TrialResult>, Error> {
    let settings = &job.recorded.settings;
    let seed = settings.seed + job.trial;
    let design = settings.design(dataset, job.prior)?;
    let trial = DrawnTrial::draw(dataset, &design, seed)?;
    let (threads, stop) = (Some(conditions.threads), Some(conditions.stop));
    let control = Control { threads, stop, ..Control::default() };
    let attempt = Attempt { job, settings, dataset, design, trial, seed };
    let start = Instant::now();
    let mut decided = Vec::new();
    if dataset.note.is_some() {
        decided.push(format!("partial pairs={}", design.pairs));
    }
    let config = attempt.config(&control, &mut decided)?;
    let control = Control { checkpoint: conditions.state, ..control };
    let prepared = start.elapsed().as_secs_f64();
    let Some(trained) = attempt.train(&config, &control, conditions.tell)? else { return Ok(None) };
    attempt.result(&config, &trained, prepared, decided).map(Some)
}

/// What a trial consists of.
struct Attempt<'a> {
    job: &'a TrialJob,
    settings: &'a Settings,
    dataset: &'a Dataset,
    design: Design,
    trial: DrawnTrial<'a>,
    seed: u64,
}

impl Attempt<'_> {
    /// How to train, and what was decided about that on the way.
    fn config(&self, control: &Control<'_>, decided: &mut Vec<String>) -> Result<Config, Error> {
        let (settings, seed) = (self.settings, self.seed);
        let protocol = settings.believed_protocol()?;
        let prior = match settings.prior_source {
            PriorSource::Given => settings.stated_prior(self.job.prior)?,
            PriorSource::Estimated => self.estimated_prior(protocol, control, decided)?,
        };
        let (architecture, data) = (settings.architecture(self.dataset), self.trial.data());
        let config =
            Config { seed, ..settings.config(self.job.method, architecture, prior, protocol, &data) };
        let candidates = settings.candidates(&config);
        if candidates.len() == 1 {
            return Ok(config);
        }
        let comparisons = self.trial.comparisons().ok_or(Error::NeedsComparisons)?;
        let (dealing, rule) = (Dealing { seed, ..Dealing::default() }, SelectionRule::default());
        let selection =
            select(&self.dataset.rows, comparisons, &candidates, &dealing, &rule, control, |_, _| ())?;
        let config = selection.of(&candidates).map_or(config, |chosen| chosen.config.clone());
        let (rate, decay) = (config.learning_rate, config.weight_decay);
        decided.push(format!("learning-rate={rate} weight-decay={decay}"));
        Ok(config)
    }

    /// An estimate from the comparisons alone. Where they do not tell, the middle of what is possible.
    fn estimated_prior(
        &self,
        protocol: Protocol,
        control: &Control<'_>,
        decided: &mut Vec<String>,
    ) -> Result<Prior, Error> {
        let architecture = self.settings.architecture(self.dataset);
        let scorer = ScorerOptions { architecture, seed: self.seed, pool: false };
        let supervision = Supervision::new(self.trial.evidence().clone()).protocol(protocol);
        let report = estimate_prior_with(&self.dataset.rows, &supervision, &scorer, control, &mut |_| ())?;
        let known = if report.recommended.is_some() { "" } else { "unsure " };
        let prior = Prior::new(report.prior.value.clamp(0.01, 0.99))?;
        decided.push(format!("{known}prior={:.4}", prior.positive()));
        Ok(prior)
    }

    fn train(
        &self,
        config: &Config,
        control: &Control<'_>,
        tell: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<Option<TrainedTrial>, Error> {
        let every = self.settings.evaluate_every.max(1);
        let notes = Notes::default();
        let control = Control { notes: Some(&notes), ..*control };
        let mut start = Instant::now();
        let outcome = train_with(&self.trial.data(), config, &control, |summary, progress| {
            let (epoch, seconds) = (summary.epoch, start.elapsed().as_secs_f64());
            let looks = epoch % every == 0 || epoch + LAST > config.epochs;
            let accuracy = looks.then(|| self.trial.accuracy(&progress.classifier()?)).transpose()?;
            // Its numbers are finite, so it can always be noted.
            let _ = notes.add(&Look { epoch, seconds, accuracy });
            tell(epoch, config.epochs);
            start = Instant::now();
            Ok(())
        })?;
        let Outcome::Finished(classifier) = outcome else { return Ok(None) };
        let looks = notes.all().map_err(|_| Error::Checkpoint {
            path: control.checkpoint.unwrap_or(Path::new("")).to_owned(),
            problem: "holds the state of another program",
        })?;
        Ok(Some(TrainedTrial { classifier, looks }))
    }

    fn result(
        &self,
        config: &Config,
        trained: &TrainedTrial,
        prepared: f64,
        mut decided: Vec<String>,
    ) -> Result<TrialResult, Error> {
        let accuracy = self.trial.accuracy(&trained.classifier)?;
        let (mean_last, last, best) = trained.course(accuracy);
        let summary = trained.classifier.summary();
        let picks_its_epoch = config.early_stop.is_some();
        if picks_its_epoch {
            decided.push(format!("epoch={}", summary.epoch));
        }
        if summary.fallback.is_some() {
            decided.push("fallback".into());
        }
        let of_the_classifier = self.job.method.needs_pairs() || picks_its_epoch;
        Ok(TrialResult {
            seed: self.seed,
            accuracy: if of_the_classifier { accuracy } else { mean_last },
            accuracy_last: last,
            accuracy_mean_last_10: mean_last,
            accuracy_best: best,
            label_free: self.label_free(config, &trained.classifier).ok().flatten(),
            seconds: prepared + trained.seconds(),
            digest: self.job.recorded.digest.clone(),
            decided: decided.join(" "),
            version: super::version(),
        })
    }

    /// The accuracy as comparisons between test rows tell it, by what the method believes.
    ///
    /// It is not the paper's; it shows what a user without labels would see. It is an error, or nothing, where such
    /// comparisons cannot be drawn or judged.
    fn label_free(&self, config: &Config, classifier: &Classifier) -> Result<Option<[f64; 3]>, Error> {
        let Design { prior, protocol, .. } = self.design;
        let pairs = self.trial.test.len() / 2;
        let recipe = Recipe { prior, protocol, pairs, sampling: Sampling::Independent, degrees: None };
        let mut rng = stream(self.seed, Purpose::TestComparisons);
        let drawn = draw(&self.dataset.labels, &self.trial.test, &recipe, &mut rng)?;
        let Evidence::Answers(answers) = drawn.evidence else { return Ok(None) };
        let prior = BelievedPrior::known(config.setting.prior);
        let grounds = Grounds::new(config.setting.protocol, &prior)?.equals(Equals::Coin);
        let rows = &self.dataset.rows;
        let found = Assessment::new(classifier, rows, answers.comparisons(), grounds)?;
        let accuracy = found.new_items.metrics.accuracy;
        Ok(Some([accuracy.value, accuracy.low, accuracy.high]))
    }
}

/// A training run, and what was seen along the way.
struct TrainedTrial {
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

impl TrainedTrial {
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
