//! Everything that was said about each pair, as one acceptance matrix.

use super::{Acceptance, Reply, ReplyModel, ReplyRates};
use crate::data::{AskedPairs, ShownSide, Told, sort};
use crate::protocol::Protocol;
use crate::risk::sigmoid;

/// From fewer pairs that were asked again, or less than a hundredth of all, nothing is estimated.
const FEWEST_AGAIN: usize = 30;

/// From fewer answers with sides no leaning is estimated.
const FEWEST_SIDES: usize = 30;
/// So many standard errors from one half the share of one side is worth a closer look: of all, and of one person.
const LEANS: [f64; 2] = [2.0, 3.0];

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
    /// How probably such an answer about items of one class was given by the side; of several the mean, with which
    /// grading is exact for one answer each way and near it for more.
    blind: [f64; 2],
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

    /// Whether of enough answers it is known which side was picked.
    pub(crate) fn has_sides(&self) -> bool {
        self.told.iter().filter(|told| told.side.is_some()).count() >= FEWEST_SIDES
    }

    /// Whether one side was picked so often, by all or by one, that it is worth looking for a leaning.
    pub(crate) fn may_lean(&self) -> bool {
        // How often the left one was picked, and how often either was.
        let mut of_each = vec![[0.0_f64; 2]; self.people()];
        for told in &self.told {
            if let Some(side) = told.side {
                let [left, all] = &mut of_each[told.by as usize];
                *left += f64::from(u8::from(side == ShownSide::Left));
                *all += 1.0;
            }
        }
        let from_half = |[left, all]: [f64; 2]| (left - 0.5 * all).abs() / (0.25 * all).sqrt();
        let all = of_each.iter().fold([0.0; 2], |sum, one| [sum[0] + one[0], sum[1] + one[1]]);
        let [of_all, of_one] = LEANS;
        let leans = from_half(all) > of_all || of_each.into_iter().any(|one| from_half(one) > of_one);
        leans && self.has_sides()
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

    /// What one comparison says by itself, and how much of that whoever looked says.
    fn own(&self, at: usize, protocol: Protocol, rates: &ReplyRates) -> [Acceptance; 2] {
        let told = self.told[at];
        let model = rates.model(told.by, protocol);
        let reply = if told.tie && rates.ties.is_some() { Reply::Tie } else { Reply::First };
        if model.leaning == 0.0 {
            return [model.acceptance(reply); 2];
        }
        let all = match told.side {
            Some(side) => model.acceptance_at(reply, side),
            None => model.acceptance(reply),
        };
        let share = 1.0 - model.leaning.abs();
        let looked = ReplyModel { leaning: 0.0, ..model }.acceptance(reply);
        [all, looked.map(|row| row.map(|cell| share * cell))]
    }

    /// How probably whoever made a comparison looked at the items, given their classes; `gap` as in
    /// [`PairTable::graded`].
    pub(crate) fn looked(&self, at: usize, protocol: Protocol, rates: &ReplyRates, gap: f64) -> Acceptance {
        if rates.leaning_of(self.told[at].by) == 0.0 {
            return [[1.0; 2]; 2];
        }
        let [all, looked] = self.own(at, protocol, rates);
        let order = if self.told[at].tie { 1.0 } else { 2.0 * sigmoid(gap) };
        [0, 1].map(|y| {
            [0, 1].map(|y_other| {
                let seen = looked[y][y_other] * if y == y_other { order } else { 1.0 };
                let blind = all[y][y_other] - looked[y][y_other];
                if seen + blind > 0.0 { seen / (seen + blind) } else { 1.0 }
            })
        })
    }

    /// What was said about the pair of a comparison, seen from there.
    pub(crate) fn table(&self, at: usize, protocol: Protocol, rates: &ReplyRates) -> PairTable {
        let [start, end] = self.pair[at].map(|place| place as usize);
        let mut table = PairTable { acceptance: [[1.0; 2]; 2], ..PairTable::default() };
        for place in &self.members[start..end] {
            let said = *place as usize;
            let [mut own, looked] = self.own(said, protocol, rates);
            let turned = self.upward[said] != self.upward[at];
            if self.told[said].tie && rates.ties.is_some() {
                // Half of an answer; the other half is a member too.
                own = own.map(|row| row.map(f64::sqrt));
            } else {
                let side = usize::from(turned);
                table.decided[side] = table.decided[side].saturating_add(1);
                if looked[0][0] < own[0][0] {
                    table.blind[side] += 1.0 - looked[0][0] / own[0][0];
                }
            }
            let [[a, b], [c, d]] = own;
            let own = if turned { [a, c, b, d] } else { [a, b, c, d] };
            for (product, factor) in table.acceptance.as_flattened_mut().iter_mut().zip(own) {
                *product *= factor;
            }
        }
        for (blind, count) in table.blind.iter_mut().zip(table.decided) {
            *blind /= f64::from(count.max(1));
        }
        // Many answers would multiply to nothing.
        let largest = table.acceptance.as_flattened().iter().fold(f64::MIN_POSITIVE, |a, b| a.max(*b));
        table.acceptance = table.acceptance.map(|row| row.map(|cell| cell / largest));
        table.log_factor = largest.ln();
        table
    }
}

