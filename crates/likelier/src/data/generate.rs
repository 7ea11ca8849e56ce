//! Comparisons out of labelled rows, under any protocol: for demonstrations, benchmarks and tests.
//!
//! [`comparisons`] draws pairs, either independently, exactly as Theorem 1 describes, or with the
//! benchmark's exact counts and no row used twice. [`pointwise`] is the paper's literal experiment:
//! labels flipped by the rates of Theorem 5. The two are *not* the same: flipping a sample with prior π
//! gives other piles than drawing pairs does, unless π is the pooled prior.

use super::{Comparisons, Label, Piles, check_items};
use crate::error::Error;
use crate::prior::Prior;
use crate::protocol::{Collection, Protocol};
use crate::random::{Rng, below, chance, shuffle};

/// What to generate.
#[derive(Clone, Copy, Debug)]
pub struct Recipe<'a> {
    /// The share of positives in the population that pairs are drawn from.
    pub prior: Prior,
    /// How the pairs are collected.
    pub protocol: Protocol,
    /// How many comparisons to end up with.
    pub pairs: usize,
    /// How rows are drawn.
    pub sampling: Sampling,
    /// Who orders the pairs.
    pub labeller: Labeller<'a>,
}

/// How rows are drawn into pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sampling {
    /// Independent draws: first the labels by the prior, then a row of each, with replacement. The two
    /// rows of a pair are different.
    Independent,
    /// The benchmark's: each combination of labels in its expected number (rounded down, the rest both
    /// negative), no row used twice.
    ExactCounts,
}

/// Who orders the pairs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Labeller<'a> {
    /// Sees the classes only: same-class pairs land in random order. What every method here assumes.
    Class,
    /// Orders same-class pairs by this score of each row, higher first: breaks the assumption.
    Confidence(&'a [f32]),
}

/// Generated comparisons.
#[derive(Clone, Debug)]
pub struct Generated {
    /// The comparisons, between rows of the pool.
    pub comparisons: Comparisons,
    /// How many pairs the labeller was shown; unknown with exact counts, where nobody was shown any.
    pub shown: Option<usize>,
}

/// Draws comparisons between the rows `pool`, whose true labels are `labels[row]`.
pub fn comparisons(
    labels: &[Label],
    pool: &[u32],
    recipe: &Recipe<'_>,
    rng: &mut impl Rng,
) -> Result<Generated, Error> {
    check_count("the number of pairs", recipe.pairs)?;
    if let Labeller::Confidence(scores) = recipe.labeller
        && scores.len() != labels.len()
    {
        return Err(Error::mismatch("confidence scores", scores.len(), "labels", labels.len()));
    }
    let classes = by_class(labels, pool)?;
    match recipe.sampling {
        Sampling::Independent => independent(&classes, recipe, rng),
        Sampling::ExactCounts => exact_counts(classes, recipe, rng),
    }
}

/// More than anyone has, and few enough that memory and time are no question.
const MOST: usize = 100_000_000;

fn check_count(name: &'static str, count: usize) -> Result<(), Error> {
    if (1..=MOST).contains(&count) {
        Ok(())
    } else {
        Err(Error::Setting { name, value: count.to_string(), allowed: "from 1 to 100,000,000" })
    }
}

/// The rows of the pool: positives, then negatives.
fn by_class(labels: &[Label], pool: &[u32]) -> Result<[Vec<u32>; 2], Error> {
    check_items("the pool", pool, labels.len())?;
    let (positive, negative) = pool.iter().partition(|&&row| labels[row as usize].is_positive());
    Ok([positive, negative])
}

const CLASSES: [Label; 2] = [Label::Positive, Label::Negative];

