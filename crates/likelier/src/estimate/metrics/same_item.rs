//! What answers about one item have in common.
//!
//! Let G(x) be the mean answer on pairs of x with a random partner: 1 if x is always put first, −1 if never. Two answers
//! about x, with different partners, have the mean product W = E[G²] over random items. How labellers order equals, and
//! which pairs they get wrong, moves G within the classes; W says how much in all, without asking anything twice. Circles
//! among answers say the same of three answers at a time.

use crate::data::Comparisons;
use crate::estimate::components::Components;

/// Fewer items with two partners or more say too little.
const FEWEST: usize = 50;
/// Where partners come from a part of the items, as within topics, they are no random ones. So most comparisons must hang
/// together.
const TOGETHER: f64 = 0.9;

/// W and its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SameItem {
    pub(super) value: f64,
    pub(super) error: f64,
    /// Items with two partners or more.
    pub(super) items: usize,
}

/// What is known of one item: its partners, and the sum and the sum of squares of the mean answers with them.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    partners: f64,
    sum: f64,
    squares: f64,
}

impl Sums {
    /// The sum of all products of two different partners' answers, and their number.
    fn products(&self) -> [f64; 2] {
        [self.sum * self.sum - self.squares, self.partners * (self.partners - 1.0)]
    }
}

impl SameItem {
    /// None if items hardly occur twice, or only within parts.
    pub(super) fn of(comparisons: &Comparisons) -> Option<Self> {
        if !hang_together(comparisons) {
            return None;
        }
        let answers = mean_answers(comparisons);
        let mut of_item = vec![Sums::default(); items_in(comparisons)];
        for ([one, two], mean) in &answers {
            for (item, mean) in [(one, *mean), (two, -*mean)] {
                let sums = &mut of_item[*item as usize];
                sums.partners += 1.0;
                sums.sum += mean;
                sums.squares += mean * mean;
            }
        }
        let items = of_item.iter().filter(|sums| sums.partners > 1.0).count();
        if items < FEWEST {
            return None;
        }
        let total = of_item.iter().fold([0.0; 2], |sum, sums| add(sum, sums.products(), 1.0));
        // Without an item its own products are gone, and those of its partners with it.
        let mut without: Vec<[f64; 2]> =
            of_item.iter().map(|sums| add(total, sums.products(), -1.0)).collect();
        for ([one, two], mean) in &answers {
            for (item, other, mean) in [(one, two, -*mean), (two, one, *mean)] {
                let partner = &of_item[*other as usize];
                let lost = [2.0 * mean * (partner.sum - mean), 2.0 * (partner.partners - 1.0)];
                without[*item as usize] = add(without[*item as usize], lost, -1.0);
            }
        }
        let mean = |[products, count]: [f64; 2]| products / count.max(1.0);
        let value = mean(total);
        // The jackknife by item. What is noise in a product of two answers counts at all three of its items, so that the error is too
        // large, by a factor of √3 if there is nothing but noise.
        let each: Vec<f64> = (0..of_item.len())
            .filter(|item| of_item[*item].partners > 0.0)
            .map(|item| mean(without[item]))
            .collect();
        let count = each.len() as f64;
        let centre = each.iter().sum::<f64>() / count;
        let squares: f64 = each.iter().map(|left| (left - centre).powi(2)).sum();
        Some(Self { value, error: ((count - 1.0) / count * squares).sqrt(), items })
    }
}

fn add(sum: [f64; 2], more: [f64; 2], sign: f64) -> [f64; 2] {
    [sum[0] + sign * more[0], sum[1] + sign * more[1]]
}

/// Every pair of different items, and the mean of its answers: 1 if the item with the lower number is always put first. The
/// halves of a tie cancel.
fn mean_answers(comparisons: &Comparisons) -> Vec<([u32; 2], f64)> {
    let mut said: Vec<([u32; 2], f64)> = comparisons
        .iter()
        .filter(|(a, b)| a != b)
        .map(|(a, b)| ([a.min(b), a.max(b)], if a < b { 1.0 } else { -1.0 }))
        .collect();
    said.sort_unstable_by_key(|one| one.0);
    said.chunk_by(|one, two| one.0 == two.0)
        .map(|pair| (pair[0].0, pair.iter().map(|one| one.1).sum::<f64>() / pair.len() as f64))
        .collect()
}

/// One more than the largest number of an item.
fn items_in(comparisons: &Comparisons) -> usize {
    comparisons.iter().map(|(a, b)| a.max(b) as usize + 1).max().unwrap_or(0)
}

