//! What is trained on, and what is judged by.
//!
//! A classifier is judged by items that it was not trained on (docs/trust.md): a held-out comparison between
//! items whose other comparisons were trained on would show how well it knows *these* items. Either K models
//! each leave out one fold of the items, and the classifier is trained on everything; or some items are held out
//! with every comparison that touches one of them, and the classifier is trained on the rest.
//!
//! Judging needs no more than what each pile looks like, so every occurrence of a held-out item counts, also
//! where its partner was trained on. Where a comparison has one item of each kind, the *other* item's score tells
//! how well the items at hand are known: the comparison was not trained on, the item was.

use super::assessment::{JudgedBy, Scored};
use super::{Event, FitOptions, Observer};
use crate::data::{Comparisons, ItemRule, Label, Pile, Piles, Reach, Rows, hold_out_items, items_recur};
use crate::error::Error;
use crate::estimate::Folds;
use crate::model::Classifier;
use crate::random::{Purpose, Rng, stream};
use crate::risk::{Method, PairPosterior, Setting};
use crate::supervision::{Evidence, Supervision};
use crate::train::{Config, Control, Data, train_with};
use crate::trial::models_of_folds;

/// The parts that answers, or piles, are divided into.
pub(super) struct Division {
    /// None where piles are trained on.
    pub(super) trained: Option<Comparisons>,
    judging: Judging,
}

enum Judging {
    /// By nothing.
    Nothing,
    /// By one model for each fold of the items.
    Folds(Folds, u64),
    /// By comparisons that were not trained on, of which these sides are held-out items.
    HeldOut { comparisons: Comparisons, out: [Vec<bool>; 2] },
}

/// Scores that a classifier is judged by.
pub(super) struct Held {
    /// Of items that a model was not trained on.
    pub(super) new_items: Scored,
    /// Of items that it was trained on, in comparisons that it was not.
    pub(super) these_items: Option<Scored>,
    /// The margins of labelled items that were never compared, by models that did not know their labels.
    uncompared: Vec<(u32, f32)>,
}

impl Held {
    /// Where the classifier calls as large a share of the same items positive as the models of the folds do above a
    /// threshold. They were trained on less, so their scores may be less far apart: theirs are stretched about the
    /// classifier's own threshold so that both cuts are one.
    pub(super) fn aligned(
        &mut self,
        classifier: &Classifier,
        rows: &Rows,
        threshold: f32,
    ) -> Result<f32, Error> {
        if !matches!(self.new_items.by, JudgedBy::Folds(_)) {
            return Ok(threshold);
        }
        let of_folds: Vec<f32> = self.new_items.scores.concat();
        let above = of_folds.iter().filter(|score| **score > threshold).count();
        let score = |pile| classifier.scores_of(rows, self.new_items.comparisons.piles().rows(pile));
        let mut own = [score(Pile::Likelier)?, score(Pile::Other)?].concat();
        own.sort_unstable_by(|a, b| b.total_cmp(a));
        let moved = match (own.get(above.wrapping_sub(1)), own.get(above)) {
            (Some(last), Some(next)) if next < last => (next + 0.5 * (last - next)).min(last.next_down()),
            (_, Some(next)) => *next,
            _ => threshold,
        };
        let centre = classifier.threshold();
        let ratio = (moved - centre) / (threshold - centre);
        let align = |score: &mut f32| {
            *score = if (0.2..5.0).contains(&ratio) {
                // What lay above the one cut lies above the other, in spite of rounding.
                let stretched = centre + (*score - centre) * ratio;
                if *score > threshold { stretched.max(moved.next_up()) } else { stretched.min(moved) }
            } else {
                *score + (moved - threshold)
            }
        };
        for scored in [Some(&mut self.new_items), self.these_items.as_mut()].into_iter().flatten() {
            scored.scores.iter_mut().flatten().for_each(align);
        }
        Ok(moved)
    }

