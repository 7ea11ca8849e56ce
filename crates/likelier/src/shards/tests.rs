use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::generate::{Recipe, draw};
use crate::model::{Architecture, Scaling, ScalingKind};
use crate::random::{Purpose, Rng, stream, unit};
use crate::risk::Method;
use crate::train::{Config, Data, prior_quantile, train};
use crate::{Classifier, Evidence, Label, Prior, Protocol};

const PRIOR: f64 = 0.3;

/// Two clouds of items, their labels, and comparisons between them.
fn clouds(pairs: usize, seed: u64) -> (Vec<f32>, Vec<Label>, Comparisons) {
    let rng = &mut stream(seed, Purpose::Weights);
    let labels: Vec<Label> = (0..3000).map(|_| Label::positive_if(unit(rng) < PRIOR)).collect();
    let values = labels.iter().flat_map(|label| {
        let centre = if label.is_positive() { 1.0 } else { 0.0 };
        [0, 1, 2].map(|_| (centre + normal(rng)) as f32)
    });
    let values: Vec<f32> = values.collect();
    let all: Vec<u32> = (0..labels.len() as u32).collect();
    let recipe = Recipe {
        prior: Prior::new(PRIOR).unwrap(),
        protocol: Protocol::FORCED_CHOICE,
        pairs,
        sampling: crate::generate::Sampling::Independent,
        degrees: None,
    };
    let drawn = draw(&labels, &all, &recipe, &mut stream(seed, Purpose::Comparisons)).unwrap();
    let Evidence::Answers(answers) = drawn.evidence else { unreachable!("pairs were drawn") };
    (values, labels, answers.comparisons())
}

/// Twelve uniform numbers are nearly normal.
fn normal(rng: &mut impl Rng) -> f64 {
    (0..12).map(|_| unit(rng)).sum::<f64>() - 6.0
}

fn cut<'a>(values: &'a [f32], comparisons: &Comparisons, count: usize) -> Vec<Shard<'a>> {
    let each = comparisons.answers().div_ceil(count);
    (0..count)
        .map(|shard| {
            let part = comparisons.part(|answer| answer / each == shard);
            Shard::new(Rows::borrowed(values, 3).unwrap(), part).unwrap()
        })
        .collect()
}

fn options() -> ShardOptions {
    ShardOptions::new(Prior::new(PRIOR).unwrap(), Protocol::FORCED_CHOICE)
}

fn accuracy(classifier: &Classifier, values: &[f32], labels: &[Label]) -> f64 {
    let called = classifier.predict(&Rows::borrowed(values, 3).unwrap()).unwrap();
    let right = called.iter().zip(labels).filter(|(called, label)| called == label).count();
    right as f64 / labels.len() as f64
}

#[test]
fn shards_give_the_accuracy_of_training_in_one_piece() {
    let (values, labels, comparisons) = clouds(4000, 1);
    let rows = Rows::borrowed(&values, 3).unwrap();
    let data = Data { rows: &rows, piles: comparisons.piles(), labels: None };
    let ShardOptions { prior, protocol, .. } = options();
    let config = Config::recommended(Method::PairPosterior, Architecture::Linear, prior, protocol, &data);
    let whole = accuracy(&train(&data, &config).unwrap(), &values, &labels);
    let sharded = accuracy(
        &fit_shards(&Threads(&cut(&values, &comparisons, 3)[..]), &options()).unwrap(),
        &values,
        &labels,
    );
    // Two standard errors of a share among 3,000.
    let error = (whole * (1.0 - whole) / 3000.0).sqrt();
    assert!((whole - sharded).abs() < 2.0 * error, "{whole} in one piece, {sharded} in shards");
    assert!(sharded > 0.8, "{sharded}");
}

/// Answers in another order, with a failure now and then that is tried again, through the form in which asks are sent.
struct Elsewhere<'a>(&'a [Shard<'a>], AtomicUsize);

impl Executor<Ask> for Elsewhere<'_> {
    type Done = Sums;

    fn run(&self, ask: &Ask) -> Result<Vec<Sums>, Error> {
        let sent = serde_json::to_string(ask).unwrap();
        let mut answers: Vec<(usize, Sums)> = Vec::new();
        for (at, shard) in self.0.iter().enumerate().rev() {
            let received: Ask = serde_json::from_str(&sent).unwrap();
            let pool = rayon::ThreadPoolBuilder::new().num_threads(1 + at).build().unwrap();
            if self.1.fetch_add(1, Ordering::Relaxed) % 7 == 3 {
                let _lost = pool.install(|| shard.partial(&received))?;
            }
            answers.push((at, pool.install(|| shard.partial(&received))?));
        }
        answers.sort_by_key(|(at, _)| *at);
        Ok(answers.into_iter().map(|(_, sums)| sums).collect())
    }
}

#[test]
fn weights_do_not_depend_on_who_answers_for_a_shard() {
    let (values, _, comparisons) = clouds(3000, 2);
    let shards = cut(&values, &comparisons, 4);
    let here = fit_shards(&Threads(&shards[..]), &options()).unwrap();
    let elsewhere = fit_shards(&Elsewhere(&shards, AtomicUsize::new(0)), &options()).unwrap();
    assert_eq!(here, elsewhere);
    // Another number of shards is the same model but for rounding.
    let other = fit_shards(&Threads(&cut(&values, &comparisons, 2)[..]), &options()).unwrap();
    for (one, two) in here.weights().parameters.iter().zip(&other.weights().parameters) {
        assert!((one - two).abs() < 1e-2 * one.abs().max(0.1), "{one} and {two}");
    }
}

