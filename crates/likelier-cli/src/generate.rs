//! `likelier generate`: comparisons out of a labelled data set, as files.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use likelier::data::benchmark::{Benchmark, Dataset};
use likelier::data::generate::{Labeller, LoosePiles, Recipe, Sampling, comparisons, pointwise};
use likelier::data::split::resample_to_prior;
use likelier::data::{Comparisons, Label, Piles, write_parquet};
use likelier::random::{Purpose, stream};
use likelier::train::{Config, Data, train};
use likelier::{Collection, Method, Prior, Protocol};
use serde::Serialize;

use crate::data_dir::DataDir;
use crate::output::{NewFolder, Warning, print_json, print_text};

/// Turn a labelled benchmark into comparisons, with a labelled test set beside them.
///
/// Writes items.csv (id, features), comparisons.csv (likelier, other), test.csv (id, features, label)
/// and dataset.json (how it was made) into a new folder.
#[derive(Args)]
#[command(after_help = "Examples:
  likelier generate --dataset optdigits --prior 0.5 --protocol discard --out optdigits-half
  likelier generate --dataset mnist --prior 0.2 --pairs 5000 --protocol forced-choice \\
      --labeller-error 0.1 --sampling independent --seed 7 --out mnist-noisy")]
pub(crate) struct Generate {
    /// The data set: a folder name of the data directory, such as optdigits.
    #[arg(long, value_name = "NAME")]
    dataset: String,
    /// The share of positives in the population that pairs are drawn from.
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    prior: String,
    /// How many comparisons to make [default: as many as the paper]; --sampling pointwise makes twice as
    /// many rows.
    #[arg(long, value_name = "N")]
    pairs: Option<usize>,
    /// What becomes of a pair: "discard" drops (negative, positive) pairs as the paper does;
    /// "forced-choice" keeps every pair, the likelier one first.
    #[arg(long, value_name = "discard|forced-choice")]
    protocol: String,
    /// How often the labeller gets a mixed pair wrong.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, allow_negative_numbers = true)]
    labeller_error: f64,
    /// How rows are drawn.
    #[arg(long, value_enum, default_value_t = Drawing::ExactCounts)]
    sampling: Drawing,
    /// Who orders the pairs.
    #[arg(long, value_enum, default_value_t = Judge::Class)]
    labeller: Judge,
    /// Decides everything random.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// The folder to write; it must not exist, or be empty.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    data_dir: DataDir,
    /// How items and test rows are written: items.csv and test.csv, or items.parquet and test.parquet.
    #[arg(long, value_enum, default_value_t = Format::Csv)]
    format: Format,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Csv,
    Parquet,
}

