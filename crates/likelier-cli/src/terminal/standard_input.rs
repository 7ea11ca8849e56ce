//! `-` in place of a file to read.
//!
//! Tables are opened several times and read at places, which a pipe does not allow: so what arrives is kept in
//! a temporary file, which is gone when the program ends.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use likelier::files::Beside;

use super::{About, Failure, Result, busy, mistake};

static ARRIVED: Mutex<Option<Beside>> = Mutex::new(None);

/// Two files that are both to be standard input.
fn read_twice() -> Failure {
    mistake("only one of the files can be standard input (-)", "give the name of a file for the other one")
}

/// Whether a path stands for standard input.
pub fn is_meant_by(path: &Path) -> bool {
    path == Path::new("-")
}

/// Refuses two files that are both to be standard input, before anything waits for it.
pub fn at_most_once<'a>(files: impl IntoIterator<Item = &'a PathBuf>) -> Result<()> {
    if files.into_iter().filter(|path| is_meant_by(path)).count() > 1 {
        return Err(read_twice());
    }
    Ok(())
}

/// The file to read for a path that was named on the command line.
pub fn path_of(path: &Path) -> Result<PathBuf> {
    if !is_meant_by(path) {
        return Ok(path.to_owned());
    }
    let mut arrived = ARRIVED.lock().unwrap_or_else(PoisonError::into_inner);
    if arrived.is_some() {
        return Err(read_twice());
    }
    let _waiting = busy(|| "reading standard input".into());
    let keep = || {
        let (beside, mut file) = Beside::file(&std::env::temp_dir())?;
        io::copy(&mut io::stdin().lock(), &mut file)?;
        io::Result::Ok(beside)
    };
    let beside = keep().about(|| "cannot keep standard input in a temporary file".into())?;
    let path = beside.path().to_owned();
    *arrived = Some(beside);
    Ok(path)
}

/// The temporary file that standard input was kept in, if it was read.
pub fn kept_in() -> Option<PathBuf> {
    let arrived = ARRIVED.lock().unwrap_or_else(PoisonError::into_inner);
    arrived.as_ref().map(|beside| beside.path().to_owned())
}

/// A message in which the temporary file has the name that the user knows.
pub(super) fn named(message: &str) -> String {
    match &*ARRIVED.lock().unwrap_or_else(PoisonError::into_inner) {
        Some(beside) => message.replace(&beside.path().display().to_string(), "standard input"),
        None => message.to_owned(),
    }
}

/// Removes the temporary file.
pub(super) fn forget() {
    ARRIVED.lock().unwrap_or_else(PoisonError::into_inner).take();
}
