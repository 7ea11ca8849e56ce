//! How long it takes to judge 100,000 comparisons without labels.
//!
//! ```text
//! cargo run --release -p likelier --example estimates
//! ```

#![allow(clippy::print_stdout, reason = "an example prints")]

use std::time::Instant;

use likelier::data::Comparisons;
use likelier::estimate::calibration::{calibrate, calibration_curve};
use likelier::estimate::metrics::{Assumptions, HeldOut, MetricOptions, metrics, risk, roc};
use likelier::random::{Purpose, below, chance, stream, unit};
use likelier::risk::{Correction, Loss};
use likelier::{Prior, Protocol};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (pairs, items) = (100_000, 50_000);
    let mut rng = stream(0, Purpose::Comparisons);
    let pool: Vec<(bool, f32)> = (0..items)
        .map(|_| {
            let positive = chance(&mut rng, 0.3);
            let score = unit(&mut rng) + unit(&mut rng) - if positive { 0.5 } else { 1.5 };
            (positive, score as f32)
        })
        .collect();
    let comparisons: Comparisons = (0..pairs)
        .map(|_| {
            let [first, second] = [below(&mut rng, items), below(&mut rng, items)];
            let turned = match (pool[first].0, pool[second].0) {
                (true, false) => false,
                (false, true) => true,
                _ => chance(&mut rng, 0.5),
            };
            if turned { (second as u32, first as u32) } else { (first as u32, second as u32) }
        })
        .collect();
    let (likelier, other): (Vec<f32>, Vec<f32>) = comparisons
        .iter()
        .map(|(a, b)| (pool[a as usize].1, pool[b as usize].1))
        .unzip();
    let assumptions = Assumptions::of_protocol(Protocol::FORCED_CHOICE, Prior::new(0.3)?)?;

    for shared in [false, true] {
        println!("{pairs} comparisons, {}", if shared { "items known to repeat" } else { "independent" });
        let mut start = Instant::now();
        let mut lap = |what: &str| {
            println!("  {what:28} {:7.1} ms", start.elapsed().as_secs_f64() * 1e3);
            start = Instant::now();
        };
        let mut held_out = HeldOut::pairs(&likelier, &other)?;
        if shared {
            held_out = held_out.of(&comparisons)?;
        }
        lap("held-out comparisons");
        let found = metrics(&held_out, &assumptions, &MetricOptions::default())?;
        lap("all metrics with intervals");
        let curve = roc(&held_out, &assumptions, 0.95)?;
        lap("ROC with intervals");
        risk(&held_out, &assumptions, Loss::Logistic, Correction::Relu, 0.95)?;
        lap("logistic risk");
        let fitted = calibrate(&held_out, &assumptions);
        lap("probability map");
        calibration_curve(&held_out, &assumptions, &fitted.map, 10, 0.95)?;
        lap("calibration curve, 10 bins");
        println!(
            "  accuracy {:.4} in [{:.4}, {:.4}], AUC {:.4} in [{:.4}, {:.4}], {} points of the ROC",
            found.accuracy.value,
            found.accuracy.low,
            found.accuracy.high,
            found.auc.value,
            found.auc.low,
            found.auc.high,
            curve.len()
        );
    }
    Ok(())
}
