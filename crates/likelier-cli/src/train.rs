//! `likelier train`: a classifier from items and comparisons.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use likelier::data::Texts;
use likelier::estimate::metrics::Wish;
use likelier::model::ModelKind;
use likelier::train::Control;
use likelier::{
    Error, FitOptions, FittedQuestions, Label, LabelsChosen, Method, TieRates, Warning, fit_questions_with,
    fit_with,
};
use likelier_tables::{Given, Items, Layout, parse_label, read_labels};

use crate::arguments::{
    BeliefArguments, ColumnArguments, ComparisonArguments, LabellerArguments, MethodNames, one_of, threads,
    wish,
};
use crate::progress::ProgressBars;
use crate::report::{ImageShape, InputFiles, ReportArguments, ReportSources, command_line};
use crate::terminal::{
    Failure, NewFile, Result, arguments, ask_to_stop, end_at_once, mistake, print_json, print_text,
};
use crate::trained::Trained;
use crate::trained_questions::TrainedQuestions;

/// Train a classifier from comparisons.
///
/// How good the classifier is on new items is told without a label: by models that have not seen the items they are
/// judged by. The share of positives is estimated from the comparisons if it is not given, or with `--prior auto`.
/// Comparisons with a column `question` train one classifier for each question, all in one model file.
#[derive(Args)]
#[command(after_help = "Examples:
  likelier train --items items.csv --comparisons comparisons.csv --prior 0.3 --protocol forced-choice \\
      --out model.likelier
  likelier train --items images.npy --comparisons pairs.tsv --prior 0.5 --protocol discard --model mlp \\
      --method pcomp-teacher --epochs 50 --out model.likelier
  likelier train --items items.csv --comparisons comparisons.csv --select --out model.likelier
  likelier train --items items.csv --comparisons questions.csv --protocol forced-choice --classes \\
      --prior red=0.5 --prior green=0.3 --prior blue=0.2 --out colours.likelier")]
