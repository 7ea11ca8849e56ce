//! What a score depends on, for any model and without labels: permutation importance.
//!
//! With s for the scores of a classifier, the share of comparisons (x, x′) that it orders as people did is
//!
//! A = Σ_c w_c · h(s(x_c) − s(x′_c)) / Σ_c w_c,   h(d) = 1 if d > 0, ½ if d = 0, 0 if d < 0.
//!
//! A_j,r is the same after the cells of column j were shuffled among the compared items for the r-th time, all else
//! left as it is; the features of one column (the values of a category, a number and where it is missing, the words
//! of a text) move together. The importance of the column is how much is lost on average, I_j = A − mean_r A_j,r.
//!
//! It is true of this classifier and of these items, not of the world: of two columns that say the same, each may seem
//! to matter little, because the other is left. A column that the classifier does not look at has exactly 0. By chance
//! a column that does not help may come out a little below 0.
//!
//! The standard error allows for both chances: which comparisons these are (items that recur among them included, as
//! in `dyads`), and which shuffles.

mod shuffled;

use serde::Serialize;

use super::dyads::Dyads;
use crate::data::{Comparisons, Rows, map_each};
use crate::error::Error;
use crate::model::{Architecture, Classifier};
use crate::random::{Purpose, Rng, shuffle, stream};
use shuffled::ShuffledItems;

/// How often a column is shuffled, the least that is made do with last.
const SHUFFLES: [usize; 2] = [10, 5];
/// Fewer items than this are not made do with where there are more …
const FEWEST_ITEMS: usize = 200;
/// … but in a first look, where there are too many columns to look at each of them closely …
const FEWEST_AT_FIRST: usize = 100;
/// … which leaves so many columns.
const LEFT: usize = 20;

/// How much a classifier depends on each column of its items.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Importance {
    /// The share of comparisons that the classifier orders as people did, with nothing shuffled.
    pub ordered: f64,
    /// How many answers this is known from.
    pub comparisons: usize,
    /// How many items these are about, among which columns are shuffled.
    pub items: usize,
    /// Whether the comparisons were held out; otherwise the classifier was trained on them.
    pub held_out: bool,
    /// How often each column was shuffled.
    pub shuffles: usize,
    /// How many columns there are. Where they are more than those below, one shuffle of each told which to look at.
    pub all_columns: usize,
    /// The columns, the most important first.
    pub columns: Vec<ColumnImportance>,
}

/// How much is lost without one column.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ColumnImportance {
    /// The name of the column.
    pub column: String,
    /// By how much the share of comparisons that are ordered as people did falls.
    pub importance: f64,
    /// Of the importance.
    pub standard_error: f64,
}

/// How many items to look at and how often, within the work that is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Plan {
    /// Items in a first look with one shuffle, where not all columns can be looked at closely.
    first: Option<usize>,
    /// Items in the closer one.
    items: usize,
    shuffles: usize,
}

impl Plan {
    /// None where `work`, in rows that are scored, is too little to say anything.
    fn of(items: usize, columns: usize, work: usize) -> Option<Self> {
        // Each look also scores the items as they are.
        let within = |work: usize, looks: usize| (work / looks.saturating_add(1)).min(items);
        let close = |work: usize, columns: usize, first: Option<usize>, shuffles: usize| {
            let items_within = within(work, columns.saturating_mul(shuffles));
            (items_within >= items.min(FEWEST_ITEMS)).then_some(Self {
                first,
                items: items_within,
                shuffles,
            })
        };
        let mut of_all = SHUFFLES.into_iter().filter_map(|shuffles| close(work, columns, None, shuffles));
        of_all.next().or_else(|| {
            let first = within(work / 2, columns);
            let enough = columns > LEFT && first >= items.min(FEWEST_AT_FIRST);
            let mut of_some = SHUFFLES
                .into_iter()
                .filter_map(|shuffles| close(work / 2, LEFT, Some(first), shuffles));
            of_some.next().filter(|_| enough)
        })
    }
}

impl Importance {
    /// Shuffles each column of these rows among the items of the comparisons, and scores at most `work` rows in doing
    /// so: where that is too little for all comparisons, some are drawn; where it is too little to shuffle all columns
    /// several times, those are kept by which the most is lost after one shuffle. None where it is too little for that.
    pub fn new(
        classifier: &Classifier,
        rows: &Rows,
        comparisons: &Comparisons,
        held_out: bool,
        (work, seed): (usize, u64),
    ) -> Result<Option<Self>, Error> {
        comparisons.piles().check(rows.len())?;
        let columns = classifier.features().columns();
        let rng = &mut stream(seed, Purpose::Shuffles);
        let Some(plan) = Plan::of(ShuffledItems::count(comparisons), columns.len(), work) else {
            return Ok(None);
        };
        let total: f64 = (0..comparisons.len()).map(|at| weight(comparisons, at)).sum();
        if total <= 0.0 {
            return Ok(None);
        }
        let mut which: Vec<usize> = (0..columns.len()).collect();
        if let Some(items) = plan.first {
            let part = drawn(comparisons, items, rng);
            let looks = Looks::new(classifier, rows, &part, 1, rng)?;
            let mut lost: Vec<(usize, f64)> = Vec::with_capacity(which.len());
            for column in which {
                lost.push((column, looks.at(column)?.0));
            }
            lost.sort_by(|(a, one), (b, two)| two.total_cmp(one).then(a.cmp(b)));
            which = lost.into_iter().take(LEFT).map(|(column, _)| column).collect();
        }
        let part = drawn(comparisons, plan.items, rng);
        let looks = Looks::new(classifier, rows, &part, plan.shuffles, rng)?;
        let look = |column: &usize| looks.at(*column).map(|(lost, error)| (*column, lost, error));
        // Linear scores are soon there; those of a network take all threads by themselves.
        let linear = *classifier.architecture() == Architecture::Linear;
        let found = if linear { map_each(&which, look) } else { which.iter().map(look).collect() };
        let mut found = found.into_iter().collect::<Result<Vec<_>, Error>>()?;
        // Equals stay in the order of the columns.
        found.sort_by(|(a, one, _), (b, two, _)| two.total_cmp(one).then(a.cmp(b)));
        let of = |(column, importance, standard_error): (usize, f64, f64)| ColumnImportance {
            column: columns[column].name().to_owned(),
            importance,
            standard_error,
        };
        Ok(Some(Self {
            ordered: looks.ordered(),
            comparisons: part.answers(),
            items: looks.items.len(),
            held_out,
            shuffles: plan.shuffles,
            all_columns: columns.len(),
            columns: found.into_iter().map(of).collect(),
        }))
    }
}

