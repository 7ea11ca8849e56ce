//! `likelier evaluate`: how good a model is, without labels and with them.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use likelier::estimate::Interval;
use likelier::estimate::metrics::{CutScores, Metric, ThresholdChoice, Wish};
use likelier::evaluate::LabelledMetrics;
use likelier::words::count;
use likelier::{
    Answers, Assessment, BelievedPrior, Classifier, Comparisons, Error, Grounds, Judged, LEVEL, ModelFile,
    Prior, Protocol, Warning,
};
use likelier_tables::{DatasetCard, Layout, grouped_answers, odd_answers, read_answers};
use serde::Serialize;

use crate::arguments::{AnswerArguments, BeliefArguments, FormatArguments, LabellerArguments, wish};
use crate::compared::Compared;
use crate::judged::{Told, explanation, shown, wished};
use crate::labels::parse_labels;
use crate::models;
use crate::scored::ScoredItems;
use crate::terminal::{Failure, Result, detail, print_json, print_text, range, standard_input, wrapped};

/// Judge a model by comparisons, by labels, or by both.
///
/// Comparisons need no labels, but the model must not have been trained on them, and they must come from the
/// population with the given prior. If it was trained on other comparisons of the same items, the numbers are about
/// these items, not about new ones. Columns of the items are found by the names that the model knows. A second
/// model is compared with the first on the same comparisons and rows: its figures minus those of the first.
#[derive(Args)]
#[command(after_help = "Examples:
  likelier evaluate model.likelier --items items.csv --comparisons held-out.csv --prior 0.3 \\
      --protocol forced-choice
  likelier evaluate old.likelier new.likelier --items items.csv --comparisons held-out.csv
  likelier evaluate model.likelier --items items.csv --comparisons held-out.csv --threshold-for precision=0.9
  likelier evaluate model.likelier --items test.csv --label label
  likelier evaluate digits.likelier --question seven --items test.csv --label is_seven
  likelier evaluate model.likelier --items test.csv --label species --positive virginica")]
pub(crate) struct EvaluateVerb {
    /// The model file; - for standard input.
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// A second model: by how much is it better than the first?
    #[arg(value_name = "OTHER")]
    other: Option<PathBuf>,
    /// The items: CSV, TSV, JSON Lines, Parquet, NPY, NPZ or LIBSVM, also as .gz, .xz or
    /// .zst, or a folder of images; - for standard input.
    #[arg(long, value_name = "FILE")]
    items: PathBuf,
    /// Comparisons that the model has not seen: which item was said to be likelier than which.
    #[arg(long, value_name = "FILE", required_unless_present = "label")]
    comparisons: Option<PathBuf>,
    /// The question to judge, where the model or the comparisons have several.
    #[arg(long, value_name = "NAME")]
    question: Option<String>,
    #[command(flatten)]
    named_as: AnswerArguments,
    /// The column of the items that holds the true labels.
    #[arg(long, value_name = "COLUMN")]
    label: Option<String>,
    /// The label or labels of positives; every other label is negative [default: 1, true or yes].
    #[arg(long, value_name = "VALUE", requires = "label", num_args = 1.., allow_negative_numbers = true)]
    positive: Vec<String>,
    #[command(flatten)]
    belief: BeliefArguments,
    #[command(flatten)]
    labellers: LabellerArguments,
    /// Find the threshold for a wanted precision, recall or cost, and say what it gives: precision=SHARE, recall=SHARE
    /// or cost=FALSE-POSITIVE:FALSE-NEGATIVE. `predict --threshold` uses it.
    #[arg(long, value_name = "WISH", requires = "comparisons", value_parser = wish)]
    threshold_for: Option<Wish>,
    /// The column that names the rows [default: `id` if there is one, else rows are numbered from 0].
    #[arg(long, value_name = "COLUMN")]
    id: Option<String>,
    #[command(flatten)]
    format: FormatArguments,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

/// What was found.
#[derive(Serialize)]
struct Evaluated<'a> {
    #[serde(serialize_with = "crate::terminal::path_text")]
    model: &'a Path,
    items: usize,
    threshold: f32,
    label_free: Option<LabelFree>,
    /// The threshold for a wish, where there is one.
    threshold_for: Option<ThresholdChoice>,
    #[serde(skip)]
    wish: Option<Wish>,
    labelled: Option<LabelledMetrics>,
    /// The second model minus the first, where there is one.
    difference: Option<Compared<'a>>,
}

/// What comparisons tell, and under which assumptions.
#[derive(Serialize)]
struct LabelFree {
    prior: Prior,
    #[serde(flatten)]
    protocol: Protocol,
    #[serde(flatten)]
    judged: Judged,
    #[serde(skip)]
    comparisons: Comparisons,
    #[serde(skip)]
    grounds: Grounds,
    #[serde(skip)]
    threshold_for: Option<ThresholdChoice>,
}

