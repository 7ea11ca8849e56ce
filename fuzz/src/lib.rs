//! What the fuzz targets share: bytes as a file, and what must hold of whatever it says.

use std::path::{Path, PathBuf};
use std::sync::Once;

use likelier_tables::{ItemBatch, ItemBatches, Items, Layout};

/// Writes the bytes to a file of this name, in memory where there is such a place.
pub fn file(name: &str, bytes: &[u8]) -> PathBuf {
    // The fuzzer ends the process at the first panic. Those of the Parquet decoder are caught and become
    // errors, so only a panic that comes out of the reader shall end it: the fuzzer sees to that as well.
    static SHOW_ONLY: Once = Once::new();
    SHOW_ONLY.call_once(|| std::panic::set_hook(Box::new(|panic| eprintln!("{panic}"))));
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    let folder = folder.join(format!("likelier-fuzz-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the file");
    let path = folder.join(name);
    std::fs::write(&path, bytes).expect("the file can be written");
    path
}

/// Reads a table as training does and, if that succeeds, as scoring does: it must give the same rows.
pub fn table(path: &Path, layout: &Layout) {
    let Ok(items) = Items::read(path, layout) else { return };
    let width = items.rows.width();
    assert!(width < 100_000 || items.rows.as_sparse().is_some(), "a small file has few columns");
    let mut batches = ItemBatches::open(path, &items.features, layout).expect("a file that was read once");
    let (mut batch, mut done) = (ItemBatch::default(), 0);
    let (mut expected, mut found) = (vec![0.0; width], vec![0.0; width]);
    while batches.read(&mut batch).expect("rows that were read once") {
        for row in 0..batch.rows.len() {
            items.rows.copy_row(done, &mut expected);
            batch.rows.copy_row(row, &mut found);
            assert_eq!(expected, found);
            assert!(expected.iter().all(|value| value.is_finite()));
            assert_eq!(items.ids.name(done), batch.ids.name(row));
            done += 1;
        }
    }
    assert_eq!(done, items.rows.len());
    assert_eq!(done, items.ids.len());
}
