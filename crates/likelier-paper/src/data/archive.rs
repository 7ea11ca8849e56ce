//! Files out of a `.tar.gz` or a `.zip`.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use likelier_paper::benchmark::Packing;

use super::download::{FetchFailure, Fetching};

/// Hands each member with one of the `wanted` names to `take`, whichever folder of the archive it is in.
/// That all are there is demanded.
pub(super) fn unpack(
    archive: &Path,
    packing: Packing,
    wanted: &[&str],
    mut take: impl FnMut(&str, &mut dyn Read) -> Fetching<()>,
) -> Fetching<()> {
    let file = File::open(archive).map_err(|error| FetchFailure::Here(error.into()))?;
    let file = BufReader::new(file);
    let mut missing: HashSet<&str> = wanted.iter().copied().collect();
    let mut offer = |path: &Path, member: &mut dyn Read| {
        let name = path.file_name().and_then(|name| name.to_str());
        match name.and_then(|name| missing.take(name)) {
            Some(name) => take(name, member),
            None => Ok(()),
        }
    };
    match packing {
        Packing::Zip => {
            let mut zip = zip::ZipArchive::new(file).map_err(damaged)?;
            for at in 0..zip.len() {
                let mut member = zip.by_index(at).map_err(damaged)?;
                // A name that cannot be read is not a wanted one.
                if member.is_file()
                    && let Ok(path) = member.mangled_name()
                {
                    offer(&path, &mut member)?;
                }
            }
        }
        Packing::TarGz | Packing::Loose(_) => {
            let mut tar = tar::Archive::new(MultiGzDecoder::new(file));
            for member in tar.entries().map_err(damaged)? {
                let mut member = member.map_err(damaged)?;
                if member.header().entry_type().is_file() {
                    let path = member.path().map_err(damaged)?.into_owned();
                    offer(&path, &mut member)?;
                }
            }
        }
    }
    match missing.into_iter().min() {
        Some(name) => Err(FetchFailure::Refused(format!("the archive does not hold {name}"))),
        None => Ok(()),
    }
}

fn damaged(error: impl std::fmt::Display) -> FetchFailure {
    FetchFailure::Refused(format!("the archive is damaged: {error}"))
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use flate2::{Compression, write::GzEncoder};

    use super::*;

    const MEMBERS: [(&str, &[u8]); 4] = [
        ("batches/readme.txt", b"read me"),
        ("batches/one.bin", b"first"),
        ("batches/deep/two.bin", b"second"),
        ("batches/two.bin.old", b"not wanted"),
    ];

    fn tar_gz() -> Vec<u8> {
        let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::default()));
        for (path, bytes) in MEMBERS {
            let mut header = tar::Header::new_gnu();
            header.set_size(bytes.len() as u64);
            tar.append_data(&mut header, path, bytes).unwrap();
        }
        tar.into_inner().unwrap().finish().unwrap()
    }

    fn zip() -> Vec<u8> {
        let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (path, bytes) in MEMBERS {
            zip.start_file(path, zip::write::SimpleFileOptions::default()).unwrap();
            zip.write_all(bytes).unwrap();
        }
        zip.finish().unwrap().into_inner()
    }

    fn members(bytes: &[u8], packing: Packing, wanted: &[&str]) -> Result<Vec<(String, Vec<u8>)>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("archive");
        std::fs::write(&path, bytes).unwrap();
        let mut found = Vec::new();
        let outcome = unpack(&path, packing, wanted, |name, member| {
            let mut bytes = Vec::new();
            member.read_to_end(&mut bytes).map_err(damaged)?;
            found.push((name.to_owned(), bytes));
            Ok(())
        });
        match outcome {
            Ok(()) => Ok(found),
            Err(FetchFailure::Refused(why)) => Err(why),
            Err(other) => panic!("{other:?}"),
        }
    }

    #[test]
    fn wanted_members_are_found_in_any_folder_of_either_archive() {
        for (bytes, packing) in [(tar_gz(), Packing::TarGz), (zip(), Packing::Zip)] {
            let found = members(&bytes, packing, &["two.bin", "one.bin"]).unwrap();
            let expected = [("one.bin", b"first".to_vec()), ("two.bin", b"second".to_vec())];
            assert_eq!(found, expected.map(|(name, bytes)| (name.to_owned(), bytes)), "{packing:?}");
            let why = members(&bytes, packing, &["one.bin", "three.bin"]).unwrap_err();
            assert_eq!(why, "the archive does not hold three.bin");
        }
    }

    #[test]
    fn an_archive_cut_off_anywhere_is_refused_or_gives_the_right_bytes() {
        let (one, two) = (b"first".to_vec(), b"second".to_vec());
        let right = vec![("one.bin".to_owned(), one), ("two.bin".to_owned(), two)];
        for (bytes, packing) in [(tar_gz(), Packing::TarGz), (zip(), Packing::Zip)] {
            for length in 0..bytes.len() {
                if let Ok(found) = members(&bytes[..length], packing, &["one.bin", "two.bin"]) {
                    assert_eq!(found, right, "{packing:?} cut to {length} bytes");
                }
            }
            assert!(members(&bytes[..bytes.len() / 2], packing, &["one.bin", "two.bin"]).is_err());
        }
    }
}
