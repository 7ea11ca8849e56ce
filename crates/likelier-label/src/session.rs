//! The answers as they grow: the file, who has seen what, and which pair is next. One thread has it.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use likelier::random::{Purpose, epoch_stream};
use serde::{Deserialize, Serialize};

use crate::active::Active;
use crate::catalogue::{Catalogue, Face};
use crate::dealer::{Dealer, Dealt, Known, Rows, SeenBy, Shares};
use crate::error::LabelError;
use crate::refused::Refused;
use crate::store::{Choice, NewPair, Origin, Person, Settings, Store, now};

/// Pairs that a page has in hand, the one it shows included.
const IN_HAND: usize = 4;
/// The pace is that of so many last answers.
const PACE: usize = 30;
/// The longest reason for a flag.
const LONGEST_REASON: usize = 500;

/// A pair as a page gets it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct PairFace {
    pub(crate) pair: i64,
    left: Face,
    right: Face,
}

/// How far a person is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Progress {
    /// Answers that compare, ties included.
    pub(crate) answered: usize,
    skipped: usize,
    flagged: usize,
    /// Answers to pairs that were asked again.
    again: usize,
    goal: usize,
    /// The median time for an answer, in milliseconds.
    pace: Option<i64>,
    /// How many answers can be undone.
    undoable: usize,
}

/// What a page is told after everything it does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Hand {
    pub(crate) pairs: Vec<PairFace>,
    pub(crate) progress: Progress,
}

/// What a page says about a pair.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Said {
    /// Made by the page, the same when it tries again.
    pub(crate) key: String,
    pub(crate) pair: i64,
    pub(crate) choice: Choice,
    #[serde(default)]
    pub(crate) reason: Option<String>,
    /// Milliseconds from showing to answering.
    #[serde(default)]
    pub(crate) took: Option<i64>,
}

/// A pair in memory.
#[derive(Clone, Copy, Debug)]
struct Held {
    id: i64,
    rows: Rows,
    origin: Origin,
    propensity: Option<f64>,
}

#[derive(Debug)]
struct State {
    seen: SeenBy,
    /// Pairs without an answer, the next one first.
    pending: VecDeque<Held>,
    /// Counts of the answers that stand; the goal and the pace are not in it.
    counts: Progress,
    paces: VecDeque<i64>,
}

/// Everything that changes.
#[derive(Debug)]
pub(crate) struct Session {
    store: Store,
    settings: Arc<Settings>,
    items: Arc<Catalogue>,
    active: Arc<Active>,
    seed: u64,
    dealer: Dealer,
    states: BTreeMap<i64, State>,
}

impl Session {
    /// Takes up where the file ends.
    pub(crate) fn new(
        store: Store,
        settings: Arc<Settings>,
        items: Arc<Catalogue>,
        active: Arc<Active>,
        seed: u64,
    ) -> Result<Self, LabelError> {
        let dealer = Self::dealer(&settings, &items, &active, seed, 0);
        let mut session = Self { store, settings, items, active, seed, dealer, states: BTreeMap::new() };
        session.reload()?;
        Ok(session)
    }

    fn dealer(
        settings: &Settings,
        items: &Catalogue,
        active: &Arc<Active>,
        seed: u64,
        dealt: u32,
    ) -> Dealer {
        let shares = Shares { again: settings.again, shared: settings.shared, balanced: settings.balanced };
        // A restart does not draw the same pairs again.
        let rng = epoch_stream(seed, Purpose::Comparisons, dealt);
        Dealer::new(items.ids().len(), shares, Arc::clone(active), rng)
    }

