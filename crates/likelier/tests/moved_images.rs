//! Images that are moved while a network learns from them.

#![cfg(feature = "engine")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use std::sync::atomic::{AtomicBool, Ordering};

use likelier::data::{Comparisons, Label, Pile, Rows};
use likelier::evaluate::Confusion;
use likelier::model::{Architecture, Mlp, MlpNorm, Moved, Scaling, ScalingKind, Stored, Weights};
use likelier::random::{Purpose, below, stream, unit};
use likelier::train::{Config, Control, Data, ImageMoves, Outcome, Passes, train, train_with};
use likelier::{
    Answers, Classifier, Error, FitOptions, Method, ModelKind, Prior, Protocol, Supervision, fit,
};

const SIDE: usize = 8;

/// Images of a bar that lies or stands somewhere, with noise: where it is says nothing.
struct Bars {
    rows: Rows<'static>,
    labels: Vec<Label>,
    pairs: Comparisons,
}

fn bars(pairs: u32) -> Bars {
    let mut rng = stream(31, Purpose::Split);
    let labels: Vec<Label> = (0..3000).map(|row| Label::positive_if(row % 2 == 0)).collect();
    let mut bytes = Vec::new();
    for label in &labels {
        let (along, across) = (below(&mut rng, SIDE - 3), below(&mut rng, SIDE));
        for pixel in 0..SIDE * SIDE {
            let (y, x) = (pixel / SIDE, pixel % SIDE);
            let (near, off) = if label.is_positive() { (x, y) } else { (y, x) };
            let lit = (along..along + 4).contains(&near) && off == across;
            bytes.push((unit(&mut rng) * 120.0) as u8 + if lit { 130 } else { 0 });
        }
    }
    // Even rows are positive: each pair is in its true order.
    let pairs = (0..pairs).map(|k| (2 * k, 2 * k + 1)).collect();
    Bars { rows: Rows::from_bytes(bytes, SIDE * SIDE).unwrap(), labels, pairs }
}

impl Bars {
    fn data(&self) -> Data<'_> {
        Data { rows: &self.rows, piles: self.pairs.piles(), labels: None }
    }

    fn answers(&self) -> Answers {
        let [likelier, other] = Pile::BOTH.map(|pile| self.pairs.piles().rows(pile));
        likelier.iter().copied().zip(other.iter().copied()).collect()
    }

    /// On the images that nobody compared.
    fn accuracy(&self, classifier: &Classifier) -> f64 {
        let unseen: Vec<u32> = (1000..3000).collect();
        let predicted = classifier.predict_of(&self.rows, &unseen).unwrap();
        let truth = unseen.iter().map(|row| self.labels[*row as usize]);
        Confusion::of(&predicted, truth).unwrap().accuracy()
    }
}

fn config(method: Method, pixels: Option<usize>) -> Config {
    Config {
        architecture: Architecture::Mlp(Mlp { hidden: vec![40, 40], norm: MlpNorm::EachLayer }),
        moves: pixels.map(|pixels| ImageMoves { image: [1, SIDE, SIDE], pixels }),
        epochs: 100,
        batch_rows: 64,
        learning_rate: 1e-3,
        ..Config::new(method, Prior::new(0.5).unwrap(), Protocol::FORCED_CHOICE)
    }
}

#[test]
fn moves_teach_a_network_that_it_does_not_matter_where_something_is() {
    let bars = bars(100);
    for method in [Method::Likelihood, Method::PairPosterior, Method::PcompTeacher] {
        let [still, moved] = [None, Some(3)]
            .map(|pixels| bars.accuracy(&train(&bars.data(), &config(method, pixels)).unwrap()));
        assert!(moved > still + 0.1, "{method}: {still} and {moved}");
    }
}

