//! `cargo xtask python`: the Python package built, installed and tested in virtual environments of its own.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::{command, program, root, step};

/// What the package works with, in the versions that it is tested with.
const PACKAGES: [&str; 16] = [
    "catboost==1.2.10",
    "lightgbm==4.7.0",
    "matplotlib==3.11.2",
    "maturin==1.16.0",
    "mypy==2.4.1",
    "numpy==2.4.6",
    "pandas==3.1.1",
    "polars==2.1.0",
    "pyarrow==26.0.1",
    "pytest==9.2.0",
    "ruff==0.17.5",
    "scikit-learn==1.9.1",
    "scipy==1.17.1",
    "torch==2.15.0",
    "tqdm==4.70.1",
    "xgboost==3.2.0",
];

/// What the tour needs beside the package.
const OF_THE_TOUR: [&str; 4] = ["matplotlib", "pandas", "pytest", "scikit-learn"];

/// Test files that need NumPy alone.
const ALONE: [&str; 9] = [
    "classifier",
    "documentation",
    "functions",
    "labels",
    "package",
    "parity",
    "replies",
    "typed_example",
    "wrong_use",
];

/// For another Python: the oldest NumPy that there is for it, and nothing else.
const OLDEST: [&str; 3] =
    ["numpy==1.26.4; python_version<'3.13'", "numpy==2.1.0; python_version>='3.13'", "pytest==9.2.0"];

/// Builds the wheel, installs it, and tests everything; then the tour in an environment without Rust; then, for each
/// further interpreter that is named, the package alone with NumPy alone.
pub(crate) fn test(further: &[String]) -> Result<()> {
    let home = root().join("target/python");
    let python = environment(&home, OsStr::new("python3"), &PACKAGES)?;
    let wheel = wheel(&home, &python)?;
    install(&python, &wheel)?;
    let program = program()?;
    let (tests, package) = (root().join("python/tests"), root().join("python"));
    let configuration = package.join("pyproject.toml");
    let run = |name: &str, tool: &str, arguments: &[&OsStr]| {
        let mut call = command(python.with_file_name(tool), arguments);
        // The installed package is tested, not the folder that it was built from.
        call.current_dir(&home);
        // Without it, scikit-learn skips its checks of other kinds of arrays.
        call.env("SCIPY_ARRAY_API", "1");
        // On busy cores, threads of scikit-learn wait for each other for minutes.
        call.env("OMP_NUM_THREADS", "1");
        call.env("LIKELIER_PROGRAM", &program);
        step(name, call)
    };
    let here = [OsStr::new("-c"), configuration.as_os_str()];
    run("tests", "pytest", &[here[0], here[1], "-q".as_ref(), "-ra".as_ref(), tests.as_os_str()])?;
    let doctests = ["--doctest-modules", "-q", "--pyargs", "likelier"].map(OsStr::new);
    run("examples in the documentation", "pytest", &[&here[..], &doctests[..]].concat())?;
    let typed = tests.join("typed_example.py");
    let config = [OsStr::new("--config-file"), configuration.as_os_str()];
    run("types of a program", "mypy", &[&config[..], &["--strict".as_ref(), typed.as_os_str()]].concat())?;
    run("types of the package", "mypy", &[&config[..], &["-p".as_ref(), "likelier".as_ref()]].concat())?;
    let stubs = ["likelier._native", "--mypy-config-file"].map(OsStr::new);
    run("stubs", "stubtest", &[stubs[0], stubs[1], configuration.as_os_str()])?;
    run("lint", "ruff", &["check".as_ref(), package.as_os_str()])?;
    run("formatting", "ruff", &["format".as_ref(), "--check".as_ref(), package.as_os_str()])?;
    tour(&wheel, &configuration, &tests)?;
    for interpreter in further {
        let name = interpreter.replace(|c: char| !c.is_alphanumeric() && c != '.', "-");
        let home = root().join("target").join(format!("python-{}", name.trim_matches('-')));
        let python = environment(&home, interpreter.as_ref(), &OLDEST)?;
        install(&python, &wheel)?;
        let mut alone =
            command(python.with_file_name("pytest"), [here[0], here[1], "-q".as_ref(), "-ra".as_ref()]);
        alone.args(ALONE.map(|file| tests.join(format!("test_{file}.py"))));
        alone.current_dir(&home).env("LIKELIER_PROGRAM", &program);
        step(&format!("tests with {interpreter}"), alone)?;
    }
    Ok(())
}

/// Runs the tour as somebody would who has Python and the wheel, and no Rust: nothing else is on the path.
fn tour(wheel: &Path, configuration: &Path, tests: &Path) -> Result<()> {
    let home = root().join("target/python-clean");
    let wanted = |package: &&str| OF_THE_TOUR.contains(&package.split('=').next().unwrap_or_default());
    let packages: Vec<&str> = PACKAGES.into_iter().filter(wanted).collect();
    let python = environment(&home, OsStr::new("python3"), &packages)?;
    install(&python, wheel)?;
    let arguments = [OsStr::new("-c"), configuration.as_os_str(), "-q".as_ref(), "-ra".as_ref()];
    let mut tour = command(python.with_file_name("pytest"), arguments);
    tour.arg(tests.join("test_tour.py")).current_dir(&home);
    tour.env("PATH", home.join("bin")).env("LIKELIER_TOUR_ALONE", "1");
    step("the tour without Rust", tour)
}

/// The Python of a virtual environment with these packages, made if it is not there.
pub(crate) fn environment(home: &Path, interpreter: &OsStr, packages: &[&str]) -> Result<PathBuf> {
    let python = home.join("bin/python");
    if !python.exists() {
        let arguments = [OsStr::new("-m"), "venv".as_ref(), home.as_os_str()];
        step("virtual environment", command(interpreter, arguments))?;
    }
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    step("packages", command(&python, install.iter().chain(packages)))?;
    Ok(python)
}

/// Builds the wheel.
pub(crate) fn wheel(home: &Path, python: &Path) -> Result<PathBuf> {
    let folder = home.join("wheels");
    if folder.exists() {
        std::fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
    }
    let mut build: Command = command(python.with_file_name("maturin"), ["build", "--release", "--quiet"]);
    build.arg("--interpreter").arg(python).arg("--out").arg(&folder);
    build.current_dir(root().join("python"));
    step("wheel", build)?;
    let entries = std::fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
    let mut wheels: Vec<PathBuf> = entries.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    match wheels.pop().filter(|_| wheels.is_empty()) {
        Some(wheel) => Ok(wheel),
        None => bail!("{}: one wheel was to be built", folder.display()),
    }
}

pub(crate) fn install(python: &Path, wheel: &Path) -> Result<()> {
    let arguments = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--force-reinstall",
        "--no-deps",
    ];
    let mut install = command(python, arguments);
    install.arg(wheel);
    step("installation", install)
}
