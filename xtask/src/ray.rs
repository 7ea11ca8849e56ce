//! `cargo xtask ray`: the Python package on a Ray cluster of several nodes on this machine.
//!
//! Ray listens on every interface, whatever it is told. So the tests run in a network namespace of their own that has
//! nothing but loopback.

use std::ffi::OsStr;
use std::process::Command;

use anyhow::{Context, Result};

use crate::python::{environment, install, wheel};
use crate::{cargo, command, root, step};

/// What the tests need, in the versions that they are run with.
const PACKAGES: [&str; 7] = [
    "maturin==1.16.0",
    "numpy==2.4.6",
    "pandas==3.1.1",
    "psutil==7.2.2",
    "pyarrow==26.0.1",
    "pytest==9.2.0",
    "ray[data]==2.60.0",
];

/// Runs a command in a network that has nothing but loopback.
const ALONE: &str = "ip link set lo up && exec \"$@\"";

/// Seconds after which the tests have failed, even if no test noticed that it takes too long.
const LONGEST: &str = "1800";

pub(crate) fn test() -> Result<()> {
    let possible = Command::new("unshare").args(["-n", "sh", "-c", ALONE, "sh", "true"]).output();
    if !possible.is_ok_and(|output| output.status.success()) {
        eprintln!(
            "== ray: SKIPPED, because no network namespace can be made here (unshare -n, ip link set lo up)"
        );
        return Ok(());
    }
    let home = root().join("target/ray");
    let python = environment(&home, OsStr::new("python3"), &PACKAGES)?;
    let wheel = wheel(&home, &python)?;
    install(&python, &wheel)?;
    let build = ["build", "--release", "--quiet", "--workspace", "--bin", "likelier-paper"];
    step("program of the paper", cargo(build))?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), Into::into);
    // Ray keeps a token in the home of the user.
    let own_home = home.join("home");
    std::fs::create_dir_all(&own_home).with_context(|| own_home.display().to_string())?;
    let tests = root().join("python/tests");
    let mut run = command("unshare", ["-n", "sh", "-c", ALONE, "sh", "timeout", LONGEST]);
    run.arg(python.with_file_name("pytest"))
        .args(["-q", "-ra", "-p", "no:cacheprovider", "-c"])
        .arg(root().join("python/pyproject.toml"))
        .args(["test_ray.py", "test_distributed.py"].map(|file| tests.join(file)));
    run.current_dir(&home)
        .env("HOME", &own_home)
        .env("RAY_USAGE_STATS_ENABLED", "0")
        .env("LIKELIER_RAY", "1")
        // Workers look for the modules of the tests, too.
        .env("PYTHONPATH", &tests)
        .env("LIKELIER_PAPER", target.join("release/likelier-paper"));
    step("tests on a cluster of three nodes", run)
}
