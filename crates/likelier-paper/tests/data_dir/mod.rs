//! Where the tests find real data.

use std::env;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The folder that `LIKELIER_DATA` names, or `None` with a visible word when it is not set.
///
/// A relative path is taken from the root of the workspace: that is where the variable is set, while cargo
/// runs tests in the folder of the crate.
pub(crate) fn data_dir() -> Option<PathBuf> {
    let Some(given) = env::var_os("LIKELIER_DATA") else {
        // Not `eprintln!`, which the test harness hides when a test passes.
        let _ = writeln!(io::stderr(), "SKIPPED: LIKELIER_DATA is not set, so the real data are not read");
        return None;
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(given);
    assert!(folder.is_dir(), "LIKELIER_DATA points to {}, which is not a folder", folder.display());
    Some(folder)
}
