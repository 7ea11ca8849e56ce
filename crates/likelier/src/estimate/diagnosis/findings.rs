//! A diagnosis in plain words: what was found, what follows from it, and what a user must know first.

use serde::Serialize;

use super::Diagnosis;
use super::family::convicted;
use super::remark::{FEW, Remark};

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

impl From<&Remark> for Finding {
    fn from(remark: &Remark) -> Self {
        Self { code: remark.code(), severity: remark.severity(), message: remark.to_string() }
    }
}

/// What a user must know first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Headline {
    /// The code of the finding that it is; `sound` if nothing was found.
    pub code: &'static str,
    /// In words.
    pub message: String,
}

impl Headline {
    /// The gravest finding, and of equally grave ones the one that changes most of what follows.
    pub(crate) fn of(remarks: &[Remark]) -> Self {
        let rank =
            |remark: &&Remark| remark.place().map(|place| (std::cmp::Reverse(remark.severity()), place));
        match remarks.iter().filter(|remark| rank(remark).is_some()).min_by_key(rank) {
            Some(first) => Self { code: first.code(), message: first.to_string() },
            None => Self { code: "sound", message: "nothing speaks against these data".into() },
        }
    }
}

/// Remarks as findings, the gravest first.
pub(crate) fn findings(remarks: &[Remark]) -> Vec<Finding> {
    let mut found: Vec<Finding> = remarks.iter().map(Finding::from).collect();
    found.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    found
}

impl Diagnosis {
    /// Everything worth saying, the gravest first.
    pub fn findings(&self) -> Vec<Finding> {
        let mut remarks = convicted(&self.suspicions(Vec::new()));
        remarks.extend(self.notes(&remarks));
        findings(&remarks)
    }

    /// What is said whatever the tests say; of what they flagged, the opposite is not said.
    pub(crate) fn notes(&self, flagged: &[Remark]) -> Vec<Remark> {
        let mut notes = Vec::new();
        if self.comparisons < FEW {
            notes.push(Remark::FewComparisons { comparisons: self.comparisons });
        }
        if self.with_itself > 0 {
            notes.push(Remark::WithItself { comparisons: self.with_itself });
        }
        if self.repeated_pairs == 0 {
            notes.push(Remark::AskedOnce);
        } else {
            notes.push(Remark::RepeatedPairs { repeated: self.repeated_pairs, pairs: self.pairs });
        }
        if self.contradicted_pairs > 0 {
            notes.push(Remark::Contradictions {
                contradicted: self.contradicted_pairs,
                asked: self.asked_again.answers,
                differ: self.asked_again.disagreements,
            });
        }
        let compared = (self.items - self.never_compared).max(1) as f64;
        notes.push(match self.largest_knot {
            0 => Remark::NoCycles,
            largest => Remark::Cycles { knots: self.knots, largest, share: largest as f64 / compared },
        });
        if self.never_compared > 0 {
            notes.push(Remark::NeverCompared { never: self.never_compared, items: self.items });
        }
        match &self.found_groups {
            Some(groups) => {
                notes.push(Remark::Grouped { groups: groups.count, by_islands: groups.by_islands });
            }
            None if self.islands > 1 => {
                notes.push(Remark::Islands { islands: self.islands, largest: self.largest_island });
            }
            None => {}
        }
        self.people(flagged, &mut notes);
        notes
    }

    fn people(&self, flagged: &[Remark], notes: &mut Vec<Remark>) {
        match &self.annotators {
            None => notes.push(Remark::NoAnnotators),
            Some(report) => {
                let active = || report.annotators.iter().filter(|one| one.comparisons > 0);
                if active().count() < 2 {
                    notes.push(Remark::OneAnnotator);
                } else if active().all(|one| one.comparisons <= 2) && self.comparisons > 10 {
                    notes.push(Remark::OneAnswerEach);
                } else if let Some(agreement) = report.agreement {
                    notes.push(Remark::Agreement(agreement));
                } else {
                    notes.push(Remark::NothingShared);
                }
            }
        }
        notes.push(match self.ties {
            None => Remark::NoTies,
            Some(ties) if ties.value > 0.0 => Remark::Ties { share: ties.value },
            Some(_) => Remark::NoTieSeen,
        });
        let leaning = |remark: &Remark| matches!(remark, Remark::Leaning { .. });
        match self.picked_left {
            None => notes.push(Remark::NoSides),
            Some(_) if flagged.iter().any(leaning) => {}
            Some(_) => notes.push(Remark::NoLeaning),
        }
        match &self.unread_time {
            None if !self.has_times => notes.push(Remark::NoTimes),
            None => {}
            Some(example) => notes.push(Remark::TimesUnreadable { example: example.clone() }),
        }
    }
}
