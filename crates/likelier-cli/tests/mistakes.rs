//! Plausible mistakes on the command line, and what each is told: `cmd/mistakes.md`.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[test]
fn every_mistake_gets_a_clear_answer() {
    trycmd::TestCases::new().case("tests/cmd/*.md");
}

/// Every file below a folder, with its content.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.insert(path.clone(), Vec::new());
            found.append(&mut contents(&path));
        } else {
            found.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
    found
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let place = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &place);
        } else {
            fs::copy(&path, &place).unwrap();
        }
    }
}

#[test]
fn no_mistake_leaves_or_changes_a_file_or_ends_without_advice() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd/mistakes.md");
    let folder = tempfile::tempdir().unwrap();
    let (here, temporary) = (folder.path().join("here"), folder.path().join("temporary"));
    copy(&page.with_extension("in"), &here);
    fs::create_dir(&temporary).unwrap();
    let before = contents(folder.path());
    let page = fs::read_to_string(&page).unwrap();
    let commands: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("$ likelier ")).collect();
    assert!(commands.len() >= 100, "{}", commands.len());
    for command in commands {
        let output = Command::new(env!("CARGO_BIN_EXE_likelier"))
            .args(command.split(' '))
            .current_dir(&here)
            .env("TMPDIR", &temporary)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        let code = output.status.code();
        let advice = ["\nhint: ", "\nFor more information, try '--help'."];
        assert_eq!(code, Some(2), "{command}: {said}");
        assert!(
            said.starts_with("error: ") && advice.iter().any(|advice| said.contains(advice)),
            "{command}: {said}"
        );
        assert!(!said.contains("panicked"), "{said}");
        assert_eq!(contents(folder.path()), before, "{command} leaves or changes a file");
    }
}
