//! Labelled rows that comparisons are made from: a benchmark, or a file of the user's.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::Args;
use likelier::data::benchmark::{Benchmark, Dataset};
use likelier::data::split::Split;
use likelier::data::{Features, Ids, Items, Label, Rows, TableToWrite, write_field};
use likelier::random::{Purpose, stream};
use likelier::{Error, Prior};
use serde::Serialize;

use crate::data_dir::DataDir;
use crate::hint::Mistake;
use crate::input::{ColumnArguments, read_items};
use crate::labels::parse_two_classes;

/// Where the rows are.
#[derive(Args)]
#[command(next_help_heading = "Input")]
pub(super) struct PopulationArguments {
    /// A benchmark: a folder name of the data directory, such as optdigits.
    #[arg(long, value_name = "NAME", required_unless_present = "items", conflicts_with = "items")]
    dataset: Option<String>,
    /// Any labelled table: CSV, TSV, Parquet, NPY, NPZ or LIBSVM, also as .gz or .xz; - for standard input.
    #[arg(long, value_name = "FILE", requires = "label")]
    pub(super) items: Option<PathBuf>,
    /// The column of the items that holds the true labels.
    #[arg(long, value_name = "COLUMN", requires = "items")]
    label: Option<String>,
    /// The labels of positives; every other one is negative [default: 1, true or yes].
    #[arg(long, value_name = "VALUE", requires = "items", num_args = 1.., allow_negative_numbers = true)]
    positive: Vec<String>,
    /// The share of the items' rows that becomes test rows, of each class [default: 0.2].
    #[arg(long, value_name = "SHARE", requires = "items", allow_negative_numbers = true)]
    test_share: Option<f64>,
    #[command(flatten)]
    data_dir: DataDir,
}

/// Labelled rows, divided.
pub(super) struct Population {
    ids: Ids,
    features: Features,
    pub(super) rows: Rows,
    pub(super) labels: Vec<Label>,
    pub(super) split: Split,
    /// As many pairs as the paper makes of it.
    pub(super) usual_pairs: Option<usize>,
    /// What results must say.
    pub(super) note: Option<String>,
    pub(super) origin: Origin,
}

/// Where the rows came from, for `dataset.json`.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Origin {
    Benchmark { dataset: &'static str },
    File { file: PathBuf, label: String, positive: Vec<String>, test_share: f64 },
}

impl PopulationArguments {
    pub(super) fn read(&self, columns: &ColumnArguments, seed: u64) -> Result<Population> {
        let mut rng = stream(seed, Purpose::Split);
        if let Some(file) = &self.items {
            let label = self.label.as_deref().context("no --label")?;
            let test_share = self.test_share.unwrap_or(0.2);
            if !(test_share > 0.0 && test_share < 1.0) {
                bail!(Error::Setting {
                    name: "--test-share",
                    value: test_share.to_string(),
                    allowed: "above 0 and below 1",
                });
            }
            let Items { ids, rows, features, labels } = read_items(file, &columns.layout(Some(label)))?;
            let labels = parse_two_classes(&labels.unwrap_or_default(), label, &self.positive)?;
            let split = Split::stratified(&labels, test_share, &mut rng);
            let origin = Origin::File {
                file: file.clone(),
                label: label.to_owned(),
                positive: self.positive.clone(),
                test_share,
            };
            return Ok(Population {
                ids,
                features,
                rows,
                labels,
                split,
                usual_pairs: None,
                note: None,
                origin,
            });
        }
        if let Some(option) = columns.first_given() {
            bail!(Mistake {
                what: format!("{option} is about a table of --items, and a --dataset has its own columns"),
                advice: "leave it out, or give a table of your own with --items and --label",
            });
        }
        let benchmark: Benchmark = self.dataset.as_deref().context("no --dataset")?.parse()?;
        let dataset = benchmark.load(&self.data_dir.path()?)?;
        let split = dataset.split(&mut rng);
        let Dataset { rows, labels, note, .. } = dataset;
        Ok(Population {
            ids: Ids::numbered(rows.len()),
            features: Features::numbered(rows.width()),
            rows,
            labels,
            split,
            usual_pairs: Some(benchmark.spec().pairs),
            note,
            origin: Origin::Benchmark { dataset: benchmark.name() },
        })
    }
}

impl Population {
    /// The share of positives among all rows.
    pub(super) fn share(&self) -> Result<Prior> {
        let positives = self.labels.iter().filter(|label| label.is_positive()).count();
        Ok(Prior::new(positives as f64 / self.labels.len() as f64)?)
    }

    pub(super) fn table(&self, labelled: bool) -> TableToWrite<'_> {
        TableToWrite {
            ids: &self.ids,
            features: &self.features,
            rows: &self.rows,
            labels: labelled.then_some(&self.labels[..]),
        }
    }

    /// Writes what a row is called.
    pub(super) fn write_id(&self, out: &mut impl Write, row: u32) -> Result<()> {
        Ok(write_field(out, &self.ids.name(row as usize))?)
    }
}
