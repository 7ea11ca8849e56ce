//! Training that ends when nothing more is learned.

#![cfg(feature = "engine")]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::atomic::{AtomicBool, Ordering};

use likelier::data::{Comparisons, Label, Piles, Rows};
use likelier::evaluate::Confusion;
use likelier::generate::{Recipe, Sampling, draw};
use likelier::model::{Architecture, Mlp};
use likelier::random::{Purpose, stream, unit};
use likelier::train::{Config, Control, Data, Notes, Outcome, Phase, Predictor, train_with};
use likelier::{Classifier, FitOptions, Method, Prior, Protocol, Supervision, fit};

const ITEMS: u32 = 6000;
const WIDTH: usize = 6;

/// Two overlapping clouds, and comparisons of their points.
struct Clouds {
    rows: Rows<'static>,
    labels: Vec<Label>,
    comparisons: Comparisons,
}

impl Clouds {
    fn new(pairs: usize) -> Self {
        let mut rng = stream(5, Purpose::Split);
        let labels: Vec<Label> = (0..ITEMS).map(|_| Label::positive_if(unit(&mut rng) < 0.4)).collect();
        let mut values = Vec::new();
        for label in &labels {
            let centre = if label.is_positive() { 0.6 } else { -0.6 };
            for _ in 0..WIDTH {
                let normal = (0..12).map(|_| unit(&mut rng)).sum::<f64>() - 6.0;
                values.push((centre + normal) as f32);
            }
        }
        let recipe = Recipe {
            prior: prior(),
            protocol: Protocol::FORCED_CHOICE,
            pairs,
            sampling: Sampling::Independent,
            degrees: None,
        };
        let pool: Vec<u32> = (0..ITEMS).collect();
        let drawn = draw(&labels, &pool, &recipe, &mut stream(6, Purpose::Comparisons)).unwrap();
        let comparisons = Supervision::new(drawn.evidence).comparisons().unwrap();
        Self { rows: Rows::from_numbers(values, WIDTH).unwrap(), labels, comparisons }
    }

    fn data(&self) -> Data<'_> {
        Data { rows: &self.rows, piles: self.comparisons.piles(), labels: Some(&self.labels) }
    }

    /// Batches so small that an epoch has many steps.
    fn config(&self, method: Method) -> Config {
        let linear = Architecture::Linear;
        let config = Config::recommended(method, linear, prior(), Protocol::FORCED_CHOICE, &self.data());
        Config { batch_rows: 16, settles: true, ..config }
    }

    fn accuracy(&self, classifier: &Classifier) -> f64 {
        let predicted = classifier.predict(&self.rows).unwrap();
        Confusion::of(&predicted, self.labels.iter().copied()).unwrap().accuracy()
    }
}

fn prior() -> Prior {
    Prior::new(0.4).unwrap()
}

/// A classifier, and how many epochs it took.
fn trained(clouds: &Clouds, config: &Config, threads: Option<usize>) -> (Classifier, usize) {
    let mut epochs = 0;
    let control = Control { threads, ..Control::default() };
    let outcome = train_with(&clouds.data(), config, &control, |summary, progress| {
        assert!(!progress.is_done() || summary.epoch > epochs);
        epochs = summary.epoch;
        Ok(())
    });
    (outcome.unwrap().finished().unwrap(), epochs)
}

#[test]
fn every_method_stops_when_nothing_more_is_learned_and_loses_nothing() {
    let clouds = Clouds::new(3000);
    for method in Method::ALL {
        let config = clouds.config(method);
        let (settled, epochs) = trained(&clouds, &config, None);
        let mut long = Config { settles: false, ..config };
        if !matches!(method, Method::PcompTeacher | Method::PairPosterior) {
            // Weights that wander are right by chance: their average is what training leads to. In these two methods
            // the average takes part in training, so it stays as it is.
            (long.predictor, long.teacher_smoothing) = (Predictor::Teacher, 0.999);
        }
        let (long, all) = trained(&clouds, &long, None);
        assert_eq!(all, 100);
        assert!(epochs < 50, "{method} took {epochs} epochs");
        let (settled, long) = (clouds.accuracy(&settled), clouds.accuracy(&long));
        assert!(settled > long - 0.005, "{method}: {settled} instead of {long} after {epochs} epochs");
    }
}

