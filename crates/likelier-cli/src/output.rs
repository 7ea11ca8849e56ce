//! What goes to standard output, to standard error, and into files.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Serialize;

/// What a verb found, where it was asked a question. A verb that only does something says yes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Yes,
    No,
}

/// A remark that a result needs, with a code that scripts can test for.
#[derive(Debug, Serialize)]
pub(crate) struct Warning {
    pub(crate) code: &'static str,
    pub(crate) message: String,
}

/// The one JSON object that `--json` prints.
#[derive(Serialize)]
struct Envelope<'a, T> {
    schema: u32,
    command: &'a str,
    result: &'a T,
    warnings: &'a [Warning],
}

/// Prints a verb's result for machines.
pub(crate) fn print_json(command: &str, result: &impl Serialize, warnings: &[Warning]) -> Result<()> {
    let mut out = io::stdout().lock();
    serde_json::to_writer_pretty(&mut out, &Envelope { schema: 1, command, result, warnings })
        .map_err(io::Error::from)?;
    writeln!(out)?;
    Ok(())
}

/// Prints a verb's result for people; its warnings go to standard error.
pub(crate) fn print_text(text: &str, warnings: &[Warning]) -> Result<()> {
    io::stdout().lock().write_all(text.as_bytes())?;
    for warning in warnings {
        tell(&format!("warning: {}\n", warning.message));
    }
    Ok(())
}

/// Prints an error and, where there is one, what to do about it.
pub(crate) fn complain(error: &anyhow::Error, hint: Option<&str>) {
    tell(&format!("error: {error:#}\n"));
    if let Some(hint) = hint {
        tell(&format!("hint: {hint}\n"));
    }
}

/// When standard error is gone there is nobody left to tell.
fn tell(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Whether the error is only that nobody reads the output any more, as in `likelier … | head`.
pub(crate) fn reader_is_gone(error: &anyhow::Error) -> bool {
    error
        .downcast_ref::<io::Error>()
        .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// A folder that appears whole or not at all: files are written beside it and moved into place.
pub(crate) struct NewFolder {
    path: PathBuf,
    work: PathBuf,
}

/// The folder that was asked for holds something already.
#[derive(Debug, thiserror::Error)]
#[error("{} already exists and is not empty", .0.display())]
pub(crate) struct FolderInUse(PathBuf);

impl NewFolder {
    /// Starts a folder. What can be known now to stand in its way is an error now.
    pub(crate) fn create(path: &Path) -> Result<Self> {
        match fs::read_dir(path).map(|mut entries| entries.next()) {
            Ok(Some(_)) => return Err(FolderInUse(path.to_owned()).into()),
            Ok(None) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error).with_context(|| path.display().to_string()),
        }
        // Work goes to the nearest folder above that is there; the rest is made only when all is well.
        let above = path
            .ancestors()
            .skip(1)
            .find(|above| above.as_os_str().is_empty() || above.exists());
        let above = above.filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let work = above.join(format!(".likelier-{}", std::process::id()));
        fs::create_dir(&work).with_context(|| format!("cannot write to {}", above.display()))?;
        Ok(Self { path: path.to_owned(), work })
    }

    /// Writes one file of the folder.
    pub(crate) fn write(
        &self,
        name: &str,
        content: impl FnOnce(&mut BufWriter<File>) -> Result<()>,
    ) -> Result<()> {
        let write = || {
            let mut file = BufWriter::new(File::create(self.work.join(name))?);
            content(&mut file)?;
            file.flush()?;
            anyhow::Ok(())
        };
        write().with_context(|| self.path.join(name).display().to_string())
    }

    /// Moves the folder to its place.
    pub(crate) fn finish(self) -> Result<()> {
        let place = || {
            if let Some(above) = self.path.parent().filter(|above| !above.as_os_str().is_empty()) {
                fs::create_dir_all(above)?;
            }
            fs::rename(&self.work, &self.path)
        };
        place().with_context(|| format!("cannot put the folder in place as {}", self.path.display()))
    }
}

impl Drop for NewFolder {
    /// Nothing is left of a folder that was not finished; a finished one has moved away.
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.work);
    }
}
