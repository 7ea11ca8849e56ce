//! A trained classifier: a different type from a model being trained.

use serde::{Deserialize, Serialize};

use super::{Architecture, Scaling, Stored, Weights};
use crate::data::{Features, Label, Rows, check_items};
use crate::error::Error;
use crate::prior::Prior;
use crate::protocol::Protocol;
use crate::risk::{Method, Setting, sigmoid};
use crate::train::Fallback;

/// A trained model with everything needed to use it, and every choice that made it.
#[derive(Clone, Debug, PartialEq)]
pub struct Classifier {
    pub(crate) architecture: Architecture,
    pub(crate) weights: Weights,
    pub(crate) features: Features,
    pub(crate) scaling: Scaling,
    pub(crate) threshold: f32,
    pub(crate) method: Method,
    pub(crate) setting: Setting,
    pub(crate) probability: ProbabilityMap,
    pub(crate) summary: TrainingSummary,
    pub(crate) version: String,
}

/// From a score to a probability of the positive class: σ(slope·score + offset).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProbabilityMap {
    /// What the score is multiplied with.
    pub slope: f32,
    /// What is added then.
    pub offset: f32,
}

impl ProbabilityMap {
    /// Takes the score above the threshold for log-odds, as the logistic loss does. Nothing was
    /// calibrated.
    pub fn plain(threshold: f32) -> Self {
        Self { slope: 1.0, offset: -threshold }
    }

    /// The probability that belongs to a score.
    pub fn of(&self, score: f32) -> f32 {
        sigmoid(f64::from(self.slope * score + self.offset)) as f32
    }
}

/// How training went, in the few numbers that a model file keeps.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainingSummary {
    /// Comparisons trained on; for loose piles, rows of the larger one.
    pub comparisons: usize,
    /// Comparisons held out.
    pub held_out_comparisons: usize,
    /// The epoch that the weights are those of.
    pub epoch: usize,
    /// The criterion on held-out comparisons in the chosen epoch.
    pub held_out: Option<f64>,
    /// The seed.
    pub seed: u64,
    /// Why the pair posterior was given up for its warm-up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<Fallback>,
}

impl Classifier {
    /// A score for each row; a row is positive when its score is above the [threshold]. Rows are read where
    /// they lie, borrowed ones included.
    ///
    /// [threshold]: Classifier::threshold
    pub fn scores(&self, rows: &Rows) -> Result<Vec<f32>, Error> {
        let all: Vec<u32> = (0..rows.len() as u32).collect();
        self.scores_of(rows, &all)
    }

    /// Scores of the rows `which`.
    pub fn scores_of(&self, rows: &Rows, which: &[u32]) -> Result<Vec<f32>, Error> {
        let width = self.features.width();
        if rows.width() != width {
            let (model, found) = ("features of the model", "features of the rows");
            return Err(Error::mismatch(model, width, found, rows.width()));
        }
        check_items("the list of rows to score", which, rows.len())?;
        // A network has room for at least one row, even where there is none.
        let at_once = which.len().clamp(1, self.architecture.rows_at_once(width)?);
        let mut model = self.architecture.build(width, at_once)?;
        let mut scores = vec![0.0; which.len()];
        let stored = Stored::new(rows, &self.scaling, which);
        model.score(&self.weights, &stored, &mut scores)?;
        Ok(scores)
    }

    /// The predicted class of each row.
    pub fn predict(&self, rows: &Rows) -> Result<Vec<Label>, Error> {
        Ok(self.scores(rows)?.iter().map(|score| self.label(*score)).collect())
    }

    /// The predicted class of the rows `which`.
    pub fn predict_of(&self, rows: &Rows, which: &[u32]) -> Result<Vec<Label>, Error> {
        Ok(self.scores_of(rows, which)?.iter().map(|score| self.label(*score)).collect())
    }

    /// The class of a score.
    pub fn label(&self, score: f32) -> Label {
        Label::positive_if(score > self.threshold)
    }

    /// The same classifier, knowing what its features are called.
    pub fn with_features(self, features: Features) -> Result<Self, Error> {
        let (width, given) = (self.features.width(), features.width());
        if given != width {
            return Err(Error::mismatch("features of the model", width, "named features", given));
        }
        Ok(Self { features, ..self })
    }

    /// The same classifier, turning scores into probabilities in another way.
    pub fn with_probability(self, probability: ProbabilityMap) -> Result<Self, Error> {
        for (name, value) in [
            ("the slope of the probability map", probability.slope),
            ("the offset of the probability map", probability.offset),
        ] {
            if !value.is_finite() {
                return Err(Error::Setting { name, value: value.to_string(), allowed: "finite" });
            }
        }
        Ok(Self { probability, ..self })
    }

    /// What its features are called.
    pub fn features(&self) -> &Features {
        &self.features
    }

