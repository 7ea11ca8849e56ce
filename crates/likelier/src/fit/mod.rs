//! The one workflow: answers in, judged classifier out.
//!
//! ```text
//!  rows ─────────┐
//!  Supervision ──┤   prior        division     configuration   training       judgement
//!  (answers,     ├─► stated or ─► folds of ──► recommended, ─► Classifier ─► Assessment ─► Fitted
//!  protocol,     │   estimated    items        stated or                     without labels
//!  prior)        │                             chosen
//!  FitOptions ───┘
//! ```
//!
//! [`fit`] is all of it. [`estimate_prior`] and [`check`] are the parts that need no model to be kept, and
//! [`Assessment`] judges any scores. The command line and every other face call these and nothing below them.

mod assessment;
mod audit;
mod belief;
mod checkup;
mod choosing;
mod classes;
mod division;
mod importance;
mod options;
mod questions;
mod replying;
mod sensitivity;
mod words;

use serde::{Deserialize, Serialize};

pub use assessment::{Assessment, Grounds, Judged, JudgedBy};
pub use audit::LabelAudit;
pub use belief::{BelievedPrior, estimate_prior, estimate_prior_with};
pub use checkup::{Checkup, ProtocolCheck, check, check_with};
pub use classes::{ClassRecall, JudgedClasses};
pub use options::FitOptions;
pub use questions::{FittedQuestions, Question, fit_questions, fit_questions_with};
pub use sensitivity::AtPrior;

use crate::data::{Answers, Label, Pile, Rows};
use crate::error::Error;
use crate::estimate::Interval;
use crate::estimate::diagnosis::Diagnosis;
use crate::estimate::metrics::{ThresholdChoice, Wish};
use crate::estimate::selection::Selection;
use crate::model::{Architecture, Classifier, Mlp, ModelKind, ScalingKind};
use crate::protocol::Protocol;
use crate::replies::{ReplyEstimate, ReplyRates};
use crate::risk::Method;
use crate::supervision::Supervision;
use crate::train::{Config, Control, Data, EpochSummary, Notes, Progress, train_with};
use crate::warning::{Unjudged, Warning};
use choosing::{METHODS, Open, choose};
use division::Division;
use replying::reply_rates;

/// How often an interval should hold the truth.
pub const LEVEL: f64 = 0.95;

/// How items are scored to estimate a prior or to check answers.
#[derive(Clone, Debug, PartialEq)]
pub struct ScorerOptions {
    /// The model, which is trained five times.
    pub architecture: Architecture,
    /// Decides everything random.
    pub seed: u64,
    /// Whether the rows are all items that pairs were drawn from, compared or not: under discard they tell
    /// the prior.
    pub pool: bool,
}

impl ScorerOptions {
    /// A linear scorer, or a multi-layer perceptron where that is the model.
    pub fn new(model: ModelKind, seed: u64) -> Self {
        let architecture = match model {
            ModelKind::Mlp => Architecture::Mlp(Mlp::of_the_paper()),
            _ => Architecture::Linear,
        };
        Self { architecture, seed, pool: false }
    }
}

/// News of how the work goes.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// An epoch of the scorer of one of several folds is done.
    Scoring {
        /// The fold, from 1.
        fold: usize,
        /// Of how many.
        folds: usize,
        /// The epoch, from 1.
        epoch: usize,
    },
    /// So many of the trainings that a choice rests on are done.
    Choosing {
        /// Done.
        done: usize,
        /// Of how many.
        of: usize,
    },
    /// An epoch of the model that judges one of several folds is done.
    Judging {
        /// The fold, from 1.
        fold: usize,
        /// Of how many.
        folds: usize,
        /// The epoch, from 1.
        epoch: usize,
        /// How many there are at the most.
        epochs: usize,
    },
    /// An epoch is done.
    Epoch {
        /// What it did.
        epoch: &'a Epoch,
        /// How many there are at the most.
        epochs: usize,
    },
    /// The work on one of several questions begins.
    Question {
        /// Its name.
        name: &'a str,
        /// Its number, from 1.
        number: usize,
        /// Of how many.
        of: usize,
    },
    /// So many of the trainings at other priors are done.
    Sensitivity {
        /// Done.
        done: usize,
        /// Of how many.
        of: usize,
    },
}

/// Who is told the news.
pub type Observer<'a> = dyn FnMut(Event<'_>) + Send + 'a;

