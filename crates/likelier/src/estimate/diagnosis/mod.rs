//! What a list of comparisons looks like before anything is trained: contradictions, repetitions, cycles,
//! coverage, annotators, ties and sides. No scores, no prior; linear time.

mod annotators;
mod copies;
mod cycles;
pub(crate) mod family;
mod findings;
mod groups;
mod pairs;
pub(crate) mod remark;
pub(crate) mod scored;
mod sides;
mod times;
mod triples;
mod words;

use serde::Serialize;

pub(crate) use annotators::BesideOthers;
pub use annotators::{Annotator, AnnotatorReport};
#[cfg(feature = "engine")]
pub(crate) use findings::findings;
pub use findings::{Finding, Headline, Severity};
pub use scored::Explained;

use super::Interval;
use super::components::Components;
use super::distribution::{check_level, share_interval};
use super::labeller::AskedAgain;
use crate::data::{Answers, Comparisons};
use crate::error::Error;
use annotators::{Shared, less_reliable};
use copies::Copies;
use cycles::knots;
use family::{Suspicion, convicted, worst};
pub(crate) use groups::FoundGroups;
use pairs::{PairMean, Pairs};
use remark::Remark;
use sides::Sides;
use times::Times;
use triples::Triples;

/// What the comparisons look like.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Diagnosis {
    /// Items, compared or not.
    pub items: usize,
    /// Comparisons, ties included.
    pub comparisons: usize,
    /// Comparisons of an item with itself.
    pub with_itself: usize,
    /// Different pairs of items.
    pub pairs: usize,
    /// Pairs that were compared more than once.
    pub repeated_pairs: usize,
    /// Pairs that were recorded in both orders, ties apart.
    pub contradicted_pairs: usize,
    /// Answers to the same pair against each other, ties apart.
    pub asked_again: AskedAgain,
    /// Groups of items that are likelier than each other in a circle, ties apart.
    pub knots: usize,
    /// Items in the largest of them; 0 if there is none.
    pub largest_knot: usize,
    /// Items that were never compared.
    pub never_compared: usize,
    /// Groups of compared items that no comparison joins.
    pub islands: usize,
    /// Items in the largest of these.
    pub largest_island: usize,
    /// The share of ties, where ties were recorded.
    pub ties: Option<Interval>,
    /// How often the item on the left was picked, where sides were recorded; ties apart.
    pub picked_left: Option<Interval>,
    /// Each annotator, where annotators were recorded.
    pub annotators: Option<AnnotatorReport>,
    /// How often two answers to one pair agree, copies apart: of different people, where people are known.
    pub agreement: Option<Interval>,
    /// The share of triples that run in a circle, where enough were compared with each other.
    pub cyclic_triples: Option<Interval>,
    /// Groups that the pairs come in; 0 where they come in none.
    pub groups: usize,
    /// Answers that are copies of others.
    pub copied: usize,
    /// The same, as if all pairs had been equally likely to be asked; `None` if they were.
    #[serde(skip)]
    as_if_drawn: Option<AskedAgain>,
    #[serde(skip)]
    found_groups: Option<FoundGroups>,
    #[serde(skip)]
    has_times: bool,
    /// An example of a time that cannot be read, if they cannot.
    #[serde(skip)]
    unread_time: Option<String>,
    #[serde(skip)]
    agreeing: PairMean,
    #[serde(skip)]
    triples: Option<Triples>,
    #[serde(skip)]
    suspicions: Vec<Suspicion>,
    /// Annotators who pick by the side: the others are not held against them.
    #[serde(skip)]
    leaning: Vec<bool>,
    /// How reliable annotators are beside each other, by the pairs they share.
    #[serde(skip)]
    beside: Vec<BesideOthers>,
}

