//! What verbs that learn from comparisons are given: items, comparisons, and how those came to be.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use likelier::data::generate::LoosePiles;
use likelier::data::{Comparisons, FirstIndex, Ids, Items, Judgements, Layout, Piles, read_piles};
use likelier::{Collection, Error, Prior, Protocol};
use serde::Deserialize;

use crate::output::Warning;
use crate::{standard_input, talk};

/// A file that was named on the command line and cannot be read at all.
#[derive(Debug, thiserror::Error)]
#[error("{}: {reason}", path.display())]
pub(crate) struct NoFile {
    path: PathBuf,
    reason: io::Error,
}

/// The result of reading a file that was named on the command line.
pub(crate) fn given<T>(result: Result<T, Error>) -> Result<T> {
    result.map_err(|error| match error {
        Error::File { path, reason } => NoFile { path, reason }.into(),
        other => other.into(),
    })
}

/// What the columns of a table are.
#[derive(Args)]
#[command(next_help_heading = "Columns")]
pub(crate) struct ColumnArguments {
    /// The column that names the rows [default: `id` if there is one, else rows are numbered from 0].
    #[arg(long, value_name = "COLUMN")]
    id: Option<String>,
    /// The columns to use as features [default: all others].
    #[arg(long, value_name = "COLUMN,…", value_delimiter = ',')]
    features: Option<Vec<String>>,
    /// Columns of text to use as categories (one-hot).
    #[arg(long, value_name = "COLUMN,…", value_delimiter = ',')]
    categories: Vec<String>,
    #[command(flatten)]
    pub(crate) format: FormatArguments,
}

/// How a table is written, where that is not clear from itself.
#[derive(Args)]
pub(crate) struct FormatArguments {
    /// What stands between the fields of a text table of items, one character or `tab` [default: found out].
    #[arg(long, value_name = "CHAR", value_parser = delimiter)]
    delimiter: Option<u8>,
    /// Whether the first line of a text table of items names its columns [default: found out].
    #[arg(long, value_name = "BOOL")]
    header: Option<bool>,
    /// The first index of LIBSVM files [default: 0 if it occurs, else 1].
    #[arg(long, value_enum, value_name = "0|1")]
    first_index: Option<Index>,
    /// The array of an NPZ file that holds the rows.
    #[arg(long, value_name = "NAME")]
    array: Option<String>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Index {
    #[value(name = "0")]
    Zero,
    #[value(name = "1")]
    One,
}

/// A count on the command line of something that there must be one of.
pub(crate) fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("give a number from 1 up".into()),
        Ok(count) => Ok(count),
    }
}

fn delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        [byte] if byte.is_ascii() => Ok(*byte),
        _ if text.eq_ignore_ascii_case("tab") || text == "\\t" => Ok(b'\t'),
        _ => Err("give one character, such as ';', or tab".into()),
    }
}

impl FormatArguments {
    pub(crate) fn layout(&self) -> Layout {
        Layout {
            delimiter: self.delimiter,
            header: self.header,
            first_index: self.first_index.map(|index| match index {
                Index::Zero => FirstIndex::Zero,
                Index::One => FirstIndex::One,
            }),
            array: self.array.clone(),
            ..Layout::default()
        }
    }
}

impl ColumnArguments {
    /// An option of these that was given, for a verb that has no use for it.
    pub(crate) fn first_given(&self) -> Option<&'static str> {
        let format = &self.format;
        let given = [
            ("--id", self.id.is_some()),
            ("--features", self.features.is_some()),
            ("--categories", !self.categories.is_empty()),
            ("--delimiter", format.delimiter.is_some()),
            ("--header", format.header.is_some()),
            ("--first-index", format.first_index.is_some()),
            ("--array", format.array.is_some()),
        ];
        given.into_iter().find_map(|(name, given)| given.then_some(name))
    }

    pub(crate) fn layout(&self, label: Option<&str>) -> Layout {
        Layout {
            id: self.id.clone(),
            label: label.map(str::to_owned),
            features: self.features.clone(),
            categories: self.categories.clone(),
            ..self.format.layout()
        }
    }
}

