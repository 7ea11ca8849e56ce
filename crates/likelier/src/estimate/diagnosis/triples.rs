//! Triples that run in a circle: a > b > c > a.
//!
//! If equals are decided by a coin, a quarter of the triples of one class run in a circle, and of the others none
//! (none if nobody errs, more otherwise): at least (π³ + π₋³)/4 = (1 − 3ππ₋)/4 of all, which is never below 1/16.
//! Fewer mean that somebody orders equals.

use super::Interval;
use super::pairs::Pairs;
use crate::data::Answers;
use crate::estimate::distribution::{normal_tail, two_sided};

/// Triples of which all three pairs were answered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Triples {
    pub(crate) count: usize,
    cyclic: f64,
    variance: f64,
}

/// The most steps that counting may take.
const MOST_STEPS: usize = 50_000_000;
const FEWEST: usize = 100;

impl Triples {
    /// None where there are too few, or too many to count.
    pub(super) fn of(answers: &Answers, pairs: &Pairs, items: usize) -> Option<Self> {
        // The first answer to each pair, from the item that fewer pairs have.
        let mut edges: Vec<(u32, u32, bool)> = Vec::new();
        let mut degree = vec![0_u32; items];
        for given in pairs.iter() {
            if let Some(first) = given.iter().find(|one| !answers.is_tie(one.at)) {
                edges.push((first.pair[0], first.pair[1], first.forward));
                first.pair.iter().for_each(|item| degree[*item as usize] += 1);
            }
        }
        let rank = |item: u32| (degree[item as usize], item);
        let mut after: Vec<Vec<(u32, bool)>> = vec![Vec::new(); items];
        for (a, b, forward) in edges {
            let (from, to, forward) = if rank(a) < rank(b) { (a, b, forward) } else { (b, a, !forward) };
            after[from as usize].push((to, forward));
        }
        let steps: usize = after.iter().map(|list| list.len() * list.len()).sum();
        if steps > MOST_STEPS {
            return None;
        }
        let mut of_items = vec![[0.0; 2]; items];
        let (mut count, mut cyclic) = (0_usize, 0_usize);
        // Whether the item now looked from beats each item; unknown where they were not compared.
        let mut beats: Vec<Option<bool>> = vec![None; items];
        for a in 0..items {
            for (b, forward) in &after[a] {
                beats[*b as usize] = Some(*forward);
            }
            for (b, a_beats_b) in &after[a] {
                for (c, b_beats_c) in &after[*b as usize] {
                    if let Some(a_beats_c) = beats[*c as usize] {
                        let circle = a_beats_b == b_beats_c && *a_beats_b != a_beats_c;
                        count += 1;
                        cyclic += usize::from(circle);
                        for item in [a, *b as usize, *c as usize] {
                            of_items[item][0] += f64::from(u8::from(circle));
                            of_items[item][1] += 1.0;
                        }
                    }
                }
            }
            for (b, _) in &after[a] {
                beats[*b as usize] = None;
            }
        }
        if count < FEWEST {
            return None;
        }
        let share = cyclic as f64 / count as f64;
        // Triples that share an item depend on each other.
        let squares: f64 = of_items.iter().map(|[cyclic, all]| (cyclic - share * all).powi(2)).sum();
        let least = share.max(1.0 / 16.0) * (1.0 - share.max(1.0 / 16.0)) / count as f64;
        let variance = (squares / (count as f64).powi(2)).max(least);
        Some(Self { count, cyclic: share, variance })
    }

    /// The share that runs in a circle.
    pub(crate) fn interval(&self, level: f64) -> Interval {
        let spread = two_sided(level) * self.variance.sqrt();
        Interval { value: self.cyclic, low: self.cyclic - spread, high: self.cyclic + spread, level }
            .clipped(0.0, 1.0)
    }

    /// How probable so few or fewer are when there should be at least so many.
    pub(crate) fn below(&self, least: f64) -> f64 {
        normal_tail((least - self.cyclic) / self.variance.sqrt())
    }
}

/// The least share of circles if coins decide between equals, whatever the error: for a prior, or for any.
pub(crate) fn least_circles(prior: Option<f64>) -> f64 {
    prior.map_or(1.0 / 16.0, |prior| 0.25 * (1.0 - 3.0 * prior * (1.0 - prior)))
}
