//! κ₁ and κ₂: how much of one pile is contained in the other, from the tails of held-out scores.
//!
//! κ₁ is the largest share of p̃₋ inside p̃₊, κ₂ that of p̃₊ inside p̃₋. In any region of scores
//! P(region | likelier)/P(region | other) is at least κ₁ = (1−θ₊)/(1−θ₋), with equality where only
//! negatives live; mirrored, P(region | other)/P(region | likelier) ≥ κ₂ = θ₋/θ₊. So the smallest ratio over low tails is an
//! upper bound of κ₁, the smallest over high tails one of κ₂, *whatever* the scorer; and they are κ₁ and
//! κ₂ themselves if some tail is pure (irreducibility).
//!
//! The estimate is best-bin estimation: the ratio at the tail that minimises ratio + penalty, the penalty
//! growing as the tail shrinks. The upper bound holds with a given probability for all of a grid of
//! tails at once, so its smallest value may be taken.

use serde::Serialize;

use super::distribution::normal_above;
use super::ranked::Ranked;
use crate::prior::Prior;
use crate::protocol::{Mixture, Protocol};

/// κ₁ and κ₂ of a mixture with pure tails: ((1−θ₊)/(1−θ₋), θ₋/θ₊).
pub fn containment(mixture: &Mixture) -> [f64; 2] {
    let [likelier, other] = mixture.shares();
    [(1.0 - likelier) / (1.0 - other), other / likelier]
}

/// θ₊ = (1−κ₁)/(1−κ₁κ₂) and θ₋ = κ₂θ₊: the inverse of [`containment`]. `None` where the κ belong to no
/// mixture with a contrast.
pub fn mixture_of(containment: [f64; 2]) -> Option<Mixture> {
    let [first, second] = containment;
    let likelier = (1.0 - first) / (1.0 - first * second);
    Mixture::new(likelier, second * likelier).ok()
}

