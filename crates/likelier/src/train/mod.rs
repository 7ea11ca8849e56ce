//! Training: mini-batches of comparisons through scores, risk, gradient and Adam.

mod adam;
mod batches;
mod config;
mod teacher;
mod threshold;

pub use adam::{Adam, WeightDecay};
pub use config::Config;
pub use teacher::Teacher;
pub use threshold::prior_quantile;

use batches::Batches;

use crate::data::{Label, Pile, Piles, Rows};
use crate::error::Error;
use crate::model::{Classifier, Linear, Model, Scaling, ScalingKind};
use crate::protocol::Mixture;
use crate::random::{Purpose, stream};
use crate::risk::progressive::Selection;
use crate::risk::{Batch, Composition, Evaluation, Gradients, Method, Side, ThresholdRule};

/// What is learned from.
#[derive(Clone, Copy, Debug)]
pub struct Data<'a> {
    /// The items.
    pub rows: &'a Rows,
    /// Which items were said to be likelier, and than which.
    pub piles: Piles<'a>,
    /// The true label of every item: only for the `supervised` oracle, which no other method sees.
    pub labels: Option<&'a [Label]>,
}

/// What one epoch did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EpochSummary {
    /// Epochs done, from 1.
    pub epoch: usize,
    /// The mean risk of its batches.
    pub risk: f64,
    /// The mean of their columns before correction, for pointwise methods.
    pub columns: Option<[f64; 2]>,
    /// The share of batches with a negative column: how often a correction would bite.
    pub negative_share: f64,
    /// The share of rows that rank pruning kept.
    pub selected_share: f64,
}

/// Trains a linear model.
///
/// After each epoch `observe` is told what it did and may ask for the classifier as it stands.
pub fn train(
    data: &Data<'_>,
    config: &Config,
    mut observe: impl FnMut(&EpochSummary, &Progress<'_>) -> Result<(), Error>,
) -> Result<Classifier, Error> {
    config.check()?;
    let mut run = Run::start(data, config)?;
    for epoch in 1..=config.epochs {
        let summary = run.epoch(epoch)?;
        observe(&summary, &Progress(&run))?;
    }
    Ok(run.classifier())
}

/// A training run between two epochs.
pub struct Progress<'a>(&'a Run<'a>);

impl Progress<'_> {
    /// The classifier as it stands, with its threshold.
    pub fn classifier(&self) -> Classifier {
        self.0.classifier()
    }
}

/// The state of a training run. All work space is allocated once.
struct Run<'a> {
    data: &'a Data<'a>,
    config: &'a Config,
    method: Composition,
    mixture: Mixture,
    scaling: Scaling,
    model: Linear,
    adam: Adam,
    teacher: Option<Teacher>,
    selection: Option<Selection>,
    batches: Batches,
    batch_order: crate::random::ChaCha8Rng,
    work: Work,
}

/// Work space of a batch: the likelier pile's rows, then the other's.
#[derive(Default)]
struct Work {
    inputs: Vec<f32>,
    scores: Vec<f32>,
    teacher_scores: Vec<f32>,
    selected: Vec<bool>,
    targets: Vec<f32>,
    gradients: Gradients,
    parameter_gradient: Vec<f32>,
}

impl<'a> Run<'a> {
    fn start(data: &'a Data<'a>, config: &'a Config) -> Result<Self, Error> {
        data.piles.check(data.rows.len())?;
        if config.method.needs_pairs() && !data.piles.are_paired() {
            return Err(Error::NotPaired { method: config.method.name() });
        }
        if config.method == Method::Supervised {
            let labels = data.labels.ok_or(Error::NeedsLabels)?;
            if labels.len() != data.rows.len() {
                return Err(Error::Mismatch {
                    left: "labels",
                    left_count: labels.len(),
                    right: "items",
                    right_count: data.rows.len(),
                });
            }
        }
        let method = config.method.compose(&config.setting)?;
        let kind = config.scaling.unwrap_or_else(|| ScalingKind::default_for(data.rows));
        let trained_on = Pile::BOTH.map(|pile| data.piles.rows(pile));
        let scaling = Scaling::fit(kind, data.rows, &trained_on);
        let model = Linear::new(data.rows.width(), &mut stream(config.seed, Purpose::Weights));
        let parameters = model.parameters().len();
        Ok(Self {
            data,
            config,
            mixture: config.setting.protocol.mixture(config.setting.prior)?,
            scaling,
            adam: Adam::new(
                parameters,
                config.learning_rate,
                config.weight_decay,
                config.weight_decay_kind,
            ),
            teacher: method
                .has_teacher
                .then(|| Teacher::new(model.parameters(), config.teacher_smoothing)),
            selection: None,
            batches: Batches::new(&data.piles, config.batch_rows),
            batch_order: stream(config.seed, Purpose::Batches),
            work: Work { parameter_gradient: vec![0.0; parameters], ..Work::default() },
            method,
            model,
        })
    }

    fn epoch(&mut self, epoch: usize) -> Result<EpochSummary, Error> {
        if self.method.prunes && epoch > self.config.warm_up_epochs {
            self.select_rows();
        }
        self.batches.reorder(&mut self.batch_order);
        let mut total = Totals::default();
        for batch in 0..self.batches.count() {
            let evaluation = self.step(batch)?;
            let broken = |what| Error::Diverged { epoch, batch: batch + 1, what };
            if !evaluation.value.is_finite() {
                return Err(broken("risk"));
            }
            if self.model.parameters().iter().any(|parameter| !parameter.is_finite()) {
                return Err(broken("model"));
            }
            total.add(&evaluation);
        }
        let selected_share = self.selection.as_ref().map_or(1.0, Selection::share);
        Ok(total.summary(epoch, selected_share))
    }

