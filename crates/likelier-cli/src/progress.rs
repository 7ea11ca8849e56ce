//! How the work goes: bars on a terminal, lines with `--verbose`.

use indicatif::ProgressBar;
use likelier::Event;

use crate::terminal::{Busy, bar, busy, detail, range};

/// One bar after the other, for what is done now.
pub(crate) struct ProgressBars {
    stage: &'static str,
    bar: ProgressBar,
    /// Until the first news.
    waiting: Option<Busy>,
    /// The fold whose scoring was told.
    fold: usize,
    /// The last accuracy that was measured.
    accuracy: String,
    /// How many epochs there are at the most.
    epochs: usize,
}

impl ProgressBars {
    pub(crate) fn new() -> Self {
        let waiting = Some(busy(|| "looking at the data".into()));
        let bar = ProgressBar::hidden();
        Self { stage: "", bar, waiting, fold: 0, accuracy: String::new(), epochs: 0 }
    }

    /// Whether anybody watches.
    pub(crate) fn is_watched() -> bool {
        !bar(0, "").is_hidden()
    }

    fn bar(&mut self, stage: &'static str, length: usize, template: &str) -> &ProgressBar {
        if self.stage != stage {
            self.bar.finish_and_clear();
            (self.stage, self.bar) = (stage, bar(length as u64, template));
        }
        &self.bar
    }

    /// Shows the news.
    pub(crate) fn show(&mut self, event: &Event<'_>) {
        self.waiting = None;
        match event {
            Event::Scoring { fold, folds, epoch } => {
                if self.fold != *fold {
                    self.fold = *fold;
                    detail(|| format!("scoring: fold {fold} of {folds}"));
                }
                let bar = self.bar("scoring", *folds, "{bar:32} scoring: fold {msg}, {elapsed}");
                bar.set_position(*fold as u64 - 1);
                bar.set_message(format!("{fold} of {folds}, epoch {epoch}"));
            }
            Event::Choosing { done, of } => {
                let bar =
                    self.bar("choosing", *of, "{bar:32} choosing: {pos} of {len} trainings, {eta} left");
                bar.set_position(*done as u64);
                detail(|| format!("choosing: training {done} of {of}"));
            }
            Event::Epoch { epoch, epochs } => {
                self.epochs = *epochs;
                let fresh = epoch.accuracy.map(|accuracy| {
                    format!(", accuracy {:.3} ({})", accuracy.value.clamp(0.0, 1.0), range(&accuracy))
                });
                let (number, risk) = (epoch.of.epoch, epoch.of.risk);
                detail(|| {
                    format!("epoch {number}: risk {risk:.4}{}", fresh.as_deref().unwrap_or_default())
                });
                // The bar keeps the last one in sight.
                self.accuracy = fresh.unwrap_or(std::mem::take(&mut self.accuracy));
                let message = format!("risk {risk:.4}{}", self.accuracy);
                let bar = self.bar("training", *epochs, "{bar:32} epoch {pos} of {len}, {eta} left, {msg}");
                bar.set_message(message);
                bar.set_position(number as u64);
            }
            Event::Judging { fold, folds, epoch, epochs } => {
                let done = (fold - 1) * epochs + epoch;
                let template = "{bar:32} judging: {msg}, {eta} left";
                let bar = self.bar("judging", folds * epochs, template);
                bar.set_position(done as u64);
                bar.set_message(format!("fold {fold} of {folds}"));
                if epoch == epochs {
                    detail(|| format!("judging: fold {fold} of {folds}"));
                }
            }
            Event::Question { name, number, of } => {
                detail(|| format!("question {number} of {of}: {name}"));
                (self.stage, self.fold) = ("", 0);
                self.bar.finish_and_clear();
            }
            Event::Sensitivity { done, of } => {
                let bar = self.bar("sensitivity", *of, "{bar:32} other priors: {pos} of {len}, {eta} left");
                bar.set_position(*done as u64);
                detail(|| format!("other priors: training {} of {of}", done + 1));
            }
            _ => {}
        }
    }

    /// Clears the last bar, and says how many epochs there were to be.
    pub(crate) fn end(self) -> usize {
        self.bar.finish_and_clear();
        self.epochs
    }
}
