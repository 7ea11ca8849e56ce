//! Both sides of each piece of work, in turns, and what came of it.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result};

use crate::works::Measured;

/// A piece of work: its name in the protocol, and what it is.
struct Work {
    name: &'static str,
    title: &'static str,
    /// Floating-point operations of a unit, where they are worth comparing with the machine's best.
    operations: Option<f64>,
    /// The share of the machine's measured matrix product that is wanted on one thread and on two.
    share: Option<[f64; 2]>,
}

/// Operations of a pass over 30,000 rows of the paper's MLP: 2 for each weight and row.
const MLP_FORWARD: f64 = 30_000.0 * 2.0 * 415_500.0;
/// And of its gradient: as much for the weights, and for the inputs of all layers but the first.
const MLP_TRAIN: f64 = 2.0 * MLP_FORWARD + 30_000.0 * 2.0 * 180_300.0;
/// ResNet-34 on a 32×32 image takes 1.16·10⁹ multiplications forward, and twice that backward.
const RESNET_STEP: f64 = 128.0 * 3.0 * 2.0 * 1.16e9;

/// ResNet-32 takes 69.6·10⁶ forward.
const RESNET32_STEP: f64 = 128.0 * 3.0 * 2.0 * 69.6e6;

const TRAINING: Option<[f64; 2]> = Some([0.8, 0.7]);
const INFERENCE: Option<[f64; 2]> = Some([0.9, 0.9]);

const PRODUCT: &str = "gemm";

const WORKS: [Work; 11] = [
    work(PRODUCT, "product of 1024 × 1024 matrices", Some(2.147e9), None),
    work("linear-64-train", "linear, 64 features, 2,000 rows, epoch", None, None),
    work("linear-784-train", "linear, 784 features, 30,000 rows, epoch", None, None),
    work("linear-784-infer", "the same, inference", None, None),
    work("mlp-train", "MLP 784-300-300-300-1, 30,000 rows, epoch", Some(MLP_TRAIN), TRAINING),
    work("mlp-infer", "the same, inference", Some(MLP_FORWARD), INFERENCE),
    // The teacher scores each batch; rank pruning scores all rows before.
    work(
        "mlp-teacher-train",
        "the same, Pcomp-Teacher epoch",
        Some(MLP_TRAIN + 2.0 * MLP_FORWARD),
        TRAINING,
    ),
    work("mlp-posterior-train", "the same, pair-posterior epoch", Some(MLP_TRAIN + MLP_FORWARD), TRAINING),
    work(
        "resnet34-step-channels-last",
        "ResNet-34, batch 128, step, against channels-last",
        Some(RESNET_STEP),
        None,
    ),
    work("resnet34-step-default", "the same, against PyTorch's default layout", Some(RESNET_STEP), None),
    work("resnet32-step", "ResNet-32, batch 128, step", Some(RESNET32_STEP), None),
];

const fn work(
    name: &'static str,
    title: &'static str,
    operations: Option<f64>,
    share: Option<[f64; 2]>,
) -> Work {
    Work { name, title, operations, share }
}

/// A process that answers `WORK THREADS` with a measurement. It and those that it started are stopped while it is not asked:
/// they would start up, compile or wait busily beside another side's measurement.
struct Server {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Server {
    fn start(mut command: Command) -> Result<Self> {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {command:?}"))?;
        let requests = child.stdin.take().context("no standard input")?;
        let answers = BufReader::new(child.stdout.take().context("no standard output")?);
        let server = Self { child, requests, answers };
        server.signal("-STOP");
        Ok(server)
    }

    /// Sends a signal to the process and all that it started.
    fn signal(&self, signal: &str) {
        let group = format!("-{}", self.child.id());
        let _ = Command::new("kill").args([signal, "--", &group]).status();
    }

