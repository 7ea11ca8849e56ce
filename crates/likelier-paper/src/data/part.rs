//! A download on its way: `FILE.part`, and beside it `FILE.part.json`, which says what it is the start of.
//!
//! Both survive an interruption of any kind. They are the start of the *same* file only if the server says
//! so, by the validator it gave (ETag, else Last-Modified) or at least by the length: see [`PartFile::splice`].

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use likelier_cli::terminal::{About, Failure, Result, mistake};
use serde::{Deserialize, Serialize};

/// What a server said of the file it gives.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Origin {
    /// Where it is from.
    pub(super) address: String,
    /// A text that changes when the file does.
    pub(super) validator: Option<String>,
    /// The length of the whole file.
    pub(super) length: Option<u64>,
}

/// What a server answered to a request for a file, or for the rest of it.
#[derive(Clone, Debug)]
pub(super) struct Reply {
    pub(super) status: u16,
    /// The first byte it sends, if it sends the rest of a file.
    pub(super) start: Option<u64>,
    pub(super) origin: Origin,
}

/// What to do with a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Splice {
    /// Add its bytes to those that are there.
    Append,
    /// It starts at the first byte, so forget those that are there.
    Restart,
    /// It does not fit to those that are there: forget them, and ask for the whole file.
    AskAgain,
    /// It is no file.
    Refuse,
}

/// The two files.
pub(super) struct PartFile {
    path: PathBuf,
    file: File,
    have: u64,
    origin: Option<Origin>,
    /// Bytes that came in by this process.
    received: u64,
    /// Whether its bytes are of more than one reply.
    spliced: bool,
    placed: bool,
}

impl PartFile {
    /// Opens what there is of `FILE`, or starts it. Nobody else can have it open at the same time.
    pub(super) fn open(folder: &Path, file_name: &str) -> Result<Self> {
        let path = folder.join(format!("{file_name}.part"));
        let opened = OpenOptions::new().create(true).append(true).open(&path);
        let file = opened.map_err(cannot_write(&path))?;
        // Some network folders know no locks; the checksum is the judge there.
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(mistake(
                format!("{} is in use by another process", path.display()),
                "another `likelier-paper data fetch` is at work there: wait for it to end",
            ));
        }
        let have = file.metadata().about(|| path.display().to_string())?.len();
        // A description that cannot be read is as good as none: the download starts again.
        let origin = fs::read(origin_path(&path))
            .ok()
            .and_then(|text| serde_json::from_slice(&text).ok());
        Ok(Self { path, file, have, origin, received: 0, spliced: false, placed: false })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// How many bytes are there.
    pub(super) fn have(&self) -> u64 {
        self.have
    }

    /// How many bytes there will be, if that is known.
    pub(super) fn length(&self) -> Option<u64> {
        self.origin.as_ref().and_then(|origin| origin.length)
    }

    /// How many bytes came in by this process.
    pub(super) fn received(&self) -> u64 {
        self.received
    }

    /// Whether its bytes are of more than one reply.
    pub(super) fn is_spliced(&self) -> bool {
        self.spliced
    }

    /// Whether everything from this address is there already.
    pub(super) fn is_complete(&self, address: &str) -> bool {
        self.start_of(address).is_some_and(|origin| origin.length == Some(self.have))
    }

    /// What is known of the file whose start is there, if a download from this address can continue it.
    pub(super) fn start_of(&self, address: &str) -> Option<&Origin> {
        self.origin.as_ref().filter(|origin| {
            origin.address == address
                && self.have > 0
                && (origin.validator.is_some() || origin.length.is_some())
                && origin.length.is_none_or(|length| self.have <= length)
        })
    }

    /// What to do with the reply to a request that asked for the rest of `start` from byte `have`, or for
    /// the whole file if there is no start.
    pub(super) fn splice(start: Option<&Origin>, have: u64, reply: &Reply) -> Splice {
        match (reply.status, start) {
            (200, _) => Splice::Restart,
            (206, Some(start)) => {
                // A server may answer with a part of a changed file although it was told not to.
                let fits = reply.start == Some(have)
                    && reply.origin.length.is_some()
                    && start.length.is_none_or(|length| reply.origin.length == Some(length))
                    && (start.validator.is_none() || start.validator == reply.origin.validator);
                if fits { Splice::Append } else { Splice::AskAgain }
            }
            // "Range not satisfiable": the file has become shorter.
            (416, Some(_)) => Splice::AskAgain,
            _ => Splice::Refuse,
        }
    }

    /// Continues with bytes of another reply.
    pub(super) fn go_on(&mut self) {
        self.spliced = true;
    }

    /// Starts again with the first byte of what `origin` describes.
    pub(super) fn restart(&mut self, origin: Origin) -> Result<()> {
        self.clear()?;
        let path = origin_path(&self.path);
        let text = serde_json::to_vec(&origin).map_err(io::Error::from);
        text.and_then(|text| fs::write(&path, text)).map_err(cannot_write(&path))?;
        self.origin = Some(origin);
        Ok(())
    }

    /// Forgets everything. The description goes first: bytes without one are never continued.
    pub(super) fn clear(&mut self) -> Result<()> {
        remove(&origin_path(&self.path))?;
        self.file.set_len(0).map_err(cannot_write(&self.path))?;
        (self.have, self.origin, self.spliced) = (0, None, false);
        Ok(())
    }

    /// Adds bytes. They are with the system when this returns, so nothing is lost when the process is killed.
    pub(super) fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).map_err(cannot_write(&self.path))?;
        self.have += bytes.len() as u64;
        self.received += bytes.len() as u64;
        Ok(())
    }

    /// Moves the file to its place, over what may be there.
    pub(super) fn place(mut self, target: &Path) -> Result<()> {
        self.file.sync_all().map_err(cannot_write(&self.path))?;
        fs::rename(&self.path, target).map_err(cannot_write(target))?;
        self.placed = true;
        remove(&origin_path(&self.path))
    }
}

