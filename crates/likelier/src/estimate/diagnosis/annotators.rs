//! Each annotator against the others, on pairs that several of them answered.

use serde::Serialize;

use super::{Interval, Pairs};
use crate::data::Annotators;
use crate::estimate::distribution::{normal_above, share_interval};

/// One annotator.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Annotator {
    /// The name.
    pub name: String,
    /// Comparisons made, ties included.
    pub comparisons: usize,
    /// Answers that could be held against another annotator's answer to the same pair.
    pub shared: usize,
    /// How often the two agree; absent where nothing is shared.
    pub agreement: Option<Interval>,
    /// How often an own answer, given again to the same pair, agrees; absent where nothing was repeated.
    pub own_agreement: Option<Interval>,
    /// Whether the agreement is lower than the others' by more than chance.
    pub stands_out: bool,
}

/// All annotators.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AnnotatorReport {
    /// Each of them, in the order of the names given.
    pub annotators: Vec<Annotator>,
    /// How often two of them agree on the same pair; absent where no pair was shared.
    pub agreement: Option<Interval>,
}

/// Hits and tries.
#[derive(Clone, Copy, Debug, Default)]
struct Tally(usize, usize);

impl Tally {
    fn add(&mut self, hit: bool) {
        self.0 += usize::from(hit);
        self.1 += 1;
    }

    fn interval(self, level: f64) -> Option<Interval> {
        (self.1 > 0).then(|| share_interval(self.0, self.1, level))
    }
}

impl AnnotatorReport {
    pub(super) fn new(
        annotators: &Annotators,
        pairs: &Pairs,
        comparisons: usize,
        is_tie: &dyn Fn(usize) -> bool,
        level: f64,
    ) -> Self {
        let mut made = vec![0; annotators.names.len()];
        for at in 0..comparisons {
            made[annotators.of[at] as usize] += 1;
        }
        let mut shared = vec![Tally::default(); annotators.names.len()];
        let mut own = shared.clone();
        let mut all = Tally::default();
        for answers in pairs.iter() {
            let mut last: Option<(u32, bool)> = None;
            for answer in answers.iter().filter(|answer| !is_tie(answer.at)) {
                let who = annotators.of[answer.at];
                // Each answer is held against the one before it: linear however often a pair was asked.
                if let Some((before, forward)) = last {
                    let agree = forward == answer.forward;
                    if before == who {
                        own[who as usize].add(agree);
                    } else {
                        shared[who as usize].add(agree);
                        shared[before as usize].add(agree);
                        all.add(agree);
                    }
                }
                last = Some((who, answer.forward));
            }
        }
        // Against all the others, with the chance of a false alarm shared among the annotators.
        let line = normal_above(0.5 * (1.0 - level) / made.len().max(1) as f64);
        let stands_out = |tally: Tally| {
            let rest = Tally(all.0 - tally.0, all.1 - tally.1);
            if tally.1 == 0 || rest.1 == 0 {
                return false;
            }
            let (mine, others) = (tally.0 as f64 / tally.1 as f64, rest.0 as f64 / rest.1 as f64);
            let pooled = all.0 as f64 / all.1 as f64;
            let error = (pooled * (1.0 - pooled) * (1.0 / tally.1 as f64 + 1.0 / rest.1 as f64)).sqrt();
            others - mine > line * error
        };
        let each = (0..made.len()).map(|who| Annotator {
            name: match annotators.names.get(who) {
                "" => "(nobody)".into(),
                name => name.into(),
            },
            comparisons: made[who],
            shared: shared[who].1,
            agreement: shared[who].interval(level),
            own_agreement: own[who].interval(level),
            stands_out: stands_out(shared[who]),
        });
        Self { annotators: each.collect(), agreement: all.interval(level) }
    }
}
