//! Trainings as values that can be sent: what to train, on which part of the comparisons, with which seed.
//!
//! Choosing a configuration, judging in folds and estimating a prior all train many models that do not look at each
//! other. Each is a [`Trial`]. They come in stages: the trials of a [`Stage`] share the rows and the comparisons, and the
//! next stage depends on what came of them. A [`Control`] may name who runs them; else they are run here.

use serde::{Deserialize, Serialize};

use crate::data::{Comparisons, Rows};
use crate::error::Error;
use crate::estimate::Folds;
use crate::estimate::selection::{Breakdown, fit_family};
use crate::executor::{Executor, Threads};
use crate::model::Classifier;
use crate::train::{Config, Control};

/// A training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// What it is called in messages.
    pub name: String,
    /// How to train, the seed included. Several differ in when to stop and where to cut alone: one run serves them.
    pub configs: Vec<Config>,
    /// The fold of items that is left out.
    pub fold: LeftOut,
}

/// One of several folds of items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Which, from 0.
    pub fold: usize,
    /// Of how many.
    pub folds: usize,
    /// Of the dealing.
    pub seed: u64,
}

/// Trials that share their data.
#[derive(Clone, Debug)]
pub struct Stage<'a> {
    /// The comparisons that folds are left out of.
    pub comparisons: &'a Comparisons,
    /// What to train.
    pub trials: Vec<Trial>,
}

/// What came of a trial: a classifier for each of its configurations, or why there is none.
pub type Trained = Vec<Result<Classifier, Breakdown>>;

/// Who runs trials.
pub type TrialExecutor<'a> = dyn for<'s> Executor<Stage<'s>, Done = Trained> + 'a;

impl Trial {
    /// Trains on the comparisons between items outside the fold.
    pub fn run(
        &self,
        rows: &Rows<'_>,
        comparisons: &Comparisons,
        control: &Control<'_>,
    ) -> Result<Trained, Error> {
        let LeftOut { fold, folds, seed } = self.fold;
        let dealt = Folds::new(comparisons, rows.len(), folds, seed)?;
        let configs: Vec<&Config> = self.configs.iter().collect();
        fit_family(rows, &dealt.others(comparisons, fold), &configs, control)
    }
}

/// Rows that trials are run on here, and how.
#[derive(Clone, Copy, Debug)]
pub struct Bench<'a> {
    /// The items.
    pub rows: &'a Rows<'a>,
    /// Threads, and when to stop.
    pub control: Control<'a>,
}

impl<'s> Executor<Stage<'s>> for Threads<'_, Bench<'_>> {
    type Done = Trained;

    fn run(&self, stage: &Stage<'s>) -> Result<Vec<Trained>, Error> {
        use rayon::prelude::*;
        let Bench { rows, control } = self.0;
        stage
            .trials
            .par_iter()
            .map(|trial| trial.run(rows, stage.comparisons, control))
            .collect()
    }
}

/// Who else runs trials on these comparisons. Ties, names, sides and propensities are not sent, so that what knows them is trained here.
pub(crate) fn sent_to<'a>(
    control: &Control<'a>,
    comparisons: &Comparisons,
) -> Option<&'a TrialExecutor<'a>> {
    control
        .executor
        .filter(|_| comparisons.told().is_none() && !comparisons.were_chosen())
}

