//! What an experiment is: a TOML file of differences from `reproduce/default.toml`.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use likelier::data::benchmark::Benchmark;
use likelier::{Method, Prior};
use serde::Deserialize;
use toml::{Table, Value};

use super::settings::Settings;
use super::{Parts, those};
use crate::input::given;

const DEFAULT: &str = include_str!("../../../../reproduce/default.toml");

/// The experiments that come with the program.
const NAMED: [(&str, &str); 3] = [
    ("table2", include_str!("../../../../reproduce/table2.toml")),
    ("table3", include_str!("../../../../reproduce/table3.toml")),
    ("figure2", include_str!("../../../../reproduce/figure2.toml")),
];

/// Nothing of that name comes with the program.
#[derive(Debug, thiserror::Error)]
#[error("there is no experiment '{0}'; there are table2, table3 and figure2")]
pub(crate) struct UnknownExperiment(String);

/// A file that does not say what an experiment is.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {}", reason.trim_end())]
pub(crate) struct BadExperiment {
    place: String,
    reason: String,
}

/// An experiment as its file has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Spec {
    /// What it was asked for by.
    #[serde(skip)]
    name: String,
    /// What the result is called.
    pub(super) title: String,
    /// The table of the paper whose numbers stand beside ours.
    pub(super) paper: Option<String>,
    datasets: Vec<String>,
    priors: Vec<f64>,
    trials: u64,
    /// Differences from the defaults, for all.
    #[serde(default)]
    settings: Table,
    /// For one data set.
    #[serde(default)]
    dataset: BTreeMap<String, Table>,
    /// Groups of methods with settings of their own.
    pub(super) variant: Vec<Variant>,
    /// A setting that takes several values.
    pub(super) sweep: Option<Sweep>,
}

/// A group of methods with the settings they share.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Variant {
    pub(super) name: String,
    /// What is different about it, in words.
    pub(super) about: String,
    methods: Vec<String>,
    #[serde(default)]
    settings: Table,
}

/// A setting that takes several values, each for all variants.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sweep {
    pub(super) setting: String,
    /// What its axis is called.
    pub(super) axis: String,
    pub(super) values: Vec<Value>,
}

/// One trial of one method in one cell.
#[derive(Clone)]
pub(super) struct Job {
    pub(super) dataset: Benchmark,
    pub(super) prior: Prior,
    pub(super) method: Method,
    /// The name of the variant, with the value of the sweep where there is one.
    pub(super) variant: String,
    pub(super) trial: u64,
    pub(super) settings: Arc<Settings>,
}

impl Variant {
    /// Whether it has all of the paper's methods, so that what the paper says of them can be asked.
    pub(super) fn is_complete(&self) -> bool {
        let has = |method: &Method| self.methods.iter().any(|name| name.parse().ok() == Some(*method));
        Method::ALL.iter().filter(|method| method.is_from_the_paper()).all(has)
    }
}

impl Spec {
    /// A named experiment, or one from a file.
    pub(super) fn find(name: &str) -> Result<Self> {
        if let Some((_, text)) = NAMED.iter().find(|(known, _)| *known == name) {
            return Self::parse(text, name);
        }
        let path = Path::new(name);
        if path.extension().is_none_or(|ending| ending != "toml") {
            bail!(UnknownExperiment(name.to_owned()));
        }
        let text = given(
            std::fs::read_to_string(path)
                .map_err(|reason| likelier::Error::File { path: path.to_owned(), reason }),
        )?;
        Self::parse(&text, name)
    }

    /// From the text of a file that is called `name`.
    fn parse(text: &str, name: &str) -> Result<Self> {
        let bad = |reason: String| BadExperiment { place: name.to_owned(), reason };
        let mut spec: Self = toml::from_str(text).map_err(|error| bad(error.to_string()))?;
        name.clone_into(&mut spec.name);
        for (at, variant) in spec.variant.iter().enumerate() {
            if spec.variant[..at].iter().any(|earlier| earlier.name == variant.name) {
                bail!(bad(format!("two variants are called {}", variant.name)));
            }
            if variant.name.is_empty() || variant.name.contains([' ', ',', '"']) {
                bail!(bad(format!("a variant is called '{}': its name must be one word", variant.name)));
            }
        }
        Ok(spec)
    }

    /// The trials of the parts that are asked for: all first trials, then all second ones.
    pub(super) fn jobs(&self, parts: &Parts) -> Result<Vec<Job>> {
        let datasets =
            those(&self.datasets, &parts.datasets, "data set", |name| Ok(name.parse::<Benchmark>()?))?;
        let priors = self.priors.iter().map(ToString::to_string).collect::<Vec<_>>();
        let priors = those(&priors, &parts.priors, "prior", |prior| Ok(prior.parse::<Prior>()?))?;
        let all: Vec<String> = self.variant.iter().flat_map(|variant| variant.methods.clone()).collect();
        let methods = those(&all, &parts.methods, "method", |name| Ok(name.parse::<Method>()?))?;
        let names: Vec<String> = self.variant.iter().map(|variant| variant.name.clone()).collect();
        let variants = those(&names, &parts.variants, "variant", |name| Ok(name.to_owned()))?;
        let sweep: Vec<Option<&Value>> = match &self.sweep {
            Some(sweep) => sweep.values.iter().map(Some).collect(),
            None => vec![None],
        };

        let mut jobs = Vec::new();
        for &dataset in &datasets {
            for &prior in &priors {
                for variant in self.variant.iter().filter(|variant| variants.contains(&variant.name)) {
                    for &value in &sweep {
                        let settings = Arc::new(self.settings_of(dataset, variant, value, parts)?);
                        for name in &variant.methods {
                            let method: Method = name.parse()?;
                            if methods.contains(&method) {
                                jobs.extend((0..parts.trials.unwrap_or(self.trials)).map(|trial| Job {
                                    dataset,
                                    prior,
                                    method,
                                    variant: label(&variant.name, value),
                                    trial,
                                    settings: settings.clone(),
                                }));
                            }
                        }
                    }
                }
            }
        }
        jobs.sort_by_key(|job| job.trial);
        Ok(jobs)
    }

