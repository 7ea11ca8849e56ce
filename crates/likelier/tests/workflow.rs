//! The one workflow: answers in, judged classifier out.

#![cfg(feature = "engine")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use std::sync::atomic::{AtomicBool, Ordering};

use likelier::data::{Features, Label, LoosePiles, Pile, Rows};
use likelier::estimate::metrics::{Assumptions, HeldOut, MetricOptions, metrics};
use likelier::estimate::{Interval, Verdict};
use likelier::evaluate::Confusion;
use likelier::generate::{Recipe, Sampling, draw};
use likelier::random::{Purpose, stream, unit};
use likelier::train::{Control, Data, train};
use likelier::{
    Answers, Assessment, BelievedPrior, Classifier, Equals, Error, Event, Evidence, FitOptions, Fitted,
    Grounds, JudgedBy, Method, ModelKind, Prior, Protocol, ScorerOptions, Supervision, Unjudged, Warning,
    check, estimate_prior, fit, fit_with,
};

const ITEMS: usize = 4000;

/// Items of two classes that a linear model parts well.
fn items(share: f64) -> (Rows<'static>, Vec<Label>) {
    let mut rng = stream(21, Purpose::Split);
    let labels: Vec<Label> = (0..ITEMS).map(|_| Label::positive_if(unit(&mut rng) < share)).collect();
    let mut values = Vec::new();
    for label in &labels {
        let centre = if label.is_positive() { 1.6 } else { -1.6 };
        let noise: f64 = (0..12).map(|_| unit(&mut rng)).sum::<f64>() - 6.0;
        values.extend([(centre + noise) as f32, unit(&mut rng) as f32]);
    }
    (Rows::from_numbers(values, 2).unwrap(), labels)
}

fn evidence(
    labels: &[Label],
    protocol: Protocol,
    prior: Prior,
    pairs: usize,
    sampling: Sampling,
) -> Evidence {
    let pool: Vec<u32> = (0..ITEMS as u32).collect();
    let recipe = Recipe { prior, protocol, pairs, sampling, degrees: None };
    draw(labels, &pool, &recipe, &mut stream(22, Purpose::Comparisons))
        .unwrap()
        .evidence
}

/// Items and what is known of them.
struct Known {
    rows: Rows<'static>,
    labels: Vec<Label>,
    supervision: Supervision,
}

fn known(pairs: usize) -> Known {
    let (rows, labels) = items(0.4);
    let (prior, protocol) = (Prior::new(0.4).unwrap(), Protocol::FORCED_CHOICE);
    let answers = evidence(&labels, protocol, prior, pairs, Sampling::Independent);
    let supervision = Supervision::new(answers).protocol(protocol).prior(prior).equals(Equals::Coin);
    Known { rows, labels, supervision }
}

/// The same where no item occurs twice.
fn known_once(pairs: usize) -> Known {
    let all = known(pairs);
    let (prior, protocol) = (Prior::new(0.4).unwrap(), Protocol::FORCED_CHOICE);
    let answers = evidence(&all.labels, protocol, prior, pairs, Sampling::ExactCounts);
    let supervision = Supervision::new(answers).protocol(protocol).prior(prior).equals(Equals::Coin);
    Known { supervision, ..all }
}

/// What comparisons are judged by here, where nothing else is said.
fn grounds() -> Grounds {
    let prior = BelievedPrior::known(Prior::new(0.4).unwrap());
    Grounds::new(Protocol::FORCED_CHOICE, &prior).unwrap().equals(Equals::Coin)
}

impl Known {
    fn answers(&self) -> Answers {
        self.supervision.answers().unwrap().clone()
    }

    fn fit(&self, options: &FitOptions) -> Fitted {
        fit(&self.rows, &self.supervision, options).unwrap()
    }

    fn accuracy(&self, classifier: &Classifier) -> f64 {
        let predicted = classifier.predict(&self.rows).unwrap();
        Confusion::of(&predicted, self.labels.iter().copied()).unwrap().accuracy()
    }
}

fn codes(warnings: &[Warning]) -> Vec<&'static str> {
    warnings.iter().map(Warning::code).collect()
}

