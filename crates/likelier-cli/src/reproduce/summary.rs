//! What a run found, as one record: the tables beside the paper's, figures, claims, and what to note.

use std::collections::BTreeMap;

use anyhow::Result;
use likelier::Method;
use likelier::data::benchmark::Benchmark;
use likelier::evaluate::mean_and_deviation;
use serde::Serialize;

use super::beyond::{Beyond, Standing};
use super::claims::{Cell, Claim, claims, growth};
use super::paper::{Accuracy, Paper, standard_errors};
use super::raw::{Key, Outcome};
use super::spec::{Spec, label, plain};

/// Differences of this many standard errors and more are called a disagreement.
pub(super) const AGREE: f64 = 3.0;

/// A run, told.
#[derive(Serialize)]
pub(super) struct Summary {
    pub(super) title: String,
    /// What made it.
    pub(super) provenance: Provenance,
    /// What its results rest on.
    pub(super) notes: Vec<String>,
    pub(super) tables: Vec<Table>,
    /// How each variant agrees with the paper's numbers.
    pub(super) agreement: Vec<Agreement>,
    pub(super) figures: Vec<Figure>,
    pub(super) beyond: Vec<Beyond>,
    /// How each method beyond the paper does over those cells.
    pub(super) standing: Vec<Standing>,
    /// By variant.
    pub(super) claims: Vec<(String, Vec<Claim>)>,
}

/// What made a run.
#[derive(Serialize)]
pub(super) struct Provenance {
    pub(super) command: String,
    /// All versions that rows come from.
    pub(super) versions: Vec<String>,
    pub(super) machine: String,
    pub(super) trials: usize,
    /// Of all trials together, measuring left out.
    pub(super) seconds: f64,
}

/// How a variant agrees with the paper, over the cells that the paper prints.
#[derive(Serialize)]
pub(super) struct Agreement {
    pub(super) variant: String,
    pub(super) about: String,
    pub(super) cells: usize,
    /// Within three standard errors.
    pub(super) agree: usize,
    /// More than that above the paper.
    pub(super) above: usize,
    /// More than that below.
    pub(super) below: usize,
    /// The mean of how far apart the means are, whichever is higher.
    pub(super) apart: f64,
}

impl Agreement {
    fn of(table: &Table) -> Option<Self> {
        let lines = table.blocks.iter().flat_map(|block| &block.lines);
        let cells: Vec<(f64, f64)> = lines
            .flat_map(|line| line.cells.iter().flatten())
            .filter(|cell| !cell.against_best)
            .filter_map(|cell| Some((cell.standard_errors?, (cell.ours.mean - cell.paper?.mean).abs())))
            .collect();
        let count = |test: fn(f64) -> bool| cells.iter().filter(|cell| test(cell.0)).count();
        let (above, below) = (count(|apart| apart > AGREE), count(|apart| apart < -AGREE));
        (!cells.is_empty()).then(|| Self {
            variant: table.variant.clone(),
            about: table.about.clone(),
            cells: cells.len(),
            agree: cells.len() - above - below,
            above,
            below,
            apart: cells.iter().map(|cell| cell.1).sum::<f64>() / cells.len() as f64,
        })
    }
}

/// One variant in the paper's layout.
#[derive(Serialize)]
pub(super) struct Table {
    pub(super) variant: String,
    pub(super) about: String,
    pub(super) datasets: Vec<&'static str>,
    pub(super) blocks: Vec<Block>,
}

/// One prior.
#[derive(Serialize)]
pub(super) struct Block {
    pub(super) prior: String,
    pub(super) lines: Vec<Line>,
}

/// One method.
#[derive(Serialize)]
pub(super) struct Line {
    pub(super) method: Method,
    /// One for each data set.
    pub(super) cells: Vec<Option<Beside>>,
}

/// Our number beside the paper's.
#[derive(Clone, Serialize)]
pub(super) struct Beside {
    pub(super) ours: Accuracy,
    /// The paper's number for the method, or its best for a method that it does not have.
    pub(super) paper: Option<Accuracy>,
    /// Whether `paper` is the best of the paper's methods.
    pub(super) against_best: bool,
    /// How far ours is above, in standard errors.
    pub(super) standard_errors: Option<f64>,
    /// Whether ours is the best of the variant in this cell.
    pub(super) best: bool,
    /// The mean seconds of a trial.
    pub(super) seconds: f64,
}

