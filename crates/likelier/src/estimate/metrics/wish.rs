//! The threshold for a wanted precision, recall or cost, and what it gives without a label.
//!
//! Whoever tries many thresholds and keeps the best one flatters it, if each has an interval of its own. So the
//! intervals of all thresholds that are tried hold *together*: with K of them each is drawn at the level 1 − α/K
//! (Bonferroni). Then the one that is picked has an interval that holds, whatever the rule of the picking.
//! Neighbouring thresholds agree on most items, but over all of them the largest error is nearly as large as K
//! independent ones would make it (1 − α/K asks for 3.2 standard errors at K = 32, all thresholds between the
//! shares 0.05 and 0.95 for 3.15: Miller and Siegmund, 1982).

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

use super::held_out::HeldOut;
use super::ranges::{Range, RangesAt};
use super::{Affine, Assumptions, Metric, MetricOptions, Spread, at_threshold, ratio_at_threshold};
use crate::data::Pile;
use crate::error::Error;
use crate::prior::Prior;
use crate::protocol::{Collection, Mixture};

/// What a threshold is wanted for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wish {
    /// At least this share of what is called positive is to be positive; the more positives are found, the better.
    Precision(f64),
    /// At least this share of the positives is to be called positive; the fewer other items are, the better.
    Recall(f64),
    /// The mean cost of a row is to be small.
    Cost {
        /// What a negative that is called positive costs.
        false_positive: f64,
        /// What a positive that is called negative costs.
        false_negative: f64,
    },
}

impl fmt::Display for Wish {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Precision(wanted) => write!(f, "precision={wanted}"),
            Self::Recall(wanted) => write!(f, "recall={wanted}"),
            Self::Cost { false_positive, false_negative } => {
                write!(f, "cost={false_positive}:{false_negative}")
            }
        }
    }
}

impl Serialize for Wish {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl FromStr for Wish {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let not = |allowed| Error::Setting {
            name: "the wish for a threshold",
            value: format!("'{text}'"),
            allowed,
        };
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
        let share = |text: &str| number(text).filter(|share| *share > 0.0 && *share < 1.0);
        let between = "a share strictly between 0 and 1, such as precision=0.9";
        match text.split_once('=') {
            Some(("precision", wanted)) => share(wanted).map(Self::Precision).ok_or_else(|| not(between)),
            Some(("recall", wanted)) => share(wanted).map(Self::Recall).ok_or_else(|| not(between)),
            Some(("cost", costs)) => {
                let costs = costs.split_once(':').and_then(|(one, two)| Some((number(one)?, number(two)?)));
                match costs {
                    Some((false_positive, false_negative))
                        if false_positive > 0.0 && false_negative > 0.0 =>
                    {
                        Ok(Self::Cost { false_positive, false_negative })
                    }
                    _ => Err(not(
                        "two costs above 0, of a false positive and of a false negative, such as cost=1:5",
                    )),
                }
            }
            _ => Err(not("precision=SHARE, recall=SHARE or cost=FALSE-POSITIVE:FALSE-NEGATIVE")),
        }
    }
}

impl Wish {
    /// What is wanted, from the shares of positives and negatives called positive.
    fn value(self, rates: [f64; 2], prior: Prior) -> f64 {
        match self {
            Self::Precision(_) => Metric::Precision.value(rates, prior),
            Self::Recall(_) => Metric::TruePositiveRate.value(rates, prior),
            Self::Cost { false_positive, false_negative } => {
                false_positive * prior.negative() * rates[1]
                    + false_negative * prior.positive() * (1.0 - rates[0])
            }
        }
    }

    /// The mean cost of a row as a function of A₊ and A₋.
    fn cost(costs: [f64; 2], mixture: &Mixture, prior: Prior) -> Affine {
        let [positive, negative] = mixture.inverse().map(Affine::linear);
        let missed = costs[1] * prior.positive();
        negative.times(costs[0] * prior.negative()).less(missed, &positive).plus(missed)
    }

    /// What the better of calling everything positive and calling everything negative costs.
    fn constant(self, prior: Prior) -> Option<f64> {
        match self {
            Self::Cost { false_positive, false_negative } => {
                Some((false_positive * prior.negative()).min(false_negative * prior.positive()))
            }
            _ => None,
        }
    }
}

/// A threshold that was picked, and what it gives. All ranges hold for every threshold that was tried at once.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ThresholdChoice {
    /// What was wanted.
    pub wish: Wish,
    /// Scores above it are called positive.
    pub threshold: f32,
    /// Whether what was wanted is there even at the worst end of the range, sampling error included. For a cost:
    /// whether it is below that of calling everything alike.
    pub met: bool,
    /// How many thresholds were tried.
    pub tried: usize,
    /// What was wanted: the precision, the recall or the mean cost of a row. Both ends are one where equals are ordered
    /// by a coin, as in all ranges here.
    pub value: Range,
    /// The share of positives among what is called positive; none where it cannot be told.
    pub precision: Option<Range>,
    /// The share of positives called positive.
    pub recall: Range,
    /// The share of the population called positive.
    pub called_positive: Range,
    /// For a cost: what calling everything alike costs.
    pub constant_cost: Option<f64>,
}