fn at(values: &[f32], weights: &[f32]) -> At {
    let rows = Rows::borrowed(values, 3).unwrap();
    let all: Vec<u32> = (0..rows.len() as u32).collect();
    let scaling = Scaling::fit(ScalingKind::Standardise, &rows, &[&all]);
    At { scaling: (&scaling).into(), weights: weights.to_vec() }
}

#[test]
fn gradients_of_a_shard_are_those_of_its_sums() {
    let (values, _, comparisons) = clouds(300, 3);
    let weights = (0..comparisons.len()).map(|at| 0.5 + (at % 3) as f32).collect();
    let comparisons = comparisons.weighted(weights).unwrap();
    let shard = Shard::new(Rows::borrowed(&values, 3).unwrap(), comparisons).unwrap();
    let here = [0.7_f32, -0.3, 0.2, 0.1];
    let ShardOptions { prior, protocol, .. } = options();
    let orientation = |weights: &[f32]| Ask::Orientation { at: at(&values, weights), protocol };
    let posterior = |weights: &[f32]| Ask::Posterior {
        at: at(&values, weights),
        teacher: vec![0.5, 0.5, 0.5, -0.2],
        level: 0.1,
        prior,
        protocol,
    };
    for infers in [false, true] {
        let ask = |weights: &[f32]| if infers { posterior(weights) } else { orientation(weights) };
        let sums = shard.partial(&ask(&here)).unwrap();
        assert_eq!(sums.len(), 1 + here.len() + 1);
        for place in 0..here.len() {
            let moved = |by: f32| {
                let mut weights = here;
                weights[place] += by;
                shard.partial(&ask(&weights)).unwrap()[0]
            };
            let slope = (moved(0.01) - moved(-0.01)) / 0.02;
            let found = sums[1 + place];
            assert!((slope - found).abs() < 2e-3 * sums[5], "{found} and not {slope} at {place}");
        }
    }
}

#[test]
fn shards_put_together_say_what_one_shard_says() {
    let (values, _, comparisons) = clouds(2500, 4);
    let whole = Shard::new(Rows::borrowed(&values, 3).unwrap(), comparisons.clone()).unwrap();
    let parts = cut(&values, &comparisons, 3);
    let model = at(&values, &[0.7, -0.3, 0.2, 0.1]);
    let ShardOptions { prior, protocol, .. } = options();
    let asks = [
        Ask::Sums,
        Ask::Squares { means: vec![0.1, 0.2, 0.3] },
        Ask::Largest,
        Ask::Spread { scaling: model.scaling.clone() },
        Ask::Orientation { at: model.clone(), protocol },
        Ask::Probability { at: model.clone(), shift: 0.3 },
        Ask::Above { at: model.clone(), cut: 0.2 },
        Ask::Posterior { at: model, teacher: vec![0.5, 0.5, 0.5, -0.2], level: 0.1, prior, protocol },
    ];
    for ask in asks {
        let together = ask.combine(&Threads(&parts[..]).run(&ask).unwrap());
        let alone = whole.partial(&ask).unwrap();
        assert_eq!(together.len(), alone.len());
        for (together, alone) in together.iter().zip(&alone) {
            assert!((together - alone).abs() < 1e-4 * alone.abs().max(1.0), "{ask:?}: {together}, {alone}");
        }
    }
}

#[test]
fn few_comparisons_are_cut_at_the_quantile_of_the_prior() {
    let (values, _, comparisons) = clouds(400, 5);
    let classifier = fit_shards(&Threads(&cut(&values, &comparisons, 3)[..]), &options()).unwrap();
    let rows = Rows::borrowed(&values, 3).unwrap();
    let [likelier, other] =
        Pile::BOTH.map(|pile| classifier.scores_of(&rows, comparisons.piles().rows(pile)).unwrap());
    let ShardOptions { prior, protocol, .. } = options();
    let expected = prior_quantile(&protocol.mixture(prior).unwrap(), prior, &likelier, &other, None);
    assert_eq!(classifier.threshold(), expected);
}

#[test]
fn what_cannot_be_fitted_is_refused_in_words() {
    let (values, _, comparisons) = clouds(50, 6);
    let none: [Shard<'_>; 0] = [];
    let words = |result: Result<Classifier, Error>| result.unwrap_err().to_string();
    assert_eq!(
        words(fit_shards(&Threads(&none[..]), &options())),
        "the number of shards must be at least 1, got 0"
    );
    let narrow = Shard::new(Rows::borrowed(&values, 1).unwrap(), comparisons.clone()).unwrap();
    let mixed = [cut(&values, &comparisons, 1), vec![narrow]].concat();
    assert_eq!(
        words(fit_shards(&Threads(&mixed[..]), &options())),
        "3 features of the first shard do not match 1 features of another"
    );
    let wild = ShardOptions { weight_decay: Some(-1.0), ..options() };
    assert_eq!(
        words(fit_shards(&Threads(&cut(&values, &comparisons, 1)[..]), &wild)),
        "the weight decay must be a number from 0 up, got -1"
    );
    let missing = Shard::new(Rows::borrowed(&values, 3).unwrap(), Comparisons::from_iter([(0, 9000)]));
    assert!(missing.unwrap_err().to_string().contains("9000"));
}

#[test]
fn the_data_decide_how_many_shards_there_are() {
    assert_eq!([0, 1, 250_000, 250_001, 1_000_000_000].map(shards_for), [1, 1, 1, 2, 4000]);
}
