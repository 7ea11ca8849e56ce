//! Held-out scores made comparable: ranks within a fold, and how much a rank says about the pile.
//!
//! Models of different folds have scores of different level and scale. Within a fold a score is replaced
//! by its rank among the fold's scores of both piles, a number in (0, 1). That is all that tail ratios
//! need. For moments, a rank is further replaced by g = the share of the likelier pile among scores of
//! such rank, a rising step function that is fitted on the *other* folds. Of all functions of the score
//! it parts the piles best for its variance: the identities hold for any g, and intervals are narrowest
//! for this one.

use super::folds::HeldOutScores;
use crate::error::Error;

/// Fewer comparisons than this say nothing that could be told with an interval.
pub const FEWEST: usize = 20;

/// Ranks within folds, comparison by comparison.
#[derive(Clone, Debug)]
pub(crate) struct Ranked {
    pub(crate) likelier: Vec<f64>,
    pub(crate) other: Vec<f64>,
    pub(crate) fold: Vec<usize>,
    /// All scores of each fold, sorted.
    sorted: Vec<Vec<f32>>,
}

impl Ranked {
    /// Ranks of scores; equal scores share their middle rank.
    pub(crate) fn new(scores: &HeldOutScores) -> Result<Self, Error> {
        if scores.len() < FEWEST {
            return Err(Error::Setting {
                name: "the number of comparisons to estimate from",
                value: scores.len().to_string(),
                allowed: "at least 20",
            });
        }
        // Folds may be numbered in any way.
        let mut names = scores.folds().to_vec();
        names.sort_unstable();
        names.dedup();
        let fold: Vec<usize> =
            scores.folds().iter().map(|name| names.partition_point(|n| n < name)).collect();
        let mut sorted = vec![Vec::new(); names.len()];
        for pile in [scores.likelier(), scores.other()] {
            for (fold, score) in fold.iter().zip(pile) {
                sorted[*fold].push(*score);
            }
        }
        for fold in &mut sorted {
            fold.sort_unstable_by(f32::total_cmp);
        }
        let ranks = |pile: &[f32]| {
            fold.iter()
                .zip(pile)
                .map(|(fold, score)| rank(&sorted[*fold], *score))
                .collect::<Vec<_>>()
        };
        Ok(Self { likelier: ranks(scores.likelier()), other: ranks(scores.other()), fold, sorted })
    }

    /// The number of comparisons.
    pub(crate) fn len(&self) -> usize {
        self.fold.len()
    }

    /// The number of folds.
    pub(crate) fn folds(&self) -> usize {
        self.sorted.len()
    }

    /// The rank that a score of any row would have in a fold.
    pub(crate) fn rank(&self, fold: usize, score: f32) -> f64 {
        rank(&self.sorted[fold], score)
    }

    /// g for each of several folds, fitted on the others.
    pub(crate) fn contrast_maps(&self) -> Vec<ContrastMap> {
        (0..self.folds())
            .map(|fold| ContrastMap::fit(self, |at| self.fold[at] != fold))
            .collect()
    }

    /// g of each comparison's two items.
    pub(crate) fn contrasts(&self) -> Contrasts {
        if self.folds() == 1 {
            // Two halves stand in for folds.
            let maps = [1, 0].map(|half| ContrastMap::fit(self, |at| at % 2 == half));
            let fold: Vec<usize> = (0..self.len()).map(|at| at % 2).collect();
            return Contrasts::new(self, &maps, fold);
        }
        Contrasts::new(self, &self.contrast_maps(), self.fold.clone())
    }
}

fn rank(sorted: &[f32], score: f32) -> f64 {
    let below = sorted.partition_point(|other| *other < score);
    let up_to = sorted.partition_point(|other| *other <= score);
    (below + up_to) as f64 / (2.0 * sorted.len() as f64)
}

/// A rising step function of the rank: the share of the likelier pile among such ranks.
#[derive(Clone, Debug)]
pub(crate) struct ContrastMap([f64; STEPS]);

/// Steps of equal width; neighbours that would fall are joined.
const STEPS: usize = 32;