/// Thresholds that are tried, at the most.
const TRIED: usize = 32;
/// Fewer items called alike than this say nothing.
const FEWEST_CALLS: usize = 10;

/// The thresholds to choose from: some that part the items that count into equal shares, each with enough items on
/// either side; highest first.
pub(crate) fn thresholds(held_out: &HeldOut<'_>) -> Vec<f32> {
    let item = |pile: usize, at: usize| match held_out.comparisons() {
        Some(comparisons) => comparisons.piles().rows(Pile::BOTH[pile])[at],
        // Nothing is known of items, so each score is one.
        None => (2 * at + pile) as u32,
    };
    let mut all: Vec<(f32, u32)> =
        held_out.iter().map(|(pile, at, score)| (score, item(pile, at))).collect();
    all.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    // One entry for an item: many comparisons of one item are one call.
    let mut seen = std::collections::HashSet::new();
    all.retain(|(_, item)| seen.insert(*item));
    let mut found: Vec<f32> = (0..TRIED)
        .filter_map(|cut| {
            let above = (2 * cut + 1) * all.len() / (2 * TRIED);
            let last = all.get(above.checked_sub(1)?)?.0;
            let above = all.partition_point(|(score, _)| *score >= last);
            let next = all.get(above)?.0;
            let enough = above >= FEWEST_CALLS && all.len() - above >= FEWEST_CALLS;
            let middle = next + 0.5 * (last - next);
            enough.then_some(if middle < last { middle } else { next })
        })
        .collect();
    found.dedup();
    found
}

/// The level at which each of `count` intervals must be drawn so that all hold together at `level`.
pub(crate) fn together(level: f64, count: usize) -> f64 {
    1.0 - (1.0 - level) / count.max(1) as f64
}

/// Picks from thresholds; none where there are none. `judging` is stretched to the level of
/// [`together`]; `open` is how pairs were
/// collected and the largest error of the labellers, where equals may have been ordered by degree.
pub(crate) fn pick(
    wish: Wish,
    thresholds: &[f32],
    held_out: &HeldOut<'_>,
    assumptions: &Assumptions,
    open: Option<(Collection, f64)>,
    judging: &MetricOptions,
) -> Result<Option<ThresholdChoice>, Error> {
    let ranges = open
        .map(|(collection, error)| RangesAt::new(held_out, assumptions, collection, error, judging))
        .transpose()?;
    let constant_cost = wish.constant(assumptions.prior());
    let mut tried = Vec::with_capacity(thresholds.len());
    for &threshold in thresholds {
        let at = MetricOptions { threshold, ..*judging };
        let found = match &ranges {
            Some(ranges) => {
                let at = ranges.at(threshold);
                let of = |metric: Metric| at.range(|rates, prior| metric.value(rates, prior));
                let value = at.range(|rates, prior| wish.value(rates, prior));
                Some((
                    value,
                    Some(of(Metric::Precision)),
                    of(Metric::TruePositiveRate),
                    of(Metric::CalledPositive),
                ))
            }
            None => points(wish, held_out, assumptions, &at)?,
        };
        let Some((value, precision, recall, called_positive)) = found else { continue };
        let met = match wish {
            Wish::Precision(wanted) | Wish::Recall(wanted) => value.low_end.low >= wanted,
            Wish::Cost { .. } => constant_cost.is_some_and(|constant| value.high_end.high < constant),
        };
        tried.push(ThresholdChoice {
            wish,
            threshold,
            met,
            tried: thresholds.len(),
            value,
            precision,
            recall,
            called_positive,
            constant_cost,
        });
    }
    let mut sure = tried.iter().filter(|choice| choice.met);
    let surest = || {
        let low = |choice: &&ThresholdChoice| choice.value.low_end.low;
        tried.iter().max_by(|one, two| low(one).total_cmp(&low(two)))
    };
    // Thresholds fall along the list.
    Ok(match wish {
        Wish::Precision(_) => sure.next_back().or_else(surest),
        Wish::Recall(_) => sure.next().or_else(surest),
        Wish::Cost { .. } => {
            let worst = |choice: &&ThresholdChoice| choice.value.high_end.value;
            tried.iter().min_by(|one, two| worst(one).total_cmp(&worst(two)))
        }
    }
    .copied())
}

type Found = (Range, Option<Range>, Range, Range);