    /// The margin of each item by a model that was not trained on it; none of items that were trained on.
    pub(super) fn margins(
        &self,
        classifier: &Classifier,
        rows: &Rows,
        all: &Comparisons,
    ) -> Result<Vec<Option<f32>>, Error> {
        let mut margins: Vec<Option<f32>> = vec![None; rows.len()];
        let compared = compared(all, rows.len());
        let Scored { comparisons, scores, counted, .. } = &self.new_items;
        for (at, (a, b)) in comparisons.iter().enumerate() {
            for (pile, item) in [a, b].into_iter().enumerate() {
                if counted.as_ref().is_none_or(|counted| counted[pile][at]) {
                    margins[item as usize] = Some(scores[pile][at] - classifier.threshold());
                }
            }
        }
        let never: Vec<u32> = (0..rows.len() as u32).filter(|row| !compared[*row as usize]).collect();
        for (item, score) in never.iter().zip(classifier.scores_of(rows, &never)?) {
            margins[*item as usize] = Some(score - classifier.threshold());
        }
        for (item, margin) in &self.uncompared {
            margins[*item as usize] = Some(*margin);
        }
        Ok(margins)
    }
}

impl Division {
    pub(super) fn of(rows: &Rows, supervision: &Supervision, options: &FitOptions) -> Result<Self, Error> {
        let whole = || Self { trained: supervision.comparisons(), judging: Judging::Nothing };
        let Some(answers) = supervision.answers() else { return Ok(whole()) };
        let all = answers.comparisons();
        let labels_train = supervision.training_labels().is_some();
        // Many answers about few items say no more about new items than the items are many.
        let items = compared(&all, rows.len()).into_iter().filter(|compared| *compared).count();
        let independent = items.min(all.answers());
        if let Some(count) = options.judged_in_folds(independent, labels_train) {
            return Ok(match Folds::new(&all, rows.len(), count, options.seed) {
                Ok(folds) => Self { trained: Some(all), judging: Judging::Folds(folds, options.seed) },
                // What is too little to be judged can still be trained on.
                Err(Error::Setting { .. }) if options.folds.is_none() => whole(),
                Err(error) => return Err(error),
            });
        }
        all.piles().check(rows.len())?;
        let rng = &mut stream(options.seed, Purpose::HoldOut);
        let share = options.held_out_share(independent);
        let Some(out) = items_to_judge_by(&all, rows.len(), share, rng) else {
            return Ok(whole());
        };
        let touched = |(likelier, other): (u32, u32)| out[likelier as usize] || out[other as usize];
        let groups = all.groups();
        let mut judged = vec![false; all.answers()];
        for (at, pair) in all.iter().enumerate() {
            judged[groups.of(at)] = touched(pair);
        }
        let comparisons = all.part(|answer| judged[answer]);
        let (likelier, other) = comparisons.iter().map(|(a, b)| (out[a as usize], out[b as usize])).unzip();
        Ok(Self {
            trained: Some(all.part(|answer| !judged[answer])),
            judging: Judging::HeldOut { comparisons, out: [likelier, other] },
        })
    }

    pub(super) fn piles<'a>(&'a self, supervision: &'a Supervision) -> Piles<'a> {
        match (&self.trained, supervision.evidence()) {
            (Some(trained), _) => trained.piles(),
            (None, Evidence::Piles(piles)) => piles.piles(),
            (None, Evidence::Answers(_)) => Piles::loose(&[], &[]),
        }
    }

    /// Whether anything is there to judge by.
    pub(super) fn judges(&self) -> bool {
        !matches!(self.judging, Judging::Nothing)
    }

    /// The scores to judge a classifier by while it is trained; none where other models are judged in its place.
    pub(super) fn watched(&self, classifier: &Classifier, rows: &Rows) -> Result<Option<Scored>, Error> {
        let Judging::HeldOut { comparisons, out } = &self.judging else { return Ok(None) };
        let scored = Scored::of(classifier, rows, comparisons.clone())?;
        Ok(Some(Scored { counted: whole_or(out.clone()), by: JudgedBy::HeldOut, ..scored }))
    }

    /// The comparisons to train a method on: with labels, where it can use them and they still can judge it. With
    /// folds, each is judged by a model that does not know it; a network would have none left to be judged by.
    pub(super) fn labelled(
        &self,
        supervision: &Supervision,
        config: &Config,
    ) -> Result<Option<Comparisons>, Error> {
        let (Some(trained), Some(labels)) = (&self.trained, supervision.training_labels()) else {
            return Ok(None);
        };
        if matches!(self.judging, Judging::HeldOut { .. }) {
            return Ok(None);
        }
        with_labels(trained, labels, config)
    }

