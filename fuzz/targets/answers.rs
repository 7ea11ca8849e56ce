#![no_main]

use libfuzzer_sys::fuzz_target;
use likelier::data::Texts;
use likelier_tables::{Ids, Layout, read_answers, read_piles};

fuzz_target!(|bytes: &[u8]| {
    let path = likelier_fuzz::file("comparisons", bytes);
    let named = Ids::named(Texts::from_iter(["a", "b", "0", "1"])).expect("different names");
    for ids in [Ids::numbered(10), named] {
        if let Ok(answers) = read_answers(&path, &ids, &Layout::default()) {
            let comparisons = answers.comparisons();
            assert_eq!(comparisons.answers(), answers.len());
            assert!(comparisons.weights().is_none_or(|weights| weights.len() == comparisons.len()));
            comparisons.piles().check(ids.len()).expect("items that exist");
        }
        let _ = read_piles(&path, &ids, &Layout::default());
    }
});
