//! Several questions about the same items: each as if asked alone, all in one file, and classes with a label-free accuracy.
//!
//! Classes are Gaussian about three corners of a triangle. `cargo test --release --test questions -- --nocapture` prints
//! the figures.

#![cfg(feature = "engine")]
#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![allow(clippy::print_stdout, reason = "the figures are of interest")]

use likelier::data::{Questions, Texts};
use likelier::model::{class_probabilities, most_likely};
use likelier::random::{ChaCha8Rng, Purpose, below, chance, stream, unit};
use likelier::{
    Answers, Classifier, Classifiers, Equals, Error, FitOptions, Fitted, FittedQuestions, ModelFile, Prior,
    Protocol, Question, Rows, Supervision, Warning, check, estimate_prior, fit, fit_questions,
};
use rayon::prelude::*;

const SHARES: [f64; 3] = [0.5, 0.3, 0.2];
const NAMES: [&str; 3] = ["red", "green", "blue"];
const CORNERS: [[f64; 2]; 3] = [[0.0, 1.5], [1.3, -0.75], [-1.3, -0.75]];

fn normal(rng: &mut ChaCha8Rng) -> f64 {
    let radius = (-2.0 * (1.0 - unit(rng)).ln()).sqrt();
    radius * (2.0 * std::f64::consts::PI * unit(rng)).cos()
}

/// Items and their classes.
struct World {
    rows: Rows<'static>,
    classes: Vec<usize>,
}

impl World {
    fn new(items: usize, rng: &mut ChaCha8Rng) -> Self {
        Self::about(CORNERS, items, rng)
    }

    /// With other places of the three classes.
    fn about(centres: [[f64; 2]; 3], items: usize, rng: &mut ChaCha8Rng) -> Self {
        let mut classes = Vec::with_capacity(items);
        let mut numbers = Vec::with_capacity(2 * items);
        for _ in 0..items {
            let at = unit(rng);
            let class = usize::from(at >= SHARES[0]) + usize::from(at >= SHARES[0] + SHARES[1]);
            classes.push(class);
            numbers.extend(centres[class].map(|centre| (centre + normal(rng)) as f32));
        }
        Self { rows: Rows::from_numbers(numbers, 2).unwrap(), classes }
    }

    /// Random pairs, in the order of somebody who knows the class and tosses a coin for equals.
    fn answers(&self, class: usize, count: usize, rng: &mut ChaCha8Rng) -> Answers {
        let is = |item: usize| self.classes[item] == class;
        let mut pairs = Vec::with_capacity(count);
        while pairs.len() < count {
            let [a, b] = [0; 2].map(|_| below(rng, self.classes.len()));
            if a != b {
                let first = if is(a) == is(b) { chance(rng, 0.5) } else { is(a) };
                pairs.push(if first { (a as u32, b as u32) } else { (b as u32, a as u32) });
            }
        }
        Answers::from_iter(pairs)
    }

    fn questions(&self, count: usize, rng: &mut ChaCha8Rng) -> Vec<Question> {
        let ask = |class: usize| {
            let supervision = Supervision::new(self.answers(class, count, rng))
                .protocol(Protocol::FORCED_CHOICE)
                .prior(Prior::new(SHARES[class]).unwrap())
                .equals(Equals::Coin);
            Question { name: NAMES[class].into(), supervision }
        };
        (0..3).map(ask).collect()
    }

    /// The share of right calls, and the log-loss of probabilities made in some way from log-odds.
    fn judge(&self, all: &Classifiers, of: impl Fn(&[f64]) -> Vec<f64>) -> [f64; 2] {
        let scores = all.scores(&self.rows).unwrap();
        let maps: Vec<_> = all.iter().map(|(_, one)| one.probability()).collect();
        let mut sums = [0.0; 2];
        for (item, class) in self.classes.iter().enumerate() {
            let odds: Vec<f64> = maps
                .iter()
                .zip(&scores)
                .map(|(map, scores)| f64::from(map.slope * scores[item] + map.offset))
                .collect();
            let found = of(&odds);
            sums[0] += f64::from(u8::from(most_likely(&found) == *class));
            sums[1] -= found[*class].max(1e-12).ln();
        }
        sums.map(|sum| sum / self.classes.len() as f64)
    }
}

fn sigmoid(z: f64) -> f64 {
    1.0 / (1.0 + (-z).exp())
}

