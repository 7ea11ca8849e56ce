//! Writes small trained models of every kind: the model file, the ONNX file, and a JSON file with rows
//! and what the model says to them.
//!
//!     cargo run --release -p likelier --features onnx --example model_files -- DIR [NAME …]
//!
//! `cargo xtask peers` reads them with safetensors and ONNX Runtime. The files in `tests/fixtures` were written by it
//! once, and stay: files that were written must be readable for ever. A file that is there is never written over.

use std::error::Error;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

use likelier::data::{Column, Features, Label, NumberRule, Rows};
use likelier::generate::{Recipe, Sampling, draw};
use likelier::model::{Architecture, Mlp, MlpNorm, ProbabilityMap, ResNet, ScalingKind};
use likelier::random::{Purpose, stream, unit};
use likelier::train::{Config, Data, train};
use likelier::{Classifier, Method, Prior, Protocol, Supervision};
use serde_json::{Value, json};

/// Rows that are scored, and rows to train on before them.
const SCORED: usize = 24;
const TRAINED: usize = 200;

const COLOURS: [&str; 3] = ["red", "grün", "azul \"claro\""];
const SIZES: [&str; 2] = ["small", ""];

/// A model to write.
struct Case {
    name: &'static str,
    architecture: Architecture,
    method: Method,
    rows: Rows<'static>,
    features: Features,
    /// For each category column, the texts of the rows that are scored.
    texts: Vec<(&'static str, Vec<&'static str>)>,
    /// The numbers of the rows that are scored as a file has them, where they are not the features; `None` is missing.
    numbers: Option<Vec<Vec<Option<f64>>>>,
    pairs: usize,
    epochs: usize,
}

/// The case whose features count by how rare they are.
const WORDS: &str = "words";

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("give a folder to write to")?;
    let names: Vec<String> = arguments.collect();
    fs::create_dir_all(&folder)?;
    for case in cases()? {
        if names.is_empty() || names.iter().any(|name| name == case.name) {
            write(&case, Path::new(&folder))?;
        }
    }
    Ok(())
}

fn cases() -> Result<Vec<Case>, likelier::Error> {
    let mlp = |norm| Architecture::Mlp(Mlp { hidden: vec![8, 5], norm });
    let resnet = |image, stages: &[(usize, usize)]| {
        Architecture::ResNet(ResNet { image, stem: 3, stages: stages.to_vec() })
    };
    let plain = |name, architecture, rows: Rows<'static>| Case {
        name,
        architecture,
        method: Method::PcompRelu,
        features: Features::numbered(rows.width()),
        rows,
        texts: Vec::new(),
        numbers: None,
        pairs: 300,
        epochs: 5,
    };
    Ok(vec![
        // Far from zero: an offset taken into the weights would cancel.
        plain("linear", Architecture::Linear, numbers(7, 1000.0)?),
        categorical()?,
        missing()?,
        plain("sparse", Architecture::Linear, sparse(30)?),
        plain(WORDS, Architecture::Linear, sparse(30)?),
        plain("mlp", mlp(MlpNorm::EachLayer), numbers(6, 10.0)?),
        plain("mlp-input-norm", mlp(MlpNorm::Input), numbers(6, 10.0)?),
        plain("mlp-no-norm", mlp(MlpNorm::None), numbers(6, 10.0)?),
        plain("resnet", resnet([3, 4, 4], &[(1, 3), (1, 4)]), bytes(48)?),
        plain("resnet-grey", resnet([1, 7, 7], &[(2, 5), (1, 4), (1, 4)]), bytes(49)?),
        plain("resnet-pixel", resnet([5, 1, 1], &[(1, 3)]), bytes(5)?),
        // Hardly trained, but a threshold at the quantile gives both labels.
        Case {
            method: Method::RankQuantile,
            pairs: 64,
            epochs: 2,
            ..plain("resnet32", Architecture::ResNet(ResNet::resnet32([3, 32, 32])), bytes(3072)?)
        },
    ])
}

fn random(count: usize) -> impl Iterator<Item = f64> {
    let mut rng = stream(2021, Purpose::Split);
    (0..count).map(move |_| unit(&mut rng))
}

