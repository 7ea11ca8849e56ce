#![no_main]

use libfuzzer_sys::fuzz_target;
use likelier_paper::read::idx::{IdxPair, read};

fuzz_target!(|bytes: &[u8]| {
    let (labels, images) = bytes.split_at(bytes.len().min(16));
    let pair = IdxPair {
        images: likelier_fuzz::file("images", images),
        labels: likelier_fuzz::file("labels", labels),
        partial: false,
    };
    if let Ok(read) = read(&[pair], 4, &(0..=9)) {
        assert_eq!(read.rows.len(), read.classes.len());
    }
});
