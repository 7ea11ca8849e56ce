//! One file of answers: SQLite, beside the items.
//!
//! What is acknowledged is on the disk (`synchronous=FULL`). Answers are only ever added; undoing one adds a row. The one
//! exception is [`Store::forget`], on request. One program at a time has the file open for writing.

mod forms;
mod pairs;
mod people;
mod settings;
#[cfg(test)]
mod tests;
mod tidying;

use std::path::{Path, PathBuf};

use likelier::lock::{Lock, NotLocked};
use rusqlite::{Connection, OpenFlags};

pub use forms::{Choice, Origin};
pub(crate) use forms::{now, parse_time};
pub(crate) use likelier::data::moments::iso;
pub(crate) use pairs::{NewPair, Shown};
pub use people::Person;
pub use settings::Settings;
pub(crate) use tidying::Tidying;

use crate::error::LabelError;

/// "lkLB", so that `file` and we know the file.
const APPLICATION: i64 = 0x6c6b_4c42;
/// The schema is brought up to this version one step at a time.
const STEPS: [&str; 2] = [include_str!("schema.sql"), include_str!("schema_2.sql")];

/// An open file of answers.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    connection: Connection,
    lock: Option<Lock>,
    /// The version of the file: one that is only read stays as it is.
    version: i64,
}

impl Store {
    /// Opens a file to write to it, or makes it.
    pub fn open(path: &Path) -> Result<Self, LabelError> {
        let lock = held(path)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        private(path).map_err(|reason| LabelError::file(path, reason))?;
        let connection = Connection::open_with_flags(path, flags).map_err(|reason| of(path, reason))?;
        let mut store = Self { path: path.to_owned(), connection, lock: Some(lock), version: 0 };
        store.check_known()?;
        // A step may make a table anew, which must not delete what refers to it.
        store.run("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=OFF; PRAGMA secure_delete=ON;")?;
        store.run(&format!("PRAGMA wal_autocheckpoint={}", tidying::AT_MOST))?;
        store.migrate(&STEPS)?;
        store.run("PRAGMA foreign_keys=ON")?;
        Ok(store)
    }

    /// Opens a file that is there to read it, also while a server writes to it.
    pub fn read(path: &Path) -> Result<Self, LabelError> {
        if !path.is_file() {
            return Err(LabelError::NoSuchAnswers(path.to_owned()));
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).map_err(|reason| of(path, reason))?;
        let mut store = Self { path: path.to_owned(), connection, lock: None, version: 0 };
        store.version = store.check_known()?;
        if store.version == 0 {
            return Err(LabelError::NotAnswers(path.to_owned()));
        }
        Ok(store)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The version of the file, 0 if it is empty.
    fn check_known(&self) -> Result<i64, LabelError> {
        let number = |pragma: &str| {
            self.connection
                .query_row(&format!("PRAGMA {pragma}"), [], |row| row.get::<_, i64>(0))
        };
        let (ours, version) = match (number("application_id"), number("user_version")) {
            (Ok(application), Ok(version)) => (application == APPLICATION, version),
            (Err(reason), _) | (_, Err(reason)) => {
                return Err(match reason.sqlite_error_code() {
                    Some(rusqlite::ErrorCode::NotADatabase) => LabelError::NotAnswers(self.path.clone()),
                    _ => self.refused(reason),
                });
            }
        };
        let tables = "SELECT count(*) FROM sqlite_schema";
        let empty = self.connection.query_row(tables, [], |row| row.get::<_, i64>(0));
        let empty = empty.map_err(|reason| self.refused(reason))? == 0;
        if !ours && !empty {
            return Err(LabelError::NotAnswers(self.path.clone()));
        }
        let known = i64::try_from(STEPS.len()).unwrap_or(i64::MAX);
        if version > known {
            return Err(LabelError::Newer { path: self.path.clone(), found: version, known });
        }
        Ok(version)
    }

    /// Takes the steps that the file has not taken, each wholly or not at all.
    fn migrate(&mut self, steps: &[&str]) -> Result<(), LabelError> {
        let version = self.check_known()?;
        let path = self.path.clone();
        let refused = |reason| of(&path, reason);
        for (step, next) in steps.iter().zip(1..).skip(version as usize) {
            let transaction = self.connection.transaction().map_err(refused)?;
            let marks = format!("PRAGMA application_id={APPLICATION}; PRAGMA user_version={next};");
            transaction.execute_batch(step).map_err(refused)?;
            transaction.execute_batch(&marks).map_err(refused)?;
            transaction.commit().map_err(refused)?;
        }
        self.version = i64::try_from(steps.len()).unwrap_or(i64::MAX);
        Ok(())
    }

    pub(crate) fn run(&self, statements: &str) -> Result<(), LabelError> {
        self.connection.execute_batch(statements).map_err(|reason| self.refused(reason))
    }

    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }

    fn refused(&self, reason: rusqlite::Error) -> LabelError {
        of(&self.path, reason)
    }

    /// Runs SQLite's own check of the whole file.
    pub fn check(&self) -> Result<(), LabelError> {
        let said: String = self
            .connection
            .query_row("PRAGMA integrity_check", [], |row| row.get(0))
            .map_err(|reason| self.refused(reason))?;
        if said == "ok" { Ok(()) } else { Err(LabelError::NotAnswers(self.path.clone())) }
    }

    /// Leaves one plain file behind, which can be copied and read from anywhere.
    pub fn close(self) -> Result<(), LabelError> {
        if self.lock.is_some() {
            // Somebody who reads it at this moment may be in the way. Then the file stays as it is, which is sound too.
            let _ = self.run("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode=DELETE;");
        }
        let Self { path, connection, lock, .. } = self;
        let closed = connection.close().map_err(|(_, reason)| of(&path, reason));
        drop(lock);
        closed
    }
}

fn of(path: &Path, reason: rusqlite::Error) -> LabelError {
    LabelError::Sqlite { path: path.to_owned(), reason }
}

/// Makes a new file that nobody else may read: it holds the links.
fn private(path: &Path) -> std::io::Result<()> {
    if path.exists() {
        return Ok(());
    }
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop)
}

/// One program at a time writes; the lock lies beside the answers.
fn held(answers: &Path) -> Result<Lock, LabelError> {
    let mut name = answers.as_os_str().to_owned();
    name.push("-lock");
    Lock::take(Path::new(&name)).map_err(|reason| match reason {
        NotLocked::Held(_) => LabelError::InUse(answers.to_owned()),
        NotLocked::System(reason) => LabelError::file(answers, reason),
    })
}