#[allow(clippy::struct_excessive_bools, reason = "flags are independent of each other")]
pub(crate) struct TrainVerb {
    #[command(flatten)]
    input: ComparisonArguments,
    #[command(flatten)]
    belief: BeliefArguments,
    #[command(flatten)]
    labellers: LabellerArguments,
    #[command(flatten)]
    columns: ColumnArguments,
    /// True labels of some items, to judge by, not to train on (but see --labels-train): columns `id,label` (1 or 0, true or false, yes or no).
    #[arg(long, value_name = "FILE", requires = "labels_chosen", conflicts_with = "label")]
    labels: Option<PathBuf>,
    /// The same from a column of the items, blank where the label is not known [default: `label` if there is one and
    /// --labels is not given]. It is never a feature.
    #[arg(long, value_name = "COLUMN", requires = "labels_chosen")]
    label: Option<String>,
    /// How the labelled items were chosen: "random" ones can judge the model, "other" ones cannot.
    #[arg(long, value_name = "random|other")]
    labels_chosen: Option<String>,
    /// Have a linear model by pair-posterior learn from the labels as well. Each then judges a model that does not know it;
    /// labels that are wrong mislead the model, and are noticed less.
    #[arg(long, requires = "labels_chosen")]
    labels_train: bool,
    /// How often people say that they can't tell: of pairs of one class, and of mixed pairs [default: estimated for
    /// pair-posterior; other methods take a tie as half a comparison each way].
    #[arg(long, value_name = "SAME,MIXED", value_parser = tie_rates)]
    tie_rates: Option<TieRates>,
    /// How to learn; docs/choosing.md says what each method does [default: pair-posterior, or pcomp-relu for piles].
    #[arg(long, value_name = "METHOD", value_parser = MethodNames)]
    method: Option<String>,
    /// Which model.
    #[arg(long, value_name = "MODEL", default_value = "linear",
        value_parser = one_of(&["linear", "mlp", "resnet34", "resnet32"]))]
    model: ModelKind,
    /// Units of the hidden layers of an mlp [default: 300,300,300].
    #[arg(long, value_name = "N,…", value_delimiter = ',')]
    hidden: Option<Vec<usize>>,
    /// Channels, height and width of images: what those of a folder are brought to, and what the rows of a table are for
    /// a resnet and in the report [default: 3,32,32 for a folder, else square with 1 or 3 channels].
    #[arg(long, value_name = "C,H,W", value_parser = image_shape)]
    image: Option<[usize; 3]>,
    /// Move images by up to so many pixels, at random, whenever a network learns from them. Worth a try wherever it does not
    /// matter just where in the image something is: start with 1, and take 2 where comparisons are few.
    #[arg(long, value_name = "PIXELS")]
    move_images: Option<usize>,
    /// Passes over the comparisons at the most; a linear model stops when its weights have settled [default: 100; fewer
    /// for pair-posterior with a network from thousands of comparisons].
    #[arg(long, value_name = "N")]
    epochs: Option<usize>,
    /// Rows in a mini-batch, counting both items of a comparison [default: 256; more for linear models from 250,000
    /// comparisons].
    #[arg(long, value_name = "ROWS")]
    batch: Option<usize>,
    /// The optimiser's step [default: 0.01 for linear, 0.001 for networks].
    #[arg(long, value_name = "RATE", allow_negative_numbers = true)]
    learning_rate: Option<f64>,
    /// How strongly weights are pulled towards 0 [default: what the method recommends for the data].
    #[arg(long, value_name = "RATE", allow_negative_numbers = true)]
    weight_decay: Option<f64>,
    /// Choose method, weight decay and learning rate, unless given, by cross-validation in five folds of the items
    /// trained on. Keeps the default unless a candidate is clearly better.
    #[arg(long)]
    select: bool,
    /// Hold out items that this share of the comparisons is about: the model is not trained on them but judged by
    /// them. 0 judges nothing [default: 0.2 for networks and with --select; less where 100,000 items are enough].
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true, conflicts_with = "folds")]
    hold_out: Option<f64>,
    /// Train on all comparisons, and judge by so many more models, each of which leaves out a part of the items
    /// [default: 5 for linear models of up to 500,000 items].
    #[arg(long, value_name = "N", conflicts_with = "select")]
    folds: Option<usize>,
    /// Move the threshold to where a wanted precision, recall or cost is had on new items: precision=SHARE, recall=SHARE or
    /// cost=FALSE-POSITIVE:FALSE-NEGATIVE. If no threshold is sure to give a share, the model keeps its own.
    #[arg(long, value_name = "WISH", conflicts_with = "sensitivity", value_parser = wish)]
    threshold_for: Option<Wish>,
    /// Fit the map from scores to probabilities to items that a model has not seen; otherwise a score is
    /// taken as log-odds.
    #[arg(long)]
    calibrate: bool,
    /// Train again at five priors across the prior's interval (or within 0.1 of a known prior), to show how
    /// much depends on it.
    #[arg(long)]
    sensitivity: bool,
    /// The questions are the classes of one thing: each item is exactly one of them. Then their probabilities sum to 1,
    /// and it is told how often the most likely class is the right one.
    #[arg(long, conflicts_with = "question")]
    classes: bool,
    /// The seed of all random choices.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Threads to use [default: all]. The model is the same for any number.
    #[arg(long, value_name = "N", value_parser = threads)]
    threads: Option<usize>,
    /// Continue from where the same command was stopped.
    #[arg(long)]
    resume: bool,
    /// The model file to write; - for standard output.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    report: ReportArguments,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