#[test]
fn what_is_fitted_is_good_and_knows_how_good_it_is() {
    let known = known(2000);
    let fitted = known.fit(&FitOptions::new());
    let truth = known.accuracy(&fitted.classifier);
    assert!(truth > 0.92, "{truth}");
    let assessment = fitted.assessment.as_ref().unwrap();
    let judged = &assessment.new_items;
    assert_eq!(fitted.config.method, Method::PairPosterior);
    // Trained on everything, and judged by five others.
    assert_eq!((fitted.classifier.summary().comparisons, judged.metrics.sizes), (2000, [2000, 2000]));
    assert_eq!((assessment.judged_by, judged.ranges.is_none()), (JudgedBy::Folds(5), true));
    let these = assessment.these_items.as_ref().unwrap();
    assert!(these.metrics.accuracy.value > 0.75 && these.items > 300, "{these:?}");
    assert!(fitted.paired && !fitted.calibrated && fitted.warnings.is_empty(), "{:?}", fitted.warnings);
    assert_eq!(fitted.pile_scores, assessment.scores());
    assert!(fitted.selection.is_none() && fitted.diagnosis.is_none() && fitted.sensitivity.is_none());
    assert_eq!(fitted.epochs.len(), fitted.config.epochs);
    assert_eq!(known.fit(&FitOptions::new()).classifier, fitted.classifier);
    assert_ne!(known.fit(&FitOptions::new().seed(1)).classifier, fitted.classifier);
}

#[test]
fn intervals_hold_the_truth_about_as_often_as_they_say() {
    let (rows, labels) = items(0.4);
    let (prior, protocol) = (Prior::new(0.4).unwrap(), Protocol::FORCED_CHOICE);
    let recipe = Recipe { prior, protocol, pairs: 1000, sampling: Sampling::Independent, degrees: None };
    // Half of the items are compared, the other half are new.
    let (pool, new): (Vec<u32>, Vec<u32>) = (0..ITEMS as u32).partition(|item| item % 2 == 0);
    let holds = |seed: &u64| {
        let drawn = draw(&labels, &pool, &recipe, &mut stream(*seed, Purpose::Comparisons)).unwrap();
        let supervision = Supervision::new(drawn.evidence)
            .protocol(protocol)
            .prior(prior)
            .equals(Equals::Coin);
        let fitted = fit(&rows, &supervision, &FitOptions::new()).unwrap();
        let called = fitted.classifier.predict(&rows).unwrap();
        let called: Vec<Label> = new.iter().map(|item| called[*item as usize]).collect();
        let truth = Confusion::of(&called, new.iter().map(|item| labels[*item as usize]))
            .unwrap()
            .accuracy();
        fitted.assessment.unwrap().new_items.metrics.accuracy.holds(truth)
    };
    let held = (0..60).filter(holds).count();
    // Fewer are a chance of 1 in 200 where 95 % are meant.
    assert!(held >= 52, "{held} of 60");
}

#[test]
fn the_judgement_is_that_of_the_metrics_on_comparisons_that_were_not_trained_on() {
    let known = known_once(600);
    let fitted = known.fit(&FitOptions::new().hold_out(0.25).seed(3));
    let assessment = fitted.assessment.unwrap();
    let [likelier, other] = assessment.scores();
    // Each of them is an answer whose items have these scores, and training on all the others gives the same model.
    let scores = fitted.classifier.scores(&known.rows).unwrap();
    let answers = known.answers();
    let mut held_out = vec![false; answers.len()];
    let mut from = 0;
    for (a, b) in likelier.iter().zip(&other) {
        let found = answers.pairs()[from..]
            .iter()
            .position(|pair| scores[pair.0 as usize] == *a && scores[pair.1 as usize] == *b);
        from += found.unwrap() + 1;
        held_out[from - 1] = true;
    }
    assert_eq!(held_out.iter().filter(|out| **out).count(), 150);
    let trained = answers.comparisons_of(|at| !held_out[at]);
    let data = Data { rows: &known.rows, piles: trained.piles(), labels: None };
    // The workflow knows besides what stands for missing numbers.
    let features = fitted.classifier.features().clone();
    let again = train(&data, &fitted.config).unwrap().with_features(features).unwrap();
    assert_eq!(again, fitted.classifier);

    let assumptions = Assumptions::of_protocol(Protocol::FORCED_CHOICE, Prior::new(0.4).unwrap()).unwrap();
    let judged_by = answers.comparisons_of(|at| held_out[at]);
    let by_hand = HeldOut::pairs(&likelier, &other).unwrap().of(&judged_by).unwrap();
    let threshold = fitted.classifier.threshold();
    let options = MetricOptions { threshold, ..MetricOptions::default() };
    assert_eq!(assessment.judged_by, JudgedBy::HeldOut);
    assert!(assessment.these_items.is_none(), "no item occurs twice");
    let judged = assessment.new_items;
    assert_eq!(judged.metrics, metrics(&by_hand, &assumptions, &options).unwrap());
    let of_scores = Assessment::of_scores(&scores, threshold, judged_by.clone(), grounds()).unwrap();
    assert_eq!(of_scores.new_items, judged);
    let past = Assessment::of_scores(&scores[..5], threshold, judged_by, grounds());
    assert!(matches!(past, Err(Error::NoSuchItem { .. })));
}

