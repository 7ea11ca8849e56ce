//! Training runs with networks: threads, interruption, early stop, options.

#![cfg(feature = "engine")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};

use likelier::data::{Comparisons, Label, Piles, Rows};
use likelier::evaluate::Confusion;
use likelier::generate::{Recipe, Sampling, draw};
use likelier::model::{Architecture, Mlp, MlpNorm, ResNet, ScalingKind};
use likelier::random::{Purpose, stream, unit};
use likelier::train::{
    Config, Control, Criterion, Data, EarlyStop, EpochSummary, Notes, OptimiserKind, Outcome, Predictor,
    Progress, PruningSchedule, train, train_with,
};
use likelier::{Classifier, Error, Method, Prior, Protocol, Supervision};

/// Two classes that no linear model can part: inside and outside of a ring.
struct Ring {
    rows: Rows<'static>,
    labels: Vec<Label>,
    comparisons: Comparisons,
    prior: Prior,
}

fn ring(rows: usize, pairs: usize) -> Ring {
    let mut rng = stream(4, Purpose::Split);
    let values: Vec<f32> = (0..3 * rows).map(|_| 2.0 * unit(&mut rng) as f32 - 1.0).collect();
    let inside = |row: &[f32]| row.iter().map(|x| x * x).sum::<f32>() < 0.9;
    let labels: Vec<Label> = values.chunks_exact(3).map(|row| Label::positive_if(inside(row))).collect();
    let all: Vec<u32> = (0..rows as u32).collect();
    let prior = Prior::new(0.4).unwrap();
    let recipe = Recipe {
        prior,
        protocol: Protocol::DISCARD,
        pairs,
        sampling: Sampling::Independent,
        degrees: None,
    };
    let drawn = draw(&labels, &all, &recipe, &mut stream(5, Purpose::Comparisons)).unwrap();
    let comparisons = Supervision::new(drawn.evidence).comparisons().unwrap();
    Ring { rows: Rows::from_numbers(values, 3).unwrap(), labels, comparisons, prior }
}

impl Ring {
    fn data(&self) -> Data<'_> {
        Data { rows: &self.rows, piles: self.comparisons.piles(), labels: Some(&self.labels) }
    }

    fn config(&self, method: Method) -> Config {
        let mlp = Mlp { hidden: vec![32, 32], norm: MlpNorm::EachLayer };
        Config {
            architecture: Architecture::Mlp(mlp),
            epochs: 30,
            warm_up_epochs: 5,
            ..Config::new(method, self.prior, Protocol::DISCARD)
        }
    }

    fn accuracy(&self, classifier: &Classifier) -> f64 {
        let predicted = classifier.predict(&self.rows).unwrap();
        Confusion::of(&predicted, self.labels.iter().copied()).unwrap().accuracy()
    }
}

fn quiet(data: &Data<'_>, config: &Config) -> Classifier {
    train(data, config).unwrap()
}

fn observed(
    data: &Data<'_>,
    config: &Config,
    observe: impl FnMut(&EpochSummary, &mut Progress<'_, '_>) -> Result<(), Error> + Send,
) -> Classifier {
    train_with(data, config, &Control::default(), observe)
        .unwrap()
        .finished()
        .unwrap()
}

#[test]
fn a_network_learns_what_a_linear_model_cannot() {
    let ring = ring(3000, 3000);
    for method in [Method::PcompRelu, Method::RankPruning, Method::Likelihood, Method::Supervised] {
        let accuracy = ring.accuracy(&quiet(&ring.data(), &ring.config(method)));
        assert!(accuracy > 0.88, "{method}: {accuracy}");
    }
    let linear = Config { architecture: Architecture::Linear, ..ring.config(Method::Supervised) };
    assert!(ring.accuracy(&quiet(&ring.data(), &linear)) < 0.75);
}

