//! What labellers who order equals by degree leave open: the smallest and the largest J = T − F.
//!
//! Theorem 1 tosses a coin for two items of one class; people order them by degree. With T and F the shares of
//! positives and negatives called positive, m the weight of mixed pairs among all that were recorded and N that
//! of all (forced choice: 2π(1−π) and 1; discard: π(1−π) and 1 − π(1−π)), the piles' shares A₊ and A₋ satisfy
//!
//! N·(A₊ − A₋) = mJ − 2e₁ + 2e₂ + S  and  (A₊ + A₋)/2 = bT + (1−b)F.
//!
//! - e₁ and e₂ are the mixed pairs that the labeller got wrong, among those called rightly and among those called
//!   the wrong way round (mT(1−F) and mF(1−T) of all). They may follow the degree; together they are at most mε.
//! - S is what the order of equals adds: from 0 (a coin) to S_max = 2π²T(1−T) + 2(1−π)²F(1−F), all pairs of equals
//!   that are called differently (perfect grading, exactly as the classifier grades).
//! - A tie counts half each way. Ties between differently called items, t of all, move either side by t at most.
//!
//! Pairs asked again narrow the lower end. Let R be the mean product of two signed answers over pairs that are
//! called differently (0 for the others). An answer's mean h on such a pair has E h² ≤ R, and by Cauchy and Schwarz
//! S² ≤ S_max·(R − what mixed pairs add to R), which is at least (mT(1−F) − 2e₁)²/mT(1−F) and the like for e₂.
//!
//! Items that occur in several comparisons narrow both ends, under forced choice ([`super::same_item`]). Let G(x) be the mean
//! answer on pairs of x with a random partner, and c that on mixed pairs, 1 − 2ε where there are no ties. In the classes G
//! has the means (1−π)c and −πc, because answers on equals cancel. So W = E[G²] = π(1−π)c² + V with V the variance of G
//! within the classes. Since N·(A₊ − A₋) = 2E[G; called positive], it differs from mcJ by 2√(V·v) at the most, with v = πT(1−T) +
//! (1−π)F(1−F), by Cauchy and Schwarz. This holds for any order of equals and any errors; only c needs a bound.

use crate::prior::Prior;
use crate::protocol::Collection;

/// How pairs came to be recorded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Design {
    pub(super) prior: Prior,
    pub(super) collection: Collection,
    /// ε: the largest share of mixed pairs that the labeller gets wrong.
    pub(super) error_at_most: f64,
}

/// What the held-out comparisons show.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    /// A₊ and A₋.
    pub(super) shares: [f64; 2],
    /// t: ties between differently called items, as a share of all answers.
    pub(super) tied_apart: f64,
    /// R, where pairs were asked again.
    pub(super) agreed: Option<f64>,
    /// W, where items occur in several comparisons.
    pub(super) same_item: Option<SameItemSeen>,
}

/// What answers about one item have in common.
#[derive(Clone, Copy, Debug)]
pub(super) struct SameItemSeen {
    /// W.
    pub(super) product: f64,
    /// The share of ties among all answers.
    pub(super) tied: f64,
}

/// T and F.
pub(super) type Rates = [f64; 2];

/// [`Design::lowest`] or [`Design::highest`].
pub(super) type FindEnd = fn(&Design, &Seen) -> Rates;

pub(super) const ENDS: [FindEnd; 2] = [Design::lowest, Design::highest];

const STEPS: u32 = 64;
const HALVINGS: u32 = 40;

impl Design {
    /// m and N.
    pub(super) fn weights(&self) -> [f64; 2] {
        let mixed = self.prior.positive() * self.prior.negative();
        match self.collection {
            Collection::ForcedChoice => [2.0 * mixed, 1.0],
            Collection::Discard => [mixed, 1.0 - mixed],
        }
    }

    /// T and F at some J: they move apart from the pooled share.
    fn rates(&self, seen: &Seen, gap: f64) -> Rates {
        let pooled = 0.5 * (seen.shares[0] + seen.shares[1]);
        let positive = self.share_of_positives();
        [pooled + (1.0 - positive) * gap, pooled - positive * gap].map(|rate| rate.clamp(0.0, 1.0))
    }

