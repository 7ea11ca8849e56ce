//! Comparisons, and the two piles they fall into.

use super::{Label, Pile, ShownSide};
use crate::error::Error;

/// Comparisons (x, x′) between rows: in each, `likelier[i]` was said to be at least as likely positive
/// as `other[i]`. Each counts as much as its weight says.
///
/// The two halves of a tie come from one answer, and stay together wherever comparisons are parted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparisons {
    likelier: Vec<u32>,
    other: Vec<u32>,
    /// How much each counts; 1 if absent.
    weights: Option<Vec<f32>>,
    /// How much each counts so that together they are like pairs drawn uniformly; as its weight says if absent.
    judging: Option<Vec<f32>>,
    /// The answer that each came from, numbered in order; its own if absent.
    answers: Option<Vec<u32>>,
    /// What else is known of each; nothing if absent.
    told: Option<Vec<Told>>,
}

/// What is known of a comparison beside its order and its weight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Told {
    /// The number of whoever answered.
    pub(crate) by: u32,
    /// Whether it is half of a tie.
    pub(crate) tie: bool,
    /// Where the likelier item stood, where that is known; a tie has none.
    pub(crate) side: Option<ShownSide>,
    /// The true labels of its two items, where they are known.
    pub(crate) known: [Option<Label>; 2],
}

impl Comparisons {
    /// Pairs up two lists of row indices.
    pub fn new(likelier: Vec<u32>, other: Vec<u32>) -> Result<Self, Error> {
        if likelier.len() != other.len() {
            return Err(Error::mismatch("likelier items", likelier.len(), "other items", other.len()));
        }
        Ok(Self { likelier, other, ..Self::default() })
    }

    /// The same comparisons, each counting as much as its weight says: a number from 0 up.
    pub fn weighted(self, weights: Vec<f32>) -> Result<Self, Error> {
        if weights.len() != self.len() {
            return Err(Error::mismatch("weights", weights.len(), "comparisons", self.len()));
        }
        check_weights(&weights)?;
        Ok(Self { weights: Some(weights), ..self })
    }

    /// Lists of one length; answers are numbered from 0 without gaps, in order.
    pub(crate) fn of_answers(
        likelier: Vec<u32>,
        other: Vec<u32>,
        weights: Option<Vec<f32>>,
        answers: Option<Vec<u32>>,
    ) -> Self {
        Self { likelier, other, weights, judging: None, answers, told: None }
    }

    /// The same, each standing for so many pairs of those that could have been asked; none listed if all for as many.
    ///
    /// Those of weights g that stand for r pairs are worth (Σgr)²/Σgr² comparisons: that is what the new weights sum to.
    pub(crate) fn standing_for(self, pairs: &[f64]) -> Self {
        if pairs.windows(2).all(|two| two[0] == two[1]) {
            return self;
        }
        let weight = |at: usize| self.weights.as_ref().map_or(1.0, |weights| f64::from(weights[at]));
        let moment = |power: i32| -> f64 {
            pairs.iter().enumerate().map(|(at, pairs)| weight(at) * pairs.powi(power)).sum()
        };
        let scale = moment(1) / moment(2).max(f64::MIN_POSITIVE);
        let judging = pairs
            .iter()
            .enumerate()
            .map(|(at, pairs)| (weight(at) * pairs * scale) as f32)
            .collect();
        Self { judging: Some(judging), ..self }
    }

    /// The same, knowing more of each: as many notes as comparisons.
    pub(crate) fn with_told(self, told: Option<Vec<Told>>) -> Self {
        Self { told, ..self }
    }

    /// What else is known of each, where something is.
    pub(crate) fn told(&self) -> Option<&[Told]> {
        self.told.as_deref()
    }

    /// The same, knowing the labels of some items: wherever these are compared, and each once more as a comparison
    /// with itself. Labels need not be random, only random within their class: together the labelled positives have
    /// the share `positive` of the weight. Items of one class alone have no such share, and are not added.
    pub(crate) fn with_labels(&self, labels: &[Option<Label>], positive: f64) -> Self {
        let of = |item: u32| labels.get(item as usize).copied().flatten();
        let mut all = self.clone();
        let mut told = all.told.take().unwrap_or_else(|| vec![Told::default(); self.len()]);
        for (told, (likelier, other)) in told.iter_mut().zip(self.iter()) {
            told.known = [of(likelier), of(other)];
        }
        let count = |class: Label| labels.iter().flatten().filter(|label| **label == class).count() as f64;
        let (positives, negatives) = (count(Label::Positive), count(Label::Negative));
        if positives > 0.0 && negatives > 0.0 {
            let weights = all.weights.get_or_insert_with(|| vec![1.0; self.likelier.len()]);
            let mut next = self.answers() as u32;
            for (item, label) in (0_u32..).zip(labels) {
                let Some(label) = *label else { continue };
                let [share, of_class] =
                    if label.is_positive() { [positive, positives] } else { [1.0 - positive, negatives] };
                all.likelier.push(item);
                all.other.push(item);
                // It is on both sides.
                let weight = (0.5 * share * (positives + negatives) / of_class) as f32;
                weights.push(weight);
                if let Some(judging) = &mut all.judging {
                    judging.push(weight);
                }
                told.push(Told { known: [Some(label); 2], ..Told::default() });
                if let Some(answers) = &mut all.answers {
                    answers.push(next);
                    next += 1;
                }
            }
        }
        Self { told: Some(told), ..all }
    }

