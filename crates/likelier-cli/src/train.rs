//! `likelier train`: a classifier from items and comparisons.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use likelier::data::{Comparisons, Judgements, Rows};
use likelier::estimate::Interval;
use likelier::estimate::calibration::calibrate;
use likelier::estimate::metrics::Metrics;
use likelier::model::{Architecture, Mlp, ResNet};
use likelier::random::{Purpose, shuffle, stream};
use likelier::train::{Config, Control, Data, EpochSummary, Outcome, train_with};
use likelier::{Classifier, Method, Prior, Protocol};
use serde::Serialize;

use crate::input::{
    BeliefArguments, Card, ColumnArguments, ComparisonArguments, Judged, NoPrior, Supervision,
};
use crate::judging::{AtPrior, Believed, Scored};
use crate::output::{NewFile, Warning, print_json, print_text, range};
use crate::scoring::ScorerArguments;
use crate::select::{Open, Selected, choose};
use crate::{interrupt, talk};

/// How to learn where nobody says.
const METHOD: Method = Method::PcompRelu;

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
    /// How to learn: a method's name, as the README lists them [default: pcomp-relu].
    #[arg(long, value_name = "METHOD")]
    method: Option<String>,
    /// Which model.
    #[arg(long, value_enum, default_value_t = ModelKind::Linear)]
    model: ModelKind,
    /// Units of the hidden layers of an mlp.
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_values_t = [300, 300, 300])]
    hidden: Vec<usize>,
    /// Channels, height and width of the images of a resnet [default: square, 1 or 3 channels].
    #[arg(long, value_name = "C,H,W", value_parser = image)]
    image: Option<[usize; 3]>,
    /// Passes over the comparisons.
    #[arg(long, value_name = "N", default_value_t = 100)]
    epochs: usize,
    /// Rows of both items of the comparisons in a mini-batch.
    #[arg(long, value_name = "ROWS", default_value_t = 256)]
    batch: usize,
    /// The optimiser's step [default: 0.01 for linear, 0.001 for networks].
    #[arg(long, value_name = "RATE", allow_negative_numbers = true)]
    learning_rate: Option<f64>,
    /// How strongly weights are drawn to 0 [default: 0.00001].
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
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ModelKind {
    Linear,
    Mlp,
    Resnet34,
    Resnet32,
}

/// What came out.
#[derive(Serialize)]
struct Trained<'a> {
    model: &'a Path,
    method: Method,
    learning_rate: f64,
    weight_decay: f64,
    /// What was chosen from.
    selection: Option<Selected>,
    architecture: &'a Architecture,
    prior: Prior,
    /// Where the prior was estimated.
    prior_interval: Option<Interval>,
    #[serde(flatten)]
    protocol: Protocol,
    items: usize,
    features: usize,
    comparisons: usize,
    held_out_comparisons: usize,
    epochs: usize,
    risk: f64,
    threshold: f32,
    seed: u64,
    /// How good the classifier is by the held-out comparisons.
    label_free: Option<Metrics>,
    /// What other priors would have given.
    sensitivity: Option<Vec<AtPrior>>,
}

/// An earlier run left its state, and nobody said what to do with it.
#[derive(Debug, thiserror::Error)]
#[error("{} holds the state of a run that was stopped", .0.display())]
pub(crate) struct SavedState(PathBuf);

/// It was asked to stop.
#[derive(Debug, thiserror::Error)]
#[error("stopped after epoch {epoch} of {epochs}")]
pub(crate) struct Interrupted {
    epoch: usize,
    epochs: usize,
}

