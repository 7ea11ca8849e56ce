//! Rows that are borrowed, owned, sparse or bytes are the same rows to a classifier.

#![cfg(feature = "engine")]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use likelier::data::{Comparisons, Rows};
use likelier::model::{Architecture, Mlp, MlpNorm};
use likelier::random::{Purpose, stream, unit};
use likelier::train::{Config, Data, train};
use likelier::{Classifier, Error, Method, Prior, Protocol};

const WIDTH: usize = 4;
const ROWS: usize = 60;

fn numbers() -> Vec<f32> {
    let mut rng = stream(8, Purpose::Split);
    (0..ROWS * WIDTH).map(|_| (3.0 * unit(&mut rng) - 1.0) as f32).collect()
}

fn architectures() -> [Architecture; 2] {
    [Architecture::Linear, Architecture::Mlp(Mlp { hidden: vec![5], norm: MlpNorm::EachLayer })]
}

fn trained(rows: &Rows<'_>, architecture: Architecture) -> Classifier {
    let pairs: Comparisons = (0..ROWS as u32).map(|k| (k, (k * 7 + 3) % ROWS as u32)).collect();
    let config = Config {
        architecture,
        epochs: 5,
        batch_rows: 32,
        ..Config::new(Method::PcompRelu, Prior::new(0.4).unwrap(), Protocol::DISCARD)
    };
    train(&Data { rows, piles: pairs.piles(), labels: None }, &config).unwrap()
}

#[test]
fn borrowed_rows_are_trained_on_and_scored_as_owned_ones() {
    let numbers = numbers();
    let bytes: Vec<u8> = numbers.iter().map(|x| (80.0 * x + 90.0) as u8).collect();
    let owned = Rows::from_numbers(numbers.clone(), WIDTH).unwrap();
    let borrowed = Rows::borrowed(&numbers, WIDTH).unwrap();
    let images =
        [Rows::from_bytes(bytes.clone(), WIDTH).unwrap(), Rows::from_bytes(&bytes[..], WIDTH).unwrap()];
    for [owned, borrowed] in [[owned, borrowed], images] {
        for architecture in architectures() {
            let classifier = trained(&owned, architecture.clone());
            assert_eq!(trained(&borrowed, architecture), classifier);
            assert_eq!(classifier.scores(&borrowed).unwrap(), classifier.scores(&owned).unwrap());
            assert_eq!(classifier.predict(&borrowed).unwrap(), classifier.predict(&owned).unwrap());
        }
    }
}

#[test]
fn scores_of_some_rows_are_those_of_all_in_the_order_asked_for() {
    let rows = Rows::from_numbers(numbers(), WIDTH).unwrap();
    let which = [7, 59, 0, 7];
    for architecture in architectures() {
        let classifier = trained(&rows, architecture);
        let (scores, labels) = (classifier.scores(&rows).unwrap(), classifier.predict(&rows).unwrap());
        assert_eq!((scores.len(), labels.len()), (ROWS, ROWS));
        let some = classifier.scores_of(&rows, &which).unwrap();
        assert_eq!(some, which.map(|row| scores[row as usize]));
        assert_eq!(classifier.predict_of(&rows, &which).unwrap(), which.map(|row| labels[row as usize]));
        assert!(
            scores
                .iter()
                .zip(&labels)
                .all(|(score, label)| classifier.label(*score) == *label)
        );
        let past = classifier.predict_of(&rows, &[60]);
        assert!(matches!(past, Err(Error::NoSuchItem { index: 60, items: 60, .. })), "{past:?}");
        assert_eq!(classifier.scores_of(&rows, &[]).unwrap(), [0.0; 0]);
    }
}

#[cfg(feature = "ndarray")]
#[test]
fn a_matrix_of_ndarray_is_scored_as_its_numbers_are_in_whatever_order_they_lie() {
    let numbers = numbers();
    let rows = Rows::borrowed(&numbers, WIDTH).unwrap();
    let matrix = ndarray::ArrayView2::from_shape((ROWS, WIDTH), &numbers).unwrap();
    let columns: Vec<f32> = matrix.t().iter().copied().collect();
    let by_column = ndarray::ArrayView2::from_shape((WIDTH, ROWS), &columns).unwrap();
    for architecture in architectures() {
        let classifier = trained(&rows, architecture);
        let scores = classifier.scores(&rows).unwrap();
        for view in [matrix, by_column.reversed_axes()] {
            assert_eq!(classifier.scores(&Rows::try_from(view).unwrap()).unwrap(), scores);
        }
    }
}