impl EvaluateVerb {
    pub(crate) fn run(&self) -> Result<()> {
        let files = [Some(&self.model), self.other.as_ref(), Some(&self.items), self.comparisons.as_ref()];
        standard_input::at_most_once(files.into_iter().flatten())?;
        let (classifier, named) = self.load(&self.model)?;
        let other = self
            .other
            .as_deref()
            .map(|other| self.load(other))
            .transpose()?
            .map(|(other, _)| other);
        let items = standard_input::path_of(&self.items)?;
        let scored = self.score(&items, &classifier)?;
        let mut warnings = scored.missing.clone();
        warnings.extend(models::unseen_categories(scored.unseen_categories));
        let label_free = match &self.comparisons {
            Some(path) => Some(self.label_free(path, (&classifier, named), &scored, &mut warnings)?),
            None if named => None,
            None => match &self.question {
                Some(given) => return Err(no_questions(given)),
                None => None,
            },
        };
        let labels = match &self.label {
            Some(column) => Some(parse_labels(&scored.labels, column, &self.positive)?),
            None => None,
        };
        let cut = CutScores { scores: &scored.scores, threshold: classifier.threshold() };
        let labelled = labels
            .as_ref()
            .map(|labels| LabelledMetrics::new(cut.scores, labels, cut.threshold, LEVEL))
            .transpose()?;
        let difference = match (&self.other, &other) {
            (Some(path), Some(other)) => {
                let second = self.score(&items, other)?;
                let unseen = models::unseen_categories(second.unseen_categories);
                warnings.extend(unseen.filter(|_| scored.unseen_categories == 0));
                let missing: Vec<Warning> =
                    second.missing.iter().filter(|one| !warnings.contains(one)).cloned().collect();
                warnings.extend(missing);
                if let Some(LabelFree { prior, protocol, .. }) = &label_free {
                    let new = differences(*prior, *protocol, other).filter(|one| !warnings.contains(one));
                    let new: Vec<Warning> = new.collect();
                    warnings.extend(new);
                }
                let second = CutScores { scores: &second.scores, threshold: other.threshold() };
                let judged_by = label_free.as_ref().map(|found| (&found.comparisons, &found.grounds));
                Some(Compared::new(path, [second, cut], judged_by, labels.as_deref())?)
            }
            _ => None,
        };
        let found = Evaluated {
            model: &self.model,
            items: scored.scores.len(),
            threshold: classifier.threshold(),
            threshold_for: label_free.as_ref().and_then(|found| found.threshold_for),
            wish: self.threshold_for,
            label_free,
            labelled,
            difference,
        };
        if self.json {
            print_json("evaluate", &found, &warnings)
        } else {
            print_text(&found.text(), &warnings)
        }
    }

    /// The model that is judged, and whether its file has the question.
    fn load(&self, path: &Path) -> Result<(Classifier, bool)> {
        match models::read(path)? {
            ModelFile::One(classifier) => Ok((classifier, false)),
            several @ ModelFile::Several(_) => Ok((several.of_question(self.question.as_deref())?, true)),
        }
    }

    /// The answers to the question, where there are several, or to the only one.
    fn to_question(&self, answers: Answers, named: bool) -> Result<Answers> {
        match (&self.question, answers.questions()) {
            (Some(question), Some(_)) => Ok(answers.to_question(question)?),
            (Some(question), None) if !named => Err(no_questions(question)),
            _ => {
                answers.to_one_question()?;
                Ok(answers)
            }
        }
    }

    fn score(&self, items: &Path, classifier: &Classifier) -> Result<ScoredItems> {
        let (id, label) = (self.id.clone(), self.label.clone());
        // Ids and groups are needed for comparisons only; labels stand in the row itself.
        let compared = self.comparisons.is_some();
        let layout = Layout { id, label, groups: compared, ..self.format.layout() };
        ScoredItems::read([&self.items, items], classifier, &layout, compared)
    }

    fn label_free(
        &self,
        path: &Path,
        (classifier, named): (&Classifier, bool),
        scored: &ScoredItems,
        warnings: &mut Vec<Warning>,
    ) -> Result<LabelFree> {
        let answers = read_answers(
            &standard_input::path_of(path)?,
            &scored.ids,
            &self.named_as.layout(Layout::default()),
        )?;
        let answers = self.to_question(answers, named)?;
        let answers = grouped_answers(answers, scored.groups.as_ref())?;
        detail(|| format!("{}: {}", path.display(), count(answers.len(), "comparison")));
        warnings.extend(odd_answers(&answers, &scored.ids));
        let card = if standard_input::is_meant_by(path) {
            DatasetCard::default()
        } else {
            DatasetCard::beside(path)?
        };
        let trained = classifier.setting();
        let stated = self.belief.collected.stated(&card, Some(trained.protocol), warnings)?;
        let protocol = stated.unwrap_or(trained.protocol);
        let prior = self
            .belief
            .stated_prior(self.question.as_deref(), &card, warnings)?
            .unwrap_or(trained.prior);
        warnings.extend(differences(prior, protocol, classifier));
        let grounds = Grounds::new(protocol, &BelievedPrior::known(prior))?
            .equals(self.labellers.equals(&card, warnings)?)
            .error_at_most(self.labellers.error_at_most())?
            .exact_counts(card.has_exact_counts());
        let (scores, threshold, comparisons) =
            (&scored.scores, classifier.threshold(), answers.comparisons());
        let assessment = Assessment::of_scores(scores, threshold, comparisons.clone(), grounds)?
            .within_groups(&answers, scores.len())?;
        warnings.extend(assessment.warnings());
        let threshold_for = match self.threshold_for {
            Some(wish) => assessment.threshold_for(wish)?,
            None => None,
        };
        let judged = assessment.new_items;
        Ok(LabelFree { prior, protocol, judged, comparisons, grounds, threshold_for })
    }
}