/// A sweep over one setting, for a data set and a prior.
#[derive(Serialize)]
pub(super) struct Figure {
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
    pub(super) means: Vec<Accuracy>,
}

/// Data set, prior, method and variant.
type Place = (Benchmark, String, Method, String);

/// The mean over the trials of each place.
struct Means(BTreeMap<Place, (Accuracy, f64)>);

impl Means {
    fn of(rows: &BTreeMap<Key, Outcome>) -> Self {
        let mut all: BTreeMap<_, Vec<&Outcome>> = BTreeMap::new();
        for (key, outcome) in rows {
            let place: Place = (key.dataset, key.prior.clone(), key.method, key.variant.clone());
            all.entry(place).or_default().push(outcome);
        }
        let mean = |outcomes: Vec<&Outcome>| {
            let accuracies: Vec<f64> = outcomes.iter().map(|outcome| outcome.accuracy).collect();
            let (mean, deviation) = mean_and_deviation(&accuracies);
            let seconds = outcomes.iter().map(|outcome| outcome.seconds).sum::<f64>();
            let trials = accuracies.len();
            (
                Accuracy { mean, deviation: (trials > 1).then_some(deviation), trials },
                seconds / trials as f64,
            )
        };
        Self(all.into_iter().map(|(place, outcomes)| (place, mean(outcomes))).collect())
    }

    fn get(&self, place: &Place) -> Option<(Accuracy, f64)> {
        self.0.get(place).copied()
    }
}

/// Sums up what a run has so far.
pub(super) fn summarise(
    spec: &Spec,
    rows: &BTreeMap<Key, Outcome>,
    command: String,
    notes: Vec<String>,
) -> Result<Summary> {
    let paper = Paper::table(spec.paper.as_deref())?;
    let means = Means::of(rows);
    let mut datasets: Vec<Benchmark> = Vec::new();
    for place in means.0.keys() {
        if !datasets.contains(&place.0) {
            datasets.push(place.0);
        }
    }
    let mut priors: Vec<String> = means.0.keys().map(|place| place.1.clone()).collect();
    priors.sort();
    priors.dedup();
    let story = Story { spec, paper, means, datasets, priors };
    let mut versions: Vec<String> = rows.values().map(|outcome| outcome.version.clone()).collect();
    versions.sort();
    versions.dedup();
    let tables = story.tables();
    let figures = story.figures();
    let claims = story.claims(&figures);
    let beyond = story.beyond();
    Ok(Summary {
        title: spec.title.clone(),
        provenance: Provenance {
            command,
            versions,
            machine: machine(),
            trials: rows.len(),
            seconds: rows.values().map(|outcome| outcome.seconds).sum(),
        },
        notes,
        agreement: tables.iter().filter_map(Agreement::of).collect(),
        tables,
        figures,
        standing: Standing::of_all(&beyond),
        beyond,
        claims,
    })
}

/// What a summary is made from.
pub(super) struct Story<'a> {
    pub(super) spec: &'a Spec,
    pub(super) paper: Paper,
    means: Means,
    pub(super) datasets: Vec<Benchmark>,
    pub(super) priors: Vec<String>,
}