/// What one epoch did, and how good the classifier was after it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Epoch {
    /// What it did.
    #[serde(flatten)]
    pub of: EpochSummary,
    /// By the held-out comparisons, after some of the epochs.
    pub accuracy: Option<Interval>,
}

/// A classifier, and everything that is known about it.
#[derive(Clone, Debug)]
pub struct Fitted {
    /// The classifier.
    pub classifier: Classifier,
    /// How it was trained.
    #[doc(hidden)]
    pub config: Config,
    /// The prior that was used.
    pub prior: BelievedPrior,
    /// How people reply, where ties, names, repetitions or sides could tell.
    pub replies: Option<ReplyEstimate>,
    /// How good it is without labels; none where nothing was held out, or it could not be judged.
    pub assessment: Option<Assessment>,
    /// The threshold for a wish, where there was one; the classifier has it if the wish is met, or is a cost.
    pub threshold_for: Option<ThresholdChoice>,
    /// What labels say about it, where some were given; none where they cannot judge it.
    pub audit: Option<LabelAudit>,
    /// What was chosen from, where a choice was asked for.
    pub selection: Option<Selection>,
    /// What the answers look like, where that was asked for; none for piles.
    pub diagnosis: Option<Diagnosis>,
    /// What other priors would have given, where that was asked for.
    pub sensitivity: Option<Vec<AtPrior>>,
    /// What each epoch did, those before an interruption included.
    pub epochs: Vec<Epoch>,
    /// Whether it is known what was compared with what; else there were two piles.
    pub paired: bool,
    /// Whether probabilities were fitted to the held-out comparisons.
    pub calibrated: bool,
    /// Scores of the two piles: of held-out comparisons, or of what was trained on where there are no others.
    pub pile_scores: [Vec<f32>; 2],
    /// What must be said beside it.
    pub warnings: Vec<Warning>,
}

/// Fits a classifier to what people said about the rows, and judges it.
///
/// ```
/// use likelier::{Answers, FitOptions, Method, Prior, Protocol, Rows, Supervision, fit};
///
/// // Five items with one feature each, and four comparisons: item 4 is likelier than item 0, …
/// let rows = Rows::from_numbers(vec![0.1, 0.4, 0.5, 0.8, 0.9], 1)?;
/// let answers = Answers::from_iter([(4, 0), (3, 1), (3, 0), (4, 2)]);
/// let supervision = Supervision::new(answers).protocol(Protocol::FORCED_CHOICE).prior(Prior::new(0.5)?);
/// let fitted = fit(&rows, &supervision, &FitOptions::new().method(Method::PcompRelu).hold_out(0.0))?;
/// let scores = fitted.classifier.scores(&rows)?;
/// assert!(scores[4] > scores[0]);
/// # Ok::<(), likelier::Error>(())
/// ```
pub fn fit(rows: &Rows, supervision: &Supervision, options: &FitOptions) -> Result<Fitted, Error> {
    fit_with(rows, supervision, options, &Control::default(), &mut |_| ())
}

/// The same with control over threads, checkpoints and stopping, and news of how it goes. A run that is
/// stopped is an [`Error::Stopped`]; the checkpoint has the state of the training, if that had begun.
pub fn fit_with(
    rows: &Rows,
    supervision: &Supervision,
    options: &FitOptions,
    control: &Control<'_>,
    observe: &mut Observer<'_>,
) -> Result<Fitted, Error> {
    if options.classes {
        return Err(Error::NoClasses { found: 1 });
    }
    let packed = words::packed(rows, options);
    fit_believing(packed.as_ref().unwrap_or(rows), supervision, None, options, control, observe)
}

/// The same with a prior that is believed already.
fn fit_believing(
    rows: &Rows,
    supervision: &Supervision,
    believed: Option<BelievedPrior>,
    options: &FitOptions,
    control: &Control<'_>,
    observe: &mut Observer<'_>,
) -> Result<Fitted, Error> {
    // One pool for everything.
    let inside = Control { threads: None, ..*control };
    control.in_pool(|| fit_here(rows, supervision, believed, options, &inside, observe))?
}

