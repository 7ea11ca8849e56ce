//! Training and test rows, and a test set with the class prior that is asked for.
//!
//! The paper's test accuracy is one under the prior π of its pairs, so the test rows are resampled to π:
//! at π = 0.2 all negatives and a quarter as many positives, at 0.5 equal numbers, at 0.8 mirrored.
//! Splits are lists of row indices: the rows themselves stay where they are.

use crate::data::{Label, class_counts};
use crate::error::Error;
use crate::prior::Prior;
use crate::random::{Rng, shuffle};

/// The rows to learn from and the rows to judge by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// Rows to learn from.
    pub train: Vec<u32>,
    /// Rows to judge by.
    pub test: Vec<u32>,
}

impl Split {
    /// The first `first_part` of `total` rows for training, the others for the test.
    pub fn official(first_part: usize, total: usize) -> Self {
        let total = total as u32;
        let first_part = total.min(first_part as u32);
        Self { train: (0..first_part).collect(), test: (first_part..total).collect() }
    }

    /// Four fifths of the positive and four fifths of the negative rows for training, rounded down, the
    /// others for the test; both in random order.
    ///
    /// Rounding each of the two classes, not each digit, gives the sizes of the paper's Table 1:
    /// 7,437 + 1,861 (USPS), 8,793 + 2,199 (Pendigits), 4,495 + 1,125 (Optdigits), 864 + 216 (CNAE-9).
    pub fn pooled(labels: &[Label], rng: &mut impl Rng) -> Self {
        Self::stratified(labels, 0.2, rng)
    }

    /// A share of the positive and the same of the negative rows for the test, rounded up, the others for
    /// training; both in random order. The share lies between 0 and 1.
    pub fn stratified(labels: &[Label], test_share: f64, rng: &mut impl Rng) -> Self {
        let mut split = Self { train: Vec::new(), test: Vec::new() };
        for class in [Label::Positive, Label::Negative] {
            let has_class = |&row: &u32| labels[row as usize] == class;
            let mut rows: Vec<u32> = (0..labels.len() as u32).filter(has_class).collect();
            shuffle(rng, &mut rows);
            // A product that should be whole may come out a hair below.
            let kept = whole((rows.len() as f64 * (1.0 - test_share) + NUDGE).floor());
            split.test.extend(rows.drain(kept.min(rows.len())..));
            split.train.extend(rows);
        }
        shuffle(rng, &mut split.train);
        shuffle(rng, &mut split.test);
        split
    }
}

/// As many of `rows` as can be kept with a share π of positives, in their given order.
///
/// All rows of the class that is scarce for this prior are kept, and of the other class a random choice
/// of the right size, rounded to the nearest number. Fails when that leaves nothing of the other class. Each of
/// `rows` must have a label in `labels`.
pub fn resample_to_prior(
    labels: &[Label],
    rows: &[u32],
    prior: Prior,
    rng: &mut impl Rng,
) -> Result<Vec<u32>, Error> {
    let [positives, negatives] = class_counts(labels, rows)?;
    let (positive, negative) = (prior.positive(), prior.negative());
    let positives_are_scarce = positives as f64 * negative <= negatives as f64 * positive;
    let (scarce, plenty, odds) = if positives_are_scarce {
        (positives, negatives, negative / positive)
    } else {
        (negatives, positives, positive / negative)
    };
    let wanted = whole((scarce as f64 * odds + NUDGE).round()).min(plenty);
    if wanted == 0 {
        return Err(Error::TooFewOfClass {
            class: Label::positive_if(positives_are_scarce),
            needed: whole(((0.5 - NUDGE) / odds).ceil()).max(1),
            available: scarce,
        });
    }

    let is_plenty = |&at: &usize| labels[rows[at] as usize].is_positive() != positives_are_scarce;
    let mut places: Vec<usize> = (0..rows.len()).filter(is_plenty).collect();
    shuffle(rng, &mut places);
    let mut keep = vec![true; rows.len()];
    for &place in &places[wanted..] {
        keep[place] = false;
    }
    Ok(rows.iter().zip(keep).filter_map(|(row, keep)| keep.then_some(*row)).collect())
}

/// 1 − 0.8 is a little less than 0.2: without this, a half would go up or down by accident, and a prior
/// and its mirror image would differ.
const NUDGE: f64 = 1e-6;

