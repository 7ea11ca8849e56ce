//! Files and folders that appear whole or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use likelier::files::{Beside, folder_of, lock_for};
use likelier::lock::{Lock, NotLocked};

use super::{About, Failure, Result, mistake};

/// A file that appears whole or not at all: it is written beside its place and moved there. `-` is
/// standard output; a device or a pipe is written to as it is.
pub struct NewFile {
    path: PathBuf,
    to: Destination,
}

enum Destination {
    StandardOutput,
    /// What cannot be replaced.
    Device(File),
    Replaced(Replaced),
}

/// A file that takes the place of another one.
struct Replaced {
    beside: Beside,
    file: File,
    /// Held until the file is in its place; absent where the file system has no locks.
    _lock: Option<Lock>,
}

impl NewFile {
    /// Starts a file, before the work whose result it will hold. What can be known now to stand in its
    /// way is an error now: also that it is one of the files that are read.
    pub fn create<'a>(path: &Path, read: impl IntoIterator<Item = &'a PathBuf>) -> Result<Self> {
        if let Ok(real) = fs::canonicalize(path)
            && fs::metadata(&real).is_ok_and(|there| there.is_file())
            && read
                .into_iter()
                .any(|input| fs::canonicalize(input).is_ok_and(|input| input == real))
        {
            let what = format!("--out {} would replace a file that this command reads", path.display());
            return Err(mistake(what, "give --out a name of its own"));
        }
        let mut held = None;
        let mut open = || match fs::metadata(path) {
            _ if path == Path::new("-") => Ok((path.to_owned(), Destination::StandardOutput)),
            Ok(there) if there.is_dir() => Err(io::Error::from(io::ErrorKind::IsADirectory)),
            Ok(there) if !there.is_file() => {
                Ok((path.to_owned(), Destination::Device(File::options().write(true).open(path)?)))
            }
            _ => {
                // A link stays a link: what it points to is replaced.
                let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
                let (beside, file) = Beside::file(folder_of(&path))?;
                let lock = match Lock::take(&lock_for(&path)) {
                    Ok(lock) => Some(lock),
                    Err(NotLocked::System(_)) => None,
                    Err(NotLocked::Held(process)) => {
                        held = Some(process);
                        None
                    }
                };
                Ok((path, Destination::Replaced(Replaced { beside, file, _lock: lock })))
            }
        };
        let (path, to) = open().about(|| format!("cannot write {}", path.display()))?;
        if let Some(process) = held {
            let process = process.map_or_else(String::new, |number| format!(" (process {number})"));
            return Err(mistake(
                format!("{} is being written by another run{process}", path.display()),
                "wait until that run has ended, or give --out another name",
            ));
        }
        Ok(Self { path, to })
    }

    /// Whether it is standard output, which then has no room for anything else.
    pub fn is_standard_output(&self, json: bool) -> Result<bool> {
        let alone = matches!(self.to, Destination::StandardOutput);
        if alone && json {
            return Err(mistake(
                "--json and --out - would both write to standard output",
                "leave out --json, or name a file with --out",
            ));
        }
        Ok(alone)
    }

    /// Whether it is a file that stays, and not a pipe, a device or standard output.
    pub fn is_a_file(&self) -> bool {
        matches!(self.to, Destination::Replaced(..))
    }

    /// Writes the content and puts the file in its place.
    pub fn finish(self, content: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
        let Self { path, to } = self;
        let write = || {
            match to {
                Destination::StandardOutput => {
                    let mut out = io::stdout().lock();
                    content(&mut out)?;
                    out.flush()?;
                }
                Destination::Device(file) => {
                    let mut out = BufWriter::new(file);
                    content(&mut out)?;
                    out.flush()?;
                }
                Destination::Replaced(Replaced { beside, file, _lock: held }) => {
                    let mut out = BufWriter::new(file);
                    content(&mut out)?;
                    out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
                    beside.move_to(&path)?;
                    drop(held);
                }
            }
            Ok(())
        };
        write().map_err(|failure: Failure| {
            // What went wrong need not be the writing.
            let writing = failure.is_of_the_system();
            if writing { failure.about(format!("cannot write {}", path.display())) } else { failure }
        })
    }
}

/// A folder that appears whole or not at all: files are written beside it and moved into place.
pub struct NewFolder {
    path: PathBuf,
    work: Beside,
}

impl NewFolder {
    /// Starts a folder. What can be known now to stand in its way is an error now.
    pub fn create(path: &Path) -> Result<Self> {
        if path == Path::new("-") {
            return Err(mistake(
                "--out must be a folder, because several files are written; standard output (-) can take only one",
                "name a folder that does not exist yet",
            ));
        }
        match fs::read_dir(path).map(|mut entries| entries.next()) {
            Ok(Some(_)) => {
                let what = format!("{} already exists and is not empty", path.display());
                return Err(mistake(
                    what,
                    "name a folder that does not exist yet, or remove this one first",
                ));
            }
            Ok(None) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error).about(|| path.display().to_string()),
        }
        // Work goes to the nearest folder above that is there; the rest is made only when all is well.
        let above = path
            .ancestors()
            .skip(1)
            .find(|above| above.as_os_str().is_empty() || above.exists());
        let above = above.filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let work = Beside::folder(above).about(|| format!("cannot write to {}", above.display()))?;
        Ok(Self { path: path.to_owned(), work })
    }

    /// Writes one file of the folder.
    pub fn write(
        &self,
        name: &str,
        content: impl FnOnce(&mut BufWriter<File>) -> Result<()>,
    ) -> Result<()> {
        let write = || {
            let mut file = BufWriter::new(File::create(self.work.path().join(name))?);
            content(&mut file)?;
            file.flush()?;
            Ok(())
        };
        let written: Result<()> = write();
        written.about(|| self.path.join(name).display().to_string())
    }

    /// Moves the folder to its place.
    pub fn finish(self) -> Result<()> {
        let Self { path, work } = self;
        let place = || {
            fs::create_dir_all(folder_of(&path))?;
            work.move_to(&path)
        };
        place().about(|| format!("cannot put the folder in place as {}", path.display()))
    }
}
