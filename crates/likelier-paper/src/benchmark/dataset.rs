//! A benchmark data set in memory, and the way there.

use std::io;
use std::path::{Path, PathBuf};

use likelier::random::Rng;
use likelier::{Label, Rows, Split};
use likelier_tables::TableError;

use super::publication::{TEST_IMAGES, TEST_LABELS, TRAIN_IMAGES, TRAIN_LABELS};
use super::{Benchmark, Files, SplitRule};
use crate::read::idx::{self, IdxPair};
use crate::read::table::{self, ClassTable};
use crate::read::{ClassedRows, cifar};

/// A data set of the paper with its true labels.
#[derive(Clone, Debug, PartialEq)]
pub struct Dataset {
    /// Which one.
    pub benchmark: Benchmark,
    /// The rows of the training file(s), then those of the test file.
    pub rows: Rows<'static>,
    /// The class id of each row, as the files have it.
    pub classes: Vec<u8>,
    /// The binary label of each row.
    pub labels: Vec<Label>,
    /// How many rows came from the training file(s).
    pub first_part: usize,
    /// What a result on these rows must say, if they are not all the published ones.
    pub note: Option<String>,
}

impl Dataset {
    /// Divides the rows by the rule of the data set. Only a pooled split depends on `rng`.
    pub fn split(&self, rng: &mut impl Rng) -> Split {
        match self.benchmark.spec().split {
            SplitRule::Official => Split::official(self.first_part, self.rows.len()),
            SplitRule::Pooled => Split::pooled(&self.labels, rng),
        }
    }
}

pub(super) fn load(benchmark: Benchmark, data_dir: &Path) -> Result<Dataset, TableError> {
    let spec = benchmark.spec();
    let folder = data_dir.join(spec.name);
    if !folder.is_dir() {
        return Err(not_found(&folder, "there is no such folder"));
    }
    let ClassedRows { mut rows, classes, file_rows } = read_files(benchmark, &folder)?;
    if spec.drops_constant_columns {
        rows = rows.without_columns(&rows.constant_columns())?;
    }
    let labels = classes
        .iter()
        .map(|id| Label::positive_if(spec.positive.contains(id)))
        .collect();
    let test_rows = match file_rows.as_slice() {
        [_, .., test] => *test,
        _ => 0,
    };
    let first_part = rows.len() - test_rows;
    let note = (spec.rows != [first_part, test_rows]).then(|| {
        format!(
            "results rest on a partial copy of {}: {first_part} of {} training rows and {test_rows} of {} \
             test rows",
            spec.name, spec.rows[0], spec.rows[1]
        )
    });
    Ok(Dataset { benchmark, rows, classes, labels, first_part, note })
}

fn read_files(benchmark: Benchmark, folder: &Path) -> Result<ClassedRows, TableError> {
    let spec = benchmark.spec();
    let publication = benchmark.publication();
    let all = || {
        publication
            .files
            .iter()
            .map(|file| find(folder, file.name))
            .collect::<Result<Vec<_>, _>>()
    };
    match spec.files {
        Files::Idx => {
            let partial = publication.partial.as_ref().map(|file| file.name);
            let (images, partial) = find_training_images(folder, partial)?;
            let train = IdxPair { images, labels: find(folder, TRAIN_LABELS)?, partial };
            let test = IdxPair {
                images: find(folder, TEST_IMAGES)?,
                labels: find(folder, TEST_LABELS)?,
                partial: false,
            };
            idx::read(&[train, test], spec.file_features, &spec.classes)
        }
        Files::CifarBatches => cifar::read(&all()?),
        Files::Table { delimiter, class } => {
            let (features, classes) = (spec.file_features, spec.classes.clone());
            table::read(&all()?, &ClassTable { delimiter, class, features, classes })
        }
    }
}

/// The published training images, or else the partial file; and whether it is the partial one.
fn find_training_images(folder: &Path, partial: Option<&str>) -> Result<(PathBuf, bool), TableError> {
    if let (None, Some(partial)) = (look_for(folder, TRAIN_IMAGES)?, partial)
        && let Some(path) = look_for(folder, partial)?
    {
        return Ok((path, true));
    }
    Ok((find(folder, TRAIN_IMAGES)?, false))
}

/// The file of this name, or of this name with the ending of a compressed file; it must be there.
fn find(folder: &Path, name: &str) -> Result<PathBuf, TableError> {
    let missing = || not_found(&folder.join(name), "there is no such file, nor one with .gz or .xz added");
    look_for(folder, name)?.ok_or_else(missing)
}

