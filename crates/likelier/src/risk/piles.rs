//! Any number of piles: ties and labels beside the two sides of the comparisons.
//!
//! Pile k has a share θₖ of positives. With the rows (θₖ, 1−θₖ) of M, every table C with MᵀC = diag(q, 1−q) is unbiased
//! for the risk with class prior q. Of two piles there is one such table ([`RiskTable`](super::RiskTable)), of more
//! there are many. With Nₖ rows in pile k, all equally variable, a column of C adds Σₖ C²ₖ/Nₖ to the variance; it is
//! smallest for
//!
//! C = N·M·(MᵀNM)⁻¹·diag(q, 1−q).

use crate::error::Error;
use crate::prior::Prior;

/// Rows of which the share of positives is known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PileOf {
    /// θ.
    pub positive: f64,
    /// How many rows it has, or what these weigh together.
    pub size: f64,
}

/// The unbiased table of least variance: the coefficients of the losses at +1 and at −1 for the mean of each pile.
///
/// ```
/// use likelier::Prior;
/// use likelier::risk::{PileOf, least_variance};
///
/// let piles = [(0.6, 100.0), (0.2, 100.0), (0.3, 50.0)].map(|(positive, size)| PileOf { positive, size });
/// let table = least_variance(&piles, Prior::new(0.4)?)?;
/// let of_positives: f64 = piles.iter().zip(&table).map(|(pile, row)| pile.positive * row[0]).sum();
/// assert!((of_positives - 0.4).abs() < 1e-12);
/// # Ok::<(), likelier::Error>(())
/// ```
pub fn least_variance(piles: &[PileOf], target: Prior) -> Result<Vec<[f64; 2]>, Error> {
    let sum = |of: &dyn Fn(f64) -> f64| piles.iter().map(|pile| pile.size * of(pile.positive)).sum::<f64>();
    let positive = sum(&|share| share * share);
    let crossed = sum(&|share| share * (1.0 - share));
    let negative = sum(&|share| (1.0 - share) * (1.0 - share));
    let determinant = positive * negative - crossed * crossed;
    // All shares alike: nothing tells the classes apart.
    if determinant <= 1e-12 * positive * negative || !determinant.is_finite() {
        return Err(Error::Setting {
            name: "the piles",
            value: format!("{piles:?}"),
            allowed: "at least two with rows, and different shares of positives",
        });
    }
    let (q, rest) = (target.positive() / determinant, target.negative() / determinant);
    Ok(piles
        .iter()
        .map(|pile| {
            let (share, other) = (pile.positive, 1.0 - pile.positive);
            [
                q * pile.size * (share * negative - other * crossed),
                rest * pile.size * (other * positive - share * crossed),
            ]
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::protocol::{Collection, Protocol};
    use crate::replies::{Reply, ReplyModel, TieRates};
    use crate::risk::RiskTable;

    fn piles(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<PileOf>> {
        let pile = (0.0..=1.0_f64, 1.0..1000.0_f64).prop_map(|(positive, size)| PileOf { positive, size });
        prop::collection::vec(pile, count).prop_filter("alike", |piles| {
            let shares = || piles.iter().map(|pile| pile.positive);
            shares().fold(0.0, f64::max) - shares().fold(1.0, f64::min) > 0.05
        })
    }

    fn variance(piles: &[PileOf], table: &[[f64; 2]], column: usize) -> f64 {
        piles.iter().zip(table).map(|(pile, row)| row[column].powi(2) / pile.size).sum()
    }

    /// MᵀC.
    fn product(piles: &[PileOf], table: &[[f64; 2]]) -> [[f64; 2]; 2] {
        [0, 1].map(|class| {
            [0, 1].map(|column| {
                let share = |pile: &PileOf| if class == 0 { pile.positive } else { 1.0 - pile.positive };
                piles.iter().zip(table).map(|(pile, row)| share(pile) * row[column]).sum()
            })
        })
    }

    proptest! {
        #[test]
        fn it_is_unbiased_and_nothing_unbiased_varies_less(
            piles in piles(2..6),
            prior in 0.05..0.95_f64,
            away in prop::collection::vec(-1.0..1.0_f64, 6),
        ) {
            let table = least_variance(&piles, Prior::new(prior).unwrap()).unwrap();
            let scale = table.as_flattened().iter().fold(1.0_f64, |most, cell| most.max(cell.abs()));
            for (row, wanted) in product(&piles, &table).iter().zip([[prior, 0.0], [0.0, 1.0 - prior]]) {
                for (found, wanted) in row.iter().zip(wanted) {
                    prop_assert!((found - wanted).abs() < 1e-9 * scale, "{found} instead of {wanted}");
                }
            }
            // Another unbiased table differs by something that M does not see: what is left of any change after its
            // part in the columns of M is taken away.
            let mut change: Vec<f64> = away[..piles.len()].to_vec();
            let first: Vec<f64> = piles.iter().map(|pile| pile.positive).collect();
            let second: Vec<f64> = piles.iter().map(|pile| 1.0 - pile.positive).collect();
            let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            let along = dot(&second, &first) / dot(&first, &first);
            let second: Vec<f64> = second.iter().zip(&first).map(|(b, a)| b - along * a).collect();
            for base in [&first, &second] {
                let length = dot(base, base);
                if length > 1e-12 {
                    let part = dot(&change, base) / length;
                    change.iter_mut().zip(base.iter()).for_each(|(value, base)| *value -= part * base);
                }
            }
            for column in 0..2 {
                let moved: Vec<[f64; 2]> = table.iter().zip(&change).map(|(row, by)| row.map(|cell| cell + by)).collect();
                let (least, other) = (variance(&piles, &table, column), variance(&piles, &moved, column));
                prop_assert!(least <= other * (1.0 + 1e-9), "{least} and {other}");
            }
        }

        #[test]
        fn two_piles_have_the_one_table_of_the_paper(prior in 0.05..0.95_f64, error in 0.0..0.4_f64, sizes in (1.0..99.0_f64, 1.0..99.0_f64)) {
            for collection in [Collection::Discard, Collection::ForcedChoice] {
                let prior = Prior::new(prior).unwrap();
                let mixture = Protocol::new(collection, error).unwrap().mixture(prior).unwrap();
                let [likelier, other] = mixture.shares();
                let piles = [(likelier, sizes.0), (other, sizes.1)].map(|(positive, size)| PileOf { positive, size });
                let table = least_variance(&piles, prior).unwrap();
                for (found, wanted) in table.as_flattened().iter().zip(RiskTable::unbiased(&mixture, prior).0.as_flattened()) {
                    prop_assert!((found - wanted).abs() < 1e-8 * (1.0 + wanted.abs()), "{found} and {wanted}");
                }
            }
        }

        /// What ties say is not thrown away: three piles vary no more than the two of decided answers, or than the two
        /// with half of each tie in either.
        #[test]
        fn ties_as_a_pile_vary_no_more_than_ties_dropped_or_halved(
            prior in 0.05..0.95_f64, same in 0.05..0.95_f64, error in 0.0..0.3_f64,
        ) {
            let prior = Prior::new(prior).unwrap();
            let protocol = Protocol::new(Collection::ForcedChoice, error).unwrap();
            let model = ReplyModel { protocol, ties: TieRates::new(same, 0.0).unwrap(), leaning: 0.0 };
            let pile = |reply, side: usize| {
                let joint = model.label_joint(reply, prior).unwrap();
                let positive = joint[0][0] + if side == 0 { joint[0][1] } else { joint[1][0] };
                PileOf { positive, size: 2.0 * model.share(reply, prior) }
            };
            let three = [pile(Reply::First, 0), pile(Reply::First, 1), PileOf { size: 2.0 * model.share(Reply::Tie, prior), ..pile(Reply::Tie, 0) }];
            let table = least_variance(&three, prior).unwrap();
            let dropped = least_variance(&three[..2], prior).unwrap();
            let halved = RiskTable::unbiased(&protocol.mixture(prior).unwrap(), prior).0;
            // The mean of a pile with half of the ties, as a weighted mean of the piles apart.
            let tied = three[2].size / 2.0;
            let share = tied / (three[0].size + tied);
            let halved = [halved[0].map(|c| c * (1.0 - share)), halved[1].map(|c| c * (1.0 - share)), [0, 1].map(|column| share * (halved[0][column] + halved[1][column]))];
            for column in 0..2 {
                let least = variance(&three, &table, column);
                prop_assert!(least <= variance(&three[..2], &dropped, column) * (1.0 + 1e-9));
                prop_assert!(least <= variance(&three, &halved, column) * (1.0 + 1e-9));
            }
        }
    }

    #[test]
    fn piles_that_are_alike_tell_nothing() {
        let alike = [PileOf { positive: 0.4, size: 10.0 }, PileOf { positive: 0.4, size: 7.0 }];
        let prior = Prior::new(0.4).unwrap();
        assert!(least_variance(&alike, prior).is_err());
        assert!(least_variance(&alike[..1], prior).is_err());
        let empty = [PileOf { positive: 0.4, size: 10.0 }, PileOf { positive: 0.9, size: 0.0 }];
        assert!(least_variance(&empty, prior).is_err());
    }
}