fn numbers(width: usize, around: f64) -> Result<Rows<'static>, likelier::Error> {
    let count = (TRAINED + SCORED) * width;
    Rows::from_numbers(random(count).map(|x| (around + x) as f32).collect(), width)
}

fn bytes(width: usize) -> Result<Rows<'static>, likelier::Error> {
    let count = (TRAINED + SCORED) * width;
    Rows::from_bytes(random(count).map(|x| (x * 256.0) as u8).collect::<Vec<u8>>(), width)
}

fn sparse(width: usize) -> Result<Rows<'static>, likelier::Error> {
    let count = (TRAINED + SCORED) * width;
    let values = random(count).map(|x| if x < 0.2 { (50.0 * x) as f32 } else { 0.0 });
    Ok(Rows::from_numbers(values.collect(), width)?.to_sparse())
}

/// Numbers and texts in turns: number, colour (3), number, size (2), number.
fn categorical() -> Result<Case, likelier::Error> {
    let number = |name: &str| Column::number(name);
    let category = |name: &str, values: &[&str]| Column::Category {
        name: name.into(),
        values: values.iter().map(|&value| value.into()).collect(),
    };
    let columns = vec![
        number("weight"),
        category("colour", &COLOURS),
        number("height"),
        category("size", &SIZES),
        number("age"),
    ];
    let mut values = Vec::new();
    let (mut colours, mut sizes) = (Vec::new(), Vec::new());
    for (row, draw) in random((TRAINED + SCORED) * 5).collect::<Vec<_>>().chunks_exact(5).enumerate() {
        // One colour in five was not seen in training, and among the sizes the empty text is a value.
        let colour = if row < TRAINED { (draw[1] * 3.0) as usize } else { (draw[1] * 3.8) as usize };
        let size = (draw[3] * 2.0) as usize;
        let one_hot = |at: usize, of: usize| (0..of).map(move |value| f32::from(u8::from(value == at)));
        values.push(draw[0] as f32 * 80.0);
        values.extend(one_hot(colour, 3));
        values.push(draw[2] as f32 + 1.0);
        values.extend(one_hot(size, 2));
        values.push(draw[4] as f32 * 90.0);
        if row >= TRAINED {
            colours.push(COLOURS.get(colour).copied().unwrap_or("mauve"));
            sizes.push(SIZES[size]);
        }
    }
    Ok(Case {
        name: "categorical",
        architecture: Architecture::Linear,
        // Its threshold is not 0.
        method: Method::RankQuantile,
        rows: Rows::from_numbers(values, 8)?,
        features: Features::new(columns)?,
        texts: vec![("colour", colours), ("size", sizes)],
        numbers: None,
        pairs: 300,
        epochs: 20,
    })
}

/// Numbers and texts that are missing here and there, and a number far from zero.
fn missing() -> Result<Case, likelier::Error> {
    const NOTHING: [&str; 4] = ["", "NA", "?", "null"];
    let far = NumberRule { offset: 1e9, ..NumberRule::default() };
    let features = Features::new(vec![
        Column::number("size"),
        Column::Category { name: "colour".into(), values: vec![String::new(), "red".into()] },
        Column::Number { name: "stamp".into(), rule: far },
        Column::number("weight"),
    ])?;
    let (mut trained, mut scored, mut numbers, mut colours) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (row, draw) in random((TRAINED + SCORED) * 6).collect::<Vec<_>>().chunks_exact(6).enumerate() {
        let present = |there: bool, number: f64| there.then_some(number);
        let size = present(draw[0] > 0.2, (draw[1] * 50.0).round());
        let (red, stamp) = (draw[2] > 0.3, 1e9 + (draw[3] * 64.0).round() / 8.0);
        // Missing only in rows that are scored.
        let weight = present(row < TRAINED || draw[4] > 0.2, (draw[5] * 20.0).round());
        let cell = |number: Option<f64>| number.map_or(f32::NAN, |number| number as f32);
        let colour = [f32::from(u8::from(!red)), f32::from(u8::from(red))];
        let rest = [colour[0], colour[1], (stamp - far.offset) as f32, cell(weight)];
        if row < TRAINED {
            trained.push(cell(size));
            trained.extend(rest);
        } else {
            scored.extend([cell(size), 0.0]);
            scored.extend(rest);
            numbers.push(vec![size, Some(stamp), weight]);
            colours.push(if red { "red" } else { NOTHING[row % NOTHING.len()] });
        }
    }
    let features = features.learn_missing(&mut trained);
    let features = features.with_medians(&Rows::borrowed(&trained, 6)?);
    features.fill_in(&mut scored, |_, _| {});
    trained.extend(scored);
    Ok(Case {
        name: "missing",
        architecture: Architecture::Linear,
        method: Method::RankQuantile,
        rows: Rows::from_numbers(trained, 6)?,
        features,
        texts: vec![("colour", colours)],
        numbers: Some(numbers),
        pairs: 300,
        epochs: 20,
    })
}

