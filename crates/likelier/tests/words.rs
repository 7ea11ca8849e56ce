//! Few comparisons and many words: `fit` scales by how rare words are where that predicts held-out comparisons better.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use likelier::model::{Scaling, ScalingKind};
use likelier::random::{ChaCha8Rng, Purpose, below, stream, unit};
use likelier::{
    Answers, Equals, FitOptions, Fitted, Method, ModelKind, Prior, Protocol, Rows, Supervision, fit,
};

const WORDS: usize = 300;
const ITEMS: usize = 500;

/// Texts of a few rare words of their class among many that both classes use: positives have words of the first
/// hundred, negatives of the second, and both the last hundred, the longer texts more of them.
fn texts(rng: &mut ChaCha8Rng) -> (Rows<'static>, Vec<bool>) {
    let mut values = vec![0.0_f32; ITEMS * WORDS];
    let mut labels = Vec::new();
    for row in values.chunks_exact_mut(WORDS) {
        let positive = unit(rng) < 0.5;
        for _ in 0..3 {
            row[below(rng, 100) + if positive { 0 } else { 100 }] += 1.0;
        }
        for _ in 0..below(rng, 40) {
            row[200 + below(rng, 15)] += 1.0;
        }
        labels.push(positive);
    }
    (Rows::from_numbers(values, WORDS).unwrap().to_sparse(), labels)
}

/// A forced choice between two random texts.
fn answers(labels: &[bool], count: usize, rng: &mut ChaCha8Rng) -> Answers {
    let one = |_| {
        let (a, b) = (below(rng, ITEMS / 2), ITEMS / 2 + below(rng, ITEMS / 2));
        let first = if labels[a] == labels[b] { unit(rng) < 0.5 } else { labels[a] };
        if first { (a as u32, b as u32) } else { (b as u32, a as u32) }
    };
    (0..count).map(one).collect()
}

fn fitted(options: &FitOptions) -> (Fitted, f64) {
    let mut rng = stream(11, Purpose::Comparisons);
    let (rows, labels) = texts(&mut rng);
    let supervision = Supervision::new(answers(&labels, 250, &mut rng))
        .protocol(Protocol::FORCED_CHOICE)
        .prior(Prior::new(0.5).unwrap())
        .equals(Equals::Coin);
    let fitted = fit(&rows, &supervision, options).unwrap();
    let (others, labels) = texts(&mut rng);
    let threshold = fitted.classifier.threshold();
    let scores = fitted.classifier.scores(&others).unwrap();
    let right = scores
        .iter()
        .zip(&labels)
        .filter(|(score, label)| (**score > threshold) == **label)
        .count();
    (fitted, right as f64 / ITEMS as f64)
}

#[test]
fn rare_words_are_found_out_by_comparisons_that_were_held_out() {
    let (chosen, accuracy) = fitted(&FitOptions::new());
    assert_eq!(chosen.classifier.scaling().kind(), ScalingKind::InverseFrequency);
    let (before, plain) = fitted(&FitOptions::new().scaling(ScalingKind::LargestAbsolute));
    assert_eq!(before.classifier.scaling().kind(), ScalingKind::LargestAbsolute);
    assert!(accuracy > plain, "{accuracy} by how rare, {plain} by the largest value");
    let told = chosen.assessment.unwrap().new_items.metrics.accuracy;
    assert!(told.low <= accuracy && accuracy <= told.high, "{accuracy}, told {told:?}");
}

#[test]
fn counts_make_the_same_model_however_they_are_stored() {
    let mut rng = stream(12, Purpose::Comparisons);
    let (sparse, labels) = texts(&mut rng);
    let mut values = vec![0.0; ITEMS * WORDS];
    for (at, row) in values.chunks_exact_mut(WORDS).enumerate() {
        sparse.copy_row(at, row);
    }
    let dense = Rows::from_numbers(values, WORDS).unwrap();
    let supervision = Supervision::new(answers(&labels, 100, &mut rng))
        .protocol(Protocol::FORCED_CHOICE)
        .prior(Prior::new(0.5).unwrap());
    let options = FitOptions::new().hold_out(0.0);
    let [one, two] =
        [&sparse, &dense].map(|rows| fit(rows, &supervision, &options).unwrap().classifier.to_bytes());
    assert!(one.unwrap() == two.unwrap());
}

#[test]
fn what_is_stated_or_is_no_pair_method_or_no_linear_model_is_not_tried() {
    let still = |options: FitOptions| fitted(&options.hold_out(0.0)).0.classifier.scaling().kind();
    assert_eq!(still(FitOptions::new().method(Method::PcompRelu)), ScalingKind::LargestAbsolute);
    assert_eq!(still(FitOptions::new().model(ModelKind::Mlp).epochs(2)), ScalingKind::LargestAbsolute);
    assert_eq!(still(FitOptions::new().scaling(ScalingKind::Standardise)), ScalingKind::Standardise);
}

#[test]
fn a_model_file_keeps_the_weights_of_words_and_the_length_of_rows() {
    let (fitted, _) = fitted(&FitOptions::new().scaling(ScalingKind::InverseFrequency).hold_out(0.0));
    let mut rng = stream(12, Purpose::Comparisons);
    let (rows, _) = texts(&mut rng);
    let read = likelier::Classifier::from_bytes(&fitted.classifier.to_bytes().unwrap()).unwrap();
    assert_eq!(read.scores(&rows).unwrap(), fitted.classifier.scores(&rows).unwrap());
    // Twice as long a text is the same text.
    let mut double = vec![0.0; rows.len() * WORDS];
    for (row, into) in double.chunks_exact_mut(WORDS).enumerate() {
        rows.copy_row(row, into);
        for count in into.iter_mut() {
            *count *= 2.0;
        }
    }
    let double = Rows::from_numbers(double, WORDS).unwrap();
    for (once, twice) in read.scores(&rows).unwrap().iter().zip(read.scores(&double).unwrap()) {
        assert!((once - twice).abs() < 1e-5, "{once}, {twice}");
    }
    let all: Vec<u32> = (0..rows.len() as u32).collect();
    assert_eq!(Scaling::fit(ScalingKind::InverseFrequency, &rows, &[&all]).offset(), &[0.0; WORDS]);
}
