//! Answers that are not answers: one person's copied by another, and rows that were pasted twice.

use std::collections::HashMap;

use super::annotators::{FEWEST_OF_ONE, people, shown};
use super::family::{Suspicion, worst};
use super::pairs::{PairMean, Pairs};
use super::remark::Remark;
use crate::data::{Annotators, Answers};
use crate::estimate::distribution::normal_tail;

/// How often two honest answers to one pair agree at the very most: people who order equals by degree, and err
/// rarely, come to about 0.85.
const MOST_AGREEMENT: f64 = 0.9;

/// What is a copy of something else.
pub(super) struct Copies {
    pub(super) suspicions: Vec<Suspicion>,
    /// Answers that no measure of agreement should use.
    pub(super) copied: Vec<bool>,
}

impl Copies {
    pub(super) fn find(answers: &Answers, pairs: &Pairs) -> Self {
        let mut found = Self { suspicions: Vec::new(), copied: vec![false; answers.len()] };
        found.pasted(answers, pairs);
        if let Some(annotators) = answers.annotators() {
            found.people(answers, annotators, pairs);
        }
        found
    }

    /// Rows that are there twice, by their time or as a block in the same order.
    fn pasted(&mut self, answers: &Answers, pairs: &Pairs) {
        let at_once = same_time(answers);
        let blocks = repeated_blocks(answers, pairs);
        let tries = blocks.len().max(1) as f64;
        let probability = |rows: usize| (tries * MOST_AGREEMENT.powf(rows as f64)).min(1.0);
        let longest = blocks.iter().map(Vec::len).max().unwrap_or(0);
        let mut rows: Vec<(usize, usize)> = at_once;
        for block in &blocks {
            if probability(block.len()) < 0.001 {
                rows.extend(block);
            }
        }
        rows.sort_unstable_by_key(|(first, again)| (*again, *first));
        rows.dedup_by_key(|(_, again)| *again);
        for (_, again) in &rows {
            self.copied[*again] = true;
        }
        match rows.first() {
            Some((first, again)) => {
                let remark = Remark::Pasted { rows: rows.len(), first: *first, again: *again };
                self.suspicions.push(Suspicion { probability: 0.0, remark: Some(remark) });
            }
            None if longest > 0 => {
                self.suspicions
                    .push(Suspicion { probability: probability(longest), remark: None });
            }
            None => {}
        }
    }

    /// Two people who agree far more than others do.
    fn people(&mut self, answers: &Answers, annotators: &Annotators, pairs: &Pairs) {
        let mut couples: HashMap<(u32, u32), PairMean> = HashMap::new();
        let mut all = PairMean::default();
        let (mut sum, mut number) = (0.0, 0_usize);
        for given in pairs.iter().filter(|given| given.len() > 1) {
            let people = people(given, answers, annotators, &|at| !self.copied[at]);
            for (place, (one, orders)) in people.iter().enumerate() {
                for (two, theirs) in &people[..place] {
                    let count = (orders[0] + orders[1]) * (theirs[0] + theirs[1]);
                    let agree = (orders[0] * theirs[0] + orders[1] * theirs[1]) / count;
                    couples
                        .entry((*one.min(two), *one.max(two)))
                        .or_default()
                        .add(given[0].pair, agree);
                    all.add(given[0].pair, agree);
                    sum += agree;
                    number += 1;
                }
            }
        }
        let of_all = all.variance(0.0) * number as f64;
        let mut tested: Vec<(&(u32, u32), &PairMean)> =
            couples.iter().filter(|(_, mean)| mean.count() >= FEWEST_OF_ONE).collect();
        tested.sort_unstable_by_key(|(couple, _)| **couple);
        let (mut copying, mut suspicions) = (Vec::new(), Vec::new());
        for ((one, two), mean) in tested {
            let (agree, of) = (mean.mean(), mean.count());
            let rest = number - of;
            let others = (rest >= FEWEST_OF_ONE).then(|| (sum - agree * of as f64) / rest as f64);
            let expected = others.unwrap_or(MOST_AGREEMENT);
            let of_rest = if others.is_some() { of_all / rest as f64 } else { 0.0 };
            let variance = mean.variance(expected * (1.0 - expected)) + of_rest;
            let probability = normal_tail((agree - expected) / variance.max(1e-12).sqrt());
            let matters = agree > 0.5 * (1.0 + expected) && agree > MOST_AGREEMENT;
            if matters && probability < 0.001 {
                copying.push((*one, *two));
            }
            let names = [*one, *two].map(|who| shown(annotators, who as usize));
            suspicions.push(Suspicion::new(
                probability,
                matters,
                Remark::Copied { names, agree, of, others },
            ));
        }
        self.suspicions.extend(worst(suspicions));
        // Of the two, the one who comes later is left out of what measures agreement.
        for (_, later) in copying {
            for (at, who) in annotators.of.iter().enumerate() {
                self.copied[at] |= *who == later;
            }
        }
    }
}

