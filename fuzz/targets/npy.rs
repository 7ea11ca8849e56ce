#![no_main]

use libfuzzer_sys::fuzz_target;
use likelier_tables::Layout;

fuzz_target!(|bytes: &[u8]| {
    // Plain or compressed NPY, or NPZ: told apart by the first bytes.
    likelier_fuzz::table(&likelier_fuzz::file("table", bytes), &Layout::default());
});