fn fit_here(
    rows: &Rows,
    supervision: &Supervision,
    believed: Option<BelievedPrior>,
    options: &FitOptions,
    control: &Control<'_>,
    observe: &mut Observer<'_>,
) -> Result<Fitted, Error> {
    options.check(rows.width())?;
    supervision.answers().map_or(Ok(()), Answers::to_one_question)?;
    let protocol = supervision.stated_protocol().ok_or(Error::NoProtocol)?;
    replying::check_tie_rates(supervision, options, protocol)?;
    let mut warnings = Vec::new();
    let scorer = ScorerOptions::new(options.model, options.seed);
    let aside = Control { checkpoint: None, notes: None, ..*control };
    let prior = match believed {
        Some(prior) => prior,
        None => BelievedPrior::of(rows, supervision, &scorer, &aside, observe, &mut warnings)?,
    };
    let grounds = Grounds::of(supervision, protocol, &prior)?;
    let answers = supervision.answers().filter(|_| options.diagnose);
    let diagnose = || answers.map(|answers| Diagnosis::new(answers, rows.len(), LEVEL)).transpose();
    let train = || trained(rows, supervision, prior, grounds, options, control, observe, warnings);
    let (diagnosis, fitted) = rayon::join(diagnose, train);
    Ok(Fitted { diagnosis: diagnosis?, ..fitted? })
}

/// All of it from a prior on, but for the diagnosis.
#[allow(clippy::too_many_arguments, reason = "everything that is known before the training")]
fn trained(
    rows: &Rows,
    supervision: &Supervision,
    prior: BelievedPrior,
    grounds: Grounds,
    options: &FitOptions,
    control: &Control<'_>,
    observe: &mut Observer<'_>,
    mut warnings: Vec<Warning>,
) -> Result<Fitted, Error> {
    let protocol = grounds.protocol();
    let aside = Control { checkpoint: None, notes: None, ..*control };
    let parts = Division::of(rows, supervision, options)?;
    let data = Data { rows, piles: parts.piles(supervision), labels: supervision.labels() };
    let asked = (prior.prior, protocol);
    let stated_ties = supervision.stated_tie_rates();
    let replies = reply_rates(rows, parts.trained.as_ref(), options, asked, stated_ties, &aside, observe)?;
    let rates = replies.as_ref().and_then(ReplyEstimate::taught);
    warnings.extend(replies.as_ref().and_then(|replies| replying::warning(replies, protocol)));
    let all_of = |data: &Data<'_>, scaling| candidates(data, options, scaling, &prior, protocol, rates);
    let with = |scaling| all_of(&data, scaling).swap_remove(0);
    let scaling = words::scaling(&data, parts.trained.as_ref(), &with, options, &aside, observe)?;
    let mut bases = all_of(&data, scaling);
    let (config, selection) = if options.select {
        let trained = parts.trained.as_ref().ok_or(Error::NeedsComparisons)?;
        let (config, selection) = choose(&bases, Open::of(options), rows, trained, &aside, observe)?;
        (config, Some(selection))
    } else {
        (bases.swap_remove(0), None)
    };

    let labelled = parts.labelled(supervision, &config)?;
    let data = match &labelled {
        Some(labelled) => Data { piles: labelled.piles(), ..data },
        None => data,
    };
    let configure = |data: &Data<'_>| all_of(data, scaling).swap_remove(0);
    parts.ask_ahead(rows, supervision, &configure, &aside)?;
    let watch = options.watch.then_some(Watch { parts: &parts, grounds: &grounds });
    let (mut classifier, epochs) = run(&data, &config, control, watch.as_ref(), observe)?;
    warnings.extend(
        classifier
            .summary()
            .fallback
            .map(|reason| Warning::FellBack { method: config.method, reason }),
    );
    let features = options.features.as_ref().unwrap_or(classifier.features()).with_medians(rows);
    classifier = classifier.with_features(features)?;
    let wish = options.threshold_for;
    let assessed = assess(
        &parts,
        classifier.clone(),
        rows,
        (supervision, wish),
        &grounds,
        &configure,
        &aside,
        observe,
    );
    let (assessment, audit, threshold_for) = match assessed {
        Ok(Some(Assessed { threshold, choice, assessment, audit })) => {
            classifier = classifier.with_threshold(threshold);
            (Some(assessment), audit, choice)
        }
        Ok(None) => (None, None, None),
        Err(stopped @ Error::Stopped { .. }) => return Err(stopped),
        // What was trained is not thrown away because it cannot be judged.
        Err(error) => {
            warnings.push(Warning::NotJudged(error.into()));
            (None, None, None)
        }
    };
    let missed = wish.filter(|_| !threshold_for.is_some_and(|choice| choice.met));
    warnings.extend(missed.map(|wish| Warning::WishNotMet { wish }));
    warnings.extend(label_warnings(supervision, audit.as_ref()));
    let calibrated = options.calibrate && assessment.is_some();
    classifier = finished(classifier, assessment.as_ref(), options, &data, &parts, &mut warnings)?;
    let sensitivity = options
        .sensitivity
        .then(|| {
            sensitivity::sweep(&prior, &classifier, &data, &config, (supervision, &parts), &aside, observe)
        })
        .transpose()?;
    let pile_scores = pile_scores(assessment.as_ref(), &classifier, &data)?;
    Ok(Fitted {
        classifier,
        config,
        prior,
        replies,
        assessment,
        threshold_for,
        audit,
        selection,
        diagnosis: None,
        sensitivity,
        epochs,
        paired: data.piles.are_paired(),
        calibrated,
        pile_scores,
        warnings,
    })
}

