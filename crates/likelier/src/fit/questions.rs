//! Several questions about the same items: one classifier for each, by the one workflow.
//!
//! Questions may be the classes of one thing ([`FitOptions::classes`]): each item is exactly one of them. Their shares then
//! sum to one, and so do the probabilities that [`Classifiers`] gives.

use super::belief::BelievedPrior;
use super::classes::{JudgedClasses, judged_classes};
use super::{Event, FitOptions, Fitted, LEVEL, Observer, ScorerOptions, fit_believing, words};
use crate::data::{Answers, Rows};
use crate::error::Error;
use crate::estimate::{FEWEST, Interval};
use crate::model::Classifiers;
use crate::prior::Prior;
use crate::supervision::Supervision;
use crate::train::Control;
use crate::warning::Warning;

/// Stated shares of classes may be rounded.
const ROUNDING: f64 = 0.02;

/// A question, and what was said in answer to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// Its name.
    pub name: String,
    /// The answers, and what is believed about them.
    pub supervision: Supervision,
}

/// One classifier for each question.
#[derive(Clone, Debug)]
pub struct FittedQuestions {
    /// The questions, in the order in which they were given.
    pub questions: Vec<(String, Fitted)>,
    /// The classifiers together.
    pub classifiers: Classifiers,
    /// How often the most likely class is the right one, where questions are classes; none where that is not known.
    pub classes: Option<JudgedClasses>,
    /// What must be said beside all of it, that on single questions included.
    pub warnings: Vec<Warning>,
}

/// Fits a classifier to each of several questions about the same rows, and judges it.
///
/// ```
/// use likelier::{Answers, FitOptions, Prior, Protocol, Question, Rows, Supervision, fit_questions};
///
/// // Forty items with two features. Which of two is likelier large, which likelier red?
/// let rows = Rows::from_numbers((0..40).flat_map(|at| [at as f32, (at * 7 % 40) as f32]).collect(), 2)?;
/// let ask = |name: &str, key: fn(u32) -> u32| -> Result<Question, likelier::Error> {
///     let pairs = (0..40).map(|at| (at, (at + 13) % 40));
///     let answers: Answers = pairs.map(|(a, b)| if key(a) > key(b) { (a, b) } else { (b, a) }).collect();
///     let supervision = Supervision::new(answers).protocol(Protocol::FORCED_CHOICE).prior(Prior::new(0.5)?);
///     Ok(Question { name: name.into(), supervision })
/// };
/// let questions = [ask("large", |at| at)?, ask("red", |at| at * 7 % 40)?];
/// let fitted = fit_questions(&rows, &questions, &FitOptions::new().hold_out(0.0))?;
/// let scores = fitted.classifiers.of_question("red")?.scores(&rows)?;
/// assert!(scores[17] > scores[40 - 17]);
/// # Ok::<(), likelier::Error>(())
/// ```
pub fn fit_questions(
    rows: &Rows,
    questions: &[Question],
    options: &FitOptions,
) -> Result<FittedQuestions, Error> {
    fit_questions_with(rows, questions, options, &Control::default(), &mut |_| ())
}

/// The same with control over threads and stopping, and news of how it goes. No checkpoint is kept.
pub fn fit_questions_with(
    rows: &Rows,
    questions: &[Question],
    options: &FitOptions,
    control: &Control<'_>,
    observe: &mut Observer<'_>,
) -> Result<FittedQuestions, Error> {
    check(questions)?;
    let packed = words::packed(rows, options);
    let rows = packed.as_ref().unwrap_or(rows);
    let control = Control { checkpoint: None, notes: None, ..*control };
    let mut warnings = Vec::new();
    let priors = if options.classes {
        shares(rows, questions, options, &control, observe, &mut warnings)?
    } else {
        vec![None; questions.len()]
    };
    // Probabilities that are compared across questions must be right in each.
    let own = options.clone().calibrate(options.calibrate || options.classes);
    let mut fitted = Vec::with_capacity(questions.len());
    for (at, (Question { name, supervision }, prior)) in questions.iter().zip(priors).enumerate() {
        observe(Event::Question { name, number: at + 1, of: questions.len() });
        let one = fit_believing(rows, supervision, prior, &own, &control, observe)
            .map_err(|error| in_question(name, error))?;
        warnings.extend(one.warnings.iter().map(|warning| of_question(name, warning)));
        fitted.push((name.clone(), one));
    }
    let classifiers = fitted.iter().map(|(name, one)| (name.clone(), one.classifier.clone()));
    let mut classifiers = Classifiers::new(classifiers.collect(), options.classes)?;
    let classes = if options.classes {
        match judged_classes(rows, questions, &fitted) {
            Ok((judged, sharpness)) => {
                classifiers = classifiers.with_sharpness(sharpness)?;
                Some(judged)
            }
            Err(reason) => {
                warnings.push(Warning::ClassesNotJudged { reason: reason.to_string() });
                None
            }
        }
    } else {
        None
    };
    Ok(FittedQuestions { questions: fitted, classifiers, classes, warnings })
}

