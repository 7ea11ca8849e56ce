#![no_main]

use libfuzzer_sys::fuzz_target;
use likelier_paper::read::cifar::read;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(read) = read(&[likelier_fuzz::file("batch.bin", bytes)]) {
        assert_eq!(read.rows.len(), read.classes.len());
    }
});
