//! Everything that was said about each pair, as one acceptance matrix.

use super::{Acceptance, Reply, ReplyModel, ReplyRates};
use crate::data::{AskedPairs, Told, sort};
use crate::protocol::Protocol;

/// From fewer pairs that were asked again, or less than a hundredth of all, nothing is estimated.
const FEWEST_AGAIN: usize = 30;

/// Whether so many pairs of all were asked again.
fn enough_again(again: usize, pairs: usize) -> bool {
    again >= FEWEST_AGAIN && 100 * again >= pairs
}

/// Comparisons, and which of them are about the same two items.
pub(crate) struct Said {
    pub(crate) told: Vec<Told>,
    /// Comparisons of the same two items, one after the other.
    members: Vec<u32>,
    /// Where in `members` those of a comparison's pair begin and end.
    pair: Vec<[u32; 2]>,
    /// Whether a comparison has its pair's smaller item first.
    upward: Vec<bool>,
    /// Whether a comparison, of an item with itself, stands for a label and not for an answer.
    pub(crate) is_label: Vec<bool>,
}

/// What was said about a comparison's two items, seen from the comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct PairTable {
    /// The product over everything that was said, divided by its largest element.
    pub(crate) acceptance: Acceptance,
    /// The logarithm of that element.
    pub(crate) log_factor: f64,
    /// How many decided for the first item, and for the second.
    pub(crate) decided: [u16; 2],
}

impl Said {
    /// Where answers are not `joined`, each comparison stands by itself.
    pub(crate) fn new(likelier: &[u32], other: &[u32], told: Option<&[Told]>, joined: bool) -> Self {
        let count = likelier.len() as u32;
        let key = |at: u32| {
            let (one, two) = (likelier[at as usize], other[at as usize]);
            (one.min(two), one.max(two))
        };
        let members: Vec<u32> = if joined {
            let mut keys: Vec<_> = (0..count).map(|at| (key(at), at)).collect();
            sort(&mut keys);
            keys.into_iter().map(|(_, at)| at).collect()
        } else {
            (0..count).collect()
        };
        let mut pair = vec![[0; 2]; members.len()];
        let mut start = 0;
        for of_pair in members.chunk_by(|one, two| joined && key(*one) == key(*two)) {
            let end = start + of_pair.len() as u32;
            for at in of_pair {
                pair[*at as usize] = [start, end];
            }
            start = end;
        }
        let both = || likelier.iter().zip(other);
        Self {
            told: told.map_or_else(|| vec![Told::default(); likelier.len()], <[Told]>::to_vec),
            upward: both().map(|(one, two)| one <= two).collect(),
            is_label: both().map(|(one, two)| one == two).collect(),
            members,
            pair,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.told.len()
    }

    /// The comparisons of each pair, the pairs one after the other; labels left out.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = &[u32]> {
        self.members
            .chunk_by(|one, two| self.pair[*one as usize] == self.pair[*two as usize])
            .filter(|pair| !self.is_label[pair[0] as usize])
    }

    /// People are numbered from 0; how many numbers there are.
    pub(crate) fn people(&self) -> usize {
        self.told.iter().map(|told| told.by as usize + 1).max().unwrap_or(1)
    }

    pub(crate) fn has_ties(&self) -> bool {
        self.told.iter().any(|told| told.tie)
    }

    /// Whether enough pairs were decided more than once to estimate from, and not by chance alone.
    pub(crate) fn asked_again(&self) -> bool {
        let again = self.pairs().filter(|pair| self.is_decided_again(pair)).count();
        enough_again(again, self.pairs().count())
    }

    /// Whether there can be anything to estimate from but comparisons: that is seen without listing all of them.
    pub(crate) fn may_tell(likelier: &[u32], other: &[u32], told: Option<&[Told]>) -> bool {
        if told.is_some() {
            return true;
        }
        let pairs = likelier.iter().copied().zip(other.iter().copied());
        let asked = AskedPairs::of(pairs.filter(|(one, two)| one != two));
        enough_again(asked.again.len(), asked.count)
    }

    /// Whether the comparisons of a pair are more than one decided answer.
    pub(crate) fn is_decided_again(&self, pair: &[u32]) -> bool {
        pair.iter().filter(|at| !self.told[**at as usize].tie).count() > 1
    }

    /// What one comparison says by itself, when its author errs so often.
    pub(crate) fn own(&self, at: usize, protocol: Protocol, rates: &ReplyRates, error: f64) -> Acceptance {
        let protocol = Protocol::new(protocol.collection(), error).unwrap_or(protocol);
        let model = ReplyModel { protocol, ties: rates.ties.unwrap_or_default() };
        let tie = self.told[at].tie && rates.ties.is_some();
        model.acceptance(if tie { Reply::Tie } else { Reply::First })
    }

