//! How well the prior, the protocol and the labeller's error are found without labels.
//!
//! ```text
//! LIKELIER_DATA=… cargo run --release -p likelier-paper --example without_labels -- pendigits > pendigits.csv
//! cargo run --release -p likelier-paper --example without_labels -- simulated > simulated.csv
//! cargo run --release -p likelier-paper --example without_labels -- trained > trained.csv
//! ```
//!
//! `pendigits`: 2,500 pairs with exact counts, an MLP, five folds, five seeds, both protocols, π = 0.2, 0.5
//! and 0.8. `simulated`: scores of two Gaussian classes, drawn from their definition; 200 sets a row.
//! `trained`: 200 sets of pairs between two-dimensional Gaussian items, scored by linear models in five folds;
//! the labeller is exact.

#![allow(clippy::print_stdout, reason = "an example prints")]

use std::path::Path;

use likelier::data::{Comparisons, Rows};
use likelier::estimate::labeller::{error_under_discard, error_under_forced_choice};
use likelier::estimate::prior::{best_bin, recommend};
use likelier::estimate::{Folds, HeldOutScores, ProtocolTest, Verdict, cross_fit, scorer};
use likelier::model::{Architecture, Mlp, MlpNorm};
use likelier::random::{ChaCha8Rng, Purpose, chance, epoch_stream, unit};
use likelier::train::Control;
use likelier::{Collection, Prior, Protocol};
use likelier_paper::benchmark::Benchmark;
use likelier_paper::trial::{Design, DrawnTrial};

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn main() -> Outcome {
    match std::env::args().nth(1).as_deref() {
        Some("pendigits") => pendigits(),
        Some("simulated") => simulated(),
        Some("trained") => trained(),
        _ => Err("give pendigits, simulated or trained".into()),
    }
}

fn pendigits() -> Outcome {
    let data_dir = std::env::var_os("LIKELIER_DATA").ok_or("set LIKELIER_DATA to the data directory")?;
    let dataset = Benchmark::Pendigits.load(Path::new(&data_dir))?;
    println!(
        "protocol,prior,seed,kappa_1,kappa_2,midpoint,estimate,low,high,recommended,verdict,ratio,ratio_low,ratio_high"
    );
    for collection in Collection::ALL {
        let protocol = Protocol::new(collection, 0.0)?;
        for prior in [0.2, 0.5, 0.8] {
            for seed in 0..5 {
                let trial =
                    DrawnTrial::draw(&dataset, &Design::new(Prior::new(prior)?, protocol, 2_500), seed)?;
                let pairs = trial.comparisons().ok_or("pairs were drawn")?;
                let items = dataset.rows.len();
                let folds = Folds::new(pairs, items, 5, seed)?;
                let config = scorer(
                    Architecture::Mlp(Mlp { hidden: vec![100, 100], norm: MlpNorm::EachLayer }),
                    protocol,
                )?;
                let control = Control::default();
                let fit = cross_fit(&dataset.rows, pairs, folds, &config, &control, |_, _| ())?;
                let estimate = best_bin(&fit.scores, &protocol, 0.95)?;
                let found = estimate.details.ok_or("best-bin has details")?;
                let [first, second] = found.containment.map(|side| side.value);
                let report = recommend(vec![estimate]);
                let test = ProtocolTest::new(&fit.scores, 0.95)?;
                let ratio = test
                    .ratio
                    .map_or_else(String::new, |r| format!("{:.3},{:.3},{:.3}", r.value, r.low, r.high));
                println!(
                    "{collection},{prior},{seed},{first:.4},{second:.4},{:.4},{:.4},{:.4},{:.4},{},{:?},{ratio}",
                    found.midpoint,
                    report.prior.value,
                    report.prior.low,
                    report.prior.high,
                    report.recommended.map_or("unknown", |estimator| estimator.name()),
                    test.verdict,
                );
            }
        }
    }
    Ok(())
}

const SETS: u32 = 200;
const HEADER: &str = "protocol,labeller_error,prior,pairs,separation,rmse_midpoint,rmse_estimate,bias_midpoint,bias_estimate,\
                      covered,width,known,verdict_right,verdict_unknown,error_flagged,error_median";

fn simulated() -> Outcome {
    println!("{HEADER}");
    for (collection, error) in cases() {
        for pairs in [300, 1_000, 2_000, 2_500] {
            for separation in [2.0, 3.0, 4.0] {
                for prior in [0.2, 0.35, 0.5, 0.8] {
                    row(collection, error, prior, pairs, separation, |rng, protocol, prior| {
                        let pairs = draw(rng, protocol, prior, pairs, |rng, positive| {
                            [normal(rng) + if positive { separation } else { 0.0 }, 0.0]
                        });
                        let (likelier, other) =
                            pairs.iter().map(|[a, b]| (a[0] as f32, b[0] as f32)).unzip();
                        HeldOutScores::of_one_model(likelier, other)
                    })?;
                }
            }
        }
    }
    Ok(())
}

