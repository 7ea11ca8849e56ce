//! How to fit: everything that may be stated, and is decided for you where it is not.

use crate::data::Features;
use crate::error::Error;
use crate::estimate::metrics::Wish;
use crate::model::{ModelKind, ScalingKind, square_image};
use crate::risk::Method;
use crate::train::ImageMoves;

/// Folds that a linear model is judged in: together they train about three to four times as long as the classifier.
const FOLDS: usize = 5;
const MOST_FOLDS: usize = 20;
/// The share of the answers that is held out where folds would take too long.
const HOLD_OUT: f64 = 0.2;
/// Answers about as many items that are enough to judge by: they tell an accuracy to about half a per cent. More are not
/// held out; and where a fifth is more, holding them out takes next to nothing from the training, so that no folds are needed.
const ENOUGH_TO_JUDGE_BY: f64 = 100_000.0;

/// How to fit a classifier. Whatever is not stated is what we would defend for the data at hand.
///
/// ```
/// use likelier::{FitOptions, Method};
///
/// let options = FitOptions::new().method(Method::PcompRelu).epochs(50).hold_out(0.1).seed(7);
/// # let _ = options;
/// ```
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::struct_excessive_bools, reason = "they are independent of each other")]
pub struct FitOptions {
    pub(super) method: Option<Method>,
    pub(super) model: ModelKind,
    pub(super) hidden: Option<Vec<usize>>,
    pub(super) image: Option<[usize; 3]>,
    pub(super) move_images: Option<usize>,
    pub(super) epochs: Option<usize>,
    pub(super) batch_rows: Option<usize>,
    pub(super) learning_rate: Option<f64>,
    pub(super) weight_decay: Option<f64>,
    pub(super) scaling: Option<ScalingKind>,
    pub(super) select: bool,
    pub(super) hold_out: Option<f64>,
    pub(super) folds: Option<usize>,
    pub(super) threshold_for: Option<Wish>,
    pub(super) calibrate: bool,
    pub(super) sensitivity: bool,
    pub(super) diagnose: bool,
    pub(super) watch: bool,
    pub(super) seed: u64,
    pub(super) features: Option<Features>,
    pub(super) plain_comparisons: bool,
    pub(super) classes: bool,
}

impl Default for FitOptions {
    fn default() -> Self {
        Self {
            method: None,
            model: ModelKind::Linear,
            hidden: None,
            image: None,
            move_images: None,
            epochs: None,
            batch_rows: None,
            learning_rate: None,
            weight_decay: None,
            scaling: None,
            select: false,
            hold_out: None,
            folds: None,
            threshold_for: None,
            calibrate: false,
            sensitivity: false,
            diagnose: false,
            watch: false,
            seed: 0,
            features: None,
            plain_comparisons: false,
            classes: false,
        }
    }
}

impl FitOptions {
    /// Nothing stated: the recommended method, and a linear model that is trained on all answers and judged by five
    /// others, each of which leaves out a fifth of the items; with 500,000 items and answers or more, one that leaves
    /// out 100,000.
    pub fn new() -> Self {
        Self::default()
    }

    /// How to learn; by default pair-posterior, or pcomp-relu for piles (docs/choosing.md says why).
    #[must_use]
    pub fn method(self, method: impl Into<Option<Method>>) -> Self {
        Self { method: method.into(), ..self }
    }

    /// Which model.
    #[must_use]
    pub fn model(self, model: ModelKind) -> Self {
        Self { model, ..self }
    }

    /// Units of the hidden layers of an mlp.
    #[must_use]
    pub fn hidden(self, hidden: impl Into<Option<Vec<usize>>>) -> Self {
        Self { hidden: hidden.into(), ..self }
    }

    /// Channels, height and width of the images of a resnet; as square as can be if not stated.
    #[must_use]
    pub fn image(self, image: impl Into<Option<[usize; 3]>>) -> Self {
        Self { image: image.into(), ..self }
    }

