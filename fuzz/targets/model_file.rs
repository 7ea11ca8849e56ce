//! Model files: whatever the bytes, a classifier or an error.

#![no_main]

use libfuzzer_sys::fuzz_target;
use likelier::Classifier;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(classifier) = Classifier::from_bytes(bytes) {
        // What loads can be written and exported.
        let written = classifier.to_bytes().expect("what was loaded can be written");
        assert_eq!(Classifier::from_bytes(&written).expect("and read again"), classifier);
    }
});
