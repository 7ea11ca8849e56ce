//! Sweeps over one setting, as curves.

use likelier::Method;
use likelier_paper::benchmark::Benchmark;
use serde::Serialize;
use toml::Value;

use super::experiment::{Sweep, Variant, label, plain};
use super::paper::MeanAccuracy;
use super::summary::Story;

/// A sweep over one setting, for a data set and a prior.
#[derive(Serialize)]
pub(super) struct SweepFigure {
    pub(super) title: String,
    pub(super) axis: String,
    /// The values where they are words; their places are 0, 1, 2, ….
    pub(super) words: Vec<String>,
    pub(super) lines: Vec<Curve>,
}

/// One method along a sweep.
#[derive(Serialize)]
pub(super) struct Curve {
    pub(super) name: String,
    pub(super) places: Vec<f64>,
    pub(super) means: Vec<MeanAccuracy>,
}

impl Curve {
    pub(super) fn points(&self) -> Vec<(f64, f64)> {
        self.places.iter().copied().zip(self.means.iter().map(|at| at.mean)).collect()
    }
}

fn number(value: &Value) -> Option<f64> {
    value.as_float().or(value.as_integer().map(|whole| whole as f64))
}

impl Story<'_> {
    /// A figure for each data set and prior, if the experiment is a sweep.
    pub(super) fn figures(&self) -> Vec<SweepFigure> {
        let Some(sweep) = &self.experiment.sweep else { return Vec::new() };
        let words = if sweep.values.iter().all(|value| number(value).is_some()) {
            Vec::new()
        } else {
            sweep.values.iter().map(plain).collect()
        };
        let mut figures = Vec::new();
        for dataset in &self.datasets {
            for prior in &self.priors {
                let lines = self.curves(*dataset, prior, sweep);
                if !lines.is_empty() {
                    let title = format!("{} at π = {prior}", dataset.short_name());
                    let (axis, words) = (sweep.axis.clone(), words.clone());
                    figures.push(SweepFigure { title, axis, words, lines });
                }
            }
        }
        figures
    }

    /// A curve for each method of each variant.
    fn curves(&self, dataset: Benchmark, prior: &str, sweep: &Sweep) -> Vec<Curve> {
        let variants = &self.experiment.variants;
        let curve = |variant: &Variant, method: Method| {
            let name = match variants.len() {
                1 => method.to_string(),
                _ => format!("{method} ({})", variant.name),
            };
            let at = |(at, value): (usize, &Value)| {
                let mean = self.mean(dataset, prior, method, &label(&variant.name, Some(value)))?;
                Some((number(value).unwrap_or(at as f64), mean.accuracy))
            };
            let (places, means) = sweep.values.iter().enumerate().filter_map(at).unzip();
            Curve { name, places, means }
        };
        let all = variants
            .iter()
            .flat_map(|variant| Method::ALL.map(|method| curve(variant, method)));
        all.filter(|curve| !curve.means.is_empty()).collect()
    }
}
