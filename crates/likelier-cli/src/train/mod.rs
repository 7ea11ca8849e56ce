//! `likelier train`: a classifier from items and comparisons.

mod hold_out;
mod kind;
mod running;
mod trained;

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use likelier::data::Rows;
use likelier::estimate::calibration::calibrate;
use likelier::train::{Config, Data};
use likelier::{Classifier, Method, Prior, Protocol};

use crate::check::diagnose;
use crate::hint::Mistake;
use crate::input::{
    BeliefArguments, Card, ColumnArguments, ComparisonArguments, Judged, NoPrior, Supervision, at_least_one,
};
use crate::judging::{Believed, Judgement, doubts};
use crate::output::{NewFile, Warning, print_json, print_text};
use crate::report::{ReportArguments, Shape, Sources};
use crate::scoring::ScorerArguments;
use crate::select::{METHODS, Open, Selected, choose};
use hold_out::hold_out;
use kind::ModelKind;
pub(crate) use running::{Epoch, Interrupted, SavedState};
use running::{State, Watch};
pub(crate) use trained::Trained;

/// Train a classifier from comparisons.
///
/// A share of the comparisons is held out; they tell, without a label, how good the classifier is. Where the
/// share of positives is not given, or `--prior auto` is, it is estimated from the comparisons.
#[derive(Args)]
#[command(after_help = "Examples:
  likelier train --items items.csv --comparisons comparisons.csv --prior 0.3 --protocol forced-choice \\
      --out model.likelier
  likelier train --items images.npy --comparisons pairs.tsv --prior 0.5 --protocol discard --model mlp \\
      --method pcomp-teacher --epochs 50 --out model.likelier
  likelier train --items items.csv --comparisons comparisons.csv --select --out model.likelier")]