    /// How scores become probabilities.
    pub fn probability(&self) -> ProbabilityMap {
        self.probability
    }

    /// How training went.
    pub fn summary(&self) -> &TrainingSummary {
        &self.summary
    }

    /// The version of likelier that trained it.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Where a score turns positive.
    pub fn threshold(&self) -> f32 {
        self.threshold
    }

    /// The same with another threshold. Scores and probabilities stay as they are.
    #[must_use]
    pub fn with_threshold(self, threshold: f32) -> Self {
        Self { threshold, ..self }
    }

    /// The same for a population with another share of positives, in which positives and negatives each look as they did:
    /// log-odds move by the difference of those of the shares, and with them probabilities and threshold. Scores stay.
    pub fn for_prior(self, prior: Prior) -> Result<Self, Error> {
        let slope = self.probability.slope;
        if slope <= 0.0 {
            return Err(Error::Setting {
                name: "the slope of the probability map",
                value: slope.to_string(),
                allowed: "above 0, if the share of positives is to change",
            });
        }
        let log_odds = |prior: Prior| (prior.positive() / prior.negative()).ln();
        let moved = (log_odds(prior) - log_odds(self.setting.prior)) as f32;
        let probability = ProbabilityMap { slope, offset: self.probability.offset + moved };
        let threshold = self.threshold - moved / slope;
        let setting = Setting { prior, ..self.setting };
        Ok(Self { threshold, setting, ..self.with_probability(probability)? })
    }

    /// Which model.
    pub fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// What it learned.
    #[doc(hidden)]
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// What is done to features first.
    #[doc(hidden)]
    pub fn scaling(&self) -> &Scaling {
        &self.scaling
    }

    /// How it was trained.
    pub fn method(&self) -> Method {
        self.method
    }

    /// The share of positives that it was trained with.
    pub fn prior(&self) -> Prior {
        self.setting.prior
    }

    /// How the comparisons were collected that it was trained on.
    pub fn protocol(&self) -> Protocol {
        self.setting.protocol
    }

    /// The prior, the protocol and the rest that the method was given.
    #[doc(hidden)]
    pub fn setting(&self) -> &Setting {
        &self.setting
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ScalingKind;

    #[test]
    fn a_score_at_the_threshold_is_negative_and_one_above_it_positive() {
        let rows = Rows::from_numbers(vec![0.5, 0.75, 0.25], 1).unwrap();
        let classifier = Classifier {
            architecture: Architecture::Linear,
            weights: Weights { parameters: vec![1.0, 0.0], buffers: Vec::new() },
            features: Features::numbered(1),
            scaling: Scaling::fit(ScalingKind::None, &rows, &[]),
            threshold: 0.5,
            method: Method::PcompRelu,
            setting: Setting::new(Prior::new(0.5).unwrap(), Protocol::DISCARD),
            probability: ProbabilityMap::plain(0.5),
            summary: TrainingSummary {
                comparisons: 1,
                held_out_comparisons: 0,
                epoch: 1,
                held_out: None,
                seed: 0,
                fallback: None,
            },
            version: "0.1.0".into(),
        };
        assert_eq!(classifier.probability().of(0.5), 0.5);
        let map = ProbabilityMap { slope: 2.0, offset: f32::NAN };
        assert!(classifier.clone().with_probability(map).is_err());
        let map = ProbabilityMap { slope: 2.0, offset: -1.0 };
        assert_eq!(classifier.clone().with_probability(map).unwrap().probability().of(0.5), 0.5);
        // Half as many odds: what was as likely as not is so no more, and the label follows.
        let rarer = classifier
            .clone()
            .with_probability(map)
            .unwrap()
            .for_prior(Prior::new(1.0 / 3.0).unwrap());
        let rarer = rarer.unwrap();
        assert!((rarer.probability().of(0.5) - 1.0 / 3.0).abs() < 1e-6);
        assert!((rarer.probability().of(rarer.threshold()) - 0.5).abs() < 1e-6);
        assert_eq!(rarer.scores(&rows).unwrap(), classifier.scores(&rows).unwrap());
        let same = rarer.for_prior(Prior::new(0.5).unwrap()).unwrap();
        assert!((same.threshold() - 0.5).abs() < 1e-6);
        let flat = ProbabilityMap { slope: 0.0, offset: 0.0 };
        let flat = classifier.clone().with_probability(flat).unwrap();
        assert!(flat.for_prior(Prior::new(0.3).unwrap()).is_err());
        assert!(classifier.clone().with_features(Features::numbered(2)).is_err());
        let predicted = classifier.predict(&rows).unwrap();
        assert_eq!(predicted, [Label::Negative, Label::Positive, Label::Negative]);
        assert!(matches!(classifier.scores_of(&rows, &[3]), Err(Error::NoSuchItem { index: 3, .. })));
    }
}
