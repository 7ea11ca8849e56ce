//! The training loop.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};

use super::batches::Batches;
use super::config::{Config, Criterion, Predictor, PruningSchedule};
use super::early_stop::{Best, measure};
use super::optimiser::Optimiser;
use super::parts::Parts;
use super::passes::Passing;
use super::piles::RowPiles;
use super::posterior::Posterior;
use super::settling::Settling;
use super::teacher::Teacher;
use super::threshold::prior_quantile;
use super::work::{Step, Totals, Work};
use super::{Data, EpochSummary, Phase, memory};
use crate::data::{Features, Label, Pile, class_counts};
use crate::error::Error;
use crate::model::{
    Architecture, Classifier, Linear, Moved, ProbabilityMap, Scaling, ScalingKind, Stored, TrainingSummary,
    Weights,
};
use crate::numerics::parallel::StayAwake;
use crate::prior::Prior;
use crate::protocol::{Collection, Mixture};
use crate::random::{ChaCha8Rng, Purpose, epoch_stream, stream};
use crate::risk::progressive::KeptRows;
use crate::risk::{Batch, Composition, Method, Setting, Side, ThresholdRule};

/// The state of a training run. All work space is allocated once.
pub(super) struct Run<'a> {
    pub(super) data: &'a Data<'a>,
    /// Only for the method that sees them.
    labels: Option<&'a [Label]>,
    pub(super) config: &'a Config,
    pub(super) parts: Parts<'a>,
    /// What is done now; the warm-up of the pair posterior is another method.
    pub(super) method: Composition,
    pub(super) mixture: Mixture,
    scaling: Scaling,
    model: Passing,
    pub(super) weights: Weights,
    pub(super) optimiser: Optimiser,
    /// A moving average of the weights, where the method or the prediction needs one.
    pub(super) teacher: Option<Teacher>,
    /// For methods with a table, where there are more than two piles.
    row_piles: Option<RowPiles>,
    /// For the method that infers labels.
    pub(super) posterior: Option<Posterior>,
    pub(super) best: Option<Best>,
    /// Where it stops when the weights have settled. A window that is full between epochs is one that has.
    pub(super) settling: Option<Settling>,
    /// Whether rank pruning selects sooner than the configuration says.
    pub(super) warmed_up_early: bool,
    /// Whether patience ran out, or the weights have settled.
    pub(super) stopped_early: bool,
    pub(super) epochs_done: usize,
    selection: Option<KeptRows>,
    /// What draws the moves of an epoch, where images are moved.
    moving: Option<ChaCha8Rng>,
    batches: Batches,
    work: Work,
}

impl<'a> Run<'a> {
    pub(super) fn start(data: &'a Data<'a>, config: &'a Config) -> Result<Self, Error> {
        data.piles.check(data.rows.len())?;
        if let Some(moves) = config.moves {
            moves.check(data.rows.width())?;
        }
        let labels = labels_for(data, config.method)?;
        let share = config.early_stop.map_or(0.0, |early_stop| early_stop.share);
        let mut rng = stream(config.seed, Purpose::HoldOut);
        let pairs_as_pairs = config.setting.protocol.collection() == Collection::ForcedChoice
            || config.method == Method::Likelihood;
        // What takes a pair as a pair learns from any pair; a pile must look as if its pairs had been drawn.
        let takes_chosen = config.method.needs_pairs() && pairs_as_pairs;
        let piles = if takes_chosen { data.piles } else { data.piles.as_if_drawn() };
        let parts = Parts::new(piles, data.rows.len(), share, &mut rng);
        check_hold_out(config, &parts, data.piles.are_paired())?;
        let batches = Batches::new(parts.piles(), config.batch_rows);
        let width = data.rows.width();
        memory::check(config.architecture.training_bytes(width, batches.largest())?)?;

        let sample_prior = labels.map(|labels| sample_prior(labels, &parts.trained)).transpose()?;
        let setting = Setting { sample_prior, ..config.setting };
        let infers = config.method == Method::PairPosterior;
        let posterior = infers
            .then(|| Posterior::new(&setting, &parts, config.replies.as_ref()))
            .transpose()?;
        let row_piles = if config.method.takes_piles() {
            RowPiles::new(&setting, &parts, config.replies.as_ref())?
        } else {
            None
        };
        let first = if infers { Method::Likelihood } else { config.method };
        let method = first.compose(&setting)?;
        let averages = method.has_teacher || infers || config.predictor == Predictor::Teacher;
        let kind = config.scaling.unwrap_or_else(|| ScalingKind::default_for(data.rows));
        let scaling = Scaling::fit(kind, data.rows, &[&parts.trained[0], &parts.trained[1]]);
        let mut rng = stream(config.seed, Purpose::Weights);
        let weights = config.architecture.initial_weights(width, &mut rng)?;
        let model = Passing::new(config.passes, &config.architecture, width, batches.largest())?;
        let parameters = weights.parameters.len();
        Ok(Self {
            data,
            labels,
            config,
            mixture: config.setting.protocol.mixture(config.setting.prior)?,
            optimiser: config.fresh_optimiser(parameters),
            teacher: averages.then(|| Teacher::new(&weights, config.teacher_smoothing)),
            row_piles,
            posterior,
            best: None,
            settling: config.settles.then(|| Settling::new(batches.count(), parameters)),
            warmed_up_early: false,
            stopped_early: false,
            epochs_done: 0,
            selection: None,
            moving: None,
            work: Work::new(parameters),
            parts,
            method,
            scaling,
            model,
            weights,
            batches,
        })
    }

