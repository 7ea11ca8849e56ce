//! How good a classifier is, by comparisons between items that it was not trained on.

use serde::Serialize;

use super::{BelievedPrior, LEVEL};
use crate::data::{Answers, Comparisons, Pile, Rows};
use crate::error::Error;
use crate::estimate::calibration::{Calibration, CalibrationBin, calibrate, calibration_curve};
use crate::estimate::diagnosis::FoundGroups;
use crate::estimate::distribution::{student_t, two_sided};
use crate::estimate::metrics::{
    Assumptions, HeldOut, MetricOptions, MetricRanges, Metrics, RocPoint, ThresholdChoice, Wish,
    check_error, metrics, pick, ranges, roc, thresholds, together,
};
use crate::estimate::{FEWEST, HeldOutScores, ProtocolTest};
use crate::model::{Classifier, ProbabilityMap};
use crate::protocol::{Collection, Protocol};
use crate::supervision::{ERROR_AT_MOST, Equals, Supervision};
use crate::warning::Warning;

/// What a judgement without labels stands on: the share of positives, and what is believed of the labellers.
#[derive(Clone, Copy, Debug)]
pub struct Grounds {
    assumptions: Assumptions,
    protocol: Protocol,
    equals: Equals,
    error_at_most: f64,
    exact_counts: bool,
    /// How many thresholds the one that is judged was picked from.
    tried: usize,
}

impl Grounds {
    /// A protocol and a prior, and labellers of whom nothing else is known.
    pub fn new(protocol: Protocol, prior: &BelievedPrior) -> Result<Self, Error> {
        let stated = protocol.labeller_error();
        Ok(Self {
            assumptions: prior.assumptions(protocol)?,
            protocol,
            equals: Equals::Unknown,
            error_at_most: if stated > 0.0 { stated } else { ERROR_AT_MOST },
            exact_counts: false,
            tried: 1,
        })
    }

    /// The same for what is stated with the answers.
    pub(super) fn of(
        supervision: &Supervision,
        protocol: Protocol,
        prior: &BelievedPrior,
    ) -> Result<Self, Error> {
        Ok(Self::new(protocol, prior)?
            .equals(supervision.stated_equals())
            .error_at_most(supervision.stated_error_at_most())?
            .exact_counts(supervision.has_exact_counts()))
    }

    /// States how labellers ordered two items of one class.
    #[must_use]
    pub fn equals(self, equals: Equals) -> Self {
        Self { equals, ..self }
    }

    /// States the largest share of mixed pairs that labellers may have got wrong: below 0.5, or answers say nothing.
    pub fn error_at_most(self, error_at_most: impl Into<Option<f64>>) -> Result<Self, Error> {
        let error_at_most = error_at_most.into().unwrap_or(self.error_at_most);
        check_error(error_at_most)?;
        Ok(Self { error_at_most, ..self })
    }

    /// States that pairs were generated with fixed class counts.
    #[must_use]
    pub fn exact_counts(self, exact_counts: bool) -> Self {
        Self { exact_counts, ..self }
    }

    /// States that the threshold was picked from so many by the same comparisons: intervals are then those that hold
    /// for all of them together.
    #[must_use]
    pub(super) fn picked_from(self, tried: usize) -> Self {
        Self { tried, ..self }
    }

    /// What follows about the piles.
    pub fn assumptions(&self) -> &Assumptions {
        &self.assumptions
    }

    /// How pairs were collected and how often labellers may err, where equals may have been ordered by degree.
    pub fn open(&self) -> Option<(Collection, f64)> {
        (self.equals != Equals::Coin).then(|| (self.protocol.collection(), self.error_at_most))
    }

    /// How labellers ordered two items of one class.
    pub fn stated_equals(&self) -> Equals {
        self.equals
    }

    /// How pairs were collected.
    pub fn protocol(&self) -> Protocol {
        self.protocol
    }
}

/// Fewer items than this, each in several comparisons, say nothing that could be told with an interval.
const FEWEST_ITEMS: usize = 50;

/// Two classes in two piles make four means, each of about a quarter of the items: so few say how well they are known.
const PARTS: usize = 4;

