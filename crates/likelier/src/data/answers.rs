//! What people said: comparisons, and what was noted with each of them.
//!
//! One policy, for training, judging, choosing, and every estimate:
//!
//! - a **tie** ("about the same") is half a comparison each way. Leaving ties out would remove mostly pairs
//!   of one class, and make a classifier look better than it is;
//! - a **weight** counts wherever a comparison does;
//! - the two halves of a tie are one answer: they are held out together, and are one observation;
//! - a **propensity** q says how probable it was to ask this pair. Training takes answers as they are; judging weighs
//!   each by 1/q, so that pairs that were chosen count like pairs drawn uniformly.
//!
//! [`Answers::comparisons`] applies it; everything else works on [`Comparisons`].

use std::str::FromStr;

use super::comparisons::check_weights;
use super::{Comparisons, Questions, Repeats, Texts, Told};
use crate::error::Error;

/// Answers to "which of these two is likelier to be positive?".
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answers {
    pairs: Vec<(u32, u32)>,
    weights: Option<Vec<f32>>,
    ties: Option<Vec<bool>>,
    annotators: Option<Annotators>,
    sides: Option<Vec<Option<ShownSide>>>,
    times: Option<Texts>,
    groups: Option<Box<PairGroups>>,
    questions: Option<Box<Questions>>,
    propensities: Option<Box<[f64]>>,
}

/// Within which group (a topic, a day, a batch) the two items of each answer were chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PairGroups {
    /// The names, in the order in which they first occur. An empty one stands for no group in particular.
    pub names: Texts,
    /// The place in `names` of each answer's group.
    pub of: Vec<u32>,
}

/// Who gave which answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Annotators {
    /// The names, in the order in which they first occur. An empty one stands for nobody in particular.
    pub names: Texts,
    /// The place in `names` of whoever gave each answer.
    pub of: Vec<u32>,
}

/// Where an item stood on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShownSide {
    /// On the left.
    Left,
    /// On the right.
    Right,
}

impl ShownSide {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Left, Self::Right];

    /// The name used in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Right => "right",
        }
    }
}

impl FromStr for ShownSide {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        Error::find_by_name("side", text, &Self::ALL, |side| vec![side.name()])
    }
}

impl FromIterator<(u32, u32)> for Answers {
    /// (likelier, other), by row.
    fn from_iter<I: IntoIterator<Item = (u32, u32)>>(pairs: I) -> Self {
        Self { pairs: pairs.into_iter().collect(), ..Self::default() }
    }
}

impl Answers {
    /// The same answers, each counting as much as its weight says: at least 0, and not all 0.
    pub fn weighted(self, weights: Vec<f32>) -> Result<Self, Error> {
        self.check_length("weights", weights.len())?;
        check_weights(&weights)?;
        Ok(Self { weights: Some(weights), ..self })
    }

    /// The same answers, knowing how probable it was that each pair was the one asked: above 0, at most 1.
    pub fn chosen(self, propensities: Vec<f64>) -> Result<Self, Error> {
        self.check_length("propensities", propensities.len())?;
        match propensities
            .iter()
            .find(|propensity| !(**propensity > 0.0 && **propensity <= 1.0))
        {
            Some(propensity) => Err(Error::Setting {
                name: "the propensity of a comparison",
                value: propensity.to_string(),
                allowed: "above 0, and at most 1",
            }),
            None => Ok(Self { propensities: Some(propensities.into()), ..self }),
        }
    }

    /// The same answers, some of which say that the two items are equally likely. Of a tie, the order of
    /// its two items means nothing.
    pub fn tied(self, ties: Vec<bool>) -> Result<Self, Error> {
        self.check_length("ties", ties.len())?;
        Ok(Self { ties: Some(ties), ..self })
    }

    /// The same answers, knowing who gave them.
    pub fn by(self, annotators: Annotators) -> Result<Self, Error> {
        self.check_length("annotators", annotators.of.len())?;
        check_numbers("the number of an annotator", &annotators.of, annotators.names.len())?;
        Ok(Self { annotators: Some(annotators), ..self })
    }

