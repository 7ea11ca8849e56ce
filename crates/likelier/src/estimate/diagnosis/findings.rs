//! A diagnosis in plain words: what was found, and what follows from it.

use serde::Serialize;

use super::Diagnosis;

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Good to know.
    Note,
    /// Something to look into before training.
    Warning,
    /// The comparisons should not be used as they are.
    Serious,
}

/// One thing that was found, and what follows from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// A short fixed name.
    pub code: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// What was found, and what follows.
    pub message: String,
}

/// Fewer comparisons than this rarely tell the prior or the protocol.
const FEW: usize = 1000;

impl Diagnosis {
    /// Everything worth saying, the gravest first.
    pub fn findings(&self) -> Vec<Finding> {
        let mut found = Vec::new();
        let mut say = |code, severity, message| found.push(Finding { code, severity, message });
        let (note, warning) = (Severity::Note, Severity::Warning);

        if self.comparisons < FEW {
            say(
                "few-comparisons",
                warning,
                format!(
                    "{} comparisons are few: below about {FEW} the data rarely reveal the prior and the protocol, so \
                 you must know them",
                    self.comparisons
                ),
            );
        }
        if self.with_itself > 0 {
            say(
                "item-with-itself",
                Severity::Serious,
                format!(
                    "{} comparisons are of an item with itself: they say nothing and should be removed",
                    self.with_itself
                ),
            );
        }
        self.repetition(&mut say);
        self.order(&mut say);
        if self.never_compared > 0 {
            say(
                "never-compared",
                note,
                format!(
                    "{} of {} items were never compared: they can be scored, but nothing is learned from them",
                    self.never_compared, self.items
                ),
            );
        }
        if self.islands > 1 {
            say(
                "islands",
                note,
                format!(
                    "the compared items fall into {} groups without a comparison between them, the largest of {} items. \
                 That does not matter to a model of features, but without such a model the items cannot be ranked",
                    self.islands, self.largest_island
                ),
            );
        }
        self.people(&mut say);
        found.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        found
    }

    fn repetition(&self, say: &mut impl FnMut(&'static str, Severity, String)) {
        if self.repeated_pairs == 0 {
            say("asked-once", Severity::Note,
                "no pair was asked twice, so disagreement cannot show the labeller's error; ask some pairs again to \
                 measure it".into());
            return;
        }
        say(
            "repeated-pairs",
            Severity::Note,
            format!(
                "{} of {} pairs were asked more than once: good for measuring the labeller, but a repeated pair tells less \
             than a new one, so intervals that treat comparisons as independent are too narrow",
                self.repeated_pairs, self.pairs
            ),
        );
        if self.contradicted_pairs > 0 {
            let asked = &self.asked_again;
            say(
                "contradictions",
                Severity::Note,
                format!(
                    "{} pairs were recorded in both orders; of {} repeated answers {} differ. Two items of one class are \
                 a coin toss, so up to half of such answers may differ even if the labeller never errs",
                    self.contradicted_pairs, asked.answers, asked.disagreements
                ),
            );
        }
    }

    fn order(&self, say: &mut impl FnMut(&'static str, Severity, String)) {
        let compared = self.items - self.never_compared;
        if self.largest_knot == 0 {
            say("no-cycles", Severity::Note, "the comparisons contain no circles".into());
            return;
        }
        let share = 100.0 * self.largest_knot as f64 / compared as f64;
        // All items of a circle are of one class if nobody errs: then this class is at least so frequent.
        let severity = if share > 60.0 { Severity::Warning } else { Severity::Note };
        say(
            "cycles",
            severity,
            format!(
                "{} groups of items are likelier than each other in a circle, the largest of {} items ({share:.0} % of those \
             compared). If the labeller never errs, all items of a circle are of one class; if they are not, it errs",
                self.knots, self.largest_knot
            ),
        );
    }

    fn people(&self, say: &mut impl FnMut(&'static str, Severity, String)) {
        let (note, serious) = (Severity::Note, Severity::Serious);
        match &self.annotators {
            None => say("no-annotators", note,
                "it is not recorded who made which comparison, so annotators cannot be compared".into()),
            Some(report) if report.annotators.iter().filter(|one| one.comparisons > 0).count() < 2 => say(
                "one-annotator", note,
                "one annotator made all comparisons, so errors that only they make cannot be seen".into(),
            ),
            Some(report) => match report.agreement {
                None => say("nothing-shared", note,
                    "no pair was answered by two annotators: give them some pairs in common to compare them".into()),
                Some(agreement) => {
                    say("agreement", note, format!(
                        "two annotators agree on {:.0} % of the pairs they share ({:.0} to {:.0} %); coin tosses would \
                         give one half", 100.0 * agreement.value, 100.0 * agreement.low, 100.0 * agreement.high
                    ));
                    for one in report.annotators.iter().filter(|one| one.stands_out) {
                        let share = one.agreement.map_or(0.0, |agreement| 100.0 * agreement.value);
                        let contrary = if one.agreement.is_some_and(|agreement| agreement.high < 0.5) {
                            ", and less than coin tosses would: they may have read the question the other way round"
                        } else {
                            ""
                        };
                        say("annotator-stands-out", serious, format!(
                            "{} agrees with the others on {share:.0} % of {} shared answers, less than the others do \
                             among themselves{contrary}", one.name, one.shared
                        ));
                    }
                }
            },
        }
        match self.ties {
            None => say("no-ties", note, "it is not recorded whether the labeller saw a tie".into()),
            Some(ties) if ties.value > 0.0 => say(
                "ties",
                note,
                format!(
                    "{:.0} % were called ties: each counts as half a comparison each way. A tie between items of different \
                 classes acts like a labeller's error of one half on that pair",
                    100.0 * ties.value
                ),
            ),
            Some(_) => say("no-tie-seen", note, "ties could be recorded, but none were".into()),
        }
        match self.picked_left {
            None => say(
                "no-sides",
                note,
                "it is not recorded which side an item was shown on, so a leaning to one side cannot be seen"
                    .into(),
            ),
            Some(left) if !left.holds(0.5) => say(
                "leaning",
                serious,
                format!(
                    "the item on the left was picked {:.0} % of the time ({:.0} to {:.0} %): answers lean to one side, \
                 which acts like a labeller's error; show each pair in random order",
                    100.0 * left.value,
                    100.0 * left.low,
                    100.0 * left.high
                ),
            ),
            Some(_) => {
                say("no-leaning", note, "neither side is picked more often than chance allows".into());
            }
        }
    }
}