    /// The share of positives in the two piles together.
    pub(super) fn share_of_positives(&self) -> f64 {
        let positive = self.prior.positive();
        match self.collection {
            Collection::ForcedChoice => positive,
            Collection::Discard => positive * (1.0 + positive) / (2.0 * self.weights()[1]),
        }
    }

    /// All J with T and F in [0, 1].
    fn possible(&self, seen: &Seen) -> [f64; 2] {
        let pooled = 0.5 * (seen.shares[0] + seen.shares[1]);
        let positive = self.share_of_positives();
        let up = (1.0 - pooled) / (1.0 - positive);
        let down = pooled / positive;
        let [low, high] = [(pooled / (1.0 - positive)).min((1.0 - pooled) / positive), up.min(down)];
        [-low, high]
    }

    /// The rates at the smallest J for which the answers can be what they are.
    pub(super) fn lowest(&self, seen: &Seen) -> Rates {
        let difference = self.weights()[1] * (seen.shares[0] - seen.shares[1]);
        let [low, high] = self.possible(seen);
        let most = |gap: f64| {
            let by_item = self.explained_by_item(seen, gap, 1.0).unwrap_or(f64::INFINITY);
            self.most_explained(seen, gap).min(by_item)
        };
        let lacking = |gap: f64| difference - most(gap);
        self.rates(seen, nearest(low, high, lacking))
    }

    /// The rates at the largest.
    pub(super) fn highest(&self, seen: &Seen) -> Rates {
        let difference = self.weights()[1] * (seen.shares[0] - seen.shares[1]);
        let [low, high] = self.possible(seen);
        let least = |gap: f64| {
            let by_item = self.explained_by_item(seen, gap, -1.0).unwrap_or(f64::NEG_INFINITY);
            self.least_explained(seen, gap).max(by_item)
        };
        let lacking = |gap: f64| least(gap) - difference;
        self.rates(seen, nearest(high, low, lacking))
    }

    /// The largest N·(A₊ − A₋) at some J.
    fn most_explained(&self, seen: &Seen, gap: f64) -> f64 {
        let [mixed, all] = self.weights();
        let [called_right, called_wrong] = self.mixed_pairs(seen, gap);
        let graded = self.differing_equals(seen, gap);
        let tied = all * seen.tied_apart;
        let errors = mixed * self.error_at_most;
        let Some(agreed) = seen.agreed else {
            return mixed * gap + 2.0 * errors.min(called_wrong) + graded + tied;
        };
        let with = |share: f64| {
            let wrong = share * errors.min(called_wrong);
            let of_wrong =
                if called_wrong > 0.0 { (called_wrong - 2.0 * wrong).powi(2) / called_wrong } else { 0.0 };
            let rest = (agreed - of_wrong).max(0.0);
            // y = mT(1−F) − 2e₁: the larger, the more is explained, but the less is left for equals. The sum
            // y + √(S_max(R − y²/mT(1−F))) is largest at this y.
            let least = (called_right - 2.0 * (errors - wrong) - tied).max(0.0);
            let best = called_right * (rest / (graded + called_right).max(f64::MIN_POSITIVE)).sqrt();
            let full = (called_right * (rest - graded).max(0.0)).sqrt();
            let right = best.max(full).clamp(least.min(called_right), called_right);
            let left = rest - if called_right > 0.0 { right * right / called_right } else { 0.0 };
            right - called_wrong + 2.0 * wrong + (graded * left.clamp(0.0, graded)).sqrt() + tied
        };
        highest_between(0.0, 1.0, with)
    }

    /// The smallest: equals are tossed, and errors fall on pairs that are called rightly.
    fn least_explained(&self, seen: &Seen, gap: f64) -> f64 {
        let [mixed, all] = self.weights();
        let [called_right, _] = self.mixed_pairs(seen, gap);
        mixed * gap - 2.0 * (mixed * self.error_at_most).min(called_right) - all * seen.tied_apart
    }