/// What an answer says, but for who said it and when.
fn content(answers: &Answers, at: usize) -> (u32, u32, bool, u8) {
    let (likelier, other) = answers.pairs()[at];
    let tie = answers.is_tie(at);
    let (first, second) = if tie { (likelier.min(other), likelier.max(other)) } else { (likelier, other) };
    let side = answers.sides().map_or(0, |sides| sides[at].map_or(0, |side| 1 + side as u8));
    (first, second, tie, side)
}

/// Rows that are the same in everything, time and annotator included, where a time tells a row from the others.
fn same_time(answers: &Answers) -> Vec<(usize, usize)> {
    let Some(times) = answers.times() else { return Vec::new() };
    let who = |at: usize| answers.annotators().map_or(0, |annotators| annotators.of[at]);
    let mut moments: HashMap<(u32, &str), Vec<usize>> = HashMap::new();
    for at in (0..answers.len()).filter(|at| !times.get(*at).trim().is_empty()) {
        moments.entry((who(at), times.get(at))).or_default().push(at);
    }
    let (mut same, mut different) = (Vec::new(), 0);
    for rows in moments.values().filter(|rows| rows.len() > 1) {
        for (place, at) in rows.iter().enumerate().skip(1) {
            match rows[..place]
                .iter()
                .find(|first| content(answers, **first) == content(answers, *at))
            {
                Some(first) => same.push((*first, *at)),
                None => different += 1,
            }
            // A time that so many rows have is no time of an answer.
            if place > 20 {
                different += rows.len();
                break;
            }
        }
    }
    if same.len() >= 5 && 10 * different <= same.len() { same } else { Vec::new() }
}

/// Blocks of rows that ask the same pairs of the same people in the same order as an earlier block, and got the
/// same answer every time: (earlier, later).
fn repeated_blocks(answers: &Answers, pairs: &Pairs) -> Vec<Vec<(usize, usize)>> {
    let key = |at: usize| {
        let (a, b) = answers.pairs()[at];
        (answers.annotators().map_or(0, |annotators| annotators.of[at]), a.min(b), a.max(b))
    };
    // Most pairs are asked once; items that were compared with themselves are not among the pairs.
    let mut again: Vec<bool> = answers.pairs().iter().map(|(a, b)| a == b).collect();
    for one in pairs.iter().filter(|given| given.len() > 1).flatten() {
        again[one.at] = true;
    }
    let mut last: HashMap<(u32, u32, u32), usize> = HashMap::new();
    let mut blocks: Vec<Vec<(usize, usize)>> = Vec::new();
    let mut open = Block::default();
    for at in 0..answers.len() {
        let before = if again[at] { last.insert(key(at), at) } else { None };
        // A pair may have been asked in between: a block goes on as long as it finds itself so far back.
        let lag = open
            .lag
            .filter(|lag| key(at - lag) == key(at))
            .or(before.map(|before| at - before));
        if lag != open.lag {
            blocks.extend(open.close());
            open.lag = lag;
        }
        if let Some(lag) = lag {
            open.differs |= content(answers, at - lag) != content(answers, at);
            open.rows.push((at - lag, at));
        }
    }
    blocks.extend(open.close());
    blocks
}

/// Rows that ask the same as those so many rows earlier.
#[derive(Default)]
struct Block {
    lag: Option<usize>,
    differs: bool,
    rows: Vec<(usize, usize)>,
}

impl Block {
    /// Its rows, if it is one of equal answers, and no chance.
    fn close(&mut self) -> Option<Vec<(usize, usize)>> {
        let Self { rows, differs, .. } = std::mem::take(self);
        (!differs && rows.len() >= 5).then_some(rows)
    }
}
