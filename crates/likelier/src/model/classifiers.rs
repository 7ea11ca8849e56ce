//! One classifier for each of several questions about the same items, and the classes that questions may be.
//!
//! Where the questions are the classes of one thing, each classifier gives p_k, an estimate of P(y = k | x) that knows
//! nothing of the others. True ones sum to one over k; estimates do not. What is given instead is the distribution q nearest
//! to them: the one with Σ q_k = 1 and the least Σ KL(q_k ‖ p_k) between coins of these probabilities. Its log-odds are those
//! of p_k plus one number c for all classes. So
//!
//! - estimates that sum to one stay as they are (a softmax of their log-odds would be too sure of itself: of 0.8 and 0.2 it
//!   makes 0.94 and 0.06);
//! - two classes get the mean of the two estimates of their log-odds;
//! - the class with the largest p_k has the largest q_k, as it has in every other way of combining them.
//!
//! One question against all others is harder to answer with a line than one class against another, and then each p_k is right
//! on average but all of them together know more. So log-odds are first multiplied by a *sharpness*, 1 unless the
//! comparisons show that another has the lower log-loss (`fit/classes.rs`). Which class is largest does not depend on it.

use super::Classifier;
use crate::data::{Features, Rows};
use crate::error::Error;
use crate::risk::sigmoid;

/// One classifier for each of several questions about the same items.
#[derive(Clone, Debug, PartialEq)]
pub struct Classifiers {
    questions: Vec<(String, Classifier)>,
    classes: bool,
    sharpness: f64,
}

impl Classifiers {
    /// Classifiers by the names of their questions, which differ. They must take the same features. `classes` says that
    /// an item is exactly one of the questions.
    pub fn new(questions: Vec<(String, Classifier)>, classes: bool) -> Result<Self, Error> {
        let setting =
            |name, value: &str, allowed| Err(Error::Setting { name, value: format!("'{value}'"), allowed });
        if questions.len() < 2 {
            return Err(Error::NoClasses { found: questions.len() });
        }
        for (at, (name, classifier)) in questions.iter().enumerate() {
            if name.trim().is_empty() {
                return setting("the name of a question", name, "a text that is not blank");
            }
            if questions[..at].iter().any(|(other, _)| other == name) {
                return setting("the name of a question", name, "that of one question only");
            }
            if classifier.features() != questions[0].1.features() {
                return setting("the features of a question", name, "those of the first question");
            }
        }
        Ok(Self { questions, classes, sharpness: 1.0 })
    }

    /// The same with log-odds of classes that are multiplied by a number above 0 before they are combined.
    pub fn with_sharpness(self, sharpness: f64) -> Result<Self, Error> {
        if !(sharpness > 0.0 && sharpness.is_finite()) {
            let (name, value) = ("the sharpness of classes", sharpness.to_string());
            return Err(Error::Setting { name, value, allowed: "finite and above 0" });
        }
        Ok(Self { sharpness, ..self })
    }

    /// What log-odds of classes are multiplied by before they are combined.
    pub fn sharpness(&self) -> f64 {
        self.sharpness
    }

