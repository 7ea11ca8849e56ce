//! What held-out comparisons say beyond the piles: pairs that were asked again, and ties.

use super::held_out::HeldOut;

/// A pair of items whose two scores both count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PairSeen {
    /// The lower and the higher score.
    pub(super) scores: [f32; 2],
    /// Its answers.
    pub(super) answers: usize,
    /// How many of them are ties.
    pub(super) ties: usize,
    /// The mean product of two different answers, each 1, −1 or, for a tie, 0; none with one answer.
    pub(super) agreement: Option<f64>,
    /// How many pairs it stands for beside the others: 1 where all were equally likely to be asked.
    pub(super) weight: f64,
}

/// Every pair of different items.
pub(super) fn pairs_seen(held_out: &HeldOut<'_>) -> Vec<PairSeen> {
    let Some(comparisons) = held_out.comparisons() else { return Vec::new() };
    let groups = comparisons.groups();
    let scores = crate::data::Pile::BOTH.map(|pile| held_out.scores(pile));
    // (pair, answer, +1 or −1 by which item is likelier, its place).
    let mut said: Vec<([u32; 2], usize, i32, usize)> = comparisons
        .iter()
        .enumerate()
        .filter(|(at, (a, b))| a != b && held_out.counts(0, *at) && held_out.counts(1, *at))
        .map(|(at, (a, b))| ([a.min(b), a.max(b)], groups.of(at), if a < b { 1 } else { -1 }, at))
        .collect();
    said.sort_unstable();
    said.chunk_by(|one, two| one.0 == two.0)
        .map(|pair| {
            // The halves of a tie cancel.
            let answers: Vec<i32> = pair
                .chunk_by(|one, two| one.1 == two.1)
                .map(|answer| answer.iter().map(|half| half.2).sum())
                .collect();
            let sum: i32 = answers.iter().sum();
            let squares: i32 = answers.iter().map(|answer| answer * answer).sum();
            let count = answers.len() as f64;
            let products = f64::from(sum * sum - squares) / (count * (count - 1.0)).max(1.0);
            let at = pair[0].3;
            let (one, two) = (scores[0][at], scores[1][at]);
            PairSeen {
                scores: [one.min(two), one.max(two)],
                answers: answers.len(),
                ties: answers.iter().filter(|answer| **answer == 0).count(),
                agreement: (answers.len() > 1).then_some(products),
                weight: comparisons.stands_for(at),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Answers;

    #[test]
    fn answers_to_one_pair_are_found_in_either_order_and_a_tie_is_no_side() {
        let mut pairs = vec![(0, 1), (1, 0), (0, 1), (2, 3), (3, 2), (4, 5)];
        pairs.extend((3..9).map(|k| (2 * k, 2 * k + 1)));
        let ties = (0..pairs.len()).map(|at| at == 4).collect();
        let comparisons = Answers::from_iter(pairs).tied(ties).unwrap().comparisons();
        let (likelier, other): (Vec<f32>, Vec<f32>) =
            comparisons.iter().map(|(a, b)| (a as f32, b as f32)).unzip();
        let held_out = HeldOut::pairs(&likelier, &other).unwrap().of(&comparisons).unwrap();
        let seen = pairs_seen(&held_out);
        assert_eq!(seen.len(), 9);
        // Twice the one order, once the other: of three products one is 1 and two are −1.
        assert_eq!(
            seen[0],
            PairSeen { scores: [0.0, 1.0], answers: 3, ties: 0, agreement: Some(-1.0 / 3.0), weight: 1.0 }
        );
        let of =
            |scores, answers, ties, agreement| PairSeen { scores, answers, ties, agreement, weight: 1.0 };
        assert_eq!(seen[1], of([2.0, 3.0], 2, 1, Some(0.0)));
        assert_eq!(seen[2], of([4.0, 5.0], 1, 0, None));
    }
}
