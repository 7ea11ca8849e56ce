//! Comparisons out of labelled rows, under any protocol: for demonstrations, benchmarks and tests.
//!
//! [`draw`] draws pairs, either independently, exactly as Theorem 1 describes, or with the benchmark's exact
//! counts and no row used twice. [`Sampling::Pointwise`] is the paper's literal experiment: labels flipped
//! by the rates of Theorem 5. The two are *not* the same: flipping a sample with prior π gives other piles
//! than drawing pairs does, unless π is the pooled prior.

use serde::{Deserialize, Serialize};

use crate::data::{Answers, Label, LoosePiles, check_items};
use crate::error::Error;
use crate::prior::Prior;
use crate::protocol::{Collection, Protocol};
use crate::random::{Rng, below, chance, shuffle};
use crate::supervision::Evidence;

/// What to generate.
#[derive(Clone, Copy, Debug)]
pub struct Recipe<'a> {
    /// The share of positives in the population that pairs are drawn from.
    pub prior: Prior,
    /// How the pairs are collected.
    pub protocol: Protocol,
    /// How many comparisons to end up with; pointwise sampling makes twice as many rows.
    pub pairs: usize,
    /// How rows are drawn.
    pub sampling: Sampling,
    /// A degree of every row, by which two rows of one class are ordered, the higher first; a coin if
    /// absent, as every method here assumes.
    pub degrees: Option<&'a [f32]>,
}

/// How rows become what is learned from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sampling {
    /// The benchmark's: pairs with each combination of labels in its expected number (rounded down, the rest
    /// both negative), no row used twice.
    #[default]
    ExactCounts,
    /// Pairs drawn independently: first the labels by the prior, then a row of each, with replacement. The
    /// two rows of a pair are different.
    Independent,
    /// No pairs: labels flipped by the rates of Theorem 5, as the paper's words have it.
    Pointwise,
}

/// Who orders two rows of one class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Labeller {
    /// Sees the classes only and tosses a coin, as every method assumes.
    #[default]
    Class,
    /// Orders them by the score of a model trained on the labels: breaks that assumption.
    Confidence,
}

/// What was generated.
#[derive(Clone, Debug)]
pub struct Generated {
    /// Answers, or piles where no pairs were drawn.
    pub evidence: Evidence,
    /// How many pairs the labeller was shown; unknown where nobody was shown any.
    pub shown: Option<usize>,
}

/// Draws from the rows `pool`, whose true labels are `labels[row]`.
pub fn draw(
    labels: &[Label],
    pool: &[u32],
    recipe: &Recipe<'_>,
    rng: &mut impl Rng,
) -> Result<Generated, Error> {
    check_count("the number of pairs", recipe.pairs)?;
    if let Some(degrees) = recipe.degrees
        && degrees.len() != labels.len()
    {
        return Err(Error::mismatch("degrees", degrees.len(), "labels", labels.len()));
    }
    let classes = by_class(labels, pool)?;
    match recipe.sampling {
        Sampling::Independent => independent(&classes, recipe, rng),
        Sampling::ExactCounts => exact_counts(classes, recipe, rng),
        Sampling::Pointwise => pointwise(classes, recipe, rng),
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
        match (recipe.degrees, recipe.protocol.collection()) {
            (Some(degrees), _) if y == y_other => pairs.push(by_degree(degrees, row, other)),
            _ if chance(rng, accept[y][y_other]) => pairs.push((row, other)),
            (_, Collection::ForcedChoice) => pairs.push((other, row)),
            (_, Collection::Discard) => {}
        }
    }
    Ok(Generated::of(pairs, Some(shown)))
}

