//! What the paper's text says of its results, asked of ours and of its own numbers.

use likelier::Method;
use serde::Serialize;

use super::paper::MeanAccuracy;

/// The mean of each method in one cell.
pub(super) type Means<'a> = dyn Fn(Method) -> Option<MeanAccuracy> + 'a;

/// A sentence of the paper, and whether it holds.
#[derive(Debug, Serialize)]
pub(super) struct Claim {
    pub(super) text: &'static str,
    /// In how many of how many cells it is true of our run.
    pub(super) ours: [usize; 2],
    /// The same of the numbers that the paper prints; none where it prints none.
    pub(super) paper: Option<[usize; 2]>,
    /// How many cells the claim speaks of.
    needs: Needed,
}

/// The share of cells that a claim needs to hold in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Needed {
    /// "always"
    All,
    /// "in nearly all cases": four of five
    NearlyAll,
    /// "in most cases", "generally": more than half
    Most,
    /// "sometimes": at least one
    Some,
}

impl Claim {
    /// Whether it holds; unknown without a cell.
    pub(super) fn holds(&self) -> Option<bool> {
        let [true_in, of] = self.ours;
        (of > 0).then(|| self.needs.met(true_in, of))
    }
}

impl Needed {
    fn met(self, true_in: usize, of: usize) -> bool {
        match self {
            Self::All => true_in == of,
            Self::NearlyAll => 5 * true_in >= 4 * of,
            Self::Most => 2 * true_in > of,
            Self::Some => true_in > 0,
        }
    }

    pub(super) fn words(self) -> &'static str {
        match self {
            Self::All => "every cell",
            Self::NearlyAll => "four of five cells",
            Self::Most => "more than half of the cells",
            Self::Some => "at least one cell",
        }
    }
}

impl Claim {
    pub(super) fn needs(&self) -> &'static str {
        self.needs.words()
    }
}

