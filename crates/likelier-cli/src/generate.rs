//! `likelier generate`: comparisons out of a labelled table, as files.

use std::path::PathBuf;

use clap::Args;
use likelier::random::{Purpose, stream};
use likelier::{Error, Split};
use likelier_tables::Items;

use crate::arguments::{ColumnArguments, read_items};
use crate::dataset::{DrawArguments, Population};
use crate::labels::parse_two_classes;
use crate::terminal::{Result, mistake};

/// Turn labelled rows into comparisons, with a labelled test set beside them.
///
/// Writes items.csv (id, features), comparisons.csv (likelier, other), test.csv (id, features, label)
/// and dataset.json (how it was made) into a new folder.
#[derive(Args)]
#[command(after_help = "Examples:
  likelier generate --items iris.csv --label species --positive virginica --protocol forced-choice \\
      --out iris-pairs
  likelier generate --items wine.csv --label good --prior 0.2 --pairs 500 --protocol discard \\
      --labeller-error 0.1 --sampling independent --seed 7 --out wine-noisy")]
pub(crate) struct GenerateVerb {
    /// Any labelled table: CSV, TSV, JSON Lines, Parquet, NPY, NPZ or LIBSVM, also as .gz, .xz or .zst;
    /// - for standard input.
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    items: PathBuf,
    /// The column of the items that holds the true labels.
    #[arg(long, value_name = "COLUMN", help_heading = "Input")]
    label: String,
    /// The label or labels of positives; every other label is negative [default: 1, true or yes].
    #[arg(long, value_name = "VALUE", num_args = 1.., allow_negative_numbers = true, help_heading = "Input")]
    positive: Vec<String>,
    /// The share of the rows of each class that becomes test rows.
    #[arg(
        long,
        value_name = "SHARE",
        default_value_t = 0.2,
        allow_negative_numbers = true,
        help_heading = "Input"
    )]
    test_share: f64,
    #[command(flatten)]
    columns: ColumnArguments,
    #[command(flatten)]
    draw: DrawArguments,
}

impl GenerateVerb {
    pub(crate) fn run(&self) -> Result<()> {
        let folder = self.draw.open()?;
        if !(self.test_share > 0.0 && self.test_share < 1.0) {
            return Err(Error::Setting {
                name: "--test-share",
                value: self.test_share.to_string(),
                allowed: "above 0 and below 1",
            }
            .into());
        }
        let layout = self.columns.layout(Some(&self.label));
        if let Some(column) = layout.texts.iter().chain(&layout.dates).next() {
            return Err(mistake(
                format!(
                    "'{column}' cannot be written into a new data set as the text or the date that it was"
                ),
                "generate takes numbers and categories: leave the column out with --exclude",
            ));
        }
        let Items { ids, rows, features, labels, .. } = read_items(&self.items, &layout)?;
        let labels = parse_two_classes(&labels.unwrap_or_default(), &self.label, &self.positive)?;
        let mut rng = stream(self.draw.seed, Purpose::Split);
        let split = Split::stratified(&labels, self.test_share, &mut rng);
        let mut origin = serde_json::Map::new();
        origin.insert("file".into(), self.items.display().to_string().into());
        origin.insert("label".into(), self.label.clone().into());
        origin.insert("positive".into(), self.positive.clone().into());
        origin.insert("test_share".into(), self.test_share.into());
        let population =
            Population { ids, features, rows, labels, split, usual_pairs: None, note: None, origin };
        self.draw.write(folder, population)
    }
}