impl TrainVerb {
    pub(crate) fn run(&self) -> Result<()> {
        let method: Option<Method> = self.method.as_deref().map(str::parse).transpose()?;
        self.check_model()?;
        let mut read = self.input.files();
        read.extend(self.labels.clone());
        let out = NewFile::create(&self.out, &read)?;
        let alone = out.is_standard_output(self.json)?;
        let reports = self.report.open(&self.out, out.is_a_file(), &read)?;
        let state = RunState::beside(&self.out);
        if !self.resume {
            state.check_unused()?;
        }
        let layout =
            Layout { blank_labels: true, image: self.image, ..self.columns.layout(self.label.as_deref()) };
        let given = self.input.read(&layout)?;
        if let Some(names) = given.questions() {
            self.check_for_questions()?;
            let (fitted, items, warnings) = self.fit_questions(given, &names, method)?;
            out.finish(|file| Ok(file.write_all(&fitted.classifiers.to_bytes()?)?))?;
            let trained = TrainedQuestions::new(&self.out, &fitted, &items.rows, self.seed);
            return if self.json {
                print_json("train", &trained, &warnings)
            } else {
                print_text(&if alone { String::new() } else { trained.text() }, &warnings)
            };
        }
        if self.classes {
            return Err(Error::NoClasses { found: given.question().map_or(0, |_| 1) }.into());
        }
        // Begun before the training, while the files are what was read.
        let inputs = if reports.is_empty() { None } else { Some(self.inputs()?) };
        let mut warnings = given.warnings();
        let protocol = self.belief.collected.stated(&given.card, None, &mut warnings)?;
        let question = given.question();
        let prior = if self.belief.is_auto(question.as_deref()) {
            None
        } else {
            self.belief.stated_prior(question.as_deref(), &given.card, &mut warnings)?
        };
        let equals = self.labellers.equals(&given.card, &mut warnings)?;
        let image = ImageShape::of(&given.items.rows, self.image)?;
        let (items, supervision) = given.supervised(protocol, prior);
        let supervision = self.labellers.state(supervision, equals).tie_rates(self.tie_rates);
        let supervision = match self.known_labels(&items, &mut warnings)? {
            Some((labels, chosen)) => supervision.audited(labels, chosen).labels_train(self.labels_train),
            None => supervision,
        };

        let mut progress = ProgressBars::new();
        let options = self
            .options()
            .method(method)
            .diagnose(!reports.is_empty())
            .watch(!reports.is_empty() || ProgressBars::is_watched())
            .features(items.features.clone());
        let control = Control {
            threads: self.threads,
            checkpoint: state.kept.then_some(state.path.as_path()),
            stop: state.kept.then(ask_to_stop),
            ..Control::default()
        };
        let fitted = fit_with(&items.rows, &supervision, &options, &control, &mut |event| {
            progress.show(&event);
        });
        let epochs = progress.end();
        end_at_once();
        let fitted = fitted.map_err(|error| match error {
            Error::Stopped { .. } if !state.path.exists() => {
                mistake("stopped before the training had begun", "run the same command again")
            }
            Error::Stopped { epoch } => mistake(
                format!("stopped after epoch {epoch} of {epochs}"),
                "the state is saved: the same command with --resume continues from there",
            ),
            other => Failure::from(other),
        })?;
        out.finish(|file| Ok(file.write_all(&fitted.classifier.to_bytes()?)?))?;
        state.remove();

        warnings.extend(fitted.warnings.iter().cloned());
        let trained = Trained::new(&self.out, &fitted, &items.rows, self.seed, reports.paths());
        let sources = ReportSources {
            trained: &trained,
            fitted: &fitted,
            rows: &items.rows,
            ids: &items.ids,
            image,
            inputs: inputs.map_or(Ok(Vec::new()), InputFiles::found)?,
            command_line: command_line(arguments()),
        };
        reports.write(&sources, &warnings)?;
        if self.json {
            print_json("train", &trained, &warnings)
        } else {
            print_text(&if alone { String::new() } else { trained.text() }, &warnings)
        }
    }

    /// Refuses what the kind of model cannot use.
    fn check_model(&self) -> Result<()> {
        if self.hidden.is_some() && self.model != ModelKind::Mlp {
            return Err(mistake(
                "--hidden is for an mlp, and this model is not one",
                "add --model mlp, or leave out --hidden",
            ));
        }
        if self.move_images.is_some() && self.model == ModelKind::Linear {
            return Err(mistake(
                "--move-images is for networks, and this model is linear",
                "add --model mlp or --model resnet32, or leave out --move-images",
            ));
        }
        Ok(())
    }

