#![no_main]

use libfuzzer_sys::fuzz_target;
use likelier_tables::Layout;

fuzz_target!(|bytes: &[u8]| {
    likelier_fuzz::table(&likelier_fuzz::file("table.libsvm", bytes), &Layout::default());
});
