//! The paper's eight data sets: what each is, in one table, and how to load it.
//!
//! The paper turns each into a yes/no task by calling some of its classes positive. How a model is trained is no
//! matter of the data set: the files in `experiments/` say it.

mod condition;
mod dataset;
mod publication;

use std::fmt;
use std::ops::RangeInclusive;
use std::path::Path;
use std::str::FromStr;

pub use condition::{Condition, FileCondition};
pub use dataset::Dataset;
pub use publication::{Checksum, Packing, Publication, PublishedFile, Source};

use likelier::Error;
use likelier::model::ModelKind;
use likelier_tables::TableError;

use crate::read::cifar;
use crate::read::table::ClassColumn;

/// A data set of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Benchmark {
    /// Handwritten digits.
    Mnist,
    /// Photographs of clothes.
    FashionMnist,
    /// Cursive Japanese characters.
    KuzushijiMnist,
    /// Small colour photographs.
    Cifar10,
    /// Digits from envelopes.
    Usps,
    /// Digits as pen strokes.
    Pendigits,
    /// Digits as 8 × 8 counts of dark pixels.
    Optdigits,
    /// Word counts of business descriptions.
    Cnae9,
}

/// How the rows of a data set are divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SplitRule {
    /// By the published files: the same in each trial.
    Official,
    /// All rows pooled, 80 % of each class to training: anew in each trial.
    Pooled,
}

/// What a data set is, and what the paper does with it.
#[derive(Debug)]
pub struct BenchmarkSpec {
    /// The name of its folder, and its name everywhere.
    pub name: &'static str,
    /// The name in `raw.csv` and in the paper's tables.
    pub short_name: &'static str,
    /// The class ids in its files.
    pub classes: RangeInclusive<u8>,
    /// The class ids that are positive.
    pub positive: &'static [u8],
    /// The rows of the published training and test files; CNAE-9 has one file.
    pub rows: [usize; 2],
    /// The features in its files.
    pub file_features: usize,
    /// The features that are used.
    pub features: usize,
    /// Whether columns that are constant over all rows are dropped: the difference of the two above.
    pub drops_constant_columns: bool,
    /// How rows become training and test rows.
    pub split: SplitRule,
    /// The number of pairs in the paper: half its "pointwise corrupted examples".
    pub pairs: usize,
    /// The paper's model.
    pub model: ModelKind,
    files: Files,
}

/// The format of a data set's files; [`Publication`] has their names.
#[derive(Debug)]
enum Files {
    /// The four files of the MNIST family. A partial file may stand for the training images where those
    /// are not to be had; its row i goes with label i.
    Idx,
    /// Five training batches and one test batch.
    CifarBatches,
    /// Tables in text.
    Table { delimiter: u8, class: ClassColumn },
}

/// MNIST; the others differ from it or from `USPS`.
const MNIST: BenchmarkSpec = BenchmarkSpec {
    name: "mnist",
    short_name: "mnist",
    classes: 0..=9,
    positive: &[0, 2, 4, 6, 8],
    rows: [60_000, 10_000],
    file_features: 784,
    features: 784,
    drops_constant_columns: false,
    split: SplitRule::Official,
    pairs: 15_000,
    model: ModelKind::Mlp,
    files: Files::Idx,
};

/// USPS.
const USPS: BenchmarkSpec = BenchmarkSpec {
    name: "usps",
    short_name: "usps",
    rows: [7_291, 2_007],
    file_features: 256,
    features: 256,
    split: SplitRule::Pooled,
    pairs: 2_000,
    model: ModelKind::Linear,
    files: Files::Table { delimiter: b' ', class: ClassColumn::First },
    ..MNIST
};

/// In the order of [`Benchmark::ALL`].
static SPECS: [BenchmarkSpec; Benchmark::ALL.len()] = [
    MNIST,
    // Positive: T-shirt, pullover, coat, shirt, bag.
    BenchmarkSpec { name: "fashion-mnist", short_name: "fashion", ..MNIST },
    // Positive: o, su, na, ma, re.
    BenchmarkSpec { name: "kuzushiji-mnist", short_name: "kuzushiji", ..MNIST },
    BenchmarkSpec {
        name: "cifar10",
        short_name: "cifar10",
        classes: cifar::CLASSES,
        // Bird, cat, deer, dog, frog, horse: the animals.
        positive: &[2, 3, 4, 5, 6, 7],
        rows: [50_000, 10_000],
        file_features: cifar::FEATURES,
        features: cifar::FEATURES,
        pairs: 10_000,
        model: ModelKind::Resnet34,
        files: Files::CifarBatches,
        ..MNIST
    },
    USPS,
    BenchmarkSpec {
        name: "pendigits",
        short_name: "pendigits",
        rows: [7_494, 3_498],
        file_features: 16,
        features: 16,
        pairs: 2_500,
        files: Files::Table { delimiter: b',', class: ClassColumn::Last },
        ..USPS
    },
    BenchmarkSpec {
        name: "optdigits",
        short_name: "optdigits",
        rows: [3_823, 1_797],
        file_features: 64,
        // Columns 0 and 39 are zero in every row.
        features: 62,
        drops_constant_columns: true,
        pairs: 1_000,
        files: Files::Table { delimiter: b',', class: ClassColumn::Last },
        ..USPS
    },
    BenchmarkSpec {
        name: "cnae9",
        short_name: "cnae9",
        classes: 1..=9,
        positive: &[2, 4, 6, 8],
        rows: [1_080, 0],
        file_features: 856,
        features: 856,
        pairs: 200,
        files: Files::Table { delimiter: b',', class: ClassColumn::First },
        ..USPS
    },
];

