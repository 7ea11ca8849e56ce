//! Whether a copy of a data set is whole: each file against its published length and checksum.

use std::path::{Path, PathBuf};

use likelier_tables::TableError;
use rayon::prelude::*;

use super::Benchmark;
use super::dataset::look_for;
use super::publication::{Checksum, PublishedFile};
use crate::read::digest;

/// The state of a file or of a data set, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Condition {
    /// As it was published.
    Whole,
    /// A known file with fewer rows stands for it. It can be used, and results say so.
    Partial,
    /// Not there.
    Missing,
    /// There, and not as it was published.
    Damaged,
}

/// The state of one published file.
#[derive(Debug)]
pub struct FileCondition {
    /// The file.
    pub file: &'static PublishedFile,
    /// Its state.
    pub condition: Condition,
    /// Where it is, or where the file is that stands for it.
    pub path: Option<PathBuf>,
    /// What is wrong, if it is damaged.
    pub problem: Option<String>,
}

impl Condition {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::Partial => "partial",
            Self::Missing => "missing",
            Self::Damaged => "damaged",
        }
    }

    /// The state of a data set: that of the worst of its files.
    pub fn of_all(files: &[FileCondition]) -> Self {
        files.iter().map(|file| file.condition).max().unwrap_or(Self::Missing)
    }
}

impl PublishedFile {
    /// Where a copy of it is in a folder, plain or compressed, if there is one: the one that is read.
    pub fn find(&self, folder: &Path) -> Result<Option<PathBuf>, TableError> {
        look_for(folder, self.name)
    }

    /// Compares a copy with what was published. A difference is an [`TableError::Format`].
    pub fn check(&self, path: &Path) -> Result<(), TableError> {
        match self.checksum {
            Checksum::Content(published) => {
                let found = digest::of_content(path, self.bytes)?;
                if found.bytes != self.bytes {
                    let problem = format!(
                        "holds {} {} bytes of data; {} were published",
                        if found.bytes > self.bytes { "at least" } else { "only" },
                        found.bytes,
                        self.bytes
                    );
                    return Err(TableError::format(path, problem));
                }
                if found.sha256 != published {
                    return Err(TableError::format(
                        path,
                        format!(
                            "is not what was published: its SHA-256 is {}, and should be {published}",
                            found.sha256
                        ),
                    ));
                }
            }
            Checksum::Gzip(published) => {
                // Compressed data are no longer than this; see `digest::of_content` on why there is an end.
                let found = digest::of_stored(path, self.bytes)?;
                if found.sha256 != published {
                    return Err(TableError::format(
                        path,
                        format!(
                            "is not the .gz file that was published, the only form with a known checksum: its \
                             SHA-256 is {}, and should be {published}",
                            found.sha256
                        ),
                    ));
                }
            }
        }
        Ok(())
    }
}

/// The state of every file of a data set; they are read side by side.
pub(super) fn inspect(benchmark: Benchmark, data_dir: &Path) -> Result<Vec<FileCondition>, TableError> {
    let folder = data_dir.join(benchmark.name());
    let publication = benchmark.publication();
    let inspect_one = |(at, file): (usize, &'static PublishedFile)| {
        let partial = publication.partial.as_ref().filter(|_| at == 0);
        if let (None, Some(partial)) = (file.find(&folder)?, partial)
            && partial.find(&folder)?.is_some()
        {
            let found = inspect_file(&folder, partial)?;
            let condition = found.condition.max(Condition::Partial);
            return Ok(FileCondition { file, condition, ..found });
        }
        inspect_file(&folder, file)
    };
    // The first file's error is told, not the one that came first: results are kept in the files' order.
    let found: Vec<_> = publication.files.par_iter().enumerate().map(inspect_one).collect();
    found.into_iter().collect()
}

