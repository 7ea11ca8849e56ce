//! One model of an answer: what a person says of a pair, given its two labels.
//!
//! A reply is "the first", "the second" or "can't tell"; under discard a pair may also be dropped. Each has a 2×2
//! acceptance matrix of its own, and over all four they sum to one. With error ε on mixed pairs, and ties in τₛ of
//! the pairs of one class and τₘ of the mixed ones:
//!
//! | | first | second | tie | dropped |
//! |---|---|---|---|---|
//! | forced choice | \[\[(1−τₛ)/2, (1−ε)(1−τₘ)\], \[ε(1−τₘ), (1−τₛ)/2\]\] | its transpose | \[\[τₛ, τₘ\], \[τₘ, τₛ\]\] | 0 |
//! | discard | \[\[1−τₛ, (1−ε)(1−τₘ)\], \[ε(1−τₘ), 1−τₛ\]\] | 0 | the same | what is left |
//!
//! Without ties these are the matrices of [`Protocol`]. "About equally likely" is not "of one class": τₘ is a rate
//! like any other, and a tie says the more, the further the two are apart.
//!
//! Under forced choice people may also lean to a side: in a share |λ| of their answers they pick what stands there,
//! whatever it is. Each matrix A above is then (1 − |λ|)A + |λ|·B, with B = 1 for the reply that picks that side and 0
//! for the others. Where sides are drawn that is an error of (1 − |λ|)ε + |λ|/2 and no bias; where they depend on the
//! items it is a bias that no error covers.

mod certainty;
pub(crate) mod estimate;
mod leaning;
pub(crate) mod said;

use serde::{Deserialize, Serialize};

pub use certainty::{RateSource, ReplyEstimate, TieIntervals};

use crate::data::ShownSide;
use crate::error::Error;
use crate::numerics::math::exp_of_negative;
use crate::prior::Prior;
use crate::protocol::{Collection, Protocol};

/// A matrix indexed `[first][second]`, 0 for the positive class.
pub type Acceptance = [[f64; 2]; 2];

/// What a person says of a pair that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The first is likelier.
    First,
    /// The second is likelier.
    Second,
    /// They are about the same.
    Tie,
    /// Nothing is recorded.
    Dropped,
}

impl Reply {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::First, Self::Second, Self::Tie, Self::Dropped];
}

/// How often people say that they can't tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "UncheckedRates")]
pub struct TieRates {
    same_class: f64,
    mixed: f64,
}

/// Rates as a file has them.
#[derive(Deserialize)]
struct UncheckedRates {
    same_class: f64,
    mixed: f64,
}

impl TryFrom<UncheckedRates> for TieRates {
    type Error = Error;

    fn try_from(read: UncheckedRates) -> Result<Self, Error> {
        Self::new(read.same_class, read.mixed)
    }
}

impl TieRates {
    /// τₛ of pairs of one class, from 0 to 1, and τₘ of mixed pairs, below 1: some of these must be decided.
    pub fn new(same_class: f64, mixed: f64) -> Result<Self, Error> {
        if (0.0..=1.0).contains(&same_class) && (0.0..1.0).contains(&mixed) {
            return Ok(Self { same_class, mixed });
        }
        Err(Error::Setting {
            name: "the rates of ties",
            value: format!("{same_class} and {mixed}"),
            allowed: "from 0 to 1 for pairs of one class, from 0 and below 1 for mixed ones",
        })
    }

    /// τₛ.
    pub fn same_class(&self) -> f64 {
        self.same_class
    }

    /// τₘ.
    pub fn mixed(&self) -> f64 {
        self.mixed
    }
}

/// How people reply.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReplyModel {
    /// What happens to a decided pair, and how often a mixed one is decided wrongly.
    pub protocol: Protocol,
    /// How often none is decided.
    pub ties: TieRates,
    /// λ, between −1 and 1: under forced choice, the share of pairs in which what stands on the left is picked,
    /// whatever it is; below 0, on the right.
    pub leaning: f64,
}

impl ReplyModel {
    /// P(reply | y, y′), where the sides are drawn.
    pub fn acceptance(&self, reply: Reply) -> Acceptance {
        self.leaned(reply, 0.5)
    }

    /// P(reply | y, y′), where the first stands on this side.
    pub fn acceptance_at(&self, reply: Reply, first: ShownSide) -> Acceptance {
        let to_first = (first == ShownSide::Left) == (self.leaning > 0.0);
        self.leaned(reply, f64::from(u8::from(to_first)))
    }