fn trained(case: &Case) -> Result<Classifier, likelier::Error> {
    let width = case.rows.width();
    let mut row = vec![0.0; width];
    let mut label = |at: usize| {
        case.rows.copy_row(at, &mut row);
        let (first, second) = row.split_at(width / 2);
        let mean = |half: &[f32]| half.iter().sum::<f32>() / half.len() as f32;
        Label::positive_if(mean(first) > mean(second))
    };
    let labels: Vec<Label> = (0..TRAINED).map(&mut label).collect();
    let (prior, protocol) = (Prior::new(0.4)?, Protocol::FORCED_CHOICE);
    let pool: Vec<u32> = (0..TRAINED as u32).collect();
    let recipe =
        Recipe { prior, protocol, pairs: case.pairs, sampling: Sampling::Independent, degrees: None };
    let drawn = draw(&labels, &pool, &recipe, &mut stream(1, Purpose::Comparisons))?;
    let pairs = Supervision::new(drawn.evidence).comparisons().unwrap_or_default();
    let config = Config {
        scaling: (case.name == WORDS).then_some(ScalingKind::InverseFrequency),
        architecture: case.architecture.clone(),
        epochs: case.epochs,
        batch_rows: 64,
        seed: 1,
        ..Config::new(case.method, prior, protocol)
    };
    let data = Data { rows: &case.rows, piles: pairs.piles(), labels: None };
    let classifier = train(&data, &config)?;
    let probability = ProbabilityMap { slope: 1.5, offset: -1.5 * classifier.threshold() };
    classifier.with_features(case.features.clone())?.with_probability(probability)
}

fn write(case: &Case, folder: &Path) -> Result<(), Box<dyn Error>> {
    let classifier = trained(case)?;
    let which: Vec<u32> = (TRAINED as u32..(TRAINED + SCORED) as u32).collect();
    let mut said = json!({"name": case.name, "rows": [], "scores": [], "probabilities": [], "labels": []});
    let mut tell = |list: &str, value: Value| {
        if let Some(list) = said[list].as_array_mut() {
            list.push(value);
        }
    };
    let mut row = vec![0.0; case.rows.width()];
    for (&at, score) in which.iter().zip(classifier.scores_of(&case.rows, &which)?) {
        case.rows.copy_row(at as usize, &mut row);
        tell("rows", json!(row));
        tell("scores", json!(score));
        tell("probabilities", json!(classifier.probability().of(score)));
        tell("labels", json!(i32::from(score > classifier.threshold())));
    }
    said["texts"] = case
        .texts
        .iter()
        .map(|(name, texts)| ((*name).to_owned(), json!(texts)))
        .collect();
    if let Some(numbers) = &case.numbers {
        said["numbers"] = json!(numbers);
    }
    let place = |extension: &str| folder.join(format!("{}.{extension}", case.name));
    for (extension, bytes) in [
        ("likelier", classifier.to_bytes()?),
        ("onnx", classifier.to_onnx()?),
        ("json", format!("{said}\n").into_bytes()),
    ] {
        let path = place(extension);
        let file = OpenOptions::new().write(true).create_new(true).open(&path);
        file.and_then(|mut file| file.write_all(&bytes))
            .map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}
