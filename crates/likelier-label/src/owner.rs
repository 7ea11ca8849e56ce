//! What the owner sees: who answered how much and when, how well, and what was flagged. The numbers about people are the
//! library's own ([`Diagnosis`]).

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use likelier::LEVEL;
use likelier::estimate::Interval;
use likelier::estimate::diagnosis::Diagnosis;
use serde::Serialize;

use crate::catalogue::Catalogue;
use crate::collected::Collected;
use crate::live::{Live, LiveEstimate};
use crate::refused::Refused;
use crate::store::{Choice, Origin, Settings, Shown, Store, iso};

/// Fewer answers or pairs say nothing about a person.
const FEWEST: usize = 20;
/// Whoever needs less than this share of the others' time is too fast.
const TOO_FAST: f64 = 0.25;
/// So many flags are listed.
const LISTED: usize = 200;

/// The owner's page.
#[derive(Debug, Serialize)]
pub(crate) struct Overview {
    question: String,
    items: usize,
    goal: usize,
    answered: usize,
    people: Vec<PersonRow>,
    /// Answers by hour, in UTC: the hour, and how many each person gave in it.
    hours: Vec<(String, Vec<usize>)>,
    /// How often two people agree on a pair.
    agreement: Option<Interval>,
    picked_left: Option<Interval>,
    flags: Vec<Flagged>,
    live: LiveEstimate,
    /// Present if pairs are chosen, or were.
    active: Option<ActiveSoFar>,
}

/// How far active mode has come.
#[derive(Debug, Serialize)]
struct ActiveSoFar {
    /// The share of new pairs that are chosen once there is an estimate.
    share: f64,
    /// Answers about pairs that were drawn for the person, repeated ones apart, and how many of these pairs were chosen.
    answered: usize,
    chosen: usize,
    words: String,
}

#[derive(Debug, Default, Serialize)]
struct PersonRow {
    name: String,
    token: String,
    owner: bool,
    answered: usize,
    ties: usize,
    skipped: usize,
    flagged: usize,
    /// Pairs that were asked again, and how many of them got the same answer.
    again: usize,
    same: usize,
    /// The share of wrong answers that explains how often the second answer differs, if both err alike.
    error: Option<f64>,
    picked_left: Option<Interval>,
    /// The median time of an answer, in seconds.
    seconds: Option<f64>,
    noticed: Vec<Noticed>,
    last: Option<String>,
}

/// What the owner should look at in somebody's answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Noticed {
    TooFast,
    StandsOut,
    Leans,
}

#[derive(Debug, Serialize)]
struct Flagged {
    by: String,
    at: String,
    left: String,
    right: String,
    reason: String,
}

impl Overview {
    pub(crate) fn read(
        path: &Path,
        settings: &Settings,
        items: &Catalogue,
        live: &Live,
    ) -> Result<Self, Refused> {
        let collected = Collected::read(path)?;
        let people = Store::read(path)?.people()?;
        let rows: HashMap<i64, usize> =
            people.iter().zip(0..).map(|(person, at)| (person.id, at)).collect();
        let mut overview = Self {
            question: settings.question.clone(),
            items: items.ids().len(),
            goal: settings.goal,
            answered: 0,
            people: Vec::new(),
            hours: Vec::new(),
            agreement: None,
            picked_left: None,
            flags: Vec::new(),
            live: live.now(),
            active: ActiveSoFar::of(settings.active, collected.shown()),
        };
        overview.people = people
            .into_iter()
            .map(|person| PersonRow {
                name: person.name,
                token: person.token,
                owner: person.owner,
                ..PersonRow::default()
            })
            .collect();
        let mut times = vec![Vec::new(); overview.people.len()];
        let mut hours: BTreeMap<i64, Vec<usize>> = BTreeMap::new();
        for shown in collected.shown() {
            let (Some(given), Some(&at)) = (&shown.answer, rows.get(&shown.person)) else { continue };
            let row = &mut overview.people[at];
            match given.choice {
                Choice::Skip => row.skipped += 1,
                Choice::Flag => {
                    row.flagged += 1;
                    overview.flags.push(Flagged {
                        by: row.name.clone(),
                        at: iso(given.at),
                        left: shown.names[0].clone(),
                        right: shown.names[1].clone(),
                        reason: given.reason.clone().unwrap_or_default(),
                    });
                }
                Choice::Left | Choice::Right | Choice::Tie => {
                    row.answered += 1;
                    row.ties += usize::from(given.choice == Choice::Tie);
                    let count = rows.len();
                    hours.entry(given.at / 3_600_000).or_insert_with(|| vec![0; count])[at] += 1;
                    times[at].extend(given.took);
                }
            }
            row.last = row.last.take().max(Some(iso(given.at)));
        }
        overview.flags.reverse();
        overview.flags.truncate(LISTED);
        overview.answered = overview.people.iter().map(|row| row.answered).sum();
        overview.hours = hours
            .into_iter()
            .map(|(hour, counts)| (iso(hour * 3_600_000), counts))
            .collect();
        overview.repeat(collected.shown(), &rows);
        overview.time(times);
        overview.diagnose(&collected, items)?;
        Ok(overview)
    }