impl Story<'_> {
    fn tables(&self) -> Vec<Table> {
        if self.spec.sweep.is_some() {
            return Vec::new();
        }
        let variants = self.spec.variant.iter().map(|variant| {
            let blocks = self.priors.iter().map(|prior| self.block(&variant.name, prior));
            Table {
                variant: variant.name.clone(),
                about: variant.about.clone(),
                datasets: self.datasets.iter().map(|dataset| dataset.spec().short_name).collect(),
                blocks: blocks.filter(|block| !block.lines.is_empty()).collect(),
            }
        });
        variants.filter(|table| !table.blocks.is_empty()).collect()
    }

    fn block(&self, variant: &str, prior: &str) -> Block {
        let mut lines: Vec<Line> = Vec::new();
        for method in Method::ALL {
            let cells: Vec<Option<Beside>> = self
                .datasets
                .iter()
                .map(|dataset| self.beside(*dataset, prior, method, variant))
                .collect();
            if cells.iter().any(Option::is_some) {
                lines.push(Line { method, cells });
            }
        }
        for column in 0..self.datasets.len() {
            let of_column = |line: &Line| line.cells[column].as_ref().map(|cell| cell.ours.mean);
            let best = lines.iter().filter_map(of_column).reduce(f64::max);
            for line in &mut lines {
                if let Some(cell) = &mut line.cells[column] {
                    cell.best = Some(cell.ours.mean) == best;
                }
            }
        }
        Block { prior: prior.to_owned(), lines }
    }

    pub(super) fn beside(
        &self,
        dataset: Benchmark,
        prior: &str,
        method: Method,
        variant: &str,
    ) -> Option<Beside> {
        let (ours, seconds) = self.means.get(&(dataset, prior.to_owned(), method, variant.to_owned()))?;
        let same = self.paper.get(dataset, prior, method);
        let paper = same.or_else(|| self.paper.best(dataset, prior).map(|(_, mean)| mean));
        Some(Beside {
            ours,
            paper,
            against_best: same.is_none() && paper.is_some(),
            standard_errors: paper.and_then(|paper| standard_errors(&ours, &paper)),
            best: false,
            seconds,
        })
    }

    fn figures(&self) -> Vec<Figure> {
        let Some(sweep) = &self.spec.sweep else { return Vec::new() };
        let number =
            |value: &toml::Value| value.as_float().or(value.as_integer().map(|whole| whole as f64));
        let words = if sweep.values.iter().all(|value| number(value).is_some()) {
            Vec::new()
        } else {
            sweep.values.iter().map(plain).collect()
        };
        let mut figures = Vec::new();
        for dataset in &self.datasets {
            for prior in &self.priors {
                let mut lines = Vec::new();
                for variant in &self.spec.variant {
                    for method in Method::ALL {
                        let mut curve =
                            Curve { name: method.to_string(), places: Vec::new(), means: Vec::new() };
                        if self.spec.variant.len() > 1 {
                            curve.name = format!("{method} ({})", variant.name);
                        }
                        for (at, value) in sweep.values.iter().enumerate() {
                            let label = label(&variant.name, Some(value));
                            if let Some((mean, _)) =
                                self.means.get(&(*dataset, prior.clone(), method, label))
                            {
                                curve.places.push(number(value).unwrap_or(at as f64));
                                curve.means.push(mean);
                            }
                        }
                        if !curve.means.is_empty() {
                            lines.push(curve);
                        }
                    }
                }
                if !lines.is_empty() {
                    let title = format!("{} at π = {prior}", dataset.spec().short_name);
                    figures.push(Figure { title, axis: sweep.axis.clone(), words: words.clone(), lines });
                }
            }
        }
        figures
    }

    /// The claims of the table, of each variant that has all the paper's methods; or that of the figure.
    fn claims(&self, figures: &[Figure]) -> Vec<(String, Vec<Claim>)> {
        if let Some(sweep) = &self.spec.sweep {
            if sweep.setting != "pairs_share" {
                return Vec::new();
            }
            let lines: Vec<Vec<(f64, f64)>> = figures
                .iter()
                .flat_map(|figure| &figure.lines)
                .map(|curve| {
                    curve.places.iter().copied().zip(curve.means.iter().map(|at| at.mean)).collect()
                })
                .collect();
            let claim = growth(lines.iter().map(Vec::as_slice));
            return vec![("paper".into(), vec![claim])];
        }
        let Some(table) = &self.spec.paper else { return Vec::new() };
        let of_variant = |variant: &str| -> Vec<Claim> {
            let (mut ours, mut papers): (Vec<Box<Cell<'_>>>, Vec<Box<Cell<'_>>>) = (Vec::new(), Vec::new());
            for &dataset in &self.datasets {
                for prior in &self.priors {
                    let variant = variant.to_owned();
                    ours.push(Box::new(move |method| {
                        let place = (dataset, prior.clone(), method, variant.clone());
                        self.means.get(&place).map(|(mean, _)| mean)
                    }));
                    papers.push(Box::new(move |method| self.paper.get(dataset, prior, method)));
                }
            }
            claims(table, &ours, &papers)
        };
        let complete = self.spec.variant.iter().filter(|variant| variant.is_complete());
        complete
            .map(|variant| (variant.name.clone(), of_variant(&variant.name)))
            .collect()
    }
}

/// The processor and how many cores of it there are.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split(": ").nth(1));
    format!("{cores} cores, {}", name.unwrap_or(std::env::consts::ARCH).trim())
}