/// Where comparisons are.
#[derive(Args)]
#[command(next_help_heading = "Input")]
pub(crate) struct ComparisonArguments {
    /// The items: CSV, TSV, Parquet, NPY, NPZ or LIBSVM, also as .gz or .xz; - for standard input, as for
    /// each of these files.
    #[arg(long, value_name = "FILE", required_unless_present = "likelier")]
    pub(crate) items: Option<PathBuf>,
    /// Which item was said to be likelier than which: columns `likelier,other`, and `annotator`, `weight`,
    /// `tie`, `time` where there are any; or CatBoost's pairs of row numbers.
    #[arg(long, value_name = "FILE", requires = "items", required_unless_present_any = ["likelier", "piles"])]
    pub(crate) comparisons: Option<PathBuf>,
    /// Instead of comparisons, two piles: columns `id,pile`, a pile being likelier or other.
    #[arg(long, value_name = "FILE", requires = "items", conflicts_with = "comparisons")]
    piles: Option<PathBuf>,
    /// Instead of items and comparisons, a table of likelier items …
    #[arg(long, value_name = "FILE", requires = "other", conflicts_with_all = ["items", "comparisons", "piles"])]
    likelier: Option<PathBuf>,
    /// … and one of the items that each of them was compared with, row by row.
    #[arg(long, value_name = "FILE", requires = "likelier")]
    other: Option<PathBuf>,
}

/// What was read.
pub(crate) struct Supervision {
    pub(crate) items: Items,
    pub(crate) judged: Judged,
    pub(crate) card: Card,
    pub(crate) warnings: Vec<Warning>,
}

/// Comparisons, or piles without them.
pub(crate) enum Judged {
    Pairs { judgements: Box<Judgements>, comparisons: Comparisons, weights: Option<Vec<f32>> },
    Piles(LoosePiles),
}

impl Judged {
    pub(crate) fn of(judgements: Judgements) -> Self {
        let (comparisons, weights) = judgements.expanded();
        Self::Pairs { judgements: Box::new(judgements), comparisons, weights }
    }

    pub(crate) fn piles(&self) -> Result<Piles<'_>> {
        Ok(match self {
            Self::Pairs { comparisons, weights: None, .. } => comparisons.piles(),
            Self::Pairs { comparisons, weights: Some(weights), .. } => {
                comparisons.piles().weighted(weights)?
            }
            Self::Piles(piles) => Piles::loose(&piles.likelier, &piles.other),
        })
    }
}

/// Reads a table of items that was named on the command line.
pub(crate) fn read_items(path: &Path, layout: &Layout) -> Result<Items> {
    let items = given(Items::read(&standard_input::path_of(path)?, layout))?;
    tell_items(path, &items);
    Ok(items)
}

fn tell_items(path: &Path, items: &Items) {
    talk::detail(|| {
        format!("{}: {} rows, {} features", path.display(), items.rows.len(), items.rows.width())
    });
}

/// Reads comparisons that were named on the command line. What is said of the form of a table is about items;
/// a table of two ids needs no such word.
pub(crate) fn read_judgements(path: &Path, ids: &Ids) -> Result<Judgements> {
    let judgements = given(Judgements::read(&standard_input::path_of(path)?, ids, &Layout::default()))?;
    talk::detail(|| format!("{}: {} comparisons", path.display(), judgements.comparisons.len()));
    Ok(judgements)
}

impl ComparisonArguments {
    /// The files that are named.
    fn named(&self) -> impl Iterator<Item = &PathBuf> {
        [&self.items, &self.comparisons, &self.piles, &self.likelier, &self.other]
            .into_iter()
            .flatten()
    }

