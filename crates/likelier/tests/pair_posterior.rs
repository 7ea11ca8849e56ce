//! The pair posterior: its fixed point, its level, its phases and its guard.

#![cfg(feature = "engine")]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use likelier::data::{Comparisons, Label, Piles, Rows};
use likelier::evaluate::Confusion;
use likelier::generate::{Recipe, Sampling, draw};
use likelier::model::{Architecture, Mlp, ScalingKind};
use likelier::random::{Purpose, Rng, stream, unit};
use likelier::risk::{Batch, Gradients, PairPosterior, Setting, Side, ThresholdRule, sigmoid};
use likelier::train::{
    Config, Control, Criterion, Data, EarlyStop, Fallback, Phase, Predictor, train, train_with,
};
use likelier::{Classifier, Collection, Method, Prior, Protocol, Supervision};

fn prior(value: f64) -> Prior {
    Prior::new(value).unwrap()
}

/// The sum of twelve uniform numbers is close to normal.
fn normal(rng: &mut impl Rng) -> f64 {
    (0..12).map(|_| unit(rng)).sum::<f64>() - 6.0
}

/// Recorded pairs of points of two overlapping classes around ±`centre`.
fn recorded(
    pairs: usize,
    prior: Prior,
    protocol: Protocol,
    centre: f64,
    rng: &mut impl Rng,
) -> [Vec<f32>; 2] {
    let mut piles = [Vec::new(), Vec::new()];
    while piles[0].len() < pairs {
        let drawn = [0, 1].map(|_| {
            let negative = usize::from(unit(rng) >= prior.positive());
            let at = if negative == 1 { -centre } else { centre };
            (negative, (at + normal(rng)) as f32)
        });
        if unit(rng) < protocol.acceptance()[drawn[0].0][drawn[1].0] {
            piles[0].push(drawn[0].1);
            piles[1].push(drawn[1].1);
        }
    }
    piles
}

/// Both ways to collect, without and with an erring labeller.
fn protocols() -> [Protocol; 4] {
    [
        Protocol::DISCARD,
        Protocol::FORCED_CHOICE,
        Protocol::new(Collection::Discard, 0.2).unwrap(),
        Protocol::new(Collection::ForcedChoice, 0.3).unwrap(),
    ]
}

#[test]
fn the_true_posterior_is_a_fixed_point_for_every_protocol() {
    let mut rng = stream(1, Purpose::Comparisons);
    for (prior, protocol) in
        [0.2, 0.5, 0.7].map(prior).into_iter().flat_map(|p| protocols().map(|q| (p, q)))
    {
        let centre = 0.7;
        let points = recorded(20_000, prior, protocol, centre, &mut rng);
        let log_odds = (prior.positive() / prior.negative()).ln();
        let scores = points.each_ref().map(|pile| {
            pile.iter()
                .map(|x| (2.0 * centre * f64::from(*x) + log_odds) as f32)
                .collect::<Vec<_>>()
        });
        let step = PairPosterior::new(prior, protocol).unwrap();
        assert_eq!(step.level(&scores.concat(), None, 40_000.0), 0.0, "at its level already");
        let mut targets = Vec::new();
        step.targets(&scores[0], &scores[1], 0.0, &mut targets);
        // Two of the sums that are 0 at a fixed point: the M-step's gradient by the intercept and the slope.
        let all_points = points.concat();
        let residuals: Vec<f64> = scores
            .concat()
            .iter()
            .zip(&targets)
            .map(|(score, target)| sigmoid(f64::from(*score) + step.shift()) - f64::from(*target))
            .collect();
        for weigh in [|_: f32| 1.0, f64::from] {
            let terms: Vec<f64> = residuals
                .iter()
                .zip(&all_points)
                .map(|(residual, x)| residual * weigh(*x))
                .collect();
            let n = terms.len() as f64;
            let mean = terms.iter().sum::<f64>() / n;
            let error = (terms.iter().map(|term| term * term).sum::<f64>()).sqrt() / n;
            assert!(mean.abs() < 6.0 * error, "{mean} ± {error} at {prior} under {protocol}");
        }
        // And in each pile the labels are what the mixture says.
        let mixture = protocol.mixture(prior).unwrap();
        for (pile, share) in targets.chunks(20_000).zip(mixture.shares()) {
            let mean = pile.iter().map(|r| f64::from(*r)).sum::<f64>() / 20_000.0;
            assert!((mean - share).abs() < 0.02, "{mean} is not {share} at {prior} under {protocol}");
        }
    }
}

