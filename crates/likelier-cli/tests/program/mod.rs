//! The built program in a folder of its own.

#![allow(dead_code, reason = "not every test uses all of it")]

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use likelier::random::{Purpose, stream, unit};
use serde_json::Value;
use tempfile::TempDir;

pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    /// With `count` rows of two numbers and a label in `labelled.csv` (`size,weight,label`), the same without the
    /// label in `items.csv`, and forced choices between neighbours, by row number, in `pairs.csv`.
    pub(crate) fn with_rows(count: usize) -> Self {
        let folder = Self::new();
        let mut rng = stream(8, Purpose::Comparisons);
        let (mut items, mut labelled) =
            (String::from("size,weight\n"), String::from("size,weight,label\n"));
        let mut pairs = String::from("likelier,other\n");
        let mut last = false;
        for row in 0..count {
            let positive = unit(&mut rng) < 0.4;
            let size = unit(&mut rng) + if positive { 0.7 } else { 0.0 };
            let cells = format!("{size:.4},{:.4}", unit(&mut rng));
            let _ = writeln!(items, "{cells}");
            let _ = writeln!(labelled, "{cells},{}", u8::from(positive));
            if row % 2 == 1 {
                let turn = if last == positive { unit(&mut rng) < 0.5 } else { positive };
                let (likelier, other) = if turn { (row, row - 1) } else { (row - 1, row) };
                let _ = writeln!(pairs, "{likelier},{other}");
            }
            last = positive;
        }
        folder.write("items.csv", items);
        folder.write("labelled.csv", labelled);
        folder.write("pairs.csv", pairs);
        folder
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.file(name), content).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.file(name)).unwrap()
    }

    pub(crate) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.file(name)).unwrap()
    }

    /// The names of everything in the folder.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub(crate) fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_likelier"));
        command.args(arguments.split_whitespace()).current_dir(self.path());
        command
    }

    pub(crate) fn run(&self, arguments: &str) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Runs with something on standard input.
    pub(crate) fn pipe(&self, arguments: &str, input: &[u8]) -> Output {
        let mut child = self
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        child.wait_with_output().unwrap()
    }

    /// What a run prints that must succeed.
    pub(crate) fn succeeds(&self, arguments: &str) -> String {
        printed(&self.run(arguments))
    }

    /// The result of a run with `--json`.
    pub(crate) fn result(&self, arguments: &str) -> Value {
        let output = self.run(&format!("{arguments} --json"));
        assert_ne!(output.status.code(), Some(2), "{arguments}: {}", said(&output));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()["result"].clone()
    }
}

pub(crate) fn printed(output: &Output) -> String {
    assert!(output.status.success(), "{}", said(output));
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub(crate) fn said(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}
