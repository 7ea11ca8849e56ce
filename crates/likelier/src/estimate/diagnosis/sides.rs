//! A leaning to one side: of all, of one person, and the same key many times in a row.

use super::Interval;
use super::annotators::{FEWEST_OF_ONE, shown};
use super::family::{Suspicion, each_of, worst};
use super::pairs::{PairMean, Pairs};
use super::remark::Remark;
use crate::data::{Answers, ShownSide};
use crate::estimate::distribution::normal_tail;

/// A leaning of fewer than five of a hundred does not matter; of one person, ten.
const MATTERS: f64 = 0.05;
const MATTERS_OF_ONE: f64 = 0.1;

/// How often the left one was picked.
pub(super) struct Sides {
    pub(super) picked_left: Option<Interval>,
    pub(super) of_each: Vec<Option<Interval>>,
    /// Who picks by the side, beyond all chance.
    pub(super) leaning: Vec<bool>,
    pub(super) suspicions: Vec<Suspicion>,
}

impl Sides {
    pub(super) fn of(answers: &Answers, pairs: &Pairs, level: f64) -> Option<Self> {
        let sides = answers.sides()?;
        let people = answers.annotators().map_or(0, |annotators| annotators.names.len());
        let (mut all, mut each) = (PairMean::default(), vec![PairMean::default(); people]);
        let left = |at: usize| f64::from(u8::from(sides[at] == Some(ShownSide::Left)));
        for given in pairs.iter() {
            let seen = || {
                given
                    .iter()
                    .map(|one| one.at)
                    .filter(|at| sides[*at].is_some() && !answers.is_tie(*at))
            };
            let count = seen().count();
            if count == 0 {
                continue;
            }
            all.add(given[0].pair, seen().map(left).sum::<f64>() / count as f64);
            if let Some(annotators) = answers.annotators() {
                for at in seen() {
                    each[annotators.of[at] as usize].add(given[0].pair, left(at));
                }
            }
        }
        let (mut suspicions, mut leaning) = (Vec::new(), vec![false; people]);
        if let Some(interval) = all.interval(level).filter(|_| all.count() >= FEWEST_OF_ONE) {
            let remark = Remark::Leaning { left: interval, who: None };
            let matters = (interval.value - 0.5).abs() >= MATTERS;
            suspicions.push(Suspicion::new(apart(&all), matters, remark));
        }
        for (who, mean) in each.iter().enumerate() {
            let (Some(annotators), Some(interval)) = (answers.annotators(), mean.interval(level)) else {
                continue;
            };
            if mean.count() >= FEWEST_OF_ONE {
                let remark = Remark::Leaning { left: interval, who: Some(shown(annotators, who)) };
                let matters = (interval.value - 0.5).abs() >= MATTERS_OF_ONE;
                leaning[who] = matters && apart(mean) < each_of(people);
                suspicions.push(Suspicion::new(apart(mean), matters, remark));
            }
        }
        // Where hardly anybody is left, it is the sides that say nothing, and not the people.
        if leaning.iter().filter(|leans| !**leans).count() < 2 {
            leaning.fill(false);
        }
        suspicions.extend(worst(runs(answers, sides)));
        let of_each = each.iter().map(|mean| mean.interval(level)).collect();
        Some(Self { picked_left: all.interval(level), of_each, leaning, suspicions })
    }
}

/// How probable a share so far from one half or further is.
fn apart(mean: &PairMean) -> f64 {
    let variance = mean.variance(0.1);
    (2.0 * normal_tail((mean.mean() - 0.5).abs() / variance.max(1e-12).sqrt())).min(1.0)
}

/// The longest run of one side of each person, in the order of the answers. Where one side is picked with
/// probability s, one of n places starts a run of at least k with probability n·(s^k(1−s) + (1−s)^k·s) at most.
fn runs(answers: &Answers, sides: &[Option<ShownSide>]) -> Vec<Suspicion> {
    #[derive(Clone, Default)]
    struct Run {
        last: Option<ShownSide>,
        now: usize,
        longest: usize,
        left: usize,
        count: usize,
    }
    let people = answers.annotators().map_or(1, |annotators| annotators.names.len());
    let mut runs = vec![Run::default(); people];
    for at in (0..answers.len()).filter(|at| !answers.is_tie(*at)) {
        let Some(side) = sides[at] else { continue };
        let run = &mut runs[answers.annotators().map_or(0, |annotators| annotators.of[at] as usize)];
        run.now = if run.last == Some(side) { run.now + 1 } else { 1 };
        run.last = Some(side);
        run.longest = run.longest.max(run.now);
        run.left += usize::from(side == ShownSide::Left);
        run.count += 1;
    }
    let suspicion = |(who, run): (usize, &Run)| {
        let (n, k) = (run.count as f64, run.longest as f64);
        // Somewhat further from one half than it looks.
        let share = run.left as f64 / n;
        let far = (share.max(1.0 - share) + 2.0 * (0.25 / n).sqrt()).min(1.0);
        let probability =
            (n * (far.powf(k) * (1.0 - far).max(1.0 / n) + (1.0 - far).powf(k) * far)).min(1.0);
        let name = answers.annotators().map(|annotators| shown(annotators, who));
        Suspicion::new(probability, run.longest >= 15, Remark::OneKey { name, times: run.longest })
    };
    runs.iter()
        .enumerate()
        .filter(|(_, run)| run.count >= FEWEST_OF_ONE)
        .map(suspicion)
        .collect()
}
