//! What shards are asked, and how their answers are put together.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::Shard;
use crate::data::{Pile, Rows};
use crate::error::Error;
use crate::model::{Linear, Model, Scaling, ScalingKind, Stored, Weights};
use crate::prior::Prior;
use crate::protocol::Protocol;
use crate::risk::{
    Batch, Gradients, Method, Objective, OrientationLikelihood, PairPosterior, Setting, Side, sigmoid,
};

/// Sums over the comparisons of a shard; what each of them is depends on the ask.
pub type Sums = Vec<f64>;

/// Something that every shard is asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "ask")]
pub enum Ask {
    /// How much there is: features of a row, comparisons, answers, their weight, cells, cells that are 0, and whether rows
    /// are bytes or sparse. The first and the last two are for each shard; the others are added.
    Counts,
    /// The sum of each feature.
    Sums,
    /// The sum of each feature's squared distance from a mean.
    Squares {
        /// The mean of each.
        means: Vec<f64>,
    },
    /// The largest absolute value of each feature.
    Largest,
    /// The sum of each scaled feature, and then of its square.
    Spread {
        /// How features are scaled.
        scaling: StatedScaling,
    },
    /// −ln of the orientation likelihood, its gradient by the weights, and the weight of all comparisons.
    Orientation {
        /// The model.
        at: At,
        /// How the comparisons were collected.
        protocol: Protocol,
    },
    /// σ(score + shift) of both items, its derivative by the shift, and the weight: each summed. Last the largest
    /// absolute score.
    Probability {
        /// The model.
        at: At,
        /// What is added to each score.
        shift: f64,
    },
    /// The cross-entropy to the labels that a teacher infers, its gradient by the weights, and the weight of all
    /// items.
    Posterior {
        /// The model.
        at: At,
        /// The weights of the teacher.
        teacher: Vec<f32>,
        /// What holds the teacher's scores to the prior.
        level: f64,
        /// π.
        prior: Prior,
        /// How the comparisons were collected.
        protocol: Protocol,
    },
    /// The weight of likelier items above a cut, that of the others above it, that of all comparisons; minus the lowest
    /// score above the cut, and the highest that is not (−∞ where there is none).
    Above {
        /// The model.
        at: At,
        /// The cut.
        cut: f32,
    },
}

/// A linear model: its scaling, its weights and the bias.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct At {
    /// How features are scaled.
    pub scaling: StatedScaling,
    /// The weights and the bias.
    pub weights: Vec<f32>,
}

/// A scaling as it is sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StatedScaling {
    kind: ScalingKind,
    offset: Vec<f32>,
    factor: Vec<f32>,
}

impl From<&Scaling> for StatedScaling {
    fn from(scaling: &Scaling) -> Self {
        Self { kind: scaling.kind(), offset: scaling.offset().to_vec(), factor: scaling.factor().to_vec() }
    }
}

impl StatedScaling {
    fn scaling(&self) -> Result<Scaling, Error> {
        let parts = (self.offset.clone(), self.factor.clone());
        Scaling::from_parts(self.kind, parts.0, parts.1).ok_or_else(|| Error::Setting {
            name: "the scaling of an ask",
            value: format!("{} offsets and {} factors", self.offset.len(), self.factor.len()),
            allowed: "as its kind says",
        })
    }
}

/// What each number of [`Ask::Counts`] is.
pub(super) mod counted {
    pub(crate) const WIDTH: usize = 0;
    pub(crate) const COMPARISONS: usize = 1;
    pub(crate) const ANSWERS: usize = 2;
    pub(crate) const WEIGHT: usize = 3;
    pub(crate) const CELLS: usize = 4;
    pub(crate) const ZEROS: usize = 5;
    pub(crate) const BYTES: usize = 6;
    pub(crate) const SPARSE: usize = 7;
}

impl Ask {
    /// The answers of the shards as one, in their order.
    pub fn combine(&self, parts: &[Sums]) -> Sums {
        // From here on numbers are not added: the largest counts.
        let largest_from = match self {
            Self::Largest => 0,
            Self::Probability { .. } | Self::Above { .. } => 3,
            _ => usize::MAX,
        };
        let mut parts = parts.iter();
        let mut total = parts.next().cloned().unwrap_or_default();
        for part in parts {
            for (at, (total, part)) in total.iter_mut().zip(part).enumerate() {
                *total = if at < largest_from { *total + part } else { total.max(*part) };
            }
        }
        total
    }

