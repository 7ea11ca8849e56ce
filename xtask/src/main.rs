//! The project's own commands: `cargo xtask test`, `browser`, `peers`, `python`, `ray`, `bench` and `fuzz`.

mod adding;
mod browser;
mod python;
mod ray;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

use anyhow::{Context, Result, bail};

const USAGE: &str = "usage: cargo xtask <command>

commands:
  test    format, clippy, documentation, and every test; needs cargo alone
  adding  the last of these tests alone: a method added to a copy of the tree as CONTRIBUTING.md shows
  browser the labelling page and reports in Chromium: cargo xtask browser [DIR for pictures] (needs node and npm; takes Chromium
          from Debian's packages if there is none)
  peers   check the golden values against PyTorch, and models against ONNX Runtime and safetensors, in a
          virtual environment of its own (needs python3)
  python  build, install and test the Python package in a virtual environment of its own (needs python3); with
          further interpreters: cargo xtask python [PYTHON…]
  ray     test the Python package on a Ray cluster of three nodes on this machine, in a network that has loopback alone
          (needs python3, unshare and ip); in a virtual environment of its own
  bench   speed and memory beside PyTorch: cargo xtask bench DIR (some 25 minutes on an idle machine)
          cargo xtask bench DIR --only WORD,WORD takes the works whose names contain one of the words; --before PROGRAM has
          a likelier-bench of an older commit take turns, too
  fuzz    feed every reader with broken files: cargo xtask fuzz [SECONDS for each, 120 unless given]
";

/// What the peers need, in the versions that were compared with.
const PACKAGES: [&str; 5] =
    ["torch==2.15.0", "numpy==2.4.6", "onnx==1.23.2", "onnxruntime==1.31.1", "safetensors==0.8.0"];

fn main() -> ExitCode {
    let outcome = match std::env::args().nth(1).as_deref() {
        Some("test") => test(),
        Some("adding") => adding(),
        Some("browser") => browser::browser(),
        Some("peers") => peers(),
        Some("python") => python::test(&std::env::args().skip(2).collect::<Vec<_>>()),
        Some("ray") => ray::test(),
        Some("bench") => bench(),
        Some("fuzz") => fuzz(),
        _ => {
            eprint!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Everything that must hold at every commit. Tests run in the release profile, which the
/// demonstration shares: one build of the dependencies, and simulations that take no time.
fn test() -> Result<()> {
    step("formatting", cargo(["fmt", "--all", "--check"]))?;
    // Declared by a macro, which the formatter does not look into.
    let mut methods = Command::new("rustfmt");
    methods.args(["--check", "--edition", "2024"]).args(methods_files()?);
    step("formatting of the methods", methods)?;
    step(
        "clippy",
        cargo([
            "clippy",
            "--workspace",
            "--all-targets",
            "--all-features",
            "--quiet",
            "--",
            "-D",
            "warnings",
        ]),
    )?;
    // The mathematics alone: no engine, no vector instructions.
    step(
        "the core without its engine",
        cargo(["check", "--package", "likelier", "--no-default-features"]),
    )?;
    let mut documentation = cargo(["doc", "--workspace", "--no-deps", "--quiet"]);
    documentation.env("RUSTDOCFLAGS", "-D warnings");
    step("documentation", documentation)?;
    step("tests", cargo(["test", "--workspace", "--release"]))?;
    adding()
}

/// Does what CONTRIBUTING.md shows on adding a method.
fn adding() -> Result<()> {
    let Some(data) = std::env::var_os("LIKELIER_DATA") else {
        eprintln!("\nnote: LIKELIER_DATA is not set, so the tests on real data were skipped");
        return Ok(());
    };
    let copy = root().join("target/added-method");
    step("a method added as CONTRIBUTING.md shows", adding::prepare(&root(), &copy, Path::new(&data))?)?;
    adding::check(&copy)?;
    // The copy's program took the place of ours.
    step("our own programs again", cargo(["build", "--release", "--workspace"]))
}

/// The files that `risk/method.rs` declares.
fn methods_files() -> Result<Vec<PathBuf>> {
    let folder = root().join("crates/likelier/src/risk/method");
    let entries = std::fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
    entries.map(|entry| Ok(entry?.path())).collect()
}

/// Recomputes the golden values with the real PyTorch and NumPy and compares them with the committed ones; lets
/// ONNX Runtime score with exported models, old and new.
fn peers() -> Result<()> {
    let python = peers_python()?;
    let golden = root().join("crates/likelier/tests/golden");
    for (script, values) in [
        ("make.py", "values.json"),
        ("networks.py", "networks.json"),
        ("estimates.py", "estimates.json"),
        ("replies.py", "replies.json"),
    ] {
        let arguments = [golden.join(script), "--check".into(), golden.join(values)];
        step(&format!("golden {values}"), command(&python, arguments))?;
    }
    let models = root().join("target/peers-models");
    if models.exists() {
        std::fs::remove_dir_all(&models).with_context(|| models.display().to_string())?;
    }
    let mut write = cargo([
        "run",
        "--release",
        "--package",
        "likelier",
        "--features",
        "onnx",
        "--example",
        "model_files",
        "--",
    ]);
    write.arg(&models);
    step("model files", write)?;
    let fixtures =
        [1, 2].map(|format| root().join(format!("crates/likelier/tests/fixtures/model-format-{format}")));
    let [old, new] = fixtures;
    step("models in ONNX Runtime", command(&python, [golden.join("models.py"), old, new, models]))
}

/// Measures our engine and PyTorch in turns, into the folder that is given.
fn bench() -> Result<()> {
    let out = std::env::args().nth(2).context("give a folder for the results")?;
    let python = peers_python()?;
    step("build", cargo(["build", "--release", "--package", "likelier-bench"]))?;
    let program = root().join("target/release/likelier-bench");
    let arguments: [&OsStr; 5] =
        ["compare".as_ref(), "--python".as_ref(), python.as_os_str(), "--out".as_ref(), out.as_ref()];
    let mut compare = command(program, arguments);
    compare.args(std::env::args_os().skip(3));
    step("comparison", compare)
}

/// Runs each fuzz target for so many seconds, from the test fixtures on.
///
/// The sanitizer needs unstable flags, which the stable compiler takes when told so.
fn fuzz() -> Result<()> {
    let seconds = match std::env::args().nth(2) {
        Some(given) => given.parse().with_context(|| format!("'{given}' is not a number of seconds"))?,
        None => 120_u32,
    };
    let tool = cargo(["fuzz", "--version"]).output().context("cannot run cargo")?;
    if !tool.status.success() {
        step("cargo-fuzz", cargo(["install", "cargo-fuzz", "--locked"]))?;
    }
    let list = cargo(["fuzz", "list"]).output().context("cannot list the targets")?;
    for target in String::from_utf8_lossy(&list.stdout).lines() {
        let corpus = root().join("fuzz/corpus").join(target);
        std::fs::create_dir_all(&corpus).with_context(|| format!("cannot make {}", corpus.display()))?;
        let seeds = root().join(if target == "model_file" {
            // Without a checksum, so that changes are looked into.
            "crates/likelier/tests/fixtures/model-format-1"
        } else {
            "crates/likelier-tables/tests/fixtures/tables"
        });
        let mut run = cargo(["fuzz", "run", target]);
        run.env("RUSTC_BOOTSTRAP", "1").arg(corpus).arg(&seeds).arg("--");
        run.arg(format!("-max_total_time={seconds}"));
        run.args(["-max_len=16384", "-rss_limit_mb=2048", "-timeout=20", "-print_final_stats=1"]);
        step(&format!("fuzz {target}"), run)?;
    }
    Ok(())
}

/// The Python of a virtual environment with the peers, made if it is not there.
fn peers_python() -> Result<PathBuf> {
    let environment = root().join("target/peers");
    let python = environment.join("bin/python");
    if !python.exists() {
        let arguments = [OsStr::new("-m"), "venv".as_ref(), environment.as_os_str()];
        step("virtual environment", command("python3", arguments))?;
    }
    let install = ["-m", "pip", "install", "--quiet"];
    step("packages", command(&python, install.into_iter().chain(PACKAGES)))?;
    Ok(python)
}

fn step(name: &str, mut command: Command) -> Result<()> {
    eprintln!("== {name}");
    let start = Instant::now();
    let status = command.status().with_context(|| format!("{name}: cannot run {command:?}"))?;
    if !status.success() {
        bail!("{name} failed: {command:?}");
    }
    eprintln!("== {name}: ok in {:.0} s", start.elapsed().as_secs_f64());
    Ok(())
}

/// The program `likelier`, built.
fn program() -> Result<PathBuf> {
    step("program", cargo(["build", "--release", "--quiet", "--workspace", "--bin", "likelier"]))?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    Ok(target.join("release").join(format!("likelier{}", std::env::consts::EXE_SUFFIX)))
}

fn cargo<const N: usize>(arguments: [&str; N]) -> Command {
    command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()), arguments)
}

fn command(program: impl AsRef<OsStr>, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root());
    command
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .map(Path::to_owned)
        .unwrap_or_default()
}