    fn measure(&mut self, work: &str, threads: usize, variant: &str) -> Result<Measured> {
        self.signal("-CONT");
        writeln!(self.requests, "{work} {threads} {variant}")?;
        self.requests.flush()?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        self.signal("-STOP");
        serde_json::from_str(&line).with_context(|| format!("{work}: {line}"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.signal("-KILL");
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The seconds and the largest memory of every repeat, by (work, threads, side).
type Results = BTreeMap<(usize, usize, &'static str), Vec<Measured>>;

const NOW: &str = "likelier";
const BEFORE: &str = "before";
const PEER: &str = "PyTorch";

/// What to compare.
pub(crate) struct Comparison {
    pub(crate) python: PathBuf,
    pub(crate) out: PathBuf,
    /// This program as it was built from an older commit.
    pub(crate) before: Option<PathBuf>,
    pub(crate) repeats: usize,
    /// Only the works whose names contain one of these words, if there are any.
    pub(crate) only: Vec<String>,
}

/// Each work by each side, in turns.
pub(crate) fn compare(comparison: &Comparison) -> Result<()> {
    let Comparison { python, out, before, repeats, only } = comparison;
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
            let mut sides = vec![
                (NOW, String::new(), Server::start(own_command(&std::env::current_exe()?))?),
                (PEER, variant, Server::start(peer_command(python))?),
            ];
            if let Some(program) = before {
                sides.push((BEFORE, String::new(), Server::start(own_command(program))?));
            }
            for repeat in 0..*repeats {
                for (side, variant, server) in &mut sides {
                    // An older program may not know the work.
                    let measured = match server.measure(work.name, threads, variant) {
                        Err(_) if *side == BEFORE => continue,
                        measured => measured?,
                    };
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
        for threads in [2, 1] {
            let _ = writeln!(std::io::stderr(), "{}", row(&results, at, threads).unwrap_or_default());
        }
    }
    fs::write(out.join("summary.md"), summary(&results))?;
    Ok(())
}

fn own_command(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.arg("serve");
    command
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
    let (ours, our_memory) = median(results, at, threads, NOW)?;
    let (theirs, their_memory) = median(results, at, threads, PEER)?;
    let work = &WORKS[at];
    let variant = results.get(&(at, threads, PEER))?.first()?.variant.as_str();
    let before = median(results, at, threads, BEFORE)
        .map_or_else(String::new, |(before, _)| format!("{} ({:.2}×)", time(before), before / ours));
    let share = share(results, at, threads).unwrap_or_default();
    let speed = work.operations.map_or_else(String::new, |operations| {
        format!("{:.0} / {:.0}", operations / ours / 1e9, operations / theirs / 1e9)
    });
    Some(format!(
        "| {} | {threads} | {} | {} | {variant} | {:.2}× | {before} | {share} | {speed} | {} / {} |",
        work.title,
        time(ours),
        time(theirs),
        theirs / ours,
        our_memory >> 20,
        their_memory >> 20
    ))
}

/// How near a work comes to the speed of the faster of the two products, ours and PyTorch's, on as many threads.
fn share(results: &Results, at: usize, threads: usize) -> Option<String> {
    let product = WORKS.iter().position(|work| work.name == PRODUCT)?;
    let seconds = [NOW, PEER].map(|side| median(results, product, threads, side));
    let fastest = seconds.into_iter().flatten().map(|(seconds, _)| seconds).reduce(f64::min)?;
    let [best, done] = [(product, fastest), (at, median(results, at, threads, NOW)?.0)]
        .map(|(at, seconds)| WORKS[at].operations.map(|operations| operations / seconds));
    let wanted = WORKS[at].share?[threads - 1];
    Some(format!("{:.0} % ({:.0} %)", 100.0 * done? / best?, 100.0 * wanted))
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
        "| work | threads | likelier | PyTorch | its variant | times as fast | before (now is so many times as fast) | share of the product (wanted) | GFLOP/s, ours / PyTorch | peak MiB, ours / PyTorch |\n\
         |---|---|---|---|---|---|---|---|---|---|\n",
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