#[test]
fn a_residual_network_learns_from_images() {
    // Bright on the left or on the right half.
    let mut rng = stream(8, Purpose::Split);
    let labels: Vec<Label> = (0..400).map(|row| Label::positive_if(row % 2 == 0)).collect();
    let mut bytes = Vec::new();
    for label in &labels {
        for pixel in 0..3 * 8 * 8 {
            let bright = (pixel % 8 < 4) == label.is_positive();
            bytes.push((unit(&mut rng) * 160.0) as u8 + if bright { 60 } else { 0 });
        }
    }
    let rows = Rows::from_bytes(bytes, 192).unwrap();
    let pairs: Comparisons = (0..100).map(|k| (2 * k, 2 * k + 1)).collect();
    let resnet = ResNet { image: [3, 8, 8], stem: 4, stages: vec![(1, 4), (1, 8)] };
    let config = Config {
        architecture: Architecture::ResNet(resnet),
        epochs: 12,
        batch_rows: 40,
        ..Config::new(Method::RankQuantile, Prior::new(0.5).unwrap(), Protocol::FORCED_CHOICE)
    };
    let data = Data { rows: &rows, piles: pairs.piles(), labels: None };
    let unseen: Vec<u32> = (200..400).collect();
    let predicted = quiet(&data, &config).predict_of(&rows, &unseen).unwrap();
    let truth = unseen.iter().map(|row| labels[*row as usize]);
    assert!(Confusion::of(&predicted, truth).unwrap().accuracy() > 0.95);
}

#[test]
fn one_two_and_three_threads_give_the_same_bytes() {
    let ring = ring(2000, 1500);
    for method in [Method::PcompAbs, Method::PcompTeacher, Method::PairPosterior] {
        let mut config = ring.config(method);
        config.epochs = 8;
        config.architecture = Architecture::Mlp(Mlp { hidden: vec![150, 150], norm: MlpNorm::EachLayer });
        let trained = [1, 2, 3].map(|threads| {
            let control = Control { threads: Some(threads), ..Control::default() };
            train_with(&ring.data(), &config, &control, |_, _| Ok(())).unwrap()
        });
        assert_eq!(trained[0], trained[1]);
        assert_eq!(trained[0], trained[2]);
        // Whole chunks of rows go to one thread each; the last one is short.
        let [first, ..] = trained;
        let classifier = first.finished().unwrap();
        let scores = [1, 2, 3].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| classifier.scores(&ring.rows).unwrap())
        });
        assert_eq!(scores[0], scores[1]);
        assert_eq!(scores[0], scores[2]);
        let short = classifier.scores_of(&ring.rows, &[7, 1999, 7]).unwrap();
        assert!(
            short
                .iter()
                .zip([7, 1999, 7])
                .all(|(score, row)| (score - scores[0][row]).abs() < 1e-4)
        );
    }
}

#[test]
fn an_interrupted_and_resumed_run_ends_at_the_same_bytes() {
    let ring = ring(800, 600);
    let folder = tempfile::tempdir().unwrap();
    let early_stop = Some(EarlyStop { share: 0.2, criterion: Criterion::Orientation, patience: None });
    let averaged = Predictor::Teacher;
    for (name, method, early_stop, predictor, warm_up_epochs) in [
        ("plain", Method::PcompRelu, None, Predictor::Student, 5),
        ("teacher", Method::PcompTeacher, None, Predictor::Student, 5),
        ("held-out", Method::Likelihood, early_stop, Predictor::Student, 5),
        ("averaged", Method::Likelihood, early_stop, averaged, 5),
        // Stopped after 5 and after 10 epochs: in the warm-up and after it, at its very end, and only after it.
        ("posterior, long warm-up", Method::PairPosterior, early_stop, averaged, 7),
        ("posterior, at the turn", Method::PairPosterior, early_stop, averaged, 5),
        ("posterior, nothing held out", Method::PairPosterior, None, averaged, 3),
    ] {
        let config = Config { epochs: 12, early_stop, predictor, warm_up_epochs, ..ring.config(method) };
        let mut uninterrupted = Vec::new();
        let observe = |summary: &EpochSummary, _: &mut Progress<'_, '_>| {
            uninterrupted.push(*summary);
            Ok(())
        };
        let whole = observed(&ring.data(), &config, observe);
        let path = folder.path().join(name);
        let (resumed, seen) = loop {
            // Each time as a new process, which has nothing but the file.
            let (stop, notes) = (AtomicBool::new(false), Notes::default());
            let control = Control {
                checkpoint: Some(&path),
                notes: Some(&notes),
                stop: Some(&stop),
                ..Control::default()
            };
            let outcome = train_with(&ring.data(), &config, &control, |summary, _| {
                notes.add(summary).unwrap();
                stop.store(summary.epoch % 5 == 0, Ordering::Relaxed);
                Ok(())
            });
            match outcome.unwrap() {
                Outcome::Finished(classifier) => break (*classifier, notes.all::<EpochSummary>().unwrap()),
                Outcome::Stopped { epoch } => assert_eq!(epoch % 5, 0),
            }
        };
        assert_eq!(seen, uninterrupted, "{name}: no epoch is repeated, left out, or other than it was");
        assert_eq!(resumed, whole, "{name}");
    }
}