#[test]
fn the_halves_of_a_tie_are_trained_on_or_judged_by_together() {
    let known = known_once(500);
    let tied = known.answers().tied((0..500).map(|at| at % 2 == 0).collect()).unwrap();
    let supervision = Supervision::new(tied)
        .protocol(Protocol::FORCED_CHOICE)
        .prior(Prior::new(0.4).unwrap());
    let options = FitOptions::new().method(Method::PcompRelu).hold_out(0.2);
    let fitted = fit(&known.rows, &supervision, &options).unwrap();
    assert_eq!(fitted.classifier.summary().comparisons, 400);
    let assessment = fitted.assessment.unwrap();
    assert_eq!(assessment.new_items.metrics.sizes, [100, 100]);
    let [likelier, other] = assessment.scores();
    let ties = likelier.len() - 100;
    assert!(ties > 30, "{ties}");
    let turned = (1..likelier.len())
        .filter(|at| likelier[*at] == other[at - 1] && other[*at] == likelier[at - 1])
        .count();
    assert_eq!(turned, ties, "each tie comes in both orders");
}

#[test]
fn what_is_not_stated_is_estimated_or_refused() {
    let (rows, labels) = items(0.3);
    let prior = Prior::new(0.3).unwrap();
    let answers = evidence(&labels, Protocol::FORCED_CHOICE, prior, 3000, Sampling::Independent);
    let supervision = Supervision::new(answers).protocol(Protocol::FORCED_CHOICE);
    let scorer = ScorerOptions::new(ModelKind::Linear, 0);
    let report = estimate_prior(&rows, &supervision, &scorer).unwrap();
    assert!(report.recommended.is_some() && report.prior.holds(0.3), "{report:?}");
    let fitted = fit(&rows, &supervision, &FitOptions::new()).unwrap();
    assert_eq!(fitted.prior.estimated, Some(report.prior));
    assert_eq!(fitted.prior.prior.positive(), report.prior.value);
    assert_eq!(codes(&fitted.warnings), ["prior-estimated"]);
    // What is not known about the prior is not known about the accuracy.
    let known = fit(&rows, &supervision.clone().prior(fitted.prior.prior), &FitOptions::new()).unwrap();
    assert_eq!(known.classifier, fitted.classifier);
    let width = |fitted: &Fitted| fitted.assessment.as_ref().unwrap().new_items.metrics.accuracy.width();
    assert!(width(&fitted) > width(&known));
    assert_eq!(known.prior, BelievedPrior::known(fitted.prior.prior));

    let few: Answers = supervision.answers().unwrap().pairs()[..200].iter().copied().collect();
    let few = Supervision::new(few).protocol(Protocol::FORCED_CHOICE);
    let error = fit(&rows, &few, &FitOptions::new()).unwrap_err();
    assert!(
        matches!(error, Error::PriorNotKnown { low, high, cause: None } if high - low > 0.2),
        "{error}"
    );
    let nineteen: Answers = few.answers().unwrap().pairs()[..19].iter().copied().collect();
    let nineteen = Supervision::new(nineteen).protocol(Protocol::FORCED_CHOICE);
    let error = estimate_prior(&rows, &nineteen, &scorer).unwrap_err();
    assert!(matches!(error, Error::TooFewToEstimate { found: 19, needed: 20 }), "{error}");
    let unstated = few.clone().protocol(None).prior(prior);
    assert!(matches!(fit(&rows, &unstated, &FitOptions::new()), Err(Error::NoProtocol)));
    for options in [
        FitOptions::new().hold_out(1.0),
        FitOptions::new().hidden(vec![3]),
        FitOptions::new().folds(1),
        FitOptions::new().folds(5).hold_out(0.2),
        FitOptions::new().folds(5).select(true),
    ] {
        assert!(matches!(fit(&rows, &few.clone().prior(prior), &options), Err(Error::Setting { .. })));
    }
}