    /// Asks whoever runs trials for the models of the folds now, so that nothing else is trained until they are there.
    pub(super) fn ask_ahead(
        &self,
        rows: &Rows,
        supervision: &Supervision,
        configure: &dyn Fn(&Data<'_>) -> Config,
        control: &Control<'_>,
    ) -> Result<(), Error> {
        let (Judging::Folds(folds, seed), Some(all)) = (&self.judging, &self.trained) else {
            return Ok(());
        };
        match of_folds_elsewhere((folds, *seed), all, rows, supervision, configure, control) {
            Err(stopped @ Error::Stopped { .. }) => Err(stopped),
            // What else is wrong is said when the models are needed.
            _ => Ok(()),
        }
    }

    /// The scores to judge a classifier by. `configure` says how a fold's model is trained.
    pub(super) fn held(
        &self,
        classifier: &Classifier,
        rows: &Rows,
        supervision: &Supervision,
        configure: &dyn Fn(&Data<'_>) -> Config,
        control: &Control<'_>,
        observe: &mut Observer<'_>,
    ) -> Result<Option<Held>, Error> {
        match (&self.judging, &self.trained) {
            (Judging::HeldOut { out, .. }, _) => {
                let Some(new_items) = self.watched(classifier, rows)? else { return Ok(None) };
                let known = out.each_ref().map(|out| out.iter().map(|out| !out).collect::<Vec<bool>>());
                let these_items = known.iter().any(|known| known.contains(&true));
                let these_items = these_items.then(|| Scored { counted: Some(known), ..new_items.clone() });
                Ok(Some(Held { new_items, these_items, uncompared: Vec::new() }))
            }
            (Judging::Folds(folds, seed), Some(all)) => {
                let folds_of = (folds, *seed);
                let scores =
                    FoldScores::new(folds_of, all, rows, supervision, configure, control, observe)?;
                Ok(Some(scores.held(all, classifier.threshold(), folds.count())))
            }
            _ => Ok(None),
        }
    }
}

/// Comparisons with the labels of some items; none where the method cannot use them.
fn with_labels(
    comparisons: &Comparisons,
    labels: &[Option<Label>],
    config: &Config,
) -> Result<Option<Comparisons>, Error> {
    if config.method != Method::PairPosterior && !config.method.takes_piles() {
        return Ok(None);
    }
    let Setting { prior, protocol, .. } = config.setting;
    Ok(Some(comparisons.with_labels(labels, PairPosterior::new(prior, protocol)?.pooled())))
}

/// Which items occur in a comparison.
fn compared(comparisons: &Comparisons, items: usize) -> Vec<bool> {
    let mut compared = vec![false; items];
    for item in comparisons.iter().flat_map(|(likelier, other)| [likelier, other]) {
        // An item that is not there is refused by whoever trains on it.
        if let Some(compared) = compared.get_mut(item as usize) {
            *compared = true;
        }
    }
    compared
}

/// Sides that all count need not be listed.
fn whole_or(counted: [Vec<bool>; 2]) -> Option<[Vec<bool>; 2]> {
    let all = counted.iter().all(|counted| counted.iter().all(|counts| *counts));
    (!all).then_some(counted)
}

/// The labels of some items, and the fold whose model must not know each.
struct FoldLabels<'a> {
    labels: &'a [Option<Label>],
    fold: Vec<usize>,
}

impl<'a> FoldLabels<'a> {
    /// Items that were never compared have no fold yet, and take the folds in turns.
    fn new(labels: &'a [Option<Label>], folds: &Folds) -> Self {
        let mut turn = 0;
        let fold = labels.iter().enumerate().map(|(item, label)| {
            folds.of_item(item as u32).unwrap_or_else(|| {
                turn += usize::from(label.is_some());
                turn % folds.count()
            })
        });
        Self { fold: fold.collect(), labels }
    }

    /// Those that the model of a fold may know.
    fn outside(&self, fold: usize) -> Vec<Option<Label>> {
        let known = self.labels.iter().zip(&self.fold);
        known.map(|(label, of)| label.filter(|_| *of != fold)).collect()
    }