    /// Forgets what is in memory, and takes it from the file.
    pub(crate) fn reload(&mut self) -> Result<(), LabelError> {
        let (mut held, mut last) = (Vec::new(), 0);
        let (mut gone, mut example) = (0, String::new());
        self.store.shown(|shown| {
            last = shown.id;
            let rows = shown.names.each_ref().map(|name| self.items.ids().find(name));
            if let [Some(left), Some(right)] = rows {
                held.push((shown, [left, right]));
            } else {
                gone += 1;
                example = shown.names.join(" or ");
            }
        })?;
        if gone > 0 {
            return Err(LabelError::ItemsChanged { items: self.items.path().to_owned(), gone, example });
        }
        self.dealer = Self::dealer(&self.settings, &self.items, &self.active, self.seed, last as u32);
        self.states = self
            .store
            .people()?
            .iter()
            .map(|person| (person.id, State::new(&self.dealer)))
            .collect();
        for (shown, rows) in held {
            let Some(state) = self.states.get_mut(&shown.person) else { continue };
            let held = Held { id: shown.id, rows, origin: shown.origin, propensity: shown.propensity };
            state.seen.see(rows);
            match shown.origin {
                Origin::Uniform | Origin::Balanced | Origin::Chosen => self.dealer.count(rows),
                Origin::Again => shown.of.into_iter().for_each(|of| state.seen.cannot_repeat(of)),
                Origin::Shared | Origin::Imported => {}
            }
            match shown.answer {
                Some(given) => {
                    note(&mut self.dealer, state, shown.person, held, given.choice);
                    state.counts.add(held.origin, given.choice);
                    state.pace(given.took);
                }
                None => state.pending.push_back(held),
            }
        }
        Ok(())
    }

    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    pub(crate) fn into_store(self) -> Store {
        self.store
    }

    /// Adds somebody.
    pub(crate) fn add_person(&mut self, name: &str) -> Result<Person, Refused> {
        let person = self.store.person(name, false)?;
        self.states.entry(person.id).or_insert_with(|| State::new(&self.dealer));
        Ok(person)
    }

    /// The pairs that a person has in hand, drawn if there are too few.
    pub(crate) fn hand(&mut self, person: i64) -> Result<Hand, Refused> {
        let state = self.states.get_mut(&person).ok_or(Refused::Stranger)?;
        while state.pending.len() < IN_HAND {
            let Some(dealt) = self.dealer.next(person, &mut state.seen) else { break };
            let names = dealt.rows.map(|row| self.items.ids().name(row as usize));
            let Dealt { rows, origin, of, propensity } = dealt;
            let names = [&names[0][..], &names[1]];
            let id = self.store.deal(&NewPair { person, names, origin, of, propensity })?;
            state.pending.push_back(Held { id, rows, origin, propensity });
        }
        let pairs = state.pending.iter().take(IN_HAND).map(|held| PairFace {
            pair: held.id,
            left: self.items.face(held.rows[0]),
            right: self.items.face(held.rows[1]),
        });
        Ok(Hand { pairs: pairs.collect(), progress: state.progress(self.settings.goal) })
    }

    /// Stores an answer. The same request a second time changes nothing.
    pub(crate) fn answer(&mut self, person: i64, said: &Said) -> Result<Hand, Refused> {
        check_key(&said.key)?;
        let reason = said.reason.as_deref().map(str::trim).filter(|reason| !reason.is_empty());
        if reason.is_some_and(|reason| reason.chars().count() > LONGEST_REASON) {
            return Err(Refused::Malformed("the reason is too long".into()));
        }
        if let Some(known) = self.store.keyed(&said.key)? {
            if known.pair != said.pair || known.choice != Some(said.choice) {
                return Err(Refused::Malformed("this key belongs to another answer".into()));
            }
            return self.hand(person);
        }
        let state = self.states.get_mut(&person).ok_or(Refused::Stranger)?;
        let Some(at) = state.pending.iter().position(|held| held.id == said.pair) else {
            return Err(Refused::NotAsked);
        };
        let took = said.took.filter(|took| (0..86_400_000).contains(took));
        self.store.add(said.pair, said.choice, reason, &said.key, now(), took)?;
        let Some(held) = state.pending.remove(at) else { return Err(Refused::NotAsked) };
        note(&mut self.dealer, state, person, held, said.choice);
        state.counts.add(held.origin, said.choice);
        state.pace(took);
        self.hand(person)
    }