impl Train {
    pub(crate) fn run(&self) -> Result<()> {
        let method: Method = self.method.as_deref().map_or(Ok(METHOD), str::parse)?;
        let out = NewFile::create(&self.out, self.input.files())?;
        let alone = out.is_standard_output(self.json)?;
        if !self.resume && self.checkpoint().exists() {
            return Err(SavedState(self.checkpoint()).into());
        }
        let layout = self.columns.layout(None);
        let Supervision { items, judged, card, mut warnings } = self.input.read(&layout)?;
        let protocol = self.belief.collected.protocol(&card, &mut warnings)?;
        let believed = self.believed(&items.rows, &judged, &card, protocol, &mut warnings)?;
        let prior = believed.prior;
        let config = Config {
            architecture: self.architecture(items.rows.width()),
            epochs: self.epochs,
            batch_rows: self.batch,
            learning_rate: self.learning_rate.unwrap_or(match self.model {
                ModelKind::Linear => 1e-2,
                _ => 1e-3,
            }),
            weight_decay: self.weight_decay.unwrap_or(1e-5),
            seed: self.seed,
            ..Config::new(method, prior, protocol)
        };

        let (judged, held_out) = self.hold_out(judged)?;
        let open = Open {
            method: self.method.is_none(),
            weight_decay: self.weight_decay.is_none(),
            learning_rate: self.learning_rate.is_none(),
        };
        let chosen = self
            .select
            .then(|| choose(&config, open, &items.rows, &judged, self.threads, &mut warnings))
            .transpose()?;
        let (config, selection) = chosen.map_or((config, None), |(config, found)| (config, Some(found)));
        let data = Data { rows: &items.rows, piles: judged.piles()?, labels: None };
        let (classifier, last) = self.train(&data, &config)?;
        let mut classifier = classifier.with_features(items.features)?;
        // What was trained is not thrown away because it cannot be judged.
        let label_free = match &held_out {
            Some(pairs) => self
                .judge(&mut classifier, &items.rows, pairs, &believed, card.exact_counts(), &mut warnings)
                .map_err(|error| {
                    let message = format!("nothing is known about the accuracy: {error:#}");
                    warnings.push(Warning { code: "not-judged", message });
                })
                .ok(),
            None => None,
        };
        let sensitivity = self
            .sensitivity
            .then(|| believed.sweep(&classifier, &data, &config, held_out.as_ref(), card.exact_counts()))
            .transpose()?;
        out.finish(|file| Ok(file.write_all(&classifier.to_bytes()?)?))?;
        let _ = fs::remove_file(self.checkpoint());

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
            held_out_comparisons: label_free.as_ref().map_or(0, |metrics| metrics.sizes[0]),
            epochs: last.epoch,
            risk: last.risk,
            threshold: classifier.threshold(),
            seed: self.seed,
            label_free,
            sensitivity,
        };
        if self.json {
            print_json("train", &trained, &warnings)
        } else {
            print_text(&if alone { String::new() } else { trained.text() }, &warnings)
        }
    }

    /// How good the classifier is by the comparisons held out, which may also give it its probabilities.
    fn judge(
        &self,
        classifier: &mut Classifier,
        rows: &Rows,
        pairs: &Comparisons,
        believed: &Believed,
        exact_counts: bool,
        warnings: &mut Vec<Warning>,
    ) -> Result<Metrics> {
        let protocol = classifier.setting().protocol;
        let assumptions = believed.assumptions(protocol)?;
        let scored = Scored::new(classifier, rows, pairs)?;
        let metrics = scored.judge(classifier, &assumptions, exact_counts)?;
        warnings.extend(scored.contradiction(&protocol)?);
        if self.calibrate {
            let calibration = calibrate(&scored.held_out()?, &assumptions);
            warnings.extend(calibration.shifted_only.map(|reason| Warning {
                code: "shifted-only",
                message: format!("probabilities were only shifted, not stretched: {reason}"),
            }));
            *classifier = classifier.clone().with_probability(calibration.map)?;
        }
        Ok(metrics)
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

    fn architecture(&self, width: usize) -> Architecture {
        let image = || self.image.unwrap_or_else(|| square_image(width));
        match self.model {
            ModelKind::Linear => Architecture::Linear,
            ModelKind::Mlp => Architecture::Mlp(Mlp { hidden: self.hidden.clone(), ..Mlp::of_the_paper() }),
            ModelKind::Resnet34 => Architecture::ResNet(ResNet::resnet34(image())),
            ModelKind::Resnet32 => Architecture::ResNet(ResNet::resnet32(image())),
        }
    }

    /// Sets a share of the comparisons aside. Loose piles are all trained on.
    fn hold_out(&self, judged: Judged) -> Result<(Judged, Option<Comparisons>)> {
        if !(0.0..1.0).contains(&self.hold_out) {
            return Err(likelier::Error::Setting {
                name: "--hold-out",
                value: self.hold_out.to_string(),
                allowed: "at least 0 and below 1",
            }
            .into());
        }
        let Judged::Pairs { judgements, .. } = judged else { return Ok((judged, None)) };
        let count = judgements.comparisons.len();
        let aside = (self.hold_out * count as f64).round() as usize;
        if aside == 0 {
            return Ok((Judged::of(*judgements), None));
        }
        let mut order: Vec<u32> = (0..count as u32).collect();
        shuffle(&mut stream(self.seed, Purpose::HoldOut), &mut order);
        let (aside, kept) = order.split_at_mut(aside.min(count - 1));
        aside.sort_unstable();
        kept.sort_unstable();
        // A tie says nothing about which of two classifiers is better.
        let tie = |at: usize| judgements.ties.as_ref().is_some_and(|ties| ties[at]);
        let pairs: Vec<(u32, u32)> = judgements.comparisons.iter().collect();
        let held_out = aside.iter().map(|at| *at as usize).filter(|at| !tie(*at)).map(|at| pairs[at]);
        let of_kept = |values: &[f32]| kept.iter().map(|at| values[*at as usize]).collect();
        let trained = Judgements {
            comparisons: kept.iter().map(|at| pairs[*at as usize]).collect(),
            weights: judgements.weights.as_deref().map(of_kept),
            ties: judgements
                .ties
                .as_ref()
                .map(|ties| kept.iter().map(|at| ties[*at as usize]).collect()),
            ..Judgements::default()
        };
        let held_out: Comparisons = held_out.collect();
        Ok((Judged::of(trained), (!held_out.is_empty()).then_some(held_out)))
    }

    fn checkpoint(&self) -> PathBuf {
        let mut name = self.out.clone().into_os_string();
        name.push(".checkpoint");
        name.into()
    }

    /// Trains, with a bar on a terminal; Ctrl-C saves the state.
    fn train(&self, data: &Data<'_>, config: &Config) -> Result<(Classifier, EpochSummary)> {
        let checkpoint = self.checkpoint();
        // Beside a pipe or a device there is no place to keep anything.
        let keeps = self.out != Path::new("-") && fs::metadata(&self.out).map_or(true, |out| out.is_file());
        let control = Control {
            threads: self.threads,
            checkpoint: keeps.then_some(checkpoint.as_path()),
            stop: keeps.then(interrupt::ask_to_stop),
        };
        let bar = talk::bar(config.epochs as u64, "{bar:32} epoch {pos} of {len}, {eta} left, risk {msg}");
        let mut last = EpochSummary { epoch: config.epochs, ..EpochSummary::default() };
        let outcome = train_with(data, config, &control, |summary, _| {
            last = *summary;
            bar.set_message(format!("{:.4}", summary.risk));
            bar.set_position(summary.epoch as u64);
            talk::detail(|| format!("epoch {}: risk {:.4}", summary.epoch, summary.risk));
            Ok(())
        })?;
        bar.finish_and_clear();
        interrupt::end_at_once();
        match outcome {
            Outcome::Finished(classifier) => Ok((*classifier, last)),
            Outcome::Stopped { epoch } => Err(Interrupted { epoch, epochs: config.epochs }.into()),
        }
    }
}

