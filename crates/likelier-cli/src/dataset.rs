//! Comparisons drawn from labelled rows, as a folder of files that every verb reads.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use likelier::data::{Features, class_counts};
use likelier::generate::{Generated, Labeller, Recipe, Sampling, draw, most_pairs};
use likelier::random::{Purpose, stream};
use likelier::words::count;
use likelier::{
    Collection, Equals, Evidence, Label, Prior, Protocol, Rows, Split, Warning, resample_to_prior,
};
use likelier_tables::{CardSource, DatasetCard, Ids, TableToWrite, write_field};
use serde::Serialize;

use crate::terminal::{NewFolder, Result, mistake, print_json, print_text};

/// Labelled rows, divided.
pub struct Population {
    pub ids: Ids,
    pub features: Features,
    pub rows: Rows<'static>,
    pub labels: Vec<Label>,
    pub split: Split,
    /// As many pairs as are usually made of it.
    pub usual_pairs: Option<usize>,
    /// What results must say.
    pub note: Option<String>,
    /// Where the rows came from, for `dataset.json`.
    pub origin: serde_json::Map<String, serde_json::Value>,
}

/// What to draw, and where to write it.
#[derive(Args)]
pub struct DrawArguments {
    /// The share of positives in the population that pairs are drawn from [default: that of the rows].
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    prior: Option<String>,
    /// How many comparisons to make [default: as many as the paper, or as many as possible without using a row
    /// twice]; --sampling pointwise makes twice as many rows.
    #[arg(long, value_name = "N")]
    pairs: Option<usize>,
    /// What happens to a pair: "discard" drops (negative, positive) pairs as the paper does;
    /// "forced-choice" keeps every pair, the likelier one first.
    #[arg(long, value_name = "discard|forced-choice")]
    protocol: String,
    /// How often the labeller gets a mixed pair wrong.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, allow_negative_numbers = true)]
    labeller_error: f64,
    /// How rows are drawn.
    #[arg(long, value_enum, default_value_t = HowDrawn::ExactCounts)]
    sampling: HowDrawn,
    /// Who orders the pairs.
    #[arg(long, value_enum, default_value_t = WhoOrders::Class)]
    labeller: WhoOrders,
    /// The seed of all random choices.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// The folder to write; it must be new or empty.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// How items and test rows are written: items.csv and test.csv, or items.parquet and test.parquet.
    #[arg(long, value_enum, default_value_t = TableFormat::Csv)]
    format: TableFormat,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TableFormat {
    Csv,
    Parquet,
}

impl TableFormat {
    fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Parquet => "parquet",
        }
    }
}

/// [`Sampling`] on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum HowDrawn {
    /// Independently, with replacement, as Theorem 1 describes.
    Independent,
    /// Each combination of labels in its expected number, no row twice: the benchmark's usual form.
    ExactCounts,
    /// The paper's literal text: no pairs, labels flipped by the rates of Theorem 5 (writes piles.csv).
    Pointwise,
}

/// [`Labeller`] on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum WhoOrders {
    /// Knows the classes; same-class pairs land in random order, as every method assumes.
    Class,
    /// Orders same-class pairs by the score of a model trained on the labels, which breaks that assumption.
    Confidence,
}

/// What was written.
#[derive(Serialize)]
struct Written {
    #[serde(serialize_with = "crate::terminal::path_text")]
    folder: PathBuf,
    items: usize,
    features: usize,
    test_rows: usize,
    test_positives: usize,
    #[serde(flatten)]
    card: DatasetCard,
}

impl DrawArguments {
    /// Independent forced choices by a labeller who knows the classes, with seed 0.
    pub(crate) fn forced_choices(pairs: usize, out: PathBuf, json: bool) -> Self {
        Self {
            prior: None,
            pairs: Some(pairs),
            protocol: Collection::ForcedChoice.name().to_owned(),
            labeller_error: 0.0,
            sampling: HowDrawn::Independent,
            labeller: WhoOrders::Class,
            seed: 0,
            out,
            format: TableFormat::Csv,
            json,
        }
    }