    /// Moves the images that rows are by up to so many pixels, at random, whenever a network learns from them; their shape
    /// is that of [`image`](Self::image).
    #[must_use]
    pub fn move_images(self, pixels: impl Into<Option<usize>>) -> Self {
        Self { move_images: pixels.into(), ..self }
    }

    /// Passes over the comparisons, at the most: a linear model stops when its weights have settled.
    #[must_use]
    pub fn epochs(self, epochs: impl Into<Option<usize>>) -> Self {
        Self { epochs: epochs.into(), ..self }
    }

    /// Rows of both items of the comparisons in a mini-batch; 256 if not stated, more for a linear model from 250,000
    /// comparisons.
    #[must_use]
    pub fn batch_rows(self, batch_rows: impl Into<Option<usize>>) -> Self {
        Self { batch_rows: batch_rows.into(), ..self }
    }

    /// The optimiser's step.
    #[must_use]
    pub fn learning_rate(self, learning_rate: impl Into<Option<f64>>) -> Self {
        Self { learning_rate: learning_rate.into(), ..self }
    }

    /// Whether training looks at comparisons alone: a tie as half a comparison each way, and nothing worked out
    /// about who answered or what was asked again.
    #[must_use]
    pub fn plain_comparisons(self, plain_comparisons: bool) -> Self {
        Self { plain_comparisons, ..self }
    }

    /// How strongly weights are drawn to 0.
    #[must_use]
    pub fn weight_decay(self, weight_decay: impl Into<Option<f64>>) -> Self {
        Self { weight_decay: weight_decay.into(), ..self }
    }

    /// What is done to features before the model sees them. Without it, where most are zero, a linear model chooses by
    /// comparisons that it has not seen: by the largest value of each, or by how rare each is.
    #[must_use]
    pub fn scaling(self, scaling: impl Into<Option<ScalingKind>>) -> Self {
        Self { scaling: scaling.into(), ..self }
    }

    /// Chooses method, weight decay and learning rate, each unless it is stated, by comparisons that a
    /// candidate has not seen.
    #[must_use]
    pub fn select(self, select: bool) -> Self {
        Self { select, ..self }
    }

    /// The share of the answers that is not trained on but judged by, with all the items in them. 0 judges nothing.
    ///
    /// Without it, and without [`folds`](Self::folds), a linear model is judged in five folds up to 500,000 items or
    /// answers. For more, for a network, or where something is chosen, a fifth is held out, or what 100,000 are of the
    /// items or answers, whichever are fewer.
    #[must_use]
    pub fn hold_out(self, share: impl Into<Option<f64>>) -> Self {
        Self { hold_out: share.into(), ..self }
    }

    /// Judges by so many models, each of which leaves out a part of the items; the classifier itself is trained on
    /// all answers. It takes as many more trainings.
    #[must_use]
    pub fn folds(self, folds: impl Into<Option<usize>>) -> Self {
        Self { folds: folds.into(), ..self }
    }

    /// Moves the threshold so that a precision, a recall or a small cost is had on new items. Where no threshold is sure
    /// to give it, the classifier keeps its own, and a warning says so.
    #[must_use]
    pub fn threshold_for(self, wish: impl Into<Option<Wish>>) -> Self {
        Self { threshold_for: wish.into(), ..self }
    }

    /// Fits the map from scores to probabilities to the held-out comparisons.
    #[must_use]
    pub fn calibrate(self, calibrate: bool) -> Self {
        Self { calibrate, ..self }
    }

    /// Trains again at five priors, to show how much depends on the prior.
    #[must_use]
    pub fn sensitivity(self, sensitivity: bool) -> Self {
        Self { sensitivity, ..self }
    }

    /// Looks at what the answers are like, for a report.
    #[must_use]
    pub fn diagnose(self, diagnose: bool) -> Self {
        Self { diagnose, ..self }
    }

    /// Looks after some of the epochs how good the classifier is by the held-out comparisons.
    #[must_use]
    pub fn watch(self, watch: bool) -> Self {
        Self { watch, ..self }
    }

    /// Whether the questions of [`fit_questions`](crate::fit_questions) are the classes of one thing: each item is exactly
    /// one of them. Then their probabilities sum to one.
    #[must_use]
    pub fn classes(self, classes: bool) -> Self {
        Self { classes, ..self }
    }

