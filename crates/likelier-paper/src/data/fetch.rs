//! `likelier-paper data fetch`: data sets from where they were published, or from a mirror.

#[cfg(test)]
mod tests;

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use clap::Args;
use likelier_cli::terminal::{About, Result, mistake, print_json, print_text};
use likelier_paper::benchmark::{Benchmark, Condition, Packing, PublishedFile};
use likelier_tables::TableError;
use serde::Serialize;

use super::archive::unpack;
use super::download::{Client, FetchFailure, Fetching, Size, last_of};
use super::part::{Origin, PartFile};
use super::places::{FetchPlace, mirrored, published};
use super::{megabytes, named};
use crate::data_dir::{DataDir, data_failure};

/// Download data sets from where they were published.
///
/// Each file is compared with the published checksum before it is put in place, so what is in place is
/// whole; files that are whole already are left alone. An interrupted download leaves a .part file, and
/// the same command continues from there. Proxies are taken from the usual variables (HTTPS_PROXY, ...).
#[derive(Args)]
#[command(after_help = "Examples:
  likelier-paper data fetch optdigits pendigits
  likelier-paper data fetch mnist --data-dir /srv/data
  likelier-paper data fetch cifar10 --mirror http://files.example/likelier")]
pub(super) struct FetchVerb {
    /// The data sets; `likelier-paper data list` shows their names.
    #[arg(value_name = "NAME", required = true)]
    names: Vec<String>,
    /// Fetch from this address instead: a copy of a data directory on a web server, with files at
    /// URL/NAME/FILE, plain or with .gz or .xz at the end. Several are tried in turn.
    #[arg(long, value_name = "URL")]
    mirror: Vec<String>,
    #[command(flatten)]
    data_dir: DataDir,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

/// How much longer an archive may be than the files that are wanted of it: there are others in it.
const ARCHIVE_EXTRA: u64 = 64 << 20;
/// How much longer a compressed file may be than what it holds: usually it is shorter.
const COMPRESSED_EXTRA: u64 = 1 << 20;

#[derive(Serialize)]
struct FetchReport {
    data_dir: PathBuf,
    data_sets: Vec<Fetched>,
}

#[derive(Serialize)]
struct Fetched {
    name: &'static str,
    received_bytes: u64,
    files: Vec<FetchedFile>,
}

#[derive(Serialize)]
struct FetchedFile {
    name: &'static str,
    #[serde(serialize_with = "likelier_cli::terminal::path_text")]
    path: PathBuf,
    /// The address; none if the file was whole already.
    from: Option<String>,
}

impl FetchVerb {
    pub(super) fn run(&self) -> Result<()> {
        let benchmarks = named(&self.names)?;
        let data_dir = self.data_dir.path()?;
        let mut orders = Vec::new();
        for benchmark in benchmarks {
            let places = match self.mirror.as_slice() {
                [] => published(benchmark),
                mirrors => mirrored(benchmark, mirrors)?,
            };
            // What stands in the way of writing is said before anything is asked for.
            orders.push((Order::new(benchmark, &data_dir)?, places));
        }
        let client = Client::new();
        let mut report = FetchReport { data_dir, data_sets: Vec::new() };
        for (mut order, places) in orders {
            order.fetch(&client, &places)?;
            report.data_sets.push(order.fetched);
        }
        if self.json { print_json("data fetch", &report, &[]) } else { print_text(&report.text(), &[]) }
    }
}

/// A data set on its way to the disk.
struct Order {
    folder: PathBuf,
    /// The files that are not there yet.
    wanted: Vec<&'static PublishedFile>,
    fetched: Fetched,
    /// Each address that was asked in vain, and what was wrong there.
    tries: Vec<(String, String)>,
}

impl Order {
    /// Looks at what is there, and whether the rest can be written.
    fn new(benchmark: Benchmark, data_dir: &Path) -> Result<Self> {
        let mut order = Self {
            folder: data_dir.join(benchmark.name()),
            wanted: Vec::new(),
            fetched: Fetched { name: benchmark.name(), received_bytes: 0, files: Vec::new() },
            tries: Vec::new(),
        };
        for found in benchmark.inspect(data_dir).map_err(data_failure)? {
            match (found.condition, found.path) {
                (Condition::Whole, Some(path)) => {
                    order
                        .fetched
                        .files
                        .push(FetchedFile { name: found.file.name, path, from: None });
                }
                _ => order.wanted.push(found.file),
            }
        }
        if !order.wanted.is_empty() {
            let probe = order.folder.join(format!(".likelier-{}", std::process::id()));
            fs::create_dir_all(&order.folder)
                .and_then(|()| File::create(&probe))
                .and_then(|_| fs::remove_file(&probe))
                .about(|| format!("cannot write to {}", order.folder.display()))?;
        }
        Ok(order)
    }

