//! The prior from the two piles alone: tails of held-out scores in both directions.
//!
//! With κ₁ from the low tails and κ₂ from the high ones, π lies between the prior at which the protocol
//! has this κ₁ and the one at which it has this κ₂: [1−κ₁, κ₂] under discard, [(1−κ₁)/(1+κ₁),
//! 2κ₂/(1+κ₂)] under forced choice, both for ε = 0. With pure tails the two ends meet. Otherwise each end
//! is pushed outwards, and *not* equally: a high tail in which negatives lurk moves κ₂ by Δ/θ₊² for each
//! unit of impurity, a low one κ₁ by Δ/(1−θ₋)². At π = 0.2 under discard that is sixteen to one, so the
//! midpoint is pulled towards ½. The estimate here is the prior at which both tails are equally impure.
//!
//! The interval makes no such assumption: it reaches from the lower bound that the low tails give to the
//! upper bound that the high tails give, and holds π whether tails are pure or not, and (for ε = 0)
//! whatever the labeller's error.

use serde::Serialize;

use super::{PriorEstimate, PriorEstimator};
use crate::error::Error;
use crate::estimate::distribution::check_level;
use crate::estimate::ranked::Ranked;
use crate::estimate::tails::{TailRatio, Tails, prior_of};
use crate::estimate::{HeldOutScores, Interval};
use crate::prior::Prior;
use crate::protocol::Protocol;

/// What best-bin estimation found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct BestBin {
    /// κ₁, the share of the other pile inside the likelier one, and κ₂, the reverse.
    pub containment: [TailRatio; 2],
    /// The priors at which the protocol has κ₁ and κ₂: where they differ, π lies anywhere between.
    pub identified: [f64; 2],
    /// The middle of the two.
    pub midpoint: f64,
    /// The prior at which both tails are equally impure.
    pub balanced: f64,
    /// Whether the bounds cross: no prior fits these piles under this protocol. Under discard without
    /// labeller error that is κ₁ + κ₂ clearly below 1.
    pub refuted: bool,
}

/// The prior from held-out scores of the comparisons.
pub fn best_bin(scores: &HeldOutScores, protocol: &Protocol, level: f64) -> Result<PriorEstimate, Error> {
    check_level(level)?;
    let tails = Tails::new(&*Ranked::of(scores)?, level);
    let ends = |kappa: [f64; 2]| [0, 1].map(|which| prior_of(protocol, which, kappa[which]));
    let identified = ends(tails.values());
    let [low, high] = ends(tails.containment.map(|side| side.high));
    let midpoint = f64::midpoint(identified[0], identified[1]);
    let balanced = equally_impure(protocol, tails.values(), identified).unwrap_or(midpoint);
    let refuted = low > high;
    let interval = Interval { value: balanced.clamp(low.min(high), high.max(low)), low, high, level };
    let details = BestBin { containment: tails.containment, identified, midpoint, balanced, refuted };
    let [first, second] = tails.values();
    let kappas = format!("κ₁ = {first:.3}, κ₂ = {second:.3}");
    let note = if refuted {
        format!(
            "no prior fits: {kappas}, smaller than {protocol} allows. The pairs were collected in another way, or \
             the labeller errs less than was stated"
        )
    } else if tails.containment.iter().all(|side| side.high >= 1.0) {
        format!("{kappas}: the scores do not tell the two piles apart, so they say nothing about the prior")
    } else {
        format!(
            "{kappas}; the two ends of the scores put the prior between {:.3} and {:.3}",
            identified[0].min(identified[1]),
            identified[0].max(identified[1])
        )
    };
    let says = PriorEstimate::of(PriorEstimator::BestBin, (!refuted).then_some(interval), note);
    Ok(PriorEstimate { details: Some(details), ..says })
}

/// The prior between the two ends at which both tails hold the same ratio ρ of the class that does not
/// belong there: κ₁ = (1−θ₊ + ρθ₊)/(1−θ₋ + ρθ₋) and κ₂ = (θ₋ + ρ(1−θ₋))/(θ₊ + ρ(1−θ₊)).
fn equally_impure(protocol: &Protocol, kappa: [f64; 2], ends: [f64; 2]) -> Option<f64> {
    let [mut low, mut high] = ends;
    if low >= high {
        return None;
    }
    for _ in 0..50 {
        let middle = f64::midpoint(low, high);
        let [likelier, other] = protocol.mixture(Prior::new(middle).ok()?).ok()?.shares();
        // The first rises with the prior from 0 at the low end, the second falls to 0 at the high end.
        let in_low_tail = (kappa[0] * (1.0 - other) - (1.0 - likelier)) / (likelier - kappa[0] * other);
        let in_high_tail = (kappa[1] * likelier - other) / (1.0 - other - kappa[1] * (1.0 - likelier));
        if in_low_tail < in_high_tail {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(f64::midpoint(low, high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::tails::containment;
    use crate::protocol::Collection;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn equally_impure_tails_give_the_prior_exactly(
            p in 0.05..0.95_f64, e in 0.0..0.3_f64, impurity in 0.001..0.3_f64, forced: bool,
        ) {
            let collection = if forced { Collection::ForcedChoice } else { Collection::Discard };
            let protocol = Protocol::new(collection, e).unwrap();
            let mixture = protocol.mixture(Prior::new(p).unwrap()).unwrap();
            let [likelier, other] = mixture.shares();
            let kappa = [
                (1.0 - likelier + impurity * likelier) / (1.0 - other + impurity * other),
                (other + impurity * (1.0 - other)) / (likelier + impurity * (1.0 - likelier)),
            ];
            let pure = containment(&mixture);
            prop_assert!(kappa[0] > pure[0] && kappa[1] > pure[1]);
            let ends = [0, 1].map(|which| prior_of(&protocol, which, kappa[which]));
            prop_assert!(ends[0] <= p && p <= ends[1]);
            prop_assert!((equally_impure(&protocol, kappa, ends).unwrap() - p).abs() < 1e-5);
        }
    }

    #[test]
    fn equal_scores_say_that_nothing_is_known() {
        let scores = HeldOutScores::of_one_model(vec![2.0; 500], vec![2.0; 500]).unwrap();
        let estimate = best_bin(&scores, &Protocol::DISCARD, 0.95).unwrap();
        let interval = estimate.interval.unwrap();
        assert!(interval.width() > 0.999, "{interval:?}");
        assert!(estimate.note.contains("say nothing about the prior"), "{}", estimate.note);
    }

    #[test]
    fn forced_choice_data_refute_discard() {
        // π = ½ by forced choice, classes apart: κ₁ = κ₂ = ⅓, and discard needs a sum of 1.
        let pile = |positives: usize| {
            // Within a class, scores are spread alike in both piles.
            let spread = |k: usize| (k as f32 * 0.618_034).fract() / 2.0;
            (0..1000)
                .map(|k| spread(k) + f32::from(u8::from(k < positives)))
                .collect::<Vec<_>>()
        };
        let scores = HeldOutScores::of_one_model(pile(750), pile(250)).unwrap();
        let wrong = best_bin(&scores, &Protocol::DISCARD, 0.95).unwrap();
        assert!(wrong.details.unwrap().refuted && wrong.interval.is_none());
        assert!(wrong.note.contains("no prior fits"), "{}", wrong.note);
        let right = best_bin(&scores, &Protocol::FORCED_CHOICE, 0.95).unwrap();
        let interval = right.interval.unwrap();
        assert!((interval.value - 0.5).abs() < 0.01 && interval.holds(0.5), "{interval:?}");
    }
}
