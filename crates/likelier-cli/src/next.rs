//! `likelier next`: which pairs to ask next.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use likelier::Error;
use likelier::next::{DrawnHow, UNIFORM_SHARE, next_pairs};
use likelier::random::{Purpose, stream};
use likelier::words::count;
use likelier_tables::{Layout, read_answers, write_field};
use serde::Serialize;

use crate::arguments::{AnswerArguments, FormatArguments};
use crate::models;
use crate::scored::ScoredItems;
use crate::terminal::{NewFile, Result, detail, print_json, print_text, standard_input};

/// Choose which pairs to ask next.
///
/// Writes pairs of the items, most of them near the boundary of the model, mixed with pairs drawn uniformly. Each has its
/// propensity, the probability of being drawn. Keep it as a column `propensity` of the comparisons: without it the model
/// that is trained on them, and what is said of it without labels, would be off.
#[derive(Args)]
#[command(after_help = "Examples:
  likelier next model.likelier --items items.csv --comparisons comparisons.csv --count 100 --out pairs.csv
  likelier next model.likelier --items items.csv --count 100 --uniform 0.25 --seed 3 --out pairs.csv")]
pub(crate) struct NextVerb {
    /// The model file; - for standard input.
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// All items that could be asked about: CSV, TSV, JSON Lines, Parquet, NPY, NPZ or LIBSVM, also as .gz, .xz or
    /// .zst, or a folder of images; - for standard input.
    #[arg(long, value_name = "FILE")]
    items: PathBuf,
    /// Comparisons that were made: their pairs are not asked again.
    #[arg(long, value_name = "FILE")]
    comparisons: Option<PathBuf>,
    /// The question to ask, where the model answers several.
    #[arg(long, value_name = "NAME")]
    question: Option<String>,
    #[command(flatten)]
    named_as: AnswerArguments,
    /// How many pairs to write.
    #[arg(long, value_name = "N")]
    count: usize,
    /// The share of pairs that are drawn uniformly, from 0.01 to 1. The more there are, the narrower are intervals without
    /// labels.
    #[arg(long, value_name = "SHARE", default_value_t = UNIFORM_SHARE, allow_negative_numbers = true)]
    uniform: f64,
    /// The seed of all random choices. Give another one each time.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// The table to write (CSV): first, second, propensity, how; - for standard output.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// The column that names the rows [default: `id` if there is one, else rows are numbered from 0].
    #[arg(long, value_name = "COLUMN")]
    id: Option<String>,
    #[command(flatten)]
    format: FormatArguments,
    /// Print the counts as JSON.
    #[arg(long)]
    json: bool,
}

/// What was written.
#[derive(Serialize)]
struct ToAsk<'a> {
    #[serde(serialize_with = "crate::terminal::path_text")]
    pairs: &'a PathBuf,
    items: usize,
    /// Pairs that were asked before.
    asked: usize,
    uniform: usize,
    chosen: usize,
    uniform_share: f64,
}

impl NextVerb {
    pub(crate) fn run(&self) -> Result<()> {
        let read = [Some(&self.model), Some(&self.items), self.comparisons.as_ref()];
        let out = NewFile::create(&self.out, read.into_iter().flatten())?;
        let alone = out.is_standard_output(self.json)?;
        standard_input::at_most_once(read.into_iter().flatten())?;
        if self.count == 0 {
            return Err(Error::Setting { name: "--count", value: "0".into(), allowed: "at least 1" }.into());
        }
        let classifier = models::load(&self.model, self.question.as_deref())?;
        let file = standard_input::path_of(&self.items)?;
        let layout = Layout { id: self.id.clone(), ..self.format.layout() };
        let scored = ScoredItems::read([&self.items, &file], &classifier, &layout, true)?;
        let asked = self.asked(&scored)?;
        let map = classifier.probability();
        let probabilities: Vec<f64> = scored.scores.iter().map(|score| f64::from(map.of(*score))).collect();
        let mut rng = stream(self.seed, Purpose::Next);
        let pairs = next_pairs(&probabilities, asked.iter().copied(), self.count, self.uniform, &mut rng)?;
        let mut table = b"first,second,propensity,how\n".to_vec();
        for pair in &pairs {
            for item in [pair.first, pair.second] {
                write_field(&mut table, &scored.ids.name(item as usize))?;
                table.push(b',');
            }
            writeln!(table, "{:e},{}", pair.propensity, pair.how.name())?;
        }
        out.finish(|file| Ok(file.write_all(&table)?))?;
        let uniform = pairs.iter().filter(|pair| pair.how == DrawnHow::Uniform).count();
        let written = ToAsk {
            pairs: &self.out,
            items: scored.scores.len(),
            asked: asked.len(),
            uniform,
            chosen: pairs.len() - uniform,
            uniform_share: self.uniform,
        };
        let mut warnings = scored.missing;
        warnings.extend(models::unseen_categories(scored.unseen_categories));
        if alone {
            return print_text("", &warnings);
        }
        if self.json {
            return print_json("next", &written, &warnings);
        }
        let text = format!(
            "{}\n  {} of {}: {} drawn uniformly, {} chosen\n",
            self.out.display(),
            count(pairs.len(), "pair"),
            count(written.items, "item"),
            written.uniform,
            written.chosen
        );
        print_text(&text, &warnings)
    }

    /// The pairs that were asked already, of this question.
    fn asked(&self, scored: &ScoredItems) -> Result<Vec<(u32, u32)>> {
        let Some(path) = &self.comparisons else { return Ok(Vec::new()) };
        let layout = self.named_as.layout(Layout::default());
        let answers = read_answers(&standard_input::path_of(path)?, &scored.ids, &layout)?;
        detail(|| format!("{}: {}", path.display(), count(answers.len(), "comparison")));
        let answers = match (&self.question, answers.questions()) {
            (Some(question), Some(_)) => answers.to_question(question)?,
            _ => answers,
        };
        Ok(answers.pairs().to_vec())
    }
}