/// The models of folds have fewer comparisons than the classifier itself and are a little worse, by a quarter of a
/// standard error in simulations: intervals are wider by this factor to make up for it
/// (`reproduce/runs/2026-11-17-coverage`).
const TRAINED_ON_LESS: f64 = 1.05;

/// Scores of held-out items in comparisons.
#[derive(Clone, Debug)]
pub(super) struct Scored {
    pub(super) comparisons: Comparisons,
    pub(super) scores: [Vec<f32>; 2],
    /// Which likelier and which other items were held out; all if absent.
    pub(super) counted: Option<[Vec<bool>; 2]>,
    pub(super) by: JudgedBy,
    /// How much of what the models of folds know is true of their own items alone, from 0 to 1.
    pub(super) learnt_by_heart: f64,
}

impl Scored {
    /// Scores that one model gave to comparisons between items that it was not trained on.
    pub(super) fn of(
        classifier: &Classifier,
        rows: &Rows,
        comparisons: Comparisons,
    ) -> Result<Self, Error> {
        let score = |pile| classifier.scores_of(rows, comparisons.piles().rows(pile));
        let scores = [score(Pile::Likelier)?, score(Pile::Other)?];
        Ok(Self { comparisons, scores, counted: None, by: JudgedBy::Given, learnt_by_heart: 0.0 })
    }

    fn held_out(&self) -> Result<HeldOut<'_>, Error> {
        let held_out = HeldOut::pairs(&self.scores[0], &self.scores[1])?.of(&self.comparisons)?;
        match &self.counted {
            Some(counted) => held_out.counting(counted),
            None => Ok(held_out),
        }
    }

    /// How much wider intervals are than the standard errors of fixed scores say. Where items recur it is the number
    /// of items that says how well these are known.
    ///
    /// An item of one fold counts twice: by its own score, and by what it taught the models that score the other
    /// folds. What it taught is either true of all items, and then hardly moves a model that has much of it already;
    /// or it is true of this item alone, and then the second part is as large as the first, and the variance twice
    /// that of fixed scores.
    fn stretch(&self, held_out: &HeldOut<'_>, level: f64) -> Result<f64, Error> {
        let items = held_out.items().filter(|_| held_out.items_repeat());
        if let Some(found) = items.filter(|items| *items < FEWEST_ITEMS) {
            return Err(Error::TooFewItems { found, needed: FEWEST_ITEMS });
        }
        let normal = two_sided(level);
        let few = items.map_or(1.0, |items| student_t(normal, items / PARTS - 1) / normal);
        Ok(match self.by {
            JudgedBy::Folds(_) => few * TRAINED_ON_LESS * (1.0 + self.learnt_by_heart).sqrt(),
            JudgedBy::HeldOut => few,
            JudgedBy::Given => 1.0,
        })
    }

    pub(super) fn judged(&self, threshold: f32, grounds: &Grounds, level: f64) -> Result<Judged, Error> {
        let held_out = self.held_out()?;
        let strict = together(level, grounds.tried);
        let stretch = self.stretch(&held_out, strict)? * two_sided(strict) / two_sided(level);
        let options = MetricOptions { threshold, level, exact_counts: grounds.exact_counts, stretch };
        let metrics = metrics(&held_out, &grounds.assumptions, &options)?;
        let ranges = grounds
            .open()
            .map(|(collection, error)| ranges(&held_out, &grounds.assumptions, collection, error, &options))
            .transpose()?;
        Ok(Judged { items: held_out.items().unwrap_or(0), metrics, ranges })
    }

    /// The threshold for a wish; none where there is none to pick from.
    pub(super) fn threshold_for(
        &self,
        wish: Wish,
        grounds: &Grounds,
        level: f64,
    ) -> Result<Option<ThresholdChoice>, Error> {
        let held_out = self.held_out()?;
        let tried = thresholds(&held_out);
        let strict = together(level, tried.len());
        let stretch = self.stretch(&held_out, strict)? * two_sided(strict) / two_sided(level);
        let options = MetricOptions { level, exact_counts: grounds.exact_counts, stretch, threshold: 0.0 };
        pick(wish, &tried, &held_out, &grounds.assumptions, grounds.open(), &options)
    }
}