    /// Every file that is read, so that none is written over.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let cards = self.named().filter(|path| !standard_input::is_meant_by(path));
        let cards = cards.map(|path| path.with_file_name("dataset.json"));
        self.named().cloned().chain(cards).collect()
    }

    /// Reads everything.
    pub(crate) fn read(&self, layout: &Layout) -> Result<Supervision> {
        standard_input::at_most_once(self.named())?;
        let mut warnings = Vec::new();
        let (items, judged) = if let (Some(likelier), Some(other)) = (&self.likelier, &self.other) {
            let (left, right) = (standard_input::path_of(likelier)?, standard_input::path_of(other)?);
            let (items, comparisons) = given(Items::read_aligned(&left, &right, layout))?;
            tell_items(likelier, &items);
            let judgements = Judgements { comparisons, ..Judgements::default() };
            (items, Judged::of(judgements))
        } else {
            let items = read_items(self.items.as_deref().context("no --items")?, layout)?;
            let judged = match (&self.comparisons, &self.piles) {
                (Some(path), _) => {
                    let judgements = read_judgements(path, &items.ids)?;
                    warn_of_findings(&judgements, &items.ids, &mut warnings);
                    Judged::of(judgements)
                }
                (None, Some(path)) => {
                    let path = standard_input::path_of(path)?;
                    Judged::Piles(given(read_piles(&path, &items.ids, &Layout::default()))?)
                }
                (None, None) => anyhow::bail!("no --comparisons"),
            };
            (items, judged)
        };
        let beside = self.comparisons.as_ref().or(self.piles.as_ref());
        let card = beside.map_or(Ok(Card::default()), |path| Card::beside(path))?;
        if let Some(note) = card.source.as_ref().and_then(|source| source.note.clone()) {
            warnings.push(Warning { code: "partial-data", message: note });
        }
        Ok(Supervision { items, judged, card, warnings })
    }
}

/// Repeated pairs and contradictions are kept, and told.
pub(crate) fn warn_of_findings(judgements: &Judgements, ids: &Ids, warnings: &mut Vec<Warning>) {
    let pair = |at: usize| {
        let (likelier, other) = judgements.comparisons.iter().nth(at).unwrap_or_default();
        format!("'{}' and '{}'", ids.name(likelier as usize), ids.name(other as usize))
    };
    let findings = &judgements.findings;
    if let Some((first, _)) = findings.both_orders.example {
        warnings.push(Warning {
            code: "both-orders",
            message: format!(
                "{} comparisons are there in both orders, such as {}; all are used",
                findings.both_orders.count,
                pair(first)
            ),
        });
    }
    if let Some((first, _)) = findings.repeated.example {
        warnings.push(Warning {
            code: "repeated-pairs",
            message: format!(
                "{} comparisons repeat an earlier one, such as {}; all are used",
                findings.repeated.count,
                pair(first)
            ),
        });
    }
}

/// `dataset.json` beside the comparisons: how they came to be. What it says is the default.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Card {
    protocol: Option<String>,
    labeller_error: Option<f64>,
    prior: Option<f64>,
    pub(crate) pairs_shown: Option<usize>,
    pub(crate) pairs_kept: Option<usize>,
    pub(crate) source: Option<Source>,
}

/// Where generated comparisons came from.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Source {
    pub(crate) sampling: Option<String>,
    note: Option<String>,
}

