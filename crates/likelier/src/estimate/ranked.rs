//! Held-out scores made comparable: ranks within a fold, and how much a rank says about the pile.
//!
//! Models of different folds have scores of different level and scale. Within a fold a score is replaced
//! by its rank among the fold's scores of both piles, a number in (0, 1). That is all that tail ratios
//! need. For moments, a rank is further replaced by g = the share of the likelier pile among scores of
//! such rank, a rising step function that is fitted on the *other* folds. Of all functions of the score
//! it parts the piles best for its variance: the identities hold for any g, and intervals are narrowest
//! for this one.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use super::dyads::{Dyads, sort};
use super::folds::HeldOutScores;
use crate::error::Error;

/// Fewer comparisons than this say nothing that could be told with an interval.
pub const FEWEST: usize = 20;

/// Ranks within folds, comparison by comparison.
#[derive(Clone, Debug)]
pub(crate) struct Ranked {
    pub(crate) likelier: Vec<f64>,
    pub(crate) other: Vec<f64>,
    /// Of the likelier and of the other item of each comparison.
    pub(crate) folds_of: [Vec<usize>; 2],
    /// How much each comparison counts.
    pub(crate) weights: Vec<f64>,
    /// The pair that each is of: answers to one pair are one observation.
    pub(crate) pair: Vec<usize>,
    /// How many pairs there are.
    pub(crate) pairs: usize,
    /// Which pairs share an item, where that is known.
    pub(crate) dyads: Option<Arc<Dyads>>,
    /// The group that each was made within, where that is known.
    pub(crate) groups: Option<Vec<u32>>,
    /// All scores of each fold, sorted.
    sorted: Vec<SortedScores>,
}

/// Sorted scores, and the weight of all up to each of them.
#[derive(Clone, Debug, Default)]
struct SortedScores {
    scores: Vec<f32>,
    up_to: Vec<f64>,
}

impl SortedScores {
    /// Sorts scores with their places, and says the rank of each place.
    fn with_ranks(mut placed: Vec<(f32, u32)>, weight: impl Fn(u32) -> f64) -> (Self, Vec<(u32, f64)>) {
        sort(&mut placed, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut sum = 0.0;
        let mut add = |weight: f64| {
            sum += weight;
            sum
        };
        let up_to: Vec<f64> = placed.iter().map(|(_, place)| add(weight(*place))).collect();
        let all = (2.0 * up_to.last().copied().unwrap_or(0.0)).max(f64::MIN_POSITIVE);
        let mut ranks = Vec::with_capacity(placed.len());
        let mut below = 0.0;
        for equal in placed.chunk_by(|a, b| a.0 == b.0) {
            let up_to = up_to[ranks.len() + equal.len() - 1];
            ranks.extend(equal.iter().map(|(_, place)| (*place, (below + up_to) / all)));
            below = up_to;
        }
        (Self { scores: placed.into_iter().map(|(score, _)| score).collect(), up_to }, ranks)
    }

    /// The share of the weight below a score, and half of what lies at it.
    fn rank(&self, score: f32) -> f64 {
        let weight = |count: usize| count.checked_sub(1).map_or(0.0, |last| self.up_to[last]);
        let below = weight(self.scores.partition_point(|other| *other < score));
        let up_to = weight(self.scores.partition_point(|other| *other <= score));
        (below + up_to) / (2.0 * weight(self.scores.len())).max(f64::MIN_POSITIVE)
    }
}

/// Ranks that are worked out when they are first asked for: a good part of all work where comparisons are many.
#[derive(Clone, Debug, Default)]
pub(super) struct RankedOnce(OnceLock<Arc<Ranked>>);

/// They follow from the scores.
impl PartialEq for RankedOnce {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Ranked {
    /// The ranks of scores, worked out once.
    pub(crate) fn of(scores: &HeldOutScores) -> Result<Arc<Self>, Error> {
        let RankedOnce(once) = scores.ranked_once();
        if let Some(known) = once.get() {
            return Ok(Arc::clone(known));
        }
        let ranked = Arc::new(Self::new(scores)?);
        Ok(Arc::clone(once.get_or_init(|| ranked)))
    }