    /// The largest (`sign` 1) or smallest (−1) N·(A₊ − A₋) at some J that W allows: mcJ ± 2√((W − π(1−π)c²)·v).
    fn explained_by_item(&self, seen: &Seen, gap: f64, sign: f64) -> Option<f64> {
        let SameItemSeen { product, tied } = seen.same_item?;
        let [mixed, _] = self.weights();
        let [positive, negative] = [self.prior.positive(), self.prior.negative()];
        let [t, f] = self.rates(seen, gap);
        let spread = positive * t * (1.0 - t) + negative * f * (1.0 - f);
        let least = self.least_answer(tied);
        let largest = (product.max(0.0) / (positive * negative)).sqrt();
        // a·c + b·√(w² − c²), w the largest c, grows up to one place and falls from there.
        let (slope, root) = (mixed * gap * sign, 2.0 * (positive * negative * spread).sqrt());
        let best = largest * slope / slope.hypot(root).max(f64::MIN_POSITIVE);
        let c = best.clamp(least, largest.min(1.0).max(least));
        let left = (largest * largest - c * c).max(0.0).sqrt();
        Some(sign * (slope * c + root * left))
    }

    /// The least mean answer on mixed pairs, c. All ties may be on them.
    fn least_answer(&self, tied: f64) -> f64 {
        let [mixed, _] = self.weights();
        (1.0 - 2.0 * self.error_at_most - (tied / mixed).min(1.0)).max(0.0)
    }

    /// Whether labellers with so few errors can have given answers with this W: it is at least π(1−π)c².
    pub(super) fn allows(&self, seen: &SameItemSeen) -> bool {
        let least = self.least_answer(seen.tied);
        seen.product >= self.prior.positive() * self.prior.negative() * least * least
    }

    /// mT(1−F) and mF(1−T): mixed pairs that are called rightly, and the wrong way round.
    fn mixed_pairs(&self, seen: &Seen, gap: f64) -> [f64; 2] {
        let [positive, negative] = self.rates(seen, gap);
        [positive * (1.0 - negative), negative * (1.0 - positive)].map(|share| self.weights()[0] * share)
    }

    /// S_max: pairs of equals that are called differently.
    fn differing_equals(&self, seen: &Seen, gap: f64) -> f64 {
        let rates = self.rates(seen, gap);
        let classes = [self.prior.positive(), self.prior.negative()];
        (0..2)
            .map(|class| 2.0 * classes[class].powi(2) * rates[class] * (1.0 - rates[class]))
            .sum()
    }
}

/// The largest value of a function between two points: the best of a few, and then the hill around it.
fn highest_between(from: f64, to: f64, of: impl Fn(f64) -> f64) -> f64 {
    const COARSE: u32 = 8;
    const FINE: u32 = 22;
    let at = |step: u32| from + (to - from) * f64::from(step) / f64::from(COARSE);
    let best = (1..=COARSE).fold(0, |best, step| if of(at(step)) > of(at(best)) { step } else { best });
    let (mut left, mut right) = (at(best.saturating_sub(1)), at((best + 1).min(COARSE)));
    // The golden section: one of two points is used again.
    let ratio = 0.5 * (5.0_f64.sqrt() - 1.0);
    let mut points = [right - ratio * (right - left), left + ratio * (right - left)];
    let mut values = points.map(&of);
    for _ in 0..FINE {
        if values[0] > values[1] {
            right = points[1];
            points = [right - ratio * (right - left), points[0]];
            values = [of(points[0]), values[0]];
        } else {
            left = points[0];
            points = [points[1], left + ratio * (right - left)];
            values = [values[1], of(points[1])];
        }
    }
    values[0].max(values[1]).max(of(at(best)))
}

/// The first point on the way from one end to the other at which nothing is lacking. By chance the answers can be more of
/// one mind than anything explains; then it is the first point at which the least is lacking, and not the other end, which
/// explains them no better.
fn nearest(from: f64, to: f64, lacking: impl Fn(f64) -> f64) -> f64 {
    if let Some(found) = first(from, to, |gap| lacking(gap) <= 0.0) {
        return found;
    }
    let at = |step: u32| from + (to - from) * f64::from(step) / f64::from(STEPS);
    let least = |one: u32, two: u32| if lacking(at(two)) < lacking(at(one)) - 1e-12 { two } else { one };
    let best = (1..=STEPS).fold(0, least);
    // Between the neighbours it is a single valley.
    let (mut left, mut right) = (at(best.saturating_sub(1)), at((best + 1).min(STEPS)));
    for _ in 0..HALVINGS {
        let [one, two] = [left + (right - left) / 3.0, right - (right - left) / 3.0];
        if lacking(two) < lacking(one) {
            left = one;
        } else {
            right = two;
        }
    }
    let found = f64::midpoint(left, right);
    if lacking(found) < lacking(at(best)) - 1e-12 { found } else { at(best) }
}