    pub(super) fn is_done(&self) -> bool {
        self.stopped_early || self.epochs_done >= self.config.epochs
    }

    /// One pass over the comparisons, unless it is stopped between two mini-batches.
    pub(super) fn epoch(&mut self, stop: Option<&AtomicBool>) -> Result<EpochSummary, Error> {
        let epoch = self.epochs_done + 1;
        self.ramp_consistency(epoch)?;
        let phase = self.phase(epoch);
        let prunes = self.method.prunes && phase == Phase::Main;
        if prunes && self.config.pruning == PruningSchedule::EachEpoch {
            let [likelier, other] = self.pile_scores(&self.weights.clone(), false)?;
            let weights = self.parts.trained_weights.as_deref();
            self.selection
                .get_or_insert_default()
                .select(&self.mixture, &likelier, &other, weights);
        }
        let random = |purpose| epoch_stream(self.config.seed, purpose, epoch as u32);
        self.batches.reorder(&mut random(Purpose::Batches));
        self.moving = self.config.moves.map(|_| random(Purpose::Moves));

        // A small batch of a linear model is done before another thread could help.
        let shares = self.config.architecture != Architecture::Linear
            || Linear::shares(self.data.rows, &self.scaling, self.batches.largest());
        let _awake = shares.then(StayAwake::new);
        let mut total = Totals::default();
        for batch in 0..self.batches.count() {
            if stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                return Err(Error::Stopped { epoch: self.epochs_done });
            }
            let step = self.step(batch, prunes)?;
            let broken = |what| Error::Diverged { epoch, batch: batch + 1, what };
            if !step.evaluation.value.is_finite() {
                return Err(broken("risk"));
            }
            if !step.finite {
                return Err(broken("model"));
            }
            total.add(&step);
        }
        self.epochs_done = epoch;
        let held_out = self.judge(epoch, phase)?;
        Ok(total.summary(epoch, phase, held_out))
    }

    /// One mini-batch: scores, risk, gradient, optimiser, teacher.
    fn step(&mut self, batch: usize, prunes: bool) -> Result<Step, Error> {
        let positions = self.batches.positions(batch);
        let likelier = positions[0].len();
        self.work.choose(self.labels, &self.parts, positions);
        let Work {
            which,
            moves,
            weights,
            level_weights,
            scores,
            teacher_scores,
            selected,
            targets,
            coefficients,
            gradients,
            gradient,
        } = &mut self.work;
        let still = Stored::new(self.data.rows, &self.scaling, which);
        let rows = match (self.config.moves, &mut self.moving) {
            (Some(how), Some(rng)) => {
                how.draw(which.len(), rng, moves);
                Stored { moved: Some(Moved { image: how.image, by: moves }), ..still }
            }
            _ => still,
        };
        scores.resize(which.len(), 0.0);
        let has_teacher = self.method.has_teacher;
        if let Some(teacher) = self.teacher.as_mut().filter(|_| has_teacher) {
            teacher_scores.resize(which.len(), 0.0);
            self.model.forward(&mut teacher.weights, &still, likelier, teacher_scores)?;
        }
        self.model.forward(&mut self.weights, &rows, likelier, scores)?;

        let posterior = self.posterior.as_mut().filter(|posterior| !posterior.is_warming_up());
        let levelling = if level_weights.is_empty() { &*weights } else { &*level_weights };
        let level =
            posterior.map(|posterior| posterior.infer(positions[0], teacher_scores, levelling, targets));

        if prunes {
            selected.clear();
            let selection = self.selection.get_or_insert_default();
            if self.config.pruning == PruningSchedule::EachBatch {
                let weights = self.parts.trained_weights.is_some().then(|| &weights[..likelier]);
                selection.select(&self.mixture, &scores[..likelier], &scores[likelier..], weights);
                for pile in Pile::BOTH {
                    selected.extend(selection.kept(pile));
                }
            } else {
                for (pile, positions) in Pile::BOTH.into_iter().zip(positions) {
                    let kept = selection.kept(pile);
                    selected.extend(positions.iter().map(|at| kept[*at as usize]));
                }
            }
        }
        if let Some(row_piles) = &self.row_piles {
            row_piles.list(positions, coefficients);
        }
        let side = |range: std::ops::Range<usize>| Side {
            scores: &scores[range.clone()],
            weights: self.parts.trained_weights.is_some().then(|| &weights[range.clone()]),
            selected: prunes.then(|| &selected[range.clone()]),
            targets: (self.labels.is_some() || level.is_some()).then(|| &targets[range.clone()]),
            coefficients: self.row_piles.is_some().then(|| &coefficients[range.clone()]),
            teacher: (has_teacher && level.is_none()).then(|| &teacher_scores[range]),
        };
        let batch = Batch { likelier: side(0..likelier), other: side(likelier..scores.len()) };
        let evaluation = self.method.objective.evaluate(&batch, gradients)?;

        self.model.backward(&self.weights, &rows, likelier, gradients.all(), gradient)?;
        let finite = self.optimiser.step(&mut self.weights.parameters, gradient);
        if let Some(settling) = &mut self.settling {
            settling.add(&self.weights.parameters);
        }
        match &mut self.teacher {
            Some(teacher) if has_teacher => teacher.update(&self.weights.parameters),
            Some(teacher) => teacher.update_all(&self.weights),
            None => {}
        }
        let share = selected.iter().filter(|kept| **kept).count() as f64 / selected.len().max(1) as f64;
        Ok(Step { evaluation, selected: if prunes { share } else { 1.0 }, level, finite })
    }

    /// Which part of the training an epoch belongs to.
    fn phase(&self, epoch: usize) -> Phase {
        let warming_up = match &self.posterior {
            Some(posterior) => posterior.is_warming_up(),
            None => self.method.prunes && epoch <= self.config.warm_up_epochs && !self.warmed_up_early,
        };
        if warming_up { Phase::WarmUp } else { Phase::Main }
    }

    /// Composes the method anew while its consistency weight rises.
    fn ramp_consistency(&mut self, epoch: usize) -> Result<(), Error> {
        if self.config.method == Method::PcompTeacher && self.config.consistency_ramp_epochs > 0 {
            let full = &self.config.setting;
            let consistency_weight = full.consistency_weight * self.config.consistency_share(epoch);
            self.method = self.config.method.compose(&Setting { consistency_weight, ..*full })?;
        }
        Ok(())
    }

    /// Measures the criterion on what is held out, keeps the best epoch's weights, and ends a phase that improves no
    /// more or has settled.
    fn judge(&mut self, epoch: usize, phase: Phase) -> Result<Option<f64>, Error> {
        let settled = self.look_whether_settled(epoch);
        if let Some(settling) = self.settling.as_mut().filter(|settling| settling.is_full() && !settled) {
            settling.restart();
        }
        let mut value = None;
        let mut exhausted = false;
        if let Some(early_stop) = self.config.early_stop {
            let weights = self.predictor().clone();
            let measured = self.held_out_value(&weights, early_stop.criterion)?;
            if self.posterior.as_ref().is_none_or(Posterior::is_warming_up) {
                exhausted = Best::consider(&mut self.best, &early_stop, epoch, measured, &weights);
                if let Some(mean) = settled.then(|| self.settled_weights()).flatten() {
                    let measured = self.held_out_value(&mean, early_stop.criterion)?;
                    Best::consider(&mut self.best, &early_stop, epoch, measured, &mean);
                }
            }
            value = Some(measured);
        }
        match &self.posterior {
            None if phase == Phase::WarmUp => {
                self.warmed_up_early |= settled;
                self.stopped_early = exhausted;
            }
            None => self.stopped_early = exhausted || settled,
            Some(posterior) if !posterior.is_warming_up() => self.stopped_early = settled,
            Some(_) if exhausted || settled || epoch >= self.config.warm_up_epochs => self.end_warm_up()?,
            Some(_) => {}
        }
        // Another phase begins another window. What has settled for good stays as it is.
        let turned = phase != self.phase(epoch + 1);
        if let Some(settling) = self.settling.as_mut().filter(|_| turned && !self.stopped_early) {
            settling.restart();
        }
        Ok(value)
    }

    /// Whether a window ends with this epoch in which the weights went nowhere.
    fn look_whether_settled(&self, epoch: usize) -> bool {
        let is_whole =
            self.config.method != Method::PcompTeacher || epoch >= self.config.consistency_ramp_epochs;
        is_whole
            && self
                .settling
                .as_ref()
                .is_some_and(|settling| settling.has_settled(self.method.prunes))
    }

    /// The mean of the weights, where they have settled.
    pub(super) fn settled_weights(&self) -> Option<Weights> {
        let settling = self.settling.as_ref().filter(|settling| settling.is_full())?;
        Some(Weights { parameters: settling.mean(), buffers: self.weights.buffers.clone() })
    }

    pub(super) fn held_out_value(&mut self, weights: &Weights, criterion: Criterion) -> Result<f64, Error> {
        let [likelier, other] = self.pile_scores(weights, true)?;
        let of_pairs = self.parts.held_out_weights.as_deref();
        measure(criterion, &self.config.setting, &likelier, &other, of_pairs)
    }

    /// The weights that predict.
    pub(super) fn predictor(&self) -> &Weights {
        match (&self.teacher, self.config.predictor) {
            (Some(teacher), Predictor::Teacher) => &teacher.weights,
            _ => &self.weights,
        }
    }

    /// The mean of the weights where they have settled, else those that predict.
    pub(super) fn settled_or_last(&self) -> Weights {
        self.settled_weights().unwrap_or_else(|| self.predictor().clone())
    }

    pub(super) fn pile_scores(
        &mut self,
        weights: &Weights,
        held_out: bool,
    ) -> Result<[Vec<f32>; 2], Error> {
        let piles: [&[u32]; 2] = if held_out {
            self.parts.held_out.each_ref().map(|rows| &rows[..])
        } else {
            self.parts.trained.each_ref().map(|rows| &rows[..])
        };
        let mut scores = piles.map(|rows| vec![0.0; rows.len()]);
        for (which, scores) in piles.into_iter().zip(&mut scores) {
            let stored = Stored::new(self.data.rows, &self.scaling, which);
            self.model.score(weights, &stored, scores)?;
        }
        Ok(scores)
    }

    /// The classifier of the best epoch, where one is chosen, else of the last.
    pub(super) fn classifier(&mut self) -> Result<Classifier, Error> {
        if self.posterior.is_some() {
            return self.guarded_classifier();
        }
        let (weights, epoch, held_out) = match &self.best {
            Some(best) => (best.weights.clone(), best.epoch, Some(best.value)),
            None => (self.settled_or_last(), self.epochs_done, None),
        };
        self.classifier_with(weights, epoch, held_out, self.config.threshold)
    }

    pub(super) fn classifier_with(
        &mut self,
        weights: Weights,
        epoch: usize,
        held_out: Option<f64>,
        rule: Option<ThresholdRule>,
    ) -> Result<Classifier, Error> {
        // A scorer that was only warmed up has no level yet.
        let unlevelled = self.posterior.as_ref().is_some_and(|posterior| !posterior.has_inferred());
        let usual = if unlevelled { ThresholdRule::PriorQuantile } else { self.method.threshold };
        let threshold = match rule.unwrap_or(usual) {
            ThresholdRule::Zero => 0.0,
            ThresholdRule::PriorQuantile => {
                let [likelier, other] = self.pile_scores(&weights, false)?;
                let of_pairs = self.parts.population_weights();
                prior_quantile(&self.mixture, self.config.setting.prior, &likelier, &other, of_pairs)
            }
        };
        Ok(Classifier {
            architecture: self.config.architecture.clone(),
            weights,
            features: Features::numbered(self.data.rows.width()),
            scaling: self.scaling.clone(),
            threshold,
            method: self.config.method,
            setting: self.config.setting,
            probability: ProbabilityMap::plain(threshold),
            summary: TrainingSummary {
                comparisons: self.parts.answers[0],
                held_out_comparisons: self.parts.answers[1],
                epoch,
                held_out,
                seed: self.config.seed,
                fallback: None,
            },
            version: env!("CARGO_PKG_VERSION").to_owned(),
        })
    }
}

