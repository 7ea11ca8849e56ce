//! All tests of one check together: what is said to be wrong is said by chance in one sound data set of twenty at
//! most, however many tests there are.
//!
//! Holm's rule: the smallest probability is held against level/m, the next one against level/(m − 1), and so on,
//! until one is not small enough.

use super::remark::Remark;

/// How often anything at all may be flagged in data that have nothing wrong.
pub(crate) const FAMILY: f64 = 0.05;

/// A test, and what is said if it rejects.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Suspicion {
    /// How probable data like these are when nothing is wrong.
    pub(crate) probability: f64,
    /// What follows; absent where the difference is too small to matter, however significant.
    pub(crate) remark: Option<Remark>,
}

impl Suspicion {
    /// A test whose remark is only made if the difference matters.
    pub(crate) fn new(probability: f64, matters: bool, remark: Remark) -> Self {
        Self { probability, remark: matters.then_some(remark) }
    }
}

/// Several tests of one thing as one, which is about the worst of them: the least probability times their number.
pub(crate) fn worst(suspicions: Vec<Suspicion>) -> Option<Suspicion> {
    let tests = suspicions.len() as f64;
    let least = suspicions.into_iter().min_by(|a, b| a.probability.total_cmp(&b.probability))?;
    Some(Suspicion { probability: (tests * least.probability).min(1.0), ..least })
}

/// The level at which each of so many tests rejects for certain.
pub(crate) fn each_of(tests: usize) -> f64 {
    FAMILY / tests.max(1) as f64
}

/// What must be said: the remarks of all tests that reject, the least probable first.
pub(crate) fn convicted(suspicions: &[Suspicion]) -> Vec<Remark> {
    let mut order: Vec<&Suspicion> = suspicions.iter().collect();
    order.sort_by(|a, b| a.probability.total_cmp(&b.probability));
    let tests = order.len();
    let holds = |(rank, one): &(usize, &Suspicion)| one.probability < each_of(tests - rank);
    order
        .into_iter()
        .enumerate()
        .take_while(holds)
        .filter_map(|(_, one)| one.remark.clone())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream, unit};

    fn suspicion(probability: f64) -> Suspicion {
        Suspicion::new(probability, true, Remark::NoSides)
    }

    #[test]
    fn holm_rejects_step_by_step_and_what_does_not_matter_is_not_said() {
        let count =
            |given: &[f64]| convicted(&given.iter().map(|p| suspicion(*p)).collect::<Vec<_>>()).len();
        // .05/3, .05/2, .05/1.
        assert_eq!(count(&[0.016, 0.02, 0.04]), 3);
        assert_eq!(count(&[0.016, 0.03, 0.04]), 1, "the second fails, and so the third");
        assert_eq!(count(&[0.02, 0.02, 0.02]), 0);
        assert_eq!(convicted(&[Suspicion::new(0.0, false, Remark::NoSides)]), []);
        assert_eq!(convicted(&[]), []);
        let worst = worst([0.2, 0.01, 0.4].map(suspicion).to_vec()).unwrap();
        assert!((worst.probability - 0.03).abs() < 1e-12);
    }

    #[test]
    fn sound_data_are_flagged_in_one_of_twenty_however_many_tests_there_are() {
        let mut rng = stream(6, Purpose::Comparisons);
        for tests in [1, 10, 60] {
            let flagged = (0..2000)
                .filter(|_| {
                    let all: Vec<Suspicion> = (0..tests).map(|_| suspicion(unit(&mut rng))).collect();
                    !convicted(&all).is_empty()
                })
                .count();
            // 100 expected, ± 9.7.
            assert!((60..=140).contains(&flagged), "{flagged} of 2000 with {tests} tests");
        }
    }
}
