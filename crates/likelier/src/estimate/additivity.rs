//! Are orders additive? Under forced choice P(x before x′) = ½ + h(x) − h(x′) with h = ½(1−2ε)p.
//!
//! Held-out ranks are cut into bins. For each two bins the share of comparisons in which the higher one
//! was said to be likelier is fitted by a difference of bin heights, and χ² tells how well. Pairs of one
//! bin say nothing. The unordered pair is two independent draws, so averaging inside bins keeps the law.

use serde::Serialize;

use super::distribution::chi_square_tail;
use super::ranked::Ranked;

/// The test that orders are additive.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Additivity {
    /// χ².
    pub chi_square: f64,
    /// Its degrees of freedom.
    pub degrees: usize,
    /// How probable a χ² so large or larger is when orders are additive.
    pub probability: f64,
}

const BINS: usize = 6;
/// Cells with fewer comparisons are left out.
const THINNEST: f64 = 10.0;

struct Cell {
    low: usize,
    high: usize,
    /// The weight with which the higher bin was said to be likelier, of all.
    wins: f64,
    weight: f64,
    /// How many pairs of equal weight it is worth.
    of: f64,
}

impl Additivity {
    /// `None` where too few cells are filled.
    pub(super) fn new(ranked: &Ranked) -> Option<Self> {
        let bin = |rank: f64| ((rank * BINS as f64) as usize).min(BINS - 1);
        let (mut counts, mut squares) = ([[0.0; BINS]; BINS], [[0.0; BINS]; BINS]);
        // Answers to one pair are one observation, as are the two halves of a tie.
        let mut of_pair = vec![(0.0, 0, 0); ranked.pairs];
        for at in 0..ranked.len() {
            let (likelier, other) = (bin(ranked.likelier[at]), bin(ranked.other[at]));
            counts[likelier][other] += ranked.weights[at];
            let (weight, high, low) = &mut of_pair[ranked.pair[at]];
            *weight += ranked.weights[at];
            (*high, *low) = (likelier.max(other), likelier.min(other));
        }
        for (weight, high, low) in of_pair {
            squares[high][low] += weight * weight;
        }
        let mut cells = Vec::new();
        for high in 1..BINS {
            for low in 0..high {
                let weight = counts[high][low] + counts[low][high];
                let of = weight * weight / f64::max(squares[high][low], f64::MIN_POSITIVE);
                if of >= THINNEST {
                    cells.push(Cell { low, high, wins: counts[high][low], weight, of });
                }
            }
        }
        if cells.len() < BINS {
            return None;
        }
        // Weighted least squares, the weights from the fit before; a few rounds settle it.
        let mut heights = [0.0; BINS];
        let mut free = 0;
        for _ in 0..5 {
            (heights, free) = fit(&cells, &heights);
        }
        let degrees = cells.len().checked_sub(free).filter(|degrees| *degrees > 0)?;
        let chi_square = cells
            .iter()
            .map(|cell| {
                (cell.wins - cell.weight * expected(&heights, cell)).powi(2) * weight(&heights, cell)
                    / cell.weight
                    / cell.weight
            })
            .sum();
        Some(Self { chi_square, degrees, probability: chi_square_tail(chi_square, degrees) })
    }
}

/// The share of wins that heights imply.
fn expected(heights: &[f64; BINS], cell: &Cell) -> f64 {
    0.5 + heights[cell.high] - heights[cell.low]
}

/// One by the variance of a cell's share, which is kept away from certainty.
fn weight(heights: &[f64; BINS], cell: &Cell) -> f64 {
    let share = expected(heights, cell).clamp(0.02, 0.98);
    cell.of / (share * (1.0 - share))
}