    /// One mini-batch: scores, risk, gradient, Adam, teacher.
    fn step(&mut self, batch: usize) -> Result<Evaluation, Error> {
        let positions = self.batches.positions(batch);
        let likelier = positions[0].len();
        self.work.gather(self.data, &self.scaling, self.selection.as_ref(), positions);
        let Work { inputs, scores, teacher_scores, selected, targets, gradients, parameter_gradient } =
            &mut self.work;

        if let Some(teacher) = &mut self.teacher {
            teacher_scores.resize(scores.len(), 0.0);
            teacher.exchange(self.model.parameters_mut());
            self.model.forward(inputs, teacher_scores);
            teacher.exchange(self.model.parameters_mut());
        }
        self.model.forward(inputs, scores);

        let side = |range: std::ops::Range<usize>| Side {
            scores: &scores[range.clone()],
            weights: None,
            selected: self.selection.is_some().then(|| &selected[range.clone()]),
            targets: self.data.labels.is_some().then(|| &targets[range.clone()]),
            teacher: self.teacher.is_some().then(|| &teacher_scores[range]),
        };
        let risk_batch = Batch { likelier: side(0..likelier), other: side(likelier..scores.len()) };
        let evaluation = self.method.objective.evaluate(&risk_batch, gradients)?;

        self.model.backward(inputs, gradients.all(), parameter_gradient);
        self.adam.step(self.model.parameters_mut(), parameter_gradient);
        if let Some(teacher) = &mut self.teacher {
            teacher.update(self.model.parameters());
        }
        Ok(evaluation)
    }

    /// Rank pruning: selects anew over both whole piles by the current scores.
    fn select_rows(&mut self) {
        let [likelier, other] = self.pile_scores();
        self.selection.get_or_insert_default().select(&self.mixture, &likelier, &other);
    }

    fn pile_scores(&self) -> [Vec<f32>; 2] {
        let mut row = vec![0.0; self.data.rows.width()];
        Pile::BOTH.map(|pile| {
            let rows = self.data.piles.rows(pile);
            let mut scores = vec![0.0; rows.len()];
            for (&at, score) in rows.iter().zip(&mut scores) {
                self.scaling.gather(self.data.rows, &[at], &mut row);
                self.model.score(&row, std::slice::from_mut(score));
            }
            scores
        })
    }

    fn classifier(&self) -> Classifier {
        let threshold = match self.config.threshold.unwrap_or(self.method.threshold) {
            ThresholdRule::Zero => 0.0,
            ThresholdRule::PriorQuantile => {
                let [likelier, other] = self.pile_scores();
                prior_quantile(&self.mixture, self.config.setting.prior, &likelier, &other)
            }
        };
        Classifier {
            model: self.model.clone(),
            scaling: self.scaling.clone(),
            threshold,
            method: self.config.method,
            setting: self.config.setting,
        }
    }
}

impl Work {
    /// Brings together what a batch needs of its rows.
    fn gather(
        &mut self,
        data: &Data<'_>,
        scaling: &Scaling,
        selection: Option<&Selection>,
        positions: [&[u32]; 2],
    ) {
        let (rows, width) = (positions[0].len() + positions[1].len(), data.rows.width());
        self.inputs.resize(rows * width, 0.0);
        self.scores.resize(rows, 0.0);
        self.selected.clear();
        self.targets.clear();
        let mut slots = self.inputs.chunks_exact_mut(width);
        for (pile, positions) in Pile::BOTH.into_iter().zip(positions) {
            let pile_rows = data.piles.rows(pile);
            for (&position, slot) in positions.iter().zip(&mut slots) {
                let row = pile_rows[position as usize];
                scaling.gather(data.rows, &[row], slot);
                if let Some(selection) = selection {
                    self.selected.push(selection.kept(pile)[position as usize]);
                }
                if let Some(labels) = data.labels {
                    self.targets.push(f32::from(u8::from(labels[row as usize].is_positive())));
                }
            }
        }
    }
}

/// Sums over the batches of an epoch.
#[derive(Default)]
struct Totals {
    batches: f64,
    risk: f64,
    columns: [f64; 2],
    with_columns: f64,
    negative: f64,
}

impl Totals {
    fn add(&mut self, evaluation: &Evaluation) {
        self.batches += 1.0;
        self.risk += evaluation.value;
        if let Some(columns) = evaluation.columns {
            self.with_columns += 1.0;
            self.columns[0] += columns[0];
            self.columns[1] += columns[1];
            self.negative += f64::from(u8::from(columns.iter().any(|column| *column < 0.0)));
        }
    }

    fn summary(&self, epoch: usize, selected_share: f64) -> EpochSummary {
        let batches = self.batches.max(1.0);
        EpochSummary {
            epoch,
            risk: self.risk / batches,
            columns: (self.with_columns > 0.0)
                .then(|| self.columns.map(|column| column / self.with_columns)),
            negative_share: self.negative / batches,
            selected_share,
        }
    }
}