#[expect(clippy::cast_sign_loss, reason = "counts are not negative")]
fn whole(count: f64) -> usize {
    count as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::random::{ChaCha8Rng, Purpose, stream};

    /// Positives first.
    fn labels(positives: usize, negatives: usize) -> Vec<Label> {
        (0..positives + negatives)
            .map(|row| Label::positive_if(row < positives))
            .collect()
    }

    fn rng() -> ChaCha8Rng {
        stream(11, Purpose::Split)
    }

    fn resampled_counts(positives: usize, negatives: usize, prior: f64) -> [usize; 2] {
        let labels = labels(positives, negatives);
        let rows: Vec<u32> = (0..labels.len() as u32).collect();
        let prior = Prior::new(prior).unwrap();
        class_counts(&labels, &resample_to_prior(&labels, &rows, prior, &mut rng()).unwrap()).unwrap()
    }

    proptest! {
        #[test]
        fn a_pooled_split_has_each_row_once_and_four_fifths_of_each_class(
            positive in prop::collection::vec(any::<bool>(), 0..200),
        ) {
            let labels: Vec<Label> = positive.into_iter().map(Label::positive_if).collect();
            let split = Split::pooled(&labels, &mut rng());
            let all: Vec<u32> = (0..labels.len() as u32).collect();
            let [positives, negatives] = class_counts(&labels, &all).unwrap();
            prop_assert_eq!(class_counts(&labels, &split.train).unwrap(), [positives * 4 / 5, negatives * 4 / 5]);
            let mut rows = [split.train, split.test].concat();
            rows.sort_unstable();
            prop_assert_eq!(rows, all);
        }

        #[test]
        fn resampling_keeps_all_of_one_class_and_the_nearest_share_of_the_other(
            positives in 1_usize..300,
            negatives in 1_usize..300,
            percent in 10_u32..=90,
        ) {
            let prior = f64::from(percent) / 100.0;
            let labels = labels(positives, negatives);
            let rows: Vec<u32> = (0..labels.len() as u32).rev().collect();
            let Ok(kept) = resample_to_prior(&labels, &rows, Prior::new(prior).unwrap(), &mut rng()) else {
                // A class would end empty: one row is more than its share.
                prop_assert!(positives.min(negatives) < 5);
                return Ok(());
            };
            let [kept_positives, kept_negatives] = class_counts(&labels, &kept).unwrap();
            prop_assert!(kept_positives == positives || kept_negatives == negatives);
            // Off by at most the half row that rounding moves.
            let off = kept_positives as f64 * (1.0 - prior) - kept_negatives as f64 * prior;
            prop_assert!(off.abs() <= 0.5 * prior.max(1.0 - prior) + 1e-5, "off by {off}");
            prop_assert!(kept.is_sorted_by(|a, b| a > b), "the given order is kept, no row twice");
        }

        #[test]
        fn a_prior_and_its_mirror_image_keep_mirrored_counts(
            one in 5_usize..300, other in 5_usize..300, percent in 10_u32..=90,
        ) {
            let prior = f64::from(percent) / 100.0;
            let mut mirrored = resampled_counts(other, one, 1.0 - prior);
            mirrored.reverse();
            // Where the counts already fit to a row, either class may be the one that is kept whole.
            let direct = resampled_counts(one, other, prior);
            prop_assert!(direct[0].abs_diff(mirrored[0]) + direct[1].abs_diff(mirrored[1]) <= 1);
        }
    }

    #[test]
    fn a_seed_gives_the_same_split_forever() {
        let split = Split::pooled(&labels(5, 6), &mut rng());
        assert_eq!(split.train, [10, 7, 0, 3, 1, 4, 8, 6]);
        assert_eq!(split.test, [9, 2, 5]);
        let rows: Vec<u32> = (0..11).collect();
        let even = resample_to_prior(&labels(3, 8), &rows, Prior::new(0.5).unwrap(), &mut rng()).unwrap();
        assert_eq!(even, [0, 1, 2, 3, 4, 9]);
    }

    #[test]
    fn a_stratified_split_sets_the_share_of_each_class_aside() {
        let labels = labels(30, 71);
        let split = Split::stratified(&labels, 0.3, &mut rng());
        assert_eq!(class_counts(&labels, &split.train).unwrap(), [21, 49]);
        assert_eq!(class_counts(&labels, &split.test).unwrap(), [9, 22]);
    }

    #[test]
    fn the_official_split_is_by_file() {
        let split = Split::official(2, 5);
        assert_eq!((split.train, split.test), (vec![0, 1], vec![2, 3, 4]));
        assert!(Split::official(9, 5).test.is_empty());
    }

    #[test]
    fn the_three_priors_of_the_paper_give_its_counts() {
        assert_eq!(resampled_counts(500, 500, 0.2), [125, 500]);
        assert_eq!(resampled_counts(500, 500, 0.8), [500, 125]);
        assert_eq!(resampled_counts(400, 500, 0.5), [400, 400]);
        // Halves go up on both sides, whatever 1 − 0.8 is in binary.
        assert_eq!(resampled_counts(500, 510, 0.2), [128, 510]);
        assert_eq!(resampled_counts(510, 500, 0.8), [510, 128]);
        // What fits is kept whole.
        assert_eq!(resampled_counts(20, 80, 0.2), [20, 80]);
        assert_eq!(resampled_counts(80, 20, 0.8), [80, 20]);
    }

    #[test]
    fn a_class_that_is_missing_or_too_scarce_for_one_row_of_the_other_is_an_error() {
        let resample = |positives, negatives, prior| {
            let labels = labels(positives, negatives);
            let rows: Vec<u32> = (0..labels.len() as u32).collect();
            resample_to_prior(&labels, &rows, Prior::new(prior).unwrap(), &mut rng())
        };
        for (positives, negatives, prior, scarce, enough) in [
            (0, 5, 0.5, Label::Positive, 1),
            (5, 0, 0.5, Label::Negative, 1),
            (0, 0, 0.5, Label::Positive, 1),
            (5, 4, 0.1, Label::Negative, 5),
            (4, 5, 0.9, Label::Positive, 5),
            (1, 5, 0.8, Label::Positive, 2),
        ] {
            let error = resample(positives, negatives, prior).unwrap_err();
            assert!(
                matches!(error, Error::TooFewOfClass { class, needed, .. } if (class, needed) == (scarce, enough)),
                "{error}"
            );
            // With as many as the message asks for it works.
            let (positives, negatives) =
                if scarce.is_positive() { (enough, negatives) } else { (positives, enough) };
            assert!(resample(positives.max(1), negatives.max(1), prior).is_ok());
        }
    }
}
