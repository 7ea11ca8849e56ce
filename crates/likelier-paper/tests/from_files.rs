//! Real data as a user has them: the files that `likelier-paper generate` writes, and what the library says about them
//! without labels.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;
use std::process::Command;

use likelier::estimate::Verdict;
use likelier::evaluate::Confusion;
use likelier::model::ModelKind;
use likelier::{
    Answers, Assessment, BelievedPrior, FitOptions, Grounds, Label, Prior, Protocol, ScorerOptions,
    Supervision, check, estimate_prior, fit,
};
use likelier_tables::{DatasetCard, Items, Layout, read_answers};

mod data_dir;

struct Made {
    items: Items,
    answers: Answers,
    card: DatasetCard,
    test: Items,
}

impl Made {
    fn new(data: &Path, folder: &Path, protocol: &str, prior: f64, seed: u64) -> Self {
        let out = folder.join(format!("{protocol}-{seed}"));
        let made = Command::new(env!("CARGO_BIN_EXE_likelier-paper"))
            .args(["generate", "--dataset", "pendigits", "--pairs", "4000", "--sampling", "independent"])
            .args(["--protocol", protocol, "--prior", &prior.to_string(), "--seed", &seed.to_string()])
            .arg("--data-dir")
            .arg(data)
            .arg("--out")
            .arg(&out)
            .output()
            .unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let labelled = Layout { label: Some("label".into()), ..Layout::default() };
        let items = Items::read(&out.join("items.csv"), &Layout::default()).unwrap();
        let comparisons = out.join("comparisons.csv");
        Self {
            answers: read_answers(&comparisons, &items.ids, &Layout::default()).unwrap(),
            card: DatasetCard::beside(&comparisons).unwrap(),
            items,
            test: Items::read(&out.join("test.csv"), &labelled).unwrap(),
        }
    }

    fn supervision(&self, protocol: Protocol) -> Supervision {
        let supervision = Supervision::new(self.answers.clone()).protocol(protocol);
        supervision.kept(self.card.pairs_kept.unwrap(), self.card.pairs_shown.unwrap())
    }

    /// The true labels of the test rows.
    fn truth(&self) -> Vec<Label> {
        let labels = self.test.labels.as_ref().unwrap();
        (0..labels.len())
            .map(|row| Label::positive_if(labels.get(row) == "1"))
            .collect()
    }
}

#[test]
fn answers_without_labels_are_right_on_real_data() {
    let Some(data) = data_dir::data_dir() else { return };
    let folder = tempfile::tempdir().unwrap();
    let (discard, forced) = (Protocol::DISCARD, Protocol::FORCED_CHOICE);
    for (name, protocol, other, verdict, prior) in [
        ("discard", discard, forced, Verdict::Discard, 0.2),
        ("forced-choice", forced, discard, Verdict::ForcedChoice, 0.5),
    ] {
        let made = Made::new(&data, folder.path(), name, prior, 0);
        let (rows, scorer) = (&made.items.rows, ScorerOptions::new(ModelKind::Linear, 0));
        let found = estimate_prior(rows, &made.supervision(protocol), &scorer).unwrap();
        let (low, high) = (found.prior.low, found.prior.high);
        assert!(low - 0.02 <= prior && prior <= high + 0.02, "{prior} is not from {low} to {high}");
        assert!(!found.estimates.is_empty());

        let checkup = check(rows, &made.supervision(protocol), &scorer).unwrap();
        assert_eq!((checkup.protocol.verdict, checkup.sound), (verdict, true), "{checkup:?}");
        let checkup = check(rows, &made.supervision(other), &scorer).unwrap();
        assert!(checkup.protocol.contradiction.is_some() && !checkup.sound, "{checkup:?}");

        // Other comparisons of the same kind judge the classifier that these make.
        let prior = Prior::new(prior).unwrap();
        let supervision = made.supervision(protocol).prior(prior);
        let classifier = fit(rows, &supervision, &FitOptions::new().epochs(30)).unwrap().classifier;
        let fresh = Made::new(&data, folder.path(), name, prior.positive(), 1);
        let grounds = Grounds::new(protocol, &BelievedPrior::known(prior)).unwrap();
        let comparisons = fresh.answers.comparisons();
        let judged = Assessment::new(&classifier, &fresh.items.rows, comparisons, grounds);
        let free = judged.unwrap().new_items.metrics.accuracy;
        let predicted = classifier.predict(&made.test.rows).unwrap();
        let truth = Confusion::of(&predicted, made.truth().into_iter()).unwrap().accuracy();
        let apart = (free.value - truth).abs();
        assert!(apart < free.width() / 2.0 + 0.02, "{free:?} {truth}");
    }
}
