//! The course of a fit over shards: scale, warm up, infer, cut.

use serde::{Deserialize, Serialize};

use super::ask::counted::{ANSWERS, BYTES, CELLS, COMPARISONS, SPARSE, WEIGHT, WIDTH, ZEROS};
use super::ask::{Ask, At, Sums};
use super::minimise::minimise;
use crate::data::Features;
use crate::error::Error;
use crate::executor::Executor;
use crate::model::{
    Architecture, Classifier, ProbabilityMap, Scaling, ScalingKind, TrainingSummary, Weights,
};
use crate::prior::Prior;
use crate::protocol::Protocol;
use crate::risk::{Method, PairPosterior, Setting};
use crate::train::{Config, Fallback};

/// Steps of the warm-up.
const WARM_UP: usize = 100;
/// Rounds of inferring labels and fitting them.
const ROUNDS: usize = 100;
/// Steps of a fit in a round. The next round changes the labels, so there is no use in more.
const STEPS_IN_A_ROUND: usize = 5;
/// Rounds end when no weight moves by more than this share of the largest.
const SETTLED: f64 = 1e-4;

/// What is believed, and how to fit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShardOptions {
    /// The share of positives in the population.
    pub prior: Prior,
    /// How the pairs were collected.
    #[serde(flatten)]
    pub protocol: Protocol,
    /// How strongly weights are drawn to 0; as recommended if absent.
    pub weight_decay: Option<f64>,
}

impl ShardOptions {
    /// A prior and a protocol, and all else as recommended.
    pub fn new(prior: Prior, protocol: Protocol) -> Self {
        Self { prior, protocol, weight_decay: None }
    }
}

/// Fits a linear model to the comparisons of all shards.
pub fn fit_shards(
    shards: &(impl Executor<Ask, Done = Sums> + ?Sized),
    options: &ShardOptions,
) -> Result<Classifier, Error> {
    fit_shards_with(shards, options, &mut |_, _| ())
}

/// The same, with news: how many of at most how many rounds are done, the warm-up being the first.
pub fn fit_shards_with(
    shards: &(impl Executor<Ask, Done = Sums> + ?Sized),
    options: &ShardOptions,
    observe: &mut dyn FnMut(usize, usize),
) -> Result<Classifier, Error> {
    let course = Course::start(shards, options)?;
    let warmed_up = course.warm_up()?;
    observe(1, ROUNDS + 1);
    let mut weights = warmed_up.clone();
    let mut rounds = 0;
    while rounds < ROUNDS {
        let next = course.round(&weights)?;
        rounds += 1;
        observe(rounds + 1, ROUNDS + 1);
        let moved = farthest(weights.iter().zip(&next).map(|(was, is)| is - was));
        let settled = moved <= SETTLED * farthest(next.iter().copied());
        weights = next;
        if settled {
            break;
        }
    }
    course.guarded((&weights, rounds + 1), &warmed_up)
}

/// What does not change any more once training has begun.
struct Course<'a, E: ?Sized> {
    shards: &'a E,
    options: &'a ShardOptions,
    step: PairPosterior,
    width: usize,
    answers: usize,
    /// Of all comparisons.
    weight: f64,
    scaling: Scaling,
    weight_decay: f64,
}

