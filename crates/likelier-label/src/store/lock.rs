//! One program at a time: a locked file beside the answers. The system unlocks it when the program ends, however that ends.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use crate::error::LabelError;

#[derive(Debug)]
pub(super) struct Lock {
    path: PathBuf,
    _file: File,
}

impl Lock {
    pub(super) fn of(answers: &Path) -> Result<Self, LabelError> {
        let mut name = answers.as_os_str().to_owned();
        name.push("-lock");
        let path = PathBuf::from(name);
        let refused = |reason| LabelError::file(answers, reason);
        loop {
            let file = OpenOptions::new()
                .write(true)
                .create(true)
                .truncate(false)
                .open(&path)
                .map_err(refused)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(LabelError::InUse(answers.to_owned())),
                Err(TryLockError::Error(reason)) => return Err(refused(reason)),
            }
            // Whoever had it may have removed it between our opening and our locking it.
            if same(&file, &path) {
                return Ok(Self { path, _file: file });
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
        let _ = fs::remove_file(&self.path);
    }
}