#[test]
fn a_moved_pixel_comes_from_where_it_was_and_the_edge_goes_on() {
    // Two channels of 2 × 3 pixels; standardising would need the value that a pixel had before it was moved.
    let (shape, width) = ([2, 2, 3], 12);
    let values: Vec<f32> = (0..24_u8).map(|value| f32::from(value * value)).collect();
    let rows = Rows::from_numbers(values.clone(), width).unwrap();
    let scaling = Scaling::fit(ScalingKind::Standardise, &rows, &[&[0, 1]]);
    let architecture = Architecture::Mlp(Mlp { hidden: Vec::new(), norm: MlpNorm::None });
    let mut model = architecture.build(width, 2).unwrap();
    for (down, right) in [(0, 0), (1, 0), (-1, 2), (0, -1), (1, 1)] {
        for pixel in 0..width {
            // A network that shows one pixel.
            let mut parameters = vec![0.0; width + 1];
            parameters[pixel] = 1.0;
            let mut weights = Weights { parameters, buffers: Vec::new() };
            let by = [[down, right], [0, 0]];
            let moved = Moved { image: shape, by: &by };
            let stored = Stored { moved: Some(moved), ..Stored::new(&rows, &scaling, &[1, 1]) };
            let mut shown = [0.0; 2];
            model.forward(&mut weights, &stored, &mut shown).unwrap();
            let (channel, y, x) = (pixel / 6, pixel % 6 / 3, pixel % 3);
            let from = |at: usize, by: i32, end: usize| at.saturating_add_signed(-by as isize).min(end - 1);
            let at = |y: usize, x: usize| values[width + channel * 6 + y * 3 + x];
            let scaled = |value: f32| (value - scaling.offset()[pixel]) * scaling.factor()[pixel];
            let wanted = [scaled(at(from(y, down, 2), from(x, right, 3))), scaled(at(y, x))];
            for (shown, wanted) in shown.iter().zip(wanted) {
                assert!((shown - wanted).abs() < 1e-5, "{shown}, {wanted}: {pixel} by {down}, {right}");
            }
        }
    }
}

#[test]
fn threads_and_interruptions_do_not_change_a_run_with_moves() {
    let bars = bars(200);
    let folder = tempfile::tempdir().unwrap();
    for (method, passes) in [
        (Method::PairPosterior, Passes::Together),
        (Method::PcompTeacher, Passes::Together),
        (Method::PcompAbs, Passes::EachPile),
    ] {
        let config = Config { epochs: 12, passes, warm_up_epochs: 5, ..config(method, Some(2)) };
        let with = |control: &Control<'_>, stop: &AtomicBool| {
            train_with(&bars.data(), &config, control, |summary, _| {
                stop.store(summary.epoch % 5 == 0, Ordering::Relaxed);
                Ok(())
            })
            .unwrap()
        };
        let never = AtomicBool::new(false);
        let [one, two] =
            [1, 2].map(|threads| with(&Control { threads: Some(threads), ..Control::default() }, &never));
        assert_eq!(one, two, "{method}");
        let path = folder.path().join(method.name());
        let resumed = loop {
            let stop = AtomicBool::new(false);
            let control = Control { checkpoint: Some(&path), stop: Some(&stop), ..Control::default() };
            let outcome = with(&control, &stop);
            if matches!(outcome, Outcome::Finished(_)) {
                break outcome;
            }
        };
        assert_eq!(resumed, one, "{method}");
    }
}

#[test]
fn a_fit_moves_images_only_where_there_are_some() {
    let bars = bars(300);
    let fitted = |options: &FitOptions| {
        let supervision = Supervision::new(bars.answers())
            .prior(Prior::new(0.5).unwrap())
            .protocol(Protocol::FORCED_CHOICE);
        fit(&bars.rows, &supervision, options)
    };
    let options = FitOptions::new().model(ModelKind::Mlp).hidden(vec![8]).epochs(4).hold_out(0.0);
    let moves = |options: &FitOptions| fitted(options).unwrap().config.moves;
    assert_eq!(moves(&options), None);
    // Square unless something else is said.
    let two = options.clone().move_images(2);
    assert_eq!(moves(&two), Some(ImageMoves { image: [1, 8, 8], pixels: 2 }));
    assert_eq!(moves(&two.clone().image([4, 4, 4])), Some(ImageMoves { image: [4, 4, 4], pixels: 2 }));
    let refused = |options: FitOptions| fitted(&options).unwrap_err().to_string();
    let told = refused(two.clone().image([1, 8, 9]));
    assert!(told.contains("64 numbers are not images of 1 × 8 × 9"), "{told}");
    let told = refused(options.clone().move_images(5));
    assert!(told.contains("at most half of the height"), "{told}");
    let told = refused(FitOptions::new().move_images(1));
    assert!(told.contains("for networks only"), "{told}");
    let odd = Rows::from_numbers(vec![0.0; 22], 11).unwrap();
    let error = fit(&odd, &Supervision::new(Answers::from_iter([(0, 1)])), &two).unwrap_err();
    assert!(matches!(error, Error::NotImages { image: None, features: 11 }), "{error}");
}