    /// From the lists that [`parts`](Self::parts) gives.
    #[doc(hidden)]
    pub fn from_parts(
        likelier: Vec<u32>,
        other: Vec<u32>,
        weights: Option<Vec<f32>>,
        answers: Option<Vec<u32>>,
    ) -> Result<Self, Error> {
        let mut all = Self::new(likelier, other)?;
        if let Some(weights) = weights {
            all = all.weighted(weights)?;
        }
        if let Some(answers) = &answers {
            if answers.len() != all.len() {
                return Err(Error::mismatch("answers", answers.len(), "comparisons", all.len()));
            }
            let steps = answers.windows(2).all(|two| two[1] == two[0] || two[1] == two[0] + 1);
            if !steps || answers.first().is_some_and(|first| *first != 0) {
                return Err(Error::Setting {
                    name: "the answers of comparisons",
                    value: "others".into(),
                    allowed: "numbered from 0 without gaps, in order",
                });
            }
        }
        Ok(Self { answers, ..all })
    }

    /// The lists that they are kept in: likelier items, others, weights, and the answer that each came from.
    #[doc(hidden)]
    #[allow(clippy::type_complexity, reason = "four lists")]
    pub fn parts(&self) -> (&[u32], &[u32], Option<&[f32]>, Option<&[u32]>) {
        (&self.likelier, &self.other, self.weights.as_deref(), self.answers.as_deref())
    }

    /// The number of comparisons; a tie is two, of half the weight.
    pub fn len(&self) -> usize {
        self.likelier.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.likelier.is_empty()
    }

    /// The number of answers that they came from.
    pub fn answers(&self) -> usize {
        self.groups().count(self.len())
    }

    /// Which comparisons came from one answer.
    pub(crate) fn groups(&self) -> AnswerGroups<'_> {
        AnswerGroups(self.answers.as_deref())
    }

    /// Each comparison as (likelier, other).
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (u32, u32)> + '_ {
        self.likelier.iter().copied().zip(self.other.iter().copied())
    }

    /// How much each comparison counts, where that differs.
    pub fn weights(&self) -> Option<&[f32]> {
        self.weights.as_deref()
    }

    /// How much each counts where what is asked about is all pairs, asked or not, where that differs.
    pub fn judging_weights(&self) -> Option<&[f32]> {
        self.judging.as_deref().or(self.weights.as_deref())
    }

    /// Whether pairs were not all equally likely to be asked.
    pub(crate) fn were_chosen(&self) -> bool {
        self.judging.is_some()
    }

    /// How many pairs a comparison stands for beside the others: 1 where all were equally likely to be asked.
    pub(crate) fn stands_for(&self, at: usize) -> f64 {
        let of =
            |weights: &Option<Vec<f32>>| weights.as_ref().map_or(1.0, |weights| f64::from(weights[at]));
        if self.were_chosen() { of(&self.judging) / of(&self.weights).max(f64::MIN_POSITIVE) } else { 1.0 }
    }

    /// The two piles, still paired.
    #[doc(hidden)]
    pub fn piles(&self) -> Piles<'_> {
        Piles {
            weights: self.weights.as_deref(),
            judging: self.judging.as_deref(),
            answers: self.groups(),
            told: self.told.as_deref(),
            ..Piles::of(&self.likelier, &self.other, true)
        }
    }

    /// Those whose answer is wanted, in order.
    #[must_use]
    pub fn part(&self, wanted: impl Fn(usize) -> bool) -> Self {
        let groups = self.groups();
        let places: Vec<usize> = (0..self.len()).filter(|at| wanted(groups.of(*at))).collect();
        let rows = |rows: &[u32]| places.iter().map(|at| rows[*at]).collect::<Vec<u32>>();
        let numbers = |numbers: &Option<Vec<f32>>| {
            numbers.as_ref().map(|numbers| places.iter().map(|at| numbers[*at]).collect())
        };
        // Numbered anew without gaps.
        let answers = self.answers.as_ref().map(|answers| {
            let mut next = 0_u32;
            let mut last = None;
            let mut number = |at: &usize| {
                next += u32::from(last.is_some_and(|last| last != answers[*at]));
                last = Some(answers[*at]);
                next
            };
            places.iter().map(&mut number).collect()
        });
        Self {
            likelier: rows(&self.likelier),
            other: rows(&self.other),
            weights: numbers(&self.weights),
            judging: numbers(&self.judging),
            answers,
            told: self.told.as_ref().map(|told| places.iter().map(|at| told[*at]).collect()),
        }
    }
}