    /// Refuses what cannot be, before any row is read. Starts the folder.
    pub fn open(&self) -> Result<NewFolder> {
        self.believed()?;
        if self.sampling == HowDrawn::Pointwise && self.labeller == WhoOrders::Confidence {
            return Err(mistake(
                "--sampling pointwise makes no pairs, so there is nothing for --labeller confidence to order",
                "leave out --labeller, or choose another --sampling",
            ));
        }
        NewFolder::create(&self.out)
    }

    fn believed(&self) -> Result<(Option<Prior>, Protocol)> {
        let prior = self.prior.as_ref().map(|prior| prior.parse::<Prior>()).transpose()?;
        Ok((prior, Protocol::new(self.protocol.parse::<Collection>()?, self.labeller_error)?))
    }

    fn sampling(&self) -> Sampling {
        match self.sampling {
            HowDrawn::Independent => Sampling::Independent,
            HowDrawn::ExactCounts => Sampling::ExactCounts,
            HowDrawn::Pointwise => Sampling::Pointwise,
        }
    }

    fn labeller(&self) -> Labeller {
        match self.labeller {
            WhoOrders::Class => Labeller::Class,
            WhoOrders::Confidence => Labeller::Confidence,
        }
    }

    /// Draws from the population, writes the folder, and says what is in it.
    pub fn write(&self, folder: NewFolder, from: Population) -> Result<()> {
        let (prior, protocol) = self.believed()?;
        let own_share = from.share()?;
        let drawn = self.draw(&from, prior.unwrap_or(own_share), protocol)?;
        let test = match prior {
            Some(prior) => {
                let mut rng = stream(self.seed, Purpose::Resample);
                resample_to_prior(&from.labels, &from.split.test, prior, &mut rng)?
            }
            None => from.split.test.clone(),
        };

        let items = items_of(&drawn.evidence);
        self.write_rows(&folder, "items", from.table(false), &items)?;
        from.write_evidence(&folder, &drawn.evidence)?;
        self.write_rows(&folder, "test", from.table(true), &test)?;
        let (features, [test_positives, _]) = (from.rows.width(), class_counts(&from.labels, &test)?);
        let card = DatasetCard {
            protocol: Some(protocol.collection().name().to_owned()),
            labeller_error: Some(protocol.labeller_error()),
            equals: Some(match self.labeller {
                WhoOrders::Class => Equals::Coin,
                WhoOrders::Confidence => Equals::Degree,
            }),
            pairs_shown: drawn.shown,
            pairs_kept: match &drawn.evidence {
                Evidence::Answers(answers) => Some(answers.len()),
                Evidence::Piles(_) => None,
            },
            prior: Some(prior.unwrap_or(own_share).positive()),
            seed: Some(self.seed),
            source: Some(CardSource {
                origin: from.origin,
                sampling: Some(self.sampling()),
                labeller: Some(self.labeller()),
                note: from.note.clone(),
            }),
        };
        folder.write("dataset.json", |file| {
            serde_json::to_writer_pretty(&mut *file, &card)?;
            Ok(writeln!(file)?)
        })?;
        folder.finish()?;

        let text = self.text(&drawn, [items.len(), features, test.len(), test_positives], &card);
        let written = Written {
            folder: self.out.clone(),
            items: items.len(),
            features,
            test_rows: test.len(),
            test_positives,
            card,
        };
        let warnings: Vec<Warning> =
            from.note.into_iter().map(|note| Warning::PartialData { note }).collect();
        if self.json { print_json("generate", &written, &warnings) } else { print_text(&text, &warnings) }
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
            TableFormat::Csv => Ok(table.csv(file, rows)?),
            TableFormat::Parquet => Ok(table.parquet(file, rows)?),
        })
    }

    fn draw(&self, from: &Population, prior: Prior, protocol: Protocol) -> Result<Generated> {
        let (labels, pool) = (&from.labels, &from.split.train);
        let degrees = self.labeller().degrees(&from.rows, labels, pool, self.seed)?;
        let sampling = self.sampling();
        let mut recipe = Recipe { prior, protocol, pairs: 1, sampling, degrees: degrees.as_deref() };
        recipe.pairs = match (self.pairs.or(from.usual_pairs), sampling) {
            (Some(pairs), _) => pairs,
            (None, Sampling::Independent) => (pool.len() / 2).max(1),
            (None, _) => most_pairs(labels, pool, &recipe)?.max(1),
        };
        let mut rng = stream(self.seed, Purpose::Comparisons);
        Ok(draw(labels, pool, &recipe, &mut rng)?)
    }

    fn text(
        &self,
        drawn: &Generated,
        [items, features, test_rows, positives]: [usize; 4],
        card: &DatasetCard,
    ) -> String {
        let protocol = self.believed().map(|(_, protocol)| protocol.to_string()).unwrap_or_default();
        let supervision = match (&drawn.evidence, drawn.shown) {
            (Evidence::Answers(answers), Some(shown)) => {
                format!(
                    "comparisons.csv  {} kept of {shown} shown ({protocol})",
                    count(answers.len(), "comparison")
                )
            }
            (Evidence::Answers(answers), None) => {
                format!("comparisons.csv  {} ({protocol})", count(answers.len(), "comparison"))
            }
            (Evidence::Piles(piles), _) => format!(
                "piles.csv        {} likelier, {} other",
                count(piles.likelier.len(), "row"),
                piles.other.len()
            ),
        };
        let name = |name: &str| format!("{name}.{}", self.format.extension());
        format!(
            "{}\n  {:<15}  {} with {}, no labels\n  {supervision}\n  {:<15}  {}, {positives} of them positive\n  dataset.json     how it was made: prior {}, seed {}\n",
            self.out.display(),
            name("items"),
            count(items, "item"),
            count(features, "feature"),
            name("test"),
            count(test_rows, "labelled row"),
            (1e4 * card.prior.unwrap_or_default()).round() / 1e4,
            self.seed
        )
    }
}

