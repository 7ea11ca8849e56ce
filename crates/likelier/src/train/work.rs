//! What a run needs from batch to batch: work space, and sums over an epoch.

use super::parts::Parts;
use super::{EpochSummary, Phase};
use crate::data::Label;
use crate::numerics::parallel::share_pieces;
use crate::risk::{Evaluation, Gradients};

/// Work space of a batch: the likelier pile's rows, then the other's.
pub(super) struct Work {
    pub(super) which: Vec<u32>,
    /// How far images are moved, where they are.
    pub(super) moves: Vec<[i32; 2]>,
    pub(super) weights: Vec<f32>,
    /// Of the level, where these are others.
    pub(super) level_weights: Vec<f32>,
    pub(super) scores: Vec<f32>,
    pub(super) teacher_scores: Vec<f32>,
    pub(super) selected: Vec<bool>,
    pub(super) targets: Vec<f32>,
    pub(super) coefficients: Vec<[f32; 2]>,
    pub(super) gradients: Gradients,
    pub(super) gradient: Vec<f32>,
}

impl Work {
    pub(super) fn new(parameters: usize) -> Self {
        Self {
            which: Vec::new(),
            moves: Vec::new(),
            weights: Vec::new(),
            level_weights: Vec::new(),
            scores: Vec::new(),
            teacher_scores: Vec::new(),
            selected: Vec::new(),
            targets: Vec::new(),
            coefficients: Vec::new(),
            gradients: Gradients::default(),
            gradient: vec![0.0; parameters],
        }
    }

    /// Lists the rows of a batch.
    pub(super) fn choose(&mut self, labels: Option<&[Label]>, parts: &Parts<'_>, positions: [&[u32]; 2]) {
        self.which.clear();
        self.weights.clear();
        self.level_weights.clear();
        for (pile, positions) in parts.trained.iter().zip(positions) {
            pick(pile, positions, &mut self.which);
            if let Some(weights) = &parts.trained_weights {
                pick(weights, positions, &mut self.weights);
            }
            if let Some(weights) = &parts.level_weights {
                pick(weights, positions, &mut self.level_weights);
            }
        }
        if let Some(labels) = labels {
            self.targets.clear();
            let positive = |row: &u32| f32::from(u8::from(labels[*row as usize].is_positive()));
            self.targets.extend(self.which.iter().map(positive));
        }
    }
}

/// Places that one thread looks up at a time: each may be anywhere in memory.
const PLACES: usize = 1 << 10;

/// Appends what is at some places of a list.
fn pick<T: Copy + Default + Send + Sync>(list: &[T], places: &[u32], into: &mut Vec<T>) {
    let start = into.len();
    into.resize(start + places.len(), T::default());
    share_pieces(&mut into[start..], PLACES, |piece, slots| {
        for (slot, place) in slots.iter_mut().zip(&places[piece * PLACES..]) {
            *slot = list[*place as usize];
        }
    });
}

/// What one step did.
pub(super) struct Step {
    pub(super) evaluation: Evaluation,
    /// The share of rows that rank pruning kept.
    pub(super) selected: f64,
    /// The level that the pair posterior was held at.
    pub(super) level: Option<f64>,
    /// Whether every parameter is still a finite number.
    pub(super) finite: bool,
}

/// Sums over the batches of an epoch.
#[derive(Default)]
pub(super) struct Totals {
    batches: f64,
    risk: f64,
    columns: Option<[f64; 2]>,
    negative: f64,
    selected: f64,
    consistency: f64,
    level: Option<f64>,
}

impl Totals {
    pub(super) fn add(&mut self, step: &Step) {
        let evaluation = &step.evaluation;
        self.batches += 1.0;
        self.risk += evaluation.value;
        self.consistency += evaluation.consistency;
        self.selected += step.selected;
        if let Some(level) = step.level {
            *self.level.get_or_insert_default() += level;
        }
        if let Some(columns) = evaluation.columns {
            let sums = self.columns.get_or_insert_default();
            sums.iter_mut().zip(columns).for_each(|(sum, column)| *sum += column);
            self.negative += f64::from(u8::from(columns.iter().any(|column| *column < 0.0)));
        }
    }

    pub(super) fn summary(&self, epoch: usize, phase: Phase, held_out: Option<f64>) -> EpochSummary {
        let batches = self.batches.max(1.0);
        EpochSummary {
            epoch,
            phase,
            risk: self.risk / batches,
            columns: self.columns.map(|sums| sums.map(|sum| sum / batches)),
            negative_share: self.negative / batches,
            selected_share: self.selected / batches,
            consistency: self.consistency / batches,
            level: self.level.map(|sum| sum / batches),
            held_out,
        }
    }
}
