//! What a run found, as one record: the tables beside the paper's, figures, claims, and what to note.

use std::collections::BTreeMap;

use likelier::Method;
use likelier_cli::terminal::Result;
use likelier_paper::benchmark::Benchmark;
use serde::Serialize;

use super::beyond::{Beyond, MethodStanding};
use super::claims::{Claim, Means, claims, growth};
use super::experiment::{Experiment, Variant};
use super::figures::{Curve, SweepFigure};
use super::means::{CellKey, CellMean, CellMeans};
use super::paper::{MeanAccuracy, PaperTable, standard_errors};
use super::raw::{TrialKey, TrialResult};

/// Differences of this many standard errors and more are called a disagreement.
pub(super) const AGREE: f64 = 3.0;

/// A run, told.
#[derive(Serialize)]
pub(super) struct RunSummary {
    pub(super) title: String,
    /// What made it.
    pub(super) provenance: Provenance,
    /// What its results rest on.
    pub(super) notes: Vec<String>,
    pub(super) tables: Vec<VariantTable>,
    /// How each variant agrees with the paper's numbers.
    pub(super) agreement: Vec<Agreement>,
    pub(super) figures: Vec<SweepFigure>,
    pub(super) beyond: Vec<Beyond>,
    /// How each method beyond the paper does over those cells.
    pub(super) standing: Vec<MethodStanding>,
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

/// One variant in the paper's layout.
#[derive(Serialize)]
pub(super) struct VariantTable {
    pub(super) variant: String,
    pub(super) about: String,
    pub(super) datasets: Vec<&'static str>,
    pub(super) blocks: Vec<PriorBlock>,
}

/// One prior.
#[derive(Serialize)]
pub(super) struct PriorBlock {
    pub(super) prior: String,
    pub(super) lines: Vec<MethodLine>,
}

/// One method.
#[derive(Serialize)]
pub(super) struct MethodLine {
    pub(super) method: Method,
    /// One for each data set.
    pub(super) cells: Vec<Option<BesidePaper>>,
}

/// Our number beside the paper's.
#[derive(Clone, Serialize)]
pub(super) struct BesidePaper {
    pub(super) ours: MeanAccuracy,
    /// The paper's number for the method, or its best for a method that it does not have.
    pub(super) paper: Option<MeanAccuracy>,
    /// Whether `paper` is the best of the paper's methods.
    pub(super) against_best: bool,
    /// How far ours is above, in standard errors.
    pub(super) standard_errors: Option<f64>,
    /// Whether ours is the best of the variant in this cell.
    pub(super) best: bool,
    /// The mean seconds of a trial.
    pub(super) seconds: f64,
}

/// Sums up what a run has so far.
pub(super) fn summarise(
    experiment: &Experiment,
    rows: &BTreeMap<TrialKey, TrialResult>,
    command: String,
    notes: Vec<String>,
) -> Result<RunSummary> {
    let means = CellMeans::of(rows);
    let (datasets, priors) = (means.datasets(), means.priors());
    let paper = PaperTable::named(experiment.paper.as_deref())?;
    let story = Story { experiment, paper, means, datasets, priors };
    let (tables, figures, beyond) = (story.tables(), story.figures(), story.beyond());
    Ok(RunSummary {
        title: experiment.title.clone(),
        provenance: Provenance::of(rows, command),
        notes,
        agreement: tables.iter().filter_map(Agreement::of).collect(),
        tables,
        claims: story.claims(&figures),
        figures,
        standing: MethodStanding::of_all(&beyond),
        beyond,
    })
}

/// What a summary is made from.
pub(super) struct Story<'a> {
    pub(super) experiment: &'a Experiment,
    pub(super) paper: PaperTable,
    means: CellMeans,
    pub(super) datasets: Vec<Benchmark>,
    pub(super) priors: Vec<String>,
}