    /// Where whoever picks by the side picks the first with this probability.
    fn leaned(&self, reply: Reply, first: f64) -> Acceptance {
        let looked = self.looked(reply);
        if self.leaning == 0.0 || self.protocol.collection() != Collection::ForcedChoice {
            return looked;
        }
        let blind = match reply {
            Reply::First => first,
            Reply::Second => 1.0 - first,
            Reply::Tie | Reply::Dropped => 0.0,
        };
        let share = self.leaning.abs().min(1.0);
        looked.map(|row| row.map(|cell| (1.0 - share) * cell + share * blind))
    }

    /// P(reply | y, y′) of whoever looks at the items.
    fn looked(&self, reply: Reply) -> Acceptance {
        let (same_tied, mixed_tied) = (self.ties.same_class, self.ties.mixed);
        let [[same, right], [wrong, _]] = self.protocol.acceptance();
        let (same, right, wrong) =
            (same * (1.0 - same_tied), right * (1.0 - mixed_tied), wrong * (1.0 - mixed_tied));
        let keeps_all = self.protocol.collection() == Collection::ForcedChoice;
        match reply {
            Reply::First => [[same, right], [wrong, same]],
            Reply::Second if keeps_all => [[same, wrong], [right, same]],
            Reply::Tie => [[same_tied, mixed_tied], [mixed_tied, same_tied]],
            Reply::Dropped if !keeps_all => [[0.0, wrong], [right, 0.0]],
            Reply::Second | Reply::Dropped => [[0.0; 2]; 2],
        }
    }

    /// P(reply) of a pair that is drawn at random.
    pub fn share(&self, reply: Reply, prior: Prior) -> f64 {
        weighted(self.acceptance(reply), prior).as_flattened().iter().sum()
    }

    /// P(y, y′ | reply); none where the reply cannot occur.
    pub fn label_joint(&self, reply: Reply, prior: Prior) -> Option<Acceptance> {
        let total = self.share(reply, prior);
        let weighted = weighted(self.acceptance(reply), prior);
        (total > 0.0).then(|| weighted.map(|row| row.map(|cell| cell / total)))
    }
}

/// How often people do what, as far as that is modelled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReplyRates {
    /// The error on mixed pairs: of each person, or one for all.
    pub errors: Vec<f64>,
    /// Where ties are modelled; else they are half a comparison each way.
    pub ties: Option<TieRates>,
    /// κ: two items of one class are put in the order of their log-odds z, z′ with probability σ(κ(z − z′)).
    pub degree: f64,
    /// λ of each person, or one for all: the share of answers that pick the left item (below 0: the right one),
    /// whatever it is; empty where nobody leans, or nothing tells.
    pub leanings: Vec<f64>,
}

impl ReplyRates {
    /// One error, and nothing else.
    pub fn stated(error: f64) -> Self {
        Self { errors: vec![error], ties: None, degree: 0.0, leanings: Vec::new() }
    }

    /// The farthest that a rate is from its like.
    fn distance(&self, other: &Self) -> f64 {
        let ties = |rates: &Self| rates.ties.map_or([0.0; 2], |ties| [ties.same_class, ties.mixed]);
        let ([same, mixed], [same_other, mixed_other]) = (ties(self), ties(other));
        let apart = |(one, two): (&f64, &f64)| (one - two).abs();
        let errors = self.errors.iter().zip(&other.errors).map(apart);
        let leanings = self.leanings.iter().zip(&other.leanings).map(apart);
        errors
            .chain(leanings)
            .fold((same - same_other).abs().max((mixed - mixed_other).abs()), f64::max)
    }

    /// How far leanings are apart on average.
    pub(crate) fn leanings_apart(&self, other: &Self) -> f64 {
        if self.leanings.len() != other.leanings.len() {
            return f64::INFINITY;
        }
        let apart = self.leanings.iter().zip(&other.leanings).map(|(one, two)| (one - two).abs());
        apart.sum::<f64>() / self.leanings.len().max(1) as f64
    }

    /// The error of a person.
    pub(crate) fn error_of(&self, person: u32) -> f64 {
        of_person(&self.errors, person)
    }

    /// λ of a person.
    pub(crate) fn leaning_of(&self, person: u32) -> f64 {
        of_person(&self.leanings, person)
    }

    /// How a person replies.
    fn model(&self, person: u32, protocol: Protocol) -> ReplyModel {
        let own = Protocol::new(protocol.collection(), self.error_of(person));
        ReplyModel {
            protocol: own.unwrap_or(protocol),
            ties: self.ties.unwrap_or_default(),
            leaning: self.leaning_of(person),
        }
    }
}

/// A person's of these, or what all have in common.
fn of_person(rates: &[f64], person: u32) -> f64 {
    match rates {
        [one] => *one,
        each => each.get(person as usize).copied().unwrap_or(0.0),
    }
}