impl FromIterator<(u32, u32)> for Comparisons {
    fn from_iter<I: IntoIterator<Item = (u32, u32)>>(pairs: I) -> Self {
        let (likelier, other) = pairs.into_iter().unzip();
        Self { likelier, other, ..Self::default() }
    }
}

/// Which comparisons came from one answer; absent where each has its own.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AnswerGroups<'a>(Option<&'a [u32]>);

impl<'a> AnswerGroups<'a> {
    /// The answer of a comparison.
    pub(crate) fn of(self, at: usize) -> usize {
        self.0.map_or(at, |answers| answers[at] as usize)
    }

    /// How many answers there are behind so many comparisons.
    pub(crate) fn count(self, comparisons: usize) -> usize {
        match self.0 {
            Some(answers) => answers.last().map_or(0, |last| *last as usize + 1),
            None => comparisons,
        }
    }

    /// The answer of each comparison, where it is not its own.
    pub(crate) fn listed(self) -> Option<&'a [u32]> {
        self.0
    }
}

/// Refuses weights that nothing could be learned from.
pub(super) fn check_weights(weights: &[f32]) -> Result<(), Error> {
    let refused =
        |value: String, allowed| Err(Error::Setting { name: "the weight of a comparison", value, allowed });
    if let Some(weight) = weights.iter().find(|weight| !(weight.is_finite() && **weight >= 0.0)) {
        return refused(weight.to_string(), "a number from 0 up");
    }
    if weights.iter().all(|weight| *weight == 0.0) {
        return refused("0 everywhere".into(), "above 0 for at least one");
    }
    Ok(())
}

/// Two loose piles: which rows were observed as likelier, and which as the other, but not which two were
/// compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoosePiles {
    /// Rows observed as likelier.
    pub likelier: Vec<u32>,
    /// The other rows.
    pub other: Vec<u32>,
}

impl LoosePiles {
    /// As training sees them.
    #[doc(hidden)]
    pub fn piles(&self) -> Piles<'_> {
        Piles::loose(&self.likelier, &self.other)
    }
}

/// What training sees: two piles of row indices, paired or loose.
#[derive(Clone, Copy, Debug)]
pub struct Piles<'a> {
    likelier: &'a [u32],
    other: &'a [u32],
    paired: bool,
    weights: Option<&'a [f32]>,
    judging: Option<&'a [f32]>,
    answers: AnswerGroups<'a>,
    told: Option<&'a [Told]>,
}

impl<'a> Piles<'a> {
    /// Two piles whose rows do not belong together one by one; they may differ in size.
    pub fn loose(likelier: &'a [u32], other: &'a [u32]) -> Self {
        Self::of(likelier, other, false)
    }

    /// Two piles, paired or not.
    pub(crate) fn of(likelier: &'a [u32], other: &'a [u32], paired: bool) -> Self {
        let answers = AnswerGroups::default();
        Self { likelier, other, paired, weights: None, judging: None, answers, told: None }
    }

    /// How much each comparison counts, where that differs.
    pub fn weights(&self) -> Option<&'a [f32]> {
        self.weights
    }

    /// How much each counts where the level is held, if that is not what it counts in training: pairs that were chosen
    /// are not like the population.
    pub(crate) fn level_weights(&self) -> Option<&'a [f32]> {
        self.judging
    }

    /// The same, each counting as if pairs had been drawn uniformly.
    pub(crate) fn as_if_drawn(self) -> Self {
        Self { weights: self.judging.or(self.weights), judging: None, ..self }
    }

    /// Which comparisons came from one answer.
    pub(crate) fn groups(&self) -> AnswerGroups<'a> {
        self.answers
    }

    /// What else is known of each comparison, where something is.
    pub(crate) fn told(&self) -> Option<&'a [Told]> {
        self.told
    }

    /// The number of answers behind the comparisons; of loose piles, the rows of the larger one.
    pub(crate) fn answers(&self) -> usize {
        self.answers.count(self.likelier.len().max(self.other.len()))
    }

    /// The rows of one pile.
    pub fn rows(&self, pile: Pile) -> &'a [u32] {
        match pile {
            Pile::Likelier => self.likelier,
            Pile::Other => self.other,
        }
    }

    /// Whether row i of one pile was compared with row i of the other.
    pub fn are_paired(&self) -> bool {
        self.paired
    }

    /// Refuses empty piles and indices past the last of `items` rows.
    pub fn check(&self, items: usize) -> Result<(), Error> {
        for pile in Pile::BOTH {
            let rows = self.rows(pile);
            if rows.is_empty() {
                return Err(Error::EmptyPile { pile });
            }
            let what = if pile == Pile::Likelier { "the likelier pile" } else { "the other pile" };
            check_items(what, rows, items)?;
        }
        Ok(())
    }
}