/// The scores of the two piles: by models that did not see them, where there are such.
fn pile_scores(
    assessment: Option<&Assessment>,
    classifier: &Classifier,
    data: &Data<'_>,
) -> Result<[Vec<f32>; 2], Error> {
    if let Some(assessment) = assessment {
        return Ok(assessment.scores());
    }
    let scores = |pile| classifier.scores_of(data.rows, data.piles.rows(pile));
    Ok([scores(Pile::Likelier)?, scores(Pile::Other)?])
}

/// The classifier with its calibration, where that was asked for, and what must be said of how it was judged.
fn finished(
    mut classifier: Classifier,
    assessment: Option<&Assessment>,
    options: &FitOptions,
    data: &Data<'_>,
    parts: &Division,
    warnings: &mut Vec<Warning>,
) -> Result<Classifier, Error> {
    let Some(assessment) = assessment else {
        let why = if data.piles.are_paired() { Unjudged::NothingHeldOut } else { Unjudged::Piles };
        warnings.extend((!parts.judges()).then_some(Warning::NotJudged(why)));
        warnings.extend(options.calibrate.then_some(Warning::NotCalibrated));
        return Ok(classifier);
    };
    warnings.extend(assessment.warnings());
    if options.calibrate {
        let calibration = assessment.calibration()?;
        warnings.extend(calibration.shifted_only.map(Warning::ShiftedOnly));
        classifier = classifier.with_probability(calibration.map)?;
        warnings.extend(Warning::not_at_half(&classifier));
    }
    Ok(classifier)
}

/// What must be said of labels: what they contradict, that they are all alike, or that they were not used.
fn label_warnings(supervision: &Supervision, audit: Option<&LabelAudit>) -> Vec<Warning> {
    let Some((labels, _)) = supervision.audit() else { return Vec::new() };
    let unused = audit.is_none().then_some(Warning::LabelsNotUsed);
    let contradicted = audit.and_then(LabelAudit::warning);
    contradicted.into_iter().chain(one_class(labels)).chain(unused).collect()
}

/// What must be said of labels that are all alike.
fn one_class(labels: &[Option<Label>]) -> Option<Warning> {
    let mut known = labels.iter().flatten();
    let first = *known.next()?;
    let alike = known.clone().all(|label| *label == first);
    alike.then(|| Warning::LabelsOfOneClass { labels: 1 + known.count(), class: first })
}

/// What is known of a classifier.
struct Assessed {
    threshold: f32,
    choice: Option<ThresholdChoice>,
    assessment: Assessment,
    audit: Option<LabelAudit>,
}