    /// The questions and their classifiers.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Classifier)> {
        self.questions.iter().map(|(name, classifier)| (&name[..], classifier))
    }

    /// The number of questions.
    #[allow(clippy::len_without_is_empty, reason = "there are always two or more")]
    pub fn len(&self) -> usize {
        self.questions.len()
    }

    /// The names of the questions.
    pub fn names(&self) -> Vec<String> {
        self.questions.iter().map(|(name, _)| name.clone()).collect()
    }

    /// The classifier of one question.
    pub fn of_question(&self, name: &str) -> Result<&Classifier, Error> {
        let found = self.questions.iter().find(|(question, _)| question == name);
        found
            .map(|(_, classifier)| classifier)
            .ok_or_else(|| Error::UnknownQuestion { given: name.to_owned(), known: self.names() })
    }

    /// Whether an item is exactly one of the questions.
    pub fn are_classes(&self) -> bool {
        self.classes
    }

    /// What all of them take.
    pub fn features(&self) -> &Features {
        self.questions[0].1.features()
    }

    /// The scores of each row, by question.
    pub fn scores(&self, rows: &Rows) -> Result<Vec<Vec<f32>>, Error> {
        self.questions.iter().map(|(_, classifier)| classifier.scores(rows)).collect()
    }

    /// The probabilities of a row whose scores, by question, are given. Those of classes sum to one.
    pub fn probabilities(&self, scores: impl IntoIterator<Item = f32>) -> Vec<f64> {
        let log_odds = self.questions.iter().zip(scores).map(|((_, classifier), score)| {
            let map = classifier.probability();
            f64::from(map.slope) * f64::from(score) + f64::from(map.offset)
        });
        if self.classes {
            class_probabilities(&log_odds.map(|odds| self.sharpness * odds).collect::<Vec<f64>>())
        } else {
            log_odds.map(sigmoid).collect()
        }
    }
}

/// The distribution nearest to one-against-all probabilities, of which the log-odds are given: the same log-odds plus a
/// number that makes the probabilities sum to one.
pub fn class_probabilities(log_odds: &[f64]) -> Vec<f64> {
    let largest = log_odds.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // Alone, the largest makes 1 at most; all as likely as it, 1 at least.
    let even = -((log_odds.len() as f64 - 1.0).max(f64::MIN_POSITIVE)).ln();
    let (mut low, mut high) = (even - largest, 40.0 - largest);
    let mut shift = low;
    // Newton's step where it stays inside, else half of what is left.
    for _ in 0..100 {
        let (mut sum, mut slope) = (-1.0, 0.0);
        for odds in log_odds {
            let one = sigmoid(odds + shift);
            sum += one;
            slope += one * (1.0 - one);
        }
        if sum > 0.0 {
            high = shift;
        } else {
            low = shift;
        }
        let step = sum / slope;
        if step.abs() < 1e-13 || high - low < 1e-13 {
            break;
        }
        let next = shift - step;
        shift = if next > low && next < high { next } else { 0.5 * (low + high) };
    }
    let found: Vec<f64> = log_odds.iter().map(|odds| sigmoid(odds + shift)).collect();
    let total: f64 = found.iter().sum();
    found.iter().map(|one| one / total).collect()
}

/// The place of the largest; the first of equals.
pub fn most_likely(values: &[f64]) -> usize {
    let mut best = 0;
    for (at, value) in values.iter().enumerate() {
        if *value > values[best] {
            best = at;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn logit(p: f64) -> f64 {
        (p / (1.0 - p)).ln()
    }

    proptest! {
        #[test]
        fn class_probabilities_sum_to_one_and_keep_the_order(log_odds in prop::collection::vec(-60.0..60.0_f64, 2..12)) {
            let found = class_probabilities(&log_odds);
            prop_assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{found:?}");
            prop_assert!(found.iter().all(|one| (0.0..=1.0).contains(one)));
            prop_assert_eq!(most_likely(&found), most_likely(&log_odds));
        }

        #[test]
        fn probabilities_that_sum_to_one_stay_as_they_are(weights in prop::collection::vec(0.01..1.0_f64, 2..12)) {
            let total: f64 = weights.iter().sum();
            let log_odds: Vec<f64> = weights.iter().map(|weight| logit(weight / total)).collect();
            for (found, weight) in class_probabilities(&log_odds).iter().zip(&weights) {
                prop_assert!((found - weight / total).abs() < 1e-9);
            }
        }

        #[test]
        fn two_classes_get_the_mean_of_their_log_odds(one in -20.0..20.0_f64, two in -20.0..20.0_f64) {
            let found = class_probabilities(&[one, two]);
            prop_assert!((found[0] - sigmoid(0.5 * (one - two))).abs() < 1e-9);
        }
    }
}
