//! Items to look at: the likeliest, the least likely, and those that could be either.

use std::cmp::Ordering;

use likelier::{Classifier, Rows};
use likelier_tables::Ids;
use serde::Serialize;

use super::image::ImageShape;
use crate::terminal::Result;

/// How many of each kind.
const SHOWN: usize = 12;

/// Items at both ends of the scores and at the threshold.
#[derive(Serialize)]
pub(super) struct Examples {
    /// How many of all items are called positive.
    pub(super) called_positive: usize,
    pub(super) most_likely: Vec<Example>,
    pub(super) nearest_to_the_threshold: Vec<Example>,
    pub(super) least_likely: Vec<Example>,
}

#[derive(Serialize)]
pub(super) struct Example {
    pub(super) id: String,
    pub(super) score: f32,
    pub(super) probability: f32,
    pub(super) positive: bool,
    /// The item as a PNG file, where it is an image.
    #[serde(skip)]
    pub(super) picture: Option<Vec<u8>>,
}

impl Examples {
    pub(super) fn new(
        classifier: &Classifier,
        rows: &Rows,
        ids: &Ids,
        shape: Option<ImageShape>,
    ) -> Result<Self> {
        let scores = classifier.scores(rows)?;
        let threshold = classifier.threshold();
        let shown = SHOWN.min(scores.len() / 2).max(scores.len().min(1));
        // Equal scores stay in the order of the items, so that a report is the same each time.
        let likelier = |a: &usize, b: &usize| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b));
        let distance = |at: usize| (scores[at] - threshold).abs();
        let nearer = |a: &usize, b: &usize| distance(*a).total_cmp(&distance(*b)).then(a.cmp(b));
        let mut doubtful = first(scores.len(), shown, nearer);
        doubtful.sort_by(likelier);
        let examples = |which: &mut dyn Iterator<Item = &usize>| {
            which
                .take(shown)
                .map(|&at| {
                    let score = scores[at];
                    let picture = shape.map(|shape| shape.png(rows, at)).transpose()?;
                    Ok(Example {
                        id: ids.name(at).into_owned(),
                        score,
                        probability: classifier.probability().of(score),
                        positive: score > threshold,
                        picture,
                    })
                })
                .collect::<Result<Vec<_>>>()
        };
        Ok(Self {
            called_positive: scores.iter().filter(|score| **score > threshold).count(),
            most_likely: examples(&mut first(scores.len(), shown, likelier).iter())?,
            nearest_to_the_threshold: examples(&mut doubtful.iter())?,
            least_likely: examples(&mut first(scores.len(), shown, |a, b| likelier(b, a)).iter())?,
        })
    }
}

/// The first so many of the numbers below `count` in an order that has no equals.
fn first(count: usize, shown: usize, order: impl Fn(&usize, &usize) -> Ordering) -> Vec<usize> {
    let mut all: Vec<usize> = (0..count).collect();
    if shown < count {
        all.select_nth_unstable_by(shown, &order);
        all.truncate(shown);
    }
    all.sort_by(order);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_are_those_of_the_whole_order() {
        let key = |at: usize| at * 7919 % 101;
        let order = |a: &usize, b: &usize| key(*a).cmp(&key(*b)).then(a.cmp(b));
        for (count, shown) in [(1000, 12), (12, 12), (5, 12), (13, 12), (3, 1), (1, 1), (0, 0)] {
            let mut all: Vec<usize> = (0..count).collect();
            all.sort_by(order);
            all.truncate(shown);
            assert_eq!(first(count, shown, order), all);
        }
    }
}
