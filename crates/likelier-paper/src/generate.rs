//! `likelier-paper generate`: comparisons out of a data set of the paper, as files.

use clap::Args;
use likelier::data::Features;
use likelier::random::{Purpose, stream};
use likelier_cli::dataset::{DrawArguments, Population};
use likelier_cli::terminal::Result;
use likelier_paper::benchmark::{Benchmark, Dataset};
use likelier_tables::Ids;

use crate::data_dir::{DataDir, data_failure};

/// Turn a data set of the paper into comparisons, with a labelled test set beside them.
///
/// Writes items.csv (id, features), comparisons.csv (likelier, other), test.csv (id, features, label)
/// and dataset.json (how it was made) into a new folder, for `likelier train` and the other verbs to read.
#[derive(Args)]
#[command(
    mut_arg("prior", |prior| prior
        .required(true)
        .help("The share of positives in the population that pairs are drawn from")),
    after_help = "Examples:
  likelier-paper generate --dataset optdigits --prior 0.5 --protocol discard --out optdigits-half
  likelier-paper generate --dataset mnist --prior 0.2 --pairs 5000 --protocol forced-choice \\
      --labeller-error 0.1 --sampling independent --seed 7 --out mnist-noisy"
)]
pub(crate) struct GenerateDatasetVerb {
    /// A folder name of the data directory, such as optdigits; `likelier-paper data list` shows all.
    #[arg(long, value_name = "NAME")]
    dataset: String,
    #[command(flatten)]
    data_dir: DataDir,
    #[command(flatten)]
    draw: DrawArguments,
}

impl GenerateDatasetVerb {
    pub(crate) fn run(&self) -> Result<()> {
        let folder = self.draw.open()?;
        let benchmark: Benchmark = self.dataset.parse()?;
        let dataset = benchmark.load(&self.data_dir.path()?).map_err(data_failure)?;
        let split = dataset.split(&mut stream(self.draw.seed, Purpose::Split));
        let Dataset { rows, labels, note, .. } = dataset;
        let mut origin = serde_json::Map::new();
        origin.insert("dataset".into(), benchmark.name().into());
        let population = Population {
            ids: Ids::numbered(rows.len()),
            features: Features::numbered(rows.width()),
            rows,
            labels,
            split,
            usual_pairs: Some(benchmark.spec().pairs),
            note,
            origin,
        };
        self.draw.write(folder, population)
    }
}