#[test]
fn without_its_level_held_the_posterior_drifts_and_with_it_it_does_not() {
    let (prior, protocol) = (prior(0.5), Protocol::DISCARD);
    let mut rng = stream(2, Purpose::Comparisons);
    let points = recorded(4000, prior, protocol, 0.6, &mut rng);
    let step = PairPosterior::new(prior, protocol).unwrap();
    let objective = Method::PairPosterior.compose(&Setting::new(prior, protocol)).unwrap().objective;
    // f(x) = slope·x + intercept, from the truth, a little off its level.
    let mean_after = |held: bool| {
        let (mut slope, mut intercept) = (1.2_f32, 0.3_f32);
        let (mut targets, mut gradients) = (Vec::new(), Gradients::default());
        for _ in 0..1500 {
            let scores = points
                .each_ref()
                .map(|pile| pile.iter().map(|x| slope * x + intercept).collect::<Vec<_>>());
            let level = if held { step.level(&scores.concat(), None, 8000.0) } else { 0.0 };
            step.targets(&scores[0], &scores[1], level, &mut targets);
            let (first, second) = targets.split_at(scores[0].len());
            let batch = Batch {
                likelier: Side { targets: Some(first), ..Side::of_scores(&scores[0]) },
                other: Side { targets: Some(second), ..Side::of_scores(&scores[1]) },
            };
            objective.evaluate(&batch, &mut gradients).unwrap();
            let descend = |weigh: &dyn Fn(f32) -> f32| {
                gradients
                    .all()
                    .iter()
                    .zip(points.iter().flatten())
                    .map(|(g, x)| g * weigh(*x))
                    .sum::<f32>()
            };
            let (by_slope, by_intercept) = (descend(&|x| x), descend(&|_| 1.0));
            slope -= 2.0 * by_slope;
            intercept -= 2.0 * by_intercept;
        }
        let pooled = points.iter().flatten().map(|x| sigmoid(f64::from(slope * x + intercept)));
        pooled.sum::<f64>() / 8000.0
    };
    let (left_alone, held) = (mean_after(false), mean_after(true));
    assert!((left_alone - 0.5).abs() > 0.2, "left alone: {left_alone}");
    assert!((held - 0.5).abs() < 0.03, "held: {held}");
}

const WIDTH: usize = 6;

/// Two overlapping clouds, and comparisons of their points.
struct Clouds {
    rows: Rows<'static>,
    labels: Vec<Label>,
    comparisons: Comparisons,
    prior: Prior,
    protocol: Protocol,
}

fn clouds(pairs: usize, positive: f64, protocol: Protocol) -> Clouds {
    let mut rng = stream(5, Purpose::Split);
    let labels: Vec<Label> = (0..4000).map(|_| Label::positive_if(unit(&mut rng) < positive)).collect();
    let mut values = Vec::new();
    for label in &labels {
        let centre = if label.is_positive() { 0.5 } else { -0.5 };
        values.extend((0..WIDTH).map(|_| (centre + normal(&mut rng)) as f32));
    }
    let pool: Vec<u32> = (0..4000).collect();
    let prior = prior(positive);
    let recipe = Recipe { prior, protocol, pairs, sampling: Sampling::Independent, degrees: None };
    let drawn = draw(&labels, &pool, &recipe, &mut stream(6, Purpose::Comparisons)).unwrap();
    let comparisons = Supervision::new(drawn.evidence).comparisons().unwrap();
    let rows = Rows::from_numbers(values, WIDTH).unwrap();
    Clouds { rows, labels, comparisons, prior, protocol }
}