    /// Refuses what is about one model, where several questions make several.
    fn check_for_questions(&self) -> Result<()> {
        let labels = self.labels.is_some() || self.label.is_some() || self.labels_chosen.is_some();
        for (given, option, why) in [
            (labels, "--labels-chosen", "labels answer one question, and there are several"),
            (
                self.report.is_asked_for(),
                "--report",
                "a report is about one question, and there are several",
            ),
            (self.resume, "--resume", "a training of several questions keeps no state"),
        ] {
            if given {
                return Err(mistake(
                    format!("{option}: {why}"),
                    format!("leave out {option}, or train one of the questions with --question NAME"),
                ));
            }
        }
        Ok(())
    }

    /// One classifier for each question.
    fn fit_questions(
        &self,
        given: Given,
        names: &[String],
        method: Option<Method>,
    ) -> Result<(FittedQuestions, Items, Vec<Warning>)> {
        let mut warnings = given.warnings();
        warnings.extend(
            given
                .items
                .labels
                .as_ref()
                .filter(|_| given.items.rows.as_sparse().is_none())
                .map(|_| Warning::LabelsSetAside { column: "label".into() }),
        );
        let protocol = self.belief.collected.stated(&given.card, None, &mut warnings)?;
        self.belief.check_questions(names)?;
        let mut priors = HashMap::new();
        for name in names.iter().filter(|name| !self.belief.is_auto(Some(name))) {
            let mut said = Vec::new();
            priors.insert(name.clone(), self.belief.prior_of(Some(name), &given.card, &mut said)?);
            said.retain(|warning| !warnings.contains(warning));
            warnings.extend(said);
        }
        let equals = self.labellers.equals(&given.card, &mut warnings)?;
        let (items, mut questions) =
            given.supervised_by_question(protocol, |name| priors.get(name).copied().flatten());
        for question in &mut questions {
            question.supervision = self
                .labellers
                .state(question.supervision.clone(), equals)
                .tie_rates(self.tie_rates);
        }
        let options = self
            .options()
            .method(method)
            .classes(self.classes)
            .watch(ProgressBars::is_watched())
            .features(items.features.clone());
        let control = Control { threads: self.threads, ..Control::default() };
        let mut progress = ProgressBars::new();
        let fitted = fit_questions_with(&items.rows, &questions, &options, &control, &mut |event| {
            progress.show(&event);
        });
        progress.end();
        let fitted = fitted?;
        warnings.extend(fitted.warnings.iter().cloned());
        Ok((fitted, items, warnings))
    }

    /// The files that are read, with their checksums.
    fn inputs(&self) -> Result<InputFiles> {
        let mut contents = self.input.contents()?;
        contents.extend(self.labels.clone().map(|labels| ("labels", labels)));
        Ok(InputFiles::look(contents))
    }

    /// The labels of some items, of their file or of a column of the items, and how they were chosen.
    fn known_labels(
        &self,
        items: &Items,
        warnings: &mut Vec<Warning>,
    ) -> Result<Option<(Vec<Option<Label>>, LabelsChosen)>> {
        let chosen = self.labels_chosen.as_deref().map(str::parse::<LabelsChosen>).transpose()?;
        let column = self.label.as_deref().unwrap_or("label");
        // What stands first in a LIBSVM file is a label by its form, and often means nothing.
        let texts = items
            .labels
            .as_ref()
            .filter(|_| self.label.is_some() || items.rows.as_sparse().is_none());
        let Some(chosen) = chosen else {
            warnings.extend(texts.map(|_| Warning::LabelsSetAside { column: column.into() }));
            return Ok(None);
        };
        let of_column = texts.map(|texts| column_labels(texts, items, column)).transpose()?;
        let Some(path) = &self.labels else {
            let Some(labels) = of_column else {
                return Err(mistake(
                    "--labels-chosen is given, but no labels are",
                    "give them with --labels FILE, or in a column `label` of the items",
                ));
            };
            return Ok(Some((labels, chosen)));
        };
        let labels = read_labels(path, &items.ids, &Layout::default())?;
        let both = labels.iter().zip(of_column.iter().flatten());
        let differ = both
            .enumerate()
            .find(|(_, (one, two))| one.is_some() && two.is_some() && one != two);
        if let Some((row, _)) = differ {
            return Err(mistake(
                format!(
                    "'{}' has one label in {} and the other in column '{column}' of the items",
                    items.ids.name(row),
                    path.display()
                ),
                "correct one of the two, or leave the column out",
            ));
        }
        Ok(Some((labels, chosen)))
    }

