//! The paper's eight data sets: what each is, in one table, and how to load it.
//!
//! The paper turns each into a yes/no task by calling some of its classes positive. Its settings are here
//! too, so that a run "as in the paper" looks them up instead of repeating them. Where the paper is silent
//! a setting is `None`; the choice made instead belongs to the run, which records it.

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

use super::read::cifar;
use super::read::text::{ClassField, Separator};
use super::split::SplitRule;
use crate::error::Error;

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

/// The model the paper trains on a data set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaperModel {
    /// A linear model.
    Linear,
    /// Three hidden layers of 300 units with batch normalisation.
    Mlp,
    /// A residual network.
    ResNet34,
}

/// What a data set is, and what the paper does with it.
#[derive(Debug)]
pub struct Spec {
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
    pub model: PaperModel,
    /// The paper's epochs.
    pub epochs: usize,
    /// The paper's learning rate, where it is known.
    pub learning_rate: Option<f64>,
    /// The paper's weight decay, where it is known.
    pub weight_decay: Option<f64>,
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
    /// Text tables.
    Text { separator: Separator, class: ClassField },
}

/// MNIST; the others differ from it or from `USPS`.
const MNIST: Spec = Spec {
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
    model: PaperModel::Mlp,
    epochs: 200,
    learning_rate: Some(1e-3),
    weight_decay: Some(1e-5),
    files: Files::Idx,
};

/// USPS.
const USPS: Spec = Spec {
    name: "usps",
    short_name: "usps",
    rows: [7_291, 2_007],
    file_features: 256,
    features: 256,
    split: SplitRule::Pooled,
    pairs: 2_000,
    model: PaperModel::Linear,
    epochs: 100,
    learning_rate: None,
    weight_decay: None,
    files: Files::Text { separator: Separator::Blanks, class: ClassField::First },
    ..MNIST
};

/// In the order of [`Benchmark::ALL`].
static SPECS: [Spec; Benchmark::ALL.len()] = [
    MNIST,
    // Positive: T-shirt, pullover, coat, shirt, bag.
    Spec { name: "fashion-mnist", short_name: "fashion", ..MNIST },
    // Positive: o, su, na, ma, re.
    Spec { name: "kuzushiji-mnist", short_name: "kuzushiji", ..MNIST },
    Spec {
        name: "cifar10",
        short_name: "cifar10",
        classes: cifar::CLASSES,
        // Bird, cat, deer, dog, frog, horse: the animals.
        positive: &[2, 3, 4, 5, 6, 7],
        rows: [50_000, 10_000],
        file_features: cifar::FEATURES,
        features: cifar::FEATURES,
        pairs: 10_000,
        model: PaperModel::ResNet34,
        weight_decay: Some(1e-3),
        files: Files::CifarBatches,
        ..MNIST
    },
    USPS,
    Spec {
        name: "pendigits",
        short_name: "pendigits",
        rows: [7_494, 3_498],
        file_features: 16,
        features: 16,
        pairs: 2_500,
        files: Files::Text { separator: Separator::Comma, class: ClassField::Last },
        ..USPS
    },
    Spec {
        name: "optdigits",
        short_name: "optdigits",
        rows: [3_823, 1_797],
        file_features: 64,
        // Columns 0 and 39 are zero in every row.
        features: 62,
        drops_constant_columns: true,
        pairs: 1_000,
        files: Files::Text { separator: Separator::Comma, class: ClassField::Last },
        ..USPS
    },
    Spec {
        name: "cnae9",
        short_name: "cnae9",
        classes: 1..=9,
        positive: &[2, 4, 6, 8],
        rows: [1_080, 0],
        file_features: 856,
        features: 856,
        pairs: 200,
        files: Files::Text { separator: Separator::Comma, class: ClassField::First },
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
    pub fn spec(self) -> &'static Spec {
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

    /// How it stands with each of its files in its folder in `data_dir`: all of them are read.
    pub fn inspect(self, data_dir: &Path) -> Result<Vec<FileCondition>, Error> {
        condition::inspect(self, data_dir)
    }

    /// Reads its files from its folder in `data_dir`.
    ///
    /// Each file may be plain or compressed, with or without `.gz` or `.xz` at the end of its name.
    pub fn load(self, data_dir: &Path) -> Result<Dataset, Error> {
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
    fn the_settings_are_the_papers() {
        // (pairs, model, epochs, learning rate, weight decay, features)
        use PaperModel::{Linear, Mlp, ResNet34};
        let image = (200, Some(1e-3));
        let other = (100, None);
        let expected = [
            (15_000, Mlp, image, Some(1e-5), 784),
            (15_000, Mlp, image, Some(1e-5), 784),
            (15_000, Mlp, image, Some(1e-5), 784),
            (10_000, ResNet34, image, Some(1e-3), 3_072),
            (2_000, Linear, other, None, 256),
            (2_500, Linear, other, None, 16),
            (1_000, Linear, other, None, 62),
            (200, Linear, other, None, 856),
        ];
        for (benchmark, expected) in Benchmark::ALL.into_iter().zip(expected) {
            let spec = benchmark.spec();
            let rate = (spec.epochs, spec.learning_rate);
            assert_eq!(
                (spec.pairs, spec.model, rate, spec.weight_decay, spec.features),
                expected,
                "{benchmark}"
            );
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
