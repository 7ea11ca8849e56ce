//! How much is said on standard error besides errors: `--quiet` and `--verbose`.

use std::fs::Metadata;
use std::path::Path;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use likelier_tables::bytes_read;

use super::clean::one_line;
use super::tell;

/// Options that every verb has.
#[derive(Args)]
#[command(next_help_heading = "Everywhere")]
pub struct TalkArguments {
    /// Print only errors on standard error: no progress, no warnings. (--json still has the warnings.)
    #[arg(long, short, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Print on standard error what is read, what each epoch did, and how long it took.
    #[arg(long, short, global = true)]
    verbose: bool,
}

const QUIET: u8 = 0;
const NORMAL: u8 = 1;
const VERBOSE: u8 = 2;
static LEVEL: AtomicU8 = AtomicU8::new(NORMAL);

impl TalkArguments {
    /// To be called once, before anything is said.
    pub(super) fn apply(&self) {
        let level = match (self.quiet, self.verbose) {
            (true, _) => QUIET,
            (_, true) => VERBOSE,
            _ => NORMAL,
        };
        LEVEL.store(level, Ordering::Relaxed);
    }
}

pub(super) fn is_quiet() -> bool {
    LEVEL.load(Ordering::Relaxed) == QUIET
}

/// A line that only `--verbose` shows.
pub fn detail(line: impl FnOnce() -> String) {
    if LEVEL.load(Ordering::Relaxed) == VERBOSE {
        tell(&format!("{}\n", one_line(&line())));
    }
}

/// A progress bar on standard error, if that is a terminal and lines do not take its place. It has no colours.
pub fn bar(length: u64, template: &str) -> ProgressBar {
    if LEVEL.load(Ordering::Relaxed) != NORMAL {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(length);
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// How long something may take before it is told.
const PATIENCE: Duration = Duration::from_millis(500);

/// How long what is told stays as it is.
const TICK: Duration = Duration::from_millis(100);

/// Says what is going on, as long as it lives, once that takes a while.
pub struct Busy {
    end: Option<Sender<()>>,
    teller: Option<JoinHandle<()>>,
}

/// Work that cannot say how far it is: on a terminal its name and the time it takes, with `--verbose` a line.
pub fn busy(what: impl FnOnce() -> String) -> Busy {
    told_later(what, |what, ended| {
        let bar = bar(0, "{spinner} {msg}, {elapsed}").with_message(what);
        bar.enable_steady_tick(TICK);
        let _ = ended.recv();
        bar.finish_and_clear();
    })
}

/// Work that goes as far as files are read, which is told by their bytes.
pub fn reading(what: impl FnOnce() -> String, files: &[&Path]) -> Busy {
    let length = |file: &&Path| file.metadata().ok().filter(Metadata::is_file).map(|file| file.len());
    // Of a folder or a pipe it is not known how much there is.
    let Some(length) = files.iter().map(length).sum::<Option<u64>>().filter(|length| *length > 0) else {
        return busy(what);
    };
    let before = bytes_read();
    told_later(what, move |what, ended| {
        let bar = bar(length, "{bar:32} {msg}: {bytes} of {total_bytes}, {eta} left").with_message(what);
        while ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
            let (passed, total) = passed_of(bytes_read() - before, length);
            bar.set_length(total);
            bar.set_position(passed);
        }
        bar.finish_and_clear();
    })
}

/// How far reading is, and how far it goes, after so many bytes of files of this length. Some columns take a second look at
/// all of a file; the start of every file is read twice.
fn passed_of(bytes: u64, length: u64) -> (u64, u64) {
    const STARTS: u64 = 32 << 20;
    let total = length * bytes.saturating_sub(STARTS).div_ceil(length).max(1);
    (bytes.min(total), total)
}

/// Tells on a thread of its own that there is work, if it takes a while, until the channel is closed.
fn told_later(
    what: impl FnOnce() -> String,
    tell: impl FnOnce(String, Receiver<()>) + Send + 'static,
) -> Busy {
    if is_quiet() {
        return Busy { end: None, teller: None };
    }
    let what = one_line(&what()).into_owned();
    let (end, ended) = mpsc::channel();
    let teller = move || {
        if ended.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
            return;
        }
        detail(|| format!("{what} …"));
        tell(what, ended);
    };
    Busy { end: Some(end), teller: thread::Builder::new().spawn(teller).ok() }
}

impl Drop for Busy {
    fn drop(&mut self) {
        drop(self.end.take());
        // The line is gone before anything else is said.
        if let Some(teller) = self.teller.take() {
            let _ = teller.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_read_again_is_twice_as_long() {
        let length = 1 << 30;
        assert_eq!(passed_of(5, length), (5, length));
        assert_eq!(passed_of(length, length), (length, length));
        // The starts of two files, read twice.
        assert_eq!(passed_of(length + (8 << 20), length), (length, length));
        assert_eq!(passed_of(length + (100 << 20), length), (length + (100 << 20), 2 * length));
    }
}