/// A training run between two epochs.
pub struct Progress<'p, 'a>(pub(super) &'p mut Run<'a>);

impl Progress<'_, '_> {
    /// Whether this was the last epoch.
    pub fn is_done(&self) -> bool {
        self.0.is_done()
    }

    /// The classifier as it stands, with its threshold.
    pub fn classifier(&mut self) -> Result<Classifier, Error> {
        self.classifier_cut_at(self.0.config.threshold)
    }

    /// The same with another threshold rule; the method's default if absent. Training does not look at
    /// it, so one run serves them all.
    pub fn classifier_cut_at(&mut self, rule: Option<ThresholdRule>) -> Result<Classifier, Error> {
        let weights = self.0.settled_or_last();
        let epoch = self.0.epochs_done;
        self.0.classifier_with(weights, epoch, None, rule)
    }
}

/// Refuses a hold-out that nothing could be measured on.
fn check_hold_out(config: &Config, parts: &Parts, paired: bool) -> Result<(), Error> {
    let Some(early_stop) = config.early_stop else { return Ok(()) };
    if early_stop.criterion == Criterion::Orientation && !paired {
        return Err(Error::NotPaired { method: "the orientation criterion" });
    }
    if parts.held_out.iter().any(Vec::is_empty) {
        return Err(Error::Setting {
            name: "the held-out share",
            value: early_stop.share.to_string(),
            allowed: "large enough to hold out at least one comparison",
        });
    }
    Ok(())
}

/// The labels, if the method is the one that sees them.
fn labels_for<'a>(data: &Data<'a>, method: Method) -> Result<Option<&'a [Label]>, Error> {
    if method.needs_pairs() && !data.piles.are_paired() {
        return Err(Error::NotPaired { method: method.name() });
    }
    if method != Method::Supervised {
        return Ok(None);
    }
    let labels = data.labels.ok_or(Error::NeedsLabels)?;
    if labels.len() != data.rows.len() {
        return Err(Error::mismatch("labels", labels.len(), "items", data.rows.len()));
    }
    Ok(Some(labels))
}

/// The share of positives among the rows that a supervised method is trained on.
fn sample_prior(labels: &[Label], trained: &[Cow<'_, [u32]>; 2]) -> Result<Prior, Error> {
    let [positive, negative] = class_counts(labels, &[&trained[0][..], &trained[1]].concat())?;
    for (class, available) in [(Label::Positive, positive), (Label::Negative, negative)] {
        if available == 0 {
            return Err(Error::TooFewOfClass { class, needed: 1, available });
        }
    }
    Prior::new(positive as f64 / (positive + negative) as f64)
}