    pub(super) fn of(&self, shard: &Shard<'_>) -> Result<Sums, Error> {
        match self {
            Self::Counts => Ok(counts(shard)),
            Self::Sums => Ok(of_cells(shard, 1, |_, value, sums| sums[0] += value)),
            Self::Squares { means } => {
                check_width(&shard.rows, means.len())?;
                Ok(of_cells(shard, 1, |column, value, sums| sums[0] += (value - means[column]).powi(2)))
            }
            Self::Largest => Ok(of_cells(shard, 1, |_, value, sums| sums[0] = value.abs().max(sums[0]))),
            Self::Spread { scaling } => {
                let scaling = scaling.scaling()?;
                check_width(&shard.rows, scaling.offset().len())?;
                let (offset, factor) = (scaling.offset(), scaling.factor());
                Ok(of_cells(shard, 2, |column, value, sums| {
                    let scaled = (value - f64::from(offset[column])) * f64::from(factor[column]);
                    sums[0] += scaled;
                    sums[1] += scaled * scaled;
                }))
            }
            Self::Orientation { at, protocol } => {
                let risk = OrientationLikelihood { protocol: *protocol };
                let scaling = at.scaling.scaling()?;
                shard.in_pieces(self, |piece| {
                    let piece = Piece::of(shard, &scaling, piece);
                    let scores = piece.scores(&at.weights)?;
                    piece.gradient(&at.weights, &risk, &scores, None)
                })
            }
            Self::Posterior { at, teacher, level, prior, protocol } => {
                let setting = Setting::new(*prior, *protocol);
                let risk = Method::PairPosterior.compose(&setting)?.objective;
                let step = PairPosterior::new(*prior, *protocol)?;
                let scaling = at.scaling.scaling()?;
                shard.in_pieces(self, |piece| {
                    let piece = Piece::of(shard, &scaling, piece);
                    let (scores, taught) = (piece.scores(&at.weights)?, piece.scores(teacher)?);
                    let mut targets = Vec::new();
                    step.targets(&taught[..piece.pairs()], &taught[piece.pairs()..], *level, &mut targets);
                    piece.gradient(&at.weights, risk.as_ref(), &scores, Some(&targets))
                })
            }
            Self::Probability { at, shift } => {
                let scaling = at.scaling.scaling()?;
                shard.in_pieces(self, |piece| {
                    Piece::of(shard, &scaling, piece).probability(&at.weights, *shift)
                })
            }
            Self::Above { at, cut } => {
                let scaling = at.scaling.scaling()?;
                shard.in_pieces(self, |piece| Piece::of(shard, &scaling, piece).above(&at.weights, *cut))
            }
        }
    }
}

fn counts(shard: &Shard<'_>) -> Sums {
    let (rows, comparisons) = (&shard.rows, &shard.comparisons);
    let weight = |at| comparisons.weights().map_or(1.0, |weights| f64::from(weights[at]));
    let mut zeros = 0.0;
    let mut row = vec![0.0; rows.width()];
    for (likelier, other) in comparisons.iter() {
        for item in [likelier, other] {
            rows.copy_row(item as usize, &mut row);
            zeros += row.iter().filter(|value| **value == 0.0).count() as f64;
        }
    }
    vec![
        rows.width() as f64,
        comparisons.len() as f64,
        comparisons.answers() as f64,
        (0..comparisons.len()).map(weight).sum(),
        2.0 * comparisons.len() as f64 * rows.width() as f64,
        zeros,
        f64::from(u8::from(rows.are_bytes())),
        f64::from(u8::from(rows.as_sparse().is_some())),
    ]
}

/// Sums over the features of both items of each comparison: `each` of them for every feature.
fn of_cells(shard: &Shard<'_>, each: usize, mut visit: impl FnMut(usize, f64, &mut [f64])) -> Sums {
    let width = shard.rows.width();
    let mut sums = vec![0.0; each * width];
    let mut row = vec![0.0; width];
    for pile in Pile::BOTH {
        for item in shard.pile(pile) {
            shard.rows.copy_row(*item as usize, &mut row);
            for (column, value) in row.iter().enumerate() {
                visit(column, f64::from(*value), &mut sums[each * column..each * (column + 1)]);
            }
        }
    }
    sums
}

