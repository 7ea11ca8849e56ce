//! A thousand random changes to a file of each kind: refused or read, never a panic, never much memory.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests may panic")]

mod table_files;

use std::path::Path;

use likelier::random::{Purpose, below, stream};
use likelier_tables::{Items, Layout, read_answers};
use table_files::Folder;

const CHANGES: usize = 1000;

/// The bytes with one to four changes: a bit flipped, a byte set, a piece cut out, doubled or moved.
fn changed(whole: &[u8], rng: &mut likelier::random::ChaCha8Rng) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    for _ in 0..=below(rng, 4) {
        if bytes.is_empty() {
            break;
        }
        let at = below(rng, bytes.len());
        let end = (at + 1 + below(rng, 16)).min(bytes.len());
        match below(rng, 6) {
            0 => bytes[at] ^= 1 << below(rng, 8),
            1 => bytes[at] = b"\0\n\",:;[]{}0-9\xff"[below(rng, 14)],
            2 => drop(bytes.drain(at..end)),
            3 => {
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
            4 => bytes.truncate(at),
            _ => {
                let piece: Vec<u8> = bytes.drain(at..end).collect();
                let to = below(rng, bytes.len() + 1);
                bytes.splice(to..to, piece);
            }
        }
    }
    bytes
}

/// Reads items; what is read holds finite numbers.
fn read(path: &Path, layout: &Layout) -> bool {
    let Ok(items) = Items::read(path, layout) else { return false };
    let mut row = vec![f32::NAN; items.rows.width()];
    for at in [0, items.rows.len() - 1] {
        items.rows.copy_row(at, &mut row);
        assert!(row.iter().all(|value| value.is_finite()), "{}", path.display());
    }
    true
}

#[test]
fn a_changed_file_is_refused_or_read() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/tables");
    let plain = Layout::default();
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let mixed = Layout { categories: names(&["colour"]), texts: names(&["y"]), ..plain.clone() };
    let dated = Layout { dates: names(&["seen"]), ..plain.clone() };
    let folder = Folder::new();
    let mut rng = stream(11, Purpose::Comparisons);
    for (name, layout) in [
        ("plain.csv", &plain),
        ("mixed.csv", &mixed),
        ("plain.csv.gz", &plain),
        ("plain.csv.xz", &plain),
        ("plain.csv.zst", &plain),
        ("pandas.jsonl", &plain),
        ("dates.jsonl", &dated),
        ("dates.csv", &dated),
        ("dates-us.parquet", &dated),
        ("list.parquet", &plain),
        ("mixed.parquet", &mixed),
        ("f8.npy", &plain),
        ("two.npz", &Layout { array: Some("train".into()), ..plain.clone() }),
        ("one.libsvm", &plain),
    ] {
        let whole = std::fs::read(fixtures.join(name)).unwrap();
        assert!(read(&folder.file(name, &whole), layout), "{name}");
        let mut still_read = 0;
        for _ in 0..CHANGES {
            let path = folder.file(name, &changed(&whole, &mut rng));
            still_read += usize::from(read(&path, layout));
        }
        assert!(still_read < CHANGES, "{name}: no change was noticed");
    }
    memory_is_bounded();
}

#[test]
fn a_changed_image_is_refused_or_read() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("photos")).unwrap();
    let picture = image::RgbImage::from_fn(9, 7, |x, y| image::Rgb([(28 * x) as u8, (36 * y) as u8, 90]));
    let mut rng = stream(12, Purpose::Comparisons);
    for name in ["photos/a.png", "photos/a.jpg"] {
        picture.save(folder.path(name)).unwrap();
        let whole = std::fs::read(folder.path(name)).unwrap();
        let layout = Layout { image: Some([3, 4, 4]), ..Layout::default() };
        let mut refused = 0;
        for _ in 0..CHANGES {
            folder.file(name, &changed(&whole, &mut rng));
            refused += usize::from(Items::read(&folder.path("photos"), &layout).is_err());
        }
        assert!(refused > CHANGES / 10, "{name}: {refused} refused");
        std::fs::remove_file(folder.path(name)).unwrap();
    }
    memory_is_bounded();
}

#[test]
fn changed_answers_are_refused_or_read() {
    let folder = Folder::new();
    let items =
        Items::read(&folder.file("items.csv", b"id,x\na,1\nb,2\nc,3\n"), &Layout::default()).unwrap();
    let mut rng = stream(13, Purpose::Comparisons);
    let csv =
        b"likelier,other,tie,weight,side,time\na,b,0,1.5,left,2026-11-17\n\"c\",a,1,2,,\nb,c,,1,right,12\n";
    let lines =
        b"{\"winner\": \"a\", \"loser\": \"b\", \"tie\": true}\n{\"winner\": \"c\", \"loser\": \"a\"}\n";
    for (name, whole) in [("a.csv", &csv[..]), ("a.jsonl", lines)] {
        for _ in 0..CHANGES {
            let path = folder.file(name, &changed(whole, &mut rng));
            if let Ok(answers) = read_answers(&path, &items.ids, &Layout::default()) {
                assert!(answers.pairs().iter().all(|(a, b)| *a < 3 && *b < 3 && a != b));
            }
        }
    }
    memory_is_bounded();
}

/// The most that this process has ever taken stays below one gibibyte.
fn memory_is_bounded() {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else { return };
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:")?.split_whitespace().next());
    let kib: u64 = peak.unwrap().parse().unwrap();
    assert!(kib < 1 << 20, "{kib} KiB");
}