    /// Asks one place after the other until nothing is wanted any more.
    fn fetch(&mut self, client: &Client, places: &[FetchPlace]) -> Result<()> {
        for place in places {
            match place {
                FetchPlace::Loose { .. } => self.fetch_loose(client, place)?,
                FetchPlace::Archive { address, packing } => {
                    self.fetch_archive(client, address, *packing)?;
                }
            }
        }
        if self.wanted.is_empty() {
            return Ok(());
        }
        // If nothing has arrived the folder may have been made for nothing; only an empty one goes.
        let _ = fs::remove_dir(&self.folder);
        let names: Vec<&str> = self.wanted.iter().map(|file| file.name).collect();
        let what = format!("{} ({}) could not be fetched", self.fetched.name, names.join(", "));
        let tries = self.tries.iter().map(|(address, why)| format!("{address}: {why}"));
        Err(mistake(
            what,
            "check the network, or name a copy elsewhere with --mirror; what has arrived is kept, and the same command \
             continues from there",
        )
        .listing(tries))
    }

    fn fetch_loose(&mut self, client: &Client, place: &FetchPlace) -> Result<()> {
        let mut is_reachable = true;
        for file in std::mem::take(&mut self.wanted) {
            let mut is_here = false;
            for (address, name) in place.addresses_of(file) {
                if is_here || !is_reachable {
                    break;
                }
                let size = if name == file.name {
                    Size::Exactly(file.bytes)
                } else {
                    Size::AtMost(file.bytes + COMPRESSED_EXTRA)
                };
                let part = PartFile::open(&self.folder, &name)?;
                match self.acquire(client, &address, part, size, |_, part| judge(file, part)) {
                    Ok(part) => {
                        self.put_in_place(part, file, &name, &address)?;
                        is_here = true;
                    }
                    Err(failure) => {
                        is_reachable = !matches!(failure, FetchFailure::Unreachable(_));
                        self.note(&address, failure)?;
                    }
                }
            }
            if !is_here {
                self.wanted.push(file);
            }
        }
        Ok(())
    }

    fn fetch_archive(&mut self, client: &Client, address: &str, packing: Packing) -> Result<()> {
        if self.wanted.is_empty() {
            return Ok(());
        }
        let names: Vec<&str> = self.wanted.iter().map(|file| file.name).collect();
        let size = Size::AtMost(self.wanted.iter().map(|file| file.bytes).sum::<u64>() + ARCHIVE_EXTRA);
        let part = PartFile::open(&self.folder, last_of(address))?;
        let unpack_all = |order: &mut Self, part: &PartFile| {
            unpack(part.path(), packing, &names, |name, member| order.take_member(name, member, address))
        };
        match self.acquire(client, address, part, size, unpack_all) {
            Ok(mut archive) => archive.clear(),
            Err(failure) => self.note(address, failure),
        }
    }