fn image(text: &str) -> Result<[usize; 3], String> {
    let sizes: Option<Vec<usize>> = text.split(',').map(|size| size.trim().parse().ok()).collect();
    sizes
        .and_then(|sizes| sizes.try_into().ok())
        .ok_or_else(|| "give channels, height and width, such as 3,32,32".into())
}

fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("give a number from 1 up".into()),
        Ok(count) => Ok(count),
    }
}

/// One channel if the numbers make a square, else three if a third of them does.
fn square_image(width: usize) -> [usize; 3] {
    let side = |pixels: usize| {
        let side = pixels.isqrt();
        (side * side == pixels).then_some(side)
    };
    match (side(width), side(width / 3)) {
        (Some(side), _) => [1, side, side],
        (None, Some(side)) => [3, side, side],
        (None, None) => [1, width.isqrt(), width.isqrt()],
    }
}

impl Trained<'_> {
    fn text(&self) -> String {
        let mut text = format!(
            "{}\n  {} {} from {} comparisons of {} items with {} features\n  prior {}, {}, seed {}; {} epochs, risk \
             {:.4}\n",
            self.model.display(),
            self.method,
            self.architecture,
            self.comparisons,
            self.items,
            self.features,
            self.prior,
            self.protocol,
            self.seed,
            self.epochs,
            self.risk
        );
        if let Some(selection) = &self.selection {
            text.push_str(&selection.text());
        }
        if let Some(metrics) = &self.label_free {
            let _ =
                writeln!(text, "  without labels, by {} held-out comparisons:", self.held_out_comparisons);
            for (name, interval) in [
                ("accuracy", metrics.accuracy),
                ("balanced accuracy", metrics.balanced_accuracy),
                ("AUC", metrics.auc),
            ] {
                let shown = interval.clipped(0.0, 1.0);
                let _ = writeln!(
                    text,
                    "    {name:<18} {:.3} ({:.0} % interval {:.3} to {:.3})",
                    shown.value,
                    100.0 * shown.level,
                    shown.low,
                    shown.high
                );
            }
            if metrics.conservative {
                text.push_str(
                    "    intervals are wider than needed: the pairs were made with fixed class counts\n",
                );
            }
            for note in &metrics.notes {
                let _ = writeln!(text, "    note: {note}");
            }
        }
        if let Some(sweep) = &self.sensitivity {
            text.push_str("  were the prior another:\n    prior   accuracy (95 % interval)   called positive   changed\n");
            for at in sweep {
                let accuracy = at.accuracy.map_or("–".into(), |accuracy| {
                    format!("{:.3} ({})", accuracy.clipped(0.0, 1.0).value, range(&accuracy))
                });
                let _ = writeln!(
                    text,
                    "    {:<7} {accuracy:<26} {:>15.3} {:>9.3}",
                    format!("{:.3}", at.prior.positive()),
                    at.called_positive,
                    at.changed
                );
            }
        }
        text
    }
}