impl<'a, E: Executor<Ask, Done = Sums> + ?Sized> Course<'a, E> {
    fn start(shards: &'a E, options: &'a ShardOptions) -> Result<Self, Error> {
        let step = PairPosterior::new(options.prior, options.protocol)?;
        let each = shards.run(&Ask::Counts)?;
        let Some(first) = each.first() else {
            return Err(Error::Setting {
                name: "the number of shards",
                value: "0".into(),
                allowed: "at least 1",
            });
        };
        for other in &each {
            if other[WIDTH] != first[WIDTH] {
                let (one, two) = (first[WIDTH] as usize, other[WIDTH] as usize);
                return Err(Error::mismatch(
                    "features of the first shard",
                    one,
                    "features of another",
                    two,
                ));
            }
        }
        let width = first[WIDTH] as usize;
        let all = Ask::Counts.combine(&each);
        if all[WEIGHT] <= 0.0 {
            return Err(Error::Setting {
                name: "the weight of a comparison",
                value: "0 everywhere".into(),
                allowed: "above 0 for at least one",
            });
        }
        let kind = if all[BYTES] > 0.0 {
            ScalingKind::Byte
        } else if all[SPARSE] > 0.0 || 10.0 * all[ZEROS] >= 9.0 * all[CELLS] {
            ScalingKind::LargestAbsolute
        } else {
            ScalingKind::Standardise
        };
        let ask = |ask: Ask| Ok::<_, Error>(ask.combine(&shards.run(&ask)?));
        let items = 2.0 * all[COMPARISONS];
        let (offset, spread) = match kind {
            ScalingKind::Standardise => {
                let means: Vec<f64> = ask(Ask::Sums)?.iter().map(|sum| sum / items).collect();
                let squares = ask(Ask::Squares { means: means.clone() })?;
                (means, squares.iter().map(|sum| (sum / items).sqrt()).collect())
            }
            ScalingKind::LargestAbsolute => (vec![0.0; width], ask(Ask::Largest)?),
            _ => (vec![0.0; width], vec![255.0; width]),
        };
        let scaling = Scaling::of_spread(kind, &offset, &spread);
        let weight_decay = if let Some(stated) = options.weight_decay {
            let config = Config {
                weight_decay: stated,
                ..Config::new(Method::PairPosterior, options.prior, options.protocol)
            };
            config.check()?;
            stated
        } else {
            let spread = ask(Ask::Spread { scaling: (&scaling).into() })?;
            let variance = |sums: &[f64]| (sums[1] / items - (sums[0] / items).powi(2)).max(0.0);
            let variance = spread.chunks_exact(2).map(variance).sum();
            Config::shrinkage(Method::PairPosterior, variance, all[ANSWERS])
        };
        Ok(Self {
            shards,
            options,
            step,
            width,
            answers: all[ANSWERS] as usize,
            weight: all[WEIGHT],
            scaling,
            weight_decay,
        })
    }

    fn ask(&self, ask: &Ask) -> Result<Sums, Error> {
        Ok(ask.combine(&self.shards.run(ask)?))
    }

    fn at(&self, weights: &[f64]) -> At {
        At { scaling: (&self.scaling).into(), weights: rounded(weights) }
    }

    /// A mean risk with weight decay, and its gradient, from the sums that an ask gives.
    fn risk(&self, weights: &[f64], ask: &Ask) -> Result<(f64, Vec<f64>), Error> {
        let sums = self.ask(ask)?;
        let (Some((value, rest)), Some(size)) = (sums.split_first(), sums.last()) else {
            return Err(Error::mismatch("sums of a shard", sums.len(), "weights and two", self.width + 3));
        };
        let decay = 0.5 * self.weight_decay * weights.iter().map(|weight| weight * weight).sum::<f64>();
        let slopes = rest.iter().zip(weights);
        let gradient = slopes
            .map(|(slope, weight)| slope / size + self.weight_decay * weight)
            .collect();
        let value = value / size + decay;
        if !value.is_finite() {
            return Err(Error::Diverged { epoch: 0, batch: 0, what: "risk" });
        }
        Ok((value, gradient))
    }

    /// The orientation likelihood alone, which ranks and has no level yet.
    fn warm_up(&self) -> Result<Vec<f64>, Error> {
        let protocol = self.options.protocol;
        let found = minimise(vec![0.0; self.width + 1], WARM_UP, |weights| {
            self.risk(weights, &Ask::Orientation { at: self.at(weights), protocol })
        })?;
        Ok(found.place)
    }

    /// Infers both labels of each comparison, and fits them for some steps.
    fn round(&self, teacher: &[f64]) -> Result<Vec<f64>, Error> {
        let level = self.level(teacher)?;
        let ShardOptions { prior, protocol, .. } = *self.options;
        let found = minimise(teacher.to_vec(), STEPS_IN_A_ROUND, |weights| {
            let (at, teacher) = (self.at(weights), rounded(teacher));
            self.risk(weights, &Ask::Posterior { at, teacher, level, prior, protocol })
        })?;
        Ok(found.place)
    }

    /// What holds the scores of these weights to the prior.
    fn level(&self, weights: &[f64]) -> Result<f64, Error> {
        let mean = |level: f64| {
            let ask = Ask::Probability { at: self.at(weights), shift: self.step.shift() + level };
            let sums = self.ask(&ask)?;
            Ok::<_, Error>(([sums[0] / sums[2], sums[1] / sums[2]], sums[3]))
        };
        let (first, farthest) = mean(0.0)?;
        self.step.level_by(2.0 * self.weight, farthest, |level| {
            let [mean, slope] = if level == 0.0 { first } else { mean(level)?.0 };
            Ok((mean, slope))
        })
    }