fn exact_counts(
    classes: [Vec<u32>; 2],
    recipe: &Recipe<'_>,
    rng: &mut impl Rng,
) -> Result<Generated, Error> {
    let available = [classes[0].len(), classes[1].len()];
    let cells = LabelCells::of(recipe, recipe.pairs);
    let needed = cells.rows_needed();
    for (at, class) in CLASSES.into_iter().enumerate() {
        if needed[at] > available[at] {
            return Err(Error::TooFewRows {
                pairs: recipe.pairs,
                class,
                needed: needed[at],
                available: available[at],
                possible: most_exact(recipe, available),
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
                pairs.push(match recipe.degrees {
                    Some(degrees) if y == y_other => by_degree(degrees, row, other),
                    _ => (row, other),
                });
            }
        }
    }
    shuffle(rng, &mut pairs);
    Ok(Generated::of(pairs, None))
}

/// How many recorded pairs have which labels: (class of the likelier, class of the other, count).
struct LabelCells([(usize, usize, usize); 4]);

impl LabelCells {
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

/// The largest number of pairs that can be drawn from the pool without using a row twice, whatever the recipe
/// asks for; of rows, for pointwise sampling, it is half.
pub fn most_pairs(labels: &[Label], pool: &[u32], recipe: &Recipe<'_>) -> Result<usize, Error> {
    let available = by_class(labels, pool)?.map(|rows| rows.len());
    Ok(match recipe.sampling {
        Sampling::Pointwise => most_flipped(recipe.prior, available) / 2,
        Sampling::ExactCounts | Sampling::Independent => most_exact(recipe, available),
    })
}

/// As many rows as there are with this share of positives.
fn most_flipped(prior: Prior, [positives, negatives]: [usize; 2]) -> usize {
    let fits = |rows: &usize| {
        let needed = (*rows as f64 * prior.positive()).round() as usize;
        needed <= positives && rows - needed <= negatives
    };
    (0..=positives + negatives).rev().find(fits).unwrap_or(0)
}

/// The largest number of pairs for which both classes suffice.
fn most_exact(recipe: &Recipe<'_>, available: [usize; 2]) -> usize {
    let fits = |pairs: &usize| {
        let needed = LabelCells::of(recipe, *pairs).rows_needed();
        needed[0] <= available[0] && needed[1] <= available[1]
    };
    (0..=available[0].midpoint(available[1])).rev().find(fits).unwrap_or(0)
}

fn by_degree(degrees: &[f32], row: u32, other: u32) -> (u32, u32) {
    if degrees[other as usize] > degrees[row as usize] { (other, row) } else { (row, other) }
}

impl Generated {
    fn of(pairs: Vec<(u32, u32)>, shown: Option<usize>) -> Self {
        Self { evidence: Evidence::Answers(Answers::from_iter(pairs)), shown }
    }
}

/// The paper's literal experiment: rows with prior π, none used twice, each label flipped with the rate of
/// Theorem 5 for its class.
fn pointwise(classes: [Vec<u32>; 2], recipe: &Recipe<'_>, rng: &mut impl Rng) -> Result<Generated, Error> {
    let rows = 2 * recipe.pairs;
    let rates = recipe.protocol.mixture(recipe.prior)?.noise_rates();
    let positives = (rows as f64 * recipe.prior.positive()).round() as usize;
    let wanted = [positives, rows - positives];
    let mut piles = LoosePiles::default();
    for (at, mut of_class) in classes.into_iter().enumerate() {
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
    Ok(Generated { evidence: Evidence::Piles(piles), shown: None })
}

#[cfg(feature = "engine")]
impl Labeller {
    /// The degrees that the labeller orders by: scores of every row from a linear model trained on the
    /// true labels of the rows `pool`; none for one who tosses a coin.
    pub fn degrees(
        self,
        rows: &crate::data::Rows<'_>,
        labels: &[Label],
        pool: &[u32],
        seed: u64,
    ) -> Result<Option<Vec<f32>>, Error> {
        use crate::risk::Method;
        use crate::train::{Config, Data, train};
        if self == Self::Class {
            return Ok(None);
        }
        let [positive, negative] = by_class(labels, pool)?;
        // With the true classes for piles, Binary-Biased is supervised training on balanced classes.
        let config = Config {
            epochs: 20,
            seed,
            ..Config::new(Method::BinaryBiased, Prior::new(0.5)?, Protocol::DISCARD)
        };
        let piles = LoosePiles { likelier: positive, other: negative };
        let data = Data { rows, piles: piles.piles(), labels: None };
        Ok(Some(train(&data, &config)?.scores(rows)?))
    }
}

#[cfg(test)]
mod tests;