    /// Ranks of scores; equal scores share their middle rank.
    pub(crate) fn new(scores: &HeldOutScores) -> Result<Self, Error> {
        if scores.answers() < FEWEST {
            return Err(Error::TooFewToEstimate { found: scores.answers(), needed: FEWEST });
        }
        // Folds may be numbered in any way.
        let mut names = scores.folds().concat();
        names.sort_unstable();
        names.dedup();
        let number = |name: &u32| names.partition_point(|other| other < name);
        let folds_of = scores
            .folds()
            .each_ref()
            .map(|of| of.iter().map(number).collect::<Vec<usize>>());
        let weights: Vec<f64> = (0..scores.len()).map(|at| scores.weight(at)).collect();
        // The place of each score: first those of the likelier items, then those of the others.
        let mut of_fold: Vec<Vec<(f32, u32)>> = vec![Vec::new(); names.len()];
        for (folds, (pile, first)) in
            folds_of.iter().zip([(scores.likelier(), 0), (scores.other(), scores.len())])
        {
            for ((fold, score), place) in folds.iter().zip(pile).zip(first as u32..) {
                of_fold[*fold].push((*score, place));
            }
        }
        let ranked: Vec<(SortedScores, Vec<(u32, f64)>)> = of_fold
            .into_iter()
            .map(|placed| SortedScores::with_ranks(placed, |place| weights[place as usize % scores.len()]))
            .collect();
        let mut ranks = [vec![0.0; scores.len()], vec![0.0; scores.len()]];
        for (place, rank) in ranked.iter().flat_map(|(_, ranks)| ranks) {
            let place = *place as usize;
            ranks[place / scores.len()][place % scores.len()] = *rank;
        }
        let sorted = ranked.into_iter().map(|(sorted, _)| sorted).collect();
        let [likelier, other] = ranks;
        let pair: Vec<usize> = (0..scores.len()).map(|at| scores.pair(at)).collect();
        let pairs = scores.dyads().map_or(scores.len(), |dyads| dyads.pairs());
        let (dyads, groups) = (scores.dyads().cloned(), scores.groups().map(<[u32]>::to_vec));
        Ok(Self { likelier, other, folds_of, weights, pair, pairs, dyads, groups, sorted })
    }

    /// The number of comparisons.
    pub(crate) fn len(&self) -> usize {
        self.likelier.len()
    }

    /// How many pairs of equal weight the comparisons are worth; however often they are used, items are no more
    /// observations than there are of them.
    pub(crate) fn size(&self) -> f64 {
        let mut of_pair = vec![0.0; self.pairs];
        for (pair, weight) in self.pair.iter().zip(&self.weights) {
            of_pair[*pair] += weight;
        }
        let (total, squares) = of_pair.iter().fold((0.0, 0.0), |(t, s), w| (t + w, s + w * w));
        let pairs = total * total / f64::max(squares, f64::MIN_POSITIVE);
        let items = |dyads: &Arc<Dyads>| dyads.effective_items(|at| self.weights[at]);
        pairs.min(self.dyads.as_ref().map_or(f64::INFINITY, items))
    }

    /// The number of folds.
    pub(crate) fn folds(&self) -> usize {
        self.sorted.len()
    }

    /// The rank that a score of any row would have in a fold.
    pub(crate) fn rank(&self, fold: usize, score: f32) -> f64 {
        self.sorted[fold].rank(score)
    }

    /// g for each of several folds, fitted on the others.
    pub(crate) fn contrast_maps(&self) -> Vec<ContrastMap> {
        (0..self.folds())
            .map(|fold| ContrastMap::fit(self, |pile, at| self.folds_of[pile][at] != fold))
            .collect()
    }