#[test]
fn a_run_without_a_checkpoint_stops_within_an_epoch() {
    let ring = ring(300, 200);
    let config = Config { epochs: 3, ..ring.config(Method::PcompRelu) };
    let stop = AtomicBool::new(true);
    let control = Control { stop: Some(&stop), ..Control::default() };
    let outcome = train_with(&ring.data(), &config, &control, |_, _| panic!("no epoch was finished"));
    assert_eq!(outcome.unwrap(), Outcome::Stopped { epoch: 0 });
}

#[test]
fn a_checkpoint_of_another_run_or_a_damaged_one_is_refused() {
    let ring = ring(300, 200);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    let control = Control { checkpoint: Some(&path), ..Control::default() };
    let config = Config { epochs: 2, ..ring.config(Method::PcompRelu) };
    let with = |config: &Config| train_with(&ring.data(), config, &control, |_, _| Ok(()));
    with(&config).unwrap();
    let other = with(&Config { learning_rate: 0.5, ..config.clone() }).unwrap_err();
    assert!(other.to_string().contains("other settings"), "{other}");
    // A longer run may go on from a shorter one.
    let longer = Config { epochs: 4, ..config.clone() };
    let Outcome::Finished(resumed) = with(&longer).unwrap() else { panic!("stopped") };
    assert_eq!(*resumed, quiet(&ring.data(), &longer));

    let bytes = fs::read(&path).unwrap();
    for length in [0, 10, bytes.len() / 2, bytes.len() - 1] {
        fs::write(&path, &bytes[..length]).unwrap();
        assert!(matches!(with(&longer), Err(Error::Checkpoint { .. })), "cut to {length} bytes");
    }
}

#[test]
fn a_run_that_breaks_down_keeps_its_last_checkpoint() {
    let ring = ring(300, 200);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    let control = Control { checkpoint: Some(&path), ..Control::default() };
    let good = Config { epochs: 1, ..ring.config(Method::PcompUnbiased) };
    train_with(&ring.data(), &good, &control, |_, _| Ok(())).unwrap();
    let kept = fs::read(&path).unwrap();
    let bad = Config { learning_rate: 1e38, optimiser: OptimiserKind::Sgd { momentum: 0.0 }, ..good };
    let fresh = folder.path().join("fresh");
    let control = Control { checkpoint: Some(&fresh), ..Control::default() };
    let error = train_with(&ring.data(), &bad, &control, |_, _| Ok(())).unwrap_err();
    assert!(matches!(error, Error::Diverged { epoch: 1, .. }), "{error}");
    assert!(!fresh.exists() && fs::read(&path).unwrap() == kept);
}

#[test]
fn the_best_held_out_epoch_is_returned_and_patience_ends_a_run() {
    let ring = ring(1500, 400);
    for (criterion, method) in
        [(Criterion::Orientation, Method::Likelihood), (Criterion::Risk, Method::PcompUnbiased)]
    {
        let early_stop = EarlyStop { share: 0.25, criterion, patience: Some(6) };
        let config = Config { epochs: 300, early_stop: Some(early_stop), ..ring.config(method) };
        let mut seen = Vec::new();
        let chosen = observed(&ring.data(), &config, |summary, progress| {
            seen.push((summary.held_out.unwrap(), progress.classifier()?));
            Ok(())
        });
        let mut best = 0;
        for at in 1..seen.len() {
            if seen[at].0 < seen[best].0 {
                best = at;
            }
        }
        assert_eq!(
            chosen.weights(),
            seen[best].1.weights(),
            "{criterion:?}: best of {} epochs",
            seen.len()
        );
        assert_eq!(chosen.threshold(), seen[best].1.threshold());
        assert_eq!((chosen.summary().epoch, chosen.summary().held_out), (best + 1, Some(seen[best].0)));
        assert_eq!(seen.len(), best + 1 + 6, "{criterion:?}: stopped six epochs later");
    }
}

