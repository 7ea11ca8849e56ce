//! `cargo xtask browser`: the labelling page and reports in Chromium.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::{command, program, root, step};

/// What is fetched with npm, in the versions that were tested.
const PACKAGES: [&str; 2] = ["playwright-core@1.65.1", "axe-core@4.14.0"];

/// Builds the program, fetches what is missing, and runs the test. Pictures go to the folder that is given, else to target/.
pub(crate) fn browser() -> Result<()> {
    let chromium = chromium()?;
    let folder = root().join("target/browser");
    let modules = folder.join("node_modules");
    if !PACKAGES.iter().all(|package| is_there(&modules, package)) {
        std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        let mut install = command("npm", ["install", "--no-audit", "--no-fund", "--no-save", "--prefix"]);
        install.arg(&folder).args(PACKAGES);
        step("playwright-core and axe-core", install)?;
    }
    let program = program()?;
    let pictures = std::env::args_os()
        .nth(2)
        .map_or_else(|| folder.join("pictures"), PathBuf::from);
    for (what, script) in [
        ("reports in Chromium", "crates/likelier-cli/tests/browser/report.mjs"),
        ("the page in Chromium", "crates/likelier-label/tests/browser/page.mjs"),
    ] {
        let mut test = command("node", [&root().join(script), &program, &modules, &pictures]);
        test.env("CHROMIUM", &chromium);
        step(what, test)?;
    }
    Ok(())
}

fn is_there(modules: &Path, package: &str) -> bool {
    let Some((name, version)) = package.split_once('@') else { return false };
    let described = std::fs::read_to_string(modules.join(name).join("package.json")).unwrap_or_default();
    described.contains(&format!("\"version\": \"{version}\""))
}

/// Chromium, from Debian's packages if it is not there.
fn chromium() -> Result<PathBuf> {
    let places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
    let find = || places.iter().map(PathBuf::from).find(|place| place.exists());
    if let Some(found) = find() {
        return Ok(found);
    }
    for (name, arguments) in [
        ("list of Debian's packages", &["update", "--quiet"][..]),
        (
            "Chromium from Debian's packages",
            &["install", "--quiet", "--yes", "--no-install-recommends", "chromium"],
        ),
    ] {
        let mut install = Command::new("apt-get");
        install.args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
        step(name, install)?;
    }
    find().context("Chromium was installed, but is not where it should be")
}