impl Clouds {
    fn data(&self) -> Data<'_> {
        Data { rows: &self.rows, piles: self.comparisons.piles(), labels: None }
    }

    fn config(&self) -> Config {
        let data = self.data();
        Config::recommended(Method::PairPosterior, Architecture::Linear, self.prior, self.protocol, &data)
    }

    fn train(&self, config: &Config) -> Classifier {
        train(&self.data(), config).unwrap()
    }

    fn predicted(&self, classifier: &Classifier) -> Vec<Label> {
        classifier.predict(&self.rows).unwrap()
    }

    fn accuracy(&self, classifier: &Classifier) -> f64 {
        let predicted = self.predicted(classifier);
        Confusion::of(&predicted, self.labels.iter().copied()).unwrap().accuracy()
    }
}

fn aside(share: f64) -> EarlyStop {
    EarlyStop { share, criterion: Criterion::Orientation, patience: Some(5) }
}

#[test]
fn it_learns_under_every_protocol_and_needs_no_fallback() {
    for (positive, protocol) in [0.3, 0.5, 0.8].into_iter().flat_map(|p| protocols().map(|q| (p, q))) {
        let clouds = clouds(2500, positive, protocol);
        let classifier = clouds.train(&clouds.config());
        // Φ(0.5·√6) = 0.89 is the best there is at one half, and more elsewhere.
        let accuracy = clouds.accuracy(&classifier);
        assert_eq!(classifier.summary().fallback, None, "{positive} under {protocol}");
        assert!(accuracy > 0.86, "{accuracy} at {positive} under {protocol}");
    }
}

#[test]
fn an_observer_sees_the_phases_and_the_level() {
    let clouds = clouds(1500, 0.4, Protocol::DISCARD);
    let config = Config { epochs: 60, warm_up_epochs: 40, early_stop: Some(aside(0.2)), ..clouds.config() };
    let mut seen = Vec::new();
    train_with(&clouds.data(), &config, &Control::default(), |summary, progress| {
        seen.push((*summary, progress.classifier()?));
        Ok(())
    })
    .unwrap();
    assert_eq!(seen.len(), 60, "patience ends the warm-up, not the run");
    let warm_up: Vec<_> = seen.iter().take_while(|(summary, _)| summary.phase == Phase::WarmUp).collect();
    assert!(seen[warm_up.len()..].iter().all(|(summary, _)| summary.phase == Phase::Main));
    assert!(
        seen.iter()
            .all(|(summary, _)| summary.level.is_some() == (summary.phase == Phase::Main))
    );
    assert!(seen.iter().all(|(summary, _)| summary.held_out.is_some()));
    // The warm-up is over five epochs after its best, whose weights the next phase starts from; its observer
    // sees them already.
    let best = (1..warm_up.len())
        .fold(0, |best, at| if warm_up[at].0.held_out < warm_up[best].0.held_out { at } else { best });
    assert_eq!(warm_up.len(), (best + 1 + 5).min(40));
    assert_eq!(warm_up[warm_up.len() - 1].1.weights(), warm_up[best].1.weights());
    for (_, classifier) in &warm_up {
        assert_ne!(classifier.threshold(), 0.0, "the warm-up has no level of its own");
    }
    assert_eq!(seen[59].1.threshold(), 0.0);
}

#[test]
fn comparisons_of_weight_0_change_nothing() {
    let clouds = clouds(400, 0.4, Protocol::DISCARD);
    // One batch an epoch, so that the order does not matter.
    let config = Config {
        epochs: 12,
        warm_up_epochs: 4,
        batch_rows: 4000,
        early_stop: None,
        scaling: Some(ScalingKind::None),
        ..clouds.config()
    };
    let alone = clouds.train(&config);
    let turned = clouds.comparisons.iter().map(|(likelier, other)| (other, likelier));
    let both: Comparisons = clouds.comparisons.iter().chain(turned).collect();
    let weights = (0..800).map(|at| if at < 400 { 1.0 } else { 0.0 }).collect();
    let both = both.weighted(weights).unwrap();
    let weighted = train(&Data { piles: both.piles(), ..clouds.data() }, &config).unwrap();
    for (alone, weighted) in alone.weights().parameters.iter().zip(&weighted.weights().parameters) {
        assert!((alone - weighted).abs() < 1e-4, "{alone} is not {weighted}");
    }
}

