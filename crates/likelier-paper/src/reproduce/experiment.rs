//! What an experiment is: a TOML file of differences from `experiments/default.toml`.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use likelier::{Error, Method, Prior};
use likelier_cli::terminal::{Failure, Result, mistake};
use likelier_paper::benchmark::Benchmark;
use serde::Deserialize;
use toml::{Table, Value};

use super::parts::{PartArguments, those};
use super::settings::{RecordedSettings, Settings};

const DEFAULT: &str = include_str!("../../experiments/default.toml");

/// The experiments that come with the program.
const NAMED: [(&str, &str); 3] = [
    ("table2", include_str!("../../experiments/table2.toml")),
    ("table3", include_str!("../../experiments/table3.toml")),
    ("figure2", include_str!("../../experiments/figure2.toml")),
];

/// An experiment as its file has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Experiment {
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
    #[serde(rename = "variant")]
    pub(super) variants: Vec<Variant>,
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
pub(super) struct TrialJob {
    pub(super) dataset: Benchmark,
    pub(super) prior: Prior,
    pub(super) method: Method,
    /// The name of the variant, with the value of the sweep where there is one.
    pub(super) variant: String,
    pub(super) trial: u64,
    pub(super) recorded: Arc<RecordedSettings>,
}

impl Variant {
    fn methods(&self) -> Result<Vec<Method>> {
        self.methods.iter().map(|name| Ok(name.parse()?)).collect()
    }

    /// Whether it has all of the paper's methods, so that what the paper says of them can be asked.
    pub(super) fn is_complete(&self) -> bool {
        let methods = self.methods().unwrap_or_default();
        let mut papers = Method::ALL.iter().filter(|method| method.is_from_the_paper());
        papers.all(|method| methods.contains(method))
    }
}

impl Experiment {
    /// A named experiment, or one from a file.
    pub(super) fn find(name: &str) -> Result<Self> {
        if let Some((_, text)) = NAMED.iter().find(|(known, _)| *known == name) {
            return Self::parse(text, name);
        }
        let path = Path::new(name);
        if path.extension().is_none_or(|ending| ending != "toml") {
            return Err(mistake(
                format!("there is no experiment '{name}'; there are table2, table3 and figure2"),
                "a file of your own ends in .toml; crates/likelier-paper/experiments/default.toml shows what can be set",
            ));
        }
        let text = std::fs::read_to_string(path)
            .map_err(|reason| Error::File { path: path.to_owned(), reason })?;
        Self::parse(&text, name)
    }

    /// From the text of a file that is called `name`.
    fn parse(text: &str, name: &str) -> Result<Self> {
        let bad = |reason: &str| bad_experiment(name, reason);
        let mut experiment: Self = toml::from_str(text).map_err(|error| bad(&error.to_string()))?;
        name.clone_into(&mut experiment.name);
        let variants = &experiment.variants;
        for (at, Variant { name, .. }) in variants.iter().enumerate() {
            if variants[..at].iter().any(|earlier| earlier.name == *name) {
                return Err(bad(&format!("two variants are called {name}")));
            }
            if name.is_empty() || name.contains([' ', ',', '"']) {
                return Err(bad(&format!("a variant is called '{name}': its name must be one word")));
            }
        }
        Ok(experiment)
    }

    /// The trials of the parts that are asked for: all first trials, then all second ones.
    pub(super) fn jobs(&self, parts: &PartArguments) -> Result<Vec<TrialJob>> {
        let datasets =
            those(&self.datasets, &parts.datasets, "data set", |name| Ok(name.parse::<Benchmark>()?))?;
        let priors: Vec<String> = self.priors.iter().map(ToString::to_string).collect();
        let priors = those(&priors, &parts.priors, "prior", |prior| Ok(prior.parse::<Prior>()?))?;
        let mut jobs = Vec::new();
        for &dataset in &datasets {
            let groups = self.groups(dataset, parts)?;
            for &prior in &priors {
                for Group { variant, methods, recorded } in &groups {
                    for &method in methods {
                        jobs.extend((0..parts.trials.unwrap_or(self.trials)).map(|trial| TrialJob {
                            dataset,
                            prior,
                            method,
                            variant: variant.clone(),
                            trial,
                            recorded: recorded.clone(),
                        }));
                    }
                }
            }
        }
        jobs.sort_by_key(|job| job.trial);
        Ok(jobs)
    }

    /// What is to be run of each variant, at each value of the sweep, on a data set.
    fn groups(&self, dataset: Benchmark, parts: &PartArguments) -> Result<Vec<Group>> {
        let all: Vec<String> = self.variants.iter().flat_map(|variant| variant.methods.clone()).collect();
        let methods = those(&all, &parts.methods, "method", |name| Ok(name.parse::<Method>()?))?;
        let names: Vec<String> = self.variants.iter().map(|variant| variant.name.clone()).collect();
        let names = those(&names, &parts.variants, "variant", |name| Ok(name.to_owned()))?;
        let values: Vec<Option<&Value>> = match &self.sweep {
            Some(sweep) => sweep.values.iter().map(Some).collect(),
            None => vec![None],
        };
        let mut groups = Vec::new();
        for variant in self.variants.iter().filter(|variant| names.contains(&variant.name)) {
            for &value in &values {
                let recorded = Arc::new(self.recorded(dataset, variant, value, parts)?);
                let mut methods_of = variant.methods()?;
                methods_of.retain(|method| methods.contains(method));
                groups.push(Group { variant: label(&variant.name, value), methods: methods_of, recorded });
            }
        }
        Ok(groups)
    }

    /// The defaults, then what differs for all, for the data set, for the variant, and by flag.
    fn recorded(
        &self,
        dataset: Benchmark,
        variant: &Variant,
        value: Option<&Value>,
        parts: &PartArguments,
    ) -> Result<RecordedSettings> {
        let place =
            format!("{}, settings of the variant {} for {}", self.name, variant.name, dataset.name());
        let mut all: Table = toml::from_str(DEFAULT)
            .map_err(|error| bad_experiment("the default settings", &error.to_string()))?;
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
            all.insert("epochs".into(), epochs.into());
            if all.get("configuration").and_then(Value::as_str) == Some("recommended") {
                all.insert("recommended_epochs".into(), epochs.into());
            }
        }
        let settings: Settings = all
            .try_into()
            .map_err(|error: toml::de::Error| bad_experiment(&place, &error.to_string()))?;
        RecordedSettings::of(settings).map_err(|error| bad_experiment(&place, &error.to_string()))
    }
}

/// Methods that are run with the same settings.
struct Group {
    variant: String,
    methods: Vec<Method>,
    recorded: Arc<RecordedSettings>,
}

/// A file that does not say what an experiment is.
fn bad_experiment(place: &str, reason: &str) -> Failure {
    mistake(
        format!("{place}: {}", reason.trim_end()),
        "correct the file: crates/likelier-paper/experiments/default.toml shows every setting, its default and what it \
         means",
    )
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
mod tests;