fn trained() -> Outcome {
    println!("{HEADER}");
    for (collection, error) in cases().into_iter().take(2) {
        for (pairs, prior) in [(300, 0.2), (300, 0.5), (2_000, 0.2), (2_000, 0.5), (2_000, 0.8)] {
            row(collection, error, prior, pairs, 3.0, |rng, protocol, prior| {
                let pairs = draw(rng, protocol, prior, pairs, |rng, positive| {
                    [normal(rng) + if positive { 3.0 } else { 0.0 }, normal(rng)]
                });
                let values =
                    pairs.as_flattened().as_flattened().iter().map(|value| *value as f32).collect();
                let rows = Rows::from_numbers(values, 2)?;
                let comparisons: Comparisons =
                    (0..pairs.len() as u32).map(|at| (2 * at, 2 * at + 1)).collect();
                let folds = Folds::new(&comparisons, rows.len(), 5, 1)?;
                let config = scorer(Architecture::Linear, protocol)?;
                Ok(cross_fit(&rows, &comparisons, folds, &config, &Control::default(), |_, _| ())?.scores)
            })?;
        }
    }
    Ok(())
}

fn cases() -> [(Collection, f64); 4] {
    let [discard, forced] = Collection::ALL;
    [(discard, 0.0), (forced, 0.0), (discard, 0.2), (forced, 0.2)]
}

/// One line of the table. The estimators are told the collection, but not the labeller's error.
fn row(
    collection: Collection,
    error: f64,
    prior: f64,
    pairs: usize,
    separation: f64,
    mut scores: impl FnMut(&mut ChaCha8Rng, Protocol, f64) -> Result<HeldOutScores, likelier::Error>,
) -> Outcome {
    let protocol = Protocol::new(collection, error)?;
    let told = Protocol::new(collection, 0.0)?;
    let right = match collection {
        Collection::Discard => Verdict::Discard,
        Collection::ForcedChoice => Verdict::ForcedChoice,
    };
    let mut errors = [Vec::new(), Vec::new()];
    let (mut covered, mut known, mut named, mut open, mut flagged, mut width) = (0, 0, 0, 0, 0, 0.0);
    let mut labeller = Vec::new();
    for set in 0..SETS {
        let scores = scores(&mut epoch_stream(1, Purpose::Comparisons, set), protocol, prior)?;
        let estimate = best_bin(&scores, &told, 0.95)?;
        if let (Some(details), Some(interval)) = (estimate.details, estimate.interval) {
            errors[0].push(details.midpoint - prior);
            errors[1].push(interval.value - prior);
            covered += u32::from(interval.holds(prior));
            width += interval.width();
        }
        known += u32::from(recommend(vec![estimate]).recommended.is_some());
        let test = ProtocolTest::new(&scores, 0.95)?;
        named += u32::from(test.verdict == right);
        open += u32::from(test.verdict == Verdict::Unknown);
        let found = match collection {
            Collection::Discard => error_under_discard(&test),
            Collection::ForcedChoice => error_under_forced_choice(&scores, 0.95)?,
        };
        flagged += u32::from(found.flagged);
        labeller.push(found.error.map_or(f64::NAN, |error| error.value));
    }
    labeller.sort_unstable_by(f64::total_cmp);
    let mean = |values: &[f64], power: i32| {
        values.iter().map(|value| value.powi(power)).sum::<f64>() / values.len() as f64
    };
    println!(
        "{collection},{error},{prior},{pairs},{separation},{:.4},{:.4},{:+.4},{:+.4},{:.3},{:.3},{:.3},{:.3},{:.3},{:.3},{:.3}",
        mean(&errors[0], 2).sqrt(),
        mean(&errors[1], 2).sqrt(),
        mean(&errors[0], 1),
        mean(&errors[1], 1),
        share(covered),
        width / f64::from(SETS),
        share(known),
        share(named),
        share(open),
        share(flagged),
        labeller[labeller.len() / 2]
    );
    Ok(())
}

fn share(count: u32) -> f64 {
    f64::from(count) / f64::from(SETS)
}

fn normal(rng: &mut ChaCha8Rng) -> f64 {
    let radius = (-2.0 * (1.0 - unit(rng)).ln()).sqrt();
    radius * (2.0 * std::f64::consts::PI * unit(rng)).cos()
}

/// Pairs as the protocol says, straight from its definition.
fn draw(
    rng: &mut ChaCha8Rng,
    protocol: Protocol,
    prior: f64,
    pairs: usize,
    item: impl Fn(&mut ChaCha8Rng, bool) -> [f64; 2],
) -> Vec<[[f64; 2]; 2]> {
    let mut kept = Vec::with_capacity(pairs);
    while kept.len() < pairs {
        let (y, y_other) = (chance(rng, prior), chance(rng, prior));
        let (first, second) = (item(rng, y), item(rng, y_other));
        let in_order = chance(rng, protocol.acceptance()[usize::from(!y)][usize::from(!y_other)]);
        if in_order {
            kept.push([first, second]);
        } else if protocol.collection() == Collection::ForcedChoice {
            kept.push([second, first]);
        }
    }
    kept
}
