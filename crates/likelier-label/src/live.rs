//! The live estimate: while people answer, a classifier is trained from what they have said so far, by the library's own
//! [`fit`](likelier::fit).

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use likelier::estimate::metrics::Metric;
use likelier::estimate::planning::{Assumed, Plan};
use likelier::train::Control;
use likelier::{FitOptions, Fitted, LEVEL, Prior, Protocol, Supervision, fit_with};
use likelier_tables::{Items, Layout};
use serde::Serialize;

use crate::active::Active;
use crate::catalogue::Catalogue;
use crate::collected::Collected;
use crate::error::LabelError;
use crate::store::Settings;

/// Fewer answers are not worth a training.
const FEWEST: usize = 100;
/// What more answers would bring is told for so many.
const MORE: usize = 300;

/// What is known of a classifier from the answers so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct LiveEstimate {
    /// Answers that it was trained on.
    pub(crate) answers: usize,
    /// Whether a training is under way.
    pub(crate) training: bool,
    /// The share of new items that it gets right, sampling error included.
    pub(crate) accuracy: Option<[f64; 2]>,
    /// The same to be expected after so many more answers.
    pub(crate) then: Option<[f64; 2]>,
    pub(crate) more: usize,
    pub(crate) prior: Option<f64>,
    /// What must be said, in words.
    pub(crate) words: String,
}

/// Trains when enough has changed.
#[derive(Debug)]
pub(crate) struct Live {
    path: PathBuf,
    settings: Settings,
    shown: Arc<Catalogue>,
    active: Arc<Active>,
    answered: AtomicUsize,
    stop: AtomicBool,
    state: Mutex<LiveEstimate>,
}

impl Live {
    pub(crate) fn new(
        path: &Path,
        settings: &Settings,
        shown: Arc<Catalogue>,
        active: Arc<Active>,
    ) -> Self {
        let words = format!("There will be an estimate after {FEWEST} answers.");
        Self {
            path: path.to_owned(),
            settings: settings.clone(),
            shown,
            active,
            // Answers of earlier days count at once.
            answered: AtomicUsize::new(FEWEST),
            stop: AtomicBool::new(false),
            state: Mutex::new(LiveEstimate { words, more: MORE, ..LiveEstimate::default() }),
        }
    }

    /// An answer came in.
    pub(crate) fn changed(&self) {
        self.answered.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::SeqCst);
    }

    pub(crate) fn now(&self) -> LiveEstimate {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set(&self, change: impl FnOnce(&mut LiveEstimate)) {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Works until it is told to stop.
    pub(crate) fn run(&self) {
        // Whoever answers comes first: this thread, and those that it starts, take what processors have left.
        #[cfg(target_os = "linux")]
        let _ = rustix::process::setpriority_process(Some(rustix::thread::gettid()), 19);
        let mut items: Option<Result<Items, String>> = None;
        let mut last = 0;
        while !self.stop.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(200));
            let new = self.answered.load(Ordering::Relaxed);
            // A tenth more, or 25: an estimate does not move by less.
            if new < last + FEWEST.min((last / 10).max(25)) {
                continue;
            }
            last = new;
            let Ok(collected) = Collected::read(&self.path) else { continue };
            let compared = |shown: &&crate::store::Shown| {
                shown.answer.as_ref().is_some_and(|given| given.choice.compares())
            };
            if collected.shown().iter().filter(compared).count() < FEWEST {
                continue;
            }
            let items = items.get_or_insert_with(|| self.items().map_err(|error| error.to_string()));
            let items = match items {
                Ok(items) => items,
                Err(error) => {
                    let words = format!(
                        "There is no live estimate, because the items cannot be trained on as they are: {error}. \
                         Start the page again with --text for columns of words, --categories, --exclude or --features."
                    );
                    self.set(|state| state.words = words);
                    return;
                }
            };
            self.set(|state| state.training = true);
            let estimate = self.estimate(&collected, items);
            self.set(|state| match estimate {
                Ok(estimate) => *state = estimate,
                Err(error) => {
                    state.training = false;
                    state.words = format!("No estimate yet: {error}.");
                }
            });
        }
    }

    fn items(&self) -> Result<Items, LabelError> {
        let Settings { id, features, categories, text: texts, exclude, .. } = self.settings.clone();
        let layout = Layout { id, features, categories, texts, exclude, ..Layout::default() };
        Ok(Items::read(&self.settings.items, &layout)?)
    }

    fn estimate(&self, collected: &Collected, items: &Items) -> Result<LiveEstimate, LabelError> {
        let answers = collected.answers(&items.ids)?;
        let count = answers.len();
        let prior = self.settings.prior.map(Prior::new).transpose()?;
        let supervision = Supervision::new(answers).protocol(Protocol::FORCED_CHOICE).prior(prior);
        let control = Control { threads: Some(1), stop: Some(&self.stop), ..Control::default() };
        let fitted = fit_with(&items.rows, &supervision, &FitOptions::new(), &control, &mut |_| ())?;
        if self.active.is_on() {
            self.prefer(&fitted, items)?;
        }
        told(&fitted, count, &self.settings.positive)
    }

    /// From now on pairs that the classifier is unsure of are preferred.
    fn prefer(&self, fitted: &Fitted, items: &Items) -> Result<(), LabelError> {
        let ids = self.shown.ids();
        let (mut rows, mut gone, mut example) = (Vec::with_capacity(ids.len()), 0, String::new());
        for name in (0..ids.len()).map(|at| ids.name(at)) {
            if let Some(row) = items.ids.find(&name) {
                rows.push(row);
            } else {
                gone += 1;
                example = name.into_owned();
            }
        }
        if gone > 0 {
            return Err(LabelError::ItemsChanged { items: self.settings.items.clone(), gone, example });
        }
        let probability = fitted.classifier.probability();
        let scores = fitted.classifier.scores_of(&items.rows, &rows)?;
        let probabilities: Vec<f64> =
            scores.into_iter().map(|score| f64::from(probability.of(score))).collect();
        Ok(self.active.follow(&probabilities)?)
    }
}