#[test]
fn a_run_too_short_for_both_phases_is_refused() {
    let clouds = clouds(100, 0.4, Protocol::DISCARD);
    for config in [
        clouds.config().with_epochs(1),
        Config { warm_up_epochs: 0, ..clouds.config() },
        Config { warm_up_epochs: 100, ..clouds.config() },
    ] {
        let error = train(&clouds.data(), &config).unwrap_err();
        assert!(error.to_string().contains("epochs must be"), "{error}");
    }
    let two = clouds.train(&clouds.config().with_epochs(2));
    assert_eq!(two.summary().epoch, 2);
}

#[test]
fn loose_piles_are_refused() {
    let clouds = clouds(100, 0.4, Protocol::DISCARD);
    let some: Vec<u32> = (0..100).collect();
    let loose = Data { piles: Piles::loose(&some, &some[..50]), ..clouds.data() };
    let error = train(&loose, &clouds.config()).unwrap_err();
    assert!(error.to_string().contains("pair-posterior"), "{error}");
}

#[test]
fn whatever_happens_one_class_is_never_returned_without_a_word() {
    let noisy = Protocol::new(Collection::Discard, 0.3).unwrap();
    let fair = clouds(1000, 0.4, Protocol::DISCARD);
    // The answers have nothing to do with the items.
    let mut hopeless = clouds(1000, 0.4, Protocol::DISCARD);
    let mut rng = stream(9, Purpose::Comparisons);
    hopeless.comparisons = (0..1000)
        .map(|_| [0, 1].map(|_| (unit(&mut rng) * 4000.0) as u32))
        .map(|[likelier, other]| (likelier, other))
        .collect();
    let few = clouds(60, 0.4, Protocol::FORCED_CHOICE);
    let skewed = clouds(1000, 0.05, Protocol::DISCARD);
    let erring = clouds(1000, 0.3, noisy);
    for (name, clouds) in
        [("fair", &fair), ("hopeless", &hopeless), ("few", &few), ("skewed", &skewed), ("erring", &erring)]
    {
        for learning_rate in [1e-30, 1e-5, 1e-2, 1.0] {
            for (share, threshold, seed) in [
                (None, None, 1),
                (Some(aside(0.2)), None, 2),
                (Some(aside(0.2)), Some(ThresholdRule::Zero), 3),
            ] {
                let config =
                    Config { learning_rate, early_stop: share, threshold, seed, ..clouds.config() };
                let classifier = clouds.train(&config);
                let positive =
                    clouds.predicted(&classifier).iter().filter(|label| label.is_positive()).count();
                let constant = positive == 0 || positive == 4000;
                let fallback = classifier.summary().fallback;
                assert!(
                    !constant || fallback.is_some(),
                    "{name}, rate {learning_rate}: {positive} of 4000"
                );
            }
        }
    }
}

#[test]
fn a_model_that_cannot_tell_rows_apart_falls_back_and_says_why() {
    let clouds = clouds(300, 0.4, Protocol::DISCARD);
    let rows = Rows::from_numbers(vec![1.0; 4000], 1).unwrap();
    let data = Data { rows: &rows, ..clouds.data() };
    for (share, seed) in [(None, 1), (Some(aside(0.2)), 2)] {
        let config = Config { early_stop: share, seed, ..clouds.config() };
        let classifier = train(&data, &config).unwrap();
        let fallback = classifier.summary().fallback.unwrap();
        assert!(matches!(fallback, Fallback::OneClass { .. }), "{fallback}");
    }
    // A scorer that knows nothing about held-out comparisons: those of a random start.
    let still = Config {
        learning_rate: 1e-30,
        early_stop: Some(aside(0.5)),
        threshold: Some(ThresholdRule::PriorQuantile),
        ..clouds.config()
    };
    let reasons: Vec<Option<Fallback>> = (0..12)
        .map(|seed| clouds.train(&Config { seed, ..still.clone() }).summary().fallback)
        .collect();
    let nothing = reasons
        .iter()
        .flatten()
        .filter(|why| matches!(why, Fallback::NothingLearned { .. }));
    assert!(
        nothing.count() >= 2,
        "about half of random starts order comparisons the wrong way: {reasons:?}"
    );
}

