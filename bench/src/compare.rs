//! Both sides of each piece of work, in turns, and what came of it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result};

use crate::works::Measured;

/// A piece of work: its name in the protocol, what it is, and the ratio wanted.
struct Work {
    name: &'static str,
    title: &'static str,
    /// Floating-point operations of a unit, where they are worth comparing with the machine's best.
    operations: Option<f64>,
    wanted: Option<f64>,
}

/// Operations of a pass over 30,000 rows of the paper's MLP: 2 for each weight and row.
const MLP_FORWARD: f64 = 30_000.0 * 2.0 * 415_500.0;
/// And of its gradient: as much for the weights, and for the inputs of all layers but the first.
const MLP_TRAIN: f64 = 2.0 * MLP_FORWARD + 30_000.0 * 2.0 * 180_300.0;
/// ResNet-34 on a 32×32 image takes 1.16·10⁹ multiplications forward, and twice that backward.
const RESNET_STEP: f64 = 128.0 * 3.0 * 2.0 * 1.16e9;

/// ResNet-32 takes 69.6·10⁶ forward.
const RESNET32_STEP: f64 = 128.0 * 3.0 * 2.0 * 69.6e6;

const WORKS: [Work; 10] = [
    work("gemm", "product of 1024 × 1024 matrices", Some(2.147e9), None),
    work("linear-64-train", "linear, 64 features, 2,000 rows, epoch", None, Some(25.0)),
    work("linear-784-train", "linear, 784 features, 30,000 rows, epoch", None, Some(7.0)),
    work("linear-784-infer", "the same, inference", None, Some(1.0)),
    work("mlp-train", "MLP 784-300-300-300-1, 30,000 rows, epoch", Some(MLP_TRAIN), Some(2.0)),
    work("mlp-infer", "the same, inference", Some(MLP_FORWARD), Some(1.4)),
    work("mlp-teacher-train", "the same, Pcomp-Teacher epoch", None, Some(2.0)),
    work(
        "resnet34-step-channels-last",
        "ResNet-34, batch 128, step, against channels-last",
        Some(RESNET_STEP),
        Some(1.0),
    ),
    work(
        "resnet34-step-default",
        "the same, against PyTorch's default layout",
        Some(RESNET_STEP),
        Some(1.5),
    ),
    work("resnet32-step", "ResNet-32, batch 128, step", Some(RESNET32_STEP), Some(1.0)),
];

const fn work(
    name: &'static str,
    title: &'static str,
    operations: Option<f64>,
    wanted: Option<f64>,
) -> Work {
    Work { name, title, operations, wanted }
}

/// A process that answers `WORK THREADS` with a measurement.
struct Server {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Server {
    fn start(mut command: Command) -> Result<Self> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {command:?}"))?;
        let requests = child.stdin.take().context("no standard input")?;
        let answers = BufReader::new(child.stdout.take().context("no standard output")?);
        Ok(Self { child, requests, answers })
    }

    fn measure(&mut self, work: &str, threads: usize, variant: &str) -> Result<Measured> {
        writeln!(self.requests, "{work} {threads} {variant}")?;
        self.requests.flush()?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        serde_json::from_str(&line).with_context(|| format!("{work}: {line}"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The seconds and the largest memory of every repeat, by (work, threads, side).
type Results = BTreeMap<(usize, usize, &'static str), Vec<Measured>>;

/// Only the works whose names contain one of the words, if there are any.
pub(crate) fn compare(python: &Path, out: &Path, repeats: usize, only: &[String]) -> Result<()> {
    fs::create_dir_all(out)?;
    let mut raw = File::create(out.join("raw.csv"))?;
    writeln!(raw, "work,threads,side,variant,repeat,seconds,units,peak_rss")?;
    let mut results = Results::new();
    let wanted = |work: &Work| only.is_empty() || only.iter().any(|word| work.name.contains(word.as_str()));
    for (at, work) in WORKS.iter().enumerate().filter(|(_, work)| wanted(work)) {
        for threads in [2, 1] {
            // One process finds PyTorch's best variant; a fresh one runs only that, so that peak memory
            // is its own.
            let variant = Server::start(peer_command(python))?.measure(work.name, threads, "")?.variant;
            let mut own = Command::new(std::env::current_exe()?);
            own.arg("serve");
            let mut sides = [
                ("likelier", String::new(), Server::start(own)?),
                ("PyTorch", variant, Server::start(peer_command(python))?),
            ];
            for repeat in 0..repeats {
                for (side, variant, server) in &mut sides {
                    let measured = server.measure(work.name, threads, variant)?;
                    let Measured { seconds, units, variant, peak_rss, .. } = &measured;
                    writeln!(
                        raw,
                        "{},{threads},{side},{variant},{repeat},{seconds},{units},{peak_rss}",
                        work.name
                    )?;
                    results.entry((at, threads, *side)).or_default().push(measured);
                }
            }
        }
        let _ = writeln!(std::io::stderr(), "{}", row(&results, at, 2).unwrap_or_default());
    }
    fs::write(out.join("summary.md"), summary(&results))?;
    Ok(())
}

fn peer_command(python: &Path) -> Command {
    let mut command = Command::new(python);
    command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/peer.py"));
    command
}

fn median(results: &Results, at: usize, threads: usize, side: &'static str) -> Option<(f64, u64)> {
    let measured = results.get(&(at, threads, side))?;
    let mut seconds: Vec<f64> = measured.iter().map(|m| m.seconds).collect();
    seconds.sort_by(f64::total_cmp);
    let memory = measured.iter().map(|m| m.peak_rss).max().unwrap_or(0);
    Some((*seconds.get(seconds.len() / 2)?, memory))
}

fn row(results: &Results, at: usize, threads: usize) -> Option<String> {
    let (ours, our_memory) = median(results, at, threads, "likelier")?;
    let (theirs, their_memory) = median(results, at, threads, "PyTorch")?;
    let work = &WORKS[at];
    let variant = results.get(&(at, threads, "PyTorch"))?.first()?.variant.as_str();
    let mut row = format!(
        "| {} | {threads} | {} | {} | {variant} | {:.2}× |",
        work.title,
        time(ours),
        time(theirs),
        theirs / ours
    );
    let _ = match work.wanted {
        Some(wanted) => write!(row, " {wanted:.1}× |"),
        None => write!(row, " |"),
    };
    let _ = match work.operations {
        Some(operations) => {
            write!(row, " {:.0} / {:.0} |", operations / ours / 1e9, operations / theirs / 1e9)
        }
        None => write!(row, " |"),
    };
    let _ = write!(row, " {} / {} |", our_memory >> 20, their_memory >> 20);
    Some(row)
}

fn time(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.0} µs", s * 1e6),
        s if s < 1.0 => format!("{:.1} ms", s * 1e3),
        s => format!("{s:.2} s"),
    }
}

fn summary(results: &Results) -> String {
    let mut text = String::from(
        "| work | threads | likelier | PyTorch | its variant | times as fast | wanted | GFLOP/s, ours / PyTorch | peak MiB, ours / PyTorch |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    for threads in [2, 1] {
        for at in 0..WORKS.len() {
            if let Some(row) = row(results, at, threads) {
                text.push_str(&row);
                text.push('\n');
            }
        }
    }
    text
}