impl ContrastMap {
    fn fit(ranked: &Ranked, use_it: impl Fn(usize) -> bool) -> Self {
        // One of each pile at every step to begin with, so that an empty step is no certainty.
        let mut counts = [[1.0; 2]; STEPS];
        for at in (0..ranked.len()).filter(|at| use_it(*at)) {
            counts[step(ranked.likelier[at])][0] += 1.0;
            counts[step(ranked.other[at])][1] += 1.0;
        }
        // Pool adjacent violators.
        let mut blocks: Vec<([f64; 2], usize)> = Vec::with_capacity(STEPS);
        let share = |count: [f64; 2]| count[0] / (count[0] + count[1]);
        for count in counts {
            let mut block = (count, 1);
            while let Some((last, width)) =
                blocks.last().copied().filter(|last| share(last.0) >= share(block.0))
            {
                blocks.pop();
                block = ([last[0] + block.0[0], last[1] + block.0[1]], width + block.1);
            }
            blocks.push(block);
        }
        let mut shares = blocks
            .iter()
            .flat_map(|(count, width)| std::iter::repeat_n(share(*count), *width));
        Self(std::array::from_fn(|_| shares.next().unwrap_or(0.5)))
    }

    /// g of a rank.
    pub(crate) fn at(&self, rank: f64) -> f64 {
        self.0[step(rank)]
    }
}

fn step(rank: f64) -> usize {
    ((rank * STEPS as f64) as usize).min(STEPS - 1)
}

/// g of both items of each comparison, and its moments.
#[derive(Clone, Debug)]
pub(crate) struct Contrasts {
    pub(crate) likelier: Vec<f64>,
    pub(crate) other: Vec<f64>,
    pub(crate) fold: Vec<usize>,
    pub(crate) folds: usize,
}

impl Contrasts {
    fn new(ranked: &Ranked, maps: &[ContrastMap], fold: Vec<usize>) -> Self {
        let apply =
            |ranks: &[f64]| ranks.iter().zip(&fold).map(|(rank, fold)| maps[*fold].at(*rank)).collect();
        Self { likelier: apply(&ranked.likelier), other: apply(&ranked.other), folds: maps.len(), fold }
    }

    /// The mean of g over each pile, fold by fold, and the number of comparisons.
    pub(crate) fn means(&self) -> Vec<([f64; 2], f64)> {
        let mut sums = vec![([0.0; 2], 0.0); self.folds];
        for ((likelier, other), fold) in self.likelier.iter().zip(&self.other).zip(&self.fold) {
            let (sum, count) = &mut sums[*fold];
            sum[0] += likelier;
            sum[1] += other;
            *count += 1.0;
        }
        for (sum, count) in &mut sums {
            *sum = sum.map(|sum| sum / f64::max(*count, 1.0));
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_do_not_depend_on_a_folds_level_and_equal_scores_share_one() {
        let scores: Vec<f32> = (0..20_u8).map(f32::from).collect();
        let shifted: Vec<f32> = scores.iter().map(|score| 3.0 * score - 100.0).collect();
        let tied = vec![5.0; 40];
        let folds = [vec![9; 20], vec![4; 20]].concat();
        let one = HeldOutScores::new([scores, shifted].concat(), tied, folds).unwrap();
        let ranked = Ranked::new(&one).unwrap();
        assert_eq!(ranked.folds(), 2);
        assert_eq!(ranked.fold[0], 1, "by the order of their names");
        assert!(ranked.likelier[..20].is_sorted() && ranked.likelier[20..].is_sorted());
        assert_eq!(ranked.other[0], (5.0 + 26.0) / 80.0, "the middle of twenty-one equal scores");
        let few = HeldOutScores::of_one_model(vec![1.0; 19], vec![0.0; 19]).unwrap();
        assert!(Ranked::new(&few).unwrap_err().to_string().contains("at least 20, got 19"));
    }

    #[test]
    fn the_contrast_map_rises_and_is_flat_where_nothing_is_known() {
        // The likelier pile has all the high ranks.
        let high: Vec<f32> = (200..300_u16).map(f32::from).collect();
        let low: Vec<f32> = (0..100_u16).map(f32::from).collect();
        let scores = HeldOutScores::of_one_model(high, low).unwrap();
        let contrasts = Ranked::new(&scores).unwrap().contrasts();
        assert!(contrasts.likelier.iter().all(|g| *g > 0.6));
        assert!(contrasts.other.iter().all(|g| *g < 0.4));
        let equal = HeldOutScores::of_one_model(vec![1.0; 50], vec![1.0; 50]).unwrap();
        let contrasts = Ranked::new(&equal).unwrap().contrasts();
        assert!(contrasts.likelier.iter().all(|g| (g - contrasts.other[0]).abs() < 1e-12));
    }
}