/// Heights that fit best with the weights of the heights before, and how many are determined. The normal
/// equations are solved by elimination; bins without cells, and the level, stay at 0.
fn fit(cells: &[Cell], before: &[f64; BINS]) -> ([f64; BINS], usize) {
    let mut matrix = [[0.0; BINS + 1]; BINS];
    for cell in cells {
        let (weight, gap) = (weight(before, cell), cell.wins / cell.weight - 0.5);
        for (one, two, sign) in [(cell.high, cell.low, 1.0), (cell.low, cell.high, -1.0)] {
            matrix[one][one] += weight;
            matrix[one][two] -= weight;
            matrix[one][BINS] += sign * weight * gap;
        }
    }
    let largest = matrix
        .as_flattened()
        .iter()
        .fold(0.0_f64, |largest, value| largest.max(value.abs()));
    let mut determined = [false; BINS];
    for pivot in 0..BINS {
        // A Laplacian needs no exchange of rows: a pivot that vanishes is a level that nothing fixes.
        if matrix[pivot][pivot] <= 1e-9 * largest {
            continue;
        }
        determined[pivot] = true;
        let row = matrix[pivot];
        for other in (0..BINS).filter(|other| *other != pivot) {
            let factor = matrix[other][pivot] / row[pivot];
            for (cell, from) in matrix[other].iter_mut().zip(row) {
                *cell -= factor * from;
            }
        }
    }
    let mut heights = [0.0; BINS];
    for bin in (0..BINS).filter(|bin| determined[*bin]) {
        heights[bin] = matrix[bin][BINS] / matrix[bin][bin];
    }
    (heights, determined.iter().filter(|fixed| **fixed).count())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::HeldOutScores;
    use crate::random::{Purpose, chance, stream, unit};

    /// P-values over 200 sets of 3,000 pairs whose order has probability `of` the two scores in (0, 1).
    fn probabilities(of: impl Fn(f64, f64) -> f64) -> Vec<f64> {
        probabilities_of(200, 3000, of)
    }

    fn probabilities_of(sets: usize, pairs: usize, of: impl Fn(f64, f64) -> f64) -> Vec<f64> {
        let mut rng = stream(4, Purpose::Comparisons);
        (0..sets)
            .map(|_| {
                let (likelier, other) = (0..pairs)
                    .map(|_| {
                        let (a, b) = (unit(&mut rng), unit(&mut rng));
                        if chance(&mut rng, of(a, b)) { (a as f32, b as f32) } else { (b as f32, a as f32) }
                    })
                    .unzip();
                let scores = HeldOutScores::of_one_model(likelier, other).unwrap();
                Additivity::new(&Ranked::new(&scores).unwrap()).unwrap().probability
            })
            .collect()
    }

    #[test]
    fn additive_orders_are_rejected_as_often_as_the_level_says() {
        let additive = probabilities(|a, b| 0.5 + 0.45 * (a * a - b * b));
        let rejected = additive.iter().filter(|p| **p < 0.05).count();
        // 10 expected, ± 3.1.
        assert!(rejected <= 20, "{rejected} of 200");
        let mean = additive.iter().sum::<f64>() / 200.0;
        assert!((mean - 0.5).abs() < 0.1, "{mean}");
    }

    #[test]
    fn many_pairs_whose_order_is_all_but_certain_are_additive_too() {
        let positive = |score: f64| ((score - 0.4) / 0.2).clamp(0.002, 0.998);
        let additive = probabilities_of(20, 200_000, |a, b| 0.5 + 0.5 * (positive(a) - positive(b)));
        assert!(additive.iter().filter(|p| **p < 0.05).count() <= 4, "{additive:?}");
    }

    #[test]
    fn orders_by_confidence_are_not_additive() {
        // Who always picks the higher score.
        let confident = probabilities(|a, b| if a > b { 0.9 } else { 0.1 });
        assert!(confident.iter().all(|p| *p < 0.01));
    }

    #[test]
    fn six_bins_have_ten_degrees_of_freedom() {
        let mut rng = stream(4, Purpose::Comparisons);
        let mut draw = || (0..2000).map(|_| unit(&mut rng) as f32).collect::<Vec<_>>();
        let scores = HeldOutScores::of_one_model(draw(), draw()).unwrap();
        assert_eq!(Additivity::new(&Ranked::new(&scores).unwrap()).unwrap().degrees, 10);
    }
}