/// How good a classifier is, in numbers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Judged {
    /// The number of different items that it was judged by.
    pub items: usize,
    /// If two items of one class were ordered by a coin.
    #[serde(flatten)]
    pub metrics: Metrics,
    /// Whether or not; none where they are known to be.
    pub ranges: Option<MetricRanges>,
}

/// Who scored the items that a classifier is judged by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum JudgedBy {
    /// So many models, each for a part of the items that it was not trained on; the classifier itself was trained on
    /// all.
    Folds(usize),
    /// The classifier itself, which was not trained on these items.
    HeldOut,
    /// The classifier itself; whether it was trained on these items is not known here.
    Given,
}

/// What comparisons that a classifier was not trained on say about it, without a label.
#[derive(Clone, Debug)]
pub struct Assessment {
    pub(super) scored: Scored,
    grounds: Grounds,
    /// Who scored the items.
    pub judged_by: JudgedBy,
    /// How good the classifier is on new items.
    pub new_items: Judged,
    /// How good it is on the items that it was trained on, in comparisons that it was not trained on; none where no
    /// item occurs in several comparisons, or that cannot be told.
    pub these_items: Option<Judged>,
    /// Were pairs dropped? None where there are too few to tell.
    pub protocol_test: Option<ProtocolTest>,
}

impl Assessment {
    /// Judges a classifier by comparisons between these rows.
    pub fn new(
        classifier: &Classifier,
        rows: &Rows,
        comparisons: Comparisons,
        grounds: Grounds,
    ) -> Result<Self, Error> {
        let scored = Scored::of(classifier, rows, comparisons)?;
        Self::of(scored, None, classifier.threshold(), grounds)
    }

    /// Judges scores of all items, of which those above the threshold are called positive, by comparisons
    /// between the items.
    pub fn of_scores(
        scores: &[f32],
        threshold: f32,
        comparisons: Comparisons,
        grounds: Grounds,
    ) -> Result<Self, Error> {
        comparisons.piles().check(scores.len())?;
        let of_pile =
            |pile| comparisons.piles().rows(pile).iter().map(|row| scores[*row as usize]).collect();
        let scores = Pile::BOTH.map(of_pile);
        let scored =
            Scored { comparisons, scores, counted: None, by: JudgedBy::Given, learnt_by_heart: 0.0 };
        Self::of(scored, None, threshold, grounds)
    }

    pub(super) fn of(
        scored: Scored,
        these: Option<&Scored>,
        threshold: f32,
        grounds: Grounds,
    ) -> Result<Self, Error> {
        let judged_by = scored.by;
        let new_items = scored.judged(threshold, &grounds, LEVEL)?;
        // Where the items at hand cannot be judged, new ones still can.
        let these_items = these.and_then(|these| these.judged(threshold, &grounds, LEVEL).ok());
        let whole = scored.whole();
        let protocol_test = if whole.comparisons.answers() < FEWEST {
            None
        } else {
            let [likelier, other] = whole.scores;
            let held_out = HeldOutScores::of_one_model(likelier, other)?.of(&whole.comparisons)?;
            Some(ProtocolTest::new(&held_out, LEVEL)?)
        };
        Ok(Self { scored, grounds, judged_by, new_items, these_items, protocol_test })
    }

    /// The same where pairs were made within groups of the items: those that are noted with the answers, or islands that
    /// no answer joins. Whether pairs were dropped is then tested within groups.
    pub fn within_groups(self, answers: &Answers, items: usize) -> Result<Self, Error> {
        let Some(found) = FoundGroups::find(answers, items) else { return Ok(self) };
        let whole = self.scored.whole();
        if whole.comparisons.answers() < FEWEST {
            return Ok(self);
        }
        let mut of_item = vec![0; items];
        for ((likelier, other), group) in answers.pairs().iter().zip(&found.of) {
            of_item[*likelier as usize] = *group;
            of_item[*other as usize] = *group;
        }
        let of = whole
            .comparisons
            .iter()
            .map(|(likelier, _)| of_item[likelier as usize])
            .collect();
        let [likelier, other] = whole.scores;
        let held_out = HeldOutScores::of_one_model(likelier, other)?
            .of(&whole.comparisons)?
            .grouped(of)?;
        Ok(Self { protocol_test: Some(ProtocolTest::new(&held_out, LEVEL)?), ..self })
    }

