//! What depends on what among comparisons: answers to one pair of items, and pairs that share an item.
//!
//! A pair that was asked again is one observation, not two: its two items keep their classes. Where items recur,
//! pairs that share one depend on each other, too. For values v_c that sum to a statistic, the variance that
//! allows for both is the dyadic-robust one,
//!
//! Σ over items (Σ_{c of the item} v_c)² − Σ over pairs (Σ_{c of the pair} v_c)²,
//!
//! which is the second sum alone where no item recurs. It is never taken to be less than that.

use crate::data::Comparisons;

/// Which items and which pair of items each comparison is of, numbered without gaps in order of appearance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Dyads {
    ends: Vec<[u32; 2]>,
    items: usize,
    pair: Vec<u32>,
    pairs: usize,
}

impl Dyads {
    pub(crate) fn of(comparisons: &Comparisons) -> Self {
        let ends: Vec<[u32; 2]> = comparisons.iter().map(|(a, b)| [a, b]).collect();
        let (numbers, items) = numbered(ends.as_flattened());
        let (ends, _) = numbers.as_chunks::<2>();
        let unordered: Vec<[u32; 2]> = ends.iter().map(|[a, b]| [*a.min(b), *a.max(b)]).collect();
        let (pair, pairs) = numbered_pairs(&unordered);
        Self { ends: ends.to_vec(), items, pair, pairs }
    }

    /// The two items of a comparison.
    pub(crate) fn ends(&self, at: usize) -> [u32; 2] {
        self.ends[at]
    }

    /// The pair of a comparison.
    pub(crate) fn pair(&self, at: usize) -> usize {
        self.pair[at] as usize
    }

    /// How many pairs there are.
    pub(crate) fn pairs(&self) -> usize {
        self.pairs
    }

    /// Whether an item occurs in two pairs.
    pub(crate) fn items_recur(&self) -> bool {
        self.items < 2 * self.pairs
    }

    /// How many items of equal weight the comparisons are worth.
    pub(crate) fn effective_items(&self, weight: impl Fn(usize) -> f64) -> f64 {
        let mut of_item = vec![0.0; self.items];
        for (at, ends) in self.ends.iter().enumerate() {
            for item in ends {
                of_item[*item as usize] += weight(at);
            }
        }
        let (total, squares) = of_item.iter().fold((0.0, 0.0), |(t, s), w| (t + w, s + w * w));
        total * total / f64::max(squares, f64::MIN_POSITIVE)
    }

    /// The covariance of sums over comparisons of several values, which have mean 0.
    pub(crate) fn covariance<const K: usize>(&self, values: impl Fn(usize) -> [f64; K]) -> Dependent<K> {
        let mut of_pair = vec![[0.0; K]; self.pairs];
        let mut of_item = vec![[0.0; K]; if self.items_recur() { self.items } else { 0 }];
        for at in 0..self.pair.len() {
            let value = values(at);
            let [first, second] = self.ends[at].map(|item| item as usize);
            for k in 0..K {
                of_pair[self.pair(at)][k] += value[k];
                if !of_item.is_empty() {
                    of_item[first][k] += value[k];
                    if first != second {
                        of_item[second][k] += value[k];
                    }
                }
            }
        }
        let by_pair = squares(&of_pair);
        let by_item = self.items_recur().then(|| {
            // A cluster-robust sum of few clusters is too small by about this.
            let scale = self.items as f64 / (self.items as f64 - 2.0).max(1.0);
            let items = squares(&of_item);
            std::array::from_fn(|i| std::array::from_fn(|k| scale * items[i][k] - by_pair[i][k]))
        });
        Dependent { by_pair, by_item }
    }

    /// The variance of a sum over comparisons of values that have mean 0.
    pub(crate) fn variance(&self, value: impl Fn(usize) -> f64) -> f64 {
        self.covariance(|at| [value(at)]).along([1.0])
    }
}

/// A covariance matrix, as far as it depends on what is taken to be independent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Dependent<const K: usize> {
    /// As if pairs were independent.
    pub(crate) by_pair: [[f64; K]; K],
    /// Allowing for shared items, where there are any.
    pub(crate) by_item: Option<[[f64; K]; K]>,
}

impl<const K: usize> Dependent<K> {
    /// The variance of a combination of the sums: the larger one.
    pub(crate) fn along(&self, direction: [f64; K]) -> f64 {
        let of = |matrix: &[[f64; K]; K]| quadratic(matrix, direction);
        of(&self.by_pair).max(self.by_item.as_ref().map_or(0.0, of))
    }

    /// The matrix with the larger variance of a combination.
    pub(crate) fn matrix_along(&self, direction: [f64; K]) -> [[f64; K]; K] {
        match self.by_item {
            Some(by_item) if quadratic(&by_item, direction) > quadratic(&self.by_pair, direction) => {
                by_item
            }
            _ => self.by_pair,
        }
    }
}

