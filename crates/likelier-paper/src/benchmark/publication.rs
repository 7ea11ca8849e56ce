//! Where the files of each data set were published, and how to tell that a copy of them is whole.
//!
//! A checksum is that of the *content*, so that a copy may be plain, gzip or xz. The addresses are the
//! publishers' own, or mirrors that are in wide use. A file is what its checksum says, wherever it came
//! from, so a wrong address costs time and nothing else.

use super::Benchmark;

/// The files of a data set, and where to get them.
#[derive(Debug)]
pub struct Publication {
    /// All files that are needed.
    pub files: &'static [PublishedFile],
    /// A file that may stand for the first of them, with fewer rows.
    pub partial: Option<PublishedFile>,
    /// Places that have all files, the best first.
    pub sources: &'static [Source],
}

/// One published file.
#[derive(Debug)]
pub struct PublishedFile {
    /// Its name, without `.gz` or `.xz`.
    pub name: &'static str,
    /// Its length when it is not compressed.
    pub bytes: u64,
    /// The checksum that is known of it.
    pub checksum: Checksum,
}

/// A SHA-256 in hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checksum {
    /// Of the content: every way to compress it will do.
    Content(&'static str),
    /// Of the gzip file as it was published. The content's is not known, so only that very file can be
    /// told to be whole.
    Gzip(&'static str),
}

/// A place that has all files of a data set.
#[derive(Debug)]
pub struct Source {
    /// The address of an archive, or what comes before the name of each file.
    pub address: &'static str,
    /// How the files are kept there.
    pub packing: Packing,
    /// Whether the project has downloaded from there.
    pub tried: bool,
}

/// How a place keeps the files of a data set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// Each file by itself, with this ending added to its name.
    Loose(&'static str),
    /// All in one `.tar.gz`.
    TarGz,
    /// All in one `.zip`.
    Zip,
}

pub(super) const TRAIN_IMAGES: &str = "train-images-idx3-ubyte";
pub(super) const TRAIN_LABELS: &str = "train-labels-idx1-ubyte";
pub(super) const TEST_IMAGES: &str = "t10k-images-idx3-ubyte";
pub(super) const TEST_LABELS: &str = "t10k-labels-idx1-ubyte";

const fn file(name: &'static str, bytes: u64, sha256: &'static str) -> PublishedFile {
    PublishedFile { name, bytes, checksum: Checksum::Content(sha256) }
}

/// The four files of the MNIST family: header, then a byte a pixel or label.
const fn idx_files(train_images: Checksum, others: [&'static str; 3]) -> [PublishedFile; 4] {
    [
        PublishedFile { name: TRAIN_IMAGES, bytes: 16 + 60_000 * 784, checksum: train_images },
        file(TRAIN_LABELS, 8 + 60_000, others[0]),
        file(TEST_IMAGES, 16 + 10_000 * 784, others[1]),
        file(TEST_LABELS, 8 + 10_000, others[2]),
    ]
}

/// A source from which nobody has downloaded with this program yet.
const fn untried(address: &'static str, packing: Packing) -> Source {
    Source { address, packing, tried: false }
}

static MNIST: Publication = Publication {
    files: &idx_files(
        Checksum::Content("ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"),
        [
            "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
            "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
            "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
        ],
    ),
    partial: None,
    // The publisher's own page no longer gives the files to programs; these are the two usual mirrors.
    sources: &[
        untried("https://ossci-datasets.s3.amazonaws.com/mnist/", Packing::Loose(".gz")),
        untried("https://storage.googleapis.com/cvdf-datasets/mnist/", Packing::Loose(".gz")),
    ],
};

static FASHION_MNIST: Publication = Publication {
    files: &idx_files(
        Checksum::Content("c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888"),
        [
            "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9",
            "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b",
            "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34",
        ],
    ),
    partial: None,
    sources: &[
        untried("http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/", Packing::Loose(".gz")),
        untried(
            "https://github.com/zalandoresearch/fashion-mnist/raw/master/data/fashion/",
            Packing::Loose(".gz"),
        ),
    ],
};

static KUZUSHIJI_MNIST: Publication = Publication {
    files: &idx_files(
        Checksum::Gzip("51467d22d8cc72929e2a028a0428f2086b092bb31cfb79c69cc0a90ce135fde4"),
        [
            "2a16eeae62da984b8bd24fa32e31d47291f01dac3fe84d5594f304f71e7d374b",
            "76fbd229ce87db80dd281af5e6670de4ad0e42fb30a7bd643972994c47c1f42e",
            "a11dc742be8e781a40a92f53d6a4957e7b7d36df2faa097659131ebfd8fd60c6",
        ],
    ),
    partial: Some(file(
        "train-images-first7011-idx3-ubyte",
        16 + 7_011 * 784,
        "e07d5deda1fd894b9a5dba9fd0fd574ac432195a28a67b25961d5c3c19bb9c13",
    )),
    sources: &[
        untried("https://codh.rois.ac.jp/kmnist/dataset/kmnist/", Packing::Loose(".gz")),
        untried("http://codh.rois.ac.jp/kmnist/dataset/kmnist/", Packing::Loose(".gz")),
    ],
};

static CIFAR10: Publication = Publication {
    files: &[
        batch("data_batch_1.bin", "cee916563c9f80d84e3cc88e17fdc0941787f1244f00a67874d45b261883ada5"),
        batch("data_batch_2.bin", "a591ca11fa1708a91ee40f54b3da4784ccd871ecf2137de63f51ada8b3fa57ed"),
        batch("data_batch_3.bin", "bbe8596564c0f86427f876058170b84dac6670ddf06d79402899d93ceea26f67"),
        batch("data_batch_4.bin", "014e562d6e23c72197cc727519169a60359f5eccd8945ad5a09d710285ff4e48"),
        batch("data_batch_5.bin", "755304fc0b379caeae8c14f0dac912fbc7d6cd469eb67a1029a08a39453a9add"),
        batch("test_batch.bin", "8e2eb146ae340b09e24670f29cabc6326dba54da8789dab6768acf480273f65b"),
    ],
    partial: None,
    sources: &[untried("https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz", Packing::TarGz)],
};

const fn batch(name: &'static str, sha256: &'static str) -> PublishedFile {
    file(name, 10_000 * (1 + 3_072), sha256)
}

static USPS: Publication = Publication {
    files: &[
        file("zip.train", 7_386_657, "b082ece2f79202b8352d8609d3603d50bf07d7d8ee825c4f13e28c8fb40dcec5"),
        file("zip.test", 2_029_542, "6bde17b4f1cd68e0630cd2751d6495b5795d9165ab2dc4a0be8b7002b732f4cc"),
    ],
    partial: None,
    sources: &[
        untried("https://hastie.su.domains/ElemStatLearn/datasets/", Packing::Loose(".gz")),
        untried("https://web.stanford.edu/~hastie/ElemStatLearn/datasets/", Packing::Loose(".gz")),
    ],
};

static PENDIGITS: Publication = Publication {
    files: &[
        file("pendigits.tra", 502_098, "e2b9eb9f0d0467e2b64a4816a3420edf2b8043447576f4b84337aba44a9f97d3"),
        file("pendigits.tes", 234_366, "8bd03229c5c5291fefe43e45465dd948d2645bf23328b9d993e0b777666b2015"),
    ],
    partial: None,
    sources: &[
        untried("https://archive.ics.uci.edu/ml/machine-learning-databases/pendigits/", Packing::Loose("")),
        untried(
            "https://archive.ics.uci.edu/static/public/81/pen+based+recognition+of+handwritten+digits.zip",
            Packing::Zip,
        ),
    ],
};

static OPTDIGITS: Publication = Publication {
    files: &[
        file("optdigits.tra", 563_639, "e1b683cc211604fe8fd8c4417e6a69f31380e0c61d4af22e93cc21e9257ffedd"),
        file("optdigits.tes", 264_712, "6ebb3d2fee246a4e99363262ddf8a00a3c41bee6014c373ed9d9216ba7f651b8"),
    ],
    partial: None,
    sources: &[
        untried("https://archive.ics.uci.edu/ml/machine-learning-databases/optdigits/", Packing::Loose("")),
        untried(
            "https://archive.ics.uci.edu/static/public/80/optical+recognition+of+handwritten+digits.zip",
            Packing::Zip,
        ),
    ],
};

static CNAE9: Publication = Publication {
    files: &[file(
        "CNAE-9.data",
        1_851_119,
        "1e40e809ab50fb51c45ad33e0d2aba18e4ab75b5fc09965986d5010d970c3d36",
    )],
    partial: None,
    sources: &[
        untried("https://archive.ics.uci.edu/ml/machine-learning-databases/00233/", Packing::Loose("")),
        untried("https://archive.ics.uci.edu/static/public/233/cnae+9.zip", Packing::Zip),
    ],
};

pub(super) fn of(benchmark: Benchmark) -> &'static Publication {
    match benchmark {
        Benchmark::Mnist => &MNIST,
        Benchmark::FashionMnist => &FASHION_MNIST,
        Benchmark::KuzushijiMnist => &KUZUSHIJI_MNIST,
        Benchmark::Cifar10 => &CIFAR10,
        Benchmark::Usps => &USPS,
        Benchmark::Pendigits => &PENDIGITS,
        Benchmark::Optdigits => &OPTDIGITS,
        Benchmark::Cnae9 => &CNAE9,
    }
}

impl Checksum {
    /// The SHA-256, in hexadecimal digits.
    pub fn sha256(self) -> &'static str {
        match self {
            Self::Content(sha256) | Self::Gzip(sha256) => sha256,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_data_set_has_files_sources_and_checksums_of_its_own() {
        let mut checksums = HashSet::new();
        for benchmark in Benchmark::ALL {
            let Publication { files, partial, sources } = of(benchmark);
            assert!(!files.is_empty() && !sources.is_empty(), "{benchmark}");
            for file in files.iter().chain(partial) {
                let sha256 = file.checksum.sha256();
                assert!(
                    sha256.len() == 64 && sha256.bytes().all(|digit| b"0123456789abcdef".contains(&digit))
                );
                assert!(checksums.insert(sha256), "{benchmark}: {} repeats a checksum", file.name);
            }
            for source in *sources {
                assert!(source.address.starts_with("http"), "{}", source.address);
                let end = match source.packing {
                    Packing::Loose(_) => "/",
                    Packing::TarGz => ".tar.gz",
                    Packing::Zip => ".zip",
                };
                assert!(source.address.ends_with(end), "{}", source.address);
            }
        }
    }

    #[test]
    fn the_lengths_are_those_that_the_table_of_data_sets_implies() {
        for benchmark in Benchmark::ALL {
            let spec = benchmark.spec();
            let bytes = |at: usize| of(benchmark).files[at].bytes;
            match benchmark {
                Benchmark::Mnist | Benchmark::FashionMnist | Benchmark::KuzushijiMnist => {
                    assert_eq!(bytes(0), (16 + spec.rows[0] * spec.features) as u64);
                    assert_eq!(bytes(1), (8 + spec.rows[0]) as u64);
                    assert_eq!(bytes(2), (16 + spec.rows[1] * spec.features) as u64);
                    assert_eq!(bytes(3), (8 + spec.rows[1]) as u64);
                }
                Benchmark::Cifar10 => {
                    let all: u64 = of(benchmark).files.iter().map(|file| file.bytes).sum();
                    assert_eq!(all, ((spec.rows[0] + spec.rows[1]) * (1 + spec.features)) as u64);
                }
                // Text has a length for every row.
                _ => assert!(bytes(0) >= 2 * (spec.rows[0] * spec.file_features) as u64),
            }
        }
    }
}