    /// g of each comparison's two items.
    pub(crate) fn contrasts(&self) -> Contrasts {
        if self.folds() == 1 {
            // Two halves stand in for folds.
            let maps = [1, 0].map(|half| ContrastMap::fit(self, |_, at| self.pair[at] % 2 == half));
            let fold: Vec<usize> = self.pair.iter().map(|pair| pair % 2).collect();
            return Contrasts::new(self, &maps, [&fold, &fold]);
        }
        Contrasts::new(self, &self.contrast_maps(), self.folds_of.each_ref().map(Vec::as_slice))
    }
}

/// A rising step function of the rank: the share of the likelier pile among such ranks.
#[derive(Clone, Debug)]
pub(crate) struct ContrastMap([f64; STEPS]);

/// Steps of equal width; neighbours that would fall are joined.
const STEPS: usize = 32;

impl ContrastMap {
    fn fit(ranked: &Ranked, use_it: impl Fn(usize, usize) -> bool) -> Self {
        // One of each pile at every step to begin with, so that an empty step is no certainty.
        let mut counts = [[1.0; 2]; STEPS];
        for (pile, ranks) in [&ranked.likelier, &ranked.other].into_iter().enumerate() {
            for at in (0..ranked.len()).filter(|at| use_it(pile, *at)) {
                counts[step(ranks[at])][pile] += ranked.weights[at];
            }
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
    pub(crate) weights: Vec<f64>,
    /// The pair that each comparison is of, and how many there are.
    pub(crate) pair: Vec<usize>,
    pub(crate) pairs: usize,
    /// What moments are taken within: folds, or the groups that comparisons were made within.
    pub(crate) fold: Vec<usize>,
    pub(crate) folds: usize,
    /// Whether `fold` is the group.
    pub(crate) in_groups: bool,
    /// Which pairs share an item, where that is known.
    pub(crate) dyads: Option<Arc<Dyads>>,
}

/// What a fold's comparisons come to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FoldMeans {
    /// The mean of g over each pile.
    pub(crate) means: [f64; 2],
    /// The weight of its comparisons.
    pub(crate) weight: f64,
    /// How many pairs of equal weight they are worth.
    pub(crate) size: f64,
}

/// One pair: all comparisons between its two items.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PairSums {
    pub(crate) fold: usize,
    pub(crate) weight: f64,
    /// Σ w·a of the likelier items and Σ w·b of the others, centred at the fold's means.
    pub(crate) centred: [f64; 2],
    /// Σ w·a·b.
    pub(crate) product: f64,
}

impl Contrasts {
    fn new(ranked: &Ranked, maps: &[ContrastMap], folds_of: [&[usize]; 2]) -> Self {
        let apply = |ranks: &[f64], folds: &[usize]| {
            ranks.iter().zip(folds).map(|(rank, fold)| maps[*fold].at(*rank)).collect()
        };
        // Comparisons across folds are one more group.
        let fold: Vec<usize> = folds_of[0]
            .iter()
            .zip(folds_of[1])
            .map(|(one, two)| if one == two { *one } else { maps.len() })
            .collect();
        let folds = maps.len() + usize::from(fold.contains(&maps.len()));
        Self {
            likelier: apply(&ranked.likelier, folds_of[0]),
            other: apply(&ranked.other, folds_of[1]),
            weights: ranked.weights.clone(),
            pair: ranked.pair.clone(),
            pairs: ranked.pairs,
            folds,
            fold,
            in_groups: false,
            dyads: ranked.dyads.clone(),
        }
        .within(ranked.groups.as_deref())
    }

    /// The means of g, fold by fold.
    pub(crate) fn means(&self) -> Vec<FoldMeans> {
        let mut folds = vec![FoldMeans::default(); self.folds];
        for at in 0..self.fold.len() {
            let (fold, weight) = (&mut folds[self.fold[at]], self.weights[at]);
            fold.means[0] += weight * self.likelier[at];
            fold.means[1] += weight * self.other[at];
            fold.weight += weight;
        }
        let mut squares = vec![0.0; self.folds];
        for pair in self.by_pair(&vec![FoldMeans::default(); self.folds]) {
            squares[pair.fold] += pair.weight * pair.weight;
        }
        for (fold, squares) in folds.iter_mut().zip(squares) {
            fold.means = fold.means.map(|sum| sum / fold.weight.max(f64::MIN_POSITIVE));
            fold.size = fold.weight * fold.weight / f64::max(squares, f64::MIN_POSITIVE);
        }
        folds
    }