impl Format {
    fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Parquet => "parquet",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Drawing {
    /// Independently, with replacement, as Theorem 1 describes.
    Independent,
    /// Each combination of labels in its expected number, no row twice: the benchmark's usual form.
    ExactCounts,
    /// The paper's literal text: no pairs, labels flipped by the rates of Theorem 5 (writes piles.csv).
    Pointwise,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Judge {
    /// Knows the classes; same-class pairs land in random order, as every method assumes.
    Class,
    /// Orders same-class pairs by the score of a model trained on the labels: breaks that assumption.
    Confidence,
}

/// `dataset.json`: how the comparisons came to be.
#[derive(Serialize)]
struct Card {
    #[serde(flatten)]
    protocol: Protocol,
    pairs_shown: Option<usize>,
    pairs_kept: Option<usize>,
    prior: Prior,
    seed: u64,
    source: Source,
}

#[derive(Serialize)]
struct Source {
    dataset: &'static str,
    sampling: Drawing,
    labeller: Judge,
    note: Option<String>,
}

/// What was written.
#[derive(Serialize)]
struct Written {
    folder: PathBuf,
    items: usize,
    features: usize,
    test_rows: usize,
    test_positives: usize,
    #[serde(flatten)]
    card: Card,
}

/// Either form of supervision, over rows of the data set.
enum Drawn {
    Pairs { comparisons: Comparisons, shown: Option<usize> },
    Piles(LoosePiles),
}

impl Generate {
    pub(crate) fn run(&self) -> Result<()> {
        let benchmark: Benchmark = self.dataset.parse()?;
        let prior: Prior = self.prior.parse()?;
        let protocol = Protocol::new(self.protocol.parse::<Collection>()?, self.labeller_error)?;
        if self.sampling == Drawing::Pointwise && self.labeller == Judge::Confidence {
            bail!(
                "--sampling pointwise makes no pairs, so there is nothing for --labeller confidence to order"
            );
        }
        let folder = NewFolder::create(&self.out)?;
        let dataset = benchmark.load(&self.data_dir.path()?)?;
        let split = dataset.split(&mut stream(self.seed, Purpose::Split));
        let drawn = self.draw(&dataset, &split.train, prior, protocol)?;
        let mut rng = stream(self.seed, Purpose::Resample);
        let test = resample_to_prior(&dataset.labels, &split.test, prior, &mut rng)?;

        let items = drawn.items();
        let card = Card {
            protocol,
            pairs_shown: drawn.shown(),
            pairs_kept: drawn.kept(),
            prior,
            seed: self.seed,
            source: Source {
                dataset: benchmark.name(),
                sampling: self.sampling,
                labeller: self.labeller,
                note: dataset.note.clone(),
            },
        };
        self.write_rows(&folder, "items", &dataset, &items, false)?;
        drawn.write(&folder)?;
        self.write_rows(&folder, "test", &dataset, &test, true)?;
        folder.write("dataset.json", |file| {
            serde_json::to_writer_pretty(&mut *file, &card)?;
            Ok(writeln!(file)?)
        })?;
        folder.finish()?;

        let written = Written {
            folder: self.out.clone(),
            items: items.len(),
            features: dataset.rows.width(),
            test_rows: test.len(),
            test_positives: test.iter().filter(|row| dataset.labels[**row as usize].is_positive()).count(),
            card,
        };
        let warnings: Vec<Warning> = dataset
            .note
            .into_iter()
            .map(|message| Warning { code: "partial-data", message })
            .collect();
        if self.json {
            print_json("generate", &written, &warnings)
        } else {
            print_text(&written.text(&drawn, self.format), &warnings)
        }
    }

    fn write_rows(
        &self,
        folder: &NewFolder,
        name: &str,
        dataset: &Dataset,
        rows: &[u32],
        labelled: bool,
    ) -> Result<()> {
        let name = format!("{name}.{}", self.format.extension());
        folder.write(&name, |file| match self.format {
            Format::Csv => write_csv(file, dataset, rows, labelled),
            Format::Parquet => {
                Ok(write_parquet(file, &dataset.rows, rows, labelled.then_some(&dataset.labels[..]))?)
            }
        })
    }

    fn draw(&self, dataset: &Dataset, pool: &[u32], prior: Prior, protocol: Protocol) -> Result<Drawn> {
        let pairs = self.pairs.unwrap_or(dataset.benchmark.spec().pairs);
        let mut rng = stream(self.seed, Purpose::Comparisons);
        let sampling = match self.sampling {
            Drawing::Independent => Sampling::Independent,
            Drawing::ExactCounts => Sampling::ExactCounts,
            Drawing::Pointwise => {
                let rows = pairs.saturating_mul(2);
                return Ok(Drawn::Piles(pointwise(
                    &dataset.labels,
                    pool,
                    prior,
                    protocol,
                    rows,
                    &mut rng,
                )?));
            }
        };
        let scores = match self.labeller {
            Judge::Class => None,
            Judge::Confidence => Some(confidence(dataset, pool, self.seed)?),
        };
        let labeller = scores.as_deref().map_or(Labeller::Class, Labeller::Confidence);
        let recipe = Recipe { prior, protocol, pairs, sampling, labeller };
        let generated = comparisons(&dataset.labels, pool, &recipe, &mut rng)?;
        Ok(Drawn::Pairs { comparisons: generated.comparisons, shown: generated.shown })
    }
}

/// A score of every row, from a linear model trained on the true labels of the pool.
fn confidence(dataset: &Dataset, pool: &[u32], seed: u64) -> Result<Vec<f32>> {
    let (positive, negative): (Vec<u32>, Vec<u32>) =
        pool.iter().partition(|row| dataset.labels[**row as usize].is_positive());
    // With the true classes for piles, Binary-Biased is supervised training on balanced classes.
    let config = Config {
        epochs: 20,
        seed,
        ..Config::new(Method::BinaryBiased, Prior::new(0.5)?, Protocol::DISCARD)
    };
    let data = Data { rows: &dataset.rows, piles: Piles::loose(&positive, &negative), labels: None };
    let classifier = train(&data, &config, |_, _| Ok(()))?;
    let all: Vec<u32> = (0..dataset.rows.len() as u32).collect();
    Ok(classifier.scores(&dataset.rows, &all)?)
}

impl Drawn {
    /// The rows that occur, each once, in the data set's order.
    fn items(&self) -> Vec<u32> {
        let mut items: Vec<u32> = match self {
            Self::Pairs { comparisons, .. } => comparisons.iter().flat_map(|(a, b)| [a, b]).collect(),
            Self::Piles(piles) => piles.likelier.iter().chain(&piles.other).copied().collect(),
        };
        items.sort_unstable();
        items.dedup();
        items
    }

    fn shown(&self) -> Option<usize> {
        match self {
            Self::Pairs { shown, .. } => *shown,
            Self::Piles(_) => None,
        }
    }

    fn kept(&self) -> Option<usize> {
        match self {
            Self::Pairs { comparisons, .. } => Some(comparisons.len()),
            Self::Piles(_) => None,
        }
    }

    fn write(&self, folder: &NewFolder) -> Result<()> {
        match self {
            Self::Pairs { comparisons, .. } => folder.write("comparisons.csv", |file| {
                writeln!(file, "likelier,other")?;
                for (likelier, other) in comparisons.iter() {
                    writeln!(file, "{likelier},{other}")?;
                }
                Ok(())
            }),
            Self::Piles(piles) => folder.write("piles.csv", |file| {
                writeln!(file, "id,pile")?;
                for (rows, pile) in [(&piles.likelier, "likelier"), (&piles.other, "other")] {
                    for row in rows {
                        writeln!(file, "{row},{pile}")?;
                    }
                }
                Ok(())
            }),
        }
    }
}

/// A table of rows: id, features and, where wanted, the label. Only numbers, so nothing needs quoting.
fn write_csv(file: &mut impl Write, dataset: &Dataset, rows: &[u32], labelled: bool) -> Result<()> {
    let width = dataset.rows.width();
    write!(file, "id")?;
    for column in 0..width {
        write!(file, ",f{column}")?;
    }
    writeln!(file, "{}", if labelled { ",label" } else { "" })?;
    let mut values = vec![0.0; width];
    for &row in rows {
        write!(file, "{row}")?;
        dataset.rows.copy_row(row as usize, &mut values);
        for value in &values {
            write!(file, ",{value}")?;
        }
        if labelled {
            let label: Label = dataset.labels[row as usize];
            write!(file, ",{}", u8::from(label.is_positive()))?;
        }
        writeln!(file)?;
    }
    Ok(())
}

impl Written {
    fn text(&self, drawn: &Drawn, format: Format) -> String {
        let supervision = match drawn {
            Drawn::Pairs { comparisons, shown: Some(shown) } => format!(
                "comparisons.csv  {} comparisons kept of {shown} shown ({})",
                comparisons.len(),
                self.card.protocol
            ),
            Drawn::Pairs { comparisons, shown: None } => {
                format!("comparisons.csv  {} comparisons ({})", comparisons.len(), self.card.protocol)
            }
            Drawn::Piles(piles) => {
                format!(
                    "piles.csv        {} rows likelier, {} other",
                    piles.likelier.len(),
                    piles.other.len()
                )
            }
        };
        format!(
            "{}\n  {:<16} {} items with {} features, no labels\n  {supervision}\n  \
             {:<16} {} labelled rows, {} of them positive\n  \
             dataset.json     how it was made: prior {}, seed {}\n",
            self.folder.display(),
            format!("items.{}", format.extension()),
            self.items,
            self.features,
            format!("test.{}", format.extension()),
            self.test_rows,
            self.test_positives,
            self.card.prior,
            self.card.seed
        )
    }
}