/// If equals were ordered by a coin; none where the precision is wanted and cannot be told.
fn points(
    wish: Wish,
    held_out: &HeldOut<'_>,
    assumptions: &Assumptions,
    judging: &MetricOptions,
) -> Result<Option<Found>, Error> {
    let confidence = judging.confidence()?;
    let shares = Spread::of(held_out, |_, _, score| f64::from(u8::from(score > judging.threshold)));
    let affine = |metric| Range::point(at_threshold(metric, &shares, assumptions, confidence));
    let precision =
        ratio_at_threshold(Metric::Precision, &shares, assumptions, confidence).map(Range::point);
    let recall = affine(Metric::TruePositiveRate);
    let value = match wish {
        Wish::Precision(_) => precision,
        Wish::Recall(_) => Some(recall),
        Wish::Cost { false_positive, false_negative } => Some(Range::point(assumptions.affine(
            &shares,
            &shares.smoothed(),
            |mixture, prior| Wish::cost([false_positive, false_negative], mixture, prior),
            confidence,
        ))),
    };
    Ok(value.map(|value| (value, precision, recall, affine(Metric::CalledPositive))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::distribution::two_sided;
    use crate::protocol::Protocol;
    use crate::random::{Purpose, Rng, stream, unit};

    #[test]
    fn wishes_are_read_and_others_are_refused_in_words() {
        for text in ["precision=0.9", "recall=0.75", "cost=1:5", "cost=2.5:0.1"] {
            assert_eq!(text.parse::<Wish>().unwrap().to_string(), text);
        }
        let message = |text: &str| text.parse::<Wish>().unwrap_err().to_string();
        assert!(message("precision=1.2").contains("'precision=1.2'"), "{}", message("precision=1.2"));
        for (text, part) in [
            ("precision=90", "between 0 and 1"),
            ("recall=", "between 0 and 1"),
            ("cost=5", "two costs above 0"),
            ("cost=0:1", "two costs above 0"),
            ("cost=1:inf", "two costs above 0"),
            ("accuracy=0.9", "precision=SHARE"),
            ("precision", "precision=SHARE"),
        ] {
            assert!(message(text).contains(part), "{text}: {}", message(text));
        }
    }

    /// Scores are logistic, around `apart` for positives and −`apart` for negatives.
    struct Population {
        prior: f64,
        apart: f64,
        /// Equals are ordered by their scores this steeply; 0 is a coin.
        grading: f64,
        error: f64,
    }

    impl Population {
        fn pairs(&self, count: usize, rng: &mut impl Rng) -> [Vec<f32>; 2] {
            let mut piles = [Vec::new(), Vec::new()];
            for _ in 0..count {
                let items = [0, 1].map(|_| {
                    let positive = unit(rng) < self.prior;
                    let share = unit(rng).clamp(1e-9, 1.0 - 1e-9);
                    let centre = if positive { self.apart } else { -self.apart };
                    (positive, centre + (share / (1.0 - share)).ln())
                });
                let [(one, first), (two, second)] = items;
                let ahead = if one == two {
                    1.0 / (1.0 + (self.grading * (second - first)).exp())
                } else if one {
                    1.0 - self.error
                } else {
                    self.error
                };
                let (likelier, other) = if unit(rng) < ahead { (first, second) } else { (second, first) };
                piles[0].push(likelier as f32);
                piles[1].push(other as f32);
            }
            piles
        }

        fn rates(&self, threshold: f32) -> [f64; 2] {
            [self.apart, -self.apart].map(|centre| 1.0 / (1.0 + (f64::from(threshold) - centre).exp()))
        }
    }

    /// In how many of so many repetitions the ranges of the wish, of precision and of recall all hold at the threshold
    /// that was picked, in how many the wish was met, and in how many of these it truly is.
    fn held(
        population: &Population,
        wish: Wish,
        open: Option<f64>,
        pairs: usize,
        times: u64,
    ) -> [usize; 4] {
        let prior = Prior::new(population.prior).unwrap();
        let stated = if open.is_some() { 0.0 } else { population.error };
        let protocol = Protocol::new(Collection::ForcedChoice, stated).unwrap();
        let assumptions = Assumptions::of_protocol(protocol, prior).unwrap();
        let mut counts = [0; 4];
        for seed in 0..times {
            let scores = population.pairs(pairs, &mut stream(seed, Purpose::Comparisons));
            let held_out = HeldOut::pairs(&scores[0], &scores[1]).unwrap();
            let tried = thresholds(&held_out);
            assert_eq!(tried.len(), TRIED);
            let stretch = two_sided(together(0.95, TRIED)) / two_sided(0.95);
            let judge = |stretch| {
                let judging = MetricOptions { stretch, ..MetricOptions::default() };
                let open = open.map(|error| (Collection::ForcedChoice, error));
                pick(wish, &tried, &held_out, &assumptions, open, &judging).unwrap().unwrap()
            };
            let choice = judge(stretch);
            let rates = population.rates(choice.threshold);
            let truth = wish.value(rates, prior);
            counts[0] += usize::from(
                choice.value.holds(truth)
                    && choice.precision.unwrap().holds(Metric::Precision.value(rates, prior))
                    && choice.recall.holds(rates[0]),
            );
            let flattered = judge(1.0);
            let rates = population.rates(flattered.threshold);
            counts[1] += usize::from(flattered.value.holds(wish.value(rates, prior)));
            counts[2] += usize::from(choice.met);
            counts[3] += usize::from(
                choice.met
                    && match wish {
                        Wish::Precision(wanted) | Wish::Recall(wanted) => truth >= wanted,
                        Wish::Cost { .. } => choice.constant_cost.unwrap() > truth,
                    },
            );
        }
        counts
    }

    const TIMES: u64 = 200;

    #[test]
    fn what_is_said_of_the_picked_threshold_holds_although_it_was_picked() {
        let population = Population { prior: 0.4, apart: 1.4, grading: 0.0, error: 0.1 };
        let cost = Wish::Cost { false_positive: 1.0, false_negative: 2.0 };
        for wish in [Wish::Precision(0.8), Wish::Precision(0.97), Wish::Recall(0.9), cost] {
            let [all, plain, met, truly] = held(&population, wish, None, 600, TIMES);
            assert!(all >= 186, "{wish}: the ranges of {all} of {TIMES} hold");
            assert!(plain < all, "{wish}: {plain} without allowing for the choice, {all} with it");
            assert!(truly + 3 >= met, "{wish}: promised {met} times, kept {truly} times");
        }
    }

    #[test]
    fn ranges_hold_where_equals_are_ordered_by_degree() {
        for (grading, wish) in
            [(0.0, Wish::Precision(0.6)), (2.0, Wish::Precision(0.6)), (2.0, Wish::Recall(0.8))]
        {
            let population = Population { prior: 0.5, apart: 2.0, grading, error: 0.02 };
            let [all, _, met, truly] = held(&population, wish, Some(0.02), 1000, 100);
            assert!(all >= 98 && truly + 1 >= met, "{wish}: {all} hold, met {met}, truly {truly}");
        }
    }

    #[test]
    fn a_wish_is_met_with_the_best_of_what_is_not_wished_and_else_the_surest_is_shown() {
        let population = Population { prior: 0.5, apart: 3.5, grading: 0.0, error: 0.0 };
        let scores = population.pairs(4000, &mut stream(1, Purpose::Comparisons));
        let held_out = HeldOut::pairs(&scores[0], &scores[1]).unwrap();
        let half = Prior::new(0.5).unwrap();
        let assumptions = Assumptions::of_protocol(Protocol::FORCED_CHOICE, half).unwrap();
        let tried = thresholds(&held_out);
        assert!(tried.is_sorted_by(|one, two| one > two));
        let find = |wish| {
            pick(wish, &tried, &held_out, &assumptions, None, &MetricOptions::default())
                .unwrap()
                .unwrap()
        };
        let (loose, strict) = (find(Wish::Precision(0.7)), find(Wish::Precision(0.93)));
        assert!(loose.met && strict.met && loose.threshold < strict.threshold);
        assert!(loose.recall.low_end.value > strict.recall.low_end.value);
        let (all, most) = (find(Wish::Recall(0.99)), find(Wish::Recall(0.8)));
        assert!(most.met && all.threshold < most.threshold);
        let never = find(Wish::Precision(0.999_999));
        assert!(!never.met && never.value.low_end.low > 0.9, "{never:?}");
        let dear = |false_positive, false_negative| {
            let found = find(Wish::Cost { false_positive, false_negative });
            assert!(found.met && found.constant_cost.unwrap() > found.value.high_end.value);
            found.threshold
        };
        assert!(dear(10.0, 1.0) > dear(1.0, 1.0) && dear(1.0, 1.0) > dear(1.0, 10.0));
    }

    #[test]
    fn where_scores_hardly_differ_there_is_nothing_to_pick_from() {
        let few = [0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
        let held_out = HeldOut::pairs(&few, &few).unwrap();
        assert!(thresholds(&held_out).is_empty(), "two items below are too few");
        let assumptions =
            Assumptions::of_protocol(Protocol::FORCED_CHOICE, Prior::new(0.5).unwrap()).unwrap();
        let found = pick(Wish::Recall(0.5), &[], &held_out, &assumptions, None, &MetricOptions::default());
        assert_eq!(found.unwrap(), None);
    }
}
