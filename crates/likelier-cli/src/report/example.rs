//! Items to look at: the likeliest, the least likely, and those that could be either.

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
        // Equal scores stay in the order of the items, so that a report is the same each time.
        let mut order: Vec<usize> = (0..scores.len()).collect();
        order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
        let shown = SHOWN.min(order.len() / 2).max(order.len().min(1));
        let mut doubtful = order.clone();
        let distance = |at: usize| (scores[at] - threshold).abs();
        doubtful.sort_by(|a, b| distance(*a).total_cmp(&distance(*b)).then(a.cmp(b)));
        doubtful.truncate(shown);
        doubtful.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
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
            most_likely: examples(&mut order.iter())?,
            nearest_to_the_threshold: examples(&mut doubtful.iter())?,
            least_likely: examples(&mut order.iter().rev())?,
        })
    }
}