    /// Decides everything random.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// What the features are called.
    #[must_use]
    pub fn features(self, features: Features) -> Self {
        Self { features: Some(features), ..self }
    }

    /// In how many folds of the items the classifier is judged; none where some are held out instead.
    ///
    /// `independent` is the number of answers, or of items in them if that is less.
    pub(super) fn judged_in_folds(&self, independent: usize, labels_train: bool) -> Option<usize> {
        // Labels that train can judge only where folds leave them out in turns.
        let few = labels_train || HOLD_OUT * independent as f64 <= ENOUGH_TO_JUDGE_BY;
        // A choice that has seen every fold cannot be judged by them.
        let cheap = self.model == ModelKind::Linear && !self.select && self.hold_out.is_none();
        self.folds.or((cheap && few).then_some(FOLDS))
    }

    /// The share of the answers that is held out.
    pub(super) fn held_out_share(&self, independent: usize) -> f64 {
        let enough = ENOUGH_TO_JUDGE_BY / independent.max(1) as f64;
        self.hold_out.unwrap_or(HOLD_OUT.min(enough))
    }

    /// How images are moved, if they are to be and rows of `width` features are images.
    pub(super) fn moves(&self, width: usize) -> Option<ImageMoves> {
        let image = self.image.or(square_image(width))?;
        self.move_images.map(|pixels| ImageMoves { image, pixels })
    }

    /// Refuses what no training would notice, or not soon.
    pub(super) fn check(&self, width: usize) -> Result<(), Error> {
        let not = |name, value: String, allowed| Err(Error::Setting { name, value, allowed });
        if let Some(share) = self.hold_out.filter(|share| !(0.0..1.0).contains(share)) {
            return not("the held-out share", share.to_string(), "at least 0 and below 1");
        }
        if let Some(folds) = self.folds.filter(|folds| !(2..=MOST_FOLDS).contains(folds)) {
            return not("the number of folds", folds.to_string(), "from 2 to 20");
        }
        if let Some(folds) = self.folds.filter(|_| self.hold_out.is_some() || self.select) {
            let besides = if self.select { "a choice of the method" } else { "a held-out share" };
            return not("the number of folds", format!("{folds} beside {besides}"), "given without either");
        }
        if let Some(wish) = self.threshold_for.filter(|_| self.sensitivity) {
            // Other priors have thresholds of their own, so what changes would be the wish.
            let value = format!("{wish} beside training at other priors");
            return not("the wish for a threshold", value, "given without it");
        }
        if self.move_images.is_some() {
            if self.model == ModelKind::Linear {
                return not("moving images", "asked of a linear model".into(), "for networks only");
            }
            self.moves(width)
                .ok_or(Error::NotImages { image: None, features: width })?
                .check(width)?;
        }
        if let Some(hidden) = self.hidden.as_ref().filter(|_| self.model != ModelKind::Mlp) {
            let value = format!("{hidden:?} for {}", self.model);
            return not("the hidden layers", value, "given for an mlp only");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_judge_a_linear_model_unless_a_small_part_is_enough() {
        let linear = FitOptions::new();
        assert_eq!(linear.judged_in_folds(500_000, false), Some(5));
        assert_eq!(linear.judged_in_folds(500_001, false), None);
        // Only folds can leave a label out of the training and judge by it.
        assert_eq!(linear.judged_in_folds(5_000_000, true), Some(5));
        assert_eq!(linear.folds(3).judged_in_folds(5_000_000, false), Some(3));
    }

    #[test]
    fn a_fifth_is_held_out_but_no_more_than_is_enough() {
        let options = FitOptions::new().model(ModelKind::Mlp);
        assert_eq!(options.judged_in_folds(300, false), None);
        assert_eq!(options.held_out_share(300), 0.2);
        assert_eq!(options.held_out_share(5_000_000), 0.02);
        assert_eq!(options.hold_out(0.1).held_out_share(5_000_000), 0.1);
    }
}