    /// Downloads an address and lets `accept` judge what arrived. What was joined from several replies and
    /// is not accepted is fetched again from its first byte: the join may be at fault.
    fn acquire(
        &mut self,
        client: &Client,
        address: &str,
        mut part: PartFile,
        size: Size,
        mut accept: impl FnMut(&mut Self, &PartFile) -> Fetching<()>,
    ) -> Fetching<PartFile> {
        let mut is_last_try = false;
        loop {
            let before = part.received();
            let outcome = client.download(address, &mut part, size);
            self.fetched.received_bytes += part.received() - before;
            outcome?;
            let failure = match accept(self, &part) {
                Ok(()) => return Ok(part),
                Err(failure) => failure,
            };
            if let FetchFailure::Here(_) = failure {
                return Err(failure);
            }
            let may_be_joined_wrongly = part.is_spliced();
            part.clear().map_err(FetchFailure::Here)?;
            if is_last_try || !may_be_joined_wrongly {
                return Err(failure);
            }
            is_last_try = true;
        }
    }

    /// Copies a member of an archive into a part file of its own, and that into place.
    fn take_member(&mut self, name: &str, member: &mut dyn Read, address: &str) -> Fetching<()> {
        let Some(file) = self.wanted.iter().copied().find(|file| file.name == name) else { return Ok(()) };
        let mut part = PartFile::open(&self.folder, name).map_err(FetchFailure::Here)?;
        part.restart(Origin { address: address.to_owned(), ..Origin::default() })
            .map_err(FetchFailure::Here)?;
        let outcome = copy_member(file, member, &mut part).and_then(|()| judge(file, &part));
        if outcome.is_err() {
            part.clear().map_err(FetchFailure::Here)?;
            return outcome;
        }
        self.put_in_place(part, file, name, address).map_err(FetchFailure::Here)?;
        self.wanted.retain(|wanted| wanted.name != name);
        Ok(())
    }

    /// Puts a file in place that was found to be the published one.
    fn put_in_place(
        &mut self,
        part: PartFile,
        file: &'static PublishedFile,
        name: &str,
        address: &str,
    ) -> Result<()> {
        let path = self.folder.join(name);
        part.place(&path)?;
        // A damaged copy in another form would be read in its stead.
        while let Some(other) =
            file.find(&self.folder).map_err(data_failure)?.filter(|found| *found != path)
        {
            fs::remove_file(&other).about(|| format!("cannot remove {}", other.display()))?;
        }
        self.fetched
            .files
            .push(FetchedFile { name: file.name, path, from: Some(address.to_owned()) });
        Ok(())
    }

    /// Remembers what was wrong at an address; trouble on this side is an error at once.
    fn note(&mut self, address: &str, failure: FetchFailure) -> Result<()> {
        match failure {
            FetchFailure::Here(error) => Err(error),
            FetchFailure::Unreachable(why) | FetchFailure::Refused(why) | FetchFailure::Cut(why) => {
                self.tries.push((address.to_owned(), why));
                Ok(())
            }
        }
    }
}

/// Whether what arrived is the published file.
fn judge(file: &PublishedFile, part: &PartFile) -> Fetching<()> {
    file.check(part.path()).map_err(|error| match error {
        TableError::Format { problem, .. } => FetchFailure::Refused(format!("what it sends {problem}")),
        error => FetchFailure::Here(data_failure(error)),
    })
}

fn copy_member(file: &PublishedFile, member: &mut dyn Read, part: &mut PartFile) -> Fetching<()> {
    // A byte too many is enough to see that there are too many.
    let mut member = member.take(file.bytes + 1);
    let mut buffer = vec![0; 64 << 10];
    loop {
        match member.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(count) => part.append(&buffer[..count]).map_err(FetchFailure::Here)?,
            Err(error) => return Err(FetchFailure::Refused(format!("the archive is damaged: {error}"))),
        }
    }
}

impl FetchReport {
    fn text(&self) -> String {
        let mut text = String::new();
        for set in &self.data_sets {
            let fetched = set.files.iter().filter(|file| file.from.is_some()).count();
            let line = match fetched {
                0 => "already whole".to_owned(),
                _ => format!(
                    "whole: {fetched} of {} files fetched, {} received",
                    set.files.len(),
                    megabytes(set.received_bytes)
                ),
            };
            let _ = writeln!(text, "{:<17}{line}", set.name);
        }
        text
    }
}