    /// The defaults, then what differs for all, for the data set, for the variant, and by flag.
    fn settings_of(
        &self,
        dataset: Benchmark,
        variant: &Variant,
        value: Option<&Value>,
        parts: &Parts,
    ) -> Result<Settings> {
        let mut all: Table = toml::from_str(DEFAULT).context("the default settings")?;
        all.extend(self.settings.clone());
        for (name, settings) in &self.dataset {
            if name.parse::<Benchmark>()? == dataset {
                all.extend(settings.clone());
            }
        }
        all.extend(variant.settings.clone());
        if let (Some(sweep), Some(value)) = (&self.sweep, value) {
            all.insert(sweep.setting.clone(), value.clone());
        }
        if let Some(epochs) = parts.epochs {
            let epochs = Value::Integer(i64::try_from(epochs)?);
            all.insert("epochs".into(), epochs.clone());
            if all.get("configuration").and_then(Value::as_str) == Some("recommended") {
                all.insert("recommended_epochs".into(), epochs);
            }
        }
        let settings = all.try_into().map_err(|error: toml::de::Error| BadExperiment {
            place: format!(
                "{}, settings of the variant {} for {}",
                self.name,
                variant.name,
                dataset.name()
            ),
            reason: error.to_string(),
        })?;
        Ok(settings)
    }
}

/// The name of a variant at a value of the sweep.
pub(super) fn label(variant: &str, value: Option<&Value>) -> String {
    value.map_or_else(|| variant.to_owned(), |value| format!("{variant}@{}", plain(value)))
}

/// A value without quotes.
pub(super) fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_named_experiment_gives_the_jobs_of_its_cells() {
        let count = |name: &str, parts: &Parts| Spec::find(name).unwrap().jobs(parts).unwrap().len();
        let all = Parts::default();
        // 4 data sets × 3 priors × (7 + 7 + 2 + 1 methods at the least) × 5 trials.
        assert!(count("table3", &all) >= 4 * 3 * 17 * 5);
        assert_eq!(count("figure2", &all), 2 * 2 * 4 * 5 * 5);
        let parts = Parts {
            datasets: vec!["mnist".into()],
            priors: vec!["0.5".into()],
            methods: vec!["Pcomp-ReLU".into()],
            trials: Some(2),
            ..Parts::default()
        };
        assert_eq!(count("table2", &parts), 2);
    }

    #[test]
    fn a_data_set_and_a_variant_differ_from_the_defaults_in_what_they_state() {
        let parts = Parts { trials: Some(1), ..Parts::default() };
        let jobs = Spec::find("table2").unwrap().jobs(&parts).unwrap();
        let of = |dataset, method| {
            let found = jobs.iter().find(|job| job.dataset == dataset && job.method == method);
            found.unwrap().settings.clone()
        };
        let mnist = of(Benchmark::Mnist, Method::PcompRelu);
        let cifar = of(Benchmark::Cifar10, Method::PcompRelu);
        assert_eq!((mnist.epochs, mnist.weight_decay), (200, 1e-5));
        assert_eq!((cifar.epochs, cifar.weight_decay), (200, 1e-3));
        assert_ne!(mnist.digest().unwrap(), cifar.digest().unwrap());
        assert_eq!(of(Benchmark::Mnist, Method::Supervised).epochs, 50);
    }

    #[test]
    fn epochs_that_are_asked_for_hold_for_the_recommended_configuration_too() {
        let of = |epochs, method: &str| {
            let parts = Parts { trials: Some(1), methods: vec![method.into()], epochs, ..Parts::default() };
            let jobs = Spec::find("table2").unwrap().jobs(&parts).unwrap();
            (jobs[0].settings.epochs, jobs[0].settings.recommended_epochs)
        };
        assert_eq!(of(None, "pair-posterior"), (200, None));
        assert_eq!(of(Some(20), "pair-posterior"), (20, Some(20)));
        assert_eq!(of(Some(20), "pcomp-teacher"), (20, None));
    }

    #[test]
    fn an_unknown_key_or_a_part_that_is_not_there_is_refused() {
        let text = |settings: &str| {
            format!(
                "title = 't'\ndatasets = ['usps']\npriors = [0.5]\ntrials = 3\n[settings]\n{settings}\n[[variant]]\nname = \
                 'v'\nabout = 'a'\nmethods = ['pcomp-relu']\n"
            )
        };
        let jobs = |settings| Spec::parse(&text(settings), "mine").unwrap().jobs(&Parts::default());
        assert_eq!(jobs("epochs = 3").unwrap().len(), 3);
        let Err(error) = jobs("epocs = 3") else { panic!("a misspelt key was taken") };
        let said = error.to_string();
        assert!(
            said.starts_with("mine, settings of the variant v for usps: unknown field `epocs`"),
            "{said}"
        );
        let Err(error) = Spec::parse("title = 't'\npriors = 0.5", "mine") else { panic!("taken") };
        assert!(error.to_string().contains("mine: TOML parse error at line 2, column 10"), "{error}");
        let parts = Parts { methods: vec!["rank-pruning".into()], ..Parts::default() };
        let Err(error) = Spec::parse(&text(""), "mine").unwrap().jobs(&parts) else { panic!("taken") };
        assert!(error.to_string().contains("rank-pruning"), "{error}");
    }
}