#[test]
fn a_hold_out_that_nothing_can_be_measured_on_is_refused() {
    let ring = ring(200, 2);
    let refusal = |data: &Data<'_>, criterion| {
        let early_stop = Some(EarlyStop { share: 0.2, criterion, patience: None });
        let config = Config { early_stop, ..ring.config(Method::PcompRelu) };
        train(data, &config).unwrap_err()
    };
    let none = refusal(&ring.data(), Criterion::Risk);
    assert!(none.to_string().contains("hold out at least one comparison"), "{none}");
    let many: Vec<u32> = (0..100).collect();
    let loose = Data { piles: Piles::loose(&many, &many[..50]), ..ring.data() };
    assert!(matches!(refusal(&loose, Criterion::Orientation), Error::NotPaired { .. }));
}

#[test]
fn options_change_the_run_as_they_say() {
    let ring = ring(1500, 1500);
    let base = Config { epochs: 10, ..ring.config(Method::PcompTeacher) };
    let usual = quiet(&ring.data(), &base);
    let teacher = quiet(&ring.data(), &Config { predictor: Predictor::Teacher, ..base.clone() });
    assert_ne!(usual.weights(), teacher.weights());
    let mut consistency = Vec::new();
    let ramped = Config { consistency_ramp_epochs: 8, ..base.clone() };
    observed(&ring.data(), &ramped, |summary, _| {
        consistency.push(summary.consistency);
        Ok(())
    });
    assert!(consistency[0] < consistency[9], "{consistency:?}");
    let each_batch = Config { pruning: PruningSchedule::EachBatch, ..base.clone() };
    observed(&ring.data(), &each_batch, |summary, _| {
        // Two piles of 128 keep round(θ₊·128) and round((1 − θ₋)·128) rows.
        let expected = if summary.epoch > 5 { 0.5 * (0.5263 + 0.7895) } else { 1.0 };
        assert!((summary.selected_share - expected).abs() < 0.01, "{}", summary.selected_share);
        Ok(())
    });
    for optimiser in [OptimiserKind::AdamW, OptimiserKind::Sgd { momentum: 0.9 }] {
        let config =
            Config { optimiser, learning_rate: 0.02, epochs: 30, ..ring.config(Method::PcompRelu) };
        assert!(ring.accuracy(&quiet(&ring.data(), &config)) > 0.8, "{optimiser:?}");
    }
}

#[test]
fn sparse_rows_train_a_linear_model_as_dense_ones_do() {
    let mut rng = stream(3, Purpose::Split);
    let dense: Vec<f32> = (0..200 * 50)
        .map(|_| if unit(&mut rng) < 0.1 { unit(&mut rng) as f32 } else { 0.0 })
        .collect();
    let dense = Rows::from_numbers(dense, 50).unwrap();
    let sparse = dense.to_sparse();
    let pairs: Comparisons = (0..100).map(|k| (k, 199 - k)).collect();
    let config = Config {
        scaling: Some(ScalingKind::LargestAbsolute),
        epochs: 20,
        ..Config::new(Method::PcompAbs, Prior::new(0.5).unwrap(), Protocol::DISCARD)
    };
    let scores = [&dense, &sparse].map(|rows| {
        let data = Data { rows, piles: pairs.piles(), labels: None };
        quiet(&data, &config).scores(rows).unwrap()
    });
    let equal = |scores: [Vec<f32>; 2]| {
        for (dense, sparse) in scores[0].iter().zip(&scores[1]) {
            assert!((dense - sparse).abs() < 1e-5, "{dense} is not {sparse}");
        }
    };
    equal(scores);
    // Standardising fills the zeros, so sparse rows are then made dense, one at a time.
    let standardised = Config { scaling: Some(ScalingKind::Standardise), ..config.clone() };
    let scores = [&dense, &sparse].map(|rows| {
        let data = Data { rows, piles: pairs.piles(), labels: None };
        quiet(&data, &standardised).scores(rows).unwrap()
    });
    equal(scores);
    // A network takes the same rows, made dense batch by batch.
    let mlp = Architecture::Mlp(Mlp { hidden: vec![4], norm: MlpNorm::None });
    let data = Data { rows: &sparse, piles: pairs.piles(), labels: None };
    quiet(&data, &Config { architecture: mlp, epochs: 2, ..config });
}