    /// Takes the last answer back; its pair is asked next. Nothing to take back is no error.
    pub(crate) fn undo(&mut self, person: i64, key: &str) -> Result<Hand, Refused> {
        check_key(key)?;
        if let Some(known) = self.store.keyed(key)? {
            if known.choice.is_some() {
                return Err(Refused::Malformed("this key belongs to an answer".into()));
            }
            return self.hand(person);
        }
        let state = self.states.get_mut(&person).ok_or(Refused::Stranger)?;
        if let Some(last) = self.store.last_answer(person)? {
            let rows = last.names.each_ref().map(|name| self.items.ids().find(name));
            let ([Some(left), Some(right)], Some(given)) = (rows, &last.answer) else {
                return Err(Refused::NotAsked);
            };
            self.store.undo(last.id, given.id, key)?;
            state.counts.remove(last.origin, given.choice);
            state.seen.cannot_repeat(last.id);
            let (rows, origin, propensity) = ([left, right], last.origin, last.propensity);
            state.pending.push_front(Held { id: last.id, rows, origin, propensity });
        }
        self.hand(person)
    }

    /// The row of an item of a pair that is shown to a person.
    pub(crate) fn row(&self, person: i64, pair: i64, side: usize) -> Result<u32, Refused> {
        let state = self.states.get(&person).ok_or(Refused::Stranger)?;
        let held = state.pending.iter().find(|held| held.id == pair).ok_or(Refused::NotAsked)?;
        held.rows.get(side).copied().ok_or(Refused::NotAsked)
    }
}

/// What an answer means for the pairs to come.
fn note(dealer: &mut Dealer, state: &mut State, person: i64, held: Held, choice: Choice) {
    if !choice.compares() {
        return;
    }
    let known = Known { id: held.id, rows: held.rows, propensity: held.propensity };
    match held.origin {
        Origin::Uniform | Origin::Balanced | Origin::Chosen => {
            dealer.can_share(known, person);
            state.seen.can_repeat(known);
        }
        Origin::Shared => state.seen.can_repeat(known),
        Origin::Again | Origin::Imported => {}
    }
}

fn check_key(key: &str) -> Result<(), Refused> {
    if (8..=64).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    {
        return Ok(());
    }
    Err(Refused::Malformed("a key has 8 to 64 letters and digits".into()))
}

impl State {
    /// Somebody who has seen nothing.
    fn new(dealer: &Dealer) -> Self {
        Self {
            seen: dealer.newcomer(),
            pending: VecDeque::new(),
            counts: Progress::default(),
            paces: VecDeque::new(),
        }
    }

    fn pace(&mut self, took: Option<i64>) {
        self.paces.extend(took);
        while self.paces.len() > PACE {
            self.paces.pop_front();
        }
    }

    fn progress(&self, goal: usize) -> Progress {
        let mut paces: Vec<i64> = self.paces.iter().copied().collect();
        paces.sort_unstable();
        Progress { goal, pace: paces.get(paces.len() / 2).copied(), ..self.counts }
    }
}

impl Progress {
    fn add(&mut self, origin: Origin, choice: Choice) {
        self.counts(origin, choice).into_iter().flatten().for_each(|count| *count += 1);
    }

    fn remove(&mut self, origin: Origin, choice: Choice) {
        self.counts(origin, choice).into_iter().flatten().for_each(|count| *count -= 1);
    }

    /// What an answer counts to.
    fn counts(&mut self, origin: Origin, choice: Choice) -> [Option<&mut usize>; 3] {
        let place = match choice {
            Choice::Skip => &mut self.skipped,
            Choice::Flag => &mut self.flagged,
            Choice::Left | Choice::Right | Choice::Tie => &mut self.answered,
        };
        let again = origin == Origin::Again && choice.compares();
        let undoable = origin != Origin::Imported;
        [Some(place), again.then_some(&mut self.again), undoable.then_some(&mut self.undoable)]
    }
}
