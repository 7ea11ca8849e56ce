//! `likelier inspect`: what is in a model file.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use likelier::data::Column;
use likelier::model::{Architecture, MlpNorm, ScalingKind};
use likelier::words::count;
use likelier::{Classifier, Classifiers, ModelFile};
use serde::Serialize;

use crate::models;
use crate::terminal::{Result, print_json, print_text};

/// Show what is in a model file: which model it is, what it takes, and how it was trained.
#[derive(Args)]
#[command(after_help = "Examples:
  likelier inspect model.likelier
  likelier inspect model.likelier --json
  likelier inspect digits.likelier --question seven")]
pub(crate) struct InspectVerb {
    /// The model file; - for standard input.
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// Show this question alone, where the model answers several.
    #[arg(long, value_name = "NAME")]
    question: Option<String>,
    /// Print everything as JSON.
    #[arg(long)]
    json: bool,
}

/// The file, and what its metadata say (`docs/model-file.md`).
#[derive(Serialize)]
struct Contents<'a> {
    #[serde(serialize_with = "crate::terminal::path_text")]
    file: &'a Path,
    bytes: Option<u64>,
    parameters: usize,
    #[serde(flatten)]
    metadata: serde_json::Value,
}

impl InspectVerb {
    pub(crate) fn run(&self) -> Result<()> {
        let model = models::read(&self.model)?;
        let bytes = fs::metadata(&self.model)
            .ok()
            .filter(fs::Metadata::is_file)
            .map(|file| file.len());
        let classifier = match (model, &self.question) {
            (ModelFile::Several(all), None) => return self.show_questions(&all, bytes),
            (model, question) => model.of_question(question.as_deref())?,
        };
        if !self.json {
            return print_text(&text(&self.model, bytes, &classifier), &[]);
        }
        let contents = Contents {
            file: &self.model,
            bytes,
            parameters: classifier.weights().parameters.len(),
            metadata: serde_json::from_str(&classifier.metadata_json()?)?,
        };
        print_json("inspect", &contents, &[])
    }

    fn show_questions(&self, all: &Classifiers, bytes: Option<u64>) -> Result<()> {
        if !self.json {
            return print_text(&questions_text(&self.model, bytes, all), &[]);
        }
        let mut questions = Vec::with_capacity(all.len());
        for (question, classifier) in all.iter() {
            questions.push(OneQuestion {
                question,
                parameters: classifier.weights().parameters.len(),
                metadata: serde_json::from_str(&classifier.metadata_json()?)?,
            });
        }
        let contents = SeveralModels { file: &self.model, bytes, classes: all.are_classes(), questions };
        print_json("inspect", &contents, &[])
    }
}

/// A file of several models.
#[derive(Serialize)]
struct SeveralModels<'a> {
    #[serde(serialize_with = "crate::terminal::path_text")]
    file: &'a Path,
    bytes: Option<u64>,
    classes: bool,
    questions: Vec<OneQuestion<'a>>,
}

#[derive(Serialize)]
struct OneQuestion<'a> {
    question: &'a str,
    parameters: usize,
    #[serde(flatten)]
    metadata: serde_json::Value,
}

fn questions_text(path: &Path, bytes: Option<u64>, all: &Classifiers) -> String {
    let size = bytes.map_or(String::new(), |bytes| format!("  {bytes} bytes"));
    let mut text = format!("{}{size}\n  {}", path.display(), count(all.len(), "question"));
    text.push_str(if all.are_classes() { ", the classes of one thing\n" } else { "\n" });
    for (name, classifier) in all.iter() {
        let (setting, summary) = (classifier.setting(), classifier.summary());
        // From the file, so perhaps anything.
        let name = name.escape_debug();
        let _ = writeln!(
            text,
            "  {name}: {} by {} from {}, prior {:.4}, {}",
            classifier.architecture(),
            classifier.method(),
            count(summary.comparisons, "comparison"),
            setting.prior.positive(),
            setting.protocol
        );
    }
    text.push_str("  --question NAME shows more of one\n");
    text
}