    /// The classifier of these weights; or that of the warm-up, with the reason, where they call far too many or too
    /// few of the compared items positive.
    fn guarded(&self, (weights, round): (&[f64], usize), warmed_up: &[f64]) -> Result<Classifier, Error> {
        let cuts_at_the_prior = Config::cuts_at_the_prior(Method::PairPosterior, self.answers);
        let threshold = if cuts_at_the_prior { self.prior_quantile(weights)? } else { 0.0 };
        let above = self.ask(&Ask::Above { at: self.at(weights), cut: threshold })?;
        let share = (above[0] + above[1]) / (2.0 * above[2]);
        let Some(reason) = Fallback::if_one_class(share, self.step.pooled()) else {
            return Ok(self.classifier(weights, threshold, round, None));
        };
        let threshold = self.prior_quantile(warmed_up)?;
        Ok(self.classifier(warmed_up, threshold, 1, Some(reason)))
    }

    fn classifier(
        &self,
        weights: &[f64],
        threshold: f32,
        round: usize,
        fallback: Option<Fallback>,
    ) -> Classifier {
        Classifier {
            architecture: Architecture::Linear,
            weights: Weights { parameters: rounded(weights), buffers: Vec::new() },
            features: Features::numbered(self.width),
            scaling: self.scaling.clone(),
            threshold,
            method: Method::PairPosterior,
            setting: Setting::new(self.options.prior, self.options.protocol),
            probability: ProbabilityMap::plain(threshold),
            summary: TrainingSummary {
                comparisons: self.answers,
                held_out_comparisons: 0,
                epoch: round,
                held_out: None,
                seed: 0,
                fallback,
            },
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }

    /// The threshold above which the population's share is closest to π, by halving the range of scores
    /// ([`prior_quantile`](crate::train::prior_quantile) has all scores at hand).
    fn prior_quantile(&self, weights: &[f64]) -> Result<f32, Error> {
        let prior = self.options.prior;
        let [a, b] = self.options.protocol.mixture(prior)?.population_weights(prior);
        let at = self.at(weights);
        let look = |cut: f32| {
            let sums = self.ask(&Ask::Above { at: at.clone(), cut })?;
            let share = (a * sums[0] + b * sums[1]) / sums[2];
            // The lowest score above the cut and the highest that is not.
            Ok::<_, Error>((share, -sums[3], sums[4]))
        };
        // Cuts between which the share falls below π, as places in the order of all numbers.
        let (mut low, mut high) = (place(f32::MIN), place(f32::MAX));
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            let (share, above, below) = look(number(middle))?;
            if share >= prior.positive() {
                // The cut may as well lie just below the next score above it.
                low = place((above as f32).next_down()).max(middle).min(high - 1);
            } else {
                high = place(below as f32).min(middle).max(low + 1);
            }
        }
        let mut best: Option<(f64, f32)> = None;
        for cut in [number(high), number(low)] {
            let (share, above, below) = look(cut)?;
            if above.is_finite() {
                let (above, below) = (above as f32, below as f32);
                let below = if below.is_finite() { below } else { above.next_down() };
                let middle = below + (above - below) / 2.0;
                let cut = if middle < above { middle } else { below };
                let distance = (share - prior.positive()).abs();
                if best.is_none_or(|(least, _)| distance < least) {
                    best = Some((distance, cut));
                }
            } else if best.is_none_or(|(least, _)| prior.positive() < least) {
                best = Some((prior.positive(), below as f32));
            }
        }
        Ok(best.map_or(0.0, |(_, cut)| cut))
    }
}

fn rounded(weights: &[f64]) -> Vec<f32> {
    weights.iter().map(|weight| *weight as f32).collect()
}

fn farthest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, |far, value| value.abs().max(far))
}

/// The place of a number in the order of all numbers.
fn place(value: f32) -> i64 {
    let bits = i64::from(value.to_bits() & 0x7fff_ffff);
    if value.is_sign_negative() { -bits } else { bits }
}

/// The number at a place.
fn number(place: i64) -> f32 {
    let magnitude = f32::from_bits(u32::try_from(place.unsigned_abs()).unwrap_or(0));
    if place < 0 { -magnitude } else { magnitude }
}