/// Asks whoever runs trials for one model of each fold; nothing if trials are run here.
pub(crate) fn models_of_folds(
    what: &str,
    comparisons: &Comparisons,
    folds: (&Folds, u64),
    configs: Vec<Config>,
    control: &Control<'_>,
) -> Result<Option<Vec<Classifier>>, Error> {
    let Some(executor) = sent_to(control, comparisons) else { return Ok(None) };
    let (count, seed) = (folds.0.count(), folds.1);
    let trial = |(fold, config)| Trial {
        name: format!("{what}, fold {} of {count}", fold + 1),
        configs: vec![config],
        fold: LeftOut { fold, folds: count, seed },
    };
    let trials = configs.into_iter().enumerate().map(trial).collect();
    let found = executor.run(&Stage { comparisons, trials })?;
    let models = found.into_iter().flatten().map(|found| found.map_err(Error::from));
    models.collect::<Result<_, _>>().map(Some)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Mutex;

    use super::*;
    use crate::random::{Purpose, stream, unit};
    use crate::{Answers, FitOptions, Fitted, Prior, Protocol, Supervision, fit_with};

    /// Keeps what came of trials, and gives up where one is not there yet: a run is repeated until all are.
    struct Elsewhere<'a> {
        rows: &'a Rows<'a>,
        done: Mutex<BTreeMap<String, Vec<Vec<u8>>>>,
        open: Mutex<Vec<(String, Comparisons)>>,
    }

    impl<'s> Executor<Stage<'s>> for Elsewhere<'_> {
        type Done = Trained;

        fn run(&self, stage: &Stage<'s>) -> Result<Vec<Trained>, Error> {
            let done = self.done.lock().unwrap();
            let mut found = Vec::new();
            for trial in &stage.trials {
                let sent = serde_json::to_string(trial).unwrap();
                match done.get(&sent) {
                    Some(models) => found.push(
                        models.iter().map(|model| Ok(Classifier::from_bytes(model).unwrap())).collect(),
                    ),
                    None => self.open.lock().unwrap().push((sent, stage.comparisons.clone())),
                }
            }
            if found.len() == stage.trials.len() { Ok(found) } else { Err(Error::Stopped { epoch: 0 }) }
        }
    }

    impl Elsewhere<'_> {
        /// Runs what is open, last things first; the number of stages that it took.
        fn fit(&self, supervision: &Supervision, options: &FitOptions) -> (Fitted, usize) {
            for stages in 0..9 {
                let control = Control { executor: Some(self), ..Control::default() };
                match fit_with(self.rows, supervision, options, &control, &mut |_| ()) {
                    Ok(fitted) => return (fitted, stages),
                    Err(Error::Stopped { .. }) => {}
                    Err(error) => panic!("{error}"),
                }
                let open = std::mem::take(&mut *self.open.lock().unwrap());
                assert!(!open.is_empty());
                for (sent, comparisons) in open.into_iter().rev() {
                    let trial: Trial = serde_json::from_str(&sent).unwrap();
                    let trained = trial.run(self.rows, &comparisons, &Control::default()).unwrap();
                    let models = trained.into_iter().map(|model| model.unwrap().to_bytes().unwrap());
                    self.done.lock().unwrap().insert(sent, models.collect());
                }
            }
            panic!("there are not so many stages")
        }
    }

    #[test]
    fn a_fit_whose_trials_are_run_elsewhere_is_the_fit_here() {
        let rng = &mut stream(7, Purpose::Weights);
        let values: Vec<f32> = (0..900).map(|_| unit(rng) as f32).collect();
        let rows = Rows::from_numbers(values.clone(), 3).unwrap();
        let pairs = (0..150).map(|at| {
            let (a, b) = (2 * at, 2 * at + 1);
            if values[3 * a as usize] + 0.3 * unit(rng) as f32 > values[3 * b as usize] {
                (a, b)
            } else {
                (b, a)
            }
        });
        let answers: Answers = pairs.collect();
        let stated = Supervision::new(answers.clone())
            .protocol(Protocol::FORCED_CHOICE)
            .prior(Prior::new(0.5).unwrap());
        let cases = [
            // Judged in folds; chosen and judged by what was held out.
            (FitOptions::new().epochs(20), 1),
            (FitOptions::new().epochs(20).select(true).learning_rate(0.01), 1),
            (FitOptions::new().epochs(20).hold_out(0.0), 0),
        ];
        for (options, stages) in cases {
            let here = fit_with(&rows, &stated, &options, &Control::default(), &mut |_| ()).unwrap();
            let elsewhere = Elsewhere { rows: &rows, done: Mutex::default(), open: Mutex::default() };
            let (there, took) = elsewhere.fit(&stated, &options);
            assert_eq!(here.classifier, there.classifier);
            assert_eq!(here.config, there.config);
            assert_eq!(format!("{:?}", here.assessment), format!("{:?}", there.assessment));
            assert_eq!(format!("{:?}", here.selection), format!("{:?}", there.selection));
            assert_eq!(took, stages);
            // This machine's threads are one of those who can run them.
            let bench = Bench { rows: &rows, control: Control::default() };
            let threads = Threads(&bench);
            let control = Control { executor: Some(&threads), ..Control::default() };
            let threaded = fit_with(&rows, &stated, &options, &control, &mut |_| ()).unwrap();
            assert_eq!(here.classifier, threaded.classifier);
            assert_eq!(format!("{:?}", here.assessment), format!("{:?}", threaded.assessment));
        }
    }
}