fn independent(
    classes: &[Vec<u32>; 2],
    recipe: &Recipe<'_>,
    rng: &mut impl Rng,
) -> Result<Generated, Error> {
    for (class, rows) in CLASSES.into_iter().zip(classes) {
        // Two different ones, or a pair of the class could never be completed.
        if rows.iter().all(|row| Some(row) == rows.first()) {
            return Err(Error::TooFewOfClass { class, needed: 2, available: rows.len().min(1) });
        }
    }
    let accept = recipe.protocol.acceptance();
    let mut pairs = Vec::new();
    let mut shown = 0;
    while pairs.len() < recipe.pairs {
        shown += 1;
        let [y, y_other] = [(); 2].map(|()| usize::from(!chance(rng, recipe.prior.positive())));
        let row = classes[y][below(rng, classes[y].len())];
        let mut other = row;
        while other == row {
            other = classes[y_other][below(rng, classes[y_other].len())];
        }
        match (recipe.labeller, recipe.protocol.collection()) {
            (Labeller::Confidence(scores), _) if y == y_other => {
                pairs.push(by_confidence(scores, row, other));
            }
            _ if chance(rng, accept[y][y_other]) => pairs.push((row, other)),
            (_, Collection::ForcedChoice) => pairs.push((other, row)),
            (_, Collection::Discard) => {}
        }
    }
    Ok(Generated { comparisons: pairs.into_iter().collect(), shown: Some(shown) })
}

fn exact_counts(
    classes: [Vec<u32>; 2],
    recipe: &Recipe<'_>,
    rng: &mut impl Rng,
) -> Result<Generated, Error> {
    let available = [classes[0].len(), classes[1].len()];
    let cells = Cells::of(recipe, recipe.pairs);
    let needed = cells.rows_needed();
    for (at, class) in CLASSES.into_iter().enumerate() {
        if needed[at] > available[at] {
            return Err(Error::TooFewRows {
                pairs: recipe.pairs,
                class,
                needed: needed[at],
                available: available[at],
                possible: most_pairs(recipe, available),
            });
        }
    }
    let mut rows = classes;
    for rows in &mut rows {
        shuffle(rng, rows);
    }
    let mut rows = rows.map(Vec::into_iter);
    let mut pairs = Vec::with_capacity(recipe.pairs);
    for (y, y_other, count) in cells.0 {
        for _ in 0..count {
            // The counts were checked against what there is.
            if let (Some(row), Some(other)) = (rows[y].next(), rows[y_other].next()) {
                pairs.push(match recipe.labeller {
                    Labeller::Confidence(scores) if y == y_other => by_confidence(scores, row, other),
                    _ => (row, other),
                });
            }
        }
    }
    shuffle(rng, &mut pairs);
    Ok(Generated { comparisons: pairs.into_iter().collect(), shown: None })
}

/// How many recorded pairs have which labels: (class of the likelier, class of the other, count).
struct Cells([(usize, usize, usize); 4]);

impl Cells {
    fn of(recipe: &Recipe<'_>, pairs: usize) -> Self {
        let joint = recipe.protocol.label_joint(recipe.prior);
        // A product that should be whole may come out a hair below.
        let count = |share: f64| (share * pairs as f64 + 1e-9).floor() as usize;
        let (mixed, turned, positive) = (count(joint[0][1]), count(joint[1][0]), count(joint[0][0]));
        let negative = pairs - mixed - turned - positive;
        Self([(0, 1, mixed), (1, 0, turned), (0, 0, positive), (1, 1, negative)])
    }

    fn rows_needed(&self) -> [usize; 2] {
        let mut needed = [0; 2];
        for (y, y_other, count) in self.0 {
            needed[y] += count;
            needed[y_other] += count;
        }
        needed
    }
}

/// The largest number of comparisons that exact counts can draw from the pool, whatever the recipe asks for.
pub fn most_exact_pairs(labels: &[Label], pool: &[u32], recipe: &Recipe<'_>) -> Result<usize, Error> {
    Ok(most_pairs(recipe, by_class(labels, pool)?.map(|rows| rows.len())))
}

/// The largest number of pairs for which both classes suffice.
fn most_pairs(recipe: &Recipe<'_>, available: [usize; 2]) -> usize {
    let fits = |pairs: &usize| {
        let needed = Cells::of(recipe, *pairs).rows_needed();
        needed[0] <= available[0] && needed[1] <= available[1]
    };
    (0..=available[0].midpoint(available[1])).rev().find(fits).unwrap_or(0)
}

fn by_confidence(scores: &[f32], row: u32, other: u32) -> (u32, u32) {
    if scores[other as usize] > scores[row as usize] { (other, row) } else { (row, other) }
}

/// Two loose piles: rows whose (flipped) label is positive, and the rest.
#[derive(Clone, Debug)]
pub struct LoosePiles {
    /// Rows observed as positive.
    pub likelier: Vec<u32>,
    /// Rows observed as negative.
    pub other: Vec<u32>,
}