    /// By how much the covariance of g within each group is too small because pairs are of *different* items of few:
    /// the variance of g over n items, divided by n − 1. Nothing where there are no groups.
    pub(crate) fn lost_to_few_items(&self) -> Vec<f64> {
        let Some(dyads) = self.dyads.as_ref().filter(|_| self.in_groups) else { return Vec::new() };
        let mut items: Vec<HashMap<u32, (f64, f64)>> = vec![HashMap::new(); self.folds];
        for at in 0..self.fold.len() {
            for (item, g) in dyads.ends(at).into_iter().zip([self.likelier[at], self.other[at]]) {
                let entry = items[self.fold[at]].entry(item).or_insert((g, 0.0));
                entry.1 += self.weights[at];
            }
        }
        let lost = |items: &HashMap<u32, (f64, f64)>| {
            // In a fixed order, so that sums are the same every time.
            let mut items: Vec<(u32, (f64, f64))> = items.iter().map(|(item, of)| (*item, *of)).collect();
            items.sort_unstable_by_key(|(item, _)| *item);
            let sum =
                |of: &dyn Fn(f64, f64) -> f64| items.iter().map(|(_, (g, w))| of(*g, *w)).sum::<f64>();
            let total = sum(&|_, weight| weight).max(f64::MIN_POSITIVE);
            let mean = sum(&|g, weight| weight * g) / total;
            let variance = sum(&|g, weight| weight * (g - mean).powi(2)) / total;
            let size = total * total / sum(&|_, weight| weight * weight).max(f64::MIN_POSITIVE);
            if size > 1.0 + 1e-9 { variance / (size - 1.0) } else { 0.0 }
        };
        items.iter().map(lost).collect()
    }

    /// The same, with moments taken within groups. A group may hold items of several folds: ranks are the same
    /// everywhere, and what a fold's map adds to them has nothing to do with the group.
    fn within(self, groups: Option<&[u32]>) -> Self {
        let Some(groups) = groups else { return self };
        let fold: Vec<usize> = groups.iter().map(|group| *group as usize).collect();
        let folds = fold.iter().max().map_or(0, |last| last + 1);
        Self { fold, folds, in_groups: true, ..self }
    }

    /// The sums over each pair, centred at the means of its fold.
    pub(crate) fn by_pair(&self, folds: &[FoldMeans]) -> Vec<PairSums> {
        let mut pairs = vec![PairSums::default(); self.pairs];
        for at in 0..self.fold.len() {
            let [likelier, other] = folds[self.fold[at]].means;
            let (a, b, weight) = (self.likelier[at] - likelier, self.other[at] - other, self.weights[at]);
            let pair = &mut pairs[self.pair[at]];
            pair.fold = self.fold[at];
            pair.weight += weight;
            pair.centred[0] += weight * a;
            pair.centred[1] += weight * b;
            pair.product += weight * a * b;
        }
        pairs
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
        let folds = [folds.clone(), folds];
        let one = HeldOutScores::new([scores, shifted].concat(), tied, folds).unwrap();
        let ranked = Ranked::new(&one).unwrap();
        assert_eq!(ranked.folds(), 2);
        assert_eq!(ranked.folds_of[0][0], 1, "by the order of their names");
        assert!(ranked.likelier[..20].is_sorted() && ranked.likelier[20..].is_sorted());
        assert_eq!(ranked.other[0], (5.0 + 26.0) / 80.0, "the middle of twenty-one equal scores");
        let few = HeldOutScores::of_one_model(vec![1.0; 19], vec![0.0; 19]).unwrap();
        let error = Ranked::new(&few).unwrap_err().to_string();
        assert!(error.contains("19 comparisons are too few") && error.contains("at least 20"), "{error}");
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