/// Says of a cell whether the claim is true there; nothing where a method is missing.
type Test = fn(&Means<'_>) -> Option<bool>;

const TABLE_2: [(&str, Needed, Test); 4] = [
    ("Binary-Biased is the worst", Needed::All, binary_biased_is_worst),
    ("Pcomp-Unbiased is below Pcomp-ABS and Pcomp-ReLU", Needed::Most, unbiased_is_below),
    ("Pcomp-Teacher is the best", Needed::Most, teacher_is_best),
    (
        "The largest deviation is that of Binary-Biased, Pcomp-Unbiased or Noisy-Unbiased",
        Needed::Some,
        uncorrected_vary_most,
    ),
];

const TABLE_3: [(&str, Needed, Test); 4] = [
    ("Binary-Biased is the worst", Needed::NearlyAll, binary_biased_is_worst),
    ("Pcomp-Unbiased is within 0.02 of Pcomp-ABS and of Pcomp-ReLU", Needed::Most, unbiased_is_comparable),
    ("Pcomp-Teacher is better than RankPruning", Needed::Most, teacher_is_above_pruning),
    ("Pcomp-Teacher is below another Pcomp method", Needed::Some, teacher_is_below_another),
];

/// The claims of a table, asked of cells of ours and of the paper's.
pub(super) fn claims(table: &str, ours: &[Box<Means<'_>>], paper: &[Box<Means<'_>>]) -> Vec<Claim> {
    let claims: &[(&'static str, Needed, Test)] = match table {
        "table2" => &TABLE_2,
        "table3" => &TABLE_3,
        _ => &[],
    };
    let count = |cells: &[Box<Means<'_>>], test: Test| {
        let answers: Vec<bool> = cells.iter().filter_map(|cell| test(cell.as_ref())).collect();
        [answers.iter().filter(|answer| **answer).count(), answers.len()]
    };
    let ask = |&(text, needs, test): &(&'static str, Needed, Test)| Claim {
        text,
        ours: count(ours, test),
        paper: Some(count(paper, test)),
        needs,
    };
    claims.iter().map(ask).collect()
}

/// "Accuracy generally increases given more comparisons", asked of lines of (share, accuracy).
pub(super) fn growth<'a>(lines: impl Iterator<Item = &'a [(f64, f64)]>) -> Claim {
    let rises = |line: &[(f64, f64)]| match (line.first(), line.last()) {
        (Some(first), Some(last)) if line.len() > 1 => Some(last.1 > first.1),
        _ => None,
    };
    let answers: Vec<bool> = lines.filter_map(rises).collect();
    Claim {
        text: "Accuracy is higher with all comparisons than with the smallest share",
        ours: [answers.iter().filter(|answer| **answer).count(), answers.len()],
        paper: None,
        needs: Needed::Most,
    }
}

const PAPERS: [Method; 7] = [
    Method::PcompUnbiased,
    Method::PcompRelu,
    Method::PcompAbs,
    Method::PcompTeacher,
    Method::RankPruning,
    Method::NoisyUnbiased,
    Method::BinaryBiased,
];

/// The best of the paper's other methods, all of which must be there.
fn others(cell: &Means<'_>, not: Method, pick: fn(f64, f64) -> f64) -> Option<f64> {
    let means = PAPERS
        .into_iter()
        .filter(|method| *method != not)
        .map(|method| cell(method).map(|at| at.mean));
    means.collect::<Option<Vec<f64>>>()?.into_iter().reduce(pick)
}

fn binary_biased_is_worst(cell: &Means<'_>) -> Option<bool> {
    Some(cell(Method::BinaryBiased)?.mean <= others(cell, Method::BinaryBiased, f64::min)?)
}

fn teacher_is_best(cell: &Means<'_>) -> Option<bool> {
    Some(cell(Method::PcompTeacher)?.mean >= others(cell, Method::PcompTeacher, f64::max)?)
}

fn unbiased_is_below(cell: &Means<'_>) -> Option<bool> {
    let [plain, abs, relu] = corrected(cell)?;
    Some(plain < abs && plain < relu)
}

fn unbiased_is_comparable(cell: &Means<'_>) -> Option<bool> {
    let [plain, abs, relu] = corrected(cell)?;
    Some((plain - abs).abs() <= 0.02 && (plain - relu).abs() <= 0.02)
}

fn corrected(cell: &Means<'_>) -> Option<[f64; 3]> {
    let mean = |method| cell(method).map(|at| at.mean);
    Some([mean(Method::PcompUnbiased)?, mean(Method::PcompAbs)?, mean(Method::PcompRelu)?])
}

fn teacher_is_above_pruning(cell: &Means<'_>) -> Option<bool> {
    Some(cell(Method::PcompTeacher)?.mean > cell(Method::RankPruning)?.mean)
}

fn teacher_is_below_another(cell: &Means<'_>) -> Option<bool> {
    let teacher = cell(Method::PcompTeacher)?.mean;
    Some(corrected(cell)?.into_iter().any(|other| other > teacher))
}

fn uncorrected_vary_most(cell: &Means<'_>) -> Option<bool> {
    let deviation = |method| cell(method).and_then(|at| at.deviation);
    let deviations = PAPERS.map(|method| deviation(method).map(|value| (method, value)));
    let all = deviations.into_iter().collect::<Option<Vec<_>>>()?;
    let (most, _) = all.into_iter().max_by(|one, other| one.1.total_cmp(&other.1))?;
    Some(matches!(most, Method::BinaryBiased | Method::PcompUnbiased | Method::NoisyUnbiased))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::paper::PaperTable;
    use likelier_paper::benchmark::Benchmark;

    #[test]
    fn the_papers_claims_hold_of_its_own_numbers_as_far_as_they_do() {
        for (table, sets, expected) in [
            (
                "table2",
                [Benchmark::Mnist, Benchmark::FashionMnist, Benchmark::KuzushijiMnist, Benchmark::Cifar10],
                [true, true, true, true],
            ),
            (
                "table3",
                [Benchmark::Usps, Benchmark::Pendigits, Benchmark::Optdigits, Benchmark::Cnae9],
                [true, true, true, true],
            ),
        ] {
            let paper = PaperTable::named(Some(table)).unwrap();
            let paper = &paper;
            let mut cells: Vec<Box<Means<'_>>> = Vec::new();
            for set in sets {
                for prior in ["0.2", "0.5", "0.8"] {
                    cells.push(Box::new(move |method| paper.get(set, prior, method)));
                }
            }
            for (claim, expected) in claims(table, &cells, &cells).iter().zip(expected) {
                assert_eq!(claim.holds(), Some(expected), "{claim:?}");
                assert_eq!(claim.ours[1], 12);
            }
        }
    }

    #[test]
    fn a_claim_without_cells_is_not_decided_and_growth_looks_at_both_ends() {
        assert_eq!(claims("table2", &[], &[])[0].holds(), None);
        let lines: [&[(f64, f64)]; 3] =
            [&[(0.2, 0.7), (1.0, 0.8)], &[(0.2, 0.7), (1.0, 0.6)], &[(0.2, 0.7)]];
        let claim = growth(lines.into_iter());
        assert_eq!((claim.ours, claim.holds()), ([1, 2], Some(false)));
    }
}