/// Says which question an error is about. A stop is about none.
fn in_question(name: &str, error: Error) -> Error {
    match error {
        stopped @ Error::Stopped { .. } => stopped,
        error => Error::InQuestion { question: name.to_owned(), error: Box::new(error) },
    }
}

fn of_question(name: &str, warning: &Warning) -> Warning {
    Warning::OfQuestion { question: name.to_owned(), warning: Box::new(warning.clone()) }
}

/// Refuses what would be noticed only after some of the training.
fn check(questions: &[Question]) -> Result<(), Error> {
    if questions.len() < 2 {
        return Err(Error::NoClasses { found: questions.len() });
    }
    for (at, Question { name, supervision }) in questions.iter().enumerate() {
        if questions[..at].iter().any(|other| other.name == *name) {
            return Err(Error::Setting {
                name: "the name of a question",
                value: format!("'{name}'"),
                allowed: "that of one question only",
            });
        }
        // A misspelt name makes a question of its own, with few answers.
        let found = supervision.answers().ok_or(Error::NeedsComparisons).map(Answers::len)?;
        if found < FEWEST {
            return Err(Error::TooFewAnswers { question: name.clone(), found, needed: FEWEST });
        }
    }
    Ok(())
}

/// The shares of classes: as stated, or estimated and scaled to what the stated ones leave.
fn shares(
    rows: &Rows,
    questions: &[Question],
    options: &FitOptions,
    control: &Control<'_>,
    observe: &mut Observer<'_>,
    warnings: &mut Vec<Warning>,
) -> Result<Vec<Option<BelievedPrior>>, Error> {
    let stated: Vec<Option<f64>> = questions
        .iter()
        .map(|question| question.supervision.stated_prior().map(Prior::positive))
        .collect();
    let known: f64 = stated.iter().flatten().sum();
    let all = stated.iter().all(Option::is_some);
    if known > 1.0 + ROUNDING || (all && known < 1.0 - ROUNDING) || (!all && known >= 1.0) {
        return Err(Error::ClassShares { sum: known });
    }
    if all {
        return Ok(vec![None; questions.len()]);
    }
    let scorer = ScorerOptions::new(options.model, options.seed);
    let mut found = Vec::with_capacity(questions.len());
    for (at, Question { name, supervision }) in questions.iter().enumerate() {
        observe(Event::Question { name, number: at + 1, of: questions.len() });
        let mut said = Vec::new();
        let prior = BelievedPrior::of(rows, supervision, &scorer, control, observe, &mut said)
            .map_err(|error| in_question(name, error))?;
        warnings.extend(said.iter().map(|warning| of_question(name, warning)));
        found.push(prior);
    }
    let estimated: f64 = found
        .iter()
        .filter(|prior| prior.estimated.is_some())
        .map(|prior| prior.prior.positive())
        .sum();
    let factor = (1.0 - known) / estimated;
    if (factor - 1.0).abs() > 1e-9 {
        warnings.push(Warning::ClassSharesScaled { sum: known + estimated });
    }
    found.iter().map(|prior| scaled(prior, factor).map(Some)).collect()
}

/// An estimate times a factor; what was stated stays.
fn scaled(prior: &BelievedPrior, factor: f64) -> Result<BelievedPrior, Error> {
    let Some(Interval { value, low, high, .. }) = prior.estimated else { return Ok(*prior) };
    let scale = |share: f64| (share * factor).clamp(1e-6, 1.0 - 1e-6);
    let [value, low, high] = [value, low, high].map(scale);
    Ok(BelievedPrior {
        prior: Prior::new(value)?,
        estimated: Some(Interval { value, low, high, level: LEVEL }),
    })
}