fn weight(comparisons: &Comparisons, at: usize) -> f64 {
    comparisons.judging_weights().map_or(1.0, |weights| f64::from(weights[at]))
}

/// Comparisons about at most so many items, drawn at random; all where they are about no more.
fn drawn(comparisons: &Comparisons, items: usize, rng: &mut impl Rng) -> Comparisons {
    if ShuffledItems::count(comparisons) <= items {
        return comparisons.clone();
    }
    let groups = comparisons.groups();
    let mut pairs = vec![(0, 0); comparisons.answers()];
    for (at, pair) in comparisons.iter().enumerate() {
        pairs[groups.of(at)] = pair;
    }
    let mut order: Vec<usize> = (0..pairs.len()).collect();
    shuffle(rng, &mut order);
    let mut seen = std::collections::BTreeSet::new();
    let mut wanted = vec![false; pairs.len()];
    for answer in order {
        let (likelier, other) = pairs[answer];
        let more = usize::from(!seen.contains(&likelier)) + usize::from(!seen.contains(&other));
        if seen.len() + more <= items {
            seen.extend([likelier, other]);
            wanted[answer] = true;
        }
    }
    comparisons.part(|answer| wanted[answer])
}

/// Comparisons whose columns can be shuffled.
struct Looks<'a> {
    comparisons: &'a Comparisons,
    dyads: Dyads,
    items: ShuffledItems<'a>,
    /// The places of the two items of each comparison among the items.
    places: Vec<[usize; 2]>,
    /// The orders that a column is brought into.
    orders: Vec<Vec<u32>>,
    /// Whether each comparison is ordered as people did, with nothing shuffled.
    as_it_is: Vec<f64>,
    total: f64,
}

impl<'a> Looks<'a> {
    fn new(
        classifier: &'a Classifier,
        rows: &'a Rows<'a>,
        comparisons: &'a Comparisons,
        shuffles: usize,
        rng: &mut impl Rng,
    ) -> Result<Self, Error> {
        let items = ShuffledItems::new(classifier, rows, comparisons);
        let places: Vec<[usize; 2]> =
            comparisons.iter().map(|(a, b)| [items.place(a), items.place(b)]).collect();
        let plain = items.in_place();
        let orders = (0..shuffles)
            .map(|_| {
                let mut order = plain.clone();
                shuffle(rng, &mut order);
                order
            })
            .collect();
        let as_it_is = hits(&items.scores(0..0, &plain)?, &places);
        let total = (0..comparisons.len()).map(|at| weight(comparisons, at)).sum();
        Ok(Self { comparisons, dyads: Dyads::of(comparisons), items, places, orders, as_it_is, total })
    }

    /// The mean of something over comparisons, each by its weight.
    fn mean(&self, of: impl Fn(usize) -> f64) -> f64 {
        let sum: f64 = (0..self.comparisons.len())
            .map(|at| weight(self.comparisons, at) * of(at))
            .sum();
        sum / self.total
    }

    fn ordered(&self) -> f64 {
        self.mean(|at| self.as_it_is[at])
    }

    /// The importance of a column, and its standard error.
    fn at(&self, column: usize) -> Result<(f64, f64), Error> {
        let features = self.items.features(column);
        let times = self.orders.len() as f64;
        let mut lost = vec![0.0; self.comparisons.len()];
        let mut by_shuffle = Vec::with_capacity(self.orders.len());
        for order in &self.orders {
            let shuffled = hits(&self.items.scores(features.clone(), order)?, &self.places);
            by_shuffle.push(self.mean(|at| self.as_it_is[at] - shuffled[at]));
            for (at, lost) in lost.iter_mut().enumerate() {
                *lost += (self.as_it_is[at] - shuffled[at]) / times;
            }
        }
        let importance = by_shuffle.iter().sum::<f64>() / times;
        let of_comparisons = self
            .dyads
            .variance(|at| weight(self.comparisons, at) * (lost[at] - importance) / self.total);
        let squares: f64 = by_shuffle.iter().map(|one| (one - importance).powi(2)).sum();
        let of_shuffles = squares / (times * (times - 1.0).max(1.0));
        Ok((importance, (of_comparisons + of_shuffles).max(0.0).sqrt()))
    }
}

/// 1 for each comparison whose scores are in its order, ½ where they are equal.
fn hits(scores: &[f32], places: &[[usize; 2]]) -> Vec<f64> {
    let hit = |[likelier, other]: &[usize; 2]| {
        let (likelier, other) = (scores[*likelier], scores[*other]);
        f64::from(u8::from(likelier > other)) + 0.5 * f64::from(u8::from(likelier == other))
    };
    places.iter().map(hit).collect()
}

#[cfg(test)]
mod tests;
