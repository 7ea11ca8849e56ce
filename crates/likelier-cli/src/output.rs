//! What goes to standard output, to standard error, and into files.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result};
use likelier::estimate::Interval;
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
    write_json(&mut io::stdout().lock(), command, result, warnings)
}

/// Writes a verb's result for machines.
pub(crate) fn write_json(
    mut out: &mut dyn Write,
    command: &str,
    result: &impl Serialize,
    warnings: &[Warning],
) -> Result<()> {
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

/// An interval in words, cut to what a share can be.
pub(crate) fn range(interval: &Interval) -> String {
    let shown = interval.clipped(0.0, 1.0);
    format!("{:.3} to {:.3}", shown.low, shown.high)
}

/// Text broken into lines that fit a page, each behind the indent.
pub(crate) fn wrapped(text: &str, indent: &str) -> String {
    const WIDTH: usize = 100;
    let (mut lines, mut length) = (String::new(), WIDTH);
    for word in text.split_whitespace() {
        let word_length = word.chars().count();
        if length + 1 + word_length > WIDTH {
            if !lines.is_empty() {
                lines.push('\n');
            }
            lines.push_str(indent);
            length = indent.chars().count();
        } else {
            lines.push(' ');
            length += 1;
        }
        lines.push_str(word);
        length += word_length;
    }
    lines.push('\n');
    lines
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

/// Something made beside its place, and then moved there. Nothing is left of it if it is not.
struct Beside(PathBuf);

impl Beside {
    /// A place in the folder `above` that nothing else has.
    fn new(above: &Path) -> Self {
        static MADE: AtomicUsize = AtomicUsize::new(0);
        let made = MADE.fetch_add(1, Ordering::Relaxed);
        Self(above.join(format!(".likelier-{}-{made}", std::process::id())))
    }

    fn move_to(self, path: &Path) -> io::Result<()> {
        fs::rename(&self.0, path)
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0).or_else(|_| fs::remove_dir_all(&self.0));
    }
}

/// The folder that something lies in.
fn folder_of(path: &Path) -> &Path {
    path.parent()
        .filter(|above| !above.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

/// A file that appears whole or not at all: it is written beside its place and moved there. `-` is
/// standard output; a device or a pipe is written to as it is.
pub(crate) struct NewFile {
    path: PathBuf,
    to: Destination,
}

enum Destination {
    StandardOutput,
    /// What cannot be replaced.
    Device(File),
    Replaced(Beside, File),
}

impl NewFile {
    /// Starts a file, before the work whose result it will hold. What can be known now to stand in its
    /// way is an error now.
    pub(crate) fn create(path: &Path) -> Result<Self> {
        let open = || match fs::metadata(path) {
            _ if path == Path::new("-") => Ok((path.to_owned(), Destination::StandardOutput)),
            Ok(there) if there.is_dir() => Err(io::Error::from(io::ErrorKind::IsADirectory)),
            Ok(there) if !there.is_file() => {
                Ok((path.to_owned(), Destination::Device(File::options().write(true).open(path)?)))
            }
            _ => {
                // A link stays a link: what it points to is replaced.
                let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
                let beside = Beside::new(folder_of(&path));
                let file = File::create_new(&beside.0)?;
                Ok((path, Destination::Replaced(beside, file)))
            }
        };
        let (path, to) = open().with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self { path, to })
    }

    /// Whether it is standard output, which then has no room for anything else.
    pub(crate) fn is_standard_output(&self) -> bool {
        matches!(self.to, Destination::StandardOutput)
    }

    /// Whether it is a file that stays, and not a pipe, a device or standard output.
    pub(crate) fn is_a_file(&self) -> bool {
        matches!(self.to, Destination::Replaced(..))
    }

    /// Writes the content and puts the file in its place.
    pub(crate) fn finish(self, content: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
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
                Destination::Replaced(beside, file) => {
                    let mut out = BufWriter::new(file);
                    content(&mut out)?;
                    out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
                    beside.move_to(&path)?;
                }
            }
            anyhow::Ok(())
        };
        write().with_context(|| format!("cannot write {}", path.display()))
    }
}

/// A folder that appears whole or not at all: files are written beside it and moved into place.
pub(crate) struct NewFolder {
    path: PathBuf,
    work: Beside,
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
        let work = Beside::new(above);
        fs::create_dir(&work.0).with_context(|| format!("cannot write to {}", above.display()))?;
        Ok(Self { path: path.to_owned(), work })
    }

    /// Writes one file of the folder.
    pub(crate) fn write(
        &self,
        name: &str,
        content: impl FnOnce(&mut BufWriter<File>) -> Result<()>,
    ) -> Result<()> {
        let write = || {
            let mut file = BufWriter::new(File::create(self.work.0.join(name))?);
            content(&mut file)?;
            file.flush()?;
            anyhow::Ok(())
        };
        write().with_context(|| self.path.join(name).display().to_string())
    }

    /// Moves the folder to its place.
    pub(crate) fn finish(self) -> Result<()> {
        let Self { path, work } = self;
        let place = || {
            fs::create_dir_all(folder_of(&path))?;
            work.move_to(&path)
        };
        place().with_context(|| format!("cannot put the folder in place as {}", path.display()))
    }
}