    /// Pairs that one person answered twice.
    fn repeat(&mut self, shown: &[Shown], rows: &HashMap<i64, usize>) {
        let chosen: HashMap<i64, &Shown> = shown.iter().map(|one| (one.id, one)).collect();
        let winner = |one: &Shown| match one.answer.as_ref()?.choice {
            Choice::Left => Some(one.names[0].clone()),
            Choice::Right => Some(one.names[1].clone()),
            _ => None,
        };
        for second in shown.iter().filter(|one| one.origin == Origin::Again) {
            let Some(first) = second.of.and_then(|of| chosen.get(&of)) else { continue };
            if let (Some(one), Some(two), Some(&at)) =
                (winner(first), winner(second), rows.get(&second.person))
            {
                self.people[at].again += 1;
                self.people[at].same += usize::from(one == two);
            }
        }
        for row in self.people.iter_mut().filter(|row| row.again >= FEWEST) {
            // Two answers that err independently with probability e differ in 2e(1 − e) of the pairs.
            let differ = 1.0 - row.same as f64 / row.again as f64;
            row.error = Some(0.5 * (1.0 - (1.0 - 2.0 * differ).max(0.0).sqrt()));
        }
    }

    fn time(&mut self, mut times: Vec<Vec<i64>>) {
        for (row, times) in self.people.iter_mut().zip(&mut times) {
            times.sort_unstable();
            row.seconds = times.get(times.len() / 2).map(|time| *time as f64 / 1000.0);
        }
        let mut medians: Vec<f64> = self
            .people
            .iter()
            .filter(|row| row.answered >= FEWEST)
            .filter_map(|row| row.seconds)
            .collect();
        medians.sort_by(f64::total_cmp);
        let Some(&usual) = medians.get(medians.len() / 2).filter(|_| medians.len() > 1) else { return };
        for row in self.people.iter_mut().filter(|row| row.answered >= FEWEST) {
            if row.seconds.is_some_and(|seconds| seconds < TOO_FAST * usual) {
                row.noticed.push(Noticed::TooFast);
            }
        }
    }

    fn diagnose(&mut self, collected: &Collected, items: &Catalogue) -> Result<(), Refused> {
        let answers = collected.answers(items.ids())?;
        if answers.is_empty() {
            return Ok(());
        }
        let found = Diagnosis::new(&answers, items.ids().len(), LEVEL)
            .map_err(|error| Refused::NotSaved(error.to_string()))?;
        self.picked_left = found.picked_left;
        let Some(report) = found.annotators else { return Ok(()) };
        self.agreement = report.agreement;
        for one in report.annotators {
            if let Some(row) = self.people.iter_mut().find(|row| row.name == one.name) {
                row.picked_left = one.picked_left.filter(|_| row.answered >= FEWEST);
                row.noticed.extend(one.stands_out.then_some(Noticed::StandsOut));
                row.noticed.extend(one.leans.then_some(Noticed::Leans));
            }
        }
        Ok(())
    }
}

impl ActiveSoFar {
    fn of(share: f64, shown: &[Shown]) -> Option<Self> {
        let compared = |one: &&Shown| one.answer.as_ref().is_some_and(|given| given.choice.compares());
        let (mut answered, mut chosen) = (0, 0);
        for one in shown.iter().filter(compared) {
            answered += usize::from(matches!(one.origin, Origin::Uniform | Origin::Chosen));
            chosen += usize::from(one.origin == Origin::Chosen);
        }
        let of = format!("Of {answered} answers about new pairs, {chosen} are about chosen ones.");
        let percent = (100.0 * share).round();
        let words = match (share > 0.0, chosen) {
            (false, 0) => return None,
            (false, _) => format!("Active mode is off: new pairs are drawn uniformly. {of}"),
            (true, 0) => format!(
                "Active mode is on: once there is an estimate, {percent} % of new pairs are chosen among items that it is \
                 unsure of. So far all were drawn uniformly."
            ),
            (true, _) => format!(
                "Active mode is on: {percent} % of new pairs are chosen among items that the estimate is unsure of, the \
                 others are drawn uniformly. {of}"
            ),
        };
        Some(Self { share, answered, chosen, words })
    }
}