#[allow(clippy::struct_excessive_bools, reason = "flags are independent of each other")]
pub(crate) struct Train {
    #[command(flatten)]
    input: ComparisonArguments,
    #[command(flatten)]
    belief: BeliefArguments,
    #[command(flatten)]
    columns: ColumnArguments,
    /// How to learn: a method's name, as the README lists them [default: pair-posterior, or pcomp-relu for
    /// piles].
    #[arg(long, value_name = "METHOD")]
    method: Option<String>,
    /// Which model.
    #[arg(long, value_enum, default_value_t = ModelKind::Linear)]
    model: ModelKind,
    /// Units of the hidden layers of an mlp [default: 300,300,300].
    #[arg(long, value_name = "N,…", value_delimiter = ',')]
    hidden: Option<Vec<usize>>,
    /// Channels, height and width of the images of a resnet, and of those that the report shows [default:
    /// square, 1 or 3 channels].
    #[arg(long, value_name = "C,H,W", value_parser = kind::image_shape)]
    image: Option<[usize; 3]>,
    /// Passes over the comparisons [default: 100; fewer for pair-posterior with a network from thousands of
    /// comparisons].
    #[arg(long, value_name = "N")]
    epochs: Option<usize>,
    /// Rows of both items of the comparisons in a mini-batch.
    #[arg(long, value_name = "ROWS", default_value_t = 256)]
    batch: usize,
    /// The optimiser's step [default: 0.01 for linear, 0.001 for networks].
    #[arg(long, value_name = "RATE", allow_negative_numbers = true)]
    learning_rate: Option<f64>,
    /// How strongly weights are drawn to 0 [default: what the method recommends for the data].
    #[arg(long, value_name = "RATE", allow_negative_numbers = true)]
    weight_decay: Option<f64>,
    /// Choose method, weight decay and learning rate by held-out comparisons, each unless it is given: five-fold,
    /// within those that are trained on, the simplest within one standard error of the best.
    #[arg(long)]
    select: bool,
    /// The share of the comparisons that is not trained on but judged by.
    #[arg(long, value_name = "SHARE", default_value_t = 0.2, allow_negative_numbers = true)]
    hold_out: f64,
    /// Fit the map from scores to probabilities to the held-out comparisons; else a score is taken for
    /// log-odds.
    #[arg(long)]
    calibrate: bool,
    /// Train again at five priors over the prior's interval (or within 0.1 of it where it is known), to show
    /// how much depends on it.
    #[arg(long)]
    sensitivity: bool,
    /// Decides everything random.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Threads to use [default: all]. The model is the same for any number.
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    threads: Option<usize>,
    /// Go on from where the same command was stopped.
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

impl Train {
    pub(crate) fn run(&self) -> Result<()> {
        let stated: Option<Method> = self.method.as_deref().map(str::parse).transpose()?;
        if self.hidden.is_some() && self.model != ModelKind::Mlp {
            let what = "--hidden is about an mlp, which is not the model here".into();
            bail!(Mistake { what, advice: "add --model mlp, or leave out --hidden" });
        }
        let read = self.input.files();
        let out = NewFile::create(&self.out, &read)?;
        let alone = out.is_standard_output(self.json)?;
        let reports = self.report.open(&self.out, out.is_a_file(), &read)?;
        let state = State::beside(&self.out);
        if !self.resume {
            state.check_unused()?;
        }
        let layout = self.columns.layout(None);
        let Supervision { items, judged, card, mut warnings } = self.input.read(&layout)?;
        let protocol = self.belief.collected.protocol(&card, &mut warnings)?;
        let believed = self.believed(&items.rows, &judged, &card, protocol, &mut warnings)?;
        let prior = believed.prior;
        let image = Shape::of(&items.rows, self.image)?;
        let diagnosis = match &judged {
            Judged::Pairs { judgements, .. } if !reports.is_empty() => {
                Some(diagnose(judgements, items.rows.len())?)
            }
            _ => None,
        };
        let (judged, held_out) = hold_out(judged, self.hold_out, self.seed)?;
        let data = Data { rows: &items.rows, piles: judged.piles()?, labels: None };
        let (config, selection) = self.config(stated, prior, protocol, &data, &judged, &mut warnings)?;
        let exact_counts = card.exact_counts();
        let watch = held_out.as_ref().map(|pairs| {
            let assumptions = believed.assumptions(protocol)?;
            anyhow::Ok(Watch { pairs, assumptions, exact_counts, recorded: !reports.is_empty() })
        });
        let watch = watch.transpose()?;
        let (classifier, epochs) = running::run(&data, &config, &state, self.threads, watch.as_ref())?;
        warnings.extend(given_up(&classifier));
        let last = epochs.last().map(|epoch| epoch.of).unwrap_or_default();
        let mut classifier = classifier.with_features(items.features)?;
        let judgement = held_out.as_ref().and_then(|pairs| {
            let judged = Judgement::new(&classifier, &items.rows, pairs, &believed, exact_counts);
            // What was trained is not thrown away because it cannot be judged.
            judged.map_err(|error| warnings.push(not_judged(&error))).ok()
        });
        if let Some(judgement) = &judgement {
            warnings.extend(judgement.contradiction(&protocol));
            warnings.extend(doubts(&judgement.metrics, prior));
            if self.calibrate {
                classifier = calibrated(classifier, judgement, &mut warnings)?;
            }
        } else {
            warnings.extend(unjudged(data.piles.are_paired(), held_out.is_some(), self.calibrate));
        }
        let sensitivity = self
            .sensitivity
            .then(|| believed.sweep(&classifier, &data, &config, held_out.as_ref(), exact_counts))
            .transpose()?;
        out.finish(|file| Ok(file.write_all(&classifier.to_bytes()?)?))?;
        state.remove();

        let trained = Trained {
            model: &self.out,
            method: config.method,
            learning_rate: config.learning_rate,
            weight_decay: config.weight_decay,
            selection,
            architecture: classifier.architecture(),
            prior,
            prior_interval: believed.estimated,
            protocol,
            items: items.rows.len(),
            features: items.rows.width(),
            comparisons: classifier.summary().comparisons,
            held_out_comparisons: judgement.as_ref().map_or(0, |judgement| judgement.metrics.sizes[0]),
            epochs: last.epoch,
            risk: last.risk,
            threshold: classifier.threshold(),
            seed: self.seed,
            label_free: judgement.as_ref().map(|judgement| judgement.metrics.clone()),
            reports: reports.paths(),
            sensitivity,
        };
        let sources = Sources {
            trained: &trained,
            classifier: &classifier,
            rows: &items.rows,
            ids: &items.ids,
            piles: data.piles,
            judgement: judgement.as_ref(),
            diagnosis: diagnosis.as_ref(),
            epochs: &epochs,
            calibrated: self.calibrate && judgement.is_some(),
            image,
        };
        reports.write(&sources, &warnings)?;
        if self.json {
            print_json("train", &trained, &warnings)
        } else {
            print_text(&if alone { String::new() } else { trained.text() }, &warnings)
        }
    }