#[test]
fn piles_are_trained_on_but_neither_judged_nor_asked_for_the_prior() {
    let (rows, labels) = items(0.4);
    let prior = Prior::new(0.4).unwrap();
    let piles = evidence(&labels, Protocol::DISCARD, prior, 1500, Sampling::Pointwise);
    let supervision = Supervision::new(piles).protocol(Protocol::DISCARD);
    assert!(matches!(fit(&rows, &supervision, &FitOptions::new()), Err(Error::NoPrior)));
    let supervision = supervision.prior(prior);
    let fitted = fit(&rows, &supervision, &FitOptions::new().calibrate(true).diagnose(true)).unwrap();
    assert_eq!(fitted.config.method, Method::PcompRelu);
    assert_eq!(fitted.warnings, [Warning::NotJudged(Unjudged::Piles), Warning::NotCalibrated]);
    assert!(fitted.assessment.is_none() && fitted.diagnosis.is_none() && !fitted.paired);
    let Evidence::Piles(LoosePiles { likelier, .. }) = supervision.evidence() else { panic!("piles") };
    assert_eq!(fitted.pile_scores[0], fitted.classifier.scores_of(&rows, likelier).unwrap());
    assert!(supervision.comparisons().is_none());
    let scorer = ScorerOptions::new(ModelKind::Linear, 0);
    assert!(estimate_prior(&rows, &supervision, &scorer).is_err());
    assert!(check(&rows, &supervision, &scorer).is_err());
    assert!(fit(&rows, &supervision, &FitOptions::new().select(true)).is_err());
}

#[test]
fn what_was_asked_for_is_there() {
    let known = known(1000);
    let options = FitOptions::new()
        .method(Method::PcompRelu)
        .epochs(30)
        .calibrate(true)
        .sensitivity(true)
        .diagnose(true)
        .watch(true)
        .hold_out(0.2)
        .features(Features::numbered(2));
    let fitted = known.fit(&options);
    assert_eq!((fitted.config.method, fitted.epochs.len()), (Method::PcompRelu, 30));
    assert_eq!(fitted.diagnosis.unwrap().comparisons, 1000);
    // Looked at after every other epoch, and after the last.
    let looked: Vec<usize> = fitted
        .epochs
        .iter()
        .filter(|epoch| epoch.accuracy.is_some())
        .map(|epoch| epoch.of.epoch)
        .collect();
    assert_eq!(looked, (1..=15).map(|k| 2 * k).collect::<Vec<_>>());
    let assessment = fitted.assessment.unwrap();
    assert_eq!(fitted.epochs[29].accuracy, Some(assessment.new_items.metrics.accuracy));
    assert!(fitted.calibrated);
    assert_eq!(fitted.classifier.probability(), assessment.calibration().unwrap().map);
    let sweep = fitted.sensitivity.unwrap();
    let priors: Vec<f64> = sweep.iter().map(|at| (100.0 * at.prior.positive()).round()).collect();
    assert_eq!(priors, [30.0, 35.0, 40.0, 45.0, 50.0]);
    assert_eq!((sweep[2].changed, sweep[2].accuracy), (0.0, Some(assessment.new_items.metrics.accuracy)));
    assert!(sweep[0].called_positive < sweep[4].called_positive && sweep[0].changed > 0.0);

    let nothing = known.fit(&FitOptions::new().method(Method::PcompRelu).hold_out(0.0).calibrate(true));
    assert_eq!(nothing.warnings, [Warning::NotJudged(Unjudged::NothingHeldOut), Warning::NotCalibrated]);
    assert_eq!(nothing.classifier.summary().comparisons, 1000);
    let few: Answers = known.answers().pairs()[..8].iter().copied().collect();
    let few = Supervision::new(few)
        .protocol(Protocol::FORCED_CHOICE)
        .prior(Prior::new(0.4).unwrap());
    let unjudged = fit(&known.rows, &few, &FitOptions::new()).unwrap();
    assert_eq!(codes(&unjudged.warnings), ["not-judged"], "eight are too few, but the model is kept");
}

#[test]
fn a_choice_is_made_without_a_look_at_what_is_held_out() {
    let known = known_once(500);
    let options = FitOptions::new().select(true).method(Method::PcompRelu).epochs(10);
    let fitted = known.fit(&options);
    let selection = fitted.selection.unwrap();
    // Three learning rates with the default weight decay and with another one.
    assert_eq!((selection.comparisons, selection.candidates.len()), (400, 6));
    let chosen = format!("decay={} rate={} ", fitted.config.weight_decay, fitted.config.learning_rate);
    assert!(selection.chosen.contains(&chosen), "{} is not {chosen}", selection.chosen);
    let fixed = known.fit(&options.clone().weight_decay(1e-4).learning_rate(0.02));
    assert_eq!(fixed.selection.unwrap().candidates.len(), 1);
    let methods =
        known.fit(&FitOptions::new().select(true).epochs(10).weight_decay(1e-4).learning_rate(0.02));
    let names: Vec<String> =
        methods.selection.unwrap().candidates.into_iter().map(|one| one.name).collect();
    for method in [Method::PairPosterior, Method::Likelihood, Method::PcompRelu, Method::RankPruning] {
        assert!(names.iter().any(|name| name.starts_with(method.name())), "{names:?}");
    }
}