fn told(fitted: &Fitted, count: usize, positive: &str) -> Result<LiveEstimate, LabelError> {
    let prior = fitted.prior.prior;
    let base = LiveEstimate {
        answers: count,
        more: MORE,
        prior: Some(prior.positive()),
        ..LiveEstimate::default()
    };
    let Some(assessment) = &fitted.assessment else {
        let why = fitted.warnings.first().map(ToString::to_string).unwrap_or_default();
        return Ok(LiveEstimate { words: format!("No estimate yet: {why}"), ..base });
    };
    let judged = &assessment.new_items;
    let (low, high) = match &judged.ranges {
        Some(ranges) => (ranges.accuracy.low_end, ranges.accuracy.high_end),
        None => (judged.metrics.accuracy, judged.metrics.accuracy),
    };
    let assumed = Assumed::Accuracy(judged.metrics.accuracy.value.clamp(0.55, 0.98));
    let plan = Plan { prior, protocol: Protocol::FORCED_CHOICE, assumed, level: LEVEL };
    let share = |value: f64| value.clamp(0.0, 1.0);
    // By how much each end moves in, according to the plan.
    let [few, many] = if let Some(ranges) = &judged.ranges {
        let again = |pairs: usize| ranges.asked_again.min(count) * pairs / count;
        let range = |pairs: usize| plan.range(Metric::Accuracy, pairs, again(pairs), ranges.error_at_most);
        [range(count)?, range(count + MORE)?].map(|range| [range.low_end.low, range.high_end.high])
    } else {
        let half = |pairs: usize| plan.half_width(Metric::Accuracy, pairs);
        [half(count)?, half(count + MORE)?].map(|half| [-half, half])
    };
    let then = [low.low + (many[0] - few[0]).max(0.0), high.high - (few[1] - many[1]).max(0.0)];
    let now = [low.low, high.high].map(share);
    let then = then.map(share);
    let percent = |[low, high]: [f64; 2]| format!("{:.0} to {:.0} %", 100.0 * low, 100.0 * high);
    let words = format!(
        "A linear classifier from these {count} answers is right on {} of new items; {MORE} more answers would narrow that to \
         about {}. The share of items that are {positive} is {} {:.2}.{}",
        percent(now),
        percent(then),
        if fitted.prior.estimated.is_some() { "estimated as" } else { "stated as" },
        prior.positive(),
        if judged.ranges.is_some() {
            " The low end is for people who order two items of one class by degree, the high end for coin tosses; random \
             labels narrow it further (docs/trust.md)."
        } else {
            ""
        }
    );
    Ok(LiveEstimate { accuracy: Some(now), then: Some(then), words, ..base })
}