    /// What was said about the pair of a comparison, seen from there.
    pub(crate) fn table(&self, at: usize, protocol: Protocol, rates: &ReplyRates) -> PairTable {
        let [start, end] = self.pair[at].map(|place| place as usize);
        let mut table = PairTable { acceptance: [[1.0; 2]; 2], ..PairTable::default() };
        for place in &self.members[start..end] {
            let said = *place as usize;
            let mut own = self.own(said, protocol, rates, rates.error_of(self.told[said].by));
            let turned = self.upward[said] != self.upward[at];
            if self.told[said].tie && rates.ties.is_some() {
                // Half of an answer; the other half is a member too.
                own = own.map(|row| row.map(f64::sqrt));
            } else {
                let side = &mut table.decided[usize::from(turned)];
                *side = side.saturating_add(1);
            }
            let [[a, b], [c, d]] = own;
            let own = if turned { [a, c, b, d] } else { [a, b, c, d] };
            for (product, factor) in table.acceptance.as_flattened_mut().iter_mut().zip(own) {
                *product *= factor;
            }
        }
        // Many answers would multiply to nothing.
        let largest = table.acceptance.as_flattened().iter().fold(f64::MIN_POSITIVE, |a, b| a.max(*b));
        table.acceptance = table.acceptance.map(|row| row.map(|cell| cell / largest));
        table.log_factor = largest.ln();
        table
    }
}

impl PairTable {
    /// With items of one class ordered by degree, `gap` being κ times how far the first is above the second.
    pub(crate) fn graded(&self, gap: f64) -> Acceptance {
        let factor = [gap, -gap]
            .into_iter()
            .zip(self.decided)
            .map(|(gap, count)| (2.0 * crate::risk::sigmoid(gap)).powi(i32::from(count)))
            .product::<f64>()
            .max(1e-100);
        let [[both, first], [second, neither]] = self.acceptance;
        [[both * factor, first], [second, neither * factor]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replies::TieRates;

    fn close(left: Acceptance, right: Acceptance) -> bool {
        // Up to a factor.
        let factor = left[0][0] / right[0][0];
        left.as_flattened()
            .iter()
            .zip(right.as_flattened())
            .all(|(left, right)| (left - factor * right).abs() < 1e-12)
    }

    #[test]
    fn a_pairs_table_is_the_product_of_its_answers_seen_from_either_side() {
        let tie = Told { tie: true, ..Told::default() };
        let by = |by: u32| Told { by, ..Told::default() };
        // Answers on items 0 and 1: 0 first, 1 first by another person, and a tie; one on items 2 and 3.
        let told = [by(0), by(1), tie, tie, by(0)];
        let said = Said::new(&[0, 1, 0, 1, 3], &[1, 0, 1, 0, 2], Some(&told), true);
        assert_eq!((said.pairs().count(), said.people()), (2, 2));
        let again: Vec<bool> = said.pairs().map(|pair| said.is_decided_again(pair)).collect();
        assert_eq!(again, [true, false]);
        let ties = TieRates::new(0.4, 0.1).unwrap();
        let rates = ReplyRates { errors: vec![0.1, 0.3], ties: Some(ties), degree: 0.0 };
        let table = said.table(0, Protocol::FORCED_CHOICE, &rates);
        let model = |error: f64| ReplyModel {
            protocol: Protocol::new(crate::Collection::ForcedChoice, error).unwrap(),
            ties,
        };
        let mut product = [[1.0; 2]; 2];
        for factor in [
            model(0.1).acceptance(Reply::First),
            model(0.3).acceptance(Reply::Second),
            model(0.1).acceptance(Reply::Tie),
        ] {
            for (product, factor) in product.as_flattened_mut().iter_mut().zip(factor.as_flattened()) {
                *product *= factor;
            }
        }
        assert!(close(table.acceptance, product), "{table:?}, {product:?}");
        assert_eq!(table.decided, [1, 1]);
        let turned = said.table(1, Protocol::FORCED_CHOICE, &rates);
        let [[a, b], [c, d]] = turned.acceptance;
        assert!(close([[a, c], [b, d]], product));
        let alone = said.table(4, Protocol::FORCED_CHOICE, &rates);
        assert!(close(alone.acceptance, model(0.1).acceptance(Reply::First)));
    }

    #[test]
    fn whether_enough_was_asked_again_is_seen_without_a_list() {
        for again in [0, FEWEST_AGAIN - 1, FEWEST_AGAIN, 60] {
            for single in [50, 100 * FEWEST_AGAIN as u32, 9000] {
                let pairs = (0..single).map(|at| (2 * at, 2 * at + 1));
                let turned = (0..again as u32).map(|at| (2 * at + 1, 2 * at));
                let itself = (0..40).map(|_| (5, 5));
                let (likelier, other): (Vec<u32>, Vec<u32>) = pairs.chain(turned).chain(itself).unzip();
                let listed = Said::new(&likelier, &other, None, true).asked_again();
                assert_eq!(Said::may_tell(&likelier, &other, None), listed, "{again} of {single}");
            }
        }
        assert!(Said::may_tell(&[0], &[1], Some(&[Told::default()])));
    }

    #[test]
    fn what_is_not_joined_stands_by_itself() {
        let said = Said::new(&[0, 1], &[1, 0], None, false);
        let rates = ReplyRates::stated(0.0);
        for at in 0..2 {
            let table = said.table(at, Protocol::FORCED_CHOICE, &rates);
            assert!(close(table.acceptance, Protocol::FORCED_CHOICE.acceptance()));
        }
    }

    #[test]
    fn a_grading_changes_pairs_of_one_class_alone() {
        let table = PairTable { acceptance: [[0.5, 0.9], [0.1, 0.5]], decided: [1, 0], log_factor: 0.0 };
        let [[both, first], [second, neither]] = table.graded(1.5);
        let by_degree = 1.0 / (1.0 + (-1.5_f64).exp());
        assert!((both - by_degree).abs() < 1e-12 && (neither - by_degree).abs() < 1e-12);
        assert_eq!([first, second], [0.9, 0.1]);
        assert_eq!(table.graded(0.0), table.acceptance);
    }
}