#[test]
fn a_stopped_run_goes_on_to_the_same_end() {
    let known = known(400);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("checkpoint");
    let options = FitOptions::new().method(Method::PcompRelu).epochs(9).watch(true);
    let whole = known.fit(&options);
    let stop = AtomicBool::new(false);
    let control = Control { checkpoint: Some(&path), stop: Some(&stop), ..Control::default() };
    let mut news = Vec::new();
    let stopped = fit_with(&known.rows, &known.supervision, &options, &control, &mut |event| {
        if let Event::Epoch { epoch, epochs } = event {
            news.push((epoch.of.epoch, epochs));
            stop.store(epoch.of.epoch == 4, Ordering::Relaxed);
        }
    });
    assert!(matches!(stopped, Err(Error::Stopped { epoch: 4 })), "{stopped:?}");
    assert_eq!(news, [(1, 9), (2, 9), (3, 9), (4, 9)]);
    let control = Control { checkpoint: Some(&path), ..Control::default() };
    let resumed = fit_with(&known.rows, &known.supervision, &options, &control, &mut |_| ()).unwrap();
    assert_eq!(resumed.classifier, whole.classifier);
    assert_eq!(resumed.epochs, whole.epochs, "those before the interruption included");
}

#[test]
fn a_protocol_that_was_not_followed_is_noticed() {
    let known = known(2000);
    let scorer = ScorerOptions::new(ModelKind::Linear, 0);
    let sound = check(&known.rows, &known.supervision, &scorer).unwrap();
    assert!(sound.sound && sound.protocol.contradiction.is_none(), "{sound:?}");
    assert_eq!(sound.protocol.verdict, Verdict::ForcedChoice);
    assert!(
        sound
            .findings
            .iter()
            .any(|finding| finding.code == "repeated-pairs" || finding.code == "asked-once")
    );
    let wrong = known.supervision.clone().protocol(Protocol::DISCARD);
    let doubted = check(&known.rows, &wrong, &scorer).unwrap();
    assert!(!doubted.sound && doubted.protocol.contradiction.is_some());
    let fitted = fit(&known.rows, &wrong, &FitOptions::new().hold_out(0.5)).unwrap();
    assert!(codes(&fitted.warnings).contains(&"protocol-contradicted"), "{:?}", fitted.warnings);
    let few: Answers = known.answers().pairs()[..19].iter().copied().collect();
    let untested = check(&known.rows, &Supervision::new(few), &scorer).unwrap();
    assert_eq!((untested.protocol.verdict, untested.protocol.ratio), (Verdict::Unknown, None));
    assert!(untested.protocol.note.contains("19 comparisons are too few"), "{}", untested.protocol.note);
    let with_itself: Answers = (0..30).map(|k| (k, if k == 3 { 3 } else { k + 100 })).collect();
    assert!(!check(&known.rows, &Supervision::new(with_itself), &scorer).unwrap().sound);
}

#[test]
fn answers_the_wrong_way_round_are_not_called_good() {
    let known = known(2000);
    let fitted = known.fit(&FitOptions::new());
    let turned: Answers = known.answers().pairs().iter().map(|(a, b)| (*b, *a)).collect();
    let judged = Assessment::new(&fitted.classifier, &known.rows, turned.comparisons(), grounds()).unwrap();
    assert_eq!(codes(&judged.warnings()), ["worse-than-constant"]);
    let Interval { high, .. } = judged.new_items.metrics.auc;
    assert!(high < 0.2, "{high}");
    let scores = fitted
        .classifier
        .scores_of(&known.rows, turned.comparisons().piles().rows(Pile::Other));
    assert_eq!(judged.scores()[1], scores.unwrap());
    let mut rng = stream(3, Purpose::Comparisons);
    let tossed: Answers = known
        .answers()
        .pairs()
        .iter()
        .map(|(a, b)| if unit(&mut rng) < 0.5 { (*a, *b) } else { (*b, *a) })
        .collect();
    // Many show that always answering no is better; few leave it open.
    for (count, code) in [(2000, "worse-than-constant"), (40, "no-better-than-chance")] {
        let some = tossed.comparisons_of(|at| at < count);
        let judged = Assessment::new(&fitted.classifier, &known.rows, some, grounds()).unwrap();
        assert_eq!(codes(&judged.warnings()), [code]);
    }
}