#[test]
fn a_model_that_cannot_fit_into_memory_is_refused_before_it_starts() {
    let ring = ring(100, 50);
    let huge = Mlp { hidden: vec![40_000_000; 2], norm: MlpNorm::None };
    let config = Config { architecture: Architecture::Mlp(huge), ..ring.config(Method::PcompRelu) };
    let error = train(&ring.data(), &config).unwrap_err();
    assert!(matches!(error, Error::Memory { .. }), "{error}");
}

#[test]
fn a_comparison_of_weight_two_teaches_as_much_as_the_same_one_twice() {
    let ring = ring(300, 60);
    let pairs: Vec<(u32, u32)> = ring.comparisons.iter().collect();
    let weights: Vec<f32> = (0..pairs.len()).map(|at| [1.0, 2.0, 0.0][at % 3]).collect();
    let weighted = ring.comparisons.clone().weighted(weights.clone()).unwrap();
    let repeated: Comparisons = pairs
        .iter()
        .zip(&weights)
        .flat_map(|(pair, weight)| std::iter::repeat_n(*pair, *weight as usize))
        .collect();
    // Rank pruning keeps or drops a heavy row whole, but may part a repeated one.
    let tried = Method::ALL
        .into_iter()
        .filter(|method| *method != Method::Supervised && !method.prunes());
    for method in tried {
        // All comparisons in one batch, so that both runs see the same sums.
        let config = Config {
            architecture: Architecture::Linear,
            scaling: Some(ScalingKind::None),
            batch_rows: 4 * pairs.len(),
            epochs: 40,
            ..ring.config(method)
        };
        let weighted = Data { piles: weighted.piles(), ..ring.data() };
        let twice = Data { piles: repeated.piles(), ..ring.data() };
        let scores = [weighted, twice].map(|data| quiet(&data, &config).scores(&ring.rows).unwrap());
        for (weighted, twice) in scores[0].iter().zip(&scores[1]) {
            assert!((weighted - twice).abs() < 1e-4, "{method}: {weighted} is not {twice}");
        }
        let plain = quiet(&ring.data(), &config).scores(&ring.rows).unwrap();
        assert_ne!(scores[0], plain, "{method}: weights change something");
    }
}

#[test]
fn averaged_weights_predict_for_any_method_with_their_own_statistics() {
    let ring = ring(3000, 3000);
    let averaged = |method| Config { predictor: Predictor::Teacher, ..ring.config(method) };
    for method in [Method::PcompRelu, Method::Likelihood, Method::Supervised] {
        let accuracy = ring.accuracy(&quiet(&ring.data(), &averaged(method)));
        assert!(accuracy > 0.88, "{method}: {accuracy}");
    }
    // One step, after which the average is half-way between the start and the student: statistics too.
    let one = Config { epochs: 1, batch_rows: 6000, ..averaged(Method::PcompRelu) };
    let teacher = quiet(&ring.data(), &one);
    let student = quiet(&ring.data(), &Config { predictor: Predictor::Student, ..one.clone() });
    let start = one
        .architecture
        .initial_weights(3, &mut stream(one.seed, Purpose::Weights))
        .unwrap();
    let half_way = |own: &[f32], start: &[f32], student: &[f32]| {
        let ends = start.iter().zip(student);
        own.iter()
            .zip(ends)
            .all(|(own, (a, b))| (own - f32::midpoint(*a, *b)).abs() < 1e-6)
    };
    let (own, student) = (teacher.weights(), student.weights());
    assert!(half_way(&own.parameters, &start.parameters, &student.parameters));
    assert!(!own.buffers.is_empty() && own.buffers != student.buffers);
    assert!(half_way(&own.buffers, &start.buffers, &student.buffers));
}