#[test]
fn few_comparisons_are_trained_as_long_as_ever() {
    let clouds = Clouds::new(200);
    for method in [Method::PairPosterior, Method::PcompRelu] {
        let config = Config { epochs: 39, warm_up_epochs: 19, ..clouds.config(method) };
        let (settled, epochs) = trained(&clouds, &config, None);
        assert_eq!(epochs, 39, "975 steps are no window");
        assert_eq!(settled, trained(&clouds, &Config { settles: false, ..config }, None).0);
    }
}

#[test]
fn a_run_that_settles_is_the_same_at_any_number_of_threads_and_after_interruptions() {
    let clouds = Clouds::new(3000);
    let folder = tempfile::tempdir().unwrap();
    for method in [Method::PairPosterior, Method::RankPruning, Method::PcompRelu] {
        // Windows of 1125 steps, three epochs, so that the run is also stopped within one.
        let config = clouds.config(method);
        let (one, epochs) = trained(&clouds, &config, Some(1));
        assert!((3..50).contains(&epochs));
        assert_eq!(one, trained(&clouds, &config, Some(2)).0);
        let path = folder.path().join(method.name());
        let mut phases = Vec::new();
        let resumed = loop {
            let (stop, notes) = (AtomicBool::new(false), Notes::default());
            let control = Control {
                checkpoint: Some(&path),
                notes: Some(&notes),
                stop: Some(&stop),
                threads: None,
                executor: None,
            };
            let outcome = train_with(&clouds.data(), &config, &control, |summary, _| {
                phases.push(summary.phase);
                stop.store(summary.epoch % 2 == 0, Ordering::Relaxed);
                Ok(())
            });
            if let Outcome::Finished(classifier) = outcome.unwrap() {
                break *classifier;
            }
        };
        assert_eq!(phases.len(), epochs, "{method}");
        assert_eq!(resumed, one, "{method}");
        let warmed_up = phases.iter().filter(|phase| **phase == Phase::WarmUp).count();
        assert!(warmed_up < config.warm_up_epochs, "{method} warmed up for {warmed_up} epochs");
        // A finished run that is asked for again is read, not trained.
        let control = Control { checkpoint: Some(&path), ..Control::default() };
        let again = train_with(&clouds.data(), &config, &control, |_, _| panic!("trained again"));
        assert_eq!(again.unwrap().finished().unwrap(), one);
    }
}

#[test]
fn only_a_linear_model_settles() {
    let clouds = Clouds::new(200);
    let mlp = Architecture::Mlp(Mlp::of_the_paper());
    let config = clouds.config(Method::PcompRelu);
    let network = Config { architecture: mlp, ..config.clone() };
    assert!(network.check().unwrap_err().to_string().contains("linear models only"));
    let made = Config { settles: false, ..network }.until_settled(&clouds.data(), None);
    assert!(!made.settles && made.check().is_ok());
    assert_eq!((made.batch_rows, config.batch_rows), (16, 16));
}

#[test]
fn batches_grow_with_the_comparisons_but_not_beyond_the_cache() {
    let batch = |comparisons: usize, width: usize, stated| {
        let rows = Rows::from_numbers(vec![0.0; 2 * width], width).unwrap();
        let (likelier, other) = (vec![0; comparisons], vec![1; comparisons]);
        let data = Data { rows: &rows, piles: Piles::loose(&likelier, &other), labels: None };
        let config = Config::new(Method::PcompRelu, prior(), Protocol::FORCED_CHOICE);
        config.until_settled(&data, stated).batch_rows
    };
    assert_eq!([100, 100_000, 255_999].map(|count| batch(count, 20, None)), [256; 3]);
    assert_eq!([256_000, 1_000_000, 9_000_000].map(|count| batch(count, 20, None)), [512, 1024, 8192]);
    assert_eq!([100, 784, 100_000].map(|width| batch(9_000_000, width, None)), [2048, 256, 256]);
    assert_eq!(batch(9_000_000, 20, Some(64)), 64);
}

#[test]
fn fitting_says_how_many_epochs_there_were() {
    let clouds = Clouds::new(6000);
    let supervision = Supervision::new(clouds.comparisons.iter().collect::<likelier::Answers>())
        .protocol(Protocol::FORCED_CHOICE)
        .prior(prior());
    let options = FitOptions::new().batch_rows(16).hold_out(0.2).watch(true);
    let fitted = fit(&clouds.rows, &supervision, &options).unwrap();
    let last = fitted.epochs.last().unwrap();
    assert!(fitted.epochs.len() < 50 && fitted.classifier.summary().epoch == last.of.epoch);
    assert!(last.accuracy.is_some(), "the last epoch is looked at");
}
