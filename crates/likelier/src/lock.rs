//! One program at a time: a locked file beside what is written. The system unlocks it when the program ends, however that
//! ends, so that a run that is alive can be told from one that is dead.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::files::{begin, give_up};

/// A file that this program holds. It is removed when this is dropped.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    _file: File,
}

/// Why there is no lock.
#[derive(Debug)]
pub enum NotLocked {
    /// Another program has it: the number of its process, if it says.
    Held(Option<u32>),
    /// The system cannot.
    System(io::Error),
}

impl Lock {
    /// Makes the file, or takes it over from a program that is dead.
    pub fn take(path: &Path) -> Result<Self, NotLocked> {
        let mut file = begin(path, || Self::hold(path))?;
        let number = std::process::id().to_string();
        // Only a help for others: what counts is the lock.
        let _ = file.set_len(0).and_then(|()| file.write_all(number.as_bytes()));
        Ok(Self { path: path.to_owned(), _file: file })
    }

    fn hold(path: &Path) -> Result<File, NotLocked> {
        loop {
            let open = File::options().read(true).write(true).create(true).truncate(false).open(path);
            let mut file = open.map_err(NotLocked::System)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    let mut text = String::new();
                    let process =
                        file.read_to_string(&mut text).ok().and_then(|_| text.trim().parse().ok());
                    return Err(NotLocked::Held(process));
                }
                Err(TryLockError::Error(reason)) => return Err(NotLocked::System(reason)),
            }
            // Whoever had it may have removed it between our opening and our locking it.
            if same(&file, path) {
                return Ok(file);
            }
        }
    }
}

#[cfg(unix)]
fn same(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let number = |data: fs::Metadata| (data.dev(), data.ino());
    file.metadata().map(number).ok() == fs::metadata(path).map(number).ok()
}

#[cfg(not(unix))]
fn same(_: &File, path: &Path) -> bool {
    path.exists()
}

impl Drop for Lock {
    /// Removed while it is still locked.
    fn drop(&mut self) {
        give_up(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time_has_it_and_says_who() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        // What a dead program left is no obstacle.
        fs::write(&path, "123456789").unwrap();
        let held = Lock::take(&path).unwrap();
        let NotLocked::Held(process) = Lock::take(&path).unwrap_err() else { panic!("not held") };
        assert_eq!(process, Some(std::process::id()));
        drop(held);
        assert!(!path.exists());
        drop(Lock::take(&path).unwrap());
        let nowhere = Lock::take(&folder.path().join("none/lock")).unwrap_err();
        assert!(matches!(nowhere, NotLocked::System(_)), "{nowhere:?}");
    }
}