/// Judges a classifier by what was not trained on, at the threshold for a wish if that is had; none where there is
/// nothing to judge by.
#[allow(clippy::too_many_arguments, reason = "everything that a judgement rests on")]
fn assess(
    parts: &Division,
    mut classifier: Classifier,
    rows: &Rows,
    (supervision, wish): (&Supervision, Option<Wish>),
    grounds: &Grounds,
    configure: &dyn Fn(&Data<'_>) -> Config,
    control: &Control<'_>,
    observe: &mut Observer<'_>,
) -> Result<Option<Assessed>, Error> {
    let Some(mut held) = parts.held(&classifier, rows, supervision, configure, control, observe)? else {
        return Ok(None);
    };
    let mut choice = match wish {
        Some(wish) => held.new_items.threshold_for(wish, grounds, LEVEL)?,
        None => None,
    };
    let mut grounds = *grounds;
    if let Some(choice) = &mut choice {
        choice.threshold = held.aligned(&classifier, rows, choice.threshold)?;
    }
    if let Some(choice) = choice.filter(|choice| choice.met || matches!(choice.wish, Wish::Cost { .. })) {
        classifier = classifier.with_threshold(choice.threshold);
        grounds = grounds.picked_from(choice.tried);
    }
    let audit = match (supervision.audit(), supervision.comparisons()) {
        (Some(labels), Some(all)) => {
            let margins = held.margins(&classifier, rows, &all)?;
            LabelAudit::new(
                labels,
                &margins,
                &held.new_items,
                &classifier,
                &grounds,
                supervision.answers(),
            )?
        }
        _ => None,
    };
    let these_items = held.these_items.as_ref();
    let threshold = classifier.threshold();
    let assessment = Assessment::of(held.new_items, these_items, threshold, grounds)?;
    let assessment = match supervision.answers() {
        Some(answers) => assessment.within_groups(answers, rows.len())?,
        None => assessment,
    };
    Ok(Some(Assessed { threshold, choice, assessment, audit }))
}

/// How to train: as recommended but for what is stated, once for each method that may be chosen; never empty.
fn candidates(
    data: &Data<'_>,
    options: &FitOptions,
    scaling: Option<ScalingKind>,
    prior: &BelievedPrior,
    protocol: Protocol,
    replies: Option<&ReplyRates>,
) -> Vec<Config> {
    let config = |method| {
        let architecture =
            options
                .model
                .architecture(data.rows.width(), options.hidden.as_deref(), options.image);
        let mut recommended = Config::recommended(method, architecture, prior.prior, protocol, data);
        if let Some(kind) = scaling {
            recommended = recommended.scaled(kind, data);
        }
        let epochs = options.epochs.unwrap_or(recommended.epochs);
        Config {
            learning_rate: options.learning_rate.unwrap_or(recommended.learning_rate),
            weight_decay: options.weight_decay.unwrap_or(recommended.weight_decay),
            replies: replies.cloned(),
            moves: options.moves(data.rows.width()),
            seed: options.seed,
            ..recommended.with_epochs(epochs)
        }
        .until_settled(data, options.batch_rows)
    };
    match (options.method, options.select) {
        (Some(method), _) => vec![config(method)],
        (None, true) => METHODS.map(config).to_vec(),
        // The default is what docs/choosing.md found best; piles do not say what was compared with what.
        (None, false) if data.piles.are_paired() => vec![config(METHODS[0])],
        (None, false) => vec![config(Method::PcompRelu)],
    }
}

/// Looks now and then how good the classifier is by comparisons that it is not trained on.
struct Watch<'a> {
    parts: &'a Division,
    grounds: &'a Grounds,
}

/// Looks in a run, at the most.
const LOOKS: usize = 20;

impl Watch<'_> {
    /// None where that cannot be told.
    fn look(&self, rows: &Rows, progress: &mut Progress<'_, '_>) -> Option<Interval> {
        if !self.parts.judges() {
            return None;
        }
        let classifier = progress.classifier().ok()?;
        let scored = self.parts.watched(&classifier, rows).ok()??;
        Some(
            scored
                .judged(classifier.threshold(), self.grounds, LEVEL)
                .ok()?
                .metrics
                .accuracy,
        )
    }
}

/// Trains, and says what each epoch did, those before an interruption included.
fn run(
    data: &Data<'_>,
    config: &Config,
    control: &Control<'_>,
    watch: Option<&Watch<'_>>,
    observe: &mut Observer<'_>,
) -> Result<(Classifier, Vec<Epoch>), Error> {
    let notes = Notes::default();
    let control = Control { notes: Some(&notes), ..*control };
    let every = config.epochs.div_ceil(LOOKS).max(1);
    let outcome = train_with(data, config, &control, |summary, progress| {
        // Counted from the end, so that the last epoch is among them.
        let looks =
            progress.is_done() || (config.epochs - summary.epoch.min(config.epochs)).is_multiple_of(every);
        let accuracy = watch.filter(|_| looks).and_then(|watch| watch.look(data.rows, progress));
        let epoch = Epoch { of: *summary, accuracy };
        // Its numbers are finite, so it can always be noted.
        let _ = notes.add(&epoch);
        observe(Event::Epoch { epoch: &epoch, epochs: config.epochs });
        Ok(())
    })?;
    let classifier = outcome.finished()?;
    Ok((classifier, notes.all().unwrap_or_default()))
}