    /// What was stated on the command line, but for the method.
    fn options(&self) -> FitOptions {
        FitOptions::new()
            .model(self.model)
            .hidden(self.hidden.clone())
            .image(self.image)
            .move_images(self.move_images)
            .epochs(self.epochs)
            .batch_rows(self.batch)
            .learning_rate(self.learning_rate)
            .weight_decay(self.weight_decay)
            .select(self.select)
            .hold_out(self.hold_out)
            .folds(self.folds)
            .threshold_for(self.threshold_for)
            .calibrate(self.calibrate)
            .sensitivity(self.sensitivity)
            .seed(self.seed)
    }
}

/// The labels that a column of the items holds.
fn column_labels(texts: &Texts, items: &Items, column: &str) -> Result<Vec<Option<Label>>> {
    let label = |(row, text): (usize, &str)| {
        parse_label(text).map_err(|problem| {
            let name = items.ids.name(row);
            mistake(
                format!("column '{column}' of the items, '{name}': {problem}"),
                "leave the cell empty if the label is not known",
            )
        })
    };
    let labels: Vec<Option<Label>> = texts.iter().enumerate().map(label).collect::<Result<_>>()?;
    if labels.iter().all(Option::is_none) {
        return Err(mistake(
            format!("column '{column}' of the items holds no label"),
            "label some items, or leave out --labels-chosen",
        ));
    }
    Ok(labels)
}

/// The share of ties among pairs of one class and among mixed pairs, as in `0.5,0.1`.
fn tie_rates(text: &str) -> std::result::Result<TieRates, String> {
    let numbers: std::result::Result<Vec<f64>, _> =
        text.split(',').map(|number| number.trim().parse()).collect();
    let [same_class, mixed] = numbers
        .ok()
        .and_then(|numbers| numbers.try_into().ok())
        .ok_or("give two shares, such as 0.5,0.1")?;
    TieRates::new(same_class, mixed).map_err(|error| error.to_string())
}

/// Channels, height and width, as in `3,32,32`.
fn image_shape(text: &str) -> std::result::Result<[usize; 3], String> {
    let numbers: std::result::Result<Vec<usize>, _> =
        text.split(',').map(|number| number.trim().parse()).collect();
    let shape = numbers.ok().and_then(|numbers| numbers.try_into().ok());
    shape.ok_or_else(|| "give channels, height and width, such as 3,32,32".into())
}

/// Where a run keeps its state: beside the model that it makes.
struct RunState {
    path: PathBuf,
    kept: bool,
}

impl RunState {
    fn beside(out: &Path) -> Self {
        let mut name = out.to_owned().into_os_string();
        name.push(".checkpoint");
        // Beside a pipe or a device there is no place to keep anything.
        let kept = out != Path::new("-") && fs::metadata(out).map_or(true, |out| out.is_file());
        Self { path: name.into(), kept }
    }

    /// Refuses to start anew where an earlier run can go on.
    fn check_unused(&self) -> Result<()> {
        if !self.path.exists() {
            return Ok(());
        }
        Err(mistake(
            format!("{} holds the state of a run that was stopped", self.path.display()),
            "add --resume to continue it, or remove the file to start again",
        ))
    }

    /// The run is done.
    fn remove(&self) {
        let _ = fs::remove_file(&self.path);
    }
}
