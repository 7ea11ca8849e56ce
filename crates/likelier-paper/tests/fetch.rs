//! `likelier-paper data fetch` against a server that is as unreliable as the world: whatever happens, what is in
//! place is whole, and nothing is fetched twice that need not be.
//!
//! The files are the real ones of Pendigits, because only published files are ever put in place.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;
use server::{Reply, Request, Server};
use tempfile::TempDir;

mod data_dir;
mod server;

const NAMES: [&str; 2] = ["pendigits.tra", "pendigits.tes"];

/// The real files, and an empty data directory.
struct Fixture {
    real: PathBuf,
    folder: TempDir,
}

impl Fixture {
    fn new() -> Option<Self> {
        let real = data_dir::data_dir()?.join("pendigits");
        Some(Self { real, folder: tempfile::tempdir().unwrap() })
    }

    fn real(&self, name: &str) -> Vec<u8> {
        fs::read(self.real.join(name)).unwrap()
    }

    fn place(&self, name: &str) -> PathBuf {
        self.folder.path().join("pendigits").join(name)
    }

    fn put(&self, name: &str, bytes: &[u8]) {
        fs::create_dir_all(self.folder.path().join("pendigits")).unwrap();
        fs::write(self.place(name), bytes).unwrap();
    }

    /// The names of all files in the data set's folder.
    fn files(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.folder.path().join("pendigits")) else { return Vec::new() };
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// A server of the real files; `special` may answer in its stead.
    fn server(&self, special: impl Fn(&Request, usize) -> Option<Reply> + Send + Sync + 'static) -> Server {
        let files = NAMES.map(|name| (name, self.real(name)));
        Server::start(move |request, before| {
            let real = || {
                let file = files.iter().find(|(name, _)| request.path == format!("/pendigits/{name}"));
                file.map_or(Reply::status(404), |(_, bytes)| Reply::file(bytes.clone()))
            };
            special(request, before).unwrap_or_else(real)
        })
    }

    fn fetch(&self, mirrors: &[&Server]) -> Output {
        command(self.folder.path(), mirrors).output().unwrap()
    }

    /// Fetches, which must succeed, and gives the number of bytes received.
    fn fetch_all(&self, mirrors: &[&Server]) -> u64 {
        let output = self.fetch(mirrors);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        for name in NAMES {
            assert_eq!(fs::read(self.place(name)).unwrap(), self.real(name), "{name}");
        }
        assert_eq!(self.files(), ["pendigits.tes", "pendigits.tra"], "nothing else is left");
        let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((printed["schema"].as_u64(), &printed["command"]), (Some(1), &"data fetch".into()));
        printed["result"]["data_sets"][0]["received_bytes"].as_u64().unwrap()
    }

    /// Fetches, which must fail, and gives the error.
    fn fetch_in_vain(&self, mirrors: &[&Server]) -> String {
        let output = self.fetch(mirrors);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(output.stdout.is_empty());
        said
    }