fn quadratic<const K: usize>(matrix: &[[f64; K]; K], direction: [f64; K]) -> f64 {
    let row = |i: usize| (0..K).map(|k| matrix[i][k] * direction[k]).sum::<f64>();
    (0..K).map(|i| direction[i] * row(i)).sum()
}

fn squares<const K: usize>(sums: &[[f64; K]]) -> [[f64; K]; K] {
    let mut matrix = [[0.0; K]; K];
    for sum in sums {
        for i in 0..K {
            for k in 0..K {
                matrix[i][k] += sum[i] * sum[k];
            }
        }
    }
    matrix
}

/// Numbers of items without gaps, in order of appearance, and how many there are.
fn numbered(items: &[u32]) -> (Vec<u32>, usize) {
    let mut known = vec![u32::MAX; items.iter().max().map_or(0, |last| *last as usize + 1)];
    let mut next = 0;
    let numbers = items.iter().map(|item| {
        let number = &mut known[*item as usize];
        if *number == u32::MAX {
            *number = next;
            next += 1;
        }
        *number
    });
    (numbers.collect(), next as usize)
}

/// The same for pairs, which are too many for a table.
fn numbered_pairs(pairs: &[[u32; 2]]) -> (Vec<u32>, usize) {
    let mut placed: Vec<([u32; 2], u32)> = pairs.iter().copied().zip(0..).collect();
    sort(&mut placed, Ord::cmp);
    // First the place where each pair occurs first, then its number.
    let mut numbers = vec![0; pairs.len()];
    for same in placed.chunk_by(|a, b| a.0 == b.0) {
        for (_, place) in same {
            numbers[*place as usize] = same[0].1;
        }
    }
    let mut next = 0;
    for place in 0..numbers.len() {
        let first = numbers[place] as usize;
        if first == place {
            numbers[place] = next;
            next += 1;
        } else {
            numbers[place] = numbers[first];
        }
    }
    (numbers, next as usize)
}

/// Sorts by all cores, where the engine brings them.
pub(super) fn sort<T: Send>(values: &mut [T], order: impl Fn(&T, &T) -> std::cmp::Ordering + Sync) {
    #[cfg(feature = "engine")]
    rayon::slice::ParallelSliceMut::par_sort_unstable_by(values, order);
    #[cfg(not(feature = "engine"))]
    values.sort_unstable_by(order);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, below, stream, unit};

    #[test]
    fn items_and_pairs_are_numbered_in_order_of_appearance() {
        let comparisons: Comparisons = [(7, 2), (2, 9), (2, 7), (9, 2), (0, 7)].into_iter().collect();
        let dyads = Dyads::of(&comparisons);
        assert_eq!(dyads.ends, [[0, 1], [1, 2], [1, 0], [2, 1], [3, 0]]);
        assert_eq!((dyads.pair, dyads.pairs, dyads.items), (vec![0, 1, 0, 1, 2], 3, 4));
    }

    #[test]
    fn answers_to_one_pair_are_one_observation_whatever_their_order() {
        let comparisons: Comparisons = [(7, 3), (9, 4), (3, 7), (4, 9)].into_iter().collect();
        let dyads = Dyads::of(&comparisons);
        assert_eq!((dyads.pairs(), dyads.items_recur()), (2, false));
        assert_eq!([0, 1, 2, 3].map(|at| dyads.pair(at)), [0, 1, 0, 1]);
        // (1 + 3)² + (2 + 5)².
        assert!((dyads.variance(|at| [1.0, 2.0, 3.0, 5.0][at]) - 65.0).abs() < 1e-12);
        assert!((dyads.effective_items(|_| 1.0) - 4.0).abs() < 1e-12);
    }

    /// By definition: every two comparisons that share an item count, once.
    #[test]
    fn the_variance_is_the_sum_over_comparisons_that_share_an_item() {
        let mut rng = stream(2, Purpose::Comparisons);
        let pairs: Vec<(u32, u32)> = (0..200)
            .map(|_| (below(&mut rng, 60) as u32, 60 + below(&mut rng, 60) as u32))
            .collect();
        let values: Vec<f64> = (0..200).map(|_| unit(&mut rng) - 0.4).collect();
        let shares = |a: (u32, u32), b: (u32, u32)| a.0 == b.0 || a.1 == b.1;
        let mut expected = 0.0;
        for (one, a) in pairs.iter().zip(&values) {
            for (two, b) in pairs.iter().zip(&values) {
                expected += if shares(*one, *two) { a * b } else { 0.0 };
            }
        }
        let dyads = Dyads::of(&pairs.iter().copied().collect());
        let by_item = dyads.covariance(|at| [values[at]]).by_item.unwrap()[0][0];
        // All but the correction for few items.
        let items = dyads.items as f64;
        let by_pair = dyads.covariance(|at| [values[at]]).by_pair[0][0];
        let uncorrected = (by_item + by_pair) * (items - 2.0) / items - by_pair;
        assert!((uncorrected - expected).abs() < 1e-9, "{uncorrected} is not {expected}");
        assert!(dyads.variance(|at| values[at]) >= by_pair);
    }
}
