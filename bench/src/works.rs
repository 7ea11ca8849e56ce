//! Our side of each piece of work. `peer.py` has the same list.

use std::collections::HashMap;
use std::hint::black_box;
use std::time::Instant;

use anyhow::{Result, bail};
use likelier::model::{Architecture, Mlp, ResNet, ScalingKind};
use likelier::random::{Purpose, stream, unit};
use likelier::train::{Config, Control, Data, train_with};
use likelier::{Classifier, Comparisons, Method, Prior, Protocol, Rows};
use serde::{Deserialize, Serialize};

/// One measurement: seconds for one unit of work.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Measured {
    pub(crate) work: String,
    pub(crate) threads: usize,
    pub(crate) seconds: f64,
    pub(crate) units: usize,
    pub(crate) variant: String,
    pub(crate) peak_rss: u64,
}

/// A work's data, made once.
struct Prepared {
    rows: Rows<'static>,
    comparisons: Comparisons,
    trained: Option<Classifier>,
}

#[derive(Default)]
pub(crate) struct Bench {
    prepared: HashMap<String, Prepared>,
}

impl Bench {
    pub(crate) fn measure(&mut self, work: &str, threads: usize) -> Result<Measured> {
        if !self.prepared.contains_key(work) {
            self.prepared.insert(work.to_owned(), prepare(work)?);
        }
        let prepared = &self.prepared[work];
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        let (seconds, units) = pool.install(|| run(work, prepared))?;
        let (work, variant) = (work.to_owned(), "likelier".to_owned());
        Ok(Measured { work, threads, seconds, units, variant, peak_rss: peak_rss() })
    }
}

fn prepare(work: &str) -> Result<Prepared> {
    let (rows, width) = match work {
        "linear-64-train" => (2_000, 64),
        "resnet34-step-channels-last" | "resnet34-step-default" | "resnet32-step" => (128, 3 * 32 * 32),
        "gemm" => (2, 1),
        _ => (30_000, 784),
    };
    let mut rng = stream(1, Purpose::Split);
    let values = (0..rows * width).map(|_| unit(&mut rng) as f32).collect();
    let rows = Rows::from_numbers(values, width)?;
    let half = rows.len() as u32 / 2;
    let comparisons: Comparisons = (0..half).map(|at| (at, half + at)).collect();
    let mut prepared = Prepared { rows, comparisons, trained: None };
    if work.ends_with("-infer") {
        prepared.trained = Some(train(&prepared, &config(work, 1)?, |_| {})?);
    }
    Ok(prepared)
}

fn config(work: &str, epochs: usize) -> Result<Config> {
    let (method, architecture) = match work {
        "linear-64-train" | "linear-784-train" | "linear-784-infer" => {
            (Method::PcompUnbiased, Architecture::Linear)
        }
        "mlp-train" | "mlp-infer" => (Method::PcompRelu, Architecture::Mlp(Mlp::of_the_paper())),
        "mlp-teacher-train" => (Method::PcompTeacher, Architecture::Mlp(Mlp::of_the_paper())),
        "mlp-posterior-train" => (Method::PairPosterior, Architecture::Mlp(Mlp::of_the_paper())),
        "resnet34-step-channels-last" | "resnet34-step-default" => {
            (Method::PcompRelu, Architecture::ResNet(ResNet::resnet34([3, 32, 32])))
        }
        "resnet32-step" => (Method::PcompRelu, Architecture::ResNet(ResNet::resnet32([3, 32, 32]))),
        _ => bail!("unknown work {work}"),
    };
    let mut setting = Config::new(method, Prior::new(0.5)?, Protocol::DISCARD).setting;
    setting.consistency_weight = 10.0;
    Ok(Config {
        setting,
        architecture,
        epochs,
        learning_rate: 1e-3,
        // The first epoch, which is not timed, is the warm-up that pair-posterior has to have.
        warm_up_epochs: usize::from(method == Method::PairPosterior),
        scaling: Some(ScalingKind::None),
        ..Config::new(method, Prior::new(0.5)?, Protocol::DISCARD)
    })
}

fn train(
    prepared: &Prepared,
    config: &Config,
    mut after_epoch: impl FnMut(usize) + Send,
) -> Result<Classifier> {
    let data = Data { rows: &prepared.rows, piles: prepared.comparisons.piles(), labels: None };
    let outcome = train_with(&data, config, &Control::default(), |summary, _| {
        after_epoch(summary.epoch);
        Ok(())
    })?;
    Ok(outcome.finished()?)
}

/// Seconds for a unit, and how many units were timed: about half a second's worth.
fn run(work: &str, prepared: &Prepared) -> Result<(f64, usize)> {
    if work == "gemm" {
        return Ok(gemm());
    }
    if let Some(classifier) = &prepared.trained {
        return repeat(|| {
            black_box(classifier.scores(&prepared.rows)?);
            Ok(())
        });
    }
    let units = ((0.5 / epochs(work, prepared, 1)?).ceil() as usize).clamp(1, 20_000);
    Ok((epochs(work, prepared, units)? / units as f64, units))
}

/// Seconds for so many epochs of one run. Set-up happens once, as in the peer; the first epoch warms up, and what is done
/// after the last, to cut a classifier from the run, is not counted.
fn epochs(work: &str, prepared: &Prepared, units: usize) -> Result<f64> {
    let (mut start, mut end) = (Instant::now(), Instant::now());
    train(prepared, &config(work, units + 1)?, |epoch| {
        end = Instant::now();
        if epoch == 1 {
            start = end;
        }
    })?;
    Ok((end - start).as_secs_f64())
}

fn repeat(mut work: impl FnMut() -> Result<()>) -> Result<(f64, usize)> {
    work()?;
    let start = Instant::now();
    let mut units = 0;
    while units < 3 || start.elapsed().as_secs_f64() < 0.5 {
        work()?;
        units += 1;
    }
    Ok((start.elapsed().as_secs_f64() / units as f64, units))
}

/// A product of two 1024 × 1024 matrices, shared by rows as the engine shares them.
fn gemm() -> (f64, usize) {
    let mut product = likelier::nn::SquareProduct::new(1024);
    let start = Instant::now();
    let mut units = 0;
    while units < 3 || start.elapsed().as_secs_f64() < 0.5 {
        product.run();
        units += 1;
    }
    (start.elapsed().as_secs_f64() / units as f64, units)
}

/// The largest memory this process ever had, in bytes, where Linux says so.
fn peak_rss() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or_default();
    line.split_whitespace()
        .nth(1)
        .and_then(|word| word.parse::<u64>().ok())
        .unwrap_or(0)
        * 1024
}