impl Story<'_> {
    fn tables(&self) -> Vec<VariantTable> {
        if self.experiment.sweep.is_some() {
            return Vec::new();
        }
        let variants = self.experiment.variants.iter().map(|variant| {
            let blocks = self.priors.iter().map(|prior| self.block(&variant.name, prior));
            VariantTable {
                variant: variant.name.clone(),
                about: variant.about.clone(),
                datasets: self.datasets.iter().map(|dataset| dataset.short_name()).collect(),
                blocks: blocks.filter(|block| !block.lines.is_empty()).collect(),
            }
        });
        variants.filter(|table| !table.blocks.is_empty()).collect()
    }

    fn block(&self, variant: &str, prior: &str) -> PriorBlock {
        let mut lines: Vec<MethodLine> = Vec::new();
        for method in Method::ALL {
            let beside = |dataset: &Benchmark| self.beside(*dataset, prior, method, variant);
            let cells: Vec<Option<BesidePaper>> = self.datasets.iter().map(beside).collect();
            if cells.iter().any(Option::is_some) {
                lines.push(MethodLine { method, cells });
            }
        }
        for column in 0..self.datasets.len() {
            let of_column = |line: &MethodLine| line.cells[column].as_ref().map(|cell| cell.ours.mean);
            let best = lines.iter().filter_map(of_column).reduce(f64::max);
            for cell in lines.iter_mut().filter_map(|line| line.cells[column].as_mut()) {
                cell.best = Some(cell.ours.mean) == best;
            }
        }
        PriorBlock { prior: prior.to_owned(), lines }
    }

    /// What a cell of a variant gave, if it was run.
    pub(super) fn mean(
        &self,
        dataset: Benchmark,
        prior: &str,
        method: Method,
        variant: &str,
    ) -> Option<CellMean> {
        let (prior, variant) = (prior.to_owned(), variant.to_owned());
        self.means.get(&CellKey { dataset, prior, method, variant })
    }

    /// The same beside the paper's number.
    pub(super) fn beside(
        &self,
        dataset: Benchmark,
        prior: &str,
        method: Method,
        variant: &str,
    ) -> Option<BesidePaper> {
        let CellMean { accuracy: ours, seconds } = self.mean(dataset, prior, method, variant)?;
        let same = self.paper.get(dataset, prior, method);
        let paper = same.or_else(|| self.paper.best(dataset, prior).map(|(_, mean)| mean));
        Some(BesidePaper {
            ours,
            paper,
            against_best: same.is_none() && paper.is_some(),
            standard_errors: paper.and_then(|paper| standard_errors(&ours, &paper)),
            best: false,
            seconds,
        })
    }

    /// The claims of the table, of each variant that has all the paper's methods; or that of the figure.
    fn claims(&self, figures: &[SweepFigure]) -> Vec<(String, Vec<Claim>)> {
        if let Some(sweep) = &self.experiment.sweep {
            if sweep.setting != "pairs_share" {
                return Vec::new();
            }
            let curves = figures.iter().flat_map(|figure| &figure.lines);
            let lines: Vec<Vec<(f64, f64)>> = curves.map(Curve::points).collect();
            return vec![("paper".into(), vec![growth(lines.iter().map(Vec::as_slice))])];
        }
        let Some(table) = &self.experiment.paper else { return Vec::new() };
        let complete = self.experiment.variants.iter().filter(|variant| variant.is_complete());
        complete
            .map(|variant| (variant.name.clone(), self.claims_of(table, variant)))
            .collect()
    }

    fn claims_of(&self, table: &str, variant: &Variant) -> Vec<Claim> {
        let (mut ours, mut papers): (Vec<Box<Means<'_>>>, Vec<Box<Means<'_>>>) = (Vec::new(), Vec::new());
        for &dataset in &self.datasets {
            for prior in &self.priors {
                let mean = move |method| self.mean(dataset, prior, method, &variant.name);
                ours.push(Box::new(move |method| mean(method).map(|mean| mean.accuracy)));
                papers.push(Box::new(move |method| self.paper.get(dataset, prior, method)));
            }
        }
        claims(table, &ours, &papers)
    }
}

impl Agreement {
    fn of(table: &VariantTable) -> Option<Self> {
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

impl Provenance {
    fn of(rows: &BTreeMap<TrialKey, TrialResult>, command: String) -> Self {
        let mut versions: Vec<String> = rows.values().map(|result| result.version.clone()).collect();
        versions.sort();
        versions.dedup();
        Self {
            command,
            versions,
            machine: machine(),
            trials: rows.len(),
            seconds: rows.values().map(|result| result.seconds).sum(),
        }
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
