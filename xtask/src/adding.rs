//! Adds a method as CONTRIBUTING.md shows it, to a copy of the tree, and runs an experiment with it.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

/// What a copy of the tree needs.
const PARTS: [&str; 7] = ["Cargo.toml", "Cargo.lock", ".cargo", "crates", "bench", "python", "xtask"];

/// The experiment that the new method is run in.
const EXPERIMENT: &str = r#"
title = "One more row"
paper = "table3"
datasets = ["optdigits"]
priors = [0.5]
trials = 1
[settings]
epochs = 20
learning_rate = 1e-2
[[variant]]
name = "plain"
about = "a method of the paper and the new one"
methods = ["pcomp-unbiased", "pcomp-squared"]
"#;

/// Makes the copy and the command that builds it and runs the experiment; `check` looks at what it wrote.
pub(crate) fn prepare(root: &Path, copy: &Path, data: &Path) -> Result<Command> {
    for part in PARTS {
        refresh(&root.join(part), &copy.join(part))?;
    }
    let guide = fs::read_to_string(root.join("CONTRIBUTING.md")).context("CONTRIBUTING.md")?;
    let shown = |mark: &str| {
        let after = guide.split(&format!("<!-- {mark} -->")).nth(1)?;
        after.split("```rust\n").nth(1)?.split("```").next()
    };
    let file = shown("the file of a method").context("CONTRIBUTING.md shows no file")?;
    let line = shown("the line of a method").context("CONTRIBUTING.md shows no line")?;
    let methods = copy.join("crates/likelier/src/risk/method");
    write(&methods.join("pcomp_squared.rs"), file)?;
    let list = methods.with_extension("rs");
    let text = fs::read_to_string(&list)?;
    let last = "    Supervised => supervised,\n";
    if text.matches(last).count() != 1 {
        bail!("{} does not end its list as expected", list.display());
    }
    write(&list, &text.replace(last, &format!("{last}{line}")))?;
    write(&copy.join("one-more.toml"), EXPERIMENT)?;
    let out = copy.join("one-more");
    if out.exists() {
        fs::remove_dir_all(&out)?;
    }
    let mut run = Command::new(env!("CARGO"));
    run.args(["run", "--release", "--quiet", "--package", "likelier-paper", "--target-dir"])
        .arg(root.join("target"));
    // Dependencies are shared. The copy's own crates must not be, or cargo would take them for the tree's: a setting
    // of their own keeps them apart.
    run.args(["--config", "profile.release.package.likelier.debug=false"]);
    run.args(["--", "reproduce", "one-more.toml", "--out", "one-more", "--data-dir"])
        .arg(root.join(data));
    run.current_dir(copy);
    Ok(run)
}

/// The table has one more row, with a number in it.
pub(crate) fn check(copy: &Path) -> Result<()> {
    let summary = fs::read_to_string(copy.join("one-more/summary.md")).context("summary.md")?;
    let row = |method: &str| summary.lines().find(|line| line.starts_with(&format!("| {method} | ")));
    match (row("pcomp-unbiased"), row("pcomp-squared")) {
        (Some(known), Some(new)) if known.contains("0.8") && new.contains("0.8") => Ok(()),
        found => bail!("the table has not the rows that were expected: {found:?}"),
    }
}

/// Copies what differs: what is the same is not built again.
fn refresh(from: &Path, to: &Path) -> Result<()> {
    if from.is_dir() {
        for entry in fs::read_dir(from).with_context(|| from.display().to_string())? {
            let entry = entry?;
            if entry.file_name() != "runs" {
                refresh(&entry.path(), &to.join(entry.file_name()))?;
            }
        }
        return Ok(());
    }
    let content = fs::read(from).with_context(|| from.display().to_string())?;
    if fs::read(to).ok().as_deref() != Some(&content) {
        if let Some(folder) = to.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(to, content).with_context(|| to.display().to_string())?;
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| path.display().to_string())
}
