//! The archived run of simulated people: `cargo run --release -p likelier-cli --example label_people -- PROGRAM DATA SEEDS PAIRS SHARED`
//! prints one row for each seed.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "an experiment may panic and print"
)]

#[path = "../tests/page/mod.rs"]
mod page;
#[path = "../tests/people/mod.rs"]
mod people;

use std::path::Path;

use people::Asked;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [program, data, seeds, pairs, shared] = &arguments[..] else {
        panic!("give PROGRAM DATA SEEDS PAIRS SHARED")
    };
    println!("seed,accuracy,accuracy_direct,printed_low,printed_high,holds,careless_named,lefty_named");
    let mut held = 0;
    let seeds: u64 = seeds.parse().unwrap();
    for seed in 1..=seeds {
        let asked = Asked { pairs: pairs.parse().unwrap(), shared: shared.parse().unwrap(), seed };
        let folder = tempfile::tempdir().unwrap();
        let found = people::run(Path::new(program), Path::new(data), folder.path(), asked);
        let ([page, direct], [low, high]) = (found.accuracy, found.printed);
        let findings = found.check["findings"].as_array().unwrap();
        let named = |code: &str, name: &str| {
            let is = |finding: &&serde_json::Value| {
                finding["code"] == code && finding["message"].as_str().unwrap().contains(name)
            };
            findings.iter().any(|finding| is(&finding))
        };
        let holds = (low..=high).contains(&page);
        held += u64::from(holds);
        println!(
            "{seed},{page:.4},{direct:.4},{low:.4},{high:.4},{holds},{},{}",
            named("annotator-stands-out", "careless"),
            named("leaning-annotator", "lefty")
        );
    }
    eprintln!("{held} of {seeds} printed ranges hold the true accuracy");
}