fn divided(odds: &[f64]) -> Vec<f64> {
    let total: f64 = odds.iter().map(|odds| sigmoid(*odds)).sum();
    odds.iter().map(|odds| sigmoid(*odds) / total).collect()
}

fn softmax(odds: &[f64]) -> Vec<f64> {
    let total: f64 = odds.iter().map(|odds| odds.exp()).sum();
    odds.iter().map(|odds| odds.exp() / total).collect()
}

fn classes() -> FitOptions {
    FitOptions::new().classes(true)
}

#[test]
fn each_question_is_fitted_as_if_it_were_the_only_one() {
    let rng = &mut stream(1, Purpose::Comparisons);
    let world = World::new(400, rng);
    let questions = world.questions(300, rng);
    let options = FitOptions::new().seed(3);
    let several = fit_questions(&world.rows, &questions, &options).unwrap();
    for (question, (name, fitted)) in questions.iter().zip(&several.questions) {
        let alone: Fitted = fit(&world.rows, &question.supervision, &options).unwrap();
        assert_eq!(*name, question.name);
        assert_eq!(fitted.classifier.to_bytes().unwrap(), alone.classifier.to_bytes().unwrap());
        assert_eq!(
            fitted.assessment.as_ref().unwrap().new_items,
            alone.assessment.as_ref().unwrap().new_items
        );
        assert_eq!(several.classifiers.of_question(name).unwrap(), &alone.classifier);
    }
    assert!(several.classes.is_none());
    // Probabilities of questions that are no classes are those of each.
    let scores = several.classifiers.scores(&world.rows).unwrap();
    let found = several.classifiers.probabilities(scores.iter().map(|of| of[0]));
    for ((_, one), (found, scores)) in several.classifiers.iter().zip(found.iter().zip(&scores)) {
        assert!((found - f64::from(one.probability().of(scores[0]))).abs() < 1e-6);
    }
}

