//! Where to ask for the files of a data set: its published sources, or the user's mirrors.

use likelier_cli::terminal::{Result, mistake};
use likelier_paper::benchmark::{Benchmark, Packing, PublishedFile, Source};

/// Somewhere that may have the files of a data set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FetchPlace {
    /// Each file by itself, under its name with one of the endings.
    Loose { base: String, endings: Vec<&'static str> },
    /// All in one archive.
    Archive { address: String, packing: Packing },
}

impl FetchPlace {
    /// The addresses at which one file may be, each with the name to store it by.
    pub(super) fn addresses_of(&self, file: &PublishedFile) -> Vec<(String, String)> {
        match self {
            Self::Loose { base, endings } => endings
                .iter()
                .map(|ending| format!("{}{ending}", file.name))
                .map(|name| (format!("{base}{name}"), name))
                .collect(),
            Self::Archive { .. } => Vec::new(),
        }
    }
}

/// The published sources, the best first.
pub(super) fn published(benchmark: Benchmark) -> Vec<FetchPlace> {
    let place = |source: &Source| match source.packing {
        Packing::Loose(ending) => {
            FetchPlace::Loose { base: source.address.to_owned(), endings: vec![ending] }
        }
        packing => FetchPlace::Archive { address: source.address.to_owned(), packing },
    };
    benchmark.publication().sources.iter().map(place).collect()
}

/// The mirrors: a mirror looks like a data directory, so files may be compressed there or not.
pub(super) fn mirrored(benchmark: Benchmark, mirrors: &[String]) -> Result<Vec<FetchPlace>> {
    let usual = benchmark.publication().sources.iter().find_map(|source| match source.packing {
        Packing::Loose(ending) => Some(ending),
        _ => None,
    });
    let mut endings = vec!["", ".gz", ".xz"];
    endings.sort_by_key(|ending| Some(*ending) != usual);
    mirrors
        .iter()
        .map(|mirror| {
            if !mirror.starts_with("http://") && !mirror.starts_with("https://") {
                return Err(mistake(
                    format!(
                        "--mirror must be an address that starts with http:// or https://, got '{mirror}'"
                    ),
                    "a folder on this machine needs no fetching: name it with --data-dir",
                ));
            }
            let base = format!("{}/{}/", mirror.trim_end_matches('/'), benchmark.name());
            Ok(FetchPlace::Loose { base, endings: endings.clone() })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mirror_is_asked_for_the_usual_form_of_a_file_first() {
        let addresses = |benchmark: Benchmark| {
            let places = mirrored(benchmark, &["http://here/data/".to_owned()]).unwrap();
            places[0].addresses_of(&benchmark.publication().files[0])
        };
        let mnist = addresses(Benchmark::Mnist);
        let addresses_only =
            |pairs: &[(String, String)]| pairs.iter().map(|(at, _)| at.clone()).collect::<Vec<_>>();
        assert_eq!(
            addresses_only(&mnist),
            ["train-images-idx3-ubyte.gz", "train-images-idx3-ubyte", "train-images-idx3-ubyte.xz"]
                .map(|name| format!("http://here/data/mnist/{name}"))
        );
        assert_eq!(mnist[0].1, "train-images-idx3-ubyte.gz");
        assert_eq!(addresses(Benchmark::Pendigits)[0].0, "http://here/data/pendigits/pendigits.tra");
        assert_eq!(addresses(Benchmark::Cifar10)[0].0, "http://here/data/cifar10/data_batch_1.bin");
    }

    #[test]
    fn the_published_places_are_those_of_the_registry() {
        let places = published(Benchmark::Usps);
        assert_eq!(
            places[0].addresses_of(&Benchmark::Usps.publication().files[1])[0].0,
            "https://hastie.su.domains/ElemStatLearn/datasets/zip.test.gz"
        );
        assert!(matches!(
            &published(Benchmark::Cifar10)[0],
            FetchPlace::Archive { packing: Packing::TarGz, .. }
        ));
    }

    #[test]
    fn a_mirror_that_is_no_web_address_is_refused() {
        for wrong in ["ftp://here", "here", "/srv/data", ""] {
            let error = mirrored(Benchmark::Mnist, &[wrong.to_owned()]).unwrap_err();
            assert!(error.to_string().contains("starts with http://"), "{error}");
        }
    }
}