    /// Labelled items of a fold that were never compared.
    fn uncompared(&self, folds: &Folds, fold: usize) -> Vec<u32> {
        let is_one = |item: &u32| {
            self.labels[*item as usize].is_some()
                && self.fold[*item as usize] == fold
                && folds.of_item(*item).is_none()
        };
        (0..self.labels.len() as u32).filter(is_one).collect()
    }
}

/// What the models of the folds make of the comparisons, counted from their thresholds.
struct FoldScores {
    /// Of both items, each by the model that was not trained on it.
    new_items: [Vec<f32>; 2],
    /// Of the items of comparisons across folds, each by the model of its partner's fold.
    these_items: [Vec<f32>; 2],
    across: Vec<bool>,
    /// How far apart the two items of a comparison are by a model that was trained on it, on average.
    trained_gap: f64,
    /// Labelled items that were never compared.
    uncompared: Vec<(u32, f32)>,
}

impl FoldScores {
    fn new(
        (folds, seed): (&Folds, u64),
        all: &Comparisons,
        rows: &Rows,
        supervision: &Supervision,
        configure: &dyn Fn(&Data<'_>) -> Config,
        control: &Control<'_>,
        observe: &mut Observer<'_>,
    ) -> Result<Self, Error> {
        let labels = supervision.training_labels().map(|labels| FoldLabels::new(labels, folds));
        let sides = folds.of_sides(all);
        let across: Vec<bool> = sides[0].iter().zip(&sides[1]).map(|(one, two)| one != two).collect();
        let empty = || [vec![0.0; all.len()], vec![0.0; all.len()]];
        let mut scores = Self {
            new_items: empty(),
            these_items: empty(),
            across,
            trained_gap: 0.0,
            uncompared: Vec::new(),
        };
        let elsewhere = of_folds_elsewhere((folds, seed), all, rows, supervision, configure, control)?;
        for fold in 0..folds.count() {
            let others = folds.others(all, fold);
            let data = Data { rows, piles: others.piles(), labels: None };
            let config = configure(&data);
            let labelled = match &labels {
                Some(labels) => with_labels(&others, &labels.outside(fold), &config)?,
                None => None,
            };
            let data = Data { piles: labelled.as_ref().unwrap_or(&others).piles(), ..data };
            let model = if let Some(models) = &elsewhere {
                models[fold].clone()
            } else {
                let outcome = train_with(&data, &config, control, |summary, _| {
                    let epochs = config.epochs;
                    observe(Event::Judging {
                        fold: fold + 1,
                        folds: folds.count(),
                        epoch: summary.epoch,
                        epochs,
                    });
                    Ok(())
                })?;
                outcome.finished()?
            };
            let margin = of_items(&model, rows, all)?;
            if let Some(labels) = &labels {
                let items = labels.uncompared(folds, fold);
                let found = model.scores_of(rows, &items)?;
                let margins = found.iter().map(|score| score - model.threshold());
                scores.uncompared.extend(items.iter().copied().zip(margins));
            }
            let trained_gap = mean_gap(&others, |_, (likelier, other)| {
                f64::from(margin[likelier as usize]) - f64::from(margin[other as usize])
            });
            scores.trained_gap += trained_gap / folds.count() as f64;
            for (at, (likelier, other)) in all.iter().enumerate() {
                for (pile, item) in [likelier, other].into_iter().enumerate() {
                    if sides[pile][at] as usize == fold {
                        scores.new_items[pile][at] = margin[item as usize];
                    } else if sides[1 - pile][at] as usize == fold {
                        scores.these_items[pile][at] = margin[item as usize];
                    }
                }
            }
        }
        Ok(scores)
    }

    /// How much of what the models know is true of the items that they were trained on and of no others, from 0 to
    /// 1: they tell these apart, and others less. With r as the ratio of the two gaps, 1 − r² is what simulations ask
    /// for; it is 1 where nothing was learnt, and 0 where new items are known as well.
    fn learnt_by_heart(&self, all: &Comparisons) -> f64 {
        let [likelier, other] = &self.new_items;
        let new_gap = mean_gap(all, |at, _| f64::from(likelier[at]) - f64::from(other[at]));
        if self.trained_gap > 0.0 {
            1.0 - (new_gap / self.trained_gap).clamp(0.0, 1.0).powi(2)
        } else {
            1.0
        }
    }

    /// As scores of one classifier with this threshold.
    fn held(self, all: &Comparisons, threshold: f32, folds: usize) -> Held {
        let by = JudgedBy::Folds(folds);
        let learnt_by_heart = self.learnt_by_heart(all);
        let at_threshold = |scores: [Vec<f32>; 2]| {
            scores.map(|pile| pile.iter().map(|margin| margin + threshold).collect())
        };
        let groups = all.groups();
        let mut crossing = vec![false; all.answers()];
        for (at, across) in self.across.iter().enumerate() {
            crossing[groups.of(at)] = *across;
        }
        let scored = |comparisons: Comparisons, scores| Scored {
            comparisons,
            scores,
            counted: None,
            by,
            learnt_by_heart,
        };
        let these_items = self.across.contains(&true).then(|| {
            let kept = self.these_items.map(|pile| {
                let pairs = pile.into_iter().zip(&self.across);
                pairs.filter(|(_, across)| **across).map(|(margin, _)| margin).collect()
            });
            scored(all.part(|answer| crossing[answer]), at_threshold(kept))
        });
        let new_items = scored(all.clone(), at_threshold(self.new_items));
        Held { new_items, these_items, uncompared: self.uncompared }
    }
}

/// The models of the folds, by whoever runs trials; nothing if they are trained here.
fn of_folds_elsewhere(
    (folds, seed): (&Folds, u64),
    all: &Comparisons,
    rows: &Rows,
    supervision: &Supervision,
    configure: &dyn Fn(&Data<'_>) -> Config,
    control: &Control<'_>,
) -> Result<Option<Vec<Classifier>>, Error> {
    // Labels are not sent.
    if control.executor.is_none() || supervision.training_labels().is_some() {
        return Ok(None);
    }
    let config = |fold| {
        let others = folds.others(all, fold);
        configure(&Data { rows, piles: others.piles(), labels: None })
    };
    let configs = (0..folds.count()).map(config).collect();
    models_of_folds("judging", all, (folds, seed), configs, control)
}

/// The margin of every item that was compared; 0 elsewhere.
fn of_items(model: &Classifier, rows: &Rows, all: &Comparisons) -> Result<Vec<f32>, Error> {
    let mut items: Vec<u32> = all.iter().flat_map(|(likelier, other)| [likelier, other]).collect();
    items.sort_unstable();
    items.dedup();
    let mut margins = vec![0.0; rows.len()];
    for (item, score) in items.iter().zip(model.scores_of(rows, &items)?) {
        margins[*item as usize] = score - model.threshold();
    }
    Ok(margins)
}

/// The mean of something over comparisons, each by its weight.
fn mean_gap(comparisons: &Comparisons, of: impl Fn(usize, (u32, u32)) -> f64) -> f64 {
    let weight = |at: usize| comparisons.judging_weights().map_or(1.0, |weights| f64::from(weights[at]));
    let (mut sum, mut total) = (0.0, 0.0);
    for (at, pair) in comparisons.iter().enumerate() {
        sum += weight(at) * of(at, pair);
        total += weight(at);
    }
    sum / total
}

/// So many items are held out where they recur, so that there is something to say about them …
const ITEMS_TO_JUDGE_BY: usize = 60;
/// … unless that would take more than this share of the answers from the training.
const MOST_TOUCHED: f64 = 0.4;

/// Which items to hold out, so that about a share of the answers touches one of them; none if that is no answer.
fn items_to_judge_by(all: &Comparisons, items: usize, share: f64, rng: &mut impl Rng) -> Option<Vec<bool>> {
    if share == 0.0 {
        return None;
    }
    let recur = items_recur(all.piles(), items);
    let rule = ItemRule {
        share,
        counted: Reach::AnyItem,
        fewest_items: if recur { ITEMS_TO_JUDGE_BY } else { 0 },
        most_touched: if recur { share.max(MOST_TOUCHED) } else { 1.0 },
    };
    let out = hold_out_items(all.piles(), items, &rule, rng);
    out.contains(&true).then_some(out)
}