impl Evaluated<'_> {
    fn text(&self) -> String {
        let mut text = format!("{}, {}\n", self.model.display(), count(self.items, "item"));
        if let Some(LabelFree { prior, protocol, judged, .. }) = &self.label_free {
            let _ = writeln!(
                text,
                "  without labels: {}, prior {prior}, {protocol}; valid if the model was not trained on them, \
                 and for new items if it has not seen these",
                count(judged.metrics.sizes[0], "comparison")
            );
        }
        if let Some(labelled) = &self.labelled {
            let _ = writeln!(
                text,
                "  with labels: {}, {:.1} % of them positive",
                count(labelled.rows, "row"),
                100.0 * labelled.prior.value
            );
        }
        let mut rows = vec![["95 % intervals", "without labels", "with labels"].map(str::to_owned)];
        rows.extend(Told::all().map(|told| {
            let label_free = self.label_free.as_ref().map(|found| shown(told, &found.judged));
            let labelled = self.labelled.as_ref().map(|labelled| with_labels(labelled, told));
            [told.name().to_owned(), label_free.unwrap_or_default(), labelled.unwrap_or_default()]
        }));
        let there = [true, self.label_free.is_some(), self.labelled.is_some()];
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        for row in &rows {
            text.push('\n');
            for column in (0..3).filter(|column| there[*column]) {
                let _ = write!(text, "{:<1$}", row[column], width(column) + 3);
            }
            text.truncate(text.trim_end_matches(' ').len());
        }
        text.push('\n');
        if let Some(found) = &self.label_free {
            for sentence in explanation(&found.judged) {
                text.push_str(&wrapped(&sentence, ""));
            }
            for note in &found.judged.metrics.notes {
                let _ = writeln!(text, "note: {note}");
            }
        }
        if let Some(wish) = self.wish {
            text.push('\n');
            for line in wished(wish, self.threshold_for.as_ref()) {
                let _ = writeln!(text, "{line}");
            }
        }
        if let Some(difference) = &self.difference {
            let columns = [self.label_free.is_some(), self.labelled.is_some()];
            text.push_str(&difference.text(self.model, columns));
        }
        text
    }
}

/// On a question, where neither the model nor the comparisons have any.
fn no_questions(given: &str) -> Failure {
    Error::UnknownQuestion { given: given.to_owned(), known: Vec::new() }.into()
}

/// What a model was told otherwise in training.
fn differences(prior: Prior, protocol: Protocol, classifier: &Classifier) -> impl Iterator<Item = Warning> {
    let trained = classifier.setting();
    let both = [
        ("the prior", prior.to_string(), trained.prior.to_string()),
        ("the protocol", protocol.to_string(), trained.protocol.to_string()),
    ];
    let differ = both.into_iter().filter(|(_, here, trained)| here != trained);
    differ.map(|(what, here, trained)| Warning::DiffersFromModel { what, here, trained })
}

fn with_labels(labelled: &LabelledMetrics, told: Told) -> String {
    match told {
        Told::At(Metric::Accuracy) => counted(Some(labelled.accuracy)),
        Told::At(Metric::BalancedAccuracy) => plain(labelled.balanced_accuracy),
        Told::At(Metric::TruePositiveRate) => counted(labelled.true_positive_rate),
        Told::At(Metric::FalsePositiveRate) => counted(labelled.false_positive_rate),
        Told::At(Metric::Precision) => counted(labelled.precision),
        Told::At(Metric::F1) => plain(labelled.f1),
        Told::At(Metric::CalledPositive) => counted(Some(labelled.called_positive)),
        Told::Auc => plain(labelled.auc),
    }
}

fn counted(interval: Option<Interval>) -> String {
    interval.map_or("not known".into(), |interval| {
        format!("{:.3} ({})", interval.clipped(0.0, 1.0).value, range(&interval))
    })
}

fn plain(value: Option<f64>) -> String {
    value.map_or("not known".into(), |value| format!("{value:.3}"))
}