/// Refuses indices past the last of `items` items.
pub(crate) fn check_items(what: &'static str, indices: &[u32], items: usize) -> Result<(), Error> {
    match indices.iter().find(|&&index| index as usize >= items) {
        Some(&index) => Err(Error::NoSuchItem { what, index, items }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn piles_of_unequal_size_are_not_comparisons() {
        let error = Comparisons::new(vec![1, 2], vec![3]).unwrap_err();
        assert_eq!(error.to_string(), "2 likelier items do not match 1 other items");
    }

    #[test]
    fn weights_are_one_number_from_0_up_for_each_comparison() {
        let two = Comparisons::from_iter([(0, 1), (1, 2)]);
        let weighted = two.clone().weighted(vec![0.5, 0.0]).unwrap();
        assert_eq!(weighted.piles().weights(), Some(&[0.5, 0.0][..]));
        for bad in [&[1.0][..], &[1.0, -1.0], &[f32::NAN, 1.0], &[0.0, 0.0]] {
            assert!(two.clone().weighted(bad.to_vec()).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_part_keeps_the_weights_and_the_halves_of_an_answer_together() {
        let weights = Some(vec![1.0, 0.5, 0.5, 2.0]);
        let (likelier, other) = (vec![0, 2, 3, 4], vec![1, 3, 2, 5]);
        let all = Comparisons::of_answers(likelier, other, weights, Some(vec![0, 1, 1, 2]));
        assert_eq!((all.len(), all.answers()), (4, 3));
        let part = all.part(|answer| answer != 0);
        assert_eq!(part.iter().collect::<Vec<_>>(), [(2, 3), (3, 2), (4, 5)]);
        assert_eq!((part.weights(), part.answers()), (Some(&[0.5, 0.5, 2.0][..]), 2));
        assert_eq!(part.groups().listed(), Some(&[0, 0, 1][..]));
        let none = all.part(|_| false);
        assert_eq!((none.len(), none.answers()), (0, 0));
    }

    #[test]
    fn labels_are_known_where_items_are_compared_and_count_once_more_by_themselves() {
        let two = Comparisons::from_iter([(0, 1), (1, 2)]);
        let labels = [Some(Label::Positive), None, Some(Label::Negative), Some(Label::Negative)];
        let labelled = two.with_labels(&labels, 0.4);
        assert_eq!(labelled.iter().collect::<Vec<_>>(), [(0, 1), (1, 2), (0, 0), (2, 2), (3, 3)]);
        let known = |at: usize| labelled.told.as_ref().unwrap()[at].known;
        assert_eq!(known(0), [Some(Label::Positive), None]);
        assert_eq!(known(1), [None, Some(Label::Negative)]);
        assert_eq!(known(4), [Some(Label::Negative); 2]);
        // Three labels count as three rows, of which 40 % are positive.
        let weights: Vec<f32> = labelled.weights().unwrap()[2..].iter().map(|half| 2.0 * half).collect();
        assert!((weights[0] - 1.2).abs() < 1e-6 && (weights[1] - 0.9).abs() < 1e-6, "{weights:?}");
        assert_eq!(labelled.answers(), 5);
        let one_class = two.with_labels(&labels[..1], 0.4);
        assert_eq!((one_class.len(), one_class.weights()), (2, None));
    }

    #[test]
    fn empty_piles_and_unknown_items_are_refused() {
        let none = Comparisons::default();
        assert!(matches!(none.piles().check(5), Err(Error::EmptyPile { pile: Pile::Likelier })));
        let past = Comparisons::from_iter([(0, 1), (1, 5)]);
        assert!(matches!(
            past.piles().check(5),
            Err(Error::NoSuchItem { what: "the other pile", index: 5, items: 5 })
        ));
        assert!(past.piles().check(6).is_ok());
    }
}
