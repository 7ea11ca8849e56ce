//! Rank pruning (Theorem 6): keep the rows whose pile agrees with their score.
//!
//! Of the likelier pile the top 1−φ₊ = θ₊ by score are kept, of the other pile the bottom 1−φ₋ = 1−θ₋:
//! as many as truly belong there. The kept rows then count with [`PruningWeights`], and a pile's sum is
//! still divided by its whole size.

pub use super::table::PruningWeights;
use crate::data::Pile;
use crate::protocol::Mixture;

/// Which rows of each pile are kept.
#[derive(Clone, Debug, Default)]
pub struct KeptRows {
    kept: [Vec<bool>; 2],
    order: Vec<u32>,
}

impl KeptRows {
    /// Selects anew from the scores of both whole piles; shares are of the comparisons' weights, where
    /// they have any.
    pub fn select(&mut self, mixture: &Mixture, likelier: &[f32], other: &[f32], weights: Option<&[f32]>) {
        let [likelier_share, other_share] = mixture.shares();
        let Self { kept: [of_likelier, of_other], order } = self;
        // The other pile's bottom is the top of its negated scores.
        keep_top(of_likelier, order, likelier.len(), likelier_share, |row| -likelier[row], weights);
        keep_top(of_other, order, other.len(), 1.0 - other_share, |row| other[row], weights);
    }

    /// The marks of one pile, in its own order.
    pub fn kept(&self, pile: Pile) -> &[bool] {
        match pile {
            Pile::Likelier => &self.kept[0],
            Pile::Other => &self.kept[1],
        }
    }

    /// The share of rows kept, over both piles; 1 before the first selection.
    pub fn share(&self) -> f64 {
        let all = self.kept[0].len() + self.kept[1].len();
        let kept = self.kept.iter().flatten().filter(|kept| **kept).count();
        if all == 0 { 1.0 } else { kept as f64 / all as f64 }
    }
}

/// Marks the `share` of rows with the smallest keys; equal keys are taken in the order of the rows.
fn keep_top(
    kept: &mut Vec<bool>,
    order: &mut Vec<u32>,
    rows: usize,
    share: f64,
    key: impl Fn(usize) -> f32,
    weights: Option<&[f32]>,
) {
    let compare = |a: &u32, b: &u32| key(*a as usize).total_cmp(&key(*b as usize)).then(a.cmp(b));
    if let Some(weights) = weights {
        kept.clear();
        kept.resize(rows, false);
        order.clear();
        order.extend(0..rows as u32);
        order.sort_unstable_by(compare);
        let all: f64 = weights.iter().map(|weight| f64::from(*weight)).sum();
        let mut before = 0.0;
        for &row in &*order {
            // A row is kept when at least half of it lies inside the share, as counts are rounded.
            let weight = f64::from(weights[row as usize]);
            kept[row as usize] = before + 0.5 * weight <= share * all;
            before += weight;
        }
        return;
    }
    let count = (share * rows as f64).round() as usize;
    kept.clear();
    kept.resize(rows, count >= rows);
    if count == 0 || count >= rows {
        return;
    }
    order.clear();
    order.extend(0..rows as u32);
    order.select_nth_unstable_by(count - 1, compare);
    for &row in &order[..count] {
        kept[row as usize] = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn select(shares: [f64; 2], likelier: &[f32], other: &[f32]) -> [Vec<bool>; 2] {
        let mut selection = KeptRows::default();
        selection.select(&Mixture::new(shares[0], shares[1]).unwrap(), likelier, other, None);
        Pile::BOTH.map(|pile| selection.kept(pile).to_vec())
    }

    #[test]
    fn the_top_of_one_pile_and_the_bottom_of_the_other_are_kept() {
        let [likelier, other] = select([0.5, 0.25], &[3.0, -1.0, 2.0, 0.0], &[3.0, -1.0, 2.0, 0.0]);
        assert_eq!(likelier, [true, false, true, false]);
        assert_eq!(other, [false, true, true, true]);
    }

    #[test]
    fn ties_go_to_the_earlier_row() {
        let [likelier, other] = select([0.5, 0.25], &[1.0; 4], &[1.0; 4]);
        assert_eq!(likelier, [true, true, false, false]);
        assert_eq!(other, [true, true, true, false]);
    }

    #[test]
    fn whole_and_empty_piles_and_shares_are_defined() {
        assert_eq!(select([1.0, 0.0], &[1.0], &[]), [vec![true], vec![]]);
        // Half of five rows is three: shares are rounded to the nearest count, halves up.
        let [likelier, _] = select([0.5, 0.0], &[1.0, 2.0, 3.0, 4.0, 5.0], &[]);
        assert_eq!(likelier, [false, false, true, true, true]);
        assert_eq!(select([0.0, 1.0], &[1.0, 2.0], &[3.0]), [vec![false, false], vec![false]]);
    }

    #[test]
    fn the_selected_share_is_what_the_mixture_says() {
        let mixture = Mixture::new(0.7, 0.4).unwrap();
        let scores: Vec<f32> = (0..10_u8).map(f32::from).collect();
        let mut selection = KeptRows::default();
        assert!((selection.share() - 1.0).abs() < 1e-12);
        selection.select(&mixture, &scores, &scores, None);
        assert!((selection.share() - 0.65).abs() < 1e-12);
    }

    #[test]
    fn equal_weights_change_nothing_and_others_shift_the_cut() {
        let mixture = Mixture::new(0.5, 0.25).unwrap();
        let scores = [3.0, -1.0, 2.0, 0.0, 5.0];
        let mut selection = KeptRows::default();
        let mut kept = |weights: Option<&[f32]>| {
            selection.select(&mixture, &scores, &scores, weights);
            Pile::BOTH.map(|pile| selection.kept(pile).to_vec())
        };
        assert_eq!(kept(Some(&[2.0; 5])), kept(None));
        // The two highest scores hold 9 of 12 parts of the weight, the highest alone 1.
        let [likelier, _] = kept(Some(&[8.0, 1.0, 1.0, 1.0, 1.0]));
        assert_eq!(likelier, [true, false, false, false, true]);
    }
}