#[test]
fn the_reason_for_a_fallback_is_kept_in_the_model_file() {
    let clouds = clouds(300, 0.4, Protocol::DISCARD);
    let rows = Rows::from_numbers(vec![1.0; 4000], 1).unwrap();
    let classifier = train(&Data { rows: &rows, ..clouds.data() }, &clouds.config()).unwrap();
    assert!(classifier.summary().fallback.is_some());
    let bytes = classifier.to_bytes().unwrap();
    assert_eq!(Classifier::from_bytes(&bytes).unwrap(), classifier);
}

#[test]
fn what_is_recommended_depends_on_the_data_and_leaves_the_papers_methods_alone() {
    let large = clouds(2000, 0.4, Protocol::DISCARD);
    let small = clouds(200, 0.4, Protocol::DISCARD);
    let mlp = Architecture::Mlp(Mlp::of_the_paper());
    let of = |method, architecture: &Architecture, clouds: &Clouds| {
        Config::recommended(method, architecture.clone(), clouds.prior, clouds.protocol, &clouds.data())
    };
    for method in Method::ALL {
        let config = of(method, &Architecture::Linear, &large);
        config.check().unwrap();
        if method.needs_pairs() {
            assert_eq!(config.predictor, Predictor::Teacher);
            assert_eq!(config.early_stop, None, "a linear model is shrunk instead");
            assert!(of(method, &mlp, &small).early_stop.is_some());
        } else {
            assert_eq!(config, Config::new(method, large.prior, large.protocol));
        }
    }
    // Six standardised features for 200 and for 2,000 comparisons.
    let decay = |clouds| of(Method::PairPosterior, &Architecture::Linear, clouds).weight_decay;
    assert!((decay(&small) - 0.1 * 6.0 / 200.0).abs() < 1e-6, "{}", decay(&small));
    assert!((decay(&large) - 0.1 * 6.0 / 2000.0).abs() < 1e-7, "{}", decay(&large));
    let cut = |clouds| of(Method::PairPosterior, &Architecture::Linear, clouds).threshold;
    assert_eq!((cut(&small), cut(&large)), (Some(ThresholdRule::PriorQuantile), None));

    // A network that infers labels from many comparisons has learnt what it will after fewer epochs.
    let epochs = |method, architecture| {
        [&small, &large, &clouds(8000, 0.4, Protocol::DISCARD)]
            .map(|clouds| of(method, architecture, clouds))
            .map(|config| (config.epochs, config.warm_up_epochs))
    };
    assert_eq!(epochs(Method::PairPosterior, &mlp), [(100, 20), (100, 20), (38, 19)]);
    assert_eq!(epochs(Method::PairPosterior, &Architecture::Linear), [(100, 20); 3]);
    assert_eq!(epochs(Method::Likelihood, &mlp), [(100, 20); 3]);

    // Counts that are mostly 0 are not standardised.
    let counts =
        Rows::from_numbers((0..4000 * 20).map(|at| f32::from(at % 37 == 0)).collect(), 20).unwrap();
    let data = Data { rows: &counts, ..large.data() };
    let linear = Architecture::Linear;
    let config = Config::recommended(Method::Likelihood, linear, large.prior, large.protocol, &data);
    assert_eq!((config.scaling, ScalingKind::default_for(&counts)), (None, ScalingKind::LargestAbsolute));

    let short = of(Method::RankPruning, &Architecture::Linear, &large).with_epochs(6);
    assert_eq!((short.epochs, short.warm_up_epochs), (6, 3));
}
