#![no_main]

use libfuzzer_sys::fuzz_target;
use likelier_tables::Layout;

fuzz_target!(|bytes: &[u8]| {
    let path = likelier_fuzz::file("table.csv", bytes);
    likelier_fuzz::table(&path, &Layout::default());
    // The same as categories and without a header.
    let layout = Layout { header: Some(false), categories: vec!["f0".into()], ..Layout::default() };
    likelier_fuzz::table(&path, &layout);
});