fn hang_together(comparisons: &Comparisons) -> bool {
    let items = items_in(comparisons);
    let components = Components::of(comparisons.iter(), items);
    let mut sizes = vec![0_usize; items];
    for (a, _) in comparisons.iter() {
        sizes[components.root(a) as usize] += 1;
    }
    let largest = sizes.iter().copied().max().unwrap_or(0);
    largest as f64 >= TOGETHER * comparisons.len() as f64
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::random::{Purpose, below, chance, epoch_stream, unit};

    /// Random pairs of items of which each has a strength; stronger ones are put first as often as strengths say.
    fn drawn(items: usize, pairs: usize, seed: u32) -> (Comparisons, f64) {
        let mut rng = epoch_stream(4, Purpose::Comparisons, seed);
        let strengths: Vec<f64> = (0..items).map(|_| unit(&mut rng)).collect();
        let answer = |a: usize, b: usize| 0.8 * (strengths[a] - strengths[b]);
        let comparisons = (0..pairs)
            .map(|_| {
                let one = below(&mut rng, items);
                let two = (one + 1 + below(&mut rng, items - 1)) % items;
                let first = chance(&mut rng, 0.5 * (1.0 + answer(one, two)));
                if first { (one as u32, two as u32) } else { (two as u32, one as u32) }
            })
            .collect();
        // G = 0.8·(strength − ½), uniform.
        (comparisons, 0.64 / 12.0)
    }

    #[test]
    fn it_is_the_mean_square_of_an_items_mean_answer_and_its_error_is_right() {
        for (items, pairs) in [(200, 800), (60, 1500)] {
            let found: Vec<SameItem> = (0..300)
                .map(|seed| SameItem::of(&drawn(items, pairs, seed).0).unwrap())
                .collect();
            let truth = drawn(items, pairs, 0).1;
            let count = found.len() as f64;
            let mean = found.iter().map(|one| one.value).sum::<f64>() / count;
            let deviation =
                (found.iter().map(|one| (one.value - mean).powi(2)).sum::<f64>() / (count - 1.0)).sqrt();
            let told = found.iter().map(|one| one.error).sum::<f64>() / count;
            assert!((mean - truth).abs() < 4.0 * deviation / count.sqrt(), "{mean} is not {truth}");
            assert!(told > 0.95 * deviation && told < 1.8 * deviation, "{told} for {deviation}");
        }
    }

    #[test]
    fn items_that_occur_once_and_parts_that_do_not_hang_together_say_nothing() {
        let once: Comparisons = (0..400).map(|at| (2 * at, 2 * at + 1)).collect();
        assert_eq!(SameItem::of(&once), None);
        let (one, _) = drawn(100, 800, 1);
        let two: Comparisons = one.iter().map(|(a, b)| (a + 100, b + 100)).chain(one.iter()).collect();
        assert!(SameItem::of(&one).is_some());
        assert_eq!(SameItem::of(&two), None);
    }

    #[test]
    fn an_item_left_out_is_what_it_would_be_without_its_comparisons() {
        let (comparisons, _) = drawn(60, 300, 2);
        let whole = SameItem::of(&comparisons).unwrap();
        let plain = |comparisons: &Comparisons| {
            let mut by_item: HashMap<u32, Vec<f64>> = HashMap::new();
            for ([one, two], mean) in mean_answers(comparisons) {
                by_item.entry(one).or_default().push(mean);
                by_item.entry(two).or_default().push(-mean);
            }
            let (mut sum, mut count) = (0.0, 0.0);
            for means in by_item.values() {
                for (at, one) in means.iter().enumerate() {
                    for (_, two) in means.iter().enumerate().filter(|(other, _)| *other != at) {
                        sum += one * two;
                        count += 1.0;
                    }
                }
            }
            sum / count
        };
        assert!((whole.value - plain(&comparisons)).abs() < 1e-12);
        let each: Vec<f64> = (0..60)
            .map(|gone| plain(&comparisons.iter().filter(|(a, b)| *a != gone && *b != gone).collect()))
            .collect();
        let mean = each.iter().sum::<f64>() / 60.0;
        let error = (59.0 / 60.0 * each.iter().map(|one| (one - mean).powi(2)).sum::<f64>()).sqrt();
        assert!((whole.error - error).abs() < 1e-12, "{} is not {error}", whole.error);
    }
}
