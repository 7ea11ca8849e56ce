//! Files that appear whole or not at all.
//!
//! What is to be written is made beside its place, under a name of the form `.likelier-PROCESS-NUMBER`, and
//! moved there when it is whole. A program that fails or is asked to stop removes what it has begun. One that is
//! killed cannot: but as long as it lives it holds a lock on what it has begun, so whoever writes to
//! the same folder next finds what nobody holds, and removes it.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How the names of things begin that are not in their place yet.
const PREFIX: &str = ".likelier-";
/// What follows where it is a lock.
const LOCK: &str = "lock";

/// What this process has begun and not finished. Things are made while it is locked, so that whoever removes what was
/// begun misses nothing.
static BEGUN: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A file or folder made beside its place, and then moved there. Nothing is left of it if it is not.
#[derive(Debug)]
pub struct Beside {
    path: PathBuf,
    /// Held as long as this is used.
    _lock: Option<File>,
}

impl Beside {
    /// An empty file in a folder.
    pub fn file(folder: &Path) -> io::Result<(Self, File)> {
        remove_abandoned(folder);
        loop {
            let path = Self::name(folder);
            let file = begin(&path, || File::create_new(&path))?;
            let lock = file.try_clone().inspect_err(|_| give_up(&path))?;
            if let Some(beside) = Self::locked(path, lock) {
                return Ok((beside, file));
            }
        }
    }

    /// An empty folder in a folder.
    pub fn folder(folder: &Path) -> io::Result<Self> {
        remove_abandoned(folder);
        loop {
            let path = Self::name(folder);
            begin(&path, || fs::create_dir(&path))?;
            // Not every system can open a folder; where none can, nobody takes it for abandoned either.
            let Ok(lock) = File::open(&path) else { return Ok(Self { path, _lock: None }) };
            if let Some(beside) = Self::locked(path, lock) {
                return Ok(beside);
            }
        }
    }

    /// A name that nothing else has.
    fn name(folder: &Path) -> PathBuf {
        static MADE: AtomicUsize = AtomicUsize::new(0);
        let made = MADE.fetch_add(1, Ordering::Relaxed);
        folder.join(format!("{PREFIX}{}-{made}", std::process::id()))
    }

    /// None if somebody took it for abandoned before it was locked.
    fn locked(path: PathBuf, lock: File) -> Option<Self> {
        // A file system without locks does without them.
        let _ = lock.lock();
        if fs::symlink_metadata(&path).is_err() {
            give_up(&path);
            return None;
        }
        Some(Self { path, _lock: Some(lock) })
    }

    /// Where it is now.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Puts it in its place.
    pub fn move_to(self, place: &Path) -> io::Result<()> {
        fs::rename(&self.path, place)
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        give_up(&self.path);
    }
}

fn begun() -> MutexGuard<'static, Vec<PathBuf>> {
    BEGUN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes something that is to be removed if the program is told to end.
pub(crate) fn begin<T, E>(path: &Path, make: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    let mut begun = begun();
    let made = make()?;
    begun.push(path.to_owned());
    Ok(made)
}

/// Removes what was begun, if it is still there.
pub(crate) fn give_up(path: &Path) {
    let mut begun = begun();
    remove(path);
    begun.retain(|begun| begun != path);
}

fn remove(path: &Path) {
    let _ = fs::remove_file(path).or_else(|_| fs::remove_dir_all(path));
}

/// Removes everything that this process has begun and not finished: for a program that is told to end. From then on
/// nothing can be begun, and a thread that tries waits for the end.
pub fn remove_begun() {
    let mut begun = begun();
    for path in begun.drain(..) {
        remove(&path);
        // A thread may still have been writing to a folder while it was emptied.
        for _ in 0..100 {
            if !path.is_dir() {
                break;
            }
            remove(&path);
        }
    }
    std::mem::forget(begun);
}

/// Removes what a killed process left in a folder: what has the right kind of name, and nobody holds.
fn remove_abandoned(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if name.to_str().is_some_and(is_ours)
            && let Ok(file) = File::open(entry.path())
            && file.try_lock().is_ok()
        {
            remove(&entry.path());
        }
    }
}

fn is_ours(name: &str) -> bool {
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    name.strip_prefix(PREFIX)
        .and_then(|rest| rest.split_once('-'))
        .is_some_and(|(first, second)| first == LOCK || number(first) && number(second))
}

/// The file by which a program holds a place that it will write to, so that a second one does not write there, too.
pub fn lock_for(place: &Path) -> PathBuf {
    let mut name = OsString::from(format!("{PREFIX}{LOCK}-"));
    name.push(place.file_name().unwrap_or_default());
    folder_of(place).join(name)
}

/// The folder that something lies in.
pub fn folder_of(path: &Path) -> &Path {
    path.parent()
        .filter(|above| !above.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

/// Writes a file beside its place, makes sure it is on the disk, and moves it there: whoever looks finds
/// the old content or the new one. A device or a pipe, which cannot be replaced, is written to as it is.
pub(crate) fn replace(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    if fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir()) {
        let mut file = BufWriter::new(File::options().write(true).open(path)?);
        write(&mut file)?;
        return file.flush();
    }
    // A link stays a link: what it points to is replaced.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let (beside, file) = Beside::file(folder_of(&path))?;
    let mut file = BufWriter::new(file);
    write(&mut file)?;
    file.into_inner()?.sync_all()?;
    beside.move_to(&path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        names.map(|name| name.into_string().unwrap()).collect()
    }

    #[test]
    fn a_write_that_fails_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model");
        replace(&path, |file| file.write_all(b"old")).unwrap();
        let error = replace(&path, |file| {
            file.write_all(b"new")?;
            Err(io::Error::other("no more"))
        });
        assert!(error.is_err());
        assert_eq!(fs::read(&path).unwrap(), b"old");
        replace(&path, |file| file.write_all(b"new")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert!(replace(folder.path(), |_| Ok(())).is_err(), "a folder is not replaced");
        assert_eq!(names(folder.path()), ["model"]);
    }

    #[test]
    #[cfg(unix)]
    fn links_stay_links_and_devices_devices() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        fs::write(&real, "old").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        replace(&link, |file| file.write_all(b"new")).unwrap();
        assert_eq!(fs::read(&real).unwrap(), b"new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        replace(Path::new("/dev/null"), |file| file.write_all(b"gone")).unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }

    #[test]
    fn what_nobody_holds_is_removed_and_what_somebody_writes_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let (held, _file) = Beside::file(folder.path()).unwrap();
        let held_folder = Beside::folder(folder.path()).unwrap();
        fs::write(held_folder.path().join("part"), "x").unwrap();
        // As a killed process leaves them; and names that are not ours.
        fs::write(folder.path().join(".likelier-999999-0"), "half").unwrap();
        fs::create_dir(folder.path().join(".likelier-999999-1")).unwrap();
        for name in [".likelier-notes", ".likelier-7-", "likelier-1-1"] {
            fs::write(folder.path().join(name), "mine").unwrap();
        }
        replace(&folder.path().join("model"), |file| file.write_all(b"new")).unwrap();
        assert!(held.path().exists() && held_folder.path().join("part").exists());
        held_folder.move_to(&folder.path().join("moved")).unwrap();
        drop(held);
        let mut left = names(folder.path());
        left.sort();
        let mine = [".likelier-7-", ".likelier-notes", "likelier-1-1", "model", "moved"];
        assert_eq!(left, mine);
    }
}