/// The same, if it is there.
pub(super) fn look_for(folder: &Path, name: &str) -> Result<Option<PathBuf>, TableError> {
    for ending in ["", ".gz", ".xz"] {
        let path = folder.join(format!("{name}{ending}"));
        if path.try_exists().map_err(|error| TableError::file(&path, error))? {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

fn not_found(path: &Path, message: &str) -> TableError {
    TableError::file(path, io::Error::new(io::ErrorKind::NotFound, message))
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;
    use likelier::random::{Purpose, stream};

    /// A data directory with one data set's folder and small files in it.
    fn data_dir(name: &str, files: &[(&str, &[u8])]) -> TempDir {
        let directory = TempDir::new().unwrap();
        std::fs::create_dir(directory.path().join(name)).unwrap();
        for (file, bytes) in files {
            std::fs::write(directory.path().join(name).join(file), bytes).unwrap();
        }
        directory
    }

    fn images(count: u8) -> Vec<u8> {
        let header = [0, 0, 8, 3, 0, 0, 0, count, 0, 0, 0, 28, 0, 0, 0, 28];
        [header.to_vec(), vec![9; 784 * usize::from(count)]].concat()
    }

    #[test]
    fn optdigits_loses_its_constant_columns_and_digits_become_labels() {
        // 64 features; all but columns 3 and 5 are constant here.
        let row = |third: u8, fifth: u8, digit: u8| {
            let mut fields = vec![0; 64];
            (fields[3], fields[5]) = (third, fifth);
            fields.push(digit);
            fields.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
        };
        let train = [row(1, 2, 7), row(3, 2, 8), row(1, 2, 0)].join("\n");
        let files = [("optdigits.tra", train.as_bytes()), ("optdigits.tes", row(1, 5, 4).as_bytes())]
            .map(|(name, bytes)| (name, bytes.to_vec()));
        let files = files.each_ref().map(|(name, bytes)| (*name, bytes.as_slice()));
        let dataset = Benchmark::Optdigits.load(data_dir("optdigits", &files).path()).unwrap();
        assert_eq!(
            dataset.rows,
            Rows::from_numbers(vec![1.0, 2.0, 3.0, 2.0, 1.0, 2.0, 1.0, 5.0], 2).unwrap()
        );
        assert_eq!((dataset.first_part, dataset.classes.as_slice()), (3, &[7, 8, 0, 4][..]));
        let positive: Vec<bool> = dataset.labels.iter().map(|label| label.is_positive()).collect();
        assert_eq!(positive, [false, true, true, true]);
        assert_eq!(
            dataset.note.as_deref(),
            Some(
                "results rest on a partial copy of optdigits: 3 of 3823 training rows and 1 of 1797 test rows"
            )
        );
        let split = dataset.split(&mut stream(1, Purpose::Split));
        assert_eq!((split.train.len(), split.test.len()), (2, 2));
    }

    #[test]
    fn the_full_kuzushiji_file_is_preferred_to_the_partial_one() {
        let labels = [0, 0, 8, 1, 0, 0, 0, 3, 5, 6, 7];
        let (one, three) = (images(1), images(3));
        let partial: &[(&str, &[u8])] = &[
            ("train-images-first7011-idx3-ubyte", &one),
            ("train-labels-idx1-ubyte", &labels),
            ("t10k-images-idx3-ubyte", &three),
            ("t10k-labels-idx1-ubyte", &labels),
        ];
        let load = |files| Benchmark::KuzushijiMnist.load(data_dir("kuzushiji-mnist", files).path());
        let dataset = load(partial).unwrap();
        assert_eq!((dataset.first_part, dataset.classes.as_slice()), (1, &[5, 5, 6, 7][..]));
        let split = dataset.split(&mut stream(1, Purpose::Split));
        assert_eq!((split.train, split.test), (vec![0], vec![1, 2, 3]));

        let full = [partial, &[("train-images-idx3-ubyte", three.as_slice())]].concat();
        assert_eq!(load(&full).unwrap().first_part, 3);
        // The other sets of the family have no partial file.
        let error = Benchmark::Mnist.load(data_dir("mnist", partial).path()).unwrap_err();
        assert!(matches!(error, TableError::File { .. }), "{error}");
        // Only a file that is known to be partial may be shorter than its labels.
        let short = [partial, &[("train-images-idx3-ubyte", one.as_slice())]].concat();
        assert!(
            load(&short)
                .unwrap_err()
                .to_string()
                .contains("holds 3 labels, but there are 1 images")
        );
    }

    #[test]
    fn a_missing_folder_or_file_is_named() {
        let directory = data_dir("mnist", &[]);
        let message = |benchmark: Benchmark| benchmark.load(directory.path()).unwrap_err().to_string();
        let path = |tail: &str| directory.path().join(tail).display().to_string();
        assert_eq!(message(Benchmark::Usps), format!("{}: there is no such folder", path("usps")));
        assert_eq!(
            message(Benchmark::Mnist),
            format!(
                "{}: there is no such file, nor one with .gz or .xz added",
                path("mnist/train-images-idx3-ubyte")
            )
        );
    }

    #[test]
    fn images_of_another_size_are_refused() {
        let mut wrong = images(1);
        wrong[15] = 27;
        let files = [
            ("train-images-idx3-ubyte", wrong.as_slice()),
            ("train-labels-idx1-ubyte", &[0, 0, 8, 1, 0, 0, 0, 1, 5]),
            ("t10k-images-idx3-ubyte", &[]),
            ("t10k-labels-idx1-ubyte", &[]),
        ];
        let error = Benchmark::Mnist.load(data_dir("mnist", &files).path()).unwrap_err();
        assert!(error.to_string().contains("28 by 27 = 756 pixels; 784 are expected"), "{error}");
    }
}