impl Card {
    pub(crate) fn beside(comparisons: &Path) -> Result<Self> {
        if standard_input::is_meant_by(comparisons) {
            return Ok(Self::default());
        }
        let path = comparisons.with_file_name("dataset.json");
        match fs::read(&path) {
            Ok(text) => serde_json::from_slice(&text).with_context(|| path.display().to_string()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(error).with_context(|| path.display().to_string()),
        }
    }

    /// Whether class counts were fixed, so that intervals for independent pairs are too wide.
    pub(crate) fn exact_counts(&self) -> bool {
        self.source
            .as_ref()
            .is_some_and(|source| source.sampling.as_deref() == Some("exact-counts"))
    }
}

/// How the comparisons came to be.
#[derive(Args)]
#[command(next_help_heading = "Assumptions")]
pub(crate) struct ProtocolArguments {
    /// What became of the pairs that were shown: "discard" dropped (negative, positive) pairs,
    /// "forced-choice" kept every pair [default: that of dataset.json].
    #[arg(long, value_name = "discard|forced-choice")]
    protocol: Option<String>,
    /// How often the labeller gets a mixed pair wrong [default: that of dataset.json, else 0].
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    labeller_error: Option<f64>,
}

/// What is believed about the population and the labeller.
#[derive(Args)]
#[command(next_help_heading = "Assumptions")]
pub(crate) struct BeliefArguments {
    /// The share of positives in the population [default: that of dataset.json]. `train` also takes `auto`,
    /// and estimates it where nothing says it.
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    prior: Option<String>,
    #[command(flatten)]
    pub(crate) collected: ProtocolArguments,
}

/// Nothing says how the comparisons were collected.
#[derive(Debug, thiserror::Error)]
#[error(
    "how the comparisons were collected is not known: no dataset.json beside them says it, and no --protocol"
)]
pub(crate) struct NoProtocol;

/// Nothing says what share is positive.
#[derive(Debug, thiserror::Error)]
#[error(
    "the share of positives is not known: no dataset.json beside the comparisons says it, no --prior does, and only \
     comparisons can be estimated from, not piles"
)]
pub(crate) struct NoPrior;

impl ProtocolArguments {
    /// The protocol that is needed.
    pub(crate) fn protocol(&self, card: &Card, warnings: &mut Vec<Warning>) -> Result<Protocol> {
        Ok(self.stated(card, None, warnings)?.ok_or(NoProtocol)?)
    }

    /// The protocol by flags, else by dataset.json, else the one there is `otherwise`.
    pub(crate) fn stated(
        &self,
        card: &Card,
        otherwise: Option<Protocol>,
        warnings: &mut Vec<Warning>,
    ) -> Result<Option<Protocol>> {
        let collection = match self.protocol.as_ref().or(card.protocol.as_ref()) {
            Some(name) => Some(name.parse::<Collection>()?),
            None => otherwise.map(|protocol| protocol.collection()),
        };
        let Some(collection) = collection else { return Ok(None) };
        if let Some(theirs) = &card.protocol
            && theirs.parse::<Collection>()? != collection
        {
            warnings.push(overrides("protocol", collection.name(), theirs));
        }
        if let (Some(ours), Some(theirs)) = (self.labeller_error, card.labeller_error)
            && ours != theirs
        {
            warnings.push(overrides("labeller-error", &ours.to_string(), &theirs.to_string()));
        }
        // An error belongs to the protocol it was said with.
        let with_it = otherwise.filter(|_| self.protocol.is_none() && card.protocol.is_none());
        let error = self.labeller_error.or(card.labeller_error);
        let error = error.or(with_it.map(|protocol| protocol.labeller_error())).unwrap_or(0.0);
        Ok(Some(Protocol::new(collection, error)?))
    }
}

impl BeliefArguments {
    /// Whether the prior is to be estimated, whatever dataset.json says.
    pub(crate) fn is_auto(&self) -> bool {
        self.prior.as_deref() == Some("auto")
    }

    /// The prior by flags, else by dataset.json.
    pub(crate) fn stated_prior(&self, card: &Card, warnings: &mut Vec<Warning>) -> Result<Option<Prior>> {
        let Some(given) = &self.prior else {
            return Ok(card.prior.map(Prior::new).transpose()?);
        };
        let prior: Prior = given.parse()?;
        if let Some(theirs) = card.prior.filter(|theirs| *theirs != prior.positive()) {
            warnings.push(overrides("prior", &prior.to_string(), &theirs.to_string()));
        }
        Ok(Some(prior))
    }
}

fn overrides(what: &str, ours: &str, theirs: &str) -> Warning {
    Warning {
        code: "overrides-dataset",
        message: format!("--{what} {ours} is used, although dataset.json says {theirs}"),
    }
}
