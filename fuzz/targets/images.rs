#![no_main]

use libfuzzer_sys::fuzz_target;
use likelier_tables::Layout;

fuzz_target!(|bytes: &[u8]| {
    for name in ["a.png", "a.jpg"] {
        let path = likelier_fuzz::file(name, bytes);
        let folder = path.parent().expect("a file is in a folder").to_owned();
        likelier_fuzz::table(&folder, &Layout { image: Some([3, 4, 4]), ..Layout::default() });
        std::fs::remove_file(path).expect("the file can be removed");
    }
});