    /// How to train: as recommended, as stated, or chosen.
    fn config(
        &self,
        stated: Option<Method>,
        prior: Prior,
        protocol: Protocol,
        data: &Data<'_>,
        judged: &Judged,
        warnings: &mut Vec<Warning>,
    ) -> Result<(Config, Option<Selected>)> {
        let config = |method| {
            let architecture =
                self.model.architecture(data.rows.width(), self.hidden.as_deref(), self.image);
            let recommended = Config::recommended(method, architecture, prior, protocol, data);
            let epochs = self.epochs.unwrap_or(recommended.epochs);
            Config {
                batch_rows: self.batch,
                learning_rate: self.learning_rate.unwrap_or(recommended.learning_rate),
                weight_decay: self.weight_decay.unwrap_or(recommended.weight_decay),
                seed: self.seed,
                ..recommended.with_epochs(epochs)
            }
        };
        // The default is what docs/choosing.md found best; piles do not say what was compared with what.
        let default = if data.piles.are_paired() { Method::PairPosterior } else { Method::PcompRelu };
        if !self.select {
            return Ok((config(stated.unwrap_or(default)), None));
        }
        let open =
            Open { weight_decay: self.weight_decay.is_none(), learning_rate: self.learning_rate.is_none() };
        let bases: Vec<Config> = match stated {
            Some(method) => vec![config(method)],
            None => METHODS.map(config).to_vec(),
        };
        let (config, selected) = choose(&bases, open, data.rows, judged, self.threads, warnings)?;
        Ok((config, Some(selected)))
    }

    /// The prior that is stated, else an estimate.
    fn believed(
        &self,
        rows: &Rows,
        judged: &Judged,
        card: &Card,
        protocol: Protocol,
        warnings: &mut Vec<Warning>,
    ) -> Result<Believed> {
        let stated = if self.belief.is_auto() { None } else { self.belief.stated_prior(card, warnings)? };
        if let Some(prior) = stated {
            return Ok(Believed { prior, estimated: None });
        }
        let Judged::Pairs { judgements, .. } = judged else { bail!(NoPrior) };
        let scorer = ScorerArguments::new(self.model == ModelKind::Mlp, self.seed);
        Believed::estimate(&scorer, rows, judgements, card, protocol, warnings)
    }
}

/// What to say where nothing is known about the classifier; why a judgement failed is told where it did.
fn unjudged(paired: bool, failed: bool, calibrate: bool) -> Vec<Warning> {
    let why = if paired {
        "no comparisons were held out"
    } else {
        "piles do not say what was compared with what"
    };
    let unknown =
        || Warning { code: "not-judged", message: format!("nothing is known about the accuracy: {why}") };
    let plain = || Warning {
        code: "not-calibrated",
        message: "--calibrate has nothing to go by: probabilities are those of the plain score".into(),
    };
    let mut warnings = Vec::new();
    warnings.extend((!failed).then(unknown));
    warnings.extend(calibrate.then(plain));
    warnings
}

fn not_judged(error: &anyhow::Error) -> Warning {
    Warning { code: "not-judged", message: format!("nothing is known about the accuracy: {error:#}") }
}

/// The classifier with probabilities fitted to comparisons that it was not trained on.
fn calibrated(
    classifier: Classifier,
    judgement: &Judgement<'_>,
    warnings: &mut Vec<Warning>,
) -> Result<Classifier> {
    let calibration = calibrate(&judgement.scored.held_out()?, &judgement.assumptions);
    warnings.extend(calibration.shifted_only.map(|reason| Warning {
        code: "shifted-only",
        message: format!("probabilities were only shifted, not stretched: {reason}"),
    }));
    Ok(classifier.with_probability(calibration.map)?)
}

/// What to say of a method that was given up for its own start.
fn given_up(classifier: &Classifier) -> Option<Warning> {
    let reason = classifier.summary().fallback?;
    let method = classifier.method();
    let message = format!(
        "{method} was given up for the scorer it started from, cut at the prior: {reason}; more comparisons, --method \
         likelihood or rank-pruning, or another --learning-rate may help"
    );
    Some(Warning { code: "fell-back", message })
}
