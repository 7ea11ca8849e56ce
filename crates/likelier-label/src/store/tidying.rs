//! A second connection that carries what was stored from SQLite's log (the `-wal` file) over into the file itself, so
//! that no answer waits for it.

use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

/// Pages in the log that make the writer carry them over itself: the log's size is bounded however fast answers come.
pub(super) const AT_MOST: u32 = 16_384;
/// Between two rounds.
const PAUSE: Duration = Duration::from_millis(500);

/// A thread that tidies up after the writer.
#[derive(Debug)]
pub(crate) struct Tidying {
    stored: Option<SyncSender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Tidying {
    pub(crate) fn of(path: &Path) -> Self {
        let (stored, wake) = sync_channel(1);
        let path = path.to_owned();
        let thread = std::thread::spawn(move || run(&path, &wake));
        Self { stored: Some(stored), thread: Some(thread) }
    }

    /// Says that something was stored. Never waits.
    pub(crate) fn stored(&self) {
        // A full channel means that a round is due already; a closed one, that there is nobody to do it.
        let _ = self.stored.as_ref().map(|stored| stored.try_send(()));
    }
}

impl Drop for Tidying {
    fn drop(&mut self) {
        drop(self.stored.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn run(path: &Path, wake: &Receiver<()>) {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let Ok(connection) = Connection::open_with_flags(path, flags) else {
        // Then the writer does it, now and again.
        return;
    };
    while wake.recv().is_ok() {
        // What cannot be carried over now, because the disk is full, stays in the log, and is tried again.
        let _ = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
        std::thread::sleep(PAUSE);
    }
}