impl Benchmark {
    /// All data sets, in the order of the paper's tables.
    pub const ALL: [Self; 8] = [
        Self::Mnist,
        Self::FashionMnist,
        Self::KuzushijiMnist,
        Self::Cifar10,
        Self::Usps,
        Self::Pendigits,
        Self::Optdigits,
        Self::Cnae9,
    ];

    /// What it is, and what the paper does with it.
    pub fn spec(self) -> &'static BenchmarkSpec {
        &SPECS[self as usize]
    }

    /// The name of its folder, and its name everywhere.
    pub fn name(self) -> &'static str {
        self.spec().name
    }

    /// The name in `raw.csv` and in the paper's tables.
    pub fn short_name(self) -> &'static str {
        self.spec().short_name
    }

    /// Its files as they were published, and where.
    pub fn publication(self) -> &'static Publication {
        publication::of(self)
    }

    /// The state of each of its files in its folder in `data_dir`: all of them are read.
    pub fn inspect(self, data_dir: &Path) -> Result<Vec<FileCondition>, TableError> {
        condition::inspect(self, data_dir)
    }

    /// Reads its files from its folder in `data_dir`.
    ///
    /// Each file may be plain or compressed, with or without `.gz` or `.xz` at the end of its name.
    pub fn load(self, data_dir: &Path) -> Result<Dataset, TableError> {
        dataset::load(self, data_dir)
    }
}

impl fmt::Display for Benchmark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Benchmark {
    type Err = Error;

    /// Accepts both names in any case, and with hyphens, underscores or blanks anywhere or nowhere: the
    /// paper's "CIFAR-10" is `cifar10`.
    fn from_str(text: &str) -> Result<Self, Error> {
        Error::find_by_name("data set", text, &Self::ALL, |known| vec![known.name(), known.short_name()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_enum() {
        for (at, benchmark) in Benchmark::ALL.into_iter().enumerate() {
            assert_eq!(benchmark as usize, at);
            let variant = format!("{benchmark:?}").to_lowercase();
            assert_eq!(variant, benchmark.name().replace('-', ""));
        }
    }

    #[test]
    fn names_are_read_in_every_spelling() {
        for benchmark in Benchmark::ALL {
            for name in [benchmark.name(), benchmark.short_name()] {
                for spelling in
                    [name.to_owned(), name.to_uppercase(), name.replace('-', "_"), name.replace('-', " ")]
                {
                    assert_eq!(spelling.parse::<Benchmark>().unwrap(), benchmark, "{spelling}");
                }
            }
            assert_eq!(benchmark.to_string(), benchmark.name());
        }
        assert_eq!("CIFAR-10".parse::<Benchmark>().unwrap(), Benchmark::Cifar10);
        assert_eq!("CNAE-9".parse::<Benchmark>().unwrap(), Benchmark::Cnae9);
        assert_eq!(
            "fashoin".parse::<Benchmark>().unwrap_err().to_string(),
            "unknown data set 'fashoin'; known: mnist, fashion-mnist, kuzushiji-mnist, cifar10, usps, \
             pendigits, optdigits, cnae9 (did you mean 'fashion-mnist'?)"
        );
        assert!("".parse::<Benchmark>().is_err());
    }

    #[test]
    fn pairs_models_and_features_are_the_papers() {
        use ModelKind::{Linear, Mlp, Resnet34};
        let expected = [
            (15_000, Mlp, 784),
            (15_000, Mlp, 784),
            (15_000, Mlp, 784),
            (10_000, Resnet34, 3_072),
            (2_000, Linear, 256),
            (2_500, Linear, 16),
            (1_000, Linear, 62),
            (200, Linear, 856),
        ];
        for (benchmark, expected) in Benchmark::ALL.into_iter().zip(expected) {
            let spec = benchmark.spec();
            assert_eq!((spec.pairs, spec.model, spec.features), expected, "{benchmark}");
            assert!(spec.positive.iter().all(|class| spec.classes.contains(class)));
        }
    }

    #[test]
    fn the_positive_classes_are_the_papers() {
        // By the class ids of the files: even digits; T-shirt, pullover, coat, shirt and bag; o, su, na,
        // ma and re; the animals; categories 2, 4, 6 and 8.
        for benchmark in Benchmark::ALL {
            let expected: &[u8] = match benchmark {
                Benchmark::Cifar10 => &[2, 3, 4, 5, 6, 7],
                Benchmark::Cnae9 => &[2, 4, 6, 8],
                _ => &[0, 2, 4, 6, 8],
            };
            assert_eq!(benchmark.spec().positive, expected, "{benchmark}");
        }
    }
}