/// Of the copies that may be there, the one that reading would take is looked at.
fn inspect_file(folder: &Path, file: &'static PublishedFile) -> Result<FileCondition, TableError> {
    let Some(path) = file.find(folder)? else {
        return Ok(FileCondition { file, condition: Condition::Missing, path: None, problem: None });
    };
    let (condition, problem) = match file.check(&path) {
        Ok(()) => (Condition::Whole, None),
        Err(TableError::Format { problem, .. }) => (Condition::Damaged, Some(problem.to_string())),
        Err(error) => return Err(error),
    };
    Ok(FileCondition { file, condition, path: Some(path), problem })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use super::*;
    use crate::fixture::{OneFile, complaint, gzipped};

    /// "1,2\n", by `sha256sum`.
    const SMALL: PublishedFile = PublishedFile {
        name: "small",
        bytes: 4,
        checksum: Checksum::Content("52186c933993da4082b3cdc7c40bb4bf735b391ff54a2ef78c037dda6c38a680"),
    };

    #[test]
    fn a_copy_is_whole_however_it_is_compressed() {
        for stored in [b"1,2\n".to_vec(), gzipped(b"1,2\n"), [gzipped(b"1,"), gzipped(b"2\n")].concat()] {
            SMALL.check(&OneFile::holding(&stored).path()).unwrap();
        }
    }

    #[test]
    fn a_copy_that_is_shorter_longer_or_different_is_refused() {
        let problem = |stored: &[u8]| {
            let file = OneFile::holding(stored);
            complaint(SMALL.check(&file.path()), &file.path())
        };
        assert_eq!(problem(b"1,2"), ": holds only 3 bytes of data; 4 were published");
        assert_eq!(problem(b""), ": holds only 0 bytes of data; 4 were published");
        assert_eq!(problem(b"1,2\n\n"), ": holds at least 5 bytes of data; 4 were published");
        // What a few bytes of gzip stand for is not read to its end.
        assert!(problem(&gzipped(&vec![0; 5_000_000])).contains("holds at least"));
        assert!(problem(b"1,3\n").starts_with(": is not what was published: its SHA-256 is "));
        assert!(problem(&gzipped(b"1,2\n")[..20]).contains("damaged or cut off"));
    }

    #[test]
    fn where_only_the_gzip_file_is_known_another_form_is_refused() {
        let stored = gzipped(b"1,2\n");
        let file = OneFile::holding(&stored);
        let sha256 = digest::of_stored(&file.path(), 1000).unwrap().sha256;
        let published =
            PublishedFile { checksum: Checksum::Gzip(Box::leak(sha256.into_boxed_str())), ..SMALL };
        published.check(&file.path()).unwrap();
        file.rewrite(b"1,2\n");
        let message = complaint(published.check(&file.path()), &file.path());
        assert!(message.starts_with(": is not the .gz file that was published"), "{message}");
    }

    #[test]
    fn a_data_set_stands_as_the_worst_of_its_files() {
        let directory = TempDir::new().unwrap();
        let state = || {
            let files = Benchmark::Pendigits.inspect(directory.path()).unwrap();
            (Condition::of_all(&files), files.iter().map(|file| file.condition).collect::<Vec<_>>())
        };
        assert_eq!(state(), (Condition::Missing, vec![Condition::Missing; 2]));
        fs::create_dir(directory.path().join("pendigits")).unwrap();
        fs::write(directory.path().join("pendigits/pendigits.tra.gz"), "not much").unwrap();
        assert_eq!(state(), (Condition::Damaged, vec![Condition::Damaged, Condition::Missing]));
        let found = &Benchmark::Pendigits.inspect(directory.path()).unwrap()[0];
        assert_eq!(
            found.path.as_deref(),
            Some(directory.path().join("pendigits/pendigits.tra.gz").as_path())
        );
        assert_eq!(found.problem.as_deref(), Some("holds only 8 bytes of data; 502098 were published"));
    }

    #[test]
    fn of_several_files_that_cannot_be_read_the_first_is_named() {
        let file = tempfile::NamedTempFile::new().unwrap();
        for _ in 0..200 {
            let error = Benchmark::Pendigits.inspect(file.path()).unwrap_err().to_string();
            assert!(error.contains("pendigits.tra: "), "{error}");
        }
    }

    #[test]
    fn a_damaged_partial_file_is_damaged_and_only_kuzushiji_has_one() {
        let directory = TempDir::new().unwrap();
        for name in ["kuzushiji-mnist", "mnist"] {
            let folder = directory.path().join(name);
            fs::create_dir(&folder).unwrap();
            fs::write(folder.join("train-images-first7011-idx3-ubyte"), "?").unwrap();
        }
        let first = |benchmark: Benchmark| benchmark.inspect(directory.path()).unwrap()[0].condition;
        assert_eq!(first(Benchmark::KuzushijiMnist), Condition::Damaged);
        assert_eq!(first(Benchmark::Mnist), Condition::Missing);
    }
}