    /// The same answers, knowing within which group the two items of each were chosen: an item was compared
    /// with items of its own topic, day or batch only.
    pub fn grouped(self, groups: PairGroups) -> Result<Self, Error> {
        self.check_length("groups", groups.of.len())?;
        check_numbers("the number of a group", &groups.of, groups.names.len())?;
        Ok(Self { groups: Some(Box::new(groups)), ..self })
    }

    /// The same answers, knowing which of several questions each is to.
    pub fn asked(self, questions: Questions) -> Result<Self, Error> {
        self.check_length("questions", questions.of.len())?;
        check_numbers("the number of a question", &questions.of, questions.names.len())?;
        Ok(Self { questions: Some(Box::new(questions)), ..self })
    }

    /// The same answers, knowing where the item that was said to be likelier stood; absent for a tie.
    pub fn shown(self, sides: Vec<Option<ShownSide>>) -> Result<Self, Error> {
        self.check_length("sides", sides.len())?;
        Ok(Self { sides: Some(sides), ..self })
    }

    /// The same answers, knowing when each was given, in whatever form that was written down.
    pub fn at(self, times: Texts) -> Result<Self, Error> {
        self.check_length("times", times.len())?;
        Ok(Self { times: Some(times), ..self })
    }

    fn check_length(&self, what: &'static str, count: usize) -> Result<(), Error> {
        if count == self.len() {
            return Ok(());
        }
        Err(Error::mismatch(what, count, "answers", self.len()))
    }

    /// The number of answers.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// The two rows of each answer, the likelier one first.
    pub fn pairs(&self) -> &[(u32, u32)] {
        &self.pairs
    }

    /// How much each counts, where that was noted.
    pub fn weights(&self) -> Option<&[f32]> {
        self.weights.as_deref()
    }

    /// How probable it was to ask each pair, where that was noted.
    pub fn propensities(&self) -> Option<&[f64]> {
        self.propensities.as_deref()
    }

    /// Whether pairs were not all equally likely to be asked.
    pub(crate) fn were_chosen(&self) -> bool {
        let differ = |all: &[f64]| all.windows(2).any(|two| two[0] != two[1]);
        self.propensities().is_some_and(differ)
    }

    /// Whether an answer says that both items are equally likely.
    pub fn is_tie(&self, at: usize) -> bool {
        self.ties.as_ref().is_some_and(|ties| ties[at])
    }

    /// Which answers are ties, where that was noted.
    pub fn ties(&self) -> Option<&[bool]> {
        self.ties.as_deref()
    }

    /// Who answered, where that was noted.
    pub fn annotators(&self) -> Option<&Annotators> {
        self.annotators.as_ref()
    }

    /// Where the likelier item stood, where that was noted.
    pub fn sides(&self) -> Option<&[Option<ShownSide>]> {
        self.sides.as_deref()
    }

    /// When each was given, where that was noted.
    pub fn times(&self) -> Option<&Texts> {
        self.times.as_ref()
    }

    /// Within which group the two items of each were chosen, where that was noted.
    pub fn groups(&self) -> Option<&PairGroups> {
        self.groups.as_deref()
    }

    /// Which question each is to, where that was noted.
    pub fn questions(&self) -> Option<&Questions> {
        self.questions.as_deref()
    }

    /// Some of the answers, with all that was noted beside them.
    #[must_use]
    pub fn part(&self, wanted: impl Fn(usize) -> bool) -> Self {
        let kept: Vec<usize> = (0..self.len()).filter(|at| wanted(*at)).collect();
        let numbered = |names: &Texts, of: &[u32]| renumbered(names, kept.iter().map(|at| of[*at]));
        Self {
            pairs: picked(&self.pairs, &kept),
            weights: self.weights.as_ref().map(|weights| picked(weights, &kept)),
            ties: self.ties.as_ref().map(|ties| picked(ties, &kept)),
            annotators: self.annotators.as_ref().map(|Annotators { names, of }| {
                let (names, of) = numbered(names, of);
                Annotators { names, of }
            }),
            sides: self.sides.as_ref().map(|sides| picked(sides, &kept)),
            times: self.times.as_ref().map(|times| kept.iter().map(|at| times.get(*at)).collect()),
            groups: self.groups.as_deref().map(|PairGroups { names, of }| {
                let (names, of) = numbered(names, of);
                Box::new(PairGroups { names, of })
            }),
            questions: self.questions.as_deref().map(|Questions { names, of }| {
                let (names, of) = numbered(names, of);
                Box::new(Questions { names, of })
            }),
            propensities: self.propensities.as_deref().map(|all| picked(all, &kept).into()),
        }
    }

