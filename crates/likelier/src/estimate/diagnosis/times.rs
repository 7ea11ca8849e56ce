//! When answers were given: haste, and what changed over time.
//!
//! What counts as a time, [`seconds`] says.

use super::annotators::{FEWEST_OF_ONE, shown};
use super::family::Suspicion;
use super::pairs::PairMean;
use super::remark::Remark;
use crate::data::moments::seconds;
use crate::data::{Annotators, Answers, ShownSide, Texts};
use crate::estimate::distribution::normal_tail;

/// The seconds of each answer, where they can be read.
pub(crate) struct Times(Vec<Option<f64>>);

impl Times {
    /// An example of what cannot be read, if more than one of ten cannot.
    pub(crate) fn read(times: &Texts) -> Result<Self, String> {
        let noted = || (0..times.len()).filter(|at| !times.get(*at).trim().is_empty());
        let seconds: Vec<Option<f64>> = (0..times.len()).map(|at| seconds(times.get(at))).collect();
        let unread = || noted().filter(|at| seconds[*at].is_none());
        match unread().next() {
            Some(first) if 10 * unread().count() > noted().count() => Err(times.get(first).to_owned()),
            None if noted().next().is_none() => Err(String::new()),
            _ => Ok(Self(seconds)),
        }
    }

    /// The time in the middle, and whether an answer comes after it; none where its time is not known.
    pub(crate) fn late(&self) -> Vec<Option<bool>> {
        let mut known: Vec<f64> = self.0.iter().copied().flatten().collect();
        known.sort_unstable_by(f64::total_cmp);
        let middle = known.get(known.len() / 2).copied();
        let late = |seconds: &Option<f64>| seconds.zip(middle).map(|(seconds, middle)| seconds >= middle);
        self.0.iter().map(late).collect()
    }

    /// Whoever answers far faster than the others: the middle of their times from one answer to the next.
    pub(super) fn haste(&self, annotators: &Annotators) -> Vec<Suspicion> {
        let mut of_each: Vec<Vec<f64>> = vec![Vec::new(); annotators.names.len()];
        for (who, seconds) in annotators.of.iter().zip(&self.0) {
            of_each[*who as usize].extend(seconds);
        }
        let mut gaps: Vec<Vec<f64>> = Vec::new();
        for mut times in of_each {
            times.sort_unstable_by(f64::total_cmp);
            let mut steps: Vec<f64> = times.windows(2).map(|two| two[1] - two[0]).collect();
            steps.sort_unstable_by(f64::total_cmp);
            gaps.push(steps);
        }
        let all = || gaps.iter().flatten();
        // Times to the minute or the day do not tell how long an answer took.
        if 2 * all().filter(|gap| **gap <= 0.0).count() > all().count() {
            return Vec::new();
        }
        let tested: Vec<usize> = (0..gaps.len()).filter(|who| gaps[*who].len() >= FEWEST_OF_ONE).collect();
        let mut found = Vec::new();
        // More people than this are looked at by none of the tests for one.
        for who in tested.iter().copied().take(200) {
            let mut others: Vec<f64> = gaps
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != who)
                .flat_map(|(_, gaps)| gaps)
                .copied()
                .collect();
            if others.len() < FEWEST_OF_ONE {
                continue;
            }
            others.sort_unstable_by(f64::total_cmp);
            let (mine, theirs) = (gaps[who][gaps[who].len() / 2], others[others.len() / 2]);
            let count = gaps[who].len() as f64;
            let below = gaps[who].iter().filter(|gap| **gap < theirs).count() as f64;
            let spread = (0.25 / count + 0.25 / others.len() as f64).sqrt();
            let probability = normal_tail((below / count - 0.5) / spread);
            let remark = Remark::TooFast { name: shown(annotators, who), seconds: mine, others: theirs };
            found.push(Suspicion::new(probability, mine < 0.25 * theirs, remark));
        }
        found
    }

    /// Leaning and ties, early against late.
    pub(super) fn drift(&self, answers: &Answers) -> Vec<Suspicion> {
        let late = self.late();
        let mut found = Vec::new();
        if let Some(sides) = answers.sides() {
            let left = |at: usize| {
                sides[at]
                    .filter(|_| !answers.is_tie(at))
                    .map(|side| f64::from(u8::from(side == ShownSide::Left)))
            };
            found.extend(change("how often the left item was picked", answers, &late, left));
        }
        if answers.ties().is_some_and(|ties| ties.contains(&true)) {
            let tie = |at: usize| Some(f64::from(u8::from(answers.is_tie(at))));
            found.extend(change("the share of ties", answers, &late, tie));
        }
        found
    }
}

/// Whether a share differs between early and late answers.
fn change(
    what: &'static str,
    answers: &Answers,
    late: &[Option<bool>],
    value: impl Fn(usize) -> Option<f64>,
) -> Option<Suspicion> {
    let mut halves = [PairMean::default(), PairMean::default()];
    for (at, (a, b)) in answers.pairs().iter().enumerate() {
        if let (Some(late), Some(value)) = (late[at], value(at)) {
            halves[usize::from(late)].add([*a, *b], value);
        }
    }
    if halves.iter().any(|half| half.count() < 50) {
        return None;
    }
    let [early, late] = halves.each_ref().map(PairMean::mean);
    let variance: f64 = halves.iter().map(|half| half.variance(0.01)).sum();
    let probability = 2.0 * normal_tail((late - early).abs() / variance.max(1e-12).sqrt());
    Some(Suspicion::new(probability, (late - early).abs() >= 0.1, Remark::Drift { what, early, late }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_times_that_cannot_be_read_are_forgiven() {
        let texts = |bad: usize| {
            (0..20)
                .map(|at| if at < bad { "noon".into() } else { at.to_string() })
                .collect::<Texts>()
        };
        assert!(Times::read(&texts(2)).is_ok());
        assert_eq!(Times::read(&texts(3)).err().as_deref(), Some("noon"));
        assert!(Times::read(&["", ""].into_iter().collect()).is_err());
    }
}