/// The rows that occur, each once, in the order of the population.
fn items_of(evidence: &Evidence) -> Vec<u32> {
    let mut items: Vec<u32> = match evidence {
        Evidence::Answers(answers) => answers.pairs().iter().flat_map(|(a, b)| [*a, *b]).collect(),
        Evidence::Piles(piles) => piles.likelier.iter().chain(&piles.other).copied().collect(),
    };
    items.sort_unstable();
    items.dedup();
    items
}

impl Population {
    /// The share of positives among all rows.
    fn share(&self) -> Result<Prior> {
        let positives = self.labels.iter().filter(|label| label.is_positive()).count();
        Ok(Prior::new(positives as f64 / self.labels.len() as f64)?)
    }

    fn table(&self, labelled: bool) -> TableToWrite<'_> {
        TableToWrite {
            ids: &self.ids,
            features: &self.features,
            rows: &self.rows,
            labels: labelled.then_some(&self.labels[..]),
        }
    }

    fn write_id(&self, out: &mut impl Write, row: u32) -> std::io::Result<()> {
        write_field(out, &self.ids.name(row as usize))
    }

    fn write_evidence(&self, folder: &NewFolder, evidence: &Evidence) -> Result<()> {
        match evidence {
            Evidence::Answers(answers) => folder.write("comparisons.csv", |file| {
                writeln!(file, "likelier,other")?;
                for (likelier, other) in answers.pairs() {
                    self.write_id(file, *likelier)?;
                    file.write_all(b",")?;
                    self.write_id(file, *other)?;
                    file.write_all(b"\n")?;
                }
                Ok(())
            }),
            Evidence::Piles(piles) => folder.write("piles.csv", |file| {
                writeln!(file, "id,pile")?;
                for (rows, pile) in [(&piles.likelier, "likelier"), (&piles.other, "other")] {
                    for row in rows {
                        self.write_id(file, *row)?;
                        writeln!(file, ",{pile}")?;
                    }
                }
                Ok(())
            }),
        }
    }
}