    /// Pairs that were asked more than once.
    #[doc(hidden)]
    pub fn repeats(&self) -> Repeats {
        Repeats::of(self)
    }

    /// The same answers about other rows: each row takes the place that `place` gives it.
    pub fn moved<E>(&self, place: impl Fn(u32) -> Result<u32, E>) -> Result<Self, E> {
        let moved = |&(likelier, other): &(u32, u32)| Ok((place(likelier)?, place(other)?));
        let pairs = self.pairs.iter().map(moved).collect::<Result<_, E>>()?;
        Ok(Self { pairs, ..self.clone() })
    }

    /// What is learned from, judged by and estimated from: each answer as a comparison, a tie as half a
    /// comparison each way.
    pub fn comparisons(&self) -> Comparisons {
        self.comparisons_of(|_| true)
    }

    /// The same for some of the answers. This is the one place where ties and weights become numbers.
    pub fn comparisons_of(&self, wanted: impl Fn(usize) -> bool) -> Comparisons {
        let weight = |at: usize| self.weights.as_ref().map_or(1.0, |weights| weights[at]);
        let annotators = self.annotators.as_ref().filter(|annotators| annotators.names.len() > 1);
        let has_ties = (0..self.len()).any(|at| self.is_tie(at) && wanted(at));
        // What all answers have in common is not listed: most often that is everything but the pairs.
        let weigh = has_ties || self.weights.is_some();
        let tell = has_ties || annotators.is_some() || self.sides.is_some();
        let (mut likelier, mut other) = (Vec::with_capacity(self.len()), Vec::with_capacity(self.len()));
        let (mut weights, mut answers, mut told, mut inverse) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (number, at) in (0_u32..).zip((0..self.len()).filter(|at| wanted(*at))) {
            let (first, second) = self.pairs[at];
            let halves = if self.is_tie(at) { 2 } else { 1 };
            for (one, two) in [(first, second), (second, first)].into_iter().take(halves) {
                likelier.push(one);
                other.push(two);
                weights.extend(weigh.then(|| weight(at) / halves as f32));
                answers.extend(has_ties.then_some(number));
                inverse.extend(self.propensities.as_ref().map(|propensities| propensities[at].recip()));
                told.extend(tell.then(|| Told {
                    by: annotators.map_or(0, |annotators| annotators.of[at]),
                    tie: halves == 2,
                    side: self.sides.as_ref().and_then(|sides| sides[at]).filter(|_| halves == 1),
                    known: [None; 2],
                }));
            }
        }
        let differ = weights.iter().any(|weight| *weight != 1.0);
        Comparisons::of_answers(likelier, other, differ.then_some(weights), has_ties.then_some(answers))
            .with_told(tell.then_some(told))
            .standing_for(&inverse)
    }
}

/// Those at some places.
fn picked<T: Copy>(all: &[T], kept: &[usize]) -> Vec<T> {
    kept.iter().map(|at| all[*at]).collect()
}

/// Names that still occur, in the order in which they first do, and their numbers.
fn renumbered(names: &Texts, of: impl Iterator<Item = u32>) -> (Texts, Vec<u32>) {
    let mut places: Vec<Option<u32>> = vec![None; names.len()];
    let mut left = Texts::new();
    let of = of.map(|number| {
        *places[number as usize].get_or_insert_with(|| {
            left.push(names.get(number as usize));
            left.len() as u32 - 1
        })
    });
    let of = of.collect();
    (left, of)
}

