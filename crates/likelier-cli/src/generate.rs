//! `likelier generate`: comparisons out of a labelled data set, as files.

mod population;

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use likelier::data::generate::{
    Labeller, LoosePiles, Recipe, Sampling, comparisons, most_exact_pairs, pointwise,
};
use likelier::data::split::resample_to_prior;
use likelier::data::{Comparisons, TableToWrite, class_counts};
use likelier::random::{Purpose, stream};
use likelier::trial::confidence;
use likelier::{Collection, Prior, Protocol};
use population::{Origin, Population, PopulationArguments};
use serde::Serialize;

use crate::hint::Mistake;
use crate::input::ColumnArguments;
use crate::output::{NewFolder, Warning, print_json, print_text};

/// Turn labelled rows into comparisons, with a labelled test set beside them.
///
/// Writes items.csv (id, features), comparisons.csv (likelier, other), test.csv (id, features, label)
/// and dataset.json (how it was made) into a new folder.
#[derive(Args)]
#[command(after_help = "Examples:
  likelier generate --dataset optdigits --prior 0.5 --protocol discard --out optdigits-half
  likelier generate --dataset mnist --prior 0.2 --pairs 5000 --protocol forced-choice \\
      --labeller-error 0.1 --sampling independent --seed 7 --out mnist-noisy
  likelier generate --items iris.csv --label species --positive virginica --protocol forced-choice \\
      --out iris-pairs")]
pub(crate) struct Generate {
    #[command(flatten)]
    from: PopulationArguments,
    #[command(flatten)]
    columns: ColumnArguments,
    /// The share of positives in the population that pairs are drawn from [default: that of the --items].
    #[arg(long, value_name = "SHARE", required_unless_present = "items", allow_negative_numbers = true)]
    prior: Option<String>,
    /// How many comparisons to make [default: as many as the paper, or as there are --items for without using
    /// one twice]; --sampling pointwise makes twice as many rows.
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
    #[serde(flatten)]
    origin: Origin,
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
        let prior = self.prior.as_ref().map(|prior| prior.parse::<Prior>()).transpose()?;
        let protocol = Protocol::new(self.protocol.parse::<Collection>()?, self.labeller_error)?;
        if self.sampling == Drawing::Pointwise && self.labeller == Judge::Confidence {
            bail!(Mistake {
                what: "--sampling pointwise makes no pairs, so there is nothing for --labeller confidence to order"
                    .into(),
                advice: "leave out --labeller, or choose another --sampling",
            });
        }
        let folder = NewFolder::create(&self.out)?;
        let from = self.from.read(&self.columns, self.seed)?;
        let own_share = from.share()?;
        let drawn = self.draw(&from, prior.unwrap_or(own_share), protocol)?;
        let test = match prior {
            Some(prior) => {
                let mut rng = stream(self.seed, Purpose::Resample);
                resample_to_prior(&from.labels, &from.split.test, prior, &mut rng)?
            }
            None => from.split.test.clone(),
        };

        let items = drawn.items();
        self.write_rows(&folder, "items", from.table(false), &items)?;
        drawn.write(&folder, &from)?;
        self.write_rows(&folder, "test", from.table(true), &test)?;
        let (features, [test_positives, _]) = (from.rows.width(), class_counts(&from.labels, &test)?);
        let card = Card {
            protocol,
            pairs_shown: drawn.shown(),
            pairs_kept: drawn.kept(),
            prior: prior.unwrap_or(own_share),
            seed: self.seed,
            source: Source {
                origin: from.origin,
                sampling: self.sampling,
                labeller: self.labeller,
                note: from.note.clone(),
            },
        };
        folder.write("dataset.json", |file| {
            serde_json::to_writer_pretty(&mut *file, &card)?;
            Ok(writeln!(file)?)
        })?;
        folder.finish()?;

        let written = Written {
            folder: self.out.clone(),
            items: items.len(),
            features,
            test_rows: test.len(),
            test_positives,
            card,
        };
        let warnings: Vec<Warning> = from
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
        table: TableToWrite<'_>,
        rows: &[u32],
    ) -> Result<()> {
        let name = format!("{name}.{}", self.format.extension());
        folder.write(&name, |file| match self.format {
            Format::Csv => Ok(table.csv(file, rows)?),
            Format::Parquet => Ok(table.parquet(file, rows)?),
        })
    }

    fn draw(&self, from: &Population, prior: Prior, protocol: Protocol) -> Result<Drawn> {
        let (labels, pool) = (&from.labels, &from.split.train);
        let pairs = self.pairs.or(from.usual_pairs);
        let mut rng = stream(self.seed, Purpose::Comparisons);
        let sampling = match self.sampling {
            Drawing::Independent => Sampling::Independent,
            Drawing::ExactCounts => Sampling::ExactCounts,
            Drawing::Pointwise => {
                let rows = match pairs {
                    Some(pairs) => pairs.saturating_mul(2),
                    None => most_rows(class_counts(labels, pool)?, prior),
                };
                return Ok(Drawn::Piles(pointwise(labels, pool, prior, protocol, rows, &mut rng)?));
            }
        };
        let scores = match self.labeller {
            Judge::Class => None,
            Judge::Confidence => Some(confidence(&from.rows, &from.labels, &from.split.train, self.seed)?),
        };
        let labeller = scores.as_deref().map_or(Labeller::Class, Labeller::Confidence);
        let mut recipe = Recipe { prior, protocol, pairs: 1, sampling, labeller };
        recipe.pairs = match (pairs, sampling) {
            (Some(pairs), _) => pairs,
            (None, Sampling::ExactCounts) => most_exact_pairs(labels, pool, &recipe)?.max(1),
            (None, Sampling::Independent) => (pool.len() / 2).max(1),
        };
        let generated = comparisons(labels, pool, &recipe, &mut rng)?;
        Ok(Drawn::Pairs { comparisons: generated.comparisons, shown: generated.shown })
    }
}

/// As many rows as there are with this share of positives.
fn most_rows([positives, negatives]: [usize; 2], prior: Prior) -> usize {
    let fits = |rows: &usize| {
        let needed = (*rows as f64 * prior.positive()).round() as usize;
        needed <= positives && rows - needed <= negatives
    };
    (1..=positives + negatives).rev().find(fits).unwrap_or(1)
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

    fn write(&self, folder: &NewFolder, from: &Population) -> Result<()> {
        match self {
            Self::Pairs { comparisons, .. } => folder.write("comparisons.csv", |file| {
                writeln!(file, "likelier,other")?;
                for (likelier, other) in comparisons.iter() {
                    from.write_id(file, likelier)?;
                    file.write_all(b",")?;
                    from.write_id(file, other)?;
                    file.write_all(b"\n")?;
                }
                Ok(())
            }),
            Self::Piles(piles) => folder.write("piles.csv", |file| {
                writeln!(file, "id,pile")?;
                for (rows, pile) in [(&piles.likelier, "likelier"), (&piles.other, "other")] {
                    for row in rows {
                        from.write_id(file, *row)?;
                        writeln!(file, ",{pile}")?;
                    }
                }
                Ok(())
            }),
        }
    }
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
            (1e4 * self.card.prior.positive()).round() / 1e4,
            self.card.seed
        )
    }
}