fn weighted(acceptance: Acceptance, prior: Prior) -> Acceptance {
    let class = [prior.positive(), prior.negative()];
    [0, 1].map(|y| [0, 1].map(|y_other| class[y] * class[y_other] * acceptance[y][y_other]))
}

/// P(y, y′ | x, x′, what was said), from the log-odds of the two items.
pub(crate) fn joint_posterior(acceptance: &Acceptance, first: f64, second: f64) -> Acceptance {
    // Beyond this a probability and its complement would multiply to 0.
    const FARTHEST: f64 = 300.0;
    let [first, second] = [first, second].map(|score| {
        let score = score.clamp(-FARTHEST, FARTHEST);
        let small = exp_of_negative(-score.abs());
        let (near, far) = (1.0 / (1.0 + small), small / (1.0 + small));
        if score < 0.0 { [far, near] } else { [near, far] }
    });
    let cells = [0, 1].map(|y| [0, 1].map(|y_other| first[y] * second[y_other] * acceptance[y][y_other]));
    let total: f64 = cells.as_flattened().iter().sum();
    cells.map(|row| row.map(|cell| cell / total))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn models() -> impl Strategy<Value = ReplyModel> {
        (any::<bool>(), 0.0..0.45_f64, 0.0..=1.0_f64, 0.0..0.95_f64, -0.9..0.9_f64).prop_map(
            |(discard, error, same_class, mixed, leaning)| {
                let collection = if discard { Collection::Discard } else { Collection::ForcedChoice };
                let protocol = Protocol::new(collection, error).unwrap();
                ReplyModel { protocol, ties: TieRates::new(same_class, mixed).unwrap(), leaning }
            },
        )
    }

    fn looking(model: ReplyModel) -> ReplyModel {
        ReplyModel { leaning: 0.0, ..model }
    }

    proptest! {
        #[test]
        fn over_all_replies_probabilities_sum_to_one(model in models()) {
            for y in 0..2 {
                for y_other in 0..2 {
                    let of = |acceptance: &dyn Fn(Reply) -> Acceptance| -> f64 {
                        Reply::ALL.map(|reply| acceptance(reply)[y][y_other]).iter().sum()
                    };
                    let drawn = of(&|reply| model.acceptance(reply));
                    let [left, right] = ShownSide::ALL.map(|side| of(&|reply| model.acceptance_at(reply, side)));
                    for all in [drawn, left, right] {
                        prop_assert!((all - 1.0).abs() < 1e-12, "{all} at {y}, {y_other} of {model:?}");
                    }
                }
            }
        }

        /// With the sides drawn, a leaning is an error of (1 − |λ|)ε + |λ|/2; with the pair turned round, a reply is
        /// that of the other side; and the left one is picked in ½ + λ/2 of random pairs that are decided, if nothing is tied.
        #[test]
        fn a_leaning_is_an_error_where_sides_are_drawn(model in models(), prior in 0.05..0.95_f64) {
            let protocol = Protocol::new(Collection::ForcedChoice, model.protocol.labeller_error()).unwrap();
            let model = ReplyModel { protocol, ties: TieRates::default(), ..model };
            let (error, share) = (protocol.labeller_error(), model.leaning.abs());
            let wrong = (1.0 - share) * error + 0.5 * share;
            let erring = Protocol::new(Collection::ForcedChoice, wrong).unwrap().acceptance();
            let drawn = model.acceptance(Reply::First);
            let sides = ShownSide::ALL.map(|side| model.acceptance_at(Reply::First, side));
            let turned = model.acceptance_at(Reply::Second, ShownSide::Right);
            for y in 0..2 {
                for y_other in 0..2 {
                    prop_assert!((drawn[y][y_other] - erring[y][y_other]).abs() < 1e-12);
                    let mean = f64::midpoint(sides[0][y][y_other], sides[1][y][y_other]);
                    prop_assert!((drawn[y][y_other] - mean).abs() < 1e-12);
                    prop_assert!((turned[y_other][y] - sides[0][y][y_other]).abs() < 1e-12);
                }
            }
            let left: f64 = weighted(sides[0], Prior::new(prior).unwrap()).as_flattened().iter().sum();
            prop_assert!((left - 0.5 - 0.5 * model.leaning).abs() < 1e-12);
        }

        #[test]
        fn without_ties_a_reply_is_a_comparison_of_the_protocol(model in models(), prior in 0.02..0.98_f64) {
            let model = ReplyModel { ties: TieRates::default(), ..looking(model) };
            let prior = Prior::new(prior).unwrap();
            prop_assert_eq!(model.acceptance(Reply::First), model.protocol.acceptance());
            prop_assert!((model.share(Reply::First, prior) - model.protocol.recorded_in_order(prior)).abs() < 1e-15);
            prop_assert_eq!(model.label_joint(Reply::First, prior), Some(model.protocol.label_joint(prior)));
            prop_assert_eq!(model.label_joint(Reply::Tie, prior), None);
        }

        /// T and Δ of decided answers, and θ of ties, as THEORY §13 has them.
        #[test]
        fn the_closed_forms_of_forced_choice_with_ties(model in models(), prior in 0.05..0.95_f64) {
            let protocol = Protocol::new(Collection::ForcedChoice, model.protocol.labeller_error()).unwrap();
            let model = ReplyModel { protocol, ..looking(model) };
            let (error, same, mixed) = (protocol.labeller_error(), model.ties.same_class(), model.ties.mixed());
            let (pi, rest) = (prior, 1.0 - prior);
            let prior = Prior::new(prior).unwrap();
            let decided = 0.5 * (1.0 - same) * (pi * pi + rest * rest) + pi * rest * (1.0 - mixed);
            prop_assert!((model.share(Reply::First, prior) - decided).abs() < 1e-12);
            let [[both, first], [second, _]] = model.label_joint(Reply::First, prior).unwrap();
            let contrast = pi * rest * (1.0 - 2.0 * error) * (1.0 - mixed) / decided;
            prop_assert!((both + first - (both + second) - contrast).abs() < 1e-12);
            let tied = same * (pi * pi + rest * rest) + 2.0 * pi * rest * mixed;
            prop_assert!((model.share(Reply::Tie, prior) - tied).abs() < 1e-12);
            if let Some([[both, first], _]) = model.label_joint(Reply::Tie, prior) {
                let share = (pi * pi * same + pi * rest * mixed) / tied;
                prop_assert!((both + first - share).abs() < 1e-12);
            }
        }

        #[test]
        fn the_joint_posterior_is_bayes_rule_and_its_margins_are_the_protocols(
            model in models(),
            first in -20.0..20.0_f64,
            second in -20.0..20.0_f64,
        ) {
            let plain = model.protocol.acceptance();
            let [[both, only], [swapped, _]] = joint_posterior(&plain, first, second);
            let [r, r_other] = model.protocol.label_posterior(first, second);
            prop_assert!((both + only - r).abs() < 1e-12 && (both + swapped - r_other).abs() < 1e-12);
            let tie = looking(model).acceptance(Reply::Tie);
            if model.ties.same_class() + model.ties.mixed() > 0.0 {
                let joint = joint_posterior(&tie, first, second);
                let odds = |z: f64| 1.0 / (1.0 + (-z).exp());
                let (p, q) = (odds(first), odds(second));
                let one = (p * q + (1.0 - p) * (1.0 - q)) * model.ties.same_class();
                let total = one + (p * (1.0 - q) + (1.0 - p) * q) * model.ties.mixed();
                prop_assert!((joint[0][0] + joint[1][1] - one / total).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn the_joint_posterior_is_what_numpy_counts() {
        let golden: serde_json::Value =
            serde_json::from_str(include_str!("../../tests/golden/replies.json")).unwrap();
        let number = |value: &serde_json::Value| value.as_f64().unwrap();
        let cases = golden["posteriors"].as_array().unwrap();
        for case in cases {
            let collection: Collection = case["protocol"].as_str().unwrap().parse().unwrap();
            let protocol = Protocol::new(collection, number(&case["error"])).unwrap();
            let ties = TieRates::new(number(&case["same"]), number(&case["mixed"])).unwrap();
            let reply = if case["reply"] == "tie" { Reply::Tie } else { Reply::First };
            let accepted = ReplyModel { protocol, ties, leaning: 0.0 }.acceptance(reply);
            let [first, second] = [0, 1].map(|side| number(&case["scores"][side]));
            let joint = joint_posterior(&accepted, first, second);
            for (y, row) in joint.iter().enumerate() {
                for (y_other, found) in row.iter().enumerate() {
                    assert!(
                        (found - number(&case["joint"][y][y_other])).abs() < 1e-12,
                        "{found} in {case}"
                    );
                }
            }
        }
        assert_eq!(cases.len(), 56);
    }

    #[test]
    fn rates_outside_their_range_are_refused() {
        for (same_class, mixed) in [(-0.1, 0.0), (1.1, 0.0), (0.5, 1.0), (f64::NAN, 0.0), (0.0, -1.0)] {
            assert!(TieRates::new(same_class, mixed).is_err(), "{same_class}, {mixed}");
        }
        assert!(TieRates::new(1.0, 0.0).is_ok());
    }
}