/// The first point on the way from one end to the other at which something holds.
pub(super) fn first(from: f64, to: f64, holds: impl Fn(f64) -> bool) -> Option<f64> {
    let at = |step: u32| from + (to - from) * f64::from(step) / f64::from(STEPS);
    let step = (0..=STEPS).find(|step| holds(at(*step)))?;
    let (mut not, mut yes) = (at(step.saturating_sub(1)), at(step));
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(not, yes);
        if holds(middle) {
            yes = middle;
        } else {
            not = middle;
        }
    }
    Some(yes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The shares of the piles for rates, S as a share of S_max, and errors as shares of what they may be.
    fn seen(design: &Design, [t, f]: Rates, graded: f64, errors: [f64; 2]) -> Seen {
        let (p, q) = (design.prior.positive(), design.prior.negative());
        let [mixed, all] = design.weights();
        let most = 2.0 * p * p * t * (1.0 - t) + 2.0 * q * q * f * (1.0 - f);
        let budget = mixed * design.error_at_most;
        let wrong = errors[1] * budget.min(mixed * f * (1.0 - t));
        let right = errors[0] * (budget - wrong).min(mixed * t * (1.0 - f));
        let difference = (mixed * (t - f) - 2.0 * right + 2.0 * wrong + graded * most) / all;
        let share = design.share_of_positives();
        let pooled = share * t + (1.0 - share) * f;
        Seen {
            shares: [pooled + 0.5 * difference, pooled - 0.5 * difference],
            tied_apart: 0.0,
            agreed: None,
            same_item: None,
        }
    }

    proptest! {
        #[test]
        fn the_truth_is_always_inside(
            prior in 0.1..0.9_f64, discard: bool, error in 0.0..0.3_f64, t in 0.0..1.0_f64, f in 0.0..1.0_f64,
            graded in 0.0..1.0_f64, errors in (0.0..1.0_f64, 0.0..1.0_f64), tie in 0.0..0.1_f64,
        ) {
            let collection = if discard { Collection::Discard } else { Collection::ForcedChoice };
            let design = Design { prior: Prior::new(prior).unwrap(), collection, error_at_most: error };
            let mut seen = seen(&design, [t, f], graded, [errors.0, errors.1]);
            seen.tied_apart = tie;
            let ([low_t, low_f], [high_t, high_f]) = (design.lowest(&seen), design.highest(&seen));
            prop_assert!(low_t - low_f <= t - f + 1e-9, "{low_t} - {low_f} > {t} - {f}");
            prop_assert!(high_t - high_f >= t - f - 1e-9, "{high_t} - {high_f} < {t} - {f}");
        }

        #[test]
        fn asking_again_never_excludes_the_truth_and_only_narrows(
            prior in 0.1..0.9_f64, error in 0.0..0.3_f64, t in 0.05..0.95_f64, f in 0.05..0.95_f64,
            graded in 0.0..1.0_f64, errors in (0.0..1.0_f64, 0.0..1.0_f64), surer in 0.0..1.0_f64,
        ) {
            let design = Design { prior: Prior::new(prior).unwrap(), collection: Collection::ForcedChoice, error_at_most: error };
            let open = seen(&design, [t, f], graded, [errors.0, errors.1]);
            // An answer of mean h on every pair of a kind gives the least R; always the same answer the most.
            let (p, q) = (prior, 1.0 - prior);
            let most = 2.0 * p * p * t * (1.0 - t) + 2.0 * q * q * f * (1.0 - f);
            let kinds = |errors: [f64; 2]| {
                let mixed = 2.0 * p * q;
                let wrong = errors[1] * (mixed * error).min(mixed * f * (1.0 - t));
                let right = errors[0] * (mixed * error - wrong).min(mixed * t * (1.0 - f));
                [(mixed * t * (1.0 - f), right), (mixed * f * (1.0 - t), wrong)]
            };
            let of_mixed: f64 = kinds([errors.0, errors.1])
                .iter()
                .map(|(mass, wrong)| {
                    let least = (mass - 2.0 * wrong).powi(2) / mass;
                    least + surer * (mass - least)
                })
                .sum();
            let narrowed = Seen { agreed: Some(of_mixed + graded * graded * most), ..open };
            let ([t_open, f_open], [t_now, f_now]) = (design.lowest(&open), design.lowest(&narrowed));
            prop_assert!(t_now - f_now <= t - f + 1e-9, "{} > {}", t_now - f_now, t - f);
            prop_assert!(t_now - f_now >= t_open - f_open - 1e-6);
        }
    }

    proptest! {
        /// A population of eight kinds of items, whose answers are any at all: graded with or against the classifier, errors and
        /// ties anywhere.
        #[test]
        fn items_that_recur_never_exclude_the_truth_and_only_narrow(
            masses in prop::collection::vec(0.05..1.0_f64, 8),
            answers in prop::collection::vec(-1.0..1.0_f64, 64),
            trust in 0.0..1.0_f64,
        ) {
            // Kinds 0 to 3 are positive; the even ones are called positive.
            let total: f64 = masses.iter().sum();
            let mass = |kind: usize| masses[kind] / total;
            let is_positive = |kind: usize| kind < 4;
            let called = |kind: usize| kind.is_multiple_of(2);
            let answer = |one: usize, two: usize| -> f64 {
                if one == two {
                    return 0.0;
                }
                let (low, high) = (one.min(two), one.max(two));
                // Mixed pairs are mostly right: the positive one has the lower number.
                let said = answers[8 * low + high];
                let said = if is_positive(low) == is_positive(high) { said } else { trust + (1.0 - trust) * said };
                if one < two { said } else { -said }
            };
            let share = |wanted: &dyn Fn(usize) -> bool| (0..8).filter(|kind| wanted(*kind)).map(mass).sum::<f64>();
            let prior = share(&is_positive);
            let t = share(&|kind| is_positive(kind) && called(kind)) / prior;
            let f = share(&|kind| !is_positive(kind) && called(kind)) / (1.0 - prior);
            let mean = |one: usize| (0..8).map(|two| mass(two) * answer(one, two)).sum::<f64>();
            let product = (0..8).map(|kind| mass(kind) * mean(kind).powi(2)).sum::<f64>();
            let difference = 2.0 * (0..8).filter(|kind| called(*kind)).map(|kind| mass(kind) * mean(kind)).sum::<f64>();
            let (mut on_mixed, mixed) = (0.0, 2.0 * prior * (1.0 - prior));
            for (one, two) in (0..4).flat_map(|one| (4..8).map(move |two| (one, two))) {
                on_mixed += 2.0 * mass(one) * mass(two) * answer(one, two) / mixed;
            }
            let error = 0.5 * (1.0 - on_mixed);
            prop_assume!(error < 0.49);
            let design = Design {
                prior: Prior::new(prior).unwrap(),
                collection: Collection::ForcedChoice,
                error_at_most: error.max(0.0) + 1e-12,
            };
            let pooled = share(&called);
            let open = Seen {
                shares: [pooled + 0.5 * difference, pooled - 0.5 * difference],
                tied_apart: 0.0,
                agreed: None,
                same_item: None,
            };
            let seen = Seen { same_item: Some(SameItemSeen { product, tied: 0.0 }), ..open };
            let most = design.explained_by_item(&seen, t - f, 1.0).unwrap();
            let least = design.explained_by_item(&seen, t - f, -1.0).unwrap();
            prop_assert!(least <= difference + 1e-9 && difference <= most + 1e-9, "{least} {difference} {most}");
            let gap = |[t, f]: Rates| t - f;
            // Where the other bounds hold, too: they take grading not to be contrary to the classifier.
            if design.most_explained(&open, t - f) >= difference {
                prop_assert!(gap(design.lowest(&seen)) <= t - f + 1e-6);
                prop_assert!(gap(design.lowest(&seen)) >= gap(design.lowest(&open)) - 1e-6);
            }
            if design.least_explained(&open, t - f) <= difference {
                prop_assert!(gap(design.highest(&seen)) >= t - f - 1e-6);
            }
        }
    }

    #[test]
    fn coins_and_errors_at_the_bound_are_pinned_by_items_that_recur() {
        let prior = Prior::new(0.3).unwrap();
        let design = Design { prior, collection: Collection::ForcedChoice, error_at_most: 0.05 };
        // Errors that do not follow anything: D = mcJ and W = π(1−π)c², c = 0.9.
        let (t, f, c) = (0.8, 0.1, 0.9);
        let (pooled, difference) = (0.3 * t + 0.7 * f, 0.42 * c * (t - f));
        let open = Seen {
            shares: [pooled + 0.5 * difference, pooled - 0.5 * difference],
            tied_apart: 0.0,
            agreed: None,
            same_item: None,
        };
        let seen = Seen { same_item: Some(SameItemSeen { product: 0.21 * c * c, tied: 0.0 }), ..open };
        let gap = |[t, f]: Rates| t - f;
        assert!((gap(design.lowest(&seen)) - (t - f)).abs() < 1e-6);
        assert!((gap(design.highest(&seen)) - (t - f)).abs() < 1e-6);
        assert!(gap(design.lowest(&open)) < 0.3, "{}", gap(design.lowest(&open)));
        // Ties may hide as many mixed pairs.
        let tied = Seen { same_item: Some(SameItemSeen { product: 0.21 * c * c, tied: 0.1 }), ..open };
        assert!(gap(design.lowest(&tied)) < t - f - 0.05);
    }

    #[test]
    fn the_hill_between_coarse_steps_is_found() {
        for top in [0.0, 0.03, 0.31, 0.9999, 1.0] {
            let found = highest_between(0.0, 1.0, |x| 2.0 - (x - top) * (x - top));
            assert!((found - 2.0).abs() < 1e-10, "{found} at {top}");
        }
    }

    #[test]
    fn without_error_the_lower_end_is_the_root_of_the_quadratic() {
        // u = 2πqJ solves D = u + 2(π²+q²)s(1−s) + (2π−1)(1−2s)u − u².
        for (p, shares) in [(0.3, [0.45, 0.25]), (0.5, [0.7, 0.4]), (0.8, [0.9, 0.7])] {
            let prior = Prior::new(p).unwrap();
            let design = Design { prior, collection: Collection::ForcedChoice, error_at_most: 0.0 };
            let [positive, negative] =
                design.lowest(&Seen { shares, tied_apart: 0.0, agreed: None, same_item: None });
            let (q, s, d) = (1.0 - p, 0.5 * (shares[0] + shares[1]), shares[0] - shares[1]);
            let found = 2.0 * p * q * (positive - negative);
            let constant = 2.0 * (p * p + q * q) * s * (1.0 - s) - d;
            let slope = 1.0 + (2.0 * p - 1.0) * (1.0 - 2.0 * s);
            let u = 0.5 * (slope - (slope * slope + 4.0 * constant).sqrt());
            assert!((found - u).abs() < 1e-9, "{found} is not {u}");
        }
    }

    #[test]
    fn answers_that_are_too_much_of_one_mind_do_not_make_the_lower_end_jump_up() {
        let prior = Prior::new(0.5).unwrap();
        let design = Design { prior, collection: Collection::ForcedChoice, error_at_most: 0.02 };
        // All pairs of equals ordered as they are called, and by chance a few more.
        let open = seen(&design, [0.84, 0.16], 1.0, [0.0, 1.0]);
        let mut last = f64::NEG_INFINITY;
        for more in 0..=40 {
            let by = 0.001 * f64::from(more);
            let shares = [open.shares[0] + by, open.shares[1] - by];
            let [t, f] = design.lowest(&Seen { shares, ..open });
            assert!(t - f >= last - 1e-6 && t - f < 0.85, "{} after {last} at {by}", t - f);
            last = t - f;
        }
    }

    #[test]
    fn coins_and_nobody_who_errs_give_the_plain_estimate_at_the_upper_end() {
        let design = Design {
            prior: Prior::new(0.3).unwrap(),
            collection: Collection::ForcedChoice,
            error_at_most: 0.0,
        };
        let seen = seen(&design, [0.8, 0.1], 0.0, [0.0; 2]);
        let [t, f] = design.highest(&seen);
        assert!((t - 0.8).abs() < 1e-9 && (f - 0.1).abs() < 1e-9);
    }
}