impl Drop for PartFile {
    /// A start without bytes is of no use to anybody.
    fn drop(&mut self) {
        if self.have == 0 && !self.placed {
            let _ = fs::remove_file(origin_path(&self.path));
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn origin_path(part: &Path) -> PathBuf {
    let mut path = part.as_os_str().to_owned();
    path.push(".json");
    path.into()
}

/// What to tell of an error when `path` is written.
fn cannot_write(path: &Path) -> impl Fn(io::Error) -> Failure {
    move |error| {
        let is_full = error.kind() == io::ErrorKind::StorageFull;
        let failure = Failure::from(error).about(format!("cannot write {}", path.display()));
        if is_full {
            failure.advising("make room on the disk; what has arrived of a download is kept")
        } else {
            failure
        }
    }
}

fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).about(|| format!("cannot remove {}", path.display()))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(validator: Option<&str>, length: Option<u64>) -> Origin {
        Origin { address: "http://a/f".into(), validator: validator.map(str::to_owned), length }
    }

    fn rest(start: u64, origin: Origin) -> Reply {
        Reply { status: 206, start: Some(start), origin }
    }

    #[test]
    fn the_rest_is_added_only_to_the_start_of_the_same_file() {
        let start = origin(Some("\"1\""), Some(10));
        let splice = |reply: &Reply| PartFile::splice(Some(&start), 4, reply);
        assert_eq!(splice(&rest(4, start.clone())), Splice::Append);
        // Another place in the file, another version of it, another length, or no word on either.
        assert_eq!(splice(&rest(3, start.clone())), Splice::AskAgain);
        assert_eq!(splice(&rest(4, origin(Some("\"2\""), Some(10)))), Splice::AskAgain);
        assert_eq!(splice(&rest(4, origin(None, Some(10)))), Splice::AskAgain);
        assert_eq!(splice(&rest(4, origin(Some("\"1\""), Some(11)))), Splice::AskAgain);
        assert_eq!(splice(&rest(4, origin(Some("\"1\""), None))), Splice::AskAgain);
        assert_eq!(splice(&Reply { start: None, ..rest(4, start.clone()) }), Splice::AskAgain);
        assert_eq!(splice(&Reply { status: 416, ..rest(4, start.clone()) }), Splice::AskAgain);
        // A server that gives whole files only, or another one than before.
        assert_eq!(splice(&Reply { status: 200, ..rest(4, start.clone()) }), Splice::Restart);
        assert_eq!(splice(&Reply { status: 404, ..rest(4, start.clone()) }), Splice::Refuse);
        // The length alone will do where there is no validator.
        let start = origin(None, Some(10));
        assert_eq!(PartFile::splice(Some(&start), 4, &rest(4, start.clone())), Splice::Append);
        let longer = origin(None, Some(11));
        assert_eq!(PartFile::splice(Some(&start), 4, &rest(4, longer)), Splice::AskAgain);
        // A part of a file that nobody asked for.
        assert_eq!(PartFile::splice(None, 0, &rest(0, start)), Splice::Refuse);
    }

    #[test]
    fn a_start_is_remembered_with_where_it_is_from() {
        let folder = tempfile::tempdir().unwrap();
        let described = origin(Some("\"1\""), Some(10));
        let mut part = PartFile::open(folder.path(), "f").unwrap();
        assert_eq!(part.start_of("http://a/f"), None);
        part.restart(described.clone()).unwrap();
        assert_eq!(part.start_of("http://a/f"), None, "nothing is there yet");
        part.append(b"12345").unwrap();
        drop(part);

        let mut part = PartFile::open(folder.path(), "f").unwrap();
        assert_eq!((part.have(), part.received()), (5, 0));
        assert_eq!(part.start_of("http://a/f"), Some(&described));
        assert_eq!(part.start_of("http://b/f"), None);
        assert!(!part.is_complete("http://a/f"));
        part.append(b"67890").unwrap();
        assert!(part.is_complete("http://a/f") && !part.is_complete("http://b/f"));
        part.append(b"!").unwrap();
        assert_eq!(part.start_of("http://a/f"), None, "too long to be a start");
        part.clear().unwrap();
        assert_eq!((part.have(), part.start_of("http://a/f")), (0, None));
    }

    #[test]
    fn bytes_without_a_readable_description_are_not_continued() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("f.part"), "12345").unwrap();
        assert_eq!(PartFile::open(folder.path(), "f").unwrap().start_of("http://a/f"), None);
        fs::write(folder.path().join("f.part.json"), "{\"address\":\"http://a/").unwrap();
        assert_eq!(PartFile::open(folder.path(), "f").unwrap().start_of("http://a/f"), None);
        // Neither a validator nor a length: nothing would show that the file has changed.
        fs::write(folder.path().join("f.part.json"), serde_json::to_vec(&origin(None, None)).unwrap())
            .unwrap();
        assert_eq!(PartFile::open(folder.path(), "f").unwrap().start_of("http://a/f"), None);
    }

    #[test]
    fn a_part_has_one_owner_and_leaves_nothing_but_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let mut part = PartFile::open(folder.path(), "f").unwrap();
        let error = PartFile::open(folder.path(), "f").err().unwrap();
        assert!(error.to_string().ends_with("f.part is in use by another process"), "{error}");
        part.restart(origin(None, None)).unwrap();
        part.append(b"new").unwrap();
        let target = folder.path().join("f");
        fs::write(&target, "old").unwrap();
        part.place(&target).unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"new");
        drop(PartFile::open(folder.path(), "g").unwrap());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