impl PairTable {
    /// What a grading makes of the probability of one answer for the first item, or for the second, if both are of
    /// one class.
    fn by_degree(&self, side: usize, gap: f64) -> f64 {
        self.blind[side] + (1.0 - self.blind[side]) * 2.0 * sigmoid(gap)
    }

    /// The slope of its logarithm by the gap, for the first item.
    pub(crate) fn order_slope(&self, gap: f64) -> f64 {
        let looked = (1.0 - self.blind[0]) * 2.0 * sigmoid(gap);
        sigmoid(-gap) * (looked / self.by_degree(0, gap))
    }

    /// With items of one class ordered by degree, `gap` being κ times how far the first is above the second.
    pub(crate) fn graded(&self, gap: f64) -> Acceptance {
        let factor = [gap, -gap]
            .into_iter()
            .enumerate()
            .map(|(side, gap)| self.by_degree(side, gap).powi(i32::from(self.decided[side])))
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
        let rates = ReplyRates { errors: vec![0.1, 0.3], ties: Some(ties), ..ReplyRates::stated(0.0) };
        let table = said.table(0, Protocol::FORCED_CHOICE, &rates);
        let model = |error: f64| ReplyModel {
            protocol: Protocol::new(crate::Collection::ForcedChoice, error).unwrap(),
            ties,
            leaning: 0.0,
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
        let table =
            PairTable { acceptance: [[0.5, 0.9], [0.1, 0.5]], decided: [1, 0], ..PairTable::default() };
        let [[both, first], [second, neither]] = table.graded(1.5);
        let by_degree = 1.0 / (1.0 + (-1.5_f64).exp());
        assert!((both - by_degree).abs() < 1e-12 && (neither - by_degree).abs() < 1e-12);
        assert_eq!([first, second], [0.9, 0.1]);
        assert_eq!(table.graded(0.0), table.acceptance);
    }

    /// One answer of somebody who leans to the left, and grades where he looks: each cell is the mixture of both.
    #[test]
    fn what_was_picked_by_the_side_is_not_graded() {
        let (error, leaning, gap): (f64, f64, f64) = (0.1, 0.4, 1.5);
        let by_degree = 1.0 / (1.0 + (-gap).exp());
        for (side, picked) in [(ShownSide::Left, 1.0), (ShownSide::Right, 0.0)] {
            let told = [Told { side: Some(side), ..Told::default() }];
            let said = Said::new(&[0], &[1], Some(&told), true);
            let rates = ReplyRates { leanings: vec![leaning], ..ReplyRates::stated(error) };
            let graded = said.table(0, Protocol::FORCED_CHOICE, &rates).graded(gap);
            let blind = leaning * picked;
            let [same, right, wrong] =
                [by_degree, 1.0 - error, error].map(|looked| blind + (1.0 - leaning) * looked);
            assert!(close(graded, [[same, right], [wrong, same]]), "{graded:?}");
            let looked = said.looked(0, Protocol::FORCED_CHOICE, &rates, gap);
            assert!((looked[1][0] - (1.0 - leaning) * error / wrong).abs() < 1e-12, "{looked:?}");
            assert!((looked[1][1] - (1.0 - leaning) * by_degree / same).abs() < 1e-12, "{looked:?}");
        }
    }
}
