//! A program that is told to end leaves nothing behind, whatever its threads are beginning at that moment.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

use likelier::files::{Beside, lock_for, remove_begun};
use likelier::lock::Lock;

const FOLDER: &str = "LIKELIER_TEST_FOLDER_TO_WRITE_TO";

/// What the program does that is told to end: a run of this test that finds a folder in its environment. Nothing can be
/// begun afterwards, so that each time needs a process of its own.
fn write_until_told_to_end(folder: &Path, after: Duration) {
    for name in ["one", "two"] {
        let place = folder.join(name);
        thread::spawn(move || {
            loop {
                let _lock = Lock::take(&lock_for(&place)).unwrap();
                let (beside, _) = Beside::file(place.parent().unwrap()).unwrap();
                // What was begun may be gone by now.
                let _ = beside.move_to(&place);
                let _ = Beside::folder(place.parent().unwrap());
            }
        });
    }
    // On a busy machine it takes a while until the threads write at all.
    while !folder.join("one").exists() {
        thread::yield_now();
    }
    thread::sleep(after);
    remove_begun();
    // Long enough for a thread to make what it should not.
    thread::sleep(Duration::from_millis(20));
    let left: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with('.'))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn whoever_is_told_to_end_leaves_nothing_behind() {
    if let Some(folder) = env::var_os(FOLDER) {
        let after = Duration::from_micros(env::var("LIKELIER_TEST_AFTER").unwrap().parse().unwrap());
        return write_until_told_to_end(Path::new(&folder), after);
    }
    for number in 0..100 {
        let folder = tempfile::tempdir().unwrap();
        let output = Command::new(env::current_exe().unwrap())
            .args(["--exact", "whoever_is_told_to_end_leaves_nothing_behind", "--nocapture"])
            .env(FOLDER, folder.path())
            .env("LIKELIER_TEST_AFTER", (37 * number).to_string())
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}
