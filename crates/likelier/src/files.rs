//! Files that appear whole or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Writes a file beside its place, makes sure it is on the disk, and moves it there: whoever looks finds
/// the old content or the new one. A device or a pipe, which cannot be replaced, is written to as it is.
pub(crate) fn replace(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    if fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir()) {
        let mut file = BufWriter::new(File::options().write(true).open(path)?);
        write(&mut file)?;
        return file.flush();
    }
    // A link stays a link: what it points to is replaced.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mut beside = path.clone().into_os_string();
    beside.push(format!(".{}.partial", std::process::id()));
    let attempt = || {
        let mut file = BufWriter::new(File::create(&beside)?);
        write(&mut file)?;
        file.into_inner()?.sync_all()?;
        fs::rename(&beside, &path)
    };
    attempt().inspect_err(|_| {
        let _ = fs::remove_file(&beside);
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_that_fails_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model");
        replace(&path, |file| file.write_all(b"old")).unwrap();
        let error = replace(&path, |file| {
            file.write_all(b"new")?;
            Err(io::Error::other("no more"))
        });
        assert!(error.is_err());
        assert_eq!(fs::read(&path).unwrap(), b"old");
        replace(&path, |file| file.write_all(b"new")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert!(replace(folder.path(), |_| Ok(())).is_err(), "a folder is not replaced");
        let left: Vec<_> = fs::read_dir(&folder).unwrap().collect();
        assert_eq!(left.len(), 1, "{left:?}");
    }

    #[test]
    #[cfg(unix)]
    fn links_stay_links_and_devices_devices() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        fs::write(&real, "old").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        replace(&link, |file| file.write_all(b"new")).unwrap();
        assert_eq!(fs::read(&real).unwrap(), b"new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        replace(Path::new("/dev/null"), |file| file.write_all(b"gone")).unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }
}
