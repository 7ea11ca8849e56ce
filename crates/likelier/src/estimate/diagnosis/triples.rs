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
        let directed = |&(a, b, forward): &(u32, u32, bool)| {
            if rank(a) < rank(b) { (a, b, forward) } else { (b, a, !forward) }
        };
        // The edges of each item, one list behind the other.
        let mut starts = vec![0_usize; items + 1];
        for edge in &edges {
            starts[directed(edge).0 as usize + 1] += 1;
        }
        let steps: usize = starts.iter().map(|length| length * length).sum();
        if steps > MOST_STEPS {
            return None;
        }
        for item in 0..items {
            starts[item + 1] += starts[item];
        }
        let mut next = starts.clone();
        let mut listed = vec![(0_u32, false); edges.len()];
        for (from, to, forward) in edges.iter().map(directed) {
            listed[next[from as usize]] = (to, forward);
            next[from as usize] += 1;
        }
        drop((edges, next));
        let after = |item: usize| &listed[starts[item]..starts[item + 1]];
        let mut of_items = vec![[0.0; 2]; items];
        let (mut count, mut cyclic) = (0_usize, 0_usize);
        // Whether the item now looked from beats each item; unknown where they were not compared.
        let mut beats: Vec<Option<bool>> = vec![None; items];
        for a in 0..items {
            for (b, forward) in after(a) {
                beats[*b as usize] = Some(*forward);
            }
            for (b, a_beats_b) in after(a) {
                for (c, b_beats_c) in after(*b as usize) {
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
            for (b, _) in after(a) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, chance, stream, unit};

    fn triples(pairs: Vec<(u32, u32)>, items: usize) -> Option<Triples> {
        let answers: Answers = pairs.into_iter().collect();
        Triples::of(&answers, &Pairs::new(answers.pairs(), items), items)
    }

    #[test]
    fn circles_are_those_of_the_definition() {
        let mut rng = stream(3, Purpose::Comparisons);
        let items = 25_u32;
        // Two of three pairs, in a random order.
        let mut beats = vec![vec![None; items as usize]; items as usize];
        let mut pairs = Vec::new();
        for a in 0..items {
            for b in 0..a {
                if chance(&mut rng, 0.67) {
                    let first = chance(&mut rng, 0.5);
                    pairs.push(if first { (a, b) } else { (b, a) });
                    beats[a as usize][b as usize] = Some(first);
                    beats[b as usize][a as usize] = Some(!first);
                }
            }
        }
        let (mut count, mut cyclic) = (0, 0);
        for a in 0..items as usize {
            for b in 0..a {
                for c in 0..b {
                    if let (Some(ab), Some(bc), Some(ca)) = (beats[a][b], beats[b][c], beats[c][a]) {
                        count += 1;
                        cyclic += usize::from(ab == bc && bc == ca);
                    }
                }
            }
        }
        let found = triples(pairs, items as usize).unwrap();
        assert_eq!(found.count, count);
        assert!((found.cyclic - cyclic as f64 / count as f64).abs() < 1e-12);
        assert!(cyclic > 50, "{cyclic}");
    }

    #[test]
    fn coins_on_equals_make_as_many_circles_as_the_prior_says_and_degrees_fewer() {
        let mut rng = stream(4, Purpose::Comparisons);
        let mut refuted = [0; 2];
        for set in 0..60 {
            let prior = [0.5, 0.3, 0.8][set % 3];
            let items: Vec<(bool, f64)> =
                (0..120).map(|_| (chance(&mut rng, prior), unit(&mut rng))).collect();
            let mut told = |graded: bool| {
                let mut pairs = Vec::new();
                for a in 0..120_u32 {
                    for b in (0..a).filter(|b| (a * 7 + b * 3) % 4 == 0) {
                        let [one, two] = [a, b].map(|item| items[item as usize]);
                        let first = match one.0 == two.0 {
                            true if graded => one.1 > two.1,
                            true => chance(&mut rng, 0.5),
                            false => one.0,
                        };
                        pairs.push(if first { (a, b) } else { (b, a) });
                    }
                }
                triples(pairs, 120).unwrap()
            };
            let (coins, graded) = (told(false), told(true));
            assert_eq!(graded.cyclic, 0.0);
            let expected = least_circles(Some(prior));
            assert!((coins.cyclic - expected).abs() < 6.0 * coins.variance.sqrt(), "{coins:?} {expected}");
            refuted[0] += usize::from(coins.below(least_circles(None)) < 0.05);
            refuted[1] += usize::from(graded.below(least_circles(None)) < 0.05);
        }
        // At one half the bound is the truth: 1 of 20 expected.
        assert!(refuted[0] <= 4 && refuted[1] == 60, "{refuted:?}");
    }

    #[test]
    fn the_least_share_of_circles_is_never_below_a_sixteenth() {
        for prior in [0.01, 0.2, 0.5, 0.7, 0.99] {
            let of_one_class = f64::powi(prior, 3) + f64::powi(1.0 - prior, 3);
            assert!((least_circles(Some(prior)) - of_one_class / 4.0).abs() < 1e-12);
            assert!(least_circles(Some(prior)) >= least_circles(None) - 1e-12);
        }
        assert!(triples((0..20).map(|k| (k, k + 1)).collect(), 21).is_none(), "no triples");
    }
}