    /// Waits until so many bytes have arrived, or the process has ended without them.
    fn wait_for(&self, child: &mut Child, bytes: u64) {
        let part = self.place("pendigits.tra.part");
        while fs::metadata(&part).map_or(0, |data| data.len()) < bytes {
            assert!(child.try_wait().unwrap().is_none(), "it ended before so much had arrived");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Starts fetching from a server that hangs, waits for the first `bytes`, and kills it as nothing can.
    fn fetch_and_kill(&self, mirror: &Server, bytes: u64) {
        let mut child: Child =
            command(self.folder.path(), &[mirror]).stdout(Stdio::null()).spawn().unwrap();
        self.wait_for(&mut child, bytes);
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!self.place("pendigits.tra").exists());
    }
}

fn command(data_dir: &Path, mirrors: &[&Server]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_likelier-paper"));
    command
        .args(["data", "fetch", "pendigits", "--json", "--data-dir"])
        .arg(data_dir);
    for mirror in mirrors {
        command.args(["--mirror", &mirror.address]);
    }
    for variable in ["ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY"] {
        command.env_remove(variable).env_remove(variable.to_lowercase());
    }
    command
}

fn is_tra(request: &Request) -> bool {
    request.path.ends_with("pendigits.tra")
}

#[test]
fn files_are_fetched_once_and_then_left_alone() {
    let Some(fixture) = Fixture::new() else { return };
    let server = fixture.server(|_, _| None);
    assert_eq!(fixture.fetch_all(&[&server]), 502_098 + 234_366);
    assert_eq!(server.requests().len(), 2);
    assert_eq!(fixture.fetch_all(&[&server]), 0);
    assert_eq!(server.requests().len(), 2, "whole files are not asked for");
    // What is missing is fetched, and nothing else.
    fs::remove_file(fixture.place("pendigits.tes")).unwrap();
    assert_eq!(fixture.fetch_all(&[&server]), 234_366);
    assert_eq!(server.requests_for("tra").len(), 1);
}

#[test]
fn a_wrong_file_is_not_put_in_place() {
    let Some(fixture) = Fixture::new() else { return };
    let mut wrong = fixture.real("pendigits.tra");
    wrong[1000] ^= 1;
    let server = fixture.server(move |request, _| is_tra(request).then(|| Reply::file(wrong.clone())));
    let said = fixture.fetch_in_vain(&[&server]);
    assert!(said.starts_with("error: pendigits (pendigits.tra) could not be fetched\n"), "{said}");
    assert!(
        said.contains("pendigits.tra: what it sends is not what was published: its SHA-256 is "),
        "{said}"
    );
    assert!(said.contains("hint: check the network, or name a copy elsewhere with --mirror"), "{said}");
    assert_eq!(fixture.files(), ["pendigits.tes"], "the other one is there, and no rest of the wrong one");
    assert_eq!(server.requests_for("tra").len(), 1, "it would be wrong again");
}

#[test]
fn a_cut_connection_is_resumed_and_no_byte_fetched_twice() {
    let Some(fixture) = Fixture::new() else { return };
    let real = fixture.real("pendigits.tra");
    let length = real.len();
    let server = fixture.server(move |request, before| {
        let stop_after = if before < 2 { 150_000 } else { usize::MAX };
        is_tra(request).then(|| Reply { stop_after, ..Reply::file(real.clone()) })
    });
    assert_eq!(fixture.fetch_all(&[&server]), 502_098 + 234_366);
    let requests = server.requests_for("tra");
    assert_eq!(
        requests.iter().map(|one| one.from).collect::<Vec<_>>(),
        [None, Some(150_000), Some(300_000)]
    );
    assert_eq!(requests[1].if_range.as_deref(), Some("\"one\""));
    assert_eq!(requests.iter().map(|one| one.sent).sum::<usize>(), length);
}

#[test]
fn a_killed_download_is_resumed() {
    let Some(fixture) = Fixture::new() else { return };
    let real = fixture.real("pendigits.tra");
    let server = fixture.server(move |request, before| {
        let hanging = Reply { stop_after: 200_000, then_hang: true, ..Reply::file(real.clone()) };
        (is_tra(request) && before == 0).then_some(hanging)
    });
    fixture.fetch_and_kill(&server, 200_000);
    assert_eq!(fixture.fetch_all(&[&server]), 502_098 - 200_000 + 234_366);
    assert_eq!(server.requests_for("tra")[1].from, Some(200_000));
}

#[test]
fn a_server_that_gives_whole_files_only_starts_again_cleanly() {
    let Some(fixture) = Fixture::new() else { return };
    let real = fixture.real("pendigits.tra");
    let server = fixture.server(move |request, before| {
        let stop_after = if before == 0 { 150_000 } else { usize::MAX };
        is_tra(request).then(|| Reply { ranges: false, stop_after, ..Reply::file(real.clone()) })
    });
    assert_eq!(fixture.fetch_all(&[&server]), 150_000 + 502_098 + 234_366);
    assert_eq!(server.requests_for("tra")[1].from, Some(150_000));
}

#[test]
fn the_start_of_a_file_that_has_changed_is_forgotten() {
    // The server that heeds If-Range sends the new file whole; the one that does not is seen through by
    // the new ETag; and where there is no ETag the checksum tells.
    for (etag, heeds_if_range, requests) in
        [(Some("\"two\""), true, 2), (Some("\"two\""), false, 3), (None, false, 3)]
    {
        let Some(fixture) = Fixture::new() else { return };
        let real = fixture.real("pendigits.tra");
        let server = fixture.server(move |request, before| {
            let (body, etag) = match before {
                0 => (vec![b'?'; real.len()], etag.map(|_| "\"one\"")),
                _ => (real.clone(), etag),
            };
            let first = before == 0;
            let stop_after = if first { 100_000 } else { usize::MAX };
            let reply = Reply { etag, heeds_if_range, stop_after, then_hang: first, ..Reply::file(body) };
            is_tra(request).then_some(reply)
        });
        fixture.fetch_and_kill(&server, 100_000);
        fixture.fetch_all(&[&server]);
        let tra = server.requests_for("tra");
        assert_eq!((tra.len(), tra[1].from), (requests, Some(100_000)), "{etag:?}");
        assert!(requests == 2 || tra[2].from.is_none());
    }
}

#[test]
fn what_one_address_does_not_have_the_next_is_asked_for() {
    let Some(fixture) = Fixture::new() else { return };
    let empty = fixture.server(|request, _| is_tra(request).then(|| Reply::status(404)));
    let full = fixture.server(|_, _| None);
    fixture.fetch_all(&[&empty, &full]);
    // The compressed forms were looked for before the first was given up.
    assert_eq!(empty.requests().len(), 4);
    assert_eq!(
        full.requests().iter().map(|one| one.path.as_str()).collect::<Vec<_>>(),
        ["/pendigits/pendigits.tra"]
    );
}

#[test]
fn a_busy_server_is_asked_again() {
    let Some(fixture) = Fixture::new() else { return };
    let busy = fixture.server(|_, before| (before == 0).then(|| Reply::status(503)));
    fixture.fetch_all(&[&busy]);
    assert_eq!(busy.requests().len(), 4);
}

#[test]
fn a_file_that_is_too_long_is_refused_early() {
    let Some(fixture) = Fixture::new() else { return };
    let endless = vec![b'1'; 50_000_000];
    for says_length in [true, false] {
        let body = endless.clone();
        let server = fixture.server(move |request, _| {
            is_tra(request).then(|| Reply { says_length, ..Reply::file(body.clone()) })
        });
        let said = fixture.fetch_in_vain(&[&server]);
        let why = if says_length {
            "offers 50000000 bytes; 502098 were published"
        } else {
            "sends more than the 502098 bytes that are expected"
        };
        assert!(said.contains(why), "{said}");
        // The rest is what the system had taken off the server's hands already.
        assert!(server.requests_for("tra")[0].sent < 20_000_000);
        assert!(!fixture.files().contains(&"pendigits.tra.part".to_owned()));
    }
}

#[test]
fn a_damaged_file_is_replaced_by_a_whole_one_and_by_nothing_else() {
    let Some(fixture) = Fixture::new() else { return };
    fixture.put("pendigits.tra", b"damaged");
    let wrong = fixture.server(|request, _| is_tra(request).then(|| Reply::file(vec![b'?'; 502_098])));
    fixture.fetch_in_vain(&[&wrong]);
    assert_eq!(fs::read(fixture.place("pendigits.tra")).unwrap(), b"damaged");
    let right = fixture.server(|_, _| None);
    fixture.fetch_all(&[&right]);
    // A damaged copy in another form would be read in place of the whole one, or after it is gone.
    fs::rename(fixture.place("pendigits.tra"), fixture.place("pendigits.tra.gz")).unwrap();
    fixture.put("pendigits.tra", b"damaged");
    let only_gz = {
        let real = fixture.real("pendigits.tra");
        fixture.server(move |request, _| match request.path.as_str() {
            "/pendigits/pendigits.tra.gz" => Some(Reply::file(real.clone())),
            _ => Some(Reply::status(404)),
        })
    };
    let output = fixture.fetch(&[&only_gz]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(fixture.files(), ["pendigits.tes", "pendigits.tra.gz"]);
}

#[test]
fn a_folder_that_cannot_be_written_is_named_before_anything_is_asked_for() {
    let Some(fixture) = Fixture::new() else { return };
    let server = fixture.server(|_, _| None);
    fs::write(fixture.folder.path().join("pendigits"), "a file").unwrap();
    let said = fixture.fetch_in_vain(&[&server]);
    assert!(said.contains("/pendigits"), "{said}");
    assert_eq!(server.requests().len(), 0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_part_file_that_cannot_be_written_is_named() {
    let Some(fixture) = Fixture::new() else { return };
    // The part file is a device that takes nothing.
    fs::create_dir(fixture.folder.path().join("pendigits")).unwrap();
    std::os::unix::fs::symlink("/dev/full", fixture.place("pendigits.tra.part")).unwrap();
    let server = fixture.server(|_, _| None);
    let said = fixture.fetch_in_vain(&[&server]);
    assert!(said.contains("cannot write ") && said.contains("pendigits.tra.part: "), "{said}");
    assert_eq!(server.requests().len(), 1, "no other address would help");
}

#[test]
fn two_fetches_at_once_do_not_mix_their_bytes() {
    let Some(fixture) = Fixture::new() else { return };
    let real = fixture.real("pendigits.tra");
    let server = fixture.server(move |request, _| {
        is_tra(request).then(|| Reply { stop_after: 9_000, then_hang: true, ..Reply::file(real.clone()) })
    });
    let mut first = command(fixture.folder.path(), &[&server])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    fixture.wait_for(&mut first, 9_000);
    let said = fixture.fetch_in_vain(&[&server]);
    assert!(said.contains("pendigits.tra.part is in use by another process"), "{said}");
    assert!(said.contains("hint: another `likelier-paper data fetch` is at work there"), "{said}");
    first.kill().unwrap();
    first.wait().unwrap();
}