/// The prior at which a protocol has this κ₁ (`which` = 0, falling in π) or κ₂ (1, rising), or the end
/// of (0, 1) nearest to it.
pub(crate) fn prior_of(protocol: &Protocol, which: usize, kappa: f64) -> f64 {
    let (mut low, mut high) = (1e-9, 1.0 - 1e-9);
    for _ in 0..50 {
        let middle = f64::midpoint(low, high);
        let value = Prior::new(middle)
            .and_then(|prior| protocol.mixture(prior))
            .map(|m| containment(&m)[which]);
        // Next to 0 and 1 the contrast is lost to rounding; there κ is next to its limit.
        let value = value.unwrap_or(if (middle < 0.5) == (which == 0) { 1.0 } else { 0.0 });
        if (value < kappa) == (which == 1) {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

/// A containment estimated from one side's tails.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TailRatio {
    /// The ratio at the best tail.
    pub value: f64,
    /// The share of the denominator's pile in that tail.
    pub tail: f64,
    /// What the true containment exceeds with probability (1 − level)/2 at most, whether a tail is pure
    /// or not.
    pub high: f64,
    /// What it falls below with that probability at most, *if* the outermost tenth of the scores is pure;
    /// 0 for fewer than a thousand comparisons, whose tenth is too thin to say.
    pub low: f64,
}

/// κ₁ from low tails and κ₂ from high tails.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Tails {
    /// [κ₁, κ₂].
    pub containment: [TailRatio; 2],
    /// The level of the bounds.
    pub level: f64,
}

impl Tails {
    pub(crate) fn new(ranked: &Ranked, level: f64) -> Self {
        let pile = |ranks: &[f64], turned: bool| {
            let rank = |rank: f64| if turned { 1.0 - rank } else { rank };
            let weighted = ranks.iter().zip(&ranked.weights);
            PileTail::new(weighted.map(|(at, weight)| (rank(*at), *weight)).collect())
        };
        let size = ranked.size();
        let first = tail_ratio(&pile(&ranked.likelier, false), &pile(&ranked.other, false), size, level);
        let second = tail_ratio(&pile(&ranked.other, true), &pile(&ranked.likelier, true), size, level);
        Self { containment: [first, second], level }
    }

    /// [κ₁, κ₂].
    pub fn values(&self) -> [f64; 2] {
        self.containment.map(|side| side.value)
    }
}

/// δ and γ of best-bin estimation, as published.
const CONFIDENCE: f64 = 0.1;
const SLACK: f64 = 0.01;

/// Shares of the denominator's pile at which the upper bound is taken: a geometric grid from 2 %.
const GRID: [f64; 18] = [
    0.02, 0.025, 0.032, 0.04, 0.05, 0.063, 0.08, 0.1, 0.125, 0.16, 0.2, 0.25, 0.32, 0.4, 0.5, 0.63, 0.8,
    1.0,
];

/// The tail that is taken for pure where something must be, and the comparisons that this needs.
const OUTERMOST: f64 = 0.1;
const ENOUGH: f64 = 1000.0;

/// The ranks of a pile, sorted, and the weight of all up to each of them. Both piles weigh the same.
struct PileTail {
    ranks: Vec<f64>,
    up_to: Vec<f64>,
    total: f64,
}

impl PileTail {
    fn new(mut weighted: Vec<(f64, f64)>) -> Self {
        weighted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let mut total = 0.0;
        let mut up_to = Vec::with_capacity(weighted.len());
        for (_, weight) in &weighted {
            total += weight;
            up_to.push(total);
        }
        Self { ranks: weighted.into_iter().map(|(rank, _)| rank).collect(), up_to, total }
    }

    /// The weight of the first so many.
    fn weight(&self, count: usize) -> f64 {
        count.checked_sub(1).map_or(0.0, |last| self.up_to[last])
    }

    /// The share of the pile up to a rank.
    fn share(&self, cut: f64) -> f64 {
        self.weight(self.ranks.partition_point(|rank| *rank <= cut)) / self.total
    }

    /// The first rank with so large a share up to it.
    fn cut(&self, share: f64) -> f64 {
        // Sums of shares that should be whole may come out a hair below.
        let at = self.up_to.partition_point(|up_to| up_to / self.total < share - 1e-12);
        self.ranks[at.min(self.ranks.len() - 1)]
    }
}

/// The smallest ratio of low tails, `numerator` to `denominator`, each worth so many answers of equal weight.
fn tail_ratio(numerator: &PileTail, denominator: &PileTail, size: f64, level: f64) -> TailRatio {
    let penalty = (1.0 + SLACK) * 2.0 * ((4.0 / CONFIDENCE).ln() / (2.0 * size)).sqrt();
    let (mut best, mut inside) = ((f64::INFINITY, 1.0, 1.0), 0);
    for (at, cut) in denominator.ranks.iter().enumerate() {
        if denominator.ranks.get(at + 1) == Some(cut) {
            continue;
        }
        while numerator.ranks.get(inside).is_some_and(|rank| rank <= cut) {
            inside += 1;
        }
        let tail = denominator.up_to[at] / denominator.total;
        let ratio = numerator.weight(inside) / denominator.up_to[at];
        if ratio + penalty / tail < best.0 {
            best = (ratio + penalty / tail, ratio, tail);
        }
    }
    let (_, value, tail) = best;

    let side = 0.5 * (1.0 - level);
    let (z_all, z_one) = (normal_above(side / GRID.len() as f64), normal_above(side));
    let (mut low, mut high) = (if size < ENOUGH { 0.0 } else { value.min(1.0) }, 1.0_f64);
    for share in GRID {
        let cut = denominator.cut(share);
        let (a, b) = (numerator.share(cut), denominator.share(cut));
        high = high.min(score_bounds(a, b, size, z_all)[1]);
        if share >= OUTERMOST {
            low = low.min(score_bounds(a, b, size, z_one)[0]);
        }
    }
    TailRatio { value: value.min(1.0), tail, high: high.max(value.min(1.0)), low }
}

/// The ratios κ = a/b that shares a and b of n do not refute: (a − κb)² ≤ z²/n·(κb(1−κb) + κ²b(1−b)),
/// the variance being that of a − κb when a's share is κb. Unlike the variance at the observed a it does
/// not vanish where a is 0. What a comparison's two items have in common is left out: under both
/// protocols it makes the variance smaller.
fn score_bounds(a: f64, b: f64, n: f64, z: f64) -> [f64; 2] {
    let scale = z * z / n;
    let square = b * b - scale * (b - 2.0 * b * b);
    let half = a * b + 0.5 * scale * b;
    let root = (half * half - square * a * a).max(0.0).sqrt();
    if square <= 0.0 { [0.0, f64::INFINITY] } else { [(half - root) / square, (half + root) / square] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::HeldOutScores;
    use crate::protocol::Collection;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn containments_are_the_closed_forms(p in 0.02..0.98_f64, e in 0.0..0.45_f64) {
            let (n, prior) = (1.0 - p, Prior::new(p).unwrap());
            let of = |collection| {
                containment(&Protocol::new(collection, e).unwrap().mixture(prior).unwrap())
            };
            let [first, second] = of(Collection::Discard);
            prop_assert!((first - (n + e * p) / (1.0 - e * p)).abs() < 1e-9);
            prop_assert!((second - (p + e * n) / (1.0 - e * n)).abs() < 1e-9);
            let [first, second] = of(Collection::ForcedChoice);
            prop_assert!((first - (n + 2.0 * e * p) / (n + 2.0 * p * (1.0 - e))).abs() < 1e-9);
            prop_assert!((second - (p + 2.0 * e * n) / (p + 2.0 * n * (1.0 - e))).abs() < 1e-9);
        }

        #[test]
        fn mixture_and_containment_determine_each_other(p in 0.02..0.98_f64, e in 0.0..0.4_f64, forced: bool) {
            let collection = if forced { Collection::ForcedChoice } else { Collection::Discard };
            let mixture = Protocol::new(collection, e).unwrap().mixture(Prior::new(p).unwrap()).unwrap();
            let back = mixture_of(containment(&mixture)).unwrap();
            for (a, b) in back.shares().iter().zip(mixture.shares()) {
                prop_assert!((a - b).abs() < 1e-9);
            }
        }

        #[test]
        fn each_containment_gives_the_prior_back(p in 0.02..0.98_f64, e in 0.0..0.4_f64, forced: bool) {
            let collection = if forced { Collection::ForcedChoice } else { Collection::Discard };
            let protocol = Protocol::new(collection, e).unwrap();
            let kappa = containment(&protocol.mixture(Prior::new(p).unwrap()).unwrap());
            for which in [0, 1] {
                prop_assert!((prior_of(&protocol, which, kappa[which]) - p).abs() < 1e-6);
            }
        }

        #[test]
        fn an_unknown_labeller_error_never_shuts_the_prior_out(
            p in 0.02..0.98_f64, e in 0.0..0.45_f64, forced: bool,
        ) {
            // The bounds for ε = 0 hold for every ε.
            let collection = if forced { Collection::ForcedChoice } else { Collection::Discard };
            let erring = Protocol::new(collection, e).unwrap().mixture(Prior::new(p).unwrap()).unwrap();
            let exact = Protocol::new(collection, 0.0).unwrap();
            let kappa = containment(&erring);
            prop_assert!(prior_of(&exact, 0, kappa[0]) <= p + 1e-6);
            prop_assert!(prior_of(&exact, 1, kappa[1]) >= p - 1e-6);
        }

        #[test]
        fn the_bounds_of_a_ratio_solve_their_equation(
            a in 0.01..0.5_f64, b in 0.2..0.9_f64, n in 50.0..5000.0_f64, z in 1.0..3.0_f64,
        ) {
            for kappa in score_bounds(a, b, n, z) {
                prop_assume!(kappa.is_finite());
                let variance = kappa * b * (1.0 - kappa * b) + kappa * kappa * b * (1.0 - b);
                prop_assert!(((a - kappa * b).powi(2) - z * z / n * variance).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn tails_of_separated_classes_give_their_containments() {
        // Positives score above 1, negatives below; 75 % positives in one pile, 25 % in the other.
        let pile = |positives: usize| {
            // Within a class, scores are spread alike in both piles.
            let spread = |k: usize| (k as f32 * 0.618_034).fract() / 2.0;
            (0..4000)
                .map(|k| spread(k) + f32::from(u8::from(k < positives)))
                .collect::<Vec<_>>()
        };
        let scores = HeldOutScores::of_one_model(pile(3000), pile(1000)).unwrap();
        let tails = Tails::new(&Ranked::new(&scores).unwrap(), 0.95);
        for side in tails.containment {
            assert!((side.value - 1.0 / 3.0).abs() < 0.02, "{side:?}");
            assert!(side.low < 1.0 / 3.0 && 1.0 / 3.0 < side.high, "{side:?}");
        }
    }

    #[test]
    fn a_rank_of_weight_two_counts_as_two_equal_ranks() {
        // Of the same size, so that the penalty for a thin tail is the same.
        let ranks = |of: &dyn Fn(usize) -> f64| {
            (0..300).map(|k| (of(k), [1.0, 2.0, 0.0][k % 3])).collect::<Vec<_>>()
        };
        let piles = [ranks(&|k| (k as f64 / 300.0).sqrt()), ranks(&|k| (k as f64 / 300.0).powi(2))];
        let twice = |pile: &[(f64, f64)]| {
            let again = |(rank, weight): &(f64, f64)| std::iter::repeat_n((*rank, 1.0), *weight as usize);
            PileTail::new(pile.iter().flat_map(again).collect())
        };
        let weighted = piles.clone().map(PileTail::new);
        let repeated = piles.each_ref().map(|pile| twice(pile));
        let plain =
            piles.map(|pile| PileTail::new(pile.into_iter().map(|(rank, _)| (rank, 1.0)).collect()));
        let of = |[likelier, other]: &[PileTail; 2]| tail_ratio(likelier, other, 300.0, 0.95);
        assert_eq!(of(&weighted), of(&repeated));
        assert_ne!(of(&weighted), of(&plain));
    }

    #[test]
    fn scores_that_are_all_equal_contain_everything() {
        let scores = HeldOutScores::of_one_model(vec![1.0; 30], vec![1.0; 30]).unwrap();
        let tails = Tails::new(&Ranked::new(&scores).unwrap(), 0.95);
        for side in tails.containment {
            assert_eq!((side.value, side.high, side.tail), (1.0, 1.0, 1.0));
        }
    }
}