impl LoosePiles {
    /// As training sees them.
    pub fn piles(&self) -> Piles<'_> {
        Piles::loose(&self.likelier, &self.other)
    }
}

/// The paper's literal experiment: `rows` rows with prior π, none used twice, each label flipped with
/// the rate of Theorem 5 for its class.
pub fn pointwise(
    labels: &[Label],
    pool: &[u32],
    prior: Prior,
    protocol: Protocol,
    rows: usize,
    rng: &mut impl Rng,
) -> Result<LoosePiles, Error> {
    check_count("the number of rows", rows)?;
    let rates = protocol.mixture(prior)?.noise_rates();
    let positives = (rows as f64 * prior.positive()).round() as usize;
    let wanted = [positives, rows - positives];
    let mut piles = LoosePiles { likelier: Vec::new(), other: Vec::new() };
    for (at, mut of_class) in by_class(labels, pool)?.into_iter().enumerate() {
        if of_class.len() < wanted[at] {
            return Err(Error::TooFewOfClass {
                class: CLASSES[at],
                needed: wanted[at],
                available: of_class.len(),
            });
        }
        shuffle(rng, &mut of_class);
        let flip = [rates.flip_positive, rates.flip_negative][at];
        for &row in &of_class[..wanted[at]] {
            let seen_as_positive = (at == 0) != chance(rng, flip);
            if seen_as_positive { piles.likelier.push(row) } else { piles.other.push(row) }
        }
    }
    shuffle(rng, &mut piles.likelier);
    shuffle(rng, &mut piles.other);
    Ok(piles)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};

    fn labels(positives: usize, negatives: usize) -> (Vec<Label>, Vec<u32>) {
        let labels: Vec<Label> = (0..positives + negatives)
            .map(|row| Label::positive_if(row < positives))
            .collect();
        let pool = (0..labels.len() as u32).collect();
        (labels, pool)
    }

    fn recipe(prior: f64, protocol: Protocol, pairs: usize, sampling: Sampling) -> Recipe<'static> {
        let prior = Prior::new(prior).unwrap();
        Recipe { prior, protocol, pairs, sampling, labeller: Labeller::Class }
    }

    fn cell_counts(labels: &[Label], comparisons: &Comparisons) -> [[usize; 2]; 2] {
        let mut cells = [[0; 2]; 2];
        for (row, other) in comparisons.iter() {
            let [y, y_other] = [row, other].map(|r| usize::from(!labels[r as usize].is_positive()));
            cells[y][y_other] += 1;
        }
        cells
    }

    #[test]
    fn exact_counts_are_the_benchmarks_and_use_no_row_twice() {
        let (labels, pool) = labels(2500, 2500);
        let recipe = recipe(0.5, Protocol::DISCARD, 1000, Sampling::ExactCounts);
        let mut rng = stream(1, Purpose::Comparisons);
        let generated = comparisons(&labels, &pool, &recipe, &mut rng).unwrap();
        assert_eq!(cell_counts(&labels, &generated.comparisons), [[333, 333], [0, 334]]);
        assert_eq!(generated.shown, None);
        let mut rows: Vec<u32> = generated.comparisons.iter().flat_map(|(a, b)| [a, b]).collect();
        rows.sort_unstable();
        rows.dedup();
        assert_eq!(rows.len(), 2000);
    }

    #[test]
    fn exact_counts_follow_forced_choice_and_labeller_error() {
        let (labels, pool) = labels(2000, 2000);
        let protocol = Protocol::new(Collection::ForcedChoice, 0.1).unwrap();
        let recipe = recipe(0.5, protocol, 1000, Sampling::ExactCounts);
        let mut rng = stream(1, Purpose::Comparisons);
        let generated = comparisons(&labels, &pool, &recipe, &mut rng).unwrap();
        assert_eq!(cell_counts(&labels, &generated.comparisons), [[250, 450], [50, 250]]);
    }

    #[test]
    fn too_few_rows_say_how_many_pairs_are_possible_and_that_many_work() {
        let (labels, pool) = labels(30, 500);
        let asked = recipe(0.5, Protocol::DISCARD, 200, Sampling::ExactCounts);
        let mut rng = stream(1, Purpose::Comparisons);
        let error = comparisons(&labels, &pool, &asked, &mut rng).unwrap_err();
        let Error::TooFewRows { class, available, needed, possible, .. } = error else { panic!("{error}") };
        assert_eq!((class, available, needed), (Label::Positive, 30, 198));
        let with = |pairs| Recipe { pairs, ..asked };
        assert!(comparisons(&labels, &pool, &with(possible), &mut rng).is_ok());
        assert!(comparisons(&labels, &pool, &with(possible + 1), &mut rng).is_err());
        assert_eq!(most_exact_pairs(&labels, &pool, &asked).unwrap(), possible);
    }

    #[test]
    fn independent_draws_need_two_rows_of_each_class() {
        let (labels, pool) = labels(1, 5);
        let recipe = recipe(0.5, Protocol::DISCARD, 10, Sampling::Independent);
        let error = comparisons(&labels, &pool, &recipe, &mut stream(1, Purpose::Comparisons));
        assert!(matches!(error, Err(Error::TooFewOfClass { class: Label::Positive, .. })));
    }

    #[test]
    fn impossible_numbers_and_lists_are_refused() {
        let (labels, pool) = labels(5, 5);
        let mut rng = stream(1, Purpose::Comparisons);
        for sampling in [Sampling::Independent, Sampling::ExactCounts] {
            for pairs in [0, usize::MAX, 1_000_000_000_000] {
                let recipe = recipe(0.5, Protocol::DISCARD, pairs, sampling);
                assert!(matches!(
                    comparisons(&labels, &pool, &recipe, &mut rng),
                    Err(Error::Setting { .. })
                ));
            }
        }
        let half = Prior::new(0.5).unwrap();
        assert!(pointwise(&labels, &pool, half, Protocol::DISCARD, 0, &mut rng).is_err());
        let recipe = recipe(0.5, Protocol::DISCARD, 4, Sampling::Independent);
        let twice = comparisons(&labels, &[0, 0, 5, 6], &recipe, &mut rng);
        assert!(matches!(twice, Err(Error::TooFewOfClass { .. })), "one row, listed twice");
        assert!(matches!(comparisons(&labels, &[0, 99], &recipe, &mut rng), Err(Error::NoSuchItem { .. })));
        let short = Recipe { labeller: Labeller::Confidence(&[0.5]), ..recipe };
        assert!(matches!(comparisons(&labels, &pool, &short, &mut rng), Err(Error::Mismatch { .. })));
    }

    #[test]
    fn no_row_is_compared_with_itself() {
        let (labels, pool) = labels(2, 2);
        for protocol in [Protocol::DISCARD, Protocol::FORCED_CHOICE] {
            let recipe = recipe(0.5, protocol, 500, Sampling::Independent);
            let mut rng = stream(1, Purpose::Comparisons);
            let generated = comparisons(&labels, &pool, &recipe, &mut rng).unwrap();
            assert!(generated.comparisons.iter().all(|(row, other)| row != other));
        }
    }

    #[test]
    fn a_confidence_labeller_orders_same_class_pairs_by_score() {
        let (labels, pool) = labels(50, 50);
        let scores: Vec<f32> = (0..100_u8).map(|row| f32::from(row % 17)).collect();
        for sampling in [Sampling::Independent, Sampling::ExactCounts] {
            for protocol in [Protocol::DISCARD, Protocol::FORCED_CHOICE] {
                let recipe = Recipe {
                    labeller: Labeller::Confidence(&scores),
                    ..recipe(0.5, protocol, 40, sampling)
                };
                let mut rng = stream(1, Purpose::Comparisons);
                let generated = comparisons(&labels, &pool, &recipe, &mut rng).unwrap();
                let mut same = 0;
                for (row, other) in generated.comparisons.iter() {
                    if labels[row as usize] == labels[other as usize] {
                        same += 1;
                        assert!(scores[row as usize] >= scores[other as usize]);
                    } else {
                        assert!(labels[row as usize].is_positive(), "no labeller error was asked for");
                    }
                }
                assert!(same > 5, "{same} same-class pairs");
            }
        }
    }

    #[test]
    fn a_seed_gives_the_same_comparisons_forever() {
        let (labels, pool) = labels(20, 20);
        let recipe = recipe(0.5, Protocol::FORCED_CHOICE, 6, Sampling::Independent);
        let mut rng = stream(11, Purpose::Comparisons);
        let generated = comparisons(&labels, &pool, &recipe, &mut rng).unwrap();
        let pairs: Vec<_> = generated.comparisons.iter().collect();
        assert_eq!(pairs, [(0, 31), (27, 30), (6, 5), (36, 28), (15, 31), (17, 5)]);
    }

    #[test]
    fn a_seed_gives_the_same_exact_counts_and_flips_forever() {
        let (labels, pool) = labels(20, 20);
        let recipe = recipe(0.5, Protocol::DISCARD, 6, Sampling::ExactCounts);
        let mut rng = stream(11, Purpose::Comparisons);
        let pairs: Vec<_> = comparisons(&labels, &pool, &recipe, &mut rng)
            .unwrap()
            .comparisons
            .iter()
            .collect();
        assert_eq!(pairs, [(26, 39), (11, 38), (20, 37), (3, 7), (15, 14), (8, 22)]);
        let piles = pointwise(&labels, &pool, recipe.prior, Protocol::DISCARD, 10, &mut rng).unwrap();
        assert_eq!((piles.likelier, piles.other), (vec![6, 39, 29], vec![13, 34, 12, 22, 19, 9, 33]));
    }

    #[test]
    fn whole_expected_counts_are_not_lost_to_rounding() {
        let (labels, pool) = labels(5000, 5000);
        // At 0.8 and 21 pairs the product for (+, −) comes out as 3.999…9.
        for (prior, pairs) in [(0.8, 21), (0.5, 300), (0.2, 2100)] {
            let recipe = recipe(prior, Protocol::DISCARD, pairs, Sampling::ExactCounts);
            let mut rng = stream(1, Purpose::Comparisons);
            let generated = comparisons(&labels, &pool, &recipe, &mut rng).unwrap();
            let cells = cell_counts(&labels, &generated.comparisons);
            let joint = recipe.protocol.label_joint(recipe.prior);
            for (count, share) in cells.as_flattened().iter().zip(joint.as_flattened()) {
                let expected = share * pairs as f64;
                if (expected - expected.round()).abs() < 1e-9 {
                    assert_eq!(*count as f64, expected.round(), "{pairs} pairs at {prior}");
                }
            }
        }
    }

    #[test]
    fn the_scarcer_class_limits_the_pairs_whichever_it_is() {
        for (positives, negatives) in [(40, 4000), (4000, 40)] {
            let (labels, pool) = labels(positives, negatives);
            let asked = recipe(0.5, Protocol::FORCED_CHOICE, 500, Sampling::ExactCounts);
            let mut rng = stream(1, Purpose::Comparisons);
            let Err(Error::TooFewRows { possible, available, .. }) =
                comparisons(&labels, &pool, &asked, &mut rng)
            else {
                panic!("there are too few rows")
            };
            // Each pair takes one row of each class on average.
            assert_eq!(available, 40);
            assert!((38..=42).contains(&possible), "{possible}");
        }
    }

    #[test]
    fn flipped_labels_make_other_piles_than_pairs_do() {
        let (labels, pool) = labels(20_000, 80_000);
        let prior = Prior::new(0.2).unwrap();
        let mut rng = stream(1, Purpose::Comparisons);
        let piles = pointwise(&labels, &pool, prior, Protocol::DISCARD, 100_000, &mut rng).unwrap();
        let positives = piles.likelier.iter().filter(|&&row| labels[row as usize].is_positive()).count();
        let share = positives as f64 / piles.likelier.len() as f64;
        // ρ₊ = 1/6, ρ₋ = 4/9: 0.2·5/6 / (0.2·5/6 + 0.8·4/9) = 0.319; drawing pairs gives 0.238.
        assert!((share - 0.319).abs() < 0.01, "{share}");
        assert_eq!(piles.likelier.len() + piles.other.len(), 100_000);
        let sampled = piles.likelier.iter().chain(&piles.other);
        let positives = sampled.filter(|row| labels[**row as usize].is_positive()).count();
        assert_eq!(positives, 20_000, "the sample has the prior");
    }

    #[test]
    fn flipping_more_rows_than_there_are_is_refused() {
        let (labels, pool) = labels(10, 100);
        let prior = Prior::new(0.5).unwrap();
        let mut rng = stream(1, Purpose::Comparisons);
        let error = pointwise(&labels, &pool, prior, Protocol::DISCARD, 50, &mut rng).unwrap_err();
        assert_eq!(error.to_string(), "25 positive rows are needed to draw from, but there are 10");
    }
}