fn check_width(rows: &Rows<'_>, width: usize) -> Result<(), Error> {
    if rows.width() == width {
        return Ok(());
    }
    Err(Error::mismatch("features of the ask", width, "features of the shard", rows.width()))
}

/// Some comparisons of a shard.
struct Piece<'a> {
    rows: &'a Rows<'a>,
    scaling: &'a Scaling,
    /// The likelier items, then the others.
    which: Vec<u32>,
    /// Of each comparison.
    weights: Vec<f32>,
    weighted: bool,
}

impl<'a> Piece<'a> {
    fn of(shard: &'a Shard<'_>, scaling: &'a Scaling, range: Range<usize>) -> Self {
        let which = Pile::BOTH.map(|pile| &shard.pile(pile)[range.clone()]).concat();
        let given = shard.comparisons.weights();
        let weights = match given {
            Some(weights) => weights[range].to_vec(),
            None => vec![1.0; range.len()],
        };
        Self { rows: &shard.rows, scaling, which, weights, weighted: given.is_some() }
    }

    fn pairs(&self) -> usize {
        self.weights.len()
    }

    fn stored(&self) -> Stored<'_> {
        Stored::new(self.rows, self.scaling, &self.which)
    }

    fn scores(&self, weights: &[f32]) -> Result<Vec<f32>, Error> {
        let mut scores = vec![0.0; self.which.len()];
        Linear::new(self.rows.width()).score(&model(weights), &self.stored(), &mut scores)?;
        Ok(scores)
    }

    /// The scores of both piles, each with its pile and its weight.
    fn scored(&self, weights: &[f32]) -> Result<impl Iterator<Item = (usize, f32, f64)>, Error> {
        let pairs = self.pairs();
        let scores = self.scores(weights)?.into_iter().enumerate();
        Ok(scores.map(move |(at, score)| (at / pairs, score, f64::from(self.weights[at % pairs]))))
    }

    fn probability(&self, weights: &[f32], shift: f64) -> Result<Sums, Error> {
        let mut sums = vec![0.0; 4];
        for (_, score, weight) in self.scored(weights)? {
            let probability = sigmoid(f64::from(score) + shift);
            sums[0] += weight * probability;
            sums[1] += weight * probability * (1.0 - probability);
            sums[2] += weight;
            sums[3] = f64::from(score.abs()).max(sums[3]);
        }
        Ok(sums)
    }

    fn above(&self, weights: &[f32], cut: f32) -> Result<Sums, Error> {
        let mut sums = vec![0.0, 0.0, 0.0, f64::NEG_INFINITY, f64::NEG_INFINITY];
        for (pile, score, weight) in self.scored(weights)? {
            sums[2] += if pile == 0 { weight } else { 0.0 };
            if score > cut {
                sums[pile] += weight;
                sums[3] = sums[3].max(-f64::from(score));
            } else {
                sums[4] = sums[4].max(f64::from(score));
            }
        }
        Ok(sums)
    }

    /// The risk of the piece and its gradient, not as means but as sums; and the weight that they are sums of.
    fn gradient(
        &self,
        weights: &[f32],
        risk: &dyn Objective,
        scores: &[f32],
        targets: Option<&[f32]>,
    ) -> Result<Sums, Error> {
        let pairs = self.pairs();
        let side = |range: Range<usize>| Side {
            scores: &scores[range.clone()],
            weights: self.weighted.then_some(&self.weights[..]),
            targets: targets.map(|targets| &targets[range]),
            ..Side::default()
        };
        let batch = Batch { likelier: side(0..pairs), other: side(pairs..2 * pairs) };
        let mut gradients = Gradients::default();
        let evaluation = risk.evaluate(&batch, &mut gradients)?;
        let mut gradient = vec![0.0; weights.len()];
        Linear::new(self.rows.width()).backward(
            &model(weights),
            &self.stored(),
            gradients.all(),
            &mut gradient,
        )?;
        let size: f64 = self.weights.iter().map(|weight| f64::from(*weight)).sum();
        let gradient = gradient.iter().map(|slope| size * f64::from(*slope));
        Ok([size * evaluation.value].into_iter().chain(gradient).chain([size]).collect())
    }
}

fn model(weights: &[f32]) -> Weights {
    Weights { parameters: weights.to_vec(), buffers: Vec::new() }
}
