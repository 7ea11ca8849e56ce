//! The state of a run in a file, so that it can go on exactly where it stopped.
//!
//! The file is one line of JSON, which says what the run is and how long each list is, and then the
//! lists themselves as little-endian f32. Random numbers need no state: each epoch has its own stream.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::Notes;
use super::early_stop::Best;
use super::posterior::{Recent, WarmedUp};
use super::run::Run;
use crate::data::{Pile, Rows, ShownSide};
use crate::error::Error;
use crate::files::replace;
use crate::model::Weights;

/// Saves at most this often, unless the run ends.
const INTERVAL: Duration = Duration::from_secs(10);
const FORMAT: u32 = 5;
/// Rows that are on their way from memory while one is looked at.
const AHEAD: usize = 16;
/// Rows that one thread digests at a time.
const ROWS: usize = 1 << 14;
/// More than any state's first line has.
const LONGEST_LINE: u64 = 1 << 28;

pub(super) struct Checkpoint<'a> {
    path: &'a Path,
    /// What decides the run's result: worked out once, since it reads all the data.
    identity: serde_json::Value,
    saved: Option<Instant>,
}

#[derive(Serialize, Deserialize)]
struct CheckpointHeader {
    format: u32,
    /// The configuration and a digest of the data: a run goes on only with the same.
    run: serde_json::Value,
    epochs_done: usize,
    stopped_early: bool,
    warmed_up_early: bool,
    /// Steps of the window that shows whether the weights have settled.
    settling_steps: Option<usize>,
    optimiser_steps: u32,
    teacher_steps: Option<u32>,
    best: Option<(usize, f64)>,
    /// Epoch and held-out value of the warm-up of the pair posterior, once it is over.
    warmed_up: Option<(usize, Option<f64>)>,
    /// Lengths of the batches whose scores it remembers.
    recent: Vec<usize>,
    parameters: usize,
    buffers: usize,
    notes: Vec<serde_json::Value>,
}

impl<'a> Checkpoint<'a> {
    pub(super) fn new(path: &'a Path, run: &Run<'_>) -> Result<Self, Error> {
        let identity = identity(run).map_err(|reason| Error::file(path, reason))?;
        Ok(Self { path, identity, saved: None })
    }

    /// Writes the state, if it is time or `now`. The file is replaced as a whole.
    pub(super) fn save(&mut self, run: &Run<'_>, notes: Option<&Notes>, now: bool) -> Result<(), Error> {
        if !now && self.saved.is_some_and(|saved| saved.elapsed() < INTERVAL) {
            return Ok(());
        }
        self.write(run, notes).map_err(|reason| Error::file(self.path, reason))?;
        self.saved = Some(Instant::now());
        Ok(())
    }

    fn write(&self, run: &Run<'_>, notes: Option<&Notes>) -> io::Result<()> {
        let (optimiser_steps, moments) = run.optimiser.state();
        let recent = run.posterior.as_ref().map(|posterior| &posterior.recent);
        let warmed_up = run.posterior.as_ref().and_then(|posterior| posterior.warmed_up.as_ref());
        let header = CheckpointHeader {
            format: FORMAT,
            run: self.identity.clone(),
            epochs_done: run.epochs_done,
            stopped_early: run.stopped_early,
            warmed_up_early: run.warmed_up_early,
            settling_steps: run.settling.as_ref().map(|settling| settling.steps),
            optimiser_steps,
            teacher_steps: run.teacher.as_ref().map(super::Teacher::steps),
            best: run.best.as_ref().map(|best| (best.epoch, best.value)),
            warmed_up: warmed_up.map(|state| (state.epoch, state.held_out)),
            recent: recent
                .map(|recent| recent.lengths.iter().copied().collect())
                .unwrap_or_default(),
            parameters: run.weights.parameters.len(),
            buffers: run.weights.buffers.len(),
            notes: notes.map(Notes::values).unwrap_or_default(),
        };
        let mut lists = vec![&run.weights.parameters[..], &run.weights.buffers, moments[0], moments[1]];
        let further = run.teacher.iter().map(|teacher| &teacher.weights);
        let further = further.chain(run.best.iter().map(|best| &best.weights));
        for weights in further.chain(warmed_up.iter().map(|state| &state.weights)) {
            lists.extend([&weights.parameters[..], &weights.buffers]);
        }
        lists.extend(
            run.settling
                .iter()
                .flat_map(|settling| settling.quarters.each_ref().map(|means| &means[..])),
        );
        lists.extend(recent.into_iter().flat_map(|recent| [&recent.scores[..], &recent.weights]));
        replace(self.path, |file| {
            serde_json::to_writer(&mut *file, &header)?;
            file.write_all(b"\n")?;
            for list in lists {
                for value in list {
                    file.write_all(&value.to_le_bytes())?;
                }
            }
            Ok(())
        })
    }

    /// Puts a saved state into a fresh run; nothing if there is no file.
    pub(super) fn load(&self, run: &mut Run<'_>, notes: Option<&Notes>) -> Result<(), Error> {
        let file = match File::open(self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(Error::file(self.path, error)),
        };
        let kept = self.read(BufReader::new(file), run)?;
        if let Some(notes) = notes {
            notes.restore(kept);
        }
        Ok(())
    }