#[test]
fn a_file_of_several_questions_comes_back_as_it_was_and_one_of_its_bits_is_missed() {
    let rng = &mut stream(2, Purpose::Comparisons);
    let world = World::new(200, rng);
    let options = FitOptions::new().hold_out(0.0).epochs(5);
    let fitted: FittedQuestions = fit_questions(&world.rows, &world.questions(100, rng), &options).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.likelier");
    fitted.classifiers.save(&path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(ModelFile::load(&path).unwrap(), ModelFile::Several(fitted.classifiers.clone()));
    let rng = &mut stream(2, Purpose::Comparisons);
    let questions_again = World::new(200, rng).questions(100, rng);
    let again = fit_questions(&world.rows, &questions_again, &options).unwrap();
    assert_eq!(again.classifiers.to_bytes().unwrap(), bytes, "equal training gives equal bytes");

    // Whoever takes one classifier is told which there are.
    let error = Classifier::load(&path).unwrap_err().to_string();
    assert!(error.contains("several questions") && error.contains("red, green, blue"), "{error}");
    let several = ModelFile::from_bytes(&bytes).unwrap();
    assert!(matches!(several.clone().of_question(None), Err(Error::SeveralQuestions { .. })));
    assert!(matches!(several.clone().of_question(Some("Red")), Err(Error::UnknownQuestion { .. })));
    assert_eq!(
        &several.of_question(Some("blue")).unwrap(),
        fitted.classifiers.of_question("blue").unwrap()
    );

    // A changed bit, wherever it is, and a file that is cut short are noticed.
    for at in (0..bytes.len()).step_by(bytes.len() / 97) {
        let mut changed = bytes.clone();
        changed[at] ^= 4;
        assert!(ModelFile::from_bytes(&changed).is_err(), "bit {at}");
        assert!(ModelFile::from_bytes(&bytes[..at]).is_err(), "cut at {at}");
    }
}

/// Class probabilities from log-odds.
type Way<'a> = &'a dyn Fn(&[f64]) -> Vec<f64>;

#[test]
fn classes_sum_to_one_and_the_nearest_distribution_has_the_least_log_loss_where_each_question_is_well_answered()
 {
    let rng = &mut stream(3, Purpose::Comparisons);
    let test = World::new(20_000, rng);
    let mut losses = Vec::new();
    for comparisons in [300, 1000, 3000] {
        let mut sums = [0.0; 4];
        for seed in 0..5 {
            let rng = &mut stream(100 + seed, Purpose::Comparisons);
            let world = World::new(1500, rng);
            let fitted =
                fit_questions(&world.rows, &world.questions(comparisons, rng), &classes().seed(seed))
                    .unwrap();
            let sharpness = fitted.classifiers.sharpness();
            let sharp =
                |odds: &[f64]| class_probabilities(&odds.iter().map(|z| sharpness * z).collect::<Vec<_>>());
            let ways: [Way<'_>; 4] = [&class_probabilities, &divided, &softmax, &sharp];
            let judged = ways.map(|way| test.judge(&fitted.classifiers, way));
            // They call the same class.
            assert!(judged.iter().all(|of| of[0] == judged[0][0]));
            sums.iter_mut().zip(judged).for_each(|(sum, of)| *sum += of[1] / 5.0);
            let scores = fitted.classifiers.scores(&test.rows).unwrap();
            let one = fitted.classifiers.probabilities(scores.iter().map(|of| of[7]));
            assert!((one.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        }
        println!("{comparisons} comparisons: log-loss shifted, divided, softmax, ours {sums:.4?}");
        losses.push(sums);
    }
    for [shifted, divided, softmax, ours] in losses {
        assert!(shifted < divided && shifted < softmax, "{shifted} {divided} {softmax}");
        // A choice from comparisons costs little where there is nothing to gain.
        assert!(ours < shifted + 0.01, "{ours} {shifted}");
    }
}

#[test]
fn where_lines_cannot_answer_a_question_well_classes_are_sharpened_and_log_loss_falls() {
    // Green lies between red and blue, so no line tells it from both.
    let rng = &mut stream(8, Purpose::Comparisons);
    let on_a_line = |items: usize, rng: &mut ChaCha8Rng| {
        World::about([[-3.0, 0.0], [0.0, 0.0], [3.0, 0.0]], items, rng)
    };
    let test = on_a_line(20_000, rng);
    let world = on_a_line(3000, rng);
    let fitted = fit_questions(&world.rows, &world.questions(3000, rng), &classes()).unwrap();
    let sharpness = fitted.classifiers.sharpness();
    let sharp = |odds: &[f64]| class_probabilities(&odds.iter().map(|z| sharpness * z).collect::<Vec<_>>());
    let [plain, ours] =
        [test.judge(&fitted.classifiers, class_probabilities), test.judge(&fitted.classifiers, sharp)];
    println!("sharpness {sharpness}, log-loss {:.4} was {:.4}", ours[1], plain[1]);
    assert!(ours[1] < plain[1] - 0.02 && ours[0] == plain[0]);
}

#[test]
fn the_label_free_accuracy_of_classes_holds_the_truth() {
    const WORLDS: u64 = 120;
    let rng = &mut stream(4, Purpose::Comparisons);
    let test = World::new(20_000, rng);
    let found: Vec<[f64; 3]> = (0..WORLDS)
        .into_par_iter()
        .map(|seed| {
            let rng = &mut stream(1000 + seed, Purpose::Comparisons);
            // Every item is asked about several times, in every question.
            let world = World::new(800, rng);
            let fitted =
                fit_questions(&world.rows, &world.questions(800, rng), &classes().seed(seed)).unwrap();
            let truth = test.judge(&fitted.classifiers, class_probabilities)[0];
            let judged = fitted.classes.unwrap();
            assert!(judged.range.is_none() && judged.recalls.len() == 3);
            let held = f64::from(u8::from(judged.accuracy.holds(truth)));
            [held, judged.accuracy.value - truth, judged.accuracy.width()]
        })
        .collect();
    let mean = |at: usize| found.iter().map(|one| one[at]).sum::<f64>() / WORLDS as f64;
    let [held, off, width] = [mean(0), mean(1), mean(2)];
    println!("held {held:.3}, off by {off:.4} on average, width {width:.3}");
    // Four standard errors of a coverage of 0.95 in 120 worlds are 0.08; the whole is not much wider than it need be.
    assert!(held > 0.88, "{held}");
    assert!(off.abs() < 0.02 && width < 0.3, "{off} {width}");
}

#[test]
fn where_equals_may_have_been_graded_the_accuracy_of_classes_is_a_range_about_the_point() {
    let rng = &mut stream(5, Purpose::Comparisons);
    let world = World::new(600, rng);
    let mut questions = world.questions(600, rng);
    for question in &mut questions {
        question.supervision = question.supervision.clone().equals(Equals::Unknown);
    }
    let judged = fit_questions(&world.rows, &questions, &classes()).unwrap().classes.unwrap();
    let range = judged.range.unwrap();
    assert!(
        range.low_end.value < judged.accuracy.value && judged.accuracy.value < range.high_end.value + 0.1
    );
    let shares: f64 = judged.recalls.iter().map(|of| of.share).sum();
    assert!((shares - 1.0).abs() < 1e-9);
}

#[test]
fn shares_that_are_not_stated_are_estimated_and_scaled_and_stated_ones_must_make_a_whole() {
    let rng = &mut stream(6, Purpose::Comparisons);
    let world = World::about(CORNERS.map(|corner| corner.map(|at| 2.0 * at)), 4000, rng);
    let questions = world.questions(4000, rng);
    let with = |priors: [Option<f64>; 3]| -> Vec<Question> {
        let stated = questions.iter().zip(priors).map(|(question, prior)| Question {
            name: question.name.clone(),
            supervision: question
                .supervision
                .clone()
                .prior(prior.map(|prior| Prior::new(prior).unwrap())),
        });
        stated.collect()
    };
    let quick = classes().hold_out(0.0).epochs(5);
    let fitted = fit_questions(&world.rows, &with([Some(0.5), None, None]), &quick).unwrap();
    let used: Vec<f64> = fitted.questions.iter().map(|(_, one)| one.prior.prior.positive()).collect();
    assert!((used.iter().sum::<f64>() - 1.0).abs() < 1e-9 && used[0] == 0.5, "{used:?}");
    assert!((used[1] - 0.3).abs() < 0.1, "{used:?}");
    assert!(
        fitted
            .warnings
            .iter()
            .any(|one| matches!(one, Warning::ClassSharesScaled { .. }))
    );
    // Nothing is held out, so the classes are not judged, and that is said.
    assert!(
        fitted
            .warnings
            .iter()
            .any(|one| matches!(one, Warning::ClassesNotJudged { .. }))
    );
    for wrong in [[0.5, 0.3, 0.3], [0.2, 0.2, 0.2]] {
        let error = fit_questions(&world.rows, &with(wrong.map(Some)), &quick).unwrap_err();
        assert!(matches!(error, Error::ClassShares { .. }), "{error}");
    }
    let error = fit_questions(&world.rows, &with([Some(0.6), Some(0.5), None]), &quick).unwrap_err();
    assert!(matches!(error, Error::ClassShares { .. }), "{error}");
    // Rounded ones are whole enough.
    fit_questions(&world.rows, &with([0.5, 0.3, 0.21].map(Some)), &quick).unwrap();
}

#[test]
fn what_takes_one_question_refuses_several_and_several_are_refused_where_one_is_too_small() {
    let rng = &mut stream(7, Purpose::Comparisons);
    let world = World::new(200, rng);
    let answers = world.answers(0, 90, rng);
    let questions =
        Questions { names: Texts::from_iter(["a", "b"]), of: (0..90).map(|at| at % 2).collect() };
    let supervision = Supervision::new(answers.asked(questions).unwrap())
        .protocol(Protocol::FORCED_CHOICE)
        .prior(Prior::new(0.5).unwrap());
    let several = |result: Result<(), Error>| {
        assert!(matches!(result, Err(Error::SeveralQuestions { .. })), "{result:?}");
    };
    several(fit(&world.rows, &supervision, &FitOptions::new()).map(|_| ()));
    let scorer = likelier::ScorerOptions::new(likelier::ModelKind::Linear, 0);
    several(estimate_prior(&world.rows, &supervision, &scorer).map(|_| ()));
    several(check(&world.rows, &supervision, &scorer).map(|_| ()));

    let mut questions = world.questions(100, rng);
    let one = fit(&world.rows, &questions[0].supervision, &classes()).unwrap_err();
    assert!(matches!(one, Error::NoClasses { found: 1 }), "{one}");
    questions[1].supervision =
        Supervision::new(world.answers(1, 19, rng)).protocol(Protocol::FORCED_CHOICE);
    let error = fit_questions(&world.rows, &questions, &FitOptions::new()).unwrap_err();
    assert_eq!(error.to_string(), "question 'green' has 19 answers; at least 20 are needed");
    // An error in one of them names it.
    questions[1].supervision = Supervision::new(world.answers(1, 30, rng));
    let error = fit_questions(&world.rows, &questions, &FitOptions::new().hold_out(0.0)).unwrap_err();
    assert!(error.to_string().starts_with("question 'green': it is not known how"), "{error}");
}
