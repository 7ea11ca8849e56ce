//! The project's own commands: `cargo xtask test`, `cargo xtask peers` and `cargo xtask bench`.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

use anyhow::{Context, Result, bail};

const USAGE: &str = "usage: cargo xtask <command>

commands:
  test    format, clippy, documentation, and every test; needs cargo alone
  peers   check the golden values against PyTorch, in a virtual environment of its own (needs python3)
  bench   speed and memory beside PyTorch: cargo xtask bench DIR (some 20 minutes on an idle machine)
";

fn main() -> ExitCode {
    let outcome = match std::env::args().nth(1).as_deref() {
        Some("test") => test(),
        Some("peers") => peers(),
        Some("bench") => bench(),
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
    step("clippy", cargo(["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"]))?;
    let mut documentation = cargo(["doc", "--workspace", "--no-deps", "--quiet"]);
    documentation.env("RUSTDOCFLAGS", "-D warnings");
    step("documentation", documentation)?;
    step("tests", cargo(["test", "--workspace", "--release"]))?;
    if std::env::var_os("LIKELIER_DATA").is_none() {
        eprintln!("\nnote: LIKELIER_DATA is not set, so the tests on real data were skipped");
    }
    Ok(())
}

/// Recomputes the golden values with the real PyTorch and NumPy and compares them with the committed ones.
fn peers() -> Result<()> {
    let python = python()?;
    let golden = root().join("crates/likelier/tests/golden");
    for (script, values) in
        [("make.py", "values.json"), ("networks.py", "networks.json"), ("estimates.py", "estimates.json")]
    {
        let arguments = [golden.join(script), "--check".into(), golden.join(values)];
        step(&format!("golden {values}"), command(&python, arguments))?;
    }
    Ok(())
}

/// Measures our engine and PyTorch in turns, into the folder that is given.
fn bench() -> Result<()> {
    let out = std::env::args().nth(2).context("give a folder for the results")?;
    let python = python()?;
    step("build", cargo(["build", "--release", "--package", "likelier-bench"]))?;
    let program = root().join("target/release/likelier-bench");
    let arguments: [&OsStr; 5] =
        ["compare".as_ref(), "--python".as_ref(), python.as_os_str(), "--out".as_ref(), out.as_ref()];
    step("comparison", command(program, arguments))
}

/// The Python of a virtual environment with PyTorch, made if it is not there.
fn python() -> Result<PathBuf> {
    let environment = root().join("target/peers");
    let python = environment.join("bin/python");
    if !python.exists() {
        let arguments = [OsStr::new("-m"), "venv".as_ref(), environment.as_os_str()];
        step("virtual environment", command("python3", arguments))?;
    }
    let packages = ["-m", "pip", "install", "--quiet", "torch==2.15.0", "numpy==2.4.6"];
    step("packages", command(&python, packages))?;
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