impl Diagnosis {
    /// Looks through the answers about `items` items; `level` is that of the intervals.
    pub fn new(answers: &Answers, items: usize, level: f64) -> Result<Self, Error> {
        check_level(level)?;
        let all: Comparisons = answers.pairs().iter().copied().collect();
        all.piles().check(items)?;
        let is_tie = |at: usize| answers.is_tie(at);
        let decided = || (0..answers.len()).filter(|at| !is_tie(*at));

        let pairs = Pairs::new(answers.pairs(), items);
        let copies = Copies::find(answers, &pairs);
        let wanted = |at: usize| !copies.copied[at];
        let (mut contradicted, mut repeated) = (0, 0);
        for given in pairs.iter() {
            repeated += usize::from(given.len() > 1);
            let said = |forward: bool| given.iter().any(|one| one.forward == forward && !is_tie(one.at));
            contradicted += usize::from(said(true) && said(false));
        }

        let edges: Vec<(u32, u32)> = decided().map(|at| answers.pairs()[at]).collect();
        let knots = knots(items, &edges);
        let islands = Islands::new(&all, items);
        let ties =
            |ties: &[bool]| share_interval(ties.iter().filter(|tie| **tie).count(), ties.len(), level);
        let (mut suspicions, mut beside) = (copies.suspicions, Vec::new());
        let sides = Sides::of(answers, &pairs, level);
        let leaning = sides.as_ref().map_or_else(Vec::new, |sides| sides.leaning.clone());
        let mut report = answers.annotators().map(|annotators| {
            let leans = |at: usize| leaning.get(annotators.of[at] as usize) == Some(&true);
            let shared = Shared::of(&pairs, answers, annotators, &wanted);
            beside = if leaning.contains(&true) {
                Shared::of(&pairs, answers, annotators, &|at| wanted(at) && !leans(at)).beside(annotators)
            } else {
                shared.beside(annotators)
            };
            shared.report(annotators, level)
        });
        if let (Some(report), Some(sides)) = (&mut report, &sides) {
            for (one, left) in report.annotators.iter_mut().zip(&sides.of_each) {
                one.picked_left = *left;
            }
        }
        suspicions.extend(sides.iter().flat_map(|sides| sides.suspicions.clone()));
        let read = answers.times().map(Times::read);
        if let Some(Ok(times)) = &read {
            suspicions.extend(answers.annotators().and_then(|people| worst(times.haste(people))));
            suspicions.extend(times.drift(answers));
        }
        let (agreement, _) = pairs::agreement(&pairs, answers, &wanted);
        let triples = Triples::of(answers, &pairs, items);
        let found_groups = FoundGroups::find(answers, items);
        let mut diagnosis = Self {
            items,
            comparisons: answers.len(),
            with_itself: answers.pairs().iter().filter(|(a, b)| a == b).count(),
            pairs: pairs.count(),
            repeated_pairs: repeated,
            contradicted_pairs: contradicted,
            asked_again: pairs::asked_again(&pairs, answers, &wanted),
            as_if_drawn: answers
                .were_chosen()
                .then(|| pairs::asked_again_as_if_drawn(&pairs, answers, &wanted)),
            knots: knots.len(),
            largest_knot: knots.iter().copied().max().unwrap_or(0),
            never_compared: islands.never_compared,
            islands: islands.count,
            largest_island: islands.largest,
            ties: answers.ties().map(ties),
            picked_left: sides.and_then(|sides| sides.picked_left),
            annotators: report,
            agreement: agreement.interval(level),
            cyclic_triples: triples.map(|triples| triples.interval(level)),
            groups: found_groups.as_ref().map_or(0, |groups| groups.count),
            copied: copies.copied.iter().filter(|copied| **copied).count(),
            found_groups,
            has_times: answers.times().is_some(),
            unread_time: read.and_then(Result::err),
            agreeing: agreement,
            triples,
            suspicions,
            leaning,
            beside,
        };
        diagnosis.name_those_who_stand_out();
        Ok(diagnosis)
    }

    /// What the tests say about one person is kept with that person, too.
    fn name_those_who_stand_out(&mut self) {
        for remark in convicted(&self.suspicions(Vec::new())) {
            let (name, say): (&String, fn(&mut Annotator)) = match &remark {
                Remark::StandsOut { name, .. } => (name, |one| one.stands_out = true),
                Remark::Leaning { who: Some(name), .. } => (name, |one| one.leans = true),
                _ => continue,
            };
            let people = self.annotators.iter_mut().flat_map(|report| &mut report.annotators);
            people.filter(|one| one.name == *name).for_each(say);
        }
    }

    /// Whether pairs were not all equally likely to be asked.
    pub(crate) fn were_chosen(&self) -> bool {
        self.as_if_drawn.is_some()
    }

    /// Answers to the same pair against each other, as if all pairs had been equally likely to be asked.
    pub(crate) fn asked_again_as_if_drawn(&self) -> &AskedAgain {
        self.as_if_drawn.as_ref().unwrap_or(&self.asked_again)
    }

    /// All tests, with what else was measured about people.
    pub(crate) fn suspicions(&self, measured: Vec<BesideOthers>) -> Vec<Suspicion> {
        let measured = self.beside.iter().cloned().chain(measured).collect();
        self.suspicions.iter().cloned().chain(less_reliable(measured)).collect()
    }
}

/// Items that hang together by comparisons.
struct Islands {
    count: usize,
    largest: usize,
    never_compared: usize,
}

impl Islands {
    fn new(comparisons: &Comparisons, items: usize) -> Self {
        let components = Components::of(comparisons.iter(), items);
        let mut compared = vec![false; items];
        for (a, b) in comparisons.iter() {
            compared[a as usize] = true;
            compared[b as usize] = true;
        }
        let mut sizes = vec![0_usize; items];
        for item in (0..items as u32).filter(|item| compared[*item as usize]) {
            sizes[components.root(item) as usize] += 1;
        }
        Self {
            count: sizes.iter().filter(|size| **size > 0).count(),
            largest: sizes.iter().copied().max().unwrap_or(0),
            never_compared: compared.iter().filter(|compared| !**compared).count(),
        }
    }
}
