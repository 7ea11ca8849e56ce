//! What other priors would have given.

use serde::Serialize;

use super::division::Division;
use super::{BelievedPrior, Event, Grounds, LEVEL, Observer};
use crate::error::Error;
use crate::estimate::Interval;
use crate::model::Classifier;
use crate::prior::Prior;
use crate::risk::Setting;
use crate::supervision::Supervision;
use crate::train::{Config, Control, Data, train_with};

/// What a prior would have given.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AtPrior {
    /// The prior.
    pub prior: Prior,
    /// By held-out items, taking this prior for true and equals for tossed; none where none were held out.
    pub accuracy: Option<Interval>,
    /// The share of the items that is called positive.
    pub called_positive: f64,
    /// The share of the items that is called otherwise than by the trained model.
    pub changed: f64,
}

const PRIORS: u8 = 5;

/// Trains again at five priors: over the interval of an estimated one, or within 0.1 of a stated one.
pub(super) fn sweep(
    believed: &BelievedPrior,
    trained: &Classifier,
    data: &Data<'_>,
    config: &Config,
    (supervision, parts): (&Supervision, &Division),
    control: &Control<'_>,
    observe: &mut Observer<'_>,
) -> Result<Vec<AtPrior>, Error> {
    let around = believed.prior.positive();
    let (low, high) = believed
        .estimated
        .map_or((around - 0.1, around + 0.1), |interval| (interval.low, interval.high));
    let labels = trained.predict(data.rows)?;
    let share = |count: usize| count as f64 / labels.len().max(1) as f64;
    let control = Control { checkpoint: None, notes: None, ..*control };
    (0..PRIORS)
        .map(|step| {
            observe(Event::Sensitivity { done: usize::from(step), of: usize::from(PRIORS) });
            let prior = low + (high - low) * f64::from(step) / f64::from(PRIORS - 1);
            let prior = Prior::new(prior.clamp(0.01, 0.99))?;
            let setting = Setting { prior, ..config.setting };
            let config = Config { setting, ..config.clone() };
            let there = train_with(data, &config, &control, |_, _| Ok(()))?.finished()?;
            let grounds = Grounds::of(supervision, setting.protocol, &BelievedPrior::known(prior))?;
            let held =
                parts.held(&there, data.rows, supervision, &|_| config.clone(), &control, &mut |_| ())?;
            // What cannot be judged at one prior cannot be at any.
            let judged =
                held.and_then(|held| held.new_items.judged(there.threshold(), &grounds, LEVEL).ok());
            let accuracy = judged.map(|judged| judged.metrics.accuracy);
            let called = there.predict(data.rows)?;
            Ok(AtPrior {
                prior,
                accuracy,
                called_positive: share(called.iter().filter(|label| label.is_positive()).count()),
                changed: share(called.iter().zip(&labels).filter(|(now, before)| now != before).count()),
            })
        })
        .collect()
}
