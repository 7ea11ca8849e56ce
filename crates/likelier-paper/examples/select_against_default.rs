//! What `--select` gives and takes beside the default, by true test accuracy.
//!
//! ```text
//! LIKELIER_DATA=… cargo run --release -p likelier-paper --example select_against_default > raw.csv
//! ```
//!
//! Optdigits, Pendigits, USPS and two Gaussian clouds; 100 to 2,000 comparisons drawn independently (so that
//! items recur), both protocols, labellers who err in no or a fifth of the mixed pairs, π = 0.2, 0.5 and 0.8; linear
//! models. A row for each run: the accuracy on test rows, resampled to π, of what `fit` gives without choosing
//! and with it. `stated` is what the user stated besides, where anything is. With five epochs the default's
//! learning rate is far too small: there a better candidate exists.

#![allow(clippy::print_stdout, reason = "an example prints")]

use std::path::Path;

use likelier::data::{Label, Rows};
use likelier::evaluate::Confusion;
use likelier::generate::{Recipe, Sampling, draw};
use likelier::random::{Purpose, stream, unit};
use likelier::{
    Collection, Error, FitOptions, Method, Prior, Protocol, Split, Supervision, fit, resample_to_prior,
};
use likelier_paper::benchmark::Benchmark;

/// Comparisons, and how many seeds are tried.
const SIZES: [(usize, u64); 4] = [(100, 4), (300, 3), (1000, 2), (2000, 1)];

/// What the user states besides prior and protocol.
#[derive(Clone, Copy)]
enum Stated {
    Nothing,
    PcompRelu,
    FiveEpochs,
}

struct Set {
    name: &'static str,
    rows: Rows<'static>,
    labels: Vec<Label>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let data_dir = std::env::var_os("LIKELIER_DATA").ok_or("set LIKELIER_DATA to the data directory")?;
    println!("stated,dataset,comparisons,labeller_error,prior,protocol,seed,default,selected,chosen");
    let mut sets = vec![clouds()?];
    for benchmark in [Benchmark::Optdigits, Benchmark::Pendigits, Benchmark::Usps] {
        let dataset = benchmark.load(Path::new(&data_dir))?;
        let name = benchmark.spec().short_name;
        sets.push(Set { name, rows: dataset.rows, labels: dataset.labels });
    }
    for set in &sets {
        for (pairs, seeds) in SIZES {
            for labeller_error in [0.0, 0.2] {
                for prior in [0.2, 0.5, 0.8] {
                    for collection in Collection::ALL {
                        let protocol = Protocol::new(collection, labeller_error)?;
                        for seed in 0..seeds {
                            run(set, pairs, Prior::new(prior)?, protocol, Stated::Nothing, seed)?;
                        }
                        if labeller_error == 0.0 && pairs == 1000 {
                            for stated in [Stated::PcompRelu, Stated::FiveEpochs] {
                                run(set, pairs, Prior::new(prior)?, protocol, stated, 0)?;
                            }
                        }
                    }
                }
            }
        }
    }
    Ok(())
}

/// Two clouds of 20 features, of which five tell them apart.
fn clouds() -> Result<Set, Error> {
    let mut rng = stream(1, Purpose::Split);
    let labels: Vec<Label> = (0..6000).map(|row| Label::positive_if(row % 2 == 0)).collect();
    let mut values = Vec::new();
    for label in &labels {
        for feature in 0..20 {
            let centre = if feature >= 5 { 0.0 } else { 0.5 };
            // The sum of twelve uniform numbers is close to normal.
            let noise: f64 = (0..12).map(|_| unit(&mut rng)).sum::<f64>() - 6.0;
            values.push((noise + if label.is_positive() { centre } else { -centre }) as f32);
        }
    }
    Ok(Set { name: "clouds", rows: Rows::from_numbers(values, 20)?, labels })
}

fn run(
    set: &Set,
    pairs: usize,
    prior: Prior,
    protocol: Protocol,
    stated: Stated,
    seed: u64,
) -> Result<(), Error> {
    let Set { name, rows, labels } = set;
    let split = Split::pooled(labels, &mut stream(seed, Purpose::Split));
    let recipe = Recipe { prior, protocol, pairs, sampling: Sampling::Independent, degrees: None };
    // Another draw in each cell.
    let key = 1000 * pairs as u64 + (100.0 * prior.positive()) as u64 + seed;
    let drawn = draw(labels, &split.train, &recipe, &mut stream(key, Purpose::Comparisons))?;
    let test = resample_to_prior(labels, &split.test, prior, &mut stream(seed, Purpose::Resample))?;
    let supervision = Supervision::new(drawn.evidence).protocol(protocol).prior(prior);
    let options = FitOptions::new().hold_out(0.0).seed(seed);
    let (stated, options) = match stated {
        Stated::Nothing => ("", options),
        Stated::PcompRelu => ("pcomp-relu", options.method(Method::PcompRelu)),
        Stated::FiveEpochs => ("5 epochs", options.epochs(5)),
    };
    let accuracy = |select: bool| -> Result<_, Error> {
        let fitted = fit(rows, &supervision, &options.clone().select(select))?;
        let predicted = fitted.classifier.predict_of(rows, &test)?;
        let truth = test.iter().map(|row| labels[*row as usize]);
        Ok((Confusion::of(&predicted, truth)?.accuracy(), fitted.selection))
    };
    let (default, _) = accuracy(false)?;
    let (selected, selection) = accuracy(true)?;
    let chosen = selection.map_or(String::new(), |selection| {
        if selection.chosen == selection.default { "default".into() } else { selection.chosen }
    });
    let (collection, error) = (protocol.collection(), protocol.labeller_error());
    println!(
        "{stated},{name},{pairs},{error},{prior},{},{seed},{default:.5},{selected:.5},{chosen}",
        collection.name()
    );
    Ok(())
}