    /// Returns the notes.
    fn read(&self, mut file: impl BufRead, run: &mut Run<'_>) -> Result<Vec<serde_json::Value>, Error> {
        let bad = |problem| Error::Checkpoint { path: self.path.to_owned(), problem };
        let cut = |_| bad("the checkpoint is cut short or damaged");
        let mut line = Vec::new();
        (&mut file).take(LONGEST_LINE).read_until(b'\n', &mut line).map_err(cut)?;
        let header: CheckpointHeader =
            serde_json::from_slice(&line).map_err(|_| bad("this is not a checkpoint"))?;
        if header.format != FORMAT || header.run != self.identity {
            return Err(bad("the checkpoint belongs to a run with other settings, data or version"));
        }
        let (parameters, buffers) = (run.weights.parameters.len(), run.weights.buffers.len());
        if (header.parameters, header.buffers) != (parameters, buffers) {
            return Err(bad("the checkpoint belongs to a model of another shape"));
        }
        let mut list = |length: usize| {
            let mut bytes = vec![0; 4 * length];
            file.read_exact(&mut bytes).map_err(cut)?;
            let value = |bytes: &[u8]| bytes.try_into().map_or(0.0, f32::from_le_bytes);
            Ok::<_, Error>(bytes.chunks_exact(4).map(value).collect::<Vec<f32>>())
        };
        let weights = |list: &mut dyn FnMut(usize) -> Result<Vec<f32>, Error>| {
            Ok::<_, Error>(Weights { parameters: list(parameters)?, buffers: list(buffers)? })
        };
        let own_weights = weights(&mut list)?;
        let moments = [list(parameters)?, list(parameters)?];
        if let (Some(teacher), Some(steps)) = (&mut run.teacher, header.teacher_steps) {
            teacher.restore(steps, weights(&mut list)?);
        }
        if let Some((epoch, value)) = header.best {
            run.best = Some(Best { epoch, value, weights: weights(&mut list)? });
        }
        if let Some((epoch, held_out)) = header.warmed_up {
            run.warm_up_ended(WarmedUp { epoch, held_out, weights: weights(&mut list)? })?;
        }
        if let (Some(settling), Some(steps)) = (&mut run.settling, header.settling_steps) {
            settling.restore(
                steps,
                [list(parameters)?, list(parameters)?, list(parameters)?, list(parameters)?],
            );
        }
        let recent: usize = header.recent.iter().fold(0, |sum, length| sum.saturating_add(*length));
        if recent > run.data.piles.rows(Pile::Likelier).len().saturating_mul(16) {
            return Err(bad("the checkpoint is cut short or damaged"));
        }
        if let Some(posterior) = &mut run.posterior {
            let scores = list(recent)?;
            let weights = list(if run.parts.trained_weights.is_some() { recent } else { 0 })?;
            posterior.recent = Recent { lengths: header.recent.into(), scores, weights };
        }
        run.weights = own_weights;
        run.optimiser.restore(header.optimiser_steps, moments)?;
        run.epochs_done = header.epochs_done;
        run.stopped_early = header.stopped_early;
        run.warmed_up_early = header.warmed_up_early;
        Ok(header.notes)
    }
}

/// What decides a run's result: its configuration (how many epochs apart: a longer run may go on from a
/// shorter one) and its data.
fn identity(run: &Run<'_>) -> io::Result<serde_json::Value> {
    let mut config = serde_json::to_value(run.config)?;
    if let Some(settings) = config.as_object_mut() {
        settings.remove("epochs");
    }
    let data = run.data;
    let mut digest = Digest::new();
    for pile in Pile::BOTH {
        let parts = data.piles.rows(pile).par_chunks(ROWS).map(|items| digest_of(data.rows, items));
        parts.collect::<Vec<u64>>().into_iter().for_each(|part| digest.add(part));
    }
    let weights = [data.piles.weights(), data.piles.level_weights()];
    for weight in weights.into_iter().flatten().flatten() {
        digest.add(u64::from(weight.to_bits()));
    }
    for told in data.piles.told().into_iter().flatten() {
        let known = told
            .known
            .map(|known| known.map_or(0, |label| 1 + u64::from(label.is_positive())));
        let side = told.side.map_or(0, |side| 1 + u64::from(side == ShownSide::Right));
        digest
            .add(u64::from(told.by) << 8 | side << 5 | u64::from(told.tie) << 4 | known[0] << 2 | known[1]);
    }
    Ok(serde_json::json!({
        "config": config,
        "data": format!("{:016x}", digest.0),
        "version": env!("CARGO_PKG_VERSION"),
    }))
}

/// Of some rows and their numbers.
fn digest_of(rows: &Rows<'_>, items: &[u32]) -> u64 {
    let mut digest = Digest::new();
    let mut row = vec![0.0; if rows.as_sparse().is_some() { 0 } else { rows.width() }];
    for (at, &item) in items.iter().enumerate() {
        if let Some(next) = items.get(at + AHEAD) {
            rows.fetch_ahead(*next as usize);
        }
        digest.add(u64::from(item));
        if let Some(sparse) = rows.as_sparse() {
            let (columns, values) = sparse.row(item as usize);
            for (column, value) in columns.iter().zip(values) {
                digest.add(u64::from(*column) << 32 | u64::from(value.to_bits()));
            }
            continue;
        }
        rows.copy_row(item as usize, &mut row);
        for value in &row {
            digest.add(u64::from(value.to_bits()));
        }
    }
    digest.0
}

/// FNV-1a over words: enough to notice other data.
struct Digest(u64);

impl Digest {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x0000_0100_0000_01b3);
    }
}