    /// The scores of the likelier and of the other items.
    pub fn scores(&self) -> [Vec<f32>; 2] {
        [0, 1].map(|pile| {
            let counts = |at: &usize| self.scored.counted.as_ref().is_none_or(|counted| counted[pile][*at]);
            let scores = &self.scored.scores[pile];
            (0..scores.len()).filter(counts).map(|at| scores[at]).collect()
        })
    }

    /// True and false positive rate at every threshold.
    pub fn roc(&self) -> Result<Vec<RocPoint>, Error> {
        roc(&self.scored.held_out()?, &self.grounds.assumptions, LEVEL)
    }

    /// A map from scores to probabilities.
    pub fn calibration(&self) -> Result<Calibration, Error> {
        Ok(calibrate(&self.scored.held_out()?, &self.grounds.assumptions))
    }

    /// Whether the probabilities of a map are right.
    pub fn calibration_curve(
        &self,
        map: &ProbabilityMap,
        bins: usize,
    ) -> Result<Vec<CalibrationBin>, Error> {
        calibration_curve(&self.scored.held_out()?, &self.grounds.assumptions, map, bins, LEVEL)
    }

    /// The threshold at which a precision, a recall or a small cost is had, with what it gives; none where all scores
    /// are nearly the same or there are too few items. It is judged together with all other thresholds, so
    /// that its intervals hold although it was picked by the same comparisons.
    pub fn threshold_for(&self, wish: Wish) -> Result<Option<ThresholdChoice>, Error> {
        self.scored.threshold_for(wish, &self.grounds, LEVEL)
    }

    /// What it stands on.
    pub fn grounds(&self) -> &Grounds {
        &self.grounds
    }

    /// What speaks against taking the numbers at face value: a protocol that the comparisons contradict;
    /// estimates that cannot be true, say that the classifier is worse than none, or leave open whether it
    /// has learnt anything.
    pub fn warnings(&self) -> Vec<Warning> {
        let stated = &self.grounds.protocol;
        let contradiction = self.protocol_test.as_ref().and_then(|test| test.contradiction(stated));
        let contradicted =
            contradiction.map(|contradiction| Warning::ProtocolContradicted { contradiction });
        contradicted.into_iter().chain(self.doubt()).collect()
    }

    fn doubt(&self) -> Option<Warning> {
        let (metrics, prior) = (&self.new_items.metrics, self.grounds.assumptions.prior());
        let impossible = [
            ("accuracy", metrics.accuracy),
            ("balanced accuracy", metrics.balanced_accuracy),
            ("AUC", metrics.auc),
        ]
        .into_iter()
        .find(|(_, interval)| interval.low > 1.0 || interval.high < 0.0);
        if let Some((metric, estimate)) = impossible
            && self.new_items.ranges.is_none()
        {
            return Some(Warning::ImpossibleEstimate { metric, estimate });
        }
        // What is worse than that at the best is worse.
        let best = self
            .new_items
            .ranges
            .as_ref()
            .map_or(metrics.accuracy, |ranges| ranges.accuracy.high_end);
        if best.high < prior.positive().max(prior.negative()) {
            return Some(Warning::WorseThanConstant { accuracy: best, prior });
        }
        (metrics.auc.low <= 0.5).then_some(Warning::NoBetterThanChance { auc: metrics.auc })
    }
}

impl Scored {
    /// Comparisons of which both items were held out: for what needs both scores.
    fn whole(&self) -> Self {
        let Some(counted) = &self.counted else { return self.clone() };
        let groups = self.comparisons.groups();
        let mut wanted = vec![true; self.comparisons.answers()];
        for at in 0..self.comparisons.len() {
            wanted[groups.of(at)] &= counted[0][at] && counted[1][at];
        }
        let kept: Vec<usize> = (0..self.comparisons.len()).filter(|at| wanted[groups.of(*at)]).collect();
        let scores = self.scores.each_ref().map(|scores| kept.iter().map(|at| scores[*at]).collect());
        Self {
            comparisons: self.comparisons.part(|answer| wanted[answer]),
            scores,
            counted: None,
            by: self.by,
            learnt_by_heart: self.learnt_by_heart,
        }
    }
}