/// Refuses numbers of names that are not there.
fn check_numbers(name: &'static str, numbers: &[u32], names: usize) -> Result<(), Error> {
    match numbers.iter().find(|number| **number as usize >= names) {
        Some(number) => Err(Error::Setting {
            name,
            value: number.to_string(),
            allowed: "below the number of their names",
        }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tie_is_half_a_comparison_each_way_and_one_answer() {
        let answers = Answers::from_iter([(0, 1), (2, 3), (4, 5)])
            .tied(vec![false, true, false])
            .unwrap()
            .weighted(vec![1.0, 3.0, 2.0])
            .unwrap();
        let comparisons = answers.comparisons();
        assert_eq!(comparisons.iter().collect::<Vec<_>>(), [(0, 1), (2, 3), (3, 2), (4, 5)]);
        assert_eq!(comparisons.weights(), Some(&[1.0, 1.5, 1.5, 2.0][..]));
        assert_eq!((comparisons.len(), comparisons.answers()), (4, 3));
    }

    #[test]
    fn weights_that_are_all_one_are_no_weights() {
        let plain = Answers::from_iter([(0, 1), (2, 3)]);
        let weighted = plain.clone().weighted(vec![1.0, 1.0]).unwrap();
        assert_eq!(weighted.comparisons(), plain.comparisons());
        let untied = plain.clone().tied(vec![false, false]).unwrap();
        assert_eq!(untied.comparisons(), plain.comparisons());
    }

    #[test]
    fn answers_train_as_they_are_and_judge_by_their_propensities() {
        let three = Answers::from_iter([(0, 1), (2, 3), (4, 5)])
            .tied(vec![false, true, false])
            .unwrap();
        let chosen = three.clone().chosen(vec![0.1, 0.2, 0.4]).unwrap().comparisons();
        assert_eq!(chosen.weights(), Some(&[1.0, 0.5, 0.5, 1.0][..]));
        // 10 to 5 to 2.5, the two halves of the tie sharing theirs, and as many in all as they are worth.
        let judging = chosen.judging_weights().unwrap();
        let ratios: Vec<f32> = judging.iter().map(|weight| weight / judging[0]).collect();
        assert_eq!(ratios, [1.0, 0.25, 0.25, 0.25]);
        let worth: f32 = judging.iter().sum();
        assert!(worth > 1.0 && worth < 3.0, "{worth}");
        let part = three.clone().chosen(vec![0.1, 0.2, 0.4]).unwrap().part(|at| at > 0);
        assert_eq!(part.propensities(), Some(&[0.2, 0.4][..]));
        let alike = three.clone().chosen(vec![0.3; 3]).unwrap().comparisons();
        assert_eq!(alike, three.comparisons());
        for bad in [0.0, -0.1, 1.1, f64::NAN] {
            assert!(three.clone().chosen(vec![0.1, bad, 0.1]).is_err(), "{bad}");
        }
        assert!(three.chosen(vec![0.1]).is_err());
    }

    #[test]
    fn notes_must_be_one_for_each_answer() {
        let two = Answers::from_iter([(0, 1), (2, 3)]);
        assert!(two.clone().tied(vec![true]).is_err());
        assert!(two.clone().weighted(vec![0.0, 0.0]).is_err());
        assert!(two.clone().shown(vec![None]).is_err());
        assert!(two.clone().at(Texts::from_iter(["now"])).is_err());
        let topics = |of: Vec<u32>| PairGroups { names: Texts::from_iter(["wine"]), of };
        assert!(two.clone().grouped(topics(vec![0])).is_err());
        assert!(two.clone().grouped(topics(vec![0, 1])).is_err());
        let grouped = two.clone().grouped(topics(vec![0, 0])).unwrap();
        assert_eq!(grouped.groups(), Some(&topics(vec![0, 0])));
        assert_eq!(grouped.comparisons(), two.comparisons());
        let nobody = Annotators { names: Texts::from_iter(["ann"]), of: vec![0, 1] };
        assert!(
            two.by(nobody)
                .unwrap_err()
                .to_string()
                .contains("below the number of their names")
        );
    }
}