fn text(path: &Path, bytes: Option<u64>, classifier: &Classifier) -> String {
    let (setting, summary) = (classifier.setting(), classifier.summary());
    let map = classifier.probability();
    let sign = if map.offset < 0.0 { '−' } else { '+' };
    let scaling = match classifier.scaling().kind() {
        ScalingKind::None => "none",
        ScalingKind::Byte => "bytes divided by 255",
        ScalingKind::UnitRange => "each feature to the range from 0 to 1",
        ScalingKind::LargestAbsolute => "each feature divided by its largest absolute value",
        ScalingKind::Standardise => "each feature to mean 0 and standard deviation 1",
        ScalingKind::InverseFrequency => "each feature by how rare it is, each row to one length",
    };
    let mut training =
        format!("{}, weights of epoch {}", count(summary.comparisons, "comparison"), summary.epoch);
    if summary.held_out_comparisons > 0 {
        let _ = write!(training, ", {} held out", count(summary.held_out_comparisons, "more comparison"));
    }
    if let Some(held_out) = summary.held_out {
        let _ = write!(training, " (criterion {held_out:.4})");
    }
    let _ = write!(training, ", seed {}", summary.seed);
    if let Some(reason) = summary.fallback {
        let _ = write!(training, "; {} was replaced by its warm-up: {reason}", classifier.method());
    }
    let mut text = match bytes {
        Some(bytes) => format!("{}  {bytes} bytes\n", path.display()),
        None => format!("{}\n", path.display()),
    };
    for (name, value) in [
        ("model", model_line(classifier)),
        ("features", features_line(classifier)),
        ("scaling", scaling.into()),
        ("method", classifier.method().to_string()),
        ("prior", setting.prior.to_string()),
        ("protocol", setting.protocol.to_string()),
        ("threshold", format!("positive where the score is above {}", classifier.threshold())),
        ("probability", format!("σ({}·score {sign} {})", map.slope, map.offset.abs())),
        ("training", training),
        // From the file, so perhaps anything.
        ("trained by", format!("likelier {}", classifier.version().escape_debug())),
    ] {
        let _ = writeln!(text, "  {name:<12}{value}");
    }
    text
}

fn model_line(classifier: &Classifier) -> String {
    let list = |numbers: &[usize]| {
        let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
        numbers.join(", ")
    };
    let shape = match classifier.architecture() {
        Architecture::Linear => "linear".to_owned(),
        Architecture::Mlp(mlp) => {
            let norm = match mlp.norm {
                MlpNorm::EachLayer => "batch norm in each layer",
                MlpNorm::Input => "batch norm of the features",
                MlpNorm::None => "no batch norm",
            };
            format!("mlp, hidden layers of {} units, {norm}", list(&mlp.hidden))
        }
        Architecture::ResNet(resnet) => {
            let [channels, height, width] = resnet.image;
            let (blocks, outputs): (Vec<usize>, Vec<usize>) = resnet.stages.iter().copied().unzip();
            format!(
                "resnet for {channels} × {height} × {width} images, stages of {} blocks with {} channels",
                list(&blocks),
                list(&outputs)
            )
        }
    };
    format!("{shape}; {} parameters", classifier.weights().parameters.len())
}

/// The first few columns by name.
fn features_line(classifier: &Classifier) -> String {
    const SHOWN: usize = 8;
    let features = classifier.features();
    let columns = features.columns();
    let name = |column: &Column| match column {
        Column::Number { name, rule } if rule.missing => format!("{} (or missing)", name.escape_debug()),
        Column::Number { name, .. } => name.escape_debug().to_string(),
        Column::Category { name, values } => {
            format!("{} ({})", name.escape_debug(), count(values.len(), "value"))
        }
        Column::Text { name, rule } => format!("{} (words, {} hashes)", name.escape_debug(), rule.features),
    };
    let mut names: Vec<String> = columns.iter().take(SHOWN).map(name).collect();
    if columns.len() > SHOWN {
        names.push(format!("and {} more", columns.len() - SHOWN));
    }
    let of_columns = if features.are_numbers() {
        String::new()
    } else {
        format!(" from {}", count(columns.len(), "column"))
    };
    format!("{}{of_columns}: {}", features.width(), names.join(", "))
}
