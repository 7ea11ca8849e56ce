#![no_main]

use libfuzzer_sys::fuzz_target;
use likelier_tables::{Items, Layout};

fuzz_target!(|bytes: &[u8]| {
    let path = likelier_fuzz::file("table.jsonl", bytes);
    likelier_fuzz::table(&path, &Layout::default());
    // The same as text in words, and as dates.
    for layout in [
        Layout { texts: vec!["a".into()], ..Layout::default() },
        Layout { dates: vec!["a".into()], ..Layout::default() },
    ] {
        let _ = Items::read(&path, &layout);
    }
});
