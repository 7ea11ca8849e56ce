//! Simulated people compare Optdigits on the page; `check` and `train` make of it what they should.
//!
//! Needs `LIKELIER_DATA`. Twenty seeds are archived in reproduce/runs/2026-11-17-label.

#![cfg(feature = "label")]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod page;
mod people;

use std::path::Path;

use people::Asked;

const SEEDS: u64 = 4;

#[test]
fn careless_people_are_named_and_the_classifier_is_as_good_as_from_direct_answers() {
    let Some(data) = std::env::var_os("LIKELIER_DATA") else {
        println!("skipped: LIKELIER_DATA is not set");
        return;
    };
    let program = Path::new(env!("CARGO_BIN_EXE_likelier"));
    let mut behind = 0.0;
    for seed in 1..=SEEDS {
        let folder = tempfile::tempdir().unwrap();
        let asked = Asked { pairs: 2000, shared: 0.1, seed };
        let found = people::run(program, Path::new(&data), folder.path(), asked);
        let [page, direct] = found.accuracy;
        behind += (direct - page) / SEEDS as f64;
        let [low, high] = found.printed;
        assert!((low..=high).contains(&page), "{page} is not within {low} to {high}");
        assert_eq!(found.check["protocol"]["stated"]["protocol"], "forced-choice", "{}", found.check);
        let findings = found.check["findings"].as_array().unwrap();
        let named = |code: &str, name: &str| {
            let about = |finding: &&serde_json::Value| finding["message"].as_str().unwrap().contains(name);
            findings
                .iter()
                .filter(|finding| finding["code"] == code)
                .any(|finding| about(&finding))
        };
        assert!(named("annotator-stands-out", "careless"), "{findings:#?}");
        assert!(named("leaning-annotator", "lefty"), "{findings:#?}");
        for innocent in ["ann", "bob", "cat"] {
            assert!(!named("annotator-stands-out", innocent), "{findings:#?}");
        }
    }
    // Two sets of answers by the same people differ by chance, by some 0.017 in accuracy; the mean of four by half of that.
    assert!(behind.abs() <= 0.02, "the page's classifiers are behind by {behind}");
}
